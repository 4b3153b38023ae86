// The matrix augmented Lagrangian methods solve with, from the blocks of a tangent:
//
//   W = M + g_v C + g_q K + Phi_q' D Phi_q,   D one number a row
//
// It stands for the bordered matrix [A Phi_q'; Phi_q -1/D], from which the multipliers' increments are
// eliminated: rows may depend on each other, or be without effect in a singular position, and no row
// costs an unknown. Rows of one joint or loop couple only coordinates that K couples too, so W is as
// sparse as K. Not here: which blocks, and when they are renewed (augmented.h).
#ifndef HN_INTEGRATE_PENALTY_MATRIX_H
#define HN_INTEGRATE_PENALTY_MATRIX_H

#include "equations/tangent.h"

typedef struct hn_penalty_matrix hn_penalty_matrix;

typedef struct hn_penalty_numbers {
  double g_q, g_v; // d q / d a and d v / d a of the stage
  double weight;   // D of every row; 0: by the effective mass m of the row, D = m / softness
  double softness;
  // 1: rows belong to positions that are on the constraints. Then directions that they hardly hold are
  // told from those that they do not hold at all; else they are let go.
  int is_sharp;
} hn_penalty_numbers;

hn_status hn_penalty_matrix_create(hn_arena *arena, const hn_tangent *tangent,
                                   hn_penalty_matrix **matrix);
// Rows with left_out[k] != 0 (of the elements; null: none) take no part from now on.
void hn_penalty_matrix_choose_rows(hn_penalty_matrix *matrix, const unsigned char *left_out);
// The rows that take part, of the tangent.
const int *hn_penalty_matrix_rows(const hn_penalty_matrix *matrix, int *count);
// From M, C, K and Phi_q of the tangent, evaluated in full, which are not needed afterwards; from its
// blocks in speeds where it has them and not is_exact. Factors the symmetric part of W, or W itself when
// is_exact. Where that is not definite K and C are left out.
void hn_penalty_matrix_factor(hn_penalty_matrix *matrix, const hn_penalty_numbers *numbers,
                              int is_exact);
// 1: the factors are in speeds. Then b is in speeds too, as the tangent makes it where it is told.
int hn_penalty_matrix_in_speeds(const hn_penalty_matrix *matrix);
// With the rows of the tangent's last evaluation, those that take part: b -= Phi' lambda; c = sign of -
// Phi_q x (rows), the largest of which is returned.
void hn_penalty_matrix_add_reactions(const hn_penalty_matrix *matrix, const double *lambda,
                                     double *b);
double hn_penalty_matrix_defect(hn_penalty_matrix *matrix, double sign, const double *of,
                                const double *x, double *c);
// [A Phi_q'; Phi_q -1/D] [x; y] = [b; c] with the Phi_q that was factored; y (rows) may be null.
void hn_penalty_matrix_solve(hn_penalty_matrix *matrix, const double *b, const double *c, double *x,
                             double *y);

#endif
