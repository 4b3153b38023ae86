// Hints for keys that are unknown, missing or without effect: the key for a word of another
// program, keys that exclude or need each other, how a key is written.
//
// Out of scope: finding them (fields.c).
#include "formats/key_hints.h"

#include <string.h>

#include "base/error.h"

// ---- words of other programs --------------------------------------------------------------------

// section ("": any), word, key of ours. The first row whose key the section has counts.
static const char *const synonyms[][3] = {
    {"simulation", "end_time", "time"},
    {"simulation", "stop_time", "time"},
    {"simulation", "final_time", "time"},
    {"simulation", "duration", "time"},
    {"simulation", "end", "time"},
    {"simulation", "t_end", "time"},
    {"simulation", "tend", "time"},
    {"simulation", "t_final", "time"},
    {"simulation", "t_stop", "time"},
    {"simulation", "dt", "step"},
    {"simulation", "timestep", "step"},
    {"simulation", "time_step", "step"},
    {"simulation", "step_size", "step"},
    {"simulation", "fixed_step", "step"},
    {"simulation", "hmax", "max_step"},
    {"simulation", "tolerance", "tol"},
    {"simulation", "error", "tol"},
    {"simulation", "abstol", "atol"},
    {"simulation", "abs_tol", "atol"},
    {"simulation", "reltol", "rtol"},
    {"simulation", "rel_tol", "rtol"},
    {"simulation", "integrator", "formula"},
    {"simulation", "solver", "formula"},
    {"simulation", "sample_time", "output_step"},
    {"simulation", "output_interval", "output_step"},
    {"simulation", "output_dt", "output_step"},
    {"model", "parts", "bodies"},
    {"model", "links", "bodies"},
    {"model", "constraints", "joints"},
    {"model", "connections", "joints"},
    {"model", "motions", "drivers"},
    {"model", "motors", "drivers"},
    {"model", "actuators", "drivers"},
    {"model", "springs", "forces"},
    {"model", "dampers", "forces"},
    {"model", "loads", "forces"},
    {"model", "sensors", "outputs"},
    {"model", "requests", "outputs"},
    {"model", "measures", "outputs"},
    {"model", "results", "outputs"},
    {"model", "variables", "parameters"},
    {"model", "constants", "parameters"},
    {"model", "settings", "simulation"},
    {"model", "options", "simulation"},
    {"model", "solver", "simulation"},
    {"model", "subsystems", "components"},
    {"model", "assemblies", "components"},
    {"model", "model", "name"},
    {"model", "description", "title"},
    {"model", "version", "holon"},
    {"driver", "function", "motion"},
    {"driver", "expression", "motion"},
    {"driver", "law", "motion"},
    {"driver", "value", "motion"},
    {"driver", "angle", "motion"},
    {"driver", "displacement", "motion"},
    {"output", "formula", "value"},
    {"output", "signal", "value"},
    {"output", "expression", "value"},
    {"contact", "mu", "friction"},
    {"material", "mu", "friction"},
    {"", "location", "at"},
    {"", "location", "position"},
    {"", "loc", "at"},
    {"", "pos", "position"},
    {"", "pos", "at"},
    {"", "xyz", "position"},
    {"", "position", "at"},
    {"", "origin", "position"},
    {"", "origin", "at"},
    {"", "anchor", "at"},
    {"", "point", "at"},
    {"", "point", "points"},
    {"", "rotation", "orientation"},
    {"", "rpy", "orientation"},
    {"", "euler", "orientation"},
    {"", "quaternion", "orientation"},
    {"", "direction", "axis"},
    {"", "rotation_axis", "axis"},
    {"", "body", "bodies"},
    {"", "between", "bodies"},
    {"", "connects", "bodies"},
    {"", "parent", "bodies"},
    {"", "child", "bodies"},
    {"", "joint_type", "type"},
    {"", "kind", "type"},
    {"", "class", "type"},
    {"", "m", "mass"},
    {"", "weight", "mass"},
    {"", "com", "center"},
    {"", "cog", "center"},
    {"", "cg", "center"},
    {"", "cm", "center"},
    {"", "center_of_mass", "center"},
    {"", "centre_of_mass", "center"},
    {"", "mass_center", "center"},
    {"", "moments_of_inertia", "inertia"},
    {"", "moment_of_inertia", "inertia"},
    {"", "inertia_tensor", "inertia"},
    {"", "ixx", "inertia"},
    {"", "geometry", "shape"},
    {"", "visual", "shape"},
    {"", "geom", "shape"},
    {"", "initial_velocity", "initial"},
    {"", "initial_angle", "initial"},
    {"", "velocity", "initial"},
    {"", "k", "stiffness"},
    {"", "spring_constant", "stiffness"},
    {"", "spring_rate", "stiffness"},
    {"", "rate", "stiffness"},
    {"", "c", "damping"},
    {"", "d", "damping"},
    {"", "damping_coefficient", "damping"},
    {"", "damper", "damping"},
    {"", "l0", "free_length"},
    {"", "rest_length", "free_length"},
    {"", "natural_length", "free_length"},
    {"", "initial_length", "free_length"},
    {"", "undeformed_length", "free_length"},
    {"", "length", "free_length"},
    {"", "rest_angle", "free_angle"},
    {"", "theta0", "free_angle"},
    {"", "rest", "free"},
    {"", "min", "lower"},
    {"", "max", "upper"},
    {"", "coefficient_of_restitution", "restitution"},
    {"", "e", "restitution"},
    {"", "friction_coefficient", "friction"},
    {"", "r", "radius"},
    {"", "file", "model"},
    {"", "property_file", "model"},
    {"", "colour", "color"},
    {"", "rgba", "color"},
};

