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
// alpha_t, exp(-PTX3 dfz) in sigma_kappa. A standing tyre has no ply steer or conicity: shifts fade
// out below VXLOW; backwards the trail changes its sign. mu is a factor to LMUX and LMUY. Out of
// scope: turn slip, pressure (MF 6.x), gyroscopic couple.

// Quantities shared by several of the parts below.
typedef struct N(pac_common) {
  NUMBER fz, dfz, share, direction; // share: of the shifts; direction of rolling
  NUMBER mux, muy;                  // friction without sign: factors LMUX mu, LMUY mu
  NUMBER kx, ky;                    // stiffnesses Kx, Ky
  NUMBER shy, svy;
  NUMBER by_cy;
  NUMBER friction_y; // mu_y
  NUMBER svyk;
} N(pac_common);

static NUMBER N(pac_curve)(NUMBER d, NUMBER k, double c, NUMBER e, NUMBER x) {
  if (N(value)(d) == 0 || c == 0) return N(const)(0); // the file has no such force
  NUMBER b = N(div)(k, N(scale)(c, d));
  return N(mul)(d, N(sin)(N(magic_angle)(N(mul)(b, x), c, e)));
}

// ---- pure slips ---------------------------------------------------------------------------------

static NUMBER N(pac_pure_x)(const hn_tyre *t, const N(inputs) * in, N(pac_common) * c) {
  NUMBER camber = N(scale)(P(LGAX), in->gamma);
  NUMBER sh = N(mul)(N(scale)(P(LHX), N(line)(P(PHX1), P(PHX2), c->dfz)), c->share);
  NUMBER sv = N(mul)(c->fz, N(scale)(P(LVX), N(line)(P(PVX1), P(PVX2), c->dfz)));
  sv = N(mul)(N(mul)(sv, c->mux), c->share);
  NUMBER x = N(add)(in->kappa, sh);
  NUMBER mu = N(mul)(N(line)(P(PDX1), P(PDX2), c->dfz), N(line)(1, -P(PDX3), N(square)(camber)));
  NUMBER d = N(mul)(N(mul)(mu, c->mux), c->fz);
  NUMBER e = N(scale)(P(LEX), N(quadratic)(P(PEX1), P(PEX2), P(PEX3), c->dfz));
  e = N(at_most)(N(mul)(e, N(line)(1, -P(PEX4), N(sign_of)(x))), 1);
  c->kx = N(mul)(N(mul)(c->fz, N(line)(P(PKX1), P(PKX2), c->dfz)),
                 N(scale)(P(LKX), N(exp)(N(scale)(P(PKX3), c->dfz))));
  return N(add)(N(pac_curve)(d, c->kx, P(PCX1) * P(LCX), e, x), sv);
}

static void N(pac_shifts_y)(const hn_tyre *t, NUMBER camber, N(pac_common) * c) {
  NUMBER sh = N(scale)(P(LHY), N(line)(P(PHY1), P(PHY2), c->dfz));
  sh = N(add)(sh, N(scale)(P(PHY3), camber));
  c->shy = N(mul)(sh, c->share);
  NUMBER sv = N(scale)(P(LVY), N(line)(P(PVY1), P(PVY2), c->dfz));
  sv = N(add)(sv, N(mul)(N(line)(P(PVY3), P(PVY4), c->dfz), camber));
  c->svy = N(mul)(N(mul)(N(mul)(c->fz, sv), c->muy), c->share);
}

static NUMBER N(pac_pure_y)(const hn_tyre *t, const N(inputs) * in, N(pac_common) * c) {
  NUMBER camber = N(scale)(P(LGAY), in->gamma);
  double nominal = P(LFZO) * P(FNOMIN), cy = P(PCY1) * P(LCY);
  N(pac_shifts_y)(t, camber, c);
  NUMBER x = N(add)(in->alpha, c->shy);
  NUMBER mu = N(mul)(N(line)(P(PDY1), P(PDY2), c->dfz), N(line)(1, -P(PDY3), N(square)(camber)));
  c->friction_y = N(mul)(mu, c->muy);
  NUMBER d = N(mul)(c->friction_y, c->fz);
  NUMBER side = N(mul)(N(line)(P(PEY3), P(PEY4), camber), N(sign_of)(x));
  NUMBER e = N(scale)(P(LEY), N(line)(P(PEY1), P(PEY2), c->dfz));
  e = N(at_most)(N(mul)(e, N(line)(1, -1, side)), 1);
  NUMBER k = N(const)(0);
  if (P(PKY2) != 0) {
    NUMBER angle = N(atan)(N(scale)(1 / (P(PKY2) * nominal), c->fz));
    k = N(scale)(P(PKY1) * nominal * P(LKY), N(sin)(N(scale)(P(PKY4), angle)));
  }
  c->ky = N(mul)(k, N(line)(1, -P(PKY3), N(abs)(camber)));
  c->by_cy = N(value)(d) == 0 ? N(const)(0) : N(div)(c->ky, d);
  return N(add)(N(pac_curve)(d, c->ky, cy, e, x), c->svy);
}

