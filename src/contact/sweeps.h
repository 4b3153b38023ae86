// Many contacts with friction between bodies that no joint joins: projected Gauss-Seidel on the
// velocities of the bodies. A sweep goes over all contacts, forth and back, and solves each exactly
// (cone.h); it costs as much as there are contacts. Impulses of the step before are the start.
#ifndef HN_CONTACT_SWEEPS_H
#define HN_CONTACT_SWEEPS_H

#include "contact/cone.h"
#include "math/vec.h"

// One contact point of two bodies; body 0 is ground and never moves.
typedef struct hn_sweep_point {
  int body[2];
  int shape[2], feature; // by which impulses are found again
  int rule;
  int is_soft, is_closing; // gives way; would meet within the step, without impulses
  double before;           // normal speed at the start of the step
  double mobility;         // inverse masses of the bodies with their joints
  int is_aside;            // left out as long as nothing pushes it together (models with joints)
  hn_vec3 axis[3];         // normal, tangents
  hn_vec3 arm[2];          // from the centers of mass
  double w[3][3];          // response to its own impulse
  double shift;            // of the normal velocity: u_N + give p_N + shift >= 0
  double mu, gap;
  double sink; // what the gap loses beyond its speed, as bodies turn, m
  double give; // of soft points: normal velocity per impulse that the law adds to w; 0: rigid
  double
      returns; // restitution of its impulse (Poisson), if it bounces; those of free bodies that are
               // many bounce by the shift
  double slowness;
  double p[3];             // impulse
  double push;             // of the parting
  double torsion, rolling; // torques per normal force: bounds of a spin
  double spin[3];          // its impulse, about the axes
} hn_sweep_point;

struct hn_leaps;

typedef struct hn_sweep_body {
  double mass_inverse;
  hn_mat3 inertia_inverse; // global axes
  hn_vec3 v, w;
} hn_sweep_body;

// Responses of a point, after its axes and arms.
void hn_sweep_prepare(const hn_sweep_body *bodies, hn_sweep_point *point);
// The relative velocity at a point, without its shift.
void hn_sweep_velocity(const hn_sweep_body *bodies, const hn_sweep_point *point, double u[3]);
// Adds an impulse to the velocities.
void hn_sweep_push(hn_sweep_body *bodies, const hn_sweep_point *point, const double p[3]);
// The largest |p - proj_K(p - u~ / W)| over the points.
double hn_sweep_residual(const hn_sweep_body *bodies, const hn_sweep_point *points, int count);
// PGS iterations, forward and backward, with acceleration (leaps.h), until the residual is `enough`
// or the limit is reached; velocities initially include the given impulses of the points.
// *residual: final residual. Returns the number of iterations.
int hn_sweep_solve(hn_sweep_body *bodies, hn_sweep_point *points, int count, struct hn_leaps *leaps,
                   double enough, int most, double *residual);
// Computes displacements, instead of velocities, that separate overlapping bodies by a fraction of
// their depth, without friction; bodies are at rest initially. They are a correction: accuracy is
// uncritical.
void hn_sweep_part(hn_sweep_body *bodies, hn_sweep_point *points, int count, double share);

#endif
