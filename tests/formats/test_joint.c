// Joints and drivers from files: frames, coordinates in the reference configuration, coupled
// joints, messages.
#include <math.h>

#include "elements/elements.h"
#include "formats/loading.h"

#define TWO "bodies: {a: {mass: 1, center: [1, 0, 0]}, b: {mass: 1, center: [2, 1, 0]}}\n"

// The value of a joint coordinate in the reference configuration.
static double drawn(hn_model *model, const char *joint, hn_coordinate coordinate) {
  hn_arena arena;
  hn_elements *elements;
  hn_error error;
  hn_frame frames[8];
  double turns[16] = {0};
  hn_arena_init(&arena, NULL);
  check_ok(hn_elements_create(&arena, model, &elements, &error));
  hn_drawn_frames(model, frames);
  int at = hn_model_find_joint(model, joint) * HN_COORDINATES + (int)coordinate;
  double value = hn_measure_value(&elements->measures[elements->coordinate[at]], frames, turns);
  hn_arena_release(&arena);
  return value;
}

// The largest residual of a joint's equations in the reference configuration.
static double residual(hn_model *model, const char *joint) {
  hn_arena arena;
  hn_elements *elements;
  hn_error error;
  hn_frame frames[8];
  double turns[16] = {0}, largest = 0;
  hn_arena_init(&arena, NULL);
  check_ok(hn_elements_create(&arena, model, &elements, &error));
  hn_drawn_frames(model, frames);
  int id = hn_model_find_joint(model, joint);
  for (int r = elements->joint_row[id]; r < elements->joint_row[id + 1]; r++) {
    hn_row_speeds out;
    hn_row_in_speeds(elements, &elements->rows[r], frames, turns, 0, 0, &out);
    largest = fmax(largest, fabs(out.value));
  }
  hn_arena_release(&arena);
  return largest;
}

static void coordinates_are_zero_as_drawn(void **state) {
  (void)state;
  hn_model *m = load_text(
      TWO "joints:\n"
          "  r: {type: revolute, bodies: [a, b], at: [1, 1, 1], axis: [1, 2, 3]}\n"
          "  c: {type: cylindrical, bodies: [a, b], at: [1, 1, 1], axis: [1, 2, 3]}\n"
          "  u: {type: universal, bodies: [a, b], at: [1, 1, 1], axes: [[1, 1, 0], [1, -1, 3]]}\n"
          "  p: {type: planar, bodies: [a, b], at: [1, 1, 1], axis: y}\n"
          "  f: {type: free, bodies: [a, b]}\n"
          "  v: {type: constant-velocity, bodies: [a, b], at: [0, 0, 0], axes: [x, [1, 1, 0]]}\n"
          "  s: {type: screw, bodies: [a, b], at: [1, 0, 0], axis: x, pitch: 1}\n"
          "  d: {type: distance, bodies: [a, b], points: [[0, 0, 0], [3, 4, 0]]}\n");
  check_near(drawn(m, "r", HN_COORDINATE_ANGLE), 0, 1e-15);
  check_near(drawn(m, "c", HN_COORDINATE_ANGLE), 0, 1e-15);
  check_near(drawn(m, "c", HN_COORDINATE_DISPLACEMENT), 0, 1e-15);
  check_near(drawn(m, "u", HN_COORDINATE_ANGLE), 0, 1e-15);
  check_near(drawn(m, "u", HN_COORDINATE_ANGLE2), 0, 1e-15);
  check_near(drawn(m, "p", HN_COORDINATE_X), 0, 1e-15);
  check_near(drawn(m, "f", HN_COORDINATE_Z), 0, 1e-15);
  check_near(drawn(m, "d", HN_COORDINATE_LENGTH), 5, 1e-15);
  const char *const joints[] = {"r", "c", "u", "p", "f", "v", "s", "d"};
  for (int k = 0; k < 8; k++) check_near(residual(m, joints[k]), 0, 1e-15);
  hn_model_free(m);
}

