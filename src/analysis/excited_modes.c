// About a state (q, u) with accelerations ud and frozen branches, displacements along speeds x give
//
//   A x = (3 ud(q) - 4 ud(q + e x) + ud(q + 2 e x)) / 2e ~ M^-1 K x,   eigenvalues w^2
//
// If ud has a part w^2 a x in a mode, the state is off the mean of that oscillation by a. Its velocity v
// about the mean is in the derivative of ud along the motion, by w^2 v: speeds themselves have that of
// the mean, too. Slower motion is in the same vectors and much larger. So each vector
// b is split by its own Krylov space b, A b, A^2 b, ...: with orthonormal V and Hessenberg H = V' A V,
// H y = w^2 y and Y c = |b| e1, b is the sum of the parts c V y. Fast modes are found first, and only
// those in b. Differences have errors of some 1e-10 of the largest w^2: smaller values are noise.
#include "analysis/excited_modes.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "elements/states.h"
#include "linalg/eigen_schur.h"
#include "linalg/small.h"
#include "math/vec.h"

#define DISTANCE 1e-6 // m or rad
#define SPEED 1e-4    // m/s or rad/s
#define NOISE 1e-7    // of the largest number of H: another vector has no digits
#define SLOW 1e-8     // of the largest w^2: not known
#define REAL 1e-3     // of an eigenvalue may be imaginary
#define TINY 1e-300

typedef struct small_system {
  int count;
  double h[HN_KRYLOV * HN_KRYLOV], square[HN_KRYLOV], imaginary[HN_KRYLOV];
  double complex vector[HN_KRYLOV][2 * HN_KRYLOV];
  double part[HN_KRYLOV];
} small_system;

void hn_fast_excited_create(hn_arena *arena, int nu, int states, hn_fast_excited *e) {
  *e = (hn_fast_excited){0};
  for (int k = 0; k <= HN_KRYLOV; k++) e->basis[k] = HN_TAKE(arena, double, nu);
  for (int k = 0; k < HN_EXCITED_MODES; k++) e->mode[k].x = HN_TAKE(arena, double, nu);
  e->u = HN_TAKE(arena, double, nu);
  e->base = HN_TAKE(arena, double, nu);
  e->jerk = HN_TAKE(arena, double, nu);
  e->z = HN_TAKE(arena, double, states);
  e->z_rate = HN_TAKE(arena, double, states);
  e->moved = HN_TAKE(arena, double, nu);
}

