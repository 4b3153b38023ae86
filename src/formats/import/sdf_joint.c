// Joints of SDF: kinds, axes in frames of their own, gearboxes, screws and mimics.
#include <math.h>
#include <string.h>

#include "formats/import/sdf.h"

#define STOP_WHY                                                                                   \
  "a stop, rigid in time stepping; off if the parameter `limits` is 0"
#define FRICTION_WHY                                                                               \
  "exact in time stepping, else smoothed and off unless the parameter `friction` is 1"
#define SQUARE 1e-9 // what two axes may differ from a right angle

// ---- axes ---------------------------------------------------------------------------------------

static void read_dynamics(hn_sdf *r, hn_xml *axis, hn_freedom *f) {
  hn_xml *dynamics = hn_xml_take(axis, "dynamics");
  if (!dynamics) return;
  f->damping = hn_sdf_number(r, dynamics, "damping", 0);
  f->friction = hn_sdf_number(r, dynamics, "friction", 0);
  f->stiffness = hn_sdf_number(r, dynamics, "spring_stiffness", 0);
  f->rest = hn_sdf_number(r, dynamics, "spring_reference", 0);
  if (f->friction > 0)
    hn_xml_mark(hn_xml_child(dynamics, "friction"), HN_FATE_APPROXIMATED, FRICTION_WHY);
}

static void read_limits(hn_sdf *r, hn_xml *axis, hn_link_joint *j, int freedom,
                        const char *element) {
  hn_freedom *f = &j->freedom[freedom];
  hn_xml *limit = hn_xml_take(axis, "limit");
  if (!limit) return;
  double lower = hn_sdf_number(r, limit, "lower", -HUGE_VAL);
  double upper = hn_sdf_number(r, limit, "upper", HUGE_VAL);
  int has = lower > -1e16 || upper < 1e16;
  if (lower > upper)
    hn_machine_fail(r->machine, limit, element, "Swap the limits.",
                    "has the lower limit %g above the upper limit %g", lower, upper);
  if (has) {
    f->has_limits = 1;
    f->lower = lower > -1e16 ? lower : -HUGE_VAL;
    f->upper = upper < 1e16 ? upper : HUGE_VAL;
    hn_xml_mark(hn_xml_child(limit, "lower"), HN_FATE_APPROXIMATED, STOP_WHY);
    hn_xml_mark(hn_xml_child(limit, "upper"), HN_FATE_APPROXIMATED, STOP_WHY);
  }
  const double effort = hn_sdf_number(r, limit, "effort", -1);
  const int moves = j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE;
  if (moves && effort > 0 && effort < 1e16)
    hn_machine_add_effort(r->machine, j, freedom, effort, limit);
  else
    hn_xml_mark_children(limit, "effort", HN_FATE_HARMLESS, "the joint has no motor");
  hn_xml_mark_children(limit, "velocity", HN_FATE_LOST,
                       "not enforced: no element limits the speed of a joint");
  hn_xml_mark_children(limit, "stiffness", HN_FATE_APPROXIMATED, STOP_WHY);
  hn_xml_mark_children(limit, "dissipation", HN_FATE_APPROXIMATED, STOP_WHY);
}

// The direction of an axis, global: in the frame it names, else that of the joint; before 1.7 of the
// model where it says so, before 1.5 always.
static hn_vec3 read_axis(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, hn_xml *axis,
                         const char *element) {
  hn_machine *m = r->machine;
  hn_xml *xyz = hn_xml_take(axis, "xyz");
  double v[3] = {0, 0, 1};
  int in_model = hn_sdf_is(axis, "use_parent_model_frame", r->version < 1.5);
  const char *in = xyz ? hn_xml_get(xyz, "expressed_in") : NULL;
  if (xyz) hn_numbers_of(m, xyz, "xyz", xyz->text, 3, v);
  if (!(vec3_norm(vec3_load(v)) > 0)) {
    hn_machine_fail(m, xyz, element, "Give a direction, for instance 0 0 1.",
                    "has the axis 0 0 0, which has no direction");
    return vec3(0, 0, 1);
  }
  hn_pose base = in && *in  ? hn_sdf_place(r, scope, in, xyz)
                 : in_model ? hn_sdf_place(r, scope, NULL, axis)
                            : hn_sdf_where(r, frame);
  return mat3_apply(base.r, vec3_unit(vec3_load(v)));
}

