// Blocks of a stage matrix (stage_matrix.h), and how Euler parameters leave its unknowns where blocks
// are in speeds: with x = T+ y + p s a turn, where T+ = E(p)'/2, and the normalization
// (p + 2 g_v pd + g_q pdd) . x = c solved for s = sigma . y + c / pp,
//
//   pi = g_q y     w = g_v y + g_q dT(qd) x     wd = y + g_q dT(qdd) x
//   N = [ M + g_v C + g_q K' + e sigma'        J' ]     K' = G_pi + C dT(qd) T+ + M dT(qdd) T+
//       [ J + g_v R_w + g_q R' + e_r sigma'    0  ]     e  = g_q e_q + g_v e_v
//
// R_w and R' of the rows alike. Bodies are rigid (relative/tangent.c), w = T qd / pp and wd = (T
// qdd - 2 p.pd w) / pp, so e_q = -C w - M wd, e_v = -2 M w, and N has g_q e_v w'/4 besides. Where
// accelerations are functions of q and qd at unit length, e_q = -C w and e_v = 0. The residual is
// seen as G = T b / 4, so that (T' G)_q, which is zero
// where the model is in balance, has no part in it.
#ifndef HN_INTEGRATE_STAGE_TURNS_H
#define HN_INTEGRATE_STAGE_TURNS_H

#include "equations/chain.h"
#include "equations/tangent.h"
#include "integrate/formula.h"

typedef struct hn_stage_blocks {
  int n, rows;                      // unknowns, constraints
  const int *start, *column;        // M, C and K by rows, of one symmetric pattern (n + 1)
  const int *row;                   // of the tangent (rows)
  const int *row_start, *row_index; // (rows + 1)
  double *m, *c, *k;                // kept
  double *j, *rate, *bend;          // J, R_w and R' of the constraints, kept
} hn_stage_blocks;

// A node or body with Euler parameters.
typedef struct hn_turn {
  int q, u;            // of its first parameter and the first speed of its turn
  int row;             // its normalization, among the rows of the tangent
  double map[3][4];    // T
  double p[4];         // there
  double rate[3][3];   // dT(qd) T+
  double second[3][3]; // dT(qdd) T+
  double w[3], wd[3];  // T qd, T qdd
  double square;       // pd . pd
  double along;        // pp
  double sigma[3];
  double s;               // what a right side of the normalization alone makes of it
  double pull, pull_rate; // g_q and g_v times that
} hn_turn;

typedef struct hn_stage_triple hn_stage_triple;
typedef struct hn_stage_growing hn_stage_growing;

typedef struct hn_stage_turns {
  int count;
  hn_turn *turn;
  int plain_count, *plain_q, *plain_u; // coordinates that are speeds themselves
  int is_unit;                         // Euler parameters are seen with unit length
  int triples, row_triples;
  hn_stage_triple *triple; // of the first block, then of the rows, whose first is in J
  int growings;
  hn_stage_growing
      *growing;          // by turns, then by rows: once for the first block, once for the others
  double *growth, *spin; // e_q and e_v of each triple
  int wide;
} hn_stage_turns;

// Turns and plain coordinates of a tangent.
hn_status hn_stage_turns_create(hn_arena *arena, const hn_tangent *tangent, hn_stage_turns *turns);
// Finds their positions in the blocks; not of deep trees.
hn_status hn_stage_turns_find(hn_arena *arena, const hn_stage_blocks *blocks,
                              hn_stage_turns *turns);
// The turns of the tangent's last full evaluation; K and R' of it become K' and R' above.
void hn_stage_turns_keep(hn_stage_turns *turns, const hn_tangent *tangent,
                         const hn_stage_blocks *blocks);
void hn_stage_turns_see_unit_parameters(hn_stage_turns *turns, const hn_stage_blocks *blocks);
// sigma of step numbers, and what it adds to values of the first block and of the constraints.
void hn_stage_turns_find_sigma(hn_stage_turns *turns, hn_step_numbers g);
void hn_stage_turns_add(const hn_stage_turns *turns, hn_step_numbers g, double *value,
                        double *border);

// A vector in q seen in speeds, u = T x; a force, G = T b / 4; a solution with s, x = T+ u + p s.
void hn_stage_turns_to_speeds(const hn_stage_turns *turns, const double *x, double *u);
void hn_stage_turns_force(const hn_stage_turns *turns, const double *b, double *f);
void hn_stage_turns_to_coordinates(const hn_stage_turns *turns, const double *u, double *x);
// f -= e times the pull of each turn; four numbers after f are overwritten.
void hn_stage_turns_pull(const hn_stage_turns *turns, double *f);

// The same of a deep tree: how its turns mix, what they pull (work (2 n) holds two vectors), and
// products f = M b + K a, a may be null.
void hn_stage_turns_mix(const hn_stage_turns *turns, hn_step_numbers g, hn_turn_mix *mix);
void hn_stage_turns_pull_deep(const hn_stage_turns *turns, const hn_chain *chain, int n,
                              double *work, double *product, double *f);
void hn_stage_turns_multiply_deep(const hn_stage_turns *turns, const hn_chain *chain, int n,
                                  double *work, const double *a, const double *b, double *f);

#endif
