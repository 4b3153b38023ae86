// NPZ files of arrays of any kind, for what is not a table of signals (npz.c).
#ifndef HN_OUTPUT_NPZ_H
#define HN_OUTPUT_NPZ_H

#include "holon/base.h"

typedef struct hn_npz_array {
  const char *name;
  const char *type;         // of NumPy: "<f8", "<c16" (pairs of numbers); null: texts
  int rows, columns;        // columns -1: a vector
  const double *values;     // row by row
  const char *const *texts; // UTF-8 (rows)
} hn_npz_array;

hn_status hn_npz_write(const char *path, const hn_npz_array *arrays, int count, hn_error *error);

#endif
