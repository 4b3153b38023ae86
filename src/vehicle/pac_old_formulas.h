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

typedef struct N(old_curve) {
  NUMBER d, bcd, e, sh, sv; // C is a number
  double c;
} N(old_curve);

static NUMBER N(old_sine_of)(const N(old_curve) * k, NUMBER x) {
  if (N(value)(k->d) == 0 || k->c == 0) return N(const)(0);
  NUMBER bx = N(mul)(N(div)(k->bcd, N(scale)(k->c, k->d)), x);
  return N(mul)(k->d, N(sin)(N(magic_angle)(bx, k->c, k->e)));
}

static NUMBER N(old_decaying)(double square, double line, double decay, NUMBER f) {
  return N(mul)(N(quadratic)(0, line, square, f), N(exp)(N(scale)(-decay, f)));
}

static NUMBER N(old_stiffness_y)(const hn_tyre *t, NUMBER f, NUMBER camber) {
  NUMBER k = N(const)(0);
  if (P(A4) != 0) k = N(scale)(P(A3), N(sin)(N(scale)(2, N(atan)(N(scale)(1 / P(A4), f)))));
  return N(mul)(k, N(line)(1, -P(A5), N(abs)(camber)));
}

static N(old_curve) N(old_longitudinal)(const hn_tyre *t, NUMBER f, NUMBER slip) {
  N(old_curve)
  k = {.c = P(B0),
       .d = N(quadratic)(0, P(B2), P(B1), f),
       .bcd = N(old_decaying)(P(B3), P(B4), P(B5), f),
       .e = N(quadratic)(P(B8), P(B7), P(B6), f),
       .sh = N(line)(P(B10), P(B9), f)};
  if (t->model == HN_TYRE_PAC89) return k;
  k.sv = N(line)(P(B12), P(B11), f);
  k.e = N(mul)(k.e, N(line)(1, -P(B13), N(sign_of)(N(add)(slip, k.sh))));
  return k;
}

static N(old_curve) N(old_lateral)(const hn_tyre *t, NUMBER f, NUMBER slip, NUMBER g) {
  N(old_curve)
  k = {.c = P(A0),
       .d = N(quadratic)(0, P(A2), P(A1), f),
       .bcd = N(old_stiffness_y)(t, f, g),
       .e = N(line)(P(A7), P(A6), f)};
  if (t->model == HN_TYRE_PAC89) {
    k.sh = N(add)(N(line)(P(A10), P(A9), f), N(scale)(P(A8), g));
    k.sv = N(add)(N(line)(P(A13), P(A12), f), N(scale)(P(A11), N(mul)(f, g)));
    return k;
  }
  k.d = N(mul)(k.d, N(line)(1, -P(A15), N(square)(g)));
  k.sh = N(add)(N(line)(P(A9), P(A8), f), N(scale)(P(A10), g));
  k.sv = N(mul)(N(mul)(N(line)(P(A14), P(A13), f), g), f);
  k.sv = N(add)(k.sv, N(line)(P(A12), P(A11), f));
  NUMBER side = N(mul)(N(line)(P(A17), P(A16), g), N(sign_of)(N(add)(slip, k.sh)));
  k.e = N(mul)(k.e, N(line)(1, -1, side));
  return k;
}

static N(old_curve) N(old_aligning)(const hn_tyre *t, NUMBER f, NUMBER slip, NUMBER g) {
  NUMBER camber = N(abs)(g);
  N(old_curve)
  k = {.c = P(C0),
       .d = N(quadratic)(0, P(C2), P(C1), f),
       .bcd = N(mul)(N(old_decaying)(P(C3), P(C4), P(C5), f), N(line)(1, -P(C6), camber)),
       .e = N(quadratic)(P(C9), P(C8), P(C7), f)};
  if (t->model == HN_TYRE_PAC89) {
    k.e = N(mul)(k.e, N(line)(1, -P(C10), camber));
    k.sh = N(add)(N(line)(P(C13), P(C12), f), N(scale)(P(C11), g));
    k.sv = N(add)(N(line)(P(C17), P(C16), f), N(mul)(N(quadratic)(0, P(C15), P(C14), f), g));
    return k;
  }
  k.d = N(mul)(k.d, N(line)(1, -P(C18), N(square)(g)));
  k.sh = N(add)(N(line)(P(C12), P(C11), f), N(scale)(P(C13), g));
  k.sv = N(add)(N(line)(P(C15), P(C14), f), N(mul)(N(quadratic)(0, P(C17), P(C16), f), g));
  NUMBER side = N(mul)(N(line)(P(C20), P(C19), g), N(sign_of)(N(add)(slip, k.sh)));
  k.e = N(div)(N(mul)(k.e, N(line)(1, -1, side)), N(line)(1, -P(C10), camber));
  return k;
}

