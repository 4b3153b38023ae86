// TMeasy, handling version (G. Rill): curves given by slope at 0, maximum and sliding value of
// each direction at the nominal load and at twice that, and what both together make of them.
// Steady state:
//
//   sx = kappa/|1 + kappa|,  sy = -tan alpha/|1 + kappa|,
//   s = |(sx/hx, sy/hy)|,  (cos f, sin f) their direction
//   hx = sxM/(sxM + syM) + (FxM/dFx0)/(FxM/dFx0 + FyM/dFy0),  hy alike
//   F(s): a hyperbola up to sM, a cubic from FM down to FS at sS, then constant
//   Fx = F cos f,  Fy = F sin f + camber,
//   Mz = -n F sin f with the normalized trail n/L(sy), L = 2 sqrt(r0 dz)
//
// Forces and slopes are quadratic in Fz through 0, slips linear; above FZ_MAX constant. mu scales
// forces and slips, not the slopes. Camber is the weakest part: (F/s)/(3 hy) times the spin of
// the patch.

// The slope of F(s) depends on its direction, so that forces have no derivative at no slip but
// along x and along y: those are taken for slips that are rounding.

typedef struct N(easy_axis) {
  NUMBER slope, most, slide; // dF0, FM, FS
  NUMBER s_most, s_slide;    // sM, sS
} N(easy_axis);

static NUMBER N(easy_through_zero)(NUMBER q, double y1, double y2) {
  return N(quadratic)(0, 2 * y1 - 0.5 * y2, -(y1 - 0.5 * y2), q);
}

static NUMBER N(easy_line)(NUMBER q, double x1, double x2) {
  return N(line)(2 * x1 - x2, x2 - x1, q);
}

static N(easy_axis) N(easy_axis_of)(NUMBER q, NUMBER mu, const double one[5], const double two[5]) {
  return (N(easy_axis)){.slope = N(easy_through_zero)(q, one[0], two[0]),
                        .most = N(mul)(mu, N(easy_through_zero)(q, one[1], two[1])),
                        .slide = N(mul)(mu, N(easy_through_zero)(q, one[2], two[2])),
                        .s_most = N(mul)(mu, N(easy_line)(q, one[3], two[3])),
                        .s_slide = N(mul)(mu, N(easy_line)(q, one[4], two[4]))};
}

static NUMBER N(easy_norm_of)(NUMBER x, NUMBER y, NUMBER c, NUMBER s) {
  return N(hypot)(N(mul)(x, c), N(mul)(y, s));
}

// F/s over s; s may be infinite where the wheel stands
static NUMBER N(easy_secant)(NUMBER s, const N(easy_axis) * g) {
  NUMBER slope = g->slope, least = N(scale)(2, N(div)(g->most, g->s_most));
  if (N(value)(slope) < N(value)(least)) slope = least;
  if (N(value)(s) < N(value)(g->s_most)) {
    NUMBER r = N(div)(s, g->s_most);
    NUMBER bend = N(shift)(N(div)(N(mul)(slope, g->s_most), g->most), -2);
    return N(div)(slope, N(shift)(N(mul)(r, N(add)(r, bend)), 1));
  }
  if (N(value)(s) >= N(value)(g->s_slide)) return N(div)(g->slide, s);
  NUMBER r = N(div)(N(sub)(s, g->s_most), N(sub)(g->s_slide, g->s_most));
  NUMBER drop = N(mul)(N(square)(r), N(line)(3, -2, r));
  return N(div)(N(sub)(g->most, N(mul)(N(sub)(g->most, g->slide), drop)), s);
}

// n/L over |sy|
static NUMBER N(easy_trail)(const hn_tyre *t, NUMBER q, NUMBER mu, NUMBER size) {
  NUMBER n0 = N(easy_line)(q, P(PT_NORM_1), P(PT_NORM_2));
  NUMBER s0 = N(mul)(mu, N(easy_line)(q, P(SY_CHSI_1), P(SY_CHSI_2)));
  NUMBER se = N(mul)(mu, N(easy_line)(q, P(SY_ZERO_1), P(SY_ZERO_2)));
  if (N(value)(se) < N(value)(s0)) se = s0;
  if (N(value)(size) >= N(value)(se) || N(value)(s0) <= 0) return N(const)(0);
  NUMBER w = N(div)(s0, se), rest = N(line)(1, -1, w);
  if (N(value)(size) <= N(value)(s0)) {
    NUMBER r = N(div)(size, s0);
    NUMBER cubic = N(line)(1, -1, N(mul)(N(line)(3, -2, r), N(square)(r)));
    NUMBER sum = N(add)(N(mul)(rest, N(line)(1, -1, r)), N(mul)(w, cubic));
    return N(mul)(n0, sum);
  }
  NUMBER r = N(div)(N(sub)(se, size), N(sub)(se, s0));
  NUMBER over = N(div)(N(sub)(size, s0), s0);
  return N(scale)(-1, N(mul)(N(mul)(n0, rest), N(mul)(over, N(square)(r))));
}

// Fz to deflection, with its slope
static NUMBER N(easy_deflection)(const hn_tyre *t, NUMBER fz) {
  double z = hn_tyre_deflection(t, N(value)(fz)), k = hn_tyre_spring(t, z).stiffness;
  return k > 0 ? N(chain)(fz, z, 1 / k) : N(const)(0);
}