static int same_word(const char *a, const char *b) {
  for (; *a && *b; a++, b++)
    if ((*a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a) != *b) return 0;
  return *a == *b;
}

const char *hn_key_elsewhere(const hn_section *section, const char *word) {
  for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++) {
    if (!same_word(word, synonyms[k][1])) continue;
    if (synonyms[k][0][0] && strcmp(synonyms[k][0], section->name) != 0) continue;
    int place = hn_section_key(section, synonyms[k][2]);
    if (place >= 0) return section->keys[place].name;
  }
  return NULL;
}

const char *hn_type_elsewhere(const char *word, const char *const *words, int count) {
  static const char *const pairs[][2] = {
      {"prismatic", "translational"},
      {"slider", "translational"},
      {"slide", "translational"},
      {"hinge", "revolute"},
      {"pin", "revolute"},
      {"continuous", "revolute"},
      {"ball", "spherical"},
      {"weld", "fixed"},
      {"rigid", "fixed"},
      {"hooke", "universal"},
      {"cardan", "universal"},
      {"spring", "spring-damper"},
      {"damper", "spring-damper"},
      {"tsda", "spring-damper"},
      {"torsion-spring", "rotational-spring-damper"},
      {"friction", "joint-friction"},
      {"force", "point-force"},
      {"tire", "tyre"},
      {"cable", "tendon"},
      {"rope", "tendon"},
  };
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    for (int k = 0; same_word(word, pairs[p][0]) && k < count; k++)
      if (strcmp(words[k], pairs[p][1]) == 0) return words[k];
  return NULL;
}

// ---- unknown keys -------------------------------------------------------------------------------

static int key_names(const hn_section *section, const char **names) {
  int count = 0;
  for (int k = 0; k < section->key_count; k++)
    if (hn_section_has(section, k)) names[count++] = section->keys[k].name;
  return count;
}

const char *hn_section_list(const hn_section *section, char *buffer, size_t size) {
  const char *names[HN_SECTION_KEYS];
  int count = key_names(section, names);
  return hn_text_list(buffer, size, names, count);
}

// The value before an unknown key, if it ends inside a parenthesis: {motion: min(t, 1)} has two keys.
static const hn_node *torn_value(const hn_node *map, const hn_node *key) {
  const hn_node *before = map->first;
  while (before && before->next != key) before = before->next;
  if (!before || before->kind != HN_NODE_SCALAR || !before->text || !before->key) return NULL;
  int open = 0;
  for (const char *c = before->text; *c; c++) open += (*c == '(') - (*c == ')');
  return open > 0 ? before : NULL;
}

