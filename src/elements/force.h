// Forces inside: which measures they read, their laws, their branches, and the pieces that share
// the work of hn_force_in_speeds and hn_force_in_poses (elements.h).
//
// Four families:
//   measured  spring-dampers, leaf, bushing, friction, stop: a tension f(m, md, t) on each measure
//   m,
//             generalized force Q = -f m_q'                                          (force_law.c)
//   point     point force, torque, tyre: a load on one body                (force_load.c, tyre.c)
//   tendon    a tension on a way over any number of bodies                         (tendon.c)
//   user      the user's own function of the motion of two bodies                 (force_user.c)
#ifndef HN_ELEMENTS_FORCE_H
#define HN_ELEMENTS_FORCE_H

#include "elements/elements.h"

// ---- measures -----------------------------------------------------------------------------------

// 1 when the force reads a coordinate of its joint instead of a measure of its own.
int hn_force_reads_joint(const hn_force_def *force);
int hn_force_measure_count(const hn_force_def *force);
// Fills the force's own measures; angles take the next places (*turn_next)++ among the turns.
void hn_force_make_measures(const hn_model *model, int force, hn_measure *out, int *turn_next);

// Measures of single forces.
void hn_bushing_measures(const hn_force_def *force, hn_measure *out, int *turn_next);
void hn_leaf_measures(const hn_force_def *force, hn_measure *out, int *turn_next);
void hn_rotational_measures(const hn_force_def *force, hn_measure *out, int *turn_next);

// ---- laws of measured forces --------------------------------------------------------------------

// The tension on one measure (it pulls the measure towards smaller values when positive) with its
// partial derivatives, and what energy bookkeeping needs.
typedef struct hn_tension {
  double x; // the variable of the laws: measure, or leaf length
  double f, f_m, f_md, f_t;
  double potential; // J
  double stored;    // d potential / dm: the part of f that the potential accounts for
  double damped;    // the part of f whose power, damped * md, is dissipated
  int state;        // the branch that was found, of friction that was asked on a free one
} hn_tension;

// k: which of a bushing's six measures; 0 for the others.
hn_tension hn_force_tension(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                            double t);
// The same without its derivatives, which may be there or not.
hn_tension hn_force_tension_only(const hn_force_def *force, int k, hn_branch branch, double m,
                                 double md, double t);
// The tension, with value, deflection and rate, and its shares of potential, power and what is
// dissipated added.
double hn_force_pull(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                     double t, hn_force_value *out);
// The same inside a step, where only the power is computed, of forces on one measure.
double hn_force_pull_in_step(const hn_force_def *force, hn_branch branch, double m, double md,
                             double t, double *power);
// Of springs: the laws of x, v and t.
hn_tension hn_spring_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                             double md, double t);
hn_branch hn_spring_branch(const hn_force_def *force, double m, double md, double t);
// x and v of the law of a force that has one: of its measure, its joint or its way.
void hn_force_gauge(const hn_elements *elements, int force, const hn_frame *frames,
                    const double *turns, double *value, double *rate);
// 1 for a spring-damper with straight laws of x and of v alone, f = (c0 + c1 x) + (d0 + d1 v)
// whatever the branch.
int hn_force_is_straight(const hn_force_def *force, double of_x[2], double of_v[2]);
int hn_force_switches_by_measure(const hn_force_def *force); // 1: its branch follows from these
// The branch of a measured force's law (not for bushings, which have one).
hn_branch hn_force_law_branch(const hn_force_def *force, double m, double md, double t);

// ---- contacts -----------------------------------------------------------------------------------

#define HN_CONTACT_POINT_STATES 3 // of each point, in the branch: apart is 0
// The normal load of a closed contact by its depth and the rate of that; *state: of the point there.
double hn_contact_load(const hn_contact_def *rule, double depth, double rate, int *state);

// ---- branches -----------------------------------------------------------------------------------

// Pieces of several laws in one number: piece 0 + pieces 0 * (piece 1 + pieces 1 * ...). A law that
// is absent (null) has one piece.
int hn_pieces_encode(int count, hn_law *const laws[], const double at[]);
void hn_pieces_decode(int count, hn_law *const laws[], int code, int piece[]);
// How many codes there are.
int hn_pieces_count(int count, hn_law *const laws[]);
// 1 when every branch of the force has a number of its own (the product of the pieces fits).
int hn_force_branches_fit(const hn_force_def *force);

// ---- loads on one body --------------------------------------------------------------------------

// A force F(P, Pd, t) at the point P = r + A s of a body with its derivatives.
typedef struct hn_point_load {
  hn_vec3 force;
  hn_mat3 d_position, d_velocity;
  hn_vec3 d_time;
} hn_point_load;
// Its wrench and derivatives in slot 1, added.
void hn_point_load_in_poses(const hn_frame *frame, hn_vec3 s, const hn_point_load *load,
                            hn_force_load *out);

// A wrench on one body (force, torque about the center of mass; global axes) with its derivatives
// against small motions of its pose (translation, rotation vector) and its speeds.
typedef struct hn_wrench_tangent {
  double value[6], d_pose[6][6], d_speed[6][6], d_time[6];
} hn_wrench_tangent;

// Wrenches and derivatives of a user's force, by differences where the user gives none
// (user_differences.c).
hn_status hn_user_differences(const hn_user_force *user, double t, const hn_body_motion motion[2],
                              hn_wrench wrench[2], hn_force_load *out);

// The center of frame 2 and its velocity from the frame's speeds.
static inline hn_vec3 point_position(const hn_frame *frame, hn_vec3 s) {
  return vec3_add(frame->r, mat3_apply(frame->a, s));
}
static inline hn_vec3 point_velocity(const hn_frame *frame, hn_vec3 s) {
  return vec3_add(frame->v, vec3_cross(frame->w, mat3_apply(frame->a, s)));
}

#endif
