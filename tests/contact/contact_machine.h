// Models of rigid contacts in few lines.
#ifndef HN_TESTS_CONTACT_MACHINE_H
#define HN_TESTS_CONTACT_MACHINE_H

#include <math.h>
#include <string.h>

#include "holon/holon.h"
#include "holon/load.h"
#include "math/euler.h"
#include "support/check.h"

#define GRAVITY 9.81

static const char *machine_coordinates = "cartesian"; // of `start`

typedef struct contact_machine {
  hn_model *model;
  hn_simulation *simulation;
  int plane; // shape of ground
} contact_machine;

static inline void check_model(contact_machine *m, hn_status status) {
  if (status != HN_OK) print_error("%s\n", hn_model_error(m->model)->message);
  assert_int_equal(status, HN_OK);
}

static inline double value_of(const contact_machine *m, const char *signal) {
  double value = NAN;
  check_ok(hn_simulation_value(m->simulation, signal, &value));
  return value;
}

// A model file with these options.
static inline contact_machine machine_with_options(const char *text,
                                                   const hn_simulation_options *options) {
  contact_machine m = {0};
  hn_error error = {0};
  hn_status status = hn_model_load_text(text, strlen(text), "text.yaml", NULL, &m.model, &error);
  if (status != HN_OK) print_error("%s %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  status = hn_simulation_create(m.model, options, &m.simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  return m;
}

// Ground z <= 0 and gravity.
static inline contact_machine machine_on_plane(hn_vec3 gravity) {
  contact_machine m = {0};
  check_ok(hn_model_create(NULL, &m.model));
  check_model(&m, hn_model_set_gravity(m.model, gravity));
  hn_shape_def plane = hn_default_shape(HN_SHAPE_BOX);
  plane.touch = HN_TOUCH_PLANE;
  plane.size = vec3(10, 10, 0.1);
  plane.frame.position = vec3(0, 0, -0.05);
  check_model(&m, hn_model_add_shape(m.model, &plane, &m.plane));
  return m;
}

// A body with a shape; returns the shape.
static inline int add_ball(contact_machine *m, const char *name, double radius, double mass,
                           hn_vec3 position, hn_vec3 velocity, hn_vec3 spin) {
  hn_body_def body = hn_default_body();
  int id, shape;
  body.name = name;
  body.mass = mass;
  for (int i = 0; i < 6; i++) body.inertia[i] = i < 3 ? 0.4 * mass * radius * radius : 0;
  body.position = position;
  body.velocity = velocity;
  body.angular_velocity = spin;
  check_model(m, hn_model_add_body(m->model, &body, &id));
  hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
  ball.radius = radius;
  ball.frame.body = id;
  check_model(m, hn_model_add_shape(m->model, &ball, &shape));
  return shape;
}

static inline int add_box(contact_machine *m, const char *name, hn_vec3 size, double mass,
                          hn_vec3 position, hn_quat orientation, hn_vec3 velocity) {
  hn_body_def body = hn_default_body();
  int id, shape;
  body.name = name;
  body.mass = mass;
  const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
  const double inertia[6] = {
      (y + z) * mass / 12, (x + z) * mass / 12, (x + y) * mass / 12, 0, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  body.position = position;
  body.orientation = orientation;
  body.velocity = velocity;
  check_model(m, hn_model_add_body(m->model, &body, &id));
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX);
  box.size = size;
  box.frame.body = id;
  check_model(m, hn_model_add_shape(m->model, &box, &shape));
  return shape;
}

static inline void add_contact(contact_machine *m, const char *name, int shape1, int shape2,
                               double restitution, double friction) {
  hn_contact_def contact = hn_default_contact();
  contact.name = name;
  contact.shapes1 = &shape1;
  contact.count1 = 1;
  contact.shapes2 = &shape2;
  contact.count2 = 1;
  contact.restitution = restitution;
  contact.friction = friction;
  contact.joined = 1;
  check_model(m, hn_model_add_contact(m->model, &contact, NULL));
}

static inline void start(contact_machine *m, double tol) {
  hn_error error = {0};
  check_model(m, hn_model_finish(m->model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = machine_coordinates;
  options.tol = tol;
  hn_status status = hn_simulation_create(m->model, &options, &m->simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
}

// A model from its description; a step of 0: chosen by the run, a tolerance of 0: that of the
// model.
static inline contact_machine machine_of_text(const char *text, double step, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.step = step;
  if (tol > 0) options.tol = tol;
  return machine_with_options(text, &options);
}

static inline void advance(contact_machine *m, double time) {
  hn_status status = hn_simulation_advance(m->simulation, time);
  if (status != HN_OK) {
    const hn_error *error = hn_simulation_error(m->simulation);
    print_error("%s: %s\n", error->element, error->message);
  }
  assert_int_equal(status, HN_OK);
}

static inline hn_body_motion motion_of(contact_machine *m, int body) {
  hn_body_motion motion;
  check_ok(hn_simulation_body_motion(m->simulation, body, &motion));
  return motion;
}

static inline void finish(contact_machine *m) {
  hn_simulation_free(m->simulation);
  hn_model_free(m->model);
}

// Times of changes into a state of contacts (HN_EVENT_IMPACT: impacts), at most capacity.
static inline int times_of(contact_machine *m, int to, double *times, int capacity) {
  static hn_event events[4096];
  int count = 0;
  const int all = hn_simulation_events(m->simulation, events, 4096);
  for (int k = 0; k < all && count < capacity; k++)
    if (events[k].contact > 0 && events[k].to == to &&
        (count == 0 || events[k].time > times[count - 1]))
      times[count++] = events[k].time;
  return count;
}

// Runs a group of tests in each of these coordinate sets; the number of tests that failed.
static inline int run_in_sets(const struct CMUnitTest *tests, size_t count) {
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  int failed = 0;
  for (size_t k = 0; k < sizeof sets / sizeof sets[0]; k++) {
    machine_coordinates = sets[k];
    failed += _cmocka_run_group_tests(sets[k], tests, count, NULL, NULL);
  }
  return failed;
}

#endif
