// Measures along a motion (q, qd, qdd) in q of two bodies, with the gradients of value, rate and
// second derivative: Phi_q, (Phi_q qd)_q and (Phi_q qdd - tau)_q of a row. Dots by the formulas of
// cartesian/tangent.h. With l^2 = y for a length
//
//   l l_q = y_q / 2,   l ld_q = yd_q / 2 - ld l_q,   l ldd_q = ydd_q / 2 - ldd l_q - 2 ld ld_q
//
// and for an angle, with z = C + i S, log z = sigma + i theta and u_k the gradients of z, zd, zdd
// over z,
//
//   theta_q   = Im u_0
//   thetad_q  = Im (u_1 - L u_0)
//   thetadd_q = Im (u_2 - 2 L u_1 - (LL - L^2) u_0)
//
// where L = zd / z, LL = zdd / z - L^2. Hessians are in cartesian/tangent_curvature.c.
#include <string.h>

#include "equations/cartesian/tangent.h"

// ---- bodies and ends ----------------------------------------------------------------------------

// The symmetric bilinear form of which A(p) is the square, doubled: 2 A(p, u), A(p, p) = A(p).
static hn_mat3 doubled_axes(hn_quat p, hn_quat u) {
  double ww = 2 * p.w * u.w, xx = 2 * p.x * u.x, yy = 2 * p.y * u.y, zz = 2 * p.z * u.z;
  double wx = p.w * u.x + p.x * u.w, wy = p.w * u.y + p.y * u.w, wz = p.w * u.z + p.z * u.w;
  double xy = p.x * u.y + p.y * u.x, xz = p.x * u.z + p.z * u.x, yz = p.y * u.z + p.z * u.y;
  return (hn_mat3){{{ww + xx - yy - zz, 2 * (xy - wz), 2 * (xz + wy)},
                    {2 * (xy + wz), ww - xx + yy - zz, 2 * (yz - wx)},
                    {2 * (xz - wy), 2 * (yz + wx), ww - xx - yy + zz}}};
}

static void move_body(const double *q, const double *qd, const double *qdd, hn_body_rates *b,
                      hn_frame *frame) {
  b->r = vec3_load(q);
  b->p = quat_load(q + 3);
  b->v = vec3_load(qd);
  b->pd = quat_load(qd + 3);
  b->axes = quat_matrix(b->p);
  b->axes_d = doubled_axes(b->p, b->pd);
  b->axes_vv = mat3_scale(2, quat_matrix(b->pd));
  if (qdd) {
    b->a = vec3_load(qdd);
    b->pdd = quat_load(qdd + 3);
    b->axes_dd = mat3_add(doubled_axes(b->p, b->pdd), b->axes_vv);
  }
  *frame = (hn_frame){.r = b->r,
                      .v = b->v,
                      .w = vec3_scale(2, euler_e_apply(b->p, b->pd)),
                      .a = b->axes,
                      .p = b->p,
                      .pd = b->pd};
}

static void move_end(const hn_end *end, const hn_body_rates *b, int is_full, hn_end_rates *out) {
  out->x = vec3_add_scaled(mat3_apply(b->axes, end->s), end->w, b->r);
  out->xd = vec3_add_scaled(mat3_apply(b->axes_d, end->s), end->w, b->v);
  out->xvv = mat3_apply(b->axes_vv, end->s);
  out->xdd = is_full ? vec3_add_scaled(mat3_apply(b->axes_dd, end->s), end->w, b->a) : vec3_zero();
}

void hn_tangent_move(hn_cartesian_tangent *self, const double *q, const double *qd,
                     const double *qdd) {
  int bodies = self->base.equations->model->body_count;
  self->is_full = qdd != NULL;
  hn_frame_of_ground(&self->frames[0]);
  self->bodies[0] = (hn_body_rates){.p = quat_identity(), .axes = mat3_identity()};
  for (int b = 1; b < bodies; b++)
    move_body(&q[7 * (b - 1)], &qd[7 * (b - 1)], qdd ? &qdd[7 * (b - 1)] : NULL, &self->bodies[b],
              &self->frames[b]);
  for (int k = 0; k < self->end_count; k++)
    move_end(&self->ends[k], &self->bodies[self->ends[k].body], self->is_full, &self->end_rates[k]);
}

