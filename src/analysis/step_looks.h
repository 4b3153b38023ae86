// Inputs and signals that laws read, at five looks along the attempted step, and paths through them.
#ifndef HN_ANALYSIS_STEP_LOOKS_H
#define HN_ANALYSIS_STEP_LOOKS_H

#include "analysis/simulation.h"
#include "math/path.h"

typedef struct hn_step_looks {
  int inputs;        // of the model, then signals
  double *value;     // (HN_PATH_NODES * inputs)
  double begin, end; // of the step they belong to
} hn_step_looks;

// s->looks, taken once.
hn_status hn_step_looks_create(hn_simulation *s);
// Signals have been sensed at node k of the attempted step; the last one comes last.
void hn_step_looks_note(hn_simulation *s, int k);
// Makes them, unless those of this step are there.
void hn_step_looks_make(hn_simulation *s);
// Along the step, of the inputs a law uses, in its order.
void hn_step_looks_paths(const hn_simulation *s, const hn_law *law, hn_path *path);

#endif
