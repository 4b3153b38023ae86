// Growth of differences with time: exponential, by a power, by one passage; with known answers.
#include "study/history.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

typedef double difference(double time);

static hn_growth growth_of(difference *of, double end) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_history history;
  check_ok(hn_history_create(&arena, 1, &history));
  for (int k = 0; k <= 1500; k++) {
    double time = end * k / 1500, value = of(time);
    hn_history_add(&history, time, &value);
  }
  hn_growth growth = hn_history_growth(&history, 0);
  hn_arena_release(&arena);
  return growth;
}

static double exponential(double t) { return 1e-9 * exp(t / 0.5); }
static double saturated(double t) { return fmin(0.5, 1e-9 * exp(t / 0.5)); }
static double square(double t) { return 1e-9 + 1e-5 * t * t; }
// friction that reverses at 1.14 s between two steps, then errors that add up
static double passage(double t) { return t < 1.14 ? 1e-6 + 4e-6 * t : 5e-4 + 4e-4 * (t - 1.14); }

static void differences_that_multiply_are_exponential(void **state) {
  (void)state;
  hn_growth growth = growth_of(exponential, 5);
  assert_true(growth.is_exponential);
  check_relative(growth.seconds, 0.5, 0.1);
  assert_true(growth_of(saturated, 40).is_exponential);
}

static void differences_that_add_up_are_not(void **state) {
  (void)state;
  assert_false(growth_of(square, 10).is_exponential);
}

static void a_passage_is_not_either(void **state) {
  (void)state;
  assert_false(growth_of(passage, 10).is_exponential);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_that_multiply_are_exponential),
      cmocka_unit_test(differences_that_add_up_are_not),
      cmocka_unit_test(a_passage_is_not_either),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
