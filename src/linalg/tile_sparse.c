// Sparse L D L' by tiles, right-looking: when a column of tiles is finished it is taken off the columns
// of its rows,
//
//   L_ij = T_ij L_jj^-T D_j^-1,   T_ik -= L_ij D_j L_kj'   for rows i >= k of column j
//
// Unknowns are ordered by minimum degree and put into tiles in that order. A tile may hold unknowns that
// are coupled differently, which fills it, or be begun anew where the coupling changes and stay partly
// empty: whatever costs fewer products. What is empty is filled up with the identity. Not here: pivoting
// and refinement.
#include "linalg/tile_sparse.h"

#include <string.h>

#include "linalg/order.h"
#include "linalg/tile_private.h"

struct hn_sparse_tiles {
  int n, count;        // unknowns, tiles on the diagonal
  int *at;             // place of an unknown: 4 tile + row (n)
  int *start, *row;    // tiles of L by columns, the diagonal one first (count + 1)
  int *places;         // of entries of the caller's pattern
  int *empty, empties; // places without unknown
  tile *tiles, *scaled;
  double *d, *inverse, *none; // pivots and their inverses; zeros (T count)
  double *x;                  // right side (T count)
  int wide;
  double operations;
};

// ---- set-up -------------------------------------------------------------------------------------

// A pattern of entries (i, j), in places at[i], of groups of `size` places.
typedef struct pattern {
  int n, entries;
  const int *column, *row; // of each entry
  const int *at;           // null: as they are
  int size, groups;
} pattern;

static int group_of(const pattern *p, int unknown) {
  return (p->at ? p->at[unknown] : unknown) / p->size;
}

// Rows above the diagonal in each column of groups; may name one several times.
static hn_status list_columns(hn_arena *scratch, const pattern *p, int **start, int **row) {
  *start = HN_TAKE(scratch, int, p->groups + 2);
  *row = HN_TAKE(scratch, int, p->entries);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    for (int e = 0; e < p->entries; e++) {
      int a = group_of(p, p->row[e]), b = group_of(p, p->column[e]);
      int column = a > b ? a : b, above = a > b ? b : a;
      if (a == b) continue;
      if (pass == 0)
        (*start)[column + 2]++;
      else
        (*row)[(*start)[column + 1]++] = above;
    }
    for (int j = 0; pass == 0 && j < p->groups; j++) (*start)[j + 2] += (*start)[j + 1];
  }
  return HN_OK;
}

// The elimination tree and how many entries L has in each column below the diagonal, and in each row
// before it (left; null: not counted). rows null: not listed; else they follow next[j].
static hn_status eliminate(hn_arena *scratch, const pattern *p, int *parent, int *below, int *left,
                           int *next, int *rows) {
  int *start, *row;
  hn_status status = list_columns(scratch, p, &start, &row);
  int *flag = HN_TAKE(scratch, int, p->groups);
  if (status != HN_OK || !flag) return HN_ERROR_MEMORY;
  for (int k = 0; k < p->groups; k++) {
    parent[k] = -1;
    below[k] = 0;
    if (left) left[k] = 0;
    flag[k] = k + 1;
    for (int e = start[k]; e < start[k + 1]; e++)
      for (int i = row[e]; flag[i] != k + 1; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        if (rows) rows[next[i]++] = k;
        if (left) left[k]++;
        below[i]++;
        flag[i] = k + 1;
      }
  }
  return HN_OK;
}

static double count_operations(int groups, const int *below) {
  double sum = 0;
  for (int k = 0; k < groups; k++)
    sum += 0.5 * ((double)below[k] + 1) * ((double)below[k] + 2); // in tiles
  return sum * T * T * T;
}

