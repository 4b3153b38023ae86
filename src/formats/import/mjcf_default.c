// Defaults of MJCF: an attribute that an element does not have is looked up in its class, then
// in the class around it, up to "main". What is found is marked where it is written.
#include <string.h>

#include "formats/import/mjcf.h"

// ---- reading ------------------------------------------------------------------------------------

void hn_mjcf_know(hn_mjcf *r, hn_name_table *table, const char *name, hn_xml *node, void *thing) {
  if (!name) return;
  if (hn_table_find(table, name))
    hn_machine_fail(r->machine, node, hn_machine_text(r->machine, "<%s> '%s'", node->name, name),
                    "Use unique names.", "is a duplicate name");
  hn_table_add(r->machine, table, name, thing);
}

static hn_mjcf_class *new_class(hn_mjcf *r, hn_xml *node, hn_mjcf_class *parent) {
  const char *name = hn_xml_get(node, "class");
  hn_mjcf_class *class = HN_MACHINE_TAKE(r->machine, hn_mjcf_class, 1);
  if (!class) return NULL;
  if (!name && parent)
    hn_machine_fail(r->machine, node, "<default>", "Write class=\"...\".", "has no class name");
  *class = (hn_mjcf_class){name ? name : "main", parent, NULL, parent ? parent->parts : NULL};
  hn_mjcf_know(r, r->classes, class->name, node, class);
  return class;
}

// Classes within classes; the depth is that of the file.
static void read_part(hn_mjcf *r, hn_xml *node, hn_mjcf_class *class) {
  hn_mjcf_part *part = HN_MACHINE_TAKE(r->machine, hn_mjcf_part, 1);
  hn_xml_use(node);
  if (!part || !class) return;
  *part = (hn_mjcf_part){node, class->parts};
  class->parts = part;
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next)
    if (strcmp(child->name, "default") == 0) read_part(r, child, new_class(r, child, class));
}

// A second <default> of the file continues the first: classes that started before do not use it.
void hn_mjcf_read_defaults(hn_mjcf *r, hn_xml *node) {
  if (!r->top)
    r->top = new_class(r, node, NULL);
  else
    hn_xml_get(node, "class");
  read_part(r, node, r->top);
}

const hn_mjcf_class *hn_mjcf_childclass(hn_mjcf *r, hn_xml *node, const hn_mjcf_class *usual) {
  const char *name = hn_xml_get(node, "childclass");
  const hn_mjcf_class *class = name ? hn_table_find(r->classes, name) : usual;
  if (name && !class)
    hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node),
                    "Use a class defined in <default>.",
                    "has the childclass '%s', which does not exist", name);
  return class;
}

// ---- looking ------------------------------------------------------------------------------------

hn_mjcf_item hn_mjcf_open(hn_mjcf *r, hn_xml *node, const char *tag,
                          const hn_mjcf_class *childclass) {
  const char *name = hn_xml_get(node, "class");
  const hn_mjcf_class *class = childclass ? childclass : r->top;
  if (name) {
    class = hn_table_find(r->classes, name);
    if (!class)
      hn_machine_fail(r->machine, node, hn_xml_element(r->machine, node),
                      "Use a class defined in <default>.",
                      "has the class '%s', which does not exist", name);
  }
  hn_xml_use(node);
  return (hn_mjcf_item){r, node, class, tag};
}

// Defaults of actuators may be written by any of their names.
static int is_actuator(const char *tag) {
  static const char *const tags[] = {"general", "motor",    "position", "velocity", "intvelocity",
                                     "damper",  "cylinder", "muscle",   "adhesion"};
  for (size_t k = 0; k < sizeof tags / sizeof *tags; k++)
    if (strcmp(tags[k], tag) == 0) return 1;
  return 0;
}

static int gives_defaults(const hn_xml *child, const char *tag) {
  if (strcmp(child->name, tag) == 0) return 1;
  return is_actuator(tag) && is_actuator(child->name);
}

// The first of these names that an element has, or null.
static const char *one_of(const hn_xml *node, const char *const *names, int count) {
  for (int k = 0; k < count; k++)
    if (hn_xml_find(node, names[k])) return names[k];
  return NULL;
}

// The last one written counts.
static hn_xml *find_in(const hn_mjcf_part *part, const char *tag, const char *const *names,
                       int count) {
  hn_xml *found = NULL;
  for (; part && !found; part = part->before)
    for (hn_xml *child = part->node->first; child; child = child->next)
      if (gives_defaults(child, tag) && one_of(child, names, count)) found = child;
  return found;
}

static hn_xml *where_any(const hn_mjcf_item *item, const char *const *names, int count) {
  if (one_of(item->node, names, count)) return item->node;
  const hn_mjcf_part *parts = item->class ? item->class->parts : NULL;
  for (const hn_mjcf_class *class = item->class; class; class = class->parent) {
    hn_xml *found = find_in(parts, item->tag, names, count);
    if (found) return found;
    parts = class->inherited;
  }
  return NULL;
}

