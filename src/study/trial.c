// A trial: one formulation from the start to an end, with chosen signals on an even grid, within a
// limit of CPU time. Out of scope: comparing trials (verify.c).
#include "holon/verify.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "analysis/simulation_functions.h"
#include "base/error.h"
#include "math/vec.h"
#include "study/filtered.h"

double hn_trial_grid_time(const hn_trial_plan *plan, int row) {
  return row >= plan->rows - 1 ? plan->time : plan->time * row / (plan->rows - 1);
}

static hn_status find_signals(hn_simulation *s, const hn_trial_plan *plan, int *indices,
                              hn_error *error) {
  for (int k = 0; k < plan->signal_count; k++) {
    indices[k] = hn_simulation_find_signal(s, plan->signals[k]);
    if (indices[k] < 0)
      return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                     "use a signal from the results of `holon run`", "there is no signal '%s'",
                     plan->signals[k]);
  }
  return HN_OK;
}

// Rows up to the present time. A look that fails ends the trial: its reason is the error's.
static hn_status record(hn_simulation *s, const hn_trial_plan *plan, const int *indices,
                        hn_trial *trial) {
  while (trial->rows < plan->rows) {
    double time = hn_trial_grid_time(plan, trial->rows);
    if (time > hn_simulation_time(s)) return HN_OK;
    hn_status status = hn_simulation_look_at(s, time);
    if (status != HN_OK) return status;
    double *row = trial->values + (size_t)trial->rows * (size_t)trial->signals;
    hn_simulation_signals(s, indices, trial->signals, row);
    trial->rows++;
  }
  return HN_OK;
}

static hn_status check_limits(const hn_simulation *s, const hn_trial_plan *plan, hn_error *error) {
  double t = hn_simulation_time(s);
  if (plan->go_on && !plan->go_on(plan->context, t))
    return hn_fail(error, HN_ERROR_INTERRUPTED, NULL, NULL, NULL, "stopped on request at t = %g s",
                   t);
  if (plan->limit > 0 && s->certificate.cpu_seconds > plan->limit && t < plan->time)
    return hn_fail(error, HN_ERROR_LIMIT, NULL, NULL, "Use a larger @budget or a shorter @time.",
                   "the run was stopped at t = %.4g s, after %.2g s of computing and %ld steps: "
                   "it had %.2g s of the budget",
                   t, s->certificate.cpu_seconds, s->certificate.steps_accepted, plan->limit);
  return HN_OK;
}

// ---- what steps filter --------------------------------------------------------------------------

typedef struct trial_filter {
  hn_arena arena;
  hn_compared compared;
  hn_filtered filtered;
  double *most; // amplitudes of signals (compared.count)
} trial_filter;

static hn_status start_filter(hn_simulation *s, const hn_trial_plan *plan, int *indices,
                              trial_filter *f) {
  const int count = plan->signal_count;
  hn_arena_init(&f->arena, s->options.allocator);
  f->compared = (hn_compared){.count = count, .signal = indices};
  f->compared.same = HN_TAKE(&f->arena, hn_signal_same, count);
  f->compared.use = HN_TAKE(&f->arena, unsigned char, count);
  f->compared.promise = HN_TAKE(&f->arena, hn_promise, count);
  f->most = HN_TAKE(&f->arena, double, count);
  if (f->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < count; k++) {
    f->compared.same[k] = hn_simulation_signal_same(s, indices[k]);
    f->compared.use[k] = HN_COMPARED_GRADED;
    f->compared.promise[k] = (hn_promise){.floor = 1, .factor = 1};
  }
  hn_status status = hn_filtered_create(&f->arena, s, &f->compared, plan->time, &f->filtered);
  if (status == HN_OK && count > 0) hn_filtered_examine(&f->filtered, s);
  return status;
}

static void note_filter(hn_simulation *s, trial_filter *f) {
  if (f->compared.count == 0) return;
  hn_filtered_note_step(&f->filtered, s);
  const double *amplitude = hn_filtered_note_row(&f->filtered, hn_simulation_time(s));
  for (int k = 0; amplitude && k < f->compared.count; k++)
    f->most[k] = fmax(f->most[k], amplitude[k]);
}

static void end_filter(const hn_simulation *s, trial_filter *f, hn_trial *trial) {
  for (int k = 0; k < f->compared.count && f->filtered.worst.effect > 0; k++) {
    double largest = 0;
    for (int row = 0; row < trial->rows; row++)
      largest =
          fmax(largest, fabs(trial->values[(size_t)row * (size_t)trial->signals + (size_t)k]));
    trial->filtered_size = fmax(trial->filtered_size, f->most[k] / (1 + largest));
  }
  if (trial->filtered_size > 0)
    hn_text(trial->filtered, sizeof trial->filtered, "force '%.60s' (%.3g Hz)",
            s->model->forces[f->filtered.worst.force].name,
            f->filtered.worst.frequency / (2 * HN_PI));
  hn_filtered_free(&f->filtered);
  hn_arena_release(&f->arena);
}

// ---- steps --------------------------------------------------------------------------------------

static hn_status advance(hn_simulation *s, const hn_trial_plan *plan, const int *indices,
                         trial_filter *filter, hn_trial *trial) {
  hn_status status = record(s, plan, indices, trial);
  while (status == HN_OK && hn_simulation_time(s) < plan->time) {
    double before = s->certificate.cpu_seconds;
    status = hn_simulation_step(s, plan->time);
    trial->longest_step_seconds =
        fmax(trial->longest_step_seconds, s->certificate.cpu_seconds - before);
    if (status == HN_OK) note_filter(s, filter);
    if (status == HN_OK) status = record(s, plan, indices, trial);
    if (status != HN_OK) break;
    status = check_limits(s, plan, &trial->error);
    if (status != HN_OK) return status;
  }
  if (status != HN_OK) trial->error = *hn_simulation_error(s);
  return status;
}

