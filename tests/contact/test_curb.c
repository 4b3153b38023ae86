// An Iltis whose rims strike a curb and whose arms hit rigid bump stops: in real time by HYB+TR against
// the event-driven run at a tight tolerance.
#include <math.h>
#include <stdio.h>

#include "holon/load.h"
#include "holon/realtime.h"
#include "support/check.h"

#define END 1.5 // s: both axles are over the curb, all arms have hit their stops

static hn_model *load_curb(void) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(HOLON_SOURCE_DIR "/models/iltis/curb.yaml", NULL, &model, &error))
    fail_msg("%s", error.message);
  return model;
}

typedef struct outcome {
  double x, z, pitch;
  hn_certificate certificate;
} outcome;

static outcome outcome_of(hn_simulation *s) {
  outcome o = {.certificate = hn_simulation_certificate(s)};
  check_ok(hn_simulation_value(s, "chassis.x", &o.x));
  check_ok(hn_simulation_value(s, "chassis.z", &o.z));
  check_ok(hn_simulation_value(s, "chassis.pitch", &o.pitch));
  return o;
}

static outcome run_event_driven(void) {
  hn_model *model = load_curb();
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-9;
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(s, END));
  outcome o = outcome_of(s);
  hn_simulation_free(s);
  hn_model_free(model);
  return o;
}

static outcome run_in_real_time(double step) {
  hn_model *model = load_curb();
  hn_realtime *r = NULL;
  hn_error error = {0};
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.preset = "HYB+TR";
  options.simulation.step = step;
  if (hn_realtime_create(model, &options, &r, &error)) fail_msg("%s", error.message);
  while (hn_realtime_time(r) < END - 0.5 * step)
    if (hn_realtime_step(r, NULL)) fail_msg("%s", hn_realtime_error(r)->message);
  outcome o = outcome_of(hn_realtime_simulation(r));
  hn_realtime_free(r);
  hn_model_free(model);
  return o;
}

static void real_time_follows_a_curb_and_bump_stops(void **state) {
  (void)state;
  const outcome exact = run_event_driven();
  assert_true(exact.certificate.impacts >= 20); // of rims on the edge and arms on stops
  const outcome coarse = run_in_real_time(2e-3), fine = run_in_real_time(5e-4);
  const outcome o = run_in_real_time(1e-3);
  check_near(o.z, exact.z, 1e-3);
  check_near(o.pitch, exact.pitch, 1e-3);
  check_at_most(fabs(o.x - exact.x), 0.02); // one strike up to 1 ms late at 5 m/s, over 1.2 s
  check_at_most(fabs(fine.x - exact.x), fabs(coarse.x - exact.x) / 2.5);
  // bounded work: six iterations a stage are never used up
  assert_int_equal(o.certificate.newton_unconverged_accepted, 0);
  check_at_most((double)o.certificate.newton_iterations, 6 * END / 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(real_time_follows_a_curb_and_bump_stops)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
