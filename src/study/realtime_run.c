// A loop in real time: wait for the clock, give inputs, step, hand out rows. If the system permits
// it, the loop has real-time priority and locked memory; the result is reported.
#include <math.h>
#include <stdatomic.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "holon/run.h"
#include "platform/clock.h"

double hn_run_clock(void *unused) {
  (void)unused;
  return hn_clock();
}

hn_status hn_recording_reserve(hn_recording *recording, const hn_simulation *simulation,
                               const hn_run_plan *plan, hn_error *error) {
  hn_grid grid;
  if (!recording->all) return HN_OK;
  hn_status status = hn_run_grid(simulation, plan, &grid, error);
  if (status != HN_OK) return status;
  int rows = (int)(grid.count + 2);
  status = hn_results_reserve(recording->all, rows);
  if (status == HN_OK) status = hn_results_reserve(recording->shown, rows);
  if (status == HN_OK) return HN_OK;
  return hn_fail(error, status, NULL, NULL, "Record less: @signals GLOB, or a larger @output_step.",
                 "%d samples of results do not fit in memory", rows);
}

static void wait_until(const hn_simulation *simulation, double time) {
  while (!hn_clock_wait(time))
    if (atomic_load_explicit(&simulation->interrupted, memory_order_relaxed)) return;
}

static void note_tick(hn_pacing *pacing, double tick, double woke, double done, double period) {
  pacing->latest_wake = fmax(pacing->latest_wake, woke - tick);
  pacing->latest_done = fmax(pacing->latest_done, done - tick);
  if (done - tick > period) pacing->missed++;
}

// One period: from the tick to the time all is done.
static hn_status step_once(hn_realtime *realtime, hn_runner *runner, hn_error *error) {
  hn_status status = hn_runner_give_inputs(runner);
  if (status != HN_OK) return status;
  status = hn_realtime_step(realtime, NULL);
  if (status == HN_OK) return hn_runner_reached(runner);
  *error = *hn_realtime_error(realtime);
  return status;
}

static hn_status pace(hn_realtime *realtime, hn_runner *runner, hn_pacing *pacing,
                      hn_error *error) {
  hn_simulation *simulation = hn_realtime_simulation(realtime);
  const double period = hn_simulation_fixed_step(simulation);
  const double began = hn_clock(), end = hn_runner_grid(runner)->end;
  hn_status status = HN_OK;
  // the last step ends within half a period of the end
  for (long k = 0; status == HN_OK; k++) {
    if (hn_simulation_time(simulation) > end - 0.5 * period) break;
    const double tick = began + (double)k * period;
    if (pacing->is_paced) wait_until(simulation, tick);
    const double woke = hn_clock();
    status = step_once(realtime, runner, error);
    if (pacing->is_paced) note_tick(pacing, tick, woke, hn_clock(), period);
  }
  return status;
}

hn_status hn_run_realtime(hn_realtime *realtime, const hn_run_plan *plan, const hn_run_sink *sink,
                          int is_paced, hn_run_outcome *outcome, hn_pacing *pacing) {
  hn_simulation *simulation = hn_realtime_simulation(realtime);
  hn_runner *runner = NULL;
  hn_error error = {0};
  *pacing = (hn_pacing){.is_paced = is_paced};
  *outcome = (hn_run_outcome){.start = hn_simulation_time(simulation)};
  outcome->time = outcome->start;
  outcome->status = hn_runner_create(simulation, plan, sink, &runner, &error);
  outcome->error = error;
  if (outcome->status != HN_OK) return outcome->status;
  hn_status status = hn_runner_start(runner);
  hn_precedence precedence = {0};
  if (is_paced) precedence = hn_precedence_ask();
  pacing->is_first = precedence.is_first;
  pacing->is_locked = precedence.is_locked;
  const double began = hn_clock();
  if (status == HN_OK) status = pace(realtime, runner, pacing, &error);
  const double seconds = hn_clock() - began;
  hn_precedence_give_back(&precedence);
  hn_runner_finish(runner, status, outcome);
  if (status != HN_OK && outcome->error.status == HN_OK) outcome->error = error;
  outcome->wall_seconds = seconds;
  hn_runner_free(runner);
  return outcome->status;
}
