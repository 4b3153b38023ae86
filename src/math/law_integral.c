// The antiderivative of a law of segments: zero where the law is zero.
//
// A spring's potential is the antiderivative of its force. Where the law has zeros the
// antiderivative starts at the one where it is least (a spring at rest), else at x = 0. Each
// segment has an anchor a: that zero, or the end from which the segment is reached, and
//
//   integral = constant + sum d_i u^(i+1) / (i + 1),  u = x - a,  d the Taylor coefficients at a
//
// so that a stiff spring near its free length loses no digits, whatever that length is.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/law_private.h"

enum { MOST = 32 }; // coefficients of a polynomial whose zeros are looked for
enum { BISECTIONS = 200 };

// ---- zeros of a polynomial ----------------------------------------------------------------------

static double horner(const double *c, int count, double s) {
  double value = 0;
  for (int i = count - 1; i >= 0; i--) value = value * s + c[i];
  return value;
}

// A zero between low and high, where the signs differ.
static double bisect(const double *c, int count, double low, double high) {
  double at_low = horner(c, count, low);
  for (int k = 0; k < BISECTIONS; k++) {
    double middle = 0.5 * (low + high), value = horner(c, count, middle);
    if (value == 0 || !(middle > low && middle < high)) return middle;
    if ((value < 0) == (at_low < 0))
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

// Zeros of c_0 + c_1 s + ... from low to high, ascending: between those of the derivative, and at
// them for double zeros.
static int zeros_between(const double *c, int count, double low, double high, double *zeros) {
  double d[MOST], turns[MOST + 2], found[MOST];
  int turn_count = 0;
  for (int order = count - 2; order >= 0; order--) { // of the derivatives, from the straight one on
    int n = count - order, found_count = 0;
    for (int i = 0; i < n; i++) {
      d[i] = c[i + order];
      for (int k = 1; k <= order; k++) d[i] *= i + k;
    }
    double from = low;
    for (int k = 0; k <= turn_count; k++) {
      double to = k < turn_count ? turns[k] : high;
      double at_from = horner(d, n, from), at_to = horner(d, n, to);
      if (at_from == 0)
        found[found_count++] = from;
      else if ((at_from < 0) != (at_to < 0) && at_to != 0)
        found[found_count++] = n == 2 ? -d[0] / d[1] : bisect(d, n, from, to);
      if (k == turn_count && at_to == 0 && to > from && found_count < MOST)
        found[found_count++] = to;
      from = to;
    }
    turn_count = found_count;
    memcpy(turns, found, (size_t)found_count * sizeof(double));
  }
  memcpy(zeros, turns, (size_t)turn_count * sizeof(double));
  return turn_count;
}

// No zero is further from 0 than this (Cauchy); 0 for the zero polynomial.
static double zero_bound(const double *c, int *count) {
  while (*count > 0 && c[*count - 1] == 0) (*count)--;
  double most = 0;
  for (int i = 0; i + 1 < *count; i++) most = fmax(most, fabs(c[i] / c[*count - 1]));
  return 1 + most;
}

// ---- where the integral starts ------------------------------------------------------------------

typedef struct start {
  int segment; // -1: none was found
  int is_zero; // the law is 0 there
  double x, integral;
} start;

// By the polynomial of the segment in its own variable, without constants.
static double plain_integral(const hn_law *law, int segment, double x) {
  const double *c = law->coefficients + (size_t)segment * (size_t)law->count;
  double s = x - law->origins[segment], integral = 0;
  for (int i = law->count - 1; i >= 0; i--) integral = integral * s + c[i] / (i + 1);
  return integral * s;
}

static double value_at(const hn_law *law, int segment, double x) {
  return horner(law->coefficients + (size_t)segment * (size_t)law->count, law->count,
                x - law->origins[segment]);
}

static void offer(start *best, start candidate) {
  if (!isfinite(candidate.x)) return;
  if (best->segment < 0 || candidate.integral < best->integral) *best = candidate;
}

// Zeros of one segment; `constant` is what its plain integral lacks.
static void offer_segment(const hn_law *law, int k, double constant, start *best) {
  const double *c = law->coefficients + (size_t)k * (size_t)law->count;
  double zeros[MOST], low = k > 0 ? law->breaks[k - 1] - law->origins[k] : -HUGE_VAL;
  double high = k + 1 < law->segments ? law->breaks[k] - law->origins[k] : HUGE_VAL;
  int count = law->count, found = 0;
  double bound = zero_bound(c, &count);
  if (count == 0) { // nothing on the whole segment
    zeros[found++] = fmin(fmax(-law->origins[k], low), high);
  } else if (count == 2) {
    zeros[found] = -c[0] / c[1];
    found += zeros[0] >= low && zeros[0] <= high;
  } else if (count > 2 && count <= MOST - 4 && isfinite(bound) && low < bound && high > -bound) {
    found = zeros_between(c, count, fmax(low, -bound), fmin(high, bound), zeros);
  }
  for (int i = 0; i < found; i++) {
    double x = law->origins[k] + zeros[i];
    offer(best, (start){k, 1, x, constant + plain_integral(law, k, x)});
  }
}

// Zeros, and jumps over zero that hold x as a zero would.
static start find_start(const hn_law *law) {
  start best = {.segment = -1};
  double constant = 0;
  for (int k = 0; k < law->segments; k++) {
    if (k > 0) {
      double x = law->breaks[k - 1];
      constant += plain_integral(law, k - 1, x) - plain_integral(law, k, x);
      if (value_at(law, k - 1, x) < 0 && value_at(law, k, x) > 0)
        offer(&best, (start){k, 0, x, constant + plain_integral(law, k, x)});
    }
    offer_segment(law, k, constant, &best);
  }
  if (best.segment >= 0) return best;
  int k = 0;
  while (k + 1 < law->segments && 0 >= law->breaks[k]) k++;
  return (start){.segment = k};
}

// ---- anchors ------------------------------------------------------------------------------------

// The Taylor coefficients of segment k at x, over i + 1.
static void set_anchor(hn_law *law, int k, double x, double constant) {
  size_t first = (size_t)k * (size_t)law->count;
  double *d = law->integrals + first, s = x - law->origins[k];
  memcpy(d, law->coefficients + first, (size_t)law->count * sizeof(double));
  for (int j = 0; j + 1 < law->count; j++)
    for (int i = law->count - 2; i >= j; i--) d[i] += s * d[i + 1];
  for (int i = 0; i < law->count; i++) d[i] /= i + 1;
  law->anchors[k] = x;
  law->constants[k] = constant;
}

hn_status hn_law_connect_segments(hn_law *law, hn_error *error) {
  start begin = find_start(law);
  int k = begin.segment;
  double x = begin.x;
  set_anchor(law, k, x, 0);
  if (begin.is_zero)
    law->integrals[(size_t)k * (size_t)law->count] = 0; // the remainder is
                                                        // rounding
  for (int i = k + 1; i < law->segments; i++) {
    x = law->breaks[i - 1];
    set_anchor(law, i, x, hn_law_integral(law, i - 1, x));
    if (!isfinite(law->constants[i])) break;
  }
  for (int i = k - 1; i >= 0 && isfinite(law->constants[k]); i--) {
    x = law->breaks[i];
    set_anchor(law, i, x, hn_law_integral(law, i + 1, x));
  }
  for (int i = 0; i < law->segments; i++)
    if (!isfinite(law->constants[i]))
      return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL, "use smaller values",
                     "the integral of a function is not finite at %g", law->anchors[i]);
  return HN_OK;
}
