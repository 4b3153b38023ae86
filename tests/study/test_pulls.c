// Springs that pull bodies by hand: exact motions, energy, derivatives, tables; and the engine of live
// pages, whose runs are repeated bit for bit from the rows it gives.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/force.h"
#include "holon/holon.h"
#include "model/model.h"
#include "support/check.h"
#include "support/command.h"

#include "../../tools/engine/about.c"
#include "../../tools/engine/engine.c"
#include "../../tools/engine/values.c"

#define FREE_BODY                                                                                  \
  "{\"bodies\": {\"ball\": {\"mass\": 2, \"center\": [0, 0, 0], \"inertia\": [1, 2, 2.5]}},"       \
  " \"gravity\": [0, 0, 0], \"simulation\": {\"time\": 1}}"

static const char *const names[9] = {"pull.body",     "pull.point.x",   "pull.point.y",
                                     "pull.point.z",  "pull.target.x",  "pull.target.y",
                                     "pull.target.z", "pull.stiffness", "pull.damping"};

static hn_model *load_with(hn_pulls *pulls, const char *text) {
  hn_load_options options = hn_default_load_options();
  hn_model *model = NULL;
  hn_error error = {0};
  options.complete = hn_pulls_complete;
  options.complete_context = pulls;
  check_ok(hn_model_load_text(text, strlen(text), "free.json", &options, &model, &error));
  return model;
}

// Rows of columns: time first.
static hn_results *table_of(const double rows[][10], int count) {
  double columns[10][8];
  const double *given[9];
  hn_results *table = NULL;
  hn_error error = {0};
  for (int c = 0; c < 10; c++)
    for (int r = 0; r < count; r++) columns[c][r] = rows[r][c];
  for (int c = 0; c < 9; c++) given[c] = columns[c + 1];
  check_ok(hn_results_make(names, NULL, 9, columns[0], given, count, &table, &error));
  return table;
}

static void run_with(hn_pulls *pulls, const hn_model *model, double end, hn_simulation **made) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_run_outcome outcome;
  options.tol = 1e-11;
  check_ok(hn_simulation_create(model, &options, made, NULL));
  const hn_run_plan plan = {.time = end, .without_scene = 1, .pulls = pulls};
  check_ok(hn_run(*made, &plan, NULL, &outcome));
}

// m x'' = k (p - x): x = p (1 - cos w t) with w = sqrt(k/m); a target that moves at speed c: x = c (t -
// sin(w t)/w). The energy is in balance, the work of the spring is that of the body.
static void a_pulled_ball_moves_as_an_oscillator(void **state) {
  (void)state;
  const double k = 50, m = 2, w = sqrt(k / m);
  for (int moves = 0; moves < 2; moves++) {
    const double from = moves ? 0 : 0.3, to = 0.3;
    const double rows[2][10] = {{0, 1, 0, 0, 0, from, 0, 0, k, 0}, {1, 1, 0, 0, 0, to, 0, 0, k, 0}};
    hn_pulls *pulls = NULL;
    hn_simulation *s = NULL;
    hn_error error = {0};
    check_ok(hn_pulls_create(NULL, &pulls));
    hn_model *model = load_with(pulls, FREE_BODY);
    hn_results *table = table_of(rows, 2);
    check_ok(hn_pulls_take(pulls, table, "rows", &error));
    run_with(pulls, model, 1, &s);
    double x, kinetic, work;
    check_ok(hn_simulation_value(s, "body.ball.position.x", &x));
    check_ok(hn_simulation_value(s, "energy.kinetic", &kinetic));
    check_ok(hn_simulation_value(s, "energy.work", &work));
    check_near(x, moves ? to * (1 - sin(w) / w) : to * (1 - cos(w)), 1e-8);
    check_near(kinetic, work, 1e-8);
    assert_true(kinetic > 0.01);
    hn_simulation_free(s);
    hn_model_free(model);
    hn_pulls_free(pulls);
    hn_results_free(table);
  }
}

