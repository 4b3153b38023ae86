// Acceleration of projected Gauss-Seidel (PGS) by Anderson's method. The last results g(p) of PGS
// iterations are combined so that the change g(p) - p of the combination is least, and the next
// iteration starts there. While contact modes do not change, that is as good as a Krylov method on
// the linear equations. If the residual grows, impulses are reset to the iteration before it, and
// some iterations follow without acceleration.
//
// Wedged bodies let impulses drift: every iteration changes them by nearly the same, for thousands
// of iterations, while contacts start to slide here and there. Combinations fail at each of these:
// Newton's method (many.h) takes over.
#ifndef HN_CONTACT_LEAPS_H
#define HN_CONTACT_LEAPS_H

#include "base/arena.h"
#include "contact/sweeps.h"

enum { HN_LEAPS = 6 }; // changes that are remembered

typedef struct hn_leaps {
  int room;      // points
  int have, put; // changes remembered, place of the next
  int is_first;  // nothing to compare with yet
  int is_leap;   // the last sweep began at a leap
  int wait;      // sweeps before the next leap
  int patience;  // of them after the next failure
  int successes;
  double size;                     // of the last change
  double *from, *to, *change;      // of the last iteration (3 capacity)
  double *dto[HN_LEAPS];           // differences of `to`
  double *dchange[HN_LEAPS];       // and of `change`, scaled
  double gram[HN_LEAPS][HN_LEAPS]; // of dchange
} hn_leaps;

hn_status hn_leaps_create(hn_arena *arena, int room, hn_leaps *leaps);
void hn_leaps_begin(hn_leaps *leaps);
// Before a sweep, and after it.
void hn_leaps_mark(hn_leaps *leaps, const hn_sweep_point *points, int count);
void hn_leaps_take(hn_leaps *leaps, hn_sweep_body *bodies, hn_sweep_point *points, int count);

#endif
