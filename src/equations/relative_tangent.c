// The tangent of the relative set put together: from speeds to q (relative_tangent.h).
#include "equations/relative_tangent.h"

#include <string.h>

// ---- T ------------------------------------------------------------------------------------------

static hn_node_map map_of(double scale, const double *p) {
  double a = scale * p[0], x = scale * p[1], y = scale * p[2], z = scale * p[3];
  return (hn_node_map){{{-x, a, -z, y}, {-y, z, a, -x}, {-z, -y, x, a}}};
}

static void find_rate_maps(hn_relative_tangent *self, const double *qd, const double *qdd) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->turn_count; i++) {
    int k = self->turns[i], at = tree->nodes[k].q + hn_node_plain(&tree->nodes[k]);
    self->rate_maps[k] = map_of(-2, &qd[at]);
    self->second_maps[k] = map_of(-2, &qdd[at]);
  }
}

static void find_maps(hn_relative_tangent *self, const double *q) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->turn_count; i++) {
    int k = self->turns[i];
    self->maps[k] = map_of(2, &q[tree->nodes[k].q + hn_node_plain(&tree->nodes[k])]);
  }
}

// u = T x, x = T' u
static void to_speeds(const hn_relative_tangent *self, const double *x, double *u) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->plain_count; i++) u[self->plain_u[i]] = x[self->plain_q[i]];
  for (int t = 0; t < self->turn_count; t++) {
    const hn_tree_node *node = &tree->nodes[self->turns[t]];
    const double(*w)[4] = (const double(*)[4])self->maps[self->turns[t]].w;
    const double *p = &x[node->q + node->q_count - 4];
    double *out = &u[node->u + node->u_count - 3];
    for (int i = 0; i < 3; i++)
      out[i] = w[i][0] * p[0] + w[i][1] * p[1] + w[i][2] * p[2] + w[i][3] * p[3];
  }
}

static void to_coordinates(const hn_relative_tangent *self, const double *u, double *x) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->plain_count; i++) x[self->plain_q[i]] = u[self->plain_u[i]];
  for (int t = 0; t < self->turn_count; t++) {
    const hn_tree_node *node = &tree->nodes[self->turns[t]];
    const double(*w)[4] = (const double(*)[4])self->maps[self->turns[t]].w;
    const double *n = &u[node->u + node->u_count - 3];
    double *out = &x[node->q + node->q_count - 4];
    for (int j = 0; j < 4; j++) out[j] = w[0][j] * n[0] + w[1][j] * n[1] + w[2][j] * n[2];
  }
}

// ---- blocks -------------------------------------------------------------------------------------

// (T' G)_p at fixed G: 2 [[0, -G'], [G, G~]]
static void add_turned_force(const hn_tree_node *node, const double *g, double *value, int stride) {
  int plain = hn_node_plain(node);
  hn_vec3 n = vec3_load(&g[node->u + plain]);
  const double k[4][4] = {
      {0, -n.x, -n.y, -n.z}, {n.x, 0, -n.z, n.y}, {n.y, n.z, 0, -n.x}, {n.z, -n.y, n.x, 0}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) value[(plain + i) * stride + plain + j] += 2 * k[i][j];
}

// out (4) += x (3) times a map
HN_IN_LOOP void add_mapped(const double *x, const hn_node_map *map, double *out) {
  for (int j = 0; j < 4; j++)
    out[j] += x[0] * map->w[0][j] + x[1] * map->w[1][j] + x[2] * map->w[2][j];
}

// What a pair of nodes has of K, C and M in q. The numbers of plain coordinates and whether Euler
// parameters follow them are constants where this is called, so that all loops are written out.
typedef struct block_view {
  const double *x; // in speeds, at the first speeds of both nodes
  double *to;
  int stride;
} block_view;

