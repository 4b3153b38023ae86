// Linearized models against closed forms.
#include "machines/machine.h"

#include "holon/linear.h"

#define PI 3.14159265358979323846

typedef struct small {
  machine made;
  hn_linear *linear;
} small;

static hn_model *read_model(const char *text, const char *setting) {
  hn_error error = {0};
  hn_model *model = NULL;
  hn_load_options load = hn_default_load_options();
  load.settings = &setting;
  load.setting_count = setting ? 1 : 0;
  if (hn_model_load_text(text, strlen(text), "test.yaml", &load, &model, &error))
    machine_stop("test.yaml", &error);
  return model;
}

enum { AS_DRAWN, AT_EQUILIBRIUM, STEADY };

static small linearize(const char *text, const char *setting, int at_equilibrium) {
  small s = {.linear = NULL};
  hn_error error = {0};
  hn_linear_options options = hn_default_linear_options();
  options.is_steady = at_equilibrium == STEADY;
  s.made.model = read_model(text, setting);
  if (hn_simulation_create(s.made.model, NULL, &s.made.simulation, &error))
    machine_stop("test.yaml", &error);
  if (at_equilibrium) check_ok(hn_simulation_equilibrium(s.made.simulation, NULL, NULL));
  if (at_equilibrium == STEADY) check_ok(hn_simulation_release_drivers(s.made.simulation));
  if (hn_simulation_linearize(s.made.simulation, &options, &s.linear, &error))
    machine_stop("test.yaml", &error);
  return s;
}

static void done(small *s) {
  hn_linear_free(s->linear);
  machine_close(&s->made);
}

// Angular frequency of mode k, those with a positive imaginary part counted.
static double frequency_of(const hn_linear *l, int k) {
  for (int i = 0; i < l->eigenvalue_count; i++)
    if (l->eigenvalues[i].imaginary > 0 && k-- == 0) return 2 * PI * l->eigenvalues[i].frequency;
  return -1;
}

static void a_rod_swings_as_its_inertia_says(void **state) {
  (void)state;
  small s =
      linearize("gravity: [0, 0, -9.81]\n"
                "bodies: {rod: {mass: 2, center: [0, 0, -0.5], inertia: [0.3, 0.2, 0.1]}}\n"
                "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n",
                NULL, 0);
  check_near(frequency_of(s.linear, 0), sqrt(2 * 9.81 * 0.5 / (0.2 + 2 * 0.25)), 1e-12);
  assert_string_equal(s.linear->states[0], "joint.pin.angle");
  assert_string_equal(s.linear->states[1], "joint.pin.angle_rate");
  check_near(s.linear->a[2], -2 * 9.81 * 0.5 / 0.7, 1e-12);
  done(&s);
}

// Released level it falls: A has no stiffness there, and f0 is its acceleration.
static void a_falling_rod_has_its_acceleration_in_f0(void **state) {
  (void)state;
  small s =
      linearize("gravity: [0, 0, -9.81]\n"
                "bodies: {rod: {mass: 2, center: [0.5, 0, 0], inertia: [0.3, 0.2, 0.1]}}\n"
                "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}}\n",
                NULL, 0);
  check_near(s.linear->f0[0], 0, 1e-14);
  check_near(s.linear->f0[1], 2 * 9.81 * 0.5 / 0.7, 1e-11);
  check_near(s.linear->a[2], 0, 1e-12);
  done(&s);
}

