// Laws through points beyond the plain table: cubics by slopes (monotone, Akima), periodic ones,
// and other continuations than the tangent.
//
// With slopes b_i at the points a segment is the cubic of Hermite,
//
//   f = y_i + b_i s + c s^2 + d s^3,  c = (3 m - 2 b_i - b_(i+1)) / h,  d = (b_i + b_(i+1) - 2 m) / h^2
//
// with h = x_(i+1) - x_i and m the slope of the chord. Slopes:
//
//   monotone  0 where the chords change their direction, else the weighted harmonic mean of both
//             chords (Fritsch and Butland, "PCHIP"); ends by the parabola of three points, limited
//   Akima     chords weighted by the change of slope on the other side; two chords more beyond either
//             end, by parabolas
//   spline    those that make the second derivative continuous; periodic: over the ends as well
//
// Segment i + 1 starts at point i; segment 0 and the last lie outside. A periodic curve has the
// inner ones alone and folds x into its first period; its pieces are numbered over as many periods
// as the breakpoints of a formula may be, most of them above x = low.
#include <math.h>

#include "base/error.h"
#include "base/search.h"
#include "math/law_private.h"

typedef struct points {
  const double *x, *y;
  int count, is_periodic;
} points;

static double chord(const points *p, int i) {
  return (p->y[i + 1] - p->y[i]) / (p->x[i + 1] - p->x[i]);
}

// The chord of interval i, also beyond the ends: repeated, or by parabolas.
static double any_chord(const points *p, int i) {
  int n = p->count - 1; // intervals
  if (p->is_periodic) return chord(p, (i % n + n) % n);
  if (n == 1) return chord(p, 0);
  if (i < 0) return chord(p, 0) + i * (chord(p, 1) - chord(p, 0));
  if (i >= n) return chord(p, n - 1) + (i - n + 1) * (chord(p, n - 1) - chord(p, n - 2));
  return chord(p, i);
}

static double width(const points *p, int i) {
  int n = p->count - 1;
  i = (i % n + n) % n;
  return p->x[i + 1] - p->x[i];
}

// ---- slopes -------------------------------------------------------------------------------------

static double akima_slope(const points *p, int i) {
  double m0 = any_chord(p, i - 2), m1 = any_chord(p, i - 1), m2 = any_chord(p, i);
  double m3 = any_chord(p, i + 1), left = fabs(m1 - m0), right = fabs(m3 - m2);
  double scale = fabs(m0) + fabs(m1) + fabs(m2) + fabs(m3);
  if (!(left + right > 1e-12 * scale)) return 0.5 * (m1 + m2);
  return (right * m1 + left * m2) / (left + right);
}

// At an end, of the parabola through three points: no overshoot.
static double monotone_end(double h0, double h1, double m0, double m1) {
  double slope = ((2 * h0 + h1) * m0 - h0 * m1) / (h0 + h1);
  if (slope * m0 <= 0) return 0;
  if (m0 * m1 <= 0 && fabs(slope) > 3 * fabs(m0)) return 3 * m0;
  return slope;
}

static double monotone_slope(const points *p, int i) {
  int last = p->count - 1;
  if (!p->is_periodic && last == 1) return chord(p, 0);
  if (!p->is_periodic && i == 0)
    return monotone_end(width(p, 0), width(p, 1), chord(p, 0), chord(p, 1));
  if (!p->is_periodic && i == last)
    return monotone_end(width(p, last - 1), width(p, last - 2), chord(p, last - 1),
                        chord(p, last - 2));
  double m0 = any_chord(p, i - 1), m1 = any_chord(p, i);
  if (m0 * m1 <= 0) return 0;
  double h0 = width(p, i - 1), h1 = width(p, i), w0 = 2 * h1 + h0, w1 = h1 + 2 * h0;
  return (w0 + w1) / (w0 / m0 + w1 / m1);
}

// ---- segments -----------------------------------------------------------------------------------

static double *row(hn_law *law, int segment) { return law->coefficients + 4 * (size_t)segment; }

// From the slopes, which are in column 1 of the rows of all points but the last.
static void fill_cubics(hn_law *law, const points *p, int from, double last_slope) {
  int last = p->count - 1;
  for (int i = 0; i < last; i++) {
    double *c = row(law, from + i), h = p->x[i + 1] - p->x[i], m = chord(p, i);
    double next = i + 1 < last ? row(law, from + i + 1)[1] : last_slope;
    c[0] = p->y[i];
    c[2] = (3 * m - 2 * c[1] - next) / h;
    c[3] = (c[1] + next - 2 * m) / (h * h);
    law->origins[from + i] = p->x[i];
    if (from + i > 0) law->breaks[from + i - 1] = p->x[i];
  }
}

static void fill_lines(hn_law *law, const points *p, int from) {
  for (int i = 0; i + 1 < p->count; i++) {
    double *c = row(law, from + i);
    c[0] = p->y[i];
    c[1] = chord(p, i);
    law->origins[from + i] = p->x[i];
    if (from + i > 0) law->breaks[from + i - 1] = p->x[i];
  }
}

