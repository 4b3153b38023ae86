// Structural formulas: damping, stability, their error estimates with constant and changing steps, and
// what they remember over a restart. Their order in every method is in test_orders.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "integrate/stages.h"
#include "support/check.h"
#include "support/machines.h"

typedef struct formula_row {
  const char *name;
  double xi, alpha, rho, damping;
} formula_row;

// Damping as the papers on them have it, from their own parameters.
static const formula_row rows[] = {
    {"newmark", 0, NAN, NAN, 1},
    {"newmark", 0.1, NAN, NAN, 0.9 / 1.1},
    {"newmark", 0.3, NAN, NAN, 0.7 / 1.3},
    {"hht", NAN, 0, NAN, 1},
    {"hht", NAN, -0.05, NAN, 0.95 / 1.05},
    {"hht", NAN, -0.3, NAN, 0.7 / 1.3},
    {"generalized-alpha", NAN, NAN, 1, 1},
    {"generalized-alpha", NAN, NAN, 0.8, 0.8},
    {"generalized-alpha", NAN, NAN, 0.5, 0.5},
    {"generalized-alpha", NAN, NAN, 0, 0},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static hn_implicit_formula formula_of(const formula_row *row) {
  const hn_method_choice choice = {.formula = hn_formula_find(row->name),
                                   .parameter = !isnan(row->xi)      ? row->xi
                                                : !isnan(row->alpha) ? row->alpha
                                                                     : row->rho};
  hn_implicit_formula formula;
  assert_true(hn_find_implicit_formula(&choice, &formula));
  return formula;
}

// ---- a linear oscillator, h = 1 -----------------------------------------------------------------

static void put_memory(hn_stages *s, double w, double past_a, double past_h) {
  s->has_past = 1;
  s->past_h = past_h;
  s->w[0] = w;
  s->past_a[0] = past_a;
}

// (q, v, w) after a step of a = -omega^2 q from (q, v, w) = unit vector k: column k of the matrix.
static void amplification(hn_stages *s, double omega, double matrix[3][3]) {
  for (int k = 0; k < 3; k++) {
    double q = k == 0, v = k == 1, w = k == 2, a = -omega * omega * q, e_q, e_v;
    put_memory(s, w, a, 1);
    hn_stages_begin(s, 0, 1, &q, &v, &a, 0);
    hn_stages_open(s, 0);
    double a1 = -omega * omega * s->q_hat[0] / (1 + omega * omega * s->g.q);
    hn_stages_close(s, 0, &a1, 0);
    hn_stages_end(s, &e_q, &e_v);
    // w in units of omega^2, else rounding hides the differences
    matrix[0][k] = s->q1[0];
    matrix[1][k] = s->v1[0];
    matrix[2][k] = s->w1[0];
  }
  for (int k = 0; k < 3; k++) {
    double scale[3] = {1, omega, omega * omega};
    for (int i = 0; i < 3; i++) matrix[i][k] *= scale[k] / scale[i];
  }
}

static double largest_entry(double m[3][3]) {
  double most = 0;
  for (int i = 0; i < 9; i++) most = fmax(most, fabs(m[i / 3][i % 3]));
  return most;
}

// |A^n|^(1/n) for n = 2^20.
static double spectral_radius(double a[3][3]) {
  double logarithm = 0, n = 1;
  for (int k = 0; k < 20; k++) {
    double size = largest_entry(a), square[3][3];
    if (size == 0) return 0;
    logarithm += log(size) / n;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        square[i][j] = 0;
        for (int l = 0; l < 3; l++) square[i][j] += a[i][l] / size * (a[l][j] / size);
      }
    memcpy(a, square, sizeof square);
    n *= 2;
  }
  return exp(logarithm + log(largest_entry(a)) / n);
}

static double radius_of(const formula_row *row, double omega) {
  hn_arena arena;
  hn_stages *s = NULL;
  double matrix[3][3];
  hn_implicit_formula formula = formula_of(row);
  hn_arena_init(&arena, NULL);
  check_ok(hn_stages_create(&arena, &formula, 1, &s));
  amplification(s, omega, matrix);
  hn_arena_release(&arena);
  return spectral_radius(matrix);
}

// Eigenvalues are multiple there: they come near as omega^(-2/3), and rounding parts them.
static void infinitely_stiff_forces_are_damped_as_the_papers_say(void **state) {
  (void)state;
  for (int k = 0; k < ROWS; k++) {
    double radius = radius_of(&rows[k], 3e6);
    print_message("%-18s %.6f (%.6f)\n", rows[k].name, radius, rows[k].damping);
    check_near(radius, rows[k].damping, 2e-3);
    assert_true(formula_of(&rows[k]).structural.damping == rows[k].damping ||
                fabs(formula_of(&rows[k]).structural.damping - rows[k].damping) < 1e-15);
  }
}

