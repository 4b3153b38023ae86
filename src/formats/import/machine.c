// Lists and names of a model, and its failures.
#include "formats/import/machine.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// ---- failing ------------------------------------------------------------------------------------

hn_status hn_machine_fail(hn_machine *machine, const hn_xml *node, const char *element,
                          const char *hint, const char *format, ...) {
  if (!hn_machine_ok(machine)) return machine->status;
  char message[1200], short_name[120];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  hn_source place = hn_xml_source(node);
  if (element) hn_text(short_name, sizeof short_name, "%.110s", element);
  machine->status = hn_fail(machine->error, HN_ERROR_MODEL, node ? &place : NULL,
                            element ? short_name : NULL, hint, "%s", message);
  return machine->status;
}

void *hn_machine_take(hn_machine *machine, size_t count, size_t size) {
  void *memory = hn_machine_ok(machine) ? hn_arena_take(machine->arena, count, size) : NULL;
  if (!memory && hn_machine_ok(machine))
    machine->status = hn_fail(machine->error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                              "the model does not fit into memory");
  return memory;
}

const char *hn_machine_text(hn_machine *machine, const char *format, ...) {
  va_list list, again;
  va_start(list, format);
  va_copy(again, list);
  int length = vsnprintf(NULL, 0, format, list);
  char *text = length >= 0 ? HN_MACHINE_TAKE(machine, char, length + 1) : NULL;
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  va_end(list);
  return text ? text : "";
}

// ---- names --------------------------------------------------------------------------------------

typedef struct name_entry {
  const char *name;
  void *value;
} name_entry;

struct hn_name_table {
  name_entry *entries; // open addressing
  size_t capacity;
  size_t count;
};

static size_t hash_of(const char *name) {
  size_t h = 1469598103u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
  return h;
}

static name_entry *place_of(const hn_name_table *table, const char *name) {
  size_t at = hash_of(name) & (table->capacity - 1);
  while (table->entries[at].name && strcmp(table->entries[at].name, name) != 0)
    at = (at + 1) & (table->capacity - 1);
  return &table->entries[at];
}

hn_name_table *hn_table_create(hn_machine *machine) {
  hn_name_table *table = HN_MACHINE_TAKE(machine, hn_name_table, 1);
  if (!table) return NULL;
  table->capacity = 64;
  table->entries = HN_MACHINE_TAKE(machine, name_entry, table->capacity);
  return table->entries ? table : NULL;
}

void *hn_table_find(const hn_name_table *table, const char *name) {
  return table && name ? place_of(table, name)->value : NULL;
}

static int grow(hn_machine *machine, hn_name_table *table) {
  hn_name_table old = *table;
  table->capacity *= 2;
  table->entries = HN_MACHINE_TAKE(machine, name_entry, table->capacity);
  if (!table->entries) {
    *table = old;
    return 0;
  }
  for (size_t k = 0; k < old.capacity; k++)
    if (old.entries[k].name) *place_of(table, old.entries[k].name) = old.entries[k];
  return 1;
}

void hn_table_add(hn_machine *machine, hn_name_table *table, const char *name, void *value) {
  if (!table || !hn_machine_ok(machine)) return;
  if (2 * (table->count + 1) > table->capacity && !grow(machine, table)) return;
  name_entry *entry = place_of(table, name);
  if (!entry->name) table->count++;
  *entry = (name_entry){name, value};
}

const char *hn_table_nearest(const hn_name_table *table, const char *name) {
  const char *words[512];
  int count = 0;
  for (size_t k = 0; table && k < table->capacity && count < 512; k++)
    if (table->entries[k].name) words[count++] = table->entries[k].name;
  return hn_nearest_word(name, words, count);
}

static int is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static int is_numbered(const hn_name_table *taken, const char *base, int number, char *text,
                       size_t size) {
  hn_text(text, size, "%s_%d", base, number);
  return hn_table_find(taken, text) != NULL;
}

const char *hn_table_legal(hn_machine *machine, hn_name_table *taken, const char *name,
                           const char *instead) {
  enum { ROOM = 56 }; // and a number behind it
  char base[ROOM + 1], text[ROOM + 16];
  size_t n = 0;
  const char *from = name && *name ? name : instead;
  if (!is_word(*from) || *from == '_' || (*from >= '0' && *from <= '9')) base[n++] = 'n';
  for (; *from && n < ROOM; from++) base[n++] = is_word(*from) ? *from : '_';
  base[n] = '\0';
  hn_text(text, sizeof text, "%s", base);
  if (hn_table_find(taken, text)) {
    // numbers are given from 2 on: the last one is found by doubling, then halving
    int last = 1, next = 2; // taken, perhaps free
    for (; is_numbered(taken, base, next, text, sizeof text) && next < INT_MAX / 2; next *= 2)
      last = next;
    while (next - last > 1) {
      const int middle = last + (next - last) / 2;
      *(is_numbered(taken, base, middle, text, sizeof text) ? &last : &next) = middle;
    }
    hn_text(text, sizeof text, "%s_%d", base, next);
  }
  const char *id = hn_machine_text(machine, "%s", text);
  hn_table_add(machine, taken, id, machine);
  return id;
}

