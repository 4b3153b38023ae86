// A run of the library: rows on the grid, frames, tables of inputs, the last state of a run that
// ends early, and bits that do not depend on observation.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/folder.h"
#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"
#include "support/command.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = tol;
  hn_simulation *simulation = NULL;
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
  return simulation;
}

typedef struct watcher {
  int rows, frames, steps;
  double last_row, last_frame;
  int fail_at; // row
} watcher;

static hn_status take_row(void *context, hn_simulation *simulation, hn_error *error) {
  (void)error;
  watcher *w = context;
  double time = hn_simulation_look_time(simulation);
  if (w->rows > 0) assert_true(time > w->last_row);
  w->last_row = time;
  return ++w->rows == w->fail_at ? HN_ERROR_FILE : HN_OK;
}

static hn_status take_frame(void *context, hn_simulation *simulation, hn_error *error) {
  (void)error;
  watcher *w = context;
  w->last_frame = hn_simulation_look_time(simulation);
  w->frames++;
  return HN_OK;
}

static double next_frame(void *context) {
  const watcher *w = context;
  return w->frames < 5 ? 0.21 * w->frames : HUGE_VAL;
}

static void note_step(void *context, const hn_simulation *simulation) {
  (void)simulation;
  ((watcher *)context)->steps++;
}

static hn_run_sink sink_of(watcher *w) {
  return (hn_run_sink){take_row, take_frame, next_frame, note_step, w};
}

static void rows_stand_on_the_grid_and_frames_between_them(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  watcher w = {0};
  hn_run_sink sink = sink_of(&w);
  hn_run_plan plan = {.time = 1, .output_step = 0.1};
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, &sink, &outcome));
  assert_int_equal(w.rows, 11);
  assert_int_equal(outcome.rows, 11);
  assert_int_equal(w.frames, 6); // 0, 0.21, 0.42, 0.63, 0.84, and the end
  check_near(w.last_row, 1, 0);
  check_near(w.last_frame, 1, 0);
  assert_int_equal(w.steps, hn_simulation_certificate(simulation).steps_accepted);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void nobody_who_watches_changes_the_bits(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  unsigned long long hash[4];
  for (int k = 0; k < 4; k++) {
    hn_simulation *simulation = start(model, 1e-5);
    watcher w = {0};
    hn_run_sink sink = sink_of(&w);
    hn_run_plan plan = {
        .time = 0.7, .output_step = 0.013, .accuracy = k == 0 ? HN_ACCURACY_OFF : HN_ACCURACY_ON};
    hn_run_outcome outcome;
    if (k == 3)
      check_ok(hn_simulation_advance(simulation, 0.7));
    else
      check_ok(hn_run(simulation, &plan, k == 1 ? NULL : &sink, &outcome));
    hash[k] = hn_simulation_state_hash(simulation);
    hn_simulation_free(simulation);
  }
  for (int k = 1; k < 4; k++) assert_true(hash[k] == hash[0]);
  hn_model_free(model);
}

