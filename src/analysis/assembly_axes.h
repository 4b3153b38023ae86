// Axes of a planar loop that ought to be parallel and are not quite.
#ifndef HN_ANALYSIS_ASSEMBLY_AXES_H
#define HN_ANALYSIS_ASSEMBLY_AXES_H

#include "elements/joint_graph.h"

typedef struct hn_tilted_axis {
  int joint;     // the odd one
  int reference; // one of those that agree
  int agreeing;  // how many do
  int slides;    // translational: it should be perpendicular to them
  double angle;  // rad, > 0
} hn_tilted_axis;

// Examines the revolute and translational joints of a part of the joint graph, at these frames. 1
// when most axes agree and some are off by a small angle (the largest is returned); 0 when all
// agree, when the loop is spatial on purpose, or when one of the joints can turn sideways.
int hn_find_tilted_axis(const hn_elements *elements, const hn_joint_graph *graph, int part,
                        const hn_frame *frames, hn_tilted_axis *tilt);
// "its axis is 1.15 deg off those of joint 'A' and 2 others, so that the loop is locked"
const char *hn_describe_tilt(const hn_elements *elements, const hn_tilted_axis *tilt, char *text,
                             size_t size);

#endif
