// Every combination that is built, on the examples, which have every kind of joint, force, driver and
// road: combinations.h.
#define _POSIX_C_SOURCE 200809L
#include "combinations.h"

static void every_combination_moves_every_kind_of_element_as_the_explicit_one(void **state) {
  (void)state;
  combinations_agree_in(EXAMPLES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_moves_every_kind_of_element_as_the_explicit_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
