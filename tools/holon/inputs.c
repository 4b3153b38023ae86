// What `holon check` tells of the model's inputs.
#include "inputs.h"

#include <stdio.h>

void hn_cli_inputs_print(const hn_model *model) {
  int count = hn_model_input_count(model);
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    printf("%s%s = %g%s%s", k > 0 ? ", " : "  inputs              ", input->name, input->value,
           input->unit != NULL ? " " : "", input->unit != NULL ? input->unit : "");
    if (input->filter > 0) printf(" (filter %g s)", input->filter);
  }
  if (count > 0) putchar('\n');
  for (int k = 0; k < count; k++) {
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver < 0) continue;
    printf("    driver '%s' cannot follow a jump of '%s': give the input a `filter:`, for instance "
           "20 ms\n",
           hn_model_driver_name(model, driver), hn_model_input(model, k)->name);
  }
}

void hn_cli_inputs_json(hn_cli_json *json, const hn_model *model) {
  int count = hn_model_input_count(model);
  if (count == 0) return;
  hn_json_open(json, "inputs", '[');
  for (int k = 0; k < count; k++) {
    const hn_input_def *input = hn_model_input(model, k);
    hn_json_open(json, NULL, '{');
    hn_json_string(json, "name", input->name);
    hn_json_number(json, "value", input->value);
    hn_json_string(json, "unit", input->unit != NULL ? input->unit : "");
    hn_json_number(json, "filter", input->filter);
    int driver = hn_model_input_unfiltered_driver(model, k);
    if (driver >= 0)
      hn_json_string(json, "driver_without_filter", hn_model_driver_name(model, driver));
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}