static void a_double_pendulum_has_its_two_frequencies(void **state) {
  (void)state;
  small s = linearize("gravity: [0, 0, -9.81]\n"
                      "bodies:\n"
                      "  one: {mass: 1, center: [0, 0, -1], inertia: [1e-9, 1e-9, 1e-9]}\n"
                      "  two: {mass: 1, center: [0, 0, -2], inertia: [1e-9, 1e-9, 1e-9]}\n"
                      "joints:\n"
                      "  top: {type: revolute, bodies: [ground, one], at: [0, 0, 0], axis: y}\n"
                      "  mid: {type: revolute, bodies: [one, two], at: [0, 0, -1], axis: y}\n",
                      NULL, 0);
  check_relative(frequency_of(s.linear, 0), sqrt(9.81 * (2 - sqrt(2))), 1e-8);
  check_relative(frequency_of(s.linear, 1), sqrt(9.81 * (2 + sqrt(2))), 1e-8);
  done(&s);
}

static void a_chain_of_masses_has_a_sine_of_frequencies(void **state) {
  (void)state;
  enum { N = 9 };
  small s = linearize("parameters: {count: 9, rate: 400, mass: 0.5}\n"
                      "bodies:\n"
                      "  m{i}: {repeat: {i: [0, count - 1]}, mass: mass, center: [i + 1, 0, 0], "
                      "inertia: [1, 1, 1]}\n"
                      "  wall: {mass: 1, center: [count + 1, 0, 0], inertia: [1, 1, 1]}\n"
                      "joints:\n"
                      "  rail{i}: {repeat: {i: [0, count - 1]}, type: translational, bodies: "
                      "[ground, 'm{i}'], at: [i + 1, "
                      "0, 0], axis: x}\n"
                      "  fixed: {type: fixed, bodies: [ground, wall], at: [count + 1, 0, 0]}\n"
                      "forces:\n"
                      "  first: {type: spring-damper, bodies: [ground, m0], points: [[0, 0, 0], "
                      "[1, 0, 0]], stiffness: "
                      "rate, free_length: 1}\n"
                      "  s{i}: {repeat: {i: [1, count - 1]}, type: spring-damper, bodies: "
                      "['m{i-1}', 'm{i}'], points: [[i, 0, "
                      "0], [i + 1, 0, 0]], stiffness: rate, free_length: 1}\n"
                      "  last: {type: spring-damper, bodies: ['m{count-1}', wall], points: "
                      "[[count, 0, 0], [count + 1, 0, 0]], "
                      "stiffness: rate, free_length: 1}\n",
                      NULL, 0);
  assert_int_equal(s.linear->state_count, 2 * N);
  for (int k = 0; k < N; k++)
    check_relative(frequency_of(s.linear, k),
                   2 * sqrt(400 / 0.5) * sin((k + 1) * PI / (2 * (N + 1))), 1e-11);
  done(&s);
}

// 50 stiff links with a hinge spring bend/part between two of them, 2 bend/part at the clamp.
static void a_chain_of_links_is_a_cantilever(void **state) {
  (void)state;
  small s = linearize(
      "parameters: {count: 50, long: 2, part: long/count, bend: 30, line: 1.5}\n"
      "bodies:\n"
      "  l{i}: {repeat: {i: [0, count - 1]}, mass: line*part, center: [(i + 0.5)*part, 0, 0], "
      "inertia: [1e-6, "
      "line*part^3/12, line*part^3/12]}\n"
      "joints:\n"
      "  j0: {type: revolute, bodies: [ground, l0], at: [0, 0, 0], axis: y}\n"
      "  j{i}: {repeat: {i: [1, count - 1]}, type: revolute, bodies: ['l{i-1}', 'l{i}'], at: "
      "[i*part, 0, 0], "
      "axis: y}\n"
      "forces:\n"
      "  s{i}: {repeat: {i: [0, count - 1]}, type: joint-spring-damper, joint: 'j{i}', stiffness: '"
      "bend/part*(1 + max(0, 1 - i))', free: 0}\n",
      NULL, 0);
  static const double beta[] = {1.87510406871196, 4.69409113297417, 7.85475743823761};
  for (int k = 0; k < 3; k++)
    check_relative(frequency_of(s.linear, k), pow(beta[k] / 2, 2) * sqrt(30 / 1.5), 3e-3);
  done(&s);
}

