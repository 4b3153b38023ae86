// A model as the tree of a model file: the top level and helpers of its parts.
#include "formats/import/compose.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

hn_node *hn_compose_map(hn_composer *c, hn_node *to, const char *key) {
  return hn_node_add(c->arena, to, key, hn_node_make(c->arena, HN_NODE_MAP, &c->place));
}

hn_node *hn_compose_list(hn_composer *c, hn_node *to, const char *key) {
  return hn_node_add(c->arena, to, key, hn_node_make(c->arena, HN_NODE_LIST, &c->place));
}

hn_node *hn_compose_text(hn_composer *c, hn_node *to, const char *key, const char *text) {
  return hn_node_add(c->arena, to, key, hn_node_make_text(c->arena, text, &c->place));
}

// A number computed from finite ones may be infinite: reported with its place in the file.
hn_node *hn_compose_number(hn_composer *c, hn_node *to, const char *key, double number) {
  hn_machine *m = c->machine;
  if (!isfinite(number) && hn_machine_ok(m))
    m->status = hn_fail(m->error, HN_ERROR_MODEL, &c->place, NULL,
                        "Check that sizes, masses and densities are in m, kg and kg/m^3.",
                        "a computed number exceeds the floating-point range%s%s", key ? ": " : "",
                        key ? key : "");
  return hn_node_add(c->arena, to, key, hn_node_make_number(c->arena, number, &c->place));
}

hn_node *hn_compose_numbers(hn_composer *c, hn_node *to, const char *key, const double *numbers,
                            int count) {
  hn_node *list = hn_compose_list(c, to, key);
  for (int k = 0; k < count; k++) hn_compose_number(c, list, NULL, numbers[k]);
  return list;
}

hn_node *hn_compose_vector(hn_composer *c, hn_node *to, const char *key, hn_vec3 v) {
  const double numbers[3] = {v.x, v.y, v.z};
  return hn_compose_numbers(c, to, key, numbers, 3);
}

hn_node *hn_compose_entry(hn_composer *c, hn_node *section, const char *id, const hn_xml *node) {
  if (node) c->place = hn_xml_source(node);
  hn_node *entry = hn_compose_map(c, section, id);
  if (entry && node) entry->comment = hn_machine_text(c->machine, "line %d", node->line);
  return entry;
}

const char *hn_compose_force_id(hn_composer *c, const char *id, const char *ending) {
  return hn_table_legal(c->machine, c->force_ids, hn_machine_text(c->machine, "%s%s", id, ending),
                        "force");
}

const char *hn_compose_coordinate(const hn_link_joint *joint, int freedom) {
  static const char *const planar[] = {"x", "y", "angle"};
  switch (joint->kind) {
  case HN_LINK_HINGE:
  case HN_LINK_SCREW: return "angle";
  case HN_LINK_SLIDE: return "displacement";
  case HN_LINK_PLANAR: return planar[freedom];
  case HN_LINK_UNIVERSAL: return freedom == 1 ? "angle2" : "angle";
  case HN_LINK_FIXED:
  case HN_LINK_BALL:
  case HN_LINK_FREE: break;
  }
  return NULL;
}

void hn_compose_which(hn_composer *c, hn_node *to, const hn_link_joint *joint, int freedom) {
  if (joint->kind == HN_LINK_PLANAR || joint->kind == HN_LINK_UNIVERSAL ||
      joint->kind == HN_LINK_SCREW)
    hn_compose_text(c, to, "coordinate", hn_compose_coordinate(joint, freedom));
}

// ---- the top level ------------------------------------------------------------------------------

static void add_parameter(hn_composer *c, hn_node *parameters, const char *name, double value,
                          const char *comment) {
  hn_node *node = hn_compose_number(c, parameters, name, value);
  if (node) node->comment = comment;
}

// Time stepping does not support states.
int hn_compose_has_step(const hn_composer *c) {
  for (const hn_motor *m = c->machine->motors; m; m = m->next)
    if (m->dynamics != HN_MOTOR_DIRECT) return 0;
  return c->machine->timestep > 0 && (c->has_contact || c->has_self_contact);
}

static void add_parameters(hn_composer *c, hn_node *parameters) {
  if (c->machine->density > 0)
    add_parameter(c, parameters, "density", c->machine->density, "kg/m^3, of all parts");
  if (c->has_passive)
    add_parameter(c, parameters, "passive", 1,
                  "factor of joint springs, dampers and rotors; 0: none");
  if (c->has_friction) {
    const int is_exact = hn_compose_has_step(c);
    add_parameter(c, parameters, "friction", is_exact, "1: joints have dry friction; 0: none");
    if (!is_exact || c->has_length_friction)
      add_parameter(c, parameters, "friction_speed", 0.01,
                    "transition speed of friction, m/s or rad/s; the file has none");
  }
  if (c->has_contact || c->has_self_contact)
    add_parameter(c, parameters, "contact", 1, "0: shapes do not collide");
  if (c->has_self_contact)
    add_parameter(c, parameters, "self_contact", 1,
                  "0: bodies of the model do not collide with each other");
  if ((c->has_contact || c->has_self_contact) && !isnan(c->contact_friction))
    add_parameter(c, parameters, "contact_friction", c->contact_friction,
                  "of all shapes in contact");
  if (c->has_soft)
    add_parameter(c, parameters, "soft", 0, "1: contacts and limits give way as in the file; 0: rigid");
  if (c->has_limits)
    add_parameter(c, parameters, "limits", 1, "0: joints have no stops at their limits");
  if (c->has_length_limits) {
    add_parameter(c, parameters, "limit_stiffness", 10000,
                  "stop stiffness of lengths, N/m; the file has none");
    add_parameter(c, parameters, "limit_damping", 100, "N s/m");
  }
  if (hn_compose_has_step(c))
    add_parameter(c, parameters, "timestep", c->machine->timestep, "s; with shapes that collide");
}

