// Units: values by definition of the units (SI, international yard and pound, standard gravity).
#include "formats/unit.h"

#include <string.h>

#include "support/check.h"

static double read(const char *text, hn_dimension *dimension) {
  double factor;
  const char *problem;
  size_t length = hn_unit_read(text, strlen(text), NULL, NULL, &factor, dimension, &problem);
  if (problem) fail_msg("%s: %s", text, problem);
  assert_int_equal(length, strlen(text));
  return factor;
}

static const char *problem_of(const char *text) {
  double factor;
  hn_dimension dimension;
  const char *problem;
  hn_unit_read(text, strlen(text), NULL, NULL, &factor, &dimension, &problem);
  return problem;
}

static void units_have_their_defined_values(void **state) {
  (void)state;
  static const struct {
    const char *text;
    double factor, length, mass, time, angle;
  } rows[] = {
      {"mm", 1e-3, 1, 0, 0, 0},
      {"in", 0.0254, 1, 0, 0, 0},
      {"ft", 0.3048, 1, 0, 0, 0},
      {"mi", 1609.344, 1, 0, 0, 0},
      {"g", 1e-3, 0, 1, 0, 0},
      {"t", 1e3, 0, 1, 0, 0},
      {"lb", 0.45359237, 0, 1, 0, 0},
      {"min", 60, 0, 0, 1, 0},
      {"deg", 3.14159265358979323846 / 180, 0, 0, 0, 1},
      {"rev", 2 * 3.14159265358979323846, 0, 0, 0, 1},
      {"lbf", 0.45359237 * 9.80665, 1, 1, -2, 0},
      {"Nm", 1, 2, 1, -2, 0},
      {"MPa", 1e6, -1, 1, -2, 0},
      {"bar", 1e5, -1, 1, -2, 0},
      {"psi", 6894.757293168361, -1, 1, -2, 0},
      {"rpm", 2 * 3.14159265358979323846 / 60, 0, 0, -1, 1},
      {"mph", 0.44704, 1, 0, -1, 0},
      {"km/h", 1 / 3.6, 1, 0, -1, 0},
      {"kN/m", 1e3, 0, 1, -2, 0},
      {"N s/m", 1, 0, 1, -1, 0},
      {"N*s/m", 1, 0, 1, -1, 0},
      {"N s / m", 1, 0, 1, -1, 0},
      {"lbf s/in", 175.12683524647636, 0, 1, -1, 0},
      {"kg m^2", 1, 2, 1, 0, 0},
      {"g/cm^3", 1e3, -3, 1, 0, 0},
      {"m/s^2", 1, 1, 0, -2, 0},
      {"m/s/s", 1, 1, 0, -2, 0},
      {"N m/(rad/s)", 1, 2, 1, -1, -1},
      {"N/(mm s)", 1e3, 0, 1, -3, 0},
      {"s^-1", 1, 0, 0, -1, 0},
      {"slug", 14.593902937206365, 0, 1, 0, 0},
      {"Ns/m", 1, 0, 1, -1, 0},
      {"Nms/rad", 1, 2, 1, -1, -1},
      {"Nmm/deg", 1e-3 * 180 / 3.14159265358979323846, 2, 1, -2, -1},
      {"kgm2", 1, 2, 1, 0, 0},
      {"kgcm2", 1e-4, 2, 1, 0, 0},
      {"m/s2", 1, 1, 0, -2, 0},
      {"N/mm2", 1e6, -1, 1, -2, 0},
      {"kg/m3", 1, -3, 1, 0, 0},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hn_dimension d, wanted = {rows[k].length, rows[k].mass, rows[k].time, rows[k].angle};
    double factor = read(rows[k].text, &d);
    check_relative(factor, rows[k].factor, 1e-14);
    if (!hn_dimension_equal(d, wanted)) fail_msg("dimension of %s", rows[k].text);
  }
}

