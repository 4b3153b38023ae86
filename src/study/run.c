// The loop of a run: the times of its rows; inputs, a step, the rows and frames it reached; and its end,
// with the last state.
#include "study/input_curves.h"
#include "study/runner.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/arena.h"
#include "base/error.h"
#include "holon/analysis.h"
#include "model/model.h"
#include "platform/clock.h"
#include "study/companion.h"

#define SLACK 1e-9 // of a grid step: times that differ by rounding only
#define MOST_ROWS 1e9
#define LAST_INDEX 1e15 // whole numbers, and sums of a few, are exact up to here

// ---- the grid of rows: times k * step from 0, so that a resumed run keeps its times -------------

static hn_status check_end(const hn_model *model, double start, double end, hn_error *error) {
  const char *name = model->name && model->name[0] ? model->name : "the model";
  if (!(end > 0))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Give an end time (@time), or `simulation: {time: T}` in the model.",
                   "No end time given for '%s'", name);
  if (end <= start)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a later end time (@time).",
                   "'%s' is at t = %g s already, the end is at %g s", name, start, end);
  return HN_OK;
}

hn_status hn_run_grid(const hn_simulation *simulation, const hn_run_plan *plan, hn_grid *grid,
                      hn_error *error) {
  const hn_model *model = hn_simulation_model(simulation);
  double start = hn_simulation_time(simulation);
  double end = plan->time > 0 ? plan->time : model->defaults.time;
  double step = plan->output_step > 0 ? plan->output_step : model->defaults.output_step;
  hn_status status = check_end(model, start, end, error);
  if (status != HN_OK) return status;
  *grid = (hn_grid){.step = step > 0 ? step : end / HN_OUTPUT_INTERVALS, .end = end};
  double first = ceil(start / grid->step - SLACK);
  double last = ceil(end / grid->step - SLACK); // replaced by the end
  if (!(last - first < MOST_ROWS && last < LAST_INDEX))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "Give a larger @output_step, or a shorter @time.",
                   "too many samples: one per %g s until %g s exceeds the limit of %g", grid->step,
                   end, MOST_ROWS);
  grid->first = (long)first;
  grid->count = (long)last - grid->first + 1;
  return HN_OK;
}

double hn_grid_time(const hn_grid *grid, long k) {
  if (k >= grid->count - 1) return grid->end;
  return (double)(grid->first + k) * grid->step;
}

// ---- runner -------------------------------------------------------------------------------------

hn_status hn_runner_create(hn_simulation *simulation, const hn_run_plan *plan,
                           const hn_run_sink *sink, hn_runner **runner, hn_error *error) {
  const hn_allocator *allocator = hn_simulation_options_used(simulation)->allocator;
  *runner = NULL;
  hn_grid grid;
  hn_status status = hn_run_grid(simulation, plan, &grid, error);
  if (status != HN_OK) return status;
  hn_runner *r = hn_allocate(allocator, sizeof *r);
  size_t size = ((size_t)plan->table_count + 1) * sizeof(int);
  int *next = hn_allocate(allocator, size);
  if (!r || !next) {
    hn_release(allocator, r);
    hn_release(allocator, next);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a run");
  }
  memset(next, 0, size);
  *r = (hn_runner){.allocator = allocator,
                   .simulation = simulation,
                   .plan = *plan,
                   .sink = sink ? *sink : (hn_run_sink){0},
                   .grid = grid,
                   .start = hn_simulation_time(simulation),
                   .last_row = -HUGE_VAL,
                   .last_frame = -HUGE_VAL};
  r->reader = (hn_table_reader){&r->plan, next, plan->is_resumed};
  simulation->stepping.output_step = grid.step;
  *runner = r;
  return HN_OK;
}

void hn_runner_free(hn_runner *r) {
  if (!r) return;
  hn_companion_free(r->compare);
  hn_release(r->allocator, r->reader.next);
  hn_release(r->allocator, r);
}

const hn_grid *hn_runner_grid(const hn_runner *r) { return &r->grid; }

static hn_status blame(hn_runner *r, hn_status status) {
  if (status != HN_OK) r->error = *hn_simulation_error(r->simulation);
  return status;
}

