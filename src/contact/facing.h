// Two planar profiles in one plane: the places at which they face each other.
#ifndef HN_CONTACT_FACING_H
#define HN_CONTACT_FACING_H

#include "contact/contact.h"
#include "contact/curve.h"

// A planar profile placed in the plane: x = across x_own + at (a rotation, or one with a
// reflection).
typedef struct hn_outline {
  const hn_curve *curve;
  double across[2][2];
  hn_vec2 at;
  double bound;  // radius about its origin that holds it
  double radius; // about a segment: nothing lies within it
} hn_outline;

// Both nearest places in the plane, the first's outward normal, and the pieces or corners they lie on.
typedef struct hn_facing {
  hn_curve_point first, second; // both in the plane; normals lead out of their own planar profile
  int feature[2];
  double gap;
  int is_crossing; // a way out of deep overlap, not of two features
} hn_facing;

// Places where planar profiles face each other, each as near as no other in its surroundings: at
// most the capacity, the nearest first. Those that overlap count as far as either place lies within
// the other.
int hn_facing_find(const hn_outline *first, const hn_outline *second, hn_facing *list, int room);
// The places of two given features, also a little beyond their ends (there they may face nothing).
typedef enum hn_facing_found { HN_FACING_NONE, HN_FACING_BEYOND, HN_FACING_WITHIN } hn_facing_found;
hn_facing_found hn_facing_of(const hn_outline *first, const hn_outline *second, int feature1,
                             int feature2, hn_facing *out);

#endif
