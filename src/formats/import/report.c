// The loss report: every element and every attribute of the file, once, with its status.
#include <string.h>

#include "formats/import/import.h"

static hn_import_fate told(hn_fate fate) {
  switch (fate) {
  case HN_FATE_USED: return HN_IMPORT_USED;
  case HN_FATE_HARMLESS: return HN_IMPORT_HARMLESS;
  case HN_FATE_APPROXIMATED: return HN_IMPORT_APPROXIMATED;
  case HN_FATE_NONE:
  case HN_FATE_LOST: break;
  }
  return HN_IMPORT_LOST;
}

// The next element after `at` in the order of the file; null at the end.
static hn_xml *step(const hn_xml *root, hn_xml *at) {
  if (at->first) return at->first;
  while (at != root && !at->next) at = at->parent;
  return at == root ? NULL : at->next;
}

static void count_all(hn_import *import) {
  hn_xml *root = import->machine.root;
  for (hn_xml *at = root; at; at = step(root, at)) {
    import->count[told(at->fate)]++;
    for (int k = 0; k < at->attribute_count; k++) import->count[told(at->attributes[k].fate)]++;
    import->tags += 1 + at->attribute_count;
  }
}

// The lost element it is part of, or null.
static const hn_xml *lost_above(const hn_xml *node) {
  const hn_xml *found = NULL;
  if (told(node->fate) != HN_IMPORT_LOST) return NULL;
  for (const hn_xml *up = node->parent; up && told(up->fate) == HN_IMPORT_LOST; up = up->parent)
    found = up;
  return found;
}

// "joint[revolute]/limit" of an element, "gazebo/sensor/camera" of what is inside a lost one.
static const char *kind_of(hn_machine *machine, const hn_xml *node) {
  if (lost_above(node))
    return hn_machine_text(machine, "%s/%s", kind_of(machine, node->parent), node->name);
  const hn_xml *up = node->parent;
  const char *type = up && strcmp(up->name, "joint") == 0 ? hn_xml_peek(up, "type") : NULL;
  if (!up || !up->parent) return node->name;
  if (type) return hn_machine_text(machine, "joint[%.30s]/%s", type, node->name);
  return hn_machine_text(machine, "%s/%s", up->name, node->name);
}

// Display name: the element with the nearest name above it.
static const char *owner_of(hn_machine *machine, const hn_xml *node) {
  for (const hn_xml *up = node->parent; up; up = up->parent) {
    const char *name = hn_xml_peek(up, "name");
    if (name && *name && up->parent) return hn_machine_text(machine, "%s '%s' ", up->name, name);
  }
  return "";
}

static void add(hn_import *import, int *at, hn_fate fate, hn_import_item item) {
  hn_import_fate list = told(fate);
  import->items[list][at[list]++] = item;
}

static const char *reason(hn_fate fate, const char *why) {
  if (why) return why;
  return fate == HN_FATE_NONE ? "unknown, ignored" : "";
}

static void add_element(hn_import *import, int *at, const hn_xml *node) {
  hn_machine *m = &import->machine;
  const char *kind = kind_of(m, node), *owner = owner_of(m, node),
             *name = hn_xml_peek(node, "name");
  const char *what = name && *name ? hn_machine_text(m, "%s<%s> '%s'", owner, node->name, name)
                     : *node->text
                         ? hn_machine_text(m, "%s<%s> %.60s", owner, node->name, node->text)
                         : hn_machine_text(m, "%s<%s>", owner, node->name);
  int is_inside = lost_above(node) != NULL;
  add(import, at, node->fate,
      (hn_import_item){node->file, node->line, node->column, what, kind,
                       reason(node->fate, node->why), is_inside});
  for (int k = 0; k < node->attribute_count; k++) {
    const hn_xml_attribute *a = &node->attributes[k];
    add(import, at, a->fate,
        (hn_import_item){
            node->file, node->line, node->column,
            hn_machine_text(m, "%s<%s> %s = \"%.60s\"", owner, node->name, a->name, a->value),
            hn_machine_text(m, "%s@%s", kind, a->name), reason(a->fate, a->why),
            told(node->fate) == HN_IMPORT_LOST && told(a->fate) == HN_IMPORT_LOST});
  }
}

void hn_import_collect(hn_import *import) {
  hn_xml *root = import->machine.root;
  int at[HN_IMPORT_FATES] = {0};
  count_all(import);
  for (int k = 0; k < HN_IMPORT_FATES; k++) {
    import->items[k] = HN_MACHINE_TAKE(&import->machine, hn_import_item, import->count[k]);
    if (!import->items[k]) return;
  }
  for (hn_xml *node = root; node; node = step(root, node)) add_element(import, at, node);
}
