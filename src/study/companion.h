// The refined run in parallel with a run, from which the error of every signal is estimated.
#ifndef HN_STUDY_COMPANION_H
#define HN_STUDY_COMPANION_H

#include "study/runner.h"

typedef struct hn_companion hn_companion;

// Creates the second run, or notes in the simulation's accuracy why it is missing.
hn_status hn_companion_begin(hn_runner *runner, hn_error *error);
// 1 when row k of the grid is compared: of very large models only some are.
int hn_companion_wants(const hn_companion *companion, long k);
// The first run has taken a step: those of the second will be shorter.
void hn_companion_saw_step(hn_companion *companion);
// Steps the second run to `time`, at which the first one looks, and compares all signals.
void hn_companion_compare(hn_companion *companion, double time);
// Writes what was found into the simulation: hn_simulation_accuracy.
void hn_companion_conclude(hn_runner *runner);
void hn_companion_free(hn_companion *companion); // null is fine

#endif
