// Laws that use inputs: values, exact derivatives through inputs that move, limits, simulations apart.
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "math/differences.h"
#include "math/law.h"

static const char *const three[] = {"x", "v", "t"};
static const char *const time_only[] = {"t"};
static const char *const place_only[] = {"x"};
static const char *const inputs[] = {"pedal", "front.brake", "wheel"};
static const double defaults[] = {0.5, -1, 2};

static hn_law *make(const char *text, const char *const *variables, int count) {
  hn_law *law = NULL;
  hn_error error = {0};
  hn_status status =
      hn_law_expression_of_inputs(text, variables, count, inputs, defaults, 3, NULL, &law, &error);
  if (status) fail_msg("%s: %s", text, error.message);
  return law;
}

// ---- inputs -------------------------------------------------------------------------------------

typedef struct followed {
  const hn_input_state *state;
  int order;
} followed;

static double input_at(const void *context, double t) {
  const followed *f = context;
  double d[4];
  hn_input_at(f->state, t, d);
  return d[f->order];
}

static void derivatives_of_an_input_are_those_of_its_motion(void **state) {
  (void)state;
  const hn_input_state cases[] = {
      {.time = 0.3, .value = 1.2, .rate = -0.7, .acceleration = 2.5},
      {.time = 0.3, .value = 1.2, .rate = -0.7, .target = -2, .pole = 7},
  };
  for (size_t k = 0; k < 2; k++)
    for (int order = 0; order < 3; order++)
      for (double t = 0.3; t < 1; t += 0.11) {
        followed f = {&cases[k], order}, next = {&cases[k], order + 1};
        check_near(input_at(&next, t), difference(input_at, &f, t, 3e-3), 1e-6);
      }
}

// u'' = w^2 (target - u) - 2 w u', from the value and the rate it had.
static void a_filter_is_critically_damped_and_goes_on_smoothly(void **state) {
  (void)state;
  hn_input_state u = {.value = 1, .target = 1, .pole = 20};
  double before[4], after[4];
  hn_input_give(&u, 0.5, 3, 0, 0);
  hn_input_at(&u, 0.5, after);
  check_near(after[0], 1, 0);
  check_near(after[1], 0, 0);
  for (double t = 0.5; t < 0.7; t += 0.013) {
    hn_input_at(&u, t, before);
    check_near(before[2], 400 * (3 - before[0]) - 40 * before[1], 1e-9);
  }
  hn_input_at(&u, 0.61, before);
  hn_input_give(&u, 0.61, -5, 123, 456); // of a filtered one only the target is given
  hn_input_at(&u, 0.61, after);
  check_near(after[0], before[0], 1e-14);
  check_near(after[1], before[1], 1e-13);
  hn_input_at(&u, 10, after);
  check_near(after[0], -5, 1e-12);
}

// ---- laws ---------------------------------------------------------------------------------------

static void without_a_simulation_inputs_have_their_own_values(void **state) {
  (void)state;
  hn_law *law = make("1000*pedal*x + front.brake", place_only, 1);
  hn_law_value at = hn_law_evaluate(law, -1, 0.2);
  check_near(at.value, 1000 * 0.5 * 0.2 - 1, 1e-12);
  check_near(at.d1, 500, 1e-12);
  assert_int_equal(hn_law_pieces(law), 1);
  assert_int_equal(hn_law_input_count(law), 2);
  hn_law_free(law);
}

static hn_input_state moving[3] = {
    {.time = 0.1, .value = 0.4, .rate = 1.5, .acceleration = -3},
    {.time = 0.2, .value = -1, .rate = 0.3, .target = 2, .pole = 5},
    {.time = 0, .value = 0.7},
};

typedef struct law_order {
  const hn_law *law;
  int order;
} law_order;

static double law_at(const void *context, double t) {
  const law_order *l = context;
  hn_law_value v = hn_law_evaluate(l->law, -1, t);
  return l->order == 0 ? v.value : l->order == 1 ? v.d1 : v.d2;
}

static void a_law_of_time_follows_inputs_with_all_derivatives(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_law *law = make("sin(3*t)*pedal + exp(front.brake*t)/(1 + wheel^2*pedal^2)", time_only, 1);
  const hn_law *bound = hn_law_bind(&arena, law, moving);
  for (double t = 0.2; t < 0.9; t += 0.09) {
    double u[4], w[4];
    hn_input_at(&moving[0], t, u);
    hn_input_at(&moving[1], t, w);
    check_near(hn_law_evaluate(bound, -1, t).value,
               sin(3 * t) * u[0] + exp(w[0] * t) / (1 + 0.49 * u[0] * u[0]), 1e-12);
    law_order value = {bound, 0}, first = {bound, 1}, second = {bound, 2};
    check_near(law_at(&first, t), difference(law_at, &value, t, 1e-3), 1e-8);
    check_near(law_at(&second, t), difference(law_at, &first, t, 1e-3), 1e-7);
    check_near(hn_law_evaluate(bound, -1, t).d3, difference(law_at, &second, t, 1e-3), 1e-5);
  }
  hn_law_free(law);
  hn_arena_release(&arena);
}

