// Overlap of bodies is detected, also of prisms whose faces have more corners than contact points
// are kept; deep penetration is reported.
#include "contact/contact_machine.h"
#include "contact/geometry.h"
#include "contact/pair_scene.h"

enum { CROWD = 24 }; // boxes

// How far they are apart along n; less than `least`: somewhere below.
static double apart_along(const hn_placed p[2], hn_vec3 n, double least) {
  double most[2] = {-HUGE_VAL, -HUGE_VAL};
  for (int k = 0; k < p[0].shape->hull->vertex_count; k++) {
    most[0] = fmax(most[0], vec3_dot(n, placed_point(&p[0], p[0].shape->hull->vertices[k])));
    most[1] = fmax(most[1], -vec3_dot(n, placed_point(&p[1], p[1].shape->hull->vertices[k])));
    if (-most[0] - most[1] <= least) break;
  }
  return -most[0] - most[1];
}

// Both have as many corners.
static void try_axis(const hn_placed p[2], hn_vec3 n, double *best, hn_vec3 *axis) {
  for (int side = 0; side < 2; side++, n = vec3_negate(n)) {
    const double apart = apart_along(p, n, *best);
    if (!(apart > *best)) continue;
    *best = apart;
    *axis = n;
  }
}

static hn_vec3 edge_of(const hn_placed *p, int k) {
  const hn_hull *h = p->shape->hull;
  return placed_vector(p, vec3_sub(h->vertices[h->edges[k][1]], h->vertices[h->edges[k][0]]));
}

// How far two polyhedra are apart, or (negative) how deep: over the normals of all faces, and across
// all pairs of edges, whatever lies where.
static double distance(const hn_placed p[2], hn_vec3 *axis) {
  double best = -HUGE_VAL;
  for (int side = 0; side < 2; side++)
    for (int f = 0; f < p[side].shape->hull->face_count; f++)
      try_axis(p, placed_vector(&p[side], p[side].shape->hull->normals[f]), &best, axis);
  for (int i = 0; i < p[0].shape->hull->edge_count; i++)
    for (int j = 0; j < p[1].shape->hull->edge_count; j++) {
      const hn_vec3 n = vec3_cross(edge_of(&p[0], i), edge_of(&p[1], j));
      if (vec3_norm(n) > 1e-9) try_axis(p, vec3_unit(n), &best, axis);
    }
  return best;
}

// Moves the second so that they are `wanted` apart.
static double put_apart(scene *s, hn_placed p[2], double wanted) {
  const hn_contact_pair *pair = s->contacts->pairs;
  double now = 0;
  for (int round = 0; round < 8; round++) {
    hn_vec3 axis = {0, 0, 0};
    for (int k = 0; k < 2; k++)
      p[k] = hn_place(&s->contacts->shapes[pair->shape[k]], &s->frames[pair->body[k]]);
    now = distance(p, &axis);
    if (fabs(now - wanted) < 1e-10) break;
    hn_frame *f = &s->frames[pair->body[1]];
    f->r = vec3_add_scaled(f->r, wanted - now, axis);
  }
  return now;
}

static void prisms_that_overlap_have_points_there(void **state) {
  (void)state;
  hn_shape_def first = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 1);
  hn_shape_def second = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 2);
  first.radius = 0.2;
  second.radius = 0.25;
  scene s = scene_of(&first, &second);
  hn_random random = hn_random_seed(7);
  int seen = 0;
  for (int k = 0; k < 60; k++) {
    place_at_random(&s, &random, 0.5);
    hn_placed p[2];
    const double depth = put_apart(&s, p, -1e-4 - 1e-3 * (k % 5));
    if (depth > 0 || depth < -0.02) continue;
    hn_contact_point points[HN_CONTACT_POINTS];
    const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    const int count = points_at(&s, mode, s.frames, HN_CONTACT_PLACES, points);
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) least = fmin(least, points[i].gap);
    check_near(least, depth, 3e-4); // a thousandth of their size: reported along a direction nearby
    seen++;
  }
  assert_true(seen > 40);
  scene_free(&s);
}

// Without gravity: a bar, and a ball next to it or inside.
static contact_machine make_bar(double y) {
  contact_machine m = machine_on_plane(vec3_zero());
  hn_error error = {0};
  const double inertia[6] = {7e-5, 1.34e-2, 1.34e-2, 0, 0, 0};
  hn_body_def body = hn_default_body();
  int id, shape;
  body.name = "bar";
  body.mass = 1;
  body.position = vec3(0, 0, 1);
  memcpy(body.inertia, inertia, sizeof inertia);
  check_model(&m, hn_model_add_body(m.model, &body, &id));
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
  box.size = vec3(0.4, 0.02, 0.02);
  box.frame.body = id;
  check_model(&m, hn_model_add_shape(m.model, &box, &shape));
  const int ball = add_ball(&m, "ball", 0.01, 0.1, vec3(0.15, y, 1), vec3_zero(), vec3_zero());
  add_contact(&m, "hit", shape, ball, 0, 0);
  check_model(&m, hn_model_finish(m.model));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  return m;
}

static int count_told(contact_machine *m, const char *words) {
  int told = 0;
  for (int k = 0; k < hn_simulation_warning_count(m->simulation); k++)
    told += hn_has_names(hn_simulation_warning(m->simulation, k)->message, words);
  return told;
}

static void what_lies_deep_in_another_is_told_once(void **state) {
  (void)state;
  contact_machine m = make_bar(0.012);
  advance(&m, 0.01);
  assert_int_equal(count_told(&m, "0.4"), 1);
  finish(&m);
}

// Boxes side by side, 10 mm apart, and a ball that flies past: at its speed others could be pushed
// together within a step, at more points than the capacity.
static contact_machine make_crowd(double speed) {
  contact_machine m = machine_on_plane(vec3_zero());
  hn_error error = {0};
  int shape[CROWD];
  char name[16];
  for (int k = 0; k < CROWD; k++) {
    snprintf(name, sizeof name, "b%d", k);
    shape[k] = add_box(&m, name, vec3(0.04, 0.04, 0.04), 1, vec3(0.05 * (k % 4), 0.05 * (k / 4), 1),
                       quat_identity(), vec3_zero());
  }
  for (int i = 0; i < CROWD; i++)
    for (int j = 0; j < i; j++) {
      snprintf(name, sizeof name, "c%d.%d", i, j);
      add_contact(&m, name, shape[i], shape[j], 0, 0);
    }
  const int ball = add_ball(&m, "ball", 0.01, 0.1, vec3(0, 0, 5), vec3(speed, 0, 0), vec3_zero());
  add_contact(&m, "ball", shape[0], ball, 0, 0);
  check_model(&m, hn_model_finish(m.model));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  advance(&m, 3e-3);
  return m;
}

static void points_that_are_left_out_of_a_step_are_told_once(void **state) {
  (void)state;
  contact_machine slow = make_crowd(1), fast = make_crowd(300);
  assert_int_equal(count_told(&slow, "512"), 0);
  assert_int_equal(count_told(&fast, "512"), 1);
  finish(&slow);
  finish(&fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prisms_that_overlap_have_points_there),
      cmocka_unit_test(what_lies_deep_in_another_is_told_once),
      cmocka_unit_test(points_that_are_left_out_of_a_step_are_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
