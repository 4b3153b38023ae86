// Patterns of the augmented matrix of a problem, for solvers that see no bodies.
#ifndef HN_LINALG_SOLVER_PATTERN_H
#define HN_LINALG_SOLVER_PATTERN_H

#include "linalg/solver.h"

// M and J as hn_saddle_create takes them; numbers of the problem are in this order already.
hn_status hn_pattern_of_problem(hn_arena *arena, const hn_solver_problem *problem,
                                hn_saddle_pattern *pattern);
// The upper triangle of [M J'; J 0] with its whole diagonal, by columns, as hn_factors_create takes it:
// M first, then the rows of J with the diagonal last in each.
hn_status hn_pattern_of_matrix(hn_arena *arena, const hn_saddle_pattern *pattern, int **start,
                               int **index);

#endif
