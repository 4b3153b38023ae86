// Fronts: a set of unknowns that are eliminated together, with all that they are coupled to then, as
// one dense matrix. What is left of it after its pivots is added to the front above. With rows in
// lanes of four,
//
//   u_k = row k right of the pivot,   L(i, k) = F(i, k) / d_k,   F(i, :) -= L(i, k) u_k
//
// four pivots k at a time, so that a row below is read and written once for four. Rows u and columns
// of L are stored apart; what they hold left of and above the pivots is not read. Fronts begin as
// single columns of the sparse factors and grow upwards while that costs less than it saves (join).
// Not here: solutions (fronts_solve.c).
#include "linalg/fronts_private.h"

#include <math.h>
#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/ldl_private.h"

#define NOISE 1e-15
enum { LANES = HN_FRONT_LANES };
// Fronts may take so many times the room of the factors, and so much more.
enum { ROOM_SHARE = 6, ROOM_LEAST = 4096 };

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

// Sizes of all fronts; 0 when they take too much room.
static int measure(hn_fronts *self, growing *g, int *indices, int *factors) {
  long room = 0, numbers = 0, all = 0;
  int count = 0;
  for (int k = 0; k < g->n; k++) {
    if (g->pivots[k] == 0) continue;
    int others = structure(g, k), size = g->pivots[k] + others, stride = hn_whole_lanes(size);
    g->place[k] = count;
    self->fronts[count++] = (front){.pivots = g->pivots[k],
                                    .size = size,
                                    .stride = stride,
                                    .first = (int)all,
                                    .room = (int)room,
                                    .factors = (int)numbers};
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
  self->u = HN_TAKE(arena, double, numbers + LANES); // solutions read four at a time
  self->l = HN_TAKE(arena, double, numbers + LANES);
  self->inverse = HN_TAKE(arena, double, n);
  self->begin = HN_TAKE(arena, double, n);
  self->wide = hn_block_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  fill(self, &g);
  status = hn_fronts_make_panels(arena, self);
  if (status == HN_OK) *fronts = self;
  return status;
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

// ---- numbers ------------------------------------------------------------------------------------

double *hn_fronts_begin(hn_fronts *self) {
  memset(self->room, 0, (size_t)self->room_size * sizeof(double));
  return self->room;
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

// A pivot, or what stands for it.
static double settle(hn_fronts *self, int unknown, double d, const signed char *signs, double tiny,
                     int is_definite) {
  const double begin = self->begin[unknown], noise = NOISE * (fabs(begin) + fabs(begin - d));
  const double least = noise > tiny ? noise : tiny;
  if ((is_definite ? signs[unknown] * d : fabs(d)) >= least) return d;
  self->replaced++; // also when d is not a number
  return signs[unknown] * least;
}

// `count` rows of a, `stride` apart: row i -= sum over q of l(q, i) u(q, :), `lanes` numbers long.
HN_INLINE void subtract(int wide, int pivots, double *a, int stride, int count, int lanes,
                        const double *l, const double *u) {
  for (int i = 0; i < count; i++, a += stride) {
    const double *factor = l + i;
    double f[LANES];
    HN_UNROLL for (int q = 0; q < pivots; q++) f[q] = factor[q * stride];
    for (int j = 0; j < lanes; j += LANES) {
      hn_lanes row, part;
      lanes_load(wide, LANES, &row, &a[j]);
      HN_UNROLL for (int q = 0; q < pivots; q++) {
        lanes_load(wide, LANES, &part, &u[q * stride + j]);
        lanes_subtract(wide, LANES, &row, f[q], &part);
      }
      lanes_store(wide, LANES, &row, &a[j]);
    }
  }
}

// Pivots k ... k + pivots - 1 of a front, k a multiple of LANES: first among themselves, then all of
// them off the rows below.
HN_INLINE void eliminate(int wide, int pivots, hn_fronts *self, const front *f, double *a, int k,
                         const signed char *signs, double tiny, int is_definite) {
  const int stride = f->stride, *index = &self->index[f->first];
  double *u = &self->u[f->factors + k * stride], *l = &self->l[f->factors + k * stride];
  double inverse[LANES];
  HN_UNROLL for (int q = 0; q < pivots; q++) {
    double *row = &a[(k + q) * stride];
    const int unknown = index[k + q];
    inverse[q] = 1 / settle(self, unknown, row[k + q], signs, tiny, is_definite);
    self->inverse[unknown] = inverse[q];
    for (int j = k; j < stride; j += LANES) {
      hn_lanes x;
      lanes_load(wide, LANES, &x, &row[j]);
      lanes_store(wide, LANES, &x, &u[q * stride + j]);
    }
    for (int s = q + 1; s < pivots; s++)
      l[q * stride + k + s] = a[(k + s) * stride + k + q] * inverse[q];
    subtract(wide, 1, &a[(k + q + 1) * stride + k], stride, pivots - q - 1, stride - k,
             &l[q * stride + k + q + 1], &u[q * stride + k]);
  }
  for (int i = k + pivots; i < f->size; i++) {
    double x[LANES];
    HN_UNROLL for (int q = 0; q < pivots; q++) {
      x[q] = a[i * stride + k + q];
      HN_UNROLL for (int p = 0; p < q; p++) x[q] -= x[p] * u[p * stride + k + q];
      x[q] *= inverse[q];
      l[q * stride + i] = x[q];
    }
  }
  const int begin = pivots == LANES ? k + LANES : k;
  subtract(wide, pivots, &a[(k + pivots) * stride + begin], stride, f->size - k - pivots,
           stride - begin, &l[k + pivots], &u[begin]);
}

HN_INLINE void factor(int wide, hn_fronts *self, const signed char *signs, double tiny,
                      int is_definite) {
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    double *a = &self->room[f->room];
    int k = 0;
    for (int i = 0; i < f->pivots; i++)
      self->begin[self->index[f->first + i]] = a[i * f->stride + i];
    for (; k + LANES <= f->pivots; k += LANES)
      eliminate(wide, LANES, self, f, a, k, signs, tiny, is_definite);
    switch (f->pivots - k) {
    case 1: eliminate(wide, 1, self, f, a, k, signs, tiny, is_definite); break;
    case 2: eliminate(wide, 2, self, f, a, k, signs, tiny, is_definite); break;
    case 3: eliminate(wide, 3, self, f, a, k, signs, tiny, is_definite); break;
    default: break;
    }
    if (f->parent >= 0) add_up(self, f, a);
  }
}

HN_VARIANTS(factor, (hn_fronts * self, const signed char *signs, double tiny, int is_definite),
            (self, signs, tiny, is_definite))

int hn_fronts_factor(hn_fronts *self, const signed char *signs, double tiny, int is_definite) {
  self->replaced = 0;
  HN_PICK(self->wide, factor)(self, signs, tiny, is_definite);
  hn_fronts_fill_panels(self);
  return self->replaced;
}

double hn_fronts_pivot(const hn_fronts *self, int i) { return 1 / self->inverse[i]; }
