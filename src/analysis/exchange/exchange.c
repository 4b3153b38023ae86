// A model as an ordinary differential equation: evaluation, and the present state. See exchange.h.
//
// A trial is the end of an attempted step of the simulation's method, which is asked for nothing: so
// sources of events see it as they see any attempt.
#include "analysis/exchange/exchange.h"

#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/exchange/private.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_switches.h"
#include "base/error.h"
#include "holon/switch.h"
#include "integrate/method_states.h"

#define TIGHTEST 1e-12 // positions of loops are exact to rounding: f is smooth
#define USUAL 1e-6
enum { MOST_ROUNDS = 50 }; // of changes at one time

// ---- creation -----------------------------------------------------------------------------------

void hn_exchange_options(const hn_model *model, hn_simulation_options *o) {
  const hn_simulation_defaults *d = hn_model_defaults(model);
  if (!(o->tol > 0)) o->tol = d->tol > 0 ? d->tol : USUAL; // error control, so no fixed step
  o->coordinates = "relative";
  o->method = "first-order";
  o->formula = "dopri5";
  o->independent = "none";
  o->linear_solver = "auto";
}

static hn_status fail_element(const hn_source *source, const char *element, const char *why,
                              hn_error *error) {
  return hn_fail(error, HN_ERROR_UNSUPPORTED, source, element, "Use Co-Simulation.", "%s", why);
}

static hn_status check_model(const hn_simulation *s, hn_error *error) {
  const hn_model *model = s->model;
  char name[192];
  for (int k = 0; k < model->state_count; k++)
    if (model->states[k].delay > 0)
      return fail_element(&model->states[k].source,
                          hn_text(name, sizeof name, "state '%.160s'", model->states[k].name),
                          "is delayed, which Model Exchange does not support", error);
  for (int k = 0; k < model->switch_count; k++)
    if (model->switches[k].of != HN_SWITCH_FORCE)
      return fail_element(&model->switches[k].source, hn_switch_name(model, k, name, sizeof name),
                          "is conditional: Model Exchange has one number of states", error);
  if (s->stepping.mode != HN_RUN_CONTROLLED)
    return fail_element(NULL, NULL, "contacts are time-stepped, which has no rates", error);
  return HN_OK;
}