// ---- combined slips -----------------------------------------------------------------------------

// Optional parts of a weight function in a file: a curvature E, a shift. Most have no curvature.
enum { N(PAC_BENDS) = 1, N(PAC_SHIFTS) = 2 };

static NUMBER N(pac_weight_at)(NUMBER bx, double c, NUMBER e, int has) {
  return N(cos)(has & N(PAC_BENDS) ? N(magic_angle)(bx, c, e) : N(scale)(c, N(atan)(bx)));
}

// cos(C atan(...)) at slip + shift over the same at shift; where the file has no shift that is 1
static NUMBER N(pac_weight)(NUMBER b, double c, NUMBER e, NUMBER slip, NUMBER shift, int has) {
  if (!(has & N(PAC_SHIFTS))) return N(pac_weight_at)(N(mul)(b, slip), c, e, has);
  return N(div)(N(pac_weight_at)(N(mul)(b, N(add)(slip, shift)), c, e, has),
                N(pac_weight_at)(N(mul)(b, shift), c, e, has));
}

static NUMBER N(pac_weight_x)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c) {
  NUMBER b = N(scale)(P(RBX1) * P(LXAL), N(cos_atan)(N(scale)(P(RBX2), in->kappa)));
  NUMBER e = N(at_most)(N(line)(P(REX1), P(REX2), c->dfz), 1);
  int has = (P(REX1) != 0 || P(REX2) != 0 ? N(PAC_BENDS) : 0) | (P(RHX1) != 0 ? N(PAC_SHIFTS) : 0);
  return N(pac_weight)(b, P(RCX1), e, in->alpha, N(const)(P(RHX1)), has);
}

static NUMBER N(pac_weight_y)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c) {
  NUMBER b = N(cos_atan)(N(scale)(P(RBY2), N(shift)(in->alpha, -P(RBY3))));
  NUMBER e = N(at_most)(N(line)(P(REY1), P(REY2), c->dfz), 1);
  int has = (P(REY1) != 0 || P(REY2) != 0 ? N(PAC_BENDS) : 0) |
            (P(RHY1) != 0 || P(RHY2) != 0 ? N(PAC_SHIFTS) : 0);
  return N(pac_weight)(N(scale)(P(RBY1) * P(LYKA), b), P(RCY1), e, in->kappa,
                       N(line)(P(RHY1), P(RHY2), c->dfz), has);
}

// SVyk: the side force that braking and driving bring
static NUMBER N(pac_shift_y_of_kappa)(const hn_tyre *t, const N(inputs) * in,
                                      const N(pac_common) * c) {
  if (P(RVY1) == 0 && P(RVY2) == 0 && P(RVY3) == 0) return N(const)(0);
  NUMBER r = N(add)(N(line)(P(RVY1), P(RVY2), c->dfz), N(scale)(P(RVY3), in->gamma));
  NUMBER d = N(mul)(N(mul)(c->friction_y, c->fz), r);
  d = N(mul)(d, N(cos_atan)(N(scale)(P(RVY4), in->alpha)));
  NUMBER angle = N(scale)(P(RVY5), N(atan)(N(scale)(P(RVY6), in->kappa)));
  return N(mul)(d, N(scale)(P(LVYKA), N(sin)(angle)));
}

// ---- moments ------------------------------------------------------------------------------------

// atan(sqrt(tan^2 a + (Kx/Ky kappa)^2)) sgn a
static NUMBER N(pac_equivalent)(NUMBER a, NUMBER ratio_kappa) {
  if (N(value)(ratio_kappa) == 0) return a;
  NUMBER tangent = N(tan)(a);
  NUMBER sum = N(add)(N(square)(tangent), N(square)(ratio_kappa));
  return N(mul)(N(sign_of)(a), N(atan)(N(sqrt)(sum)));
}

// The trail t, with the slip angle of the combination.
static NUMBER N(pac_trail)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c,
                           NUMBER ratio) {
  NUMBER camber = N(scale)(P(LGAZ), in->gamma);
  NUMBER turned = N(mul)(N(line)(P(QHZ3), P(QHZ4), c->dfz), camber);
  NUMBER sh = N(mul)(N(add)(N(line)(P(QHZ1), P(QHZ2), c->dfz), turned), c->share);
  NUMBER a = N(add)(in->alpha, sh);
  NUMBER b = N(quadratic)(P(QBZ1), P(QBZ2), P(QBZ3), c->dfz);
  NUMBER of_camber = N(add)(N(line)(1, P(QBZ4), camber), N(scale)(P(QBZ5), N(abs)(camber)));
  b = N(div)(N(scale)(P(LKY), N(mul)(b, of_camber)), c->muy);
  NUMBER d = N(mul)(c->fz, N(line)(P(QDZ1), P(QDZ2), c->dfz));
  d = N(mul)(d, N(quadratic)(1, P(QDZ3), P(QDZ4), camber));
  d = N(scale)(P(UNLOADED_RADIUS) / P(FNOMIN) * P(LTR), d);
  NUMBER slant = N(atan)(N(scale)(P(QCZ1), N(mul)(b, a)));
  slant = N(scale)(0.63661977236758134308, slant);
  NUMBER e = N(quadratic)(P(QEZ1), P(QEZ2), P(QEZ3), c->dfz);
  e = N(mul)(e, N(shift)(N(mul)(N(line)(P(QEZ4), P(QEZ5), camber), slant), 1));
  NUMBER x = N(mul)(b, N(pac_equivalent)(a, ratio));
  NUMBER shape = N(cos)(N(magic_angle)(x, P(QCZ1), N(at_most)(e, 1)));
  return N(mul)(N(mul)(N(mul)(d, shape), N(cos)(in->alpha)), c->direction);
}

