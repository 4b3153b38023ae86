// See shifted.h.
#include "analysis/linear/shifted.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"

typedef struct entry {
  int row, column;
  double value;
} entry;

struct hn_shifted {
  hn_arena arena;
  hn_linear_point *p;
  double sigma;
  int size; // 3 n + rows
  hn_gradient *gradients;
  hn_sparse_lu *lu;
  int *unknown; // which unknown each column is (size)
  // while it is made
  entry *entries;
  size_t count, room;
  // work
  double *b;              // (size)
  double *p1, *p2, *rate; // P r1, P r2, X r1 (n)
};

// ---- the matrix ---------------------------------------------------------------------------------

static int add(hn_shifted *s, int row, int column, double value) {
  if (value == 0) return 1;
  if (s->count == s->room) {
    const size_t room = 2 * s->room + 4096;
    entry *entries = hn_reallocate(&s->arena.allocator, s->entries, s->room * sizeof *entries,
                                   room * sizeof *entries);
    if (!entries) return 0;
    s->entries = entries;
    s->room = room;
  }
  s->entries[s->count++] = (entry){row, column, value};
  return 1;
}

static int add_matrix(hn_shifted *s, const hn_sparse *a, int row, int column) {
  for (int i = 0; i < a->rows; i++)
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
      if (!add(s, row + i, column + a->index[k], a->value[k])) return 0;
  return 1;
}

// Rows of Phi_q, or of its rates, that are independent.
static int add_rows(hn_shifted *s, const hn_sparse *a, double factor, int row, int column) {
  const hn_linear_point *p = s->p;
  for (int r = 0; r < p->row_count; r++)
    for (int k = a->start[p->row[r]]; k < a->start[p->row[r] + 1]; k++)
      if (!add(s, row + r, column + a->index[k], factor * a->value[k])) return 0;
  return 1;
}

static int add_reactions(hn_shifted *s) {
  const hn_linear_point *p = s->p;
  const hn_sparse *a = &p->tangent->phi_q;
  for (int r = 0; r < p->row_count; r++)
    for (int k = a->start[p->row[r]]; k < a->start[p->row[r] + 1]; k++)
      if (!add(s, a->index[k], 3 * p->n + r, a->value[k])) return 0;
  return 1;
}

// Quantities in the last two groups of equations.
static int add_quantities(hn_shifted *s) {
  const hn_linear_point *p = s->p;
  const int n = p->n, first = n + p->row_count, second = first + n;
  for (int k = 0; k < p->freedoms; k++) {
    const hn_gradient *g = &s->gradients[k];
    for (int i = 0; i < HN_LOCAL; i++) {
      if (g->body[i / 7] == HN_GROUND) continue;
      const int at = 7 * (g->body[i / 7] - 1) + i % 7, e = p->row_count + k;
      if (!add(s, first + e, n + at, g->s[i]) ||
          !add(s, first + e, at, g->sd[i] - s->sigma * g->s[i]) ||
          !add(s, second + e, 2 * n + at, g->s[i]) || !add(s, second + e, n + at, 2 * g->sd[i]) ||
          !add(s, second + e, at, g->sdd[i] - s->sigma * s->sigma * g->s[i]))
        return 0;
    }
  }
  return 1;
}

static int fill(hn_shifted *s) {
  const hn_tangent *t = s->p->tangent;
  const int n = s->p->n, m = s->p->row_count;
  return add_matrix(s, &t->stiffness, 0, 0) && add_matrix(s, &t->damping, 0, n) &&
         add_matrix(s, &t->mass, 0, 2 * n) && add_reactions(s) && add_rows(s, &t->phi_q, 1, n, 0) &&
         add_rows(s, &t->phi_q, 1, n + m, n) && add_rows(s, &t->phi_v, 1, n + m, 0) &&
         add_rows(s, &t->phi_q, 1, 2 * n + m, 2 * n) && add_rows(s, &t->phi_v, 2, 2 * n + m, n) &&
         add_rows(s, &t->phi_dd, 1, 2 * n + m, 0) && add_quantities(s);
}

