// Conditional joints, drivers and forces (simulation_switches.h).
#include "analysis/simulation_switches.h"

#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_contacts.h"
#include "base/error.h"
#include "holon/switch.h"
#include "math/path.h"

#define GAP 1e-6 // m or rad: a joint that closes a larger gap is reported
enum { SAMPLES = HN_SWITCH_SAMPLES, BISECTIONS = 60, MAX_BOUNDS = 400 };
#define SHORTEST 1e-9 // of a step: a change and back that is shorter is not looked for

const char *hn_switch_name(const hn_model *model, int number, char *text, size_t size) {
  const hn_switch_def *def = &model->switches[number];
  static const char *const words[] = {"joint", "driver", "force"};
  const char *name = def->of == HN_SWITCH_JOINT    ? model->joints[def->element].name
                     : def->of == HN_SWITCH_DRIVER ? model->drivers[def->element].name
                                                   : model->forces[def->element].name;
  return hn_text(text, size, "%s '%s'", words[def->of], name);
}

hn_status hn_refuse_switches(const hn_model *model, const char *analysis, hn_error *error) {
  char name[128];
  if (model->switch_count == 0) return HN_OK;
  return hn_fail(error, HN_ERROR_UNSUPPORTED, &model->switches[0].source,
                 hn_switch_name(model, 0, name, sizeof name),
                 "remove its condition (when, starts, ends), or remove the element",
                 "is conditional, which is not supported by %s", analysis);
}

// The rows of a joint or driver.
static void rows_of(const hn_elements *e, const hn_switch_def *def, int *first, int *end) {
  *first = *end = 0;
  if (def->of == HN_SWITCH_FORCE) return;
  const int *rows = def->of == HN_SWITCH_JOINT ? e->joint_row : e->driver_row;
  *first = rows[def->element];
  *end = rows[def->element + 1];
}

static void apply(hn_simulation *s, const unsigned char *on) {
  hn_elements *e = s->elements;
  for (int k = 0; k < s->model->switch_count; k++) {
    const hn_switch_def *def = &s->model->switches[k];
    int first, end;
    rows_of(e, def, &first, &end);
    for (int r = first; r < end; r++) e->row_off[r] = !on[k];
    if (def->of == HN_SWITCH_FORCE) e->force_off[def->element] = !on[k];
  }
  s->equations->type->responses->forget(s->equations);
}

// ---- conditions ---------------------------------------------------------------------------------

static int holds(const hn_simulation *s, const hn_signal_source *source, int k, int which) {
  if (s->switches->is_early && hn_signals_condition_needs_forces(s->signals, k, which)) return -1;
  return hn_signals_condition(s->signals, source, k, which);
}

static int reads_forces(const hn_simulation *s) {
  for (int k = 0; k < s->model->switch_count; k++)
    for (int i = 0; i < 3; i++)
      if (hn_signals_condition_needs_forces(s->signals, k, i)) return 1;
  return 0;
}

// Accelerations and reactions that the snapshot has left for later are there if a condition reads them.
static hn_signal_source source_of(const hn_simulation *s, hn_snapshot *snapshot) {
  if (snapshot->is_partial && !s->switches->is_early && reads_forces(s))
    hn_snapshot_complete(s->equations, &s->branches, snapshot);
  return (hn_signal_source){.snapshot = snapshot,
                            .branches = &s->branches,
                            .work = s->method->work,
                            .initial_energy = s->energy.initial,
                            .step_size = s->stepping.last,
                            .inputs = s->inputs};
}

// Whether a switch should be on at this snapshot.
static int wanted(const hn_simulation *s, hn_snapshot *snapshot, int k) {
  const hn_switch_def *def = &s->model->switches[k];
  const int on = s->switches->on[k];
  const hn_signal_source source = source_of(s, snapshot);
  if (def->when) {
    const int now = holds(s, &source, k, 0);
    return now < 0 ? on : now;
  }
  const int starts = holds(s, &source, k, 1) > 0;
  const int ends = holds(s, &source, k, 2) > 0;
  return on ? !ends : starts && !ends;
}

// The first switch that changes at a fraction of the attempted step, or -1. *seen: the state there, kept
// where it cannot be found.
static int changed_at(hn_simulation *s, double theta, hn_snapshot **seen) {
  hn_method *m = s->method;
  hn_snapshot *snapshot = m->next;
  if (theta != 1) {
    snapshot = hn_simulation_snapshot_at(s, theta);
    if (!snapshot) return -1;
  }
  *seen = snapshot;
  for (int k = 0; k < s->model->switch_count; k++)
    if (wanted(s, snapshot, k) != s->switches->on[k]) return k;
  return -1;
}

// ---- between samples ----------------------------------------------------------------------------

