// W put together and factored: see kkt.h. Symmetric in tiles, in an order fixed at set-up; the
// unsymmetric kind entry by entry.
#include "integrate/kkt.h"

#include <math.h>
#include <string.h>

#include "base/variants.h"
#include "equations/chain.h"
#include "linalg/factors.h"

// Diagonal entries below this fraction of the mean, of the row and of all, do not make a row soft:
// axes of bodies without inertia, which move others.
#define LIGHT 1e-3
// Massless coordinates without constraint are not changed.
#define IDLE 1e-8
// A row with more than this fraction of its residual remaining is solved for again: nearly
// dependent rows have a smaller eigenvalue than their own mass suggests.
#define LEFT 1e-3
enum { SWEEPS = 3, CONJUGATES = 20 };
// Directions with a smaller e / (e + softness) are free.
#define FREE 1e-5
// Rows that are redundant in joint coordinates are rounding errors: none is blown up by more than this.
#define NOTHING 1e-9

struct hn_kkt {
  const hn_tangent *tangent;
  hn_chain *chain; // of a deep tree, which has no rows: does it all; else null
  const hn_speed_blocks *blocks;
  int n, rows, entries;
  int active_count, *active; // rows that take part, of the blocks (rows)
  int *active_row;           // and of the tangent, lengths of Euler parameters behind them
  int *place_start, *place;  // where products of each row's entries go, pairs a <= b
  const int *at;             // places of speeds in tiles (n)
  int places;
  int *piece_start, *piece_at; // a row by fours of places (rows + 1; pieces)
  unsigned char *is_run;       // its speeds are four that follow each other (rows)
  int *entry;                  // where each number of the pieces is in the row, -1: none (4 pieces)
  double *piece;               // as factored (4 pieces)
  hn_factors *symmetric, *exact; // with the same places
  double *upper, *lower;         // W of the unsymmetric kind (entries)
  int is_exact, is_sharp;        // the last factors
  double *diagonal, size;        // of A, and its mean (n)
  double *value;                 // of the rows, as factored
  double *d;                     // D (rows)
  double *f, *u;                 // right side and solution, in places
  double *spare;                 // (n + 1, the last of them zero in solutions)
  int *speed;                    // of a place; n: none (places)
  double *rest;                  // residual of c (rows)
  double *path, *met;            // of conjugate directions, and what the rows are of it (rows)
  int wide;
};

// ---- set-up -------------------------------------------------------------------------------------

// The pattern has all pairs of speeds of a row. Returns the entry.
static int find_entry(const hn_speed_blocks *b, int i, int j) {
  int column = i > j ? i : j, row = i > j ? j : i;
  for (int e = b->start[column]; e < b->start[column + 1]; e++)
    if (b->index[e] == row) return e;
  return -1;
}

static hn_status find_places(hn_arena *arena, hn_kkt *self) {
  const hn_speed_blocks *b = self->blocks;
  const int *places = hn_factors_places(self->symmetric);
  int count = 0, at = 0;
  for (int r = 0; r < self->rows; r++) {
    int length = b->row_start[r + 1] - b->row_start[r];
    self->place_start[r] = count;
    count += length * (length + 1) / 2;
  }
  self->place = HN_TAKE(arena, int, count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int r = 0; r < self->rows; r++)
    for (int x = b->row_start[r]; x < b->row_start[r + 1]; x++)
      for (int y = x; y < b->row_start[r + 1]; y++) {
        int entry = find_entry(b, b->row_index[x], b->row_index[y]);
        self->place[at++] = places[entry];
      }
  return HN_OK;
}

