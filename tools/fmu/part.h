// A model that another program steps through the functions of FMI: what FMI 2.0 and 3.0 share.
//
// The folder of resources has `holon.txt` (src/fmi/resources.c): the model file, the value of each
// parameter that export set, and the variables in the order of their value references.
//
// Steps are those of a run of the model alone: a step may end behind the communication point, where
// values are those of dense output. If an input changes there, the state at the start of that step
// is restored and stepped exactly to the point. After an input has changed, steps end at the points
// until it rests again.
//
// Model Exchange: the importing program integrates (part_exchange.c, src/analysis/exchange).
#ifndef HOLON_FMU_PART_H
#define HOLON_FMU_PART_H

#include <stdint.h>

#include "holon/holon.h"

#if defined(_WIN32)
#define FMU_API __declspec(dllexport)
#else
#define FMU_API __attribute__((visibility("default")))
#endif

typedef enum part_stage {
  PART_CREATED,      // parameters and inputs can be set
  PART_INITIALIZING, // ... and values are computed when they are asked for
  PART_RUNNING,
  PART_EVENT, // FMI 3: between the steps, after an event
  PART_FAILED,
  PART_TERMINATED
} part_stage;

typedef enum part_role {
  PART_TIME,
  PART_PARAMETER,
  PART_INPUT,
  PART_OUTPUT,
  PART_LOCAL,
  PART_STATE, // of Model Exchange
  PART_RATE,
  PART_INDICATOR,
  PART_ROLES
} part_role;

typedef struct part_variable {
  part_role role;
  char *name, *unit; // in the model
  double value;      // of parameters and inputs
  double rate;       // of inputs
  int index;         // of an input of the model, of a signal, or of a state; -1: not known yet
} part_variable;

typedef struct part {
  char *folder;          // of resources, with a separator at its end
  char *text;            // of holon.txt, cut into the strings below
  char *model_path;      // in folder
  const char *token;     // of this FMU
  const char **settings; // "NAME=VALUE", from the export
  int setting_count;
  part_variable *variables; // by value reference
  int variable_count, parameter_count, input_count, state_count, indicator_count;

  hn_load_options load;
  hn_model_files *files;
  hn_model *model;
  hn_simulation *simulation;    // null: not made yet
  int is_exchange;              // of Model Exchange
  struct hn_exchange *exchange; // of the simulation, or of the next one; null: not made yet
  hn_simulation *shown;         // Co-Simulation: the same motion, for variables of Model Exchange
  int rates;                    // derivatives among the variables
  double *room;                 // (2 state_count + indicator_count)
  double *saved;                // (hn_exchange_save_size)
  hn_parameter_setting *numbers;

  part_stage stage;
  double start, stop, tolerance; // stop: infinite if not given
  double now;                    // communication point
  int is_stale;                  // parameters have changed since the model was built
  int is_changed;                // inputs have changed since they were given to the simulation
  int quiet;                     // steps since an input changed
  int is_terminated;             // nothing but the end of the run is left

  char *kept; // state at the start of the last step
  size_t kept_size, kept_room;
  double kept_limit; // of that step
  hn_error error;
} part;

// Null: out of memory, or *error says why.
part *part_create(const char *folder, const char *token, int is_exchange, hn_error *error);
void part_free(part *p); // null is fine
void part_reset(part *p);

// The status of the engine; HN_ERROR_ARGUMENT for a value reference or a stage that does not fit.
hn_status part_get(part *p, const uint32_t *references, size_t count, double *values);
hn_status part_set(part *p, const uint32_t *references, size_t count, const double *values);
hn_status part_set_rate(part *p, uint32_t reference, double rate);
hn_status part_initialize(part *p, double start, double stop, double tolerance);
hn_status part_started(part *p); // the end of initialization

// HN_ERROR_ARGUMENT where a step of this size from this time is not the next one.
hn_status part_at(part *p, double time, double size);
// Notices of a step for its caller, and his wishes; zeroed: none.
typedef struct part_watch {
  // After a step of the engine, at time <= end. Not 0: return there.
  int (*reached)(void *context, double time);
  void *context;
  int ends_at_events; // return at the first event, *is_event is 1
  int is_event;
} part_watch;
// From `now` to now + size; *reached (may be null) is the time that values are of.
hn_status part_step(part *p, double size, part_watch *watch, double *reached);

// d unknown = J d known at the communication point, or at the time and states of Model Exchange.
// Unknowns are outputs, locals and derivatives of states, knowns inputs and states.
typedef struct part_unknowns {
  const uint32_t *unknowns, *knowns;
  size_t unknown_count, known_count;
} part_unknowns;
hn_status part_derivative(part *p, const part_unknowns *of, const double *seed, double *result);
hn_status part_adjoint(part *p, const part_unknowns *of, const double *seed, double *result); // J'

// Model Exchange, part_exchange.c. A positive status: the importing program may try a nearer state.
typedef struct part_events {
  int is_new;  // states have other values
  double next; // time of the next event; HUGE_VAL: none is known
} part_events;
hn_status part_set_time(part *p, double time);
hn_status part_set_states(part *p, const double *x, size_t count);
hn_status part_get_states(part *p, double *x, size_t count);
hn_status part_get_rates(part *p, double *rates, size_t count);
hn_status part_get_nominals(part *p, double *nominals, size_t count);
hn_status part_get_indicators(part *p, double *indicators, size_t count);
hn_status part_complete(part *p, int *is_event);
hn_status part_enter_events(part *p);
hn_status part_update(part *p, part_events *events);
hn_status part_continue(part *p); // to continuous time

// The whole state as one block of memory; *block is freed with free.
hn_status part_save(part *p, void **block, size_t *size);
hn_status part_restore(part *p, const void *block, size_t size);

// A saved state that an importing program keeps.
typedef struct part_copy {
  void *block;
  size_t size;
} part_copy;
hn_status part_keep(part *p, part_copy **copy);          // *copy null: a new one
part_copy *part_copy_of(const void *bytes, size_t size); // null: out of memory
void part_drop(part_copy *copy);                         // null is fine

#endif