// A disk on two springs, spinning: whirl in both directions, It w^2 -+ Ip spin w - 2 k a^2 = 0.
static void a_spinning_disk_whirls_both_ways(void **state) {
  (void)state;
  static const char text[] =
      "parameters: {spin: 0}\n"
      "bodies: {disk: {mass: 4, inertia: [0.03, 0.03, 0.05], initial: {angular_velocity: [0, 0, "
      "spin]}}}\n"
      "forces:\n"
      "  top: {type: bushing, bodies: [ground, disk], at: [0, 0, 0.2], axis: z, stiffness: [2e4, "
      "2e4, 1e3, 0, 0, 0]}\n"
      "  low: {type: bushing, bodies: [ground, disk], at: [0, 0, -0.2], axis: z, stiffness: [2e4, "
      "2e4, 1e3, 0, 0, 0]}\n";
  for (int k = 0; k < 4; k++) {
    char setting[32];
    const double spin = 150 * k, half = 0.05 * spin / (2 * 0.03);
    const double root = sqrt(half * half + 2 * 2e4 * 0.04 / 0.03);
    snprintf(setting, sizeof setting, "spin=%g", spin);
    small s = linearize(text, setting, 0);
    int seen = 0;
    for (int i = 0; i < s.linear->eigenvalue_count; i++) {
      const double w = s.linear->eigenvalues[i].imaginary;
      if (fabs(w - (root - half)) < 1e-8 * root) seen |= 1; // backward
      if (fabs(w - (root + half)) < 1e-8 * root) seen |= 2; // forward
      if (fabs(w - sqrt(2 * 2e4 / 4)) < 1e-8 * root) seen |= 4;
    }
    assert_int_equal(seen, 7);
    done(&s);
  }
}

// The same disk driven in a housing: in an equilibrium the housing rests, whatever a start would do.
static void a_driven_rotor_spins_in_a_housing_at_rest(void **state) {
  (void)state;
  machine made = {
      .model = read_model(
          "bodies:\n"
          "  housing: {mass: 0.5, inertia: [0.001, 0.001, 0.001]}\n"
          "  rotor: {mass: 4, inertia: [0.03, 0.03, 0.05]}\n"
          "joints: {bearing: {type: revolute, bodies: [housing, rotor], at: [0, 0, 0], axis: z}}\n"
          "drivers: {spin: {joint: bearing, motion: 500*t}}\n"
          "forces:\n"
          "  top: {type: bushing, bodies: [ground, housing], at: [0, 0, 0.2], axis: z, stiffness: "
          "[1e6, "
          "1e6, 1e6, 0, 0, 1e4]}\n"
          "  low: {type: bushing, bodies: [ground, housing], at: [0, 0, -0.2], axis: z, stiffness: "
          "[1e6, 1e6, 1e6, 0, 0, 1e4]}\n",
          NULL)};
  hn_error error = {0};
  hn_linear *linear = NULL;
  hn_linear_options options = hn_default_linear_options();
  options.is_steady = 1;
  check_ok(hn_simulation_create(made.model, NULL, &made.simulation, &error));
  check_ok(hn_simulation_equilibrium(made.simulation, NULL, NULL));
  check_ok(hn_simulation_release_drivers(made.simulation));
  check_ok(hn_simulation_linearize(made.simulation, &options, &linear, &error));
  const double half = 0.05 * 500 / (2 * 0.031), root = sqrt(half * half + 8e4 / 0.031);
  int seen = 0;
  for (int i = 0; i < linear->eigenvalue_count; i++) {
    if (fabs(linear->eigenvalues[i].imaginary - (root - half)) < 1e-8 * root) seen |= 1;
    if (fabs(linear->eigenvalues[i].imaginary - (root + half)) < 1e-8 * root) seen |= 2;
  }
  assert_int_equal(seen, 3);
  hn_linear_free(linear);
  machine_close(&made);
}

