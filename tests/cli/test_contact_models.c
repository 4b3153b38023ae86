// The models in models/contact run to their end. Long ones (spheres, stack, tilting) are left out.
#include <stdio.h>
#include <string.h>

#include "support/check.h"
#include "support/command.h"

static void every_machine_comes_to_its_end(void **state) {
  (void)state;
  static const char *const names[] = {"ball",
                                      "billiard",
                                      "bowl",
                                      "bump-stop",
                                      "cam",
                                      "cam-outline",
                                      "cam-roller",
                                      "clearance-four-bar",
                                      "cradle",
                                      "disk",
                                      "geneva",
                                      "gripper",
                                      "knife",
                                      "incline",
                                      "clearance-slider",
                                      "latch",
                                      "pi",
                                      "press",
                                      "ratchet",
                                      "roll",
                                      "sleigh",
                                      "slope",
                                      "rocking",
                                      "stick-slip",
                                      "pile",
                                      "woodpecker",
                                      "brake-shoe",
                                      "walls",
                                      "klein",
                                      "lugre",
                                      "ladder"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    hn_command c = hn_run_holon("run models/contact/%s.yaml --accuracy off --json", names[k]);
    if (c.code != 0) fail_msg("%s: %d\n%s%s", names[k], c.code, c.out, c.err);
    assert_null(strstr(c.out, "\"grade\": \"unsound\""));
    hn_command_free(&c);
  }
}

// Reports contacts of bodies that a joint connects, which do nothing, and rows of balls in contact,
// whose motion restitution does not determine.
static void doubtful_contacts_are_told(void **state) {
  (void)state;
  hn_command c = hn_run_holon("run models/contact/cradle.yaml --set gap=0 --accuracy off");
  check_names(c.err, "'all' 'd'");
  hn_command_free(&c);
  c = hn_run_holon("run models/contact/cradle.yaml --accuracy off --json");
  assert_int_equal(hn_json_count(c.out, "certificate/warnings"), 0);
  hn_command_free(&c);
  c = hn_run_holon("run tests/cli/joined-contact.yaml --accuracy off");
  check_names(c.err, "'touch'");
  hn_command_free(&c);
}

// A cylinder modeled by a prism is reported by `check` and by `run`, once each.
static void prisms_are_told(void **state) {
  (void)state;
  static const char *const lines[] = {"check tests/cli/prism-contact.yaml",
                                      "run tests/cli/prism-contact.yaml --accuracy off"};
  for (int k = 0; k < 2; k++) {
    hn_command c = hn_run_holon("%s", lines[k]);
    check_names(c.err[0] ? c.err : c.out, "32 0.00289"); // (0.5 m + 0.1 m) (1 - cos(pi/32))
    hn_command_free(&c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_machine_comes_to_its_end),
                                     cmocka_unit_test(doubtful_contacts_are_told),
                                     cmocka_unit_test(prisms_are_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
