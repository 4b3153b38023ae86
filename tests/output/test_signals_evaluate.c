// Values of signals, against formulas of known motions and against differences in time.
#include <math.h>
#include <stdio.h>

#include "output/machine.h"

static void bodies_show_their_motion(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  double t = 0.7;
  set_instant(&m, t);
  check_near(value_of(&m, "body.rod.position.x"), sin(t), 0);
  check_near(value_of(&m, "body.rod.velocity.y"), 2 * t, 0);
  check_near(value_of(&m, "body.rod.acceleration.y"), 2, 0);
  check_near(value_of(&m, "body.front.arm.acceleration.y"), cos(t), 0);
  check_near(value_of(&m, "body.rod.angular_velocity.x"), 0.9 * t * t / 3, 1e-15);
  check_near(value_of(&m, "body.rod.angular_acceleration.z"), 1.8 * t * 2 / 3, 1e-15);
  double angle = 0.3 * t * t * t + 0.2;
  check_near(value_of(&m, "body.rod.quaternion.w"), cos(angle / 2), 1e-15);
  check_near(value_of(&m, "body.rod.quaternion.z"), sin(angle / 2) * 2 / 3, 1e-15);
  free_machine(&m);
}

static hn_quat turn(hn_vec3 axis, double angle) { return quat_from_axis_angle(axis, angle); }

static void roll_pitch_yaw_turn_about_z_then_y_then_x(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  set_instant(&m, 0);
  hn_random random = hn_random_seed(3);
  for (int k = 0; k < 50; k++) {
    double yaw = hn_random_uniform(&random, -3, 3), pitch = hn_random_uniform(&random, -1.5, 1.5),
           roll = hn_random_uniform(&random, -3, 3);
    hn_quat p = quat_multiply(turn(vec3(0, 0, 1), yaw),
                              quat_multiply(turn(vec3(0, 1, 0), pitch), turn(vec3(1, 0, 0), roll)));
    m.snapshot.frames[1].a = quat_matrix(p);
    check_near(value_of(&m, "body.rod.yaw"), yaw, 1e-13);
    check_near(value_of(&m, "body.rod.pitch"), pitch, 1e-13);
    check_near(value_of(&m, "body.rod.roll"), roll, 1e-13);
  }
  free_machine(&m);
}

// Six-point first difference of a signal in time.
static double slope_of(machine *m, const char *name, double t) {
  static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  double h = 2e-3, sum = 0;
  for (int k = 1; k <= 3; k++) {
    set_instant(m, t + k * h);
    double ahead = value_of(m, name);
    set_instant(m, t - k * h);
    sum += weight[k - 1] * (ahead - value_of(m, name)) / h;
  }
  set_instant(m, t);
  return sum;
}

static void rates_and_accelerations_are_derivatives_in_time(void **state) {
  (void)state;
  static const char *const chains[][3] = {
      {"marker.rod.tip.position.x", "marker.rod.tip.velocity.x", "marker.rod.tip.acceleration.x"},
      {"marker.rod.tip.position.y", "marker.rod.tip.velocity.y", "marker.rod.tip.acceleration.y"},
      {"marker.rod.tip.position.z", "marker.rod.tip.velocity.z", "marker.rod.tip.acceleration.z"},
      {"joint.loose.x", "joint.loose.x_rate", "joint.loose.x_acceleration"},
      {"joint.pin.angle", "joint.pin.angle_rate", "joint.pin.angle_acceleration"},
      {"joint.sleeve.displacement", "joint.sleeve.displacement_rate",
       "joint.sleeve.displacement_acceleration"},
      {"joint.plane.x", "joint.plane.x_rate", "joint.plane.x_acceleration"},
      {"joint.plane.y", "joint.plane.y_rate", "joint.plane.y_acceleration"},
      {"joint.plane.angle", "joint.plane.angle_rate", "joint.plane.angle_acceleration"},
  };
  machine m = make_machine(NULL);
  for (size_t k = 0; k < sizeof chains / sizeof *chains; k++) {
    double t = 0.45;
    set_instant(&m, t);
    for (int d = 1; d < 3; d++)
      check_near(value_of(&m, chains[k][d]), slope_of(&m, chains[k][d - 1], t), 2e-10);
  }
  free_machine(&m);
}

static void an_angle_about_its_axis_is_the_turn(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  double t = 0.8;
  set_instant(&m, t);
  check_near(value_of(&m, "joint.pin.angle"), 0.3 * t * t * t + 0.2, 1e-14);
  check_near(value_of(&m, "joint.pin.angle_rate"), 0.9 * t * t, 1e-14);
  check_near(value_of(&m, "joint.pin.angle_acceleration"), 1.8 * t, 1e-14);
  // the second body's origin along h = (1, 2, 2)/3 of the first
  check_near(value_of(&m, "joint.sleeve.displacement"), (2 + t - 2 * cos(t) + 2) / 3, 1e-14);
  int turn = m.elements->measures[m.elements->coordinate[HN_COORDINATES * 1]].turn; // of pin
  m.branches.turns[turn] = 6 * HN_PI; // continued over turns
  check_near(value_of(&m, "joint.pin.angle"), 0.3 * t * t * t + 0.2 + 6 * HN_PI, 1e-13);
  free_machine(&m);
}

static void energies_add_up(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  set_instant(&m, 0);
  m.snapshot.kinetic = 7;
  m.snapshot.potential = 12;
  m.source.work = -3;
  m.source.initial_energy = 21.5;
  m.source.step_size = 0.01;
  m.source.iterations = 4;
  check_near(value_of(&m, "energy.kinetic"), 7, 0);
  check_near(value_of(&m, "energy.potential"), 12, 0);
  check_near(value_of(&m, "energy.work"), -3, 0);
  check_near(value_of(&m, "energy.total"), 19, 0);
  check_near(value_of(&m, "energy.balance"), 0.5, 0); // 7 + 12 + 3 - 21.5
  check_near(value_of(&m, "step.size"), 0.01, 0);
  check_near(value_of(&m, "step.iterations"), 4, 0);
  free_machine(&m);
}

