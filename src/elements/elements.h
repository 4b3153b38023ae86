// Elements compiled from a model: constraint rows, joint coordinates and forces over a flat table of
// measures. Built once, then only read, but for what points to memory that is kept or scratch.
#ifndef HN_ELEMENTS_ELEMENTS_H
#define HN_ELEMENTS_ELEMENTS_H

#include "elements/measure.h"
#include "model/model.h"

#define HN_ROW_MEASURES 4
#define HN_ROW_BODIES 8 // two a measure

// One constraint row:  phi = sum coefficient * measure - constant - law(t).
// Time enters by addition only, so Phi_qt = 0 in every coordinate set.
typedef struct hn_row {
  int owner;              // joint, or driver when is_driver
  int driver;             // index for the time branch of law; -1 without law
  signed char is_driver;  //
  signed char place;      // which row of its owner
  signed char count;      // measures, HN_ROW_MEASURES at most
  signed char body_count; // distinct bodies without ground, HN_ROW_BODIES at most
  const int *measure;     // in the elements' pools, as the next two
  const double *coefficient;
  const int *body;
  double constant;
  const hn_law *law; // null: none
} hn_row;

// Selects the smooth piece of a function: frozen within a step. `state` follows from (q, qd, t),
// `time` from t alone (steps land on the times where it changes).
typedef struct hn_branch {
  int state, time;
} hn_branch;
// Not frozen: every evaluation takes the piece that holds where it is made (real time). For `state`,
// for `time` and for the branch of a driver.
#define HN_BRANCH_FREE (-1)

// Queries to sealed components about their opaque elements, whose angle references and branches
// follow those of the model.
typedef struct hn_hidden_elements {
  void *context;
  // Turns of angles: as at the start, or those of these frames.
  void (*turns)(void *context, int at_start, const hn_frame *frames, double *turns);
  // Anchors there, those missing only unless accepted.
  void (*anchors)(void *context, double t, int is_accepted, const hn_frame *frames, double *turns);
  // Branches that hold at these frames, of forces and drivers.
  void (*branches)(void *context, double t, const hn_frame *frames, const double *turns,
                   hn_branch *force, int *driver);
  double (*next_time)(void *context, double t);
  double (*step_limit)(void *context, double t, const hn_frame *frames);
  // States inside, which follow those of the model (elements/states.h): values and rates as forces
  // would read them at these frames; their part of hn_states_filter; numbers of conditions; what
  // samples give; one round of rules, 1 where one changed a state. Of all parts, one after the other.
  void (*states)(void *context, double t, const hn_frame *frames, const double *turns,
                 const hn_branch *force, double *z, double *rates);
  void (*filter)(void *context, double *x);
  void (*conditions)(void *context, double t, const hn_frame *frames, const double *turns,
                     int *codes);
  void (*samples)(void *context, double t, const hn_frame *frames, const double *turns, double *z);
  // Signals that states inside delay.
  void (*delayed)(void *context, double t, const hn_frame *frames, const double *turns,
                  double *signals);
  int (*rules)(void *context, double t, const hn_frame *frames, const double *turns, double *held,
               double *z);
} hn_hidden_elements;

typedef struct hn_flow hn_flow;

// A spring-damper between two points whose laws are straight: f = (of_x[0] + of_x[1] m) + (of_v ... md).
typedef struct hn_line_spring {
  const hn_measure *measure; // null: the force is not one
  double of_x[2], of_v[2];
} hn_line_spring;

