// Internal declarations of tyres: the numbers of a property file and the models that compute forces
// from them. Inputs and outputs: holon/tyre.h. Files are read elsewhere (tir.h).
#ifndef HN_VEHICLE_TYRE_H
#define HN_VEHICLE_TYRE_H

#include "base/arena.h"
#include "holon/tyre.h"
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

// hn_tyre_evaluate is models.c.

// lambda of TMeasy at a load: rD = lambda r0 + (1 - lambda) (r0 - deflection)
double hn_tmeasy_radius_share(const hn_tyre *tyre, double fz, double *d_fz);

// ---- radii and load -----------------------------------------------------------------------------

typedef struct hn_tyre_load_at {
  double force, stiffness; // static, and its slope
} hn_tyre_load_at;

hn_tyre_load_at hn_tyre_spring(const hn_tyre *tyre, double deflection); // 0 without contact
double hn_tyre_deflection(const hn_tyre *tyre, double force);
// Effective rolling radius and its slope in the deflection.
double hn_tyre_rolling_radius(const hn_tyre *tyre, double deflection, double *slope);

// ---- standing -----------------------------------------------------------------------------------

hn_tyre_hold hn_tyre_hold_of(const hn_tyre *tyre);
// Relaxation lengths forwards and sideways of the file, 0 where it has none, and their slopes in
// the load; inputs are clamped to the ranges of the file.
void hn_tyre_lengths(const hn_tyre *tyre, double gamma, double fz, double sigma[2],
                     double slope[2]);
// The same of an upright wheel, above 0.
void hn_tyre_relaxation(const hn_tyre *tyre, double fz, double sigma[2], double slope[2]);
double hn_tyre_nominal_load(const hn_tyre *tyre);

unsigned long long hn_tyre_hash(const hn_tyre *tyre);
// Settles what follows from the numbers once they are read.
hn_status hn_tyre_finish(hn_tyre *tyre, hn_error *error);

#endif
