// Every call ends: where steps collapse, the state, force or body responsible is named, with its size
// and the time; where too many are foreseen, the call fails with the limit.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

#define SLIDE                                                                                      \
  "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0], axis: x}}\n"

static hn_simulation *open_text(const char *text, const hn_simulation_options *options,
                                hn_model **model) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "m.yaml", NULL, model, &error) != HN_OK ||
      hn_simulation_create(*model, options, &s, &error) != HN_OK)
    fail_msg("%s %s", error.element, error.message);
  return s;
}

static void check_named(const char *text, double near, const char *element, hn_error *told) {
  hn_model *model = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-4; // the sizes in the messages depend on it
  hn_simulation *s = open_text(text, &options, &model);
  assert_true(hn_simulation_advance(s, 5) < 0);
  const hn_error *e = hn_simulation_error(s);
  if (strcmp(e->element, element) != 0 || e->line == 0)
    fail_msg("line %d: %s %s (wanted %s)", e->line, e->element, e->message, element);
  check_has_number(e->message, near, 1e-3);
  *told = *e;
  assert_true(e->hint[0] != '\0' && strlen(e->message) <= 200);
  check_near(hn_simulation_time(s), near, 1e-3);
  hn_simulation_free(s);
  hn_model_free(model);
}

// x'' = -1/(x + 1/2)^2 from rest falls to the pole in pi/2 (1/2)^(3/2)/sqrt(2) s; s' = 1/(1 - t) and
// q' = q^2 have theirs at 1 s.
static void poles_name_what_has_them(void **state) {
  (void)state;
  hn_error told;
  check_named(SLIDE "forces: {f: {type: joint-spring-damper, joint: j, law: 1/(x + 0.5)^2}}\n",
              0.3926990817, "force 'f'", &told);
  check_named(SLIDE "states: {s: {rate: 1/(1 - t)}}\n"
                    "forces: {f: {type: joint-spring-damper, joint: j, law: state.s}}\n",
              1, "state 's'", &told);
  check_has_number(told.message, 33.5, 0.5); // the value there: ln 1/(1 - t) of rounded times
  check_named(SLIDE "states: {q: {rate: state.q^2, initial: 1}}\n", 1, "state 'q'", &told);
}

// ---- forces of programs --------------------------------------------------------------------------

static hn_status push(void *context, double time, const hn_body_motion body[2], hn_wrench wrench[2],
                      double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  (void)context, (void)body, (void)d_pose, (void)d_velocity, (void)d_time;
  wrench[1].force.x = time > 0.5 ? NAN : 1;
  return HN_OK;
}

static hn_status add_push(void *context, hn_model *model) {
  (void)context;
  hn_force_def def = hn_default_force(HN_FORCE_USER);
  def.name = "push";
  def.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  def.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  def.user = (hn_user_force){.evaluate = push, .context = NULL};
  return hn_model_add_force(model, &def, NULL);
}

static void forces_of_programs_are_named(void **state) {
  (void)state;
  static const double steps[] = {0, 0.01};
  for (int k = 0; k < 2; k++) {
    hn_load_options load = hn_default_load_options();
    hn_simulation_options options = hn_default_simulation_options();
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_error error = {0};
    load.complete = add_push;
    options.step = steps[k];
    check_ok(hn_model_load_text(SLIDE, strlen(SLIDE), "m.yaml", &load, &model, &error));
    check_ok(hn_simulation_create(model, &options, &s, &error));
    assert_true(hn_simulation_advance(s, 1) < 0);
    const hn_error *e = hn_simulation_error(s);
    assert_string_equal(e->element, "force 'push'");
    check_has_number(e->message, 0.5, 0.011);
    check_near(hn_simulation_time(s), 0.5, 0.011);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// ---- the work of a call --------------------------------------------------------------------------

#define ROD                                                                                        \
  "bodies: {b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0]}}\n"                              \
  "joints: {j: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: y}}\n"

static void endless_work_is_foreseen(void **state) {
  (void)state;
  static const struct {
    const char *gravity, *element;
    double end;
  } cases[] = {{"gravity: [0, 0, -1e16]\n", "body 'b'", 1},
               {"gravity: [0, 0, -9.81]\n", "", 1e308}};
  for (int k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text, "%s" ROD, cases[k].gravity);
    hn_model *model = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.tol = 1e-4;
    hn_simulation *s = open_text(text, &options, &model);
    check_status(hn_simulation_advance(s, cases[k].end), HN_ERROR_LIMIT);
    const hn_error *e = hn_simulation_error(s);
    assert_string_equal(e->element, cases[k].element);
    check_has_number(e->message, 10000000, 0); // the limit
    assert_true(hn_simulation_certificate(s).steps_accepted <= 100000);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

static void the_limit_counts_steps_of_a_call_and_can_be_raised(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  options.max_steps = 20;
  hn_simulation *s = open_text("gravity: [0, 0, -9.81]\n" ROD, &options, &model);
  for (int k = 1; k <= 10; k++) check_ok(hn_simulation_advance(s, 0.01 * k)); // ten steps each
  check_status(hn_simulation_advance(s, 1), HN_ERROR_LIMIT);
  check_near(hn_simulation_time(s), 0.12, 1e-12);
  hn_simulation_free(s);
  hn_model_free(model);
  options.step = 1e-7;
  options.max_steps = 0;
  s = open_text("gravity: [0, 0, -9.81]\n" ROD, &options, &model);
  check_status(hn_simulation_advance(s, 2), HN_ERROR_LIMIT);
  hn_simulation_free(s);
  hn_model_free(model);
  options.max_steps = 100000000;
  s = open_text("gravity: [0, 0, -9.81]\n" ROD, &options, &model);
  check_ok(hn_simulation_advance(s, 0.011)); // beyond the first forecast
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poles_name_what_has_them),
      cmocka_unit_test(forces_of_programs_are_named),
      cmocka_unit_test(endless_work_is_foreseen),
      cmocka_unit_test(the_limit_counts_steps_of_a_call_and_can_be_raised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
