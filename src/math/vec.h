// Vectors and 3x3 matrices by value, so that code reads like the equation. All inline.
#ifndef HN_MATH_VEC_H
#define HN_MATH_VEC_H

#include <math.h>

#include "holon/types.h"

#define HN_PI 3.14159265358979323846

#define NUMBER double
#define VECTOR hn_vec3
#define MATRIX hn_mat3
#define OF_VECTOR(name) vec3_##name
#define OF_MATRIX(name) mat3_##name
#define INLINE static inline
#include "math/vec_operations.h"

static inline hn_vec3 vec3(double x, double y, double z) { return (hn_vec3){x, y, z}; }
static inline hn_vec3 vec3_zero(void) { return (hn_vec3){0, 0, 0}; }
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
static inline hn_mat3 mat3_from_columns(hn_vec3 x, hn_vec3 y, hn_vec3 z) {
  return (hn_mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
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
// The inverse of such a tensor; zero if it is singular.
static inline hn_mat3 mat3_invert_symmetric(const double s[6]) {
  const double a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5];
  const double x = b * c - f * f, y = e * f - d * c, z = d * f - b * e;
  const double det = a * x + d * y + e * z;
  const double scale = det > 0 ? 1 / det : 0;
  const double inverse[6] = {scale * x, scale * (a * c - e * e), scale * (a * b - d * d), scale * y,
                             scale * z, scale * (d * e - a * f)};
  return mat3_symmetric(inverse);
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
