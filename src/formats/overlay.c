// Overlays, by one rule everywhere:
//
//   a section (bodies, joints, ...)   new names are added, known names take the keys given
//   markers of a body                 the same, name by name
//   simulation, initial               take the keys given
//   anything else                     is replaced
//   remove: {joints: [a, b]}          deletes entries; [gravity] deletes keys of the file
//   remove: [initial] in an entry     deletes keys of it
//
// Entries to be removed must exist: a misspelled name is reported, not ignored.
#include "formats/overlay.h"

#include <string.h>

#include "base/error.h"
#include "formats/keys.h"
#include "formats/text_file.h"

typedef struct overlay {
  hn_arena *arena;
  hn_error *error;
  hn_status status;
} overlay;

static hn_node *find(hn_node *map, const char *key) {
  if (!map || map->kind != HN_NODE_MAP) return NULL;
  hn_node *entry = map->first;
  while (entry && strcmp(entry->key, key) != 0) entry = entry->next;
  return entry;
}

static void append(hn_node *to, hn_node *entry) {
  hn_node **end = &to->first;
  while (*end) end = &(*end)->next;
  *end = entry;
  entry->next = NULL;
  to->last = entry;
  to->count++;
}

// The node takes the value of another one; its key and its place among the others stay.
static void replace(hn_node *node, const hn_node *by) {
  hn_node *next = node->next;
  const char *key = node->key;
  *node = *by;
  node->next = next;
  node->key = key;
}

// ---- remove -------------------------------------------------------------------------------------

static void fail_unknown(overlay *o, const hn_node *target, hn_node *map, const char *what) {
  const char *words[256], *near;
  char hint[200];
  int count = 0;
  for (hn_node *entry = map ? map->first : NULL; entry && count < 256; entry = entry->next)
    if (entry->key) words[count++] = entry->key;
  near = hn_nearest_word(target->text, words, count);
  hn_source place = hn_node_source(target);
  hn_text(hint, sizeof hint, near ? "Did you mean '%.60s'?" : "Use a name from the model.", near);
  o->status = hn_fail(o->error, HN_ERROR_MODEL, &place, "`remove:` of the overlay", hint,
                      "refers to %s '%.80s', which does not exist", what, target->text);
}

static void cut(overlay *o, hn_node *map, const hn_node *target, const char *what) {
  if (target->kind != HN_NODE_SCALAR) {
    hn_source place = hn_node_source(target);
    o->status = hn_fail(o->error, HN_ERROR_MODEL, &place, "`remove:` of the overlay",
                        "Write names: [a, b].", "expects names, got %s", hn_node_kind_name(target));
    return;
  }
  hn_node *entry = find(map, target->text), **at = map ? &map->first : NULL;
  if (!entry) {
    fail_unknown(o, target, map, what);
    return;
  }
  while (*at != entry) at = &(*at)->next;
  *at = entry->next;
  map->count--;
  map->last = NULL;
  for (hn_node *left = map->first; left; left = left->next) map->last = left;
}

static void remove_keys(overlay *o, hn_node *map, const hn_node *list, const char *what) {
  if (list->kind == HN_NODE_SCALAR && !hn_node_is_null(list)) {
    cut(o, map, list, what);
    return;
  }
  for (const hn_node *target = list->first; target && !o->status; target = target->next)
    cut(o, map, target, what);
}

static void remove_entries(overlay *o, hn_node *base, const hn_node *sections) {
  if (sections->kind != HN_NODE_MAP) {
    remove_keys(o, base, sections, "the key");
    return;
  }
  for (const hn_node *section = sections->first; section && !o->status; section = section->next) {
    hn_node *map = find(base, section->key);
    hn_node named = {.kind = HN_NODE_SCALAR,
                     .text = section->key,
                     .file = section->file,
                     .line = section->key_line,
                     .column = section->key_column};
    if (!map)
      fail_unknown(o, &named, base, "the section");
    else
      remove_keys(o, map, section, "the entry");
  }
}

// ---- merging ------------------------------------------------------------------------------------

static void merge_entries(overlay *o, hn_node *base, hn_node *over, int is_section);

// Keys of an entry that is there.
static void merge_entry(overlay *o, hn_node *entry, hn_node *over) {
  if (entry->kind != HN_NODE_MAP || over->kind != HN_NODE_MAP) {
    replace(entry, over);
    return;
  }
  for (hn_node *key = over->first, *next; key && !o->status; key = next) {
    next = key->next;
    hn_node *known = find(entry, key->key);
    if (strcmp(key->key, "remove") == 0)
      remove_keys(o, entry, key, "the key");
    else if (!known)
      append(entry, key);
    else if (strcmp(key->key, "markers") == 0 && known->kind == HN_NODE_MAP &&
             key->kind == HN_NODE_MAP)
      merge_entries(o, known, key, 1);
    else
      replace(known, key);
  }
}

// is_section: entries have keys of their own; else values are replaced.
static void merge_entries(overlay *o, hn_node *base, hn_node *over, int is_section) {
  for (hn_node *entry = over->first, *next; entry && !o->status; entry = next) {
    next = entry->next;
    hn_node *known = find(base, entry->key);
    if (!known)
      append(base, entry);
    else if (is_section)
      merge_entry(o, known, entry);
    else
      replace(known, entry);
  }
}

static int has_names(const char *key) {
  const hn_section *model = hn_section_find("model", NULL);
  const int k = hn_section_key(model, key);
  return k >= 0 &&
         (model->keys[k].type == HN_KEY_ENTRIES || model->keys[k].type == HN_KEY_PARAMETERS);
}

static void merge_top(overlay *o, hn_node *base, hn_node *key) {
  hn_node *known = find(base, key->key);
  if (strcmp(key->key, "remove") == 0) return; // done before
  if (!known || hn_node_is_null(known)) {
    if (known)
      replace(known, key);
    else
      append(base, key);
  } else if (known->kind != HN_NODE_MAP || key->kind != HN_NODE_MAP) {
    if (!hn_node_is_null(key) || !has_names(key->key)) replace(known, key);
  } else {
    merge_entries(o, known, key, has_names(key->key));
  }
}

hn_status hn_overlay_merge(hn_arena *arena, hn_node *base, hn_node *over, hn_error *error) {
  overlay o = {arena, error, HN_OK};
  hn_source place = hn_node_source(over);
  if (over->kind != HN_NODE_MAP)
    return hn_fail(error, HN_ERROR_MODEL, &place, "the overlay",
                   "Write it as a model file: sections with named entries.",
                   "expects a map, got %s", hn_node_kind_name(over));
  if (base->kind != HN_NODE_MAP) return HN_OK; // the loader says what is wrong with it
  const hn_node *remove = hn_node_get(over, "remove");
  if (remove) remove_entries(&o, base, remove);
  for (hn_node *key = over->first, *next; key && !o.status; key = next) {
    next = key->next;
    merge_top(&o, base, key);
  }
  return o.status;
}

hn_status hn_overlay_apply(hn_arena *arena, hn_node *base, const char *path, hn_error *error) {
  char *text = NULL;
  size_t size = 0;
  hn_node *over = NULL;
  hn_status status = hn_text_file_read(arena, path, NULL, &text, &size, error);
  if (!status) status = hn_tree_parse(arena, text, size, path, &over, error);
  return status ? status : hn_overlay_merge(arena, base, over, error);
}
