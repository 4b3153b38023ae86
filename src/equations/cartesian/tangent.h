// The Cartesian tangent inside: measures of the elements compiled into *forms* over a table of
// *ends*, evaluated with gradients along a motion, and summed into the fixed patterns.
//
// An end is x = w r + A(p) s on one body, the sign of a difference folded into w and s. Its rates
// along a motion (q, qd, qdd) are x, xd, xdd with the axes' own rates A, Ad, Add, so all are linear
// in s. A span is the sum of at most one end a slot. A dot y = x1 . x2 of two spans has the
// derivatives in p of an end
//
//   y_p   = -2 (n p) s                 n = the other span, products those of quaternions:
//   yd_p  = -2 (n pd + nd p) s         A(p) s = p s p*,  so  (n . A(p) s)_p = -2 n p s
//   ydd_p = -2 (n pdd + 2 nd pd + ndd p) s
//
// and in r: w n, w nd, w ndd. Lengths and angles follow by differentiating l^2 = y and
// log z = ln|z| + i angle (cartesian/tangent_measure.c).
#ifndef HN_EQUATIONS_CARTESIAN_TANGENT_H
#define HN_EQUATIONS_CARTESIAN_TANGENT_H

#include "elements/force.h"
#include "elements/force_types.h"
#include "equations/tangent.h"

// ---- what is compiled once ----------------------------------------------------------------------

typedef struct hn_end {
  int body;
  double w;
  hn_vec3 s;
} hn_end;

typedef struct hn_span {
  int end[2]; // by slot; -1: none
} hn_span;

// Two bodies coupled in K, and in C where a force depends on rates.
typedef struct hn_pair {
  int body[2];
  int in_damping;
  hn_sparse_place stiffness[2][2], damping[2][2]; // 7 x 7 a block; nowhere for ground
} hn_pair;

typedef struct hn_form {
  hn_measure_kind kind;
  int measure; // of the elements
  int pair;    // its bodies
  hn_span x[3];
} hn_form;

// A measure's share of a row.
typedef struct hn_part {
  int form;
  double coefficient;
  int at[2];    // of phi_q.value, by slot; -1: ground
  int first[2]; // 0, or 3 where the row does not see r
} hn_part;

typedef struct hn_force_plan {
  int is_measured;
  int part, part_count; // its forms: form_of_force[part ...]
  int pair;             // its bodies
} hn_force_plan;

// ---- what moves ---------------------------------------------------------------------------------

typedef struct hn_body_rates {
  hn_quat p, pd, pdd;
  hn_vec3 r, v, a;
  hn_mat3 axes, axes_d; // A, its rate
  hn_mat3 axes_vv;      // its second derivative at pdd = 0
  hn_mat3 axes_dd;      // its second derivative
} hn_body_rates;

typedef struct hn_end_rates {
  hn_vec3 x, xd, xvv, xdd;
} hn_end_rates;

// A measure along the motion; local coordinates as in measure.h, zero for ground.
typedef struct hn_form_jet {
  double value, rate, quadratic; // quadratic: second derivative at qdd = 0
  double gradient[HN_LOCAL];
  // full only
  double rate_q[HN_LOCAL];   // gradient of rate
  double second_q[HN_LOCAL]; // gradient of the second derivative
  double inverse;            // length: 1 / length
  double f[2];               // angle: its derivatives against S = X2 . X3, C = X1 . X3
  double spread[HN_LOCAL];   // angle: gradient of ln(S^2 + C^2) / 2
} hn_form_jet;

// Second derivatives of one pair of bodies on the way into K. Consecutive dots that share their
// second span are one dot, since all is linear in the first.
typedef struct hn_curvature {
  int pair; // -1: empty
  double block[HN_LOCAL][HN_LOCAL];
  int has_dot;
  double w[2]; // the first span of the pending dot, by slot
  hn_vec3 s[2];
  hn_span second;
} hn_curvature;

typedef struct hn_cartesian_blocks hn_cartesian_blocks; // of cartesian/tangent_speeds.c

typedef struct hn_cartesian_tangent {
  hn_tangent base;
  hn_cartesian_blocks *speeds;
  int end_count, form_count, pair_count;
  hn_end *ends;
  hn_form *forms;
  hn_pair *pairs;
  int *row_part; // parts of row r: row_part[r] .. row_part[r + 1] - 1
  hn_part *parts;
  hn_force_plan *forces; // (force_count)
  int *form_of_force;
  hn_sparse_place *stiffness_p, *damping_p; // 4 x 4 of p, by body from 0

  int is_full;
  hn_frame *frames;        // raw: A(p) of p as it is (bodies + ground)
  hn_body_rates *bodies;   // (bodies + ground)
  hn_end_rates *end_rates; // (end_count)
  hn_curvature curvature;
  hn_wrench *wrench; // of one user force (bodies + ground)
} hn_cartesian_tangent;

hn_status hn_cartesian_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                      hn_tangent **tangent);
void hn_cartesian_carry(const hn_tangent *tangent, const double *from, const double *to,
                        hn_carry_kind kind, double *x);

// cartesian/tangent.c
hn_status hn_cartesian_evaluate_in_q(hn_cartesian_tangent *self, const hn_tangent_state *state,
                                     hn_want want, hn_error *error);

// cartesian/tangent_speeds.c
hn_status hn_cartesian_speeds_create(hn_arena *arena, hn_cartesian_tangent *self);
hn_status hn_cartesian_evaluate_in_speeds(hn_cartesian_tangent *self, const hn_tangent_state *state,
                                          hn_want want, hn_error *error);
void hn_cartesian_speeds_of(const hn_tangent *tangent, const double *x, double *out);
void hn_cartesian_correction_of_speeds(const hn_tangent *tangent, const double *u, const double *c,
                                       double *x);

// cartesian/tangent_pattern.c
hn_status hn_tangent_compile(hn_arena *arena, hn_cartesian_tangent *self);
// 1 when the force may depend on rates of its coordinates.

// cartesian/tangent_measure.c: bodies and ends first, then forms.
void hn_tangent_move(hn_cartesian_tangent *self, const double *q, const double *qd,
                     const double *qdd);
void hn_form_evaluate(const hn_cartesian_tangent *self, const hn_form *form, const double *turns,
                      hn_form_jet *jet);

// cartesian/tangent_curvature.c: K += weight times the Hessian of a form; K += a b' in local
// coordinates of a pair; at the end what is still on the way.
void hn_curvature_add(hn_cartesian_tangent *self, const hn_form *form, const hn_form_jet *jet,
                      double weight);
void hn_curvature_add_outer(hn_cartesian_tangent *self, int pair, const double *a, const double *b);
void hn_curvature_finish(hn_cartesian_tangent *self);

// cartesian/tangent_forces.c
hn_status hn_tangent_forces(hn_cartesian_tangent *self, double t, const hn_branches *branches,
                            hn_error *error);
// cartesian/tangent_user.c: hn_user_in_q with differences in the place of the user's derivatives.
hn_status hn_user_differences(const hn_force_def *force, const hn_frame *frames, double t,
                              hn_force_tangent *out);

#endif
