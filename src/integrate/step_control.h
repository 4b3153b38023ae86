// How large the next step may be (methods/first-order.md) with a proportional-integral term.
#ifndef HN_INTEGRATE_STEP_CONTROL_H
#define HN_INTEGRATE_STEP_CONTROL_H

typedef struct hn_step_control {
  double safety;   // 0.9
  double smallest; // factor of a reduction at most, 0.2
  double largest;  // factor of a growth at most, 5
  double exponent; // 1 / (q + 1), q the lower order of the pair
  double integral; // weight of the last error, 0.04 for dopri5
  double last_error;
  int after_rejection;
} hn_step_control;

hn_step_control hn_step_control_begin(int error_order);
// The factor for the next step from this step's error norm (1 is just acceptable).
double hn_step_control_accepted(hn_step_control *control, double error);
double hn_step_control_rejected(hn_step_control *control, double error);

// sqrt(mean((e_i / (atol + rtol max(|y0_i|, |y1_i|)))^2)); not finite counts as infinitely large.
double hn_error_norm(const double *e, const double *y0, const double *y1, int n, double atol,
                     double rtol);

#endif
