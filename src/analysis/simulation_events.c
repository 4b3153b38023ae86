// Breakpoints of functions that depend on the state. Within a step every force keeps its branch; here
// the attempted step is searched for the first moment at which a force would classify differently, by
// bisection of its dense output. Nothing is assumed of the classification but that it can be asked:
// of all forces, and at last, between two near moments, of those that classify differently at the later.
#include "analysis/simulation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "elements/force.h"
#include "math/path.h"

enum { SAMPLES = 4, BISECTIONS = 60, MAX_LOOKS = 48 };
#define SLACK 1e-2             // of the control points: what a cubic leaves out
#define SHORTEST ldexp(1, -14) // of a step: an excursion that is shorter has no effect
#define REACH (1.0 / 64)       // of a step, beyond its end
#define NEAR (1.0 / 64)        // of a step, two moments
#define LATE 1e-4              // of the tolerance, in a step, an event may be seen

void hn_see_hidden_branches(hn_simulation *s, const hn_frame *frames, double t) {
  const hn_hidden_elements *hidden = s->elements->hidden;
  if (hidden)
    hidden->branches(hidden->context, t, frames, s->branches.turns, s->hidden_seen.force,
                     s->hidden_seen.driver);
}

const hn_frame *hn_simulation_frames_at(hn_simulation *s, double theta) {
  hn_method *m = s->method;
  const hn_coordinates *c = s->equations->type->coordinates;
  if (theta == 1) return m->next->frames;
  m->type->interpolate(m, theta, s->looking.q, s->looking.qd, NULL);
  (c->motions ? c->motions : c->frames)(s->equations, s->looking.q, s->looking.qd,
                                        s->looking.frames);
  return s->looking.frames;
}

hn_projected_state hn_simulation_look_state(hn_simulation *s, double t) {
  return (hn_projected_state){.t = t,
                              .q = s->looking.q,
                              .qd = s->looking.qd,
                              .tolerance = s->tolerance.projection,
                              .is_forgiving = 1,
                              .change = {s->looking.correction, s->looking.correction}};
}

hn_snapshot *hn_simulation_snapshot_at(hn_simulation *s, double theta) {
  const hn_method *m = s->method;
  m->type->interpolate(m, theta, s->looking.q, s->looking.qd, NULL);
  hn_projected_state p = hn_simulation_look_state(s, m->t + theta * m->step);
  hn_status status =
      hn_equations_look(s->equations, &p, &s->branches, s->looking.snapshot, &s->error);
  s->looking.count++;
  return status == HN_OK ? s->looking.snapshot : NULL;
}

// The first force whose branch at fraction theta is not the frozen one, or -1. is_near: of those that
// were not when this last found one.
static int changed_force(hn_simulation *s, double theta, int is_near, hn_branch *to) {
  hn_method *method = s->method;
  double t = theta == 1 ? method->step_end : method->t + theta * method->step;
  const hn_frame *frames = hn_simulation_frames_at(s, theta);
  hn_see_hidden_branches(s, frames, t);
  int first = -1;
  for (int f = 0; f < s->elements->force_branches; f++) {
    if (is_near && !s->looking.differs[f]) continue;
    if (f < s->model->force_count && !hn_force_switches(&s->model->forces[f])) continue;
    hn_branch branch = hn_settled_branch(s, f, frames, t);
    const int differs = branch.state != s->branches.force[f].state;
    if (differs && first < 0) {
      memset(s->looking.differs, 0, (size_t)f);
      *to = branch;
      first = f;
    }
    if (first >= 0) s->looking.differs[f] = (unsigned char)differs;
  }
  return first;
}

// ---- between samples ----------------------------------------------------------------------------

// The measure of a force at a fraction of the step, and its rate by that fraction.
typedef struct gauge {
  double theta, x, v;
} gauge;

static gauge gauge_at(hn_simulation *s, int f, double theta, const hn_frame *frames) {
  gauge g = {.theta = theta};
  hn_force_gauge(s->elements, f, frames, s->branches.turns, &g.x, &g.v);
  g.x -= hn_force_held(s->elements, f, s->branches.turns);
  g.v *= s->method->step;
  return g;
}

// 1: nowhere between two gauges the force can have another branch than its frozen one. Values and rates
// lie in the hull of the control points of the cubic through both; regions of one branch are convex.
static int stays_on_branch(const hn_simulation *s, int f, gauge a, gauge b, double t) {
  const hn_force_def *def = &s->elements->model->forces[f];
  const double width = b.theta - a.theta, h = s->method->step;
  const double offset = def->type == HN_FORCE_LEAF_SPRING ? def->offset : 0;
  const hn_bounds over = hn_path_hull(a.x, width * a.v, b.x, width * b.v, SLACK);
  const double low = over.value.low, high = over.value.high;
  const double slow = over.slope.low / (width * h), fast = over.slope.high / (width * h);
  if (def->of_xvt && hn_law_switches(def->of_xvt) > 0) { // its regions have any form
    const hn_bounds at[3] = {{{low - offset, high - offset}, {0, 0}},
                             {{slow, fast}, {0, 0}},
                             {{t, t + width * h}, {0, 0}}};
    hn_branching branching;
    hn_law_bounds(def->of_xvt, at, &branching);
    if (branching.marked > 0) return 0;
  }
  for (int k = 0; k < 4; k++) {
    hn_branch at = hn_force_law_branch(def, k & 1 ? high : low, k & 2 ? fast : slow, t);
    if (at.state != s->branches.force[f].state) return 0;
  }
  return 1;
}

