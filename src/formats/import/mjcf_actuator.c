// Actuators of MJCF as inputs with laws: force = gear (gain u + bias), both of the length and its rate.
#include <string.h>

#include "formats/import/mjcf.h"

static void give_up(hn_xml *node, const char *why) {
  node->fate = HN_FATE_NONE;
  for (int k = 0; k < node->attribute_count; k++) node->attributes[k].fate = HN_FATE_NONE;
  hn_xml_mark_all(node, HN_FATE_LOST, why);
}

// ---- laws ---------------------------------------------------------------------------------------

static void read_general(const hn_mjcf_item *item, hn_motor *motor) {
  double prm[10] = {1};
  hn_mjcf_numbers(item, "gainprm", 10, prm);
  motor->gain[0] = prm[0];
  if (hn_mjcf_is(item, "gaintype", "affine")) {
    motor->gain[1] = prm[1];
    motor->gain[2] = prm[2];
  }
  double bias[10] = {0};
  hn_mjcf_numbers(item, "biasprm", 10, bias);
  if (hn_mjcf_is(item, "biastype", "affine"))
    for (int k = 0; k < 3; k++) motor->bias[k] = bias[k];
  double time[10] = {1};
  hn_mjcf_numbers(item, "dynprm", 10, time);
  const char *dynamics = hn_mjcf_get(item, "dyntype");
  if (!dynamics || strcmp(dynamics, "none") == 0) {
    hn_mjcf_mark(item, "dynprm", HN_FATE_HARMLESS, "the actuator has no state");
    return;
  }
  motor->dynamics = strcmp(dynamics, "integrator") == 0 ? HN_MOTOR_INTEGRATOR : HN_MOTOR_FILTER;
  motor->time_constant = time[0];
}

// A filter without a time constant is ignored.
static void read_filter(const hn_mjcf_item *item, hn_motor *motor, double otherwise) {
  motor->time_constant = hn_mjcf_number(item, "timeconst", otherwise);
  motor->dynamics = motor->time_constant > 0 ? HN_MOTOR_FILTER : HN_MOTOR_DIRECT;
}

// A pressure that follows the input and acts on an area.
static void read_cylinder(const hn_mjcf_item *item, hn_motor *motor) {
  double area = hn_mjcf_number(item, "area", 1), bias[3] = {0};
  double diameter = hn_mjcf_number(item, "diameter", 0);
  motor->gain[0] = diameter > 0 ? HN_PI / 4 * diameter * diameter : area;
  hn_mjcf_numbers(item, "bias", 3, bias);
  for (int k = 0; k < 3; k++) motor->bias[k] = bias[k];
  read_filter(item, motor, 1);
}

// Servos keep the bias of their class, except for the position.
static void read_servo(const hn_mjcf_item *item, hn_motor *motor) {
  double kp = hn_mjcf_number(item, "kp", 1), bias[10] = {0};
  hn_mjcf_numbers(item, "biasprm", 10, bias);
  motor->gain[0] = kp;
  motor->bias[0] = bias[0];
  motor->bias[1] = -kp;
  motor->bias[2] = -hn_mjcf_number(item, "kv", -bias[2]);
}

// Damping by a ratio, of what the actuator moves.
static void read_ratio(const hn_mjcf_item *item, hn_motor *motor) {
  double ratio = hn_mjcf_number(item, "dampratio", 0);
  if (!(ratio > 0)) return;
  if (!(motor->gain[0] > 0)) {
    hn_mjcf_mark(item, "dampratio", HN_FATE_LOST, "the damping ratio needs kp > 0");
    return;
  }
  if (motor->kind == HN_MOTOR_JOINT || motor->tendon)
    hn_mjcf_wish_damping(item->reader, motor, ratio);
  else
    hn_mjcf_mark(item, "dampratio", HN_FATE_LOST, "its inertia is not known: give kv");
}

