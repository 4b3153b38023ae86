// Joints of URDF: kinds, axes, limits, dynamics, mimic; loops by common extensions.
#include <math.h>
#include <string.h>

#include "formats/import/urdf.h"

#define STOP_WHY                                                                                   \
  "a stop, rigid in time stepping; off if the parameter `limits` is 0"
#define FRICTION_WHY                                                                               \
  "exact in time stepping, else smoothed and off unless the parameter `friction` is 1"

typedef struct kind_word {
  const char *word;
  hn_link_joint_kind kind;
} kind_word;

static const kind_word kinds[] = {{"revolute", HN_LINK_HINGE},  {"continuous", HN_LINK_HINGE},
                                  {"prismatic", HN_LINK_SLIDE}, {"fixed", HN_LINK_FIXED},
                                  {"floating", HN_LINK_FREE},   {"planar", HN_LINK_PLANAR},
                                  {"ball", HN_LINK_BALL},       {"spherical", HN_LINK_BALL}};
enum { KINDS = sizeof kinds / sizeof *kinds, FOR_TREES = 6 };

static int kind_of(hn_machine *machine, hn_xml *node, int most) {
  const char *type = hn_xml_get(node, "type");
  for (int k = 0; type && k < most; k++)
    if (strcmp(kinds[k].word, type) == 0) return k;
  hn_machine_fail(machine, node, hn_xml_element(machine, node),
                  "Use revolute, continuous, prismatic, fixed, floating or planar.",
                  "has the type '%s', which URDF does not have", type ? type : "");
  return -1;
}

static hn_link *end_of(hn_machine *machine, hn_xml *node, const char *child, const char *element) {
  hn_xml *end = hn_xml_take(node, child);
  const char *name = hn_xml_get(end, "link");
  if (!name) {
    hn_machine_fail(machine, end ? end : node, element, "Write <parent link=\"...\"/>.",
                    "has no %s", child);
    return NULL;
  }
  if (strcmp(name, "world") == 0 && !hn_table_find(machine->link_names, name) &&
      strcmp(child, "parent") == 0)
    return &machine->ground;
  return hn_machine_need_link(machine, name, end, element);
}

// ---- axis ---------------------------------------------------------------------------------------

// The two directions of a plane: those of the joint's frame where the normal is one of its axes.
static hn_vec3 reference_of(hn_vec3 n) {
  if (fabs(n.z) > 0.999999) return vec3(1, 0, 0);
  if (fabs(n.x) > 0.999999) return vec3(0, 1, 0);
  if (fabs(n.y) > 0.999999) return vec3(0, 0, 1);
  hn_vec3 other = fabs(n.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0);
  return vec3_unit(vec3_cross(other, n));
}

static void read_axis(hn_machine *machine, hn_link_joint *j, hn_xml *node, const char *element) {
  hn_xml *axis = hn_xml_take(node, "axis");
  if (j->kind == HN_LINK_FIXED || j->kind == HN_LINK_FREE || j->kind == HN_LINK_BALL) {
    if (axis) axis->fate = HN_FATE_NONE;
    hn_xml_mark_all(axis, HN_FATE_HARMLESS, "this joint type has no axis");
    return;
  }
  hn_vec3 v = hn_xml_vector(machine, axis, "xyz", vec3(1, 0, 0));
  double length = vec3_norm(v);
  if (!(length > 0))
    hn_machine_fail(machine, axis, element, "Give a direction, for instance 0 0 1.",
                    "has the axis 0 0 0, which has no direction");
  j->axis = length > 0 ? vec3_scale(1 / length, v) : vec3(1, 0, 0);
  j->reference = reference_of(j->axis);
}

// ---- limits and dynamics ------------------------------------------------------------------------

