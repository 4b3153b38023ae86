// Conditional joints, drivers and forces (holon/switch.h): the attempted step is searched for the
// first moment at which a condition changes, the step ends there, and velocities jump if an element
// becomes active.
#ifndef HN_ANALYSIS_SIMULATION_SWITCHES_H
#define HN_ANALYSIS_SIMULATION_SWITCHES_H

#include "analysis/simulation.h"

enum { HN_SWITCH_SAMPLES = 8 };

// The signals of the condition that may change a switch, at the samples of a step.
struct hn_switch_path {
  int is_followed;
  hn_leaves leaves;
  double value[HN_SWITCH_SAMPLES + 1][HN_MAX_LEAVES];
};

struct hn_switch_watch {
  struct hn_switch_path *path; // (switch_count)
  unsigned char *on, *taken;   // now, and in the last accepted step (switch_count)
  int change;                  // that the attempted step ends with; -1: none
  int rapid;                   // changes in a row, each within HN_EVENT_RAPID of the last
  double last;                 // time of the last one
  int has_warned;              // of positions that do not fit
  int is_early;                // forces are not known yet: conditions that read them do not hold
};

// Allocates, and selects the elements active in the reference configuration; before assembly.
hn_status hn_switches_create(hn_simulation *simulation);
void hn_switches_begin(hn_simulation *simulation);
// After the first accelerations and reactions: conditions that read them.
hn_status hn_switches_start(hn_simulation *simulation);
void hn_switches_take_up(hn_simulation *simulation); // after the state was read
// While values inside the last step are computed, the elements active then are active.
void hn_switches_look_back(hn_simulation *simulation, int is_back);
void hn_switches_take(hn_simulation *simulation); // the step was taken with what acts
// The element's name, for messages: "joint 'pin'".
const char *hn_switch_name(const hn_model *model, int number, char *text, size_t size);
// For analyses that do not follow conditions: HN_ERROR_UNSUPPORTED where the model has one.
hn_status hn_refuse_switches(const hn_model *model, const char *analysis, hn_error *error);

#endif
