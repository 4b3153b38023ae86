// The layout of the table of signals: what the files signals*.c share.
#ifndef HN_SIGNALS_SIGNALS_TABLE_H
#define HN_SIGNALS_SIGNALS_TABLE_H

#include "math/expression.h"
#include "signals/signals.h"

typedef enum hn_signal_kind {
  HN_SIGNAL_OUTPUT,
  HN_SIGNAL_BODY,
  HN_SIGNAL_MARKER,
  HN_SIGNAL_JOINT, // a coordinate, its rate or acceleration
  HN_SIGNAL_REACTION,
  HN_SIGNAL_DRIVER,
  HN_SIGNAL_FORCE,
  HN_SIGNAL_CONTACT,
  HN_SIGNAL_TYRE, // of forces that roll
  HN_SIGNAL_INPUT,
  HN_SIGNAL_STATE,
  HN_SIGNAL_ENERGY,
  HN_SIGNAL_CONSTRAINT,
  HN_SIGNAL_STEP,
  // found by name, but recorded only where they are asked for:
  HN_SIGNAL_BODY_LOCAL,     // in the body's own axes
  HN_SIGNAL_REACTION_LOCAL, // in the axes of the joint's frame on the second body
  HN_SIGNAL_FORCE_VECTOR,   // force and torque on the second body, global and local
  HN_SIGNAL_NONE,
} hn_signal_kind;

// Where an index points: element of its kind, and which of its quantities.
typedef struct hn_signal_place {
  hn_signal_kind kind;
  int element;
  int quantity; // joint: 3 * coordinate + derivative; else the row of the kind's list
} hn_signal_place;

// An output: one signal under another name, or an expression of several.
typedef struct hn_signal_output {
  const char *unit;
  int alias;                       // signal, or -1
  const hn_expression *expression; // of used[] (used_count); null for an alias
  int *used;                       // signals
  int used_count;
  double *values; // (used_count)
} hn_signal_output;

// A contact of the model, or one of its pairs of shapes: pairs first .. end - 1.
typedef struct hn_signal_contact {
  int rule, number; // number: of the pair within the rule, from 1; 0: the rule itself
  int first, end;
} hn_signal_contact;

struct hn_signals {
  hn_arena *arena;
  const hn_elements *elements;
  const hn_model *model;
  int count; // those that are listed
  int all;   // with those that are only found
  // first index of each kind
  int body_start, marker_start, joint_start, driver_start, force_start, contact_start, tyre_start,
      input_start, state_start, energy_start, constraint_start, step_start, body_local_start,
      reaction_local_start, vector_start, pair_start;
  hn_wrench *wrench;           // zero between uses (body_count)
  int *joint_first;            // from joint_start, a joint's first signal (joint_count + 1)
  hn_signal_contact *contacts; // rules, then pairs of those that have several (contact_count)
  int contact_count, rule_count; // pairs are recorded on request only
  int *tyres; // forces that roll (tyre_count)
  int tyre_count;
  hn_signal_output *outputs;
  int output_count;             // compiled so far: an output sees those before it
  hn_signal_output *conditions; // when, starts, ends of each switch (3 switch_count)

  const char **names; // written when asked for (count), null before the first
};

// Quantities of an element, in their order: text after its name, and the unit.
typedef struct hn_quantity {
  const char *suffix, *unit;
} hn_quantity;

#define HN_BODY_QUANTITIES 22
#define HN_BODY_ANGULAR_VELOCITY 9 // the first of three
#define HN_BODY_QUATERNION 15      // ... of four
#define HN_BODY_ROLL 19            // ... of three angles
#define HN_MARKER_QUANTITIES 9
#define HN_REACTION_QUANTITIES 6
#define HN_FORCE_QUANTITIES 4
#define HN_CONTACT_QUANTITIES 11
#define HN_CONTACT_NAMED 200 // pairs at most: contacts of models with more have no signals
#define HN_ENERGY_QUANTITIES 5
#define HN_CONSTRAINT_QUANTITIES 3
#define HN_STEP_QUANTITIES 2
#define HN_BODY_LOCAL_QUANTITIES 6
#define HN_BODY_LOCAL_ACCELERATION 3 // the first of three
#define HN_VECTOR_QUANTITIES 12

extern const hn_quantity hn_contact_quantities[HN_CONTACT_QUANTITIES];
hn_status hn_signals_list_contacts(hn_signals *signals);
void hn_signal_contact_values(const hn_signals *signals, const hn_signal_source *source,
                              int contact, double values[HN_CONTACT_QUANTITIES]);

#define HN_SIGNAL_TIME (-2) // inside outputs only: the present time

hn_signal_place hn_signal_locate(const hn_signals *signals, int index);
// find for a name of given length that need not be terminated
int hn_signals_find_part(const hn_signals *signals, const char *name, size_t length);
hn_status hn_signals_compile_outputs(hn_signals *signals, hn_error *error);
hn_status hn_signals_compile_conditions(hn_signals *signals, hn_error *error);

#endif
