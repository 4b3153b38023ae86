// Joints of MJCF. Several on one body act one after the other, the first nearest to the parent:
// massless links are between them.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

#define STOP_WHY                                                                                   \
  "a stop, rigid in time stepping; off if the parameter `limits` is 0"
#define FRICTION_WHY                                                                               \
  "exact in time stepping, else smoothed and off unless the parameter `friction` is 1"
#define NO_COORDINATE "a ball or free joint has no coordinate to act on"

static hn_link_joint_kind kind_of(const hn_mjcf_item *item) {
  hn_machine *m = item->reader->machine;
  const char *type = hn_mjcf_get(item, "type");
  if (strcmp(item->node->name, "freejoint") == 0) return HN_LINK_FREE;
  if (!type || strcmp(type, "hinge") == 0) return HN_LINK_HINGE;
  if (strcmp(type, "slide") == 0) return HN_LINK_SLIDE;
  if (strcmp(type, "ball") == 0) return HN_LINK_BALL;
  if (strcmp(type, "free") == 0) return HN_LINK_FREE;
  hn_machine_fail(m, item->node, hn_xml_element(m, item->node), "Use hinge, slide, ball or free.",
                  "has the type '%s', which MJCF does not have", type);
  return HN_LINK_HINGE;
}

static void read_axis(const hn_mjcf_item *item, hn_link_joint *j, hn_mat3 turn) {
  hn_machine *m = item->reader->machine;
  if (j->kind == HN_LINK_BALL || j->kind == HN_LINK_FREE) {
    hn_mjcf_mark(item, "axis", HN_FATE_HARMLESS, "a ball or free joint has no axis");
    return;
  }
  hn_vec3 axis = hn_mjcf_vector(item, "axis", vec3(0, 0, 1));
  if (!(vec3_norm(axis) > 0))
    hn_machine_fail(m, item->node, hn_xml_element(m, item->node), "Give a direction: 0 0 1.",
                    "has the axis 0 0 0, which has no direction");
  else
    j->axis = mat3_apply(turn, vec3_unit(axis));
}

static void read_limits(const hn_mjcf_item *item, hn_link_joint *j, double unit) {
  double range[2] = {0, 0};
  int has = hn_mjcf_numbers(item, "range", 2, range) == 2;
  int limited = hn_mjcf_is_limited(item, "limited", "range");
  hn_machine *m = item->reader->machine;
  if (!has) return;
  if (j->kind == HN_LINK_BALL || j->kind == HN_LINK_FREE) {
    hn_mjcf_mark(item, "range", limited ? HN_FATE_LOST : HN_FATE_HARMLESS,
                 limited ? NO_COORDINATE : "not limited");
    return;
  }
  if (!limited) {
    hn_mjcf_mark(item, "range", HN_FATE_APPROXIMATED, "not limited: the joint has no stops");
    return;
  }
  if (range[0] > range[1])
    hn_machine_fail(m, hn_mjcf_where(item, "range"), hn_xml_element(m, item->node),
                    "Swap the limits.", "has the lower limit %g above the upper limit %g", range[0],
                    range[1]);
  j->freedom[0].has_limits = 1;
  j->freedom[0].lower = unit * range[0];
  j->freedom[0].upper = unit * range[1];
  hn_mjcf_mark(item, "range", HN_FATE_APPROXIMATED, STOP_WHY);
}

// Forces on the coordinate of a hinge or slide, or on all of a ball or free joint.
static void read_forces(const hn_mjcf_item *item, hn_link_joint *j, double unit) {
  hn_freedom *f = &j->freedom[0];
  double springs[2];
  f->stiffness = hn_mjcf_number(item, "stiffness", 0);
  f->damping = hn_mjcf_number(item, "damping", 0);
  f->armature = hn_mjcf_number(item, "armature", 0);
  f->friction = hn_mjcf_number(item, "frictionloss", 0);
  f->reference = unit * hn_mjcf_number(item, "ref", 0);
  f->rest = unit * hn_mjcf_number(item, "springref", 0);
  if (hn_mjcf_numbers(item, "springdamper", 2, springs) == 2 && springs[0] > 0 && springs[1] > 0)
    hn_mjcf_wish_spring(item, j, springs[0], springs[1]);
  if (f->friction > 0) {
    int has = j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE;
    hn_mjcf_mark(item, "frictionloss", has ? HN_FATE_APPROXIMATED : HN_FATE_LOST,
                 has ? FRICTION_WHY : NO_COORDINATE);
  }
}

// A range of all actuators of the joint together.
static void read_motor_range(const hn_mjcf_item *item, hn_freedom *f) {
  double range[2];
  const int limited = hn_mjcf_is_limited(item, "actuatorfrclimited", "actuatorfrcrange");
  if (hn_mjcf_numbers(item, "actuatorfrcrange", 2, range) != 2 || !limited) return;
  f->has_motor_range = 1;
  f->motor_least = range[0];
  f->motor_most = range[1];
}

// A ball or free joint acts on all its directions alike.
static void settle_ball(const hn_mjcf_item *item, hn_link_joint *j) {
  hn_freedom *f = &j->freedom[0];
  f->reference = f->rest = 0;
  f->friction = 0;
  if (j->parent->is_ground) { // a part of the body itself
    j->child->armature = f->armature;
    f->armature = 0;
  }
  hn_mjcf_mark_list(item, "ref springref", HN_FATE_HARMLESS, "a ball or free joint has none");
  hn_mjcf_mark_list(item, "actuatorfrcrange actuatorfrclimited", HN_FATE_LOST, NO_COORDINATE);
}

