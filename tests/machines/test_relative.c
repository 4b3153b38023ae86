// Relative coordinates on whole models: the same motion as Cartesian ones for every model of
// models/, the counts of the HMMWV, trees that float, cut joints chosen by hand, singular
// configurations.
#include "machines/machine.h"

#include "analysis/simulation.h"
#include "equations/relative/relative.h"
#include "math/euler.h"
#include "model/model.h"

// way: method, formula, independent coordinates.
static machine open_with(const char *path, const char *setting, const char *coordinates,
                         const char *const way[3], double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = way[0];
  options.formula = way[1];
  options.independent = way[2];
  options.tol = tol;
  return machine_open_by(path, setting, &options);
}

static machine open_in(const char *path, const char *setting, const char *coordinates, double tol) {
  static const char *const explicit_way[3] = {"first-order", "dopri5", "none"};
  return open_with(path, setting, coordinates, explicit_way, tol);
}

// ---- every model --------------------------------------------------------------------------------

// Times are short where a model is stiff, fast or chaotic: both runs then take very many steps, or
// differences of the tolerance grow.
typedef struct span {
  const char *model;
  double time;
} span;

static const span machines[] = {
    {"andrews-ivp.yaml", 0.01},
    {"car-axis.yaml", 0.5},
    {"double-wishbone.yaml", 0.5},
    {"four-bar.yaml", 1},
    {"gyroscope.yaml", 0.1},
    {"slider-crank.yaml", 0.2},
    {"cardenal/double-pendulum.yaml", 0.5},
    {"iftomm/a01.yaml", 1},
    {"iftomm/a02.yaml", 0.3},
    {"iftomm/a03.yaml", 0.01},
    {"iftomm/a04.yaml", 1},
    {"iftomm/a05.yaml", 0.02},
    {"iltis/front-suspension.yaml", 0.1},
    {"iltis/iltis.yaml", 0.5},
    {"iltis/rest.yaml", 0.1},
    {"negrut/chain.yaml", 0.1},
    {"negrut/double-pendulum.yaml", 0.01},
    {"negrut/hmmwv14.yaml", 0.5},
    {"negrut/hmmwv14-stiff.yaml", 0.005},
    {"negrut/seven-body.yaml", 0.01},
    {"vlasenko/car.yaml", 0.2},
    {"vlasenko/steam-machine.yaml", 0.5},
    {"vlasenko/strut.yaml", 0.5},
    {"vlasenko/wheel-unit.yaml", 0.5},
    {"examples/body-initial.yaml", 0.5},
    {"examples/body-solid.yaml", 0.2},
    {"examples/component.yaml", 0.2},
    {"examples/driver-distance.yaml", 0.5},
    {"examples/driver-joint.yaml", 0.5},
    {"examples/driver-point.yaml", 0.2},
    {"examples/floating-trees.yaml", 1},
    {"examples/force-bushing.yaml", 0.1},
    {"examples/force-joint-friction.yaml", 0.2},
    {"examples/force-joint-spring-damper.yaml", 0.2},
    {"examples/force-joint-stop.yaml", 0.5},
    {"examples/force-leaf-spring.yaml", 0.2},
    {"examples/force-point-force.yaml", 0.5},
    {"examples/force-rotational-spring-damper.yaml", 0.2},
    {"examples/force-spring-damper.yaml", 0.2},
    {"examples/force-torque.yaml", 0.5},
    {"examples/force-tyre.yaml", 0.2},
    {"examples/initial-equilibrium.yaml", 0.2},
    {"examples/joint-constant-velocity.yaml", 0.3},
    {"examples/joint-coupler.yaml", 0.3},
    {"examples/coupler-polynomial.yaml", 0.3},
    {"examples/joint-cylindrical.yaml", 0.3},
    {"examples/joint-distance.yaml", 0.3},
    {"examples/joint-fixed.yaml", 0.3},
    {"examples/joint-free.yaml", 0.3},
    {"examples/joint-gear.yaml", 0.3},
    {"examples/joint-parallel.yaml", 0.3},
    {"examples/joint-perpendicular.yaml", 0.3},
    {"examples/joint-planar.yaml", 0.3},
    {"examples/joint-point-in-plane.yaml", 0.3},
    {"examples/joint-point-on-line.yaml", 0.3},
    {"examples/joint-rack-pinion.yaml", 0.3},
    {"examples/joint-revolute.yaml", 0.3},
    {"examples/joint-screw.yaml", 0.3},
    {"examples/joint-spherical.yaml", 0.3},
    {"examples/joint-translational.yaml", 0.3},
    {"examples/joint-universal.yaml", 0.3},
    {"examples/laws.yaml", 0.2},
    {"examples/markers.yaml", 0.2},
    {"examples/outputs.yaml", 0.3},
    {"examples/parameters.yaml", 0.3},
    {"examples/repeat.yaml", 0.2},
    {"examples/road-cosine-bump.yaml", 0.2},
    {"examples/road-flat.yaml", 0.2},
    {"examples/road-half-cylinder.yaml", 0.2},
    {"examples/road-polyline.yaml", 0.2},
    {"examples/road-table.yaml", 0.2},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

static double largest_difference(machine *a, machine *b) {
  double most = 0;
  for (int body = 1; body < a->model->body_count; body++) {
    hn_body_motion x, y;
    check_ok(hn_simulation_body_motion(a->simulation, body, &x));
    check_ok(hn_simulation_body_motion(b->simulation, body, &y));
    most = fmax(most, vec3_norm(vec3_sub(x.position, y.position)));
    for (int i = 0; i < 9; i++)
      most = fmax(most, fabs((&x.rotation.m[0][0])[i] - (&y.rotation.m[0][0])[i]));
  }
  return most;
}

static void motion_is_that_of_cartesian_coordinates(void **state) {
  const span *m = *state;
  machine a = open_in(m->model, NULL, "cartesian", 1e-10);
  machine b = open_in(m->model, NULL, "relative", 1e-10);
  check_at_most(largest_difference(&a, &b), 1e-11);
  for (int k = 1; k <= 2; k++) {
    machine_advance(&a, 0.5 * k * m->time);
    machine_advance(&b, 0.5 * k * m->time);
    double difference = largest_difference(&a, &b);
    if (!(difference <= 1e-8)) fail_msg("%s: %g apart", m->model, difference);
  }
  hn_mobility found; // by the rank of the rows on bodies
  check_ok(hn_simulation_mobility(b.simulation, &found));
  assert_int_equal(hn_simulation_certificate(b.simulation).redundant, found.rows - found.rank);
  hn_mobility_free(&found);
  machine_close(&a);
  machine_close(&b);
}

// Reactions are unique where no row is redundant.
static void reactions_are_those_of_cartesian_coordinates(void **state) {
  (void)state;
  static const char *const models[] = {"iltis/rest.yaml", "vlasenko/car.yaml", "car-axis.yaml",
                                       "examples/joint-screw.yaml", "double-wishbone.yaml"};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    machine a = open_in(models[k], NULL, "cartesian", 1e-10);
    machine b = open_in(models[k], NULL, "relative", 1e-10);
    int count = hn_simulation_multiplier_count(a.simulation);
    assert_int_equal(hn_simulation_multiplier_count(b.simulation), count);
    const double *x = hn_simulation_multipliers(a.simulation);
    const double *y = hn_simulation_multipliers(b.simulation);
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
    check_near_many(y, x, count, 1e-10 * (1 + most));
    machine_close(&a);
    machine_close(&b);
  }
}

