// Holon: a whole run. It steps to an end, passes on rows on an even grid and frames of an
// animation, and estimates the error of every signal by a refined run in parallel.
//
//   hn_run_plan plan = {.time = 10};
//   hn_recording recording = {0};
//   hn_run_outcome outcome;
//   hn_recording_create(simulation, &plan, 0, &recording, &error);
//   hn_run_sink sink = hn_recording_sink(&recording);
//   hn_run(simulation, &plan, &sink, &outcome);
//   int column = hn_results_find(recording.all, "chassis.z");
//   const double *z = hn_results_column(recording.all, column);
//   const hn_accuracy *accuracy = hn_simulation_accuracy(simulation);
//   hn_recording_free(&recording);
#ifndef HOLON_RUN_H
#define HOLON_RUN_H

#include "holon/pull.h"
#include "holon/realtime.h"
#include "holon/results.h"
#include "holon/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- plan ---------------------------------------------------------------------------------------

// Inputs over time (s): linear between the rows, constant after the last. A filtered input follows
// the rows.
typedef struct hn_input_table {
  const hn_results *rows; // a column an input
  const int *input;       // which input of the model each column is (columns of rows)
} hn_input_table;

// Inputs as text: "NAME=VALUE" in SI (the unit of the input may follow), or the path of a table
// whose first column is called time and whose others are called as inputs. Everything is checked;
// an input is given once. The model must exist until hn_inputs_free.
typedef struct hn_inputs hn_inputs;
HN_API hn_status hn_inputs_create(const hn_model *model, const char *const *words, int count,
                                  hn_inputs **inputs, hn_error *error);
HN_API void hn_inputs_free(hn_inputs *inputs); // null is fine, here and below
// The tables, for hn_run_plan; returns how many there are.
HN_API int hn_inputs_tables(const hn_inputs *inputs, const hn_input_table **tables);
// Values hold from the present time on.
HN_API hn_status hn_inputs_give(const hn_inputs *inputs, hn_simulation *simulation);
// The same after a state was restored; an input without a value keeps its own.
HN_API hn_status hn_inputs_resume(const hn_inputs *inputs, hn_simulation *simulation);

typedef enum hn_accuracy_wish {
  HN_ACCURACY_AUTO, // unless the run is long: HN_ACCURACY_WORK
  HN_ACCURACY_ON,
  HN_ACCURACY_OFF
} hn_accuracy_wish;

// Work beyond which HN_ACCURACY_AUTO ends the second run, counted as hn_trial.work is: coordinates
// and speeds times evaluations, iterations and (four times) factorizations, over both runs. On the
// order of a minute.
#define HN_ACCURACY_WORK 1e10

// All 0: the model's own time and rows, all signals, accuracy where it is not too long.
typedef struct hn_run_plan {
  size_t size;                // of this struct; 0: the first version
  double time;                // end; 0: the model's
  double output_step;         // between rows; 0: the model's, else a 500th of the end
  const char *const *signals; // globs of what is recorded in addition to the outputs; none: every
                              // signal
  int signal_count;
  int without_scene;            // no animation
  const hn_input_table *tables; // of inputs
  int table_count;
  int is_resumed; // the simulation was restored: tables continue
  int goes_on;    // the same run was recorded up to the present time: no row and no frame of that
  hn_accuracy_wish accuracy;
  hn_pulls *pulls; // of the model, with rows; null: none
} hn_run_plan;

// Times on the grid of a run from 0: from the start on, up to the end, and the end itself.
typedef struct hn_grid {
  double step, end;
  long first, count; // index of the first time and how many there are, the end included
} hn_grid;
// Time grid of the plan, from the simulation's present time on. HN_ERROR_ARGUMENT without an end,
// if the end has passed, or for too many rows.
HN_API hn_status hn_run_grid(const hn_simulation *simulation, const hn_run_plan *plan,
                             hn_grid *grid, hn_error *error);
HN_API double hn_grid_time(const hn_grid *grid, long k); // k from 0

// ---- sink ---------------------------------------------------------------------------------------

