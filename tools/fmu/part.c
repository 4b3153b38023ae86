// Creating a part, its values, its start. See part.h.
#include "part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "part_private.h"

hn_status part_fail(part *p, hn_status status, const char *element, const char *hint,
                    const char *message) {
  p->error = (hn_error){.status = status};
  snprintf(p->error.element, sizeof p->error.element, "%s", element ? element : "");
  snprintf(p->error.message, sizeof p->error.message, "%s", message);
  snprintf(p->error.hint, sizeof p->error.hint, "%s", hint ? hint : "");
  return status;
}

// ---- holon.txt ----------------------------------------------------------------------------------

static char *read_whole(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  long size = -1;
  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
  if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) text = malloc((size_t)size + 1);
  if (text) text[fread(text, 1, (size_t)size, file)] = '\0';
  fclose(file);
  return text;
}

static char *joined(const char *folder, const char *name) {
  const size_t length = strlen(folder) + strlen(name) + 1;
  char *path = malloc(length);
  if (path) snprintf(path, length, "%s%s", folder, name);
  return path;
}

static int count_lines(const char *text) {
  int count = 1;
  for (const char *c = text; *c; c++) count += *c == '\n';
  return count;
}

// "word value" or, of parameters, "parameter name<tab>unit".
static void take_line(part *p, char *word, char *value) {
  static const char *const roles[] = {"time",  "parameter", "input",      "output",
                                      "local", "state",     "derivative", "indicator"};
  int *const counts[PART_ROLES] = {[PART_PARAMETER] = &p->parameter_count,
                                   [PART_INPUT] = &p->input_count,
                                   [PART_STATE] = &p->state_count,
                                   [PART_INDICATOR] = &p->indicator_count};
  if (strcmp(word, "token") == 0) {
    p->token = value;
  } else if (strcmp(word, "model") == 0) {
    p->model_path = value;
  } else if (strcmp(word, "set") == 0) {
    p->settings[p->setting_count++] = value;
  }
  for (int k = 0; k < PART_ROLES; k++) {
    if (strcmp(word, roles[k]) != 0) continue;
    char *tab = strchr(value, '\t');
    if (tab) *tab = '\0';
    p->variables[p->variable_count++] =
        (part_variable){.role = (part_role)k,
                        .name = value,
                        .unit = tab ? tab + 1 : value + strlen(value),
                        .index = -1};
    part_variable *v = &p->variables[p->variable_count - 1];
    if (k == PART_STATE || k == PART_INDICATOR) v->index = *counts[k];
    if (k == PART_RATE) v->index = p->rates++;
    if (counts[k]) ++*counts[k];
  }
}

static int read_resources(part *p) {
  char *path = joined(p->folder, "holon.txt");
  p->text = path ? read_whole(path) : NULL;
  free(path);
  if (!p->text) return 0;
  const size_t lines = (size_t)count_lines(p->text);
  p->variables = calloc(lines, sizeof *p->variables);
  p->settings = calloc(lines, sizeof *p->settings);
  p->numbers = calloc(lines, sizeof *p->numbers);
  if (!p->variables || !p->settings || !p->numbers) return 0;
  for (char *line = p->text, *next; *line; line = next) {
    const size_t length = strcspn(line, "\n");
    next = line + length + (line[length] == '\n');
    line[length] = '\0';
    char *blank = strchr(line, ' ');
    if (!blank) continue;
    *blank = '\0';
    take_line(p, line, blank + 1);
  }
  const size_t room = 2 * (size_t)p->state_count + (size_t)p->indicator_count;
  p->room = calloc(room + 1, sizeof *p->room);
  p->saved = calloc(hn_exchange_save_size(p->state_count), sizeof *p->saved);
  return p->room && p->saved && p->token && p->model_path;
}

void part_drop_simulation(part *p) {
  hn_simulation_free(p->shown);
  hn_simulation_free(p->simulation);
  p->shown = p->simulation = NULL;
  p->exchange = NULL;
}

// ---- creating -----------------------------------------------------------------------------------

static void set_defaults(part *p) {
  hn_parameter_number number;
  for (int k = 0; k < p->variable_count; k++) {
    part_variable *v = &p->variables[k];
    v->rate = 0;
    for (int i = 0; v->role == PART_PARAMETER && hn_model_files_parameter(p->files, i, &number);
         i++)
      if (strcmp(number.name, v->name) == 0) v->value = number.value;
    if (v->role == PART_INPUT) v->value = hn_model_input(p->model, v->index)->value;
  }
}