static void read_limits(hn_machine *machine, hn_link_joint *j, hn_xml *node, int is_continuous,
                        const char *element) {
  hn_xml *limit = hn_xml_take(node, "limit");
  if (!limit) return;
  int has = hn_xml_find(limit, "lower") || hn_xml_find(limit, "upper");
  double lower = hn_xml_number(machine, limit, "lower", 0);
  double upper = hn_xml_number(machine, limit, "upper", 0);
  int moves = j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE;
  if (moves && !is_continuous && lower > upper)
    hn_machine_fail(machine, limit, element, "Swap the limits.",
                    "has the lower limit %g above the upper limit %g", lower, upper);
  const char *why = is_continuous ? "a continuous joint has no limits" : STOP_WHY;
  hn_fate fate = is_continuous ? HN_FATE_HARMLESS : HN_FATE_APPROXIMATED;
  if (!moves) {
    why = "limits need one coordinate, which this joint type does not have";
    fate = HN_FATE_LOST;
  } else if (!is_continuous && has) {
    j->freedom[0].has_limits = 1;
    j->freedom[0].lower = lower;
    j->freedom[0].upper = upper;
  }
  hn_xml_mark_attribute(limit, "lower", fate, why);
  hn_xml_mark_attribute(limit, "upper", fate, why);
  const double effort = hn_xml_number(machine, limit, "effort", 0);
  if (moves && effort > 0 && effort < 1e16 && !hn_xml_child(node, "mimic"))
    hn_machine_add_effort(machine, j, 0, effort, limit);
  else
    hn_xml_mark_attribute(limit, "effort", HN_FATE_HARMLESS, "the joint has no motor");
  hn_xml_mark_attribute(limit, "velocity", HN_FATE_LOST,
                        "not enforced: no element limits the speed of a joint");
  hn_xml_mark_attribute(limit, "acceleration", HN_FATE_LOST,
                        "not enforced: no element limits the acceleration of a joint");
  hn_xml_mark_attribute(limit, "jerk", HN_FATE_LOST,
                        "not enforced: no element limits the jerk of a joint");
}

static void read_dynamics(hn_machine *machine, hn_link_joint *j, hn_xml *node,
                          const char *element) {
  hn_xml *dynamics = hn_xml_take(node, "dynamics");
  if (!dynamics) return;
  double damping = hn_xml_number(machine, dynamics, "damping", 0);
  double friction = hn_xml_number(machine, dynamics, "friction", 0);
  if (damping < 0 || friction < 0)
    hn_machine_fail(machine, dynamics, element, "Give numbers >= 0.",
                    "has negative damping or friction: %g, %g", damping, friction);
  if (j->kind == HN_LINK_FIXED) {
    hn_xml_mark_attribute(dynamics, "damping", HN_FATE_HARMLESS, "a fixed joint does not move");
    hn_xml_mark_attribute(dynamics, "friction", HN_FATE_HARMLESS, "a fixed joint does not move");
    return;
  }
  if (j->kind == HN_LINK_FREE && (damping > 0 || friction > 0)) {
    hn_xml_mark_attribute(dynamics, "damping", HN_FATE_LOST,
                          "damping of a floating joint is not defined by URDF");
    hn_xml_mark_attribute(dynamics, "friction", HN_FATE_LOST,
                          "friction of a floating joint is not defined by URDF");
    return;
  }
  for (int f = 0; f < (j->kind == HN_LINK_PLANAR ? 3 : 1); f++) {
    j->freedom[f].damping = damping;
    j->freedom[f].friction = friction;
  }
  if (friction > 0) hn_xml_mark_attribute(dynamics, "friction", HN_FATE_APPROXIMATED, FRICTION_WHY);
}

void hn_urdf_joint(hn_machine *machine, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  hn_xml_use(node);
  if (!name || !*name) {
    hn_machine_fail(machine, node, "<joint>", "Write name=\"...\".", "has no name");
    return;
  }
  const char *element = hn_machine_text(machine, "joint '%s'", name);
  int kind = kind_of(machine, node, FOR_TREES);
  if (kind < 0) return;
  hn_link_joint *j = hn_machine_add_joint(machine, name, kinds[kind].kind, node);
  if (!j) return;
  machine->joint_count++;
  j->parent = end_of(machine, node, "parent", element);
  j->child = end_of(machine, node, "child", element);
  if (j->parent && j->parent == j->child)
    hn_machine_fail(machine, node, element, "Use two different links.",
                    "has the same link '%s' as parent and child", j->parent->name);
  j->relative = hn_urdf_origin(machine, node);
  int is_continuous = strcmp(kinds[kind].word, "continuous") == 0;
  read_axis(machine, j, node, element);
  read_limits(machine, j, node, is_continuous, element);
  read_dynamics(machine, j, node, element);
  hn_xml_mark_children(node, "calibration", HN_FATE_LOST, "calibration data of a real robot");
  hn_xml_mark_children(node, "safety_controller", HN_FATE_LOST,
                       "controller limits, which are not part of the model");
}