// half (speeds of the row x coordinates of the column) = X T
HN_IN_LOOP void times_map(block_view v, int nu, int speeds, int plain, int has_map,
                          const hn_node_map *map, double half[6][7]) {
  for (int i = 0; i < speeds; i++) {
    const double *row = &v.x[i * nu];
    for (int j = 0; j < plain; j++) half[i][j] = row[j];
    if (!has_map) continue;
    for (int j = 0; j < 4; j++)
      half[i][plain + j] =
          row[plain] * map->w[0][j] + row[plain + 1] * map->w[1][j] + row[plain + 2] * map->w[2][j];
  }
}

// to = T' half
HN_IN_LOOP void store_left(block_view v, int columns, int plain, int has_map,
                           const hn_node_map *map, double half[6][7]) {
  for (int i = 0; i < plain; i++)
    for (int j = 0; j < columns; j++) v.to[i * v.stride + j] = half[i][j];
  if (!has_map) return;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < columns; j++)
      v.to[(plain + i) * v.stride + j] = map->w[0][i] * half[plain][j] +
                                         map->w[1][i] * half[plain + 1][j] +
                                         map->w[2][i] * half[plain + 2][j];
}

HN_IN_LOOP block_view view_of(const hn_relative_tangent *self, const hn_node_pair *pair,
                              const double *x, hn_sparse *to, hn_sparse_place place) {
  const hn_tree_node *nodes = self->set->tree->nodes;
  return (block_view){&x[nodes[pair->row].u * self->nu + nodes[pair->column].u],
                      &to->value[place.at], place.stride};
}

HN_IN_LOOP void store_shape(hn_relative_tangent *self, const hn_node_pair *pair, int only_mass,
                            int plain_a, int has_a, int plain_b, int has_b) {
  int nu = self->nu, speeds = plain_a + 3 * has_a, columns = plain_b + 4 * has_b;
  const hn_node_map *left = &self->maps[pair->row], *right = &self->maps[pair->column];
  hn_tangent *base = &self->base;
  double half[6][7];
  if (pair->mass.at >= 0) {
    block_view m = view_of(self, pair, self->m_u, &base->mass, pair->mass);
    times_map(m, nu, speeds, plain_b, has_b, right, half);
    store_left(m, columns, plain_a, has_a, left, half);
  }
  if (only_mass) return;
  block_view k = view_of(self, pair, self->k_u, &base->stiffness, pair->stiffness);
  times_map(k, nu, speeds, plain_b, has_b, right, half);
  if (has_b) { // with dT(qd) and dT(qdd); C and M are zero where the pair has none
    const hn_node_map *rate = &self->rate_maps[pair->column];
    const hn_node_map *second = &self->second_maps[pair->column];
    int from = (int)(k.x - self->k_u) + plain_b;
    for (int i = 0; i < speeds; i++) {
      add_mapped(&self->c_u[from + i * nu], rate, &half[i][plain_b]);
      if (pair->mass.at >= 0) add_mapped(&self->m_u[from + i * nu], second, &half[i][plain_b]);
    }
  }
  store_left(k, columns, plain_a, has_a, left, half);
  if (pair->damping.at < 0) return;
  block_view c = view_of(self, pair, self->c_u, &base->damping, pair->damping);
  times_map(c, nu, speeds, plain_b, has_b, right, half);
  store_left(c, columns, plain_a, has_a, left, half);
}

enum { ONE, BALL, FREE, SHAPES };

static int shape_of(const hn_tree_node *node) {
  return node->q_count == 1 ? ONE : node->q_count == 4 ? BALL : FREE;
}

