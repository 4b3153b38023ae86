// Unilateral conditions other than contact points (rigid.h): knife edges, rigid stops of joints,
// sticking friction of joints. Each has one constraint, numbered after the contact points.
//
//   EDGE       the point of a knife edge does not move along one of its directions; velocities only
//   STOP       gap = the way to the end of a joint's coordinate: like a smooth contact
//   FRICTION   the coordinate rests as long as |p| <= the limit of sticking, else p is that of sliding
#ifndef HN_EQUATIONS_RIGID_EXTRA_H
#define HN_EQUATIONS_RIGID_EXTRA_H

#include "equations/rigid/rigid.h"

typedef enum hn_extra_kind { HN_EXTRA_EDGE, HN_EXTRA_STOP, HN_EXTRA_FRICTION } hn_extra_kind;

struct hn_extra {
  hn_extra_kind kind;
  int joint;           // edge
  int force;           // stop, friction: of the model
  int measure;         // ...: of the elements
  double sign, end;    // stop: gap = sign (value - end)
  double restitution;  // of stops
  double stick, slide; // friction: limits, N or N m
};

// How many a model has; written where extra is not null.
int hn_extras_list(const hn_elements *elements, struct hn_extra *extra);
// Gap, speed, row. turns: reference angles.
hn_touch_row hn_extra_row(const hn_elements *elements, const struct hn_extra *extra,
                          const hn_frame *frames, const double *turns);
// Value (of stops) and rate alone.
void hn_extra_motion(const hn_elements *elements, const struct hn_extra *extra,
                     const hn_frame *frames, const double *turns, double *value, double *rate);
// The extra of this number, or null: it is a point of a contact.
static inline const struct hn_extra *hn_extra_of(const hn_rigid *self, int point) {
  return point >= self->first_extra ? &self->extra[point - self->first_extra] : NULL;
}
// 1: a condition has switched its force off.
static inline int hn_extra_is_off(const hn_elements *elements, const struct hn_extra *extra) {
  return extra->force >= 0 && elements->force_off && elements->force_off[extra->force];
}
// 1: closed during the whole run.
static inline int hn_touch_is_held(const hn_rigid *self, int point) {
  const struct hn_extra *extra = hn_extra_of(self, point);
  if (extra) return extra->kind == HN_EXTRA_EDGE;
  return self->rule[point / HN_CONTACT_POINTS]->law == HN_CONTACT_ROLLING;
}

#endif
