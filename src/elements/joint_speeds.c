// Rows of a joint in speeds. With a = A1 s (an axis of body 1), d = origin 2 - origin 1, arms s1, s2:
//
//   displacement  a . d   n2 = a, m2 = s2 x a, n1 = -a, m1 = a x (d + s1)
//   axes          a . b   m1 = a x b = -m2
//   distance      d . d / 2l - l/2   with e = d/l: n2 = e, m2 = s2 x e, n1 = -e, m1 = e x s1
#include "elements/joint_speeds.h"

#include "elements/joints.h"
#include "elements/measure_make.h"
#include "model/joint_types.h"

hn_joint_shape hn_joint_shape_of(const hn_elements *elements, int joint) {
  const hn_joint_def *def = &elements->model->joints[joint];
  const hn_frame_on_body *frame1 = &def->frame1, *frame2 = &def->frame2;
  hn_joint_shape shape = {.body = {frame1->body, frame2->body}, .frame = {frame1, frame2}};
  int rows = hn_joint_row_count(def);
  if (frame1->body == frame2->body) return shape;
  if (hn_joint_has_row(def->type, HN_JOINT_ROW_DISTANCE)) {
    shape.length = 2 * elements->rows[elements->joint_row[joint]].constant;
    shape.rows = shape.length > 0;
    return shape;
  }
  for (int k = 0; k < rows; k++) {
    int axis1, axis2;
    if (!hn_joint_row_axes(def->type, k, &axis1, &axis2)) return shape;
    shape.axis1[k] = (signed char)axis1;
    shape.axis2[k] = (signed char)axis2;
  }
  shape.rows = (signed char)rows;
  return shape;
}

// What a row a . x is made of, a an axis of body 1: the rate of a . x is a . rate, its second derivative
// at zero accelerations a . second. Since a turns with w1, (w1 x a) . x = a . (x x w1).
typedef struct factor {
  hn_vec3 x, rate, second;
} factor;

static inline factor seen_from(hn_vec3 w1, hn_vec3 x, hn_vec3 xd, hn_vec3 xdd) {
  const hn_vec3 turned = vec3_cross(x, w1);
  factor f = {x, vec3_add(xd, turned), vec3_zero()};
  // w1 x (w1 x x) + 2 xd x w1 + xdd
  f.second = vec3_add(xdd, vec3_cross(vec3_add_scaled(turned, 2, xd), w1));
  return f;
}

static inline void store_block(double **block, int body, hn_vec3 n, hn_vec3 m) {
  if (body == HN_GROUND) return;
  vec3_store(*block, n);
  vec3_store(*block + 3, m);
  *block += 6;
}

static void distance_in_speeds(const hn_joint_shape *shape, const hn_frame *frames, double *value,
                               double *rate, double *tau, double *block) {
  const hn_frame *f1 = &frames[shape->body[0]], *f2 = &frames[shape->body[1]];
  const hn_vec3 arm1 = mat3_apply(f1->a, shape->frame[0]->position);
  const hn_vec3 arm2 = mat3_apply(f2->a, shape->frame[1]->position);
  const hn_vec3 turn1 = vec3_cross(f1->w, arm1), turn2 = vec3_cross(f2->w, arm2);
  const hn_vec3 d = vec3_sub(vec3_add(f2->r, arm2), vec3_add(f1->r, arm1));
  const hn_vec3 dd = vec3_sub(vec3_add(f2->v, turn2), vec3_add(f1->v, turn1));
  const hn_vec3 ddd = vec3_sub(vec3_cross(f2->w, turn2), vec3_cross(f1->w, turn1));
  const hn_vec3 e = vec3_scale(1 / shape->length, d);
  *value = 0.5 * (vec3_dot(e, d) - shape->length);
  *rate = vec3_dot(e, dd);
  *tau = -vec3_dot(dd, dd) / shape->length - vec3_dot(e, ddd);
  store_block(&block, shape->body[0], vec3_negate(e), vec3_cross(e, arm1));
  store_block(&block, shape->body[1], e, vec3_cross(arm2, e));
}

void hn_joint_in_speeds(const hn_joint_shape *shape, const hn_frame *frames, double *value,
                        double *rate, double *tau, double *block) {
  if (shape->length > 0) {
    distance_in_speeds(shape, frames, value, rate, tau, block);
    return;
  }
  const int body1 = shape->body[0], body2 = shape->body[1];
  const hn_frame *f1 = &frames[body1], *f2 = &frames[body2];
  const hn_frame_on_body *frame1 = shape->frame[0], *frame2 = shape->frame[1];
  const hn_vec3 arm1 = mat3_apply(f1->a, frame1->position);
  const hn_vec3 arm2 = mat3_apply(f2->a, frame2->position);
  const hn_vec3 turn1 = vec3_cross(f1->w, arm1), turn2 = vec3_cross(f2->w, arm2);
  const hn_vec3 d = vec3_sub(vec3_add(f2->r, arm2), vec3_add(f1->r, arm1));
  const hn_vec3 dd = vec3_sub(vec3_add(f2->v, turn2), vec3_add(f1->v, turn1));
  const hn_vec3 ddd = vec3_sub(vec3_cross(f2->w, turn2), vec3_cross(f1->w, turn1));
  const hn_vec3 reach = vec3_add(d, arm1);
  const factor displacement = seen_from(f1->w, d, dd, ddd);
  factor other = displacement;
  const hn_mat3 of_frame = quat_matrix(frame1->orientation);
  hn_vec3 axes[3];
  int last = -1;
  for (int i = 0; i < 3; i++) // a row alone has one
    if (shape->rows > 1 || i == shape->axis1[0])
      axes[i] = mat3_apply(f1->a, mat3_column(of_frame, i));
  for (int k = 0; k < shape->rows; k++) {
    const hn_vec3 a = axes[shape->axis1[k]];
    const int axis2 = shape->axis2[k];
    const factor *x = axis2 < 0 ? &displacement : &other;
    if (axis2 >= 0 && axis2 != last) {
      hn_vec3 b = mat3_apply(f2->a, frame_axis(frame2, last = axis2));
      hn_vec3 bd = vec3_cross(f2->w, b);
      other = seen_from(f1->w, b, bd, vec3_cross(f2->w, bd));
    }
    value[k] = vec3_dot(a, x->x);
    rate[k] = vec3_dot(a, x->rate);
    tau[k] = -vec3_dot(a, x->second);
    if (axis2 < 0) {
      store_block(&block, body1, vec3_negate(a), vec3_cross(a, reach));
      store_block(&block, body2, a, vec3_cross(arm2, a));
    } else {
      hn_vec3 m = vec3_cross(a, other.x);
      store_block(&block, body1, vec3_zero(), m);
      store_block(&block, body2, vec3_zero(), vec3_negate(m));
    }
  }
}
