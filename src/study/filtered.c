// A mode of amplitude a (excited_modes.h) changes a signal by a (|dy/dq x| + w |dy/dqd x|). States are
// examined at the start and where modes may be excited: after events and at samples, when steps grow
// after short ones (a short load), and before an implicit formula takes over. From the first step longer
// than FILTERS / w the oscillation is lost: results follow its mean, whatever the tolerance. Lost
// oscillations of one frequency have no common phase: squares add up. Explicit formulas take no such
// steps.
#include "study/filtered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "integrate/formula.h"
#include "math/elementary.h"

#define FILTERS 4.0   // rad a step: no explicit formula is stable beyond 3.3
#define GROWING 0.5   // rad a step: growing ones may soon be longer
#define GROWN 2.0     // times the size of a step
#define OLD 20.0      // rad since an amplitude was found
#define LONGEST 0.1   // of the run: no step is longer
#define LOOK 1e-6     // m or rad, and per s: the state is displaced by this for differences
#define SAME 0.2      // relative difference of frequencies of one oscillation
#define REGROWN 4.0   // steps that shrank and grew by so much went through something short
#define SHARE 0.25    // of the evaluations of the run are for examining it ...
#define FREE_WORK 200 // ... beyond these

enum { MAX_SPEEDS = 2000 };

static void take_set(hn_arena *arena, int count, hn_filtered_set *set) {
  set->count = 0;
  for (int k = 0; k < HN_FILTERED_MODES; k++)
    set->mode[k] = (hn_filtered_mode){.amplitude = HN_TAKE(arena, double, count)};
}

