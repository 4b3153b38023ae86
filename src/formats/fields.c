// A map read by the table of keys.
//
// That every key given is used is checked here, so that no line of a model file is without effect:
// a length next to `markers:` or a `ratio` next to `radii` is an error, not a surprise.
#include "formats/fields.h"

#include <string.h>

#include "base/error.h"
#include "formats/geometry.h"
#include "formats/key_hints.h"
#include "math/expression.h"

// ---- opening and closing ------------------------------------------------------------------------

int hn_fields_open(const hn_context *context, const hn_node *map, const hn_section *section,
                   hn_fields *fields) {
  memset(fields, 0, sizeof *fields);
  fields->context = context;
  fields->section = section;
  fields->map = map;
  hn_loader *loader = context->loader;
  if (!hn_loader_ok(loader)) return 0;
  if (map->kind != HN_NODE_MAP) {
    hn_entry_without_keys(context, map, section);
    return 0;
  }
  int unknown = 0;
  for (const hn_node *entry = map->first; entry; entry = entry->next) {
    int place = hn_section_key(section, entry->key);
    if (place < 0) {
      hn_key_unknown(context, section, map, entry);
      unknown = 1;
      if (!hn_loader_put_aside(loader)) return 0;
      continue;
    }
    fields->value[place] = entry;
    // Obeyed before the entry is opened.
    hn_key_type type = section->keys[place].type;
    fields->used[place] = type == HN_KEY_RANGES || type == HN_KEY_CONDITION;
  }
  if (unknown) hn_loader_fail_told(loader);
  return !unknown;
}

// The words of the variants of a section.
static int variant_words(const char *name, const char **words, int most) {
  int count = 0;
  const hn_section *section;
  for (int k = 0; (section = hn_section_at(k)); k++)
    if (strcmp(section->name, name) == 0 && section->variant && count < most)
      words[count++] = section->variant;
  return count;
}

int hn_fields_open_variant(const hn_context *context, const hn_node *map, const char *name,
                           hn_fields *fields) {
  hn_loader *loader = context->loader;
  if (!hn_loader_ok(loader)) return 0;
  const char *words[32];
  int count = variant_words(name, words, 32);
  const hn_node *node = hn_node_get(map, "type");
  hn_source place = hn_node_key_source(map);
  char hint[480], types[440];
  hn_text(hint, sizeof hint, "Types: %s.", hn_text_list(types, sizeof types, words, count));
  if (!node) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "has no 'type'");
    return 0;
  }
  const char *word = hn_text_of(context, node);
  const hn_section *section = word ? hn_section_find(name, word) : NULL;
  if (word && !section) {
    place = hn_node_source(node);
    const char *nearest = hn_type_elsewhere(word, words, count);
    if (!nearest) nearest = hn_nearest_word(word, words, count);
    if (nearest) hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "has the type '%.80s', which does not exist", word);
  }
  if (!section || !hn_fields_open(context, map, section, fields)) return 0;
  hn_field(fields, "type");
  return 1;
}

void hn_fields_close(hn_fields *fields) {
  hn_loader *loader = fields->context->loader;
  for (int k = 0; k < fields->section->key_count && hn_loader_ok(loader); k++) {
    if (!fields->value[k] || fields->used[k]) continue;
    if (strcmp(fields->section->keys[k].detail, HN_SWITCH_DETAIL) == 0) continue; // load_switch.c
    hn_key_unused(fields, k);
  }
}

// ---- keys ---------------------------------------------------------------------------------------

// -1 for a key that the section does not have: the caller may ask anyway and gets "not given".
static int key_place(const hn_fields *fields, const char *key) {
  return hn_section_key(fields->section, key);
}

int hn_field_given(const hn_fields *fields, const char *key) {
  int place = key_place(fields, key);
  return place >= 0 && fields->value[place] != NULL;
}

const hn_node *hn_field(hn_fields *fields, const char *key) {
  int place = key_place(fields, key);
  if (place < 0 || !hn_loader_ok(fields->context->loader)) return NULL;
  fields->used[place] = 1;
  return fields->value[place];
}

const hn_node *hn_field_need(hn_fields *fields, const char *key) {
  const hn_node *node = hn_field(fields, key);
  hn_loader *loader = fields->context->loader;
  if (node || !hn_loader_ok(loader)) return node;
  hn_key_missing(fields, key);
  return NULL;
}

