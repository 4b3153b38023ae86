// Delays of a run: a state y that is u(t - T), u a formula of signals.
//
// Steps are no longer than the shortest delay, so that y is known within them, as time is: laws read it
// from the history of u (math/past.h), whatever the formula, and no derivative goes through it. After
// a step its dense output gives u at the nodes of one more piece. Where u jumps or bends, at events and
// at the start, y does so T later: steps end there and formulas start afresh, until what is integrated
// has made it smooth (HN_PAST_SMOOTH).
//
// Equilibria and linearizations take the approximation by first-order states instead.
#include "analysis/simulation_delays.h"

#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/saved_state.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "holon/law.h"
#include "math/law.h"

enum { USUAL_ROOM = 16384, MOST_ROOM = 1 << 20, NODES = HN_PAST_NODES };
enum { PIECES = 4 }; // of the past in a step

typedef struct delay {
  int state;
  double rise; // u bends in a derivative this much higher than what it is made of
  double bend; // of u where the present step starts
  hn_past history;
} delay;

struct hn_delays {
  int count;
  double shortest;
  long events; // of the certificate, when they were checked last
  int part;    // of the state: histories are copied alone, too
  delay *list;
};

// ---- set-up -------------------------------------------------------------------------------------

// Number of steps that end within the delay, if known.
static double room_for(const hn_simulation *s, double time) {
  double steps = USUAL_ROOM;
  for (int k = 0; k < s->model->state_count; k++)
    if (s->model->states[k].every > 0) steps += 8 * time / s->model->states[k].every;
  for (int k = 0; k < s->model->input_count; k++)
    if (s->model->inputs[k].follows) steps += 8 * time / s->model->inputs[k].every;
  if (s->stepping.step > 0) steps += 2 * time / s->stepping.step;
  return steps;
}

// Positions follow from what bends by two integrations, speeds and states by one; an impact jumps.
static double rise_of(const hn_model *model, const hn_law *law) {
  double least = 2;
  const int jumps = model->contact_count > 0 || model->switch_count > 0;
  for (int k = 0; k < model->input_count; k++)
    if (hn_law_uses_input(law, k)) return 0;
  for (int k = 0; k < model->sensing.count; k++) {
    const hn_sensor_def *sensor = &model->sensing.item[k];
    if (!hn_law_uses_input(law, model->input_count + k) || sensor->kind == HN_SENSOR_TIME) continue;
    if (sensor->kind == HN_SENSOR_STATE) {
      const hn_state_def *state = &model->states[sensor->element];
      least = fmin(least, state->delay > 0 || state->every > 0 || !state->law ? 0 : 1);
    } else {
      least = fmin(least, (sensor->is_rate ? 1 : 2) - jumps);
    }
  }
  return least;
}

static hn_status create_one(hn_simulation *s, int k, delay *d) {
  const hn_state_def *def = &s->elements->model->states[k];
  const double room = room_for(s, def->delay);
  char name[96];
  hn_text(name, sizeof name, "state '%s'", def->name);
  if (!(room <= MOST_ROOM))
    return hn_fail(
        &s->error, HN_ERROR_LIMIT, &def->source, name,
        "use larger steps or sample times, or a shorter delay",
        "has a delay of %g s that spans about %.3g steps or samples; the history holds %d",
        def->delay, room, MOST_ROOM);
  if (s->stepping.mode == HN_RUN_REAL_TIME && s->stepping.step > def->delay)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, &def->source, name,
                   "use a smaller @step or a longer delay",
                   "has a delay of %g s, shorter than the real-time step of %g s", def->delay,
                   s->stepping.step);
  d->state = k;
  d->rise = rise_of(s->elements->model, def->delayed);
  return hn_past_create(&s->arena, def->delay, (int)room, s->tolerance.relative, &d->history);
}

