// The files of sealed components: nothing to be found in them, everything they need, and trust in every
// byte.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sealed/sealed.h"
#include "formats/sealed/text.h"
#include "formats/sealing.h"
#include "holon/holon.h"
#include "support/check.h"

// ---- secrets of the file ------------------------------------------------------------------------

static int occurs(const char *data, size_t size, const void *what, size_t width) {
  for (size_t i = 0; i + width <= size; i++)
    if (memcmp(data + i, what, width) == 0) return 1;
  return 0;
}

static void names_and_masses_are_not_in_the_file(void **state) {
  (void)state;
  hn_error error;
  size_t size;
  char *data = read_bytes(FOLDER "secret.hnc", &size);
  double mass = 1234.5678;
  float single = 1234.5678f;
  assert_true(occurs(data, size, "border case", 11)); // this one is shown
  assert_false(occurs(data, size, "flywheel_prototype", 18));
  assert_false(occurs(data, size, "spindle", 7));
  assert_false(occurs(data, size, "1234.5678", 9));
  assert_false(occurs(data, size, &mass, sizeof mass));
  assert_false(occurs(data, size, &single, sizeof single));
  free(data);
  // nor are they among the signals
  hn_model *model = NULL;
  hn_simulation *s = start("uses-secret.yaml", &model);
  const char *all = "*";
  hn_results *results = NULL;
  check_ok(hn_results_create(s, &all, 1, &results, &error));
  int shown = 0;
  for (int k = 0; k < hn_results_signal_count(results); k++) {
    const char *name = hn_results_signal_name(results, k);
    assert_null(strstr(name, "flywheel"));
    assert_null(strstr(name, "sealed_"));
    shown |= strcmp(name, "body.box.case.position.x") == 0;
  }
  assert_true(shown);
  hn_results_free(results);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- its files ----------------------------------------------------------------------------------

#define OUTER                                                                                      \
  "parameters: {with: 0}\n"                                                                        \
  "bodies:\n"                                                                                      \
  "  base: {external: true}\n"                                                                     \
  "  a: {mass: 1, inertia: [1, 1, 1], center: [1, 0, 0]}\n"                                        \
  "joints: {j: {type: revolute, bodies: [base, a], at: [0, 0, 0], axis: y}}\n"                     \
  "components: {i: {use: inner.yaml, if: with > 0, bodies: {base: a}}}\n"

static void files_behind_an_if_are_sealed_too(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_error error;
  write_text("outer.yaml", OUTER);
  remove(FOLDER "inner.yaml");
  check_status(seal("outer.yaml", "outer.hnc", &error), HN_ERROR_FILE);
  write_text("inner.yaml", "bodies:\n"
                           "  base: {external: true}\n"
                           "  w: {mass: 2, inertia: [1, 1, 1], center: [0, 1, 0]}\n"
                           "joints: {r: {type: revolute, bodies: [base, w], at: [0, 0, 0],\n"
                           "             axis: x}}\n");
  check_ok(seal("outer.yaml", "outer.hnc", &error));
  remove(FOLDER "inner.yaml");
  remove(FOLDER "outer.yaml");
  write_text("uses-outer.yaml",
             "components: {p: {use: outer.hnc, bodies: {base: ground}, parameters: {with: 1}}}\n");
  if (load("uses-outer.yaml", 1, &model, &error) != HN_OK) fail_msg("%s", error.message);
  assert_int_equal(hn_model_body_count(model), 2);
  hn_model_free(model);
}

// A sealed text without a file that it uses, while that file lies where it used to be.
static void nothing_is_read_from_the_disk_of_the_user(void **state) {
  (void)state;
  hn_error error;
  char sealed[2048], text[1024];
  write_text("inner.yaml", "bodies: {base: {external: true}}\n");
  write_text("corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  for (int k = 0; k < 3; k++) {
    snprintf(text, sizeof text, "%s",
             k == 0   ? "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
             : k == 1 ? "bodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
                        "components: {i: {use: inner.yaml, bodies: {base: a}}}\n"
                      : "bodies: {a: {density: 1000, shape: {mesh: corner.obj}}}\n");
    snprintf(sealed, sizeof sealed, FOLDER "outer.yaml %zu\n%s", strlen(text), text);
    check_ok(hn_sealed_file_write(FOLDER "alone.hnc", HOLON_COMPONENT_RUNTIME,
                                  "holon 0\nborder a\n", sealed, strlen(sealed), &error));
    hn_component *component = NULL;
    const hn_placement here = hn_placement_none();
    hn_component_setup setup = hn_sealed_setup(&here);
    setup.path = FOLDER "alone.hnc";
    check_status(hn_sealed_create(&setup, &component, &error), k == 0 ? HN_OK : HN_ERROR_FILE);
    hn_sealed_destroy(component);
  }
}

// Another form of the file inside, the same masses.
static void meshes_are_taken_along_with_all_their_bits(void **state) {
  (void)state;
  hn_error error;
  write_text("corner.obj", "v 0.1 0 0\nv 1.3 0 0.123456789\nv 0 1.7 0\nv 0 0 1.9\n"
                           "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  char stl[1024] = "solid w\n";
  static const char *const facets[4][3] = {{"0 0 0", "0 .3 0", ".2 0 0"},
                                           {"0 0 0", ".2 0 0", "0 0 .7"},
                                           {".2 0 0", "0 .3 0", "0 0 .7"},
                                           {"0 0 0", "0 0 .7", "0 .3 0"}};
  for (int k = 0; k < 4; k++)
    snprintf(stl + strlen(stl), sizeof stl - strlen(stl),
             "facet normal 0 0 0\nouter loop\nvertex %s\nvertex %s\nvertex %s\nendloop\n"
             "endfacet\n",
             facets[k][0], facets[k][1], facets[k][2]);
  write_text("wedge.stl", strcat(stl, "endsolid w\n"));
  write_text("meshed.yaml",
             "border: [a]\n"
             "parameters: {size: 0.5}\n"
             "bodies:\n"
             "  a: {density: 1000, shape: {mesh: corner.obj, scale: size}}\n"
             "  b: {density: 2700, shape: {mesh: wedge.stl}, position: [1, 0, 0]}\n"
             "joints: {j: {type: revolute, bodies: [a, b], at: [1, 0, 0], axis: y}}\n"
             "outputs: {height: body.b.position.z}\n");
  static const char uses[] =
      "components: {p: {use: meshed.%s, mirror: y, parameters: {size: 0.7}}}\n"
      "joints: {g: {type: revolute, bodies: [ground, p.a], at: [0, 0, 0],\n"
      "  axis: y}}\n";
  char text[512];
  snprintf(text, sizeof text, uses, "yaml");
  write_text("uses-meshed.yaml", text);
  snprintf(text, sizeof text, uses, "hnc");
  write_text("uses-meshed-sealed.yaml", text);
  check_ok(seal("meshed.yaml", "meshed.hnc", &error));
  // a file of the supplier does not exist for the user
  char *kept = NULL;
  size_t size = 0;
  kept = read_bytes(FOLDER "corner.obj", &size);
  check_same_bits("uses-meshed.yaml", "uses-meshed-sealed.yaml", 0.4, "p.height");
  remove(FOLDER "corner.obj");
  remove(FOLDER "wedge.stl");
  hn_model *model = NULL;
  check_ok(load("uses-meshed-sealed.yaml", 1, &model, &error));
  hn_model_free(model);
  size_t all = 0;
  char *data = read_bytes(FOLDER "meshed.hnc", &all);
  assert_false(occurs(data, all, "0.123456789", 11));
  write_bytes(FOLDER "corner.obj", kept, size);
  free(data);
  free(kept);
  // one that a condition of today leaves out must be there all the same
  write_text("meshed.yaml", "bodies:\n"
                            "  a: {mass: 1, inertia: [1, 1, 1]}\n"
                            "  b: {if: 0 > 1, mass: 1, inertia: [1, 1, 1],\n"
                            "      shapes: [{sphere: 1}, {mesh: none.obj}]}\n");
  check_status(seal("meshed.yaml", "meshed.hnc", &error), HN_ERROR_FILE);
  check_names(error.file, "none.obj");
}

// ---- trust --------------------------------------------------------------------------------------

static hn_status load_trusting(const char *checksum, const hn_allocator *allocator,
                               hn_error *error) {
  hn_model *model = NULL;
  hn_load_options options = hn_default_load_options();
  options.trusted = &checksum;
  options.trusted_count = 1;
  options.allocator = allocator;
  *error = (hn_error){0};
  hn_status status = hn_model_load(FOLDER "uses-exchanged.yaml", &options, &model, error);
  hn_model_free(model);
  return status;
}

// Exchanges the file when memory is asked for the so-manieth time.
typedef struct exchange {
  const char *data;
  size_t size;
  int left;
} exchange;

static void *exchanging_allocate(void *context, size_t size) {
  exchange *e = context;
  if (e->left-- == 0) {
    remove(FOLDER "exchanged.hnc");
    write_bytes(FOLDER "exchanged.hnc", e->data, e->size);
  }
  return malloc(size);
}

static void exchanging_release(void *context, void *block) {
  (void)context;
  free(block);
}

static void trust_is_in_every_byte_and_ends_when_the_file_is_exchanged(void **state) {
  (void)state;
  hn_error error;
  size_t size;
  char *text = NULL, checksum[HN_COMPONENT_CHECKSUM];
  char *data = read_bytes(FOLDER "secret.hnc", &size), *other = malloc(size);
  assert_non_null(other);
  memcpy(other, data, size);
  other[size - 52] ^= 1; // a byte of the trailer that nothing reads
  // bodies enough that memory is asked for between the check and the placing
  write_text("uses-exchanged.yaml", "bodies: {\"b{i}\": {repeat: {i: [1, 300]}, mass: 1,\n"
                                    "  inertia: [1, 1, 1]}}\n"
                                    "components: {box: {use: exchanged.hnc}}\n"
                                    "joints: {pin: {type: revolute, bodies: [ground, box.case],\n"
                                    "  at: [0, 0, 0], axis: z}}\n");
  write_bytes(FOLDER "exchanged.hnc", data, size);
  check_ok(hn_component_public(FOLDER "exchanged.hnc", &text, checksum, &error));
  hn_component_public_free(text);
  assert_int_equal(strlen(checksum), 64);
  check_ok(load_trusting(checksum, NULL, &error));
  write_bytes(FOLDER "exchanged.hnc", other, size);
  check_status(load_trusting(checksum, NULL, &error), HN_ERROR_UNSUPPORTED);
  int noticed = 0;
  for (int k = 0, done = 0; k < 1000 && !done; k++) {
    exchange e = {other, size, k};
    const hn_allocator allocator = {exchanging_allocate, exchanging_release, &e};
    remove(FOLDER "exchanged.hnc");
    write_bytes(FOLDER "exchanged.hnc", data, size);
    hn_status status = load_trusting(checksum, &allocator, &error);
    noticed += status == HN_ERROR_FILE;
    done = e.left >= 0;
  }
  assert_true(noticed > 0);
  free(data);
  free(other);
}

static void what_a_file_shows_cannot_steer_a_terminal(void **state) {
  (void)state;
  hn_error error;
  char *text = NULL;
  const char *shown = "holon 0\nborder \x1b[31mred\x7f\nname \xc2\x9b"
                      "31m\xc3\xa4\n";
  check_ok(
      hn_sealed_file_write(FOLDER "colour.hnc", HOLON_COMPONENT_RUNTIME, shown, "x", 1, &error));
  check_ok(hn_component_public(FOLDER "colour.hnc", &text, NULL, &error));
  assert_string_equal(text, "holon 0\nborder ?[31mred?\nname ??31m\xc3\xa4\n");
  hn_component_public_free(text);
  hn_sealed_file file;
  char value[8];
  size_t at = 0;
  check_ok(hn_sealed_file_open(FOLDER "colour.hnc", &file, &error));
  assert_true(hn_sealed_next(&file, "border", &at, value, sizeof value));
  assert_string_equal(value, "?[31mre"); // cut to the capacity
  hn_sealed_file_close(&file);
  // more than a list of names can be
  size_t size = (size_t)2 << 20;
  char *large = malloc(size + 1);
  assert_non_null(large);
  memset(large, 'n', size);
  large[size] = '\0';
  check_status(
      hn_sealed_file_write(FOLDER "large.hnc", HOLON_COMPONENT_RUNTIME, large, "x", 1, &error),
      HN_ERROR_LIMIT);
  free(large);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_masses_are_not_in_the_file),
      cmocka_unit_test(files_behind_an_if_are_sealed_too),
      cmocka_unit_test(nothing_is_read_from_the_disk_of_the_user),
      cmocka_unit_test(meshes_are_taken_along_with_all_their_bits),
      cmocka_unit_test(trust_is_in_every_byte_and_ends_when_the_file_is_exchanged),
      cmocka_unit_test(what_a_file_shows_cannot_steer_a_terminal),
  };
  return cmocka_run_group_tests(tests, make_secret, NULL);
}
