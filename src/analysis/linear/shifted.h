// (A - sigma)^-1 of a linearized model without A, for a real sigma, by one sparse factorization.
// With eta = x1, etad = sigma x1, etadd = sigma^2 x1 the equations of point.h are
//
//   M a + C v + K d + Phi' mu = b
//   Phi d = 0
//   E v + E' d               = [0; sigma S d]
//   E a + 2 E' v + E'' d     = [0; sigma^2 S d]
//
// and (A - sigma) (x1, x2) = (r1, r2) is x1 = S d with b = -M (P r2 + 2 X r1 + sigma P r1) - C P r1,
// x2 = r1 + sigma x1. Unknowns are grouped by bodies, leaves first.
#ifndef HN_ANALYSIS_LINEAR_SHIFTED_H
#define HN_ANALYSIS_LINEAR_SHIFTED_H

#include "analysis/linear/point.h"

typedef struct hn_shifted hn_shifted;

// HN_ERROR_SINGULAR where sigma is an eigenvalue, or nearly.
hn_status hn_shifted_create(hn_linear_point *point, double sigma, hn_shifted **shifted);
void hn_shifted_free(hn_shifted *shifted); // null is fine
// x = (A - sigma)^-1 r (2 f each, apart).
void hn_shifted_apply(hn_shifted *shifted, const double *r, double *x);

#endif