static void declare_delays(hn_simulation *s, hn_delays *d) {
  hn_arena *arena = &s->arena;
  d->part = hn_state_open_part(arena);
  hn_state_owner(arena, "delays", HN_STATE_MOTION);
  HN_STATE(arena, &d->events, 1, "the events of delays");
  hn_state_within(arena, -1, 1e15);
  for (int k = 0; k < d->count; k++) {
    HN_STATE(arena, &d->list[k].bend, 1, "the bend of delay");
    hn_state_within(arena, 0, HN_PAST_SMOOTH + 1);
    hn_past_declare(arena, &d->list[k].history);
  }
  hn_state_close_part(arena);
}

hn_status hn_delays_create(hn_simulation *s) {
  hn_flow *flow = s->elements->flow;
  if (!flow || flow->delays == 0) return HN_OK;
  hn_delays *d = HN_KEEP(&s->arena, hn_delays, 1);
  delay *list = HN_KEEP(&s->arena, delay, flow->delays);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  d->list = list;
  d->shortest = HUGE_VAL;
  for (int k = 0; k < flow->laws; k++) {
    if (!(s->model->states[k].delay > 0)) continue;
    hn_status status = create_one(s, k, &list[d->count]);
    if (status != HN_OK) return status;
    flow->history[k] = &list[d->count++].history;
    d->shortest = fmin(d->shortest, s->model->states[k].delay);
  }
  declare_delays(s, d);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  s->delays = d;
  hn_states_be_late(s->elements, 1);
  return HN_OK;
}

// They have no part in runs.
static void clear_helpers(hn_simulation *s) {
  for (int k = 0; k < s->model->state_count; k++)
    if (s->model->states[k].helps > 0) s->method->z[k] = 0;
}

void hn_delays_start(hn_simulation *s) {
  hn_delays *d = s->delays;
  if (!d) return;
  for (int k = 0; k < d->count; k++) {
    hn_past_begin(&d->list[k].history, s->method->t, s->method->z[d->list[k].state]);
    d->list[k].bend = 0;
  }
  clear_helpers(s);
}

// Keeps the output: each rate is affine in the state after it.
static void rest(hn_simulation *s, const delay *d) {
  const hn_model *model = s->elements->model;
  double *z = s->method->z;
  for (int k = d->state + 1; k < model->state_count && model->states[k].helps == d->state + 1;
       k++) {
    double rate[2];
    for (int i = 0; i < 2; i++) {
      z[k] = i;
      hn_states_set(s->elements, z);
      rate[i] = hn_law_evaluate(model->states[k - 1].law, -1, s->method->t).value;
    }
    const double still = -rate[0] / (rate[1] - rate[0]);
    z[k] = isfinite(still) ? still : 0;
  }
  hn_states_set(s->elements, z);
}

void hn_delays_approximate(hn_simulation *s, int is_on) {
  hn_delays *d = s->delays;
  if (!d) return;
  hn_states_be_late(s->elements, !is_on);
  if (is_on) {
    s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd,
                                            s->looking.frames);
    hn_elements_sense(s->elements, s->looking.frames, s->branches.turns);
    for (int k = 0; k < d->count; k++) rest(s, &d->list[k]);
  } else {
    clear_helpers(s);
  }
  hn_states_set(s->elements, s->method->z);
}

// ---- steps --------------------------------------------------------------------------------------

static double delays_next_time(const hn_simulation *s) {
  const hn_delays *d = s->delays;
  double limit = s->method->t + d->shortest;
  for (int k = 0; k < d->count; k++) limit = fmin(limit, hn_past_next_bend(&d->list[k].history));
  return limit;
}

// A delayed signal may be as narrow as the steps were that made it.
static double delays_max_step(hn_simulation *s, double h, double t_limit) {
  (void)t_limit;
  const double t = s->method->t;
  for (int k = 0; k < s->delays->count; k++)
    h = fmin(h, hn_past_pieces_end(&s->delays->list[k].history, t, PIECES) - t);
  return h;
}

// Signals at a place in the attempted step.
static void sense(hn_simulation *s, double theta) {
  hn_method *m = s->method;
  const hn_frame *frames = m->next->frames;
  if (theta < 1) {
    m->type->interpolate(m, theta, s->looking.q, s->looking.qd, NULL);
    const hn_coordinates *c = s->equations->type->coordinates;
    (c->motions ? c->motions : c->frames)(s->equations, s->looking.q, s->looking.qd,
                                          s->looking.frames);
    frames = s->looking.frames;
  } else {
    hn_states_set(s->elements, m->next_z);
  }
  hn_elements_sense(s->elements, frames, s->branches.turns);
}

