// Creating a simulation: choose, take all memory, assemble, find accelerations. Stepping is in
// simulation_step.c, values in simulation_values.c, saving in simulation_save.c.
#include "analysis/simulation.h"
#include "analysis/lock_up.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_outside.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/assembly.h"
#include "analysis/assembly_components.h"
#include "analysis/auto_coordinates.h"
#include "analysis/auto_stepping.h"
#include "analysis/bounds.h"
#include "analysis/event_sources.h"
#include "analysis/kinematics.h"
#include "analysis/massless.h"
#include "analysis/overlap.h"
#include "analysis/parameters.h"
#include "analysis/registry.h"
#include "analysis/simulation_functions.h"
#include "analysis/simulation_guards.h"
#include "analysis/simulation_opaque.h"
#include "analysis/simulation_switches.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "elements/force_types.h"
#include "elements/sensor.h"
#include "equations/levels.h"
#include "integrate/time_stepping.h"
#include "model/contact.h"
#include "model/options.h"

// Of error control: below it rounding is larger than what a step may add.
#define LEAST_TOLERANCE 1e-15
#define DEFAULT_TOLERANCE 1e-6 // docs/reference/tolerance.md measures its cost and errors
#define CONTRADICTION 100.0    // of the gaps that contradicting constraints leave at the start
#define DEFAULT_TOLERANCE_FIXED 1e-4 // of fixed steps, whose iterations it ends

hn_simulation_options hn_default_simulation_options(void) {
  hn_simulation_options o = {.size = sizeof o};
  hn_options_open(&o);
  return o;
}

// Null strings mean "auto". In a struct initialized with 0, 0 leaves a number open even if 0 is a
// valid value.
static hn_simulation_options read_options(const hn_simulation_options *options) {
  hn_simulation_options open = hn_default_simulation_options();
  if (!options) return open;
  hn_simulation_options o = *options;
  const hn_option_row *row;
  for (int k = 0; (row = hn_option_row_at(k)); k++) {
    const int is_zero =
        o.size == 0 && row->option.kind == HN_OPTION_NUMBER && hn_option_number(row, &o) == 0;
    if (is_zero || (row->option.kind == HN_OPTION_WORD && !hn_option_text(row, &o)))
      hn_option_copy(row, &o, &open);
  }
  o.size = sizeof o;
  return o;
}

static double given(double option, double of_model) { return option > 0 ? option : of_model; }

// Takes what the call leaves open from the model's own `simulation:` section. Returns 1 if neither gives
// a tolerance. Where the step is fixed, the tolerance only ends iterations.
static int complete_options(hn_simulation_options *o, const hn_simulation_defaults *d) {
  int has_tolerance = o->tol > 0 || o->atol > 0 || o->rtol > 0;
  int has_longest = o->max_step > 0;
  hn_complete_parameters(o, d);
  if (o->step > 0 && !has_longest) o->max_step = 0; // the model's is for steps of the tolerance
  if (o->step <= 0 && !has_tolerance)
    o->step = d->step; // a tolerance asked for means error control
  o->tol = given(o->tol, has_tolerance ? 0 : d->tol);
  o->atol = given(o->atol, o->tol > 0 ? o->tol : d->atol);
  o->rtol = given(o->rtol, o->tol > 0 ? o->tol : d->rtol);
  const int is_open = !(o->atol > 0) && !(o->rtol > 0);
  if (is_open) o->atol = o->step > 0 ? DEFAULT_TOLERANCE_FIXED : DEFAULT_TOLERANCE;
  if (!(o->atol > 0)) o->atol = o->rtol;
  if (!(o->rtol > 0)) o->rtol = o->atol;
  return is_open;
}

// Steps whose error is asked to be below the rounding of the state itself shrink without end. Where the
// other of the two allows more, a small one does no harm.
static hn_status check_tolerance(const hn_simulation_options *o, hn_error *error) {
  double most = o->atol > o->rtol ? o->atol : o->rtol;
  if (o->step > 0 || most >= LEAST_TOLERANCE) return HN_OK;
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "use @tol 1e-12, or at least 1e-15",
                 "a tolerance of %g is below %g, the limit of double precision", most,
                 LEAST_TOLERANCE);
}

