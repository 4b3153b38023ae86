// One attempted step of the states of a Model Exchange FMU, by the formulas of integrate/formulas:
// dopri5, or sdirk4-16 where it is stiff. Shared by fmu_states.c, fmu_attempt.c, fmu_implicit.c.
#ifndef HN_COMPONENTS_FMU_ATTEMPT_H
#define HN_COMPONENTS_FMU_ATTEMPT_H

#include "components/fmu_system.h"

// fmu_states.c: rates at a time and state, and indicators. HN_RETRY: the FMU has none there.
hn_status hn_fmu_evaluate_states(hn_fmu_system *system, double time, const double *x, double *rates,
                                 double *indicators, hn_error *error);
int hn_fmu_has_changed(const hn_fmu_system *system, const double *before, const double *after);

// fmu_attempt.c: a step of size h from the present: trial state, rates at its end, trial indicators,
// changed_at. *norm: of the error over the tolerance.
hn_status hn_fmu_attempt(hn_fmu_system *system, double h, double *norm, hn_error *error);
// The state at the fraction theta of the attempted step, into stage.
void hn_fmu_interpolate(hn_fmu_system *system, double h, double theta);
// Of the next step against this one.
double hn_fmu_step_factor(const hn_fmu_system *system, double norm);
// Before the attempted step is accepted: which formula makes the next one.
void hn_fmu_choose_formula(hn_fmu_system *system);
// The largest of `error` over the tolerance.
double hn_fmu_error_norm(const hn_fmu_system *system, const double *error);

// fmu_implicit.c
hn_status hn_fmu_attempt_implicit(hn_fmu_system *system, double h, double *norm, hn_error *error);
void hn_fmu_interpolate_implicit(hn_fmu_system *system, double h, double theta);

#endif
