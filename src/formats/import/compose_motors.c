// Tendons and actuators.
//
// A sum of joint coordinates with a force on it is a pulley: a wheel without mass or inertia on the
// ground, coupled to the sum, so that a torque on the wheel acts on every coordinate by its factor.
#include <stdio.h>
#include <string.h>

#include "formats/import/compose.h"

enum { TERMS = 3 }; // of a coupler beside the wheel

// ---- pulleys ------------------------------------------------------------------------------------

// Its angle is the sum from the start on, however many turns that is.
static hn_node *add_wheel(hn_composer *c, const char *id) {
  hn_node *body = hn_compose_map(c, c->bodies, id);
  hn_compose_number(c, body, "mass", 0);
  // about its axle it has none; across it cannot turn
  const double held[3] = {0.001, 0.001, 0};
  hn_compose_numbers(c, body, "inertia", held, 3);
  hn_node *joint = hn_compose_map(c, c->joints, id);
  hn_compose_text(c, joint, "type", "revolute");
  hn_node *bodies = hn_compose_list(c, joint, "bodies");
  hn_compose_text(c, bodies, NULL, "ground");
  hn_compose_text(c, bodies, NULL, id);
  hn_compose_vector(c, joint, "at", vec3_zero());
  hn_compose_text(c, joint, "axis", "z");
  return joint;
}

static void add_term(hn_composer *c, hn_node *terms, const char *joint, double factor) {
  hn_node *term = hn_compose_map(c, terms, NULL);
  hn_compose_text(c, term, "joint", joint);
  hn_compose_number(c, term, "coefficient", factor);
}

// The joint whose angle is the sum of coordinates. More terms than a coupler has are summed up by wheels
// one after the other.
static const char *add_pulley(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  const char *last = NULL;
  double drawn = 0;
  for (int next = 0; next < t->term_count;) {
    int room = last ? TERMS - 1 : TERMS;
    const char *name = hn_machine_text(m, "%s_pulley", t->id);
    const char *id = hn_table_legal(m, m->joint_ids, name, "pulley");
    hn_table_add(m, m->link_ids, id, m);
    c->place = hn_xml_source(t->node);
    hn_node *axle = add_wheel(c, id);
    const char *coupler =
        hn_table_legal(m, m->joint_ids, hn_machine_text(m, "%s_sum", t->id), "sum");
    hn_node *entry = hn_compose_entry(c, c->joints, coupler, t->node);
    hn_compose_text(c, entry, "type", "coupler");
    hn_node *terms = hn_compose_list(c, entry, "terms");
    add_term(c, terms, id, 1);
    if (last) add_term(c, terms, last, -1);
    for (; next < t->term_count && room > 0; next++, room--) {
      const hn_machine_term *term = &t->terms[next];
      add_term(c, terms, term->joint->id, -term->factor);
      drawn += term->factor * term->joint->freedom[term->freedom].reference;
    }
    if (drawn != 0) hn_compose_number(c, hn_compose_map(c, axle, "offset"), "angle", drawn);
    hn_compose_number(c, entry, "constant", 0);
    if (next == t->term_count && t->armature > 0) {
      c->has_passive = 1;
      hn_compose_text(c, hn_compose_map(c, axle, "armature"), "angle",
                      hn_machine_text(m, "%.17g*passive", t->armature));
    }
    last = id;
  }
  return last;
}

// ---- springs ------------------------------------------------------------------------------------

static hn_node *piece(hn_composer *c, hn_node *pieces, double c0, double c1) {
  hn_node *entry = hn_compose_map(c, pieces, NULL);
  const double numbers[2] = {c0, c1};
  hn_compose_numbers(c, entry, "polynomial", numbers, 2);
  return entry;
}

