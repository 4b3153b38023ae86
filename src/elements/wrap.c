// The shortest way from a to b around a sphere or cylinder of radius r.
//
// Seen along the axis k (of a cylinder; of a sphere normal to the plane of a, b and the center) the
// way is a tangent, an arc and a tangent. With the distances from the axis rho, cos g = r / rho, and
// the angle theta from a to b in the sense of the way
//
//   l = sqrt(rho_a^2 - r^2) + sqrt(rho_b^2 - r^2) + r (theta - g_a - g_b)
//   l_a = sin g_a u_a - s cos g_a k x u_a,   l_b = sin g_b u_b + s cos g_b k x u_b
//
// s = 1 where it turns about k, -1 where it turns the other way, u the unit vectors from the axis.
// Around a cylinder it rises evenly: L^2 = l^2 + (z_b - z_a)^2. A path inside, as through a ring,
// has one contact point, where l = |a - p| + |b - p| is least. A path without contact is straight.
//
// The gradient is computed in numbers that carry their derivatives: those are the second derivatives.
#include "elements/wrap.h"

#include <math.h>
#include <string.h>

#define HN_DUALS 6
#include "math/dual.h"
#include "math/elementary.h"

typedef struct dual3 {
  hn_dual x, y, z;
} dual3;

static dual3 input3(hn_vec3 v, int index) {
  return (dual3){dual_input(v.x, index), dual_input(v.y, index + 1), dual_input(v.z, index + 2)};
}
static hn_dual dot3(dual3 a, dual3 b) {
  return dual_add(dual_add(dual_mul(a.x, b.x), dual_mul(a.y, b.y)), dual_mul(a.z, b.z));
}
static dual3 scale3(hn_dual f, dual3 a) {
  return (dual3){dual_mul(f, a.x), dual_mul(f, a.y), dual_mul(f, a.z)};
}
static dual3 add3(dual3 a, dual3 b) {
  return (dual3){dual_add(a.x, b.x), dual_add(a.y, b.y), dual_add(a.z, b.z)};
}
static dual3 cross3(dual3 a, dual3 b) {
  return (dual3){dual_sub(dual_mul(a.y, b.z), dual_mul(a.z, b.y)),
                 dual_sub(dual_mul(a.z, b.x), dual_mul(a.x, b.z)),
                 dual_sub(dual_mul(a.x, b.y), dual_mul(a.y, b.x))};
}
static dual3 over3(dual3 a, hn_dual d) {
  return (dual3){dual_div(a.x, d), dual_div(a.y, d), dual_div(a.z, d)};
}
static hn_vec3 value3(dual3 a) { return vec3(a.x.v, a.y.v, a.z.v); }
static dual3 constant3(hn_vec3 v) {
  return (dual3){dual_const(v.x), dual_const(v.y), dual_const(v.z)};
}

// Both points as seen along the axis.
typedef struct view {
  dual3 a, b, k;
  dual3 u[2]; // from the axis
  hn_dual rho[2];
  hn_dual rise;
  double angle;        // from a to b about k, from -pi to pi
  double side, across; // of the side's point, along u[0] and k x u[0]
} view;

#define LEVEL 1e-12 // of a sine: points on one line through the center have no plane

static dual3 normal_of(dual3 a, dual3 b) {
  dual3 n = cross3(a, b);
  hn_dual size = dual_sqrt(dot3(n, n));
  hn_vec3 x = value3(a), y = value3(b);
  if (size.v > LEVEL * vec3_norm(x) * vec3_norm(y)) return over3(n, size);
  hn_vec3 away = fabs(x.x) > fabs(x.y) ? vec3(0, 1, 0) : vec3(1, 0, 0);
  hn_vec3 any = vec3_cross(x, away);
  return constant3(vec3_scale(1 / vec3_norm(any), any));
}