// The only key of which the word is one end: `axis` of spin_axis.
static const char *longer_key(const hn_section *section, const char *word) {
  const char *found = NULL;
  size_t length = strlen(word);
  for (int k = 0; k < section->key_count && length >= 3; k++) {
    const char *name = section->keys[k].name;
    size_t more = strlen(name);
    if (!hn_section_has(section, k) || more <= length + 1) continue;
    int ends = strcmp(name + more - length, word) == 0 && name[more - length - 1] == '_';
    int begins = strncmp(name, word, length) == 0 && name[length] == '_';
    if (!ends && !begins) continue;
    if (found) return NULL;
    found = name;
  }
  return found;
}

// Words that are no key of ours under another name: 0 when there is nothing to say.
static int explain_word(const hn_section *section, const hn_node *map, const hn_node *node,
                        char *hint, size_t size) {
  static const char *const counts[] = {"steps", "n_steps", "number_of_steps", "output_steps",
                                       "nsteps"};
  const int is_run = strcmp(section->name, "simulation") == 0;
  for (size_t k = 0; is_run && k < sizeof counts / sizeof *counts; k++) {
    if (!same_word(node->key, counts[k])) continue;
    const hn_node *time = hn_node_get(map, "time");
    if (!time) time = hn_node_get(map, "end_time");
    hn_text(hint, size, "For %.20s output times write `output_step: %.20s/%.20s`.",
            node->text ? node->text : "N", time && time->text ? time->text : "TIME",
            node->text ? node->text : "N");
    return 1;
  }
  static const char *const rows[][3] = {
      {"body", "length",
       "Bodies have no length; joints and markers have points. To display one, add `shape: {link: "
       "{from: [0, 0, 0], to: [1, 0, 0]}}`."},
      {"driver", "velocity",
       "Give the position as a function of time; for a constant velocity write `motion: 2*t`."},
      {"driver", "speed",
       "Give the position as a function of time; for a constant speed write `motion: 2*t`."},
      {"force", "preload",
       "Give `free_length`: initial length plus preload/stiffness (compression), or minus "
       "(tension)."},
      {"simulation", "gravity", "Move `gravity:` to the top level of the model."},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(rows[k][0], section->name) == 0 && same_word(node->key, rows[k][1])) {
      hn_text(hint, size, "%s", rows[k][2]);
      return 1;
    }
  return 0;
}

static const char *nearest_key(const hn_section *section, const char *word) {
  const char *names[HN_SECTION_KEYS];
  int count = key_names(section, names);
  for (int k = 0; k < section->key_count; k++) // `body:` for `bodies:`
    if (section->keys[k].type == HN_KEY_ENTRIES && hn_section_has(section, k) &&
        strcmp(section->keys[k].detail, word) == 0)
      return section->keys[k].name;
  const char *nearest = hn_key_elsewhere(section, word);
  if (!nearest) nearest = hn_nearest_word(word, names, count);
  return nearest ? nearest : longer_key(section, word);
}

// "The type screw has it. " where other types of the section have the key; else "".
static const char *types_with(const hn_section *section, const char *key, char *text, size_t size) {
  const char *words[8];
  const hn_section *other;
  int count = 0;
  char list[160];
  text[0] = '\0';
  for (int k = 0; section->variant && count < 8 && (other = hn_section_at(k)); k++)
    if (other->variant && strcmp(other->name, section->name) == 0 &&
        hn_section_key(other, key) >= 0)
      words[count++] = other->variant;
  if (count == 0 || count == 8) return text; // of so many types it says nothing
  return hn_text(text, size, "The type%s %s ha%s it. ", count > 1 ? "s" : "",
                 hn_text_list(list, sizeof list, words, count), count > 1 ? "ve" : "s");
}

// " in 'cylinder'" where the map is a part of the element that messages name.
static const char *part_name(const hn_context *context, const hn_section *section,
                             const hn_node *map, char *text, size_t size) {
  const char *element = context->loader->element;
  text[0] = '\0';
  for (int k = 0; k < HN_ENTRY_KINDS; k++)
    if (strcmp(section->name, hn_entry_kind_word((hn_entry_kind)k)) == 0) return text;
  if (strcmp(section->name, "model") == 0 || strcmp(section->name, "ground") == 0 ||
      strcmp(section->name, "external-body") == 0 || (map->key && strcmp(map->key, element) == 0))
    return text;
  if (map->key) return hn_text(text, size, " in '%.40s'", map->key);
  return hn_text(text, size, " in %s", section->title);
}

