// Positions of assembly: damped Gauss-Newton on all rows, least change of the poses in a metric.
#ifndef HN_ANALYSIS_ASSEMBLY_POSITIONS_H
#define HN_ANALYSIS_ASSEMBLY_POSITIONS_H

#include "analysis/assembly_rows.h"

// A trial change of the model: the distance between two joint points of a body, or the length of a
// distance joint, made longer by `amount`.
typedef struct hn_length_change {
  int joint;         // whose rows see it; -1: none
  int body;          // -1: the length of the distance joint itself
  hn_vec3 direction; // in body axes: where the joint's point moves
  double length;     // as described
  double amount;
} hn_length_change;

typedef struct hn_assembly {
  const hn_equations *equations;
  const hn_elements *elements;
  const hn_model *model;
  double t;
  hn_branches *branches;
  hn_frame *frames;  // present poses (bodies)
  hn_frame *trial;   // (bodies)
  hn_frame *drawn;   // poses on entry (bodies)
  double *body_size; // (bodies)
  double size;       // largest of them: what an angle of 1 is worth
  double extent;     // size of coordinates: sets what rounding can do
  hn_length_change change;
  double given_weight; // of given positions against drawn ones in the metric; 0: the same
  double turn_length;  // what an angle of 1 is worth in the metric, of every body; 0: its own size
  int iterations;
  double gap; // largest |phi| at the present poses
} hn_assembly;

// Poses and speeds from q, qd; the time branches of drivers at t.
hn_status hn_assembly_begin(hn_arena *arena, hn_equations *equations, double t, const double *q,
                            const double *qd, hn_branches *branches, hn_assembly *assembly);
void hn_assembly_set_time(hn_assembly *assembly, double t);
// q, qd from the present poses and speeds.
void hn_assembly_store(const hn_assembly *assembly, double *q, double *qd);
// Moves frames until every row holds. 1 when they do; 0 when they do not: then frames are where the
// gaps are smallest and `rows` is evaluated there; -1 when the numbers are not finite.
// all: ones, one a row.
int hn_assembly_solve_positions(hn_assembly *assembly, hn_assembly_rows *rows,
                                const unsigned char *all);
// Moves all bodies that may move by up to amount (rad, sizes of the body), always in the same way:
// out of positions in which a row has no direction, such as points on top of each other.
void hn_assembly_disturb(hn_assembly *assembly, const hn_assembly_rows *rows, double amount);
// Sum of squares of the weighted gaps, and the largest gap into assembly->gap.
double hn_assembly_merit(hn_assembly *assembly, const hn_assembly_rows *rows);
// 1 when the row measures a length.
int hn_assembly_is_length(const hn_assembly *assembly, const hn_assembly_rows *rows, int row);
// Weight that makes the violation of a constraint a length: 1 for lengths, size for angles.
double hn_assembly_weight(const hn_assembly *assembly, const hn_assembly_rows *rows, int row);
// d phi / d amount of a row at the present poses.
double hn_length_sensitivity(const hn_assembly *assembly, const hn_assembly_rows *rows,
                             const hn_length_change *change, int row);

#endif
