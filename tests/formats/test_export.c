// Exporting: a model exported and imported moves as before; losses are reported.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/export.h"
#include "holon/load.h"
#include "support/check.h"

#define MODELS HOLON_SOURCE_DIR "/models/"
#define DATA HOLON_SOURCE_DIR "/tests/data/import/"

static const char *const endings[] = {"xml", "urdf", "sdf"};

static hn_simulation *start(const char *path, const char *keyframe, hn_model **model) {
  hn_load_options load = hn_default_load_options();
  hn_simulation_options how = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  load.keyframe = keyframe;
  how.coordinates = "cartesian";
  if (hn_model_load(path, &load, model, &error) ||
      hn_simulation_create(*model, &how, &simulation, &error))
    fail_msg("%s:%d: %s %s", path, error.line, error.element, error.message);
  return simulation;
}

static hn_export *export_of(hn_simulation *simulation, hn_export_format format) {
  hn_export *made = NULL;
  hn_error error = {0};
  if (hn_export_make(simulation, format, NULL, &made, &error))
    fail_msg("%s %s", error.element, error.message);
  return made;
}

static void vector_of(hn_simulation *simulation, const char *body, const char *what, double v[3]) {
  for (int k = 0; k < 3; k++) {
    char name[200];
    snprintf(name, sizeof name, "body.%s.%s.%c", body, what, "xyz"[k]);
    check_ok(hn_simulation_value(simulation, name, &v[k]));
  }
}

// Of all bodies that both have; returns how many.
static int compare(hn_simulation *a, hn_simulation *b, const char *path, double tolerance) {
  static const char *const whats[] = {"position", "velocity", "acceleration",
                                      "angular_acceleration"};
  const hn_model *one = hn_simulation_model(a), *two = hn_simulation_model(b);
  int count = 0;
  for (int i = 1; i <= hn_model_body_count(one); i++) {
    const char *name = hn_model_body_name(one, i);
    char other[100];
    snprintf(other, sizeof other, "%s", name);
    for (char *c = other; *c; c++)
      if (*c == '.') *c = '_';
    if (hn_model_find_body(two, other) < 0) continue;
    count++;
    for (int w = 0; w < 4; w++) {
      double x[3], y[3];
      vector_of(a, name, whats[w], x);
      vector_of(b, other, whats[w], y);
      for (int k = 0; k < 3; k++)
        if (!(fabs(x[k] - y[k]) <= tolerance * fmax(1, fabs(x[k]))))
          fail_msg("%s: %s of %s: %.15g, back %.15g", path, whats[w], name, x[k], y[k]);
    }
  }
  return count;
}

