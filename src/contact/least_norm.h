// Small dense linear systems of any rank.
#ifndef HN_CONTACT_LEAST_NORM_H
#define HN_CONTACT_LEAST_NORM_H

// Numbers of work space for n unknowns.
static inline int hn_least_norm_work(int n) { return 2 * n; }

// Of all x that bring A x nearest to b the shortest. a (n x n, column-major) and b are overwritten.
// Columns whose rest is below tolerance times the longest column count as dependent. order: n.
// Returns the rank. rest (may be null): |A x - b|.
int hn_least_norm(double *a, int n, double tolerance, double *b, double *x, int *order,
                  double *work, double *rest);

#endif
