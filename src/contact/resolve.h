// The laws of many contacts between free bodies, solved to a residual: sweeps (sweeps.h) with leaps,
// then Newton's method (many.h), each again from elsewhere where it is not enough. The best that was
// found is what stays.
#ifndef HN_CONTACT_RESOLVE_H
#define HN_CONTACT_RESOLVE_H

#include "contact/leaps.h"
#include "contact/many.h"

typedef struct hn_resolve {
  hn_leaps leaps;
  hn_many many;
  double (*kept)[3]; // impulses of points
  long sweeps;       // so far
} hn_resolve;

// Takes memory for `points` points; with acceleration for fewer.
hn_status hn_resolve_create(hn_arena *arena, int bodies, int points, int leap_points,
                            hn_resolve *resolve);
// For more points, with the same acceleration.
hn_status hn_resolve_extend(hn_arena *arena, int points, hn_resolve *resolve);
// Velocities hold the impulses of the points already. first: the residual that the first sweeps, so many
// of them, are made for; enough: the one that is asked for; most: sweeps, in the end. Returns the
// residual that is left.
double hn_resolve_contacts(hn_resolve *resolve, hn_sweep_body *bodies, int body_count,
                           hn_sweep_point *points, int count, double first, int first_sweeps,
                           double enough, int most);

#endif
