// Rows of a joint in speeds. With a = A1 s (an axis of body 1), d = origin 2 - origin 1, arms s1, s2:
//
//   displacement  a . d   rate ad . d + a . dd   n2 = a, m2 = s2 x a, n1 = -a, m1 = a x (d + s1)
//   axes          a . b   rate ad . b + a . bd   m1 = a x b = -m2
#include "elements/joint_speeds.h"

#include "elements/joints.h"
#include "elements/measure_make.h"

hn_joint_shape hn_joint_shape_of(const hn_elements *elements, int joint) {
  const hn_joint_def *def = &elements->model->joints[joint];
  const hn_frame_on_body *frame1 = &def->frame1, *frame2 = &def->frame2;
  hn_joint_shape shape = {.body = {frame1->body, frame2->body},
                          .point = {frame1->position, frame2->position}};
  int rows = hn_joint_row_count(def);
  if (frame1->body == frame2->body) return shape;
  for (int k = 0; k < rows; k++) {
    int axis1, axis2;
    if (!hn_joint_row_axes(def->type, k, &axis1, &axis2)) return shape;
    shape.axis1[k] = (signed char)axis1;
    shape.axis2[k] = (signed char)axis2;
  }
  for (int i = 0; i < 3; i++) {
    shape.axes1[i] = frame_axis(frame1, i);
    shape.axes2[i] = frame_axis(frame2, i);
  }
  shape.rows = rows;
  return shape;
}

// A direction fixed in a body, and how it turns.
typedef struct turning {
  hn_vec3 x, xd, xdd;
} turning;

static inline turning turn(const hn_frame *f, hn_vec3 s) {
  turning t;
  t.x = mat3_apply(f->a, s);
  t.xd = vec3_cross(f->w, t.x);
  t.xdd = vec3_cross(f->w, t.xd);
  return t;
}

static inline void store_block(double **block, int body, hn_vec3 n, hn_vec3 m) {
  if (body == HN_GROUND) return;
  vec3_store(*block, n);
  vec3_store(*block + 3, m);
  *block += 6;
}

void hn_joint_in_speeds(const hn_joint_shape *shape, const hn_frame *frames, double *value,
                        double *rate, double *tau, double *block) {
  const int body1 = shape->body[0], body2 = shape->body[1];
  const hn_frame *f1 = &frames[body1], *f2 = &frames[body2];
  const turning arm1 = turn(f1, shape->point[0]), arm2 = turn(f2, shape->point[1]);
  const hn_vec3 d = vec3_sub(vec3_add(f2->r, arm2.x), vec3_add(f1->r, arm1.x));
  const hn_vec3 dd = vec3_sub(vec3_add(f2->v, arm2.xd), vec3_add(f1->v, arm1.xd));
  const hn_vec3 ddd = vec3_sub(arm2.xdd, arm1.xdd), reach = vec3_add(d, arm1.x);
  turning axes[3], other = {.x = {0, 0, 0}};
  int last = -1;
  for (int i = 0; i < 3; i++) axes[i] = turn(f1, shape->axes1[i]);
  for (int k = 0; k < shape->rows; k++) {
    const turning *a = &axes[shape->axis1[k]];
    const int axis2 = shape->axis2[k];
    if (axis2 < 0) {
      value[k] = vec3_dot(a->x, d);
      rate[k] = vec3_dot(a->xd, d) + vec3_dot(a->x, dd);
      tau[k] = -(vec3_dot(a->xdd, d) + 2 * vec3_dot(a->xd, dd) + vec3_dot(a->x, ddd));
      store_block(&block, body1, vec3_negate(a->x), vec3_cross(a->x, reach));
      store_block(&block, body2, a->x, vec3_cross(arm2.x, a->x));
      continue;
    }
    if (axis2 != last) other = turn(f2, shape->axes2[last = axis2]);
    hn_vec3 m = vec3_cross(a->x, other.x);
    value[k] = vec3_dot(a->x, other.x);
    rate[k] = vec3_dot(a->xd, other.x) + vec3_dot(a->x, other.xd);
    tau[k] =
        -(vec3_dot(a->xdd, other.x) + 2 * vec3_dot(a->xd, other.xd) + vec3_dot(a->x, other.xdd));
    store_block(&block, body1, vec3_zero(), m);
    store_block(&block, body2, vec3_zero(), vec3_negate(m));
  }
}
