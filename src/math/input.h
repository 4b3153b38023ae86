// An input as laws see it: a value given from outside at one time and carried on from there,
//
//   given       u(t) = value + rate s + acceleration s^2 / 2,            s = t - time
//   late        u(t) = what a signal was some time before (math/past.h)
//   swinging    u(t) = target + e cos(w s) + rate/w sin(w s),             e = value - target
//   filtered    u(t) = target + (e + (rate + w e) s) exp(-w s),           e = value - target
//
// the last being the critically damped answer u'' = w^2 (target - u) - 2 w u' to a step of what is
// given: continuous with its rate, so that a driver may follow it.
#ifndef HN_MATH_INPUT_H
#define HN_MATH_INPUT_H

typedef struct hn_input_state {
  double time;                      // where the following hold
  double value, rate, acceleration; // acceleration: not of filtered ones
  double target, pole;              // pole w > 0 (1/s): filtered; -w < 0: swinging
  double samples;                   // of what it follows: how many were taken
  const struct hn_past *history;    // of a delayed one; null: not delayed
} hn_input_state;

// Value and three derivatives by time.
void hn_input_at(const hn_input_state *input, double t, double derivatives[4]);
// Another target (pole > 0) or value, rate and acceleration from time t on.
void hn_input_give(hn_input_state *input, double t, double value, double rate, double acceleration);

// Makes it harmonic from time t on: mean + amplitude sin(w (t' - t)), until it is given again.
void hn_input_swing(hn_input_state *input, double t, double mean, double amplitude, double w);

#endif