void hn_key_unknown(const hn_context *context, const hn_section *section, const hn_node *map,
                    const hn_node *node) {
  char hint[700], keys[420], types[200], part[64];
  const hn_node *cut = torn_value(map, node);
  if (cut)
    hn_text(hint, sizeof hint,
            "Within { } and [ ] a value with a comma needs quotes: %.60s: \"%.80s, ...\".",
            cut->key, cut->text);
  else if (strcmp(node->key, "remove") == 0)
    hn_text(hint, sizeof hint,
            "Use this key in overlays only: load a model and apply this file to it "
            "(docs/reference/model/overlays.md).");
  else if (!explain_word(section, map, node, hint, sizeof hint)) {
    const char *nearest = nearest_key(section, node->key);
    if (nearest)
      hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
    else
      hn_text(hint, sizeof hint, "%sKeys of %s: %s.",
              types_with(section, node->key, types, sizeof types), section->title,
              hn_section_list(section, keys, sizeof keys));
  }
  hn_source place = hn_node_key_source(node);
  hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, hint, "has the unknown key '%.80s'%s",
                 node->key, part_name(context, section, map, part, sizeof part));
}

// ---- missing keys -------------------------------------------------------------------------------

// How the value of a key is written; "" where an example says nothing.
static const char *example_of(const hn_key *row, char *text, size_t size) {
  const char *unit = row->meaning < HN_MEANINGS ? hn_meaning_unit(row->meaning) : "";
  int has_unit = unit[0] && row->meaning < HN_COORDINATE_VALUE && row->meaning != HN_NUMBER;
  switch ((int)row->type) {
  case HN_KEY_NUMBER:
    return hn_text(text, size, "%s: 1%s%s", row->name, has_unit ? " " : "", has_unit ? unit : "");
  case HN_KEY_DIRECTION:
    return hn_text(text, size, "%s: z` or `%s: [0, 0, 1]", row->name, row->name);
  case HN_KEY_POINT: return hn_text(text, size, "%s: [0.1, 0, 0]", row->name);
  case HN_KEY_TWO_POINTS: return hn_text(text, size, "%s: [[0, 0, 0], [0.1, 0, 0]]", row->name);
  case HN_KEY_TWO_NAMES:
    if (strcmp(row->detail, "body") == 0)
      return hn_text(text, size, "%s: [ground, BODY]", row->name);
    return hn_text(text, size, "%s: [FIRST, SECOND]", row->name);
  case HN_KEY_NAME: return hn_text(text, size, "%s: NAME", row->name);
  default: return hn_text(text, size, "%s: ...", row->name);
  }
}

void hn_key_missing(const hn_fields *fields, const char *key) {
  int place = hn_section_key(fields->section, key);
  const hn_key *row = place >= 0 ? &fields->section->keys[place] : NULL;
  char hint[400] = "Add it.", example[160], part[64];
  if (row)
    hn_text(hint, sizeof hint, "Add `%s`: %s.", example_of(row, example, sizeof example),
            row->description);
  hn_source where = hn_node_key_source(fields->map);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &where, hint,
                 "has no '%s'%s, which %s needs", key,
                 part_name(fields->context, fields->section, fields->map, part, sizeof part),
                 fields->section->title);
}

// ---- keys without effect ------------------------------------------------------------------------

