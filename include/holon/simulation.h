// Holon: simulation of a model.
//
//   hn_simulation_options options = hn_default_simulation_options();
//   options.tol = 1e-6;
//   hn_simulation *simulation = NULL;
//   hn_simulation_create(model, &options, &simulation, &error); // assembles; states are consistent
//   hn_simulation_advance(simulation, 10.0);                    // to t = 10 s
//   double angle; hn_simulation_value(simulation, "joint.pin.angle", &angle);
//
// A simulation owns everything that moves. All memory is taken at creation: a step allocates nothing,
// takes no lock and does no input or output. (Lists of contact points grow when a time-stepped step
// meets more than 16 a body and more than 512; in real time they do not.)
#ifndef HOLON_SIMULATION_H
#define HOLON_SIMULATION_H

#include "holon/model.h"
#include "holon/options.h"
#include "holon/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_simulation hn_simulation;

// Options of holon/options.h by their names: options.tol, options.max_step, options.method, ...
typedef struct hn_simulation_options {
  // Of this struct, as hn_default_simulation_options sets it. 0: every option that is 0 is left open, so
  // that {0} is valid.
  size_t size;
  HN_OPTION_LIST(HN_OPTION_MEMBER)
  const hn_allocator *allocator;
  const hn_ranks *ranks; // null: one process
  // Set by hn_realtime_create (holon/realtime.h). realtime: steps of one size on an even grid, no event
  // located, no step repeated. accepts_unconverged: a stage that used all its iterations is taken.
  int realtime, accepts_unconverged;
} hn_simulation_options;
// All options undecided, as by the command: hn_simulation_create takes them from the model's own
// `simulation:` section first, then chooses for the model; the tolerance is 1e-6 (1e-4 with a fixed
// step, where it ends iterations).
HN_API hn_simulation_options hn_default_simulation_options(void);

// Creates, assembles positions and velocities (and finds the equilibrium first when the model asks
// for it). On failure *simulation is null and *error says why. The model must outlive it.
HN_API hn_status hn_simulation_create(const hn_model *model, const hn_simulation_options *options,
                                      hn_simulation **simulation, hn_error *error);
HN_API void hn_simulation_free(hn_simulation *simulation); // null is fine
HN_API const hn_error *hn_simulation_error(const hn_simulation *simulation);
HN_API const hn_model *hn_simulation_model(const hn_simulation *simulation);
// The options it runs with: what was left open is filled in from the model and from the defaults.
HN_API const hn_simulation_options *hn_simulation_options_used(const hn_simulation *simulation);

// One accepted step, ending at t_limit at the latest. On an error the state is that of the last
// accepted step.
HN_API hn_status hn_simulation_step(hn_simulation *simulation, double t_limit);
// Steps until exactly `time`.
HN_API hn_status hn_simulation_advance(hn_simulation *simulation, double time);
// Makes the values below those at `time` inside the last accepted step (dense output, brought onto
// the constraints); hn_simulation_time still gives the step's end.
HN_API hn_status hn_simulation_look_at(hn_simulation *simulation, double time);
// From another thread or a signal handler: the running advance returns HN_ERROR_INTERRUPTED.
HN_API void hn_simulation_interrupt(hn_simulation *simulation);

HN_API double hn_simulation_time(const hn_simulation *simulation);
HN_API double hn_simulation_last_step(const hn_simulation *simulation);
// s, where all steps have one size: asked for, or chosen for time stepping of contacts. 0: the error
// of each step selects its size.
HN_API double hn_simulation_fixed_step(const hn_simulation *simulation);
// The time of the values below: hn_simulation_time, or what hn_simulation_look_at asked for.
HN_API double hn_simulation_look_time(const hn_simulation *simulation);

// ---- inputs -------------------------------------------------------------------------------------

// A state of the model (holon/model.h) at the present time; NaN: no such state.
HN_API double hn_simulation_state(const hn_simulation *simulation, int state);
// Sets the model's inputs (hn_model_input), from the present time on. With a filter the input
// follows `value`; without one it is value + rate s + acceleration s^2 / 2, s the time since this
// call. All laws use the input's value at their own time, those of x or v too.
HN_API hn_status hn_simulation_set_input(hn_simulation *simulation, int input, double value);
HN_API hn_status hn_simulation_set_input_motion(hn_simulation *simulation, int input, double value,
                                                double rate, double acceleration);
// Values below with the inputs given at the present time; without it the next step takes them.
HN_API hn_status hn_simulation_take_inputs(hn_simulation *simulation);
// The filtered input at the present time, as laws of time use it.
HN_API double hn_simulation_input(const hn_simulation *simulation, int input);

