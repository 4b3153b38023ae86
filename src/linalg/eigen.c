// Eigenvalues and vectors of a symmetric matrix: A = Q T Q' with T tridiagonal by Householder
// reflections, then T is diagonalized by implicit QL steps with Wilkinson's shift, each rotation
// applied to the columns of Q.
#include <math.h>
#include <string.h>

#include "linalg/rank.h"
#include "math/elementary.h"

enum { STEPS = 60 }; // QL steps for one value; two or three are usual

// The reflector that takes x(0 .. n - 1) onto its last entry, unit length in x; returns that entry.
static double last_reflector(double *x, int n) {
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  double rest = 0;
  for (int i = 0; i + 1 < n; i++) rest = fmax(rest, fabs(x[i]));
  double last = x[n - 1];
  if (!(rest > 0)) {
    memset(x, 0, (size_t)n * sizeof(double));
    return last;
  }
  for (int i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
  double length = most * sqrt(sum), beta = last > 0 ? -length : length;
  x[n - 1] -= beta;
  sum = 0;
  for (int i = 0; i < n; i++) sum += (x[i] / most) * (x[i] / most);
  double scale = 1 / (most * sqrt(sum));
  for (int i = 0; i < n; i++) x[i] *= scale;
  return beta;
}

// A -> (1 - 2 v v') A (1 - 2 v v') on the leading n x n part: A -= 2 v p' + 2 p v' with
// p = A v - (v'A v) v. Both triangles are kept.
static void reflect_both(double *a, int stride, int n, const double *v, double *p) {
  double inner = 0;
  for (int i = 0; i < n; i++) p[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) p[i] += a[(size_t)j * (size_t)stride + (size_t)i] * v[j];
  for (int i = 0; i < n; i++) inner += v[i] * p[i];
  for (int i = 0; i < n; i++) p[i] -= inner * v[i];
  for (int j = 0; j < n; j++) {
    double *column = &a[(size_t)j * (size_t)stride];
    for (int i = 0; i < n; i++) column[i] -= 2 * (v[i] * p[j] + p[i] * v[j]);
  }
}

// Column k of a keeps the reflector that cleared it, from the last to the third; diagonal and
// subdiagonal (below place i at subdiagonal[i]) are taken out on the way.
static void tridiagonal(double *a, int n, double *diagonal, double *subdiagonal) {
  for (int k = n - 1; k >= 0; k--) {
    double *column = &a[(size_t)k * (size_t)n];
    diagonal[k] = column[k];
    if (k == 0) break;
    subdiagonal[k - 1] = last_reflector(column, k);
    double keep = subdiagonal[k - 1];
    reflect_both(a, n, k, column, subdiagonal); // its first k places are free
    subdiagonal[k - 1] = keep;
  }
}

// Replaces the reflectors by Q = H(n-1) ... H(1), growing from the leading corner.
static void accumulate(double *a, int n) {
  for (int k = 0; k < n; k++) {
    double *v = &a[(size_t)k * (size_t)n]; // reflector of the leading k x k part
    for (int j = 0; j < k; j++) {
      double *column = &a[(size_t)j * (size_t)n], sum = 0;
      for (int i = 0; i < k; i++) sum += v[i] * column[i];
      for (int i = 0; i < k; i++) column[i] -= 2 * sum * v[i];
    }
    for (int i = 0; i < n; i++) v[i] = 0;
    for (int j = 0; j < k; j++) a[(size_t)j * (size_t)n + (size_t)k] = 0;
    v[k] = 1;
  }
}

static void rotate_columns(double *x, double *y, int n, double c, double s) {
  for (int i = 0; i < n; i++) {
    double keep = y[i];
    y[i] = s * x[i] + c * keep;
    x[i] = c * x[i] - s * keep;
  }
}

// One implicit QL step on places from .. to.
static void ql_step(double *d, double *e, int from, int to, double *q, int n) {
  double g = (d[from + 1] - d[from]) / (2 * e[from]), r = hn_hypot(g, 1);
  g = d[to] - d[from] + e[from] / (g + copysign(r, g));
  double c = 1, s = 1, p = 0;
  for (int i = to - 1; i >= from; i--) {
    double f = s * e[i], b = c * e[i];
    r = hn_hypot(f, g);
    e[i + 1] = r;
    if (!(r > 0)) { // the matrix falls apart here
      d[i + 1] -= p;
      e[to] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1] - p;
    r = (d[i] - g) * s + 2 * c * b;
    p = s * r;
    d[i + 1] = g + p;
    g = c * r - b;
    rotate_columns(&q[(size_t)i * (size_t)n], &q[(size_t)(i + 1) * (size_t)n], n, c, s);
  }
  d[from] -= p;
  e[from] = g;
  e[to] = 0;
}

static int diagonalize(double *d, double *e, double *q, int n) {
  e[n - 1] = 0;
  for (int from = 0; from < n; from++)
    for (int step = 0;; step++) {
      int to = from;
      while (to + 1 < n && fabs(e[to]) > 1.1e-16 * (fabs(d[to]) + fabs(d[to + 1]))) to++;
      if (to == from) break;
      if (step == STEPS) return 1;
      ql_step(d, e, from, to, q, n);
    }
  return 0;
}

static void sort_ascending(double *values, double *q, int n) {
  for (int i = 0; i < n; i++) {
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (values[j] < values[least]) least = j;
    if (least == i) continue;
    double keep = values[i];
    values[i] = values[least];
    values[least] = keep;
    for (int k = 0; k < n; k++) {
      keep = q[(size_t)i * (size_t)n + (size_t)k];
      q[(size_t)i * (size_t)n + (size_t)k] = q[(size_t)least * (size_t)n + (size_t)k];
      q[(size_t)least * (size_t)n + (size_t)k] = keep;
    }
  }
}

int hn_eigen_symmetric(double *a, int n, double *values, double *work) {
  if (n == 0) return 0;
  tridiagonal(a, n, values, work);
  accumulate(a, n);
  int failed = diagonalize(values, work, a, n);
  sort_ascending(values, a, n);
  return failed;
}
