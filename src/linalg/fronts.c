// Fronts: a set of unknowns that are eliminated together, with all that they are coupled to then, as one
// dense matrix. What is left of it after its pivots is added to the front above. With rows in lanes of
// four,
//
//   for each pivot k:   u_k = row k right of the pivot,  L(i, k) = F(i, k) / d_k,  F(i, :) -= L(i, k) u_k
//
// u_k and column k of L are stored apart, with zeros up to the pivot, so that all loops run over whole
// lanes. Fronts begin as single columns of the sparse factors and grow upwards while that costs less than
// it saves (join).
#include "linalg/fronts.h"

#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/ldl_private.h"

#define NOISE 1e-15
// Fronts may take so many times the room of the factors, and so much more.
enum { ROOM_SHARE = 6, ROOM_LEAST = 4096, LANES = 4 };

typedef struct front {
  int pivots, size; // unknowns eliminated here; with those they are coupled to
  int stride;       // of rows: size up to whole lanes
  int parent;       // -1: none
  int first;        // of index and up
  int room;         // first number of its matrix
  int factors;      // first number of its rows of U and columns of L
} front;

struct hn_fronts {
  int n, count;
  front *fronts;   // children before parents
  int *index;      // unknowns of each front, pivots first
  int *up;         // their places in the front above (behind the pivots)
  int *home;       // front in which an unknown is eliminated (n)
  int room_size;   // numbers of all matrices
  double *room;    // matrices
  double *u, *l;   // rows of U, columns of L
  double *inverse; // of pivots, by unknown (n)
  double *terms;   // sizes of what the diagonal was summed from, by unknown (n)
  double *x;       // right side of one front
  int wide;
  double operations;
};

// ---- set-up -------------------------------------------------------------------------------------

// While fronts grow: by column of the factors in postorder.
typedef struct growing {
  int n;
  const hn_ldl *factors;
  int *parent;       // column (n); -1: none
  int *pivots;       // of the front that ends in this column; 0: joined to one above (n)
  int *into;         // the column whose front it is part of (n)
  int *first, *next; // pivots of a front in order: a list by its last column (n)
  int *place;        // of a front; work (n)
} growing;

static int structure(const growing *g, int k) {
  return g->factors->l_start[k + 1] - g->factors->l_start[k];
}

// What a front costs: numbers of work in lanes, assembly and what is done once.
static double cost(int pivots, int others) {
  double sum = 200, size = pivots + others;
  for (int k = 1; k <= pivots; k++) sum += (size - k) * (size - k) + 4 * (size - k) + 40;
  return sum + 2 * (double)others * others;
}

// The front of column k becomes part of the one its rest goes to, where that costs less.
static void join(growing *g, int k) {
  int p = g->parent[k];
  if (p < 0) return;
  double apart = cost(g->pivots[k], structure(g, k)) + cost(g->pivots[p], structure(g, p));
  if (cost(g->pivots[k] + g->pivots[p], structure(g, p)) > apart) return;
  g->next[k] = g->first[p]; // column k is its last, and they come before those that are there
  g->first[p] = g->first[k];
  g->pivots[p] += g->pivots[k];
  g->pivots[k] = 0;
  g->into[k] = p;
}

static hn_status grow(hn_arena *scratch, const hn_ldl *factors, growing *g) {
  int n = factors->n;
  *g = (growing){.n = n, .factors = factors};
  int **lists[] = {&g->parent, &g->pivots, &g->into, &g->first, &g->next, &g->place};
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) *lists[k] = HN_TAKE(scratch, int, n);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < n; k++) {
    g->parent[k] = structure(g, k) > 0 ? factors->l_row[factors->l_start[k]] : -1;
    g->pivots[k] = 1;
    g->into[k] = g->first[k] = k;
    g->next[k] = -1;
  }
  // A column joins when all below it have: parents are still whole columns then.
  for (int k = 0; k < n; k++) join(g, k);
  return HN_OK;
}

static int whole_lanes(int size) { return (size + LANES - 1) / LANES * LANES; }

