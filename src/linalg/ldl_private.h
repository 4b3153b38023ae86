// The pattern and numbers of an L D L', shared with the unsymmetric factorization of the same pattern
// (lu.c).
#ifndef HN_LINALG_LDL_PRIVATE_H
#define HN_LINALG_LDL_PRIVATE_H

#include "linalg/ldl.h"

struct hn_ldl {
  int n;
  int *order;        // original number of place k
  int *inverse;      // place of original i
  int *column_start; // permuted upper triangle without diagonal (n + 1)
  int *row, *source; // its row, and where its number is in the caller's values
  int *diagonal;     // where the diagonal's number is (n)
  int *l_start;      // columns of L, unit diagonal left out (n + 1)
  int *l_row;        // ascending in each column
  double *l;
  double *inverse_d, *d; // pivots (n)
  int *pattern_start;    // columns of each row of L, ascending (n + 1)
  int *pattern;
  int *parent, *flag, *count; // of parts only: work of hn_ldl_leave_out (n)
  int *filled;                // one past the last entry of a column so far (n)
  double *y;                  // work, zero between rows (n)
  double *x;                  // permuted right side (n)
  double operations;
};

#endif
