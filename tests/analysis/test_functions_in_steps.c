// Functions with features far narrower than a step: impulses, stops, windows and wells against their
// exact effect, at three tolerances.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/simulation.h"
#include "holon/load.h"
#include "holon/results.h"
#include "holon/run.h"
#include "holon/verify.h"
#include "support/check.h"

static const double tolerances[] = {1e-4, 1e-6, 1e-8};

// A mass of 2 kg on a rail along x, and what acts on it.
static hn_model *rail(const char *forces) {
  char text[1024];
  hn_model *model = NULL;
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  snprintf(text, sizeof text,
           "bodies: {m: {mass: 2, inertia: [1, 1, 1]}}\n"
           "joints: {g: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x, "
           "initial: {displacement_rate: v0}}}\n"
           "%s\nsimulation: {time: 10}\n",
           forces);
  if (hn_model_load_text(text, strlen(text), "rail", &options, &model, &error) != HN_OK)
    fail_msg("%s: %s", error.element, error.message);
  return model;
}

static hn_simulation *begin(const hn_model *model, double tol, double step) {
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = step > 0 ? 0 : tol;
  options.step = step;
  if (step > 0) options.formula = "dopri5";
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  return s;
}

static double speed(hn_simulation *s) {
  double v;
  check_ok(hn_simulation_value(s, "joint.g.displacement_rate", &v));
  return v;
}

// The speed after `time` is right at every tolerance; *steps: the most that were taken.
static void check_speed(const char *forces, double time, double exact, long most_steps) {
  hn_model *model = rail(forces);
  for (int k = 0; k < 3; k++) {
    hn_simulation *s = begin(model, tolerances[k], 0);
    check_ok(hn_simulation_advance(s, time));
    const double error = fabs(speed(s) - exact), limit = 60 * tolerances[k] * (1 + fabs(exact));
    if (!(error < limit))
      fail_msg("%s: speed %.12g, exact %.12g, at %g", forces, speed(s), exact, tolerances[k]);
    assert_true(s->certificate.steps_accepted < most_steps);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

#define ROOT_PI 1.77245385090551602730

static void short_forces_give_their_impulse(void **state) {
  (void)state;
  static const struct {
    double width, at;
  } cases[] = {{1e-6, 3.3}, {1e-4, 9.99}, {1e-3, 0.02}, {3e-2, 5.123}, {0.5, 4.2}};
  char text[400];
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const double w = cases[k].width;
    snprintf(text, sizeof text,
             "parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
             "[\"3/%.17g*exp(-((t - %.17g)/%.17g)^2)\", 0, 0]}}",
             w, cases[k].at, w);
    check_speed(text, 10, 1.5 * ROOT_PI, 4000);
  }
}

static void two_edges_and_a_bell_give_their_impulses(void **state) {
  (void)state;
  // a pulse of 2 ms with edges of 20 us, and sech^2 of integral 2 w
  check_speed("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
              "[\"400*(tanh((t - 1)/2e-5) - tanh((t - 1.002)/2e-5)) + "
              "700*(1 - tanh((t - 1.4)/1e-3)^2)\", 0, 0]}}",
              2, 0.5 * (400 * 2 * 0.002 + 700 * 2e-3), 4000);
}

static void narrow_pieces_and_tables_give_their_impulses(void **state) {
  (void)state;
  check_speed("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
              "[\"5000 if t > 2.0501 and t < 2.0503 else 0\", 0, 0]}}",
              4, 0.5, 1000);
  check_speed("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
              "[{table: [[0, 0], [6, 0], [6.001, 1000], [6.002, 0], [9, 0]], "
              "interpolation: linear}, 0, 0]}}",
              8, 0.5, 1000);
}

// A conservative force changes the kinetic energy by its work.
static void wells_narrow_in_space_do_their_work(void **state) {
  (void)state;
  const double exact = sqrt(9 + 2 * 40 * 1e-3 * ROOT_PI / 2 * 10);
  check_speed("parameters: {v0: 3}\nforces: {f: {type: joint-spring-damper, joint: g, "
              "law: \"-400*exp(-((x - 1.7)/1e-3)^2)\"}}",
              1, exact, 4000);
  check_speed("parameters: {v0: 3}\nforces: {f: {type: point-force, body: m, force: "
              "[\"400*exp(-((joint.g.displacement - 1.7)/1e-3)^2)\", 0, 0]}}",
              1, exact, 4000);
}

static void window_of_a_tenth_of_a_millisecond_is_found(void **state) {
  (void)state;
  check_speed("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: [1e4, 0, 0], "
              "when: time > 2.05 and time < 2.0501}}",
              4, 0.5, 4000);
}

static void delayed_pulse_arrives(void **state) {
  (void)state;
  check_speed(
      "parameters: {v0: 0}\nstates: {y: {delay: 1.3, of: \"3/1e-3*exp(-((t - 0.7)/1e-3)^2)\"}}\n"
      "forces: {f: {type: point-force, body: m, force: [state.y, 0, 0]}}",
      4, 1.5 * ROOT_PI, 8000);
  check_speed("parameters: {v0: 0}\nstates: {y: {delay: 0.08, of: \"2000 if t > 0.34 and t < "
              "0.34075 else 0\"}}\nforces: {f: {type: point-force, body: m, force: [state.y, 0, "
              "0]}}",
              1, 0.75, 8000);
}

// Thrown up against a spring, `depth` below the top of the flight: speeds by energy, and within
// the spring by the exact solution.
static void grazed_stop_throws_back(void **state) {
  (void)state;
  static const double depths[] = {3e-4, 1e-6, 5e-3};
  for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
    const double g = 9.81, v0 = 10, stop = v0 * v0 / (2 * g) - depths[k], stiffness = 1e5, m = 2;
    const double v1 = sqrt(v0 * v0 - 2 * g * stop), w = sqrt(stiffness / m);
    const double t1 = (v0 - v1) / g; // reaches the spring with v1, leaves it with -v1
    // y'' = -g - w^2 y: y = A sin(w s) - g/w^2 (1 - cos(w s)), A = v1/w; back at 0 after
    const double contact = 2 * atan2(v1 * w, g) / w;
    char text[400];
    snprintf(text, sizeof text,
             "parameters: {v0: 10}\nforces: {weight: {type: point-force, body: m, force: [-19.62, "
             "0, 0]}, stop: {type: joint-stop, joint: g, upper: %.17g, stiffness: 1e5}}",
             stop);
    check_speed(text, 2, -v1 - g * (2 - t1 - contact), 1000);
  }
}

