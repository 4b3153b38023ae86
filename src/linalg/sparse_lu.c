// See sparse_lu.h. Rows keep their numbers; place k is where the k-th column has its pivot.
#include "linalg/sparse_lu.h"

#include <math.h>
#include <string.h>

// Columns one behind the other.
typedef struct columns {
  int *index;
  double *value;
  size_t room;
  size_t *start; // (n + 1)
} columns;

struct hn_sparse_lu {
  hn_arena arena;
  int n, count;
  int *place_of;  // of a row, or -1 (n)
  int *pivot_row; // (n)
  double *pivot;  // (n)
  columns l, u;   // l by rows, without its ones; u by places, without the pivots
  double *x;      // the column being made, by rows: zero between calls (n)
  double *spare;  // (n)
  int *mark;      // of rows: the number of the column that saw them last (n)
  int stamp;
  int *seen;    // rows of the column without a place (n)
  int *order;   // places it depends on, to be read from the end (n)
  int *stack;   // (n)
  size_t *next; // where the search continues in a column of l (n)
};

static void take_columns(hn_arena *arena, columns *c, int n) {
  c->start = HN_TAKE(arena, size_t, n + 1);
}

hn_status hn_sparse_lu_create(const hn_allocator *allocator, int n, hn_sparse_lu **out) {
  hn_sparse_lu *lu = hn_allocate(allocator, sizeof *lu);
  *out = NULL;
  if (!lu) return HN_ERROR_MEMORY;
  memset(lu, 0, sizeof *lu);
  hn_arena_init(&lu->arena, allocator);
  hn_arena *arena = &lu->arena;
  lu->n = n;
  lu->place_of = HN_TAKE(arena, int, n + 1);
  lu->pivot_row = HN_TAKE(arena, int, n + 1);
  lu->mark = HN_TAKE(arena, int, n + 1);
  lu->seen = HN_TAKE(arena, int, n + 1);
  lu->order = HN_TAKE(arena, int, n + 1);
  lu->stack = HN_TAKE(arena, int, n + 1);
  lu->next = HN_TAKE(arena, size_t, n + 1);
  lu->pivot = HN_TAKE(arena, double, n + 1);
  lu->x = HN_TAKE(arena, double, n + 1);
  lu->spare = HN_TAKE(arena, double, n + 1);
  take_columns(arena, &lu->l, n);
  take_columns(arena, &lu->u, n);
  if (arena->failed) {
    hn_sparse_lu_free(lu);
    return HN_ERROR_MEMORY;
  }
  hn_sparse_lu_clear(lu);
  *out = lu;
  return HN_OK;
}

void hn_sparse_lu_free(hn_sparse_lu *lu) {
  if (!lu) return;
  const hn_allocator allocator = lu->arena.allocator;
  columns *both[] = {&lu->l, &lu->u};
  for (int k = 0; k < 2; k++) {
    hn_release(&allocator, both[k]->index);
    hn_release(&allocator, both[k]->value);
  }
  hn_arena_release(&lu->arena);
  hn_release(&allocator, lu);
}

void hn_sparse_lu_clear(hn_sparse_lu *lu) {
  lu->count = 0;
  for (int i = 0; i < lu->n; i++) lu->place_of[i] = -1;
  lu->l.start[0] = lu->u.start[0] = 0;
}

int hn_sparse_lu_count(const hn_sparse_lu *lu) { return lu->count; }

static int make_room(hn_sparse_lu *lu, columns *c, size_t wanted) {
  if (wanted <= c->room) return 1;
  const size_t room = 2 * wanted + 1024;
  int *index =
      hn_reallocate(&lu->arena.allocator, c->index, c->room * sizeof *index, room * sizeof *index);
  if (!index) return 0;
  c->index = index;
  double *value =
      hn_reallocate(&lu->arena.allocator, c->value, c->room * sizeof *value, room * sizeof *value);
  if (!value) return 0;
  c->value = value;
  c->room = room;
  return 1;
}

// Rows that are reached from `row` in L; those with a place go to `order` when all behind them are
// there. Returns the new length of order.
static int search(hn_sparse_lu *lu, int row, int ordered, int *seen_count) {
  int depth = 0;
  lu->mark[row] = lu->stamp;
  if (lu->place_of[row] < 0) {
    lu->seen[(*seen_count)++] = row;
    return ordered;
  }
  lu->stack[0] = lu->place_of[row];
  lu->next[0] = lu->l.start[lu->stack[0]];
  while (depth >= 0) {
    const int place = lu->stack[depth];
    const size_t end = lu->l.start[place + 1];
    size_t k = lu->next[depth];
    while (k < end && lu->mark[lu->l.index[k]] == lu->stamp) k++;
    if (k == end) {
      lu->order[ordered++] = place;
      depth--;
      continue;
    }
    const int other = lu->l.index[k];
    lu->next[depth] = k + 1;
    lu->mark[other] = lu->stamp;
    if (lu->place_of[other] < 0) {
      lu->seen[(*seen_count)++] = other;
    } else {
      lu->stack[++depth] = lu->place_of[other];
      lu->next[depth] = lu->l.start[lu->stack[depth]];
    }
  }
  return ordered;
}

