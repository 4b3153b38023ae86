// Two runs of one simulation: the second has the estimated errors of the first run of another
// simulation that was restored to its start. So only the state of the first run enters its estimates.
//
// HOLON_SWEEP=1 (make test-long) takes all shipped models, else a few with states, samples and
// contacts; HOLON_ONLY=servo those with this word in their paths.
#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/load.h"
#include "holon/run.h"
#include "support/check.h"

enum { STEPS = 50, MOST_MODELS = 1000 };

static char *files[MOST_MODELS];
static int file_count;

static int note_file(const char *path, const struct stat *info, int type, struct FTW *where) {
  (void)info;
  (void)where;
  const size_t length = strlen(path);
  if (type == FTW_F && length > 5 && strcmp(path + length - 5, ".yaml") == 0 &&
      file_count < MOST_MODELS)
    files[file_count++] = strdup(path);
  return 0;
}

static int is_wanted(const char *path) {
  static const char *const quick[] = {"/control/servo-excavator.yaml",
                                      "/control/sampled-motor.yaml",
                                      "/examples/force-joint-stop.yaml",
                                      "/contact/latch.yaml",
                                      "/robots/biped.yaml",
                                      "/iftomm/a02.yaml"};
  const char *only = getenv("HOLON_ONLY");
  if (only) return strstr(path, only) != NULL;
  if (getenv("HOLON_SWEEP")) return 1;
  for (size_t k = 0; k < sizeof quick / sizeof *quick; k++)
    if (strstr(path, quick[k])) return 1;
  return 0;
}

// Of a run that may break off.
static void run_to(hn_simulation *s, double time, int is_resumed) {
  const hn_run_plan plan = {.size = sizeof plan,
                            .time = time,
                            .without_scene = 1,
                            .is_resumed = is_resumed,
                            .accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  hn_run(s, &plan, NULL, &outcome);
}

static int is_equal(const char *path, const char *what, double one, double other) {
  if (one == other) return 1;
  print_message("%s: %s is %.17g in a second run, %.17g in a first\n", path, what, one, other);
  return 0;
}

static int bars_are_equal(const char *path, const hn_accuracy *a, const hn_accuracy *b) {
  int ok = is_equal(path, "whether there is an estimate", a->is_estimated, b->is_estimated) &&
           is_equal(path, "the number of signals", a->signal_count, b->signal_count) &&
           is_equal(path, "the error of motion", a->motion, b->motion) &&
           is_equal(path, "the worst error", a->worst, b->worst);
  for (int k = 0; ok && k < a->signal_count; k++) {
    ok = is_equal(path, a->signals[k].name, a->signals[k].absolute, b->signals[k].absolute) &&
         is_equal(path, a->signals[k].name, a->signals[k].last, b->signals[k].last);
  }
  return ok;
}

// The time that some steps of this model take; 0: it cannot run.
static double find_time(const hn_model *model) {
  hn_simulation *s = NULL;
  double t = 0;
  if (hn_simulation_create(model, NULL, &s, NULL) != HN_OK) return 0;
  for (int k = 0; k < STEPS && hn_simulation_step(s, 10) == HN_OK; k++) t = hn_simulation_time(s);
  hn_simulation_free(s);
  return t;
}

// *estimated counts runs with bars.
static int second_run_is_as_a_first(const char *path, const hn_model *model, int *estimated) {
  hn_simulation *s = NULL, *other = NULL;
  const double time = find_time(model);
  if (!(time > 0)) return 1;
  check_ok(hn_simulation_create(model, NULL, &s, NULL));
  check_ok(hn_simulation_create(model, NULL, &other, NULL));
  run_to(s, time, 0);
  const size_t size = hn_simulation_save_size(s);
  unsigned char *saved = malloc(size);
  assert_non_null(saved);
  check_ok(hn_simulation_save(s, saved, size));
  check_ok(hn_simulation_restore(other, saved, size));
  run_to(s, 2 * time, 0);
  run_to(other, 2 * time, 1);
  const hn_accuracy *bars = hn_simulation_accuracy(s);
  const int ok = bars_are_equal(path, bars, hn_simulation_accuracy(other));
  *estimated += bars->is_estimated;
  if (!bars->is_estimated) print_message("%s: no bars, %s\n", path, bars->how);
  free(saved);
  hn_simulation_free(other);
  hn_simulation_free(s);
  return ok;
}

static void a_second_run_has_the_bars_of_a_first(void **state) {
  (void)state;
  int wrong = 0, count = 0, estimated = 0;
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/models", HOLON_SOURCE_DIR);
  nftw(folder, note_file, 16, FTW_PHYS);
  for (int k = 0; k < file_count; k++) {
    hn_model *model = NULL;
    if (is_wanted(files[k]) && hn_model_load(files[k], NULL, &model, NULL) == HN_OK) {
      wrong +=
          !second_run_is_as_a_first(files[k] + strlen(HOLON_SOURCE_DIR) + 1, model, &estimated);
      count++;
    }
    hn_model_free(model);
    free(files[k]);
  }
  print_message("%d models, %d with bars\n", count, estimated);
  assert_true(estimated > 0);
  assert_int_equal(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_second_run_has_the_bars_of_a_first)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
