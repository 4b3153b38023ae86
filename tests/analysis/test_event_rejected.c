// A step that is to end at an event and is rejected there is made shorter still; then no event is at its
// end. Found by a sweep: these values lead there (force number -1 was asked for its branch).
#include "holon/load.h"
#include "holon/simulation.h"
#include "support/check.h"

static void a_step_shorter_than_to_its_event_looks_for_none(void **state) {
  (void)state;
#if !HOLON_WITH_YAML
  skip();
#endif
  const char *settings[] = {"tyre=303397.7405176197", "stair=0.09378150430162596"};
  hn_load_options options = hn_default_load_options();
  hn_simulation_options how = hn_default_simulation_options();
  how.coordinates = "cartesian";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  options.settings = settings;
  options.setting_count = 2;
  how.coordinates = "auto";
  how.tol = 0;
  check_ok(hn_model_load("models/iltis/iltis.yaml", &options, &model, &error));
  check_ok(hn_simulation_create(model, &how, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 8));
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_step_shorter_than_to_its_event_looks_for_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