// All entries of the patterns are in some pair: nothing need be cleared before.
static void store_pair(hn_relative_tangent *self, const hn_node_pair *pair, int only_mass) {
  const hn_tree_node *nodes = self->set->tree->nodes, *a = &nodes[pair->row];
  switch (shape_of(a) * SHAPES + shape_of(&nodes[pair->column])) {
  case ONE *SHAPES + ONE: store_shape(self, pair, only_mass, 1, 0, 1, 0); break;
  case ONE *SHAPES + BALL: store_shape(self, pair, only_mass, 1, 0, 0, 1); break;
  case ONE *SHAPES + FREE: store_shape(self, pair, only_mass, 1, 0, 3, 1); break;
  case BALL *SHAPES + ONE: store_shape(self, pair, only_mass, 0, 1, 1, 0); break;
  case BALL *SHAPES + BALL: store_shape(self, pair, only_mass, 0, 1, 0, 1); break;
  case BALL *SHAPES + FREE: store_shape(self, pair, only_mass, 0, 1, 3, 1); break;
  case FREE *SHAPES + ONE: store_shape(self, pair, only_mass, 3, 1, 1, 0); break;
  case FREE *SHAPES + BALL: store_shape(self, pair, only_mass, 3, 1, 0, 1); break;
  default: store_shape(self, pair, only_mass, 3, 1, 3, 1); break;
  }
  if (!only_mass && pair->row == pair->column && hn_node_has_parameters(a))
    add_turned_force(a, self->g_u, &self->base.stiffness.value[pair->stiffness.at],
                     pair->stiffness.stride);
}

static void store_matrices(hn_relative_tangent *self) {
  for (int p = 0; p < self->pair_count; p++) store_pair(self, &self->pairs[p], 0);
}

static void store_mass(hn_relative_tangent *self) {
  for (int p = 0; p < self->pair_count; p++)
    if (self->pairs[p].mass.at >= 0) store_pair(self, &self->pairs[p], 1);
}

// ---- rows ---------------------------------------------------------------------------------------

// One row in speeds, times T or dT (maps; is_rate), added to the values of row r.
static void add_row(const hn_relative_tangent *self, int r, const double *row,
                    const hn_node_map *maps, int is_rate, double *value) {
  const hn_relative_set *set = self->set;
  int c = set->row_cut[r], at = self->base.phi_q.start[r];
  for (int k = set->walk_start[c]; k < set->walk_start[c + 1]; k++) {
    int n = set->walk[k].node;
    const hn_tree_node *node = &set->tree->nodes[n];
    int plain = hn_node_plain(node);
    for (int j = 0; j < plain; j++) value[at++] += is_rate ? 0 : row[node->u + j];
    if (!hn_node_has_parameters(node)) continue;
    add_mapped(&row[node->u + plain], &maps[n], &value[at]);
    at += 4;
  }
}

static void clear_row(hn_relative_tangent *self, int cut) {
  const hn_relative_set *set = self->set;
  for (int k = set->j_start[cut]; k < set->j_start[cut + 1]; k++) {
    int i = set->j_index[k];
    self->row_u[i] = set->j_values[k];
    self->row_v[i] = self->row_a[i] = self->row_w[i] = 0;
  }
}

// J T of one row, which stands in the order of its walk.
static void store_gradient(const hn_relative_tangent *self, int cut, double *to) {
  const hn_relative_set *set = self->set;
  const double *from = &set->j_values[set->j_start[cut]];
  int r = set->cut_row[cut], count = set->j_start[cut + 1] - set->j_start[cut];
  if (self->base.phi_q.start[r + 1] - self->base.phi_q.start[r] == count) { // T is 1
    for (int k = 0; k < count; k++) to[k] = from[k];
    return;
  }
  for (int k = set->walk_start[cut]; k < set->walk_start[cut + 1]; k++) {
    int n = set->walk[k].node;
    const hn_tree_node *node = &set->tree->nodes[n];
    for (int j = hn_node_plain(node); j > 0; j--) *to++ = *from++;
    if (!hn_node_has_parameters(node)) continue;
    const hn_node_map *map = &self->maps[n];
    for (int j = 0; j < 4; j++)
      to[j] = from[0] * map->w[0][j] + from[1] * map->w[1][j] + from[2] * map->w[2][j];
    to += 4;
    from += 3;
  }
}

