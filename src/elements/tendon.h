// Tendons: tendon.c.
#ifndef HN_ELEMENTS_TENDON_H
#define HN_ELEMENTS_TENDON_H

#include "elements/elements.h"

// Its length and rate.
void hn_tendon_measure(const hn_force_def *force, const hn_frame *frames, double *length,
                       double *rate);
// Effect of the motion of one body on a tendon's load on another: wrench, its rate with time, and
// both blocks of derivatives.
typedef struct hn_tendon_block {
  double wrench[6], rate[6], d_pose[6][6], d_speed[6][6];
} hn_tendon_block;
void hn_tendon_in_poses(const hn_elements *elements, int force, int row, int column,
                        const hn_frame *frames, double t, hn_branch branch, hn_tendon_block *out);
// Writes the wrench on a body for a unit tension.
void hn_tendon_direction(const hn_force_def *force, int body, const hn_frame *frames,
                         double direction[6]);

#endif
