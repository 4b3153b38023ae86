// Contact with the world: shapes that stand still against those that move, off until the parameter
// `contact` is 1. Rigid, with one coefficient of friction; bodies of the machine do not touch.
#include <math.h>

#include "formats/import/compose.h"

// The world, and what is fixed to it.
static int is_still(const hn_link *link) {
  int depth = 0;
  while (!link->is_ground && link->joint && link->joint->kind == HN_LINK_FIXED && depth++ < 1000)
    link = link->joint->parent;
  return link->is_ground;
}

// Bits of all shapes that stand still [1], and of all that move [0].
typedef struct bits {
  int touches[2], is_touched[2];
} bits;

static void collect(const hn_link *link, bits *all) {
  int still = is_still(link);
  for (const hn_solid *solid = link->solids; solid; solid = solid->next) {
    if (!solid->is_drawn) continue;
    all->touches[still] |= solid->touches;
    all->is_touched[still] |= solid->is_touched;
  }
}

static int choose(hn_composer *c, hn_link *link, const bits *all) {
  int still = is_still(link), count = 0;
  for (hn_solid *solid = link->solids; solid; solid = solid->next) {
    if (!solid->is_drawn || (!(solid->touches & all->is_touched[!still]) &&
                             !(solid->is_touched & all->touches[!still])))
      continue;
    solid->group = still ? "scenery" : "machine";
    c->contact_friction = fmax(c->contact_friction, solid->friction);
    count++;
  }
  return count;
}

void hn_compose_choose_contacts(hn_composer *c) {
  bits all = {.touches = {0}};
  hn_link *ground = &c->machine->ground;
  collect(ground, &all);
  for (const hn_link *link = c->machine->links; link; link = link->next) collect(link, &all);
  int count = choose(c, ground, &all);
  for (hn_link *link = c->machine->links; link; link = link->next) count += choose(c, link, &all);
  c->has_contact = count > 0;
}

void hn_compose_contacts(hn_composer *c) {
  if (!c->has_contact) return;
  hn_node *entry = hn_compose_map(c, c->contacts, "world");
  hn_node *groups = hn_compose_list(c, entry, "groups");
  hn_compose_text(c, groups, NULL, "scenery");
  hn_compose_text(c, groups, NULL, "machine");
  hn_compose_text(c, entry, "friction", "contact_friction");
  hn_compose_text(c, entry, "if", "contact");
}
