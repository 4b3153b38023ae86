// Tables that formulas call by their names: map(joint.shaft.angle_rate, state.throttle).
//
// Of one variable it is a law through points. Of two it is made of patches between the points, with
// f, f_x, f_y and f_xy given at their corners: the slopes are those of the curves of one variable
// along the rows and columns, so that splines give the tensor product of splines, which is twice
// continuously differentiable. Straight tables are bilinear. Beyond its ends it continues straight
// in each variable, or keeps the value of its edge.
#ifndef HN_MATH_LOOKUP_H
#define HN_MATH_LOOKUP_H

#include "base/arena.h"
#include "holon/law.h"
#include "math/expression_code.h"

struct hn_lookup {
  const char *name;
  int arguments; // 1 or 2
  hn_law *law;   // of one
  int columns, rows;
  hn_table_options options;
  const double *x, *y;       // (columns), (rows)
  const double (*corner)[4]; // f, f_x, f_y, f_xy: x running fastest
  unsigned long long hash;
};

// values: columns x rows, x running fastest. The lookup and its numbers live in the arena; its law is
// the caller's to free. *error (may be null) says why not.
hn_status hn_lookup_create(hn_arena *arena, const hn_table_def *def, hn_lookup **lookup,
                           hn_error *error);
double hn_lookup_value(const hn_lookup *lookup, double x, double y);
// Weights of f0, f0', f1, f1' on an interval of size h: coefficients of powers of the position in it.
void hn_lookup_weights(const hn_table_options *options, double h, double w[4][4]);
double hn_lookup_partials(const hn_lookup *lookup, double x, double y, hn_partials *partials);
// Which of its smooth pieces holds (x, y): a number that changes where a straight table bends, at
// the points of others that have few, where a higher derivative jumps, and at the ends of a clamped
// one. hn_lookup_bends: 0 where there is one piece only.
int hn_lookup_bends(const hn_lookup *lookup);
int hn_lookup_piece(const hn_lookup *lookup, double x, double y);

#endif
