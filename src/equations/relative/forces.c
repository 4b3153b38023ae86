// Applied forces of the relative set. A force on the coordinate of a joint in the tree needs no measure:
// with the joint's one speed u of node k and c = 1 (angle) or the advance a radian (displacement),
//
//   m = c q_k,  md = c u_k,  generalized force -f c at u_k
//
// and about the node's origin the wrench -f (axis; 0) or -f (0; axis) on the child, its opposite on the
// parent. Other forces go by frames and wrenches as in Cartesian coordinates. Inside a step the first
// ones go straight into the speeds, and what only outputs read is not made.
#include "base/error.h"
#include "elements/force.h"
#include "elements/sensor.h"
#include "equations/relative/relative.h"

// ---- set-up -------------------------------------------------------------------------------------

int hn_relative_coordinate_node(const hn_relative_set *self, int joint, hn_coordinate coordinate) {
  int last = joint >= 0 ? self->tree->joint_node[joint] : -1;
  if (last < 0) return -1;
  const hn_joint_facts *facts = hn_joint_facts_of(self->base.model->joints[joint].type);
  for (int k = 0; k < facts->link_count; k++)
    if (facts->links[k].reads >> coordinate & 1u) return last - (facts->link_count - 1 - k);
  return -1;
}

// The node that has the coordinate of its joint that a force reads; -1: none. One that is switched off
// at times is evaluated on frames, where that is checked.
static int node_of(const hn_relative_set *self, int force) {
  const hn_model *model = self->base.model;
  const hn_force_def *def = &model->forces[force];
  if (!hn_force_reads_joint(def) || hn_model_is_conditional(model, HN_SWITCH_FORCE, force))
    return -1;
  return hn_relative_coordinate_node(self, def->joint, def->coordinate);
}

// Angles that are coordinates of the tree: those of its joints with a hinge or screw at their end.
static void find_turns(hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  const hn_tree *tree = self->tree;
  hn_tree_turn *turns = self->forces.turns;
  for (int k = 0; k < elements->measure_count; k++) turns[k].q = -1;
  for (int j = 0; j < self->base.model->joint_count; j++) {
    const hn_joint_facts *facts = hn_joint_facts_of(self->base.model->joints[j].type);
    int measure = elements->coordinate[j * HN_COORDINATES + HN_COORDINATE_ANGLE];
    int is_turn =
        facts->link_count > 0 && (facts->links[facts->link_count - 1].reads & HN_JOINT_BIT(ANGLE));
    if (!is_turn || measure < 0 || tree->joint_node[j] < 0) continue;
    turns[measure].q = tree->nodes[tree->joint_node[j]].q;
  }
  for (int k = 0; k < elements->measure_count; k++) {
    const hn_measure *m = &elements->measures[k];
    if (m->turn < 0 || m->curve) continue;
    turns[self->forces.turn_count++] = (hn_tree_turn){k, m->turn, turns[k].q};
  }
}

void hn_relative_update_turns(const hn_equations *equations, const double *q,
                              const hn_frame *frames, double *turns) {
  const hn_relative_set *self = (const hn_relative_set *)equations;
  const hn_elements *elements = equations->elements;
  for (int k = 0; k < self->forces.turn_count; k++) {
    const hn_tree_turn *on = &self->forces.turns[k];
    turns[on->turn] = on->q >= 0 ? hn_nearest_turn(q[on->q], turns[on->turn])
                                 : hn_measure_value(&elements->measures[on->measure], frames, turns);
  }
  if (elements->hidden) elements->hidden->turns(elements->hidden->context, 0, frames, turns);
}

static void find_spring(hn_relative_set *self, int force) {
  const hn_elements *elements = self->base.elements;
  const hn_tree_node *node = &self->tree->nodes[self->forces.node[force]];
  const hn_measure *measure = &elements->measures[elements->force_coordinate[force]];
  hn_tree_spring *s = &self->forces.springs[self->forces.spring_count];
  *s = (hn_tree_spring){.q = node->q, .u = node->u, .turn = measure->turn, .share = 1};
  if (measure->turn < 0) s->share = node->linear;
  if (!hn_force_is_straight(&self->base.model->forces[force], s->of_x, s->of_v)) return;
  self->forces.is_spring[force] = 1;
  self->forces.spring_count++;
}

// Signals that are coordinates of the tree. Returns how many others need frames.
static int find_sensors(hn_relative_set *self) {
  const hn_elements *elements = self->base.elements;
  int others = 0;
  for (int k = 0; k < elements->sensor_count; k++) {
    const hn_sensor_def *s = &self->base.model->sensing.item[k];
    int node = -1;
    if (s->kind == HN_SENSOR_JOINT)
      node = hn_relative_coordinate_node(self, s->element, s->coordinate);
    if (s->kind == HN_SENSOR_FORCE) node = self->forces.node[s->element];
    self->forces.sensor_node[k] = node;
    self->forces.is_given[k] = node >= 0;
    others += node < 0 && hn_sensor_body(&elements->sensors[k], 0) >= 0;
  }
  return others;
}