static hn_status check_longest(const hn_simulation_options *o, int of_model, hn_error *error) {
  if (!(o->step > 0 && o->max_step > 0)) return HN_OK;
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL,
                 of_model ? "remove @max_step, or give @tol to use error control"
                          : "remove @max_step, or remove @step to use error control",
                 "option max_step (%g s) has no effect: option step fixes the step%s at %g s",
                 o->max_step, of_model ? " of this model" : "", o->step);
}

// The last place is kept for the word that there were more.
static void add_warning(hn_simulation *s, int is_note, const char *element, const char *format,
                        va_list arguments) {
  if (s->told.count == HN_RUN_WARNINGS) return;
  hn_warning *w = &s->told.warnings[s->told.count++];
  const int is_last = s->told.count == HN_RUN_WARNINGS;
  if (is_last)
    hn_text(w->message, sizeof w->message,
            "more than %d warnings; the rest are suppressed. Fix those listed and rerun",
            HN_RUN_WARNINGS - 1);
  else
    vsnprintf(w->message, sizeof w->message, format, arguments);
  hn_text(w->element, sizeof w->element, "%s", element && !is_last ? element : "");
  w->is_note = is_note && !is_last;
}

void hn_simulation_warn(hn_simulation *s, const char *element, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_warning(s, 0, element, format, arguments);
  va_end(arguments);
}

void hn_simulation_note(hn_simulation *s, const char *element, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  add_warning(s, 1, element, format, arguments);
  va_end(arguments);
}

void hn_simulation_tell_unsolved(hn_simulation *s) {
  const int body = s->equations->unsolved_body;
  char name[96];
  if (body <= 0) return;
  s->equations->unsolved_body = -1;
  hn_text(name, sizeof name, "body '%s'", s->model->bodies[body].name);
  hn_simulation_warn(
      s, name,
      "has inaccurate accelerations near t = %.6g s: it has no inertia, and its joints are close "
      "to a singular configuration. Give it a small inertia or use one joint instead of the chain",
      s->method->t);
}

// has_conditions: constraints that are not always active.
static hn_status create_equations(hn_simulation *s, const hn_equations_type *type,
                                  int has_conditions) {
  hn_equations_options options = {.linear_solver = s->used.linear_solver};
  hn_status status = hn_threads_create(s->options.allocator, s->options.threads, &s->threads);
  if (status != HN_OK)
    return hn_fail(&s->error, status, NULL, NULL, "take one", "cannot start %d threads",
                   s->options.threads);
  options.threads = s->threads;
  options.ranks = s->options.ranks;
  if (options.ranks && options.ranks->size > 1 && !type->traits.is_hierarchical)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use @method components",
                   "only method components runs on several processes (there are %d)",
                   options.ranks->size);
  if (!type->has_solvers && s->used.linear_solver && strcmp(s->used.linear_solver, "auto") != 0)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "remove @linear_solver",
                   "coordinates '%s' have a linear solver of their own", type->name);
  status = has_conditions
               ? hn_rigid_create(&s->arena, type, s->elements, &options, &s->equations, &s->error)
               : type->create(&s->arena, s->elements, &options, &s->equations, &s->error);
  // steps need no reactions: they are computed when signals are read
  if (status == HN_OK) s->equations->defers_reactions = type->complete != NULL;
  return status;
}

static hn_status check_fixed_step(const hn_simulation *s, hn_error *error) {
  if (s->stepping.mode == HN_RUN_CONTROLLED && s->method->type->keeps_step)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "give @step, or @method multi-index, which chooses steps for @tol",
                   "method %s has no error control and needs a fixed step", s->method->type->name);
  if (s->stepping.mode == HN_RUN_CONTROLLED || !s->method->type->propose) return HN_OK;
  if (s->method->type->steps_by_energy)
    return hn_fail(
        error, HN_ERROR_UNSUPPORTED, NULL, NULL,
        "use @tol instead of @step, or @method augmented-lagrangian-3 or augmented-lagrangian-1",
        "method 'multi-index' selects its step by the energy and has no fixed step");
  return hn_fail(
      error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use @tol instead of @step, or @formula dopri5",
      "formula '%s' selects its step and order together and has no fixed step", s->method->formula);
}

