// Runs an FMU alone, from communication point to communication point.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "formats/fmu/use.h"

struct hn_fmu_run {
  hn_fmu_use use;
  hn_fmu_unit unit;
  double start, stop, step, tolerance;
  long count; // of steps taken
  hn_fmu_group *groups;
  int group_count, column_count;
  const char **columns;
  double *values;
};

hn_fmu_run_options hn_default_fmu_run_options(void) {
  return (hn_fmu_run_options){
      .size = sizeof(hn_fmu_run_options), .start = NAN, .stop = NAN, .step = NAN, .tolerance = NAN};
}

// ---- columns ------------------------------------------------------------------------------------

static int is_column(const hn_fmu_run *run, const hn_fmu_run_options *options, int variable) {
  const hn_fmu_entry *e = &run->use.fmu->entries[variable];
  if (!hn_fmu_is_number(run->use.fmu, variable) || e->is_clocked || e->facts.count == 0) return 0;
  return e->causality == HN_FMU_OUTPUT || (options->all && e->causality != HN_FMU_INDEPENDENT);
}

static hn_status list_columns(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  const hn_fmu_file *fmu = run->use.fmu;
  hn_arena *arena = &run->use.arena;
  long columns = 0;
  for (int k = 0; k < fmu->facts.variable_count; k++)
    if (is_column(run, options, k)) {
      run->group_count++;
      columns += fmu->entries[k].facts.count;
    }
  run->groups = HN_TAKE(arena, hn_fmu_group, run->group_count);
  run->columns = HN_TAKE(arena, const char *, columns);
  run->values = hn_arena_take(arena, (size_t)columns, sizeof(double));
  run->group_count = 0;
  for (int k = 0; k < fmu->facts.variable_count && !arena->failed; k++) {
    if (!is_column(run, options, k)) continue;
    const hn_fmu_variable *v = &fmu->entries[k].facts;
    run->groups[run->group_count++] = hn_fmu_group_of(fmu, k);
    for (long i = 0; i < v->count; i++) {
      char name[600];
      hn_text(name, sizeof name, v->count == 1 ? "%.500s" : "%.500s[%ld]", v->name, i + 1);
      run->columns[run->column_count++] = hn_arena_copy_string(arena, name);
    }
  }
  if (!arena->failed) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
}

// ---- times --------------------------------------------------------------------------------------

static double choose_value(double given, double of_file, double usual) {
  return isfinite(given) ? given : isfinite(of_file) ? of_file : usual;
}

static hn_status choose_times(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  const hn_fmu_facts *f = &run->use.fmu->facts;
  const hn_source place = {run->use.fmu->zip.path, 0, 0};
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

static hn_status start_unit(hn_fmu_run *run, const hn_fmu_run_options *options, hn_error *error) {
  if (options->time_limit > 0) run->use.setup.time_limit = options->time_limit;
  hn_status status = hn_fmu_unit_open(&run->unit, &run->use.setup, error);
  for (int k = 0; k < options->setting_count && status == HN_OK; k++)
    status = hn_fmu_give_start(run->use.fmu, &run->unit, options->settings[k], error);
  if (status == HN_OK)
    status = hn_fmu_unit_prepare(&run->unit, run->start, run->stop, run->tolerance, error);
  if (status == HN_OK) status = hn_fmu_unit_start(&run->unit, error);
  if (status == HN_OK)
    status = hn_fmu_unit_get(&run->unit, run->groups, run->group_count, run->values, error);
  return status;
}

hn_status hn_fmu_run_create(const char *path, const hn_fmu_run_options *options, hn_fmu_run **run,
                            hn_error *error) {
  hn_fmu_run *made = hn_allocate(NULL, sizeof *made);
  *run = NULL;
  if (!made) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  *made = (hn_fmu_run){.count = 0};
  const char *slash = strrchr(path, '/');
  hn_status status = hn_fmu_use_open(&made->use, path, options->kind, options->host,
                                     slash ? slash + 1 : path, error);
  if (status == HN_OK) status = choose_times(made, options, error);
  if (status == HN_OK) status = list_columns(made, options, error);
  if (status == HN_OK) status = start_unit(made, options, error);
  if (status == HN_OK)
    *run = made;
  else
    hn_fmu_run_free(made);
  return status;
}

void hn_fmu_run_free(hn_fmu_run *run) {
  if (!run) return;
  hn_fmu_unit_close(&run->unit);
  if (run->use.fmu) hn_fmu_use_close(&run->use);
  hn_release(NULL, run);
}

const char *hn_fmu_run_column(const hn_fmu_run *run, int index) {
  return index >= 0 && index < run->column_count ? run->columns[index] : NULL;
}

double hn_fmu_run_time(const hn_fmu_run *run) { return run->unit.time; }
double hn_fmu_run_stop(const hn_fmu_run *run) { return run->stop; }
long hn_fmu_run_steps(const hn_fmu_run *run) { return run->unit.motion.steps; }
const double *hn_fmu_run_values(const hn_fmu_run *run) { return run->values; }

hn_status hn_fmu_run_step(hn_fmu_run *run, int *is_done, hn_error *error) {
  const double round = 1e-9 * run->step;
  double next = run->start + (double)(run->count + 1) * run->step;
  if (next > run->stop - round) next = run->stop;
  hn_status status = hn_fmu_unit_step(&run->unit, next, error);
  if (status == HN_OK)
    status = hn_fmu_unit_get(&run->unit, run->groups, run->group_count, run->values, error);
  run->count++;
  *is_done = status != HN_OK || run->unit.is_ended || run->unit.time >= run->stop - round;
  return status;
}
