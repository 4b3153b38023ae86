// Sensors as outputs: formulas of signals.
//
// A vector of the world is seen from a frame by the products with its axes, which follow from the Euler
// parameters of its body. MuJoCo's accelerometers show the acceleration less gravity, its force and
// torque sensors what carries the body with the sensor.
#include <math.h>
#include <string.h>

#include "formats/import/compose.h"

#define ZERO 1e-15 // of factors: below it rounding

typedef struct vector_text {
  const char *c[3];
} vector_text;

typedef struct quaternion_text {
  const char *c[4]; // w x y z
} quaternion_text;

// ---- formulas -----------------------------------------------------------------------------------

// sum + factor text; sum may be null.
static const char *plus(hn_composer *c, const char *sum, double factor, const char *text) {
  hn_machine *m = c->machine;
  if (fabs(factor) < ZERO || strcmp(text, "0") == 0) return sum;
  const double size = fabs(factor);
  const char *term = size == 1 ? text : hn_machine_text(m, "%.15g*%s", size, text);
  if (!sum) return factor < 0 ? hn_machine_text(m, "-%s", term) : term;
  return hn_machine_text(m, "%s %c %s", sum, factor < 0 ? '-' : '+', term);
}

static const char *bracketed(hn_composer *c, const char *sum) {
  return sum ? hn_machine_text(c->machine, "(%s)", sum) : "0";
}

static const char *number_text(hn_composer *c, double x) {
  if (fabs(x) < ZERO) return "0";
  return hn_machine_text(c->machine, x < 0 ? "(%.17g)" : "%.17g", x);
}

static const char *product(hn_composer *c, const char *a, const char *b) {
  if (strcmp(a, "0") == 0 || strcmp(b, "0") == 0) return "0";
  return hn_machine_text(c->machine, "%s*%s", a, b);
}

static vector_text signals(hn_composer *c, const char *stem) {
  vector_text v;
  for (int k = 0; k < 3; k++) v.c[k] = hn_machine_text(c->machine, "%s.%c", stem, "xyz"[k]);
  return v;
}

static vector_text constants(hn_composer *c, hn_vec3 x) {
  return (vector_text){{number_text(c, x.x), number_text(c, x.y), number_text(c, x.z)}};
}

static vector_text difference(hn_composer *c, vector_text a, vector_text b) {
  for (int k = 0; k < 3; k++)
    if (strcmp(b.c[k], "0") != 0)
      a.c[k] = bracketed(c, plus(c, strcmp(a.c[k], "0") == 0 ? NULL : a.c[k], -1, b.c[k]));
  return a;
}

static vector_text cross(hn_composer *c, vector_text a, vector_text b) {
  vector_text v;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const char *sum = plus(c, NULL, 1, product(c, a.c[i], b.c[j]));
    v.c[k] = bracketed(c, plus(c, sum, -1, product(c, a.c[j], b.c[i])));
  }
  return v;
}

static const char *dot(hn_composer *c, vector_text a, vector_text b) {
  const char *sum = NULL;
  for (int k = 0; k < 3; k++) sum = plus(c, sum, 1, product(c, a.c[k], b.c[k]));
  return bracketed(c, sum);
}

// ---- frames -------------------------------------------------------------------------------------

static const hn_link *body_of(const hn_link *link) {
  while (link && link->merged) link = link->merged;
  return link;
}

static int is_world(const hn_link *link) { return !link || body_of(link)->is_ground; }

static hn_pose pose_in_link(const hn_reading_frame *f) {
  return f->marker ? f->marker->pose : hn_pose_none();
}

static const char *body_signal(hn_composer *c, const hn_link *link, const char *what) {
  return hn_machine_text(c->machine, "body.%s.%s", body_of(link)->id, what);
}

// A direction of a body, in its axes, as a vector of the world.
static vector_text turned(hn_composer *c, const hn_link *link, hn_vec3 x) {
  hn_machine *m = c->machine;
  if (is_world(link)) return constants(c, x);
  const char *q = body_signal(c, link, "quaternion");
  vector_text v;
  for (int i = 0; i < 3; i++) {
    const char *sum = NULL;
    for (int j = 0; j < 3; j++) {
      const char a = "xyz"[i], b = "xyz"[j], other = "xyz"[(6 - i - j) % 3];
      const char *entry;
      if (i == j)
        entry = hn_machine_text(m, "(1 - 2*(%s.%c^2 + %s.%c^2))", q, "xyz"[(i + 1) % 3], q,
                                "xyz"[(i + 2) % 3]);
      else
        entry = hn_machine_text(m, "2*(%s.%c*%s.%c %c %s.w*%s.%c)", q, a, q, b,
                                (j - i + 3) % 3 == 1 ? '-' : '+', q, q, other);
      sum = plus(c, sum, vec3_get(x, j), entry);
    }
    v.c[i] = bracketed(c, sum);
  }
  return v;
}

