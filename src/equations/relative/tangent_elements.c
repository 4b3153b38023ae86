// Forces and loop-closure constraints in the tangent of the relative set. Elements that see the
// relative motion of two bodies are summed in couples (relative/tangent_couples.c). With a covector
// e of a measure and a tension f(m, md, t) on it
//
//   E = f e,   h = e (f_m e + f_md ed)' + f He,   d = f_md e e'
//
// Loop-closure constraints are measures with a constant tension lambda. Forces that depend on more than
// the relative motion of two bodies (point forces, torques, tyres, contacts, the user's) give
// derivatives of their wrenches against small motions (elements/force.h). With ground they are couples;
// others are chained along the speeds above the bodies. For a wrench E_a on body a, about O,
//
//   (J' E)_pi  row j, column k:  S_j . dE_a/dpi_k + [k strictly above j] (S_k x S_j) . E_a
#include "base/error.h"
#include "elements/force.h"
#include "elements/sensor.h"
#include "equations/relative/tangent.h"

// ---- forces -------------------------------------------------------------------------------------

static double power(hn_twist a, hn_tree_wrench f) {
  return vec3_dot(a.v, f.f) + vec3_dot(a.w, f.n);
}

// t_u += scale times the projection of a wrench on the second body of a couple.
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
    self->t_u[list[i].speed] += scale * list[i].side * power(*s, *w);
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

// ---- forces that see more ---------------------------------------------------------------------------

static hn_twist add(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(a.v, b.v), vec3_add(a.w, b.w)};
}

// Motion of a body's center of mass, P from O, with a speed above it.
static hn_body_change change_of(const hn_speed_column *c, const hn_node_rates *rates,
                                const hn_frame *f) {
  hn_vec3 point = vec3_sub(f->r, rates->point);
  hn_twist dy = add(hn_twist_cross(c->s, rates->y), c->psd);
  hn_vec3 w = rates->y.w;
  hn_body_change out;
  out.r = vec3_add(c->s.v, vec3_cross(c->s.w, point));
  out.turn = c->s.w;
  out.w = dy.w;
  out.v = vec3_add(vec3_add(dy.v, vec3_cross(dy.w, point)), vec3_cross(w, out.r));
  out.w_w = c->s.w;
  out.v_w = out.r;
  return out;
}

// Speeds between a body and the node `top`. Returns how many.
static int list_speeds(hn_relative_tangent *self, int slot, int body, int top) {
  const hn_tree *tree = self->set->tree;
  int count = 0;
  for (int k = tree->body_node[body]; k != top; k = tree->nodes[k].parent)
    for (int i = tree->nodes[k].u; i < tree->nodes[k].u + tree->nodes[k].u_count; i++)
      self->list[slot][count++] = i;
  return count;
}

// The body's motion along each of them.
static void move_along(hn_relative_tangent *self, int slot, int body, int count) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  for (int i = 0; i < count; i++)
    self->change[slot][i] =
        change_of(&self->columns[self->list[slot][i]], rates, &self->snapshot->frames[body]);
}

// matrix (6 x 6 in rows of 12) times (u, v)
static void times(const double (*matrix)[12], hn_vec3 u, hn_vec3 v, double out[6]) {
  for (int i = 0; i < 6; i++)
    out[i] += matrix[i][0] * u.x + matrix[i][1] * u.y + matrix[i][2] * u.z + matrix[i][3] * v.x +
              matrix[i][4] * v.y + matrix[i][5] * v.z;
}

// A wrench about the center of mass, about O.
static hn_tree_wrench about_point(const double w[6], hn_vec3 point) {
  hn_vec3 f = vec3_load(w);
  return (hn_tree_wrench){f, vec3_add(vec3_load(w + 3), vec3_cross(point, f))};
}

typedef struct column_change {
  hn_tree_wrench pose, speed; // of the wrench on a body, about O
} column_change;

// Change of the wrench on body a by a speed with this motion of body b.
static column_change column_of(const hn_relative_tangent *self, const hn_force_load *e, int a,
                               int b, const hn_body_change *change) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
  hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
  const double(*pose)[12] = (const double(*)[12]) & e->d_pose[6 * a][6 * b];
  const double(*speed)[12] = (const double(*)[12]) & e->d_speed[6 * a][6 * b];
  double by_pose[6] = {0}, by_speed[6] = {0};
  times(pose, change->r, change->turn, by_pose);
  times(speed, change->v, change->w, by_pose);
  times(speed, change->v_w, change->w_w, by_speed);
  column_change out = {about_point(by_pose, point), about_point(by_speed, point)};
  if (a == b)
    out.pose.n = vec3_add(out.pose.n, vec3_cross(change->r, vec3_load(&e->wrench[6 * a])));
  return out;
}

