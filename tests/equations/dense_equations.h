// The equations of a hand model in q written densely, to be differentiated: inertia forces come
// from the kinetic energy by Lagrange's equations (T is a polynomial of degree 4, for which
// sixth-order differences are exact), rows and forces from the elements' own functions in speeds.
#ifndef HN_TESTS_EQUATIONS_DENSE_EQUATIONS_H
#define HN_TESTS_EQUATIONS_DENSE_EQUATIONS_H

#include "elements/differences.h"
#include "equations/tangent.h"
#include "support/tangent.h"

enum { N = 7 * (HAND_BODIES - 1), MOST_ROWS = 160 };

// ---- a model and a moment of its motion ---------------------------------------------------------

typedef struct machine {
  hand_model hand;
  hn_equations *equations;
  hn_tangent *tangent;
  hn_branches branches;
  int rows, element_rows;
} machine;

typedef struct moment {
  double t, q[N], qd[N], qdd[N], lambda[MOST_ROWS];
} moment;

static inline void finish(machine *m, hn_random *random) {
  for (int b = 1; b < HAND_BODIES; b++) {
    hn_body_def *body = &m->hand.bodies[b];
    double off[3];
    hn_random_fill(random, off, 3, -0.2, 0.2);
    body->mass = hn_random_uniform(random, 0.5, 3);
    hn_random_fill(random, body->inertia, 3, 0.8, 2);
    memcpy(&body->inertia[3], off, sizeof off);
  }
  m->hand.model.gravity = vec3(0.3, -9.7, 1.1);
  hand_finish(&m->hand);
  check_ok(hn_cartesian.create(&m->hand.arena, m->hand.elements, NULL, &m->equations, NULL));
  check_ok(hn_tangent_create(&m->hand.arena, m->equations, 0, &m->tangent));
  check_ok(hn_branches_create(&m->hand.arena, m->hand.elements, &m->branches));
  m->rows = m->tangent->rows;
  m->element_rows = m->hand.elements->row_count;
  assert_true(m->rows <= MOST_ROWS);
  assert_int_equal(m->tangent->n, N);
}

static inline void raw_frames(const moment *at, hn_frame frames[HAND_BODIES]) {
  frames[0] = hand_frame(vec3_zero(), quat_identity());
  for (int b = 1; b < HAND_BODIES; b++) {
    const double *q = &at->q[7 * (b - 1)], *qd = &at->qd[7 * (b - 1)];
    hn_quat p = quat_load(q + 3), pd = quat_load(qd + 3);
    frames[b] = (hn_frame){.r = vec3_load(q),
                           .v = vec3_load(qd),
                           .w = vec3_scale(2, euler_e_apply(p, pd)),
                           .a = quat_matrix(p),
                           .p = p,
                           .pd = pd};
  }
}

static inline void classify(machine *m, const moment *at) {
  hn_frame frames[HAND_BODIES];
  raw_frames(at, frames);
  hn_elements_update_turns(m->hand.elements, frames, m->branches.turns);
  hn_branches_classify(m->hand.elements, frames, at->t, &m->branches);
}

// on_sphere: |p| = 1 and p . pd = 0; else anything near.
static inline moment random_moment(machine *m, hn_random *random, int on_sphere) {
  moment at = {.t = hn_random_uniform(random, 0.1, 0.9)};
  hn_random_fill(random, at.qdd, N, -2, 2);
  hn_random_fill(random, at.lambda, m->rows, -3, 3);
  hn_random_fill(random, at.qd, N, -1.5, 1.5);
  for (int b = 0; b < HAND_BODIES - 1; b++) {
    hn_quat p = random_rotation(random);
    hn_vec3 w = random_vector(random, 2);
    vec3_store(&at.q[7 * b], random_vector(random, 1.5));
    quat_store(&at.q[7 * b + 3],
               quat_scale(on_sphere ? 1 : hn_random_uniform(random, 0.9, 1.1), p));
    if (on_sphere) quat_store(&at.qd[7 * b + 3], quat_scale(0.5, euler_e_transposed(p, w)));
  }
  classify(m, &at);
  return at;
}

static inline void evaluate_full(machine *m, const moment *at) {
  hn_error error;
  check_ok(
      tangent_full(m->tangent, at->t, at->q, at->qd, at->qdd, at->lambda, &m->branches, &error));
}

// ---- Lagrange's equations of one body -----------------------------------------------------------

static inline double kinetic(const hn_body_def *body, const double q[7], const double qd[7]) {
  hn_quat rate = quat_multiply(quat_conjugate(quat_load(q + 3)), quat_load(qd + 3));
  hn_vec3 v = vec3_load(qd), w = vec3_scale(2, quat_vector(rate));
  hn_vec3 momentum = mat3_apply(mat3_symmetric(body->inertia), w);
  return 0.5 * (body->mass * vec3_dot(v, v) + vec3_dot(w, momentum));
}

// T against component j of q or qd
static inline double kinetic_slope(const hn_body_def *body, const double q[7], const double qd[7],
                                   int j, int against_rate) {
  const double h = 0.1;
  double sum = 0;
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      double x[7], xd[7];
      memcpy(x, q, sizeof x);
      memcpy(xd, qd, sizeof xd);
      (against_rate ? xd : x)[j] += sign * k * h;
      sum += sign * difference_weight[k - 1] * kinetic(body, x, xd) / h;
    }
  return sum;
}

