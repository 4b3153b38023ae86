// Warnings before a model moves: every pair of bodies that overlaps, and why friction of a force
// law does not act in an equilibrium.
#include <stdio.h>
#include <string.h>

#include "contact/contact_machine.h"
#include "holon/analysis.h"

static int warnings_with(const hn_simulation *s, const char *text) {
  int found = 0;
  for (int k = 0; k < hn_simulation_warning_count(s); k++) {
    const hn_warning *w = hn_simulation_warning(s, k);
    found += hn_has_names(w->element, text) || hn_has_names(w->message, text);
  }
  return found;
}

static void every_pair_that_overlaps_is_named(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  static const char *const names[] = {"a", "b", "c"};
  static const double depth[] = {0.01, 0, 0.002}; // the second is just in contact
  for (int k = 0; k < 3; k++) {
    const int ball =
        add_ball(&m, names[k], 0.1, 1, vec3(k, 0, 0.1 - depth[k]), vec3_zero(), vec3_zero());
    add_contact(&m, names[k], ball, m.plane, 0, 0);
  }
  start(&m, 1e-6);
  assert_int_equal(warnings_with(m.simulation, ""), 2);
  assert_int_equal(warnings_with(m.simulation, "'a'"), 1);
  assert_int_equal(warnings_with(m.simulation, "'b'"), 0);
  assert_int_equal(warnings_with(m.simulation, "0.002"), 1);
  finish(&m);
}

static void many_that_overlap_are_counted(void **state) {
  (void)state;
  enum { COUNT = 9 };
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  static const char *const names[COUNT] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
  for (int k = 0; k < COUNT; k++) {
    const double depth = k == COUNT - 1 ? 0.02 : 0.001 + 1e-5 * k;
    const int ball =
        add_ball(&m, names[k], 0.1, 1, vec3(k, 0, 0.1 - depth), vec3_zero(), vec3_zero());
    add_contact(&m, names[k], ball, m.plane, 0, 0);
  }
  start(&m, 1e-6);
  assert_int_equal(warnings_with(m.simulation, "bodies '"), 6);
  assert_int_equal(warnings_with(m.simulation, "0.02"), 1); // the deepest
  assert_int_equal(warnings_with(m.simulation, "3 0.00102"), 1);
  finish(&m);
}

// Time-stepped, 400 balls in a row, each a little in the next: pairs are not listed. The first one
// is this fast.
static contact_machine row_of_balls(double speed) {
  enum { COUNT = 400 };
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  static char names[COUNT][8];
  int balls[COUNT];
  for (int k = 0; k < COUNT; k++) {
    snprintf(names[k], sizeof names[k], "b%d", k);
    balls[k] = add_ball(&m, names[k], 0.1, 1, vec3(0.199 * k, 0, 1), vec3(0, k == 0 ? speed : 0, 0),
                        vec3_zero());
  }
  hn_contact_def c = hn_default_contact();
  c.name = "all";
  c.shapes1 = c.shapes2 = balls;
  c.count1 = c.count2 = COUNT;
  check_model(&m, hn_model_add_contact(m.model, &c, NULL));
  start(&m, 1e-6);
  return m;
}

static void overlap_of_many_is_told(void **state) {
  (void)state;
  contact_machine m = row_of_balls(0);
  assert_int_equal(warnings_with(m.simulation, "0.001"), 7); // six pairs, and the rest
  assert_int_equal(warnings_with(m.simulation, "393"), 1);
  finish(&m);
}

// All pairs are within the distance that the fast one travels in a step: more than the first capacity.
static void pairs_beyond_the_first_capacity_are_found(void **state) {
  (void)state;
  contact_machine m = row_of_balls(1e6);
  for (int k = 0; k < 3; k++) check_ok(hn_simulation_step(m.simulation, 1));
  finish(&m);
}

static void friction_of_laws_is_named_where_nothing_holds(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(1, 0, -GRAVITY));
  int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.0999), vec3_zero(), vec3_zero());
  hn_contact_def c = hn_default_contact();
  c.name = "floor";
  c.shapes1 = &ball;
  c.shapes2 = &m.plane;
  c.count1 = c.count2 = 1;
  c.law = HN_CONTACT_LINEAR;
  c.exponent = 1;
  c.stiffness = 1e5;
  c.friction = 0.5;
  c.bristle_stiffness = 1e4;
  check_model(&m, hn_model_add_contact(m.model, &c, NULL));
  start(&m, 1e-6);
  hn_statics_report report;
  assert_int_equal(hn_simulation_equilibrium(m.simulation, NULL, &report), HN_ERROR_CONVERGENCE);
  check_names(hn_simulation_error(m.simulation)->hint, "`law: rigid`");
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_that_overlaps_is_named),
      cmocka_unit_test(many_that_overlap_are_counted),
      cmocka_unit_test(overlap_of_many_is_told),
      cmocka_unit_test(pairs_beyond_the_first_capacity_are_found),
      cmocka_unit_test(friction_of_laws_is_named_where_nothing_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
