// Pairs of shapes without contact algorithm are rejected with their names and the reason.
#include <string.h>

#include "pair_scene.h"

enum { BALLS = 320 }; // on each body: pairs are too many to be listed

// A shape and so many balls, of which all have contact.
static int add_shapes(hn_model *model, const hn_shape_def *shape, int balls, int *ids) {
  check_ok(hn_model_add_shape(model, shape, &ids[balls / 2])); // in the middle
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, shape->frame.body);
  for (int k = 0; k <= balls; k++)
    if (k != balls / 2) check_ok(hn_model_add_shape(model, &ball, &ids[k]));
  return balls + 1;
}

static void check_refused_among(const hn_shape_def *first, const hn_shape_def *second, int balls,
                                const char *why) {
  hn_model *model;
  hn_arena arena;
  hn_contacts *contacts;
  hn_error error = {0};
  int ids[2][BALLS + 1];
  check_ok(hn_model_create(NULL, &model));
  for (int k = 1; k <= 2; k++) {
    hn_body_def body = hn_default_body();
    body.name = k == 1 ? "one" : "two";
    check_ok(hn_model_add_body(model, &body, NULL));
  }
  hn_contact_def rule = hn_default_contact();
  rule.name = "touch";
  rule.shapes1 = ids[0];
  rule.shapes2 = ids[1];
  rule.count1 = add_shapes(model, first, balls, ids[0]);
  rule.count2 = add_shapes(model, second, balls, ids[1]);
  check_ok(hn_model_add_contact(model, &rule, NULL));
  hn_arena_init(&arena, NULL);
  hn_status status = hn_model_finish(model);
  if (status == HN_OK) status = hn_contacts_create(&arena, model, &contacts, &error);
  if (status == HN_OK) fail_msg("not refused: %s", why);
  const char *message = error.message[0] ? error.message : hn_model_error(model)->message;
  check_names(message, why);
  check_names(message, "'one'");
  check_names(message, "'two'");
  hn_arena_release(&arena);
  hn_model_free(model);
}

static void check_refused(const hn_shape_def *first, const hn_shape_def *second, const char *why) {
  check_refused_among(first, second, 0, why);
  check_refused_among(first, second, BALLS, why);
  check_refused_among(second, first, BALLS, why);
}

// A prism of more sides than are drawn.
static hn_shape_def many_sided(double *corners, int sides, int body) {
  for (int k = 0; k < sides; k++) {
    corners[2 * k] = 0.2 * cos(2 * HN_PI * k / sides);
    corners[2 * k + 1] = 0.2 * sin(2 * HN_PI * k / sides);
  }
  hn_shape_def s = shape_of(HN_SHAPE_EXTRUSION, HN_TOUCH_SOLID, body);
  s.profile = corners;
  s.profile_count = sides;
  s.frame.orientation = (hn_quat){1, 0, 0, 0};
  return s;
}

static void what_cannot_touch_is_refused(void **state) {
  (void)state;
  static const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  hn_shape_def curve = curve_of(square, 4, 0, 0, 1), other = curve_of(square, 4, 0, 0, 2);
  const hn_quat aside = quat_unit((hn_quat){1, 0.3, 0.2, 0});
  curve.frame = (hn_frame_on_body){1, {0, 0, 0}, {1, 0, 0, 0}};
  other.frame = (hn_frame_on_body){2, {0, 0, 0}, aside};
  check_refused(&curve, &other, "'one' 'two'");
  hn_shape_def drum = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 2);
  drum.frame.orientation = aside;
  check_refused(&curve, &drum, "'one' 'two'");
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 2);
  box.frame.orientation = aside;
  check_refused(&curve, &box, "'one' 'two'");
  double corners[2 * 70];
  hn_shape_def prism = many_sided(corners, 70, 2);
  check_refused(&curve, &prism, "64");
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 1), floor = plane;
  floor.frame.body = 2;
  check_refused_among(&plane, &floor, 0, "'one' 'two'");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_touch_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
