// Which coordinates, methods and formulas there are, and which of them work together.
#ifndef HN_ANALYSIS_REGISTRY_H
#define HN_ANALYSIS_REGISTRY_H

#include "holon/simulation.h"
#include "integrate/method.h"

typedef struct hn_combination {
  const hn_equations_type *equations;
  const hn_method_type *method;
  const hn_formula *formula;
  unsigned independent; // HN_INDEPENDENT_*
  double parameter;     // of the formula (hn_settle_parameters)
} hn_combination;

const hn_method_type *hn_method_at(int index); // each name once; null past the end
// The first of that name; null: none.
const hn_method_type *hn_method_named(const char *name);
// 1: the energy decides about its steps, not the tolerance.
int hn_method_steps_by_energy(const char *name);
// Fills open options with those of the preset; the error names the existing presets.
hn_status hn_apply_preset(hn_simulation_options *options, hn_error *error);
// The preset whose words these are (name and source do not count); null: none.
const char *hn_preset_of(const hn_preset *run);
// Resolves "auto" and checks; the error names what is valid.
hn_status hn_choose_combination(const hn_simulation_options *options, hn_combination *combination,
                                hn_error *error);
// 1: the method of this combination has no error control and takes a fixed step.
int hn_combination_keeps_step(const char *coordinates, const char *method, const char *formula,
                              const char *independent);

#endif
