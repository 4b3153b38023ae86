// The reader of JSON: accepted and rejected input, and the position of errors.
#include "math/json.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

static const hn_json *parse(hn_arena *arena, const char *text) {
  hn_json *root = NULL;
  hn_error error = {0};
  hn_arena_init(arena, NULL);
  if (hn_json_parse(arena, text, strlen(text), "x.json", &root, &error))
    fail_msg("%s", error.message);
  return root;
}

static void values_of_every_kind_are_read(void **state) {
  (void)state;
  hn_arena arena;
  const hn_json *root = parse(&arena, " {\"a\": [1, -2.5e3, true, false, null], \"b\": {\"c\": "
                                      "\"x\\n\\u00e9\\ud83d\\ude00\\\"/\"}, \"d\": 0.125}\n");
  const hn_json *a = hn_json_get(root, "a");
  assert_int_equal(a->count, 5);
  check_near(a->first->next->number, -2500, 0);
  assert_int_equal(a->first->next->next->kind, HN_JSON_TRUE);
  assert_string_equal(hn_json_text_at(hn_json_get(root, "b"), "c", ""),
                      "x\n\xC3\xA9\xF0\x9F\x98\x80\"/");
  check_near(hn_json_number_at(root, "d", 7), 0.125, 0);
  check_near(hn_json_number_at(root, "a", 7), 7, 0);
  assert_null(hn_json_get(root, "e"));
  assert_int_equal(hn_json_index(a->first, 0, 3), 1);
  assert_int_equal(hn_json_index(hn_json_get(root, "d"), 0, 3), -1);
  hn_arena_release(&arena);
}

static void refuse(const char *text, int line, int column) {
  hn_arena arena;
  hn_json *root = NULL;
  hn_error error = {0};
  hn_arena_init(&arena, NULL);
  if (!hn_json_parse(&arena, text, strlen(text), "x.json", &root, &error)) fail_msg("%s", text);
  assert_null(root);
  if (error.line != line || error.column != column)
    fail_msg("%s: %d:%d %s", text, error.line, error.column, error.message);
  hn_arena_release(&arena);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  refuse("", 1, 1);
  refuse("[1, 2", 1, 6);
  refuse("[1 2]", 1, 4);
  refuse("{\"a\" 1}", 1, 6);
  refuse("{\n\"a\": tru}", 2, 6);
  refuse("[1] x", 1, 5);
  refuse("\"abc", 1, 2);
  refuse("\"a\\q\"", 1, 5);
  refuse("[1e999]", 1, 2);
  char deep[400];
  memset(deep, '[', sizeof deep);
  deep[sizeof deep - 1] = '\0';
  refuse(deep, 1, HN_JSON_DEPTH + 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_of_every_kind_are_read),
      cmocka_unit_test(mistakes_are_told_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
