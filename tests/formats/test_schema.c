// The JSON Schema: well-formed, without addresses, and the file in schema/ is what the table gives.
//
//   test_schema --print      prints schema/holon-model.schema.json      (scripts/make-reference)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/keys.h"
#include "formats/tree.h"
#include "holon/load.h"
#include "support/check.h"

#define FILE_NAME "schema/holon-model.schema.json"

static char *make_schema(size_t *size) {
  hn_model_schema(NULL, 0, size);
  char *text = malloc(*size);
  if (text) hn_model_schema(text, *size, NULL);
  return text;
}

static void the_size_is_counted_exactly(void **state) {
  (void)state;
  size_t needed, again;
  check_status(hn_model_schema(NULL, 0, &needed), HN_ERROR_LIMIT);
  char *text = malloc(needed);
  assert_non_null(text);
  check_status(hn_model_schema(text, needed - 1, &again), HN_ERROR_LIMIT);
  assert_int_equal(again, needed);
  assert_int_equal(strlen(text), needed - 2);
  check_ok(hn_model_schema(text, needed, NULL));
  assert_int_equal(strlen(text), needed - 1);
  check_status(hn_model_schema(text, 1, &again), HN_ERROR_LIMIT);
  assert_int_equal(text[0], '\0');
  free(text);
}

// Every definition that is referred to is there.
static void check_references(const hn_node *node, const hn_node *definitions) {
  for (const hn_node *n = node->first; n; n = n->next) {
    if (n->key && strcmp(n->key, "$ref") == 0) {
      const char *name = strrchr(n->text, '/');
      if (!name || !hn_node_get(definitions, name + 1)) fail_msg("%s", n->text);
    } else if (n->kind != HN_NODE_SCALAR) {
      check_references(n, definitions);
    }
  }
}

static void the_schema_is_json_and_complete(void **state) {
  (void)state;
  size_t size;
  char *text = make_schema(&size);
  assert_non_null(text);
  hn_arena arena;
  hn_node *root;
  hn_error error;
  hn_arena_init(&arena, NULL);
  check_ok(hn_tree_parse(&arena, text, size - 1, "schema", &root, &error));
  const hn_node *definitions = hn_node_get(root, "definitions");
  assert_non_null(definitions);
  check_references(root, definitions);
  const hn_section *section;
  for (int k = 0; (section = hn_section_at(k)); k++) {
    char name[64];
    snprintf(name, sizeof name, "section-%s", section->name);
    assert_non_null(hn_node_get(definitions, name));
  }
  hn_arena_release(&arena);
  assert_null(strstr(text, "://"));
  free(text);
}

static void the_file_is_up_to_date(void **state) {
  (void)state;
  size_t size;
  char *text = make_schema(&size);
  assert_non_null(text);
  char *found = malloc(size + 1);
  assert_non_null(found);
  FILE *file = fopen(FILE_NAME, "rb");
  assert_non_null(file);
  size_t length = fread(found, 1, size + 1, file);
  fclose(file);
  if (length != size - 1 || memcmp(text, found, length) != 0)
    fail_msg(FILE_NAME " is out of date: run scripts/make-reference");
  free(found);
  free(text);
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "--print") == 0) {
    size_t size;
    char *text = make_schema(&size);
    if (!text) return 1;
    fputs(text, stdout);
    free(text);
    return 0;
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_size_is_counted_exactly),
      cmocka_unit_test(the_schema_is_json_and_complete),
      cmocka_unit_test(the_file_is_up_to_date),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