static void goes_round(const char *path, hn_export_format format, double tolerance) {
  hn_model *model = NULL, *again = NULL;
  hn_simulation *simulation = start(path, NULL, &model);
  hn_export *made = export_of(simulation, format);
  const char *text = hn_export_text(made);
  char back[300];
  snprintf(back, sizeof back, "%s/round.%s", HOLON_TEST_OUTPUT_DIR, endings[format]);
  FILE *file = fopen(back, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  hn_simulation *other = start(back, strstr(text, "<keyframe>") ? "start" : NULL, &again);
  assert_true(compare(simulation, other, path, tolerance) > 0);
  hn_simulation_free(other);
  hn_simulation_free(simulation);
  hn_export_free(made);
  hn_model_free(again);
  hn_model_free(model);
}

static void mjcf_goes_round(void **state) {
  (void)state;
  static const char *const paths[] = {DATA "planar_floating.urdf",
                                      DATA "screw_gearbox_universal.sdf",
                                      MODELS "slider-crank.yaml",
                                      MODELS "vlasenko/steam-machine.yaml",
                                      MODELS "examples/joint-cylindrical.yaml",
                                      MODELS "examples/joint-coupler.yaml",
                                      MODELS "examples/joint-distance.yaml",
                                      MODELS "examples/joint-fixed.yaml",
                                      MODELS "examples/joint-free.yaml",
                                      MODELS "examples/joint-gear.yaml",
                                      MODELS "examples/joint-planar.yaml",
                                      MODELS "examples/joint-point-in-plane.yaml",
                                      MODELS "examples/joint-point-on-line.yaml",
                                      MODELS "examples/joint-parallel.yaml",
                                      MODELS "examples/joint-perpendicular.yaml",
                                      MODELS "examples/joint-rack-pinion.yaml",
                                      MODELS "examples/joint-revolute.yaml",
                                      MODELS "examples/joint-screw.yaml",
                                      MODELS "examples/joint-spherical.yaml",
                                      MODELS "examples/joint-translational.yaml",
                                      MODELS "examples/joint-universal.yaml",
                                      MODELS "examples/force-joint-spring-damper.yaml",
                                      MODELS "examples/floating-trees.yaml"};
  for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
    goes_round(paths[k], HN_EXPORT_MJCF, 1e-9);
}

static void urdf_and_sdf_go_round(void **state) {
  (void)state;
  goes_round(MODELS "examples/joint-universal.yaml", HN_EXPORT_URDF, 1e-9);
  goes_round(MODELS "examples/joint-fixed.yaml", HN_EXPORT_URDF, 1e-9);
  goes_round(DATA "screw_gearbox_universal.sdf", HN_EXPORT_SDF, 1e-9);
  goes_round(MODELS "examples/joint-universal.yaml", HN_EXPORT_SDF, 1e-9);
  goes_round(MODELS "examples/joint-fixed.yaml", HN_EXPORT_SDF, 1e-9);
}

// Every element of the model has one import status.
static void every_element_is_told(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *simulation = start(MODELS "iltis/iltis.yaml", NULL, &model);
  for (int format = 0; format < 3; format++) {
    hn_export *made = export_of(simulation, (hn_export_format)format);
    int joints = 0, forces = 0, bodies = 0;
    for (int fate = 0; fate < HN_IMPORT_FATES; fate++)
      for (int k = 0; k < hn_export_count(made, (hn_import_fate)fate); k++) {
        hn_import_item item = hn_export_item_at(made, (hn_import_fate)fate, k);
        joints += strncmp(item.kind, "joint", 5) == 0;
        forces += strncmp(item.kind, "force", 5) == 0;
        bodies += strcmp(item.kind, "body") == 0;
        if (fate != HN_IMPORT_USED && !*item.why) fail_msg("%s without a reason", item.what);
      }
    assert_int_equal(joints, hn_model_joint_count(model));
    assert_int_equal(forces, hn_model_force_count(model));
    assert_int_equal(bodies, hn_model_body_count(model));
    hn_export_free(made);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static int is_lost(const hn_export *made, const char *what) {
  for (int k = 0; k < hn_export_count(made, HN_IMPORT_LOST); k++)
    if (strcmp(hn_export_item_at(made, HN_IMPORT_LOST, k).what, what) == 0) return 1;
  return 0;
}

static void losses_have_names(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *simulation = start(MODELS "four-bar.yaml", NULL, &model);
  hn_export *mjcf = export_of(simulation, HN_EXPORT_MJCF);
  hn_export *urdf = export_of(simulation, HN_EXPORT_URDF);
  assert_true(is_lost(mjcf, "driver 'motor'"));
  assert_false(is_lost(mjcf, "joint 'D'"));
  assert_true(is_lost(urdf, "joint 'D'")); // closes the loop
  assert_non_null(strstr(hn_export_text(mjcf), "<connect name=\"D_axis\" body1=\"rocker\""));
  hn_export_free(mjcf);
  hn_export_free(urdf);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// Coordinates are the model's own, also where the tree goes through a joint from its second body.
static void coordinates_stay(void **state) {
  (void)state;
  static const char text[] = "bodies:\n"
                             "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                             "joints:\n"
                             "  j: {type: revolute, bodies: [a, ground], at: [1, 0, 0], axis: z,"
                             " offset: {angle: 0.25}}\n";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  check_ok(hn_model_load_text(text, strlen(text), "text", NULL, &model, &error));
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  hn_export *made = export_of(simulation, HN_EXPORT_MJCF);
  assert_non_null(strstr(hn_export_text(made), "axis=\"0 0 -1\" ref=\"0.25\""));
  hn_export_free(made);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void check_named(const char *xml, const char *key, const char *tag) {
  char start[40];
  snprintf(start, sizeof start, " %s=\"", key);
  for (const char *at = strstr(xml, start); at; at = strstr(at + 1, start)) {
    const char *name = at + strlen(start);
    char want[200];
    snprintf(want, sizeof want, "<%s name=\"%.*s\"", tag, (int)strcspn(name, "\""), name);
    if (!strstr(xml, want)) fail_msg("no %s in\n%s", want, xml);
  }
}

// Massless bodies that a tendon's path passes between its ends, and by a side, stay bodies: the
// names in the path exist.
static void ways_find_their_places(void **state) {
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  ring: {mass: 0, position: [1, 0, 0]}\n"
      "  arm: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
      "  hook: {mass: 0, position: [1, 0, 2]}\n"
      "  leg: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 2]}\n"
      "joints:\n"
      "  j: {type: revolute, bodies: [ground, ring], at: [0, 0, 0], axis: z}\n"
      "  k: {type: revolute, bodies: [ring, arm], at: [1, 0, 0], axis: y}\n"
      "  l: {type: revolute, bodies: [ground, hook], at: [0, 0, 2], axis: z}\n"
      "  m: {type: revolute, bodies: [hook, leg], at: [1, 0, 2], axis: y}\n"
      "forces:\n"
      "  rope:\n"
      "    type: tendon\n"
      "    way:\n"
      "      - {body: ground, at: [0, 1, 0]}\n"
      "      - {body: ring, at: [1, 0.5, 0]}\n"
      "      - {around: {body: arm, at: [1.5, 0, 0], axis: y, radius: 0.1, side: {body: hook, at: "
      "[1.5, 0, 1]}}}\n"
      "      - {body: arm, at: [2, 1, 0]}\n"
      "    stiffness: 10\n"
      "    free_length: 1\n";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "text", NULL, &model, &error) ||
      hn_simulation_create(model, NULL, &simulation, &error))
    fail_msg("%s %s", error.element, error.message);
  hn_export *made = export_of(simulation, HN_EXPORT_MJCF);
  const char *xml = hn_export_text(made);
  assert_non_null(strstr(xml, "sidesite="));
  check_named(xml, "site", "site");
  check_named(xml, "sidesite", "site");
  check_named(xml, "geom", "geom");
  hn_export_free(made);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void wrong_calls_are_told(void **state) {
  (void)state;
  hn_export *made = NULL;
  hn_error error = {0};
  assert_int_equal(hn_export_make(NULL, HN_EXPORT_MJCF, NULL, &made, &error), HN_ERROR_ARGUMENT);
  assert_null(made);
  hn_export_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mjcf_goes_round),        cmocka_unit_test(urdf_and_sdf_go_round),
      cmocka_unit_test(every_element_is_told),  cmocka_unit_test(losses_have_names),
      cmocka_unit_test(coordinates_stay),       cmocka_unit_test(wrong_calls_are_told),
      cmocka_unit_test(ways_find_their_places),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
