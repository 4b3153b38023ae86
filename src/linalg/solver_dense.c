// The reduced matrix as one dense matrix, factored as a sparse one that is full (factors.h):
// for machines of a few joints that are all neighbours.
#include "linalg/solver_dense.h"

#include <limits.h>
#include <string.h>

#include "linalg/factors.h"

enum { MOST_UNKNOWNS = 3000 };

// ---- the dense reduced matrix -------------------------------------------------------------------

static int place_of_block(const void *layout, int limb, int i, int j) {
  const hn_dense_system *d = layout;
  (void)limb;
  return d->first[i] * d->stride + d->first[j];
}

hn_status hn_dense_system_create(hn_arena *arena, const hn_solver_problem *problem,
                                 hn_dense_system *d) {
  hn_arena scratch;
  hn_nodes *nodes;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = hn_nodes_create(&scratch, problem, &nodes);
  if (status == HN_OK) status = hn_system_create(arena, problem, nodes, NULL, 0, 0, &d->system);
  hn_arena_release(&scratch);
  if (status != HN_OK) return status;
  const hn_system *s = &d->system;
  d->n = problem->rows;
  d->stride = (d->n + 3) / 4 * 4;
  d->first = HN_TAKE(arena, int, s->nodes);
  d->b = HN_TAKE(arena, double, (size_t)d->n *(size_t)d->stride + 8);
  d->y = HN_TAKE(arena, double, d->n);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0, row = 0; k < s->nodes; row += s->node_size[k++]) d->first[k] = row;
  status = hn_body_reduction_create(arena, s, place_of_block, d, d->stride, NULL, 0, &d->reduction);
  d->operations = 0;
  for (int b = 0; status == HN_OK && b < s->bodies; b++) {
    double rows = 0;
    for (int i = s->body_start[b]; i < s->body_start[b + 1]; i++)
      rows += s->node_size[s->body_node[i]];
    d->operations += 12 * rows + 3 * rows * (rows + 1);
  }
  return status;
}

void hn_dense_system_assemble(hn_dense_system *d, const double *mass, const double *blocks) {
  hn_system_load(&d->system, mass, blocks);
  memset(d->b, 0, ((size_t)d->n * (size_t)d->stride + 8) * sizeof(double));
  hn_body_reduction_restart(&d->reduction);
  hn_body_reduction_assemble(&d->reduction, 0, INT_MAX, d->b);
  hn_body_reduction_regularize(&d->reduction, NULL, 0, d->system.nodes, d->b);
}

void hn_dense_system_begin(hn_dense_system *d, const double *b, double *y) {
  const hn_system *s = &d->system;
  if (b)
    hn_body_reduction_begin(&d->reduction, b, 0, s->bodies);
  else
    memset(s->rest, 0, (size_t)s->x_size * sizeof(double));
  hn_system_reduce(s, s->rest, y);
  for (int k = 0; k < s->nodes; k++)
    for (int a = 0; a < s->node_size[k]; a++) d->y[d->first[k] + a] = y[s->y_at[k] + a];
}

void hn_dense_system_end(hn_dense_system *d, const double *b, double *x, double *y) {
  const hn_system *s = &d->system;
  for (int k = 0; k < s->nodes; k++)
    for (int a = 0; a < s->node_size[k]; a++) y[s->y_at[k] + a] = d->y[d->first[k] + a];
  hn_body_reduction_end(&d->reduction, b, x, y, 0, 0, s->bodies);
}

int hn_dense_system_place(const hn_dense_system *d, int row) {
  int node = hn_node_of_row(&d->system, row);
  return d->first[node] + d->system.row_y[row] - d->system.y_at[node];
}

// ---- its factors --------------------------------------------------------------------------------

typedef struct dense {
  hn_solver base;
  hn_dense_system system;
  hn_factors *factors;
  double *least; // of pivots (rows)
} dense;

// Nanoseconds of a multiply-add of the factorization, of an entry of B, of a body and row.
#define WORK_NS 0.085
#define ENTRY_NS 1.2
#define ROW_NS 35.0

