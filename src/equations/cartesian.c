// Cartesian coordinates: q = (r, p) of every body, 7 numbers each, Euler parameters p of unit length.
// Solved in speeds (v, w) of every body, global axes, centre of mass:
//
//   [ M  J' ] [ a      ]   [ F - (0, w x I w) ]
//   [ J  0  ] [ lambda ] = [ tau              ]      M = diag(m 1, A I' A'),  J rows (n, m)
//
// tau here is tau_omega of methods.md M19: it comes from accelerations at zero angular acceleration
// and needs no Euler parameters. Image in q: pd = E' w / 2, pdd = E' wd / 2 - (pd.pd) p.
#include <float.h>
#include <string.h>

#include "base/error.h"
#include "equations/cartesian_problem.h"
#include "equations/cartesian_tangent.h"
#include "equations/equations.h"
#include "equations/loop_rank.h"
#include "linalg/block_lanes.h"

// Which rows a factorization holds: all, or those that are not redundant.
typedef enum row_set { ALL_ROWS, KEPT_ROWS } row_set;

typedef struct cartesian {
  hn_equations base;
  const hn_cartesian_rows *rows; // base.rows
  double *m_values;              // upper triangles of M, 9 a body: 3 masses, 6 of the inertia
  double *b;                     // right side (nu)
  double *x, *y;                 // solution: of the snapshot, or of a projection
  double *step;                  // of a projection (nu)
  hn_frame *frames; // of projections, gone when a factorization is made (bodies + ground)
  hn_wrench
      *wrench; // where forces add up when only their power is asked for (bodies + ground; none
               // without forces)
  double *factored_q; // where the factorization was made (nq)
  row_set factored_rows;
  int is_factored;
  int is_judged;           // the geometric metric was factored there too
  hn_solver *geometry;     // the same rows in the geometric metric; null without loops
  double *geometry_values; // of that metric, 9 a body
  hn_arena *arena;         // of the set
  hn_solver *stable;       // made where the reduced matrix has lost too many digits; null before
  int is_stable;           // it holds the factorization
  int wide;                // which variant of kernels (block.h)
  int small_pivots;        // of loop rows at the last factorization
  unsigned char *small;    // rows with small pivots at its last factorization (row_count)
} cartesian;

// ---- set-up -------------------------------------------------------------------------------------

static hn_status choose_and_create(hn_arena *arena, hn_arena *scratch,
                                   const hn_solver_problem *problem, const char *name,
                                   hn_solver **solver, hn_error *error) {
  const hn_solver_type *type = NULL;
  hn_status status = hn_solver_choose(scratch, problem, name, &type, error);
  return status == HN_OK ? hn_solver_create(arena, type, problem, solver, error) : status;
}

// Rank is judged by the same solver whatever solves for the accelerations: so the rows that are left
// out are the same too. Its pivots are of single rows: of two dependent rows in one block of a joint the
// second pivot would carry the rounding of the first, divided by a small number.
static hn_status make_geometry(hn_arena *arena, hn_arena *scratch, hn_solver_problem *problem,
                               cartesian *self, hn_error *error) {
  const hn_elements *elements = self->base.elements;
  int loops = 0;
  for (int r = 0; r < elements->row_count; r++) loops += problem->soft[r];
  hn_rank_begin(&self->base, elements->row_count, loops);
  if (loops == 0) return HN_OK;
  self->geometry_values = HN_TAKE(arena, double, 9 * problem->bodies);
  self->small = HN_TAKE(arena, unsigned char, elements->row_count);
  if (arena->failed) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_geometric_mass(elements->model, self->geometry_values);
  problem->mass = self->geometry_values;
  problem->soft_epsilon = HN_RANK_EPSILON;
  hn_status status =
      choose_and_create(arena, scratch, problem, "augmented", &self->geometry, error);
  if (status == HN_OK) hn_solver_expect_small(self->geometry, 1); // it is asked for pivots only
  return status;
}

// Rows in loops are let go near singular positions; those of tree joints never are.
static hn_status make_solvers(hn_arena *arena, const hn_equations_options *options, cartesian *self,
                              hn_error *error) {
  hn_solver_problem problem;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = hn_cartesian_problem(&scratch, self->base.elements, &problem);
  problem.threads = self->base.threads;
  if (status != HN_OK)
    hn_fail(error, status, NULL, NULL, NULL, "out of memory for the constraints");
  else
    status = choose_and_create(arena, &scratch, &problem, options->linear_solver,
                               &self->base.solver, error);
  if (status == HN_OK) status = make_geometry(arena, &scratch, &problem, self, error);
  hn_arena_release(&scratch);
  return status;
}

