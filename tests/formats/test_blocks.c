// Blocks of `states:` with invalid numbers are errors of the file, reported with their line.
#include "formats/loading.h"

#define BODY "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
#define OF "of: body.b.position.x"

static void time_constants_are_above_zero(void **state) {
  (void)state;
  refuse_text(BODY "states: {q: {" OF ", filter: 0}}\n", 2, "'q' 'filter'");
  refuse_text(BODY "states: {q: {" OF ", filter: -1 ms, order: 2}}\n", 2, "'q' 'filter'");
  refuse_text(BODY "states: {q: {" OF ", pid: {kp: 1, kd: 1, filter: 0}}}\n", 2, "'q' 'filter'");
  refuse_text(BODY "states: {q: {" OF ", pid: {kp: 1, ki: 1, low: -1, high: 1, tracking: 0}}}\n", 2,
              "'q' 'tracking'");
  hn_model *model =
      load_text("parameters: {T: 5 ms}\n" BODY "states: {q: {" OF ", filter: 2*T}}\n");
  hn_model_free(model);
}

static void hysteresis_has_its_lower_limit_first(void **state) {
  (void)state;
  refuse_text(BODY "states: {q: {" OF ", hysteresis: [1, 0]}}\n", 2, "'q'");
  refuse_text(BODY "states: {q: {" OF ", hysteresis: [1, 1]}}\n", 2, "'q'");
  hn_model *model = load_text(BODY "states: {q: {" OF ", hysteresis: [0, 1 mm]}}\n");
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_constants_are_above_zero),
      cmocka_unit_test(hysteresis_has_its_lower_limit_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
