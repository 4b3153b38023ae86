// First-order states z of functions and elements, and discrete values of functions (samples), where
// forces read them. The flow of a simulation determines z when forces are evaluated:
//
//   z - g r(q, qd, z, t) = hat
//
// r the rates. With g = 0 z is given (explicit formulas, samples, output). With g > 0 it is the z
// of an implicit stage at the motion that is evaluated: z = hat + g z', as velocities are v = v_hat
// + g a (integrate/stages.h). So z is eliminated locally: methods and matrices know positions and
// velocities alone, and derivatives of forces go through z, Z_s = (1 - g r_z)^-1 g r_s of the
// signals s that the rates read. Every evaluation of forces starts with hn_elements_sense, which
// solves for z of functions.
//
// A force owns states by its row (own_states, force_types.h). It reads `hat` and g of each where it
// is evaluated, solves for its value itself, writes value and rate, and has the derivatives of the
// force through them in its own, as if z were a local variable: with r = a - b z, z = (hat + g a)/(1
// + g b).
#ifndef HN_ELEMENTS_STATES_H
#define HN_ELEMENTS_STATES_H

#include "elements/elements.h"
#include "math/past.h"

struct hn_flow {
  int count, laws; // those of laws come first, in the order of the model
  int hidden;      // how many stand inside sealed components: they come last
  double t, g;
  double *hat, *value, *rate; // (count); rates are those of the last evaluation, of elements alone
  int *first;                 // state of a force, or -1 (force_count)
  int owners;                 // forces that have states ...
  int *owner;                 // ... which
  hn_wrench *wrench;          // workspace, of states that are evaluated (body_count) functions, by
                              // blocks that do not read each other
  int blocks;
  int *block_start, *order; // (blocks + 1), (laws)
  int *place;               // of a sensor among the states, or -1 (sensor_count)
  double *matrix;           // factors of 1 - g r_z, a block after the other
  int *pivots;              // (laws)
  double *step;             // (laws)
  int *block;               // of a state, -1 of samples; its index in `order` (functions)
  int *position;
  int *read_start, *read;   // sensors that the laws of a block read, but states (blocks + 1)
  int *z_start;             // start of its Z_s: rows as in `order`, columns as in `read` (blocks)
  double *by_signal;        // Z_s of all blocks
  int has_derivatives;      // it is that of the present values
  hn_past **history;        // of a delayed state; null: none (laws)
  int delays;               // how many
  hn_past **hidden_history; // of those inside sealed components; null: none yet
  int is_late; // delayed states are what was; else their approximations follow their laws
};

hn_status hn_flow_create(hn_arena *arena, hn_elements *elements);

static inline int hn_states_count(const hn_elements *elements) {
  return elements->flow ? elements->flow->count : 0;
}
// z is given: g = 0.
void hn_states_set(const hn_elements *elements, const double *z);
// z follows: of a stage at time t.
void hn_states_follow(const hn_elements *elements, double t, double g, const double *hat);
// Of the signals that were sensed last: z of laws as it follows. Part of hn_elements_sense.
void hn_states_solve(const hn_elements *elements);
// 0: all are samples, or known otherwise.
int hn_states_have_rates(const hn_elements *elements);
// Rates at the values there are (0 of samples), and what a sample gives, of the signals sensed last.
void hn_states_rates(const hn_elements *elements, double t, double *rates);
// 1 - g r_z by columns (count x count), of the signals sensed last; 0: elements have states too, whose
// derivatives are not known alone.
int hn_states_matrix(const hn_elements *elements, double t, double g, double *matrix);
// 1: the input of a law is the value of this state.
int hn_states_is_value(const hn_elements *elements, int state, int input);
// Rate at which a deviation of one state decays, 1/s: -r_z at the signals sensed last; 0: unknown.
double hn_states_decay(const hn_elements *elements, int state, double t);
double hn_states_sample(const hn_elements *elements, int state, double t);
// One round of rules at the signals sensed last: of each state without a function the first rule
// that became true sets it. held (of the model's states): rules that were true last, a bit each; z:
// of the same. Returns 1 if a state changed; *failed: a state whose value is not finite, or -1.
int hn_states_take_rules(const hn_elements *elements, double t, double *held, double *z,
                         int *failed);
// Switches delayed states on or off from here on: see is_late of the flow.
void hn_states_be_late(const hn_elements *elements, int is_late);
// Signals, values and rates of elements at these frames, as if forces had been evaluated there.
hn_status hn_states_look(const hn_elements *elements, double t, const hn_frame *frames,
                         const double *turns, const hn_branch *force);
// x = (1 - g r_z)^-1 x (count), of the last solution.
void hn_states_filter(const hn_elements *elements, double *x);
// Derivatives of something by signals: those by states become ones by what they follow.
struct hn_sensed;
void hn_states_chain(const hn_elements *elements, struct hn_sensed *sensed);

// State k that a force owns.
typedef struct hn_own_state {
  double g, hat;
  double *value, *rate; // to be written
} hn_own_state;
static inline hn_own_state hn_force_own_state(const hn_elements *elements,
                                              const hn_force_def *force, int k) {
  const struct hn_flow *flow = elements->flow;
  const int at = flow->first[force - elements->model->forces] + k;
  return (hn_own_state){flow->g, flow->hat[at], &flow->value[at], &flow->rate[at]};
}

#endif
