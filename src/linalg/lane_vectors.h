// Vectors of space in four lanes: four numbers, or four vectors, worked on at once (block_lanes.h). Each
// lane has the sums of math/vec.h in their order, so the same bits. Functions that are compiled for AVX2
// too (HN_VARIANTS) work on all four at once, others on pairs.
#ifndef HN_LINALG_LANE_VECTORS_H
#define HN_LINALG_LANE_VECTORS_H

#include "linalg/block_lanes.h"

#ifdef HN_LANES_BY_VECTORS
typedef hn_four hn_quad;
#else
typedef struct hn_quad {
  double v[4];
} hn_quad;
#endif

typedef struct hn_vector4 {
  hn_quad x, y, z;
} hn_vector4;

typedef struct hn_matrix4 { // by rows
  hn_vector4 row[3];
} hn_matrix4;

#ifdef HN_LANES_BY_VECTORS

HN_INLINE hn_quad quad_add(hn_quad a, hn_quad b) { return a + b; }
HN_INLINE hn_quad quad_subtract(hn_quad a, hn_quad b) { return a - b; }
HN_INLINE hn_quad quad_multiply(hn_quad a, hn_quad b) { return a * b; }
HN_INLINE hn_quad quad_divide(hn_quad a, hn_quad b) { return a / b; }
HN_INLINE hn_quad quad_fill(double x) { return (hn_quad){x, x, x, x}; }
// Of numbers just written one by one, which a processor would wait for if they were loaded as four.
HN_INLINE hn_quad quad_of(double a, double b, double c, double d) { return (hn_quad){a, b, c, d}; }
HN_INLINE hn_quad quad_load(const double *p) { return HN_FOUR_OF(p); }
HN_INLINE void quad_store(hn_quad x, double *p) { HN_FOUR(p) = x; }
HN_INLINE double quad_lane(hn_quad x, int l) { return x[l]; }

// Four rows of four become columns.
HN_INLINE void quad_transpose(hn_quad m[4]) {
  const hn_quad p = __builtin_shufflevector(m[0], m[1], 0, 4, 2, 6);
  const hn_quad q = __builtin_shufflevector(m[0], m[1], 1, 5, 3, 7);
  const hn_quad r = __builtin_shufflevector(m[2], m[3], 0, 4, 2, 6);
  const hn_quad s = __builtin_shufflevector(m[2], m[3], 1, 5, 3, 7);
  m[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
  m[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
  m[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
  m[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

#else

#define HN_QUAD_OPERATION(name, op)                                                                \
  HN_INLINE hn_quad name(hn_quad a, hn_quad b) {                                                   \
    for (int l = 0; l < 4; l++) a.v[l] = a.v[l] op b.v[l];                                         \
    return a;                                                                                      \
  }
HN_QUAD_OPERATION(quad_add, +)
HN_QUAD_OPERATION(quad_subtract, -)
HN_QUAD_OPERATION(quad_multiply, *)
HN_QUAD_OPERATION(quad_divide, /)
#undef HN_QUAD_OPERATION
HN_INLINE hn_quad quad_fill(double x) { return (hn_quad){{x, x, x, x}}; }
HN_INLINE hn_quad quad_of(double a, double b, double c, double d) {
  return (hn_quad){{a, b, c, d}};
}
HN_INLINE hn_quad quad_load(const double *p) { return (hn_quad){{p[0], p[1], p[2], p[3]}}; }
HN_INLINE void quad_store(hn_quad x, double *p) {
  for (int l = 0; l < 4; l++) p[l] = x.v[l];
}
HN_INLINE double quad_lane(hn_quad x, int l) { return x.v[l]; }
HN_INLINE void quad_transpose(hn_quad m[4]) {
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < i; j++) {
      double keep = m[i].v[j];
      m[i].v[j] = m[j].v[i];
      m[j].v[i] = keep;
    }
}

#endif

// out[i]: number i of each of four arrays; `count` is a multiple of four.
HN_INLINE void quad_gather(const double *const from[4], int count, hn_quad *out) {
  HN_UNROLL for (int i = 0; i < count; i += 4) {
    HN_UNROLL for (int l = 0; l < 4; l++) out[i + l] = quad_load(from[l] + i);
    quad_transpose(out + i);
  }
}

// ---- vectors ------------------------------------------------------------------------------------

HN_INLINE hn_vector4 vector_of(const hn_quad *x) { return (hn_vector4){x[0], x[1], x[2]}; }

HN_INLINE hn_vector4 vector_add(hn_vector4 a, hn_vector4 b) {
  return (hn_vector4){quad_add(a.x, b.x), quad_add(a.y, b.y), quad_add(a.z, b.z)};
}

HN_INLINE hn_vector4 vector_subtract(hn_vector4 a, hn_vector4 b) {
  return (hn_vector4){quad_subtract(a.x, b.x), quad_subtract(a.y, b.y), quad_subtract(a.z, b.z)};
}

HN_INLINE hn_vector4 vector_scale(hn_quad s, hn_vector4 a) {
  return (hn_vector4){quad_multiply(s, a.x), quad_multiply(s, a.y), quad_multiply(s, a.z)};
}

// a + s b
HN_INLINE hn_vector4 vector_add_scaled(hn_vector4 a, hn_quad s, hn_vector4 b) {
  return vector_add(a, vector_scale(s, b));
}

HN_INLINE hn_quad vector_dot(hn_vector4 a, hn_vector4 b) {
  return quad_add(quad_add(quad_multiply(a.x, b.x), quad_multiply(a.y, b.y)),
                  quad_multiply(a.z, b.z));
}

HN_INLINE hn_vector4 vector_cross(hn_vector4 a, hn_vector4 b) {
#define HN_MINOR(i, j) quad_subtract(quad_multiply(a.i, b.j), quad_multiply(a.j, b.i))
  return (hn_vector4){HN_MINOR(y, z), HN_MINOR(z, x), HN_MINOR(x, y)};
#undef HN_MINOR
}

HN_INLINE hn_matrix4 matrix_of(const hn_quad *x) {
  return (hn_matrix4){{vector_of(x), vector_of(x + 3), vector_of(x + 6)}};
}

HN_INLINE hn_vector4 matrix_apply(hn_matrix4 m, hn_vector4 x) {
  return (hn_vector4){vector_dot(m.row[0], x), vector_dot(m.row[1], x), vector_dot(m.row[2], x)};
}

HN_INLINE hn_vector4 matrix_apply_transposed(hn_matrix4 m, hn_vector4 x) {
  return vector_add(vector_add(vector_scale(x.x, m.row[0]), vector_scale(x.y, m.row[1])),
                    vector_scale(x.z, m.row[2]));
}

#endif
