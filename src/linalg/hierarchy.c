// The passes over all levels of a hierarchy, refinement, and reports. See hierarchy.h.
#include "linalg/hierarchy.h"

#include <math.h>
#include <string.h>

#include "linalg/hierarchy_private.h"

hn_status hn_hierarchy_create(hn_arena *arena, const hn_hierarchy_problem *p,
                              hn_hierarchy **hierarchy) {
  hn_hierarchy *h = HN_KEEP(arena, hn_hierarchy, 1);
  if (!h) return HN_ERROR_MEMORY;
  int blocks = p->row_start[p->rows];
  *h = (hn_hierarchy){.bodies = p->bodies, .rows = p->rows, .nodes = p->nodes};
  h->threads = p->threads;
  h->row_start = hn_arena_copy(arena, p->row_start, (size_t)p->rows + 1, sizeof(int));
  h->body = hn_arena_copy(arena, p->body, (size_t)blocks, sizeof(int));
  h->row_node = hn_arena_copy(arena, p->row_node, (size_t)p->rows, sizeof(int));
  h->body_node = hn_arena_copy(arena, p->body_node, (size_t)p->bodies + 1, sizeof(int));
  h->b_left = HN_KEEP(arena, double, 6 * p->bodies);
  h->c_left = HN_KEEP(arena, double, p->rows);
  h->tau_all = HN_KEEP(arena, double, 6 * p->bodies);
  h->mine = HN_KEEP(arena, int, p->nodes);
  h->ranks = p->ranks;
  if (arena->failed) return HN_ERROR_MEMORY;
  *hierarchy = h;
  hn_status status = hn_hierarchy_make_tree(arena, p, h);
  return status == HN_OK ? hn_hierarchy_make_ranks(arena, h) : status;
}

// ---- passes -------------------------------------------------------------------------------------

enum { ROWS_FOR_THREADS = 256 }; // fewer are done before the others are awake

typedef void (*level_pass)(hn_hierarchy *h, hn_tree_level *level);

typedef struct pass_work {
  hn_hierarchy *h;
  level_pass pass;
  const int *nodes;
} pass_work;

static void run_one(void *context, int index) {
  pass_work *w = context;
  hn_tree_level *level = &w->h->levels[w->nodes[index]];
  level->status = HN_OK;
  w->pass(w->h, level);
}

static hn_status run_depth(hn_hierarchy *h, level_pass pass, int depth) {
  int first = h->depth_start[depth], last = h->depth_start[depth + 1], count = 0, rows = 0;
  for (int k = first; k < last; k++) {
    const hn_tree_level *level = &h->levels[h->by_depth[k]];
    if (!hn_hierarchy_is_mine(h, level)) continue;
    h->mine[count++] = h->by_depth[k];
    rows += level->row_count;
  }
  pass_work w = {h, pass, h->mine};
  hn_threads_run(rows >= ROWS_FOR_THREADS ? h->threads : NULL, run_one, &w, count);
  for (int k = 0; k < count; k++)
    if (h->levels[h->mine[k]].status != HN_OK) return h->levels[h->mine[k]].status;
  return HN_OK;
}

static hn_status upward(hn_hierarchy *h, level_pass pass, hn_rank_pass exchange) {
  hn_status status = HN_OK;
  for (int d = h->depths - 1; d > 0 && status == HN_OK; d--) status = run_depth(h, pass, d);
  status = hn_hierarchy_exchange(h, exchange, status);
  return status == HN_OK ? run_depth(h, pass, 0) : status;
}

static hn_status downward(hn_hierarchy *h, level_pass pass, hn_rank_pass exchange) {
  hn_status status = HN_OK;
  for (int d = 0; d < h->depths && status == HN_OK; d++) status = run_depth(h, pass, d);
  return hn_hierarchy_exchange(h, exchange, status);
}

// ---- accelerations ------------------------------------------------------------------------------

hn_status hn_hierarchy_factor(hn_hierarchy *h, const double *mass, const double *blocks,
                              hn_hierarchy_rows rows, unsigned char *left_out, int *body) {
  h->mass = mass;
  h->blocks = blocks;
  h->rows_held = rows;
  h->left_out = left_out;
  h->factorizations++;
  hn_status status = upward(h, hn_level_factor, HN_RANK_FACTOR);
  if (body) *body = 0;
  for (int k = 0; k < h->nodes && status == HN_ERROR_SINGULAR && body; k++)
    if (h->levels[k].status == HN_ERROR_SINGULAR && *body == 0) *body = h->levels[k].light_body;
  return status;
}

