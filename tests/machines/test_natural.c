// Natural coordinates against Cartesian ones: the same accelerations on whole models on their way,
// and the same motion by implicit methods, redundant models, drivers, tyres, bushings and a user's
// force among them; a run that continues from a saved state.
#include "analysis/simulation.h"
#include "equations/natural/nodes.h"
#include "machine.h"

// ---- accelerations ------------------------------------------------------------------------------

// limit: bushings of 2e7 N/m and 2e6 N s/m turn the rounding of a position into that much force.
static const struct {
  const char *path, *setting;
  double limit;
} machines[] = {
    {"four-bar.yaml", NULL, 1e-9},
    {"slider-crank.yaml", NULL, 1e-9},
    {"double-wishbone.yaml", NULL, 1e-9},
    {"gyroscope.yaml", NULL, 1e-9},
    {"car-axis.yaml", NULL, 1e-9},
    {"iftomm/a01.yaml", NULL, 1e-9},
    {"iftomm/a02.yaml", "N=5", 1e-9},
    {"iftomm/a03.yaml", NULL, 1e-9},
    {"iftomm/a04.yaml", NULL, 1e-9},
    {"iftomm/a05.yaml", NULL, 1e-9},
    {"andrews-ivp.yaml", NULL, 1e-9},
    {"cardenal/double-pendulum.yaml", NULL, 1e-9},
    {"negrut/double-pendulum.yaml", NULL, 1e-9},
    {"negrut/seven-body.yaml", NULL, 1e-9},
    {"negrut/chain.yaml", NULL, 1e-9},
    {"negrut/hmmwv14.yaml", NULL, 1e-9},
    {"negrut/hmmwv14-stiff.yaml", NULL, 1e-6},
    {"iltis/iltis.yaml", NULL, 1e-9},
    {"vlasenko/steam-machine.yaml", NULL, 1e-9},
    {"vlasenko/car.yaml", NULL, 1e-9},
    {"components/powertrain.yaml", NULL, 1e-9},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

// Accelerations in both sets at the state the simulation is in: those of whole evaluations, and those
// that stages make of the rows of natural coordinates alone.
static double difference(hn_simulation *s, hn_equations *natural, hn_snapshot *snapshot,
                         hn_snapshot *stage, double *q, double *qd) {
  const hn_snapshot *now = s->method->now;
  hn_error error;
  natural->type->coordinates->from_frames(natural, now->frames, q, qd);
  check_ok(natural->type->evaluate(natural, s->method->t, q, qd, &s->branches, snapshot, &error));
  check_ok(
      natural->type->evaluate_stage(natural, s->method->t, q, qd, &s->branches, stage, &error));
  double most = 0, size = 1, node = 1, apart = 0; // at rest: absolute
  for (int b = 1; b < natural->model->body_count; b++) {
    const hn_vec3 a[2] = {now->acceleration[b], now->angular_acceleration[b]};
    const hn_vec3 c[2] = {snapshot->acceleration[b], snapshot->angular_acceleration[b]};
    for (int k = 0; k < 2; k++) {
      most = fmax(most, vec3_norm(vec3_sub(a[k], c[k])));
      size = fmax(size, vec3_norm(a[k]));
    }
  }
  for (int i = 0; i < natural->nq; i++) {
    apart = fmax(apart, fabs(snapshot->qdd[i] - stage->qdd[i]));
    node = fmax(node, fabs(snapshot->qdd[i]));
  }
  check_near(stage->power, snapshot->power, 1e-6 * fmax(1, fabs(snapshot->power)));
  return fmax(most / size, apart / node);
}

static void accelerations_are_those_of_cartesian_coordinates(void **state) {
  (void)state;
  for (int k = 0; k < MACHINES; k++) {
    // states within 1e-11 of the constraints: what is off them is seen differently
    machine m = machine_open(machines[k].path, machines[k].setting, 1e-8);
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_equations *natural = NULL;
    hn_snapshot *snapshot = NULL, *stage = NULL;
    hn_error error;
    check_ok(hn_natural.create(&arena, m.simulation->elements, NULL, &natural, &error));
    check_ok(hn_snapshot_create(&arena, natural, &snapshot));
    check_ok(hn_snapshot_create(&arena, natural, &stage));
    double *q = HN_TAKE(&arena, double, natural->nq), *qd = HN_TAKE(&arena, double, natural->nq);
    double worst = 0;
    for (int i = 0; i < 6; i++) {
      worst = fmax(worst, difference(m.simulation, natural, snapshot, stage, q, qd));
      for (int j = 0; j < 3; j++) check_ok(hn_simulation_step(m.simulation, HUGE_VAL));
    }
    if (!(worst < machines[k].limit))
      fail_msg("%s: accelerations differ by %g (n = %d, rows of rigidity %d)", machines[k].path,
               worst, natural->nq, natural->normalizations);
    hn_arena_release(&arena);
    machine_close(&m);
  }
}

// ---- implicit methods ---------------------------------------------------------------------------

static const char *const ways[][3] = {
    {"descriptor", "trapezoidal", "none"},         {"descriptor", "sdirk4-16", "none"},
    {"first-order", "sdirk4-15", "none"},          {"first-order", "rosenbrock", "none"},
    {"state-space", "trapezoidal", "partition"},   {"first-order", "rosenbrock", "partition"},
    {"state-space", "sdirk4-16", "tangent-plane"},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static hn_simulation *start(hn_model *model, const char *coordinates, const char *const way[3],
                            double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = coordinates;
  options.method = way[0];
  options.formula = way[1];
  options.independent = way[2];
  options.tol = tol;
  if (hn_simulation_create(model, &options, &s, &error)) machine_stop(hn_model_name(model), &error);
  return s;
}

static double distance(hn_simulation *a, hn_simulation *b) {
  double most = 0;
  for (int body = 1; body < a->model->body_count; body++) {
    hn_body_motion x, y;
    check_ok(hn_simulation_body_motion(a, body, &x));
    check_ok(hn_simulation_body_motion(b, body, &y));
    most = fmax(most, vec3_norm(vec3_sub(x.position, y.position)));
    for (int i = 0; i < 9; i++)
      most = fmax(most, fabs((&x.rotation.m[0][0])[i] - (&y.rotation.m[0][0])[i]));
  }
  return most;
}

// Implicit runs in natural coordinates end where an explicit Cartesian one does, or an implicit one
// where the model is stiff.
static void compare_runs(hn_model *model, double time, double limit, int is_stiff) {
  static const char *const references[2][3] = {{"first-order", "dopri5", "none"},
                                               {"first-order", "sdirk4-15", "none"}};
  hn_simulation *reference = start(model, "cartesian", references[is_stiff], 1e-8);
  check_ok(hn_simulation_advance(reference, time));
  for (int w = 0; w < WAYS; w++) {
    hn_simulation *s = start(model, "natural", ways[w], 1e-6);
    if (hn_simulation_advance(s, time)) machine_stop(hn_model_name(model), hn_simulation_error(s));
    double apart = distance(reference, s);
    if (!(apart <= limit))
      fail_msg("%s by %s %s %s: %g apart", hn_model_name(model), ways[w][0], ways[w][1], ways[w][2],
               apart);
    hn_simulation_free(s);
  }
  hn_simulation_free(reference);
}

// Loops, redundant loops, drivers, springs, tyres over a bump, bushings, gears, models that float.
static void implicit_methods_agree_with_cartesian_coordinates(void **state) {
  (void)state;
  static const struct {
    const char *path, *setting;
    double time;
    int is_stiff;
  } runs[] = {
      {"four-bar.yaml", NULL, 0.2, 0},
      {"double-wishbone.yaml", NULL, 0.2, 0},
      {"iftomm/a02.yaml", "N=3", 0.3, 0},
      {"iftomm/a03.yaml", NULL, 0.01, 0},
      {"iftomm/a04.yaml", NULL, 0.5, 0},
      {"iftomm/a05.yaml", NULL, 0.02, 1},
      {"car-axis.yaml", NULL, 0.1, 1},
      {"negrut/double-pendulum.yaml", NULL, 0.05, 1},
      {"negrut/hmmwv14-stiff.yaml", NULL, 0.05, 1},
      {"iltis/front-suspension.yaml", NULL, 0.1, 1},
      {"vlasenko/steam-machine.yaml", NULL, 0.3, 0},
      {"vlasenko/car.yaml", NULL, 0.05, 0},
      {"components/powertrain.yaml", NULL, 0.003, 0},
      {"examples/force-tyre.yaml", NULL, 0.1, 0},
      {"examples/road-half-cylinder.yaml", NULL, 0.1, 0},
      {"examples/force-point-force.yaml", NULL, 0.2, 0},
      {"examples/force-torque.yaml", NULL, 0.2, 0},
      {"examples/joint-coupler.yaml", NULL, 0.2, 0},
      {"examples/coupler-polynomial.yaml", NULL, 0.2, 0},
      {"examples/joint-screw.yaml", NULL, 0.2, 0},
      {"examples/driver-point.yaml", NULL, 0.1, 0},
      {"../tests/data/afloat.yaml", NULL, 0.1, 0},
  };
  for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
    machine m = machine_open(runs[k].path, runs[k].setting, 1e-3);
    compare_runs(m.model, runs[k].time, 2e-4, runs[k].is_stiff);
    machine_close(&m);
  }
}

// ---- models built in code -----------------------------------------------------------------------

static int add_body(hn_model *model, const char *name, hn_vec3 at, hn_vec3 spin) {
  hn_body_def body = hn_default_body();
  const double inertia[6] = {0.3, 0.2, 0.25, 0, 0, 0};
  int id = -1;
  body.name = name;
  body.mass = 2;
  memcpy(body.inertia, inertia, sizeof inertia);
  body.position = at;
  body.angular_velocity = spin;
  check_ok(hn_model_add_body(model, &body, &id));
  return id;
}

static void add_joint(hn_model *model, const char *name, hn_joint_type type, int body1, int body2,
                      hn_vec3 at1, hn_vec3 at2) {
  hn_joint_def joint = hn_default_joint(type);
  joint.name = name;
  joint.frame1 = (hn_frame_on_body){body1, at1, quat_identity()};
  joint.frame2 = (hn_frame_on_body){body2, at2, quat_identity()};
  check_ok(hn_model_add_joint(model, &joint, NULL));
}

// A door on three hinges in line, in a wind that grows with the square of its speed and a twist that
// grows with the third axis of a ball hung on it: a user's force with and without derivatives.
static hn_status wind(void *context, double t, const hn_body_motion body[2], hn_wrench wrench[2],
                      double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  (void)context, (void)d_pose, (void)d_velocity, (void)d_time; // never asked for
  hn_vec3 v = vec3_sub(body[1].velocity, body[0].velocity);
  hn_vec3 axis = mat3_column(body[1].rotation, 2);
  wrench[1].force = vec3_add(vec3_scale(-0.5 * vec3_norm(v), v), vec3(0, 3 * cos(4 * t), 0));
  wrench[1].torque = vec3_cross(axis, vec3(1, 0.5, 0));
  wrench[0].force = vec3_negate(wrench[1].force);
  wrench[0].torque = vec3_negate(wrench[1].torque);
  return HN_OK;
}

static hn_model *make_door(void) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_model_set_gravity(model, vec3(0, -2, -9.81));
  int door = add_body(model, "door", vec3(0.5, 0, 1), vec3(0, 0, 1));
  int ball = add_body(model, "ball", vec3(1, 0, 0.2), vec3(0, 0, 1));
  static const char *const names[3] = {"lower", "middle", "upper"};
  for (int k = 0; k < 3; k++)
    add_joint(model, names[k], HN_JOINT_REVOLUTE, HN_GROUND, door, vec3(0, 0, k),
              vec3(-0.5, 0, k - 1));
  add_joint(model, "hook", HN_JOINT_SPHERICAL, door, ball, vec3(0.5, 0, -0.5), vec3(0, 0, 0.3));
  hn_force_def force = hn_default_force(HN_FORCE_USER);
  force.name = "wind";
  force.frame1.body = door;
  force.frame2.body = ball;
  force.user = (hn_user_force){wind, NULL, 0, 0};
  check_ok(hn_model_add_force(model, &force, NULL));
  check_ok(hn_model_finish(model));
  return model;
}

