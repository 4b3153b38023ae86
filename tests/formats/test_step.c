// STEP assemblies: masses against formulas, proposed joints, a model that runs, broken files. Where
// the plugin is not built, only the message is tested.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dynamic.h"
#include "holon/analysis.h"
#include "holon/import.h"
#include "holon/simulation.h"
#include "math/vec.h"

#define ASSEMBLY "models/cad/slider-crank.stp"
#define OVERLAY HOLON_TEST_OUTPUT_DIR "/step-joints.yaml"

static int has_plugin(void) {
  char path[2300];
  return hn_dynamic_near("holon-step.so", path, sizeof path);
}

// Read once for all tests.
static hn_import *read_assembly(void) {
  static hn_import *import = NULL;
  hn_import_options options = hn_default_import_options();
  hn_error error = {0};
  options.density = 1000;
  if (!import && hn_import_file(ASSEMBLY, &options, &import, &error)) fail_msg("%s", error.message);
  return import;
}

static void without_the_plugin_it_is_told(void **state) {
  (void)state;
  hn_import *import = NULL;
  hn_error error = {0};
  if (has_plugin()) skip();
  assert_int_equal(hn_import_file(ASSEMBLY, NULL, &import, &error), HN_ERROR_UNSUPPORTED);
  check_names(error.message, "holon-step.so");
}

// A number behind "KEY: density*" in the entry of a body.
static double factor_of(const char *yaml, const char *body, const char *key) {
  char entry[100];
  snprintf(entry, sizeof entry, "\n  %s:", body);
  const char *at = strstr(yaml, entry);
  assert_non_null(at);
  at = strstr(at, key);
  assert_non_null(at);
  at = strstr(at, "density*");
  assert_non_null(at);
  return strtod(at + strlen("density*"), NULL);
}

// Boxes with round holes and pins: mm, as the parts were drawn.
static void masses_are_those_of_the_solids(void **state) {
  (void)state;
  if (!has_plugin()) skip();
  hn_import *import = read_assembly();
  const char *yaml = hn_import_yaml(import);
  double pi = HN_PI, rod = 144 * 20 * 10 - 2 * pi * 36 * 10;
  double base = 260 * 100 * 20 + pi * 64 * 9 + 2 * (130 * 10 * 8);
  double crank = 64 * 24 * 10 - pi * 64 * 10 + pi * 36 * 10, slider = 40 * 30 * 10 + pi * 36 * 10;
  check_near(factor_of(yaml, "connecting_rod", "mass"), 1e-9 * rod, 1e-11 * 1e-9 * rod);
  check_near(factor_of(yaml, "base", "mass"), 1e-9 * base, 1e-11 * 1e-9 * base);
  check_near(factor_of(yaml, "crank", "mass"), 1e-9 * crank, 1e-11 * 1e-9 * crank);
  check_near(factor_of(yaml, "slider", "mass"), 1e-9 * slider, 1e-11 * 1e-9 * slider);
  // about x: the bar less two holes on its middle line
  double about_x = 28800 * (20. * 20 + 10 * 10) / 12 - 2 * pi * 360 * (36. / 4 + 100. / 12);
  check_near(factor_of(yaml, "connecting_rod", "inertia"), 1e-15 * about_x,
             1e-10 * 1e-15 * about_x);
  hn_import_facts facts = hn_import_facts_of(import);
  check_near(facts.mass, 1e-6 * (rod + base + crank + slider), 1e-11);
  assert_int_equal(facts.bodies, 4);
  assert_non_null(strstr(yaml, "color: \"#cc4033\""));
}

static void every_entity_has_a_fate(void **state) {
  (void)state;
  if (!has_plugin()) skip();
  hn_import *import = read_assembly();
  int sum = 0;
  for (int fate = 0; fate < HN_IMPORT_FATES; fate++)
    sum += hn_import_count(import, (hn_import_fate)fate);
  assert_int_equal(sum, hn_import_facts_of(import).tags);
  assert_int_equal(sum, 1 + 3 + 2614); // the file, its header, its entities
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 0);
}

