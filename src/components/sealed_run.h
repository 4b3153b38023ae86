// Functions of a sealed component, one for each of holon/component.h: the table of them is made
// where components are read (formats/sealed/part.c).
#ifndef HN_COMPONENTS_SEALED_RUN_H
#define HN_COMPONENTS_SEALED_RUN_H

#include "components/sealed.h"

const hn_component_facts *hn_sealed_facts(const hn_component *component);
hn_status hn_sealed_start(const hn_component *component, const unsigned char *connected,
                          const double gravity[3], hn_component_run **out, hn_error *error);
void hn_sealed_stop(hn_component_run *run);
hn_status hn_sealed_turns(hn_component_run *run, int what, const hn_component_state *state,
                          double *turns);
hn_status hn_sealed_branches(hn_component_run *run, const hn_component_state *state,
                             hn_component_branch *switches, int *motions);
hn_status hn_sealed_next_time(hn_component_run *run, double t, double *next);
hn_status hn_sealed_step_limit(hn_component_run *run, const hn_component_state *state,
                               double *limit);
hn_status hn_sealed_forces(hn_component_run *run, const hn_component_state *state,
                           double *border_force, double *external_force,
                           hn_component_energy *energy, const hn_component_rows *rows);
hn_status hn_sealed_loads(hn_component_run *run, const double *border_force,
                          hn_component_energy *energy);
hn_status hn_sealed_factor(hn_component_run *run, int rows, double *root, int width, int *rank);
hn_status hn_sealed_forward(hn_component_run *run, int again, double *r);
hn_status hn_sealed_backward(hn_component_run *run, int again, const double *tau, double *border);
hn_status hn_sealed_residual(hn_component_run *run, const double *tau);
hn_status hn_sealed_finish(hn_component_run *run, const double *border_lambda,
                           double *accelerations, hn_component_energy *energy, double *outputs,
                           hn_component_report *report);
hn_status hn_sealed_states(hn_component_run *run, const hn_component_state *state, double *z,
                           double *rates);
hn_status hn_sealed_filter(hn_component_run *run, double *x);
hn_status hn_sealed_conditions(hn_component_run *run, const hn_component_state *state, int *codes);
hn_status hn_sealed_samples(hn_component_run *run, const hn_component_state *state, double *z);
hn_status hn_sealed_rules(hn_component_run *run, const hn_component_state *state, double *held,
                          double *z, int *changed);
hn_status hn_sealed_delayed(hn_component_run *run, const hn_component_state *state,
                            double *signals);
hn_status hn_sealed_gaps(hn_component_run *run, const hn_component_state *state, int rates,
                         const hn_component_rows *rows, double *largest);
hn_status hn_sealed_stabilize_factor(hn_component_run *run, double tolerance, double *u);
hn_status hn_sealed_stabilize_forward(hn_component_run *run, double *c);
hn_status hn_sealed_stabilize_backward(hn_component_run *run, const double *z, double *border);
hn_status hn_sealed_increments(hn_component_run *run, int left, double *x);
hn_status hn_sealed_impulses(hn_component_run *run, const double *border, double share);
size_t hn_sealed_save_size(const hn_component_run *run);
hn_status hn_sealed_save(const hn_component_run *run, void *buffer);
hn_status hn_sealed_restore(hn_component_run *run, const void *buffer);
unsigned long long hn_sealed_hash(const hn_component *component);

#endif
