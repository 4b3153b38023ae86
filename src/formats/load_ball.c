// ball-spring-damper: a spring and damper on the relative rotation of two bodies, in any direction.
//
//   torque on the second = - stiffness phi - damping (w2 - w1),   on the first the opposite,
//
// phi being the rotation vector from the reference configuration, up to half a turn. With a small
// rotation dpi of the bodies (global axes)
//
//   dphi = K (dpi2 - dpi1) + dpi1 x phi,   K = 1 - phi~/2 + k(|phi|) phi~ phi~,
//   k(t) = 1/t^2 - (1 + cos t)/(2 t sin t)
//
// It is a force as users write them in C, with exact derivatives.
#include <math.h>

#include "formats/joint.h"
#include "formats/load_ball.h"
#include "math/elementary.h"
#include "model/model.h"

typedef struct ball {
  double stiffness, damping;
  hn_mat3 axes[2]; // of the file, in the reference configuration, on each body
} ball;

static hn_vec3 turn_of(hn_mat3 r) {
  hn_quat p = quat_from_matrix(r);
  hn_vec3 e = vec3(p.x, p.y, p.z);
  if (p.w < 0) {
    p.w = -p.w;
    e = vec3_negate(e);
  }
  double s = vec3_norm(e);
  return s < 1e-8 ? vec3_scale(2, e) : vec3_scale(2 * hn_atan2(s, p.w) / s, e);
}

// The part of the curvature that is left of K, also for small angles.
static double bend(double t) {
  if (t < 1e-3) return 1.0 / 12 + t * t / 720;
  return 1 / (t * t) - (1 + hn_cos(t)) / (2 * t * hn_sin(t));
}

static hn_mat3 slope(hn_vec3 phi) {
  hn_mat3 s = mat3_skew(phi);
  return mat3_add(mat3_add(mat3_identity(), mat3_scale(-0.5, s)),
                  mat3_scale(bend(vec3_norm(phi)), mat3_multiply(s, s)));
}

// Puts +a where a body feels what it does, -a where it feels the other.
static void place(double to[12][12], int row, int column, double sign, hn_mat3 a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) to[6 * row + 3 + i][6 * column + 3 + j] += sign * a.m[i][j];
}

static hn_status evaluate(void *context, double time, const hn_body_motion body[2],
                          hn_wrench wrench[2], double d_pose[12][12], double d_velocity[12][12],
                          double d_time[12]) {
  const ball *b = context;
  hn_vec3 spin = vec3_sub(body[1].angular_velocity, body[0].angular_velocity), phi = vec3_zero();
  (void)time, (void)d_time;
  if (b->stiffness != 0) {
    hn_mat3 first = mat3_multiply(body[0].rotation, b->axes[0]);
    hn_mat3 second = mat3_multiply(body[1].rotation, b->axes[1]);
    phi = turn_of(mat3_multiply(second, mat3_transpose(first)));
  }
  wrench[1].torque = vec3_sub(vec3_scale(-b->stiffness, phi), vec3_scale(b->damping, spin));
  wrench[0].torque = vec3_negate(wrench[1].torque);
  if (!d_pose || !d_velocity) return HN_OK;
  hn_mat3 second = mat3_scale(-b->stiffness, slope(phi));
  hn_mat3 first = mat3_add(mat3_scale(-1, second), mat3_scale(b->stiffness, mat3_skew(phi)));
  hn_mat3 speed = mat3_scale(-b->damping, mat3_identity());
  for (int row = 0; row < 2; row++) {
    double sign = row == 1 ? 1 : -1;
    place(d_pose, row, 1, sign, second);
    place(d_pose, row, 0, sign, first);
    place(d_velocity, row, 1, sign, speed);
    place(d_velocity, row, 0, -sign, speed);
  }
  return HN_OK;
}

void hn_build_ball(hn_fields *fields, hn_force_def *def) {
  hn_loader *loader = fields->context->loader;
  hn_ends ends;
  if (!hn_field_bodies(fields, &ends)) return;
  ball *b = HN_TAKE(&loader->model->arena, ball, 1);
  if (!b) {
    hn_loader_fail(loader, HN_ERROR_MEMORY, NULL, "Close other programs.",
                   "does not fit into memory");
    return;
  }
  b->stiffness = def->stiffness[0] = hn_field_number(fields, "stiffness");
  b->damping = def->damping[0] = hn_field_number(fields, "damping");
  hn_drawn_frame drawn = {hn_body_center(ends.body[1]), mat3_identity()};
  def->frame1 = hn_frame_on(ends.body[0], &drawn);
  def->frame2 = hn_frame_on(ends.body[1], &drawn);
  b->axes[0] = quat_matrix(def->frame1.orientation);
  b->axes[1] = quat_matrix(def->frame2.orientation);
  def->user = (hn_user_force){evaluate, b, 1, 1};
}

int hn_force_is_ball(const hn_force_def *def) {
  return def->type == HN_FORCE_USER && def->user.evaluate == evaluate;
}