// Only method components can run what it cannot look into.
static hn_status choose_for_sealed(hn_simulation *s) {
  if (s->model->part_count == 0) return HN_OK;
  const hn_sealed_part *part = &s->model->parts[0];
  char name[96];
  if (strcmp(s->used.method, "auto") == 0) s->used.method = hn_components.name;
  const hn_method_type *method = hn_method_named(s->used.method);
  const int is_able = method && method->equations && method->equations->traits.is_hierarchical;
  if (is_able && !s->model->defaults.from_equilibrium) return HN_OK;
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, &part->source,
                 hn_text(name, sizeof name, "component '%s'", part->name),
                 "use @method components, or its model file",
                 s->model->defaults.from_equilibrium
                     ? "is sealed; an equilibrium needs its contents"
                     : "is sealed; method '%s' needs its contents",
                 s->used.method);
}

// Rigid contacts, stops, sticking friction and conditional elements change their constraints within a
// run.
static hn_status check_conditions(hn_simulation *s, const hn_combination *c, int *has_conditions) {
  char name[192];
  const hn_source *source = NULL;
  const char *remedy = NULL;
  char hint[160];
  *has_conditions = hn_model_rigid_element(s->model, &source, &remedy, name, sizeof name) != NULL;
  *has_conditions |= c->method->steps_over;
  const int is_open = strcmp(s->used.method, "auto") == 0;
  const int is_stepped =
      c->equations->stepping &&
      ((is_open && s->stepping.mode == HN_RUN_FIXED_STEP) || c->method->steps_over);
  const int is_explicit = c->formula->kind & (HN_FORMULA_EXPLICIT | HN_FORMULA_MULTISTEP);
  if (!*has_conditions || is_stepped ||
      (c->method->follows_conditions && c->equations->responses &&
       (is_explicit || c->equations->tangent_create)))
    return HN_OK;
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, source, name,
                 hn_text(hint, sizeof hint, "use the default settings%s%s", remedy ? ", or " : "",
                         remedy ? remedy : ""),
                 "does not run with method '%s'%s", c->method->name,
                 is_explicit ? "" : " and implicit formulas");
}

// Few contacts are event-driven; many contacts, or those with a given step and no method of the user's,
// are time-stepped.
static hn_status choose_stepping(hn_simulation *s, hn_combination *c) {
  const hn_conditions *rigid = hn_conditions_of(s->equations);
  const hn_contacts *contacts = rigid->contacts;
  const int is_named = c->method->steps_over;
  if (!is_named && contacts->pairs_listed && contacts->pair_count == 0 && rigid->point_count == 0) {
    hn_text(s->automatic.why, sizeof s->automatic.why, "event-driven: elements are conditional");
    return HN_OK;
  }
  const int is_open = strcmp(s->used.method, "auto") == 0;
  if (rigid->is_many && !is_named && s->stepping.mode == HN_RUN_REAL_TIME)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                   "use @method time-stepping, or reduce the number of colliding shapes",
                   "too many pairs of shapes can collide for real time");
  const hn_source *source = NULL;
  char name[96];
  const char *soft = hn_stepping_reason(s->model, &source, name, sizeof name);
  if (soft && !is_named && (!is_open || s->stepping.mode == HN_RUN_REAL_TIME))
    return hn_stepping_reject(s, soft, source, name);
  if (!is_named && !rigid->is_many && !soft &&
      (s->stepping.mode != HN_RUN_FIXED_STEP || !is_open)) {
    hn_text(s->automatic.why, sizeof s->automatic.why, "event-driven: %d %s of shapes can collide",
            contacts->pair_count, contacts->pair_count == 1 ? "pair" : "pairs");
    const int extra = rigid->point_count - rigid->first_extra;
    if (extra > 0)
      hn_text(s->automatic.why, sizeof s->automatic.why, "event-driven: %d %s of shapes, %d %s",
              contacts->pair_count, contacts->pair_count == 1 ? "pair" : "pairs", extra,
              extra == 1 ? "stop, knife edge or joint with friction"
                         : "stops, knife edges or joints with friction");
    return HN_OK;
  }
  if (hn_stepping_check(s) != HN_OK) return HN_ERROR_UNSUPPORTED;
  c->method = &hn_time_stepping;
  const int is_given = s->stepping.mode != HN_RUN_CONTROLLED;
  if (s->stepping.mode == HN_RUN_REAL_TIME) return HN_OK; // of steps of one size, too
  s->stepping.mode = HN_RUN_TIME_STEPPING;
  if (is_given) {
    hn_text(s->automatic.why, sizeof s->automatic.why, "time-stepping: a step is given");
    return HN_OK;
  }
  s->stepping.step =
      s->options.max_step > 0 ? fmin(HN_RIGID_STEP, s->options.max_step) : HN_RIGID_STEP;
  if (is_named) return HN_OK;
  if (soft) {
    hn_text(s->automatic.why, sizeof s->automatic.why, "time-stepping with %g s: %s %s",
            s->stepping.step, name, soft);
    return HN_OK;
  }
  hn_text(s->automatic.why, sizeof s->automatic.why,
          "time-stepping with %g s: more than %d pairs of shapes can collide", s->stepping.step,
          s->elements->row_count > 0 ? HN_RIGID_FEW : HN_RIGID_FEW_FREE);
  return HN_OK;
}

