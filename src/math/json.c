// A reader of JSON (RFC 8259), here because numbers are read as in expressions, whatever the locale.
// Trees are made of linked nodes.
#include "math/json.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/expression.h"

#define NODES_AT_ONCE 256

typedef struct reader {
  hn_arena *arena;
  const char *text, *file;
  size_t size, at;
  hn_json_limits limits;
  int depth;
  long nodes;
  size_t line_start, line_hidden; // bytes of this line that are not the first of a character
  hn_json *free_nodes;            // taken at once: single ones would each fill a cache line
  int free_count;
  int line;
  hn_error *error;
  hn_status status;
} reader;

static int column_of(const reader *r) { return (int)(r->at - r->line_start - r->line_hidden) + 1; }

static hn_json *fail(reader *r, hn_status status, const char *what) {
  if (r->status) return NULL;
  hn_source place = {r->file, r->line, column_of(r)};
  r->status = hn_fail(r->error, status, &place, "the file",
                      "Check that it is complete and in the expected format.", "%s", what);
  return NULL;
}

static void skip_blanks(reader *r) {
  for (; r->at < r->size; r->at++) {
    char c = r->text[r->at];
    if (c == '\n') {
      r->line++;
      r->line_start = r->at + 1;
      r->line_hidden = 0;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

static int take(reader *r, char c) {
  skip_blanks(r);
  if (r->at >= r->size || r->text[r->at] != c) return 0;
  r->at++;
  return 1;
}

// ---- strings ------------------------------------------------------------------------------------

static int hex4(const char *text, unsigned *code) {
  *code = 0;
  for (int k = 0; k < 4; k++) {
    char c = text[k];
    unsigned digit;
    if (c >= '0' && c <= '9')
      digit = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = (unsigned)(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = (unsigned)(c - 'A') + 10;
    else
      return 0;
    *code = *code * 16 + digit;
  }
  return 1;
}

static size_t put_utf8(char *out, unsigned code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  static const unsigned char mark[5] = {0, 0, 0xC0, 0xE0, 0xF0};
  for (size_t k = length - 1; k > 0; k--, code >>= 6) out[k] = (char)(0x80u | (code & 0x3Fu));
  out[0] = (char)(mark[length] | code);
  return length;
}

// The escape after a backslash; bytes written, 0 for an invalid one.
static size_t read_escape(reader *r, char *out) {
  static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
  if (r->at >= r->size) return 0;
  char c = r->text[r->at++];
  const char *found = c ? strchr(letters, c) : NULL;
  if (found) {
    *out = meanings[found - letters];
    return 1;
  }
  unsigned code, low;
  if (c != 'u' || r->size - r->at < 4 || !hex4(r->text + r->at, &code)) return 0;
  r->at += 4;
  if (code >= 0xD800 && code < 0xDC00 && r->size - r->at >= 6 && r->text[r->at] == '\\' &&
      r->text[r->at + 1] == 'u' && hex4(r->text + r->at + 2, &low) && low >= 0xDC00 &&
      low < 0xE000) {
    r->at += 6;
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if ((code >= 0xD800 && code < 0xE000) || code == 0) code = 0xFFFD;
  return put_utf8(out, code);
}

// After the opening quote.
static const char *read_string(reader *r, size_t *string_length) {
  size_t end = r->at;
  while (end < r->size && r->text[end] != '"') end += r->text[end] == '\\' ? 2 : 1;
  if (end >= r->size) {
    fail(r, HN_ERROR_SYNTAX, "ends inside a string; '\"' expected");
    return NULL;
  }
  char *text = hn_arena_take(r->arena, end - r->at + 1, 1);
  size_t length = 0;
  if (!text) {
    fail(r, HN_ERROR_MEMORY, "is out of memory");
    return NULL;
  }
  while (r->at < end) {
    char c = r->text[r->at++];
    size_t written = 1;
    if (c == '\\')
      written = read_escape(r, text + length);
    else if ((unsigned char)c < 0x20)
      written = 0;
    else
      text[length] = c;
    r->line_hidden += ((unsigned char)c & 0xC0) == 0x80;
    if (written == 0) {
      fail(r, HN_ERROR_SYNTAX, "has an invalid character in a string");
      return NULL;
    }
    length += written;
  }
  r->at = end + 1;
  *string_length = length;
  return text;
}

// ---- values -------------------------------------------------------------------------------------

static hn_json *read_value(reader *r);

static int read_number(reader *r, double *number) {
  int negative = r->text[r->at] == '-';
  size_t from = r->at + (size_t)negative;
  size_t length = hn_number_read(r->text + from, r->size - from, number);
  if (length == 0 || !isfinite(*number)) return 0;
  if (negative) *number = -*number;
  r->at = from + length;
  return 1;
}

static void read_members(reader *r, hn_json *node, char end) {
  if (++r->depth > r->limits.depth) {
    fail(r, HN_ERROR_LIMIT, "is nested too deeply");
    return;
  }
  hn_json **link = &node->first;
  while (!r->status && !take(r, end)) {
    const char *key = NULL;
    int line = 0, column = 0;
    size_t length;
    if (node->count > 0 && !take(r, ',')) {
      fail(r, HN_ERROR_SYNTAX, "needs a comma or a closing bracket here");
      return;
    }
    if (node->kind == HN_JSON_OBJECT) {
      skip_blanks(r);
      line = r->line;
      column = column_of(r);
      key = take(r, '"') ? read_string(r, &length) : NULL;
      if (!key || !take(r, ':')) {
        fail(r, HN_ERROR_SYNTAX, "needs \"name\": here");
        return;
      }
    }
    hn_json *member = read_value(r);
    if (!member) return;
    member->key = key;
    member->key_line = line;
    member->key_column = column;
    *link = member;
    link = &member->next;
    node->count++;
  }
  r->depth--;
}

static hn_json *read_word(reader *r, hn_json *node) {
  static const char *const words[] = {"null", "false", "true"};
  static const hn_json_kind kinds[] = {HN_JSON_NULL, HN_JSON_FALSE, HN_JSON_TRUE};
  for (int k = 0; k < 3; k++) {
    size_t length = strlen(words[k]);
    if (r->size - r->at < length || memcmp(r->text + r->at, words[k], length) != 0) continue;
    node->kind = kinds[k];
    r->at += length;
    return node;
  }
  return fail(r, HN_ERROR_SYNTAX, "has an invalid value; JSON value expected");
}

static hn_json *new_node(reader *r) {
  if (r->free_count == 0) {
    r->free_nodes = HN_TAKE(r->arena, hn_json, NODES_AT_ONCE);
    if (!r->free_nodes) return fail(r, HN_ERROR_MEMORY, "is out of memory");
    r->free_count = NODES_AT_ONCE;
  }
  r->free_count--;
  hn_json *node = r->free_nodes++;
  node->line = r->line;
  node->column = column_of(r);
  return node;
}

static hn_json *read_value(reader *r) {
  skip_blanks(r);
  if (r->at >= r->size) return fail(r, HN_ERROR_SYNTAX, "ends too early");
  if (++r->nodes > r->limits.nodes) return fail(r, HN_ERROR_LIMIT, "has too many values");
  hn_json *node = new_node(r);
  if (!node) return NULL;
  char c = r->text[r->at];
  if (c == '{' || c == '[') {
    node->kind = c == '{' ? HN_JSON_OBJECT : HN_JSON_ARRAY;
    r->at++;
    read_members(r, node, c == '{' ? '}' : ']');
  } else if (c == '"') {
    node->kind = HN_JSON_STRING;
    r->at++;
    node->text = read_string(r, &node->length);
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    node->kind = HN_JSON_NUMBER;
    node->text = r->text + r->at;
    if (!read_number(r, &node->number)) return fail(r, HN_ERROR_SYNTAX, "has an invalid number");
    node->length = (size_t)(r->text + r->at - node->text);
  } else {
    return read_word(r, node);
  }
  return r->status ? NULL : node;
}

hn_status hn_json_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                        hn_json **root, hn_error *error) {
  hn_json_limits limits = {HN_JSON_DEPTH, HN_JSON_NODES};
  return hn_json_parse_within(arena, text, size, file, &limits, root, error);
}

hn_status hn_json_parse_within(hn_arena *arena, const char *text, size_t size, const char *file,
                               const hn_json_limits *limits, hn_json **root, hn_error *error) {
  reader r = {.arena = arena,
              .text = text,
              .file = file,
              .size = size,
              .line = 1,
              .limits = *limits,
              .error = error};
  *root = NULL;
  if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) r.at = 3;
  hn_json *value = read_value(&r);
  skip_blanks(&r);
  if (!r.status && r.at < size) fail(&r, HN_ERROR_SYNTAX, "continues after its end");
  if (!r.status) *root = value;
  return r.status;
}

// ---- asking -------------------------------------------------------------------------------------

const hn_json *hn_json_get(const hn_json *object, const char *key) {
  if (!object || object->kind != HN_JSON_OBJECT) return NULL;
  const hn_json *n = object->first;
  while (n && strcmp(n->key, key) != 0) n = n->next;
  return n;
}

double hn_json_number_at(const hn_json *object, const char *key, double other) {
  const hn_json *node = hn_json_get(object, key);
  return node && node->kind == HN_JSON_NUMBER ? node->number : other;
}

const char *hn_json_text_at(const hn_json *object, const char *key, const char *other) {
  const hn_json *node = hn_json_get(object, key);
  return node && node->kind == HN_JSON_STRING ? node->text : other;
}

int hn_json_index(const hn_json *node, int low, int high) {
  if (!node || node->kind != HN_JSON_NUMBER || !(node->number >= low && node->number <= high))
    return -1;
  int k = (int)node->number;
  return (double)k < node->number ? -1 : k;
}

int hn_json_numbers_of(const hn_json *array, double *numbers, int count) {
  if (!array || array->kind != HN_JSON_ARRAY || array->count != count) return 0;
  for (const hn_json *n = array->first; n; n = n->next) {
    if (n->kind != HN_JSON_NUMBER) return 0;
    *numbers++ = n->number;
  }
  return 1;
}
