// Every combination that is built, on models of one mechanism: combinations.h.
#define _POSIX_C_SOURCE 200809L
#include "combinations.h"

static void every_combination_moves_mechanisms_as_the_explicit_one(void **state) {
  (void)state;
  combinations_agree_in(MECHANISMS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_moves_mechanisms_as_the_explicit_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
