// <contact> of MJCF: pairs of geoms that collide, bodies that do not.
#include <math.h>
#include <string.h>

#include "formats/import/mjcf.h"

static hn_touching_pair *add(hn_mjcf *r, hn_xml *node, const char *name) {
  hn_touching_pair *pair = HN_MACHINE_TAKE(r->machine, hn_touching_pair, 1);
  if (!pair) return NULL;
  *pair = (hn_touching_pair){.name = name, .node = node};
  hn_touching_pair **at = &r->machine->pairs;
  while (*at) at = &(*at)->next;
  return *at = pair;
}

static void read_exclude(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  const char *names[2] = {hn_xml_get(node, "body1"), hn_xml_get(node, "body2")};
  const char *name = hn_xml_get(node, "name");
  hn_touching_pair *pair = add(r, node, name ? name : "apart");
  hn_xml_use(node);
  for (int k = 0; k < 2 && pair && hn_machine_ok(m); k++)
    pair->link[k] = hn_machine_need_link(m, names[k], node, hn_xml_element(m, node));
}

void hn_mjcf_read_softness(const hn_mjcf_item *item, const char *reference, const char *impedance,
                           const char *why, hn_softness *soft) {
  static const double least[] = {0, 0, 0, 0, 1}, most[] = {1, 1, 1e9, 1, 100};
  if (hn_mjcf_numbers(item, reference, 2, soft->reference) > 0)
    hn_mjcf_mark(item, reference, HN_FATE_APPROXIMATED, why);
  if (hn_mjcf_numbers(item, impedance, 5, soft->impedance) > 0)
    hn_mjcf_mark(item, impedance, HN_FATE_APPROXIMATED, why);
  for (int k = 0; k < 5; k++)
    soft->impedance[k] = fmin(fmax(soft->impedance[k], least[k]), most[k]);
}

static void read_pair(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  hn_mjcf_item item = hn_mjcf_open(r, node, "pair", NULL);
  hn_solid *solids[2];
  const char *name = hn_xml_get(node, "name"), *ends[2] = {"geom1", "geom2"};
  for (int k = 0; k < 2; k++) {
    const char *geom = hn_xml_get(node, ends[k]);
    solids[k] = geom ? hn_table_find(r->geoms, geom) : NULL;
    if (!solids[k])
      hn_machine_fail(m, node, hn_xml_element(m, node), "Name a <geom>.",
                      "refers to the geom '%s', which does not exist", geom ? geom : "");
    if (!hn_machine_ok(m)) return;
  }
  hn_touch touch = hn_collision_of_two(&solids[0]->touch, &solids[1]->touch, 1);
  double friction[5];
  touch.directions = hn_whole_of(hn_mjcf_number(&item, "condim", touch.directions));
  const int given = hn_mjcf_numbers(&item, "friction", 5, friction);
  if (given > 2) touch.torsion = friction[2];
  if (given > 3) touch.rolling = friction[3];
  if ((given > 1 && friction[0] != friction[1]) || (given > 4 && friction[3] != friction[4]))
    hn_mjcf_mark(&item, "friction", HN_FATE_APPROXIMATED, "the first counts in all directions");
  if (touch.directions > 3) hn_mjcf_mark(&item, "condim", HN_FATE_APPROXIMATED, HN_SPINS);
  hn_mjcf_read_softness(&item, "solref", "solimp", HN_SOFT_CONTACT, &touch.soft);
  hn_mjcf_mark_list(&item, "solreffriction margin gap", HN_FATE_LOST, HN_SOFTNESS);
  hn_touching_pair *pair = add(r, node, name ? name : "pair");
  if (!pair) return;
  if (given > 0) touch.friction = friction[0];
  pair->touch = touch;
  static const char missing[] = "one of its shapes does not support contact";
  for (int k = 0; k < 2; k++) {
    pair->solid[k] = solids[k];
    if (!solids[k]->is_drawn && !solids[k]->is_hidden) hn_xml_mark(node, HN_FATE_LOST, missing);
    solids[k]->touch.pair = 1;
  }
}

void hn_mjcf_contact(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    if (strcmp(child->name, "pair") == 0)
      read_pair(r, child);
    else if (strcmp(child->name, "exclude") == 0)
      read_exclude(r, child);
  }
}
