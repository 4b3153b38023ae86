// Measures in speeds: value, rate, quadratic velocity term and gradient, all in global axes. A point
// or vector x = w r + A s has xd = w v + w x (A s) and, at zero accelerations, xdd = w x (w x (A s));
// it contributes to a gradient n the force n and the couple (A s) x n on its body. Second
// derivatives are in measure_poses.c.
#include "elements/measure.h"

#include "base/variants.h"
#include "math/elementary.h"

typedef struct motion {
  hn_vec3 x, xd, xdd; // value, rate, second derivative at zero accelerations
  hn_vec3 arm[2];     // A s of each term
} motion;

// Inline, so that what is not read of it is not computed.
HN_INLINE motion difference_motion(const hn_measure *measure, const hn_difference *d,
                                   const hn_frame *frames) {
  motion out = {.x = {0, 0, 0}};
  for (int k = 0; k < 2; k++) {
    const hn_term *term = &d->term[k];
    if (term->slot < 0) continue;
    const hn_frame *f = &frames[measure->body[term->slot]];
    hn_vec3 arm = mat3_apply(f->a, term->s);
    hn_vec3 turn = vec3_cross(f->w, arm);
    out.arm[k] = arm;
    out.x = vec3_add_scaled(out.x, term->sign, vec3_add_scaled(arm, term->w, f->r));
    out.xd = vec3_add_scaled(out.xd, term->sign, vec3_add_scaled(turn, term->w, f->v));
    out.xdd = vec3_add_scaled(out.xdd, term->sign, vec3_cross(f->w, turn));
  }
  return out;
}

static hn_vec3 difference_value(const hn_measure *measure, int k, const hn_frame *frames) {
  return difference_motion(measure, &measure->x[k], frames).x;
}

double hn_measure_plain(const hn_measure *measure, const hn_frame *frames, const double *turns) {
  hn_vec3 x1 = difference_value(measure, 0, frames);
  switch (measure->kind) {
  case HN_MEASURE_DOT: return vec3_dot(x1, difference_value(measure, 1, frames));
  case HN_MEASURE_LENGTH: return vec3_norm(x1);
  case HN_MEASURE_ANGLE: {
    hn_vec3 x2 = difference_value(measure, 1, frames), x3 = difference_value(measure, 2, frames);
    return hn_nearest_turn(hn_atan2(vec3_dot(x2, x3), vec3_dot(x1, x3)), turns[measure->turn]);
  }
  }
  return 0;
}

double hn_measure_value(const hn_measure *measure, const hn_frame *frames, const double *turns) {
  double y = hn_measure_plain(measure, frames, turns);
  return measure->curve ? hn_curve_at(measure->curve, y).f : y;
}

// Adds the gradient n of a difference to the slots' gradients.
static void add_gradient(const hn_difference *d, const motion *x, hn_vec3 n,
                         hn_measure_speeds *out) {
  for (int k = 0; k < 2; k++) {
    const hn_term *term = &d->term[k];
    if (term->slot < 0) continue;
    hn_vec3 force = vec3_scale(term->sign, n);
    out->n[term->slot] = vec3_add_scaled(out->n[term->slot], term->w, force);
    out->m[term->slot] = vec3_add(out->m[term->slot], vec3_cross(x->arm[k], force));
  }
}

// origin 2 - origin 1 in motion: the only difference of two points.
typedef struct distance {
  hn_vec3 x, xd, xdd, arm1, arm2;
} distance;

static inline distance distance_motion(const hn_measure *measure, const hn_difference *x,
                                       const hn_frame *frames) {
  const hn_frame *f1 = &frames[measure->body[0]], *f2 = &frames[measure->body[1]];
  hn_vec3 arm1 = mat3_apply(f1->a, x->term[1].s), turn1 = vec3_cross(f1->w, arm1);
  hn_vec3 arm2 = mat3_apply(f2->a, x->term[0].s), turn2 = vec3_cross(f2->w, arm2);
  return (distance){.x = vec3_sub(vec3_add(f2->r, arm2), vec3_add(f1->r, arm1)),
                    .xd = vec3_sub(vec3_add(f2->v, turn2), vec3_add(f1->v, turn1)),
                    .xdd = vec3_sub(vec3_cross(f2->w, turn2), vec3_cross(f1->w, turn1)),
                    .arm1 = arm1,
                    .arm2 = arm2};
}

