// The tangent of the relative set put together: what tangent.h asks for, at the states it asks for, and
// the memory for it. The parts are in the other files of relative/tangent.h.
#include "equations/relative/tangent.h"

#include <string.h>

// ---- the interface ------------------------------------------------------------------------------

// Motion, frames, loop-closure constraints, forces at (q, qd).
static hn_status move(hn_relative_tangent *self, const hn_tangent_state *at, hn_error *error) {
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  s->t = at->t;
  hn_relative_find_maps(self, at->q);
  hn_relative_to_speeds(self, at->qd, set->u);
  hn_tree_move(set->tree, at->q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, s->frames);
  hn_relative_move_cuts(set, at->t, at->q, s->frames, at->branches);
  hn_relative_tangent_store_rows(self, at->t, at->branches, at->space == HN_IN_SPEEDS);
  self->has_load = 0;
  return hn_relative_apply_forces(set, at->t, at->q, at->branches, s, error);
}

// The column of one speed of a node, from the root to its diagonal entry, in both halves of M.
static void store_column(hn_relative_tangent *self, int k, int own) {
  const hn_tree *tree = self->set->tree;
  const double *value = &self->mass_values[tree->mass_start[tree->nodes[k].u + own + 1]];
  for (int e = self->grid.path_start[k]; e < self->grid.path_start[k + 1]; e++) {
    const hn_path_step *step = &self->grid.path[e];
    hn_sparse_place up = step->up, down = step->down;
    for (int i = step->node == k ? own : tree->nodes[step->node].u_count - 1; i >= 0; i--)
      self->m_u[up.at + i * up.stride + own] = self->m_u[down.at + own * down.stride + i] =
          *--value;
  }
}

// M in speeds.
static void make_mass(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  if (self->base.is_deep) return;
  hn_tree_mass(tree, self->set->motion, self->composite, self->mass_values);
  for (int k = 0; k < tree->count; k++)
    for (int own = 0; own < tree->nodes[k].u_count; own++) store_column(self, k, own);
}

static hn_status evaluate_basic(hn_relative_tangent *self, const hn_tangent_state *s,
                                hn_error *error) {
  hn_relative_set *set = self->set;
  hn_status status = move(self, s, error);
  if (status != HN_OK) return status;
  hn_relative_tangent_store_normalizations(self, s->q, s->qd, NULL);
  hn_relative_right_side(set, self->snapshot);
  hn_relative_to_coordinates(self, set->b, self->base.q_force);
  make_mass(self);
  hn_relative_tangent_store_mass(self);
  return HN_OK;
}

// Q - M qdd in speeds, by inverse dynamics: no inertia matrix.
static void make_balance(hn_relative_tangent *self, const double *qdd) {
  hn_relative_to_speeds(self, qdd, self->ud);
  hn_relative_balance(self->set, self->snapshot, self->ud);
  for (int i = 0; self->has_load && i < self->nu; i++) self->set->b[i] += self->set->forces.load[i];
}

static void relative_speeds_of(const hn_tangent *tangent, const double *x, double *out) {
  hn_relative_to_speeds((const hn_relative_tangent *)tangent, x, out);
}

// set->b -= J' lambda, c = tau - J ud of the loop-closure constraints.
static void multiply_rows(hn_relative_tangent *self, const double *lambda, double *c) {
  const hn_relative_set *set = self->set;
  const int *restrict index = set->j_index;
  const double *restrict values = set->j_values, *restrict ud = self->ud;
  double *restrict b = set->b;
  for (int k = 0; k < set->cut_count; k++) {
    const int end = set->j_start[k + 1], row = set->cut_row[k];
    const double pull = lambda[row];
    double sum = set->tau[k];
    for (int e = set->j_start[k]; e < end; e++) {
      const int i = index[e];
      b[i] -= pull * values[e];
      sum -= values[e] * ud[i];
    }
    c[row] = sum;
  }
}

