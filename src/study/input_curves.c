// See input_curves.h.
#include "study/input_curves.h"

#include "base/arena.h"
#include "base/error.h"
#include "holon/law.h"

static hn_status make(const hn_input_table *t, int column, const hn_simulation *simulation,
                      struct hn_input_curve *out, hn_error *error) {
  const hn_input_def *def = hn_model_input(hn_simulation_model(simulation), t->input[column]);
  const int rows = hn_results_row_count(t->rows);
  const double *y = hn_results_column(t->rows, column);
  char name[96];
  out->input = t->input[column];
  if (def->filter > 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, &def->source,
                   hn_text(name, sizeof name, "input '%s'", def->name),
                   "Remove its filter: kinematics already follows the table along a smooth curve.",
                   "has a filter, which kinematics does not support");
  if (rows == 1) {
    out->constant = y[0];
    return HN_OK;
  }
  const hn_table_options options = {.outside = HN_TABLE_HOLD, .is_motion = 1};
  return hn_law_curve(hn_results_time(t->rows), y, rows, &options, NULL, &out->law, error);
}

hn_status hn_input_curves_create(const hn_run_plan *plan, const hn_simulation *simulation,
                                 hn_input_curves *curves, hn_error *error) {
  int count = 0;
  *curves = (hn_input_curves){0};
  for (int k = 0; k < plan->table_count; k++)
    count += hn_results_signal_count(plan->tables[k].rows);
  if (count == 0) return HN_OK;
  curves->curves = hn_allocate(NULL, (size_t)count * sizeof *curves->curves);
  if (!curves->curves)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for tables of inputs");
  for (int k = 0; k < count; k++) curves->curves[k] = (struct hn_input_curve){.input = -1};
  hn_status status = HN_OK;
  for (int k = 0; k < plan->table_count; k++)
    for (int c = 0; c < hn_results_signal_count(plan->tables[k].rows) && status == HN_OK; c++)
      status = make(&plan->tables[k], c, simulation, &curves->curves[curves->count++], error);
  if (status != HN_OK) hn_input_curves_free(curves);
  return status;
}

void hn_input_curves_free(hn_input_curves *curves) {
  for (int k = 0; k < curves->count; k++) hn_law_free(curves->curves[k].law);
  hn_release(NULL, curves->curves);
  *curves = (hn_input_curves){0};
}

// u(now + s) = value + rate s + acceleration s^2 / 2 agrees with the curve at s = time - now.
hn_status hn_input_curves_give(const hn_input_curves *curves, hn_simulation *simulation,
                               double time) {
  const double s = time - hn_simulation_time(simulation);
  hn_status status = HN_OK;
  for (int k = 0; k < curves->count && status == HN_OK; k++) {
    const struct hn_input_curve *c = &curves->curves[k];
    hn_law_value at = {.value = c->constant};
    if (c->law) at = hn_law_evaluate(c->law, -1, time);
    status = hn_simulation_set_input_motion(
        simulation, c->input, at.value - at.d1 * s + at.d2 * s * s / 2, at.d1 - at.d2 * s, at.d2);
  }
  return status;
}
