// Rows of joints, HN_WIDTH of one kind side by side (math/lanes.h). With a = A1 s (an axis of body 1),
// d = point 2 - point 1, arms s1, s2 from the reference points of the bodies:
//
//   displacement  a . d   n2 = a, m2 = s2 x a, n1 = -a, m1 = a x (d + s1)
//   axes          a . b   m1 = a x b = -m2
//   distance      d . d / 2l - l/2   with e = d/l: n2 = e, m2 = s2 x e, n1 = -e, m1 = e x s1
//
// Second derivatives are those at zero accelerations or, where has_bias is 1, those that bodies have by
// bias.
#ifndef HN_ELEMENTS_JOINT_KERNEL_H
#define HN_ELEMENTS_JOINT_KERNEL_H

#include "elements/joint_speeds.h"
#include "math/lanes.h"

typedef struct joint_end { // on one body
  mat r;
  vec origin, velocity, w; // of the reference point
  vec bias, bias_w;        // accelerations by bias
  vec arm, turn;           // of the joint's point, w x arm
} joint_end;

// Factors of a constraint a . x, a an axis of body 1: the rate of a . x is a . rate, its second
// derivative a . second. Since a turns with w1, (w1 x a) . x = a . (x x w1).
typedef struct joint_factor {
  vec x, rate, second;
} joint_factor;

typedef struct joint_gap { // between two points
  vec x, rate, second;
} joint_gap;

// The gradient on body 1 is (-f, n1), on body 2 (f, n2); of axes without f.
typedef struct joint_row {
  num value, rate, second;
  int has_force;
  vec f, n1, n2;
} joint_row;

HN_KERNEL void joint_reach(joint_end *e, vec point) {
  e->arm = mat_apply(e->r, point);
  e->turn = vec_cross(e->w, e->arm);
}

HN_KERNEL vec joint_point_bias(int has_bias, const joint_end *e) {
  const vec inward = vec_cross(e->w, e->turn);
  if (!has_bias) return inward;
  return vec_add(vec_add(e->bias, vec_cross(e->bias_w, e->arm)), inward);
}

HN_KERNEL joint_gap joint_gap_of(int has_bias, const joint_end *e1, const joint_end *e2) {
  return (joint_gap){vec_sub(vec_add(e2->origin, e2->arm), vec_add(e1->origin, e1->arm)),
                     vec_sub(vec_add(e2->velocity, e2->turn), vec_add(e1->velocity, e1->turn)),
                     vec_sub(joint_point_bias(has_bias, e2), joint_point_bias(has_bias, e1))};
}

HN_KERNEL joint_factor joint_seen(int has_bias, const joint_end *e1, const joint_gap *x) {
  const vec turned = vec_cross(x->x, e1->w);
  // w1 x (w1 x x) + 2 xd x w1 + xdd
  const vec twice = vec_add_scaled(turned, num_fill(2), x->rate);
  vec second = vec_add(x->second, vec_cross(twice, e1->w));
  if (has_bias) second = vec_add(second, vec_cross(x->x, e1->bias_w));
  return (joint_factor){x->x, vec_add(x->rate, turned), second};
}

// An axis of body 2, turned.
HN_KERNEL joint_factor joint_axis_seen(int has_bias, const joint_end *e1, const joint_end *e2,
                                       vec b) {
  const vec rate = vec_cross(e2->w, b), inward = vec_cross(e2->w, rate);
  const joint_gap x = {b, rate, has_bias ? vec_add(vec_cross(e2->bias_w, b), inward) : inward};
  return joint_seen(has_bias, e1, &x);
}

HN_KERNEL joint_row joint_distance(const joint_end *e1, const joint_end *e2, const joint_gap *d,
                                   num length) {
  const vec e = vec_scale(1 / length, d->x);
  return (joint_row){.value = 0.5 * (vec_dot(e, d->x) - length),
                     .rate = vec_dot(e, d->rate),
                     .second = vec_dot(d->rate, d->rate) / length + vec_dot(e, d->second),
                     .has_force = 1,
                     .f = e,
                     .n1 = vec_cross(e, e1->arm),
                     .n2 = vec_cross(e2->arm, e)};
}

// x: what is seen from body 1, the gap between the points or an axis of body 2.
HN_KERNEL joint_row joint_product(int is_gap, const joint_end *e1, const joint_end *e2, vec a,
                                  const joint_factor *x) {
  joint_row row = {.value = vec_dot(a, x->x),
                   .rate = vec_dot(a, x->rate),
                   .second = vec_dot(a, x->second),
                   .has_force = is_gap};
  if (is_gap) {
    row.f = a;
    row.n1 = vec_cross(a, vec_add(x->x, e1->arm));
    row.n2 = vec_cross(e2->arm, a);
  } else {
    row.n1 = vec_cross(a, x->x);
    row.n2 = vec_negate(row.n1);
  }
  return row;
}