// in_speeds: without J T.
static void store_rows(hn_relative_tangent *self, double t, const hn_branches *branches,
                       int in_speeds) {
  const hn_relative_set *set = self->set;
  const hn_elements *elements = set->base.elements;
  const hn_cartesian_rows *rows = set->base.rows;
  hn_tangent *base = &self->base;
  for (int c = 0; c < set->cut_count; c++) {
    int r = set->cut_row[c];
    const hn_row *row = &elements->rows[r];
    base->phi[r] = rows->value[r];
    if (base->leaves_redundant && set->base.redundant[r]) continue;
    base->phi_rate[r] = rows->rate[r];
    base->phi_t[r] = rows->time_rate[r];
    base->tau[r] = set->tau[c];
    if (row->law) { // else both stay 0
      hn_law_value law = hn_law_evaluate(row->law, branches->driver[row->driver], t);
      base->phi_tt[r] = -law.d2;
      base->tau_t[r] = law.d3;
    }
    if (!in_speeds) store_gradient(self, c, &base->phi_q.value[base->phi_q.start[r]]);
  }
}

// qd null: only what belongs to positions.
static void store_normalizations(hn_relative_tangent *self, const double *q, const double *qd,
                                 const double *qdd) {
  const hn_tree *tree = self->set->tree;
  hn_tangent *base = &self->base;
  int r = self->set->base.elements->row_count;
  for (int t = 0; t < self->turn_count; t++) {
    const hn_tree_node *node = &tree->nodes[self->turns[t]];
    int at = node->q + node->q_count - 4;
    hn_quat p = quat_load(&q[at]);
    base->phi[r] = 0.5 * (quat_dot(p, p) - 1);
    quat_store(&base->phi_q.value[base->phi_q.start[r]], p);
    if (qd) {
      hn_quat pd = quat_load(&qd[at]);
      base->phi_rate[r] = quat_dot(p, pd);
      base->tau[r] = -quat_dot(pd, pd);
      if (qdd) {
        quat_store(&base->phi_v.value[base->phi_q.start[r]], pd);
        quat_store(&base->phi_dd.value[base->phi_q.start[r]], quat_load(&qdd[at]));
      }
    }
    r++;
  }
}

// A of a row without its part along p: speeds do not see a pd along p, so with it tau_qd = -2 A holds in
// every direction, and (Phi_q qd)_q in all that keep |p|.
static void take_out_growth(hn_relative_tangent *self, int row, const double *q) {
  hn_sparse *a = &self->base.phi_v;
  for (int e = a->start[row]; e < a->start[row + 1]; e++) {
    if (self->base.columns[a->index[e]] != HN_COLUMN_PARAMETER) continue;
    hn_quat p = quat_load(&q[a->index[e]]), x = quat_load(&a->value[e]);
    quat_store(&a->value[e], quat_add(x, quat_scale(-quat_dot(x, p) / quat_dot(p, p), p)));
  }
}

static void differentiate_in_speeds(hn_relative_tangent *self, const double *lambda) {
  const hn_relative_set *set = self->set;
  for (int c = 0; c < set->cut_count; c++) {
    clear_row(self, c);
    hn_relative_tangent_row(self, c, lambda[set->cut_row[c]]);
    for (int k = set->j_start[c]; k < set->j_start[c + 1]; k++) {
      self->row_rate[k] = self->row_w[set->j_index[k]];
      self->row_bend[k] = self->row_a[set->j_index[k]];
    }
  }
}

// Derivatives of the cut rows; lambda by rows of the elements.
static void differentiate_rows(hn_relative_tangent *self, const double *q, const double *lambda) {
  const hn_relative_set *set = self->set;
  hn_tangent *base = &self->base;
  hn_sparse_zero(&base->phi_v);
  hn_sparse_zero(&base->phi_dd);
  for (int c = 0; c < set->cut_count; c++) {
    int r = set->cut_row[c];
    clear_row(self, c);
    hn_relative_tangent_row(self, c, lambda[r]);
    add_row(self, r, self->row_v, self->maps, 0, base->phi_v.value);
    add_row(self, r, self->row_u, self->rate_maps, 1, base->phi_v.value);
    take_out_growth(self, r, q);
    add_row(self, r, self->row_a, self->maps, 0, base->phi_dd.value);
    add_row(self, r, self->row_w, self->rate_maps, 1, base->phi_dd.value);
    add_row(self, r, self->row_u, self->second_maps, 1, base->phi_dd.value);
  }
}

