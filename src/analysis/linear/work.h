// Workspace that the files of a linearization share: the result in progress.
#ifndef HN_ANALYSIS_LINEAR_WORK_H
#define HN_ANALYSIS_LINEAR_WORK_H

#include "analysis/linear/point.h"
#include "holon/linear.h"

typedef struct hn_linear_work {
  hn_arena arena; // of the result, and of everything else until it is done
  hn_linear result;
  hn_linear_point point;
  const hn_linear_options *options;
  hn_error *error;
  double *x, *y; // X, Y (n x f, column-major): point.h
  double *size;  // of a state that has 1 J at 1 rad/s: 1 / sqrt of the diagonal of Mhat (f)
  int *input;    // inputs of the model (input_count)
  int *output;   // signals (output_count)
  // States of laws with a rate: inputs behind the others and outputs (their rates) behind the others
  // while B, C and D are made, then states (laws.c).
  int z_count;
  int *z;          // of the model (z_count)
  double *z_rates; // of all: values, workspace, rates at the state (3 method->states)
} hn_linear_work;

static inline int hn_linear_outputs(const hn_linear_work *w) {
  return w->result.output_count + w->z_count;
}
static inline int hn_linear_inputs(const hn_linear_work *w) {
  return w->result.input_count + w->z_count;
}

// laws.c: which states of laws there are; they become states of the result, after B, C and D.
hn_status hn_linear_find_laws(hn_linear_work *work);
hn_status hn_linear_add_laws(hn_linear_work *work);
hn_status hn_linear_name_laws(hn_linear_work *work, int count); // behind so many states
// linearize.c: names and units of quantities and their rates.
hn_status hn_linear_name_states(hn_linear_work *work);
// rolling.c: everything but modes of a model on contacts, which keep their modes.
hn_status hn_linear_make_rolling(hn_linear_work *work, hn_simulation *simulation);
// reduce.c: X, Y, A and f0.
hn_status hn_linear_reduce(hn_linear_work *work);
hn_status hn_linear_write_state(hn_linear_work *work); // x0 and f0
// ports.c: names of inputs and outputs are looked up; B, C, D by differences on the constraints.
hn_status hn_linear_name_ports(hn_linear_work *work);
hn_status hn_linear_make_ports(hn_linear_work *work);
// Outputs at a snapshot, and behind them the rates of states.
hn_status hn_linear_see(const hn_linear_work *work, const hn_snapshot *snapshot, double *y);
hn_status hn_linear_write_values(hn_linear_work *work, const double *outputs); // y0 and u0
// modes.c: eigenvalues, and how each moves bodies and loads forces.
hn_status hn_linear_make_modes(hn_linear_work *work);
hn_eigenvalue hn_eigenvalue_of(double real, double imaginary);
// A mode of a vector (real parts of all states, then imaginary ones); its eigenvalue is written already.
hn_status hn_linear_write_mode(hn_linear_work *work, const double *vector, hn_mode *mode);
// filters.c: filters of inputs become states, after everything else.
hn_status hn_linear_add_filters(hn_linear_work *work);
// lowest.c: so many modes, of a sparse point.
hn_status hn_linear_find_lowest(hn_linear_work *work, int count);
// kinks.c: forces that change their branch close to the state.
hn_status hn_linear_find_kinks(hn_linear_work *work);

#endif
