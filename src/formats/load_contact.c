// `contacts:` and `materials:`: which shapes collide, and the contact law.
//
// A contact names two bodies (all their shapes, except those with `contact: false`), or one or two
// groups of shapes, or nothing: then it is for every shape with `contact: true`. If shapes have
// that and no such contact is written, a smooth, rigid one without restitution is added.
#include <string.h>

#include "base/error.h"
#include "formats/contact_choice.h"
#include "formats/contact_keys.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "formats/sealed/sealed.h"

// ---- material -----------------------------------------------------------------------------------

static void read_number(hn_fields *f, const char *key, double *value) {
  if (hn_field_given(f, key)) *value = hn_field_number(f, key);
}

// Leaves values unchanged that are not given.
static void read_values(hn_fields *f, hn_contact_def *def, hn_law_draft *table, int *has_table) {
  read_number(f, "restitution", &def->restitution);
  read_number(f, "friction", &def->friction);
  read_number(f, "static_friction", &def->static_friction);
  read_number(f, "torsional_friction", &def->torsional_friction);
  read_number(f, "rolling_friction", &def->rolling_friction);
  read_number(f, "stiffness", &def->stiffness);
  read_number(f, "exponent", &def->exponent);
  read_number(f, "damping", &def->damping);
  read_number(f, "speed", &def->speed);
  read_number(f, "transition", &def->transition);
  read_number(f, "stribeck", &def->stribeck);
  read_number(f, "bristle_stiffness", &def->bristle_stiffness);
  read_number(f, "bristle_damping", &def->bristle_damping);
  read_number(f, "viscous_friction", &def->viscous_friction);
  read_number(f, "compliance", &def->compliance);
  read_number(f, "time_constant", &def->time_constant);
  read_number(f, "damping_ratio", &def->damping_ratio);
  if (hn_field_given(f, "impedance")) hn_field_numbers(f, "impedance", 1, 5, def->impedance);
  if (hn_field_given(f, "impact"))
    def->restitution_kind =
        hn_field_choice(f, "impact") == 0 ? HN_RESTITUTION_NEWTON : HN_RESTITUTION_POISSON;
  const hn_node *node = hn_field(f, "table");
  if (node && hn_loader_ok(f->context->loader)) {
    hn_law_wanted wanted = {"x", HN_LENGTH, HN_LENGTH, HN_FORCE, 0, 0};
    *table = hn_law_read(f->context, node, &wanted);
    *has_table = 1;
    def->law = HN_CONTACT_TABLE;
  }
  if (hn_field_given(f, "law")) def->law = (hn_contact_law)hn_field_choice(f, "law");
}

static int open_material(const hn_entry *material, hn_fields *own) {
  return hn_fields_open(&material->context, material->node, hn_section_find("material", NULL), own);
}

// Null without one.
static hn_entry *read_material(hn_fields *f, hn_contact_def *def, hn_law_draft *table,
                               int *has_table) {
  const hn_context *context = f->context;
  const hn_node *node = hn_field(f, "material");
  const char *name = node ? hn_text_of(context, node) : NULL;
  hn_entry *material = name ? hn_entry_need(context, HN_ENTRY_MATERIAL, name, node) : NULL;
  hn_fields own;
  if (!material || !open_material(material, &own)) return NULL;
  read_values(&own, def, table, has_table);
  hn_fields_close(&own);
  return material;
}

// ---- keys without effect ------------------------------------------------------------------------

// Keys that the contacts of a material use, and one contact that does not use all, with its keys.
typedef struct material_use {
  unsigned acting, given;
  hn_contact_def last;
} material_use;

static void note_material(hn_loader *loader, hn_entry *material, const hn_contact_def *def,
                          unsigned given, unsigned acting) {
  material_use *use = material->data;
  if (!use) material->data = use = hn_loader_take(loader, 1, sizeof *use);
  if (!use) return;
  if (!use->given || (acting & given) != given) {
    use->given = given;
    use->last = *def;
  }
  use->acting |= acting;
}