typedef struct hn_elements {
  const hn_model *model;
  int measure_count;
  hn_measure *measures;
  int turn_count;     // angle measures
  double *turn_start; // the value an angle starts near, where has_start (turn_count)
  unsigned char *has_start;

  int row_count;
  hn_row *rows;    // joints in order, then drivers (row_count)
  int *row_start;  // bodies of rows so far (row_count + 1)
  int *row_body;   // ... one after the other
  int *joint_row;  // first row of a joint (joint_count + 1)
  int *driver_row; // first row of a driver (driver_count + 1)
  int has_motors;  // some driver moves: one that only holds does no work
  int *is_held;    // 1: drivers and roads stand still where they are now, as in an equilibrium
  // Pools that rows point into, and how far they are filled.
  int *parts;           // measures
  double *coefficients; // but for a single 1
  double *curves;       // of measures that are bent, four each
  int part_count, coefficient_count, curve_count;

  int *coordinate; // measure of coordinate c of joint j at [j * HN_COORDINATES + c], or -1

  int *force_measure;    // first measure of a force (force_count + 1); not of joint coordinates
  int *force_coordinate; // measure the force reads through its joint, or -1 (force_count)
  // Where forces that stick have hold of their partner: numbers among the turns, frozen within a step.
  int *force_anchor;     // the first of them, or -1 (force_count)
  int anchor_count;      // with a 1 for each sealed component that has some
  hn_line_spring *lines; // (force_count)

  const struct hn_contacts *contacts; // null without contacts
  int *force_pair;                    // of contacts->pairs, or -1 (force_count)

  // With those inside sealed components, which come last: forces and drivers that have a branch.
  int force_branches, driver_branches;
  const hn_hidden_elements *hidden; // null without such components

  // Elements that conditions have switched off; null: no conditions (holon/switch.h).
  unsigned char *row_off, *force_off; // (row_count), (force_count)
  double *row_offset;                 // what positions a row keeps: those it found (row_count)

  // Signals that laws use (elements/sensor.h); none but in elements of a simulation.
  int sensor_count;
  struct hn_sensor *sensors;
  struct hn_sensed *sensed;     // workspace: derivatives of a function by signals
  double *sensed_turns;         // those of the last hn_elements_sense (turn_count)
  struct hn_measure_memo *memo; // workspace: measures of forces and of sensors since then (2)
  hn_flow *flow; // states of functions and elements (elements/states.h); null: no states
} hn_elements;

// Frames of all bodies in the reference configuration, at rest (bodies + ground).
void hn_drawn_frames(const hn_model *model, hn_frame *frames);

hn_status hn_elements_create(hn_arena *arena, const hn_model *model, hn_elements **elements,
                             hn_error *error);
// Reference angles so that each angle measure starts on the branch its joint's `initial:` asks for,
// at the given frames (turn_count).
void hn_elements_initial_turns(const hn_elements *elements, const hn_frame *frames, double *turns);
// Angles become their own references: done when a step is accepted.
void hn_elements_update_turns(const hn_elements *elements, const hn_frame *frames, double *turns);
// Anchors of forces that stick: those that are not there yet are set, and with is_accepted all
// others follow the motion as far as they slide: done when a step is accepted.
#define HN_NO_ANCHOR 1e300
void hn_elements_move_anchors(const hn_elements *elements, const hn_frame *frames, double t,
                              int is_accepted, double *turns);
void hn_elements_drop_anchors(const hn_elements *elements, double *turns); // none is there
// Driven angles: as their laws say at time t.
void hn_elements_drive_turns(const hn_elements *elements, double t, double *turns);

// ---- rows ---------------------------------------------------------------------------------------

typedef struct hn_row_speeds {
  double value, rate, tau;                    // phi, d phi/dt, right side of Phi_s a = tau
  double time_rate;                           // Phi_t
  hn_vec3 n[HN_ROW_BODIES], m[HN_ROW_BODIES]; // gradient for row->body[k]
} hn_row_speeds;
// The function of a driver's constraint: its value and rates, which are 0 while it is frozen. Zero
// without a function.
hn_law_value hn_row_law(const hn_elements *elements, const hn_row *row, double t, int time_branch);
void hn_row_in_speeds(const hn_elements *elements, const hn_row *row, const hn_frame *frames,
                      const double *turns, double t, int time_branch, hn_row_speeds *out);