// ---- the interface ------------------------------------------------------------------------------

// Motion, frames, cut rows, forces at (q, qd): what basic and full share.
static hn_status move(hn_relative_tangent *self, double t, const double *q, const double *qd,
                      int is_full, int in_speeds, const hn_branches *branches, hn_error *error) {
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  s->t = t;
  find_maps(self, q);
  to_speeds(self, qd, set->u);
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, is_full ? q : NULL, set->motion, s->frames);
  hn_relative_move_cuts(set, t, s->frames, branches);
  store_rows(self, t, branches, in_speeds);
  self->has_load = 0;
  hn_status status = hn_relative_apply_forces(set, t, q, branches, s, error);
  if (self->base.watch) self->base.watch(self->base.watcher, s->forces);
  return status;
}

// M in speeds.
static void make_mass(hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  hn_tree_mass(tree, self->set->motion, self->composite, self->mass_values);
  for (int j = 0; j < self->nu; j++)
    for (int k = tree->mass_start[j]; k < tree->mass_start[j + 1]; k++) {
      int i = tree->mass_index[k];
      self->m_u[i * self->nu + j] = self->m_u[j * self->nu + i] = self->mass_values[k];
    }
}

static hn_status relative_basic(hn_tangent *tangent, double t, const double *q, const double *qd,
                                const hn_branches *branches, hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_relative_set *set = self->set;
  hn_status status = move(self, t, q, qd, 0, 0, branches, error);
  if (status != HN_OK) return status;
  store_normalizations(self, q, qd, NULL);
  hn_relative_right_side(set, self->snapshot);
  to_coordinates(self, set->b, tangent->q_force);
  make_mass(self);
  store_mass(self);
  return HN_OK;
}

static hn_status relative_prepare(hn_tangent *tangent, double t, const double *q, const double *qd,
                                  const hn_branches *branches, hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_status status = move(self, t, q, qd, 0, tangent->in_speeds, branches, error);
  if (status == HN_OK) store_normalizations(self, q, qd, NULL);
  return status;
}

// By inverse dynamics: no inertia matrix.
static void relative_rest(hn_tangent *tangent, const double *qdd, double *out) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  to_speeds(self, qdd, self->ud);
  hn_relative_balance(self->set, self->snapshot, self->ud);
  for (int i = 0; self->has_load && i < self->nu; i++) self->set->b[i] += self->set->load[i];
  if (tangent->in_speeds)
    memcpy(out, self->set->b, (size_t)self->nu * sizeof(double));
  else
    to_coordinates(self, self->set->b, out);
}

static void relative_speeds_of(const hn_tangent *tangent, const double *x, double *out) {
  to_speeds((const hn_relative_tangent *)tangent, x, out);
}

