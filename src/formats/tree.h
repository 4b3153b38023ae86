// A file in YAML or JSON as a tree of nodes that know where they were written.
//
// Only what a model file needs: scalars, lists and maps. Anchors, aliases, tags and several
// documents in a file are rejected, so the tree is never larger than the text.
#ifndef HN_FORMATS_TREE_H
#define HN_FORMATS_TREE_H

#include "base/arena.h"

#define HN_TREE_DEPTH 64      // lists and maps within each other
#define HN_TREE_NODES 4000000 // in one file
#define HN_NODE_GRANTED 3     // `quoted` of a path that may be absolute: the user gave its folder
#define HN_FILE_SIZE ((size_t)64 << 20) // bytes of one file

typedef enum hn_node_kind { HN_NODE_SCALAR, HN_NODE_LIST, HN_NODE_MAP } hn_node_kind;

typedef struct hn_node hn_node;
struct hn_node {
  hn_node_kind kind;
  int quoted;               // scalar: 0 plain, 1 in quotes, 2 a block
  int line, column;         // 1-based, columns in characters
  int key_line, key_column; // of its key, in a map
  const char *file;
  const char *key;                // in a map
  const char *text;               // scalar
  const struct hn_amount *amount; // of trees made by programs: not read back from the text; or null
  int count;                      // entries of a list or map
  hn_node *first;                 // entry of a list or map
  hn_node *last;                  // of trees made by programs
  hn_node *next;                  // entry of the same list or map
  const char *comment;            // of trees made by programs: written behind it; null: none
};

// Checks and parses. The tree lives in the arena and does not refer to text; file is copied. An
// empty file (or one with comments only) is an error.
hn_status hn_tree_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                        hn_node **root, hn_error *error);
// The entry of a map, or null.
const hn_node *hn_node_get(const hn_node *map, const char *key);
// Where a node, and where its key stands; of null nowhere.
hn_source hn_node_source(const hn_node *node);
hn_source hn_node_key_source(const hn_node *node);
// A scalar without quotes that says "nothing": empty, ~ or null.
int hn_node_is_null(const hn_node *node);
// Trees made by programs. Null where memory has run out, which the next ones take as nothing.
hn_node *hn_node_make(hn_arena *arena, hn_node_kind kind, const hn_source *place);
hn_node *hn_node_make_text(hn_arena *arena, const char *text, const hn_source *place);
// The text is for messages and files; where the tree is loaded the number itself is taken.
hn_node *hn_node_make_number(hn_arena *arena, double number, const hn_source *place);
// At the end of a map (with a key) or a list (null); returns the entry.
hn_node *hn_node_add(hn_arena *arena, hn_node *to, const char *key, hn_node *entry);
// The tree as text of a file, YAML with its comments or JSON; null where memory has run out.
const char *hn_tree_yaml(hn_arena *arena, const hn_node *root);
const char *hn_tree_json(hn_arena *arena, const hn_node *root);

// "a list", "a map", "text" and so on, for messages.
const char *hn_node_kind_name(const hn_node *node);

#endif
