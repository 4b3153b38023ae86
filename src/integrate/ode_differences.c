// The model as an ODE in all its coordinates (ode.h) without derivatives: over components, some of
// which are sealed or remote. f_y and f_y' are differences of accelerations, a column each, and S =
// 1 - g f_y' - g^2 f_y is a dense matrix. Accelerations of a part have the same bits whether it is
// open, sealed or remote; so have all results of them.
//
// The matrix only serves an iteration and the filter of errors: its own errors cost no accuracy.
#include <math.h>
#include <string.h>

#include "integrate/differences.h"
#include "integrate/ode.h"
#include "linalg/rank.h"

// Matrices are dense: 26 MB at the most.
enum { MOST_COORDINATES = 1050 };
// Differences: what rounding leaves of accelerations over what these steps change.
#define SHIFT 1e-7
#define SHIFT_RATE 1e-6

typedef struct differences_ode {
  hn_ode base;
  double *f_y, *f_yd; // (n x n), by columns
  double *f_t;        // (n)
  double *factor;     // of S (n x n)
  int *pivots;
  double *q, *qd, *f; // work (n)
} differences_ode;

static hn_method *method_of(const hn_ode *ode) { return ode->implicit->method; }

// ---- derivatives --------------------------------------------------------------------------------

// out = (f(t, q, qd) - f) / shift, of the work vectors.
static hn_status find_column(differences_ode *self, double t, const hn_branches *branches,
                             double shift, double *out, hn_error *error) {
  hn_equations *e = method_of(&self->base)->equations;
  hn_status status =
      e->type->evaluate_stage(e, t, self->q, self->qd, branches, self->base.stage, error);
  for (int i = 0; status == HN_OK && i < self->base.n; i++)
    out[i] = (self->base.stage->qdd[i] - self->f[i]) / shift;
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

static hn_status find_columns(differences_ode *self, double t, const hn_branches *branches,
                              hn_error *error) {
  const size_t n = (size_t)self->base.n;
  hn_status status = HN_OK;
  for (size_t j = 0; j < n && status == HN_OK; j++) {
    double before = self->q[j];
    self->q[j] = hn_shifted(before, SHIFT);
    status = find_column(self, t, branches, self->q[j] - before, &self->f_y[j * n], error);
    self->q[j] = before;
  }
  for (size_t j = 0; j < n && status == HN_OK; j++) {
    double before = self->qd[j];
    self->qd[j] = hn_shifted(before, SHIFT_RATE);
    status = find_column(self, t, branches, self->qd[j] - before, &self->f_yd[j * n], error);
    self->qd[j] = before;
  }
  return status;
}

static hn_status make_at(differences_ode *self, double t, const double *q, const double *qd,
                         const hn_branches *branches, hn_error *error) {
  hn_ode *ode = &self->base;
  hn_equations *e = method_of(ode)->equations;
  size_t size = (size_t)ode->n * sizeof(double);
  memcpy(self->q, q, size);
  memcpy(self->qd, qd, size);
  hn_status status = e->type->evaluate_stage(e, t, q, qd, branches, ode->stage, error);
  memcpy(self->f, ode->stage->qdd, size);
  if (status == HN_OK) status = find_columns(self, t, branches, error);
  if (status == HN_OK) {
    double after = hn_shifted(t, SHIFT);
    status = find_column(self, after, branches, after - t, self->f_t, error);
  }
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  ode->implicit->g = (hn_step_numbers){0, 0};
  ode->implicit->has_matrix = ode->implicit->matrix_is_here = 1;
  method_of(ode)->jacobians++;
  return HN_OK;
}

static hn_status make(hn_ode *ode, hn_error *error) {
  const hn_place *p = &ode->implicit->place;
  hn_error local;
  return make_at((differences_ode *)ode, p->t, p->q, p->qd, &p->branches, error ? error : &local);
}

static hn_status renew(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  const hn_method *m = method_of(ode);
  hn_implicit_take_place(ode->implicit, branches);
  return make_at((differences_ode *)ode, m->t, m->q, m->qd, branches, error);
}

// ---- with a step --------------------------------------------------------------------------------

static hn_status factor(hn_ode *ode, double g, int is_again) {
  (void)is_again;
  differences_ode *self = (differences_ode *)ode;
  const size_t n = (size_t)ode->n;
  for (size_t k = 0; k < n * n; k++) self->factor[k] = -g * (self->f_yd[k] + g * self->f_y[k]);
  for (size_t i = 0; i < n; i++) self->factor[i * (n + 1)] += 1;
  ode->implicit->g = hn_first_order_numbers(g);
  return hn_dense_lu_shared(self->factor, ode->n, self->pivots, method_of(ode)->equations->threads)
             ? HN_RETRY
             : HN_OK;
}

// Coordinates are Cartesian, seven a body: stiff directions turn with the bodies since the matrix was
// made.
static void carry(const hn_ode *ode, const double *from, const double *to, double *x) {
  for (int at = 0; at < ode->n; at += 7)
    hn_carry_turn(&from[at + 3], &to[at + 3], ode->implicit->carry, &x[at], &x[at + 3]);
}

static void divide(const hn_ode *ode, double *r) {
  const differences_ode *self = (const differences_ode *)ode;
  hn_dense_lu_solve(self->factor, ode->n, self->pivots, r);
}

static void solve(hn_ode *ode, double *r) {
  const double *there = ode->implicit->place.q;
  carry(ode, ode->q, there, r);
  divide(ode, r);
  carry(ode, there, ode->q, r);
}

// S x2 = r2 + g f_y r1, x1 = r1 + g x2, at position q.
static void filter_at(hn_ode *ode, const double *q, double *r1, double *r2) {
  const differences_ode *self = (const differences_ode *)ode;
  const double *there = ode->implicit->place.q;
  const size_t n = (size_t)ode->n;
  carry(ode, q, there, r1);
  carry(ode, q, there, r2);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < n; i++) r2[i] += ode->implicit->g.v * self->f_y[j * n + i] * r1[j];
  divide(ode, r2);
  for (size_t i = 0; i < n; i++) r1[i] += ode->implicit->g.v * r2[i];
  carry(ode, there, q, r1);
  carry(ode, there, q, r2);
}

