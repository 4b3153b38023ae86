// Outputs: formulas of signals. Names are looked up in the file the output is written in first,
// then in the whole model, and written in full; parameters become numbers, units are converted.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "model/model.h"

// Signals of each kind of element: the text after its name, and its dimension.
typedef struct signal {
  const char *suffix;
  hn_meaning meaning;
} signal;

#define XYZ(name, meaning)                                                                         \
  {name ".x", meaning}, {name ".y", meaning}, { name ".z", meaning }

static const signal body_signals[] = {
    XYZ("position", HN_LENGTH),
    XYZ("velocity", HN_SPEED),
    XYZ("acceleration", HN_ACCELERATION),
    XYZ("angular_velocity", HN_ANGULAR_SPEED),
    XYZ("angular_acceleration", HN_ANGULAR_ACCELERATION),
    {"quaternion.w", HN_NUMBER},
    {"quaternion.x", HN_NUMBER},
    {"quaternion.y", HN_NUMBER},
    {"quaternion.z", HN_NUMBER},
    {"roll", HN_ANGLE},
    {"pitch", HN_ANGLE},
    {"yaw", HN_ANGLE},
    XYZ("local_angular_velocity", HN_ANGULAR_SPEED),
    XYZ("local_angular_acceleration", HN_ANGULAR_ACCELERATION),
};
static const signal marker_signals[] = {XYZ("position", HN_LENGTH), XYZ("velocity", HN_SPEED),
                                        XYZ("acceleration", HN_ACCELERATION)};
static const signal joint_signals[] = {
    XYZ("reaction.force", HN_FORCE), XYZ("reaction.torque", HN_TORQUE),
    XYZ("reaction.local_force", HN_FORCE), XYZ("reaction.local_torque", HN_TORQUE)};
static const signal driver_signals[] = {{"force", HN_ANYTHING}};
static const signal force_signals[] = {
    {"value", HN_ANYTHING},       {"deflection", HN_ANYTHING},   {"rate", HN_ANYTHING},
    {"potential", HN_TORQUE},     XYZ("force", HN_FORCE),        XYZ("torque", HN_TORQUE),
    XYZ("local_force", HN_FORCE), XYZ("local_torque", HN_TORQUE)};
static const signal contact_signals[] = {
    {"gap", HN_LENGTH},     {"gap_rate", HN_SPEED},  {"slip", HN_SPEED},      {"force", HN_FORCE},
    {"friction", HN_FORCE}, XYZ("point", HN_LENGTH), XYZ("normal", HN_NUMBER)};
static const signal tyre_signals[] = {
    {"slip", HN_NUMBER},      {"angle", HN_ANGLE},      {"camber", HN_ANGLE},
    {"fx", HN_FORCE},         {"fy", HN_FORCE},         {"fz", HN_FORCE},
    {"mx", HN_TORQUE},        {"my", HN_TORQUE},        {"mz", HN_TORQUE},
    {"contact.x", HN_LENGTH}, {"contact.y", HN_LENGTH}, {"contact.z", HN_LENGTH},
    {"friction", HN_NUMBER}};
static const signal input_signals[] = {{"value", HN_ANYTHING}};
static const signal energy_signals[] = {{"kinetic", HN_TORQUE},
                                        {"potential", HN_TORQUE},
                                        {"work", HN_TORQUE},
                                        {"total", HN_TORQUE},
                                        {"balance", HN_TORQUE}};
static const signal constraint_signals[] = {
    {"position", HN_ANYTHING}, {"velocity", HN_ANYTHING}, {"acceleration", HN_ANYTHING}};
static const signal step_signals[] = {{"size", HN_TIME}, {"iterations", HN_NUMBER}};

#define SIGNALS(array) array, (int)(sizeof array / sizeof *array)

