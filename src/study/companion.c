// The second run: the same model with a quarter of the tolerance, or half the fixed step, stepped
// in parallel and compared with the first at every row. Twice the difference is the estimated
// error: when errors are proportional to the tolerance, three quarters of the first run's error are
// the difference; of a fixed step of order p, 1 - 2^-p. If something else than the tolerance limits
// the steps of the first run (samples, published times, limits), a bound keeps those of the second
// as much shorter. Where the estimate comes near the limit of the grade, errors need not be
// proportional: a third, much finer run then takes part (study/confirm.h).
//
// The first run never waits for, reads or is changed by anything here.
#include "study/companion.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/error.h"
#include "math/elementary.h"
#include "study/compared.h"
#include "study/confirm.h"
#include "study/filtered.h"
#include "study/grazes.h"
#include "study/history.h"
#include "study/refined.h"
#include "study/twin.h"

#define TIGHTER 0.25 // of the tolerance
#define LEAST_TOLERANCE                                                                            \
  1e-13                   // below it the second run is looser: rounding would be all it measures
#define BAR 2.0           // times the difference
#define SLOWER 8.0        // work of the second run against the first, and then it is given up
#define NEAR 0.125        // of the limit of the grade: from here on a third run takes part ...
#define CLEAR 4.0         // limits: ... up to here
#define CONFIRMED 1.5     // times the difference from the third run, at most ...
#define PROPORTIONAL 1.05 // ... and at least
#define TENTH 0.1         // of the run: the bar of the final values
#define MOST_VALUES 2e6   // signals times rows that are compared
#define LEAST_ROWS 20     // ... but no fewer rows
#define MOST_BARS 64      // signals with bars over time
#define OF_PROMISE 0.01   // errors below it need not be resolved by the range of an output

// Which of the other runs the error of a signal comes from.
typedef struct hn_row_use {
  int second, third;
} hn_row_use;

struct hn_companion {
  const hn_allocator *allocator;
  hn_arena arena;
  hn_simulation *first;
  hn_refined second;
  hn_confirm third;
  hn_twin_run twin; // of runs with time-stepped contacts
  double start, end;
  long rows;   // of the grid
  long stride; // every how many of them both are compared
  char how[160];

  hn_compared compared;
  double *a, *b;                       // values of both (count)
  double *worst, *at, *late, *largest; // differences, when, in the last tenth; values (count)
  double *least_value, *most_value;    // between which the signal goes (count)
  double *gap, *turn; // estimated errors in the last row, of orientations the angle (count)
  double *origin;     // Euler parameters of the first row (count)
  double *angle,
      *largest_angle;      // between orientations: worst of the run; from the first row (count)
  hn_history motion, bars; // of time
  double *bar;             // a row of bars
  long events_seen;        // of both runs, compared ...
  int events_alike;        // ... and the same so far
  double event_time;       // the largest error of their times
  int has_row, is_split;   // values of both that wait; one run is past an event
  double row_time, row_longest;
  int skips_second, skips_third; // the row lies between events of the first run and another
  const double *third_values;    // of the row; null: the third run takes no part
  hn_filtered filtered;
  hn_grazes grazes;
  double longest;        // step of the first run since the last row
  double confirmed_from; // s: from this row on the third run takes part; HUGE_VAL: never
  double reached;        // last row compared
  double until;          // the motion is known up to here
};

// ---- creation -----------------------------------------------------------------------------------

// Why a run has no second one; null: it has.
static const char *reason_against(const hn_simulation *s, const hn_run_plan *plan) {
  if (plan->accuracy == HN_ACCURACY_OFF) return "not requested (option accuracy: on)";
  if (plan->pulls) return "not available for a run with pulls";
  if (plan->goes_on) return "not available for a resumed run";
  if (s->stepping.mode == HN_RUN_REAL_TIME) return "not available in real time";
  return NULL;
}

// The tolerance or step of the second run, of that of the first.
static double second_factor(const hn_simulation *s, char *how, size_t size) {
  const double tolerance = fmin(s->options.atol, s->options.rtol);
  const double step = hn_simulation_fixed_step(s);
  if (step > 0) {
    hn_text(how, size, "refined run with half the step, %.3g s", 0.5 * step);
    return 0.5;
  }
  const double factor = tolerance * TIGHTER < LEAST_TOLERANCE ? 1 / TIGHTER : TIGHTER;
  hn_text(how, size, "refined run with tolerance %.3g",
          factor * fmax(s->options.atol, s->options.rtol));
  return factor;
}

