// Euler parameters out of the unknowns of a stage: see stage_turns.h.
#include "integrate/stage_turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/variants.h"
#include "math/euler.h"

enum { LANES = 4 };

// Three numbers side by side that belong to a turn, in a row of the matrix.
struct hn_stage_triple {
  int first;  // of the entries, or of J
  int row;    // of the matrix
  int turn;   // which
  int growth; // place of its e
};

// Four rows from this one on, in which there are triples of a turn; without one, e is zero.
struct hn_stage_growing {
  int turn, row;
};

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- set-up -------------------------------------------------------------------------------------

hn_status hn_stage_turns_create(hn_arena *arena, const hn_tangent *tangent, hn_stage_turns *self) {
  int row = tangent->rows - tangent->equations->normalizations;
  self->turn = HN_KEEP(arena, hn_turn, tangent->equations->normalizations);
  self->plain_q = HN_TAKE(arena, int, tangent->n);
  self->plain_u = HN_TAKE(arena, int, tangent->n);
  self->wide = hn_is_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int q = 0, u = 0; q < tangent->n;) {
    if (tangent->columns[q] == HN_COLUMN_PARAMETER) {
      self->turn[self->count] = (hn_turn){.q = q, .u = u, .row = row + self->count};
      self->count++;
      q += 4;
      u += 3;
    } else {
      self->plain_q[self->plain_count] = q++;
      self->plain_u[self->plain_count++] = u++;
    }
  }
  return HN_OK;
}

// Rows from `row` on, by entries: the first speed of a turn comes with the other two behind it. Returns
// how many there are; out may be null. turn_of (n): -1 but for first speeds.
static int list_triples(const int *turn_of, int count, const int *start, const int *column, int row,
                        hn_stage_triple *out) {
  int triples = 0;
  for (int i = 0; i < count; i++)
    for (int e = start[i]; e < start[i + 1]; e++) {
      if (turn_of[column[e]] < 0) continue;
      if (out) out[triples] = (hn_stage_triple){e, row + i, turn_of[column[e]], 0};
      triples++;
    }
  return triples;
}

static int compare_triples(const void *left, const void *right) {
  const hn_stage_triple *a = left, *b = right;
  if (a->turn != b->turn) return a->turn < b->turn ? -1 : 1;
  return a->row < b->row ? -1 : a->row > b->row;
}

static void find_growings(hn_stage_turns *self) {
  size_t size = sizeof(hn_stage_triple);
  qsort(self->triple, (size_t)self->triples, size, compare_triples);
  qsort(self->triple + self->triples, (size_t)self->row_triples, size, compare_triples);
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    hn_stage_triple *x = &self->triple[k];
    const hn_stage_growing *last = self->growings > 0 ? &self->growing[self->growings - 1] : NULL;
    int is_near = last && last->turn == x->turn && k != self->triples;
    if (!is_near || x->row >= last->row + LANES)
      self->growing[self->growings++] = (hn_stage_growing){x->turn, x->row};
    int place = self->growings - 1;
    x->growth = LANES * place + x->row - self->growing[place].row;
  }
}