static void offset_names_the_drawn_position(void **state) {
  (void)state;
  hn_model *m = load_text(TWO "joints:\n"
                              "  r: {type: revolute, bodies: [a, b], at: [1, 1, 1], axis: [1, 2, "
                              "3], offset: {angle: 90 deg}}\n"
                              "  c: {type: cylindrical, bodies: [a, b], at: [1, 1, 1], axis: z, "
                              "offset: {angle: 1, displacement: 2}}\n"
                              "  u: {type: universal, bodies: [a, b], at: [1, 1, 1], axes: [x, y], "
                              "offset: {angle: 0.3, angle2: 0.4}}\n"
                              "  p: {type: planar, bodies: [a, b], at: [1, 1, 1], axis: z, offset: "
                              "{x: 1, y: 2, angle: 0.5}}\n"
                              "  f: {type: free, bodies: [a, b], offset: {x: 1, y: 2, z: 3}}\n"
                              "  s: {type: screw, bodies: [a, b], at: [1, 0, 0], axis: x, pitch: "
                              "2, offset: {angle: 1 rev}}\n"
                              "  t: {type: screw, bodies: [a, b], at: [1, 0, 0], axis: x, pitch: "
                              "2, offset: {displacement: 1}}\n");
  check_near(drawn(m, "r", HN_COORDINATE_ANGLE), HN_PI / 2, 1e-15);
  check_near(drawn(m, "c", HN_COORDINATE_ANGLE), 1, 1e-15);
  check_near(drawn(m, "c", HN_COORDINATE_DISPLACEMENT), 2, 1e-15);
  check_near(drawn(m, "u", HN_COORDINATE_ANGLE), 0.3, 1e-15);
  check_near(drawn(m, "u", HN_COORDINATE_ANGLE2), 0.4, 1e-15);
  check_near(drawn(m, "p", HN_COORDINATE_X), 1, 1e-15);
  check_near(drawn(m, "p", HN_COORDINATE_Y), 2, 1e-15);
  check_near(drawn(m, "p", HN_COORDINATE_ANGLE), 0.5, 1e-15);
  check_near(drawn(m, "f", HN_COORDINATE_Z), 3, 1e-15);
  check_near(drawn(m, "s", HN_COORDINATE_DISPLACEMENT), 2, 1e-15);
  check_near(drawn(m, "t", HN_COORDINATE_DISPLACEMENT), 1, 1e-15);
  check_near(fabs(drawn(m, "t", HN_COORDINATE_ANGLE)), HN_PI, 1e-15);
  hn_model_free(m);
  refuse_text(TWO "joints: {s: {type: screw, bodies: [a, b], at: [0, 0, 0], axis: x, pitch: 1, "
                  "offset: {angle: 1, displacement: 2}}}\n",
              2, "'s'");
}

// Turning the second body by +90 deg about the axis makes the angle +90 deg.
static void angles_are_right_handed_about_the_axis(void **state) {
  (void)state;
  hn_model *m =
      load_text("bodies:\n"
                "  ground: {markers: {g: [0, 0, 0]}}\n"
                "  a: {mass: 1, orientation: {axis: z, angle: 90 deg}, markers: {m: [0, 0, 0]}}\n"
                "joints: {r: {type: revolute, markers: [ground.g, a.m]}}\n");
  check_near(drawn(m, "r", HN_COORDINATE_ANGLE), HN_PI / 2, 1e-15);
  hn_model_free(m);
}

static void pitch_may_be_given_by_the_turn(void **state) {
  (void)state;
#define SCREW(pitch)                                                                               \
  TWO "joints: {s: {type: screw, bodies: [a, b], at: [0, 0, 0], axis: x, pitch: " pitch "}}\n"
  const char *const texts[] = {SCREW("0.005"), SCREW("5 mm"), SCREW("5 mm/rev")};
  for (int k = 0; k < 3; k++) {
    hn_model *m = load_text(texts[k]);
    check_near(m->joints[0].pitch, 0.005, 1e-17);
    hn_model_free(m);
  }
  refuse_text(SCREW("5 N"), 2, "'s' 'pitch'");
}

static void initial_values_reach_their_coordinate(void **state) {
  (void)state;
  hn_model *m =
      load_text(TWO "joints: {c: {type: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: z,\n"
                    "  initial: {angle: 1 rev, displacement_rate: 5 mm/s, fixed: true}}}\n");
  const hn_joint_initial *i = m->joints[0].initial;
  assert_true(i[HN_COORDINATE_ANGLE].has_value && !i[HN_COORDINATE_ANGLE].has_rate);
  check_near(i[HN_COORDINATE_ANGLE].value, 2 * HN_PI, 1e-15);
  check_near(i[HN_COORDINATE_DISPLACEMENT].rate, 0.005, 1e-18);
  assert_int_equal(i[HN_COORDINATE_DISPLACEMENT].firmness, HN_FIXED);
  hn_model_free(m);
}