static hn_status cartesian_create_with(hn_arena *arena, const hn_elements *elements,
                                       const hn_equations_options *options,
                                       hn_equations **equations, hn_error *error) {
  cartesian *self = HN_TAKE(arena, cartesian, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  int bodies = elements->model->body_count - 1, rows = elements->row_count;
  self->base = (hn_equations){.type = &hn_cartesian,
                              .model = elements->model,
                              .elements = elements,
                              .nq = 7 * bodies,
                              .nu = 6 * bodies,
                              .normalizations = bodies,
                              .threads = options->threads};
  self->m_values = HN_TAKE(arena, double, 9 * bodies);
  self->b = HN_TAKE(arena, double, self->base.nu);
  self->step = HN_TAKE(arena, double, self->base.nu);
  self->wrench = HN_TAKE(arena, hn_wrench, elements->model->force_count > 0 ? bodies + 1 : 0);
  self->factored_q = HN_TAKE(arena, double, self->base.nq);
  self->base.redundant_size = rows + bodies;
  self->base.redundant = HN_TAKE(arena, unsigned char, self->base.redundant_size);
  if (arena->failed || hn_cartesian_rows_create(arena, elements, &self->base.rows) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for %d bodies with %d constraint rows", bodies, rows);
  self->rows = self->base.rows;
  self->wide = hn_block_wide();
  self->arena = arena;
  hn_status status = make_solvers(arena, options, self, error);
  if (status != HN_OK) return status;
  self->frames = hn_solver_room(self->base.solver, ((size_t)bodies + 1) * sizeof(hn_frame));
  if (!self->frames) self->frames = HN_TAKE(arena, hn_frame, bodies + 1);
  if (!self->frames) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  *equations = &self->base;
  return HN_OK;
}

static hn_status cartesian_create(hn_arena *arena, const hn_elements *elements,
                                  hn_equations **equations, hn_error *error) {
  const hn_equations_options options = {.linear_solver = "auto"};
  return cartesian_create_with(arena, elements, &options, equations, error);
}

// ---- q and frames -------------------------------------------------------------------------------

static void cartesian_initial(const hn_equations *equations, double *q, double *qd) {
  const hn_model *model = equations->model;
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *def = &model->bodies[b];
    hn_quat pd = quat_scale(0.5, euler_e_transposed(def->orientation, def->angular_velocity));
    vec3_store(&q[7 * (b - 1)], def->position);
    quat_store(&q[7 * (b - 1) + 3], def->orientation);
    vec3_store(&qd[7 * (b - 1)], def->velocity);
    quat_store(&qd[7 * (b - 1) + 3], pd);
  }
}

// Within a step p may leave unit length; the pose is that of p/|p|, so bodies stay rigid.
static inline void frame_of(const double *q, const double *qd, hn_frame *f) {
  hn_quat raw = quat_load(q + 3);
  double scale = 1 / sqrt(quat_dot(raw, raw));
  f->r = vec3_load(q);
  f->v = vec3_load(qd);
  f->p = quat_scale(scale, raw);
  f->a = quat_matrix(f->p);
  f->w = vec3_scale(2 * scale, euler_e_apply(f->p, quat_load(qd + 3)));
  f->pd = quat_scale(0.5, euler_e_transposed(f->p, f->w));
}

static hn_frame frame_of_ground(void) {
  return (hn_frame){.a = mat3_identity(), .p = quat_identity()};
}

static void cartesian_frames(const hn_equations *equations, const double *q, const double *qd,
                             hn_frame *frames) {
  frames[0] = frame_of_ground();
  for (int b = 1; b < equations->model->body_count; b++)
    frame_of(&q[7 * (b - 1)], &qd[7 * (b - 1)], &frames[b]);
}

static void cartesian_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                                  double *qd) {
  for (int b = 1; b < equations->model->body_count; b++) {
    const hn_frame *f = &frames[b];
    vec3_store(&q[7 * (b - 1)], f->r);
    quat_store(&q[7 * (b - 1) + 3], f->p);
    vec3_store(&qd[7 * (b - 1)], f->v);
    quat_store(&qd[7 * (b - 1) + 3], quat_scale(0.5, euler_e_transposed(f->p, f->w)));
  }
}