static hn_end_rates span_rates(const hn_cartesian_tangent *self, hn_span span) {
  if (span.end[0] < 0) return self->end_rates[span.end[1]];
  hn_end_rates sum = self->end_rates[span.end[0]];
  if (span.end[1] < 0) return sum;
  const hn_end_rates *other = &self->end_rates[span.end[1]];
  sum.x = vec3_add(sum.x, other->x);
  sum.xd = vec3_add(sum.xd, other->xd);
  sum.xvv = vec3_add(sum.xvv, other->xvv);
  sum.xdd = vec3_add(sum.xdd, other->xdd);
  return sum;
}

// ---- dots ---------------------------------------------------------------------------------------

// A dot y with the gradients of y, yd, ydd.
typedef struct dot_jet {
  double y, yd, yvv, ydd;
  double g[3][HN_LOCAL];
} dot_jet;

// (0, n) q
static hn_quat pure_times(hn_vec3 n, hn_quat q) {
  return (hn_quat){-(n.x * q.x + n.y * q.y + n.z * q.z), q.w * n.x + n.y * q.z - n.z * q.y,
                   q.w * n.y + n.z * q.x - n.x * q.z, q.w * n.z + n.x * q.y - n.y * q.x};
}

// out += -2 q (0, s)
static void add_times_pure(hn_quat q, hn_vec3 s, double out[4]) {
  hn_vec3 t = vec3_scale(-2, s);
  out[0] -= q.x * t.x + q.y * t.y + q.z * t.z;
  out[1] += q.w * t.x + q.y * t.z - q.z * t.y;
  out[2] += q.w * t.y + q.z * t.x - q.x * t.z;
  out[3] += q.w * t.z + q.x * t.y - q.y * t.x;
}

static void add_scaled(double w, hn_vec3 n, double out[3]) {
  out[0] += w * n.x;
  out[1] += w * n.y;
  out[2] += w * n.z;
}

// The share of one end in the gradients, n being the other span.
static void add_end(const hn_cartesian_tangent *self, int end_index, int slot,
                    const hn_end_rates *n, dot_jet *out) {
  const hn_end *end = &self->ends[end_index];
  if (end->body == HN_GROUND) return;
  const hn_body_rates *b = &self->bodies[end->body];
  int at = 7 * slot;
  add_scaled(end->w, n->x, &out->g[0][at]);
  add_times_pure(pure_times(n->x, b->p), end->s, &out->g[0][at + 3]);
  if (!self->is_full) return;
  hn_quat first = quat_add(pure_times(n->x, b->pd), pure_times(n->xd, b->p));
  hn_quat second = quat_add(pure_times(n->x, b->pdd), pure_times(n->xdd, b->p));
  second = quat_add(second, pure_times(vec3_scale(2, n->xd), b->pd));
  add_scaled(end->w, n->xd, &out->g[1][at]);
  add_times_pure(first, end->s, &out->g[1][at + 3]);
  add_scaled(end->w, n->xdd, &out->g[2][at]);
  add_times_pure(second, end->s, &out->g[2][at + 3]);
}

static hn_end_rates doubled(const hn_end_rates *n) {
  return (hn_end_rates){vec3_scale(2, n->x), vec3_scale(2, n->xd), vec3_scale(2, n->xvv),
                        vec3_scale(2, n->xdd)};
}

static void evaluate_dot(const hn_cartesian_tangent *self, hn_span first, hn_span second,
                         dot_jet *out) {
  hn_end_rates a = span_rates(self, first), b = span_rates(self, second);
  double velocity = 2 * vec3_dot(a.xd, b.xd);
  memset(out->g, 0, self->is_full ? sizeof out->g : sizeof out->g[0]);
  out->y = vec3_dot(a.x, b.x);
  out->yd = vec3_dot(a.xd, b.x) + vec3_dot(a.x, b.xd);
  out->yvv = vec3_dot(a.xvv, b.x) + vec3_dot(a.x, b.xvv) + velocity;
  if (self->is_full) out->ydd = vec3_dot(a.xdd, b.x) + vec3_dot(a.x, b.xdd) + velocity;
  int is_square = first.end[0] == second.end[0] && first.end[1] == second.end[1];
  if (is_square) b = doubled(&b); // each end once
  for (int slot = 0; slot < 2; slot++) {
    if (first.end[slot] >= 0) add_end(self, first.end[slot], slot, &b, out);
    if (second.end[slot] >= 0 && !is_square) add_end(self, second.end[slot], slot, &a, out);
  }
}