static hn_status take_room(hn_companion *c, const hn_run_plan *plan) {
  hn_status status = hn_compared_choose(&c->arena, c->first, plan, &c->compared);
  if (status != HN_OK) return status;
  int n = c->compared.count,
      bars = c->compared.outputs < MOST_BARS ? c->compared.outputs : MOST_BARS;
  c->a = HN_TAKE(&c->arena, double, n);
  c->b = HN_TAKE(&c->arena, double, n);
  c->worst = HN_TAKE(&c->arena, double, n);
  c->at = HN_TAKE(&c->arena, double, n);
  c->late = HN_TAKE(&c->arena, double, n);
  c->largest = HN_TAKE(&c->arena, double, n);
  c->least_value = HN_TAKE(&c->arena, double, n);
  c->most_value = HN_TAKE(&c->arena, double, n);
  c->gap = HN_TAKE(&c->arena, double, n);
  c->turn = HN_TAKE(&c->arena, double, n);
  c->origin = HN_TAKE(&c->arena, double, n);
  c->angle = HN_TAKE(&c->arena, double, n);
  c->largest_angle = HN_TAKE(&c->arena, double, n);
  c->bar = HN_TAKE(&c->arena, double, bars);
  c->second.reader.next = HN_TAKE(&c->arena, int, plan->table_count + 1);
  status = hn_history_create(&c->arena, 1, &c->motion);
  return status == HN_OK ? hn_history_create(&c->arena, bars, &c->bars) : status;
}

// Reading a signal costs about as much as an evaluation per body.
static void choose_rows(hn_companion *c, const hn_grid *grid) {
  double all = (double)grid->count * c->compared.count;
  long fewest = grid->count / LEAST_ROWS;
  c->rows = grid->count;
  c->stride = (long)fmax(1, fmin(ceil(all / MOST_VALUES), (double)fewest));
}

static hn_status create_runs(hn_companion *c, const hn_run_plan *plan, hn_error *error) {
  c->second.reader.plan = plan;
  c->second.reader.has_resumed = plan->is_resumed;
  c->second.factor = second_factor(c->first, c->how, sizeof c->how);
  c->second.most = SLOWER;
  c->second.end = c->end;
  c->second.budget = plan->accuracy == HN_ACCURACY_ON ? HUGE_VAL : HN_ACCURACY_WORK;
  hn_status status = hn_refined_create(&c->second, c->first, c->first, c->first->inputs, error);
  if (status == HN_OK)
    status = hn_confirm_create(&c->arena, c->first, c->second.simulation, plan, c->compared.count,
                               c->end, &c->third, error);
  c->third.run.budget = c->second.budget;
  return status;
}

static hn_companion *create(hn_runner *r, hn_error *error) {
  hn_companion *c = hn_allocate(r->allocator, sizeof *c);
  if (!c) return NULL;
  memset(c, 0, sizeof *c);
  hn_arena_init(&c->arena, r->allocator);
  c->allocator = r->allocator;
  c->first = r->simulation;
  c->start = c->reached = r->start;
  c->end = c->until = r->grid.end;
  c->confirmed_from = HUGE_VAL;
  c->events_alike = 1;
  hn_status status = take_room(c, &r->plan);
  if (status == HN_OK) status = create_runs(c, &r->plan, error);
  if (status == HN_OK)
    status = hn_filtered_create(&c->arena, c->first, &c->compared, c->end - c->start, &c->filtered);
  if (status == HN_OK) status = hn_filtered_start(&c->filtered, c->second.simulation);
  if (status == HN_OK) status = hn_grazes_create(&c->arena, c->first, &c->grazes);
  if (status == HN_OK)
    status = hn_twin_begin(&c->arena, c->first, &r->plan, c->compared.count, &c->twin, error);
  choose_rows(c, &r->grid);
  if (status == HN_OK) return c;
  if (!error->message[0]) // some only say which kind
    (void)hn_fail(error, status, NULL, NULL, NULL, "%s", hn_status_text(status));
  hn_companion_free(c);
  return NULL;
}

int hn_companion_wants(const hn_companion *c, long k) {
  return k % c->stride == 0 || k >= c->rows - 1;
}

