// KLU of SuiteSparse on the whole scaled and regularized matrix P (solver_system.h): permuted to block
// triangular form and ordered by AMD once, factored once with pivoting, then refactored with the same
// pivots.
//
// KLU takes its memory by itself. What it made is copied into the arena, so that a solver needs no
// destructor and takes no memory after the first factorization; only where old pivots have become bad
// KLU is asked to choose new ones, which it does with memory of its own. A yardstick.
#include "linalg/solver_system.h"

#if HOLON_WITH_SUITESPARSE

#include <klu.h>
#include <math.h>
#include <string.h>

#define WORST_RCOND 1e-14 // smallest over largest pivot, below which pivots are chosen anew

// Memory of one part of KLU's objects, in the arena.
typedef struct piece {
  void *data;
  size_t capacity;
} piece;

enum {
  PNUM,
  PINV,
  LIP,
  UIP,
  LLEN,
  ULEN,
  LUBX,
  LUSIZE,
  BLOCKS,
  UDIAG,
  WORK,
  OFFP,
  OFFI,
  OFFX,
  PIECES
};

typedef struct klu {
  hn_solver base;
  hn_arena *arena; // for the first factorization
  hn_system system;
  int n;
  int *column_start, *row; // P by columns
  double *values;
  int *m_at;         // where the 12 numbers of M of a body go
  int *j_at, *jt_at; // where each number of J goes, twice
  int *e_at;         // where -epsilon of a row goes (rows)
  double *x;         // right side without padding (n)
  double *pivot;     // sizes of the pivots of columns (n)
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric numeric;
  int is_factored;
  piece pieces[PIECES];
} klu;

// M of a body has its 3 masses, then the 3 x 3 inertia by columns; from the 9 numbers of the system.
static const int m_source[12] = {0, 1, 2, 3, 4, 6, 4, 5, 7, 6, 7, 8};
static const int m_row[12] = {0, 1, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5};
static const int m_column[12] = {0, 1, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5};

// ---- pattern ------------------------------------------------------------------------------------

// One entry of P: counted at first, then placed. Returns its place.
static int put(klu *self, int pass, int row, int column) {
  if (pass == 0) {
    self->column_start[column + 2]++;
    return 0;
  }
  int at = self->column_start[column + 1]++;
  self->row[at] = row;
  return at;
}

static void place_entries(klu *self, int pass) {
  const hn_system *s = &self->system;
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 12; i++)
      self->m_at[12 * b + i] = put(self, pass, 6 * b + m_row[i], 6 * b + m_column[i]);
  for (int r = 0, at = 0; r < s->rows; r++) {
    const int k = hn_node_of_row(s, r);
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++)
      for (int i = 0; i < 6; i++, at++) {
        int column = 6 * s->panel_body[p] + i, row = s->x_size + r;
        self->j_at[at] = put(self, pass, row, column);
        self->jt_at[at] = put(self, pass, column, row);
      }
    self->e_at[r] = put(self, pass, s->x_size + r, s->x_size + r);
  }
}

static hn_status make_pattern(hn_arena *arena, klu *self) {
  const hn_system *s = &self->system;
  int blocks = 0;
  for (int k = 0; k < s->nodes; k++)
    blocks += s->node_size[k] * (s->panel_start[k + 1] - s->panel_start[k]);
  const int entries = 12 * s->bodies + 12 * blocks + s->rows;
  self->n = s->x_size + s->rows;
  self->column_start = HN_TAKE(arena, int, self->n + 2);
  self->row = HN_TAKE(arena, int, entries);
  self->values = HN_TAKE(arena, double, entries);
  self->m_at = HN_TAKE(arena, int, 12 * s->bodies);
  self->j_at = HN_TAKE(arena, int, 6 * blocks);
  self->jt_at = HN_TAKE(arena, int, 6 * blocks);
  self->e_at = HN_TAKE(arena, int, s->rows);
  self->x = HN_TAKE(arena, double, self->n);
  self->pivot = HN_TAKE(arena, double, self->n);
  if (arena->failed) return HN_ERROR_MEMORY;
  place_entries(self, 0);
  for (int j = 0; j < self->n; j++) self->column_start[j + 2] += self->column_start[j + 1];
  place_entries(self, 1);
  return HN_OK;
}

// ---- KLU's objects ------------------------------------------------------------------------------

