// Modes of lowest frequency of a large model: Arnoldi's method on (A - sigma)^-1, whose largest
// values 1/(lambda - sigma) they are. The basis grows until they have converged.
#include <complex.h>
#include <math.h>
#include <string.h>

#include "analysis/linear/shifted.h"
#include "analysis/linear/work.h"
#include "base/error.h"
#include "linalg/eigen_general.h"
#include "math/complex_number.h"
#include "math/elementary.h"

#define CONVERGED 1e-11 // residual against the value
#define NONE 1e-5       // against the shift
enum { SHIFTS = 4 };

typedef struct krylov {
  hn_arena arena;
  hn_linear_work *w;
  hn_shifted *shifted;
  double sigma;
  int states, most, size; // of the basis: capacity, used
  double *basis;          // (states x (most + 1))
  double *h;              // ((most + 1) x most, column-major)
  // of the last projection
  double *real, *imaginary, *vectors; // (size), 2 size numbers a vector
  int *order;                         // by |lambda| (size)
} krylov;

// ---- the basis ----------------------------------------------------------------------------------

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double *vector_at(const krylov *k, int j) {
  return &k->basis[(size_t)j * (size_t)k->states];
}

static void begin(krylov *k) {
  double *v = vector_at(k, 0);
  unsigned long long seed = 88172645463325252ull;
  for (int i = 0; i < k->states; i++) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    v[i] = (double)(seed >> 11) / 9007199254740992.0 - 0.5;
  }
  const double length = sqrt(dot(v, v, k->states));
  for (int i = 0; i < k->states; i++) v[i] /= length;
  k->size = 0;
}

// One more vector; 0 when the space is closed.
static int grow(krylov *k) {
  const int j = k->size, n = k->states;
  double *next = vector_at(k, j + 1), *column = &k->h[(size_t)j * (size_t)(k->most + 1)];
  hn_shifted_apply(k->shifted, vector_at(k, j), next);
  const double before = sqrt(dot(next, next, n));
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i <= j; i++) {
      const double inner = dot(vector_at(k, i), next, n);
      column[i] += inner;
      for (int l = 0; l < n; l++) next[l] -= inner * vector_at(k, i)[l];
    }
  const double length = sqrt(dot(next, next, n));
  k->size++;
  column[j + 1] = length;
  if (!(length > 1e-14 * before)) return 0;
  for (int l = 0; l < n; l++) next[l] /= length;
  return 1;
}

// ---- values -------------------------------------------------------------------------------------

// Zeros are shifted eigenvalues of a model that can drift: they are as accurate as a multiple value.
static double complex value_at(const krylov *k, int i) {
  const double complex value = k->sigma + complex_quotient(1, k->real[i] + I * k->imaginary[i]);
  return complex_magnitude(value) < NONE * k->sigma ? 0 : value;
}

static void sort_values(krylov *k) {
  for (int i = 0; i < k->size; i++) {
    int at = i;
    const double size = complex_magnitude(value_at(k, i));
    while (at > 0 && complex_magnitude(value_at(k, k->order[at - 1])) > size * (1 + 1e-12)) {
      k->order[at] = k->order[at - 1];
      at--;
    }
    k->order[at] = i;
  }
}

static hn_status project(krylov *k) {
  const size_t m = (size_t)k->size;
  double *a = HN_TAKE(&k->arena, double, m *m + 1);
  if (k->arena.failed) return HN_ERROR_MEMORY;
  for (size_t j = 0; j < m; j++)
    memcpy(&a[j * m], &k->h[j * (size_t)(k->most + 1)], m * sizeof(double));
  hn_status status =
      hn_eigen_general(&k->arena.allocator, a, k->size, k->real, k->imaginary, k->vectors, NULL);
  if (status == HN_OK) sort_values(k);
  return status;
}

// How many modes, those of lowest frequency first, have converged; *values: eigenvalues of them.
static int converged(const krylov *k, int wanted, int *values) {
  const double last = k->h[(size_t)(k->size - 1) * (size_t)(k->most + 1) + (size_t)k->size];
  int modes = 0;
  *values = 0;
  for (int i = 0; i < k->size && modes < wanted; i++) {
    const int at = k->order[i];
    const double *y = &k->vectors[2 * (size_t)k->size * (size_t)at];
    const double size = hn_hypot(k->real[at], k->imaginary[at]);
    if (!(fabs(last) * hn_hypot(y[k->size - 1], y[2 * k->size - 1]) <= CONVERGED * size)) break;
    modes += k->imaginary[at] <= 0; // of 1/(lambda - sigma): the other half-plane
    *values += 1;
  }
  return modes;
}