static void faces_propose_joints(void **state) {
  (void)state;
  static const char *const want[4][3] = {{"revolute", "base", "crank"},
                                         {"translational", "base", "slider"},
                                         {"revolute", "connecting_rod", "crank"},
                                         {"revolute", "connecting_rod", "slider"}};
  if (!has_plugin()) skip();
  hn_import *import = read_assembly();
  for (int k = 0; k < 4; k++) {
    hn_import_proposal p = hn_import_proposal_at(import, k);
    assert_non_null(p.name);
    assert_string_equal(p.type, want[k][0]);
    assert_string_equal(p.bodies[0], want[k][1]);
    assert_string_equal(p.bodies[1], want[k][2]);
  }
  assert_null(hn_import_proposal_at(import, 4).name);
}

static void write_overlay(const hn_import *import) {
  FILE *file = fopen(OVERLAY, "w");
  assert_non_null(file);
  fprintf(file, "%s  bench: {type: fixed, bodies: [ground, base]}\n", hn_import_proposals(import));
  fprintf(file, "drivers:\n  motor: {joint: base_crank, motion: 3*t}\n");
  fclose(file);
}

// Straight from the file, with triangles that are no files.
static void the_assembly_runs(void **state) {
  (void)state;
  if (!has_plugin()) skip();
  hn_load_options options = hn_default_load_options();
  const char *overlay = OVERLAY;
  hn_error error = {0};
  hn_model *model;
  hn_simulation *simulation;
  double got;
  write_overlay(read_assembly());
  options.overlays = &overlay;
  options.overlay_count = 1;
  if (hn_model_load(ASSEMBLY, &options, &model, &error)) fail_msg("%s", error.message);
  if (hn_simulation_create(model, NULL, &simulation, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(simulation, 1));
  check_ok(hn_simulation_value(simulation, "joint.base_slider.displacement", &got));
  double a = HN_PI / 3, b = a + 3, r = 0.04, l = 0.12;
  double from = r * cos(a) + sqrt(l * l - r * r * sin(a) * sin(a));
  double to = r * cos(b) + sqrt(l * l - r * r * sin(b) * sin(b));
  check_near(got, to - from, 1e-9);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void refuse(const char *name, const char *text, size_t size) {
  char path[300];
  hn_import *import = NULL;
  hn_error error = {0};
  snprintf(path, sizeof path, "%s/%s", HOLON_TEST_OUTPUT_DIR, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fwrite(text, 1, size, file);
  fclose(file);
  assert_int_not_equal(hn_import_file(path, NULL, &import, &error), HN_OK);
  assert_null(import);
  assert_true(strlen(error.message) > 0);
  assert_string_equal(error.file, path);
}

// One body of the whole: an assembly of no level below the top is its own.
static void assemblies_are_bodies(void **state) {
  (void)state;
  hn_import_options options = hn_default_import_options();
  hn_import *import = NULL;
  hn_error error = {0};
  if (!has_plugin()) skip();
  options.depth = 1; // its parts stand directly below the top
  if (hn_import_file(ASSEMBLY, &options, &import, &error)) fail_msg("%s", error.message);
  assert_int_equal(hn_import_facts_of(import).bodies, 4);
  hn_import_free(import);
  hn_import_free(read_assembly());
}

static void broken_files_are_told(void **state) {
  (void)state;
  static char text[200000];
  if (!has_plugin()) skip();
  FILE *file = fopen(ASSEMBLY, "rb");
  assert_non_null(file);
  size_t size = fread(text, 1, sizeof text, file);
  fclose(file);
  refuse("broken1.stp", text, size / 3);
  static const char half[] = "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n#1=PRODUCT('a";
  refuse("broken2.stp", "solid\n", 6);
  refuse("broken3.step", half, sizeof half - 1);
  refuse("broken4.stp", "", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_the_plugin_it_is_told),
      cmocka_unit_test(masses_are_those_of_the_solids),
      cmocka_unit_test(every_entity_has_a_fate),
      cmocka_unit_test(faces_propose_joints),
      cmocka_unit_test(the_assembly_runs),
      cmocka_unit_test(assemblies_are_bodies),
      cmocka_unit_test(broken_files_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
