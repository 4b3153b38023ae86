// Accelerations by the topology of the model: the reduced matrix joint by joint (block_reduce.h),
// its block factorization in the order and structure found once for the model (topology.h,
// block_factor.h), then multipliers, then bodies; refined like every other solver
// (solver_system.h).
#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/block_factor.h"
#include "linalg/block_reduce.h"
#include "linalg/share.h"
#include "linalg/solver_system.h"

typedef struct topology {
  hn_solver base;
  hn_system system;
  hn_topology plan;
  hn_body_reduction reduction;
  double *values; // all panels (plan.values)
  double *work;
  double *lowest; // pivot of each subtree, and of the top (their number + 1)
} topology;

// Nanoseconds of a multiply-add, and of passing over a node.
#define WORK_NS 0.15
#define NODE_NS 175.0

static double topology_estimate(hn_arena *scratch, const hn_solver_problem *problem,
                                double enough) {
  hn_nodes *nodes;
  int count = 0;
  (void)enough;
  double work = -1;
  if (hn_nodes_create(scratch, problem, &nodes) == HN_OK)
    work = hn_topology_work(scratch, nodes, &count);
  if (work < 0) scratch->failed = 1; // nothing else keeps it from a plan
  return work < 0 ? -1 : 1e-3 * (WORK_NS * work + NODE_NS * count);
}