// In joint speeds: rows in lanes, products with J as it stands there, no block on bodies and none in q.
static hn_status relative_imbalance(hn_tangent *tangent, double t, const double *q,
                                    const double *qd, const double *qdd, const double *lambda,
                                    const hn_branches *branches, double *b, double *c,
                                    hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  set->in_plane = 0;
  s->t = t;
  find_maps(self, q);
  to_speeds(self, qd, set->u);
  to_speeds(self, qdd, self->ud);
  hn_tree_move(set->tree, q, set->u, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, s->frames);
  hn_relative_move_cuts(set, t, s->frames, branches);
  hn_status status = hn_relative_tangent_pull(self, t, q, branches, error);
  if (status != HN_OK) return status;
  hn_relative_apply_to_nodes(set, s);
  hn_tree_accelerate(set->tree, set->motion, self->ud, set->acceleration, set->angular);
  hn_tree_inverse(set->tree, set->motion, set->acceleration, set->angular, set->applied, set->force,
                  set->b);
  for (int i = 0; i < self->nu; i++) set->b[i] = set->load[i] - set->b[i];
  memset(c, 0, (size_t)tangent->rows * sizeof(double));
  for (int k = 0; k < set->cut_count; k++) {
    const double pull = lambda[set->cut_row[k]];
    double sum = set->tau[k];
    for (int e = set->j_start[k]; e < set->j_start[k + 1]; e++) {
      set->b[set->j_index[e]] -= pull * set->j_values[e];
      sum -= set->j_values[e] * self->ud[set->j_index[e]];
    }
    c[set->cut_row[k]] = sum;
  }
  to_coordinates(self, set->b, b);
  double *rest = &c[set->base.elements->row_count];
  for (int k = 0; k < set->tree->count; k++) {
    const hn_tree_node *node = &set->tree->nodes[k];
    if (!hn_node_has_parameters(node)) continue;
    int at = node->q + hn_node_plain(node);
    hn_quat pd = quat_load(&qd[at]);
    *rest++ = -quat_dot(pd, pd) - quat_dot(quat_load(&q[at]), quat_load(&qdd[at]));
  }
  return HN_OK;
}

static void relative_conclude(hn_tangent *tangent, const double *q, const double *qdd,
                              const double *lambda, hn_snapshot **snapshot) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_snapshot *made = self->snapshot; // both were made for these equations
  self->snapshot = *snapshot;
  *snapshot = made;
  tangent->frames = self->snapshot->frames;
  hn_relative_conclude(self->set, q, qdd, lambda, made);
}

static void relative_gaps(hn_tangent *tangent, double t, const double *q,
                          const hn_branches *branches) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_relative_set *set = self->set;
  hn_tree_move(set->tree, q, NULL, vec3_zero(), set->motion);
  hn_tree_frames(set->tree, NULL, set->motion, self->snapshot->frames);
  hn_relative_move_cuts(set, t, self->snapshot->frames, branches);
  for (int c = 0; c < set->cut_count; c++)
    tangent->phi[set->cut_row[c]] = set->base.rows->value[set->cut_row[c]];
  store_normalizations(self, q, NULL, NULL);
}

static void relative_gradients(hn_tangent *tangent, double t, const double *q,
                               const hn_branches *branches) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  find_maps(self, q);
  store_rows(self, t, branches, tangent->in_speeds);
}

static void relative_rows(hn_tangent *tangent, double t, const double *q,
                          const hn_branches *branches) {
  relative_gaps(tangent, t, q, branches);
  relative_gradients(tangent, t, q, branches);
}

// What depends on velocities: poses, Phi_q and T are those of the last gradients.
static hn_status relative_prepare_here(hn_tangent *tangent, double t, const double *q,
                                       const double *qd, const hn_branches *branches,
                                       hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_relative_set *set = self->set;
  hn_snapshot *s = self->snapshot;
  set->in_plane = 0;
  s->t = t;
  to_speeds(self, qd, set->u);
  hn_tree_move_on(set->tree, set->u, vec3_zero(), set->motion);
  hn_tree_frames_on(set->tree, set->motion, s->frames);
  hn_relative_move_cuts(set, t, s->frames, branches);
  for (int c = 0; c < set->cut_count; c++) {
    int r = set->cut_row[c];
    tangent->phi_rate[r] = set->base.rows->rate[r];
    tangent->tau[r] = set->tau[c];
  }
  store_normalizations(self, q, qd, NULL);
  return hn_relative_tangent_pull(self, t, q, branches, error);
}

