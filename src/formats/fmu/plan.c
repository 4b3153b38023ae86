// An FMU as a program that gives sampled states: see plan.h. It goes from sample to sample; its inputs
// hold in between.
#include "formats/fmu/plan.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"

typedef struct hn_fmu_plan {
  hn_fmu_use use;
  double tol, every;
  hn_fmu_group *inputs, *outputs;
  int input_count, output_count, setting_count;
  const char **settings;
  char digest[HN_SHA256_TEXT];
} hn_fmu_plan;

typedef struct fmu_instance {
  hn_fmu_plan *plan;
  hn_fmu_system system; // of one
  int is_open;
  double start;
} fmu_instance;

// ---- the plan -----------------------------------------------------------------------------------

static hn_status find_group(hn_fmu_plan *plan, const char *name, int is_input, hn_fmu_group *group,
                            hn_error *error) {
  const hn_fmu_file *fmu = plan->use.fmu;
  const hn_source place = {fmu->zip.path, 0, 0};
  const int at = hn_fmu_find_name(fmu, name);
  const char *what = "is not a variable of the FMU";
  if (at >= 0) {
    const hn_fmu_entry *e = &fmu->entries[at];
    *group = hn_fmu_group_of(fmu, at);
    if (!hn_fmu_is_number(fmu, at) || e->facts.count != 1 || e->is_clocked)
      what = "is not a single number";
    else if (is_input && e->causality != HN_FMU_INPUT)
      what = "is not an input of the FMU";
    else
      return HN_OK;
  }
  char element[160];
  return hn_fail(error, HN_ERROR_MODEL, &place,
                 hn_text(element, sizeof element, "variable '%.120s'", name),
                 "Use a name that `holon fmu` lists.", "%s", what);
}

static hn_status find_groups(hn_fmu_plan *plan, const char *const *names, int count, int is_input,
                             hn_fmu_group **groups, hn_error *error) {
  hn_status status = HN_OK;
  *groups = HN_TAKE(&plan->use.arena, hn_fmu_group, count);
  if (!*groups) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  for (int k = 0; k < count && status == HN_OK; k++)
    status = find_group(plan, names[k], is_input, &(*groups)[k], error);
  return status;
}

static hn_status copy_settings(hn_fmu_plan *plan, const hn_fmu_wishes *wishes, hn_error *error) {
  hn_arena *arena = &plan->use.arena;
  plan->setting_count = wishes->setting_count;
  plan->settings = HN_TAKE(arena, const char *, wishes->setting_count);
  for (int k = 0; plan->settings && k < wishes->setting_count; k++)
    plan->settings[k] = hn_arena_copy_string(arena, wishes->settings[k]);
  if (!arena->failed) return HN_OK;
  return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
}

static void release_plan(void *made) {
  hn_fmu_plan *plan = made;
  if (plan->use.fmu) hn_fmu_use_close(&plan->use);
  hn_release(NULL, plan);
}

static hn_status fill_plan(hn_fmu_plan *plan, const hn_fmu_wishes *wishes, hn_error *error) {
  hn_status status =
      hn_fmu_use_open(&plan->use, wishes->path, wishes->kind, NULL, wishes->name, error);
  if (status != HN_OK) return status;
  hn_sha256(plan->use.fmu->zip.data, plan->use.fmu->zip.size, plan->digest);
  plan->tol = wishes->tol;
  plan->every = wishes->every;
  plan->input_count = wishes->input_count;
  plan->output_count = wishes->output_count;
  status = find_groups(plan, wishes->inputs, wishes->input_count, 1, &plan->inputs, error);
  if (status == HN_OK)
    status = find_groups(plan, wishes->outputs, wishes->output_count, 0, &plan->outputs, error);
  return status == HN_OK ? copy_settings(plan, wishes, error) : status;
}

