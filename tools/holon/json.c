// A small JSON writer: commas and keys; indentation of what is written already.
#include "cli.h"

#include <stdio.h>

static void begin_member(hn_cli_json *json, const char *key) {
  hn_cli_text *text = &json->text;
  if (json->filled[json->depth]) hn_cli_add(text, ", ");
  json->filled[json->depth] = 1;
  if (key != NULL) {
    hn_cli_add_json_string(text, key);
    hn_cli_add(text, ": ");
  }
}

void hn_cli_json_open(hn_cli_json *json, const char *key, char bracket) {
  begin_member(json, key);
  hn_cli_add_bytes(&json->text, &bracket, 1);
  json->depth++;
  json->filled[json->depth] = 0;
}

void hn_cli_json_close(hn_cli_json *json, char bracket) {
  json->depth--;
  hn_cli_add_bytes(&json->text, &bracket, 1);
}

void hn_cli_json_number(hn_cli_json *json, const char *key, double number) {
  begin_member(json, key);
  hn_cli_add_number(&json->text, number);
}

void hn_cli_json_integer(hn_cli_json *json, const char *key, long number) {
  begin_member(json, key);
  hn_cli_add(&json->text, "%ld", number);
}

void hn_cli_json_boolean(hn_cli_json *json, const char *key, int truth) {
  begin_member(json, key);
  hn_cli_add(&json->text, truth ? "true" : "false");
}

void hn_cli_json_string(hn_cli_json *json, const char *key, const char *string) {
  begin_member(json, key);
  hn_cli_add_json_string(&json->text, string);
}

void hn_cli_json_vector(hn_cli_json *json, const char *key, const double *numbers, int count) {
  begin_member(json, key);
  hn_cli_add(&json->text, "[");
  for (int i = 0; i < count; i++) {
    if (i > 0) hn_cli_add(&json->text, ", ");
    hn_cli_add_number(&json->text, numbers[i]);
  }
  hn_cli_add(&json->text, "]");
}

void hn_cli_json_raw(hn_cli_json *json, const char *key, const char *value) {
  begin_member(json, key);
  hn_cli_add(&json->text, "%s", value);
}

void hn_cli_add_indented(hn_cli_text *text, const char *value) {
  int depth = 0, is_string = 0;
  for (const char *c = value; *c != '\0'; c++) {
    if (is_string) {
      hn_cli_add_bytes(text, c, *c == '\\' && c[1] != '\0' ? 2 : 1);
      is_string = *c != '"';
      if (*c == '\\' && c[1] != '\0') c++;
      continue;
    }
    int opens = *c == '{' || *c == '[', closes = *c == '}' || *c == ']';
    int is_empty = opens && (c[1] == '}' || c[1] == ']');
    depth += opens - closes;
    if (closes && c > value && c[-1] != '{' && c[-1] != '[') {
      hn_cli_add(text, "\n%*s", 2 * depth, "");
    }
    if (*c != ' ' || c[-1] == ':') hn_cli_add_bytes(text, c, 1); // the blank after a key stays
    if ((opens && !is_empty) || *c == ',') hn_cli_add(text, "\n%*s", 2 * depth, "");
    is_string = *c == '"';
  }
}

void hn_cli_json_print(hn_cli_json *json) {
  hn_cli_add(&json->text, "\n");
  fwrite(json->text.data, 1, json->text.length, stdout);
  hn_cli_text_free(&json->text);
}