static void reject_idle_material(hn_fields *f, const hn_contact_def *def) {
  hn_source at = hn_node_key_source(hn_field(f, "material"));
  hn_loader_fail(f->context->loader, HN_ERROR_MODEL, &at,
                 "Choose another `law:` or material, or delete 'material'.",
                 "has a material, none of whose keys has an effect with the contact law %s",
                 hn_contact_law_name(def->law));
}

// Every key of a contact acts, and of its material at least one.
static void check_keys(hn_fields *f, hn_contact_def *def, hn_entry *material) {
  hn_loader *loader = f->context->loader;
  if (!hn_loader_ok(loader)) return;
  const unsigned own = hn_contact_keys_given(f);
  unsigned lent = 0;
  hn_fields of_material;
  if (material && open_material(material, &of_material)) lent = hn_contact_keys_given(&of_material);
  const unsigned given = own | lent, acting = hn_contact_keys_acting(def, given);
  if (def->law == HN_CONTACT_LINEAR && !hn_contact_keys_have_exponent(given)) def->exponent = 1;
  if (own & ~acting) {
    hn_contact_key_idle(f, def, given, own & ~acting);
  } else if (lent && !(lent & acting) && !hn_field_given(&of_material, "law")) {
    reject_idle_material(f, def);
  } else if (material) {
    note_material(loader, material, def, given, acting);
  }
}

// Contacts that a parameter selects may need the keys that the present ones do not.
static int has_alternatives(const hn_entry *material) {
  const hn_node *contacts = hn_node_get(material->context.scope->root, "contacts");
  for (const hn_node *c = contacts ? contacts->first : NULL; c; c = c->next)
    if (hn_node_get(c, "if") && hn_node_get(c, "material")) return 1;
  return 0;
}

// Every key of a material acts in one of its contacts.
static void check_material(hn_loader *loader, const hn_entry *material) {
  const material_use *use = material->data;
  hn_fields own;
  if (!use || has_alternatives(material) || !open_material(material, &own)) return;
  const unsigned idle = hn_contact_keys_given(&own) & ~use->acting;
  if (idle && hn_loader_ok(loader)) hn_contact_key_idle(&own, &use->last, use->given, idle);
}

// ---- shapes -------------------------------------------------------------------------------------

typedef struct shape_set {
  int *ids;
  int count;
} shape_set;

// Shapes of `body` (>= 0), or of a group, or all that collide.
static shape_set collect(hn_loader *loader, int body, const char *group) {
  shape_set set = {NULL, 0};
  for (const hn_touching *t = loader->touching; t; t = t->next) set.count++;
  set.ids = hn_loader_take(loader, (size_t)set.count + 1, sizeof *set.ids);
  set.count = 0;
  for (const hn_touching *t = loader->touching; set.ids && t; t = t->next) {
    int is_in = group       ? t->group && strcmp(t->group, group) == 0
                : body >= 0 ? t->body == body && t->touches != 0
                            : t->touches > 0;
    if (is_in) set.ids[set.count++] = t->shape;
  }
  return set;
}

// The loaded shapes of a selection.
static void fill_sets(hn_loader *loader, hn_contact_choice *c) {
  shape_set set[2] = {{NULL, 0}, {NULL, 0}};
  for (int k = 0; k < 2; k++) {
    if (c->of == HN_COMPONENT_TWO_BODIES)
      set[k] = collect(loader, c->body[k], NULL);
    else if (c->of == HN_COMPONENT_GROUPS && c->group[k])
      set[k] = collect(loader, -1, c->group[k]);
    else if (c->of == HN_COMPONENT_ALL_SHAPES && k == 0)
      set[k] = collect(loader, -1, NULL);
  }
  c->def.shapes1 = set[0].ids;
  c->def.count1 = set[0].count;
  c->def.shapes2 = set[1].ids;
  c->def.count2 = set[1].count;
  if (c->of == HN_COMPONENT_ALL_SHAPES) loader->has_general_contact = 1;
}