// Implicit methods end where the Cartesian run does.
static void implicit_methods_agree_with_cartesian_coordinates(void **state) {
  (void)state;
  static const char *const models[] = {"iltis/rest.yaml", "slider-crank.yaml",
                                       "negrut/double-pendulum.yaml",
                                       "examples/floating-trees.yaml"};
  static const char *const ways[][3] = {{"descriptor", "sdirk4-16", "none"},
                                        {"first-order", "rosenbrock", "none"},
                                        {"first-order", "sdirk4-15", "partition"},
                                        {"state-space", "sdirk4-16", "partition"},
                                        {"state-space", "sdirk4-15", "tangent-plane"}};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    machine reference = open_in(models[k], NULL, "cartesian", 1e-9);
    machine_advance(&reference, 0.1);
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
      machine m = open_with(models[k], NULL, "relative", ways[w], 1e-8);
      machine_advance(&m, 0.1);
      double difference = largest_difference(&reference, &m);
      if (!(difference <= 1e-6))
        fail_msg("%s by %s %s: %g apart", models[k], ways[w][0], ways[w][1], difference);
      machine_close(&m);
    }
    machine_close(&reference);
  }
}

// ---- trees --------------------------------------------------------------------------------------

static void hmmwv_has_the_counts_of_the_thesis(void **state) {
  (void)state;
  machine m = open_in("negrut/hmmwv14.yaml", NULL, "relative", 1e-4);
  hn_mobility found;
  check_ok(hn_simulation_mobility(m.simulation, &found));
  assert_int_equal(found.speeds, 27);
  assert_int_equal(found.coordinates, 32);
  assert_int_equal(found.cut_rows, 16);
  assert_int_equal(found.equations, 21);
  assert_int_equal(found.degrees_of_freedom, 11);
  assert_int_equal(found.cut_count, 8);
  assert_int_equal(found.tree_count, 14);
  hn_mobility_free(&found);
  machine_close(&m);
}

