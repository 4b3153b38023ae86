// Conditional constraints that start between bodies of unequal masses, in every set of coordinates and
// with every method: the impact keeps the momentum and loses the energy of the plastic impact.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

typedef struct impact_case {
  const char *text;
  const char *signal[3];
  double value[3]; // shortly after the start at t = 0.5
  double loss;
} impact_case;

// Until then A has gone to (1, 0), B rests in (0, 1). Momentum 1 kg 2 m/s: the center, (0.25, 0.75),
// moves at 0.5 m/s. Angular momentum about it 0.75 * 2 = 1.5; inertia 1.125 + 0.375 + 0.5 + 1.
static const impact_case free_bodies = {
    .text = "bodies:\n"
            "  A: {mass: 1, inertia: [1, 1, 0.5], initial: {velocity: [2, 0, 0]}}\n"
            "  B: {mass: 3, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
            "joints:\n"
            "  k: {type: fixed, bodies: [A, B], at: [0, 0, 0], starts: time > 0.5}\n"
            "outputs: {p: body.A.velocity.x + 3*body.B.velocity.x, w: body.A.angular_velocity.z,\n"
            "          v: body.B.angular_velocity.z}\n"
            "simulation: {time: 1}\n",
    .signal = {"p", "w", "v"},
    .value = {2, 0.5, 0.5},
    .loss = 2 - 0.5 - 0.375};

// 1 kg on rails at 2 m/s catches 3 kg at rest.
static const impact_case on_rails = {
    .text = "gravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  A: {mass: 1, inertia: [1, 1, 1]}\n"
            "  B: {mass: 3, inertia: [1, 1, 1], position: [0, 1, 0]}\n"
            "joints:\n"
            "  p: {type: translational, bodies: [ground, A], at: [0, 0, 0], axis: x,\n"
            "      initial: {displacement_rate: 2}}\n"
            "  q: {type: translational, bodies: [ground, B], at: [0, 1, 0], axis: x}\n"
            "  k: {type: fixed, bodies: [A, B], starts: time > 0.5}\n"
            "simulation: {time: 1}\n",
    .signal = {"joint.p.displacement_rate", "joint.q.displacement_rate"},
    .value = {0.5, 0.5},
    .loss = 2 - 0.5};

// Angular momentum 2 * 4 in both: inertia 8, then.
static const impact_case coupled = {
    .text =
        "bodies:\n"
        "  A: {mass: 1, inertia: [1, 1, 2]}\n"
        "  B: {mass: 1, inertia: [1, 1, 6], position: [1, 0, 0]}\n"
        "joints:\n"
        "  p: {type: revolute, bodies: [ground, A], at: [0, 0, 0], axis: z,\n"
        "      initial: {angle_rate: 4}}\n"
        "  q: {type: revolute, bodies: [ground, B], at: [1, 0, 0], axis: z}\n"
        "  k: {type: coupler, terms: [{joint: p, coefficient: 1}, {joint: q, coefficient: -1}],\n"
        "      when: time > 0.5}\n"
        "simulation: {time: 1}\n",
    .signal = {"joint.p.angle_rate", "joint.q.angle_rate"},
    .value = {1, 1},
    .loss = 16 - 4};

// B, of inertia 7 about the pin, rests until a driver holds it on A: 2 * 4 = (2 + 7) * 8/9.
static const impact_case driven = {
    .text = "bodies:\n"
            "  A: {mass: 1, inertia: [1, 1, 2]}\n"
            "  B: {mass: 1, inertia: [1, 1, 6], position: [1, 0, 0]}\n"
            "joints:\n"
            "  p: {type: revolute, bodies: [ground, A], at: [0, 0, 0], axis: z,\n"
            "      initial: {angle_rate: 4}}\n"
            "  q: {type: revolute, bodies: [A, B], at: [0, 0, 0], axis: z,\n"
            "      initial: {angle_rate: -4}}\n"
            "drivers:\n"
            "  d: {joint: q, motion: 0, starts: time > 0.5}\n"
            "simulation: {time: 1}\n",
    .signal = {"joint.p.angle_rate", "joint.q.angle_rate"},
    .value = {8.0 / 9, 0},
    .loss = 16 - 32.0 / 9};

static const char *combination[4];

