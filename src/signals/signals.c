// The table of signals: layout, names, units, finding. Values are in signals_evaluate.c, the
// model's outputs in signals_outputs.c.
#include <string.h>

#include "base/error.h"
#include "elements/force_types.h"
#include "elements/rolling.h"
#include "model/joint_types.h"
#include "signals/signals_table.h"

// ---- quantities ---------------------------------------------------------------------------------

static const hn_quantity body_quantities[HN_BODY_QUANTITIES] = {
    {".position.x", "m"},
    {".position.y", "m"},
    {".position.z", "m"},
    {".velocity.x", "m/s"},
    {".velocity.y", "m/s"},
    {".velocity.z", "m/s"},
    {".acceleration.x", "m/s^2"},
    {".acceleration.y", "m/s^2"},
    {".acceleration.z", "m/s^2"},
    {".angular_velocity.x", "rad/s"},
    {".angular_velocity.y", "rad/s"},
    {".angular_velocity.z", "rad/s"},
    {".angular_acceleration.x", "rad/s^2"},
    {".angular_acceleration.y", "rad/s^2"},
    {".angular_acceleration.z", "rad/s^2"},
    {".quaternion.w", "1"},
    {".quaternion.x", "1"},
    {".quaternion.y", "1"},
    {".quaternion.z", "1"},
    {".roll", "rad"},
    {".pitch", "rad"},
    {".yaw", "rad"},
}; // a marker has the first nine

static const hn_quantity reaction_quantities[HN_REACTION_QUANTITIES] = {
    {".reaction.force.x", "N"},    {".reaction.force.y", "N"},    {".reaction.force.z", "N"},
    {".reaction.torque.x", "N m"}, {".reaction.torque.y", "N m"}, {".reaction.torque.z", "N m"},
};

// Units for what acts along a length; for an angle see force_unit.
static const hn_quantity force_quantities[HN_FORCE_QUANTITIES] = {
    {".value", "N"}, {".deflection", "m"}, {".rate", "m/s"}, {".potential", "J"}};

// Quantities of hn_rolling_quantities, in its order.
static const hn_quantity tyre_quantities[HN_ROLLING_QUANTITIES] = {
    {".slip", "1"},    {".angle", "rad"},   {".camber", "rad"},  {".fx", "N"},
    {".fy", "N"},      {".fz", "N"},        {".mx", "N m"},      {".my", "N m"},
    {".mz", "N m"},    {".contact.x", "m"}, {".contact.y", "m"}, {".contact.z", "m"},
    {".friction", "1"}};

static const hn_quantity energy_quantities[HN_ENERGY_QUANTITIES] = {
    {"kinetic", "J"}, {"potential", "J"}, {"work", "J"}, {"total", "J"}, {"balance", "J"}};
// Rows mix m and rad.
static const hn_quantity constraint_quantities[HN_CONSTRAINT_QUANTITIES] = {
    {"position", "m"}, {"velocity", "m/s"}, {"acceleration", "m/s^2"}};
static const hn_quantity step_quantities[HN_STEP_QUANTITIES] = {{"size", "s"}, {"iterations", "1"}};

// Signals that are not listed: angular velocity and acceleration in the axes of the body.
static const hn_quantity body_local_quantities[HN_BODY_LOCAL_QUANTITIES] = {
    {".local_angular_velocity.x", "rad/s"},       {".local_angular_velocity.y", "rad/s"},
    {".local_angular_velocity.z", "rad/s"},       {".local_angular_acceleration.x", "rad/s^2"},
    {".local_angular_acceleration.y", "rad/s^2"}, {".local_angular_acceleration.z", "rad/s^2"},
};
static const hn_quantity reaction_local_quantities[HN_REACTION_QUANTITIES] = {
    {".reaction.local_force.x", "N"},    {".reaction.local_force.y", "N"},
    {".reaction.local_force.z", "N"},    {".reaction.local_torque.x", "N m"},
    {".reaction.local_torque.y", "N m"}, {".reaction.local_torque.z", "N m"},
};
static const hn_quantity vector_quantities[HN_VECTOR_QUANTITIES] = {
    {".force.x", "N"},          {".force.y", "N"},          {".force.z", "N"},
    {".torque.x", "N m"},       {".torque.y", "N m"},       {".torque.z", "N m"},
    {".local_force.x", "N"},    {".local_force.y", "N"},    {".local_force.z", "N"},
    {".local_torque.x", "N m"}, {".local_torque.y", "N m"}, {".local_torque.z", "N m"},
};

