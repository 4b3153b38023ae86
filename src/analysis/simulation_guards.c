// Conditions in functions that read signals, and rules of states that change at events. Such
// functions are not frozen within a step: each evaluation takes the branch that is valid at its
// state. But the attempted step is searched for the first moment at which an operation of a
// function takes another branch than at its start (limit, min, abs, a comparison), or a rule
// becomes true, and is repeated to end there. The formula restarts there. A condition that
// alternates endlessly, as that of a relay without hysteresis, is no longer watched.
//
// A rule is executed when the next step starts, with samples: see simulation_states.c.
#include "analysis/simulation_guards.h"

#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/step_looks.h"
#include "elements/sensor.h"
#include "holon/component.h"

enum { SAMPLES = HN_PATH_NODES - 1, BISECTIONS = 60, MOST_RAPID = 30, MAX_BOUNDS = 400 };
#define SHORTEST 1e-9 // of a step: a change and back that is shorter is not looked for
#define RAPID 1e-6    // s
#define NEAR 1e-6     // of a step

// A condition or rule of the model, or of a sealed component.
typedef struct watched {
  hn_step_law *along; // null: inside a sealed component
  int is_rule;
  int is_given; // by inputs alone, which a step keeps
  int code;
} watched;

struct hn_guards {
  hn_guard_list own;
  int count; // with those inside sealed components, which come last
  watched *list;
  int *rapid, *is_off;  // changes in a row; no longer watched (count)
  double *time;         // of the last change (count)
  int *codes;           // workspace (count)
  double settled_until; // no code has changed up to the end of this step
};

// ---- set-up -------------------------------------------------------------------------------------

int hn_guards_hidden_rules(const hn_model *model) {
  int count = 0;
  for (int p = 0; p < model->part_count; p++) {
    const hn_component_facts *facts = model->parts[p].facts;
    for (int k = 0; k < facts->condition_count; k++) count += facts->condition_is_rule[k];
  }
  return count;
}

static void declare(hn_arena *arena, hn_guards *g) {
  hn_state_owner(arena, "conditions", HN_STATE_MOTION);
  HN_STATE(arena, g->rapid, g->count, "changes in a row of condition");
  hn_state_within(arena, 0, MOST_RAPID);
  HN_STATE(arena, g->is_off, g->count, "release of condition");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, g->time, g->count, "last change of condition"); // -HUGE_VAL: none yet
}

hn_status hn_guards_create(hn_simulation *s) {
  const hn_model *model = s->elements->model;
  hn_guards *g = HN_KEEP(&s->arena, hn_guards, 1);
  if (!g || hn_guard_list_create(&s->arena, s->elements, &g->own) != HN_OK) return HN_ERROR_MEMORY;
  g->count = g->own.count;
  for (int p = 0; p < model->part_count; p++) g->count += model->parts[p].facts->condition_count;
  if (g->count == 0) return HN_OK;
  g->list = HN_KEEP(&s->arena, watched, g->count);
  g->rapid = HN_KEEP(&s->arena, int, g->count);
  g->is_off = HN_KEEP(&s->arena, int, g->count);
  g->time = HN_KEEP(&s->arena, double, g->count);
  g->codes = HN_KEEP(&s->arena, int, g->count);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < g->count; k++) g->time[k] = -HUGE_VAL;
  if (hn_step_looks_create(s) != HN_OK) return HN_ERROR_MEMORY;
  for (int k = 0; k < g->own.count; k++) {
    const hn_guard *own = &g->own.item[k];
    g->list[k].is_rule = own->is_rule;
    g->list[k].is_given =
        !own->is_rule && !own->is_rate && hn_law_reads_inputs_only(own->law, model->input_count);
    g->list[k].along = hn_step_law_add(s, own->law, (hn_function_kind)own->which, own->force);
    if (!g->list[k].along) return HN_ERROR_MEMORY;
  }
  int at = g->own.count;
  for (int p = 0; p < model->part_count; p++) {
    const hn_component_facts *facts = model->parts[p].facts;
    for (int k = 0; k < facts->condition_count; k++)
      g->list[at++].is_rule = facts->condition_is_rule[k];
  }
  g->settled_until = NAN;
  s->guards = g;
  declare(&s->arena, g);
  return s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// ---- codes --------------------------------------------------------------------------------------