hn_status hn_stage_turns_find(hn_arena *arena, const hn_stage_blocks *b, hn_stage_turns *self) {
  int *turn_of = HN_TAKE(arena, int, b->n);
  if (!turn_of) return HN_ERROR_MEMORY;
  for (int i = 0; i < b->n; i++) turn_of[i] = -1;
  for (int k = 0; k < self->count; k++) turn_of[self->turn[k].u] = k;
  self->triples = list_triples(turn_of, b->n, b->start, b->column, 0, NULL);
  self->row_triples = list_triples(turn_of, b->rows, b->row_start, b->row_index, b->n, NULL);
  self->triple = HN_TAKE(arena, hn_stage_triple, self->triples + self->row_triples);
  self->growing = HN_TAKE(arena, hn_stage_growing, self->triples + self->row_triples);
  if (arena->failed) return HN_ERROR_MEMORY;
  list_triples(turn_of, b->n, b->start, b->column, 0, self->triple);
  list_triples(turn_of, b->rows, b->row_start, b->row_index, b->n, self->triple + self->triples);
  find_growings(self);
  self->growth = HN_KEEP(arena, double, LANES * self->growings);
  self->spin = HN_KEEP(arena, double, LANES * self->growings);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- blocks -------------------------------------------------------------------------------------

// 2 E(p), by which T and -dT are made
static void doubled_e(const double *p, double out[3][4]) {
  double a = 2 * p[0], x = 2 * p[1], y = 2 * p[2], z = 2 * p[3];
  const double e[3][4] = {{-x, a, -z, y}, {-y, z, a, -x}, {-z, -y, x, a}};
  memcpy(out, e, sizeof e);
}

static void keep_turn(hn_turn *turn, const double *p, const double *pd, const double *pdd) {
  double rate[3][4], second[3][4];
  memcpy(turn->p, p, sizeof turn->p);
  doubled_e(p, turn->map);
  doubled_e(pd, rate);
  doubled_e(pdd, second);
  turn->square = dot4(pd, pd);
  for (int i = 0; i < 3; i++) {
    turn->w[i] = dot4(turn->map[i], pd);
    turn->wd[i] = dot4(turn->map[i], pdd);
    for (int j = 0; j < 3; j++) {
      turn->rate[i][j] = -0.25 * dot4(rate[i], turn->map[j]);
      turn->second[i][j] = -0.25 * dot4(second[i], turn->map[j]);
    }
  }
}

// to += a rate + b second, rows of three
static void add_turned(const hn_turn *turn, const double *a, const double *b, double *to) {
  for (int j = 0; j < 3; j++)
    to[j] += a[0] * turn->rate[0][j] + a[1] * turn->rate[1][j] + a[2] * turn->rate[2][j] +
             b[0] * turn->second[0][j] + b[1] * turn->second[1][j] + b[2] * turn->second[2][j];
}

// Terms of w and wd with the growth of p; of wd as pd; if accelerations are functions of q and qd,
// only of w.
static void find_growth(hn_stage_turns *self, const hn_stage_blocks *b) {
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const hn_stage_triple *x = &self->triple[k];
    const hn_turn *turn = &self->turn[x->turn];
    int is_row = k >= self->triples;
    double along = dot3(is_row ? &b->rate[x->first] : &b->c[x->first], turn->w);
    const double *m = is_row ? &b->j[x->first] : &b->m[x->first];
    self->growth[x->growth] = self->is_unit ? -along : -along - dot3(m, turn->wd);
    self->spin[x->growth] = self->is_unit ? 0 : -2 * dot3(m, turn->w);
  }
}

void hn_stage_turns_keep(hn_stage_turns *self, const hn_tangent *tangent,
                         const hn_stage_blocks *b) {
  for (int k = 0; k < self->count; k++) {
    int at = tangent->phi_q.start[self->turn[k].row];
    keep_turn(&self->turn[k], &tangent->phi_q.value[at], &tangent->phi_v.value[at],
              &tangent->phi_dd.value[at]);
  }
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const hn_stage_triple *x = &self->triple[k];
    const hn_turn *turn = &self->turn[x->turn];
    int first = x->first;
    if (k < self->triples)
      add_turned(turn, &b->c[first], &b->m[first], &b->k[first]);
    else
      add_turned(turn, &b->rate[first], &b->j[first], &b->bend[first]);
  }
  self->is_unit = 0;
  find_growth(self, b);
}

void hn_stage_turns_see_unit_parameters(hn_stage_turns *self, const hn_stage_blocks *b) {
  self->is_unit = 1;
  find_growth(self, b);
}

// sigma . y keeps (p + 2 g_v pd + g_q pdd) . (T+ y + p s) zero; with p/|p| instead of p, it has g_q
// (pdd - pd.pd p).
void hn_stage_turns_find_sigma(hn_stage_turns *self, hn_step_numbers g) {
  for (int k = 0; k < self->count; k++) {
    hn_turn *turn = &self->turn[k];
    turn->along = 1 - (self->is_unit ? 2 : 1) * g.q * turn->square;
    for (int i = 0; i < 3; i++)
      turn->sigma[i] = -(0.5 * g.v * turn->w[i] + 0.25 * g.q * turn->wd[i]) / turn->along;
  }
}

void hn_stage_turns_add(const hn_stage_turns *self, hn_step_numbers g, double *value,
                        double *border) {
  for (int k = 0; k < self->triples + self->row_triples; k++) {
    const hn_stage_triple *x = &self->triple[k];
    double *to = k < self->triples ? &value[x->first] : &border[x->first];
    const double *sigma = self->turn[x->turn].sigma, *w = self->turn[x->turn].w;
    const double spin = self->spin[x->growth], e = g.q * self->growth[x->growth] + g.v * spin;
    for (int j = 0; j < 3; j++) to[j] += e * sigma[j] + 0.25 * g.q * spin * w[j];
  }
}

// ---- vectors ------------------------------------------------------------------------------------

