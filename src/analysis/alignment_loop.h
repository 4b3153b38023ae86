// A part of the joint graph apart from the model: its rows over the small motions of its bodies,
// and positions along the motion that violates them least.
#ifndef HN_ANALYSIS_ALIGNMENT_LOOP_H
#define HN_ANALYSIS_ALIGNMENT_LOOP_H

#include "elements/joint_graph.h"
#include "equations/equations.h"

enum { HN_LOOP_POSITIONS = 8, HN_LOOP_ROWS = 150, HN_LOOP_CHANGES = 6 };

// Frames of a joint moved on their bodies: a rotation vector about the joint's point (rad), and a
// displacement in sizes of the loop. Of both ends alike, so that the start stays closed; of a
// distance one end.
typedef struct hn_joint_change {
  int joint; // -1: none
  int end;   // of a distance: 0 or 1; else -1
  double x[HN_LOOP_CHANGES];
} hn_joint_change;

typedef struct hn_joint_loop {
  const hn_elements *elements;
  const hn_branches *branches;
  double t;
  const hn_frame *start;
  int bodies; // of the model, with ground
  int n, m;   // 6 columns a body that may move; rows of joints
  int *rows, *column;
  double *size, *scale; // of bodies; 1/length of a row at the start
  double length;        // the largest size
  double *closed;       // values at the start (m)
  int positions;        // found
  hn_frame *at;         // (positions * bodies)
  double *tangent;      // (positions * n), unit length
  // scratch
  hn_frame *ends, *moving; // of a changed joint, of a step (bodies)
  double *first, *square;  // a direction (n), J'J (n * n)
  double *a, *b, *x, *work;
  int *order;
} hn_joint_loop;

// n = 0 where the part is too large.
hn_status hn_mobility_loop_create(hn_arena *arena, const hn_elements *elements,
                                  const hn_joint_graph *graph, int part, double t,
                                  const hn_frame *frames, const hn_branches *branches,
                                  hn_joint_loop *loop);
int hn_mobility_loop_rank(hn_joint_loop *loop);
// Values (m) and gradients (n columns of `stride` numbers) at these frames; either may be null.
void hn_mobility_loop_evaluate(const hn_joint_loop *loop, const hn_frame *frames,
                               const hn_joint_change *change, double *value, double *gradient,
                               int stride);
void hn_mobility_loop_move(const hn_joint_loop *loop, const double *x, double factor,
                           hn_frame *frames);
// Positions to both sides of the start along the motion that violates the rows least. free (m):
// released rows, null: none. 1: there are enough, and with released rows just one such motion.
int hn_mobility_loop_follow(hn_joint_loop *loop, const unsigned char *free);
// The least change with which the loop passes through the positions found; change->x is a first
// guess, as of a change that is large. left: what remains of the violations, in parts of those
// without it that no motion of the bodies removes; HUGE_VAL: none was found. Positions follow the
// change.
hn_status hn_mobility_loop_fit(hn_arena *arena, hn_joint_loop *loop, hn_joint_change *change,
                               double *left);

#endif
