// W in speeds put together and factored: see penalty_speeds.h. Weights of rows and sweeps are those of
// penalty_matrix.c.
#include "integrate/penalty_speeds.h"

#include <math.h>
#include <string.h>

#include "integrate/penalty_weights.h"
#include "linalg/tile_sparse.h"

struct hn_penalty_speeds {
  const hn_tangent *tangent;
  const hn_speed_blocks *blocks;
  int n, rows, entries;
  int active_count, *active; // rows that take part (rows)
  int *here, *there;         // where the blocks have (i, j) and (j, i) (entries)
  int *place_start, *place;  // where products of each row's entries go, pairs a <= b
  hn_sparse_tiles *tiles;
  double *diagonal, size; // of A, and its mean (n)
  double *value;          // of the rows, as factored
  double *d;              // D (rows)
  double *f, *u, *rest;   // right side, solution; what is left of c (n, n, rows)
};

// ---- set-up -------------------------------------------------------------------------------------

// Rows couple speeds that K couples too: W has its pattern. Returns the entry.
static int find_entry(const hn_speed_blocks *b, int i, int j) {
  int column = i > j ? i : j, row = i > j ? j : i;
  for (int e = b->start[column]; e < b->start[column + 1]; e++)
    if (b->index[e] == row) return e;
  return -1;
}

static hn_status find_places(hn_arena *arena, hn_penalty_speeds *self) {
  const hn_speed_blocks *b = self->blocks;
  const int *places = hn_sparse_tiles_places(self->tiles);
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
      for (int y = x; y < b->row_start[r + 1]; y++)
        self->place[at++] = places[find_entry(b, b->row_index[x], b->row_index[y])];
  return HN_OK;
}

static hn_status take_memory(hn_arena *arena, hn_penalty_speeds *self) {
  self->active = HN_TAKE(arena, int, self->rows);
  self->here = HN_TAKE(arena, int, self->entries);
  self->there = HN_TAKE(arena, int, self->entries);
  self->place_start = HN_TAKE(arena, int, self->rows);
  self->diagonal = HN_TAKE(arena, double, self->n);
  self->value = HN_TAKE(arena, double, self->blocks->row_start[self->rows]);
  self->d = HN_TAKE(arena, double, self->rows);
  self->f = HN_TAKE(arena, double, self->n);
  self->u = HN_TAKE(arena, double, self->n);
  self->rest = HN_TAKE(arena, double, self->rows);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_penalty_speeds_create(hn_arena *arena, const hn_tangent *tangent,
                                   hn_penalty_speeds **matrix) {
  const hn_speed_blocks *b = tangent->blocks;
  hn_penalty_speeds *self = HN_TAKE(arena, hn_penalty_speeds, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->tangent = tangent;
  self->blocks = b;
  self->n = b->n;
  self->rows = b->rows;
  self->entries = b->start[b->n];
  hn_status status = take_memory(arena, self);
  if (status == HN_OK)
    status = hn_sparse_tiles_create(arena, b->n, b->start, b->index, &self->tiles);
  if (status == HN_OK) status = find_places(arena, self);
  if (status != HN_OK) return status;
  for (int j = 0; j < b->n; j++)
    for (int e = b->start[j]; e < b->start[j + 1]; e++) {
      self->here[e] = b->index[e] * b->n + j;
      self->there[e] = j * b->n + b->index[e];
    }
  hn_penalty_speeds_choose_rows(self, NULL);
  *matrix = self;
  return HN_OK;
}

void hn_penalty_speeds_choose_rows(hn_penalty_speeds *self, const unsigned char *left_out) {
  const hn_speed_blocks *b = self->blocks;
  self->active_count = 0;
  for (int r = 0; r < self->rows; r++)
    if (b->row_start[r + 1] > b->row_start[r] && !(left_out && left_out[b->row[r]]))
      self->active[self->active_count++] = r;
}

// ---- numbers ------------------------------------------------------------------------------------

// The symmetric part of A, with something on the diagonal where there is no mass.
static void add_blocks(hn_penalty_speeds *self, double g_q, double g_v, double *w) {
  const hn_speed_blocks *b = self->blocks;
  const int *places = hn_sparse_tiles_places(self->tiles);
  const double *restrict m = b->mass, *restrict c = b->damping, *restrict k = b->stiffness;
  const double half_q = 0.5 * g_q, half_v = 0.5 * g_v;
  double sum = 0;
  for (int e = 0; e < self->entries; e++) {
    int x = self->here[e], y = self->there[e];
    w[places[e]] = m[x] + half_q * (k[x] + k[y]) + half_v * (c[x] + c[y]);
  }
  for (int i = 0; i < self->n; i++) {
    self->diagonal[i] = fabs(w[places[b->start[i + 1] - 1]]);
    sum += self->diagonal[i];
  }
  self->size = self->n > 0 ? sum / self->n : 0;
  for (int i = 0; i < self->n; i++) {
    if (self->diagonal[i] >= HN_PENALTY_IDLE * self->size) continue;
    double *d = &w[places[b->start[i + 1] - 1]];
    *d += HN_PENALTY_IDLE * self->size;
    self->diagonal[i] = fabs(*d);
  }
}

static void find_weights(hn_penalty_speeds *self, const hn_penalty_numbers *numbers) {
  const hn_speed_blocks *b = self->blocks;
  double most = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k], begin = b->row_start[r], count = b->row_start[r + 1] - begin;
    self->d[r] = numbers->weight;
    if (numbers->weight > 0) continue;
    self->d[r] = hn_row_lightness(count, &b->row_index[begin], &self->value[begin], self->diagonal,
                                  self->size);
    most = fmax(most, self->d[r]);
  }
  for (int k = 0; numbers->weight == 0 && k < self->active_count; k++) {
    double *d = &self->d[self->active[k]];
    *d = 1 / (numbers->softness * fmax(*d, HN_PENALTY_NOTHING * most));
  }
}