static hn_status fail(hn_simulation *s, const delay *d, double value) {
  const hn_state_def *def = &s->model->states[d->state];
  char name[96];
  hn_text(name, sizeof name, "state '%s'", def->name);
  if (!isfinite(value))
    return hn_fail(&s->error, HN_ERROR_NOT_FINITE, &def->source, name,
                   "check the formula for a division by zero or a value out of range",
                   "delays a value that is not finite (%g at t = %g s)", value, s->method->t);
  return hn_fail(&s->error, HN_ERROR_LIMIT, &def->source, name,
                 "give the conditions a hysteresis, or set a larger @max_step",
                 "has a delay of %g s; its history of %d steps and events is full at t = %g s",
                 def->delay, d->history.room, s->method->t);
}

// The attempted step will be taken: signals in it are kept.
static hn_status delays_take(hn_simulation *s) {
  hn_delays *d = s->delays;
  hn_method *m = s->method;
  const double *nodes = hn_past_nodes();
  double u[NODES];
  for (int k = 0; k < d->count; k++) {
    delay *one = &d->list[k];
    const hn_law *law = s->elements->model->states[one->state].delayed;
    for (int i = 0; i < NODES; i++) {
      sense(s, nodes[i]);
      const double t = i == NODES - 1 ? m->step_end : m->t + nodes[i] * m->step;
      u[i] = hn_law_evaluate(law, -1, t).value;
      if (!isfinite(u[i])) return fail(s, one, u[i]);
    }
    if (!hn_past_add(&one->history, m->t, m->step_end, one->bend, u)) return fail(s, one, 0);
  }
  return HN_OK;
}

static int delays_present(const hn_simulation *s) { return s->delays != NULL; }

const hn_event_source hn_delays_source = {.name = "delays",
                                          .is_present = delays_present,
                                          .next_time = delays_next_time,
                                          .max_step = delays_max_step,
                                          .has_features = 1,
                                          .take = delays_take};

static void set_values(hn_simulation *s) {
  for (int k = 0; k < s->delays->count; k++) {
    double d[4];
    hn_past_at(&s->delays->list[k].history, s->method->t, d);
    s->method->z[s->delays->list[k].state] = d[0];
  }
}

// Records a discontinuity in this derivative of u at the start of a step. At the first step it is a
// jump: the value before is arbitrary.
static void bend(hn_delays *d, double of) {
  for (int k = 0; k < d->count; k++) {
    delay *one = &d->list[k];
    one->bend = one->history.count > 0 ? fmin(of + one->rise, HN_PAST_SMOOTH + 1) : 0;
  }
}

void hn_delays_jump(hn_simulation *s) {
  hn_delays *d = s->delays;
  if (!d) return;
  if (d->list[0].history.from == s->method->t)
    bend(d, 0);
  else
    d->events = -1; // hn_delays_begin sees it
}

void hn_delays_begin(hn_simulation *s, int *any) {
  hn_delays *d = s->delays;
  if (!d) return;
  double passed = s->certificate.events != d->events ? 0 : HUGE_VAL;
  d->events = s->certificate.events;
  for (int k = 0; k < d->count; k++) {
    const double bends = hn_past_pass(&d->list[k].history, s->method->t);
    if (bends <= HN_PAST_SMOOTH) *any = 1;
    passed = fmin(passed, bends);
  }
  bend(d, passed);
  set_values(s);
  hn_states_set(s->elements, s->method->z);
}

// ---- the state ----------------------------------------------------------------------------------

int hn_delays_part(const hn_simulation *s) { return s->delays ? s->delays->part : -1; }

hn_status hn_delays_check(hn_simulation *s) {
  for (int k = 0; s->delays && k < s->delays->count; k++)
    if (!hn_past_is_possible(&s->delays->list[k].history))
      return hn_refuse_saved(s, "the history of delay", k);
  return HN_OK;
}
