// Measures: the scalar quantities of two bodies from which every constraint row and every
// spring-like force is made.
//
// Elements see a body as an origin and three axes, never as a rotation. A body vector or point is
//   x = w r + A s,   w = 1 (point) or 0 (vector), s in body axes;
// a *difference* X is one such term or two (plus minus minus). A measure is
//   dot     X1 . X2
//   length  sqrt(X1 . X1)
//   angle   atan2(S, C), S = X2 . X3, C = X1 . X3, on the branch nearest to a reference value
// Dots are bilinear in the frames, so gradient and Hessian are exact in every set of coordinates
// (methods/elements.md).
#ifndef HN_ELEMENTS_MEASURE_H
#define HN_ELEMENTS_MEASURE_H

#include "math/frame.h"

typedef enum hn_measure_kind {
  HN_MEASURE_DOT,
  HN_MEASURE_LENGTH,
  HN_MEASURE_ANGLE
} hn_measure_kind;

// One end of a difference, on slot 0 or 1 of the measure's bodies.
typedef struct hn_term {
  hn_vec3 s;        // body axes
  signed char slot; // 0 or 1; -1: absent
  signed char w;    // 1 point, 0 vector
  signed char sign; // +1 or -1
} hn_term;

typedef struct hn_difference {
  hn_term term[2];
} hn_difference;

typedef struct hn_measure {
  hn_measure_kind kind;
  int body[2];         // slots 0, 1; HN_GROUND for the fixed world
  hn_difference x[3];  // dot: 0, 1; length: 0; angle: 0, 1, 2
  int turn;            // angle: its place in the array of reference angles; else -1
  int is_square;       // dot: of origin 2 - origin 1 with itself
  int is_displacement; // dot: of an axis of slot 0 with origin 2 - origin 1
  const double *curve; // null; or four numbers: c1 y + c2 y^2 + c3 y^3 + c4 y^4 is the measure
} hn_measure;

// A curve at y with its derivatives.
typedef struct hn_curve_value {
  double f, d1, d2, d3;
} hn_curve_value;

static inline hn_curve_value hn_curve_at(const double c[4], double y) {
  return (hn_curve_value){y * (c[0] + y * (c[1] + y * (c[2] + y * c[3]))),
                          c[0] + y * (2 * c[1] + y * (3 * c[2] + y * 4 * c[3])),
                          2 * c[1] + y * (6 * c[2] + y * 12 * c[3]), 6 * c[2] + y * 24 * c[3]};
}

// The branch of an angle nearest to its reference.
static inline double hn_nearest_turn(double angle, double reference) {
  double gap = reference - angle;
  if (fabs(gap) < HN_PI) return angle; // mostly
  return angle + 2 * HN_PI * nearbyint(gap / (2 * HN_PI));
}

// Below this length two points coincide and their line has no direction.
#define HN_LENGTH_ZERO 1e-100

// ---- in speeds: what accelerations need -----------------------------------------------------------

typedef struct hn_measure_speeds {
  double value, rate;
  double quadratic;   // second time derivative at zero (linear and angular) accelerations
  hn_vec3 n[2], m[2]; // gradient a slot: rate = sum n.v + m.w
} hn_measure_speeds;

// Value only.
double hn_measure_value(const hn_measure *measure, const hn_frame *frames, const double *turns);
double hn_measure_plain(const hn_measure *measure, const hn_frame *frames,
                        const double *turns); // without its curve
void hn_measure_in_speeds(const hn_measure *measure, const hn_frame *frames, const double *turns,
                          hn_measure_speeds *out);
// Value and rate only.
void hn_measure_rate(const hn_measure *measure, const hn_frame *frames, const double *turns,
                     double *value, double *rate);

// ---- in poses: what implicit methods need -----------------------------------------------------------

// Small motions of slot 0, then of slot 1: translation and rotation about the origin, in global axes.
// Ground slots are filled too; the caller drops them. When both slots are the same body the caller adds.
#define HN_POSES 12

// Derivatives against poses are at fixed speeds (v, w).
typedef struct hn_measure_tangent {
  double value, rate, quadratic;
  double gradient[HN_POSES]; // n, m a slot
  double gradient_pose[HN_POSES][HN_POSES];
  double rate_pose[HN_POSES];
  double quadratic_pose[HN_POSES], quadratic_speed[HN_POSES];
} hn_measure_tangent;

void hn_measure_in_poses(const hn_measure *measure, const hn_frame *frames, const double *turns,
                         hn_measure_tangent *out);

// The gradient along a motion whose bodies have these accelerations (linear, angular) or none (null):
// it, its rate and the rate of that. Not of measures with a curve.
typedef struct hn_acceleration {
  hn_vec3 linear, angular;
} hn_acceleration;
void hn_measure_along(const hn_measure *measure, const hn_frame *frames,
                      const hn_acceleration acceleration[2], double gradient[3][HN_POSES]);

#endif