static hn_status make_equations(hn_simulation *s, hn_combination *c) {
  int has_conditions;
  hn_status status = check_conditions(s, c, &has_conditions);
  if (status == HN_OK) status = create_equations(s, c->equations, has_conditions);
  if (status == HN_OK && s->equations->touch_points > 0) status = choose_stepping(s, c);
  return status;
}

static hn_status take_room(hn_simulation *s) {
  int nq = s->equations->nq;
  s->looking.q = HN_WORK(&s->arena, double, nq);
  s->looking.qd = HN_WORK(&s->arena, double, nq);
  s->looking.correction = HN_WORK(&s->arena, double, nq);
  s->lock.base = HN_KEEP(&s->arena, double, nq);
  s->lock.v = HN_WORK(&s->arena, double, nq);
  s->looking.frames = HN_WORK(&s->arena, hn_frame, s->model->body_count);
  s->events = HN_KEEP(&s->arena, hn_event, HN_EVENT_HISTORY);
  s->told.outputs = HN_KEEP(&s->arena, unsigned char, s->model->outputs.count);
  s->last_change = HN_KEEP(&s->arena, struct hn_last_change, s->elements->force_branches);
  s->looking.differs = HN_WORK(&s->arena, unsigned char, s->elements->force_branches);
  if (s->arena.failed || hn_branches_create(&s->arena, s->elements, &s->branches) != HN_OK ||
      hn_branches_create(&s->arena, s->elements, &s->taken) != HN_OK ||
      hn_branches_create(&s->arena, s->elements, &s->loose.branches) != HN_OK ||
      hn_branches_create(&s->arena, s->elements, &s->hidden_seen) != HN_OK ||
      hn_snapshot_create(&s->arena, s->equations, &s->looking.snapshot) != HN_OK)
    return HN_ERROR_MEMORY;
  return HN_OK;
}

// Coordinates and combination for the compiled elements, then parameters of these.
static hn_status choose_rest(hn_simulation *s, hn_combination *combination) {
  hn_simulation_options *used = &s->used;
  if (strcmp(used->coordinates, "auto") == 0)
    used->coordinates =
        hn_auto_coordinates(s->elements, used, s->automatic.why, sizeof s->automatic.why);
  if (!used->coordinates)
    return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for the simulation");
  const hn_status status = hn_choose_combination(used, combination, &s->error);
  return status == HN_OK ? hn_settle_parameters(used, combination, &s->error) : status;
}

// Forces that can change their branch, and those that may limit steps. Others are not checked.
static hn_status list_changing(hn_simulation *s) {
  struct hn_changing *c = &s->changing;
  c->list = HN_TAKE(&s->arena, int, s->elements->force_branches);
  c->limiting = HN_TAKE(&s->arena, int, s->model->force_count);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (int f = 0; f < s->elements->force_branches; f++) {
    const hn_force_def *def = f < s->model->force_count ? &s->model->forces[f] : NULL;
    const int by_state = !def || hn_force_switches(def), by_time = def && hn_force_is_timed(def);
    c->by_state += by_state;
    c->by_time += by_time;
    if (by_state || by_time) c->list[c->count++] = f;
    if (def && hn_force_limits_steps(def)) c->limiting[c->limiting_count++] = f;
  }
  return HN_OK;
}

