// Additions to a model: bodies, markers, joints, drivers, roads, forces, components, outputs and
// defaults. Definitions are copied with their names and arrays; laws are handed over.
//
// Here only errors of one definition by itself are rejected (names, memory, a finished model);
// everything else waits for hn_model_finish, so that a reader of a file may add in any order.
#include <math.h>
#include <string.h>

#include "math/euler.h"
#include "model/options.h"
#include "model/storage.h"

// ---- names and sources --------------------------------------------------------------------------

static const char *element_text(char *text, size_t size, hn_name_kind kind, const char *name) {
  return hn_text(text, size, "%s '%s'", hn_name_kind_word(kind), name ? name : "");
}

// Names become parts of signal names, of globs and of paths in result files.
static const char *what_is_wrong_with(hn_name_kind kind, const char *name) {
  if (!name || !*name) return "has no name";
  size_t length = strlen(name);
  if (name[0] == '.' || name[length - 1] == '.') return "has a name that starts or ends with a dot";
  if (name[0] == ' ' || name[length - 1] == ' ')
    return "has a name that starts or ends with a space";
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f || strchr("/,\"'*?", *c))
      return "has a name with a character that signal names exclude (/ , \" ' * ? or a "
             "control character)";
  if (strcmp(name, "ground") == 0 && (kind == HN_NAME_BODY || kind == HN_NAME_COMPONENT))
    return "has the name of the fixed world";
  if (strcmp(name, "time") == 0 && kind == HN_NAME_OUTPUT) return "has the name of the time column";
  return NULL;
}

hn_status hn_model_out_of_memory(hn_model *model, hn_name_kind kind, const char *name) {
  char element[128];
  return hn_fail(&model->error, HN_ERROR_MEMORY, NULL,
                 element_text(element, sizeof element, kind, name),
                 "Free memory, or split the model.", "does not fit in memory");
}

// One copy a file name, however many elements come from it.
static int own_source(hn_model *model, hn_source *source) {
  if (!source->file) return 1;
  struct hn_model_storage *storage = model->storage;
  size_t length = strlen(source->file);
  const hn_name *known = hn_names_find(&storage->names, HN_NAME_FILE, source->file, length);
  if (known) {
    source->file = known->text;
    return 1;
  }
  const char *copy = hn_arena_copy_string(&model->arena, source->file);
  if (!copy || !hn_names_reserve(&storage->names, &storage->allocator)) return 0;
  hn_names_insert(&storage->names, HN_NAME_FILE, copy, 0);
  source->file = copy;
  return 1;
}

static hn_status must_be_open(hn_model *model) {
  if (!model->finished) return HN_OK;
  return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL,
                 "Add everything before hn_model_finish.", "the model is finished and fixed");
}

hn_status hn_model_begin(hn_model *model, hn_name_kind kind, const char **name, hn_source *source) {
  hn_status status = must_be_open(model);
  if (status) return status;
  char element[128];
  element_text(element, sizeof element, kind, *name);
  const char *wrong = what_is_wrong_with(kind, *name);
  if (wrong)
    return hn_fail(&model->error, HN_ERROR_MODEL, source, element,
                   "Use letters, digits, '_', '-' and dots inside, for instance 'rod_2'.", "%s",
                   wrong);
  struct hn_model_storage *storage = model->storage;
  if (hn_names_find(&storage->names, kind, *name, strlen(*name)))
    return hn_fail(&model->error, HN_ERROR_MODEL, source, element,
                   "Give one of the two another name.", "is defined twice");
  const char *copy = hn_arena_copy_string(&model->arena, *name);
  if (!copy || !own_source(model, source) ||
      !hn_names_reserve(&storage->names, &storage->allocator))
    return hn_model_out_of_memory(model, kind, *name);
  *name = copy;
  return HN_OK;
}

// The common end: the element is in its array, now its name leads there.
static hn_status commit(hn_model *model, hn_name_kind kind, const char *name, int *count, int *id) {
  hn_names_insert(&model->storage->names, kind, name, *count);
  if (id) *id = *count;
  (*count)++;
  return HN_OK;
}

static hn_status missing(hn_model *model, const char *what) {
  if (!model) return HN_ERROR_ARGUMENT;
  return hn_fail(&model->error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a definition.",
                 "the definition of a %s is a null pointer", what);
}

// Unit length; a zero quaternion is unchanged, for hn_model_finish to report.
static hn_quat normalized(hn_quat p) {
  double n = sqrt(quat_dot(p, p));
  return n > 0 && isfinite(n) ? quat_scale(1 / n, p) : p;
}

// ---- bodies, markers, components ----------------------------------------------------------------

hn_status hn_model_add_body(hn_model *model, const hn_body_def *def, int *id) {
  if (!model || !def) return missing(model, "body");
  hn_body_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_BODY, &own.name, &own.source);
  if (status) return status;
  own.orientation = normalized(own.orientation);
  hn_body_def *bodies = hn_model_grow(model, model->bodies, &model->storage->body_room,
                                      model->body_count, sizeof *bodies);
  if (!bodies) return hn_model_out_of_memory(model, HN_NAME_BODY, own.name);
  model->bodies = bodies;
  bodies[model->body_count] = own;
  return commit(model, HN_NAME_BODY, own.name, &model->body_count, id);
}

