// Constructors of measures from frames on bodies. The first frame's body takes slot 0.
#ifndef HN_ELEMENTS_MEASURE_MAKE_H
#define HN_ELEMENTS_MEASURE_MAKE_H

#include "elements/measure.h"
#include "holon/model.h"

// axis 0, 1, 2: f, g, h of the frame, in body axes
static inline hn_vec3 frame_axis(const hn_frame_on_body *frame, int axis) {
  return mat3_column(quat_matrix(frame->orientation), axis);
}
static inline hn_difference difference_none(void) {
  return (hn_difference){{{.slot = -1}, {.slot = -1}}};
}
static inline hn_difference difference_vector(int slot, hn_vec3 s) {
  return (hn_difference){{{s, (signed char)slot, 0, 1}, {.slot = -1}}};
}
// origin of frame 2 minus origin of frame 1
static inline hn_difference difference_origins(const hn_frame_on_body *frame1,
                                               const hn_frame_on_body *frame2) {
  return (hn_difference){{{frame2->position, 1, 1, 1}, {frame1->position, 0, 1, -1}}};
}
static inline hn_measure measure_between(hn_measure_kind kind, const hn_frame_on_body *frame1,
                                         const hn_frame_on_body *frame2) {
  return (hn_measure){.kind = kind,
                      .body = {frame1->body, frame2->body},
                      .x = {difference_none(), difference_none(), difference_none()},
                      .turn = -1};
}

// axis of frame 1 . axis of frame 2
static inline hn_measure hn_measure_axis_dot(const hn_frame_on_body *frame1, int axis1,
                                             const hn_frame_on_body *frame2, int axis2) {
  hn_measure m = measure_between(HN_MEASURE_DOT, frame1, frame2);
  m.x[0] = difference_vector(0, frame_axis(frame1, axis1));
  m.x[1] = difference_vector(1, frame_axis(frame2, axis2));
  return m;
}
// axis of frame 1 . (origin 2 - origin 1)
static inline hn_measure hn_measure_axis_displacement(const hn_frame_on_body *frame1, int axis,
                                                      const hn_frame_on_body *frame2) {
  hn_measure m = measure_between(HN_MEASURE_DOT, frame1, frame2);
  m.x[0] = difference_vector(0, frame_axis(frame1, axis));
  m.x[1] = difference_origins(frame1, frame2);
  m.is_displacement = 1;
  return m;
}
// Of frame 2 against frame 1 about axis k of frame 1, with i, j the axes after k in turn:
// (j1 . i2 - i1 . j2) / 2, the axial part of the relative rotation: sin(angle) times component k of
// the axis of the turn. Three angles by atan2 would each be exact about its own axis, but a turn
// past 90 degrees about one axis makes another jump by pi; the sines are polynomials everywhere, so
// the potential k sin^2 / 2 is smooth. The torque about one axis, k sin cos, is largest at 45
// degrees: a bushing is meant for less. As one dot, with i . j = 0 within each frame:
// (j1 + j2) . (i2 - i1) / 2.
static inline hn_measure hn_measure_sine_about(const hn_frame_on_body *frame1,
                                               const hn_frame_on_body *frame2, int axis) {
  hn_measure m = measure_between(HN_MEASURE_DOT, frame1, frame2);
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  hn_vec3 half_i1 = vec3_scale(0.5, frame_axis(frame1, i));
  hn_vec3 half_i2 = vec3_scale(0.5, frame_axis(frame2, i));
  m.x[0] = (hn_difference){{{frame_axis(frame2, j), 1, 0, 1}, {frame_axis(frame1, j), 0, 0, 1}}};
  m.x[1] = (hn_difference){{{half_i2, 1, 0, 1}, {half_i1, 0, 0, -1}}};
  return m;
}
// |origin 2 - origin 1|^2
static inline hn_measure hn_measure_squared_distance(const hn_frame_on_body *frame1,
                                                     const hn_frame_on_body *frame2) {
  hn_measure m = measure_between(HN_MEASURE_DOT, frame1, frame2);
  m.x[0] = m.x[1] = difference_origins(frame1, frame2);
  m.is_square = 1;
  return m;
}
// |origin 2 - origin 1|
static inline hn_measure hn_measure_distance(const hn_frame_on_body *frame1,
                                             const hn_frame_on_body *frame2) {
  hn_measure m = measure_between(HN_MEASURE_LENGTH, frame1, frame2);
  m.x[0] = difference_origins(frame1, frame2);
  return m;
}
// Of f2 against f1 about h1: atan2(g1 . f2, f1 . f2).
static inline hn_measure hn_measure_angle(const hn_frame_on_body *frame1,
                                          const hn_frame_on_body *frame2, int turn) {
  hn_measure m = measure_between(HN_MEASURE_ANGLE, frame1, frame2);
  m.x[0] = difference_vector(0, frame_axis(frame1, 0));
  m.x[1] = difference_vector(0, frame_axis(frame1, 1));
  m.x[2] = difference_vector(1, frame_axis(frame2, 0));
  m.turn = turn;
  return m;
}
// Universal joint, the cross against body 1 about h1: atan2(g1 . h2, f1 . h2).
static inline hn_measure hn_measure_cross_angle(const hn_frame_on_body *frame1,
                                                const hn_frame_on_body *frame2, int turn) {
  hn_measure m = hn_measure_angle(frame1, frame2, turn);
  m.x[2] = difference_vector(1, frame_axis(frame2, 2));
  return m;
}
// Universal joint, body 2 against the cross about h2: atan2(-g2 . h1, f2 . h1).
static inline hn_measure hn_measure_cross_angle2(const hn_frame_on_body *frame1,
                                                 const hn_frame_on_body *frame2, int turn) {
  hn_measure m = measure_between(HN_MEASURE_ANGLE, frame1, frame2);
  m.x[0] = difference_vector(1, frame_axis(frame2, 0));
  m.x[1] = difference_vector(1, vec3_negate(frame_axis(frame2, 1)));
  m.x[2] = difference_vector(0, frame_axis(frame1, 2));
  m.turn = turn;
  return m;
}

#endif