void hn_machine_prepare(hn_machine *machine) {
  machine->link_names = hn_table_create(machine);
  machine->joint_names = hn_table_create(machine);
  machine->link_ids = hn_table_create(machine);
  machine->joint_ids = hn_table_create(machine);
  machine->other_ids = hn_table_create(machine);
  machine->mesh_files = hn_table_create(machine);
  machine->ground =
      (hn_link){.name = "world", .id = "ground", .is_ground = 1, .pose = hn_pose_none()};
  hn_table_add(machine, machine->link_ids, "ground", &machine->ground);
}

// ---- lists --------------------------------------------------------------------------------------

#define APPEND(machine, list, last, item)                                                          \
  do {                                                                                             \
    if ((machine)->last)                                                                           \
      (machine)->last->next = (item);                                                              \
    else                                                                                           \
      (machine)->list = (item);                                                                    \
    (machine)->last = (item);                                                                      \
  } while (0)

static void refuse_twice(hn_machine *machine, const char *kind, const char *name,
                         const hn_xml *node, const hn_xml *first) {
  hn_machine_fail(machine, node, hn_machine_text(machine, "%s '%s'", kind, name),
                  "Use unique names.", "is a duplicate name; first used in line %d",
                  first ? first->line : 0);
}

hn_link *hn_machine_make_link(hn_machine *machine, const char *name, hn_xml *node) {
  hn_link *link = HN_MACHINE_TAKE(machine, hn_link, 1);
  if (!link) return NULL;
  link->name = name;
  link->node = node;
  link->pose = hn_pose_none();
  link->id = hn_table_legal(machine, machine->link_ids, name, "body");
  APPEND(machine, links, last_link, link);
  return hn_machine_ok(machine) ? link : NULL;
}

hn_link *hn_machine_add_link(hn_machine *machine, const char *name, hn_xml *node) {
  const hn_link *same = hn_table_find(machine->link_names, name);
  if (same) {
    refuse_twice(machine, "link", name, node, same->node);
    return NULL;
  }
  hn_link *link = hn_machine_make_link(machine, name, node);
  if (link) hn_table_add(machine, machine->link_names, name, link);
  return link;
}

hn_link_joint *hn_machine_make_joint(hn_machine *machine, const char *name, hn_link_joint_kind kind,
                                     hn_xml *node) {
  hn_link_joint *joint = HN_MACHINE_TAKE(machine, hn_link_joint, 1);
  if (!joint) return NULL;
  joint->name = name;
  joint->node = node;
  joint->kind = kind;
  joint->axis = vec3(0, 0, 1);
  joint->id = hn_table_legal(machine, machine->joint_ids, name, "joint");
  APPEND(machine, joints, last_joint, joint);
  return hn_machine_ok(machine) ? joint : NULL;
}

hn_link_joint *hn_machine_add_joint(hn_machine *machine, const char *name, hn_link_joint_kind kind,
                                    hn_xml *node) {
  const hn_link_joint *same = hn_table_find(machine->joint_names, name);
  if (same) {
    refuse_twice(machine, "joint", name, node, same->node);
    return NULL;
  }
  hn_link_joint *joint = hn_machine_make_joint(machine, name, kind, node);
  if (joint) hn_table_add(machine, machine->joint_names, name, joint);
  return joint;
}

hn_coupling *hn_machine_add_coupling(hn_machine *machine, const char *name, hn_xml *node,
                                     int terms) {
  hn_coupling *coupling = HN_MACHINE_TAKE(machine, hn_coupling, 1);
  if (!coupling) return NULL;
  coupling->name = name;
  coupling->node = node;
  coupling->id = hn_table_legal(machine, machine->joint_ids, name, "coupling");
  coupling->terms = HN_MACHINE_TAKE(machine, hn_machine_term, terms);
  coupling->term_count = terms;
  APPEND(machine, couplings, last_coupling, coupling);
  return hn_machine_ok(machine) ? coupling : NULL;
}

hn_tendon *hn_machine_add_tendon(hn_machine *machine, const char *name, hn_xml *node) {
  hn_tendon *tendon = HN_MACHINE_TAKE(machine, hn_tendon, 1);
  if (!tendon) return NULL;
  tendon->name = name;
  tendon->node = node;
  tendon->id = hn_table_legal(machine, machine->other_ids, name, "tendon");
  APPEND(machine, tendons, last_tendon, tendon);
  return hn_machine_ok(machine) ? tendon : NULL;
}