// G with K and C in speeds, and M; set->acceleration is that of qdd.
static hn_status differentiate(hn_relative_tangent *self, double t, const double *q,
                               const double *qd, const double *qdd, const hn_branches *branches,
                               hn_error *error) {
  hn_relative_set *set = self->set;
  size_t square = (size_t)self->nu * (size_t)self->nu * sizeof(double);
  find_rate_maps(self, qd, qdd);
  hn_relative_store_accelerations(set, self->snapshot);
  memset(self->k_u, 0, square);
  memset(self->c_u, 0, square);
  memset(self->g_u, 0, (size_t)self->nu * sizeof(double));
  memset(self->t_u, 0, (size_t)self->nu * sizeof(double));
  hn_relative_tangent_move(self);
  hn_relative_tangent_inertia(self);
  hn_couples_begin(self);
  return hn_relative_tangent_forces(self, t, q, branches, error);
}

static hn_status relative_full(hn_tangent *tangent, double t, const double *q, const double *qd,
                               const double *qdd, const double *lambda, const hn_branches *branches,
                               hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_relative_set *set = self->set;
  hn_status status = move(self, t, q, qd, 1, 0, branches, error);
  if (status != HN_OK) return status;
  hn_relative_right_side(set, self->snapshot);
  to_coordinates(self, set->b, tangent->q_force);
  to_speeds(self, qdd, self->ud);
  hn_tree_accelerate(set->tree, set->motion, self->ud, set->acceleration, set->angular);
  status = differentiate(self, t, q, qd, qdd, branches, error);
  if (status != HN_OK) return status;
  if (self->is_in_speeds)
    differentiate_in_speeds(self, lambda);
  else
    differentiate_rows(self, q, lambda);
  hn_couples_finish(self);
  store_normalizations(self, q, qd, qdd);
  if (!self->is_in_speeds) store_matrices(self);
  to_coordinates(self, self->t_u, tangent->q_t);
  return HN_OK;
}

static hn_status relative_linearize(hn_tangent *tangent, double t, const double *q,
                                    const double *qd, const double *qdd, const double *lambda,
                                    int is_full, const hn_branches *branches, double *out,
                                    hn_error *error) {
  hn_relative_tangent *self = (hn_relative_tangent *)tangent;
  hn_status status = move(self, t, q, qd, is_full, tangent->in_speeds, branches, error);
  if (status != HN_OK) return status;
  store_normalizations(self, q, qd, NULL);
  relative_rest(tangent, qdd, out);
  if (!is_full) {
    make_mass(self);
    return HN_OK;
  }
  status = differentiate(self, t, q, qd, qdd, branches, error);
  if (status != HN_OK) return status;
  for (int c = 0; c < self->set->cut_count; c++)
    hn_relative_tangent_curvature(self, c, lambda[self->set->cut_row[c]]);
  hn_couples_finish(self);
  hn_relative_tangent_finish_blocks(self);
  return HN_OK;
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
    hn_quat p = quat_unit(quat_load(&from[at])), p_to = quat_unit(quat_load(&to[at]));
    hn_quat back = quat_conjugate(p), part = quat_load(&x[at]);
    if (kind == HN_CARRY_STRAIGHT) {
      quat_store(&x[at], quat_multiply(quat_multiply(part, back), p_to));
      continue;
    }
    hn_quat turn = quat_multiply(p_to, back);
    quat_store(&x[at], quat_multiply(turn, part));
    if (node->kind == HN_NODE_FREE)
      vec3_store(&x[node->q], mat3_apply(quat_matrix(turn), vec3_load(&x[node->q])));
  }
}

// Nothing pushes along p here.
static void relative_multipliers(const hn_tangent *tangent, double *lambda) {
  for (int r = tangent->equations->elements->row_count; r < tangent->rows; r++) lambda[r] = 0;
}