// Linear and angular velocities; p of any length, as in cartesian_frames.
static void cartesian_speeds(const hn_equations *equations, const double *q, const double *qd,
                             double *u) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_vec3 w = vec3_scale(2 / quat_dot(p, p), euler_e_apply(p, quat_load(&qd[7 * b + 3])));
    memcpy(&u[6 * b], &qd[7 * b], 3 * sizeof(double));
    vec3_store(&u[6 * b + 3], w);
  }
}

static void cartesian_rates(const hn_equations *equations, const double *q, const double *u,
                            double *qd) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_quat pd = quat_scale(0.5, euler_e_transposed(p, vec3_load(&u[6 * b + 3])));
    memcpy(&qd[7 * b], &u[6 * b], 3 * sizeof(double));
    quat_store(&qd[7 * b + 3], pd);
  }
}

static void cartesian_translate(const hn_equations *equations, const double *q, hn_vec3 velocity,
                                double *qd) {
  (void)q;
  for (int b = 1; b < equations->model->body_count; b++) {
    vec3_store(&qd[7 * (b - 1)], velocity);
    quat_store(&qd[7 * (b - 1) + 3], (hn_quat){0, 0, 0, 0});
  }
}

// ---- numbers ------------------------------------------------------------------------------------

// Rank in loops at the rows as factored (loop_rank.h).
static void judge_rank(cartesian *self, row_set rows, int may_choose) {
  hn_equations *e = &self->base;
  int holds_all = rows == ALL_ROWS;
  if (!self->is_judged) e->near_singular = 0;
  if (!self->geometry || !hn_rank_is_unusual(e, holds_all, self->small_pivots, may_choose)) return;
  if (!self->is_judged) {
    hn_solver_release(self->geometry, holds_all ? NULL : e->redundant);
    hn_solver_factor(self->geometry, self->geometry_values, self->rows->block);
    self->is_judged = 1;
  }
  if (may_choose &&
      hn_rank_choose(e, hn_solver_small_pivots(self->geometry, HN_REDUNDANT_PIVOT, self->small)))
    memcpy(e->redundant, self->small, (size_t)e->elements->row_count);
  hn_rank_note(e, holds_all, hn_solver_small_pivots(self->geometry, HN_NEAR_PIVOT, NULL));
}

// M and J depend on q only: a factorization made at this very q is still the right one. Right sides are
// there already, and are eliminated on the way.
static hn_status factor(cartesian *self, const double *q, row_set rows) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_rows == rows && memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->is_factored = self->is_judged = self->is_stable = 0;
  hn_solver_release(e->solver, rows == KEPT_ROWS && e->redundant_count > 0 ? e->redundant : NULL);
  hn_solver_expect_small(e->solver, rows == ALL_ROWS && e->redundant_count > 0);
  hn_status status =
      hn_solver_factor_for(e->solver, self->m_values, self->rows->block, self->b, self->rows->tau);
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->is_factored = 1;
  if (self->geometry) self->small_pivots = hn_solver_small_pivots(e->solver, HN_NEAR_PIVOT, NULL);
  judge_rank(self, rows, 0);
  return HN_OK;
}

static hn_status make_stable(cartesian *self) {
  hn_solver_problem problem;
  hn_arena scratch;
  hn_arena_init(&scratch, &self->arena->allocator);
  hn_status status = hn_cartesian_problem(&scratch, self->base.elements, &problem);
  problem.threads = self->base.threads;
  if (status == HN_OK)
    status = hn_solver_create(self->arena, &hn_solver_augmented, &problem, &self->stable, NULL);
  hn_arena_release(&scratch);
  return status;
}

static int is_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += fabs(x[i]);
  return sum <= DBL_MAX;
}