static const struct kind {
  const char *word;
  int entry; // hn_entry_kind, -1: no element
  const signal *signals;
  int count;
} kinds[] = {
    {"body", HN_ENTRY_BODY, SIGNALS(body_signals)},
    {"marker", HN_ENTRY_MARKER, SIGNALS(marker_signals)},
    {"joint", HN_ENTRY_JOINT, SIGNALS(joint_signals)},
    {"driver", HN_ENTRY_DRIVER, SIGNALS(driver_signals)},
    {"force", HN_ENTRY_FORCE, SIGNALS(force_signals)},
    {"contact", HN_ENTRY_CONTACT, SIGNALS(contact_signals)},
    {"input", HN_ENTRY_INPUT, SIGNALS(input_signals)},
    {"energy", -1, SIGNALS(energy_signals)},
    {"constraint", -1, SIGNALS(constraint_signals)},
    {"step", -1, SIGNALS(step_signals)},
};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

// ---- names of signals ---------------------------------------------------------------------------

// The element at the start of "front_left.arm.position.z": the longest name that is one, in the
// scope or else in the whole model. *rest is what follows it.
static hn_entry *find_element(const hn_context *context, hn_entry_kind kind, const char *text,
                              const char **rest) {
  const char *prefixes[2] = {context->scope->prefix, ""};
  int count = context->scope->prefix[0] ? 2 : 1;
  for (int p = 0; p < count; p++)
    for (size_t length = strlen(text); length > 0; length--) {
      if (text[length] != '.') continue;
      hn_entry *entry = hn_entry_find(context->loader, kind, prefixes[p], text, length);
      if (!entry) continue;
      *rest = text + length + 1;
      return entry;
    }
  return NULL;
}

// "angle", "angle_rate", "angle_acceleration" of a joint that has an angle.
static int coordinate_meaning(hn_entry *joint, const char *word, hn_meaning *meaning) {
  static const char *const tails[] = {"", "_rate", "_acceleration"};
  static const hn_meaning lengths[] = {HN_LENGTH, HN_SPEED, HN_ACCELERATION};
  static const hn_meaning angles[] = {HN_ANGLE, HN_ANGULAR_SPEED, HN_ANGULAR_ACCELERATION};
  const hn_node *node = hn_node_get(joint->node, "type");
  for (int type = 0; node && node->text && type < HN_JOINT_TYPES; type++) {
    if (strcmp(node->text, hn_joint_type_name((hn_joint_type)type)) != 0) continue;
    for (int c = 0; c < HN_COORDINATES; c++)
      for (int k = 0; k < 3; k++) {
        const char *name = hn_coordinate_name((hn_coordinate)c);
        size_t length = strlen(name);
        if (!hn_joint_has_coordinate((hn_joint_type)type, (hn_coordinate)c) ||
            strncmp(word, name, length) != 0 || strcmp(word + length, tails[k]) != 0)
          continue;
        int angle = c == HN_COORDINATE_ANGLE || c == HN_COORDINATE_ANGLE2;
        *meaning = angle ? angles[k] : lengths[k];
        return 1;
      }
  }
  return 0;
}

// Whether a driver or force on a joint acts on an angle: 1, on a length: 0; -1: there is no such joint.
static int turns_joint(hn_entry *element) {
  const hn_node *name = hn_node_get(element->node, "joint");
  const hn_node *coordinate = hn_node_get(element->node, "coordinate");
  if (coordinate && coordinate->text) return strncmp(coordinate->text, "angle", 5) == 0;
  const char *text = name ? hn_text_of(&element->context, name) : NULL;
  hn_entry *joint = text ? hn_entry_need(&element->context, HN_ENTRY_JOINT, text, name) : NULL;
  hn_meaning ignored;
  return joint ? coordinate_meaning(joint, "angle", &ignored) : -1;
}

