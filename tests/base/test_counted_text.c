// Text that may not fit: counted whole, cut at the room, ended within it.
#include <string.h>

#include "base/counted_text.h"
#include "support/check.h"

static void what_fits_is_whole(void **state) {
  (void)state;
  char text[16];
  hn_counted_text w = {text, sizeof text, 0};
  hn_put_text(&w, "four");
  hn_put_text(&w, "");
  hn_put_text(&w, "-bar");
  assert_string_equal(text, "four-bar");
  assert_int_equal(w.length, 8);
}

static void what_does_not_fit_is_counted(void **state) {
  (void)state;
  char text[8];
  memset(text, 'x', sizeof text);
  hn_counted_text w = {text, 6, 0};
  for (int k = 0; k < 3; k++) hn_put_text(&w, "four");
  assert_string_equal(text, "fourf");
  assert_int_equal(text[6], 'x'); // behind the room
  assert_int_equal(w.length, 12);
}

static void without_room_it_is_only_counted(void **state) {
  (void)state;
  hn_counted_text w = {NULL, 0, 0};
  hn_put_text(&w, "slider-crank");
  assert_int_equal(w.length, 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_fits_is_whole),
      cmocka_unit_test(what_does_not_fit_is_counted),
      cmocka_unit_test(without_room_it_is_only_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
