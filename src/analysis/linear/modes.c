// Eigenvalues of A and what their vectors are in bodies and forces.
//
// A vector eta moves the bodies by dq = P eta. Kinetic energy of a body: m |dr|^2 + dtheta* I dtheta, in
// which the factor |lambda|^2 that all share is left out. A force f stores, up to the factor 1/2,
//
//   -dq* (Q_f)_q dq + sum over bodies (Q_p . p) |dp|^2
//
// the last part because Euler parameters keep their length. It dissipates -dq* (Q_f)_qd dq.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"
#include "linalg/eigen_general.h"
#include "math/complex_number.h"
#include "math/elementary.h"

typedef struct ordered {
  double real, imaginary, size;
  int place;
} ordered;

// By size; of a pair the positive imaginary part first; else as they were.
static int by_size(const void *a, const void *b) {
  const ordered *x = a, *y = b;
  const double gap = x->size - y->size, small = 1e-12 * (x->size + y->size);
  if (fabs(gap) > small) return gap < 0 ? -1 : 1;
  return x->place - y->place;
}

hn_eigenvalue hn_eigenvalue_of(double real, double imaginary) {
  const double size = hn_hypot(real, imaginary);
  return (hn_eigenvalue){.real = real,
                         .imaginary = imaginary,
                         .frequency = size / (2 * HN_PI),
                         .damping = size > 0 && fabs(real) > 0 ? -real / size : 0};
}

// ---- one mode -----------------------------------------------------------------------------------

typedef struct room {
  double complex *dq; // (n)
  hn_force_load load; // of one force
} room;

// Small motions of a body that moves by dq.
static void pose_of(const hn_linear_point *p, const double complex *dq, int body,
                    double complex out[6]) {
  for (int i = 0; i < 6; i++) out[i] = 0;
  if (body == HN_GROUND) return;
  const hn_quat at = p->frames[body].p;
  const double complex *x = &dq[7 * (body - 1)];
  const hn_quat re = {creal(x[3]), creal(x[4]), creal(x[5]), creal(x[6])};
  const hn_quat im = {cimag(x[3]), cimag(x[4]), cimag(x[5]), cimag(x[6])};
  const hn_vec3 turn = euler_e_apply(at, re), other = euler_e_apply(at, im);
  for (int i = 0; i < 3; i++) {
    out[i] = x[i];
    out[3 + i] = 2 * (vec3_get(turn, i) + I * vec3_get(other, i));
  }
}

static void move_bodies(const hn_linear_point *p, const double complex *dq, double *shape) {
  double most = 0;
  for (int b = 0; b < p->n / 7; b++) {
    double complex x[6];
    pose_of(p, dq, b + 1, x);
    for (int i = 0; i < 6; i++) {
      shape[12 * b + 2 * i] = creal(x[i]);
      shape[12 * b + 2 * i + 1] = cimag(x[i]);
      most = fmax(most, complex_magnitude(x[i]));
    }
  }
  for (int i = 0; most > 0 && i < 12 * (p->n / 7); i++) shape[i] /= most;
}

static double kinetic_of(const hn_linear_point *p, int b, const double *shape) {
  const hn_body_def *body = &p->elements->model->bodies[b];
  const hn_mat3 inertia = mat3_symmetric(body->inertia);
  double sum = 0;
  for (int part = 0; part < 2; part++) {
    const hn_vec3 r = {shape[part], shape[2 + part], shape[4 + part]},
                  w = {shape[6 + part], shape[8 + part], shape[10 + part]};
    const hn_vec3 own = mat3_apply_transposed(p->frames[b].a, w);
    sum += body->mass * vec3_dot(r, r) + vec3_dot(own, mat3_apply(inertia, own));
  }
  return sum;
}

static void share(double *values, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += fabs(values[i]);
  for (int i = 0; sum > 0 && i < count; i++) values[i] /= sum;
}

static void load_force(const hn_linear_point *p, int f, room *r, double *elastic, double *damping) {
  hn_force_load *l = &r->load;
  *elastic = *damping = 0;
  if (hn_force_in_poses(p->elements, f, p->frames, p->branches->turns, p->t, p->branches->force[f],
                        l) != HN_OK)
    return;
  double complex x[HN_POSES];
  for (int k = 0; k < 2; k++) pose_of(p, r->dq, l->body[k], &x[6 * k]);
  for (int i = 0; i < HN_POSES; i++)
    for (int j = 0; j < HN_POSES; j++) {
      const double product = creal(conj(x[i]) * x[j]);
      *elastic -= l->d_pose[i][j] * product;
      *damping -= l->d_speed[i][j] * product;
    }
}

// dq = P eta
static void displace(const hn_linear_work *w, const double *vector, double complex *dq) {
  const hn_linear_point *p = &w->point;
  const int f = p->freedoms, states = w->result.state_count;
  // of a zero that is double the second vector has rates alone
  double moved = 0, rate = 0;
  for (int k = 0; k < f && p->rates == f; k++) {
    moved += hn_hypot(vector[k], vector[states + k]) / (w->size ? w->size[k] : 1);
    rate += hn_hypot(vector[f + k], vector[states + f + k]) / (w->size ? w->size[k] : 1);
  }
  if (moved < 1e-9 * rate) vector += f; // never where it rolls
  for (int i = 0; i < p->n; i++) dq[i] = 0;
  if (p->p) {
    for (int k = 0; k < f; k++)
      for (int i = 0; i < p->n; i++)
        dq[i] += p->p[(size_t)k * (size_t)p->n + (size_t)i] * (vector[k] + I * vector[states + k]);
    return;
  }
  for (int part = 0; part < 2; part++) {
    memset(p->room, 0, (size_t)p->n * sizeof(double));
    memcpy(&p->room[p->n - f], &vector[part * states], (size_t)f * sizeof(double));
    hn_linear_solve(p, p->room);
    for (int i = 0; i < p->n; i++) dq[i] += part == 0 ? p->room[i] : I * p->room[i];
  }
}