// ---- order --------------------------------------------------------------------------------------

// Bodies by their distance from ground over joints, the farthest first.
static hn_status order_bodies(hn_shifted *s, int *order) {
  const hn_model *model = s->p->elements->model;
  const int bodies = model->body_count;
  int *depth = HN_TAKE(&s->arena, int, bodies), deepest = 0, is_changed = 1, count = 0;
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (int b = 1; b < bodies; b++) depth[b] = bodies;
  for (int sweep = 0; is_changed && sweep < 1000; sweep++) {
    is_changed = 0;
    for (int j = 0; j < model->joint_count; j++) {
      if (!hn_joint_joins_bodies(model->joints[j].type)) continue;
      const int a = model->joints[j].frame1.body, b = model->joints[j].frame2.body;
      const int least = depth[a] < depth[b] ? depth[a] + 1 : depth[b] + 1;
      const int far = depth[a] < depth[b] ? b : a;
      if (depth[far] > least) depth[far] = least, is_changed = 1;
    }
  }
  for (int b = 1; b < bodies; b++)
    if (depth[b] > deepest) deepest = depth[b];
  int *start = HN_TAKE(&s->arena, int, deepest + 2);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (int b = 1; b < bodies; b++) start[deepest - depth[b] + 1]++;
  for (int k = 0; k <= deepest; k++) start[k + 1] += start[k];
  for (int b = 1; b < bodies; b++, count++) order[start[deepest - depth[b]]++] = b;
  return HN_OK;
}

// d, v and a of a body together, and behind them the reactions of rows whose first body it is.
static hn_status order_unknowns(hn_shifted *s) {
  const hn_linear_point *p = s->p;
  const hn_sparse *phi = &p->tangent->phi_q;
  const int bodies = p->n / 7, n = p->n;
  int *order = HN_TAKE(&s->arena, int, bodies + 1), *place = HN_TAKE(&s->arena, int, bodies + 1),
      *start = HN_TAKE(&s->arena, int, bodies + 2), *owner = HN_TAKE(&s->arena, int, n + 1),
      *row = HN_TAKE(&s->arena, int, n + 1), count = 0;
  if (s->arena.failed || order_bodies(s, order) != HN_OK) return HN_ERROR_MEMORY;
  for (int k = 0; k < bodies; k++) place[order[k] - 1] = k;
  for (int r = 0; r < p->row_count; r++) {
    owner[r] = bodies;
    for (int k = phi->start[p->row[r]]; k < phi->start[p->row[r] + 1]; k++)
      if (place[phi->index[k] / 7] < owner[r]) owner[r] = place[phi->index[k] / 7];
    if (owner[r] == bodies) owner[r] = 0;
    start[owner[r] + 1]++;
  }
  for (int k = 0; k < bodies; k++) start[k + 1] += start[k];
  for (int r = 0; r < p->row_count; r++) row[start[owner[r]]++] = r;
  for (int k = 0, next = 0; k < bodies; k++) {
    for (int part = 0; part < 3; part++)
      for (int i = 0; i < 7; i++) s->unknown[count++] = part * n + 7 * (order[k] - 1) + i;
    for (; next < start[k]; next++) s->unknown[count++] = 3 * n + row[next];
  }
  return HN_OK;
}

// Entries by columns, then the factors in the order of the unknowns.
static hn_status factor(hn_shifted *s) {
  size_t *start = HN_TAKE(&s->arena, size_t, s->size + 2);
  int *index = HN_TAKE(&s->arena, int, s->count + 1);
  double *value = HN_TAKE(&s->arena, double, s->count + 1);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < s->count; k++) start[s->entries[k].column + 2]++;
  for (int j = 1; j <= s->size; j++) start[j + 1] += start[j];
  for (size_t k = 0; k < s->count; k++) {
    const size_t at = start[s->entries[k].column + 1]++;
    index[at] = s->entries[k].row;
    value[at] = s->entries[k].value;
  }
  for (int k = 0; k < s->size; k++) {
    const int j = s->unknown[k];
    int is_taken = 0;
    hn_status status = hn_sparse_lu_add(s->lu, &index[start[j]], &value[start[j]],
                                        (int)(start[j + 1] - start[j]), HN_RANK_SOLVED, &is_taken);
    if (status != HN_OK) return status;
    if (!is_taken) return HN_ERROR_SINGULAR;
  }
  return HN_OK;
}

