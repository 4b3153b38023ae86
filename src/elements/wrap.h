// The shortest way between two points around a sphere or a cylinder, or through it: wrap.c.
#ifndef HN_ELEMENTS_WRAP_H
#define HN_ELEMENTS_WRAP_H

#include "math/vec.h"

// An obstacle of a path, in its own frame: its center is the origin, the axis of a cylinder z.
typedef struct hn_wrap {
  int is_sphere;
  double radius;
  int has_side; // the way passes on the side of this point; within the radius: it passes inside
  hn_vec3 side;
} hn_wrap;

typedef struct hn_wrap_way {
  double length;
  double gradient[6]; // against the points a, b
  double hessian[6][6];
} hn_wrap_way;

// How it goes: 0 straight, and nothing is written; 1, 2 around, in one sense or the other; 3 inside.
int hn_wrap_find(const hn_wrap *wrap, hn_vec3 a, hn_vec3 b, hn_wrap_way *out);

#endif
