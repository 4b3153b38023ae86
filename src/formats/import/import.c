// Importing: from a file to a tree of a model, with what became of every tag.
#include "holon/import.h"

#include <string.h>

#include "base/error.h"
#include "formats/import/import.h"
#include "formats/step/step.h"
#include "formats/text_file.h"

hn_import_options hn_default_import_options(void) {
  return (hn_import_options){.size = sizeof(hn_import_options)};
}

int hn_import_knows(const char *path) {
  static const char *const endings[] = {".urdf", ".sdf", ".world", ".mjcf", ".xml"};
  size_t length = path ? strlen(path) : 0;
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    size_t n = strlen(endings[k]);
    if (length > n && strcmp(path + length - n, endings[k]) == 0) return 1;
  }
  return hn_step_knows(path);
}

// ---- reading ------------------------------------------------------------------------------------

static void read_machine(hn_machine *machine) {
  const char *name = machine->root->name;
  if (strcmp(name, "robot") == 0) {
    machine->format = "urdf";
    hn_read_urdf(machine);
  } else if (strcmp(name, "mujoco") == 0 || strcmp(name, "mujocoinclude") == 0) {
    machine->format = "mjcf";
    hn_read_mjcf(machine);
  } else if (strcmp(name, "sdf") == 0 || strcmp(name, "gazebo") == 0) {
    machine->format = "sdf";
    hn_read_sdf(machine);
  } else {
    hn_machine_fail(
        machine, machine->root, hn_machine_text(machine, "<%s>", name),
        "Use a file with the root element <robot> (URDF), <sdf> (SDF) or <mujoco> (MJCF).",
        "is not a supported root element for import");
  }
}

hn_status hn_import_tree(hn_arena *arena, const char *text, size_t size, const char *path,
                         const hn_import_options *options, hn_machine *machine,
                         struct hn_node **root, hn_error *error) {
  *machine = (hn_machine){.arena = arena, .error = error, .options = options, .path = path};
  *root = NULL;
  hn_status status = HN_OK;
  if (hn_step_knows(path)) {
    machine->root = HN_TAKE(arena, hn_xml, 1);
    if (!machine->root) return hn_machine_take(machine, 1, 1) ? HN_ERROR_MEMORY : machine->status;
    *machine->root = (hn_xml){.file = path, .name = "step", .text = "", .fate = HN_FATE_USED};
  } else {
    status = hn_xml_parse(arena, text, size, path, &machine->root, error);
  }
  if (status) return machine->status = status;
  hn_machine_prepare(machine);
  if (hn_machine_ok(machine) && hn_step_knows(path))
    hn_read_step(machine, text, size);
  else if (hn_machine_ok(machine))
    read_machine(machine);
  if (hn_machine_ok(machine) && options->keyframe && strcmp(machine->format, "mjcf") != 0)
    hn_machine_fail(machine, machine->root, "keyframe", "Remove @keyframe.",
                    "is not supported: only MJCF files have keyframes");
  hn_machine_settle(machine);
  hn_machine_find_inertias(machine);
  hn_machine_exclude_overlaps(machine);
  *root = hn_machine_compose(machine);
  return machine->status;
}

// ---- the object ---------------------------------------------------------------------------------

static hn_status make_import(hn_import *import, const char *text, size_t size, const char *path,
                             const hn_import_options *options, hn_error *error) {
  char *read = NULL;
  hn_status status = HN_OK;
  if (!text) status = hn_text_file_read(&import->arena, path, NULL, &read, &size, error);
  if (!status)
    status = hn_import_tree(&import->arena, text ? text : read, size, path, options,
                            &import->machine, &import->root, error);
  for (int k = 0; !status && k < options->overlay_count; k++)
    status = hn_overlay_apply(&import->arena, import->root, options->overlays[k], error);
  if (status) return status;
  hn_import_collect(import);
  import->yaml = hn_tree_yaml(&import->arena, import->root);
  import->json = hn_tree_json(&import->arena, import->root);
  hn_node *proposals = hn_machine_proposals(&import->machine);
  import->proposals = proposals ? hn_tree_yaml(&import->arena, proposals) : "";
  if (!import->arena.failed) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                 "'%s' does not fit into memory", path);
}

static hn_status begin(const char *text, size_t size, const char *path,
                       const hn_import_options *given, hn_import **out, hn_error *error) {
  hn_import_options options = given ? *given : hn_default_import_options();
  hn_error own;
  *out = NULL;
  hn_import *import = hn_allocate(options.allocator, sizeof *import);
  if (!import)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "Close other programs.",
                   "'%s' does not fit into memory", path);
  *import = (hn_import){.yaml = NULL};
  hn_arena_init(&import->arena, options.allocator);
  hn_status status = make_import(import, text, size, path, &options, error ? error : &own);
  import->machine.options = NULL;
  if (status)
    hn_import_free(import);
  else
    *out = import;
  return status;
}

hn_status hn_import_file(const char *path, const hn_import_options *options, hn_import **import,
                         hn_error *error) {
  if (!path || !import)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Pass a path and a location for the result.",
                   "hn_import_file: an argument is NULL");
  return begin(NULL, 0, path, options, import, error);
}

hn_status hn_import_text(const char *text, size_t size, const char *name,
                         const hn_import_options *options, hn_import **import, hn_error *error) {
  if (!text || !import)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Pass a text and a location for the result.",
                   "hn_import_text: an argument is NULL");
  return begin(text, size, name ? name : "machine", options, import, error);
}

void hn_import_free(hn_import *import) {
  if (!import) return;
  hn_arena arena = import->arena;
  hn_allocator allocator = arena.allocator;
  hn_release(&allocator, import);
  hn_arena_release(&arena);
}

const char *hn_import_yaml(const hn_import *import) { return import->yaml; }
const char *hn_import_json(const hn_import *import) { return import->json; }
const char *hn_import_proposals(const hn_import *import) { return import->proposals; }

hn_import_mesh hn_import_mesh_at(const hn_import *import, int index) {
  const hn_machine_mesh *mesh = import->machine.meshes;
  while (mesh && index-- > 0) mesh = mesh->next;
  return mesh && index < 0 ? (hn_import_mesh){mesh->path, mesh->text} : (hn_import_mesh){0};
}

hn_import_proposal hn_import_proposal_at(const hn_import *import, int index) {
  const hn_proposal *p = import->machine.proposals;
  while (p && index-- > 0) p = p->next;
  if (!p || index >= 0) return (hn_import_proposal){.name = NULL};
  return (hn_import_proposal){p->name, p->type, {p->link[0]->id, p->link[1]->id}, p->why};
}

hn_import_facts hn_import_facts_of(const hn_import *import) {
  const hn_machine *m = &import->machine;
  return (hn_import_facts){
      m->format, m->name ? m->name : "", m->link_count, m->joint_count, m->mass, import->tags};
}

int hn_import_count(const hn_import *import, hn_import_fate fate) {
  return fate >= 0 && fate < HN_IMPORT_FATES ? import->count[fate] : 0;
}

hn_import_item hn_import_item_at(const hn_import *import, hn_import_fate fate, int index) {
  if (index < 0 || index >= hn_import_count(import, fate)) return (hn_import_item){.file = NULL};
  return import->items[fate][index];
}
