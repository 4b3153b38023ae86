// Which bodies collide, and which joints prevent it.
#include <string.h>

#include "holon/holon.h"
#include "model/contact.h"
#include "support/check.h"

// Four balls: a and b are fixed to each other, c turns on b, d on c with a link massless between.
#define BODIES                                                                                     \
  "bodies:\n"                                                                                      \
  "  ground: {shape: {plane: {}, group: balls}}\n"                                                 \
  "  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 9], shape: {sphere: 1, group: balls}}\n"    \
  "  b: {mass: 1, inertia: [1, 1, 1], position: [3, 0, 9], shape: {sphere: 1, group: balls}}\n"    \
  "  c: {mass: 1, inertia: [1, 1, 1], position: [6, 0, 9], shape: {sphere: 1, group: balls}}\n"    \
  "  link: {mass: 0, position: [9, 0, 9]}\n"                                                       \
  "  d: {mass: 1, inertia: [1, 1, 1], position: [9, 0, 9], shape: {sphere: 1, group: balls}}\n"    \
  "joints:\n"                                                                                      \
  "  ab: {type: fixed, bodies: [a, b]}\n"                                                          \
  "  bc: {type: revolute, bodies: [b, c], at: [6, 0, 9], axis: y}\n"                               \
  "  cl: {type: revolute, bodies: [c, link], at: [9, 0, 9], axis: y}\n"                            \
  "  ld: {type: revolute, bodies: [link, d], at: [9, 0, 9], axis: x}\n"                            \
  "contacts:\n"

static hn_model *load(const char *text) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "balls.yaml", NULL, &model, &error))
    fail_msg("%s %s", error.element, error.message);
  return model;
}

// Shapes are in the order of bodies: 0 is the floor.
static int touch(const hn_model *model, int one, int other) {
  return hn_model_contact_rule(model, one, other) >= 0;
}

enum { FLOOR, A, B, C, D };

static void joints_keep_apart_whole_parts(void **state) {
  (void)state;
  hn_model *model = load(BODIES "  all: {groups: [balls]}\n");
  assert_false(touch(model, A, B)); // fixed
  assert_false(touch(model, B, C)); // a joint
  assert_false(touch(model, A, C)); // a joint of what it is fixed to
  assert_false(touch(model, C, D)); // two joints with nothing between
  assert_true(touch(model, A, D));
  assert_true(touch(model, B, D));
  for (int k = A; k <= D; k++) assert_true(touch(model, FLOOR, k));
  hn_model_free(model);
}

static void the_law_none_keeps_apart(void **state) {
  (void)state;
  hn_model *model = load(BODIES "  apart: {bodies: [a, d], law: none}\n  all: {groups: [balls]}\n");
  assert_false(touch(model, A, D));
  assert_true(touch(model, B, D));
  hn_model_free(model);
  model = load(BODIES "  all: {groups: [balls]}\n  apart: {bodies: [a, d], law: none}\n");
  assert_true(touch(model, A, D)); // the first holds
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_keep_apart_whole_parts),
      cmocka_unit_test(the_law_none_keeps_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