static void take_axis(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, hn_xml *axis,
                      hn_link_joint *j, int second, int in_second, const char *element) {
  hn_vec3 direction = read_axis(r, scope, frame, axis, element);
  if (in_second)
    j->axis2 = direction;
  else
    j->axis = direction;
  read_dynamics(r, axis, &j->freedom[second]);
  read_limits(r, axis, j, second, element);
  hn_xml_mark_children(axis, "initial_position", HN_FATE_LOST,
                       "not imported: set `initial:` of the joint by an overlay");
}

// ---- joints -------------------------------------------------------------------------------------

typedef struct ends {
  hn_link *parent, *child;
} ends;

static hn_link *end_of(hn_sdf *r, hn_sdf_scope *scope, hn_xml *node, const char *child,
                       const char *element) {
  hn_xml *end = hn_xml_take(node, child);
  if (!end || !*end->text) {
    hn_machine_fail(r->machine, node, element, "Write <parent>LINK</parent>.", "has no <%s>",
                    child);
    return NULL;
  }
  return hn_sdf_link_of(r, scope, end->text, end);
}

static hn_link *set_of(hn_link *link) {
  while (link->set) link = link->set;
  return link;
}

// A joint between links that hang together already, or on a link that is carried, closes a loop.
static void connect(hn_link_joint *j) {
  if (j->child->is_ground) { // the same seen from the other side
    hn_link *parent = j->parent;
    j->parent = j->child;
    j->child = parent;
    j->axis = vec3_negate(j->axis);
    j->axis2 = vec3_negate(j->axis2);
  }
  hn_link *a = set_of(j->parent), *b = set_of(j->child);
  if (a == b || j->child->joint || j->child->is_ground) {
    j->is_loop = 1;
  } else {
    j->child->joint = j;
  }
  if (a != b && !b->is_ground)
    b->set = a;
  else if (a != b)
    a->set = b;
}

static hn_link_joint *make(hn_sdf *r, hn_sdf_frame *frame, hn_link_joint_kind kind,
                           const char *ending) {
  hn_machine *m = r->machine;
  const char *name = hn_machine_text(m, "%s%s%s", frame->scope->prefix, frame->name, ending);
  hn_link_joint *j = *ending ? hn_machine_make_joint(m, name, kind, frame->node)
                             : hn_machine_add_joint(m, name, kind, frame->node);
  if (j) j->at = j->at2 = hn_sdf_where(r, frame).p;
  return j;
}

// Two axes: a universal joint where they are square, else two hinges with a link between them.
static void read_two_axes(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, ends e,
                          const char *element) {
  hn_machine *m = r->machine;
  hn_xml *first = hn_xml_take(frame->node, "axis"), *second = hn_xml_take(frame->node, "axis2");
  hn_link_joint trial = {.axis2 = {0, 0, 0}};
  take_axis(r, scope, frame, first, &trial, 0, 0, element);
  take_axis(r, scope, frame, second, &trial, 1, 1, element);
  if (!hn_machine_ok(m)) return;
  if (fabs(vec3_dot(trial.axis, trial.axis2)) < SQUARE) {
    hn_link_joint *j = make(r, frame, HN_LINK_UNIVERSAL, "");
    if (!j) return;
    j->axis = trial.axis;
    j->axis2 = trial.axis2;
    j->freedom[0] = trial.freedom[0];
    j->freedom[1] = trial.freedom[1];
    j->parent = e.parent;
    j->child = e.child;
    connect(j);
    return;
  }
  hn_link *between = hn_machine_make_link(
      m, hn_machine_text(m, "%s%s_cross", frame->scope->prefix, frame->name), frame->node);
  hn_link_joint *a = make(r, frame, HN_LINK_HINGE, "_axis");
  hn_link_joint *b = make(r, frame, HN_LINK_HINGE, "_axis2");
  if (!between || !a || !b) return;
  between->is_helper = 1;
  between->pose = e.child->pose;
  a->axis = trial.axis;
  b->axis = trial.axis2;
  a->freedom[0] = trial.freedom[0];
  b->freedom[0] = trial.freedom[1];
  a->parent = e.parent;
  a->child = b->parent = between;
  b->child = e.child;
  connect(a);
  connect(b);
}