// ---- mimic --------------------------------------------------------------------------------------

static void read_mimic(hn_machine *machine, hn_link_joint *j, hn_xml *node) {
  const char *element = hn_machine_text(machine, "joint '%s'", j->name);
  hn_link_joint *other = hn_machine_need_joint(machine, hn_xml_get(node, "joint"), node, element);
  double factor = hn_xml_number(machine, node, "multiplier", 1);
  double offset = hn_xml_number(machine, node, "offset", 0);
  hn_xml_use(node);
  if (!other) return;
  int can = (j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE) &&
            (other->kind == HN_LINK_HINGE || other->kind == HN_LINK_SLIDE);
  if (other == j) {
    hn_machine_fail(machine, node, element, "Use a joint with one coordinate.", "mimics itself");
    return;
  }
  if (!can) {
    node->fate = HN_FATE_NONE;
    for (int k = 0; k < node->attribute_count; k++) node->attributes[k].fate = HN_FATE_NONE;
    hn_xml_mark_all(node, HN_FATE_LOST, "only joints with one coordinate can follow each other");
    return;
  }
  hn_coupling *coupling = hn_machine_add_coupling(
      machine, hn_machine_text(machine, "%s_mimic", j->name), node, factor != 0 ? 2 : 1);
  if (!coupling) return;
  coupling->terms[0] = (hn_machine_term){j, 0, 1, {0}};
  if (factor != 0) coupling->terms[1] = (hn_machine_term){other, 0, -factor, {0}};
  coupling->constant = offset;
}

void hn_urdf_mimics(hn_machine *machine) {
  for (hn_link_joint *j = machine->joints; j && hn_machine_ok(machine); j = j->next) {
    hn_xml *mimic = j->is_made || j->is_loop ? NULL : hn_xml_child(j->node, "mimic");
    if (mimic) read_mimic(machine, j, mimic);
  }
}

// ---- loops --------------------------------------------------------------------------------------

// <link1 link xyz rpy/>, or <predecessor link><origin/></predecessor>.
static hn_link *loop_end(hn_machine *machine, hn_xml *node, const char *first, const char *second,
                         const char *element, hn_pose *pose) {
  hn_xml *end = hn_xml_take(node, first);
  if (!end) end = hn_xml_take(node, second);
  if (!end) {
    hn_machine_fail(machine, node, element, "Write <link1 link=\"...\" xyz=\"...\"/>.",
                    "has no <%s>", first);
    return NULL;
  }
  *pose = hn_urdf_origin(machine, end);
  if (hn_xml_find(end, "xyz") || hn_xml_find(end, "rpy")) {
    hn_vec3 rpy = hn_xml_vector(machine, end, "rpy", vec3_zero());
    pose->p = hn_xml_vector(machine, end, "xyz", vec3_zero());
    pose->r = hn_rotation_rpy(rpy.x, rpy.y, rpy.z);
  }
  return hn_machine_need_link(machine, hn_xml_get(end, "link"), end, element);
}

// A loop is closed by a joint of two frames, one on each link; places are worked out with the links.
void hn_urdf_loop(hn_machine *machine, hn_xml *node) {
  const char *name = hn_xml_get(node, "name");
  const char *element = hn_xml_element(machine, node);
  hn_pose pose[2];
  hn_xml_use(node);
  int kind = kind_of(machine, node, KINDS);
  if (kind < 0) return;
  hn_link_joint *j = hn_machine_add_joint(machine, name ? name : "loop", kinds[kind].kind, node);
  if (!j) return;
  machine->joint_count++;
  j->is_loop = 1;
  j->parent = loop_end(machine, node, "link1", "predecessor", element, &pose[0]);
  j->child = loop_end(machine, node, "link2", "successor", element, &pose[1]);
  if (!hn_machine_ok(machine)) return;
  j->frames = HN_MACHINE_TAKE(machine, hn_pose, 2);
  if (!j->frames) return;
  j->frames[0] = pose[0];
  j->frames[1] = pose[1];
  read_axis(machine, j, node, element);
}
