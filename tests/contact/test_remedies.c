// Elements that method components does not support with implicit formulas: it fails with a remedy
// for that element, and with the remedy it runs.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "holon/load.h"

static hn_status create(const char *text, hn_error *error) {
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  *error = (hn_error){0};
  char all[1024];
  snprintf(all, sizeof all,
           "gravity: [0, 0, -9.81]\nbodies:\n"
           "  ground: {shape: {plane: {}}}\n"
           "  b: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1], shape: {sphere: 0.1}}\n%s",
           text);
  if (hn_model_load_text(all, strlen(all), "text.yaml", NULL, &model, error))
    fail_msg("%s %s", error->element, error->message);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.formula = "sdirk2";
  const hn_status status = hn_simulation_create(model, &options, &s, error);
  hn_simulation_free(s);
  hn_model_free(model);
  return status;
}

#define PIN "joints: {j: {type: translational, bodies: [ground, b], at: [0, 0, 0.1], axis: x}}\n"
#define STOP "forces: {f: {type: joint-stop, joint: j, lower: -1"
#define RUB "forces: {f: {type: joint-friction, joint: j, force: 1"

static void the_remedy_is_of_the_element(void **state) {
  (void)state;
  static const char *const words[] = {"`law:`", "`stiffness:`", "`transition:`"};
  static const struct {
    const char *refused, *accepted, *word;
  } rows[] = {
      {"contacts: {c: {bodies: [ground, b]}}\n",
       "contacts: {c: {bodies: [ground, b], law: hertz}}\n", "`law:`"},
      {"contacts: {c: {bodies: [ground, b], law: rolling}}\n",
       "contacts: {c: {bodies: [ground, b], law: hunt-crossley, friction: 1}}\n", "`law:`"},
      {PIN STOP "}}\n", PIN STOP ", stiffness: 1e4}}\n", "`stiffness:`"},
      {PIN RUB "}}\n", PIN RUB ", transition: 1e-3}}\n", "`transition:`"},
      {"joints: {j: {type: knife-edge, bodies: [ground, b], at: [0, 0, 0], axis: y}}\n", NULL, ""},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hn_error error;
    assert_int_equal(create(rows[k].refused, &error), HN_ERROR_UNSUPPORTED);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      if ((strstr(error.hint, words[w]) != NULL) != (strcmp(words[w], rows[k].word) == 0))
        fail_msg("%s: %s", error.element, error.hint);
    if (rows[k].accepted && create(rows[k].accepted, &error))
      fail_msg("%s: %s", rows[k].accepted, error.message);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_remedy_is_of_the_element)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