// Columns that go on each other may be eliminated in any order. Those that fewer columns before them
// reach come first, so that the others share tiles. group: of columns alike in this (n).
static void sort_columns(int n, const int *parent, const int *below, const int *left, int *order,
                         int *group) {
  for (int first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && parent[end - 1] == end && below[end - 1] == below[end] + 1) end++;
    for (int k = first; k < end; k++) { // insertion, stable
      int unknown = order[k], reached = left[k] - (k - first), at = k;
      for (; at > first && group[at - 1] > reached; at--) {
        group[at] = group[at - 1];
        order[at] = order[at - 1];
      }
      group[at] = reached;
      order[at] = unknown;
    }
    for (int k = first, last = -1; k < end; k++) { // numbers of groups from here on
      int is_new = group[k] != last;
      last = group[k];
      group[k] = is_new ? k : group[k - 1];
    }
  }
}

// Places in the given order; is_aligned: each group begins a tile. Returns how many tiles.
static int put_in_tiles(int n, const int *order, const int *group, int is_aligned, int *at) {
  int place = 0;
  for (int k = 0; k < n; k++) {
    if (is_aligned && group[k] == k) place = (place + T - 1) / T * T;
    at[order[k]] = place++;
  }
  return (place + T - 1) / T;
}

static hn_status count_packing(hn_arena *scratch, pattern *p, double *operations) {
  int *parent = HN_TAKE(scratch, int, p->groups), *below = HN_TAKE(scratch, int, p->groups);
  if (scratch->failed) return HN_ERROR_MEMORY;
  hn_status status = eliminate(scratch, p, parent, below, NULL, NULL, NULL);
  *operations = count_operations(p->groups, below);
  return status;
}

// The cheaper packing, in self->at.
static hn_status pack(hn_arena *scratch, hn_sparse_tiles *self, const pattern *by_entry,
                      int *order) {
  int n = self->n;
  int *left = HN_TAKE(scratch, int, n), *group = HN_TAKE(scratch, int, n);
  int *place = HN_TAKE(scratch, int, n), *parent = HN_TAKE(scratch, int, n);
  int *below = HN_TAKE(scratch, int, n), *aligned = HN_TAKE(scratch, int, n);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) place[order[k]] = k;
  pattern p = *by_entry;
  p.at = place;
  p.size = 1;
  p.groups = n;
  hn_status status = eliminate(scratch, &p, parent, below, left, NULL, NULL);
  if (status != HN_OK) return status;
  sort_columns(n, parent, below, left, order, group);
  double full = 0, loose = 0;
  p.size = T;
  self->count = p.groups = put_in_tiles(n, order, group, 0, self->at);
  p.at = self->at;
  status = count_packing(scratch, &p, &full);
  if (status != HN_OK) return status;
  p.groups = put_in_tiles(n, order, group, 1, aligned);
  p.at = aligned;
  status = count_packing(scratch, &p, &loose);
  self->operations = full < loose ? full : loose;
  if (full <= loose) return status;
  self->count = p.groups;
  memcpy(self->at, aligned, (size_t)n * sizeof(int));
  return status;
}

static int find_tile(const hn_sparse_tiles *self, int row, int column) {
  for (int e = self->start[column]; e < self->start[column + 1]; e++)
    if (self->row[e] == row) return e;
  return -1;
}

static hn_status make_columns(hn_arena *arena, hn_arena *scratch, hn_sparse_tiles *self,
                              pattern *p) {
  int count = self->count;
  int *parent = HN_TAKE(scratch, int, count), *below = HN_TAKE(scratch, int, count);
  int *next = HN_TAKE(scratch, int, count);
  self->start = HN_TAKE(arena, int, count + 1);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  hn_status status = eliminate(scratch, p, parent, below, NULL, NULL, NULL);
  if (status != HN_OK) return status;
  for (int j = 0; j < count; j++) self->start[j + 1] = self->start[j] + 1 + below[j];
  self->row = HN_TAKE(arena, int, self->start[count]);
  if (!self->row) return HN_ERROR_MEMORY;
  for (int j = 0; j < count; j++) {
    self->row[self->start[j]] = j;
    next[j] = self->start[j] + 1;
  }
  return eliminate(scratch, p, parent, below, NULL, next, self->row);
}

