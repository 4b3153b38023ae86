// Sensors of MJCF that read the coordinate of a joint, or its rate: outputs of the model with their
// names. The others are lost by name.
#include <string.h>

#include "formats/import/mjcf.h"

static void read_one(hn_mjcf *r, hn_xml *node, int is_rate) {
  hn_machine *m = r->machine;
  const char *name = hn_xml_get(node, "name"), *joint = hn_xml_get(node, "joint");
  hn_link_joint *j = hn_machine_need_joint(m, joint, node, hn_xml_element(m, node));
  if (!j) return;
  if (j->kind != HN_LINK_HINGE && j->kind != HN_LINK_SLIDE) {
    hn_xml_mark_all(node, HN_FATE_LOST, "its joint has no coordinate");
    return;
  }
  hn_reading *reading = HN_MACHINE_TAKE(m, hn_reading, 1);
  if (!reading) return;
  *reading = (hn_reading){.name = name && *name ? name : joint,
                          .node = node,
                          .joint = j,
                          .is_rate = is_rate,
                          .next = NULL};
  hn_reading **at = &m->readings;
  while (*at) at = &(*at)->next;
  *at = reading;
  hn_xml_use(node);
  hn_xml_mark_attribute(node, "noise", HN_FATE_HARMLESS, "MuJoCo does not apply it");
  hn_xml_mark_attribute(node, "user", HN_FATE_HARMLESS, "for other programs");
  hn_xml_mark_attribute(node, "cutoff", HN_FATE_LOST, "outputs are not cut off");
}

void hn_mjcf_sensor(hn_mjcf *r, hn_xml *node) {
  for (hn_xml *child = node->first; child && hn_machine_ok(r->machine); child = child->next) {
    const int is_rate = strcmp(child->name, "jointvel") == 0;
    if (is_rate || strcmp(child->name, "jointpos") == 0)
      read_one(r, child, is_rate);
    else
      hn_xml_mark_all(child, HN_FATE_LOST,
                      "not needed: signals of all joints and bodies are available");
  }
}
