// Loads on one body that are given functions of time: point force and torque, along global axes or
// along the axes of the body ("following").
//
// Force F at P = r + A s, a = A s: W = (F, a x F), and with a small motion (dr, turn) at fixed speeds
//   dP = dr + turn x a,   dPd = w x (turn x a),   dW = (dF, (turn x a) x F + a x dF).
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

// Adds to column k of slot 1 what a change of the force and of its arm make of the wrench.
static void add_column(hn_vec3 arm, hn_vec3 change, hn_vec3 torque, double out[HN_POSES][HN_POSES],
                       int k) {
  torque = vec3_add(torque, vec3_cross(arm, change));
  for (int i = 0; i < 3; i++) {
    out[6 + i][6 + k] += vec3_get(change, i);
    out[9 + i][6 + k] += vec3_get(torque, i);
  }
}

void hn_point_load_in_poses(const hn_frame *frame, hn_vec3 s, const hn_point_load *load,
                            hn_force_load *out) {
  const hn_vec3 arm = mat3_apply(frame->a, s), zero = vec3_zero();
  vec3_store(&out->wrench[6], load->force);
  vec3_store(&out->wrench[9], vec3_cross(arm, load->force));
  vec3_store(&out->rate[6], load->d_time);
  vec3_store(&out->rate[9], vec3_cross(arm, load->d_time));
  for (int k = 0; k < 6; k++) {
    const hn_vec3 unit = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    const hn_vec3 swing = k < 3 ? zero : vec3_cross(unit, arm), moved = k < 3 ? unit : swing;
    const hn_vec3 faster = mat3_apply(load->d_velocity, vec3_cross(frame->w, swing));
    add_column(arm, vec3_add(mat3_apply(load->d_position, moved), faster),
               vec3_cross(swing, load->force), out->d_pose, k);
    add_column(arm, mat3_apply(load->d_velocity, moved), zero, out->d_speed, k);
  }
}

static hn_status point_force_in_poses(const hn_elements *elements, const hn_force_def *force,
                                      const hn_frame *frames, double t, hn_branch branch,
                                      hn_force_load *out) {
  (void)elements;
  const hn_frame *frame = &frames[force->frame2.body];
  const hn_vec3 arm = mat3_apply(frame->a, force->frame2.position);
  hn_point_load load = {.force = vec3_zero()};
  load.force = components(force, branch.time, t, &load.d_time);
  if (force->following) {
    load.force = mat3_apply(frame->a, load.force);
    load.d_time = mat3_apply(frame->a, load.d_time);
    for (int k = 0; k < 3; k++)
      add_column(arm, vec3_cross(vec3(k == 0, k == 1, k == 2), load.force), vec3_zero(),
                 out->d_pose, 3 + k);
  }
  hn_point_load_in_poses(frame, force->frame2.position, &load, out);
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

static hn_status torque_in_poses(const hn_elements *elements, const hn_force_def *force,
                                 const hn_frame *frames, double t, hn_branch branch,
                                 hn_force_load *out) {
  (void)elements;
  const hn_frame *frame = &frames[force->frame2.body];
  hn_vec3 rate, n = components(force, branch.time, t, &rate);
  if (force->following) {
    n = mat3_apply(frame->a, n);
    rate = mat3_apply(frame->a, rate);
    for (int k = 0; k < 3; k++)
      add_column(vec3_zero(), vec3_zero(), vec3_cross(vec3(k == 0, k == 1, k == 2), n), out->d_pose,
                 3 + k);
  }
  vec3_store(&out->wrench[9], n);
  vec3_store(&out->rate[9], rate);
  return HN_OK;
}

static hn_branch time_branch(const hn_elements *elements, const hn_force_def *force,
                             const hn_frame *frames, double t) {
  (void)elements;
  (void)frames;
  return (hn_branch){0, hn_pieces_encode(3, force->component_law, (double[]){t, t, t})};
}

const hn_force_row hn_row_HN_FORCE_POINT_FORCE = {
    .in_speeds = point_force_in_speeds, .in_poses = point_force_in_poses, .branch = time_branch};
const hn_force_row hn_row_HN_FORCE_TORQUE = {
    .in_speeds = torque_in_speeds, .in_poses = torque_in_poses, .branch = time_branch, .turns = 1};