static void coupled_joints_hold_as_drawn(void **state) {
  (void)state;
  hn_model *m = load_text(
      TWO
      "joints:\n"
      "  g: {type: gear, joints: [r, q], radii: [10 mm, 30 mm]}\n" // further down
      "  r: {type: revolute, bodies: [ground, a], at: [1, 0, 0], axis: z, offset: {angle: 0.5}}\n"
      "  q: {type: revolute, bodies: [ground, b], at: [2, 1, 0], axis: z, offset: {angle: 3}, "
      "initial: {angle: 3 + 2*pi}}\n"
      "  s: {type: translational, bodies: [a, b], at: [0, 0, 0], axis: x, offset: {displacement: "
      "0.2}}\n"
      "  p: {type: rack-pinion, joints: [r, s], radius: 0.4}\n"
      "  c: {type: coupler, terms: [{joint: r, coefficient: 2}, {joint: s, coefficient: 3}]}\n"
      "  k: {type: coupler, terms: [{joint: q, coefficient: 1}]}\n"
      "  n: {type: coupler, terms: [{joint: r, coefficient: 2}], constant: 7}\n");
  const hn_joint_def *g = &m->joints[0];
  assert_int_equal(g->coupled_count, 2);
  assert_int_equal(g->coupled[1], 2);
  check_near(g->coefficient[1], 3, 1e-15);
  const hn_joint_def *p = &m->joints[4];
  check_near(p->coefficient[0], -0.4, 0);
  check_near(p->coefficient[1], 1, 0);
  assert_int_equal(p->coupled_coordinate[1], HN_COORDINATE_DISPLACEMENT);
  check_near(m->joints[5].constant, 2 * 0.5 + 3 * 0.2, 1e-15);
  check_near(m->joints[6].constant, 3 + 2 * HN_PI, 1e-14); // on the turn it starts in
  check_near(m->joints[7].constant, 7, 0);
  hn_model_free(m);
}

static void drivers_see_what_they_drive(void **state) {
  (void)state;
  hn_model *m =
      load_text("bodies:\n"
                "  a: {mass: 1, position: [1, 0, 0]}\n"
                "  b: {mass: 1, position: [2, 5, 0], markers: {m: [0, 1, 0]}}\n"
                "joints: {c: {type: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: z}}\n"
                "drivers:\n"
                "  j: {joint: c, coordinate: angle, motion: 30 deg/s*t}\n"
                "  p: {point: b.m, of: a, direction: [0, 2, 0], motion: t}\n"
                "  d: {distance: [[0, 0, 0], b.m], bodies: [ground, b], motion: {table: [[0 s, 6 "
                "m], [1 s, 7 m]]}}\n");
  assert_int_equal(m->drivers[0].coordinate, HN_COORDINATE_ANGLE);
  check_near(hn_law_evaluate(m->drivers[0].law, -1, 2).value, HN_PI / 3, 1e-15);
  const hn_driver_def *p = &m->drivers[1];
  assert_int_equal(p->kind, HN_DRIVER_POINT);
  hn_mat3 axes = quat_matrix(p->frame1.orientation);
  int axis = p->coordinate == HN_COORDINATE_X ? 0 : p->coordinate == HN_COORDINATE_Y ? 1 : 2;
  hn_vec3 direction = mat3_column(axes, axis);
  check_vec3(direction, 0, 1, 0, 1e-15);
  check_vec3(p->frame2.position, 0, 1, 0, 1e-15);
  assert_int_equal(m->drivers[2].kind, HN_DRIVER_DISTANCE);
  hn_model_free(m);
}

static void a_speed_as_a_motion_is_answered_with_the_motion(void **state) {
  (void)state;
#define DRIVE(motion)                                                                              \
  "parameters: {speed: 60 rpm}\n"                                                                  \
  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {c: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z}}\n"                   \
  "drivers: {d: {joint: c, motion: " motion "}}\n"
  refuse_text(DRIVE("60 rpm"), 4, "60 rpm*t");
  refuse_text(DRIVE("speed + 1 rad/s"), 4, "1");
  refuse_text(DRIVE("60 m"), 4, "'d' 'motion'");
  hn_model_free(load_text(DRIVE("60 rpm*t")));
#undef DRIVE
}

static void check_notes(const char *text, int count, const char *part) {
  hn_load_options strict = hn_default_load_options();
  strict.strict = 1; // notes are no warnings
  hn_model *m = load_with(text, &strict);
  assert_int_equal(hn_model_warning_count(m), count);
  for (int k = 0; k < count; k++) assert_true(hn_model_warning(m, k)->is_note);
  char told[900];
  if (count > 0) check_names(hn_warning_text(m, hn_model_warning(m, 0), told, sizeof told), part);
  hn_model_free(m);
}

