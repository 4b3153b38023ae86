// Steps of a part and its derivatives. See part.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "part_private.h"

hn_status part_failed(part *p, hn_status status) {
  if (status != HN_OK) p->error = *hn_simulation_error(p->simulation);
  return status;
}

// ---- the state at the start of a step -------------------------------------------------------------

hn_status part_keep_start(part *p) {
  const size_t size = hn_simulation_keep_size(p->simulation);
  if (size > p->kept_room) {
    char *larger = realloc(p->kept, size);
    if (!larger) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory for a state");
    p->kept = larger;
    p->kept_room = size;
  }
  p->kept_size = size;
  return part_failed(p, hn_simulation_keep(p->simulation, p->kept));
}

// 1: the last step ended behind the communication point.
int part_is_ahead(const part *p) {
  return !p->is_exchange && hn_simulation_time(p->simulation) > p->now;
}

hn_status part_go_back(part *p) {
  if (!part_is_ahead(p)) return HN_OK;
  hn_status status = part_failed(p, hn_simulation_return(p->simulation, p->kept));
  return status == HN_OK ? part_failed(p, hn_simulation_advance(p->simulation, p->now)) : status;
}

hn_status part_settle(part *p) {
  if (p->stage == PART_INITIALIZING) return part_ready(p);
  if (p->is_exchange) return part_exchange_look(p);
  if (!p->is_changed) return HN_OK;
  hn_status status = part_go_back(p);
  p->quiet = 0;
  return status == HN_OK ? part_give_inputs(p) : status;
}

// ---- stepping -------------------------------------------------------------------------------------

// One step of the engine, with the state before it kept where the step may pass `end`.
static hn_status step_once(part *p, double end) {
  hn_simulation *s = p->simulation;
  const int may_pass = p->quiet >= 2;
  p->kept_limit = may_pass ? p->stop : end;
  if (!(p->kept_limit > hn_simulation_time(s))) p->kept_limit = end;
  hn_status status = may_pass ? part_keep_start(p) : HN_OK;
  return status == HN_OK ? part_failed(p, hn_simulation_step(s, p->kept_limit)) : status;
}

// 1: the caller wants to return here. *reached: where.
static int hears(part *p, part_watch *watch, double end, long events, double *reached) {
  const double time = hn_simulation_time(p->simulation);
  const double at = time < end ? time : end;
  int is_end = 0;
  if (watch->ends_at_events && time < end &&
      hn_simulation_certificate(p->simulation).events > events)
    is_end = watch->is_event = 1;
  if (watch->reached) {
    p->now = at;
    if (hn_simulation_look_at(p->simulation, at) == HN_OK && watch->reached(watch->context, at))
      is_end = 1;
  }
  if (is_end) *reached = at;
  return is_end;
}

hn_status part_at(part *p, double time, double size) {
  const double slack = 1e-9 * (fabs(p->now) + fabs(size));
  char message[160];
  if (p->stage != PART_RUNNING)
    return part_fail(p, HN_ERROR_ARGUMENT, NULL,
                     p->stage == PART_FAILED ? "Restore a state, or reset the FMU."
                                             : "Initialize the FMU, and step until it ends.",
                     p->stage == PART_FAILED ? "a step after one that failed"
                                             : "a step outside of step mode");
  if (size >= 0 && isfinite(size) && fabs(time - p->now) <= slack) return HN_OK;
  snprintf(message, sizeof message, "a step of %g s from %g s, but the FMU is at %g s", size, time,
           p->now);
  return part_fail(p, HN_ERROR_ARGUMENT, NULL,
                   "Step forward from the time that the last step reached.", message);
}

hn_status part_step(part *p, double size, part_watch *watch, double *reached) {
  const double begin = p->now, end = begin + size;
  part_watch none = {0};
  double at = end;
  if (!watch) watch = &none;
  hn_status status = part_settle(p);
  while (status == HN_OK && hn_simulation_time(p->simulation) < end) {
    const long events = hn_simulation_certificate(p->simulation).events;
    status = step_once(p, end);
    if (status == HN_OK && hears(p, watch, end, events, &at)) break;
    if (status == HN_OK && p->is_changed) status = part_settle(p);
  }
  if (status != HN_OK) at = hn_simulation_time(p->simulation);
  p->now = at;
  if (status == HN_OK) status = part_failed(p, hn_simulation_look_at(p->simulation, at));
  p->quiet++;
  p->stage = status == HN_OK ? PART_RUNNING : PART_FAILED;
  if (reached) *reached = at;
  return status;
}

