// From JSON text to a tree, through the reader of JSON that scenes and meshes have too. This is the way
// of every build, also of one without libyaml.
#include <string.h>

#include "formats/tree_build.h"
#include "math/json.h"

static void put_scalar(hn_tree_builder *b, const hn_json *json) {
  hn_tree_place place = {json->line, json->column};
  switch (json->kind) {
  case HN_JSON_NULL: hn_tree_scalar(b, place, "null", 4, 0); break;
  case HN_JSON_FALSE: hn_tree_scalar(b, place, "false", 5, 0); break;
  case HN_JSON_TRUE: hn_tree_scalar(b, place, "true", 4, 0); break;
  case HN_JSON_NUMBER: hn_tree_scalar(b, place, json->text, json->length, 0); break;
  case HN_JSON_STRING: hn_tree_scalar(b, place, json->text, json->length, 1); break;
  case HN_JSON_ARRAY:
  case HN_JSON_OBJECT: break;
  }
}

// The reader has bounded the depth.
static void put(hn_tree_builder *b, const hn_json *json) {
  int is_map = json->kind == HN_JSON_OBJECT;
  if (!is_map && json->kind != HN_JSON_ARRAY) {
    put_scalar(b, json);
    return;
  }
  hn_tree_open(b, (hn_tree_place){json->line, json->column}, is_map ? HN_NODE_MAP : HN_NODE_LIST);
  for (const hn_json *entry = json->first; entry && !b->status; entry = entry->next) {
    hn_tree_place place = {entry->key_line, entry->key_column};
    if (is_map) hn_tree_key(b, place, entry->key, strlen(entry->key));
    if (!b->status) put(b, entry);
  }
  if (!b->status) hn_tree_close(b);
}

void hn_tree_read_json(hn_tree_builder *b) {
  hn_json *root = NULL;
  hn_json_limits limits = {HN_TREE_DEPTH, HN_TREE_NODES};
  b->status = hn_json_parse_within(b->arena, b->text, b->size, b->file, &limits, &root, b->error);
  if (!b->status) put(b, root);
}