static hn_status take_exchange_memory(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_arena *arena = &s->arena;
  const int nq = s->equations->nq;
  double **vectors[] = {&self->q, &self->qd, &self->v, &self->vd, &self->goal};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_KEEP(arena, double, nq);
  self->is_bound = HN_KEEP(arena, unsigned char, nq);
  self->loop = HN_KEEP(arena, int, nq);
  self->place = HN_KEEP(arena, int, nq);
  self->x = HN_KEEP(arena, double, 2 * nq + s->method->states);
  self->x_before = HN_KEEP(arena, double, 2 * nq + s->method->states);
  self->turns = HN_KEEP(arena, double, s->elements->turn_count);
  self->z_rate = HN_KEEP(arena, double, s->method->states);
  self->z = HN_KEEP(arena, double, s->method->states);
  self->frames = HN_KEEP(arena, hn_frame, s->model->body_count);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

// Rows of the tangent that are not of unit length alone.
static int has_rows(const hn_exchange *self) {
  const hn_sparse *phi_q = &self->tangent->phi_q;
  const int rows = self->simulation->elements->row_count;
  return phi_q->start[rows] > 0;
}

static hn_status make_exchange(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_status status = take_exchange_memory(self);
  if (status == HN_OK) status = hn_tangent_create(&s->arena, s->equations, 0, &self->tangent);
  if (status == HN_OK && has_rows(self))
    status = hn_reduction_create(&s->arena, s->equations, self->tangent, HN_INDEPENDENT_PARTITION,
                                 &self->reduction);
  if (status == HN_OK) status = hn_exchange_choose(self);
  if (status == HN_OK) status = hn_exchange_list(self);
  return status;
}

hn_status hn_exchange_create(hn_simulation *s, hn_exchange **exchange, hn_error *error) {
  *exchange = NULL;
  hn_status status = check_model(s, error);
  if (status != HN_OK) return status;
  hn_exchange *self = HN_KEEP(&s->arena, hn_exchange, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->simulation = s;
  self->tolerance = fmin(s->tolerance.projection, TIGHTEST);
  s->error.status = HN_OK;
  s->changing.force = -1; // no step was attempted yet
  status = make_exchange(self);
  if (status != HN_OK && s->error.status != HN_OK) {
    *error = s->error;
    return status;
  }
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "Use Co-Simulation.",
                   "the model has no form for Model Exchange: %s", hn_status_text(status));
  hn_exchange_take(self);
  *exchange = self;
  return HN_OK;
}

// ---- the trial ----------------------------------------------------------------------------------

int hn_exchange_count(const hn_exchange *self) { return self->count; }
double hn_exchange_time(const hn_exchange *self) { return self->t; }

void hn_exchange_get(const hn_exchange *self, double *x) {
  memcpy(x, self->x, (size_t)self->count * sizeof(double));
}

void hn_exchange_inputs(hn_exchange *self) { self->is_fresh = self->is_at_present = 0; }

void hn_exchange_set_time(hn_exchange *self, double time) {
  if (time != self->t) hn_exchange_inputs(self);
  self->t = time;
}

void hn_exchange_set(hn_exchange *self, const double *x) {
  const size_t size = (size_t)self->count * sizeof(double);
  if (memcmp(x, self->x, size) == 0) return;
  memcpy(self->x, x, size);
  hn_exchange_inputs(self);
}

// Angles of the trial are counted from those of the present.
static void count_turns(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  const hn_equations *e = s->equations;
  const hn_coordinates *c = e->type->coordinates;
  double *turns = s->branches.turns;
  memcpy(turns, self->turns, (size_t)s->elements->turn_count * sizeof(double));
  c->frames(e, self->q, self->qd, self->frames);
  if (c->update_turns)
    c->update_turns(e, self->q, self->frames, turns);
  else
    hn_elements_update_turns(s->elements, self->frames, turns);
}

static void spread_states(hn_exchange *self) {
  hn_method *m = self->simulation->method;
  if (m->states == 0) return;
  memcpy(self->z, m->z, (size_t)m->states * sizeof(double));
  for (int k = 0; k < self->count; k++)
    if (self->items[k].kind == HN_EXCHANGE_STATE) self->z[self->items[k].at] = self->x[k];
  hn_states_set(self->simulation->elements, self->z);
}

static hn_status evaluate_trial(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_method *m = s->method;
  hn_equations *e = s->equations;
  spread_states(self);
  hn_status status = hn_exchange_recover(self);
  if (status != HN_OK) return status;
  count_turns(self);
  const hn_branches look = hn_branches_to_look(&s->branches);
  status = e->type->evaluate(e, self->t, self->q, self->qd, &look, m->next, &s->error);
  if (status != HN_OK) return status;
  if (m->states > 0) hn_states_rates(s->elements, self->t, self->z_rate);
  memcpy(m->next_qd, self->qd, (size_t)e->nq * sizeof(double));
  m->next_z = self->z;
  hn_method_set_step(m, self->t);
  return status;
}

hn_status hn_exchange_look(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_status status = HN_OK;
  if (!self->is_fresh) status = evaluate_trial(self);
  if (status == HN_ERROR_NOT_FINITE) status = HN_RETRY;
  if (status > 0)
    return hn_fail(&s->error, status, NULL, NULL, "Use a smaller step.",
                   "the model has no rates at this state (t = %.9g s): %s", self->t,
                   s->error.status == HN_ERROR_NOT_FINITE ? s->error.message
                                                          : hn_status_text(status));
  self->is_fresh = status == HN_OK;
  s->view.snapshot = s->method->next;
  s->view.branches = &s->branches;
  s->view.work = s->method->work;
  return status;
}

hn_status hn_exchange_rates(hn_exchange *self, double *rates) {
  const hn_status status = hn_exchange_look(self);
  if (status != HN_OK) return status;
  hn_exchange_rate_of(self, self->simulation->method->next->qdd, self->z_rate, rates);
  for (int k = 0; k < self->count; k++)
    if (!isfinite(rates[k])) return HN_RETRY;
  return HN_OK;
}

// ---- the present --------------------------------------------------------------------------------

int hn_exchange_indicator_count(const hn_exchange *self) {
  return hn_events_count_seen(self->simulation);
}

hn_status hn_exchange_indicators(hn_exchange *self, double *indicators) {
  const hn_status status = hn_exchange_look(self);
  if (status == HN_OK) hn_events_see(self->simulation, indicators);
  return status;
}

// The trial becomes the present state.
static hn_status accept_trial(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_method *m = s->method;
  const hn_status status = hn_exchange_look(self);
  if (status != HN_OK) return status;
  if (self->reduction) self->has_to_choose |= hn_reduction_is_worn(self->reduction);
  if (s->contacts) hn_contacts_follow(s);
  hn_method_move_on(m, self->q, m->work);
  m->step_end = -HUGE_VAL; // there is no step to look back into
  s->stepping.has_dense = 0;
  if (s->elements->anchor_count > 0)
    hn_elements_move_anchors(s->elements, m->now->frames, m->t, 1, s->branches.turns);
  memcpy(self->turns, s->branches.turns, (size_t)s->elements->turn_count * sizeof(double));
  self->is_fresh = 0;
  s->view.snapshot = m->now;
  return HN_OK;
}

hn_status hn_exchange_complete(hn_exchange *self, int *is_event) {
  hn_simulation *s = self->simulation;
  hn_status status = hn_exchange_look(self);
  *is_event = 0;
  if (status != HN_OK) return status;
  *is_event = hn_events_see(s, NULL) > 0;
  if (*is_event) return HN_OK; // the event needs the step that leads there
  status = accept_trial(self);
  *is_event = self->has_to_choose;
  return status;
}

hn_status hn_exchange_enter(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  if (self->is_at_present) return HN_OK;
  hn_status status = hn_exchange_look(self);
  if (status != HN_OK) return status;
  hn_events_see(s, NULL);
  status = accept_trial(self);
  self->is_at_present = 1;
  return status;
}

// Everything that happens at the present state.
static hn_status handle_events(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  memcpy(s->branches.turns, self->turns, (size_t)s->elements->turn_count * sizeof(double));
  hn_status status = hn_simulation_release_drivers(s);
  if (status == HN_OK) status = hn_events_apply(s);
  if (status == HN_OK) status = hn_events_start(s);
  if (status == HN_OK) status = hn_exchange_choose(self);
  if (status == HN_OK) hn_exchange_take(self);
  return status;
}

// An event may cause others at once, as a contact that opens after an impact: no indicator would
// change its sign there. So states are evaluated at the present until nothing changes.
static hn_status handle_all(hn_exchange *self) {
  hn_simulation *s = self->simulation;
  hn_status status = handle_events(self);
  for (int round = 0; round < MOST_ROUNDS && status == HN_OK; round++) {
    status = hn_exchange_look(self);
    if (status != HN_OK || hn_events_see(s, NULL) == 0) return status;
    status = accept_trial(self);
    if (status == HN_OK) status = handle_events(self);
  }
  return status;
}

hn_status hn_exchange_update(hn_exchange *self, int *is_new, double *next) {
  hn_simulation *s = self->simulation;
  const size_t size = (size_t)self->count * sizeof(double);
  *is_new = 0;
  s->error.status = HN_OK;
  memcpy(self->x_before, self->x, size);
  const hn_status status = handle_all(self);
  if (status != HN_OK) return status;
  *is_new = memcmp(self->x_before, self->x, size) != 0;
  *next = hn_events_next_time(s);
  s->view.snapshot = s->method->now;
  s->view.branches = &s->branches;
  return HN_OK;
}

hn_status hn_exchange_show(hn_exchange *self, hn_simulation *other) {
  hn_simulation *s = self->simulation;
  hn_method *m = s->method;
  const hn_snapshot *seen = other->view.snapshot;
  hn_snapshot_complete(other->equations, other->view.branches, other->view.snapshot);
  s->equations->type->coordinates->from_frames(s->equations, seen->frames, m->q, m->qd);
  if (m->states > 0) memcpy(m->z, other->elements->flow->value, (size_t)m->states * sizeof(double));
  if (s->model->input_count > 0)
    memcpy(s->inputs, other->inputs, (size_t)s->model->input_count * sizeof *s->inputs);
  hn_status status = hn_simulation_set_state(s, seen->t, m->q, m->qd);
  if (status == HN_OK) status = hn_exchange_choose(self);
  if (status == HN_OK) hn_exchange_take(self);
  return status;
}

// ---- saved states -------------------------------------------------------------------------------

// The trial: time and states; turns of the simulation are then those of the present.
size_t hn_exchange_save_size(int count) { return (size_t)count + 3; }

void hn_exchange_save(hn_exchange *self, double *to) {
  hn_simulation *s = self->simulation;
  memcpy(s->branches.turns, self->turns, (size_t)s->elements->turn_count * sizeof(double));
  to[0] = self->t;
  to[1] = self->is_at_present;
  to[2] = self->has_to_choose;
  memcpy(to + 3, self->x, (size_t)self->count * sizeof(double));
  self->is_fresh = 0;
}

hn_status hn_exchange_restore(hn_exchange *self, const double *from) {
  hn_simulation *s = self->simulation;
  hn_status status = self->reduction ? hn_reduction_select_again(self->reduction) : HN_OK;
  if (status != HN_OK)
    return hn_fail(&s->error, status, NULL, NULL, "Use another state.",
                   "the saved state has no independent coordinates");
  if (self->reduction) hn_exchange_find(self);
  hn_exchange_take(self);
  self->t = from[0];
  self->is_at_present = from[1] != 0;
  self->has_to_choose = from[2] != 0;
  memcpy(self->x, from + 3, (size_t)self->count * sizeof(double));
  return HN_OK;
}
