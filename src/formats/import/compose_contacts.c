// Contact: static shapes against moving ones (`contact`), and moving ones against each other
// (`self_contact`), both on until their parameter is 0; `contact` switches both. Rigid, with sliding
// friction.
//
// Solids with the same collision properties are of one kind, which is a group of shapes in the
// model; two kinds that collide are a contact. Pairs that a file names come first: of several
// contacts of two shapes the first applies.
#include <math.h>
#include <string.h>

#include "formats/import/compose.h"

#define SELF "contact*self_contact"

struct hn_touch_kind {
  hn_touch touch;
  const hn_solid *only; // named by a pair: a kind of its own
  int still;
  const hn_link *link; // the only one it is on; null: there are several
  const char *group;   // null: it does not collide
  hn_touch_kind *next;
};

// The world, and what is fixed to it.
static int is_still(const hn_link *link) {
  int depth = 0;
  while (!link->is_ground && link->joint && link->joint->kind == HN_LINK_FIXED && depth++ < 1000)
    link = link->joint->parent;
  return link->is_ground;
}

static int can_touch(const hn_solid *solid) {
  return (solid->is_drawn || solid->is_hidden) &&
         (solid->touch.touches || solid->touch.is_touched || solid->touch.pair);
}

static int is_of(const hn_touch_kind *kind, const hn_solid *solid, int still) {
  const hn_touch *a = &kind->touch, *b = &solid->touch;
  if (kind->only || b->pair) return kind->only == solid;
  return kind->still == still && a->touches == b->touches && a->is_touched == b->is_touched &&
         a->directions == b->directions && a->priority == b->priority &&
         a->friction == b->friction && a->torsion == b->torsion && a->rolling == b->rolling &&
         a->restitution == b->restitution && memcmp(&a->soft, &b->soft, sizeof a->soft) == 0;
}

static hn_touch_kind *kind_of(hn_composer *c, const hn_link *link, const hn_solid *solid) {
  const int still = link && is_still(link);
  hn_touch_kind **at = &c->kinds;
  while (*at && !is_of(*at, solid, still)) at = &(*at)->next;
  if (*at) return *at;
  hn_touch_kind *kind = HN_MACHINE_TAKE(c->machine, hn_touch_kind, 1);
  if (!kind) return NULL;
  kind->touch = solid->touch;
  kind->only = solid->touch.pair ? solid : NULL;
  kind->still = still;
  kind->link = link;
  return *at = kind;
}

static int is_paired(const hn_composer *c, const hn_solid *a, const hn_solid *b) {
  for (const hn_touching_pair *p = c->machine->pairs; p; p = p->next)
    if ((p->solid[0] == a && p->solid[1] == b) || (p->solid[0] == b && p->solid[1] == a)) return 1;
  return 0;
}

// By their bits; two solids alone, where no pair says it already.
static int do_touch(const hn_composer *c, const hn_touch_kind *a, const hn_touch_kind *b) {
  if ((a->still && b->still) || (a->link && a->link == b->link)) return 0;
  if (a->only && b->only && (a == b || is_paired(c, a->only, b->only))) return 0;
  return (a->touch.touches & b->touch.is_touched) || (b->touch.touches & a->touch.is_touched);
}

static int is_self(const hn_touch_kind *a, const hn_touch_kind *b) {
  return !a->still && !b->still;
}

static hn_touch touch_of(const hn_composer *c, const hn_touch_kind *a, const hn_touch_kind *b) {
  return hn_collision_of_two(&a->touch, &b->touch, strcmp(c->machine->format, "mjcf") == 0);
}

static double friction_of(const hn_touch *both) {
  return both->directions > 1 ? both->friction : 0;
}

// ---- groups -------------------------------------------------------------------------------------

typedef void visit(hn_composer *c, const hn_link *link, hn_solid *solid);

static void each(hn_composer *c, visit *what) {
  hn_link *ground = &c->machine->ground;
  for (hn_solid *s = ground->solids; s; s = s->next)
    if (can_touch(s)) what(c, ground, s);
  for (hn_link *link = c->machine->links; link; link = link->next)
    for (hn_solid *s = link->solids; s; s = s->next)
      if (can_touch(s)) what(c, link, s);
}

