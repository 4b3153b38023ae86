// Set-up of a sparse factorization: the order of unknowns, how they are put into tiles, and which
// tiles there are. The order is changed so that subtrees of the elimination tree follow each other,
// which changes neither fill nor arithmetic. A tile may hold unknowns that are coupled differently,
// which fills it, or a new one starts where the coupling changes, and tiles stay partly empty: of
// three strategies the one with the fewest products is chosen. Padding is filled with the identity.
#include <limits.h>
#include <string.h>

#include "base/search.h"
#include "linalg/block.h"
#include "linalg/factors_private.h"
#include "linalg/order.h"

enum { T = HN_TILE };

// The upper triangle in an order: rows above the diagonal by columns (n + 1).
typedef struct columns {
  int n, *start, *row;
} columns;

// Result of eliminating columns, or groups of them; lists of as many numbers.
typedef struct forest {
  int *parent; // -1: none
  int *below;  // entries of L in a column below the diagonal
  int *left;   // and in a row before it
  int *flag;   // work
} forest;

static int take_forest(hn_arena *arena, int n, forest *f) {
  f->parent = HN_KEEP(arena, int, n);
  f->below = HN_KEEP(arena, int, n);
  f->left = HN_KEEP(arena, int, n);
  f->flag = HN_KEEP(arena, int, n);
  return !arena->failed;
}

static hn_status list_columns(hn_arena *scratch, int n, const int *column_start,
                              const int *row_index, const int *order, columns *c) {
  int *place = HN_TAKE(scratch, int, n);
  c->n = n;
  c->start = HN_TAKE(scratch, int, n + 2);
  c->row = HN_TAKE(scratch, int, column_start[n]);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) place[order[k]] = k;
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < n; j++)
      for (int e = column_start[j]; e < column_start[j + 1]; e++) {
        int a = place[row_index[e]], b = place[j], column = a > b ? a : b;
        if (a == b) continue;
        if (pass == 0)
          c->start[column + 2]++;
        else
          c->row[c->start[column + 1]++] = a > b ? b : a;
      }
    for (int j = 0; pass == 0 && j < n; j++) c->start[j + 2] += c->start[j + 1];
  }
  return HN_OK;
}

// Row k of L has an entry in every column on the paths of the elimination tree from the entries of
// A(:, k) up to k. group: of each column, ascending, -1: left out; null: each is one. rows null: not
// listed; else they follow next[j], ascending.
static void eliminate(const columns *c, const int *group, int groups, forest *f, int *next,
                      int *rows) {
  for (int k = 0; k < groups; k++) {
    f->parent[k] = -1;
    f->below[k] = f->left[k] = f->flag[k] = 0;
  }
  for (int column = 0; column < c->n; column++) {
    int k = group ? group[column] : column;
    if (k < 0) continue;
    f->flag[k] = k + 1;
    for (int e = c->start[column]; e < c->start[column + 1]; e++) {
      int i = group ? group[c->row[e]] : c->row[e];
      for (; i >= 0 && f->flag[i] != k + 1; i = f->parent[i]) {
        if (f->parent[i] < 0) f->parent[i] = k;
        if (rows) rows[next[i]++] = k;
        f->left[k]++;
        f->below[i]++;
        f->flag[i] = k + 1;
      }
    }
  }
}

// Multiply-adds of one triangle; of groups: products of tiles.
static double count_operations(int n, const forest *f, int of_groups) {
  double sum = 0;
  for (int k = 0; k < n; k++)
    sum += of_groups ? 0.5 * (f->below[k] + 1.0) * (f->below[k] + 2.0)
                     : 0.5 * f->below[k] * (f->below[k] + 3.0);
  return sum;
}

// ---- scalar elimination -------------------------------------------------------------------------

double hn_factors_count(hn_arena *scratch, int n, const int *column_start, const int *row_index,
                        const int *order) {
  columns c;
  forest f;
  if (list_columns(scratch, n, column_start, row_index, order, &c) != HN_OK ||
      !take_forest(scratch, n, &f))
    return -1;
  eliminate(&c, NULL, n, &f, NULL, NULL);
  return count_operations(n, &f, 0);
}

