// Frames on bodies from global points and directions in the reference configuration.
//
// The drawn orientation C of the wanted frame has z = axis / |axis| and x perpendicular to it; on a
// body drawn with orientation p the frame is conj(p) C. C depends on the global directions only, so
// two bodies joined along one axis get parallel frames and their angle is zero in the reference
// configuration. A direction that does not exist (axis of length zero, reference parallel to it)
// gives a null quaternion, which hn_model_finish reports with the element's name.
#include "math/euler.h"
#include "model/storage.h"

hn_vec3 hn_model_drawn_point(const hn_model *model, const hn_frame_on_body *frame) {
  const hn_body_def *body = &model->bodies[frame->body];
  return vec3_add(body->position, mat3_apply(quat_matrix(body->orientation), frame->position));
}

hn_mat3 hn_model_drawn_axes(const hn_model *model, const hn_frame_on_body *frame) {
  const hn_body_def *body = &model->bodies[frame->body];
  return quat_matrix(quat_multiply(body->orientation, frame->orientation));
}

double hn_model_drawn_distance(const hn_model *model, const hn_frame_on_body *frame1,
                               const hn_frame_on_body *frame2) {
  return vec3_norm(
      vec3_sub(hn_model_drawn_point(model, frame2), hn_model_drawn_point(model, frame1)));
}

static hn_frame_on_body place(const hn_model *model, int body, hn_vec3 point, hn_quat drawn) {
  hn_frame_on_body frame = {body, point, drawn};
  if (!model || body < 0 || body >= model->body_count) return frame; // finish names the body
  const hn_body_def *def = &model->bodies[body];
  hn_mat3 a = quat_matrix(def->orientation);
  frame.position = mat3_apply_transposed(a, vec3_sub(point, def->position));
  frame.orientation = quat_multiply(quat_conjugate(def->orientation), drawn);
  return frame;
}

// Scaled by the largest entry first, so that tiny and huge vectors have a direction too.
static hn_vec3 direction(hn_vec3 v) {
  double largest = fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z)));
  if (!(largest > 0) || !isfinite(largest)) return vec3_zero();
  return vec3_unit(vec3_scale(1 / largest, v));
}

static hn_quat drawn_orientation(hn_vec3 axis, hn_vec3 reference) {
  const hn_quat none = {0, 0, 0, 0};
  hn_vec3 z = direction(axis), x = direction(reference);
  if (!(vec3_dot(z, z) > 0) || !(vec3_dot(x, x) > 0)) return none;
  x = vec3_add_scaled(x, -vec3_dot(z, x), z);
  if (!(vec3_norm(x) > 1e-9)) return none;
  x = vec3_unit(x);
  x = vec3_unit(vec3_add_scaled(x, -vec3_dot(z, x), z)); // once more: nearly parallel ones
  return quat_from_matrix(mat3_from_columns(x, vec3_cross(z, x), z));
}

// Global x serves as reference unless the axis is within 26 degrees of it, then global y: a rule
// with its switch far from the directions people draw, so rounding in an axis does not turn x.
hn_frame_on_body hn_model_frame(const hn_model *model, int body, hn_vec3 point, hn_vec3 axis) {
  hn_vec3 z = direction(axis);
  hn_vec3 reference = fabs(z.x) < 0.9 ? vec3(1, 0, 0) : vec3(0, 1, 0);
  return place(model, body, point, drawn_orientation(axis, reference));
}

hn_frame_on_body hn_model_frame2(const hn_model *model, int body, hn_vec3 point, hn_vec3 axis,
                                 hn_vec3 reference) {
  return place(model, body, point, drawn_orientation(axis, reference));
}
