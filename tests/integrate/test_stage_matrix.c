// The stage matrix: its solutions satisfy the unregularized block equations, for several step numbers,
// with redundant rows left out and bodies without rotational inertia.
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "integrate/stage_matrix.h"
#include "support/check.h"
#include "support/machines.h"
#include "support/tangent.h"

enum { MOST = 400 };

typedef struct rig {
  hn_simulation *simulation;
  hn_arena arena;
  hn_tangent *tangent;
  hn_stage_matrix *matrix;
  double lambda[MOST];
} rig;

static void set_up(rig *r, const hn_model *model) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-8;
  check_ok(hn_simulation_create(model, &options, &r->simulation, NULL));
  check_ok(hn_simulation_advance(r->simulation, 0.07));
  hn_arena_init(&r->arena, NULL);
  hn_method *m = r->simulation->method;
  check_ok(hn_tangent_create(&r->arena, m->equations, 0, &r->tangent));
  check_ok(hn_stage_matrix_create_in_q(&r->arena, r->tangent, &r->matrix));
  assert_true(r->tangent->rows <= MOST && r->tangent->n <= MOST);
  hn_branches *branches = &r->simulation->branches;
  check_ok(tangent_basic(r->tangent, m->t, m->q, m->qd, branches, NULL));
  memcpy(r->lambda, m->now->lambda, (size_t)r->simulation->elements->row_count * sizeof(double));
  r->tangent->type->normalization_multipliers(r->tangent, r->lambda);
  check_ok(tangent_full(r->tangent, m->t, m->q, m->qd, m->now->qdd, r->lambda, branches, NULL));
  hn_stage_matrix_keep(r->matrix);
}

static void tear_down(rig *r) {
  hn_arena_release(&r->arena);
  hn_simulation_free(r->simulation);
}

static double size_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

// N [x; y] = [b; c] with b, c from a random x, y; rows left out have no equation.
static void check_solution(rig *r, double g) {
  hn_tangent *t = r->tangent;
  const unsigned char *left_out = r->simulation->equations->redundant;
  int elements = r->simulation->elements->row_count;
  hn_random random = hn_random_seed(11);
  double x[MOST], y[MOST], b[MOST] = {0}, c[MOST] = {0}, got[MOST], multiplier[MOST];
  hn_random_fill(&random, x, t->n, -1, 1);
  hn_random_fill(&random, y, t->rows, -1, 1);
  for (int k = 0; k < elements; k++)
    if (left_out[k]) y[k] = 0;
  hn_sparse_add_product(&t->mass, 1, x, b);
  hn_sparse_add_product(&t->damping, g, x, b);
  hn_sparse_add_product(&t->stiffness, g * g, x, b);
  hn_sparse_add_transposed_product(&t->phi_q, 1, y, b);
  hn_sparse_add_product(&t->phi_q, 1, x, c);
  hn_sparse_add_product(&t->phi_v, 2 * g, x, c);
  hn_sparse_add_product(&t->phi_dd, g * g, x, c);
  check_ok(hn_stage_matrix_factor(r->matrix, hn_first_order_numbers(g), left_out));
  hn_stage_matrix_solve(r->matrix, b, c, got, multiplier, 3);
  // what the solution gives back on the rows that are there
  double rb[MOST] = {0}, rc[MOST] = {0};
  hn_sparse_add_product(&t->mass, 1, got, rb);
  hn_sparse_add_product(&t->damping, g, got, rb);
  hn_sparse_add_product(&t->stiffness, g * g, got, rb);
  hn_sparse_add_transposed_product(&t->phi_q, 1, multiplier, rb);
  hn_sparse_add_product(&t->phi_q, 1, got, rc);
  hn_sparse_add_product(&t->phi_v, 2 * g, got, rc);
  hn_sparse_add_product(&t->phi_dd, g * g, got, rc);
  for (int i = 0; i < t->n; i++) check_near(rb[i], b[i], 1e-8 * (1 + size_of(b, t->n)));
  for (int k = 0; k < t->rows; k++)
    if (k >= elements || !left_out[k]) check_near(rc[k], c[k], 1e-8 * (1 + size_of(c, t->rows)));
}

static void solutions_satisfy_the_equations(void **state) {
  (void)state;
  hn_model *models[] = {hn_make_slider_crank(), hn_make_four_bars(3), hn_make_pendulum(),
                        hn_make_oscillator(1e6, 1e4, 0.2)};
  for (int k = 0; k < 4; k++) {
    rig r;
    set_up(&r, models[k]);
    check_solution(&r, 1e-4);
    check_solution(&r, 1e-2);
    tear_down(&r);
    hn_model_free(models[k]);
  }
}

// For the damped oscillator G is known: x' = v, v' = -k x - c v.
static void the_filter_solves_the_first_order_form(void **state) {
  (void)state;
  double k = 1e6, c = 1e4, g = 3e-3;
  hn_model *model = hn_make_oscillator(k, c, 0.2);
  rig r;
  double r1[7] = {0, 0, 0.5}, r2[7] = {0, 0, -2};
  set_up(&r, model);
  check_ok(hn_stage_matrix_factor(r.matrix, hn_first_order_numbers(g), NULL));
  hn_stage_matrix_filter(r.matrix, r1, r2);
  // x1 - g x2 = 0.5,  x2 + g (k x1 + c x2) = -2
  double x2 = (-2 - g * k * 0.5) / (1 + g * c + g * g * k);
  check_relative(r2[2], x2, 1e-9);
  check_relative(r1[2], 0.5 + g * x2, 1e-9);
  tear_down(&r);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions_satisfy_the_equations),
      cmocka_unit_test(the_filter_solves_the_first_order_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