hn_motor *hn_machine_add_motor(hn_machine *machine, const char *name, hn_xml *node) {
  hn_motor *motor = HN_MACHINE_TAKE(machine, hn_motor, 1);
  if (!motor) return NULL;
  motor->name = name;
  motor->node = node;
  motor->id = hn_table_legal(machine, machine->other_ids, name, "motor");
  APPEND(machine, motors, last_motor, motor);
  return hn_machine_ok(machine) ? motor : NULL;
}

void hn_machine_add_effort(hn_machine *machine, hn_link_joint *joint, int freedom, double effort,
                           hn_xml *node) {
  hn_motor *motor = hn_machine_add_motor(machine, joint->name, node);
  if (!motor) return;
  motor->kind = HN_MOTOR_JOINT;
  motor->joint = joint;
  motor->freedom = freedom;
  motor->gear[0] = motor->gain[0] = 1;
  motor->has_range = 1;
  motor->lower = -effort;
  motor->upper = effort;
}

hn_solid *hn_link_add_solid(hn_machine *machine, hn_link *link, hn_solid_kind kind, hn_xml *node) {
  hn_solid *solid = HN_MACHINE_TAKE(machine, hn_solid, 1);
  if (!solid) return NULL;
  solid->kind = kind;
  solid->node = node;
  solid->link = link;
  solid->pose = hn_pose_none();
  solid->color = -1;
  APPEND(link, solids, last_solid, solid);
  return solid;
}

void hn_solid_hide(hn_solid *solid, hn_pose pose, double friction) {
  solid->pose = pose;
  solid->is_hidden = solid->is_drawn;
  solid->is_drawn = 0;
  solid->touch = (hn_touch){.touches = 1, .is_touched = 1, .directions = 3, .friction = friction};
}

void hn_link_show(hn_link *link) {
  for (const hn_solid *s = link->solids; s; s = s->next)
    if (s->is_drawn) return;
  for (hn_solid *s = link->solids; s; s = s->next) s->is_drawn = s->is_hidden;
}

const char *hn_solid_word(hn_solid_kind kind) {
  static const char *const words[] = {"box",       "cylinder", "capsule", "sphere",
                                      "ellipsoid", "mesh",     "plane"};
  return words[kind];
}

void hn_machine_note_silent(hn_machine *m, const hn_link *link, const char *what, const char *why) {
  enum { SHOWN = 3 };
  if (m->silent_count++ >= SHOWN) return;
  m->silent =
      hn_machine_text(m, "%s%s%.30s of '%.40s' (%.60s)", m->silent ? m->silent : "",
                      m->silent ? ", " : "", what, link->is_ground ? "world" : link->name, why);
}

const char *hn_machine_silent_text(hn_machine *m) {
  const char *overlaps = "", *silent = "";
  if (m->silent_count == 0 && m->overlap_count == 0) return NULL;
  if (m->silent_count > 0)
    silent = hn_machine_text(m, "%d %s not collide: %s%s. `holon import` lists them",
                             m->silent_count, m->silent_count == 1 ? "shape does" : "shapes do",
                             m->silent, m->silent_count > 3 ? ", ..." : "");
  if (m->overlap_count > 0)
    overlaps = hn_machine_text(m,
                               "%s%d %s of links overlap in the reference configuration and do "
                               "not collide (contacts `overlap`)",
                               *silent ? "; " : "", m->overlap_count,
                               m->overlap_count == 1 ? "pair" : "pairs");
  return hn_machine_text(m, "%s%s", silent, overlaps);
}

hn_link_marker *hn_link_add_marker(hn_machine *machine, hn_link *link, const char *name,
                                   hn_pose pose, hn_xml *node) {
  hn_link_marker *marker = HN_MACHINE_TAKE(machine, hn_link_marker, 1);
  if (!marker) return NULL;
  marker->name = name;
  marker->pose = pose;
  marker->node = node;
  marker->next = link->markers;
  link->markers = marker;
  return marker;
}

static const char *unknown_hint(hn_machine *machine, const hn_name_table *table, const char *name) {
  const char *near = hn_table_nearest(table, name);
  return near ? hn_machine_text(machine, "Did you mean '%s'?", near)
              : "Use a name that is defined in the file.";
}

hn_link *hn_machine_need_link(hn_machine *machine, const char *name, const hn_xml *node,
                              const char *element) {
  hn_link *link = hn_table_find(machine->link_names, name);
  if (!link)
    hn_machine_fail(machine, node, element,
                    unknown_hint(machine, machine->link_names, name ? name : ""),
                    "refers to the link '%s', which does not exist", name ? name : "");
  return link;
}

hn_link_joint *hn_machine_need_joint(hn_machine *machine, const char *name, const hn_xml *node,
                                     const char *element) {
  hn_link_joint *joint = hn_table_find(machine->joint_names, name);
  if (!joint)
    hn_machine_fail(machine, node, element,
                    unknown_hint(machine, machine->joint_names, name ? name : ""),
                    "refers to the joint '%s', which does not exist", name ? name : "");
  return joint;
}