// The residual moment Mzr
static NUMBER N(pac_residual)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c,
                              NUMBER ratio) {
  NUMBER camber = N(scale)(P(LGAZ), in->gamma);
  NUMBER sh = N(value)(c->ky) == 0 ? c->shy : N(add)(c->shy, N(div)(c->svy, c->ky));
  NUMBER a = N(add)(in->alpha, sh);
  NUMBER b = N(div)(N(const)(P(QBZ9) * P(LKY)), c->muy);
  b = N(add)(b, N(scale)(P(QBZ10), c->by_cy));
  NUMBER d = N(scale)(P(LRES), N(line)(P(QDZ6), P(QDZ7), c->dfz));
  d = N(add)(d, N(mul)(N(line)(P(QDZ8), P(QDZ9), c->dfz), camber));
  d = N(mul)(N(mul)(N(scale)(P(UNLOADED_RADIUS), d), c->fz), N(mul)(c->muy, c->share));
  NUMBER shape = N(cos_atan)(N(mul)(b, N(pac_equivalent)(a, ratio)));
  return N(mul)(N(mul)(N(mul)(d, shape), N(cos)(in->alpha)), c->direction);
}

static NUMBER N(pac_aligning)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c,
                              NUMBER fx, NUMBER fy) {
  NUMBER ratio = N(const)(0);
  if (t->combined && N(value)(c->ky) != 0) ratio = N(mul)(N(div)(c->kx, c->ky), in->kappa);
  NUMBER side = N(sub)(fy, c->svyk);
  NUMBER mz = N(sub)(N(pac_residual)(t, in, c, ratio), N(mul)(N(pac_trail)(t, in, c, ratio), side));
  if (!t->combined) return mz;
  NUMBER s = N(line)(P(SSZ1), P(SSZ2) / P(FNOMIN), fy);
  s = N(add)(s, N(mul)(N(line)(P(SSZ3), P(SSZ4), c->dfz), in->gamma));
  return N(add)(mz, N(mul)(N(scale)(P(UNLOADED_RADIUS) * P(LS), s), fx));
}

static NUMBER N(pac_overturning)(const hn_tyre *t, const N(inputs) * in, NUMBER fy) {
  NUMBER m = N(line)(P(QSX1) * P(LVMX), -P(QSX2) * P(LMX), in->gamma);
  m = N(add)(m, N(scale)(P(QSX3) * P(LMX) / P(FNOMIN), fy));
  return N(scale)(P(UNLOADED_RADIUS), N(mul)(in->fz, m));
}

static NUMBER N(pac_rolling)(const hn_tyre *t, const N(inputs) * in, const N(pac_common) * c,
                             NUMBER fx) {
  NUMBER v = N(scale)(1 / (P(LONGVL) > 0 ? P(LONGVL) : 16.7), in->vx);
  NUMBER f = N(line)(P(QSY1), P(QSY2) / P(FNOMIN), fx);
  f = N(add)(f, N(scale)(P(QSY3), N(abs)(v)));
  f = N(add)(f, N(scale)(P(QSY4), N(square)(N(square)(v))));
  return N(scale)(-P(UNLOADED_RADIUS) * P(LMY), N(mul)(N(mul)(c->fz, f), c->direction));
}

static N(outputs) N(pac2002)(const hn_tyre *t, const N(inputs) * in) {
  double nominal = P(LFZO) * P(FNOMIN);
  N(pac_common)
  c = {.fz = in->fz,
       .dfz = N(line)(-1, 1 / nominal, in->fz),
       .share = N(rolling_share)(in->vx, P(VXLOW)),
       .direction = N(rolling_sign)(in->vx, P(VXLOW)),
       .mux = N(scale)(P(LMUX), in->mu),
       .muy = N(scale)(P(LMUY), in->mu)};
  NUMBER fx = N(pac_pure_x)(t, in, &c), fy = N(pac_pure_y)(t, in, &c);
  if (t->combined) {
    fx = N(mul)(fx, N(pac_weight_x)(t, in, &c));
    c.svyk = N(pac_shift_y_of_kappa)(t, in, &c);
    fy = N(add)(N(mul)(fy, N(pac_weight_y)(t, in, &c)), c.svyk);
  }
  return (N(outputs)){.fx = fx,
                      .fy = fy,
                      .mx = N(pac_overturning)(t, in, fy),
                      .my = N(pac_rolling)(t, in, &c, fx),
                      .mz = N(pac_aligning)(t, in, &c, fx, fy)};
}
