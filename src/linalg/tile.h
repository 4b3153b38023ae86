// Dense symmetric positive definite systems in tiles of 4 x 4: faster than a general library from 1 to
// some hundred unknowns.
#ifndef HN_LINALG_TILE_H
#define HN_LINALG_TILE_H

#include "base/arena.h"

typedef struct hn_tiles hn_tiles;

hn_status hn_tiles_create(hn_arena *arena, int n, hn_tiles **tiles);
// A by rows, the upper triangle (what is below is not used): A = L D L'. Rows are `stride` apart, a
// multiple of 4; what lies between the matrix and the next row is zero, in the last one too. Pivot k
// becomes least[k] where it is not above that (n; null: 0).
void hn_tiles_factor(hn_tiles *tiles, const double *a, int stride, const double *least);
void hn_tiles_solve(hn_tiles *tiles, double *b); // in place (n)
double hn_tiles_pivot(const hn_tiles *tiles, int i);
double hn_tiles_operations(const hn_tiles *tiles); // multiply-adds of one factorization

#endif
