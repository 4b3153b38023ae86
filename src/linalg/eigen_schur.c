// Hessenberg form by reflections, then double QR steps with implicit shifts (Francis), with
// everything applied to Z. A subdiagonal entry that is only rounding error of its neighbors is
// zero.
#include "linalg/eigen_schur.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "math/complex_number.h"
#include "math/elementary.h"

enum { STEPS = 60 }; // for one value; two or three are usual

#define AT(matrix, i, j) (matrix)[(size_t)(j) * (size_t)n + (size_t)(i)]

// ---- Hessenberg form ----------------------------------------------------------------------------

// (1 - beta v v') from the left on rows first ... last of columns from ... to - 1, or from the right on
// columns first ... last of rows 0 ... to - 1. v counts from `first`.
static void from_left(double *a, int n, const double *v, double beta, int first, int last, int from,
                      int to) {
  for (int j = from; j < to; j++) {
    double *column = &AT(a, 0, j), sum = 0;
    for (int i = first; i <= last; i++) sum += v[i - first] * column[i];
    sum *= beta;
    for (int i = first; i <= last; i++) column[i] -= sum * v[i - first];
  }
}

static void from_right(double *a, int n, const double *v, double beta, int first, int last,
                       int to) {
  for (int i = 0; i < to; i++) {
    double sum = 0;
    for (int j = first; j <= last; j++) sum += v[j - first] * AT(a, i, j);
    sum *= beta;
    for (int j = first; j <= last; j++) AT(a, i, j) -= sum * v[j - first];
  }
}

// The same for long reflectors, column by column: sums (n) is work space.
static void from_right_long(double *a, int n, const double *v, double beta, int first,
                            double *sums) {
  memset(sums, 0, (size_t)n * sizeof(double));
  for (int j = first; j < n; j++)
    for (int i = 0; i < n; i++) sums[i] += v[j - first] * AT(a, i, j);
  for (int j = first; j < n; j++)
    for (int i = 0; i < n; i++) AT(a, i, j) -= beta * v[j - first] * sums[i];
}

// v with (1 - beta v v') x = (length, 0, ...); returns beta, 0 where x is that already.
static double reflector(const double *x, int count, double *v) {
  double most = 0, square = 0, rest = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  for (int i = 1; i < count; i++) rest = fmax(rest, fabs(x[i]));
  if (!(rest > 0)) return 0;
  for (int i = 0; i < count; i++) {
    v[i] = x[i] / most;
    square += v[i] * v[i];
  }
  const double length = v[0] > 0 ? -sqrt(square) : sqrt(square), first = v[0];
  v[0] -= length;
  return 2 / (square - first * first + v[0] * v[0]);
}

static void to_hessenberg(double *a, double *z, int n, double *v) {
  for (int i = 0; i < n; i++) AT(z, i, i) = 1;
  for (int k = 0; k + 2 < n; k++) {
    const double beta = reflector(&AT(a, k + 1, k), n - k - 1, v);
    if (beta == 0) continue;
    double *sums = v + n;
    from_left(a, n, v, beta, k + 1, n - 1, k, n);
    from_right_long(a, n, v, beta, k + 1, sums);
    from_right_long(z, n, v, beta, k + 1, sums);
    for (int i = k + 2; i < n; i++) AT(a, i, k) = 0;
  }
}

// ---- QR steps -----------------------------------------------------------------------------------

typedef struct schur {
  double *a, *z;
  int n;
  double norm;
} schur;

// The block that ends at row `high` starts where a subdiagonal entry is negligible.
static int find_begin(const schur *s, int high) {
  const int n = s->n;
  for (int l = high; l > 0; l--) {
    double around = fabs(AT(s->a, l - 1, l - 1)) + fabs(AT(s->a, l, l)) + fabs(AT(s->a, l - 1, l));
    if (l > 1) around += fabs(AT(s->a, l - 1, l - 2)); // undamped models have no diagonal
    if (l < high) around += fabs(AT(s->a, l + 1, l));
    if (!(around > 0)) around = s->norm;
    if (fabs(AT(s->a, l, l - 1)) <= DBL_EPSILON * around) {
      AT(s->a, l, l - 1) = 0;
      return l;
    }
  }
  return 0;
}

// Sum and product of the two shifts, those of the last 2 x 2 block but for steps that go nowhere.
static void choose_shifts(const schur *s, int high, int step, double *sum, double *product) {
  const int n = s->n;
  const double a = AT(s->a, high - 1, high - 1), b = AT(s->a, high - 1, high),
               c = AT(s->a, high, high - 1), d = AT(s->a, high, high);
  *sum = a + d;
  *product = a * d - b * c;
  if (step % 10 != 0) return;
  const double size = fabs(c) + fabs(AT(s->a, high - 1, high - 2));
  *sum = 1.5 * size;
  *product = size * size;
}

static void step(const schur *s, int low, int high, int count) {
  const int n = s->n;
  double sum, product, v[3];
  choose_shifts(s, high, count, &sum, &product);
  const double first = AT(s->a, low, low), below = AT(s->a, low + 1, low);
  double x[3] = {
      first * first + AT(s->a, low, low + 1) * below - sum * first + product,
      below * (first + AT(s->a, low + 1, low + 1) - sum),
      below * AT(s->a, low + 2, low + 1),
  };
  for (int k = low; k < high; k++) {
    const int last = k + 2 <= high ? k + 2 : high, size = last - k + 1;
    if (k > low)
      for (int i = 0; i < size; i++) x[i] = AT(s->a, k + i, k - 1);
    const double beta = reflector(x, size, v);
    if (beta == 0) continue;
    from_left(s->a, n, v, beta, k, last, k > low ? k - 1 : k, n);
    from_right(s->a, n, v, beta, k, last, (last + 1 <= high ? last + 1 : high) + 1);
    from_right(s->z, n, v, beta, k, last, n);
    for (int i = k + 1; k > low && i <= last; i++) AT(s->a, i, k - 1) = 0;
  }
}

