// Inputs and signals that laws read, at five looks along the attempted step, paths through them, and
// Taylor models of the laws: guards (is their branch kept?) and functions (is a feature hidden?) share
// them.
#ifndef HN_ANALYSIS_STEP_LOOKS_H
#define HN_ANALYSIS_STEP_LOOKS_H

#include "analysis/simulation.h"
#include "elements/features.h"
#include "math/path.h"

// A law along the attempted step.
typedef struct hn_step_law {
  const hn_law *law; // that of the simulation: with its inputs
  hn_function_kind kind;
  int force;                // whose measure it reads; -1: none
  struct hn_step_law *next; // of those that guards have added
  double begin, end;        // of the step whose model this is
  long renewals;            // ... and how often all were renewed then
  int has_model;
  hn_taylor model;
} hn_step_law;

typedef struct hn_step_looks {
  int inputs;                       // of the model, then signals
  double *value;                    // (HN_PATH_NODES * inputs)
  double begin, end;                // of the step they belong to
  long renewals;                    // a step from another state may have the same times
  hn_step_law *laws, *last, *found; // those of guards; found: the last that was shared
} hn_step_looks;

// s->looks, taken once.
hn_status hn_step_looks_create(hn_simulation *s);
// Forgets what is known of attempted steps: the next one may start from another state or input.
void hn_step_looks_renew(hn_simulation *s);
// Signals have been sensed at node k of the attempted step; the last one comes last.
void hn_step_looks_note(hn_simulation *s, int k);
// Makes them, unless those of this step are there.
void hn_step_looks_make(hn_simulation *s);
// Along the step, of the inputs a law uses, in its order.
void hn_step_looks_paths(const hn_simulation *s, const hn_law *law, hn_path *path);

// ---- laws, once there are looks -----------------------------------------------------------------

// A new one, of a guard, that others may share. Null: out of memory.
hn_step_law *hn_step_law_add(hn_simulation *s, const hn_law *law, hn_function_kind kind, int force);
// That of a guard, or a new one.
hn_step_law *hn_step_law_share(hn_simulation *s, const hn_law *law, hn_function_kind kind,
                               int force);
// Of its own variables, then of the inputs it uses. The looks have been made if it uses any.
void hn_step_law_paths(hn_simulation *s, const hn_step_law *along, hn_path path[HN_LAW_VARIABLES]);
// Over the whole attempted step, where no operation of the law switches. Null: one may, or the law
// has no model.
const hn_taylor *hn_step_law_model(hn_simulation *s, hn_step_law *along);

#endif
