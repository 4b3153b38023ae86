// Models and sealed components written by tests, loaded and started. The files lie in the folder of the
// test's output.
#ifndef HN_TESTS_FORMATS_SEALING_H
#define HN_TESTS_FORMATS_SEALING_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"
#include "model/model.h"
#include "support/check.h"

#define FOLDER HOLON_TEST_OUTPUT_DIR "/"

// A wheel on a bumpy road with a stop, a bent spring and a weight that is shaken by a bent motion;
// and two of them under one frame.
#define HOPPER                                                                                     \
  "name: hopper\n"                                                                                 \
  "border: [hub]\n"                                                                                \
  "roads:\n"                                                                                       \
  "  bumps: {type: polyline, points: [[0.4, 0], [0.6, 0.04], [0.9, 0.04], [1.0, 0]], speed: -3 "   \
  "m/s}\n"                                                                                         \
  "bodies:\n"                                                                                      \
  "  base: {external: true}\n"                                                                     \
  "  hub: {mass: 20, center: [0, 0, 0.5], inertia: [0.5, 0.8, 0.5]}\n"                             \
  "  wheel: {mass: 12, center: [0, 0, 0.32], inertia: [0.4, 0.7, 0.4]}\n"                          \
  "  weight: {mass: 3, center: [0.2, 0, 0.5], inertia: [0.02, 0.02, 0.02]}\n"                      \
  "joints:\n"                                                                                      \
  "  guide: {type: translational, bodies: [hub, wheel], at: [0, 0, 0.32], axis: z}\n"              \
  "  slide: {type: translational, bodies: [hub, weight], at: [0.2, 0, 0.5], axis: x}\n"            \
  "  arm: {type: translational, bodies: [base, hub], at: [0, 0, 0.5], axis: z}\n"                  \
  "drivers:\n"                                                                                     \
  "  shake: {joint: slide, motion: {table: [[0, 0], [0.1, 0.02], [0.23, -0.01], [0.4, 0.03], [1, " \
  "0.03]], interpolation: linear}}\n"                                                              \
  "forces:\n"                                                                                      \
  "  tyre: {type: tyre, body: wheel, radius: 0.3, stiffness: 150 kN/m, damping: 600, road: "       \
  "bumps}\n"                                                                                       \
  "  bump: {type: joint-stop, joint: guide, lower: -0.02, upper: 0.01, stiffness: 2e5, damping: "  \
  "500}\n"                                                                                         \
  "  spring: {type: joint-spring-damper, joint: guide, force: {table: [[-0.1, -800], [-0.005, "    \
  "-100], [0.1, 300]], interpolation: linear}, damping: 90}\n"                                     \
  "outputs: {load: force.tyre.value, travel: joint.guide.displacement}\n"

#define HOP(part)                                                                                  \
  "name: hop\n"                                                                                    \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  frame: {mass: 80, center: [0, 0, 0.9], inertia: [4, 4, 4]}\n"                                 \
  "components:\n"                                                                                  \
  "  left: {use: " part ", bodies: {base: frame}, position: [0, 0.5, 0]}\n"                        \
  "  right: {use: " part ", bodies: {base: frame}, position: [0.3, -0.5, 0]}\n"                    \
  "joints:\n"                                                                                      \
  "  rail: {type: translational, bodies: [ground, frame], at: [0, 0, 0.9], axis: z}\n"             \
  "forces:\n"                                                                                      \
  "  l: {type: spring-damper, bodies: [frame, left.hub], points: [[0, 0.5, 0.9], [0, 0.5, 0.5]], " \
  "stiffness: 9000, damping: 400, free_length: 0.44}\n"                                            \
  "  r: {type: spring-damper, bodies: [frame, right.hub], points: [[0.3, -0.5, 0.9], [0.3, -0.5, " \
  "0.5]], stiffness: 9000, damping: 400, free_length: 0.44}\n"                                     \
  "simulation: {time: 0.6}\n"                                                                      \
  "outputs: {z: body.frame.position.z}\n"

// ---- files --------------------------------------------------------------------------------------

