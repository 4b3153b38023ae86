// Tyres inside: the numbers of a property file and the models that make forces of them. What a
// tyre is told and what it answers: holon/tyre.h. Files are read elsewhere (tir.h).
#ifndef HN_VEHICLE_TYRE_H
#define HN_VEHICLE_TYRE_H

#include "base/arena.h"
#include "holon/tyre.h"
#include "vehicle/dual.h"
#include "vehicle/keys.h"

// ---- a tyre -------------------------------------------------------------------------------------

// Points (x, y), x ascending, straight between them and beyond.
typedef struct hn_tyre_curve {
  int count;
  const double *x, *y;
} hn_tyre_curve;

// Forces on a grid of kappa, alpha, gamma, fz: the last runs fastest. Null: 0 everywhere.
typedef struct hn_tyre_grid {
  int count[4];
  const double *axis[4];
  const double *values[HN_TYRE_OUTPUTS];
} hn_tyre_grid;

// A tyre that stands (hold.c), forwards and sideways.
typedef struct hn_tyre_hold {
  double time[2];  // of its damper
  double limit[2]; // slips from which on it slides
} hn_tyre_hold;

struct hn_tyre {
  hn_arena arena; // of everything, the tyre itself too
  hn_tyre_model model;
  double p[HN_TYRE_KEYS];            // SI
  unsigned char given[HN_TYRE_KEYS]; // the file says it
  hn_tyre_side side;                 // for which the numbers hold
  int reversed;                      // USE_MODE asks for the mirror image
  int mirrored;                      // of all: this is what is computed
  int use_longitudinal, use_lateral; // which forces USE_MODE asks for
  int combined;                      // slips influence each other
  hn_tyre_curve load;                // of the deflection; none: VERTICAL_STIFFNESS
  hn_tyre_grid grid;
  hn_tyre_hold hold; // settled when it is used in a model
  char **notes;
  int note_count;
};

// P(tyre, PCX1)
#define HN_P(tyre, key) ((tyre)->p[HN_KEY_OF_##key])

// ---- models -------------------------------------------------------------------------------------

enum { HN_KAPPA, HN_ALPHA, HN_GAMMA, HN_FZ, HN_VX, HN_MU };

// Inputs inside their ranges, seen from the side of the file.
typedef struct hn_tyre_inputs {
  hn_dual kappa, alpha, gamma, fz, vx, mu;
} hn_tyre_inputs;

typedef struct hn_tyre_outputs {
  hn_dual fx, fy, mx, my, mz;
} hn_tyre_outputs;

hn_tyre_outputs hn_tyre_fiala(const hn_tyre *tyre, const hn_tyre_inputs *in);
hn_tyre_outputs hn_tyre_brush(const hn_tyre *tyre, const hn_tyre_inputs *in);
hn_tyre_outputs hn_tyre_pac_old(const hn_tyre *tyre, const hn_tyre_inputs *in);
hn_tyre_outputs hn_tyre_pac2002(const hn_tyre *tyre, const hn_tyre_inputs *in);
hn_tyre_outputs hn_tyre_tmeasy(const hn_tyre *tyre, const hn_tyre_inputs *in);
hn_tyre_outputs hn_tyre_table(const hn_tyre *tyre, const hn_tyre_inputs *in);

void hn_tyre_pac2002_relaxation(const hn_tyre *tyre, double gamma, double fz, double *sigma_kappa,
                                double *sigma_alpha);
// lambda at a load: rD = lambda r0 + (1 - lambda) (r0 - deflection)
double hn_tmeasy_radius_share(const hn_tyre *tyre, double fz, double *d_fz);

// ---- what models share --------------------------------------------------------------------------

// C atan(B x - E (B x - atan B x)): its sine is the curve of a force, its cosine one of weights.
static inline hn_dual magic_angle(hn_dual bx, hn_dual c, hn_dual e) {
  hn_dual bend = dual_sub(bx, dual_atan(bx));
  return dual_mul(c, dual_atan(dual_sub(bx, dual_mul(e, bend))));
}

// -1 or 1 for the sign of the speed, turning smoothly between -low and low.
static inline hn_dual rolling_sign(hn_dual vx, double low) {
  if (low <= 0 || fabs(vx.v) >= low) return dual((vx.v > 0) - (vx.v < 0));
  return dual_sin(dual_scale(1.57079632679489661923 / low, vx));
}

// 0 at rest to 1 from low on: what a standing tyre must not have.
static inline hn_dual rolling_share(hn_dual vx, double low) {
  if (low <= 0 || fabs(vx.v) >= low) return dual(1);
  return dual_line(0.5, -0.5, dual_cos(dual_scale(3.14159265358979323846 / low, vx)));
}

// ---- radii and load -----------------------------------------------------------------------------

typedef struct hn_tyre_load_at {
  double force, stiffness; // static, and its slope
} hn_tyre_load_at;

hn_tyre_load_at hn_tyre_spring(const hn_tyre *tyre, double deflection); // 0 where it does not touch
double hn_tyre_deflection(const hn_tyre *tyre, double force);
// Effective rolling radius and its slope in the deflection.
double hn_tyre_rolling_radius(const hn_tyre *tyre, double deflection, double *slope);

// ---- standing -----------------------------------------------------------------------------------

hn_tyre_hold hn_tyre_hold_of(const hn_tyre *tyre);
// Relaxation lengths forwards and sideways, above 0, and their slopes in the load.
void hn_tyre_relaxation(const hn_tyre *tyre, double fz, double sigma[2], double slope[2]);
double hn_tyre_nominal_load(const hn_tyre *tyre);

unsigned long long hn_tyre_hash(const hn_tyre *tyre);
// Settles what follows from the numbers once they are read.
hn_status hn_tyre_finish(hn_tyre *tyre, hn_error *error);

#endif