// The side force of camber and the moment of an inclined patch.
static void N(easy_add_camber)(const hn_tyre *t, const N(inputs) * in, NUMBER length,
                               NUMBER squeeze, NUMBER per_slip, N(outputs) * out) {
  double slope, share = hn_tmeasy_radius_share(t, N(value)(in->fz), &slope);
  NUMBER lambda = N(chain)(in->fz, share, slope);
  NUMBER radius = N(line)(P(UNLOADED_RADIUS), -1, N(mul)(N(line)(1, -1, lambda), squeeze));
  NUMBER spin = N(div)(N(mul)(N(scale)(-0.5, length), N(sin)(in->gamma)), radius);
  out->fy = N(add)(out->fy, N(mul)(N(scale)(1.0 / 3, per_slip), spin));
  double stiffness = hn_tyre_spring(t, N(value)(squeeze)).stiffness;
  out->mx = N(scale)(-stiffness * P(WIDTH) * P(WIDTH) / 12, in->gamma);
}

// Both directions in one curve along (c, s).
static N(easy_axis) N(easy_along)(const N(easy_axis) * x, const N(easy_axis) * y, NUMBER hx,
                                  NUMBER hy, NUMBER c, NUMBER s) {
  return (N(easy_axis)){
      .slope = N(easy_norm_of)(N(mul)(x->slope, hx), N(mul)(y->slope, hy), c, s),
      .most = N(easy_norm_of)(x->most, y->most, c, s),
      .slide = N(easy_norm_of)(x->slide, y->slide, c, s),
      .s_most = N(easy_norm_of)(N(div)(x->s_most, hx), N(div)(y->s_most, hy), c, s),
      .s_slide = N(easy_norm_of)(N(div)(x->s_slide, hx), N(div)(y->s_slide, hy), c, s)};
}

static N(outputs) N(tmeasy)(const hn_tyre *t, const N(inputs) * in) {
  NUMBER q = N(scale)(1 / P(FZ_NOM), N(at_most)(in->fz, P(FZ_MAX))), mu = in->mu;
  N(easy_axis)
  x = N(easy_axis_of)(q, mu, (double[]){P(DFX0_1), P(FXMAX_1), P(FXSLD_1), P(SXMAX_1), P(SXSLD_1)},
                      (double[]){P(DFX0_2), P(FXMAX_2), P(FXSLD_2), P(SXMAX_2), P(SXSLD_2)});
  N(easy_axis)
  y = N(easy_axis_of)(q, mu, (double[]){P(DFY0_1), P(FYMAX_1), P(FYSLD_1), P(SYMAX_1), P(SYSLD_1)},
                      (double[]){P(DFY0_2), P(FYMAX_2), P(FYSLD_2), P(SYMAX_2), P(SYSLD_2)});
  NUMBER ax = N(div)(x.most, x.slope), ay = N(div)(y.most, y.slope);
  NUMBER force_share = N(div)(ax, N(add)(ax, ay));
  NUMBER hx = N(add)(N(div)(x.s_most, N(add)(x.s_most, y.s_most)), force_share);
  NUMBER hy = N(line)(2, -1, hx);
  // (nx, ny)/over are the normalized slips; a locked wheel has over = 0
  NUMBER over = N(abs)(N(shift)(in->kappa, 1)), tangent = N(tan)(in->alpha);
  NUMBER nx = N(div)(in->kappa, hx), ny = N(scale)(-1, N(div)(tangent, hy));
  NUMBER n = N(hypot)(nx, ny);
  NUMBER c = N(const)(0.70710678118654752440), s = c; // the direction of no slip, to have one
  const int is_rolling = N(value)(n) < NO_SLIP && N(value)(over) > 0.5;
  if (!is_rolling && N(value)(n) > 0) c = N(div)(nx, n), s = N(div)(ny, n);
  N(easy_axis) g = N(easy_along)(&x, &y, hx, hy, c, s);
  N(outputs) out = {0};
  NUMBER per_slip = N(const)(0), size = N(const)(HUGE_VAL);
  if (is_rolling) {
    out.fx = N(mul)(N(mul)(x.slope, hx), nx);
    out.fy = N(mul)(N(mul)(y.slope, hy), ny);
    per_slip = N(div)(N(easy_secant)(N(const)(0), &g), hy);
    size = N(abs)(tangent);
  } else if (N(value)(over) * N(value)(g.s_slide) > 1e-9 * N(value)(n)) {
    NUMBER fos = N(easy_secant)(N(div)(n, over), &g), ratio = N(div)(fos, over);
    out.fx = N(mul)(ratio, nx);
    out.fy = N(mul)(ratio, ny);
    per_slip = N(div)(fos, hy);
    size = N(div)(N(abs)(tangent), over);
  } else {
    out.fx = N(mul)(g.slide, c);
    out.fy = N(mul)(g.slide, s);
  }
  NUMBER squeeze = N(easy_deflection)(t, in->fz);
  NUMBER length = N(scale)(2, N(sqrt)(N(scale)(P(UNLOADED_RADIUS), squeeze)));
  NUMBER turn = N(rolling_sign)(in->vx, P(VXLOW));
  out.mz =
      N(mul)(N(mul)(N(mul)(length, N(easy_trail)(t, q, mu, size)), N(scale)(-1, out.fy)), turn);
  N(easy_add_camber)(t, in, length, squeeze, per_slip, &out);
  NUMBER rolling = N(mul)(N(easy_line)(q, P(RRCOEFF_1), P(RRCOEFF_2)), in->fz);
  out.my = N(mul)(N(scale)(-P(UNLOADED_RADIUS), rolling), turn);
  return out;
}