// Iterates leave |p| = 1, bodies stay rigid: the speeds of p/|p| are T qd / p.p, and their rates are
// less by 2 p.pd / p.p times these. With T qd itself SDIRK takes half as many steps again at 1e-8.
static void see_rigid_turns(hn_relative_tangent *self, const double *q, const double *qd) {
  for (int i = 0; i < self->turn_count; i++) {
    const hn_tree_node *node = &self->set->tree->nodes[self->turns[i]];
    int at = node->q + node->q_count - 4, end = node->u + node->u_count;
    hn_quat p = quat_load(&q[at]);
    double square = quat_dot(p, p), growth = 2 * quat_dot(p, quat_load(&qd[at])) / square;
    for (int j = end - 3; j < end; j++) {
      self->set->u[j] /= square;
      self->ud[j] = self->ud[j] / square - growth * self->set->u[j];
    }
  }
}

// In joint speeds: constraints in lanes, products with J of that form, no block on bodies and none
// in q.
static hn_status evaluate_residuals(hn_relative_tangent *self, const hn_tangent_state *at,
                                    hn_error *error) {
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  const double *q = at->q, *qd = at->qd, *qdd = at->qdd;
  double *c = at->c;
  set->present = &hn_motion_in_space;
  s->t = at->t;
  hn_relative_find_maps(self, q);
  hn_relative_to_speeds(self, qd, set->u);
  hn_relative_to_speeds(self, qdd, self->ud);
  see_rigid_turns(self, q, qd);
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, s->frames);
  hn_relative_move_cuts(set, at->t, at->q, s->frames, at->branches);
  hn_status status = hn_relative_tangent_pull(self, at->t, q, at->branches, error);
  if (status != HN_OK) return status;
  hn_relative_apply_to_nodes(set, s);
  hn_tree_accelerate(set->tree, set->motion, self->ud, set->acceleration, set->angular);
  hn_tree_inverse(set->tree, set->motion, set->acceleration, set->angular, set->applied, set->force,
                  set->b);
  for (int i = 0; i < self->nu; i++) set->b[i] = set->forces.load[i] - set->b[i];
  memset(c, 0, (size_t)self->base.rows * sizeof(double));
  multiply_rows(self, at->lambda, c);
  hn_relative_to_coordinates(self, set->b, at->b);
  double *rest = &c[set->base.elements->row_count];
  for (int k = 0; k < set->tree->count; k++) {
    const hn_tree_node *node = &set->tree->nodes[k];
    if (!hn_node_has_parameters(node)) continue;
    int p = node->q + hn_node_plain(node);
    hn_quat pd = quat_load(&qd[p]);
    *rest++ = -quat_dot(pd, pd) - quat_dot(quat_load(&q[p]), quat_load(&qdd[p]));
  }
  return HN_OK;
}

static void relative_conclude(hn_tangent *tangent, const double *q, const double *qdd,
                              const double *lambda, hn_snapshot **snapshot) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_snapshot *made = self->snapshot; // both were made for these equations
  self->snapshot = *snapshot;
  *snapshot = made;
  tangent->forces = self->snapshot->forces;
  hn_relative_conclude(self->set, q, qdd, lambda, made);
}

static void evaluate_gaps(hn_relative_tangent *self, const hn_tangent_state *at) {
  hn_relative_set *set = self->set;
  hn_tree_move(set->tree, at->q, NULL, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, self->snapshot->frames);
  hn_relative_move_cuts(set, at->t, at->q, self->snapshot->frames, at->branches);
  for (int c = 0; c < set->cut_count; c++)
    self->base.phi[set->cut_row[c]] = set->base.rows->value[set->cut_row[c]];
  hn_relative_tangent_store_normalizations(self, at->q, NULL, NULL);
}

static void evaluate_gradients(hn_relative_tangent *self, const hn_tangent_state *at) {
  hn_relative_find_maps(self, at->q);
  hn_relative_tangent_store_rows(self, at->t, at->branches, at->space == HN_IN_SPEEDS);
}

