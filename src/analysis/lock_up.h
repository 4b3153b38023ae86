// Positions that a model cannot leave: found and reported within a bounded number of steps; see
// lock_up.c.
#ifndef HN_ANALYSIS_LOCK_UP_H
#define HN_ANALYSIS_LOCK_UP_H

#include "holon/simulation.h"

// The present state is the one that lock-ups are looked for at.
void hn_note_start(hn_simulation *simulation);
// The constraint that locks the model at the present state; -1: none does, or it is unknown.
int hn_find_lock_up(hn_simulation *simulation);
hn_status hn_fail_lock_up(hn_simulation *simulation, int row);
// Fails with the joint whose small misalignment locks the loop of this row at q; row -1: of any loop in
// which no velocity is permitted. HN_OK: none found.
hn_status hn_fail_misaligned(hn_simulation *simulation, const double *q, int row);
// After a step with error control: fails if steps indicate a lock-up and there is one.
hn_status hn_watch_progress(hn_simulation *simulation);
// Writes "joint 'x'" or "driver 'x'" of a constraint, and its position in the file
// (simulation_failure.c).
const char *hn_name_row_owner(const hn_simulation *simulation, int row, char *buffer, size_t size,
                              const hn_source **source);

#endif
