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
#include "vehicle/tyre.h"

#define P(key) HN_P(t, key)

// The slope of F(s) depends on its direction, so that forces have no derivative at no slip but
// along x and along y: those are taken for slips that are rounding.
#define NO_SLIP 1e-12

typedef struct axis {
  hn_dual slope, most, slide; // dF0, FM, FS
  hn_dual s_most, s_slide;    // sM, sS
} axis;

static hn_dual through_zero(const hn_tyre *t, hn_dual q, double y1, double y2) {
  (void)t;
  return dual_quadratic(0, 2 * y1 - 0.5 * y2, -(y1 - 0.5 * y2), q);
}

static hn_dual line(hn_dual q, double x1, double x2) { return dual_line(2 * x1 - x2, x2 - x1, q); }

static axis axis_of(const hn_tyre *t, hn_dual q, hn_dual mu, const double one[5],
                    const double two[5]) {
  return (axis){.slope = through_zero(t, q, one[0], two[0]),
                .most = dual_mul(mu, through_zero(t, q, one[1], two[1])),
                .slide = dual_mul(mu, through_zero(t, q, one[2], two[2])),
                .s_most = dual_mul(mu, line(q, one[3], two[3])),
                .s_slide = dual_mul(mu, line(q, one[4], two[4]))};
}

static hn_dual norm_of(hn_dual x, hn_dual y, hn_dual c, hn_dual s) {
  return dual_hypot(dual_mul(x, c), dual_mul(y, s));
}

// F/s over s; s may be infinite where the wheel stands
static hn_dual secant(hn_dual s, const axis *g) {
  hn_dual slope = g->slope, least = dual_scale(2, dual_div(g->most, g->s_most));
  if (slope.v < least.v) slope = least;
  if (s.v < g->s_most.v) {
    hn_dual r = dual_div(s, g->s_most);
    hn_dual bend = dual_shift(dual_div(dual_mul(slope, g->s_most), g->most), -2);
    return dual_div(slope, dual_shift(dual_mul(r, dual_add(r, bend)), 1));
  }
  if (s.v >= g->s_slide.v) return dual_div(g->slide, s);
  hn_dual r = dual_div(dual_sub(s, g->s_most), dual_sub(g->s_slide, g->s_most));
  hn_dual drop = dual_mul(dual_square(r), dual_line(3, -2, r));
  return dual_div(dual_sub(g->most, dual_mul(dual_sub(g->most, g->slide), drop)), s);
}

// n/L over |sy|
static hn_dual trail(const hn_tyre *t, hn_dual q, hn_dual mu, hn_dual size) {
  hn_dual n0 = line(q, P(PT_NORM_1), P(PT_NORM_2));
  hn_dual s0 = dual_mul(mu, line(q, P(SY_CHSI_1), P(SY_CHSI_2)));
  hn_dual se = dual_mul(mu, line(q, P(SY_ZERO_1), P(SY_ZERO_2)));
  if (se.v < s0.v) se = s0;
  if (size.v >= se.v || s0.v <= 0) return dual(0);
  hn_dual w = dual_div(s0, se), rest = dual_line(1, -1, w);
  if (size.v <= s0.v) {
    hn_dual r = dual_div(size, s0);
    hn_dual cubic = dual_line(1, -1, dual_mul(dual_line(3, -2, r), dual_square(r)));
    hn_dual sum = dual_add(dual_mul(rest, dual_line(1, -1, r)), dual_mul(w, cubic));
    return dual_mul(n0, sum);
  }
  hn_dual r = dual_div(dual_sub(se, size), dual_sub(se, s0));
  hn_dual over = dual_div(dual_sub(size, s0), s0);
  return dual_scale(-1, dual_mul(dual_mul(n0, rest), dual_mul(over, dual_square(r))));
}

// Fz to deflection, with its slope
static hn_dual deflection(const hn_tyre *t, hn_dual fz) {
  double z = hn_tyre_deflection(t, fz.v), k = hn_tyre_spring(t, z).stiffness;
  return k > 0 ? dual_chain(fz, z, 1 / k) : dual(0);
}

double hn_tmeasy_radius_share(const hn_tyre *t, double fz, double *d_fz) {
  double top = P(FZ_MAX), q = (fz < top ? fz : top) / P(FZ_NOM);
  *d_fz = fz < top ? (P(RDYNCO_2) - P(RDYNCO_1)) / P(FZ_NOM) : 0;
  return P(RDYNCO_1) + (P(RDYNCO_2) - P(RDYNCO_1)) * (q - 1);
}