static hn_status fail_memory(hn_simulation *s) {
  return hn_fail(&s->error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for the simulation");
}

// Elements of the model, whose laws read the inputs of this simulation.
static hn_status create_elements(hn_simulation *s) {
  const hn_model *bound = NULL;
  const int inputs = s->model->input_count, sensed = s->model->sensing.count;
  s->inputs = HN_KEEP(&s->arena, hn_input_state, inputs + sensed);
  s->given.followed = HN_KEEP(&s->arena, double, inputs);
  s->realtime.seen = HN_TAKE(&s->arena, int, s->model->force_count);
  for (int k = 0; !s->arena.failed && k < inputs; k++)
    s->inputs[k] = hn_model_input_start(s->model, k);
  for (int k = 0; !s->arena.failed && k < sensed; k++)
    s->inputs[inputs + k].rate = s->model->sensing.item[k].kind == HN_SENSOR_TIME;
  if (s->arena.failed || hn_model_bind_inputs(&s->compiled, s->model, s->inputs, &bound) != HN_OK ||
      hn_model_move_origin(&s->compiled, bound, &bound) != HN_OK)
    return fail_memory(s);
  hn_status status = hn_elements_create(&s->compiled, bound, &s->elements, &s->error);
  if (status != HN_OK) return status;
  s->samples = HN_KEEP(&s->arena, double, 2 * hn_simulation_sampled(s));
  return hn_simulation_create_outside(s) == HN_OK ? HN_OK : fail_memory(s);
}

static hn_status create_method(hn_simulation *s, const hn_combination *combination) {
  const hn_method_choice choice = {.formula = combination->formula,
                                   .independent = combination->independent,
                                   .parameter = combination->parameter,
                                   .penalty = s->used.penalty,
                                   .projection = hn_projection_asked(&s->used),
                                   .max_iterations = s->used.max_iterations,
                                   .energy_upper = s->used.energy_upper,
                                   .energy_lower = s->used.energy_lower,
                                   .switch_step = s->used.switch_step,
                                   .accepts_unconverged = s->used.accepts_unconverged,
                                   .is_bounded = s->stepping.mode == HN_RUN_REAL_TIME};
  if (hn_states_count(s->elements) > 0 && !combination->method->takes_states)
    return hn_fail(
        &s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use another method: `holon list` shows them",
        "method '%s' with formula '%s' does not integrate states of functions and "
        "elements (the model has %d)",
        combination->method->name, combination->formula->name, hn_states_count(s->elements));
  hn_status status = hn_simulation_make_method(s, combination->method, &choice, &s->method);
  if (status == HN_OK) s->method->accepts_unconverged = choice.accepts_unconverged;
  if (status == HN_OK) status = check_fixed_step(s, &s->error);
  return status == HN_OK ? hn_auto_create(s) : status;
}

// Sources of events, and other data that is asked around a step.
static hn_status create_watches(hn_simulation *s) {
  if (take_room(s) != HN_OK || list_changing(s) != HN_OK) return fail_memory(s);
  hn_status status = hn_delays_create(s);
  if (status != HN_OK) return status == HN_ERROR_MEMORY ? fail_memory(s) : status;
  s->stepping.opaque = hn_opaque_count(s->model);
  s->stepping.output_step = hn_default_output_step(s->model);
  if (hn_watch_contacts(s) != HN_OK || hn_guards_create(s) != HN_OK ||
      hn_functions_create(s) != HN_OK || hn_switches_create(s) != HN_OK ||
      hn_energy_parts_create(&s->arena, s->elements, &s->energy.parts) != HN_OK ||
      (s->stepping.mode != HN_RUN_CONTROLLED &&
       hn_resolution_create(&s->arena, s->equations->nq, &s->resolution) != HN_OK))
    return fail_memory(s);
  return hn_stepping_create(s);
}

static hn_status create_parts(hn_simulation *s) {
  hn_combination combination;
  hn_status status = choose_for_sealed(s);
  if (status == HN_OK) status = create_elements(s);
  if (status == HN_OK) status = choose_rest(s, &combination);
  if (status == HN_OK) status = make_equations(s, &combination);
  if (status != HN_OK) return status;
  if (s->model->part_count > 0) s->elements->hidden = hn_nested_hidden(s->equations);
  status = create_method(s, &combination);
  if (status == HN_OK) status = create_watches(s);
  if (status != HN_OK) return status;
  if (hn_simulation_declare(s) != HN_OK) return fail_memory(s);
  return hn_signals_create(&s->compiled, s->elements, &s->signals, &s->error);
}

static hn_status assemble(hn_simulation *s) {
  hn_method *m = s->method;
  if (m->states > 0) {
    hn_simulation_begin_states(s);
    hn_states_set(s->elements, m->z);
  }
  hn_equations_initial(s->equations, s->looking.frames, m->q, m->qd);
  hn_drawn_frames(s->elements->model, s->looking.frames);
  hn_elements_initial_turns(s->elements, s->looking.frames, s->branches.turns);
  hn_switches_begin(s);
  if (s->options.skip_assembly) return HN_OK;
  hn_assembly_report report = {0};
  if (s->equations->type->traits.is_hierarchical) {
    hn_status nested = hn_assemble_components(s->equations, s->options.allocator, m->t, m->q, m->qd,
                                              &s->branches, &s->error);
    if (nested != HN_RETRY) return nested;
  }
  hn_status status = hn_assemble(s->equations, s->options.allocator, m->t, m->q, m->qd,
                                 &s->branches, &report, &s->error);
  if (status != HN_OK) return status;
  s->certificate.initial_change.position = report.position_change;
  s->certificate.initial_change.velocity = report.velocity_change;
  s->tolerance.projection = fmax(s->tolerance.projection, CONTRADICTION * report.contradiction);
  const hn_warning *warnings[] = {&report.warning,          &report.body_warning,
                                  &report.velocity_warning, &report.gap_warning,
                                  &report.inertia_warning,  &report.contradiction_warning};
  for (size_t k = 0; k < sizeof warnings / sizeof warnings[0]; k++)
    if (warnings[k]->message[0])
      hn_simulation_warn(s, warnings[k]->element, "%s", warnings[k]->message);
  const hn_warning *notes[] = {&report.stay_note, &report.stay_rate_note};
  for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++)
    if (notes[k]->message[0]) hn_simulation_note(s, notes[k]->element, "%s", notes[k]->message);
  return HN_OK;
}

