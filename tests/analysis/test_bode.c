// Bode diagrams of x'' + 2 d w x' + w^2 x = u, whose response is 1 / (w^2 - W^2 + 2 i d w W).
#include <math.h>

#include "holon/linear.h"
#include "support/check.h"

#define PI 3.14159265358979323846
enum { COUNT = 41 };

static void an_oscillator_answers_from_a_tenth_to_ten_times_its_frequency(void **state) {
  (void)state;
  const double w = 2 * PI * 3, d = 0.05;
  const double a[] = {0, 1, -w * w, -2 * d * w}, b[] = {0, 1}, c[] = {1, 0}, through[] = {0};
  const hn_eigenvalue pair[] = {{-d * w, w * sqrt(1 - d * d), 3, d},
                                {-d * w, -w * sqrt(1 - d * d), 3, d}};
  const hn_linear linear = {.state_count = 2,
                            .input_count = 1,
                            .output_count = 1,
                            .a = a,
                            .b = b,
                            .c = c,
                            .d = through,
                            .eigenvalue_count = 2,
                            .eigenvalues = pair};
  double frequency[COUNT], gain[COUNT], phase[COUNT];
  check_ok(hn_linear_bode(&linear, 0, 0, COUNT, frequency, gain, phase));
  check_relative(frequency[0], 0.3, 1e-12);
  check_relative(frequency[COUNT - 1], 30, 1e-12);
  for (int k = 0; k < COUNT; k++) {
    const double turn = 2 * PI * frequency[k], real = w * w - turn * turn,
                 imaginary = 2 * d * w * turn;
    check_relative(gain[k], 1 / hypot(real, imaginary), 1e-10);
    check_near(phase[k], -atan2(imaginary, real) * 180 / PI, 1e-8);
    if (k > 0) check_relative(frequency[k] / frequency[k - 1], pow(100, 1.0 / (COUNT - 1)), 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_oscillator_answers_from_a_tenth_to_ten_times_its_frequency)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
