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

// U Fz
static NUMBER N(fiala_friction)(const hn_tyre *t, const N(inputs) * in, NUMBER tangent) {
  NUMBER s = N(at_most)(N(hypot)(in->kappa, tangent), 1);
  NUMBER u = N(line)(P(UMAX), -(P(UMAX) - P(UMIN)), s);
  return N(mul)(N(mul)(u, in->mu), in->fz);
}

static NUMBER N(fiala_rolling)(const hn_tyre *t, const N(inputs) * in) {
  return N(mul)(N(scale)(-P(ROLLING_RESISTANCE), in->fz), N(rolling_sign)(in->vx, P(VXLOW)));
}

static NUMBER N(fiala_cube)(NUMBER x) {
  double v = N(value)(x);
  return N(chain)(x, v * v * v, 3 * v * v);
}

static NUMBER N(fiala_forwards)(const hn_tyre *t, NUMBER kappa, NUMBER limit) {
  double c = P(CSLIP);
  NUMBER size = N(abs)(kappa);
  if (2 * c * N(value)(size) < N(value)(limit)) return N(scale)(c, kappa);
  if (c * N(value)(size) <= 0) return N(const)(0);
  NUMBER lost = N(div)(N(square)(limit), N(scale)(4 * c, size));
  return N(scale)(N(value)(kappa) >= 0 ? 1 : -1, N(sub)(limit, lost));
}

static N(outputs) N(fiala)(const hn_tyre *t, const N(inputs) * in) {
  NUMBER tangent = N(tan)(in->alpha), limit = N(fiala_friction)(t, in, tangent);
  N(outputs) out = {.my = N(fiala_rolling)(t, in)};
  if (N(value)(limit) <= 0) return out;
  out.fx = N(fiala_forwards)(t, in->kappa, limit);
  double side = N(value)(in->alpha) >= 0 ? 1 : -1;
  NUMBER z = N(div)(N(scale)(side * P(CALPHA) / 3, tangent), limit);
  if (N(value)(z) >= 1) {
    out.fy = N(scale)(-side, limit);
    return out;
  }
  NUMBER rest = N(fiala_cube)(N(line)(1, -1, z));
  out.fy = N(scale)(-side, N(mul)(limit, N(line)(1, -1, rest)));
  out.mz = N(mul)(N(scale)(side * P(WIDTH), limit), N(mul)(z, rest));
  out.mz = N(mul)(out.mz, N(rolling_sign)(in->vx, P(VXLOW)));
  return out;
}

static N(outputs) N(brush)(const hn_tyre *t, const N(inputs) * in) {
  NUMBER tangent = N(tan)(in->alpha), limit = N(fiala_friction)(t, in, tangent);
  N(outputs) out = {.my = N(fiala_rolling)(t, in)};
  if (N(value)(limit) <= 0) return out;
  NUMBER sx = N(scale)(P(CSLIP), in->kappa), sy = N(scale)(P(CALPHA), tangent);
  NUMBER length = N(hypot)(sx, sy), over = N(shift)(in->kappa, 1);
  NUMBER deep = N(scale)(3, N(mul)(limit, over));                     // z = length/deep
  if (N(value)(over) <= 1e-9 || N(value)(length) >= N(value)(deep)) { // slides everywhere
    out.fx = N(mul)(limit, N(div)(sx, length));
    out.fy = N(mul)(N(scale)(-1, limit), N(div)(sy, length));
    return out;
  }
  // F/|s| = U Fz (3 z - 3 z^2 + z^3)/|s| = (3 - 3 z + z^2)/(3 (1 + kappa)): no corner at |s| = 0
  NUMBER z = N(div)(length, deep), rest = N(fiala_cube)(N(line)(1, -1, z));
  NUMBER slope = N(div)(N(quadratic)(1, -1, 1.0 / 3, z), over);
  out.fx = N(mul)(slope, sx);
  out.fy = N(scale)(-1, N(mul)(slope, sy));
  out.mz = N(mul)(N(scale)(P(WIDTH) / 3, N(div)(sy, over)), rest); // U Fz z/|s| = 1/(3 over)
  out.mz = N(mul)(out.mz, N(rolling_sign)(in->vx, P(VXLOW)));
  return out;
}
