// User forces: the user sees poses and speeds of two bodies and gives wrenches W (12), with
// derivatives against small motions (translation dr, rotation vector dpi, global axes) and speeds.
//
// In q = (r, p): dpi = 2 E(p) dp and w = 2 E(p) pd = -2 E(pd) p, so with J = [I 0; 0 2 E(p)] a body
//   Q    = J' W
//   Q_q  = J' (W_pose J + W_speed V_q) + [0 0; 0 2 (E' torque)_p],   V_q = [0 0; 0 -2 E(pd)]
//   Q_qd = J' W_speed J
// dpi = 2 E dp holds for changes that keep |p| = 1 (p . dp = 0); along p itself a rotation has no
// meaning and Q_q p is only a continuation. Every method multiplies Q_q by directions that keep the
// normalization, so this is exact where it is used.
#include <string.h>

#include "elements/force_types.h"

enum { WRENCHES = 12 };

static void motions(const hn_force_def *force, const hn_frame *frames, hn_body_motion motion[2]) {
  int body[2] = {force->frame1.body, force->frame2.body};
  for (int k = 0; k < 2; k++) {
    const hn_frame *f = &frames[body[k]];
    motion[k] = (hn_body_motion){f->r, f->a, f->v, f->w};
  }
}

static hn_status user_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                const hn_frame *frames, double t, hn_branch branch,
                                hn_wrench *wrench, hn_force_value *out) {
  (void)elements;
  (void)branch;
  hn_body_motion motion[2];
  hn_wrench own[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  motions(force, frames, motion);
  hn_status status = force->user.evaluate(force->user.context, t, motion, own, NULL, NULL, NULL);
  if (status != HN_OK) return status;
  int body[2] = {force->frame1.body, force->frame2.body};
  for (int k = 0; k < 2; k++) {
    hn_wrench *sum = &wrench[body[k]];
    sum->force = vec3_add(sum->force, own[k].force);
    sum->torque = vec3_add(sum->torque, own[k].torque);
    out->power += vec3_dot(own[k].force, motion[k].velocity) +
                  vec3_dot(own[k].torque, motion[k].angular_velocity);
  }
  out->direction = own[1].force;
  out->value = vec3_norm(own[1].force);
  return HN_OK;
}

// A block of J or V_q for one body: rows of the wrench or speeds, columns r and p.
static void place_block(double identity, double factor, hn_quat p, int k,
                        double out[WRENCHES][HN_LOCAL]) {
  double e[3][4];
  hn_euler_e(p, e);
  for (int i = 0; i < 3; i++) {
    out[6 * k + i][7 * k + i] = identity;
    for (int j = 0; j < 4; j++) out[6 * k + 3 + i][7 * k + 3 + j] = factor * e[i][j];
  }
}

// out = a b (12 x 12 times 12 x 14), added
static void add_product(const double a[WRENCHES][WRENCHES], double b[WRENCHES][HN_LOCAL],
                        double out[WRENCHES][HN_LOCAL]) {
  for (int i = 0; i < WRENCHES; i++)
    for (int k = 0; k < WRENCHES; k++)
      for (int j = 0; j < HN_LOCAL; j++) out[i][j] += a[i][k] * b[k][j];
}

// out = j' a (14 x 14), added
static void add_pulled_back(double j[WRENCHES][HN_LOCAL], double a[WRENCHES][HN_LOCAL],
                            double out[HN_LOCAL][HN_LOCAL]) {
  for (int k = 0; k < WRENCHES; k++)
    for (int i = 0; i < HN_LOCAL; i++)
      for (int l = 0; l < HN_LOCAL; l++) out[i][l] += j[k][i] * a[k][l];
}

// (2 E(p)' n)_p on the diagonal block of body k: linear in p, so column j is its value at unit j
static void add_torque_curvature(hn_vec3 n, int k, double out[HN_LOCAL][HN_LOCAL]) {
  for (int j = 0; j < 4; j++) {
    double unit[4] = {0, 0, 0, 0}, column[4];
    unit[j] = 1;
    quat_store(column, quat_scale(2, euler_e_transposed(quat_load(unit), n)));
    for (int i = 0; i < 4; i++) out[7 * k + 3 + i][7 * k + 3 + j] += column[i];
  }
}

void hn_wrench_in_q(const hn_frame *frame, const hn_wrench_tangent *w, hn_force_tangent *out) {
  double e[3][4], ed[3][4], w_q[6][7], w_qd[6][7];
  hn_euler_e(frame->p, e);
  hn_euler_e(frame->pd, ed);
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 7; j++) {
      w_q[i][j] = j < 3 ? w->d_pose[i][j] : 0;
      w_qd[i][j] = j < 3 ? w->d_speed[i][j] : 0;
      for (int k = 0; k < 3 && j >= 3; k++) {
        w_q[i][j] += 2 * (w->d_pose[i][3 + k] * e[k][j - 3] - w->d_speed[i][3 + k] * ed[k][j - 3]);
        w_qd[i][j] += 2 * w->d_speed[i][3 + k] * e[k][j - 3];
      }
    }
  for (int i = 0; i < 7; i++)
    for (int k = i < 3 ? i : 3; k < (i < 3 ? i + 1 : 6); k++) {
      double factor = i < 3 ? 1 : 2 * e[k - 3][i - 3]; // row k of J at column i
      out->q[7 + i] += factor * w->value[k];
      out->q_t[7 + i] += factor * w->d_time[k];
      for (int j = 0; j < 7; j++) {
        out->q_q[7 + i][7 + j] += factor * w_q[k][j];
        out->q_qd[7 + i][7 + j] += factor * w_qd[k][j];
      }
    }
  add_torque_curvature(vec3_load(&w->value[3]), 1, out->q_q);
}

