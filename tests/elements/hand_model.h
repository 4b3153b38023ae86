// A small model written by hand into the internal struct: elements need no more than the
// definitions, and tests may then use frames that no checked model would have.
#ifndef HN_TESTS_ELEMENTS_HAND_MODEL_H
#define HN_TESTS_ELEMENTS_HAND_MODEL_H

#include <math.h>
#include <string.h>

#include "elements/elements.h"
#include "support/check.h"

enum { HAND_BODIES = 5, HAND_JOINTS = 32, HAND_DRIVERS = 8, HAND_FORCES = 64, HAND_ROADS = 16 };
enum { HAND_LAWS = 96 };

typedef struct hand_model {
  hn_model model;
  hn_body_def bodies[HAND_BODIES]; // ground first
  hn_joint_def joints[HAND_JOINTS];
  hn_driver_def drivers[HAND_DRIVERS];
  hn_force_def forces[HAND_FORCES];
  hn_road_def roads[HAND_ROADS];
  hn_law *road_laws[HAND_ROADS];
  hn_law *laws[HAND_LAWS];
  int law_count;
  hn_arena arena;
  hn_elements *elements;
  double turns[4 * HAND_FORCES];
} hand_model;

static inline void hand_begin(hand_model *h) {
  memset(h, 0, sizeof *h);
  hn_arena_init(&h->arena, NULL);
  for (int b = 0; b < HAND_BODIES; b++) h->bodies[b] = hn_default_body();
  h->model.body_count = HAND_BODIES;
  h->model.bodies = h->bodies;
  h->model.joints = h->joints;
  h->model.drivers = h->drivers;
  h->model.forces = h->forces;
  h->model.roads.item = h->roads;
  h->model.roads.law = h->road_laws;
}

static inline void hand_finish(hand_model *h) {
  check_ok(hn_elements_create(&h->arena, &h->model, &h->elements, NULL));
  assert_true(h->elements->turn_count <= 4 * HAND_FORCES);
}

static inline void hand_end(hand_model *h) {
  for (int k = 0; k < h->law_count; k++) hn_law_free(h->laws[k]);
  hn_arena_release(&h->arena);
}

// ---- laws: kept here and freed at the end -------------------------------------------------------

static inline hn_law *hand_keep(hand_model *h, hn_law *law) {
  assert_true(h->law_count < HAND_LAWS);
  return h->laws[h->law_count++] = law;
}
static inline hn_law *hand_polynomial(hand_model *h, double c0, double c1, double c2) {
  hn_law *law;
  check_ok(hn_law_polynomial((double[]){c0, c1, c2}, 3, NULL, &law, NULL));
  return hand_keep(h, law);
}
static inline hn_law *hand_piecewise(hand_model *h, const double *breaks, const double *rows,
                                     int pieces, int count) {
  hn_law *law;
  check_ok(hn_law_piecewise(breaks, rows, pieces, count, NULL, &law, NULL));
  return hand_keep(h, law);
}
static inline hn_law *hand_table(hand_model *h, const double *x, const double *y, int count,
                                 hn_table_kind kind) {
  hn_law *law;
  check_ok(hn_law_table(x, y, count, kind, NULL, &law, NULL));
  return hand_keep(h, law);
}
static inline hn_law *hand_expression(hand_model *h, const char *text, const char *const *variables,
                                      int count) {
  hn_law *law;
  check_ok(hn_law_expression(text, variables, count, NULL, &law, NULL));
  return hand_keep(h, law);
}

// ---- adding: each returns its id ----------------------------------------------------------------

static inline int hand_add_joint(hand_model *h, hn_joint_def joint) {
  assert_true(h->model.joint_count < HAND_JOINTS);
  h->joints[h->model.joint_count] = joint;
  return h->model.joint_count++;
}
static inline int hand_add_driver(hand_model *h, hn_driver_def driver) {
  assert_true(h->model.driver_count < HAND_DRIVERS);
  h->drivers[h->model.driver_count] = driver;
  return h->model.driver_count++;
}
static inline int hand_add_force(hand_model *h, hn_force_def force) {
  assert_true(h->model.force_count < HAND_FORCES);
  h->forces[h->model.force_count] = force;
  return h->model.force_count++;
}
static inline int hand_add_road(hand_model *h, hn_road_def road) {
  int id = h->model.roads.count++;
  assert_true(id < HAND_ROADS);
  h->roads[id] = road;
  if (road.kind == HN_ROAD_TABLE)
    h->road_laws[id] = hand_table(h, road.x, road.z, road.count, HN_TABLE_SPLINE);
  return id;
}

// ---- states -------------------------------------------------------------------------------------

// A frame at rest.
static inline hn_frame hand_frame(hn_vec3 r, hn_quat p) {
  return (hn_frame){.r = r, .a = quat_matrix(p), .p = p};
}
// The same with speeds.
static inline hn_frame hand_moving_frame(hn_vec3 r, hn_quat p, hn_vec3 v, hn_vec3 w) {
  hn_frame frame = hand_frame(r, p);
  frame.v = v;
  frame.w = w;
  frame.pd = quat_scale(0.5, euler_e_transposed(p, w));
  return frame;
}
// All bodies at the origin, at rest.
static inline void hand_rest(hn_frame frames[HAND_BODIES]) {
  for (int b = 0; b < HAND_BODIES; b++) frames[b] = hand_frame(vec3_zero(), quat_identity());
}

#endif
