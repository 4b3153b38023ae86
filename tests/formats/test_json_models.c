// Every model of models/ written as JSON is the same model: the same hash of the description, the same
// assembled state; and where the YAML file is refused, the JSON is too, with the same words.
#include <ftw.h>
#include <stdlib.h>

#include "formats/loading.h"
#include "formats/text_file.h"
#include "formats/tree.h"
#include "holon/simulation.h"

static char json[1 << 20];
static size_t length;
static int loaded, refused;

static void put(const char *text) {
  size_t n = strlen(text);
  assert_true(length + n < sizeof json);
  memcpy(json + length, text, n + 1);
  length += n;
}

static void put_string(const char *text) {
  put("\"");
  for (; *text; text++) {
    char one[3] = {*text, '\0', '\0'};
    if (*text == '"' || *text == '\\' || *text == '\n' || *text == '\t') {
      one[0] = '\\';
      one[1] = *text == '\n' ? 'n' : *text == '\t' ? 't' : *text;
    }
    put(one);
  }
  put("\"");
}

static int is_json_number(const char *text) {
  char *end;
  const char *digits = text + (*text == '-');
  if (digits[0] < '0' || digits[0] > '9' || (digits[0] == '0' && digits[1] >= '0')) return 0;
  return strtod(text, &end) == strtod(text, NULL) && !*end && !strpbrk(text, "xXnN") &&
         end[-1] != '.';
}

static void put_node(const hn_node *node) {
  int is_map = node->kind == HN_NODE_MAP;
  if (node->kind == HN_NODE_SCALAR) {
    if (hn_node_is_null(node))
      put("null");
    else if (!node->quoted && is_json_number(node->text))
      put(node->text);
    else
      put_string(node->text);
    return;
  }
  put(is_map ? "{\n" : "[");
  for (const hn_node *entry = node->first; entry; entry = entry->next) {
    if (is_map) {
      put_string(entry->key);
      put(": ");
    }
    put_node(entry);
    put(entry->next ? ", " : "");
  }
  put(is_map ? "}" : "]");
}

// Models of few bodies are assembled too.
static void check_state(const hn_model *yaml, const hn_model *same) {
  if (hn_model_body_count(yaml) > 20) return;
  hn_simulation *a = NULL, *b = NULL;
  hn_error error;
  hn_status status = hn_simulation_create(yaml, NULL, &a, &error);
  check_status(hn_simulation_create(same, NULL, &b, &error), status);
  if (!status) assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
  hn_simulation_free(a);
  hn_simulation_free(b);
}

static void check_model(const char *path) {
  hn_arena arena;
  hn_node *root = NULL;
  hn_error error = {0}, other = {0};
  char *text, name[300];
  size_t size;
  hn_arena_init(&arena, NULL);
  check_ok(hn_text_file_read(&arena, path, NULL, &text, &size, &error));
  check_ok(hn_tree_parse(&arena, text, size, path, &root, &error));
  length = 0;
  put_node(root);
  hn_arena_release(&arena);
  snprintf(name, sizeof name, "%.*s.json", (int)strlen(path) - 5, path);
  hn_model *yaml = NULL, *same = NULL;
  hn_status status = hn_model_load(path, NULL, &yaml, &error);
  hn_status got = hn_model_load_text(json, length, name, NULL, &same, &other);
  if (got != status || (status && strcmp(error.message, other.message) != 0))
    fail_msg("%s: %s\n%s:%d: %s", path, error.message, name, other.line, other.message);
  if (!status) {
    if (hn_model_hash(yaml) != hn_model_hash(same)) fail_msg("%s: another model", path);
    check_state(yaml, same);
  }
  *(status ? &refused : &loaded) += 1;
  hn_model_free(yaml);
  hn_model_free(same);
}

static int on_file(const char *path, const struct stat *what, int kind) {
  (void)what;
  size_t n = strlen(path);
  if (kind == FTW_F && n > 5 && strcmp(path + n - 5, ".yaml") == 0) check_model(path);
  return 0;
}

static void every_model_is_the_same_in_json(void **state) {
  (void)state;
  assert_int_equal(ftw("models", on_file, 16), 0);
  assert_true(loaded > 60);
  assert_true(refused < loaded / 4); // parts of others: parameters without a value
}

static void refuse_json(const char *text, int line, int column, const char *part) {
  hn_model *model = NULL;
  hn_error error = {0};
  char all[2600];
  hn_status status = hn_model_load_text(text, strlen(text), "x.json", NULL, &model, &error);
  hn_error_format(&error, all, sizeof all);
  if (!status || !strstr(all, part) || error.line != line || error.column != column)
    fail_msg("'%s': %s", text, all);
  assert_null(model);
}

static void messages_have_line_and_column(void **state) {
  (void)state;
  refuse_json("{\"bodies\": {\n  \"a\": {\"mas\": 1}}}", 2, 9, "mass");
  refuse_json("{\"bodies\": {\n  \"a\": {\"mass\": \"1 m\"}}}", 2, 17, "kg");
  refuse_json("{\"\xC3\xA9\xC3\xA9\": 1, \"bodies\": {}}", 1, 2, "\xC3\xA9\xC3\xA9");
  refuse_json("{\"title\": \"\xC3\xA9\xC3\xA9\", \"bodiess\": {}}", 1, 17, "bodies");
  refuse_json("{\"bodies\": {\"a\": {}, \"a\": {}}}", 1, 22, "twice");
  refuse_json("{\"bodies\": {\"a\\u0007\": {}}}", 1, 13, "control");
  refuse_json("{\"bodies\": [1, 2}", 1, 17, "comma");
  refuse_json("{\"bodies\": {},}", 1, 15, "name");
  refuse_json("bodies: {}", 1, 1, "JSON");
  refuse_json(" \n ", 1, 1, "empty");
  refuse_json("null", 1, 1, "empty");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_is_the_same_in_json),
      cmocka_unit_test(messages_have_line_and_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
