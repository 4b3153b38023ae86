// Loading: parameters, repeat, conditions, points, bodies, markers, what concerns the run.
#include <math.h>

#include "formats/loading.h"
#include "math/euler.h"

// ---- parameters ---------------------------------------------------------------------------------

static void parameters_may_stand_in_any_order(void **state) {
  (void)state;
  hn_model *m = load_text("parameters: {a: 2*b, b: c + 1 m, c: 500 mm}\n"
                          "bodies: {x: {mass: 1, center: [a, b, c]}}\n");
  check_vec3(m->bodies[1].position, 3, 1.5, 0.5, 1e-15);
  hn_model_free(m);
}

static void circles_of_parameters_are_named(void **state) {
  (void)state;
  refuse_text("parameters:\n  a: 2*b\n  b: c\n  c: a + 1\n", 2, "'a'");
  refuse_text("parameters: {a: a}\n", 1, "'a'");
  // Also one that is not used, and a chain that is too long to follow.
  char text[40000] = "parameters:\n";
  size_t used = strlen(text);
  for (int k = 0; k < 1000; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "  p%d: p%d\n", k, k + 1);
  snprintf(text + used, sizeof text - used, "  p1000: 1\n");
  refuse_text(text, 102, "'p100' `parameters:`");
}

static void names_of_parameters_are_checked(void **state) {
  (void)state;
  refuse_text("parameters: {sin: 1}\n", 1, "'sin'");
  refuse_text("parameters: {x: 1}\n", 1, "'x'");
  refuse_text("parameters: {a b: 1}\n", 1, "");
  refuse_text("parameters: {1a: 1}\n", 1, "");
  hn_model_free(load_text("parameters: {N: 3}\nbodies: {a: {mass: N}}\n"));
}

static void a_parameter_may_have_the_name_of_a_unit(void **state) {
  (void)state;
  hn_model *model =
      load_text("parameters: {m: 3 kg}\nbodies: {a: {mass: 2*m, position: [2 m, 0, 0]}}\n");
  check_near(model->bodies[1].mass, 6, 0);
  check_near(model->bodies[1].position.x, 2, 0);
  hn_model_free(model);
  // behind a slash it is the parameter: it then has no unit of a stiffness, which is reported
  refuse_text("parameters: {m: 3 kg}\nbodies: {a: {density: 7850 kg/m^3, solid: {sphere: 1}}}\n", 2,
              "'a' 'density'");
}

static void a_parameter_named_n_is_not_a_newton(void **state) {
  (void)state;
  hn_model *m = load_text("parameters: {N: 4}\n"
                          "bodies: {a: {mass: 1 kg / N, center: [N*1 m, 1 m / N, 0]}}\n"
                          "forces: {f: {type: point-force, body: a, force: [5 N, 0, 0]}}\n");
  check_near(m->bodies[1].mass, 0.25, 0);
  check_vec3(m->bodies[1].position, 4, 0.25, 0, 0);
  check_near(hn_law_evaluate(m->forces[0].component_law[0], -1, 0).value, 5, 0);
  hn_model_free(m);
}

static void dimensions_are_checked_where_used(void **state) {
  (void)state;
  refuse_text("parameters: {k: 5 N}\nbodies: {a: {mass: k}}\n", 2, "'mass' 5");
  refuse_text("bodies: {a: {mass: 1, center: [1 kg, 0, 0]}}\n", 1, "1");
  refuse_text("parameters: {a: 1 m + 2 kg}\n", 1, "'a'");
  refuse_text("parameters: {a: 1/0}\n", 1, "inf");
}

static void settings_override_parameters(void **state) {
  (void)state;
  const char *text = "parameters: {length: 100 mm, N: 2, twice: 2*length}\n"
                     "bodies: {\"a{i}\": {repeat: {i: [1, N]}, mass: 1, center: [twice, 0, 0]}}\n";
  hn_load_options options = hn_default_load_options();
  const char *settings[2] = {"N=3", "length=2"};
  options.settings = settings;
  options.setting_count = 2;
  hn_model *m = load_with(text, &options);
  assert_int_equal(hn_model_body_count(m), 3);
  check_near(m->bodies[1].position.x, 4, 0); // a plain number is taken in SI of what it replaces
  hn_model_free(m);
  settings[1] = "length=2 kg";
  refuse_with(text, &options, 1, "2");
  settings[1] = "lenght=2";
  refuse_with(text, &options, 1, "'length'");
  settings[1] = "length";
  refuse_with(text, &options, 1, "NAME=VALUE");
  settings[1] = "length=2*N mm";
  refuse_with(text, &options, 1, "'length' 'length=2*N mm'");
}