static const char *const derivative_suffix[3] = {"", "_rate", "_acceleration"};

// ---- layout -------------------------------------------------------------------------------------

static int coordinate_count(const hn_joint_def *joint) {
  return hn_joint_coordinate_count(joint->type);
}

// Gears and their kin join coordinates, not bodies; a free joint holds nothing.
static int has_reaction(const hn_joint_def *joint) { return hn_joint_holds(joint->type); }

static void lay_out(hn_signals *s) {
  const hn_model *model = s->model;
  s->body_start = model->outputs.count;
  s->marker_start = s->body_start + HN_BODY_QUANTITIES * (model->body_count - 1);
  s->joint_start = s->marker_start + HN_MARKER_QUANTITIES * model->markers.count;
  int used = 0;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    s->joint_first[j] = used;
    used += 3 * coordinate_count(joint) + (has_reaction(joint) ? HN_REACTION_QUANTITIES : 0);
  }
  s->joint_first[model->joint_count] = used;
  s->driver_start = s->joint_start + used;
  s->force_start = s->driver_start + model->driver_count;
  s->contact_start =
      s->force_start + HN_FORCE_QUANTITIES * (model->force_count - model->sensing.couplings);
  s->tyre_start = s->contact_start + HN_CONTACT_QUANTITIES * s->rule_count;
  for (int f = 0; f < model->force_count; f++)
    if (model->forces[f].tyre) s->tyres[s->tyre_count++] = f;
  s->input_start = s->tyre_start + HN_ROLLING_QUANTITIES * s->tyre_count;
  s->state_start = s->input_start + model->input_count;
  s->energy_start = s->state_start + model->state_count;
  s->constraint_start = s->energy_start + HN_ENERGY_QUANTITIES;
  s->step_start = s->constraint_start + HN_CONSTRAINT_QUANTITIES;
  s->count = s->step_start + HN_STEP_QUANTITIES;
  s->body_local_start = s->count;
  s->reaction_local_start =
      s->body_local_start + HN_BODY_LOCAL_QUANTITIES * (model->body_count - 1);
  s->vector_start = s->reaction_local_start + HN_REACTION_QUANTITIES * model->joint_count;
  s->pair_start =
      s->vector_start + HN_VECTOR_QUANTITIES * (model->force_count - model->sensing.couplings);
  s->all = s->pair_start + HN_CONTACT_QUANTITIES * (s->contact_count - s->rule_count);
}

hn_status hn_signals_create(hn_arena *arena, const hn_elements *elements, hn_signals **signals,
                            hn_error *error) {
  *signals = NULL;
  hn_signals *s = HN_KEEP(arena, hn_signals, 1);
  const hn_model *model = elements->model;
  int *joint_first = HN_TAKE(arena, int, model->joint_count + 1);
  hn_signal_output *outputs = HN_TAKE(arena, hn_signal_output, model->outputs.count);
  int *tyres = HN_TAKE(arena, int, model->force_count);
  const int has_forces = model->force_count > model->sensing.couplings;
  hn_wrench *wrench = HN_WORK(arena, hn_wrench, has_forces ? model->body_count : 1);
  if (!s || !joint_first || !outputs || !tyres || !wrench)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the signals");
  *s = (hn_signals){.arena = arena,
                    .elements = elements,
                    .model = model,
                    .joint_first = joint_first,
                    .outputs = outputs,
                    .tyres = tyres,
                    .wrench = wrench};
  if (hn_signals_list_contacts(s))
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the signals");
  lay_out(s);
  hn_status status = hn_signals_compile_outputs(s, error);
  if (!status) status = hn_signals_compile_conditions(s, error);
  if (status) return status;
  *signals = s;
  return HN_OK;
}