static void no_step_is_too_long_for_stability(void **state) {
  (void)state;
  for (int k = 0; k < ROWS; k++)
    for (int i = -20; i <= 60; i++) check_at_most(radius_of(&rows[k], pow(10, i / 10.0)), 1 + 1e-6);
}

static void without_damping_all_are_the_trapezoidal_rule(void **state) {
  (void)state;
  for (int k = 0; k < ROWS; k++) {
    if (rows[k].damping < 1) continue;
    hn_implicit_formula formula = formula_of(&rows[k]);
    hn_step_numbers g = hn_stages_numbers(&formula, 0.02);
    check_near(g.q, 0.0001, 1e-18);
    check_near(g.v, 0.01, 1e-16);
  }
}

// ---- estimates ----------------------------------------------------------------------------------

static double force(double t, double q, double v) {
  return -4 * sin(q) - 0.2 * v * v * v + cos(3 * t);
}

// The end of a step of size h from (t, q, v), by many small steps of the classical formula.
static void exact(double t, double h, double q, double v, double *q1, double *v1) {
  enum { PARTS = 200 };
  double d = h / PARTS;
  for (int k = 0; k < PARTS; k++, t += d) {
    double a1 = force(t, q, v), v2 = v + d / 2 * a1, a2 = force(t + d / 2, q + d / 2 * v, v2);
    double v3 = v + d / 2 * a2, a3 = force(t + d / 2, q + d / 2 * v2, v3), v4 = v + d * a3;
    double a4 = force(t + d, q + d * v3, v4);
    q += d / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += d / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  *q1 = q;
  *v1 = v;
}

// A step of the formula; the unknown by repeated insertion, which converges for these step sizes.
static void take_step(hn_stages *s, double t, double h, double q, double v, double *e_q,
                      double *e_v) {
  double a = force(t, q, v), a1 = a;
  hn_stages_begin(s, t, h, &q, &v, &a, 0);
  hn_stages_open(s, 0);
  for (int k = 0; k < 60; k++)
    a1 = force(t + h, s->q_hat[0] + s->g.q * a1, s->v_hat[0] + s->g.v * a1);
  hn_stages_close(s, 0, &a1, 0);
  hn_stages_end(s, e_q, e_v);
}

// Local errors: both sides start at the same state, and the formula's history is its own.
static void the_estimate_is_the_local_error(void **state) {
  (void)state;
  const double sizes[] = {0.01, 0.01, 0.015, 0.008, 0.012};
  for (int k = 0; k < ROWS; k++) {
    hn_arena arena;
    hn_stages *s = NULL;
    hn_implicit_formula formula = formula_of(&rows[k]);
    hn_arena_init(&arena, NULL);
    check_ok(hn_stages_create(&arena, &formula, 1, &s));
    double t = 0, q = 1, v = 0.5, q1, v1, e_q, e_v;
    for (int i = 0; i < 5; i++) {
      take_step(s, t, sizes[i], q, v, &e_q, &e_v);
      exact(t, sizes[i], q, v, &q1, &v1);
      double true_q = s->q1[0] - q1, true_v = s->v1[0] - v1;
      if (i > 0) { // the first step has no past
        check_near(e_q / true_q, 1, 0.1);
        check_near(e_v / true_v, 1, 0.1);
      } else {
        assert_true(fabs(e_q) + fabs(e_v) > fabs(true_q) + fabs(true_v));
      }
      hn_stages_accept(s);
      t += sizes[i];
      q = s->q1[0];
      v = s->v1[0];
    }
    hn_arena_release(&arena);
  }
}

// Steps of h and 2 h in turn: without scaling w with the step the order would be 1.
static void order_is_kept_when_steps_change(void **state) {
  (void)state;
  for (int k = 0; k < ROWS; k++) {
    double error[2], q_end, v_end, e_q, e_v;
    hn_implicit_formula formula = formula_of(&rows[k]);
    exact(0, 0.9, 1, 0.5, &q_end, &v_end);
    for (int fine = 0; fine < 2; fine++) {
      hn_arena arena;
      hn_stages *s = NULL;
      hn_arena_init(&arena, NULL);
      check_ok(hn_stages_create(&arena, &formula, 1, &s));
      int count = fine ? 120 : 60;
      double h = 0.9 / (1.5 * count), t = 0, q = 1, v = 0.5;
      for (int i = 0; i < count; i++) {
        double size = i % 2 ? 2 * h : h;
        take_step(s, t, size, q, v, &e_q, &e_v);
        hn_stages_accept(s);
        t += size;
        q = s->q1[0];
        v = s->v1[0];
      }
      error[fine] = fabs(q - q_end) + fabs(v - v_end);
      hn_arena_release(&arena);
    }
    assert_true(log2(error[0] / error[1]) > formula.order - 0.2);
  }
}

// ---- in a simulation ----------------------------------------------------------------------------

static hn_simulation *start(const hn_model *model, const char *method, const formula_row *row,
                            double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.method = method;
  options.formula = row->name;
  options.xi = row->xi;
  options.alpha = row->alpha;
  options.rho = row->rho;
  options.tol = step > 0 ? 0 : 1e-6;
  options.step = step;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  return s;
}

// A mass on a spring of 1e12 N/m, released 1 mm off, in steps of 10 ms: its amplitude after 40 and
// 80 steps. (Multiple eigenvalues: powers of the number of steps multiply those of the damping.)
static void ringing_of_a_stiff_spring_dies_as_the_formula_says(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(1e12, 0, 1e-3);
  for (int k = 0; k < ROWS; k++) {
    if (rows[k].damping < 0.6 || rows[k].damping == 1) continue;
    hn_simulation *s = start(model, "descriptor", &rows[k], 0.01);
    check_ok(hn_simulation_advance(s, 0.4));
    double before = fabs(s->method->now->frames[1].r.z);
    check_ok(hn_simulation_advance(s, 0.8));
    double after = fabs(s->method->now->frames[1].r.z);
    check_near(pow(after / before, 1.0 / 40), rows[k].damping, 0.03);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  const char *const methods[] = {"descriptor", "state-space"};
  const int chosen[] = {1, 5, 8};
  hn_model *model = hn_make_slider_crank();
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 3; k++) {
      hn_simulation *a = start(model, methods[m], &rows[chosen[k]], 0);
      hn_simulation *b = start(model, methods[m], &rows[chosen[k]], 0);
      check_ok(hn_simulation_advance(a, 0.1));
      size_t size = hn_simulation_save_size(a);
      unsigned char *saved = malloc(size);
      check_ok(hn_simulation_save(a, saved, size));
      check_ok(hn_simulation_restore(b, saved, size));
      check_ok(hn_simulation_advance(a, 0.2));
      check_ok(hn_simulation_advance(b, 0.2));
      assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
      free(saved);
      hn_simulation_free(a);
      hn_simulation_free(b);
    }
  hn_model_free(model);
}

// ---- parameters ---------------------------------------------------------------------------------

static hn_error refusal(const hn_model *model, const char *method, const char *formula, double xi,
                        double alpha, double rho, int iterations) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *s = NULL;
  hn_error error;
  options.method = method;
  options.formula = formula;
  options.xi = xi;
  options.alpha = alpha;
  options.rho = rho;
  options.max_iterations = iterations;
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_ARGUMENT);
  assert_null(s);
  return error;
}

