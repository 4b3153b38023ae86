// Running: what the library's run hands out goes to memory and disk; the progress line, and Ctrl-C.
#include "keep.h"
#include "patience.h"
#include "ranks.h"
#include "session.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- recording ----------------------------------------------------------------------------------

// Told before the run: it may take hours, and the disk may not have the room.
void hn_cli_recording_warn(const hn_cli_session *session, const hn_cli_recording *recording,
                           const hn_grid *grid) {
  const hn_cli_settings *settings = session->settings;
  if (recording->kept.all == NULL || settings->quiet || settings->json) return;
  int signals = hn_results_signal_count(recording->kept.all);
  double bytes = (double)grid->count * (signals + 1.0) * sizeof(double);
  if (bytes < 1e9) return;
  fprintf(stderr,
          "warning: results will take %.1f GB: %ld rows of %d signals. Fewer rows: --output-step "
          "DT; fewer signals: --signals GLOB\n",
          1e-9 * bytes, grid->count, signals);
}

void hn_cli_recording_free(hn_cli_recording *recording) {
  hn_cli_keep_free(recording);
  hn_recording_free(&recording->kept);
  *recording = (hn_cli_recording){0};
}

static hn_status keep_row(void *context, hn_simulation *simulation, hn_error *error) {
  hn_cli_recording *recording = context;
  if (recording->keep != NULL) return hn_cli_keep_row(recording, simulation, error);
  hn_run_sink kept = hn_recording_sink(&recording->kept);
  return kept.row(kept.context, simulation, error);
}

static hn_status keep_frame(void *context, hn_simulation *simulation, hn_error *error) {
  hn_cli_recording *recording = context;
  hn_run_sink kept = hn_recording_sink(&recording->kept);
  return kept.frame(kept.context, simulation, error);
}

static double next_frame(void *context) {
  const hn_cli_recording *recording = context;
  return hn_scene_next(recording->kept.scene);
}

// ---- interruption -------------------------------------------------------------------------------

static atomic_int interrupted; // set by a signal, read by any thread
static _Atomic(hn_simulation *) running;

int hn_cli_is_interrupted(void) { return interrupted; }

// The first Ctrl-C ends the run cleanly, a later one the program. Those that come together are one:
// some tools tell the process and its group.
static void on_interrupt(int number) {
  static volatile double first;
  double now = clock_now();
  if (interrupted && now - first > 0.5) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (!interrupted) first = now;
  interrupted = 1;
  hn_simulation *simulation = running; // it may end in between
  if (simulation != NULL) hn_simulation_interrupt(simulation);
}

void hn_cli_listen(hn_simulation *simulation) {
  running = simulation;
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
}

// Results are still to be written: a second signal of the same moment must not end that.
void hn_cli_stop_listening(void) { running = NULL; }

// ---- progress -----------------------------------------------------------------------------------

static void begin_progress(const hn_cli_session *session, const hn_cli_outcome *outcome,
                           hn_cli_recording *recording) {
  const hn_cli_settings *settings = session->settings;
  double now = clock_now();
  recording->progress = (struct hn_cli_run_line){.is_shown = !settings->quiet && !settings->json &&
                                                             isatty(STDERR_FILENO),
                                                 .start = outcome->start,
                                                 .end = outcome->end,
                                                 .began = now,
                                                 .drawn = now};
}

static void show_progress(void *context, const hn_simulation *simulation) {
  hn_cli_recording *recording = context;
  struct hn_cli_run_line *line = &recording->progress;
  if (recording->keep != NULL) hn_cli_keep_step(recording, simulation);
  if (!line->is_shown) return;
  double clock = clock_now();
  if (clock - line->drawn < 0.1) return;
  line->drawn = clock;
  double now = hn_simulation_time(simulation);
  double done = (now - line->start) / (line->end - line->start);
  double speed = (now - line->start) / (clock - line->began);
  double left = speed > 0 ? (line->end - now) / speed : 0;
  fprintf(stderr,
          "\r%3.0f %%   t = %.4g of %g s   step %.2e s   %.3g x real time   %.0f s left\033[K",
          100 * done, now, line->end, hn_simulation_last_step(simulation), speed, ceil(left));
  fflush(stderr);
}