// Unknowns so that those of a subtree of the elimination tree follow each other, and their forest.
static hn_status postorder(hn_arena *scratch, int n, forest *f, int *order) {
  int *child = HN_TAKE(scratch, int, n + 1), *sibling = HN_TAKE(scratch, int, n);
  int *stack = HN_TAKE(scratch, int, n + 1), *from = HN_TAKE(scratch, int, n);
  int *place = HN_TAKE(scratch, int, n), *keep = HN_TAKE(scratch, int, n), at = 0, depth = 0;
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k <= n; k++) child[k] = -1;
  for (int k = n - 1; k >= 0; k--) {
    int up = f->parent[k] < 0 ? n : f->parent[k];
    sibling[k] = child[up];
    child[up] = k;
  }
  stack[0] = n;
  while (depth >= 0) {
    int k = stack[depth], down = child[k];
    if (down >= 0) {
      child[k] = sibling[down];
      stack[++depth] = down;
    } else {
      depth--;
      if (k == n) continue;
      place[k] = at;
      from[at++] = k;
    }
  }
  for (int k = 0; k < n; k++)
    if (f->parent[k] >= 0) f->parent[k] = place[f->parent[k]];
  int *lists[] = {order, f->parent, f->below, f->left};
  for (size_t l = 0; l < sizeof lists / sizeof lists[0]; l++) {
    memcpy(keep, lists[l], (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++) lists[l][k] = keep[from[k]];
  }
  return HN_OK;
}

// ---- tiles --------------------------------------------------------------------------------------

// 1 where column k has what k - 1 leaves.
static int goes_on(const forest *f, int k) {
  return f->parent[k - 1] == k && f->below[k - 1] == f->below[k] + 1;
}

// Columns that continue each other may be eliminated in any order where the matrix is definite.
// Those that fewer columns before them reach come first, so that the others share tiles. starts:
// first columns of equal groups (n).
static void sort_columns(int n, const forest *f, int *order, int *reached, unsigned char *begins) {
  for (int first = 0, end; first < n; first = end) {
    end = first + 1;
    while (end < n && goes_on(f, end)) end++;
    for (int k = first; k < end; k++) { // insertion, stable
      int unknown = order[k], mine = f->left[k] - (k - first), at = k;
      for (; at > first && reached[at - 1] > mine; at--) {
        reached[at] = reached[at - 1];
        order[at] = order[at - 1];
      }
      reached[at] = mine;
      order[at] = unknown;
    }
    for (int k = first; k < end; k++) begins[k] = k == first || reached[k] != reached[k - 1];
  }
}

// Start of a new tile: never, where the coupling changes, or where another subtree starts.
enum { NEVER, BY_COUPLING, BY_LIMB, WAYS };

static int is_limb(const forest *f, int k) {
  return k > 0 && f->parent[k - 1] != k && f->parent[k - 1] != f->parent[k];
}

// Places of columns. Returns how many tiles.
static int put_in_tiles(int n, const unsigned char *begins, const forest *f, int way, int *at) {
  int place = 0;
  for (int k = 0; k < n; k++) {
    if ((way == BY_COUPLING && begins[k]) || (way == BY_LIMB && is_limb(f, k)))
      place = (place + T - 1) / T * T;
    at[k] = place++;
  }
  return (place + T - 1) / T;
}

// The cheapest way: in self->at and by tiles of columns in `group`; `best` is the forest of these.
static hn_status pack(hn_arena *scratch, hn_factors *self, const columns *c, const int *order,
                      const unsigned char *begins, const forest *f, int *group, forest *best) {
  int n = self->n, *at = HN_TAKE(scratch, int, n), *tile = HN_TAKE(scratch, int, n);
  if (scratch->failed) return HN_ERROR_MEMORY;
  double least = 0;
  for (int way = NEVER; way < WAYS; way++) {
    forest tiles;
    int count = put_in_tiles(n, begins, f, way, at);
    for (int k = 0; k < n; k++) tile[k] = at[k] / T;
    if (!take_forest(scratch, count, &tiles)) return HN_ERROR_MEMORY;
    eliminate(c, tile, count, &tiles, NULL, NULL);
    double operations = count_operations(count, &tiles, 1);
    if (way > NEVER && operations >= least) continue;
    least = operations;
    *best = tiles;
    self->count = count;
    memcpy(group, tile, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++) self->at[order[k]] = at[k];
  }
  return HN_OK;
}

