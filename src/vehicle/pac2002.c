// Magic Formula 5.2, which Adams calls PAC2002: combined slip, camber, load. H. B. Pacejka, Tyre
// and Vehicle Dynamics, 2nd edition, chapter 4; the names of the coefficients are those of the
// files.
//
//   dfz = (Fz - Fz0')/Fz0',  Fz0' = LFZO FNOMIN
//   F0 = D sin(C atan(B x - E (B x - atan B x))) + SV,   x = slip + SH,   B = K/(C D)
//   Fx = Gxa Fx0,   Fy = Gyk Fy0 + SVyk,   Mz = -t (Fy - SVyk) + Mzr + s Fx
//
// Choices where programs differ: alpha and gamma as angles (not tan, sin), Dt and s with FNOMIN
// (not Fz0'), 1 - PDY3 gamma^2, LMX on the terms of Fy and gamma of Mx, sgn of alpha_t,eq that of
// alpha_t, exp(-PTX3 dfz) in sigma_kappa. A standing tyre has no ply steer or conicity: shifts
// fade out below VXLOW; backwards the trail changes its sign. mu is a factor to LMUX and LMUY.
// Not here: turn slip, pressure (MF 6.x), gyroscopic couple.
#include "vehicle/tyre.h"

#define P(key) HN_P(t, key)

// What several of the parts below need.
typedef struct common {
  hn_dual fz, dfz, share, direction; // share: of the shifts; direction of rolling
  hn_dual mux, muy;                  // friction without sign: factors LMUX mu, LMUY mu
  hn_dual kx, ky;                    // stiffnesses Kx, Ky
  hn_dual shy, svy;
  hn_dual by_cy;
  hn_dual friction_y; // mu_y
  hn_dual svyk;
} common;

static hn_dual sign_of(hn_dual x) { return dual(x.v >= 0 ? 1 : -1); }

static hn_dual curve(hn_dual d, hn_dual k, double c, hn_dual e, hn_dual x) {
  if (d.v == 0 || c == 0) return dual(0); // the file has no such force
  hn_dual b = dual_div(k, dual_scale(c, d));
  return dual_mul(d, dual_sin(magic_angle(dual_mul(b, x), dual(c), e)));
}

// ---- pure slips ---------------------------------------------------------------------------------

static hn_dual pure_x(const hn_tyre *t, const hn_tyre_inputs *in, common *c) {
  hn_dual camber = dual_scale(P(LGAX), in->gamma);
  hn_dual sh = dual_mul(dual_scale(P(LHX), dual_line(P(PHX1), P(PHX2), c->dfz)), c->share);
  hn_dual sv = dual_mul(c->fz, dual_scale(P(LVX), dual_line(P(PVX1), P(PVX2), c->dfz)));
  sv = dual_mul(dual_mul(sv, c->mux), c->share);
  hn_dual x = dual_add(in->kappa, sh);
  hn_dual mu =
      dual_mul(dual_line(P(PDX1), P(PDX2), c->dfz), dual_line(1, -P(PDX3), dual_square(camber)));
  hn_dual d = dual_mul(dual_mul(mu, c->mux), c->fz);
  hn_dual e = dual_scale(P(LEX), dual_quadratic(P(PEX1), P(PEX2), P(PEX3), c->dfz));
  e = dual_at_most(dual_mul(e, dual_line(1, -P(PEX4), sign_of(x))), 1);
  c->kx = dual_mul(dual_mul(c->fz, dual_line(P(PKX1), P(PKX2), c->dfz)),
                   dual_scale(P(LKX), dual_exp(dual_scale(P(PKX3), c->dfz))));
  return dual_add(curve(d, c->kx, P(PCX1) * P(LCX), e, x), sv);
}

