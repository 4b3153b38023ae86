// Common part of the tests of src/model: a small valid model, and the check of an error message.
#ifndef HN_TESTS_MODEL_BUILD_H
#define HN_TESTS_MODEL_BUILD_H

#include <string.h>

#include "math/euler.h"
#include "model/storage.h"
#include "support/check.h"

#define PLACE(number) ((hn_source){"m.yaml", number, 3})

typedef struct hn_machine {
  hn_model *model;
  int rod, slider; // bodies
  int pin, rail;   // joints: revolute about z on rod, translational along x on slider
} hn_machine;

static inline hn_law *constant_law(double value) {
  hn_law *law = NULL;
  check_ok(hn_law_constant(value, NULL, &law, NULL));
  return law;
}

static inline hn_body_def body_named(const char *name) {
  hn_body_def def = hn_default_body();
  def.name = name;
  def.source = PLACE(7);
  return def;
}

static inline hn_joint_def joint_between(const hn_machine *m, const char *name, hn_joint_type type,
                                         int body1, int body2, hn_vec3 point, hn_vec3 axis) {
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  def.source = PLACE(31);
  def.frame1 = hn_model_frame(m->model, body1, point, axis);
  def.frame2 = hn_model_frame(m->model, body2, point, axis);
  return def;
}

static inline hn_force_def force_between(const hn_machine *m, const char *name, hn_force_type type,
                                         int body1, hn_vec3 point1, int body2, hn_vec3 point2) {
  hn_force_def def = hn_default_force(type);
  def.name = name;
  def.source = PLACE(44);
  def.frame1 = hn_model_frame(m->model, body1, point1, vec3(0, 0, 1));
  def.frame2 = hn_model_frame(m->model, body2, point2, vec3(0, 0, 1));
  return def;
}

// Two bodies, a pin and a rail: a valid model.
static inline hn_machine small_machine(void) {
  hn_machine m = {NULL, 0, 0, 0, 0};
  check_ok(hn_model_create(NULL, &m.model));
  hn_body_def rod = body_named("rod"), slider = body_named("slider");
  rod.position = vec3(0.5, 0, 0);
  slider.position = vec3(2, 0, 0);
  check_ok(hn_model_add_body(m.model, &rod, &m.rod));
  check_ok(hn_model_add_body(m.model, &slider, &m.slider));
  hn_joint_def pin =
      joint_between(&m, "pin", HN_JOINT_REVOLUTE, HN_GROUND, m.rod, vec3_zero(), vec3(0, 0, 1));
  hn_joint_def rail = joint_between(&m, "rail", HN_JOINT_TRANSLATIONAL, HN_GROUND, m.slider,
                                    vec3(2, 0, 0), vec3(1, 0, 0));
  check_ok(hn_model_add_joint(m.model, &pin, &m.pin));
  check_ok(hn_model_add_joint(m.model, &rail, &m.rail));
  return m;
}

static inline void check_error(const hn_error *error, const char *element, const char *text,
                               int line) {
  assert_int_equal(error->status, HN_ERROR_MODEL);
  assert_string_equal(error->element, element);
  check_names(error->message, text);
  assert_string_equal(error->file, "m.yaml");
  assert_int_equal(error->line, line);
  assert_int_equal(error->column, 3);
  assert_true(error->hint[0] != 0);
}

// Finishing fails, names the element and its place, and says `text`. Frees the model.
static inline void refuse(hn_machine m, const char *element, const char *text, int line) {
  check_status(hn_model_finish(m.model), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), element, text, line);
  hn_model_free(m.model);
}

// Finishing gives one warning that says `text`; the strict check rejects it. Frees the model.
static inline void warn(hn_machine m, const char *element, const char *text, int line) {
  check_status(hn_model_finish_strict(m.model), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), element, text, line);
  check_ok(hn_model_finish(m.model));
  assert_int_equal(hn_model_warning_count(m.model), 1);
  const hn_warning *warning = hn_model_warning(m.model, 0);
  assert_string_equal(warning->element, element);
  check_names(warning->message, text);
  char told[700], place[64];
  hn_text(place, sizeof place, "m.yaml:%d:3: warning: %s", line, element);
  hn_warning_text(m.model, warning, told, sizeof told);
  assert_int_equal(strncmp(told, place, strlen(place)), 0);
  hn_model_free(m.model);
}

// Finishing says nothing at all. Frees the model.
static inline void accept(hn_machine m) {
  check_ok(hn_model_finish_strict(m.model));
  assert_int_equal(hn_model_warning_count(m.model), 0);
  hn_model_free(m.model);
}

#endif
