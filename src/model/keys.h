// Definition of a key of a model file, and entries shared by sections of forces. The tables
// themselves: formats/keys.c, and those of forces with their forces.
#ifndef HN_MODEL_KEYS_H
#define HN_MODEL_KEYS_H

#include "model/meaning.h"

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
  X(HN_KEY_CURVE, "curvePoints", "pairs, some with a bulge")                                       \
  X(HN_KEY_PAIRS, "pairs", "pairs")                                                                \
  X(HN_KEY_TABLE, "table", "pairs or a file")                                                      \
  X(HN_KEY_TWO_TEXTS, "twoTexts", "two texts")                                                     \
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
  X(HN_KEY_BODY_MAP, "bodyMap", "map of bodies")                                                   \
  X(HN_KEY_FORMULAS, "formulas", "map of formulas")

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

#define HN_REQUIRED "required"
// Rows that every entry has, those of a force, and those of its two ends or of its joint.
#define HN_ENTRY_ROWS                                                                              \
  {"repeat", HN_KEY_RANGES, HN_NUMBER, "", "once", "one entry for each number of a range"}, {      \
    "if", HN_KEY_CONDITION, HN_NUMBER, "", "1", "0 omits the entry"                                \
  }
// ... and those with conditions (formats/load_switch.c).
#define HN_SWITCH_DETAIL "conditions"
#define HN_SWITCH_ROWS                                                                             \
  {"when",           HN_KEY_FORMULA, HN_ANYTHING,                                                  \
   HN_SWITCH_DETAIL, "always",       "active while this condition on signals is true"},            \
      {"starts",         HN_KEY_FORMULA, HN_ANYTHING,                                              \
       HN_SWITCH_DETAIL, "at once",      "becomes active when this condition is true"},            \
  {                                                                                                \
    "ends", HN_KEY_FORMULA, HN_ANYTHING, HN_SWITCH_DETAIL, "never",                                \
        "becomes inactive when this condition is true"                                             \
  }
#define HN_TYPE_ROW(words)                                                                         \
  { "type", HN_KEY_CHOICE, HN_NUMBER, words, HN_REQUIRED, "what it is" }
#define HN_FORCE_ROWS HN_TYPE_ROW("@force"), HN_ENTRY_ROWS, HN_SWITCH_ROWS
#define HN_ENDS_ROWS                                                                               \
  {"bodies", HN_KEY_TWO_NAMES, HN_NUMBER, "body", HN_REQUIRED, "first and second body"},           \
      {"points", HN_KEY_TWO_POINTS, HN_LENGTH,                                                     \
       "",       HN_REQUIRED,       "one on each body, in global axes at the start"},              \
  {                                                                                                \
    "markers", HN_KEY_TWO_NAMES, HN_NUMBER, "marker", "none", "instead of bodies and points"       \
  }
#define HN_COORDINATE_ROWS                                                                         \
  {"joint", HN_KEY_NAME, HN_NUMBER, "joint", HN_REQUIRED, "on whose coordinate it acts"}, {        \
    "coordinate", HN_KEY_TEXT, HN_NUMBER, "", "its only one", "which of its coordinates"           \
  }

#endif
