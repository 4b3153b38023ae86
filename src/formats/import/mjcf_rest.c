// Parts of MJCF that are not part of a model: settings of MuJoCo, display.
#include <string.h>

#include "formats/import/mjcf.h"

typedef struct rest {
  const char *name;
  hn_fate fate;
  const char *why;
} rest;

static const rest sections[] = {
    {"size", HN_FATE_HARMLESS, "memory sizes of MuJoCo"},
    {"visual", HN_FATE_HARMLESS, "only drawn"},
    {"statistic", HN_FATE_HARMLESS, "for display only"},
    {"custom", HN_FATE_HARMLESS, "custom data for other programs"},
    {"extension", HN_FATE_LOST, "MuJoCo plugins are not supported"},
    {"deformable", HN_FATE_LOST, "deformable bodies are not supported"},
};

void hn_mjcf_rest(hn_xml *root) {
  for (hn_xml *child = root->first; child; child = child->next) {
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++)
      if (strcmp(sections[k].name, child->name) == 0) {
        if (sections[k].fate == HN_FATE_LOST) hn_xml_use(child); // holds what is lost
        hn_xml_mark_all(child, sections[k].fate, sections[k].why);
      }
  }
}