static hn_status keep_symbolic(hn_arena *arena, klu *self, const klu_symbolic *from) {
  size_t n = (size_t)from->n;
  klu_symbolic *copy = hn_arena_copy(arena, from, 1, sizeof *from);
  if (!copy) return HN_ERROR_MEMORY;
  copy->P = hn_arena_copy(arena, from->P, n, sizeof(int));
  copy->Q = hn_arena_copy(arena, from->Q, n, sizeof(int));
  copy->R = hn_arena_copy(arena, from->R, n + 1, sizeof(int));
  copy->Lnz = hn_arena_copy(arena, from->Lnz, n, sizeof(double));
  self->symbolic = copy;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void *keep(klu *self, int which, const void *data, size_t bytes) {
  piece *p = &self->pieces[which];
  if (p->capacity < bytes) {
    *p = (piece){hn_arena_take(self->arena, bytes + bytes / 8, 1), bytes + bytes / 8};
    if (!p->data) return NULL;
  }
  if (data && bytes > 0) memcpy(p->data, data, bytes);
  return p->data;
}

// Of a block of one number there are no factors, and KLU does not set their size.
static size_t block_units(const klu_numeric *numeric, size_t block) {
  return numeric->LUbx[block] ? numeric->LUsize[block] : 0;
}

static hn_status keep_numeric(klu *self, const klu_numeric *from) {
  const size_t n = (size_t)from->n, blocks = (size_t)from->nblocks, ints = n * sizeof(int);
  const size_t off = (size_t)from->nzoff + 1;
  size_t units = 0;
  klu_numeric *to = &self->numeric;
  *to = *from;
  to->Pnum = keep(self, PNUM, from->Pnum, ints);
  to->Pinv = keep(self, PINV, from->Pinv, ints);
  to->Lip = keep(self, LIP, from->Lip, ints);
  to->Uip = keep(self, UIP, from->Uip, ints);
  to->Llen = keep(self, LLEN, from->Llen, ints);
  to->Ulen = keep(self, ULEN, from->Ulen, ints);
  to->LUsize = keep(self, LUSIZE, NULL, blocks * sizeof(size_t));
  to->LUbx = keep(self, LUBX, NULL, blocks * sizeof(void *));
  to->Udiag = keep(self, UDIAG, from->Udiag, n * sizeof(double));
  to->Work = keep(self, WORK, from->Work, from->worksize);
  to->Offp = keep(self, OFFP, from->Offp, (n + 1) * sizeof(int));
  to->Offi = keep(self, OFFI, from->Offi, off * sizeof(int));
  to->Offx = keep(self, OFFX, from->Offx, off * sizeof(double));
  for (size_t b = 0; b < blocks; b++) units += block_units(from, b);
  double *factors = keep(self, BLOCKS, NULL, units * sizeof(double));
  if (self->arena->failed) return HN_ERROR_MEMORY;
  to->Xwork = (char *)to->Work + ((const char *)from->Xwork - (const char *)from->Work);
  to->Iwork =
      (int *)(void *)((char *)to->Work + ((const char *)from->Iwork - (const char *)from->Work));
  for (size_t b = 0; b < blocks; b++) {
    to->LUsize[b] = block_units(from, b);
    if (to->LUsize[b] > 0) memcpy(factors, from->LUbx[b], to->LUsize[b] * sizeof(double));
    to->LUbx[b] = factors;
    factors += to->LUsize[b];
  }
  return HN_OK;
}

static hn_status choose_pivots(klu *self) {
  klu_common *common = &self->common;
  klu_numeric *made =
      klu_factor(self->column_start, self->row, self->values, self->symbolic, common);
  if (!made) return common->status == KLU_OUT_OF_MEMORY ? HN_ERROR_MEMORY : HN_ERROR_SINGULAR;
  hn_status status = keep_numeric(self, made);
  if (klu_flops(self->symbolic, made, common)) self->base.operations = common->flops / 2;
  klu_free_numeric(&made, common);
  self->is_factored = status == HN_OK;
  return status;
}

// ---- the solver ---------------------------------------------------------------------------------

static hn_status create(hn_arena *arena, const hn_solver_problem *problem, klu *self) {
  hn_arena scratch;
  hn_nodes *nodes;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = hn_nodes_create(&scratch, problem, &nodes);
  if (status == HN_OK)
    status = hn_system_create(arena, problem, nodes, NULL, 0, 0, HN_SYSTEM_EPSILON,
                              &self->system); // on the diagonal, which pivots shall stay on
  hn_arena_release(&scratch);
  if (status == HN_OK) status = make_pattern(arena, self);
  if (status != HN_OK) return status;
  klu_defaults(&self->common);
  self->common.scale = -1; // P is scaled
  klu_symbolic *made = klu_analyze(self->n, self->column_start, self->row, &self->common);
  if (!made) return HN_ERROR_MEMORY;
  status = keep_symbolic(arena, self, made);
  klu_free_symbolic(&made, &self->common);
  return status;
}

static hn_status klu_create(hn_arena *arena, const hn_solver_problem *problem, hn_solver **solver) {
  klu *self = HN_TAKE(arena, klu, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->arena = arena;
  hn_status status = create(arena, problem, self);
  if (status != HN_OK) return status;
  self->base = hn_system_solver(&self->system, &hn_solver_klu, 0); // not known before it pivots
  *solver = &self->base;
  return HN_OK;
}

// Rows and columns in units of R and D.
static void load_values(klu *self) {
  const hn_system *s = &self->system;
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 12; i++) {
      const double unit = s->d[6 * b + m_row[i]] * s->d[6 * b + m_column[i]];
      self->values[self->m_at[12 * b + i]] =
          s->m[9 * b + m_source[i]] * unit + (m_row[i] == m_column[i] ? s->rho : 0);
    }
  for (int r = 0, at = 0; r < s->rows; r++) {
    const int k = hn_node_of_row(s, r), a = s->row_y[r] - s->y_at[k];
    const double unit = s->r[s->row_y[r]];
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
      const double *j = hn_panel(s, p) + a * s->node_step[k], *d = &s->d[6 * s->panel_body[p]];
      for (int i = 0; i < 6; i++, at++)
        self->values[self->j_at[at]] = self->values[self->jt_at[at]] = j[i] * unit * d[i];
    }
    self->values[self->e_at[r]] = -s->epsilon[s->row_y[r]];
  }
}

