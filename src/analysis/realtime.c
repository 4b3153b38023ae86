// Real-time loop: one step a period. Everything that may take unbounded time happens at creation.
// Branches of functions are in realtime_branches.c, times in realtime_timing.c, states in
// realtime_save.c.
#include "analysis/realtime.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/contact.h"

enum { MOST_STATES = 1000 };

hn_realtime_options hn_default_realtime_options(void) {
  return (hn_realtime_options){.size = sizeof(hn_realtime_options),
                               .simulation = hn_default_simulation_options(),
                               .saved_states = 1,
                               .warm_up = 10};
}

// In a struct initialized with 0, 0 leaves an option open.
static hn_realtime_options read_options(const hn_realtime_options *options) {
  const hn_realtime_options open = hn_default_realtime_options();
  if (!options) return open;
  hn_realtime_options o = *options;
  if (o.size == 0 && o.saved_states == 0) o.saved_states = open.saved_states;
  if (o.size == 0 && o.warm_up == 0) o.warm_up = open.warm_up;
  o.size = sizeof o;
  return o;
}

// ---- creation -----------------------------------------------------------------------------------

static int is_word(const char *word) { return word && strcmp(word, "auto") != 0; }

// The option of the call, else of the model, else null.
static const char *word_of(const char *option, const char *of_model) {
  return is_word(option) ? option : is_word(of_model) ? of_model : "auto";
}

// Fills open options with the combinations that papers have found best for real time. An augmented
// Lagrangian of index 3, of index 1 for formulas that it does not support, in relative coordinates;
// options compatible with neither (a method, independent coordinates) are left to the default
// choice. Sealed components are run by method components, with an implicit formula unless there are
// constraints with conditions. Returns 0 for those; 1 if the choice is made or none is needed.
static int choose(hn_simulation_options *o, const hn_model *model) {
  const hn_simulation_defaults *d = hn_model_defaults(model);
  const int has_sealed = model->part_count > 0;
  char element[192];
  const hn_source *source;
  const char *remedy;
  static const char *const methods[] = {"augmented-lagrangian-3", "augmented-lagrangian-1"};
  const char *coordinates = word_of(o->coordinates, d->coordinates);
  const char *formula = word_of(o->formula, d->formula);
  const char *independent = word_of(o->independent, d->independent);
  if (has_sealed && !o->preset && !is_word(formula) &&
      !hn_model_rigid_element(model, &source, &remedy, element, sizeof element))
    o->formula = "sdirk2"; // its inside may be stiff; conditions need an explicit formula
  if (has_sealed || o->preset || is_word(word_of(o->method, d->method))) return 1;
  if (!is_word(coordinates)) coordinates = "relative";
  for (int k = 0; k < 2; k++)
    if (hn_combination_is_built(coordinates, methods[k], formula, independent, NULL)) {
      o->coordinates = coordinates;
      o->method = methods[k];
      return 1;
    }
  return 0;
}

// The method was not chosen by name: explains why it is not one of those above.
static void explain_method(hn_simulation *s, const char *independent) {
  char before[sizeof s->automatic.why];
  const hn_method *m = s->method;
  hn_text(before, sizeof before, "%s", s->automatic.why);
  hn_text(s->automatic.why, sizeof s->automatic.why, "%s: no augmented Lagrangian takes %s%s%.40s",
          m->type->name, is_word(independent) ? independent : m->formula, before[0] ? "; " : "",
          before);
}

static hn_status check(const hn_realtime_options *o, const hn_model *model, hn_error *error) {
  double step = o->simulation.step > 0 ? o->simulation.step : hn_model_defaults(model)->step;
  if (!(step > 0))
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                   "set `step` to the period of the loop, for instance 1e-3",
                   "a run in real time needs a fixed step");
  if (o->saved_states < 0 || o->saved_states > MOST_STATES || !(o->deadline >= 0) || o->warm_up < 0)
    return hn_fail(
        error, HN_ERROR_ARGUMENT, NULL, NULL, "take hn_default_realtime_options",
        "options with %d saved states, %d warm-up steps and a deadline of %g s are not valid",
        o->saved_states, o->warm_up, o->deadline);
  if (o->simulation.threads > 1 || o->simulation.ranks)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "remove @threads",
                   "real time needs one thread and one process");
  return HN_OK;
}

// Steps that are taken back: caches and pages are warm, and what a step needs is chosen.
static hn_status warm_up(hn_realtime *r, hn_error *error) {
  hn_simulation *s = r->simulation;
  hn_saved_state *begin = &r->saved[r->options.saved_states];
  if (r->options.warm_up == 0) return HN_OK;
  hn_status status = hn_realtime_keep(r, begin);
  for (int k = 0; k < r->options.warm_up && status == HN_OK; k++)
    status = hn_realtime_step(r, NULL);
  // success of steps is reported once they count
  status = hn_realtime_take_back(r, begin);
  hn_simulation_reset_record(s);
  s->error.status = HN_OK;
  hn_realtime_reset_timing(r);
  if (status != HN_OK) *error = s->error;
  return status;
}

