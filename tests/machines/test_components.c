// Method components: nested is flat on every model, drift, references of Vlasenko and Kasper
// (2007).
#include "analysis/simulation.h"
#include "machines/machine.h"

static machine open_by(const char *path, const char *setting, const char *method, double tol,
                       int threads) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = method;
  options.formula = "dopri5";
  options.tol = tol;
  options.threads = threads;
  return machine_open_by(path, setting, &options);
}

// ---- nested = flat ------------------------------------------------------------------------------

// A random state near the present one that satisfies the constraints by the flat projection.
static int random_state(hn_random *random, hn_simulation *s, double size, double *q, double *qd) {
  hn_equations *e = s->equations;
  for (int i = 0; i < e->nq; i++) {
    q[i] = s->method->q[i] + hn_random_uniform(random, -size, size);
    qd[i] = s->method->qd[i] + hn_random_uniform(random, -1, 1);
  }
  hn_status status =
      e->type->project_positions(e, 0, q, &s->branches, 1e-12, s->looking.correction);
  if (status == HN_OK)
    status = e->type->project_velocities(e, 0, q, qd, &s->branches, s->looking.correction);
  if (status != HN_OK || e->near_singular) return 0;
  // rates of Euler parameters off the tangent mean nothing: take them from the speeds
  double *u = malloc((size_t)e->nu * sizeof(double));
  assert_non_null(u);
  e->type->coordinates->speeds(e, q, qd, u);
  e->type->coordinates->rates(e, q, u, qd);
  free(u);
  return 1;
}

static void compare(const char *path, const char *setting, double size) {
  machine flat = open_by(path, setting, "first-order", 1e-6, 1);
  machine nested = open_by(path, setting, "components", 1e-6, 1);
  hn_simulation *a = flat.simulation, *b = nested.simulation;
  int n = a->equations->nq, found = 0;
  double *q = malloc((size_t)n * sizeof(double)), *qd = malloc((size_t)n * sizeof(double));
  assert_non_null(q);
  assert_non_null(qd);
  hn_random random = hn_random_seed(7);
  for (int trial = 0; trial < 12 && found < 5; trial++) {
    if (!random_state(&random, a, size, q, qd)) continue;
    hn_error error = {0};
    hn_equations *ea = a->equations, *eb = b->equations;
    check_ok(ea->type->evaluate(ea, 0, q, qd, &a->branches, a->looking.snapshot, &error));
    check_ok(eb->type->evaluate(eb, 0, q, qd, &b->branches, b->looking.snapshot, &error));
    double most = 0, difference = 0;
    for (int i = 0; i < a->equations->nu; i++) {
      most = fmax(most, fabs(a->looking.snapshot->ud[i]));
      difference = fmax(difference, fabs(a->looking.snapshot->ud[i] - b->looking.snapshot->ud[i]));
    }
    if (!(difference <= 1e-11 * most))
      fail_msg("%s: accelerations differ by %.3g of %.3g", path, difference, most);
    assert_int_equal(a->equations->redundant_count, b->equations->redundant_count);
    found++;
  }
  if (found < 3) fail_msg("%s: only %d random states were found", path, found);
  free(q);
  free(qd);
  machine_close(&flat);
  machine_close(&nested);
}

static void nested_accelerations_are_the_flat_ones(void **state) {
  (void)state;
  compare("vlasenko/steam-machine.yaml", NULL, 0.01);
  compare("vlasenko/steam-machine.yaml", "driven=1", 0.01);
  compare("vlasenko/car.yaml", NULL, 0.02);
  compare("iltis/iltis.yaml", NULL, 0.02);
  compare("negrut/hmmwv14.yaml", NULL, 0.02);
  compare("components/powertrain.yaml", NULL, 0.01);
}

