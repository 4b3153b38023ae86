// Constraints with conditions in relative coordinates (equations/responses.h). A row on bodies is a
// pair of wrenches that balance; carried down the tree from both bodies to their common ancestor and
// projected on the joints they pass, they are the row in joint speeds. Its bias is what the bias
// accelerations of the two nodes give. Responses come from the factors of accelerations:
//
//   [ M  J' ] [ x ]   [ g ]
//   [ J  0  ] [ y ] = [ 0 ]      J: loops
//
// Reactions of tree joints follow later from the wrenches on bodies, so contact forces are added there.
//
// Conditions change rank and motion out of the plane, and responses need a matrix: planar kernels and
// solutions without a matrix are not used.
#include <string.h>

#include "equations/loop_rank.h"
#include "equations/relative/relative.h"
#include "equations/relative/tree_kernel.h"
#include "equations/responses.h"

static hn_status relative_prepare(hn_arena *arena, hn_equations *e) {
  hn_relative_set *self = (hn_relative_set *)e;
  self->plane = NULL;
  self->flat = (hn_flat_motion){.cuts = NULL};
  self->zero = HN_TAKE(arena, double, self->cut_count);
  if (self->solver == HN_TREE_ARTICULATED) {
    self->solver = HN_TREE_COMPOSITE;
    hn_status status = hn_tree_make_mass_pattern(arena, self->tree);
    if (status != HN_OK) return status;
    self->mass = HN_KEEP(arena, double, self->tree->mass_start[e->nu]);
    self->composite = HN_KEEP(arena, hn_tree_composite, self->tree->count);
  }
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status relative_factor(hn_equations *e, double t, const double *q, const double *qd,
                                 const hn_frame *frames, const hn_branches *branches) {
  hn_relative_set *self = (hn_relative_set *)e;
  self->present = &hn_motion_in_space;
  hn_relative_speeds(e, q, qd, self->u);
  hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
  hn_relative_evaluate_joints(self, t, frames, branches);
  hn_relative_carry_cuts(self, frames, HN_CUT_ALL);
  return hn_relative_factor(self, q, HN_CUT_ALL,
                            branches->keeps_rows ? HN_RANK_STAYS : HN_RANK_MAY_FALL);
}

// The wrench of a row on its body, about the origin of the body's node.
static hn_tree_wrench wrench_of(const hn_relative_set *self, const hn_touch_row *row, int side,
                                int node) {
  const hn_tree_node *n = &self->tree->nodes[node];
  const hn_tree_motion *m = &self->motion[node];
  const hn_vec3 f = vec3_load(row->block[side]), arm = mat3_apply(m->r, n->end->centre);
  return (hn_tree_wrench){f, vec3_add(vec3_load(row->block[side] + 3), vec3_cross(arm, f))};
}

static void relative_in_speeds(hn_equations *e, const hn_touch_row *row, double *g) {
  const hn_relative_set *self = (const hn_relative_set *)e;
  const hn_tree *tree = self->tree;
  hn_tree_wrench w[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  int at[2];
  memset(g, 0, (size_t)e->nu * sizeof(double));
  for (int side = 0; side < 2; side++) {
    at[side] = tree->body_node[row->body[side]];
    if (at[side] >= 0) w[side] = wrench_of(self, row, side, at[side]);
  }
  while (at[0] != at[1]) {
    const int side = at[1] > at[0]; // parents have smaller numbers
    const hn_tree_node *node = &tree->nodes[at[side]];
    const hn_tree_motion *m = &self->motion[at[side]];
    double *to = &g[node->u];
    lane_project(1, node->kind, node->linear, &m, m->axis, w[side], &to);
    w[side].n = vec3_add(w[side].n, vec3_cross(m->d, w[side].f));
    at[side] = node->parent;
  }
}

static double relative_bias(const hn_equations *e, const hn_touch_row *row) {
  const hn_relative_set *self = (const hn_relative_set *)e;
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int node = self->tree->body_node[row->body[side]];
    if (node < 0) continue;
    const hn_tree_motion *m = &self->motion[node];
    const hn_vec3 arm = mat3_apply(m->r, self->tree->nodes[node].end->centre);
    const hn_vec3 a = vec3_add(
        m->bias, vec3_add(vec3_cross(m->bias_w, arm), vec3_cross(m->w, vec3_cross(m->w, arm))));
    sum += vec3_dot(vec3_load(row->block[side]), a) +
           vec3_dot(vec3_load(row->block[side] + 3), m->bias_w);
  }
  return sum;
}

static hn_status relative_respond(hn_equations *e, const hn_touch_row *row, const double *g,
                                  double *x, double *y) {
  hn_relative_set *self = (hn_relative_set *)e;
  (void)row;
  memset(y, 0, (size_t)e->elements->row_count * sizeof(double));
  if (self->solver == HN_TREE_COMPOSITE) {
    memcpy(x, g, (size_t)e->nu * sizeof(double));
    hn_tree_solve(self->tree, self->mass, x);
    return HN_OK;
  }
  hn_status status = hn_saddle_solve(e->saddle, g, self->zero, x, self->gap, NULL);
  for (int c = 0; c < self->cut_count; c++) y[self->cut_row[c]] = self->gap[c];
  return status;
}

static void relative_conclude(hn_equations *e, const double *q, const hn_branches *branches,
                              const hn_touch_row *row, const double *p, int rows, int is_stage,
                              hn_snapshot *s) {
  hn_relative_set *self = (hn_relative_set *)e;
  memcpy(self->x, s->ud, (size_t)e->nu * sizeof(double));
  hn_relative_store_rates(self, q, s);
  if (is_stage) return;
  for (int r = 0; r < rows; r++)
    for (int side = 0; side < 2; side++) {
      hn_wrench *w = &s->wrench[row[r].body[side]];
      w->force = vec3_add_scaled(w->force, p[r], vec3_load(row[r].block[side]));
      w->torque = vec3_add_scaled(w->torque, p[r], vec3_load(row[r].block[side] + 3));
    }
  if (self->cut_count == 0 && s->is_partial == HN_SNAPSHOT_OF_STEP) return; // all of it waits
  hn_tree_accelerate(self->tree, self->motion, self->x, self->acceleration, self->angular);
  hn_relative_store_accelerations(self, s);
  if (s->is_partial) return;
  for (int c = 0; c < self->cut_count; c++) self->y[c] = s->lambda[self->cut_row[c]];
  hn_relative_apply_to_nodes(self, s);
  hn_relative_store_joints(self, branches, s);
}

static void relative_forget(hn_equations *e) {
  hn_relative_set *self = (hn_relative_set *)e;
  self->factored.is_there = 0;
  if (self->judged.has_loops) hn_rank_begin(e, e->elements->row_count, 1);
}

const hn_response_type hn_relative_responses = {
    .prepare = relative_prepare,
    .evaluate_stage = hn_relative_evaluate_read_stage,
    .factor = relative_factor,
    .in_speeds = relative_in_speeds,
    .bias = relative_bias,
    .respond = relative_respond,
    .conclude = relative_conclude,
    .move = hn_relative_displace,
    .forget = relative_forget,
};