typedef struct operating {
  small s;
  hn_operating_point point;
} operating;

static operating at_operating_point(const char *text, const char *setting) {
  operating o = {.s.linear = NULL};
  hn_error error = {0};
  hn_linear_options options = hn_default_linear_options();
  o.s.made.model = read_model(text, setting);
  check_ok(hn_simulation_create(o.s.made.model, NULL, &o.s.made.simulation, &error));
  check_ok(hn_simulation_find_operating_point(o.s.made.simulation, &o.point));
  options.is_steady = o.point.kind == HN_OPERATING_EQUILIBRIUM;
  if (hn_simulation_linearize(o.s.made.simulation, &options, &o.s.linear, &error))
    machine_stop("test.yaml", &error);
  return o;
}

// Jeffcott's rotor with gyroscopic moments, weight and a light hub in the bearing: the hub stays, the
// shaft sags, and the disk whirls as It w^2 -+ Ip spin w - k = 0 says at every speed.
static void the_operating_point_of_a_rotor_is_its_spin(void **state) {
  (void)state;
  static const char text[] =
      "gravity: [0, -9.81, 0]\n"
      "parameters: {spin: 0}\n"
      "bodies: {hub: {mass: 0.5, inertia: [1e-3, 1e-3, 1e-3]}, disk: {mass: 4, inertia: [0.03, "
      "0.03, 0.05]}}\n"
      "joints: {axle: {type: revolute, bodies: [hub, disk], at: [0, 0, 0], axis: z}}\n"
      "drivers: {motor: {joint: axle, motion: spin*t}}\n"
      "forces: {shaft: {type: bushing, bodies: [ground, hub], at: [0, 0, 0], stiffness: [4e4, 4e4, "
      "1e6, 300, 300, 1e4]}}\n";
  for (int k = 0; k < 4; k++) {
    char setting[32];
    const double spin = 70 * k, half = 0.05 * spin / (2 * 0.031);
    const double root = sqrt(half * half + 300 / 0.031), bounce = sqrt(4e4 / 4.5);
    snprintf(setting, sizeof setting, "spin=%g", spin);
    operating o = at_operating_point(text, setting);
    assert_int_equal(o.point.kind, HN_OPERATING_EQUILIBRIUM);
    assert_true(o.s.linear->is_equilibrium);
    int seen = 0;
    for (int i = 0; i < o.s.linear->eigenvalue_count; i++) {
      const double w = o.s.linear->eigenvalues[i].imaginary;
      if (fabs(w - (root - half)) < 1e-8 * root) seen |= 1; // backward
      if (fabs(w - (root + half)) < 1e-8 * root) seen |= 2; // forward
      if (fabs(w - bounce) < 1e-8 * bounce) seen |= 4;
    }
    assert_int_equal(seen, 7);
    done(&o.s);
  }
}

