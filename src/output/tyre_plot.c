// Curves of a tyre: pure slips at three loads, and how braking and steering share the friction.
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "holon/plot.h"
#include "holon/tyre.h"

enum { POINTS = 201, CURVES = 5 };

typedef enum what { FX_OF_KAPPA, FY_OF_ALPHA, MZ_OF_ALPHA, FY_OF_FX, PANELS } what;

typedef struct curves {
  double x[CURVES][POINTS], y[CURVES][POINTS];
  char name[CURVES][48];
  hn_plot_series series[CURVES];
} curves;

static hn_tyre_forces at(const hn_tyre *tyre, hn_tyre_axes axes, double kappa, double alpha,
                         double load) {
  hn_tyre_slip slip = {kappa, axes == HN_TYRE_SAE ? -alpha : alpha, 0, load, 16.7, 1};
  hn_tyre_forces f;
  hn_tyre_evaluate(tyre, &slip, &f, NULL);
  double side = axes == HN_TYRE_ISO ? 1 : -1;
  f.fy *= side;
  f.mz *= side;
  return f;
}

static void fill(const hn_tyre *tyre, hn_tyre_axes axes, what w, double load, curves *c) {
  static const double angles[CURVES] = {0, 0.035, 0.07, 0.14, 0.21};
  static const double loads[3] = {0.5, 1, 1.5};
  int count = w == FY_OF_FX ? CURVES : 3;
  for (int i = 0; i < count; i++) {
    double fz = w == FY_OF_FX ? load : loads[i] * load;
    if (w == FY_OF_FX)
      snprintf(c->name[i], sizeof c->name[i], "\xce\xb1 = %.0f\xc2\xb0", angles[i] * 57.29578);
    else
      snprintf(c->name[i], sizeof c->name[i], "Fz = %.4g kN", 1e-3 * fz);
    for (int k = 0; k < POINTS; k++) {
      double s = -1 + 2.0 * k / (POINTS - 1), kappa = s * s * s, alpha = 0.3 * s;
      int is_kappa = w == FX_OF_KAPPA || w == FY_OF_FX;
      hn_tyre_forces f = at(tyre, axes, is_kappa ? kappa : 0,
                            w == FY_OF_FX ? angles[i]
                            : is_kappa    ? 0
                                          : alpha,
                            fz);
      c->x[i][k] = w == FX_OF_KAPPA ? kappa : w == FY_OF_FX ? 1e-3 * f.fx : alpha * 57.29578;
      c->y[i][k] = w == MZ_OF_ALPHA ? f.mz : 1e-3 * (w == FX_OF_KAPPA ? f.fx : f.fy);
    }
    c->series[i] = (hn_plot_series){
        .name = c->name[i], .x = c->x[i], .y = c->y[i], .count = POINTS, .colour = i};
  }
}

hn_status hn_tyre_plot(const char *path, const hn_tyre *tyre, const char *title, double load,
                       hn_tyre_axes axes, hn_error *error) {
  static const char *const x_labels[PANELS] = {"longitudinal slip \xce\xba", "slip angle [deg]",
                                               "slip angle [deg]", "Fx [kN]"};
  static const char *const y_labels[PANELS] = {"Fx [kN]", "Fy [kN]", "Mz [N m]", "Fy [kN]"};
  const double width = 460, height = 320;
  curves *c = hn_allocate(NULL, PANELS * sizeof *c);
  if (!c) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for a plot");
  hn_plot_panel panels[PANELS];
  for (int w = 0; w < PANELS; w++) {
    fill(tyre, axes, (what)w, load, &c[w]);
    panels[w] = (hn_plot_panel){.x_label = x_labels[w],
                                .y_label = y_labels[w],
                                .series = c[w].series,
                                .series_count = w == FY_OF_FX ? CURVES : 3,
                                .has_legend = 1,
                                .x = width * (w % 2),
                                .y = 8 + height * (w >= 2),
                                .width = width,
                                .height = height};
  }
  hn_status status = hn_plot_write(path, title, panels, PANELS, error);
  hn_release(NULL, c);
  return status;
}
