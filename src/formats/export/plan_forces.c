// Springs, dampers, friction, stops and rotors that act on coordinates of the tree, as attributes
// of its elementary joints, as far as the format has them.
#include <math.h>

#include "formats/export/plan.h"
#include "formats/load_ball.h"

#define ON_A_LOOP "its joint closes a loop and has no coordinate in the format"

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
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "its magnitude is not constant");
    return;
  }
  slot->friction += def->magnitude;
  slot->damping += def->viscous;
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_APPROXIMATED,
               "becomes dry friction: the transition speed is lost, it sticks");
}

static void add_stop(hn_plan *plan, int f, hn_slot *slot) {
  const hn_force_def *def = &plan->model->forces[f];
  if (slot->has_limits) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST, "its coordinate already has a stop");
    return;
  }
  slot->has_limits = 1;
  slot->lower = def->lower;
  slot->upper = def->upper;
  slot->limit_stiffness = isfinite(def->stiffness[0]) ? def->stiffness[0] : 0;
  slot->limit_damping = def->damping[0];
  hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_APPROXIMATED,
               "becomes a joint limit; its stiffness depends on the target program");
}

// The input itself within equal limits: an effort.
static int is_motor(const hn_line_law *law) {
  return law->input >= 0 && law->constant == 0 && law->of_x == 0 && law->of_v == 0 &&
         fabs(law->of_u) == 1 && law->upper > 0 && law->upper < HUGE_VAL &&
         law->lower == -law->upper;
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
  } else if (is_motor(&law) && !is_tree_of(plan, HN_EXPORT_MJCF)) {
    slot->effort = law.upper;
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_USED, "");
    hn_plan_tell(plan, HN_PART_INPUT, law.input, HN_IMPORT_USED, "");
  } else if (!is_tree_of(plan, HN_EXPORT_MJCF)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST,
                 "the format has no actuators with force functions");
  }
}

// ---- rotors -------------------------------------------------------------------------------------

static void tell_rotor(hn_plan *plan, int axle, int wheel, hn_import_fate fate, const char *why) {
  hn_plan_tell(plan, HN_PART_BODY, wheel, fate, why);
  hn_plan_tell(plan, HN_PART_JOINT, axle, fate, why);
  hn_plan_tell(plan, HN_PART_JOINT, plan->sums[axle].coupler, fate, why);
}

static hn_slot *ball_between(hn_plan *plan, int a, int b, hn_vec3 *at) {
  const hn_model *m = plan->model;
  for (int j = 0; j < m->joint_count; j++) {
    const hn_joint_def *def = &m->joints[j];
    int is_same = def->frame1.body == a && def->frame2.body == b;
    int is_turned = def->frame1.body == b && def->frame2.body == a;
    if (def->type != HN_JOINT_SPHERICAL || (!is_same && !is_turned)) continue;
    *at = is_same ? def->frame2.position : def->frame1.position;
    return hn_plan_slot(plan, j, -1);
  }
  return NULL;
}

// The rotor of a coordinate, seen from it.
static double rotor_inertia(const hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  const hn_joint_def *def = &m->joints[axle], *coupler = &m->joints[plan->sums[axle].coupler];
  int is_first = def->frame1.body == HN_GROUND;
  const hn_frame_on_body *own = is_first ? &def->frame2 : &def->frame1;
  double ratio = coupler->coefficient[1] / coupler->coefficient[0];
  hn_vec3 h = mat3_column(quat_matrix(own->orientation), 2);
  return ratio * ratio * vec3_dot(h, mat3_apply(mat3_symmetric(m->bodies[own->body].inertia), h));
}

// Rotors on the coordinates of points r of a body, next to a ball: sum of I (w x r)^2 / 2, which is
// the rotor I s w^2 of the ball when the sum of r r' is s times the unit matrix.
typedef struct ball_rotor {
  double sum[3][3], least, most;
  int count;
} ball_rotor;