static void a_sink_that_fails_ends_the_run_and_is_told(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  watcher w = {.fail_at = 4};
  hn_run_sink sink = sink_of(&w);
  hn_run_plan plan = {.time = 1, .output_step = 0.1};
  hn_run_outcome outcome;
  check_status(hn_run(simulation, &plan, &sink, &outcome), HN_ERROR_FILE);
  assert_int_equal(outcome.error.status, HN_ERROR_FILE);
  assert_true(outcome.time < 1);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void an_interrupted_run_hands_out_its_last_state(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  check_ok(hn_simulation_advance(simulation, 0.123));
  hn_simulation_interrupt(simulation);
  watcher w = {0};
  hn_run_sink sink = sink_of(&w);
  hn_run_plan plan = {.time = 1, .output_step = 0.1};
  hn_run_outcome outcome;
  check_status(hn_run(simulation, &plan, &sink, &outcome), HN_ERROR_INTERRUPTED);
  check_near(w.last_row, 0.123, 0);
  check_near(outcome.start, 0.123, 0);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void a_plan_without_an_end_or_with_too_many_rows_is_refused(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  hn_run_outcome outcome;
  check_status(hn_run(simulation, &(hn_run_plan){0}, NULL, &outcome), HN_ERROR_ARGUMENT);
  hn_run_plan fine = {.time = 1, .output_step = 1e-12};
  check_status(hn_run(simulation, &fine, NULL, &outcome), HN_ERROR_ARGUMENT);
  check_ok(hn_simulation_advance(simulation, 2));
  check_status(hn_run(simulation, &(hn_run_plan){.time = 1}, NULL, &outcome), HN_ERROR_ARGUMENT);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void a_recording_has_all_signals_and_those_of_a_report(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *simulation = start(model, 1e-6);
  hn_run_plan plan = {.time = 1, .output_step = 0.1};
  hn_recording recording;
  hn_error error;
  check_ok(hn_recording_create(simulation, &plan, 0, &recording, &error));
  hn_run_sink sink = hn_recording_sink(&recording);
  hn_run_outcome outcome;
  check_ok(hn_run(simulation, &plan, &sink, &outcome));
  assert_int_equal(hn_results_row_count(recording.all), 11);
  assert_int_equal(hn_results_signal_count(recording.all), hn_simulation_signal_count(simulation));
  assert_true(hn_results_find(recording.shown, "energy.balance") >= 0);
  assert_true(hn_results_find(recording.shown, "joint.pin.angle") >= 0);
  assert_true(recording.scene->frames >= 300);
  hn_recording_free(&recording);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A folder that is moved during the run, with another one or a link in its place: the run fails, keeps
// its samples in the moved folder and writes nothing to the path it was given.
static void a_moved_folder_receives_all_or_nothing(void **state) {
  (void)state;
  static const char *const moves[] = {"mv run moved", "mv run moved; mkdir run",
                                      "mv run moved; mkdir other; ln -s other run"};
  for (int k = 0; k < 3; k++) {
    const char *folder = hn_fresh_folder("folder-moved");
    char path[2000];
    snprintf(path, sizeof path, "%s/run", folder);
    hn_model *model = hn_make_pendulum();
    hn_simulation *simulation = start(model, 1e-6);
    hn_run_plan plan = {.time = 1, .output_step = 0.1};
    hn_folder_options options = {.size = sizeof options, .path = path};
    hn_folder *run = NULL;
    hn_error error;
    hn_run_outcome outcome = {0};
    check_ok(hn_folder_open(&options, simulation, &plan, &run, &error));
    check_ok(hn_folder_begin(run, &error));
    hn_command moved = hn_run_shell(folder, "%s", moves[k]);
    assert_int_equal(moved.code, 0);
    hn_command_free(&moved);
    hn_run_sink sink = hn_folder_sink(run);
    check_ok(hn_run(simulation, &plan, &sink, &outcome));
    assert_int_equal(hn_folder_finish(run, &outcome, NULL, &error), HN_ERROR_FILE);
    check_names(error.message, path);
    check_names(error.hint, "results.store");
    hn_folder_free(run);
    hn_command left = hn_run_shell(folder, "[ -s moved/results.store ] && [ ! -e run/* ]");
    assert_int_equal(left.code, 0);
    hn_command_free(&left);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_stand_on_the_grid_and_frames_between_them),
      cmocka_unit_test(nobody_who_watches_changes_the_bits),
      cmocka_unit_test(a_sink_that_fails_ends_the_run_and_is_told),
      cmocka_unit_test(an_interrupted_run_hands_out_its_last_state),
      cmocka_unit_test(a_plan_without_an_end_or_with_too_many_rows_is_refused),
      cmocka_unit_test(a_moved_folder_receives_all_or_nothing),
      cmocka_unit_test(a_recording_has_all_signals_and_those_of_a_report),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
