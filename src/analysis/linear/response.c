// Frequency response from A, B, C, D: y = (C (i w - A)^-1 B(i w) + D(i w)) u, and Bode diagrams.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "holon/linear.h"
#include "linalg/rank.h"
#include "math/elementary.h"

#define PI 3.14159265358979323846

// Value, rate and acceleration of a harmonic input: 1, i w, -w^2 times three columns.
static void combine(const double *value, const double *rate, const double *acceleration, size_t at,
                    double w, double *real, double *imaginary) {
  *real = value[at] - (acceleration != NULL ? w * w * acceleration[at] : 0);
  *imaginary = rate != NULL ? w * rate[at] : 0;
}

// [-A, -w; w, -A] [x; y] = [real; imaginary] of B, by columns: the real form of i w - A. 0: i w is
// an eigenvalue.
static int solve(const hn_linear *l, int input, double w, double *matrix, int *pivots, double *x) {
  const size_t n = (size_t)l->state_count, width = 2 * n;
  memset(matrix, 0, width * width * sizeof *matrix);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      matrix[j * width + i] = matrix[(n + j) * width + n + i] = -l->a[i * n + j];
    matrix[(n + i) * width + i] -= w;
    matrix[i * width + n + i] += w;
    combine(l->b, l->b_rate, l->b_acceleration, i * (size_t)l->input_count + (size_t)input, w,
            &x[i], &x[n + i]);
  }
  if (hn_dense_lu(matrix, (int)width, pivots) != 0) return 0;
  hn_dense_lu_solve(matrix, (int)width, pivots, x);
  return 1;
}

hn_status hn_linear_response(const hn_linear *l, int input, double frequency, double *y) {
  const size_t n = (size_t)l->state_count;
  if (l->a == NULL || input < 0 || input >= l->input_count) return HN_ERROR_ARGUMENT;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  double *matrix = HN_TAKE(&arena, double, 4 * n * n + 1), *x = HN_TAKE(&arena, double, 2 * n + 1);
  int *pivots = HN_TAKE(&arena, int, 2 * n + 1);
  const double w = 2 * PI * frequency;
  hn_status status = matrix && x && pivots ? HN_OK : HN_ERROR_MEMORY;
  if (status == HN_OK && !solve(l, input, w, matrix, pivots, x)) status = HN_ERROR_SINGULAR;
  for (size_t o = 0; status == HN_OK && o < (size_t)l->output_count; o++) {
    combine(l->d, l->d_rate, l->d_acceleration, o * (size_t)l->input_count + (size_t)input, w,
            &y[2 * o], &y[2 * o + 1]);
    for (size_t i = 0; i < n; i++) {
      y[2 * o] += l->c[o * n + i] * x[i];
      y[2 * o + 1] += l->c[o * n + i] * x[n + i];
    }
  }
  hn_arena_release(&arena);
  return status;
}

// ---- Bode -----------------------------------------------------------------------------------------

// From a tenth of the lowest eigenfrequency to ten times the highest, at most six decades.
static void find_range(const hn_linear *l, double *low, double *high) {
  *low = HUGE_VAL;
  *high = 0;
  for (int k = 0; k < l->eigenvalue_count; k++) {
    const double f = l->eigenvalues[k].frequency;
    if (!(f > 0)) continue;
    *low = fmin(*low, f);
    *high = fmax(*high, f);
  }
  if (!(*high > 0)) *low = *high = 1;
  *low = fmax(*low / 10, *high * 1e-5);
  *high *= 10;
}

// Unwraps a phase: adds the full turn that is closest to the phase before.
static double unwrap(double phase, double before) {
  while (phase - before > 180) phase -= 360;
  while (phase - before < -180) phase += 360;
  return phase;
}

hn_status hn_linear_bode(const hn_linear *l, int input, int output, int count, double *frequency,
                         double *gain, double *phase) {
  double low, high, before = 0;
  if (output < 0 || output >= l->output_count) return HN_ERROR_ARGUMENT;
  double *y = hn_allocate(NULL, 2 * (size_t)l->output_count * sizeof *y);
  if (y == NULL) return HN_ERROR_MEMORY;
  find_range(l, &low, &high);
  hn_status status = HN_OK;
  for (int k = 0; k < count && status == HN_OK; k++) {
    frequency[k] = count > 1 ? low * hn_pow(high / low, k / (count - 1.0)) : low;
    status = hn_linear_response(l, input, frequency[k], y);
    const int is_there = status == HN_OK && hn_hypot(y[2 * output], y[2 * output + 1]) > 0;
    if (status == HN_ERROR_SINGULAR) status = HN_OK; // a gap, as where nothing comes through
    gain[k] = is_there ? hn_hypot(y[2 * output], y[2 * output + 1]) : NAN;
    if (is_there) before = unwrap(hn_atan2(y[2 * output + 1], y[2 * output]) * 180 / PI, before);
    phase[k] = before;
  }
  hn_release(NULL, y);
  return status;
}
