// Whether five samples of a function along a step resolve it, or a feature hides between them.
//
// If the function is smooth at the scale of the samples, the distance from its chord falls by four
// with each bisection. Intervals are bisected as long as bounds (bounds.h) allow a distance above
//
//   max(2 D 2^-level, threshold / duration)
//
// with D half the largest second difference of the samples, or 0 if they are not smooth. A feature
// hides where a distance is found
// that is larger. What remains below the threshold has no effect worth a step.
//
// Nearly all steps need none of this: a Taylor model (taylor.h) over the whole step is a polynomial that
// five samples show, and a bound of what they may hide.
#ifndef HN_MATH_RESOLVE_H
#define HN_MATH_RESOLVE_H

#include "math/path.h"
#include "math/taylor.h"

typedef struct hn_resolve {
  const hn_law *law;
  const hn_path *path;    // of its variables and inputs
  const hn_taylor *model; // of the law over the step, if it is known already, or null
  double duration;        // of the step, s
  double threshold;       // of a distance times its duration; per_value: of the distance itself
  int per_value;
  int is_sparse; // the looks are the ends of this step, the one before and the one after
  double margin; // at both ends of the step: fraction that is left out
  // found
  double theta;     // where the first hidden feature starts
  double width;     // of the interval in which it was found; fractions of the step
  int is_exhausted; // bounds stayed too wide (HN_RESOLVE_MAX_BOUNDS)
  int bounds;       // evaluated
} hn_resolve;

#define HN_RESOLVE_MAX_BOUNDS 2000

// 1: all of it is shown. 0: see `theta` and `width`.
int hn_resolve_step(hn_resolve *r);
// The part of it that needs no bisection, nor paths if there is a model and the looks are those of the
// step. 1: all of it is shown. 0: not known.
int hn_resolve_at_once(const hn_resolve *r);

#endif