static void read_shortcut(const hn_mjcf_item *item, hn_motor *motor) {
  const char *name = item->node->name;
  if (strcmp(name, "position") == 0) {
    read_servo(item, motor);
    read_filter(item, motor, 0);
    read_ratio(item, motor);
  } else if (strcmp(name, "intvelocity") == 0) {
    read_servo(item, motor);
    read_ratio(item, motor);
    motor->dynamics = HN_MOTOR_INTEGRATOR;
  } else if (strcmp(name, "cylinder") == 0) {
    read_cylinder(item, motor);
  } else if (strcmp(name, "velocity") == 0) {
    motor->gain[0] = hn_mjcf_number(item, "kv", 1);
    motor->bias[2] = -motor->gain[0];
  } else if (strcmp(name, "damper") == 0) {
    motor->gain[0] = 0;
    motor->gain[2] = -hn_mjcf_number(item, "kv", 1);
  } else {
    motor->gain[0] = 1; // motor
  }
}

// Why an actuator has a law that a model cannot have, or null.
static const char *refusal(const hn_mjcf_item *item) {
  const char *name = item->node->name, *dynamics = hn_mjcf_get(item, "dyntype");
  const char *gain = hn_mjcf_get(item, "gaintype"), *bias = hn_mjcf_get(item, "biastype");
  static const char *const known[] = {"general", "motor",       "position", "velocity",
                                      "damper",  "intvelocity", "cylinder"};
  static const char state[] = "user-defined gain, bias and dynamics are not supported";
  int is_known = 0;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) is_known |= strcmp(name, known[k]) == 0;
  if (strcmp(name, "muscle") == 0) return NULL;
  if (strcmp(name, "adhesion") == 0) return HN_NO_CONTACT;
  if (!is_known) return "the actuator type is not supported";
  if (strcmp(name, "general") != 0) return NULL;
  if (dynamics && strcmp(dynamics, "none") != 0 && strcmp(dynamics, "integrator") != 0 &&
      strcmp(dynamics, "filter") != 0 && strcmp(dynamics, "filterexact") != 0 &&
      strcmp(dynamics, "muscle") != 0)
    return state;
  const int is_one = gain && strcmp(gain, "muscle") == 0,
            is_other = bias && !strcmp(bias, "muscle");
  if (is_one || is_other) {
    if (is_one != is_other || (dynamics && strcmp(dynamics, "muscle") != 0))
      return "incomplete muscle: gaintype, biastype and dyntype must all be muscle";
    return NULL;
  }
  if (dynamics && strcmp(dynamics, "muscle") == 0) return "muscle activation without a muscle";
  if (gain && strcmp(gain, "fixed") != 0 && strcmp(gain, "affine") != 0) return state;
  if (bias && strcmp(bias, "none") != 0 && strcmp(bias, "affine") != 0) return state;
  return NULL;
}

// ---- where it acts ------------------------------------------------------------------------------

// A ball or free joint on the world: a force along its axes, a torque about those of the body. Of a ball
// the gear is a torque only.
static const char *read_wide_joint(hn_motor *motor, int is_in_parent) {
  const hn_link_joint *j = motor->joint;
  if (!j->parent->is_ground)
    return "not supported: it drives a ball joint between two moving bodies";
  motor->kind = HN_MOTOR_POINT;
  motor->link = j->child;
  motor->joint = NULL;
  motor->pose = hn_pose_none();
  motor->is_global = 1;
  motor->is_ball = j->kind == HN_LINK_BALL;
  if (motor->is_ball && is_in_parent) motor->pose.r = j->child->pose.r; // reference configuration
  motor->is_turned_globally = is_in_parent;
  return NULL;
}

static const char *read_joint(hn_mjcf *r, hn_motor *motor, hn_xml *node, const char *name,
                              int is_in_parent) {
  motor->joint = hn_machine_need_joint(r->machine, name, node, hn_xml_element(r->machine, node));
  if (!motor->joint) return NULL;
  if (motor->joint->kind == HN_LINK_HINGE || motor->joint->kind == HN_LINK_SLIDE) return NULL;
  return read_wide_joint(motor, is_in_parent);
}

