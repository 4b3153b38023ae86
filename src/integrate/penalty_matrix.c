// W put together and factored: see penalty_matrix.h. Sparse in an order fixed
// at set-up, in tiles where they pay; the unsymmetric kind entry by entry always.
#include "integrate/penalty_matrix.h"

#include <math.h>
#include <string.h>

#include "integrate/penalty_speeds.h"
#include "integrate/penalty_weights.h"
#include "linalg/ldl.h"
#include "linalg/lu.h"
#include "linalg/tile_sparse.h"

// An operation in tiles costs so much less than one behind an index.
#define TILE_GAIN 6

struct hn_penalty_matrix {
  const hn_tangent *tangent;
  int n, rows, entries;
  int *row_of; // rows that have entries, of the tangent (rows)
  int first_normalization;
  int active_count, *active, *active_row; // those that take part: of them, of the tangent
  int *start, *index;                     // upper triangle by columns, the diagonal last
  int *diagonal;                          // (n)
  int *upper_of, *lower_of;  // where K(i, j) and K(j, i) stand in K; -1: nowhere (entries)
  int *mass_at, *damping_at; // entries of M and C in K
  int *place_start, *place;  // where products of each row's entries go, pairs a <= b
  int is_aligned;            // M and C have the pattern of K
  double *block;             // M + g_v C + g_q K on the pattern of K
  double *phi_q;             // as factored
  double *d;                 // D (rows)
  double *sizes, size;       // of the diagonal of A (n), and their mean
  double *upper, *lower;     // (entries)
  signed char *signs;        // (n)
  double *f, *rest;          // right side; what is left of c (n, rows)
  double *path, *met;        // of conjugate directions, and what the rows are of it (rows)
  hn_sparse_tiles *tiles;    // null: by ldl
  hn_ldl *ldl;
  hn_lu *lu;
  int is_exact, is_sharp;
  hn_penalty_speeds *speeds; // where the tangent has blocks in speeds; else null
  int in_speeds;             // the last factors are these
};

// ---- set-up -------------------------------------------------------------------------------------

// Columns below which entries of W stand: those of K, and every pair of columns of a row.
static int fill_pattern(hn_penalty_matrix *self, const int *col_start, const int *col_row,
                        int *mark, int *index) {
  const hn_sparse *k = &self->tangent->stiffness, *p = &self->tangent->phi_q;
  int at = 0;
  for (int j = 0; j < self->n; j++) mark[j] = -1;
  for (int j = 0; j < self->n; j++) {
    if (index) self->start[j] = at;
    for (int e = k->start[j]; e < k->start[j + 1]; e++) {
      int i = k->index[e];
      if (i >= j || mark[i] == j) continue;
      mark[i] = j;
      if (index) index[at] = i;
      at++;
    }
    for (int c = col_start[j]; c < col_start[j + 1]; c++)
      for (int e = p->start[col_row[c]]; e < p->start[col_row[c] + 1]; e++) {
        int i = p->index[e];
        if (i >= j || mark[i] == j) continue;
        mark[i] = j;
        if (index) index[at] = i;
        at++;
      }
    if (index) {
      self->diagonal[j] = at;
      index[at] = j;
    }
    at++;
  }
  if (index) self->start[self->n] = at;
  return at;
}

// Which rows of Phi_q have an entry in each column.
static hn_status rows_of_columns(hn_arena *scratch, const hn_tangent *t, int **start, int **row) {
  const hn_sparse *p = &t->phi_q;
  *start = HN_TAKE(scratch, int, t->n + 2);
  *row = HN_TAKE(scratch, int, p->start[t->rows]);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int e = 0; e < p->start[t->rows]; e++) (*start)[p->index[e] + 2]++;
  for (int j = 0; j < t->n; j++) (*start)[j + 2] += (*start)[j + 1];
  for (int r = 0; r < t->rows; r++)
    for (int e = p->start[r]; e < p->start[r + 1]; e++) (*row)[(*start)[p->index[e] + 1]++] = r;
  return HN_OK;
}

static int find_entry(const hn_penalty_matrix *self, int i, int j) {
  if (i > j) {
    int swap = i;
    i = j;
    j = swap;
  }
  for (int e = self->start[j]; e < self->start[j + 1]; e++)
    if (self->index[e] == i) return e;
  return -1;
}

