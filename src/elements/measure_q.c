// Measures in q = (r, p) of two bodies: gradient, Hessian and the directional third derivative.
//
// A term x = w r + A(p) s is quadratic in p, so with x_q = [w I, B(p, s)] and a direction v
//   (x_q v)_q = x_q taken at p = v_p without the w part,   x_vv = B(v_p, s) v_p, constant,
// and for a dot y = x1 . x2
//   y_q   = x1_q' x2 + x2_q' x1
//   y_qq  = x1_q' x2_q + x2_q' x1_q + K(s1, x2) + K(s2, x1)
//   v'y_qq v = 2 x1_v . x2_v + x1 . x2_vv + x2 . x1_vv,  and its gradient likewise.
// Length and angle are functions F of one or two dots; the chain rule to third order is `compose`.
#include <string.h>

#include "elements/measure.h"

// A dot with all its derivatives.
typedef struct jet {
  double y, d1, d2;             // value, y_q v, v' y_qq v
  double g[HN_LOCAL];           // y_q
  double hv[HN_LOCAL];          // y_qq v
  double t[HN_LOCAL];           // (v' y_qq v)_q
  double h[HN_LOCAL][HN_LOCAL]; // y_qq
} jet;

typedef struct expansion {
  hn_vec3 x, xv, xvv;
  double xq[3][HN_LOCAL];  // x_q
  double xvq[3][HN_LOCAL]; // (x_q v)_q
} expansion;

static void expand(const hn_measure *measure, const hn_difference *d, const hn_frame *frames,
                   expansion *out) {
  memset(out, 0, sizeof *out);
  for (int k = 0; k < 2; k++) {
    const hn_term *term = &d->term[k];
    if (term->slot < 0) continue;
    const hn_frame *f = &frames[measure->body[term->slot]];
    int at = 7 * term->slot;
    double b[3][4], bv[3][4];
    hn_euler_b(f->p, term->s, b);
    hn_euler_b(f->pd, term->s, bv);
    hn_vec3 arm = mat3_apply(f->a, term->s);
    hn_vec3 turn = euler_b_apply(f->p, term->s, f->pd);
    hn_vec3 bend = euler_b_apply(f->pd, term->s, f->pd);
    out->x = vec3_add_scaled(out->x, term->sign, vec3_add_scaled(arm, term->w, f->r));
    out->xv = vec3_add_scaled(out->xv, term->sign, vec3_add_scaled(turn, term->w, f->v));
    out->xvv = vec3_add_scaled(out->xvv, term->sign, bend);
    for (int i = 0; i < 3; i++) {
      out->xq[i][at + i] += term->sign * term->w;
      for (int j = 0; j < 4; j++) {
        out->xq[i][at + 3 + j] += term->sign * b[i][j];
        out->xvq[i][at + 3 + j] += term->sign * bv[i][j];
      }
    }
  }
}

static double dot_column(double a[3][HN_LOCAL], int j, hn_vec3 n) {
  return a[0][j] * n.x + a[1][j] * n.y + a[2][j] * n.z;
}

// h += K(s, n) of every term of a difference
static void add_curvature(const hn_difference *d, hn_vec3 n, jet *out) {
  for (int k = 0; k < 2; k++) {
    const hn_term *term = &d->term[k];
    if (term->slot < 0) continue;
    double curvature[4][4];
    hn_euler_k(term->s, vec3_scale(term->sign, n), curvature);
    int at = 7 * term->slot + 3;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) out->h[at + i][at + j] += curvature[i][j];
  }
}

static void dot_jet(const hn_measure *measure, int first, int second, const hn_frame *frames,
                    jet *out) {
  expansion a, b;
  expand(measure, &measure->x[first], frames, &a);
  expand(measure, &measure->x[second], frames, &b);
  memset(out, 0, sizeof *out);
  out->y = vec3_dot(a.x, b.x);
  out->d1 = vec3_dot(a.xv, b.x) + vec3_dot(a.x, b.xv);
  out->d2 = 2 * vec3_dot(a.xv, b.xv) + vec3_dot(a.x, b.xvv) + vec3_dot(b.x, a.xvv);
  for (int j = 0; j < HN_LOCAL; j++) {
    out->g[j] = dot_column(a.xq, j, b.x) + dot_column(b.xq, j, a.x);
    out->hv[j] = dot_column(a.xq, j, b.xv) + dot_column(b.xq, j, a.xv) + dot_column(a.xvq, j, b.x) +
                 dot_column(b.xvq, j, a.x);
    out->t[j] = 2 * (dot_column(a.xvq, j, b.xv) + dot_column(b.xvq, j, a.xv)) +
                dot_column(a.xq, j, b.xvv) + dot_column(b.xq, j, a.xvv);
    for (int i = 0; i < HN_LOCAL; i++)
      for (int k = 0; k < 3; k++) out->h[i][j] += a.xq[k][i] * b.xq[k][j] + b.xq[k][i] * a.xq[k][j];
  }
  add_curvature(&measure->x[first], b.x, out);
  add_curvature(&measure->x[second], a.x, out);
}

// Partial derivatives of F(y0, y1) to third order, symmetric storage.
typedef struct partials {
  double f;
  double f1[2], f2[2][2], f3[2][2][2];
} partials;

