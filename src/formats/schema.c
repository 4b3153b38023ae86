// The JSON Schema (draft-07) of model files, written from the table of keys.
//
// It serves editors: keys with their descriptions, words to choose from, shapes of values. What it
// cannot say (references, units, which keys exclude each other) the loader checks.
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "formats/keys.h"
#include "holon/load.h"

static void put_reference(hn_string *w, const char *definition) {
  hn_string_text(w, "{\"$ref\": \"#/definitions/");
  hn_string_text(w, definition);
  hn_string_text(w, "\"}");
}

// ---- values of every type -----------------------------------------------------------------------

#define NUMBER "{\"$ref\": \"#/definitions/number\"}"
#define LIST(items, least, most)                                                                   \
  "{\"type\": \"array\", \"items\": " items ", \"minItems\": " least ", \"maxItems\": " most "}"
#define REFERENCE(name) "{\"$ref\": \"#/definitions/" name "\"}"

static const struct {
  const char *name, *schema;
} definitions[] = {
    {"number",
     "{\"description\": \"a number, a number with a unit (5 mm), or a formula of parameters\", "
     "\"type\": [\"number\", \"string\"]}"},
    {"text", "{\"type\": [\"string\", \"number\"]}"},
    {"name", "{\"type\": \"string\", \"minLength\": 1}"},
    {"boolean", "{\"enum\": [true, false, \"true\", \"false\"]}"},
    {"formula", "{\"type\": [\"number\", \"string\"]}"},
    {"condition", "{\"type\": [\"number\", \"string\", \"boolean\"]}"},
    {"twoNames", LIST(REFERENCE("name"), "2", "2")},
    {"numbers", "{\"type\": \"array\", \"items\": " NUMBER ", \"minItems\": 1}"},
    {"twoNumbers", LIST(NUMBER, "2", "2")},
    {"sixNumbers", LIST(NUMBER, "6", "6")},
    {"inertia",
     "{\"anyOf\": [" NUMBER ", " LIST(NUMBER, "3", "3") ", " LIST(NUMBER, "6", "6") "]}"},
    {"pairs", "{\"type\": \"array\", \"items\": " LIST(NUMBER, "2", "2") ", \"minItems\": 2}"},
    {"curvePoints",
     "{\"type\": \"array\", \"items\": " LIST(NUMBER, "2", "3") ", \"minItems\": 2}"},
    {"table", "{\"anyOf\": [{\"type\": \"string\"}, " REFERENCE("pairs") "]}"},
    {"twoTexts", LIST(REFERENCE("text"), "2", "2")},
    {"vector", LIST(NUMBER, "3", "3")},
    {"point", "{\"description\": \"[x, y, z], points.NAME or BODY.MARKER\", \"anyOf\": ["
              "{\"type\": \"string\"}, " LIST(NUMBER, "3", "3") "]}"},
    {"twoPoints", LIST(REFERENCE("point"), "2", "2")},
    {"direction",
     "{\"description\": \"x, -x, ..., [x, y, z] or {from: POINT, to: POINT}\", "
     "\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\", \"+x\", "
     "\"+y\", \"+z\"]}, " LIST(NUMBER, "3", "3") ", " REFERENCE("section-direction") "]}"},
    {"twoDirections", LIST(REFERENCE("direction"), "2", "2")},
    {"orientation", REFERENCE("section-orientation")},
    {"law", "{\"anyOf\": [{\"type\": [\"number\", \"string\"]}, " REFERENCE(
                "section-law") ", " LIST("{}", "3", "3") "]}"},
    {"threeLaws", LIST(REFERENCE("law"), "3", "3")},
    {"parameters", "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", "
                   "\"string\", \"null\"]}}"},
    {"coordinates", "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", "
                    "\"string\", \"boolean\"]}}"},
    {"ranges", "{\"type\": \"object\", \"minProperties\": 1, \"additionalProperties\": " LIST(
                   NUMBER, "2", "2") "}"},
    {"mirror", "{\"anyOf\": [{\"enum\": [\"x\", \"y\", \"z\"]}, {\"type\": \"array\", \"items\": "
               "{\"enum\": [\"x\", \"y\", \"z\"]}}]}"},
    {"bodyMap", "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\"}}"},
    {"formulas",
     "{\"type\": \"object\", \"additionalProperties\": {\"type\": [\"number\", \"string\"]}}"},
};

// ---- keys ---------------------------------------------------------------------------------------

static void put_words(hn_string *w, const char *words) {
  hn_string_text(w, "{\"enum\": [");
  for (const char *at = words; *at;) {
    size_t length = strcspn(at, " ");
    if (at != words) hn_string_text(w, ", ");
    hn_string_json_part(w, at, length);
    at += length + (at[length] == ' ');
  }
  hn_string_text(w, "]}");
}