// At frames whose signals are sensed, with the states that are given.
static const int *find_codes(const hn_simulation *s, const hn_frame *frames, double t) {
  const hn_guards *g = s->guards;
  const hn_hidden_elements *hidden = s->elements->hidden;
  const int is_stepped = s->stepping.mode == HN_RUN_TIME_STEPPING; // each evaluation takes them
  for (int k = 0; k < g->own.count; k++)
    if (is_stepped && g->list[k].is_given)
      g->codes[k] = g->list[k].code;
    else
      g->codes[k] = hn_guard_code(s->elements, &g->own.item[k], frames, s->branches.turns, t);
  if (hidden && g->count > g->own.count)
    hidden->conditions(hidden->context, t, frames, s->branches.turns, g->codes + g->own.count);
  return g->codes;
}

static int is_change(const hn_guards *g, int k, int code) {
  const watched *w = &g->list[k];
  return !g->is_off[k] && code != w->code && (!w->is_rule || code > 0);
}

// Selects the branches at the start of a step.
static hn_status guards_start(hn_simulation *s) {
  hn_guards *g = s->guards;
  const hn_method *m = s->method;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  const int *codes = find_codes(s, m->now->frames, m->t);
  for (int k = 0; k < g->count; k++) g->list[k].code = codes[k];
  hn_step_looks_note(s, 0);
  return HN_OK;
}

// 1: some changed.
static int has_changed(hn_simulation *s, double theta) {
  hn_method *m = s->method;
  const hn_frame *frames = m->next->frames;
  const double t = theta == 1 ? m->step_end : m->t + theta * m->step;
  if (theta != 1) {
    m->type->interpolate(m, theta, s->looking.q, s->looking.qd, NULL);
    const hn_coordinates *c = s->equations->type->coordinates;
    (c->motions ? c->motions : c->frames)(s->equations, s->looking.q, s->looking.qd,
                                          s->looking.frames);
    frames = s->looking.frames;
  } else if (m->states > 0) {
    hn_states_set(s->elements, m->next_z);
  }
  hn_elements_sense(s->elements, frames, s->branches.turns);
  const int *codes = find_codes(s, frames, t);
  for (int k = 0; k < s->guards->count; k++)
    if (is_change(s->guards, k, codes[k])) return 1;
  return 0;
}

// ---- between samples ----------------------------------------------------------------------------

// A rule along the attempted step. Functions with conditions are examined where their values change
// (simulation_functions.c): a change without effect is no event.
typedef struct followed {
  const hn_law *when;
  hn_path path[HN_LAW_VARIABLES];
  int bounds; // how many more may be evaluated
} followed;

static int holds_along(const followed *f, double theta) {
  double values[HN_LAW_VARIABLES];
  for (int k = 0; k < hn_law_variable_count(f->when); k++)
    values[k] = hn_path_at(&f->path[k], theta);
  return hn_law_value_of(f->when, values) > 0.5;
}

// 1: bounds allow it to hold between two fractions of the step.
static int may_hold(followed *f, double from, double to) {
  hn_bounds at[HN_LAW_VARIABLES];
  for (int k = 0; k < hn_law_variable_count(f->when); k++)
    at[k] = hn_path_bounds(&f->path[k], from, to);
  f->bounds--;
  return hn_law_bounds(f->when, at, NULL).value.high > 0.5;
}

// The first fraction found at which it is true; 2: not found.
static double find_along(followed *f, double from, double to) {
  if (f->bounds <= 0 || to - from < SHORTEST || !may_hold(f, from, to)) return 2;
  const double middle = 0.5 * (from + to);
  if (holds_along(f, middle)) return middle;
  const double first = find_along(f, from, middle);
  return first <= 1 ? first : find_along(f, middle, to);
}

// A rule that comes true between two samples and ends: the moment, seen on the dense output too.
static double find_hidden(hn_simulation *s) {
  const hn_guards *g = s->guards;
  const hn_method *m = s->method;
  double first = 2;
  for (int k = 0; k < g->own.count; k++) {
    const hn_guard *guard = &g->own.item[k];
    if (!guard->is_rule || g->is_off[k] || g->list[k].code > 0) continue;
    followed f = {.when = guard->law, .bounds = MAX_BOUNDS};
    f.path[0] = hn_path_line(m->t, m->step_end);
    hn_step_looks_paths(s, guard->law, &f.path[1]);
    const double theta = find_along(&f, 0, 1);
    if (theta < first && has_changed(s, theta)) first = theta;
  }
  return first;
}

