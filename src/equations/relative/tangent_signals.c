// Laws of signals that are coordinates of the tree, in the tangent of the relative set. Such a signal is
// s = c q_k and its rate c u_k (relative/forces.c), so that a force Q = f d with f(s, sd) adds
//
//   K_jk -= d_j f_s c,   C_jk -= d_j f_sd c
//
// with d of one speed for a spring on a coordinate, of the speeds above its body for a load. Where a law
// reads anything else all of it goes by couplings (elements/coupling.c, relative/tangent_elements.c).
#include "elements/force_types.h"
#include "elements/sensor.h"
#include "equations/relative/tangent.h"

static int node_of(const hn_relative_set *set, int sensor) {
  const hn_sensor_def *s = &set->base.model->sensing.item[sensor];
  if (s->kind == HN_SENSOR_JOINT)
    return hn_relative_coordinate_node(set, s->element, s->coordinate);
  return s->kind == HN_SENSOR_FORCE ? set->forces.node[s->element] : -1;
}

// Whether everything with a derivative is a coordinate, or moves with no body.
static int are_coordinates(const hn_relative_tangent *self, const double *by_sensor) {
  const hn_elements *elements = self->base.equations->elements;
  for (int k = 0; k < elements->sensor_count; k++)
    if (by_sensor[k] != 0 && hn_sensor_body(&elements->sensors[k], 0) >= 0 &&
        node_of(self->set, k) < 0)
      return 0;
  return 1;
}

// Rows of the listed speeds with a wrench about O; without one, of a single speed.
static void add_rows(hn_relative_tangent *self, int count, const hn_tree_wrench *w, double share,
                     const double *by_sensor) {
  const hn_elements *elements = self->base.equations->elements;
  for (int k = 0; k < elements->sensor_count; k++) {
    int at = by_sensor[k] != 0 ? node_of(self->set, k) : -1;
    if (at < 0) continue;
    const hn_sensor *sensor = &elements->sensors[k];
    const hn_tree_node *node = &self->set->tree->nodes[at];
    double *matrix = sensor->is_rate ? self->c_u : self->k_u;
    double f = share * by_sensor[k] * (sensor->measure.turn >= 0 ? 1 : node->linear);
    for (int i = 0; i < count; i++) {
      int j = self->list[0][i], entry = hn_relative_place(self, j, node->u);
      if (entry >= self->grid.start[j + 1] || self->grid.column[entry] != node->u) continue;
      const hn_twist *s = &self->columns[j].s;
      matrix[entry] += f * (w ? vec3_dot(s->v, w->f) + vec3_dot(s->w, w->n) : 1);
    }
  }
}

static int add_spring(hn_relative_tangent *self, int force, double t, const double *q,
                      const double *turns) {
  const hn_elements *elements = self->base.equations->elements;
  if (self->set->forces.node[force] < 0) return 0;
  hn_tree_measure m = hn_relative_measure(self->set, force, q, turns);
  double value = m.value + hn_force_held(elements, force, turns);
  if (!hn_force_sensed(elements, force, value, m.rate, t, elements->by_sensor)) return 1;
  if (!are_coordinates(self, elements->by_sensor)) return 0;
  self->list[0][0] = m.speed;
  add_rows(self, 1, NULL, m.share, elements->by_sensor);
  return 1;
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

static int add_load(hn_relative_tangent *self, const hn_force_def *def, double t) {
  const hn_elements *elements = self->base.equations->elements;
  const hn_tree *tree = self->set->tree;
  double *by_sensor = elements->by_sensor;
  int count = 0;
  for (int k = 0; k < 3; k++)
    if (hn_load_sensed(elements, def, k, t, by_sensor) && !are_coordinates(self, by_sensor))
      return 0;
  for (int n = tree->body_node[def->frame2.body]; n >= 0; n = tree->nodes[n].parent)
    for (int i = 0; i < tree->nodes[n].u_count; i++) self->list[0][count++] = tree->nodes[n].u + i;
  for (int k = 0; k < 3; k++) {
    if (!hn_load_sensed(elements, def, k, t, by_sensor)) continue;
    hn_tree_wrench w = unit_wrench(self, def, k);
    add_rows(self, count, &w, -1, by_sensor);
  }
  return 1;
}

int hn_relative_tangent_signals(hn_relative_tangent *self, int coupling, double t, const double *q,
                                const double *turns) {
  const hn_force_def *forces = self->base.equations->model->forces, *def = &forces[coupling];
  if (def->type != HN_FORCE_COUPLING || self->base.is_deep ||
      self->base.equations->elements->sensor_count == 0)
    return 0;
  const hn_force_def *before = &forces[coupling - 1], *coupled = &forces[def->coupled];
  if (coupled->way_count > 0) return 0;
  if (before->type == HN_FORCE_COUPLING && before->coupled == def->coupled)
    return self->has_signals; // couplings of one force stand together: the first has brought all
  self->has_signals = hn_force_is_relative(coupled) ? add_spring(self, def->coupled, t, q, turns)
                                                    : add_load(self, coupled, t);
  return self->has_signals;
}
