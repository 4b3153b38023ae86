// Vectors in a plane.
#ifndef HN_MATH_VEC2_H
#define HN_MATH_VEC2_H

#include <math.h>

typedef struct hn_vec2 {
  double x, y;
} hn_vec2;

static inline hn_vec2 vec2_sub(hn_vec2 a, hn_vec2 b) { return (hn_vec2){a.x - b.x, a.y - b.y}; }
static inline hn_vec2 vec2_negate(hn_vec2 a) { return (hn_vec2){-a.x, -a.y}; }
// a + s b
static inline hn_vec2 vec2_add_scaled(hn_vec2 a, double s, hn_vec2 b) {
  return (hn_vec2){a.x + s * b.x, a.y + s * b.y};
}
static inline double vec2_dot(hn_vec2 a, hn_vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double vec2_cross(hn_vec2 a, hn_vec2 b) { return a.x * b.y - a.y * b.x; }
static inline double vec2_norm(hn_vec2 a) { return sqrt(vec2_dot(a, a)); }
// (1, 0) of the null vector.
static inline hn_vec2 vec2_unit(hn_vec2 a) {
  double n = vec2_norm(a);
  return n > 0 ? (hn_vec2){a.x / n, a.y / n} : (hn_vec2){1, 0};
}

#endif