// A block of two: real values are brought onto the diagonal by a rotation.
static void split(const schur *s, int k, double *real, double *imaginary) {
  const int n = s->n;
  const double a = AT(s->a, k, k), b = AT(s->a, k, k + 1), c = AT(s->a, k + 1, k),
               d = AT(s->a, k + 1, k + 1), p = (a - d) / 2, inside = p * p + b * c;
  if (inside < 0) {
    real[k] = real[k + 1] = (a + d) / 2;
    imaginary[k] = sqrt(-inside);
    imaginary[k + 1] = -imaginary[k];
    return;
  }
  const double root = p + (p < 0 ? -sqrt(inside) : sqrt(inside));
  const double value = d + root; // of largest distance from d: (value - d, c) is its vector
  const double length = hn_hypot(value - d, c);
  const double cosine = length > 0 ? (value - d) / length : 1, sine = length > 0 ? c / length : 0;
  for (int j = k; j < n; j++) {
    const double x = AT(s->a, k, j), y = AT(s->a, k + 1, j);
    AT(s->a, k, j) = cosine * x + sine * y;
    AT(s->a, k + 1, j) = cosine * y - sine * x;
  }
  for (int i = 0; i < n; i++) {
    double x = AT(s->z, i, k), y = AT(s->z, i, k + 1);
    AT(s->z, i, k) = cosine * x + sine * y;
    AT(s->z, i, k + 1) = cosine * y - sine * x;
    if (i > k + 1) continue;
    x = AT(s->a, i, k), y = AT(s->a, i, k + 1);
    AT(s->a, i, k) = cosine * x + sine * y;
    AT(s->a, i, k + 1) = cosine * y - sine * x;
  }
  AT(s->a, k + 1, k) = 0;
  for (int i = k; i < k + 2; i++) {
    real[i] = AT(s->a, i, i);
    imaginary[i] = 0;
  }
}

hn_status hn_schur(double *a, double *z, int n, double *column, double *real, double *imaginary) {
  schur s = {.a = a, .z = z, .n = n};
  memset(z, 0, (size_t)n * (size_t)n * sizeof(double));
  to_hessenberg(a, z, n, column);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) s.norm = fmax(s.norm, fabs(AT(a, i, j)));
  for (int high = n - 1, count = 0; high >= 0;) {
    const int low = find_begin(&s, high);
    if (low + 1 < high) {
      if (++count > STEPS) return HN_ERROR_CONVERGENCE;
      step(&s, low, high, count);
      continue;
    }
    if (low == high) {
      real[high] = AT(a, high, high);
      imaginary[high] = 0;
    } else {
      split(&s, low, real, imaginary);
    }
    high = low - 1;
    count = 0;
  }
  return HN_OK;
}

// ---- vectors ------------------------------------------------------------------------------------

// y_i (and y_i-1 of a block) from those behind. Returns the next row.
static int substitute(const double *t, int n, int i, int last, double complex value, double tiny,
                      double complex *y) {
  double complex right = 0, above = 0;
  for (int j = i + 1; j <= last; j++) right -= AT(t, i, j) * y[j];
  if (i == 0 || AT(t, i, i - 1) == 0) {
    double complex pivot = AT(t, i, i) - value;
    if (complex_magnitude(pivot) < tiny) pivot = tiny;
    y[i] = complex_quotient(right, pivot);
    return i - 1;
  }
  for (int j = i + 1; j <= last; j++) above -= AT(t, i - 1, j) * y[j];
  const double complex a = AT(t, i - 1, i - 1) - value, d = AT(t, i, i) - value;
  double complex determinant = a * d - AT(t, i - 1, i) * AT(t, i, i - 1);
  if (complex_magnitude(determinant) < tiny * tiny) determinant = tiny * tiny;
  y[i - 1] = complex_quotient(d * above - AT(t, i - 1, i) * right, determinant);
  y[i] = complex_quotient(a * right - AT(t, i, i - 1) * above, determinant);
  return i - 2;
}

// Vectors that grow on the way are made smaller.
static void keep_size(double complex *y, int from, int last) {
  double most = 0;
  for (int i = from; i <= last; i++) most = fmax(most, complex_magnitude(y[i]));
  if (!(most > 1e100)) return;
  for (int i = from; i <= last; i++) y[i] /= most;
}

void hn_schur_vector(const double *t, const double *z, int n, int k, double complex value,
                     double complex *x) {
  double complex *y = x + n;
  double most = 0;
  for (int i = 0; i < n; i++) y[i] = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(t[i]));
  int last = k;
  if (cimag(value) == 0) {
    y[k] = 1;
  } else {
    last = cimag(value) > 0 ? k + 1 : k; // of the block
    const int first = last - 1;
    y[last] = 1;
    y[first] = (value - AT(t, last, last)) / AT(t, last, first);
    k = first;
  }
  for (int i = k - 1; i >= 0;) {
    const int next = substitute(t, n, i, last, value, DBL_EPSILON * most, y);
    keep_size(y, next + 1, last);
    i = next;
  }
  for (int i = 0; i < n; i++) x[i] = 0;
  for (int j = 0; j <= last; j++)
    for (int i = 0; i < n; i++) x[i] += AT(z, i, j) * y[j];
}
