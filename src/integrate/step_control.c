// Step size control: see step_control.h.
#include "integrate/step_control.h"

#include <math.h>

#include "math/elementary.h"

hn_step_control hn_step_control_begin(int error_order) {
  return (hn_step_control){.safety = 0.9,
                           .smallest = 0.2,
                           .largest = 5,
                           .exponent = 1.0 / (error_order + 1),
                           .integral = 0.04,
                           .last_error = 1e-4};
}

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

double hn_step_control_accepted(hn_step_control *control, double error) {
  double e = error > 1e-10 ? error : 1e-10;
  double factor = control->safety * hn_pow(e, -(control->exponent - 0.75 * control->integral)) *
                  hn_pow(control->last_error, control->integral);
  double most = control->after_rejection ? 1 : control->largest;
  control->last_error = e > 1e-4 ? e : 1e-4;
  control->after_rejection = 0;
  return clamp(factor, control->smallest, most);
}

double hn_step_control_rejected(hn_step_control *control, double error) {
  control->after_rejection = 1;
  if (!(error < HUGE_VAL)) return control->smallest;
  return clamp(control->safety * hn_pow(error, -control->exponent), control->smallest, 0.9);
}

double hn_error_norm(const double *e, const double *y0, const double *y1, int n, double atol,
                     double rtol) {
  if (n == 0) return 0;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double size = fabs(y0[i]) > fabs(y1[i]) ? fabs(y0[i]) : fabs(y1[i]);
    double x = e[i] / (atol + rtol * size);
    sum += x * x;
  }
  double norm = sqrt(sum / n);
  return isfinite(norm) ? norm : HUGE_VAL;
}