// Rows in pieces of four places, as tiles have them.
static hn_status make_pieces(hn_arena *arena, hn_kkt *self) {
  const hn_speed_blocks *b = self->blocks;
  int most = b->row_start[self->rows], count = 0;
  self->piece_start = HN_TAKE(arena, int, self->rows + 1);
  self->piece_at = HN_TAKE(arena, int, most);
  self->entry = HN_TAKE(arena, int, 4 * most);
  self->is_run = HN_TAKE(arena, unsigned char, self->rows);
  self->piece = HN_KEEP(arena, double, 4 * most);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < 4 * most; k++) self->entry[k] = -1;
  for (int r = 0; r < self->rows; r++) {
    int first = count;
    for (int e = b->row_start[r]; e < b->row_start[r + 1]; e++) {
      int place = self->at[b->row_index[e]], k = first;
      while (k < count && self->piece_at[k] != place / 4 * 4) k++;
      if (k == count) self->piece_at[count++] = place / 4 * 4;
      self->entry[4 * k + place % 4] = e;
    }
    self->piece_start[r + 1] = count;
    const int *index = &b->row_index[b->row_start[r]];
    self->is_run[r] = b->row_start[r + 1] - b->row_start[r] == 4 && index[1] == index[0] + 1 &&
                      index[2] == index[0] + 2 && index[3] == index[0] + 3;
  }
  return HN_OK;
}