// `initial: {from: equilibrium, then: {velocity: ...}}`
// qd of a model that moves as a whole.
static void move_as_one(hn_simulation *s, hn_vec3 velocity) {
  const hn_coordinates *coordinates = s->equations->type->coordinates;
  memset(s->method->qd, 0, (size_t)s->equations->nq * sizeof(double));
  coordinates->frames(s->equations, s->method->q, s->method->qd, s->looking.frames);
  for (int b = 1; b < s->model->body_count; b++) s->looking.frames[b].v = velocity;
  coordinates->from_frames(s->equations, s->looking.frames, s->looking.q, s->method->qd);
}

static hn_status start_from_equilibrium(hn_simulation *s) {
  const hn_simulation_defaults *d = &s->model->defaults;
  if (!d->from_equilibrium || s->options.skip_assembly || s->options.skip_equilibrium) return HN_OK;
  hn_method *m = s->method;
  hn_statics_report report = {0};
  *s->elements->is_held = 1;
  hn_status status = hn_simulation_solve_statics(s, NULL, &report);
  *s->elements->is_held = 0;
  if (status != HN_OK) return status;
  hn_simulation_warn_statics(s, &report);
  memset(m->qd, 0, (size_t)s->equations->nq * sizeof(double));
  if (d->has_then_velocity)
    move_as_one(s, d->then_velocity);
  else if (s->model->driver_count > 0)
    hn_assemble_driven(s->equations, s->options.allocator, m->t, m->q, m->qd, &s->branches);
  // drivers may ask for velocities from the start
  return hn_equations_jump(s->equations, m->t, m->q, m->qd, &s->branches, s->looking.correction);
}

static void warn_sealed_start(hn_simulation *s) {
  char name[96], why[256];
  const char *part;
  while ((part = hn_nested_start_differs(s->equations, why, sizeof why)))
    hn_simulation_warn(s, hn_text(name, sizeof name, "component '%s'", part), "%s", why);
}