// Slopes of the periodic spline, n intervals:
//   b_(i-1) / h_(i-1) + 2 (1 / h_(i-1) + 1 / h_i) b_i + b_(i+1) / h_i
//     = 3 (m_(i-1) / h_(i-1) + m_i / h_i)
// The corners of the cyclic matrix are a change of rank one (Sherman and Morrison): two solutions of
// the tridiagonal rest, in places 1 and 2 of the rows.
static void periodic_slopes(hn_law *law, const points *p) {
  int n = p->count - 1;
  double corner = 1 / width(p, n - 1); // between the last and the first
  if (n == 1) {
    row(law, 0)[1] = 0;
    return;
  }
  if (n == 2) { // both neighbors are one
    double h0 = width(p, 0), h1 = width(p, 1), d = 2 * (1 / h0 + 1 / h1), e = 1 / h0 + 1 / h1;
    double f = 3 * (chord(p, 1) / h1 + chord(p, 0) / h0);
    row(law, 0)[1] = row(law, 1)[1] = f / (d + e);
    return;
  }
  for (int i = 0; i < n; i++) {
    double a = 1 / width(p, i - 1), c = 1 / width(p, i), *r = row(law, i);
    double diagonal = 2 * (a + c) - (i == 0 || i == n - 1 ? corner : 0);
    double f = 3 * (any_chord(p, i - 1) * a + any_chord(p, i) * c);
    double u = i == 0 || i == n - 1 ? corner : 0;
    if (i > 0) {
      const double *before = row(law, i - 1);
      diagonal -= a * before[3];
      f -= a * before[1];
      u -= a * before[2];
    }
    r[1] = f / diagonal;
    r[2] = u / diagonal;
    r[3] = i < n - 1 ? c / diagonal : 0;
  }
  for (int i = n - 2; i >= 0; i--) {
    row(law, i)[1] -= row(law, i)[3] * row(law, i + 1)[1];
    row(law, i)[2] -= row(law, i)[3] * row(law, i + 1)[2];
  }
  double factor = (row(law, 0)[1] + row(law, n - 1)[1]) / (1 + row(law, 0)[2] + row(law, n - 1)[2]);
  for (int i = 0; i < n; i++) row(law, i)[1] -= factor * row(law, i)[2];
}

static void fill_inside(hn_law *law, const points *p, hn_table_kind kind, int from) {
  if (kind == HN_TABLE_LINEAR) {
    fill_lines(law, p, from);
    return;
  }
  double (*slope)(const points *, int) = kind == HN_TABLE_AKIMA ? akima_slope : monotone_slope;
  int last = p->count - 1;
  if (kind == HN_TABLE_SPLINE)
    periodic_slopes(law, p);
  else
    for (int i = 0; i < last; i++) row(law, from + i)[1] = slope(p, i);
  double end = p->is_periodic ? row(law, from)[1] : slope(p, last);
  fill_cubics(law, p, from, end);
}

// Segment 0 and the last: the value at the end and, not where it is constant, the slope.
static void fill_outside(hn_law *law, const points *p, hn_table_outside outside) {
  int last = p->count - 1;
  const double *inner = row(law, last);
  double h = p->x[last] - p->x[last - 1], end = inner[1] + h * (2 * inner[2] + 3 * h * inner[3]);
  double *low = row(law, 0), *high = row(law, p->count);
  low[0] = p->y[0];
  low[1] = outside == HN_TABLE_HOLD ? 0 : row(law, 1)[1];
  low[2] = low[3] = high[2] = high[3] = 0;
  high[0] = p->y[last];
  high[1] = outside == HN_TABLE_HOLD ? 0 : end;
  law->origins[0] = p->x[0];
  law->origins[p->count] = law->breaks[last] = p->x[last];
}

// ---- pieces -------------------------------------------------------------------------------------

// Whether the law has a breakpoint where segment k starts. The first of a periodic one: at its
// ends.
static int has_kink(const hn_law *law, const hn_table_options *options, int k) {
  int is_end = !options->is_periodic && (k == 1 || k == law->segments - 1);
  if (options->kind == HN_TABLE_LINEAR) // the tangent continues straight
    return !is_end || options->outside != HN_TABLE_TANGENT;
  if (is_end && options->outside == HN_TABLE_HOLD) return 1;
  return options->kind != HN_TABLE_SPLINE && options->is_motion;
}

static void set_pieces(hn_law *law, const hn_table_options *options) {
  law->pieces = 1;
  law->first[0] = 0;
  for (int k = 1; k < law->segments; k++)
    if (has_kink(law, options, k)) law->first[law->pieces++] = k;
  law->periods = 1;
  if (!options->is_periodic || !has_kink(law, options, 0)) return;
  law->periods = HN_LAW_KINKS / law->pieces > 1 ? HN_LAW_KINKS / law->pieces : 1;
  law->before = law->periods / 8;
  law->pieces *= law->periods;
}

