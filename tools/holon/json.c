// A small JSON writer: commas, indentation and keys.
#include "cli.h"

#include <stdio.h>

static void begin_member(hn_cli_json *json, const char *key) {
  hn_cli_text *text = &json->text;
  if (json->filled[json->depth]) hn_cli_add(text, json->pretty ? "," : ", ");
  json->filled[json->depth] = 1;
  if (json->pretty && json->depth > 0) hn_cli_add(text, "\n%*s", 2 * json->depth, "");
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
  int has_members = json->filled[json->depth];
  json->depth--;
  if (json->pretty && has_members) hn_cli_add(&json->text, "\n%*s", 2 * json->depth, "");
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

void hn_cli_json_hash(hn_cli_json *json, const char *key, unsigned long long hash) {
  begin_member(json, key);
  hn_cli_add(&json->text, "\"%016llx\"", hash);
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

void hn_cli_json_print(hn_cli_json *json) {
  hn_cli_add(&json->text, "\n");
  fwrite(json->text.data, 1, json->text.length, stdout);
  hn_cli_text_free(&json->text);
}