// B squares the condition of J. In a straight chain of 20,000 links that is more than numbers can hold,
// though the whole matrix is sound: then it is factored instead. The solver for that is made at the
// first such state, the only memory an evaluation ever takes; without it the run would end.
static hn_status solve(cartesian *self, hn_solver_report *report) {
  const hn_equations *e = &self->base;
  const double *tau = self->rows->tau;
  if (!self->is_stable) {
    hn_status status = hn_solver_solve(e->solver, self->b, tau, self->x, self->y, report);
    const int is_good = status == HN_OK && !report->is_stalled;
    if (is_good || e->solver->type == &hn_solver_augmented || !is_finite(self->b, e->nu) ||
        !is_finite(tau, e->elements->row_count) ||
        !is_finite(self->rows->block, 6 * self->rows->row_start[e->elements->row_count]))
      return status;
    if (!self->stable && make_stable(self) != HN_OK) return HN_ERROR_MEMORY;
    status = hn_solver_factor(self->stable, self->m_values, self->rows->block);
    if (status != HN_OK) return status;
    self->is_stable = 1;
  }
  return hn_solver_solve(self->stable, self->b, tau, self->x, self->y, report);
}

// ---- accelerations ------------------------------------------------------------------------------

static void right_side(cartesian *self, hn_snapshot *s, int from, int to) {
  const hn_model *model = self->base.model;
  for (int b = from; b < to; b++) {
    const hn_frame *f = &s->frames[b];
    const double *m = &self->m_values[9 * (b - 1)];
    hn_vec3 momentum = {m[3] * f->w.x + m[4] * f->w.y + m[6] * f->w.z,
                        m[4] * f->w.x + m[5] * f->w.y + m[7] * f->w.z,
                        m[6] * f->w.x + m[7] * f->w.y + m[8] * f->w.z};
    hn_vec3 torque = vec3_sub(s->wrench[b].torque, vec3_cross(f->w, momentum));
    vec3_store(&self->b[6 * (b - 1)], s->wrench[b].force);
    vec3_store(&self->b[6 * (b - 1) + 3], torque);
    s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(f->w, momentum));
  }
}

// What a stage is asked for: accelerations of coordinates, multipliers, power.
static void store_stage(cartesian *self, hn_snapshot *s) {
  const hn_elements *elements = self->base.elements;
  for (int b = 0; b < self->base.model->body_count - 1; b++) {
    const double *x = &self->x[6 * b];
    const hn_frame *f = &s->frames[b + 1];
    hn_quat pdd = quat_scale(0.5, euler_e_transposed(f->p, vec3_load(x + 3)));
    pdd = quat_add(pdd, quat_scale(-0.25 * vec3_dot(f->w, f->w), f->p));
    memcpy(&s->qdd[7 * b], x, 3 * sizeof(double));
    quat_store(&s->qdd[7 * b + 3], pdd);
  }
  for (int r = elements->driver_row[0]; r < elements->row_count; r++)
    s->power += self->y[r] * self->rows->time_rate[r]; // drivers: lambda' Phi_t
}

// J x - tau of all rows.
HN_INLINE void find_remainders(int wide, const hn_cartesian_rows *rows, int count, const double *x,
                               double *out) {
  for (int r = 0, k = 0; r < count; r++) {
    hn_lanes sum = {{0, 0, 0, 0, 0, 0}}, block, part;
    for (; k < rows->row_start[r + 1]; k++) {
      lanes_load(wide, 6, &block, &rows->block[6 * k]);
      lanes_load(wide, 6, &part, &x[6 * (rows->body[k] - 1)]);
      lanes_add_product(wide, 6, &sum, &block, &part);
    }
    out[r] = lanes_sum(wide, 6, &sum) - rows->tau[r];
  }
}

HN_VARIANTS(find_remainders,
            (const hn_cartesian_rows *rows, int count, const double *x, double *out),
            (rows, count, x, out))

// The rest of a snapshot.
static void store_rest(cartesian *self, hn_snapshot *s) {
  const hn_cartesian_rows *rows = self->rows;
  const hn_elements *elements = self->base.elements;
  const size_t size = (size_t)elements->row_count * sizeof(double);
  for (int b = 1; b < elements->model->body_count; b++) {
    s->acceleration[b] = vec3_load(&self->x[6 * (b - 1)]);
    s->angular_acceleration[b] = vec3_load(&self->x[6 * (b - 1) + 3]);
  }
  HN_PICK(self->wide, find_remainders)(rows, elements->row_count, self->x, s->phi_acceleration);
  memcpy(s->phi, rows->value, size);
  memcpy(s->phi_rate, rows->rate, size);
  memcpy(s->phi_time_rate, rows->time_rate, size);
}

