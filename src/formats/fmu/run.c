// Runs FMUs from communication point to communication point: one alone, or several that are connected.
// Variables of several have the name of their FMU in front: "trailer.force".
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/fmu/use.h"

// One of the FMUs.
typedef struct run_part {
  hn_fmu_use use;
  char *name;   // "trailer"; null: it is alone
  char *prefix; // "trailer."; empty: it is alone
  hn_fmu_group *groups;
  int group_count, first; // ... of its values
} run_part;

struct hn_fmu_run {
  hn_arena arena;
  run_part *parts;
  int part_count;
  hn_fmu_system system;
  double start, stop, step, tolerance;
  long count; // of steps taken
  int column_count;
  const char **columns;
  double *values;
};

hn_fmu_run_options hn_default_fmu_run_options(void) {
  return (hn_fmu_run_options){
      .size = sizeof(hn_fmu_run_options), .start = NAN, .stop = NAN, .step = NAN, .tolerance = NAN};
}

static hn_status no_memory(hn_error *error) {
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
}

// ---- the FMUs -----------------------------------------------------------------------------------

static hn_status fail_option(const char *what, const char *text, const char *hint,
                             const char *problem, hn_error *error) {
  char element[300];
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL,
                 hn_text(element, sizeof element, "%s '%.200s'", what, text), hint, "%s", problem);
}

static char *name_of_file(hn_arena *arena, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char *stem = hn_arena_copy_string(arena, name), *dot = stem ? strrchr(stem, '.') : NULL;
  if (dot) *dot = '\0';
  return stem;
}

static hn_status open_part(hn_fmu_run *run, int k, const char *path,
                           const hn_fmu_run_options *options, hn_error *error) {
  run_part *part = &run->parts[k];
  const char *slash = strrchr(path, '/');
  hn_status status = hn_fmu_use_open(&part->use, path, options->kind, options->host,
                                     slash ? slash + 1 : path, error);
  if (status != HN_OK) return status;
  run->part_count++;
  if (options->time_limit > 0) part->use.setup.time_limit = options->time_limit;
  part->name = name_of_file(&run->arena, path);
  const size_t room = part->name ? strlen(part->name) + 2 : 0;
  part->prefix = part->name ? HN_TAKE(&run->arena, char, room) : NULL;
  if (!part->prefix) return no_memory(error);
  if (options->other_count == 0) return HN_OK;
  hn_text(part->prefix, room, "%s.", part->name);
  for (int i = 0; i < k; i++)
    if (strcmp(run->parts[i].name, part->name) == 0)
      return fail_option("FMU", path, "Rename a file.", "has the name of another one", error);
  if (part->use.setup.is_exchange == run->parts[0].use.setup.is_exchange) return HN_OK;
  return fail_option("FMU", path, "Choose @kind for all.", "is not of the kind of the first one",
                     error);
}

static hn_status open_parts(hn_fmu_run *run, const char *path, const hn_fmu_run_options *options,
                            hn_error *error) {
  run->parts = HN_TAKE(&run->arena, run_part, options->other_count + 1);
  if (!run->parts) return no_memory(error);
  hn_status status = open_part(run, 0, path, options, error);
  for (int k = 0; k < options->other_count && status == HN_OK; k++)
    status = open_part(run, k + 1, options->others[k], options, error);
  return status;
}

// The FMU that a name is of, and the rest of the name; -1: none.
static int part_of(const hn_fmu_run *run, const char *name, const char **rest) {
  for (int k = 0; k < run->part_count; k++) {
    const size_t length = strlen(run->parts[k].prefix);
    if (strncmp(name, run->parts[k].prefix, length) != 0) continue;
    *rest = name + length;
    return k;
  }
  return -1;
}

// ---- columns ------------------------------------------------------------------------------------

static int is_column(const hn_fmu_file *fmu, int all, int variable) {
  const hn_fmu_entry *e = &fmu->entries[variable];
  if (!hn_fmu_is_number(fmu, variable) || e->is_clocked || e->facts.count == 0) return 0;
  return e->causality == HN_FMU_OUTPUT || (all && e->causality != HN_FMU_INDEPENDENT);
}

static long count_columns(run_part *part, int all) {
  const hn_fmu_file *fmu = part->use.fmu;
  long columns = 0;
  for (int k = 0; k < fmu->facts.variable_count; k++) {
    if (!is_column(fmu, all, k)) continue;
    part->group_count++;
    columns += fmu->entries[k].facts.count;
  }
  return columns;
}