static const hn_mjcf_site *need_site(hn_mjcf *r, hn_xml *node, const char *name) {
  const hn_mjcf_site *known = hn_table_find(r->sites, name);
  if (!known)
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node), "Name a <site>.",
                    "refers to the site '%s', which does not exist", name);
  return known;
}

static const char *read_site(hn_mjcf *r, const hn_mjcf_item *item, hn_motor *motor,
                             const char *site) {
  const char *axes = hn_mjcf_get(item, "refsite");
  const hn_mjcf_site *known = need_site(r, item->node, site);
  const hn_mjcf_site *other = known && axes ? need_site(r, item->node, axes) : NULL;
  if (!known || (axes && !other)) return NULL;
  motor->kind = HN_MOTOR_POINT;
  motor->link = known->link;
  motor->pose = known->pose;
  if (known->link->is_ground) return "it acts on the world only";
  if (!other) return NULL;
  motor->is_global = motor->is_turned_globally = 1;
  motor->pose.r = other->pose.r;
  return other->link->is_ground ? NULL : "not supported: it acts between two moving sites";
}

static const char *read_target(hn_mjcf *r, const hn_mjcf_item *item, hn_motor *motor) {
  hn_xml *node = item->node;
  const char *joint = hn_mjcf_get(item, "joint"), *tendon = hn_mjcf_get(item, "tendon");
  const char *site = hn_mjcf_get(item, "site");
  const int is_in_parent = !joint;
  if (!joint) joint = hn_mjcf_get(item, "jointinparent");
  if (joint) return read_joint(r, motor, node, joint, is_in_parent);
  if (tendon) {
    motor->kind = HN_MOTOR_TENDON;
    motor->tendon = hn_table_find(r->tendons, tendon);
    if (!motor->tendon)
      hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node), "Name a tendon.",
                      "refers to the tendon '%s', which does not exist", tendon);
    else if (motor->tendon->is_lost)
      return "its tendon is not imported";
    else
      motor->tendon->is_acted_on = 1;
    return NULL;
  }
  if (site) return read_site(r, item, motor, site);
  return "slider-crank and body transmissions are not supported";
}

static void read_ranges(const hn_mjcf_item *item, hn_motor *motor) {
  double range[2];
  int is_limited = hn_mjcf_is_limited(item, "ctrllimited", "ctrlrange");
  int has_limits = hn_mjcf_is_limited(item, "forcelimited", "forcerange");
  if (hn_mjcf_numbers(item, "ctrlrange", 2, range) == 2 && is_limited) {
    motor->has_range = 1;
    motor->lower = range[0];
    motor->upper = range[1];
  }
  if (hn_mjcf_numbers(item, "forcerange", 2, range) == 2 && has_limits) {
    motor->has_force_range = 1;
    motor->least = range[0];
    motor->most = range[1];
  }
  hn_mjcf_mark_list(item, "inheritrange", HN_FATE_LOST, "write ctrlrange");
  int has_state = motor->dynamics != HN_MOTOR_DIRECT;
  hn_mjcf_mark_list(item, "actrange actlimited actearly",
                    has_state ? HN_FATE_LOST : HN_FATE_HARMLESS,
                    has_state ? "activation limits are not supported" : "of actuators with states");
  if (!motor->muscle) hn_mjcf_mark(item, "lengthrange", HN_FATE_HARMLESS, "of muscles");
  hn_mjcf_mark_list(item, "actdim nsample interp delay group user", HN_FATE_HARMLESS,
                    "for other actuator types or programs");
}

// ---- all ----------------------------------------------------------------------------------------