// Table 7 of the thesis counts 3871 additions and 4258 multiplications for one solution by its best
// algorithm: here a multiply-add of the factorization counts as one of each, the two triangles of the
// solution likewise, divisions as multiplications.
static void hmmwv_is_solved_with_the_operations_of_the_thesis(void **state) {
  (void)state;
  machine m = open_in("negrut/hmmwv14.yaml", NULL, "relative", 1e-4);
  const hn_saddle *saddle = m.simulation->equations->saddle;
  double additions = hn_saddle_operations(saddle) + 2.0 * (double)hn_saddle_fill(saddle);
  double multiplications = additions + 27 + 16 + (double)hn_saddle_fill(saddle);
  check_at_most(additions, 3871);
  check_at_most(multiplications, 4258);
  assert_true(additions > 1000);
  machine_close(&m);
}

static void a_chain_is_as_deep_as_it_is_long(void **state) {
  (void)state;
  machine m = open_in("negrut/chain.yaml", "N=400", "relative", 1e-4);
  hn_mobility found;
  check_ok(hn_simulation_mobility(m.simulation, &found));
  assert_int_equal(found.tree_count, 400);
  for (int k = 0; k < found.tree_count; k++) {
    assert_int_equal(found.tree[k].depth, k + 1);
    assert_int_equal(found.tree[k].parent, k > 0 ? found.tree[k - 1].body : HN_GROUND);
  }
  hn_mobility_free(&found);
  machine_close(&m);
}

// Counting the work of the way that is not taken must not take longer than the steps of the other:
// of a chain the third power of its length.
static void work_is_counted_no_further_than_needed(void **state) {
  (void)state;
  machine m = open_in("negrut/chain.yaml", "N=400", "relative", 1e-4);
  const hn_tree *tree = ((const hn_relative_set *)m.simulation->equations)->tree;
  double articulated = hn_tree_articulated_work(tree);
  double whole = hn_tree_composite_work(tree, HUGE_VAL);
  double counted = hn_tree_composite_work(tree, articulated);
  assert_true(whole > 50 * articulated);
  assert_true(counted > articulated);
  check_at_most(counted, 1.1 * articulated);
  machine_close(&m);
}

static void branches_are_short_and_loops_cut_in_the_middle(void **state) {
  (void)state;
  machine m = open_in("iftomm/a02.yaml", "N=40", "relative", 1e-4);
  hn_mobility found;
  check_ok(hn_simulation_mobility(m.simulation, &found));
  assert_int_equal(found.speeds, 81);
  assert_int_equal(found.cut_rows, 5 * 40);
  for (int k = 0; k < found.tree_count; k++) assert_true(found.tree[k].depth <= 2);
  hn_mobility_free(&found);
  machine_close(&m);
}

typedef struct momentum {
  hn_vec3 linear, angular; // about the origin
} momentum;

