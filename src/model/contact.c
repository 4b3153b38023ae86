// Contacts: added, checked when the model is finished, queried; and which shapes they let collide.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "holon/switch.h"
#include "math/vec.h"
#include "model/contact.h"
#include "model/joint_types.h"
#include "model/storage.h"

const char *hn_contact_law_name(hn_contact_law law) {
  static const char *const names[HN_CONTACT_LAWS] = {
#define HN_CONTACT_LAW_NAME(code, name) name,
      HN_CONTACT_LAW_LIST(HN_CONTACT_LAW_NAME)
#undef HN_CONTACT_LAW_NAME
  };
  return (unsigned)law < HN_CONTACT_LAWS ? names[law] : "unknown";
}

hn_contact_def hn_default_contact(void) {
  return (hn_contact_def){.law = HN_CONTACT_RIGID,
                          .static_friction = -1,
                          .stiffness = 1e6,
                          .exponent = 1.5,
                          .damping = -1,
                          .speed = 1,
                          .transition = 1e-3,
                          .stribeck = 1e-2,
                          .bristle_damping = -1,
                          .damping_ratio = 1,
                          .impedance = {0.9, 0.95, 1e-3, 0.5, 2}};
}

int hn_model_contact_count(const hn_model *model) { return model->contact_count; }
const hn_contact_def *hn_model_contact(const hn_model *model, int id) {
  return id >= 0 && id < model->contact_count ? &model->contacts[id] : NULL;
}

hn_status hn_model_add_contact(hn_model *model, const hn_contact_def *def, int *id) {
  if (!model || !def) {
    if (def) hn_law_free(def->depth_law);
    return model ? hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a definition.",
                           "the definition of a contact is a null pointer")
                 : HN_ERROR_ARGUMENT;
  }
  if (!hn_model_own_law(model, def->depth_law))
    return hn_model_out_of_memory(model, HN_NAME_CONTACT, def->name);
  hn_contact_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_CONTACT, &own.name, &own.source);
  if (status) return status;
  if (own.count1 < 0 || own.count2 < 0 || (own.count1 > 0 && !own.shapes1) ||
      (own.count2 > 0 && !own.shapes2))
    return hn_fail(&model->error, HN_ERROR_ARGUMENT, &own.source, own.name, "Give both sets.",
                   "has a set of shapes without an array");
  if (own.law == HN_CONTACT_SOFT && !(own.compliance > 0) && !(own.time_constant > 0) &&
      own.compliance >= 0 && own.time_constant >= 0)
    own.law = HN_CONTACT_RIGID;
  own.shapes1 = hn_arena_copy(&model->arena, def->shapes1, (size_t)def->count1, sizeof(int));
  own.shapes2 = hn_arena_copy(&model->arena, def->shapes2, (size_t)def->count2, sizeof(int));
  hn_contact_def *contacts = hn_model_grow(model, model->contacts, &model->storage->contact_room,
                                           model->contact_count, sizeof *contacts);
  if (contacts) model->contacts = contacts;
  if (!contacts || model->arena.failed)
    return hn_model_out_of_memory(model, HN_NAME_CONTACT, own.name);
  contacts[model->contact_count] = own;
  hn_names_insert(&model->storage->names, HN_NAME_CONTACT, own.name, model->contact_count);
  if (id) *id = model->contact_count;
  model->contact_count++;
  return HN_OK;
}

// ---- checking -----------------------------------------------------------------------------------

static hn_status check_shapes(const hn_subject *subject, const int *shapes, int count) {
  for (int k = 0; k < count; k++)
    if (shapes[k] < 0 || shapes[k] >= subject->model->shape_count)
      return hn_subject_fail(subject, "Use the id that hn_model_add_shape gave.",
                             "names shape %d, but the model has %d (counted from 0)", shapes[k],
                             subject->model->shape_count);
  return HN_OK;
}

static hn_status check_range(const hn_subject *subject, const char *what, double value, double low,
                             double high) {
  if (value >= low && value <= high) return HN_OK;
  char hint[96];
  if (high < HUGE_VAL)
    hn_text(hint, sizeof hint, "Give a number from %g to %g.", low, high);
  else
    hn_text(hint, sizeof hint, "Give a finite number of at least %g.", low);
  return hn_subject_fail(subject, hint, "has the %s %g", what, value);
}