static void find_places(hn_sparse_tiles *self, const pattern *p) {
  for (int e = 0; e < p->entries; e++) {
    int a = self->at[p->row[e]], b = self->at[p->column[e]];
    int low = a > b ? a : b, high = a > b ? b : a;
    self->places[e] = T * T * find_tile(self, low / T, high / T) + T * (high % T) + low % T;
  }
}

static hn_status take_memory(hn_arena *arena, hn_sparse_tiles *self, int entries) {
  int count = self->count;
  self->tiles = HN_TAKE(arena, tile, self->start[count]);
  self->scaled = HN_TAKE(arena, tile, count);
  self->d = HN_TAKE(arena, double, T *count);
  self->inverse = HN_TAKE(arena, double, T *count);
  self->none = HN_TAKE(arena, double, T);
  self->x = HN_TAKE(arena, double, T *count);
  self->empty = HN_TAKE(arena, int, T *count);
  self->places = HN_TAKE(arena, int, entries);
  self->wide = hn_block_wide();
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void find_empty(hn_sparse_tiles *self) {
  for (int i = 0; i < self->n; i++) self->x[self->at[i]] = 1;
  for (int k = 0; k < T * self->count; k++) {
    if (self->x[k] == 0) self->empty[self->empties++] = k;
    self->x[k] = 0;
  }
}

static hn_status create(hn_arena *arena, hn_arena *scratch, hn_sparse_tiles *self,
                        const int *column_start, const int *row_index) {
  int n = self->n, entries = column_start[n];
  int *column = HN_TAKE(scratch, int, entries), *order = HN_TAKE(scratch, int, n);
  self->at = HN_TAKE(arena, int, n);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < n; j++)
    for (int e = column_start[j]; e < column_start[j + 1]; e++) column[e] = j;
  pattern p = {.n = n, .entries = entries, .column = column, .row = row_index};
  hn_status status = hn_order_matrix(scratch, n, column_start, row_index, order);
  if (status == HN_OK) status = pack(scratch, self, &p, order);
  p.at = self->at;
  p.size = T;
  p.groups = self->count;
  if (status == HN_OK) status = make_columns(arena, scratch, self, &p);
  if (status == HN_OK) status = take_memory(arena, self, entries);
  if (status != HN_OK) return status;
  find_places(self, &p);
  find_empty(self);
  return HN_OK;
}

hn_status hn_sparse_tiles_create(hn_arena *arena, int n, const int *column_start,
                                 const int *row_index, hn_sparse_tiles **tiles) {
  hn_sparse_tiles *self = HN_TAKE(arena, hn_sparse_tiles, 1);
  *tiles = NULL;
  if (!self) return HN_ERROR_MEMORY;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  self->n = n;
  hn_status status = create(arena, &scratch, self, column_start, row_index);
  hn_arena_release(&scratch);
  if (status == HN_OK) *tiles = self;
  return status;
}

// ---- factorization ------------------------------------------------------------------------------

const int *hn_sparse_tiles_places(const hn_sparse_tiles *self) { return self->places; }

double *hn_sparse_tiles_begin(hn_sparse_tiles *self) {
  double *numbers = &self->tiles[0].c[0][0];
  memset(self->tiles, 0, (size_t)self->start[self->count] * sizeof(tile));
  for (int k = 0; k < self->empties; k++) {
    int at = self->empty[k];
    numbers[T * T * self->start[at / T] + (T + 1) * (at % T)] = 1;
  }
  return numbers;
}

// Column j, whose rows stand in every column it is taken off.
HN_INLINE void take_off(int wide, hn_sparse_tiles *self, int j) {
  const int begin = self->start[j] + 1, end = self->start[j + 1];
  for (int k = begin; k < end; k++) {
    const tile *u = &self->scaled[k - begin];
    int to = self->start[self->row[k]];
    for (int i = k; i < end; i++) {
      hn_lanes t[T];
      while (self->row[to] != self->row[i]) to++;
      HN_UNROLL for (int q = 0; q < T; q++) lanes_load(wide, 4, &t[q], self->tiles[to].c[q]);
      subtract(wide, t, &self->tiles[i], u);
      HN_UNROLL for (int q = 0; q < T; q++) lanes_store(wide, 4, &t[q], self->tiles[to].c[q]);
    }
  }
}