hn_status hn_hierarchy_forward(hn_hierarchy *h, const double *b, const double *c, double *r) {
  h->b = b;
  h->c = c;
  hn_status status = upward(h, hn_level_forward, HN_RANK_FORWARD);
  const hn_tree_level *root = &h->levels[0];
  if (r) memcpy(r, root->sweep.r, 6 * (size_t)root->border_count * sizeof(double));
  return status;
}

hn_status hn_hierarchy_backward(hn_hierarchy *h, const double *b, const double *tau, int add,
                                double *x, double *y) {
  hn_tree_level *root = &h->levels[0];
  h->b = b;
  h->x = x;
  h->y = y;
  h->add = add;
  if (tau && root->border_count > 0)
    memcpy(root->sweep.tau, tau, 6 * (size_t)root->border_count * sizeof(double));
  return downward(h, hn_level_backward, HN_RANK_BACKWARD);
}

// b - M x
static void subtract_mass(const double *m, const double *x, double *b) {
  for (int i = 0; i < 3; i++) b[i] -= m[i] * x[i];
  b[3] -= m[3] * x[3] + m[4] * x[4] + m[6] * x[5];
  b[4] -= m[4] * x[3] + m[5] * x[4] + m[7] * x[5];
  b[5] -= m[6] * x[3] + m[7] * x[4] + m[8] * x[5];
}

// Sealed subsystems make their own residuals from the forces of rows above.
static hn_status sealed_residuals(hn_hierarchy *h) {
  hn_status status = HN_OK;
  for (int k = 0; k < h->nodes && status == HN_OK; k++) {
    hn_tree_level *l = &h->levels[k];
    if (!l->sealed.context) continue;
    for (int b = 0; b < l->border_count; b++)
      memcpy(&l->sweep.tau[6 * b], &h->tau_all[6 * (l->border_body[b] - 1)], 6 * sizeof(double));
    status = l->sealed.residual(l->sealed.context, l->sweep.tau);
  }
  return status;
}

// c - J x and -J' y of one level.
static void level_residual(hn_hierarchy *h, const hn_tree_level *l, const double *c,
                           const double *x, const double *y, double *c_left) {
  for (int k = 0; k < l->row_count; k++) {
    int r = l->row[k];
    double sum = c[r];
    for (int i = l->block_start[k]; i < l->block_start[k + 1]; i++) {
      int body = l->slot_body[l->block_slot[i]] - 1;
      const double *g = &h->blocks[6 * l->block_at[i]], *xb = &x[6 * body];
      double *t = &h->tau_all[6 * body];
      for (int j = 0; j < 6; j++) sum -= g[j] * xb[j];
      for (int j = 0; j < 6; j++) t[j] -= g[j] * y[r];
    }
    c_left[r] = sum;
  }
}

// Forces add up from the highest level down, so that a sealed subsystem, which gets the sum of
// those above, gets the same bits.
hn_status hn_hierarchy_residual(hn_hierarchy *h, const double *b, const double *c,
                                const double *tau, const double *x, const double *y, double *b_left,
                                double *c_left) {
  const hn_tree_level *root = &h->levels[0];
  memset(h->tau_all, 0, 6 * (size_t)h->bodies * sizeof(double));
  for (int k = 0; tau && k < root->border_count; k++)
    memcpy(&h->tau_all[6 * (root->border_body[k] - 1)], &tau[6 * k], 6 * sizeof(double));
  for (int k = 0; k < h->nodes; k++) level_residual(h, &h->levels[h->by_depth[k]], c, x, y, c_left);
  for (int n = 0; n < h->nodes; n++) {
    const hn_tree_level *l = &h->levels[n];
    for (int k = 0; k < l->own_count && !l->sealed.context; k++) {
      int body = l->slot_body[k] - 1;
      double *out = &b_left[6 * body];
      for (int i = 0; i < 6; i++) out[i] = b[6 * body + i] + h->tau_all[6 * body + i];
      subtract_mass(&h->mass[9 * body], &x[6 * body], out);
    }
  }
  return sealed_residuals(h);
}