static vector_text axis_of(hn_composer *c, const hn_reading_frame *f, int axis) {
  return turned(c, f->link, mat3_column(pose_in_link(f).r, axis));
}

// A vector of the world as a frame sees it; unchanged from the world itself.
static vector_text seen(hn_composer *c, const hn_reading_frame *f, vector_text v) {
  vector_text out;
  if (!f->link) return v;
  for (int k = 0; k < 3; k++) out.c[k] = dot(c, axis_of(c, f, k), v);
  return out;
}

static vector_text of_marker(hn_composer *c, const hn_reading_frame *f, const char *what) {
  if (is_world(f->link))
    return constants(c, strcmp(what, "position") == 0 ? pose_in_link(f).p : vec3_zero());
  return signals(
      c, hn_machine_text(c->machine, "marker.%s.%s.%s", body_of(f->link)->id, f->marker->id, what));
}

static vector_text of_body(hn_composer *c, const hn_reading_frame *f, const char *what) {
  if (is_world(f->link)) return constants(c, vec3_zero());
  return signals(c, body_signal(c, f->link, what));
}

static quaternion_text quaternion_of(hn_composer *c, const hn_link *link) {
  quaternion_text q = {{"1", "0", "0", "0"}};
  for (int k = 0; k < 4 && !is_world(link); k++)
    q.c[k] = hn_machine_text(c->machine, "%s.%c", body_signal(c, link, "quaternion"), "wxyz"[k]);
  return q;
}

static quaternion_text constant_quaternion(hn_composer *c, hn_quat p) {
  return (quaternion_text){
      {number_text(c, p.w), number_text(c, p.x), number_text(c, p.y), number_text(c, p.z)}};
}

// a b, or the conjugate of a times b.
static quaternion_text multiply(hn_composer *c, quaternion_text a, quaternion_text b,
                                int conjugates) {
  static const int other[4][4] = {{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}};
  static const int sign[4][4] = {{1, -1, -1, -1}, {1, 1, 1, -1}, {1, -1, 1, 1}, {1, 1, -1, 1}};
  quaternion_text q;
  for (int k = 0; k < 4; k++) {
    const char *sum = NULL;
    for (int i = 0; i < 4; i++) { // a_i b_j with i, j so that their units make unit k
      const int j = other[k][i], turn = i > 0 && conjugates ? -1 : 1;
      sum = plus(c, sum, turn * sign[k][i], product(c, a.c[i], b.c[j]));
    }
    q.c[k] = bracketed(c, sum);
  }
  return q;
}

static quaternion_text turn_of_frame(hn_composer *c, const hn_reading_frame *f) {
  const hn_quat own = quat_from_matrix(pose_in_link(f).r);
  if (is_world(f->link)) return constant_quaternion(c, own);
  return multiply(c, quaternion_of(c, f->link), constant_quaternion(c, own), 0);
}

// ---- readings of one number ---------------------------------------------------------------------

static const char *coordinate(hn_composer *c, const hn_link_joint *j, int is_rate) {
  if (j->is_locked) return number_text(c, is_rate ? 0 : j->freedom[0].reference);
  return hn_machine_text(c->machine, "joint.%s.%s%s", j->id, hn_compose_coordinate(j, 0),
                         is_rate ? "_rate" : "");
}

// A path is measured by a tendon without force.
static const char *length_of(hn_composer *c, const hn_tendon *t, int is_rate) {
  const char *sum = NULL;
  for (int k = 0; k < t->term_count; k++)
    sum = plus(c, sum, t->terms[k].factor, coordinate(c, t->terms[k].joint, is_rate));
  if (t->part_count == 0) return bracketed(c, sum);
  if (!hn_tendon_moves(t)) return number_text(c, is_rate ? 0 : t->drawn);
  hn_node *entry = hn_compose_way(c, hn_machine_text(c->machine, "%s_length", t->id), t, t->node);
  hn_compose_text(c, entry, "law", "0*x");
  return hn_machine_text(c->machine, "force.%s.%s", entry ? entry->key : "",
                         is_rate ? "rate" : "deflection");
}

