// Inside a law: segments of polynomials, or a formula. For the files law*.c.
#ifndef HN_MATH_LAW_PRIVATE_H
#define HN_MATH_LAW_PRIVATE_H

#include "holon/law.h"
#include "math/expression_code.h"

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

  // formula; null for the others. Its segments are its pieces, of which it has only the breaks.
  const hn_expression *expression;
  int variables;
};

// A zeroed law of segments of count coefficients. The caller fills it and connects it.
hn_status hn_law_allocate_segments(int segments, int count, hn_law_kind kind,
                                   const hn_allocator *allocator, hn_law **law, hn_error *error);
// Chooses the integration constants: 0 in the first segment, continuous at the breaks.
hn_status hn_law_connect_segments(hn_law *law, hn_error *error);

// The most kinks a formula has: three laws of one force can be frozen together in one int.
#define HN_LAW_KINKS 1280
// Finds the kinks of a formula of one variable, in increasing order; gives their number. With
// no_jumps those where the value jumps are left out.
int hn_law_find_kinks(const hn_program *program, int no_jumps, double kinks[HN_LAW_KINKS]);
// Where branches are chosen for x by the piece from low to high (either may be infinite): x itself,
// or the nearest place well inside.
double hn_law_inside(double low, double high, double x);

#endif
