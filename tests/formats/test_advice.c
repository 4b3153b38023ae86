// Advice about models that load but hardly as intended: a loose body, a door locked by its second
// hinge, a driver at a dead center.
#include "formats/loading.h"
#include "holon/analysis.h"
#include "holon/simulation.h"

static void a_locked_door_and_its_loose_handle_are_told_apart(void **state) {
  (void)state;
  hn_model *model = load_text(
      "bodies:\n"
      "  door: {mass: 20, center: [0.4, 0, 1], inertia: [7, 8, 1]}\n"
      "  handle: {mass: 0.5, center: [0.8, 0, 1], inertia: [1e-3, 1e-3, 1e-3]}\n"
      "joints:\n"
      "  lower: {type: revolute, bodies: [ground, door], at: [0, 0, 0.2], axis: z}\n"
      "  upper: {type: revolute, bodies: [ground, door], at: [0, 0.001, 1.8], axis: z}\n");
  assert_int_equal(hn_model_warning_count(model), 1);
  char text[900];
  hn_warning_text(model, hn_model_warning(model, 0), text, sizeof text);
  check_names(text, "3:3 'handle' 6");
  hn_simulation *simulation = NULL;
  hn_mobility mobility;
  check_ok(hn_simulation_create(model, NULL, &simulation, NULL));
  check_ok(hn_simulation_mobility(simulation, &mobility));
  assert_int_equal(mobility.free_count, 1);
  assert_int_equal(mobility.free[0], hn_model_find_body(model, "handle"));
  assert_int_equal(mobility.held_count, 1);
  assert_int_equal(mobility.held[0], hn_model_find_body(model, "door"));
  char *words = NULL;
  check_ok(hn_mobility_text(simulation, &mobility, &words));
  check_names(words, "'door' 'lower' 'upper' 4 5");
  hn_text_free(words);
  hn_mobility_free(&mobility);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// Crank, rod and piston on the x axis: the piston cannot move there, the crank can.
#define SLIDER_CRANK(driver)                                                                       \
  "bodies:\n"                                                                                      \
  "  crank: {mass: 0.4, center: [0.05, 0, 0], inertia: [1e-4, 4e-4, 4e-4]}\n"                      \
  "  rod: {mass: 1, position: [0.1, 0, 0], center: [0.1, 0, 0], inertia: [1e-4, 4e-3, 4e-3]}\n"    \
  "  piston: {mass: 0.3, center: [0.3, 0, 0], inertia: [1e-4, 1e-4, 1e-4]}\n"                      \
  "joints:\n"                                                                                      \
  "  A: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"                       \
  "  B: {type: revolute, bodies: [crank, rod], at: [0.1, 0, 0], axis: z}\n"                        \
  "  C: {type: revolute, bodies: [rod, piston], at: [0.3, 0, 0], axis: z}\n"                       \
  "  S: {type: translational, bodies: [ground, piston], at: [0.3, 0, 0], axis: x}\n"               \
  "drivers:\n"                                                                                     \
  "  motor: {" driver "}\n"

static void a_driver_at_a_dead_centre_is_told_so(void **state) {
  (void)state;
  hn_model *model = load_text(SLIDER_CRANK("joint: S, motion: -0.25*t"));
  hn_simulation *simulation = NULL;
  hn_error error;
  check_status(hn_simulation_create(model, NULL, &simulation, &error), HN_ERROR_INCONSISTENT);
  check_names(error.hint, "'A'");
  hn_model_free(model);

  model = load_text(SLIDER_CRANK("joint: A, motion: 2*t")); // goes through it
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// The coordinate across a slider never changes, in any position: no dead center.
static void a_driver_of_what_cannot_move_is_at_no_dead_centre(void **state) {
  (void)state;
  hn_model *model =
      load_text("bodies:\n"
                "  block: {mass: 1, inertia: [1, 1, 1], markers: {tip: [0.1, 0, 0]}}\n"
                "joints:\n"
                "  rail: {type: translational, bodies: [ground, block], at: [0, 0, 0], axis: x}\n"
                "drivers:\n"
                "  motor: {point: block.tip, direction: y, motion: t}\n");
  hn_simulation *simulation = NULL;
  hn_error error;
  check_status(hn_simulation_create(model, NULL, &simulation, &error), HN_ERROR_INCONSISTENT);
  assert_false(hn_has_names(error.hint, "'rail'")); // no joint to be driven instead
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_locked_door_and_its_loose_handle_are_told_apart),
      cmocka_unit_test(a_driver_at_a_dead_centre_is_told_so),
      cmocka_unit_test(a_driver_of_what_cannot_move_is_at_no_dead_centre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