typedef struct many {
  const hn_law *law;
  double at[3];
  int along; // variable that moves
} many;

static double many_at(const void *context, double x) {
  const many *m = context;
  double at[3] = {m->at[0], m->at[1], m->at[2]};
  at[m->along] = x;
  return hn_law_evaluate_many(m->law, at, NULL);
}

static void the_gradient_by_many_variables_includes_the_inputs(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_law *law = make("pedal*x^2*v + front.brake*t*v - wheel*sin(x*pedal)*front.brake", three, 3);
  const hn_law *bound = hn_law_bind(&arena, law, moving);
  many m = {.law = bound, .at = {0.7, -0.4, 0.55}};
  double gradient[3], value = hn_law_evaluate_many(bound, m.at, gradient);
  check_near(hn_law_evaluate_many(bound, m.at, NULL), value, 1e-14);
  for (m.along = 0; m.along < 3; m.along++)
    check_near(gradient[m.along], difference(many_at, &m, m.at[m.along], 1e-3), 1e-9);
  hn_law_free(law);
  hn_arena_release(&arena);
}

static void a_law_of_place_follows_inputs_at_a_time(void **state) {
  (void)state;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_law *law = make("pedal*x^2 + front.brake*x", place_only, 1);
  const hn_law *bound = hn_law_bind(&arena, law, moving);
  for (double t = 0.2; t < 0.9; t += 0.09) {
    double u[4], w[4], gradient[2];
    hn_input_at(&moving[0], t, u);
    hn_input_at(&moving[1], t, w);
    check_near(hn_law_evaluate_at_time(bound, 3, t, gradient), 9 * u[0] + 3 * w[0], 1e-12);
    check_near(gradient[0], 6 * u[0] + w[0], 1e-12);
    check_near(gradient[1], 9 * u[1] + 3 * w[1], 1e-12);
  }
  check_near(hn_law_evaluate(law, -1, 2).value, 0.5 * 4 - 2, 1e-14); // the law has not changed
  hn_law_free(law);
  hn_arena_release(&arena);
}

static void what_is_no_input_or_too_many_is_refused(void **state) {
  (void)state;
  hn_law *law = NULL;
  hn_error error = {0};
  check_status(hn_law_expression_of_inputs("pedals*x", place_only, 1, inputs, defaults, 3, NULL,
                                           &law, &error),
               HN_ERROR_SYNTAX);
  assert_null(law);
  const char *const many_names[] = {"a1", "a2", "a3", "a4", "a5", "a6", "a7",
                                    "a8", "a9", "b1", "b2", "b3", "b4", "b5"};
  const double many_values[14] = {0};
  check_status(hn_law_expression_of_inputs(
                   "x + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + b1 + b2 + b3 + b4 + b5", three,
                   3, many_names, many_values, 14, NULL, &law, &error),
               HN_ERROR_LIMIT);
  check_names(error.message, "3 14");
  check_ok(hn_law_expression_of_inputs("x + a7 + a2 + a3 + a4 + a5", three, 3, many_names,
                                       many_values, 7, NULL, &law, &error));
  assert_int_equal(hn_law_input_count(law), 5);
  hn_law_free(law);
}

static void laws_of_different_inputs_have_different_hashes(void **state) {
  (void)state;
  hn_law *a = make("pedal*x", place_only, 1), *b = make("wheel*x", place_only, 1),
         *c = make("pedal*x", place_only, 1);
  assert_true(hn_law_hash(a) != hn_law_hash(b));
  assert_true(hn_law_hash(a) == hn_law_hash(c));
  hn_law_free(a);
  hn_law_free(b);
  hn_law_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_an_input_are_those_of_its_motion),
      cmocka_unit_test(a_filter_is_critically_damped_and_goes_on_smoothly),
      cmocka_unit_test(without_a_simulation_inputs_have_their_own_values),
      cmocka_unit_test(a_law_of_time_follows_inputs_with_all_derivatives),
      cmocka_unit_test(the_gradient_by_many_variables_includes_the_inputs),
      cmocka_unit_test(a_law_of_place_follows_inputs_at_a_time),
      cmocka_unit_test(what_is_no_input_or_too_many_is_refused),
      cmocka_unit_test(laws_of_different_inputs_have_different_hashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