static const hn_tangent_type relative_tangent_type = {
    .basic = relative_basic,
    .rows = relative_rows,
    .gaps = relative_gaps,
    .gradients = relative_gradients,
    .prepare_here = relative_prepare_here,
    .prepare = relative_prepare,
    .rest = relative_rest,
    .imbalance = relative_imbalance,
    .conclude = relative_conclude,
    .is_quick = 1,
    .has_idle_normalizations = 1,
    .full = relative_full,
    .linearize = relative_linearize,
    .speeds_of = relative_speeds_of,
    .correction_of_speeds = hn_relative_correction_of_speeds,
    .carry = relative_carry,
    .normalization_multipliers = relative_multipliers,
};

// ---- set-up -------------------------------------------------------------------------------------

static hn_status take_memory(hn_arena *arena, hn_relative_tangent *self) {
  hn_tangent *base = &self->base;
  hn_tree *tree = self->set->tree;
  size_t nu = (size_t)self->nu;
  double **by_row[] = {&base->phi,    &base->phi_rate, &base->phi_t,
                       &base->phi_tt, &base->tau,      &base->tau_t};
  for (size_t k = 0; k < sizeof by_row / sizeof by_row[0]; k++)
    *by_row[k] = HN_TAKE(arena, double, base->rows);
  double **by_speed[] = {&self->g_u,   &self->t_u,   &self->row_u, &self->row_v,
                         &self->row_a, &self->row_w, &self->ud};
  for (size_t k = 0; k < sizeof by_speed / sizeof by_speed[0]; k++)
    *by_speed[k] = HN_TAKE(arena, double, self->nu);
  base->q_force = HN_TAKE(arena, double, base->n);
  base->q_t = HN_TAKE(arena, double, base->n);
  base->columns = HN_TAKE(arena, unsigned char, base->n);
  self->m_u = hn_arena_take(arena, nu * nu, sizeof(double));
  self->k_u = hn_arena_take(arena, nu * nu, sizeof(double));
  self->c_u = hn_arena_take(arena, nu * nu, sizeof(double));
  self->columns = HN_TAKE(arena, hn_speed_column, self->nu);
  self->rates = HN_TAKE(arena, hn_node_rates, tree->count);
  self->composite = HN_TAKE(arena, hn_tree_composite, tree->count);
  self->maps = HN_TAKE(arena, hn_node_map, tree->count);
  self->rate_maps = HN_TAKE(arena, hn_node_map, tree->count);
  self->second_maps = HN_TAKE(arena, hn_node_map, tree->count);
  self->inertia = hn_arena_take(arena, (size_t)tree->count, hn_relative_tangent_inertia_size());
  for (int k = 0; k < 2; k++) {
    self->list[k] = HN_TAKE(arena, int, self->nu);
    self->change[k] = HN_TAKE(arena, hn_body_change, self->nu);
  }
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = tree->mass_start ? HN_OK : hn_tree_make_mass_pattern(arena, tree);
  if (status == HN_OK) status = hn_snapshot_create(arena, &self->set->base, &self->snapshot);
  if (status != HN_OK) return status;
  base->frames = self->snapshot->frames;
  self->mass_values = HN_TAKE(arena, double, tree->mass_start[self->nu]);
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

hn_status hn_relative_tangent_create(hn_arena *arena, hn_equations *equations,
                                     hn_tangent **tangent) {
  hn_relative_tangent *self = HN_TAKE(arena, hn_relative_tangent, 1);
  if (!self) return HN_ERROR_MEMORY;
  self->set = (hn_relative_set *)equations;
  self->nu = equations->nu;
  self->base.type = &relative_tangent_type;
  self->base.equations = equations;
  self->base.n = equations->nq;
  self->base.rows = equations->elements->row_count + equations->normalizations;
  hn_status status = take_memory(arena, self);
  if (status == HN_OK) status = list_coordinates(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_pattern(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_couples(arena, self);
  if (status == HN_OK) status = hn_relative_tangent_blocks(arena, self);
  if (status != HN_OK) return status;
  name_columns(self);
  *tangent = &self->base;
  return HN_OK;
}
