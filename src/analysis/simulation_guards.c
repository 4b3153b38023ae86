// Conditions in laws that read signals, and rules of states that change at events.
//
// Such laws are not frozen within a step: each evaluation takes the branch that holds where it is
// made. But the attempted step is searched for the first moment at which an operation of a law takes
// another branch than at its begin (limit, min, abs, a comparison), or a rule comes true, and is made
// again to end there. From there on the formula starts afresh. A condition that goes to and fro
// without end, as a relay without hysteresis makes it, is not looked at any more.
//
// A rule is carried out when the next step begins, with samples: see simulation_states.c.
#include "analysis/simulation_guards.h"

#include <math.h>
#include <string.h>

#include "analysis/saved_state.h"
#include "elements/sensor.h"
#include "math/law.h"

enum { SAMPLES = 4, BISECTIONS = 60, MOST_RAPID = 30 };
#define RAPID 1e-6 // s
#define NEAR 1e-6  // of a step

typedef struct guard {
  const hn_law *law;
  int force; // whose measure the law reads; -1: it is a law of t
  int which; // of x, v, t, of all three
  int is_rule;
  int is_rate; // of a state, of t alone: its pieces count too, which those of forces do elsewhere
  int code, rapid, is_off;
  double time; // of its last change
} guard;

struct hn_guards {
  int count;
  guard *list;
};

// ---- set-up -------------------------------------------------------------------------------------

static void add(hn_guards *g, guard made) {
  if (!made.law || (!made.is_rule && hn_law_guards(made.law) == 0 &&
                    !(made.is_rate && hn_law_pieces(made.law) > 1)))
    return;
  made.time = -HUGE_VAL;
  if (g->list) g->list[g->count] = made;
  g->count++;
}

static void collect(const hn_model *model, hn_guards *g) {
  g->count = 0;
  for (int f = 0; f < model->force_count; f++) {
    const hn_force_def *def = &model->forces[f];
    const hn_law *of[] = {def->of_x, def->of_v, def->of_t, def->of_xvt};
    for (int k = 0; k < 4; k++) add(g, (guard){.law = of[k], .force = f, .which = k});
    for (int k = 0; k < 3; k++)
      add(g, (guard){.law = def->component_law[k], .force = -1, .which = 2});
  }
  for (int k = 0; k < model->state_count; k++) {
    const hn_state_def *def = &model->states[k];
    if (!(def->every > 0) && def->helps == 0)
      add(g, (guard){.law = def->delay > 0 ? def->delayed : def->law,
                     .force = -1,
                     .which = 2,
                     .is_rate = 1});
  }
  for (int k = 0; k < model->rules.count; k++)
    add(g, (guard){.law = model->rules.item[k].when, .force = -1, .which = 2, .is_rule = 1});
}

hn_status hn_guards_create(hn_simulation *s) {
  hn_guards found = {0};
  collect(s->elements->model, &found);
  if (found.count == 0) return HN_OK;
  hn_guards *g = HN_TAKE(&s->arena, hn_guards, 1);
  guard *list = HN_TAKE(&s->arena, guard, found.count);
  if (s->arena.failed) return HN_ERROR_MEMORY;
  g->list = list;
  collect(s->elements->model, g);
  s->guards = g;
  return HN_OK;
}

// ---- codes --------------------------------------------------------------------------------------

int hn_rule_holds(const hn_law *when, double t) { return hn_law_evaluate(when, -1, t).value > 0.5; }

// At frames whose signals are sensed.
static int code_of(const hn_simulation *s, const guard *g, const hn_frame *frames, double t) {
  const hn_elements *e = s->elements;
  if (g->is_rule) return hn_rule_holds(g->law, t);
  double x = 0, v = 0;
  if (g->force >= 0 && g->which != 2) {
    const int joint = e->force_coordinate[g->force];
    hn_measure_rate(&e->measures[joint >= 0 ? joint : e->force_measure[g->force]], frames,
                    s->branches.turns, &x, &v);
    if (s->model->forces[g->force].type == HN_FORCE_LEAF_SPRING)
      x -= s->model->forces[g->force].offset;
  }
  const double of[4][3] = {{x}, {v}, {t}, {x, v, t}};
  const int code = hn_law_guard(g->law, of[g->which], t);
  const int has_pieces = g->is_rate && hn_law_input_count(g->law) == 0;
  return has_pieces ? (int)(4096u * (unsigned)hn_law_piece(g->law, t) + (unsigned)code) : code;
}

static int is_change(const guard *g, int code) {
  return !g->is_off && code != g->code && (!g->is_rule || code > 0);
}