const char *hn_mjcf_nearest(const hn_mjcf_item *item, const char *const *names, int count) {
  const hn_xml *where = where_any(item, names, count);
  return where ? one_of(where, names, count) : NULL;
}

hn_xml *hn_mjcf_where(const hn_mjcf_item *item, const char *name) {
  return where_any(item, &name, 1);
}

const char *hn_mjcf_get(const hn_mjcf_item *item, const char *name) {
  hn_xml *where = hn_mjcf_where(item, name);
  if (where && where != item->node) hn_xml_use(where);
  return hn_xml_get(where, name);
}

void hn_mjcf_mark(const hn_mjcf_item *item, const char *name, hn_fate fate, const char *why) {
  hn_xml *where = hn_mjcf_where(item, name);
  if (where && where != item->node) hn_xml_use(where);
  hn_xml_mark_attribute(where, name, fate, why);
}

void hn_mjcf_mark_list(const hn_mjcf_item *item, const char *names, hn_fate fate, const char *why) {
  char name[64];
  while (*names) {
    size_t n = strcspn(names, " ");
    if (n > 0 && n < sizeof name) {
      memcpy(name, names, n);
      name[n] = '\0';
      hn_mjcf_mark(item, name, fate, why);
    }
    names += n;
    if (*names) names++;
  }
}

double hn_mjcf_number(const hn_mjcf_item *item, const char *name, double other) {
  const char *text = hn_mjcf_get(item, name);
  double number = other;
  hn_xml *where = hn_mjcf_where(item, name);
  if (!text || !hn_numbers_of(item->reader->machine, where, name, text, 1, &number)) return other;
  return number;
}

int hn_mjcf_numbers(const hn_mjcf_item *item, const char *name, int most, double *numbers) {
  const char *text = hn_mjcf_get(item, name);
  hn_xml *where = hn_mjcf_where(item, name);
  if (!text) return 0;
  int count = hn_numbers_some(item->reader->machine, where, name, text, most, numbers);
  if (count > most)
    hn_machine_fail(item->reader->machine, where, hn_xml_element(item->reader->machine, where),
                    "Separate numbers by spaces.", "expects at most %d numbers in %s, got %d", most,
                    name, count);
  return count > 0 && count <= most ? count : 0;
}

hn_vec3 hn_mjcf_vector(const hn_mjcf_item *item, const char *name, hn_vec3 other) {
  const char *text = hn_mjcf_get(item, name);
  hn_xml *where = hn_mjcf_where(item, name);
  double v[3];
  if (!text || !hn_numbers_of(item->reader->machine, where, name, text, 3, v)) return other;
  return vec3_load(v);
}

int hn_mjcf_is(const hn_mjcf_item *item, const char *name, const char *word) {
  const char *text = hn_mjcf_get(item, name);
  return text && strcmp(text, word) == 0;
}

int hn_mjcf_is_limited(const hn_mjcf_item *item, const char *limited, const char *range) {
  const char *word = hn_mjcf_get(item, limited);
  if (word && strcmp(word, "auto") != 0) return strcmp(word, "true") == 0;
  return item->reader->autolimits && hn_mjcf_where(item, range) != NULL;
}

// ---- remaining attributes -----------------------------------------------------------------------

// The effect that the attribute would have in an element decides the meaning of its loss.
static const char *lost_default(const char *tag, const char *name) {
  static const char contact[] =
      " contype conaffinity condim friction solref solimp solmix margin "
      "gap priority solreflimit solimplimit solreffriction solimpfriction ";
  char word[64];
  size_t n = strlen(name);
  if (is_actuator(tag)) return "no actuator of this class uses it";
  if (n > 60) return "unknown, ignored";
  word[0] = ' ';
  memcpy(word + 1, name, n);
  memcpy(word + 1 + n, " ", 2);
  if (!strstr(contact, word)) return NULL;
  return strcmp(tag, "geom") == 0 || strcmp(tag, "pair") == 0 ? HN_NO_CONTACT : HN_SOFTNESS;
}

static void finish_element(hn_xml *node) {
  static const char unused[] = "a default that no element uses";
  for (int k = 0; k < node->attribute_count; k++) {
    hn_xml_attribute *a = &node->attributes[k];
    if (a->fate != HN_FATE_NONE) continue;
    const char *why = lost_default(node->name, a->name);
    a->fate = why ? HN_FATE_LOST : HN_FATE_HARMLESS;
    a->why = why ? why : unused;
  }
  if (node->fate == HN_FATE_NONE && is_actuator(node->name))
    hn_xml_mark_all(node, HN_FATE_LOST, "no actuator of this class");
  hn_xml_mark_all(node, HN_FATE_HARMLESS, unused);
}

static void finish_class(hn_xml *node) {
  for (hn_xml *child = node->first; child; child = child->next) {
    if (strcmp(child->name, "default") == 0)
      finish_class(child);
    else
      finish_element(child);
  }
}

void hn_mjcf_finish_defaults(hn_mjcf *r) {
  hn_xml *root = r->machine->root;
  for (hn_xml *node = hn_xml_child(root, "default"); node; node = hn_xml_next(node, "default"))
    finish_class(node);
}
