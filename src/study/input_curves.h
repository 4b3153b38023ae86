// Inputs from tables where the model is solved at given times (kinematics): natural cubic splines
// through the rows, so that drivers have velocities and accelerations; constant before the first
// and after the last row.
#ifndef HN_STUDY_INPUT_CURVES_H
#define HN_STUDY_INPUT_CURVES_H

#include "holon/run.h"

typedef struct hn_input_curves {
  int count;
  struct hn_input_curve {
    int input;
    double constant; // of a table with one row
    hn_law *law;     // null: that
  } * curves;
} hn_input_curves;

// HN_ERROR_UNSUPPORTED for an input with a filter: it has a motion of its own.
hn_status hn_input_curves_create(const hn_run_plan *plan, const hn_simulation *simulation,
                                 hn_input_curves *curves, hn_error *error);
void hn_input_curves_free(hn_input_curves *curves);
// Sets the inputs to their values at `time`, with two derivatives, at the simulation's present
// time.
hn_status hn_input_curves_give(const hn_input_curves *curves, hn_simulation *simulation,
                               double time);

#endif