static hn_status find_places(hn_arena *arena, hn_penalty_matrix *self) {
  const hn_sparse *k = &self->tangent->stiffness, *p = &self->tangent->phi_q;
  for (int j = 0; j < self->n; j++)
    for (int e = self->start[j]; e < self->start[j + 1]; e++) {
      self->upper_of[e] = hn_sparse_find(k, self->index[e], j);
      self->lower_of[e] = hn_sparse_find(k, j, self->index[e]);
    }
  int count = 0;
  for (int i = 0; i < self->rows; i++) {
    int length = p->start[self->row_of[i] + 1] - p->start[self->row_of[i]];
    self->place_start[i] = count;
    count += length * (length + 1) / 2;
  }
  self->place = HN_TAKE(arena, int, count);
  if (!self->place) return HN_ERROR_MEMORY;
  int at = 0;
  for (int i = 0; i < self->rows; i++)
    for (int a = p->start[self->row_of[i]]; a < p->start[self->row_of[i] + 1]; a++)
      for (int b = a; b < p->start[self->row_of[i] + 1]; b++)
        self->place[at++] = find_entry(self, p->index[a], p->index[b]);
  return HN_OK;
}

static hn_status make_pattern(hn_arena *arena, hn_penalty_matrix *self) {
  hn_arena scratch;
  int *col_start, *col_row;
  hn_arena_init(&scratch, &arena->allocator);
  int *mark = HN_TAKE(&scratch, int, self->n);
  hn_status status = rows_of_columns(&scratch, self->tangent, &col_start, &col_row);
  if (status == HN_OK && mark) {
    self->entries = fill_pattern(self, col_start, col_row, mark, NULL);
    self->index = HN_TAKE(arena, int, self->entries);
    if (self->index) fill_pattern(self, col_start, col_row, mark, self->index);
  }
  hn_arena_release(&scratch);
  self->upper_of = HN_TAKE(arena, int, self->entries);
  self->lower_of = HN_TAKE(arena, int, self->entries);
  self->upper = HN_TAKE(arena, double, self->entries);
  self->lower = HN_TAKE(arena, double, self->entries);
  if (arena->failed || status != HN_OK) return HN_ERROR_MEMORY;
  return find_places(arena, self);
}

// In tiles or entry by entry, by counted work.
static hn_status make_factors(hn_arena *arena, hn_penalty_matrix *self) {
  hn_status status = hn_lu_create(arena, self->n, self->start, self->index, NULL, &self->lu);
  if (status == HN_OK) status = hn_ldl_create(arena, self->n, self->start, self->index, &self->ldl);
  if (status == HN_OK)
    status = hn_sparse_tiles_create(arena, self->n, self->start, self->index, &self->tiles);
  if (status != HN_OK) return status;
  double entry_by_entry = hn_ldl_operations(self->ldl);
  if (hn_sparse_tiles_operations(self->tiles) > TILE_GAIN * entry_by_entry + 3000)
    self->tiles = NULL;
  return HN_OK;
}

// 1: x has every entry of K, in its order.
static int is_whole(const hn_tangent *t, const hn_sparse *x, const int *in_stiffness) {
  int entries = t->stiffness.start[t->n];
  if (x->start[t->n] != entries) return 0;
  for (int e = 0; e < entries; e++)
    if (in_stiffness[e] != e) return 0;
  return 1;
}