// ---- values -------------------------------------------------------------------------------------

// Signals have readable names and SI units ("body.chassis.position.z", "m"); outputs of the model
// stand first, under their own names.
HN_API int hn_simulation_signal_count(const hn_simulation *simulation);
// Includes signals that are recorded only on request: vectors of forces, and those in local axes.
HN_API int hn_simulation_signal_count_all(const hn_simulation *simulation);
HN_API const char *hn_simulation_signal_name(const hn_simulation *simulation, int index);
HN_API const char *hn_simulation_signal_unit(const hn_simulation *simulation, int index);
HN_API int hn_simulation_find_signal(const hn_simulation *simulation, const char *name); // or -1
HN_API double hn_simulation_signal(hn_simulation *simulation, int index);
// Many at once: signals of one joint that follow each other share their work.
HN_API void hn_simulation_signals(hn_simulation *simulation, const int *indices, int count,
                                  double *values);
HN_API hn_status hn_simulation_value(hn_simulation *simulation, const char *name, double *value);

HN_API hn_status hn_simulation_body_motion(hn_simulation *simulation, int body,
                                           hn_body_motion *motion);

// Whole state, for restart and for those who write their own integrator.
HN_API int hn_simulation_coordinate_count(const hn_simulation *simulation);        // nq
HN_API const double *hn_simulation_positions(const hn_simulation *simulation);     // q (nq)
HN_API const double *hn_simulation_velocities(const hn_simulation *simulation);    // qd (nq)
HN_API const double *hn_simulation_accelerations(const hn_simulation *simulation); // qdd (nq)
// What a coordinate is: the one of a joint, or a part ("displacement", "x", "e0") of those of a joint
// or of a free body. Both are -1 in coordinates that have no meaning of their own.
typedef struct hn_coordinate_label {
  int joint, body;  // of the model, or -1
  const char *part; // "": the joint has one coordinate
} hn_coordinate_label;
// Of all coordinates (nq).
HN_API hn_status hn_simulation_coordinate_labels(const hn_simulation *simulation,
                                                 hn_coordinate_label *labels);
HN_API int hn_simulation_multiplier_count(const hn_simulation *simulation);
HN_API const double *hn_simulation_multipliers(const hn_simulation *simulation); // lambda
// Angles are counted on: driven ones from what their driver says then, others from where they are.
HN_API hn_status hn_simulation_set_state(hn_simulation *simulation, double time, const double *q,
                                         const double *qd);
// All numbers that decide about the motion to come, by name: "time", "position", "velocity", "state" (of
// the model), "samples of state", "turns of angle", "contact mode of point", "switch", ... Which there
// are depends on the model. Histories of delays are in saved states only.
typedef struct hn_field_info {
  const char *name;    // null: there is no such field
  int count;           // numbers in it
  double lower, upper; // range of each
  int is_integer;
} hn_field_info;
HN_API int hn_simulation_field_count(const hn_simulation *simulation);
HN_API hn_field_info hn_simulation_field(const hn_simulation *simulation, int index);
HN_API hn_status hn_simulation_read_field(const hn_simulation *simulation, int index,
                                          double *values);
// A run starts at the state with these numbers. HN_ERROR_ARGUMENT, and nothing changes, where one is not
// possible.
HN_API hn_status hn_simulation_set_field(hn_simulation *simulation, int index,
                                         const double *values);
HN_API unsigned long long hn_simulation_state_hash(const hn_simulation *simulation);
// Everything needed to continue: size, write, read back into a simulation made from the same model
// and options (anything else is rejected). Saving changes nothing: a run that was saved, one that
// was not, and one that was restored continue bit for bit alike, whatever the method. The size is
// of the moment: it grows once if `auto` creates the implicit method of a large model, and with the
// lists of contact points.
HN_API size_t hn_simulation_save_size(const hn_simulation *simulation);
HN_API hn_status hn_simulation_save(const hn_simulation *simulation, void *buffer, size_t size);
HN_API hn_status hn_simulation_restore(hn_simulation *simulation, const void *buffer, size_t size);

// ---- what a run did -----------------------------------------------------------------------------

typedef struct hn_event {
  double time;
  int force;    // whose law changed its branch; -1: a published time
  int from, to; // branches; of a contact 0: open, 1: sticking, 2: sliding, to 3: an impact
  int contact;  // 1 + the rigid contact whose points changed; 0: none
  int switched; // 1 + the switch that changed, from and to 0: off, 1: on; 0: none
} hn_event;
#define HN_EVENT_IMPACT 3

