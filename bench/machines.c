// Every shipped machine at three tolerances: what a run costs and how good its certificate is.
// usage: machines MODEL...        CSV on stdout
#include <stdio.h>

#include "holon/holon.h"

static int measure(const char *path, double tol) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
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
    double time = hn_simulation_time(simulation);
    printf("%s,%g,%ld,%ld,%ld,%.4f,%.3g,%.3g,%.3g\n", path, tol, c.steps_accepted, c.evaluations,
           c.factorizations, c.cpu_seconds, c.cpu_seconds > 0 ? time / c.cpu_seconds : 0,
           c.constraint_position, c.energy_relative);
  } else {
    char text[2048];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  fflush(stdout);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status != HN_OK;
}

int main(int count, char **arguments) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  int failed = 0;
  printf("machine,tol,steps,evaluations,factorizations,cpu_s,realtime_factor,"
         "constraint_position,energy_relative\n");
  for (int k = 1; k < count; k++)
    for (int t = 0; t < 3; t++) failed |= measure(arguments[k], tolerances[t]);
  return failed;
}
