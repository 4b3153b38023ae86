// Comparing formulations from a program: a reference that two confirm, errors, the front, what is
// recommended, and who may end it.
#include <math.h>

#include "formats/loading.h"
#include "holon/compare.h"

static hn_model *load_pendulum(void) {
  hn_model *model = NULL;
  hn_error error;
  if (hn_model_load("models/examples/pendulum.yaml", NULL, &model, &error))
    fail_msg("%s", error.message);
  return model;
}

static const hn_formulation some[] = {
    {"cartesian", "first-order", "dopri5", "none"},
    {"relative", "first-order", "dopri5", "none"},
    {"natural", "descriptor", "sdirk4-16", "none"},
};
static const double tols[] = {1e-5, 1e-3, 1e-7}, steps[] = {1e-3};

static hn_compare_options small(void) {
  return (hn_compare_options){.among = some,
                              .among_count = 3,
                              .tols = tols,
                              .tol_count = 3,
                              .steps = steps,
                              .step_count = 1,
                              .time = 0.5,
                              .budget = 30};
}

static void levels_and_errors_are_in_order(void **state) {
  (void)state;
  hn_model *model = load_pendulum();
  hn_compare_options options = small();
  hn_comparison *c = NULL;
  hn_error error;
  if (hn_compare_model(model, &options, &c, &error)) fail_msg("%s", error.message);
  assert_int_equal(c->formulation_count, 4); // and `auto`
  assert_string_equal(c->formulations[3].coordinates, "auto");
  check_near(c->tols[0], 1e-3, 0); // the loosest first
  assert_true(c->is_limited);
  assert_true(c->trial >= 0 && c->partner >= 0 && c->trial != c->partner);
  assert_true(c->uncertainty < 1e-6);
  int good = 0, front = 0;
  for (int k = 0; k < c->point_count; k++) {
    const hn_compare_point *p = &c->points[k];
    if (p->status != HN_OK) continue;
    good++;
    front += p->is_front;
    // errors follow tolerances, and none is better than what is known
    assert_true(p->error >= c->uncertainty);
    if (p->tol > 0) assert_true(p->error < 100 * p->tol + 2 * c->uncertainty);
    for (int i = 0; i < c->point_count && p->is_front; i++) // nothing is better in both
      assert_false(c->points[i].status == HN_OK && c->points[i].error < p->error &&
                   c->points[i].seconds < p->seconds);
  }
  assert_true(good >= 9 && front >= 1);
  assert_int_equal(c->recommendation_count, 3);
  const hn_recommendation *r = &c->recommendations[0];
  assert_true(r->point >= 0);
  assert_true(c->points[r->point].error + c->uncertainty <= r->accuracy);
  assert_string_not_equal(c->formulations[c->points[r->point].formulation].coordinates, "auto");
  hn_comparison_free(c);
  hn_model_free(model);
}

static int end_soon(void *context, const char *what, double share) {
  (void)share;
  int *runs = context;
  if (what && strncmp(what, "reference", 9) != 0) ++*runs;
  return *runs < 2;
}

static void who_watches_may_end_it(void **state) {
  (void)state;
  hn_model *model = load_pendulum();
  hn_compare_options options = small();
  hn_comparison *c = NULL;
  hn_error error;
  int runs = 0, computed = 0;
  options.progress = end_soon;
  options.context = &runs;
  assert_int_equal(hn_compare_model(model, &options, &c, &error), HN_OK);
  for (int k = 0; k < c->point_count; k++) computed += c->points[k].status == HN_OK;
  assert_int_equal(computed, 1);
  assert_true(c->is_over);
  hn_comparison_free(c);
  hn_model_free(model);
}

static void items_are_words_between_slashes(void **state) {
  (void)state;
  const hn_formulation f = {"relative", "first-order", "rosenbrock", "partition"};
  assert_true(hn_formulation_matches(&f, "relative"));
  assert_true(hn_formulation_matches(&f, "rosenbrock/relative"));
  assert_true(hn_formulation_matches(&f, "rel*/first-????r"));
  assert_false(hn_formulation_matches(&f, "relative/dopri5"));
  const hn_formulation preset = {"cartesian", "first-order", "rosenbrock", "partition"};
  assert_true(hn_formulation_matches(&preset, "ForRosen"));
  assert_false(hn_formulation_matches(&f, "ForRosen"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(levels_and_errors_are_in_order),
      cmocka_unit_test(who_watches_may_end_it),
      cmocka_unit_test(items_are_words_between_slashes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