static hn_status take_memory(hn_arena *arena, hn_kkt *self) {
  self->active = HN_KEEP(arena, int, self->rows);
  self->active_row = HN_KEEP(arena, int, self->rows + self->blocks->lengths);
  self->upper = HN_KEEP(arena, double, self->entries);
  self->lower = HN_KEEP(arena, double, self->entries);
  self->path = HN_KEEP(arena, double, self->rows);
  self->met = HN_KEEP(arena, double, self->rows);
  self->place_start = HN_TAKE(arena, int, self->rows);
  self->diagonal = HN_KEEP(arena, double, self->n);
  self->value = HN_KEEP(arena, double, self->blocks->row_start[self->rows]);
  self->d = HN_KEEP(arena, double, self->rows);
  self->spare = HN_KEEP(arena, double, self->n + 1);
  self->rest = HN_KEEP(arena, double, self->rows);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status create_deep(hn_arena *arena, hn_kkt *self, hn_kkt **kkt) {
  self->active_row = HN_KEEP(arena, int, self->blocks->lengths);
  self->spare = HN_KEEP(arena, double, self->n + 1);
  hn_status status =
      hn_chain_create(arena, (const struct hn_relative_tangent *)self->tangent, &self->chain);
  if (status != HN_OK || arena->failed) return HN_ERROR_MEMORY;
  hn_kkt_choose_rows(self, NULL);
  *kkt = self;
  return HN_OK;
}

hn_status hn_kkt_create(hn_arena *arena, const hn_tangent *tangent, hn_kkt **kkt) {
  const hn_speed_blocks *b = &tangent->blocks;
  hn_kkt *self = HN_KEEP(arena, hn_kkt, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  self->blocks = b;
  self->n = b->n;
  self->rows = b->rows;
  if (tangent->is_deep) return create_deep(arena, self, kkt);
  self->entries = b->start[b->n];
  hn_status status = take_memory(arena, self);
  if (status == HN_OK)
    status = hn_factors_create(arena, b->n, b->start, b->index, NULL, 1, &self->symmetric);
  if (status == HN_OK)
    status = hn_factors_create(arena, b->n, b->start, b->index, NULL, 0, &self->exact);
  if (status != HN_OK) return status;
  self->at = hn_factors_unknowns(self->symmetric, &self->places);
  self->f = HN_KEEP(arena, double, self->places);
  self->u = HN_KEEP(arena, double, self->places);
  self->speed = HN_TAKE(arena, int, self->places);
  self->wide = hn_is_wide();
  for (int k = 0; !arena->failed && k < self->places; k++) self->speed[k] = self->n;
  for (int i = 0; !arena->failed && i < self->n; i++) self->speed[self->at[i]] = i;
  status = find_places(arena, self);
  if (status == HN_OK) status = make_pieces(arena, self);
  if (arena->failed) status = HN_ERROR_MEMORY;
  if (status != HN_OK) return status;
  hn_kkt_choose_rows(self, NULL);
  *kkt = self;
  return HN_OK;
}

void hn_kkt_choose_rows(hn_kkt *self, const unsigned char *left_out) {
  const hn_speed_blocks *b = self->blocks;
  int elements = self->tangent->equations->elements->row_count;
  self->active_count = 0;
  for (int r = 0; r < self->rows; r++) {
    int row = b->row[r];
    if (b->row_start[r + 1] == b->row_start[r]) continue;
    if (left_out && row < elements && left_out[row]) continue;
    self->active_row[self->active_count] = row;
    self->active[self->active_count++] = r;
  }
  for (int k = 0; k < b->lengths; k++)
    self->active_row[self->active_count + k] = self->tangent->rows - b->lengths + k;
}

const int *hn_kkt_rows(const hn_kkt *self, int *count) {
  *count = self->active_count + self->blocks->lengths;
  return self->active_row;
}

// ---- numbers ------------------------------------------------------------------------------------

// The symmetric part of A, with something on the diagonal where there is no mass.
static void add_blocks(hn_kkt *self, double g_q, double g_v, double *w) {
  const hn_speed_blocks *b = self->blocks;
  const int *places = hn_factors_places(self->symmetric);
  const double *restrict m = b->mass, *restrict c = b->damping, *restrict k = b->stiffness;
  const double half_q = 0.5 * g_q, half_v = 0.5 * g_v;
  double sum = 0;
  for (int e = 0; e < self->entries; e++) {
    int x = b->here[e], y = b->there[e];
    w[places[e]] = m[x] + half_q * (k[x] + k[y]) + half_v * (c[x] + c[y]);
  }
  for (int i = 0; i < self->n; i++) {
    self->diagonal[i] = fabs(w[places[b->start[i + 1] - 1]]);
    sum += self->diagonal[i];
  }
  self->size = self->n > 0 ? sum / self->n : 0;
  for (int i = 0; i < self->n; i++) {
    if (self->diagonal[i] >= IDLE * self->size) continue;
    double *d = &w[places[b->start[i + 1] - 1]];
    *d += IDLE * self->size;
    self->diagonal[i] = fabs(*d);
  }
}

// 1 / mass of a row: Phi_r diag(A)^-1 Phi_r'. diagonal: sizes of the diagonal of A; mean: of all.
static double row_lightness(int count, const int *index, const double *value,
                            const double *diagonal, double mean_size) {
  double squares = 0, mean = 0, sum = 0;
  for (int e = 0; e < count; e++) {
    double x = value[e] * value[e];
    squares += x;
    mean += x * diagonal[index[e]];
  }
  if (!(squares > 0)) return 0;
  double least = LIGHT * fmax(mean / squares, mean_size);
  for (int e = 0; e < count; e++) {
    double size = diagonal[index[e]];
    sum += value[e] * value[e] / (size > least ? size : least);
  }
  return sum;
}

static void find_weights(hn_kkt *self, const hn_kkt_numbers *numbers) {
  const hn_speed_blocks *b = self->blocks;
  double most = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k], begin = b->row_start[r], count = b->row_start[r + 1] - begin;
    self->d[r] = numbers->weight;
    if (numbers->weight > 0) continue;
    self->d[r] =
        row_lightness(count, &b->row_index[begin], &self->value[begin], self->diagonal, self->size);
    most = fmax(most, self->d[r]);
  }
  for (int k = 0; numbers->weight == 0 && k < self->active_count; k++) {
    double *d = &self->d[self->active[k]];
    *d = 1 / (numbers->softness * fmax(*d, NOTHING * most));
  }
}