static void N(old_at_friction)(N(old_curve) * k, NUMBER mu, NUMBER share) {
  k->d = N(mul)(k->d, mu);
  k->sh = N(mul)(k->sh, share);
  k->sv = N(mul)(k->sv, N(mul)(mu, share));
}

// 1/sqrt(1 + (used/own * other/most)^2): used, most are forces, own and other slips from the zero.
static NUMBER N(old_reduction)(NUMBER used, NUMBER slope, NUMBER own, NUMBER other, NUMBER most) {
  NUMBER secant = fabs(N(value)(own)) < 1e-9 ? slope : N(div)(used, own);
  NUMBER r = N(div)(N(mul)(secant, other), most);
  return N(div)(N(const)(1), N(sqrt)(N(shift)(N(square)(r), 1)));
}

// fx and fy without their shifts come in, with them go out
static void N(old_combine)(const N(old_curve) * x, const N(old_curve) * y, const N(inputs) * in,
                           NUMBER *fx, NUMBER *fy) {
  NUMBER gx = N(const)(1), gy = N(const)(1);
  if (N(value)(x->d) != 0 && N(value)(y->d) != 0 && N(value)(x->bcd) != 0 &&
      N(value)(y->bcd) != 0) {
    NUMBER zero_x = N(add)(x->sh, N(div)(x->sv, x->bcd));
    NUMBER zero_y = N(add)(y->sh, N(div)(y->sv, y->bcd));
    NUMBER k = N(add)(in->kappa, N(scale)(0.01, zero_x));
    NUMBER s = N(sin)(N(add)(in->alpha, N(scale)(1 / DEGREES, zero_y)));
    gx = N(old_reduction)(*fx, N(scale)(100, x->bcd), k, s, y->d);
    gy = N(old_reduction)(*fy, N(scale)(DEGREES, y->bcd), s, k, x->d);
  }
  *fx = N(mul)(N(add)(*fx, x->sv), gx);
  *fy = N(mul)(N(add)(*fy, y->sv), gy);
}

static N(outputs) N(pac_old)(const hn_tyre *t, const N(inputs) * in) {
  NUMBER f = N(scale)(1e-3, in->fz), slip = N(scale)(100, in->kappa);
  NUMBER a = N(scale)(DEGREES, in->alpha), g = N(scale)(DEGREES, in->gamma);
  NUMBER share = N(rolling_share)(in->vx, P(VXLOW)), turn = N(rolling_sign)(in->vx, P(VXLOW));
  N(old_curve)
  x = N(old_longitudinal)(t, f, slip), y = N(old_lateral)(t, f, a, g),
  z = N(old_aligning)(t, f, a, g);
  N(old_at_friction)(&x, in->mu, share);
  N(old_at_friction)(&y, in->mu, share);
  N(old_at_friction)(&z, in->mu, share);
  NUMBER fx = N(old_sine_of)(&x, N(add)(slip, x.sh)), fy = N(old_sine_of)(&y, N(add)(a, y.sh));
  NUMBER mz = N(add)(N(old_sine_of)(&z, N(add)(a, z.sh)), z.sv);
  if (t->combined) {
    N(old_combine)(&x, &y, in, &fx, &fy);
  } else {
    fx = N(add)(fx, x.sv);
    fy = N(add)(fy, y.sv);
  }
  return (N(outputs)){.fx = fx,
                      .fy = N(scale)(-1, fy),
                      .mz = N(mul)(N(scale)(-1, mz), turn),
                      .my = N(mul)(N(scale)(-P(ROLLING_RESISTANCE), in->fz), turn)};
}
