// An FMU that runs in a process of its own, tools/fmu-host: messages between both. Numbers go as they
// are in memory.
//
//   request   operation, what the operation takes
//   answer    outcome, what the operation gives; if it failed, the function and the words of the FMU
//
// A message starts with its length. What the process answers is untrusted: the FMU may have changed
// its memory.
#ifndef HN_COMPONENTS_FMU_LINK_H
#define HN_COMPONENTS_FMU_LINK_H

#include "components/served.h"

typedef enum hn_fmu_operation {
  HN_FMU_OPEN,    // library, resources, token, name; version, kind
  HN_FMU_PREPARE, // start, stop (infinite: none), tolerance (0: none): enters initialization
  HN_FMU_SET,     // values
  HN_FMU_GET,     // references -> numbers
  HN_FMU_START,   // ends initialization
  HN_FMU_UPDATE, // discrete states until none is new -> flags, next time, states (ME: nominals too)
  HN_FMU_EVENT,  // enters event mode
  HN_FMU_EVALUATE, // time, states -> derivatives, indicators
  HN_FMU_COMPLETE, // the end of an integrator step -> flags
  HN_FMU_STEP,     // time, size -> time reached, flags
  HN_FMU_SAVE,     // -> number of a saved state
  HN_FMU_RESTORE,  // number
  HN_FMU_DROP,     // number
  HN_FMU_WRITE,    // -> the present state as bytes
  HN_FMU_READ,     // bytes
  HN_FMU_OPERATIONS
} hn_fmu_operation;

enum { HN_FMU_WANTS_EVENT = 1, HN_FMU_ENDS = 2, HN_FMU_NEW_STATES = 4 }; // flags

typedef enum hn_fmu_outcome {
  HN_FMU_DONE,
  HN_FMU_DISCARDED, // the FMU cannot take this step or these values
  HN_FMU_FAILED,
  HN_FMU_UNKNOWN // the request
} hn_fmu_outcome;

// Of one group of values: its type, value reference, count; then 8 bytes each, or texts. Numbers are
// answered as floating-point numbers.
typedef enum hn_fmu_type {
  HN_FMU_FLOAT64, // FMI 2: Real
  HN_FMU_FLOAT32,
  HN_FMU_INT8,
  HN_FMU_UINT8,
  HN_FMU_INT16,
  HN_FMU_UINT16,
  HN_FMU_INT32, // FMI 2: Integer
  HN_FMU_UINT32,
  HN_FMU_INT64,
  HN_FMU_UINT64,
  HN_FMU_BOOLEAN,
  HN_FMU_STRING,
  HN_FMU_BINARY,
  HN_FMU_ENUMERATION,
  HN_FMU_CLOCK,
  HN_FMU_TYPES
} hn_fmu_type;

// The program and how it is run. Texts outlive the link.
typedef struct hn_fmu_setup {
  const char *host;    // the program
  const char *library; // the binary
  const char *resources, *token, *name;
  int version;            // 2 or 3
  int is_exchange;        // Model Exchange, else Co-Simulation
  int states, indicators; // of Model Exchange
  int completes_steps;    // Model Exchange: wants to know of each step
  int can_save, can_serialize;
  int has_variable_steps; // Co-Simulation
  double time_limit;      // of a call, s
} hn_fmu_setup;

typedef struct hn_fmu_link {
  const hn_fmu_setup *setup;
  struct hn_child_program *process; // null: it has ended
  hn_wire request, answer;
  double time; // of the simulation, for messages
} hn_fmu_link;

// Starts the process and instantiates the FMU.
hn_status hn_fmu_link_open(hn_fmu_link *link, const hn_fmu_setup *setup, hn_error *error);
void hn_fmu_link_close(hn_fmu_link *link); // a zeroed one is fine

// Starts a request; then hn_wire_* on link->request.
void hn_fmu_request(hn_fmu_link *link, hn_fmu_operation operation);
// Sends it and waits; then hn_wire_get_* on link->answer. HN_RETRY: the FMU discards it.
hn_status hn_fmu_ask(hn_fmu_link *link, hn_error *error);
// After the answer was read: HN_ERROR_FILE if it was not all there.
hn_status hn_fmu_answered(hn_fmu_link *link, hn_error *error);

#endif
