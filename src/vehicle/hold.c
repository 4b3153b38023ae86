// Stiffness of a standing tyre before it slides, from its curves and relaxation lengths.
//
// A standing tyre is a spring K/sigma: its slip is the displacement of the contact patch over the
// relaxation length. Where a file has none, 0.3 (forwards) and 1 (sideways) of the radius are
// taken; TMeasy has dF0/c. The spring is damped by the time tau = 2 zeta sqrt(m sigma/K), m the
// mass of the nominal load, and slides from the slip 3 D/K on, beyond the maximum D of the curve.
#include "math/elementary.h"
#include "vehicle/tyre.h"

#define P(key) HN_P(t, key)

#define DAMPING 0.7 // zeta
#define GRAVITY 9.81
static const double of_radius[2] = {0.3, 1};

// sigma of PAC2002 with its slope in the load
static void formula_lengths(const hn_tyre *t, double gamma, double fz, double sigma[2],
                            double slope[2]) {
  double nominal = P(LFZO) * P(FNOMIN), r0 = P(UNLOADED_RADIUS);
  double dfz = (fz - nominal) / nominal, line = P(PTX1) + P(PTX2) * dfz,
         decay = hn_exp(-P(PTX3) * dfz);
  double scale = r0 / P(FNOMIN) * P(LSGKP), upright = (1 - P(PKY3) * fabs(gamma)) * r0 * P(LFZO);
  sigma[0] = fz * line * decay * r0 / P(FNOMIN) * P(LSGKP);
  slope[0] = scale * decay * (line + fz / nominal * (P(PTX2) - P(PTX3) * line));
  sigma[1] = slope[1] = 0;
  if (P(PTY2) == 0) return;
  double x = fz / (P(PTY2) * nominal), angle = 2 * hn_atan(x);
  sigma[1] = P(PTY1) * hn_sin(angle) * upright * P(LSGAL);
  slope[1] = P(PTY1) * hn_cos(angle) * 2 / (1 + x * x) / (P(PTY2) * nominal) * upright * P(LSGAL);
}

static void easy_length(double q, double y1, double y2, double stiffness, double nominal,
                        double *sigma, double *slope) {
  if (!(stiffness > 0)) return;
  double a = 2 * y1 - 0.5 * y2, b = -(y1 - 0.5 * y2);
  *sigma = (a + b * q) * q / stiffness;
  *slope = (a + 2 * b * q) / stiffness / nominal;
}

void hn_tyre_lengths(const hn_tyre *t, double gamma, double fz, double sigma[2], double slope[2]) {
  sigma[0] = P(RELAX_LENGTH_X);
  sigma[1] = P(RELAX_LENGTH_Y);
  slope[0] = slope[1] = 0;
  double most = t->model == HN_TYRE_TMEASY ? fmin(P(FZMAX), P(FZ_MAX)) : P(FZMAX);
  int is_held = most > 0 && fz > most;
  if (is_held) fz = most;
  if (t->model == HN_TYRE_PAC2002)
    formula_lengths(t, fmin(fmax(gamma, P(CAMMIN)), P(CAMMAX)), fz, sigma, slope);
  if (t->model == HN_TYRE_TMEASY) {
    double q = fz / P(FZ_NOM);
    easy_length(q, P(DFX0_1), P(DFX0_2), P(CLONG), P(FZ_NOM), &sigma[0], &slope[0]);
    easy_length(q, P(DFY0_1), P(DFY0_2), P(CLAT), P(FZ_NOM), &sigma[1], &slope[1]);
  }
  if (is_held) slope[0] = slope[1] = 0;
}

void hn_tyre_relaxation(const hn_tyre *t, double fz, double sigma[2], double slope[2]) {
  double least = 0.02 * P(UNLOADED_RADIUS);
  hn_tyre_lengths(t, 0, fz, sigma, slope);
  for (int k = 0; k < 2; k++) {
    if (sigma[k] > least) continue;
    sigma[k] = sigma[k] > 0 ? least : of_radius[k] * P(UNLOADED_RADIUS);
    slope[k] = 0;
  }
}

double hn_tyre_nominal_load(const hn_tyre *t) {
  if (P(FNOMIN) > 0) return P(FNOMIN);
  if (t->model == HN_TYRE_TMEASY) return P(FZ_NOM);
  return hn_tyre_spring(t, 0.06 * P(UNLOADED_RADIUS)).force;
}

// The largest force over the slip k = 0 (kappa) or 1 (alpha) up to 1.
static double largest(const hn_tyre *t, int k, double fz) {
  double most = 0;
  for (int i = 1; i <= 50; i++) {
    hn_tyre_slip slip = {.fz = fz, .mu = 1};
    hn_tyre_forces f;
    *(k ? &slip.alpha : &slip.kappa) = 0.01 * i;
    hn_tyre_evaluate(t, &slip, &f, NULL);
    most = fmax(most, fabs(k ? f.fy : f.fx));
  }
  return most;
}

hn_tyre_hold hn_tyre_hold_of(const hn_tyre *t) {
  hn_tyre_hold hold = {.limit = {1, 1}};
  double fz = hn_tyre_nominal_load(t), d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS], sigma[2], slope[2];
  hn_tyre_slip slip = {.fz = fz, .mu = 1};
  hn_tyre_forces f;
  hn_tyre_evaluate(t, &slip, &f, d);
  hn_tyre_relaxation(t, fz, sigma, slope);
  for (int k = 0; k < 2; k++) {
    double stiffness = fabs(d[k][k]), most = largest(t, k, fz);
    if (!(stiffness > 0) || !(most > 0)) continue;
    hold.time[k] = 2 * DAMPING * sqrt(fz / GRAVITY * sigma[k] / stiffness);
    hold.limit[k] = fmin(3 * most / stiffness, 1);
  }
  return hold;
}