// ---- repeat and if ------------------------------------------------------------------------------

static void repeat_makes_one_entry_for_each_number(void **state) {
  (void)state;
  hn_model *m = load_text("parameters: {N: 3}\n"
                          "points: {\"P{i}\": {repeat: {i: [0, N]}, at: [i, 0, 0]}}\n"
                          "bodies:\n"
                          "  link{i}: {repeat: {i: [1, N]}, mass: i, center: \"points.P{i-1}\"}\n"
                          "joints:\n"
                          "  pin{i}:\n"
                          "    repeat: {i: [1, N - 1]}\n"
                          "    type: spherical\n"
                          "    bodies: [\"link{i}\", \"link{i+1}\"]\n"
                          "    at: points.P{i}\n");
  assert_int_equal(hn_model_body_count(m), 3);
  assert_int_equal(hn_model_joint_count(m), 2);
  int link3 = hn_model_find_body(m, "link3"), pin2 = hn_model_find_joint(m, "pin2");
  check_near(m->bodies[link3].mass, 3, 0);
  check_near(m->bodies[link3].position.x, 2, 0);
  int ends[2];
  hn_model_joint_bodies(m, pin2, ends);
  assert_int_equal(ends[0], hn_model_find_body(m, "link2"));
  assert_int_equal(ends[1], link3);
  hn_model_free(m);
}

static void ranges_nest_and_may_depend_on_each_other(void **state) {
  (void)state;
  hn_model *m =
      load_text("bodies:\n"
                "  b{i}_{j}: {repeat: {i: [1, 3], j: [1, i]}, mass: 10*i + j, if: i != 2}\n");
  assert_int_equal(hn_model_body_count(m), 4);
  check_near(m->bodies[hn_model_find_body(m, "b3_2")].mass, 32, 0);
  assert_int_equal(hn_model_find_body(m, "b2_1"), -1);
  hn_model_free(m);
}

static void empty_ranges_make_nothing(void **state) {
  (void)state;
  hn_model *m = load_text("bodies: {\"b{i}\": {repeat: {i: [1, 0]}, mass: 1}, c: {mass: 1}}\n");
  assert_int_equal(hn_model_body_count(m), 1);
  hn_model_free(m);
}

static hn_status load_limited(const char *text, long max_entries, hn_error *error) {
  hn_load_options options = hn_default_load_options();
  options.max_entries = max_entries;
  hn_model *m = NULL;
  hn_status status = hn_model_load_text(text, strlen(text), "t.yaml", &options, &m, error);
  hn_model_free(m);
  return status;
}

// The error names the block, the count and the option that raises the limit.
static void entries_are_limited(void **state) {
  (void)state;
  hn_error e;
  const char *five = "bodies:\n  \"b{i}\": {mass: 1, repeat: {i: [1, 5]}}\n";
  const char *twice = "bodies:\n  \"b{i}\": {mass: 1, repeat: {i: [1, 3]}}\n"
                      "  \"c{i}\": {mass: 1, repeat: {i: [1, 2]}}\n";
  const char *million = "bodies:\n  \"b{i}\": {mass: 1, repeat: {i: [0, 999999]}}\n";
  const char *texts[] = {five, twice};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(load_limited(texts[k], 0, &e), HN_OK);
    assert_int_equal(load_limited(texts[k], 5, &e), HN_OK);
    assert_int_equal(load_limited(texts[k], 4, &e), HN_ERROR_LIMIT);
    check_has_number(e.message, 4, 0);
    check_names(e.hint, "@max_entries");
    assert_string_equal(e.element, k == 0 ? "body 'b{i}'" : "body 'c{i}'");
  }
  assert_int_equal(load_limited(million, 0, &e), HN_ERROR_LIMIT);
  check_has_number(e.message, 1000000, 0);
  check_has_number(e.message, 100000, 0);
}

