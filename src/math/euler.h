// Euler parameters p = (e0, e) and the rotation A(p) as the homogeneous quadratic
//
//   A(p) = (e0^2 - e.e) I + 2 e e' + 2 e0 e~        (orthogonal when |p| = 1)
//
// E (3 x 4): angular velocity in global axes w = 2 E(p) pd.
#ifndef HN_MATH_EULER_H
#define HN_MATH_EULER_H

#include "math/elementary.h"
#include "math/vec.h"

static inline hn_quat quat_load(const double *p) { return (hn_quat){p[0], p[1], p[2], p[3]}; }
static inline void quat_store(double *out, hn_quat p) {
  out[0] = p.w;
  out[1] = p.x;
  out[2] = p.y;
  out[3] = p.z;
}
static inline double dot4(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}
static inline hn_quat quat_identity(void) { return (hn_quat){1, 0, 0, 0}; }
static inline double quat_dot(hn_quat a, hn_quat b) {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline hn_quat quat_scale(double s, hn_quat p) {
  return (hn_quat){s * p.w, s * p.x, s * p.y, s * p.z};
}
static inline hn_quat quat_add(hn_quat a, hn_quat b) {
  return (hn_quat){a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline hn_quat quat_unit(hn_quat p) {
  double n = sqrt(quat_dot(p, p));
  return n > 0 ? quat_scale(1 / n, p) : quat_identity();
}
static inline hn_vec3 quat_vector(hn_quat p) { return vec3(p.x, p.y, p.z); }
static inline hn_quat quat_conjugate(hn_quat p) { return (hn_quat){p.w, -p.x, -p.y, -p.z}; }
// first b, then a
static inline hn_quat quat_multiply(hn_quat a, hn_quat b) {
  return (hn_quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline hn_quat quat_from_axis_angle(hn_vec3 axis, double angle) {
  hn_vec3 u = vec3_unit(axis);
  double s, c;
  hn_sincos(angle / 2, &s, &c);
  return (hn_quat){c, s * u.x, s * u.y, s * u.z};
}
static inline hn_mat3 quat_matrix(hn_quat p) { return mat3_of_parameters(p.w, p.x, p.y, p.z); }
// the unit quaternion of an orthogonal matrix (largest component first, no cancellation)
static inline hn_quat quat_from_matrix(hn_mat3 a) {
  double t[4] = {1 + a.m[0][0] + a.m[1][1] + a.m[2][2], 1 + a.m[0][0] - a.m[1][1] - a.m[2][2],
                 1 - a.m[0][0] + a.m[1][1] - a.m[2][2], 1 - a.m[0][0] - a.m[1][1] + a.m[2][2]};
  int k = 0;
  for (int i = 1; i < 4; i++)
    if (t[i] > t[k]) k = i;
  double s = 0.5 / sqrt(t[k]);
  hn_quat p;
  if (k == 0)
    p = (hn_quat){t[0] * s, (a.m[2][1] - a.m[1][2]) * s, (a.m[0][2] - a.m[2][0]) * s,
                  (a.m[1][0] - a.m[0][1]) * s};
  else if (k == 1)
    p = (hn_quat){(a.m[2][1] - a.m[1][2]) * s, t[1] * s, (a.m[0][1] + a.m[1][0]) * s,
                  (a.m[0][2] + a.m[2][0]) * s};
  else if (k == 2)
    p = (hn_quat){(a.m[0][2] - a.m[2][0]) * s, (a.m[0][1] + a.m[1][0]) * s, t[2] * s,
                  (a.m[1][2] + a.m[2][1]) * s};
  else
    p = (hn_quat){(a.m[1][0] - a.m[0][1]) * s, (a.m[0][2] + a.m[2][0]) * s,
                  (a.m[1][2] + a.m[2][1]) * s, t[3] * s};
  return quat_unit(p);
}

// E(p)' w (4): pd = E' w / 2
static inline hn_quat euler_e_transposed(hn_quat p, hn_vec3 w) {
  return (hn_quat){-p.x * w.x - p.y * w.y - p.z * w.z, p.w * w.x + p.z * w.y - p.y * w.z,
                   -p.z * w.x + p.w * w.y + p.x * w.z, p.y * w.x - p.x * w.y + p.w * w.z};
}
// E(p) v (3): w = 2 E pd
static inline hn_vec3 euler_e_apply(hn_quat p, hn_quat v) {
  return vec3(-p.x * v.w + p.w * v.x - p.z * v.y + p.y * v.z,
              -p.y * v.w + p.z * v.x + p.w * v.y - p.x * v.z,
              -p.z * v.w - p.y * v.x + p.x * v.y + p.w * v.z);
}

#endif