static int run(const impact_case *c, const hn_model *model) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = combination[0];
  options.method = combination[1];
  options.formula = combination[2];
  options.independent = combination[3];
  const int has_steps = strcmp(combination[1], "time-stepping") == 0;
  if (has_steps || strncmp(combination[1], "augmented", 9) == 0) options.step = 1e-3;
  options.tol = 1e-8;
  // finds the start to a step; loses energy of turning bodies before the impact
  const int is_rough = has_steps || strcmp(combination[2], "newmark") == 0;
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_status status = hn_simulation_create(model, &options, &s, &error);
  if (status == HN_ERROR_UNSUPPORTED) return 0;
  if (status == HN_OK) status = hn_simulation_advance(s, 0.51);
  if (status != HN_OK)
    fail_msg("%s %s %s %s: %s", combination[0], combination[1], combination[2], combination[3],
             s ? hn_simulation_error(s)->message : error.message);
  for (int k = 0; k < 3 && c->signal[k]; k++) {
    double value = NAN;
    check_ok(hn_simulation_value(s, c->signal[k], &value));
    check_near(value, c->value[k], is_rough ? 2e-3 : 1e-6);
  }
  const hn_certificate certificate = hn_simulation_certificate(s);
  check_near(certificate.impact_loss, c->loss, is_rough ? 0.03 : 2e-5);
  if (has_steps) check_at_most(certificate.energy_balance, 1e-3); // in J: at most 16 there
  hn_simulation_free(s);
  return 1;
}

static void run_all(const impact_case *c) {
  hn_model *model = NULL;
  hn_error error = {0};
  int found = 0, of_components = 0;
  if (hn_model_load_text(c->text, strlen(c->text), "test.yaml", NULL, &model, &error) != HN_OK)
    fail_msg("%s: %s", error.element, error.message);
  for (int k = 0; (combination[0] = hn_list_coordinates(k)); k++)
    for (int m = 0; (combination[1] = hn_list_methods(m)); m++)
      for (int f = 0; (combination[2] = hn_list_formulas(f)); f++)
        for (int i = 0; (combination[3] = hn_list_independent(i)); i++) {
          if (!hn_combination_is_built(combination[0], combination[1], combination[2],
                                       combination[3], NULL))
            continue;
          const int ran = run(c, model);
          found += ran;
          of_components += ran && strcmp(combination[1], "components") == 0;
        }
  print_message("%d combinations, %d of components\n", found, of_components);
  assert_true(found >= 10 && of_components > 0);
  hn_model_free(model);
}

static void free_bodies_keep_both_momenta(void **state) {
  (void)state;
  run_all(&free_bodies);
}

static void bodies_on_rails_keep_their_momentum(void **state) {
  (void)state;
  run_all(&on_rails);
}

static void coupled_wheels_share_the_momentum(void **state) {
  (void)state;
  run_all(&coupled);
}

static void driver_that_starts_keeps_the_momentum(void **state) {
  (void)state;
  run_all(&driven);
}

// A driver whose law bends sets B going with a jump of 1 rad/s: 9 * 4 = 9 w + 7. Its work enters the
// balance.
static void work_of_a_law_that_bends_is_counted(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative"};
  const char *text =
      "bodies:\n"
      "  A: {mass: 2, inertia: [1, 1, 2]}\n"
      "  B: {mass: 1, inertia: [1, 1, 6], position: [1, 0, 0]}\n"
      "joints:\n"
      "  p: {type: revolute, bodies: [ground, A], at: [0, 0, 0], axis: z,\n"
      "      initial: {angle_rate: 4}}\n"
      "  q: {type: revolute, bodies: [A, B], at: [0, 0, 0], axis: z}\n"
      "drivers:\n"
      "  d: {joint: q, motion: {table: [[0, 0], [0.5, 0], [1.5, 1]], interpolation: linear}}\n"
      "simulation: {time: 1}\n";
  for (int k = 0; k < 2; k++) {
    hn_model *model = NULL;
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = sets[k];
    options.method = "time-stepping";
    options.step = 1e-3;
    double rate = NAN;
    check_ok(hn_model_load_text(text, strlen(text), "test.yaml", NULL, &model, NULL));
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 1));
    check_ok(hn_simulation_value(s, "joint.p.angle_rate", &rate));
    check_near(rate, 4 - 7.0 / 9, 3e-3);
    check_at_most(hn_simulation_certificate(s).energy_balance, 0.1);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_keep_both_momenta),
      cmocka_unit_test(bodies_on_rails_keep_their_momentum),
      cmocka_unit_test(coupled_wheels_share_the_momentum),
      cmocka_unit_test(driver_that_starts_keeps_the_momentum),
      cmocka_unit_test(work_of_a_law_that_bends_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
