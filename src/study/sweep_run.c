// A row of a sweep: its model, its run, what is kept of its signals, its line of the table.
#include "study/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "holon/run.h"

// ---- columns ------------------------------------------------------------------------------------

static const char *const kind_words[HN_SWEEP_KINDS] = {"end", "min", "max", "mean", "rms"};

// The word after the last colon, if it is one of the kinds; else the end.
static hn_sweep_kind kind_of(const char *name, size_t *length) {
  const char *colon = strrchr(name, ':');
  *length = strlen(name);
  for (int k = 0; colon && k < HN_SWEEP_KINDS; k++)
    if (strcmp(colon + 1, kind_words[k]) == 0) {
      *length = (size_t)(colon - name);
      return (hn_sweep_kind)k;
    }
  return HN_SWEEP_END;
}

static int add_column(hn_sweep *sweep, const char *signal, size_t length, hn_sweep_kind kind) {
  hn_sweep_column_of *column = &sweep->columns[sweep->column_count++];
  char *name = hn_arena_take(&sweep->arena, length + 8, 1);
  char *copy = hn_arena_take(&sweep->arena, length + 1, 1);
  if (!name || !copy) return 0;
  memcpy(copy, signal, length);
  snprintf(name, length + 8, "%s:%s", copy, kind_words[kind]);
  *column = (hn_sweep_column_of){name, copy, kind};
  return 1;
}

hn_status hn_sweep_find_columns(hn_sweep *sweep, const hn_model *model, hn_error *error) {
  static const hn_sweep_kind usual[3] = {HN_SWEEP_END, HN_SWEEP_MIN, HN_SWEEP_MAX};
  const hn_sweep_job *job = &sweep->job;
  int own = job->output_count > 0 ? 0 : hn_model_output_count(model), is_fine;
  if (own == 0 && job->output_count <= 0)
    return hn_fail(error, HN_ERROR_MODEL, NULL, "the model",
                   "Name signals: @measure joint.pin.angle:max.",
                   "has no outputs, and no measure was given");
  sweep->columns = HN_TAKE(&sweep->arena, hn_sweep_column_of, job->output_count + 3 * own);
  is_fine = sweep->columns != NULL;
  for (int k = 0; is_fine && k < job->output_count; k++) {
    size_t length;
    hn_sweep_kind kind = kind_of(job->outputs[k], &length);
    is_fine = add_column(sweep, job->outputs[k], length, kind);
  }
  for (int k = 0; is_fine && k < 3 * own; k++) {
    const char *name = hn_model_output_name(model, k / 3);
    is_fine = add_column(sweep, name, strlen(name), usual[k % 3]);
  }
  return is_fine ? HN_OK
                 : hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a sweep");
}

// ---- the model of a row -------------------------------------------------------------------------

hn_status hn_sweep_model(const hn_sweep *sweep, long row, hn_model **model, hn_error *error) {
  hn_parameter_setting settings[HN_SWEEP_PARAMETERS];
  for (int k = 0; k < sweep->axis_count; k++)
    settings[k] = (hn_parameter_setting){sweep->axes[k].name, hn_sweep_value(sweep, row, k),
                                         sweep->axes[k].unit};
  return hn_model_files_build(sweep->files, settings, sweep->axis_count, model, error);
}

// ---- its run ------------------------------------------------------------------------------------

typedef struct gauge {
  const hn_sweep *sweep;
  int *signals;   // (columns)
  int *leader;    // (columns) first column of the same signal, which is evaluated once in a sample
  double *now;    // (columns) the signal, at its leader
  double *values; // (columns) end, least, largest, or the integral so far
  double *last;   // (columns) the value of the sample before
  double time, first;
  long rows;
} gauge;

static void gauge_take(gauge *g, int k, double value, double step) {
  double *v = &g->values[k], before = g->last[k];
  int is_first = g->rows == 0;
  switch (g->sweep->columns[k].kind) {
  case HN_SWEEP_END: *v = value; break;
  case HN_SWEEP_MIN: *v = is_first ? value : fmin(*v, value); break;
  case HN_SWEEP_MAX: *v = is_first ? value : fmax(*v, value); break;
  case HN_SWEEP_MEAN: *v = is_first ? 0 : *v + 0.5 * step * (before + value); break;
  case HN_SWEEP_RMS: // of what is straight between rows
    *v = is_first ? 0 : *v + step / 3 * (before * before + before * value + value * value);
    break;
  case HN_SWEEP_KINDS: break;
  }
  g->last[k] = value;
}