hn_status hn_shifted_create(hn_linear_point *p, double sigma, hn_shifted **out) {
  const hn_allocator *allocator = p->simulation->options.allocator;
  hn_shifted *s = hn_allocate(allocator, sizeof *s);
  *out = NULL;
  if (!s) return HN_ERROR_MEMORY;
  memset(s, 0, sizeof *s);
  hn_arena_init(&s->arena, allocator);
  s->p = p;
  s->sigma = sigma;
  s->size = 3 * p->n + p->row_count;
  s->gradients = HN_TAKE(&s->arena, hn_gradient, p->freedoms + 1);
  s->unknown = HN_TAKE(&s->arena, int, s->size + 1);
  s->b = HN_TAKE(&s->arena, double, 2 * s->size + 1);
  double **vectors[] = {&s->p1, &s->p2, &s->rate};
  for (int k = 0; k < 3; k++) *vectors[k] = HN_TAKE(&s->arena, double, p->n + 1);
  hn_status status = s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) status = hn_sparse_lu_create(allocator, s->size, &s->lu);
  if (status == HN_OK) {
    for (int k = 0; k < p->freedoms; k++)
      hn_linear_gradient(p, p->quantity[k], p->qdd, &s->gradients[k]);
    if (!fill(s)) status = HN_ERROR_MEMORY;
  }
  if (status == HN_OK) status = order_unknowns(s);
  if (status == HN_OK) status = factor(s);
  hn_release(allocator, s->entries);
  s->entries = NULL;
  if (status != HN_OK)
    hn_shifted_free(s);
  else
    *out = s;
  return status;
}

void hn_shifted_free(hn_shifted *s) {
  if (!s) return;
  const hn_allocator allocator = s->arena.allocator;
  hn_sparse_lu_free(s->lu);
  hn_arena_release(&s->arena);
  hn_release(&allocator, s);
}

// ---- solutions ----------------------------------------------------------------------------------

// out = P r (n)
static void image(const hn_shifted *s, const double *r, double *out) {
  const hn_linear_point *p = s->p;
  memset(out, 0, (size_t)p->n * sizeof(double));
  memcpy(&out[p->n - p->freedoms], r, (size_t)p->freedoms * sizeof(double));
  hn_linear_solve(p, out);
}

void hn_shifted_apply(hn_shifted *s, const double *r, double *x) {
  const hn_linear_point *p = s->p;
  const int n = p->n, f = p->freedoms;
  double *b = s->b, *solved = s->b + s->size;
  image(s, r, s->p1);
  image(s, r + f, s->p2);
  memset(s->rate, 0, (size_t)n * sizeof(double));
  hn_linear_add_rates(p, s->gradients, 1, -1, s->p1, s->rate);
  hn_linear_solve(p, s->rate);
  for (int i = 0; i < n; i++) s->p2[i] += 2 * s->rate[i] + s->sigma * s->p1[i];
  memset(b, 0, (size_t)s->size * sizeof(double));
  hn_sparse_add_product(&p->tangent->mass, -1, s->p2, b);
  hn_sparse_add_product(&p->tangent->damping, -1, s->p1, b);
  hn_sparse_lu_solve(s->lu, b);
  for (int k = 0; k < s->size; k++) solved[s->unknown[k]] = b[k];
  for (int k = 0; k < f; k++) {
    const hn_gradient *g = &s->gradients[k];
    double sum = 0;
    for (int i = 0; i < HN_LOCAL; i++)
      if (g->body[i / 7] != HN_GROUND) sum += g->s[i] * solved[7 * (g->body[i / 7] - 1) + i % 7];
    x[k] = sum;
  }
  for (int k = 0; k < f; k++) x[f + k] = r[k] + s->sigma * x[k];
}
