// Locked loops: the joint whose axis or point, changed least, would let a loop move that cannot.
#ifndef HN_ANALYSIS_ALIGNMENT_H
#define HN_ANALYSIS_ALIGNMENT_H

#include "elements/joint_graph.h"
#include "equations/equations.h"

typedef struct hn_joint_alignment {
  int joint;               // -1: none would
  int equal;               // another one, changed as little, that would too; -1: none
  double angle;            // rad, by which its axis is off
  double shift;            // m, by which its point is off
  double size;             // the change, in rad or parts of the largest body
  hn_vec3 axis, point;     // as they should be, in global axes at these frames
  int agreeing, reference; // other joints with that axis, and the first
} hn_joint_alignment;

// Less than that is a slip of the pen; a loop that needs more may be a frame.
#define HN_ALIGNMENT_SLIP 0.1

// Searches a part of the joint graph at these frames, without its drivers. joint is -1 if the part
// can move (is_locked: known to be locked although velocities are permitted), is too large, or no
// such change exists. Scratch memory from the arena.
hn_status hn_mobility_find_alignment(hn_arena *arena, const hn_elements *elements,
                                     const hn_joint_graph *graph, int part, double t,
                                     const hn_frame *frames, const hn_branches *branches,
                                     int is_locked, hn_joint_alignment *found);
// "its axis is 1.15 deg off [0, 0, 1] (that of joint 'A' and 2 others)"
const char *hn_mobility_describe_alignment(const hn_elements *elements,
                                           const hn_joint_alignment *found, char *text,
                                           size_t size);

#endif