// Dimension of a force's signals if its type, or its joint's coordinate, determines it.
static void force_meaning(hn_entry *force, const char *word, hn_meaning *meaning) {
  static const char *const along_lengths[] = {"spring-damper", "leaf-spring", "tyre",
                                              "point-force"};
  static const char *const on_joints[] = {"joint-spring-damper", "joint-friction", "joint-stop"};
  static const struct {
    const char *word;
    hn_meaning length, angle;
  } words[] = {{"value", HN_FORCE, HN_TORQUE},
               {"deflection", HN_LENGTH, HN_ANGLE},
               {"rate", HN_SPEED, HN_ANGULAR_SPEED}};
  const hn_node *type = hn_node_get(force->node, "type");
  if (!type || !type->text) return;
  int angle = strcmp(type->text, "rotational-spring-damper") == 0 ? 1 : -1;
  for (size_t k = 0; k < sizeof along_lengths / sizeof *along_lengths; k++)
    if (strcmp(type->text, along_lengths[k]) == 0) angle = 0;
  for (size_t k = 0; k < sizeof on_joints / sizeof *on_joints; k++)
    if (strcmp(type->text, on_joints[k]) == 0) angle = turns_joint(force);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (angle >= 0 && strcmp(word, words[k].word) == 0)
      *meaning = angle ? words[k].angle : words[k].length;
}

// A driver of an angle is a torque, any other a force.
static hn_meaning driver_meaning(hn_entry *driver) {
  if (!hn_node_get(driver->node, "joint")) return HN_FORCE;
  const int angle = turns_joint(driver);
  return angle < 0 ? HN_ANYTHING : angle ? HN_TORQUE : HN_FORCE;
}

// Tyres with a model have signals of their own.
static int tyre_meaning(const hn_entry *force, const char *word, hn_meaning *meaning) {
  if (!hn_node_get(force->node, "model")) return 0;
  for (size_t k = 0; k < sizeof tyre_signals / sizeof *tyre_signals; k++)
    if (strcmp(word, tyre_signals[k].suffix) == 0) {
      *meaning = tyre_signals[k].meaning;
      return 1;
    }
  return 0;
}

static int find_signal(const struct kind *kind, hn_entry *element, const char *suffix,
                       hn_meaning *meaning) {
  if (element && element->kind == HN_ENTRY_CONTACT && isdigit((unsigned char)suffix[0])) {
    while (isdigit((unsigned char)*suffix)) suffix++; // one of its pairs
    if (*suffix == '.') suffix++;
  }
  for (int k = 0; k < kind->count; k++)
    if (strcmp(kind->signals[k].suffix, suffix) == 0) {
      *meaning = kind->signals[k].meaning;
      if (element && element->kind == HN_ENTRY_FORCE) force_meaning(element, suffix, meaning);
      if (element && element->kind == HN_ENTRY_DRIVER) *meaning = driver_meaning(element);
      return 1;
    }
  if (element && element->kind == HN_ENTRY_FORCE) return tyre_meaning(element, suffix, meaning);
  return element && element->kind == HN_ENTRY_JOINT && coordinate_meaning(element, suffix, meaning);
}

// ---- reporting ----------------------------------------------------------------------------------

static hn_status report_kind(const char *text, const hn_source *place, hn_error *error) {
  const char *words[KINDS];
  char first[64], hint[192];
  for (int k = 0; k < KINDS; k++) words[k] = kinds[k].word;
  hn_text(first, sizeof first, "%.*s", (int)(strcspn(text, ".") % 60), text);
  const char *nearest = hn_nearest_word(first, words, KINDS);
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s%.80s'?", nearest, text + strcspn(text, "."));
  else
    hn_text(hint, sizeof hint,
            "Start signals with body, marker, joint, driver, force, contact, energy, constraint or "
            "step.");
  return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint,
                 "'%.80s' is neither a parameter nor a signal", text);
}

static hn_status report_element(const hn_context *context, const struct kind *kind,
                                const char *text, const hn_source *place, hn_error *error) {
  // The name without what looks like the end of a signal, one part at a time.
  char name[HN_FULL_NAME_LENGTH], hint[256];
  hn_text(name, sizeof name, "%s", text);
  const char *nearest = NULL;
  for (char *dot; !nearest && (dot = strrchr(name, '.'));) {
    *dot = '\0';
    nearest = hn_entry_nearest(context, (hn_entry_kind)kind->entry, name);
  }
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean %s.%s?", kind->word, nearest);
  else if (kind->entry == HN_ENTRY_MARKER)
    hn_text(hint, sizeof hint,
            "Define markers in bodies: `bodies: {arm: {markers: {tip: [1, 0, 0]}}}` gives the "
            "signal marker.arm.tip.position.x.");
  else
    hn_text(hint, sizeof hint, "Write the signal as %s.NAME.%s.", kind->word,
            kind->entry == HN_ENTRY_JOINT ? "angle" : kind->signals[0].suffix);
  return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint,
                 "there is no %s for the signal '%s.%.80s'", kind->word, kind->word, text);
}

