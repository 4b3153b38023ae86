// Holon: tyres by themselves, as their property files describe them: forces and moments at given
// slips.
//
//   hn_tyre_load("car.tir", &tyre, &error);
//   hn_tyre_slip slip = {.kappa = 0.05, .alpha = -0.02, .gamma = 0, .fz = 4000, .vx = 20, .mu = 1};
//   hn_tyre_evaluate(tyre, &slip, &forces, NULL);
//
// Axes are those of ISO 8855 (TYDEX-W) at the contact point: x forwards along the intersection of
// wheel and road plane, z along the normal of the road, upwards, y to the left. Forces act on the
// wheel.
//
//   kappa = (Omega Re - Vx)/|Vx|    -1: locked, above 0: driven
//   tan(alpha) = Vy/|Vx|            Fy is below 0 for alpha above 0
//   gamma                           above 0: the top of the wheel leans to the right
#ifndef HOLON_TYRE_H
#define HOLON_TYRE_H

#include "holon/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hn_tyre hn_tyre;

typedef enum hn_tyre_model {
  HN_TYRE_FIALA,   // Adams' form: the two directions share the coefficient of friction only
  HN_TYRE_BRUSH,   // the same parameters, one brush: the resultant never exceeds U Fz
  HN_TYRE_PAC89,   // Magic Formula of 1989
  HN_TYRE_PAC94,   // of 1994
  HN_TYRE_PAC2002, // Magic Formula 5.2
  HN_TYRE_TMEASY,
  HN_TYRE_TABLE, // interpolated between measured points
} hn_tyre_model;
HN_API const char *hn_tyre_model_name(hn_tyre_model model); // "pac2002"

typedef enum hn_tyre_side { HN_TYRE_AS_FILE, HN_TYRE_LEFT, HN_TYRE_RIGHT } hn_tyre_side;

// Where the tyre rolls and how. mu is a factor to the friction of the file: 1 on the road it was
// measured on.
typedef struct hn_tyre_slip {
  double kappa, alpha, gamma, fz, vx, mu; // 1, rad, rad, N, m/s, 1
} hn_tyre_slip;
enum { HN_TYRE_INPUTS = 6, HN_TYRE_OUTPUTS = 5 };

typedef struct hn_tyre_forces {
  double fx, fy, mx, my, mz; // N, N, N m ...
} hn_tyre_forces;

// Radii and relaxation lengths at a load, m.
typedef struct hn_tyre_sizes {
  double deflection, r_loaded, r_effective;
  double sigma_kappa, sigma_alpha; // 0 where the file has none
} hn_tyre_sizes;

// Reads a property file (.tir: FIALA, PAC89, PAC94, PAC2002 and MF 5.2, TMEASY) or a table (.csv
// with the columns kappa, alpha, gamma, fz and fx, fy, mx, my, mz on a full grid).
HN_API hn_status hn_tyre_load(const char *path, hn_tyre **tyre, hn_error *error);
// The same from memory; name is the name in messages; by its ending a table is recognized.
HN_API hn_status hn_tyre_parse(const char *text, size_t size, const char *name, hn_tyre **tyre,
                               hn_error *error);
HN_API void hn_tyre_free(hn_tyre *tyre); // null is fine

HN_API hn_tyre_model hn_tyre_model_of(const hn_tyre *tyre);
// The side of the vehicle on which it is mounted: the other one than the file's mirrors it.
HN_API void hn_tyre_mount(hn_tyre *tyre, hn_tyre_side side);
HN_API hn_tyre_side hn_tyre_side_of(const hn_tyre *tyre); // of the file: left where it says nothing
// A number of the file by its key, in SI units (or its default); NAN: there is no such key.
HN_API double hn_tyre_number(const hn_tyre *tyre, const char *key);
// Remarks from reading: keys without meaning here; null past the end.
HN_API const char *hn_tyre_note(const hn_tyre *tyre, int index);

// Forces (N, N m) at a slip; inputs beyond the ranges of the file are clamped. derivatives may be
// null: (fx, fy, mx, my, mz) x (kappa, alpha, gamma, fz, vx, mu).
HN_API void hn_tyre_evaluate(const hn_tyre *tyre, const hn_tyre_slip *slip, hn_tyre_forces *forces,
                             double (*derivatives)[HN_TYRE_INPUTS]);
HN_API hn_tyre_sizes hn_tyre_measure(const hn_tyre *tyre, double gamma, double fz);

// ---- tables -------------------------------------------------------------------------------------

// Signs: SAE J670 has y to the right, z down and tan(alpha) = Vy/Vx there (alpha, Fy, My and Mz
// change sign); Pacejka's adapted SAE (the older books) has Fy above 0 for alpha above 0 (Fy and
// Mz change sign). The load fz is above 0 in all of them.
typedef enum hn_tyre_axes { HN_TYRE_ISO, HN_TYRE_SAE, HN_TYRE_ADAPTED_SAE } hn_tyre_axes;

typedef struct hn_tyre_rows {
  int column_count;
  long row_count;
  char **columns;
  double *values; // (row_count x column_count)
  // of each column: the largest difference from the values that the table had there itself, over
  // the largest of these (NAN: it had none)
  double *differences;
} hn_tyre_rows;

// Evaluates the tyre at the slips of a CSV text with the columns kappa, alpha, gamma, fz, vx, mu
// (absent: 0, 0, 0, the nominal load, 16.7 m/s, 1). Columns of the text that are results (fx, fy,
// mx, my, mz, deflection, r_loaded, r_effective, sigma_kappa, sigma_alpha) are filled; without any,
// fx to mz are added. Others stay unchanged.
HN_API hn_status hn_tyre_tabulate(const hn_tyre *tyre, const char *text, size_t size,
                                  const char *name, hn_tyre_axes axes, hn_tyre_rows **rows,
                                  hn_error *error);
HN_API void hn_tyre_rows_free(hn_tyre_rows *rows); // null is fine

#ifdef __cplusplus
}
#endif

#endif
