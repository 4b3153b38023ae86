// From YAML to a tree with places.
#include "formats/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

typedef struct fixture {
  hn_arena arena;
  hn_node *root;
  hn_error error;
} fixture;

static hn_status parse(fixture *f, const char *text) {
  return hn_tree_parse(&f->arena, text, strlen(text), "f.yaml", &f->root, &f->error);
}

static fixture parsed(const char *text) {
  fixture f = {.root = NULL};
  hn_arena_init(&f.arena, NULL);
  if (parse(&f, text)) fail_msg("%s", f.error.message);
  return f;
}

static void refused(const char *text, hn_status status, int line, int column, const char *part) {
  fixture f = {.root = NULL};
  hn_arena_init(&f.arena, NULL);
  hn_status got = parse(&f, text);
  if (got != status || f.error.line != line || f.error.column != column)
    fail_msg("'%.40s': %d %d:%d %s", text, got, f.error.line, f.error.column, f.error.message);
  check_error_names(&f.error, part);
  assert_null(f.root);
  hn_arena_release(&f.arena);
}

static void nodes_know_where_they_stand(void **state) {
  (void)state;
  fixture f = parsed("# comment\na: 1\nb:\n  - x\n  - {c: \"y\"}\n\xC3\xA9: z\n");
  const hn_node *b = hn_node_get(f.root, "b");
  assert_int_equal(f.root->count, 3);
  assert_int_equal(b->kind, HN_NODE_LIST);
  assert_int_equal(b->key_line, 3);
  assert_int_equal(b->first->line, 4);
  assert_int_equal(b->first->column, 5);
  const hn_node *c = hn_node_get(b->first->next, "c");
  assert_string_equal(c->text, "y");
  assert_int_equal(c->quoted, 1);
  assert_int_equal(c->column, 9);
  assert_int_equal(c->key_column, 6);
  const hn_node *z = hn_node_get(f.root, "\xC3\xA9");
  assert_int_equal(z->column, 4); // characters, not bytes
  assert_string_equal(z->file, "f.yaml");
  hn_arena_release(&f.arena);
}

static void json_is_yaml(void **state) {
  (void)state;
  fixture f = parsed("{\"a\":1,\"b\":[true,null,\"x{i}\"],\n\t\"c\":{\"d\":-1.5e3}}");
  assert_string_equal(hn_node_get(hn_node_get(f.root, "c"), "d")->text, "-1.5e3");
  assert_true(hn_node_is_null(hn_node_get(f.root, "b")->first->next));
  hn_arena_release(&f.arena);
}

static void a_byte_order_mark_is_skipped(void **state) {
  (void)state;
  fixture f = parsed("\xEF\xBB\xBF"
                     "a: 1\n");
  assert_non_null(hn_node_get(f.root, "a"));
  hn_arena_release(&f.arena);
}

static void bad_yaml_is_refused_with_place_and_hint(void **state) {
  (void)state;
  refused("a:\n\tb: 1\n", HN_ERROR_SYNTAX, 2, 1, "");
  refused("a: [b{i}, c]\n", HN_ERROR_SYNTAX, 1, 6, "',' ']'");
  refused("a: [1, 2\nb: 3\n", HN_ERROR_SYNTAX, 2, 2, "',' ']'");
  refused("a: 1\n  b: 2\n", HN_ERROR_SYNTAX, 2, 4, "");
  refused("a: \"x\n", HN_ERROR_SYNTAX, 2, 1, "");
  refused("a: 1\na: 2\n", HN_ERROR_SYNTAX, 2, 1, "'a'");
  refused("a: &x 1\n", HN_ERROR_SYNTAX, 1, 4, "`repeat:`");
  refused("a: *x\n", HN_ERROR_SYNTAX, 1, 4, "`repeat:`");
  refused("a: !!str 1\n", HN_ERROR_SYNTAX, 1, 4, "`repeat:`");
  refused("<<: {a: 1}\n", HN_ERROR_SYNTAX, 1, 1, "`repeat:`");
  refused("a: 1\n---\nb: 2\n", HN_ERROR_SYNTAX, 2, 1, "");
  refused("{[a]: 1}\n", HN_ERROR_SYNTAX, 1, 2, "");
  refused("a: \"x\\0y\"\n", HN_ERROR_SYNTAX, 1, 4, "");
  refused("", HN_ERROR_SYNTAX, 1, 1, "`bodies:`");
  refused("# nothing\n\n", HN_ERROR_SYNTAX, 1, 1, "`bodies:`");
  refused("~\n", HN_ERROR_SYNTAX, 1, 1, "`bodies:`");
  refused("a: \xC2\x81\n", HN_ERROR_SYNTAX, 1, 4, "");
}