hn_status hn_fmu_plan_create(const hn_fmu_wishes *wishes, void **made, const char **digest,
                             hn_error *error) {
  hn_fmu_plan *plan = hn_allocate(NULL, sizeof *plan);
  *made = NULL;
  if (!plan) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  *plan = (hn_fmu_plan){.tol = 0};
  const hn_status status = fill_plan(plan, wishes, error);
  *digest = plan->digest;
  if (status == HN_OK)
    *made = plan;
  else
    release_plan(plan);
  return status;
}

// ---- an instance --------------------------------------------------------------------------------

static hn_status create_instance(const void *plan, void **made, hn_error *error) {
  fmu_instance *instance = hn_allocate(NULL, sizeof *instance);
  *made = instance;
  if (!instance)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for an FMU");
  *instance = (fmu_instance){.plan = (hn_fmu_plan *)(size_t)plan};
  return HN_OK;
}

static void free_instance(void *made) {
  fmu_instance *instance = made;
  hn_fmu_system_close(&instance->system);
  hn_release(NULL, instance);
}

// At time t: from the beginning.
static hn_status start_instance(fmu_instance *instance, double t, const double *inputs,
                                hn_error *error) {
  hn_fmu_plan *plan = instance->plan;
  hn_fmu_system *system = &instance->system;
  const hn_fmu_setup *setup = &plan->use.setup;
  hn_fmu_system_close(system);
  instance->is_open = 0;
  hn_status status = hn_fmu_system_open(system, &setup, 1, error);
  if (status != HN_OK) return status;
  hn_fmu_unit *unit = &system->units[0];
  unit->link.time = t;
  for (int k = 0; k < plan->setting_count && status == HN_OK; k++)
    status = hn_fmu_give_start(plan->use.fmu, unit, plan->settings[k], error);
  if (status == HN_OK)
    status = hn_fmu_unit_set(unit, plan->inputs, plan->input_count, inputs, error);
  if (status == HN_OK) status = hn_fmu_system_prepare(system, t, HUGE_VAL, plan->tol, error);
  if (status == HN_OK) status = hn_fmu_system_start(system, error);
  instance->is_open = status == HN_OK;
  instance->start = t;
  return status;
}

static hn_status fail_instance(const fmu_instance *instance, const char *hint, const char *what,
                               hn_error *error) {
  char name[160];
  return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL,
                 hn_text(name, sizeof name, "FMU '%.120s'", instance->plan->use.setup.name), hint,
                 "%s at t = %.9g s", what, instance->system.time);
}

static hn_status advance_instance(fmu_instance *instance, double t, const double *inputs,
                                  hn_error *error) {
  hn_fmu_plan *plan = instance->plan;
  hn_fmu_system *system = &instance->system;
  if (t < system->time || t > system->time + 1.5 * plan->every)
    return fail_instance(instance, "Run it from the start: its state is not saved.",
                         "cannot go to another time than that of its next sample; it is", error);
  hn_status status = hn_fmu_system_step(system, t, error);
  if (status == HN_OK && system->is_ended)
    return fail_instance(instance, "Give the run a shorter time.", "asks to end the run", error);
  if (status == HN_OK)
    status = hn_fmu_system_change(system, 0, plan->inputs, plan->input_count, inputs, error);
  return status;
}

static hn_status sample_instance(void *made, double t, const double *inputs, double *outputs,
                                 hn_error *error) {
  fmu_instance *instance = made;
  hn_fmu_plan *plan = instance->plan;
  hn_status status = HN_OK;
  if (!instance->is_open || t <= instance->start)
    status = start_instance(instance, t, inputs, error);
  else
    status = advance_instance(instance, t, inputs, error);
  if (status == HN_OK)
    status = hn_fmu_unit_get(&instance->system.units[0], plan->outputs, plan->output_count, outputs,
                             error);
  return status;
}

const hn_outside_type hn_fmu_outside = {create_instance, free_instance, sample_instance,
                                        release_plan};