static hn_status on_row(void *context, hn_simulation *simulation, hn_error *error) {
  gauge *g = context;
  (void)error;
  double time = hn_simulation_look_time(simulation);
  for (int k = 0; k < g->sweep->column_count; k++) {
    if (g->leader[k] == k) g->now[k] = hn_simulation_signal(simulation, g->signals[k]);
    gauge_take(g, k, g->now[g->leader[k]], time - g->time);
  }
  if (g->rows++ == 0) g->first = time;
  g->time = time;
  return HN_OK;
}

static void gauge_finish(gauge *g) {
  double span = g->time - g->first;
  for (int k = 0; k < g->sweep->column_count; k++) {
    hn_sweep_kind kind = g->sweep->columns[k].kind;
    double *v = &g->values[k];
    if (g->rows == 0)
      *v = NAN;
    else if (kind == HN_SWEEP_MEAN)
      *v = span > 0 ? *v / span : g->last[k];
    else if (kind == HN_SWEEP_RMS)
      *v = span > 0 ? sqrt(*v / span) : fabs(g->last[k]);
  }
}

// Why a column has no signal: its measure or its name is unknown.
static hn_status no_signal(hn_simulation *simulation, const char *name, hn_error *error) {
  char signal[256];
  const char *colon = strrchr(name, ':');
  snprintf(signal, sizeof signal, "%.*s", colon ? (int)(colon - name) : 0, name);
  if (colon && hn_simulation_find_signal(simulation, signal) >= 0)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Write end, min, max, mean or rms after the colon.",
                   "'%.100s' is not a measure of '%.100s'", colon + 1, signal);
  hn_results *all = NULL; // which suggests the nearest name
  hn_status status = hn_results_create(simulation, &name, 1, &all, error);
  hn_results_free(all);
  return status ? status
                : hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Name one signal for each measure.",
                          "'%.100s' is a pattern", name);
}

static hn_status find_signals(const hn_sweep *sweep, hn_simulation *simulation, int *signals,
                              hn_error *error) {
  for (int k = 0; k < sweep->column_count; k++) {
    const char *name = sweep->columns[k].signal;
    int index = hn_simulation_find_signal(simulation, name);
    if (index < 0) return no_signal(simulation, name, error);
    if (signals) signals[k] = index;
  }
  return HN_OK;
}

hn_status hn_sweep_check(const hn_sweep *sweep, const hn_model *model, hn_error *error) {
  hn_simulation *simulation = NULL;
  hn_error why = {.status = HN_OK};
  hn_status status = hn_simulation_create(model, &sweep->job.simulation, &simulation, &why);
  if (status == HN_OK) status = find_signals(sweep, simulation, NULL, &why);
  hn_simulation_free(simulation);
  if (status != HN_ERROR_ARGUMENT && status != HN_ERROR_UNSUPPORTED) return HN_OK;
  if (error) *error = why;
  return status;
}

static char *certificate_of(hn_simulation *simulation) {
  size_t needed = 0;
  hn_certificate_json(simulation, NULL, 0, &needed);
  char *text = hn_allocate(NULL, needed + 4096);
  if (text && hn_certificate_json(simulation, text, needed + 4096, NULL) != HN_OK) {
    hn_release(NULL, text);
    text = NULL;
  }
  return text;
}

static void run_simulation(gauge *g, hn_simulation *simulation, hn_sweep_result *result) {
  const hn_sweep_job *job = &g->sweep->job;
  hn_run_plan plan = {.size = sizeof plan,
                      .time = job->time,
                      .output_step = job->output_step,
                      .without_scene = 1,
                      .accuracy = HN_ACCURACY_OFF};
  hn_run_sink sink = {.row = on_row, .context = g};
  hn_run_outcome outcome;
  result->status = find_signals(g->sweep, simulation, g->signals, &result->error);
  if (result->status != HN_OK) return;
  for (int k = 0; k < g->sweep->column_count; k++) {
    g->leader[k] = 0;
    while (g->signals[g->leader[k]] != g->signals[k]) g->leader[k]++;
  }
  result->status = hn_run(simulation, &plan, &sink, &outcome);
  if (result->status != HN_OK) result->error = outcome.error;
  result->reached = outcome.time;
  hn_verdict verdict = hn_simulation_verdict(simulation, NULL);
  result->grade = verdict.grade;
  result->state_hash = hn_simulation_state_hash(simulation);
  result->cpu_seconds = hn_simulation_certificate(simulation).cpu_seconds;
  result->certificate = certificate_of(simulation);
}

