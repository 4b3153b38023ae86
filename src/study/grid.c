// The grid of rows: times k * step of a run from 0, so that a run that goes on later keeps its times.
#include <math.h>

#include "base/error.h"
#include "holon/run.h"
#include "model/model.h"

#define INTERVALS 500
#define MOST_ROWS 1e9
#define LAST_INDEX 1e15 // whole numbers, and sums of a few, are exact up to here

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
  *grid = (hn_grid){.step = step > 0 ? step : end / INTERVALS, .end = end};
  const double slack = 1e-9; // of a step: a time that is on the grid but for rounding
  double first = ceil(start / grid->step - slack);
  double last = ceil(end / grid->step - slack); // the end stands for this one
  if (!(last - first < MOST_ROWS && last < LAST_INDEX))
    return hn_fail(
        error, HN_ERROR_ARGUMENT, NULL, NULL, "Give a larger @output_step, or a shorter @time.",
        "too many rows: every %g s until %g s, more than %g", grid->step, end, MOST_ROWS);
  grid->first = (long)first;
  grid->count = (long)last - grid->first + 1;
  return HN_OK;
}

double hn_grid_time(const hn_grid *grid, long k) {
  if (k >= grid->count - 1) return grid->end;
  return (double)(grid->first + k) * grid->step;
}