// A body spinning by `initial:` alone keeps its speed where it sags, and a swinging pendulum is taken at
// rest; what falls has no equilibrium and stays where it is.
static void steady_motions_are_kept_and_others_brought_to_rest(void **state) {
  (void)state;
  operating o = at_operating_point(
      "gravity: [0, -9.81, 0]\n"
      "bodies: {disk: {mass: 4, inertia: [0.03, 0.03, 0.05], initial: {angular_velocity: [0, 0, "
      "200]}}}\n"
      "forces: {shaft: {type: bushing, bodies: [ground, disk], at: [0, 0, 0], axis: z, stiffness: "
      "[2e4, 2e4, 1e3, 300, 300, 0]}}\n",
      NULL);
  assert_int_equal(o.point.kind, HN_OPERATING_STEADY);
  assert_true(o.s.linear->is_equilibrium);
  const double half = 0.05 * 200 / (2 * 0.03), forward = half + sqrt(half * half + 300 / 0.03);
  int seen = 0;
  for (int i = 0; i < o.s.linear->eigenvalue_count; i++)
    seen |= fabs(o.s.linear->eigenvalues[i].imaginary - forward) < 1e-8 * forward;
  assert_true(seen);
  done(&o.s);

  o = at_operating_point(
      "gravity: [0, 0, -9.81]\n"
      "bodies: {rod: {mass: 2, center: [0.5, 0, 0], inertia: [0.3, 0.2, 0.1]}}\n"
      "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y, initial: "
      "{angle_rate: 3}}}\n",
      NULL);
  assert_int_equal(o.point.kind, HN_OPERATING_EQUILIBRIUM);
  assert_true(o.point.drops_velocities);
  check_relative(frequency_of(o.s.linear, 0), sqrt(2 * 9.81 * 0.5 / 0.7), 1e-9);
  done(&o.s);

  o = at_operating_point("gravity: [0, 0, -9.81]\n"
                         "bodies: {stone: {mass: 2, inertia: [1, 1, 1]}}\n",
                         NULL);
  assert_int_equal(o.point.kind, HN_OPERATING_START);
  assert_int_not_equal(o.point.reason.status, HN_OK);
  assert_false(o.s.linear->is_equilibrium);
  check_near(o.s.linear->imbalance, 9.81, 1e-12);
  done(&o.s);
}

// The same wherever the rotor is in the file, and with a hub between: a driver spins all it
// carries. It = 0.3 + 0.01 + 0.1, Ip = 0.2 + 0.05.
static void a_rotor_spins_whatever_its_place_in_the_file(void **state) {
  (void)state;
  small s = linearize(
      "bodies:\n"
      "  disk: {mass: 10, inertia: [0.2, 0.3, 0.3]}\n"
      "  hub: {mass: 1, inertia: [0.05, 0.1, 0.1]}\n"
      "  cage: {mass: 0.5, inertia: [0.01, 0.01, 0.01]}\n"
      "joints:\n"
      "  shaft: {type: revolute, bodies: [cage, hub], at: [0, 0, 0], axis: x}\n"
      "  key: {type: fixed, bodies: [hub, disk], at: [0, 0, 0]}\n"
      "forces:\n"
      "  mount: {type: bushing, bodies: [ground, cage], at: [0, 0, 0], stiffness: [1e5, 1e5, 1e5, "
      "5e3, 5e3, 5e3]}\n"
      "drivers: {spin: {joint: shaft, motion: 300*t}}\n",
      NULL, STEADY);
  const double half = 0.25 * 300 / (2 * 0.41), root = sqrt(half * half + 5e3 / 0.41);
  int seen = 0;
  for (int i = 0; i < s.linear->eigenvalue_count; i++) {
    const double w = s.linear->eigenvalues[i].imaginary;
    if (fabs(w - (root - half)) < 1e-8 * root) seen |= 1;
    if (fabs(w - (root + half)) < 1e-8 * root) seen |= 2;
  }
  assert_int_equal(seen, 3);
  done(&s);
}

// Half a car: bounce and pitch of a bar on two springs that are not alike.
static void a_bar_on_two_springs_bounces_and_pitches(void **state) {
  (void)state;
  small s =
      linearize("gravity: [0, 0, -9.81]\n"
                "bodies: {bar: {mass: 600, center: [0, 0, 1], inertia: [100, 900, 900]}}\n"
                "joints: {plane: {type: planar, bodies: [ground, bar], at: [0, 0, 1], axis: y}}\n"
                "forces:\n"
                "  front: {type: bushing, bodies: [ground, bar], at: [1.2, 0, 1], axis: z, "
                "stiffness: [5e3, 0, "
                "18e3, 0, 0, 0]}\n"
                "  rear: {type: bushing, bodies: [ground, bar], at: [-1.5, 0, 1], axis: z, "
                "stiffness: [5e3, 0, "
                "22e3, 0, 0, 0]}\n",
                NULL, 0);
  const double m = 600, i = 900, k = 40e3, c = -18e3 * 1.2 + 22e3 * 1.5,
               r = 18e3 * 1.44 + 22e3 * 2.25;
  const double half = (k / m + r / i) / 2,
               root = sqrt(pow((k / m - r / i) / 2, 2) + c * c / (m * i));
  int seen = 0;
  for (int e = 0; e < s.linear->eigenvalue_count; e++) {
    const double w = s.linear->eigenvalues[e].imaginary;
    if (fabs(w - sqrt(half - root)) < 1e-9 * w) seen |= 1;
    if (fabs(w - sqrt(half + root)) < 1e-9 * w) seen |= 2;
  }
  assert_int_equal(seen, 3);
  done(&s);
}