// Exact derivatives against central differences, at any pose and speed, in the middle of a change.
static void the_derivatives_are_those_of_the_force(void **state) {
  (void)state;
  hn_random random = hn_random_seed(42);
  hn_pulls *pulls = NULL;
  check_ok(hn_pulls_create(NULL, &pulls));
  hn_model *model = load_with(pulls, FREE_BODY);
  for (int round = 0; round < 20; round++) {
    double u[18];
    hn_random_fill(&random, u, 18, -1, 1);
    const hn_pull now = {1, {u[0], u[1], u[2]}, {u[3], u[4], u[5]}, 30, 4};
    const hn_pull next = {1, {u[0], u[1], u[2]}, {u[6], u[7], u[8]}, 50, 1};
    hn_pulls_move(pulls, &now, &next, 1, 1.5);
    hn_body_motion motion[2] = {{.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}}};
    const double angles[3] = {u[9], u[10], u[11]};
    motion[1] =
        (hn_body_motion){{u[12], u[13], u[14]},
                         quat_matrix(quat_from_axis_angle(vec3_unit(vec3_load(angles)), 2 * u[15])),
                         {u[16], u[17], u[0]},
                         {u[3], u[9], u[12]}};
    const hn_user_force *user = &model->forces[0].user;
    hn_force_load by_differences = {.body = {0, 1}};
    hn_wrench wrench[2] = {0}, same[2] = {0};
    double d_pose[12][12] = {{0}}, d_velocity[12][12] = {{0}}, d_time[12] = {0};
    check_ok(user->evaluate(user->context, 1.2, motion, wrench, d_pose, d_velocity, d_time));
    check_ok(hn_user_differences(user, 1.2, motion, same, &by_differences));
    check_near_many(&d_pose[0][0], &by_differences.d_pose[0][0], 144, 1e-6);
    check_near_many(&d_velocity[0][0], &by_differences.d_speed[0][0], 144, 1e-6);
    check_near_many(d_time, by_differences.rate, 12, 1e-6);
    assert_true(fabs(wrench[1].force.x) > 0);
  }
  hn_model_free(model);
  hn_pulls_free(pulls);
}

static void wrong_tables_are_refused(void **state) {
  (void)state;
  const double wrong[][2][10] = {
      {{0, 0.5, 0, 0, 0, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 1, 0}},  // half a body
      {{0, 1, 0, 0, 0, 0, 0, 0, -1, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 1, 0}},   // pushes
      {{0, 1, 0, 0, 0, 0, 0, 0, 1, 0}, {0, 1, 0, 0, 0, 0, 0, 0, 1, 0}},    // one time twice
      {{0, 1, NAN, 0, 0, 0, 0, 0, 1, 0}, {1, 1, 0, 0, 0, 0, 0, 0, 1, 0}}}; // no number
  static const char *const said[] = {"pull.body", "pull.stiffness", "2", "pull.point.x"};
  hn_pulls *pulls = NULL;
  check_ok(hn_pulls_create(NULL, &pulls));
  for (int k = 0; k < 4; k++) {
    hn_error error = {0};
    hn_results *table = table_of(wrong[k], 2);
    check_status(hn_pulls_take(pulls, table, "pulls.csv", &error), HN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "pulls.csv"));
    assert_non_null(strstr(error.message, said[k]));
    hn_results_free(table);
  }
  hn_pulls_free(pulls);
}

// ---- the engine of live pages -------------------------------------------------------------------

static holon_engine *open_engine(const char *path, const char *words, int size) {
  holon_engine *engine = holon_create(path, words, size);
  assert_non_null(engine);
  if (holon_status(engine) != HN_OK) print_error("%s\n", holon_problems(engine));
  assert_int_equal(holon_status(engine), HN_OK);
  return engine;
}

