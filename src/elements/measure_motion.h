// Measures (measure.h) along a motion, as spatial vectors in global axes about a fixed point O:
// motions (v, w) with v that of the point of the body at O, wrenches (f, n) about O.
#ifndef HN_ELEMENTS_MEASURE_MOTION_H
#define HN_ELEMENTS_MEASURE_MOTION_H

#include "base/variants.h"
#include "elements/measure.h"

typedef struct hn_twist {
  hn_vec3 v, w;
} hn_twist;

HN_INLINE hn_twist hn_twist_cross(hn_twist a, hn_twist b) {
  return (hn_twist){vec3_add(vec3_cross(a.w, b.v), vec3_cross(a.v, b.w)), vec3_cross(a.w, b.w)};
}

typedef struct hn_tree_wrench {
  hn_vec3 f, n;
} hn_tree_wrench;

// A body as elements see it, about O.
typedef struct hn_spatial_body {
  hn_mat3 axes;
  hn_vec3 centre; // of mass, from O
  hn_twist y, a;
} hn_spatial_body;

// Each span as at most one end a body, x = w r + A s.
typedef struct hn_span_form {
  double w[2];
  hn_vec3 s[2];
  unsigned char has[2];
} hn_span_form;

typedef struct hn_measure_form {
  hn_measure_kind kind;
  int is_square; // dot: of the first span with itself
  hn_span_form x[3];
} hn_measure_form;

typedef struct hn_end_motion {
  double w;
  hn_vec3 x, xd, xdd; // from O
} hn_end_motion;

// The sum of its ends, and the one on the second body.
typedef struct hn_span_motion {
  hn_vec3 x, xd, xdd;
  hn_end_motion on;
  int has_end;
} hn_span_motion;

// A measure along the motion: its covector on the second body with its rates.
typedef struct hn_measure_motion {
  double value, rate; // no value of angles
  double second;
  hn_tree_wrench e, ed, edd;
  hn_span_motion x[3];
  double inverse;          // length: 1 / length
  double over[2];          // angle: 1 / (C + i S) ...
  hn_tree_wrench e_s, e_c; // ... and covectors of S and C
} hn_measure_motion;

void hn_measure_compile(const hn_measure *measure, hn_measure_form *form);
void hn_measure_move(const hn_measure_form *form, const hn_spatial_body *const body[2],
                     int needs_second, hn_measure_motion *out);
// From a measure to its curve, but for what hn_measure_add_curvature needs.
void hn_measure_bend(const hn_curve_value *f, hn_measure_motion *m);
// h += weight times the derivative of e along motions of the second body.
void hn_measure_add_curvature(const hn_measure_form *form, const hn_measure_motion *motion,
                              double weight, double h[6][6]);
void hn_wrench_add_outer(double scale, hn_tree_wrench a, hn_tree_wrench b, double h[6][6]);

#endif