static const char *motor_force(hn_composer *c, const char *sum, const hn_motor *m, double factor) {
  if (!m->force || m->gear[0] == 0) return sum;
  return plus(c, sum, -factor, hn_machine_text(c->machine, "force.%s.value", m->force));
}

// Null: the model does not have it.
static const char *scalar_of(hn_composer *c, const hn_reading *r) {
  const char *sum = NULL;
  if (r->kind == HN_READ_SIGNAL) return r->signal;
  if (r->kind == HN_READ_COORDINATE)
    return r->joint->is_locked ? NULL : coordinate(c, r->joint, r->is_rate);
  if (r->kind == HN_READ_LENGTH) return length_of(c, r->tendon, r->is_rate);
  if (r->kind == HN_READ_MOTOR_LENGTH)
    return plus(c, NULL, r->motor->gear[0],
                r->motor->tendon ? length_of(c, r->motor->tendon, r->is_rate)
                                 : coordinate(c, r->motor->joint, r->is_rate));
  if (r->kind == HN_READ_MOTOR_FORCE) return motor_force(c, NULL, r->motor, 1 / r->motor->gear[0]);
  for (const hn_motor *m = c->machine->motors; m; m = m->next)
    if (m->kind == HN_MOTOR_JOINT && m->joint == r->joint) sum = motor_force(c, sum, m, 1);
  return sum;
}

// ---- readings of vectors ------------------------------------------------------------------------

static vector_text position_of(hn_composer *c, const hn_reading *r) {
  vector_text at = of_marker(c, &r->at, "position");
  if (!r->from.link) return at;
  return seen(c, &r->from, difference(c, at, of_marker(c, &r->from, "position")));
}

static vector_text velocity_of(hn_composer *c, const hn_reading *r) {
  vector_text v = of_marker(c, &r->at, "velocity");
  if (r->from.link && r->from.marker != r->at.marker) {
    const vector_text way =
        difference(c, of_marker(c, &r->at, "position"), of_marker(c, &r->from, "position"));
    v = difference(c, v, of_marker(c, &r->from, "velocity"));
    if (!is_world(r->from.link))
      v = difference(c, v, cross(c, of_body(c, &r->from, "angular_velocity"), way));
  }
  return seen(c, &r->from, v);
}

static vector_text spin_of(hn_composer *c, const hn_reading *r) {
  vector_text w = of_body(c, &r->at, "angular_velocity");
  if (r->from.link && r->from.marker != r->at.marker)
    w = difference(c, w, of_body(c, &r->from, "angular_velocity"));
  return seen(c, &r->from, w);
}

static vector_text acceleration_of(hn_composer *c, const hn_reading *r) {
  const vector_text a = of_marker(c, &r->at, "acceleration");
  return seen(c, &r->from, difference(c, a, constants(c, c->machine->gravity)));
}

// Force or torque along the axis of the joint, next to the reaction: motors, spring, damper, rotor.
static const char *along_axis(hn_composer *c, const hn_link_joint *j) {
  const hn_freedom *f = &j->freedom[0];
  const char *sum = NULL, *passive = NULL, *x = coordinate(c, j, 0), *v = coordinate(c, j, 1);
  if (f->stiffness != 0) {
    passive = plus(c, passive, -f->stiffness, x);
    passive = plus(c, passive, f->stiffness * f->rest, "1");
  }
  passive = plus(c, passive, -f->damping, v);
  passive = plus(
      c, passive, -f->armature,
      hn_machine_text(c->machine, "joint.%s.%s_acceleration", j->id, hn_compose_coordinate(j, 0)));
  if (passive) sum = product(c, "passive", bracketed(c, passive));
  for (const hn_motor *m = c->machine->motors; m; m = m->next)
    if (m->kind == HN_MOTOR_JOINT && m->joint == j) sum = motor_force(c, sum, m, 1);
  return bracketed(c, sum);
}

// The point of the reaction, on the link: of fixed joints its center of mass.
static hn_vec3 reaction_point(const hn_link *link) {
  const hn_link_joint *j = link->joint;
  const hn_pose back = hn_pose_inverse(&link->pose);
  return j->kind == HN_LINK_FIXED && !j->frames ? link->center : hn_pose_point(&back, j->at);
}

