// Rows over groups of columns, W = (w_r), and what a level of a hierarchy asks of them:
//
//   solve   W W' x = b     for b in the range of W                 (multipliers; Vlasenko 2007, 17-27)
//   least   x = W' t the shortest x with W x nearest to b          (stabilization; his 63-79)
//
// A level with few rows is dense: W' P = Q [R1 R2; 0 0] by QR with pivoting, and for `least` where rows
// depend on each other a second QR, of [R1 R2]': together a complete orthogonal decomposition. A level
// with many rows is sparse: L D L' of W W' with a pattern fixed at set-up; a row whose pivot is small is
// left out. For `least` the rows left out (up to 48 of them) are combinations W2 = T W1 of the others,
//
//   min |y - b1|^2 + |T y - b2|^2:   y = b1 + T' (1 + T T')^-1 (b2 - T b1),   t = (W1 W1')^-1 y
//
// which is the pseudo-inverse too.
//
// Rows are to be scaled by the caller so that a row that depends on nothing has a length of about 1:
// the tolerance is absolute.
#ifndef HN_LINALG_GRAM_H
#define HN_LINALG_GRAM_H

#include "base/arena.h"

typedef struct hn_gram hn_gram;

// Row r has the segments segment_start[r] .. segment_start[r + 1] - 1, one for each of its groups,
// groups ascending. A segment holds as many numbers as its group has columns.
typedef struct hn_gram_pattern {
  int rows, groups;
  const int *group_columns; // first column of a group (groups + 1)
  const int *segment_start; // (rows + 1)
  const int *segment_group; // (segments)
} hn_gram_pattern;

#define HN_GRAM_DENSE_ROWS 40 // up to so many rows a level is dense

// The arrays of the pattern stay the caller's and must live as long.
hn_status hn_gram_create(hn_arena *arena, const hn_gram_pattern *pattern, hn_gram **gram);
// Start of segment s in the values that hn_gram_values gives.
int hn_gram_segment(const hn_gram *gram, int segment);
double *hn_gram_values(hn_gram *gram); // W, to be filled before factoring
// Only rows with active[r] != 0 (null: all) take part; those that depend on others by the tolerance
// get dependent[r] = 1 (null: not reported). complete 1: `least` shall be least squares for them.
// Returns the rank.
int hn_gram_factor(hn_gram *gram, const unsigned char *active, double tolerance, int complete,
                   unsigned char *dependent);
// How many of the rows that took part have a remainder shorter than this after those before them: a
// singular configuration is near.
int hn_gram_small(const hn_gram *gram, double tolerance);
// b (rows) becomes x with W W' x = b, 0 for rows left out.
void hn_gram_solve(hn_gram *gram, double *b);
// b (rows) becomes t, 0 for rows left out: W' t is the shortest solution.
void hn_gram_least(hn_gram *gram, double *b);
// x (columns) += scale W' t
void hn_gram_add_transposed(const hn_gram *gram, double scale, const double *t, double *x);
int hn_gram_is_dense(const hn_gram *gram);
// Pairs of rows that share a group, among all pairs: how full W W' is.
double hn_gram_density(const hn_gram *gram);

// Symmetric positive semidefinite A (n x n, by rows, overwritten) = L L', pivots below floor[i]
// dropped: L (n x rank, by rows of `width`) and the rank. order (n) receives the rows as they were
// taken, rest (n) the remaining diagonal of each then, or in the end.
int hn_semidefinite_root(double *a, int n, const double *floor, double *l, int width, int *order,
                         double *rest);

#endif
