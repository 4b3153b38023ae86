// Errors of a file are reported together: one for each place, none that only follows from another.
#include "formats/loading.h"

#include <stdio.h>

static hn_status load_all(const char *text, hn_error *first, hn_error *more, int room, int *count) {
  hn_load_options options = hn_default_load_options();
  hn_model *model = NULL;
  options.more = more;
  options.more_room = room;
  options.more_count = count;
  hn_status status = hn_model_load_text(text, strlen(text), "m.yaml", &options, &model, first);
  assert_null(model);
  return status;
}

static void every_element_tells_its_mistake(void **state) {
  (void)state;
  hn_error first, more[HN_LOAD_ERRORS];
  int count = 0;
  load_all("parameters: {bad: 2 *}\n"                                                 // 1
           "bodies:\n"                                                                // 2
           "  rod: {mas: 1, colour: blue}\n"                                          // 3, two keys
           "  b2: {mass: bad, inertia: [1, 1, 1]}\n"                                  // of line 1
           "  b3: {mass: 1 m, inertia: [1, 1, 1]}\n"                                  // 5
           "joints:\n"                                                                // 6
           "  pin: {type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: y}\n" // of line 3
           "  p2: {type: revolut, bodies: [ground, b3], at: [0, 0, 0], axis: y}\n"    // 8
           "outputs:\n"                                                               // 9
           "  a: joint.pin.angle\n"                                                   // of line 3
           "simulation: {time: 1, methd: auto}\n",                                    // 11
           &first, more, HN_LOAD_ERRORS, &count);
  static const int lines[] = {3, 3, 5, 8, 11};
  assert_int_equal(first.line, 1);
  assert_int_equal(count, 5);
  for (int k = 0; k < count; k++) assert_int_equal(more[k].line, lines[k]);
  check_names(more[1].message, "'colour'");
}

static void mistakes_are_told_up_to_a_number(void **state) {
  (void)state;
  char text[4096] = "bodies:\n";
  hn_error first, more[HN_LOAD_ERRORS];
  int count = 0;
  for (int k = 0; k < 40; k++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "  b%d: {mas: 1}\n", k);
  }
  load_all(text, &first, more, HN_LOAD_ERRORS, &count);
  assert_int_equal(first.line, 2);
  assert_int_equal(count, HN_LOAD_ERRORS - 1);
  load_all(text, &first, more, 3, &count); // at most the capacity
  assert_int_equal(count, 3);
}

static void one_mistake_is_told_once(void **state) {
  (void)state;
  hn_error first, more[HN_LOAD_ERRORS];
  int count = 7;
  // three joints at a point that cannot be worked out
  load_all("points: {p: [1, 2, nothing]}\n"
           "bodies: {a: {mass: 1}, b: {mass: 1}}\n"
           "joints:\n"
           "  i: {type: spherical, bodies: [ground, a], at: points.p}\n"
           "  j: {type: spherical, bodies: [a, b], at: points.p}\n"
           "  k: {type: spherical, bodies: [ground, b], at: points.p}\n",
           &first, more, HN_LOAD_ERRORS, &count);
  assert_int_equal(first.line, 1);
  assert_int_equal(count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_element_tells_its_mistake),
      cmocka_unit_test(mistakes_are_told_up_to_a_number),
      cmocka_unit_test(one_mistake_is_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