// Eliminates the column in x: L x = column, by places in their order.
static void eliminate(hn_sparse_lu *lu, int ordered) {
  for (int k = ordered - 1; k >= 0; k--) {
    const int place = lu->order[k];
    const double factor = lu->x[lu->pivot_row[place]];
    if (factor == 0) continue;
    for (size_t i = lu->l.start[place]; i < lu->l.start[place + 1]; i++)
      lu->x[lu->l.index[i]] -= lu->l.value[i] * factor;
  }
}

static void forget(hn_sparse_lu *lu, int ordered, int seen) {
  for (int k = 0; k < ordered; k++) lu->x[lu->pivot_row[lu->order[k]]] = 0;
  for (int k = 0; k < seen; k++) lu->x[lu->seen[k]] = 0;
}

static void keep(hn_sparse_lu *lu, int ordered, int seen, int row) {
  const int place = lu->count++;
  const double pivot = lu->x[row];
  size_t u = lu->u.start[place], l = lu->l.start[place];
  lu->pivot[place] = pivot;
  lu->pivot_row[place] = row;
  lu->place_of[row] = place;
  for (int k = 0; k < ordered; k++) {
    const double value = lu->x[lu->pivot_row[lu->order[k]]];
    if (value == 0) continue;
    lu->u.index[u] = lu->order[k];
    lu->u.value[u++] = value;
  }
  for (int k = 0; k < seen; k++) {
    if (lu->seen[k] == row || lu->x[lu->seen[k]] == 0) continue;
    lu->l.index[l] = lu->seen[k];
    lu->l.value[l++] = lu->x[lu->seen[k]] / pivot;
  }
  lu->u.start[place + 1] = u;
  lu->l.start[place + 1] = l;
}

hn_status hn_sparse_lu_add(hn_sparse_lu *lu, const int *rows, const double *values, int count,
                           double least, int *is_taken) {
  int ordered = 0, seen = 0, best = -1;
  double whole = 0, most = 0;
  *is_taken = 0;
  if (lu->count == lu->n) return HN_OK;
  lu->stamp++;
  for (int k = 0; k < count; k++) {
    if (lu->mark[rows[k]] != lu->stamp) ordered = search(lu, rows[k], ordered, &seen);
    lu->x[rows[k]] += values[k];
  }
  if (!make_room(lu, &lu->u, lu->u.start[lu->count] + (size_t)ordered) ||
      !make_room(lu, &lu->l, lu->l.start[lu->count] + (size_t)seen)) {
    forget(lu, ordered, seen);
    return HN_ERROR_MEMORY;
  }
  for (int k = 0; k < count; k++) whole = fmax(whole, fabs(lu->x[rows[k]]));
  eliminate(lu, ordered);
  for (int k = 0; k < seen; k++)
    if (fabs(lu->x[lu->seen[k]]) > most) {
      most = fabs(lu->x[lu->seen[k]]);
      best = lu->seen[k];
    }
  *is_taken = best >= 0 && most > least * whole;
  if (*is_taken) keep(lu, ordered, seen, best);
  forget(lu, ordered, seen);
  return HN_OK;
}

void hn_sparse_lu_solve(hn_sparse_lu *lu, double *x) {
  double *b = lu->spare;
  memcpy(b, x, (size_t)lu->n * sizeof(double));
  for (int k = 0; k < lu->count; k++) {
    const double factor = b[lu->pivot_row[k]];
    if (factor == 0) continue;
    for (size_t i = lu->l.start[k]; i < lu->l.start[k + 1]; i++)
      b[lu->l.index[i]] -= lu->l.value[i] * factor;
  }
  for (int k = lu->count - 1; k >= 0; k--) {
    x[k] = b[lu->pivot_row[k]] / lu->pivot[k];
    if (x[k] == 0) continue;
    for (size_t i = lu->u.start[k]; i < lu->u.start[k + 1]; i++)
      b[lu->pivot_row[lu->u.index[i]]] -= lu->u.value[i] * x[k];
  }
}

void hn_sparse_lu_solve_transposed(hn_sparse_lu *lu, double *x) {
  double *z = lu->spare;
  for (int k = 0; k < lu->count; k++) {
    double sum = x[k];
    for (size_t i = lu->u.start[k]; i < lu->u.start[k + 1]; i++)
      sum -= lu->u.value[i] * z[lu->u.index[i]];
    z[k] = sum / lu->pivot[k];
  }
  for (int k = lu->count - 1; k >= 0; k--) {
    double sum = z[k];
    for (size_t i = lu->l.start[k]; i < lu->l.start[k + 1]; i++)
      sum -= lu->l.value[i] * x[lu->l.index[i]];
    x[lu->pivot_row[k]] = sum;
  }
}