static vector_text add_along(hn_composer *c, const hn_link *link, vector_text v) {
  const hn_vec3 axis = mat3_apply_transposed(link->pose.r, link->joint->axis);
  const vector_text along = turned(c, link, axis);
  const char *size = along_axis(c, link->joint);
  for (int k = 0; k < 3; k++)
    v.c[k] = bracketed(c, plus(c, v.c[k], 1, product(c, size, along.c[k])));
  return v;
}

// Force, or torque about the frame, that carries the link of the frame.
static vector_text sensed_load(hn_composer *c, const hn_reading *r) {
  const hn_link *link = r->at.link;
  const hn_link_joint *j = link->joint;
  const char *reaction = hn_machine_text(c->machine, "joint.%s.reaction", j->id);
  vector_text force = signals(c, hn_machine_text(c->machine, "%s.force", reaction));
  if (j->kind == HN_LINK_SLIDE) force = add_along(c, link, force);
  if (r->kind == HN_READ_FORCE) return seen(c, &r->from, force);
  const hn_vec3 arm = vec3_sub(pose_in_link(&r->at).p, reaction_point(link));
  vector_text torque = signals(c, hn_machine_text(c->machine, "%s.torque", reaction));
  if (j->kind == HN_LINK_HINGE) torque = add_along(c, link, torque);
  torque = difference(c, torque, cross(c, turned(c, link, arm), force));
  return seen(c, &r->from, torque);
}

static int hangs_on(const hn_link *link, const hn_link *root) {
  for (int depth = 0; link && depth < 10000; depth++) {
    if (link == root) return 1;
    link = link->joint ? link->joint->parent : NULL;
  }
  return 0;
}

static vector_text tree_of(hn_composer *c, const hn_reading *r) {
  const hn_link *root = body_of(r->at.link);
  const char *what = r->kind == HN_READ_TREE_CENTER ? "position" : "velocity";
  double mass = 0;
  vector_text sum = {{NULL, NULL, NULL}};
  for (int pass = 0; pass < 2; pass++)
    for (const hn_link *link = c->machine->links; link; link = link->next) {
      if (link->merged || !(link->mass > 0) || (!root->is_ground && !hangs_on(link, root)))
        continue;
      if (pass == 0) mass += link->mass;
      const vector_text x = signals(c, body_signal(c, link, what));
      for (int k = 0; pass == 1 && k < 3; k++)
        sum.c[k] = plus(c, sum.c[k], link->mass / mass, x.c[k]);
    }
  for (int k = 0; k < 3; k++) sum.c[k] = bracketed(c, sum.c[k]);
  return sum;
}

static vector_text ball_spin(hn_composer *c, const hn_link_joint *j) {
  const hn_reading_frame child = {j->child, NULL}, parent = {body_of(j->parent), NULL};
  const vector_text w = of_body(c, &child, "angular_velocity");
  return seen(c, &child, difference(c, w, of_body(c, &parent, "angular_velocity")));
}

static vector_text vector_of(hn_composer *c, const hn_reading *r) {
  if (r->kind == HN_READ_POSITION) return position_of(c, r);
  if (r->kind == HN_READ_AXIS) return seen(c, &r->from, axis_of(c, &r->at, r->axis));
  if (r->kind == HN_READ_VELOCITY) return velocity_of(c, r);
  if (r->kind == HN_READ_SPIN) return spin_of(c, r);
  if (r->kind == HN_READ_ACCELERATION) return acceleration_of(c, r);
  if (r->kind == HN_READ_SPIN_RATE)
    return seen(c, &r->from, of_body(c, &r->at, "angular_acceleration"));
  if (r->kind == HN_READ_FIELD) return seen(c, &r->from, constants(c, r->field));
  if (r->kind == HN_READ_BALL_SPIN) return ball_spin(c, r->joint);
  if (r->kind == HN_READ_TREE_CENTER || r->kind == HN_READ_TREE_VELOCITY) return tree_of(c, r);
  return sensed_load(c, r);
}

// ---- readings of orientations -------------------------------------------------------------------

// The turn of the second body against the first since the reference configuration, in its axes.
static quaternion_text ball_turn(hn_composer *c, const hn_link_joint *j) {
  const hn_link *parent = body_of(j->parent);
  const hn_mat3 drawn = mat3_multiply(mat3_transpose(parent->pose.r), j->child->pose.r);
  quaternion_text relative =
      multiply(c, quaternion_of(c, parent), quaternion_of(c, j->child), !is_world(parent));
  return multiply(c, constant_quaternion(c, quat_from_matrix(drawn)), relative, 1);
}

