// Tyres: forces against tables made by an independent program, derivatives against differences,
// files as they come (units, comments, sides, ranges), versions that are rejected.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/tyre.h"
#include "support/check.h"

static char *read_text(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *text = calloc(1, 1 << 16);
  *size = fread(text, 1, (1 << 16) - 1, file);
  fclose(file);
  return text;
}

static hn_tyre *load(const char *path) {
  hn_tyre *tyre;
  hn_error error = {0};
  if (hn_tyre_load(path, &tyre, &error) != HN_OK) fail_msg("%s", error.message);
  return tyre;
}

static hn_tyre *parse(const char *text, const char *name) {
  hn_tyre *tyre;
  hn_error error = {0};
  if (hn_tyre_parse(text, strlen(text), name, &tyre, &error) != HN_OK)
    fail_msg("%s", error.message);
  return tyre;
}

static const char *const models[] = {
    "models/tyres/car_205_60R15.tir", "models/tyres/hmmwv_37x12.5R16.5.tir",
    "models/tyres/car-fiala.tir",     "models/tyres/hmmwv-fiala.tir",
    "models/tyres/car-brush.tir",     "models/tyres/hmmwv-brush.tir",
    "models/tyres/car-tmeasy.tir",    "models/tyres/hmmwv-tmeasy.tir",
    "models/tyres/hmmwv-pac89.tir",   "tests/data/tyres/pac94.tir",
};
enum { MODELS = sizeof models / sizeof models[0] };

// ---- tables -------------------------------------------------------------------------------------

static void tables_of_the_reference_are_met(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {"models/tyres/car_205_60R15.tir", "car.mf52"},
      {"models/tyres/car_205_60R15.tir", "car.relax"},
      {"models/tyres/hmmwv_37x12.5R16.5.tir", "hmmwv.mf52"},
      {"models/tyres/hmmwv_37x12.5R16.5.tir", "hmmwv.relax"},
      {"models/tyres/car-fiala.tir", "car.fiala"},
      {"models/tyres/car-brush.tir", "car.brush"},
      {"models/tyres/car-tmeasy.tir", "car.tmeasy"},
      {"models/tyres/hmmwv-fiala.tir", "hmmwv.fiala"},
      {"models/tyres/hmmwv-brush.tir", "hmmwv.brush"},
      {"models/tyres/hmmwv-tmeasy.tir", "hmmwv.tmeasy"},
      {"models/tyres/hmmwv-pac89.tir", "hmmwv.pac89"},
      {"tests/data/tyres/pac94.tir", "pac94"},
  };
  for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
    char path[200];
    size_t size;
    snprintf(path, sizeof path, "tests/data/tyres/%s.csv", pairs[k][1]);
    char *text = read_text(path, &size);
    hn_tyre *tyre = load(pairs[k][0]);
    hn_tyre_rows *rows;
    hn_error error;
    check_ok(hn_tyre_tabulate(tyre, text, size, path, HN_TYRE_ISO, &rows, &error));
    int compared = 0;
    assert_true(rows->row_count >= 6);
    for (int c = 0; c < rows->column_count; c++)
      if (isfinite(rows->differences[c])) {
        check_at_most(rows->differences[c], 1e-11);
        compared++;
      }
    assert_true(compared >= 3);
    hn_tyre_rows_free(rows);
    hn_tyre_free(tyre);
    free(text);
  }
}

// ---- derivatives --------------------------------------------------------------------------------

static hn_tyre_forces at(const hn_tyre *tyre, const double x[HN_TYRE_INPUTS]) {
  hn_tyre_slip slip = {x[0], x[1], x[2], x[3], x[4], x[5]};
  hn_tyre_forces f;
  hn_tyre_evaluate(tyre, &slip, &f, NULL);
  return f;
}

// The least difference over three widths: breakpoints between two points spoil one or two of them
// at most.
static double best_difference(const hn_tyre *tyre, const double x[HN_TYRE_INPUTS], int input,
                              int output, double exact) {
  static const double scale[HN_TYRE_INPUTS] = {0.1, 0.1, 0.1, 4000, 10, 1};
  double best = HUGE_VAL;
  for (double h = 1e-4; h > 1e-7; h /= 10) {
    double up[HN_TYRE_INPUTS], down[HN_TYRE_INPUTS];
    memcpy(up, x, sizeof up);
    memcpy(down, x, sizeof down);
    up[input] += h * scale[input];
    down[input] -= h * scale[input];
    hn_tyre_forces a = at(tyre, up), b = at(tyre, down);
    double slope = ((&a.fx)[output] - (&b.fx)[output]) / (2 * h * scale[input]);
    best = fmin(best, fabs(slope - exact) * scale[input]);
  }
  return best;
}

