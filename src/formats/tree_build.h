// How readers of YAML and of JSON make a tree: one call for what they meet, in the order of the file.
//
// Depth and number of nodes are bounded, a key that stands twice in a map is an error, and so is text
// with control characters. The first failure is kept in status; a reader stops there.
#ifndef HN_FORMATS_TREE_BUILD_H
#define HN_FORMATS_TREE_BUILD_H

#include "formats/tree.h"

// An open list or map.
typedef struct hn_tree_open_node {
  hn_node *node;
  hn_node *last;   // its newest entry
  const char *key; // of the entry to come, in a map
  int key_line, key_column;
} hn_tree_open_node;

typedef struct hn_tree_builder {
  hn_arena *arena;
  hn_error *error;
  hn_status status;
  const char *text, *file;
  size_t size;
  hn_tree_open_node stack[HN_TREE_DEPTH];
  int depth;
  hn_node *root;
  long node_count;
  hn_node *free_nodes; // pieces taken at once: single ones would each fill a cache line
  int free_node_count;
  char *free_text;
  size_t free_text_size;
} hn_tree_builder;

typedef struct hn_tree_place {
  int line, column;
} hn_tree_place;

// The next text is the key of an entry.
int hn_tree_awaits_key(const hn_tree_builder *b);
void hn_tree_key(hn_tree_builder *b, hn_tree_place place, const char *text, size_t length);
// quoted as in hn_node.
void hn_tree_scalar(hn_tree_builder *b, hn_tree_place place, const char *text, size_t length,
                    int quoted);
void hn_tree_open(hn_tree_builder *b, hn_tree_place place, hn_node_kind kind);
void hn_tree_close(hn_tree_builder *b);

hn_status hn_tree_refuse(hn_tree_builder *b, hn_tree_place place, hn_status status,
                         const char *hint, const char *message);
void *hn_tree_out_of_memory(hn_tree_builder *b); // null

// The readers: of b->text, from beginning to end.
void hn_tree_read_json(hn_tree_builder *b);
void hn_tree_read_yaml(hn_tree_builder *b); // only where it is built (HOLON_WITH_YAML)

#endif
