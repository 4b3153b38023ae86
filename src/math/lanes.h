// Numbers, vectors and matrices of HN_WIDTH objects in lanes (subtrees, joints, models), for
// kernels that are written once for any width. A file says its width before it includes kernels: 1
// unless it does, and then a number is a double and the types are those of vec.h. Wider files are
// compiled for AVX2 (base/variants.h), and what they offer is called where hn_is_wide() says so:
// without it single ones are faster. Every width gives the same bits.
#ifndef HN_MATH_LANES_H
#define HN_MATH_LANES_H

#include "base/variants.h"
#include "math/vec.h"

#ifndef HN_WIDTH
#define HN_WIDTH 1
#endif

#if HN_WIDTH == 1

#define HN_KERNEL HN_INLINE
typedef double num;
typedef hn_vec3 vec;
typedef hn_mat3 mat;
HN_KERNEL double num_lane(num x, int l) { return (void)l, x; }
HN_KERNEL num num_fill(double x) { return x; }

#else

#define HN_KERNEL HN_WIDE HN_INLINE
typedef double num __attribute__((vector_size(HN_WIDTH * sizeof(double)), aligned(8)));
typedef struct vec {
  num x, y, z;
} vec;
typedef struct mat {
  num m[3][3];
} mat;
HN_KERNEL double num_lane(num x, int l) { return x[l]; }
HN_KERNEL num num_fill(double x) { return x - (num){0}; }

#endif

#define NUMBER num
#define VECTOR vec
#define MATRIX mat
#define OF_VECTOR(name) vec_##name
#define OF_MATRIX(name) mat_##name
#define INLINE HN_KERNEL
#include "math/vec_operations.h"

HN_KERNEL num num_load(const double *p) { return *(const num *)p; }
HN_KERNEL vec vec_of(const num *x) { return (vec){x[0], x[1], x[2]}; }
HN_KERNEL mat mat_of(const num *x) {
  return (mat){{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}}};
}

// out[i]: number i of each of so many arrays; `count` is a multiple of four.
HN_KERNEL void num_gather(const double *const from[HN_WIDTH], int count, num *out) {
#if HN_WIDTH == 4
  HN_UNROLL for (int i = 0; i < count; i += 4) {
    HN_UNROLL for (int l = 0; l < 4; l++) out[i + l] = num_load(from[l] + i);
    hn_transpose(out + i);
  }
#elif HN_WIDTH == 1
  HN_UNROLL_ALL for (int i = 0; i < count; i++) out[i] = from[0][i];
#else
  for (int i = 0; i < count; i++) {
    double x[HN_WIDTH];
    for (int l = 0; l < HN_WIDTH; l++) x[l] = from[l][i];
    out[i] = num_load(x);
  }
#endif
}

// And back; x is lost.
HN_KERNEL void num_scatter(num *x, int count, double *const to[HN_WIDTH]) {
#if HN_WIDTH == 4
  HN_UNROLL for (int i = 0; i < count; i += 4) {
    hn_transpose(x + i);
    HN_UNROLL for (int l = 0; l < 4; l++) HN_FOUR(to[l] + i) = x[i + l];
  }
#else
  for (int i = 0; i < count; i++)
    for (int l = 0; l < HN_WIDTH; l++) to[l][i] = num_lane(x[i], l);
#endif
}

#endif