// SDF counts a thread in rad/m, left-handed, and has 1 where a screw does not say.
static double read_pitch(hn_sdf *r, hn_xml *node, const char *element) {
  double turn = hn_sdf_number(r, node, "screw_thread_pitch", 0);
  double thread = hn_sdf_number(r, node, "thread_pitch", 1);
  if (turn != 0) return turn;
  if (thread != 0) return -2 * HN_PI / thread;
  hn_machine_fail(r->machine, node, element, "Write <screw_thread_pitch> in m per revolution.",
                  "is a screw with zero pitch");
  return 1;
}

static void read_one(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame, hn_link_joint_kind kind,
                     ends e, const char *element) {
  hn_link_joint *j = make(r, frame, kind, "");
  if (!j) return;
  j->parent = e.parent;
  j->child = e.child;
  hn_xml *axis = hn_xml_child(frame->node, "axis");
  if (kind == HN_LINK_SCREW) j->pitch = read_pitch(r, frame->node, element);
  if (kind == HN_LINK_FIXED || kind == HN_LINK_BALL) {
    hn_xml_mark_all(axis, HN_FATE_HARMLESS, "this joint type has no axis");
  } else if (axis) {
    hn_xml_use(axis);
    take_axis(r, scope, frame, axis, j, 0, 0, element);
  } else {
    hn_machine_fail(r->machine, frame->node, element, "Write <axis><xyz>0 0 1</xyz></axis>.",
                    "has no <axis>");
  }
  hn_xml_mark_all(hn_xml_child(frame->node, "axis2"), HN_FATE_HARMLESS,
                  "this joint type has no second axis");
  connect(j);
}

void hn_sdf_joint(hn_sdf *r, hn_sdf_scope *scope, hn_sdf_frame *frame) {
  static const struct {
    const char *word;
    hn_link_joint_kind kind;
  } kinds[] = {{"revolute", HN_LINK_HINGE},  {"continuous", HN_LINK_HINGE},
               {"prismatic", HN_LINK_SLIDE}, {"ball", HN_LINK_BALL},
               {"fixed", HN_LINK_FIXED},     {"screw", HN_LINK_SCREW}};
  hn_machine *m = r->machine;
  hn_xml *node = frame->node;
  const char *type = hn_xml_get(node, "type"),
             *element = hn_machine_text(m, "joint '%s'", frame->name);
  hn_xml_use(node);
  m->joint_count++;
  if (type && strcmp(type, "gearbox") == 0) return; // when the joints are there
  ends e = {end_of(r, scope, node, "parent", element), NULL};
  if (hn_machine_ok(m)) e.child = end_of(r, scope, node, "child", element);
  if (!e.parent || !e.child) return;
  if (e.parent == e.child) {
    hn_machine_fail(m, node, element, "Use two different links.", "connects link '%s' to itself",
                    e.parent->name);
    return;
  }
  hn_xml_mark_children(node, "physics", HN_FATE_LOST, "settings of a physics engine");
  hn_xml_mark_children(node, "sensor", HN_FATE_LOST,
                       "not needed: signals of all joints and bodies are available");
  if (type && (strcmp(type, "universal") == 0 || strcmp(type, "revolute2") == 0)) {
    read_two_axes(r, scope, frame, e, element);
    return;
  }
  for (size_t k = 0; type && k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(kinds[k].word, type) == 0) {
      read_one(r, scope, frame, kinds[k].kind, e, element);
      return;
    }
  hn_machine_fail(
      m, node, element,
      "Use revolute, continuous, prismatic, ball, fixed, screw, universal, revolute2 or gearbox.",
      "has the type '%s', which SDF does not have", type ? type : "");
}

// ---- gearboxes ----------------------------------------------------------------------------------

static hn_link_joint *hinge_between(hn_machine *m, const hn_link *reference, const hn_link *link,
                                    double *sign) {
  for (hn_link_joint *j = m->joints; j; j = j->next) {
    *sign = j->parent == reference ? 1 : -1;
    if (j->kind == HN_LINK_HINGE && ((j->parent == reference && j->child == link) ||
                                     (j->child == reference && j->parent == link)))
      return j;
  }
  return NULL;
}

// ---- mimics -------------------------------------------------------------------------------------

// Which coordinate of a joint an axis is; -1: none.
static int freedom_of(const hn_link_joint *j, int is_second) {
  if (j->kind == HN_LINK_UNIVERSAL) return is_second;
  return !is_second && (j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE) ? 0 : -1;
}

static void lose(hn_xml *node, const char *why) {
  node->fate = HN_FATE_NONE;
  for (hn_xml *child = node->first; child; child = child->next) child->fate = HN_FATE_NONE;
  for (int k = 0; k < node->attribute_count; k++) node->attributes[k].fate = HN_FATE_NONE;
  hn_xml_mark_all(node, HN_FATE_LOST, why);
}