hn_status hn_penalty_matrix_create(hn_arena *arena, const hn_tangent *tangent,
                                   hn_penalty_matrix **matrix) {
  hn_penalty_matrix *self = HN_TAKE(arena, hn_penalty_matrix, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  self->n = tangent->n;
  self->row_of = HN_TAKE(arena, int, tangent->rows);
  if (!self->row_of) return HN_ERROR_MEMORY;
  for (int r = 0; r < tangent->rows; r++)
    if (tangent->phi_q.start[r + 1] > tangent->phi_q.start[r]) self->row_of[self->rows++] = r;
  self->first_normalization = self->rows - tangent->equations->normalizations;
  self->active = HN_TAKE(arena, int, self->rows);
  self->active_row = HN_TAKE(arena, int, self->rows);
  self->start = HN_TAKE(arena, int, self->n + 1);
  self->diagonal = HN_TAKE(arena, int, self->n);
  self->place_start = HN_TAKE(arena, int, self->rows);
  self->block = HN_TAKE(arena, double, tangent->stiffness.start[self->n]);
  self->phi_q = HN_TAKE(arena, double, tangent->phi_q.start[tangent->rows]);
  self->d = HN_TAKE(arena, double, self->rows);
  self->signs = HN_TAKE(arena, signed char, self->n);
  self->f = HN_TAKE(arena, double, self->n);
  self->sizes = HN_TAKE(arena, double, self->n);
  self->rest = HN_TAKE(arena, double, self->rows);
  self->path = HN_TAKE(arena, double, self->rows);
  self->met = HN_TAKE(arena, double, self->rows);
  if (arena->failed) return HN_ERROR_MEMORY;
  memset(self->signs, 1, (size_t)self->n);
  self->is_aligned = is_whole(tangent, &tangent->mass, tangent->mass_in_stiffness) &&
                     is_whole(tangent, &tangent->damping, tangent->damping_in_stiffness);
  hn_status status = make_pattern(arena, self);
  if (status == HN_OK) status = make_factors(arena, self);
  if (status == HN_OK && tangent->blocks)
    status = hn_penalty_speeds_create(arena, tangent, &self->speeds);
  if (status == HN_OK) hn_penalty_matrix_choose_rows(self, NULL);
  *matrix = self;
  return status;
}

void hn_penalty_matrix_choose_rows(hn_penalty_matrix *self, const unsigned char *left_out) {
  int elements = self->tangent->rows - self->tangent->equations->normalizations;
  if (self->speeds) hn_penalty_speeds_choose_rows(self->speeds, left_out);
  self->active_count = 0;
  for (int i = 0; i < self->rows; i++) {
    int r = self->row_of[i];
    if (left_out && r < elements && left_out[r]) continue;
    self->active[self->active_count] = i;
    self->active_row[self->active_count++] = r;
  }
}

const int *hn_penalty_matrix_rows(const hn_penalty_matrix *self, int *count) {
  *count = self->active_count;
  return self->active_row;
}

// ---- numbers ------------------------------------------------------------------------------------

static void add_blocks(hn_penalty_matrix *self, double g_q, double g_v) {
  const hn_tangent *t = self->tangent;
  int entries = t->stiffness.start[self->n];
  if (self->is_aligned) {
    const double *restrict k = t->stiffness.value, *restrict m = t->mass.value;
    const double *restrict c = t->damping.value;
    double *restrict block = self->block;
    for (int e = 0; e < entries; e++) block[e] = g_q * k[e] + m[e] + g_v * c[e];
    return;
  }
  for (int e = 0; e < entries; e++) self->block[e] = g_q * t->stiffness.value[e];
  for (int e = 0; e < t->mass.start[self->n]; e++)
    self->block[t->mass_in_stiffness[e]] += t->mass.value[e];
  if (g_v == 0) return;
  for (int e = 0; e < t->damping.start[self->n]; e++)
    self->block[t->damping_in_stiffness[e]] += g_v * t->damping.value[e];
}

// 1 / mass of a row, with the mean for normalizations, along which there is no mass.
static double row_lightness(const hn_penalty_matrix *self, int begin, int end,
                            int is_normalization) {
  const int *index = &self->tangent->phi_q.index[begin];
  const double *value = &self->phi_q[begin];
  if (!is_normalization)
    return hn_row_lightness(end - begin, index, value, self->sizes, self->size);
  double squares = 0, plain = 0;
  for (int e = 0; e < end - begin; e++) {
    squares += value[e] * value[e];
    plain += self->sizes[index[e]];
  }
  if (!(squares > 0)) return 0;
  return squares / fmax(plain / (end - begin), HN_PENALTY_LIGHT * self->size);
}

static void find_weights(hn_penalty_matrix *self, const hn_penalty_numbers *numbers) {
  const int *start = self->tangent->phi_q.start;
  if (numbers->weight > 0) {
    for (int i = 0; i < self->rows; i++) self->d[i] = numbers->weight;
    return;
  }
  double most = 0;
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], r = self->active_row[k];
    self->d[i] = row_lightness(self, start[r], start[r + 1], i >= self->first_normalization);
    most = fmax(most, self->d[i]);
  }
  for (int k = 0; k < self->active_count; k++) {
    double *d = &self->d[self->active[k]];
    *d = 1 / (numbers->softness * fmax(*d, HN_PENALTY_NOTHING * most));
  }
}

static void add_rows(hn_penalty_matrix *self) {
  const int *start = self->tangent->phi_q.start;
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], begin = start[self->row_of[i]], end = start[self->row_of[i] + 1];
    const int *at = &self->place[self->place_start[i]];
    for (int a = begin; a < end; a++) {
      double x = self->d[i] * self->phi_q[a];
      for (int b = a; b < end; b++) self->upper[*at++] += x * self->phi_q[b];
    }
  }
}

