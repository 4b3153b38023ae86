// Every built combination of coordinates, method, formula and independent coordinates starts and steps
// chains of 7, 15 and 31 bodies: with the ground these counts fill arrays of 8, 16 and 32 that grow by
// doubling, so that a loop one past the end leaves them. Sanitizers see it (cmake --preset sanitize).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/check.h"

static hn_model *make_chain(int count) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81}));
  int before = HN_GROUND;
  for (int k = 0; k < count; k++) {
    char name[32];
    snprintf(name, sizeof name, "link_%d", k);
    hn_body_def body = hn_default_body();
    body.name = name;
    body.position = (hn_vec3){k + 0.5, 0, 0};
    int id = -1;
    check_ok(hn_model_add_body(model, &body, &id));
    hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
    snprintf(name, sizeof name, "pin_%d", k);
    pin.name = name;
    pin.frame1 = hn_model_frame(model, before, (hn_vec3){k, 0, 0}, (hn_vec3){0, 1, 0});
    pin.frame2 = hn_model_frame(model, id, (hn_vec3){k, 0, 0}, (hn_vec3){0, 1, 0});
    check_ok(hn_model_add_joint(model, &pin, NULL));
    before = id;
  }
  check_ok(hn_model_finish(model));
  return model;
}

static void run(const hn_model *model, const char *const names[4]) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = names[0];
  options.method = names[1];
  options.formula = names[2];
  options.independent = names[3];
  options.step = strncmp(names[1], "augmented", 9) == 0 ? 1e-4 : 0;
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_status status = hn_simulation_create(model, &options, &s, &error);
  if (status == HN_OK) status = hn_simulation_advance(s, 1e-3);
  if (status != HN_OK)
    fail_msg("%s %s %s %s: %s", names[0], names[1], names[2], names[3],
             s ? hn_simulation_error(s)->message : error.message);
  double angle = 0;
  check_ok(hn_simulation_value(s, "joint.pin_0.angle", &angle));
  // released level: all links but the last fall with the first one's, nearly freely, for a moment
  check_at_most(fabs(angle), 0.5 * 9.81 * 1e-6 * 2);
  assert_true(angle != 0);
  hn_simulation_free(s);
}

static void step_chain(int count) {
  hn_model *model = make_chain(count);
  int found = 0;
  for (int c = 0; hn_list_coordinates(c); c++)
    for (int m = 0; hn_list_methods(m); m++)
      for (int f = 0; hn_list_formulas(f); f++)
        for (int i = 0; hn_list_independent(i); i++) {
          const char *const names[4] = {hn_list_coordinates(c), hn_list_methods(m),
                                        hn_list_formulas(f), hn_list_independent(i)};
          if (!hn_combination_is_built(names[0], names[1], names[2], names[3], NULL)) continue;
          run(model, names);
          found++;
        }
  assert_true(found >= 60);
  hn_model_free(model);
}

static void chains_of_7(void **state) {
  (void)state;
  step_chain(7);
}

static void chains_of_15(void **state) {
  (void)state;
  step_chain(15);
}

static void chains_of_31(void **state) {
  (void)state;
  step_chain(31);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_of_7),
      cmocka_unit_test(chains_of_15),
      cmocka_unit_test(chains_of_31),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