static hn_status expand(krylov *k, int wanted, int *values) {
  int is_open = 1;
  begin(k);
  for (int target = 4 * wanted + 40;; target *= 2) {
    if (target > k->most) target = k->most;
    while (is_open && k->size < target) is_open = grow(k);
    hn_status status = project(k);
    if (status != HN_OK) return status;
    const int modes = converged(k, wanted, values);
    if (modes >= wanted || !is_open || k->size == k->states) return HN_OK;
    if (target == k->most)
      return hn_fail(k->w->error, HN_ERROR_CONVERGENCE, NULL, NULL, "reduce the number of modes",
                     "%d of %d modes converged with %d vectors", modes, wanted, k->size);
  }
}

// ---- the result ---------------------------------------------------------------------------------

// The vector of a value in states: real parts, then imaginary ones.
static void lift(const krylov *k, int at, double *out) {
  const double *y = &k->vectors[2 * (size_t)k->size * (size_t)at];
  memset(out, 0, 2 * (size_t)k->states * sizeof(double));
  for (int j = 0; j < k->size; j++)
    for (int i = 0; i < k->states; i++) {
      out[i] += y[j] * vector_at(k, j)[i];
      out[k->states + i] += y[k->size + j] * vector_at(k, j)[i];
    }
}

static hn_status write_modes(krylov *k, int values) {
  hn_linear_work *w = k->w;
  hn_eigenvalue *eigenvalues = HN_TAKE(&w->arena, hn_eigenvalue, values + 1);
  hn_mode *modes = HN_TAKE(&w->arena, hn_mode, values + 1);
  double *vector = HN_TAKE(&k->arena, double, 2 * k->states + 1);
  if (w->arena.failed || k->arena.failed) return HN_ERROR_MEMORY;
  int count = 0;
  for (int i = 0; i < values; i++) {
    const double complex value = value_at(k, k->order[i]);
    // of a pair the value with positive imaginary part comes first
    const double complex next = i + 1 < values ? value_at(k, k->order[i + 1]) : 0;
    const int is_swapped = cimag(value) < 0 && cimag(next) > 0 &&
                           complex_magnitude(conj(value) - next) < 1e-9 * complex_magnitude(value);
    const int at = k->order[is_swapped ? i + 1 : i];
    if (is_swapped) {
      k->order[i + 1] = k->order[i];
      k->order[i] = at;
    }
    const double complex own = value_at(k, at);
    eigenvalues[i] = hn_eigenvalue_of(creal(own), cimag(own));
    if (cimag(own) < 0) continue;
    lift(k, at, vector);
    modes[count].eigenvalue = i;
    hn_status status = hn_linear_write_mode(w, vector, &modes[count++]);
    if (status != HN_OK) return status;
  }
  w->result.eigenvalue_count = values;
  w->result.eigenvalues = eigenvalues;
  w->result.modes = modes;
  w->result.mode_count = count;
  return HN_OK;
}

// 0, unless that is an eigenvalue.
static hn_status choose_shift(krylov *k) {
  static const double shifts[SHIFTS] = {0, 0.1, 0.7310585, 3.3};
  hn_status status = HN_ERROR_SINGULAR;
  for (int i = 0; status == HN_ERROR_SINGULAR && i < SHIFTS; i++) {
    k->sigma = shifts[i];
    status = hn_shifted_create(&k->w->point, k->sigma, &k->shifted);
  }
  if (status == HN_ERROR_SINGULAR)
    return hn_fail(k->w->error, status, NULL, NULL,
                   "give freely rotating bodies a moment of inertia",
                   "the linearized model is singular: a direction of motion has no mass");
  return status;
}

hn_status hn_linear_find_lowest(hn_linear_work *w, int wanted) {
  krylov k = {.w = w, .states = w->result.state_count};
  int values = 0;
  if (k.states == 0) return HN_OK;
  if (wanted > k.states) wanted = k.states;
  hn_arena_init(&k.arena, &w->arena.allocator);
  k.most = 16 * wanted + 160 < k.states ? 16 * wanted + 160 : k.states;
  const size_t most = (size_t)k.most;
  k.basis = HN_TAKE(&k.arena, double, (size_t)k.states *(most + 1));
  k.h = HN_TAKE(&k.arena, double, (most + 1) * most);
  k.real = HN_TAKE(&k.arena, double, most);
  k.imaginary = HN_TAKE(&k.arena, double, most);
  k.vectors = HN_TAKE(&k.arena, double, 2 * most * most);
  k.order = HN_TAKE(&k.arena, int, most);
  hn_status status = k.arena.failed ? HN_ERROR_MEMORY : choose_shift(&k);
  if (status == HN_OK) status = expand(&k, wanted, &values);
  if (status == HN_OK) status = write_modes(&k, values);
  hn_shifted_free(k.shifted);
  hn_arena_release(&k.arena);
  return status;
}
