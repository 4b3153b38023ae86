// Sums over whole vectors in lanes of four; `wide` is hn_is_wide(), asked once. The same bits either
// way.
#ifndef HN_LINALG_VECTORS_H
#define HN_LINALG_VECTORS_H

// out = sum over k of weight[k] x[k], n numbers each, added up in the order of k; out is not one of
// x.
void hn_combine(int wide, int n, int count, const double *weight, double *const *x, double *out);
// sum over i of weight[i] x[i]^2
double hn_sum_of_squares(int wide, int n, const double *weight, const double *x);

#endif
