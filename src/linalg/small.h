// Inverses of small dense matrices, up to HN_SMALL unknowns, for those that are solved with many times:
// a product with the inverse has no number that waits for another. `wide` is hn_is_wide().
#ifndef HN_LINALG_SMALL_H
#define HN_LINALG_SMALL_H

enum { HN_SMALL = 20 };

// Columns stand so many numbers apart: whole lanes of four.
static inline int hn_small_stride(int n) { return (n + 3) / 4 * 4; }
// Numbers of a matrix.
static inline int hn_small_size(int n) { return n * hn_small_stride(n); }

// a: n columns, zero from row n on; spoiled. Columns of the inverse go to `inverse`, its rows, stored in
// the same way, to `transposed` (null: nowhere); numbers from row n on are not written. Partial
// pivoting. Returns 0 or the 1-based column of a zero pivot.
int hn_small_invert(int wide, int n, double *a, double *inverse, double *transposed);
// x (n) = a x
void hn_small_multiply(int wide, int n, const double *a, double *x);

// A x = x of a definite A, whose lower triangle is given and spoiled, by L D L'; 0 where a pivot is not
// positive. All inline: the six speeds of a free body.
static inline int hn_solve_six(double a[6][6], double x[6]) {
  double inverse[6];
  int good = 1;
  for (int k = 0; k < 6; k++) {
    good &= a[k][k] > 0;
    inverse[k] = 1 / a[k][k];
    for (int i = k + 1; i < 6; i++) {
      double l = a[i][k] * inverse[k];
      for (int j = k + 1; j <= i; j++) a[i][j] -= l * a[j][k];
      x[i] -= l * x[k];
    }
  }
  for (int k = 5; k >= 0; k--) {
    double sum = x[k];
    for (int i = k + 1; i < 6; i++) sum -= a[i][k] * x[i];
    x[k] = sum * inverse[k];
  }
  return good;
}

#endif