static void add_rows(hn_kkt *self, double *w) {
  const int *start = self->blocks->row_start;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k], end = start[r + 1];
    const int *at = &self->place[self->place_start[r]];
    for (int a = start[r]; a < end; a++) {
      double x = self->d[r] * self->value[a];
      for (int b = a; b < end; b++) w[*at++] += x * self->value[b];
    }
  }
}

// 1: the matrix was definite. *upper is W, where it is asked for.
static int factor_with(hn_kkt *self, const hn_kkt_numbers *numbers, double share, double *upper) {
  const int *places = hn_factors_places(self->symmetric);
  double *w = hn_factors_begin(self->symmetric);
  add_blocks(self, share * numbers->g_q, share * numbers->g_v, w);
  find_weights(self, numbers);
  add_rows(self, w);
  for (int e = 0; upper && e < self->entries; e++) upper[e] = w[places[e]];
  const hn_pivot_rule rule = {.is_definite = 1};
  return hn_factors_factor(self->symmetric, &rule) == 0;
}

// The symmetric part with penalties is in `upper`; the other half of W follows from what A lacks of it.
// 1: no pivot was zero.
static int factor_exact(hn_kkt *self, const hn_kkt_numbers *numbers) {
  const hn_speed_blocks *b = self->blocks;
  for (int e = 0; e < self->entries; e++) {
    int x = b->here[e], y = b->there[e];
    double half = 0.5 * numbers->g_q * (b->stiffness[x] - b->stiffness[y]) +
                  0.5 * numbers->g_v * (b->damping[x] - b->damping[y]);
    self->lower[e] = self->upper[e] - half;
    self->upper[e] += half;
  }
  const hn_pivot_rule rule = {.is_definite = 0};
  return hn_factors_of(self->exact, self->upper, self->lower, &rule) == 0;
}

static int factor_deep(hn_kkt *self, const hn_kkt_numbers *numbers) {
  hn_chain_keep(self->chain);
  return hn_chain_factor(self->chain, numbers->g_q, numbers->g_v, NULL) ||
         hn_chain_factor(self->chain, 0, 0, NULL);
}

hn_status hn_kkt_factor(hn_kkt *self, const hn_kkt_numbers *numbers, int is_exact) {
  const hn_speed_blocks *b = self->blocks;
  if (self->chain) return factor_deep(self, numbers) ? HN_OK : HN_RETRY_CONVERGENCE;
  memcpy(self->value, b->row_value, (size_t)b->row_start[self->rows] * sizeof(double));
  for (int k = 0; k < 4 * self->piece_start[self->rows]; k++)
    self->piece[k] = self->entry[k] < 0 ? 0 : self->value[self->entry[k]];
  int is_definite = factor_with(self, numbers, 1, is_exact ? self->upper : NULL);
  int is_sound = is_definite || factor_with(self, numbers, 0, NULL);
  self->is_sharp = numbers->is_sharp;
  self->is_exact = is_exact && is_definite && factor_exact(self, numbers);
  return is_sound ? HN_OK : HN_RETRY_CONVERGENCE;
}

// ---- solutions ----------------------------------------------------------------------------------

// f = b by places
HN_INLINE void put_forces(int wide, hn_kkt *self, const double *b) {
  (void)wide;
  double *x = self->spare;
  memcpy(x, b, (size_t)self->n * sizeof(double));
  x[self->n] = 0;
  for (int k = 0; k < self->places; k += 4) {
    const int *i = &self->speed[k];
    HN_FOUR(&self->f[k]) = (hn_four){x[i[0]], x[i[1]], x[i[2]], x[i[3]]};
  }
}

// f += rows times their forces: of, times d where there is one
HN_INLINE void add_forces(int wide, hn_kkt *self, const double *of, const double *d) {
  (void)wide;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    const double force = d ? d[r] * of[r] : of[r];
    for (int p = self->piece_start[r]; p < self->piece_start[r + 1]; p++) {
      double *to = &self->f[self->piece_at[p]];
      HN_FOUR(to) += force * HN_FOUR(&self->piece[4 * p]);
    }
  }
}

