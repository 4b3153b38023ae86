// A keyframe of MJCF as the start of the model: coordinates of hinges and slides, and for balls and
// free bodies the pose and velocity of the body, which follow from all joints before it.
#include <string.h>

#include "formats/import/mjcf.h"

#define OTHERS "not imported: use another keyframe or an overlay"

// Pose and velocity of a link in the keyframe; joints follow those that carry them.
typedef struct stance {
  hn_pose pose;
  hn_vec3 spin, velocity; // of its frame's origin
} stance;

typedef struct reading {
  hn_machine *machine;
  const double *q, *v;
  int nq, nv, at_q, at_v; // numbers there are, and taken
} reading;

static int width(const hn_link_joint *j, int is_rate) {
  if (j->kind == HN_LINK_FREE) return is_rate ? 6 : 7;
  if (j->kind == HN_LINK_BALL) return is_rate ? 3 : 4;
  return j->kind == HN_LINK_HINGE || j->kind == HN_LINK_SLIDE;
}

static int counts(const hn_link_joint *j) { return !j->is_loop && width(j, 1) > 0; }

static stance stance_of(const hn_link *link) {
  if (link->is_ground || !link->start) return (stance){.pose = link->pose};
  return (stance){link->start->pose, link->start->spin, link->start->velocity};
}

// How the link would stand if its joint did not move.
static stance carried(const hn_link *link, const hn_link_joint *j) {
  stance parent = stance_of(j->parent), own = parent;
  hn_pose inverse = hn_pose_inverse(&j->parent->pose);
  hn_pose relative = hn_pose_multiply(&inverse, &link->pose);
  own.pose = hn_pose_multiply(&parent.pose, &relative);
  own.velocity =
      vec3_add(parent.velocity, vec3_cross(parent.spin, vec3_sub(own.pose.p, parent.pose.p)));
  return own;
}

// Turns the link about a point that is carried along.
static void turn(stance *s, hn_vec3 at, hn_mat3 by) {
  s->pose.r = mat3_multiply(by, s->pose.r);
  s->pose.p = vec3_add(at, mat3_apply(by, vec3_sub(s->pose.p, at)));
}

static void spin_up(stance *s, const stance *parent, hn_vec3 at, hn_vec3 spin) {
  hn_vec3 arm = vec3_sub(at, parent->pose.p);
  hn_vec3 v = vec3_add(parent->velocity, vec3_cross(parent->spin, arm));
  s->spin = vec3_add(parent->spin, spin);
  s->velocity = vec3_add(v, vec3_cross(s->spin, vec3_sub(s->pose.p, at)));
}

static void move_one(stance *s, hn_link_joint *j, const double *q, const double *v) {
  stance parent = stance_of(j->parent);
  hn_mat3 r = mat3_multiply(parent.pose.r, mat3_transpose(j->parent->pose.r));
  hn_vec3 axis = mat3_apply(r, j->axis), arm = mat3_apply(r, vec3_sub(j->at, j->parent->pose.p));
  hn_vec3 at = vec3_add(parent.pose.p, arm);
  hn_freedom *freedom = &j->freedom[0];
  double moved = q ? q[0] - freedom->reference : 0, rate = v ? v[0] : 0;
  if (q) freedom->has_initial = 1, freedom->initial = q[0];
  if (v) freedom->has_initial_rate = 1, freedom->initial_rate = v[0];
  if (j->kind == HN_LINK_SLIDE) {
    s->pose.p = vec3_add_scaled(s->pose.p, moved, axis);
    s->velocity =
        vec3_add(parent.velocity, vec3_cross(parent.spin, vec3_sub(s->pose.p, parent.pose.p)));
    s->velocity = vec3_add_scaled(s->velocity, rate, axis);
    return;
  }
  turn(s, at, quat_matrix(quat_from_axis_angle(axis, moved)));
  spin_up(s, &parent, at, vec3_scale(rate, axis));
}

static void move_ball(stance *s, const hn_link_joint *j, const double *q, const double *v) {
  stance parent = stance_of(j->parent);
  hn_mat3 r = mat3_multiply(parent.pose.r, mat3_transpose(j->parent->pose.r));
  hn_vec3 at = vec3_add(parent.pose.p, mat3_apply(r, vec3_sub(j->at, j->parent->pose.p)));
  if (q) {
    hn_mat3 own = quat_matrix(quat_unit(quat_load(q))), by;
    by = mat3_multiply(mat3_multiply(s->pose.r, own), mat3_transpose(s->pose.r));
    turn(s, at, by);
  }
  spin_up(s, &parent, at, v ? mat3_apply(s->pose.r, vec3_load(v)) : vec3_zero());
}

static void move_free(stance *s, const double *q, const double *v) {
  if (q) s->pose = (hn_pose){quat_matrix(quat_unit(quat_load(q + 3))), vec3_load(q)};
  if (!v) return;
  s->velocity = vec3_load(v);
  s->spin = mat3_apply(s->pose.r, vec3_load(v + 3));
}

