// Between coordinates and speeds of the relative set: w = T qd, F = T' G, with T = 1 or, for the Euler
// parameters p of a node,
//
//   T = 2 E(p) = [-2e, 2 e0 + 2 e~],    dT(x) = (T x)_q = -2 E(x_p),    T^+ = T' / 4 |p|^2
//
// and the tangent in speeds (hn_speed_blocks of tangent.h). With dq = T^+ du,
//
//   K_u = G_pi + g_w dT(qd) T^+ + g_wd dT(qdd) T^+ + T^+' (T' G)_q T^+
//
// where the last term is G~ / 2 a node, since W(p) turns with p: the choice of Euler parameters does not
// matter, and they may be those of no turn. M and C are g_wd and g_w themselves.
#include <string.h>

#include "equations/relative/tangent.h"

// ---- maps ---------------------------------------------------------------------------------------

static hn_node_map map_of(double scale, const double *p) {
  double a = scale * p[0], x = scale * p[1], y = scale * p[2], z = scale * p[3];
  return (hn_node_map){{{-x, a, -z, y}, {-y, z, a, -x}, {-z, -y, x, a}}};
}

void hn_relative_find_rate_maps(hn_relative_tangent *self, const double *qd, const double *qdd) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->turn_count; i++) {
    int k = self->turns[i], at = tree->nodes[k].q + hn_node_plain(&tree->nodes[k]);
    self->rate_maps[k] = map_of(-2, &qd[at]);
    self->second_maps[k] = map_of(-2, &qdd[at]);
  }
}

void hn_relative_find_maps(hn_relative_tangent *self, const double *q) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < self->turn_count; i++) {
    int k = self->turns[i];
    self->maps[k] = map_of(2, &q[tree->nodes[k].q + hn_node_plain(&tree->nodes[k])]);
  }
}

void hn_relative_to_speeds(const hn_relative_tangent *self, const double *x, double *u) {
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

void hn_relative_to_coordinates(const hn_relative_tangent *self, const double *u, double *x) {
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

static double size_of(const hn_node_map *t) { // 4 |p|^2
  const double *w = t->w[0];
  return w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3];
}

// p is in T: 2 E(p) = [-2e, 2 e0 + 2 e~].
void hn_relative_correction_of_speeds(const hn_tangent *tangent, const double *u, const double *c,
                                      double *x) {
  const hn_relative_tangent *self = (const hn_relative_tangent *)tangent;
  const hn_tree *tree = self->set->tree;
  int row = self->set->base.elements->row_count;
  for (int i = 0; i < self->plain_count; i++) x[self->plain_q[i]] = u[self->plain_u[i]];
  for (int t = 0; t < self->turn_count; t++) {
    const hn_tree_node *node = &tree->nodes[self->turns[t]];
    const hn_node_map *map = &self->maps[self->turns[t]];
    const double(*w)[4] = (const double(*)[4])map->w, *n = &u[node->u + node->u_count - 3];
    double scale = 1 / size_of(map), along = 2 * c[row++];
    const double p[4] = {w[0][1], -w[0][0], -w[1][0], -w[2][0]}; // 2 p
    double *out = &x[node->q + node->q_count - 4];
    for (int j = 0; j < 4; j++)
      out[j] = scale * (w[0][j] * n[0] + w[1][j] * n[1] + w[2][j] * n[2] + along * p[j]);
  }
}

// ---- set-up -------------------------------------------------------------------------------------

// The pattern is symmetric: row j up to its diagonal is column j of the upper triangle.
static hn_status list_pattern(hn_arena *arena, const hn_relative_tangent *self,
                              hn_speed_blocks *out) {
  int n = out->n, room = self->grid.start[n], at = 0;
  int *start = HN_TAKE(arena, int, n + 1), *index = HN_TAKE(arena, int, room);
  int *here = HN_TAKE(arena, int, room), *there = HN_TAKE(arena, int, room);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < n; j++) {
    for (int e = self->grid.start[j]; e < self->grid.start[j + 1] && self->grid.column[e] <= j;
         e++) {
      here[at] = hn_relative_place(self, self->grid.column[e], j);
      there[at] = e;
      index[at++] = self->grid.column[e];
    }
    start[j + 1] = at;
  }
  out->start = start;
  out->index = index;
  out->here = here;
  out->there = there;
  return HN_OK;
}