static double dense_estimate(hn_arena *scratch, const hn_solver_problem *problem, double enough) {
  double n = problem->rows;
  (void)scratch;
  (void)enough;
  return 1e-3 * (WORK_NS * n * n * n / 6 + ENTRY_NS * n * n + ROW_NS * (problem->bodies + n));
}

// The upper triangle by columns, every entry of it, in the order of rows.
static hn_status make_factors(hn_arena *arena, int n, hn_factors **factors) {
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  int *start = HN_TAKE(&scratch, int, n + 1), *order = HN_TAKE(&scratch, int, n), at = 0;
  int *index = HN_TAKE(&scratch, int, (size_t)n *((size_t)n + 1) / 2);
  hn_status status = scratch.failed ? HN_ERROR_MEMORY : HN_OK;
  for (int j = 0; status == HN_OK && j < n; j++) {
    order[j] = j;
    for (int i = 0; i <= j; i++) index[at++] = i;
    start[j + 1] = at;
  }
  if (status == HN_OK) status = hn_factors_create(arena, n, start, index, order, 1, factors);
  hn_arena_release(&scratch);
  return status;
}

static hn_status dense_create(hn_arena *arena, const hn_solver_problem *problem,
                              hn_solver **solver) {
  dense *self = HN_TAKE(arena, dense, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_status status = hn_dense_system_create(arena, problem, &self->system);
  if (status == HN_OK) status = make_factors(arena, problem->rows, &self->factors);
  if (status != HN_OK) return status;
  self->least = HN_TAKE(arena, double, problem->rows);
  if (!self->least) return HN_ERROR_MEMORY;
  self->base = hn_system_solver(&self->system.system, &hn_solver_dense,
                                self->system.operations + hn_factors_operations(self->factors));
  *solver = &self->base;
  return HN_OK;
}

static hn_status dense_factor(hn_solver *solver, const double *mass, const double *blocks) {
  dense *self = (dense *)solver;
  hn_dense_system_assemble(&self->system, mass, blocks);
  const hn_system *s = &self->system.system;
  for (int r = 0; r < s->rows; r++) {
    const double least = s->is_light ? s->least[s->row_y[r]] : HN_SYSTEM_LEAST;
    const double unit = s->r[s->row_y[r]];
    self->least[hn_dense_system_place(&self->system, r)] = least / (unit * unit);
  }
  const hn_dense_system *d = &self->system;
  const int *place = hn_factors_places(self->factors);
  double *room = hn_factors_begin(self->factors);
  for (int j = 0; j < d->n; j++)
    for (int i = 0; i <= j; i++) room[*place++] = d->b[(size_t)i * (size_t)d->stride + (size_t)j];
  const hn_pivot_rule rule = {.least = self->least, .is_definite = 1};
  hn_factors_factor(self->factors, &rule);
  return HN_OK;
}

static void apply_inverse(void *solver, const double *b, double *x, double *y) {
  dense *self = solver;
  hn_dense_system_begin(&self->system, b, y);
  hn_factors_solve(self->factors, NULL, self->system.y);
  hn_dense_system_end(&self->system, b, x, y);
}

static const hn_system_inverse steps = {.apply = apply_inverse};

static hn_status dense_solve(hn_solver *solver, const double *b, const double *c, double *x,
                             double *y, hn_solver_report *report) {
  dense *self = (dense *)solver;
  return hn_system_solve(&self->system.system, &steps, self, b, c, x, y, report);
}

static double dense_pivot(const hn_solver *solver, int row) {
  const dense *self = (const dense *)solver;
  const double unit = hn_solver_row_scale(solver, row);
  return hn_factors_pivot(self->factors, hn_dense_system_place(&self->system, row)) * (unit * unit);
}

const hn_solver_type hn_solver_dense = {
    .name = "dense",
    .most_unknowns = MOST_UNKNOWNS,
    .estimate = dense_estimate,
    .create = dense_create,
    .factor = dense_factor,
    .solve = dense_solve,
    .pivot = dense_pivot,
};
