// Switches of formulas of several variables: which operations have bits, what they decide, and the
// formula on branches that do not hold.
#include <math.h>
#include <string.h>

#include "math/law.h"
#include "support/check.h"

static const char *const names[] = {"x", "v", "t"};

static hn_law *make(const char *text) {
  hn_law *law = NULL;
  hn_error error = {0};
  if (hn_law_expression(text, names, 3, NULL, &law, &error) != HN_OK)
    fail_msg("%s: %s", text, error.message);
  return law;
}

static void operations_with_two_branches_have_bits(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int bits;
  } cases[] = {
      {"4e3*x + 20*v*t", 0},      {"abs(x) + abs(v)", 2}, {"max(0, x, v)", 2},
      {"sign(x)*t", 1},           {"sign(v)*t", 0}, // dry friction comes to rest at the jump
      {"step(x + 0.1*v)", 0},                       // ... and so may this
      {"x if x > 0 else v", 1},                     // the comparison decides
      {"x if v > 0 else -x", 0},                    // a jump by v
      {"floor(x) + mod(t, 2)", 0}                   // more than two branches
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_law *law = make(cases[k].text);
    if (hn_law_switches(law) != cases[k].bits)
      fail_msg("%s: %d", cases[k].text, hn_law_switches(law));
    hn_law_free(law);
  }
}

// At random places the decided formula is the formula, with its gradient.
static void on_the_branches_that_hold_nothing_changes(void **state) {
  (void)state;
  static const char *const texts[] = {"max(0, 1e3*x + 20*v)", "min(abs(x - t), 2*v^2, 1) * sign(x)",
                                      "(x*v if x < t else v^2) + step(t - 0.3)",
                                      "abs(abs(x) - abs(v)) + max(x, v, t)"};
  hn_random random = hn_random_seed(4);
  for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
    hn_law *law = make(texts[k]);
    for (int trial = 0; trial < 200; trial++) {
      double at[3], one[3], other[3];
      hn_random_fill(&random, at, 3, -1, 1);
      double value = hn_law_evaluate_many(law, at, one);
      int decisions = hn_law_decide(law, at);
      check_near(hn_law_evaluate_decided(law, decisions, at, other), value, 0);
      check_near_many(other, one, 3, 0);
      check_near(hn_law_evaluate_decided(law, -1, at, other), value, 0); // free
    }
    hn_law_free(law);
  }
}

static void a_branch_goes_on_beyond_its_end(void **state) {
  (void)state;
  hn_law *law = make("max(0, 1e3*x + 20*v)");
  double gradient[3];
  int pushing = hn_law_decide(law, (double[]){1, 1, 0});
  assert_true(pushing != hn_law_decide(law, (double[]){-1, -1, 0}));
  check_near(hn_law_evaluate_decided(law, pushing, (double[]){-1, 2, 0}, gradient), -960, 1e-12);
  check_near_many(gradient, ((double[]){1e3, 20, 0}), 3, 0);
  hn_law_free(law);
}

// Branches in an alternative that is not chosen do not change.
static void what_is_not_chosen_decides_nothing(void **state) {
  (void)state;
  hn_law *law = make("abs(v) if x > 0 else abs(t)");
  int there = hn_law_decide(law, (double[]){1, 1, 1});
  assert_int_equal(hn_law_decide(law, (double[]){1, 1, -1}), there);
  assert_true(hn_law_decide(law, (double[]){1, -1, 1}) != there);
  hn_law_free(law);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(operations_with_two_branches_have_bits),
      cmocka_unit_test(on_the_branches_that_hold_nothing_changes),
      cmocka_unit_test(a_branch_goes_on_beyond_its_end),
      cmocka_unit_test(what_is_not_chosen_decides_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
