// Between coordinates and speeds of the relative set: w = T qd, F = T' G, with T = 1 or, for the Euler
// parameters p of a node,
//
//   T = 2 E(p) = [-2e, 2 e0 + 2 e~],    dT(x) = (T x)_q = -2 E(x_p),    T^+ = T' / 4 |p|^2
#include "equations/relative/tangent.h"

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
