// Forces and cut rows in the tangent of the relative set. Elements that see the relative motion of two
// bodies are summed in couples (relative/tangent_couples.c). With a covector e of a measure and a
// tension f(m, md, t) on it
//
//   E = f e,   h = e (f_m e + f_md ed)' + f He,   d = f_md e e'
//
// and a tyre is a couple of its wheel with ground. Cut rows are measures with tension lambda that do not
// depend on anything. The others: relative/tangent_load.c.
#include "base/error.h"
#include "elements/force.h"
#include "elements/sensor.h"
#include "equations/relative/tangent.h"

// ---- forces -------------------------------------------------------------------------------------

// t_u += scale times the share of a wrench on the second body of a couple.
static void add_time_share(hn_relative_tangent *self, hn_couple *couple, double scale,
                           const hn_tree_wrench *w) {
  if (couple->count == 0) { // relative/chain.c
    couple->rate.f = vec3_add_scaled(couple->rate.f, scale, w->f);
    couple->rate.n = vec3_add_scaled(couple->rate.n, scale, w->n);
    return;
  }
  const hn_couple_column *list = &self->couples.column[couple->first];
  for (int i = 0; i < couple->count; i++) {
    const hn_twist *s = &self->columns[list[i].speed].s;
    self->t_u[list[i].speed] +=
        scale * list[i].side * (vec3_dot(s->v, w->f) + vec3_dot(s->w, w->n));
  }
}

// A force on a coordinate of the tree: only its own speed has a share.
static void add_coordinate_force(hn_relative_tangent *self, int force, double t, const double *q,
                                 const hn_branches *branches) {
  const hn_force_def *def = &self->base.equations->model->forces[force];
  hn_tree_measure m = hn_relative_measure(self->set, force, q, branches->turns);
  hn_tension f = hn_force_tension(def, 0, branches->force[force], m.value, m.rate, t);
  int at = hn_relative_place(self, m.speed, m.speed);
  self->g_u[m.speed] += m.share * f.f;
  self->k_u[at] += m.share * m.share * f.f_m;
  self->c_u[at] += m.share * m.share * f.f_md;
  self->t_u[m.speed] -= m.share * f.f_t;
}

// Tensions on measures between two bodies.
static void add_measured(hn_relative_tangent *self, int force, double t,
                         const hn_branches *branches) {
  const hn_equations *equations = self->base.equations;
  const hn_elements *elements = equations->elements;
  const hn_force_def *def = &equations->model->forces[force];
  hn_couple *couple = &self->couples.couple[self->couples.of_force[force]];
  int joint = elements->force_coordinate[force], first = elements->force_measure[force];
  int count = joint >= 0 ? 1 : elements->force_measure[force + 1] - first;
  hn_spatial_body room;
  const hn_spatial_body *body[2];
  hn_couple_bodies(self, couple, &room, body);
  couple->is_used = 1;
  for (int k = 0; k < count; k++) {
    const hn_measure_form *form = &self->couples.forms[self->couples.force_form[force] + k];
    hn_measure_motion m;
    hn_measure_move(form, body, 0, &m);
    if (form->kind == HN_MEASURE_ANGLE)
      m.value = hn_measure_value(&elements->measures[joint >= 0 ? joint : first + k],
                                 self->snapshot->frames, branches->turns);
    double held = hn_force_held(elements, force, branches->turns);
    hn_tension f = hn_force_tension(def, k, branches->force[force], m.value - held, m.rate, t);
    couple->e.f = vec3_add_scaled(couple->e.f, f.f, m.e.f);
    couple->e.n = vec3_add_scaled(couple->e.n, f.f, m.e.n);
    if (f.f != 0) hn_measure_add_curvature(form, &m, f.f, couple->h);
    if (f.f_md != 0) {
      couple->has_rate = 1;
      hn_wrench_add_outer(f.f_md, m.e, m.e, couple->d);
      m.ed.f = vec3_scale(f.f_md, m.ed.f);
      m.ed.n = vec3_scale(f.f_md, m.ed.n);
    } else {
      m.ed = (hn_tree_wrench){vec3_zero(), vec3_zero()};
    }
    m.ed.f = vec3_add_scaled(m.ed.f, f.f_m, m.e.f);
    m.ed.n = vec3_add_scaled(m.ed.n, f.f_m, m.e.n);
    hn_wrench_add_outer(1, m.e, m.ed, couple->h);
    if (f.f_t != 0) add_time_share(self, couple, -f.f_t, &m.e);
  }
}

