// Trees of model files made by programs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/amount.h"
#include "formats/tree.h"

hn_node *hn_node_make(hn_arena *arena, hn_node_kind kind, const hn_source *place) {
  hn_node *node = HN_TAKE(arena, hn_node, 1);
  if (!node) return NULL;
  node->kind = kind;
  node->file = place ? place->file : NULL;
  node->line = node->key_line = place ? place->line : 0;
  node->column = node->key_column = place ? place->column : 0;
  return node;
}

hn_node *hn_node_make_text(hn_arena *arena, const char *text, const hn_source *place) {
  hn_node *node = hn_node_make(arena, HN_NODE_SCALAR, place);
  if (node) node->text = hn_arena_copy_string(arena, text);
  return node && node->text ? node : NULL;
}

// As few digits as read back the same.
hn_node *hn_node_make_number(hn_arena *arena, double number, const hn_source *place) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, number == 0 ? 0.0 : number);
    if (strtod(text, NULL) == number) break;
  }
  hn_node *node = hn_node_make_text(arena, text, place);
  hn_amount *amount = HN_TAKE(arena, hn_amount, 1);
  if (!node || !amount) return NULL;
  *amount = (hn_amount){.value = number == 0 ? 0.0 : number, .kind = HN_AMOUNT_NUMBER};
  node->amount = amount;
  return node;
}

hn_node *hn_node_add(hn_arena *arena, hn_node *to, const char *key, hn_node *entry) {
  if (!to || !entry) return NULL;
  if (key) entry->key = hn_arena_copy_string(arena, key);
  hn_node **end = to->last ? &to->last->next : &to->first;
  *end = entry;
  to->last = entry;
  to->count++;
  return entry;
}