int hn_signals_count(const hn_signals *signals) { return signals->count; }
int hn_signals_count_all(const hn_signals *signals) { return signals->all; }

static hn_signal_place locate_joint(const hn_signals *s, int offset) {
  int low = 0, high = s->model->joint_count; // joint_first[low] <= offset < joint_first[high]
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (s->joint_first[middle] <= offset)
      low = middle;
    else
      high = middle;
  }
  // joints without signals share their first index with the next one, which the search finds
  const hn_joint_def *joint = &s->model->joints[low];
  int place = offset - s->joint_first[low];
  if (place >= 3 * coordinate_count(joint))
    return (hn_signal_place){HN_SIGNAL_REACTION, low, place - 3 * coordinate_count(joint)};
  int c = 0;
  for (int skip = place / 3;; c++)
    if (hn_joint_has_coordinate(joint->type, (hn_coordinate)c) && skip-- == 0) break;
  return (hn_signal_place){HN_SIGNAL_JOINT, low, 3 * c + place % 3};
}

static hn_signal_place in_block(hn_signal_kind kind, int offset, int size) {
  return (hn_signal_place){kind, offset / size, offset % size};
}

// Behind those that are listed.
static hn_signal_place locate_unlisted(const hn_signals *s, int i) {
  if (i >= s->pair_start) {
    hn_signal_place pair = in_block(HN_SIGNAL_CONTACT, i - s->pair_start, HN_CONTACT_QUANTITIES);
    pair.element += s->rule_count;
    return pair;
  }
  if (i >= s->vector_start)
    return in_block(HN_SIGNAL_FORCE_VECTOR, i - s->vector_start, HN_VECTOR_QUANTITIES);
  if (i >= s->reaction_local_start)
    return in_block(HN_SIGNAL_REACTION_LOCAL, i - s->reaction_local_start, HN_REACTION_QUANTITIES);
  hn_signal_place place =
      in_block(HN_SIGNAL_BODY_LOCAL, i - s->body_local_start, HN_BODY_LOCAL_QUANTITIES);
  place.element += 1;
  return place;
}

hn_signal_place hn_signal_locate(const hn_signals *s, int i) {
  if (i < 0 || i >= s->all) return (hn_signal_place){HN_SIGNAL_NONE, 0, 0};
  if (i >= s->count) return locate_unlisted(s, i);
  if (i < s->body_start) return in_block(HN_SIGNAL_OUTPUT, i, 1);
  if (i < s->marker_start) {
    hn_signal_place place = in_block(HN_SIGNAL_BODY, i - s->body_start, HN_BODY_QUANTITIES);
    place.element += 1; // ground has no signals
    return place;
  }
  if (i < s->joint_start)
    return in_block(HN_SIGNAL_MARKER, i - s->marker_start, HN_MARKER_QUANTITIES);
  if (i < s->driver_start) return locate_joint(s, i - s->joint_start);
  if (i < s->force_start) return in_block(HN_SIGNAL_DRIVER, i - s->driver_start, 1);
  if (i < s->contact_start)
    return in_block(HN_SIGNAL_FORCE, i - s->force_start, HN_FORCE_QUANTITIES);
  if (i < s->tyre_start)
    return in_block(HN_SIGNAL_CONTACT, i - s->contact_start, HN_CONTACT_QUANTITIES);
  if (i < s->input_start) {
    hn_signal_place place = in_block(HN_SIGNAL_TYRE, i - s->tyre_start, HN_ROLLING_QUANTITIES);
    place.element = s->tyres[place.element];
    return place;
  }
  if (i < s->state_start) return in_block(HN_SIGNAL_INPUT, i - s->input_start, 1);
  if (i < s->energy_start) return in_block(HN_SIGNAL_STATE, i - s->state_start, 1);
  if (i < s->constraint_start)
    return in_block(HN_SIGNAL_ENERGY, i - s->energy_start, HN_ENERGY_QUANTITIES);
  if (i < s->step_start)
    return in_block(HN_SIGNAL_CONSTRAINT, i - s->constraint_start, HN_CONSTRAINT_QUANTITIES);
  return in_block(HN_SIGNAL_STEP, i - s->step_start, HN_STEP_QUANTITIES);
}