typedef char signal_word[40];

// The coordinates that a joint has, with their rates and accelerations; returns how many.
static int coordinate_words(hn_entry *joint, signal_word *words, int most) {
  static const char *const tails[] = {"", "_rate", "_acceleration"};
  hn_meaning ignored;
  int count = 0;
  for (int c = 0; c < HN_COORDINATES; c++)
    for (int k = 0; k < 3 && count < most; k++) {
      hn_text(words[count], sizeof *words, "%s%s", hn_coordinate_name((hn_coordinate)c), tails[k]);
      count += coordinate_meaning(joint, words[count], &ignored);
    }
  return count;
}

// Whether words[k] is the x of a vector whose y and z follow.
static int is_vector(const char *const *words, int count, int k) {
  size_t length = strlen(words[k]);
  return k + 2 < count && length > 2 && strcmp(words[k] + length - 2, ".x") == 0 &&
         strncmp(words[k + 1], words[k], length - 1) == 0 && words[k + 1][length - 1] == 'y' &&
         strncmp(words[k + 2], words[k], length - 1) == 0 && words[k + 2][length - 1] == 'z';
}

// "position.x .y .z" for the three of a vector; returns how many texts there are.
static int gather_vectors(const char *const *words, int count, signal_word *texts) {
  int found = 0;
  for (int k = 0; k < count; k++) {
    int vector = is_vector(words, count, k);
    hn_text(texts[found++], sizeof *texts, "%s%s", words[k], vector ? " .y .z" : "");
    if (vector) k += 2;
  }
  return found;
}

// The vector whose last word is the suffix: reaction.torque.x for torque. Null: none.
static const char *vector_named(const char *const *words, int count, const char *suffix) {
  size_t length = strlen(suffix);
  for (int k = 0; k < count; k++) {
    size_t stem = strlen(words[k]) - 2;
    if (!is_vector(words, count, k) || stem < length) continue;
    if (memcmp(words[k] + stem - length, suffix, length) == 0 &&
        (stem == length || words[k][stem - length - 1] == '.'))
      return words[k];
  }
  return NULL;
}

// "velocity.magnitude": the components under a root. 0: not a magnitude.
static int explain_magnitude(const struct kind *kind, const hn_entry *element, const char *suffix,
                             char *hint, size_t size) {
  static const char *const ends[] = {".magnitude", ".norm", ".mag", ".abs", ".length"};
  for (size_t k = 0; element && k < sizeof ends / sizeof *ends; k++) {
    size_t length = strlen(suffix), end = strlen(ends[k]);
    if (length <= end || strcmp(suffix + length - end, ends[k]) != 0) continue;
    char stem[160];
    hn_text(stem, sizeof stem, "%s.%.60s.%.*s", kind->word, element->name, (int)(length - end),
            suffix);
    hn_text(hint, size, "Write it as a formula: sqrt(%.120s.x^2 + %.120s.y^2 + %.120s.z^2).", stem,
            stem, stem);
    return 1;
  }
  return 0;
}

