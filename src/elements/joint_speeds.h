// All rows of a joint at once, for joints made of displacements and axes alone (revolute, spherical,
// translational, fixed and most others) and for distances: frames, arms and rates are found once a
// joint, not once a row. The same numbers as hn_row_in_speeds but for rounding.
#ifndef HN_ELEMENTS_JOINT_SPEEDS_H
#define HN_ELEMENTS_JOINT_SPEEDS_H

#include "elements/elements.h"

typedef struct hn_joint_shape {
  const hn_frame_on_body
      *frame[2];        // of the model: axes are recomputed each time, which is as fast as keeping
                        // them
  double length;        // of a distance, whose one row goes along the line; else 0
  int body[2];          // ground among them
  signed char rows;     // 0: not such a joint
  signed char axis1[6]; // of frame 1, by rows
  signed char axis2[6]; // of frame 2; -1: a displacement
} hn_joint_shape;

hn_joint_shape hn_joint_shape_of(const hn_elements *elements, int joint);
// value, rate, tau: `rows` numbers; block: 6 numbers (n, m) for each body but ground, row by row.
void hn_joint_in_speeds(const hn_joint_shape *shape, const hn_frame *frames, double *value,
                        double *rate, double *tau, double *block);

// Four joints whose rows follow each other, where hn_is_wide(): the same bits. value, rate, tau: 4 rows;
// block: 4 rows of 12 numbers.
enum { HN_JOINT_LANES = 4 };
void hn_joints_in_speeds(const hn_joint_shape *four, const hn_frame *frames, double *value,
                         double *rate, double *tau, double *block);
// 1 when these four have the same rows, and none of their bodies is ground.
int hn_joints_alike(const hn_joint_shape *four);

#endif
