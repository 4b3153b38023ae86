// Rank of the rows in loops, judged alike in every set of coordinates.
//
// Rows are factored once more in the geometric metric of linalg/rank.h; each pivot is what is left of a
// row when those before it are taken out. Those below HN_RANK_DEPENDENT_SQUARE are left out of stages.
// Pivots in the metric of M, which every factorization gives for nothing, tell when to look.
// Not here: the factorizations themselves, which are each set's own.
#ifndef HN_EQUATIONS_LOOP_RANK_H
#define HN_EQUATIONS_LOOP_RANK_H

#include "equations/equations.h"
#include "linalg/rank.h"

// In the metric of M, where rows let go (HN_LOOP_EPSILON): those that depend on others stay below.
#define HN_RISEN_PIVOT (1e2 * HN_RANK_DEPENDENT_SQUARE)
// Of the geometric factorization: rows let go well below what counts as dependent.
#define HN_RANK_EPSILON (1e-2 * HN_RANK_DEPENDENT_SQUARE)
// Of the equations: singular values below about 1e-4 in loops count as a singular position.
#define HN_LOOP_EPSILON 1e-8
// Pivot of inactive conditional rows, if no row is in a loop.
#define HN_OFF_EPSILON 1e-15

// The pivot of a row that depends on others is what they let go times the sum of their squared shares.
// Round a loop of n bodies shares grow to n / 2 pi where moments have long arms, and the sum with n^3:
// it would pass for a row of its own. Rows of large machines let go less, and more counts as dependent
// in the metric of M.
double hn_rank_epsilon(const hn_model *model);
double hn_risen_pivot(const hn_model *model);

// The metric for rotations: the mean squared distance of joints from centers of mass.
double hn_geometric_rotation(const hn_model *model);

// Nothing chosen yet: more rows redundant than there are, or none where no row is in a loop.
void hn_rank_begin(hn_equations *equations, int rows, int loop_rows);
// After a factorization of all rows, or of those kept, with so many pivots below HN_RANK_NEAR_SQUARE:
// 1 where that is more than usual.
int hn_rank_is_unusual(const hn_equations *equations, int holds_all, int near);
// The same with pivots below HN_RISEN_PIVOT: 1 where they are fewer than the rows left out, which is
// of interest to those who may choose anew. A machine that began in a singular position gets its
// row back as soon as it has left that, not only when nothing singular is near.
int hn_rank_may_rise(const hn_equations *equations, int holds_all, int dependent);
// Rows that depend on others are left out when there are fewer of them than before (at a singular
// position there are more for a moment). To be asked only where the constraints hold: elsewhere rows
// that depend on others do not look so. 1: the caller marks these in equations->redundant.
int hn_rank_choose(hn_equations *equations, int dependent);
// `near`: pivots below HN_RANK_NEAR_SQUARE in the geometric metric.
void hn_rank_note(hn_equations *equations, int holds_all, int near);

#endif
