// <option> of MJCF: gravity, and parts of MuJoCo that a file switches off.
#include <string.h>

#include "formats/import/mjcf.h"

typedef struct option_switch {
  const char *name;
  unsigned disables; // 0: nothing that a model has
} option_switch;

static const option_switch switches[] = {
    {"constraint",
     HN_MJCF_NO_EQUALITY | HN_MJCF_NO_FRICTION | HN_MJCF_NO_LIMIT | HN_MJCF_NO_CONTACT},
    {"equality", HN_MJCF_NO_EQUALITY},
    {"frictionloss", HN_MJCF_NO_FRICTION},
    {"limit", HN_MJCF_NO_LIMIT},
    {"contact", HN_MJCF_NO_CONTACT},
    {"passive", HN_MJCF_NO_SPRING | HN_MJCF_NO_DAMPER},
    {"spring", HN_MJCF_NO_SPRING},
    {"damper", HN_MJCF_NO_DAMPER},
    {"actuation", HN_MJCF_NO_ACTUATION},
    {"clampctrl", HN_MJCF_NO_CLAMP},
};

static void read_flag(hn_mjcf *r, hn_xml *flag) {
  hn_xml_use(flag);
  const char *gravity = hn_xml_get(flag, "gravity");
  if (gravity && strcmp(gravity, "disable") == 0) r->machine->gravity = vec3_zero();
  for (size_t k = 0; k < sizeof switches / sizeof *switches; k++) {
    const char *word = hn_xml_get(flag, switches[k].name);
    if (word && strcmp(word, "disable") == 0) r->disabled |= switches[k].disables;
  }
  hn_xml_mark_all(flag, HN_FATE_LOST, "internal switch of MuJoCo");
}

static void read_air(hn_xml *node) {
  static const char *const air[] = {"wind", "density", "viscosity"};
  for (int k = 0; k < 3; k++) {
    const char *text = hn_xml_peek(node, air[k]);
    int is_zero = text && strspn(text, "0. ") == strlen(text);
    hn_xml_mark_attribute(node, air[k], is_zero ? HN_FATE_HARMLESS : HN_FATE_LOST,
                          is_zero ? "is zero" : "fluid forces are not supported");
  }
}

void hn_mjcf_option(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  if (hn_xml_find(node, "timestep")) m->timestep_node = node;
  m->timestep = hn_xml_number(m, node, "timestep", m->timestep);
  if (hn_machine_ok(m) && !(m->timestep > 0))
    hn_machine_fail(m, node, "<option>", "Give a step above 0 s.", "has the timestep %g",
                    m->timestep);
  if (hn_xml_find(node, "gravity")) {
    m->gravity = hn_xml_vector(m, node, "gravity", m->gravity);
    m->gravity_node = node;
  }
  r->magnetic = hn_xml_vector(m, node, "magnetic", r->magnetic);
  read_air(node);
  for (hn_xml *flag = hn_xml_child(node, "flag"); flag; flag = hn_xml_next(flag, "flag"))
    read_flag(r, flag);
  for (int k = 0; k < node->attribute_count; k++)
    if (node->attributes[k].fate == HN_FATE_NONE)
      hn_xml_mark_attribute(node, node->attributes[k].name, HN_FATE_LOST,
                            "integrator or solver setting of MuJoCo");
  for (hn_xml *child = node->first; child; child = child->next)
    hn_xml_mark_all(child, HN_FATE_LOST, "internal switch of MuJoCo");
}

// ---- what is off --------------------------------------------------------------------------------

static void calm(unsigned disabled, hn_freedom *f) {
  if (disabled & HN_MJCF_NO_SPRING) f->stiffness = 0;
  if (disabled & HN_MJCF_NO_DAMPER) f->damping = 0;
  if (disabled & HN_MJCF_NO_FRICTION) f->friction = 0;
  if (disabled & HN_MJCF_NO_LIMIT) f->has_limits = 0;
}

void hn_mjcf_switch_off(hn_mjcf *r) {
  hn_machine *m = r->machine;
  const unsigned passive = HN_MJCF_NO_SPRING | HN_MJCF_NO_DAMPER;
  for (hn_link_joint *j = m->joints; j; j = j->next) calm(r->disabled, &j->freedom[0]);
  for (hn_tendon *t = m->tendons; t; t = t->next) {
    if (r->disabled & HN_MJCF_NO_SPRING) t->stiffness = 0;
    if (r->disabled & HN_MJCF_NO_DAMPER) t->damping = 0;
    if (r->disabled & HN_MJCF_NO_FRICTION) t->friction = 0;
    if (r->disabled & HN_MJCF_NO_LIMIT) t->has_limits = 0;
  }
  for (hn_link *link = m->links; link; link = link->next) {
    if ((r->disabled & passive) == passive) link->lift = 0;
    for (hn_solid *s = link->solids; s && (r->disabled & HN_MJCF_NO_CONTACT); s = s->next)
      s->touch = (hn_touch){.friction = 0};
  }
  if (r->disabled & HN_MJCF_NO_CONTACT) m->pairs = NULL;
  for (hn_motor *motor = m->motors; motor && (r->disabled & HN_MJCF_NO_CLAMP); motor = motor->next)
    motor->has_range = 0;
  if (r->disabled & HN_MJCF_NO_ACTUATION) m->motors = m->last_motor = NULL;
}