// A torque about an axis without inertia that no joint holds: names the body whose equations are left
// unsatisfied most.
static hn_status not_determined(cartesian *self, double t, hn_error *error) {
  const hn_model *model = self->base.model;
  double *rest = self->b, most = 0;
  int worst = 1;
  for (int r = 0; r < self->base.elements->row_count; r++)
    for (int k = self->rows->row_start[r]; k < self->rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        rest[6 * (self->rows->body[k] - 1) + i] -= self->rows->block[6 * k + i] * self->y[r];
  for (int b = 1; b < model->body_count; b++) {
    const double *m = &self->m_values[9 * (b - 1)], *x = &self->x[6 * (b - 1)] + 3;
    double *w = &rest[6 * (b - 1) + 3];
    w[0] -= m[3] * x[0] + m[4] * x[1] + m[6] * x[2];
    w[1] -= m[4] * x[0] + m[5] * x[1] + m[7] * x[2];
    w[2] -= m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
    double size = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
    if (size > most) {
      most = size;
      worst = b;
    }
  }
  char name[96];
  return hn_fail(error, HN_ERROR_SINGULAR, &model->bodies[worst].source,
                 hn_text(name, sizeof name, "body '%s'", model->bodies[worst].name),
                 "give it inertia about every axis that can turn, or a joint that holds it",
                 "is turned by %.3g N m about an axis without inertia at t = %g s", most, t);
}

// ---- contradictions -----------------------------------------------------------------------------

// What a row is left with, against the largest term of any row, both in scaled units.
#define CONTRADICTION 1e-6
enum { MOST_NAMES = 3 };

static double scaled_residual(const cartesian *self, const hn_snapshot *s, int row) {
  return fabs(s->phi_acceleration[row]) * hn_solver_row_scale(self->base.solver, row);
}

// Terms of the rows as solved, and as they would be if no joint held the bodies: a machine in balance
// has accelerations of rounding only.
static double largest_term(const cartesian *self) {
  static const int diagonal[6] = {0, 1, 2, 3, 5, 8}; // in the 9 numbers of a body
  double most = 0;
  for (int r = 0; r < self->base.elements->row_count; r++) {
    double sum = fabs(self->rows->tau[r]);
    for (int k = self->rows->row_start[r]; k < self->rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++) {
        int body = self->rows->body[k] - 1;
        double m = self->m_values[9 * body + diagonal[i]], size = fabs(self->x[6 * body + i]);
        if (m > 0) size += fabs(self->b[6 * body + i]) / m;
        sum += fabs(self->rows->block[6 * k + i]) * size;
      }
    most = fmax(most, sum * hn_solver_row_scale(self->base.solver, r));
  }
  return most;
}

static const char *owner_text(const hn_model *model, const hn_row *row, char *text, size_t size) {
  return row->is_driver ? hn_text(text, size, "driver '%s'", model->drivers[row->owner].name)
                        : hn_text(text, size, "joint '%s'", model->joints[row->owner].name);
}

static int same_owner(const hn_row *a, const hn_row *b) {
  return a->owner == b->owner && a->is_driver == b->is_driver;
}

// At the best compromise what is left lies along the dependency of the rows itself: it names those
// that take part in it. Drivers, which can be chosen, come before joints.
static hn_status contradiction(const cartesian *self, const hn_snapshot *s, double most,
                               hn_error *error) {
  const hn_elements *elements = self->base.elements;
  const hn_model *model = elements->model;
  const hn_row *first = NULL, *last = NULL;
  double gap = 0;
  char names[256] = "", name[96];
  int count = 0;
  for (int k = 2 * elements->row_count - 1; k >= 0 && count < MOST_NAMES; k--) {
    int r = k % elements->row_count, drivers = k >= elements->row_count;
    const hn_row *row = &elements->rows[r];
    if (row->is_driver != drivers || scaled_residual(self, s, r) < 0.1 * most) continue;
    if (first && (same_owner(row, first) || same_owner(row, last))) continue;
    if (!first) {
      first = row;
      gap = fabs(s->phi_acceleration[r]);
    } else {
      size_t used = strlen(names);
      hn_text(names + used, sizeof names - used, "%s%s", count++ > 0 ? ", " : "",
              owner_text(model, row, name, sizeof name));
    }
    last = row;
  }
  const hn_source *source =
      first->is_driver ? &model->drivers[first->owner].source : &model->joints[first->owner].source;
  return hn_fail(error, HN_ERROR_INCONSISTENT, source, owner_text(model, first, name, sizeof name),
                 "no motion satisfies them together: take one of them out, or make them agree",
                 "contradicts %s at t = %g s: accelerations differ by %.3g (SI)",
                 count > 0 ? names : "its own rows", s->t, gap);
}

// Rows that depend on others must agree with them; near a singular position they are let go instead.
static hn_status check_rows(const cartesian *self, const hn_snapshot *s, hn_error *error) {
  const hn_equations *e = &self->base;
  double most = 0;
  if (e->redundant_count == 0 || e->near_singular) return HN_OK;
  for (int r = 0; r < e->elements->row_count; r++) most = fmax(most, scaled_residual(self, s, r));
  if (most <= CONTRADICTION * largest_term(self)) return HN_OK;
  return contradiction(self, s, most, error);
}

// Frames, masses, weights and rows: bodies and the joints between them go together, while they are in
// the cache. Right sides too, unless forces are still to come.
static hn_status describe(cartesian *self, double t, const double *q, const double *qd,
                          const hn_branches *branches, row_set rows, hn_snapshot *s,
                          hn_error *error) {
  enum { TOGETHER = 64 };
  hn_equations *e = &self->base;
  const int bodies = e->model->body_count, is_free = e->model->force_count == 0;
  s->frames[0] = frame_of_ground();
  s->wrench[0] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  s->potential = s->power = s->kinetic = 0;
  for (int from = 1, to, joint = 0; from <= bodies; from = to) {
    to = from + TOGETHER < bodies ? from + TOGETHER : bodies;
    for (int b = from; b < to; b++) {
      frame_of(&q[7 * (b - 1)], &qd[7 * (b - 1)], &s->frames[b]);
      hn_cartesian_mass_of(e->model, b, &s->frames[b], &self->m_values[9 * (b - 1)]);
    }
    hn_apply_weights(e, s, from, to);
    if (is_free) right_side(self, s, from, to);
    joint = hn_cartesian_evaluate_ready(e, t, s->frames, branches, rows == KEPT_ROWS, joint, to);
    if (to == bodies) break;
  }
  if (is_free) return HN_OK;
  hn_status status = hn_apply_elements(e, t, branches, s, error);
  if (status == HN_OK) right_side(self, s, 1, bodies);
  return status;
}

static hn_status evaluate_with(cartesian *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, row_set rows, hn_snapshot *snapshot,
                               hn_error *error) {
  hn_equations *equations = &self->base;
  equations->evaluations++;
  snapshot->t = t;
  hn_status status = describe(self, t, q, qd, branches, rows, snapshot, error);
  if (status != HN_OK) return status;
  self->x = snapshot->ud; // the solution goes where it belongs
  self->y = snapshot->lambda;
  status = factor(self, q, rows);
  if (status == HN_OK && rows == ALL_ROWS && !equations->keep_redundant) judge_rank(self, rows, 1);
  hn_solver_report report = {.refinements = 0};
  if (status == HN_OK) status = solve(self, &report);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "look at forces and positions just before this time",
                   "accelerations are not finite at t = %g s", t);
  if (report.residual_x > 1e-4) return not_determined(self, t, error);
  store_stage(self, snapshot);
  if (rows == KEPT_ROWS) return HN_OK;
  store_rest(self, snapshot);
  return check_rows(self, snapshot, error);
}

