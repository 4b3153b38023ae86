// Running: steps, rows on an even grid, the progress line, and Ctrl-C.
#include "inputs.h"
#include "patience.h"
#include "ranks.h"
#include "session.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- grid ---------------------------------------------------------------------------------------

enum { default_intervals = 500 };
static const double most_rows = 1e9;
static const double last_index = 1e15; // whole numbers, and sums of a few, are exact up to here

hn_status hn_cli_make_grid(double start, double end, double step, hn_cli_grid *grid,
                           hn_error *error) {
  *grid = (hn_cli_grid){.step = step > 0 ? step : end / default_intervals, .end = end};
  const double slack = 1e-9; // of a step: a time that is on the grid but for rounding
  double first = ceil(start / grid->step - slack);
  double last = ceil(end / grid->step - slack); // the end stands for this one
  if (!(last - first < most_rows && last < last_index)) {
    return hn_cli_fail(
        error, HN_ERROR_ARGUMENT, "Give a larger --output-step, or a shorter --time.",
        "too many rows: every %g s until %g s, more than %g", grid->step, end, most_rows);
  }
  grid->first = (long)first;
  grid->count = (long)last - grid->first + 1;
  return HN_OK;
}

double hn_cli_grid_time(const hn_cli_grid *grid, long k) {
  if (k >= grid->count - 1) return grid->end;
  return (double)(grid->first + k) * grid->step;
}

// ---- recording ----------------------------------------------------------------------------------

enum { most_coordinates = 8 };

static int has_ending(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length >= size && strcmp(name + length - size, ending) == 0;
}

// Without outputs the report shows the first coordinates of joints, or positions of bodies.
static int pick_coordinates(const hn_simulation *simulation, const char **names) {
  int count = 0, all = hn_simulation_signal_count(simulation);
  for (int i = 0; i < all && count < most_coordinates; i++) {
    const char *name = hn_simulation_signal_name(simulation, i);
    if (strncmp(name, "joint.", 6) != 0) continue;
    if (has_ending(name, ".angle") || has_ending(name, ".displacement")) names[count++] = name;
  }
  for (int i = 0, only_bodies = count == 0; only_bodies && i < all && count < most_coordinates;
       i++) {
    const char *name = hn_simulation_signal_name(simulation, i);
    if (strncmp(name, "body.", 5) == 0 && strstr(name, ".position.") != NULL) names[count++] = name;
  }
  return count;
}

// Needs steps: the work is summed over them.
static int is_of_steps(const char *name) {
  return strcmp(name, "energy.work") == 0 || strcmp(name, "energy.balance") == 0;
}

// Results of the signals that match, without those of steps when there are none.
static hn_status create_results(hn_cli_session *session, const char *const *globs, int count,
                                int is_kinematics, hn_results **results) {
  hn_simulation *simulation = session->simulation;
  hn_status status = hn_results_create(simulation, globs, count, results, &session->error);
  if (status != HN_OK || !is_kinematics) return status;
  int all = hn_results_signal_count(*results), left = 0;
  const char **names = hn_cli_allocate((size_t)all + 1, sizeof *names);
  for (int i = 0; i < all; i++) {
    const char *name = hn_results_signal_name(*results, i);
    if (!is_of_steps(name)) names[left++] = hn_cli_copy(name);
  }
  if (left == 0) {
    status = hn_cli_fail(&session->error, HN_ERROR_ARGUMENT, "`holon run` has it.",
                         "kinematics takes no step, so there is no '%s'", globs[0]);
  } else if (left < all) {
    hn_results_free(*results);
    *results = NULL;
    status = hn_results_create(simulation, names, left, results, &session->error);
  }
  for (int i = 0; i < left; i++) free((void *)names[i]);
  free(names);
  return status;
}

static hn_status create_shown(hn_cli_session *session, hn_cli_recording *recording,
                              int is_kinematics) {
  static const char *const always[] = {"energy.*", "constraint.*", "step.*"};
  enum { always_count = (int)(sizeof always / sizeof always[0]) };
  int count = hn_model_output_count(session->model);
  size_t room = (size_t)count + most_coordinates + always_count;
  const char **globs = hn_cli_allocate(room, sizeof *globs);
  for (int i = 0; i < count; i++) globs[i] = hn_model_output_name(session->model, i);
  if (count == 0) count = pick_coordinates(session->simulation, globs);
  memcpy(globs + count, always, sizeof always);
  hn_status status =
      create_results(session, globs, count + always_count, is_kinematics, &recording->shown);
  free(globs);
  return status;
}