// Evaluates the velocity-dependent part: poses, Phi_q and T are those of the last gradients.
static hn_status evaluate_motion_here(hn_relative_tangent *self, const hn_tangent_state *at,
                                      hn_error *error) {
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  set->present = &hn_motion_in_space;
  s->t = at->t;
  hn_relative_to_speeds(self, at->qd, set->u);
  hn_tree_move_on(set->tree, set->u, vec3_zero(), set->motion);
  hn_tree_frames_on(set->tree, set->motion, s->frames);
  hn_relative_move_cuts(set, at->t, at->q, s->frames, at->branches);
  for (int c = 0; c < set->cut_count; c++) {
    int r = set->cut_row[c];
    self->base.phi_rate[r] = set->base.rows->rate[r];
    self->base.tau[r] = set->tau[c];
  }
  hn_relative_tangent_store_normalizations(self, at->q, at->qd, NULL);
  return hn_relative_tangent_pull(self, at->t, at->q, at->branches, error);
}

static hn_status evaluate_motion(hn_relative_tangent *self, const hn_tangent_state *s,
                                 hn_error *error) {
  if (s->has == HN_ROWS) return evaluate_motion_here(self, s, error);
  hn_status status = move(self, s, error);
  if (status == HN_OK) hn_relative_tangent_store_normalizations(self, s->q, s->qd, NULL);
  return status;
}

// G with K and C in speeds, and M; set->acceleration is that of qdd.
static hn_status differentiate(hn_relative_tangent *self, const hn_tangent_state *s,
                               hn_error *error) {
  self->reference = s->branches->turns;
  hn_relative_set *set = self->set;
  size_t square = (size_t)self->grid.start[self->nu] * sizeof(double);
  hn_relative_find_rate_maps(self, s->qd, s->qdd);
  hn_relative_store_accelerations(set, self->snapshot);
  memset(self->k_u, 0, square);
  memset(self->c_u, 0, square);
  memset(self->g_u, 0, (size_t)self->nu * sizeof(double));
  memset(self->t_u, 0, (size_t)self->nu * sizeof(double));
  hn_relative_tangent_move(self);
  hn_relative_tangent_inertia(self);
  hn_couples_begin(self);
  return hn_relative_tangent_forces(self, s->t, s->q, s->branches, error);
}

// In q, or against joint speeds.
static hn_status evaluate_full(hn_relative_tangent *self, const hn_tangent_state *s,
                               hn_error *error) {
  hn_relative_set *set = self->set;
  int in_q = s->space == HN_IN_Q;
  hn_status status = move(self, s, error);
  if (status != HN_OK) return status;
  hn_relative_right_side(set, self->snapshot);
  hn_relative_to_coordinates(self, set->b, self->base.q_force);
  hn_relative_to_speeds(self, s->qdd, self->ud);
  hn_tree_accelerate(set->tree, set->motion, self->ud, set->acceleration, set->angular);
  status = differentiate(self, s, error);
  if (status != HN_OK) return status;
  if (in_q)
    hn_relative_tangent_rows_in_q(self, s->q, s->lambda);
  else
    hn_relative_tangent_rows_in_speeds(self, s->lambda);
  hn_couples_finish(self);
  hn_relative_tangent_store_normalizations(self, s->q, s->qd, s->qdd);
  if (in_q) hn_relative_tangent_store_matrices(self);
  hn_relative_to_coordinates(self, self->t_u, self->base.q_t);
  return HN_OK;
}

static hn_status evaluate_in_speeds(hn_relative_tangent *self, const hn_tangent_state *s,
                                    hn_want want, hn_error *error) {
  hn_status status = move(self, s, error);
  if (status != HN_OK) return status;
  hn_relative_tangent_store_normalizations(self, s->q, s->qd, NULL);
  make_balance(self, s->qdd);
  memcpy(s->b, self->set->b, (size_t)self->nu * sizeof(double));
  if (want == HN_BASIC) make_mass(self);
  if (want != HN_FULL && !(want == HN_BASIC && self->base.is_deep)) return HN_OK;
  status = differentiate(self, s, error);
  if (status != HN_OK) return status;
  for (int c = 0; c < self->set->cut_count; c++)
    hn_relative_tangent_curvature(self, c, s->lambda[self->set->cut_row[c]]);
  hn_couples_finish(self);
  hn_relative_tangent_finish_blocks(self);
  return HN_OK;
}