static hn_status list_column_pairs(hn_arena *arena, hn_arena *scratch, hn_relative_tangent *self) {
  const hn_tree *tree = self->set->tree;
  int *next = HN_TAKE(scratch, int, tree->count + 1);
  self->grid.turn_pairs = HN_TAKE(arena, int, self->grid.pair_count);
  if (arena->failed || scratch->failed) return HN_ERROR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    for (int p = 0; p < self->grid.pair_count; p++) {
      int k = self->grid.pairs[p].column;
      if (!hn_node_has_parameters(&tree->nodes[k])) continue;
      if (pass == 0)
        next[k + 1]++;
      else
        self->grid.turn_pairs[next[k]++] = p;
    }
    for (int k = 0; pass == 0 && k < tree->count; k++) next[k + 1] += next[k];
    if (pass == 0) self->grid.turn_pair_count = next[tree->count];
  }
  return HN_OK;
}

hn_status hn_relative_tangent_blocks(hn_arena *arena, hn_relative_tangent *self) {
  const hn_relative_set *set = self->set;
  hn_arena scratch;
  hn_speed_blocks *blocks = &self->base.blocks;
  *blocks = (hn_speed_blocks){.n = self->nu,
                              .mass = self->m_u,
                              .damping = self->c_u,
                              .stiffness = self->k_u,
                              .rows = set->cut_count,
                              .row = set->cut_row,
                              .row_start = set->j_start,
                              .row_index = set->j_index,
                              .row_value = set->j_values,
                              .lengths = set->base.normalizations,
                              .serve_stages = hn_relative_has_inertia(set),
                              .line_start = self->grid.start,
                              .line_index = self->grid.column,
                              .row_rate = self->row_rate,
                              .row_bend = self->row_bend,
                              .order = set->order};
  hn_arena_init(&scratch, &arena->allocator);
  hn_status status = list_pattern(arena, self, blocks);
  if (status == HN_OK) status = list_column_pairs(arena, &scratch, self);
  hn_arena_release(&scratch);
  return status;
}

// ---- numbers ------------------------------------------------------------------------------------

// a map times T^+ of the node
static hn_mat3 times_inverse(const hn_node_map *a, const hn_node_map *t) {
  const double(*x)[4] = (const double(*)[4])a->w, (*w)[4] = (const double(*)[4])t->w;
  const double size = size_of(t);
  hn_mat3 out;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out.m[i][j] =
          (x[i][0] * w[j][0] + x[i][1] * w[j][1] + x[i][2] * w[j][2] + x[i][3] * w[j][3]) / size;
  return out;
}

HN_INLINE void add_times(const double *x, const hn_mat3 *m, double *out) {
  for (int j = 0; j < 3; j++) out[j] += x[0] * m->m[0][j] + x[1] * m->m[1][j] + x[2] * m->m[2][j];
}

void hn_relative_turn_rates(const hn_relative_tangent *self, int node, double rate[3][3],
                            double second[3][3]) {
  hn_mat3 a = times_inverse(&self->rate_maps[node], &self->maps[node]);
  hn_mat3 b = times_inverse(&self->second_maps[node], &self->maps[node]);
  memcpy(rate, a.m, sizeof a.m);
  memcpy(second, b.m, sizeof b.m);
}

void hn_relative_tangent_finish_blocks(hn_relative_tangent *self) {
  const hn_tree_node *nodes = self->set->tree->nodes;
  int last = -1;
  hn_mat3 by_rate = {{{0}}}, by_second = {{{0}}};
  for (int p = 0; p < self->grid.turn_pair_count; p++) {
    const hn_node_pair *pair = &self->grid.pairs[self->grid.turn_pairs[p]];
    const hn_tree_node *a = &nodes[pair->row], *b = &nodes[pair->column];
    int at = hn_node_plain(b), stride = pair->speeds.stride, first = pair->speeds.at + at;
    if (pair->column != last) {
      last = pair->column;
      by_rate = times_inverse(&self->rate_maps[last], &self->maps[last]);
      by_second = times_inverse(&self->second_maps[last], &self->maps[last]);
    }
    for (int i = 0; i < a->u_count; i++) {
      int entry = first + i * stride;
      add_times(&self->c_u[entry], &by_rate, &self->k_u[entry]);
      if (pair->mass.at >= 0) add_times(&self->m_u[entry], &by_second, &self->k_u[entry]);
    }
    if (pair->row != pair->column) continue;
    hn_mat3 turned = mat3_skew(vec3_load(&self->g_u[b->u + at]));
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) self->k_u[first + (at + i) * stride + j] += 0.5 * turned.m[i][j];
  }
}

// ---- matrices in q ------------------------------------------------------------------------------

// K, C and M of the relative set in q, from those in speeds, pair of nodes by pair of nodes:
//
//   K = T' (G_pi T + g_w dT(qd) + g_wd dT(qdd)) + (T' G)_q at fixed G,   C = T' g_w T,   M = T' g_wd T
//
// Not here: the matrices in speeds (relative/tangent_inertia.c, relative/tangent_couples.c), nor K where
// speeds are the unknowns (relative/tangent_speeds.c).