static void audit(const hn_tyre *tyre, hn_random *random, int points, double slowest) {
  for (int n = 0; n < points; n++) {
    double x[HN_TYRE_INPUTS] = {
        hn_random_uniform(random, -0.6, 0.6),   hn_random_uniform(random, -0.3, 0.3),
        hn_random_uniform(random, -0.1, 0.1),   hn_random_uniform(random, 1500, 9000),
        hn_random_uniform(random, slowest, 30), hn_random_uniform(random, 0.3, 1.2)};
    if (n % 3 == 0) x[0] *= 0.05, x[1] *= 0.05;
    hn_tyre_slip slip = {x[0], x[1], x[2], x[3], x[4], x[5]};
    hn_tyre_forces f;
    double d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
    hn_tyre_evaluate(tyre, &slip, &f, d);
    for (int i = 0; i < HN_TYRE_OUTPUTS; i++)
      for (int j = 0; j < HN_TYRE_INPUTS; j++)
        check_at_most(best_difference(tyre, x, j, i, d[i][j]), i < 2 ? 0.02 : 0.002);
  }
}

static void derivatives_are_exact(void **state) {
  (void)state;
  hn_random random = hn_random_seed(25);
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *tyre = load(models[k]);
    audit(tyre, &random, 60, -30);
    audit(tyre, &random, 20, -0.9); // also below VXLOW
    hn_tyre_mount(tyre, HN_TYRE_RIGHT);
    audit(tyre, &random, 20, 3);
    hn_tyre_free(tyre);
  }
}

// Without side slip, or without any, as of a vehicle that goes straight on: stiffnesses are there too.
static void stiffnesses_are_exact_without_slip(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *tyre = load(models[k]);
    for (int drives = 0; drives < 2; drives++) {
      const double x[HN_TYRE_INPUTS] = {0.02 * drives, 0, 0, 4000, 20, 1};
      hn_tyre_slip slip = {x[0], x[1], x[2], x[3], x[4], x[5]};
      hn_tyre_forces f;
      double d[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
      hn_tyre_evaluate(tyre, &slip, &f, d);
      assert_true(fabs(d[0][0]) > 1e4 && fabs(d[1][1]) > 1e4);
      check_at_most(best_difference(tyre, x, 0, 0, d[0][0]), 0.02);
      check_at_most(best_difference(tyre, x, 1, 1, d[1][1]), 0.02);
      check_at_most(best_difference(tyre, x, 1, 4, d[4][1]), 0.002);
    }
    hn_tyre_free(tyre);
  }
}

static void old_formulas_combine_smoothly(void **state) {
  (void)state;
  size_t size;
  char *text = read_text("models/tyres/hmmwv-pac89.tir", &size);
  char *mode = strstr(text, "'PAC89'\n");
  assert_non_null(mode);
  memmove(mode + 8 + 13, mode + 8, strlen(mode + 8) + 1);
  memcpy(mode + 8, "USE_MODE = 4\n", 13);
  hn_tyre *tyre = parse(text, "x.tir");
  hn_random random = hn_random_seed(8);
  audit(tyre, &random, 60, 3);
  double both[] = {-0.3, 0.2, 0, 6000, 20, 1}, brake[] = {-0.3, 0, 0, 6000, 20, 1};
  hn_tyre_forces f = at(tyre, both), g = at(tyre, brake);
  check_at_most(fabs(f.fx), 0.9 * fabs(g.fx));
  check_at_most(hypot(f.fx, f.fy), 1.05 * hypot(g.fx, 0));
  hn_tyre_free(tyre);
  free(text);
}

// ---- meaning ------------------------------------------------------------------------------------

static void other_side_is_the_mirror_image(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *left = load(models[k]), *right = load(models[k]);
    hn_tyre_mount(right, HN_TYRE_RIGHT);
    for (int n = 0; n < 20; n++) {
      double x[] = {hn_random_uniform(&random, -0.5, 0.5),
                    hn_random_uniform(&random, -0.2, 0.2),
                    hn_random_uniform(&random, -0.05, 0.05),
                    5000,
                    16.7,
                    1};
      double y[] = {x[0], -x[1], -x[2], x[3], x[4], x[5]};
      hn_tyre_forces a = at(left, x), b = at(right, y);
      check_near(a.fx, b.fx, 1e-9);
      check_near(a.fy, -b.fy, 1e-9);
      check_near(a.mx, -b.mx, 1e-9);
      check_near(a.my, b.my, 1e-9);
      check_near(a.mz, -b.mz, 1e-9);
    }
    hn_tyre_free(left);
    hn_tyre_free(right);
  }
}