static void a_door_on_three_hinges_in_the_wind_agrees(void **state) {
  (void)state;
  hn_model *model = make_door();
  hn_simulation *s = start(model, "natural", ways[0], 1e-4);
  hn_mobility found; // rows on bodies, of which the certificate speaks in any coordinates
  check_ok(hn_simulation_mobility(s, &found));
  assert_int_equal(found.rows - found.rank, 10);
  assert_int_equal(hn_simulation_certificate(s).redundant, 10);
  hn_mobility_free(&found);
  hn_simulation_free(s);
  compare_runs(model, 0.5, 1e-4, 0);
  hn_model_free(model);
}

// ---- saved states -------------------------------------------------------------------------------

static void a_saved_state_goes_on_bit_for_bit(void **state) {
  (void)state;
  static const char *const models[] = {"slider-crank.yaml", "iftomm/a04.yaml", "iltis/rest.yaml"};
  static char buffer[1000000];
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++)
    for (int w = 0; w < WAYS; w++) {
      machine m = machine_open(models[k], NULL, 1e-3);
      hn_simulation *a = start(m.model, "natural", ways[w], 1e-5);
      hn_simulation *b = start(m.model, "natural", ways[w], 1e-5);
      check_ok(hn_simulation_advance(a, 0.03));
      size_t size = hn_simulation_save_size(a);
      assert_true(size <= sizeof buffer);
      check_ok(hn_simulation_save(a, buffer, sizeof buffer));
      check_ok(hn_simulation_restore(b, buffer, size));
      check_ok(hn_simulation_advance(a, 0.06));
      check_ok(hn_simulation_advance(b, 0.06));
      if (hn_simulation_state_hash(a) != hn_simulation_state_hash(b))
        fail_msg("%s by %s %s: another state after going on", models[k], ways[w][0], ways[w][1]);
      hn_simulation_free(a);
      hn_simulation_free(b);
      machine_close(&m);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_are_those_of_cartesian_coordinates),
      cmocka_unit_test(implicit_methods_agree_with_cartesian_coordinates),
      cmocka_unit_test(a_door_on_three_hinges_in_the_wind_agrees),
      cmocka_unit_test(a_saved_state_goes_on_bit_for_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
