// Accelerations by the topology of the machine: the reduced matrix joint by joint (block_reduce.h), its
// block factorization in the order and structure found once for the model (topology.h,
// block_factor.h), then multipliers, then bodies; refined like every other solver (solver_system.h).
#include <string.h>

#include "linalg/block_factor.h"
#include "linalg/block_reduce.h"
#include "linalg/solver_system.h"

typedef struct topology {
  hn_solver base;
  hn_system system;
  hn_topology plan;
  hn_block_reduction reduction;
  double *values; // all panels (plan.values)
  double *work;
} topology;

// Nanoseconds of a multiply-add, and of passing over a node.
#define WORK_NS 0.15
#define NODE_NS 175.0

static double topology_estimate(hn_arena *scratch, const hn_solver_problem *problem,
                                double enough) {
  hn_nodes *nodes;
  int count = 0;
  (void)enough;
  if (hn_nodes_create(scratch, problem, &nodes) != HN_OK) return -1;
  double work = hn_topology_work(scratch, nodes, &count);
  return work < 0 ? -1 : 1e-3 * (WORK_NS * work + NODE_NS * count);
}

static int place_of_block(const void *layout, int i, int j) {
  return hn_topology_block(layout, i, j);
}

static hn_status create(hn_arena *arena, const hn_solver_problem *problem, const hn_nodes *nodes,
                        topology *self) {
  hn_topology *plan = &self->plan;
  hn_status status = hn_topology_create(arena, nodes, plan);
  if (status == HN_OK)
    status = hn_system_create(arena, problem, nodes, plan->order, plan->nodes, &self->system);
  if (status == HN_OK)
    status =
        hn_block_reduction_create(arena, &self->system, place_of_block, plan, 0, &self->reduction);
  if (status != HN_OK) return status;
  self->values = HN_TAKE(arena, double, plan->values);
  self->work = HN_TAKE(arena, double, 72 * plan->most_neighbors);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status topology_create(hn_arena *arena, const hn_solver_problem *problem,
                                 hn_solver **solver) {
  topology *self = HN_TAKE(arena, topology, 1);
  hn_nodes *nodes;
  hn_arena scratch;
  if (!self) return HN_ERROR_MEMORY;
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = hn_nodes_create(&scratch, problem, &nodes);
  if (status == HN_OK) status = create(arena, problem, nodes, self);
  hn_arena_release(&scratch);
  if (status != HN_OK) return status;
  self->base = hn_system_solver(&self->system, &hn_solver_topology, self->plan.operations);
  *solver = &self->base;
  return HN_OK;
}

// The blocks of kept bodies: -M on the diagonal, -J against their joints.
static void place_body(const topology *self, int place, int body) {
  const double *m = &self->system.m[9 * body];
  double *own = self->values + self->plan.at[place];
  for (int i = 0; i < 3; i++) own[7 * i] = -(m[i] + HN_SYSTEM_RHO);
  own[6 * 3 + 3] = -(m[3] + HN_SYSTEM_RHO);
  own[6 * 4 + 3] = -m[4];
  own[6 * 4 + 4] = -(m[5] + HN_SYSTEM_RHO);
  own[6 * 5 + 3] = -m[6];
  own[6 * 5 + 4] = -m[7];
  own[6 * 5 + 5] = -(m[8] + HN_SYSTEM_RHO);
}

static void place_coupling(const topology *self, int node, int panel, int body_place) {
  const hn_topology *plan = &self->plan;
  const double *j = &self->system.j[self->system.panel_at[panel]];
  const int size = plan->size[node], pad = plan->pad[node], before = node < body_place;
  double *to = self->values + (before ? hn_topology_block(plan, node, body_place)
                                      : hn_topology_block(plan, body_place, node));
  for (int a = 0; a < size; a++)
    for (int c = 0; c < 6; c++) to[before ? 6 * a + c : pad * c + a] = -j[6 * a + c];
}

static void place_kept(const topology *self) {
  const hn_system *s = &self->system;
  for (int k = 0; k < s->nodes; k++) {
    if (s->kept_body[k] >= 0) place_body(self, k, s->kept_body[k]);
    for (int p = s->panel_start[k]; p < s->panel_start[k + 1]; p++) {
      int place = self->plan.place_of_body[s->panel_body[p]];
      if (place >= 0) place_coupling(self, k, p, place);
    }
  }
}

static hn_status topology_factor(hn_solver *solver, const double *mass, const double *blocks) {
  topology *self = (topology *)solver;
  hn_system_load(&self->system, mass, blocks);
  memset(self->values, 0, (size_t)self->plan.values * sizeof(double));
  hn_block_reduction_assemble(&self->reduction, self->values);
  if (self->plan.kept > 0) place_kept(self);
  const hn_system *s = &self->system;
  hn_block_factor(&self->plan, self->values, s->least, s->is_light ? s->y_at : NULL, self->work,
                  s->wide);
  return HN_OK;
}

static void apply_inverse(void *solver, double *w) {
  topology *self = solver;
  const hn_system *s = &self->system;
  double *y = w + s->x_size;
  hn_block_reduction_begin(&self->reduction, w);
  for (int b = 0; self->plan.kept > 0 && b < s->bodies; b++)
    for (int i = 0; self->plan.place_of_body[b] >= 0 && i < 6; i++)
      y[s->y_at[self->plan.place_of_body[b]] + i] = -w[6 * b + i];
  hn_block_solve(&self->plan, self->values, s->y_at, y, s->wide);
  hn_block_reduction_end(&self->reduction, w);
  for (int b = 0; self->plan.kept > 0 && b < s->bodies; b++)
    for (int i = 0; self->plan.place_of_body[b] >= 0 && i < 6; i++) {
      double *kept = &y[s->y_at[self->plan.place_of_body[b]] + i];
      w[6 * b + i] = *kept;
      *kept = 0;
    }
}

static hn_status topology_solve(hn_solver *solver, const double *b, const double *c, double *x,
                                double *y, hn_solver_report *report) {
  topology *self = (topology *)solver;
  return hn_system_solve(&self->system, apply_inverse, self, b, c, x, y, report);
}

static double topology_pivot(const hn_solver *solver, int row) {
  const topology *self = (const topology *)solver;
  int node = self->system.row_node[row];
  int a = self->system.row_y[row] - self->system.y_at[node];
  return 1 / self->values[self->plan.at[node] + a * (self->plan.pad[node] + 1)];
}

const hn_solver_type hn_solver_topology = {
    .name = "topology",
    .estimate = topology_estimate,
    .create = topology_create,
    .factor = topology_factor,
    .solve = topology_solve,
    .pivot = topology_pivot,
};