static void find_kind(hn_composer *c, const hn_link *link, hn_solid *solid) {
  hn_touch_kind *kind = kind_of(c, link, solid);
  if (kind && kind->link != link) kind->link = NULL;
}

static void put_into(hn_composer *c, const hn_link *link, hn_solid *solid) {
  const hn_touch_kind *kind = kind_of(c, link, solid);
  if (kind) solid->group = kind->group;
}

// One friction of all is a parameter, NaN says that there are several.
static void note_friction(hn_composer *c, const hn_touch *both) {
  const double friction = friction_of(both);
  if (!c->has_contact && !c->has_self_contact)
    c->contact_friction = friction;
  else if (c->contact_friction != friction)
    c->contact_friction = NAN;
}

static void note_kinds(hn_composer *c, hn_touch_kind *a, hn_touch_kind *b, hn_name_table *names) {
  const hn_touch both = touch_of(c, a, b);
  note_friction(c, &both);
  *(is_self(a, b) ? &c->has_self_contact : &c->has_contact) = 1;
  hn_touch_kind *const two[2] = {a, b};
  for (int k = 0; k < 2; k++)
    if (!two[k]->group)
      two[k]->group = hn_table_legal(c->machine, names, two[k]->still ? "scenery" : "machine", "");
}

static void note_pairs(hn_composer *c, hn_name_table *names) {
  for (const hn_touching_pair *p = c->machine->pairs; p; p = p->next) {
    if (!p->solid[0] || !can_touch(p->solid[0]) || !can_touch(p->solid[1])) continue;
    hn_touch_kind *const two[2] = {kind_of(c, NULL, p->solid[0]), kind_of(c, NULL, p->solid[1])};
    if (!two[0] || !two[1]) return;
    note_friction(c, &p->touch);
    *(is_self(two[0], two[1]) ? &c->has_self_contact : &c->has_contact) = 1;
    for (int k = 0; k < 2; k++)
      if (!two[k]->group) two[k]->group = hn_table_legal(c->machine, names, "paired", "");
  }
}

void hn_compose_choose_contacts(hn_composer *c) {
  hn_name_table *names = hn_table_create(c->machine);
  each(c, find_kind);
  if (!hn_machine_ok(c->machine)) return;
  note_pairs(c, names);
  for (hn_touch_kind *a = c->kinds; a; a = a->next)
    for (hn_touch_kind *b = a; b; b = b->next)
      if (do_touch(c, a, b)) note_kinds(c, a, b, names);
  each(c, put_into);
}

// ---- entries ------------------------------------------------------------------------------------

static hn_node *entry_of(hn_composer *c, const char *name, const hn_xml *node) {
  const char *id = hn_table_legal(c->machine, c->contact_ids, name, "contact");
  return node ? hn_compose_entry(c, c->contacts, id, node) : hn_compose_map(c, c->contacts, id);
}

void hn_compose_softness(hn_composer *c, hn_node *entry, const hn_softness *soft) {
  const hn_softness usual = hn_mjcf_softness();
  const double time = hn_import_softness_time(soft), ratio = hn_import_softness_ratio(soft);
  c->has_soft = 1;
  hn_compose_text(c, entry, "time_constant", hn_machine_text(c->machine, "%.10g*soft", time));
  if (ratio != 1) hn_compose_number(c, entry, "damping_ratio", ratio);
  if (memcmp(soft->impedance, usual.impedance, sizeof usual.impedance) != 0)
    hn_compose_numbers(c, entry, "impedance", soft->impedance, 5);
}

// The law of a contact: rigid unless `soft` is 1.
static void add_softness(hn_composer *c, hn_node *entry, const hn_touch *both) {
  const hn_softness *soft = &both->soft;
  if (!(soft->compliance > 0 && !(both->restitution > 0)) && !(hn_import_softness_time(soft) > 0))
    return;
  hn_compose_text(c, entry, "law", "soft");
  c->has_soft = 1;
  if (soft->compliance > 0) {
    hn_compose_text(c, entry, "compliance",
                    hn_machine_text(c->machine, "%.10g*soft", soft->compliance));
    if (soft->damping > 0) hn_compose_number(c, entry, "damping", soft->damping);
    return;
  }
  hn_compose_softness(c, entry, soft);
}

