// Holon: sealed components.
//
// A component can be compiled into a file of its own (FILE.hnc), a shared object that shows its border
// and nothing else, and used in other models like the file it was made from:
//
//   holon component build engine.yaml -o engine.hnc
//   components: {engine: {use: engine.hnc, position: [1.2, 0, 0.4]}}
//
// This header is the whole interface between such a file and the program that loads it. It is for
// those who write either side; models need none of it. Everything is plain C: numbers in SI,
// matrices by rows, functions in a table that starts with its version. docs/howto/components.md has
// the equations.
#ifndef HOLON_COMPONENT_H
#define HOLON_COMPONENT_H

#include "holon/contact.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- making one ---------------------------------------------------------------------------------

typedef struct hn_seal_options {
  size_t size;               // of this struct; 0: the first version
  const char *runtime;       // path of the component runtime that comes with Holon
  const char *const *inputs; // parameters a user may set; null: all of the file's own
  int input_count;
} hn_seal_options;

// Reads the model file `path` and everything it uses, checks that it can be a sealed component, and
// writes the file `out`. HN_ERROR_UNSUPPORTED names what cannot be sealed.
HN_API hn_status hn_component_seal(const char *path, const char *out,
                                   const hn_seal_options *options, hn_error *error);

// Public description of a sealed file, read without running it: lines of "word value" (holon, abi,
// name, border, marker, external, input, required, given, contact, output; required: an input without
// a default).
// Free *text with hn_component_public_free; control characters become question marks. checksum (may
// be null): SHA-256 of the file in hexadecimal digits, as in a list of trusted files.
#define HN_COMPONENT_CHECKSUM 65 // 64 digits and the end mark
HN_API hn_status hn_component_public(const char *path, char **text,
                                     char checksum[HN_COMPONENT_CHECKSUM], hn_error *error);
HN_API void hn_component_public_free(char *text);

// ---- the interface ------------------------------------------------------------------------------

#define HN_COMPONENT_ABI 9u
// The one symbol of a sealed component: const hn_component_api *hn_component_entry(void)
#define HN_COMPONENT_ENTRY "hn_component_entry"

typedef struct hn_component hn_component;         // placed in a model; read-only once made
typedef struct hn_component_run hn_component_run; // its numbers in one simulation

// A parameter, with its dimension (exponents of length, mass, time, angle) where has_dimension.
typedef struct hn_component_input {
  const char *name;
  double value;
  int has_dimension;
  double dimension[4];
} hn_component_input;

// A body in the reference configuration: its frame (rotation, mirroring, origin) and the center of
// mass (m), in global axes.
typedef struct hn_component_body {
  double rotation[9], mirror[3], position[3], center[3];
} hn_component_body;

typedef struct hn_component_setup {
  const char *path;                           // of the sealed file
  double rotation[9], mirror[3], position[3]; // of the component in the world
  const hn_component_input *inputs;           // (input_count)
  int input_count;
  const hn_component_body
      *externals; // bodies of the user, in the order of `external` (external_count)
  int external_count;
} hn_component_setup;

typedef struct hn_component_marker {
  const char *name; // BODY.MARKER
  int body;         // among the bodies
  double origin[3], axes[9];
} hn_component_marker;

// A constraint with a condition inside a component. The run adds it to its own; the joint keeps its
// equations inside.
typedef enum hn_component_constraint_kind {
  HN_COMPONENT_STOP,      // rigid: lower and upper end (may be infinite), restitution
  HN_COMPONENT_FRICTION,  // sticks: sliding force, static force (0: the same)
  HN_COMPONENT_KNIFE_EDGE // no coordinate and no number
} hn_component_constraint_kind;
typedef struct hn_component_constraint {
  int kind;                   // hn_component_constraint_kind
  int joint_type, coordinate; // hn_joint_type, hn_coordinate
  int body[2];                // 0 ground, then externals, then bodies of the component
  double frame[2][7];         // joint frames: from the center of mass (m), Euler parameters
  double pitch;               // screw, m
  double number[3];
} hn_component_constraint;

// Two bodies that a joint inside connects: like those of open components they collide only if a
// contact asks for it. Bodies count as in hn_component_constraint.
typedef struct hn_component_link {
  int body[2];
  int is_fixed; // 1: the two move as one
} hn_component_link;

