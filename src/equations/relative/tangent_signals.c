// Laws of signals in the tangent of the relative set. A force Q = d f with f of signals s adds, with d
// of the speeds along which it acts,
//
//   K_jk -= d_j f_pi,k,   C_jk -= d_j f_w,k   with   f_pi = sum f_s s_pi,   f_w = sum f_s s_w
//
// A signal that is a coordinate of the tree has one derivative, c at its speed. Any other is against
// poses and speeds of bodies, a wrench each: with P and V those of f about O (elements/sensor.h), and
// the motion of bodies along a speed as in relative/tangent.h,
//
//   f_pi = S . (P + (V_f x w; 0)) + (S x Y + psd) . V,   f_w = S . V
//
// Tendons and deep trees go by couplings (elements/coupling.c, relative/tangent_elements.c).
#include "elements/force_types.h"
#include "elements/sensor.h"
#include "equations/relative/tangent.h"

// ---- what a law sees ----------------------------------------------------------------------------

static void put(hn_relative_tangent *self, int speed, double by_pose, double by_speed) {
  self->sensed.by_pose[speed] += by_pose;
  self->sensed.by_speed[speed] += by_speed;
  if (speed < self->sensed.first) self->sensed.first = speed;
  if (speed > self->sensed.last) self->sensed.last = speed;
}

static void clear(hn_relative_tangent *self) {
  for (int k = self->sensed.first; k <= self->sensed.last; k++)
    self->sensed.by_pose[k] = self->sensed.by_speed[k] = 0;
  self->sensed.first = self->nu;
  self->sensed.last = -1;
}

static double power(const hn_twist *s, const hn_tree_wrench *w) {
  return vec3_dot(s->v, w->f) + vec3_dot(s->w, w->n);
}

static hn_tree_wrench about_point(hn_vec3 f, hn_vec3 n, hn_vec3 point) {
  return (hn_tree_wrench){f, vec3_add(n, vec3_cross(point, f))};
}

// f against pose and speeds of a body, along the speeds above it up to the node `top`.
static void put_body(hn_relative_tangent *self, int body, int top, const double pose[6],
                     const double speed[6]) {
  const hn_tree *tree = self->set->tree;
  const hn_frame *frame = &self->snapshot->frames[body];
  const hn_node_rates *rates = &self->rates[tree->body_node[body]];
  const hn_vec3 point = vec3_sub(frame->r, rates->point), push = vec3_load(speed);
  const hn_tree_wrench p = about_point(vec3_add(vec3_load(pose), vec3_cross(push, rates->y.w)),
                                       vec3_load(pose + 3), point);
  const hn_tree_wrench v = about_point(push, vec3_load(speed + 3), point);
  for (int n = tree->body_node[body]; n != top; n = tree->nodes[n].parent)
    for (int k = tree->nodes[n].u; k < tree->nodes[n].u + tree->nodes[n].u_count; k++) {
      const hn_speed_column *c = &self->columns[k];
      const hn_twist along = hn_twist_cross(c->s, rates->y);
      put(self, k, power(&c->s, &p) + power(&along, &v) + power(&c->psd, &v), power(&c->s, &v));
    }
}

static void put_sensor(hn_relative_tangent *self, int sensor, double f_s) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_sensor *s = &elements->sensors[sensor];
  const hn_tree *tree = self->set->tree;
  int node = self->set->forces.sensor_node[sensor];
  if (node >= 0) {
    double c = f_s * (s->measure.turn >= 0 ? 1 : tree->nodes[node].linear);
    put(self, tree->nodes[node].u, s->is_rate ? 0 : c, s->is_rate ? c : 0);
    return;
  }
  int first = hn_sensor_body(s, 0), second = hn_sensor_body(s, 1), top = -1;
  if (second >= 0) top = hn_relative_top(tree, first, second, 1);
  for (int k = 0; k < 2; k++) {
    int body = k ? second : first;
    double pose[6], speed[6];
    if (body <= HN_GROUND || (k && second == first)) continue;
    hn_sensor_in_poses(s, body, self->snapshot->frames, elements->sensed_turns, &elements->memo[1],
                       pose, speed);
    for (int i = 0; i < 6; i++) {
      pose[i] *= f_s;
      speed[i] *= f_s;
    }
    put_body(self, body, top, pose, speed);
  }
}

// 0: it does not depend on the motion of the model.
static int see(hn_relative_tangent *self, const hn_sensed *sensed) {
  clear(self);
  for (int k = 0; k < sensed->count; k++)
    if (sensed->by[sensed->sensor[k]] != 0)
      put_sensor(self, sensed->sensor[k], sensed->by[sensed->sensor[k]]);
  return self->sensed.last >= 0;
}

// ---- where it acts ------------------------------------------------------------------------------