static view look(const hn_wrap *wrap, hn_vec3 a, hn_vec3 b) {
  view v = {.a = input3(a, 0), .b = input3(b, 3), .rise = dual_const(0)};
  if (wrap->is_sphere) {
    v.k = normal_of(v.a, v.b);
  } else {
    v.k = constant3(vec3(0, 0, 1));
    v.rise = dual_sub(v.b.z, v.a.z);
    v.a.z = v.b.z = dual_const(0);
  }
  v.rho[0] = dual_sqrt(dot3(v.a, v.a));
  v.rho[1] = dual_sqrt(dot3(v.b, v.b));
  v.u[0] = over3(v.a, v.rho[0]);
  v.u[1] = over3(v.b, v.rho[1]);
  hn_vec3 u = value3(v.u[0]), n = vec3_cross(value3(v.k), u), to = value3(v.u[1]);
  v.angle = hn_atan2(vec3_dot(to, n), vec3_dot(to, u));
  v.side = vec3_dot(wrap->side, u);
  v.across = vec3_dot(wrap->side, n);
  return v;
}

// The point of the straight line that is nearest to the axis, along u[0] and k x u[0].
static void nearest(const view *v, double at[2]) {
  const double from = v->rho[0].v,
               to[2] = {v->rho[1].v * hn_cos(v->angle), v->rho[1].v * hn_sin(v->angle)};
  const double d[2] = {to[0] - from, to[1]}, dd = d[0] * d[0] + d[1] * d[1];
  const double share = dd > 0 ? fmax(0, fmin(1, -from * d[0] / dd)) : 0;
  at[0] = from + share * d[0];
  at[1] = share * d[1];
}

// ---- around -------------------------------------------------------------------------------------

// The arc in the sense of s; negative: its tangents cross each other.
static double arc(const view *v, double r, int s) {
  double theta = s * v->angle;
  if (theta < 0) theta += 2 * HN_PI;
  return theta - hn_acos(r / v->rho[0].v) - hn_acos(r / v->rho[1].v);
}

// How far the middle of the arc lies towards the side.
static double towards(const view *v, double r, int s) {
  const double middle = s * (hn_acos(r / v->rho[0].v) + arc(v, r, s) / 2);
  const double sign = hn_cos(arc(v, r, s) / 2) < 0 ? -1 : 1; // the mean of both ends of the arc
  return sign * (v->side * hn_cos(middle) + v->across * hn_sin(middle));
}

// The sense in which the way turns; 0: it is straight.
static int sense_of(const hn_wrap *wrap, const view *v) {
  const double r = wrap->radius;
  double at[2];
  nearest(v, at);
  const int is_clear = at[0] * at[0] + at[1] * at[1] > r * r;
  if (is_clear && (!wrap->has_side || v->side * at[0] + v->across * at[1] >= 0)) return 0;
  int s = v->angle >= 0 ? 1 : -1;
  if (wrap->has_side) s = towards(v, r, 1) > towards(v, r, -1) ? 1 : -1;
  if (arc(v, r, s) < 0) s = -s;
  return arc(v, r, s) < 0 ? 0 : s;
}

static void go_around(const view *v, double r, int s, dual3 slope[2], double *length) {
  *length = r * arc(v, r, s);
  for (int e = 0; e < 2; e++) {
    hn_dual c = dual_div(dual_const(r), v->rho[e]);
    hn_dual rest = dual_sqrt(dual_sub(dual_const(1), dual_square(c)));
    dual3 turned = cross3(v->k, v->u[e]);
    slope[e] = add3(scale3(rest, v->u[e]), scale3(dual_scale(e == 0 ? -s : s, c), turned));
    *length += v->rho[e].v * rest.v;
  }
}

// ---- inside -------------------------------------------------------------------------------------

// The change of l with the angle psi of the contact point, over r.
static double bend(const view *v, double r, double psi) {
  double sum = 0;
  for (int e = 0; e < 2; e++) {
    const double rho = v->rho[e].v, from = psi - (e == 0 ? 0 : v->angle);
    sum += rho * hn_sin(from) / sqrt(rho * rho + r * r - 2 * rho * r * hn_cos(from));
  }
  return sum;
}

// The angle between both points where l is least.
static double touch(const view *v, double r) {
  double low = fmin(0, v->angle), high = fmax(0, v->angle);
  while (high - low > 4e-16 * (1 + fabs(low))) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (bend(v, r, middle) > 0)
      high = middle;
    else
      low = middle;
  }
  return (low + high) / 2;
}

