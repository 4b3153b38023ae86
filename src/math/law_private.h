// Inside a law: segments of polynomials, or a formula. For law.c and law_table.c.
#ifndef HN_MATH_LAW_PRIVATE_H
#define HN_MATH_LAW_PRIVATE_H

#include "holon/law.h"
#include "math/expression.h"

struct hn_law {
  hn_allocator allocator; // zeroed: malloc and free
  hn_law_kind kind;
  int pieces; // between kinks

  // segments; `breaks` has one place more than breaks
  int segments, count;  // count coefficients each
  double *breaks;       // segment k holds x from breaks[k - 1] (included) to breaks[k]
  double *origins;      // segments: the law is a polynomial in x - origin
  double *constants;    // segments: of integration
  double *coefficients; // segments x count

  // formula; null for the others
  const hn_expression *expression;
  int variables;
};

// A zeroed law of segments of count coefficients. The caller fills it and connects it.
hn_status hn_law_allocate_segments(int segments, int count, hn_law_kind kind,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error);
// Chooses the integration constants: 0 in the first segment, continuous at the breaks.
hn_status hn_law_connect_segments(hn_law *law, hn_error *error);

#endif