static void read_softness(const hn_mjcf_item *item, hn_link_joint *j) {
  static const char why[] = "stops are rigid; with the parameter soft=1 its meaning";
  hn_freedom *f = &j->freedom[0];
  if (!f->has_limits) {
    hn_mjcf_mark_list(item, "solreflimit solimplimit", HN_FATE_HARMLESS, "not limited");
    return;
  }
  f->stop = hn_mjcf_softness();
  hn_mjcf_read_softness(item, "solreflimit", "solimplimit", why, &f->stop);
}

static void mark_rest(const hn_mjcf_item *item) {
  hn_mjcf_mark_list(item, "solreffriction solimpfriction margin",
                    HN_FATE_LOST, "solver settings of limits and friction do not apply");
  if (hn_mjcf_is(item, "actuatorgravcomp", "true"))
    hn_mjcf_mark(item, "actuatorgravcomp", HN_FATE_APPROXIMATED,
                 "gravity compensation does not count for the force range of actuators");
  hn_mjcf_mark_list(item, "group user align", HN_FATE_HARMLESS, "for display and other programs");
}

// Joints of one body, one after the other.
typedef struct chain {
  hn_link *link, *from; // the body; what its next joint moves against
  int count, number;
} chain;

static void read_joint(hn_mjcf *r, hn_xml *node, const chain *at, hn_link *child,
                       const hn_pose *frame, const hn_mjcf_class *class) {
  hn_machine *m = r->machine;
  hn_link *link = at->link, *parent = at->from;
  int number = at->number;
  hn_pose pose = hn_pose_multiply(&link->pose, frame);
  int is_plain = strcmp(node->name, "freejoint") == 0;
  hn_mjcf_item item = hn_mjcf_open(r, node, is_plain ? "freejoint" : "joint", class);
  const char *name = hn_mjcf_name(r, node);
  hn_link_joint_kind kind = kind_of(&item);
  hn_link_joint *j =
      name ? hn_machine_add_joint(m, name, kind, node)
           : hn_machine_make_joint(
                 m, hn_machine_text(m, number ? "%s_joint%d" : "%s_joint", link->name, number + 1),
                 kind, node);
  if (!j) return;
  m->joint_count++;
  j->parent = parent;
  j->child = child;
  hn_vec3 pos = hn_mjcf_vector(&item, "pos", vec3_zero());
  if (kind == HN_LINK_FREE) {
    hn_mjcf_mark(&item, "pos", HN_FATE_HARMLESS, "a free joint has no point");
    if (!parent->is_ground)
      hn_machine_fail(m, node, hn_xml_element(m, node), "Move the body to <worldbody>.",
                      "is a free joint outside <worldbody>");
    pos = vec3_zero();
    pose = link->pose;
  }
  j->at = j->at2 = hn_pose_point(&pose, pos);
  double unit = kind == HN_LINK_HINGE || kind == HN_LINK_BALL ? r->angle : 1;
  read_axis(&item, j, pose.r);
  if (!is_plain) {
    read_limits(&item, j, unit);
    read_softness(&item, j);
    read_forces(&item, j, unit);
  }
  if (kind == HN_LINK_BALL || kind == HN_LINK_FREE)
    settle_ball(&item, j);
  else
    read_motor_range(&item, &j->freedom[0]);
  mark_rest(&item);
}

static int is_joint(const hn_xml *node) {
  return strcmp(node->name, "joint") == 0 || strcmp(node->name, "freejoint") == 0;
}

static int count_joints(const hn_xml *node) {
  int count = 0;
  for (const hn_xml *child = node->first; child; child = child->next)
    count += is_joint(child) ? 1 : strcmp(child->name, "frame") == 0 ? count_joints(child) : 0;
  return count;
}

static void add_joint(hn_mjcf *r, hn_xml *node, chain *at, const hn_pose *frame,
                      const hn_mjcf_class *class) {
  hn_machine *m = r->machine;
  hn_link *to = at->link;
  if (at->number + 1 < at->count) {
    const char *name = hn_mjcf_name(r, node);
    to =
        hn_machine_make_link(m,
                             name ? hn_machine_text(m, "%s_%s", at->link->name, name)
                                  : hn_machine_text(m, "%s_part%d", at->link->name, at->number + 1),
                             node);
    if (!to) return;
    to->is_helper = 1;
    to->pose = at->link->pose;
  }
  read_joint(r, node, at, to, frame, class);
  at->number++;
  at->from = to;
}

static void walk(hn_mjcf *r, hn_xml *node, chain *at, const hn_pose *frame,
                 const hn_mjcf_class *class) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    if (is_joint(child)) add_joint(r, child, at, frame, class);
    if (strcmp(child->name, "frame") != 0) continue;
    hn_mjcf_item item = {r, child, NULL, "frame"};
    hn_pose own = hn_mjcf_pose(&item), inner = hn_pose_multiply(frame, &own);
    walk(r, child, at, &inner, hn_mjcf_childclass(r, child, class));
  }
}

void hn_mjcf_joints(hn_mjcf *r, hn_link *link, hn_link *parent, hn_xml *body,
                    const hn_mjcf_class *class) {
  chain at = {link, parent, count_joints(body), 0};
  hn_pose none = hn_pose_none();
  walk(r, body, &at, &none, class);
}
