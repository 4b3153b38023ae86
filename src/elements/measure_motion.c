// Measures of two bodies as spatial covectors. A measure y depends on the relative pose of its bodies
// only, so one covector e on the second body is sufficient: with S the motion of a speed about O,
//
//   y_pi = e . S on the second body's way up, -e . S on the first's
//
// and since S moves like a part of the model (its rates are psd, psdd)
//
//   (y')_pi  = ed . S + e . psd           (y'')_pi = edd . S + 2 ed . psd + e . psdd
//   (y'')_w  = 2 ed . S + e . (Sd + psd)
//
// An end of a span on the second body is X = w (r - O) + A s, with n the other span of a dot:
//
//   e = sum (w n, X x n)      ed, edd: its time derivatives at fixed O
//   de along S with the first body fixed: He S, He of two ends (w1, X1), (w2, X2) of spans x1, x2
//     [ w1 w2 1                  -w1 X2~                                    ]
//     [ w2 X1~ - w1 x2~          X1 x2' - X2 X1' + (X1.X2 - x2.X1) 1        ]   and with 1, 2 swapped
//
// Lengths, l^2 = y:  l e_l = e / 2,  l ed_l = ed / 2 - ld e_l,  l edd_l = edd / 2 - ldd e_l - 2 ld ed_l.
// Angles: with z = C + i S, log z = sigma + i theta and u_k the covectors of z, zd, zdd over z,
//
//   Im u_0,  Im (u_1 - L u_0),  Im (u_2 - 2 L u_1 - (LL - L^2) u_0),  L = zd / z,  LL = zdd / z - L^2
#include "elements/measure_motion.h"

#include <string.h>

// A dot of two spans along the motion.
typedef struct dot {
  double y, yd, ydd;
  hn_tree_wrench e, ed, edd;
} dot;

HN_INLINE hn_end_motion move_end(const hn_spatial_body *b, double w, hn_vec3 s, int needs_second) {
  hn_end_motion out = {.w = w};
  out.x = vec3_add_scaled(mat3_apply(b->axes, s), w, b->centre);
  out.xd = vec3_add_scaled(vec3_cross(b->y.w, out.x), w, b->y.v);
  if (needs_second)
    out.xdd =
        vec3_add_scaled(vec3_add(vec3_cross(b->a.w, out.x), vec3_cross(b->y.w, out.xd)), w, b->a.v);
  return out;
}

HN_INLINE void make_span(const hn_span_form *form, const hn_spatial_body *const body[2],
                         int needs_second, hn_span_motion *out) {
  out->has_end = form->has[1];
  if (form->has[1]) {
    out->on = move_end(body[1], form->w[1], form->s[1], needs_second);
    out->x = out->on.x;
    out->xd = out->on.xd;
    out->xdd = out->on.xdd;
    if (!form->has[0]) return;
    hn_end_motion other = move_end(body[0], form->w[0], form->s[0], needs_second);
    out->x = vec3_add(out->x, other.x);
    out->xd = vec3_add(out->xd, other.xd);
    out->xdd = vec3_add(out->xdd, other.xdd);
    return;
  }
  hn_end_motion only = move_end(body[0], form->w[0], form->s[0], needs_second);
  out->x = only.x;
  out->xd = only.xd;
  out->xdd = only.xdd;
}

// Adds the contribution of an end to e and its rates, n being the other span, scaled.
HN_INLINE void add_end(const hn_end_motion *on, const hn_span_motion *n, double scale,
                       int needs_second, dot *out) {
  double w = scale * on->w;
  hn_vec3 x = vec3_scale(scale, on->x), xd = vec3_scale(scale, on->xd);
  out->e.f = vec3_add_scaled(out->e.f, w, n->x);
  out->e.n = vec3_add(out->e.n, vec3_cross(x, n->x));
  out->ed.f = vec3_add_scaled(out->ed.f, w, n->xd);
  out->ed.n = vec3_add(out->ed.n, vec3_add(vec3_cross(xd, n->x), vec3_cross(x, n->xd)));
  if (!needs_second) return;
  hn_vec3 xdd = vec3_scale(scale, on->xdd);
  out->edd.f = vec3_add_scaled(out->edd.f, w, n->xdd);
  out->edd.n = vec3_add(out->edd.n, vec3_add(vec3_cross(xdd, n->x), vec3_cross(x, n->xdd)));
  out->edd.n = vec3_add_scaled(out->edd.n, 2, vec3_cross(xd, n->xd));
}