// The condition that may change the switch.
static int decisive(const hn_simulation *s, int k) {
  return s->model->switches[k].when ? 0 : s->switches->on[k] ? 2 : 1;
}

// Values of the signals that decisive conditions read, at a sample of the step.
static void note_sample(hn_simulation *s, int sample, hn_snapshot *snapshot) {
  const hn_signal_source source = source_of(s, snapshot);
  for (int k = 0; k < s->model->switch_count; k++) {
    struct hn_switch_path *p = &s->switches->path[k];
    if (sample == 0)
      p->is_followed = hn_signals_condition_leaves(s->signals, k, decisive(s, k), &p->leaves);
    if (p->is_followed) hn_signals_leaf_values(s->signals, &source, &p->leaves, p->value[sample]);
  }
}

// The five samples around the part of the step between two: the first of them.
static int window_of(double theta) {
  const int first = (int)(theta * SAMPLES) - 2, last = SAMPLES - (HN_PATH_NODES - 1);
  return first < 0 ? 0 : first > last ? last : first;
}

typedef struct followed {
  int number, which, window;
  const struct hn_switch_path *at;
  hn_path path[HN_MAX_LEAVES];
  int holds;  // at the start of the step
  int bounds; // how many more may be evaluated
} followed;

static double inside_window(const followed *f, double theta) {
  return (theta * SAMPLES - f->window) / (HN_PATH_NODES - 1);
}

static int holds_along(const hn_simulation *s, const followed *f, double theta) {
  double values[HN_MAX_LEAVES];
  for (int k = 0; k < f->at->leaves.count; k++)
    values[k] = hn_path_at(&f->path[k], inside_window(f, theta));
  return hn_signals_condition_at(s->signals, f->number, f->which, &f->at->leaves, values);
}

static int may_change(const hn_simulation *s, followed *f, double from, double to) {
  hn_bounds bounds[HN_MAX_LEAVES];
  for (int k = 0; k < f->at->leaves.count; k++)
    bounds[k] = hn_path_bounds(&f->path[k], inside_window(f, from), inside_window(f, to));
  f->bounds--;
  return hn_signals_condition_over(s->signals, f->number, f->which, &f->at->leaves, bounds) !=
         f->holds;
}

static double find_along(const hn_simulation *s, followed *f, double from, double to) {
  if (f->bounds <= 0 || to - from < SHORTEST || !may_change(s, f, from, to)) return 2;
  const double middle = 0.5 * (from + to);
  if (holds_along(s, f, middle) != f->holds) return middle;
  const double first = find_along(s, f, from, middle);
  return first <= 1 ? first : find_along(s, f, middle, to);
}

// A condition that changes between two samples and back; above 1: none does.
static double find_hidden(hn_simulation *s, int *which) {
  double first = 2;
  for (int k = 0; k < s->model->switch_count; k++) {
    followed f = {.number = k, .which = decisive(s, k), .at = &s->switches->path[k]};
    if (!f.at->is_followed) continue;
    f.bounds = MAX_BOUNDS;
    f.holds = hn_signals_condition_at(s->signals, k, f.which, &f.at->leaves, f.at->value[0]);
    for (int i = 0; i < SAMPLES && (double)i / SAMPLES < first; i++) {
      f.window = window_of((double)i / SAMPLES);
      for (int j = 0; j < f.at->leaves.count; j++)
        f.path[j] = hn_path_through(&f.at->value[f.window][j], HN_MAX_LEAVES);
      const double theta = find_along(s, &f, (double)i / SAMPLES, (i + 1.) / SAMPLES);
      if (theta > 1) continue;
      hn_snapshot *unused;
      const int found = theta < first ? changed_at(s, theta, &unused) : -1;
      if (found >= 0) {
        first = theta;
        *which = found;
      }
      break;
    }
  }
  return first;
}

static double find_change(hn_simulation *s, int *which) {
  double low = 0, high = 2;
  hn_snapshot *seen = s->method->now;
  note_sample(s, 0, seen);
  for (int k = 1; k <= SAMPLES && high > 1; k++) {
    const double theta = (double)k / SAMPLES;
    *which = changed_at(s, theta, &seen);
    if (*which >= 0)
      high = theta;
    else
      low = theta;
    note_sample(s, k, seen);
  }
  if (high > 1) {
    high = find_hidden(s, which);
    if (high > 1) return high;
    low = floor(high * SAMPLES) / SAMPLES;
  }
  const double resolution = 1e-14 * (fabs(s->method->t) + s->method->step) / s->method->step;
  for (int k = 0; k < BISECTIONS && high - low > resolution; k++) {
    const double middle = 0.5 * (low + high);
    const int found = changed_at(s, middle, &seen);
    if (found >= 0) {
      high = middle;
      *which = found;
    } else {
      low = middle;
    }
  }
  return high;
}

