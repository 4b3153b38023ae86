// Tendons: tendon.c.
#ifndef HN_ELEMENTS_TENDON_H
#define HN_ELEMENTS_TENDON_H

#include "elements/elements.h"

// Its length and rate.
void hn_tendon_measure(const hn_force_def *force, const hn_frame *frames, double *length,
                       double *rate);
// What a tendon has against the motion of one body it touches, on another: generalized force, its rate
// with time, and both blocks of derivatives.
typedef struct hn_tendon_block {
  double q[7], q_t[7], q_q[7][7], q_qd[7][7];
} hn_tendon_block;
void hn_tendon_in_q(const hn_elements *elements, int force, int row, int column,
                    const hn_frame *frames, double t, hn_branch branch, hn_tendon_block *out);
// -L_q of one body: what a tension of one does to it.
void hn_tendon_direction(const hn_force_def *force, int body, const hn_frame *frames,
                         double direction[7]);

#endif