static inline void write_text(const char *name, const char *text) {
  char path[1024];
  snprintf(path, sizeof path, FOLDER "%s", name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

static inline char *read_bytes(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  char *data = malloc(*size + 1);
  assert_non_null(data);
  assert_int_equal(fread(data, 1, *size, file), *size);
  fclose(file);
  return data;
}

static inline void write_bytes(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

// Copies a model of the project with `from` replaced by `to`.
static inline void copy_model(const char *name, const char *as, const char *from, const char *to) {
  char path[1024];
  size_t size, width = strlen(from);
  snprintf(path, sizeof path, "%s/models/%s", HOLON_SOURCE_DIR, name);
  char *text = read_bytes(path, &size), *out = malloc(4 * size + 1), *at = out;
  assert_non_null(out);
  text[size] = '\0';
  for (char *p = text; *p;) {
    if (width > 0 && strncmp(p, from, width) == 0) {
      at += sprintf(at, "%s", to);
      p += width;
    } else {
      *at++ = *p++;
    }
  }
  *at = '\0';
  write_text(as, out);
  free(text);
  free(out);
}

static inline hn_status seal(const char *name, const char *out, hn_error *error) {
  char from[1024], to[1024];
  const hn_seal_options options = {.runtime = HOLON_COMPONENT_RUNTIME};
  snprintf(from, sizeof from, FOLDER "%s", name);
  snprintf(to, sizeof to, FOLDER "%s", out);
  *error = (hn_error){0};
  return hn_component_seal(from, to, &options, error);
}

// Nothing examines the inside of sealed components: they limit steps to the output step. With a long
// one, steps are those of the open model.
static inline void lengthen_output_step(hn_model *model) { model->defaults.output_step = 10; }

static inline hn_status load(const char *name, int allow, hn_model **model, hn_error *error) {
  char path[1024];
  hn_load_options options = hn_default_load_options();
  options.allow_compiled = allow;
  snprintf(path, sizeof path, FOLDER "%s", name);
  *error = (hn_error){0};
  hn_status status = hn_model_load(path, &options, model, error);
  if (status == HN_OK) lengthen_output_step(*model);
  return status;
}

static inline hn_simulation *start(const char *name, hn_model **model) {
  hn_error error;
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.tol = 1e-7;
  if (load(name, 1, model, &error) != HN_OK ||
      hn_simulation_create(*model, &options, &simulation, &error) != HN_OK)
    fail_msg("%s: %s %s", name, error.element, error.message);
  return simulation;
}

static inline void check_message(const hn_error *error, const char *element, const char *words) {
  check_names(error->element, element);
  check_names(error->message, words);
}

// Both models run with the same bits.
static inline void check_same_bits(const char *open, const char *sealed, double end,
                                   const char *output) {
  hn_model *models[2];
  hn_simulation *s[2] = {start(open, &models[0]), start(sealed, &models[1])};
  if (IS_WATCHED) end *= 0.2;
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_advance(s[k], end));
  int n = hn_simulation_coordinate_count(s[0]);
  size_t size = (size_t)n * sizeof(double);
  assert_int_equal(n, hn_simulation_coordinate_count(s[1]));
  assert_memory_equal(hn_simulation_positions(s[0]), hn_simulation_positions(s[1]), size);
  assert_memory_equal(hn_simulation_velocities(s[0]), hn_simulation_velocities(s[1]), size);
  assert_memory_equal(hn_simulation_accelerations(s[0]), hn_simulation_accelerations(s[1]), size);
  assert_true(hn_simulation_state_hash(s[0]) == hn_simulation_state_hash(s[1]));
  double value[2] = {0, 1};
  for (int k = 0; k < 2; k++) check_ok(hn_simulation_value(s[k], output, &value[k]));
  check_near(value[0], value[1], 1e-12 * fabs(value[0]));
  hn_certificate c[2] = {hn_simulation_certificate(s[0]), hn_simulation_certificate(s[1])};
  assert_int_equal(c[0].steps_accepted, c[1].steps_accepted);
  check_at_most(c[1].constraint_position, 1e-10);
  check_at_most(c[1].constraint_velocity, 1e-10);
  check_relative(c[1].energy_balance, c[0].energy_balance, 1e-3);
  for (int k = 0; k < 2; k++) {
    hn_simulation_free(s[k]);
    hn_model_free(models[k]);
  }
}

// Sets up a group of tests: secret.hnc, a component with a hidden body, and a model that uses it.
static inline int make_secret(void **state) {
  (void)state;
  hn_error error;
  write_text("secret.yaml", "name: secret\nborder: [case]\nparameters: {hidden_mass: 1234.5678}\n"
                            "bodies:\n"
                            "  case: {mass: 2, inertia: [1, 1, 1]}\n"
                            "  flywheel_prototype: {mass: hidden_mass, inertia: [9, 9, 9]}\n"
                            "joints:\n"
                            "  spindle: {type: revolute, bodies: [case, flywheel_prototype],\n"
                            "            at: [0, 0, 0], axis: z}\n");
  write_text("uses-secret.yaml", "components: {box: {use: secret.hnc}}\n"
                                 "joints: {pin: {type: revolute, bodies: [ground, box.case],\n"
                                 "  at: [0, 0, 0], axis: z}}\n");
  return seal("secret.yaml", "secret.hnc", &error) == HN_OK ? 0 : -1;
}

#endif
