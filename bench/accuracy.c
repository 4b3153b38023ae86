// Cost of the error estimate: CPU seconds of the steps of both runs over those of the first, at
// three tolerances and with a fixed step, for every shipped model.
// usage: accuracy MODEL...        CSV on stdout
#include <stdio.h>

#include "common/table.h"
#include "common/timing.h"
#include "holon/run.h"

// The least of a few repetitions of each run, taken apart: what interrupts one does not affect the
// other.
static hn_status measure(const hn_model *model, const hn_simulation_options *options, double time,
                         hn_certificate *c, double *second, double *bar, hn_error *error) {
  enum { REPEATS = 5 };
  hn_status status = HN_OK;
  for (int k = 0; k < REPEATS && status == HN_OK; k++) {
    hn_simulation *simulation = NULL;
    hn_run_plan plan = {.time = time, .accuracy = HN_ACCURACY_ON};
    hn_run_outcome outcome = {0};
    status = hn_simulation_create(model, options, &simulation, error);
    if (status == HN_OK) status = hn_run(simulation, &plan, NULL, &outcome);
    if (status == HN_OK) {
      hn_certificate own = hn_simulation_certificate(simulation);
      const hn_accuracy *a = hn_simulation_accuracy(simulation);
      if (k == 0 || own.cpu_seconds < c->cpu_seconds) *c = own;
      if (k == 0 || a->cpu_seconds < *second) *second = a->cpu_seconds;
      *bar = a->worst;
      if (own.cpu_seconds > 0.5) k = REPEATS;
    } else if (outcome.status != HN_OK) {
      *error = outcome.error;
    }
    // names in the certificate belong to lists that stay
    hn_simulation_free(simulation);
  }
  return status;
}

static int print_ratio(const char *path, const hn_model *model, double tol, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_error error = {0};
  hn_certificate c = {0};
  double second = 0, bar = 0, time = hn_model_defaults(model)->time;
  options.coordinates = "auto";
  if (step > 0)
    options.step = step, options.tol = 0;
  else
    options.tol = tol;
  hn_status status = measure(model, &options, time > 0 ? time : 1, &c, &second, &bar, &error);
  if (status != HN_OK) {
    hn_bench_complain(&error);
    return step > 0 ? 0 : 1; // a step of this size need not suit a model
  }
  char setting[32];
  hn_bench_row row = {.machine = path,
                      .program = "holon",
                      .setting = step > 0 ? hn_bench_setting(setting, sizeof setting, "step", step)
                                          : hn_bench_setting(setting, sizeof setting, "tol", tol),
                      .quantity = "error bar, over 1 + the largest value",
                      .error = bar,
                      .cpu_s = c.cpu_seconds,
                      .steps = c.steps_accepted,
                      .ratio = (c.cpu_seconds + second) / c.cpu_seconds,
                      .to = "the run alone"};
  hn_bench_print(&row, NULL);
  return 0;
}

int main(int count, char **arguments) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8};
  int failed = 0;
  hn_bench_begin("accuracy", NULL);
  for (int k = 1; k < count; k++) {
    hn_model *model = NULL;
    hn_error error;
    if (hn_model_load(arguments[k], NULL, &model, &error) != HN_OK) {
      hn_bench_complain(&error);
      failed = 1;
      continue;
    }
    for (int t = 0; t < 3; t++) failed |= print_ratio(arguments[k], model, tolerances[t], 0);
    double time = hn_model_defaults(model)->time;
    failed |= print_ratio(arguments[k], model, 0, (time > 0 ? time : 1) / 5000);
    hn_model_free(model);
  }
  return failed;
}
