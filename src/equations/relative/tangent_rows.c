// Rows of the relative set's tangent: values, rates and gradients Phi_q = J T of cut rows, their
// derivatives A = (Phi_q qd)_q and (Phi_q qdd - tau)_q, and the normalizations (p.p - 1) / 2 of Euler
// parameters, which stand behind them.
#include "equations/relative/tangent.h"

// One row in speeds, times T or dT (maps; is_rate), added to the values of row r.
static void add_row(const hn_relative_tangent *self, int r, const double *row,
                    const hn_node_map *maps, int is_rate, double *value) {
  const hn_relative_set *set = self->set;
  int c = set->row_cut[r], at = self->base.phi_q.start[r];
  for (int k = set->walks.start[c]; k < set->walks.start[c + 1]; k++) {
    int n = set->walks.steps[k].node;
    const hn_tree_node *node = &set->tree->nodes[n];
    int plain = hn_node_plain(node);
    for (int j = 0; j < plain; j++) value[at++] += is_rate ? 0 : row[node->u + j];
    if (!hn_node_has_parameters(node)) continue;
    hn_add_mapped(&row[node->u + plain], &maps[n], &value[at]);
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
  for (int k = set->walks.start[cut]; k < set->walks.start[cut + 1]; k++) {
    int n = set->walks.steps[k].node;
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

void hn_relative_tangent_store_rows(hn_relative_tangent *self, double t,
                                    const hn_branches *branches, int in_speeds) {
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
      hn_law_value law = hn_row_law(elements, row, t, branches->driver[row->driver]);
      base->phi_tt[r] = -law.d2;
      base->tau_t[r] = law.d3;
    }
    if (!in_speeds) store_gradient(self, c, &base->phi_q.value[base->phi_q.start[r]]);
  }
}

void hn_relative_tangent_store_normalizations(hn_relative_tangent *self, const double *q,
                                              const double *qd, const double *qdd) {
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

void hn_relative_tangent_rows_in_speeds(hn_relative_tangent *self, const double *lambda) {
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

void hn_relative_tangent_rows_in_q(hn_relative_tangent *self, const double *q,
                                   const double *lambda) {
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