static hn_status evaluate_balance(hn_relative_tangent *self, const hn_tangent_state *s,
                                  hn_error *error) {
  if (s->c && self->set->base.has_residual) {
    memset(s->c, 0, (size_t)self->base.rows * sizeof(double));
    return hn_relative_residual(self->set, s, self->snapshot, error);
  }
  if (s->c) return evaluate_residuals(self, s, error);
  hn_status status = s->has < HN_MOTION ? evaluate_motion(self, s, error) : HN_OK;
  if (status != HN_OK) return status;
  make_balance(self, s->qdd);
  hn_relative_to_coordinates(self, self->set->b, s->b);
  return HN_OK;
}

static hn_status relative_evaluate(hn_tangent *tangent, const hn_tangent_state *s, hn_want want,
                                   hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  if (want <= HN_ROWS) {
    if (s->has < HN_GAPS) evaluate_gaps(self, s);
    if (want == HN_ROWS) evaluate_gradients(self, s);
    return HN_OK;
  }
  if (s->space == HN_IN_SPEEDS) return evaluate_in_speeds(self, s, want, error);
  switch (want) {
  case HN_MOTION: return evaluate_motion(self, s, error);
  case HN_BALANCE: return evaluate_balance(self, s, error);
  case HN_FULL: return evaluate_full(self, s, error);
  case HN_NOTHING:
  case HN_GAPS:
  case HN_ROWS:
  case HN_BASIC: break;
  }
  return evaluate_basic(self, s, error);
}

// Joint coordinates turn with the bodies; Euler parameters keep the axis of a turn in the child or in
// the parent.
static void relative_carry(const hn_tangent *tangent, const double *from, const double *to,
                           hn_carry_kind kind, double *x) {
  const hn_tree *tree = ((const hn_relative_tangent *)tangent)->set->tree;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    if (node->q_count == node->u_count) continue;
    int at = node->q + node->q_count - 4;
    hn_carry_turn(&from[at], &to[at], kind, node->kind == HN_LINK_FREE ? &x[node->q] : NULL,
                  &x[at]);
  }
}

// Nothing pushes along p here.
static void relative_multipliers(const hn_tangent *tangent, double *lambda) {
  for (int r = tangent->equations->elements->row_count; r < tangent->rows; r++) lambda[r] = 0;
}

static const hn_tangent_type relative_tangent_type = {
    .evaluate = relative_evaluate,
    .conclude = relative_conclude,
    .is_quick = 1,
    .has_idle_normalizations = 1,
    .speeds_of = relative_speeds_of,
    .correction_of_speeds = hn_relative_correction_of_speeds,
    .carry = relative_carry,
    .normalization_multipliers = relative_multipliers,
};

