#include "base/json_writer.h"

static void begin_member(hn_json_writer *json, const char *key) {
  if (json->filled[json->depth]) hn_string_bytes(&json->text, ", ", 2);
  json->filled[json->depth] = 1;
  if (key == NULL) return;
  hn_string_json(&json->text, key);
  hn_string_bytes(&json->text, ": ", 2);
}

void hn_json_open(hn_json_writer *json, const char *key, char bracket) {
  begin_member(json, key);
  hn_string_bytes(&json->text, &bracket, 1);
  json->depth++;
  json->filled[json->depth] = 0;
}

void hn_json_close(hn_json_writer *json, char bracket) {
  json->depth--;
  hn_string_bytes(&json->text, &bracket, 1);
}

void hn_json_number(hn_json_writer *json, const char *key, double number) {
  begin_member(json, key);
  hn_string_number(&json->text, number);
}

void hn_json_integer(hn_json_writer *json, const char *key, long number) {
  begin_member(json, key);
  hn_string_add(&json->text, "%ld", number);
}

void hn_json_boolean(hn_json_writer *json, const char *key, int truth) {
  begin_member(json, key);
  hn_string_text(&json->text, truth ? "true" : "false");
}

void hn_json_string(hn_json_writer *json, const char *key, const char *string) {
  begin_member(json, key);
  if (string != NULL)
    hn_string_json(&json->text, string);
  else
    hn_string_text(&json->text, "null");
}

void hn_json_vector(hn_json_writer *json, const char *key, const double *numbers, int count) {
  hn_json_open(json, key, '[');
  for (int k = 0; k < count; k++) hn_json_number(json, NULL, numbers[k]);
  hn_json_close(json, ']');
}

void hn_json_raw(hn_json_writer *json, const char *key, const char *value) {
  begin_member(json, key);
  hn_string_text(&json->text, value);
}

static int opens(char c) { return c == '{' || c == '['; }
static int closes(char c) { return c == '}' || c == ']'; }

// A string at c, quote to quote; its length.
static size_t string_length(const char *c) {
  size_t length = 1;
  while (c[length] != '"' && c[length] != '\0')
    length += c[length] == '\\' && c[length + 1] != '\0' ? 2 : 1;
  return c[length] == '"' ? length + 1 : length;
}

void hn_string_indented(hn_string *s, const char *value) {
  int depth = 0;
  if (!value) s->is_lost = 1;
  for (const char *c = value; c && *c != '\0';) {
    size_t length = *c == '"' ? string_length(c) : 1;
    depth += opens(*c) - closes(*c);
    if (closes(*c) && c > value && !opens(c[-1])) hn_string_add(s, "\n%*s", 2 * depth, "");
    if (*c != ' ' || c[-1] == ':') hn_string_bytes(s, c, length); // the blank after a key stays
    if ((opens(*c) && !closes(c[1])) || *c == ',') hn_string_add(s, "\n%*s", 2 * depth, "");
    c += length;
  }
}

void hn_json_error(hn_json_writer *json, const char *key, const hn_error *error) {
  char hint[sizeof error->hint];
  hn_render_hint(error->hint, HN_CALLER_PROGRAM, hint, sizeof hint);
  hn_json_open(json, key, '{');
  hn_json_string(json, "code", hn_status_name(error->status));
  hn_json_string(json, "element", error->element);
  hn_json_string(json, "message", error->message);
  hn_json_string(json, "hint", hint);
  hn_json_string(json, "file", error->file);
  hn_json_integer(json, "line", error->line);
  hn_json_integer(json, "column", error->column);
  hn_json_close(json, '}');
}