static quaternion_text orientation_of(hn_composer *c, const hn_reading *r) {
  if (r->kind == HN_READ_BALL_TURN) return ball_turn(c, r->joint);
  const quaternion_text own = turn_of_frame(c, &r->at);
  if (!r->from.link) return own;
  return multiply(c, turn_of_frame(c, &r->from), own, 1);
}

// ---- outputs ------------------------------------------------------------------------------------

static void add_output(hn_composer *c, hn_name_table *names, const hn_reading *r,
                       const char *ending, const char *text) {
  hn_machine *m = c->machine;
  const char *id = hn_table_legal(m, names, hn_machine_text(m, "%s%s", r->name, ending), "sensor");
  if (r->cutoff > 0)
    text = hn_machine_text(m, "max(-%.17g, min(%.17g, %s))", r->cutoff, r->cutoff, text);
  hn_compose_text(c, c->outputs, id, text);
}

// Why a reading cannot be an output, or null.
static const char *refusal(const hn_reading *r) {
  if (r->kind != HN_READ_FORCE && r->kind != HN_READ_TORQUE) return NULL;
  if (is_world(r->at.link)) return "nothing carries the world";
  if (r->at.link->merged) return "its body is massless, and part of the one that carries it";
  if (!r->at.link->joint || r->at.link->joint->kind == HN_LINK_FREE) return "its body is free";
  return NULL;
}

static int is_term(const hn_machine_term *terms, int count, const hn_link_joint *j) {
  for (int k = 0; k < count; k++)
    if (terms[k].joint == j) return 1;
  return 0;
}

static int is_coupled(const hn_machine *m, const hn_link_joint *j) {
  for (const hn_coupling *k = m->couplings; k; k = k->next)
    if (is_term(k->terms, k->term_count, j)) return 1;
  for (const hn_tendon *t = m->tendons; t; t = t->next)
    if (is_term(t->terms, t->term_count, j)) return 1;
  return 0;
}

static void note_losses(const hn_machine *m, const hn_reading *r) {
  if (r->kind != HN_READ_FORCE && r->kind != HN_READ_TORQUE) return;
  const hn_link_joint *j = r->at.link->joint;
  const hn_freedom *f = &j->freedom[0];
  const int is_along = j->kind == (r->kind == HN_READ_TORQUE ? HN_LINK_HINGE : HN_LINK_SLIDE);
  if (is_along && (f->has_limits || f->friction > 0 || is_coupled(m, j)))
    hn_xml_mark(r->node, HN_FATE_APPROXIMATED,
                "along the axis without stops, dry friction, couplings and tendons");
  if (r->kind == HN_READ_TORQUE && j->kind == HN_LINK_BALL &&
      (f->stiffness != 0 || f->damping != 0))
    hn_xml_mark(r->node, HN_FATE_APPROXIMATED, "without the spring and damper of the ball joint");
}

static void add_vector(hn_composer *c, hn_name_table *names, const hn_reading *r) {
  const vector_text v = vector_of(c, r);
  for (int k = 0; k < 3; k++) add_output(c, names, r, k == 0 ? "_x" : k == 1 ? "_y" : "_z", v.c[k]);
}

static void add_quaternion(hn_composer *c, hn_name_table *names, const hn_reading *r) {
  static const char *const endings[] = {"_w", "_x", "_y", "_z"};
  const quaternion_text q = orientation_of(c, r);
  for (int k = 0; k < 4; k++) add_output(c, names, r, endings[k], q.c[k]);
}

void hn_compose_sensors(hn_composer *c) {
  hn_name_table *names = hn_table_create(c->machine);
  for (const hn_reading *r = c->machine->readings; r && hn_machine_ok(c->machine); r = r->next) {
    const char *why = refusal(r), *text = "";
    c->place = hn_xml_source(r->node);
    if (r->kind <= HN_READ_JOINT_MOTORS && !why) {
      text = scalar_of(c, r);
      if (!text) why = "its joint is locked, or its actuators are off";
      if (text) add_output(c, names, r, "", text);
    } else if (!why && (r->kind == HN_READ_QUATERNION || r->kind == HN_READ_BALL_TURN)) {
      add_quaternion(c, names, r);
    } else if (!why) {
      note_losses(c->machine, r);
      add_vector(c, names, r);
    }
    if (why) hn_xml_lose(r->node, why);
  }
}
