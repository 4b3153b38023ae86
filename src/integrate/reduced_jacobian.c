// Column k of the reduced blocks, with p = P e_k (through P and Z, which methods/state-space.md gives
// for both kinds of independent coordinates):
//
//   q_v = p,   qd_v = j = -Z A p,   qdd_v = l = -Z (P p + 2 A j),   qd_vd = p,   qdd_vd = 2 j
//   Mhat = P' M p,   M1 = P' (C p + 2 M j),   M2 = P' (K p + C j + M l)
//
// A = (Phi_q qd)_q, P = (Phi_q qdd - tau)_q and K, C are blocks of the tangent. J, L, N, R, S of the
// thesis are the dependent rows of j, l, 2 j and Z' of what P' is applied to. Along time, at fixed v and
// vd,
//
//   q_t = -Z Phi_t,   qd_t = -Z (A q_t + Phi_tt),   qdd_t = Z (tau_t - P q_t - 2 A qd_t)
//   Mhat f_t = P' (Q_t - K q_t - C qd_t - M qdd_t)
#include "integrate/reduced_jacobian.h"

#include <string.h>

#include "linalg/block.h"
#include "linalg/rank.h"
#include "linalg/small.h"

// Columns are dealt out to this many tasks, each with memory of its own.
enum { MOST_TASKS = 16 };
// Columns times entries of M, C and K: less is done before another thread has begun.
#define LEAST_WORK 30000

typedef struct column_work {
  double *p, *j, *l; // (n)
  double *f;         // a force (n)
  double *c;         // (rows)
  double *unit;      // (most)
  double *solve;     // for solutions with E
} column_work;

struct hn_reduced_jacobian {
  hn_reduction *reduction;
  hn_tangent *tangent;
  int size, most;
  int tasks;
  column_work work[MOST_TASKS];
  double *mass, *damping, *stiffness; // Mhat, M1, M2 (size x size), by columns
  double *factor;                     // of Pi(g), or its inverse where it is small
  int wide;                           // hn_is_wide()
  int *pivots;
  double *f_t;
  double *b;           // right side of the filter (size)
  hn_threads *threads; // of the last renewal; null: the work is too small for them
  hn_step_numbers g;
  double g_stiff; // g_q / g_v
};