// A key that has no effect without another.
static const char *const needs[][2] = {
    {"free_length", "stiffness"}, {"free", "stiffness"},   {"free_angle", "stiffness"},
    {"inertia_at", "inertia"},    {"every", "follows"},    {"scale", "mesh"},
    {"relaxation", "model"},      {"low_speed", "model"},  {"side", "model"},
    {"spin_axis", "model"},       {"coordinate", "joint"}, {"static_force", "force"},
    {"static_torque", "torque"},  {"of", "point"},         {"direction", "point"},
    {"columns", "table"},         {"units", "table"},      {"exponent", "law"},
};
// Keys that say the same in different ways, the one that counts second.
static const char *const rivals[][2] = {
    {"mass", "density"},       {"inertia", "solid"},
    {"inertia", "density"},    {"center", "density"},
    {"inertia_at", "density"}, {"inertia_at", "solid"},
    {"bodies", "markers"},     {"at", "markers"},
    {"axis", "markers"},       {"points", "markers"},
    {"reference", "markers"},  {"at", "points"},
    {"bodies", "joint"},       {"at", "joint"},
    {"axis", "joint"},         {"body", "joint"},
    {"point", "joint"},        {"distance", "joint"},
    {"distance", "point"},     {"ratio", "radii"},
    {"groups", "bodies"},      {"coefficient", "polynomial"},
    {"axis", "axes"},          {"radius", "model"},
    {"force", "torque"},       {"torque", "force"},
    {"contact", "model"},      {"following", "joint"},
    {"pulley", "around"},      {"piecewise", "polynomial"},
    {"table", "polynomial"},   {"table", "piecewise"},
};

static int is_given(const hn_fields *fields, const char *key) {
  int place = hn_section_key(fields->section, key);
  return place >= 0 && fields->value[place] != NULL;
}

// The second of a pair with this key, given or not as asked and known to the section; or null.
static const char *partner(const hn_fields *fields, const char *const pairs[][2], size_t count,
                           const char *key, int given) {
  for (size_t k = 0; k < count; k++)
    if (strcmp(pairs[k][0], key) == 0 && hn_section_key(fields->section, pairs[k][1]) >= 0 &&
        is_given(fields, pairs[k][1]) == given)
      return pairs[k][1];
  return NULL;
}

void hn_key_unused(const hn_fields *fields, int place) {
  hn_loader *loader = fields->context->loader;
  const char *key = fields->section->keys[place].name;
  hn_source at = hn_node_key_source(fields->value[place]);
  char hint[400], keys[240];
  const char *rival = partner(fields, rivals, sizeof rivals / sizeof *rivals, key, 1);
  const char *need = partner(fields, needs, sizeof needs / sizeof *needs, key, 0);
  if (rival) {
    hn_text(hint, sizeof hint, "Remove one of them: with '%s' the key '%s' has no effect.", rival,
            key);
    hn_loader_fail(loader, HN_ERROR_MODEL, &at, hint, "has both '%s' and '%s'", key, rival);
  } else if (need) {
    hn_text(hint, sizeof hint, "Add '%s' or delete '%s'.", need, key);
    hn_loader_fail(loader, HN_ERROR_MODEL, &at, hint,
                   "has the key '%s', which has no effect because '%s' is missing", key, need);
  } else {
    const char *used[HN_SECTION_KEYS];
    int count = 0;
    for (int k = 0; k < fields->section->key_count; k++)
      if (k != place && fields->value[k]) used[count++] = fields->section->keys[k].name;
    hn_text(hint, sizeof hint, "Delete it or the key that overrides it. Also given: %s.",
            count ? hn_text_list(keys, sizeof keys, used, count) : "nothing");
    hn_loader_fail(loader, HN_ERROR_MODEL, &at, hint,
                   "has the key '%s', which has no effect with the other keys given", key);
  }
}

// ---- entries that are no maps -------------------------------------------------------------------

void hn_entry_without_keys(const hn_context *context, const hn_node *node,
                           const hn_section *section) {
  char keys[300], hint[400], got[100], part[64];
  const char *first = section->key_count > 0 ? section->keys[0].name : "key";
  hn_text(hint, sizeof hint, "Write %.60s: {%s: ..., ...}. Keys of %s: %s.",
          node->key ? node->key : "it", first, section->title,
          hn_section_list(section, keys, sizeof keys));
  if (node->kind == HN_NODE_SCALAR && node->text && !hn_node_is_null(node))
    hn_text(got, sizeof got, "the single value '%.60s'", node->text);
  else if (node->kind == HN_NODE_SCALAR)
    hn_text(got, sizeof got, "nothing");
  else
    hn_text(got, sizeof got, "%s", hn_node_kind_name(node));
  hn_source place = hn_node_source(node);
  hn_loader_fail(context->loader, HN_ERROR_MODEL, &place, hint, "needs keys with values%s, not %s",
                 part_name(context, section, node, part, sizeof part), got);
}
