// Springs, dampers, friction, stops and rotors that act on coordinates of the tree, as attributes
// of its elementary joints, as far as the format has them.
#include <math.h>

#include "formats/export/plan.h"
#include "formats/load_ball.h"

#define ON_A_LOOP "its joint closes a loop, where the format has no coordinates"

static int is_tree_of(const hn_plan *plan, hn_export_format format) {
  return plan->format == format;
}

static void add_spring(hn_plan *plan, int f, hn_slot *slot, const hn_line_law *law) {
  if (is_tree_of(plan, HN_EXPORT_URDF) && (law->of_x != 0 || law->constant != 0)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "URDF has no springs");
    return;
  }
  if (is_tree_of(plan, HN_EXPORT_SDF) && law->of_x == 0 && law->constant != 0) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "SDF has no constant forces on joints");
    return;
  }
  slot->load += law->constant;
  slot->stiffness += law->of_x;
  slot->damping += law->of_v;
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_USED, "");
}

static void add_friction(hn_plan *plan, int f, hn_slot *slot) {
  const hn_force_def *def = &plan->model->forces[f];
  if (def->of_t) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "its size is a law");
    return;
  }
  slot->friction += def->magnitude;
  slot->damping += def->viscous;
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_APPROXIMATED,
               "dry friction: it turns around at once, and sticks");
}

static void add_stop(hn_plan *plan, int f, hn_slot *slot) {
  const hn_force_def *def = &plan->model->forces[f];
  if (slot->has_limits) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "its coordinate has a stop already");
    return;
  }
  slot->has_limits = 1;
  slot->lower = def->lower;
  slot->upper = def->upper;
  slot->limit_stiffness = isfinite(def->stiffness[0]) ? def->stiffness[0] : 0;
  slot->limit_damping = def->damping[0];
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_APPROXIMATED,
               "a limit, as hard as the other program makes it");
}

static void add_on_joint(hn_plan *plan, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_slot *slot = hn_plan_slot(plan, def->joint, (int)def->coordinate);
  int is_sum = plan->sums[def->joint].is_known;
  hn_line_law law;
  const char *why;
  if (is_sum && is_tree_of(plan, HN_EXPORT_MJCF)) return; // a tendon
  if (!slot) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST,
                 is_sum ? "it acts on a sum of coordinates" : ON_A_LOOP);
  } else if (def->type == HN_FORCE_JOINT_FRICTION) {
    add_friction(plan, f, slot);
  } else if (def->type == HN_FORCE_JOINT_STOP) {
    add_stop(plan, f, slot);
  } else if (!hn_plan_law(plan, f, &law, &why)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, why);
  } else if (law.input < 0 && law.least == -HUGE_VAL && law.most == HUGE_VAL) {
    add_spring(plan, f, slot, &law);
  } else if (!is_tree_of(plan, HN_EXPORT_MJCF)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "the format has no actuators with laws");
  }
}

// ---- rotors -------------------------------------------------------------------------------------

static void tell_rotor(hn_plan *plan, int axle, int wheel, hn_import_fate fate, const char *why) {
  hn_plan_tell(plan, HN_PART_BODY, wheel, fate, why);
  hn_plan_tell(plan, HN_PART_JOINT, axle, fate, why);
  hn_plan_tell(plan, HN_PART_JOINT, plan->sums[axle].coupler, fate, why);
}

static void add_rotor(hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  const hn_joint_def *def = &m->joints[axle], *coupler = &m->joints[plan->sums[axle].coupler];
  int wheel = def->frame1.body == HN_GROUND ? def->frame2.body : def->frame1.body;
  hn_slot *slot = hn_plan_slot(plan, coupler->coupled[1], (int)coupler->coupled_coordinate[1]);
  double ratio = coupler->coefficient[1] / coupler->coefficient[0];
  const hn_frame_on_body *own = def->frame2.body == wheel ? &def->frame2 : &def->frame1;
  hn_vec3 h = mat3_column(quat_matrix(own->orientation), 2);
  double inertia = vec3_dot(h, mat3_apply(mat3_symmetric(m->bodies[wheel].inertia), h));
  if (!is_tree_of(plan, HN_EXPORT_MJCF)) {
    tell_rotor(plan, axle, wheel, HN_IMPORT_LOST, "the format has no rotors of joints (armature)");
  } else if (!slot) {
    tell_rotor(plan, axle, wheel, HN_IMPORT_LOST, ON_A_LOOP);
  } else {
    slot->armature += inertia * ratio * ratio;
    tell_rotor(plan, axle, wheel, HN_IMPORT_USED, "");
  }
}

// ---- on bodies ----------------------------------------------------------------------------------

// A constant force at the centre that carries a share of the weight.
static void add_lift(hn_plan *plan, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_place *place = &plan->places[def->frame2.body];
  hn_vec3 g = plan->model->gravity;
  double force[3] = {0}, weight = vec3_norm(g) * plan->model->bodies[place->body].mass;
  if (def->following || weight <= 0 || vec3_norm(def->frame2.position) > 0) return;
  for (int k = 0; k < 3; k++) {
    hn_line_law law;
    const char *why;
    if (!def->component_law[k]) continue;
    if (!hn_plan_time_law(plan, def->component_law[k], &law, &why) || law.input >= 0) return;
    force[k] = law.constant;
  }
  hn_vec3 total = vec3_load(force), up = vec3_scale(-1 / vec3_norm(g), g);
  if (vec3_norm(vec3_cross(total, up)) > 1e-12 * vec3_norm(total)) return;
  double share = vec3_dot(total, up) / weight;
  if (plan->format == HN_EXPORT_SDF && (share != 1 || place->lift != 0)) return;
  place->lift += share * (place->copies + 1);
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_USED, "");
}

static hn_slot *ball_between(hn_plan *plan, int a, int b) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++) {
    const hn_joint_def *def = &m->joints[j];
    int is_it = (def->frame1.body == a && def->frame2.body == b) ||
                (def->frame1.body == b && def->frame2.body == a);
    if (is_it && def->type == HN_JOINT_SPHERICAL) return hn_plan_slot(plan, j, -1);
  }
  return NULL;
}

static void add_ball(hn_plan *plan, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_slot *slot = ball_between(plan, def->frame1.body, def->frame2.body);
  if (!slot || plan->format != HN_EXPORT_MJCF) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "no ball joint of the tree carries it");
  } else if (def->stiffness[0] != 0 && !hn_plan_is_aligned(plan, &def->frame1, &def->frame2)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST,
                 "springs of balls rest in the drawn position, and it begins in another");
  } else {
    slot->stiffness += def->stiffness[0];
    slot->damping += def->damping[0];
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_USED, "");
  }
}

void hn_plan_forces(hn_plan *plan) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++)
    if (plan->sums[j].is_known && plan->sums[j].is_rotor) add_rotor(plan, j);
  for (int f = 0; f < m->force_count; f++) {
    hn_force_ends ends = hn_force_acts_between(m->forces[f].type);
    if (ends == HN_ENDS_JOINT || (ends == HN_ENDS_EITHER && m->forces[f].joint >= 0))
      add_on_joint(plan, f);
    if (hn_force_is_ball(&m->forces[f])) add_ball(plan, f);
    if (m->forces[f].type == HN_FORCE_POINT_FORCE && plan->format != HN_EXPORT_URDF)
      add_lift(plan, f);
  }
}