// Steps by one method of a run.
typedef struct hn_method_use {
  const char *method, *formula;
  double first; // s, start of the first
  double time;  // s, that they covered together
} hn_method_use;
#define HN_METHOD_USES 4

typedef struct hn_certificate {
  const char *coordinates, *method, *formula, *independent, *linear_solver;
  const char *preset; // the paper's method that the run is, by what it did; null: none
  long steps_accepted, steps_rejected;
  long steps_of_index_1; // of method multi-index: the others are of index 3
  struct hn_steps_past { // singular configurations, of methods that cannot pass them
    long substituted;    // by dopri5 with projected stages
    long coasted;        // along the accelerations of the steps before (augmented-lagrangian-3)
  } steps_past;
  long evaluations, factorizations;
  long newton_iterations, newton_failures, newton_unconverged_accepted;
  double newton_unconverged_residual; // the largest correction left by them, in tolerances
  long projections;
  long selections; // of independent coordinates
  long events;
  double constraint_position;     // largest |Phi| over the run
  double constraint_velocity;     // largest |dPhi/dt|
  double constraint_acceleration; // largest |ddPhi/dt2|
  double largest_acceleration;    // of a coordinate over the run, m/s^2 or rad/s^2
  double energy_balance;          // max |T + V - W - E(0)|, J
  double energy_relative;         // against the largest |T| + |V - V(0)| + |W|
  // Energy balance of an independent part of the model (connected to others only by ground),
  // without dampers, actuators and drivers: the one with the largest balance relative to its own
  // energy (at least that of its mass at 0.1 m/s).
  struct hn_part_balance {
    double relative;
    int body; // one of its bodies; 0: the model is one part
  } energy_part;
  double fastest_motion; // of a fixed step: rad/s of the fastest coordinate; else 0; -1: not
                         // computed
  struct hn_initial_change {
    double position; // what assembly had to move, m or rad
    double velocity; // what the velocity projection had to change
  } initial_change;
  struct hn_steps_between {
    double smallest, largest;
  } steps_between;
  int redundant; // rows
  // Of rigid contacts.
  double penetration;      // deepest, m
  double thinnest;         // half of the path through the thinnest shapes that may collide, m; 0:
                           // none
  double contact_residual; // of their laws, relative: |p - proj_K(p - rho u~)|
  double impact_loss;      // energy that impacts took, J
  double friction_loss;    // ... that sliding took, J
  long impacts;            // points with an impulse
  long grip_changes;       // between sticking and sliding
  long contacts_unresolved;
  long contacts_fallbacks; // time-stepped: steps that took the interior-point method
  hn_method_use uses[HN_METHOD_USES]; // of `auto`, in the order of their first steps
  int use_count;
  int ignored;        // items of the model without effect: always 0
  double cpu_seconds; // spent stepping
  char
      choice[256]; // why `auto` chose these coordinates and this method; empty when they were given
} hn_certificate;
HN_API hn_certificate hn_simulation_certificate(const hn_simulation *simulation);
// The latest events, oldest first; at most `capacity` are written, the number there is returned.
HN_API int hn_simulation_events(const hn_simulation *simulation, hn_event *events, int capacity);
// Warnings of the run itself (the model's own come with the model).
HN_API int hn_simulation_warning_count(const hn_simulation *simulation);
HN_API const hn_warning *hn_simulation_warning(const hn_simulation *simulation, int index);

// ---- what is built ------------------------------------------------------------------------------

// Names of what can be chosen, for `holon list`. index from 0; null past the end.
HN_API const char *hn_list_coordinates(int index);
HN_API const char *hn_list_methods(int index);
HN_API const char *hn_list_formulas(int index);
HN_API const char *hn_list_independent(int index);
HN_API const char *hn_list_presets(int index); // what of them is built
// A paper's method, whole. projection is null where the method has none to choose.
typedef struct hn_preset {
  const char *name, *coordinates, *method, *formula, *independent, *projection;
  const char *source; // author and year
} hn_preset;
// 0 if there is no preset of this name, or it is not built.
HN_API int hn_find_preset(const char *name, hn_preset *preset);
HN_API const char *hn_list_linear_solvers(int index);
// 1 when the four work together; else 0 and *reason (may be null) says why, in a static string.
HN_API int hn_combination_is_built(const char *coordinates, const char *method, const char *formula,
                                   const char *independent, const char **reason);

#ifdef __cplusplus
}
#endif

#endif
