// Every combination that is built, on suspensions, vehicles, chains and the steam machine:
// combinations.h.
#define _POSIX_C_SOURCE 200809L
#include "combinations.h"

static void every_combination_moves_vehicles_as_the_explicit_one(void **state) {
  (void)state;
  combinations_agree_in(VEHICLES);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_moves_vehicles_as_the_explicit_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