// A shape that collides. The run adds it to its own shapes, where contacts of the user find it too.
typedef struct hn_component_shape {
  hn_shape_def def;  // its frame has a body of hn_component_constraint; no source
  int choice;        // `contact:` of the shape: 1, 0, or -1: not given
  const char *group; // "": none
} hn_component_shape;

// A function of the depth of a contact, in the form in which it is made (holon/law.h).
typedef struct hn_component_law {
  int kind;                                 // hn_law_kind; -1: no function
  int pieces, count;                        // polynomials and their coefficients
  const double *breakpoints, *coefficients; // (pieces - 1), (pieces * count)
  int points;                               // of a table
  const double *x, *y;                      // (points)
  int interpolation, outside, is_periodic;  // of a table: hn_table_kind, hn_table_outside
  const char *text;                         // of an expression in x
} hn_component_law;

// A contact inside: the run selects the shapes, with its own code.
typedef enum hn_component_contact_of {
  HN_COMPONENT_ALL_SHAPES, // all that collide
  HN_COMPONENT_TWO_BODIES,
  HN_COMPONENT_GROUPS // two groups, or one within itself
} hn_component_contact_of;
typedef struct hn_component_contact {
  int of;               // hn_component_contact_of
  int body[2];          // as in hn_component_constraint
  const char *group[2]; // "": none
  hn_contact_def def;   // its name and numbers; without source, shapes and function
  hn_component_law law; // of the depth
} hn_component_contact;

// An input: a number given while the model runs, or sampled from an output of the component.
typedef struct hn_component_given {
  const char *name, *unit; // unit: null or that of a typed value
  double value, filter;    // until another is given; time constant (s), 0: none
  int follows;             // output that gives it; -1: none
  int moves_driver;        // 1: the motion of a driver inside reads it
  double every;            // s, with it
  int has_dimension;
  double dimension[4]; // as of hn_component_input
} hn_component_given;
// Numbers of an input in a state: time, value, rate, acceleration, target, pole, samples.
enum { HN_COMPONENT_GIVEN_NUMBERS = 7 };

// Public facts of a component. Bodies count from 0; externals are -1, -2, ...
typedef struct hn_component_facts {
  int body_count;          // the size of the state: 7 positions and 7 rates a body
  const double *initial_q; // (7 body_count) center of mass and Euler parameters
  const double *initial_u; // (6 body_count) velocities and angular velocities, global axes
  int border_count;
  const int *border;                     // bodies that take forces of the user (border_count)
  const char *const *border_names;       // ""; nameless, for constraints below (border_count)
  const hn_component_body *border_drawn; // (border_count)
  int marker_count;
  const hn_component_marker *markers; // on border bodies
  int external_count;
  int turn_count;   // angles whose turns are counted, and anchors of forces that stick
  int has_anchors;  // 1: some are anchors
  int switch_count; // forces inside whose law has several pieces: tyres, stops, kinked laws
  int has_drivers;  // 1: motions inside, whose velocities an input may change
  int motion_count; // drivers inside whose motion has several pieces
  int limits_steps; // 1: step_limit has something to say
  // 1: functions, pieces or conditions inside may change and change back within a step.
  int hides_features;
  // States of force laws and elements inside, which the model integrates with its own.
  int state_count;
  const double *state_initial; // (state_count)
  const double *state_every;   // s between two samples; 0: it has a rate; -1: events set it
  const int *state_follows;    // output that samples are taken of; -1: none
  // Delayed states: which, by how much (s), and how many derivatives higher than what it is made of the
  // delayed signal bends, without and with impacts (delay_count, 2 delay_count). The run has their past.
  int delay_count;
  const int *delay_state;
  const double *delay_time, *delay_rise;
  // Conditions inside whose changes end steps: of laws that read signals, and of rules that set states.
  int condition_count;
  const unsigned char *condition_is_rule; // (condition_count)
  int given_count;
  const hn_component_given *given;
  int constraint_count; // with conditions
  const hn_component_constraint *constraints;
  int link_count; // joints inside
  const hn_component_link *links;
  int shape_count; // that collide
  const hn_component_shape *shapes;
  int contact_count;
  const hn_component_contact *contacts;
  int row_count; // of joints inside
  // joints between its bodies and those of the user: constraint equations with 6 coefficients per
  // body
  int border_row_count;
  const int *border_row_start; // (border_row_count + 1)
  const int *border_row_body;
  int output_count;
  const char *const *output_names, *const *output_units; // (output_count)
} hn_component_facts;