static hn_status build_model(part *p) {
  int count = 0;
  for (int k = 0; k < p->variable_count; k++)
    if (p->variables[k].role == PART_PARAMETER)
      p->numbers[count++] =
          (hn_parameter_setting){p->variables[k].name, p->variables[k].value, p->variables[k].unit};
  part_drop_simulation(p);
  hn_model_free(p->model);
  p->model = NULL;
  p->kept_size = 0;
  hn_status status =
      hn_model_files_build(p->files, p->numbers, p->is_stale ? count : 0, &p->model, &p->error);
  for (int k = 0; status == HN_OK && k < p->variable_count; k++) {
    part_variable *v = &p->variables[k];
    if (v->role == PART_INPUT) v->index = hn_model_find_input(p->model, v->name);
    if (v->role == PART_INPUT && v->index < 0)
      return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Export the model again.",
                       "is no input of the model with these parameters");
  }
  return status;
}

static hn_status load_part(part *p, const char *token) {
  if (!read_resources(p))
    return part_fail(p, HN_ERROR_FILE, p->folder,
                     "Unpack the whole FMU, and give the path of its folder `resources`.",
                     "the resources of the FMU are not in this folder");
  if (!token || strcmp(token, p->token) != 0)
    return part_fail(p, HN_ERROR_ARGUMENT, NULL,
                     "Use the binary and the modelDescription.xml of one FMU.",
                     "the instantiation token is not that of the FMU");
  p->load = hn_default_load_options();
  p->load.settings = p->settings;
  p->load.setting_count = p->setting_count;
  char *path = joined(p->folder, p->model_path);
  if (!path) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory");
  hn_status status = hn_model_files_read(path, NULL, 0, &p->load, &p->files, &p->error);
  free(path);
  if (status == HN_OK) status = build_model(p);
  if (status == HN_OK) set_defaults(p);
  return status;
}

part *part_create(const char *folder, const char *token, int is_exchange, hn_error *error) {
  part *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->is_exchange = is_exchange;
  const size_t length = folder ? strlen(folder) : 0;
  const int has_end = length > 0 && (folder[length - 1] == '/' || folder[length - 1] == '\\');
  p->folder = joined(folder ? folder : "", has_end ? "" : "/");
  p->stop = HUGE_VAL;
  hn_status status = p->folder ? load_part(p, token) : HN_ERROR_MEMORY;
  if (status == HN_OK) return p;
  *error = p->error;
  part_free(p);
  return NULL;
}

void part_free(part *p) {
  if (!p) return;
  part_drop_simulation(p);
  hn_model_free(p->model);
  hn_model_files_free(p->files);
  free(p->room);
  free(p->saved);
  free(p->kept);
  free(p->numbers);
  free(p->settings);
  free(p->variables);
  free(p->text);
  free(p->folder);
  free(p);
}

void part_reset(part *p) {
  part_drop_simulation(p);
  p->stage = PART_CREATED;
  p->stop = HUGE_VAL;
  p->start = p->now = p->tolerance = 0;
  p->quiet = p->is_terminated = 0;
  p->kept_size = 0;
  p->is_stale = p->parameter_count > 0;
  set_defaults(p);
}

// ---- the start ----------------------------------------------------------------------------------

hn_status part_give_inputs(part *p) {
  hn_status status = HN_OK;
  for (int k = 0; k < p->variable_count && status == HN_OK; k++) {
    const part_variable *v = &p->variables[k];
    if (v->role != PART_INPUT) continue;
    status = v->rate != 0
                 ? hn_simulation_set_input_motion(p->simulation, v->index, v->value, v->rate, 0)
                 : hn_simulation_set_input(p->simulation, v->index, v->value);
  }
  if (status == HN_OK) status = hn_simulation_take_inputs(p->simulation);
  if (status != HN_OK) p->error = *hn_simulation_error(p->simulation);
  p->is_changed = 0;
  return status;
}

// Inputs are given only where one has another value than in the model: a run without them is the
// same.
static int has_own_inputs(const part *p) {
  for (int k = 0; k < p->variable_count; k++) {
    const part_variable *v = &p->variables[k];
    if (v->role == PART_INPUT &&
        (v->rate != 0 || v->value != hn_model_input(p->model, v->index)->value))
      return 1;
  }
  return 0;
}

static hn_status go_to_start(part *p) {
  if (p->start == 0) return HN_OK;
  hn_status status =
      hn_simulation_set_state(p->simulation, p->start, hn_simulation_positions(p->simulation),
                              hn_simulation_velocities(p->simulation));
  if (status != HN_OK) p->error = *hn_simulation_error(p->simulation);
  return status;
}