// Row j of K and C: d times what was seen.
static void add_row(hn_relative_tangent *self, int j, double d) {
  const int *column = self->grid.column, end = self->grid.start[j + 1];
  if (d == 0) return;
  for (int e = hn_relative_place(self, j, self->sensed.first);
       e < end && column[e] <= self->sensed.last; e++) {
    self->k_u[e] += d * self->sensed.by_pose[column[e]];
    self->c_u[e] += d * self->sensed.by_speed[column[e]];
  }
}

// Rows of the speeds above a body, up to `top`, along a wrench about O.
static void add_rows(hn_relative_tangent *self, int body, int top, double share,
                     const hn_tree_wrench *w) {
  const hn_tree *tree = self->set->tree;
  for (int n = tree->body_node[body]; n != top; n = tree->nodes[n].parent)
    for (int k = tree->nodes[n].u; k < tree->nodes[n].u + tree->nodes[n].u_count; k++)
      add_row(self, k, share * power(&self->columns[k].s, w));
}

// On a coordinate of the tree.
static void add_on_coordinate(hn_relative_tangent *self, int force, double t, const double *q,
                              const double *turns) {
  const hn_elements *elements = self->base.equations->elements;
  hn_tree_measure m = hn_relative_measure(self->set, force, q, turns);
  double value = m.value + hn_force_held(elements, force, turns);
  if (see(self, hn_force_sensed(elements, force, value, m.rate, t)))
    add_row(self, m.speed, m.share);
}

// On a measure between two bodies: along its covector on the second, against it on the first.
static void add_on_measure(hn_relative_tangent *self, int force, double t, const double *turns) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_couple *couple = &self->couples.couple[self->couples.of_force[force]];
  const hn_measure_form *form = &self->couples.forms[self->couples.force_form[force]];
  int joint = elements->force_coordinate[force];
  hn_spatial_body room;
  const hn_spatial_body *body[2];
  hn_measure_motion m;
  hn_couple_bodies(self, couple, &room, body);
  hn_measure_move(form, body, 0, &m);
  if (form->kind == HN_MEASURE_ANGLE)
    m.value =
        hn_measure_value(&elements->measures[joint >= 0 ? joint : elements->force_measure[force]],
                         self->snapshot->frames, turns);
  if (!see(self, hn_force_sensed(elements, force, m.value, m.rate, t))) return;
  int top = hn_relative_top(self->set->tree, couple->body[0], couple->body[1], 1);
  add_rows(self, couple->body[1], top, 1, &m.e);
  add_rows(self, couple->body[0], top, -1, &m.e);
}

// The wrench of a unit of component k about O.
static hn_tree_wrench unit_wrench(const hn_relative_tangent *self, const hn_force_def *def, int k) {
  int body = def->frame2.body;
  const hn_frame *frame = &self->snapshot->frames[body];
  hn_vec3 unit = vec3(k == 0, k == 1, k == 2);
  if (def->following) unit = mat3_apply(frame->a, unit);
  if (def->type != HN_FORCE_POINT_FORCE) return (hn_tree_wrench){vec3_zero(), unit};
  hn_vec3 point = vec3_sub(frame->r, self->rates[self->set->tree->body_node[body]].point);
  point = vec3_add(point, mat3_apply(frame->a, def->frame2.position));
  return (hn_tree_wrench){unit, vec3_cross(point, unit)};
}

static void add_load(hn_relative_tangent *self, const hn_force_def *def, double t) {
  const hn_elements *elements = self->base.equations->elements;
  for (int k = 0; k < 3; k++) {
    if (!see(self, hn_load_sensed(elements, def, k, t))) continue;
    hn_tree_wrench w = unit_wrench(self, def, k);
    add_rows(self, def->frame2.body, -1, -1, &w);
  }
}

// 0: it goes by couplings.
static int add_force(hn_relative_tangent *self, int force, double t, const double *q,
                     const double *turns) {
  const hn_force_def *def = &self->base.equations->model->forces[force];
  if (!hn_force_is_relative(def))
    add_load(self, def, t);
  else if (self->set->forces.node[force] >= 0)
    add_on_coordinate(self, force, t, q, turns);
  else if (self->couples.of_force[force] >= 0)
    add_on_measure(self, force, t, turns);
  else
    return 0;
  return 1;
}

int hn_relative_tangent_signals(hn_relative_tangent *self, int coupling, double t, const double *q,
                                const double *turns) {
  const hn_force_def *forces = self->base.equations->model->forces, *def = &forces[coupling];
  if (def->type != HN_FORCE_COUPLING || self->base.is_deep ||
      self->base.equations->elements->sensor_count == 0)
    return 0;
  const hn_force_def *before = &forces[coupling - 1];
  if (forces[def->coupled].way_count > 0) return 0;
  if (before->type == HN_FORCE_COUPLING && before->coupled == def->coupled)
    return self->has_signals; // couplings of one force stand together: the first has brought all
  self->has_signals = add_force(self, def->coupled, t, q, turns);
  return self->has_signals;
}