static void a_frame_keeps_views_and_takes_no_memory(void **state) {
  (void)state;
  static const char words[] = "pulls";
  holon_engine *e = open_engine("models/examples/inputs.yaml", words, sizeof words);
  int count[12];
  const double *view[12];
  for (int k = 0; k <= HOLON_ARRAY_NEXT_INPUTS; k++) view[k] = holon_view(e, k, &count[k]);
  assert_int_equal(count[HOLON_ARRAY_POSES], 7 * 4);
  assert_int_equal(count[HOLON_ARRAY_FORCES], 2); // not those of pulls
  const double place[8] = {0.1, 0, 0, 3, 0, 1, 2e4, 100};
  assert_int_equal(holon_pull(e, 1, place), HN_OK);
  assert_int_equal(holon_set_input(e, "pedal", 0.5), HN_OK);
  for (int k = 0; k < 30; k++) {
    assert_int_equal(holon_start_frame(e, 1. / 60), HN_OK);
    assert_int_equal(holon_work(e, 100000), 1);
  }
  for (int k = 0; k <= HOLON_ARRAY_NEXT_INPUTS; k++) {
    int now = -1;
    assert_ptr_equal(holon_view(e, k, &now), view[k]);
    assert_int_equal(now, count[k]);
  }
  check_near(view[HOLON_ARRAY_HEAD][HOLON_TIME], 0.5, 1e-12);
  assert_true(view[HOLON_ARRAY_HEAD][HOLON_IS_PULLED] > 0);
  assert_true(fabs(view[HOLON_ARRAY_PULL][7]) > 100);
  check_near(view[HOLON_ARRAY_ENERGY][3], 0, 1e-3);
  assert_true(fabs(view[HOLON_ARRAY_ENERGY][2]) > 1000);
  holon_free(e);
}

typedef struct saved {
  char pulls[160], inputs[160], call[700], hash[17];
} saved;

static void write_rows(const holon_engine *e, holon_array which, FILE *pulls, FILE *inputs) {
  double row[9];
  int count;
  const double *values = holon_view(e, which, &count);
  const double t = holon_view(e, HOLON_ARRAY_HEAD, &(int){0})[HOLON_TIME];
  holon_pull_row(e, which == HOLON_ARRAY_NEXT_INPUTS, row);
  fprintf(pulls, "%.17g", t);
  for (int k = 0; k < 9; k++) fprintf(pulls, ",%.17g", row[k]);
  fprintf(inputs, "%.17g", t);
  for (int k = 0; k < count; k++) fprintf(inputs, ",%.17g", values[k]);
  fputs("\n", pulls);
  fputs("\n", inputs);
}

// Two pulls, one after the other without a pause, an input with and one without a filter, frames of
// different lengths.
static void play(holon_engine *e, saved *out) {
  FILE *pulls = fopen(out->pulls, "w"), *inputs = fopen(out->inputs, "w");
  assert_true(pulls != NULL && inputs != NULL);
  fputs("time,pull.body,pull.point.x,pull.point.y,pull.point.z,pull.target.x,pull.target.y,"
        "pull.target.z,pull.stiffness,pull.damping\n",
        pulls);
  fputs("time,pedal,brake,steering\n", inputs);
  const double first[8] = {0.1, 0, 0, 1, 0, 1, 2e4, 300}, second[8] = {0, 0.1, 0, 2, 1, 2, 900, 9};
  for (int k = 0; k < 90; k++) {
    if (k == 5) holon_pull(e, 1, first);
    if (k == 20) holon_pull(e, 3, second);
    if (k == 60) holon_pull(e, 0, second);
    if (k == 10) holon_set_input(e, "pedal", 0.7);
    if (k == 30) holon_set_input(e, "steering", 0.3);
    assert_int_equal(holon_start_frame(e, k < 40 ? 1. / 60 : 1. / 240), HN_OK);
    write_rows(e, HOLON_ARRAY_INPUTS, pulls, inputs);
    while (holon_work(e, 1) == 0) continue;
  }
  write_rows(e, HOLON_ARRAY_NEXT_INPUTS, pulls, inputs); // what holds at the end
  holon_hash(e, out->hash);
  fclose(pulls);
  fclose(inputs);
}