static void see_tendon(const hn_machine *m, hn_tendon *t) {
  t->is_acted_on = 0;
  for (const hn_motor *at = m->motors; at; at = at->next) t->is_acted_on |= at->tendon == t;
}

void hn_mjcf_lose_motor(hn_machine *m, hn_motor *motor, const char *why) {
  hn_motor *before = NULL;
  for (hn_motor *at = m->motors; at && at != motor; at = at->next) before = at;
  if (before)
    before->next = motor->next;
  else
    m->motors = motor->next;
  if (m->last_motor == motor) m->last_motor = before;
  give_up(motor->node, why);
  if (motor->tendon) see_tendon(m, motor->tendon);
}

static void read_one(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, node->name, NULL);
  const char *name = hn_xml_get(node, "name"), *why = refusal(&item);
  hn_motor trial = {.gear = {1}};
  if (!why) why = read_target(r, &item, &trial);
  if (!hn_machine_ok(m)) return;
  if (why) {
    give_up(node, why);
    return;
  }
  const char *target = trial.joint ? trial.joint->name : trial.tendon ? trial.tendon->name : "site";
  hn_motor *motor = hn_machine_add_motor(
      m, name && *name ? name : hn_machine_text(m, "%s_%s", target, node->name), node);
  if (!motor) return;
  trial.name = motor->name;
  trial.id = motor->id;
  trial.node = node;
  *motor = trial;
  hn_mjcf_numbers(&item, "gear", 6, motor->gear);
  if (motor->is_ball)
    for (int k = 0; k < 3; k++) {
      motor->gear[3 + k] = motor->gear[k];
      motor->gear[k] = 0;
    }
  if (hn_mjcf_is_muscle(&item)) {
    why = motor->kind == HN_MOTOR_POINT ? "muscles on sites are not supported"
                                        : hn_mjcf_read_muscle(&item, motor);
    if (why && hn_machine_ok(m)) {
      hn_mjcf_lose_motor(m, motor, why);
      return;
    }
  } else if (strcmp(node->name, "general") == 0)
    read_general(&item, motor);
  else
    read_shortcut(&item, motor);
  read_ranges(&item, motor);
  if (motor->kind == HN_MOTOR_POINT &&
      (motor->gain[1] != 0 || motor->gain[2] != 0 || motor->bias[1] != 0 || motor->bias[2] != 0))
    hn_mjcf_mark_list(
        &item, "gainprm biasprm kp kv", HN_FATE_LOST,
        "on sites, ball joints and free bodies only a constant and the input term are supported");
}

static int has_joint(const hn_motor *motor, const hn_link_joint *joint) {
  return motor->kind == HN_MOTOR_JOINT && motor->joint == joint;
}

// The range of a joint is that of its only actuator.
static void limit_force(hn_machine *m, hn_motor *motor) {
  const hn_freedom *f = &motor->joint->freedom[0];
  const double gear = motor->gear[0];
  int count = 0;
  for (const hn_motor *at = m->motors; at; at = at->next) count += has_joint(at, motor->joint);
  if (gear == 0) return;
  if (count > 1) {
    hn_xml_mark(motor->joint->node, HN_FATE_APPROXIMATED,
                "actuatorfrcrange is not enforced: several actuators drive the joint");
    return;
  }
  const double least = (gear > 0 ? f->motor_least : f->motor_most) / gear;
  const double most = (gear > 0 ? f->motor_most : f->motor_least) / gear;
  if (!motor->has_force_range || motor->least < least) motor->least = least;
  if (!motor->has_force_range || motor->most > most) motor->most = most;
  motor->has_force_range = 1;
}

void hn_mjcf_actuator(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    read_one(r, child);
}

void hn_mjcf_limit_motors(hn_machine *m) {
  for (hn_motor *motor = m->motors; motor && hn_machine_ok(m); motor = motor->next)
    if (motor->kind == HN_MOTOR_JOINT && motor->joint && motor->joint->freedom[0].has_motor_range)
      limit_force(m, motor);
}
