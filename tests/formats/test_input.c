// Inputs in model files: values, units, filters, where they may stand, components.
#include "formats/loading.h"

#include <math.h>

#define CART                                                                                       \
  "bodies:\n  cart: {mass: 1, inertia: [1, 1, 1]}\n"                                               \
  "joints:\n  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"

static void values_units_and_filters_are_read(void **state) {
  (void)state;
  hn_model *model = load_text("parameters: {high: 3}\n"
                              "inputs:\n  pedal: 0.25\n  angle: 90 deg\n"
                              "  push: {value: 2 kN, filter: 20 ms}\n  bare: {}\n"
                              "  gear{i}: {repeat: {i: [1, 2]}, value: i*high}\n" CART);
  assert_int_equal(hn_model_input_count(model), 6);
  const hn_input_def *push = hn_model_input(model, hn_model_find_input(model, "push"));
  check_near(push->value, 2000, 0);
  check_near(push->filter, 0.02, 1e-15);
  assert_string_equal(push->unit, "N");
  check_near(hn_model_input(model, 0)->value, 0.25, 0);
  assert_null(hn_model_input(model, 0)->unit);
  check_near(hn_model_input(model, 1)->value, acos(-1) / 2, 1e-15);
  check_near(hn_model_input(model, hn_model_find_input(model, "bare"))->value, 0, 0);
  check_near(hn_model_input(model, hn_model_find_input(model, "gear2"))->value, 6, 0);
  assert_int_equal(hn_model_find_input(model, "throttle"), -1);
  assert_null(hn_model_input(model, 6));
  hn_model_free(model);
}

static void laws_use_inputs_like_parameters(void **state) {
  (void)state;
  hn_model *model = load_text(
      "parameters: {stiff: 100 N/m}\ninputs:\n  shift: 0.5 m\n  gain: 3\n" CART
      "drivers:\n  motor: {joint: rail, motion: shift + 0.1*t}\n"
      "forces:\n  spring: {type: joint-spring-damper, joint: rail, force: stiff*(x - shift)*gain}\n"
      "  all: {type: joint-spring-damper, joint: rail, law: gain*v + stiff*shift}\n"
      "  load: {type: point-force, body: cart, at: [0, 0, 0], force: [gain, 2*gain*t, 0]}\n"
      "outputs:\n  given: {value: input.shift.value, unit: m}\n");
  check_near(hn_law_evaluate(model->drivers[0].law, -1, 2).value, 0.7, 1e-15);
  check_near(hn_law_evaluate(model->forces[0].of_x, -1, 0.7).value, 60, 1e-12);
  check_near(hn_law_evaluate_many(model->forces[1].of_xvt, (double[]){0, 2, 0}, NULL), 56, 0);
  check_near(hn_law_evaluate(model->forces[2].component_law[1], -1, 2).value, 12, 0);
  hn_model_free(model);
}

static void a_component_has_inputs_under_its_name(void **state) {
  (void)state;
  hn_model *model = load_text("inputs:\n  push: 1\n"
                              "components:\n  left: {use: pushed.yaml, position: [0, 1, 0]}\n"
                              "  right: {use: pushed.yaml, mirror: y}\n");
  assert_int_equal(hn_model_input_count(model), 3);
  int left = hn_model_find_input(model, "left.push");
  assert_true(left >= 0 && hn_model_find_input(model, "right.push") >= 0);
  check_near(hn_model_input(model, left)->value, 7, 0);
  check_near(hn_law_evaluate(model->forces[0].of_t, -1, 0).value, 14, 0);
  hn_model_free(model);
}

static void inputs_are_part_of_the_hash(void **state) {
  (void)state;
  hn_model *a = load_text("inputs: {push: 1}\n" CART), *b = load_text("inputs: {push: 2}\n" CART),
           *c = load_text("inputs: {push: {value: 1, filter: 1}}\n" CART), *d = load_text(CART);
  unsigned long long hash[4] = {hn_model_hash(a), hn_model_hash(b), hn_model_hash(c),
                                hn_model_hash(d)};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) assert_true(hash[i] != hash[j]);
  hn_model_free(a);
  hn_model_free(b);
  hn_model_free(c);
  hn_model_free(d);
}

static void mistakes_are_told_with_their_place(void **state) {
  (void)state;
  refuse_text("inputs:\n  push: 1\nbodies:\n  cart: {mass: push}\n", 4, "'cart' 'mass'");
  refuse_text("parameters: {push: 1}\ninputs:\n  push: 1\n" CART, 3, "'push'");
  refuse_text("inputs:\n  t: 1\n" CART, 2, "'t'");
  refuse_text("inputs:\n  push: {valu: 1}\n" CART, 2, "'value'");
  refuse_text("inputs:\n  push: {filter: 2 m}\n" CART, 2, "'push'");
  refuse_text("inputs:\n  push: {filter: -1}\n" CART, 2, "filter");
  refuse_text("inputs:\n  push: 1 kg\n" CART
              "forces:\n  f: {type: joint-spring-damper, joint: rail, actuator: push}\n",
              8, "'push'");
  refuse_text("inputs:\n  push: 1 N\n" CART
              "forces:\n  f: {type: joint-spring-damper, joint: rail, actuator: pusch}\n",
              8, "'pusch'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_units_and_filters_are_read),
      cmocka_unit_test(laws_use_inputs_like_parameters),
      cmocka_unit_test(a_component_has_inputs_under_its_name),
      cmocka_unit_test(inputs_are_part_of_the_hash),
      cmocka_unit_test(mistakes_are_told_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
