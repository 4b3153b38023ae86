// Forces of a tyre at given slips, included twice: with NUMBER double and N(x) plain_x for forces,
// with NUMBER hn_dual and N(x) dual_x for their derivatives too (models.c).
//
// Inputs are clamped to the ranges of the file. Below FZMIN forces of FZMIN go down to 0 with the
// load; above FZMAX they stay. A tyre of the other side is the mirror image: the same at -alpha and
// -gamma, with -Fy, -Mx and -Mz (which is what changing the signs of the coefficients of asymmetry
// does).

// Inputs inside their ranges, seen from the side of the file.
typedef struct N(inputs) {
  NUMBER kappa, alpha, gamma, fz, vx, mu;
} N(inputs);

typedef struct N(outputs) {
  NUMBER fx, fy, mx, my, mz;
} N(outputs);

// ---- what models share --------------------------------------------------------------------------

// C atan(B x - E (B x - atan B x)): its sine is the curve of a force, its cosine one of weights.
static inline NUMBER N(magic_angle)(NUMBER bx, double c, NUMBER e) {
  NUMBER bend = N(sub)(bx, N(atan)(bx));
  return N(scale)(c, N(atan)(N(sub)(bx, N(mul)(e, bend))));
}

static inline NUMBER N(sign_of)(NUMBER x) { return N(const)(N(value)(x) >= 0 ? 1 : -1); }

// -1 or 1 for the sign of the speed, turning smoothly between -low and low.
static inline NUMBER N(rolling_sign)(NUMBER vx, double low) {
  double v = N(value)(vx);
  if (low <= 0 || fabs(v) >= low) return N(const)((v > 0) - (v < 0));
  return N(sin)(N(scale)(1.57079632679489661923 / low, vx));
}

// 0 at rest to 1 from low on: what a standing tyre must not have.
static inline NUMBER N(rolling_share)(NUMBER vx, double low) {
  if (low <= 0 || fabs(N(value)(vx)) >= low) return N(const)(1);
  return N(line)(0.5, -0.5, N(cos)(N(scale)(3.14159265358979323846 / low, vx)));
}

#include "vehicle/fiala_formulas.h"
#include "vehicle/pac2002_formulas.h"
#include "vehicle/pac_old_formulas.h"
#include "vehicle/table_formulas.h"
#include "vehicle/tmeasy_formulas.h"

// ---- all models ---------------------------------------------------------------------------------

static N(outputs) N(ask)(const hn_tyre *t, const N(inputs) * in) {
  switch (t->model) {
  case HN_TYRE_FIALA: return N(fiala)(t, in);
  case HN_TYRE_BRUSH: return N(brush)(t, in);
  case HN_TYRE_PAC89:
  case HN_TYRE_PAC94: return N(pac_old)(t, in);
  case HN_TYRE_PAC2002: return N(pac2002)(t, in);
  case HN_TYRE_TMEASY: return N(tmeasy)(t, in);
  case HN_TYRE_TABLE: return N(table)(t, in);
  }
  return (N(outputs)){.fx = N(const)(0)};
}

static N(inputs) N(inputs_of)(const hn_tyre *t, const hn_tyre_slip *slip) {
  NUMBER kappa = N(input)(slip->kappa, KAPPA);
  NUMBER alpha = N(input)(slip->alpha, ALPHA), gamma = N(input)(slip->gamma, GAMMA);
  if (t->mirrored) {
    alpha = N(scale)(-1, alpha);
    gamma = N(scale)(-1, gamma);
  }
  return (N(inputs)){.kappa = N(within)(kappa, P(KPUMIN), P(KPUMAX)),
                     .alpha = N(within)(alpha, P(ALPMIN), P(ALPMAX)),
                     .gamma = N(within)(gamma, P(CAMMIN), P(CAMMAX)),
                     .fz = N(within)(N(input)(slip->fz, FZ), P(FZMIN), P(FZMAX)),
                     .vx = N(input)(slip->vx, VX),
                     .mu = N(input)(slip->mu, MU)};
}

static void N(scale_all)(N(outputs) * out, NUMBER factor) {
  out->fx = N(mul)(out->fx, factor);
  out->fy = N(mul)(out->fy, factor);
  out->mx = N(mul)(out->mx, factor);
  out->my = N(mul)(out->my, factor);
  out->mz = N(mul)(out->mz, factor);
}

static N(outputs) N(evaluate)(const hn_tyre *t, const hn_tyre_slip *slip) {
  N(outputs) out = {.fx = N(const)(0)};
  if (!(slip->fz > 0) || !(slip->mu > 0)) return out;
  N(inputs) in = N(inputs_of)(t, slip);
  out = N(ask)(t, &in);
  if (slip->fz < P(FZMIN)) N(scale_all)(&out, N(scale)(1 / P(FZMIN), N(input)(slip->fz, FZ)));
  if (!t->use_longitudinal) out.fx = out.my = N(const)(0);
  if (!t->use_lateral) out.fy = out.mx = out.mz = N(const)(0);
  if (t->mirrored) {
    out.fy = N(scale)(-1, out.fy);
    out.mx = N(scale)(-1, out.mx);
    out.mz = N(scale)(-1, out.mz);
  }
  return out;
}
