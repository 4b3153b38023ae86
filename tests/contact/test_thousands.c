// Thousands of contact points in one step, more than a dense problem and the first lists take: of free
// bodies, of bodies with joints, on one body. Momentum says what the floor carries.
#include <stdio.h>
#include <stdlib.h>

#include "analysis/simulation.h"
#include "contact/contact_machine.h"
#include "integrate/time_stepping.h"

enum { EDGE = 12, LAYERS = 6, BALLS = EDGE * EDGE * LAYERS };

static const char *const sets[] = {"cartesian", "relative"};
#define STEP 1e-3
#define RADIUS 0.1
#define SLAB 40.0 // kg

static void start_in(contact_machine *m, const char *set) {
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = set;
  options.step = STEP;
  check_ok(hn_simulation_create(m->model, &options, &m->simulation, &error));
}

static void advance_in(contact_machine *m, int steps) {
  for (int k = 0; k < steps; k++) check_ok(hn_simulation_step(m->simulation, 1));
}

// Points of the last step; *carried: by those on ground.
static int points_of(const contact_machine *m, double *carried) {
  const hn_sweep_point *point;
  const int count = hn_time_stepping_points(m->simulation->method, &point);
  *carried = 0;
  for (int k = 0; k < count; k++) {
    if (point[k].body[0] == 0) *carried += point[k].p[0] * point[k].axis[0].z;
    if (point[k].body[1] == 0) *carried -= point[k].p[0] * point[k].axis[0].z;
  }
  return count;
}

static void add_group(contact_machine *m, const char *name, const int *shapes, int count,
                      const int *others, int other_count, double restitution) {
  hn_contact_def contact = hn_default_contact();
  contact.name = name;
  contact.shapes1 = shapes;
  contact.count1 = count;
  contact.shapes2 = others;
  contact.count2 = other_count;
  contact.friction = 0.3;
  contact.restitution = restitution;
  contact.restitution_kind = restitution > 0 ? HN_RESTITUTION_POISSON : HN_RESTITUTION_NEWTON;
  contact.joined = 1;
  check_model(m, hn_model_add_contact(m->model, &contact, NULL));
}

// Towers of balls side by side; where asked for, below a slab that slides down a joint.
static contact_machine make_towers(int has_slab) {
  static int ball[BALLS + 1];
  static char name[BALLS][8];
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  for (int k = 0; k < BALLS; k++) {
    const double way = 2 * RADIUS + 1e-6;
    snprintf(name[k], sizeof name[k], "b%d", k);
    const hn_vec3 at =
        vec3(way * (k % EDGE), way * (k / EDGE % EDGE), RADIUS + 2 * RADIUS * (k / (EDGE * EDGE)));
    ball[k] = add_ball(&m, name[k], RADIUS, 1, at, vec3_zero(), vec3_zero());
  }
  add_group(&m, "floor", ball, BALLS, &m.plane, 1, 0);
  add_group(&m, "balls", ball, BALLS, NULL, 0, 0);
  if (has_slab) {
    const double middle = 0.5 * (EDGE - 1) * (2 * RADIUS + 1e-6);
    const hn_vec3 at = vec3(middle, middle, 2 * RADIUS * LAYERS + 0.05);
    ball[BALLS] = add_box(&m, "slab", vec3(3, 3, 0.1), SLAB, at, quat_identity(), vec3_zero());
    add_group(&m, "top", &ball[BALLS], 1, ball, BALLS, 0);
    hn_joint_def slide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
    slide.name = "slide";
    slide.frame1 = hn_model_frame(m.model, HN_GROUND, at, vec3(0, 0, 1));
    slide.frame2 = hn_model_frame(m.model, BALLS + 1, at, vec3(0, 0, 1));
    check_model(&m, hn_model_add_joint(m.model, &slide, NULL));
  }
  check_model(&m, hn_model_finish(m.model));
  return m;
}

static void check_towers(int has_slab, int points) {
  const double weight = GRAVITY * (BALLS + (has_slab ? SLAB : 0));
  contact_machine m = make_towers(has_slab);
  for (int s = 0; s < 2; s++) {
    double carried;
    start_in(&m, sets[s]);
    advance_in(&m, 3);
    assert_true(points_of(&m, &carried) >= points);
    check_relative(carried, weight * STEP, 1e-5);
    for (int b = 1; b <= BALLS; b++) check_near(motion_of(&m, b).velocity.z, 0, 1e-6);
    const hn_certificate c = hn_simulation_certificate(m.simulation);
    assert_int_equal(c.contacts_unresolved, 0);
    check_at_most(c.contact_residual, 1e-6);
    hn_simulation_free(m.simulation);
  }
  hn_model_free(m.model);
}