static void the_command_repeats_a_live_run_bit_for_bit(void **state) {
  (void)state;
  static const struct {
    char words[64];
    int size;
    const char *options;
  } cases[] = {
      {"pulls", 6, ""},
      {"pulls\0option step=0.002", 29, "--step 0.002"},
      {"pulls\0option coordinates=cartesian\0option formula=trapezoidal", 62,
       "--coordinates cartesian --formula trapezoidal"},
  };
  const char *folder = hn_fresh_folder("pulls");
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    saved out;
    char hash[64] = "";
    snprintf(out.pulls, sizeof out.pulls, "%s/pulls%zu.csv", folder, k);
    snprintf(out.inputs, sizeof out.inputs, "%s/inputs%zu.csv", folder, k);
    holon_engine *e = open_engine("models/examples/inputs.yaml", cases[k].words, cases[k].size);
    play(e, &out);
    int size;
    const double end = holon_view(e, HOLON_ARRAY_HEAD, &size)[HOLON_TIME];
    hn_command run = hn_run_holon(
        "run models/examples/inputs.yaml %s --time %.17g --pulls %s --input %s --json --quiet",
        cases[k].options, end, out.pulls, out.inputs);
    assert_int_equal(run.code, 0);
    assert_true(hn_json_value(run.out, "certificate/state_hash", hash, sizeof hash));
    assert_string_equal(hash, out.hash);
    hn_command_free(&run);
    // without the pulls it is another motion
    hn_command other =
        hn_run_holon("run models/examples/inputs.yaml %s --time %.17g --input %s --json --quiet",
                     cases[k].options, end, out.inputs);
    assert_true(hn_json_value(other.out, "certificate/state_hash", hash, sizeof hash));
    assert_string_not_equal(hash, out.hash);
    hn_command_free(&other);
    holon_free(e);
  }
}

// A pull without stiffness changes no bit.
static void a_model_that_is_not_pulled_runs_as_without_springs(void **state) {
  (void)state;
  static const char *const models[] = {"models/examples/inputs.yaml", "models/four-bar.yaml",
                                       "models/contact/ball.yaml"};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    char with[17], without[17];
    holon_engine *a = open_engine(models[k], "pulls", 6), *b = open_engine(models[k], "", 1);
    assert_int_equal(holon_advance(a, 1.5), HN_OK);
    assert_int_equal(holon_advance(b, 1.5), HN_OK);
    holon_hash(a, with);
    holon_hash(b, without);
    assert_string_equal(with, without);
    holon_free(a);
    holon_free(b);
  }
}

static void a_parameter_builds_the_model_again_or_leaves_it(void **state) {
  (void)state;
  holon_engine *e = open_engine("models/examples/inputs.yaml", "pulls", 6);
  const char *about = holon_about(e);
  assert_non_null(strstr(about, "\"name\": \"drag\", \"unit\": \"N*s/m\", \"value\": 40"));
  assert_int_equal(holon_advance(e, 0.1), HN_OK);
  assert_int_equal(holon_set_parameter(e, "drag", 80, "N*s/m"), HN_OK);
  int size;
  check_near(holon_view(e, HOLON_ARRAY_HEAD, &size)[HOLON_TIME], 0, 0);
  assert_non_null(strstr(holon_about(e), "\"name\": \"drag\", \"unit\": \"N*s/m\", \"value\": 80"));
  assert_int_equal(holon_set_parameter(e, "drag", 80, "kg"), HN_OK); // the unit of the file stays
  assert_true(holon_set_parameter(e, "weight", 80, "kg") < 0);
  assert_non_null(strstr(holon_problems(e), "weight"));
  assert_int_equal(holon_advance(e, 0.1), HN_OK); // it still runs
  holon_free(e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pulled_ball_moves_as_an_oscillator),
      cmocka_unit_test(the_derivatives_are_those_of_the_force),
      cmocka_unit_test(wrong_tables_are_refused),
      cmocka_unit_test(a_frame_keeps_views_and_takes_no_memory),
      cmocka_unit_test(the_command_repeats_a_live_run_bit_for_bit),
      cmocka_unit_test(a_model_that_is_not_pulled_runs_as_without_springs),
      cmocka_unit_test(a_parameter_builds_the_model_again_or_leaves_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
