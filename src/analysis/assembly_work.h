// Workspace that the files of assembly share.
#ifndef HN_ANALYSIS_ASSEMBLY_WORK_H
#define HN_ANALYSIS_ASSEMBLY_WORK_H

#include "analysis/assembly_positions.h"

typedef struct hn_assembly_work {
  hn_assembly a;
  hn_arena arena;
  unsigned char *held;  // HN_HELD_* (bodies)
  unsigned char *level; // how a given start is fixed (bodies)
  unsigned char *still; // 1: a body without a start of its own that stays (bodies)
  int ignores_given;    // 1: starts of bodies and joints do not count
  unsigned char *all;   // ones, one a row
  hn_given_row *given;  // capacity: every given coordinate, then constraints that keep bodies in
                        // place
  int capacity;         // joints * (coordinates and HN_STAY_ROWS)
} hn_assembly_work;

// A joint has at most this many coordinates and rows of its relative pose together.
enum { HN_STAY_ROWS = HN_COORDINATES + 6 };

// HN_HELD_* of what is given for a body, of its pose or (of_rates) of its speeds.
int hn_assembly_given_parts(const hn_body_def *body, int of_rates);
// From what was drawn or given, with the present levels and bodies that are still, to poses (or speeds)
// that satisfy every joint, driver and the first given_count rows of w->given. 1 when all hold, 0 when
// not, -2 out of memory. What the rows need is taken from w->arena.
int hn_assembly_try(hn_assembly_work *w, int of_rates, int given_count, hn_assembly_rows *rows);
// The largest move of a body, m or rad.
double hn_assembly_largest_move(const hn_assembly_work *w);

// assembly_stay.c: among the poses (or speeds) that satisfy everything, selects those in which
// bodies and joints without `initial` stay in the reference configuration (at rest), as far as the
// joints allow it. given_count as in the try that succeeded. 0 on success, -2 out of memory. Where
// a joint without `initial` had to move with joints that have one, *note reports it.
int hn_assembly_stay(hn_assembly_work *w, int of_rates, int given_count, hn_warning *note);

#endif
