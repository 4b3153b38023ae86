// Loading a model: read, register, make everything in order, finish.
//
// See loader.h for how the parts work together.
#include "holon/load.h"

#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/geometry.h"
#include "formats/sealed/sealed.h"
#include "formats/text_file.h"
#include "model/options.h"

hn_load_options hn_default_load_options(void) {
  return (hn_load_options){.size = sizeof(hn_load_options)};
}

// ---- what concerns the run ----------------------------------------------------------------------

static void read_initial(const hn_context *context, const hn_node *node,
                         hn_simulation_defaults *defaults) {
  hn_fields fields, then;
  hn_loader_begin(context->loader, "initial", NULL);
  if (!hn_fields_open(context, node, hn_section_find("initial", NULL), &fields)) return;
  defaults->from_equilibrium = hn_field_choice(&fields, "from");
  defaults->has_speed = hn_field_given(&fields, "speed");
  if (defaults->has_speed) defaults->speed = hn_field_number(&fields, "speed");
  const hn_node *changes = hn_field(&fields, "then");
  if (changes && !defaults->from_equilibrium) {
    hn_source place = hn_node_key_source(changes);
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                   "Write {from: equilibrium, then: ...}, or give bodies and joints an `initial:`.",
                   "has `then` without `from: equilibrium`");
  }
  if (changes && hn_fields_open(context, changes, hn_section_find("then", NULL), &then)) {
    defaults->has_then_velocity = hn_field_given(&then, "velocity");
    defaults->then_velocity = hn_field_vector(&then, "velocity");
    hn_fields_close(&then);
  }
  hn_fields_close(&fields);
}

// Known before bodies and joints are made: they cannot have velocities of their own then.
static void find_start(hn_scope *scope, hn_loader *loader) {
  hn_context context = {loader, scope, NULL, 0};
  const hn_node *initial = hn_loader_ok(loader) ? hn_node_get(scope->root, "initial") : NULL;
  const hn_node *from = initial ? hn_node_get(initial, "from") : NULL;
  const char *word = from && from->kind == HN_NODE_SCALAR ? hn_text_of(&context, from) : NULL;
  loader->from_equilibrium = word && strcmp(word, "equilibrium") == 0;
  loader->has_speed = hn_node_get(initial, "speed") != NULL;
}

void hn_initial_velocity_check(hn_loader *loader, const hn_node *node) {
  hn_source place = hn_node_key_source(node);
  if (loader->has_speed)
    hn_loader_fail(
        loader, HN_ERROR_MODEL, &place, "Remove it, or remove `speed` from the model's `initial:`.",
        "has the initial '%s', but `initial: {speed: ...}` sets one speed for all bodies",
        node->key);
  if (!loader->from_equilibrium) return;
  char hint[300];
  hn_text(hint, sizeof hint,
          "Delete '%s', or `from: equilibrium`. To move all bodies together, add `then: {velocity: "
          "[10, 0, 0]}`.",
          node->key);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint,
                 "has the initial '%s', but the model starts at rest, in equilibrium", node->key);
}

static double not_negative(hn_fields *fields, const char *key) {
  double value = hn_field_number(fields, key);
  if (value >= 0) return value;
  hn_source place = hn_node_source(hn_field(fields, key));
  hn_loader_fail(fields->context->loader, HN_ERROR_MODEL, &place, "Give zero or more.",
                 "has %s = %g, which is negative", key, value);
  return 0;
}

// 0 would be the same as leaving the key out.
static double above_zero(hn_fields *fields, const char *key, const char *usual) {
  hn_loader *loader = fields->context->loader;
  double value = hn_field_number(fields, key);
  if (value > 0 || !hn_loader_ok(loader)) return value;
  char hint[96];
  hn_source place = hn_node_source(hn_field(fields, key));
  hn_text(hint, sizeof hint, "Remove '%s' to use the default (%s).", key, usual);
  hn_loader_fail(loader, HN_ERROR_MODEL, &place, hint, "needs a number above 0 in '%s', got %g",
                 key, value);
  return 0;
}

// The word, or null for "auto".
static const char *word_of(hn_fields *fields, const char *key) {
  int place = hn_field_choice(fields, key);
  return place > 0 ? hn_field_text(fields, key) : NULL;
}

static void read_option(hn_fields *fields, const hn_option_row *row,
                        hn_simulation_defaults *defaults) {
  const char *name = row->option.name;
  switch (row->option.kind) {
  case HN_OPTION_WORD: hn_default_set(row, defaults, 0, word_of(fields, name)); break;
  case HN_OPTION_NUMBER: hn_default_set(row, defaults, hn_field_number(fields, name), NULL); break;
  case HN_OPTION_SIZE:
  case HN_OPTION_COUNT:
  case HN_OPTION_LONG:
    hn_default_set(row, defaults, above_zero(fields, name, row->option.usual), NULL);
    break;
  case HN_OPTION_FLAG: hn_default_set(row, defaults, not_negative(fields, name), NULL); break;
  }
}