static void add_rows(hn_penalty_speeds *self, double *w) {
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

static int factor_with(hn_penalty_speeds *self, const hn_penalty_numbers *numbers, double share) {
  double *w = hn_sparse_tiles_begin(self->tiles);
  add_blocks(self, share * numbers->g_q, share * numbers->g_v, w);
  find_weights(self, numbers);
  add_rows(self, w);
  return hn_sparse_tiles_factor(self->tiles);
}

void hn_penalty_speeds_factor(hn_penalty_speeds *self, const hn_penalty_numbers *numbers) {
  const hn_speed_blocks *b = self->blocks;
  memcpy(self->value, b->row_value, (size_t)b->row_start[self->rows] * sizeof(double));
  if (!factor_with(self, numbers, 1)) factor_with(self, numbers, 0);
}

// One solution with what is left of c in `rest`; adds to u and y. Returns 1 when more is left of some
// row than is small against its terms.
static int sweep(hn_penalty_speeds *self, double *y) {
  const hn_speed_blocks *b = self->blocks;
  const int *start = b->row_start, *index = b->row_index;
  const double *restrict value = self->value;
  double *restrict f = self->f;
  int is_left = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double force = self->d[r] * self->rest[r];
    for (int e = start[r]; e < start[r + 1]; e++) f[index[e]] += force * value[e];
  }
  hn_sparse_tiles_solve(self->tiles, f);
  for (int i = 0; i < self->n; i++) self->u[i] += f[i];
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double sum = -self->rest[r], size = fabs(self->rest[r]);
    for (int e = start[r]; e < start[r + 1]; e++) {
      double term = value[e] * f[index[e]];
      sum += term;
      size += fabs(term);
    }
    if (y) y[b->row[r]] += self->d[r] * sum;
    self->rest[r] = -sum;
    is_left |= fabs(sum) > HN_PENALTY_LEFT * size;
  }
  return is_left;
}

void hn_penalty_speeds_solve(hn_penalty_speeds *self, const double *b, const double *c, double *x,
                             double *y) {
  size_t size = (size_t)self->n * sizeof(double);
  memset(self->u, 0, size);
  if (b)
    hn_tangent_forces_in_speeds(self->tangent, b, self->f);
  else
    memset(self->f, 0, size);
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    self->rest[r] = c[self->blocks->row[r]];
    if (y) y[self->blocks->row[r]] = 0;
  }
  for (int k = 0; sweep(self, y) && k < HN_PENALTY_SWEEPS; k++) memset(self->f, 0, size);
  // nothing pushes along Euler parameters: multipliers of normalizations stay
  int first = self->tangent->rows - self->tangent->equations->normalizations;
  for (int r = first; y && r < self->tangent->rows; r++) y[r] = 0;
  hn_tangent_correction_of_speeds(self->tangent, self->u, c, x);
}
