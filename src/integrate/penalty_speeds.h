// The penalty matrix in speeds (hn_speed_blocks of tangent.h): fewer unknowns than in q, normalizations
// held exactly instead of by penalties, and the sparsity of the tree, in tiles.
#ifndef HN_INTEGRATE_PENALTY_SPEEDS_H
#define HN_INTEGRATE_PENALTY_SPEEDS_H

#include "integrate/penalty_matrix.h"

typedef struct hn_penalty_speeds hn_penalty_speeds;

hn_status hn_penalty_speeds_create(hn_arena *arena, const hn_tangent *tangent,
                                   hn_penalty_speeds **matrix);
void hn_penalty_speeds_choose_rows(hn_penalty_speeds *matrix, const unsigned char *left_out);
// From the blocks of the tangent. Where W is not definite K and C are left out.
void hn_penalty_speeds_factor(hn_penalty_speeds *matrix, const hn_penalty_numbers *numbers);
// As hn_penalty_matrix_solve, with b in speeds; between q and speeds by the tangent's last evaluation.
void hn_penalty_speeds_solve(hn_penalty_speeds *matrix, const double *b, const double *c, double *x,
                             double *y);
// With the rows of the tangent's last evaluation: b -= Phi_u' lambda, in speeds; c = sign of - Phi_q x
// for all rows that take part and normalizations, the largest of which is returned.
void hn_penalty_speeds_add_reactions(const hn_penalty_speeds *matrix, const double *lambda,
                                     double *b);
double hn_penalty_speeds_defect(hn_penalty_speeds *matrix, double sign, const double *of,
                                const double *x, double *c);

#endif
