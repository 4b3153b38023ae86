// Stores past the caches leave the same numbers as a copy, wherever they start and however many.
#include "support/check.h"

#include "base/stream.h"

static void streamed_numbers_are_those_of_a_copy(void **state) {
  (void)state;
  double from[64], to[70];
  for (int i = 0; i < 64; i++) from[i] = 1.0 / (i + 1);
  for (int begin = 0; begin < 4; begin++)
    for (int count = 0; count <= 60; count++) {
      for (int i = 0; i < 70; i++) to[i] = -1;
      hn_stream(to + begin, from + begin / 2, (size_t)count);
      hn_stream_end();
      for (int i = 0; i < 70; i++) {
        const int is_inside = i >= begin && i < begin + count;
        assert_true(to[i] == (is_inside ? from[begin / 2 + i - begin] : -1));
      }
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(streamed_numbers_are_those_of_a_copy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
