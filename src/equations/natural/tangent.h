// The tangent of natural coordinates inside. M is constant, and everything else is made of forms
// (natural/forms.h): with g = m_q, gd = md_q and H = m_qq of a measure m,
//
//   row    Phi_q = g,  A = gd,  P = (mdd)_q,  K += lambda H          tau_qd = -2 A
//   force  Q = -f g,   K += g (f_m g + f_md gd)' + f H,   C += f_md g g'
//
// H of a dot is constant, (c0 c1' + c1 c0') (x) 1, kept as a list over pairs of nodes: one number S a
// pair sums them all, and K += S (x) 1 at the end. Lengths and angles add products of gradients,
//
//   l_qq = (y_qq / 2 - l_q l_q') / l,    theta_qq = Im (z_qq / z) - sigma_q theta_q' - theta_q sigma_q'
//
// so blocks of K are multiples of 1, unless there is a length, an angle, a force or a square
// (stage_matrix.h). Loads see frames: in q (elements.h) their derivatives are chained by
//
//   dr = sum c_r dx_k,   dpi = sum h_k x dx_k,   dp = E' dpi / 2,   h_k = sum c_i a_i / 2
//   dw = sum h_k x dxd_k - hd_k x dx_k,          Q_k = c_r f + n x h_k
//
// which holds in every direction of q, also off the constraints, at states that satisfy rigidity.
// Multipliers are those of the constraints of natural coordinates, including rigidity; those of
// constraints that sharing satisfies are 0.
#ifndef HN_EQUATIONS_NATURAL_TANGENT_H
#define HN_EQUATIONS_NATURAL_TANGENT_H

#include "elements/force_types.h"
#include "equations/natural/natural.h"
#include "equations/tangent.h"

// Two coupled nodes, the first at or before the second. Blocks of K start at at[0] (first, second)
// and at[1] (second, first), rows a stride apart that depends on the node of the row; a block that
// is a multiple of 1 has one entry a row.
typedef struct hn_natural_pair {
  int node[2];
  int is_full, in_mass, in_damping;
  int at[2];
  int damping[2]; // -1: not there
} hn_natural_pair;

// The Hessian of a dot: entries of S.
typedef struct hn_natural_curve {
  int start, count;
} hn_natural_curve;

// Data of a form for K and C: Hessians of its dots (dot: X0 X1; length: X0 X0; angle: X1 X2, X0
// X2), and tables of the places of blocks for products of gradients, count x count; -1: none.
typedef struct hn_natural_plan {
  hn_natural_curve curve[2];
  int stiffness, damping;
} hn_natural_plan;

// Places of the blocks between the nodes of two bodies of a load, by slots; -1: none.
typedef struct hn_natural_load_plan {
  int body[2];
  int stiffness[2][2], damping[2][2];
} hn_natural_load_plan;

typedef struct hn_natural_tangent {
  hn_tangent base;
  hn_natural_set *set;
  hn_natural_jet jet;
  int pair_count;
  hn_natural_pair *pairs;
  double *bend; // S (pair_count)
  int *curve_pair;
  double *curve_value;
  hn_natural_plan *plans;      // (forms of measures and of rigidity)
  hn_natural_load_plan *loads; // (force_count)
  int *places;                 // all tables
  hn_vec3 *change;             // of the tension of a form, with each node (most_nodes)
  double t;                    // of the last evaluation
  double *q, *qd;              // (n)
  double *carried;             // what is being carried (n)
  const hn_branches *branches;
} hn_natural_tangent;

hn_status hn_natural_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                    hn_tangent **tangent);

// natural/tangent.c
void hn_natural_carry(const hn_tangent *tangent, const double *from, const double *to,
                      hn_carry_kind kind, double *x);

// natural/tangent_pattern.c
hn_status hn_natural_tangent_pattern(hn_arena *arena, hn_natural_tangent *self);

// natural/tangent_forces.c: c_r, h and its rate of a node of a body.
typedef struct hn_natural_share {
  double c;
  hn_vec3 h, hd;
} hn_natural_share;
hn_natural_share hn_natural_share_of(const hn_natural_motion *motion, const hn_natural_term *term);
// Q, Q_t, and the shares of forces in K and C; S is used too.
hn_status hn_natural_tangent_forces(hn_natural_tangent *self, double t, const double *q,
                                    const double *qd, const double *qdd,
                                    const hn_branches *branches, hn_error *error);

// natural/tangent.c: K += weight a b' over the nodes of a form; S += weight times a Hessian; K +=
// weight times the Hessian of a form whose jet is given, dots by S.
void hn_natural_add_outer(hn_natural_tangent *self, int form, double weight, const hn_vec3 *a,
                          const hn_vec3 *b);
void hn_natural_add_curve(hn_natural_tangent *self, hn_natural_curve curve, double weight);
void hn_natural_add_hessian(hn_natural_tangent *self, int form, double weight);

// Adds what the law of a spring reads of other bodies, its jet in self->jet (tangent_signals.c).
void hn_natural_add_signals(hn_natural_tangent *self, int force, int form, double t,
                            const double *turns);

#endif