// Data that `repeat:` multiplies: the error names the element, the memory and the option.
static void repeated_tables_are_limited(void **state) {
  (void)state;
  enum { POINTS = 5000, USES = 60 };
  char model[1024];
  FILE *file = fopen(HOLON_TEST_OUTPUT_DIR "/curve.csv", "w");
  assert_non_null(file);
  for (int k = 0; k < POINTS; k++) fprintf(file, "%d,%d\n", k, k % 7);
  assert_int_equal(fclose(file), 0);
  snprintf(model, sizeof model,
           "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints: {j: {type: translational, bodies: [ground, a], at: [0, 0, 0], axis: x}}\n"
           "forces:\n  \"f{i}\": {repeat: {i: [1, %d]}, type: joint-spring-damper, joint: j, "
           "force: {table: curve.csv}}\n",
           USES);
  hn_error e;
  hn_load_options options = hn_default_load_options();
  for (int k = 0; k < 2; k++) {
    hn_model *m = NULL;
    options.max_entries =
        k == 0 ? 0 : 100; // 1.1 MB and 32 bytes for each of 34 kB; each use takes 80 kB
    hn_status status =
        hn_model_load_text(model, strlen(model), HOLON_TEST_OUTPUT_DIR "/t.yaml", &options, &m, &e);
    assert_int_equal(status, k == 0 ? HN_OK : HN_ERROR_LIMIT);
    hn_model_free(m);
  }
  check_names(e.message, "MB 100");
  assert_non_null(strstr(e.hint, "@max_entries"));
  assert_non_null(strstr(e.element, "force 'f"));
  assert_int_equal(e.line, 4);
}

static void bad_ranges_are_refused(void **state) {
  (void)state;
#define BODY(repeat, name) "bodies:\n  " name ": {mass: 1, repeat: " repeat "}\n"
  refuse_text(BODY("{i: [5, 1]}", "b{i}"), 2, "'b{i}' `repeat`");
  refuse_text(BODY("{i: [1, 2.5]}", "b{i}"), 2, "");
  refuse_text(BODY("{i: [1, 1000000000]}", "b{i}"), 2, "1e9");
  refuse_text(BODY("{i: [1, 2, 3]}", "b{i}"), 2, "'b{i}' `repeat`");
  refuse_text(BODY("{i: [1, 3 m]}", "b{i}"), 2, "'b{i}' 'repeat'");
  refuse_text(BODY("5", "b{i}"), 2, "`repeat`");
  refuse_text(BODY("{i: [1, 1e8]}", "b{i}"), 2, "100000000");
  refuse_text(BODY("{i: [1, 2000], j: [1, 2000]}", "b{i}_{j}"), 2, "100000");
  refuse_text(BODY("{i: [1, 2]}", "b"), 2, "{i}");
  refuse_text(BODY("{i: [1, 2]}", "b{k}"), 2, "'k'");
  refuse_text(BODY("{i: [1, 2]}", "b{i/2}"), 2, "");
  refuse_text(BODY("{i: [1, 2]}", "b{i"), 2, "'b{i'");
  refuse_text(BODY("{s: [1, 2]}", "b{s}"), 2, "'b{s}' 's'");
}

// ---- points -------------------------------------------------------------------------------------

static void points_are_found_by_name_marker_and_coordinate(void **state) {
  (void)state;
  hn_model *m =
      load_text("points: {A: [1, 2, 3], B: points.A, C: [points.A.x + 1, 2*points.A.y, 0],\n"
                "         D: a.m, E: a.center, F: a.origin}\n"
                "bodies:\n"
                "  a: {mass: 1, position: points.A, center: [0, 0, 1], markers: {m: [0, 1, 0]}}\n"
                "  b: {mass: 1, center: points.C}\n"
                "  c: {mass: 1, center: points.D}\n"
                "  d: {mass: 1, center: points.E}\n"
                "  e: {mass: 1, center: points.F}\n");
  check_vec3(m->bodies[2].position, 2, 4, 0, 0);
  check_vec3(m->bodies[3].position, 1, 3, 3, 0);
  check_vec3(m->bodies[4].position, 1, 2, 4, 0);
  check_vec3(m->bodies[5].position, 1, 2, 3, 0);
  hn_model_free(m);
}

static void points_in_a_circle_are_refused(void **state) {
  (void)state;
  refuse_text("points:\n  A: points.B\n  B: points.A\n", 2, "'A'");
  refuse_text("bodies:\n  a: {mass: 1, position: b.m}\n"
              "  b: {mass: 1, position: a.n, markers: {m: [0, 0, 0]}}\n",
              3, "'b' 'a.n'");
  refuse_text("bodies:\n  a: {mass: 1, position: b.m, markers: {n: [0, 0, 0]}}\n"
              "  b: {mass: 1, position: a.n, markers: {m: [0, 0, 0]}}\n",
              2, "'a'");
}