static inline void distance_gradient(const distance *d, hn_vec3 n, hn_measure_speeds *out) {
  out->n[0] = vec3_negate(n);
  out->n[1] = n;
  out->m[0] = vec3_cross(n, d->arm1);
  out->m[1] = vec3_cross(d->arm2, n);
}

static void square_in_speeds(const hn_measure *measure, const hn_frame *frames,
                             hn_measure_speeds *out) {
  distance d = distance_motion(measure, &measure->x[0], frames);
  out->value = vec3_dot(d.x, d.x);
  out->rate = 2 * vec3_dot(d.x, d.xd);
  out->quadratic = 2 * (vec3_dot(d.xd, d.xd) + vec3_dot(d.x, d.xdd));
  distance_gradient(&d, vec3_scale(2, d.x), out);
}

static void length_in_speeds(const hn_measure *measure, const hn_frame *frames,
                             hn_measure_speeds *out) {
  distance d = distance_motion(measure, &measure->x[0], frames);
  double length = vec3_norm(d.x);
  out->value = length;
  if (!(length > HN_LENGTH_ZERO)) return; // no direction: the gradient is taken as zero
  double inverse = 1 / length;
  hn_vec3 e = vec3_scale(inverse, d.x);
  out->rate = vec3_dot(e, d.xd);
  out->quadratic = (vec3_dot(d.xd, d.xd) + vec3_dot(d.x, d.xdd) - out->rate * out->rate) * inverse;
  distance_gradient(&d, e, out);
}

// The difference may be taken the other way round: so is the axis then.
static void displacement_in_speeds(const hn_measure *measure, const hn_frame *frames,
                                   hn_measure_speeds *out) {
  const hn_frame *f = &frames[measure->body[0]];
  distance d = distance_motion(measure, &measure->x[1], frames);
  hn_vec3 axis = mat3_apply(f->a, measure->x[0].term[0].s);
  hn_vec3 e = vec3_scale(measure->x[1].term[0].sign, axis), ed = vec3_cross(f->w, e);
  out->value = vec3_dot(e, d.x);
  out->rate = vec3_dot(ed, d.x) + vec3_dot(e, d.xd);
  out->quadratic =
      vec3_dot(vec3_cross(f->w, ed), d.x) + 2 * vec3_dot(ed, d.xd) + vec3_dot(e, d.xdd);
  distance_gradient(&d, e, out);
  out->m[0] = vec3_add(vec3_cross(e, d.x), out->m[0]);
}

static void dot_in_speeds(const hn_measure *measure, const hn_frame *frames,
                          hn_measure_speeds *out) {
  if (measure->is_displacement) {
    displacement_in_speeds(measure, frames, out);
    return;
  }
  if (measure->is_square) {
    square_in_speeds(measure, frames, out);
    return;
  }
  motion x1 = difference_motion(measure, &measure->x[0], frames);
  motion x2 = difference_motion(measure, &measure->x[1], frames);
  out->value = vec3_dot(x1.x, x2.x);
  out->rate = vec3_dot(x1.xd, x2.x) + vec3_dot(x1.x, x2.xd);
  out->quadratic = vec3_dot(x1.xdd, x2.x) + 2 * vec3_dot(x1.xd, x2.xd) + vec3_dot(x1.x, x2.xdd);
  add_gradient(&measure->x[0], &x1, x2.x, out);
  add_gradient(&measure->x[1], &x2, x1.x, out);
}

