// Blocks in speeds against those in q, of any set of coordinates: along dq = T^+ e_k, whatever T^+ is,
// they are T^+' (K, C, M) T^+ and Phi_q T^+.
#ifndef HN_TESTS_EQUATIONS_SPEED_BLOCKS_H
#define HN_TESTS_EQUATIONS_SPEED_BLOCKS_H

#include <string.h>

#include "equations/tangent.h"
#include "support/check.h"
#include "support/tangent.h"

enum { BLOCKS_MOST = 100, BLOCKS_MOST_ROWS = 160 };

static double blocks_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Rates that keep the lengths of Euler parameters.
static void blocks_keep_lengths(const hn_tangent *t, double *q, double *qd, double *qdd) {
  for (int i = 0; i < t->n; i++) {
    if (t->columns[i] != HN_COLUMN_PARAMETER) continue;
    hn_quat p = quat_unit(quat_load(&q[i])), pd = quat_load(&qd[i]), pdd = quat_load(&qdd[i]);
    pd = quat_add(pd, quat_scale(-quat_dot(pd, p), p));
    quat_store(&q[i], p);
    quat_store(&qd[i], pd);
    quat_store(&qdd[i], quat_add(pdd, quat_scale(-quat_dot(pdd, p) - quat_dot(pd, pd), p)));
  }
}

// The state is changed to one that keeps lengths. lambda (rows): of the lengths as they have to be.
static void check_speed_blocks(hn_tangent *t, double time, double *q, double *qd, double *qdd,
                               double *lambda, const hn_branches *branches) {
  static double none[BLOCKS_MOST_ROWS];
  static double x[BLOCKS_MOST][BLOCKS_MOST], in_q[3][BLOCKS_MOST][BLOCKS_MOST];
  double along[BLOCKS_MOST], second[BLOCKS_MOST_ROWS], u[BLOCKS_MOST], out[BLOCKS_MOST];
  const hn_speed_blocks *b = &t->blocks;
  const hn_tangent_state at = {.t = time,
                               .q = q,
                               .qd = qd,
                               .qdd = qdd,
                               .lambda = lambda,
                               .branches = branches,
                               .space = HN_IN_SPEEDS,
                               .b = out};
  assert_true(t->n <= BLOCKS_MOST && t->rows <= BLOCKS_MOST_ROWS && b->n > 0);
  blocks_keep_lengths(t, q, qd, qdd);
  if (b->lengths > 0) {
    check_ok(tangent_basic(t, time, q, qd, branches, NULL));
    t->type->normalization_multipliers(t, lambda);
  }
  check_ok(hn_tangent_evaluate(t, &at, HN_BALANCE, NULL));
  for (int j = 0; j < b->n; j++) {
    double e[BLOCKS_MOST] = {0};
    e[j] = 1;
    t->type->correction_of_speeds(t, e, none, x[j]);
    t->type->speeds_of(t, x[j], u);
    for (int i = 0; i < b->n; i++) check_near(u[i], i == j, 1e-13);
  }
  check_ok(tangent_full(t, time, q, qd, qdd, lambda, branches, NULL));
  memcpy(along, t->q_force, (size_t)t->n * sizeof(double));
  hn_sparse_add_product(&t->mass, -1, qdd, along);
  memcpy(second, t->tau, (size_t)t->rows * sizeof(double));
  hn_sparse_add_product(&t->phi_q, -1, qdd, second);
  const hn_sparse *matrix[3] = {&t->mass, &t->damping, &t->stiffness};
  static double rows[BLOCKS_MOST][BLOCKS_MOST_ROWS];
  memset(rows, 0, sizeof rows);
  memset(in_q, 0, sizeof in_q);
  for (int j = 0; j < b->n; j++) {
    for (int k = 0; k < 3; k++) hn_sparse_add_product(matrix[k], 1, x[j], in_q[k][j]);
    hn_sparse_add_product(&t->phi_q, 1, x[j], rows[j]);
  }
  for (hn_want extent = HN_BALANCE; extent <= HN_FULL; extent++) {
    check_ok(hn_tangent_evaluate(t, &at, extent, NULL));
    for (int j = 0; j < b->n; j++) check_near(out[j], blocks_dot(t->n, x[j], along), 1e-9);
  }
  const double *blocks[3] = {b->mass, b->damping, b->stiffness};
  for (int j = 0; j < b->n; j++)
    for (int c = b->start[j]; c < b->start[j + 1]; c++) {
      int i = b->index[c];
      for (int k = 0; k < 3; k++) {
        check_near(blocks[k][b->here[c]], blocks_dot(t->n, x[i], in_q[k][j]), 1e-9);
        check_near(blocks[k][b->there[c]], blocks_dot(t->n, x[j], in_q[k][i]), 1e-9);
      }
    }
  t->type->speeds_of(t, qdd, u);
  for (int r = 0; r < b->rows; r++) {
    double left = t->tau[b->row[r]];
    for (int c = b->row_start[r]; c < b->row_start[r + 1]; c++) {
      check_near(b->row_value[c], rows[b->row_index[c]][b->row[r]], 1e-11);
      left -= b->row_value[c] * u[b->row_index[c]];
    }
    check_near(left, second[b->row[r]], 1e-10);
  }
}

#endif
