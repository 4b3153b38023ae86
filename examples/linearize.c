// Small motions of a model from a file: frequency and damping of each mode about its equilibrium,
// and the bodies that take part most.
// usage: linearize MODEL
#include <holon/holon.h>

#include <stdio.h>

static void print_modes(const hn_model *model, const hn_linear *linear) {
  for (int k = 0; k < linear->mode_count; k++) {
    const hn_mode *mode = &linear->modes[k];
    const hn_eigenvalue *value = &linear->eigenvalues[mode->eigenvalue];
    int most = 0;
    for (int b = 1; b < linear->body_count; b++)
      if (mode->kinetic[b] > mode->kinetic[most]) most = b;
    printf("%10.4f Hz   damping %8.5f   %s\n", value->frequency, value->damping,
           hn_model_body_name(model, most + 1));
  }
}

int main(int argc, char **argv) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_linear *linear = NULL;
  hn_error error = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: %s MODEL\n", argv[0]);
    return 2;
  }
  hn_status status = hn_model_load(argv[1], NULL, &model, &error);
  if (status == HN_OK) status = hn_simulation_create(model, NULL, &simulation, &error);
  if (status == HN_OK) {
    status = hn_simulation_equilibrium(simulation, NULL, NULL);
    if (status != HN_OK) error = *hn_simulation_error(simulation);
  }
  if (status == HN_OK) status = hn_simulation_linearize(simulation, NULL, &linear, &error);
  if (status == HN_OK) {
    printf("%d states\n", linear->state_count);
    print_modes(model, linear);
  } else {
    char text[4096];
    hn_error_format(&error, text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
  hn_linear_free(linear);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status == HN_OK ? 0 : 1;
}
