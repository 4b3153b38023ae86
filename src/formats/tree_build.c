// Making a tree: memory, places, keys that stand twice, text that must not be.
#include "formats/tree_build.h"

#include <string.h>

#include "base/error.h"

#define NODES_AT_ONCE 256
#define TEXT_AT_ONCE ((size_t)1 << 16)

// ---- memory -------------------------------------------------------------------------------------

void *hn_tree_out_of_memory(hn_tree_builder *b) {
  hn_source place = {b->file, 0, 0};
  b->status = hn_fail(b->error, HN_ERROR_MEMORY, &place, "the file", "Close other programs.",
                      "does not fit into memory (%ld nodes so far)", b->node_count);
  return NULL;
}

static hn_node *new_node(hn_tree_builder *b) {
  if (b->free_node_count == 0) {
    b->free_nodes = HN_TAKE(b->arena, hn_node, NODES_AT_ONCE);
    if (!b->free_nodes) return hn_tree_out_of_memory(b);
    b->free_node_count = NODES_AT_ONCE;
  }
  b->free_node_count--;
  b->node_count++;
  return b->free_nodes++;
}

static const char *copy_text(hn_tree_builder *b, const char *text, size_t length) {
  if (length + 1 > b->free_text_size) {
    size_t size = length + 1 > TEXT_AT_ONCE ? length + 1 : TEXT_AT_ONCE;
    b->free_text = hn_arena_take(b->arena, size, 1);
    if (!b->free_text) return hn_tree_out_of_memory(b);
    b->free_text_size = size;
  }
  char *copy = b->free_text;
  memcpy(copy, text, length);
  copy[length] = '\0';
  b->free_text += length + 1;
  b->free_text_size -= length + 1;
  return copy;
}

hn_status hn_tree_refuse(hn_tree_builder *b, hn_tree_place place, hn_status status,
                         const char *hint, const char *message) {
  hn_source source = {b->file, place.line, place.column};
  b->status = hn_fail(b->error, status, &source, NULL, hint, "%s", message);
  return b->status;
}

// ---- keys that stand twice ----------------------------------------------------------------------

static size_t hash_text(const char *text) {
  unsigned long long hash = 14695981039346656037u; // FNV-1a
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return (size_t)(hash ^ (hash >> 32));
}

static void report_twice(hn_tree_builder *b, const hn_node *first, const hn_node *second) {
  hn_source place = hn_node_key_source(second);
  b->status = hn_fail(b->error, HN_ERROR_SYNTAX, &place, NULL, "Rename or delete one of the two.",
                      "the key '%s' appears twice in one map: first in line %d", second->key,
                      first->key_line);
}

static void check_small_map(hn_tree_builder *b, const hn_node *map) {
  for (const hn_node *a = map->first; a; a = a->next)
    for (const hn_node *c = a->next; c; c = c->next)
      if (strcmp(a->key, c->key) == 0) {
        report_twice(b, a, c);
        return;
      }
}

// A table of the keys, so that a map of 10,000 bodies is checked in linear time.
static void check_large_map(hn_tree_builder *b, const hn_node *map) {
  size_t capacity = 64;
  while (capacity < 2 * (size_t)map->count) capacity *= 2;
  const hn_node **slots = hn_allocate(&b->arena->allocator, capacity * sizeof *slots);
  if (!slots) {
    hn_tree_out_of_memory(b);
    return;
  }
  for (size_t k = 0; k < capacity; k++) slots[k] = NULL;
  for (const hn_node *entry = map->first; entry && !b->status; entry = entry->next) {
    size_t at = hash_text(entry->key) & (capacity - 1);
    while (slots[at] && strcmp(slots[at]->key, entry->key) != 0) at = (at + 1) & (capacity - 1);
    if (slots[at]) report_twice(b, slots[at], entry);
    slots[at] = entry;
  }
  hn_release(&b->arena->allocator, (void *)slots);
}

// ---- entries ------------------------------------------------------------------------------------

