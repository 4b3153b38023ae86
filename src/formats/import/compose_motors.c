// Actuators: inputs, and forces whose laws read them.
#include <stdio.h>
#include <string.h>

#include "formats/import/compose.h"

// One that no input moves is a spring, a damper or a constant force.
static int is_moved(const hn_motor *m) {
  return (m->muscle && m->muscle->is_active) || m->gain[0] != 0 || m->gain[1] != 0 ||
         m->gain[2] != 0;
}

static int is_beyond_zero(int has_range, double lower, double upper) {
  return has_range && (lower > 0 || upper < 0);
}

// Whether it has an input and acts while that is 0. One without an input is part of the model.
static int has_own_law(const hn_motor *m) {
  if (!is_moved(m)) return 0;
  return (m->muscle && m->muscle->is_passive) || m->bias[0] != 0 || m->bias[1] != 0 ||
         m->bias[2] != 0 || is_beyond_zero(m->has_range, m->lower, m->upper) ||
         is_beyond_zero(m->has_force_range, m->least, m->most);
}

// A law that is off until it is switched on, if it needs no input to act.
static const char *switched(hn_composer *c, const hn_motor *m, double factor, const char *law) {
  if (!has_own_law(m)) return hn_machine_text(c->machine, "%.17g*(%s)", factor, law);
  c->has_servos = 1;
  return hn_machine_text(c->machine, "%.17g*servos*(%s)", factor, law);
}

static void add_input(hn_composer *c, hn_motor *motor) {
  if (!is_moved(motor)) return;
  motor->input = hn_table_legal(c->machine, c->input_ids, motor->name, "input");
  if (strcmp(motor->input, motor->name) != 0)
    hn_xml_mark_attribute(motor->node, "name", HN_FATE_APPROXIMATED,
                          hn_machine_text(c->machine, "the input is called %s", motor->input));
  c->place = hn_xml_source(motor->node);
  hn_node *value = hn_compose_number(c, c->inputs, motor->input, motor->start);
  if (value) value->comment = hn_machine_text(c->machine, "line %d", motor->node->line);
}

static const char *limited_input(hn_composer *c, const hn_motor *m) {
  if (!m->has_range) return m->input;
  return hn_machine_text(c->machine, "max(%.17g, min(%.17g, %s))", m->lower, m->upper, m->input);
}

// Signal of an actuator: its input, or a state that follows it.
static const char *input_of(hn_composer *c, const hn_motor *m) {
  if (m->muscle && m->muscle->is_quick)
    return hn_machine_text(c->machine, "max(0, min(1, %s))", limited_input(c, m));
  if (m->dynamics == HN_MOTOR_DIRECT) return limited_input(c, m);
  return hn_machine_text(c->machine, "state.%s", m->input);
}

static void add_state(hn_composer *c, const hn_motor *m) {
  if (m->dynamics == HN_MOTOR_DIRECT || !m->input) return;          // not read
  const int is_whole = m->muscle && m->lower <= 0 && m->upper >= 1; // activations are from 0 to 1
  const char *input = is_whole ? m->input : limited_input(c, m);
  hn_node *state = hn_compose_entry(c, c->states, m->input, m->node);
  if (m->dynamics == HN_MOTOR_MUSCLE) {
    hn_compose_text(c, state, "rate", hn_compose_activation(c, m, input));
    return;
  }
  hn_compose_text(c, state, "rate",
                  m->dynamics == HN_MOTOR_INTEGRATOR
                      ? input
                      : hn_machine_text(c->machine, "(%s - state.%s)/%.17g", input, m->input,
                                        m->time_constant));
}

// gain u + bias as a formula of the length x and its rate v; gear is that of the length.
static const char *law_of(hn_composer *c, const hn_motor *m, double gear) {
  hn_machine *a = c->machine;
  const char *x = "x", *v = "v", *text = "0";
  if (m->muscle) {
    const char *force = hn_compose_muscle(c, m, gear, is_moved(m) ? input_of(c, m) : "0");
    return m->has_force_range
               ? hn_machine_text(a, "max(%.17g, min(%.17g, %s))", m->least, m->most, force)
               : force;
  }
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

static void add_law(hn_composer *c, hn_node *entry, hn_motor *m) {
  m->force = entry ? entry->key : NULL;
  hn_compose_text(c, entry, "law", tension_of(c, m));
}

static void add_on_joint(hn_composer *c, hn_motor *m, const char *joint) {
  hn_node *entry = hn_compose_entry(c, c->forces, hn_compose_force_id(c, m->id, ""), m->node);
  hn_compose_text(c, entry, "type", "joint-spring-damper");
  hn_compose_text(c, entry, "joint", joint);
  add_law(c, entry, m);
}

static void add_parts(hn_composer *c, hn_node *entry, const char *key, const hn_motor *m, hn_vec3 v,
                      int is_global) {
  hn_node *list = hn_compose_list(c, entry, key);
  for (int k = 0; k < 3; k++) {
    const char *law = law_of(c, m, 0); // without the length, which it has none of
    hn_compose_text(c, list, NULL, switched(c, m, vec3_get(v, k), law));
  }
  if (!is_global) hn_compose_text(c, entry, "following", "true");
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
    add_parts(c, entry, "force", m, force, m->is_global);
  }
  if (vec3_norm(torque) > 0) {
    hn_node *entry =
        hn_compose_entry(c, c->forces, hn_compose_force_id(c, m->id, "_torque"), m->node);
    hn_compose_text(c, entry, "type", "torque");
    hn_compose_text(c, entry, "body", m->link->id);
    add_parts(c, entry, "torque", m, torque, m->is_turned_globally);
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
    if (m->joint && m->joint->is_locked) continue;
    int is_way = m->kind == HN_MOTOR_TENDON && !joint && hn_tendon_moves(m->tendon);
    if (m->kind == HN_MOTOR_POINT ? m->link->is_ground : !joint && !is_way) continue;
    add_input(c, m);
    add_state(c, m);
    if (m->kind == HN_MOTOR_POINT)
      add_on_point(c, m);
    else if (is_way)
      add_law(c, hn_compose_way(c, m->id, m->tendon, m->node), m);
    else
      add_on_joint(c, m, joint);
  }
}