// Sizes of all fronts; 0 when they take too much room.
static int measure(hn_fronts *self, growing *g, int *indices, int *factors) {
  long room = 0, numbers = 0, all = 0;
  int count = 0;
  for (int k = 0; k < g->n; k++) {
    if (g->pivots[k] == 0) continue;
    int others = structure(g, k), size = g->pivots[k] + others, stride = whole_lanes(size);
    g->place[k] = count;
    self->fronts[count++] = (front){.pivots = g->pivots[k],
                                    .size = size,
                                    .stride = stride,
                                    .first = (int)all,
                                    .room = (int)room,
                                    .factors = (int)numbers};
    for (int i = 1; i <= g->pivots[k]; i++) self->operations += (double)(size - i) * (size - i + 1);
    all += size;
    room += (long)size * stride;
    numbers += (long)g->pivots[k] * stride;
    if (room > ROOM_SHARE * (long)g->factors->l_start[g->n] + ROOM_LEAST + 64L * g->n) return 0;
  }
  self->count = count;
  self->room_size = (int)room;
  *indices = (int)all;
  *factors = (int)numbers;
  return 1;
}

static int place_in(const hn_fronts *self, const front *f, int unknown) {
  for (int i = 0; i < f->size; i++)
    if (self->index[f->first + i] == unknown) return i;
  return -1;
}

static void fill(hn_fronts *self, const growing *g) {
  const hn_ldl *a = g->factors;
  for (int k = 0; k < g->n; k++) {
    if (g->pivots[k] == 0) continue;
    front *f = &self->fronts[g->place[k]];
    int at = f->first;
    for (int j = g->first[k]; j >= 0; j = g->next[j]) {
      self->home[a->order[j]] = g->place[k];
      self->index[at++] = a->order[j];
    }
    for (int p = a->l_start[k]; p < a->l_start[k + 1]; p++)
      self->index[at++] = a->order[a->l_row[p]];
    int up = g->parent[k];
    while (up >= 0 && g->into[up] != up) up = g->into[up];
    f->parent = up < 0 ? -1 : g->place[up];
  }
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    for (int i = f->pivots; i < f->size; i++)
      self->up[f->first + i] = place_in(self, &self->fronts[f->parent], self->index[f->first + i]);
  }
}

// Columns so that those of a subtree of the elimination tree follow each other.
static hn_status postorder(hn_arena *scratch, const hn_ldl *factors, int *order) {
  int n = factors->n, at = 0;
  int *child = HN_TAKE(scratch, int, n + 1), *sibling = HN_TAKE(scratch, int, n);
  int *stack = HN_TAKE(scratch, int, n + 1);
  if (scratch->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k <= n; k++) child[k] = -1;
  for (int k = n - 1; k >= 0; k--) {
    int up =
        factors->l_start[k + 1] > factors->l_start[k] ? factors->l_row[factors->l_start[k]] : n;
    sibling[k] = child[up];
    child[up] = k;
  }
  int depth = 0;
  stack[depth] = n;
  while (depth >= 0) {
    int k = stack[depth], down = child[k];
    if (down >= 0) {
      child[k] = sibling[down];
      stack[++depth] = down;
    } else {
      if (k < n) order[at++] = factors->order[k];
      depth--;
    }
  }
  return HN_OK;
}

static hn_status make(hn_arena *arena, hn_arena *scratch, int n, const int *column_start,
                      const int *row_index, const int *order, hn_fronts **fronts) {
  hn_ldl *factors = NULL;
  growing g;
  hn_fronts *self = HN_TAKE(arena, hn_fronts, 1);
  int *postordered = HN_TAKE(scratch, int, n);
  if (!self || !postordered) return HN_ERROR_MEMORY;
  hn_status status = hn_ldl_create_ordered(scratch, n, column_start, row_index, order, &factors);
  if (status == HN_OK) status = postorder(scratch, factors, postordered);
  if (status == HN_OK)
    status = hn_ldl_create_ordered(scratch, n, column_start, row_index, postordered, &factors);
  if (status == HN_OK) status = grow(scratch, factors, &g);
  if (status != HN_OK) return status;
  int indices, numbers;
  self->n = n;
  self->fronts = HN_TAKE(arena, front, n);
  if (!self->fronts) return HN_ERROR_MEMORY;
  if (!measure(self, &g, &indices, &numbers)) return HN_OK;
  self->index = HN_TAKE(arena, int, indices);
  self->up = HN_TAKE(arena, int, indices);
  self->home = HN_TAKE(arena, int, n);
  self->room = HN_TAKE(arena, double, self->room_size);
  self->u = HN_TAKE(arena, double, numbers);
  self->l = HN_TAKE(arena, double, numbers);
  self->inverse = HN_TAKE(arena, double, n);
  self->terms = HN_TAKE(arena, double, n);
  self->x = HN_TAKE(arena, double, whole_lanes(n));
  self->wide = hn_block_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  fill(self, &g);
  *fronts = self;
  return HN_OK;
}

