// Functions of a model that may have features far narrower than a step: all but plain polynomials and
// pieces at whose ends other sources of events end steps.
#ifndef HN_ELEMENTS_FEATURES_H
#define HN_ELEMENTS_FEATURES_H

#include "model/model.h"

typedef enum hn_function_kind { HN_OF_X, HN_OF_V, HN_OF_T, HN_OF_XVT } hn_function_kind;

typedef struct hn_function {
  const hn_law *law;
  hn_function_kind kind;
  int force, driver, state; // owner; -1: none
} hn_function;

typedef void hn_function_visitor(void *context, const hn_model *model, const hn_function *function);

// Calls visit for each such function: of forces, drivers, rates of states, and inputs.
void hn_visit_functions(const hn_model *model, hn_function_visitor *visit, void *context);

#endif
