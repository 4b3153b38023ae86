// Loads on one body that are given functions of time: point force and torque, along global axes or
// along the axes of the body ("following").
//
// Force F at P = r + A s:  Q_r = F, Q_p = B(p, s)' F, so with P_q = [I B(p, s)], Pd_q = [0 B(pd,
// s)]
//   Q_q = P_q' F_q + [0 0; 0 K(s, F)],   F_q = F_P P_q + F_Pd Pd_q + [0 F_p],   F_qd = F_Pd P_q.
// Torque n: Q_p = 2 E(p)' n; following, n = A c and E' A = G' on |p| = 1: Q_p = 2 G(p)' c. Both are
// linear in p, and off |p| = 1 these are what Q means.
#include "elements/force_types.h"

// The three components at t on a frozen time branch, and their rates.
static hn_vec3 components(const hn_force_def *force, int code, double t, hn_vec3 *rate) {
  int piece[3] = {code, code, code};
  double value[3] = {0, 0, 0}, d1[3] = {0, 0, 0};
  if (code != HN_BRANCH_FREE) hn_pieces_decode(3, force->component_law, code, piece);
  for (int k = 0; k < 3; k++) {
    if (!force->component_law[k]) continue;
    hn_law_value at = hn_law_evaluate(force->component_law[k], piece[k], t);
    value[k] = at.value;
    d1[k] = at.d1;
  }
  *rate = vec3_load(d1);
  return vec3_load(value);
}

// ---- point force --------------------------------------------------------------------------------

static hn_status point_force_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                       const hn_frame *frames, double t, hn_branch branch,
                                       hn_wrench *wrench, hn_force_value *out) {
  (void)elements;
  int body = force->frame2.body;
  const hn_frame *frame = &frames[body];
  hn_vec3 rate, f = components(force, branch.time, t, &rate);
  if (force->following) f = mat3_apply(frame->a, f);
  hn_vec3 arm = mat3_apply(frame->a, force->frame2.position);
  wrench[body].force = vec3_add(wrench[body].force, f);
  wrench[body].torque = vec3_add(wrench[body].torque, vec3_cross(arm, f));
  out->value = vec3_norm(f);
  out->power = vec3_dot(f, point_velocity(frame, force->frame2.position));
  out->direction = f;
  return HN_OK;
}

// out (3 x 7) = d [I b], for a 3 x 3 d and 3 x 4 b
static void multiply_point_gradient(hn_mat3 d, double b[3][4], double out[3][7]) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) out[i][j] = d.m[i][j];
    for (int j = 0; j < 4; j++)
      out[i][3 + j] = d.m[i][0] * b[0][j] + d.m[i][1] * b[1][j] + d.m[i][2] * b[2][j];
  }
}

// out (7) = [I b]' f
static void pull_back(double b[3][4], const double f[3], double out[7]) {
  for (int i = 0; i < 3; i++) out[i] = f[i];
  for (int j = 0; j < 4; j++) out[3 + j] = b[0][j] * f[0] + b[1][j] * f[1] + b[2][j] * f[2];
}

// out, block of slot 1 (7 x 7) += [I b]' f
static void add_pulled_back(double b[3][4], double f[3][7], double out[HN_LOCAL][HN_LOCAL]) {
  for (int j = 0; j < 7; j++) {
    double column[3] = {f[0][j], f[1][j], f[2][j]}, pulled[7];
    pull_back(b, column, pulled);
    for (int i = 0; i < 7; i++) out[7 + i][7 + j] += pulled[i];
  }
}

