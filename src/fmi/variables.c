// The variables of an FMU: time, parameters, inputs, outputs and other signals of the model, with
// names that are unique, and the units they use.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "fmi/fmu.h"

#define MOST_LOCALS 2000 // signals beyond the outputs

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the FMU");
}

// ---- names --------------------------------------------------------------------------------------

static int is_taken(const hn_fmu *fmu, const char *title) {
  for (int k = 0; k < fmu->variable_count; k++)
    if (fmu->variables[k].title && strcmp(fmu->variables[k].title, title) == 0) return 1;
  return 0;
}

// Outputs keep their names. What has the name of another one gets the word of its role in front.
static int give_titles(hn_fmu *fmu) {
  static const hn_fmu_role order[] = {HN_FMU_ROLE_TIME,      HN_FMU_ROLE_OUTPUT, HN_FMU_ROLE_INPUT,
                                      HN_FMU_ROLE_PARAMETER, HN_FMU_ROLE_STATE,  HN_FMU_ROLE_RATE,
                                      HN_FMU_ROLE_INDICATOR, HN_FMU_ROLE_LOCAL};
  static const char *const words[] = {"time",   "parameter", "input",      "output",
                                      "signal", "state",     "derivative", "indicator"};
  for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
    for (int k = 0; k < fmu->variable_count; k++) {
      hn_fmu_exported *v = &fmu->variables[k];
      if (v->role != order[i]) continue;
      const size_t room = strlen(v->name) + 16;
      const int is_known = is_taken(fmu, v->name);
      char *title = is_known ? HN_TAKE(&fmu->arena, char, room) : NULL;
      if (is_known && !title) return 0;
      v->title = is_known ? hn_text(title, room, "%s.%s", words[v->role], v->name) : v->name;
    }
  return 1;
}

// ---- units --------------------------------------------------------------------------------------

static int is_whole(double x) { return !(x < floor(x)) && !(x > floor(x)); }

static void note_unit(hn_fmu *fmu, const char *name) {
  if (*name == '\0') return;
  for (int k = 0; k < fmu->unit_count; k++)
    if (strcmp(fmu->units[k].name, name) == 0) return;
  hn_fmu_exported_unit *u = &fmu->units[fmu->unit_count++];
  const char *problem = NULL;
  *u = (hn_fmu_exported_unit){.name = name, .factor = 1};
  const size_t length = strlen(name);
  const size_t read = hn_unit_read(name, length, NULL, NULL, &u->factor, &u->dimension, &problem);
  const hn_dimension *d = &u->dimension;
  u->has_base = read == length && !problem && is_whole(d->length) && is_whole(d->mass) &&
                is_whole(d->time) && is_whole(d->angle);
}

// ---- the list -----------------------------------------------------------------------------------

static void add(hn_fmu *fmu, hn_fmu_role role, const char *name, const char *unit, double start) {
  fmu->variables[fmu->variable_count++] =
      (hn_fmu_exported){role, name, NULL, unit ? unit : "", start, -1};
  note_unit(fmu, unit ? unit : "");
}

static int is_wanted(const hn_fmu_options *o, const char *name) {
  for (int k = 0; k < o->signal_count; k++)
    if (hn_glob_match(o->signals[k], name)) return 1;
  return 0;
}

static void add_signal_variables(hn_fmu *fmu, hn_fmu_role role, int outputs, int count) {
  int locals = 0;
  for (int k = 0; k < count; k++) {
    const char *name = hn_simulation_signal_name(fmu->simulation, k);
    const int is_output = k < outputs || is_wanted(fmu->options, name);
    if (is_output != (role == HN_FMU_ROLE_OUTPUT) || strcmp(name, "time") == 0) continue;
    if (role == HN_FMU_ROLE_LOCAL && locals++ >= MOST_LOCALS) return;
    add(fmu, role, name, hn_simulation_signal_unit(fmu->simulation, k), 0);
  }
}

// States, their derivatives in the same order, event indicators.
static hn_status add_states(hn_fmu *fmu, int count, int indicators) {
  char text[HN_EXCHANGE_NAME], rate[HN_EXCHANGE_NAME + 8];
  const int first = fmu->variable_count;
  for (int k = 0; k < count; k++)
    add(fmu, HN_FMU_ROLE_STATE,
        hn_arena_copy_string(&fmu->arena, hn_exchange_name(fmu->exchange, k, text)),
        hn_exchange_unit(fmu->exchange, k), 0);
  for (int k = 0; k < count; k++) {
    hn_text(rate, sizeof rate, "der(%s)", hn_exchange_name(fmu->exchange, k, text));
    add(fmu, HN_FMU_ROLE_RATE, hn_arena_copy_string(&fmu->arena, rate),
        hn_exchange_rate_unit(fmu->exchange, k), 0);
    fmu->variables[fmu->variable_count - 1].of = first + k;
  }
  for (int k = 0; k < indicators; k++) {
    hn_text(text, sizeof text, "event.%d", k + 1);
    add(fmu, HN_FMU_ROLE_INDICATOR, hn_arena_copy_string(&fmu->arena, text), NULL, 0);
  }
  return fmu->arena.failed ? no_memory(NULL) : HN_OK;
}

// Globs that name nothing are errors.
static hn_status check_globs(const hn_fmu *fmu, int count, hn_error *error) {
  for (int k = 0; k < fmu->options->signal_count; k++) {
    const char *glob = fmu->options->signals[k];
    int has = 0;
    for (int i = 0; i < count && !has; i++)
      has = hn_glob_match(glob, hn_simulation_signal_name(fmu->simulation, i));
    if (!has)
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Use names of recorded signals.",
                     "the model has no signal '%.80s'", glob);
  }
  return HN_OK;
}

hn_status hn_fmu_find_variables(hn_fmu *fmu, hn_error *error) {
  const int count = hn_simulation_signal_count(fmu->simulation);
  const int outputs = hn_model_output_count(fmu->model);
  const int inputs = hn_model_input_count(fmu->model);
  hn_parameter_number number;
  int parameters = 0;
  while (hn_model_files_parameter(fmu->files, parameters, &number)) parameters++;
  const int states = fmu->exchange ? hn_exchange_count(fmu->exchange) : 0;
  const int indicators = fmu->exchange ? hn_exchange_indicator_count(fmu->exchange) : 0;
  const size_t room = (size_t)(1 + parameters + inputs + count + 2 * states + indicators);
  fmu->variables = HN_TAKE(&fmu->arena, hn_fmu_exported, room);
  fmu->units = HN_TAKE(&fmu->arena, hn_fmu_exported_unit, room);
  if (!fmu->variables || !fmu->units) return no_memory(error);
  add(fmu, HN_FMU_ROLE_TIME, "time", "s", 0);
  for (int k = 0; hn_model_files_parameter(fmu->files, k, &number); k++)
    add(fmu, HN_FMU_ROLE_PARAMETER, number.name, number.unit, number.value);
  for (int k = 0; k < inputs; k++) {
    const hn_input_def *def = hn_model_input(fmu->model, k);
    add(fmu, HN_FMU_ROLE_INPUT, def->name, def->unit, def->value);
  }
  add_signal_variables(fmu, HN_FMU_ROLE_OUTPUT, outputs, count);
  add_signal_variables(fmu, HN_FMU_ROLE_LOCAL, outputs, count);
  if (add_states(fmu, states, indicators) != HN_OK) return no_memory(error);
  return give_titles(fmu) ? check_globs(fmu, count, error) : no_memory(error);
}
