// One contact with friction (cone.h). Where it slides, u_T = -s p_T with one number s > 0 that is
// not known:
//
//   [ W_NN  W_NT       ] [ p_N ]     [ q_N ]
//   [ W_TN  W_TT + s 1 ] [ p_T ] = - [ q_T ],    h(s) = |p_T| - mu p_N = 0
//
// h is positive at s = 0, where the contact would stick outside its cone, and negative for large s.
#include "contact/cone.h"

#include <math.h>

void hn_cone_project(double mu, const double x[3], double out[3]) {
  const double tangent = sqrt(x[1] * x[1] + x[2] * x[2]);
  if (mu * tangent <= -x[0]) { // first: without friction the cone has no inside
    out[0] = out[1] = out[2] = 0;
  } else if (tangent <= mu * x[0]) {
    for (int i = 0; i < 3; i++) out[i] = x[i];
  } else {
    const double normal = (x[0] + mu * tangent) / (1 + mu * mu);
    const double scale = tangent > 0 ? mu * normal / tangent : 0;
    out[0] = normal;
    out[1] = scale * x[1];
    out[2] = scale * x[2];
  }
}

double hn_cone_residual(double mu, double rho, const double p[3], const double u[3]) {
  const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
  const double x[3] = {p[0] - rho * (u[0] + mu * slip), p[1] - rho * u[1], p[2] - rho * u[2]};
  double y[3], sum = 0;
  hn_cone_project(mu, x, y);
  for (int i = 0; i < 3; i++) sum += (p[i] - y[i]) * (p[i] - y[i]);
  return sqrt(sum);
}

// p of the system above; 0 when it is singular.
static int solve_at(double w[3][3], const double q[3], double s, double p[3]) {
  const double a = w[1][1] + s, b = w[1][2], c = w[2][2] + s;
  const double det = a * c - b * b;
  if (!(det > 0)) return 0;
  // p_T = -(W_TT + s)^-1 (q_T + W_TN p_N)
  const double g1 = (c * w[1][0] - b * w[2][0]) / det, g2 = (a * w[2][0] - b * w[1][0]) / det;
  const double r1 = (c * q[1] - b * q[2]) / det, r2 = (a * q[2] - b * q[1]) / det;
  const double pivot = w[0][0] - w[0][1] * g1 - w[0][2] * g2;
  if (!(pivot > 0)) return 0;
  p[0] = -(q[0] - w[0][1] * r1 - w[0][2] * r2) / pivot;
  p[1] = -r1 - g1 * p[0];
  p[2] = -r2 - g2 * p[0];
  return 1;
}

static double excess_at(double w[3][3], const double q[3], double mu, double s, double p[3]) {
  if (!solve_at(w, q, s, p)) return HUGE_VAL;
  return sqrt(p[1] * p[1] + p[2] * p[2]) - mu * p[0];
}

// The root of h between low, where it is positive, and high, by regula falsi with halved ends
// (Illinois).
static double find_cone_root(double w[3][3], const double q[3], double mu, double low, double h_low,
                             double high, double h_high, double p[3]) {
  int side = 0;
  double s = high;
  for (int k = 0; k < 100; k++) {
    s = h_low < HUGE_VAL ? (low * h_high - high * h_low) / (h_high - h_low) : 0.5 * (low + high);
    if (!(s > low && s < high)) s = 0.5 * (low + high);
    const double h = excess_at(w, q, mu, s, p);
    if (h == 0 || !(high - low > 1e-15 * high)) break;
    if (h > 0) {
      low = s;
      h_low = h;
      if (side == 1) h_high *= 0.5;
      side = 1;
    } else {
      high = s;
      h_high = h;
      if (side == -1) h_low *= 0.5;
      side = -1;
    }
    if (fabs(h) <= 4e-16 * fabs(p[0])) break;
  }
  return s;
}

// Spheres: the tangents do not feel the normal and are alike.
static int is_even(double w[3][3]) {
  const double small = 1e-13 * w[1][1];
  return fabs(w[0][1]) <= small && fabs(w[0][2]) <= small && fabs(w[1][2]) <= small &&
         fabs(w[1][1] - w[2][2]) <= small;
}

static void slide_evenly(double w[3][3], const double q[3], double mu, double p[3]) {
  const double slip = sqrt(q[1] * q[1] + q[2] * q[2]);
  p[0] = -q[0] / w[0][0];
  p[1] = -mu * p[0] * q[1] / slip;
  p[2] = -mu * p[0] * q[2] / slip;
}

static void slide(double w[3][3], const double q[3], double mu, double *slowness, double p[3]) {
  double low = 0, high = *slowness > 0 ? *slowness : 0.5 * (w[1][1] + w[2][2]);
  double h_low = excess_at(w, q, mu, 0, p), h_high = excess_at(w, q, mu, high, p);
  if (!(high > 0)) high = w[0][0];
  for (int k = 0; h_high > 0 && k < 200; k++) {
    low = high;
    h_low = h_high;
    high *= 4;
    h_high = excess_at(w, q, mu, high, p);
  }
  // a good start is near: the other end too
  for (int k = 0; low == 0 && *slowness > 0 && k < 3; k++) {
    const double s = 0.25 * high, h = excess_at(w, q, mu, s, p);
    if (h > 0) {
      low = s;
      h_low = h;
    } else {
      high = s;
      h_high = h;
    }
  }
  *slowness = find_cone_root(w, q, mu, low, h_low, high, h_high, p);
  // exactly on the cone
  const double tangent = sqrt(p[1] * p[1] + p[2] * p[2]);
  if (tangent > 0) {
    p[1] *= mu * p[0] / tangent;
    p[2] *= mu * p[0] / tangent;
  }
}

hn_grip hn_cone_solve(double w[3][3], const double q[3], double mu, double *slowness, double p[3]) {
  if (q[0] >= 0) {
    p[0] = p[1] = p[2] = 0;
    return HN_GRIP_OPEN;
  }
  if (mu > 0 && solve_at(w, q, 0, p) && sqrt(p[1] * p[1] + p[2] * p[2]) <= mu * p[0])
    return HN_GRIP_STICK;
  if (mu > 0 && is_even(w) && w[0][0] > 0) {
    slide_evenly(w, q, mu, p);
  } else if (mu > 0) {
    slide(w, q, mu, slowness, p);
  } else {
    p[0] = w[0][0] > 0 ? -q[0] / w[0][0] : 0;
    p[1] = p[2] = 0;
  }
  return HN_GRIP_SLIDE;
}