hn_status hn_simulation_begin(hn_simulation *s) {
  hn_method *m = s->method;
  hn_delays_start(s);
  if (m->type->steps_over)
    m->step_end = -HUGE_VAL; // what the last step has left is of another state
  if (m->states > 0) hn_states_set(s->elements, m->z);
  s->equations->type->coordinates->frames(s->equations, m->q, m->qd, s->looking.frames);
  hn_elements_update_turns(s->elements, s->looking.frames, s->branches.turns);
  hn_elements_move_anchors(s->elements, s->looking.frames, m->t, 0, s->branches.turns);
  hn_branches_classify(s->elements, s->looking.frames, m->t, &s->branches);
  if (s->stepping.mode == HN_RUN_REAL_TIME) hn_realtime_free_branches(s);
  hn_overlap_warn(s, s->looking.frames);
  hn_tell_idle_contacts(s);
  hn_status status = hn_contacts_start(s);
  if (status == HN_OK) status = m->type->begin(m, &s->branches, &s->error);
  s->view.snapshot = m->now;
  s->view.branches = &s->branches;
  s->view.work = m->work;
  hn_simulation_tell_unsolved(s);
  if (status == HN_OK) warn_sealed_start(s);
  return status;
}

hn_status hn_simulation_restart(hn_simulation *s, int projects) {
  hn_method *m = s->method;
  hn_equations *e = s->equations;
  hn_status status = HN_OK;
  if (projects) {
    m->step_end = -HUGE_VAL; // what the last step has found there no longer holds
    status = hn_equations_jump(e, m->t, m->q, m->qd, &s->branches, s->looking.correction);
  }
  if (status == HN_OK) status = m->type->begin(m, &s->branches, &s->error);
  return status > 0 ? hn_cannot_go_on(s, 0, status) : status;
}

double hn_default_output_step(const hn_model *model) {
  const hn_simulation_defaults *d = &model->defaults;
  return d->output_step > 0 ? d->output_step : d->time > 0 ? d->time / HN_OUTPUT_INTERVALS : 0;
}

int hn_simulation_redundant(const hn_simulation *s) {
  const hn_equations *on_bodies = s->equations->on_bodies;
  return (on_bodies ? on_bodies : s->equations)->redundant_count;
}

void hn_simulation_reset_record(hn_simulation *s) {
  hn_certificate *c = &s->certificate;
  hn_auto_reset(s);
  memset(s->automatic.first, 0, sizeof s->automatic.first);
  memset(s->automatic.used, 0, sizeof s->automatic.used);
  const hn_snapshot *now = s->method->now;
  hn_certificate fresh = {.initial_change.position = c->initial_change.position,
                          .initial_change.velocity = c->initial_change.velocity,
                          .thinnest = hn_contacts_thinnest(s)};
  *c = fresh;
  s->equations->evaluations = 0;
  s->method->projections = 0;
  s->method->work = 0;
  s->method->contact = (hn_contact_record){.impacts = 0};
  s->energy.initial = now->kinetic + now->potential;
  s->energy.initial_potential = now->potential;
  hn_energy_parts_begin(&s->energy.parts, s->model, now);
  hn_resolution_begin(&s->resolution);
  s->at_start.redundant = now->kinetic > 0 ? -1 : hn_simulation_redundant(s);
  s->energy.largest = fabs(now->kinetic);
  s->control = hn_step_control_begin(s->method->error_order);
  s->stepping.next = s->stepping.last = 0;
  s->stepping.watch = (struct hn_work_watch){.target = -HUGE_VAL}; // no run has started
  for (int f = 0; f < s->elements->force_branches; f++)
    s->last_change[f] = (struct hn_last_change){.time = -HUGE_VAL, .from = -1};
  hn_note_start(s);
  s->looking.count = 0;
  s->stepping.has_dense = 0;
  s->stepping.iterations = 0;
  s->method->iterations = s->method->newton_failures = s->method->jacobians = 0;
  s->method->factorizations = s->method->selections = 0;
  s->method->unconverged = 0;
  s->method->unconverged_residual = 0;
  hn_note_constraints(s);
}

// Parts, then the state at the start.
static hn_status make(hn_simulation *s) {
  hn_status status = create_parts(s);
  if (status == HN_OK) hn_events_find(s);
  if (status == HN_OK) status = assemble(s);
  if (status == HN_OK) status = start_from_equilibrium(s);
  if (status == HN_OK) status = hn_simulation_start_rolling(s);
  if (status == HN_OK)
    status = hn_find_mass_ratio(s->equations, s->options.allocator, &s->at_start.mass_ratio);
  if (status != HN_OK) return status;
  status = hn_simulation_begin(s);
  if (status == HN_OK && !s->options.skip_assembly) status = hn_switches_start(s);
  if (status == HN_ERROR_INCONSISTENT && hn_fail_misaligned(s, s->method->q, -1) != HN_OK)
    s->error.status = status; // which the assembly found, for a cause that is named now
  if (status != HN_OK && s->at_start.mass_ratio.light > 0)
    status = hn_fail_mass_ratio(s->model, &s->at_start.mass_ratio, &s->error);
  return status;
}