// Outputs are what the model is asked about: they are kept whatever --signals says.
hn_status hn_cli_recording_create(hn_cli_session *session, hn_cli_recording *recording,
                                  int is_kinematics) {
  const hn_cli_list *signals = &session->settings->signals;
  int outputs = signals->count > 0 ? hn_model_output_count(session->model) : 0;
  const char **globs = hn_cli_allocate((size_t)(signals->count + outputs) + 1, sizeof *globs);
  for (int i = 0; i < signals->count; i++) globs[i] = signals->items[i];
  for (int i = 0; i < outputs; i++) {
    globs[signals->count + i] = hn_model_output_name(session->model, i);
  }
  hn_status status =
      create_results(session, globs, signals->count + outputs, is_kinematics, &recording->all);
  free(globs);
  return status == HN_OK ? create_shown(session, recording, is_kinematics) : status;
}

// Told before the run: it may take hours, and the disk may not have the room.
void hn_cli_recording_warn(const hn_cli_session *session, const hn_cli_recording *recording,
                           const hn_cli_grid *grid) {
  const hn_cli_settings *settings = session->settings;
  if (recording->all == NULL || settings->quiet || settings->json) return;
  int signals = hn_results_signal_count(recording->all);
  double bytes = (double)grid->count * (signals + 1.0) * sizeof(double);
  if (bytes < 1e9) return;
  fprintf(stderr,
          "warning: results will take %.1f GB: %ld rows of %d signals. Fewer rows: --output-step "
          "DT; fewer signals: --signals GLOB\n",
          1e-9 * bytes, grid->count, signals);
}

// As many frames as a film of a large machine may have: 64 MB of them, but no fewer than 60. Each
// frame asks for a state with its reactions, which takes longer than it can be worth.
static double most_frames(const hn_model *model) {
  enum { megabytes = 64, least = 60 };
  double numbers = 1 + 7.0 * hn_model_body_count(model) + 3.0 * hn_model_joint_count(model) +
                   hn_model_force_count(model);
  return fmax(least, floor(megabytes * 1e6 / (sizeof(float) * numbers)));
}

// About 60 frames a second and at least 300, where rows are recorded anyway or evenly between them:
// then a film costs next to nothing. Fewer of a large machine.
static double film_rate(const hn_cli_grid *grid, double most) {
  enum { usual = 60, least = 299 };
  double rows = fmax((double)(grid->count - 1), 1);
  double each = fmin(round(1 / (usual * grid->step)), floor(rows / least)); // every so many rows
  double between = fmax(round(usual * grid->step), ceil(least / rows));
  if (each < 1 && rows * between + 1 <= most) return between / grid->step;
  if (each < 1 && rows + 1 <= most) return floor((most - 1) / rows) / grid->step;
  each = fmax(fmax(each, 1), ceil(rows / (most - 1)));
  return 1 / (each * grid->step);
}

hn_status hn_cli_recording_film(hn_cli_session *session, hn_cli_recording *recording,
                                const hn_cli_grid *grid, int is_kinematics) {
  if (session->settings->no_scene) return HN_OK;
  double rate = is_kinematics ? 1 / grid->step : film_rate(grid, most_frames(session->model));
  return hn_scene_create(session->simulation, grid->end, rate, &recording->scene, &session->error);
}

hn_status hn_cli_recording_keep(hn_cli_session *session, hn_cli_recording *recording,
                                const char *folder) {
  if (recording->all == NULL) return HN_OK;
  char *path = hn_cli_join(folder, "results.npy");
  hn_status status =
      hn_results_journal_open(recording->all, path, &recording->journal, &session->error);
  free(path);
  return status;
}

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A disk that is full ends the journal, not the run.
static void keep_rows(hn_cli_recording *recording, double patience) {
  hn_error ignored = {0};
  double now = clock_now();
  if (recording->journal == NULL || now - recording->journal_time < patience) return;
  recording->journal_time = now;
  if (hn_results_journal_write(recording->journal, recording->all, &ignored) == HN_OK) return;
  hn_results_journal_close(recording->journal, 1);
  recording->journal = NULL;
}