static int gauge_make(gauge *g, hn_arena *arena, double *values) {
  int columns = g->sweep->column_count;
  g->values = values;
  g->last = HN_TAKE(arena, double, columns);
  g->now = HN_TAKE(arena, double, columns);
  g->signals = HN_TAKE(arena, int, columns);
  g->leader = HN_TAKE(arena, int, columns);
  return values && g->last && g->now && g->signals && g->leader;
}

hn_status hn_sweep_run(const hn_sweep *sweep, long row, hn_sweep_result *result) {
  *result = (hn_sweep_result){.grade = HN_UNSOUND};
  if (row < 0 || row >= sweep->rows) return HN_ERROR_ARGUMENT;
  size_t columns = (size_t)sweep->column_count;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  gauge g = {.sweep = sweep};
  result->values = hn_allocate(NULL, (columns + 1) * sizeof(double));
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  int is_fine = gauge_make(&g, &arena, result->values);
  if (is_fine) {
    for (size_t k = 0; k < columns; k++) g.values[k] = 0;
    result->status = hn_sweep_model(sweep, row, &model, &result->error);
    if (!result->status)
      result->status =
          hn_simulation_create(model, &sweep->job.simulation, &simulation, &result->error);
    if (!result->status) run_simulation(&g, simulation, result);
    gauge_finish(&g);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
  hn_arena_release(&arena);
  if (!is_fine) hn_sweep_result_free(result);
  return is_fine ? HN_OK : HN_ERROR_MEMORY;
}

void hn_sweep_result_free(hn_sweep_result *result) {
  hn_release(NULL, result->values);
  hn_release(NULL, result->certificate);
  result->values = NULL;
  result->certificate = NULL;
}

// ---- lines --------------------------------------------------------------------------------------

// Names have no quotes or line ends; one with a comma is quoted.
static void put_name(hn_string *w, const char *name) {
  int is_quoted = strchr(name, ',') != NULL;
  hn_string_text(w, ",");
  if (is_quoted) hn_string_text(w, "\"");
  hn_string_text(w, name);
  if (is_quoted) hn_string_text(w, "\"");
}

// The whole length, whatever the capacity; 0: out of memory.
static size_t give(hn_string *w, char *text, size_t size) {
  size_t needed = 0;
  hn_status status = hn_string_give(w, text, size, &needed);
  hn_string_free(w);
  return status == HN_ERROR_MEMORY ? 0 : needed - 1;
}

static void put_number(hn_string *w, double value) {
  char text[HN_NUMBER_TEXT];
  hn_string_text(w, ",");
  if (isfinite(value)) hn_string_text(w, hn_number_text_short(text, value == 0 ? 0.0 : value));
}

size_t hn_sweep_header(const hn_sweep *sweep, char *text, size_t size) {
  hn_string w = {0};
  hn_string_text(&w, "row");
  for (int k = 0; k < sweep->axis_count; k++) put_name(&w, sweep->axes[k].name);
  hn_string_text(&w, ",status,verdict");
  for (int k = 0; k < sweep->column_count; k++) put_name(&w, sweep->columns[k].name);
  hn_string_text(&w, ",state_hash\n");
  return give(&w, text, size);
}

size_t hn_sweep_line(const hn_sweep *sweep, long row, const hn_sweep_result *result, char *text,
                     size_t size) {
  hn_string w = {0};
  hn_string_add(&w, "%ld", row);
  for (int k = 0; k < sweep->axis_count; k++) put_number(&w, hn_sweep_value(sweep, row, k));
  put_name(&w, hn_status_name(result->status));
  put_name(&w, result->certificate ? hn_grade_name(result->grade) : "");
  for (int k = 0; k < sweep->column_count; k++) put_number(&w, result->values[k]);
  hn_string_add(&w, ",%016llx\n", result->state_hash);
  return give(&w, text, size);
}
