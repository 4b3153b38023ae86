// Proposed joints, as an overlay: the user removes those that are not joints.
#include <string.h>

#include "formats/import/compose.h"

static void add_joint(hn_composer *c, hn_node *joints, const hn_proposal *p) {
  hn_node *entry = hn_compose_map(c, joints, p->name);
  if (entry) entry->comment = p->why;
  hn_compose_text(c, entry, "type", p->type);
  hn_node *bodies = hn_compose_list(c, entry, "bodies");
  for (int k = 0; k < 2; k++) hn_compose_text(c, bodies, NULL, p->link[k]->id);
  if (strcmp(p->type, "fixed") == 0) return;
  hn_compose_vector(c, entry, "at", p->at);
  if (strcmp(p->type, "spherical") != 0) hn_compose_vector(c, entry, "axis", p->axis);
}

struct hn_node *hn_machine_proposals(hn_machine *machine) {
  hn_composer c = {.machine = machine, .arena = machine->arena};
  if (!machine->proposals || !hn_machine_ok(machine)) return NULL;
  c.place = hn_xml_source(machine->root);
  hn_node *root = hn_node_make(c.arena, HN_NODE_MAP, &c.place);
  hn_node *joints = hn_compose_map(&c, root, "joints");
  if (root)
    root->comment = hn_machine_text(machine,
                                    "joints proposed from the faces of %s: delete wrong ones, then "
                                    "apply this file as an overlay",
                                    machine->path);
  for (const hn_proposal *p = machine->proposals; p; p = p->next) add_joint(&c, joints, p);
  return root;
}