// (T' G)_p at fixed G: 2 [[0, -G'], [G, G~]]
static void add_turned_force(const hn_tree_node *node, const double *g, double *value, int stride) {
  int plain = hn_node_plain(node);
  hn_vec3 n = vec3_load(&g[node->u + plain]);
  const double k[4][4] = {
      {0, -n.x, -n.y, -n.z}, {n.x, 0, -n.z, n.y}, {n.y, n.z, 0, -n.x}, {n.z, -n.y, n.x, 0}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) value[(plain + i) * stride + plain + j] += 2 * k[i][j];
}

// Blocks of a pair of nodes in K, C and M in q. The numbers of plain coordinates and whether Euler
// parameters follow them are constants where this is called, so that all loops are written out.
typedef struct block_view {
  const double *x; // in speeds, at the first speeds of both nodes
  int step;        // from one row of these to the next
  double *to;
  int stride;
} block_view;

// half (speeds of the row x coordinates of the column) = X T
HN_INLINE void times_map(block_view v, int speeds, int plain, int has_map, const hn_node_map *map,
                         double half[6][7]) {
  for (int i = 0; i < speeds; i++) {
    const double *row = &v.x[i * v.step];
    for (int j = 0; j < plain; j++) half[i][j] = row[j];
    if (!has_map) continue;
    for (int j = 0; j < 4; j++)
      half[i][plain + j] =
          row[plain] * map->w[0][j] + row[plain + 1] * map->w[1][j] + row[plain + 2] * map->w[2][j];
  }
}

// to = T' half
HN_INLINE void store_left(block_view v, int columns, int plain, int has_map, const hn_node_map *map,
                          double half[6][7]) {
  for (int i = 0; i < plain; i++)
    for (int j = 0; j < columns; j++) v.to[i * v.stride + j] = half[i][j];
  if (!has_map) return;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < columns; j++)
      v.to[(plain + i) * v.stride + j] = map->w[0][i] * half[plain][j] +
                                         map->w[1][i] * half[plain + 1][j] +
                                         map->w[2][i] * half[plain + 2][j];
}

HN_INLINE block_view view_of(const hn_node_pair *pair, const double *x, hn_sparse *to,
                             hn_sparse_place place) {
  return (block_view){&x[pair->speeds.at], pair->speeds.stride, &to->value[place.at], place.stride};
}

HN_INLINE void store_shape(hn_relative_tangent *self, const hn_node_pair *pair, int only_mass,
                           int plain_a, int has_a, int plain_b, int has_b) {
  int speeds = plain_a + 3 * has_a, columns = plain_b + 4 * has_b;
  const hn_node_map *left = &self->maps[pair->row], *right = &self->maps[pair->column];
  hn_tangent *base = &self->base;
  double half[6][7];
  if (pair->mass.at >= 0) {
    block_view m = view_of(pair, self->m_u, &base->mass, pair->mass);
    times_map(m, speeds, plain_b, has_b, right, half);
    store_left(m, columns, plain_a, has_a, left, half);
  }
  if (only_mass) return;
  block_view k = view_of(pair, self->k_u, &base->stiffness, pair->stiffness);
  times_map(k, speeds, plain_b, has_b, right, half);
  if (has_b) { // with dT(qd) and dT(qdd); C and M are zero where the pair has none
    const hn_node_map *rate = &self->rate_maps[pair->column];
    const hn_node_map *second = &self->second_maps[pair->column];
    int from = pair->speeds.at + plain_b, step = pair->speeds.stride;
    for (int i = 0; i < speeds; i++) {
      hn_add_mapped(&self->c_u[from + i * step], rate, &half[i][plain_b]);
      if (pair->mass.at >= 0) hn_add_mapped(&self->m_u[from + i * step], second, &half[i][plain_b]);
    }
  }
  store_left(k, columns, plain_a, has_a, left, half);
  if (pair->damping.at < 0) return;
  block_view c = view_of(pair, self->c_u, &base->damping, pair->damping);
  times_map(c, speeds, plain_b, has_b, right, half);
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

void hn_relative_tangent_store_matrices(hn_relative_tangent *self) {
  for (int p = 0; p < self->grid.pair_count; p++) store_pair(self, &self->grid.pairs[p], 0);
}

void hn_relative_tangent_store_mass(hn_relative_tangent *self) {
  for (int p = 0; p < self->grid.pair_count; p++)
    if (self->grid.pairs[p].mass.at >= 0) store_pair(self, &self->grid.pairs[p], 1);
}
