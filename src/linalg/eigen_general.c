// Balancing, zeros, and the parts put together: see eigen_general.h.
//
// Zeros: with A' P = Q R of rank r, the similar matrix Q' A Q has zero columns behind the first r,
// and A11, its leading r x r part, has the other eigenvalues. The same is done to A11 until its
// rank is full. In that basis the part of the zeros is strictly lower triangular by steps, so a
// vector of A11 is continued by substitution.
#include "linalg/eigen_general.h"

#include <math.h>
#include <string.h>

#include "linalg/eigen_schur.h"
#include "math/complex_number.h"

typedef struct work {
  int n, rank;
  double *a, *q;     // the matrix in the basis q (n x n each)
  double *schur, *z; // of A11, balanced (rank x rank each)
  double *scale;     // of balancing (rank)
  double *column;    // (2 n)
} work;

#define AT(matrix, stride, i, j) (matrix)[(size_t)(j) * (size_t)(stride) + (size_t)(i)]

// ---- balancing ----------------------------------------------------------------------------------

// One sweep: rows and columns get norms within a factor of about 2 of each other, by powers of 2.
static int balance_once(work *w) {
  int is_changed = 0;
  const int n = w->rank;
  for (int i = 0; i < n; i++) {
    double column = 0, row = 0, factor = 1;
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      column += fabs(AT(w->schur, n, j, i));
      row += fabs(AT(w->schur, n, i, j));
    }
    if (!(column > 0) || !(row > 0)) continue;
    const double sum = column + row;
    while (column < row / 2) {
      factor *= 2;
      column *= 4;
    }
    while (column >= row * 2) {
      factor /= 2;
      column /= 4;
    }
    if (!((column + row) / factor < 0.95 * sum)) continue;
    is_changed = 1;
    w->scale[i] *= factor;
    for (int j = 0; j < n; j++) AT(w->schur, n, i, j) /= factor;
    for (int j = 0; j < n; j++) AT(w->schur, n, j, i) *= factor;
  }
  return is_changed;
}

static void balance(work *w) {
  for (int i = 0; i < w->rank; i++) w->scale[i] = 1;
  for (int sweep = 0; sweep < 40 && balance_once(w); sweep++) {
  }
}

// ---- zeros --------------------------------------------------------------------------------------

// x := (1 - 2 v v') x on places from ... to - 1, v of unit length.
static void reflect(const double *v, double *x, int from, int to, int step) {
  double inner = 0;
  for (int i = from; i < to; i++) inner += v[i] * x[(size_t)i * (size_t)step];
  for (int i = from; i < to; i++) x[(size_t)i * (size_t)step] -= 2 * inner * v[i];
}

// The reflector that takes x(from ... to - 1) onto its first place; 0: nothing to do.
static int make_reflector(double *x, int from, int to) {
  double square = 0;
  for (int i = from; i < to; i++) square += x[i] * x[i];
  if (!(square > 0)) return 0;
  double length = sqrt(square), first = x[from];
  x[from] += first > 0 ? length : -length;
  square += -first * first + x[from] * x[from];
  for (int i = from; i < to; i++) x[i] /= sqrt(square);
  return 1;
}

// The row of A11 with the most left behind place k: its number.
static int longest_row(const work *w, const double *rows, int k, int size, double *length) {
  int best = k;
  *length = -1;
  for (int i = k; i < size; i++) {
    double square = 0;
    for (int j = k; j < size; j++) {
      const double x = rows[(size_t)i * (size_t)w->n + (size_t)j];
      square += x * x;
    }
    if (square > *length) {
      *length = square;
      best = i;
    }
  }
  *length = sqrt(fmax(*length, 0));
  return best;
}

// Q' A Q with Q the reflector in w->column on places from ... size - 1.
static void reflect_both(work *w, int from, int size) {
  const int n = w->n;
  for (int j = 0; j < n; j++) reflect(w->column, &AT(w->a, n, 0, j), from, size, 1);
  for (int i = 0; i < n; i++) reflect(w->column, &AT(w->a, n, i, 0), from, size, n);
  for (int i = 0; i < n; i++) reflect(w->column, &AT(w->q, n, i, 0), from, size, n);
}