// ---- steps --------------------------------------------------------------------------------------

// 1: by models of all laws none of them changes within the attempted step.
static int is_settled(hn_simulation *s) {
  const hn_guards *g = s->guards;
  if (g->count > g->own.count) return 0;
  hn_step_looks_make(s);
  for (int k = 0; k < g->count; k++)
    if (!g->is_off[k] && !hn_step_law_model(s, g->list[k].along)) return 0;
  return 1;
}

static double guards_changed_within(hn_simulation *s) {
  double low = 0, high = 2;
  if (s->stepping.mode != HN_RUN_CONTROLLED) return high;
  s->guards->settled_until = NAN;
  if (is_settled(s)) {
    s->guards->settled_until = s->method->step_end;
    return high;
  }
  for (int k = 1; k <= SAMPLES && high > 1; k++) {
    const double theta = (double)k / SAMPLES;
    if (has_changed(s, theta))
      high = theta;
    else
      low = theta;
    hn_step_looks_note(s, k);
  }
  if (high > 1) {
    high = find_hidden(s);
    if (high > 1) return high;
    low = floor(high * SAMPLES) / SAMPLES;
  }
  const double resolution = 1e-13 * (fabs(s->method->t) + s->method->step) / s->method->step;
  for (int k = 0; k < BISECTIONS && high - low > resolution; k++) {
    const double middle = 0.5 * (low + high);
    if (has_changed(s, middle))
      high = middle;
    else
      low = middle;
  }
  return high;
}

static int guards_changed_at_end(hn_simulation *s) { return has_changed(s, 1); }

static hn_status guards_locate(hn_simulation *s, double theta, double *error_norm) {
  const double whole = s->method->step;
  if (theta == 1) return HN_OK;
  s->control.after_rejection = 0; // that was the longer step
  hn_status status = hn_events_attempt(s, s->method->t + theta * whole, error_norm, NULL);
  // a change exactly at the start of the step: the end may not show what interpolation showed, nor
  // would the next step, which would start at the same time
  double h = s->method->step;
  while (status == HN_OK && h < NEAR * whole && !has_changed(s, 1)) {
    h *= 16;
    status = hn_events_attempt(s, s->method->t + h, error_norm, NULL);
  }
  return status;
}

int hn_guards_released(const hn_simulation *s, const hn_step_law *along) {
  const hn_guards *g = s->guards;
  for (int k = 0; g && k < g->own.count; k++)
    if (g->is_off[k] && g->list[k].along == along) return 1;
  return 0;
}

static void note_change(hn_simulation *s, int k, int code) {
  hn_guards *g = s->guards;
  const double t = s->method->t;
  g->rapid[k] = t - g->time[k] < RAPID * (1 + fabs(t)) ? g->rapid[k] + 1 : 0;
  g->time[k] = t;
  if (g->rapid[k] >= MOST_RAPID) g->is_off[k] = 1;
  hn_record_event(s, t, -1, g->list[k].code, code);
  g->list[k].code = code;
}

// Changes are counted, and the formula starts again.
static hn_status guards_apply(hn_simulation *s, int *changed) {
  hn_guards *g = s->guards;
  hn_method *m = s->method;
  if (s->stepping.mode == HN_RUN_REAL_TIME) return HN_OK;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  if (g->settled_until == m->t && !s->contacts && !s->switches) return HN_OK;
  const int *codes = find_codes(s, m->now->frames, m->t);
  for (int k = 0; k < g->count; k++) {
    if (!is_change(g, k, codes[k])) continue;
    note_change(s, k, codes[k]);
    *changed |= !g->list[k].is_rule && s->stepping.mode == HN_RUN_CONTROLLED;
  }
  return HN_OK;
}

static int guards_present(const hn_simulation *s) { return s->guards != NULL; }

const hn_event_source hn_guards_source = {.name = "conditions of functions",
                                          .is_present = guards_present,
                                          .start = guards_start,
                                          .changed_within = guards_changed_within,
                                          .changed_at_end = guards_changed_at_end,
                                          .locate = guards_locate,
                                          .apply = guards_apply};