// ---- derivatives ----------------------------------------------------------------------------------

// Rows are outputs, columns inputs, in the order of their references.
static hn_status linearize(part *p, const hn_linear_options *options, double *jacobian) {
  hn_linear *linear = NULL;
  hn_status status = hn_simulation_linearize(p->simulation, options, &linear, &p->error);
  if (status != HN_OK) return status;
  if (linear->d)
    memcpy(jacobian, linear->d,
           (size_t)linear->output_count * (size_t)linear->input_count * sizeof *jacobian);
  else
    status = part_fail(p, HN_ERROR_UNSUPPORTED, NULL, "Use finite differences.",
                       "the model has more than 500 states: no derivatives");
  hn_linear_free(linear);
  return status;
}

// J of Co-Simulation, by rows.
static hn_status find_jacobian(part *p, const part_unknowns *of, double *jacobian) {
  const size_t count = of->unknown_count + of->known_count;
  const char **names = calloc(count + 1, sizeof *names);
  if (!names) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory");
  hn_status status = HN_OK;
  for (size_t k = 0; k < count && status == HN_OK; k++) {
    const int is_known = k >= of->unknown_count;
    const uint32_t reference = is_known ? of->knowns[k - of->unknown_count] : of->unknowns[k];
    const part_variable *v =
        reference < (uint32_t)p->variable_count ? &p->variables[reference] : NULL;
    const int fits =
        v && (is_known ? v->role == PART_INPUT : v->role == PART_OUTPUT || v->role == PART_LOCAL);
    if (fits)
      names[k] = v->name;
    else
      status = part_fail(p, HN_ERROR_ARGUMENT, v ? v->name : NULL,
                         "Ask for derivatives of outputs against inputs.",
                         "has no derivative: unknowns are outputs, knowns inputs");
  }
  void *before = NULL;
  size_t size = 0;
  if (status == HN_OK) status = part_settle(p);
  const int moves = status == HN_OK && part_is_ahead(p);
  if (moves) status = part_save(p, &before, &size);
  if (moves && status == HN_OK) status = part_go_back(p);
  const hn_linear_options options = {.size = sizeof options,
                                     .inputs = names + of->unknown_count,
                                     .input_count = (int)of->known_count,
                                     .outputs = names,
                                     .output_count = (int)of->unknown_count,
                                     .modes = 1};
  if (status == HN_OK) status = linearize(p, &options, jacobian);
  if (before) {
    hn_status back = part_restore(p, before, size);
    if (status == HN_OK) status = back;
  }
  free(before);
  free(names);
  return status;
}

// Of Model Exchange column by column.
static hn_status find_columns(part *p, const part_unknowns *of, double *jacobian) {
  const size_t rows = of->unknown_count, columns = of->known_count;
  double *unit = calloc(columns + rows + 1, sizeof *unit), *column = unit + columns;
  hn_status status = unit ? HN_OK : part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory");
  for (size_t k = 0; k < columns && status == HN_OK; k++) {
    unit[k] = 1;
    status = part_exchange_derivative(p, of, unit, column);
    unit[k] = 0;
    for (size_t r = 0; r < rows; r++) jacobian[r * columns + k] = column[r];
  }
  free(unit);
  return status;
}

static hn_status multiply(part *p, const part_unknowns *of, const double *seed, int is_adjoint,
                          double *result) {
  const size_t rows = of->unknown_count, columns = of->known_count;
  double *jacobian = calloc(rows * columns + 1, sizeof *jacobian);
  if (!jacobian) return part_fail(p, HN_ERROR_MEMORY, NULL, NULL, "out of memory");
  hn_status status =
      p->is_exchange ? find_columns(p, of, jacobian) : find_jacobian(p, of, jacobian);
  if (status == HN_OK) memset(result, 0, (is_adjoint ? columns : rows) * sizeof *result);
  for (size_t r = 0; status == HN_OK && r < rows; r++)
    for (size_t k = 0; k < columns; k++)
      result[is_adjoint ? k : r] += jacobian[r * columns + k] * seed[is_adjoint ? r : k];
  free(jacobian);
  return status;
}

hn_status part_derivative(part *p, const part_unknowns *of, const double *seed, double *result) {
  return p->is_exchange ? part_exchange_derivative(p, of, seed, result)
                        : multiply(p, of, seed, 0, result);
}

hn_status part_adjoint(part *p, const part_unknowns *of, const double *seed, double *result) {
  return multiply(p, of, seed, 1, result);
}