static double switches_changed_within(hn_simulation *s) {
  int which = -1;
  const int is_late = s->stepping.mode == HN_RUN_REAL_TIME; // conditions count at ends of steps
  const double theta = is_late ? 2 : find_change(s, &which);
  s->switches->change = theta > 1 ? -1 : which;
  return theta;
}

static int switches_changed_at_end(hn_simulation *s) {
  hn_snapshot *seen;
  s->switches->change = -1;
  return changed_at(s, 1, &seen) >= 0;
}

static hn_status switches_locate(hn_simulation *s, double theta, double *error_norm) {
  hn_method *m = s->method;
  if (theta == 1) return HN_OK;
  const double t = m->t, least = 4e-16 * (fabs(t) + 1e-3);
  const double end = fmax(t + theta * m->step, t + least);
  hn_status status = hn_method_attempt(m, end, &s->branches, &s->tolerance, error_norm, &s->error);
  return status > 0 ? hn_cannot_go_on(s, end - t, status) : status;
}

// ---- changes ------------------------------------------------------------------------------------

// Positions that a joint or driver finds are those it keeps.
static double find_offsets(hn_simulation *s, int k) {
  hn_elements *e = s->elements;
  double most = 0;
  int first, end;
  rows_of(e, &s->model->switches[k], &first, &end);
  for (int r = first; r < end; r++) {
    const hn_row *row = &e->rows[r];
    const int branch = row->driver >= 0 ? s->branches.driver[row->driver] : 0;
    hn_row_speeds values;
    e->row_off[r] = 0;
    e->row_offset[r] = 0;
    hn_row_in_speeds(e, row, s->method->now->frames, s->branches.turns, s->method->t, branch,
                     &values);
    e->row_offset[r] = values.value;
    most = fmax(most, fabs(values.value));
  }
  return most;
}

static void tell_gap(hn_simulation *s, int k, double gap) {
  char name[192];
  const hn_switch_def *def = &s->model->switches[k];
  if (!(gap > GAP) || def->of != HN_SWITCH_JOINT ||
      !hn_joint_joins_bodies(s->model->joints[def->element].type) || s->switches->has_warned++)
    return;
  hn_simulation_note(s, hn_switch_name(s->model, k, name, sizeof name),
                     "starts to act at t = %.9g s with a gap of %.3g (m or rad), which it keeps. "
                     "Start it when the parts are aligned",
                     s->method->t, gap);
}

static hn_status check_rapid(hn_simulation *s, int k) {
  struct hn_switch_watch *w = s->switches;
  const double t = s->method->t;
  char name[192];
  w->rapid = t - w->last < HN_EVENT_RAPID * (1 + fabs(t)) ? w->rapid + 1 : 0;
  w->last = t;
  if (w->rapid < HN_EVENT_CHATTER) return HN_OK;
  return hn_fail(&s->error, HN_ERROR_STEP_SIZE, &s->model->switches[k].source,
                 hn_switch_name(s->model, k, name, sizeof name),
                 "give it `starts:` and `ends:` with a hysteresis",
                 "switches on and off endlessly at t = %.9g s: its action changes its condition",
                 t);
}

// The jump of velocities is a projection: a plastic impact.
static hn_status jump(hn_simulation *s) {
  hn_method *m = s->method;
  const double before = m->now->kinetic, stored = m->now->potential;
  hn_status status = hn_simulation_restart(s, 1);
  if (status != HN_OK) return status;
  m->work += m->now->kinetic - before + m->now->potential - stored; // springs bring what they hold
  s->certificate.impact_loss += before - m->now->kinetic;
  return hn_contacts_settle(s);
}

static hn_status switches_apply(hn_simulation *s, int *changed) {
  struct hn_switch_watch *w = s->switches;
  int happened = 0;
  for (int k = 0; k < s->model->switch_count; k++) {
    const int on = k == w->change ? !w->on[k] : wanted(s, s->method->now, k);
    if (on == w->on[k]) continue;
    hn_record_event(s, s->method->t, -1, w->on[k], on);
    s->events[(s->certificate.events - 1) % HN_EVENT_HISTORY].switched = k + 1;
    w->on[k] = (unsigned char)on;
    if (on) tell_gap(s, k, find_offsets(s, k));
    hn_status status = s->stepping.mode == HN_RUN_REAL_TIME ? HN_OK : check_rapid(s, k);
    if (status != HN_OK) return status;
    happened = 1;
  }
  w->change = -1;
  if (!happened) return HN_OK;
  *changed = 1;
  s->at_start.redundant = -1; // other constraints than at the start
  apply(s, w->on);
  return jump(s);
}