// `step: auto`: an overlay takes back what the model says.
static int is_left_open(hn_fields *fields, const char *key) {
  const hn_node *node = hn_field(fields, key);
  return !node || (node->kind == HN_NODE_SCALAR && node->text && strcmp(node->text, "auto") == 0);
}

static void read_simulation(const hn_context *context, const hn_node *node,
                            hn_simulation_defaults *defaults) {
  hn_fields f;
  hn_loader_begin(context->loader, "simulation", NULL);
  if (!hn_fields_open(context, node, hn_section_find("simulation", NULL), &f)) return;
  defaults->time = not_negative(&f, "time");
  if (hn_field(&f, "output_step"))
    defaults->output_step = above_zero(&f, "output_step", "time / 500");
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++)
    if ((row->option.places & HN_OPTION_AT_MODEL) && !is_left_open(&f, row->option.name))
      read_option(&f, row, defaults);
  if (defaults->step > 0 && defaults->max_step > 0) {
    hn_source place = hn_node_key_source(hn_field(&f, "max_step"));
    hn_loader_fail(context->loader, HN_ERROR_MODEL, &place,
                   "Remove 'max_step'; or remove 'step' so that steps follow the tolerance.",
                   "has 'max_step', which has no effect with the fixed 'step'");
  }
  hn_fields_close(&f);
}

// "models/press.yaml" -> "press"
static const char *stem_of(hn_loader *loader, const char *path) {
  size_t start = strlen(path);
  while (start > 0 && path[start - 1] != '/' && path[start - 1] != '\\') start--;
  const char *dot = strrchr(path + start, '.');
  size_t length = dot && dot > path + start ? (size_t)(dot - path) - start : strlen(path + start);
  char *stem = hn_loader_take(loader, length + 1, 1);
  if (stem) memcpy(stem, path + start, length);
  return stem;
}

// gravity, initial, simulation, name
static void load_run(hn_scope *scope, hn_loader *loader) {
  hn_context context = {loader, scope, NULL, 0};
  hn_fields fields;
  hn_element_name old = hn_loader_begin(loader, "the model", NULL);
  if (hn_fields_open(&context, scope->root, hn_section_find("model", NULL), &fields)) {
    hn_simulation_defaults defaults = {0};
    const char *name = hn_field_text(&fields, "name");
    const hn_node *initial = hn_field(&fields, "initial");
    const hn_node *simulation = hn_field(&fields, "simulation");
    const char *title = hn_field_text(&fields, "title");
    hn_vec3 gravity = hn_field_vector(&fields, "gravity");
    if (initial && !hn_node_is_null(initial)) read_initial(&context, initial, &defaults);
    if (simulation && !hn_node_is_null(simulation))
      read_simulation(&context, simulation, &defaults);
    if (!name) name = stem_of(loader, scope->file);
    if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_set_gravity(loader->model, gravity));
    if (hn_loader_ok(loader)) hn_loader_added(loader, hn_model_set_name(loader->model, name));
    if (hn_loader_ok(loader) && title)
      hn_loader_added(loader, hn_model_set_title(loader->model, title));
    if (hn_loader_ok(loader))
      hn_loader_added(loader, hn_model_set_defaults(loader->model, &defaults));
  }
  hn_loader_set_element(loader, &old);
}

// ---- the whole ----------------------------------------------------------------------------------

// Evaluates every parameter, also unused ones: errors are reported at once.
static void check_parameters(hn_loader *loader) {
  hn_amount value;
  for (hn_entry *p = loader->first[HN_ENTRY_PARAMETER]; hn_loader_goes_on(loader, p); p = p->next)
    hn_parameter_value(p, &value);
  for (hn_entry *p = loader->first[HN_ENTRY_POINT]; hn_loader_goes_on(loader, p); p = p->next)
    hn_point_entry(p);
}

// In this order: each may use what those before have made.
static void (*const parts[])(hn_loader *loader) = {
    check_parameters,
    hn_load_inputs,
    hn_load_tables,
    hn_load_states,
    hn_load_bodies,
    hn_load_roads,
    hn_load_joints,
    hn_load_rotors,
    hn_load_drivers,
    hn_load_forces,
    hn_sealed_load_constraints,
    hn_load_contacts,
    hn_load_state_laws,
    hn_sealed_load_formulas,
    hn_load_outputs,
    hn_load_switches,
    hn_load_figures,
};