static void a_unit_ends_where_arithmetic_begins(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t length;
  } rows[] = {
      {"mm / L", 2},      {"mm*2", 2}, {"mm)", 2},       {"m if c", 1}, {"m + 2 m", 1},
      {"N / (L + 1)", 1}, {"L", 0},    {"min(2, 3)", 0}, {"Nm2", 0}}; // the last: (N m)^2 or N m^2?
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double factor;
    hn_dimension d;
    const char *problem;
    size_t length =
        hn_unit_read(rows[k].text, strlen(rows[k].text), NULL, NULL, &factor, &d, &problem);
    assert_null(problem);
    if (length != rows[k].length) fail_msg("'%s': %zu", rows[k].text, length);
  }
}

static void ambiguous_units_are_refused(void **state) {
  (void)state;
  assert_non_null(problem_of("N/m s"));
  assert_non_null(problem_of("m^L"));
  assert_non_null(problem_of("m^2.5"));
  assert_non_null(problem_of("N/(m s"));
  assert_non_null(problem_of("m^99"));
  assert_non_null(problem_of("N/(m/(m/(m/(m/(m/(m/(m/(m/(m/(m/m"));
}

static int own(const void *context, const char *name, size_t length) {
  return length == 1 && name[0] == 'N' ? *(const int *)context : 0;
}

static void own_names_are_not_read_as_units(void **state) {
  (void)state;
  double factor;
  hn_dimension d;
  const char *problem;
  int parameter = 1, variable = 2;
  assert_int_equal(hn_unit_read("m/N", 3, own, &parameter, &factor, &d, &problem), 1);
  assert_int_equal(hn_unit_read("N", 1, own, &parameter, &factor, &d, &problem), 1);
  assert_int_equal(hn_unit_read("N", 1, own, &variable, &factor, &d, &problem), 0);
}

static void dimensions_are_written_readably(void **state) {
  (void)state;
  static const struct {
    hn_dimension dimension;
    const char *text;
  } rows[] = {{{1, 0, 0, 0}, "m"},           {{1, 1, -2, 0}, "N"},
              {{2, 0, 0, 0}, "m^2"},         {{-1, 0, 0, 0}, "1/m"},
              {{1, 2, -3, 0}, "kg^2 m/s^3"}, {{-1, 1, -1, 0}, "kg/(m s)"},
              {{0, 0, 0, 0}, "no unit"},     {{0.5, 0, 0, 0}, "m^0.5"}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[64];
    assert_string_equal(hn_dimension_text(rows[k].dimension, text, sizeof text), rows[k].text);
    for (size_t size = 1; size < 12; size++) hn_dimension_text(rows[k].dimension, text, size);
  }
}

static void coordinates_are_lengths_or_angles(void **state) {
  (void)state;
  assert_int_equal(hn_meaning_of(HN_COORDINATE_STIFFNESS, 0), HN_STIFFNESS);
  assert_int_equal(hn_meaning_of(HN_COORDINATE_STIFFNESS, 1), HN_ANGULAR_STIFFNESS);
  assert_int_equal(hn_meaning_of(HN_COORDINATE_FORCE, 1), HN_TORQUE);
  assert_int_equal(hn_meaning_of(HN_MASS, 1), HN_MASS);
}

static void the_nearest_unit_is_suggested(void **state) {
  (void)state;
  assert_string_equal(hn_unit_nearest("kn"), "kN");
  assert_string_equal(hn_unit_nearest("degs"), "deg");
  assert_string_equal(hn_unit_nearest("Newtons"), "N");
  assert_string_equal(hn_unit_nearest("d"), "deg");
  assert_null(hn_unit_nearest("Nq")); // no other sign of two letters is near
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_have_their_defined_values),
      cmocka_unit_test(a_unit_ends_where_arithmetic_begins),
      cmocka_unit_test(ambiguous_units_are_refused),
      cmocka_unit_test(own_names_are_not_read_as_units),
      cmocka_unit_test(dimensions_are_written_readably),
      cmocka_unit_test(coordinates_are_lengths_or_angles),
      cmocka_unit_test(the_nearest_unit_is_suggested),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