static hn_status make_columns(hn_arena *arena, hn_arena *scratch, hn_factors *self,
                              const columns *c, const int *group, forest *f) {
  int count = self->count, *next = HN_TAKE(scratch, int, count);
  self->start = HN_TAKE(arena, int, count + 1);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < count; j++) {
    if (self->start[j] > INT_MAX / (2 * T * T) - 1 - f->below[j]) return HN_ERROR_MEMORY;
    self->start[j + 1] = self->start[j] + 1 + f->below[j];
  }
  self->row = HN_TAKE(arena, int, self->start[count]);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < count; j++) {
    self->row[self->start[j]] = j;
    next[j] = self->start[j] + 1;
  }
  eliminate(c, group, count, f, next, self->row);
  return HN_OK;
}

static hn_status take_memory(hn_arena *arena, hn_factors *self, int entries, int is_symmetric) {
  int count = self->count, tiles = self->start[count], places = T * count;
  self->lower = HN_KEEP(arena, hn_tile, (is_symmetric ? 1 : 2) * (size_t)tiles);
  self->upper = is_symmetric || !self->lower ? self->lower : self->lower + tiles;
  self->scaled = HN_KEEP(arena, hn_tile, 2 * (size_t)count);
  self->d = HN_KEEP(arena, double, places);
  self->inverse = HN_KEEP(arena, double, places);
  self->begin = HN_KEEP(arena, double, places);
  self->x = HN_KEEP(arena, double, places);
  self->unknown = HN_KEEP(arena, int, places);
  self->places = HN_KEEP(arena, int, entries);
  if (!is_symmetric) self->mirrors = HN_TAKE(arena, int, entries);
  self->entries = entries;
  self->wide = hn_is_wide();
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static int find_tile(const hn_factors *self, int row, int column) {
  int tile = hn_first_from(self->row, self->start[column], self->start[column + 1] - 1, row);
  return self->row[tile] == row ? tile : -1;
}

int hn_factors_place(const hn_factors *self, int i, int j) {
  int a = self->at[i], b = self->at[j], low = a > b ? a : b, high = a > b ? b : a;
  int tile = find_tile(self, low / T, high / T);
  if (tile < 0) return -1;
  if (self->upper != self->lower) {
    if (a / T == b / T) return T * T * tile + T * (b % T) + a % T; // diagonal tiles are whole
    if (a < b) tile += self->start[self->count];
  }
  return T * T * tile + T * (high % T) + low % T;
}

static void find_places(hn_factors *self, const int *column_start, const int *row_index) {
  for (int j = 0; j < self->n; j++)
    for (int e = column_start[j]; e < column_start[j + 1]; e++) {
      self->places[e] = hn_factors_place(self, row_index[e], j);
      if (self->mirrors) self->mirrors[e] = hn_factors_place(self, j, row_index[e]);
    }
  for (int k = 0; k < T * self->count; k++) self->unknown[k] = -1;
  for (int i = 0; i < self->n; i++) self->unknown[self->at[i]] = i;
}

// The final order of unknowns, their forest, and the first of each group of equal coupling.
static hn_status choose_order(hn_arena *scratch, hn_factors *self, const int *column_start,
                              const int *row_index, int is_free, int *order, unsigned char *begins,
                              forest *f) {
  int n = self->n, *reached = HN_TAKE(scratch, int, n);
  columns c;
  hn_status status = list_columns(scratch, n, column_start, row_index, order, &c);
  if (status != HN_OK || !take_forest(scratch, n, f)) return HN_ERROR_MEMORY;
  eliminate(&c, NULL, n, f, NULL, NULL);
  status = postorder(scratch, n, f, order);
  if (status != HN_OK) return status;
  self->operations = count_operations(n, f, 0);
  for (int k = 0; k < n; k++) {
    self->fill += f->below[k];
    begins[k] = k == 0 || !goes_on(f, k);
  }
  if (is_free) sort_columns(n, f, order, reached, begins);
  return HN_OK;
}

static hn_status create(hn_arena *arena, hn_arena *scratch, hn_factors *self,
                        const int *column_start, const int *row_index, const int *given,
                        int is_symmetric) {
  int n = self->n, *order = HN_TAKE(scratch, int, n), *group = HN_TAKE(scratch, int, n);
  unsigned char *begins = HN_TAKE(scratch, unsigned char, n);
  self->at = HN_TAKE(arena, int, n);
  if (scratch->failed || arena->failed) return HN_ERROR_MEMORY;
  columns c;
  forest f, tiles;
  hn_status status = HN_OK;
  if (given)
    memcpy(order, given, (size_t)n * sizeof(int));
  else
    status = hn_order_matrix(scratch, n, column_start, row_index, order);
  if (status == HN_OK)
    status = choose_order(scratch, self, column_start, row_index, !given, order, begins, &f);
  if (status == HN_OK) status = list_columns(scratch, n, column_start, row_index, order, &c);
  if (status == HN_OK) status = pack(scratch, self, &c, order, begins, &f, group, &tiles);
  if (status == HN_OK) status = make_columns(arena, scratch, self, &c, group, &tiles);
  if (status == HN_OK) status = take_memory(arena, self, column_start[n], is_symmetric);
  if (status == HN_OK) find_places(self, column_start, row_index);
  return status;
}

hn_status hn_factors_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                            const int *order, int is_symmetric, hn_factors **factors) {
  hn_factors *self = HN_TAKE(arena, hn_factors, 1);
  *factors = NULL;
  if (!self) return HN_ERROR_MEMORY;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  self->n = n;
  hn_status status = create(arena, &scratch, self, column_start, row_index, order, is_symmetric);
  hn_arena_release(&scratch);
  if (status == HN_OK) *factors = self;
  return status;
}

