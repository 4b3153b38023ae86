// JSON that other programs wrote, as certificates are: a tree whose parts can be looked up, or an error
// with line and column.
#include "target.h"

#include "math/json.h"

static void walk(const hn_json *node) {
  int count = 0;
  PROMISE(node->line > 0 && node->column > 0);
  if (node->kind == HN_JSON_STRING) PROMISE(node->text != NULL);
  for (const hn_json *part = node->first; part; part = part->next) {
    PROMISE(node->kind == HN_JSON_ARRAY || node->kind == HN_JSON_OBJECT);
    PROMISE((part->key != NULL) == (node->kind == HN_JSON_OBJECT));
    walk(part);
    count++;
  }
  PROMISE(count == node->count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hn_arena arena;
  hn_json *root = NULL;
  hn_error error = {0};
  hn_arena_init(&arena, NULL);
  char *exact = malloc(size ? size : 1);
  PROMISE(exact != NULL);
  memcpy(exact, data, size);
  hn_status status = hn_json_parse(&arena, exact, size, "certificate.json", &root, &error);
  PROMISE(status == HN_OK ? root != NULL : error.message[0] != '\0');
  if (status == HN_OK) {
    walk(root);
    const hn_json *steps = hn_json_get(root, "steps");
    double numbers[3];
    hn_json_number_at(steps, "accepted", -1);
    hn_json_text_at(root, "verdict", "");
    hn_json_index(hn_json_get(steps, "rejected"), 0, 1000);
    hn_json_numbers_of(hn_json_get(root, "warnings"), numbers, 3);
  }
  free(exact);
  hn_arena_release(&arena);
  return 0;
}
