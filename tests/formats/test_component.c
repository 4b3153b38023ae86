// Components: names, parameters, external bodies, borders, outputs.
#include "formats/loading.h"

#define CAR                                                                                        \
  "roads: {street: {type: flat}}\n"                                                                \
  "bodies: {chassis: {mass: 10, center: [0, 0, 1], markers: {top: [0, 0, 2]}}}\n"

static int mass_of(hn_model *m, const char *body) {
  return (int)m->bodies[hn_model_find_body(m, body)].mass;
}

static void names_get_the_component_in_front(void **state) {
  (void)state;
  hn_model *m = load_text(CAR "components: {front: {use: axle.yaml, position: [1, 0, 0], "
                              "parameters: {width: 2}, bodies: {frame: chassis}}}\n");
  assert_int_equal(hn_model_body_count(m), 5);
  assert_int_equal(mass_of(m, "front.left.arm"), 2);
  int arm = hn_model_find_body(m, "front.right.arm");
  check_vec3(m->bodies[arm].position, 1, -1.1, 0, 1e-15); // width/2 = 1 m, plus 0.1 m, mirrored
  int joint = hn_model_find_joint(m, "front.left.hinge"), ends[2];
  hn_model_joint_bodies(m, joint, ends);
  assert_int_equal(ends[0], hn_model_find_body(m, "chassis"));
  assert_int_equal(m->components.count, 4); // the model itself, front, left, right
  assert_string_equal(m->components.item[2].name, "front.left");
  assert_int_equal(m->components.item[2].parent, 1);
  assert_int_equal(m->joints[joint].component, 2);
  // A marker written in the component, on the body of its user.
  int marker = hn_model_find(m, HN_NAME_MARKER, "front.left.frame.eye", 20);
  assert_true(marker >= 0);
  assert_int_equal(m->markers.item[marker].frame.body, ends[0]);
  check_vec3(m->markers.item[marker].frame.position, 1, 0.1, 1, 1e-15); // from the center of mass
  hn_model_free(m);
}

static void parameters_keep_their_dimension(void **state) {
  (void)state;
  hn_model *m = load_text(CAR "components: {c: {use: arm.yaml, bodies: {frame: chassis}, "
                              "parameters: {length: 1, spring: 5 N/mm}}}\n");
  check_near(hn_law_evaluate(m->forces[0].of_x, -1, 1).d1, 5000, 1e-9);
  check_vec3(m->bodies[2].position, 0, 1.1, 0, 1e-15);
  hn_model_free(m);
#define USE(rest) CAR "components:\n  c: {use: arm.yaml, bodies: {frame: chassis}, " rest "}\n"
  refuse_text(USE("parameters: {lenght: 1}"), 4, "'length'");
  refuse_text(USE("parameters: {length: 5 kg}"), 4, "5");
  refuse_text(USE("parameters: 5"), 4, "'c' 'parameters'");
  refuse_text("components: {c: {use: needs.yaml}}\n", 1, "'c.size' 'c'");
  hn_model_free(load_text("components: {c: {use: needs.yaml, parameters: {size: 3}}}\n"));
}

static void settings_reach_into_components(void **state) {
  (void)state;
  hn_load_options options = hn_default_load_options();
  const char *settings[] = {"c.length=2"};
  options.settings = settings;
  options.setting_count = 1;
  hn_model *m =
      load_with(CAR "components: {c: {use: arm.yaml, bodies: {frame: chassis}}}\n", &options);
  check_vec3(m->bodies[2].position, 0, 2.1, 0, 1e-15);
  hn_model_free(m);
}

static void repeated_components_are_numbered(void **state) {
  (void)state;
  hn_model *m = load_text(
      CAR "components: {\"c{i}\": {repeat: {i: [1, 3]}, use: arm.yaml, bodies: {frame: chassis}, "
          "position: [i, 0, 0], parameters: {length: i*1 m}}}\n");
  assert_int_equal(hn_model_body_count(m), 7);
  check_vec3(m->bodies[hn_model_find_body(m, "c3.arm")].position, 3, 3.1, 0, 1e-15);
  hn_model_free(m);
}

static void points_and_markers_of_components_are_reached(void **state) {
  (void)state;
  hn_model *m = load_text(
      CAR
      "components: {c: {use: arm.yaml, mirror: y, bodies: {frame: chassis}, position: [1, 0, 0]}}\n"
      "forces: {s: {type: spring-damper, bodies: [chassis, c.arm], points: [points.c.hinge, "
      "c.arm.tip], stiffness: 1}}\n"
      "joints: {b: {type: distance, bodies: [ground, c.arm], points: [[0, 0, 0], "
      "c.arm.center]}}\n");
  const hn_force_def *s = &m->forces[2];
  if (strcmp(s->name, "s") != 0) s = &m->forces[0];
  check_vec3(s->frame1.position, 1, -0.1, -1, 1e-15);
  hn_model_free(m);
}

static void the_border_is_kept(void **state) {
  (void)state;
  refuse_text(CAR "components: {c: {use: arm.yaml, bodies: {frame: chassis}}}\n"
                  "joints: {x: {type: fixed, bodies: [chassis, c.inside]}}\n",
              4, "'x' `border:`");
  refuse_text(CAR "components: {c: {use: axle.yaml, bodies: {frame: chassis}}}\n"
                  "joints: {x: {type: fixed, bodies: [chassis, c.right.arm]}}\n",
              4, "'x' `border:`");
  hn_model_free(load_text(CAR "components: {c: {use: axle.yaml, bodies: {frame: chassis}}}\n"
                              "joints: {x: {type: fixed, bodies: [chassis, c.left.arm]}}\n"));
  refuse_text("border: [a, b]\nbodies: {a: {mass: 1}}\n", 1, "'b'");
}

