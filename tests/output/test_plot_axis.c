// Ticks of logarithmic axes.
#include <math.h>

#include "output/plot.h"
#include "support/check.h"

// Twelve decades do not get a tick each; ticks are at powers of ten, evenly.
static void a_long_logarithmic_axis_has_as_many_ticks_as_asked_for(void **state) {
  (void)state;
  const hn_plot_axis axis = hn_plot_log_axis(1e-7, 1e5, 5);
  assert_true(axis.count > 2 && axis.count <= 5 + 1); // five spaces
  check_relative(axis.low, 1e-7, 1e-12);
  check_relative(axis.high, 1e5, 1e-12);
  const double stride = log10(axis.tick[1] / axis.tick[0]);
  for (int k = 0; k < axis.count; k++) {
    const double power = log10(axis.tick[k]);
    check_near(power, round(power), 1e-9);
    check_near(power, -7 + k * stride, 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_logarithmic_axis_has_as_many_ticks_as_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