HN_INLINE void make_dot(const hn_span_motion *a, const hn_span_motion *b, int needs_second,
                        dot *out) {
  memset(out, 0, sizeof *out);
  out->y = vec3_dot(a->x, b->x);
  if (a == b) { // each end once
    out->yd = 2 * vec3_dot(a->x, a->xd);
    out->ydd = 2 * (vec3_dot(a->xd, a->xd) + vec3_dot(a->x, a->xdd));
    if (a->has_end) add_end(&a->on, a, 2, needs_second, out);
    return;
  }
  out->yd = vec3_dot(a->xd, b->x) + vec3_dot(a->x, b->xd);
  out->ydd = vec3_dot(a->xdd, b->x) + vec3_dot(a->x, b->xdd) + 2 * vec3_dot(a->xd, b->xd);
  if (a->has_end) add_end(&a->on, b, 1, needs_second, out);
  if (b->has_end) add_end(&b->on, a, 1, needs_second, out);
}

// ---- second derivatives -------------------------------------------------------------------------

// h += scale times the half of He that belongs to the end on span a, n = the other span b.
HN_INLINE void add_half(double scale, const hn_span_motion *a, const hn_span_motion *b,
                        double h[6][6]) {
  double w1 = scale * a->on.w, w2 = b->has_end ? b->on.w : 0;
  hn_vec3 x1 = vec3_scale(scale, a->on.x), n = b->x;
  hn_vec3 x2 = b->has_end ? b->on.x : vec3_zero();
  if (w1 != 0 && b->has_end) {
    h[0][0] += w1 * w2;
    h[1][1] += w1 * w2;
    h[2][2] += w1 * w2;
    hn_vec3 k = vec3_scale(w1, x2); // -k~
    h[0][4] += k.z;
    h[0][5] -= k.y;
    h[1][3] -= k.z;
    h[1][5] += k.x;
    h[2][3] += k.y;
    h[2][4] -= k.x;
  }
  if (a->on.w != 0 || w2 != 0) {
    hn_vec3 k = vec3_sub(vec3_scale(w2, x1), vec3_scale(w1, n)); // k~
    h[3][1] -= k.z;
    h[3][2] += k.y;
    h[4][0] += k.z;
    h[4][2] -= k.x;
    h[5][0] -= k.y;
    h[5][1] += k.x;
  }
  double t = vec3_dot(x1, vec3_sub(x2, n));
  h[3][3] += x1.x * n.x - x2.x * x1.x + t;
  h[3][4] += x1.x * n.y - x2.x * x1.y;
  h[3][5] += x1.x * n.z - x2.x * x1.z;
  h[4][3] += x1.y * n.x - x2.y * x1.x;
  h[4][4] += x1.y * n.y - x2.y * x1.y + t;
  h[4][5] += x1.y * n.z - x2.y * x1.z;
  h[5][3] += x1.z * n.x - x2.z * x1.x;
  h[5][4] += x1.z * n.y - x2.z * x1.y;
  h[5][5] += x1.z * n.z - x2.z * x1.z + t;
}

static void add_curvature(double scale, const hn_span_motion *a, const hn_span_motion *b,
                          double h[6][6]) {
  if (a == b) {
    if (a->has_end) add_half(2 * scale, a, a, h);
    return;
  }
  if (a->has_end) add_half(scale, a, b, h);
  if (b->has_end) add_half(scale, b, a, h);
}

void hn_wrench_add_outer(double scale, hn_tree_wrench a, hn_tree_wrench b, double h[6][6]) {
  double left[6], right[6];
  vec3_store(left, a.f);
  vec3_store(left + 3, a.n);
  vec3_store(right, b.f);
  vec3_store(right + 3, b.n);
  for (int i = 0; i < 6; i++) {
    double x = scale * left[i];
    for (int j = 0; j < 6; j++) h[i][j] += x * right[j];
  }
}

// ---- measures -----------------------------------------------------------------------------------

// a + s b
HN_INLINE hn_tree_wrench plus(hn_tree_wrench a, double s, hn_tree_wrench b) {
  return (hn_tree_wrench){vec3_add_scaled(a.f, s, b.f), vec3_add_scaled(a.n, s, b.n)};
}

HN_INLINE hn_tree_wrench times(double s, hn_tree_wrench a) {
  return (hn_tree_wrench){vec3_scale(s, a.f), vec3_scale(s, a.n)};
}

HN_INLINE void finish_length(const dot *d, int needs_second, hn_measure_motion *out) {
  double length = sqrt(d->y), inverse = length > HN_LENGTH_ZERO ? 1 / length : 0;
  double half = 0.5 * inverse, rate = half * d->yd;
  out->value = length;
  out->rate = rate;
  out->inverse = inverse;
  out->e = times(half, d->e);
  out->ed = plus(times(half, d->ed), -rate * inverse, out->e);
  if (!needs_second) return;
  double second = out->second = (0.5 * d->ydd - rate * rate) * inverse;
  out->edd =
      plus(plus(times(half, d->edd), -second * inverse, out->e), -2 * rate * inverse, out->ed);
}

typedef struct complex_number {
  double re, im;
} complex_number;

