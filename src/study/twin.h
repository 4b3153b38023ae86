// A perturbed run in parallel with one that time-steps its contacts: the same steps from slightly
// different velocities. It distinguishes a pile that amplifies every error from steps that are too
// large.
#ifndef HN_STUDY_TWIN_H
#define HN_STUDY_TWIN_H

#include "study/compared.h"
#include "study/input_tables.h"

typedef struct hn_twin_run {
  hn_simulation *simulation; // null: none, or it is finished
  hn_table_reader reader;
  double start;
  double *values;     // (compared)
  double part;        // s: in which the two part by a factor of e; 0: they do not
  double apart;       // sums over rows of the difference of the energies of both runs ...
  double least, most; // ... and between which the energy goes
  long rows;
} hn_twin_run;

// Nothing where the run locates its contacts.
hn_status hn_twin_begin(hn_arena *arena, const hn_simulation *first, const hn_run_plan *plan,
                        int compared, hn_twin_run *twin, hn_error *error);
// The first run has these values at `time`: steps the perturbed run there and compared.
void hn_twin_compare(hn_twin_run *twin, hn_simulation *first, const hn_compared *compared,
                     const double *values, double time, double end);
// Energies of the first and the second run at a row.
void hn_twin_energies(hn_twin_run *twin, hn_simulation *first, hn_simulation *second);
// 1: positions part by themselves, and energies of the whole do not.
int hn_twin_is_sensitive(const hn_twin_run *twin);
double
hn_twin_energy_apart(const hn_twin_run *twin); // mean difference of both runs over their range

#endif