// Pulls beyond `upper`, pushes below `lower`, nothing in between.
static void add_spring(hn_composer *c, hn_node *entry, const hn_tendon *t, const char *rest) {
  if (t->stiffness != 0 && t->lower == t->upper) {
    hn_compose_number(c, entry, "stiffness", t->stiffness);
    hn_compose_number(c, entry, rest, t->lower);
  } else if (t->stiffness != 0) {
    hn_node *law = hn_compose_map(c, entry, "force"),
            *pieces = hn_compose_list(c, law, "piecewise");
    hn_compose_number(c, piece(c, pieces, -t->stiffness * t->lower, t->stiffness), "below",
                      t->lower);
    hn_compose_number(c, piece(c, pieces, 0, 0), "below", t->upper);
    piece(c, pieces, -t->stiffness * t->upper, t->stiffness);
  }
  if (t->damping != 0) hn_compose_number(c, entry, "damping", t->damping);
  hn_compose_text(c, entry, "if", "passive");
  c->has_passive = 1;
}

static const char *id_of(const hn_link *link) { return link->is_ground ? "ground" : link->id; }

static hn_node *add_points(hn_composer *c, hn_node *entry, const hn_tendon *t) {
  hn_node *bodies = hn_compose_list(c, entry, "bodies"),
          *points = hn_compose_list(c, entry, "points");
  for (int k = 0; k < 2; k++) {
    hn_compose_text(c, bodies, NULL, id_of(t->links[k]));
    hn_compose_vector(c, points, NULL, t->points[k]);
  }
  return entry;
}

static hn_node *add_between(hn_composer *c, const char *id, const hn_tendon *t,
                            const hn_xml *node) {
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, id, ""), node);
  hn_compose_text(c, entry, "type", "spring-damper");
  return add_points(c, entry, t);
}

static void add_rod(hn_composer *c, const hn_tendon *t) {
  hn_machine *m = c->machine;
  const char *id = hn_table_legal(m, m->joint_ids, t->id, "rod");
  hn_node *entry = hn_compose_entry(c, c->joints, id, t->holder);
  hn_compose_text(c, entry, "type", "distance");
  hn_compose_number(c, add_points(c, entry, t), "length", t->held);
}

static hn_node *on_joint(hn_composer *c, const char *id, const char *joint, const hn_xml *node) {
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, id, ""), node);
  hn_compose_text(c, entry, "type", "joint-spring-damper");
  hn_compose_text(c, entry, "joint", joint);
  return entry;
}

void hn_compose_tendons(hn_composer *c) {
  for (hn_tendon *t = c->machine->tendons; t; t = t->next) {
    int has_spring = t->stiffness != 0 || t->damping != 0;
    if (t->held > 0) add_rod(c, t);
    if (t->is_lost || (!has_spring && !t->is_acted_on && t->armature == 0)) continue;
    if (t->point_count > 2) {
      if (hn_tendon_pieces(t) == 0) continue;
      hn_compose_gauges(c, t);
      if (has_spring) hn_compose_way_spring(c, t);
      continue;
    }
    if (t->point_count > 0) {
      if (has_spring && t->links[0] != t->links[1])
        add_spring(c, add_between(c, t->id, t, t->node), t, "free_length");
      continue;
    }
    t->pulley = t->term_count > 0 ? add_pulley(c, t) : NULL;
    if (t->pulley && has_spring) add_spring(c, on_joint(c, t->id, t->pulley, t->node), t, "free");
  }
}

// ---- actuators ----------------------------------------------------------------------------------

// One that no input moves is a spring, a damper or a constant force.
static int is_moved(const hn_motor *m) {
  return m->gain[0] != 0 || m->gain[1] != 0 || m->gain[2] != 0;
}

static int is_beyond_zero(int has_range, double lower, double upper) {
  return has_range && (lower > 0 || upper < 0);
}

// Whether it has an input and pushes while that is 0. One without an input is part of the machine.
static int has_own_law(const hn_motor *m) {
  if (!is_moved(m)) return 0;
  return m->bias[0] != 0 || m->bias[1] != 0 || m->bias[2] != 0 ||
         is_beyond_zero(m->has_range, m->lower, m->upper) ||
         is_beyond_zero(m->has_force_range, m->least, m->most);
}