static void place(reading *r, hn_link_joint *j) {
  hn_link *link = j->child;
  const double *q = r->nq && counts(j) ? r->q + r->at_q : NULL;
  const double *v = r->nv && counts(j) ? r->v + r->at_v : NULL;
  hn_link_start *start = HN_MACHINE_TAKE(r->machine, hn_link_start, 1);
  if (!start) return;
  stance s = carried(link, j);
  if (counts(j)) {
    if (j->kind == HN_LINK_FREE)
      move_free(&s, q, v);
    else if (j->kind == HN_LINK_BALL)
      move_ball(&s, j, q, v);
    else
      move_one(&s, j, q, v);
    r->at_q += width(j, 0);
    r->at_v += width(j, 1);
  }
  *start = (hn_link_start){.pose = s.pose, .velocity = s.velocity, .spin = s.spin};
  start->is_given = (j->kind == HN_LINK_FREE || j->kind == HN_LINK_BALL);
  link->start = start;
}

// ---- the file -----------------------------------------------------------------------------------

// Numbers of an attribute, as many as all joints have; null: none, or a failure.
static const double *numbers_of(hn_machine *m, hn_xml *key, const char *name, int want) {
  const char *text = hn_xml_get(key, name);
  if (!text) return NULL;
  double *all = HN_MACHINE_TAKE(m, double, want + 1);
  if (!all || !hn_numbers_of(m, key, name, text, want, all)) return NULL;
  return all;
}

// Controls, in the order of the actuators in the file: inputs start there, and all motors are on.
static void read_controls(hn_machine *m, hn_xml *key) {
  int count = 0;
  for (hn_xml *all = hn_xml_child(m->root, "actuator"); all; all = hn_xml_next(all, "actuator"))
    for (const hn_xml *a = all->first; a; a = a->next) count++;
  const double *controls = numbers_of(m, key, "ctrl", count);
  if (!controls) return;
  m->has_start_inputs = 1;
  for (hn_xml *all = hn_xml_child(m->root, "actuator"); all; all = hn_xml_next(all, "actuator"))
    for (const hn_xml *a = all->first; a; a = a->next, controls++)
      for (hn_motor *motor = m->motors; motor; motor = motor->next)
        if (motor->node == a) motor->start = *controls;
}

static void read_key(hn_machine *m, hn_xml *key) {
  int nq = 0, nv = 0;
  for (const hn_link_joint *j = m->joints; j; j = j->next)
    if (counts(j)) {
      nq += width(j, 0);
      nv += width(j, 1);
    }
  reading r = {.machine = m};
  hn_xml_use(key);
  hn_xml_get(key, "name");
  r.q = numbers_of(m, key, "qpos", nq);
  r.v = numbers_of(m, key, "qvel", nv);
  r.nq = r.q ? nq : 0;
  r.nv = r.v ? nv : 0;
  if (!hn_machine_ok(m)) return;
  for (hn_link_joint *j = m->joints; j && hn_machine_ok(m); j = j->next)
    if (!j->is_loop) place(&r, j);
  hn_xml_mark_attribute(key, "time", HN_FATE_HARMLESS, "runs start at t = 0");
  read_controls(m, key);
  hn_xml_mark_all(key, HN_FATE_LOST, "actuator states and mocap poses are not imported");
}

static void mark_others(hn_machine *m) {
  for (hn_xml *all = hn_xml_child(m->root, "keyframe"); all; all = hn_xml_next(all, "keyframe")) {
    hn_xml_use(all); // holds what is lost
    for (hn_xml *key = all->first; key; key = key->next)
      if (key->fate == HN_FATE_NONE) hn_xml_mark_all(key, HN_FATE_LOST, OTHERS);
  }
}

// Files often start their robot folded or in the floor, and have a keyframe for a better start.
static const char *first_pose(const hn_machine *m) {
  for (hn_xml *all = hn_xml_child(m->root, "keyframe"); all; all = hn_xml_next(all, "keyframe"))
    for (const hn_xml *key = hn_xml_child(all, "key"); key; key = hn_xml_next(key, "key")) {
      const char *name = hn_xml_peek(key, "name");
      if (name && *name && hn_xml_peek(key, "qpos")) return name;
    }
  return NULL;
}

void hn_mjcf_keyframe(hn_machine *m) {
  const char *wanted = m->options->keyframe, *known = NULL;
  for (hn_xml *all = hn_xml_child(m->root, "keyframe"); all && wanted;
       all = hn_xml_next(all, "keyframe"))
    for (hn_xml *key = hn_xml_child(all, "key"); key; key = hn_xml_next(key, "key")) {
      const char *name = hn_xml_peek(key, "name");
      known = name && !known ? name : known;
      if (!name || strcmp(name, wanted) != 0) continue;
      read_key(m, key);
      mark_others(m);
      return;
    }
  if (wanted)
    hn_machine_fail(m, m->root, "keyframe",
                    known
                        ? hn_machine_text(m, "Use an existing keyframe; the first is '%s'.", known)
                        : "Remove @keyframe: the file has no keyframes.",
                    "there is no keyframe '%s'", wanted);
  m->unused_keyframe = first_pose(m);
  mark_others(m);
}
