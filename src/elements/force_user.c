// User forces: the user sees poses and speeds of two bodies and gives wrenches W (12), with
// derivatives against small motions (translation, rotation vector, global axes) and speeds.
#include "elements/force_types.h"

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

static hn_status user_in_poses(const hn_elements *elements, const hn_force_def *force,
                               const hn_frame *frames, double t, hn_branch branch,
                               hn_force_load *out) {
  (void)elements;
  (void)branch;
  const hn_user_force *user = &force->user;
  hn_body_motion motion[2];
  hn_wrench wrench[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  motions(force, frames, motion);
  out->body[0] = force->frame1.body;
  hn_status status = user->has_derivatives ? user->evaluate(user->context, t, motion, wrench,
                                                            out->d_pose, out->d_speed, out->rate)
                                           : hn_user_differences(user, t, motion, wrench, out);
  for (int k = 0; k < 2; k++) {
    vec3_store(&out->wrench[6 * k], wrench[k].force);
    vec3_store(&out->wrench[6 * k + 3], wrench[k].torque);
  }
  return status;
}

const hn_force_row hn_row_HN_FORCE_USER = {
    .in_speeds = user_in_speeds, .in_poses = user_in_poses, .has_rates = hn_force_always};