static const hn_tangent_type cartesian_tangent_type = {
    .evaluate = relative_evaluate,
    .has_idle_normalizations = 1,
    .speeds_of = relative_speeds_of,
    .correction_of_speeds = hn_relative_correction_of_speeds,
    .carry = relative_carry,
    .normalization_multipliers = relative_multipliers,
};

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_relative_tangent *self) {
  hn_tangent *base = &self->base;
  hn_tree *tree = self->set->tree;
  hn_tangent_take_memory(arena, base);
  double **by_speed[] = {
      &self->g_u,   &self->t_u, &self->row_u,          &self->row_v,          &self->row_a,
      &self->row_w, &self->ud,  &self->sensed.by_pose, &self->sensed.by_speed};
  for (size_t k = 0; k < sizeof by_speed / sizeof by_speed[0]; k++)
    *by_speed[k] = HN_KEEP(arena, double, self->nu);
  self->sensed.last = -1;
  self->columns = HN_KEEP(arena, hn_speed_column, self->nu);
  self->row_rate = HN_KEEP(arena, double, self->set->j_start[self->set->cut_count]);
  self->row_bend = HN_KEEP(arena, double, self->set->j_start[self->set->cut_count]);
  self->rates = HN_KEEP(arena, hn_node_rates, tree->count);
  self->composite = HN_KEEP(arena, hn_tree_composite, tree->count);
  self->maps = HN_KEEP(arena, hn_node_map, tree->count);
  self->rate_maps = HN_KEEP(arena, hn_node_map, tree->count);
  self->second_maps = HN_KEEP(arena, hn_node_map, tree->count);
  self->inertia = hn_arena_keep(arena, (size_t)tree->count, hn_relative_tangent_inertia_size());
  for (int k = 0; k < 2; k++) {
    self->list[k] = HN_KEEP(arena, int, self->nu);
    self->change[k] = HN_KEEP(arena, hn_body_change, self->nu);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_snapshot_create(arena, &self->set->base, &self->snapshot);
  if (status != HN_OK) return status;
  base->forces = self->snapshot->forces;
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status take_mass(hn_arena *arena, hn_relative_tangent *self) {
  hn_tree *tree = self->set->tree;
  if (self->base.is_deep) return HN_OK;
  hn_status status = tree->mass_start ? HN_OK : hn_tree_make_mass_pattern(arena, tree);
  if (status != HN_OK) return status;
  self->mass_values = HN_KEEP(arena, double, tree->mass_start[self->nu]);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status list_coordinates(hn_arena *arena, hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  self->plain_q = HN_TAKE(arena, int, tree->nu);
  self->plain_u = HN_TAKE(arena, int, tree->nu);
  self->turns = HN_TAKE(arena, int, tree->count);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int i = 0; i < hn_node_plain(node); i++) {
      self->plain_q[self->plain_count] = node->q + i;
      self->plain_u[self->plain_count++] = node->u + i;
    }
    if (hn_node_has_parameters(node)) self->turns[self->turn_count++] = k;
  }
  return HN_OK;
}

static void name_columns(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  unsigned char *columns = self->base.columns;
  for (int k = 0; k < tree->count; k++) {
    const hn_tree_node *node = &tree->nodes[k];
    for (int i = 0; i < node->q_count; i++) columns[node->q + i] = HN_COLUMN_LENGTH;
    if (node->angular > 0) columns[node->q] = HN_COLUMN_ANGLE;
    if (node->q_count == node->u_count) continue;
    int at = node->q + node->q_count - 4;
    for (int i = 0; i < 4; i++)
      columns[at + i] = i == 0 ? HN_COLUMN_PARAMETER : HN_COLUMN_PARAMETER_NEXT;
  }
}

static hn_status create(hn_arena *arena, hn_equations *equations, hn_relative_set *set,
                        const hn_tangent_type *type, int in_speeds, hn_tangent **tangent) {
  hn_relative_tangent *self = HN_KEEP(arena, hn_relative_tangent, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->set = set;
  self->nu = equations->nu;
  self->base.type = type;
  self->base.equations = equations;
  self->base.n = equations->nq;
  self->base.rows = equations->elements->row_count + equations->normalizations;
  hn_status status = take_memory(arena, self);
  if (status == HN_OK) status = list_coordinates(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_couples(arena, self);
  self->base.is_deep = status == HN_OK && in_speeds && hn_relative_tangent_is_deep(self);
  if (status == HN_OK) status = take_mass(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_pattern(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_place_couples(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_blocks(arena, self);
  if (status != HN_OK) return status;
  name_columns(self);
  *tangent = &self->base;
  return HN_OK;
}

hn_status hn_relative_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                     hn_tangent **tangent) {
  return create(arena, equations, (hn_relative_set *)equations, &relative_tangent_type, in_speeds,
                tangent);
}

hn_status hn_cartesian_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                      hn_tangent **tangent) {
  hn_relative_set *set;
  hn_status status = hn_relative_create_free(arena, equations->elements, &set);
  if (status != HN_OK) return status;
  set->base.redundant = equations->redundant;
  return create(arena, equations, set, &cartesian_tangent_type, in_speeds, tangent);
}
