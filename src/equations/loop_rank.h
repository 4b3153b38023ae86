// Rank of the constraints in loops, judged alike in every set of coordinates.
//
// Constraints are factored once more in the geometric metric of linalg/rank.h; each pivot is the
// residual of a constraint after elimination of those before it. Those below
// HN_RANK_DEPENDENT_SQUARE are left out of stages. Pivots in the metric of M, which every
// factorization gives at no cost, trigger the test. Out of scope: the factorizations themselves,
// which are each set's own.
#ifndef HN_EQUATIONS_LOOP_RANK_H
#define HN_EQUATIONS_LOOP_RANK_H

#include "equations/equations.h"
#include "linalg/rank.h"

// In the metric of M, with regularization (HN_LOOP_EPSILON): dependent constraints stay below.
#define HN_RISEN_PIVOT (1e2 * HN_RANK_DEPENDENT_SQUARE)
// Of the geometric factorization: regularization well below the threshold of dependence.
#define HN_RANK_EPSILON (1e-2 * HN_RANK_DEPENDENT_SQUARE)
// Of the equations: singular values below about 1e-4 in loops count as a singular configuration.
#define HN_LOOP_EPSILON 1e-8
// Pivot of inactive conditional rows, if no row is in a loop.
#define HN_OFF_EPSILON 1e-15

// The pivot of a dependent constraint is the regularization times the sum of the squared
// coefficients of the dependency. Round a loop of n bodies coefficients grow to n / 2 pi where
// moments have long arms, and the sum with n^3: it would appear independent. Large models are
// regularized less, and more counts as dependent in the metric of M.
double hn_rank_epsilon(const hn_model *model);
double hn_risen_pivot(const hn_model *model);

// The metric for rotations: the mean squared distance of joints from centers of mass.
double hn_geometric_rotation(const hn_model *model);

// Changes that a factorization may make to the selection of constraints that are left out.
typedef enum hn_rank_choice {
  HN_RANK_STAYS,    // they stay as chosen
  HN_RANK_MAY_FALL, // they are chosen again if more pivots are small than usual
  HN_RANK_MAY_RISE  // ... or fewer: the state satisfies the constraints
} hn_rank_choice;

// Nothing chosen yet: more rows redundant than there are, or none where no row is in a loop.
void hn_rank_begin(hn_equations *equations, int rows, int loop_rows);
// After a factorization of all rows, or of those kept, with so many pivots below HN_RANK_NEAR_SQUARE:
// 1 where that is more than usual.
int hn_rank_is_unusual(const hn_equations *equations, int holds_all, int near);
// The same with pivots below HN_RISEN_PIVOT: 1 if they are fewer than the constraints left out, for
// callers that may choose again. A model that started in a singular configuration regains its
// constraint as soon as it has left that, not only when no singular configuration is near.
int hn_rank_may_rise(const hn_equations *equations, int holds_all, int dependent);
// Rows that depend on others are left out when there are fewer of them than before (at a singular
// position there are more for a moment). To be asked only where the constraints hold: elsewhere rows
// that depend on others do not look so. 1: the caller marks these in equations->redundant.
int hn_rank_choose(hn_equations *equations, int dependent);
// `near`: pivots below HN_RANK_NEAR_SQUARE in the geometric metric.
void hn_rank_note(hn_equations *equations, int holds_all, int near);

#endif
