// Kinematics: positions and velocities of a model whose drivers leave no degree of freedom. Time
// advances in steps within which no body turns by more than STEP_TURN: predicted by the velocities,
// corrected by the same iteration as assembly, so that the model stays on its branch and
// revolutions are counted.
#include "analysis/kinematics.h"

#include <math.h>
#include <string.h>

#include "analysis/assembly_positions.h"
#include "base/error.h"
#include "math/elementary.h"

#define STEP_TURN 0.2
enum { STEPS = 1000000, HALVINGS = 30, ITERATIONS = 15 };

struct hn_kinematics {
  hn_arena arena; // of everything here
  hn_assembly a;
  hn_assembly_rows rows;
  hn_frame *before;    // (bodies)
  double *turns;       // on entry (turn_count)
  unsigned char *held; // none (bodies)
  unsigned char *all;  // ones (row_count)
  double *q, *qd;      // at the end of the last solve (nq)
};
typedef struct hn_kinematics work;

static hn_status create(const hn_allocator *allocator, hn_equations *equations, double t,
                        const double *q, const double *qd, hn_branches *branches, work **created) {
  const hn_elements *elements = equations->elements;
  const int bodies = equations->model->body_count;
  work *w = hn_allocate(allocator, sizeof *w);
  *created = w;
  if (!w) return HN_ERROR_MEMORY;
  memset(w, 0, sizeof *w);
  hn_arena_init(&w->arena, allocator);
  w->before = HN_TAKE(&w->arena, hn_frame, bodies);
  w->held = HN_TAKE(&w->arena, unsigned char, bodies);
  w->all = HN_TAKE(&w->arena, unsigned char, elements->row_count);
  w->turns = HN_TAKE(&w->arena, double, elements->turn_count);
  w->q = HN_TAKE(&w->arena, double, equations->nq);
  w->qd = HN_TAKE(&w->arena, double, equations->nq);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  memset(w->all, 1, (size_t)elements->row_count);
  hn_status status = hn_assembly_begin(&w->arena, equations, t, q, qd, branches, &w->a);
  if (status != HN_OK) return status;
  return hn_assembly_rows_create(&w->arena, elements, w->held, NULL, 0, &w->rows);
}

void hn_kinematics_free(hn_kinematics *w) {
  if (!w) return;
  const hn_allocator allocator = w->arena.allocator;
  hn_arena_release(&w->arena);
  hn_release(&allocator, w);
}

// Unit metric with lengths; rows and factorization at the present poses.
static hn_status factor(work *w) {
  hn_assembly_rows_evaluate(&w->rows, w->a.t, w->a.frames, w->a.branches, 1);
  for (int b = 1; b < w->rows.bodies; b++) {
    double size = w->a.body_size[b];
    hn_assembly_set_metric(&w->rows, b, 1, mat3_scale(size * size, mat3_identity()));
  }
  hn_saddle_soften(w->rows.saddle, NULL, 0);
  return hn_saddle_factor(w->rows.saddle, w->rows.m_values, w->rows.j_values);
}

// ---- is there a degree of freedom left?
// -------------------------------------------------------------------

// The part of a force without pattern that no row resists moves what is free. Names the body and
// the axis that move most. With the factors of the last velocities.
static hn_status check_freedom(work *w, hn_error *error) {
  static const char *const axes[6] = {"along x", "along y", "along z",
                                      "about x", "about y", "about z"};
  hn_assembly_rows *rows = &w->rows;
  for (int i = 0; i < rows->columns; i++) {
    double size = i % 6 < 3 ? 1 : w->a.size;
    rows->b[i] = size * (0.6 + 0.4 * hn_sin(1 + 2.3 * i)); // any numbers without a pattern
  }
  memset(rows->c, 0, (size_t)rows->size * sizeof(double));
  hn_status status = hn_saddle_solve(rows->saddle, rows->b, rows->c, rows->x, rows->y, NULL);
  memset(rows->b, 0, (size_t)rows->columns * sizeof(double));
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL,
                   "constraints are not finite; check the functions of drivers");
  int best = -1;
  double most = 1e-6;
  for (int i = 0; i < rows->columns; i++) {
    double moved = fabs(rows->x[i]) * (i % 6 < 3 ? 1 : w->a.body_size[1 + i / 6]);
    if (moved <= most) continue;
    most = moved;
    best = i;
  }
  if (best < 0) return HN_OK;
  char element[128];
  const hn_body_def *body = &w->a.model->bodies[1 + best / 6];
  return hn_fail(error, HN_ERROR_MODEL, &body->source,
                 hn_text(element, sizeof element, "body '%s'", body->name),
                 "add a driver, or use `holon run` for a dynamic simulation",
                 "is not determined by joints and drivers: it can still move %s", axes[best % 6]);
}

// ---- velocities ---------------------------------------------------------------------------------