static double product_of(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Accelerations displaced along x and faster by it; 0 where they cannot be had.
static int evaluate(hn_simulation *s, hn_fast_excited *x, const double *along, double distance,
                    double speed) {
  const hn_method *m = s->method;
  hn_equations *e = s->equations;
  hn_error unused = {.status = HN_OK};
  for (int i = 0; i < e->nu; i++) x->moved[i] = x->u[i] + speed * along[i];
  e->type->coordinates->rates(e, m->q, along, s->looking.qd);
  for (int i = 0; i < e->nq; i++) s->looking.q[i] = m->q[i] + distance * s->looking.qd[i];
  e->type->coordinates->rates(e, s->looking.q, x->moved, s->looking.qd);
  s->looking.count++;
  return e->type->evaluate_stage(e, m->t, s->looking.q, s->looking.qd, &s->branches,
                                 s->looking.snapshot, &unused) == HN_OK;
}

static int find_state_rates(hn_simulation *s, hn_fast_excited *x) {
  const hn_method *m = s->method;
  hn_equations *e = s->equations;
  for (int i = 0; i < m->states; i++) x->z_rate[i] = 0;
  if (m->states == 0 || !hn_states_have_rates(s->elements)) return 1;
  e->type->coordinates->frames(e, m->q, m->qd, s->looking.frames);
  const hn_status status =
      hn_states_look(s->elements, m->t, s->looking.frames, s->branches.turns, s->branches.force);
  if (status == HN_OK) hn_states_rates(s->elements, m->t, x->z_rate);
  return status == HN_OK;
}

// The derivative of ud along the motion, on the branches of now.
static int find_jerk(hn_simulation *s, hn_fast_excited *x, double *y) {
  const hn_method *m = s->method;
  hn_equations *e = s->equations;
  const double largest = fmax(hn_largest(x->u, e->nu), hn_largest(x->base, e->nu));
  const double step = DISTANCE / fmax(1, largest);
  hn_error unused = {.status = HN_OK};
  hn_status status = find_state_rates(s, x) ? HN_OK : HN_RETRY;
  for (int k = 2; k > 0 && status == HN_OK; k--) {
    const double dt = k * step;
    for (int i = 0; i < e->nu; i++) x->moved[i] = x->u[i] + 0.5 * dt * x->base[i];
    e->type->coordinates->rates(e, m->q, x->moved, s->looking.qd);
    for (int i = 0; i < e->nq; i++) s->looking.q[i] = m->q[i] + dt * s->looking.qd[i];
    for (int i = 0; i < e->nu; i++) x->moved[i] = x->u[i] + dt * x->base[i];
    e->type->coordinates->rates(e, s->looking.q, x->moved, s->looking.qd);
    for (int i = 0; i < m->states; i++) x->z[i] = m->z[i] + dt * x->z_rate[i];
    if (m->states > 0) hn_states_set(s->elements, x->z);
    s->looking.count++;
    status = e->type->evaluate_stage(e, m->t + dt, s->looking.q, s->looking.qd, &s->branches,
                                     s->looking.snapshot, &unused);
    const double *ud = s->looking.snapshot->ud;
    for (int i = 0; i < e->nu; i++)
      y[i] = k == 2 ? -ud[i] - 3 * x->base[i] : (y[i] + 4 * ud[i]) / (2 * step);
  }
  if (m->states > 0) hn_states_set(s->elements, m->z);
  return status == HN_OK && isfinite(hn_largest(y, e->nu));
}

// y <- A x for a distance, B x for a speed, by differences of second order on the side to which the
// model moves: at an event, functions of signals jump on the other.
static int find_response(hn_simulation *s, hn_fast_excited *x, const double *along, double distance,
                         double speed, double *y) {
  const int nu = s->equations->nu;
  const double side = product_of(along, x->u, nu) < 0 ? -1 : 1;
  const double scale = side / fmax(hn_largest(along, nu), TINY);
  const double *ud = s->looking.snapshot->ud, d = scale * distance, v = scale * speed;
  if (!evaluate(s, x, along, 2 * d, 2 * v)) return 0;
  for (int i = 0; i < nu; i++) y[i] = ud[i] + 3 * x->base[i];
  if (!evaluate(s, x, along, d, v)) return 0;
  for (int i = 0; i < nu; i++) y[i] = (y[i] - 4 * ud[i]) / (2 * (d + v));
  return isfinite(hn_largest(y, nu));
}

// Removes the parts of y along the first vectors of the basis, and adds them to a column of H.
static void remove_basis(hn_fast_excited *x, int vectors, int nu, double *y, double *column) {
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < vectors; i++) {
      const double part = product_of(x->basis[i], y, nu);
      for (int k = 0; k < nu; k++) y[k] -= part * x->basis[i][k];
      column[i] += part;
    }
}

// The Krylov space of b, which is not changed.
static void fill_space(hn_simulation *s, hn_fast_excited *x, const double *b, double length,
                       small_system *k) {
  const int nu = s->equations->nu, most = nu < HN_KRYLOV ? nu : HN_KRYLOV;
  double column[HN_KRYLOV][HN_KRYLOV + 1] = {{0}}, largest = 0;
  int count = 0;
  for (int i = 0; i < nu; i++) x->basis[0][i] = b[i] / length;
  while (count < most) {
    const int j = count;
    double *y = x->basis[j + 1];
    if (!find_response(s, x, x->basis[j], DISTANCE, 0, y)) break;
    remove_basis(x, j + 1, nu, y, column[j]);
    const double next = sqrt(product_of(y, y, nu));
    for (int i = 0; i <= j; i++) largest = fmax(largest, fabs(column[j][i]));
    largest = fmax(largest, next);
    count++;
    if (!(next > NOISE * largest)) break;
    column[j][j + 1] = next;
    for (int i = 0; i < nu; i++) y[i] /= next;
  }
  k->count = count;
  for (int j = 0; j < count; j++)
    for (int i = 0; i < count; i++) k->h[i + j * count] = i <= j + 1 ? column[j][i] : 0;
}

// Y c = length e1; of a pair of conjugate vectors, Y has the real and the imaginary part. 0: the vectors
// do not span the space.
static int solve_parts(small_system *k, double length) {
  const int n = k->count, stride = hn_small_stride(n);
  double y[HN_KRYLOV * 8] = {0}, inverse[HN_KRYLOV * 8] = {0};
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      y[stride * j + i] = k->imaginary[j] < 0 ? cimag(k->vector[j - 1][i]) : creal(k->vector[j][i]);
  if (hn_small_invert(0, n, y, inverse, NULL) != 0) return 0;
  for (int j = 0; j < n; j++) k->part[j] = length * inverse[j];
  return 1;
}