hn_status hn_fronts_create(hn_arena *arena, int n, const int *column_start, const int *row_index,
                           const int *order, hn_fronts **fronts) {
  hn_arena scratch;
  *fronts = NULL;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = make(arena, &scratch, n, column_start, row_index, order, fronts);
  hn_arena_release(&scratch);
  return status;
}

int hn_fronts_place(const hn_fronts *self, int i, int j) {
  // in the front of the one that goes first
  int home = self->home[i] < self->home[j] ? self->home[i] : self->home[j];
  const front *f = &self->fronts[home];
  int row = place_in(self, f, i), column = place_in(self, f, j);
  return row < 0 || column < 0 ? -1 : f->room + row * f->stride + column;
}

int hn_fronts_count(const hn_fronts *self) { return self->count; }
double hn_fronts_operations(const hn_fronts *self) { return self->operations; }

// ---- numbers ------------------------------------------------------------------------------------

double *hn_fronts_begin(hn_fronts *self) {
  memset(self->room, 0, (size_t)self->room_size * sizeof(double));
  return self->room;
}

// Up to so many lanes at a time stay in registers.
enum { MOST_GROUPS = 6 };

// rows of `count` numbers of a: row i -= factor[i] u, where factor is not 0. groups is a constant.
HN_INLINE void subtract_rows(int wide, int groups, double *a, int stride, int count,
                             const double *factor, const double *u) {
  hn_lanes pivot[MOST_GROUPS], row;
  HN_UNROLL for (int g = 0; g < groups; g++) lanes_load(wide, LANES, &pivot[g], &u[LANES * g]);
  for (int i = 0; i < count; i++, a += stride) {
    const double f = factor[i];
    if (f == 0) continue;
    HN_UNROLL for (int g = 0; g < groups; g++) {
      lanes_load(wide, LANES, &row, &a[LANES * g]);
      lanes_subtract(wide, LANES, &row, f, &pivot[g]);
      lanes_store(wide, LANES, &row, &a[LANES * g]);
    }
  }
}

HN_INLINE void subtract_all(int wide, int groups, double *a, int stride, int count,
                            const double *factor, const double *u) {
  for (; groups > MOST_GROUPS; groups -= MOST_GROUPS) {
    subtract_rows(wide, MOST_GROUPS, a, stride, count, factor, u);
    a += LANES * MOST_GROUPS;
    u += LANES * MOST_GROUPS;
  }
  switch (groups) {
  case 1: subtract_rows(wide, 1, a, stride, count, factor, u); break;
  case 2: subtract_rows(wide, 2, a, stride, count, factor, u); break;
  case 3: subtract_rows(wide, 3, a, stride, count, factor, u); break;
  case 4: subtract_rows(wide, 4, a, stride, count, factor, u); break;
  case 5: subtract_rows(wide, 5, a, stride, count, factor, u); break;
  case 6: subtract_rows(wide, 6, a, stride, count, factor, u); break;
  default: break;
  }
}

// The rest of a front into the one above.
static void add_up(hn_fronts *self, const front *f, const double *a) {
  const front *above = &self->fronts[f->parent];
  const int *up = &self->up[f->first];
  double *to = &self->room[above->room];
  for (int i = f->pivots; i < f->size; i++) {
    double *restrict row = &to[up[i] * above->stride];
    const double *restrict from = &a[i * f->stride];
    for (int j = f->pivots; j < f->size; j++) row[up[j]] += from[j];
  }
}