static void standing_tyre_has_no_force(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *tyre = load(models[k]);
    hn_tyre_forces f = at(tyre, (double[]){0, 0, 0, 5000, 0, 1});
    check_near(f.fx, 0, 1e-9);
    check_near(f.fy, 0, 1e-9);
    check_near(f.my, 0, 1e-9);
    check_near(f.mz, 0, 1e-9);
    hn_tyre_free(tyre);
  }
}

static void locked_wheel_slides(void **state) {
  (void)state;
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *tyre = load(models[k]);
    hn_tyre_forces f = at(tyre, (double[]){-1, 0.1, 0, 5000, 16.7, 1});
    assert_true(isfinite(f.fx) && isfinite(f.fy) && isfinite(f.mz));
    assert_true(f.fx < -500 && f.fx > -9000);
    hn_tyre_free(tyre);
  }
}

// tan(alpha) = Vy/|Vx|: beyond a right angle a side slip has the forces of the angle on this side of it,
// with the other sign of the derivative; forces stay below friction.
static void angles_beyond_a_right_one_are_folded(void **state) {
  (void)state;
  const double half_turn = 3.14159265358979323846;
  for (int k = 0; k < MODELS; k++) {
    hn_tyre *tyre = load(models[k]);
    double folded[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS], plain[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
    hn_tyre_slip slip = {0.02, half_turn - 0.1, 0.01, 4000, 20, 1}, near = slip;
    hn_tyre_forces f, g;
    near.alpha = 0.1;
    hn_tyre_evaluate(tyre, &slip, &f, folded);
    hn_tyre_evaluate(tyre, &near, &g, plain);
    check_relative(f.fx, g.fx, 1e-12);
    check_relative(f.fy, g.fy, 1e-12);
    check_relative(f.mz, g.mz, 1e-10);
    check_relative(folded[1][1], -plain[1][1], 1e-10);
    check_relative(folded[1][0], plain[1][0], 1e-10);
    for (double alpha = -4; alpha <= 4; alpha += 0.05) {
      const hn_tyre_forces any = at(tyre, (double[]){0, alpha, 0, 4000, 20, 1});
      check_at_most(fabs(any.fy), 10000);
      if (fabs(sin(alpha)) > 0.05) assert_true(any.fy * sin(alpha) < 0);
    }
    hn_tyre_free(tyre);
  }
}

// A load that no tyre has is named with its row, and not answered with null.
static void tables_have_finite_answers(void **state) {
  (void)state;
  static const char text[] = "kappa,alpha,fz\n0.1,0.1,4000\n0.1,0.1,1e300\n";
  hn_tyre *tyre = load("models/tyres/hmmwv-pac89.tir");
  hn_tyre_rows *rows = NULL;
  hn_error error = {0};
  check_status(hn_tyre_tabulate(tyre, text, sizeof text - 1, "t.csv", HN_TYRE_ISO, &rows, &error),
               HN_ERROR_NOT_FINITE);
  assert_null(rows);
  assert_int_equal(error.line, 3);
  check_names(error.message, "fz 1e+300");
  hn_tyre_free(tyre);
}

static void ranges_hold_the_inputs(void **state) {
  (void)state;
  hn_tyre *tyre = load("models/tyres/car_205_60R15.tir");
  hn_tyre_forces at_end = at(tyre, (double[]){1.5, 0.1, 0.26181, 9000, 16.7, 1});
  hn_tyre_forces beyond = at(tyre, (double[]){2.5, 0.1, 0.4, 12000, 16.7, 1});
  check_near(at_end.fx, beyond.fx, 0);
  check_near(at_end.fy, beyond.fy, 0);
  // below FZMIN = 200 forces go to 0 with the load
  hn_tyre_forces low = at(tyre, (double[]){0.1, 0, 0, 200, 16.7, 1});
  hn_tyre_forces half = at(tyre, (double[]){0.1, 0, 0, 100, 16.7, 1});
  check_relative(half.fx, 0.5 * low.fx, 1e-12);
  check_near(at(tyre, (double[]){0.1, 0, 0, -5, 16.7, 1}).fx, 0, 0);
  hn_tyre_free(tyre);
}

static void friction_scales_the_peak_not_the_slope(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) { // all but the old formulas, whose peak lies far out
    hn_tyre *tyre = load(models[k]);
    double most[2] = {0, 0};
    for (int m = 0; m < 2; m++)
      for (double kappa = 0; kappa < 1; kappa += 0.001)
        most[m] = fmax(most[m], at(tyre, (double[]){kappa, 0, 0, 5000, 16.7, m ? 0.5 : 1}).fx);
    check_relative(most[1], 0.5 * most[0], 0.05); // U of Fiala is another where the peak is
    hn_tyre_slip slip = {1e-6, 0, 0, 5000, 16.7, 1};
    hn_tyre_forces f;
    double full[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS], half[HN_TYRE_OUTPUTS][HN_TYRE_INPUTS];
    hn_tyre_evaluate(tyre, &slip, &f, full);
    slip.mu = 0.5;
    hn_tyre_evaluate(tyre, &slip, &f, half);
    check_relative(half[0][0], full[0][0], 0.02);
    hn_tyre_free(tyre);
  }
}