// The smooth piece of its law that a force uses: by the state of the model, and by time. The
// numbers have no meaning outside; they are compared and passed back.
typedef struct hn_component_branch {
  int state, time;
} hn_component_branch;

// The state at which something is asked for. What is frozen within a step comes with it.
typedef struct hn_component_state {
  double t;
  const double *q, *qd;                   // (7 body_count)
  const double *external_q, *external_qd; // (7 external_count)
  const double *turns;                    // (turn_count)
  const hn_component_branch *switches;    // (switch_count)
  const int *motions;                     // (motion_count)
  const double *given;                    // HN_COMPONENT_GIVEN_NUMBERS each (given_count)
  // States are those with x - g x' = z, x' their rates there: z itself where g is 0 (state_count).
  const double *z;
  double g;
  const double *late; // delayed states at t, and three derivatives (4 delay_count)
} hn_component_state;

// Rows of the border joints: 6 numbers a block, then one of each kind a row.
typedef struct hn_component_rows {
  double *block, *value, *rate, *tau, *time_rate;
} hn_component_rows;

// Sums that a component adds to.
typedef struct hn_component_energy {
  double kinetic, potential, power;
} hn_component_energy;

// Kinds of reference numbers (hn_component_api.turns).
typedef enum hn_component_turns {
  HN_COMPONENT_TURNS_NOW,    // angles of this state
  HN_COMPONENT_TURNS_START,  // angles as at the start, and no anchors
  HN_COMPONENT_ANCHORS_NEW,  // anchors that are missing
  HN_COMPONENT_ANCHORS_MOVED // anchors after an accepted step to this state
} hn_component_turns;

typedef struct hn_component_report {
  double position, velocity, acceleration; // largest violation of the rows inside
  int dependent, left_out;                 // rows that depend on others now, and those remembered
} hn_component_report;

