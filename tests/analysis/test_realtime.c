// Runs in real time: an even grid of times, iterations that are bounded, inputs, states taken back,
// times of steps by a clock that the test moves. Expected values are exact solutions.
#include "support/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "holon/holon.h"
#include "math/euler.h"
#include "support/machines.h"

// Methods for inputs. gap: error of a driver's position (m).
static const struct way {
  const char *coordinates, *method, *formula;
  double gap;
} ways[] = {{"relative", "state-space", "trapezoidal", 1e-12},
            {"cartesian", "descriptor", "trapezoidal", 1e-12},
            {"relative", "augmented-lagrangian-3", "trapezoidal", 1e-9},
            {"natural", "augmented-lagrangian-3", "trapezoidal", 1e-9}};
#define WAYS ((int)(sizeof ways / sizeof ways[0]))
static int way; // the first, but where a test goes through them

static hn_realtime *open_loop(const hn_model *model, double step, int iterations,
                              hn_at_bound at_bound) {
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.step = step;
  options.simulation.max_iterations = iterations;
  options.simulation.coordinates = ways[way].coordinates;
  options.simulation.method = ways[way].method;
  options.simulation.formula = ways[way].formula;
  options.simulation.tol = 1e-6;
  options.at_bound = at_bound;
  hn_realtime *loop = NULL;
  hn_error error = {0};
  hn_status status = hn_realtime_create(model, &options, &loop, &error);
  if (status) fail_msg("%s", error.message);
  return loop;
}

// A mass of 2 kg on rails along x. force: on it, of x v t and inputs; may be null. drive: of time.
static hn_model *make_cart(const char *force, const char *drive, double filter) {
  hn_model *model = NULL;
  hn_error error = {0};
  check_ok(hn_model_create(NULL, &model));
  hn_input_def push = {.name = "push", .filter = filter};
  check_ok(hn_model_add_input(model, &push, NULL));
  hn_body_def cart = hn_default_body();
  cart.name = "cart";
  cart.mass = 2;
  int body = -1, joint = -1;
  check_ok(hn_model_add_body(model, &cart, &body));
  hn_joint_def rail = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  rail.name = "rail";
  rail.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, 0), vec3(1, 0, 0));
  rail.frame2 = hn_model_frame(model, body, vec3(0, 0, 0), vec3(1, 0, 0));
  check_ok(hn_model_add_joint(model, &rail, &joint));
  static const char *const names[] = {"x", "v", "t"}, *const time[] = {"t"};
  if (force) {
    hn_force_def def = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
    def.name = "motor";
    def.joint = joint;
    def.coordinate = HN_COORDINATE_DISPLACEMENT;
    check_ok(hn_model_law(model, force, names, 3, NULL, &def.of_xvt, &error));
    check_ok(hn_model_add_force(model, &def, NULL));
  }
  if (drive) {
    hn_driver_def def = hn_default_driver(HN_DRIVER_JOINT);
    def.name = "drive";
    def.joint = joint;
    def.coordinate = HN_COORDINATE_DISPLACEMENT;
    check_ok(hn_model_law(model, drive, time, 1, NULL, &def.law, &error));
    check_ok(hn_model_add_driver(model, &def, NULL));
  }
  check_ok(hn_model_finish(model));
  return model;
}

static double read(hn_realtime *loop, const char *name) {
  int output = hn_realtime_find_output(loop, name);
  if (output < 0) fail_msg("no output %s", name);
  return hn_realtime_output(loop, output);
}

static void run(hn_realtime *loop, int steps) {
  for (int k = 0; k < steps; k++) check_ok(hn_realtime_step(loop, NULL));
}

// ---- grid and bound -----------------------------------------------------------------------------