void hn_guards_begin(hn_simulation *s) {
  hn_guards *g = s->guards;
  const hn_method *m = s->method;
  if (!g) return;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  for (int k = 0; k < g->count; k++)
    g->list[k].code = code_of(s, &g->list[k], m->now->frames, m->t);
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
  for (int k = 0; k < s->guards->count; k++)
    if (is_change(&s->guards->list[k], code_of(s, &s->guards->list[k], frames, t))) return 1;
  return 0;
}

// ---- steps --------------------------------------------------------------------------------------

// The fraction of the attempted step at which the first of them changes; above 1: none does.
static double locate(hn_simulation *s) {
  double low = 0, high = 2;
  for (int k = 1; k <= SAMPLES && high > 1; k++) {
    const double theta = (double)k / SAMPLES;
    if (has_changed(s, theta))
      high = theta;
    else
      low = theta;
  }
  if (high > 1) return high;
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

// To `end`, or shorter where the error is too large there: the next step finds the change again.
static hn_status attempt_until(hn_simulation *s, double end, double *error_norm) {
  for (;;) {
    hn_status status = s->method->type->attempt(s->method, end, &s->branches, &s->tolerance,
                                                error_norm, &s->error);
    if (status < 0 || (status == HN_OK && !(*error_norm > 1))) return status;
    s->certificate.steps_rejected++;
    const double h = 0.25 * (end - s->method->t);
    if (h <= 1e-14 * (fabs(s->method->t) + 1e-3)) return hn_cannot_go_on(s, h, status);
    end = s->method->t + h;
  }
}

hn_status hn_guards_stop(hn_simulation *s, double *error_norm, int *found) {
  *found = 0;
  if (!s->guards || s->options.step > 0 || s->options.realtime) return HN_OK;
  const double theta = locate(s), whole = s->method->step;
  if (theta > 1) return HN_OK;
  *found = 1;
  if (theta == 1) return HN_OK;
  s->control.after_rejection = 0; // that was the longer step
  hn_status status = attempt_until(s, s->method->t + theta * whole, error_norm);
  // a change right where the step begins: what interpolation saw the end may not, and nor would the
  // next step, which would begin where this one did
  double h = s->method->step;
  while (status == HN_OK && h < NEAR * whole && !has_changed(s, 1)) {
    h *= 16;
    status = attempt_until(s, s->method->t + h, error_norm);
  }
  return status;
}

static void note_change(hn_simulation *s, guard *g, int code) {
  const double t = s->method->t;
  g->rapid = t - g->time < RAPID * (1 + fabs(t)) ? g->rapid + 1 : 0;
  g->time = t;
  if (g->rapid >= MOST_RAPID) g->is_off = 1;
  hn_record_event(s, t, -1, g->code, code);
}

hn_status hn_guards_next(hn_simulation *s) {
  hn_guards *g = s->guards;
  hn_method *m = s->method;
  int any = 0;
  if (!g || s->options.realtime) return HN_OK;
  if (m->states > 0) hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, m->now->frames, s->branches.turns);
  for (int k = 0; k < g->count; k++) {
    const int code = code_of(s, &g->list[k], m->now->frames, m->t);
    if (!is_change(&g->list[k], code)) continue;
    note_change(s, &g->list[k], code);
    any |= !g->list[k].is_rule;
  }
  if (!any || s->options.step > 0) return HN_OK;
  hn_status status = m->type->begin(m, &s->branches, &s->error);
  return status > 0 ? hn_cannot_go_on(s, 0, status) : status;
}

// ---- saved states -------------------------------------------------------------------------------

typedef struct saved_guard {
  double time;
  int rapid, is_off;
} saved_guard;

size_t hn_guards_save_size(const hn_simulation *s) {
  return s->guards ? (size_t)s->guards->count * sizeof(saved_guard) : 0;
}

unsigned char *hn_guards_save(const hn_simulation *s, unsigned char *at) {
  for (int k = 0; s->guards && k < s->guards->count; k++, at += sizeof(saved_guard)) {
    const guard *g = &s->guards->list[k];
    const saved_guard saved = {g->time, g->rapid, g->is_off};
    memcpy(at, &saved, sizeof saved);
  }
  return at;
}

hn_status hn_guards_restore(hn_simulation *s, const unsigned char **at) {
  for (int k = 0; s->guards && k < s->guards->count; k++, *at += sizeof(saved_guard)) {
    guard *g = &s->guards->list[k];
    saved_guard saved;
    memcpy(&saved, *at, sizeof saved);
    if (!hn_is_saved_streak(saved.rapid, saved.time, MOST_RAPID) || saved.is_off < 0 ||
        saved.is_off > 1)
      return hn_refuse_saved(s, "condition", k);
    g->time = saved.time;
    g->rapid = saved.rapid;
    g->is_off = saved.is_off;
  }
  return HN_OK;
}
