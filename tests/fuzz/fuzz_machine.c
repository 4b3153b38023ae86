// Whole simulations: what loads is assembled and moved by a few steps; it moves, or says why not.
#include "target.h"

#include "holon/load.h"
#include "holon/simulation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load_text((const char *)data, size, "models/examples/fuzz.yaml", NULL, &model,
                         &error) != HN_OK)
    return 0;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  options.max_steps = 20;
  if (hn_model_body_count(model) < 50) {
    hn_status status = hn_simulation_create(model, &options, &simulation, &error);
    PROMISE_OUTCOME(status, simulation, error);
  }
  for (int k = 0; simulation && k < 10; k++) {
    hn_status status = hn_simulation_step(simulation, 1.0);
    PROMISE(status == HN_OK || hn_simulation_error(simulation)->message[0]);
    if (status != HN_OK) break;
  }
  int count = simulation ? hn_simulation_signal_count(simulation) : 0;
  volatile double sum = 0;
  (void)sum;
  for (int k = 0; k < count && k < 500; k++) sum += hn_simulation_signal(simulation, k);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return 0;
}
