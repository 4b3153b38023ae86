// A simulation inside: the equations, the method, and everything a run counts.
#ifndef HN_ANALYSIS_SIMULATION_H
#define HN_ANALYSIS_SIMULATION_H

#include <stdatomic.h>

#include "analysis/auto_method.h"
#include "analysis/energy_parts.h"
#include "analysis/mass_ratio.h"
#include "analysis/resolution.h"
#include "holon/analysis.h"
#include "holon/simulation.h"
#include "integrate/method.h"
#include "integrate/step_control.h"
#include "signals/signals.h"

#define HN_EVENT_HISTORY 4096
// A force that has just changed its branch does not change back within this time (s): where it
// changed is known no better.
#define HN_EVENT_GRACE 1e-10
// So many changes of one force in a row, each within this time (s) of the last, are chatter.
#define HN_EVENT_RAPID 1e-6
#define HN_EVENT_CHATTER 100
#define HN_RUN_WARNINGS 32

typedef enum hn_run_mode {
  HN_RUN_CONTROLLED,    // the error of a step selects its size; events are located
  HN_RUN_FIXED_STEP,    // steps of one size; events are followed at their ends
  HN_RUN_REAL_TIME,     // the same with bounded iterations, and no step is repeated
  HN_RUN_TIME_STEPPING, // steps of one size, each with the impulses of all its contacts
} hn_run_mode;

struct hn_simulation {
  hn_arena arena;
  hn_arena compiled; // elements, laws bound to inputs, signals: constant once the run is made
  struct hn_kinematics *kinematics; // null: hn_simulation_kinematics was not called yet
  const hn_model *model;
  const hn_simulation_options options; // as asked by call and model; never written after creation
  hn_simulation_options used;          // with what was chosen where they leave it open
  int has_default_tolerance;           // neither the model nor the call gives one
  hn_error error;
  atomic_int interrupted; // set by another thread or a signal handler

  // given from outside
  double *samples; // number of samples taken, of sampled states (state_count) and of those inside
                   // sealed components; then workspace of the same size
  struct hn_outside_runs {
    void **instance; // null: not started (programs of the model)
    int *first;      // the first of its values
    double *inputs, *values;
  } outside; // analysis/simulation_outside.h
  hn_input_state *inputs; // (input_count)
  struct hn_given {
    double *followed;      // what inputs that follow an output are given next (input_count)
    hn_input_state *aside; // workspace while inputs count as 0 (input_count; null: not used yet)
    int is_new;            // an input that accelerations do not know yet
  } given;
  struct hn_in_real_time {
    struct hn_realtime *clock; // null: the run is not in real time
    int *seen;                 // branches last seen (force_count)
  } realtime;

  // the model
  hn_threads *threads; // null: one
  hn_elements *elements;
  hn_equations *equations;
  hn_method *method; // in use
  struct hn_automatic {
    hn_method *explicit_method, *smooth_method, *implicit_method; // between which `auto` chooses;
                                                                  // null: not made
    hn_method *stepping_method; // for contacts that cannot be event-driven; null: not used
    int is_choosing;            // `auto` does
    hn_auto_choice choice;
    struct hn_modes {
      double *x, *y, *u; // (nu)
    } modes;
    // explicit, smooth, implicit, stepping: start of the first step, time of all of them
    double first[HN_METHOD_USES], used[HN_METHOD_USES];
    char why[96]; // `auto` chose these coordinates; empty: they were given
  } automatic;
  struct hn_tangent *audited; // made by the first audit; null before
  hn_signals *signals;

  // frozen within a step; `taken` are those of the last accepted step, for looking back into it
  hn_branches branches, taken;
  struct hn_loose {
    hn_branches branches; // of a fixed step that did not converge on frozen ones
    int holds;            // the attempted or last taken step is one
  } loose;
  hn_branches hidden_seen; // workspace: branches inside sealed components at some moment
  struct hn_changing {
    int by_state, by_time;         // how many forces can change their branch
    int count, *list;              // these, ascending (force_branches)
    int limiting_count, *limiting; // that may limit steps (force_count)
    int force;                     // that changes where the attempted step ends; -1: none
    hn_branch to;                  // ... to this branch
  } changing;
  struct hn_last_change {
    double time;   // of the last change of a force's branch
    int from;      // the branch before it
    int rapid;     // changes in a row, each within HN_EVENT_RAPID of the last
  } * last_change; // (force_branches)

  // what the values are read from: the present state, or a moment inside the last step
  struct hn_view {
    hn_snapshot *snapshot; // points to method->now or to that of `looking`
    hn_branches *branches;
    double work;
  } view;
  struct hn_looking {
    hn_snapshot *snapshot;       // of moments inside a step
    long count;                  // evaluations made for looking only
    double *q, *qd, *correction; // (nq)
    hn_frame *frames;            // (bodies + ground)
    unsigned char *differs; // forces not on their branch where one last was not (force_branches)
  } looking;
  struct hn_lock {
    double *base, *v; // position at the start, workspace (nq)
  } lock;

