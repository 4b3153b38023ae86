// The table of what may stand in a model file: every section and every key, once.
//
// It drives the loader (unknown keys, missing keys, defaults, units), the JSON Schema and the
// reference tables of docs/model-format.md. A new key is a row here and its use in load_*.c.
#ifndef HN_FORMATS_KEYS_H
#define HN_FORMATS_KEYS_H

#include "formats/unit.h"

// code, definition in the schema ("" where it is made from the row), what the reference calls it
#define HN_KEY_TYPE_LIST(X)                                                                        \
  X(HN_KEY_NUMBER, "number", "number")                                                             \
  X(HN_KEY_BOOLEAN, "boolean", "true or false")                                                    \
  X(HN_KEY_TEXT, "text", "text")                                                                   \
  X(HN_KEY_CHOICE, "", "word")                                                                     \
  X(HN_KEY_NAME, "name", "name")                                                                   \
  X(HN_KEY_NAMES, "", "names")                                                                     \
  X(HN_KEY_TWO_NAMES, "twoNames", "two names")                                                     \
  X(HN_KEY_NUMBERS, "numbers", "numbers")                                                          \
  X(HN_KEY_TWO_NUMBERS, "twoNumbers", "two numbers")                                               \
  X(HN_KEY_SIX_NUMBERS, "sixNumbers", "six numbers")                                               \
  X(HN_KEY_INERTIA, "inertia", "0, three or six numbers")                                          \
  X(HN_KEY_PAIRS, "pairs", "pairs")                                                                \
  X(HN_KEY_VECTOR, "vector", "three numbers")                                                      \
  X(HN_KEY_POINT, "point", "point")                                                                \
  X(HN_KEY_TWO_POINTS, "twoPoints", "two points")                                                  \
  X(HN_KEY_DIRECTION, "direction", "direction")                                                    \
  X(HN_KEY_TWO_DIRECTIONS, "twoDirections", "two directions")                                      \
  X(HN_KEY_ORIENTATION, "orientation", "orientation")                                              \
  X(HN_KEY_LAW, "law", "law")                                                                      \
  X(HN_KEY_THREE_LAWS, "threeLaws", "three laws")                                                  \
  X(HN_KEY_FORMULA, "formula", "formula")                                                          \
  X(HN_KEY_SECTION, "", "map")                                                                     \
  X(HN_KEY_ENTRIES, "", "named entries")                                                           \
  X(HN_KEY_LIST, "", "list")                                                                       \
  X(HN_KEY_PARAMETERS, "parameters", "named numbers")                                              \
  X(HN_KEY_COORDINATES, "coordinates", "map of coordinates")                                       \
  X(HN_KEY_RANGES, "ranges", "ranges")                                                             \
  X(HN_KEY_CONDITION, "condition", "condition")                                                    \
  X(HN_KEY_MIRROR, "mirror", "x, y, z or a list")                                                  \
  X(HN_KEY_BODY_MAP, "bodyMap", "map of bodies")

typedef enum hn_key_type {
#define HN_KEY_TYPE_ENUM(code, definition, name) code,
  HN_KEY_TYPE_LIST(HN_KEY_TYPE_ENUM)
#undef HN_KEY_TYPE_ENUM
      HN_KEY_TYPES
} hn_key_type;

typedef struct hn_key {
  const char *name;
  hn_key_type type;
  hn_meaning meaning; // numbers: what is expected; laws: of their value
  const char *detail; // choice: the words, or @ and a list; name: of what kind; law: its variables;
                      // section, entries, list: the section's name
  const char *default_text; // "required", a number the loader uses, or words for the reader
  const char *description;
} hn_key;

typedef struct hn_section {
  const char *name;    // "body"
  const char *title;   // "a body": in messages
  const char *variant; // the word at `type:` that chooses it, or null
  const hn_key *keys;
  int key_count;
  const char
      *only; // names of those keys it has, between blanks; null: all (joints: hn_section_only)
} hn_section;

#define HN_SECTION_KEYS 40 // at most, in one section
#define HN_KEY_WORDS 512   // room for the words of a choice

// The section of this name (and variant, which may be null), or null.
const hn_section *hn_section_find(const char *name, const char *variant);
// All of them, index from 0; null past the end.
const hn_section *hn_section_at(int index);
// The place of a key in section->keys, or -1 when the section does not have it.
int hn_section_key(const hn_section *section, const char *name);
// Names of the keys it has, between blanks; null: all.
const char *hn_section_only(const hn_section *section);
// The words of a choice between blanks, in `text` where a list of what is built makes them.
const char *hn_key_words(const hn_key *key, char *text, size_t size);
// Whether the section has its key of this place.
int hn_section_has(const hn_section *section, int place);
const char *hn_key_type_name(hn_key_type type);
const char *hn_key_type_definition(hn_key_type type);

#endif
