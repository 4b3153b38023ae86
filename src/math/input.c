// Inputs between the times they are given: see input.h.
#include "math/input.h"

#include <math.h>

#include "math/elementary.h"
#include "math/past.h"

void hn_input_at(const hn_input_state *input, double t, double d[4]) {
  double s = t - input->time, w = input->pole;
  if (input->history) {
    hn_past_at(input->history, t, d);
    return;
  }
  if (w < 0) {
    const double e = input->value - input->target, f = input->rate / -w;
    const double c = hn_cos(w * s), n = hn_sin(-w * s);
    d[0] = input->target + e * c + f * n;
    d[1] = -w * (f * c - e * n);
    d[2] = -w * w * (d[0] - input->target);
    d[3] = -w * w * d[1];
    return;
  }
  if (!(w > 0)) {
    d[0] = input->value + s * (input->rate + 0.5 * s * input->acceleration);
    d[1] = input->rate + s * input->acceleration;
    d[2] = input->acceleration;
    d[3] = 0;
    return;
  }
  // f = (a + b s) exp(-w s):  f' = (b - w a - w b s) exp(-w s), and so on
  double a = input->value - input->target, b = input->rate + w * a, fade = hn_exp(-w * s);
  d[0] = input->target + (a + b * s) * fade;
  for (int k = 1; k < 4; k++) {
    a = b - w * a;
    b = -w * b;
    d[k] = (a + b * s) * fade;
  }
}

void hn_input_give(hn_input_state *input, double t, double value, double rate,
                   double acceleration) {
  double d[4];
  hn_input_at(input, t, d);
  input->time = t;
  if (input->pole > 0) {
    input->value = d[0];
    input->rate = d[1];
    input->target = value;
    return;
  }
  input->pole = 0;
  input->value = value;
  input->rate = rate;
  input->acceleration = acceleration;
}

void hn_input_swing(hn_input_state *input, double t, double mean, double amplitude, double w) {
  *input =
      (hn_input_state){.time = t, .value = mean, .rate = amplitude * w, .target = mean, .pole = -w};
}
