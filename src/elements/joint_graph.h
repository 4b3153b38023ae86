// The joint graph: bodies are vertices, joints and drivers are edges between the bodies their rows
// depend on, and its biconnected parts.
#ifndef HN_ELEMENTS_JOINT_GRAPH_H
#define HN_ELEMENTS_JOINT_GRAPH_H

#include "elements/elements.h"

typedef struct hn_joint_graph {
  int part_count;
  int *part_of_row;         // (row_count)
  int *row_start, *rows;    // rows of each part, ascending (part_count + 1, row_count)
  int *body_start, *bodies; // bodies of each part with ground where it is one (part_count + 1)
  int loops;                // independent loops of joints with rows (drivers and couplings not)
} hn_joint_graph;

// Constraints are functions of relative motion, so a part has the same rank with any one of its
// bodies fixed, and ranks of parts add up.
hn_status hn_joint_graph_create(hn_arena *arena, const hn_elements *elements,
                                hn_joint_graph *graph);

#endif