// Schema of an entry's value: a map, or for some kinds a short form.
static void put_entries(hn_string *w, const char *section) {
  const char *short_form = strcmp(section, "point") == 0 || strcmp(section, "marker") == 0 ? "point"
                           : strcmp(section, "output") == 0 ? "formula"
                           : strcmp(section, "input") == 0  ? "number"
                                                            : NULL;
  hn_string_text(w, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
  if (short_form) {
    hn_string_text(w, "{\"anyOf\": [");
    put_reference(w, short_form);
    hn_string_text(w, ", ");
  }
  char name[64];
  put_reference(w, hn_text(name, sizeof name, "section-%s", section));
  if (short_form) hn_string_text(w, "]}");
  hn_string_text(w, "}");
}

static void put_value(hn_string *w, const hn_key *key, const hn_section *section) {
  char name[64];
  hn_text(name, sizeof name, "section-%s", key->detail);
  switch (key->type) {
  case HN_KEY_CHOICE:
    if (section->variant && strcmp(key->name, "type") == 0) {
      hn_string_text(w, "{\"const\": ");
      hn_string_json(w, section->variant);
      hn_string_text(w, "}");
    } else {
      char words[HN_KEY_WORDS];
      put_words(w, hn_key_words(key, words, sizeof words));
    }
    return;
  case HN_KEY_NAMES:
    hn_string_text(w, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}");
    return;
  case HN_KEY_SECTION: put_reference(w, name); return;
  case HN_KEY_ENTRIES: put_entries(w, key->detail); return;
  case HN_KEY_LIST:
    hn_string_text(w, "{\"type\": \"array\", \"minItems\": 1, \"items\": ");
    put_reference(w, name);
    hn_string_text(w, "}");
    return;
  case HN_KEY_NUMBER:
  case HN_KEY_BOOLEAN:
  case HN_KEY_TEXT:
  case HN_KEY_NAME:
  case HN_KEY_TWO_NAMES:
  case HN_KEY_NUMBERS:
  case HN_KEY_TWO_NUMBERS:
  case HN_KEY_SIX_NUMBERS:
  case HN_KEY_INERTIA:
  case HN_KEY_CURVE:
  case HN_KEY_PAIRS:
  case HN_KEY_TABLE:
  case HN_KEY_TWO_TEXTS:
  case HN_KEY_VECTOR:
  case HN_KEY_POINT:
  case HN_KEY_TWO_POINTS:
  case HN_KEY_DIRECTION:
  case HN_KEY_TWO_DIRECTIONS:
  case HN_KEY_ORIENTATION:
  case HN_KEY_LAW:
  case HN_KEY_THREE_LAWS:
  case HN_KEY_FORMULA:
  case HN_KEY_PARAMETERS:
  case HN_KEY_COORDINATES:
  case HN_KEY_RANGES:
  case HN_KEY_CONDITION:
  case HN_KEY_MIRROR:
  case HN_KEY_BODY_MAP:
  case HN_KEY_FORMULAS:
  case HN_KEY_TYPES: break;
  }
  put_reference(w, hn_key_type_definition(key->type));
}

// Siblings of $ref are ignored in draft-07, so the description goes around it.
static void put_key(hn_string *w, const hn_key *key, const hn_section *section) {
  char text[320], unit[64] = "";
  if (key->meaning != HN_NUMBER && key->meaning < HN_MEANINGS)
    hn_text(unit, sizeof unit, " [%s]", hn_meaning_unit(key->meaning));
  int required = strncmp(key->default_text, "required", 8) == 0;
  hn_text(text, sizeof text, "%s%s; %s%s", key->description, unit,
          required ? "" : "default: ", key->default_text);
  hn_string_text(w, "        ");
  hn_string_json(w, key->name);
  hn_string_text(w, ": {\"description\": ");
  hn_string_json(w, text);
  hn_string_text(w, ", \"allOf\": [");
  put_value(w, key, section);
  hn_string_text(w, "]}");
}

static void put_properties(hn_string *w, const hn_section *section) {
  hn_string_text(w, "{\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n");
  if (section->variant) hn_string_text(w, "      \"required\": [\"type\"],\n");
  hn_string_text(w, "      \"properties\": {\n");
  int first = 1;
  for (int k = 0; k < section->key_count; k++) {
    if (!hn_section_has(section, k)) continue;
    hn_string_text(w, first ? "" : ",\n");
    put_key(w, &section->keys[k], section);
    first = 0;
  }
  hn_string_text(w, "\n      }\n    }");
}

// A section with variants: the one whose type it has.
static void put_variants(hn_string *w, const char *name) {
  hn_string_text(w, "{\"oneOf\": [");
  const hn_section *section;
  int first = 1;
  for (int k = 0; (section = hn_section_at(k)); k++) {
    if (strcmp(section->name, name) != 0) continue;
    hn_string_text(w, first ? "\n    " : ",\n    ");
    put_properties(w, section);
    first = 0;
  }
  hn_string_text(w, "]}");
}

static void put_schema(hn_string *w) {
  hn_string_text(
      w,
      "{\n  \"$id\": \"holon-model.schema.json\",\n"
      "  \"$comment\": \"JSON Schema draft-07, made from the loader's own table of keys\",\n"
      "  \"title\": \"Holon model\",\n  \"allOf\": [{\"$ref\": \"#/definitions/section-model\"}],\n"
      "  \"definitions\": {");
  for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++) {
    hn_string_text(w, k ? ",\n    " : "\n    ");
    hn_string_json(w, definitions[k].name);
    hn_string_text(w, ": ");
    hn_string_text(w, definitions[k].schema);
  }
  const hn_section *section, *before = NULL;
  for (int k = 0; (section = hn_section_at(k)); before = section, k++) {
    if (before && strcmp(before->name, section->name) == 0) continue;
    char name[64];
    hn_string_text(w, ",\n    ");
    hn_string_json(w, hn_text(name, sizeof name, "section-%s", section->name));
    hn_string_text(w, ": ");
    if (section->variant)
      put_variants(w, section->name);
    else
      put_properties(w, section);
  }
  hn_string_text(w, "\n  }\n}\n");
}

const char *hn_list_forces(int index) {
  const hn_section *section;
  for (int k = 0; (section = hn_section_at(k)) != NULL; k++)
    if (strcmp(section->name, "force") == 0 && index-- == 0) return section->variant;
  return NULL;
}

hn_status hn_model_schema(char *text, size_t size, size_t *needed) {
  hn_string w = {0};
  put_schema(&w);
  hn_status status = hn_string_give(&w, text, size, needed);
  hn_string_free(&w);
  return status;
}