static void add_friction(hn_composer *c, hn_node *entry, const hn_touch *both) {
  const double friction = friction_of(both);
  if (isnan(c->contact_friction))
    hn_compose_number(c, entry, "friction", friction);
  else
    hn_compose_text(c, entry, "friction", "contact_friction");
  if (both->directions > 3 && both->torsion > 0)
    hn_compose_number(c, entry, "torsional_friction", both->torsion);
  if (both->directions > 4 && both->rolling > 0)
    hn_compose_number(c, entry, "rolling_friction", both->rolling);
}

static void add_groups(hn_composer *c, hn_node *entry, const char *one, const char *other) {
  hn_node *groups = hn_compose_list(c, entry, "groups");
  hn_compose_text(c, groups, NULL, one);
  if (other != one) hn_compose_text(c, groups, NULL, other);
}

static void add_kinds(hn_composer *c, const hn_touch_kind *a, const hn_touch_kind *b) {
  const int own = is_self(a, b);
  if (b->still) {
    const hn_touch_kind *other = a;
    a = b;
    b = other;
  }
  hn_node *entry = entry_of(c, own ? "self" : "world", NULL);
  add_groups(c, entry, a->group, b->group);
  const hn_touch both = touch_of(c, a, b);
  add_friction(c, entry, &both);
  if (both.restitution > 0) hn_compose_number(c, entry, "restitution", both.restitution);
  add_softness(c, entry, &both);
  // as in MuJoCo, bodies that a joint connects to the world collide with it
  if (!own && strcmp(c->machine->format, "mjcf") == 0) hn_compose_text(c, entry, "joined", "true");
  hn_compose_text(c, entry, "if", own ? SELF : "contact");
}

static void add_pair(hn_composer *c, const hn_touching_pair *p) {
  if (!can_touch(p->solid[0]) || !can_touch(p->solid[1])) return;
  const hn_touch_kind *one = kind_of(c, NULL, p->solid[0]), *other = kind_of(c, NULL, p->solid[1]);
  if (!one || !other) return;
  hn_node *entry = entry_of(c, p->name, p->node);
  add_groups(c, entry, p->solid[0]->group, p->solid[1]->group);
  add_friction(c, entry, &p->touch);
  add_softness(c, entry, &p->touch);
  hn_compose_text(c, entry, "joined", "true");
  hn_compose_text(c, entry, "if", is_self(one, other) ? SELF : "contact");
}

static const hn_link *whole_of(const hn_link *link) {
  while (link->merged) link = link->merged;
  return link;
}

static int has_group(const hn_link *link) {
  for (const hn_solid *s = link->solids; s; s = s->next)
    if (s->group) return 1;
  return 0;
}

static void add_exclusion(hn_composer *c, const hn_touching_pair *p) {
  const hn_link *link[2] = {whole_of(p->link[0]), whole_of(p->link[1])};
  const int own = !is_still(link[0]) && !is_still(link[1]);
  if (link[0] == link[1] || !has_group(link[0]) || !has_group(link[1])) return;
  if (own ? !c->has_self_contact : !c->has_contact) return;
  hn_node *entry = entry_of(c, p->name, p->node), *bodies = hn_compose_list(c, entry, "bodies");
  for (int k = 0; k < 2; k++)
    hn_compose_text(c, bodies, NULL, link[k]->is_ground ? "ground" : link[k]->id);
  hn_compose_text(c, entry, "law", "none");
  hn_compose_text(c, entry, "if", own ? SELF : "contact");
}

void hn_compose_contacts(hn_composer *c) {
  c->contact_ids = hn_table_create(c->machine);
  for (const hn_touching_pair *p = c->machine->pairs; p && hn_machine_ok(c->machine); p = p->next)
    if (p->solid[0]) add_pair(c, p);
  for (const hn_touching_pair *p = c->machine->pairs; p && hn_machine_ok(c->machine); p = p->next)
    if (!p->solid[0]) add_exclusion(c, p);
  for (const hn_touch_kind *a = c->kinds; a && hn_machine_ok(c->machine); a = a->next)
    for (const hn_touch_kind *b = a; b; b = b->next)
      if (do_touch(c, a, b)) add_kinds(c, a, b);
}