// Coordinates that are speeds themselves.
static void copy_plain(const hn_stage_turns *self, const double *q, double *u) {
  const int *restrict from = self->plain_q, *restrict to = self->plain_u;
  for (int i = 0; i < self->plain_count; i++) u[to[i]] = q[from[i]];
}

void hn_stage_turns_to_speeds(const hn_stage_turns *self, const double *x, double *u) {
  copy_plain(self, x, u);
  for (int k = 0; k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    for (int i = 0; i < 3; i++) u[turn->u + i] = dot4(turn->map[i], &x[turn->q]);
  }
}

void hn_stage_turns_force(const hn_stage_turns *self, const double *b, double *f) {
  copy_plain(self, b, f);
  for (int k = 0; k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    for (int i = 0; i < 3; i++) f[turn->u + i] = 0.25 * dot4(turn->map[i], &b[turn->q]);
  }
}

void hn_stage_turns_to_coordinates(const hn_stage_turns *self, const double *u, double *x) {
  for (int k = 0; k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    const double *own = &u[turn->u];
    double s = dot3(turn->sigma, own) + turn->s;
    for (int i = 0; i < 4; i++)
      x[turn->q + i] =
          0.25 * (turn->map[0][i] * own[0] + turn->map[1][i] * own[1] + turn->map[2][i] * own[2]) +
          s * turn->p[i];
  }
  for (int i = 0; i < self->plain_count; i++) x[self->plain_q[i]] = u[self->plain_u[i]];
}

HN_INLINE void pull_along(int wide, const hn_stage_turns *self, double *f) {
  (void)wide;
  const hn_stage_growing *g = self->growing;
  const double *growth = self->growth, *spin = self->spin;
  for (int k = 0; k < self->growings; k++, g++, growth += LANES, spin += LANES) {
    const hn_turn *turn = &self->turn[g->turn];
    HN_FOUR(&f[g->row]) -= HN_FOUR_OF(growth) * turn->pull + HN_FOUR_OF(spin) * turn->pull_rate;
  }
}

HN_VARIANTS(pull_along, (const hn_stage_turns *self, double *f), (self, f))

void hn_stage_turns_pull(const hn_stage_turns *self, double *f) {
  HN_PICK(self->wide, pull_along)(self, f);
}

// ---- deep trees ---------------------------------------------------------------------------------

void hn_stage_turns_mix(const hn_stage_turns *self, hn_step_numbers g, hn_turn_mix *mix) {
  const double has_second = !self->is_unit;
  for (int k = 0; k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    const double *w = turn->w, *wd = turn->wd, *sigma = turn->sigma;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double spin = 2 * w[i] * (g.v * sigma[j] + 0.25 * g.q * w[j]);
        mix[k].w[i][j] = g.q * (turn->rate[i][j] - w[i] * sigma[j]) + (i == j ? g.v : 0);
        mix[k].wd[i][j] =
            g.q * turn->second[i][j] - has_second * (g.q * wd[i] * sigma[j] + spin) + (i == j);
      }
  }
}

void hn_stage_turns_pull_deep(const hn_stage_turns *self, const hn_chain *chain, int n,
                              double *work, double *product, double *f) {
  double *by_w = work, *by_wd = by_w + n;
  if (self->count == 0) return;
  memset(work, 0, 2 * (size_t)n * sizeof(double));
  for (int k = 0; k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    for (int i = 0; i < 3; i++) {
      by_w[turn->u + i] = -turn->pull * turn->w[i];
      if (!self->is_unit)
        by_wd[turn->u + i] = -turn->pull * turn->wd[i] - 2 * turn->pull_rate * turn->w[i];
    }
  }
  hn_chain_multiply(chain, NULL, by_w, by_wd, product);
  for (int i = 0; i < n; i++) f[i] -= product[i];
}

void hn_stage_turns_multiply_deep(const hn_stage_turns *self, const hn_chain *chain, int n,
                                  double *work, const double *a, const double *b, double *f) {
  double *w = work, *wd = w + n;
  memset(w, 0, (size_t)n * sizeof(double));
  memcpy(wd, b, (size_t)n * sizeof(double));
  for (int k = 0; a && k < self->count; k++) {
    const hn_turn *turn = &self->turn[k];
    for (int i = 0; i < 3; i++) {
      w[turn->u + i] = dot3(turn->rate[i], &a[turn->u]);
      wd[turn->u + i] += dot3(turn->second[i], &a[turn->u]);
    }
  }
  hn_chain_multiply(chain, a, w, wd, f);
}
