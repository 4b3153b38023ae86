// Scales of the system of saddle_private.h: unit diagonal of M, unit rows of J in the metric of M.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "linalg/saddle_private.h"

// The power of two next to x: scaling by it is exact. Read off the bits of a positive number that is
// neither very small nor very large.
static double power_of_two(double x) {
  const uint64_t whole = (uint64_t)0x7ff << 52, one = (uint64_t)1023 << 52;
  uint64_t bits, high;
  memcpy(&bits, &x, sizeof bits);
  high = bits >> 52;
  if (high > 0 && high < 2046) {
    uint64_t mantissa = (bits & ~whole) | one;
    double m;
    memcpy(&m, &mantissa, sizeof m);
    bits = (m > 2 * 0.70710678118654752 ? high + 1 : high) << 52;
    memcpy(&x, &bits, sizeof x);
    return x;
  }
  int exponent;
  double fraction = frexp(x, &exponent);
  return ldexp(1, fraction > 0.70710678118654752 ? exponent : exponent - 1);
}

// Sum of (J d)^2 of row r over the columns that have a scale already (d > 0).
static double row_norm(const hn_saddle *self, int r, const double *j_values) {
  const int *columns = &self->index[self->start[self->n + r]];
  int count = self->diagonal[self->n + r] - self->start[self->n + r];
  double sum = 0;
  for (int k = 0; k < count; k++) {
    double entry = j_values[k] * self->scale[columns[k]];
    sum += entry * entry;
  }
  return sum;
}

// Columns with (almost) no mass of their own: rotations of point masses, the axis of a thin rod.
// They take the scale at which the rows that hold them see them as large as the other columns; one
// whose mass still counts there (within 1e6) keeps its own.
static void scale_light_columns(hn_saddle *self, const double *m_diagonal_of,
                                const double *j_values, double *wanted) {
  const double *j = j_values;
  for (int i = 0; i < self->n; i++) wanted[i] = 0;
  for (int r = 0; r < self->m; r++) {
    const int *columns = &self->index[self->start[self->n + r]];
    int count = self->diagonal[self->n + r] - self->start[self->n + r];
    double others = row_norm(self, r, j);
    for (int k = 0; k < count; k++) {
      if (self->scale[columns[k]] > 0) continue;
      double want = others > 0 ? j[k] * j[k] / others : j[k] * j[k];
      if (want > wanted[columns[k]]) wanted[columns[k]] = want;
    }
    j += count;
  }
  for (int i = 0; i < self->n; i++) {
    if (self->scale[i] > 0) continue;
    double by_rows = wanted[i] > 0 ? 1 / sqrt(wanted[i]) : 0;
    double by_mass = m_diagonal_of[i] > 0 ? 1 / sqrt(m_diagonal_of[i]) : 0;
    if (by_rows > 0 && (by_mass <= 0 || by_mass > 1e6 * by_rows))
      self->scale[i] = by_rows;
    else
      self->scale[i] = by_mass > 0 ? by_mass : 1;
  }
}

void hn_saddle_find_scales(hn_saddle *self, const double *m_values, const double *j_values) {
  double *diagonal = self->step, most = 0;
  int light = 0;
  for (int i = 0; i < self->n; i++) {
    diagonal[i] = m_values[self->diagonal[i]];
    if (diagonal[i] > most) most = diagonal[i];
  }
  for (int i = 0; i < self->n; i++) {
    int is_light = !(diagonal[i] > 1e-13 * most);
    light += is_light;
    self->scale[i] = is_light ? 0 : 1 / sqrt(diagonal[i]);
  }
  if (light > 0) scale_light_columns(self, diagonal, j_values, self->trial);
  for (int i = 0; i < self->n; i++) self->scale[i] = power_of_two(self->scale[i]);
  for (int r = 0; r < self->m; r++) {
    const double *row = j_values;
    j_values += self->diagonal[self->n + r] - self->start[self->n + r];
    self->scale[self->n + r] = 0;
    if (self->released[self->n + r]) continue;
    double norm = row_norm(self, r, row);
    if (self->row_floor && !(norm > self->row_floor[r])) norm = self->row_floor[r];
    self->scale[self->n + r] = norm > 0 ? power_of_two(1 / sqrt(norm)) : 1;
  }
}