// A law that is off until somebody switches it on, where it needs no input to push.
static const char *switched(hn_composer *c, const hn_motor *m, double factor, const char *law) {
  if (!has_own_law(m)) return hn_machine_text(c->machine, "%.17g*(%s)", factor, law);
  c->has_servos = 1;
  return hn_machine_text(c->machine, "%.17g*servos*(%s)", factor, law);
}

static void add_input(hn_composer *c, hn_motor *motor) {
  if (!is_moved(motor)) return;
  motor->input = hn_table_legal(c->machine, c->input_ids, motor->id, "input");
  if (strcmp(motor->input, motor->name) != 0)
    hn_xml_mark_attribute(motor->node, "name", HN_FATE_APPROXIMATED,
                          hn_machine_text(c->machine, "the input is called %s", motor->input));
  c->place = hn_xml_source(motor->node);
  hn_node *value = hn_compose_number(c, c->inputs, motor->input, 0);
  if (value) value->comment = hn_machine_text(c->machine, "line %d", motor->node->line);
}

static const char *limited_input(hn_composer *c, const hn_motor *m) {
  if (!m->has_range) return m->input;
  return hn_machine_text(c->machine, "max(%.17g, min(%.17g, %s))", m->lower, m->upper, m->input);
}

// What drives an actuator: its input, or a state that follows it.
static const char *input_of(hn_composer *c, const hn_motor *m) {
  if (m->dynamics == HN_MOTOR_DIRECT) return limited_input(c, m);
  return hn_machine_text(c->machine, "state.%s", m->input);
}

static void add_state(hn_composer *c, const hn_motor *m) {
  if (m->dynamics == HN_MOTOR_DIRECT || !m->input) return; // nobody would read it
  const char *input = limited_input(c, m);
  hn_node *state = hn_compose_entry(c, c->states, m->input, m->node);
  hn_compose_text(c, state, "rate",
                  m->dynamics == HN_MOTOR_INTEGRATOR
                      ? input
                      : hn_machine_text(c->machine, "(%s - state.%s)/%.17g", input, m->input,
                                        m->time_constant));
}

// gain u + bias as a formula of the length x and its rate v; gear is that of the length.
static const char *law_of(hn_composer *c, const hn_motor *m, double gear) {
  hn_machine *a = c->machine;
  const char *x = m->tendon && m->tendon->length ? m->tendon->length : "x", *text = "0";
  const char *v = m->tendon && m->tendon->rate ? m->tendon->rate : "v";
  if (m->gain[1] != 0 || m->gain[2] != 0)
    text = hn_machine_text(a, "(%.17g + %.17g*%s + %.17g*%s)*%s", m->gain[0], gear * m->gain[1], x,
                           gear * m->gain[2], v, input_of(c, m));
  else if (is_moved(m) && m->gain[0] != 1)
    text = hn_machine_text(a, "%.17g*%s", m->gain[0], input_of(c, m));
  else if (is_moved(m))
    text = input_of(c, m);
  if (m->bias[0] != 0) text = hn_machine_text(a, "%s + %.17g", text, m->bias[0]);
  if (gear * m->bias[1] != 0)
    text = hn_machine_text(a, "%s + %.17g*%s", text, gear * m->bias[1], x);
  if (gear * m->bias[2] != 0)
    text = hn_machine_text(a, "%s + %.17g*%s", text, gear * m->bias[2], v);
  if (m->has_force_range)
    return hn_machine_text(a, "max(%.17g, min(%.17g, %s))", m->least, m->most, text);
  return text;
}

// The law of a tension: it pulls where the actuator would push.
static const char *tension_of(hn_composer *c, const hn_motor *m) {
  return switched(c, m, -m->gear[0], law_of(c, m, m->gear[0]));
}

static void add_law(hn_composer *c, hn_node *entry, const hn_motor *m) {
  hn_compose_text(c, entry, "law", tension_of(c, m));
}