// 1: a gauge between two others is on another branch by more than rounding.
static int is_distinct(const hn_simulation *s, int f, gauge a, gauge at, gauge b) {
  const hn_force_def *def = &s->elements->model->forces[f];
  const double bulge = at.x - 0.5 * (a.x + b.x), noise = 1e-9 * fabs(bulge) + 1e-13 * fabs(at.x);
  const double x = at.x - copysign(noise, bulge), t = s->method->t + at.theta * s->method->step;
  return hn_force_law_branch(def, x, at.v / s->method->step, t).state != s->branches.force[f].state;
}

// The first moment found between two gauges at which the force has another branch; 2: none. *looks: how
// many more may be made.
static double find_inside(hn_simulation *s, int f, gauge a, gauge b, int *looks, hn_branch *to) {
  const double t = s->method->t + a.theta * s->method->step;
  if (stays_on_branch(s, f, a, b, t) || b.theta - a.theta < SHORTEST) return 2;
  if ((*looks)-- <= 0) return 2;
  const double theta = 0.5 * (a.theta + b.theta);
  const hn_frame *frames = hn_simulation_frames_at(s, theta);
  const gauge middle = gauge_at(s, f, theta, frames);
  *to = hn_settled_branch(s, f, frames, s->method->t + theta * s->method->step);
  if (to->state != s->branches.force[f].state && is_distinct(s, f, a, middle, b)) return theta;
  const double first = find_inside(s, f, a, middle, looks, to);
  return first <= 1 ? first : find_inside(s, f, middle, b, looks, to);
}

// A branch that is entered and left between two samples; above 1: none.
static double find_excursion(hn_simulation *s, int *force, hn_branch *to) {
  double first = 2;
  hn_branch branch;
  for (int f = 0; f < s->model->force_count; f++) {
    int looks = MAX_LOOKS;
    if (!hn_force_switches_by_measure(&s->elements->model->forces[f])) continue;
    if (s->elements->force_off && s->elements->force_off[f]) continue;
    const gauge a = gauge_at(s, f, 0, s->method->now->frames),
                b = gauge_at(s, f, 1, s->method->next->frames);
    const double theta = find_inside(s, f, a, b, &looks, &branch);
    if (!(theta < first)) continue;
    first = theta;
    *force = f;
    *to = branch;
  }
  if (first <= 1)
    for (int f = 0; f < s->elements->force_branches; f++) s->looking.differs[f] = f == *force;
  return first;
}

double hn_locate_event(hn_simulation *s, int *force, hn_branch *to) {
  double low = 0, high = 2;
  for (int k = 1; k <= SAMPLES && high > 1; k++) {
    double theta = (double)k / SAMPLES;
    *force = changed_force(s, theta, 0, to);
    if (*force >= 0)
      high = theta;
    else
      low = theta;
  }
  if (high > 1) {
    high = find_excursion(s, force, to);
    if (high > 1) return high;
    low = floor(high * SAMPLES) / SAMPLES;
  }
  double resolution = 1e-13 * (fabs(s->method->t) + s->method->step) / s->method->step;
  resolution = fmax(resolution, LATE * s->tolerance.relative);
  for (int k = 0; k < BISECTIONS && high - low > resolution; k++) {
    double middle = 0.5 * (low + high);
    hn_branch branch;
    int found = changed_force(s, middle, high - low < NEAR, &branch);
    if (found >= 0) {
      high = middle;
      *force = found;
      *to = branch;
    } else {
      low = middle;
    }
  }
  return high;
}

// The step repeated to end at an event follows another path than its longer version and may end a little
// before it. Its own dense output, continued, shows by how much; a hundredth more makes sure.
double hn_locate_beyond(hn_simulation *s, int force) {
  double t = s->method->step_end, low = 1, high = 1 + REACH;
  hn_branch to;
  assert(force >= 0);
  if (s->method->step < HN_EVENT_GRACE * (1 + fabs(t))) return 0;
  hn_see_hidden_branches(s, s->method->next->frames, t);
  if (hn_settled_branch(s, force, s->method->next->frames, t).state !=
      s->branches.force[force].state)
    return 0;
  if (changed_force(s, high, 0, &to) < 0) return 0;
  while (high - low > 1e-3 * (high - 1)) {
    double middle = 0.5 * (low + high);
    if (changed_force(s, middle, 1, &to) >= 0)
      high = middle;
    else
      low = middle;
    if (high - low <= 1e-15) break;
  }
  return high + 0.01 * (high - 1);
}

void hn_record_event(hn_simulation *s, double time, int force, int from, int to) {
  s->events[s->certificate.events % HN_EVENT_HISTORY] =
      (hn_event){.time = time, .force = force, .from = from, .to = to};
  if (force >= 0) {
    struct hn_last_change *last = &s->last_change[force];
    int rapid = time - last->time < HN_EVENT_RAPID * (1 + fabs(time));
    *last =
        (struct hn_last_change){.time = time, .from = from, .rapid = rapid ? last->rapid + 1 : 0};
  }
  s->certificate.events++;
}

void hn_record_contact(hn_simulation *s, int contact, int from, int to) {
  hn_record_event(s, s->method->t, -1, from, to);
  s->events[(s->certificate.events - 1) % HN_EVENT_HISTORY].contact = contact + 1;
}

int hn_simulation_events(const hn_simulation *s, hn_event *events, int capacity) {
  long all = s->certificate.events, kept = all < HN_EVENT_HISTORY ? all : HN_EVENT_HISTORY;
  long first = all - (kept < capacity ? kept : capacity);
  for (long k = first; k < all; k++) events[k - first] = s->events[k % HN_EVENT_HISTORY];
  return (int)kept;
}