static ball_rotor gather_rotors(const hn_plan *plan, int a, int b, hn_vec3 at) {
  const hn_model *m = plan->model;
  ball_rotor all = {.least = HUGE_VAL};
  for (int j = 0; j < m->joint_count; j++) {
    if (!plan->sums[j].is_known || !plan->sums[j].is_rotor) continue;
    const hn_joint_def *free = &m->joints[m->joints[plan->sums[j].coupler].coupled[1]];
    if (free->type != HN_JOINT_FREE || free->frame1.body != a || free->frame2.body != b) continue;
    hn_vec3 r = vec3_sub(free->frame2.position, at);
    double inertia = rotor_inertia(plan, j);
    all.least = fmin(all.least, inertia);
    all.most = fmax(all.most, inertia);
    all.count++;
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++) all.sum[i][k] += vec3_get(r, i) * vec3_get(r, k) / 3;
  }
  return all;
}

// A third of the rotors' joints has each point once for x, y and z.
static int is_even(const ball_rotor *all) {
  double s = all->sum[0][0], far = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) far = fmax(far, fabs(all->sum[i][k] - (i == k ? s : 0)));
  return all->count % 9 == 0 && far <= 1e-9 * s && all->most - all->least <= 1e-9 * all->most;
}

static int add_to_ball(hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  const hn_joint_def *free = &m->joints[m->joints[plan->sums[axle].coupler].coupled[1]];
  hn_vec3 at;
  hn_slot *slot = free->type == HN_JOINT_FREE
                      ? ball_between(plan, free->frame1.body, free->frame2.body, &at)
                      : NULL;
  if (!slot) return 0;
  ball_rotor all = gather_rotors(plan, free->frame1.body, free->frame2.body, at);
  if (!is_even(&all)) return 0;
  slot->armature += 2 * all.most * all.sum[0][0] / all.count; // each adds its share
  return 1;
}

static void add_rotor(hn_plan *plan, int axle) {
  const hn_model *m = plan->model;
  const hn_joint_def *def = &m->joints[axle], *coupler = &m->joints[plan->sums[axle].coupler];
  int wheel = def->frame1.body == HN_GROUND ? def->frame2.body : def->frame1.body;
  hn_slot *slot = hn_plan_slot(plan, coupler->coupled[1], (int)coupler->coupled_coordinate[1]);
  if (plan->format == HN_EXPORT_MJCF && add_to_ball(plan, axle)) {
    tell_rotor(plan, axle, wheel, HN_IMPORT_USED, "");
    hn_plan_tell(plan, HN_PART_JOINT, coupler->coupled[1], HN_IMPORT_USED, "");
  } else if (!is_tree_of(plan, HN_EXPORT_MJCF)) {
    tell_rotor(plan, axle, wheel, HN_IMPORT_LOST,
               "the format has no joint armature (rotor inertia)");
  } else if (!slot) {
    tell_rotor(plan, axle, wheel, HN_IMPORT_LOST, ON_A_LOOP);
  } else {
    slot->armature += rotor_inertia(plan, axle);
    tell_rotor(plan, axle, wheel, HN_IMPORT_USED, "");
  }
}

// ---- on bodies ----------------------------------------------------------------------------------

// A constant force at the center that carries a fraction of the weight.
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

static void add_ball(hn_plan *plan, int f) {
  const hn_force_def *def = &plan->model->forces[f];
  hn_vec3 at;
  hn_slot *slot = ball_between(plan, def->frame1.body, def->frame2.body, &at);
  if (!slot || plan->format != HN_EXPORT_MJCF) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST,
                 "no ball joint of the kinematic tree corresponds to it");
  } else if (def->stiffness[0] != 0 && !hn_plan_is_aligned(plan, &def->frame1, &def->frame2)) {
    hn_plan_tell(plan, HN_PART_FORCE, f, HN_IMPORT_LOST,
                 "ball-joint springs are unloaded in the reference configuration; this one starts "
                 "displaced");
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
  for (int f = 0; f < hn_model_force_count(m); f++) {
    hn_force_ends ends = hn_force_acts_between(m->forces[f].type);
    if (ends == HN_ENDS_JOINT || (ends == HN_ENDS_EITHER && m->forces[f].joint >= 0))
      add_on_joint(plan, f);
    if (hn_force_is_ball(&m->forces[f])) add_ball(plan, f);
    if (m->forces[f].type == HN_FORCE_POINT_FORCE && plan->format != HN_EXPORT_URDF)
      add_lift(plan, f);
  }
}