// One step: rank of the leading size x size part, whose null space moves behind it.
static int compress(work *w, double *rows, int size, double least) {
  const int n = w->n;
  for (int i = 0; i < size; i++) // rows of A11, each a column of A11'
    for (int j = 0; j < size; j++) rows[(size_t)i * (size_t)n + (size_t)j] = AT(w->a, n, i, j);
  int k = 0;
  for (; k < size; k++) {
    double length;
    const int best = longest_row(w, rows, k, size, &length);
    if (!(length > least)) break;
    for (int j = 0; j < size; j++) {
      double *one = &rows[(size_t)best * (size_t)n + (size_t)j],
             *other = &rows[(size_t)k * (size_t)n + (size_t)j], keep = *one;
      *one = *other;
      *other = keep;
    }
    memcpy(w->column, &rows[(size_t)k * (size_t)n], (size_t)n * sizeof(double));
    if (!make_reflector(w->column, k, size)) break;
    for (int i = k; i < size; i++) reflect(w->column, &rows[(size_t)i * (size_t)n], k, size, 1);
    reflect_both(w, k, size);
  }
  for (int j = k; j < size; j++)
    for (int i = 0; i < size; i++) AT(w->a, n, i, j) = 0;
  return k;
}

static void take_out_zeros(work *w, double *rows) {
  double most = 0;
  const int n = w->n;
  for (int j = 0; j < n; j++) {
    double square = 0;
    for (int i = 0; i < n; i++) square += AT(w->a, n, i, j) * AT(w->a, n, i, j);
    most = fmax(most, sqrt(square));
  }
  const double least = 1e-14 * fmax(n, 10) * most;
  for (int i = 0; i < n; i++) AT(w->q, n, i, i) = 1;
  w->rank = n;
  for (int size = n; size > 0; size = w->rank) {
    w->rank = compress(w, rows, size, least);
    if (w->rank == size) break;
  }
}

// ---- vectors ------------------------------------------------------------------------------------

// x (n, complex) in the basis q, first part given: the rest by substitution.
static void extend(const work *w, double complex value, double complex *x) {
  const int n = w->n;
  for (int i = w->rank; i < n; i++) {
    double complex sum = 0;
    for (int j = 0; j < i; j++) sum += AT(w->a, n, i, j) * x[j];
    x[i] = complex_quotient(sum, value);
  }
}

static void finish_vector(const work *w, const double complex *x, double *out) {
  const int n = w->n;
  double square = 0;
  memset(out, 0, 2 * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      out[i] += AT(w->q, n, i, j) * creal(x[j]);
      out[n + i] += AT(w->q, n, i, j) * cimag(x[j]);
    }
  for (int i = 0; i < 2 * n; i++) square += out[i] * out[i];
  if (!(square > 0)) return;
  for (int i = 0; i < 2 * n; i++) out[i] /= sqrt(square);
}

static void make_vectors(const work *w, const double *real, const double *imaginary,
                         double complex *x, double *vectors) {
  const int n = w->n, r = w->rank;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) x[i] = 0;
    const double complex value = real[k] + I * imaginary[k];
    if (k >= r) {
      x[k] = 1;
    } else {
      hn_schur_vector(w->schur, w->z, r, k, value, x);
      for (int i = 0; i < r; i++) x[i] *= w->scale[i];
      for (int i = r; i < n; i++) x[i] = 0;
      extend(w, value, x);
    }
    finish_vector(w, x, &vectors[2 * (size_t)n * (size_t)k]);
  }
}

hn_status hn_eigen_general(const hn_allocator *allocator, const double *a, int n, double *real,
                           double *imaginary, double *vectors, int *zeros) {
  hn_arena arena;
  hn_arena_init(&arena, allocator);
  const size_t square = (size_t)n * (size_t)n;
  work w = {.n = n,
            .a = HN_TAKE(&arena, double, square),
            .q = HN_TAKE(&arena, double, square),
            .schur = HN_TAKE(&arena, double, square),
            .z = HN_TAKE(&arena, double, square),
            .scale = HN_TAKE(&arena, double, n),
            .column = HN_TAKE(&arena, double, 2 * n)};
  double complex *x = HN_TAKE(&arena, double complex, 2 * n);
  hn_status status = arena.failed ? HN_ERROR_MEMORY : HN_OK;
  for (size_t i = 0; status == HN_OK && i < square; i++)
    if (!isfinite(a[i])) status = HN_ERROR_NOT_FINITE;
  if (status == HN_OK) {
    memcpy(w.a, a, square * sizeof(double));
    take_out_zeros(&w, w.z);
    for (int j = 0; j < w.rank; j++)
      for (int i = 0; i < w.rank; i++) AT(w.schur, w.rank, i, j) = AT(w.a, n, i, j);
    balance(&w);
    status = hn_schur(w.schur, w.z, w.rank, w.column, real, imaginary);
  }
  if (status == HN_OK) {
    for (int k = w.rank; k < n; k++) real[k] = imaginary[k] = 0;
    if (zeros) *zeros = n - w.rank;
    if (vectors) make_vectors(&w, real, imaginary, x, vectors);
  }
  hn_arena_release(&arena);
  return status;
}
