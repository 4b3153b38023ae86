// MJCF: the file as a whole and its compiler settings.
#include "formats/import/mjcf.h"

#include <string.h>

// ---- compiler -----------------------------------------------------------------------------------

static int is_true(hn_xml *node, const char *name, int other) {
  const char *word = hn_xml_get(node, name);
  return word ? strcmp(word, "true") == 0 : other;
}

static void read_eulerseq(hn_mjcf *r, hn_xml *node) {
  const char *seq = hn_xml_get(node, "eulerseq");
  if (!seq) return;
  if (strlen(seq) != 3 || strspn(seq, "xyzXYZ") != 3)
    hn_machine_fail(r->machine, node, "<compiler>", "Write three letters of xyzXYZ.",
                    "has the invalid eulerseq '%s'", seq);
  else
    memcpy(r->eulerseq, seq, 4);
}

static void read_masses(hn_mjcf *r, hn_xml *node) {
  hn_machine *m = r->machine;
  const char *word = hn_xml_get(node, "inertiafromgeom");
  const char *range = hn_xml_get(node, "inertiagrouprange");
  double groups[2];
  if (word)
    r->inertia_from_geoms = strcmp(word, "true") == 0 ? 1 : strcmp(word, "auto") == 0 ? 2 : 0;
  if (range && hn_numbers_of(m, node, "inertiagrouprange", range, 2, groups)) {
    r->group_from = hn_whole_of(groups[0]);
    r->group_to = hn_whole_of(groups[1]);
  }
  r->least_mass = hn_xml_number(m, node, "boundmass", r->least_mass);
  r->total_mass = hn_xml_number(m, node, "settotalmass", r->total_mass);
  r->least_inertia = hn_xml_number(m, node, "boundinertia", r->least_inertia);
  r->is_balanced = is_true(node, "balanceinertia", r->is_balanced);
  r->has_exact_meshes = is_true(node, "exactmeshinertia", r->has_exact_meshes);
}

static void read_compiler(hn_mjcf *r, hn_xml *node) {
  static const char *const drawn[] = {"texturedir", "discardvisual", "usethread",   "fusestatic",
                                      "convexhull", "alignfree",     "saveinertial"};
  const char *word = hn_xml_get(node, "coordinate");
  hn_xml_use(node);
  if (word && strcmp(word, "global") == 0)
    hn_machine_fail(r->machine, node, "<compiler>",
                    "Save the model in local coordinates with MuJoCo 2.3.3 or older.",
                    "has coordinate=\"global\", which is not supported (removed from MuJoCo)");
  word = hn_xml_get(node, "angle");
  if (word) r->angle = strcmp(word, "radian") == 0 ? 1 : HN_PI / 180;
  r->autolimits = is_true(node, "autolimits", r->autolimits);
  r->fits_bounds = is_true(node, "fitaabb", r->fits_bounds);
  r->strips_paths = is_true(node, "strippath", r->strips_paths);
  read_eulerseq(r, node);
  read_masses(r, node);
  word = hn_xml_get(node, "assetdir");
  if (word) r->mesh_folder = word;
  word = hn_xml_get(node, "meshdir");
  if (word) r->mesh_folder = word;
  for (size_t k = 0; k < sizeof drawn / sizeof *drawn; k++)
    hn_xml_mark_attribute(node, drawn[k], HN_FATE_HARMLESS, "rendering setting of MuJoCo");
  hn_xml_mark_children(node, "lengthrange", HN_FATE_HARMLESS,
                       "muscle preprocessing setting of MuJoCo");
}

// ---- the file -----------------------------------------------------------------------------------

typedef void section_reader(hn_mjcf *r, hn_xml *node);

static void read_sections(hn_mjcf *r, const char *name, section_reader *read) {
  hn_xml *root = r->machine->root;
  for (hn_xml *node = hn_xml_child(root, name); node && hn_machine_ok(r->machine);
       node = hn_xml_next(node, name)) {
    if (strcmp(name, "default") != 0) hn_xml_use(node);
    read(r, node);
  }
}

// Scales masses so that the whole model has the given one.
static void scale_masses(hn_mjcf *r) {
  double sum = 0;
  for (const hn_link *link = r->machine->links; link; link = link->next) sum += link->mass;
  if (!(r->total_mass > 0) || !(sum > 0)) return;
  for (hn_link *link = r->machine->links; link; link = link->next) {
    link->mass *= r->total_mass / sum;
    for (int k = 0; k < 6; k++) link->inertia[k] *= r->total_mass / sum;
  }
}

void hn_read_mjcf(hn_machine *machine) {
  hn_mjcf r = {.machine = machine,
               .angle = HN_PI / 180,
               .eulerseq = "xyz",
               .autolimits = 1,
               .inertia_from_geoms = 2,
               .group_to = 5,
               .mesh_folder = "",
               .magnetic = vec3(0, -0.5, 0),
               .suffix = ""};
  hn_xml *root = machine->root;
  r.classes = hn_table_create(machine);
  r.colors = hn_table_create(machine);
  r.meshes = hn_table_create(machine);
  r.sites = hn_table_create(machine);
  r.tendons = hn_table_create(machine);
  r.geoms = hn_table_create(machine);
  hn_xml_use(root);
  machine->name = hn_xml_get(root, "model");
  if (!machine->name) machine->name = "MuJoCo Model";
  machine->gravity = vec3(0, 0, -9.81);
  machine->timestep = 0.002;
  if (hn_machine_ok(machine)) hn_mjcf_expand(&r);
  read_sections(&r, "compiler", read_compiler);
  read_sections(&r, "option", hn_mjcf_option);
  read_sections(&r, "default", hn_mjcf_read_defaults);
  read_sections(&r, "asset", hn_mjcf_asset);
  read_sections(&r, "worldbody", hn_mjcf_world);
  if (hn_machine_ok(machine)) scale_masses(&r);
  read_sections(&r, "tendon", hn_mjcf_tendon);
  read_sections(&r, "equality", hn_mjcf_equality);
  read_sections(&r, "actuator", hn_mjcf_actuator);
  hn_mjcf_limit_motors(machine);
  read_sections(&r, "contact", hn_mjcf_contact);
  read_sections(&r, "sensor", hn_mjcf_sensor);
  if (hn_machine_ok(machine)) hn_mjcf_grant(&r);
  if (!hn_machine_ok(machine)) return;
  hn_mjcf_keyframe(machine);
  hn_mjcf_switch_off(&r);
  hn_mjcf_rest(root);
  hn_mjcf_finish_defaults(&r);
}