// The column of speed k, which moves body b, in the rows of the speeds of body a.
static void add_column(hn_relative_tangent *self, const hn_force_load *e, int a, int rows, int b,
                       int k, const hn_body_change *change) {
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
  hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
  column_change by = column_of(self, e, a, b, change);
  hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
  for (int i = 0; i < rows; i++) {
    int j = self->list[a][i];
    const hn_speed_column *mine = &self->columns[j], *other = &self->columns[k];
    double value = power(mine->s, by.pose);
    if (a == b && other->joint < mine->joint)
      value += power(hn_twist_cross(other->s, mine->s), whole);
    int entry = hn_relative_place(self, j, k);
    self->k_u[entry] += value;
    self->c_u[entry] += power(mine->s, by.speed);
  }
}

// Whether the wrench on body a changes as body b moves. A coupling has one such block of four.
static int depends_on(const hn_force_load *e, int a, int b) {
  for (int i = 6 * a; i < 6 * a + 6; i++) {
    if (a == b && e->wrench[i] != 0) return 1;
    for (int j = 6 * b; j < 6 * b + 6; j++)
      if (e->d_pose[i][j] != 0 || e->d_speed[i][j] != 0) return 1;
  }
  return 0;
}

// G of an element's wrenches.
static void add_wrenches(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  for (int a = 0; a < 2; a++) {
    if (count[a] == 0) continue;
    const hn_node_rates *rates = &self->rates[self->set->tree->body_node[e->body[a]]];
    hn_vec3 point = vec3_sub(self->snapshot->frames[e->body[a]].r, rates->point);
    hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
    for (int i = 0; i < count[a]; i++)
      self->g_u[self->list[a][i]] += power(self->columns[self->list[a][i]].s, whole);
  }
}

// And G_pi, g_w.
static void add_load(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  add_wrenches(self, e, count);
  for (int b = 0; b < 2; b++) {
    int is_moved = 0;
    for (int a = 0; a < 2; a++) {
      if (count[a] == 0 || count[b] == 0 || !depends_on(e, a, b)) continue;
      if (!is_moved++) move_along(self, b, e->body[b], count[b]);
      for (int i = 0; i < count[b]; i++)
        add_column(self, e, a, count[a], b, self->list[b][i], &self->change[b][i]);
    }
  }
}

// The rate of the wrench on body a against time, about O.
static hn_tree_wrench time_wrench(const hn_relative_tangent *self, const hn_force_load *e, int a) {
  int body = e->body[a];
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  return about_point(&e->rate[6 * a], vec3_sub(self->snapshot->frames[body].r, rates->point));
}

static void add_time(hn_relative_tangent *self, const hn_force_load *e, const int count[2]) {
  for (int a = 0; a < 2; a++) {
    if (count[a] == 0) continue;
    hn_tree_wrench whole = time_wrench(self, e, a);
    for (int i = 0; i < count[a]; i++)
      self->t_u[self->list[a][i]] += power(self->columns[self->list[a][i]].s, whole);
  }
}

static hn_twist unit_twist(int i) {
  return (hn_twist){vec3(i == 0, i == 1, i == 2), vec3(i == 3, i == 4, i == 5)};
}

// A force with ground: its wrench on the body and the derivatives of that, as those of a couple.
static void add_to_ground(hn_relative_tangent *self, const hn_force_load *e, int has_rates,
                          hn_couple *couple) {
  const hn_frame *frames = self->snapshot->frames;
  int a = e->body[1] != HN_GROUND, body = e->body[a];
  if (!depends_on(e, a, a)) return;
  const hn_node_rates *rates = &self->rates[self->set->tree->body_node[body]];
  hn_vec3 point = vec3_sub(frames[body].r, rates->point);
  hn_tree_wrench whole = about_point(&e->wrench[6 * a], point);
  couple->is_used = 1;
  couple->has_rate |= has_rates;
  couple->e.f = vec3_add(couple->e.f, whole.f);
  couple->e.n = vec3_add(couple->e.n, whole.n);
  for (int i = 0; i < 6; i++) {
    hn_speed_column unit = {.s = unit_twist(i)};
    hn_body_change change = change_of(&unit, rates, &frames[body]);
    column_change by = column_of(self, e, a, a, &change);
    const double h[6] = {by.pose.f.x, by.pose.f.y, by.pose.f.z,
                         by.pose.n.x, by.pose.n.y, by.pose.n.z};
    const double d[6] = {by.speed.f.x, by.speed.f.y, by.speed.f.z,
                         by.speed.n.x, by.speed.n.y, by.speed.n.z};
    for (int j = 0; j < 6; j++) {
      couple->h[j][i] += h[j];
      couple->d[j][i] += d[j];
    }
  }
  hn_tree_wrench rate = time_wrench(self, e, a);
  add_time_share(self, couple, 1, &rate);
}