static hn_status take_work(hn_arena *arena, hn_reduced_jacobian *self) {
  int n = self->tangent->n;
  self->tasks = self->most < MOST_TASKS ? self->most : MOST_TASKS;
  if (self->tasks < 1) self->tasks = 1;
  for (int k = 0; k < self->tasks; k++)
    self->work[k] =
        (column_work){.p = HN_KEEP(arena, double, n),
                      .j = HN_KEEP(arena, double, n),
                      .l = HN_KEEP(arena, double, n),
                      .f = HN_KEEP(arena, double, n),
                      .c = HN_KEEP(arena, double, self->tangent->rows),
                      .unit = HN_KEEP(arena, double, self->most),
                      .solve = HN_KEEP(arena, double, hn_reduction_work(self->reduction))};
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_reduced_jacobian_create(hn_arena *arena, hn_reduction *reduction, hn_tangent *tangent,
                                     hn_reduced_jacobian **jacobian) {
  hn_reduced_jacobian *self = HN_KEEP(arena, hn_reduced_jacobian, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->reduction = reduction;
  self->tangent = tangent;
  self->most = hn_reduction_most(reduction);
  size_t entries = (size_t)self->most * (size_t)self->most;
  self->mass = HN_KEEP(arena, double, entries);
  self->damping = HN_KEEP(arena, double, entries);
  self->stiffness = HN_KEEP(arena, double, entries);
  self->factor = hn_arena_keep(arena, entries + 3 * (size_t)self->most, sizeof(double));
  self->wide = hn_is_wide();
  self->pivots = HN_KEEP(arena, int, self->most);
  self->f_t = HN_KEEP(arena, double, self->most);
  self->b = HN_KEEP(arena, double, self->most);
  hn_status status = take_work(arena, self);
  if (status == HN_OK) *jacobian = self;
  return status;
}

// ---- blocks -------------------------------------------------------------------------------------

static void zero(double *x, int n) { memset(x, 0, (size_t)n * sizeof(double)); }

static void find_column(const hn_reduced_jacobian *self, column_work *w, int k) {
  const hn_reduction *e = self->reduction;
  const hn_tangent *t = self->tangent;
  size_t at = (size_t)k * (size_t)self->size;
  zero(w->unit, self->size);
  w->unit[k] = 1;
  hn_reduction_solve(e, NULL, w->unit, w->p, w->solve);

  zero(w->c, t->rows);
  hn_sparse_add_product(&t->phi_v, -1, w->p, w->c);
  hn_reduction_solve(e, w->c, NULL, w->j, w->solve);

  zero(w->c, t->rows);
  hn_sparse_add_product(&t->phi_dd, -1, w->p, w->c);
  hn_sparse_add_product(&t->phi_v, -2, w->j, w->c);
  hn_reduction_solve(e, w->c, NULL, w->l, w->solve);

  zero(w->f, t->n);
  hn_sparse_add_product(&t->mass, 1, w->p, w->f);
  hn_reduction_solve_transposed(e, w->f, NULL, &self->mass[at], w->solve);

  zero(w->f, t->n);
  hn_sparse_add_product(&t->damping, 1, w->p, w->f);
  hn_sparse_add_product(&t->mass, 2, w->j, w->f);
  hn_reduction_solve_transposed(e, w->f, NULL, &self->damping[at], w->solve);

  zero(w->f, t->n);
  hn_sparse_add_product(&t->stiffness, 1, w->p, w->f);
  hn_sparse_add_product(&t->damping, 1, w->j, w->f);
  hn_sparse_add_product(&t->mass, 1, w->l, w->f);
  hn_reduction_solve_transposed(e, w->f, NULL, &self->stiffness[at], w->solve);
}

static void find_columns(void *context, int task) {
  hn_reduced_jacobian *self = context;
  for (int k = task; k < self->size; k += self->tasks) find_column(self, &self->work[task], k);
}

static void find_f_t(hn_reduced_jacobian *self) {
  const hn_reduction *e = self->reduction;
  const hn_tangent *t = self->tangent;
  column_work *w = &self->work[0];
  double *q_t = w->p, *qd_t = w->j, *qdd_t = w->l;
  for (int r = 0; r < t->rows; r++) w->c[r] = -t->phi_t[r];
  hn_reduction_solve(e, w->c, NULL, q_t, w->solve);

  for (int r = 0; r < t->rows; r++) w->c[r] = -t->phi_tt[r];
  hn_sparse_add_product(&t->phi_v, -1, q_t, w->c);
  hn_reduction_solve(e, w->c, NULL, qd_t, w->solve);

  memcpy(w->c, t->tau_t, (size_t)t->rows * sizeof(double));
  hn_sparse_add_product(&t->phi_dd, -1, q_t, w->c);
  hn_sparse_add_product(&t->phi_v, -2, qd_t, w->c);
  hn_reduction_solve(e, w->c, NULL, qdd_t, w->solve);

  memcpy(w->f, t->q_t, (size_t)t->n * sizeof(double));
  hn_sparse_add_product(&t->stiffness, -1, q_t, w->f);
  hn_sparse_add_product(&t->damping, -1, qd_t, w->f);
  hn_sparse_add_product(&t->mass, -1, qdd_t, w->f);
  hn_reduction_solve_transposed(e, w->f, NULL, self->f_t, w->solve);
}

hn_status hn_reduced_jacobian_renew(hn_reduced_jacobian *self, const double *qd,
                                    hn_threads *threads) {
  (void)qd; // A and P of the tangent were made with it
  self->g = (hn_step_numbers){0, 0};
  self->size = hn_reduction_size(self->reduction);
  if (self->size > self->most) return HN_ERROR_SINGULAR;
  const hn_tangent *t = self->tangent;
  double entries = t->mass.start[t->n] + t->damping.start[t->n] + t->stiffness.start[t->n];
  self->threads = self->size * entries >= LEAST_WORK ? threads : NULL;
  int is_serial = hn_reduction_is_serial(self->reduction);
  hn_threads_run(is_serial ? NULL : self->threads, find_columns, self, self->tasks);
  find_f_t(self);
  return HN_OK;
}

// ---- with a step --------------------------------------------------------------------------------

static int is_small(const hn_reduced_jacobian *self) { return self->size <= HN_SMALL; }

hn_status hn_reduced_jacobian_factor(hn_reduced_jacobian *self, hn_step_numbers g) {
  int size = self->size, stride = is_small(self) ? hn_small_stride(size) : size;
  double small[HN_SMALL * HN_SMALL], *matrix = is_small(self) ? small : self->factor;
  for (int j = 0; j < size; j++) {
    size_t from = (size_t)j * (size_t)size;
    const double *mass = &self->mass[from], *damping = &self->damping[from];
    const double *stiffness = &self->stiffness[from];
    double *restrict column = &matrix[(size_t)j * (size_t)stride];
    for (int i = 0; i < size; i++) column[i] = mass[i] + g.v * damping[i] + g.q * stiffness[i];
    for (int i = size; i < stride; i++) column[i] = 0;
  }
  int is_regular = is_small(self)
                       ? hn_small_invert(self->wide, size, matrix, self->factor, NULL) == 0
                       : hn_dense_lu_shared(matrix, size, self->pivots, self->threads) == 0;
  self->g = is_regular ? g : (hn_step_numbers){0, 0};
  self->g_stiff = g.q == g.v * g.v ? g.v : g.q / g.v;
  return is_regular ? HN_OK : HN_ERROR_SINGULAR;
}

void hn_reduced_jacobian_solve(const hn_reduced_jacobian *self, double *x) {
  if (is_small(self))
    hn_small_multiply(self->wide, self->size, self->factor, x);
  else
    hn_dense_lu_solve(self->factor, self->size, self->pivots, x);
}

void hn_reduced_jacobian_multiply(const hn_reduced_jacobian *self, hn_reduced_block block,
                                  const double *x, double *y) {
  const double *blocks[] = {self->mass, self->damping, self->stiffness};
  const int n = self->size;
  zero(y, n);
  for (int j = 0; j < n; j++) {
    const double *column = &blocks[block][(size_t)j * (size_t)n];
    for (int i = 0; i < n; i++) y[i] += column[i] * x[j];
  }
}

void hn_reduced_jacobian_set_column(hn_reduced_jacobian *self, hn_reduced_block block, int j,
                                    const double *x) {
  double *blocks[] = {self->mass, self->damping, self->stiffness};
  hn_reduced_jacobian_multiply(self, HN_REDUCED_MASS, x,
                               &blocks[block][(size_t)j * (size_t)self->size]);
}

void hn_reduced_jacobian_set_f_t(hn_reduced_jacobian *self, const double *x) {
  hn_reduced_jacobian_multiply(self, HN_REDUCED_MASS, x, self->f_t);
}

// Pi x2 = Mhat r2 - (g_q/g_v) M2 r1, then x1 = r1 + g_v x2: the first line of (I - g G) x = r.
void hn_reduced_jacobian_filter(hn_reduced_jacobian *self, double *r1, double *r2) {
  double *b = self->b;
  hn_reduced_jacobian_multiply(self, HN_REDUCED_STIFFNESS, r1, b);
  for (int i = 0; i < self->size; i++) b[i] *= -self->g_stiff;
  for (int j = 0; j < self->size; j++) {
    const double *column = &self->mass[(size_t)j * (size_t)self->size];
    for (int i = 0; i < self->size; i++) b[i] += column[i] * r2[j];
  }
  hn_reduced_jacobian_solve(self, b);
  for (int i = 0; i < self->size; i++) {
    r2[i] = b[i];
    r1[i] += self->g.v * b[i];
  }
}

const double *hn_reduced_jacobian_f_t(const hn_reduced_jacobian *self) { return self->f_t; }