// ---- without some unknowns ----------------------------------------------------------------------

// Entries that are left out go to a place after all others: its numbers are read and written, and
// not used.
struct hn_left_out {
  columns c; // in the order of the whole
  int *order;
  int *group; // tile of a column, -1: left out (n)
  int *next;  // (n)
  forest f;
  int tiles; // capacity for tiles
};

hn_status hn_factors_create_part(hn_arena *arena, const hn_factors *whole, const int *column_start,
                                 const int *row_index, hn_factors **part) {
  hn_factors *self = HN_KEEP(arena, hn_factors, 1);
  hn_left_out *left = HN_TAKE(arena, hn_left_out, 1);
  int n = whole->n, at = 0;
  *part = NULL;
  if (!self || !left) return HN_ERROR_MEMORY;
  *self = (hn_factors){.n = n, .count = n / T + 1, .left = left};
  self->unused = T * self->count;
  left->tiles = whole->start[whole->count] + self->count;
  left->order = HN_TAKE(arena, int, n);
  left->group = HN_KEEP(arena, int, n);
  left->next = HN_KEEP(arena, int, n);
  self->at = HN_KEEP(arena, int, n);
  self->start = HN_KEEP(arena, int, self->count + 2);
  self->row = HN_KEEP(arena, int, left->tiles);
  if (arena->failed || !take_forest(arena, n, &left->f)) return HN_ERROR_MEMORY;
  for (int k = 0; k < T * whole->count; k++)
    if (whole->unknown[k] >= 0) left->order[at++] = whole->unknown[k];
  hn_status status = list_columns(arena, n, column_start, row_index, left->order, &left->c);
  self->start[++self->count] = left->tiles + 1; // and one of each that is not used
  if (status == HN_OK) status = take_memory(arena, self, column_start[n], 1);
  if (status == HN_OK) *part = self;
  return status;
}

int hn_factors_leave_out(hn_factors *self, const unsigned char *gone, const int *column_start,
                         const int *row_index) {
  hn_left_out *left = self->left;
  int place = 0;
  for (int k = 0; k < self->n; k++) {
    int i = left->order[k];
    left->group[k] = gone[i] ? -1 : place / T;
    self->at[i] = gone[i] ? self->unused : place++;
  }
  self->count = (place + T - 1) / T;
  eliminate(&left->c, left->group, self->count, &left->f, NULL, NULL);
  for (int j = 0; j < self->count; j++) {
    self->start[j + 1] = self->start[j] + 1 + left->f.below[j];
    if (self->start[j + 1] > left->tiles) return 0;
    self->row[self->start[j]] = j;
    left->next[j] = self->start[j] + 1;
  }
  eliminate(&left->c, left->group, self->count, &left->f, left->next, self->row);
  for (int k = 0; k < T * self->count; k++) self->unknown[k] = k < place ? 0 : -1;
  for (int i = 0; i < self->n; i++)
    if (!gone[i]) self->unknown[self->at[i]] = i;
  for (int j = 0; j < self->n; j++)
    for (int e = column_start[j]; e < column_start[j + 1]; e++)
      self->places[e] = gone[j] || gone[row_index[e]] ? T * T * left->tiles
                                                      : hn_factors_place(self, row_index[e], j);
  return 1;
}
