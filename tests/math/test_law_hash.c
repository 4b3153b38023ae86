// The hash of a law: the same for the same definition, another for any change.
#include <math.h>

#include "math/law.h"
#include "model/storage.h"
#include "support/check.h"

#define LAWS 20

static hn_law *formula(const char *text, const char *first, const char *second) {
  const char *const names[] = {first, second};
  hn_law *law = NULL;
  check_ok(hn_law_expression(text, names, second ? 2 : 1, NULL, &law, NULL));
  return law;
}

static hn_law *table(double last, hn_table_kind kind) {
  const double x[] = {0, 1, 2}, y[] = {0, 1, last};
  hn_law *law = NULL;
  check_ok(hn_law_table(x, y, 3, kind, NULL, &law, NULL));
  return law;
}

static hn_law *polynomial(double c0, double c1, int count) {
  hn_law *law = NULL;
  check_ok(hn_law_polynomial((double[]){c0, c1}, count, NULL, &law, NULL));
  return law;
}

static hn_law *constant(double value) {
  hn_law *law = NULL;
  check_ok(hn_law_constant(value, NULL, &law, NULL));
  return law;
}

static hn_law *broken(double at) {
  hn_law *law = NULL;
  check_ok(hn_law_piecewise(&at, (double[]){1, 2}, 2, 1, NULL, &law, NULL));
  return law;
}

static hn_law *make(int which) {
  switch (which) {
  case 0: return constant(3);
  case 1: return constant(nextafter(3, 4));
  case 2: return polynomial(3, 0, 1);
  case 3: return polynomial(3, 0, 2);
  case 4: return polynomial(0, 3, 2);
  case 5: return broken(1);
  case 6: return broken(nextafter(1, 2));
  case 7: return table(2.5, HN_TABLE_LINEAR);
  case 8: return table(2.5, HN_TABLE_SPLINE);
  case 9: return table(nextafter(2.5, 3), HN_TABLE_SPLINE);
  case 10: return formula("3", "x", NULL);
  case 11: return formula("x", "x", NULL);
  case 12: return formula("x*1", "x", NULL);
  case 13: return formula("x + y", "x", "y");
  case 14: return formula("x - y", "x", "y");
  case 15: return formula("x - y", "y", "x");
  case 16: return formula("x", "x", "y");
  case 17: return formula("sin(pi*x)", "x", NULL); // 0 at every whole number
  case 18: return formula("sin(2*pi*x)", "x", NULL);
  default: return formula("1 if x > 1e9 else 0", "x", NULL);
  }
}

static void different_laws_have_different_hashes(void **state) {
  (void)state;
  unsigned long long seen[LAWS];
  for (int k = 0; k < LAWS; k++) {
    hn_law *law = make(k), *again = make(k);
    seen[k] = hn_law_hash(law);
    assert_true(seen[k] == hn_law_hash(again));
    for (int i = 0; i < k; i++)
      if (seen[i] == seen[k]) fail_msg("laws %d and %d have one hash", i, k);
    hn_law_free(law);
    hn_law_free(again);
  }
}

// How a formula is written is no part of it: spaces, names, parentheses without effect.
static void the_text_of_a_formula_does_not_matter(void **state) {
  (void)state;
  hn_law *plain = formula("2*x+1", "x", NULL), *spaced = formula(" (2 * s) + 1", "s", NULL);
  assert_true(hn_law_hash(plain) == hn_law_hash(spaced));
  hn_law_free(plain);
  hn_law_free(spaced);
}

// Formulas that agree wherever one would look, as parts of a model.
static void models_with_different_formulas_differ(void **state) {
  (void)state;
  const char *const texts[] = {"0", "1 if x > 500 and x < 501 else 0",
                               "1 if x > 500 and x < 502 else 0"};
  unsigned long long seen[3];
  for (int k = 0; k < 3; k++) {
    hn_model *model = NULL;
    check_ok(hn_model_create(NULL, &model));
    hn_body_def body = hn_default_body();
    body.name = "mass";
    body.mass = 1;
    check_ok(hn_model_add_body(model, &body, NULL));
    hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
    spring.name = "spring";
    spring.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
    spring.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 1}, (hn_vec3){0, 0, 1});
    spring.of_x = formula(texts[k], "x", NULL);
    check_ok(hn_model_add_force(model, &spring, NULL));
    seen[k] = hn_model_hash(model);
    for (int i = 0; i < k; i++) assert_true(seen[i] != seen[k]);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(different_laws_have_different_hashes),
      cmocka_unit_test(the_text_of_a_formula_does_not_matter),
      cmocka_unit_test(models_with_different_formulas_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