static void angles_of_many_turns_without_a_unit_are_noted(void **state) {
  (void)state;
#define START(angle)                                                                               \
  "bodies: {\"a{i}\": {repeat: {i: [1, 3]}, mass: 1, inertia: [1, 1, 1]}}\n"                       \
  "joints: {\"c{i}\": {repeat: {i: [1, 3]}, type: revolute, bodies: [ground, \"a{i}\"],\n"         \
  "  at: [0, 0, 0], axis: z, initial: {angle: " angle "}}}\n"
  check_notes(START("30"), 1, "30 4.8");
  check_notes(START("-90"), 1, "-90 14.3");
  check_notes(START("6"), 0, NULL);
  check_notes(START("30 rad"), 0, NULL);
  check_notes(START("400 deg"), 0, NULL);
  check_notes(START("4*pi"), 0, NULL);
#undef START
}

static void two_drivers_of_one_coordinate_are_noted(void **state) {
  (void)state;
#define DRIVEN(two)                                                                                \
  "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"                                                   \
  "joints: {c: {type: cylindrical, bodies: [ground, a], at: [0, 0, 0], axis: z}}\n"                \
  "drivers:\n"                                                                                     \
  "  one: {joint: c, coordinate: angle, motion: t}\n"                                              \
  "  two: {joint: c, " two "}\n"
  check_notes(DRIVEN("coordinate: angle, motion: t"), 1, "5:3 'two' 'c' 'one'");
  check_notes(DRIVEN("coordinate: displacement, motion: t"), 0, NULL);
  check_notes(DRIVEN("coordinate: angle, motion: t, when: time > 1"), 0, NULL);
#undef DRIVEN
}

static void bad_joints_are_named(void **state) {
  (void)state;
#define JOINT(text) TWO "joints:\n  j: {" text "}\n"
  refuse_text(JOINT("bodies: [a, b]"), 3, "'type'");
  refuse_text(JOINT("type: revolut"), 3, "'revolute'");
  refuse_text(JOINT("type: prismatic"), 3, "'translational'");
  refuse_text(JOINT("type: revolute, bodies: [Ground, b], at: [0, 0, 0], axis: z"), 3, "'ground'");
  refuse_text(JOINT("type: revolute, bodies: [a, c], at: [0, 0, 0], axis: z"), 3, "'c'");
  refuse_text(JOINT("type: revolute, bodies: [a], at: [0, 0, 0], axis: z"), 3, "2");
  refuse_text(JOINT("type: revolute, bodies: [a, b], axis: z"), 3, "'at'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0]"), 3, "'axis'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: w"), 3, "'j' 'axis'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 0]"), 3, "0");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: points.P, axis: z"), 3, "'P'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: P, axis: z"), 3, "'j' 'at'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: a.m, axis: z"), 3, "'a.m'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z, pitch: 1"), 3,
              "'pitch'");
  refuse_text(JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z, reference: z"), 3,
              "'j'");
  refuse_text(
      JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z, offset: {displacement: 1}"), 3,
      "'j' 'displacement'");
  refuse_text(
      JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z, initial: {angle_rate: 5 m/s}"),
      3, "'j' 'angle_rate'");
  refuse_text(
      JOINT("type: revolute, bodies: [a, b], at: [0, 0, 0], axis: z, initial: {fixed: yes}"), 3,
      "'j' 'fixed'");
  refuse_text(JOINT("type: revolute, bodies: [a, a], at: [0, 0, 0], axis: z"), 3, "'j'");
  refuse_text(JOINT("type: gear, joints: [j, j], ratio: 1"), 3, "'j'");
  refuse_text(JOINT("type: gear, joints: [j, k], ratio: 1"), 3, "'j'");
  refuse_text(JOINT("type: coupler, terms: []"), 3, "1 4");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_are_zero_as_drawn),
      cmocka_unit_test(offset_names_the_drawn_position),
      cmocka_unit_test(angles_are_right_handed_about_the_axis),
      cmocka_unit_test(pitch_may_be_given_by_the_turn),
      cmocka_unit_test(initial_values_reach_their_coordinate),
      cmocka_unit_test(coupled_joints_hold_as_drawn),
      cmocka_unit_test(drivers_see_what_they_drive),
      cmocka_unit_test(a_speed_as_a_motion_is_answered_with_the_motion),
      cmocka_unit_test(angles_of_many_turns_without_a_unit_are_noted),
      cmocka_unit_test(two_drivers_of_one_coordinate_are_noted),
      cmocka_unit_test(bad_joints_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
