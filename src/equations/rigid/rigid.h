// Constraints with conditions on the equations of any set of coordinates (responses.h):
//
//   M ud + J' lambda = Q + G' p,   J ud = tau,   u' = G ud + rest
//
// Each closed point has rows G (normal, two tangents). Responses X = K^-1 G' are solved for with
// the factors of the model, so joints, loops and redundant rows hold exactly; the forces p come
// from the small dense problem W = G X (contact/friction.h). Within a step the contact mode of
// every point is frozen like the branch of a force: open, sticking (u = 0), or sliding (u_N = 0,
// p_T = -mu p_N along the slip). Closed points are kept on gap = 0 and on u = 0 by the projections.
//
// conditions.h has what methods and analyses see of it.
#ifndef HN_EQUATIONS_TOUCHING_H
#define HN_EQUATIONS_TOUCHING_H

#include "equations/conditions.h"

#define HN_RIGID_GAP 1e-9     // m: nearer points are in contact
#define HN_RIGID_SPEED 1e-10  // m/s: slower points do not move apart or together
#define HN_RIGID_HEIGHT 1e-14 // m: a lower bounce counts as 0

// Sliding along a plane turns within |u|/a: where that is shorter than steps that make sense,
// friction acts against the slip that there will be after this time (s), which is exact for faster
// slips.
#define HN_RIGID_SOFT 1e-5

typedef struct hn_rigid {
  hn_conditions base;           // what others see
  hn_equations_type type;       // of these equations
  const hn_equations_type *set; // of the model's own constraints alone
  double *held;                 // inertias with those about fixed axes (held_inertia.h), or null
  // the active points
  int count;
  int *point; // (most)
  hn_contact_point *geometry;
  hn_contact_motion *motion;
  hn_vec3 (*tangent)[2];
  hn_touch_row *row; // 3 a point at most
  double *g;         // rows in speeds (rows x nu); null: speeds are velocities of bodies
  double *bias;      // ... of their accelerations (rows)
  double *x, *y;     // responses (rows x nu), (rows x row_count)
  double *p, *other; // forces (rows)
  hn_friction_problem problem;
  hn_grip *grips;             // of the parts
  unsigned char *soft;        // of them
  unsigned char *is_moved;    // by an impulse at one of them
  double *spread;             // how load is shared among them
  double *spare, *correction; // (nq)
  double *speeds, *moved;     // (nu)
  hn_frame *frames;           // (bodies + ground)
  hn_snapshot *snapshot;      // workspace of mode selection
  struct hn_grips *room;
  // of implicit methods (tangent.c)
  const struct hn_tangent_type *tangent_of_set;
  double *force,
      *force_q; // of all points, in speeds and coordinates (nu), (nq); null: not asked for
  // points in contact that separate
  int leaving_count;
  int *leaving; // (most)
  hn_touch_row *leaving_row;
} hn_rigid;

static inline hn_rigid *hn_rigid_of(const hn_equations *equations) { return equations->extension; }

// ---- response.c ---------------------------------------------------------------------------------
// Selection of active points.
typedef enum hn_touch_choice {
  HN_RIGID_CLOSED,  // by their contact modes
  HN_RIGID_HOLDING, // normals of the same only
  HN_RIGID_LISTED   // self->point (count), unmodified
} hn_touch_choice;
// Geometry, rows and parts of the problem at these frames; problem->q is not filled. HN_ERROR_LIMIT
// beyond HN_RIGID_MOST.
hn_status hn_rigid_take(hn_equations *equations, const hn_frame *frames,
                        const struct hn_grips *grips, hn_touch_choice choice);
// d/dt of the velocity of any row for these derivatives of speeds, at the state of the factors.
double hn_rigid_acceleration(hn_equations *equations, const hn_touch_row *row, const double *ud);
// Frames (rigid->frames) without Euler parameters.
void hn_rigid_frames(hn_equations *equations, const double *q, const double *qd);
// Responses of all rows with the factors that are there, and W.
hn_status hn_rigid_respond(hn_equations *equations);
// q of the problem from accelerations (nu), or from the speeds of the rows.
void hn_rigid_accelerations(hn_equations *equations, const double *ud);
// f (nu) += p times active row r: its force in speeds.
void hn_rigid_load(const hn_equations *equations, int r, double p, double *f);
// x += sum p X
void hn_rigid_add(const hn_equations *equations, const double *p, double *x);
// The model's factors at (t, q), recomputed always; frames of self->frames.
hn_status hn_rigid_factor(hn_equations *equations, double t, const double *q, const double *qd,
                          const hn_branches *branches);
// The force of active point k on body 2.
hn_vec3 hn_rigid_force(const hn_rigid *self, int k, const double *p);

// ---- tangent.c ----------------------------------------------------------------------------------
// 1: something is closed, sticks or slides.
int hn_rigid_holds(const hn_branches *branches);
hn_status hn_rigid_tangent_create(hn_arena *arena, hn_equations *equations, int in_speeds,
                                  struct hn_tangent **tangent);
hn_status hn_rigid_power(hn_equations *equations, double t, const double *q, const double *qd,
                         const double *lambda, const hn_branches *branches, double *power);

// ---- project.c ----------------------------------------------------------------------------------
hn_status hn_rigid_project_positions(hn_equations *equations, double t, double *q,
                                     const hn_branches *branches, double tolerance,
                                     double *correction);
hn_status hn_rigid_project_velocities(hn_equations *equations, double t, const double *q,
                                      double *qd, const hn_branches *branches, double *correction);
hn_status hn_rigid_jump(hn_equations *equations, double t, const double *q, double *qd,
                        const hn_branches *branches, double *correction);

// ---- settle.c -----------------------------------------------------------------------------------
// impact.c: the impulses at all points in contact, if some approach each other; *happened: they did.
hn_status hn_rigid_impact(hn_equations *equations, double t, const double *q, double *qd,
                          const hn_branches *branches, hn_touch_report *report, int *happened);
// Points with gaps below HN_RIGID_GAP at self->frames, into self->point.
hn_status hn_rigid_list_near(hn_equations *equations, struct hn_grips *grips);

// ---- extra.c ------------------------------------------------------------------------------------
// How many a model has; written where extra is not null.
int hn_extras_list(const hn_elements *elements, struct hn_extra *extra);

#endif