static void steps_end_on_an_even_grid_whatever_laws_do(void **state) {
  (void)state;
  // a force that jumps between the ends of steps: an ordinary run ends a step there
  hn_model *model = make_cart("-(3 if t < 0.01234 else -3)", NULL, 0);
  hn_realtime *loop = open_loop(model, 1e-3, 6, HN_BOUND_ACCEPT);
  for (int k = 1; k <= 1000; k++) {
    check_ok(hn_realtime_step(loop, NULL));
    assert_true(hn_realtime_time(loop) == k * 1e-3);
  }
  hn_certificate c = hn_simulation_certificate(hn_realtime_simulation(loop));
  assert_int_equal(c.steps_accepted, 1000);
  check_near(c.steps_between.largest, 1e-3, 1e-15);
  check_near(c.steps_between.smallest, 1e-3, 1e-15);
  hn_realtime_free(loop);
  hn_model_free(model);
}

// The trapezoidal rule keeps the energy of a linear oscillator, and turns its phase by
// 2 atan(w h / 2) a step.
static void an_oscillator_turns_as_the_trapezoidal_rule_says(void **state) {
  (void)state;
  double k = 400, h = 5e-3, z0 = 0.3, turn = 2 * atan(sqrt(k) * h / 2);
  hn_model *model = hn_make_oscillator(k, 0, z0);
  hn_realtime *loop = open_loop(model, h, 6, HN_BOUND_ACCEPT);
  for (int n = 1; n <= 500; n++) {
    check_ok(hn_realtime_step(loop, NULL));
    check_near(read(loop, "joint.guide.displacement"), z0 * cos(n * turn), 1e-8);
  }
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void a_stage_at_its_bound_is_taken_and_counted(void **state) {
  (void)state;
  hn_model *model = make_cart("3000*x + 5e4*x^3 - 40*push", NULL, 0);
  hn_realtime *loop = open_loop(model, 1e-2, 1, HN_BOUND_ACCEPT);
  check_ok(hn_realtime_set_input(loop, hn_realtime_find_input(loop, "push"), 10));
  long unconverged = 0;
  double largest = 0;
  for (int k = 0; k < 50; k++) {
    hn_step_report report;
    check_ok(hn_realtime_step(loop, &report));
    assert_int_equal(report.iterations, 1);
    assert_int_equal(report.unconverged > 0, report.residual > 0);
    unconverged += report.unconverged;
    largest = fmax(largest, report.residual);
  }
  hn_certificate c = hn_simulation_certificate(hn_realtime_simulation(loop));
  assert_true(unconverged > 10);
  assert_int_equal(c.newton_unconverged_accepted, unconverged);
  assert_int_equal(c.newton_iterations, 50);
  check_near(c.newton_unconverged_residual, largest, 0);
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void at_the_bound_a_loop_that_must_converge_stops_where_it_was(void **state) {
  (void)state;
  hn_model *model = make_cart("3000*x + 5e5*x^3 - 40*push", NULL, 0);
  hn_realtime *loop = open_loop(model, 0.5, 6, HN_BOUND_STOP);
  check_ok(hn_realtime_set_input(loop, 0, 3e4));
  hn_status status = HN_OK;
  double before = 0, x = 0;
  for (int k = 0; k < 100 && status == HN_OK; k++) {
    before = hn_realtime_time(loop);
    x = read(loop, "joint.rail.displacement");
    status = hn_realtime_step(loop, NULL);
  }
  assert_int_equal(status, HN_ERROR_CONVERGENCE);
  check_near(hn_realtime_time(loop), before, 0);
  check_near(read(loop, "joint.rail.displacement"), x, 0);
  assert_int_equal(
      hn_simulation_certificate(hn_realtime_simulation(loop)).newton_unconverged_accepted, 0);
  hn_realtime_free(loop);
  hn_model_free(model);
}

// A wheel dropped on the road: with steps longer than the whole contact, a law that is frozen in a
// step would pull it down when it leaves.
static void contact_never_pulls_and_its_changes_are_counted(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, vec3(0, 0, -10)));
  hn_body_def wheel = hn_default_body();
  int body = -1, road = -1;
  wheel.name = "wheel";
  wheel.position = vec3(0, 0, 0.5);
  check_ok(hn_model_add_body(model, &wheel, &body));
  hn_road_def flat = hn_default_road(HN_ROAD_FLAT);
  flat.name = "flat";
  check_ok(hn_model_add_road(model, &flat, &road));
  hn_force_def tyre = hn_default_force(HN_FORCE_TYRE);
  tyre.name = "tyre";
  tyre.frame2 = hn_model_frame(model, body, wheel.position, vec3(0, 1, 0));
  tyre.radius = 0.3;
  tyre.stiffness[0] = 2e4;
  tyre.road = road;
  check_ok(hn_model_add_force(model, &tyre, NULL));
  check_ok(hn_model_finish(model));
  hn_realtime *loop = open_loop(model, 1e-2, 10, HN_BOUND_ACCEPT);
  long events = 0;
  int bounces = 0, was_loaded = 0;
  for (int k = 0; k < 300; k++) {
    hn_step_report report;
    check_ok(hn_realtime_step(loop, &report));
    double load = read(loop, "force.tyre.value");
    assert_true(load >= 0);
    // contact or not, by the height alone
    assert_int_equal(load > 0, read(loop, "body.wheel.position.z") < 0.3);
    bounces += load > 0 && !was_loaded;
    was_loaded = load > 0;
    events += report.events;
  }
  assert_true(bounces >= 3);
  assert_in_range(events, 2 * bounces - 1, 2 * bounces);
  hn_realtime_free(loop);
  hn_model_free(model);
}

