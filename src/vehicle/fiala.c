// Fiala's tyre: a brush on an elastic ring, by few parameters, in two forms.
//
//   S = min(1, sqrt(kappa^2 + tan^2 alpha)),   U = UMAX - (UMAX - UMIN) S
//
// As in Adams (model fiala) forward and side force share nothing but U:
//   |kappa| < U Fz/(2 CSLIP): Fx = CSLIP kappa, else sgn kappa (U Fz - (U Fz)^2/(4 |kappa| CSLIP))
//   z = CALPHA |tan alpha|/(3 U Fz), H = 1 - z:
//   Fy = -U Fz (1 - H^3) sgn alpha,  Mz = U Fz WIDTH z H^3 sgn alpha
// As one brush (model brush) the resultant stays below U Fz:
//   sx = CSLIP kappa/(1 + kappa), sy = CALPHA tan alpha/(1 + kappa), z = |s|/(3 U Fz)
//   F = U Fz (1 - (1 - z)^3) along (sx, -sy),   Mz = U Fz WIDTH z (1 - z)^3 sy/|s|
// mu is a factor to UMIN and UMAX. Camber is ignored. My = -ROLLING_RESISTANCE Fz (a length).
#include "vehicle/tyre.h"

#define P(key) HN_P(t, key)

// U Fz
static hn_dual friction(const hn_tyre *t, const hn_tyre_inputs *in, hn_dual tangent) {
  hn_dual s = dual_at_most(dual_hypot(in->kappa, tangent), 1);
  hn_dual u = dual_line(P(UMAX), -(P(UMAX) - P(UMIN)), s);
  return dual_mul(dual_mul(u, in->mu), in->fz);
}

static hn_dual rolling(const hn_tyre *t, const hn_tyre_inputs *in) {
  return dual_mul(dual_scale(-P(ROLLING_RESISTANCE), in->fz), rolling_sign(in->vx, P(VXLOW)));
}

static hn_dual cube(hn_dual x) { return dual_chain(x, x.v * x.v * x.v, 3 * x.v * x.v); }

static hn_dual forwards(const hn_tyre *t, hn_dual kappa, hn_dual limit) {
  double c = P(CSLIP);
  hn_dual size = dual_abs(kappa);
  if (2 * c * size.v < limit.v) return dual_scale(c, kappa);
  if (c * size.v <= 0) return dual(0);
  hn_dual lost = dual_div(dual_square(limit), dual_scale(4 * c, size));
  return dual_scale(kappa.v >= 0 ? 1 : -1, dual_sub(limit, lost));
}

hn_tyre_outputs hn_tyre_fiala(const hn_tyre *t, const hn_tyre_inputs *in) {
  hn_dual tangent = dual_tan(in->alpha), limit = friction(t, in, tangent);
  hn_tyre_outputs out = {.my = rolling(t, in)};
  if (limit.v <= 0) return out;
  out.fx = forwards(t, in->kappa, limit);
  double side = in->alpha.v >= 0 ? 1 : -1;
  hn_dual z = dual_div(dual_scale(P(CALPHA) / 3, dual_abs(tangent)), limit);
  if (z.v >= 1) {
    out.fy = dual_scale(-side, limit);
    return out;
  }
  hn_dual rest = cube(dual_line(1, -1, z));
  out.fy = dual_scale(-side, dual_mul(limit, dual_line(1, -1, rest)));
  out.mz = dual_mul(dual_scale(side * P(WIDTH), limit), dual_mul(z, rest));
  out.mz = dual_mul(out.mz, rolling_sign(in->vx, P(VXLOW)));
  return out;
}

hn_tyre_outputs hn_tyre_brush(const hn_tyre *t, const hn_tyre_inputs *in) {
  hn_dual tangent = dual_tan(in->alpha), limit = friction(t, in, tangent);
  hn_tyre_outputs out = {.my = rolling(t, in)};
  if (limit.v <= 0) return out;
  hn_dual sx = dual_scale(P(CSLIP), in->kappa), sy = dual_scale(P(CALPHA), tangent);
  hn_dual length = dual_hypot(sx, sy), over = dual_shift(in->kappa, 1);
  hn_dual deep = dual_scale(3, dual_mul(limit, over)); // z = length/deep
  if (over.v <= 1e-9 || length.v >= deep.v) {          // slides everywhere
    out.fx = dual_mul(limit, dual_div(sx, length));
    out.fy = dual_mul(dual_scale(-1, limit), dual_div(sy, length));
    return out;
  }
  // F/|s| = U Fz (3 z - 3 z^2 + z^3)/|s| = (3 - 3 z + z^2)/(3 (1 + kappa)): no corner at |s| = 0
  hn_dual z = dual_div(length, deep), rest = cube(dual_line(1, -1, z));
  hn_dual slope = dual_div(dual_quadratic(1, -1, 1.0 / 3, z), over);
  out.fx = dual_mul(slope, sx);
  out.fy = dual_scale(-1, dual_mul(slope, sy));
  out.mz = dual_mul(dual_scale(P(WIDTH) / 3, dual_div(sy, over)), rest); // U Fz z/|s| = 1/(3 over)
  out.mz = dual_mul(out.mz, rolling_sign(in->vx, P(VXLOW)));
  return out;
}