// The rates that keep every row; they are unique. 0 when the rows contradict each other.
static hn_status find_velocities(work *w) {
  for (int b = 1; b < w->rows.bodies; b++) w->a.frames[b].v = w->a.frames[b].w = vec3_zero();
  hn_status status = factor(w);
  for (int r = 0; r < w->rows.size; r++) w->rows.c[r] = -w->rows.rate[r];
  if (status == HN_OK)
    status = hn_saddle_solve(w->rows.saddle, w->rows.b, w->rows.c, w->rows.x, w->rows.y, NULL);
  for (int b = 1; status == HN_OK && b < w->rows.bodies; b++) {
    const double *x = &w->rows.x[w->rows.first_column[b]];
    w->a.frames[b].v = vec3_load(x);
    w->a.frames[b].w = vec3_load(x + 3);
  }
  return status;
}

// ---- steps of time ------------------------------------------------------------------------------

static double fastest_turn(const work *w) {
  double most = 0;
  for (int b = 1; b < w->rows.bodies; b++) {
    const hn_frame *f = &w->a.frames[b];
    most = fmax(most, vec3_norm(f->w));
    most = fmax(most, vec3_norm(f->v) / w->a.size);
  }
  return most;
}

static void predict(work *w, double h) {
  for (int b = 1; b < w->rows.bodies; b++) {
    hn_frame *f = &w->a.frames[b];
    f->r = vec3_add_scaled(f->r, h, f->v);
    hn_vec3 turn = vec3_scale(h, f->w);
    f->p = quat_unit(quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), f->p));
    f->a = quat_matrix(f->p);
  }
}

// One step of at most h; halves it until the positions follow. Returns the step made, 0 on failure.
static double step(work *w, double t, double h) {
  memcpy(w->before, w->a.frames, (size_t)w->rows.bodies * sizeof(hn_frame));
  for (int k = 0; k < HALVINGS; k++, h *= 0.5) {
    predict(w, h);
    hn_assembly_set_time(&w->a, t + h);
    w->a.iterations = 0;
    int closed = hn_assembly_solve_positions(&w->a, &w->rows, w->all);
    if (closed == 1 && w->a.iterations <= ITERATIONS) {
      hn_elements_update_turns(w->a.elements, w->a.frames, w->a.branches->turns);
      return h;
    }
    memcpy(w->a.frames, w->before, (size_t)w->rows.bodies * sizeof(hn_frame));
  }
  return 0;
}

static hn_status follow(work *w, double t_now, double t, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; status == HN_OK && t_now != t && k < STEPS; k++) {
    double h = t - t_now, turn = fastest_turn(w) * fabs(h);
    int last = turn <= STEP_TURN;
    if (!last) h *= STEP_TURN / turn;
    double made = step(w, t_now, h);
    if (made == 0)
      return hn_fail(
          error, HN_ERROR_CONVERGENCE, NULL, NULL,
          "check that the mechanism can reach the positions that its drivers prescribe",
          "positions cannot be found beyond t = %g s (largest constraint violation %.3g)", t_now,
          w->a.gap);
    t_now = last && made == h ? t : t_now + made;
    hn_assembly_set_time(&w->a, t_now);
    status = find_velocities(w);
  }
  if (status != HN_OK || t_now == t) return status;
  return hn_fail(
      error, HN_ERROR_LIMIT, NULL, NULL, NULL,
      "too many steps to the next output; t = %g s was reached. Use a smaller `output_step`",
      t_now);
}

// 1: the state is the one where the last solve ended, so its velocities are those of the drivers.
static int is_continuation(const work *w, const double *q, const double *qd, int nq) {
  return memcmp(w->q, q, (size_t)nq * sizeof(double)) == 0 &&
         memcmp(w->qd, qd, (size_t)nq * sizeof(double)) == 0;
}

static hn_status solve(work *w, double t_now, double t, double *q, double *qd, hn_error *error) {
  const int nq = w->a.equations->nq;
  hn_branches *branches = w->a.branches;
  const size_t turn_bytes = (size_t)w->a.elements->turn_count * sizeof(double);
  hn_status status = HN_OK;
  memcpy(w->turns, branches->turns, turn_bytes);
  w->a.equations->type->coordinates->frames(w->a.equations, q, qd, w->a.frames);
  hn_assembly_set_time(&w->a, t_now);
  if (t_now == t || !is_continuation(w, q, qd, nq)) {
    status = find_velocities(w);
    if (status == HN_OK) status = check_freedom(w, error);
  }
  if (status == HN_OK) status = follow(w, t_now, t, error);
  if (status == HN_OK && t_now != t) status = check_freedom(w, error);
  if (status == HN_OK) {
    hn_assembly_store(&w->a, q, qd);
    memcpy(w->q, q, (size_t)nq * sizeof(double));
    memcpy(w->qd, qd, (size_t)nq * sizeof(double));
    hn_branches_classify(w->a.elements, w->a.frames, t, branches);
  } else {
    memcpy(branches->turns, w->turns, turn_bytes);
  }
  return status;
}

hn_status hn_kinematics_solve(hn_kinematics **kinematics, hn_equations *equations,
                              const hn_allocator *allocator, double t_now, double t, double *q,
                              double *qd, hn_branches *branches, hn_error *error) {
  if (!*kinematics) {
    hn_status status = create(allocator, equations, t_now, q, qd, branches, kinematics);
    if (status != HN_OK) {
      hn_kinematics_free(*kinematics);
      *kinematics = NULL;
      return hn_fail(error, status, NULL, NULL, NULL, "out of memory for kinematics");
    }
  }
  return solve(*kinematics, t_now, t, q, qd, error);
}