// An input as a force and one that a driver follows; any signal as output.
static void inputs_and_outputs_have_their_columns(void **state) {
  (void)state;
  small s = linearize(
      "inputs: {push: 0, lift: 0}\n"
      "bodies:\n"
      "  cart: {mass: 2, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "  load: {mass: 3, center: [0, 0, 1], inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
      "  mast: {type: translational, bodies: [cart, load], at: [0, 0, 1], axis: z}\n"
      "drivers: {hoist: {joint: mast, motion: lift}}\n"
      "forces: {motor: {type: joint-spring-damper, joint: rail, law: '7*x + 2*v - 4*push'}}\n"
      "outputs:\n"
      "  x2: joint.rail.displacement^2 + 3*joint.rail.displacement\n"
      "  acceleration: body.load.acceleration.x\n"
      "  cable: driver.hoist.force\n"
      "  z: body.load.position.z\n",
      NULL, 0);
  const hn_linear *l = s.linear;
  assert_int_equal(l->state_count, 2);
  check_near(l->a[2], -7.0 / 5, 1e-13);
  check_near(l->a[3], -2.0 / 5, 1e-13);
  check_near(l->b[2], 4.0 / 5, 1e-11);
  check_near(l->b[3], 0, 1e-11);
  check_near(l->c[0], 3, 1e-9);
  check_near(l->c[2], -7.0 / 5, 1e-9);
  check_near(l->c[3], -2.0 / 5, 1e-9);
  check_near(l->d[2], 4.0 / 5, 1e-10);
  check_near(l->d[7], 1, 1e-10);              // z of lift
  check_near(l->d_acceleration[5], 3, 1e-10); // the cable carries the inertia
  done(&s);
}

// A hanging chain of 300 links, sparsely: its lowest frequencies are zeros of J0, (j/2) sqrt(g/L).
static void a_long_chain_hangs_like_a_rope(void **state) {
  (void)state;
  static const double zeros[] = {2.404825557695773, 5.520078110286311, 8.653727912911013};
  machine made = machine_open("negrut/chain.yaml", "N=300", 0);
  hn_linear_options options = hn_default_linear_options();
  hn_linear *linear = NULL;
  hn_error error = {0};
  options.modes = 5;
  check_ok(hn_simulation_equilibrium(made.simulation, NULL, NULL));
  if (hn_simulation_linearize(made.simulation, &options, &linear, &error))
    machine_stop("chain", &error);
  assert_int_equal(linear->state_count, 600);
  assert_int_equal(linear->mode_count, 5);
  assert_null(linear->a);
  for (int k = 0; k < 3; k++)
    check_relative(frequency_of(linear, k), zeros[k] / 2 * sqrt(9.81 / 300), 2e-3);
  hn_linear_free(linear);
  machine_close(&made);
}

// A pole balanced upright by feedback with an integral, a state of a law: the matrix by hand.
static void states_of_laws_close_the_loop(void **state) {
  (void)state;
  small s =
      linearize("gravity: [0, 0, -9.81]\n"
                "bodies:\n"
                "  cart: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"
                "  pole: {mass: 0.2, center: [0, 0, 0.4], inertia: [0.011, 0.011, 0.0001]}\n"
                "joints:\n"
                "  rail: {type: translational, bodies: [ground, cart], at: [0, 0, 0], axis: x}\n"
                "  pivot: {type: revolute, bodies: [cart, pole], at: [0, 0, 0], axis: y}\n"
                "states: {sum: {initial: 0, rate: '2*joint.rail.displacement - 3*sum'}}\n"
                "forces:\n"
                "  motor: {type: joint-spring-damper, joint: rail, law: '-28*joint.pivot.angle - "
                "4*v - 0.8*sum'}\n"
                "outputs: {sum: state.sum}\n",
                NULL, 0);
  // (M + m) x'' + m l a'' = F, (J + m l^2) a'' + m l x'' = m g l a
  const double a = 1.2, b = 0.2 * 0.4, c = 0.011 + 0.2 * 0.16, d = a * c - b * b, weight = b * 9.81;
  assert_int_equal(s.linear->state_count, 5);
  assert_string_equal(s.linear->states[4], "state.sum");
  const double *row = &s.linear->a[2 * 5];
  check_near(row[1], (c * 28 - b * weight) / d, 1e-10);
  check_near(row[2], c * 4 / d, 1e-10);
  check_near(row[4], c * 0.8 / d, 1e-10);
  check_near(s.linear->a[3 * 5 + 4], -b * 0.8 / d, 1e-10);
  check_near(s.linear->a[4 * 5], 2, 1e-10);
  check_near(s.linear->a[4 * 5 + 4], -3, 1e-10);
  check_near(s.linear->c[4], 1, 1e-10);
  double trace = 0, sum = 0;
  for (int i = 0; i < 5; i++) {
    trace += s.linear->a[6 * i];
    sum += s.linear->eigenvalues[i].real;
  }
  check_near(sum, trace, 1e-10);
  done(&s);
}

// Whatever allocation fails: a whole result or a status, and nothing is left behind.
static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int is_large = 0; is_large < 2; is_large++) {
    long calls = 1;
    for (long fail_at = 0; fail_at <= calls; fail_at++) {
      hn_counting_memory memory = {0};
      hn_allocator allocator = hn_counting_allocator(&memory);
      hn_simulation_options options = hn_default_simulation_options();
      options.coordinates = "cartesian";
      options.allocator = &allocator;
      machine made = machine_open_by(is_large ? "negrut/chain.yaml" : "examples/inputs.yaml",
                                     is_large ? "N=255" : NULL, &options);
      const long before = memory.living, from = memory.calls;
      hn_linear *linear = NULL;
      hn_linear_options words = hn_default_linear_options();
      words.modes = is_large ? 1 : 0;
      memory.fail_at = fail_at > 0 ? from + fail_at : 0;
      hn_error error = {0};
      hn_status status = hn_simulation_linearize(made.simulation, &words, &linear, &error);
      if (fail_at == 0) calls = memory.calls - from;
      assert_true(status == HN_OK ? linear != NULL : linear == NULL && error.message[0]);
      if (fail_at > 0 && status != HN_OK) check_status(status, HN_ERROR_MEMORY);
      memory.fail_at = 0;
      hn_linear_free(linear);
      assert_int_equal(memory.living, before);
      machine_close(&made);
      if (is_large && fail_at > 12) break;
    }
  }
}