// The same with its derivatives: of bend(psi) = 0, whose points move.
static hn_dual touch_angle(const view *v, double r, dual3 n) {
  const double psi = touch(v, r), step = 1e-300;
  hn_dual sine = dual_const(hn_sin(psi)), cosine = dual_const(hn_cos(psi)), sum = dual_const(0);
  double slope = 0;
  for (int e = 0; e < 2; e++) {
    const dual3 *p = e == 0 ? &v->a : &v->b;
    hn_dual along = dot3(*p, v->u[0]), over = dot3(*p, n);
    hn_dual up = dual_sub(dual_mul(along, sine), dual_mul(over, cosine));  // rho sin
    hn_dual out = dual_add(dual_mul(along, cosine), dual_mul(over, sine)); // rho cos
    hn_dual square = dual_add(dual_square(v->rho[e]), dual_const(r * r));
    hn_dual d = dual_sqrt(dual_sub(square, dual_scale(2 * r, out)));
    sum = dual_add(sum, dual_div(up, d));
    slope += out.v / d.v - r * up.v * up.v / (d.v * d.v * d.v);
  }
  if (!(fabs(slope) > step)) return dual_const(psi);
  return dual_sub(dual_const(psi), dual_scale(1 / slope, dual_shift(sum, -sum.v)));
}

static int goes_inside(const hn_wrap *wrap, const view *v) {
  const double r = wrap->radius;
  double at[2];
  nearest(v, at);
  return at[0] * at[0] + at[1] * at[1] > r * r && fabs(v->angle) < HN_PI;
}

static void go_inside(const view *v, double r, dual3 slope[2], double *length) {
  dual3 n = cross3(v->k, v->u[0]);
  hn_dual psi = touch_angle(v, r, n);
  dual3 p =
      add3(scale3(dual_scale(r, dual_cos(psi)), v->u[0]), scale3(dual_scale(r, dual_sin(psi)), n));
  *length = 0;
  for (int e = 0; e < 2; e++) {
    dual3 d = add3(e == 0 ? v->a : v->b, scale3(dual_const(-1), p));
    hn_dual size = dual_sqrt(dot3(d, d));
    slope[e] = over3(d, size);
    *length += size.v;
  }
}

// ---- both ---------------------------------------------------------------------------------------

static void rise(const view *v, dual3 slope[2], double *length) {
  hn_dual flat = {.v = *length};
  for (int k = 0; k < 6; k++) flat.d[k] = vec3_get(value3(slope[k / 3]), k % 3);
  hn_dual whole = dual_hypot(flat, v->rise), share = dual_div(flat, whole);
  for (int e = 0; e < 2; e++) {
    slope[e] = scale3(share, slope[e]);
    slope[e].z = dual_scale(e == 0 ? -1 : 1, dual_div(v->rise, whole));
  }
  *length = whole.v;
}

static void write(const dual3 slope[2], double length, hn_wrap_way *out) {
  out->length = length;
  for (int k = 0; k < 6; k++) {
    const dual3 *s = &slope[k / 3];
    const hn_dual *g = k % 3 == 0 ? &s->x : k % 3 == 1 ? &s->y : &s->z;
    out->gradient[k] = g->v;
    memcpy(out->hessian[k], g->d, sizeof g->d);
  }
}

int hn_wrap_find(const hn_wrap *wrap, hn_vec3 a, hn_vec3 b, hn_wrap_way *out) {
  const double r = wrap->radius;
  const view v = look(wrap, a, b);
  dual3 slope[2];
  double length;
  int kind = 3;
  if (!(v.rho[0].v > r && v.rho[1].v > r && r > 0)) return 0;
  if (wrap->has_side && vec3_norm(wrap->side) < r) {
    if (!goes_inside(wrap, &v)) return 0;
    go_inside(&v, r, slope, &length);
  } else {
    const int s = sense_of(wrap, &v);
    if (s == 0) return 0;
    kind = s > 0 ? 1 : 2;
    go_around(&v, r, s, slope, &length);
  }
  if (!wrap->is_sphere) rise(&v, slope, &length);
  write(slope, length, out);
  return kind;
}