// Border arrays are in the order of the border bodies that are connected (hn_component_api.start).
typedef struct hn_component_api {
  unsigned abi;      // HN_COMPONENT_ABI
  unsigned size;     // of this struct
  const char *holon; // version it was made by

  hn_status (*create)(const hn_component_setup *setup, hn_component **component, hn_error *error);
  void (*destroy)(hn_component *component);
  const hn_component_facts *(*facts)(const hn_component *component);

  // connected (body_count): 1 for bodies in constraint equations of the user or of the interface.
  hn_status (*start)(const hn_component *component, const unsigned char *connected,
                     const double gravity[3], hn_component_run **run, hn_error *error);
  void (*stop)(hn_component_run *run);
  // Reference angles and anchors (turn_count); `what`: hn_component_turns.
  hn_status (*turns)(hn_component_run *run, int what, const hn_component_state *state,
                     double *turns);
  // The branches that hold at this state; the branches stored in the state are ignored.
  hn_status (*branches)(hn_component_run *run, const hn_component_state *state,
                        hn_component_branch *switches, int *motions);
  // The first time after t at which a law of time inside is not smooth; HUGE_VAL: none.
  hn_status (*next_time)(hn_component_run *run, double t, double *next);
  // How long a step may be at most from this state on; HUGE_VAL: any.
  hn_status (*step_limit)(hn_component_run *run, const hn_component_state *state, double *limit);

  // -- accelerations, in this order
  // Rows and forces. border_force (6 a body of facts->border): what the user's forces put there,
  // and external_force (6 each): both added to.
  hn_status (*forces)(hn_component_run *run, const hn_component_state *state, double *border_force,
                      double *external_force, hn_component_energy *energy,
                      const hn_component_rows *rows);
  // Weights and gyroscopic terms. border_force: all forces on these bodies, with those of contacts.
  hn_status (*loads)(hn_component_run *run, const double *border_force,
                     hn_component_energy *energy);
  // D = L L' of the border (L: 6 connected x width). rows: 0 all, 1 all and choose, 2 those chosen
  hn_status (*factor)(hn_component_run *run, int rows, double *root, int width, int *rank);
  // border accelerations = D tau + r; again 1: for the residual of the loads
  hn_status (*forward)(hn_component_run *run, int again, double *r);
  hn_status (*backward)(hn_component_run *run, int again, const double *tau, double *border);
  hn_status (*residual)(hn_component_run *run, const double *tau);
  // Accelerations of all bodies (6 body_count), published outputs, residual of the constraints.
  hn_status (*finish)(hn_component_run *run, const double *border_lambda, double *accelerations,
                      hn_component_energy *energy, double *outputs, hn_component_report *report);

  // -- states of laws and elements; frames, turns, z and g of a state count
  // States and their rates (state_count each): those that `forces` found last, or, of a state that is
  // given, with its switches, those there. Rates of samples are 0.
  hn_status (*states)(hn_component_run *run, const hn_component_state *state, double *z,
                      double *rates);
  // x = (1 - g dx'/dx)^-1 x (state_count), of the states found last.
  hn_status (*filter)(hn_component_run *run, double *x);
  // Numbers that identify the active branches (condition_count); of a rule 1 if its condition
  // holds.
  hn_status (*conditions)(hn_component_run *run, const hn_component_state *state, int *codes);
  // New values of sampled states; the others keep those of the state, and those that follow outputs.
  hn_status (*samples)(hn_component_run *run, const hn_component_state *state, double *z);
  // One pass over the rules: those whose condition became true set their states. held (state_count):
  // bit set of the rules of each state that were true last; *changed: 1 if z changed.
  hn_status (*rules)(hn_component_run *run, const hn_component_state *state, double *held,
                     double *z, int *changed);

  // Signals that states delay, at this state (delay_count).
  hn_status (*delayed)(hn_component_run *run, const hn_component_state *state, double *signals);

  // -- stabilization: gaps (or, rates 1, velocities) at a state, then U, c and the way down
  hn_status (*gaps)(hn_component_run *run, const hn_component_state *state, int rates,
                    const hn_component_rows *rows, double *largest);
  hn_status (*stabilize_factor)(hn_component_run *run, double tolerance, double *u);
  hn_status (*stabilize_forward)(hn_component_run *run, double *c);
  hn_status (*stabilize_backward)(hn_component_run *run, const double *z, double *border);
  // Increments of all bodies in the last downward pass (6 body_count); left 1: for the residual of
  // the constraints.
  hn_status (*increments)(hn_component_run *run, int left, double *x);

  // -- velocities at the start: least change in the metric of the masses, after gaps(rates 1) and factor
  // border (6 a body of facts->border): generalized impulses; share: of the velocities to be taken away
  hn_status (*impulses)(hn_component_run *run, const double *border, double share);

  // -- going on from a kept state
  size_t (*save_size)(const hn_component_run *run);
  hn_status (*save)(const hn_component_run *run, void *buffer);
  hn_status (*restore)(hn_component_run *run, const void *buffer);
  unsigned long long (*hash)(const hn_component *component);
} hn_component_api;

// ---- remote components -----------------------------------------------------------------------

// A sealed component can stay where its maker keeps it: a process that has the file answers what the
// functions above would, and the program that uses it never sees the file. How bytes get from one to the
// other is their own business; here are both ends.

// The user's end of a connection to a remote component, for hn_load_options.served. The model uses
// it until it is freed.
typedef struct hn_component_channel {
  const char *name; // `use: engine.hnc` finds the channel "engine.hnc" before any file
  // Sends a request and waits for the answer. HN_ERROR_INTERRUPTED: the other end is closed.
  // Threads may call it at the same time when a simulation has several.
  hn_status (*call)(void *context, const void *request, size_t size, void *answer, size_t room,
                    size_t *answer_size);
  void *context;
} hn_component_channel;

// The end of its maker. Loads the code of the file; any number of users may be answered, one at a time.
typedef struct hn_component_server hn_component_server;
HN_API hn_status hn_component_server_open(const char *path, hn_component_server **server,
                                          hn_error *error);
// The answer stays until the next one. A request that makes no sense is answered with a status.
HN_API hn_status hn_component_server_answer(hn_component_server *server, const void *request,
                                            size_t size, const void **answer, size_t *answer_size);
HN_API void hn_component_server_close(hn_component_server *server);

#ifdef __cplusplus
}
#endif

#endif