void hn_cli_recording_free(hn_cli_recording *recording) {
  hn_results_journal_close(recording->journal, 1);
  hn_scene_free(recording->scene);
  hn_results_free(recording->all);
  hn_results_free(recording->shown);
  *recording = (hn_cli_recording){0};
}

static hn_status record(hn_cli_session *session, hn_cli_recording *recording) {
  if (recording->all == NULL) return HN_OK;
  hn_status status = hn_results_record(recording->all, session->simulation);
  if (status == HN_OK) status = hn_results_record(recording->shown, session->simulation);
  if (status == HN_OK) keep_rows(recording, 0.2);
  if (status != HN_OK) {
    hn_cli_fail(&session->error, status, "Record less: --signals GLOB, or a larger --output-step.",
                "a row of results cannot be kept: %s", hn_status_text(status));
  }
  return status;
}

static hn_status record_frame(hn_cli_session *session, hn_cli_recording *recording) {
  hn_status status = hn_scene_record(recording->scene, session->simulation);
  if (status != HN_OK) {
    hn_cli_fail(&session->error, status, "Use --no-scene.",
                "a frame of the scene cannot be kept: %s", hn_status_text(status));
  }
  return status;
}

static double next_frame(const hn_cli_recording *recording) {
  return recording->scene != NULL ? hn_scene_next(recording->scene) : HUGE_VAL;
}

// ---- interruption -------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;
static hn_simulation *volatile running;

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
  if (running != NULL) hn_simulation_interrupt(running);
}

