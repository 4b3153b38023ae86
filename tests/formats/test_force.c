// Forces, laws and roads from files.
#include <math.h>

#include "formats/loading.h"
#include "math/euler.h"

#define BASE                                                                                       \
  "parameters: {k: 2 kN/m}\n"                                                                      \
  "bodies: {a: {mass: 1}, b: {mass: 1, center: [2, 0, 0]}}\n"                                      \
  "joints: {c: {type: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: z}}\nforces:\n"

static double at(const hn_law *law, double x) { return hn_law_evaluate(law, -1, x).value; }

static void linear_springs_become_polynomials(void **state) {
  (void)state;
  hn_model *m = load_text(BASE "  s: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [2, "
                               "0, 0]], stiffness: k, damping: 7}\n"
                               "  f: {type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [2, "
                               "0, 0]], stiffness: k, free_length: 1.5, preload: 5}\n"
                               "  l: {type: leaf-spring, bodies: [a, b], points: [[0, 0, 3], [2, "
                               "0, 0]], axis: z, offset: 0.5, stiffness: 10}\n"
                               "  j: {type: joint-spring-damper, joint: c, coordinate: angle, "
                               "stiffness: 3, free: 90 deg}\n");
  assert_int_equal(hn_law_get_kind(m->forces[0].of_x), HN_LAW_POLYNOMIAL);
  check_near(at(m->forces[0].of_x, 2), 0, 1e-12); // free length of the reference configuration
  check_near(at(m->forces[0].of_x, 2.1), 200, 1e-10);
  check_near(at(m->forces[0].of_v, 3), 21, 1e-15);
  check_near(at(m->forces[1].of_x, 2), 1005, 1e-12);
  check_near(at(m->forces[2].of_x, 2.5), 0, 1e-14); // 3 - 0 - 0.5 in the reference configuration
  check_near(m->forces[2].offset, 0.5, 0);
  check_near(at(m->forces[3].of_x, 0), -3 * HN_PI / 2, 1e-15);
  hn_model_free(m);
}

static void every_kind_of_law_takes_a_linear_part(void **state) {
  (void)state;
  static const char *const laws[] = {
      "3",
      "3*x^2",
      "{polynomial: [1, 2, 3]}",
      "{piecewise: [{below: 1, polynomial: [1]}, {polynomial: [0, 1, 2]}]}",
      "{table: [[0, 0], [1, 2], [2, 9], [4, 1]]}",
      "{table: [[0, 0], [1, 2], [2, 9], [4, 1]], interpolation: linear}",
  };
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    char text[600];
    snprintf(text, sizeof text,
             BASE
             "  p: {type: joint-spring-damper, joint: c, coordinate: displacement, force: %s}\n"
             "  s: {type: joint-spring-damper, joint: c, coordinate: displacement, force: %s,\n"
             "      stiffness: 5, free: 0.2, preload: 7}\n",
             laws[k], laws[k]);
    hn_model *m = load_text(text);
    for (double x = -1; x < 5; x += 0.37)
      check_near(at(m->forces[1].of_x, x), at(m->forces[0].of_x, x) + 5 * (x - 0.2) + 7, 1e-12);
    hn_model_free(m);
  }
}

static void laws_are_what_they_say(void **state) {
  (void)state;
  hn_model *m =
      load_text(BASE "  a: {type: joint-spring-damper, joint: c, coordinate: displacement, force: "
                     "k*(x - 10 mm), actuator: 3 + 2*t,\n"
                     "      damper: {piecewise: [{below: -1 m/s, polynomial: [5 N, 1]}, "
                     "{polynomial: [0, 2 N s/m, 3]}]}, law: x*v*t}\n"
                     "  b: {type: joint-spring-damper, joint: c, coordinate: displacement, force: "
                     "{table: [[0, 0], [10 mm, 1 kN], [20 mm, 1.5 kN]], interpolation: linear}}\n");
  const hn_force_def *f = &m->forces[0];
  check_near(at(f->of_x, 0.02), 20, 1e-12);
  check_near(at(f->of_t, 2), 7, 1e-15);
  check_near(at(f->of_v, -2), 3, 1e-15);
  check_near(at(f->of_v, 2), 16, 1e-15);
  check_near(hn_law_evaluate_many(f->of_xvt, (const double[]){2, 3, 5}, NULL), 30, 1e-15);
  check_near(at(m->forces[1].of_x, 0.015), 1250, 1e-10);
  hn_model_free(m);
}

