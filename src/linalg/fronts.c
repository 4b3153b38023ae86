// Fronts: a set of unknowns that are eliminated together, with all that they are coupled to then, as
// one dense matrix. They begin as single columns of the sparse factors and grow upwards while that costs
// less than it saves (join). Not here: numbers (fronts_factor.c, fronts_solve.c).
#include "linalg/fronts_private.h"

#include <string.h>

#include "linalg/block_lanes.h"
#include "linalg/ldl_private.h"

enum { LANES = HN_FRONT_LANES, SQUARE = LANES * LANES };
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
static int measure(hn_fronts *self, growing *g, int *indices) {
  long room = 0, all = 0;
  int count = 0;
  for (int k = 0; k < g->n; k++) {
    if (g->pivots[k] == 0) continue;
    int others = structure(g, k), size = g->pivots[k] + others, stride = hn_whole_lanes(size);
    g->place[k] = count;
    self->fronts[count++] = (front){.pivots = g->pivots[k],
                                    .size = size,
                                    .stride = stride,
                                    .first = (int)all,
                                    .room = (int)room};
    all += size;
    room += (long)size * stride;
    if (room > ROOM_SHARE * (long)g->factors->l_start[g->n] + ROOM_LEAST + 64L * g->n) return 0;
  }
  self->count = count;
  self->room_size = (int)room;
  *indices = (int)all;
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

static hn_status make_panels(hn_arena *arena, hn_fronts *self) {
  int slots = 0, far = 0, down = 0, back = 0, most = 0;
  for (int s = 0; s < self->count; s++) {
    front *f = &self->fronts[s];
    f->fours = hn_whole_lanes(f->pivots) / LANES;
    f->far_fours = hn_whole_lanes(f->size - f->pivots) / LANES;
    f->slot = slots;
    f->far = far;
    f->down = down;
    f->back = back;
    slots += f->fours * LANES;
    far += f->far_fours * LANES;
    down += (f->fours * (f->fours + 1) / 2 + f->fours * f->far_fours) * SQUARE;
    back += (f->fours * (f->fours + 1) / 2 + f->fours * f->far_fours) * SQUARE;
    if (f->far_fours > most) most = f->far_fours;
  }
  self->slots = slots;
  self->slot = HN_TAKE(arena, int, self->n);
  self->far_slot = HN_TAKE(arena, int, far);
  self->down = HN_TAKE(arena, double, down);
  self->back = HN_TAKE(arena, double, back);
  self->z = HN_TAKE(arena, double, slots + 1);
  self->y = HN_TAKE(arena, double, most *LANES);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    for (int i = 0; i < f->pivots; i++) self->slot[self->index[f->first + i]] = f->slot + i;
  }
  for (int s = 0; s < self->count; s++) {
    const front *f = &self->fronts[s];
    for (int i = 0; i < f->far_fours * LANES; i++) {
      int at = f->pivots + i;
      self->far_slot[f->far + i] = at < f->size ? self->slot[self->index[f->first + at]] : slots;
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
  int indices;
  self->n = n;
  self->fronts = HN_TAKE(arena, front, n);
  if (!self->fronts) return HN_ERROR_MEMORY;
  if (!measure(self, &g, &indices)) return HN_OK;
  self->index = HN_TAKE(arena, int, indices);
  self->up = HN_TAKE(arena, int, indices);
  self->home = HN_TAKE(arena, int, n);
  self->room = HN_TAKE(arena, double, self->room_size);
  self->inverse = HN_TAKE(arena, double, n);
  self->begin = HN_TAKE(arena, double, n);
  self->wide = hn_block_wide();
  if (arena->failed) return HN_ERROR_MEMORY;
  fill(self, &g);
  status = make_panels(arena, self);
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