static void long_chains_of_points_in_order_are_fine(void **state) {
  (void)state;
  hn_model *m = load_text("points:\n  P0: [0, 0, 0]\n"
                          "  P{i}: {repeat: {i: [1, 5000]}, at: [\"points.P{i-1}.x + 1\", 0, 0]}\n"
                          "bodies: {a: {mass: 1, center: points.P5000}}\n");
  check_near(m->bodies[1].position.x, 5000, 0);
  hn_model_free(m);
  refuse_text("points:\n  P{i}: {repeat: {i: [1, 5000]}, at: \"points.P{i+1}\"}\n"
              "  P5001: [0, 0, 0]\n",
              2, "100");
}

// ---- bodies -------------------------------------------------------------------------------------

// A box of 1 x 2 x 3 m and 12 kg about a corner, moved back to the center.
static void inertia_is_moved_to_the_centre_of_mass(void **state) {
  (void)state;
  hn_model *m = load_text("bodies:\n"
                          "  a: {mass: 12, center: [0.5, 1, 1.5], inertia: [52, 40, 20, -6, -9, "
                          "-18], inertia_at: [0, 0, 0]}\n"
                          "  b: {density: 2, solid: {box: [1, 2, 3]}}\n");
  const double box[6] = {13, 10, 5, 0, 0, 0}; // m (b^2 + c^2)/12
  check_near_many(m->bodies[1].inertia, box, 6, 1e-14);
  check_near_many(m->bodies[2].inertia, box, 6, 1e-14);
  check_near(m->bodies[2].mass, 12, 0);
  hn_model_free(m);
}

static void solids_have_their_textbook_inertia(void **state) {
  (void)state;
  hn_model *m = load_text("bodies:\n"
                          "  c: {mass: 2, solid: {cylinder: {radius: 3, length: 6, axis: x}}}\n"
                          "  s: {mass: 5, solid: {sphere: 2}}\n"
                          "  d: {density: 3, solid: {sphere: 2}}\n"
                          "  e: {density: 3, solid: {cylinder: {radius: 2, length: 5}}}\n");
  // Cylinder: m r^2/2 along, m (3 r^2 + l^2)/12 across; sphere: 2/5 m r^2.
  check_near_many(m->bodies[1].inertia, ((const double[]){9, 10.5, 10.5, 0, 0, 0}), 6, 1e-14);
  check_near_many(m->bodies[2].inertia, ((const double[]){8, 8, 8, 0, 0, 0}), 6, 1e-14);
  check_near(m->bodies[3].mass, 32 * HN_PI, 1e-12);
  check_near(m->bodies[4].mass, 60 * HN_PI, 1e-12);
  hn_model_free(m);
}

static void orientations_are_understood(void **state) {
  (void)state;
  static const char *const same[] = {
      "{axis: z, angle: 90 deg}",
      "{quaternion: [1, 0, 0, 1]}",
      "{x: y, y: -x}",
      "{x: [0, 2, 0], z: [0, 5, 1]}",
      "{y: -x, z: [-3, 0, 1]}",
      "{z: z, y: [-1, 0, 7]}",
      "{xyz: [0, 0, 90 deg]}",
      "{x: {from: [0, 1, 0], to: [0, 3, 0]}, z: z}",
  };
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    char text[200];
    snprintf(text, sizeof text, "bodies: {a: {mass: 1, center: [1, 0, 0], orientation: %s}}\n",
             same[k]);
    hn_model *m = load_text(text);
    check_vec3(m->bodies[1].position, 0, 1, 0, 1e-15);
    hn_mat3 a = quat_matrix(m->bodies[1].orientation);
    check_near(a.m[2][2], 1, 1e-15);
    hn_model_free(m);
  }
  // Turn about x, then the new y, then the new z: x to z' ends along ...
  hn_model *m = load_text("bodies: {a: {mass: 1, orientation: {xyz: [90 deg, 90 deg, 0]}}}\n");
  hn_mat3 a = quat_matrix(m->bodies[1].orientation);
  hn_vec3 x = mat3_column(a, 0), z = mat3_column(a, 2);
  check_vec3(x, 0, 1, 0, 1e-15); // y after the first turn is z, so x goes to -z' = y
  check_vec3(z, 1, 0, 0, 1e-15);
  hn_model_free(m);
  refuse_text("bodies: {a: {mass: 1, orientation: {x: y}}}\n", 1, "'a'");
  refuse_text("bodies: {a: {mass: 1, orientation: {x: y, y: -y}}}\n", 1, "'a'");
  refuse_text("bodies: {a: {mass: 1, orientation: {x: y, y: z, z: x}}}\n", 1, "'a'");
  refuse_text("bodies: {a: {mass: 1, orientation: {axis: z}}}\n", 1, "'angle'");
  refuse_text("bodies: {a: {mass: 1, orientation: {quaternion: [0, 0, 0, 0]}}}\n", 1,
              "'a' 'quaternion'");
  refuse_text("bodies: {a: {mass: 1, orientation: {axis: z, angle: 1, xyz: [0, 0, 1]}}}\n", 1,
              "'a' 'xyz'");
}