static momentum momentum_of(machine *m) {
  momentum sum = {{0, 0, 0}, {0, 0, 0}};
  for (int b = 1; b < m->model->body_count; b++) {
    const hn_body_def *def = &m->model->bodies[b];
    hn_body_motion at;
    check_ok(hn_simulation_body_motion(m->simulation, b, &at));
    hn_vec3 p = vec3_scale(def->mass, at.velocity);
    hn_vec3 w = mat3_apply_transposed(at.rotation, at.angular_velocity);
    hn_vec3 spin = mat3_apply(at.rotation, mat3_apply(mat3_symmetric(def->inertia), w));
    sum.linear = vec3_add(sum.linear, p);
    sum.angular = vec3_add(sum.angular, vec3_add(vec3_cross(at.position, p), spin));
  }
  return sum;
}

static void floating_trees_keep_momentum_and_energy(void **state) {
  (void)state;
  machine m = open_in("examples/floating-trees.yaml", NULL, "relative", 1e-10);
  hn_mobility found;
  check_ok(hn_simulation_mobility(m.simulation, &found));
  int free_bases = 0;
  for (int k = 0; k < found.tree_count; k++) free_bases += found.tree[k].joint < 0;
  assert_int_equal(free_bases, 4);
  assert_int_equal(found.cut_rows, 5);
  hn_mobility_free(&found);
  momentum before = momentum_of(&m);
  machine_advance(&m, 5);
  momentum after = momentum_of(&m);
  check_near(vec3_norm(vec3_sub(after.linear, before.linear)), 0, 1e-8);
  check_near(vec3_norm(vec3_sub(after.angular, before.angular)), 0, 1e-8);
  hn_certificate certificate = hn_simulation_certificate(m.simulation);
  check_at_most(certificate.energy_relative, 1e-8);
  check_at_most(certificate.constraint_position, 1e-10);
  machine_close(&m);
}

static void singular_positions_are_passed(void **state) {
  (void)state;
  machine m = open_in("iftomm/a02.yaml", "N=10", "relative", 1e-6);
  machine_advance(&m, 10); // seven turns, singular twice in each
  hn_certificate certificate = hn_simulation_certificate(m.simulation);
  check_at_most(certificate.energy_relative, 1e-4);
  check_at_most(certificate.constraint_position, 1e-9);
  machine_close(&m);
}

