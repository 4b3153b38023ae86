// Patterns over signal names.
#include "base/glob.h"

#include "support/check.h"

static void stars_and_question_marks_match(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *text;
    int match;
  } cases[] = {
      {"energy.total", "energy.total", 1},
      {"energy.total", "energy.tota", 0},
      {"*", "", 1},
      {"*", "body.rod.roll", 1},
      {"", "", 1},
      {"", "a", 0},
      {"?", "", 0},
      {"body.*.position.*", "body.front.arm.position.x", 1},
      {"body.*.position.*", "body.rod.velocity.x", 0},
      {"*.?", "joint.pin.x", 1},
      {"*.?", "joint.pin.xx", 0},
      {"*a*b", "aab", 1},
      {"*a*b", "aaba", 0},
      {"a**b", "ab", 1},
      {"*ab*abc", "ababcabababc", 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (hn_glob_match(cases[k].pattern, cases[k].text) != cases[k].match)
      fail_msg("'%s' against '%s'", cases[k].pattern, cases[k].text);
  assert_int_equal(hn_glob_is_pattern("body.rod.roll"), 0);
  assert_int_equal(hn_glob_is_pattern("body.?.roll"), 1);
}

static void many_stars_cost_little(void **state) {
  (void)state;
  char text[5001], pattern[64];
  for (int k = 0; k < 5000; k++) text[k] = 'a';
  text[5000] = 0;
  for (int k = 0; k < 60; k++) pattern[k] = k % 2 ? 'a' : '*';
  pattern[60] = 'b';
  pattern[61] = 0;
  assert_int_equal(hn_glob_match(pattern, text), 0); // exponential matchers never come back
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stars_and_question_marks_match),
      cmocka_unit_test(many_stars_cost_little),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