// Puts a node into the innermost open list or map, or makes it the root.
static void attach(hn_tree_builder *b, hn_node *node) {
  if (b->depth == 0) {
    b->root = node;
    return;
  }
  hn_tree_open_node *top = &b->stack[b->depth - 1];
  if (top->node->kind == HN_NODE_MAP) {
    node->key = top->key;
    node->key_line = top->key_line;
    node->key_column = top->key_column;
    top->key = NULL;
  }
  if (top->last)
    top->last->next = node;
  else
    top->node->first = node;
  top->last = node;
  top->node->count++;
}

static hn_node *begin_node(hn_tree_builder *b, hn_tree_place place, hn_node_kind kind) {
  if (b->node_count >= HN_TREE_NODES) {
    char message[96];
    hn_tree_refuse(b, place, HN_ERROR_LIMIT, "Use `repeat:` and components for repeated parts.",
                   hn_text(message, sizeof message, "more than %d entries, the limit for a file",
                           HN_TREE_NODES));
    return NULL;
  }
  hn_node *node = new_node(b);
  if (!node) return NULL;
  node->kind = kind;
  node->line = place.line;
  node->column = place.column;
  node->file = b->file;
  return node;
}

int hn_tree_awaits_key(const hn_tree_builder *b) {
  const hn_tree_open_node *top = b->depth > 0 ? &b->stack[b->depth - 1] : NULL;
  return top && top->node->kind == HN_NODE_MAP && !top->key;
}

// Control characters that text does not need but terminals interpret: C0 but for line ends and
// tabs, DEL, C1 in UTF-8. Raw ones are rejected before (hn_text_check); these come from escapes in
// quotes.
static int has_control(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if ((*c < 0x20 && *c != '\n' && *c != '\r' && *c != '\t') || *c == 0x7f ||
        (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
      return 1;
  return 0;
}

static const char *checked_text(hn_tree_builder *b, hn_tree_place place, const char *given,
                                size_t length) {
  const char *text = copy_text(b, given, length);
  if (!text) return NULL;
  if (strlen(text) != length) {
    hn_tree_refuse(b, place, HN_ERROR_SYNTAX, "Delete the \\0.", "text with a zero byte in it");
    return NULL;
  }
  if (has_control(text)) {
    hn_tree_refuse(b, place, HN_ERROR_SYNTAX,
                   "Delete escapes as \\e or \\x07; \\n and \\t are allowed in texts.",
                   "text with a control character in it");
    return NULL;
  }
  return text;
}

void hn_tree_key(hn_tree_builder *b, hn_tree_place place, const char *text, size_t length) {
  const char *key = checked_text(b, place, text, length);
  if (!key) return;
  hn_tree_open_node *top = &b->stack[b->depth - 1];
  top->key = key;
  top->key_line = place.line;
  top->key_column = place.column;
}

void hn_tree_scalar(hn_tree_builder *b, hn_tree_place place, const char *text, size_t length,
                    int quoted) {
  const char *copy = checked_text(b, place, text, length);
  hn_node *node = copy ? begin_node(b, place, HN_NODE_SCALAR) : NULL;
  if (!node) return;
  node->text = copy;
  node->quoted = quoted;
  attach(b, node);
}

void hn_tree_open(hn_tree_builder *b, hn_tree_place place, hn_node_kind kind) {
  if (b->depth == HN_TREE_DEPTH) {
    char message[96];
    hn_tree_refuse(b, place, HN_ERROR_LIMIT, "Check the brackets.",
                   hn_text(message, sizeof message, "lists and maps are nested more than %d deep",
                           HN_TREE_DEPTH));
    return;
  }
  hn_node *node = begin_node(b, place, kind);
  if (!node) return;
  attach(b, node);
  b->stack[b->depth++] = (hn_tree_open_node){node, NULL, NULL, 0, 0};
}

void hn_tree_close(hn_tree_builder *b) {
  const hn_node *node = b->stack[--b->depth].node;
  if (node->kind != HN_NODE_MAP) return;
  if (node->count > 16)
    check_large_map(b, node);
  else
    check_small_map(b, node);
}
