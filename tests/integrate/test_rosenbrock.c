// The Rosenbrock-Nystrom formula on small equations y'' = f(t, y, y'): order 4, embedded order 3, dense
// velocities of order 2, and stiff components damped away.
#include <math.h>

#include "integrate/formula.h"
#include "support/check.h"

// A pendulum with quadratic damping, pushed in time: no term of the order conditions is missing.
static double force(double t, double y, double v) {
  return -sin(y) - 0.3 * v * fabs(v) + cos(2 * t);
}
static double force_y(double y) { return -cos(y); }
static double force_v(double v) { return -0.6 * fabs(v); }
static double force_t(double t) { return -2 * sin(2 * t); }

typedef struct scalar_step {
  double y1, v1, error_y, error_v;
  double middle; // dense velocity at theta = 1/2
} scalar_step;

static scalar_step take_step(double t, double y, double v, double h, double f_t) {
  const hn_rosenbrock_formula *f = &hn_rosenbrock;
  double j1 = force_y(y), j2 = force_v(v), g = f->e * h, s = 1 - g * j2 - g * g * j1;
  double u[4] = {0}, value = 0;
  scalar_step out = {.y1 = y + h * v, .v1 = v, .middle = v};
  for (int i = 0; i < f->stages; i++) {
    double yi = y + h * f->a_i[i] * v, vi = v, c = 0, d = f->e_i[i] * v;
    for (int j = 0; j < i; j++) {
      yi += h * f->t[i][j] * u[j];
      vi += f->w[i][j] * u[j];
      c += f->c[i][j] * u[j];
      d += f->d[i][j] * u[j];
    }
    if (!f->repeats[i]) value = force(t + f->a_i[i] * h, yi, vi);
    u[i] = (g * value + f->e * c + h * h * f->e * (f->e_i[i] * f_t + j1 * d)) / s;
    out.y1 += h * f->p[i] * u[i];
    out.v1 += f->s[i] * u[i];
    out.error_y += h * f->error_p[i] * u[i];
    out.error_v += f->error_s[i] * u[i];
    out.middle += 0.25 * (f->s[i] + f->start[i]) * u[i];
  }
  return out;
}

// State after one second in n steps; embedded: by the other formula.
static void march(int n, int is_embedded, int has_time, double *y, double *v) {
  double h = 1.0 / n;
  *y = 0.4;
  *v = 1.1;
  for (int k = 0; k < n; k++) {
    scalar_step s = take_step(k * h, *y, *v, h, has_time ? force_t(k * h) : 0);
    *y = s.y1 - (is_embedded ? s.error_y : 0);
    *v = s.v1 - (is_embedded ? s.error_v : 0);
  }
}

static double observed_order(int is_embedded, int has_time) {
  double exact_y, exact_v, error[2];
  march(4096, 0, 1, &exact_y, &exact_v);
  for (int k = 0; k < 2; k++) {
    double y, v;
    march(32 << k, is_embedded, has_time, &y, &v);
    error[k] = fmax(fabs(y - exact_y), fabs(v - exact_v));
  }
  return log2(error[0] / error[1]);
}

static void steps_are_of_order_four_and_three_with_the_embedded_formula(void **state) {
  (void)state;
  assert_true(observed_order(0, 1) > 3.8);
  double embedded = observed_order(1, 1);
  assert_true(embedded > 2.8 && embedded < 3.5);
}

static void without_the_time_derivative_the_order_is_lost(void **state) {
  (void)state;
  assert_true(observed_order(0, 0) < 1.5);
}

// One step from t = 0 of size h against many small ones to its middle.
static void dense_velocities_are_of_order_two(void **state) {
  (void)state;
  double error[2];
  for (int k = 0; k < 2; k++) {
    double h = 0.1 / (1 << k), y = 0.4, v = 1.1, small = h / 2 / 256;
    for (int i = 0; i < 256; i++) {
      scalar_step s = take_step(i * small, y, v, small, force_t(i * small));
      y = s.y1;
      v = s.v1;
    }
    error[k] = fabs(take_step(0, 0.4, 1.1, h, force_t(0)).middle - v);
  }
  assert_true(log2(error[0] / error[1]) > 2.8); // of one step
}

// Sums over the stages of a constant force and of the nodes: y = t^2/2 and t^3/6 are exact.
static void polynomials_up_to_degree_three_are_exact(void **state) {
  (void)state;
  const hn_rosenbrock_formula *f = &hn_rosenbrock;
  for (int degree = 0; degree <= 1; degree++) {
    double u[4], p = 0, s = 0, ep = 0, es = 0;
    for (int i = 0; i < 4; i++) {
      u[i] = f->e * (degree ? f->a_i[i] + f->e_i[i] : 1);
      for (int j = 0; j < i; j++) u[i] += f->e * f->c[i][j] * u[j];
      p += f->p[i] * u[i];
      s += f->s[i] * u[i];
      ep += f->error_p[i] * u[i];
      es += f->error_s[i] * u[i];
    }
    check_near(s, degree ? 0.5 : 1, 2e-15);
    check_near(p, degree ? 1.0 / 6 : 0.5, 2e-15);
    check_near(es, 0, 2e-15);
    check_near(ep, 0, 2e-15);
  }
}

// v' = lambda v with h lambda to minus infinity: the result is R(inf) of the rounded e.
static void stiff_components_vanish_in_a_step(void **state) {
  (void)state;
  const hn_rosenbrock_formula *f = &hn_rosenbrock;
  double z = -1e14, s = 1 - f->e * z, u[4], end = 1;
  for (int i = 0; i < 4; i++) {
    double vi = 1, c = 0;
    for (int j = 0; j < i; j++) {
      vi += f->w[i][j] * u[j];
      c += f->c[i][j] * u[j];
    }
    u[i] = f->e * (z * vi + c) / s;
    end += f->s[i] * u[i];
  }
  check_near(end, 0, 1e-7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_are_of_order_four_and_three_with_the_embedded_formula),
      cmocka_unit_test(without_the_time_derivative_the_order_is_lost),
      cmocka_unit_test(dense_velocities_are_of_order_two),
      cmocka_unit_test(polynomials_up_to_degree_three_are_exact),
      cmocka_unit_test(stiff_components_vanish_in_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
