// Every shipped model at three tolerances: cost of a run and accuracy of its certificate.
// usage: machines MODEL...        CSV on stdout
#include <stdio.h>

#include "common/table.h"
#include "common/timing.h"

static int measure(const char *path, double tol) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = tol;
  hn_status status = hn_model_load(path, NULL, &model, &error);
  if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, &error);
  if (status == HN_OK) {
    double time = hn_model_defaults(model)->time;
    status = hn_simulation_advance(simulation, time > 0 ? time : 1);
    if (status != HN_OK) error = *hn_simulation_error(simulation);
  }
  if (status == HN_OK) {
    hn_certificate c = hn_simulation_certificate(simulation);
    char setting[32];
    hn_bench_row row = {.machine = path,
                        .program = "holon",
                        .coordinates = c.coordinates,
                        .method = c.method,
                        .formula = c.formula,
                        .setting = hn_bench_setting(setting, sizeof setting, "tol", tol),
                        .quantity = "energy, relative to its largest part",
                        .error = c.energy_relative,
                        .cpu_s = c.cpu_seconds,
                        .steps = c.steps_accepted,
                        .ratio = hn_simulation_time(simulation) / c.cpu_seconds,
                        .to = "real time"};
    hn_bench_print(&row, "%ld,%ld,%.3g", c.evaluations, c.factorizations, c.constraint_position);
  } else {
    hn_bench_complain(&error);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status != HN_OK;
}

int main(int count, char **arguments) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  int failed = 0;
  hn_bench_begin("machines", "evaluations,factorizations,constraint_position");
  for (int k = 1; k < count; k++)
    for (int t = 0; t < 3; t++) failed |= measure(arguments[k], tolerances[t]);
  return failed;
}