void hn_cli_listen(hn_simulation *simulation) {
  running = simulation;
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// Results are still to be written: a second signal of the same moment must not end that.
void hn_cli_stop_listening(void) { running = NULL; }

// ---- progress -----------------------------------------------------------------------------------

typedef struct progress {
  int is_shown;
  double began, drawn; // clock, s
} progress;

static progress begin_progress(const hn_cli_settings *settings) {
  progress line = {.is_shown = !settings->quiet && !settings->json && isatty(STDERR_FILENO)};
  line.began = line.drawn = clock_now();
  return line;
}

static void show_progress(progress *line, const hn_cli_outcome *outcome, double now, double step) {
  if (!line->is_shown) return;
  double clock = clock_now();
  if (clock - line->drawn < 0.1) return;
  line->drawn = clock;
  double done = (now - outcome->start) / (outcome->end - outcome->start);
  double speed = (now - outcome->start) / (clock - line->began);
  double left = speed > 0 ? (outcome->end - now) / speed : 0;
  fprintf(stderr,
          "\r%3.0f %%   t = %.4g of %g s   step %.2e s   %.3g x real time   %.0f s left\033[K",
          100 * done, now, outcome->end, step, speed, ceil(left));
  fflush(stderr);
}

static void end_progress(const progress *line, hn_cli_outcome *outcome) {
  outcome->wall_seconds = clock_now() - line->began;
  if (line->is_shown) fputs("\r\033[K", stderr);
}

// ---- running ------------------------------------------------------------------------------------

static hn_status interruption(hn_cli_session *session, double time) {
  return hn_cli_fail(&session->error, HN_ERROR_INTERRUPTED,
                     session->settings->save_state != NULL
                         ? NULL
                         : "With --save-state FILE the run can go on later: --from FILE.",
                     "stopped on request at t = %.6g s", time);
}

// Rows and frames for the times that the last step reached, in order: one look serves both.
hn_status hn_cli_record_reached(hn_cli_session *session, const hn_cli_grid *grid,
                                hn_cli_recording *recording, long *next) {
  if (recording->all == NULL) return HN_OK;
  double now = hn_simulation_time(session->simulation);
  for (;;) {
    double row = *next < grid->count ? hn_cli_grid_time(grid, *next) : HUGE_VAL;
    double frame = next_frame(recording);
    const double slack = 1e-9 * grid->step; // times that differ by rounding only
    double time = frame < row - slack ? frame : row;
    if (!(time <= now)) return HN_OK;
    hn_status status = hn_simulation_look_at(session->simulation, time);
    if (status != HN_OK) {
      session->error = *hn_simulation_error(session->simulation);
      return status;
    }
    if (time >= row) {
      status = record(session, recording);
      (*next)++;
    }
    if (status == HN_OK && frame <= time + slack) status = record_frame(session, recording);
    if (status != HN_OK) return status;
  }
}

// A run that ended early keeps its last state, on the grid or not.
static void record_last(hn_cli_session *session, hn_cli_recording *recording, double time) {
  hn_simulation_look_at(session->simulation, time);
  if (recording->all == NULL) return;
  const hn_scene *scene = recording->scene;
  double shown = -HUGE_VAL;
  if (scene != NULL && scene->frames > 0) {
    shown = (double)scene->motion[(size_t)(scene->frames - 1) * (size_t)scene->stride];
  }
  if (scene != NULL && shown < (double)(float)time) {
    hn_scene_record(recording->scene, session->simulation);
  }
  int rows = hn_results_row_count(recording->all);
  if (rows > 0 && hn_results_time(recording->all)[rows - 1] >= time) return;
  hn_error first = session->error;
  record(session, recording);
  session->error = first;
}

hn_status hn_cli_record_first(hn_cli_session *session, const hn_cli_grid *grid,
                              hn_cli_recording *recording, const hn_cli_outcome *outcome,
                              long *next) {
  hn_status status = HN_OK;
  if (hn_cli_grid_time(grid, 0) <= outcome->start && grid->count > 0) {
    status = record(session, recording);
    *next = 1;
  }
  if (status == HN_OK && recording->scene != NULL) status = record_frame(session, recording);
  return status;
}

void hn_cli_record_end(hn_cli_session *session, hn_cli_recording *recording,
                       hn_cli_outcome *outcome, hn_status status) {
  hn_cli_patience_explain(&session->error);
  // a component that does not answer names itself
  if (status == HN_ERROR_INTERRUPTED && session->error.element[0] == '\0')
    interruption(session, hn_simulation_time(session->simulation));
  outcome->status = status;
  outcome->time = hn_simulation_time(session->simulation);
  record_last(session, recording, outcome->time);
  keep_rows(recording, 0);
}

void hn_cli_simulate(hn_cli_session *session, const hn_cli_grid *grid, hn_cli_recording *recording,
                     hn_cli_outcome *outcome) {
  hn_simulation *simulation = session->simulation;
  progress line = begin_progress(session->settings);
  hn_cli_listen(simulation);
  long next = 0;
  hn_status status = hn_cli_record_first(session, grid, recording, outcome, &next);
  while (status == HN_OK && hn_simulation_time(simulation) < grid->end) {
    status = hn_cli_inputs_give(session);
    if (status != HN_OK) break;
    double limit = fmin(grid->end, hn_cli_inputs_next(session));
    status = hn_simulation_step(simulation, limit); // ends on Ctrl-C too
    if (status != HN_OK) {
      session->error = *hn_simulation_error(simulation);
      break;
    }
    status = hn_cli_record_reached(session, grid, recording, &next);
    show_progress(&line, outcome, hn_simulation_time(simulation),
                  hn_simulation_last_step(simulation));
  }
  hn_cli_stop_listening();
  end_progress(&line, outcome);
  hn_cli_record_end(session, recording, outcome, status);
}

static void note_constraints(hn_simulation *simulation, hn_cli_outcome *outcome) {
  static const char *const names[] = {"constraint.position", "constraint.velocity",
                                      "constraint.acceleration"};
  for (int i = 0; i < 3; i++) {
    double value = 0;
    hn_simulation_value(simulation, names[i], &value);
    if (!(value <= outcome->constraint[i])) outcome->constraint[i] = value;
  }
}

void hn_cli_follow(hn_cli_session *session, const hn_cli_grid *grid, hn_cli_recording *recording,
                   hn_cli_outcome *outcome) {
  progress line = begin_progress(session->settings);
  hn_cli_listen(session->simulation);
  hn_status status = HN_OK;
  for (long k = 0; k < grid->count && status == HN_OK; k++) {
    double time = hn_cli_grid_time(grid, k);
    if (interrupted) {
      status = interruption(session, outcome->time);
      break;
    }
    status = hn_simulation_kinematics(session->simulation, time);
    if (status != HN_OK) {
      session->error = *hn_simulation_error(session->simulation);
      break;
    }
    note_constraints(session->simulation, outcome);
    status = record(session, recording);
    if (status == HN_OK && next_frame(recording) <= time + 1e-9 * grid->step) {
      status = record_frame(session, recording);
    }
    outcome->time = time;
    outcome->times++;
    show_progress(&line, outcome, time, grid->step);
  }
  hn_cli_stop_listening();
  end_progress(&line, outcome);
  outcome->status = status;
}