static void compose(const jet *y, int count, const partials *f, hn_measure_tangent *out) {
  memset(out, 0, sizeof *out);
  out->value = f->f;
  for (int a = 0; a < count; a++) {
    out->rate += f->f1[a] * y[a].d1;
    out->v_hessian_v += f->f1[a] * y[a].d2;
    for (int j = 0; j < HN_LOCAL; j++) {
      out->gradient[j] += f->f1[a] * y[a].g[j];
      out->hessian_v[j] += f->f1[a] * y[a].hv[j];
      out->v_hessian_v_q[j] += f->f1[a] * y[a].t[j];
      for (int i = 0; i < HN_LOCAL; i++) out->hessian[i][j] += f->f1[a] * y[a].h[i][j];
    }
    for (int b = 0; b < count; b++) {
      double fab = f->f2[a][b];
      out->v_hessian_v += fab * y[a].d1 * y[b].d1;
      for (int j = 0; j < HN_LOCAL; j++) {
        out->hessian_v[j] += fab * y[a].g[j] * y[b].d1;
        out->v_hessian_v_q[j] += fab * (y[b].g[j] * y[a].d2 + 2 * y[a].hv[j] * y[b].d1);
        for (int i = 0; i < HN_LOCAL; i++) out->hessian[i][j] += fab * y[a].g[i] * y[b].g[j];
        for (int c = 0; c < count; c++)
          out->v_hessian_v_q[j] += f->f3[a][b][c] * y[c].g[j] * y[a].d1 * y[b].d1;
      }
    }
  }
}

static partials identity_partials(double y) { return (partials){.f = y, .f1 = {1, 0}}; }

// F = sqrt(y)
static partials root_partials(double y) {
  double l = sqrt(y);
  partials f = {.f = l};
  if (!(l > HN_LENGTH_ZERO)) return f;
  f.f1[0] = 0.5 / l;
  f.f2[0][0] = -0.25 / (l * y);
  f.f3[0][0][0] = 0.375 / (l * y * y);
  return f;
}

// F = atan2(s, c), y0 = s, y1 = c. With z = c + i s, F = Im log z: every derivative is a real or
// imaginary part of a power of 1/z; a derivative with respect to s brings the factor i.
static partials angle_partials(double s, double c, double angle) {
  double rho = s * s + c * c;
  double re = c / rho, im = -s / rho; // 1/z
  double re2 = re * re - im * im, im2 = 2 * re * im;
  double re3 = re2 * re - im2 * im, im3 = re2 * im + im2 * re;
  partials f = {.f = angle};
  f.f1[0] = re; // Im(i / z)
  f.f1[1] = im;
  // second: -1/z^2 times i for each s
  f.f2[0][0] = im2; // Im(-i i / z^2)
  f.f2[0][1] = f.f2[1][0] = -re2;
  f.f2[1][1] = -im2;
  // third: 2/z^3
  f.f3[0][0][0] = -2 * re3; // Im(2 i^3 / z^3)
  f.f3[0][0][1] = f.f3[0][1][0] = f.f3[1][0][0] = -2 * im3;
  f.f3[0][1][1] = f.f3[1][0][1] = f.f3[1][1][0] = 2 * re3;
  f.f3[1][1][1] = 2 * im3;
  return f;
}

// From y to the curve of y.
static void bend(const double *curve, hn_measure_tangent *m) {
  hn_curve_value f = hn_curve_at(curve, m->value);
  for (int j = 0; j < HN_LOCAL; j++) {
    m->v_hessian_v_q[j] = f.d1 * m->v_hessian_v_q[j] +
                          f.d2 * (m->v_hessian_v * m->gradient[j] + 2 * m->rate * m->hessian_v[j]) +
                          f.d3 * m->rate * m->rate * m->gradient[j];
    m->hessian_v[j] = f.d1 * m->hessian_v[j] + f.d2 * m->rate * m->gradient[j];
    for (int i = 0; i < HN_LOCAL; i++)
      m->hessian[i][j] = f.d1 * m->hessian[i][j] + f.d2 * m->gradient[i] * m->gradient[j];
  }
  for (int j = 0; j < HN_LOCAL; j++) m->gradient[j] *= f.d1;
  m->v_hessian_v = f.d1 * m->v_hessian_v + f.d2 * m->rate * m->rate;
  m->rate *= f.d1;
  m->value = f.f;
}

void hn_measure_in_q(const hn_measure *measure, const hn_frame *frames, const double *turns,
                     hn_measure_tangent *out) {
  jet y[2];
  partials f;
  switch (measure->kind) {
  case HN_MEASURE_DOT:
    dot_jet(measure, 0, 1, frames, &y[0]);
    f = identity_partials(y[0].y);
    compose(y, 1, &f, out);
    break;
  case HN_MEASURE_LENGTH:
    dot_jet(measure, 0, 0, frames, &y[0]);
    f = root_partials(y[0].y);
    compose(y, 1, &f, out);
    break;
  case HN_MEASURE_ANGLE:
    dot_jet(measure, 1, 2, frames, &y[0]);
    dot_jet(measure, 0, 2, frames, &y[1]);
    f = angle_partials(y[0].y, y[1].y, hn_measure_plain(measure, frames, turns));
    compose(y, 2, &f, out);
    break;
  }
  if (measure->curve) bend(measure->curve, out);
}