static void bad_laws_are_refused(void **state) {
  (void)state;
#define LAW(text)                                                                                  \
  BASE "  s: {type: joint-spring-damper, joint: c, coordinate: displacement, " text "}\n"
  refuse_text(LAW("force: k*(x - 1 kg)"), 5, "'s'");
  refuse_text(LAW("force: 5 kg"), 5, "'force' 5");
  refuse_text(LAW("force: 3*v"), 5, "'v'");
  refuse_text(LAW("force: 5 t"), 5, "'force'");
  refuse_text(LAW("actuator: 5 t"), 5, "'s' 'actuator'");
  refuse_text(LAW("force: {polynomial: 3}"), 5, "'s' 'polynomial'");
  refuse_text(LAW("force: {polynomial: [1, 2 N]}"), 5, "N/m");
  refuse_text(LAW("force: {table: [[1, 2]]}"), 5, "'s' 'table'");
  refuse_text(LAW("force: {table: [[1, 2], [1, 3]]}"), 5, "'s' 'table'");
  refuse_text(LAW("force: {table: [[1, 2], [2]]}"), 5, "'s' 'table'");
  refuse_text(LAW("force: {table: [[1, 2], [2, 3]], interpolation: cubic}"), 5, "'s' 'cubic'");
  refuse_text(LAW("force: {piecewise: [{below: 1, polynomial: [1]}, {below: 2, polynomial: [1]}]}"),
              5, "2");
  refuse_text(LAW("force: {piecewise: [{below: 2, polynomial: [1]}, {below: 1, polynomial: [1]}, "
                  "{polynomial: [2]}]}"),
              5, "1");
  refuse_text(LAW("force: {spline: [1]}"), 5, "'spline' 'force'");
  refuse_text(LAW("law: {polynomial: [1]}"), 5, "'s' 'law'");
  refuse_text(LAW("free: 0.2"), 5, "'s' 'free'");
  refuse_text(BASE "  s: {type: joint-spring-damper, joint: c, stiffness: 1}\n", 5, "2");
}

static void loads_act_in_their_directions(void **state) {
  (void)state;
  hn_model *m = load_text(
      BASE
      "  p: {type: point-force, body: b, at: [3, 1, 0], force: [1 kN, 2*t, {polynomial: [0, 1]}]}\n"
      "  c: {type: point-force, body: b, force: [0, 0, 1], following: true}\n"
      "  t: {type: torque, body: b, torque: [0, 5 N m, 0]}\n"
      "  j: {type: torque, joint: c, coordinate: angle, torque: 7}\n");
  check_vec3(m->forces[0].frame2.position, 1, 1, 0, 1e-15);
  check_near(at(m->forces[0].component_law[0], 0), 1000, 0);
  check_near(at(m->forces[0].component_law[1], 3), 6, 0);
  check_vec3(m->forces[1].frame2.position, 0, 0, 0, 1e-15); // at the center of mass
  assert_int_equal(m->forces[1].following, 1);
  assert_null(m->forces[1].component_law[0]);
  check_near(at(m->forces[2].component_law[1], 0), 5, 0);
  // Along the coordinate on the second body: an actuator that pulls with -7.
  assert_int_equal(m->forces[3].type, HN_FORCE_JOINT_SPRING_DAMPER);
  assert_int_equal(hn_model_force_type(m, 3), HN_FORCE_TORQUE);
  check_near(at(m->forces[3].of_t, 0), -7, 0);
  hn_model_free(m);
}

