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
#include "equations/levels.h"
#include "holon/component.h"
#include "holon/law.h"
#include "math/law.h"
#include "model/state.h"

enum { USUAL_ROOM = 16384, MOST_ROOM = 1 << 20, NODES = HN_PAST_NODES };
enum { PIECES = 4 }; // of the past in a step

typedef struct delay {
  int z;                      // its state, among those of the run
  int state;                  // among those of the model; -1: inside a sealed component
  const hn_sealed_part *part; // that; null: none
  double rise;                // u bends in a derivative this much higher than what it is made of
  double bend;                // of u where the present step starts
  hn_past history;
} delay;

struct hn_delays {
  int count;
  double shortest;
  long events;     // of the certificate, when they were checked last
  int part;        // of the state: histories are copied alone, too
  delay *list;     // of the model, then inside sealed components
  int own;         // of the model
  double *signals; // workspace: those that are delayed, at the nodes of a step (NODES * count)
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

static const char *name_of(const hn_simulation *s, const delay *d, char *name, size_t size) {
  return d->part ? hn_text(name, size, "component '%s'", d->part->name)
                 : hn_text(name, size, "state '%s'", s->model->states[d->state].name);
}

static const hn_source *source_of(const hn_simulation *s, const delay *d) {
  return d->part ? &d->part->source : &s->model->states[d->state].source;
}

static hn_status create_one(hn_simulation *s, double time, delay *d) {
  const double room = room_for(s, time);
  char name[96];
  name_of(s, d, name, sizeof name);
  if (!(room <= MOST_ROOM))
    return hn_fail(
        &s->error, HN_ERROR_LIMIT, source_of(s, d), name,
        "use larger steps or sample times, or a shorter delay",
        "has a delay of %g s that spans about %.3g steps or samples; the history holds %d", time,
        room, MOST_ROOM);
  if (s->stepping.mode == HN_RUN_REAL_TIME && s->stepping.step > time)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, source_of(s, d), name,
                   "use a smaller @step or a longer delay",
                   "has a delay of %g s, shorter than the real-time step of %g s", time,
                   s->stepping.step);
  return hn_past_create(&s->arena, time, (int)room, s->tolerance.relative, &d->history);
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

static int count_hidden(const hn_model *model) {
  int count = 0;
  for (int p = 0; p < model->part_count; p++) count += model->parts[p].facts->delay_count;
  return count;
}

// Those inside sealed components, in their order.
static hn_status create_hidden(hn_simulation *s, hn_delays *d, int jumps) {
  hn_flow *flow = s->elements->flow;
  int first = flow->count - flow->hidden;
  hn_status status = HN_OK;
  for (int p = 0; p < s->model->part_count; p++) {
    const hn_component_facts *facts = s->model->parts[p].facts;
    for (int k = 0; k < facts->delay_count && status == HN_OK; k++) {
      delay *one = &d->list[d->count];
      one->part = &s->model->parts[p];
      one->state = -1;
      one->z = first + facts->delay_state[k];
      one->rise = facts->delay_rise[2 * k + jumps];
      status = create_one(s, facts->delay_time[k], one);
      d->shortest = fmin(d->shortest, facts->delay_time[k]);
      flow->hidden_history[d->count++ - d->own] = &one->history;
    }
    first += facts->state_count;
  }
  return status;
}

hn_status hn_delays_create(hn_simulation *s) {
  hn_flow *flow = s->elements->flow;
  const int hidden = count_hidden(s->model);
  const int jumps = s->model->contact_count > 0 || s->model->switch_count > 0;
  if (!flow || flow->delays + hidden == 0) return HN_OK;
  hn_delays *d = HN_KEEP(&s->arena, hn_delays, 1);
  delay *list = HN_KEEP(&s->arena, delay, flow->delays + hidden);
  flow->hidden_history = HN_TAKE(&s->arena, hn_past *, hidden + 1);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  d->signals = HN_WORK(&s->arena, double, NODES *(flow->delays + hidden));
  d->list = list;
  d->shortest = HUGE_VAL;
  for (int k = 0; k < flow->laws; k++) {
    const hn_state_def *def = &s->elements->model->states[k];
    if (!(def->delay > 0)) continue;
    delay *one = &list[d->count];
    one->z = one->state = k;
    one->rise = hn_model_signal_rise(s->elements->model, def->delayed, jumps);
    hn_status status = create_one(s, def->delay, one);
    if (status != HN_OK) return status;
    flow->history[k] = &list[d->count++].history;
    d->shortest = fmin(d->shortest, def->delay);
  }
  d->own = d->count;
  hn_status status = create_hidden(s, d, jumps);
  if (status != HN_OK) return status;
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
    hn_past_begin(&d->list[k].history, s->method->t, s->method->z[d->list[k].z]);
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
    for (int k = 0; k < d->own; k++) rest(s, &d->list[k]);
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
static const hn_frame *sense(hn_simulation *s, double theta) {
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
  return frames;
}

static hn_status fail(hn_simulation *s, const delay *d, double value) {
  const hn_source *source = source_of(s, d);
  char name[96];
  name_of(s, d, name, sizeof name);
  if (!isfinite(value))
    return hn_fail(&s->error, HN_ERROR_NOT_FINITE, source, name,
                   "check the formula for a division by zero or a value out of range",
                   "delays a value that is not finite (%g at t = %g s)", value, s->method->t);
  return hn_fail(&s->error, HN_ERROR_LIMIT, source, name,
                 "give the conditions a hysteresis, or set a larger @max_step",
                 "has a delay of %g s; its history of %d steps and events is full at t = %g s",
                 d->history.delay, d->history.room, s->method->t);
}

// Those that are delayed, at a node of the attempted step.
static void find_signals(hn_simulation *s, int node, double *signals) {
  const hn_delays *d = s->delays;
  const hn_method *m = s->method;
  const double theta = hn_past_nodes()[node];
  const hn_frame *frames = sense(s, theta);
  const double t = node == NODES - 1 ? m->step_end : m->t + theta * m->step;
  for (int k = 0; k < d->own; k++) {
    const hn_law *law = s->elements->model->states[d->list[k].state].delayed;
    signals[k] = hn_law_evaluate(law, -1, t).value;
  }
  for (int k = d->own; k < d->count; k++) signals[k] = NAN;
  if (d->count > d->own)
    s->elements->hidden->delayed(s->elements->hidden->context, t, frames, s->branches.turns,
                                 &signals[d->own]);
}

// The attempted step will be taken: signals in it are kept.
static hn_status delays_take(hn_simulation *s) {
  hn_delays *d = s->delays;
  hn_method *m = s->method;
  for (int i = 0; i < NODES; i++) find_signals(s, i, &d->signals[i * d->count]);
  hn_status status = hn_nested_lost(s->equations, m->t, &s->error);
  if (status != HN_OK) return status;
  for (int k = 0; k < d->count; k++) {
    double u[NODES];
    for (int i = 0; i < NODES; i++) {
      u[i] = d->signals[i * d->count + k];
      if (!isfinite(u[i])) return fail(s, &d->list[k], u[i]);
    }
    if (!hn_past_add(&d->list[k].history, m->t, m->step_end, d->list[k].bend, u))
      return fail(s, &d->list[k], 0);
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
    s->method->z[s->delays->list[k].z] = d[0];
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