// u += f, and what f leaves of the rows; *is_left: more of some row than is small against its terms.
HN_INLINE void take_solution(int wide, hn_kkt *self, double *y, int *is_left) {
  (void)wide;
  for (int i = 0; i < self->places; i += 4) HN_FOUR(&self->u[i]) += HN_FOUR(&self->f[i]);
  *is_left = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double sum = -self->rest[r], size = fabs(self->rest[r]);
    for (int p = self->piece_start[r]; p < self->piece_start[r + 1]; p++) {
      const hn_four term = HN_FOUR(&self->piece[4 * p]) * HN_FOUR(&self->f[self->piece_at[p]]);
      const double a = term[0], b = term[1], c = term[2], d = term[3];
      sum += (a + b) + (c + d);
      size += (fabs(a) + fabs(b)) + (fabs(c) + fabs(d));
    }
    if (y) y[self->blocks->row[r]] += self->d[r] * sum;
    self->rest[r] = -sum;
    *is_left |= fabs(sum) > LEFT * size;
  }
}

HN_VARIANTS(put_forces, (hn_kkt * self, const double *b), (self, b))
HN_VARIANTS(add_forces, (hn_kkt * self, const double *of, const double *d), (self, of, d))
HN_VARIANTS(take_solution, (hn_kkt * self, double *y, int *is_left), (self, y, is_left))

// f <- W^-1 f
static void solve_factored(hn_kkt *self) {
  hn_factors_solve_placed(self->is_exact ? self->exact : self->symmetric, self->f);
}

// One solution with the residual of c in `rest`; adds to u and y. 1: another one is needed.
static int sweep(hn_kkt *self, double *y) {
  int is_left;
  HN_PICK(self->wide, add_forces)(self, self->rest, self->d);
  solve_factored(self);
  HN_PICK(self->wide, take_solution)(self, y, &is_left);
  return is_left;
}

// met = Phi W^-1 Phi' path, with f = W^-1 Phi' path. Returns path' met and, in *weight, path' D^-1
// path: their ratio is the mean of e / (e + softness) over directions of eigenvalue e.
static double walk(hn_kkt *self, double *weight) {
  double product = 0;
  memset(self->f, 0, (size_t)self->places * sizeof(double));
  HN_PICK(self->wide, add_forces)(self, self->path, NULL);
  solve_factored(self);
  *weight = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double sum = 0;
    for (int p = self->piece_start[r]; p < self->piece_start[r + 1]; p++)
      for (int i = 0; i < 4; i++) sum += self->piece[4 * p + i] * self->f[self->piece_at[p] + i];
    self->met[r] = sum;
    product += self->path[r] * sum;
    *weight += self->path[r] * self->path[r] / self->d[r];
  }
  return product;
}

// The residual of an iteration is in weakly constrained directions, near a singular configuration.
// They are few, and conjugate gradients find them individually: Phi W^-1 Phi' z = rest, with D as
// the approximate inverse, u += W^-1 Phi' z, y += D Phi du - z.
static void follow_conjugates(hn_kkt *self, double *y) {
  double before = 0, first = 0;
  for (int k = 0; k < CONJUGATES; k++) {
    double size = 0, weight;
    for (int j = 0; j < self->active_count; j++) {
      int r = self->active[j];
      size += self->d[r] * self->rest[r] * self->rest[r];
    }
    if (k == 0) first = size;
    if (!(size > LEFT * LEFT * first)) return;
    for (int j = 0; j < self->active_count; j++) {
      int r = self->active[j];
      double old = k > 0 ? size / before * self->path[r] : 0;
      self->path[r] = self->d[r] * self->rest[r] + old;
    }
    double product = walk(self, &weight);
    if (!(product > FREE * weight)) return;
    double share = size / product;
    for (int i = 0; i < self->places; i++) self->u[i] += share * self->f[i];
    for (int j = 0; j < self->active_count; j++) {
      int r = self->active[j];
      if (y) y[self->blocks->row[r]] += share * (self->d[r] * self->met[r] - self->path[r]);
      self->rest[r] -= share * self->met[r];
    }
    before = size;
  }
}

