// The loop of `holon run --realtime`: wait for the clock, give inputs, step, record.
//
// Where the system permits it, the loop runs ahead of everything else (SCHED_FIFO) and in memory that
// stays (mlockall); what it got is told. A late step is not left out: the next one begins at once, and
// the tick that was missed is counted.
#include "realtime.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { priority = 10 };
static const double default_step = 1e-3; // s

double hn_cli_loop_clock(void *unused) {
  (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int is_word(const char *option, const char *word) {
  return option != NULL && strcmp(option, word) == 0;
}

hn_realtime_options hn_cli_realtime_options(const hn_cli_session *session,
                                            const hn_simulation_options *simulation) {
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation = *simulation;
  if (!(options.simulation.step > 0 || hn_model_defaults(session->model)->step > 0))
    options.simulation.step = default_step;
  options.at_bound = is_word(session->settings->at_bound, "stop") ? HN_BOUND_STOP : HN_BOUND_ACCEPT;
  options.clock = hn_cli_loop_clock;
  return options;
}

// ---- what the system gives ----------------------------------------------------------------------

static void ask_for_precedence(hn_cli_pacing *pacing) {
  struct sched_param wanted = {.sched_priority = priority};
  pacing->is_first = sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
  pacing->is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

static void give_back(const hn_cli_pacing *pacing) {
  struct sched_param usual = {.sched_priority = 0};
  if (pacing->is_first) sched_setscheduler(0, SCHED_OTHER, &usual);
  if (pacing->is_locked) munlockall();
}

static void wait_until(double time) {
  double whole = floor(time);
  struct timespec at = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (time - whole))};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
    if (hn_cli_is_interrupted()) return;
  }
}

// ---- the loop -----------------------------------------------------------------------------------

// Room for every row, touched once so that the pages are there.
static hn_status reserve(hn_cli_session *session, const hn_grid *grid,
                         hn_cli_recording *recording) {
  if (recording->kept.all == NULL) return HN_OK;
  int rows = (int)(grid->count + 2);
  hn_status status = hn_results_reserve(recording->kept.all, rows);
  if (status == HN_OK) status = hn_results_reserve(recording->kept.shown, rows);
  if (status != HN_OK) {
    hn_cli_fail(&session->error, status, "Record less: --signals GLOB, or a larger --output-step.",
                "%d rows of results do not fit in memory", rows);
  }
  return status;
}

// One period: from the tick to the time all is done.
static hn_status step_once(hn_cli_session *session, hn_runner *runner) {
  hn_status status = hn_runner_give_inputs(runner);
  if (status != HN_OK) return status;
  status = hn_realtime_step(session->realtime, NULL);
  if (status == HN_OK) return hn_runner_reached(runner);
  session->error = *hn_realtime_error(session->realtime);
  return status;
}

static void note_tick(hn_cli_pacing *pacing, double tick, double woke, double done, double period) {
  pacing->latest_wake = fmax(pacing->latest_wake, woke - tick);
  pacing->latest_done = fmax(pacing->latest_done, done - tick);
  if (done - tick > period) pacing->missed++;
}

static hn_status pace(hn_cli_session *session, hn_runner *runner, hn_cli_pacing *pacing) {
  hn_simulation *simulation = session->simulation;
  double period = hn_simulation_options_used(simulation)->step;
  double began = hn_cli_loop_clock(NULL), end = hn_runner_grid(runner)->end;
  hn_status status = HN_OK;
  // the last step ends within half a period of the end
  for (long k = 0; status == HN_OK; k++) {
    if (hn_simulation_time(simulation) > end - 0.5 * period) break;
    double tick = began + (double)k * period;
    if (pacing->is_paced) wait_until(tick);
    double woke = hn_cli_loop_clock(NULL);
    status = step_once(session, runner);
    if (pacing->is_paced) note_tick(pacing, tick, woke, hn_cli_loop_clock(NULL), period);
  }
  return status;
}

static hn_status prepare(hn_cli_session *session, hn_cli_recording *recording, hn_runner **runner) {
  hn_run_plan plan = hn_cli_plan(session);
  hn_run_sink sink = hn_cli_recording_sink(recording);
  hn_status status = hn_runner_create(session->simulation, &plan, &sink, runner, &session->error);
  return status == HN_OK ? reserve(session, hn_runner_grid(*runner), recording) : status;
}

void hn_cli_pace(hn_cli_session *session, hn_cli_recording *recording, hn_cli_outcome *outcome) {
  hn_cli_pacing *pacing = &outcome->pacing;
  hn_runner *runner = NULL;
  hn_run_outcome how = {0};
  how.status = prepare(session, recording, &runner);
  how.error = session->error;
  how.time = hn_simulation_time(session->simulation);
  if (how.status == HN_OK) {
    how.status = hn_runner_start(runner);
    pacing->is_paced = !is_word(session->settings->pace, "none");
    hn_cli_listen(session->simulation);
    if (pacing->is_paced) ask_for_precedence(pacing);
    double began = hn_cli_loop_clock(NULL);
    if (how.status == HN_OK) how.status = pace(session, runner, pacing);
    outcome->wall_seconds = hn_cli_loop_clock(NULL) - began;
    give_back(pacing);
    hn_cli_stop_listening();
    hn_runner_finish(runner, how.status, &how);
    if (how.status != HN_OK && how.error.status == HN_OK) how.error = session->error;
  }
  hn_runner_free(runner);
  hn_cli_take_outcome(session, recording, &how, outcome);
}