static void axes_go_by_their_names(void **state) {
  (void)state;
  hn_tyre *tyre = load("models/tyres/car_205_60R15.tir");
  const char *text = "kappa,alpha,gamma,fz\n0.02,0.05,0.01,4000\n0.02,-0.05,0.01,4000\n";
  hn_tyre_rows *iso, *sae, *adapted;
  hn_error error;
  check_ok(hn_tyre_tabulate(tyre, text, strlen(text), "x", HN_TYRE_ISO, &iso, &error));
  check_ok(hn_tyre_tabulate(tyre, text, strlen(text), "x", HN_TYRE_SAE, &sae, &error));
  check_ok(hn_tyre_tabulate(tyre, text, strlen(text), "x", HN_TYRE_ADAPTED_SAE, &adapted, &error));
  const double *one = iso->values, *two = iso->values + iso->column_count;
  assert_string_equal(iso->columns[4], "fx");
  assert_true(one[5] < 0 && one[8] > 0); // Fy, Mz at alpha above 0
  static const double sae_sign[] = {1, -1, 1, -1, -1}, adapted_sign[] = {1, -1, 1, 1, -1};
  for (int i = 0; i < 5; i++) {
    check_near(sae->values[4 + i], sae_sign[i] * two[4 + i],
               1e-12); // alpha has the other sign there
    check_near(adapted->values[4 + i], adapted_sign[i] * one[4 + i], 1e-12);
  }
  hn_tyre_rows_free(iso);
  hn_tyre_rows_free(sae);
  hn_tyre_rows_free(adapted);
  hn_tyre_free(tyre);
}

// ---- files --------------------------------------------------------------------------------------

#define FIALA "[MODEL]\nPROPERTY_FILE_FORMAT = 'FIALA'\n"

static void units_are_honoured(void **state) {
  (void)state;
  hn_tyre *si =
      parse(FIALA "[PARAMETER]\nUNLOADED_RADIUS = 0.3 $ m\nWIDTH=0.2\nVERTICAL_STIFFNESS = 2e5\n"
                  "CSLIP = 80000\nCALPHA = 60000\nUMIN = 0.8\nUMAX = 1.0\nALPMAX = 0.5\n",
            "x.tir");
  hn_tyre *mm = parse("[UNITS]\r\nLENGTH = 'mm'\r\nFORCE = 'kilonewton'\r\nANGLE = \"degree\"\r\n"
                      "TIME = 'second'\r\n" FIALA
                      "! a comment\r\n[PARAMETER]\r\nUNLOADED_RADIUS = 300\r\nWIDTH = 200 ! mm\r\n"
                      "VERTICAL_STIFFNESS = 0.2\r\nCSLIP = 80\r\ncalpha = 1.0471975511965977\r\n"
                      "UMIN = 0.8\r\nUMAX = 1.0\r\nALPMAX = 28.64788975654116\r\n",
                      "x.tir");
  static const char *const keys[] = {"UNLOADED_RADIUS", "WIDTH",  "VERTICAL_STIFFNESS",
                                     "CSLIP",           "CALPHA", "ALPMAX"};
  for (int k = 0; k < 6; k++)
    check_relative(hn_tyre_number(mm, keys[k]), hn_tyre_number(si, keys[k]), 1e-12);
  assert_true(isnan(hn_tyre_number(si, "NO_SUCH_KEY")));
  hn_tyre_free(si);
  hn_tyre_free(mm);
}

