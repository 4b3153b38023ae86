// Massless wheels on the ground that represent something else: the rotor of a joint (`armature:`),
// or a sum of coordinates that a force acts on. Created when the model was read; formats have words
// for them.
#include "formats/export/plan.h"

#include <math.h>

#include "base/error.h"

// Joints of a wheel: its axle, and nothing else.
static int count_joints(const hn_plan *plan, int body, int *axle) {
  const hn_model *m = plan->model;
  int count = 0;
  for (int j = 0; j < m->joint_count; j++) {
    if (!hn_joint_joins_bodies(m->joints[j].type)) continue;
    if (m->joints[j].frame1.body != body && m->joints[j].frame2.body != body) continue;
    count++;
    *axle = j;
  }
  return count;
}

static int is_plain(const hn_plan *plan, int body) {
  const hn_model *m = plan->model;
  for (int k = 0; k < hn_model_force_count(m); k++)
    if (hn_plan_acts_on(plan, k, body)) return 0;
  for (int k = 0; k < m->shape_count; k++)
    if (m->shapes[k].frame.body == body) return 0;
  for (int k = 0; k < m->markers.count; k++)
    if (m->markers.item[k].frame.body == body) return 0;
  return 1;
}

static int is_acted_on(const hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  for (int k = 0; k < hn_model_force_count(m); k++)
    if (hn_force_acts_between(m->forces[k].type) == HN_ENDS_JOINT && m->forces[k].joint == axle)
      return 1;
  return 0;
}

static int is_driven(const hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  for (int k = 0; k < m->driver_count; k++)
    if (m->drivers[k].kind == HN_DRIVER_JOINT && m->drivers[k].joint == axle) return 1;
  return 0;
}

int hn_plan_is_curved(const hn_joint_def *coupler) {
  for (int k = 0; k < coupler->coupled_count; k++)
    for (int p = 0; p < 3; p++)
      if (coupler->curve[k][p] != 0) return 1;
  return 0;
}

// The coupler that says what the wheel is: the first whose first term is its axle.
static int defining(const hn_plan *plan, int axle, int *uses) {
  const hn_model *m = plan->model;
  int found = -1;
  *uses = 0;
  for (int j = 0; j < m->joint_count; j++)
    for (int k = 0; k < m->joints[j].coupled_count; k++)
      if (m->joints[j].coupled[k] == axle) {
        ++*uses;
        if (k == 0 && found < 0 && m->joints[j].type == HN_JOINT_COUPLER &&
            m->joints[j].coefficient[0] != 0 && !hn_plan_is_curved(&m->joints[j]))
          found = j;
      }
  return found;
}

static double axle_inertia(const hn_plan *plan, int body, int axle) {
  const hn_joint_def *joint = &plan->model->joints[axle];
  const hn_frame_on_body *own = joint->frame2.body == body ? &joint->frame2 : &joint->frame1;
  hn_vec3 h = mat3_column(quat_matrix(own->orientation), 2);
  return vec3_dot(h, mat3_apply(mat3_symmetric(plan->model->bodies[body].inertia), h));
}

static void try_wheel(hn_plan *plan, int body) {
  const hn_model *m = plan->model;
  int axle = -1, uses = 0;
  if (count_joints(plan, body, &axle) != 1 || m->joints[axle].type != HN_JOINT_REVOLUTE) return;
  int other = m->joints[axle].frame1.body == body ? m->joints[axle].frame2.body
                                                  : m->joints[axle].frame1.body;
  if (other != HN_GROUND || !is_plain(plan, body) || is_driven(plan, axle)) return;
  int coupler = defining(plan, axle, &uses);
  if (coupler < 0 || m->joints[coupler].coupled_count < 2) return;
  double inertia = axle_inertia(plan, body, axle);
  int is_rotor = inertia > 0;
  if (is_rotor && (uses > 1 || m->joints[coupler].coupled_count > 2 || is_acted_on(plan, axle)))
    return;
  plan->sums[axle] =
      (hn_sum){.axle = axle, .coupler = coupler, .is_rotor = is_rotor, .is_known = 1};
  plan->places[body].is_wheel = 1;
}

void hn_plan_wheels(hn_plan *plan) {
  for (int b = 1; b < plan->model->body_count; b++)
    if (plan->model->bodies[b].mass == 0) try_wheel(plan, b);
}

// ---- sums ---------------------------------------------------------------------------------------

enum { DEPTH = 64 };

static double constant_of(const hn_plan *plan, const hn_joint_def *coupler) {
  if (!isnan(coupler->constant)) return coupler->constant;
  double sum = 0;
  for (int k = 0; k < coupler->coupled_count; k++) {
    char name[300];
    double value = 0;
    const hn_joint_def *joint = &plan->model->joints[coupler->coupled[k]];
    hn_text(name, sizeof name, "joint.%s.%s", joint->name,
            hn_coordinate_name(coupler->coupled_coordinate[k]));
    hn_simulation_value(plan->simulation, name, &value);
    sum += coupler->coefficient[k] * value;
  }
  return sum;
}

static int add_terms(const hn_plan *plan, int joint, int coordinate, double factor, hn_term *terms,
                     int count, int room, double *offset, int depth) {
  const hn_sum *sum = &plan->sums[joint];
  if (!sum->is_known) {
    hn_slot *slot = hn_plan_slot(plan, joint, coordinate);
    if (!slot || count >= room) return -1;
    terms[count] = (hn_term){slot, factor};
    return count + 1;
  }
  if (depth > DEPTH) return -1;
  const hn_joint_def *c = &plan->model->joints[sum->coupler];
  double scale = -factor / c->coefficient[0];
  *offset -= scale * constant_of(plan, c);
  for (int k = 1; k < c->coupled_count && count >= 0; k++)
    count = add_terms(plan, c->coupled[k], (int)c->coupled_coordinate[k], scale * c->coefficient[k],
                      terms, count, room, offset, depth + 1);
  return count;
}

int hn_plan_terms(const hn_plan *plan, int joint, int coordinate, double factor, hn_term *terms,
                  int room, double *offset) {
  *offset = 0;
  return add_terms(plan, joint, coordinate, factor, terms, 0, room, offset, 0);
}