// ---- from frames of bodies ----------------------------------------------------------------------

HN_KERNEL joint_end joint_end_of(const hn_joint_shape *shapes, int slot, const hn_frame *frames) {
  const double *from[HN_WIDTH], *place[HN_WIDTH];
  num n[20], p[4];
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) {
    from[l] = &frames[shapes[l].body[slot]].r.x;
    place[l] = &shapes[l].frame[slot]->position.x;
  }
  num_gather(from, 20, n);
  num_gather(place, 4, p);
  joint_end e = {.origin = vec_of(n), .velocity = vec_of(n + 3), .w = vec_of(n + 6)};
  e.r = mat_of(n + 9);
  joint_reach(&e, vec_of(p));
  return e;
}

// Axes of the joints' frames on their bodies.
HN_KERNEL mat joint_axes_of(const hn_joint_shape *shapes, int slot) {
  const double *from[HN_WIDTH];
  num p[4];
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) from[l] = &shapes[l].frame[slot]->orientation.w;
  num_gather(from, 4, p);
  return mat_of_parameters(p[0], p[1], p[2], p[3]);
}

// Row k of all joints, whose rows follow each other; the gradient of axes is without force. Ground has
// no block: only one alone is on it.
HN_KERNEL void joint_store(const hn_joint_shape *shapes, int k, int has_force, const joint_row *row,
                           double *value, double *rate, double *tau, double *block) {
  const int rows = shapes->rows;
  const vec zero = {num_fill(0), num_fill(0), num_fill(0)};
  const vec f2 = has_force ? row->f : zero, f1 = has_force ? vec_negate(f2) : zero;
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) {
    value[l * rows + k] = num_lane(row->value, l);
    rate[l * rows + k] = num_lane(row->rate, l);
    tau[l * rows + k] = -num_lane(row->second, l);
  }
#if HN_WIDTH == 1
  const int has1 = shapes->body[0] != HN_GROUND, has2 = shapes->body[1] != HN_GROUND;
  double *to = block + 6 * (has1 + has2) * k;
  if (has1) {
    vec3_store(to, f1);
    vec3_store(to + 3, row->n1);
    to += 6;
  }
  if (has2) {
    vec3_store(to, f2);
    vec3_store(to + 3, row->n2);
  }
#else
  num n[12] = {f1.x, f1.y, f1.z, row->n1.x, row->n1.y, row->n1.z,
               f2.x, f2.y, f2.z, row->n2.x, row->n2.y, row->n2.z};
  double *to[HN_WIDTH];
  HN_UNROLL for (int l = 0; l < HN_WIDTH; l++) to[l] = block + 12 * (l * rows + k);
  num_scatter(n, 12, to);
#endif
}

// See hn_joint_in_speeds: joints alike.
HN_KERNEL void joint_in_speeds(const hn_joint_shape *shapes, const hn_frame *frames, double *value,
                               double *rate, double *tau, double *block) {
  const joint_end e1 = joint_end_of(shapes, 0, frames), e2 = joint_end_of(shapes, 1, frames);
  const joint_gap d = joint_gap_of(0, &e1, &e2);
  if (HN_WIDTH == 1 && shapes->length > 0) {
    joint_row row = joint_distance(&e1, &e2, &d, num_fill(shapes->length));
    joint_store(shapes, 0, 1, &row, value, rate, tau, block);
    return;
  }
  const joint_factor displacement = joint_seen(0, &e1, &d);
  const mat frame = joint_axes_of(shapes, 0);
  joint_factor other = displacement;
  vec axes[3];
  int last = -1;
  for (int i = 0; i < 3; i++) // a row alone has one
    if (shapes->rows > 1 || i == shapes->axis1[0]) axes[i] = mat_apply(e1.r, mat_column(frame, i));
  for (int k = 0; k < shapes->rows; k++) {
    const int axis2 = shapes->axis2[k];
    const vec a = axes[shapes->axis1[k]];
    if (axis2 >= 0 && axis2 != last) {
      last = axis2;
      const vec b = mat_apply(e2.r, mat_column(joint_axes_of(shapes, 1), axis2));
      other = joint_axis_seen(0, &e1, &e2, b);
    }
    if (axis2 < 0) {
      const joint_row row = joint_product(1, &e1, &e2, a, &displacement);
      joint_store(shapes, k, 1, &row, value, rate, tau, block);
    } else {
      const joint_row row = joint_product(0, &e1, &e2, a, &other);
      joint_store(shapes, k, 0, &row, value, rate, tau, block);
    }
  }
}

#endif