// Changes signs, Q being on the left side: all but the rate by time.
static void turn_round(hn_force_load *e) {
  for (int i = 0; i < 12; i++) {
    e->wrench[i] = -e->wrench[i];
    for (int j = 0; j < 12; j++) {
      e->d_pose[i][j] = -e->d_pose[i][j];
      e->d_speed[i][j] = -e->d_speed[i][j];
    }
  }
}

static hn_status add_other(hn_relative_tangent *self, int force, double t,
                           const hn_branches *branches) {
  const hn_equations *equations = self->base.equations;
  const hn_force_def *def = &equations->model->forces[force];
  hn_force_load e;
  hn_status status = hn_force_in_poses(equations->elements, force, self->snapshot->frames,
                                       branches->turns, t, branches->force[force], &e);
  if (status != HN_OK) return status;
  turn_round(&e);
  int couple = self->couples.of_force[force];
  if (couple < 0 && self->base.is_deep) couple = self->couples.force_form[force];
  if (couple >= 0) {
    add_to_ground(self, &e, hn_force_has_rates(def), &self->couples.couple[couple]);
    return HN_OK;
  }
  int top = hn_relative_top(self->set->tree, e.body[0], e.body[1], hn_force_is_relative(def));
  int count[2];
  for (int slot = 0; slot < 2; slot++) count[slot] = list_speeds(self, slot, e.body[slot], top);
  add_load(self, &e, count);
  add_time(self, &e, count);
  return HN_OK;
}

// ---- all forces -----------------------------------------------------------------------------------

hn_status hn_relative_tangent_forces(hn_relative_tangent *self, double t, const double *q,
                                     const hn_branches *branches, hn_error *error) {
  const hn_model *model = self->base.equations->model;
  hn_relative_sense(self->set, q, self->snapshot->frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    hn_status status = HN_OK;
    if (self->set->forces.node[f] >= 0)
      add_coordinate_force(self, f, t, q, branches);
    else if (hn_relative_tangent_signals(self, f, t, q, branches->turns))
      continue;
    else if (self->couples.of_force[f] >= 0 && hn_force_is_relative(def))
      add_measured(self, f, t, branches);
    else
      status = add_other(self, f, t, branches);
    if (status != HN_OK) return hn_fail_force(self->set->base.model, f, status, t, error);
  }
  return HN_OK;
}

// Wrenches, and what acts on coordinates in the set's load.
hn_status hn_relative_tangent_pull(hn_relative_tangent *self, double t, const double *q,
                                   const hn_branches *branches, hn_error *error) {
  self->has_load = 1;
  return hn_relative_stage_forces(self->set, t, q, 1, branches, self->snapshot, error);
}

// ---- loop-closure constraints -------------------------------------------------------------------

// Rates of a row's measure along the speeds of its couple: A, then P against pi and against w.
static void add_rates(hn_relative_tangent *self, const hn_couple *couple,
                      const hn_measure_motion *m, double scale) {
  const hn_couple_column *list = &self->couples.column[couple->first];
  for (int i = 0; i < couple->count; i++) {
    int k = list[i].speed;
    const hn_speed_column *c = &self->columns[k];
    double weight = list[i].side * scale, slow = power(c->s, m->ed);
    double bend = power(c->psd, m->e);
    self->row_v[k] += weight * (slow + bend);
    self->row_a[k] +=
        weight * (power(c->s, m->edd) + 2 * power(c->psd, m->ed) + power(c->psdd, m->e));
    self->row_w[k] += weight * (2 * slow + bend + power(c->sd, m->e));
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

// One loop-closure constraint: adds its curvature times lambda to its couple; row_v, row_a, row_w.
static void tangent_row(hn_relative_tangent *self, int cut, double lambda) {
  const hn_row *row = &self->base.equations->elements->rows[self->set->cut_row[cut]];
  for (int k = 0; k < row->count; k++) add_measure(self, cut, k, lambda, 1);
}

void hn_relative_tangent_curvature(hn_relative_tangent *self, int cut, double lambda) {
  const hn_row *row = &self->base.equations->elements->rows[self->set->cut_row[cut]];
  for (int k = 0; k < row->count && lambda != 0; k++) add_measure(self, cut, k, lambda, 0);
}

// ---- rows ---------------------------------------------------------------------------------------

// Constraints of the relative set's tangent: values, rates and gradients Phi_q = J T of
// loop-closure constraints, their derivatives A = (Phi_q qd)_q and (Phi_q qdd - tau)_q, and the
// normalizations (p.p - 1) / 2 of Euler parameters, which follow them.

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

// J T of one constraint, in the order of its walk.
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
