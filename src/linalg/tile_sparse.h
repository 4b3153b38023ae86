// Sparse symmetric positive definite systems in tiles of 4 x 4 with a pattern fixed at set-up: order,
// tiles and their pattern once, numbers often, no allocation after creation. For matrices of machines,
// whose unknowns come in small groups that are coupled alike: limbs are eliminated before what they hang
// on, and within a limb nothing goes by index.
#ifndef HN_LINALG_TILE_SPARSE_H
#define HN_LINALG_TILE_SPARSE_H

#include "base/arena.h"

typedef struct hn_sparse_tiles hn_sparse_tiles;

// The upper triangle with the diagonal by columns, as hn_ldl_create takes it.
hn_status hn_sparse_tiles_create(hn_arena *arena, int n, const int *column_start,
                                 const int *row_index, hn_sparse_tiles **tiles);
// Where the number of each entry of the pattern goes.
const int *hn_sparse_tiles_places(const hn_sparse_tiles *tiles);
// Room for numbers, zero; they may be added up there. Each factorization begins with this.
double *hn_sparse_tiles_begin(hn_sparse_tiles *tiles);
// A = L D L'. 0: some pivot was not positive, and the factors are of no use.
int hn_sparse_tiles_factor(hn_sparse_tiles *tiles);
void hn_sparse_tiles_solve(hn_sparse_tiles *tiles, double *b); // in place (n)
double
hn_sparse_tiles_operations(const hn_sparse_tiles *tiles); // multiply-adds of one factorization

// The same for x by places, whole tiles: unknown i at unknowns[i], zero where there is none.
void hn_sparse_tiles_solve_placed(hn_sparse_tiles *tiles, double *x);
const int *hn_sparse_tiles_unknowns(const hn_sparse_tiles *tiles, int *place_count);

#endif