hn_status hn_simulation_create(const hn_model *model, const hn_simulation_options *options,
                               hn_simulation **simulation, hn_error *error) {
  hn_simulation_options o = read_options(options);
  hn_error local;
  if (!error) error = &local;
  *simulation = NULL;
  if (!model->finished)
    return hn_fail(error, HN_ERROR_ARGUMENT, NULL, NULL, "call hn_model_finish first",
                   "the model is not finished");
  hn_status status = hn_check_options(&o, error);
  if (status == HN_OK) status = hn_apply_preset(&o, error);
  if (status != HN_OK) return status;
  const int has_step = o.step > 0;
  const int has_default_tolerance = complete_options(&o, &model->defaults);
  status = check_tolerance(&o, error);
  if (status == HN_OK) status = check_longest(&o, !has_step, error);
  if (status != HN_OK) return status;
  hn_simulation *s = hn_allocate(o.allocator, sizeof *s);
  if (!s) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  memset(s, 0, sizeof *s);
  hn_arena_init(&s->arena, o.allocator);
  hn_arena_init(&s->compiled, o.allocator);
  s->model = model;
  memcpy((void *)&s->options, &o, sizeof o);
  s->used = o;
  s->has_default_tolerance = has_default_tolerance;
  s->stepping.mode = o.realtime   ? HN_RUN_REAL_TIME
                     : o.step > 0 ? HN_RUN_FIXED_STEP
                                  : HN_RUN_CONTROLLED;
  s->stepping.step = o.step;
#ifdef HN_POISON
  s->stepping.loses_scratch = 1;
#endif
  double projection = 1e-3 * o.atol;
  s->tolerance = (hn_tolerance){o.atol, o.rtol,
                                projection > 1e-10   ? 1e-10
                                : projection < 1e-14 ? 1e-14
                                                     : projection};
  status = make(s);
  if (status != HN_OK) {
    *error = s->error;
    if (error->status == HN_OK)
      hn_fail(error, status, NULL, NULL, NULL, "%s", hn_status_text(status));
    hn_simulation_free(s);
    return status;
  }
  hn_simulation_reset_record(s);
  hn_simulation_warn_numerical_forces(s);
  hn_bounds_tell(s);
  hn_opaque_tell(s);
  hn_simulation_warn_outside(s);
  hn_warn_massless(s, s->method->now->frames);
  s->error.status = HN_OK;
  *simulation = s;
  return HN_OK;
}

void hn_simulation_free(hn_simulation *s) {
  if (!s) return;
  const hn_allocator *allocator = s->options.allocator;
  hn_simulation_free_outside(s);
  hn_equations_release(s->equations);
  hn_threads_free(s->threads);
  hn_kinematics_free(s->kinematics);
  hn_release(allocator, s->accuracy);
  hn_arena_release(&s->compiled);
  hn_arena_release(&s->arena);
  hn_release(allocator, s);
}

const hn_error *hn_simulation_error(const hn_simulation *s) { return &s->error; }
const hn_model *hn_simulation_model(const hn_simulation *s) { return s->model; }
const hn_simulation_options *hn_simulation_options_used(const hn_simulation *s) { return &s->used; }
void hn_simulation_interrupt(hn_simulation *s) {
  atomic_store_explicit(&s->interrupted, 1, memory_order_relaxed);
}
double hn_simulation_last_step(const hn_simulation *s) { return s->stepping.last; }
double hn_simulation_fixed_step(const hn_simulation *s) {
  return s->stepping.mode != HN_RUN_CONTROLLED ? s->stepping.step : 0;
}

hn_simulation_options hn_simulation_options_alike(const hn_simulation *s) {
  hn_simulation_options o = s->used;
  o.step = hn_simulation_fixed_step(s);
  if (o.step > 0) o.max_step = 0;
  return o;
}

int hn_simulation_warning_count(const hn_simulation *s) { return s->told.count; }
const hn_warning *hn_simulation_warning(const hn_simulation *s, int index) {
  return index >= 0 && index < s->told.count ? &s->told.warnings[index] : NULL;
}