static void read_bodies(hn_fields *f, hn_contact_choice *c) {
  hn_loader *loader = f->context->loader;
  const char *names[2];
  const hn_node *nodes[2];
  if (!hn_field_names(f, "bodies", 2, names, nodes)) return;
  hn_entry *bodies[2];
  for (int k = 0; k < 2; k++) {
    bodies[k] = hn_body_need(f->context, names[k], nodes[k]);
    bodies[k] = bodies[k] ? hn_body_real(bodies[k]) : NULL;
    if (!bodies[k]) return;
    c->body[k] = bodies[k]->id;
  }
  c->of = HN_COMPONENT_TWO_BODIES;
  c->def.joined = 1; // it was asked for
  fill_sets(loader, c);
  const int count[2] = {c->def.count1, c->def.count2};
  for (int k = 0; k < 2 && hn_loader_ok(loader); k++) {
    hn_source place = hn_node_source(nodes[k]);
    // shapes of the user's bodies are not known inside a sealed component
    if (count[k] > 0 || (loader->is_sealing && !bodies[k]->context.scope->parent)) continue;
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   bodies[k]->sealed
                       ? "It is sealed: seal it again with `contact: true` in its shape, or fix a "
                         "body with a shape to it."
                       : "Give it a shape, for instance `shape: {sphere: 0.1}` or `shape: {plane: "
                         "{}}`.",
                   "uses body '%.80s', which has no shape for contact", names[k]);
  }
}

static int is_in(const hn_node *list, const char *name) {
  const hn_node *n = list->first;
  while (n && !(n->text && strcmp(n->text, name) == 0)) n = n->next;
  return n != NULL;
}

// The name that was meant, of the groups that shapes belong to and the list does not name; or null.
static const char *nearest_group(hn_loader *loader, const hn_node *list, const char *name) {
  int count = 0;
  for (const hn_touching *t = loader->touching; t; t = t->next) count++;
  const char **words = hn_loader_take(loader, (size_t)count + 1, sizeof *words);
  count = 0;
  for (const hn_touching *t = loader->touching; words && t; t = t->next)
    if (t->group && !is_in(list, t->group)) words[count++] = t->group;
  return hn_nearest_word(name, words, count);
}

static void read_groups(hn_fields *f, hn_contact_choice *c) {
  hn_loader *loader = f->context->loader;
  const hn_node *list = hn_field(f, "groups");
  hn_source place = hn_node_source(list);
  if (list->kind != HN_NODE_LIST || list->count < 1 || list->count > 2) {
    hn_loader_fail(loader, HN_ERROR_MODEL, &place,
                   "Write `groups: [balls, walls]`, or one of them.",
                   "expects one or two names in 'groups'");
    return;
  }
  c->of = HN_COMPONENT_GROUPS;
  int k = 0;
  for (const hn_node *n = list->first; n; n = n->next)
    if (!(c->group[k++] = hn_text_of(f->context, n))) return;
  fill_sets(loader, c);
  if (loader->is_sealing) return; // the user's shapes are not known
  k = 0;
  for (const hn_node *n = list->first; n && hn_loader_ok(loader); n = n->next, k++) {
    place = hn_node_source(n);
    if ((k ? c->def.count2 : c->def.count1) > 0) continue;
    const char *nearest = nearest_group(loader, list, c->group[k]);
    char hint[128] = "Add `group: NAME` to the shapes that belong to it.";
    if (nearest) hn_text(hint, sizeof hint, "Did you mean '%.80s'?", nearest);
    hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                   "names the group '%.80s', which no shape belongs to", c->group[k]);
  }
}

// ---- contacts -----------------------------------------------------------------------------------

