// Where a frame is: its turn and its origin.
#ifndef HN_MATH_POSE_H
#define HN_MATH_POSE_H

#include "math/euler.h"

typedef struct hn_pose {
  hn_mat3 r;
  hn_vec3 p;
} hn_pose;

static inline hn_pose hn_pose_none(void) { return (hn_pose){mat3_identity(), vec3_zero()}; }
static inline hn_vec3 hn_pose_point(const hn_pose *a, hn_vec3 x) {
  return vec3_add(a->p, mat3_apply(a->r, x));
}
static inline hn_vec3 hn_pose_back(const hn_pose *a, hn_vec3 x) {
  return mat3_apply_transposed(a->r, vec3_sub(x, a->p));
}
static inline hn_pose hn_pose_multiply(const hn_pose *a, const hn_pose *b) {
  return (hn_pose){mat3_multiply(a->r, b->r), hn_pose_point(a, b->p)};
}
static inline hn_pose hn_pose_inverse(const hn_pose *a) {
  hn_mat3 t = mat3_transpose(a->r);
  return (hn_pose){t, vec3_negate(mat3_apply(t, a->p))};
}

#endif
