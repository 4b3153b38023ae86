// Loads a model file, runs it to the time its author suggests, writes every signal to a CSV file
// and prints the model's outputs and what the run did.
//
//   load_and_run [MODEL.yaml [RESULTS.csv]]
#include <holon/holon.h>

#include <stdio.h>

static int report(const hn_error *error) {
  char text[4096];
  hn_error_format(error, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  return 1;
}

// Rows on an even grid: whole steps first, then a look back into the last one.
static hn_status run(hn_simulation *simulation, hn_results *results, double end, int rows) {
  for (int i = 0; i < rows; i++) {
    double time = end * i / (rows - 1);
    hn_status status = HN_OK;
    while (status == HN_OK && hn_simulation_time(simulation) < time)
      status = hn_simulation_step(simulation, end);
    if (status == HN_OK) status = hn_simulation_look_at(simulation, time);
    if (status == HN_OK) status = hn_results_record(results, simulation);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

int main(int count, char **arguments) {
  const char *path = count > 1 ? arguments[1] : "models/iftomm/a01.yaml";
  const char *file = count > 2 ? arguments[2] : "results.csv";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_results *results = NULL;
  hn_error error;

  hn_status status = hn_model_load(path, NULL, &model, &error);
  if (status == HN_OK) status = hn_simulation_create(model, NULL, &simulation, &error);
  if (status == HN_OK) status = hn_results_create(simulation, NULL, 0, &results, &error);
  if (status == HN_OK) {
    double end = hn_model_defaults(model)->time;
    status = run(simulation, results, end > 0 ? end : 1, 501);
    if (status != HN_OK) error = *hn_simulation_error(simulation);
  }
  if (status == HN_OK) status = hn_results_write(results, file, HN_RESULTS_CSV, 1, &error);

  if (status == HN_OK) {
    for (int i = 0; i < hn_model_output_count(model); i++)
      printf("%-12s %12.6f %s\n", hn_model_output_name(model, i),
             hn_simulation_signal(simulation, i), hn_simulation_signal_unit(simulation, i));
    hn_certificate did = hn_simulation_certificate(simulation);
    printf("%ld steps, constraints kept to %.1e, energy to %.1e J\n", did.steps_accepted,
           did.constraint_position, did.energy_balance);
    printf("%d rows of %d signals in %s\n", hn_results_row_count(results),
           hn_results_signal_count(results), file);
  }
  hn_results_free(results); // null is fine for all three
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status == HN_OK ? 0 : report(&error);
}
