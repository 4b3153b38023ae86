// The hash of a description: the same for the same machine, another for any change.
#include <stdlib.h>

#include "model/build.h"

typedef struct variant {
  double mass, coefficient, breakpoint, point;
  const char *name, *file, *expression;
} variant;

static const variant original = {1, 5, 0.5, 0.25, "rod", "m.yaml", "3*x + v"};

static unsigned long long hash_of(variant v) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def body = hn_default_body();
  body.name = v.name;
  body.mass = v.mass;
  body.source = (hn_source){v.file, 1, 1};
  int id;
  check_ok(hn_model_add_body(model, &body, &id));
  hn_force_def force = hn_default_force(HN_FORCE_SPRING_DAMPER);
  force.name = "spring";
  force.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, v.point), vec3(0, 0, 1));
  force.frame2 = hn_model_frame(model, id, vec3(1, 0, 0), vec3(0, 0, 1));
  const double coefficients[] = {0, v.coefficient, 0, 2 * v.coefficient};
  check_ok(hn_law_piecewise(&v.breakpoint, coefficients, 2, 2, NULL, &force.of_x, NULL));
  const char *const variables[] = {"x", "v", "t"};
  check_ok(hn_law_expression(v.expression, variables, 3, NULL, &force.of_xvt, NULL));
  check_ok(hn_model_add_force(model, &force, NULL));
  check_ok(hn_model_finish(model));
  unsigned long long hash = hn_model_hash(model);
  hn_model_free(model);
  return hash;
}

static void the_same_description_has_the_same_hash(void **state) {
  (void)state;
  void *shift = malloc(12345); // other addresses
  unsigned long long first = hash_of(original);
  free(shift);
  assert_true(first == hash_of(original));
  variant moved = original;
  moved.file = "elsewhere.yaml";
  assert_true(first == hash_of(moved));
}

static void any_change_changes_the_hash(void **state) {
  (void)state;
  variant v[6];
  for (int k = 0; k < 6; k++) v[k] = original;
  v[0].mass = nextafter(1, 2);
  v[1].coefficient = 5.0000001;
  v[2].breakpoint = 0.500001;
  v[3].point = 0.26;
  v[4].name = "rob";
  v[5].expression = "3*x + v + 1e-9*t";
  unsigned long long seen[7] = {hash_of(original)};
  for (int k = 0; k < 6; k++) {
    seen[k + 1] = hash_of(v[k]);
    for (int i = 0; i <= k; i++) assert_true(seen[i] != seen[k + 1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_description_has_the_same_hash),
      cmocka_unit_test(any_change_changes_the_hash),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
