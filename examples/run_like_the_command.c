// Computes the results of `holon run MODEL` from a program: every signal with estimated errors, and
// the certificate. The results have the same bits.
//
//   run_like_the_command [MODEL.yaml [RESULTS.csv]]
#include <holon/holon.h>

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
  const char *path = count > 1 ? arguments[1] : "models/iftomm/a01.yaml";
  const char *file = count > 2 ? arguments[2] : "results.csv";
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_recording recording = {0};
  hn_run_outcome run = {0};
  hn_run_plan plan = {0};              // the model's own time and rows, all signals
  hn_simulation_options options = {0}; // everything by itself

  hn_status status = hn_model_load(path, NULL, &model, &run.error);
  if (!status) status = hn_simulation_create(model, &options, &simulation, &run.error);
  if (!status) status = hn_recording_create(simulation, &plan, 0, &recording, &run.error);
  hn_run_sink sink = hn_recording_sink(&recording);
  if (!status) status = hn_run(simulation, &plan, &sink, &run);
  if (!status) status = hn_results_write(recording.all, file, HN_RESULTS_CSV, 1, &run.error);

  const hn_accuracy *accuracy = status ? NULL : hn_simulation_accuracy(simulation);
  for (int k = 0; accuracy && k < accuracy->signal_count && k < hn_model_output_count(model); k++)
    printf("%s: %.10g +- %.1g %s\n", accuracy->signals[k].name, hn_simulation_signal(simulation, k),
           accuracy->signals[k].last, accuracy->signals[k].unit);
  size_t size = 0;
  char *certificate = NULL;
  if (!status && !hn_certificate_json(simulation, NULL, 0, &size)) certificate = malloc(size + 1);
  if (certificate && !hn_certificate_json(simulation, certificate, size + 1, NULL))
    puts(certificate);
  char text[4096];
  hn_error_format(&run.error, text, sizeof text);
  if (status) fprintf(stderr, "%s\n", text);

  free(certificate);
  hn_recording_free(&recording); // what is null is fine
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status != HN_OK;
}
