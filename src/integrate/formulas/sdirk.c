// Singly diagonally implicit Runge-Kutta formulas, five stages, order 4, stiffly accurate (b is the
// last row of a), L-stable, with an embedded formula of order 3 and dense output of order 3 inside the
// step. Negrut (1998) Table 13 (gamma 1/4, Hairer and Wanner's SDIRK4) and chapter 4.5 (gamma 4/15);
// dense output and starting values by solving the order conditions exactly. tests/integrate checks all
// of them.
//
// And the one of two stages, order 3 and A-stable with gamma = (3 + sqrt 3)/6 (Crouzeix, Norsett),
// whose stages are at the Gauss points: the end lies outside of them. Its error formula takes the
// slope at the start with weight gamma, as little else is known: order 2.
#include <math.h>

#include "integrate/formula.h"

const hn_sdirk_formula hn_sdirk4_16 = {
    .name = "sdirk4-16",
    .stages = 5,
    .order = 4,
    .error_order = 3,
    .gamma = 1.0 / 4,
    .c = {0.25, 0.75, 0.55, 0.5, 1.0},
    .a = {{0.25, 0, 0, 0, 0},
          {0.5, 0.25, 0, 0, 0},
          {0.34, -0.04, 0.25, 0, 0},
          {0.2727941176470588235294, -0.050367647058823529411, 0.0275735294117647058823, 0.25, 0},
          {1.0416666666666666666666, -1.020833333333333333333, 7.8125, -7.083333333333333333333,
           0.25}},
    .e = {-0.1875, -0.84375, 0.78125, 0, 0.25},
    .dense = {{3.6666666666666666666666, -6.430555555555555555555, 6.0277777777777777777777,
               -2.222222222222222222222},
              {5.5, -24.0625, 27.541666666666666666666, -10.0},
              {-6.944444444444444444444, 46.585648148148148148148, -41.08796296296296296296,
               9.2592592592592592592592},
              {0, -21.25, 14.166666666666666666666, 0},
              {-1.222222222222222222222, 5.1574074074074074074074, -6.648148148148148148148,
               2.9629629629629629629629}},
    .start = {{0, 0, 0, 0, 0},
              {3.0},
              {0.88, 0.44},
              {0.17647058823529411765, 0, 0.82887700534759358289},
              {-3.833333333333333333333, -1.416666666666666666666, 31.25,
               -28.33333333333333333333}},
};

const hn_sdirk_formula hn_sdirk4_15 = {
    .name = "sdirk4-15",
    .stages = 5,
    .order = 4,
    .error_order = 3,
    .gamma = 4.0 / 15,
    .c = {0.2666666666666666666666, 0.7666666666666666666666, 0.5666666666666666666666,
          0.3661315380631796996374, 1.0},
    .a = {{0.2666666666666666666666, 0, 0, 0, 0},
          {0.5, 0.2666666666666666666666, 0, 0, 0},
          {0.3541539528432732316227, -0.054153952843273231622, 0.2666666666666666666666, 0, 0},
          {0.0851549413113865207633, -0.064843322878915551716, 0.0791532529640420639242,
           0.2666666666666666666666, 0},
          {2.1001157005669327779706, -0.767780028444597681334, 2.3998163610800263980947,
           -2.998818699869028161397, 0.2666666666666666666666}},
    .e = {-0.785148503820261311873, -0.621900680148320539649, 0.0098076786148864424954,
          1.1305748386870287423601, 0.2666666666666666666666},
    .dense = {{6.7764392566240568718738, -14.06683191188346922865, 16.204808856162498953569,
               -6.814300500336153818818},
              {3.1666913829490157186612, -14.03419618942751159054, 15.497198116229585299773,
               -5.397473338195687109221},
              {-1.931046908597282078217, 11.146663701107857627396, -6.900921232103763427762,
               0.0851208006732142766779},
              {-6.107728468864582175669, 13.031255018633296947728, -19.73459943014896001403,
               9.8122541805112170805816},
              {-0.904355262111208336647, 3.9231093815698262440765, -5.066486310139360811542,
               2.3143988573474095707808}},
    .start = {{0, 0, 0, 0, 0},
              {2.875},
              {0.98384730409153952843, 0.39692267683772538141},
              {0.65633740104668873007, 0, 0.33724981961893418521},
              {0.6804000050475289810147, -1.558961944525217312275, 13.558930031289079866391,
               -15.48522576958521338909}},
};

// e: difference to the formula of order 2 that also takes the slope at the start, weight gamma.
// With both stages at 1/2 no formula has order 2.
hn_sdirk_formula hn_make_sdirk2(double gamma) {
  const double g = isnan(gamma) ? HN_DEFAULT_GAMMA : gamma, apart = 2 * g - 1;
  const int is_midpoint = fabs(apart) < 1e-6, is_third = fabs(g * g - g + 1.0 / 6) < 1e-12;
  return (hn_sdirk_formula){
      .name = "sdirk2",
      .stages = 2,
      .order = is_third ? 3 : 2,
      .error_order = is_midpoint ? 1 : 2,
      .gamma = g,
      .c = {g, 1 - g},
      .a = {{g}, {-apart, g}},
      .ends_between = 1,
      .b = {0.5, 0.5},
      .e = {is_midpoint ? g / 2 : -g * (1 - g) / apart, is_midpoint ? g / 2 : g * g / apart},
      .e0 = -g,
      .start = {{0}, {(1 - g) / g}},
  };
}

const hn_formula hn_formulas_in_sdirk[] = {
    {.name = "sdirk2",
     .kind = HN_FORMULA_SDIRK_BETWEEN,
     .place = 70,
     .method = "first-order",
     .sdirk_family = hn_make_sdirk2,
     .parameter = {"gamma", 0.25, 2, HN_DEFAULT_GAMMA}},
    {.name = "sdirk4-16", .kind = HN_FORMULA_SDIRK, .place = 80, .sdirk = &hn_sdirk4_16},
    {.name = "sdirk4-15", .kind = HN_FORMULA_SDIRK, .place = 90, .sdirk = &hn_sdirk4_15},
    {0}};
