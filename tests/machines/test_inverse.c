// Forces of drives: applied to the model, they produce the requested motion.
#include "machines/machine.h"

#include "holon/dynamics.h"

typedef struct actuated {
  const char *name, *text;
  const char *joints[8]; // with a motor and an input u0, u1, ...
} actuated;

#define MOTOR(k, joint)                                                                            \
  "  motor" #k ": {type: joint-spring-damper, joint: " joint ", law: '-u" #k "'}\n"

static const actuated machines[] = {
    {"arm",
     "inputs: {u0: 0, u1: 0, u2: 0}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {mass: 3, center: [0, 0, 0.2], inertia: [0.1, 0.1, 0.05]}\n"
     "  b: {mass: 2, center: [0.3, 0, 0.4], inertia: [0.01, 0.06, 0.07]}\n"
     "  c: {mass: 1, center: [0.8, 0.1, 0.4], inertia: [0.01, 0.02, 0.03]}\n"
     "joints:\n"
     "  base: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z}\n"
     "  shoulder: {type: revolute, bodies: [a, b], at: [0, 0, 0.4], axis: y}\n"
     "  elbow: {type: translational, bodies: [b, c], at: [0.6, 0, 0.4], axis: [1, 0.2, 0]}\n"
     "forces:\n" MOTOR(0, "base") MOTOR(1, "shoulder") MOTOR(2, "elbow"),
     {"base", "shoulder", "elbow", NULL}},
    {"slider-crank",
     "inputs: {u0: 0}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  crank: {mass: 2, center: [0, 0, 0.1], inertia: [0.02, 0.02, 0.01]}\n"
     "  rod: {mass: 1, center: [0.2, 0, 0.1], inertia: [0.01, 0.03, 0.03]}\n"
     "  ram: {mass: 4, center: [0.4, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
     "joints:\n"
     "  bearing: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
     "  pin: {type: revolute, bodies: [crank, rod], at: [0, 0, 0.2], axis: y}\n"
     "  eye: {type: revolute, bodies: [rod, ram], at: [0.4, 0, 0], axis: y}\n"
     "  rail: {type: translational, bodies: [ground, ram], at: [0.4, 0, 0], axis: x}\n"
     "forces:\n" MOTOR(0, "bearing"),
     {"bearing", NULL}},
    {"four-bar",
     "inputs: {u0: 0, u1: 0, u2: 0}\n"
     "gravity: [0, 0, -9.81]\n"
     "bodies:\n"
     "  a: {mass: 1, center: [0, 0, 0.2], inertia: [0.02, 0.02, 0.01]}\n"
     "  b: {mass: 2, center: [0.25, 0, 0.5], inertia: [0.01, 0.05, 0.05]}\n"
     "  c: {mass: 1, center: [0.55, 0, 0.3], inertia: [0.03, 0.03, 0.01]}\n"
     "joints:\n"
     "  A: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: y}\n"
     "  B: {type: revolute, bodies: [a, b], at: [0, 0, 0.4], axis: y}\n"
     "  C: {type: revolute, bodies: [b, c], at: [0.5, 0, 0.6], axis: y}\n"
     "  D: {type: revolute, bodies: [c, ground], at: [0.6, 0, 0], axis: y}\n"
     "forces:\n" MOTOR(0, "A") MOTOR(1, "B") MOTOR(2, "D"),
     {"A", "B", "D", NULL}},
};

static machine open_text(const char *text, const char *coordinates) {
  machine made = {0};
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  if (hn_model_load_text(text, strlen(text), "test.yaml", NULL, &made.model, &error))
    machine_stop("test.yaml", &error);
  if (hn_simulation_create(made.model, &options, &made.simulation, &error))
    machine_stop("test.yaml", &error);
  return made;
}

static void read_accelerations(machine *made, double *out) {
  static const char *const parts[] = {"acceleration.x",         "acceleration.y",
                                      "acceleration.z",         "angular_acceleration.x",
                                      "angular_acceleration.y", "angular_acceleration.z"};
  for (int b = 1; b <= hn_model_body_count(made->model); b++)
    for (int i = 0; i < 6; i++) {
      char name[128];
      snprintf(name, sizeof name, "body.%s.%s", hn_model_body_name(made->model, b), parts[i]);
      check_ok(hn_simulation_value(made->simulation, name, &out[6 * (b - 1) + i]));
    }
}