static void depth_is_bounded(void **state) {
  (void)state;
  char text[2 * HN_TREE_DEPTH + 8] = "";
  for (int k = 0; k < HN_TREE_DEPTH; k++) strcat(text, "[");
  for (int k = 0; k < HN_TREE_DEPTH; k++) strcat(text, "]");
  fixture f = parsed(text);
  hn_arena_release(&f.arena);
  char deeper[200];
  memset(deeper, '[', 199);
  deeper[199] = '\0';
  refused(deeper, HN_ERROR_LIMIT, 1, HN_TREE_DEPTH + 1, "");
}

static void the_number_of_nodes_is_bounded(void **state) {
  (void)state;
  // A list in lines, because YAML looks ahead within a line only.
  size_t lines = HN_TREE_NODES / 32 + 2, width = 66;
  char *text = malloc(lines * width + 2);
  assert_non_null(text);
  text[0] = '[';
  for (size_t k = 0; k < lines; k++) {
    char *line = text + 1 + k * width;
    for (int i = 0; i < 32; i++) memcpy(line + 2 * i, "0,", 2);
    memcpy(line + 64, " \n", 2);
  }
  text[lines * width + 1] = '\0';
  refused(text, HN_ERROR_LIMIT, HN_TREE_NODES / 32, 63, "`repeat:`");
  free(text);
}

static void twice_in_a_large_map_is_found(void **state) {
  (void)state;
  char text[20000] = "";
  size_t used = 0;
  for (int k = 0; k < 1000; k++) used += (size_t)sprintf(text + used, "k%d: 1\n", k);
  fixture f = parsed(text);
  hn_arena_release(&f.arena);
  sprintf(text + used, "k500: 1\n");
  refused(text, HN_ERROR_SYNTAX, 1001, 1, "501");
}

static void a_byte_order_mark_is_no_text(void **state) {
  (void)state;
  hn_arena arena;
  hn_node *root = NULL;
  hn_error error = {0};
  const char text[] = "\xEF\xBB\xBF# saved elsewhere\nname: a\n";
  hn_arena_init(&arena, NULL);
  check_ok(hn_tree_parse(&arena, text, sizeof text - 1, "f", &root, &error));
  assert_string_equal(hn_node_get(root, "name")->text, "a");
  assert_int_equal(hn_node_get(root, "name")->line, 2);
  check_status(hn_tree_parse(&arena, text, 3, "f", &root, &error), HN_ERROR_SYNTAX);
  hn_arena_release(&arena);
}

static void escapes_that_a_terminal_obeys_are_refused(void **state) {
  (void)state;
  static const char *const bad[] = {"name: \"a\\e[2J\"", "\"\\x07\": 1", "a: [b, \"\\x9b31m\"]",
                                    "a: \"\\x7f\""};
  static const char *const good[] = {"a: \"b\\n\\tc\"", "a: |\n  two\n  lines\n", "a: \"\\u00e9\""};
  hn_arena arena;
  hn_node *root = NULL;
  hn_arena_init(&arena, NULL);
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    hn_error error = {0};
    check_status(hn_tree_parse(&arena, bad[k], strlen(bad[k]), "f", &root, &error),
                 HN_ERROR_SYNTAX);
    assert_int_equal(error.line, 1);
  }
  for (size_t k = 0; k < sizeof good / sizeof *good; k++)
    check_ok(hn_tree_parse(&arena, good[k], strlen(good[k]), "f", &root, NULL));
  hn_arena_release(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_know_where_they_stand),
      cmocka_unit_test(json_is_yaml),
      cmocka_unit_test(a_byte_order_mark_is_skipped),
      cmocka_unit_test(bad_yaml_is_refused_with_place_and_hint),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(the_number_of_nodes_is_bounded),
      cmocka_unit_test(twice_in_a_large_map_is_found),
      cmocka_unit_test(a_byte_order_mark_is_no_text),
      cmocka_unit_test(escapes_that_a_terminal_obeys_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
