// A P = Q [R S; 0 0] by Householder reflections with column pivoting; where columns depend on
// others, a second row of reflections from the right makes [R S] lower triangular, and what they
// leave is the shortest solution.
#include "contact/least_norm.h"

#include <math.h>

static double norm(const double *x, int n) {
  double most = 0, sum = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  if (!(most > 0)) return most;
  for (int i = 0; i < n; i++) sum += x[i] / most * (x[i] / most);
  return most * sqrt(sum);
}

// Turns x (n) into (-sign |x|, 0, ...); the reflection 1 - v v' / (v_0 |x| sign) stands in its
// place but for the first number, which is returned.
static double reflect_head(double *x, int n, double *head) {
  const double length = norm(x, n), sign = x[0] < 0 ? -1 : 1;
  *head = x[0] + sign * length;
  return -sign * length;
}

static void apply_left(const double *v, double head, double diagonal, int n, double *x) {
  if (diagonal == 0) return;
  double sum = head * x[0];
  for (int i = 1; i < n; i++) sum += v[i] * x[i];
  const double scale = sum / (-diagonal * head);
  x[0] -= scale * head;
  for (int i = 1; i < n; i++) x[i] -= scale * v[i];
}

static int factor(double *a, int n, double tolerance, double *b, int *order) {
  double longest = 0;
  for (int k = 0; k < n; k++) {
    int pivot = k;
    double most = -1;
    for (int j = k; j < n; j++) {
      const double length = norm(&a[(long)j * n + k], n - k);
      if (!(length > most)) continue;
      most = length;
      pivot = j;
    }
    if (k == 0) longest = most;
    if (!(most > tolerance * longest) || !(most > 0)) return k;
    for (int i = 0; i < n && pivot != k; i++) {
      const double keep = a[(long)k * n + i];
      a[(long)k * n + i] = a[(long)pivot * n + i];
      a[(long)pivot * n + i] = keep;
    }
    const int keep = order[k];
    order[k] = order[pivot];
    order[pivot] = keep;
    double head, *column = &a[(long)k * n + k];
    const double diagonal = reflect_head(column, n - k, &head);
    for (int j = k + 1; j < n; j++) apply_left(column, head, diagonal, n - k, &a[(long)j * n + k]);
    apply_left(column, head, diagonal, n - k, b + k);
    column[0] = diagonal;
  }
  return n;
}

// Row k of [R S] without what stands between the diagonal and S: (k, k), (k, rank..n).
static void solve_dependent(double *a, int n, int rank, double *b, double *y, double *heads) {
  for (int k = rank - 1; k >= 0; k--) {
    double most = fabs(a[(long)k * n + k]);
    for (int j = rank; j < n; j++) most = fmax(most, fabs(a[(long)j * n + k]));
    double sum = 0;
    const double first = a[(long)k * n + k];
    sum += first / most * (first / most);
    for (int j = rank; j < n; j++) sum += a[(long)j * n + k] / most * (a[(long)j * n + k] / most);
    const double length = most * sqrt(sum), sign = first < 0 ? -1 : 1;
    const double head = first + sign * length, diagonal = -sign * length;
    heads[k] = head;
    for (int i = 0; i < k; i++) { // rows above
      double dot = head * a[(long)k * n + i];
      for (int j = rank; j < n; j++) dot += a[(long)j * n + k] * a[(long)j * n + i];
      dot /= -diagonal * head;
      a[(long)k * n + i] -= dot * head;
      for (int j = rank; j < n; j++) a[(long)j * n + i] -= dot * a[(long)j * n + k];
    }
    a[(long)k * n + k] = diagonal;
  }
  for (int k = rank - 1; k >= 0; k--) {
    double value = b[k];
    for (int j = k + 1; j < rank; j++) value -= a[(long)j * n + k] * y[j];
    y[k] = value / a[(long)k * n + k];
  }
  for (int j = rank; j < n; j++) y[j] = 0;
  for (int k = 0; k < rank; k++) {
    const double diagonal = a[(long)k * n + k], head = heads[k];
    double dot = head * y[k];
    for (int j = rank; j < n; j++) dot += a[(long)j * n + k] * y[j];
    dot /= -diagonal * head;
    y[k] -= dot * head;
    for (int j = rank; j < n; j++) y[j] -= dot * a[(long)j * n + k];
  }
}

int hn_least_norm(double *a, int n, double tolerance, double *b, double *x, int *order,
                  double *work, double *rest) {
  for (int k = 0; k < n; k++) order[k] = k;
  const int rank = factor(a, n, tolerance, b, order);
  if (rest) *rest = norm(b + rank, n - rank);
  if (rank < n) {
    solve_dependent(a, n, rank, b, work, work + n);
  } else {
    for (int k = n - 1; k >= 0; k--) {
      double value = b[k];
      for (int j = k + 1; j < n; j++) value -= a[(long)j * n + k] * work[j];
      work[k] = value / a[(long)k * n + k];
    }
  }
  for (int k = 0; k < n; k++) x[order[k]] = work[k];
  return rank;
}