// u, in places.
static void find_speeds(hn_kkt *self, const double *b, const double *c, double *y) {
  size_t size = (size_t)self->places * sizeof(double);
  memset(self->u, 0, size);
  if (b)
    HN_PICK(self->wide, put_forces)(self, b);
  else
    memset(self->f, 0, size);
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    self->rest[r] = c[self->blocks->row[r]];
    if (y) y[self->blocks->row[r]] = 0;
  }
  int is_left = sweep(self, y);
  if (is_left && self->is_sharp && !self->is_exact) {
    follow_conjugates(self, y);
    is_left = 0;
  }
  for (int k = 0; is_left && k < SWEEPS; k++) {
    memset(self->f, 0, size);
    is_left = sweep(self, y);
  }
}

void hn_kkt_solve(hn_kkt *self, const double *b, const double *c, double *x, double *y) {
  if (!self->chain) {
    find_speeds(self, b, c, y);
    for (int i = 0; i < self->n; i++) self->spare[i] = self->u[self->at[i]];
  } else if (b) {
    memcpy(self->spare, b, (size_t)self->n * sizeof(double));
    hn_chain_solve(self->chain, self->spare);
  } else {
    memset(self->spare, 0, (size_t)self->n * sizeof(double));
  }
  // nothing pushes along Euler parameters: multipliers of their lengths stay
  int first = self->tangent->rows - self->blocks->lengths;
  for (int r = first; y && r < self->tangent->rows; r++) y[r] = 0;
  self->tangent->type->correction_of_speeds(self->tangent, self->spare, c, x);
}

// ---- rows of the present state ------------------------------------------------------------------

void hn_kkt_add_reactions(const hn_kkt *self, const double *lambda, double *b) {
  const hn_speed_blocks *blocks = self->blocks;
  const int *start = blocks->row_start, *index = blocks->row_index;
  const double *restrict value = blocks->row_value;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double force = lambda[blocks->row[r]];
    if (self->is_run[r]) {
      double *to = &b[index[start[r]]];
      const double *from = &value[start[r]];
      for (int i = 0; i < 4; i++) to[i] -= force * from[i];
      continue;
    }
    for (int e = start[r]; e < start[r + 1]; e++) b[index[e]] -= force * value[e];
  }
}

double hn_kkt_defect(hn_kkt *self, double sign, const double *of, const double *x, double *c) {
  const hn_tangent *t = self->tangent;
  const hn_speed_blocks *blocks = self->blocks;
  const int *start = blocks->row_start, *index = blocks->row_index;
  const double *restrict value = blocks->row_value, *restrict u = self->spare;
  double most = 0;
  t->type->speeds_of(t, x, self->spare);
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k], row = blocks->row[r];
    double sum = sign * of[row];
    if (self->is_run[r]) {
      const double *x4 = &u[index[start[r]]], *v = &value[start[r]];
      sum -= (v[0] * x4[0] + v[1] * x4[1]) + (v[2] * x4[2] + v[3] * x4[3]);
    } else {
      for (int e = start[r]; e < start[r + 1]; e++) sum -= value[e] * u[index[e]];
    }
    c[row] = sum;
    if (fabs(sum) > most || isnan(sum)) most = fabs(sum); // what is not a number stays
  }
  for (int r = t->rows - blocks->lengths; r < t->rows; r++) {
    double sum = sign * of[r];
    for (int e = t->phi_q.start[r]; e < t->phi_q.start[r + 1]; e++)
      sum -= t->phi_q.value[e] * x[t->phi_q.index[e]];
    c[r] = sum;
    if (fabs(sum) > most || isnan(sum)) most = fabs(sum);
  }
  return most;
}
