// When a choice is stale. The condition of E in the 1-norm, estimated by a few solutions (Hager
// 1984, Higham 1988), with rows of unit length as they were at the choice and rotations comparable
// with translations; and the gain of P. The gain says more: near a turning point of v all else
// moves much with a unit of v, and the ODE in v bends so sharply that formulas lose digits, while
// the condition of a large E hardly changes.
#include <math.h>
#include <string.h>

#include "integrate/reduction_private.h"

static double scale_of_unknown(const hn_reduction *self, const hn_reduction_part *part, int j) {
  return self->is_tangent_plane ? 1 : hn_reduction_column_scale(self, part->column[j]);
}

static double scale_of_equation(const hn_reduction_part *part, int k) {
  return k < part->rank ? part->row_scale[k] : 1;
}

// x <- inverse of the scaled matrix times x, or of its transpose.
static void apply(const hn_reduction *self, const hn_reduction_part *part, int is_transposed,
                  double *x) {
  int n = part->size;
  if (is_transposed) {
    for (int j = 0; j < n; j++) x[j] /= scale_of_unknown(self, part, j);
    hn_reduction_divide_transposed(self, part, x);
    for (int k = 0; k < n; k++) x[k] /= scale_of_equation(part, k);
  } else {
    for (int k = 0; k < n; k++) x[k] /= scale_of_equation(part, k);
    hn_reduction_divide(self, part, x);
    for (int j = 0; j < n; j++) x[j] /= scale_of_unknown(self, part, j);
  }
}

// 1-norm of the scaled matrix: the largest sum of a column. work: (size)
static double norm_of(const hn_reduction *self, const hn_reduction_part *part, double *work) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  double most = 0;
  memset(work, 0, (size_t)part->size * sizeof(double));
  for (int k = 0; k < part->rank; k++)
    for (int o = self->own_start[part->kept[k]]; o < self->own_start[part->kept[k] + 1]; o++) {
      int e = self->own[o];
      work[self->place[phi_q->index[e]]] += fabs(self->phi_q[e]) * part->row_scale[k];
    }
  for (int k = part->rank; k < part->size; k++)
    for (int i = 0; i < part->size; i++)
      work[i] += fabs(part->basis[(size_t)(k - part->rank) * (size_t)part->n + (size_t)i]);
  for (int i = 0; i < part->size; i++) {
    double sum = work[i] * scale_of_unknown(self, part, i);
    if (sum > most) most = sum;
  }
  return most;
}

// Largest sum of a row of P in this part's own columns, in scaled columns, with the body it is
// entered from fixed.
double hn_reduction_part_gain(hn_reduction *self, hn_reduction_part *part) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  int n = part->n;
  double *x = self->work, *sum = self->x, most = 0;
  memset(sum, 0, (size_t)n * sizeof(double));
  for (int j = part->rank; j < n;
       j++) { // column j of part->column is moved by 1, or basis j - rank
    memset(x, 0, (size_t)n * sizeof(double));
    if (self->is_tangent_plane) {
      x[j] = 1;
    } else {
      for (int k = 0; k < part->rank; k++)
        for (int e = phi_q->start[part->kept[k]]; e < phi_q->start[part->kept[k] + 1]; e++)
          if (phi_q->index[e] == part->column[j]) x[k] = -self->phi_q[e];
      sum[j] += 1 / hn_reduction_column_scale(self, part->column[j]);
    }
    hn_reduction_divide(self, part, x);
    for (int i = 0; i < part->size; i++)
      sum[i] += fabs(x[i]) / hn_reduction_column_scale(self, part->column[i]);
  }
  for (int i = 0; i < n; i++) most = sum[i] > most ? sum[i] : most;
  return most;
}

// Numbers that differ by rounding count as equal here, so that models with symmetries, with many
// zero or equal numbers, get the same estimate from states that differ by rounding.
double hn_reduction_part_condition(hn_reduction *self, hn_reduction_part *part) {
  int n = part->size;
  double *x = self->x, *z = self->y, estimate = 0;
  if (n == 0) return 1;
  double norm = norm_of(self, part, x);
  for (int i = 0; i < n; i++) x[i] = 1.0 / n;
  for (int sweep = 0; sweep < 5; sweep++) {
    double sum = 0, product = 0;
    for (int i = 0; i < n; i++) z[i] = x[i];
    apply(self, part, 0, z);
    for (int i = 0; i < n; i++) sum += fabs(z[i]);
    if (sweep > 0 && !(sum > (1 + 1e-6) * estimate)) break;
    estimate = sum;
    double most = hn_largest(z, n);
    for (int i = 0; i < n; i++) z[i] = z[i] < -1e-9 * most ? -1 : 1;
    apply(self, part, 1, z);
    most = hn_largest(z, n);
    for (int i = 0; i < n; i++) product += z[i] * x[i];
    if (sweep > 0 && most <= (1 + 1e-6) * product) break;
    int next = 0;
    while (next < n - 1 && !(fabs(z[next]) >= (1 - 1e-6) * most)) next++;
    for (int i = 0; i < n; i++) x[i] = i == next;
  }
  double condition = norm * estimate;
  return isfinite(condition) ? condition : HUGE_VAL;
}