hn_status hn_model_add_marker(hn_model *model, const hn_marker_def *def, int *id) {
  if (!model || !def) return missing(model, "marker");
  hn_marker_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_MARKER, &own.name, &own.source);
  if (status) return status;
  own.frame.orientation = normalized(own.frame.orientation);
  hn_marker_def *markers = hn_model_grow(model, model->markers.item, &model->storage->marker_room,
                                         model->markers.count, sizeof *markers);
  if (!markers) return hn_model_out_of_memory(model, HN_NAME_MARKER, own.name);
  model->markers.item = markers;
  markers[model->markers.count] = own;
  return commit(model, HN_NAME_MARKER, own.name, &model->markers.count, id);
}

hn_status hn_model_add_component(hn_model *model, const hn_component_def *def, int *id) {
  if (!model || !def) return missing(model, "component");
  hn_component_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_COMPONENT, &own.name, &own.source);
  if (status) return status;
  hn_component_def *components =
      hn_model_grow(model, model->components.item, &model->storage->component_room,
                    model->components.count, sizeof *components);
  if (!components) return hn_model_out_of_memory(model, HN_NAME_COMPONENT, own.name);
  model->components.item = components;
  components[model->components.count] = own;
  return commit(model, HN_NAME_COMPONENT, own.name, &model->components.count, id);
}

// ---- joints and drivers -------------------------------------------------------------------------

hn_status hn_model_add_joint(hn_model *model, const hn_joint_def *def, int *id) {
  if (!model || !def) return missing(model, "joint");
  hn_joint_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_JOINT, &own.name, &own.source);
  if (status) return status;
  own.frame1.orientation = normalized(own.frame1.orientation);
  own.frame2.orientation = normalized(own.frame2.orientation);
  hn_joint_def *joints = hn_model_grow(model, model->joints, &model->storage->joint_room,
                                       model->joint_count, sizeof *joints);
  if (!joints) return hn_model_out_of_memory(model, HN_NAME_JOINT, own.name);
  model->joints = joints;
  joints[model->joint_count] = own;
  return commit(model, HN_NAME_JOINT, own.name, &model->joint_count, id);
}

hn_status hn_model_add_driver(hn_model *model, const hn_driver_def *def, int *id) {
  if (!model || !def) {
    if (def) hn_law_free(def->law);
    return missing(model, "driver");
  }
  if (!hn_model_own_law(model, def->law))
    return hn_model_out_of_memory(model, HN_NAME_DRIVER, def->name);
  hn_driver_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_DRIVER, &own.name, &own.source);
  if (status) return status;
  own.frame1.orientation = normalized(own.frame1.orientation);
  own.frame2.orientation = normalized(own.frame2.orientation);
  hn_driver_def *drivers = hn_model_grow(model, model->drivers, &model->storage->driver_room,
                                         model->driver_count, sizeof *drivers);
  if (!drivers) return hn_model_out_of_memory(model, HN_NAME_DRIVER, own.name);
  model->drivers = drivers;
  drivers[model->driver_count] = own;
  return commit(model, HN_NAME_DRIVER, own.name, &model->driver_count, id);
}

// ---- forces -------------------------------------------------------------------------------------

#define FORCE_LAWS 7

static void free_tyre(void *tyre) { hn_tyre_free(tyre); }

static void laws_of(const hn_force_def *def, hn_law *laws[FORCE_LAWS]) {
  hn_law *const all[FORCE_LAWS] = {def->of_x,
                                   def->of_v,
                                   def->of_t,
                                   def->of_xvt,
                                   def->component_law[0],
                                   def->component_law[1],
                                   def->component_law[2]};
  for (int k = 0; k < FORCE_LAWS; k++) {
    laws[k] = all[k];
    for (int j = 0; j < k; j++)
      if (laws[j] == all[k]) laws[k] = NULL; // given twice: owned and freed once
  }
}

static int copy_way(hn_model *model, hn_force_def *force) {
  if (!force->way || force->way_count < 1) return 1;
  hn_way *way = HN_TAKE(&model->arena, hn_way, force->way_count);
  if (!way) return 0;
  for (int k = 0; k < force->way_count; k++) {
    way[k] = force->way[k];
    way[k].frame.orientation = normalized(way[k].frame.orientation);
  }
  force->way = way;
  force->frame1 = way[way[0].kind == HN_WAY_PULLEY && force->way_count > 1].frame;
  force->frame2 = way[force->way_count - 1].frame;
  return 1;
}