static hn_status klu_factor_numbers(hn_solver *solver, const double *mass, const double *blocks) {
  klu *self = (klu *)solver;
  klu_common *common = &self->common;
  hn_system_load(&self->system, mass, blocks);
  load_values(self);
  int again = !self->is_factored;
  if (!again)
    again = !klu_refactor(self->column_start, self->row, self->values, self->symbolic,
                          &self->numeric, common) ||
            !klu_rcond(self->symbolic, &self->numeric, common) || !(common->rcond > WORST_RCOND);
  hn_status status = again ? choose_pivots(self) : HN_OK;
  const double *diagonal = self->numeric.Udiag;
  for (int k = 0; status == HN_OK && k < self->n; k++)
    self->pivot[self->symbolic->Q[k]] = fabs(diagonal[k]);
  return status;
}

static void apply_inverse(void *solver, const double *b, double *x, double *y) {
  klu *self = solver;
  const hn_system *s = &self->system;
  double *w = self->x;
  const size_t size = (size_t)s->x_size * sizeof(double);
  for (int i = 0; i < s->x_size; i++) w[i] = b ? b[i] * s->d[i] : 0;
  for (int r = 0; r < s->rows; r++) w[s->x_size + r] = y[s->row_y[r]] * s->r[s->row_y[r]];
  klu_solve(self->symbolic, &self->numeric, self->n, 1, w, &self->common);
  if (b)
    memcpy(s->rest, b, size);
  else
    memset(s->rest, 0, size);
  for (int i = 0; i < s->x_size; i++) x[i] = w[i] * s->d[i];
  for (int r = 0; r < s->rows; r++) y[s->row_y[r]] = w[s->x_size + r] * s->r[s->row_y[r]];
  hn_system_subtract(s, y, s->rest);
}

static const hn_system_inverse steps = {.apply = apply_inverse};

static hn_status klu_solve_system(hn_solver *solver, const double *b, const double *c, double *x,
                                  double *y, hn_solver_report *report) {
  klu *self = (klu *)solver;
  return hn_system_solve(&self->system, &steps, self, b, c, x, y, report);
}

static double klu_pivot(const hn_solver *solver, int row) {
  const klu *self = (const klu *)solver;
  return self->pivot[self->system.x_size + row];
}

const hn_solver_type hn_solver_klu = {
    .name = "klu",
    .create = klu_create,
    .factor = klu_factor_numbers,
    .solve = klu_solve_system,
    .pivot = klu_pivot,
};

#else
typedef int hn_solver_klu_is_not_built; // a file is never empty
#endif