static void nested_accelerations_of_a_tree_are_the_flat_ones(void **state) {
  (void)state;
  char file[1024];
  const char *settings[] = {"beams=4", "chains=9", "links=5"};
  hn_load_options load = hn_default_load_options();
  load.settings = settings;
  load.setting_count = 3;
  machine made[2] = {{0}};
  const char *methods[] = {"first-order", "components"};
  snprintf(file, sizeof file, "%s/models/components/tree.yaml", HOLON_SOURCE_DIR);
  for (int k = 0; k < 2; k++) {
    hn_error error = {0};
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.method = methods[k];
    options.tol = 1e-8;
    if (hn_model_load(file, &load, &made[k].model, &error)) machine_stop(file, &error);
    if (hn_simulation_create(made[k].model, &options, &made[k].simulation, &error))
      machine_stop(file, &error);
    machine_advance(&made[k], 0.02);
  }
  // after the same motion the same accelerations, up to the tolerance of the motion
  int n = hn_simulation_coordinate_count(made[0].simulation);
  check_near_many(hn_simulation_positions(made[1].simulation),
                  hn_simulation_positions(made[0].simulation), n, 1e-7);
  hn_simulation *a = made[0].simulation, *b = made[1].simulation;
  hn_error error = {0};
  check_ok(b->equations->type->evaluate(b->equations, 0.02, a->method->q, a->method->qd,
                                        &b->branches, b->looking.snapshot, &error));
  double most = 0;
  for (int i = 0; i < a->equations->nu; i++) most = fmax(most, fabs(a->method->now->ud[i]));
  check_near_many(b->looking.snapshot->ud, a->method->now->ud, a->equations->nu, 1e-11 * most);
  for (int k = 0; k < 2; k++) machine_close(&made[k]);
}

// Redundant rows that the disturbance makes nearly independent must not throw the bodies about: the
// correction is of the size of the disturbance.
static void stabilization_closes_gaps_by_small_corrections(void **state) {
  (void)state;
  static const char *const paths[] = {"vlasenko/steam-machine.yaml", "vlasenko/car.yaml",
                                      "components/powertrain.yaml"};
  hn_random random = hn_random_seed(31);
  for (size_t c = 0; c < sizeof paths / sizeof *paths; c++) {
    machine made = open_by(paths[c], NULL, "components", 1e-6, 1);
    hn_simulation *s = made.simulation;
    hn_equations *e = s->equations;
    for (double size = 1e-3; size > 1e-9; size *= 1e-2) {
      double most = 0;
      for (int i = 0; i < e->nq; i++)
        s->looking.q[i] = s->method->q[i] + hn_random_uniform(&random, -size, size);
      check_ok(e->type->project_positions(e, 0, s->looking.q, &s->branches, 1e-12,
                                          s->looking.correction));
      for (int i = 0; i < e->nq; i++) {
        most = fmax(most, fabs(s->looking.correction[i]));
        s->looking.qd[i] = s->method->qd[i] + hn_random_uniform(&random, -size, size);
      }
      check_at_most(most, 100 * size);
      check_ok(e->type->project_velocities(e, 0, s->looking.q, s->looking.qd, &s->branches,
                                           s->looking.correction));
      hn_error error = {0};
      check_ok(e->type->evaluate(e, 0, s->looking.q, s->looking.qd, &s->branches,
                                 s->looking.snapshot, &error));
      for (int r = 0; r < s->elements->row_count; r++) {
        check_near(s->looking.snapshot->phi[r], 0, 1e-12);
        check_near(s->looking.snapshot->phi_rate[r], 0, 1e-10);
      }
    }
    machine_close(&made);
  }
}

// ---- runs ---------------------------------------------------------------------------------------

static void check_drift(const machine *made) {
  hn_certificate c = hn_simulation_certificate(made->simulation);
  assert_string_equal(c.method, "components");
  assert_string_equal(c.linear_solver, "hierarchical");
  check_at_most(c.constraint_position, 1e-10);
  check_at_most(c.constraint_velocity, 1e-10);
}

static void driven_steam_machine_moves_its_piston_by_the_formula(void **state) {
  (void)state;
  machine made = open_by("vlasenko/steam-machine.yaml", "driven=1", "components", 1e-8, 1);
  series exact = series_read("steam_left_piston.csv");
  int vz = series_find(&exact, "vz");
  for (int k = 0; k < exact.rows && series_at(&exact, k, 0) <= 1; k += 5) {
    machine_look(&made, series_at(&exact, k, 0), 1);
    check_near(machine_value(&made, "left_piston.vz"), series_at(&exact, k, vz), 1e-9);
  }
  check_drift(&made);
  series_free(&exact);
  machine_close(&made);
}

// The paper's figure 7: the body rests at 0.54996 m, and after the passenger at 0.53810 m.
static void car_sinks_under_its_passenger(void **state) {
  (void)state;
  machine made = open_by("vlasenko/car.yaml", NULL, "components", 1e-5, 1);
  machine_advance(&made, 2.4);
  check_near(machine_value(&made, "body.z"), 0.54996, 2e-5);
  machine_advance(&made, 8);
  check_near(machine_value(&made, "body.z"), 0.53810, 2e-5);
  check_drift(&made);
  machine_close(&made);
}