static hn_status check_material(const hn_subject *subject, const hn_contact_def *c) {
  const double most = 1e300;
  const struct {
    const char *what;
    double value, low, high;
  } ranges[] = {{"restitution", c->restitution, 0, 1},
                {"friction", c->friction, 0, most},
                {"torsional friction", c->torsional_friction, 0, most},
                {"rolling friction", c->rolling_friction, 0, most},
                {"stiffness", c->stiffness, 1e-300, most},
                {"exponent", c->exponent, 1, 10},
                {"speed", c->speed, 1e-300, most},
                {"transition", c->transition, 1e-300, most},
                {"stribeck speed", c->stribeck, 1e-300, most},
                {"bristle stiffness", c->bristle_stiffness, 0, most},
                {"bristle damping", c->bristle_damping, -1, most},
                {"viscous friction", c->viscous_friction, 0, most},
                {"damping", c->damping, -1, most},
                {"compliance", c->compliance, 0, most},
                {"time constant", c->time_constant, 0, most},
                {"damping ratio", c->damping_ratio, 1e-300, most},
                {"impedance at the surface", c->impedance[0], 0, 1},
                {"impedance at depth", c->impedance[1], 0, 1},
                {"depth of the impedance", c->impedance[2], 0, most},
                {"midpoint of the impedance", c->impedance[3], 0, 1},
                {"power of the impedance", c->impedance[4], 1, 100}};
  for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++) {
    hn_status status =
        check_range(subject, ranges[k].what, ranges[k].value, ranges[k].low, ranges[k].high);
    if (status) return status;
  }
  if ((unsigned)c->law >= HN_CONTACT_LAWS)
    return hn_subject_fail(subject, "Use one of hn_contact_law.", "has an unknown contact law");
  if (c->static_friction >= 0 && c->static_friction < c->friction)
    return hn_subject_fail(subject, "Give a static friction of at least the sliding one.",
                           "has the static friction %g and the sliding friction %g",
                           c->static_friction, c->friction);
  if (c->bristle_stiffness > 0 && hn_contact_is_rigid(c))
    return hn_subject_fail(
        subject, "Remove the bristles (rigid contacts stick without them), or use a force `law:`.",
        "has bristles, but is rigid");
  if (c->bristle_stiffness > 0 && !(c->friction > 0))
    return hn_subject_fail(subject, "Give a friction greater than zero.",
                           "has bristles, but no friction");
  if (c->law == HN_CONTACT_TABLE && !c->depth_law)
    return hn_subject_fail(subject, "Give pairs of depth and force.", "has no table");
  if (c->law == HN_CONTACT_FLORES && c->damping < 0 && !(c->restitution > 0))
    return hn_subject_fail(subject, "Give a restitution greater than zero, or another contact law.",
                           "has the contact law flores, which is unbounded at restitution 0");
  return HN_OK;
}

hn_status hn_model_check_contact_numbers(hn_model *model, const hn_contact_def *def) {
  hn_subject subject = {model, HN_NAME_CONTACT, def->name, &def->source};
  return check_material(&subject, def);
}

static hn_status list_sets(hn_model *model) {
  size_t shapes = (size_t)model->shape_count;
  model->touching.sets =
      HN_TAKE(&model->arena, unsigned char, (size_t)model->contact_count *shapes + 1);
  if (!model->touching.sets) return hn_model_out_of_memory(model, HN_NAME_CONTACT, "shapes");
  for (int r = 0; r < model->contact_count; r++) {
    const hn_contact_def *rule = &model->contacts[r];
    unsigned char *set = &model->touching.sets[(size_t)r * shapes];
    for (int k = 0; k < rule->count1; k++) set[rule->shapes1[k]] |= 1;
    for (int k = 0; k < rule->count2; k++) set[rule->shapes2[k]] |= 2;
  }
  return HN_OK;
}

int hn_model_contact_rule(const hn_model *model, int a, int b) {
  int body1 = model->shapes[a].frame.body, body2 = model->shapes[b].frame.body;
  if (body1 == body2) return -1;
  for (int r = 0; r < model->contact_count; r++) {
    const hn_contact_def *rule = &model->contacts[r];
    const unsigned char *set = &model->touching.sets[(size_t)r * (size_t)model->shape_count];
    int is_between = rule->count2 > 0
                         ? ((set[a] & 1) && (set[b] & 2)) || ((set[a] & 2) && (set[b] & 1))
                         : set[a] && set[b];
    if (!is_between || (!rule->joined && hn_model_bodies_joined(model, body1, body2))) continue;
    return rule->law == HN_CONTACT_NONE ? -1 : r;
  }
  return -1;
}

void hn_contact_sets(const hn_contact_def *c, const int **second, int *second_count) {
  *second = c->count2 > 0 ? c->shapes2 : c->shapes1;
  *second_count = c->count2 > 0 ? c->count2 : c->count1;
}

