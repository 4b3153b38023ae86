// From YAML text to a tree, through the events of libyaml.
//
// The parser of libyaml is not recursive and neither is this; depth, size and number of nodes are
// bounded, and a key that stands twice in a map is an error. Not here: what the nodes mean.
#include "formats/tree.h"

#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "formats/text_file.h"

#define NODES_AT_ONCE 256
#define TEXT_AT_ONCE ((size_t)1 << 16)

// An open list or map.
typedef struct level {
  hn_node *node;
  hn_node *last;   // its newest entry
  const char *key; // of the entry to come, in a map
  int key_line, key_column;
} level;

typedef struct builder {
  hn_arena *arena;
  hn_error *error;
  hn_status status;
  const char *text, *file;
  size_t size;
  yaml_parser_t parser;
  level stack[HN_TREE_DEPTH];
  int depth;
  hn_node *root;
  int documents;
  long node_count;
  hn_node *free_nodes; // pieces taken at once: single ones would each fill a cache line
  int free_node_count;
  char *free_text;
  size_t free_text_size;
} builder;

// ---- memory -------------------------------------------------------------------------------------

static void *out_of_memory(builder *b) {
  hn_source place = {b->file, 0, 0};
  b->status = hn_fail(b->error, HN_ERROR_MEMORY, &place, "the file", "Close other programs.",
                      "does not fit into memory (%ld nodes so far)", b->node_count);
  return NULL;
}

static hn_node *new_node(builder *b) {
  if (b->free_node_count == 0) {
    b->free_nodes = HN_TAKE(b->arena, hn_node, NODES_AT_ONCE);
    if (!b->free_nodes) return out_of_memory(b);
    b->free_node_count = NODES_AT_ONCE;
  }
  b->free_node_count--;
  b->node_count++;
  return b->free_nodes++;
}

static const char *copy_text(builder *b, const yaml_char_t *text, size_t length) {
  if (length + 1 > b->free_text_size) {
    size_t size = length + 1 > TEXT_AT_ONCE ? length + 1 : TEXT_AT_ONCE;
    b->free_text = hn_arena_take(b->arena, size, 1);
    if (!b->free_text) return out_of_memory(b);
    b->free_text_size = size;
  }
  char *copy = b->free_text;
  memcpy(copy, text, length);
  copy[length] = '\0';
  b->free_text += length + 1;
  b->free_text_size -= length + 1;
  return copy;
}

// ---- errors -------------------------------------------------------------------------------------

static hn_status refuse(builder *b, yaml_mark_t mark, hn_status status, const char *hint,
                        const char *message) {
  hn_source place = {b->file, (int)mark.line + 1, (int)mark.column + 1};
  b->status = hn_fail(b->error, status, &place, NULL, hint, "%s", message);
  return b->status;
}

// The byte offset of the start of a line (from 0). Marks count characters, not bytes.
static size_t line_start(const builder *b, size_t line) {
  size_t at = 0;
  for (; line > 0 && at < b->size; at++) line -= b->text[at] == '\n';
  return at;
}

// The byte at a place of the text, or 0 past the end.
static char byte_at(const builder *b, yaml_mark_t mark) {
  size_t at = line_start(b, mark.line);
  for (size_t column = mark.column; column > 0 && at < b->size; column--) {
    at++;
    while (at < b->size && ((unsigned char)b->text[at] & 0xC0) == 0x80) at++;
  }
  return at < b->size ? b->text[at] : '\0';
}

// Whether the blanks at the start of the line hold a tab.
static int tab_before(const builder *b, yaml_mark_t mark) {
  size_t at = line_start(b, mark.line);
  while (at < b->size && b->text[at] == ' ') at++;
  return at < b->size && b->text[at] == '\t';
}

static const char *syntax_hint(const builder *b) {
  const yaml_parser_t *p = &b->parser;
  const char *problem = p->problem ? p->problem : "", *context = p->context ? p->context : "";
  if (strstr(context, "flow") && byte_at(b, p->problem_mark) == '{')
    return "Within [ ] and { } a name with {i} needs quotes: [\"link{i}\", ground].";
  if (strstr(context, "flow"))
    return "Check the commas and the closing bracket; an entry with a colon, comma or bracket in "
           "its text needs quotes.";
  if (strstr(problem, "mapping values"))
    return "A colon with a blank after it makes a key: keys of one map begin in the same column, "
           "and "
           "text with a colon needs quotes.";
  if (strstr(problem, "end of stream")) return "A quote was opened and never closed.";
  if (strstr(problem, "expected ':'")) return "An entry of a map is `key: value`.";
  if (strstr(problem, "expected key")) return "Keys of one map begin in the same column.";
  return "Check quotes, brackets and indentation around this place.";
}