// The symmetric part of A, with something on the diagonal where there is no mass.
static void make_symmetric(hn_penalty_matrix *self) {
  double sum = 0;
  for (int e = 0; e < self->entries; e++) {
    int u = self->upper_of[e], l = self->lower_of[e];
    self->upper[e] = u < 0 ? 0 : 0.5 * (self->block[u] + self->block[l]);
  }
  for (int i = 0; i < self->n; i++) sum += fabs(self->upper[self->diagonal[i]]);
  self->size = self->n > 0 ? sum / self->n : 0;
  for (int i = 0; i < self->n; i++) {
    double *d = &self->upper[self->diagonal[i]];
    if (fabs(*d) < HN_PENALTY_IDLE * self->size) *d += HN_PENALTY_IDLE * self->size;
    self->sizes[i] = fabs(*d);
  }
}

// 1: the matrix was definite.
static int factor_symmetric(hn_penalty_matrix *self) {
  if (!self->tiles) return hn_ldl_factor(self->ldl, self->upper, self->signs, 1e-300) == 0;
  const int *places = hn_sparse_tiles_places(self->tiles);
  double *numbers = hn_sparse_tiles_begin(self->tiles);
  for (int e = 0; e < self->entries; e++) numbers[places[e]] = self->upper[e];
  return hn_sparse_tiles_factor(self->tiles);
}

// The symmetric part with penalties is in `upper`; the other half of W follows from what K lacks of it.
static void factor_exact(hn_penalty_matrix *self) {
  for (int e = 0; e < self->entries; e++) {
    int u = self->upper_of[e], l = self->lower_of[e];
    double half = u < 0 ? 0 : 0.5 * (self->block[u] - self->block[l]);
    self->lower[e] = self->upper[e] - half;
    self->upper[e] += half;
  }
  hn_lu_factor(self->lu, self->upper, self->lower, self->signs, 1e-300);
}

static int factor_with(hn_penalty_matrix *self, const hn_penalty_numbers *numbers, double share) {
  add_blocks(self, share * numbers->g_q, share * numbers->g_v);
  make_symmetric(self);
  find_weights(self, numbers);
  add_rows(self);
  return factor_symmetric(self);
}

void hn_penalty_matrix_factor(hn_penalty_matrix *self, const hn_penalty_numbers *numbers,
                              int is_exact) {
  const hn_tangent *t = self->tangent;
  self->in_speeds = self->speeds && !is_exact;
  if (self->in_speeds) {
    hn_penalty_speeds_factor(self->speeds, numbers);
    return;
  }
  memcpy(self->phi_q, t->phi_q.value, (size_t)t->phi_q.start[t->rows] * sizeof(double));
  int is_definite = factor_with(self, numbers, 1);
  self->is_exact = is_exact && is_definite;
  self->is_sharp = numbers->is_sharp;
  if (!is_definite) factor_with(self, numbers, 0);
  if (self->is_exact) factor_exact(self);
}

static void solve_factored(hn_penalty_matrix *self, double *x) {
  if (self->is_exact)
    hn_lu_solve(self->lu, x);
  else if (self->tiles)
    hn_sparse_tiles_solve(self->tiles, x);
  else
    hn_ldl_solve(self->ldl, x);
}

// One solution with what is left of c in `rest`; adds to x and y. Returns 1 when more is left of some
// row than is small against its terms.
static int sweep(hn_penalty_matrix *self, double *x, double *y) {
  const int *start = self->tangent->phi_q.start, *index = self->tangent->phi_q.index;
  double *restrict f = self->f;
  int is_left = 0;
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], r = self->active_row[k];
    double force = self->d[i] * self->rest[i];
    for (int e = start[r]; e < start[r + 1]; e++) f[index[e]] += force * self->phi_q[e];
  }
  solve_factored(self, f);
  for (int i = 0; i < self->n; i++) x[i] += f[i];
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], r = self->active_row[k];
    double sum = -self->rest[i], size = fabs(self->rest[i]);
    for (int e = start[r]; e < start[r + 1]; e++) {
      double term = self->phi_q[e] * f[index[e]];
      sum += term;
      size += fabs(term);
    }
    if (y) y[r] += self->d[i] * sum;
    self->rest[i] = -sum;
    is_left |= fabs(sum) > HN_PENALTY_LEFT * size;
  }
  return is_left;
}

