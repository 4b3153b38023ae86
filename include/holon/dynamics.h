// Holon: the equations of a model at its present state, for those who write controllers and
// estimators, and the forces of drives that make a motion.
//
//   M(q) qdd + Phi_q' lambda = Q(q, qd, t)        q, qd, qdd: coordinates of the simulation (nq)
//
// Functions of a simulation, in its own coordinates: with "relative" these are the coordinates of
// the joints along the tree. The first call takes memory; none changes the state.
#ifndef HOLON_DYNAMICS_H
#define HOLON_DYNAMICS_H

#include "holon/results.h"
#include "holon/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// M by rows (nq x nq): kg, kg m, kg m2. Singular along Euler parameters.
HN_API hn_status hn_simulation_mass_matrix(hn_simulation *simulation, double *matrix);
// -Q (nq): gyroscopic and centrifugal terms less all applied forces, gravity among them, so that
// M qdd + bias is what reactions and drives must give.
HN_API hn_status hn_simulation_bias_forces(hn_simulation *simulation, double *bias);
// M qdd + bias for any accelerations (nq): inverse dynamics of a tree. All inputs count as 0, so that
// the result can be given to motors that are inputs.
HN_API hn_status hn_simulation_inverse_dynamics(hn_simulation *simulation, const double *qdd,
                                                double *forces);
// The same with the present inputs: forces that are missing in addition to them.
HN_API hn_status hn_simulation_inverse_dynamics_at_inputs(hn_simulation *simulation,
                                                          const double *qdd, double *forces);
// Phi_q by rows (count x nq) of joints, drivers and what keeps coordinates normalized; count alone
// where jacobian is null.
HN_API hn_status hn_simulation_constraint_jacobian(hn_simulation *simulation, double *jacobian,
                                                   int *count);
// A point of a body (from its center of mass, body axes): velocity = J qd, angular velocity of the
// body = R qd, global axes, by rows (3 x nq each). Either may be null.
HN_API hn_status hn_simulation_point_jacobian(hn_simulation *simulation, int body, hn_vec3 point,
                                              double *jacobian, double *rotation);

// Some bodies seen as one, frozen as they stand.
typedef struct hn_composite {
  double mass;
  hn_vec3 center, velocity; // of the center of mass, global axes
  double inertia[6];        // about it, global axes: xx yy zz xy xz yz
  hn_vec3 momentum;         // kg m/s
  hn_vec3 angular_momentum; // about the center of mass, kg m2/s
} hn_composite;
// Of these bodies; null: all of them.
HN_API hn_status hn_simulation_composite(hn_simulation *simulation, const int *bodies, int count,
                                         hn_composite *composite);

// ---- drives -------------------------------------------------------------------------------------

// The coordinate along which a drive acts: that of a driver of the model, or of a joint.
typedef struct hn_drive {
  int driver; // >= 0; -1: the next two
  int joint;
  hn_coordinate coordinate;
  double weight; // of its effort, > 0; 0: 1
} hn_drive;

typedef struct hn_drive_report {
  int freedoms;      // degrees of freedom of the model without its drivers
  int rank;          // of them that the drives can push
  double residual;   // largest generalized force that is missing, N or N m
  double largest;    // ... and the largest that is needed
  char missing[256]; // the coordinate it is missing along; empty: none
} hn_drive_report;

// Forces of the drives (N, N m along their coordinates) with which the model, without its drivers,
// has these accelerations: linear and angular ones of each body but ground (2 vectors a body,
// global axes); null: the present ones. If the solution is not unique: the least sum of weight *
// force^2. map (may be null): by rows (degrees of freedom x count), generalized forces of unit
// forces; a call without it reports its size. report and error may be null.
HN_API hn_status hn_simulation_drive_forces(hn_simulation *simulation, const hn_drive *drives,
                                            int count, const hn_vec3 *accelerations, double *forces,
                                            double *map, hn_drive_report *report, hn_error *error);

// ---- recorded motions -----------------------------------------------------------------------------

// 1 when results have the motion of a body: position, quaternion, velocity, acceleration and the
// angular ones.
HN_API int hn_results_have_motion(const hn_results *rows);

// The rows of a run as states of a simulation in Cartesian coordinates; every body must be
// recorded. The results stay until hn_recorded_motion_free.
typedef struct hn_recorded_motion hn_recorded_motion;
HN_API hn_status hn_recorded_motion_create(hn_simulation *simulation, const hn_results *rows,
                                           hn_recorded_motion **motion, hn_error *error);
// The simulation at a row; *accelerations (may be null): as hn_simulation_drive_forces takes them,
// until the next row.
HN_API hn_status hn_recorded_motion_go(hn_recorded_motion *motion, hn_simulation *simulation,
                                       int row, const hn_vec3 **accelerations);
HN_API void hn_recorded_motion_free(hn_recorded_motion *motion); // null is fine

#ifdef __cplusplus
}
#endif

#endif
