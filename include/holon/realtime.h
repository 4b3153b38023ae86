// Holon: a model in a loop with its environment (simulators, hardware in the loop).
//
//   hn_realtime_options options = hn_default_realtime_options();
//   options.simulation.step = 1e-3;           // the period of the loop
//   options.clock = seconds_since_start;      // yours: the library knows no clock
//   hn_realtime *loop = NULL;
//   hn_realtime_create(model, &options, &loop, &error);
//   int pedal = hn_realtime_find_input(loop, "pedal");
//   int speed = hn_realtime_find_output(loop, "chassis.vx");
//   for (;;) {                                // once a period
//     hn_realtime_set_input(loop, pedal, read_pedal());
//     hn_realtime_step(loop, NULL);
//     show_speed(hn_realtime_output(loop, speed));
//   }
//
// A step has one size, has a bounded number of iterations, allocates nothing, takes no lock, does
// no input or output. It ends on an even grid of times: events are counted, not located, and laws
// are evaluated unmodified where they are needed. docs/howto/real-time.md lists what is bounded.
#ifndef HOLON_REALTIME_H
#define HOLON_REALTIME_H

#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_realtime hn_realtime;

// Action if a stage of a step has used its iterations and has not converged.
typedef enum hn_at_bound {
  HN_BOUND_ACCEPT, // the step is taken with what is there, and counted with its residual
  HN_BOUND_STOP,   // hn_realtime_step fails, and the state is that before the step
} hn_at_bound;

typedef struct hn_realtime_options {
  // Of this struct, as hn_default_realtime_options sets it. 0: what is 0 below takes its default, so
  // that {0} is valid.
  size_t size;
  // step > 0 here or in the model's `simulation:`, the period of the loop. max_iterations 0: 6.
  // With everything else left open: preset HYB+TR, or TPL+TR where that is not built.
  hn_simulation_options simulation;
  hn_at_bound at_bound;
  double (*clock)(void *context); // seconds of a clock that never goes back; null: nothing is timed
  void *clock_context;
  double deadline;  // what a step may take before it counts as an overrun; 0: the step
  int saved_states; // capacity, number of states for hn_realtime_save
  int warm_up;      // steps taken at creation and taken back, so that the first one finds all warm
} hn_realtime_options;
HN_API hn_realtime_options hn_default_realtime_options(void); // accept, no clock, 1 state, 10 steps

// The model must outlive it. On failure *realtime is null and *error says why.
HN_API hn_status hn_realtime_create(const hn_model *model, const hn_realtime_options *options,
                                    hn_realtime **realtime, hn_error *error);
HN_API void hn_realtime_free(hn_realtime *realtime); // null is fine
HN_API const hn_error *hn_realtime_error(const hn_realtime *realtime);
// Its simulation: signals, certificate, quality grade. It is freed with the loop.
HN_API hn_simulation *hn_realtime_simulation(hn_realtime *realtime);
// The loop that owns this simulation, or null.
HN_API const hn_realtime *hn_simulation_realtime(const hn_simulation *simulation);
HN_API const hn_realtime_options *hn_realtime_options_used(const hn_realtime *realtime);

// ---- in the loop: nothing below allocates -------------------------------------------------------

typedef struct hn_step_report {
  double time;     // reached
  double seconds;  // the step took, by the clock; 0 without one
  int iterations;  // of all stages
  int unconverged; // stages taken at the bound
  double residual; // the largest correction they left, in tolerances
  int events;      // laws that changed their branch
  int is_overrun;  // it took longer than the deadline
} hn_step_report;
// One step. report may be null. On an error the state is that before the step.
HN_API hn_status hn_realtime_step(hn_realtime *realtime, hn_step_report *report);
HN_API double hn_realtime_time(const hn_realtime *realtime);

// Inputs of the model (hn_model_input): found once, given before any step. They hold until they are
// given again. With motion: position, velocity and acceleration that a driver is to have now.
HN_API int hn_realtime_find_input(const hn_realtime *realtime, const char *name); // or -1
HN_API hn_status hn_realtime_set_input(hn_realtime *realtime, int input, double value);
HN_API hn_status hn_realtime_set_input_motion(hn_realtime *realtime, int input, double value,
                                              double rate, double acceleration);

// Outputs are signals: found once, read after any step.
HN_API int hn_realtime_find_output(const hn_realtime *realtime, const char *name); // or -1
HN_API double hn_realtime_output(hn_realtime *realtime, int output);
HN_API void hn_realtime_outputs(hn_realtime *realtime, const int *outputs, int count,
                                double *values);

// The state, inputs among it, kept in one of saved_states slots and restored later: both continue
// bit for bit. Costs about one evaluation of accelerations each. Counts and times are not reset.
HN_API hn_status hn_realtime_save(hn_realtime *realtime, int slot);
HN_API hn_status hn_realtime_restore(hn_realtime *realtime, int slot);

// ---- how long steps took ------------------------------------------------------------------------

#define HN_TIMING_BINS 256 // 32 a decade from 100 ns on; the last holds all that is longer

typedef struct hn_timing {
  long steps;
  long overruns;      // steps longer than the deadline
  double deadline;    // s
  double mean, worst; // s
  double worst_at;    // simulated time at the end of the worst step, s
  double half;        // half of the steps took at most this: the upper end of a bin, so up to
  double p99, p9999;  // 7.5 % high; the same for 99 % and 99.99 % of them
  long bins[HN_TIMING_BINS];
} hn_timing;
// Since creation or the last reset. All 0 without a clock.
HN_API hn_timing hn_realtime_timing(const hn_realtime *realtime);
HN_API void hn_realtime_reset_timing(hn_realtime *realtime);
// The lower end of a bin (s); that of bin HN_TIMING_BINS is the end of the last.
HN_API double hn_timing_edge(int bin);
// Time (s) within which the fraction `share` (0 to 1) of the steps completed: the upper end of a
// bin, at most the longest.
HN_API double hn_timing_quantile(const hn_timing *timing, double share);

#ifdef __cplusplus
}
#endif

#endif