// theta = atan2(S, C): thd = (C Sd - S Cd)/rho, thdd = (C Sdd - S Cdd)/rho - thd rhod/rho
static void angle_in_speeds(const hn_measure *measure, const hn_frame *frames, const double *turns,
                            hn_measure_speeds *out) {
  motion x1 = difference_motion(measure, &measure->x[0], frames);
  motion x2 = difference_motion(measure, &measure->x[1], frames);
  motion x3 = difference_motion(measure, &measure->x[2], frames);
  double s = vec3_dot(x2.x, x3.x), c = vec3_dot(x1.x, x3.x), rho = s * s + c * c;
  double sd = vec3_dot(x2.xd, x3.x) + vec3_dot(x2.x, x3.xd);
  double cd = vec3_dot(x1.xd, x3.x) + vec3_dot(x1.x, x3.xd);
  double sdd = vec3_dot(x2.xdd, x3.x) + 2 * vec3_dot(x2.xd, x3.xd) + vec3_dot(x2.x, x3.xdd);
  double cdd = vec3_dot(x1.xdd, x3.x) + 2 * vec3_dot(x1.xd, x3.xd) + vec3_dot(x1.x, x3.xdd);
  out->value = hn_nearest_turn(hn_atan2(s, c), turns[measure->turn]);
  out->rate = (c * sd - s * cd) / rho;
  out->quadratic = (c * sdd - s * cdd - 2 * out->rate * (s * sd + c * cd)) / rho;
  add_gradient(&measure->x[0], &x1, vec3_scale(-s / rho, x3.x), out);
  add_gradient(&measure->x[1], &x2, vec3_scale(c / rho, x3.x), out);
  hn_vec3 n3 = vec3_sub(vec3_scale(c / rho, x2.x), vec3_scale(s / rho, x1.x));
  add_gradient(&measure->x[2], &x3, n3, out);
}

static void angle_rate(const hn_measure *measure, const hn_frame *frames, const double *turns,
                       double *value, double *rate) {
  motion x1 = difference_motion(measure, &measure->x[0], frames);
  motion x2 = difference_motion(measure, &measure->x[1], frames);
  motion x3 = difference_motion(measure, &measure->x[2], frames);
  double s = vec3_dot(x2.x, x3.x), c = vec3_dot(x1.x, x3.x);
  double sd = vec3_dot(x2.xd, x3.x) + vec3_dot(x2.x, x3.xd);
  double cd = vec3_dot(x1.xd, x3.x) + vec3_dot(x1.x, x3.xd);
  *value = hn_nearest_turn(hn_atan2(s, c), turns[measure->turn]);
  *rate = (c * sd - s * cd) / (s * s + c * c);
}

void hn_measure_rate(const hn_measure *measure, const hn_frame *frames, const double *turns,
                     double *value, double *rate) {
  if (measure->kind == HN_MEASURE_ANGLE && !measure->curve) {
    angle_rate(measure, frames, turns, value, rate);
    return;
  }
  if (measure->kind == HN_MEASURE_LENGTH && !measure->curve) {
    distance d = distance_motion(measure, &measure->x[0], frames);
    *value = vec3_norm(d.x);
    *rate = *value > HN_LENGTH_ZERO ? vec3_dot(vec3_scale(1 / *value, d.x), d.xd) : 0;
    return;
  }
  hn_measure_speeds s;
  hn_measure_in_speeds(measure, frames, turns, &s);
  *value = s.value;
  *rate = s.rate;
}

// From y to the curve of y.
static void bend(const double *curve, hn_measure_speeds *s) {
  hn_curve_value f = hn_curve_at(curve, s->value);
  s->value = f.f;
  s->quadratic = f.d1 * s->quadratic + f.d2 * s->rate * s->rate;
  s->rate *= f.d1;
  for (int slot = 0; slot < 2; slot++) {
    s->n[slot] = vec3_scale(f.d1, s->n[slot]);
    s->m[slot] = vec3_scale(f.d1, s->m[slot]);
  }
}

void hn_measure_in_speeds(const hn_measure *measure, const hn_frame *frames, const double *turns,
                          hn_measure_speeds *out) {
  *out = (hn_measure_speeds){0};
  switch (measure->kind) {
  case HN_MEASURE_DOT: dot_in_speeds(measure, frames, out); break;
  case HN_MEASURE_LENGTH: length_in_speeds(measure, frames, out); break;
  case HN_MEASURE_ANGLE: angle_in_speeds(measure, frames, turns, out); break;
  }
  if (measure->curve) bend(measure->curve, out);
}