static void keep_events(const hn_simulation *s, hn_trial *trial) {
  long all = s->certificate.events;
  int kept = (int)(all < HN_EVENT_HISTORY ? all : HN_EVENT_HISTORY);
  for (int k = 0; k < kept; k++)
    trial->events[k] = s->events[(all - kept + k) % HN_EVENT_HISTORY].time;
  trial->event_count = kept;
}

// The given word, or that of the list that the run took: the run's own may end with it.
static const char *lasting(const char *said, const char *used, const char *(*list)(int)) {
  if (said && strcmp(said, "auto") != 0) return said;
  const char *word;
  for (int k = 0; (word = list(k)) != NULL; k++)
    if (strcmp(word, used) == 0) return word;
  return said ? said : "auto";
}

// Copies results that belong to the run itself, after it ended.
static void take_notes(hn_simulation *s, hn_trial *trial) {
  hn_formulation *f = &trial->formulation;
  hn_certificate *c = &trial->certificate;
  *c = hn_simulation_certificate(s);
  trial->reached = hn_simulation_time(s);
  trial->work = hn_simulation_work(s);
  trial->is_low_order = !s->method->type->propose && s->method->error_order < 3;
  f->coordinates = c->coordinates = lasting(f->coordinates, c->coordinates, hn_list_coordinates);
  f->method = c->method = lasting(f->method, c->method, hn_list_methods);
  f->formula = c->formula = lasting(f->formula, c->formula, hn_list_formulas);
  f->independent = c->independent = lasting(f->independent, c->independent, hn_list_independent);
  keep_events(s, trial);
  char name[96];
  const char *missed = hn_functions_unresolved(s, name);
  hn_text(trial->unresolved, sizeof trial->unresolved, "%s", missed ? missed : "");
}

// ---- memory -------------------------------------------------------------------------------------

// Blocks remember their size in front of them, in a place that keeps the alignment of malloc.
typedef union block_size {
  size_t size;
  max_align_t align;
} block_size;

typedef struct limited_memory {
  const hn_allocator *inner;
  double left; // bytes
  int is_refused;
} limited_memory;

static void *take_limited(void *context, size_t size) {
  limited_memory *memory = context;
  if ((double)size > memory->left) {
    memory->is_refused = 1;
    return NULL;
  }
  block_size *block = hn_allocate(memory->inner, size + sizeof *block);
  if (!block) return NULL;
  block->size = size;
  memory->left -= (double)size;
  return block + 1;
}

static void give_back(void *context, void *pointer) {
  limited_memory *memory = context;
  if (!pointer) return;
  block_size *block = (block_size *)pointer - 1;
  memory->left += (double)block->size;
  hn_release(memory->inner, block);
}

// ---- a trial ------------------------------------------------------------------------------------

static hn_status take_memory(const hn_allocator *allocator, const hn_trial_plan *plan,
                             hn_trial *trial, int **indices) {
  size_t count = (size_t)plan->rows * (size_t)plan->signal_count;
  trial->values = hn_allocate(allocator, (count + 1) * sizeof(double));
  trial->events = hn_allocate(allocator, HN_EVENT_HISTORY * sizeof(double));
  *indices = hn_allocate(allocator, ((size_t)plan->signal_count + 1) * sizeof(int));
  if (trial->values && trial->events && *indices) return HN_OK;
  return hn_fail(&trial->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a trial");
}

hn_status hn_trial_run(const hn_model *model, const hn_simulation_options *options,
                       const hn_trial_plan *plan, hn_trial *trial) {
  hn_simulation *s = NULL;
  int *indices = NULL;
  *trial = (hn_trial){.tol = options->step > 0 ? 0 : options->tol,
                      .step = options->step,
                      .signals = plan->signal_count,
                      .formulation = {options->coordinates, options->method, options->formula,
                                      options->independent}};
  limited_memory memory = {options->allocator, plan->memory, 0};
  hn_allocator limited = {take_limited, give_back, &memory};
  hn_simulation_options own = *options;
  if (plan->memory > 0) own.allocator = &limited;
  hn_status status = take_memory(options->allocator, plan, trial, &indices);
  if (status == HN_OK) status = hn_simulation_create(model, &own, &s, &trial->error);
  if (status == HN_OK) status = find_signals(s, plan, indices, &trial->error);
  trial_filter filter = {0};
  if (status == HN_OK && (status = start_filter(s, plan, indices, &filter)) != HN_OK)
    hn_fail(&trial->error, status, NULL, NULL, "free memory or compare fewer signals",
            "%s for the filter of a candidate run", hn_status_text(status));
  if (memory.is_refused)
    hn_fail(&trial->error, status, NULL, NULL, "allow more memory", "needs more than %.2g GB",
            1e-9 * plan->memory);
  if (status == HN_OK) status = advance(s, plan, indices, &filter, trial);
  if (s) end_filter(s, &filter, trial);
  if (s) take_notes(s, trial);
  trial->status = status;
  hn_release(options->allocator, indices);
  hn_simulation_free(s);
  return status;
}

void hn_trial_free(hn_trial *trial, const hn_allocator *allocator) {
  hn_release(allocator, trial->values);
  hn_release(allocator, trial->events);
  hn_release(allocator, trial->bar);
  *trial = (hn_trial){0};
}