// met = Phi W^-1 Phi' path, with f = W^-1 Phi' path. Returns path' met and, in *weight, path' D^-1
// path: their ratio is the mean of e / (e + softness) over directions of eigenvalue e.
static double walk(hn_penalty_matrix *self, double *weight) {
  const int *start = self->tangent->phi_q.start, *index = self->tangent->phi_q.index;
  double *restrict f = self->f;
  double product = 0;
  memset(f, 0, (size_t)self->n * sizeof(double));
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], r = self->active_row[k];
    for (int e = start[r]; e < start[r + 1]; e++) f[index[e]] += self->path[i] * self->phi_q[e];
  }
  solve_factored(self, f);
  *weight = 0;
  for (int k = 0; k < self->active_count; k++) {
    int i = self->active[k], r = self->active_row[k];
    double sum = 0;
    for (int e = start[r]; e < start[r + 1]; e++) sum += self->phi_q[e] * f[index[e]];
    self->met[i] = sum;
    product += self->path[i] * sum;
    *weight += self->path[i] * self->path[i] / self->d[i];
  }
  return product;
}

// What a sweep leaves is in directions that the rows hardly hold, near a singular position. There are
// few, which conjugate gradients find one by one: Phi W^-1 Phi' z = rest, with D as the approximate
// inverse, x += W^-1 Phi' z, y += D Phi dx - z.
static void follow_conjugates(hn_penalty_matrix *self, double *x, double *y) {
  double before = 0, first = 0;
  for (int k = 0; k < HN_PENALTY_CONJUGATES; k++) {
    double size = 0, weight;
    for (int j = 0; j < self->active_count; j++) {
      int i = self->active[j];
      size += self->d[i] * self->rest[i] * self->rest[i];
    }
    if (k == 0) first = size;
    if (!(size > HN_PENALTY_LEFT * HN_PENALTY_LEFT * first)) return;
    for (int j = 0; j < self->active_count; j++) {
      int i = self->active[j];
      double old = k > 0 ? size / before * self->path[i] : 0;
      self->path[i] = self->d[i] * self->rest[i] + old;
    }
    double product = walk(self, &weight);
    if (!(product > HN_PENALTY_FREE * weight)) return;
    double share = size / product;
    for (int i = 0; i < self->n; i++) x[i] += share * self->f[i];
    for (int j = 0; j < self->active_count; j++) {
      int i = self->active[j], r = self->active_row[j];
      if (y) y[r] += share * (self->d[i] * self->met[i] - self->path[i]);
      self->rest[i] -= share * self->met[i];
    }
    before = size;
  }
}

void hn_penalty_matrix_solve(hn_penalty_matrix *self, const double *b, const double *c, double *x,
                             double *y) {
  size_t size = (size_t)self->n * sizeof(double);
  if (self->in_speeds) {
    hn_penalty_speeds_solve(self->speeds, b, c, x, y);
    return;
  }
  memset(x, 0, size);
  if (b)
    memcpy(self->f, b, size);
  else
    memset(self->f, 0, size);
  for (int k = 0; k < self->active_count; k++) {
    self->rest[self->active[k]] = c[self->active_row[k]];
    if (y) y[self->active_row[k]] = 0;
  }
  if (!sweep(self, x, y)) return;
  if (self->is_sharp && !self->is_exact) {
    follow_conjugates(self, x, y);
    return;
  }
  memset(self->f, 0, size);
  for (int k = 1; sweep(self, x, y) && k < HN_PENALTY_SWEEPS; k++) memset(self->f, 0, size);
}

// ---- rows of the present state ------------------------------------------------------------------

int hn_penalty_matrix_in_speeds(const hn_penalty_matrix *self) { return self->in_speeds; }

void hn_penalty_matrix_add_reactions(const hn_penalty_matrix *self, const double *lambda,
                                     double *b) {
  const hn_sparse *p = &self->tangent->phi_q;
  if (self->in_speeds) {
    hn_penalty_speeds_add_reactions(self->speeds, lambda, b);
    return;
  }
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active_row[k];
    for (int e = p->start[r]; e < p->start[r + 1]; e++) b[p->index[e]] -= lambda[r] * p->value[e];
  }
}

double hn_penalty_matrix_defect(hn_penalty_matrix *self, double sign, const double *of,
                                const double *x, double *c) {
  const hn_sparse *p = &self->tangent->phi_q;
  double most = 0;
  if (self->in_speeds) return hn_penalty_speeds_defect(self->speeds, sign, of, x, c);
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active_row[k];
    double sum = sign * of[r];
    for (int e = p->start[r]; e < p->start[r + 1]; e++) sum -= p->value[e] * x[p->index[e]];
    c[r] = sum;
    if (fabs(sum) > most || isnan(sum)) most = fabs(sum); // what is not a number stays
  }
  return most;
}