// The state again, with these inputs.
static void push(machine *made, const double *u, double t, const double *q, const double *qd) {
  for (int k = 0; k < hn_model_input_count(made->model); k++)
    check_ok(hn_simulation_set_input(made->simulation, k, u[k]));
  check_ok(hn_simulation_set_state(made->simulation, t, q, qd));
}

static int list_drives(const machine *made, const actuated *of, hn_drive *drives) {
  int count = 0;
  for (; of->joints[count]; count++) {
    drives[count] =
        (hn_drive){.driver = -1, .joint = hn_model_find_joint(made->model, of->joints[count])};
    drives[count].coordinate =
        hn_model_joint_type(made->model, drives[count].joint) == HN_JOINT_TRANSLATIONAL
            ? HN_COORDINATE_DISPLACEMENT
            : HN_COORDINATE_ANGLE;
  }
  return count;
}

static void check_state(machine *made, const hn_drive *drives, int count, hn_random *random) {
  double wanted[64], found[64], u[8] = {0}, forces[8], q[64], qd[64];
  const int bodies = hn_model_body_count(made->model),
            nq = hn_simulation_coordinate_count(made->simulation);
  const double t = hn_simulation_time(made->simulation);
  memcpy(q, hn_simulation_positions(made->simulation), (size_t)nq * sizeof *q);
  memcpy(qd, hn_simulation_velocities(made->simulation), (size_t)nq * sizeof *qd);
  hn_random_fill(random, u, count, -20, 20);
  push(made, u, t, q, qd);
  read_accelerations(made, wanted);
  memset(u, 0, sizeof u);
  push(made, u, t, q, qd);
  hn_drive_report report;
  hn_error error = {0};
  hn_vec3 accelerations[20];
  for (int k = 0; k < 2 * bodies; k++)
    accelerations[k] = (hn_vec3){wanted[3 * k], wanted[3 * k + 1], wanted[3 * k + 2]};
  if (hn_simulation_drive_forces(made->simulation, drives, count, accelerations, forces, NULL,
                                 &report, &error))
    machine_stop("inverse", &error);
  assert_int_equal(report.rank, report.freedoms);
  push(made, forces, t, q, qd);
  read_accelerations(made, found);
  double size = 1;
  for (int i = 0; i < 6 * bodies; i++) size = fmax(size, fabs(wanted[i]));
  check_near_many(found, wanted, 6 * bodies, 1e-9 * size);
  push(made, u, t, q, qd);
}

static void forward_of_inverse_is_the_motion(void **state) {
  (void)state;
  static const char *const sets[] = {"cartesian", "relative", "natural"};
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
    for (int c = 0; c < 3; c++) {
      machine made = open_text(machines[m].text, sets[c]);
      hn_random random = hn_random_seed(7 + m);
      hn_drive drives[8];
      const int count = list_drives(&made, &machines[m], drives);
      for (int k = 0; k < 20; k++) {
        double u[8];
        hn_random_fill(&random, u, count, -5, 5);
        for (int i = 0; i < count; i++) check_ok(hn_simulation_set_input(made.simulation, i, u[i]));
        check_ok(
            hn_simulation_advance(made.simulation, hn_simulation_time(made.simulation) +
                                                       hn_random_uniform(&random, 0.002, 0.01)));
        check_state(&made, drives, count, &random);
      }
      machine_close(&made);
    }
}

// ---- a platform on eight legs -------------------------------------------------------------------

enum { LEGS = 8 };
static const double weights[LEGS] = {1, 2, 1, 4, 1, 1, 0.5, 3};

static void leg_ends(int k, double low[3], double high[3]) {
  const double a = 0.785 * k + 0.3 * (k % 2), b = 0.785 * k + 0.4 - 0.2 * (k % 3);
  low[0] = cos(a), low[1] = sin(a), low[2] = 0;
  high[0] = 0.5 * cos(b), high[1] = 0.5 * sin(b), high[2] = 1 + 0.05 * (k % 4);
}

