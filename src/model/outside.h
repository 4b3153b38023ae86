// Programs outside of the library that give values of sampled states, such as FMUs: a function table,
// what to run, and the outputs of the model that it takes. They are sampled with the states they
// give (analysis/simulation_outside.c).
#ifndef HN_MODEL_OUTSIDE_H
#define HN_MODEL_OUTSIDE_H

#include "holon/model.h"

typedef struct hn_outside_type {
  // One instance for each simulation.
  hn_status (*create)(const void *plan, void **instance, hn_error *error);
  void (*free)(void *instance);
  // The first call starts it at t; later ones go from the last time to t with the inputs given then.
  // From t on it has these inputs; outputs are those at t.
  hn_status (*sample)(void *instance, double t, const double *inputs, double *outputs,
                      hn_error *error);
  void (*release)(void *plan); // with the model
} hn_outside_type;

typedef struct hn_outside_def {
  const char *name;
  hn_source source;
  const hn_outside_type *type;
  void *plan;         // released by the model
  const char *digest; // of what is run, for the hash of the model
  int input_count, output_count;
  const char *const *inputs; // outputs of the model
} hn_outside_def;

// Takes the plan, also on failure. States say which output of it they are (hn_state_def.outside).
hn_status hn_model_add_outside(hn_model *model, const hn_outside_def *def, int *id);
void hn_model_free_outside(hn_model *model);

#endif
