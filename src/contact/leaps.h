// Leaps over slow sweeps: Anderson's acceleration of projected Gauss-Seidel. Sweeps g(p) of the last
// impulses p are combined so that the change g(p) - p of the combination is least, and the next sweep
// begins there. While the modes of contacts do not change that is as good as a Krylov method on the
// linear equations. Where a leap makes things worse, impulses go back to the sweep before it, and a
// while is swept without.
//
// Wedged bodies let impulses drift: every sweep changes them by nearly the same, for thousands of
// sweeps, while contacts begin to slide here and there. Combinations fail at each of these; sweeps
// then go on with momentum, Nesterov's, bounded.
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
  int looks, has_momentum;
  double seen;                     // change at the last look
  double slowing;                  // 1 at the begin of momentum, less and less then
  double size;                     // of the last change
  double *from, *to, *change;      // of the last sweep (3 room)
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
