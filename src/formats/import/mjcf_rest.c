// What of MJCF is no part of a model: settings of MuJoCo, what is only drawn, sensors, contact.
#include <string.h>

#include "formats/import/mjcf.h"

typedef struct rest {
  const char *name;
  hn_fate fate;
  const char *why;
} rest;

static const rest sections[] = {
    {"size", HN_FATE_HARMLESS, "sizes of MuJoCo's memory"},
    {"visual", HN_FATE_HARMLESS, "only drawn"},
    {"statistic", HN_FATE_HARMLESS, "for drawing only"},
    {"custom", HN_FATE_HARMLESS, "numbers and texts for other programs"},
    {"sensor", HN_FATE_LOST, "sensors: signals of all joints and bodies are there anyway"},
    {"contact", HN_FATE_LOST, HN_NO_CONTACT},
    {"extension", HN_FATE_LOST, "plugins of MuJoCo"},
    {"deformable", HN_FATE_LOST, "bodies are rigid"},
};

static void mark_option(hn_machine *m, hn_xml *node) {
  hn_xml_use(node);
  if (hn_xml_find(node, "gravity")) {
    m->gravity = hn_xml_vector(m, node, "gravity", m->gravity);
    m->gravity_node = node;
  }
  static const char *const air[] = {"wind", "density", "viscosity"};
  for (int k = 0; k < 3; k++) {
    const char *text = hn_xml_peek(node, air[k]);
    if (text && strspn(text, "0. ") == strlen(text))
      hn_xml_mark_attribute(node, air[k], HN_FATE_HARMLESS, "is zero");
    else
      hn_xml_mark_attribute(node, air[k], HN_FATE_LOST, "no forces of air or water");
  }
  hn_xml *flag = hn_xml_child(node, "flag");
  const char *gravity = hn_xml_peek(flag, "gravity");
  if (gravity) {
    hn_xml_get(flag, "gravity");
    hn_xml_use(flag);
    if (strcmp(gravity, "disable") == 0) m->gravity = vec3_zero();
  }
  for (int k = 0; k < node->attribute_count; k++)
    if (node->attributes[k].fate == HN_FATE_NONE)
      hn_xml_mark_attribute(node, node->attributes[k].name, HN_FATE_LOST,
                            "a setting of MuJoCo's own integration and solver");
  for (hn_xml *child = node->first; child; child = child->next)
    hn_xml_mark_all(child, HN_FATE_LOST, "a switch of MuJoCo's own parts");
}

void hn_mjcf_rest(hn_mjcf *r, hn_xml *root) {
  for (hn_xml *child = root->first; child; child = child->next) {
    if (strcmp(child->name, "option") == 0) mark_option(r->machine, child);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
      if (strcmp(sections[k].name, child->name) == 0) {
        if (sections[k].fate == HN_FATE_LOST) hn_xml_use(child); // holds what is lost
        hn_xml_mark_all(child, sections[k].fate, sections[k].why);
      }
  }
}