static hn_status check_options(const double *x, const double *y, int count,
                               const hn_table_options *options, hn_error *error) {
  hn_status status = hn_table_check(x, y, count, error);
  if (status != HN_OK) return status;
  if ((unsigned)options->kind > HN_TABLE_AKIMA || (unsigned)options->outside > HN_TABLE_REFUSE)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "use one of hn_table_kind and one of hn_table_outside",
                   "the table has the unknown kind %d or end %d", (int)options->kind,
                   (int)options->outside);
  if (!options->is_periodic) return HN_OK;
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(y[i]));
  if (fabs(y[count - 1] - y[0]) > 1e-9 * most)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "set the last value to the first value",
                   "a periodic table starts with %.9g and ends with %.9g", y[0], y[count - 1]);
  return HN_OK;
}

hn_status hn_law_curve(const double *x, const double *y, int count, const hn_table_options *options,
                       const hn_allocator *allocator, hn_law **law, hn_error *error) {
  *law = NULL;
  hn_status status = check_options(x, y, count, options, error);
  if (status != HN_OK) return status;
  int is_plain = !options->is_periodic && options->outside == HN_TABLE_TANGENT;
  if (is_plain && (options->kind == HN_TABLE_SPLINE || options->kind == HN_TABLE_LINEAR))
    return hn_law_table(x, y, count, options->kind, allocator, law, error);
  hn_law *made = NULL;
  int segments = options->is_periodic ? count - 1 : count + 1;
  status = hn_law_allocate_segments(segments, 4, HN_LAW_TABLE, allocator, &made, error);
  if (status != HN_OK) return status;
  points p = {x, y, count, options->is_periodic};
  if (options->kind == HN_TABLE_SPLINE && !options->is_periodic)
    hn_table_fill_spline(made, x, y, count);
  else
    fill_inside(made, &p, options->kind, options->is_periodic ? 0 : 1);
  if (!options->is_periodic) fill_outside(made, &p, options->outside);
  made->first = (int *)(void *)(made->integrals + 4 * (size_t)segments);
  made->low = x[0];
  made->high = x[count - 1];
  made->is_bounded = !options->is_periodic && options->outside == HN_TABLE_REFUSE;
  made->period = options->is_periodic ? made->high - made->low : 0;
  set_pieces(made, options);
  status = hn_table_finish(made, x, y, law, error);
  if (status == HN_OK && options->is_periodic)
    made->rise =
        hn_law_integral(made, segments - 1, made->high) - hn_law_integral(made, 0, made->low);
  return status;
}

// ---- use ----------------------------------------------------------------------------------------

static int pieces_in_period(const hn_law *law) { return law->pieces / law->periods; }

// The piece of one period that holds a segment.
static int piece_of_segment(const hn_law *law, int segment) {
  return hn_first_from(law->first, 1, pieces_in_period(law), segment + 1) - 1;
}

static double period_of(const hn_law *law, double x) {
  return law->period > 0 ? floor((x - law->low) / law->period) : 0;
}

int hn_curve_piece(const hn_law *law, double x) {
  if (law->pieces == 1 || isnan(x)) return 0;
  double n = period_of(law, x);
  int piece = piece_of_segment(law, hn_law_segment(law, x - n * law->period));
  if (law->periods == 1) return piece;
  n += law->before;
  if (n < 0) return 0;
  if (n >= law->periods) return law->pieces - 1;
  return (int)n * pieces_in_period(law) + piece;
}

double hn_curve_kink(const hn_law *law, int k) {
  int in_period = pieces_in_period(law), segment = law->first[k % in_period];
  double x = segment > 0 ? law->breaks[segment - 1] : law->low;
  return x + (k / in_period - law->before) * law->period;
}

// On a piece in the middle: by its own segments, beyond its ends by the outermost of them.
static int segment_in_piece(const hn_law *law, int piece, double x) {
  int in_period = pieces_in_period(law), segment = hn_law_segment(law, x);
  int low = law->first[piece];
  int high = piece + 1 < in_period ? law->first[piece + 1] - 1 : law->segments - 1;
  return segment < low ? low : segment > high ? high : segment;
}

hn_law_value hn_curve_evaluate(const hn_law *law, int piece, double x) {
  double n = period_of(law, x);
  int in_period = pieces_in_period(law), segment;
  double reach = 1e-9 * (law->high - law->low);
  if (law->is_bounded && !(x >= law->low - reach && x <= law->high + reach))
    return (hn_law_value){NAN, NAN, NAN, NAN, NAN};
  int is_row = law->periods > 1; // whose first and last piece represent all beyond
  if (piece < 0 || law->pieces == 1 || (is_row && (piece == 0 || piece >= law->pieces - 1))) {
    segment = hn_law_segment(law, x - n * law->period);
  } else {
    if (piece >= law->pieces) piece = law->pieces - 1;
    if (is_row) n = piece / in_period - law->before;
    segment = segment_in_piece(law, piece % in_period, x - n * law->period);
  }
  hn_law_value value = hn_law_evaluate_segment(law, segment, x - n * law->period);
  value.integral += n * law->rise;
  return value;
}