static void parameters_out_of_place_are_refused_by_name(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_error error = refusal(model, "descriptor", "hht", NAN, -0.34, NAN, 0);
  check_names(error.message, "alpha");
  error = refusal(model, "descriptor", "hht", 0.1, NAN, NAN, 0);
  check_names(error.hint, "newmark");
  error = refusal(model, "descriptor", "newmark", -0.1, NAN, NAN, 0);
  check_names(error.message, "xi");
  error = refusal(model, "descriptor", "trapezoidal", NAN, NAN, 0.5, 0);
  check_names(error.hint, "generalized-alpha");
  error = refusal(model, "first-order", "dopri5", NAN, NAN, NAN, 5);
  check_names(error.message, "max_iterations");
  error = refusal(model, "descriptor", "hht", NAN, NAN, NAN, 101);
  check_names(error.message, "max_iterations");
  hn_model_free(model);
}

// With one iteration the first correction must do: steps that need two are rejected.
static void fewer_iterations_make_more_refusals(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  long failures[2];
  for (int k = 0; k < 2; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    hn_simulation *s = NULL;
    options.method = "descriptor";
    options.formula = "hht";
    options.tol = 1e-4;
    options.max_iterations = k ? 2 : 0;
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    check_ok(hn_simulation_advance(s, 0.1));
    failures[k] = s->method->newton_failures;
    hn_simulation_free(s);
  }
  assert_true(failures[1] > failures[0]);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(infinitely_stiff_forces_are_damped_as_the_papers_say),
      cmocka_unit_test(no_step_is_too_long_for_stability),
      cmocka_unit_test(without_damping_all_are_the_trapezoidal_rule),
      cmocka_unit_test(the_estimate_is_the_local_error),
      cmocka_unit_test(order_is_kept_when_steps_change),
      cmocka_unit_test(ringing_of_a_stiff_spring_dies_as_the_formula_says),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(parameters_out_of_place_are_refused_by_name),
      cmocka_unit_test(fewer_iterations_make_more_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