// Suggests what this element has, not what others of its kind have.
static void suggest_signal(const struct kind *kind, const hn_entry *element, const char *suffix,
                           const char *const *words, int count, char *hint, size_t size) {
  const char *vector = vector_named(words, count, suffix), *nearest = NULL;
  const int is_force = kind->entry == HN_ENTRY_FORCE;
  if (explain_magnitude(kind, element, suffix, hint, size)) return;
  if (!vector) nearest = hn_nearest_word(suffix, words, count);
  if (vector && is_force) {
    hn_text(hint, size,
            "Write force.%.60s.value for its value along the line of action (about the axis), or "
            "force.%.60s.%s, .y, .z for components in global axes.",
            element->name, element->name, vector);
  } else if (vector) {
    hn_text(hint, size, "Did you mean '%s', .y or .z?%s", vector,
            kind->entry == HN_ENTRY_JOINT
                ? " Use driver.NAME.force for the driver force (N, or N m for an angle)."
                : "");
  } else if (nearest) {
    hn_text(hint, size, "Did you mean '%s'?", nearest);
  } else {
    signal_word texts[64];
    const char *pointers[64];
    char list[440];
    int found = gather_vectors(words, count, texts);
    for (int k = 0; k < found; k++) pointers[k] = texts[k];
    hn_text(hint, size, "Use one of: %s.", hn_text_list(list, sizeof list, pointers, found));
  }
}

static hn_status report_suffix(const struct kind *kind, hn_entry *element, const char *suffix,
                               const hn_source *place, hn_error *error) {
  const char *words[64];
  signal_word own[3 * HN_COORDINATES];
  char hint[500] = "";
  int count = 0, of_joint = 0;
  if (kind->entry == HN_ENTRY_JOINT) of_joint = coordinate_words(element, own, 3 * HN_COORDINATES);
  for (int k = 0; k < of_joint; k++) words[count++] = own[k];
  for (int k = 0; k < kind->count && count < 64; k++) words[count++] = kind->signals[k].suffix;
  suggest_signal(kind, element, suffix, words, count, hint, sizeof hint);
  return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint, "a %s has no signal '%.80s'", kind->word,
                 suffix);
}

// ---- finding ------------------------------------------------------------------------------------

static hn_status found_signal(hn_named_amount *found, hn_meaning meaning, const char *spelling) {
  found->spelling = spelling;
  found->amount = (hn_amount){.value = 1, .kind = HN_AMOUNT_UNTYPED};
  if (meaning < HN_MEANINGS) {
    found->amount.kind = HN_AMOUNT_TYPED;
    found->amount.dimension = hn_meaning_dimension(meaning);
    found->amount.direct = 1;
  }
  return spelling ? HN_OK : HN_ERROR_MEMORY;
}

// Finds an earlier output: of the same file first.
hn_entry *hn_output_find(const hn_context *context, const char *name, size_t length) {
  hn_entry *entry =
      hn_entry_find(context->loader, HN_ENTRY_OUTPUT, context->scope->prefix, name, length);
  return entry ? entry : hn_entry_find(context->loader, HN_ENTRY_OUTPUT, "", name, length);
}

// "z": of the same file first.
static hn_status find_state(const hn_context *context, const char *name, const hn_source *place,
                            hn_named_amount *found, hn_error *error) {
  hn_loader *loader = context->loader;
  size_t length = strlen(name);
  char full[HN_FULL_NAME_LENGTH + 16], hint[160] = "Define states under `states:`.";
  hn_entry *state = hn_entry_find(loader, HN_ENTRY_STATE, context->scope->prefix, name, length);
  if (!state) state = hn_entry_find(loader, HN_ENTRY_STATE, "", name, length);
  if (!state) {
    const char *nearest = hn_entry_nearest(context, HN_ENTRY_STATE, name);
    if (nearest) hn_text(hint, sizeof hint, "Did you mean state.%s?", nearest);
    return hn_fail(error, HN_ERROR_MODEL, place, NULL, hint, "there is no state '%.80s'", name);
  }
  hn_text(full, sizeof full, "state.%s", state->name);
  hn_status status = found_signal(found, HN_ANYTHING, hn_loader_copy(loader, full));
  const hn_amount *initial = state->data;
  if (initial && initial->kind == HN_AMOUNT_TYPED) {
    found->amount.kind = HN_AMOUNT_TYPED;
    found->amount.dimension = initial->dimension;
    found->amount.direct = 1;
  }
  return status;
}

