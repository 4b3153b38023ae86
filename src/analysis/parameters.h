// Parameters of formulas and methods: who takes which, and in what range.
#ifndef HN_ANALYSIS_PARAMETERS_H
#define HN_ANALYSIS_PARAMETERS_H

#include "analysis/registry.h"

// Fills options that the call left open with those that the model suggests: only together with the
// formula (penalty and max_iterations: the method) that the model itself suggests.
void hn_complete_parameters(hn_simulation_options *options, const hn_simulation_defaults *defaults);
// Checks that given numbers are in the ranges of their options.
hn_status hn_check_options(const hn_simulation_options *options, hn_error *error);
// Checks what was given and fills in what was not, once the combination is known. A parameter that
// this formula or method does not take stays NaN or 0; given, it is an error that names who does.
hn_status hn_settle_parameters(hn_simulation_options *options, hn_combination *combination,
                               hn_error *error);

// Of augmented Lagrangians, from a word that hn_settle_parameters let pass.
hn_projection hn_projection_asked(const hn_simulation_options *options);

#endif
