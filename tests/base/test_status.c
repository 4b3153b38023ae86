// Status codes: every one has its own number, name and text, and signs mean what the header says.
#include <stdio.h>
#include <string.h>

#include "support/check.h"

static const struct {
  hn_status status;
  int value;
  const char *name, *text;
} all[] = {
#define ROW(code, value, name, text) {code, value, name, text},
    HN_STATUS_LIST(ROW)
#undef ROW
};
enum { COUNT = (int)(sizeof all / sizeof all[0]) };

static void every_status_has_its_name_and_text(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(all[i].status, all[i].value);
    assert_string_equal(hn_status_name(all[i].status), all[i].name);
    assert_string_equal(hn_status_text(all[i].status), all[i].text);
  }
}

static void names_and_numbers_are_unique(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++)
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(all[i].name, all[j].name);
      assert_int_not_equal(all[i].value, all[j].value);
    }
}

// 0 done, positive: again with a smaller step, negative: stop.
static void signs_tell_what_to_do(void **state) {
  (void)state;
  for (int i = 0; i < COUNT; i++) {
    int retry = strncmp(all[i].name, "retry", 5) == 0;
    assert_int_equal(all[i].value > 0, retry);
    assert_int_equal(all[i].value == 0, strcmp(all[i].name, "ok") == 0);
  }
}

static void other_numbers_are_unknown(void **state) {
  (void)state;
  assert_string_equal(hn_status_name((hn_status)-15), "unknown");
  assert_string_equal(hn_status_name((hn_status)7), "unknown");
  assert_non_null(hn_status_text((hn_status)7));
}

static void version_is_that_of_the_headers(void **state) {
  (void)state;
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", HN_VERSION_MAJOR, HN_VERSION_MINOR,
           HN_VERSION_PATCH);
  assert_string_equal(hn_version(), version);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_name_and_text),
      cmocka_unit_test(names_and_numbers_are_unique),
      cmocka_unit_test(signs_tell_what_to_do),
      cmocka_unit_test(other_numbers_are_unknown),
      cmocka_unit_test(version_is_that_of_the_headers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