static void powertrain_moves_as_by_other_methods(void **state) {
  (void)state;
  machine a = open_by("components/powertrain.yaml", NULL, "first-order", 1e-7, 1);
  machine b = open_by("components/powertrain.yaml", NULL, "components", 1e-7, 1);
  machine_advance(&a, 0.1);
  machine_advance(&b, 0.1);
  check_near(machine_value(&b, "speed"), machine_value(&a, "speed"), 1e-5);
  check_near(machine_value(&b, "shake"), machine_value(&a, "shake"), 1e-7);
  check_drift(&b);
  machine_close(&a);
  machine_close(&b);
}

static void adams_runs_over_components(void **state) {
  (void)state;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.formula = "adams";
  options.tol = 1e-9;
  machine made = machine_open_by("vlasenko/steam-machine.yaml", NULL, &options);
  machine_advance(&made, 1);
  machine other = open_by("vlasenko/steam-machine.yaml", NULL, "first-order", 1e-10, 1);
  machine_advance(&other, 1);
  check_near(machine_value(&made, "shaft.speed"), machine_value(&other, "shaft.speed"), 1e-7);
  check_drift(&made);
  machine_close(&made);
  machine_close(&other);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  unsigned long long hash[3];
  for (int k = 0; k < 3; k++) {
    machine made = open_by("components/tree.yaml", "beams=3", "components", 1e-4, 1 + k);
    for (int step = 0; step < 2; step++) check_ok(hn_simulation_step(made.simulation, 0.001));
    hash[k] = hn_simulation_state_hash(made.simulation);
    machine_close(&made);
  }
  assert_true(hash[0] == hash[1]);
  assert_true(hash[0] == hash[2]);
}

static void levels_tell_borders_and_sizes(void **state) {
  (void)state;
  machine made = open_by("vlasenko/car.yaml", NULL, "first-order", 1e-6, 1);
  hn_level levels[16];
  int count = 0;
  check_ok(hn_simulation_levels(made.simulation, levels, 16, &count));
  assert_int_equal(count, 9);
  assert_int_equal(levels[0].joint_rows, 48); // 12 joints on the highest level
  assert_int_equal(levels[0].bodies, 5);
  assert_int_equal(levels[0].d_size, 0);
  assert_string_equal(levels[1].name, "fl");
  assert_int_equal(levels[1].border_bodies, 2); // rod and knuckle
  assert_int_equal(levels[1].d_size, 12);
  assert_string_equal(levels[2].name, "fl.unit");
  assert_int_equal(levels[2].depth, 2);
  assert_int_equal(levels[2].border_bodies, 1);
  machine_close(&made);
}

static void point_masses_are_refused_by_name(void **state) {
  (void)state;
  static const char text[] = "bodies: {bead: {mass: 1, position: [1, 0, 0]}}\n"
                             "joints: {string: {type: distance, bodies: [ground, bead],\n"
                             "  points: [[0, 0, 0], [1, 0, 0]]}}\n";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  check_ok(hn_model_load_text(text, sizeof text - 1, "bead", NULL, &model, &error));
  check_status(hn_simulation_create(model, &options, &simulation, &error), HN_ERROR_SINGULAR);
  check_names(error.element, "'bead'");
  hn_model_free(model);
}

// N-four-bar: twice a turn all bars lie in one line, where stages off the constraints are useless.
// The exact end: amplitude function of phi'' = G sin phi.
static void components_pass_through_singular_positions(void **unused) {
  (void)unused;
  static const double tolerances[] = {1e-6, 1e-8};
  for (int k = 0; k < 2; k++) {
    machine made = open_by("iftomm/a02.yaml", NULL, "components", tolerances[k], 1);
    machine_advance(&made, 10);
    check_near(machine_value(&made, "B0.x"), 0.328458111540815, 1e3 * tolerances[k]);
    check_near(machine_value(&made, "B0.y"), 0.944518538178601, 1e3 * tolerances[k]);
    machine_close(&made);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nested_accelerations_are_the_flat_ones),
      cmocka_unit_test(nested_accelerations_of_a_tree_are_the_flat_ones),
      cmocka_unit_test(stabilization_closes_gaps_by_small_corrections),
      cmocka_unit_test(driven_steam_machine_moves_its_piston_by_the_formula),
      cmocka_unit_test(car_sinks_under_its_passenger),
      cmocka_unit_test(powertrain_moves_as_by_other_methods),
      cmocka_unit_test(adams_runs_over_components),
      cmocka_unit_test(components_pass_through_singular_positions),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(levels_tell_borders_and_sizes),
      cmocka_unit_test(point_masses_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