static hn_status create(hn_arena *arena, const hn_solver_problem *problem, const hn_nodes *nodes,
                        topology *self) {
  hn_topology *plan = &self->plan;
  hn_status status = hn_topology_create(arena, nodes, plan);
  if (status == HN_OK)
    status = hn_system_create(arena, problem, nodes, plan->order, plan->nodes, plan->spare,
                              &self->system);
  if (status == HN_OK)
    status = hn_body_reduction_create(arena, &self->system, plan, &self->reduction);
  if (status != HN_OK) return status;
  self->system.traits.is_in_parts = plan->limbs > 0 || plan->nodes > HN_WINDOW;
  self->system.sweep.rest =
      self->system.sweep.residual_x; // bodies are finished and checked individually
  self->values = HN_KEEP(arena, double, plan->values);
  self->lowest = HN_KEEP(arena, double, plan->limbs + 1);
  self->work = HN_KEEP(arena, double, 72 * plan->most_neighbors * (plan->limbs + 1));
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status topology_create(hn_arena *arena, const hn_solver_problem *problem,
                                 hn_solver **solver) {
  topology *self = HN_KEEP(arena, topology, 1);
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
  for (int i = 0; i < 3; i++) own[7 * i] = -m[i];
  own[6 * 3 + 3] = -m[3];
  own[6 * 4 + 3] = -m[4];
  own[6 * 4 + 4] = -m[5];
  own[6 * 5 + 3] = -m[6];
  own[6 * 5 + 4] = -m[7];
  own[6 * 5 + 5] = -m[8];
  for (int i = 0; self->system.traits.is_light && i < 6; i++)
    own[7 * i] -= self->system.rho_x[6 * body + i];
}

static void place_coupling(const topology *self, int node, int panel, int body_place) {
  const hn_topology *plan = &self->plan;
  const double *j = hn_panel(&self->system, panel);
  const int step = self->system.node_step[node];
  const int size = plan->size[node], pad = plan->pad[node], before = node < body_place;
  double *to = self->values + (before ? hn_topology_block(plan, node, body_place)
                                      : hn_topology_block(plan, body_place, node));
  for (int a = 0; a < size; a++)
    for (int c = 0; c < 6; c++) to[before ? 6 * a + c : pad * c + a] = -j[step * a + c];
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

// Right sides of kept bodies are at their places among those of the nodes.
static void load_kept(const topology *self, const double *b, double *y) {
  const hn_system *s = &self->system;
  for (int k = 0; self->plan.kept > 0 && k < s->nodes; k++) {
    if (s->kept_body[k] < 0) continue;
    memcpy(&y[s->y_at[k]], &b[6 * s->kept_body[k]], 6 * sizeof(double));
    memset(&s->sweep.rest[6 * s->kept_body[k]], 0, 6 * sizeof(double));
  }
}

// Adds contributions of the subtrees to right sides above them.
static void add_spares(const hn_topology *plan, double *y) {
  for (int l = 0; l < plan->spares; l++)
    for (int i = 0; i < plan->spare_pad[l]; i++)
      y[plan->spare_to[l] + i] += y[plan->spare_from[l] + i];
}

// ---- factorization ------------------------------------------------------------------------------

static double *work_of(const topology *self, int part) {
  return self->work + (size_t)72 * (size_t)self->plan.most_neighbors * (size_t)part;
}

// Right sides that are given beforehand are eliminated with the matrix, while it is in the cache.
static void begin_ahead(topology *self) {
  hn_system *s = &self->system;
  self->reduction.b = s->sweep.ahead_b;
  s->sweep.x_is_zero = 0;
  if (!s->sweep.ahead_b) return;
  hn_system_load_rows(s, s->sweep.ahead_c);
  load_kept(self, s->sweep.ahead_b, s->sweep.z);
  memset(s->sweep.z + s->y_at[s->nodes], 0, (size_t)self->plan.spare * sizeof(double));
}

static void forward_ahead(const topology *self, const int *list, int from, int to) {
  const hn_system *s = &self->system;
  if (s->sweep.ahead_b) hn_block_forward(&self->plan, s, list, from, to, self->values, s->sweep.z);
}

// One subtree, window by window.
static void factor_limb(void *context, int limb) {
  topology *self = context;
  const hn_topology *plan = &self->plan;
  const int last = plan->limb_start[limb + 1];
  for (int from = plan->limb_start[limb], to; from < last; from = to) {
    const int window = hn_window(plan->limb_node[from]);
    for (to = from + 1; to < last && hn_window(plan->limb_node[to]) == window;) to++;
    hn_body_reduction_assemble(&self->reduction, limb, window, self->values);
    hn_body_reduction_regularize(&self->reduction, plan->limb_node, from, to, self->values);
    hn_block_factor(plan, &self->system, plan->limb_node, plan->limb_group_end, from, to,
                    self->values, work_of(self, limb), &self->lowest[limb]);
    forward_ahead(self, plan->limb_node, from, to);
  }
}

// Nodes from ... to, window by window, with the bodies of these parts. cleared: numbers that are zero or
// in use; returns the new number.
static int factor_range(topology *self, int from, int to, int first_part, int last_part,
                        int cleared) {
  const hn_topology *plan = &self->plan;
  double *values = self->values;
  for (int end; from < to; from = end) {
    const int window = hn_window(from), reach = plan->reach[window];
    const int need = reach + 1 < plan->nodes ? plan->at[reach + 1] : plan->numbers;
    end = HN_WINDOW * (window + 1) < to ? HN_WINDOW * (window + 1) : to;
    if (need > cleared) {
      memset(values + cleared, 0, (size_t)(need - cleared) * sizeof(double));
      cleared = need;
    }
    for (int part = first_part; part <= last_part; part++)
      hn_body_reduction_assemble(&self->reduction, part, window, values);
    hn_body_reduction_regularize(&self->reduction, NULL, from, end, values);
    hn_block_factor(plan, &self->system, NULL, plan->group_end, from, end, values, self->work,
                    &self->lowest[plan->limbs]);
    forward_ahead(self, NULL, from, end);
  }
  return cleared;
}

static void clear(topology *self, int from) {
  memset(self->values + from, 0, (size_t)(self->plan.values - from) * sizeof(double));
}

// With one thread all subtrees are processed together: a processor follows several chains of
// dependent operations at once. The numbers are the same.
static hn_status topology_factor(hn_solver *solver, const double *mass, const double *blocks) {
  topology *self = (topology *)solver;
  const hn_topology *plan = &self->plan;
  double *values = self->values;
  int cleared = 0;
  hn_system_load(&self->system, mass, blocks);
  hn_body_reduction_restart(&self->reduction);
  if (plan->kept > 0 || self->system.threads) {
    clear(self, 0);
    cleared = plan->numbers;
  } else {
    clear(self, plan->numbers);
  }
  if (plan->kept > 0) place_kept(self);
  for (int l = 0; l <= plan->limbs; l++) self->lowest[l] = HUGE_VAL;
  begin_ahead(self);
  if (self->system.threads)
    hn_threads_run(self->system.threads, factor_limb, self, plan->limbs);
  else
    cleared = factor_range(self, 0, plan->top, 0, plan->limbs - 1, cleared);
  for (int l = 0; l < plan->lumps; l++)
    for (int i = 0; i < plan->lump_size[l]; i++)
      values[plan->lump_to[l] + i] += values[plan->lump_from[l] + i];
  if (self->system.sweep.ahead_b) add_spares(plan, self->system.sweep.z);
  factor_range(self, plan->top, plan->nodes, plan->limbs, plan->limbs, cleared);
  // Bodies that no node waits for.
  for (int part = 0; part < self->reduction.parts; part++)
    hn_body_reduction_assemble(&self->reduction, part, INT_MAX, values);
  self->system.sweep.is_ahead = self->system.sweep.ahead_b != NULL;
  return HN_OK;
}

// ---- solution -----------------------------------------------------------------------------------

typedef struct sweep {
  topology *self;
  const double *b;
  double *y;
} sweep;

static void begin_bodies(void *context, int from, int to) {
  const sweep *c = context;
  hn_body_reduction_begin(&c->self->reduction, c->b, from, to);
}

static void forward_limb(void *context, int limb) {
  const sweep *c = context;
  const hn_topology *plan = &c->self->plan;
  hn_block_forward(plan, &c->self->system, plan->limb_node, plan->limb_start[limb],
                   plan->limb_start[limb + 1], c->self->values, c->y);
}

static void backward_limb(void *context, int limb) {
  const sweep *c = context;
  const hn_topology *plan = &c->self->plan;
  hn_block_backward(plan, &c->self->system, plan->limb_node, plan->limb_start[limb],
                    plan->limb_start[limb + 1], c->self->values, c->y);
}

static void forward_nodes(sweep *c) {
  const topology *self = c->self;
  const hn_topology *plan = &self->plan;
  const hn_system *s = &self->system;
  double *y = c->y;
  if (plan->spare > 0) memset(y + s->y_at[s->nodes], 0, (size_t)plan->spare * sizeof(double));
  if (s->threads)
    hn_threads_run(s->threads, forward_limb, c, plan->limbs);
  else
    hn_block_forward(plan, s, NULL, 0, plan->top, self->values, y);
  add_spares(plan, y);
  hn_block_forward(plan, s, NULL, plan->top, plan->nodes, self->values, y);
}

static void backward_nodes(sweep *c) {
  const topology *self = c->self;
  const hn_topology *plan = &self->plan;
  const hn_system *s = &self->system;
  hn_block_backward(plan, s, NULL, plan->top, plan->nodes, self->values, c->y);
  if (s->threads)
    hn_threads_run(s->threads, backward_limb, c, plan->limbs);
  else
    hn_block_backward(plan, s, NULL, 0, plan->top, self->values, c->y);
}

static void find_multipliers(void *solver, const double *b, double *x, double *y) {
  topology *self = solver;
  const hn_system *s = &self->system;
  sweep c = {self, b, y};
  (void)x;
  if (!s->sweep.is_ahead) {
    if (b) hn_share(s->threads, begin_bodies, &c, s->bodies, HN_BODY_GRAIN);
    if (b) load_kept(self, b, y);
    forward_nodes(&c);
  }
  backward_nodes(&c);
}

static void finish_bodies(void *solver, const double *b, double *x, const double *y, int adds,
                          int from, int to) {
  const topology *self = solver;
  const hn_topology *plan = &self->plan;
  const int *place = plan->place_of_body, *y_at = self->system.y_at;
  hn_body_reduction_end(&self->reduction, b, x, y, adds, from, to); // kept ones: 0
  for (int k = from; plan->kept > 0 && k < to; k++)
    for (int i = 0; place[k] >= 0 && i < 6; i++)
      x[6 * k + i] = y[y_at[place[k]] + i] + (adds ? x[6 * k + i] : 0);
}

// Kept bodies have no numbers among multipliers outside.
static void clear_kept(void *solver, double *y) {
  const topology *self = solver;
  const hn_system *s = &self->system;
  for (int k = 0; self->plan.kept > 0 && k < s->nodes; k++)
    if (s->kept_body[k] >= 0) memset(&y[s->y_at[k]], 0, 6 * sizeof(double));
}

static const hn_system_inverse steps = {find_multipliers, finish_bodies, clear_kept};

static hn_status topology_solve(hn_solver *solver, const double *b, const double *c, double *x,
                                double *y, hn_solver_report *report) {
  topology *self = (topology *)solver;
  return hn_system_solve(&self->system, &steps, self, b, c, x, y, report);
}

// The inverse pivot of a row, in units of R.
static double inverse_pivot(const topology *self, int row) {
  const hn_system *s = &self->system;
  const int node = hn_node_of_row(s, row), a = s->row_y[row] - s->y_at[node];
  const double unit = s->r[s->row_y[row]];
  return self->values[self->plan.at[node] + a * (self->plan.pad[node] + 1)] / (unit * unit);
}

static double topology_pivot(const hn_solver *solver, int row) {
  return 1 / inverse_pivot((const topology *)solver, row);
}

static int topology_has_small(const hn_solver *solver, double limit) {
  const topology *self = (const topology *)solver;
  const hn_system *s = &self->system;
  const double most = 1 / limit;
  double lowest = HUGE_VAL;
  int found = 0;
  for (int l = 0; l <= self->plan.limbs; l++)
    lowest = self->lowest[l] < lowest ? self->lowest[l] : lowest;
  if (lowest > limit) return 0;
  for (int k = 0; k < s->nodes; k++) {
    const int pad = s->node_pad[k];
    const double *own = self->values + self->plan.at[k], *unit = &s->r[s->y_at[k]];
    for (int a = 0; s->kept_body[k] < 0 && a < s->node_size[k]; a++) {
      const double inverse = own[a * (pad + 1)], square = unit[a] * unit[a];
      const int row = hn_row_at(s, k, a);
      found |= s->soft[row] & !s->released[row] & !(inverse > 0 && inverse < most * square);
    }
  }
  return found;
}

const hn_solver_type hn_solver_topology = {
    .name = "topology",
    .estimate = topology_estimate,
    .create = topology_create,
    .factor = topology_factor,
    .solve = topology_solve,
    .pivot = topology_pivot,
    .has_small = topology_has_small,
};
