// The rows of four joints of one kind at once, one in each lane (joint_speeds.h has them one by one):
// the same sums in the same order, so the same bits.
#ifndef HN_EQUATIONS_JOINT_LANES_H
#define HN_EQUATIONS_JOINT_LANES_H

#include "elements/joint_speeds.h"

// 1 when these four have the same rows, and none of their bodies is ground.
int hn_joints_alike(const hn_joint_shape *four);
// 1 when this machine has lanes of four: only then is the next one called.
int hn_joints_in_lanes(void);
// Four joints whose rows follow each other: value, rate, tau: 4 rows; block: 4 rows of 12 numbers.
void hn_joints_in_speeds(const hn_joint_shape *four, const hn_frame *frames, double *value,
                         double *rate, double *tau, double *block);

#endif
