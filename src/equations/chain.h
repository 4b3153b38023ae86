// The first block of a stage matrix of a deep tree, N = M + g_v C + g_q K in joint speeds, where it is
// dense and is never put together: products and solutions go along the tree, with work and memory that
// grow with the number of bodies (relative/chain.c has the equations).
//
// A body with Euler parameters may mix its three speeds of turning: with y those of a solution, pose,
// velocities and accelerations move along g_q y, w y and wd y.
#ifndef HN_EQUATIONS_CHAIN_H
#define HN_EQUATIONS_CHAIN_H

#include "base/arena.h"

typedef struct hn_chain hn_chain;
struct hn_relative_tangent;

typedef struct hn_turn_mix {
  double w[3][3], wd[3][3];
  double own[3][3]; // added to the block of the turn itself
} hn_turn_mix;

// Of a tangent that was made for deep trees.
hn_status hn_chain_create(hn_arena *arena, const struct hn_relative_tangent *tangent,
                          hn_chain **chain);
// The numbers of the tangent's last full evaluation.
void hn_chain_keep(hn_chain *chain);
// mix: one for each node with Euler parameters; null: those of a correction dq = T^+ du (tangent.h).
// 1: all pivots are positive; 0: some is not, and the factors are of no use.
int hn_chain_factor(hn_chain *chain, double g_q, double g_v, const hn_turn_mix *mix);
// f (nu) = N^-1 f
void hn_chain_solve(const hn_chain *chain, double *f);
// f (nu) = K pi + C w + M wd, without mixtures; any of the three may be null.
void hn_chain_multiply(const hn_chain *chain, const double *pi, const double *w, const double *wd,
                       double *f);

#endif
