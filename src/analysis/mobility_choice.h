// Statically indeterminate components of the reactions of a part of the joint graph: those in which the
// null space of J' has weight. Valid at the present position; at later positions it is valid if the
// part moves in a plane, where forces in the plane and torques about its normal stay determined.
#ifndef HN_ANALYSIS_MOBILITY_CHOICE_H
#define HN_ANALYSIS_MOBILITY_CHOICE_H

#include "elements/joint_graph.h"
#include "equations/equations.h"
#include "holon/analysis.h"

#define HN_NULL_WEIGHT 1e-7 // of a row in a null vector whose largest entry is 1

typedef struct hn_choice {
  const hn_elements *elements;
  const hn_cartesian_rows *rows;
  const hn_frame *frames;
  const double *size;           // of bodies
  hn_redundant_joint *of_joint; // here, global, local (joint_count)
  // angular velocities of all bodies in every motion that the joints allow, drivers released
  int motions;   // -1: not known
  hn_vec3 *spin; // (motions * bodies)
} hn_choice;

// Motions from the rows of all joints, by one dense null space; rows beyond most: not known.
hn_status hn_choice_create(hn_arena *arena, int most, hn_choice *choice);
// Marks the joints of the part for `count` null vectors of J' (a number for each constraint of the
// part, unscaled); held: the body relative to which the part moves.
void hn_choice_mark(hn_choice *choice, const hn_joint_graph *graph, int part, int held,
                    const double *vectors, int count);

#endif
