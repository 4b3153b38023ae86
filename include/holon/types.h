// Holon: vectors, matrices and rotations as they appear in the public interface.
#ifndef HOLON_TYPES_H
#define HOLON_TYPES_H

#include "holon/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_vec3 {
  double x, y, z;
} hn_vec3;

// Row-major: m[i][j] is row i, column j.
typedef struct hn_mat3 {
  double m[3][3];
} hn_mat3;

// Euler parameters (unit quaternion), scalar first: rotation by angle a about unit axis u is
// {cos(a/2), sin(a/2) u}.
typedef struct hn_quat {
  double w, x, y, z;
} hn_quat;

#ifdef __cplusplus
}
#endif

#endif