hn_status hn_hierarchy_solve(hn_hierarchy *h, const double *b, const double *c, double *x,
                             double *y, int refinements) {
  h->again = 0;
  hn_status status = hn_hierarchy_forward(h, b, c, NULL);
  if (status == HN_OK) status = hn_hierarchy_backward(h, b, NULL, 0, x, y);
  h->again = 1;
  for (int k = 0; k < refinements && status == HN_OK; k++) {
    status = hn_hierarchy_residual(h, b, c, NULL, x, y, h->b_left, h->c_left);
    if (status == HN_OK) status = hn_hierarchy_forward(h, h->b_left, h->c_left, NULL);
    if (status == HN_OK) status = hn_hierarchy_backward(h, h->b_left, NULL, 1, x, y);
  }
  h->again = 0;
  for (int i = 0; i < 6 * h->bodies && status == HN_OK; i++)
    if (!isfinite(x[i])) status = HN_ERROR_NOT_FINITE;
  return status;
}

// ---- stabilization ------------------------------------------------------------------------------

hn_status hn_hierarchy_stabilize_factor(hn_hierarchy *h, const double *blocks, double tolerance) {
  h->stabilize_blocks = blocks;
  h->tolerance = tolerance;
  return upward(h, hn_level_stabilize_factor, HN_RANK_STABILIZE_FACTOR);
}

hn_status hn_hierarchy_stabilize_forward(hn_hierarchy *h, const double *g, double *c) {
  const hn_tree_level *root = &h->levels[0];
  h->g = g;
  hn_status status = upward(h, hn_level_stabilize_forward, HN_RANK_STABILIZE_FORWARD);
  if (c) memcpy(c, root->stabilize.c, 6 * (size_t)root->border_count * sizeof(double));
  return status;
}

hn_status hn_hierarchy_stabilize_backward(hn_hierarchy *h, const double *z, double *dx) {
  hn_tree_level *root = &h->levels[0];
  h->dx = dx;
  if (z && root->border_count > 0)
    memcpy(root->stabilize.z, z, 6 * (size_t)root->border_count * sizeof(double));
  return downward(h, hn_level_stabilize_backward, HN_RANK_STABILIZE_BACKWARD);
}

hn_status hn_hierarchy_stabilize(hn_hierarchy *h, const double *g, double *dx) {
  hn_status status = hn_hierarchy_stabilize_forward(h, g, NULL);
  if (status == HN_OK) status = hn_hierarchy_stabilize_backward(h, NULL, dx);
  return status;
}

// ---- what there is ------------------------------------------------------------------------------

const int *hn_hierarchy_border(const hn_hierarchy *h, int *count) {
  *count = h->levels[0].border_count;
  return h->levels[0].border_body;
}
const double *hn_hierarchy_root(const hn_hierarchy *h, int *rank) {
  *rank = h->levels[0].border.rank;
  return h->levels[0].border.root;
}
void hn_hierarchy_stabilize_root(const hn_hierarchy *h, double *u) {
  size_t n = 6 * (size_t)h->levels[0].border_count;
  memcpy(u, h->levels[0].stabilize.u, n * n * sizeof(double));
}

int hn_hierarchy_levels(const hn_hierarchy *h) { return h->nodes; }

hn_level_report hn_hierarchy_level(const hn_hierarchy *h, int node) {
  const hn_tree_level *l = &h->levels[node];
  hn_level_report report = {.parent = l->parent,
                            .depth = l->depth,
                            .own_bodies = l->own_count,
                            .rows = l->row_count,
                            .border_bodies = l->border_count,
                            .dependent = l->dependent_count,
                            .d_size = 6 * l->border_count,
                            .is_sealed = l->sealed.context != NULL};
  if (report.is_sealed) return report;
  report.is_dense = hn_gram_is_dense(l->a);
  report.a_density = hn_gram_density(l->a);
  report.h_density = hn_gram_density(l->stabilize.h);
  return report;
}

int hn_hierarchy_dependent(const hn_hierarchy *h) {
  int count = 0;
  for (int k = 0; k < h->nodes; k++) count += h->levels[k].dependent_count;
  return count;
}

int hn_hierarchy_near(const hn_hierarchy *h) {
  int count = 0;
  for (int k = 0; k < h->nodes; k++) count += h->levels[k].near_count;
  return count;
}

long hn_hierarchy_factorizations(const hn_hierarchy *h) { return h->factorizations; }
