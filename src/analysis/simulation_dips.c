// Compliant contacts between the samples of an attempted step. The gap of each point and its rate at two
// moments give a cubic; where its control points leave the state of the point, the middle is examined,
// and both halves. The step ends at the first moment found, and the change is located from there
// (simulation_events.c).
//
// Neglected: velocity changes below SHARE times the tolerance, bounded by the largest load between two
// moments, times the time between them and the compliance of both bodies.
#include <float.h>
#include <math.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_functions.h"
#include "contact/contact.h"
#include "elements/force.h"
#include "math/path.h"
#include "model/contact.h"

#define SHARE 0.1    // of the tolerance
#define SLACK 1e-2   // of the control points: what a cubic leaves out
#define FRICTION 2.0 // times the normal load
#define SHORTEST ldexp(1, -30)
enum { MAX_LOOKS = 200 };

// The points of a pair at a fraction of the step: of one mode, or only the nearest (mode -1).
typedef struct gauge {
  double theta;
  int count;
  double gap[HN_CONTACT_POINTS], rate[HN_CONTACT_POINTS]; // rate: by the fraction
  int is_inside[HN_CONTACT_POINTS];
  hn_vec3 nearest;
} gauge;

typedef struct dip {
  hn_simulation *s;
  int force, mode;
  const hn_contact_pair *pair;
  const hn_contact_def *rule;
  double limit; // of load times time
  int looks;    // how many more may be made
} dip;

// ---- gauges -------------------------------------------------------------------------------------

static gauge gauge_at(const dip *d, double theta, const hn_frame *frames) {
  const hn_contacts *contacts = d->s->elements->contacts;
  const int mode = d->mode >= 0 ? d->mode : hn_contact_mode(contacts, d->pair, frames, DBL_MAX);
  hn_contact_point points[HN_CONTACT_POINTS];
  const int count = hn_contact_points(contacts, d->pair, mode, frames, HN_CONTACT_PLACES, points);
  gauge g = {.theta = theta, .count = count};
  int least = -1;
  hn_vec3 slip;
  for (int k = 0; k < count; k++) {
    g.gap[k] = points[k].gap;
    g.rate[k] = d->s->method->step * hn_contact_gap_rate(&points[k], d->pair, frames, &slip);
    g.is_inside[k] = points[k].is_inside;
    if (points[k].is_inside && (least < 0 || g.gap[k] < g.gap[least])) least = k;
  }
  g.nearest = least < 0 ? frames[d->pair->body[1]].r : points[least].point;
  if (d->mode >= 0) return g;
  g.count = least >= 0;
  if (least >= 0) {
    g.gap[0] = g.gap[least];
    g.rate[0] = g.rate[least];
    g.is_inside[0] = 1;
  }
  return g;
}

// ---- between two gauges -------------------------------------------------------------------------

// The largest load by which a point can differ from what its state assumes between two gauges.
static double hidden_load(const dip *d, const gauge *a, const gauge *b, int k, int state) {
  const double width = b->theta - a->theta, duration = width * d->s->method->step;
  const hn_bounds over =
      hn_path_hull(a->gap[k], width * a->rate[k], b->gap[k], width * b->rate[k], SLACK);
  double most = 0;
  for (int i = 0; i < 4; i++) {
    const double gap = i & 1 ? over.value.high : over.value.low;
    const double rate = (i & 2 ? over.slope.high : over.slope.low) / duration;
    int at;
    const double load = hn_contact_load(d->rule, -gap, -rate, &at);
    if (at != state) most = fmax(most, fabs(load));
  }
  return most;
}

// 1: what can be hidden between two gauges has no effect.
static int hides_nothing(const dip *d, const gauge *a, const gauge *b) {
  const double duration = FRICTION * (b->theta - a->theta) * d->s->method->step;
  const int code = d->s->branches.force[d->force].state % HN_CONTACT_STATES;
  if (a->count != b->count) return 0;
  double most = 0;
  for (int k = 0, rest = code; k < a->count; k++, rest /= HN_CONTACT_POINT_STATES)
    if (a->is_inside[k] || b->is_inside[k])
      most += hidden_load(d, a, b, k, rest % HN_CONTACT_POINT_STATES);
  return !(duration * most > d->limit);
}

