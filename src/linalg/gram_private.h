// The inside of gram.h, for its two files.
#ifndef HN_LINALG_GRAM_PRIVATE_H
#define HN_LINALG_GRAM_PRIVATE_H

#include "linalg/factors.h"
#include "linalg/gram.h"

struct hn_gram {
  hn_gram_pattern pattern;
  int rows, columns;
  int *segment_at;     // (segments + 1)
  double *w;           // values of the segments
  double *work;        // (rows)
  unsigned char *used; // rows of the sparse factor that hold (rows)
  int is_dense, rank;

  // dense
  int count;             // active rows
  int is_complete;       // the second QR was made
  double *a;             // active rows, being made orthogonal (rows x columns)
  double *r;             // R by rows (rows x rows)
  double *rest;          // work of the QR (3 rows + columns)
  int *order;            // pivots (rows)
  int *row_of;           // of the columns of `a` (rows)
  double *second, *beta; // QR of [R1 R2]': reflectors and R by columns, its diagonal

  // sparse: upper triangle of W W' by columns
  hn_factors *factors;
  int *column_start, *row_index;
  double *value;
  // least squares over rows that depend on those that hold, W2 = T W1
  int spare_room;          // of these; 0 in levels of very many rows
  int spare_count, *spare; // which
  double *share;           // T (spare x rows)
  double *excess;          // 1 + T T', factored (spare x spare)
  int *pivots;             // of it
  double *gap;             // (spare)
};

// So many dependent rows of a sparse level are brought into least squares; more are left out.
enum { HN_GRAM_SPARE = 48 };

hn_status hn_gram_sparse_create(hn_arena *arena, hn_gram *gram);
int hn_gram_sparse_small(const hn_gram *gram, double tolerance);
int hn_gram_sparse_factor(hn_gram *gram, const unsigned char *active, double tolerance,
                          int complete, unsigned char *dependent);
void hn_gram_sparse_solve(hn_gram *gram, double *b);
void hn_gram_sparse_least(hn_gram *gram, double *b);

#endif
