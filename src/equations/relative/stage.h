// The stage matrix of implicit methods in joint speeds instead of q (integrate/stage_matrix.h has the
// matrix itself): no Euler parameters, no normalization rows, and loops apart as in the tree. With
// x = T+ y + p s a node, where T+ = E(p)'/2, and the normalization row (p + 2 g_v pd + g_q pdd) . x = c
// solved for s = sigma . y + c / pp,
//
//   pi = g_q y     w = g_v y + g_q dT(qd) x     wd = y + g_q dT(qdd) x
//   N = [ M + g_v C + g_q K' + g_q e sigma'        J' ]     K' = G_pi + C dT(qd) T+ + M dT(qdd) T+
//       [ J + g_v R_w + g_q R' + g_q e_r sigma'    0  ]     e  = C dT(qd) p + M dT(qdd) p
//
// R_w and R' of the rows alike. The residual is seen as G = T b / 4, so that (T' G)_q, which is zero
// where the machine is in balance, has no part in it. Vectors outside are in q.
#ifndef HN_EQUATIONS_RELATIVE_STAGE_H
#define HN_EQUATIONS_RELATIVE_STAGE_H

#include "equations/tangent.h"

typedef struct hn_relative_stage hn_relative_stage;

// *stage is null where the set is another one, or a body lacks inertia about some axis.
// Otherwise the tangent from then on makes no blocks in q: only this reads its derivatives.
hn_status hn_relative_stage_create(hn_arena *arena, hn_tangent *tangent, hn_relative_stage **stage);
// As the functions of the stage matrix with these names. Factors: how many pivots had to be replaced.
void hn_relative_stage_keep(hn_relative_stage *stage);
void hn_relative_stage_see_unit_parameters(hn_relative_stage *stage);
int hn_relative_stage_factor(hn_relative_stage *stage, double g_q, double g_v,
                             const unsigned char *left_out);
void hn_relative_stage_solve(hn_relative_stage *stage, const double *b, const double *c, double *x,
                             double *y);
// The filter with g = g_q / g_v before f_q; r1 null: S x = r2 alone.
void hn_relative_stage_filter(hn_relative_stage *stage, double g, double *r1, double *r2);

#endif
