// Eigenvalues and vectors of a real square matrix without symmetry, for linearized models.
//
// Zero eigenvalues are taken out first: a double zero of a model that can drift (its matrix is
// defective there) would otherwise come out as a pair of some 1e-8. Zeros are judged against the
// largest column: unknowns are to be scaled so that all of them are of one kind. The rest is
// balanced and reduced to Hessenberg form by reflections, then to a real Schur form by double QR
// steps with implicit shifts; vectors follow by back substitution.
#ifndef HN_LINALG_EIGEN_GENERAL_H
#define HN_LINALG_EIGEN_GENERAL_H

#include "base/arena.h"

// a (n x n, column-major) is not changed. real, imaginary (n): pairs stand together, the one with
// the positive imaginary part first. vectors (2 n numbers a value, real parts first; null: not
// asked for) have unit length; where a zero is defective they are a basis of its invariant
// subspace. zeros (null: not asked for): how many values are exactly zero; they come last.
// HN_ERROR_CONVERGENCE when a value is not found, HN_ERROR_NOT_FINITE, HN_ERROR_MEMORY.
hn_status hn_eigen_general(const hn_allocator *allocator, const double *a, int n, double *real,
                           double *imaginary, double *vectors, int *zeros);

#endif