// Who takes what a run makes. Any function may be null. The values of the simulation are those of
// the row or frame. Not HN_OK ends the run with that status; the sink may say why in *error.
typedef struct hn_run_sink {
  hn_status (*row)(void *context, hn_simulation *simulation, hn_error *error);
  hn_status (*frame)(void *context, hn_simulation *simulation, hn_error *error);
  double (*next_frame)(void *context);                              // its time; HUGE_VAL: no more
  void (*progress)(void *context, const hn_simulation *simulation); // after every step
  void *context;
} hn_run_sink;

// Rows and frames in memory.
typedef struct hn_recording {
  hn_results *all;   // what the plan asks for, and the outputs
  hn_results *shown; // outputs (without any: some coordinates), energy, constraints, steps
  hn_scene *scene;   // null: none
} hn_recording;
// is_kinematics: signals that steps make are left out, and every row is a frame.
HN_API hn_status hn_recording_create(hn_simulation *simulation, const hn_run_plan *plan,
                                     int is_kinematics, hn_recording *recording, hn_error *error);
HN_API hn_run_sink hn_recording_sink(hn_recording *recording);
HN_API void hn_recording_free(hn_recording *recording); // what is 0 is fine

// ---- run ----------------------------------------------------------------------------------------

typedef struct hn_run_outcome {
  hn_status status;
  hn_error error;
  double start, end, time; // where it began, should end, did end
  long rows;
  double constraint[3];    // of kinematics: largest violations of position, velocity, acceleration
  int is_kinematics;       // positions were solved, no step was taken
  double wall_seconds;     // of the clock
  double estimate_seconds; // ... of which the runs took that errors are estimated from
} hn_run_outcome;

// Steps to the end of the plan, or until something fails or hn_simulation_interrupt is called. The
// last state is handed out in every case. sink: null for none. Returns outcome->status.
HN_API hn_status hn_run(hn_simulation *simulation, const hn_run_plan *plan, const hn_run_sink *sink,
                        hn_run_outcome *outcome);
// The same for a model whose drivers prescribe all degrees of freedom: solves positions at every
// row.
HN_API hn_status hn_run_kinematics(hn_simulation *simulation, const hn_run_plan *plan,
                                   const hn_run_sink *sink, hn_run_outcome *outcome);

// The parts of hn_run, for a loop of your own (in real time, for instance). No accuracy is
// estimated.
typedef struct hn_runner hn_runner;
HN_API hn_status hn_runner_create(hn_simulation *simulation, const hn_run_plan *plan,
                                  const hn_run_sink *sink, hn_runner **runner, hn_error *error);
HN_API void hn_runner_free(hn_runner *runner); // null is fine
HN_API const hn_grid *hn_runner_grid(const hn_runner *runner);
HN_API hn_status hn_runner_start(hn_runner *runner);       // row and frame of the start
HN_API hn_status hn_runner_give_inputs(hn_runner *runner); // before a step
// When tables give inputs next; HUGE_VAL: never. A step ends there.
HN_API double hn_runner_next_input(const hn_runner *runner);
HN_API hn_status hn_runner_reached(hn_runner *runner); // rows and frames that the last step reached
// The last state, on the grid or not. `status` is how the loop ended; the error is that of the
// runner's own functions.
HN_API void hn_runner_finish(hn_runner *runner, hn_status status, hn_run_outcome *outcome);

// ---- real time ----------------------------------------------------------------------------------

// How a loop in real time went.
typedef struct hn_pacing {
  int is_paced;            // by the clock
  int is_first, is_locked; // precedence over other processes and memory that stays were permitted
  long missed;             // ticks at which the period before was not done
  double latest_wake;      // how late a period began, s
  double latest_done;      // ... and was done, after its tick
} hn_pacing;
// Steps to the end of the plan, one a period of the clock, or as fast as they go (is_paced 0). A
// late step is not left out: the next one starts at once, and the missed tick is counted.
HN_API hn_status hn_run_realtime(hn_realtime *realtime, const hn_run_plan *plan,
                                 const hn_run_sink *sink, int is_paced, hn_run_outcome *outcome,
                                 hn_pacing *pacing);