static int solve_small(small_system *k, double length) {
  const int n = k->count;
  double t[HN_KRYLOV * HN_KRYLOV], z[HN_KRYLOV * HN_KRYLOV], column[2 * HN_KRYLOV];
  memcpy(t, k->h, sizeof t);
  if (n == 0 || hn_schur(t, z, n, column, k->square, k->imaginary) != HN_OK) return 0;
  for (int j = 0; j < n; j++)
    hn_schur_vector(t, z, n, j, k->square[j] + I * k->imaginary[j], k->vector[j]);
  return solve_parts(k, length);
}

// Adds a mode; of too many, the one with the least acceleration is dropped.
static void add_mode(hn_fast_excited *x, int nu, double frequency, double size,
                     const double *shape) {
  int at = x->count;
  while (at > 0) {
    const hn_fast_mode *before = &x->mode[at - 1];
    if (before->frequency * before->frequency * before->size >= frequency * frequency * size) break;
    at--;
  }
  if (at == HN_EXCITED_MODES) return;
  if (x->count < HN_EXCITED_MODES) x->count++;
  double *room = x->mode[x->count - 1].x;
  for (int k = x->count - 1; k > at; k--) x->mode[k] = x->mode[k - 1];
  memcpy(room, shape, (size_t)nu * sizeof(double));
  x->mode[at] = (hn_fast_mode){.frequency = frequency, .size = size, .x = room};
}

// The fast parts of b; `power` of the frequency turns them into amplitudes.
static void split_modes(hn_simulation *s, hn_fast_excited *x, const double *b, int power,
                        double slowest) {
  const int nu = s->equations->nu;
  const double length = sqrt(product_of(b, b, nu));
  small_system k;
  double fastest = 0, *shape = x->basis[HN_KRYLOV];
  if (!(length > 0) || !isfinite(length)) return;
  fill_space(s, x, b, length, &k);
  if (!solve_small(&k, length)) return;
  for (int j = 0; j < k.count; j++) fastest = fmax(fastest, k.square[j]);
  for (int j = 0; j < k.count; j++) {
    const double square = k.square[j], w = sqrt(fmax(square, 0));
    if (!(square > SLOW * fastest) || !(w > slowest) || fabs(k.imaginary[j]) > REAL * square)
      continue;
    memset(shape, 0, (size_t)nu * sizeof(double));
    for (int p = 0; p < k.count; p++) {
      const double share = k.part[j] * creal(k.vector[j][p]);
      for (int i = 0; i < nu; i++) shape[i] += share * x->basis[p][i];
    }
    const double size = hn_largest(shape, nu);
    if (!(size > 0) || !isfinite(size)) continue;
    const double side = product_of(shape, x->u, nu) < 0 ? -1 : 1;
    for (int i = 0; i < nu; i++) shape[i] *= side / size;
    add_mode(x, nu, w, size / (power == 2 ? square : w * square), shape);
  }
}

static void find_damping(hn_simulation *s, hn_fast_excited *x) {
  const int nu = s->equations->nu;
  int count = 0;
  for (int k = 0; k < x->count; k++) {
    hn_fast_mode *mode = &x->mode[k];
    double *y = x->basis[0];
    if (!find_response(s, x, mode->x, 0, SPEED, y)) continue;
    mode->damping = fmax(0, 0.5 * product_of(mode->x, y, nu) / product_of(mode->x, mode->x, nu)) /
                    mode->frequency;
    if (!(mode->damping < 1)) continue;
    const hn_fast_mode other = x->mode[count];
    x->mode[count++] = *mode;
    if (count - 1 < k) *mode = other;
  }
  x->count = count;
}

void hn_fast_excited_find(hn_simulation *s, double slowest, hn_fast_excited *x) {
  hn_equations *e = s->equations;
  const hn_method *m = s->method;
  x->count = 0;
  if (e->nu == 0 || !m->now || !m->now->ud) return;
  e->type->coordinates->speeds(e, m->q, m->qd, x->u);
  memset(x->basis[0], 0, (size_t)e->nu * sizeof(double));
  if (evaluate(s, x, x->basis[0], 0, 0)) {
    memcpy(x->base, s->looking.snapshot->ud, (size_t)e->nu * sizeof(double));
    split_modes(s, x, x->base, 2, slowest);
    if (find_jerk(s, x, x->jerk)) split_modes(s, x, x->jerk, 3, slowest);
  }
  find_damping(s, x);
}