static hn_status create_parts(hn_realtime *r, const hn_model *model, hn_error *error) {
  hn_simulation_options *o = &r->options.simulation;
  o->realtime = 1;
  o->accepts_unconverged = r->options.at_bound == HN_BOUND_ACCEPT;
  int is_chosen = choose(o, model);
  hn_status status = hn_simulation_create(model, o, &r->simulation, error);
  if (status != HN_OK) return status;
  hn_simulation *s = r->simulation;
  s->realtime.clock = r;
  r->start = s->method->t;
  r->step = s->stepping.step;
  r->timing.deadline = r->options.deadline > 0 ? r->options.deadline : r->step;
  r->saved = HN_TAKE(&r->arena, hn_saved_state, r->options.saved_states + 1);
  for (int k = 0; k <= r->options.saved_states && status == HN_OK && !r->arena.failed; k++)
    status = hn_realtime_take_room(r, &r->saved[k]);
  if (r->arena.failed)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, "reduce `saved_states`",
                   "out of memory for %d saved states", r->options.saved_states);
  status = warm_up(r, error);
  if (status == HN_OK && !is_chosen)
    explain_method(s, word_of(o->independent, hn_model_defaults(model)->independent));
  return status;
}

hn_status hn_realtime_create(const hn_model *model, const hn_realtime_options *options,
                             hn_realtime **realtime, hn_error *error) {
  hn_realtime_options o = read_options(options);
  hn_error local;
  if (!error) error = &local;
  *realtime = NULL;
  hn_status status = check(&o, model, error);
  if (status != HN_OK) return status;
  const hn_allocator *allocator = o.simulation.allocator;
  hn_realtime *r = hn_allocate(allocator, sizeof *r);
  if (!r) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(r, 0, sizeof *r);
  r->options = o;
  hn_arena_init(&r->arena, allocator);
  status = create_parts(r, model, error);
  if (status != HN_OK) {
    hn_realtime_free(r);
    return status;
  }
  *realtime = r;
  return HN_OK;
}

void hn_realtime_free(hn_realtime *r) {
  if (!r) return;
  const hn_allocator *allocator = r->options.simulation.allocator;
  hn_simulation_free(r->simulation);
  hn_arena_release(&r->arena);
  hn_release(allocator, r);
}

const hn_error *hn_realtime_error(const hn_realtime *r) { return &r->simulation->error; }
hn_simulation *hn_realtime_simulation(hn_realtime *r) { return r->simulation; }
const hn_realtime *hn_simulation_realtime(const hn_simulation *s) { return s->realtime.clock; }
const hn_realtime_options *hn_realtime_options_used(const hn_realtime *r) { return &r->options; }
double hn_realtime_time(const hn_realtime *r) { return r->simulation->method->t; }

// ---- a step -------------------------------------------------------------------------------------

static double now(const hn_realtime *r) {
  return r->options.clock ? r->options.clock(r->options.clock_context) : 0;
}

// The caller has set another time. If a step of the grid ends there, as after a restart, the run
// continues with the same bits; otherwise the grid starts again there.
static void find_grid(hn_realtime *r) {
  double t = r->simulation->method->t, count = round((t - r->start) / r->step);
  if (fabs(count) < 1e15 && t == r->start + count * r->step) {
    r->count = (long)count;
  } else if (!(fabs(t - (r->start + (double)r->count * r->step)) <= 1e-6 * r->step)) {
    r->start = t;
    r->count = 0;
  }
}

hn_status hn_realtime_step(hn_realtime *r, hn_step_report *report) {
  hn_simulation *s = r->simulation;
  hn_method *m = s->method;
  double begin = now(r);
  if (m->t != r->start + (double)r->count * r->step) find_grid(r);
  double end = r->start + (double)(r->count + 1) * r->step;
  long iterations = m->iterations, unconverged = m->unconverged, events = s->certificate.events;
  double largest = m->unconverged_residual;
  m->unconverged_residual = 0;
  hn_status status = hn_simulation_take_step(s, end);
  if (status == HN_OK) r->count++;
  double residual = m->unconverged_residual;
  m->unconverged_residual = fmax(largest, residual);
  double seconds = r->options.clock ? now(r) - begin : 0;
  s->certificate.cpu_seconds += seconds;
  if (r->options.clock) hn_realtime_note_time(r, seconds, m->t);
  if (report)
    *report = (hn_step_report){.time = m->t,
                               .seconds = seconds,
                               .iterations = (int)(m->iterations - iterations),
                               .unconverged = (int)(m->unconverged - unconverged),
                               .residual = residual,
                               .events = (int)(s->certificate.events - events),
                               .is_overrun = seconds > r->timing.deadline};
  return status;
}

// ---- inputs and outputs -------------------------------------------------------------------------

int hn_realtime_find_input(const hn_realtime *r, const char *name) {
  return hn_model_find_input(r->simulation->model, name);
}
hn_status hn_realtime_set_input(hn_realtime *r, int input, double value) {
  return hn_simulation_set_input(r->simulation, input, value);
}
hn_status hn_realtime_set_input_motion(hn_realtime *r, int input, double value, double rate,
                                       double acceleration) {
  return hn_simulation_set_input_motion(r->simulation, input, value, rate, acceleration);
}

int hn_realtime_find_output(const hn_realtime *r, const char *name) {
  return hn_simulation_find_signal(r->simulation, name);
}
double hn_realtime_output(hn_realtime *r, int output) {
  return hn_simulation_signal(r->simulation, output);
}
void hn_realtime_outputs(hn_realtime *r, const int *outputs, int count, double *values) {
  hn_simulation_signals(r->simulation, outputs, count, values);
}