static void fixed_step_names_what_it_misses(void **state) {
  (void)state;
  hn_model *model = rail("parameters: {v0: 0}\nforces: {tap: {type: point-force, body: m, force: "
                         "[\"1000*exp(-((t - 3.3)/1e-3)^2)\", 0, 0]}}");
  hn_simulation *s = begin(model, 0, 0.01);
  check_ok(hn_simulation_advance(s, 5));
  int told = 0;
  for (int k = 0; k < hn_simulation_warning_count(s); k++)
    told += strcmp(hn_simulation_warning(s, k)->element, "force 'tap'") == 0;
  assert_int_equal(told, 1);
  hn_simulation_free(s);
  s = begin(model, 0, 1e-4);
  check_ok(hn_simulation_advance(s, 5));
  assert_int_equal(hn_simulation_warning_count(s), 0);
  assert_true(fabs(speed(s) - 0.5 * ROOT_PI) < 1e-6);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A gait in steps of first order, which show it: no warning, though errors are far above the tolerance.
static void fixed_step_shows_smooth_functions(void **state) {
  (void)state;
  hn_model *model =
      rail("parameters: {v0: 0}\ninputs: {stride: 0.2}\nforces: {gait: {type: joint-spring-damper, "
           "joint: g, stiffness: 1.5e5, damping: 4e3, actuator: \"-1.5e5*(1 - exp(-t^2/(1 s^2)))*"
           "(stride*sin(4*pi*t) + 0.3*(0.5 - 0.5*cos(4*pi*t))^2)\"}}");
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "time-stepping";
  options.coordinates = "relative";
  options.step = 2e-3;
  check_ok(hn_simulation_create(model, &options, &s, NULL));
  check_ok(hn_simulation_advance(s, 2));
  assert_int_equal(hn_simulation_warning_count(s), 0);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void polynomials_cost_nothing(void **state) {
  (void)state;
  hn_model *model = rail("parameters: {v0: 1}\nforces: {f: {type: joint-spring-damper, joint: g, "
                         "law: \"20*x + 3*x^3 + 0.1*v\"}}");
  hn_simulation *s = begin(model, 1e-6, 0);
  assert_null(s->functions);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void smooth_periodic_forces_take_no_more_steps(void **state) {
  (void)state;
  hn_model *model = rail("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
                         "[\"50*sin(100*t)\", 0, 0]}}");
  long steps[2];
  for (int k = 0; k < 2; k++) {
    hn_simulation *s = begin(model, 1e-6, 0);
    assert_non_null(s->functions);
    if (k == 1) {
      s->functions = NULL;
      hn_events_find(s);
    }
    check_ok(hn_simulation_advance(s, 10));
    steps[k] = s->certificate.steps_accepted;
    hn_simulation_free(s);
  }
  assert_true((double)steps[0] <= 1.02 * (double)steps[1]);
  hn_model_free(model);
}

// A second mass follows the first through a dead zone that its amplitude exceeds by 1e-6 m. Runs that do
// not know the first to 1e-6 m see no contact; with SciPy, split at every break, x(end) is -0.04548 m.
static hn_grade grade_of_follower(double stiffness, double zone, double tol) {
  char forces[512];
  hn_model *model = NULL;
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  char text[1024];
  snprintf(forces, sizeof forces,
           "%.9g*(max(0, joint.a.displacement - joint.b.displacement - %.9g) + min(0, "
           "joint.a.displacement - joint.b.displacement + %.9g))",
           stiffness, zone, zone);
  snprintf(text, sizeof text,
           "bodies: {m: {mass: 1, inertia: [1, 1, 1]}, n: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints:\n"
           "  a: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x, initial: "
           "{displacement_rate: 1.34582206}}\n"
           "  b: {type: translational, bodies: [ground, n], at: [0, 0, 0], axis: x}\n"
           "forces:\n"
           "  s: {type: joint-spring-damper, joint: a, stiffness: 32.7995355}\n"
           "  r: {type: joint-spring-damper, joint: b, stiffness: 2.54795634}\n"
           "  f: {type: point-force, body: n, force: [\"%s\", 0, 0]}\n",
           forces);
  if (hn_model_load_text(text, strlen(text), "follower", &load, &model, &error) != HN_OK)
    fail_msg("%s: %s", error.element, error.message);
  hn_simulation *s = begin(model, tol, 0);
  hn_run_plan plan = {.time = 3.27518122, .accuracy = HN_ACCURACY_ON};
  hn_run_outcome outcome;
  check_ok(hn_run(s, &plan, NULL, &outcome));
  const hn_grade grade = hn_simulation_verdict(s, NULL).grade;
  hn_simulation_free(s);
  hn_model_free(model);
  return grade;
}

static void a_near_miss_within_the_error_is_not_sound(void **state) {
  (void)state;
  assert_true(grade_of_follower(5771.21159, 0.234991504, 1e-4) > HN_SOUND);
}

static void a_near_miss_without_effect_is_sound(void **state) {
  (void)state;
  assert_int_equal(grade_of_follower(1, 0.234991504, 1e-4), HN_SOUND);   // a soft stop
  assert_int_equal(grade_of_follower(5771.21159, 0.24, 1e-4), HN_SOUND); // never reached
}

// The force is smooth, but in a form that no bounds show it: that formulations agree proves nothing.
static void verify_is_undecided_about_what_runs_may_miss(void **state) {
  (void)state;
  hn_model *model = rail("parameters: {v0: 0}\nforces: {f: {type: point-force, body: m, force: "
                         "[\"sin(300*(t - 1/3000))/(t - 1/3000)\", 0, 0]}}");
  hn_verify_options options = hn_default_verify_options();
  options.time = 1e-3;
  options.most = 2;
  options.fixed = 0;
  options.rows = 5;
  options.without_audit = options.single_pass = 1;
  hn_verify *report = NULL;
  hn_error error;
  check_ok(hn_verify_model(model, &options, &report, &error));
  assert_int_equal(report->verdict, HN_VERIFY_UNDECIDED);
  check_names(report->reason, "'f'");
  hn_verify_free(report);
  hn_model_free(model);
}

int main(void) {
#if !HOLON_WITH_YAML
  return 77;
#else
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(short_forces_give_their_impulse),
      cmocka_unit_test(two_edges_and_a_bell_give_their_impulses),
      cmocka_unit_test(narrow_pieces_and_tables_give_their_impulses),
      cmocka_unit_test(wells_narrow_in_space_do_their_work),
      cmocka_unit_test(window_of_a_tenth_of_a_millisecond_is_found),
      cmocka_unit_test(delayed_pulse_arrives),
      cmocka_unit_test(grazed_stop_throws_back),
      cmocka_unit_test(fixed_step_names_what_it_misses),
      cmocka_unit_test(fixed_step_shows_smooth_functions),
      cmocka_unit_test(a_near_miss_within_the_error_is_not_sound),
      cmocka_unit_test(a_near_miss_without_effect_is_sound),
      cmocka_unit_test(verify_is_undecided_about_what_runs_may_miss),
      cmocka_unit_test(polynomials_cost_nothing),
      cmocka_unit_test(smooth_periodic_forces_take_no_more_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
