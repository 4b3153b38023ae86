// Vectors and 3x3 matrices by value, so that code reads like the equation. All inline.
#ifndef HN_MATH_VEC_H
#define HN_MATH_VEC_H

#include <math.h>

#include "holon/types.h"

#define HN_PI 3.14159265358979323846

static inline hn_vec3 vec3(double x, double y, double z) { return (hn_vec3){x, y, z}; }
static inline hn_vec3 vec3_zero(void) { return (hn_vec3){0, 0, 0}; }
static inline hn_vec3 vec3_add(hn_vec3 a, hn_vec3 b) {
  return (hn_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline hn_vec3 vec3_sub(hn_vec3 a, hn_vec3 b) {
  return (hn_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline hn_vec3 vec3_scale(double s, hn_vec3 a) {
  return (hn_vec3){s * a.x, s * a.y, s * a.z};
}
static inline hn_vec3 vec3_negate(hn_vec3 a) { return (hn_vec3){-a.x, -a.y, -a.z}; }
// a + s b
static inline hn_vec3 vec3_add_scaled(hn_vec3 a, double s, hn_vec3 b) {
  return (hn_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static inline double vec3_dot(hn_vec3 a, hn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline hn_vec3 vec3_cross(hn_vec3 a, hn_vec3 b) {
  return (hn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double vec3_norm(hn_vec3 a) { return sqrt(vec3_dot(a, a)); }
// a / |a|; a null vector stays null
static inline hn_vec3 vec3_unit(hn_vec3 a) {
  double n = vec3_norm(a);
  return n > 0 ? vec3_scale(1 / n, a) : a;
}
static inline double vec3_get(hn_vec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline void vec3_store(double *out, hn_vec3 a) {
  out[0] = a.x;
  out[1] = a.y;
  out[2] = a.z;
}
static inline hn_vec3 vec3_load(const double *a) { return (hn_vec3){a[0], a[1], a[2]}; }

static inline hn_mat3 mat3_identity(void) { return (hn_mat3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
static inline hn_vec3 mat3_column(hn_mat3 a, int j) {
  return (hn_vec3){a.m[0][j], a.m[1][j], a.m[2][j]};
}
static inline hn_mat3 mat3_from_columns(hn_vec3 x, hn_vec3 y, hn_vec3 z) {
  return (hn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}
// A v
static inline hn_vec3 mat3_apply(hn_mat3 a, hn_vec3 v) {
  return (hn_vec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                   a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                   a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
// A' v
static inline hn_vec3 mat3_apply_transposed(hn_mat3 a, hn_vec3 v) {
  return (hn_vec3){a.m[0][0] * v.x + a.m[1][0] * v.y + a.m[2][0] * v.z,
                   a.m[0][1] * v.x + a.m[1][1] * v.y + a.m[2][1] * v.z,
                   a.m[0][2] * v.x + a.m[1][2] * v.y + a.m[2][2] * v.z};
}
static inline hn_mat3 mat3_multiply(hn_mat3 a, hn_mat3 b) {
  hn_mat3 c;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
  return c;
}
static inline hn_mat3 mat3_transpose(hn_mat3 a) {
  hn_mat3 t;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) t.m[i][j] = a.m[j][i];
  return t;
}
static inline hn_mat3 mat3_add(hn_mat3 a, hn_mat3 b) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] += b.m[i][j];
  return a;
}
static inline hn_mat3 mat3_scale(double s, hn_mat3 a) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) a.m[i][j] *= s;
  return a;
}
// a~, the matrix of a x
static inline hn_mat3 mat3_skew(hn_vec3 a) {
  return (hn_mat3){{{0, -a.z, a.y}, {a.z, 0, -a.x}, {-a.y, a.x, 0}}};
}
// a b'
static inline hn_mat3 mat3_outer(hn_vec3 a, hn_vec3 b) {
  return (hn_mat3){{{a.x * b.x, a.x * b.y, a.x * b.z},
                    {a.y * b.x, a.y * b.y, a.y * b.z},
                    {a.z * b.x, a.z * b.y, a.z * b.z}}};
}
// symmetric tensor from xx yy zz xy xz yz
static inline hn_mat3 mat3_symmetric(const double s[6]) {
  return (hn_mat3){{{s[0], s[3], s[4]}, {s[3], s[1], s[5]}, {s[4], s[5], s[2]}}};
}

// The largest |x| of n numbers; not finite when one is not.
static inline double hn_largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) {
      most = fabs(x[i]);
      if (isnan(most)) return most; // a number after it would hide it
    }
  return most;
}

#endif