static complex_number complex_times(complex_number a, complex_number b) {
  return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Im (c (of_c + i of_s))
static hn_tree_wrench imaginary(complex_number c, hn_tree_wrench of_s, hn_tree_wrench of_c) {
  return plus(times(c.re, of_s), c.im, of_c);
}

static void finish_angle(const dot *s, const dot *c, int needs_second, hn_measure_motion *out) {
  double rho = s->y * s->y + c->y * c->y;
  complex_number over = {c->y / rho, -s->y / rho};
  complex_number l = complex_times((complex_number){c->yd, s->yd}, over);
  complex_number l_over = complex_times(l, over);
  out->rate = l.im;
  out->over[0] = over.re;
  out->over[1] = over.im;
  out->e_s = s->e;
  out->e_c = c->e;
  out->e = imaginary(over, s->e, c->e);
  out->ed = plus(imaginary(over, s->ed, c->ed), -1, imaginary(l_over, s->e, c->e));
  if (!needs_second) return;
  complex_number square = complex_times(l, l);
  complex_number second = complex_times((complex_number){c->ydd, s->ydd}, over);
  out->second = second.im - square.im;
  complex_number rest = {second.re - 2 * square.re, second.im - 2 * square.im};
  out->edd = plus(imaginary(over, s->edd, c->edd), -2, imaginary(l_over, s->ed, c->ed));
  out->edd = plus(out->edd, -1, imaginary(complex_times(rest, over), s->e, c->e));
}

static void add_angle_curvature(double weight, const hn_measure_motion *m, double h[6][6]) {
  const hn_span_motion *x = m->x;
  double re = m->over[0], im = m->over[1];
  double re2 = re * re - im * im, im2 = 2 * re * im;
  add_curvature(weight * re, &x[1], &x[2], h);
  add_curvature(weight * im, &x[0], &x[2], h);
  hn_wrench_add_outer(weight * im2, m->e_s, m->e_s, h);
  hn_wrench_add_outer(-weight * re2, m->e_s, m->e_c, h);
  hn_wrench_add_outer(-weight * re2, m->e_c, m->e_s, h);
  hn_wrench_add_outer(-weight * im2, m->e_c, m->e_c, h);
}

void hn_measure_move(const hn_measure_form *form, const hn_spatial_body *const body[2],
                     int needs_second, hn_measure_motion *out) {
  hn_span_motion *x = out->x;
  dot d, c;
  make_span(&form->x[0], body, needs_second, &x[0]);
  switch (form->kind) {
  case HN_MEASURE_DOT:
    if (!form->is_square) make_span(&form->x[1], body, needs_second, &x[1]);
    make_dot(&x[0], form->is_square ? &x[0] : &x[1], needs_second, &d);
    out->value = d.y;
    out->rate = d.yd;
    out->second = d.ydd;
    out->e = d.e;
    out->ed = d.ed;
    out->edd = d.edd;
    break;
  case HN_MEASURE_LENGTH:
    make_dot(&x[0], &x[0], needs_second, &d);
    finish_length(&d, needs_second, out);
    break;
  case HN_MEASURE_ANGLE:
    make_span(&form->x[1], body, needs_second, &x[1]);
    make_span(&form->x[2], body, needs_second, &x[2]);
    make_dot(&x[1], &x[2], needs_second, &d);
    make_dot(&x[0], &x[2], needs_second, &c);
    finish_angle(&d, &c, needs_second, out);
    break;
  }
}

void hn_measure_bend(const hn_curve_value *f, hn_measure_motion *m) {
  double rate = m->rate;
  m->edd = plus(plus(times(f->d1, m->edd), 2 * f->d2 * rate, m->ed),
                f->d2 * m->second + f->d3 * rate * rate, m->e);
  m->ed = plus(times(f->d1, m->ed), f->d2 * rate, m->e);
  m->e = times(f->d1, m->e);
  m->value = f->f;
  m->rate = f->d1 * rate;
}

void hn_measure_add_curvature(const hn_measure_form *form, const hn_measure_motion *m,
                              double weight, double h[6][6]) {
  switch (form->kind) {
  case HN_MEASURE_DOT: add_curvature(weight, &m->x[0], &m->x[form->is_square ? 0 : 1], h); break;
  case HN_MEASURE_LENGTH:
    add_curvature(0.5 * weight * m->inverse, &m->x[0], &m->x[0], h);
    hn_wrench_add_outer(-weight * m->inverse, m->e, m->e, h);
    break;
  case HN_MEASURE_ANGLE: add_angle_curvature(weight, m, h); break;
  }
}

// ---- set-up -------------------------------------------------------------------------------------

// Ends of one body in a difference add up to one.
void hn_measure_compile(const hn_measure *measure, hn_measure_form *form) {
  memset(form, 0, sizeof *form);
  form->kind = measure->kind;
  form->is_square = measure->is_square;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 2; i++) {
      const hn_term *term = &measure->x[k].term[i];
      if (term->slot < 0) continue;
      hn_span_form *x = &form->x[k];
      x->has[term->slot] = 1;
      x->w[term->slot] += term->sign * term->w;
      x->s[term->slot] = vec3_add_scaled(x->s[term->slot], term->sign, term->s);
    }
}