HN_INLINE void factor(int wide, hn_sparse_tiles *self) {
  for (int j = 0; j < self->count; j++) {
    const int begin = self->start[j] + 1, end = self->start[j + 1];
    double *d = &self->d[T * j], *inverse = &self->inverse[T * j];
    tile *diagonal = &self->tiles[begin - 1], numbers = *diagonal;
    factor_tile(numbers.c, self->none, d, inverse, diagonal);
    for (int i = begin; i < end; i++) {
      hn_lanes t[T], u;
      HN_UNROLL for (int q = 0; q < T; q++) lanes_load(wide, 4, &t[q], self->tiles[i].c[q]);
      divide_by_diagonal(wide, t, diagonal, inverse);
      HN_UNROLL for (int q = 0; q < T; q++) {
        lanes_store(wide, 4, &t[q], self->tiles[i].c[q]);
        lanes_scale(wide, 4, &u, d[q], &t[q]);
        lanes_store(wide, 4, &u, self->scaled[i - begin].c[q]);
      }
    }
    take_off(wide, self, j);
  }
}

HN_VARIANTS(factor, (hn_sparse_tiles * self), (self))

int hn_sparse_tiles_factor(hn_sparse_tiles *self) {
  HN_PICK(self->wide, factor)(self);
  int is_positive = 1;
  for (int i = 0; i < T * self->count; i++) is_positive &= self->d[i] > 0;
  return is_positive;
}

// ---- solution -----------------------------------------------------------------------------------

HN_INLINE void solve(int wide, const hn_sparse_tiles *self, double *x) {
  for (int j = 0; j < self->count; j++) {
    hn_lanes sum;
    tile_times(wide, &sum, &self->tiles[self->start[j]], &x[T * j]);
    lanes_store(wide, 4, &sum, &x[T * j]);
    for (int e = self->start[j] + 1; e < self->start[j + 1]; e++) {
      double *to = &x[T * self->row[e]];
      lanes_load(wide, 4, &sum, to);
      tile_subtract_times(wide, &sum, &self->tiles[e], &x[T * j]);
      lanes_store(wide, 4, &sum, to);
    }
  }
  for (int i = 0; i < T * self->count; i++) x[i] *= self->inverse[i];
  for (int j = self->count - 1; j >= 0; j--) {
    hn_lanes part[T] = {{{0}}, {{0}}, {{0}}, {{0}}}, column, other;
    double y[T];
    for (int e = self->start[j] + 1; e < self->start[j + 1]; e++) {
      lanes_load(wide, 4, &other, &x[T * self->row[e]]);
      HN_UNROLL for (int q = 0; q < T; q++) {
        lanes_load(wide, 4, &column, self->tiles[e].c[q]);
        lanes_add_product(wide, 4, &part[q], &column, &other);
      }
    }
    HN_UNROLL for (int q = 0; q < T; q++) y[q] = x[T * j + q] - lanes_sum(wide, 4, &part[q]);
    tile_back(&self->tiles[self->start[j]], y, &x[T * j]);
  }
}

HN_VARIANTS(solve, (const hn_sparse_tiles *self, double *x), (self, x))

void hn_sparse_tiles_solve(hn_sparse_tiles *self, double *b) {
  for (int k = 0; k < self->empties; k++) self->x[self->empty[k]] = 0;
  for (int i = 0; i < self->n; i++) self->x[self->at[i]] = b[i];
  HN_PICK(self->wide, solve)(self, self->x);
  for (int i = 0; i < self->n; i++) b[i] = self->x[self->at[i]];
}

void hn_sparse_tiles_solve_placed(hn_sparse_tiles *self, double *x) {
  HN_PICK(self->wide, solve)(self, x);
}

const int *hn_sparse_tiles_unknowns(const hn_sparse_tiles *self, int *place_count) {
  *place_count = T * self->count;
  return self->at;
}

double hn_sparse_tiles_operations(const hn_sparse_tiles *self) { return self->operations; }