static void refuses(const char *text, hn_status expected, const char *word) {
  hn_tyre *tyre;
  hn_error error = {0};
  check_status(hn_tyre_parse(text, strlen(text), "x.tir", &tyre, &error), expected);
  assert_null(tyre);
  check_names(error.message, word);
  assert_true(error.hint[0]);
}

static void what_is_not_built_is_refused_by_name(void **state) {
  (void)state;
  refuses("[MODEL]\nPROPERTY_FILE_FORMAT='PAC2002'\nFITTYP = 61\n", HN_ERROR_UNSUPPORTED, "6.1");
  refuses("[MODEL]\nPROPERTY_FILE_FORMAT='USER'\nFITTYP = 62\n", HN_ERROR_UNSUPPORTED, "6.2");
  refuses("[MODEL]\nPROPERTY_FILE_FORMAT='FTIRE'\n", HN_ERROR_UNSUPPORTED, "FTIRE");
  refuses("[MODEL]\nPROPERTY_FILE_FORMAT='PAC_MC'\n", HN_ERROR_UNSUPPORTED, "PAC_MC");
  refuses("[MODEL]\nUSE_MODE = 14\n", HN_ERROR_SYNTAX, "");
  refuses(FIALA "CSLIP = many\n", HN_ERROR_SYNTAX, "CSLIP MANY");
  refuses(FIALA "CSLIP = 1\nUMAX = 1\n", HN_ERROR_MODEL, "CALPHA");
  refuses(FIALA "CSLIP = 1\nCALPHA = 1\nUMAX = 1\nUSE_MODE = 7\n", HN_ERROR_MODEL, "USE_MODE 7");
  refuses(FIALA "CSLIP = 1\nCALPHA = 1\nUMAX = 1\nKPUMIN = 2\nKPUMAX = 1\n", HN_ERROR_MODEL,
          "KPUMIN");
  refuses("[UNITS]\nLENGTH = 'furlong'\n", HN_ERROR_SYNTAX, "FURLONG");
  refuses("[MODEL\n", HN_ERROR_SYNTAX, "'[MODEL'");
}

static void load_curve_is_followed(void **state) {
  (void)state;
  hn_tyre *tyre = parse(FIALA "CSLIP = 1\nCALPHA = 1\nUMAX = 1\nUNLOADED_RADIUS = 0.3\n"
                              "[DEFLECTION_LOAD_CURVE]\n{pen fz}\n0 0\n0.01 1500\n0.02 4000\n",
                        "x.tir");
  check_relative(hn_tyre_measure(tyre, 0, 750).deflection, 0.005, 1e-12);
  check_relative(hn_tyre_measure(tyre, 0, 4000).deflection, 0.02, 1e-12);
  check_relative(hn_tyre_measure(tyre, 0, 5250).deflection, 0.025, 1e-12);
  hn_tyre_free(tyre);
}

static void table_is_a_tyre(void **state) {
  (void)state;
  hn_tyre *tyre = load("tests/data/tyres/grid.csv");
  assert_int_equal(hn_tyre_model_of(tyre), HN_TYRE_TABLE);
  // fx = 1000 kappa fz/4000 on the points: bilinear, so between them too
  hn_tyre_forces f = at(tyre, (double[]){0.05, 0.02, 0, 3000, 16.7, 1});
  check_relative(f.fx, 1000 * 0.05 * 0.75, 1e-12);
  check_relative(f.fy, -2000 * 0.02 * 0.75, 1e-12);
  check_relative(at(tyre, (double[]){9, 0, 0, 4000, 16.7, 1}).fx, 100, 1e-12);
  hn_random random = hn_random_seed(4);
  audit(tyre, &random, 20, 3);
  hn_tyre_free(tyre);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_of_the_reference_are_met),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(stiffnesses_are_exact_without_slip),
      cmocka_unit_test(old_formulas_combine_smoothly),
      cmocka_unit_test(other_side_is_the_mirror_image),
      cmocka_unit_test(standing_tyre_has_no_force),
      cmocka_unit_test(locked_wheel_slides),
      cmocka_unit_test(angles_beyond_a_right_one_are_folded),
      cmocka_unit_test(tables_have_finite_answers),
      cmocka_unit_test(ranges_hold_the_inputs),
      cmocka_unit_test(friction_scales_the_peak_not_the_slope),
      cmocka_unit_test(axes_go_by_their_names),
      cmocka_unit_test(units_are_honoured),
      cmocka_unit_test(what_is_not_built_is_refused_by_name),
      cmocka_unit_test(load_curve_is_followed),
      cmocka_unit_test(table_is_a_tyre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