hn_status hn_model_add_force(hn_model *model, const hn_force_def *def, int *id) {
  hn_law *laws[FORCE_LAWS] = {NULL};
  if (def) laws_of(def, laws);
  if (!model || !def) {
    for (int k = 0; k < FORCE_LAWS; k++) hn_law_free(laws[k]);
    return missing(model, "force");
  }
  int owned = hn_model_own(model, def->tyre, free_tyre);
  for (int k = 0; k < FORCE_LAWS; k++) owned &= hn_model_own_law(model, laws[k]);
  if (!owned) return hn_model_out_of_memory(model, HN_NAME_FORCE, def->name);
  hn_force_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_FORCE, &own.name, &own.source);
  if (status) return status;
  own.frame1.orientation = normalized(own.frame1.orientation);
  own.frame2.orientation = normalized(own.frame2.orientation);
  if (!copy_way(model, &own)) return hn_model_out_of_memory(model, HN_NAME_FORCE, own.name);
  hn_force_def *forces = hn_model_grow(model, model->forces, &model->storage->force_room,
                                       model->force_count, sizeof *forces);
  if (!forces) return hn_model_out_of_memory(model, HN_NAME_FORCE, own.name);
  model->forces = forces;
  forces[model->force_count] = own;
  return commit(model, HN_NAME_FORCE, own.name, &model->force_count, id);
}

// ---- outputs, gravity, defaults, name, warnings -------------------------------------------------

hn_status hn_model_add_output(hn_model *model, const hn_output_def *def) {
  if (!model || !def) return missing(model, "output");
  hn_output_def own = *def;
  hn_status status = hn_model_begin(model, HN_NAME_OUTPUT, &own.name, &own.source);
  if (status) return status;
  own.expression = hn_arena_copy_string(&model->arena, def->expression);
  own.unit = hn_arena_copy_string(&model->arena, def->unit);
  hn_output_def *outputs = hn_model_grow(model, model->outputs.item, &model->storage->output_room,
                                         model->outputs.count, sizeof *outputs);
  if (!outputs || model->arena.failed)
    return hn_model_out_of_memory(model, HN_NAME_OUTPUT, own.name);
  model->outputs.item = outputs;
  outputs[model->outputs.count] = own;
  return commit(model, HN_NAME_OUTPUT, own.name, &model->outputs.count, NULL);
}

hn_status hn_model_set_gravity(hn_model *model, hn_vec3 gravity) {
  if (!model) return HN_ERROR_ARGUMENT;
  hn_status status = must_be_open(model);
  if (status) return status;
  if (!isfinite(gravity.x) || !isfinite(gravity.y) || !isfinite(gravity.z))
    return hn_fail(&model->error, HN_ERROR_MODEL, NULL, "gravity",
                   "Give three finite numbers in m/s2, for instance 0, 0, -9.81.",
                   "is (%g, %g, %g) and must be finite", gravity.x, gravity.y, gravity.z);
  model->gravity = gravity;
  return HN_OK;
}

hn_status hn_model_set_defaults(hn_model *model, const hn_simulation_defaults *defaults) {
  if (!model || !defaults) return missing(model, "default");
  hn_status status = must_be_open(model);
  if (status) return status;
  hn_simulation_defaults own = *defaults;
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++)
    if ((row->option.places & HN_OPTION_AT_MODEL) && row->option.kind == HN_OPTION_WORD)
      hn_default_set(row, &own, 0,
                     hn_arena_copy_string(&model->arena, hn_default_text(row, defaults)));
  if (model->arena.failed)
    return hn_fail(&model->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  model->defaults = own;
  return HN_OK;
}

static hn_status set_text(hn_model *model, const char *text, const char **field) {
  hn_status status = must_be_open(model);
  if (status) return status;
  const char *own = hn_arena_copy_string(&model->arena, text ? text : "");
  if (!own) return hn_fail(&model->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  *field = own;
  return HN_OK;
}

hn_status hn_model_set_name(hn_model *model, const char *name) {
  return model ? set_text(model, name, &model->name) : HN_ERROR_ARGUMENT;
}
hn_status hn_model_set_title(hn_model *model, const char *title) {
  return model ? set_text(model, title, &model->title) : HN_ERROR_ARGUMENT;
}

static hn_status add_told(hn_model *model, int is_note, const char *element, const char *message) {
  if (!model) return HN_ERROR_ARGUMENT;
  hn_status status = must_be_open(model);
  if (status) return status;
  hn_warning *warnings = hn_model_grow(model, model->warnings.item, &model->storage->warning_room,
                                       model->warnings.count, sizeof *warnings);
  if (!warnings) return hn_fail(&model->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  model->warnings.item = warnings;
  hn_warning *warning = &warnings[model->warnings.count++];
  warning->is_note = is_note;
  hn_text(warning->element, sizeof warning->element, "%s", element ? element : "");
  hn_text(warning->message, sizeof warning->message, "%s", message ? message : "");
  return HN_OK;
}

hn_status hn_model_add_warning(hn_model *model, const char *element, const char *message) {
  return add_told(model, 0, element, message);
}
hn_status hn_model_add_note(hn_model *model, const char *element, const char *message) {
  return add_told(model, 1, element, message);
}
