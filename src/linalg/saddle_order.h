// An elimination order for saddle matrices that keeps pivots large.
#ifndef HN_LINALG_SADDLE_ORDER_H
#define HN_LINALG_SADDLE_ORDER_H

#include "linalg/saddle.h"

// Order of the n + m unknowns (x, then y as n + row) for the matrix with upper triangle k_start,
// k_index (as hn_factors_create takes it).
hn_status hn_saddle_order(hn_arena *scratch, const hn_saddle_pattern *pattern, const int *k_start,
                          const int *k_index, int *order);

#endif