static void load_everything(hn_loader *loader, hn_scope *scope) {
  hn_scope_register(loader, scope, NULL, NULL);
  hn_loader_recover(loader);
  hn_settings_check(loader);
  // names that were not registered would be missed below
  if (!hn_loader_recover(loader) || loader->error_count > 0) return;
  find_start(scope, loader);
  for (size_t k = 0; k < sizeof parts / sizeof *parts && hn_loader_recover(loader); k++)
    parts[k](loader);
  if (hn_loader_recover(loader)) load_run(scope, loader);
  const hn_load_options *options = loader->options;
  if (!hn_loader_recover(loader) || loader->error_count > 0) return;
  if (options->complete)
    hn_loader_added(loader, options->complete(options->complete_context, loader->model));
  if (hn_loader_ok(loader) && loader->files->note)
    hn_loader_added(loader, hn_model_add_note(loader->model, "contact", loader->files->note));
  if (hn_loader_ok(loader) && loader->files->keyframe_note)
    hn_loader_added(
        loader, hn_model_add_note(loader->model, "keyframe", loader->files->keyframe_note));
  if (!hn_loader_ok(loader)) return;
  hn_status status =
      options->strict ? hn_model_finish_strict(loader->model) : hn_model_finish(loader->model);
  hn_loader_added(loader, status);
}

// Returns the first error to the caller, and later ones up to the capacity.
static void tell_errors(hn_loader *loader) {
  const hn_load_options *options = loader->options;
  if (options->more_count) *options->more_count = 0;
  if (!loader->error_count) return;
  *loader->error = loader->errors[0];
  loader->status = loader->errors[0].status;
  for (int k = 1; k < loader->error_count && k <= options->more_room; k++) {
    options->more[k - 1] = loader->errors[k];
    *options->more_count = k;
  }
}

static const hn_body_record ground_record = {
    .frame = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {1, 1, 1}, {0, 0, 0}}};

int hn_loader_prepare(hn_loader *loader, const hn_load_options *options) {
  loader->max_entries = options->max_entries > 0 ? options->max_entries : HN_LOAD_ENTRIES;
  loader->scratch = hn_loader_take(loader, HN_SCRATCH, 1);
  loader->ground = (hn_entry){.kind = HN_ENTRY_BODY,
                              .name = "ground",
                              .context = {loader, NULL, NULL, 0},
                              .state = HN_ENTRY_DONE,
                              .id = HN_GROUND,
                              .data = (void *)&ground_record};
  if (hn_loader_ok(loader) && hn_model_create(options->allocator, &loader->model))
    hn_loader_fail(loader, HN_ERROR_MEMORY, NULL, "Close other programs.",
                   "a model does not fit into memory");
  return hn_loader_ok(loader);
}

hn_status hn_model_files_build(hn_model_files *files, const hn_parameter_setting *settings,
                               int setting_count, hn_model **model, hn_error *error) {
  hn_loader loader = {.options = files->options, .files = files};
  loader.error = error ? error : &loader.own_error;
  loader.kept_meshes = files->meshes;
  *model = NULL;
  hn_arena_init(&loader.arena, files->options->allocator);
  if (hn_loader_prepare(&loader, files->options)) {
    hn_settings_prepare(&loader, settings, setting_count);
    hn_scope scope = {
        .prefix = "", .file = files->path, .root = files->root, .placement = hn_placement_none()};
    loader.ground.context.scope = &scope;
    loader.collects = 1;
    load_everything(&loader, &scope);
    tell_errors(&loader);
  }
  if (hn_loader_ok(&loader))
    *model = loader.model;
  else
    hn_model_free(loader.model);
  hn_sealed_abandon(&loader);
  hn_arena_release(&loader.arena);
  return loader.status;
}

// Text that is null is read from the path.
static hn_status load(const char *text, size_t size, const char *path,
                      const hn_load_options *options, hn_model **model, hn_error *error) {
  hn_model_files *files;
  if (options && options->more_count) *options->more_count = 0;
  hn_status status = hn_model_files_read(path, text, size, options, &files, error);
  if (!status) status = hn_model_files_build(files, NULL, 0, model, error);
  hn_model_files_free(files);
  return status;
}

hn_status hn_model_load(const char *path, const hn_load_options *options, hn_model **model,
                        hn_error *error) {
  if (model) *model = NULL;
  if (!path || !model)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Pass a path and a location for the model.",
                   "hn_model_load: an argument is NULL");
  return load(NULL, 0, path, options, model, error);
}

hn_status hn_model_load_text(const char *text, size_t size, const char *name,
                             const hn_load_options *options, hn_model **model, hn_error *error) {
  if (model) *model = NULL;
  if (!text || !model)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Pass a text and a location for the model.",
                   "hn_model_load_text: an argument is NULL");
  if (size > HN_FILE_SIZE) {
    hn_source place = {name, 0, 0};
    return hn_fail(error, HN_ERROR_LIMIT, &place, "the text", "Use `repeat:` and components.",
                   "is larger than %zu MB, the limit for a model", HN_FILE_SIZE >> 20);
  }
  return load(text, size, name ? name : "model", options, model, error);
}