static void shifts_y(const hn_tyre *t, hn_dual camber, common *c) {
  hn_dual sh = dual_scale(P(LHY), dual_line(P(PHY1), P(PHY2), c->dfz));
  sh = dual_add(sh, dual_scale(P(PHY3), camber));
  c->shy = dual_mul(sh, c->share);
  hn_dual sv = dual_scale(P(LVY), dual_line(P(PVY1), P(PVY2), c->dfz));
  sv = dual_add(sv, dual_mul(dual_line(P(PVY3), P(PVY4), c->dfz), camber));
  c->svy = dual_mul(dual_mul(dual_mul(c->fz, sv), c->muy), c->share);
}

static hn_dual pure_y(const hn_tyre *t, const hn_tyre_inputs *in, common *c) {
  hn_dual camber = dual_scale(P(LGAY), in->gamma);
  double nominal = P(LFZO) * P(FNOMIN), cy = P(PCY1) * P(LCY);
  shifts_y(t, camber, c);
  hn_dual x = dual_add(in->alpha, c->shy);
  hn_dual mu =
      dual_mul(dual_line(P(PDY1), P(PDY2), c->dfz), dual_line(1, -P(PDY3), dual_square(camber)));
  c->friction_y = dual_mul(mu, c->muy);
  hn_dual d = dual_mul(c->friction_y, c->fz);
  hn_dual side = dual_mul(dual_line(P(PEY3), P(PEY4), camber), sign_of(x));
  hn_dual e = dual_scale(P(LEY), dual_line(P(PEY1), P(PEY2), c->dfz));
  e = dual_at_most(dual_mul(e, dual_line(1, -1, side)), 1);
  hn_dual k = dual(0);
  if (P(PKY2) != 0) {
    hn_dual angle = dual_atan(dual_scale(1 / (P(PKY2) * nominal), c->fz));
    k = dual_scale(P(PKY1) * nominal * P(LKY), dual_sin(dual_scale(2, angle)));
  }
  c->ky = dual_mul(k, dual_line(1, -P(PKY3), dual_abs(camber)));
  c->by_cy = d.v == 0 ? dual(0) : dual_div(c->ky, d);
  return dual_add(curve(d, c->ky, cy, e, x), c->svy);
}

// ---- combined slips -----------------------------------------------------------------------------

// cos(C atan(...)) at slip + shift over the same at shift
static hn_dual weight(hn_dual b, double c, hn_dual e, hn_dual slip, hn_dual shift) {
  hn_dual at = dual_cos(magic_angle(dual_mul(b, dual_add(slip, shift)), dual(c), e));
  hn_dual rest = dual_cos(magic_angle(dual_mul(b, shift), dual(c), e));
  return dual_div(at, rest);
}

static hn_dual weight_x(const hn_tyre *t, const hn_tyre_inputs *in, const common *c) {
  hn_dual b = dual_scale(P(RBX1) * P(LXAL), dual_cos_atan(dual_scale(P(RBX2), in->kappa)));
  hn_dual e = dual_at_most(dual_line(P(REX1), P(REX2), c->dfz), 1);
  return weight(b, P(RCX1), e, in->alpha, dual(P(RHX1)));
}

static hn_dual weight_y(const hn_tyre *t, const hn_tyre_inputs *in, const common *c) {
  hn_dual b = dual_cos_atan(dual_scale(P(RBY2), dual_shift(in->alpha, -P(RBY3))));
  hn_dual e = dual_at_most(dual_line(P(REY1), P(REY2), c->dfz), 1);
  return weight(dual_scale(P(RBY1) * P(LYKA), b), P(RCY1), e, in->kappa,
                dual_line(P(RHY1), P(RHY2), c->dfz));
}

// SVyk: the side force that braking and driving bring
static hn_dual shift_y_of_kappa(const hn_tyre *t, const hn_tyre_inputs *in, const common *c) {
  hn_dual r = dual_add(dual_line(P(RVY1), P(RVY2), c->dfz), dual_scale(P(RVY3), in->gamma));
  hn_dual d = dual_mul(dual_mul(c->friction_y, c->fz), r);
  d = dual_mul(d, dual_cos_atan(dual_scale(P(RVY4), in->alpha)));
  hn_dual angle = dual_scale(P(RVY5), dual_atan(dual_scale(P(RVY6), in->kappa)));
  return dual_mul(d, dual_scale(P(LVYKA), dual_sin(angle)));
}