static void make_mode(hn_linear_work *w, const double *vector, room *r, hn_mode *mode) {
  const hn_linear_point *p = &w->point;
  const int bodies = w->result.body_count, forces = w->result.force_count;
  double *shape = HN_TAKE(&w->arena, double, 12 * bodies + 1),
         *kinetic = HN_TAKE(&w->arena, double, bodies + 1),
         *elastic = HN_TAKE(&w->arena, double, forces + 1),
         *damping = HN_TAKE(&w->arena, double, forces + 1);
  if (w->arena.failed) return;
  displace(w, vector, r->dq);
  move_bodies(p, r->dq, shape);
  for (int b = 0; b < bodies; b++) kinetic[b] = kinetic_of(p, b + 1, &shape[12 * b]);
  for (int f = 0; f < forces; f++) load_force(p, f, r, &elastic[f], &damping[f]);
  for (int f = 0; f < forces; f++) { // what a law reads of other bodies counts for its force
    const hn_force_def *force = &p->elements->model->forces[f];
    if (force->type != HN_FORCE_COUPLING) continue;
    elastic[force->coupled] += elastic[f];
    damping[force->coupled] += damping[f];
    elastic[f] = damping[f] = 0;
  }
  share(kinetic, bodies);
  share(elastic, forces);
  share(damping, forces);
  *mode = (hn_mode){mode->eigenvalue, shape, kinetic, elastic, damping};
}

// -------------------------------------------------------------------------------------------------

hn_status hn_linear_write_mode(hn_linear_work *w, const double *vector, hn_mode *mode) {
  hn_arena scratch;
  hn_arena_init(&scratch, &w->arena.allocator);
  room r = {.dq = HN_TAKE(&scratch, double complex, w->point.n + 1)};
  if (!scratch.failed) make_mode(w, vector, &r, mode);
  const int is_failed = scratch.failed || w->arena.failed;
  hn_arena_release(&scratch);
  return is_failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status solve(hn_linear_work *w, const double *a, ordered *values, double *vectors) {
  const int n = w->result.state_count;
  double *real = HN_TAKE(&w->arena, double, n + 1), *imaginary = HN_TAKE(&w->arena, double, n + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  hn_status status = hn_eigen_general(&w->arena.allocator, a, n, real, imaginary, vectors, NULL);
  if (status != HN_OK)
    return hn_fail(w->error, status, NULL, NULL, "choose another time to linearize at",
                   "the eigenvalues of %d states cannot be computed: %s", n,
                   hn_status_text(status));
  for (int k = 0; k < n; k++)
    values[k] = (ordered){real[k], imaginary[k], hn_hypot(real[k], imaginary[k]), k};
  qsort(values, (size_t)n, sizeof *values, by_size);
  return HN_OK;
}

// Positions by their mass, rates by that and by the size of the frequencies: then all entries of A are
// frequencies.
static void scale_states(const hn_linear_work *w, double *scale) {
  const int n = w->result.state_count, f = w->point.freedoms, rates = w->point.rates;
  double most = 0;
  for (int i = 0; i < rates; i++)
    for (int j = 0; j < f; j++)
      most = fmax(most, fabs(w->result.a[(size_t)(f + i) * (size_t)n + (size_t)j]) * w->size[j] /
                            w->size[i]);
  const double frequency = most > 0 ? sqrt(most) : 1;
  for (int k = 0; k < f; k++) scale[k] = w->size[k];
  for (int k = 0; k < rates; k++) scale[f + k] = w->size[k] * frequency;
  for (int k = f + rates; k < n; k++) scale[k] = 1;
}

hn_status hn_linear_make_modes(hn_linear_work *w) {
  const int n = w->result.state_count;
  const size_t square = (size_t)n * (size_t)n;
  ordered *values = HN_TAKE(&w->arena, ordered, n + 1);
  double *vectors = HN_TAKE(&w->arena, double, 2 * square + 1),
         *a = HN_TAKE(&w->arena, double, square + 1);
  room r = {.dq = HN_TAKE(&w->arena, double complex, w->point.n + 1)};
  hn_eigenvalue *eigenvalues = HN_TAKE(&w->arena, hn_eigenvalue, n + 1);
  hn_mode *modes = HN_TAKE(&w->arena, hn_mode, n + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  double *scale = HN_TAKE(&w->arena, double, n + 1);
  if (!scale) return HN_ERROR_MEMORY;
  scale_states(w, scale);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[(size_t)j * (size_t)n + (size_t)i] =
          w->result.a[(size_t)i * (size_t)n + (size_t)j] * (scale[j] / scale[i]);
  hn_status status = solve(w, a, values, vectors);
  for (size_t i = 0; status == HN_OK && i < 2 * square; i++) vectors[i] *= scale[i % (size_t)n];
  if (status != HN_OK) return status;
  for (int k = 0; k < n; k++) {
    eigenvalues[k] = hn_eigenvalue_of(values[k].real, values[k].imaginary);
    if (values[k].imaginary < 0) continue;
    hn_mode *mode = &modes[w->result.mode_count++];
    mode->eigenvalue = k;
    make_mode(w, &vectors[2 * (size_t)n * (size_t)values[k].place], &r, mode);
  }
  w->result.eigenvalue_count = n;
  w->result.eigenvalues = eigenvalues;
  w->result.modes = modes;
  return w->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}
