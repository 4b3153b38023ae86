// The augmented system every method solves,
//
//   [ M  J' ] [ x ]   [ b ]
//   [ J  0  ] [ y ] = [ c ]                                                   (Negrut 1998,
//   eq. 2.6)
//
// for any rank of J and any positive semidefinite M that is definite on the null space of J.
//
// Rows and columns are scaled (unit diagonal of M, unit rows of J in the metric of M), the matrix
// is made quasi-definite by +rho, -epsilon on its diagonal, factored by L D L' without pivoting,
// and the solution is refined on the residual of the unregularized system. For consistent c this
// converges to the exact x and to the y of least norm in the scaled rows (proximal point
// iteration): redundant rows and singular configurations need no decision about the rank. If J has
// singular values far below sqrt(epsilon) in the scaled metric the rows are released smoothly.
//
// A row that is redundant only at exact positions (spatial over-constrained loops) has a small
// nonzero singular value d next to them; x then errs by about d^2 / epsilon. Such rows are better
// left out by hn_saddle_release.
#ifndef HN_LINALG_SADDLE_H
#define HN_LINALG_SADDLE_H

#include "base/arena.h"

typedef struct hn_saddle hn_saddle;

// M symmetric, n x n: upper triangle by columns, the diagonal last in each. J: m x n by rows.
typedef struct hn_saddle_pattern {
  int n, m;
  const int *m_column_start, *m_row_index;
  const int *j_row_start, *j_column_index;
  int rows_wait; // 1: a row is eliminated after all its columns, 0: after the body it hangs on its
                 // parent (right where six columns and the rows of a joint are bodies and joints)
  const int
      *row_after; // with rows_wait: a column whose group alone a row waits for, because there it
                  // is never zero, nor dependent on others that wait there; -1: all of them.
                  // Null: all rows wait for all
} hn_saddle_pattern;

typedef struct hn_saddle_report {
  int refinements;
  double residual_x; // largest |b - M x - J' y| in scaled rows, against the largest scaled term
  double residual_y; // largest |c - J x| in scaled rows (absolute: units of scaled c)
  int worst_row;     // of J, where residual_y is; -1 without rows
  int is_stalled;    // rows that do not depend on each other, or speeds with little inertia, stay
                     // unsatisfied, or numbers are not finite: the factorization is unusable
} hn_saddle_report;

// The pattern is copied. HN_ERROR_ARGUMENT when a column of M does not end in its diagonal.
hn_status hn_saddle_create(hn_arena *arena, const hn_saddle_pattern *pattern, hn_saddle **saddle);
// The same with an elimination order of the caller's: columns of M are 0 .. n - 1, rows of J follow.
hn_status hn_saddle_create_ordered(hn_arena *arena, const hn_saddle_pattern *pattern,
                                   const int *order, hn_saddle **saddle);
// Rows with released[k] != 0 (m; null: none) are left out of all later factorizations: their y is
// 0.
void hn_saddle_release(hn_saddle *saddle, const unsigned char *released);
// Takes memory for factors in which released rows have no entries: for saddles that release rows
// again and again. The pattern is found again only if other rows are released than the last time.
hn_status hn_saddle_make_releasable(hn_arena *arena, hn_saddle *saddle);
// Rows with soft[k] != 0 (m) are enforced by iterated Tikhonov regularization: a direction of
// singular value s in the scaled metric keeps the share (epsilon / (s^2 + epsilon))^HN_SOFT_SWEEPS
// of its residual. With epsilon 1e-8 directions above 1e-2 are exact to 1e-12, those below 1e-5 are
// dropped: so a step passes a singular configuration, where errors of the position would otherwise
// become accelerations without bound. The other rows and those of M get further iterations if these
// leave them far above rounding. soft null: all rows are solved as exactly as the numbers allow.
#define HN_SOFT_SWEEPS 4
void hn_saddle_soften(hn_saddle *saddle, const unsigned char *soft, double epsilon);
// M is positive definite by far more than rounding: it is not regularized, which saves refinements.
void hn_saddle_trust_mass(hn_saddle *saddle);
// Rows are scaled as if J_k M^-1 J_k' were at least floor[k] (m, read at each factorization; null: 0).
// A row that is a difference of large parts, down to rounding where it is redundant, is then not
// blown up to the size of the others.
void hn_saddle_set_row_floor(hn_saddle *saddle, const double *floor);
// Solutions are refined until residuals are at so many times the rounding level (1 at creation): inside
// steps more than that is lost to the tolerance.
void hn_saddle_set_slack(hn_saddle *saddle, double slack);
// Numbers in the order of the pattern; they are copied. Counts one factorization.
hn_status hn_saddle_factor(hn_saddle *saddle, const double *m_values, const double *j_values);
// Solves; b (n), c (m) are unchanged, x (n) and y (m) are written; report may be null. Returns
// HN_ERROR_NOT_FINITE when the numbers are. A residual that does not fall is reported, not judged:
// residual_y that stays large means rows that contradict each other, residual_x a massless
// direction without constraint.
hn_status hn_saddle_solve(hn_saddle *saddle, const double *b, const double *c, double *x, double *y,
                          hn_saddle_report *report);
// The same by one solution with the factors, without refinement or check: for corrections whose
// effect is checked anyway.
hn_status hn_saddle_solve_once(hn_saddle *saddle, const double *b, const double *c, double *x,
                               double *y);
// How many soft rows (not released ones) had a pivot below the limit at the last factorization: the
// redundant ones, and near a singular configuration more. is_small (m, may be null) marks them.
int hn_saddle_small_pivots(const hn_saddle *saddle, double limit, unsigned char *is_small);
// The size of the pivot of a row at the last factorization: about its regularization where the row
// depends on those eliminated before it.
double hn_saddle_row_pivot(const hn_saddle *saddle, int row);
// 1 / sqrt(J_k M^-1 J_k'), by which row k is scaled: turns a residual of row k into scaled units.
double hn_saddle_row_scale(const hn_saddle *saddle, int row);
// Pivots of the last factorization that had the wrong sign or none: 0 where M is positive definite by
// more than rounding.
int hn_saddle_replaced(const hn_saddle *saddle);
long hn_saddle_factorizations(const hn_saddle *saddle);
double hn_saddle_operations(const hn_saddle *saddle); // multiply-adds of one factorization
// Entries of its factor, diagonal aside: for tests that count the operations of a solution.
long hn_saddle_fill(const hn_saddle *saddle);

#endif