const hn_output_def *hn_sealed_output_find(const hn_context *context, const char *name) {
  const hn_model *model = context->loader->model;
  const char *prefix = context->scope->prefix;
  const size_t length = strlen(prefix);
  for (int k = 0; k < model->outputs.count && model->part_count > 0; k++) {
    const char *full = model->outputs.item[k].name;
    const int is_own = strncmp(full, prefix, length) == 0 && strcmp(full + length, name) == 0;
    if ((is_own || strcmp(full, name) == 0) && hn_model_hidden_output(model, k) >= 0)
      return &model->outputs.item[k];
  }
  return NULL;
}

hn_entry *hn_signal_block(const hn_context *context, const char *name, size_t length) {
  if (length < 7 || memcmp(name, "state.", 6) != 0) return NULL;
  hn_entry *output = hn_output_find(context, name + 6, length - 6);
  return output && output->is_block ? output : NULL;
}

hn_entry *hn_signal_bound(const hn_context *context, const char *name, size_t length) {
  char text[2 * HN_FULL_NAME_LENGTH];
  const char *rest = NULL;
  if (length < 7 || length >= sizeof text || memcmp(name, "input.", 6) != 0) return NULL;
  hn_text(text, sizeof text, "%.*s", (int)length, name);
  const hn_entry *input = find_element(context, HN_ENTRY_INPUT, text + 6, &rest);
  return input && strcmp(rest, "value") == 0 ? input->owner : NULL;
}

hn_status hn_signal_find(const hn_context *context, const char *name, size_t length,
                         const hn_source *place, hn_named_amount *found, hn_error *error) {
  static const hn_formula signals = {NULL, 0, hn_signal_find, 0};
  hn_loader *loader = context->loader;
  hn_entry *bound = hn_signal_bound(context, name, length);
  if (bound) return hn_signal_inline(bound, &signals, place, found, error);
  char text[2 * HN_FULL_NAME_LENGTH], full[2 * HN_FULL_NAME_LENGTH + 16];
  if (length >= sizeof text)
    return hn_fail(error, HN_ERROR_LIMIT, place, NULL, "Shorten it.",
                   "the name is too long (%zu characters)", length);
  memcpy(text, name, length);
  text[length] = '\0';
  if (strcmp(text, "time") == 0) return found_signal(found, HN_TIME, "time");
  hn_entry *block = hn_signal_block(context, name, length);
  if (block) return found_signal(found, HN_ANYTHING, block->name);
  if (strncmp(text, "state.", 6) == 0) return find_state(context, text + 6, place, found, error);
  hn_entry *output = hn_output_find(context, name, length);
  if (output) return found_signal(found, HN_ANYTHING, output->name);
  const hn_output_def *sealed = hn_sealed_output_find(context, text);
  if (sealed) return found_signal(found, HN_ANYTHING, hn_loader_copy(loader, sealed->name));
  if (strcmp(text, "t") == 0) return found_signal(found, HN_TIME, "time"); // as laws call it
  const struct kind *kind = NULL;
  size_t head = strcspn(text, ".");
  for (int k = 0; k < KINDS && !kind; k++)
    if (text[head] && strlen(kinds[k].word) == head && memcmp(kinds[k].word, text, head) == 0)
      kind = &kinds[k];
  if (!kind) return report_kind(text, place, error);
  const char *suffix = text + head + 1;
  hn_entry *element = NULL;
  if (kind->entry >= 0) {
    element = find_element(context, (hn_entry_kind)kind->entry, text + head + 1, &suffix);
    if (!element) return report_element(context, kind, text + head + 1, place, error);
    if (hn_loader_spoilt(loader, element)) return loader->status;
    if (element->kind == HN_ENTRY_CONTACT && loader->is_sealing)
      return hn_fail(error, HN_ERROR_UNSUPPORTED, place, NULL,
                     "Read it in the model that uses the component: contact.NAME.CONTACT.force.",
                     "reads a contact, which acts outside of the sealed component");
    if (element->kind == HN_ENTRY_BODY && !(element = hn_body_real(element))) return loader->status;
    if (element == &loader->ground)
      return hn_fail(error, HN_ERROR_MODEL, place, NULL, "Use a moving body.",
                     "ground never moves and has no signals");
  }
  hn_meaning meaning;
  if (!find_signal(kind, element, suffix, &meaning))
    return report_suffix(kind, element, suffix, place, error);
  hn_text(full, sizeof full, "%s.%s%s%s", kind->word, element ? element->name : "",
          element ? "." : "", suffix);
  return found_signal(found, meaning, hn_loader_copy(loader, full));
}