static int joint_index(const hn_signals *s, hn_signal_place place) {
  const hn_joint_def *joint = &s->model->joints[place.element];
  int first = s->joint_start + s->joint_first[place.element];
  if (place.kind == HN_SIGNAL_REACTION)
    return has_reaction(joint) ? first + 3 * coordinate_count(joint) + place.quantity : -1;
  hn_coordinate coordinate = (hn_coordinate)(place.quantity / 3);
  if (!hn_joint_has_coordinate(joint->type, coordinate)) return -1;
  for (int c = 0; c < (int)coordinate; c++)
    first += 3 * hn_joint_has_coordinate(joint->type, (hn_coordinate)c);
  return first + place.quantity % 3;
}

static int tyre_index(const hn_signals *s, hn_signal_place place) {
  for (int k = 0; k < s->tyre_count; k++)
    if (s->tyres[k] == place.element)
      return s->tyre_start + HN_ROLLING_QUANTITIES * k + place.quantity;
  return -1;
}

// The inverse of hn_signal_locate, or -1.
static int index_of(const hn_signals *s, hn_signal_place place) {
  switch (place.kind) {
  case HN_SIGNAL_OUTPUT: return place.element;
  case HN_SIGNAL_BODY:
    return s->body_start + HN_BODY_QUANTITIES * (place.element - 1) + place.quantity;
  case HN_SIGNAL_MARKER:
    return s->marker_start + HN_MARKER_QUANTITIES * place.element + place.quantity;
  case HN_SIGNAL_JOINT:
  case HN_SIGNAL_REACTION: return joint_index(s, place);
  case HN_SIGNAL_DRIVER: return s->driver_start + place.element;
  case HN_SIGNAL_FORCE:
    return s->force_start + HN_FORCE_QUANTITIES * place.element + place.quantity;
  case HN_SIGNAL_CONTACT:
    return place.element < s->rule_count
               ? s->contact_start + HN_CONTACT_QUANTITIES * place.element + place.quantity
               : s->pair_start + HN_CONTACT_QUANTITIES * (place.element - s->rule_count) +
                     place.quantity;
  case HN_SIGNAL_TYRE: return tyre_index(s, place);
  case HN_SIGNAL_INPUT: return s->input_start + place.element;
  case HN_SIGNAL_STATE: return s->state_start + place.element;
  case HN_SIGNAL_ENERGY: return s->energy_start + place.quantity;
  case HN_SIGNAL_CONSTRAINT: return s->constraint_start + place.quantity;
  case HN_SIGNAL_STEP: return s->step_start + place.quantity;
  case HN_SIGNAL_BODY_LOCAL:
    return s->body_local_start + HN_BODY_LOCAL_QUANTITIES * (place.element - 1) + place.quantity;
  case HN_SIGNAL_REACTION_LOCAL:
    if (!has_reaction(&s->model->joints[place.element])) return -1;
    return s->reaction_local_start + HN_REACTION_QUANTITIES * place.element + place.quantity;
  case HN_SIGNAL_FORCE_VECTOR:
    return s->vector_start + HN_VECTOR_QUANTITIES * place.element + place.quantity;
  case HN_SIGNAL_NONE: break;
  }
  return -1;
}

