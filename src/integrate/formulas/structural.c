// Formulas of structural dynamics as numbers of one parameter (form and signs: formula.h):
//
//   newmark             am = af = 0,  gamma = 1/2 + xi,  beta = (1 + xi)^2 / 4
//                       damping (1 - xi)/(1 + xi); order 1 for xi > 0            Newmark 1959
//   hht                 am = 0,  af = -alpha,  gamma = 1/2 - alpha,  beta = (1 - alpha)^2 / 4
//                       damping (1 + alpha)/(1 - alpha)              Hilber, Hughes and Taylor 1977
//   generalized-alpha   am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  gamma = 1/2 - am + af,
//                       beta = (1 - am + af)^2 / 4,  damping rho          Chung and Hulbert 1993
#include <math.h>

#include "integrate/formula.h"

// Of their parameters; NaN: the default. xi >= 0, -1/3 <= alpha <= 0, 0 <= rho <= 1.
static hn_structural_formula make_newmark(double xi) {
  if (isnan(xi)) xi = HN_DEFAULT_XI;
  return (hn_structural_formula){.name = "newmark",
                                 .order = xi > 0 ? 1 : 2,
                                 .beta = (1 + xi) * (1 + xi) / 4,
                                 .gamma = 0.5 + xi,
                                 .damping = fabs(1 - xi) / (1 + xi)};
}

static hn_structural_formula make_hht(double alpha) {
  if (isnan(alpha)) alpha = HN_DEFAULT_ALPHA;
  return (hn_structural_formula){.name = "hht",
                                 .order = 2,
                                 .alpha_f = -alpha,
                                 .beta = (1 - alpha) * (1 - alpha) / 4,
                                 .gamma = 0.5 - alpha,
                                 .damping = (1 + alpha) / (1 - alpha)};
}

static hn_structural_formula make_generalized_alpha(double rho) {
  if (isnan(rho)) rho = HN_DEFAULT_RHO;
  double am = (2 * rho - 1) / (rho + 1), af = rho / (rho + 1), shift = 1 - am + af;
  return (hn_structural_formula){.name = "generalized-alpha",
                                 .order = 2,
                                 .alpha_m = am,
                                 .alpha_f = af,
                                 .beta = shift * shift / 4,
                                 .gamma = 0.5 - am + af,
                                 .damping = rho};
}

const hn_formula hn_formulas_in_structural[] = {
    {.name = "trapezoidal", .kind = HN_FORMULA_TRAPEZOIDAL, .place = 30},
    {.name = "newmark",
     .kind = HN_FORMULA_STRUCTURAL,
     .place = 40,
     .structural = make_newmark,
     .parameter = {"xi", 0, 1, HN_DEFAULT_XI}},
    {.name = "hht",
     .kind = HN_FORMULA_STRUCTURAL,
     .place = 50,
     .structural = make_hht,
     .parameter = {"alpha", -1.0 / 3, 0, HN_DEFAULT_ALPHA}},
    {.name = "generalized-alpha",
     .kind = HN_FORMULA_STRUCTURAL,
     .place = 60,
     .structural = make_generalized_alpha,
     .parameter = {"rho", 0, 1, HN_DEFAULT_RHO}},
    {0}};