hn_status hn_filtered_create(hn_arena *arena, const hn_simulation *s, const hn_compared *c,
                             double length, hn_filtered *f) {
  *f = (hn_filtered){.compared = c, .slowest = FILTERS / (LONGEST * length)};
  const int nq = s->equations->nq, nu = s->equations->nu, forces = s->model->force_count;
  if (nu > MAX_SPEEDS || forces == 0 || s->model->part_count > 0 || s->method->type->steps_over)
    return HN_OK;
  f->is_on = 1;
  hn_fast_excited_create(arena, nu, s->method->states, &f->excited);
  take_set(arena, c->count, &f->excited_last);
  take_set(arena, c->count, &f->lost);
  for (int k = 0; k < 3; k++) {
    f->values[k] = HN_TAKE(arena, double, c->count);
    f->forces[k] = HN_TAKE(arena, double, forces);
  }
  f->sum = HN_TAKE(arena, double, c->count);
  f->q = HN_TAKE(arena, double, nq);
  f->qd = HN_TAKE(arena, double, nq);
  f->moved = HN_TAKE(arena, double, nq);
  f->speeds = HN_TAKE(arena, double, nu);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_filtered_free(hn_filtered *f) {
  hn_simulation_free(f->probe);
  f->probe = NULL;
}

// ---- one state ----------------------------------------------------------------------------------

static void read_all(hn_filtered *f, hn_simulation *s, int k) {
  hn_simulation_signals(s, f->compared->signal, f->compared->count, f->values[k]);
  for (int i = 0; i < s->model->force_count; i++) {
    char name[192];
    snprintf(name, sizeof name, "force.%.150s.value", s->model->forces[i].name);
    if (hn_simulation_value(s, name, &f->forces[k][i]) != HN_OK) f->forces[k][i] = 0;
  }
}

// On the branches of the state: at an event, the displaced one may be beyond it.
static int move_to(hn_simulation *s, const double *q, const double *qd) {
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(s->method->q, q, size);
  memcpy(s->method->qd, qd, size);
  const hn_status status = s->method->type->begin(s->method, &s->branches, &s->error);
  s->view.snapshot = s->method->now;
  return status == HN_OK;
}

static int read_displaced(hn_filtered *f, hn_simulation *s, const double *x) {
  const hn_equations *e = s->equations;
  e->type->coordinates->rates(e, f->q, x, f->moved);
  for (int i = 0; i < e->nq; i++) f->moved[i] = f->q[i] + LOOK * f->moved[i];
  if (!move_to(s, f->moved, f->qd)) return 0;
  read_all(f, s, 1);
  e->type->coordinates->speeds(e, f->q, f->qd, f->speeds);
  for (int i = 0; i < e->nu; i++) f->speeds[i] += LOOK * x[i];
  e->type->coordinates->rates(e, f->q, f->speeds, f->moved);
  if (!move_to(s, f->q, f->moved)) return 0;
  read_all(f, s, 2);
  return 1;
}

static void measure_mode(hn_filtered *f, const hn_simulation *s, const hn_fast_mode *x,
                         hn_filtered_mode *m) {
  const hn_compared *c = f->compared;
  double most = 0;
  m->frequency = x->frequency;
  m->decay = x->damping * x->frequency;
  m->time = s->method->t;
  m->force = -1;
  for (int k = 0; k < c->count; k++) {
    const double by_place = hn_signal_gap(c->same[k], f->values[0][k], f->values[1][k]);
    const double by_speed = hn_signal_gap(c->same[k], f->values[0][k], f->values[2][k]);
    const double gap = x->size * (by_place + x->frequency * by_speed) / LOOK;
    m->amplitude[k] = isfinite(gap) ? gap : 0;
  }
  for (int k = 0; k < s->model->force_count; k++) {
    const double change = fabs(f->forces[0][k] - f->forces[1][k]) +
                          x->frequency * fabs(f->forces[0][k] - f->forces[2][k]);
    if (!(change > most)) continue;
    most = change;
    m->force = k;
  }
}

// The modes of the state, into a set. The state is left displaced; f->q and f->qd are as it was.
static void examine(hn_filtered *f, hn_simulation *s, hn_filtered_set *set) {
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  set->count = 0;
  memcpy(f->q, s->method->q, size);
  memcpy(f->qd, s->method->qd, size);
  hn_fast_excited_find(s, f->slowest, &f->excited);
  if (f->excited.count == 0) return;
  read_all(f, s, 0);
  for (int k = 0; k < f->excited.count; k++)
    if (read_displaced(f, s, f->excited.mode[k].x))
      measure_mode(f, s, &f->excited.mode[k], &set->mode[set->count++]);
}

// ---- what is in the state, and what steps have lost ---------------------------------------------

static double left_of(const hn_filtered_mode *m, double time) {
  return hn_exp(-m->decay * fmax(time - m->time, 0));
}

static int is_same(const hn_filtered_mode *a, const hn_filtered_mode *b) {
  return fabs(a->frequency - b->frequency) <= SAME * fmax(a->frequency, b->frequency);
}

static void copy_mode(const hn_filtered *f, hn_filtered_mode *to, const hn_filtered_mode *from) {
  double *amplitude = to->amplitude;
  memcpy(amplitude, from->amplitude, (size_t)f->compared->count * sizeof(double));
  *to = *from;
  to->amplitude = amplitude;
}

// The nearest of the same frequency, a new one, or the nearest at all; *is_new: it is a new one.
static hn_filtered_mode *place_for(hn_filtered_set *set, const hn_filtered_mode *m, int *is_new) {
  hn_filtered_mode *nearest = NULL;
  for (int k = 0; k < set->count; k++)
    if (!nearest ||
        fabs(set->mode[k].frequency - m->frequency) < fabs(nearest->frequency - m->frequency))
      nearest = &set->mode[k];
  *is_new = (!nearest || !is_same(nearest, m)) && set->count < HN_FILTERED_MODES;
  return *is_new ? &set->mode[set->count++] : nearest;
}

static void note_worst(hn_filtered *f, const hn_filtered_mode *m, double left) {
  double effect = 0;
  for (int k = 0; k < f->compared->count; k++) {
    const hn_promise p = f->compared->promise[k];
    if (!(f->compared->use[k] & HN_COMPARED_GRADED)) continue;
    effect = fmax(effect, left * m->amplitude[k] / (p.factor * p.floor));
  }
  if (m->force < 0 || !(effect > f->worst.effect)) return;
  f->worst.effect = effect;
  f->worst.frequency = m->frequency;
  f->worst.force = m->force;
}

static void lose(hn_filtered *f, const hn_filtered_mode *m, int is_damping) {
  int is_new;
  hn_filtered_mode *to = place_for(&f->lost, m, &is_new);
  if (is_new) {
    copy_mode(f, to, m);
  } else {
    const double old = left_of(to, m->time);
    for (int k = 0; k < f->compared->count; k++) {
      const double a = old * to->amplitude[k], b = m->amplitude[k];
      to->amplitude[k] = is_damping ? hn_hypot(a, b) : fmax(a, b);
    }
    to->time = fmax(to->time, m->time);
    to->decay = fmin(to->decay, m->decay);
  }
}

static void lose_beyond(hn_filtered *f, double step, int is_damping) {
  hn_filtered_set *set = &f->excited_last;
  int count = 0;
  for (int k = 0; k < set->count; k++) {
    hn_filtered_mode *m = &set->mode[k];
    if (m->frequency * step > FILTERS)
      lose(f, m, is_damping);
    else if (count++ < k)
      copy_mode(f, &set->mode[count - 1], m);
  }
  set->count = count;
}

// ---- along a run --------------------------------------------------------------------------------

hn_status hn_filtered_start(hn_filtered *f, hn_simulation *s) {
  if (!f->is_on || s->contacts || s->delays) return HN_OK;
  examine(f, s, &f->excited_last);
  return hn_simulation_set_state(s, s->method->t, f->q, f->qd);
}

static int is_explicit(const hn_simulation *s) {
  const hn_formula *row = s->method->formula ? hn_formula_find(s->method->formula) : NULL;
  return row && ((unsigned)row->kind & (HN_FORMULA_EXPLICIT | HN_FORMULA_MULTISTEP)) != 0;
}

static int keeps_oscillations(const hn_simulation *s) {
  const hn_formula *row = s->method->formula ? hn_formula_find(s->method->formula) : NULL;
  return row && row->kind == HN_FORMULA_TRAPEZOIDAL;
}

static int has_regrown(hn_filtered *f, double step) {
  if (step >= f->largest_step) f->largest_step = f->least_step = step;
  f->least_step = fmin(f->least_step, step);
  return REGROWN * f->least_step <= f->largest_step && step >= REGROWN * f->least_step;
}

// Of a state, or of an input that follows an output.
static int has_sample(const hn_simulation *s) {
  if (hn_simulation_is_followed_due(s)) return 1;
  return hn_simulation_sampled(s) > 0 && hn_simulation_next_sample(s) <= s->method->t;
}

// Longer steps may filter these modes soon, and their amplitudes are not of now: steps have grown, or
// time has passed.
static int has_approached(const hn_filtered *f, const hn_method *m) {
  for (int k = 0; k < f->excited_last.count; k++) {
    const hn_filtered_mode *mode = &f->excited_last.mode[k];
    const double turn = mode->frequency * m->step, passed = mode->frequency * (m->t - mode->time);
    if (turn > GROWING && m->step > GROWN * f->step) return 1;
    if (turn > 0.5 * FILTERS && passed > OLD) return 1;
  }
  return 0;
}

// After an event, modes from before it may not exist any more.
static int is_due(hn_filtered *f, const hn_simulation *s, int *is_short) {
  const int is_event = s->certificate.events != f->events;
  f->events = s->certificate.events;
  if (is_event) f->excited_last.count = 0;
  *is_short = has_regrown(f, s->method->step);
  if (s->automatic.choice.is_changing) return is_explicit(s);
  if (is_explicit(s)) return 0;
  return is_event || *is_short || has_sample(s) || has_approached(f, s->method);
}

static int may_examine(hn_filtered *f, const hn_simulation *first) {
  hn_error unused;
  if (!f->probe &&
      hn_simulation_create(first->model, &first->options, &f->probe, &unused) != HN_OK) {
    f->is_on = 0;
    return 0;
  }
  return (double)f->evaluations <= SHARE * (double)first->equations->evaluations + FREE_WORK;
}

// The state of the first run with its branches, which at an event are not known from the state.
static hn_status copy_state(hn_simulation *s, const hn_simulation *first) {
  const size_t branch = sizeof *s->branches.force, driver = sizeof *s->branches.driver;
  hn_status status = hn_simulation_copy_state(s, first, NULL);
  memcpy(s->branches.force, first->branches.force, (size_t)s->elements->force_branches * branch);
  memcpy(s->branches.driver, first->branches.driver, (size_t)s->elements->driver_branches * driver);
  if (status == HN_OK && has_sample(first)) status = hn_simulation_take_samples(s);
  if (status == HN_OK) status = s->method->type->begin(s->method, &s->branches, &s->error);
  s->view.snapshot = s->method->now;
  return status;
}

void hn_filtered_examine(hn_filtered *f, const hn_simulation *first) {
  if (!f->is_on) return;
  f->excited_last.count = 0; // not known where there is no time for it
  if (!may_examine(f, first)) {
    if (f->is_on && f->left_out++ == 0) f->left_out_from = first->method->t;
    return;
  }
  if (copy_state(f->probe, first) != HN_OK) return;
  f->step = first->method->step;
  examine(f, f->probe, &f->excited_last);
  f->evaluations += f->probe->equations->evaluations;
}

void hn_filtered_note_step(hn_filtered *f, const hn_simulation *first) {
  int is_short;
  if (!f->is_on) return;
  if (!is_explicit(first)) lose_beyond(f, first->method->step, !keeps_oscillations(first));
  if (!is_due(f, first, &is_short)) return;
  hn_filtered_examine(f, first);
  f->largest_step = f->least_step = is_short ? first->method->step : 0;
}

const double *hn_filtered_note_row(hn_filtered *f, double time) {
  const int count = f->compared->count;
  if (f->lost.count == 0) return NULL;
  memset(f->sum, 0, (size_t)count * sizeof(double));
  for (int i = 0; i < f->lost.count; i++) {
    const hn_filtered_mode *m = &f->lost.mode[i];
    const double left = left_of(m, time);
    note_worst(f, m, left);
    for (int k = 0; k < count; k++) f->sum[k] = hn_hypot(f->sum[k], left * m->amplitude[k]);
  }
  return f->sum;
}