// d/dt T_qd - T_q
static inline void add_inertia_force(const hn_body_def *body, const double q[7], const double qd[7],
                                     const double qdd[7], double out[7]) {
  const double h = 0.1;
  for (int j = 0; j < 7; j++) {
    out[j] -= kinetic_slope(body, q, qd, j, 0);
    for (int k = 1; k <= 3; k++)
      for (int sign = -1; sign <= 1; sign += 2) {
        double x[7], xd[7], dt = sign * k * h;
        for (int i = 0; i < 7; i++) {
          x[i] = q[i] + dt * qd[i];
          xd[i] = qd[i] + dt * qdd[i];
        }
        out[j] += sign * difference_weight[k - 1] * kinetic_slope(body, x, xd, j, 1) / h;
      }
  }
}

// ---- the dense expressions ----------------------------------------------------------------------

// Everything at one moment, to be differentiated.
typedef struct numbers {
  double residual[N]; // M qdd + Phi_q' lambda - Q
  double force[N];    // of the force elements only
  double phi[MOST_ROWS];
  double rate[MOST_ROWS];   // Phi_q qd + Phi_t
  double second[MOST_ROWS]; // Phi_q qdd - tau
  double tau[MOST_ROWS];
} numbers;

// A force and a torque on a body against (r, p), w = 2 E(p) pd.
static inline void in_q(hn_quat p, hn_vec3 force, hn_vec3 torque, double out[7]) {
  vec3_store(out, force);
  quat_store(out + 3, quat_scale(2, euler_e_transposed(p, torque)));
}

static inline void add_row(const machine *m, const hn_frame *frames, const moment *at, int r,
                           numbers *out) {
  const hn_row *row = &m->hand.elements->rows[r];
  int branch = row->driver >= 0 ? m->branches.driver[row->driver] : 0;
  hn_row_speeds speeds;
  hn_row_in_speeds(m->hand.elements, row, frames, m->branches.turns, at->t, branch, &speeds);
  out->phi[r] = speeds.value;
  out->rate[r] = speeds.rate;
  out->tau[r] = speeds.tau;
  out->second[r] = -speeds.tau;
  for (int k = 0; k < row->body_count; k++) {
    double gradient[7];
    in_q(frames[row->body[k]].p, speeds.n[k], speeds.m[k], gradient);
    for (int i = 0; i < 7; i++) {
      int j = 7 * (row->body[k] - 1) + i;
      out->second[r] += gradient[i] * at->qdd[j];
      out->residual[j] += gradient[i] * at->lambda[r];
    }
  }
}

static inline void add_normalization(const machine *m, const moment *at, int b, numbers *out) {
  int r = m->element_rows + b;
  const double *p = &at->q[7 * b + 3], *pd = &at->qd[7 * b + 3], *pdd = &at->qdd[7 * b + 3];
  out->phi[r] = -0.5;
  out->rate[r] = out->second[r] = out->tau[r] = 0;
  for (int i = 0; i < 4; i++) {
    out->phi[r] += 0.5 * p[i] * p[i];
    out->rate[r] += p[i] * pd[i];
    out->second[r] += p[i] * pdd[i] + pd[i] * pd[i];
    out->tau[r] -= pd[i] * pd[i];
    out->residual[7 * b + 3 + i] += p[i] * at->lambda[r];
  }
}

static inline void add_force(const machine *m, const hn_frame *frames, double t, int f,
                             numbers *out) {
  hn_wrench wrench[HAND_BODIES] = {0};
  hn_force_value value;
  check_ok(hn_force_in_speeds(m->hand.elements, f, frames, m->branches.turns, t,
                              m->branches.force[f], wrench, &value));
  for (int b = 1; b < HAND_BODIES; b++) {
    double q[7];
    in_q(frames[b].p, wrench[b].force, wrench[b].torque, q);
    for (int i = 0; i < 7; i++) {
      out->force[7 * (b - 1) + i] += q[i];
      out->residual[7 * (b - 1) + i] -= q[i];
    }
  }
}

static inline void express(const machine *m, const moment *at, numbers *out) {
  hn_frame frames[HAND_BODIES];
  raw_frames(at, frames);
  memset(out, 0, sizeof *out);
  for (int r = 0; r < m->element_rows; r++) add_row(m, frames, at, r, out);
  for (int f = 0; f < m->hand.model.force_count; f++) add_force(m, frames, at->t, f, out);
  for (int b = 0; b < HAND_BODIES - 1; b++) {
    const hn_body_def *body = &m->hand.bodies[b + 1];
    add_normalization(m, at, b, out);
    add_inertia_force(body, &at->q[7 * b], &at->qd[7 * b], &at->qdd[7 * b], &out->residual[7 * b]);
    for (int i = 0; i < 3; i++)
      out->residual[7 * b + i] -= body->mass * vec3_get(m->hand.model.gravity, i);
  }
}

// d/dh of all numbers at `at` + h direction
static inline void differentiate(const machine *m, const moment *at, const moment *direction,
                                 numbers *out) {
  enum { COUNT = sizeof(numbers) / sizeof(double), MOVED = 1 + 3 * N };
  double sum[COUNT] = {0};
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      moment moved = *at;
      moved.t += sign * k * step * direction->t;
      for (int i = 0; i < N; i++) {
        moved.q[i] += sign * k * step * direction->q[i];
        moved.qd[i] += sign * k * step * direction->qd[i];
        moved.qdd[i] += sign * k * step * direction->qdd[i];
      }
      numbers there;
      double flat[COUNT];
      express(m, &moved, &there);
      memcpy(flat, &there, sizeof there);
      for (int i = 0; i < COUNT; i++) sum[i] += sign * difference_weight[k - 1] * flat[i] / step;
    }
  memcpy(out, sum, sizeof *out);
}

#endif