const char *hn_model_rigid_element(const hn_model *model, const hn_source **source,
                                   const char **remedy, char *text, size_t size) {
  *remedy = "give the contact a compliant `law:` (hunt-crossley, hertz, ...)";
  for (int k = 0; k < model->contact_count; k++) {
    const hn_contact_def *def = &model->contacts[k];
    *source = &def->source;
    if (def->law == HN_CONTACT_RIGID) return hn_text(text, size, "rigid contact '%s'", def->name);
    if (def->law == HN_CONTACT_ROLLING) return hn_text(text, size, "rolling '%s'", def->name);
    if (def->law == HN_CONTACT_SOFT) return hn_text(text, size, "soft contact '%s'", def->name);
  }
  *remedy = NULL;
  for (int k = 0; k < model->joint_count; k++) {
    const hn_joint_def *def = &model->joints[k];
    *source = &def->source;
    if (def->type == HN_JOINT_KNIFE_EDGE) return hn_text(text, size, "knife-edge '%s'", def->name);
  }
  for (int k = 0; k < model->force_count; k++) {
    const hn_force_def *def = &model->forces[k];
    *source = &def->source;
    if (!hn_force_is_rigid(def)) continue;
    const int is_stop = def->type == HN_FORCE_JOINT_STOP;
    *remedy = is_stop ? "give the stop a `stiffness:`" : "give the friction a `transition:`";
    return hn_text(text, size, "%s '%s' of force '%s'",
                   is_stop ? "rigid stop" : "sticking friction", model->joints[def->joint].name,
                   def->name);
  }
  if (model->switch_count > 0) {
    *source = &model->switches[0].source;
    return hn_text(text, size, "a conditional element (`when:`)");
  }
  *source = NULL;
  return NULL;
}

// ---- forces of contacts that are not rigid -------------------------------------------------------

static hn_status add_pair_force(hn_model *model, int rule, int shape1, int shape2, int is_alone,
                                int number) {
  const hn_contact_def *c = &model->contacts[rule];
  hn_force_def def = hn_default_force(HN_FORCE_CONTACT);
  def.frame1 = model->shapes[shape1].frame;
  def.frame2 = model->shapes[shape2].frame;
  char name[512];
  if (is_alone)
    hn_text(name, sizeof name, "contact.%s", c->name);
  else
    hn_text(name, sizeof name, "contact.%s.%d", c->name, number + 1);
  def.name = name;
  def.source = c->source;
  def.component = c->component;
  def.rule = rule;
  def.shape1 = shape1;
  def.shape2 = shape2;
  return hn_model_add_force(model, &def, NULL);
}

// Counts the pairs of a rule, or with `add` adds a force for each.
static hn_status walk_pairs(hn_model *model, int r, int add, int *count) {
  const int *second;
  int second_count, total = *count, k = 0;
  hn_status status = HN_OK;
  hn_contact_def rule = model->contacts[r];
  hn_contact_sets(&rule, &second, &second_count);
  for (int i = 0; i < rule.count1 && !status; i++)
    for (int j = rule.count2 > 0 ? 0 : i + 1; j < second_count && !status; j++) {
      if (hn_model_contact_rule(model, rule.shapes1[i], second[j]) != r) continue;
      if (add) status = add_pair_force(model, r, rule.shapes1[i], second[j], total == 1, k);
      k++;
    }
  *count = k;
  return status;
}

static hn_status make_forces(hn_model *model) {
  model->touching.first_force = model->force_count;
  for (int r = 0; r < model->contact_count; r++) {
    const hn_contact_def *rule = &model->contacts[r];
    if (hn_contact_is_rigid(rule) || rule->law == HN_CONTACT_NONE) continue;
    hn_subject subject = {model, HN_NAME_CONTACT, rule->name, &rule->source};
    double most = (double)rule->count1 * (rule->count2 > 0 ? rule->count2 : rule->count1);
    int count = 0;
    hn_status status = HN_OK;
    if (most < 4e8) status = walk_pairs(model, r, 0, &count);
    if (most >= 4e8 || count > HN_CONTACT_FORCES)
      return hn_subject_fail(&subject, "Name fewer bodies, or use rigid contact.",
                             "has more than %d pairs of shapes with a force law",
                             HN_CONTACT_FORCES);
    if (!status) status = walk_pairs(model, r, 1, &count);
    if (status) return status;
  }
  model->touching.has_forces = 1;
  model->touching.force_count = model->force_count - model->touching.first_force;
  return HN_OK;
}

hn_status hn_model_check_contacts(hn_model *model) {
  if (model->contact_count == 0) return HN_OK;
  hn_status status = hn_model_list_joined(model);
  for (int k = 0; k < model->contact_count && !status; k++) {
    const hn_contact_def *def = &model->contacts[k];
    hn_subject subject = {model, HN_NAME_CONTACT, def->name, &def->source};
    status = hn_subject_check_component(&subject, def->component);
    if (!status) status = check_shapes(&subject, def->shapes1, def->count1);
    if (!status) status = check_shapes(&subject, def->shapes2, def->count2);
    if (!status) status = check_material(&subject, def);
  }
  if (!status) status = list_sets(model);
  if (!status && !model->touching.has_forces) status = make_forces(model);
  return status;
}
