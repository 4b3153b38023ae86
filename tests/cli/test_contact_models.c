// The machines in models/contact run to their end. Long ones (spheres, stack, tilting) are left out.
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/command.h"

static void every_machine_comes_to_its_end(void **state) {
  (void)state;
  static const char *const names[] = {
      "ball",    "billiard",   "bowl",   "bump-stop", "cam",   "cam-roller", "clearance-four-bar",
      "cradle",  "disk",       "geneva", "gripper",   "knife", "incline",    "clearance-slider",
      "latch",   "pi",         "press",  "ratchet",   "roll",  "sleigh",     "slope",
      "rocking", "stick-slip", "pile"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    hn_command c = hn_run_holon("run models/contact/%s.yaml --accuracy off --json", names[k]);
    if (c.code != 0) fail_msg("%s: %d\n%s%s", names[k], c.code, c.out, c.err);
    assert_null(strstr(c.out, "\"grade\": \"unsound\""));
    hn_command_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_machine_comes_to_its_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
