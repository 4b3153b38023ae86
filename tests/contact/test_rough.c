// A friction of 5: points that slide press each other together, and sweeps run away. What comes out are
// numbers, the energy is accounted for, and the box comes to rest.
#include <math.h>

#include "holon/holon.h"
#include "holon/load.h"
#include "support/check.h"

static void rough_box_tumbles_to_rest(void **state) {
  (void)state;
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  double height = NAN, speed = NAN;
  check_ok(
      hn_model_load(HOLON_SOURCE_DIR "/tests/data/contact/rough-box.yaml", &load, &model, &error));
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 2));
  check_ok(hn_simulation_value(simulation, "body.low.position.z", &height));
  check_ok(hn_simulation_value(simulation, "body.low.velocity.z", &speed));
  assert_true(height > 0.05 - 1e-6 && height < 0.8);
  check_near(speed, 0, 1e-3);
  assert_true(hn_simulation_certificate(simulation).energy_balance < 1e-2);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rough_box_tumbles_to_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