static void add_matrix(const double (*m)[6], double h[6][6]) {
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) h[i][j] += m[i][j];
}

// h -= [1; X~] (m [1, -X~] + [0, rest])
static void subtract_point(hn_mat3 m, hn_mat3 rest, hn_vec3 x, double h[6][6]) {
  double left[3][6], out[6][6];
  hn_mat3 turn = mat3_add(mat3_scale(-1, mat3_multiply(m, mat3_skew(x))), rest);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      left[i][j] = -m.m[i][j];
      left[i][3 + j] = -turn.m[i][j];
    }
  for (int j = 0; j < 6; j++) {
    hn_vec3 f = vec3(left[0][j], left[1][j], left[2][j]), n = vec3_cross(x, f);
    out[0][j] = f.x;
    out[1][j] = f.y;
    out[2][j] = f.z;
    out[3][j] = n.x;
    out[4][j] = n.y;
    out[5][j] = n.z;
  }
  add_matrix((const double(*)[6])out, h);
}

// A force F that acts at X moves with its point: -dX x F = F~ [1, -X~] S
static void add_moved(hn_vec3 force, hn_vec3 x, double h[6][6]) {
  hn_mat3 f = mat3_skew(force), fx = mat3_multiply(f, mat3_skew(x));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      h[3 + i][j] += f.m[i][j];
      h[3 + i][3 + j] -= fx.m[i][j];
    }
}

// A force F(P, Pd, t) at the wheel centre P, X from O: with dX = [1, -X~] S and dXd = [1, -X~] psd +
// w x Xd,
//
//   dE = -(dF, X x dF + dX x F)
static void add_load(hn_relative_tangent *self, int force, double t, const hn_branches *branches) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_force_def *def = &elements->model->forces[force];
  hn_couple *couple = &self->couples.couple[self->couples.of_force[force]];
  hn_point_load load;
  if (!hn_force_row_of(def->type)->load(elements, def, &self->snapshot->frames[def->frame2.body], t,
                                        branches->force[force], &load))
    return;
  const hn_spatial_body *b = &self->bodies[def->frame2.body];
  hn_vec3 x = vec3_add(b->centre, mat3_apply(b->axes, def->frame2.position));
  hn_vec3 xd = vec3_add(b->y.v, vec3_cross(b->y.w, x));
  hn_mat3 zero = {{{0}}}, by_turn = mat3_scale(-1, mat3_multiply(load.d_velocity, mat3_skew(xd)));
  couple->is_used = 1;
  couple->e.f = vec3_sub(couple->e.f, load.force);
  couple->e.n = vec3_sub(couple->e.n, vec3_cross(x, load.force));
  subtract_point(load.d_position, by_turn, x, couple->h);
  if (def->damping[0] != 0) {
    couple->has_rate = 1;
    subtract_point(load.d_velocity, zero, x, couple->d);
  }
  add_moved(load.force, x, couple->h);
  hn_tree_wrench rate = {load.d_time, vec3_cross(x, load.d_time)};
  add_time_share(self, couple, 1, &rate);
}

// b (rows of `count`) += a times -x~
static void add_turned(double (*a)[6], hn_vec3 x, double (*b)[6]) {
  for (int i = 0; i < 6; i++) {
    hn_vec3 turned = vec3_cross(x, vec3_load(a[i])); // a' x~' = (x~ a)'
    b[i][3] += turned.x;
    b[i][4] += turned.y;
    b[i][5] += turned.z;
  }
}