  struct hn_at_start {
    hn_mass_ratio mass_ratio; // of a body that is too light to be run; light 0: none
    int redundant; // constraints left out at a start at rest; -1: the start moved, or they have
                   // been reported
  } at_start;

  // step control
  unsigned sources; // of events, that there are in this mode (event_sources.c), a bit each
  hn_step_control control;
  hn_tolerance tolerance;
  struct hn_stepping {
    hn_run_mode mode;
    double step;       // of all modes but HN_RUN_CONTROLLED
    double next;       // what the controller suggests; 0 before the first step
    int has_dense;     // the last accepted step can be looked back into
    int loses_scratch; // it is overwritten before each step: to test that steps do not need it
    long iterations;   // of the last accepted step
    double last;
    double seconds;     // spent on the last step
    double output_step; // s between rows; 0: not known
    int opaque;         // user forces and sealed components (simulation_opaque.h)
    double
        longest; // upper limit of the step, of a refined run (study/companion.c); 0: not such a run
    struct hn_work_watch {
      double target; // where the steps of a call lead
      long steps;    // towards it so far
      double time;   // of the last forecast
    } watch;
  } stepping;

  struct hn_progress {
    double time;            // when it was checked last ...
    long attempts, refused; // ... and steps then
    int creeping;           // looks in a row without progress worth the name
    double start;           // when the run began
    int redundant;          // rows left out then
  } progress;

  // bookkeeping
  struct hn_energy_record {
    double initial;           // T + V at the start
    double initial_potential; // V there
    double largest;
    hn_energy_parts parts;
  } energy;
  hn_resolution resolution; // of fixed steps
  hn_certificate certificate;
  hn_event *events; // the latest, a ring of HN_EVENT_HISTORY: certificate.events counts them all
  struct hn_told {
    hn_warning warnings[HN_RUN_WARNINGS];
    int count;
    unsigned char *outputs; // which were not finite and have been reported (output_count)
    struct hn_blind_step {
      double limit;            // the smallest that a warning reports; 0: there is no warning
      int warning;             // which
    } blind_force, blind_turn; // fixed steps beyond what a force or the count of turns can follow
    struct hn_tilted {
      double begin,
          error;   // when planar profiles were first in tilted contact; the largest error, m; 0:
                   // none
      int warning; // which
    } tilted;      // (bounds.h)
  } told;
  struct hn_contact_watch *contacts; // rigid ones (simulation_contacts.h); null: none
  struct hn_guards *guards;          // conditions of laws of signals; null: none
  struct hn_delays *delays;          // what signals were (simulation_delays.h); null: none
  struct hn_step_looks *looks;       // along the attempted step (step_looks.h); null: none
  struct hn_functions *functions;    // checked inside steps (simulation_functions.h); null: none
  struct hn_switch_watch *switches;  // conditional elements (simulation_switches.h); null: none
  struct hn_accuracy *accuracy;      // of the last hn_run: one block of the allocator; null: none
};

// Between rows of a run, as the model asks for them, s; 0: it does not say.
#define HN_OUTPUT_INTERVALS 500 // of a run, unless the model or the user says otherwise
double hn_default_output_step(const hn_model *model);

// Counted, not measured, so it is the same in every call: an evaluation and an iteration weigh as many
// as there are coordinates and speeds, a factorization a few times that.
double hn_simulation_work(const hn_simulation *simulation);

// To make a simulation that steps like this one does now.
hn_simulation_options hn_simulation_options_alike(const hn_simulation *simulation);

// simulation_state.c: declares the fields of the state, after creation of all parts.
hn_status hn_simulation_declare(hn_simulation *simulation);
hn_status hn_simulation_make_method(hn_simulation *simulation, const hn_method_type *type,
                                    const hn_method_choice *choice, hn_method **method);
// Recomputes accelerations and bookkeeping at the method's (t, q, qd): after assembly, equilibrium
// or restart. Branches are classified again.
hn_status hn_simulation_begin(hn_simulation *simulation);
// After a change at the present time: velocities onto the constraints if `projects`, and the formula
// starts again.
hn_status hn_simulation_restart(hn_simulation *simulation, int projects);
// Copies the state of `from` into another simulation of its model with the same coordinates, in which
// a new run starts. qd: other velocities (nq), or null. HN_ERROR_ARGUMENT when the coordinates differ.
hn_status hn_simulation_copy_state(hn_simulation *to, const hn_simulation *from, const double *qd);
// Energy origin, counters and events as at the start of a run.
void hn_simulation_reset_record(hn_simulation *simulation);
void hn_simulation_warn(hn_simulation *simulation, const char *element, const char *format, ...)
    HN_PRINTF(3, 4);