static hn_status name_columns(hn_fmu_run *run, run_part *part, int all) {
  const hn_fmu_file *fmu = part->use.fmu;
  part->groups = HN_TAKE(&run->arena, hn_fmu_group, part->group_count);
  part->group_count = 0;
  part->first = run->column_count;
  for (int k = 0; k < fmu->facts.variable_count && !run->arena.failed; k++) {
    if (!is_column(fmu, all, k)) continue;
    const hn_fmu_variable *v = &fmu->entries[k].facts;
    part->groups[part->group_count++] = hn_fmu_group_of(fmu, k);
    for (long i = 0; i < v->count; i++) {
      char name[900];
      hn_text(name, sizeof name, v->count == 1 ? "%.300s%.500s" : "%.300s%.500s[%ld]", part->prefix,
              v->name, i + 1);
      run->columns[run->column_count++] = hn_arena_copy_string(&run->arena, name);
    }
  }
  return run->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status list_columns(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  long columns = 0;
  for (int k = 0; k < run->part_count; k++) columns += count_columns(&run->parts[k], options->all);
  run->columns = HN_TAKE(&run->arena, const char *, columns);
  run->values = hn_arena_take(&run->arena, (size_t)columns, sizeof(double));
  hn_status status = run->arena.failed ? HN_ERROR_MEMORY : HN_OK;
  for (int k = 0; k < run->part_count && status == HN_OK; k++)
    status = name_columns(run, &run->parts[k], options->all);
  return status == HN_OK ? HN_OK : no_memory(error);
}

static hn_status read_values(hn_fmu_run *run, hn_error *error) {
  hn_status status = HN_OK;
  for (int k = 0; k < run->part_count && status == HN_OK; k++) {
    const run_part *part = &run->parts[k];
    status = hn_fmu_unit_get(&run->system.units[k], part->groups, part->group_count,
                             run->values + part->first, error);
  }
  return status;
}

// ---- connections --------------------------------------------------------------------------------

static hn_status find_end(const hn_fmu_run *run, const char *text, const char *name, int is_input,
                          int *unit, hn_fmu_group *group, hn_error *error) {
  const char *rest = name;
  *unit = part_of(run, name, &rest);
  const hn_fmu_file *fmu = *unit >= 0 ? run->parts[*unit].use.fmu : NULL;
  const int at = fmu ? hn_fmu_find_name(fmu, rest) : -1;
  const char *hint = "Write FMU.OUTPUT=FMU.INPUT, with names of files without their ending.";
  if (at < 0)
    return fail_option("connection", text, hint,
                       is_input ? "has no such input" : "has no such output", error);
  *group = hn_fmu_group_of(fmu, at);
  const hn_fmu_entry *e = &fmu->entries[at];
  if (group->count != 1 || !hn_fmu_is_number(fmu, at) || e->is_clocked)
    return fail_option("connection", text, hint, "has an end that is not a single number", error);
  if (is_input ? e->causality != HN_FMU_INPUT : e->causality == HN_FMU_INDEPENDENT)
    return fail_option("connection", text, hint,
                       is_input ? "ends at what is no input" : "starts at time", error);
  return HN_OK;
}

static hn_status read_connection(hn_fmu_run *run, const char *text, hn_fmu_connection *connection,
                                 hn_error *error) {
  const char *equals = strchr(text, '=');
  char from[900];
  hn_text(from, sizeof from, "%.*s", equals ? (int)(equals - text) : 0, text);
  hn_status status = find_end(run, text, from, 0, &connection->from_unit, &connection->from, error);
  return status == HN_OK
             ? find_end(run, text, equals + 1, 1, &connection->to_unit, &connection->to, error)
             : status;
}

static hn_status connect_parts(hn_fmu_run *run, const hn_fmu_run_options *options,
                               hn_error *error) {
  const int count = options->connection_count;
  hn_fmu_connection *list = HN_TAKE(&run->arena, hn_fmu_connection, count);
  if (!list) return no_memory(error);
  for (int k = 0; k < count; k++) {
    hn_status status = read_connection(run, options->connections[k], &list[k], error);
    if (status != HN_OK) return status;
    for (int i = 0; i < k; i++)
      if (list[i].to_unit == list[k].to_unit && list[i].to.reference == list[k].to.reference)
        return fail_option("connection", options->connections[k], "Connect each input once.",
                           "ends at an input that is connected already", error);
  }
  return hn_fmu_system_connect(&run->system, list, count, error);
}

// ---- times --------------------------------------------------------------------------------------

static double choose_value(double given, double of_file, double usual) {
  return isfinite(given) ? given : isfinite(of_file) ? of_file : usual;
}

static hn_status choose_times(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  const hn_fmu_file *first = run->parts[0].use.fmu;
  const hn_fmu_facts *f = &first->facts;
  const hn_source place = {first->zip.path, 0, 0};
  run->start = choose_value(options->start, f->start, 0);
  run->stop = choose_value(options->stop, f->stop, run->start + 1);
  run->step = choose_value(options->step, f->step, (run->stop - run->start) / 500);
  run->tolerance = choose_value(options->tolerance, f->tolerance, 0);
  if (run->stop > run->start && run->step > 0 && (run->stop - run->start) / run->step < 1e9)
    return HN_OK;
  return hn_fail(error, HN_ERROR_ARGUMENT, &place, NULL, "Give a later stop time, a larger step.",
                 "cannot run from %g s to %g s in steps of %g s", run->start, run->stop, run->step);
}

// ---- the run ------------------------------------------------------------------------------------

static hn_status give_setting(hn_fmu_run *run, const char *setting, hn_error *error) {
  const char *rest = setting;
  const int k = part_of(run, setting, &rest);
  if (k < 0)
    return fail_option("start value", setting, "Write FMU.NAME=VALUE.", "is of none of the FMUs",
                       error);
  return hn_fmu_give_start(run->parts[k].use.fmu, &run->system.units[k], rest, error);
}

static hn_status start_parts(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  const hn_fmu_setup **setups = HN_TAKE(&run->arena, const hn_fmu_setup *, run->part_count);
  if (!setups) return no_memory(error);
  for (int k = 0; k < run->part_count; k++) setups[k] = &run->parts[k].use.setup;
  hn_status status = hn_fmu_system_open(&run->system, setups, run->part_count, error);
  if (status == HN_OK) status = connect_parts(run, options, error);
  for (int k = 0; k < options->setting_count && status == HN_OK; k++)
    status = give_setting(run, options->settings[k], error);
  if (status == HN_OK)
    status = hn_fmu_system_prepare(&run->system, run->start, run->stop, run->tolerance, error);
  if (status == HN_OK) status = hn_fmu_system_start(&run->system, error);
  return status == HN_OK ? read_values(run, error) : status;
}

hn_status hn_fmu_run_create(const char *path, const hn_fmu_run_options *options, hn_fmu_run **run,
                            hn_error *error) {
  hn_fmu_run *made = hn_allocate(NULL, sizeof *made);
  *run = NULL;
  if (!made) return no_memory(error);
  *made = (hn_fmu_run){.count = 0};
  hn_arena_init(&made->arena, NULL);
  hn_status status = open_parts(made, path, options, error);
  if (status == HN_OK) status = choose_times(made, options, error);
  if (status == HN_OK) status = list_columns(made, options, error);
  if (status == HN_OK) status = start_parts(made, options, error);
  if (status == HN_OK)
    *run = made;
  else
    hn_fmu_run_free(made);
  return status;
}

void hn_fmu_run_free(hn_fmu_run *run) {
  if (!run) return;
  hn_fmu_system_close(&run->system);
  for (int k = 0; k < run->part_count; k++) hn_fmu_use_close(&run->parts[k].use);
  hn_arena_release(&run->arena);
  hn_release(NULL, run);
}

const char *hn_fmu_run_column(const hn_fmu_run *run, int index) {
  return index >= 0 && index < run->column_count ? run->columns[index] : NULL;
}

double hn_fmu_run_time(const hn_fmu_run *run) { return run->system.time; }
double hn_fmu_run_stop(const hn_fmu_run *run) { return run->stop; }
long hn_fmu_run_steps(const hn_fmu_run *run) { return run->system.motion.steps; }
const double *hn_fmu_run_values(const hn_fmu_run *run) { return run->values; }

hn_status hn_fmu_run_step(hn_fmu_run *run, int *is_done, hn_error *error) {
  const double round = 1e-9 * run->step;
  double next = run->start + (double)(run->count + 1) * run->step;
  if (next > run->stop - round) next = run->stop;
  hn_status status = hn_fmu_system_step(&run->system, next, error);
  if (status == HN_OK) status = read_values(run, error);
  run->count++;
  *is_done = status != HN_OK || run->system.is_ended || run->system.time >= run->stop - round;
  return status;
}
