// A file as a tree: which reader it takes, and asking the nodes.
#include "formats/tree.h"

#include <string.h>

#include "base/error.h"
#include "formats/text_file.h"
#include "formats/tree_build.h"

// The place of the first that is no blank, or the size.
static size_t first_letter(const char *text, size_t size) {
  size_t k = 0;
  while (k < size && strchr(" \t\r\n", text[k])) k++;
  return k;
}

static int is_json_name(const char *file) {
  size_t length = strlen(file);
  return length >= 5 && strcmp(file + length - 5, ".json") == 0;
}

#if HOLON_WITH_YAML
static void read_text(hn_tree_builder *b) {
  if (is_json_name(b->file))
    hn_tree_read_json(b);
  else
    hn_tree_read_yaml(b);
}
#else
// Text that starts like JSON is read, whatever the name; all else is YAML, or nothing.
static void read_text(hn_tree_builder *b) {
  char first = b->text[first_letter(b->text, b->size)];
  if (first == '{' || first == '[' || is_json_name(b->file))
    hn_tree_read_json(b);
  else
    hn_tree_refuse(b, (hn_tree_place){1, 1}, HN_ERROR_UNSUPPORTED,
                   "Write the model as JSON, or use a build with libyaml.",
                   "the file is not JSON, and this build does not support YAML");
}
#endif

hn_status hn_tree_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                        hn_node **root, hn_error *error) {
  *root = NULL;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark says UTF-8, no more
    text += 3;
    size -= 3;
  }
  hn_status status = hn_text_check(text, size, file, error);
  if (status) return status;
  hn_tree_builder b = {.arena = arena, .error = error, .text = text, .size = size};
  b.file = hn_arena_copy_string(arena, file);
  if (!b.file) {
    b.file = file;
    hn_tree_out_of_memory(&b);
    return b.status;
  }
  if (first_letter(text, size) < size) read_text(&b);
  if (b.status) return b.status;
  if (!b.root || hn_node_is_null(b.root)) {
    hn_source place = {file, 1, 1};
    return hn_fail(error, HN_ERROR_SYNTAX, &place, "the file",
                   "Add at least `bodies:`; see docs/reference/model-format.md.",
                   "is empty: it has 0 entries");
  }
  *root = b.root;
  return HN_OK;
}

// ---- asking -------------------------------------------------------------------------------------

const hn_node *hn_node_get(const hn_node *map, const char *key) {
  if (!map || map->kind != HN_NODE_MAP) return NULL;
  for (const hn_node *entry = map->first; entry; entry = entry->next)
    if (strcmp(entry->key, key) == 0) return entry;
  return NULL;
}

hn_source hn_node_source(const hn_node *node) {
  if (!node) return (hn_source){NULL, 0, 0};
  return (hn_source){node->file, node->line, node->column};
}

hn_source hn_node_key_source(const hn_node *node) {
  if (!node || !node->key) return hn_node_source(node);
  return (hn_source){node->file, node->key_line, node->key_column};
}

int hn_node_is_null(const hn_node *node) {
  return node->kind == HN_NODE_SCALAR && !node->quoted &&
         (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *hn_node_kind_name(const hn_node *node) {
  if (node->kind == HN_NODE_LIST) return "a list";
  if (node->kind == HN_NODE_MAP) return "a map";
  return hn_node_is_null(node) ? "nothing" : "a single value";
}
