// Cartesian coordinates inside: q = (r, p) of every body, 7 numbers each, Euler parameters p of unit
// length. Solved in speeds (v, w) of every body, global axes, center of mass:
//
//   [ M  J' ] [ a      ]   [ F - (0, w x I w) ]
//   [ J  0  ] [ lambda ] = [ tau              ]      M = diag(m 1, A I' A'),  J rows (n, m)
//
// tau here is tau_omega (methods/cartesian.md): it comes from accelerations at zero angular acceleration
// and needs no Euler parameters. Image in q: pd = E' w / 2, pdd = E' wd / 2 - (pd.pd) p.
#ifndef HN_EQUATIONS_CARTESIAN_H
#define HN_EQUATIONS_CARTESIAN_H

#include "equations/equations.h"

// Which rows a factorization holds: all, or those that are not redundant.
typedef enum hn_row_set { HN_ROWS_ALL, HN_ROWS_KEPT } hn_row_set;

typedef struct hn_cartesian_set {
  hn_equations base;
  const hn_cartesian_rows *rows; // base.rows
  double *held;                  // inertias with those about fixed axes, or null
  double *m_values;              // upper triangles of M, 9 a body: 3 masses, 6 of the inertia
  double *b;                     // right side (nu)
  double *x, *y;                 // solution: of the snapshot, or of a projection
  double *step;                  // of a projection (nu)
  hn_frame *frames; // of projections, gone when a factorization is made (bodies + ground)
  // where forces add up when only their power is asked for (bodies + ground; none without forces)
  hn_wrench *wrench;
  double *factored_q; // where the factorization was made (nq)
  hn_row_set factored_rows;
  int is_factored;
  int is_judged;           // the geometric metric was factored there too
  hn_solver *geometry;     // the same rows in the geometric metric; null without loops
  double *geometry_values; // of that metric, 9 a body
  hn_arena *arena;         // of the set
  hn_solver *stable;       // of the whole matrix, where a reduced one has lost too many digits
  int is_stable;           // it holds the factorization
  int wide;                // which variant of kernels (block.h)
  int small_pivots;        // of loop rows at the last factorization
  unsigned char *small;    // rows with small pivots at its last factorization (row_count)
} hn_cartesian_set;

// Within a step p may leave unit length; the pose is that of p/|p|, so bodies stay rigid.
static inline void hn_cartesian_frame(const double *q, const double *qd, hn_frame *f) {
  hn_quat raw = quat_load(q + 3);
  double scale = 1 / sqrt(quat_dot(raw, raw));
  f->r = vec3_load(q);
  f->v = vec3_load(qd);
  f->p = quat_scale(scale, raw);
  f->a = quat_matrix(f->p);
  f->w = vec3_scale(2 * scale, euler_e_apply(f->p, quat_load(qd + 3)));
  f->pd = quat_scale(0.5, euler_e_transposed(f->p, f->w));
}

// qdd (7) of accelerations x (6) of a body.
static inline void hn_cartesian_accelerate(const hn_frame *f, const double *x, double *qdd) {
  hn_quat pdd = quat_scale(0.5, euler_e_transposed(f->p, vec3_load(x + 3)));
  vec3_store(qdd, vec3_load(x));
  quat_store(qdd + 3, quat_add(pdd, quat_scale(-0.25 * vec3_dot(f->w, f->w), f->p)));
}

// cartesian/frames.c: as hn_equations_type says
void hn_cartesian_frames(const hn_equations *equations, const double *q, const double *qd,
                         hn_frame *frames);
void hn_cartesian_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                              double *qd);
void hn_cartesian_speeds(const hn_equations *equations, const double *q, const double *qd,
                         double *u);
void hn_cartesian_rates(const hn_equations *equations, const double *q, const double *u,
                        double *qd);

// cartesian/system.c: the linear system of the present constraints and masses. Rank in loops of the
// factored constraints; may_choose: redundant constraints are chosen again.
void hn_cartesian_judge_rank(hn_cartesian_set *self, hn_row_set rows, int may_choose);
// Call if constraints change at the same position: factors and redundant constraints are recomputed.
void hn_cartesian_forget(hn_equations *equations);
// Right sides are there already, and are eliminated on the way.
hn_status hn_cartesian_factor(hn_cartesian_set *self, const double *q, hn_row_set rows);
hn_status hn_cartesian_make_stable(hn_cartesian_set *self, const hn_solver_problem *problem,
                                   hn_error *error);
hn_status hn_cartesian_solve(hn_cartesian_set *self, hn_solver_report *report); // x, y

// cartesian/evaluate.c
hn_status hn_cartesian_evaluate(hn_equations *equations, double t, const double *q,
                                const double *qd, const hn_branches *branches,
                                hn_snapshot *snapshot, hn_error *error);
hn_status hn_cartesian_evaluate_stage(hn_equations *equations, double t, const double *q,
                                      const double *qd, const hn_branches *branches,
                                      hn_snapshot *snapshot, hn_error *error);
hn_status hn_cartesian_power(hn_equations *equations, double t, const double *q, const double *qd,
                             const double *lambda, const hn_branches *branches, double *power);

// cartesian/failure.c: fails, naming the body that a torque turns about an axis without inertia.
hn_status hn_cartesian_not_determined(hn_cartesian_set *self, double t, hn_error *error);
// Dependent constraints must agree with the others; near a singular configuration they are
// regularized instead.
hn_status hn_cartesian_check_rows(const hn_cartesian_set *self, const hn_snapshot *snapshot,
                                  hn_error *error);

// cartesian/project.c: p of unit length; r += dr, p <- (p + E' dpi / 2) / |.| of every body, x = (dr,
// dpi); qd at q of speeds that grow by x, and what that changes.
void hn_cartesian_normalize(const hn_equations *equations, double *q);
void hn_cartesian_move(const hn_equations *equations, const double *x, double *q);
void hn_cartesian_add_speeds(const hn_equations *equations, const double *q, const double *x,
                             double *qd, double *correction);
hn_status hn_cartesian_project_positions(hn_equations *equations, double t, double *q,
                                         const hn_branches *branches, double tolerance,
                                         double *correction);
hn_status hn_cartesian_project_velocities(hn_equations *equations, double t, const double *q,
                                          double *qd, const hn_branches *branches,
                                          double *correction);
// The same after impulses (nu) on the bodies, which joints transmit: massless bodies need no
// velocity of their own.
hn_status hn_cartesian_push(hn_equations *equations, double t, const double *q, double *qd,
                            const double *impulse, const hn_branches *branches, double *correction);

extern const struct hn_stepping_type hn_rigid_stepping; // rigid/stepping.c
// cartesian/responses.c
extern const struct hn_response_type hn_cartesian_responses;

#endif