static hn_status switches_take(hn_simulation *s) {
  hn_switches_take(s);
  return HN_OK;
}

static int switches_present(const hn_simulation *s) { return s->switches != NULL; }

const hn_event_source hn_switches_source = {.name = "conditional elements",
                                            .is_present = switches_present,
                                            .changed_within = switches_changed_within,
                                            .changed_at_end = switches_changed_at_end,
                                            .locate = switches_locate,
                                            .take = switches_take,
                                            .apply = switches_apply};

// ---- set-up -------------------------------------------------------------------------------------

// Which elements are active, and which positions their constraints keep.
static void declare(hn_simulation *s, struct hn_switch_watch *w) {
  hn_arena *arena = &s->arena;
  hn_state_owner(arena, "conditional elements", HN_STATE_MOTION);
  HN_STATE(arena, w->on, s->model->switch_count, "switch");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, s->elements->row_offset, s->elements->row_count, "offset of constraint");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, s->elements->row_off, s->elements->row_count, "the mark of constraint");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, s->elements->force_off, s->model->force_count, "the mark of force");
  hn_state_within(arena, 0, 1);
  HN_STATE(arena, &w->last, 1, "last change of switches"); // -HUGE_VAL: none yet
  HN_STATE(arena, &w->rapid, 1, "changes of switches in a row");
  hn_state_within(arena, 0, HN_EVENT_CHATTER);
  HN_STATE(arena, &w->has_warned, 1, "warnings of switches");
  hn_state_within(arena, 0, 1 << 30);
}

hn_status hn_switches_create(hn_simulation *s) {
  const int count = s->model->switch_count;
  if (count == 0) return HN_OK;
  struct hn_switch_watch *w = HN_KEEP(&s->arena, struct hn_switch_watch, 1);
  if (!w) return HN_ERROR_MEMORY;
  *w = (struct hn_switch_watch){.change = -1, .last = -HUGE_VAL};
  w->on = HN_KEEP(&s->arena, unsigned char, count);
  w->taken = HN_KEEP(&s->arena, unsigned char, count);
  w->path = HN_KEEP(&s->arena, struct hn_switch_path, count);
  s->switches = w;
  declare(s, w);
  return s->arena.failed ? HN_ERROR_MEMORY : HN_OK;
}

// Uses the reference configuration: conditions that read forces are evaluated later.
void hn_switches_begin(hn_simulation *s) {
  struct hn_switch_watch *w = s->switches;
  if (!w) return;
  hn_snapshot *look = s->looking.snapshot;
  s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd, look->frames);
  look->t = s->method->t;
  w->is_early = 1;
  for (int k = 0; k < s->model->switch_count; k++) {
    const hn_switch_def *def = &s->model->switches[k];
    w->on[k] = def->when || !def->starts;
    w->on[k] = (unsigned char)wanted(s, look, k);
  }
  w->is_early = 0;
  memcpy(w->taken, w->on, (size_t)s->model->switch_count);
  apply(s, w->on);
}

hn_status hn_switches_start(hn_simulation *s) {
  struct hn_switch_watch *w = s->switches;
  int happened = 0;
  s->energy.initial = s->method->now->kinetic + s->method->now->potential; // for energy.balance
  for (int k = 0; w && k < s->model->switch_count; k++) {
    int is_late = 0;
    for (int i = 0; i < 3; i++) is_late |= hn_signals_condition_needs_forces(s->signals, k, i);
    const int on = is_late ? wanted(s, s->method->now, k) : w->on[k];
    if (on == w->on[k]) continue;
    w->on[k] = (unsigned char)on;
    if (on) tell_gap(s, k, find_offsets(s, k));
    happened = 1;
  }
  if (!happened) return HN_OK;
  memcpy(w->taken, w->on, (size_t)s->model->switch_count);
  apply(s, w->on);
  hn_status status = jump(s);
  return status == HN_OK ? s->method->type->begin(s->method, &s->branches, &s->error) : status;
}

void hn_switches_take(hn_simulation *s) {
  if (s->switches) memcpy(s->switches->taken, s->switches->on, (size_t)s->model->switch_count);
}

void hn_switches_take_up(hn_simulation *s) {
  if (!s->switches) return;
  s->switches->change = -1;
  hn_switches_take(s);
  apply(s, s->switches->on);
}

// Looking back changes nothing unless a switch has just changed: ranks of rows stay known.
void hn_switches_look_back(hn_simulation *s, int is_back) {
  const struct hn_switch_watch *w = s->switches;
  if (!w || memcmp(w->taken, w->on, (size_t)s->model->switch_count) == 0) return;
  apply(s, is_back ? w->taken : w->on);
}