// The node of a key, asking for it where the table says "required"; *row is its line in the table.
static const hn_node *take(hn_fields *fields, const char *key, const hn_key **row) {
  int place = key_place(fields, key);
  *row = place >= 0 ? &fields->section->keys[place] : NULL;
  if (!*row) return NULL;
  return strcmp((*row)->default_text, "required") == 0 ? hn_field_need(fields, key)
                                                       : hn_field(fields, key);
}

double hn_field_number(hn_fields *fields, const char *key) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  if (node)
    return hn_number_of(fields->context, node, hn_meaning_of(row->meaning, fields->is_angle), key);
  double value = 0;
  if (row) hn_number_read(row->default_text, strlen(row->default_text), &value);
  return value;
}

int hn_field_boolean(hn_fields *fields, const char *key) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  const char *text = node ? hn_text_of(fields->context, node) : NULL;
  if (!text) return 0;
  if (strcmp(text, "true") == 0) return 1;
  if (strcmp(text, "false") == 0) return 0;
  hn_source place = hn_node_source(node);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place, "Write true or false.",
                 "expects true or false in '%s', got '%.80s'", key, text);
  return 0;
}

const char *hn_field_text(hn_fields *fields, const char *key) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  return node ? hn_text_of(fields->context, node) : NULL;
}

// Splits the words of a row; returns how many.
static int split_words(const char *text, char words[][32], int most) {
  int count = 0;
  while (*text && count < most) {
    size_t length = strcspn(text, " ");
    if (length > 0 && length < 32) hn_text(words[count++], 32, "%.*s", (int)length, text);
    text += length + (text[length] == ' ');
  }
  return count;
}

int hn_field_choice(hn_fields *fields, const char *key) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  if (!row) return 0;
  char words[24][32];
  const char *pointers[24];
  char list[HN_KEY_WORDS];
  const char *all = hn_key_words(row, list, sizeof list);
  int count = split_words(all, words, 24);
  for (int k = 0; k < count; k++) pointers[k] = words[k];
  const char *text = node ? hn_text_of(fields->context, node) : row->default_text;
  for (int k = 0; text && k < count; k++)
    if (strcmp(text, words[k]) == 0) return k;
  if (!node || !text) return 0;
  char hint[320];
  const char *nearest = hn_nearest_word(text, pointers, count);
  if (nearest)
    hn_text(hint, sizeof hint, "Did you mean '%s'?", nearest);
  else
    hn_text(hint, sizeof hint, "Use one of: %s.", all);
  hn_source place = hn_node_source(node);
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place, hint,
                 "has '%.80s' in '%s', which is not a valid value", text, key);
  return 0;
}

hn_vec3 hn_field_vector(hn_fields *fields, const char *key) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  return node ? hn_vector_of(fields->context, node, row->meaning) : vec3_zero();
}

int hn_field_numbers(hn_fields *fields, const char *key, int least, int most, double *numbers) {
  const hn_key *row;
  const hn_node *node = take(fields, key, &row);
  if (!node) return 0;
  if (node->kind != HN_NODE_LIST || node->count < least || node->count > most) {
    hn_source place = hn_node_source(node);
    char wanted[48];
    if (least == most)
      hn_text(wanted, sizeof wanted, "%d", least);
    else
      hn_text(wanted, sizeof wanted, "%d to %d", least, most);
    hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place, "Write them as [a, b, ...].",
                   "expects a list of %s numbers in '%s', got %s with %d", wanted, key,
                   hn_node_kind_name(node), node->count);
    return 0;
  }
  int count = 0;
  hn_meaning meaning = hn_meaning_of(row->meaning, fields->is_angle);
  for (const hn_node *entry = node->first; entry; entry = entry->next)
    numbers[count++] = hn_number_of(fields->context, entry, meaning, key);
  return hn_loader_ok(fields->context->loader) ? count : 0;
}

int hn_field_names(hn_fields *fields, const char *key, int count, const char **names,
                   const hn_node **nodes) {
  const hn_node *node = hn_field_need(fields, key);
  hn_loader *loader = fields->context->loader;
  if (!node) return 0;
  if (node->kind != HN_NODE_LIST || node->count != count) {
    hn_source place = hn_node_source(node);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, "Write them as [first, second].",
                   "expects %d names in '%s', got %s with %d", count, key, hn_node_kind_name(node),
                   node->count);
    return 0;
  }
  const hn_node *entry = node->first;
  for (int k = 0; k < count; k++, entry = entry->next) {
    nodes[k] = entry;
    names[k] = hn_text_of(fields->context, entry);
  }
  return hn_loader_ok(loader);
}