static void markers_are_fixed_on_their_body(void **state) {
  (void)state;
  hn_model *m = load_text("bodies:\n"
                          "  a: {mass: 1, position: [1, 0, 0], orientation: {axis: z, angle: 90 "
                          "deg}, center: [0.5, 0, 0],\n"
                          "      markers: {m: {position: [2, 0, 0], orientation: {z: x, x: y}}, "
                          "\"n{i}\": {repeat: {i: [1, 2]}, position: [i, 0, 0]}}}\n");
  assert_int_equal(m->markers.count, 3);
  assert_string_equal(m->markers.item[0].name, "a.m");
  assert_string_equal(m->markers.item[2].name, "a.n2");
  check_vec3(m->markers.item[0].frame.position, 1.5, 0, 0, 1e-15); // from the center of mass
  hn_mat3 axes = quat_matrix(m->markers.item[0].frame.orientation);
  check_near(axes.m[0][2], 1, 1e-15);
  hn_model_free(m);
}

static void bodies_start_where_initial_says(void **state) {
  (void)state;
  hn_model *m =
      load_text("bodies:\n"
                "  a: {mass: 1, center: [1, 0, 0], initial: {position: [0, 0, 5], orientation: "
                "{axis: z, angle: 90 deg},\n"
                "      velocity: [1, 2, 3], angular_velocity: [0, 0, 60 rpm], fixed: true}}\n"
                "  b: {mass: 1, initial: {fixed: true}}\n"
                "  c: {mass: 1, initial: {velocity: [1, 0, 0], fixed: true}}\n"
                "joints: {j: {type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: z}}\n");
  check_vec3(m->bodies[1].position, 0, 1, 5, 1e-15);
  check_vec3(m->bodies[1].angular_velocity, 0, 0, 2 * HN_PI, 1e-15);
  assert_int_equal(m->bodies[1].position_firmness, HN_FIXED);
  assert_int_equal(m->bodies[1].velocity_firmness, HN_FIXED);
  assert_int_equal(m->bodies[2].position_firmness, HN_FIXED);
  assert_int_equal(m->bodies[2].velocity_firmness, HN_PREFERRED);
  assert_int_equal(m->bodies[3].position_firmness, HN_PREFERRED);
  // The joint has the reference configuration, not the initial one.
  check_vec3(m->joints[0].frame2.position, -1, 0, 0, 1e-15);
  hn_model_free(m);
}

// ---- the run ------------------------------------------------------------------------------------

static void the_run_gets_its_defaults(void **state) {
  (void)state;
  hn_model *m = load_text(
      "holon: 1\nname: press\ntitle: A press\ngravity: [0, 0, -9.81 m/s^2]\n"
      "bodies: {a: {mass: 1}}\n"
      "initial: {from: equilibrium, then: {velocity: [18 km/h, 0, 0]}}\n"
      "simulation: {time: 1 min, tol: 1e-6, step: 1 ms, output_step: 0.01, method: state-space,\n"
      "             coordinates: auto, formula: sdirk4-15}\n");
  assert_string_equal(hn_model_name(m), "press");
  assert_string_equal(hn_model_title(m), "A press");
  check_vec3(m->gravity, 0, 0, -9.81, 0);
  const hn_simulation_defaults *d = hn_model_defaults(m);
  check_near(d->time, 60, 0);
  check_near(d->tol, 1e-6, 0);
  check_near(d->step, 1e-3, 0);
  assert_string_equal(d->method, "state-space");
  assert_string_equal(d->formula, "sdirk4-15");
  assert_null(d->coordinates);
  assert_int_equal(d->from_equilibrium, 1);
  assert_int_equal(d->has_then_velocity, 1);
  check_near(d->then_velocity.x, 5, 1e-15);
  hn_model_free(m);
  m = load_text("bodies: {a: {mass: 1}}\noutputs:\njoints: ~\n");
  assert_string_equal(hn_model_name(m), "main"); // from the name of the file
  hn_model_free(m);
  m = load_text("simulation: {step: auto, max_step: 2 ms, method: auto}\n");
  check_near(hn_model_defaults(m)->step, 0, 0);
  check_near(hn_model_defaults(m)->max_step, 2e-3, 0);
  hn_model_free(m);
  refuse_text("holon: 2\n", 1, "2");
  refuse_text("simulation: {time: -1}\n", 1, "");
  refuse_text("simulation: {tol: 0}\n", 1, "0 'tol'");
  refuse_text("simulation:\n  step: 0 ms\n", 2, "'step'");
  refuse_text("simulation: {max_step: -1}\n", 1, "0 'max_step' -1");
  refuse_text("simulation: {max_iterations: 0}\n", 1, "0");
  refuse_text("simulation: {output_step: 0}\n", 1, "0 'output_step'");
  refuse_text("simulation:\n  max_step: 2 ms\n  step: 1 ms\n", 2, "'max_step' 'step'");
  refuse_text("simulation: {method: newton}\n", 1, "'newton' 'method'");
  refuse_text("simulation: {formula: trapezodial}\n", 1, "'trapezoidal'");
  refuse_text("simulation: {formula: sdirk4}\n", 1, "'sdirk4-16'");
}