// The side force of camber and the moment of an inclined patch.
static void add_camber(const hn_tyre *t, const hn_tyre_inputs *in, hn_dual length, hn_dual squeeze,
                       hn_dual per_slip, hn_tyre_outputs *out) {
  double slope, share = hn_tmeasy_radius_share(t, in->fz.v, &slope);
  hn_dual lambda = dual_chain(in->fz, share, slope);
  hn_dual radius = dual_line(P(UNLOADED_RADIUS), -1, dual_mul(dual_line(1, -1, lambda), squeeze));
  hn_dual spin = dual_div(dual_mul(dual_scale(-0.5, length), dual_sin(in->gamma)), radius);
  out->fy = dual_add(out->fy, dual_mul(dual_scale(1.0 / 3, per_slip), spin));
  double stiffness = hn_tyre_spring(t, squeeze.v).stiffness;
  out->mx = dual_scale(-stiffness * P(WIDTH) * P(WIDTH) / 12, in->gamma);
}

// Both directions in one curve along (c, s).
static axis along(const axis *x, const axis *y, hn_dual hx, hn_dual hy, hn_dual c, hn_dual s) {
  return (axis){.slope = norm_of(dual_mul(x->slope, hx), dual_mul(y->slope, hy), c, s),
                .most = norm_of(x->most, y->most, c, s),
                .slide = norm_of(x->slide, y->slide, c, s),
                .s_most = norm_of(dual_div(x->s_most, hx), dual_div(y->s_most, hy), c, s),
                .s_slide = norm_of(dual_div(x->s_slide, hx), dual_div(y->s_slide, hy), c, s)};
}

hn_tyre_outputs hn_tyre_tmeasy(const hn_tyre *t, const hn_tyre_inputs *in) {
  hn_dual q = dual_scale(1 / P(FZ_NOM), dual_at_most(in->fz, P(FZ_MAX))), mu = in->mu;
  axis x = axis_of(t, q, mu, (double[]){P(DFX0_1), P(FXMAX_1), P(FXSLD_1), P(SXMAX_1), P(SXSLD_1)},
                   (double[]){P(DFX0_2), P(FXMAX_2), P(FXSLD_2), P(SXMAX_2), P(SXSLD_2)});
  axis y = axis_of(t, q, mu, (double[]){P(DFY0_1), P(FYMAX_1), P(FYSLD_1), P(SYMAX_1), P(SYSLD_1)},
                   (double[]){P(DFY0_2), P(FYMAX_2), P(FYSLD_2), P(SYMAX_2), P(SYSLD_2)});
  hn_dual ax = dual_div(x.most, x.slope), ay = dual_div(y.most, y.slope);
  hn_dual force_share = dual_div(ax, dual_add(ax, ay));
  hn_dual hx = dual_add(dual_div(x.s_most, dual_add(x.s_most, y.s_most)), force_share);
  hn_dual hy = dual_line(2, -1, hx);
  // (nx, ny)/over are the normalized slips; a locked wheel has over = 0
  hn_dual over = dual_abs(dual_shift(in->kappa, 1)), tangent = dual_tan(in->alpha);
  hn_dual nx = dual_div(in->kappa, hx), ny = dual_scale(-1, dual_div(tangent, hy));
  hn_dual n = dual_hypot(nx, ny);
  hn_dual c = dual(0.70710678118654752440), s = c; // the direction of no slip, to have one
  const int is_rolling = n.v < NO_SLIP && over.v > 0.5;
  if (!is_rolling && n.v > 0) c = dual_div(nx, n), s = dual_div(ny, n);
  axis g = along(&x, &y, hx, hy, c, s);
  hn_tyre_outputs out = {0};
  hn_dual per_slip = dual(0), size = dual(HUGE_VAL);
  if (is_rolling) {
    out.fx = dual_mul(dual_mul(x.slope, hx), nx);
    out.fy = dual_mul(dual_mul(y.slope, hy), ny);
    per_slip = y.slope;
    size = dual_abs(tangent);
  } else if (over.v * g.s_slide.v > 1e-9 * n.v) {
    hn_dual fos = secant(dual_div(n, over), &g), ratio = dual_div(fos, over);
    out.fx = dual_mul(ratio, nx);
    out.fy = dual_mul(ratio, ny);
    per_slip = dual_div(fos, hy);
    size = dual_div(dual_abs(tangent), over);
  } else {
    out.fx = dual_mul(g.slide, c);
    out.fy = dual_mul(g.slide, s);
  }
  hn_dual squeeze = deflection(t, in->fz);
  hn_dual length = dual_scale(2, dual_sqrt(dual_scale(P(UNLOADED_RADIUS), squeeze)));
  hn_dual turn = rolling_sign(in->vx, P(VXLOW));
  out.mz =
      dual_mul(dual_mul(dual_mul(length, trail(t, q, mu, size)), dual_scale(-1, out.fy)), turn);
  add_camber(t, in, length, squeeze, per_slip, &out);
  hn_dual rolling = dual_mul(line(q, P(RRCOEFF_1), P(RRCOEFF_2)), in->fz);
  out.my = dual_mul(dual_scale(-P(UNLOADED_RADIUS), rolling), turn);
  return out;
}