hn_status hn_runner_give_inputs(hn_runner *r) {
  if (r->plan.pulls) hn_pulls_follow(r->plan.pulls, hn_simulation_time(r->simulation));
  return r->plan.table_count > 0 ? blame(r, hn_tables_give(&r->reader, r->simulation)) : HN_OK;
}

double hn_runner_next_input(const hn_runner *r) {
  double next = r->plan.table_count > 0 ? hn_tables_next(&r->reader) : HUGE_VAL;
  return r->plan.pulls ? fmin(next, hn_pulls_next(r->plan.pulls)) : next;
}

// A failure of the sink that does not explain itself.
static hn_status explain(hn_runner *r, hn_status status, const char *what) {
  if (status != HN_OK && r->error.status == HN_OK)
    hn_fail(&r->error, status, NULL, NULL, "Check the disk and run again.",
            "%s cannot be stored: %s", what, hn_status_text(status));
  return status;
}

// One row: moves the simulation's dense output to its time.
static hn_status hand_row(hn_runner *r) {
  double time = hn_simulation_look_time(r->simulation);
  hn_status status = HN_OK;
  if (r->sink.row) status = r->sink.row(r->sink.context, r->simulation, &r->error);
  r->last_row = time;
  r->rows++;
  if (status == HN_OK && r->compare && hn_companion_wants(r->compare, r->next)) {
    const double began = hn_clock();
    hn_companion_compare(r->compare, time);
    r->estimate_seconds += hn_clock() - began;
  }
  return explain(r, status, "a row");
}

static hn_status hand_frame(hn_runner *r) {
  r->last_frame = hn_simulation_look_time(r->simulation);
  return explain(r, r->sink.frame(r->sink.context, r->simulation, &r->error), "a frame");
}

static double next_frame(const hn_runner *r) {
  return r->sink.frame && r->sink.next_frame ? r->sink.next_frame(r->sink.context) : HUGE_VAL;
}

hn_status hn_runner_start(hn_runner *r) {
  hn_status status = HN_OK;
  int has_row = hn_grid_time(&r->grid, 0) <= r->start && r->grid.count > 0;
  if (has_row) r->next = 1;
  if (r->plan.goes_on) {
    r->last_row = r->last_frame = r->start;
    return HN_OK;
  }
  if (has_row) status = hand_row(r);
  if (status == HN_OK && r->sink.frame) status = hand_frame(r);
  return status;
}

// Whether rows or frames are used at all: each costs an evaluation.
static int is_watched(const hn_runner *r) { return r->sink.row || r->sink.frame || r->compare; }

// Skips unused rows.
static void pass_rows(hn_runner *r) {
  while (!r->sink.row && r->next < r->grid.count &&
         !(r->compare && hn_companion_wants(r->compare, r->next)))
    r->next++;
}

// In order: one look serves both.
hn_status hn_runner_reached(hn_runner *r) {
  if (!is_watched(r)) return HN_OK;
  double now = hn_simulation_time(r->simulation);
  const double slack = SLACK * r->grid.step;
  for (;;) {
    pass_rows(r);
    double row = r->next < r->grid.count ? hn_grid_time(&r->grid, r->next) : HUGE_VAL;
    double frame = next_frame(r);
    double time = frame < row - slack ? frame : row;
    if (!(time <= now)) return HN_OK;
    hn_status status = blame(r, hn_simulation_look_at(r->simulation, time));
    if (status == HN_OK && time >= row) {
      status = hand_row(r);
      r->next++;
    }
    if (status == HN_OK && frame <= time + slack) status = hand_frame(r);
    if (status != HN_OK) return status;
  }
}

// A run that ended early hands out its last state, on the grid or not. Frames keep time in 32 bits.
static void hand_last(hn_runner *r, double time) {
  hn_error first = r->error;
  if (hn_simulation_look_at(r->simulation, time) != HN_OK || !is_watched(r)) return;
  if (r->sink.frame && (double)(float)r->last_frame < (double)(float)time) hand_frame(r);
  if (r->last_row < time) hand_row(r);
  r->error = first;
}

void hn_runner_finish(hn_runner *r, hn_status status, hn_run_outcome *outcome) {
  double time = hn_simulation_time(r->simulation);
  hand_last(r, time);
  *outcome = (hn_run_outcome){.status = status,
                              .error = r->error,
                              .start = r->start,
                              .end = r->grid.end,
                              .time = time,
                              .rows = r->rows};
}

