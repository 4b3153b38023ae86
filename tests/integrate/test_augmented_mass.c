// Projections of augmented Lagrangians: the mass-orthogonal kind changes a state by M^-1 Phi_q' alone,
// whatever the step and the stiffness; the other kind, by Newton's own factors, does not. And what
// happens without any.
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "integrate/augmented.h"
#include "machines/machine.h"
#include "support/tangent.h"

static machine open_step(const char *path, const char *coordinates, const char *method,
                         const char *formula, const char *projection, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.projection = projection;
  options.step = step;
  return machine_open_by(path, NULL, &options);
}

enum { MOST = 64 };

// The component of M x outside the span of the rows of Phi_q, as a fraction of M x, at (t, q) of
// the method.
static double across_rows(hn_augmented *self, const double *x) {
  hn_tangent *t = self->tangent;
  const hn_method *m = &self->base;
  double r[MOST] = {0}, rows[MOST][MOST], size, left;
  int count = 0;
  assert_true(t->n <= MOST && t->rows <= MOST);
  check_ok(tangent_basic(t, m->t, m->q, m->qd, &self->branches, NULL));
  hn_sparse_add_product(&t->mass, 1, x, r);
  size = hn_rms(t->n, r);
  for (int k = 0; k < t->rows; k++) { // Gram and Schmidt, twice
    double *row = rows[count], length = 0, before = 0;
    memset(row, 0, sizeof rows[0]);
    for (int e = t->phi_q.start[k]; e < t->phi_q.start[k + 1]; e++)
      row[t->phi_q.index[e]] = t->phi_q.value[e];
    before = hn_rms(t->n, row);
    for (int twice = 0; twice < 2; twice++)
      for (int j = 0; j < count; j++) {
        double dot = 0;
        for (int i = 0; i < t->n; i++) dot += row[i] * rows[j][i];
        for (int i = 0; i < t->n; i++) row[i] -= dot * rows[j][i];
      }
    length = sqrt(t->n) * hn_rms(t->n, row);
    if (!(length > 1e-9 * sqrt(t->n) * before)) continue;
    for (int i = 0; i < t->n; i++) row[i] /= length;
    count++;
  }
  for (int j = 0; j < count; j++) {
    double dot = 0;
    for (int i = 0; i < t->n; i++) dot += r[i] * rows[j][i];
    for (int i = 0; i < t->n; i++) r[i] -= dot * rows[j][i];
  }
  left = hn_rms(t->n, r);
  return size > 0 ? left / size : 0;
}

// Rows of the car's axis hold lengths, its springs are stiff: the metric of Newton's matrix is another.
static void corrections_are_orthogonal_in_the_metric_of_mass(void **state) {
  static const struct {
    const char *method, *formula;
  } rows[] = {{"augmented-lagrangian-3", "trapezoidal"},
              {"augmented-lagrangian-3", "generalized-alpha"},
              {"augmented-lagrangian-1", "trapezoidal"}};
  static const char *const sets[] = {"cartesian", "natural"};
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    for (int c = 0; c < 2; c++)
      for (int by_mass = 0; by_mass < 2; by_mass++) {
        machine made = open_step("car-axis.yaml", sets[c], rows[k].method, rows[k].formula,
                                 by_mass ? "mass-orthogonal" : "tangent", 5e-3);
        hn_augmented *self = (hn_augmented *)made.simulation->method;
        double x[MOST] = {0}, y[MOST] = {0};
        for (int step = 1; step <= 7; step++) machine_advance(&made, 5e-3 * step);
        for (int i = 0; i < self->stages->n; i++) {
          x[i] = self->base.qd[i] - self->v[i];
          y[i] = self->next_a[i] - self->a[i];
        }
        double v = across_rows(self, x), a = across_rows(self, y);
        print_message("%s %s %s, %s: %.1e of velocities, %.1e of accelerations across\n", sets[c],
                      rows[k].method, rows[k].formula, by_mass ? "mass" : "tangent", v, a);
        assert_true(hn_rms(self->stages->n, x) > 1e-12);
        if (by_mass)
          check_at_most(fmax(v, a), 1e-10);
        else
          assert_true(fmax(v, a) > 1e-6);
        machine_close(&made);
      }
}