static hn_status parser_failed(builder *b) {
  const yaml_parser_t *p = &b->parser;
  if (p->error == YAML_MEMORY_ERROR) {
    out_of_memory(b);
    return b->status;
  }
  hn_source place = {b->file, (int)p->problem_mark.line + 1, (int)p->problem_mark.column + 1};
  if (p->error == YAML_READER_ERROR)
    hn_text_locate(b->text, b->size, p->problem_offset, &place.line, &place.column);
  if (byte_at(b, p->problem_mark) == '\t' || tab_before(b, p->problem_mark)) {
    b->status = hn_fail(b->error, HN_ERROR_SYNTAX, &place, NULL, "Indent with blanks.",
                        "not well-formed YAML: a tab stands where blanks are expected");
    return b->status;
  }
  char since[64] = "";
  if (p->context && p->context_mark.line != p->problem_mark.line)
    hn_text(since, sizeof since, " that began in line %zu", p->context_mark.line + 1);
  b->status = hn_fail(b->error, HN_ERROR_SYNTAX, &place, NULL, syntax_hint(b),
                      "not well-formed YAML: %s%s%s%s", p->problem ? p->problem : "no reason given",
                      p->context ? ", " : "", p->context ? p->context : "", since);
  return b->status;
}

// ---- keys that stand twice ----------------------------------------------------------------------

static size_t hash_text(const char *text) {
  unsigned long long hash = 14695981039346656037u; // FNV-1a
  for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
  return (size_t)(hash ^ (hash >> 32));
}

static void report_twice(builder *b, const hn_node *first, const hn_node *second) {
  hn_source place = hn_node_key_source(second);
  b->status = hn_fail(b->error, HN_ERROR_SYNTAX, &place, NULL,
                      "Names within a map are used once; rename or delete one of the two.",
                      "the key '%s' stands twice in one map: first in line %d", second->key,
                      first->key_line);
}

static void check_small_map(builder *b, const hn_node *map) {
  for (const hn_node *a = map->first; a; a = a->next)
    for (const hn_node *c = a->next; c; c = c->next)
      if (strcmp(a->key, c->key) == 0) {
        report_twice(b, a, c);
        return;
      }
}

