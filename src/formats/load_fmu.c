// FMUs in `states:`. Each output becomes a sampled state, each input an output of the model:
//
//   engine: {fmu: {file: engine.fmu, inputs: {speed: v}, outputs: {torque: T}}, every: 1 ms}
//
// has the state engine_torque and the output engine_in_speed.
#include <string.h>

#include "base/error.h"
#include "formats/fields.h"
#include "formats/fmu/plan.h"
#include "formats/text_file.h"

enum { MAX_VARIABLES = 1000 };

typedef struct fmu_entry {
  const hn_context *context;
  hn_loader *loader;
  const char *name; // of the entry
  const hn_node *node;
  hn_source place;
  hn_fmu_wishes wishes;
  const char **inputs, **outputs, **settings;
  const hn_node *output_map;
  const char **sources; // outputs of the model, in full
} fmu_entry;

static int fail_fmu(const fmu_entry *f, hn_status status, const char *hint, const char *what) {
  hn_loader_fail(f->loader, status, &f->place, hint, "%s", what);
  return 0;
}

static int count_of(const fmu_entry *f, const hn_node *map, const char *key) {
  char what[80];
  if (!map) return 0;
  if (map->kind == HN_NODE_MAP && map->count <= MAX_VARIABLES) return map->count;
  return fail_fmu(f, HN_ERROR_MODEL, "Write {NAME: ..., NAME: ...}.",
                  hn_text(what, sizeof what, "expects a map of at most %d names in '%s'",
                          (int)MAX_VARIABLES, key));
}

// ---- inputs, outputs, start values --------------------------------------------------------------

static hn_node *make_entry(const fmu_entry *f, const char *name) {
  hn_node *map = hn_node_make(&f->loader->arena, HN_NODE_MAP, &f->place);
  if (!map) {
    fail_fmu(f, HN_ERROR_MEMORY, NULL, "does not fit into memory");
    return NULL;
  }
  map->key = hn_loader_copy(f->loader, name);
  map->key_line = f->node->key_line;
  map->key_column = f->node->key_column;
  return map;
}

static void add_fmu_text(const fmu_entry *f, hn_node *map, const char *key, const char *text) {
  hn_arena *arena = &f->loader->arena;
  hn_node_add(arena, map, key, hn_node_make_text(arena, text, &f->place));
}

static void add_inputs(fmu_entry *f, const hn_node *map) {
  char name[HN_FULL_NAME_LENGTH];
  int k = 0;
  for (const hn_node *n = map ? map->first : NULL; n && hn_loader_ok(f->loader); n = n->next, k++) {
    if (n->kind != HN_NODE_SCALAR) {
      fail_fmu(f, HN_ERROR_MODEL, "Give a formula of signals.", "has an input without a formula");
      return;
    }
    hn_text(name, sizeof name, "%s_in_%d", f->name, k + 1);
    hn_node *output = make_entry(f, name);
    if (!output) return;
    add_fmu_text(f, output, "value", n->text);
    hn_entry *entry = hn_entry_add(f->context, HN_ENTRY_OUTPUT, output->key, output);
    f->inputs[k] = n->key;
    f->sources[k] = entry ? entry->name : "";
  }
}

static void read_outputs(fmu_entry *f, const hn_node *map) {
  int k = 0;
  for (const hn_node *n = map ? map->first : NULL; n && hn_loader_ok(f->loader); n = n->next) {
    if (n->kind != HN_NODE_SCALAR) {
      fail_fmu(f, HN_ERROR_MODEL, "Write {NAME: VARIABLE_OF_FMU}.", "has an output without a name");
      return;
    }
    f->outputs[k++] = n->text;
  }
}

static void read_settings(fmu_entry *f, const hn_node *map) {
  int k = 0;
  for (const hn_node *n = map ? map->first : NULL; n && hn_loader_ok(f->loader); n = n->next) {
    const double value = hn_number_of(f->context, n, HN_ANYTHING, n->key);
    hn_string text = {0};
    hn_string_add(&text, "%s=", n->key);
    hn_string_number(&text, value);
    f->settings[k++] = hn_loader_copy(f->loader, text.data ? text.data : "");
    hn_string_free(&text);
  }
}

// ---- the entry ----------------------------------------------------------------------------------

static int check_allowed(const fmu_entry *f) {
  if (f->loader->is_sealing)
    return fail_fmu(f, HN_ERROR_UNSUPPORTED, "Use it in the model that uses the component.",
                    "is an FMU (not in sealed components)");
  if (f->loader->options && f->loader->options->allow_compiled) return 1;
  return fail_fmu(f, HN_ERROR_UNSUPPORTED, "If you trust its maker, use @allow_compiled.",
                  "is an FMU, compiled code, which runs only if allowed");
}