// A simulation with the present parameters and inputs, at its start.
hn_status part_ready(part *p) {
  hn_status status = HN_OK;
  if (p->simulation && !p->is_stale) return p->is_changed ? part_give_inputs(p) : HN_OK;
  if (p->is_stale) status = build_model(p);
  if (status != HN_OK) return status;
  hn_simulation_options options = hn_default_simulation_options();
  if (p->tolerance > 0) options.tol = p->tolerance;
  if (p->is_exchange) hn_exchange_options(p->model, &options);
  status = hn_simulation_create(p->model, &options, &p->simulation, &p->error);
  if (status == HN_OK) status = go_to_start(p);
  for (int k = 0; status == HN_OK && k < p->variable_count; k++) {
    part_variable *v = &p->variables[k];
    if (v->role != PART_OUTPUT && v->role != PART_LOCAL) continue;
    v->index = hn_simulation_find_signal(p->simulation, v->name);
    if (v->index < 0)
      status = part_fail(p, HN_ERROR_ARGUMENT, v->name, "Export the model again.",
                         "is no signal of the model with these parameters");
  }
  p->is_stale = 0;
  p->is_changed = 0;
  if (status == HN_OK && has_own_inputs(p)) status = part_give_inputs(p);
  if (status == HN_OK && p->is_exchange) status = part_make_exchange(p, p->simulation);
  if (status != HN_OK) part_drop_simulation(p);
  return status;
}

hn_status part_initialize(part *p, double start, double stop, double tolerance) {
  p->start = p->now = start;
  p->stop = stop;
  p->tolerance = tolerance;
  p->stage = PART_INITIALIZING;
  part_drop_simulation(p);
  return HN_OK;
}

enum { FEW = 2 }; // steps without a change after which steps may pass communication points

hn_status part_started(part *p) {
  hn_status status = part_ready(p);
  p->stage = status != HN_OK ? PART_FAILED : p->is_exchange ? PART_EVENT : PART_RUNNING;
  p->quiet = FEW;
  return status;
}

// ---- values -------------------------------------------------------------------------------------

static part_variable *find(part *p, uint32_t reference) {
  if (reference < (uint32_t)p->variable_count) return &p->variables[reference];
  char text[64];
  snprintf(text, sizeof text, "value reference %lu", (unsigned long)reference);
  part_fail(p, HN_ERROR_ARGUMENT, text, "Use those of modelDescription.xml.",
            "there is no such variable");
  return NULL;
}

hn_status part_get(part *p, const uint32_t *references, size_t count, double *values) {
  int is_ready = 0;
  for (size_t k = 0; k < count; k++) {
    const part_variable *v = find(p, references[k]);
    if (!v) return HN_ERROR_ARGUMENT;
    if (v->role == PART_TIME) {
      values[k] = p->is_exchange && p->exchange ? hn_exchange_time(p->exchange) : p->now;
    } else if (v->role < PART_OUTPUT) {
      values[k] = v->value;
    } else {
      if (p->stage == PART_CREATED || (p->stage == PART_FAILED && !p->simulation))
        return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Enter initialization mode first.",
                         "has no value before the initialization");
      hn_status status = is_ready ? HN_OK : part_settle(p);
      if (status != HN_OK) return status;
      is_ready = 1;
      if (v->role > PART_LOCAL)
        status = part_exchange_value(p, v, &values[k]);
      else
        values[k] = hn_simulation_signal(p->simulation, v->index);
      if (status != HN_OK) return status;
    }
  }
  return HN_OK;
}

hn_status part_set(part *p, const uint32_t *references, size_t count, const double *values) {
  for (size_t k = 0; k < count; k++) {
    part_variable *v = find(p, references[k]);
    if (!v) return HN_ERROR_ARGUMENT;
    if (!isfinite(values[k]))
      return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Set a finite number.",
                       "is set to a value that is not finite");
    if (v->role == PART_PARAMETER) {
      if (p->stage != PART_CREATED && p->stage != PART_INITIALIZING)
        return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Set it before the start.",
                         "is a fixed parameter, and the run has started");
      if (v->value != values[k]) p->is_stale = 1;
      v->value = values[k];
    } else if (v->role == PART_INPUT) {
      if (v->value != values[k] || v->rate != 0) p->is_changed = 1;
      v->value = values[k];
      v->rate = 0;
    } else {
      return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Set inputs and parameters.",
                       "cannot be set: the model computes it");
    }
  }
  return HN_OK;
}

hn_status part_set_rate(part *p, uint32_t reference, double rate) {
  part_variable *v = find(p, reference);
  if (!v) return HN_ERROR_ARGUMENT;
  if (v->role != PART_INPUT || !isfinite(rate))
    return part_fail(p, HN_ERROR_ARGUMENT, v->name, "Give rates of inputs, finite numbers.",
                     "is not an input, or the rate is not finite");
  if (v->rate != rate) p->is_changed = 1;
  v->rate = rate;
  return HN_OK;
}
