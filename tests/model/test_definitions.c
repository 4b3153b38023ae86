// Defaults of definitions and the words for types and coordinates.
#include <math.h>

#include "holon/model.h"
#include "support/check.h"

static void default_body_is_a_unit_mass_at_rest(void **state) {
  (void)state;
  hn_body_def body = hn_default_body();
  assert_true(body.mass == 1 && body.inertia[0] == 1 && body.inertia[3] == 0);
  assert_true(body.orientation.w == 1 && body.velocity.x == 0);
  assert_int_equal(body.position_firmness, HN_PREFERRED);
}

static void default_references_point_at_nothing(void **state) {
  (void)state;
  assert_int_equal(hn_default_force(HN_FORCE_TYRE).road, -1);
  assert_int_equal(hn_default_force(HN_FORCE_JOINT_STOP).joint, -1);
  assert_int_equal(hn_default_driver(HN_DRIVER_JOINT).joint, -1);
  assert_int_equal(hn_default_joint(HN_JOINT_GEAR).coupled[1], -1);
  assert_int_equal(hn_default_joint(HN_JOINT_GEAR).coupled_count, 2);
  assert_true(hn_default_force(HN_FORCE_JOINT_STOP).upper == HUGE_VAL);
  assert_int_equal(hn_default_road(HN_ROAD_TABLE).kind, HN_ROAD_TABLE);
}

static void every_type_has_the_word_of_the_files(void **state) {
  (void)state;
  assert_string_equal(hn_joint_type_name(HN_JOINT_POINT_ON_LINE), "point-on-line");
  assert_string_equal(hn_joint_type_name(HN_JOINT_FREE), "free");
  assert_string_equal(hn_joint_type_name(HN_JOINT_TYPES), "unknown");
  assert_string_equal(hn_force_type_name(HN_FORCE_USER), "user");
  assert_string_equal(hn_force_type_name((hn_force_type)-1), "unknown");
  assert_string_equal(hn_coordinate_name(HN_COORDINATE_LENGTH), "length");
  assert_string_equal(hn_coordinate_name((hn_coordinate)99), "unknown");
}

// The table of docs/reference/model/joints.md, once more and by hand.
static void joints_have_the_documented_coordinates(void **state) {
  (void)state;
  static const struct {
    hn_joint_type type;
    const char *has; // one letter a coordinate: a A d x y z l
  } table[] = {
      {HN_JOINT_REVOLUTE, "a"},         {HN_JOINT_TRANSLATIONAL, "d"},
      {HN_JOINT_CYLINDRICAL, "ad"},     {HN_JOINT_SPHERICAL, ""},
      {HN_JOINT_UNIVERSAL, "aA"},       {HN_JOINT_FIXED, ""},
      {HN_JOINT_PLANAR, "axy"},         {HN_JOINT_DISTANCE, "l"},
      {HN_JOINT_POINT_ON_LINE, "d"},    {HN_JOINT_POINT_IN_PLANE, "xy"},
      {HN_JOINT_PARALLEL, ""},          {HN_JOINT_PERPENDICULAR, ""},
      {HN_JOINT_SCREW, "ad"},           {HN_JOINT_GEAR, ""},
      {HN_JOINT_RACK_PINION, ""},       {HN_JOINT_COUPLER, ""},
      {HN_JOINT_CONSTANT_VELOCITY, ""}, {HN_JOINT_KNIFE_EDGE, ""},
      {HN_JOINT_FREE, "xyzl"},
  };
  assert_int_equal(sizeof table / sizeof *table, HN_JOINT_TYPES);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    char has[HN_COORDINATES + 1] = "";
    int used = 0;
    for (int c = 0; c < HN_COORDINATES; c++)
      if (hn_joint_has_coordinate(table[k].type, (hn_coordinate)c)) has[used++] = "aAdxyzl"[c];
    has[used] = 0;
    assert_string_equal(has, table[k].has);
  }
  assert_int_equal(hn_joint_has_coordinate(HN_JOINT_TYPES, HN_COORDINATE_ANGLE), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(default_body_is_a_unit_mass_at_rest),
      cmocka_unit_test(default_references_point_at_nothing),
      cmocka_unit_test(every_type_has_the_word_of_the_files),
      cmocka_unit_test(joints_have_the_documented_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
