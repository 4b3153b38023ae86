// The motion of a body as everything above sees it: an origin, three axes and their speeds.
#ifndef HN_MATH_FRAME_H
#define HN_MATH_FRAME_H

#include "math/euler.h"

// Global axes.
typedef struct hn_frame {
  hn_vec3 r, v, w; // origin (center of mass), its velocity, angular velocity
  hn_mat3 a;       // axes
  hn_quat p, pd;   // Euler parameters and their rates
} hn_frame;

static inline void hn_frame_of_ground(hn_frame *frame) {
  *frame = (hn_frame){.a = mat3_identity(), .p = quat_identity()};
}

#endif