// Gaussian elimination with pivoting, x instead of b.
static void solve(double a[6][6], double b[6]) {
  for (int k = 0; k < 6; k++) {
    int best = k;
    for (int i = k + 1; i < 6; i++)
      if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
    for (int j = 0; j < 6; j++) {
      const double keep = a[k][j];
      a[k][j] = a[best][j];
      a[best][j] = keep;
    }
    const double keep = b[k];
    b[k] = b[best];
    b[best] = keep;
    for (int i = k + 1; i < 6; i++) {
      const double factor = a[i][k] / a[k][k];
      for (int j = k; j < 6; j++) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (int i = 5; i >= 0; i--) {
    for (int j = i + 1; j < 6; j++) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
}

// Least weighted squares by hand: f = W^-1 B' (B W^-1 B')^-1 load.
static void share_load(double forces[LEGS]) {
  double b[6][LEGS], a[6][6] = {{0}}, load[6] = {0, 0, 50 * 9.81, 0, 0, 0};
  for (int k = 0; k < LEGS; k++) {
    double low[3], high[3], length = 0, n[3];
    leg_ends(k, low, high);
    for (int i = 0; i < 3; i++) length += (high[i] - low[i]) * (high[i] - low[i]);
    for (int i = 0; i < 3; i++) b[i][k] = n[i] = (high[i] - low[i]) / sqrt(length);
    const double arm[3] = {high[0] - 0.05, high[1], high[2] - 1.1};
    b[3][k] = arm[1] * n[2] - arm[2] * n[1];
    b[4][k] = arm[2] * n[0] - arm[0] * n[2];
    b[5][k] = arm[0] * n[1] - arm[1] * n[0];
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++)
      for (int k = 0; k < LEGS; k++) a[i][j] += b[i][k] * b[j][k] / weights[k];
  solve(a, load);
  for (int k = 0; k < LEGS; k++) {
    forces[k] = 0;
    for (int i = 0; i < 6; i++) forces[k] += b[i][k] * load[i] / weights[k];
  }
}

static void a_platform_shares_its_load_with_least_effort(void **state) {
  (void)state;
  char text[4096];
  int at = snprintf(text, sizeof text,
                    "gravity: [0, 0, -9.81]\n"
                    "bodies: {plate: {mass: 50, center: [0.05, 0, 1.1], inertia: [3, 4, 5]}}\n"
                    "drivers:\n");
  for (int k = 0; k < LEGS; k++) {
    double low[3], high[3], length = 0;
    leg_ends(k, low, high);
    for (int i = 0; i < 3; i++) length += (high[i] - low[i]) * (high[i] - low[i]);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "  leg%d: {distance: [[%.17g, %.17g, %.17g], [%.17g, %.17g, %.17g]], bodies: "
                   "[ground, plate], motion: %.17g}\n",
                   k, low[0], low[1], low[2], high[0], high[1], high[2], sqrt(length));
  }
  machine made = open_text(text, "cartesian");
  hn_drive drives[LEGS];
  double forces[LEGS], expected[LEGS], map[6 * LEGS];
  hn_drive_report report;
  for (int k = 0; k < LEGS; k++) drives[k] = (hn_drive){.driver = k, .weight = weights[k]};
  check_ok(
      hn_simulation_drive_forces(made.simulation, drives, LEGS, NULL, forces, map, &report, NULL));
  share_load(expected);
  assert_int_equal(report.freedoms, 6);
  assert_int_equal(report.rank, 6);
  check_at_most(report.residual, 1e-9 * report.largest);
  check_near_many(forces, expected, LEGS, 1e-9 * 50 * 9.81);
  machine_close(&made);
}

// Too few drives: what is missing is named.
static void what_drives_cannot_push_is_named(void **state) {
  (void)state;
  machine made = open_text(machines[0].text, "cartesian");
  hn_drive drive = {.driver = -1, .joint = hn_model_find_joint(made.model, "base")};
  drive.coordinate = HN_COORDINATE_ANGLE;
  double force;
  hn_drive_report report;
  const hn_vec3 rest[6] = {{0}};
  check_ok(
      hn_simulation_drive_forces(made.simulation, &drive, 1, rest, &force, NULL, &report, NULL));
  assert_int_equal(report.rank, 1);
  assert_int_equal(report.freedoms, 3);
  assert_string_equal(report.missing, "joint.shoulder.angle");
  drive.coordinate = HN_COORDINATE_DISPLACEMENT; // a hinge has none
  check_status(
      hn_simulation_drive_forces(made.simulation, &drive, 1, rest, &force, NULL, NULL, NULL),
      HN_ERROR_ARGUMENT);
  machine_close(&made);
}

// ---- the equations at a state -------------------------------------------------------------------

// Of a tree in coordinates of its joints: M qdd + bias = 0 when nothing else pushes; kinetic energy.
static void mass_matrix_and_bias_are_those_of_the_motion(void **state) {
  (void)state;
  machine made = open_text(machines[0].text, "relative");
  hn_simulation *s = made.simulation;
  check_ok(hn_simulation_advance(s, 0.3));
  assert_int_equal(hn_simulation_coordinate_count(s), 3);
  double m[9], bias[3], energy = 0, kinetic, forces[3];
  check_ok(hn_simulation_mass_matrix(s, m));
  check_ok(hn_simulation_bias_forces(s, bias));
  check_ok(hn_simulation_inverse_dynamics(s, hn_simulation_accelerations(s), forces));
  const double *qd = hn_simulation_velocities(s);
  for (int i = 0; i < 3; i++) {
    check_near(forces[i], 0, 1e-9);
    for (int j = 0; j < 3; j++) energy += 0.5 * qd[i] * m[3 * i + j] * qd[j];
  }
  check_ok(hn_simulation_value(s, "energy.kinetic", &kinetic));
  check_relative(energy, kinetic, 1e-12);
  hn_composite all;
  check_ok(hn_simulation_composite(s, NULL, 0, &all));
  check_near(all.mass, 6, 1e-14);
  double j[9], v[3], x;
  check_ok(hn_simulation_point_jacobian(s, 3, (hn_vec3){0, 0, 0}, j, NULL));
  static const char *const names[] = {"body.c.velocity.x", "body.c.velocity.y",
                                      "body.c.velocity.z"};
  for (int i = 0; i < 3; i++) {
    v[i] = j[3 * i] * qd[0] + j[3 * i + 1] * qd[1] + j[3 * i + 2] * qd[2];
    check_ok(hn_simulation_value(s, names[i], &x));
    check_near(v[i], x, 1e-12);
  }
  machine_close(&made);
}

// A motor that is an input: what it must give does not depend on what it gives now, unless asked.
static void inverse_dynamics_takes_inputs_as_zero(void **state) {
  (void)state;
  machine made =
      open_text("gravity: [0, 0, -9.81]\ninputs: {torque: 0 N m}\n"
                "bodies: {rod: {mass: 2, center: [0.5, 0, 0], inertia: [0.1, 0.2, 0.2]}}\n"
                "joints: {pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], "
                "axis: y}}\n"
                "forces: {motor: {type: torque, joint: pin, torque: torque}}\n",
                "relative");
  hn_simulation *s = made.simulation;
  // about y, level: M = 0.2 + 2/4 = 0.7 kg m2; gravity turns it by 9.81 N m, towards z down
  const double wanted = 3;
  double force = 0;
  for (int k = 0; k < 2; k++) {
    check_ok(hn_simulation_set_input(s, 0, 5.0 * k));
    check_ok(hn_simulation_inverse_dynamics(s, &wanted, &force));
    check_near(force, 0.7 * wanted - 9.81, 1e-12);
    check_ok(hn_simulation_inverse_dynamics_at_inputs(s, &wanted, &force));
    check_near(force, 0.7 * wanted - 9.81 - 5.0 * k, 1e-12);
    check_near(hn_simulation_input(s, 0), 5.0 * k, 0);
  }
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_of_inverse_is_the_motion),
      cmocka_unit_test(a_platform_shares_its_load_with_least_effort),
      cmocka_unit_test(what_drives_cannot_push_is_named),
      cmocka_unit_test(inverse_dynamics_takes_inputs_as_zero),
      cmocka_unit_test(mass_matrix_and_bias_are_those_of_the_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