static void add_on_joint(hn_composer *c, const hn_motor *m, const char *joint) {
  add_law(c, on_joint(c, m->id, joint, m->node), m);
}

// Between the two points of a straight tendon, or on all pieces of a longer one.
static void add_on_way(hn_composer *c, const hn_motor *m) {
  if (m->tendon->point_count > 2)
    hn_compose_tension(c, m->tendon, m->id, m->node, tension_of(c, m), NULL);
  else
    add_law(c, add_between(c, m->id, m->tendon, m->node), m);
}

static void add_parts(hn_composer *c, hn_node *entry, const char *key, const hn_motor *m,
                      hn_vec3 v) {
  hn_node *list = hn_compose_list(c, entry, key);
  for (int k = 0; k < 3; k++) {
    const char *law = law_of(c, m, 0); // without the length, which it has none of
    hn_compose_text(c, list, NULL, switched(c, m, vec3_get(v, k), law));
  }
  if (!m->is_global) hn_compose_text(c, entry, "following", "true");
}

// Force and torque along the axes of a site.
static void add_on_point(hn_composer *c, const hn_motor *m) {
  hn_vec3 force = mat3_apply(m->pose.r, vec3_load(m->gear));
  hn_vec3 torque = mat3_apply(m->pose.r, vec3_load(m->gear + 3));
  if (vec3_norm(force) > 0) {
    hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, m->id, ""), m->node);
    hn_compose_text(c, entry, "type", "point-force");
    hn_compose_text(c, entry, "body", m->link->id);
    hn_compose_vector(c, entry, "at", hn_pose_point(&m->link->pose, m->pose.p));
    add_parts(c, entry, "force", m, force);
  }
  if (vec3_norm(torque) > 0) {
    hn_node *entry =
        hn_compose_entry(c, c->forces, hn_compose_force_id(c, m->id, "_torque"), m->node);
    hn_compose_text(c, entry, "type", "torque");
    hn_compose_text(c, entry, "body", m->link->id);
    add_parts(c, entry, "torque", m, torque);
  }
}

// Words that formulas know already.
void hn_compose_reserve(hn_composer *c) {
  static const char *const words[] = {"servos",
                                      "passive",
                                      "friction",
                                      "friction_speed",
                                      "limits",
                                      "limit_stiffness",
                                      "limit_damping",
                                      "contact",
                                      "self_contact",
                                      "contact_friction",
                                      "x",
                                      "v",
                                      "t",
                                      "pi",
                                      "e",
                                      "sin",
                                      "cos",
                                      "tan",
                                      "asin",
                                      "acos",
                                      "atan",
                                      "atan2",
                                      "sinh",
                                      "cosh",
                                      "tanh",
                                      "exp",
                                      "log",
                                      "sqrt",
                                      "abs",
                                      "sign",
                                      "floor",
                                      "ceil",
                                      "min",
                                      "max",
                                      "hypot",
                                      "mod",
                                      "step",
                                      "if",
                                      "else",
                                      "and",
                                      "or",
                                      "not"};
  c->input_ids = hn_table_create(c->machine);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    hn_table_add(c->machine, c->input_ids, words[k], c->machine);
  for (int k = 0; hn_list_units(k); k++)
    hn_table_add(c->machine, c->input_ids, hn_list_units(k), c->machine);
}

void hn_compose_motors(hn_composer *c) {
  for (hn_motor *m = c->machine->motors; m; m = m->next) {
    const char *joint = m->kind == HN_MOTOR_JOINT ? m->joint->id
                        : m->tendon               ? m->tendon->pulley
                                                  : NULL;
    int is_way = m->kind == HN_MOTOR_TENDON && hn_tendon_pieces(m->tendon) > 0;
    if (m->kind == HN_MOTOR_POINT ? m->link->is_ground : !joint && !is_way) continue;
    add_input(c, m);
    add_state(c, m);
    if (m->kind == HN_MOTOR_POINT)
      add_on_point(c, m);
    else if (is_way)
      add_on_way(c, m);
    else
      add_on_joint(c, m, joint);
  }
}
