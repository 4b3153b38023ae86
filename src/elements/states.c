// States of the model where laws read them: see elements/sensor.h.
#include <math.h>

#include "elements/sensor.h"
#include "math/law.h"

void hn_states_set(const hn_elements *elements, const double *z) {
  const hn_model *model = elements->model;
  for (int k = 0; k < model->state_count; k++)
    model->input_states[model->input_count + model->states[k].sensor].value = z[k];
}

static double value_of(const hn_law *law, double t) { return hn_law_evaluate(law, -1, t).value; }

void hn_states_rates(const hn_elements *elements, double t, double *rates) {
  const hn_model *model = elements->model;
  for (int k = 0; k < model->state_count; k++)
    rates[k] = model->states[k].every > 0 ? 0 : value_of(model->states[k].law, t);
}

double hn_states_sample(const hn_elements *elements, int state, double t) {
  return value_of(elements->model->states[state].law, t);
}
