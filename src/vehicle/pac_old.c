// Magic Formula of 1989 and 1994: load in kN, slip in percent, angles in degree, y to the right
// (Fy and Mz change their signs into ISO axes, slip angle and camber do not).
//
//   y = D sin(C atan(B x - E (B x - atan B x))) + SV,   x = slip + SH,   B = BCD/(C D)
//
// Neither has combined slip. With USE_MODE 4 forces are combined as Adams does: with the slips
// from the zero of each curve, kc = kappa + SHx + SVx/BCDx, ac alike, and the friction used and
// at most, ux = |Fx0 - SVx|, Dx,
//
//   Fx = Fx0/sqrt(1 + (ux tan b/Dy)^2),   Fy = Fy0/sqrt(1 + (uy/(Dx tan b))^2),   tan b = |sin
//   ac|/|kc|.
//
// mu scales D and SV, not the stiffness. The line of Mz of 1994 is of one source only.
#include "vehicle/tyre.h"

#define P(key) HN_P(t, key)
#define DEGREES 57.295779513082320877

typedef struct curve {
  hn_dual d, bcd, e, sh, sv; // C is a number
  double c;
} curve;

static hn_dual sign_of(hn_dual x) { return dual(x.v >= 0 ? 1 : -1); }

static hn_dual sine_of(const curve *k, hn_dual x) {
  if (k->d.v == 0 || k->c == 0) return dual(0);
  hn_dual bx = dual_mul(dual_div(k->bcd, dual_scale(k->c, k->d)), x);
  return dual_mul(k->d, dual_sin(magic_angle(bx, dual(k->c), k->e)));
}

static hn_dual decaying(double square, double line, double decay, hn_dual f) {
  return dual_mul(dual_quadratic(0, line, square, f), dual_exp(dual_scale(-decay, f)));
}

static hn_dual stiffness_y(const hn_tyre *t, hn_dual f, hn_dual camber) {
  hn_dual k = dual(0);
  if (P(A4) != 0)
    k = dual_scale(P(A3), dual_sin(dual_scale(2, dual_atan(dual_scale(1 / P(A4), f)))));
  return dual_mul(k, dual_line(1, -P(A5), dual_abs(camber)));
}

static curve longitudinal(const hn_tyre *t, hn_dual f, hn_dual slip) {
  curve k = {.c = P(B0),
             .d = dual_quadratic(0, P(B2), P(B1), f),
             .bcd = decaying(P(B3), P(B4), P(B5), f),
             .e = dual_quadratic(P(B8), P(B7), P(B6), f),
             .sh = dual_line(P(B10), P(B9), f)};
  if (t->model == HN_TYRE_PAC89) return k;
  k.sv = dual_line(P(B12), P(B11), f);
  k.e = dual_mul(k.e, dual_line(1, -P(B13), sign_of(dual_add(slip, k.sh))));
  return k;
}

static curve lateral(const hn_tyre *t, hn_dual f, hn_dual slip, hn_dual g) {
  curve k = {.c = P(A0),
             .d = dual_quadratic(0, P(A2), P(A1), f),
             .bcd = stiffness_y(t, f, g),
             .e = dual_line(P(A7), P(A6), f)};
  if (t->model == HN_TYRE_PAC89) {
    k.sh = dual_add(dual_line(P(A10), P(A9), f), dual_scale(P(A8), g));
    k.sv = dual_add(dual_line(P(A13), P(A12), f), dual_scale(P(A11), dual_mul(f, g)));
    return k;
  }
  k.d = dual_mul(k.d, dual_line(1, -P(A15), dual_square(g)));
  k.sh = dual_add(dual_line(P(A9), P(A8), f), dual_scale(P(A10), g));
  k.sv = dual_mul(dual_mul(dual_line(P(A14), P(A13), f), g), f);
  k.sv = dual_add(k.sv, dual_line(P(A12), P(A11), f));
  hn_dual side = dual_mul(dual_line(P(A17), P(A16), g), sign_of(dual_add(slip, k.sh)));
  k.e = dual_mul(k.e, dual_line(1, -1, side));
  return k;
}

