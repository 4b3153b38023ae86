// Friction that presses bodies together: a unique continuation is found, a missing one is reported.
#include <stdio.h>

#include "contact/contact_machine.h"

static const char *coordinates;

static hn_status try_model(const char *name, const char *const settings[], int count, double time,
                           contact_machine *m, hn_error *error) {
  char path[512];
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  load.settings = settings;
  load.setting_count = count;
  options.tol = 1e-10;
  options.coordinates = coordinates;
  *m = (contact_machine){0};
  snprintf(path, sizeof path, HOLON_SOURCE_DIR "/models/contact/%s.yaml", name);
  check_ok(hn_model_load(path, &load, &m->model, error));
  hn_status status = hn_simulation_create(m->model, &options, &m->simulation, error);
  if (status == HN_OK) status = hn_simulation_advance(m->simulation, time);
  if (status != HN_OK && m->simulation) *error = *hn_simulation_error(m->simulation);
  return status;
}

static contact_machine run(const char *name, const char *const settings[], int count, double time) {
  contact_machine m;
  hn_error error = {0};
  hn_status status = try_model(name, settings, count, time, &m, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  return m;
}

// The moment about the pin: 1 = N (0.1 - 0.2 mu).
static void shoe_presses_itself_on(void **state) {
  (void)state;
  const char *const gentle[] = {"mu=0.3", "driven=1"}, *const strong[] = {"mu=0.45", "driven=1"};
  contact_machine m = run("brake-shoe", gentle, 2, 0.1);
  check_near(value_of(&m, "normal"), 25, 1e-8);
  finish(&m);
  m = run("brake-shoe", strong, 2, 0.1);
  check_near(value_of(&m, "normal"), 100, 1e-7);
  finish(&m);
  // a free belt of 2 kg slides for v/(mu N/m), and stays
  m = run("brake-shoe", gentle, 1, 1);
  check_near(value_of(&m, "x"), 0.5 * 2 / (0.3 * 25), 1e-9);
  check_near(value_of(&m, "v"), 0, 1e-12);
  finish(&m);
}

// Beyond 0.5 no force lets it slide: a free belt stops at once, a drive has nowhere to go.
static void shoe_locks_itself(void **state) {
  (void)state;
  const char *const mus[] = {"mu=0.6", "mu=2"};
  for (int k = 0; k < 2; k++) {
    const char *const settings[] = {mus[k], "driven=1"};
    hn_error error = {0};
    contact_machine m = run("brake-shoe", settings, 1, 1);
    check_near(value_of(&m, "x"), 0, 1e-9);
    check_near(value_of(&m, "v"), 0, 1e-12);
    assert_true(hn_simulation_warning_count(m.simulation) > 0);
    finish(&m);
    assert_int_equal(try_model("brake-shoe", settings, 2, 1, &m, &error), HN_ERROR_INCONSISTENT);
    finish(&m);
  }
}

// Pushed against its motion, then with it; a slider that just fits is not squeezed by nothing, and comes
// back.
static void sliders_stop_and_come_back(void **state) {
  (void)state;
  const char *const settings[] = {"mu=0.3"};
  contact_machine m = run("klein", settings, 1, 1);
  const double back = 3 * 1.3 / 2.3, on = 3 * 0.7 / 1.7, turn = 1 / back; // F (1 -+ k)/(2 -+ k)
  check_near(value_of(&m, "x"), -0.5 / back + 0.5 * on * (1 - turn) * (1 - turn), 1e-9);
  check_near(value_of(&m, "v"), on * (1 - turn), 1e-9);
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  finish(&m);
}

// Beyond mu = 2 the sliders jam where they are pushed along: impulses that stop them press on one side.
static void sliders_jam(void **state) {
  (void)state;
  const char *const settings[] = {"mu=2.5", "speed=1"};
  contact_machine m = run("klein", settings, 2, 1);
  check_near(value_of(&m, "x"), 0, 1e-9);
  check_near(value_of(&m, "v"), 0, 1e-9);
  assert_true(hn_simulation_warning_count(m.simulation) > 0);
  finish(&m);
}

// Speeds grow by 0.2 m/s an impact; the walls meet the ball from both sides at 4.5 s, after infinitely
// many, and the run ends before with the reason.
static void a_ball_that_is_squeezed_ends_the_run(void **state) {
  (void)state;
  hn_error error = {0};
  contact_machine m = run("walls", NULL, 0, 4.4);
  assert_int_equal(hn_simulation_certificate(m.simulation).impacts, 210);
  check_near(fabs(value_of(&m, "v")), 43, 1e-9);
  finish(&m);
  assert_int_equal(try_model("walls", NULL, 0, 5, &m, &error), HN_ERROR_INCONSISTENT);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shoe_presses_itself_on),
      cmocka_unit_test(shoe_locks_itself),
      cmocka_unit_test(sliders_stop_and_come_back),
      cmocka_unit_test(sliders_jam),
      cmocka_unit_test(a_ball_that_is_squeezed_ends_the_run),
  };
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  int failed = 0;
  for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
    coordinates = sets[k];
    failed += _cmocka_run_group_tests(sets[k], tests, sizeof tests / sizeof *tests, NULL, NULL);
  }
  return failed;
}