// The first moment found between two gauges at which the contact has another branch; 2: none.
static double find_inside(dip *d, const gauge *a, const gauge *b) {
  hn_simulation *s = d->s;
  if (hides_nothing(d, a, b) || b->theta - a->theta < SHORTEST || d->looks-- <= 0) return 2;
  const double theta = 0.5 * (a->theta + b->theta);
  const hn_frame *frames = hn_simulation_frames_at(s, theta);
  const gauge middle = gauge_at(d, theta, frames);
  const hn_branch branch =
      hn_settled_branch(s, d->force, frames, s->method->t + theta * s->method->step);
  if (branch.state != s->branches.force[d->force].state) return theta;
  const double first = find_inside(d, a, &middle);
  return first <= 1 ? first : find_inside(d, &middle, b);
}

// ---- the source ---------------------------------------------------------------------------------

// The load times time that has no effect.
static double limit_of(const dip *d, const gauge *at) {
  const hn_simulation *s = d->s;
  double speed = 0, compliance = 0;
  for (int k = 0; k < 2; k++) {
    const int body = d->pair->body[k];
    const hn_frame *f = &s->method->now->frames[body];
    speed = fmax(speed, fmax(vec3_norm(f->v), vec3_norm(f->w)));
    const hn_vec3 arm = mat3_apply_transposed(f->a, vec3_sub(at->nearest, f->r));
    compliance += hn_force_compliance_at(s->elements->model, body, arm);
  }
  return SHARE * (s->tolerance.absolute + s->tolerance.relative * speed) / compliance;
}

static double find_dip(hn_simulation *s, int force) {
  const hn_contacts *contacts = s->elements->contacts;
  const hn_contact_pair *pair = &contacts->pairs[s->elements->force_pair[force]];
  const hn_frame *now = s->method->now->frames, *next = s->method->next->frames;
  const int state = s->branches.force[force].state;
  if (state == 0 && hn_contact_is_far(contacts, pair, now, s->method->step) &&
      hn_contact_is_far(contacts, pair, next, s->method->step))
    return 2;
  if (state > 0 && hn_contact_varies(contacts, pair)) return 2; // its points have no frozen states
  dip d = {.s = s,
           .force = force,
           .pair = pair,
           .rule = &s->elements->model->contacts[pair->rule],
           .looks = MAX_LOOKS};
  d.mode =
      state > 0 ? state / HN_CONTACT_STATES - 1 : hn_contact_mode(contacts, pair, now, DBL_MAX);
  if (state == 0 && (hn_contact_varies(contacts, pair) ||
                     hn_contact_mode(contacts, pair, next, DBL_MAX) != d.mode))
    d.mode = -1;
  const gauge a = gauge_at(&d, 0, now), b = gauge_at(&d, 1, next);
  if (a.count + b.count == 0) return 2;
  d.limit = limit_of(&d, &a);
  return find_inside(&d, &a, &b);
}

static double dips_changed_within(hn_simulation *s) {
  double first = 2;
  if (s->stepping.mode != HN_RUN_CONTROLLED) return first;
  for (int f = 0; f < s->model->force_count; f++) {
    const int is_off = s->elements->force_off && s->elements->force_off[f];
    if (is_off || s->elements->force_pair[f] < 0) continue;
    first = fmin(first, find_dip(s, f));
  }
  return first;
}

static int dips_present(const hn_simulation *s) {
  return s->model->touching.has_forces && s->stepping.mode != HN_RUN_REAL_TIME;
}

const hn_event_source hn_contact_dips_source = {.name = "compliant contacts",
                                                .is_present = dips_present,
                                                .changed_within = dips_changed_within};