static void towers_of_free_balls_stand(void **state) {
  (void)state;
  check_towers(0, BALLS + 2 * EDGE * (EDGE - 1) * LAYERS);
}

static void towers_carry_a_slab_on_a_joint(void **state) {
  (void)state;
  check_towers(1, BALLS + 2 * EDGE * (EDGE - 1) * LAYERS + EDGE * EDGE);
}

// ---- one body on many feet ----------------------------------------------------------------------

enum { FEET = 900 };

// It falls with this speed, and slides down a joint where asked for.
static contact_machine make_brush(double speed, double restitution, int has_joint) {
  static int foot[FEET];
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  hn_body_def body = hn_default_body();
  body.name = "brush";
  body.mass = 10;
  body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
  body.position = vec3(0, 0, 0.1 + 1e-9);
  body.velocity = vec3(0, 0, -speed);
  int id;
  check_model(&m, hn_model_add_body(m.model, &body, &id));
  hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
  ball.radius = 0.01;
  ball.frame.body = id;
  for (int k = 0; k < FEET; k++) {
    ball.frame.position = vec3(0.05 * (k % 30 - 14.5), 0.05 * (k / 30 - 14.5), -0.09);
    check_model(&m, hn_model_add_shape(m.model, &ball, &foot[k]));
  }
  add_group(&m, "feet", foot, FEET, &m.plane, 1, restitution);
  hn_joint_def slide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  slide.name = "slide";
  slide.frame1 = hn_model_frame(m.model, HN_GROUND, vec3(0, 0, 0.1), vec3(0, 0, 1));
  slide.frame2 = hn_model_frame(m.model, id, vec3(0, 0, 0.1), vec3(0, 0, 1));
  if (has_joint) check_model(&m, hn_model_add_joint(m.model, &slide, NULL));
  check_model(&m, hn_model_finish(m.model));
  return m;
}

// The lists have grown; a state with more points than a new run has memory for is read, too.
static void check_growth(int has_joint) {
  contact_machine m = make_brush(0, 0, has_joint);
  for (int s = 0; s < 2; s++) {
    double carried;
    start_in(&m, sets[s]);
    advance_in(&m, 3);
    assert_int_equal(points_of(&m, &carried), FEET);
    check_relative(carried, 10 * GRAVITY * STEP, 1e-5);
    const size_t size = hn_simulation_save_size(m.simulation);
    unsigned char *saved = malloc(size);
    check_ok(hn_simulation_save(m.simulation, saved, size));
    advance_in(&m, 5);
    const unsigned long long hash = hn_simulation_state_hash(m.simulation);
    hn_simulation_free(m.simulation);
    start_in(&m, sets[s]);
    check_ok(hn_simulation_restore(m.simulation, saved, size));
    free(saved);
    advance_in(&m, 5);
    assert_true(hn_simulation_state_hash(m.simulation) == hash);
    hn_simulation_free(m.simulation);
  }
  hn_model_free(m.model);
}

static void points_of_one_body_grow(void **state) {
  (void)state;
  check_growth(0);
}
static void points_of_one_body_with_a_joint_grow(void **state) {
  (void)state;
  check_growth(1);
}

// Poisson's law: half of the impulse that stops the fall returns.
static void impulses_of_many_points_return(void **state) {
  (void)state;
  for (int has_joint = 0; has_joint < 2; has_joint++) {
    contact_machine m = make_brush(1, 0.5, has_joint);
    for (int s = 0; s < 2; s++) {
      start_in(&m, sets[s]);
      advance_in(&m, 1);
      check_near(motion_of(&m, 1).velocity.z, 0.5 * (1 + GRAVITY * STEP), 1e-4);
      hn_simulation_free(m.simulation);
    }
    hn_model_free(m.model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(towers_of_free_balls_stand),
      cmocka_unit_test(towers_carry_a_slab_on_a_joint),
      cmocka_unit_test(points_of_one_body_grow),
      cmocka_unit_test(points_of_one_body_with_a_joint_grow),
      cmocka_unit_test(impulses_of_many_points_return),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