// The same for what is worth knowing and no reason to doubt the results.
void hn_simulation_note(hn_simulation *simulation, const char *element, const char *format, ...)
    HN_PRINTF(3, 4);
// Warns once that accelerations remained unsolved (equations.h).
void hn_simulation_tell_unsolved(hn_simulation *simulation);

// Rows of joints and drivers that depend on others. Sets with constraints of their own (natural)
// may find more if their coordinates are singular, although the model is not.
int hn_simulation_redundant(const hn_simulation *simulation);

// Implicit methods differentiate forces that bring no derivatives of their own.
void hn_simulation_warn_numerical_forces(hn_simulation *simulation);

// Report of an equilibrium (simulation_analyses.c).
// The equilibrium near q, with all states at rest (statics_states.c).
hn_status hn_simulation_solve_statics(hn_simulation *simulation, const hn_statics_options *options,
                                      hn_statics_report *report);
// The same if rigid contacts support the model (statics_rest.c).
hn_status hn_simulation_come_to_rest(hn_simulation *simulation, hn_statics_report *report);
void hn_simulation_warn_statics(hn_simulation *simulation, const hn_statics_report *report);

// simulation_events.c: the first moment in the attempted step at which a branch changes, as a
// fraction of it; 2: no branch changes. *force: the force whose branch changes.
double hn_locate_event(hn_simulation *simulation, int *force, hn_branch *to);
// Where the attempted step should have ended to reach the change of this force, as a fraction of it; 0
// when it has, or the change is not near.
double hn_locate_beyond(hn_simulation *simulation, int force);
// The state at a fraction of the attempted step below 1, on the constraints; valid until the next look.
// Null: it has no accelerations.
hn_snapshot *hn_simulation_snapshot_at(hn_simulation *simulation, double theta);
// For looks: q and qd of `looking`, onto the constraints as far as they go.
hn_projected_state hn_simulation_look_state(hn_simulation *simulation, double t);
// Frames at a fraction of the attempted step; valid until the next call.
const hn_frame *hn_simulation_frames_at(hn_simulation *simulation, double theta);
// Asks sealed components for their branches at these frames; to be called before the next one.
void hn_see_hidden_branches(hn_simulation *simulation, const hn_frame *frames, double t);
// The branch of a force at these frames, but for one it has just left.
hn_branch hn_settled_branch(const hn_simulation *simulation, int force, const hn_frame *frames,
                            double t);
// force -1: a published time.
void hn_record_event(hn_simulation *simulation, double time, int force, int from, int to);
// ... of a rigid contact at the present time.
void hn_record_contact(hn_simulation *simulation, int contact, int from, int to);
// simulation_failure.c: ends a run whose steps of size h do not succeed any more, for this reason:
// the message names the joint or driver that is in the way and the condition of the constraints.
hn_status hn_cannot_go_on(hn_simulation *simulation, double h, hn_status reason);
// The next time at which a force or a driver changes its piece, where steps end; HUGE_VAL: none.
double hn_simulation_next_break(const hn_simulation *simulation);
// One step with all its notes but the time it took (simulation_step.c).
hn_status hn_simulation_take_step(hn_simulation *simulation, double t_limit);
// Inputs that follow outputs are given their values at samples: all are read before one is given.
int hn_simulation_is_followed_due(const hn_simulation *s);
// From now on adds a harmonic excitation to the value of an input: amplitude sin(w t'), t' from now.
hn_status hn_simulation_swing_input(hn_simulation *s, int input, double amplitude, double w);
double hn_simulation_followed(hn_simulation *s, const char *output);
void hn_simulation_read_followed(hn_simulation *s);
hn_status hn_simulation_give_followed(hn_simulation *s);
// `initial: {speed: ...}`: the model moves along x, its wheels roll, and what turns with them turns.
hn_status hn_simulation_start_rolling(hn_simulation *s);
// realtime_branches.c: no branch is frozen.
void hn_realtime_free_branches(hn_simulation *simulation);
// step_notes.c: into the certificate, of the present state; all of a step that was taken.
void hn_note_constraints(hn_simulation *simulation);
void hn_note_step(hn_simulation *simulation);
// The methods that a run used so far, with their times.
void hn_methods_certify(const hn_simulation *simulation, hn_certificate *certificate);

// simulation_states.c: initial values; the next time a sample is due; those that are due now.
void hn_simulation_begin_states(hn_simulation *s);
double hn_simulation_next_sample(const hn_simulation *s);
// States of laws, and of sealed components: how many `samples` are kept of.
int hn_simulation_sampled(const hn_simulation *s);
hn_status hn_simulation_take_samples(hn_simulation *s);

#endif