// The same velocity off the constraints, projected at the same position by runs of different steps.
static void where_a_velocity_goes_does_not_depend_on_the_step(void **state) {
  (void)state;
  for (int by_mass = 0; by_mass < 2; by_mass++) {
    double v[2][MOST], apart = 0;
    for (int k = 0; k < 2; k++) {
      double step = k ? 1e-2 : 1e-3;
      machine made = open_step("car-axis.yaml", "cartesian", "augmented-lagrangian-3",
                               "trapezoidal", by_mass ? "mass-orthogonal" : "tangent", step);
      hn_augmented *self = (hn_augmented *)made.simulation->method;
      double q[MOST];
      int n = self->stages->n;
      memcpy(q, self->base.q, (size_t)n * sizeof(double));
      machine_advance(&made, step);
      for (int i = 0; i < n; i++) v[k][i] = 0.1 * sin(1 + i);
      if (by_mass) check_ok(hn_augmented_factor_mass(self, 0, q, v[k], NULL));
      check_ok(hn_augmented_evaluate(self, HN_BASIC, 0, q, v[k], self->a, NULL, NULL));
      check_ok(hn_augmented_project_velocities(self, v[k], 1e-12));
      for (int i = 0; k && i < n; i++) apart = fmax(apart, fabs(v[0][i] - v[1][i]));
      machine_close(&made);
    }
    print_message("%s: %.1e m/s apart\n", by_mass ? "mass" : "tangent", apart);
    if (by_mass)
      check_at_most(apart, 1e-10);
    else
      assert_true(apart > 1e-5);
  }
}

// Cardenal 1997 has this kind: the largest error of the energy at 1 ms, within 10 % of the paper's.
static void double_pendulum_errs_as_published(void **state) {
  static const struct {
    const char *method;
    double published;
  } rows[] = {{"augmented-lagrangian-3", 4.854e-3}, {"augmented-lagrangian-1", 4.680e-3}};
  (void)state;
  for (int k = 0; k < 2; k++) {
    machine made = open_step("cardenal/double-pendulum.yaml", "natural", rows[k].method,
                             "trapezoidal", "mass-orthogonal", 1e-3);
    machine_advance(&made, 10);
    double balance = hn_simulation_certificate(made.simulation).energy_balance;
    print_message("%s: %.3e J (published %.3e)\n", rows[k].method, balance, rows[k].published);
    check_near(balance / rows[k].published, 1, 0.1);
    machine_close(&made);
  }
}

// Dopico 2004, ch. 8: "almost the same results are obtained with the SDIRK methods if the projections
// are suppressed, while the projections in velocities and accelerations are essential for preserving
// the stability of the corresponding TR methods". Cardenal's double pendulum, 10 s at 1 ms.
static void projections_are_essential_for_the_trapezoidal_rule_alone(void **state) {
  (void)state;
  static const char pendulum[] = "cardenal/double-pendulum.yaml";
  machine made =
      open_step(pendulum, "natural", "augmented-lagrangian-3", "trapezoidal", "none", 1e-3);
  assert_true(hn_simulation_advance(made.simulation, 10) != HN_OK);
  print_message("trapezoidal without projections stops at %.3f s\n",
                hn_simulation_time(made.simulation));
  assert_true(hn_simulation_time(made.simulation) < 9);
  machine_close(&made);
  // with SDIRK the end drifts off the constraints by its error alone: the tip of the first second is
  // the same to that, and the run goes through
  double x[2], gap = 0;
  for (int k = 0; k < 2; k++) {
    made = open_step(pendulum, "natural", "augmented-lagrangian-1", "sdirk2",
                     k ? "none" : "mass-orthogonal", 1e-3);
    machine_advance(&made, 1);
    x[k] = machine_value(&made, "tip.x");
    machine_advance(&made, 10);
    hn_certificate c = hn_simulation_certificate(made.simulation);
    assert_int_equal(c.steps_accepted, 10000);
    gap = c.constraint_position;
    if (k == 0) check_at_most(gap, 1e-9);
    machine_close(&made);
  }
  print_message("sdirk2: %.2e m apart after 1 s, |Phi| %.2e after 10 s\n", fabs(x[1] - x[0]), gap);
  check_at_most(fabs(x[1] - x[0]), 1e-5);
  check_at_most(gap, 1e-4);
  assert_true(gap > 1e-9); // nothing projected it
}

static void other_methods_and_other_words_are_refused(void **state) {
  (void)state;
  machine made = machine_open("four-bar.yaml", NULL, 0);
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.projection = "mass-orthogonal";
  options.method = "descriptor";
  check_status(hn_simulation_create(made.model, &options, &s, &error), HN_ERROR_ARGUMENT);
  check_names(error.hint, "multi-index");
  options.method = "augmented-lagrangian-3";
  options.step = 1e-3;
  options.projection = "orthogonal";
  check_status(hn_simulation_create(made.model, &options, &s, &error), HN_ERROR_ARGUMENT);
  check_names(error.hint, "mass-orthogonal");
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(corrections_are_orthogonal_in_the_metric_of_mass),
      cmocka_unit_test(where_a_velocity_goes_does_not_depend_on_the_step),
      cmocka_unit_test(double_pendulum_errs_as_published),
      cmocka_unit_test(projections_are_essential_for_the_trapezoidal_rule_alone),
      cmocka_unit_test(other_methods_and_other_words_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