hn_status hn_relative_make_forces(hn_arena *arena, hn_relative_set *self) {
  const hn_model *model = self->base.model;
  self->forces.turns = HN_TAKE(arena, hn_tree_turn, self->base.elements->measure_count);
  self->forces.springs = HN_TAKE(arena, hn_tree_spring, model->force_count);
  self->forces.is_spring = HN_TAKE(arena, unsigned char, model->force_count);
  self->forces.node = HN_TAKE(arena, int, model->force_count);
  self->forces.load = HN_KEEP(arena, double, self->base.nu);
  self->forces.added = HN_WORK(arena, double, model->force_count);
  self->forces.sensor_node = HN_TAKE(arena, int, self->base.elements->sensor_count);
  self->forces.is_given = HN_TAKE(arena, unsigned char, self->base.elements->sensor_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  self->forces.measured = 0;
  for (int f = 0; f < model->force_count; f++) {
    self->forces.node[f] = node_of(self, f);
    self->forces.measured += self->forces.node[f] < 0 && f < hn_model_force_count(model);
    if (self->forces.node[f] >= 0) find_spring(self, f);
  }
  self->forces.measured += find_sensors(self);
  find_turns(self);
  return HN_OK;
}

// ---- on a coordinate ----------------------------------------------------------------------------

hn_tree_measure hn_relative_measure(const hn_relative_set *self, int force, const double *q,
                                    const double *turns) {
  const hn_elements *elements = self->base.elements;
  const hn_tree_node *node = &self->tree->nodes[self->forces.node[force]];
  const hn_measure *measure = &elements->measures[elements->force_coordinate[force]];
  int is_angle = measure->turn >= 0;
  double share = is_angle ? 1 : node->linear, value = share * q[node->q];
  if (is_angle) value = hn_nearest_turn(value, turns[measure->turn]);
  value -= hn_force_held(elements, force, turns);
  return (hn_tree_measure){node->u, is_angle, share, value, share * self->u[node->u]};
}

// Signals: those that are coordinates of the tree, then all others.
void hn_relative_sense(const hn_relative_set *self, const double *q, const hn_frame *frames,
                       const double *turns) {
  const hn_elements *elements = self->base.elements;
  if (elements->sensor_count == 0) return;
  hn_input_state *states = self->base.model->sensing.values + self->base.model->input_count;
  for (int k = 0; k < elements->sensor_count; k++) {
    if (!self->forces.is_given[k]) continue;
    const hn_sensor *s = &elements->sensors[k];
    const hn_tree_node *node = &self->tree->nodes[self->forces.sensor_node[k]];
    const double share = s->measure.turn >= 0 ? 1 : node->linear;
    double value = share * (s->is_rate ? self->u[node->u] : q[node->q]);
    if (!s->is_rate && s->measure.turn >= 0) value = hn_nearest_turn(value, turns[s->measure.turn]);
    states[k].value = value;
  }
  if (elements->sensor_count > 0)
    hn_elements_sense_others(elements, frames, turns, self->forces.is_given);
}

// The tension's wrenches on the two bodies, about their centers of mass.
static void pull_bodies(const hn_relative_set *self, int force, int is_angle, double f,
                        hn_snapshot *s) {
  const hn_tree *tree = self->tree;
  int k = self->forces.node[force], joint = self->base.model->forces[force].joint;
  const hn_joint_def *def = &self->base.model->joints[joint];
  int child = tree->nodes[tree->joint_node[joint]].body;
  int parent = def->frame1.body == child ? def->frame2.body : def->frame1.body;
  hn_vec3 on_child = vec3_scale(-f, self->motion[k].axis);
  if (is_angle) {
    s->wrench[child].torque = vec3_add(s->wrench[child].torque, on_child);
    s->wrench[parent].torque = vec3_sub(s->wrench[parent].torque, on_child);
    return;
  }
  hn_vec3 point = self->motion[k].origin;
  hn_wrench *a = &s->wrench[child], *b = &s->wrench[parent];
  a->force = vec3_add(a->force, on_child);
  a->torque = vec3_add(a->torque, vec3_cross(vec3_sub(point, s->frames[child].r), on_child));
  b->force = vec3_sub(b->force, on_child);
  b->torque = vec3_sub(b->torque, vec3_cross(vec3_sub(point, s->frames[parent].r), on_child));
  s->forces[force].direction = child == def->frame2.body ? on_child : vec3_negate(on_child);
}

// ---- all ----------------------------------------------------------------------------------------

hn_status hn_relative_apply_forces(hn_relative_set *self, double t, const double *q,
                                   const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const hn_model *model = self->base.model;
  s->wrench[0] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  s->potential = s->power = 0;
  for (int b = 1; b < model->body_count; b++) {
    hn_vec3 weight = vec3_scale(model->bodies[b].mass, model->gravity);
    s->wrench[b] = (hn_wrench){weight, {0, 0, 0}};
    s->potential -= vec3_dot(weight, s->frames[b].r);
  }
  hn_relative_sense(self, q, s->frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    if (self->forces.node[f] >= 0) {
      s->forces[f] = (hn_force_value){.value = 0};
      hn_tree_measure m = hn_relative_measure(self, f, q, branches->turns);
      double tension = hn_force_pull(&model->forces[f], 0, branches->force[f], m.value, m.rate, t,
                                     &s->forces[f]);
      if (tension != 0) pull_bodies(self, f, m.is_angle, tension, s);
    } else {
      hn_status status = hn_force_in_speeds(self->base.elements, f, s->frames, branches->turns, t,
                                            branches->force[f], s->wrench, &s->forces[f]);
      if (status != HN_OK) return hn_fail_force(self->base.model, f, status, t, error);
    }
    s->potential += s->forces[f].potential;
    s->power += s->forces[f].power;
  }
  return HN_OK;
}

// Adds to load (nu; may be null) and returns the power, both from hn_force_pull.
static double pull_springs(const hn_relative_set *self, const double *q, const double *turns,
                           double *load) {
  double power = 0;
  for (int k = 0; k < self->forces.spring_count; k++) {
    const hn_tree_spring *s = &self->forces.springs[k];
    double m = s->share * q[s->q], md = s->share * self->u[s->u];
    if (s->turn >= 0) m = hn_nearest_turn(m, turns[s->turn]);
    double stored = s->of_x[1] * m + s->of_x[0];
    double f = stored + (s->of_v[1] * md + s->of_v[0]);
    power -= (f - stored) * md;
    if (load) load[s->u] -= s->share * f;
  }
  return power;
}

hn_status hn_relative_stage_forces(hn_relative_set *self, double t, const double *q, int has_weight,
                                   const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  const hn_model *model = self->base.model;
  for (int i = 0; i < self->base.nu; i++) self->forces.load[i] = 0;
  for (int b = 0; b < model->body_count && (has_weight || self->forces.measured > 0); b++) {
    hn_vec3 weight = has_weight ? vec3_scale(model->bodies[b].mass, model->gravity) : vec3_zero();
    s->wrench[b] = (hn_wrench){weight, {0, 0, 0}};
  }
  hn_relative_sense(self, q, s->frames, branches->turns);
  s->power = pull_springs(self, q, branches->turns, self->forces.load);
  for (int f = 0; f < hn_model_force_count(model); f++) {
    if (self->forces.is_spring[f]) continue;
    if (self->forces.node[f] >= 0) {
      hn_tree_measure m = hn_relative_measure(self, f, q, branches->turns);
      self->forces.load[m.speed] -=
          m.share * hn_force_pull_in_step(&model->forces[f], branches->force[f], m.value, m.rate, t,
                                          &s->power);
    } else {
      hn_status status = hn_force_in_step(self->base.elements, f, s->frames, branches->turns, t,
                                          branches->force[f], s->wrench, &s->power);
      if (status != HN_OK) return hn_fail_force(self->base.model, f, status, t, error);
    }
  }
  return HN_OK;
}

hn_status hn_relative_power(hn_equations *equations, double t, const double *q, const double *qd,
                            const double *lambda, const hn_branches *branches, double *power) {
  hn_relative_set *self = (hn_relative_set *)equations;
  const hn_elements *elements = self->base.elements;
  const hn_model *model = self->base.model;
  hn_relative_speeds(equations, q, qd, self->u);
  if (self->forces.measured > 0) {
    hn_tree_move(self->tree, q, self->u, vec3_zero(), self->motion);
    hn_tree_frames(self->tree, NULL, self->motion, self->frames);
  }
  hn_relative_sense(self, q, self->frames, branches->turns);
  double sum = pull_springs(self, q, branches->turns, NULL);
  for (int f = 0; f < hn_model_force_count(model); f++) {
    if (self->forces.is_spring[f] || !hn_force_has_power(model, f)) continue;
    if (self->forces.node[f] >= 0) {
      hn_tree_measure m = hn_relative_measure(self, f, q, branches->turns);
      hn_force_pull_in_step(&model->forces[f], branches->force[f], m.value, m.rate, t, &sum);
    } else {
      hn_status status = hn_force_in_step(elements, f, self->frames, branches->turns, t,
                                          branches->force[f], self->wrench, &sum);
      if (status != HN_OK) return status;
    }
  }
  hn_take_driver_power(elements, t, lambda, branches, &sum);
  *power = sum;
  return HN_OK;
}
