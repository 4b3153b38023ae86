// JSON as it is written: commas and keys, objects and lists inside each other. (math/json.h reads it.)
#ifndef HN_BASE_JSON_WRITER_H
#define HN_BASE_JSON_WRITER_H

#include "base/text.h"

#define HN_JSON_LEVELS 16

// A zeroed one is empty. Keys are null inside a list and outside of all.
typedef struct hn_json_writer {
  hn_string text;
  int depth;
  int filled[HN_JSON_LEVELS]; // whether the level has a member already
} hn_json_writer;

void hn_json_open(hn_json_writer *json, const char *key, char bracket); // '{' or '['
void hn_json_close(hn_json_writer *json, char bracket);                 // '}' or ']'
void hn_json_number(hn_json_writer *json, const char *key, double number);
void hn_json_integer(hn_json_writer *json, const char *key, long number);
void hn_json_boolean(hn_json_writer *json, const char *key, int truth);
void hn_json_string(hn_json_writer *json, const char *key, const char *string); // null: null
void hn_json_vector(hn_json_writer *json, const char *key, const double *numbers, int count);
// A member whose value is JSON already.
void hn_json_raw(hn_json_writer *json, const char *key, const char *value);
// {"code", "element", "message", "hint", "file", "line", "column"}; options as a program writes them.
void hn_json_error(hn_json_writer *json, const char *key, const hn_error *error);
// Adds a JSON value of one line with one member a line instead.
void hn_string_indented(hn_string *string, const char *value);

#endif