// ---- forms --------------------------------------------------------------------------------------

static void dot_form(const hn_cartesian_tangent *self, const hn_form *form, hn_form_jet *jet) {
  dot_jet y;
  evaluate_dot(self, form->x[0], form->x[1], &y);
  jet->value = y.y;
  jet->rate = y.yd;
  jet->quadratic = y.yvv;
  memcpy(jet->gradient, y.g[0], sizeof jet->gradient);
  if (!self->is_full) return;
  memcpy(jet->rate_q, y.g[1], sizeof jet->rate_q);
  memcpy(jet->second_q, y.g[2], sizeof jet->second_q);
}

// Where both points coincide there is no direction: all derivatives are taken as zero, as in
// measure_q.c.
static void length_form(const hn_cartesian_tangent *self, const hn_form *form, hn_form_jet *jet) {
  dot_jet y;
  evaluate_dot(self, form->x[0], form->x[0], &y);
  double length = sqrt(y.y), inverse = length > HN_LENGTH_ZERO ? 1 / length : 0;
  jet->value = length;
  jet->inverse = inverse;
  double rate = jet->rate = 0.5 * y.yd * inverse;
  jet->quadratic = (0.5 * y.yvv - rate * rate) * inverse;
  for (int j = 0; j < HN_LOCAL; j++) jet->gradient[j] = 0.5 * y.g[0][j] * inverse;
  if (!self->is_full) return;
  double second = (0.5 * y.ydd - rate * rate) * inverse;
  for (int j = 0; j < HN_LOCAL; j++) {
    double l_q = jet->gradient[j], rate_q = (0.5 * y.g[1][j] - rate * l_q) * inverse;
    jet->rate_q[j] = rate_q;
    jet->second_q[j] = (0.5 * y.g[2][j] - second * l_q - 2 * rate * rate_q) * inverse;
  }
}

typedef struct complex_number {
  double re, im;
} complex_number;

static complex_number complex_times(complex_number a, complex_number b) {
  return (complex_number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void angle_form(const hn_cartesian_tangent *self, const hn_form *form, const double *turns,
                       hn_form_jet *jet) {
  dot_jet s, c;
  evaluate_dot(self, form->x[1], form->x[2], &s);
  evaluate_dot(self, form->x[0], form->x[2], &c);
  double rho = s.y * s.y + c.y * c.y;
  complex_number over = {c.y / rho, -s.y / rho}; // 1 / z
  complex_number l = complex_times((complex_number){c.yd, s.yd}, over);
  const hn_measure *measure = &self->base.equations->elements->measures[form->measure];
  jet->value = hn_measure_plain(measure, self->frames, turns);
  jet->rate = l.im;
  jet->quadratic = complex_times((complex_number){c.yvv, s.yvv}, over).im - 2 * l.re * l.im;
  jet->f[0] = over.re;
  jet->f[1] = over.im;
  for (int j = 0; j < HN_LOCAL; j++) jet->gradient[j] = over.re * s.g[0][j] + over.im * c.g[0][j];
  if (!self->is_full) return;
  complex_number square = complex_times(l, l);
  complex_number second = complex_times((complex_number){c.ydd, s.ydd}, over); // zdd / z = LL + L^2
  complex_number bend = {second.re - 2 * square.re, second.im - 2 * square.im};
  for (int j = 0; j < HN_LOCAL; j++) {
    complex_number u0 = complex_times((complex_number){c.g[0][j], s.g[0][j]}, over);
    complex_number u1 = complex_times((complex_number){c.g[1][j], s.g[1][j]}, over);
    complex_number u2 = complex_times((complex_number){c.g[2][j], s.g[2][j]}, over);
    jet->spread[j] = u0.re;
    jet->rate_q[j] = u1.im - complex_times(l, u0).im;
    jet->second_q[j] = u2.im - 2 * complex_times(l, u1).im - complex_times(bend, u0).im;
  }
}

void hn_form_evaluate(const hn_cartesian_tangent *self, const hn_form *form, const double *turns,
                      hn_form_jet *jet) {
  switch (form->kind) {
  case HN_MEASURE_DOT: dot_form(self, form, jet); break;
  case HN_MEASURE_LENGTH: length_form(self, form, jet); break;
  case HN_MEASURE_ANGLE: angle_form(self, form, turns, jet); break;
  }
}