// ---- whole runs ---------------------------------------------------------------------------------

static hn_status step_on(hn_runner *r) {
  hn_status status = hn_runner_give_inputs(r);
  if (status != HN_OK) return status;
  double limit = fmin(r->grid.end, hn_runner_next_input(r));
  status = blame(r, hn_simulation_step(r->simulation, limit)); // an interruption ends it too
  if (status == HN_OK && r->compare) hn_companion_saw_step(r->compare);
  if (status == HN_OK) status = hn_runner_reached(r);
  if (status == HN_OK && r->sink.progress) r->sink.progress(r->sink.context, r->simulation);
  return status;
}

static hn_status refuse(hn_run_outcome *outcome, const hn_simulation *simulation, hn_status status,
                        const hn_error *error) {
  double time = hn_simulation_time(simulation);
  *outcome = (hn_run_outcome){.status = status, .error = *error, .start = time, .time = time};
  return status;
}

hn_status hn_run(hn_simulation *simulation, const hn_run_plan *plan, const hn_run_sink *sink,
                 hn_run_outcome *outcome) {
  hn_runner *r = NULL;
  hn_error error = {0};
  hn_status status = hn_runner_create(simulation, plan, sink, &r, &error);
  if (status != HN_OK) return refuse(outcome, simulation, status, &error);
  const double began = hn_clock();
  status = hn_companion_begin(r, &error);
  r->estimate_seconds = hn_clock() - began;
  if (status != HN_OK) {
    hn_runner_free(r);
    return refuse(outcome, simulation, status, &error);
  }
  status = hn_runner_start(r);
  while (status == HN_OK && hn_simulation_time(simulation) < r->grid.end) status = step_on(r);
  hn_runner_finish(r, status, outcome);
  const double concluded = hn_clock();
  hn_companion_conclude(r);
  r->estimate_seconds += hn_clock() - concluded;
  outcome->estimate_seconds = r->estimate_seconds;
  outcome->wall_seconds = hn_clock() - began;
  hn_runner_free(r);
  return outcome->status;
}

static void note_constraints(hn_simulation *simulation, hn_run_outcome *outcome) {
  static const char *const names[] = {"constraint.position", "constraint.velocity",
                                      "constraint.acceleration"};
  for (int i = 0; i < 3; i++) {
    double value = 0;
    hn_simulation_value(simulation, names[i], &value);
    if (!(value <= outcome->constraint[i])) outcome->constraint[i] = value;
  }
}

static hn_status solve_rows(hn_runner *r, const hn_input_curves *inputs, hn_run_outcome *outcome) {
  hn_status status = HN_OK;
  for (; r->next < r->grid.count && status == HN_OK; r->next++) {
    double time = hn_grid_time(&r->grid, r->next);
    status = blame(r, hn_input_curves_give(inputs, r->simulation, time));
    if (status == HN_OK) status = blame(r, hn_simulation_kinematics(r->simulation, time));
    if (status != HN_OK) return status;
    note_constraints(r->simulation, outcome);
    status = hand_row(r);
    if (status == HN_OK && next_frame(r) <= time + SLACK * r->grid.step) status = hand_frame(r);
    outcome->time = time;
    outcome->rows++;
    if (r->sink.progress) r->sink.progress(r->sink.context, r->simulation);
  }
  return status;
}

hn_status hn_run_kinematics(hn_simulation *simulation, const hn_run_plan *plan,
                            const hn_run_sink *sink, hn_run_outcome *outcome) {
  hn_runner *r = NULL;
  hn_error error = {0};
  hn_status status = hn_runner_create(simulation, plan, sink, &r, &error);
  hn_input_curves inputs = {0};
  if (status == HN_OK) status = hn_input_curves_create(plan, simulation, &inputs, &error);
  if (status != HN_OK) {
    hn_runner_free(r);
    return refuse(outcome, simulation, status, &error);
  }
  const double began = hn_clock();
  *outcome =
      (hn_run_outcome){.start = r->start, .time = r->start, .end = r->grid.end, .is_kinematics = 1};
  outcome->status = solve_rows(r, &inputs, outcome);
  hn_input_curves_free(&inputs);
  outcome->error = r->error;
  outcome->wall_seconds = hn_clock() - began;
  hn_runner_free(r);
  return outcome->status;
}