// ---- inputs -------------------------------------------------------------------------------------

// Under a constant force the trapezoidal rule is exact, also where the force changes at a step's
// start.
static void a_force_that_is_given_acts_from_the_next_step_on_once(void) {
  hn_model *model = make_cart("-push", NULL, 0);
  hn_realtime *loop = open_loop(model, 1e-2, 4, HN_BOUND_ACCEPT);
  int push = hn_realtime_find_input(loop, "push");
  assert_int_equal(push, 0);
  assert_int_equal(hn_realtime_find_input(loop, "pull"), -1);
  run(loop, 10);
  check_near(read(loop, "joint.rail.displacement"), 0, 0);
  check_ok(hn_realtime_set_input(loop, push, 6)); // 3 m/s2
  run(loop, 50);
  check_near(read(loop, "joint.rail.displacement"), 0.5 * 3 * 0.25, 1e-10);
  check_near(read(loop, "joint.rail.displacement_rate"), 1.5, 1e-10);
  check_ok(hn_realtime_set_input(loop, push, -4));
  check_near(read(loop, "input.push.value"), -4, 0);
  run(loop, 25);
  check_near(read(loop, "joint.rail.displacement_rate"), 1.5 - 2 * 0.25, 1e-10);
  check_near(read(loop, "joint.rail.displacement"), 0.375 + 1.5 * 0.25 - 0.0625, 1e-10);
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void a_force_that_is_given_acts_from_the_next_step_on(void **state) {
  (void)state;
  for (way = 0; way < WAYS; way++) a_force_that_is_given_acts_from_the_next_step_on_once();
  way = 0;
}

static void a_driver_has_the_motion_it_is_given_once(void) {
  hn_model *model = make_cart(NULL, "0.1*t + push", 0);
  hn_realtime *loop = open_loop(model, 1e-2, 4, HN_BOUND_ACCEPT);
  for (int k = 0; k < 100; k++) { // 0.4 sin(3 t), set at each step's start with its derivatives
    double t = k * 1e-2, h = 1e-2;
    check_ok(hn_realtime_set_input_motion(loop, 0, 0.4 * sin(3 * t), 1.2 * cos(3 * t),
                                          -3.6 * sin(3 * t)));
    run(loop, 1);
    double value = 0.4 * sin(3 * t) + h * 1.2 * cos(3 * t) - h * h / 2 * 3.6 * sin(3 * t);
    check_near(read(loop, "joint.rail.displacement"), 0.1 * (t + h) + value, ways[way].gap);
    check_near(read(loop, "joint.rail.displacement_rate"),
               0.1 + 1.2 * cos(3 * t) - h * 3.6 * sin(3 * t), 100 * ways[way].gap);
    check_near(read(loop, "driver.drive.force"), 2 * -3.6 * sin(3 * t), 1e4 * ways[way].gap);
  }
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void a_driver_has_the_motion_it_is_given(void **state) {
  (void)state;
  for (way = 0; way < WAYS; way++) a_driver_has_the_motion_it_is_given_once();
  way = 0;
}

static void a_driver_follows_a_filtered_input_smoothly_once(void) {
  double tau = 0.05;
  hn_model *model = make_cart(NULL, "push", tau);
  hn_realtime *loop = open_loop(model, 1e-2, 4, HN_BOUND_ACCEPT);
  check_ok(hn_realtime_set_input(loop, 0, 2));
  for (int k = 1; k <= 60; k++) {
    run(loop, 1);
    double s = k * 1e-2 / tau; // the critically damped answer to a step
    check_near(read(loop, "joint.rail.displacement"), 2 - 2 * (1 + s) * exp(-s), ways[way].gap);
    check_near(read(loop, "joint.rail.displacement_rate"), 2 * s / tau * exp(-s),
               100 * ways[way].gap);
    check_near(read(loop, "driver.drive.force"), 2 * 2 / (tau * tau) * (1 - s) * exp(-s),
               1e5 * ways[way].gap);
  }
  hn_realtime_free(loop);
  hn_model_free(model);
}

static void a_driver_follows_a_filtered_input_smoothly(void **state) {
  (void)state;
  for (way = 0; way < WAYS; way++) a_driver_follows_a_filtered_input_smoothly_once();
  way = 0;
}

static void ordinary_runs_take_inputs_too(void **state) {
  (void)state;
  hn_model *model = make_cart("-push", NULL, 0);
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-8;
  check_ok(hn_simulation_create(model, &options, &simulation, NULL));
  check_ok(hn_simulation_set_input(simulation, 0, 6));
  check_ok(hn_simulation_advance(simulation, 0.5));
  check_ok(hn_simulation_set_input_motion(simulation, 0, 6, 12, 0)); // 3 + 6 s m/s2
  check_ok(hn_simulation_advance(simulation, 1));
  double v = 0, a = 0;
  check_ok(hn_simulation_value(simulation, "joint.rail.displacement_rate", &v));
  check_ok(hn_simulation_value(simulation, "joint.rail.displacement_acceleration", &a));
  check_near(v, 1.5 + 1.5 + 0.75, 1e-7);
  check_near(a, 6, 1e-9);
  check_status(hn_simulation_set_input(simulation, 1, 6), HN_ERROR_ARGUMENT);
  check_status(hn_simulation_set_input(simulation, 0, NAN), HN_ERROR_NOT_FINITE);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void simulations_of_one_model_have_inputs_of_their_own(void **state) {
  (void)state;
  hn_model *model = make_cart("-push", NULL, 0);
  hn_realtime *a = open_loop(model, 1e-2, 4, HN_BOUND_ACCEPT),
              *b = open_loop(model, 1e-2, 4, HN_BOUND_ACCEPT);
  check_ok(hn_realtime_set_input(a, 0, 2));
  run(a, 100);
  run(b, 100);
  check_near(read(a, "joint.rail.displacement"), 0.5, 1e-12);
  check_near(read(b, "joint.rail.displacement"), 0, 0);
  hn_realtime_free(a);
  hn_realtime_free(b);
  hn_model_free(model);
}

// ---- states -------------------------------------------------------------------------------------

static void a_state_taken_back_goes_on_with_the_same_bits(void **state) {
  (void)state;
  hn_model *model = make_cart("900*x + 3e4*x^3 + 5*v - 40*push", NULL, 0.02);
  hn_realtime *loop = open_loop(model, 2e-3, 3, HN_BOUND_ACCEPT);
  hn_simulation *simulation = hn_realtime_simulation(loop);
  check_status(hn_realtime_restore(loop, 0), HN_ERROR_ARGUMENT); // nothing is there
  check_status(hn_realtime_save(loop, 1), HN_ERROR_ARGUMENT);    // there is one slot
  check_ok(hn_realtime_set_input(loop, 0, 5));
  run(loop, 37);
  check_ok(hn_realtime_save(loop, 0));
  unsigned long long begin = hn_simulation_state_hash(simulation), end = 0;
  for (int round = 0; round < 3; round++) {
    run(loop, 20);
    check_ok(hn_realtime_set_input(loop, 0, -2));
    run(loop, 20);
    if (round == 0) end = hn_simulation_state_hash(simulation);
    assert_true(hn_simulation_state_hash(simulation) == end);
    assert_true(end != begin);
    check_near(hn_realtime_time(loop), 77 * 2e-3, 0);
    check_ok(hn_realtime_restore(loop, 0));
    check_near(hn_realtime_time(loop), 37 * 2e-3, 0);
    assert_true(hn_simulation_state_hash(simulation) == begin);
  }
  hn_realtime_free(loop);
  hn_model_free(model);
}

// Restores a state in another loop: steps end at the same times, to the last bit, as without the
// interruption. 0.003 s is not a binary number: a grid restarted there would round otherwise.
static void a_loop_restarted_from_a_saved_simulation_stays_on_the_grid(void **state) {
  (void)state;
  hn_model *model = make_cart("900*x + 3e4*x^3 + 5*v - 40*sin(7*t) - push", NULL, 0.02);
  for (way = 2; way < WAYS; way++) {
    hn_realtime *whole = open_loop(model, 3e-3, 3, HN_BOUND_ACCEPT);
    hn_realtime *first = open_loop(model, 3e-3, 3, HN_BOUND_ACCEPT);
    hn_realtime *second = open_loop(model, 3e-3, 3, HN_BOUND_ACCEPT);
    run(whole, 1000);
    run(first, 481);
    hn_simulation *from = hn_realtime_simulation(first), *to = hn_realtime_simulation(second);
    size_t size = hn_simulation_save_size(from);
    void *saved = malloc(size);
    check_ok(hn_simulation_save(from, saved, size));
    check_ok(hn_simulation_restore(to, saved, size));
    free(saved);
    run(second, 519);
    assert_true(hn_realtime_time(second) == hn_realtime_time(whole));
    assert_true(hn_simulation_state_hash(to) ==
                hn_simulation_state_hash(hn_realtime_simulation(whole)));
    hn_realtime_free(whole);
    hn_realtime_free(first);
    hn_realtime_free(second);
  }
  way = 0;
  hn_model_free(model);
}

// Behind the rows of joints, coordinates keep further ones: each byte comes back.
static void a_state_taken_back_has_its_redundant_rows(void **state) {
  (void)state;
  hn_model *model = make_cart("900*x + 5*v - 40*push", NULL, 0.02);
  for (way = 0; way < WAYS; way++) {
    hn_realtime *loop = open_loop(model, 2e-3, 3, HN_BOUND_ACCEPT);
    const hn_equations *e = hn_realtime_simulation(loop)->equations;
    run(loop, 3);
    check_ok(hn_realtime_save(loop, 0));
    unsigned char kept[64];
    size_t size = (size_t)e->redundant_size;
    assert_true(size > 0 && size <= sizeof kept);
    memcpy(kept, e->redundant, size);
    for (size_t k = 0; k < size; k++) e->redundant[k] = !e->redundant[k];
    check_ok(hn_realtime_restore(loop, 0));
    assert_memory_equal(e->redundant, kept, size);
    hn_realtime_free(loop);
  }
  way = 0;
  hn_model_free(model);
}

// The output of hn_simulation_save suffices to continue in another simulation, with inputs and
// grid.
static void a_loop_goes_on_from_a_saved_simulation(void **state) {
  (void)state;
  hn_model *model = make_cart("900*x + 3e4*x^3 + 5*v - 40*push", NULL, 0.02);
  hn_realtime *a = open_loop(model, 2e-3, 3, HN_BOUND_ACCEPT),
              *b = open_loop(model, 2e-3, 3, HN_BOUND_ACCEPT);
  unsigned char saved[400000];
  check_ok(hn_realtime_set_input(a, 0, 5));
  run(a, 41);
  size_t size = hn_simulation_save_size(hn_realtime_simulation(a));
  assert_true(size <= sizeof saved);
  check_ok(hn_simulation_save(hn_realtime_simulation(a), saved, size));
  check_ok(hn_simulation_restore(hn_realtime_simulation(b), saved, size));
  run(a, 30);
  run(b, 30);
  check_near(hn_realtime_time(b), hn_realtime_time(a), 1e-15);
  check_near(read(b, "joint.rail.displacement"), read(a, "joint.rail.displacement"), 1e-14);
  check_near(read(b, "input.push.value"), read(a, "input.push.value"), 1e-14);
  hn_realtime_free(a);
  hn_realtime_free(b);
  hn_model_free(model);
}

// ---- times --------------------------------------------------------------------------------------

// A clock on which each step takes what the test wants.
typedef struct fake_clock {
  double now, next;
  int is_running;
} fake_clock;

static double read_clock(void *context) {
  fake_clock *c = context;
  if (c->is_running) c->now += c->next;
  c->is_running = !c->is_running;
  return c->now;
}

static void times_of_steps_are_those_of_the_clock(void **state) {
  (void)state;
  hn_model *model = make_cart("-push", NULL, 0);
  fake_clock clock = {.now = 1e5, .next = 1};
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.step = 1e-3;
  options.clock = read_clock;
  options.clock_context = &clock;
  options.deadline = 5e-4;
  hn_realtime *loop = NULL;
  check_ok(hn_realtime_create(model, &options, &loop, NULL));
  assert_int_equal(hn_realtime_timing(loop).steps, 0); // steps of the warm-up do not count
  for (int k = 0; k < 20000; k++) {
    clock.next = k == 12345 ? 7e-3 : k % 100 == 0 ? 6e-4 : 4e-5;
    hn_step_report report;
    check_ok(hn_realtime_step(loop, &report));
    check_near(report.seconds, clock.next, 1e-9);
    assert_int_equal(report.is_overrun, clock.next > 5e-4);
  }
  hn_timing t = hn_realtime_timing(loop);
  assert_int_equal(t.steps, 20000);
  assert_int_equal(t.overruns, 201);
  check_near(t.worst, 7e-3, 1e-9);
  check_near(t.worst_at, 12.346, 1e-9);
  check_relative(t.mean, (19799 * 4e-5 + 200 * 6e-4 + 7e-3) / 20000, 1e-4);
  // a quantile is at most one bin high
  double bin = pow(10, 1.0 / 32) + 1e-9;
  check_at_most(t.half, 4e-5 * bin);
  assert_true(t.half >= 4e-5 && t.p99 >= 6e-4 - 1e-9 && t.p9999 >= 6e-4 - 1e-9);
  check_at_most(t.p9999, 6e-4 * bin);
  check_near(hn_timing_quantile(&t, 1), 7e-3, 1e-9);
  long all = 0;
  for (int k = 0; k < HN_TIMING_BINS; k++) all += t.bins[k];
  assert_int_equal(all, 20000);
  hn_realtime_reset_timing(loop);
  assert_int_equal(hn_realtime_timing(loop).steps, 0);
  hn_realtime_free(loop);
  hn_model_free(model);
}

// ---- creation -----------------------------------------------------------------------------------

static void a_loop_needs_a_step_and_says_so(void **state) {
  (void)state;
  hn_model *model = make_cart("-push", NULL, 0);
  hn_realtime *loop = NULL;
  hn_error error = {0};
  check_status(hn_realtime_create(model, NULL, &loop, &error), HN_ERROR_ARGUMENT);
  assert_null(loop);
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.step = 1e-3;
  options.simulation.formula = "adams"; // chooses its steps itself
  check_status(hn_realtime_create(model, &options, &loop, &error), HN_ERROR_UNSUPPORTED);
  assert_null(loop);
  options.simulation.formula = "auto";
  options.simulation.threads = 2; // they would wait for each other
  check_status(hn_realtime_create(model, &options, &loop, &error), HN_ERROR_UNSUPPORTED);
  options.simulation.threads = 0;
  options.saved_states = -1;
  check_status(hn_realtime_create(model, &options, &loop, &error), HN_ERROR_ARGUMENT);
  hn_realtime_free(NULL);
  hn_model_free(model);
}

// Given options go into the combination for real time, and do not replace it.
static void what_is_left_open_is_that_of_real_time(void **state) {
  static const struct {
    const char *coordinates, *formula;         // said
    const char *set, *method, *chosen_formula; // used
  } rows[] = {{"auto", "auto", "relative", "augmented-lagrangian-3", "trapezoidal"},
              {"auto", "newmark", "relative", "augmented-lagrangian-3", "newmark"},
              {"auto", "sdirk2", "relative", "augmented-lagrangian-1", "sdirk2"},
              {"natural", "auto", "natural", "augmented-lagrangian-3", "trapezoidal"}};
  hn_model *model = make_cart("-push", NULL, 0);
  (void)state;
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
    hn_realtime *loop = NULL;
    hn_realtime_options options = hn_default_realtime_options();
    options.simulation.step = 1e-3;
    options.simulation.coordinates = rows[k].coordinates;
    options.simulation.formula = rows[k].formula;
    check_ok(hn_realtime_create(model, &options, &loop, NULL));
    hn_certificate c = hn_simulation_certificate(hn_realtime_simulation(loop));
    assert_string_equal(c.coordinates, rows[k].set);
    assert_string_equal(c.method, rows[k].method);
    assert_string_equal(c.formula, rows[k].chosen_formula);
    hn_realtime_free(loop);
  }
  hn_model_free(model);
}

static void creation_survives_every_failing_allocation(void **state) {
  (void)state;
  hn_model *model = make_cart("9*x - push", "push", 0.1);
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_realtime_options options = hn_default_realtime_options();
    options.simulation.step = 1e-3;
    options.simulation.allocator = &allocator;
    hn_realtime *loop = NULL;
    hn_error error = {0};
    hn_status status = hn_realtime_create(model, &options, &loop, &error);
    hn_realtime_free(loop);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
  }
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_end_on_an_even_grid_whatever_laws_do),
      cmocka_unit_test(an_oscillator_turns_as_the_trapezoidal_rule_says),
      cmocka_unit_test(a_stage_at_its_bound_is_taken_and_counted),
      cmocka_unit_test(at_the_bound_a_loop_that_must_converge_stops_where_it_was),
      cmocka_unit_test(contact_never_pulls_and_its_changes_are_counted),
      cmocka_unit_test(a_force_that_is_given_acts_from_the_next_step_on),
      cmocka_unit_test(a_driver_has_the_motion_it_is_given),
      cmocka_unit_test(a_driver_follows_a_filtered_input_smoothly),
      cmocka_unit_test(ordinary_runs_take_inputs_too),
      cmocka_unit_test(simulations_of_one_model_have_inputs_of_their_own),
      cmocka_unit_test(a_state_taken_back_goes_on_with_the_same_bits),
      cmocka_unit_test(a_loop_restarted_from_a_saved_simulation_stays_on_the_grid),
      cmocka_unit_test(a_state_taken_back_has_its_redundant_rows),
      cmocka_unit_test(a_loop_goes_on_from_a_saved_simulation),
      cmocka_unit_test(times_of_steps_are_those_of_the_clock),
      cmocka_unit_test(a_loop_needs_a_step_and_says_so),
      cmocka_unit_test(what_is_left_open_is_that_of_real_time),
      cmocka_unit_test(creation_survives_every_failing_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