static void friction_stops_bushings_and_tyres_get_their_numbers(void **state) {
  (void)state;
  hn_model *m = load_text(
      "roads: {r: {type: flat}, s: {type: polyline, points: [[0, 0], [1, 50 mm]], speed: -2 m/s},\n"
      "        b: {type: cosine-bump, start: 1, length: 2, height: 0.1}, h: {type: half-cylinder, "
      "radius: 0.1, envelope: 0.3}}\n" BASE
      "  f: {type: joint-friction, joint: c, coordinate: angle, torque: 3 N m, transition: 1 "
      "deg/s, viscous: 2}\n"
      "  s: {type: joint-stop, joint: c, coordinate: displacement, upper: 10 mm, stiffness: 1e6, "
      "damping: 5}\n"
      "  b: {type: bushing, bodies: [a, b], at: [0, 0, 0], stiffness: [1, 2, 3, 4, 5, 1 N m/deg], "
      "damping: [1, 2, 3, 4, 5, 6]}\n"
      "  t: {type: tyre, body: b, radius: 0.3, stiffness: 200 kN/m, road: s, contact: radial}\n");
  const hn_force_def *f = m->forces;
  check_near(f[0].magnitude, 3, 0);
  check_near(f[0].transition, HN_PI / 180, 1e-17);
  assert_true(f[1].lower == -HUGE_VAL);
  check_near(f[1].upper, 0.01, 0);
  check_near(f[1].stiffness[0], 1e6, 0);
  check_near(f[2].stiffness[5], 180 / HN_PI, 1e-13);
  check_near(f[2].damping[5], 6, 0);
  assert_int_equal(f[3].road, 1);
  assert_int_equal(f[3].contact, HN_CONTACT_RADIAL);
  hn_vec3 spin = mat3_column(quat_matrix(f[3].frame2.orientation), 2);
  check_vec3(spin, 0, 1, 0, 1e-15);
  check_near(m->roads.item[1].speed, -2, 0);
  check_near(m->roads.item[1].z[1], 0.05, 0);
  check_near(m->roads.item[3].envelope, 0.3, 0);
  hn_model_free(m);
}

static void bad_forces_are_named(void **state) {
  (void)state;
#define FORCE(text) BASE "  f: {" text "}\n"
  refuse_text(FORCE("type: spring-damper, bodies: [a, b], stiffness: 1"), 5, "'points'");
  refuse_text(FORCE("type: spring-damper, bodies: [a, b], points: [[0, 0, 0]], stiffness: 1"), 5,
              "'points'");
  refuse_text(
      FORCE("type: spring-damper, bodies: [a, b], points: [[0, 0, 0], [1, 0, 0]], stiffness: 5 kg"),
      5, "'stiffness' N/m 5");
  refuse_text(FORCE("type: spring, bodies: [a, b]"), 5, "'spring-damper'");
  refuse_text(FORCE("type: magnet, bodies: [a, b]"), 5, "spring-damper");
  refuse_text(FORCE("type: tyre, body: a, radius: 1, stiffness: 1, road: street"), 5, "'street'");
  refuse_text(FORCE("type: tyre, body: a, radius: 1, stiffness: 1"), 5, "'road'");
  refuse_text(FORCE("type: joint-stop, joint: c, coordinate: angle, stiffness: 1"), 5,
              "'f' 'lower'");
  refuse_text(FORCE("type: joint-friction, joint: c, coordinate: angle, force: 1, transition: 1"),
              5, "'torque'");
  refuse_text(FORCE("type: bushing, bodies: [a, b], at: [0, 0, 0], stiffness: [1, 2]"), 5,
              "'f' 'stiffness'");
  refuse_text(FORCE("type: point-force, body: a, force: 5"), 5, "'f' 'force'");
  refuse_text(FORCE("type: rotational-spring-damper, joint: c, stiffness: 5 N/m"), 5,
              "'stiffness'");
  refuse_text(FORCE("type: joint-spring-damper, joint: d, stiffness: 1"), 5, "'d'");
  refuse_text(FORCE("type: user"), 5, "'f' 'user'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_springs_become_polynomials),
      cmocka_unit_test(every_kind_of_law_takes_a_linear_part),
      cmocka_unit_test(laws_are_what_they_say),
      cmocka_unit_test(bad_laws_are_refused),
      cmocka_unit_test(loads_act_in_their_directions),
      cmocka_unit_test(friction_stops_bushings_and_tyres_get_their_numbers),
      cmocka_unit_test(bad_forces_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
