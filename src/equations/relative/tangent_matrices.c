// K, C and M of the relative set in q, from those in speeds, pair of nodes by pair of nodes:
//
//   K = T' (G_pi T + g_w dT(qd) + g_wd dT(qdd)) + (T' G)_q at fixed G,   C = T' g_w T,   M = T' g_wd T
//
// Not here: the matrices in speeds (relative/tangent_inertia.c, relative/tangent_couples.c), nor K where
// speeds are the unknowns (relative/tangent_speeds.c).
#include "equations/relative/tangent.h"

// (T' G)_p at fixed G: 2 [[0, -G'], [G, G~]]
static void add_turned_force(const hn_tree_node *node, const double *g, double *value, int stride) {
  int plain = hn_node_plain(node);
  hn_vec3 n = vec3_load(&g[node->u + plain]);
  const double k[4][4] = {
      {0, -n.x, -n.y, -n.z}, {n.x, 0, -n.z, n.y}, {n.y, n.z, 0, -n.x}, {n.z, -n.y, n.x, 0}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) value[(plain + i) * stride + plain + j] += 2 * k[i][j];
}

// What a pair of nodes has of K, C and M in q. The numbers of plain coordinates and whether Euler
// parameters follow them are constants where this is called, so that all loops are written out.
typedef struct block_view {
  const double *x; // in speeds, at the first speeds of both nodes
  int step;        // from one row of these to the next
  double *to;
  int stride;
} block_view;

// half (speeds of the row x coordinates of the column) = X T
HN_IN_LOOP void times_map(block_view v, int speeds, int plain, int has_map, const hn_node_map *map,
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

HN_IN_LOOP block_view view_of(const hn_node_pair *pair, const double *x, hn_sparse *to,
                              hn_sparse_place place) {
  return (block_view){&x[pair->speeds.at], pair->speeds.stride, &to->value[place.at], place.stride};
}

HN_IN_LOOP void store_shape(hn_relative_tangent *self, const hn_node_pair *pair, int only_mass,
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