// coordinate = multiplier (that of the leader - reference) + offset
static void read_mimic(hn_sdf *r, hn_sdf_scope *scope, hn_xml *node, const char *name,
                       int is_second) {
  hn_machine *m = r->machine;
  const char *element = hn_machine_text(m, "joint '%s'", name), *leader = hn_xml_get(node, "joint");
  const char *axis = hn_xml_get(node, "axis");
  double factor = hn_sdf_number(r, node, "multiplier", 1),
         offset = hn_sdf_number(r, node, "offset", 0);
  double reference = hn_sdf_number(r, node, "reference", 0);
  hn_link_joint *a = hn_table_find(m->joint_names, hn_machine_text(m, "%s%s", scope->prefix, name));
  hn_link_joint *b = hn_machine_need_joint(
      m, hn_machine_text(m, "%s%s", scope->prefix, leader ? leader : ""), node, element);
  hn_xml_use(node);
  if (!b || a == b) {
    hn_machine_fail(m, node, element, "Use a joint with one coordinate.", "mimics itself");
    return;
  }
  int of_a = a ? freedom_of(a, is_second) : -1;
  int of_b = freedom_of(b, axis && strcmp(axis, "axis2") == 0);
  if (of_a < 0 || of_b < 0) {
    lose(node, "only joints with one coordinate can follow each other");
    return;
  }
  hn_coupling *k = hn_machine_add_coupling(m, hn_machine_text(m, "%s_mimic", a->name), node,
                                           factor != 0 ? 2 : 1);
  if (!k) return;
  k->terms[0] = (hn_machine_term){a, of_a, 1, {0}};
  if (factor != 0) k->terms[1] = (hn_machine_term){b, of_b, -factor, {0}};
  k->constant = offset - factor * reference;
}

static void read_mimics(hn_sdf *r, hn_sdf_scope *scope, hn_xml *node, const char *name) {
  static const char *const axes[2] = {"axis", "axis2"};
  for (int k = 0; k < 2 && hn_machine_ok(r->machine); k++) {
    hn_xml *axis = hn_xml_child(node, axes[k]), *mimic = axis ? hn_xml_child(axis, "mimic") : NULL;
    if (mimic && mimic->fate == HN_FATE_NONE) read_mimic(r, scope, mimic, name, k);
  }
}

// Angle of the child = - ratio * angle of the parent, both against the reference body.
void hn_sdf_gearbox(hn_sdf *r, hn_sdf_scope *scope, hn_xml *node, const char *name) {
  hn_machine *m = r->machine;
  const char *type = hn_xml_peek(node, "type"), *element = hn_machine_text(m, "joint '%s'", name);
  if (!type || strcmp(type, "gearbox") != 0) {
    read_mimics(r, scope, node, name);
    return;
  }
  hn_link *parent = end_of(r, scope, node, "parent", element);
  hn_link *child = parent ? end_of(r, scope, node, "child", element) : NULL;
  const char *body = hn_sdf_text(node, "gearbox_reference_body");
  hn_link *reference = child && body ? hn_sdf_link_of(r, scope, body, node) : NULL;
  double ratio = hn_sdf_number(r, node, "gearbox_ratio", 1), sign[2] = {1, 1};
  if (!hn_machine_ok(m)) return;
  hn_link_joint *a = reference ? hinge_between(m, reference, parent, &sign[0]) : NULL;
  hn_link_joint *b = reference ? hinge_between(m, reference, child, &sign[1]) : NULL;
  if (!a || !b) {
    hn_machine_fail(m, node, element,
                    "Connect both links to <gearbox_reference_body> by revolute joints.",
                    "couples two links without revolute joints to its reference body");
    return;
  }
  for (hn_xml *axis = node->first; axis; axis = axis->next)
    if (strncmp(axis->name, "axis", 4) == 0)
      hn_xml_mark_all(axis, HN_FATE_HARMLESS,
                      "given by the angles of the revolute joints it couples");
  hn_coupling *k =
      hn_machine_add_coupling(m, hn_machine_text(m, "%s%s", scope->prefix, name), node, 2);
  if (!k) return;
  k->terms[0] = (hn_machine_term){b, 0, sign[1], {0}};
  k->terms[1] = (hn_machine_term){a, 0, ratio * sign[0], {0}};
}
