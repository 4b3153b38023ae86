// Numbers that penalty matrices in q and in speeds share.
#ifndef HN_INTEGRATE_PENALTY_WEIGHTS_H
#define HN_INTEGRATE_PENALTY_WEIGHTS_H

#include <math.h>

// Diagonal entries below this share of the mean, of the row and of all, do not make a row soft: axes of
// bodies without inertia, which move others.
#define HN_PENALTY_LIGHT 1e-3
// Coordinates without mass that no row holds stay where they are.
#define HN_PENALTY_IDLE 1e-8
// A row of which more than this share is left is solved for again: rows that nearly depend on others
// come with a smaller eigenvalue than their own mass tells.
#define HN_PENALTY_LEFT 1e-3
enum { HN_PENALTY_SWEEPS = 3, HN_PENALTY_CONJUGATES = 20 };
// Directions with a smaller e / (e + softness) are held by no row.
#define HN_PENALTY_FREE 1e-5
// Rows that are redundant in joint coordinates are rounding errors: none is blown up by more than this.
#define HN_PENALTY_NOTHING 1e-9

// 1 / mass of a row: Phi_r diag(A)^-1 Phi_r'. diagonal: sizes of the diagonal of A; mean: of all.
static inline double hn_row_lightness(int count, const int *index, const double *value,
                                      const double *diagonal, double mean_size) {
  double squares = 0, mean = 0, sum = 0;
  for (int e = 0; e < count; e++) {
    double x = value[e] * value[e];
    squares += x;
    mean += x * diagonal[index[e]];
  }
  if (!(squares > 0)) return 0;
  double least = HN_PENALTY_LIGHT * fmax(mean / squares, mean_size);
  for (int e = 0; e < count; e++) {
    double size = diagonal[index[e]];
    sum += value[e] * value[e] / (size > least ? size : least);
  }
  return sum;
}

#endif
