// W in speeds put together and factored: see penalty_speeds.h. Weights of rows and sweeps are those of
// penalty_matrix.c.
#include "integrate/penalty_speeds.h"

#include <math.h>
#include <string.h>

#include "integrate/penalty_weights.h"
#include "linalg/lane_vectors.h"
#include "linalg/tile_sparse.h"

struct hn_penalty_speeds {
  const hn_tangent *tangent;
  const hn_speed_blocks *blocks;
  int n, rows, entries;
  int active_count, *active; // rows that take part (rows)
  int *here, *there;         // where the blocks have (i, j) and (j, i) (entries)
  int *place_start, *place;  // where products of each row's entries go, pairs a <= b
  const int *at;             // places of speeds in tiles (n)
  int places;
  int *piece_start, *piece_at; // a row by fours of places (rows + 1; pieces)
  unsigned char *is_run;       // its speeds are four that follow each other (rows)
  int *entry;                  // where each number of the pieces is in the row, -1: none (4 pieces)
  double *piece;               // as factored (4 pieces)
  hn_sparse_tiles *tiles;
  double *diagonal, size; // of A, and its mean (n)
  double *value;          // of the rows, as factored
  double *d;              // D (rows)
  double *f, *u;          // right side and solution, in places
  double *spare;          // (n + 1, the last of them zero in solutions)
  int *speed;             // of a place; n: none (places)
  double *rest;           // what is left of c (rows)
  int wide;
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
      for (int y = x; y < b->row_start[r + 1]; y++) {
        int entry = find_entry(b, b->row_index[x], b->row_index[y]);
        if (entry < 0) return HN_ERROR_UNSUPPORTED;
        self->place[at++] = places[entry];
      }
  return HN_OK;
}

// Rows in pieces of four places, as tiles have them.
static hn_status make_pieces(hn_arena *arena, hn_penalty_speeds *self) {
  const hn_speed_blocks *b = self->blocks;
  int most = b->row_start[self->rows], count = 0;
  self->piece_start = HN_TAKE(arena, int, self->rows + 1);
  self->piece_at = HN_TAKE(arena, int, most);
  self->entry = HN_TAKE(arena, int, 4 * most);
  self->is_run = HN_TAKE(arena, unsigned char, self->rows);
  self->piece = HN_TAKE(arena, double, 4 * most);
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

static hn_status take_memory(hn_arena *arena, hn_penalty_speeds *self) {
  self->active = HN_TAKE(arena, int, self->rows);
  self->here = HN_TAKE(arena, int, self->entries);
  self->there = HN_TAKE(arena, int, self->entries);
  self->place_start = HN_TAKE(arena, int, self->rows);
  self->diagonal = HN_TAKE(arena, double, self->n);
  self->value = HN_TAKE(arena, double, self->blocks->row_start[self->rows]);
  self->d = HN_TAKE(arena, double, self->rows);
  self->spare = HN_TAKE(arena, double, self->n + 1);
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
  if (status != HN_OK) return status;
  self->at = hn_sparse_tiles_unknowns(self->tiles, &self->places);
  self->f = HN_TAKE(arena, double, self->places);
  self->u = HN_TAKE(arena, double, self->places);
  self->speed = HN_TAKE(arena, int, self->places);
  self->wide = hn_block_wide();
  for (int k = 0; !arena->failed && k < self->places; k++) self->speed[k] = self->n;
  for (int i = 0; !arena->failed && i < self->n; i++) self->speed[self->at[i]] = i;
  status = find_places(arena, self);
  if (status == HN_OK) status = make_pieces(arena, self);
  if (arena->failed) status = HN_ERROR_MEMORY;
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
  for (int k = 0; k < 4 * self->piece_start[self->rows]; k++)
    self->piece[k] = self->entry[k] < 0 ? 0 : self->value[self->entry[k]];
  if (!factor_with(self, numbers, 1)) factor_with(self, numbers, 0);
}

// f = b by places
HN_INLINE void put_forces(int wide, hn_penalty_speeds *self, const double *b) {
  (void)wide;
  double *x = self->spare;
  memcpy(x, b, (size_t)self->n * sizeof(double));
  x[self->n] = 0;
  for (int k = 0; k < self->places; k += 4) {
    const int *i = &self->speed[k];
    quad_store(quad_of(x[i[0]], x[i[1]], x[i[2]], x[i[3]]), &self->f[k]);
  }
}

// f += rows times their forces
HN_INLINE void add_forces(int wide, hn_penalty_speeds *self) {
  (void)wide;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    hn_quad force = quad_fill(self->d[r] * self->rest[r]);
    for (int p = self->piece_start[r]; p < self->piece_start[r + 1]; p++) {
      double *to = &self->f[self->piece_at[p]];
      quad_store(quad_add(quad_load(to), quad_multiply(force, quad_load(&self->piece[4 * p]))), to);
    }
  }
}

