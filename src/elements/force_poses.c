// Derivatives of forces against small motions (force.h), from those in (r, p). With
// (r, p) = T (translation, rotation) and its rate U against a rotation at fixed speeds,
//
//   wrench = T' Q,   d_speed = T' Q_qd T,
//   d_pose = T' (Q_q T + Q_qd U) and what the torque turns with p
#include <string.h>

#include "elements/force.h"
#include "elements/force_types.h"

// T and U of one body.
typedef struct local_map {
  double pose[7][6], rate[7][6];
} local_map;

static hn_quat half_turn(const hn_frame *f, int i) {
  return quat_scale(0.5, euler_e_transposed(f->p, vec3(i == 0, i == 1, i == 2)));
}

static local_map map_of(const hn_frame *f) {
  local_map m;
  memset(&m, 0, sizeof m);
  for (int i = 0; i < 3; i++) {
    hn_quat dp = half_turn(f, i), dpd = quat_scale(0.5, euler_e_transposed(dp, f->w));
    double p[4], pd[4];
    quat_store(p, dp);
    quat_store(pd, dpd);
    m.pose[i][i] = 1;
    for (int k = 0; k < 4; k++) {
      m.pose[3 + k][3 + i] = p[k];
      m.rate[3 + k][3 + i] = pd[k];
    }
  }
  return m;
}

// out (6 x 6) += left' block right, block of q_q or q_qd (7 x 7).
static void add_block(double left[7][6], const double *block, double right[7][6], double *out) {
  double half[7][6] = {{0}};
  for (int i = 0; i < 7; i++)
    for (int k = 0; k < 7; k++) {
      double x = block[HN_LOCAL * i + k];
      if (x == 0) continue;
      for (int j = 0; j < 6; j++) half[i][j] += x * right[k][j];
    }
  for (int k = 0; k < 7; k++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) out[12 * i + j] += left[k][i] * half[k][j];
}

static void chain(const hn_force_tangent *force, const hn_frame *frames, hn_force_load *out) {
  local_map map[2];
  memset(out, 0, sizeof *out);
  for (int a = 0; a < 2; a++) {
    out->body[a] = force->body[a];
    map[a] = map_of(&frames[force->body[a]]);
  }
  for (int a = 0; a < 2; a++) {
    hn_quat q_p = quat_load(&force->q[7 * a + 3]);
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < 7; k++) {
        out->wrench[6 * a + i] += map[a].pose[k][i] * force->q[7 * a + k];
        out->rate[6 * a + i] += map[a].pose[k][i] * force->q_t[7 * a + k];
      }
    for (int b = 0; b < 2; b++) {
      double *d_pose = &out->d_pose[6 * a][6 * b], *d_speed = &out->d_speed[6 * a][6 * b];
      const double *q_q = &force->q_q[7 * a][7 * b], *q_qd = &force->q_qd[7 * a][7 * b];
      add_block(map[a].pose, q_q, map[b].pose, d_pose);
      add_block(map[a].pose, q_qd, map[b].rate, d_pose);
      add_block(map[a].pose, q_qd, map[b].pose, d_speed);
    }
    for (int i = 0; i < 3; i++) { // the torque E q_p / 2 turns with p
      hn_vec3 turned = euler_e_apply(half_turn(&frames[force->body[a]], i), q_p);
      for (int k = 0; k < 3; k++)
        out->d_pose[6 * a + 3 + k][6 * a + 3 + i] += 0.5 * vec3_get(turned, k);
    }
  }
}

hn_status hn_force_in_poses(const hn_elements *elements, int force, const hn_frame *frames,
                            const double *turns, double t, hn_branch branch, hn_force_load *out) {
  const hn_force_def *def = &elements->model->forces[force];
  hn_force_tangent in_q;
  hn_status status = hn_force_needs_differences(def)
                         ? hn_user_differences(def, frames, t, &in_q)
                         : hn_force_in_q(elements, force, frames, turns, t, branch, &in_q);
  if (status == HN_OK) chain(&in_q, frames, out);
  return status;
}
