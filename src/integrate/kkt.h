// The matrix augmented Lagrangian methods solve with, in speeds, from the blocks of a tangent:
//
//   W = M + g_v C + g_q K + Phi' D Phi,   D one number a row
//
// It represents the bordered matrix [A Phi'; Phi -1/D], from which the multipliers' increments are
// eliminated: rows may depend on each other, or be without effect in a singular configuration, and
// no row costs an unknown. Rows of one joint or loop couple mostly speeds that K couples too, so W
// is as sparse as K. Lengths of Euler parameters are not among its rows: corrections of q hold them
// exactly (correction_of_speeds). Out of scope: which blocks, and when they are renewed
// (augmented.h).
#ifndef HN_INTEGRATE_KKT_H
#define HN_INTEGRATE_KKT_H

#include "equations/tangent.h"

typedef struct hn_kkt hn_kkt;

typedef struct hn_kkt_numbers {
  double g_q, g_v; // d q / d a and d v / d a of the stage
  double weight;   // D of every row; 0: by the effective mass m of the row, D = m / softness
  double softness;
  // 1: rows belong to positions that are on the constraints. Then weakly constrained directions are
  // distinguished from free ones; else they are released.
  int is_sharp;
} hn_kkt_numbers;

hn_status hn_kkt_create(hn_arena *arena, const hn_tangent *tangent, hn_kkt **kkt);
// Rows with left_out[k] != 0 (of the elements; null: none) take no part from now on.
void hn_kkt_choose_rows(hn_kkt *kkt, const unsigned char *left_out);
// The rows that take part, of the tangent, and those of the lengths of Euler parameters.
const int *hn_kkt_rows(const hn_kkt *kkt, int *count);
// From the blocks of the tangent, which are not needed afterwards. Factors the symmetric part of W, or W
// itself when is_exact. Where that is not definite K and C are left out; where M and the rows are not
// either, HN_RETRY_CONVERGENCE.
hn_status hn_kkt_factor(hn_kkt *kkt, const hn_kkt_numbers *numbers, int is_exact);
// With the rows of the tangent's last evaluation, those that take part: b -= Phi' lambda, in speeds; c =
// sign of - Phi_q x (rows), the largest of which is returned.
void hn_kkt_add_reactions(const hn_kkt *kkt, const double *lambda, double *b);
double hn_kkt_defect(hn_kkt *kkt, double sign, const double *of, const double *x, double *c);
// [A Phi'; Phi -1/D] [u; y] = [b; c] with the Phi that was factored, b in speeds; x is the correction of
// q that u and c ask for, by the tangent's last evaluation. y (rows) may be null.
void hn_kkt_solve(hn_kkt *kkt, const double *b, const double *c, double *x, double *y);

#endif