// ---- moments ------------------------------------------------------------------------------------

// atan(sqrt(tan^2 a + (Kx/Ky kappa)^2)) sgn a
static hn_dual equivalent(hn_dual a, hn_dual ratio_kappa) {
  if (ratio_kappa.v == 0) return a;
  hn_dual tangent = dual_tan(a);
  hn_dual sum = dual_add(dual_square(tangent), dual_square(ratio_kappa));
  return dual_mul(sign_of(a), dual_atan(dual_sqrt(sum)));
}

// The trail t, with the slip angle of the combination.
static hn_dual trail(const hn_tyre *t, const hn_tyre_inputs *in, const common *c, hn_dual ratio) {
  hn_dual camber = dual_scale(P(LGAZ), in->gamma);
  hn_dual turned = dual_mul(dual_line(P(QHZ3), P(QHZ4), c->dfz), camber);
  hn_dual sh = dual_mul(dual_add(dual_line(P(QHZ1), P(QHZ2), c->dfz), turned), c->share);
  hn_dual a = dual_add(in->alpha, sh);
  hn_dual b = dual_quadratic(P(QBZ1), P(QBZ2), P(QBZ3), c->dfz);
  hn_dual of_camber =
      dual_add(dual_line(1, P(QBZ4), camber), dual_scale(P(QBZ5), dual_abs(camber)));
  b = dual_div(dual_scale(P(LKY), dual_mul(b, of_camber)), c->muy);
  hn_dual d = dual_mul(c->fz, dual_line(P(QDZ1), P(QDZ2), c->dfz));
  d = dual_mul(d, dual_quadratic(1, P(QDZ3), P(QDZ4), camber));
  d = dual_scale(P(UNLOADED_RADIUS) / P(FNOMIN) * P(LTR), d);
  hn_dual slant = dual_atan(dual_scale(P(QCZ1), dual_mul(b, a)));
  slant = dual_scale(0.63661977236758134308, slant);
  hn_dual e = dual_quadratic(P(QEZ1), P(QEZ2), P(QEZ3), c->dfz);
  e = dual_mul(e, dual_shift(dual_mul(dual_line(P(QEZ4), P(QEZ5), camber), slant), 1));
  hn_dual x = dual_mul(b, equivalent(a, ratio));
  hn_dual shape = dual_cos(magic_angle(x, dual(P(QCZ1)), dual_at_most(e, 1)));
  return dual_mul(dual_mul(dual_mul(d, shape), dual_cos(in->alpha)), c->direction);
}

// The residual moment Mzr
static hn_dual residual(const hn_tyre *t, const hn_tyre_inputs *in, const common *c,
                        hn_dual ratio) {
  hn_dual camber = dual_scale(P(LGAZ), in->gamma);
  hn_dual sh = c->ky.v == 0 ? c->shy : dual_add(c->shy, dual_div(c->svy, c->ky));
  hn_dual a = dual_add(in->alpha, sh);
  hn_dual b = dual_div(dual(P(QBZ9) * P(LKY)), c->muy);
  b = dual_add(b, dual_scale(P(QBZ10), c->by_cy));
  hn_dual d = dual_scale(P(LRES), dual_line(P(QDZ6), P(QDZ7), c->dfz));
  d = dual_add(d, dual_mul(dual_line(P(QDZ8), P(QDZ9), c->dfz), camber));
  d = dual_mul(dual_mul(dual_scale(P(UNLOADED_RADIUS), d), c->fz), dual_mul(c->muy, c->share));
  hn_dual shape = dual_cos_atan(dual_mul(b, equivalent(a, ratio)));
  return dual_mul(dual_mul(dual_mul(d, shape), dual_cos(in->alpha)), c->direction);
}