static curve aligning(const hn_tyre *t, hn_dual f, hn_dual slip, hn_dual g) {
  hn_dual camber = dual_abs(g);
  curve k = {.c = P(C0),
             .d = dual_quadratic(0, P(C2), P(C1), f),
             .bcd = dual_mul(decaying(P(C3), P(C4), P(C5), f), dual_line(1, -P(C6), camber)),
             .e = dual_quadratic(P(C9), P(C8), P(C7), f)};
  if (t->model == HN_TYRE_PAC89) {
    k.e = dual_mul(k.e, dual_line(1, -P(C10), camber));
    k.sh = dual_add(dual_line(P(C13), P(C12), f), dual_scale(P(C11), g));
    k.sv =
        dual_add(dual_line(P(C17), P(C16), f), dual_mul(dual_quadratic(0, P(C15), P(C14), f), g));
    return k;
  }
  k.d = dual_mul(k.d, dual_line(1, -P(C18), dual_square(g)));
  k.sh = dual_add(dual_line(P(C12), P(C11), f), dual_scale(P(C13), g));
  k.sv = dual_add(dual_line(P(C15), P(C14), f), dual_mul(dual_quadratic(0, P(C17), P(C16), f), g));
  hn_dual side = dual_mul(dual_line(P(C20), P(C19), g), sign_of(dual_add(slip, k.sh)));
  k.e = dual_div(dual_mul(k.e, dual_line(1, -1, side)), dual_line(1, -P(C10), camber));
  return k;
}

static void at_friction(curve *k, hn_dual mu, hn_dual share) {
  k->d = dual_mul(k->d, mu);
  k->sh = dual_mul(k->sh, share);
  k->sv = dual_mul(k->sv, dual_mul(mu, share));
}

// 1/sqrt(1 + (used/own * other/most)^2): used, most are forces, own and other slips from the zero.
static hn_dual reduction(hn_dual used, hn_dual slope, hn_dual own, hn_dual other, hn_dual most) {
  hn_dual secant = fabs(own.v) < 1e-9 ? slope : dual_div(used, own);
  hn_dual r = dual_div(dual_mul(secant, other), most);
  return dual_div(dual(1), dual_sqrt(dual_shift(dual_square(r), 1)));
}

// fx and fy without their shifts come in, with them go out
static void combine(const curve *x, const curve *y, const hn_tyre_inputs *in, hn_dual *fx,
                    hn_dual *fy) {
  hn_dual gx = dual(1), gy = dual(1);
  if (x->d.v != 0 && y->d.v != 0 && x->bcd.v != 0 && y->bcd.v != 0) {
    hn_dual zero_x = dual_add(x->sh, dual_div(x->sv, x->bcd));
    hn_dual zero_y = dual_add(y->sh, dual_div(y->sv, y->bcd));
    hn_dual k = dual_add(in->kappa, dual_scale(0.01, zero_x));
    hn_dual s = dual_sin(dual_add(in->alpha, dual_scale(1 / DEGREES, zero_y)));
    gx = reduction(*fx, dual_scale(100, x->bcd), k, s, y->d);
    gy = reduction(*fy, dual_scale(DEGREES, y->bcd), s, k, x->d);
  }
  *fx = dual_mul(dual_add(*fx, x->sv), gx);
  *fy = dual_mul(dual_add(*fy, y->sv), gy);
}

hn_tyre_outputs hn_tyre_pac_old(const hn_tyre *t, const hn_tyre_inputs *in) {
  hn_dual f = dual_scale(1e-3, in->fz), slip = dual_scale(100, in->kappa);
  hn_dual a = dual_scale(DEGREES, in->alpha), g = dual_scale(DEGREES, in->gamma);
  hn_dual share = rolling_share(in->vx, P(VXLOW)), turn = rolling_sign(in->vx, P(VXLOW));
  curve x = longitudinal(t, f, slip), y = lateral(t, f, a, g), z = aligning(t, f, a, g);
  at_friction(&x, in->mu, share);
  at_friction(&y, in->mu, share);
  at_friction(&z, in->mu, share);
  hn_dual fx = sine_of(&x, dual_add(slip, x.sh)), fy = sine_of(&y, dual_add(a, y.sh));
  hn_dual mz = dual_add(sine_of(&z, dual_add(a, z.sh)), z.sv);
  if (t->combined) {
    combine(&x, &y, in, &fx, &fy);
  } else {
    fx = dual_add(fx, x.sv);
    fy = dual_add(fy, y.sv);
  }
  return (hn_tyre_outputs){.fx = fx,
                           .fy = dual_scale(-1, fy),
                           .mz = dual_mul(dual_scale(-1, mz), turn),
                           .my = dual_mul(dual_scale(-P(ROLLING_RESISTANCE), in->fz), turn)};
}