typedef struct user_work {
  double j[WRENCHES][HN_LOCAL], v_q[WRENCHES][HN_LOCAL];
  double w_q[WRENCHES][HN_LOCAL], w_qd[WRENCHES][HN_LOCAL];
} user_work;

void hn_wrenches_in_q(const int body[2], const hn_frame *frames, const hn_wrench wrench[2],
                      const hn_wrench_derivatives *d, hn_force_tangent *out) {
  user_work work;
  double w[WRENCHES];
  memset(&work, 0, sizeof work);
  for (int k = 0; k < 2; k++) {
    const hn_frame *frame = &frames[body[k]];
    out->body[k] = body[k];
    place_block(1, 2, frame->p, k, work.j);
    place_block(0, -2, frame->pd, k, work.v_q);
    vec3_store(&w[6 * k], wrench[k].force);
    vec3_store(&w[6 * k + 3], wrench[k].torque);
    add_torque_curvature(wrench[k].torque, k, out->q_q);
  }
  add_product(d->pose, work.j, work.w_q);
  add_product(d->velocity, work.v_q, work.w_q);
  add_product(d->velocity, work.j, work.w_qd);
  add_pulled_back(work.j, work.w_q, out->q_q);
  add_pulled_back(work.j, work.w_qd, out->q_qd);
  for (int k = 0; k < WRENCHES; k++)
    for (int i = 0; i < HN_LOCAL; i++) {
      out->q[i] += work.j[k][i] * w[k];
      out->q_t[i] += work.j[k][i] * d->time[k];
    }
}

static hn_status user_in_q(const hn_elements *elements, const hn_force_def *force,
                           const hn_frame *frames, double t, hn_branch branch,
                           hn_force_tangent *out) {
  (void)elements;
  (void)branch;
  if (!force->user.has_derivatives) return HN_ERROR_UNSUPPORTED;
  hn_body_motion motion[2];
  hn_wrench wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  hn_wrench_derivatives d;
  memset(&d, 0, sizeof d);
  motions(force, frames, motion);
  hn_status status =
      force->user.evaluate(force->user.context, t, motion, wrench, d.pose, d.velocity, d.time);
  if (status != HN_OK) return status;
  const int body[2] = {force->frame1.body, force->frame2.body};
  hn_wrenches_in_q(body, frames, wrench, &d, out);
  return HN_OK;
}

static int has_rates(const hn_force_def *force) { return force != NULL; }

const hn_force_row hn_row_HN_FORCE_USER = {
    .in_speeds = user_in_speeds, .in_q = user_in_q, .has_rates = has_rates};
