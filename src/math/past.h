// History of a signal that laws read with a delay: polynomials over the steps of a run.
//
// A step is one piece, through the signal at NODES places in it. At a time at which the signal
// jumps or bends two pieces meet, and a reader sees the later one where a step starts and the
// earlier one where it ends. Memory is taken at creation: when it is full, neighbors are merged if
// the error allows.
#ifndef HN_MATH_PAST_H
#define HN_MATH_PAST_H

#include "base/arena.h"

enum { HN_PAST_NODES = 8 };
#define HN_PAST_SMOOTH 6 // derivatives up to this one are asked to be continuous inside a step

typedef struct hn_past_piece {
  double begin, end;
  double bend;                       // the lowest derivative that may jump at its start
  double coefficient[HN_PAST_NODES]; // Newton's, by the nodes
} hn_past_piece;

typedef struct hn_past {
  double delay;
  double before; // the value before the first piece
  double from;   // where the present step starts
  double upto;   // where the delayed signal bends next: stages beyond it continue what is before
  double coarse,
      tolerance; // how far a piece that two become may be off, of the signal's size; at most
  int room, first, count;
  int seen,
      looked; // pieces whose start was passed; that are known to start smoothly, or were passed
  hn_past_piece *ring;
  int is_kept; // values of another moment hold (integrate/memory.h) ...
  double kept[4];
} hn_past;

hn_status hn_past_create(hn_arena *arena, double delay, int room, double tolerance,
                         hn_past *history);
// Without pieces, from time t on.
void hn_past_begin(hn_past *history, double t, double before);
// Places of the nodes in a step, 0 to 1, rising.
const double *hn_past_nodes(void);
// The step from start to end with the signal's values at its nodes. 0: no capacity, even after
// merging neighbors.
int hn_past_add(hn_past *history, double begin, double end, double bend,
                const double values[HN_PAST_NODES]);
// The delayed signal at time t and three derivatives.
void hn_past_at(const hn_past *history, double t, double derivatives[4]);
// The next time at which the delayed signal bends, after those that were passed; HUGE_VAL: none yet.
double hn_past_next_bend(hn_past *history);
// The time until which the delayed signal has at most `count` pieces from t on: steps that are not
// longer see it as well as the steps that made it. HUGE_VAL: there is nothing to see yet.
double hn_past_pieces_end(const hn_past *history, double t, int count);
// A step starts at t. Returns the lowest derivative of the delayed signal that jumps there;
// HUGE_VAL: none.
double hn_past_pass(hn_past *history, double t);

// Declares its fields of the state of a run (base/state.h); 1: they hold what a run can have written.
void hn_past_declare(hn_arena *arena, hn_past *history);
int hn_past_is_possible(const hn_past *history);

#endif