// `body:` is farther from `bodies:` than a slip of the pen, and meant all the same.
static void one_of_a_kind_is_answered_with_the_kind(void **state) {
  (void)state;
  refuse_text("body: {a: {mass: 1}}\n", 1, "'bodies'");
  refuse_text("joint: {}\n", 1, "'joints'");
  refuse_text("bodies: {a: {mass: 1, marker: {m: [0, 0, 0]}}}\n", 1, "'markers'");
}

static void bad_arguments_are_refused(void **state) {
  (void)state;
  hn_model *m;
  hn_error error;
  check_status(hn_model_load(NULL, NULL, &m, &error), HN_ERROR_ARGUMENT);
  check_status(hn_model_load_text(NULL, 0, "a", NULL, &m, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_load_text("a", 1, "a", NULL, NULL, &error), HN_ERROR_ARGUMENT);
  check_status(hn_model_load("no/such.yaml", NULL, &m, &error), HN_ERROR_FILE);
  check_status(hn_model_load("no/such.yaml", NULL, &m, NULL), HN_ERROR_FILE);
}

static void strict_loading_refuses_warnings(void **state) {
  (void)state;
  const char *text = "bodies: {a: {mass: 1, inertia: [1, 1, 5]}}\n";
  hn_model *m = load_text(text);
  assert_int_equal(hn_model_warning_count(m), 1);
  hn_model_free(m);
  hn_load_options options = hn_default_load_options();
  options.strict = 1;
  hn_error error;
  check_status(hn_model_load_text(text, strlen(text), "a", &options, &m, &error), HN_ERROR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_may_stand_in_any_order),
      cmocka_unit_test(circles_of_parameters_are_named),
      cmocka_unit_test(names_of_parameters_are_checked),
      cmocka_unit_test(a_parameter_may_have_the_name_of_a_unit),
      cmocka_unit_test(a_parameter_named_n_is_not_a_newton),
      cmocka_unit_test(dimensions_are_checked_where_used),
      cmocka_unit_test(settings_override_parameters),
      cmocka_unit_test(repeat_makes_one_entry_for_each_number),
      cmocka_unit_test(ranges_nest_and_may_depend_on_each_other),
      cmocka_unit_test(empty_ranges_make_nothing),
      cmocka_unit_test(entries_are_limited),
      cmocka_unit_test(repeated_tables_are_limited),
      cmocka_unit_test(bad_ranges_are_refused),
      cmocka_unit_test(points_are_found_by_name_marker_and_coordinate),
      cmocka_unit_test(points_in_a_circle_are_refused),
      cmocka_unit_test(long_chains_of_points_in_order_are_fine),
      cmocka_unit_test(inertia_is_moved_to_the_centre_of_mass),
      cmocka_unit_test(solids_have_their_textbook_inertia),
      cmocka_unit_test(orientations_are_understood),
      cmocka_unit_test(markers_are_fixed_on_their_body),
      cmocka_unit_test(bodies_start_where_initial_says),
      cmocka_unit_test(the_run_gets_its_defaults),
      cmocka_unit_test(one_of_a_kind_is_answered_with_the_kind),
      cmocka_unit_test(bad_arguments_are_refused),
      cmocka_unit_test(strict_loading_refuses_warnings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
