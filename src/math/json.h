// JSON text as a tree, for files that other programs wrote: bounds on depth and size, errors with
// line and column.
#ifndef HN_MATH_JSON_H
#define HN_MATH_JSON_H

#include "base/arena.h"

#define HN_JSON_DEPTH 64
#define HN_JSON_NODES 20000000

typedef enum hn_json_kind {
  HN_JSON_NULL,
  HN_JSON_FALSE,
  HN_JSON_TRUE,
  HN_JSON_NUMBER,
  HN_JSON_STRING,
  HN_JSON_ARRAY,
  HN_JSON_OBJECT
} hn_json_kind;

typedef struct hn_json hn_json;
struct hn_json {
  hn_json_kind kind;
  int line, column; // from 1, in characters
  int key_line, key_column;
  int count;        // of an array or object
  const char *key;  // in an object
  const char *text; // string: UTF-8, terminated; number: as written, in the text that was read
  size_t length;    // of text
  double number;
  hn_json *first, *next;
};

typedef struct hn_json_limits {
  int depth;
  long nodes;
} hn_json_limits;

// The tree lives in the arena; numbers refer to the text as well. file is the name in messages.
hn_status hn_json_parse_within(hn_arena *arena, const char *text, size_t size, const char *file,
                               const hn_json_limits *limits, hn_json **root, hn_error *error);
// The same within HN_JSON_DEPTH and HN_JSON_NODES.
hn_status hn_json_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                        hn_json **root, hn_error *error);
const hn_json *hn_json_get(const hn_json *object, const char *key); // or null; of null null
// A missing value, or one of another kind, gives `other`.
double hn_json_number_at(const hn_json *object, const char *key, double other);
const char *hn_json_text_at(const hn_json *object, const char *key, const char *other);
// A whole number between low and high, else -1.
int hn_json_index(const hn_json *node, int low, int high);
// The numbers of an array of exactly count; 0 when it is not one.
int hn_json_numbers_of(const hn_json *array, double *numbers, int count);

#endif
