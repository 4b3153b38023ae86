// Contents of a saved state (simulation_save.c) and validation of one from a file (saved_state.c).
#ifndef HN_ANALYSIS_SAVED_STATE_H
#define HN_ANALYSIS_SAVED_STATE_H

#include "analysis/simulation.h"

typedef struct hn_saved_header {
  char magic[8];
  char version[16];
  unsigned long long model;
  unsigned long long options; // tolerances, steps and methods
  size_t size;
  size_t memory;               // of the method, at the end
  size_t history;              // of delays, before it
  unsigned long long checksum; // of everything after the header
  int nq, rows, forces, drivers, turns;
} hn_saved_header;
unsigned long long hn_saved_checksum(const unsigned char *data, size_t size);

// Of a part of the model (hn_energy_part), without the data that the model determines.
typedef struct hn_saved_part {
  double start, potential, energy, size, largest, balance;
  long does_work; // no bytes without a meaning
} hn_saved_part;

// The arrays follow: q, qd, positions at the start, parts, resolution (q, qdd, two sums), branches
// of forces and drivers, turns, redundant rows, last changes, branches seen, inputs, outputs
// already reported, warnings, events, orientations, then data of components and methods.
typedef struct hn_saved_record {
  double t, work, last_step, next_step;
  double last_error; // of the step control
  int after_rejection;
  double initial_energy, initial_potential, largest_energy;
  hn_certificate certificate; // without the names, which belong to the process
  hn_auto_choice choice;
  long evaluations, looks, projections;
  long jacobians, iterations, newton_failures, method_factorizations, step_iterations;
  long selections;
  int redundant_count, rest_redundant, warning_count;
  struct hn_blind_step blind_force, blind_turn;
  struct hn_tilted tilted;
  int has_new_input, is_held;
  long unconverged;
  double unconverged_residual;
  struct hn_progress progress;
  int has_resolution; // a step whose end the next one is compared with
} hn_saved_record;

// Every number, index and count is within what a run can have written: HN_OK; else an error that names
// the first that is not. A correct checksum is no proof: the author of a file can compute one.
// Changes nothing but the error.
hn_status hn_check_saved_state(hn_simulation *simulation, const hn_saved_record *record,
                               const unsigned char *arrays);

// Error for a part of a state: "... cannot be true: WHAT INDEX is out of range"; index -1: none.
hn_status hn_refuse_saved(hn_simulation *simulation, const char *what, int index);
// 1: so many changes in a row can have been, the last at this time (-HUGE_VAL: none yet).
int hn_is_saved_streak(int rapid, double last, int most);

#endif