static void filter(hn_ode *ode, double *r1, double *r2) {
  filter_at(ode, method_of(ode)->q, r1, r2);
}

static void time_part(hn_ode *ode, double *x) {
  memcpy(x, ((const differences_ode *)ode)->f_t, (size_t)ode->n * sizeof(double));
  divide(ode, x);
}

static double error_norm(hn_ode *ode, double *error1, double *error2,
                         const hn_tolerance *tolerance) {
  filter_at(ode, method_of(ode)->next_q, error1, error2);
  return hn_ode_whole_norm(ode, error1, error2, tolerance);
}

static const hn_ode_matrix differences_matrix = {.renew = renew,
                                                 .make = make,
                                                 .factor = factor,
                                                 .filter = filter,
                                                 .solve = solve,
                                                 .time_part = time_part};

static const hn_ode_type differences_type = {.matrix = &differences_matrix,
                                             .begin = hn_ode_whole_begin,
                                             .evaluate = hn_ode_whole_evaluate,
                                             .complete = hn_ode_whole_complete,
                                             .finish = hn_ode_whole_finish,
                                             .error_norm = error_norm,
                                             .restrict_to = hn_ode_whole_restrict,
                                             .expand = hn_ode_whole_expand};

hn_status hn_ode_create_differences(hn_arena *arena, hn_implicit *implicit, hn_ode **ode) {
  int n = implicit->method->equations->nq;
  if (n > MOST_COORDINATES) return HN_ERROR_UNSUPPORTED;
  differences_ode *self = HN_KEEP(arena, differences_ode, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_status status = hn_ode_take_memory(arena, &self->base, implicit);
  if (status != HN_OK) return status;
  self->base.type = &differences_type;
  self->base.name = "none";
  self->base.has_hidden_power = 1;
  self->base.can_carry = 1;
  self->base.kappa = 1e-2;
  self->base.n = n;
  double **matrices[] = {&self->f_y, &self->f_yd, &self->factor};
  for (int k = 0; k < 3; k++)
    *matrices[k] = hn_arena_keep(arena, (size_t)n * (size_t)n, sizeof(double));
  self->f_t = HN_KEEP(arena, double, n); // goes with the matrices
  double **vectors[] = {&self->q, &self->qd, &self->f};
  for (int k = 0; k < 3; k++) *vectors[k] = HN_WORK(arena, double, n);
  self->pivots = HN_KEEP(arena, int, n);
  *ode = &self->base;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}