static void forces_drivers_and_constraints_are_shown(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  set_instant(&m, 0);
  m.snapshot.forces[1] = (hn_force_value){.value = 3, .deflection = 4, .rate = 5, .potential = 6};
  check_near(value_of(&m, "force.coil.value"), 3, 0);
  check_near(value_of(&m, "force.coil.deflection"), 4, 0);
  check_near(value_of(&m, "force.coil.rate"), 5, 0);
  check_near(value_of(&m, "force.coil.potential"), 6, 0);
  int rows = m.elements->row_count; // drivers are the last two rows
  m.snapshot.lambda[rows - 2] = -8;
  m.snapshot.lambda[rows - 1] = 9;
  check_near(value_of(&m, "driver.motor.force"), 8, 0);
  check_near(value_of(&m, "driver.pull.force"), -9, 0);
  m.snapshot.phi[2] = -1e-6;
  m.snapshot.phi[3] = 1e-7;
  m.snapshot.phi_rate[0] = 2e-6;
  m.snapshot.phi_acceleration[1] = -3e-6;
  check_near(value_of(&m, "constraint.position"), 1e-6, 0);
  check_near(value_of(&m, "constraint.velocity"), 2e-6, 0);
  check_near(value_of(&m, "constraint.acceleration"), 3e-6, 0);
  m.snapshot.phi[0] = NAN;
  assert_true(isnan(value_of(&m, "constraint.position")));
  assert_true(isnan(hn_signals_evaluate(m.signals, &m.source, -1)));
  free_machine(&m);
}

static void outputs_are_expressions_of_signals(void **state) {
  (void)state;
  const hn_output_def outputs[] = {
      {"x", {0}, "marker.rod.tip.position.x", NULL},
      {"twice", {0}, "2*x + 1", NULL},
      {"both", {0}, "twice - x*time", NULL},
      {"norm", {0}, "sqrt(body.rod.velocity.x^2 + body.rod.velocity.y^2)", "m/s"},
      {"", {0}, NULL, NULL},
  };
  machine m = make_machine(outputs);
  double t = 0.6;
  set_instant(&m, t);
  double x = value_of(&m, "marker.rod.tip.position.x");
  check_near(value_of(&m, "x"), x, 0);
  check_near(value_of(&m, "twice"), 2 * x + 1, 1e-15);
  check_near(value_of(&m, "both"), 2 * x + 1 - x * t, 1e-15);
  check_near(value_of(&m, "norm"), hypot(cos(t), 2 * t), 1e-15);
  free_machine(&m);
}

static void many_at_once_are_the_same_numbers(void **state) {
  (void)state;
  const hn_output_def outputs[] = {{"a", {0}, "joint.pin.angle + joint.plane.x_rate", NULL},
                                   {"", {0}, NULL, NULL}};
  machine m = make_machine(outputs);
  set_instant(&m, 0.3);
  for (int k = 0; k < m.elements->row_count; k++) m.snapshot.lambda[k] = 1 + k;
  enum { MOST = 256 };
  int indices[MOST], count = hn_signals_count(m.signals);
  double values[MOST];
  assert_true(count <= MOST);
  for (int k = 0; k < count; k++) indices[k] = (7 * k) % count; // not in order
  hn_signals_evaluate_many(m.signals, &m.source, indices, count, values);
  for (int k = 0; k < count; k++)
    check_near(values[k], hn_signals_evaluate(m.signals, &m.source, indices[k]), 0);
  free_machine(&m);
}

// A spherical joint's three rows are its force: along f, g, h of the first frame, -lambda on the
// second body, without torque about the joint point.
static void a_ball_joint_reacts_with_its_multipliers(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  set_instant(&m, 0); // rod turned by 0.2; the points coincide only as far as r allows
  m.snapshot.frames[2].r = m.snapshot.frames[1].r; // joint points are the origins
  int ball = hn_model_find_joint(m.model, "ball");
  const hn_joint_def *def = &m.model->joints[ball];
  double *lambda = m.snapshot.lambda + m.elements->joint_row[ball];
  lambda[0] = 3;
  lambda[1] = -4;
  lambda[2] = 5;
  hn_mat3 axes = mat3_multiply(m.snapshot.frames[1].a, quat_matrix(def->frame1.orientation));
  hn_vec3 force = mat3_apply(axes, vec3(-3, 4, -5));
  check_near(value_of(&m, "joint.ball.reaction.force.x"), force.x, 1e-14);
  check_near(value_of(&m, "joint.ball.reaction.force.y"), force.y, 1e-14);
  check_near(value_of(&m, "joint.ball.reaction.force.z"), force.z, 1e-14);
  check_near(value_of(&m, "joint.ball.reaction.torque.x"), 0, 1e-14);
  check_near(value_of(&m, "joint.ball.reaction.torque.z"), 0, 1e-14);
  free_machine(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bodies_show_their_motion),
      cmocka_unit_test(roll_pitch_yaw_turn_about_z_then_y_then_x),
      cmocka_unit_test(rates_and_accelerations_are_derivatives_in_time),
      cmocka_unit_test(an_angle_about_its_axis_is_the_turn),
      cmocka_unit_test(energies_add_up),
      cmocka_unit_test(forces_drivers_and_constraints_are_shown),
      cmocka_unit_test(outputs_are_expressions_of_signals),
      cmocka_unit_test(many_at_once_are_the_same_numbers),
      cmocka_unit_test(a_ball_joint_reacts_with_its_multipliers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