static hn_status cartesian_evaluate(hn_equations *equations, double t, const double *q,
                                    const double *qd, const hn_branches *branches,
                                    hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((cartesian *)equations, t, q, qd, branches, ALL_ROWS, snapshot, error);
}

static hn_status cartesian_evaluate_stage(hn_equations *equations, double t, const double *q,
                                          const double *qd, const hn_branches *branches,
                                          hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((cartesian *)equations, t, q, qd, branches, KEPT_ROWS, snapshot, error);
}

static hn_status cartesian_power(hn_equations *equations, double t, const double *q,
                                 const double *qd, const double *lambda,
                                 const hn_branches *branches, double *power) {
  cartesian *self = (cartesian *)equations;
  cartesian_frames(equations, q, qd, self->frames);
  return hn_power_at(equations, t, self->frames, lambda, branches, self->wrench, power);
}

// ---- projections --------------------------------------------------------------------------------

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

static void normalize_all(const hn_equations *equations, double *q) {
  for (int b = 1; b < equations->model->body_count; b++)
    quat_store(&q[7 * (b - 1) + 3], quat_unit(quat_load(&q[7 * (b - 1) + 3])));
}

// r += dr, p <- (p + E' dpi / 2) / |.|
static void move(const hn_equations *equations, const double *x, double *q) {
  for (int b = 1; b < equations->model->body_count; b++) {
    double *qb = &q[7 * (b - 1)];
    const double *xb = &x[6 * (b - 1)];
    hn_quat p = quat_load(qb + 3);
    hn_quat dp = quat_scale(0.5, euler_e_transposed(p, vec3_load(xb + 3)));
    for (int i = 0; i < 3; i++) qb[i] += xb[i];
    quat_store(qb + 3, quat_unit(quat_add(p, dp)));
  }
}