// At the slope discontinuity of a spring, from 4 to 10 N/m, the model has one of the two, and the
// spring is named.
static void a_bend_is_taken_on_one_side(void **state) {
  static const char *const laws[] = {"10*max(x, 0) + 4*min(x, 0)", "10*max(0, x) + 4*min(0, x)",
                                     "7*x + 3*abs(x)", "(10 if x > 0 else 4)*x"};
  (void)state;
  for (int k = 0; k < 4; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: {on: {mass: 2, inertia: [1, 1, 1]}}\n"
             "joints: {rail: {type: translational, bodies: [ground, on], at: [0, 0, 0], axis: x}}\n"
             "forces: {bent: {type: joint-spring-damper, joint: rail, law: '%s'}}\n",
             laws[k]);
    small s = linearize(text, NULL, AS_DRAWN);
    const double stiffness = -2 * s.linear->a[2];
    if (fabs(stiffness - 10) > 1e-12) check_near(stiffness, 4, 1e-12);
    assert_int_equal(s.linear->kink_count, 1);
    assert_string_equal(s.linear->kinks[0], "bent");
    done(&s);
  }
}

// A mass on a base that an input moves, by motion: (c s + k)/(m s^2 + c s + k), and s^2 of the base.
static void a_base_that_swings_has_its_acceleration(void **state) {
  (void)state;
  static const char *const text =
      "gravity: [0, 0, 0]\n"
      "bodies: {base: {mass: 1, inertia: [1, 1, 1]}, on: {mass: 2, inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  rail: {type: translational, bodies: [ground, base], at: [0, 0, 0], axis: x}\n"
      "  slide: {type: translational, bodies: [base, on], at: [0, 0, 0], axis: x}\n"
      "inputs: {u: 0 m}\n"
      "drivers: {motor: {joint: rail, motion: u}}\n"
      "forces: {k: {type: joint-spring-damper, joint: slide, stiffness: 800, damping: 30}}\n";
  machine made = {.model = read_model(text, NULL)};
  hn_simulation_options options = hn_default_simulation_options();
  options.rtol = options.atol = 1e-8;
  check_ok(hn_simulation_create(made.model, &options, &made.simulation, NULL));
  const int signals[] = {hn_simulation_find_signal(made.simulation, "body.base.acceleration.x"),
                         hn_simulation_find_signal(made.simulation, "body.on.position.x")};
  double y[4], distortion[2];
  const hn_swing swing = {.amplitude = 0.01, .frequency = 2, .signals = signals, .signal_count = 2};
  hn_swing_result result = {.y = y, .distortion = distortion};
  check_ok(hn_simulation_swing(made.simulation, &swing, &result));
  const double w = 2 * PI * 2, down[2] = {800 - 2 * w * w, 30 * w}, up[2] = {800, 30 * w};
  const double size = down[0] * down[0] + down[1] * down[1];
  check_near(y[0], -w * w, 1e-5);
  check_near(y[1], 0, 1e-5);
  check_near(y[2], (up[0] * down[0] + up[1] * down[1]) / size, 1e-6);
  check_near(y[3], (up[1] * down[0] - up[0] * down[1]) / size, 1e-6);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_rod_swings_as_its_inertia_says),
      cmocka_unit_test(a_falling_rod_has_its_acceleration_in_f0),
      cmocka_unit_test(a_double_pendulum_has_its_two_frequencies),
      cmocka_unit_test(a_chain_of_masses_has_a_sine_of_frequencies),
      cmocka_unit_test(a_chain_of_links_is_a_cantilever),
      cmocka_unit_test(a_spinning_disk_whirls_both_ways),
      cmocka_unit_test(a_driven_rotor_spins_in_a_housing_at_rest),
      cmocka_unit_test(the_operating_point_of_a_rotor_is_its_spin),
      cmocka_unit_test(steady_motions_are_kept_and_others_brought_to_rest),
      cmocka_unit_test(a_rotor_spins_whatever_its_place_in_the_file),
      cmocka_unit_test(a_bar_on_two_springs_bounces_and_pitches),
      cmocka_unit_test(states_of_laws_close_the_loop),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(a_long_chain_hangs_like_a_rope),
      cmocka_unit_test(inputs_and_outputs_have_their_columns),
      cmocka_unit_test(a_base_that_swings_has_its_acceleration),
      cmocka_unit_test(a_bend_is_taken_on_one_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