static void read_shapes(hn_fields *f, const hn_source *place, hn_contact_choice *c) {
  hn_loader *loader = f->context->loader;
  if (hn_field_given(f, "bodies")) {
    read_bodies(f, c);
  } else if (hn_field_given(f, "groups")) {
    read_groups(f, c);
  } else {
    c->of = HN_COMPONENT_ALL_SHAPES;
    fill_sets(loader, c);
    if (c->def.count1 == 0 && hn_loader_ok(loader) && !loader->is_sealing)
      hn_loader_fail(loader, HN_ERROR_MODEL, place,
                     "Add `bodies: [one, other]`, or set `contact: true` in shapes.",
                     "has no bodies and no groups, and no shape has `contact: true`");
  }
}

int hn_contact_add(hn_loader *loader, hn_contact_choice *c) {
  int id = -1;
  if (!c->def.shapes1) fill_sets(loader, c);
  if (c->def.law == HN_CONTACT_TABLE && hn_loader_ok(loader))
    c->def.depth_law = hn_law_draft_make(loader, &c->table);
  if (hn_loader_ok(loader))
    hn_loader_added(loader, hn_model_add_contact(loader->model, &c->def, &id));
  return id;
}

// One of a sealed component: the model that uses it adds it.
static void publish(hn_loader *loader, const hn_contact_choice *choice) {
  hn_contact_choice *own = hn_loader_take(loader, 1, sizeof *own);
  if (!own) return;
  *own = *choice;
  hn_contact_choice **last = &loader->published_contacts;
  while (*last) last = &(*last)->next;
  *last = own;
}

static void add_contact(hn_entry *entry) {
  const hn_context *context = &entry->context;
  hn_loader *loader = context->loader;
  hn_fields f;
  hn_contact_choice c = {.def = hn_default_contact()};
  int has_table = 0;
  hn_source place = hn_node_key_source(entry->node);
  if (!hn_fields_open(context, entry->node, hn_section_find("contact", NULL), &f)) return;
  read_shapes(&f, &place, &c);
  if (hn_field_given(&f, "joined")) c.def.joined = hn_field_boolean(&f, "joined");
  hn_entry *material = read_material(&f, &c.def, &c.table, &has_table);
  read_values(&f, &c.def, &c.table, &has_table);
  hn_fields_close(&f);
  check_keys(&f, &c.def, material);
  c.def.name = entry->name;
  c.def.source = place;
  c.def.component = context->scope->component;
  if (!hn_loader_ok(loader)) return;
  if (loader->is_sealing)
    publish(loader, &c);
  else
    entry->id = hn_contact_add(loader, &c);
}

// Adds the default contact between shapes with `contact: true`.
static void add_general(hn_loader *loader) {
  hn_contact_choice c = {.def = hn_default_contact(), .of = HN_COMPONENT_ALL_SHAPES};
  if (loader->has_general_contact || loader->is_sealing || !hn_loader_ok(loader)) return;
  c.def.name = "contact";
  fill_sets(loader, &c);
  if (c.def.count1 >= 2) hn_contact_add(loader, &c);
}

void hn_load_contacts(hn_loader *loader) {
  for (hn_entry *c = loader->first[HN_ENTRY_CONTACT]; hn_loader_goes_on(loader, c); c = c->next) {
    hn_element_name old = hn_loader_begin(loader, "contact", c->name);
    if (c->sealed)
      hn_sealed_load_contact(c);
    else
      add_contact(c);
    hn_loader_set_element(loader, &old);
  }
  for (hn_entry *m = loader->first[HN_ENTRY_MATERIAL]; hn_loader_goes_on(loader, m); m = m->next) {
    hn_element_name old = hn_loader_begin(loader, "material", m->name);
    check_material(loader, m);
    hn_loader_set_element(loader, &old);
  }
  if (hn_loader_ok(loader)) add_general(loader);
}

// ---- what shapes say ----------------------------------------------------------------------------

void hn_touching_add(hn_loader *loader, int shape, int body, int touches, const char *group) {
  hn_touching *t = hn_loader_take(loader, 1, sizeof *t);
  if (!t) return;
  *t = (hn_touching){shape, body, touches, group, NULL};
  if (loader->last_touching)
    loader->last_touching->next = t;
  else
    loader->touching = t;
  loader->last_touching = t;
}
