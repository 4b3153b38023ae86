// Bodies that cannot be, each with its message.
#include <stdio.h>

#include "model/build.h"

static hn_machine with_body(hn_body_def body) {
  hn_machine m = small_machine();
  body.name = "block";
  body.source = PLACE(12);
  check_ok(hn_model_add_body(m.model, &body, NULL));
  return m;
}

static void mass_must_not_be_negative_and_be_finite(void **state) {
  (void)state;
  const double masses[] = {0, -1, NAN, HUGE_VAL};
  const char *const texts[] = {"", "-1", "nan", "inf"};
  for (int k = 0; k < 4; k++) {
    hn_body_def body = hn_default_body();
    body.mass = masses[k];
    if (k == 2) body.mass = fabs(body.mass); // print nan, not -nan
    refuse(with_body(body), "body 'block'", texts[k], 12);
  }
}

static void inertia_with_a_negative_principal_moment_is_refused(void **state) {
  (void)state;
  // products 3, 0, 0 in the xy block [[2 3] [3 2]]: eigenvalues -1 and 5
  hn_body_def body = hn_default_body();
  const double inertia[6] = {2, 2, 5.5, 3, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  refuse(with_body(body), "body 'block'", "-1 5 5.5 m^2", 12);
}

static void triangle_inequality_warns_with_the_three_numbers(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  const double inertia[6] = {1, 4, 2, 0, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  body.velocity = vec3(1, 0, 0); // meant to fly
  warn(with_body(body), "body 'block'", "1 2 4 m^2", 12);
}

// One entry with `repeat:` makes many bodies at one place.
static void bodies_of_one_line_share_a_warning(void **state) {
  (void)state;
  hn_machine m = small_machine();
  const double inertia[6] = {1, 4, 2, 0, 0, 0};
  for (int k = 0; k < 400; k++) {
    char name[32];
    snprintf(name, sizeof name, "%s_%d", k % 2 ? "odd" : "even", k);
    hn_body_def body = body_named(name);
    body.source = PLACE(k % 2 ? 20 : 12);
    body.velocity = vec3(1, 0, 0); // meant to fly
    memcpy(body.inertia, inertia, sizeof inertia);
    if (k < 2) body.inertia[1] = 6; // other numbers, the same line
    check_ok(hn_model_add_body(m.model, &body, NULL));
  }
  check_ok(hn_model_finish(m.model));
  assert_int_equal(hn_model_warning_count(m.model), 2);
  const char *const names[2] = {"body 'even_0'", "body 'odd_1'"};
  for (int k = 0; k < 2; k++) {
    const hn_warning *warning = hn_model_warning(m.model, k);
    assert_string_equal(warning->element, names[k]);
    check_names(warning->message, "1 2 6 m^2");
    check_names(warning->message, "199");
  }
  hn_model_free(m.model);
}

static void bodies_without_a_line_share_equal_warnings_only(void **state) {
  (void)state;
  hn_machine m = small_machine();
  const double largest[] = {4, 4, 5, 4};
  const char *const names[] = {"a", "b", "c", "d"};
  for (int k = 0; k < 4; k++) {
    hn_body_def body = hn_default_body();
    const double inertia[6] = {1, largest[k], 2, 0, 0, 0};
    body.name = names[k];
    body.velocity = vec3(1, 0, 0); // meant to fly
    memcpy(body.inertia, inertia, sizeof inertia);
    check_ok(hn_model_add_body(m.model, &body, NULL));
  }
  check_ok(hn_model_finish(m.model));
  assert_int_equal(hn_model_warning_count(m.model), 2);
  assert_string_equal(hn_model_warning(m.model, 0)->element, "body 'a'");
  assert_string_equal(hn_model_warning(m.model, 1)->element, "body 'c'");
  hn_model_free(m.model);
}

static void points_rods_and_plates_are_legal(void **state) {
  (void)state;
  // also turned ones: a rod of moment 1 along u has J = I - u u'
  const double u[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
  const double inertias[][6] = {
      {0, 0, 0, 0, 0, 0},
      {0, 1, 1, 0, 0, 0},
      {1, 1, 2, 0, 0, 0},
      {1 - u[0] * u[0], 1 - u[1] * u[1], 1 - u[2] * u[2], -u[0] * u[1], -u[0] * u[2], -u[1] * u[2]},
  };
  for (size_t k = 0; k < sizeof inertias / sizeof *inertias; k++) {
    hn_body_def body = hn_default_body();
    memcpy(body.inertia, inertias[k], sizeof body.inertia);
    body.velocity = vec3(1, 0, 0); // meant to fly
    accept(with_body(body));
  }
}

static void a_body_without_joint_and_force_is_told_of(void **state) {
  (void)state;
  warn(with_body(hn_default_body()), "body 'block'", "", 12);
  hn_body_def body = hn_default_body();
  body.angular_velocity = vec3(0, 0, 3); // meant to fly
  accept(with_body(body));
  hn_machine m = with_body(hn_default_body()); // said to be free
  hn_joint_def joint =
      joint_between(&m, "float", HN_JOINT_FREE, HN_GROUND, hn_model_find_body(m.model, "block"),
                    vec3_zero(), vec3(0, 0, 1));
  check_ok(hn_model_add_joint(m.model, &joint, NULL));
  accept(m);
  check_ok(hn_model_create(NULL, &m.model)); // nothing is fixed: all float
  hn_body_def first = body_named("first"), second = body_named("second");
  check_ok(hn_model_add_body(m.model, &first, NULL));
  check_ok(hn_model_add_body(m.model, &second, NULL));
  accept(m);
}

static void numbers_must_be_finite(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  body.inertia[4] = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "inf", 12);
  body = hn_default_body();
  body.position.z = -HUGE_VAL;
  refuse(with_body(body), "body 'block'", "-inf", 12);
  body = hn_default_body();
  body.angular_velocity.y = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "inf", 12);
  body = hn_default_body();
  body.velocity.y = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "inf", 12);
  body = hn_default_body();
  body.orientation = (hn_quat){0, 0, 0, 0};
  refuse(with_body(body), "body 'block'", "0", 12);
}

static void component_must_exist(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  body.component = 3;
  refuse(with_body(body), "body 'block'", "3", 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_must_not_be_negative_and_be_finite),
      cmocka_unit_test(inertia_with_a_negative_principal_moment_is_refused),
      cmocka_unit_test(triangle_inequality_warns_with_the_three_numbers),
      cmocka_unit_test(bodies_of_one_line_share_a_warning),
      cmocka_unit_test(bodies_without_a_line_share_equal_warnings_only),
      cmocka_unit_test(points_rods_and_plates_are_legal),
      cmocka_unit_test(a_body_without_joint_and_force_is_told_of),
      cmocka_unit_test(numbers_must_be_finite),
      cmocka_unit_test(component_must_exist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
