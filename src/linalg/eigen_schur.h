// The real Schur form T = Z' A Z: upper triangular but for 2 x 2 blocks of pairs of complex values.
#ifndef HN_LINALG_EIGEN_SCHUR_H
#define HN_LINALG_EIGEN_SCHUR_H

#include <complex.h>

#include "base/arena.h"

// a (n x n, column-major) becomes T, z is made; column: work space of 2 n. Pairs stand together, the
// positive imaginary part first.
hn_status hn_schur(double *a, double *z, int n, double *column, double *real, double *imaginary);
// The vector of value k: x (n) = Z y, T y = value y. x has capacity for 2 n numbers.
void hn_schur_vector(const double *t, const double *z, int n, int k, double complex value,
                     double complex *x);

#endif