// A parallelogram that lies in one line at first: of its loop's rows one more seems to depend on
// the others there. It oscillates as if c were a point mass at the end of a, for c does not turn.
static const char flat_parallelogram[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, center: [0.5, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
    "  c: {mass: 1, center: [2, 0, 0], inertia: [0.01, 0.3, 0.3]}\n"
    "  b: {mass: 1, center: [2.5, 0, 0], inertia: [0.01, 0.08, 0.08]}\n"
    "%s"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z, initial: {angle_rate: 3}}\n"
    "  B: {type: revolute, bodies: [a, c], at: [1, 0, 0], axis: z}\n"
    "  C: {type: revolute, bodies: [c, b], at: [3, 0, 0], axis: z}\n"
    "  D: {type: revolute, bodies: [ground, b], at: [2, 0, 0], axis: z, initial: {angle_rate: 3}}\n"
    "%s";

static machine open_flat(int is_in_space, const char *coordinates, const char *const way[3]) {
  char text[2048];
  hn_error error = {0};
  machine made = {0};
  snprintf(text, sizeof text, flat_parallelogram,
           is_in_space ? "  z: {mass: 1e-6, center: [2, 0, 0], inertia: [1e-6, 1e-6, 1e-6]}\n" : "",
           is_in_space ? "  Z: {type: revolute, bodies: [c, z], at: [2, 0, 0], axis: x}\n" : "");
  hn_load_options load = hn_default_load_options();
  if (hn_model_load_text(text, strlen(text), "flat.yaml", &load, &made.model, &error))
    machine_stop("flat", &error);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = way[0];
  options.formula = way[1];
  options.independent = way[2];
  options.tol = 1e-5;
  if (hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop("flat", &error);
  return made;
}

// I angle'' = -g (1/2 + 1/2 + 1) cos angle, I = 2 (0.08 + 1/4) + 1, by Runge and Kutta's method.
static double flat_angle(double time) {
  enum { STEPS = 2000 };
  const double h = time / STEPS, k = -9.81 * 2 / (2 * (0.08 + 0.25) + 1);
  double x = 0, v = 3;
  for (int i = 0; i < STEPS; i++) {
    double a1 = k * cos(x), a2 = k * cos(x + h / 2 * v);
    double a3 = k * cos(x + h / 2 * v + h * h / 4 * a1);
    double a4 = k * cos(x + h * v + h * h / 2 * a2);
    x += h * v + h * h / 6 * (a1 + a2 + a3);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return x;
}

static void a_singular_start_leaves_no_row_out_for_ever(void **state) {
  static const char *const ways[][3] = {{"first-order", "dopri5", "none"},
                                        {"descriptor", "sdirk4-16", "none"}};
  (void)state;
  double exact = flat_angle(0.5);
  for (int w = 0; w < 2; w++)
    for (int is_in_space = 0; is_in_space < 2; is_in_space++) {
      long steps[2];
      for (int k = 0; k < 2; k++) {
        machine m = open_flat(is_in_space, k == 0 ? "cartesian" : "relative", ways[w]);
        machine_advance(&m, 0.5);
        hn_certificate certificate = hn_simulation_certificate(m.simulation);
        steps[k] = certificate.steps_accepted;
        print_message("%s %d %d: %ld steps, velocity %.1e, acceleration %.1e, angle off %.1e\n",
                      ways[w][1], is_in_space, k, steps[k], certificate.constraint_velocity,
                      certificate.constraint_acceleration,
                      machine_value(&m, "joint.A.angle") - exact);
        check_near(machine_value(&m, "joint.A.angle"), exact, 1e-4);
        check_near(machine_value(&m, "body.c.angular_velocity.z"), 0, 1e-4);
        check_at_most(certificate.constraint_position, 1e-9);
        check_at_most(certificate.constraint_velocity, 1e-9);
        check_at_most(certificate.constraint_acceleration, 1e-6);
        check_at_most(certificate.energy_relative, 1e-4);
        machine_close(&m);
      }
      check_at_most((double)steps[1], 3.0 * (double)steps[0]);
    }
}

// ---- state --------------------------------------------------------------------------------------

static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  static const char *const models[] = {"vlasenko/car.yaml", "slider-crank.yaml"};
  for (int k = 0; k < 2; k++) {
    machine a = open_in(models[k], NULL, "relative", 1e-6);
    machine b = open_in(models[k], NULL, "relative", 1e-6);
    machine_advance(&a, 0.1);
    size_t size = hn_simulation_save_size(a.simulation);
    void *saved = malloc(size);
    check_ok(hn_simulation_save(a.simulation, saved, size));
    check_ok(hn_simulation_restore(b.simulation, saved, size));
    machine_advance(&a, 0.2);
    machine_advance(&b, 0.2);
    assert_true(hn_simulation_state_hash(a.simulation) == hn_simulation_state_hash(b.simulation));
    free(saved);
    machine_close(&a);
    machine_close(&b);
  }
}

static void looking_back_changes_nothing(void **state) {
  (void)state;
  machine a = open_in("iftomm/a04.yaml", NULL, "relative", 1e-6);
  machine b = open_in("iftomm/a04.yaml", NULL, "relative", 1e-6);
  for (int k = 1; k <= 20; k++) {
    machine_look(&a, 0.05 * k, 2);
    double energy = machine_value(&a, "energy.balance");
    check_near(energy, 0, 1e-3);
  }
  machine_advance(&a, 2);
  machine_advance(&b, 2);
  assert_true(hn_simulation_state_hash(a.simulation) == hn_simulation_state_hash(b.simulation));
  machine_close(&a);
  machine_close(&b);
}

// ---- memory -------------------------------------------------------------------------------------

static hn_simulation_options relative_options(const char *method, const char *formula) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "relative";
  options.method = method;
  options.formula = formula;
  options.tol = 1e-6;
  return options;
}

static void every_failed_allocation_is_told(void **state) {
  (void)state;
  machine m = open_in("car-axis.yaml", NULL, "relative", 1e-6);
  hn_status status = HN_ERROR_MEMORY;
  for (long fail_at = 1; status != HN_OK; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_simulation_options options = relative_options("descriptor", "sdirk4-16");
    hn_simulation *simulation = NULL;
    hn_error error;
    options.allocator = &allocator;
    status = hn_simulation_create(m.model, &options, &simulation, &error);
    assert_true(status == HN_OK || status == HN_ERROR_MEMORY);
    hn_simulation_free(simulation);
    assert_int_equal(memory.living, 0);
  }
  machine_close(&m);
}

static void steps_allocate_nothing(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"first-order", "dopri5"}, {"descriptor", "sdirk4-16"}};
  machine m = open_in("iltis/rest.yaml", NULL, "relative", 1e-6);
  for (int w = 0; w < 2; w++) {
    hn_counting_memory memory = {.calls = 0};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_simulation_options options = relative_options(ways[w][0], ways[w][1]);
    hn_simulation *simulation = NULL;
    options.allocator = &allocator;
    check_ok(hn_simulation_create(m.model, &options, &simulation, NULL));
    long calls = memory.calls;
    check_ok(hn_simulation_advance(simulation, 0.05));
    assert_int_equal(memory.calls, calls);
    hn_simulation_free(simulation);
  }
  machine_close(&m);
}

