// A running FMU of either version and kind: values, steps of Co-Simulation, saved states. Model
// Exchange runs as part of a system (fmu_system.h).
#ifndef HN_COMPONENTS_FMU_UNIT_H
#define HN_COMPONENTS_FMU_UNIT_H

#include "components/fmu_link.h"

typedef struct hn_fmu_unit {
  hn_fmu_link link;
  const hn_fmu_setup *setup;
  double time;
  int is_ended;                     // the FMU asks to end the run
  int first_state, first_indicator; // among those of its system
} hn_fmu_unit;

// Instantiates it; then values, hn_fmu_unit_prepare, values, hn_fmu_unit_start.
hn_status hn_fmu_unit_open(hn_fmu_unit *unit, const hn_fmu_setup *setup, hn_error *error);
void hn_fmu_unit_close(hn_fmu_unit *unit); // a zeroed one is fine

typedef struct hn_fmu_group {
  hn_fmu_type type;
  unsigned reference;
  int count;
} hn_fmu_group;
// Numbers of groups, one group after the other; whole numbers and truths are rounded.
hn_status hn_fmu_unit_set(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          const double *values, hn_error *error);
hn_status hn_fmu_unit_set_text(hn_fmu_unit *unit, unsigned reference, const char *text,
                               hn_error *error);
hn_status hn_fmu_unit_get(hn_fmu_unit *unit, const hn_fmu_group *groups, int group_count,
                          double *values, hn_error *error);

// Enters initialization. stop: HUGE_VAL: none; tol: 0: that of the FMU.
hn_status hn_fmu_unit_prepare(hn_fmu_unit *unit, double start, double stop, double tol,
                              hn_error *error);
hn_status hn_fmu_unit_start(hn_fmu_unit *unit, hn_error *error);
// Co-Simulation: from the present to `time`; is_ended: it may stop before.
hn_status hn_fmu_unit_step(hn_fmu_unit *unit, double time, hn_error *error);
// Where setup->can_save: the present state as a number, back to it, and no longer kept.
hn_status hn_fmu_unit_save(hn_fmu_unit *unit, int *number, hn_error *error);
hn_status hn_fmu_unit_restore(hn_fmu_unit *unit, int number, hn_error *error);
hn_status hn_fmu_unit_drop(hn_fmu_unit *unit, int number, hn_error *error);

#endif
