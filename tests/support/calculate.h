// Formulas that a test uses once: compiled, evaluated and forgotten.
#ifndef HN_TESTS_SUPPORT_CALCULATE_H
#define HN_TESTS_SUPPORT_CALCULATE_H

#include <math.h>

#include "math/expression_code.h"

static inline hn_status hn_calculate_once(const char *text, size_t length,
                                          const hn_expression_names *names, const double *values,
                                          double *value, hn_error *error) {
  hn_program program;
  *value = NAN;
  hn_status status = hn_program_compile(text, length, names, &program, error);
  if (status == HN_OK) *value = hn_program_value(program.code, program.count, values);
  return status;
}

#endif