void hn_companion_free(hn_companion *c) {
  if (!c) return;
  hn_refined_free(&c->second);
  hn_refined_free(&c->third.run);
  hn_simulation_free(c->twin.simulation);
  hn_filtered_free(&c->filtered);
  hn_arena_release(&c->arena);
  hn_release(c->allocator, c);
}

// ---- one block of the simulation ----------------------------------------------------------------

static hn_accuracy *new_accuracy(hn_simulation *s, int signals, int rows, int bars) {
  size_t numbers = (size_t)rows * ((size_t)bars + 1);
  hn_accuracy *a =
      hn_allocate(s->options.allocator, sizeof *a + numbers * sizeof(double) +
                                            (size_t)signals * sizeof(hn_accuracy_signal));
  if (!a) return NULL; // what was known stays
  hn_release(s->options.allocator, s->accuracy);
  s->accuracy = a;
  memset(a, 0, sizeof *a);
  a->signals = (hn_accuracy_signal *)(a + 1);
  a->bar_time = (const double *)(a->signals + signals);
  a->bars = a->bar_time + rows;
  a->signal_count = signals;
  a->bar_count = rows;
  a->bar_signals = bars;
  const int is_fixed = s->stepping.mode != HN_RUN_CONTROLLED;
  a->tolerance = is_fixed ? 0 : fmax(s->options.atol, s->options.rtol);
  a->promise = is_fixed ? HN_ACCURACY_PROMISE_STEP
               : s->has_default_tolerance
                   ? HN_ACCURACY_PROMISE_DEFAULT
                   : fmin(HN_ACCURACY_PROMISE * a->tolerance, HN_ACCURACY_PROMISE_STEP);
  return a;
}