// ---- outputs ------------------------------------------------------------------------------------

// Radians vanish next to lengths and masses (v = omega r). Energies and torques have equal
// dimensions: distinguished by the formula's names.
static const char *unit_of(hn_dimension a, const char *formula, char *buffer, size_t size) {
  int is_named = 0;
  for (int k = 0; k < HN_MEANINGS; k++)
    is_named |= hn_dimension_equal(a, hn_meaning_dimension((hn_meaning)k));
  if (!is_named && (a.length != 0 || a.mass != 0)) a.angle = 0;
  if (hn_dimension_equal(a, hn_meaning_dimension(HN_TORQUE)) &&
      (strstr(formula, "energy.") || strstr(formula, ".potential")))
    return "J";
  return hn_dimension_text(a, buffer, size);
}

// The formula in full, divided by the unit's factor; *unit may be null at first.
static const char *convert(hn_loader *loader, const hn_node *node, const hn_amount *value,
                           const char **unit) {
  char *text = loader->scratch;
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') text[--length] = '\0';
  char buffer[64];
  if (!*unit) {
    // A single signal has its own unit.
    int known = value->kind == HN_AMOUNT_TYPED ? !value->direct : value->apparent;
    if (known && !hn_dimension_is_number(value->dimension))
      *unit = hn_loader_copy(loader, unit_of(value->dimension, text, buffer, sizeof buffer));
    return hn_loader_copy(loader, text);
  }
  double factor;
  hn_dimension dimension;
  const char *problem;
  size_t read = hn_unit_read(*unit, strlen(*unit), NULL, NULL, &factor, &dimension, &problem);
  hn_source place = hn_node_source(node);
  if (strcmp(*unit, "1") == 0 || strcmp(*unit, "-") == 0) return hn_loader_copy(loader, text);
  if (read == 0 || problem || (*unit)[read + strspn(*unit + read, " ")]) {
    const char *nearest = hn_unit_nearest(*unit);
    char hint[160] = "See the table of units in docs/reference/model/units.md.";
    if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "has the unknown unit '%.80s'", *unit);
    return NULL;
  }
  if (value->kind != HN_AMOUNT_TYPED) {
    // A formula is taken at its word (`angle*180/pi` in deg); a bare signal would be mislabelled.
    int is_formula = text[strcspn(text, "+-*/^(<>=! ")] != '\0';
    if (factor == 1 || is_formula) return hn_loader_copy(loader, text);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Convert it in the formula and give the SI unit or '-'.",
                   "has the unit '%.80s', but its value has no known dimension", *unit);
    return NULL;
  }
  if (!hn_dimension_equal_without_angles(dimension, value->dimension)) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Give a unit of that dimension, or remove it.",
                   "has the unit '%.80s', but its value is in %s", *unit,
                   hn_dimension_text(value->dimension, buffer, sizeof buffer));
    return NULL;
  }
  if (factor == 1) return hn_loader_copy(loader, text);
  char number[48];
  number[hn_number_write(factor, number, sizeof number)] = '\0';
  size_t size = length + 64;
  char *converted = hn_loader_take(loader, size, 1);
  return converted ? hn_text(converted, size, "(%s)/%s", text, number) : NULL;
}

