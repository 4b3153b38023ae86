// Many contacts between free bodies by Newton's method, where sweeps (sweeps.h) come nearer too slowly:
// boxes on boxes, whose points share their loads in many ways, bodies that are wedged, light ones below
// heavy ones. The laws are smoothed (smooth.h), and the path eps -> 0 is followed. Each iteration solves
//
//   (M + H' S H) d v = H' push,   d p = push - S H d v
//
// with the velocities of the bodies as unknowns, by the sparse factors of linalg/factors.h: however
// many points depend on each other, the matrix is definite, up to the part of friction that is not
// symmetric. What is factored changes with the contacts; its memory is reserved beforehand.
#ifndef HN_CONTACT_MANY_H
#define HN_CONTACT_MANY_H

#include "base/arena.h"
#include "contact/smooth.h"
#include "contact/sweeps.h"

typedef struct hn_many {
  int bodies, points; // capacity
  // memory of the factors, reused each time
  unsigned char *pool;
  size_t pool_size, pool_used;
  // the graph of bodies in contact
  int *node;             // of bodies; -1: not in contact (bodies + ground)
  int *body;             // of nodes
  int *start, *neighbor; // (bodies + 2), (2 points)
  int *mark;             // (bodies)
  int (*slot)[2]; // of points: which neighbor the first body is of the second, or the other way
  int *below;     // neighbors of a node that come before it
  int *column, *row, *at; // pattern; at: the first entry of a node (bodies + 1)
  int entries;
  double *upper, *lower; // numbers of the pattern
  double *x;             // (6 bodies)
  double (*inertia)[3][3];
  hn_smooth_cone *cone;                      // (points)
  double (*step)[3], (*from)[3], (*best)[3]; // of impulses
  double *slip;         // of points: |u_T| that is taken as given; -1: it is not
  hn_sweep_body *begin; // velocities at the start of the line search
  double operations;    // of the last factorization
} hn_many;

hn_status hn_many_create(hn_arena *arena, int bodies, int points, hn_many *many);
// For more points; the memory of factors stays: it decides whether there are any.
hn_status hn_many_extend(hn_arena *arena, int points, hn_many *many);
// Multiplications of a factorization; 0: beyond the capacity.
double hn_many_operations(hn_many *many, const hn_sweep_body *bodies, int body_count,
                          const hn_sweep_point *points, int count);
// As hn_sweep_solve: p and the velocities of the bodies to a residual that is enough, *residual what it
// is now and is left. Returns the number of iterations; 0: what is reserved is not enough for them, and
// nothing has changed.
int hn_many_solve(hn_many *many, hn_sweep_body *bodies, int body_count, hn_sweep_point *points,
                  int count, double enough, double *residual);

// many_system.c: pattern and factors of these contacts; null: beyond the capacity.
struct hn_factors *hn_many_begin(hn_many *many, const hn_sweep_body *bodies, int body_count,
                                 const hn_sweep_point *points, int count);
// Steps of all impulses from many->cone.
void hn_many_step(hn_many *many, struct hn_factors *factors, const hn_sweep_body *bodies,
                  const hn_sweep_point *points, int count);

#endif
