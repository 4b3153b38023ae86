// Bodies that cannot be, each with its message.
#include "model/build.h"

static hn_machine with_body(hn_body_def body) {
  hn_machine m = small_machine();
  body.name = "block";
  body.source = PLACE(12);
  check_ok(hn_model_add_body(m.model, &body, NULL));
  return m;
}

static void mass_must_be_positive_and_finite(void **state) {
  (void)state;
  const double masses[] = {0, -1, NAN, HUGE_VAL};
  const char *const texts[] = {"mass 0 kg", "mass -1 kg", "mass nan kg", "mass inf kg"};
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
  refuse(with_body(body), "body 'block'", "-1, 5, 5.5 kg m2", 12);
}

static void triangle_inequality_warns_with_the_three_numbers(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  const double inertia[6] = {1, 4, 2, 0, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  warn(with_body(body), "body 'block'",
       "1, 2, 4 kg m2: the largest, 4, exceeds the sum of the "
       "other two by 1",
       12);
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
    accept(with_body(body));
  }
}

static void numbers_must_be_finite(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  body.inertia[4] = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "tensor of inertia with the value inf", 12);
  body = hn_default_body();
  body.position.z = -HUGE_VAL;
  refuse(with_body(body), "body 'block'", "position with the value -inf", 12);
  body = hn_default_body();
  body.angular_velocity.y = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "angular velocity with the value inf", 12);
  body = hn_default_body();
  body.velocity.y = HUGE_VAL;
  refuse(with_body(body), "body 'block'", "velocity with the value inf", 12);
  body = hn_default_body();
  body.orientation = (hn_quat){0, 0, 0, 0};
  refuse(with_body(body), "body 'block'", "quaternion of length 0", 12);
}

static void component_must_exist(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  body.component = 3;
  refuse(with_body(body), "body 'block'", "component 3", 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_must_be_positive_and_finite),
      cmocka_unit_test(inertia_with_a_negative_principal_moment_is_refused),
      cmocka_unit_test(triangle_inequality_warns_with_the_three_numbers),
      cmocka_unit_test(points_rods_and_plates_are_legal),
      cmocka_unit_test(numbers_must_be_finite),
      cmocka_unit_test(component_must_exist),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
