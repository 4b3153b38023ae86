// Helpers for tests of analyses: bodies, joints and laws in one line each, and the equations of a
// finished model without a simulation around them.
#ifndef HN_TESTS_ANALYSIS_PARTS_H
#define HN_TESTS_ANALYSIS_PARTS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "equations/equations.h"
#include "support/check.h"

static inline hn_model *begin_model(hn_vec3 gravity) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, gravity));
  return model;
}

static inline void finish_model(hn_model *model) {
  if (hn_model_finish(model) != HN_OK) fail_msg("%s", hn_model_error(model)->message);
}

static inline hn_body_def body_at(const char *name, double mass, double inertia, hn_vec3 position) {
  hn_body_def def = hn_default_body();
  def.name = name;
  def.mass = mass;
  for (int i = 0; i < 6; i++) def.inertia[i] = i < 3 ? inertia : 0;
  def.position = position;
  return def;
}

static inline int add_body(hn_model *model, const char *name, hn_vec3 position) {
  hn_body_def def = body_at(name, 1, 0.1, position);
  int id = -1;
  check_ok(hn_model_add_body(model, &def, &id));
  return id;
}

static inline int add_body_def(hn_model *model, hn_body_def def) {
  int id = -1;
  check_ok(hn_model_add_body(model, &def, &id));
  return id;
}

// The same point and axis, in the reference configuration, on both bodies.
static inline hn_joint_def joint_at(hn_model *model, hn_joint_type type, const char *name,
                                    int body1, int body2, hn_vec3 at, hn_vec3 axis) {
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  def.frame1 = hn_model_frame(model, body1, at, axis);
  def.frame2 = hn_model_frame(model, body2, at, axis);
  return def;
}

static inline int add_joint_def(hn_model *model, hn_joint_def def) {
  int id = -1;
  check_ok(hn_model_add_joint(model, &def, &id));
  return id;
}

static inline int add_joint(hn_model *model, hn_joint_type type, const char *name, int body1,
                            int body2, hn_vec3 at, hn_vec3 axis) {
  return add_joint_def(model, joint_at(model, type, name, body1, body2, at, axis));
}

// A joint between frames of the bodies' own: positions from the centers of mass, axes along body z.
static inline hn_joint_def joint_between(hn_joint_type type, const char *name, int body1,
                                         hn_vec3 point1, int body2, hn_vec3 point2) {
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  def.frame1 = (hn_frame_on_body){body1, point1, quat_identity()};
  def.frame2 = (hn_frame_on_body){body2, point2, quat_identity()};
  return def;
}

static inline void add_driver(hn_model *model, const char *name, int joint,
                              hn_coordinate coordinate, const char *law) {
  static const char *const variables[1] = {"t"};
  hn_driver_def def = hn_default_driver(HN_DRIVER_JOINT);
  def.name = name;
  def.joint = joint;
  def.coordinate = coordinate;
  check_ok(hn_law_expression(law, variables, 1, NULL, &def.law, NULL));
  check_ok(hn_model_add_driver(model, &def, NULL));
}

// stiffness * (x - free length), tension positive
static inline hn_law *linear_law(double stiffness, double free_length) {
  double coefficients[2] = {-stiffness * free_length, stiffness};
  hn_law *law = NULL;
  check_ok(hn_law_polynomial(coefficients, 2, NULL, &law, NULL));
  return law;
}

static inline void add_spring(hn_model *model, const char *name, int body1, hn_vec3 point1,
                              int body2, hn_vec3 point2, double stiffness, double free_length) {
  hn_force_def def = hn_default_force(HN_FORCE_SPRING_DAMPER);
  def.name = name;
  def.frame1 = hn_model_frame(model, body1, point1, vec3(0, 0, 1));
  def.frame2 = hn_model_frame(model, body2, point2, vec3(0, 0, 1));
  def.of_x = linear_law(stiffness, free_length);
  check_ok(hn_model_add_force(model, &def, NULL));
}

// ---- equations ----------------------------------------------------------------------------------

typedef struct setting {
  hn_arena arena;
  hn_model *model;
  hn_elements *elements;
  hn_equations *equations;
  hn_branches branches;
  hn_frame *frames;
  double *q, *qd, *zero;
  hn_error error;
} setting;

// Takes the model; positions of the reference configuration, velocities as given.
static inline void set_up(setting *s, hn_model *model) {
  memset(s, 0, sizeof *s);
  finish_model(model);
  s->model = model;
  hn_arena_init(&s->arena, NULL);
  check_ok(hn_elements_create(&s->arena, model, &s->elements, &s->error));
  check_ok(hn_cartesian.create(&s->arena, s->elements, NULL, &s->equations, &s->error));
  check_ok(hn_branches_create(&s->arena, s->elements, &s->branches));
  s->frames = HN_TAKE(&s->arena, hn_frame, model->body_count);
  s->q = HN_TAKE(&s->arena, double, s->equations->nq);
  s->qd = HN_TAKE(&s->arena, double, s->equations->nq);
  s->zero = HN_TAKE(&s->arena, double, s->equations->nq);
  hn_equations_initial(s->equations, s->frames, s->q, s->qd);
  hn_cartesian.coordinates->frames(s->equations, s->q, s->qd, s->frames);
  hn_elements_initial_turns(s->elements, s->frames, s->branches.turns);
  hn_branches_classify(s->elements, s->frames, 0, &s->branches);
}

static inline void tear_down(setting *s) {
  hn_arena_release(&s->arena);
  hn_model_free(s->model);
}

static inline void update_frames(setting *s) {
  hn_cartesian.coordinates->frames(s->equations, s->q, s->qd, s->frames);
}

// Largest |phi| and |d phi/dt| of all rows at (t, q, qd).
static inline double largest_gap(setting *s, double t, double *rate) {
  update_frames(s);
  const hn_cartesian_rows *rows =
      hn_cartesian_evaluate_rows(s->equations, t, s->frames, &s->branches);
  double gap = 0;
  if (rate) *rate = 0;
  for (int r = 0; r < s->elements->row_count; r++) {
    gap = fmax(gap, fabs(rows->value[r]));
    if (rate) *rate = fmax(*rate, fabs(rows->rate[r]));
  }
  return gap;
}

static inline hn_measure_speeds coordinate_of(setting *s, int joint, hn_coordinate coordinate) {
  hn_measure_speeds out;
  int measure = s->elements->coordinate[joint * HN_COORDINATES + (int)coordinate];
  update_frames(s);
  hn_measure_in_speeds(&s->elements->measures[measure], s->frames, s->branches.turns, &out);
  return out;
}

#endif