// to -= a in a wrench about O, at X from there
static void subtract_about(double (*a)[6], hn_vec3 x, double (*to)[6]) {
  for (int j = 0; j < 6; j++) {
    hn_vec3 n = vec3_cross(x, vec3(a[0][j], a[1][j], a[2][j]));
    for (int i = 0; i < 3; i++) to[i][j] -= a[i][j];
    to[3][j] -= a[3][j] + n.x;
    to[4][j] -= a[4][j] + n.y;
    to[5][j] -= a[5][j] + n.z;
  }
}

// A wrench W (F and a torque about the centre of mass, X from O) that depends on the motion of its body:
// with (dr, turn) = [1, -X~; 0, 1] S and speeds (v, w) that turn with S,
//
//   dE = -([1, 0; X~, 1] dW + (0, dr x F))
static void add_wrench(hn_relative_tangent *self, int force, double t,
                       const hn_branches *branches) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_force_def *def = &elements->model->forces[force];
  const hn_frame *frame = &self->snapshot->frames[def->frame2.body];
  hn_couple *couple = &self->couples.couple[self->couples.of_force[force]];
  hn_wrench_tangent w;
  if (!hn_force_row_of(def->type)->held_wrench(elements, def, frame,
                                               &branches->turns[elements->force_anchor[force]], t,
                                               branches->force[force], &w))
    return;
  hn_vec3 x = self->bodies[def->frame2.body].centre, f = vec3_load(w.value);
  couple->is_used = couple->has_rate = 1;
  couple->e.f = vec3_sub(couple->e.f, f);
  couple->e.n = vec3_sub(couple->e.n, vec3_add(vec3_load(w.value + 3), vec3_cross(x, f)));
  double by_turning[6][6];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 3; j++) by_turning[i][j] = w.d_speed[i][3 + j];
  add_turned(w.d_speed, frame->v, w.d_pose);
  add_turned(by_turning, frame->w, w.d_pose);
  add_turned(w.d_pose, x, w.d_pose);
  add_turned(w.d_speed, x, w.d_speed);
  subtract_about(w.d_pose, x, couple->h);
  subtract_about(w.d_speed, x, couple->d);
  add_moved(f, x, couple->h);
  hn_vec3 rate = vec3_load(w.d_time);
  hn_tree_wrench late = {rate, vec3_add(vec3_load(w.d_time + 3), vec3_cross(x, rate))};
  add_time_share(self, couple, 1, &late);
}

hn_status hn_relative_tangent_forces(hn_relative_tangent *self, double t, const double *q,
                                     const hn_branches *branches, hn_error *error) {
  const hn_model *model = self->base.equations->model;
  hn_elements_sense(self->base.equations->elements, self->snapshot->frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    hn_status status = HN_OK;
    if (self->set->forces.node[f] >= 0)
      add_coordinate_force(self, f, t, q, branches);
    else if (hn_relative_tangent_signals(self, f, t, q, branches->turns))
      continue;
    else if (self->couples.of_force[f] < 0)
      status = hn_relative_tangent_load(self, f, t, branches);
    else if (hn_force_row_of(def->type)->held_wrench)
      add_wrench(self, f, t, branches);
    else if (!hn_force_is_relative(def))
      add_load(self, f, t, branches);
    else
      add_measured(self, f, t, branches);
    if (status != HN_OK) return hn_fail_force(self->set->base.model, f, status, t, error);
  }
  return HN_OK;
}

// ---- cut rows -----------------------------------------------------------------------------------

static double power_of(const hn_twist *a, const hn_tree_wrench *f) {
  return vec3_dot(a->v, f->f) + vec3_dot(a->w, f->n);
}