static hn_dual aligning(const hn_tyre *t, const hn_tyre_inputs *in, const common *c, hn_dual fx,
                        hn_dual fy) {
  hn_dual ratio = dual(0);
  if (t->combined && c->ky.v != 0) ratio = dual_mul(dual_div(c->kx, c->ky), in->kappa);
  hn_dual side = dual_sub(fy, c->svyk);
  hn_dual mz = dual_sub(residual(t, in, c, ratio), dual_mul(trail(t, in, c, ratio), side));
  if (!t->combined) return mz;
  hn_dual s = dual_line(P(SSZ1), P(SSZ2) / P(FNOMIN), fy);
  s = dual_add(s, dual_mul(dual_line(P(SSZ3), P(SSZ4), c->dfz), in->gamma));
  return dual_add(mz, dual_mul(dual_scale(P(UNLOADED_RADIUS) * P(LS), s), fx));
}

static hn_dual overturning(const hn_tyre *t, const hn_tyre_inputs *in, hn_dual fy) {
  hn_dual m = dual_line(P(QSX1) * P(LVMX), -P(QSX2) * P(LMX), in->gamma);
  m = dual_add(m, dual_scale(P(QSX3) * P(LMX) / P(FNOMIN), fy));
  return dual_scale(P(UNLOADED_RADIUS), dual_mul(in->fz, m));
}

static hn_dual rolling(const hn_tyre *t, const hn_tyre_inputs *in, const common *c, hn_dual fx) {
  hn_dual v = dual_scale(1 / (P(LONGVL) > 0 ? P(LONGVL) : 16.7), in->vx);
  hn_dual f = dual_line(P(QSY1), P(QSY2) / P(FNOMIN), fx);
  f = dual_add(f, dual_scale(P(QSY3), dual_abs(v)));
  f = dual_add(f, dual_scale(P(QSY4), dual_square(dual_square(v))));
  return dual_scale(-P(UNLOADED_RADIUS) * P(LMY), dual_mul(dual_mul(c->fz, f), c->direction));
}

hn_tyre_outputs hn_tyre_pac2002(const hn_tyre *t, const hn_tyre_inputs *in) {
  double nominal = P(LFZO) * P(FNOMIN);
  common c = {.fz = in->fz,
              .dfz = dual_line(-1, 1 / nominal, in->fz),
              .share = rolling_share(in->vx, P(VXLOW)),
              .direction = rolling_sign(in->vx, P(VXLOW)),
              .mux = dual_scale(P(LMUX), in->mu),
              .muy = dual_scale(P(LMUY), in->mu)};
  hn_dual fx = pure_x(t, in, &c), fy = pure_y(t, in, &c);
  if (t->combined) {
    fx = dual_mul(fx, weight_x(t, in, &c));
    c.svyk = shift_y_of_kappa(t, in, &c);
    fy = dual_add(dual_mul(fy, weight_y(t, in, &c)), c.svyk);
  }
  return (hn_tyre_outputs){.fx = fx,
                           .fy = fy,
                           .mx = overturning(t, in, fy),
                           .my = rolling(t, in, &c, fx),
                           .mz = aligning(t, in, &c, fx, fy)};
}

void hn_tyre_pac2002_relaxation(const hn_tyre *t, double gamma, double fz, double *sigma_kappa,
                                double *sigma_alpha) {
  double nominal = P(LFZO) * P(FNOMIN), dfz = (fz - nominal) / nominal, r0 = P(UNLOADED_RADIUS);
  *sigma_kappa = fz * (P(PTX1) + P(PTX2) * dfz) * exp(-P(PTX3) * dfz) * r0 / P(FNOMIN) * P(LSGKP);
  *sigma_alpha = 0;
  if (P(PTY2) != 0)
    *sigma_alpha = P(PTY1) * sin(2 * atan(fz / (P(PTY2) * nominal))) * (1 - P(PKY3) * fabs(gamma)) *
                   r0 * P(LFZO) * P(LSGAL);
}