// Solutions of projections; what the rows were is not looked at any more.
static void use_room(cartesian *self) {
  self->x = self->step;
  self->y = self->rows->value;
}

enum { POSITION_ITERATIONS = 10 };

// Newton's method down to rounding level: near a singular position what is left of Phi is divided by
// a small number, so a little less is much better. Rows that are let go there are not waited for.
static hn_status cartesian_project_positions(hn_equations *equations, double t, double *q,
                                             const hn_branches *branches, double tolerance,
                                             double *correction) {
  cartesian *self = (cartesian *)equations;
  int rows = equations->elements->row_count;
  use_room(self);
  memcpy(correction, q, (size_t)equations->nq * sizeof(double));
  memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  normalize_all(equations, q);
  double gap = HUGE_VAL, before = HUGE_VAL;
  hn_solver_report report;
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    cartesian_frames(equations, q, q, self->frames); // velocities are not looked at
    hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
    gap = largest(self->rows->value, rows);
    if (gap <= 0.01 * tolerance || !(gap <= 0.5 * before)) break;
    before = gap;
    for (int r = 0; r < rows; r++) self->rows->tau[r] = -self->rows->value[r]; // in its place
    hn_cartesian_mass(equations->model, self->frames, self->m_values);
    if (factor(self, q, ALL_ROWS) != HN_OK) break;
    if (solve(self, &report) != HN_OK) break;
    move(equations, self->x, q);
  }
  for (int i = 0; i < equations->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

static hn_status cartesian_project_velocities(hn_equations *equations, double t, const double *q,
                                              double *qd, const hn_branches *branches,
                                              double *correction) {
  cartesian *self = (cartesian *)equations;
  int rows = equations->elements->row_count;
  hn_solver_report report;
  use_room(self);
  memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  cartesian_frames(equations, q, qd, self->frames);
  hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
  for (int r = 0; r < rows; r++) self->rows->tau[r] = -self->rows->rate[r]; // in its place
  hn_cartesian_mass(equations->model, self->frames, self->m_values);
  hn_status status = factor(self, q, ALL_ROWS);
  if (status == HN_OK) status = solve(self, &report);
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int b = 1; b < equations->model->body_count; b++) {
    double *qdb = &qd[7 * (b - 1)], *cb = &correction[7 * (b - 1)];
    const double *x = &self->x[6 * (b - 1)];
    hn_frame f;
    frame_of(&q[7 * (b - 1)], qdb, &f);
    for (int i = 0; i < 7; i++) cb[i] = qdb[i];
    for (int i = 0; i < 3; i++) qdb[i] += x[i];
    hn_vec3 w = vec3_add(f.w, vec3_load(x + 3));
    quat_store(qdb + 3, quat_scale(0.5, euler_e_transposed(f.p, w)));
    for (int i = 0; i < 7; i++) cb[i] = qdb[i] - cb[i];
  }
  return HN_OK;
}

const hn_equations_type hn_cartesian = {
    .name = "cartesian",
    .create = cartesian_create,
    .create_with = cartesian_create_with,
    .initial = cartesian_initial,
    .frames = cartesian_frames,
    .from_frames = cartesian_from_frames,
    .speeds = cartesian_speeds,
    .rates = cartesian_rates,
    .translate = cartesian_translate,
    .evaluate = cartesian_evaluate,
    .evaluate_stage = cartesian_evaluate_stage,
    .power = cartesian_power,
    .project_positions = cartesian_project_positions,
    .project_velocities = cartesian_project_velocities,
    .tangent_create = hn_cartesian_tangent_create,
};