// A table of the keys, so that a map of 10,000 bodies is checked in linear time.
static void check_large_map(builder *b, const hn_node *map) {
  size_t capacity = 64;
  while (capacity < 2 * (size_t)map->count) capacity *= 2;
  const hn_node **slots = hn_allocate(&b->arena->allocator, capacity * sizeof *slots);
  if (!slots) {
    out_of_memory(b);
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

// ---- events -------------------------------------------------------------------------------------

// Puts a node into the innermost open list or map, or makes it the root.
static void attach(builder *b, hn_node *node) {
  if (b->depth == 0) {
    b->root = node;
    return;
  }
  level *top = &b->stack[b->depth - 1];
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

static hn_node *begin_node(builder *b, const yaml_event_t *event, hn_node_kind kind) {
  if (b->node_count >= HN_TREE_NODES) {
    char message[96];
    refuse(b, event->start_mark, HN_ERROR_LIMIT, "Use `repeat:` and components for what repeats.",
           hn_text(message, sizeof message, "more than %d entries, the limit for a file",
                   HN_TREE_NODES));
    return NULL;
  }
  hn_node *node = new_node(b);
  if (!node) return NULL;
  node->kind = kind;
  node->line = (int)event->start_mark.line + 1;
  node->column = (int)event->start_mark.column + 1;
  node->file = b->file;
  return node;
}

static int awaits_key(const builder *b) {
  const level *top = b->depth > 0 ? &b->stack[b->depth - 1] : NULL;
  return top && top->node->kind == HN_NODE_MAP && !top->key;
}

// What no text needs and a terminal obeys: C0 but for line ends and tabs, DEL, C1 as UTF-8 writes it.
// Raw ones are refused before (hn_text_check); these come from escapes in quotes.
static int has_control(const char *text) {
  for (const unsigned char *c = (const unsigned char *)text; *c; c++)
    if ((*c < 0x20 && *c != '\n' && *c != '\r' && *c != '\t') || *c == 0x7f ||
        (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
      return 1;
  return 0;
}

static void on_scalar(builder *b, const yaml_event_t *event) {
  const char *text = copy_text(b, event->data.scalar.value, event->data.scalar.length);
  if (!text) return;
  if (strlen(text) != event->data.scalar.length) {
    refuse(b, event->start_mark, HN_ERROR_SYNTAX, "Delete the \\0.", "text with a zero byte in it");
    return;
  }
  if (has_control(text)) {
    refuse(b, event->start_mark, HN_ERROR_SYNTAX,
           "Delete escapes as \\e or \\x07; \\n and \\t may stand in texts.",
           "text with a control character in it");
    return;
  }
  if (awaits_key(b)) {
    level *top = &b->stack[b->depth - 1];
    if (strcmp(text, "<<") == 0) {
      refuse(b, event->start_mark, HN_ERROR_SYNTAX,
             "Use parameters, `repeat:` or a component for what repeats.",
             "merge keys (<<) are not used in model files");
      return;
    }
    top->key = text;
    top->key_line = (int)event->start_mark.line + 1;
    top->key_column = (int)event->start_mark.column + 1;
    return;
  }
  hn_node *node = begin_node(b, event, HN_NODE_SCALAR);
  if (!node) return;
  node->text = text;
  node->quoted = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0
                 : event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                         event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE
                     ? 1
                     : 2;
  attach(b, node);
}

static void on_start(builder *b, const yaml_event_t *event, hn_node_kind kind) {
  if (awaits_key(b)) {
    refuse(b, event->start_mark, HN_ERROR_SYNTAX,
           "A key is a word; a name with {i} within { } needs quotes.",
           "a list or map cannot be a key");
    return;
  }
  if (b->depth == HN_TREE_DEPTH) {
    char message[96];
    refuse(b, event->start_mark, HN_ERROR_LIMIT, "Check the brackets.",
           hn_text(message, sizeof message, "lists and maps are nested more than %d deep",
                   HN_TREE_DEPTH));
    return;
  }
  hn_node *node = begin_node(b, event, kind);
  if (!node) return;
  attach(b, node);
  b->stack[b->depth++] = (level){node, NULL, NULL, 0, 0};
}

static void on_end(builder *b) {
  const hn_node *node = b->stack[--b->depth].node;
  if (node->kind != HN_NODE_MAP) return;
  if (node->count > 16)
    check_large_map(b, node);
  else
    check_small_map(b, node);
}

static int has_anchor_or_tag(const yaml_event_t *event) {
  if (event->type == YAML_SCALAR_EVENT) return event->data.scalar.anchor || event->data.scalar.tag;
  if (event->type == YAML_SEQUENCE_START_EVENT)
    return event->data.sequence_start.anchor || event->data.sequence_start.tag;
  if (event->type == YAML_MAPPING_START_EVENT)
    return event->data.mapping_start.anchor || event->data.mapping_start.tag;
  return event->type == YAML_ALIAS_EVENT;
}

static void on_event(builder *b, const yaml_event_t *event) {
  if (has_anchor_or_tag(event)) {
    refuse(
        b, event->start_mark, HN_ERROR_SYNTAX,
        "Use parameters, `repeat:` or a component for what repeats; text that begins with &, * or "
        "! needs quotes.",
        "anchors (&), aliases (*) and tags (!) are not used in model files");
    return;
  }
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (++b->documents > 1)
      refuse(b, event->start_mark, HN_ERROR_SYNTAX, "Put the second one into a file of its own.",
             "a second document (---) in one file");
    break;
  case YAML_SCALAR_EVENT: on_scalar(b, event); break;
  case YAML_SEQUENCE_START_EVENT: on_start(b, event, HN_NODE_LIST); break;
  case YAML_MAPPING_START_EVENT: on_start(b, event, HN_NODE_MAP); break;
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: on_end(b); break;
  case YAML_NO_EVENT:
  case YAML_STREAM_START_EVENT:
  case YAML_STREAM_END_EVENT:
  case YAML_DOCUMENT_END_EVENT:
  case YAML_ALIAS_EVENT: break;
  }
}

static void run(builder *b) {
  int done = 0;
  while (!done && !b->status) {
    yaml_event_t event;
    if (!yaml_parser_parse(&b->parser, &event)) {
      parser_failed(b);
      return;
    }
    on_event(b, &event);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
}

hn_status hn_tree_parse(hn_arena *arena, const char *text, size_t size, const char *file,
                        hn_node **root, hn_error *error) {
  *root = NULL;
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { // a byte order mark says UTF-8, no more
    text += 3;
    size -= 3;
  }
  hn_status status = hn_text_check(text, size, file, error);
  if (status) return status;
  builder b = {.arena = arena, .error = error, .text = text, .size = size};
  b.file = hn_arena_copy_string(arena, file);
  if (!b.file || !yaml_parser_initialize(&b.parser)) {
    b.file = file;
    out_of_memory(&b);
    return b.status;
  }
  yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, size);
  yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
  run(&b);
  yaml_parser_delete(&b.parser);
  if (b.status) return b.status;
  if (!b.root || hn_node_is_null(b.root)) {
    hn_source place = {file, 1, 1};
    return hn_fail(error, HN_ERROR_SYNTAX, &place, "the file",
                   "A model has at least `bodies:`; see docs/model-format.md.",
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