static void external_bodies_must_be_given(void **state) {
  (void)state;
  refuse_text(CAR "components: {c: {use: arm.yaml}}\n", 3, "`bodies: {frame: NAME}`");
  refuse_text(CAR "components: {c: {use: arm.yaml, bodies: {frane: chassis}}}\n", 3, "'frame'");
  refuse_text(CAR "components: {c: {use: arm.yaml, bodies: {arm: chassis}}}\n", 3, "'c' 'arm'");
  refuse_text(CAR "components: {c: {use: arm.yaml, bodies: {frame: chasis}}}\n", 3, "'chassis'");
  refuse_text("bodies: {a: {external: true}}\n", 1, "'a'");
  refuse_text("bodies: {a: {external: true, mass: 1}}\n", 1, "'a' 'mass'");
}

static void ground_may_be_the_external_body(void **state) {
  (void)state;
  hn_model *m = load_text("components: {c: {use: uses_top.yaml, bodies: {frame: ground}}}\n"
                          "bodies: {ground: {markers: {top: [0, 0, 2]}}}\n");
  check_vec3(m->joints[0].frame1.position, 0, 0, 2, 0);
  hn_model_free(m);
  refuse_text("roads: {street: {type: flat}}\n"
              "components: {c: {use: arm.yaml, bodies: {frame: ground}}}\n",
              17, "'c.frame.z'");
}

static void markers_of_the_users_body_are_seen(void **state) {
  (void)state;
  hn_model *m = load_text(CAR "components: {c: {use: uses_top.yaml, bodies: {frame: chassis}}}\n");
  check_vec3(m->joints[0].frame1.position, 0, 0, 1, 1e-15);
  hn_model_free(m);
}

static void outputs_mean_their_own_component_first(void **state) {
  (void)state;
  hn_model *m = load_text(
      CAR
      "components: {c: {use: arm.yaml, bodies: {frame: chassis}}}\n"
      "outputs: {z: body.chassis.position.z, tip: marker.c.arm.tip.position.x, mine: c.angle}\n");
  const char *const expected[][2] = {
      {"z", "body.chassis.position.z"},
      {"tip", "marker.c.arm.tip.position.x"},
      {"mine", "c.angle"},
      {"c.tip.z", "marker.c.arm.tip.position.z"},
      {"c.frame.z", "body.chassis.position.z"},
      {"c.angle", "joint.c.hinge.angle"},
      {"c.double", "(2) * c.tip.z"},
  };
  assert_int_equal(hn_model_output_count(m), 7);
  for (int k = 0; k < 7; k++) {
    int id = hn_model_find(m, HN_NAME_OUTPUT, expected[k][0], strlen(expected[k][0]));
    assert_true(id >= 0);
    assert_string_equal(m->outputs.item[id].expression, expected[k][1]);
  }
  hn_model_free(m);
}

static void bad_uses_are_refused(void **state) {
  (void)state;
  refuse_text("components: {c: {use: missing.yaml}}\n", 1, "'tests/formats/files/missing.yaml'");
  refuse_text("components: {c: {use: /etc/passwd}}\n", 1, "'c'");
  refuse_text("components: {c: {use: \"C:\\\\x.yaml\"}}\n", 1, "'c'");
  refuse_text("components: {c: {use: main.yaml}}\n", 1, "");
  refuse_text("components: {c: {use: circle.yaml}}\n", 1, "");
  refuse_text("components: {c: {use: arm.yaml, mirror: w}}\n", 1, "'c' 'w'");
  refuse_text("components: {c: {mirror: y}}\n", 1, "'use'");
  refuse_text("bodies: {c: {mass: 1}}\ncomponents: {c: {use: plain.yaml}}\n", 2, "'c' `points`");
}

// Each file uses the next; 17 levels are one too many.
static void components_nest_to_a_limit(void **state) {
  (void)state;
  char path[256], text[128];
  for (int k = 1; k <= 17; k++) {
    snprintf(path, sizeof path, HOLON_TEST_OUTPUT_DIR "/deep%d.yaml", k);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    if (k < 17)
      fprintf(file, "components: {c: {use: deep%d.yaml}}\n", k + 1);
    else
      fprintf(file, "bodies: {a: {mass: 1}}\n");
    fclose(file);
  }
  for (int first = 1; first <= 2; first++) {
    hn_model *m;
    hn_error error;
    snprintf(text, sizeof text, "components: {c: {use: deep%d.yaml}}\n", first);
    hn_status status = hn_model_load_text(text, strlen(text), HOLON_TEST_OUTPUT_DIR "/main.yaml",
                                          NULL, &m, &error);
    assert_int_equal(status, first == 1 ? HN_ERROR_LIMIT : HN_OK);
    hn_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_get_the_component_in_front),
      cmocka_unit_test(parameters_keep_their_dimension),
      cmocka_unit_test(settings_reach_into_components),
      cmocka_unit_test(repeated_components_are_numbered),
      cmocka_unit_test(points_and_markers_of_components_are_reached),
      cmocka_unit_test(the_border_is_kept),
      cmocka_unit_test(external_bodies_must_be_given),
      cmocka_unit_test(ground_may_be_the_external_body),
      cmocka_unit_test(markers_of_the_users_body_are_seen),
      cmocka_unit_test(outputs_mean_their_own_component_first),
      cmocka_unit_test(bad_uses_are_refused),
      cmocka_unit_test(components_nest_to_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
