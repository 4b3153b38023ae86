// A linearization as JSON.
#include "base/json_writer.h"
#include "holon/analysis.h"
#include "holon/linear.h"

static void add_names(hn_json_writer *json, const char *key, const char *const *names, int count) {
  hn_json_open(json, key, '[');
  for (int k = 0; k < count; k++) hn_json_string(json, NULL, names[k]);
  hn_json_close(json, ']');
}

static void add_matrix(hn_json_writer *json, const char *key, const double *a, int rows,
                       int columns) {
  if (a == NULL) return;
  hn_json_open(json, key, '[');
  for (int i = 0; i < rows; i++)
    hn_json_vector(json, NULL, &a[(size_t)i * (size_t)columns], columns);
  hn_json_close(json, ']');
}

static void add_eigenvalues(hn_json_writer *json, const hn_linear *linear) {
  hn_json_open(json, "eigenvalues", '[');
  for (int k = 0; k < linear->eigenvalue_count; k++) {
    const hn_eigenvalue *value = &linear->eigenvalues[k];
    hn_json_open(json, NULL, '{');
    hn_json_number(json, "real", value->real);
    hn_json_number(json, "imag", value->imaginary);
    hn_json_number(json, "frequency", value->frequency);
    hn_json_number(json, "damping", value->damping);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_shapes(hn_json_writer *json, const hn_model *model, const hn_linear *linear,
                       const hn_mode *mode) {
  hn_json_open(json, "shape", '{');
  for (int b = 0; b < linear->body_count; b++) {
    double parts[4][3];
    for (int i = 0; i < 3; i++) {
      parts[0][i] = mode->shape[12 * b + 2 * i];
      parts[1][i] = mode->shape[12 * b + 2 * i + 1];
      parts[2][i] = mode->shape[12 * b + 6 + 2 * i];
      parts[3][i] = mode->shape[12 * b + 6 + 2 * i + 1];
    }
    hn_json_open(json, hn_model_body_name(model, b + 1), '{');
    hn_json_vector(json, "translation_real", parts[0], 3);
    hn_json_vector(json, "translation_imag", parts[1], 3);
    hn_json_vector(json, "rotation_real", parts[2], 3);
    hn_json_vector(json, "rotation_imag", parts[3], 3);
    hn_json_close(json, '}');
  }
  hn_json_close(json, '}');
}

static void add_shares(hn_json_writer *json, const hn_model *model, const hn_linear *linear,
                       const hn_mode *mode) {
  hn_json_open(json, "kinetic", '{');
  for (int b = 0; b < linear->body_count; b++)
    hn_json_number(json, hn_model_body_name(model, b + 1), mode->kinetic[b]);
  hn_json_close(json, '}');
  const double *const of_forces[] = {mode->elastic, mode->damping};
  static const char *const keys[] = {"elastic", "dissipated"};
  for (int k = 0; k < 2; k++) {
    hn_json_open(json, keys[k], '{');
    for (int f = 0; f < linear->force_count; f++)
      hn_json_number(json, hn_model_force_name(model, f), of_forces[k][f]);
    hn_json_close(json, '}');
  }
}

static void add_modes(hn_json_writer *json, const hn_model *model, const hn_linear *linear) {
  hn_json_open(json, "modes", '[');
  for (int m = 0; m < linear->mode_count; m++) {
    const hn_mode *mode = &linear->modes[m];
    hn_json_open(json, NULL, '{');
    hn_json_integer(json, "eigenvalue", mode->eigenvalue);
    hn_json_number(json, "frequency", linear->eigenvalues[mode->eigenvalue].frequency);
    hn_json_number(json, "damping", linear->eigenvalues[mode->eigenvalue].damping);
    add_shapes(json, model, linear, mode);
    add_shares(json, model, linear, mode);
    hn_json_close(json, '}');
  }
  hn_json_close(json, ']');
}

static void add_warnings(hn_json_writer *json, const hn_simulation *simulation) {
  hn_json_open(json, "warnings", '[');
  for (int i = 0; i < hn_simulation_warning_count(simulation); i++)
    hn_json_string(json, NULL, hn_simulation_warning(simulation, i)->message);
  hn_json_close(json, ']');
}

static void add_all(hn_json_writer *json, const hn_linear *l, const hn_simulation *simulation) {
  const hn_model *model = hn_simulation_model(simulation);
  const int n = l->state_count, m = l->input_count, p = l->output_count;
  hn_json_open(json, NULL, '{');
  hn_json_string(json, "status", "ok");
  hn_json_number(json, "time", l->time);
  add_names(json, "states", l->states, n);
  add_names(json, "state_units", l->state_units, n);
  add_names(json, "inputs", l->inputs, m);
  add_names(json, "outputs", l->outputs, p);
  add_matrix(json, "A", l->a, n, n);
  add_matrix(json, "B", l->b, n, m);
  add_matrix(json, "C", l->c, p, n);
  add_matrix(json, "D", l->d, p, m);
  add_matrix(json, "B_rate", l->b_rate, n, m);
  add_matrix(json, "B_acceleration", l->b_acceleration, n, m);
  add_matrix(json, "D_rate", l->d_rate, p, m);
  add_matrix(json, "D_acceleration", l->d_acceleration, p, m);
  if (l->f0 != NULL) hn_json_vector(json, "f0", l->f0, n);
  if (l->x0 != NULL) hn_json_vector(json, "x0", l->x0, n);
  if (l->u0 != NULL) hn_json_vector(json, "u0", l->u0, m);
  if (l->y0 != NULL) hn_json_vector(json, "y0", l->y0, p);
  add_eigenvalues(json, l);
  add_modes(json, model, l);
  add_names(json, "kinks", l->kinks, l->kink_count);
  hn_json_open(json, "held", '[');
  for (int k = 0; k < hn_model_state_count(model); k++) {
    const hn_state_def *state = hn_model_state(model, k);
    if (state->every > 0 || state->law == NULL) hn_json_string(json, NULL, state->name);
  }
  hn_json_close(json, ']');
  hn_json_open(json, "approximated", '[');
  for (int k = 0; k < hn_model_state_count(model); k++)
    if (hn_model_state(model, k)->delay > 0)
      hn_json_string(json, NULL, hn_model_state(model, k)->name);
  hn_json_close(json, ']');
  hn_json_integer(json, "redundant", l->redundant);
  hn_json_integer(json, "contacts", l->contacts);
  hn_json_boolean(json, "equilibrium", l->is_equilibrium);
  hn_json_number(json, "imbalance", l->imbalance);
  hn_json_number(json, "drift", l->drift);
  add_warnings(json, simulation);
  hn_json_close(json, '}');
}

hn_status hn_linear_json(const hn_linear *linear, const hn_simulation *simulation, char *text,
                         size_t size, size_t *needed) {
  hn_json_writer json = {0};
  add_all(&json, linear, simulation);
  hn_status status = hn_string_give(&json.text, text, size, needed);
  if (text == NULL && status == HN_ERROR_LIMIT) status = HN_OK; // it was only asked for
  hn_string_free(&json.text);
  return status;
}
