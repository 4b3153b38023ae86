// The system of saddle.h inside: what saddle.c (set-up, factors), saddle_scale.c and saddle_solve.c
// share. With D = diag(d), R = diag(r),
//
//   K = [ D M D   D J' R ]     P = K + diag(rho, -epsilon) = L D L'
//       [ R J D   0      ]
//
// scaled unknowns z = (x / d, y / r), right side f = (d b, r c).
#ifndef HN_LINALG_SADDLE_PRIVATE_H
#define HN_LINALG_SADDLE_PRIVATE_H

#include "linalg/factors.h"
#include "linalg/saddle.h"

#define HN_SADDLE_EPSILON 1e-12 // of rows that are not soft
enum { HN_SADDLE_DIRECTIONS = 3 };

struct hn_saddle {
  int n, m, size;
  int *start, *index;      // upper triangle of K by columns: M, then the rows of J, diagonals last
  double *values;          // of K, scaled
  int *diagonal;           // where the diagonal entry of column i is (size)
  signed char *signs;      // of the pivots (size)
  double *scale;           // d, then r (size)
  unsigned char *released; // none for columns of M, then rows (size)
  double *epsilon;         // regularization of a row (m)
  unsigned char *soft;     // (m)
  const double *row_floor; // the caller's (m); null: none
  int is_soft;
  double rho;               // regularization of M
  double slack;             // residuals may be so many times the rounding level
  hn_factors *factors;      // those in use: with all rows ...
  hn_factors *whole, *part; // ... or without those last released; null until some are
  unsigned char *part_gone; // which those were (size)
  int is_part;              // whether `part` had the capacity for that
  int has_null;             // some row was found dependent at the last factorization
  long factorizations;
  int replaced; // pivots of the last one

  // all of length size
  double *f, *z, *residual; // right side, solution, f - K z
  double *bound;            // sizes of the terms of each row
  double level[2];          // the largest of them in the rows of M, of J
  double *step, *trial, *trial_residual, *plain, *spare;
  double *direction[HN_SADDLE_DIRECTIONS]; // the last steps ...
  double *image[HN_SADDLE_DIRECTIONS];     // ... and K times them
  double image_norm[HN_SADDLE_DIRECTIONS]; // squared
  int direction_count, direction_next;
};

// saddle_scale.c: d and r, powers of two: scaling by them is exact. Rows released have r = 0.
void hn_saddle_find_scales(hn_saddle *self, const double *m_values, const double *j_values);

#endif
