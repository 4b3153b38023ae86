// Holon: joints, drivers and forces that are active on conditions.
//
//   hn_switch_def latch = {.of = HN_SWITCH_JOINT, .element = pin};
//   latch.starts = "joint.rail.displacement > 0.1";
//   hn_model_add_switch(model, &latch);
#ifndef HOLON_SWITCH_H
#define HOLON_SWITCH_H

#include "holon/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hn_switch_of { HN_SWITCH_JOINT, HN_SWITCH_DRIVER, HN_SWITCH_FORCE } hn_switch_of;

// Conditions are formulas of signals, true if they are not 0. Either `when` alone: the element acts
// while it holds. Or `starts`, `ends` or both: the element acts from the moment the first holds
// until the other does; without `starts` it acts from the beginning. When a joint or driver becomes
// active, velocities jump as in a plastic impact, and its constraint keeps the positions of that
// moment.
typedef struct hn_switch_def {
  hn_source source;
  hn_switch_of of;
  int element;                      // joint, driver or force
  const char *when, *starts, *ends; // copied; null: not given
} hn_switch_def;
HN_API hn_status hn_model_add_switch(hn_model *model, const hn_switch_def *def);
HN_API int hn_model_switch_count(const hn_model *model);
HN_API const hn_switch_def *hn_model_switch(const hn_model *model, int id); // null past the end

#ifdef __cplusplus
}
#endif

#endif
