// Common part of the benchmarks of accelerations: a linear problem taken from a model, and models
// of any size.
#ifndef HN_BENCH_ACCELERATIONS_H
#define HN_BENCH_ACCELERATIONS_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "common/table.h"
#include "common/timing.h"
#include "equations/cartesian/problem.h"
#include "linalg/solver_system.h"

static inline void stop_on(hn_status status, const char *what, const char *why) {
  if (status == HN_OK) return;
  fprintf(stderr, "%s: %s (%s)\n", what, why ? why : "", hn_status_text(status));
  exit(1);
}

static inline void *taken(size_t count, size_t size) {
  void *p = calloc(count + 1, size);
  if (!p) stop_on(HN_ERROR_MEMORY, "bench", NULL);
  return p;
}

// ---- problems -----------------------------------------------------------------------------------

// [M J'; J 0][x; y] = [b; c] of a model at one state; dependent rows are left out.
typedef struct problem {
  const char *name;
  hn_arena arena;
  hn_solver_problem solver; // everything but numbers
  double *mass, *block, *b, *c;
  int left_out; // dependent rows
} problem;

// The rows that are kept, close together.
static inline void drop_rows(problem *p, const unsigned char *dropped) {
  hn_solver_problem *s = &p->solver;
  int *start = (int *)s->row_start, *body = (int *)s->body, *first = (int *)s->joint_row;
  unsigned char *soft = (unsigned char *)s->soft;
  int rows = 0, blocks = 0, group = 0;
  for (int r = 0; r < s->rows; r++) {
    while (group < s->joints && first[group] == r) first[group++] = rows;
    int from = start[r], to = start[r + 1];
    if (dropped[r]) {
      p->left_out++;
      continue;
    }
    soft[rows] = soft[r];
    p->c[rows] = p->c[r];
    start[rows++] = blocks;
    for (int k = from; k < to; k++, blocks++) {
      body[blocks] = body[k];
      memmove(&p->block[6 * blocks], &p->block[6 * k], 6 * sizeof(double));
    }
  }
  while (group <= s->joints) first[group++] = rows;
  start[rows] = blocks;
  s->rows = rows;
}

// At the present state of a simulation.
static inline problem problem_of(const char *name, hn_simulation *s) {
  problem p = {.name = name};
  const hn_snapshot *now = s->method->now;
  const hn_model *model = s->model;
  hn_arena_init(&p.arena, NULL);
  stop_on(hn_cartesian_problem(&p.arena, s->elements, &p.solver), name, NULL);
  const hn_cartesian_rows *rows =
      hn_cartesian_evaluate_rows(s->equations, now->t, now->frames, &s->branches);
  size_t bodies = (size_t)p.solver.bodies, count = (size_t)p.solver.rows;
  size_t blocks = (size_t)p.solver.row_start[count];
  p.mass = HN_TAKE(&p.arena, double, 9 * bodies);
  p.b = HN_TAKE(&p.arena, double, 6 * bodies);
  p.block = hn_arena_copy(&p.arena, rows->block, 6 * blocks, sizeof(double));
  p.c = hn_arena_copy(&p.arena, rows->tau, count, sizeof(double));
  if (p.arena.failed) stop_on(HN_ERROR_MEMORY, name, NULL);
  hn_cartesian_mass(model, NULL, now->frames, p.mass);
  for (int b = 1; b < model->body_count; b++) {
    vec3_store(&p.b[6 * (b - 1)], now->wrench[b].force);
    vec3_store(&p.b[6 * (b - 1) + 3], now->wrench[b].torque);
    for (int i = 0; i < 6; i++) p.b[6 * (b - 1) + i] += model->bodies[b].mass * sin(6 * b + i);
  }
  p.solver.mass = p.mass;
  drop_rows(&p, s->equations->redundant);
  return p;
}

static inline hn_simulation *simulate(hn_model *model, const char *name) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_status status = hn_simulation_create(model, NULL, &s, &error);
  stop_on(status, name, error.message);
  return s;
}

// ---- models made here ---------------------------------------------------------------------------

static inline hn_model *begin_model(void) {
  hn_model *model = NULL;
  stop_on(hn_model_create(NULL, &model), "model", NULL);
  hn_model_set_gravity(model, (hn_vec3){0, -9.81, 0});
  return model;
}

static inline int add_bar(hn_model *model, int i, hn_vec3 center, int along) {
  char name[32];
  hn_body_def def = hn_default_body();
  int id = 0;
  snprintf(name, sizeof name, "bar%d", i);
  def.name = name;
  for (int k = 0; k < 6; k++) def.inertia[k] = k < 3 ? (k == along ? 1e-3 : 1.0 / 12) : 0;
  def.position = center;
  stop_on(hn_model_add_body(model, &def, &id), name, hn_model_error(model)->message);
  return id;
}

static inline void add_pin(hn_model *model, int i, int body1, int body2, hn_vec3 at, hn_vec3 axis) {
  char name[32];
  hn_joint_def def = hn_default_joint(HN_JOINT_REVOLUTE);
  snprintf(name, sizeof name, "pin%d", i);
  def.name = name;
  def.frame1 = hn_model_frame(model, body1, at, axis);
  def.frame2 = hn_model_frame(model, body2, at, axis);
  stop_on(hn_model_add_joint(model, &def, NULL), name, hn_model_error(model)->message);
}

// Joints from one end to the other, or scattered.
static inline hn_model *make_chain(int n, int is_bad) {
  hn_model *model = begin_model();
  for (int i = 0; i < n; i++) add_bar(model, i, (hn_vec3){i + 0.5, 0, 0}, 0);
  for (int i = 0; i < n; i++) {
    int k = is_bad ? i * 17 % n : i;
    hn_vec3 axis = {0, k % 2 ? 0.6 : 0, k % 2 ? 0.8 : 1}; // spatial
    add_pin(model, i, k, k + 1, (hn_vec3){k, 0, 0}, axis);
  }
  stop_on(hn_model_finish(model), "chain", hn_model_error(model)->message);
  return model;
}

// Body i hangs on body i / 2.
static inline hn_model *make_tree(int n) {
  hn_model *model = begin_model();
  for (int i = 1; i <= n; i++) {
    int depth = 0;
    for (int k = i; k > 1; k /= 2) depth++;
    int id = add_bar(model, i, (hn_vec3){depth + 0.5, 0, 0}, 0);
    add_pin(model, i, i / 2, id, (hn_vec3){depth, 0, 0}, (hn_vec3){0, i % 2, (i + 1) % 2});
  }
  stop_on(hn_model_finish(model), "tree", hn_model_error(model)->message);
  return model;
}

// n parallelogram four-bars side by side, redundant in space.
static inline hn_model *make_ladder(int n) {
  hn_model *model = begin_model();
  hn_vec3 z = {0, 0, 1};
  for (int i = 0; i <= n; i++) {
    add_bar(model, i, (hn_vec3){i, 0.5, 0}, 1);
    add_pin(model, i, HN_GROUND, i + 1, (hn_vec3){i, 0, 0}, z);
  }
  for (int i = 0; i < n; i++) {
    int id = add_bar(model, n + 1 + i, (hn_vec3){i + 0.5, 1, 0}, 0);
    add_pin(model, n + 1 + 2 * i, i + 1, id, (hn_vec3){i, 1, 0}, z);
    add_pin(model, n + 2 + 2 * i, id, i + 2, (hn_vec3){i + 1, 1, 0}, z);
  }
  stop_on(hn_model_finish(model), "ladder", hn_model_error(model)->message);
  return model;
}

#endif