// A slider of 292 t and a body of 1.3 kg, joined by one of 36 mg, in a loop that cannot move: 1 + 2
// + 2 degrees of freedom, 5 equations. The swinging body pulls at the light one with springs.
// Constraints of the light one are small against its own accelerations, but nothing is singular.
static const char light_between_heavy[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  heavy: {mass: 291783, center: [-0.998, -0.132, 0.112], inertia: [59375, 32656, 51115]}\n"
    "  swing: {mass: 4.575, center: [-0.765, -0.283, -0.283], inertia: [0.445, 0.297, 0.540]}\n"
    "  light: {mass: 3.6e-5, center: [-0.762, -0.298, 0.762],\n"
    "          inertia: [5.48e-6, 5.48e-6, 9.96e-6]}\n"
    "  other: {mass: 1.264, center: [-0.831, 0.446, -0.088], inertia: [0.1503, 0.0827, 0.0827]}\n"
    "joints:\n"
    "  A: {type: translational, bodies: [ground, heavy], at: [-0.499, -0.066, 0.056],\n"
    "      axis: [-0.2424, 0.7099, -0.6613]}\n"
    "  S: {type: revolute, bodies: [heavy, swing], at: [-0.882, -0.208, -0.086],\n"
    "      axis: [-0.9947, 0.0225, 0.1001]}\n"
    "  B: {type: cylindrical, bodies: [heavy, light], at: [-0.880, -0.215, 0.437],\n"
    "      axis: [0.9391, -0.3030, -0.1622]}\n"
    "  C: {type: cylindrical, bodies: [light, other], at: [-0.796, 0.074, 0.337],\n"
    "      axis: [-0.3530, 0.0799, 0.9322]}\n"
    "  D: {type: revolute, bodies: [ground, other], at: [-0.415, 0.223, -0.044], axis: y}\n"
    "forces:\n"
    "  f1: {type: spring-damper, bodies: [light, swing],\n"
    "       points: [[-0.762, -0.298, 0.762], [-0.765, -0.283, -0.283]],\n"
    "       stiffness: 1.28e7, damping: 7013, free_length: 1.0413}\n"
    "  f2: {type: spring-damper, bodies: [swing, ground],\n"
    "       points: [[-0.765, -0.283, -0.283], [0, 0, 0]],\n"
    "       stiffness: 7.29e6, damping: 1997, free_length: 0.8627}\n";

static void a_light_body_between_heavy_ones_is_held(void **state) {
  (void)state;
  hn_error error = {0};
  machine made = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "relative";
  options.tol = 1e-6;
  if (hn_model_load_text(light_between_heavy, strlen(light_between_heavy), "light.yaml", NULL,
                         &made.model, &error) ||
      hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop("light", &error);
  while (hn_simulation_time(made.simulation) < 0.5) {
    check_ok(hn_simulation_step(made.simulation, 0.5));
    assert_true(hn_simulation_certificate(made.simulation).steps_accepted < 2000);
  }
  for (int b = 1; b <= 4; b++) {
    const hn_vec3 drawn = made.model->bodies[b].position;
    const hn_vec3 now = made.simulation->view.snapshot->frames[b].r;
    if (b != 2) check_at_most(vec3_norm(vec3_sub(now, drawn)), 1e-9);
  }
  check_at_most(hn_simulation_certificate(made.simulation).energy_relative, 1e-4);
  machine_close(&made);
}

// A parallelogram 5e-4 rad from flat with a damper so strong that it stays there: 1.66 x'' = -19.62
// cos x - 1e5 x'. Explicit steps past the singular configuration would be limited to 55 us.
static const char slow_parallelogram[] =
    "parameters: {a: 5e-4}\n"
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 1, center: [0.5*cos(a), 0.5*sin(a), 0], inertia: [0.01, 0.08, 0.08]}\n"
    "  c: {mass: 1, center: [1+cos(a), sin(a), 0], inertia: [0.01, 0.3, 0.3]}\n"
    "  b: {mass: 1, center: [2+0.5*cos(a), 0.5*sin(a), 0], inertia: [0.01, 0.08, 0.08]}\n"
    "joints:\n"
    "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z}\n"
    "  B: {type: revolute, bodies: [a, c], at: [cos(a), sin(a), 0], axis: z}\n"
    "  C: {type: revolute, bodies: [c, b], at: [2+cos(a), sin(a), 0], axis: z}\n"
    "  D: {type: revolute, bodies: [ground, b], at: [2, 0, 0], axis: z}\n"
    "forces:\n"
    "  drag: {type: joint-spring-damper, joint: A, damping: 1e5}\n"
    "outputs: {angle: joint.A.angle}\n";

static void a_stiff_machine_near_a_singular_position_is_not_stepped_explicitly(void **state) {
  (void)state;
  hn_error error = {0};
  machine made = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "relative";
  options.tol = 1e-5;
  if (hn_model_load_text(slow_parallelogram, strlen(slow_parallelogram), "slow.yaml", NULL,
                         &made.model, &error) ||
      hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop("slow", &error);
  machine_advance(&made, 2);
  check_near(machine_value(&made, "angle"), -19.62 / 1e5 * (2 - 1.66 / 1e5), 1e-6);
  assert_true(hn_simulation_certificate(made.simulation).steps_accepted < 5000);
  machine_close(&made);
}

int main(void) {
  enum { OTHERS = 16 };
  struct CMUnitTest tests[MACHINES + OTHERS];
  for (int k = 0; k < MACHINES; k++)
    tests[k] = (struct CMUnitTest){.name = machines[k].model,
                                   .test_func = motion_is_that_of_cartesian_coordinates,
                                   .initial_state = (void *)&machines[k]};
  const struct CMUnitTest others[OTHERS] = {
      cmocka_unit_test(reactions_are_those_of_cartesian_coordinates),
      cmocka_unit_test(implicit_methods_agree_with_cartesian_coordinates),
      cmocka_unit_test(hmmwv_has_the_counts_of_the_thesis),
      cmocka_unit_test(hmmwv_is_solved_with_the_operations_of_the_thesis),
      cmocka_unit_test(a_chain_is_as_deep_as_it_is_long),
      cmocka_unit_test(work_is_counted_no_further_than_needed),
      cmocka_unit_test(branches_are_short_and_loops_cut_in_the_middle),
      cmocka_unit_test(floating_trees_keep_momentum_and_energy),
      cmocka_unit_test(singular_positions_are_passed),
      cmocka_unit_test(a_singular_start_leaves_no_row_out_for_ever),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(looking_back_changes_nothing),
      cmocka_unit_test(every_failed_allocation_is_told),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(a_light_body_between_heavy_ones_is_held),
      cmocka_unit_test(a_stiff_machine_near_a_singular_position_is_not_stepped_explicitly),
  };
  for (int k = 0; k < OTHERS; k++) tests[MACHINES + k] = others[k];
  return _cmocka_run_group_tests("relative", tests, MACHINES + OTHERS, NULL, NULL);
}
