// Functions made of others: values by their definitions, derivatives, breakpoints, names that stay
// free.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/law.h"
#include "math/differences.h"
#include "support/check.h"

static hn_law *make(const char *text) {
  hn_law *law = NULL;
  hn_error error;
  const char *t = "t";
  hn_status status = hn_law_expression(text, &t, 1, NULL, &law, &error);
  if (status != HN_OK) fail_msg("%s: %s", text, error.message);
  return law;
}

static double value_of(const void *law, double x) { return hn_law_evaluate(law, -1, x).value; }
static double slope_of(const void *law, double x) { return hn_law_evaluate(law, -1, x).d1; }

typedef double shape(double u);
static double straight(double u) { return u; }
static double cubic(double u) { return 3 * u * u - 2 * u * u * u; }
static double quintic(double u) { return 6 * pow(u, 5) - 15 * pow(u, 4) + 10 * pow(u, 3); }
static double haversine(double u) { return 0.5 - 0.5 * cos(acos(-1.0) * u); }

static void steps_go_from_one_value_to_the_other(void **state) {
  (void)state;
  static const struct {
    const char *text;
    shape *f;
  } rows[] = {{"ramp(t, 1, -2, 3, 4)", straight},
              {"step(t, 1, -2, 3, 4)", cubic},
              {"step5(t, 1, -2, 3, 4)", quintic},
              {"haversine(t, 1, -2, 3, 4)", haversine}};
  for (int k = 0; k < 4; k++) {
    hn_law *law = make(rows[k].text);
    check_near(value_of(law, -5), -2, 0);
    check_near(value_of(law, 7), 4, 1e-15);
    assert_int_equal(hn_law_pieces(law), 3);
    check_near(hn_law_kink(law, 1), 1, 0);
    check_near(hn_law_kink(law, 2), 3, 0);
    for (double t = 1.05; t < 3; t += 0.1) {
      check_near(value_of(law, t), -2 + 6 * rows[k].f(0.5 * (t - 1)), 1e-13);
      check_near(slope_of(law, t), difference(value_of, law, t, 1e-4), 1e-8);
      check_near(hn_law_evaluate(law, -1, t).d2, difference(slope_of, law, t, 1e-4), 1e-7);
    }
    hn_law_free(law);
  }
}

static void limits_and_chirps(void **state) {
  (void)state;
  hn_law *law = make("2*limit(3*t, -1, 2) + 1");
  check_near(value_of(law, -4), -1, 0);
  check_near(value_of(law, 0.5), 4, 0);
  check_near(value_of(law, 4), 5, 0);
  hn_law_free(law);
  law = make("chirp(t, 1, 5, 10)"); // frequency 1 + 0.4 t
  for (double t = 0.1; t < 9; t += 0.7) {
    check_near(value_of(law, t), sin(2 * acos(-1.0) * (t + 0.2 * t * t)), 1e-12);
    check_near(slope_of(law, t), difference(value_of, law, t, 1e-5), 1e-5);
  }
  hn_law_free(law);
}

static void the_heaviside_step_stays(void **state) {
  (void)state;
  hn_law *law = make("step(t - min(2, 3))");
  check_near(value_of(law, 1.9), 0, 0);
  check_near(value_of(law, 2.1), 1, 0);
  hn_law_free(law);
}

static void names_stay_free_and_mistakes_are_told(void **state) {
  (void)state;
  const char *limit = "limit", *t = "t";
  hn_law *law;
  hn_error error;
  check_ok(hn_law_expression("2*limit", &limit, 1, NULL, &law, &error));
  hn_law_free(law);
  check_status(hn_law_expression("limit(t, 1)", &t, 1, NULL, &law, &error), HN_ERROR_SYNTAX);
  check_names(error.message, "2");
  check_status(hn_law_expression("step(t, 1", &t, 1, NULL, &law, &error), HN_ERROR_SYNTAX);
  check_status(hn_law_expression("ramp(t, 0, 1, 2, 3, 4, 5, 6)", &t, 1, NULL, &law, &error),
               HN_ERROR_SYNTAX);
  char deep[2048] = "t"; // arguments that are repeated stay within the limit of a program
  for (int k = 0; k < 12; k++) {
    char next[sizeof deep + 32];
    snprintf(next, sizeof next, "step(t, %s, 0, 2, 1)", deep);
    assert_true(strlen(next) < sizeof deep);
    strcpy(deep, next);
  }
  check_status(hn_law_expression(deep, &t, 1, NULL, &law, &error), HN_ERROR_LIMIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_go_from_one_value_to_the_other),
      cmocka_unit_test(limits_and_chirps),
      cmocka_unit_test(the_heaviside_step_stays),
      cmocka_unit_test(names_stay_free_and_mistakes_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
