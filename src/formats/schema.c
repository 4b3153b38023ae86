// The JSON Schema (draft-07) of model files, written from the table of keys.
//
// It serves editors: keys with their descriptions, words to choose from, shapes of values. What it
// cannot say (references, units, which keys exclude each other) the loader checks.
#include <string.h>

#include "base/error.h"
#include "formats/keys.h"
#include "holon/load.h"

// Text that is counted in full and written as far as there is room.
typedef struct writer {
  char *text;
  size_t size, length;
} writer;

static void put(writer *w, const char *text) {
  size_t length = strlen(text);
  for (size_t k = 0; k < length; k++)
    if (w->length + k + 1 < w->size) w->text[w->length + k] = text[k];
  w->length += length;
  if (w->size > 0) w->text[w->length < w->size ? w->length : w->size - 1] = '\0';
}

static void put_quoted(writer *w, const char *text, size_t length) {
  put(w, "\"");
  for (size_t k = 0; k < length; k++) {
    char escaped[3] = {text[k], '\0', '\0'};
    if (text[k] == '"' || text[k] == '\\') {
      escaped[0] = '\\';
      escaped[1] = text[k];
    }
    put(w, escaped);
  }
  put(w, "\"");
}

static void put_string(writer *w, const char *text) { put_quoted(w, text, strlen(text)); }

static void put_reference(writer *w, const char *definition) {
  put(w, "{\"$ref\": \"#/definitions/");
  put(w, definition);
  put(w, "\"}");
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
};

// ---- keys ---------------------------------------------------------------------------------------

static void put_words(writer *w, const char *words) {
  put(w, "{\"enum\": [");
  for (const char *at = words; *at;) {
    size_t length = strcspn(at, " ");
    if (at != words) put(w, ", ");
    put_quoted(w, at, length);
    at += length + (at[length] == ' ');
  }
  put(w, "]}");
}

// What may stand under the names of an entry: a map, or for some kinds a short form.
static void put_entries(writer *w, const char *section) {
  const char *short_form = strcmp(section, "point") == 0 || strcmp(section, "marker") == 0 ? "point"
                           : strcmp(section, "output") == 0 ? "formula"
                           : strcmp(section, "input") == 0  ? "number"
                                                            : NULL;
  put(w, "{\"type\": [\"object\", \"null\"], \"additionalProperties\": ");
  if (short_form) {
    put(w, "{\"anyOf\": [");
    put_reference(w, short_form);
    put(w, ", ");
  }
  char name[64];
  put_reference(w, hn_text(name, sizeof name, "section-%s", section));
  if (short_form) put(w, "]}");
  put(w, "}");
}

static void put_value(writer *w, const hn_key *key, const hn_section *section) {
  char name[64];
  hn_text(name, sizeof name, "section-%s", key->detail);
  switch (key->type) {
  case HN_KEY_CHOICE:
    if (section->variant && strcmp(key->name, "type") == 0) {
      put(w, "{\"const\": ");
      put_string(w, section->variant);
      put(w, "}");
    } else {
      char words[HN_KEY_WORDS];
      put_words(w, hn_key_words(key, words, sizeof words));
    }
    return;
  case HN_KEY_NAMES: put(w, "{\"type\": \"array\", \"items\": {\"type\": \"string\"}}"); return;
  case HN_KEY_SECTION: put_reference(w, name); return;
  case HN_KEY_ENTRIES: put_entries(w, key->detail); return;
  case HN_KEY_LIST:
    put(w, "{\"type\": \"array\", \"minItems\": 1, \"items\": ");
    put_reference(w, name);
    put(w, "}");
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
  case HN_KEY_PAIRS:
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
  case HN_KEY_TYPES: break;
  }
  put_reference(w, hn_key_type_definition(key->type));
}

// Siblings of $ref are not looked at in draft-07, so the description goes around it.
static void put_key(writer *w, const hn_key *key, const hn_section *section) {
  char text[320], unit[64] = "";
  if (key->meaning != HN_NUMBER && key->meaning < HN_MEANINGS)
    hn_text(unit, sizeof unit, " [%s]", hn_meaning_unit(key->meaning));
  int required = strncmp(key->default_text, "required", 8) == 0;
  hn_text(text, sizeof text, "%s%s; %s%s", key->description, unit,
          required ? "" : "default: ", key->default_text);
  put(w, "        ");
  put_string(w, key->name);
  put(w, ": {\"description\": ");
  put_string(w, text);
  put(w, ", \"allOf\": [");
  put_value(w, key, section);
  put(w, "]}");
}

static void put_properties(writer *w, const hn_section *section) {
  put(w, "{\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n");
  if (section->variant) put(w, "      \"required\": [\"type\"],\n");
  put(w, "      \"properties\": {\n");
  int first = 1;
  for (int k = 0; k < section->key_count; k++) {
    if (!hn_section_has(section, k)) continue;
    put(w, first ? "" : ",\n");
    put_key(w, &section->keys[k], section);
    first = 0;
  }
  put(w, "\n      }\n    }");
}

// A section with variants: the one whose type it has.
static void put_variants(writer *w, const char *name) {
  put(w, "{\"oneOf\": [");
  const hn_section *section;
  int first = 1;
  for (int k = 0; (section = hn_section_at(k)); k++) {
    if (strcmp(section->name, name) != 0) continue;
    put(w, first ? "\n    " : ",\n    ");
    put_properties(w, section);
    first = 0;
  }
  put(w, "]}");
}

static void put_schema(writer *w) {
  put(w,
      "{\n  \"$id\": \"holon-model.schema.json\",\n"
      "  \"$comment\": \"JSON Schema draft-07, made from the loader's own table of keys\",\n"
      "  \"title\": \"Holon model\",\n  \"allOf\": [{\"$ref\": \"#/definitions/section-model\"}],\n"
      "  \"definitions\": {");
  for (size_t k = 0; k < sizeof definitions / sizeof *definitions; k++) {
    put(w, k ? ",\n    " : "\n    ");
    put_string(w, definitions[k].name);
    put(w, ": ");
    put(w, definitions[k].schema);
  }
  const hn_section *section, *before = NULL;
  for (int k = 0; (section = hn_section_at(k)); before = section, k++) {
    if (before && strcmp(before->name, section->name) == 0) continue;
    char name[64];
    put(w, ",\n    ");
    put_string(w, hn_text(name, sizeof name, "section-%s", section->name));
    put(w, ": ");
    if (section->variant)
      put_variants(w, section->name);
    else
      put_properties(w, section);
  }
  put(w, "\n  }\n}\n");
}

hn_status hn_model_schema(char *text, size_t size, size_t *needed) {
  writer w = {text, text ? size : 0, 0};
  put_schema(&w);
  if (needed) *needed = w.length + 1;
  return w.length + 1 <= w.size ? HN_OK : HN_ERROR_LIMIT;
}