// Reserves memory for all rows of the plan, so that a loop allocates nothing.
HN_API hn_status hn_recording_reserve(hn_recording *recording, const hn_simulation *simulation,
                                      const hn_run_plan *plan, hn_error *error);
// Seconds of a clock that never goes back, for hn_realtime_options.clock.
HN_API double hn_run_clock(void *unused);

// ---- accuracy -----------------------------------------------------------------------------------

// How well a signal is known: twice its difference from that of a second run, or near the limit of
// the grade 1.5 times that of a third one.
typedef struct hn_accuracy_signal {
  const char *name, *unit;
  double absolute; // the largest estimated error of the run, in the unit of the signal
  double relative; // absolute / largest; 0 for 0
  double last;     // the largest of the last tenth of the run: the bar of the final value
  double largest;  // |value|
  double at;       // time of the largest error
  int is_judged;   // counts in hn_accuracy.worst
} hn_accuracy_signal;

typedef struct hn_accuracy {
  int is_estimated; // 0: `how` says why not
  int has_failed;   // not estimated because the refined run broke off or could not be created
  char how[640];
  double tolerance; // that the run was asked for; of a fixed step 0
  // Over the signals verify compares: outputs, without any positions and joint coordinates. Each
  // error divided by 1 + the signal's largest value.
  double worst;
  char worst_signal[128];
  // Quantities that the grade judges: over positions, orientations and their rates of all bodies
  // and joints, states and outputs, the largest error / (factor (floor + largest value)). With a
  // unit kg^a m^b s^-c the floor is the mass of all bodies to the power a, the factor
  // HN_ACCURACY_RATE to the power c, of which two count. Of an orientation it is the angle, the
  // name "body.B.orientation".
  double motion;
  char motion_signal[128], motion_unit[24];
  double motion_absolute; // its error, in its unit
  double promise;         // sound: motion up to this, HN_ACCURACY_PROMISE tolerances, or
                          // HN_ACCURACY_PROMISE_DEFAULT where neither model nor call gives one
  double travel;    // the longest way of a position or joint coordinate, from its least to its most
  double of_travel; // the largest error of a position or joint coordinate, of that way
  // The output known worst against its range (largest - smallest value; with a time in its unit the
  // range includes zero): error / range. Errors below the tolerance, or a hundredth of the promise,
  // times floor and factor do not count, nor do energies. 0: none.
  double of_range;
  char range_signal[128];
  double filtered;         // Hz: both runs lack an oscillation this fast that matters; 0: none
  char filtered_force[64]; // ... of this force
  double until;            // the motion is known to HN_ACCURACY_DIGITS up to this time
  double reached;          // time of the last row both runs had
  int is_sensitive;        // the two runs part exponentially
  double growth;           // ... time in which it grows by the factor e, s
  double cpu_seconds;      // of the steps of the second and the third run
  long events_compared;    // that both runs had in the same order, from the first on
  double event_time;       // the largest error of the time of one of these, s
  int signal_count;
  const hn_accuracy_signal *signals;
  // Bars over time of the first signals, for drawing: the largest error of signal k up to
  // bar_time[i] is bars[i * bar_signals + k].
  int bar_count, bar_signals;
  const double *bar_time, *bars;
} hn_accuracy;

#define HN_ACCURACY_PROMISE 75.0         // tolerances, of positions
#define HN_ACCURACY_RATE 5.0             // times as much for each derivative by time
#define HN_ACCURACY_OUTPUT 2.0           // times as much for outputs per second squared
#define HN_ACCURACY_PROMISE_DEFAULT 1e-3 // of a run without a given tolerance
#define HN_ACCURACY_PROMISE_STEP 1e-2    // of a run with a fixed step; never more
#define HN_ACCURACY_DIGITS 1e-2          // of 1 + the largest value
#define HN_ACCURACY_TRAVEL 0.1           // fraction of the travel: sound up to this

// The estimate of the last hn_run with this simulation; null: there was none. Lives as long as the
// simulation, or until the next hn_run.
HN_API const hn_accuracy *hn_simulation_accuracy(const hn_simulation *simulation);

#ifdef __cplusplus
}
#endif

#endif