static void end_progress(const hn_cli_recording *recording, hn_cli_outcome *outcome) {
  outcome->wall_seconds = clock_now() - recording->progress.began;
  if (recording->progress.is_shown) fputs("\r\033[K", stderr);
}

hn_run_sink hn_cli_recording_sink(hn_cli_recording *recording) {
  hn_run_sink sink = {.progress = show_progress, .context = recording};
  if (recording->kept.all != NULL) sink.row = keep_row;
  if (recording->kept.scene != NULL) {
    sink.frame = keep_frame;
    sink.next_frame = next_frame;
  }
  return sink;
}

// ---- running ------------------------------------------------------------------------------------

static hn_accuracy_wish accuracy_wish(const char *word) {
  if (word == NULL || strcmp(word, "auto") == 0) return HN_ACCURACY_AUTO;
  return strcmp(word, "on") == 0 ? HN_ACCURACY_ON : HN_ACCURACY_OFF;
}

hn_run_plan hn_cli_plan(const hn_cli_session *session) {
  const hn_cli_settings *s = session->settings;
  hn_run_plan plan = {.time = s->time,
                      .output_step = s->output_step,
                      .signals = s->signals.items,
                      .signal_count = s->signals.count,
                      .without_scene = s->no_scene,
                      .is_resumed = s->from != NULL,
                      .accuracy = accuracy_wish(s->accuracy)};
  plan.table_count = hn_inputs_tables(session->inputs, &plan.tables);
  return plan;
}

static void explain_interruption(hn_cli_session *session, const hn_cli_recording *recording,
                                 double time) {
  const hn_cli_settings *settings = session->settings;
  char hint[400] = "With --save-state FILE the run can go on later: --from FILE.";
  if (recording->keep != NULL && !settings->no_checkpoint && settings->ranks == NULL) {
    char *folder = hn_cli_run_folder(session);
    snprintf(hint, sizeof hint, "holon run --resume %.300s goes on from there.", folder);
    free(folder);
  }
  hn_cli_fail(&session->error, HN_ERROR_INTERRUPTED, settings->save_state != NULL ? NULL : hint,
              "stopped on request at t = %.6g s", time);
}

void hn_cli_take_outcome(hn_cli_session *session, hn_cli_recording *recording,
                         const hn_run_outcome *run, hn_cli_outcome *outcome) {
  if (run->status != HN_OK) session->error = run->error;
  hn_cli_patience_explain(&session->error);
  // a component that does not answer names itself
  if (run->status == HN_ERROR_INTERRUPTED && session->error.element[0] == '\0')
    explain_interruption(session, recording, run->time);
  outcome->status = run->status;
  outcome->time = run->time;
  outcome->times = run->rows;
  memcpy(outcome->constraint, run->constraint, sizeof outcome->constraint);
}

typedef hn_status run_function(hn_simulation *simulation, const hn_run_plan *plan,
                               const hn_run_sink *sink, hn_run_outcome *outcome);

static void run_to_end(run_function *run, hn_cli_session *session, hn_cli_recording *recording,
                       hn_cli_outcome *outcome) {
  hn_run_plan plan = hn_cli_plan(session);
  hn_run_sink sink = hn_cli_recording_sink(recording);
  hn_run_outcome how;
  plan.goes_on = recording->goes_on;
  plan.is_resumed |= recording->goes_on;
  begin_progress(session, outcome, recording);
  hn_cli_listen(session->simulation);
  run(session->simulation, &plan, &sink, &how);
  hn_cli_stop_listening();
  end_progress(recording, outcome);
  hn_cli_take_outcome(session, recording, &how, outcome);
}

void hn_cli_simulate(hn_cli_session *session, hn_cli_recording *recording,
                     hn_cli_outcome *outcome) {
  run_to_end(hn_run, session, recording, outcome);
}

void hn_cli_follow(hn_cli_session *session, hn_cli_recording *recording, hn_cli_outcome *outcome) {
  run_to_end(hn_run_kinematics, session, recording, outcome);
}
