// The tangent as evaluate_stage sees states. Accelerations inside a step are those at p / |p| with the
// part of pd along p taken out (cartesian.h: bodies stay rigid whatever p is), so that
//
//   f(q, v) = a(pi(q, v)),   pi: p -> p / |p|,   pd -> (1 - p p' / p.p) pd / |p|
//
// and its derivatives at |p| = 1, p.pd = 0 are those of a(q, v) times those of pi:
//
//   pi_p = T = 1 - p p',   (pi_pd)_pd = T,   (pi_pd)_p = B = -pd p' - p pd'
//   K <- K T + C B,   C <- C T,   P <- P T + 2 A B,   A <- A T
//
// T and B act on the four columns of a body's p, which stand side by side in every row.
#include "equations/tangent.h"
#include "math/euler.h"

typedef struct unit_map {
  const double *p, *pd; // (4)
} unit_map;

// x <- x T + scale y B, rows of four; then y <- y T
static void turn(unit_map m, double *x, double scale, double *y) {
  double along = dot4(x, m.p);
  double y_p = y ? scale * dot4(y, m.p) : 0, y_pd = y ? scale * dot4(y, m.pd) : 0;
  for (int i = 0; i < 4; i++) x[i] -= (along + y_pd) * m.p[i] + y_p * m.pd[i];
  if (!y) return;
  along = dot4(y, m.p);
  for (int i = 0; i < 4; i++) y[i] -= along * m.p[i];
}

static unit_map map_of(const double *q, const double *qd, int column) {
  return (unit_map){&q[column], &qd[column]};
}

void hn_tangent_see_unit_parameters(hn_tangent *tangent, const double *q, const double *qd) {
  hn_sparse *k = &tangent->stiffness, *c = &tangent->damping;
  hn_sparse *p = &tangent->phi_dd, *a = &tangent->phi_v;
  for (int i = 0; i < tangent->n; i++) {
    int at = c->start[i];
    for (int e = k->start[i]; e < k->start[i + 1]; e++) {
      if (tangent->columns[k->index[e]] != HN_COLUMN_PARAMETER) continue;
      while (at < c->start[i + 1] && c->index[at] < k->index[e]) at++;
      int has_damping = at < c->start[i + 1] && c->index[at] == k->index[e];
      turn(map_of(q, qd, k->index[e]), &k->value[e], 1, has_damping ? &c->value[at] : NULL);
    }
  }
  for (int r = 0; r < tangent->rows; r++)
    for (int e = p->start[r]; e < p->start[r + 1]; e++)
      if (tangent->columns[p->index[e]] == HN_COLUMN_PARAMETER)
        turn(map_of(q, qd, p->index[e]), &p->value[e], 2, &a->value[e]);
}