static int read_file(fmu_entry *f, hn_fields *fields) {
  const char *file = hn_field_text(fields, "file");
  if (!file) return 0;
  const char *base = hn_written_in(f->context, hn_field(fields, "file"));
  if (hn_path_is_absolute(file))
    return fail_fmu(f, HN_ERROR_MODEL, "Write the path relative to this file.",
                    "uses an absolute path");
  f->wishes.path = hn_path_join(&f->loader->arena, base, file);
  return f->wishes.path != NULL;
}

static int read_maps(fmu_entry *f, hn_fields *fields) {
  const hn_node *inputs = hn_field(fields, "inputs"), *start = hn_field(fields, "start");
  f->output_map = hn_field(fields, "outputs");
  f->wishes.input_count = count_of(f, inputs, "inputs");
  f->wishes.output_count = count_of(f, f->output_map, "outputs");
  f->wishes.setting_count = count_of(f, start, "start");
  f->inputs = hn_loader_take(f->loader, (size_t)f->wishes.input_count + 1, sizeof *f->inputs);
  f->sources = hn_loader_take(f->loader, (size_t)f->wishes.input_count + 1, sizeof *f->sources);
  f->outputs = hn_loader_take(f->loader, (size_t)f->wishes.output_count + 1, sizeof *f->outputs);
  f->settings = hn_loader_take(f->loader, (size_t)f->wishes.setting_count + 1, sizeof *f->settings);
  if (!hn_loader_ok(f->loader)) return 0;
  add_inputs(f, inputs);
  read_outputs(f, f->output_map);
  read_settings(f, start);
  f->wishes.inputs = f->inputs;
  f->wishes.outputs = f->outputs;
  f->wishes.settings = f->settings;
  return hn_loader_ok(f->loader);
}

static int read_fmu(fmu_entry *f, const hn_node *map) {
  static const int kinds[] = {0, HN_FMU_MODEL_EXCHANGE, HN_FMU_CO_SIMULATION};
  hn_fields fields;
  if (!hn_fields_open(f->context, map, hn_section_find("fmu", NULL), &fields)) return 0;
  f->wishes.kind = kinds[hn_field_choice(&fields, "kind")];
  f->wishes.tol = hn_field_number(&fields, "tol");
  if (!read_file(f, &fields) || !read_maps(f, &fields)) return 0;
  hn_fields_close(&fields);
  return hn_loader_ok(f->loader);
}

static void add_states(const fmu_entry *f, int id) {
  char name[HN_FULL_NAME_LENGTH], number[64], every[64];
  int k = 0;
  hn_number_text(every, f->wishes.every);
  for (const hn_node *n = f->output_map ? f->output_map->first : NULL; n; n = n->next) {
    hn_text(name, sizeof name, "%s_%s", f->name, n->key);
    hn_node *map = make_entry(f, name);
    if (!map) return;
    add_fmu_text(f, map, "fmu", hn_text(number, sizeof number, "%d %d", id + 1, k++));
    add_fmu_text(f, map, "every", every);
    hn_entry_add(f->context, HN_ENTRY_STATE, map->key, map);
  }
}

static void make_fmu(fmu_entry *f) {
  hn_outside_def def = {.name = f->name,
                        .source = f->place,
                        .type = &hn_fmu_outside,
                        .input_count = f->wishes.input_count,
                        .output_count = f->wishes.output_count,
                        .inputs = f->sources};
  hn_error error = {0};
  int id = 0;
  hn_status status = hn_fmu_plan_create(&f->wishes, &def.plan, &def.digest, &error);
  if (status != HN_OK) {
    char text[1900];
    hn_error_format(&error, text, sizeof text);
    text[strcspn(text, "\n")] = '\0';
    hn_loader_fail(f->loader, status, &f->place, error.hint, "cannot be used: %s", text);
    return;
  }
  hn_loader_added(f->loader, hn_model_add_outside(f->loader->model, &def, &id));
  if (hn_loader_ok(f->loader)) add_states(f, id);
}

void hn_register_fmu(const hn_context *context, const char *name, const hn_node *node) {
  hn_loader *loader = context->loader;
  hn_element_name old = hn_loader_begin(loader, "FMU", name);
  fmu_entry f = {context, loader, name, node, hn_node_key_source(node), {0}, NULL,
                 NULL,    NULL,   NULL, NULL};
  hn_fields fields;
  if (hn_fields_open(context, node, hn_section_find("state", NULL), &fields)) {
    const hn_node *map = hn_field(&fields, "fmu");
    f.wishes.name = name;
    f.wishes.every = hn_field_number(&fields, "every");
    hn_fields_close(&fields);
    if (hn_loader_ok(loader) && !(f.wishes.every > 0))
      fail_fmu(&f, HN_ERROR_MODEL, "Give `every:`, for instance 1 ms.",
               "has no time between two samples");
    if (hn_loader_ok(loader) && check_allowed(&f) && read_fmu(&f, map)) make_fmu(&f);
  }
  hn_loader_set_element(loader, &old);
}
