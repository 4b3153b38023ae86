// A tree as the text of a file: YAML as people write it, short maps on one line, or JSON.
#include <stdlib.h>
#include <string.h>

#include "formats/tree.h"

#define WIDTH 110 // of a line, where a map is written on one

typedef struct writer {
  hn_arena *arena;
  char *text;
  size_t length, capacity;
} writer;

static void put(writer *w, const char *bytes, size_t count) {
  if (w->length + count + 1 > w->capacity) {
    size_t capacity = 2 * (w->length + count) + 1024;
    char *text = HN_TAKE(w->arena, char, capacity);
    if (!text) return;
    if (w->length > 0) memcpy(text, w->text, w->length);
    w->text = text;
    w->capacity = capacity;
  }
  memcpy(w->text + w->length, bytes, count);
  w->length += count;
  w->text[w->length] = '\0';
}

static void say(writer *w, const char *text) { put(w, text, strlen(text)); }
static void indent(writer *w, int depth) {
  for (int k = 0; k < depth; k++) say(w, "  ");
}

static void say_quoted(writer *w, const char *text) {
  static const char digits[] = "0123456789abcdef";
  say(w, "\"");
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    const char escape[7] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], '\0'};
    if (c == '"' || c == '\\') say(w, "\\");
    if (c < 32 || c == 127)
      put(w, escape, 6);
    else
      put(w, text, 1);
  }
  say(w, "\"");
}

// A number as JSON has it.
static int is_number(const char *text) {
  const char *at = text + (*text == '-');
  char *end;
  if (*at < '0' || *at > '9' || (at[0] == '0' && at[1] >= '0' && at[1] <= '9')) return 0;
  if (strspn(text, "0123456789+-.eE") != strlen(text)) return 0;
  strtod(text, &end);
  return *end == '\0' && text[strlen(text) - 1] != '.';
}

static int is_plain(const char *text) {
  static const char fit[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-*^() ";
  size_t n = strlen(text);
  if (n == 0 || strspn(text, fit) != n || text[0] == ' ' || text[n - 1] == ' ') return 0;
  return text[0] != '*' && !(text[0] == '-' && (n == 1 || text[1] == ' '));
}

static void say_scalar(writer *w, const hn_node *node) {
  if (!node->quoted && (hn_node_is_null(node) || is_plain(node->text)))
    say(w, node->text);
  else
    say_quoted(w, node->text);
}

// ---- on one line --------------------------------------------------------------------------------

static void say_flow(writer *w, const hn_node *node) {
  if (node->kind == HN_NODE_SCALAR) {
    say_scalar(w, node);
    return;
  }
  say(w, node->kind == HN_NODE_MAP ? "{" : "[");
  for (const hn_node *entry = node->first; entry; entry = entry->next) {
    if (entry->key) say(w, entry->key);
    if (entry->key) say(w, ": ");
    say_flow(w, entry);
    if (entry->next) say(w, ", ");
  }
  say(w, node->kind == HN_NODE_MAP ? "}" : "]");
}

// The width of it on one line, as far as that matters.
static size_t flow_width(const hn_node *node, size_t most) {
  if (node->kind == HN_NODE_SCALAR) return strlen(node->text) + (node->quoted ? 2 : 0);
  size_t width = 2;
  for (const hn_node *entry = node->first; entry && width <= most; entry = entry->next)
    width +=
        flow_width(entry, most) + (entry->key ? strlen(entry->key) + 2 : 0) + (entry->next ? 2 : 0);
  return width;
}

static int has_maps(const hn_node *list) {
  for (const hn_node *entry = list->first; entry; entry = entry->next)
    if (entry->kind != HN_NODE_SCALAR) return 1;
  return 0;
}

// ---- as blocks ----------------------------------------------------------------------------------

static void say_comment(writer *w, const hn_node *node) {
  if (!node->comment) return;
  say(w, "  # ");
  say(w, node->comment);
}

// The value behind "key:" or "-", with the end of its line. column: where the line stands now.
static void say_value(writer *w, const hn_node *node, int depth, size_t column) {
  int is_short = flow_width(node, 2 * WIDTH) + column + 1 <= WIDTH;
  int may_split = depth > 1
                      ? node->kind == HN_NODE_MAP || (node->kind == HN_NODE_LIST && has_maps(node))
                      : node->kind == HN_NODE_MAP;
  if (node->kind == HN_NODE_SCALAR || node->count == 0 || !may_split || (depth > 1 && is_short)) {
    say(w, " ");
    say_flow(w, node);
    say_comment(w, node);
    say(w, "\n");
    return;
  }
  say_comment(w, node);
  say(w, "\n");
  for (const hn_node *entry = node->first; entry; entry = entry->next) {
    size_t start = w->length;
    indent(w, depth);
    if (entry->key) {
      say(w, entry->key);
      say(w, ":");
    } else {
      say(w, "-");
    }
    say_value(w, entry, depth + 1, w->length - start);
  }
}

const char *hn_tree_yaml(hn_arena *arena, const hn_node *root) {
  writer w = {.arena = arena};
  if (root->comment) {
    say(&w, "# ");
    say(&w, root->comment);
    say(&w, "\n");
  }
  for (const hn_node *entry = root->first; entry; entry = entry->next) {
    size_t start = w.length;
    say(&w, entry->key);
    say(&w, ":");
    say_value(&w, entry, 1, w.length - start);
  }
  return arena->failed ? NULL : w.text;
}

// ---- JSON ---------------------------------------------------------------------------------------

static void say_json(writer *w, const hn_node *node, int depth) {
  if (node->kind == HN_NODE_SCALAR) {
    int is_word = !node->quoted && (strcmp(node->text, "true") == 0 ||
                                    strcmp(node->text, "false") == 0 || is_number(node->text));
    if (!node->quoted && hn_node_is_null(node))
      say(w, "null");
    else if (is_word)
      say(w, node->text);
    else
      say_quoted(w, node->text);
    return;
  }
  int is_wide = depth < 2 && node->first;
  say(w, node->kind == HN_NODE_MAP ? "{" : "[");
  for (const hn_node *entry = node->first; entry; entry = entry->next) {
    if (is_wide) {
      say(w, "\n");
      indent(w, depth + 1);
    }
    if (entry->key) {
      say_quoted(w, entry->key);
      say(w, ": ");
    }
    say_json(w, entry, depth + 1);
    if (entry->next) say(w, is_wide ? "," : ", ");
  }
  if (is_wide) {
    say(w, "\n");
    indent(w, depth);
  }
  say(w, node->kind == HN_NODE_MAP ? "}" : "]");
}

const char *hn_tree_json(hn_arena *arena, const hn_node *root) {
  writer w = {.arena = arena};
  say_json(&w, root, 0);
  say(&w, "\n");
  return arena->failed ? NULL : w.text;
}