hn_status hn_companion_begin(hn_runner *r, hn_error *said) {
  hn_simulation *s = r->simulation;
  hn_accuracy *a = new_accuracy(s, 0, 0, 0);
  if (!a)
    return hn_fail(said, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for the error estimates");
  const char *against = reason_against(s, &r->plan);
  hn_error error = {0};
  if (!against) r->compare = create(r, &error);
  a->has_failed = !against && !r->compare;
  if (against)
    hn_text(a->how, sizeof a->how, "%s", against);
  else if (!r->compare)
    hn_text(a->how, sizeof a->how, "the refined run cannot be created: %.200s",
            error.message[0] ? error.message : "out of memory");
  return HN_OK;
}

// ---- in parallel with the first run -------------------------------------------------------------

void hn_companion_saw_step(hn_companion *c) {
  c->longest = fmax(c->longest, c->first->method->step);
  hn_first_steps_note(&c->second.steps, c->first);
  hn_confirm_note_step(&c->third, c->first);
  hn_grazes_note_step(&c->grazes, c->first);
  hn_filtered_note_step(&c->filtered, c->first);
}

// How far apart the same events of both runs are, in their order; from the first that differs on, there
// are no same ones.
static void compare_events(hn_companion *c) {
  long all = c->first->certificate.events < c->second.simulation->certificate.events
                 ? c->first->certificate.events
                 : c->second.simulation->certificate.events;
  for (; c->events_alike && c->events_seen < all; c->events_seen++) {
    const hn_event *a = &c->first->events[c->events_seen % HN_EVENT_HISTORY],
                   *b = &c->second.simulation->events[c->events_seen % HN_EVENT_HISTORY];
    c->events_alike = a->force == b->force && a->contact == b->contact && a->to == b->to &&
                      a->from == b->from && a->switched == b->switched;
    if (c->events_alike) c->event_time = fmax(c->event_time, BAR * fabs(a->time - b->time));
  }
}

static double size_of(const hn_companion *c, int k) { return 1 + c->largest[k]; }

static double gap_or_infinity(double gap) { return isnan(gap) ? HUGE_VAL : gap; }

// The error of a signal by the differences of the first run from the second and the third, and of these
// two. If the second run has r times the error of the first, the third has r^3 of it, as its tolerance
// is smaller by 4^3; twice that is assumed. Without the second, r is unknown.
static double error_of(const hn_row_use *use, double second, double third, double both) {
  if (!use->third) return use->second ? BAR * gap_or_infinity(second) : 0;
  const double of_third = gap_or_infinity(third);
  if (!use->second) return CONFIRMED * of_third;
  if (!(both < of_third)) return CONFIRMED * fmax(of_third, 0.5 * gap_or_infinity(second));
  const double r = both / of_third;
  return fmax(PROPORTIONAL, 1 / fmax(1 - 2 * r * r * r, 1 / CONFIRMED)) * of_third;
}

static int is_rotation(const hn_companion *c, int k) {
  return (c->compared.use[k] & HN_COMPARED_ROTATION) != 0;
}

// Which runs a signal is compared with in this row: one that jumps, only between events.
static hn_row_use use_of(const hn_companion *c, int k) {
  const int is_smooth = (c->compared.use[k] & HN_COMPARED_SMOOTH) != 0;
  return (hn_row_use){.second = is_smooth || !c->skips_second,
                      .third = c->third_values && (is_smooth || !c->skips_third)};
}

static void estimate_rotation(hn_companion *c, int k, const double *third) {
  const hn_row_use use = {.second = 1, .third = third != NULL};
  double gaps[3][4] = {{0}}, angle[3] = {0};
  hn_quaternion_gaps(&c->a[k], &c->b[k], gaps[0], &angle[0]);
  if (third) hn_quaternion_gaps(&c->a[k], &third[k], gaps[1], &angle[1]);
  if (third) hn_quaternion_gaps(&c->b[k], &third[k], gaps[2], &angle[2]);
  c->turn[k] = error_of(&use, angle[0], angle[1], angle[2]);
  for (int i = 0; i < 4; i++) c->gap[k + i] = error_of(&use, gaps[0][i], gaps[1][i], gaps[2][i]);
}

static void estimate_value(hn_companion *c, int k, const double *third) {
  const hn_row_use use = use_of(c, k);
  const hn_signal_same same = c->compared.same[k];
  const double second = hn_signal_gap(same, c->a[k], c->b[k]);
  c->gap[k] = use.third ? error_of(&use, second, hn_signal_gap(same, c->a[k], third[k]),
                                   hn_signal_gap(same, c->b[k], third[k]))
                        : error_of(&use, second, 0, 0);
}

// Errors of the row; 0 if the value is not a number in all runs.
static void estimate_row(hn_companion *c) {
  for (int k = 0; k < c->compared.count; k++) {
    if (!is_rotation(c, k)) {
      estimate_value(c, k, c->third_values);
      continue;
    }
    estimate_rotation(c, k, c->third_values);
    k += 3;
  }
}

static void note_error(hn_companion *c, int k, double time) {
  const double d = c->gap[k];
  if (is_rotation(c, k)) c->angle[k] = fmax(c->angle[k], c->turn[k]);
  if (d > c->worst[k]) {
    c->worst[k] = d;
    c->at[k] = time;
  }
  if (time >= c->end - TENTH * (c->end - c->start)) c->late[k] = fmax(c->late[k], d);
}

// Both runs lack oscillations that steps filter: the estimate covers their amplitude.
static void note_filtered(hn_companion *c, double time) {
  const int is_late = time >= c->end - TENTH * (c->end - c->start);
  const double *amplitude = hn_filtered_note_row(&c->filtered, time);
  for (int k = 0; amplitude && k < c->compared.count; k++) {
    const double bar = BAR * amplitude[k];
    if (bar > c->worst[k]) c->at[k] = time;
    c->worst[k] = fmax(c->worst[k], bar);
    if (is_late) c->late[k] = fmax(c->late[k], bar);
  }
}

// Allowed error of a signal with a promise of 1.
static double allowance(const hn_companion *c, int k) {
  const hn_promise p = c->compared.promise[k];
  return p.factor * (p.floor + (is_rotation(c, k) ? c->largest_angle[k] : c->largest[k]));
}

// Whether a signal counts in the grade. For time-stepped contacts, the time of an impact is known
// to a step only, and two runs differ by a whole jump in between: positions are graded then.
static int is_graded(const hn_companion *c, int k) {
  const int use = c->compared.use[k];
  if (!(use & HN_COMPARED_GRADED)) return 0;
  if (!c->first->method->type->steps_over) return 1;
  return (use & HN_COMPARED_MOTION) && !(use & HN_COMPARED_RATE);
}

static double motion_of_row(const hn_companion *c) {
  double most = 0;
  for (int k = 0; k < c->compared.count; k++)
    if (is_graded(c, k))
      most = fmax(most, (is_rotation(c, k) ? c->turn[k] : c->gap[k]) / allowance(c, k));
  return most;
}

static int is_at_event(const hn_companion *c, const hn_simulation *other) {
  return hn_refined_is_at_event(c->first, c->row_time) ||
         hn_refined_is_at_event(other, c->row_time);
}

// Near the limit of the grade two runs do not suffice; far beyond it, they do again.
static double confirm(hn_companion *c, double motion) {
  const double promise = c->first->accuracy->promise;
  const int is_near = motion > NEAR * promise || c->confirmed_from < HUGE_VAL;
  if (!is_near || motion > CLEAR * promise) return motion;
  c->third_values = hn_confirm_look(&c->third, c->first, &c->compared, c->row_time, c->row_longest);
  if (!c->third_values) return motion;
  c->confirmed_from = fmin(c->confirmed_from, c->row_time);
  c->skips_third = c->third.is_split || is_at_event(c, c->third.run.simulation);
  estimate_row(c);
  return motion_of_row(c);
}

static void note_range(hn_companion *c, int k) {
  const int is_first = c->motion.count == 0;
  if (fabs(c->a[k]) > c->largest[k]) c->largest[k] = fabs(c->a[k]);
  c->least_value[k] = is_first ? c->a[k] : fmin(c->least_value[k], c->a[k]);
  c->most_value[k] = is_first ? c->a[k] : fmax(c->most_value[k], c->a[k]);
  if (is_first) c->origin[k] = c->a[k];
}

static void note_angles(hn_companion *c) {
  double unused[4], angle;
  for (int k = 0; k < c->compared.count; k++) {
    if (!is_rotation(c, k)) continue;
    hn_quaternion_gaps(&c->a[k], &c->origin[k], unused, &angle);
    c->largest_angle[k] = fmax(c->largest_angle[k], angle);
  }
}

// Evaluates the last row, after the next one: an event at its very time is known only then.
static void settle_row(hn_companion *c) {
  if (!c->has_row) return;
  const double time = c->row_time;
  c->has_row = 0;
  c->third_values = NULL;
  c->skips_second = c->is_split || is_at_event(c, c->second.simulation);
  for (int k = 0; k < c->compared.count; k++) note_range(c, k);
  note_angles(c);
  estimate_row(c);
  const double motion = confirm(c, motion_of_row(c));
  for (int k = 0; k < c->compared.count; k++) note_error(c, k, time);
  if (motion > HN_ACCURACY_DIGITS && c->until > c->reached) c->until = c->reached;
  hn_history_add(&c->motion, time, &motion);
  for (int k = 0; k < c->bars.width; k++) c->bar[k] = c->worst[k];
  hn_history_add(&c->bars, time, c->bar);
  c->reached = time;
}

void hn_companion_compare(hn_companion *c, double time) {
  if (c->second.has_ended || time < c->start) return;
  if (!hn_refined_advance(&c->second, c->first, time, c->longest)) return;
  int n = c->compared.count;
  settle_row(c);
  compare_events(c);
  hn_simulation_signals(c->first, c->compared.signal, n, c->a);
  hn_simulation_signals(c->second.simulation, c->compared.signal, n, c->b);
  hn_twin_compare(&c->twin, c->first, &c->compared, c->a, time, c->end);
  hn_twin_energies(&c->twin, c->first, c->second.simulation);
  note_filtered(c, time);
  c->has_row = 1;
  c->row_time = time;
  c->row_longest = c->longest;
  hn_confirm_note_row(&c->third, time, c->longest);
  c->longest = c->first->method->step; // other rows may lie inside it
  c->is_split = hn_refined_is_split(&c->second, c->first, time);
  if (!c->is_split) hn_grazes_note_errors(&c->grazes, c->first, c->second.simulation, BAR);
}

// ---- what was found -----------------------------------------------------------------------------

static void fill_signals(const hn_companion *c, hn_accuracy *a, hn_accuracy_signal *signals) {
  for (int k = 0; k < c->compared.count; k++) {
    int index = c->compared.signal[k], use = c->compared.use[k];
    hn_accuracy_signal *signal = &signals[k];
    *signal = (hn_accuracy_signal){.name = hn_simulation_signal_name(c->first, index),
                                   .unit = hn_simulation_signal_unit(c->first, index),
                                   .absolute = c->worst[k],
                                   .last = c->late[k],
                                   .largest = c->largest[k],
                                   .at = c->at[k],
                                   .is_judged = (use & HN_COMPARED_JUDGED) != 0};
    if (c->largest[k] > 0) signal->relative = c->worst[k] / c->largest[k];
    double error = c->worst[k] / size_of(c, k);
    if (signal->is_judged && !(error <= a->worst)) {
      a->worst = error;
      hn_text(a->worst_signal, sizeof a->worst_signal, "%s", signal->name);
    }
  }
}

// "body.top.quaternion.w" to "body.top.orientation".
static void name_orientation(char name[128], const char *first) {
  const char *suffix = strstr(first, ".quaternion");
  hn_text(name, 128, "%.*s.orientation", (int)(suffix ? suffix - first : 0), first);
}

// The signal that is worst against what its kind is allowed.
static void fill_motion(const hn_companion *c, hn_accuracy *a) {
  for (int k = 0; k < c->compared.count; k++) {
    const double error = is_rotation(c, k) ? c->angle[k] : c->worst[k];
    const double motion = error / allowance(c, k);
    if (!is_graded(c, k) || motion <= a->motion) continue;
    const int index = c->compared.signal[k];
    const char *name = hn_simulation_signal_name(c->first, index);
    const char *unit = is_rotation(c, k) ? "rad" : hn_simulation_signal_unit(c->first, index);
    a->motion = motion;
    a->motion_absolute = error;
    hn_text(a->motion_unit, sizeof a->motion_unit, "%s",
            unit && strcmp(unit, "1") != 0 ? unit : "");
    if (is_rotation(c, k))
      name_orientation(a->motion_signal, name);
    else
      hn_text(a->motion_signal, sizeof a->motion_signal, "%s", name);
  }
}

// The output that is known worst against the range it goes through. Rates and forces may be nearly
// constant: their range includes zero.
static void fill_range(const hn_companion *c, hn_accuracy *a) {
  const double least = fmax(a->tolerance, OF_PROMISE * a->promise);
  for (int k = 0; k < c->compared.count; k++) {
    const hn_promise p = c->compared.promise[k];
    if (!(c->compared.use[k] & HN_COMPARED_OUTPUT) || !is_graded(c, k) ||
        hn_compared_is_energy(c->first, c->compared.signal[k]))
      continue;
    if (c->worst[k] <= least * c->compared.unit_scale[k]) continue;
    const double zero = p.factor > 1 ? 0 : c->least_value[k];
    const double range = fmax(c->most_value[k], zero) - fmin(c->least_value[k], zero);
    const double of_range = c->worst[k] / range;
    if (of_range <= a->of_range) continue;
    a->of_range = of_range;
    hn_text(a->range_signal, sizeof a->range_signal, "%s",
            hn_simulation_signal_name(c->first, c->compared.signal[k]));
  }
}

// Travel of the model, and the errors of positions as a fraction of it.
static void fill_travel(const hn_companion *c, hn_accuracy *a) {
  double error = 0;
  for (int k = 0; k < c->compared.count; k++) {
    int use = c->compared.use[k];
    if (!(use & HN_COMPARED_MOTION) || (use & HN_COMPARED_RATE)) continue;
    a->travel = fmax(a->travel, c->most_value[k] - c->least_value[k]);
    error = fmax(error, c->worst[k]);
  }
  a->of_travel = a->travel > 0 ? error / a->travel : 0;
}

// Rounding errors of sums over the steps: the only error if no step has an error of its own.
static void add_rounding(hn_companion *c) {
  double steps = (double)(c->first->certificate.steps_accepted + 1);
  for (int k = 0; k < c->compared.count; k++) {
    double rounding = c->largest[k] > 0 ? DBL_EPSILON * sqrt(steps) * size_of(c, k) : 0;
    c->worst[k] = fmax(c->worst[k], rounding);
    c->late[k] = fmax(c->late[k], rounding);
  }
}

// Names the oscillation that results lack, if it matters.
static void name_filtered(hn_companion *c, hn_accuracy *a) {
  const hn_filtered *f = &c->filtered;
  if (!(BAR * f->worst.effect > a->tolerance)) return;
  a->filtered = f->worst.frequency / (2 * HN_PI);
  hn_text(a->filtered_force, sizeof a->filtered_force, "%s",
          c->first->model->forces[f->worst.force].name);
  const size_t used = strlen(a->how);
  hn_text(a->how + used, sizeof a->how - used,
          "; the steps filter an oscillation of %.3g Hz in force '%.60s'; the estimate covers its "
          "amplitude",
          a->filtered, a->filtered_force);
}

static void fill_bars(const hn_companion *c, double *time, double *bars) {
  const hn_history *h = &c->bars;
  memcpy(time, h->time, (size_t)h->count * sizeof(double));
  memcpy(bars, h->value, (size_t)h->count * (size_t)h->width * sizeof(double));
}

// Velocities within the promise of the tolerance.
static void judge_grazes(hn_companion *c, const hn_accuracy *a) {
  double fastest = 0;
  for (int k = 0; k < c->compared.count; k++)
    if (c->compared.use[k] & HN_COMPARED_RATE) fastest = fmax(fastest, c->largest[k]);
  hn_grazes_conclude(&c->grazes, c->first, a->promise * (1 + fastest));
}

// Growth of differences of a pile by itself, and the step error seen in its energy.
static void fill_twin(const hn_companion *c, hn_accuracy *a) {
  const size_t said = strlen(a->how);
  hn_text(a->how + said, sizeof a->how - said,
          "; a third run with initial velocities perturbed by 1e-6 diverges tenfold every %.2g s "
          "(mean energy difference of the first two: %.2g of the range)",
          2.303 * c->twin.part, hn_twin_energy_apart(&c->twin));
  if (!hn_twin_is_sensitive(&c->twin) || !(a->motion > a->promise)) return;
  a->is_sensitive = 1;
  a->growth = c->twin.part;
}

static void describe_left_out(const hn_companion *c, hn_accuracy *a) {
  const hn_filtered *f = &c->filtered;
  const size_t used = strlen(a->how);
  if (f->left_out > 0)
    hn_text(a->how + used, sizeof a->how - used,
            "; from t = %.4g s on, %ld searches for oscillations that steps may filter were left "
            "out (limit of work)",
            f->left_out_from, f->left_out);
}

static void describe_third(const hn_companion *c, hn_accuracy *a) {
  const hn_refined *r = &c->third.run;
  const size_t used = strlen(a->how);
  if (c->confirmed_from < HUGE_VAL)
    hn_text(a->how + used, sizeof a->how - used,
            "; from t = %.4g s on a third run with tolerance %.3g", c->confirmed_from,
            r->factor * a->tolerance);
  if (r->has_ended)
    hn_text(a->how + strlen(a->how), sizeof a->how - strlen(a->how), "; without a third run: %s",
            r->why);
}

static void fill_estimates(hn_companion *c, hn_accuracy *a) {
  fill_travel(c, a);
  add_rounding(c);
  name_filtered(c, a);
  fill_signals(c, a, (hn_accuracy_signal *)(a + 1));
  fill_motion(c, a);
  fill_range(c, a);
  fill_bars(c, (double *)(void *)((hn_accuracy_signal *)(a + 1) + a->signal_count),
            (double *)(void *)((hn_accuracy_signal *)(a + 1) + a->signal_count) + a->bar_count);
  hn_growth growth = hn_history_growth(&c->motion, c->start);
  a->growth = growth.seconds;
  a->is_sensitive = growth.is_exponential && a->motion > a->promise;
  if (c->twin.part > 0) fill_twin(c, a);
}

void hn_companion_conclude(hn_runner *r) {
  hn_companion *c = r->compare;
  if (!c || !r->simulation->accuracy) return;
  settle_row(c);
  compare_events(c);
  const int is_estimated = c->motion.count > 1;
  hn_accuracy *a =
      is_estimated ? new_accuracy(r->simulation, c->compared.count, c->bars.count, c->bars.width)
                   : new_accuracy(r->simulation, 0, 0, 0);
  if (!a) {
    hn_text(r->simulation->accuracy->how, sizeof a->how, "out of memory for the error estimates");
    return;
  }
  a->is_estimated = is_estimated;
  a->has_failed = !is_estimated && c->second.has_ended;
  a->reached = c->reached;
  a->until = fmin(c->until, c->reached);
  a->cpu_seconds = c->second.simulation->certificate.cpu_seconds;
  if (c->third.run.simulation) a->cpu_seconds += c->third.run.simulation->certificate.cpu_seconds;
  a->event_time = c->event_time;
  a->events_compared = c->events_seen - !c->events_alike;
  hn_text(a->how, sizeof a->how, "%s%s%s", c->how, c->second.has_ended ? "; " : "", c->second.why);
  if (is_estimated) describe_third(c, a);
  if (is_estimated) describe_left_out(c, a);
  if (is_estimated) fill_estimates(c, a);
  judge_grazes(c, a);
}