HN_INLINE int eliminate(int wide, hn_fronts *self, const front *f, double *a,
                        const signed char *signs, double tiny) {
  const int stride = f->stride, *index = &self->index[f->first];
  int replaced = 0;
  for (int k = 0; k < f->pivots; k++) {
    const int begin = (k + 1) / LANES * LANES, unknown = index[k];
    double *u = &self->u[f->factors + k * stride], *l = &self->l[f->factors + k * stride];
    double d = a[k * stride + k];
    const double noise = NOISE * (self->terms[unknown] + fabs(d));
    const double least = noise > tiny ? noise : tiny;
    if (!(fabs(d) >= least)) { // also when d is not a number
      d = signs[unknown] * least;
      replaced++;
    }
    const double inverse = 1 / d;
    self->inverse[unknown] = inverse;
    for (int j = begin; j <= k; j++) u[j] = l[j] = 0;
    for (int j = k + 1; j < stride; j++) u[j] = a[k * stride + j];
    for (int i = k + 1; i < f->size; i++) {
      l[i] = a[i * stride + k] * inverse;
      self->terms[index[i]] += fabs(l[i] * u[i]);
    }
    subtract_all(wide, (stride - begin) / LANES, &a[(k + 1) * stride + begin], stride,
                 f->size - k - 1, &l[k + 1], &u[begin]);
  }
  return replaced;
}

HN_INLINE void factor(int wide, hn_fronts *self, const signed char *signs, double tiny,
                      int *replaced) {
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    double *a = &self->room[f->room];
    *replaced += eliminate(wide, self, f, a, signs, tiny);
    if (f->parent >= 0) add_up(self, f, a);
  }
}

HN_VARIANTS(factor, (hn_fronts * self, const signed char *signs, double tiny, int *replaced),
            (self, signs, tiny, replaced))

int hn_fronts_factor(hn_fronts *self, const signed char *signs, double tiny) {
  int replaced = 0;
  memset(self->terms, 0, (size_t)self->n * sizeof(double));
  HN_PICK(self->wide, factor)(self, signs, tiny, &replaced);
  return replaced;
}

HN_INLINE void forward(int wide, hn_fronts *self, double *x) {
  double *y = self->x;
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    const int *index = &self->index[f->first];
    const double *l = &self->l[f->factors];
    for (int i = 0; i < f->size; i++) y[i] = x[index[i]];
    for (int k = 0; k < f->pivots; k++, l += f->stride)
      for (int i = (k + 1) / LANES * LANES; i < f->stride; i += LANES) {
        hn_lanes column, part;
        lanes_load(wide, LANES, &column, &l[i]);
        lanes_load(wide, LANES, &part, &y[i]);
        lanes_subtract(wide, LANES, &part, y[k], &column);
        lanes_store(wide, LANES, &part, &y[i]);
      }
    for (int i = 0; i < f->size; i++) x[index[i]] = y[i];
  }
}

HN_INLINE void backward(int wide, hn_fronts *self, double *x) {
  double *y = self->x;
  for (int s = self->count - 1; s >= 0; s--) {
    const front *f = &self->fronts[s];
    const int *index = &self->index[f->first];
    for (int i = 0; i < f->size; i++) y[i] = x[index[i]];
    for (int i = f->size; i < f->stride; i++) y[i] = 0;
    for (int k = f->pivots - 1; k >= 0; k--) {
      const double *u = &self->u[f->factors + k * f->stride];
      hn_lanes sum = {{0}}, row, part;
      for (int j = (k + 1) / LANES * LANES; j < f->stride; j += LANES) {
        lanes_load(wide, LANES, &row, &u[j]);
        lanes_load(wide, LANES, &part, &y[j]);
        lanes_add_product(wide, LANES, &sum, &row, &part);
      }
      y[k] = (y[k] - lanes_sum(LANES, &sum)) * self->inverse[index[k]];
    }
    for (int k = 0; k < f->pivots; k++) x[index[k]] = y[k];
  }
}

HN_INLINE void solve(int wide, hn_fronts *self, double *x) {
  forward(wide, self, x);
  backward(wide, self, x);
}

HN_VARIANTS(solve, (hn_fronts * self, double *x), (self, x))

void hn_fronts_solve(hn_fronts *self, double *x) { HN_PICK(self->wide, solve)(self, x); }
