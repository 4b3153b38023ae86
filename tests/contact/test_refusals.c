// Pairs of shapes that have no contact are refused with their names and the reason.
#include <string.h>

#include "pair_scene.h"

static void check_refused(const hn_shape_def *first, const hn_shape_def *second, const char *why) {
  hn_model *model;
  hn_arena arena;
  hn_contacts *contacts;
  hn_error error = {0};
  int ids[2];
  check_ok(hn_model_create(NULL, &model));
  for (int k = 1; k <= 2; k++) {
    hn_body_def body = hn_default_body();
    body.name = k == 1 ? "one" : "two";
    check_ok(hn_model_add_body(model, &body, NULL));
  }
  check_ok(hn_model_add_shape(model, first, &ids[0]));
  check_ok(hn_model_add_shape(model, second, &ids[1]));
  hn_contact_def rule = hn_default_contact();
  rule.name = "touch";
  rule.shapes1 = &ids[0];
  rule.shapes2 = &ids[1];
  rule.count1 = rule.count2 = 1;
  check_ok(hn_model_add_contact(model, &rule, NULL));
  hn_arena_init(&arena, NULL);
  hn_status status = hn_model_finish(model);
  if (status == HN_OK) status = hn_contacts_create(&arena, model, &contacts, &error);
  if (status == HN_OK) fail_msg("not refused: %s", why);
  const char *message = error.message[0] ? error.message : hn_model_error(model)->message;
  if (!strstr(message, why)) fail_msg("'%s' does not say '%s'", message, why);
  assert_non_null(strstr(message, "one"));
  assert_non_null(strstr(message, "two"));
  hn_arena_release(&arena);
  hn_model_free(model);
}

static void what_cannot_touch_is_refused(void **state) {
  (void)state;
  static const double square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
  hn_shape_def curve = curve_of(square, 4, 0, 0, 1), other = curve_of(square, 4, 0, 0, 2);
  const hn_quat aside = quat_unit((hn_quat){1, 0.3, 0.2, 0});
  curve.frame = (hn_frame_on_body){1, {0, 0, 0}, {1, 0, 0, 0}};
  other.frame = (hn_frame_on_body){2, {0, 0, 0}, aside};
  check_refused(&curve, &other, "planes are parallel");
  hn_shape_def drum = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 2);
  drum.frame.orientation = aside;
  check_refused(&curve, &drum, "axis is not across");
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 2);
  box.frame.orientation = aside;
  check_refused(&curve, &box, "no face lies in the curve's plane");
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 1), floor = plane;
  floor.frame.body = 2;
  check_refused(&plane, &floor, "have no contact");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_cannot_touch_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