// Rates of a row's measure along the speeds of its couple: A, then P against pi and against w.
static void add_rates(hn_relative_tangent *self, const hn_couple *couple,
                      const hn_measure_motion *m, double scale) {
  const hn_couple_column *list = &self->couples.column[couple->first];
  for (int i = 0; i < couple->count; i++) {
    int k = list[i].speed;
    const hn_speed_column *c = &self->columns[k];
    double weight = list[i].side * scale, slow = power_of(&c->s, &m->ed);
    double bend = power_of(&c->psd, &m->e);
    self->row_v[k] += weight * (slow + bend);
    self->row_a[k] += weight * (power_of(&c->s, &m->edd) + 2 * power_of(&c->psd, &m->ed) +
                                power_of(&c->psdd, &m->e));
    self->row_w[k] += weight * (2 * slow + bend + power_of(&c->sd, &m->e));
  }
}

// One measure of a row: its rates where asked for, its curvature times lambda into its couple.
static void add_measure(hn_relative_tangent *self, int cut, int k, double lambda, int has_rates) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_row *row = &self->base.equations->elements->rows[self->set->cut_row[cut]];
  hn_couple *couple = &self->couples.couple[self->couples.of_row[cut * HN_ROW_MEASURES + k]];
  const hn_measure_form *form = &self->couples.forms[self->couples.row_form[cut] + k];
  double weight = lambda * row->coefficient[k];
  hn_spatial_body room;
  const hn_spatial_body *body[2];
  hn_measure_motion m;
  hn_couple_bodies(self, couple, &room, body);
  hn_measure_move(form, body, has_rates, &m);
  const hn_measure *measure = &elements->measures[row->measure[k]];
  hn_curve_value f = {.d1 = 1};
  if (measure->curve) {
    f = hn_curve_at(measure->curve,
                    hn_measure_plain(measure, self->snapshot->frames, self->reference));
    hn_wrench_add_outer(weight * f.d2, m.e, m.e, couple->h);
  }
  if (weight != 0) hn_measure_add_curvature(form, &m, weight * f.d1, couple->h);
  if (measure->curve) hn_measure_bend(&f, &m);
  if (has_rates) add_rates(self, couple, &m, row->coefficient[k]);
  if (weight == 0) return;
  couple->is_used = 1;
  couple->e.f = vec3_add_scaled(couple->e.f, weight, m.e.f);
  couple->e.n = vec3_add_scaled(couple->e.n, weight, m.e.n);
}

// One cut row: its curvature times lambda into its couple; row_v, row_a, row_w.
static void tangent_row(hn_relative_tangent *self, int cut, double lambda) {
  const hn_row *row = &self->base.equations->elements->rows[self->set->cut_row[cut]];
  for (int k = 0; k < row->count; k++) add_measure(self, cut, k, lambda, 1);
}

void hn_relative_tangent_curvature(hn_relative_tangent *self, int cut, double lambda) {
  const hn_row *row = &self->base.equations->elements->rows[self->set->cut_row[cut]];
  for (int k = 0; k < row->count && lambda != 0; k++) add_measure(self, cut, k, lambda, 0);
}

// ---- rows ---------------------------------------------------------------------------------------

// Rows of the relative set's tangent: values, rates and gradients Phi_q = J T of cut rows, their
// derivatives A = (Phi_q qd)_q and (Phi_q qdd - tau)_q, and the normalizations (p.p - 1) / 2 of Euler
// parameters, which stand behind them.

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
    if (row->law && !in_speeds) { // else both stay 0
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
    tangent_row(self, c, lambda[set->cut_row[c]]);
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
    tangent_row(self, c, lambda[r]);
    add_row(self, r, self->row_v, self->maps, 0, base->phi_v.value);
    add_row(self, r, self->row_u, self->rate_maps, 1, base->phi_v.value);
    take_out_growth(self, r, q);
    add_row(self, r, self->row_a, self->maps, 0, base->phi_dd.value);
    add_row(self, r, self->row_w, self->rate_maps, 1, base->phi_dd.value);
    add_row(self, r, self->row_u, self->second_maps, 1, base->phi_dd.value);
  }
}
