// The matrix every implicit formula solves with, from the blocks of a tangent and the step numbers
// g_q, g_v of a stage (stages.h):
//
//   N(g) = [ M + g_v C + g_q K             Phi_q' ]
//          [ Phi_q + 2 g_v A + g_q P       0      ]
//
// It is the Newton matrix of a stage (methods/descriptor.md), and with g_q = g^2, g_v = g
// (I - g G) of the first-order form after elimination (M6.5). Blocks are kept, so that other numbers
// only factor again.
#ifndef HN_INTEGRATE_STAGE_MATRIX_H
#define HN_INTEGRATE_STAGE_MATRIX_H

#include "equations/tangent.h"
#include "integrate/formula.h"

typedef struct hn_stage_matrix hn_stage_matrix;

// In speeds (stage_turns.h) where the tangent's blocks serve for that, and it makes no derivatives in q
// then. Else in q.
hn_status hn_stage_matrix_create(hn_arena *arena, hn_tangent *tangent, hn_stage_matrix **matrix);
hn_status hn_stage_matrix_create_in_q(hn_arena *arena, hn_tangent *tangent,
                                      hn_stage_matrix **matrix);
// Where the tangent has to be evaluated in full for it: in q, or in joint speeds.
hn_space hn_stage_matrix_space(const hn_stage_matrix *matrix);
// Takes over the blocks of the tangent's last full evaluation.
void hn_stage_matrix_keep(hn_stage_matrix *matrix);
// After that: the derivatives become those of accelerations that see p / |p| (tangent.h).
void hn_stage_matrix_see_unit_parameters(hn_stage_matrix *matrix, const double *q,
                                         const double *qd);
// Rows with left_out[k] != 0 (rows of the tangent; null: none) have no equation and no multiplier.
// HN_RETRY_CONVERGENCE where the matrix of this step is singular: a shorter one has another.
hn_status hn_stage_matrix_factor(hn_stage_matrix *matrix, hn_step_numbers g,
                                 const unsigned char *left_out);
// N [x; y] = [b; c], with `sweeps` of refinement on the unregularized matrix.
void hn_stage_matrix_solve(hn_stage_matrix *matrix, const double *b, const double *c, double *x,
                           double *y, int sweeps);
// (I - g G) (x1, x2) = (r1, r2) for the first-order form (q, v)' = (v, a(q, v)), in place; where
// g_q is not g_v^2, a_q enters G with the factor g_q/g_v.
void hn_stage_matrix_filter(hn_stage_matrix *matrix, double *r1, double *r2);
// S x = r in place, S = I - g a_v - g^2 a_q of the same form: the filter with r1 = 0, x2 alone.
void hn_stage_matrix_solve_accelerations(hn_stage_matrix *matrix, double *r, int sweeps);

#endif
