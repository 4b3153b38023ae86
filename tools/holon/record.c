// Running: rows go where the library keeps them, progress to the terminal; and Ctrl-C.
#include "pages.h"
#include "patience.h"
#include "ranks.h"

#include "platform/clock.h"

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- interruption -------------------------------------------------------------------------------

static atomic_int interrupted; // set by a signal, read by any thread
static _Atomic(hn_simulation *) running;

int hn_cli_is_interrupted(void) { return interrupted; }

// The first Ctrl-C ends the run cleanly, a later one the program. Those that come together are one:
// some tools signal the process and its group.
static void on_interrupt(int number) {
  static volatile double first;
  double now = hn_clock();
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

// ---- sink ---------------------------------------------------------------------------------------

static hn_status pass_row(void *context, hn_simulation *simulation, hn_error *error) {
  hn_cli_recording *r = context;
  return r->inner.row(r->inner.context, simulation, error);
}

static hn_status pass_frame(void *context, hn_simulation *simulation, hn_error *error) {
  hn_cli_recording *r = context;
  return r->inner.frame(r->inner.context, simulation, error);
}

static double pass_next_frame(void *context) {
  hn_cli_recording *r = context;
  return r->inner.next_frame(r->inner.context);
}

static void show_progress(void *context, const hn_simulation *simulation) {
  hn_cli_recording *r = context;
  struct hn_cli_run_line *line = &r->progress;
  if (r->inner.progress != NULL) r->inner.progress(r->inner.context, simulation);
  if (!line->is_shown) return;
  double clock = hn_clock();
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

static hn_run_sink sink_of(hn_cli_recording *r) {
  if (r->folder != NULL)
    r->inner = hn_folder_sink(r->folder);
  else if (r->kept.all != NULL)
    r->inner = hn_recording_sink(&r->kept);
  return (hn_run_sink){.row = r->inner.row != NULL ? pass_row : NULL,
                       .frame = r->inner.frame != NULL ? pass_frame : NULL,
                       .next_frame = r->inner.frame != NULL ? pass_next_frame : NULL,
                       .progress = show_progress,
                       .context = r};
}

const hn_results *hn_cli_recording_shown(hn_cli_recording *r) {
  return r->folder != NULL ? hn_folder_recording(r->folder)->shown : r->kept.shown;
}

void hn_cli_recording_free(hn_cli_recording *r) {
  hn_folder_free(r->folder);
  hn_recording_free(&r->kept);
  *r = (hn_cli_recording){0};
}

// ---- folder -------------------------------------------------------------------------------------

char *hn_cli_run_folder(const hn_cli_session *session) {
  const char *folder = session->settings->folder;
  hn_cli_text path = {0};
  if (folder != NULL) return hn_cli_copy(folder);
  hn_cli_add(&path, "out/");
  hn_cli_add_file_name(&path, session->name);
  return path.data;
}

static void warn(void *context, const hn_error *error) {
  hn_error told = *error;
  (void)context;
  hn_cli_render(&told);
  fprintf(stderr, "holon: warning: %s%s%s\n", told.message, told.hint[0] != '\0' ? ". " : "",
          told.hint);
}

static hn_folder_format format_of(const char *word) {
  static const char *const words[] = {"hdf5", "csv", "npz", "store"};
  for (int k = 0; word != NULL && k < 4; k++)
    if (strcmp(word, words[k]) == 0) return (hn_folder_format)(k + 1); // in the library's order
  return HN_FOLDER_USUAL;
}

static hn_status open_folder(hn_cli_session *session, hn_cli_recording *r, int is_kinematics,
                             char **path, hn_cli_text *note) {
  const hn_cli_settings *s = session->settings;
  hn_run_plan plan = hn_cli_plan(session);
  *path = hn_cli_run_folder(session);
  hn_status status = hn_cli_call_note(session, note, &session->error);
  if (status != HN_OK) return status;
  const hn_folder_options options = {.size = sizeof options,
                                     .path = *path,
                                     .format = format_of(s->format),
                                     .without_units = s->no_units,
                                     .is_kinematics = is_kinematics,
                                     .in_memory = s->realtime,
                                     .resume = s->resume != NULL,
                                     .checkpoint = s->no_checkpoint ? -1 : s->checkpoint,
                                     .note = note->data,
                                     .note_size = note->length,
                                     .pages = hn_cli_pages(),
                                     .mobility = session->has_mobility ? &session->mobility : NULL,
                                     .name = session->name,
                                     .model_path = s->path,
                                     .call = session->call.data,
                                     .warn = s->quiet || s->json ? NULL : warn};
  return hn_folder_open(&options, session->simulation, &plan, &r->folder, &session->error);
}

static void say_where(const hn_cli_session *session, const hn_cli_recording *r) {
  const hn_cli_settings *s = session->settings;
  if (s->quiet || s->json) return;
  if (hn_folder_goes_on(r->folder))
    fprintf(stderr, "Resuming at t = %.6g s, the last checkpoint.\n",
            hn_simulation_time(session->simulation));
  else if (s->resume != NULL)
    fprintf(stderr, "No checkpoint yet: starting from t = 0.\n");
}

// Rows that are kept in memory, not written: key figures need them, and of several processes all
// make the same calls, so that they stay together.
static int keep_in_memory(hn_cli_session *session, hn_cli_recording *r, int is_kinematics) {
  const hn_cli_settings *s = session->settings;
  const int is_written = !s->json || s->folder != NULL; // by the first process
  hn_run_plan plan = hn_cli_plan(session);
  plan.without_scene |= !is_written;
  if (!is_written && hn_model_figure_count(session->model) == 0) return -1;
  if (hn_recording_create(session->simulation, &plan, is_kinematics, &r->kept, &session->error) ==
      HN_OK)
    return -1;
  return hn_cli_report_failure(s->json, 0, &session->error);
}

int hn_cli_open_folder(hn_cli_session *session, hn_cli_recording *r, int is_kinematics) {
  const hn_cli_settings *s = session->settings;
  hn_status status = HN_OK;
  if (s->is_silent) return keep_in_memory(session, r, is_kinematics);
  if (s->save_state != NULL) status = hn_try_file(s->save_state, &session->error);
  if (status == HN_OK && s->json && s->folder == NULL)
    return keep_in_memory(session, r, is_kinematics);
  if (status == HN_OK)
    status = open_folder(session, r, is_kinematics, &session->folder, &session->note);
  if (status != HN_OK) {
    int code = hn_cli_report_failure(s->json, 0, &session->error);
    return status == HN_ERROR_FILE ? HN_CLI_WRONG : code;
  }
  if (hn_folder_begin(r->folder, &session->error) != HN_OK)
    return hn_cli_report_failure(s->json, hn_simulation_time(session->simulation), &session->error);
  say_where(session, r);
  return -1;
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
  plan.pulls = session->pulls;
  return plan;
}

static void explain_interruption(hn_cli_session *session, const hn_cli_recording *r, double time) {
  const hn_cli_settings *s = session->settings;
  char hint[400] = "Next time, use --save-state FILE to continue later with --from FILE.";
  if (r->folder != NULL && !s->realtime && !s->no_checkpoint && s->ranks == NULL)
    snprintf(hint, sizeof hint, "Continue with: holon run --resume %.300s", session->folder);
  hn_cli_fail(&session->error, HN_ERROR_INTERRUPTED, s->save_state != NULL ? NULL : hint,
              "stopped on request at t = %.6g s", time);
}

static void run_plan(hn_cli_session *session, hn_cli_recording *r, const hn_run_plan *plan,
                     int is_kinematics, hn_run_outcome *outcome) {
  hn_run_sink sink = sink_of(r);
  if (is_kinematics) {
    hn_run_kinematics(session->simulation, plan, &sink, outcome);
    outcome->is_kinematics = 1;
  } else if (session->realtime == NULL) {
    hn_run(session->simulation, plan, &sink, outcome);
  } else {
    hn_recording *kept = r->folder != NULL ? hn_folder_recording(r->folder) : &r->kept;
    const char *pace = session->settings->pace;
    sink.progress = NULL;
    *outcome = (hn_run_outcome){.time = hn_simulation_time(session->simulation)};
    outcome->status = hn_recording_reserve(kept, session->simulation, plan, &outcome->error);
    if (outcome->status == HN_OK)
      hn_run_realtime(session->realtime, plan, &sink, pace == NULL || strcmp(pace, "none") != 0,
                      outcome, &session->pacing);
  }
}

void hn_cli_simulate(hn_cli_session *session, hn_cli_recording *r, int is_kinematics,
                     hn_run_outcome *outcome) {
  const hn_cli_settings *s = session->settings;
  hn_run_plan plan = hn_cli_plan(session);
  hn_grid grid = {0};
  plan.goes_on = r->folder != NULL && hn_folder_goes_on(r->folder);
  plan.is_resumed |= plan.goes_on;
  hn_run_grid(session->simulation, &plan, &grid, &(hn_error){0});
  double now = hn_clock();
  r->progress = (struct hn_cli_run_line){.is_shown = !s->quiet && !s->json && !s->realtime &&
                                                     isatty(STDERR_FILENO),
                                         .start = hn_simulation_time(session->simulation),
                                         .end = grid.end,
                                         .began = now,
                                         .drawn = now};
  hn_cli_listen(session->simulation);
  run_plan(session, r, &plan, is_kinematics, outcome);
  hn_cli_stop_listening();
  if (r->progress.is_shown) fputs("\r\033[K", stderr);
  if (outcome->status != HN_OK) session->error = outcome->error;
  hn_cli_patience_explain(&session->error);
  // a component that does not answer names itself
  if (outcome->status == HN_ERROR_INTERRUPTED && session->error.element[0] == '\0')
    explain_interruption(session, r, outcome->time);
}