void hn_point_load_in_q(const hn_frame *frame, hn_vec3 s, const hn_point_load *load,
                        hn_force_tangent *out) {
  double b[3][4], bd[3][4], k[4][4], f_q[3][7], f_qd[3][7];
  hn_euler_b(frame->p, s, b);
  hn_euler_b(frame->pd, s, bd);
  hn_euler_k(s, load->force, k);
  multiply_point_gradient(load->d_position, b, f_q);
  multiply_point_gradient(load->d_velocity, b, f_qd);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) {
      f_q[i][3 + j] += load->d_orientation[i][j];
      for (int l = 0; l < 3; l++) f_q[i][3 + j] += load->d_velocity.m[i][l] * bd[l][j];
    }
  double force[3], d_time[3];
  vec3_store(force, load->force);
  vec3_store(d_time, load->d_time);
  pull_back(b, force, &out->q[7]);
  pull_back(b, d_time, &out->q_t[7]);
  add_pulled_back(b, f_q, out->q_q);
  add_pulled_back(b, f_qd, out->q_qd);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) out->q_q[10 + i][10 + j] += k[i][j];
}

static hn_status point_force_in_q(const hn_elements *elements, const hn_force_def *force,
                                  const hn_frame *frames, double t, hn_branch branch,
                                  hn_force_tangent *out) {
  (void)elements;
  const hn_frame *frame = &frames[force->frame2.body];
  hn_vec3 rate, c = components(force, branch.time, t, &rate);
  hn_point_load load = {.force = c, .d_time = rate};
  if (force->following) {
    load.force = mat3_apply(frame->a, c);
    load.d_time = mat3_apply(frame->a, rate);
    hn_euler_b(frame->p, c, load.d_orientation);
  }
  hn_point_load_in_q(frame, force->frame2.position, &load, out);
  return HN_OK;
}

// ---- torque -------------------------------------------------------------------------------------

static hn_status torque_in_speeds(const hn_elements *elements, const hn_force_def *force,
                                  const hn_frame *frames, double t, hn_branch branch,
                                  hn_wrench *wrench, hn_force_value *out) {
  (void)elements;
  int body = force->frame2.body;
  hn_vec3 rate, n = components(force, branch.time, t, &rate);
  if (force->following) n = mat3_apply(frames[body].a, n);
  wrench[body].torque = vec3_add(wrench[body].torque, n);
  out->value = vec3_norm(n);
  out->power = vec3_dot(n, frames[body].w);
  return HN_OK;
}

// 2 E(p)' n, or 2 G(p)' n when following
static void torque_on_parameters(int following, hn_quat p, hn_vec3 n, double out[4]) {
  double e[3][4];
  if (following)
    hn_euler_g(p, e);
  else
    hn_euler_e(p, e);
  for (int j = 0; j < 4; j++) out[j] = 2 * (e[0][j] * n.x + e[1][j] * n.y + e[2][j] * n.z);
}

static hn_status torque_in_q(const hn_elements *elements, const hn_force_def *force,
                             const hn_frame *frames, double t, hn_branch branch,
                             hn_force_tangent *out) {
  (void)elements;
  const hn_frame *frame = &frames[force->frame2.body];
  hn_vec3 rate, n = components(force, branch.time, t, &rate);
  torque_on_parameters(force->following, frame->p, n, &out->q[10]);
  torque_on_parameters(force->following, frame->p, rate, &out->q_t[10]);
  for (int j = 0; j < 4; j++) { // linear in p: column j is the value at the unit vector j
    double unit[4] = {0, 0, 0, 0}, column[4];
    unit[j] = 1;
    torque_on_parameters(force->following, quat_load(unit), n, column);
    for (int i = 0; i < 4; i++) out->q_q[10 + i][10 + j] = column[i];
  }
  return HN_OK;
}

static hn_branch time_branch(const hn_elements *elements, const hn_force_def *force,
                             const hn_frame *frames, double t) {
  (void)elements;
  (void)frames;
  return (hn_branch){0, hn_pieces_encode(3, force->component_law, (double[]){t, t, t})};
}

const hn_force_row hn_row_HN_FORCE_POINT_FORCE = {
    .in_speeds = point_force_in_speeds, .in_q = point_force_in_q, .branch = time_branch};
const hn_force_row hn_row_HN_FORCE_TORQUE = {
    .in_speeds = torque_in_speeds, .in_q = torque_in_q, .branch = time_branch, .turns = 1};