// The name of the model, without control characters, and without braces, in which a model file has
// numbers.
static const char *title_of(hn_machine *machine) {
  char *text = HN_MACHINE_TAKE(machine, char, strlen(machine->name) + 1), *to = text;
  for (const char *at = machine->name; text && *at; at++) {
    unsigned char c = (unsigned char)*at, next = (unsigned char)at[1];
    if (c == 0xC2 && next >= 0x80 && next < 0xA0)
      at++;
    else if (c >= 32 && c != 127)
      *to++ = c == '{' ? '(' : c == '}' ? ')' : *at;
  }
  return text ? text : "";
}

static void add_servos(hn_composer *c) {
  const int is_on = c->machine->has_start_inputs;
  hn_node *node = c->has_servos ? hn_compose_number(c, c->inputs, "servos", is_on) : NULL;
  if (node) node->comment = "1: position and velocity actuators are on";
}

// Masses so different that equations of single bodies lose one of them: those of the joints do not.
static void add_coordinates(hn_composer *c, hn_node *simulation) {
  const double least = 1e-9; // of the heaviest
  double light = HUGE_VAL, heavy = 0;
  for (const hn_link *link = c->machine->links; link; link = link->next) {
    if (link->merged || link->mass <= 0) continue;
    light = fmin(light, link->mass);
    heavy = fmax(heavy, link->mass);
  }
  if (!(light < least * heavy)) return;
  hn_node *set = hn_compose_text(c, simulation, "coordinates", "relative");
  if (set)
    set->comment = hn_machine_text(c->machine, "masses from %.3g kg to %.3g kg", light, heavy);
}

static hn_node *new_map(hn_composer *c) { return hn_node_make(c->arena, HN_NODE_MAP, &c->place); }

// Sections that stay empty are left out.
static void add_section(hn_composer *c, const char *key, hn_node *section) {
  if (section && section->count > 0) hn_node_add(c->arena, c->root, key, section);
}

// With contact the step of the file; without, error control chooses better ones.
static void add_simulation(hn_composer *c) {
  hn_xml *source = c->machine->timestep_node;
  const int is_mjcf = strcmp(c->machine->format, "mjcf") == 0;
  static const char why[] = "not used: error control chooses steps";
  if (source && !hn_compose_has_step(c)) {
    if (is_mjcf)
      hn_xml_mark_attribute(source, "timestep", HN_FATE_LOST, why);
    else
      hn_xml_mark(source, HN_FATE_LOST, why);
  }
  hn_node *simulation = new_map(c);
  add_coordinates(c, simulation);
  if (hn_compose_has_step(c)) hn_compose_text(c, simulation, "step", "timestep");
  add_section(c, "simulation", simulation);
}

static void open_sections(hn_composer *c) {
  hn_node **const sections[] = {&c->root,   &c->inputs, &c->states,  &c->bodies,
                                &c->joints, &c->forces, &c->outputs, &c->contacts};
  for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) *sections[k] = new_map(c);
  c->force_ids = hn_table_create(c->machine);
}

struct hn_node *hn_machine_compose(hn_machine *machine) {
  hn_composer c = {.machine = machine, .arena = machine->arena};
  if (!hn_machine_ok(machine)) return NULL;
  c.place = hn_xml_source(machine->root);
  open_sections(&c);
  hn_node *parameters = new_map(&c);
  hn_compose_joints(&c); // they put markers on bodies
  hn_compose_couplings(&c);
  hn_compose_choose_contacts(&c);
  hn_compose_bodies(&c);
  hn_compose_contacts(&c);
  hn_compose_forces(&c);
  hn_compose_reserve(&c);
  hn_compose_tendons(&c);
  hn_compose_motors(&c);
  hn_compose_sensors(&c);
  c.place = hn_xml_source(machine->root);
  add_parameters(&c, parameters);
  add_servos(&c);
  if (machine->name && *machine->name) {
    hn_node *title = hn_compose_text(&c, c.root, "title", title_of(machine));
    if (title) title->quoted = 1;
  }
  if (machine->gravity_node) c.place = hn_xml_source(machine->gravity_node);
  hn_compose_vector(&c, c.root, "gravity", machine->gravity);
  add_simulation(&c);
  add_section(&c, "parameters", parameters);
  add_section(&c, "inputs", c.inputs);
  add_section(&c, "states", c.states);
  add_section(&c, "bodies", c.bodies);
  add_section(&c, "joints", c.joints);
  add_section(&c, "forces", c.forces);
  add_section(&c, "contacts", c.contacts);
  add_section(&c, "outputs", c.outputs);
  if (c.root)
    c.root->comment =
        hn_machine_text(machine, "from %s; comments give its line numbers", machine->path);
  if (machine->arena->failed) hn_machine_take(machine, 1, 1);
  return hn_machine_ok(machine) ? c.root : NULL;
}