// u += f, and what f leaves of the rows; *is_left: more of some row than is small against its terms.
HN_INLINE void take_solution(int wide, hn_penalty_speeds *self, double *y, int *is_left) {
  (void)wide;
  for (int i = 0; i < self->places; i += 4)
    quad_store(quad_add(quad_load(&self->u[i]), quad_load(&self->f[i])), &self->u[i]);
  *is_left = 0;
  for (int k = 0; k < self->active_count; k++) {
    int r = self->active[k];
    double sum = -self->rest[r], size = fabs(self->rest[r]);
    for (int p = self->piece_start[r]; p < self->piece_start[r + 1]; p++) {
      hn_quad term =
          quad_multiply(quad_load(&self->piece[4 * p]), quad_load(&self->f[self->piece_at[p]]));
      double a = quad_lane(term, 0), b = quad_lane(term, 1);
      double c = quad_lane(term, 2), d = quad_lane(term, 3);
      sum += (a + b) + (c + d);
      size += (fabs(a) + fabs(b)) + (fabs(c) + fabs(d));
    }
    if (y) y[self->blocks->row[r]] += self->d[r] * sum;
    self->rest[r] = -sum;
    *is_left |= fabs(sum) > HN_PENALTY_LEFT * size;
  }
}

HN_VARIANTS(put_forces, (hn_penalty_speeds * self, const double *b), (self, b))
HN_VARIANTS(add_forces, (hn_penalty_speeds * self), (self))
HN_VARIANTS(take_solution, (hn_penalty_speeds * self, double *y, int *is_left), (self, y, is_left))

// One solution with what is left of c in `rest`; adds to u and y. 1: more is to be done.
static int sweep(hn_penalty_speeds *self, double *y) {
  int is_left;
  HN_PICK(self->wide, add_forces)(self);
  hn_sparse_tiles_solve_placed(self->tiles, self->f);
  HN_PICK(self->wide, take_solution)(self, y, &is_left);
  return is_left;
}

void hn_penalty_speeds_solve(hn_penalty_speeds *self, const double *b, const double *c, double *x,
                             double *y) {
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
  for (int k = 0; sweep(self, y) && k < HN_PENALTY_SWEEPS; k++) memset(self->f, 0, size);
  // nothing pushes along Euler parameters: multipliers of normalizations stay
  int first = self->tangent->rows - self->tangent->equations->normalizations;
  for (int r = first; y && r < self->tangent->rows; r++) y[r] = 0;
  for (int i = 0; i < self->n; i++) self->spare[i] = self->u[self->at[i]];
  hn_tangent_correction_of_speeds(self->tangent, self->spare, c, x);
}

// ---- rows of the present state ------------------------------------------------------------------

void hn_penalty_speeds_add_reactions(const hn_penalty_speeds *self, const double *lambda,
                                     double *b) {
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

double hn_penalty_speeds_defect(hn_penalty_speeds *self, double sign, const double *of,
                                const double *x, double *c) {
  const hn_tangent *t = self->tangent;
  const hn_speed_blocks *blocks = self->blocks;
  const int *start = blocks->row_start, *index = blocks->row_index;
  const double *restrict value = blocks->row_value, *restrict u = self->spare;
  double most = 0;
  hn_tangent_speeds_of(t, x, self->spare);
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
  for (int r = t->rows - t->equations->normalizations; r < t->rows; r++) {
    double sum = sign * of[r];
    for (int e = t->phi_q.start[r]; e < t->phi_q.start[r + 1]; e++)
      sum -= t->phi_q.value[e] * x[t->phi_q.index[e]];
    c[r] = sum;
    if (fabs(sum) > most || isnan(sum)) most = fabs(sum);
  }
  return most;
}
