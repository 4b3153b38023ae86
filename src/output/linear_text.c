// A linearization in words: where it was made, its states, its modes.
#include <math.h>
#include <string.h>

#include "base/json_writer.h"
#include "holon/linear.h"

static int largest_share(const double *shares, int count) {
  int best = -1;
  for (int i = 0; i < count; i++)
    if (shares[i] > 0.005 && (best < 0 || shares[i] > shares[best])) best = i;
  return best;
}

static void add_mode(hn_string *out, const hn_model *model, const hn_linear *l, int number,
                     const hn_mode *mode) {
  const hn_eigenvalue *value = &l->eigenvalues[mode->eigenvalue];
  hn_string_add(out, "%5d%16.8g%16.8g%16.6g%12.5f", number, value->real, value->imaginary,
                value->frequency, fabs(value->damping) < 5e-6 ? 0 : value->damping);
  const int body = largest_share(mode->kinetic, l->body_count),
            force = largest_share(mode->elastic, l->force_count);
  if (body >= 0)
    hn_string_add(out, "  %s %.0f %%", hn_model_body_name(model, body + 1),
                  100 * mode->kinetic[body]);
  if (force >= 0)
    hn_string_add(out, ", %s %.0f %%", hn_model_force_name(model, force),
                  100 * mode->elastic[force]);
  hn_string_add(out, "\n");
}

// The model and the state of the linearization.
static void add_point(hn_string *out, const hn_linear *l) {
  hn_string_add(out, "at t = %g s: %d states, %d input%s, %d output%s\n", l->time, l->state_count,
                l->input_count, l->input_count == 1 ? "" : "s", l->output_count,
                l->output_count == 1 ? "" : "s");
  if (!l->is_equilibrium)
    hn_string_add(out,
                  "not an equilibrium: rates change by up to %.4g per second, by %.4g more after 1 "
                  "s. The eigenvalues are valid only at this instant; linearize at an "
                  "equilibrium for motions about rest.\n",
                  l->imbalance, l->drift);
}

// Elements that are treated otherwise than in a run.
static void add_remarks(hn_string *out, const hn_model *model, const hn_linear *l) {
  for (int k = 0; k < l->kink_count; k++)
    hn_string_add(
        out, "force '%s' has a derivative discontinuity here: one-sided derivatives are used\n",
        l->kinks[k]);
  for (int k = 0; k < hn_model_state_count(model); k++) {
    const hn_state_def *state = hn_model_state(model, k);
    if (state->every > 0 || state->law == NULL)
      hn_string_add(out, "state '%s' changes only at %s: it is frozen\n", state->name,
                    state->every > 0 ? "samples" : "events");
    if (state->delay > 0)
      hn_string_add(out, "state '%s' is delayed by %g s: replaced by a Pade approximation\n",
                    state->name, state->delay);
  }
  if (l->contacts > 0)
    hn_string_add(out, "%d contact point%s keep%s the current mode (rolling, sticking or closed)\n",
                  l->contacts, l->contacts == 1 ? "" : "s", l->contacts == 1 ? "s" : "");
  if (l->redundant > 0)
    hn_string_add(out, "%d redundant constraint%s depend%s on others and %s omitted\n",
                  l->redundant, l->redundant == 1 ? "" : "s", l->redundant == 1 ? "s" : "",
                  l->redundant == 1 ? "is" : "are");
}

static void add_states(hn_string *out, const hn_linear *l) {
  if (l->state_count > 40) return;
  int rates = 0; // the first of them starts a line
  while (rates < l->state_count && !strstr(l->states[rates], "_rate") &&
         !strstr(l->states[rates], ".velocity."))
    rates++;
  hn_string_add(out, "\nstates:");
  for (int k = 0; k < l->state_count; k++)
    hn_string_add(out, "%s%s", k == 0 ? " " : k == rates ? ";\n        " : ", ", l->states[k]);
  hn_string_add(out, "\n");
}

// A model whose every motion is prescribed, or which cannot move.
static void add_nothing(hn_string *out, const hn_model *model) {
  const int drivers = hn_model_driver_count(model);
  if (drivers == 0) {
    hn_string_text(out, "Nothing to linearize: the model has no degree of freedom and no state.\n");
    return;
  }
  hn_string_add(out, "Nothing to linearize: driver%s", drivers == 1 ? "" : "s");
  for (int k = 0; k < drivers && k < 4; k++)
    hn_string_add(out, "%s '%s'", k > 0 ? "," : "", hn_model_driver_name(model, k));
  if (drivers > 4) hn_string_add(out, " and %d more", drivers - 4);
  hn_string_add(out,
                " prescribe%s every degree of freedom. Remove a driver, or replace it by a force, "
                "to get modes.\n",
                drivers == 1 ? "s" : "");
}

hn_status hn_linear_text(const hn_linear *l, const hn_simulation *simulation, char **text) {
  const hn_model *model = hn_simulation_model(simulation);
  hn_string out = {0};
  add_point(&out, l);
  add_remarks(&out, model, l);
  if (l->state_count == 0) {
    add_nothing(&out, model);
    return hn_string_hand_over(&out, text, NULL);
  }
  add_states(&out, l);
  hn_string_add(&out, "\n%5s%16s%16s%16s%12s  %s\n", "mode", "real (1/s)", "imag (rad/s)",
                "frequency (Hz)", "damping", "energy: body, force");
  for (int k = 0; k < l->mode_count; k++) add_mode(&out, model, l, k + 1, &l->modes[k]);
  return hn_string_hand_over(&out, text, NULL);
}