// Derivatives against small motions at fixed speeds, 6 a body in the order of row->body (measure.h).
#define HN_ROW_LOCAL (6 * HN_ROW_BODIES)
typedef struct hn_row_tangent {
  double value, rate, tau, time_rate, tau_t;
  double gradient[HN_ROW_LOCAL];
  double gradient_pose[HN_ROW_LOCAL][HN_ROW_LOCAL];
  double rate_pose[HN_ROW_LOCAL];
  double tau_pose[HN_ROW_LOCAL], tau_speed[HN_ROW_LOCAL];
} hn_row_tangent;
void hn_row_in_poses(const hn_elements *elements, const hn_row *row, const hn_frame *frames,
                     const double *turns, double t, int time_branch, hn_row_tangent *out);

// ---- forces -------------------------------------------------------------------------------------

typedef struct hn_force_value {
  double value;            // the signal: tension, torque, normal load
  double deflection, rate; // x and v of its law (length, angle, ...)
  double potential;        // J, up to a constant
  double power;            // of what is not in the potential: dampers, actuators, expressions
  double dissipated;       // power taken out by dampers and friction, >= 0 for passive ones
  hn_vec3 direction;       // global force on body 2 where that is one vector, else zero
  int state;               // the branch it was evaluated on, of forces that switch
} hn_force_value;

// Adds the force's wrenches (about the centers of mass) to wrench[body].
hn_status hn_force_in_speeds(const hn_elements *elements, int force, const hn_frame *frames,
                             const double *turns, double t, hn_branch branch, hn_wrench *wrench,
                             hn_force_value *out);
// The same inside a step, where only its power is computed, which is added.
hn_status hn_force_in_step(const hn_elements *elements, int force, const hn_frame *frames,
                           const double *turns, double t, hn_branch branch, hn_wrench *wrench,
                           double *power);
// 0 where the potential of a force accounts for all its work.
int hn_force_has_power(const hn_model *model, int force);
// Offset that a sticking measured force subtracts from its measure: see hn_force_row.
static inline double hn_force_held(const hn_elements *elements, int force, const double *turns) {
  int anchor = elements->force_anchor[force];
  return anchor < 0 ? 0 : turns[anchor];
}
// 1 for a force whose law has more than one branch over the state.
int hn_force_switches(const hn_force_def *force);
// 1 for one whose law has more than one branch over time.
int hn_force_is_timed(const hn_force_def *force);
// The branch that holds at this state.
hn_branch hn_force_branch(const hn_elements *elements, int force, const hn_frame *frames,
                          const double *turns, double t);

// Whether a branch from a file is one that this force or driver can have; of those inside sealed
// components only that it is no negative number.
int hn_force_has_branch(const hn_elements *elements, int force, hn_branch branch);
int hn_driver_has_branch(const hn_elements *elements, int driver, int branch);

// Wrenches (force, torque about the center of mass) of a force on its two bodies, and their derivatives
// against time, small motions of both bodies (translation, rotation) at fixed speeds, and speeds.
typedef struct hn_force_load {
  int body[2];
  double wrench[HN_POSES], rate[HN_POSES];
  double d_pose[HN_POSES][HN_POSES], d_speed[HN_POSES][HN_POSES];
} hn_force_load;
hn_status hn_force_in_poses(const hn_elements *elements, int force, const hn_frame *frames,
                            const double *turns, double t, hn_branch branch, hn_force_load *out);

// The largest step that resolves the force: a tyre samples its road at least twice per radius of
// travel where the road is not straight, and goes half of the way there at most, so that
// acceleration does not carry it past. HUGE_VAL: any.
int hn_force_limits_steps(const hn_force_def *force); // 0: it never does
double hn_force_step_limit(const hn_elements *elements, int force, double t,
                           const hn_frame *frames);
// The same where the road is not straight: the time in which a wheel rolls half its radius.
double hn_force_look_time(const hn_elements *elements, int force, const hn_frame *frames);

// The time branch of a driver's law, and the next time after t at which any law of time is not
// smooth (HUGE_VAL if none).
int hn_driver_time_branch(const hn_elements *elements, int driver, double t);
double hn_elements_next_time(const hn_elements *elements, double t);

#endif
