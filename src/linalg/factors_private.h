// Common declarations of set-up (factors_pattern.c) and numbers (factors.c) of a sparse
// factorization.
#ifndef HN_LINALG_FACTORS_PRIVATE_H
#define HN_LINALG_FACTORS_PRIVATE_H

#include "linalg/factors.h"

enum { HN_TILE = 4 };

typedef struct hn_tile {
  double c[HN_TILE][HN_TILE]; // columns
} hn_tile;

typedef struct hn_left_out hn_left_out;

struct hn_factors {
  int n, count;        // unknowns, tiles on the diagonal
  int entries;         // of the caller's pattern
  int *at;             // place of an unknown: 4 tile + row (n)
  int *unknown;        // of a place; -1: none (4 count)
  int *start, *row;    // tiles of L by columns, the diagonal one first (count + 1)
  int *places;         // of the caller's entries A(i, j) ...
  int *mirrors;        // ... and A(j, i); null where A is symmetric
  hn_tile *lower;      // L, the inverse of its diagonal tiles instead of these
  hn_tile *upper;      // U' in the same places; `lower` where A is symmetric
  hn_tile *scaled;     // of one column, times D: of U', then of L (2 count)
  double *d, *inverse; // pivots (4 count)
  double *begin;       // diagonal before anything is eliminated (4 count)
  double *x;           // right side (4 count)
  int wide;
  hn_left_out *left; // of a part; null: nothing can be left out
  int unused;        // place for entries that are left out
  long fill;
  double operations;
};

#endif