// ---- names --------------------------------------------------------------------------------------

// The four parts of a name: "body." "rod" ".position.x" "" (joints: "angle" "_rate").
typedef struct parts {
  const char *part[4];
} parts;

static parts name_parts(const hn_signals *s, hn_signal_place at) {
  const hn_model *model = s->model;
  switch (at.kind) {
  case HN_SIGNAL_OUTPUT: return (parts){{model->outputs.item[at.element].name, "", "", ""}};
  case HN_SIGNAL_BODY:
    return (parts){
        {"body.", model->bodies[at.element].name, body_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_MARKER:
    return (parts){
        {"marker.", model->markers.item[at.element].name, body_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_JOINT:
    return (parts){{"joint.", model->joints[at.element].name,
                    hn_coordinate_name((hn_coordinate)(at.quantity / 3)),
                    derivative_suffix[at.quantity % 3]}};
  case HN_SIGNAL_REACTION:
    return (parts){
        {"joint.", model->joints[at.element].name, reaction_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_DRIVER: return (parts){{"driver.", model->drivers[at.element].name, ".force", ""}};
  case HN_SIGNAL_FORCE:
    return (parts){
        {"force.", model->forces[at.element].name, force_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_CONTACT:
    return (parts){{"contact.", model->contacts[s->contacts[at.element].rule].name, "",
                    hn_contact_quantities[at.quantity].suffix}};
  case HN_SIGNAL_TYRE:
    return (parts){
        {"force.", model->forces[at.element].name, tyre_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_INPUT: return (parts){{"input.", model->inputs[at.element].name, ".value", ""}};
  case HN_SIGNAL_STATE: return (parts){{"state.", model->states[at.element].name, "", ""}};
  case HN_SIGNAL_ENERGY: return (parts){{"energy.", energy_quantities[at.quantity].suffix, "", ""}};
  case HN_SIGNAL_CONSTRAINT:
    return (parts){{"constraint.", constraint_quantities[at.quantity].suffix, "", ""}};
  case HN_SIGNAL_STEP: return (parts){{"step.", step_quantities[at.quantity].suffix, "", ""}};
  case HN_SIGNAL_BODY_LOCAL:
    return (parts){
        {"body.", model->bodies[at.element].name, body_local_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_REACTION_LOCAL:
    return (parts){{"joint.", model->joints[at.element].name,
                    reaction_local_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_FORCE_VECTOR:
    return (parts){
        {"force.", model->forces[at.element].name, vector_quantities[at.quantity].suffix, ""}};
  case HN_SIGNAL_NONE: break;
  }
  return (parts){{"", "", "", ""}};
}

// Writes a name, as much of it as fits; the length it has (or would have). A large model has a
// million of them: no printf here.
static int write_name(const hn_signals *s, int index, char *text, size_t size) {
  hn_signal_place place = hn_signal_locate(s, index);
  parts p = name_parts(s, place);
  char number[16] = "";
  if (place.kind == HN_SIGNAL_CONTACT && s->contacts[place.element].number > 0)
    hn_text(number, sizeof number, ".%d", s->contacts[place.element].number);
  const char *dot = place.kind == HN_SIGNAL_JOINT ? "." : number;
  const char *all[5] = {p.part[0], p.part[1], dot, p.part[2], p.part[3]};
  size_t length = 0;
  for (int k = 0; k < 5; k++) {
    size_t more = strlen(all[k]);
    if (length < size) memcpy(text + length, all[k], more < size - length ? more : size - length);
    length += more;
  }
  if (size > 0) text[length < size ? length : size - 1] = '\0';
  return (int)length;
}

const char *hn_signals_name(const hn_signals *signals, int index) {
  hn_signals *s = (hn_signals *)signals; // names are a cache, not part of what the table says
  if (index < 0 || index >= s->all) return NULL;
  if (index < s->body_start) return s->model->outputs.item[index].name;
  if (!s->names) s->names = HN_KEEP(s->arena, const char *, s->all);
  if (!s->names) return "";
  if (!s->names[index]) {
    size_t size = (size_t)write_name(s, index, NULL, 0) + 1;
    char *name = HN_KEEP(s->arena, char, size);
    if (!name) return "";
    write_name(s, index, name, size);
    s->names[index] = name;
  }
  return s->names[index];
}

// ---- units --------------------------------------------------------------------------------------

static const char *const length_units[3] = {"m", "m/s", "m/s^2"};
static const char *const angle_units[3] = {"rad", "rad/s", "rad/s^2"};

static const char *force_unit(const hn_force_def *force, int quantity) {
  static const char *const turning[HN_FORCE_QUANTITIES] = {"N m", "rad", "rad/s", "J"};
  return hn_force_turns(force) ? turning[quantity] : force_quantities[quantity].unit;
}

static const char *driver_unit(const hn_driver_def *driver) {
  return driver->kind == HN_DRIVER_JOINT && hn_coordinate_is_angle(driver->coordinate) ? "N m"
                                                                                       : "N";
}

const char *hn_signals_unit(const hn_signals *s, int index) {
  hn_signal_place at = hn_signal_locate(s, index);
  switch (at.kind) {
  case HN_SIGNAL_OUTPUT: return s->outputs[at.element].unit;
  case HN_SIGNAL_BODY:
  case HN_SIGNAL_MARKER: return body_quantities[at.quantity].unit;
  case HN_SIGNAL_JOINT:
    return hn_coordinate_is_angle((hn_coordinate)(at.quantity / 3)) ? angle_units[at.quantity % 3]
                                                                    : length_units[at.quantity % 3];
  case HN_SIGNAL_REACTION: return reaction_quantities[at.quantity].unit;
  case HN_SIGNAL_DRIVER: return driver_unit(&s->model->drivers[at.element]);
  case HN_SIGNAL_FORCE: return force_unit(&s->model->forces[at.element], at.quantity);
  case HN_SIGNAL_CONTACT: return hn_contact_quantities[at.quantity].unit;
  case HN_SIGNAL_TYRE: return tyre_quantities[at.quantity].unit;
  case HN_SIGNAL_INPUT: {
    const char *unit = s->model->inputs[at.element].unit;
    return unit ? unit : "1";
  }
  case HN_SIGNAL_STATE: {
    const char *unit = s->model->states[at.element].unit;
    return unit ? unit : "1";
  }
  case HN_SIGNAL_ENERGY: return energy_quantities[at.quantity].unit;
  case HN_SIGNAL_CONSTRAINT: return constraint_quantities[at.quantity].unit;
  case HN_SIGNAL_STEP: return step_quantities[at.quantity].unit;
  case HN_SIGNAL_BODY_LOCAL: return body_local_quantities[at.quantity].unit;
  case HN_SIGNAL_REACTION_LOCAL: return reaction_local_quantities[at.quantity].unit;
  case HN_SIGNAL_FORCE_VECTOR: return vector_quantities[at.quantity].unit;
  case HN_SIGNAL_NONE: break;
  }
  return NULL;
}

// ---- finding ------------------------------------------------------------------------------------

// Whether text (length) starts with the prefix; then both move past it.
static int skip_prefix(const char **text, size_t *length, const char *prefix) {
  size_t size = strlen(prefix);
  if (*length < size || memcmp(*text, prefix, size) != 0) return 0;
  *text += size;
  *length -= size;
  return 1;
}

static int ends_with(const char *text, size_t length, const char *suffix) {
  size_t size = strlen(suffix);
  return length > size && memcmp(text + length - size, suffix, size) == 0;
}

// NAME + suffix, where NAME is an element's: its index, or -1.
static int find_element(const hn_signals *s, hn_name_kind names, hn_signal_kind kind,
                        const hn_quantity *quantities, int count, const char *text, size_t length) {
  for (int q = 0; q < count; q++) {
    if (!ends_with(text, length, quantities[q].suffix)) continue;
    int element = hn_model_find(s->model, names, text, length - strlen(quantities[q].suffix));
    const int is_body = names == HN_NAME_BODY;
    if (element < 0 || (is_body && element == HN_GROUND)) continue;
    if (is_body && s->model->bodies[element].sealed == 2) continue; // not shown
    return index_of(s, (hn_signal_place){kind, element, q});
  }
  return -1;
}

static int find_coordinate(const hn_signals *s, const char *text, size_t length) {
  size_t dot = length;
  while (dot > 0 && text[dot - 1] != '.') dot--;
  if (dot < 2) return -1;
  int joint = hn_model_find(s->model, HN_NAME_JOINT, text, dot - 1);
  if (joint < 0) return -1;
  const char *word = text + dot;
  size_t size = length - dot;
  for (int c = 0; c < HN_COORDINATES; c++)
    for (int d = 0; d < 3; d++) {
      const char *name = hn_coordinate_name((hn_coordinate)c), *tail = derivative_suffix[d];
      size_t head = strlen(name);
      if (size == head + strlen(tail) && memcmp(word, name, head) == 0 &&
          memcmp(word + head, tail, size - head) == 0)
        return index_of(s, (hn_signal_place){HN_SIGNAL_JOINT, joint, 3 * c + d});
    }
  return -1;
}

static int find_global(const hn_signals *s, hn_signal_kind kind, const hn_quantity *quantities,
                       int count, const char *text, size_t length) {
  for (int q = 0; q < count; q++)
    if (length == strlen(quantities[q].suffix) && memcmp(text, quantities[q].suffix, length) == 0)
      return index_of(s, (hn_signal_place){kind, 0, q});
  return -1;
}

// NAME or NAME.NUMBER, and a suffix.
static int find_contact(const hn_signals *s, const char *text, size_t length) {
  for (int q = 0; q < HN_CONTACT_QUANTITIES; q++) {
    if (!ends_with(text, length, hn_contact_quantities[q].suffix)) continue;
    size_t size = length - strlen(hn_contact_quantities[q].suffix);
    for (int k = 0; k < s->contact_count; k++) {
      char name[512];
      const hn_signal_contact *c = &s->contacts[k];
      hn_text(name, sizeof name, c->number > 0 ? "%s.%d" : "%s", s->model->contacts[c->rule].name,
              c->number);
      if (strlen(name) == size && memcmp(name, text, size) == 0)
        return index_of(s, (hn_signal_place){HN_SIGNAL_CONTACT, k, q});
    }
  }
  return -1;
}

static int find_body(const hn_signals *s, const char *text, size_t length) {
  const int body = find_element(s, HN_NAME_BODY, HN_SIGNAL_BODY, body_quantities,
                                HN_BODY_QUANTITIES, text, length);
  return body >= 0 ? body
                   : find_element(s, HN_NAME_BODY, HN_SIGNAL_BODY_LOCAL, body_local_quantities,
                                  HN_BODY_LOCAL_QUANTITIES, text, length);
}

static int find_joint(const hn_signals *s, const char *text, size_t length) {
  int found = find_element(s, HN_NAME_JOINT, HN_SIGNAL_REACTION, reaction_quantities,
                           HN_REACTION_QUANTITIES, text, length);
  if (found < 0)
    found = find_element(s, HN_NAME_JOINT, HN_SIGNAL_REACTION_LOCAL, reaction_local_quantities,
                         HN_REACTION_QUANTITIES, text, length);
  return found >= 0 ? found : find_coordinate(s, text, length);
}

static int find_force(const hn_signals *s, const char *text, size_t length) {
  int found = find_element(s, HN_NAME_FORCE, HN_SIGNAL_FORCE, force_quantities, HN_FORCE_QUANTITIES,
                           text, length);
  if (found < 0)
    found = find_element(s, HN_NAME_FORCE, HN_SIGNAL_FORCE_VECTOR, vector_quantities,
                         HN_VECTOR_QUANTITIES, text, length);
  return found >= 0 ? found
                    : find_element(s, HN_NAME_FORCE, HN_SIGNAL_TYRE, tyre_quantities,
                                   HN_ROLLING_QUANTITIES, text, length);
}

static int find_built_in(const hn_signals *s, const char *text, size_t length) {
  static const hn_quantity driver_quantity = {".force", NULL};
  if (skip_prefix(&text, &length, "body.")) return find_body(s, text, length);
  if (skip_prefix(&text, &length, "marker."))
    return find_element(s, HN_NAME_MARKER, HN_SIGNAL_MARKER, body_quantities, HN_MARKER_QUANTITIES,
                        text, length);
  if (skip_prefix(&text, &length, "joint.")) return find_joint(s, text, length);
  if (skip_prefix(&text, &length, "driver."))
    return find_element(s, HN_NAME_DRIVER, HN_SIGNAL_DRIVER, &driver_quantity, 1, text, length);
  if (skip_prefix(&text, &length, "force.")) return find_force(s, text, length);
  if (skip_prefix(&text, &length, "contact.")) return find_contact(s, text, length);
  static const hn_quantity input_quantity = {".value", NULL};
  if (skip_prefix(&text, &length, "input."))
    return find_element(s, HN_NAME_INPUT, HN_SIGNAL_INPUT, &input_quantity, 1, text, length);
  if (skip_prefix(&text, &length, "state.")) {
    int state = hn_model_find(s->model, HN_NAME_STATE, text, length);
    return state >= 0 ? s->state_start + state : -1;
  }
  if (skip_prefix(&text, &length, "energy."))
    return find_global(s, HN_SIGNAL_ENERGY, energy_quantities, HN_ENERGY_QUANTITIES, text, length);
  if (skip_prefix(&text, &length, "constraint."))
    return find_global(s, HN_SIGNAL_CONSTRAINT, constraint_quantities, HN_CONSTRAINT_QUANTITIES,
                       text, length);
  if (skip_prefix(&text, &length, "step."))
    return find_global(s, HN_SIGNAL_STEP, step_quantities, HN_STEP_QUANTITIES, text, length);
  return -1;
}

int hn_signals_find_part(const hn_signals *s, const char *name, size_t length) {
  int output = hn_model_find(s->model, HN_NAME_OUTPUT, name, length);
  return output >= 0 && output < s->output_count ? output : find_built_in(s, name, length);
}

int hn_signals_find(const hn_signals *signals, const char *name) {
  return name ? hn_signals_find_part(signals, name, strlen(name)) : -1;
}

// In bundles, the best so far first, so that no list of all names is ever made.
const char *hn_signals_nearest(const hn_signals *s, const char *name) {
  enum { BUNDLE = 64, SIZE = 256 };
  char texts[BUNDLE][SIZE], best[SIZE] = "";
  const char *words[BUNDLE + 1];
  int best_index = -1;
  for (int first = 0; first < s->count; first += BUNDLE) {
    int count = s->count - first < BUNDLE ? s->count - first : BUNDLE;
    words[0] = best_index >= 0 ? best : NULL;
    for (int k = 0; k < count; k++) {
      write_name(s, first + k, texts[k], SIZE);
      words[k + 1] = texts[k];
    }
    const char *found = hn_nearest_word(name, words, count + 1);
    for (int k = 0; k < count; k++)
      if (found == texts[k]) {
        best_index = first + k;
        memcpy(best, texts[k], SIZE);
      }
  }
  return best_index >= 0 ? hn_signals_name(s, best_index) : NULL;
}
