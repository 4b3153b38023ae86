// Fronts inside: what fronts.c (set-up), fronts_factor.c and fronts_solve.c share.
#ifndef HN_LINALG_FRONTS_PRIVATE_H
#define HN_LINALG_FRONTS_PRIVATE_H

#include "linalg/fronts.h"

enum { HN_FRONT_LANES = 4 };

static inline int hn_whole_lanes(int size) {
  return (size + HN_FRONT_LANES - 1) / HN_FRONT_LANES * HN_FRONT_LANES;
}

typedef struct front {
  int pivots, size; // unknowns eliminated here; with those they are coupled to
  int stride;       // of rows: size up to whole lanes
  int parent;       // -1: none
  int first;        // of index and up
  int room;         // first number of its matrix

  // for solutions, four unknowns at a time; the last ones of either kind are filled up with nothing
  int fours, far_fours; // of pivots; of the others
  int slot;             // of its first pivot
  int far;              // of far_slot
  int down, back;       // first numbers of its panels
} front;

struct hn_fronts {
  int n, count;
  front *fronts;   // children before parents
  int *index;      // unknowns of each front, pivots first
  int *up;         // their places in the front above (behind the pivots)
  int *home;       // front in which an unknown is eliminated (n)
  int room_size;   // numbers of all matrices
  double *room;    // matrices
  double *inverse; // of pivots, by unknown (n)
  double *begin;   // diagonal before anything of its front is eliminated, by unknown (n)
  int replaced;    // pivots, at the last factorization
  int wide;

  int slots;           // of all pivots, filled up to fours
  int *slot;           // of an unknown (n)
  int *far_slot;       // of the others of a front; behind all slots where there is none
  double *down, *back; // panels of L and of U
  double *z;           // a right side by slots, then one that is zero
  double *y;           // of the others of one front
};

#endif