static void add_output(hn_entry *output) {
  const hn_context *context = &output->context;
  hn_loader *loader = context->loader;
  hn_output_def def = {.name = output->name, .source = hn_node_key_source(output->node)};
  const hn_node *value = output->node;
  hn_fields fields;
  if (value->kind == HN_NODE_MAP) {
    if (!hn_fields_open(context, value, hn_section_find("output", NULL), &fields)) return;
    value = hn_field_need(&fields, "value");
    def.unit = hn_field_text(&fields, "unit");
    hn_fields_close(&fields);
    if (!value) return;
  }
  static const hn_formula signals = {NULL, 0, hn_signal_find, 0};
  hn_amount amount;
  int uses_variables;
  if (hn_formula_of(context, value, &signals, &amount, &uses_variables)) return;
  def.expression = convert(loader, value, &amount, &def.unit);
  if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_add_output(loader->model, &def));
}

// The output that the next name in a formula means, from *at on, which moves behind it; null at the
// end. Functions, units behind numbers, and what is looked up before outputs are passed over.
static hn_entry *next_used(const hn_context *context, const char **at) {
  const char *text = *at, *prefix = context->scope->prefix;
  for (char before = '('; *text;) {
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || (text[length] && strchr("_.", text[length])))
      length++;
    if (length == 0) {
      if (*text != ' ') before = *text;
      text++;
      continue;
    }
    const char *name = text;
    const int may_be_unit = isalnum((unsigned char)before) || strchr("*/", before) != NULL;
    text += length;
    before = text[-1];
    *at = text;
    if (!isalpha((unsigned char)*name) && *name != '_') continue;
    if (text[strspn(text, " ")] == '(') continue;
    if (may_be_unit && hn_unit_find(name, length, NULL, NULL)) continue;
    if (hn_entry_find(context->loader, HN_ENTRY_PARAMETER, prefix, name, length)) continue;
    hn_entry *input = hn_entry_find(context->loader, HN_ENTRY_INPUT, prefix, name, length);
    if (input && input->owner) return input->owner; // a formula in its place
    if (input) continue;
    hn_entry *output = hn_output_find(context, name, length);
    if (output) return output;
  }
  return NULL;
}

enum { MOST_OUTPUT_DEPTH = 100 };

static const hn_node *formula_of(const hn_entry *output) {
  const hn_node *node = output->node;
  return node->kind == HN_NODE_MAP ? hn_node_get(node, "value") : node;
}

// Formulas instead of inputs are no outputs themselves.
static int is_registered(const hn_entry *entry) {
  return hn_entry_find(entry->context.loader, HN_ENTRY_OUTPUT, "", entry->name,
                       strlen(entry->name)) == entry;
}

static void add_after_used(hn_entry *output, int depth);

// NOLINTNEXTLINE(misc-no-recursion): not deeper than MOST_OUTPUT_DEPTH
static void add_used(const hn_entry *user, int depth) {
  const hn_node *value = formula_of(user);
  const char *at = value && value->kind == HN_NODE_SCALAR ? value->text : "";
  if (depth > MOST_OUTPUT_DEPTH) return;
  if (at && strchr(at, '{')) at = NULL; // names with counters: in their order
  for (hn_entry *used; at && (used = next_used(&user->context, &at));) {
    if (is_registered(used))
      add_after_used(used, depth + 1);
    else
      add_used(used, depth + 1);
  }
}

// Adds the outputs that it uses before it; the others keep their order. Of outputs that need each
// other one still comes too late, which is reported when the signals are made.
// NOLINTNEXTLINE(misc-no-recursion): not deeper than MOST_OUTPUT_DEPTH
static void add_after_used(hn_entry *output, int depth) {
  hn_loader *loader = output->context.loader;
  if (output->state != HN_ENTRY_NEW || depth > MOST_OUTPUT_DEPTH) return;
  output->state = HN_ENTRY_BUSY;
  add_used(output, depth);
  if (!hn_loader_goes_on(loader, output)) return;
  output->state = HN_ENTRY_DONE;
  hn_element_name old = hn_loader_begin(loader, "output", output->name);
  add_output(output);
  hn_loader_set_element(loader, &old);
}

void hn_load_outputs(hn_loader *loader) {
  for (hn_entry *output = loader->first[HN_ENTRY_OUTPUT]; hn_loader_goes_on(loader, output);
       output = output->next)
    add_after_used(output, 0);
}
