// Functions inside a step: forces, drivers and rates of states given as functions of time, of a measure
// and its rate, of signals. Their features may be far narrower than a step.
//
//   of time alone    before the step: bounds over the time it covers; the step ends where the first
//                    feature starts, and is short enough to show it from there on
//   of the state     after the attempt: the same on its dense output. A measure is the cubic through
//                    its values and rates at both ends, a signal the quartic through five samples
//
// Error control judges the features found here. Those that change a velocity by less than SHARE times
// the tolerance are ignored: a deviation f for a time d changes the velocity along the force by at
// most f d sum (1/m + r^2/I) over the bodies it acts on.
//
// Polynomials of low degree have no such features and are not in the list. Jumps and breakpoints
// that other sources locate are at the ends of steps, which are left out.
#include "analysis/simulation_functions.h"

#include <math.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_guards.h"
#include "analysis/step_looks.h"
#include "base/error.h"
#include "elements/features.h"
#include "elements/force_types.h"
#include "elements/states.h"
#include "math/elementary.h"
#include "math/euler.h"
#include "math/law.h"
#include "math/past.h"
#include "math/resolve.h"
#include "model/joint_types.h"

#define SHARE 0.1  // of the tolerance
#define FIXED_SHARE 0.01 // of a function, in runs with a fixed step
#define LIGHT 1e-3 // of the lightest mass: what nothing is known of
#define ROUNDING 1e-12
#define PAST_ERROR 1e-4
#define WINDOW 16.0 // steps: time for which a function is examined ahead
enum { MAX_TRIES = 200 };

typedef struct checked {
  hn_function of;           // its law is that of the simulation: with its inputs
  hn_step_law *along;       // of one that is not timed
  int is_timed;             // it depends on time alone
  int is_given;             // ... on inputs alone
  int is_plain_on_branches; // it hides nothing as long as no operation switches
  double weight;            // change of velocity by the force and its duration: sum (1/m + r^2/I)
  int body[2];              // on which a force acts, or ground
  double clear_from, clear_until; // nothing is hidden in between, however long steps are
  int misses;                     // steps since it was found not to be clear
  int is_told, is_exhausted_told;
} checked;

struct hn_functions {
  int count, timed; // the first `timed` depend on time alone
  int given;        // of the others: so many depend on inputs alone
  checked *item;
  int reads_signals;
};

// ---- set-up -------------------------------------------------------------------------------------

// Sum of share_i / I_i over the body axes; where I has products of inertia, a bound by Gershgorin.
static double angular_compliance(const double inertia[6], const double share[3]) {
  const double off[3] = {fabs(inertia[3]) + fabs(inertia[4]), fabs(inertia[3]) + fabs(inertia[5]),
                         fabs(inertia[4]) + fabs(inertia[5])};
  const int is_diagonal = off[0] + off[1] + off[2] == 0;
  double sum = 0, least = HUGE_VAL, shares = 0;
  for (int i = 0; i < 3; i++) {
    least = fmin(least, inertia[i] - off[i]);
    shares += share[i];
    if (share[i] > ROUNDING) sum += share[i] / inertia[i];
  }
  return is_diagonal ? sum : least > 0 ? shares / least : HUGE_VAL;
}

// 1/m + r^2/I of a force at the frame's origin in any direction; 1/I of a torque about the axis of a
// joint, or about all axes.
static double compliance_of(const hn_model *model, const hn_frame_on_body *frame, int is_torque,
                            int has_axis) {
  if (frame->body <= 0) return 0;
  const hn_body_def *body = &model->bodies[frame->body];
  const hn_mat3 axes = quat_matrix(frame->orientation);
  const double arm = vec3_norm(frame->position);
  double share[3];
  for (int i = 0; i < 3; i++) {
    const double along = vec3_get(frame->position, i);
    share[i] = is_torque ? (has_axis ? axes.m[i][2] * axes.m[i][2] : 1) : arm * arm - along * along;
  }
  return (is_torque ? 0 : 1 / body->mass) + angular_compliance(body->inertia, share);
}

// An upper bound of the compliance: that of the lightest body that has mass.
static double compliance_of_light(const hn_model *model) {
  double least = HUGE_VAL;
  for (int b = 1; b < model->body_count; b++)
    if (model->bodies[b].mass > 0) least = fmin(least, model->bodies[b].mass);
  return 1 / (LIGHT * least);
}

// Sum of 1/m + r^2/I over the bodies a force acts on; body: these, or ground.
static double compliance_along(const hn_model *model, int force, int body[2]) {
  const hn_force_def *def = &model->forces[force];
  const int is_torque = hn_force_turns(def), has_axis = hn_force_reads_joint(def);
  const hn_frame_on_body *frames[2] = {&def->frame1, &def->frame2};
  if (has_axis) {
    const hn_joint_def *joint = &model->joints[def->joint];
    frames[0] = &joint->frame1;
    frames[1] = &joint->frame2;
  }
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    body[k] = frames[k]->body;
    sum += compliance_of(model, frames[k], is_torque, has_axis);
  }
  return sum > 0 && def->way_count == 0 && !isinf(sum) ? sum : compliance_of_light(model);
}

double hn_force_compliance(const hn_model *model, int force) {
  int body[2];
  return compliance_along(model, force, body);
}

double hn_force_compliance_at(const hn_model *model, int body, hn_vec3 point) {
  const hn_frame_on_body frame = {.body = body, .position = point, .orientation = {1, 0, 0, 0}};
  const double sum = compliance_of(model, &frame, 0, 0);
  return isinf(sum) ? compliance_of_light(model) : sum;
}

// Of several variables, those of a law of x, v and t.
static int is_timed(const hn_law *law, hn_function_kind kind) {
  if (hn_law_input_count(law) > 0) return 0;
  return kind == HN_OF_T || (kind == HN_OF_XVT && !hn_law_reads(law, 0) && !hn_law_reads(law, 1));
}

typedef struct collection {
  hn_functions *g;
  int timed; // only those that depend on time alone, or only the others
} collection;

static void collect(void *context, const hn_model *model, const hn_function *function) {
  const collection *c = context;
  hn_functions *g = c->g;
  checked made = {.of = *function, .is_timed = is_timed(function->law, function->kind)};
  made.is_given = hn_law_reads_inputs_only(function->law, model->input_count);
  if (made.is_timed != c->timed) return;
  if (g->item) {
    made.clear_from = made.clear_until = -HUGE_VAL;
    made.is_plain_on_branches = hn_law_is_plain_on_branches(function->law);
    made.weight = made.of.force < 0 ? 1 : compliance_along(model, made.of.force, made.body);
    g->item[g->count] = made;
  }
  g->reads_signals |= hn_law_input_count(function->law) > 0;
  g->timed += made.is_timed;
  g->given += made.is_given;
  g->count++;
}

static void collect_all(const hn_model *model, hn_functions *g) {
  g->count = g->timed = g->given = 0;
  hn_visit_functions(model, collect, &(collection){g, 1});
  hn_visit_functions(model, collect, &(collection){g, 0});
}

hn_status hn_functions_create(hn_simulation *s) {
  const hn_model *model = s->elements->model;
  hn_functions all = {0};
  collect_all(model, &all);
  if (all.count == 0 || s->stepping.mode == HN_RUN_REAL_TIME) return HN_OK;
  hn_functions *g = HN_TAKE(&s->arena, hn_functions, 1);
  if (!g) return HN_ERROR_MEMORY;
  *g = all;
  g->item = HN_KEEP(&s->arena, checked, g->count);
  if (s->arena.failed || hn_step_looks_create(s) != HN_OK) return HN_ERROR_MEMORY;
  collect_all(model, g);
  for (int k = g->timed; k < g->count; k++) {
    const hn_function *of = &g->item[k].of;
    g->item[k].along = hn_step_law_share(s, of->law, of->kind, of->force);
    if (!g->item[k].along) return HN_ERROR_MEMORY;
  }
  s->functions = g;
  return HN_OK;
}

// ---- one function -------------------------------------------------------------------------------

// 1: a step is known at its ends only.
static int is_sparse(const hn_simulation *s) {
  return s->method->type->propose != NULL || s->method->error_order <= 2;
}

// The largest feature without effect: deviation times duration of a function; of a driver the
// deviation.
static double threshold(const hn_simulation *s, const checked *c) {
  const hn_method *m = s->method;
  double size = 0;
  for (int k = 0; c->of.force >= 0 && k < 2; k++) {
    const hn_frame *f = &m->now->frames[c->body[k]];
    size = fmax(size, fmax(vec3_norm(f->v), vec3_norm(f->w)));
  }
  if (c->of.state >= 0 && m->states > 0) size = fabs(m->z[c->of.state]);
  return SHARE * (s->tolerance.absolute + s->tolerance.relative * size) / c->weight;
}

static hn_resolve begin_check(const hn_simulation *s, const checked *c, const hn_path *path,
                              double h) {
  const double t = s->method->t;
  return (hn_resolve){.law = c->of.law,
                      .path = path,
                      .duration = h,
                      .threshold = threshold(s, c),
                      .per_value = c->of.driver >= 0,
                      .is_sparse = is_sparse(s),
                      .margin = fmin(1e-3, 1e-9 + 4e-13 * (fabs(t) + h) / h)};
}

static const char *name_of(const hn_simulation *s, const checked *c, char text[96]) {
  const hn_model *model = s->model;
  if (c->of.force >= 0)
    return hn_text(text, 96, "force '%s'", hn_model_force_name(model, c->of.force));
  if (c->of.driver >= 0) return hn_text(text, 96, "driver '%s'", model->drivers[c->of.driver].name);
  return hn_text(text, 96, "state '%s'", model->states[c->of.state].name);
}

static void tell_exhausted(hn_simulation *s, checked *c, double t, double h) {
  char name[96];
  if (c->is_exhausted_told++) return;
  hn_simulation_warn(s, name_of(s, c, name),
                     "may be sampled too coarsely between t = %.9g and %.9g s: its bounds are "
                     "infinite or too wide (%d evaluations). Simplify it, or set `max_step`",
                     t, t + h, HN_RESOLVE_MAX_BOUNDS);
}

// A fixed step does not follow the tolerance: what it misses is judged by the size of the function at
// its ends.
static double fixed_threshold(const checked *c, const hn_resolve *r) {
  double size = 0;
  for (int end = 0; end < 2; end++) {
    double values[HN_LAW_VARIABLES] = {0};
    for (int k = 0; k < hn_law_variable_count(c->of.law); k++)
      values[k] = hn_path_at(&r->path[k], end);
    size = fmax(size, fabs(hn_law_value_of(c->of.law, values)));
  }
  return FIXED_SHARE * size * r->duration;
}

// 1: the step shows all of the function.
static int shows(const hn_simulation *s, const checked *c, hn_resolve *r) {
  hn_resolve loose = *r;
  if (hn_resolve_step(r)) return 1;
  if (s->stepping.mode == HN_RUN_CONTROLLED || c->of.driver >= 0) return 0;
  loose.threshold = fmax(loose.threshold, fixed_threshold(c, &loose));
  *r = loose;
  return hn_resolve_step(r);
}

// ---- of time ------------------------------------------------------------------------------------

static int shows_all(hn_simulation *s, checked *c, double h, hn_resolve *r) {
  const double t = s->method->t;
  hn_path path[3] = {hn_path_line(t, t + h)};
  if (c->of.kind == HN_OF_XVT) {
    path[0] = path[1] = hn_path_line(0, 0);
    path[2] = hn_path_line(t, t + h);
  }
  *r = begin_check(s, c, path, h);
  return shows(s, c, r);
}

// 1: it is straight from the present time on, over many steps: nothing of it can be hidden.
static int is_clear(hn_simulation *s, checked *c, double h) {
  const double t = s->method->t;
  if (t >= c->clear_from && t + h <= c->clear_until) return 1;
  const double width = WINDOW * h;
  if (c->misses > 0 && c->misses++ < WINDOW) return 0; // where it moves, it will for some steps
  hn_bounds at[3] = {{{t, t + width}, {1, 1}}};
  if (c->of.kind == HN_OF_XVT) at[2] = at[0];
  const hn_bounds f = hn_law_bounds(c->of.law, at, NULL);
  const double distance =
      fmin(hn_interval_width(f.value), 0.25 * width * hn_interval_width(f.slope));
  const double limit = SHARE * s->tolerance.absolute / c->weight;
  if (!((c->of.driver >= 0 ? distance : distance * width) <= 0.1 * limit)) {
    c->misses = 1;
    return 0;
  }
  c->misses = 0;
  c->clear_from = t;
  c->clear_until = t + width;
  return 1;
}

// The step ends where the first feature starts, or is halved if that is near.
static double longest_step(hn_simulation *s, checked *c, double h) {
  hn_resolve r;
  const double least = 1e-14 * (fabs(s->method->t) + 1e-3);
  for (int k = 0; k < MAX_TRIES && h > least; k++) {
    if (shows_all(s, c, h, &r)) {
      if (r.is_exhausted) tell_exhausted(s, c, s->method->t, h);
      return h;
    }
    h = r.theta > 2 * r.width ? r.theta * h : 0.5 * h;
  }
  return h;
}

// A delay keeps a polynomial through HN_PAST_NODES values of a step, which error control does not
// judge: of a bell that just shows, with an error of PAST_ERROR. Steps are shorter by its order.
static double stretch_of(const hn_simulation *s, const checked *c) {
  if (c->of.state < 0 || !(s->elements->model->states[c->of.state].delay > 0)) return 1;
  return fmax(1, hn_pow(PAST_ERROR / s->tolerance.relative, 1. / HN_PAST_NODES));
}

// A step ends where a piece changes: functions are checked up to there.
static double functions_max_step(hn_simulation *s, double h, double t_limit) {
  (void)t_limit;
  hn_functions *g = s->functions;
  const double until = hn_simulation_next_break(s) - s->method->t;
  for (int k = 0; k < g->timed; k++) {
    const double stretch = stretch_of(s, &g->item[k]), ahead = fmin(stretch * h, until);
    if (is_clear(s, &g->item[k], ahead)) continue;
    const double followed = longest_step(s, &g->item[k], ahead);
    if (followed < ahead) h = fmin(h, followed / stretch);
  }
  return h;
}

static void tell_fixed(hn_simulation *s, checked *c, double h, double shorter) {
  char name[96];
  if (c->is_told++) return;
  hn_simulation_warn(s, name_of(s, c, name),
                     "is missed by the fixed step of %.3g s at t = %.9g s (it changes within about "
                     "%.2g s). Set `step` to %.2g, or use error control",
                     h, s->method->t, 4 * shorter, shorter);
}

// ---- of the state -------------------------------------------------------------------------------

// 1: an operation of the law may take another branch within the step.
static int may_switch(const checked *c, const hn_path *path) {
  hn_bounds over[HN_LAW_VARIABLES];
  hn_branching branching;
  for (int k = 0; k < hn_law_variable_count(c->of.law); k++)
    over[k] = hn_path_bounds(&path[k], 0, 1);
  hn_law_bounds(c->of.law, over, &branching);
  return branching.switches > 0;
}

// Not checked: a force that is switched off, and a function that jumps in each step, as that of a relay
// without hysteresis, which the error control follows.
static int is_off(const hn_simulation *s, const checked *c) {
  const unsigned char *off = s->elements->force_off;
  if (c->of.force >= 0 && off && off[c->of.force]) return 1;
  return hn_guards_released(s, c->along);
}

// A deviation f of a rate for a time d changes its state by at most f d; if the state decays at the
// rate c, also by at most f / c. 1: by the second bound nothing is hidden. The state itself is taken
// straight: the error of its dense output, times c, is no feature of the rate.
static int decays(const hn_simulation *s, const checked *c, hn_resolve r) {
  if (c->of.state < 0) return 0;
  const double decay = hn_states_decay(s->elements, c->of.state, s->method->step_end);
  if (!(decay * r.duration > 1)) return 0;
  hn_path path[HN_LAW_VARIABLES];
  const int count = hn_law_variable_count(c->of.law), inputs = hn_law_input_count(c->of.law);
  for (int k = 0; k < count; k++) {
    path[k] = r.path[k];
    if (k < count - inputs) continue;
    const int input = hn_law_input(c->of.law, k - (count - inputs));
    if (hn_states_is_value(s->elements, c->of.state, input))
      path[k] = hn_path_line(hn_path_at(&path[k], 0), hn_path_at(&path[k], 1));
  }
  r.path = path;
  r.per_value = 1;
  r.threshold *= decay;
  return hn_resolve_step(&r) && !r.is_exhausted;
}

static double functions_changed_within(hn_simulation *s) {
  hn_functions *g = s->functions;
  double first = 2;
  // steps of time stepping keep inputs
  const int is_stepped = s->stepping.mode == HN_RUN_TIME_STEPPING;
  if (g->timed + (is_stepped ? g->given : 0) == g->count) return first;
  if (g->reads_signals) hn_step_looks_make(s);
  for (int k = g->timed; k < g->count; k++) {
    checked *c = &g->item[k];
    hn_path path[HN_LAW_VARIABLES];
    if (is_off(s, c) || (s->stepping.mode != HN_RUN_CONTROLLED && c->is_told)) continue;
    if (is_stepped && c->is_given) continue;
    const hn_taylor *model = hn_step_law_model(s, c->along);
    if (model && c->is_plain_on_branches) continue;
    hn_resolve r = begin_check(s, c, path, s->method->step);
    r.margin = fmin(1e-3, r.margin + 4e-4 * s->tolerance.relative);
    r.model = model;
    if (model && !r.is_sparse && hn_resolve_at_once(&r)) continue;
    hn_step_law_paths(s, c->along, path);
    if (c->is_plain_on_branches && !may_switch(c, path)) continue;
    hn_resolve judged = r;
    if (shows(s, c, &judged)) {
      if (judged.is_exhausted) tell_exhausted(s, c, s->method->t, s->method->step);
      continue;
    }
    if (decays(s, c, r)) continue;
    r = judged;
    if (s->stepping.mode != HN_RUN_CONTROLLED)
      tell_fixed(s, c, s->method->step, 0.5 * r.width * s->method->step);
    first = fmin(first, r.theta > 2 * r.width ? r.theta : 0.5);
  }
  return first;
}

// ---- fixed steps---------------------------------------------------------------------------------

static void functions_report_fixed(hn_simulation *s, double h) {
  hn_functions *g = s->functions;
  for (int k = 0; k < g->timed; k++) {
    checked *c = &g->item[k];
    if (c->is_told || is_off(s, c) || is_clear(s, c, h)) continue;
    const double shorter = longest_step(s, c, h);
    if (shorter < h) tell_fixed(s, c, h, shorter);
  }
}

const char *hn_functions_unresolved(const hn_simulation *s, char text[96]) {
  const hn_functions *g = s->functions;
  for (int k = 0; g && k < g->count; k++)
    if (g->item[k].is_told || g->item[k].is_exhausted_told) return name_of(s, &g->item[k], text);
  return NULL;
}

static int functions_present(const hn_simulation *s) { return s->functions != NULL; }

const hn_event_source hn_functions_source = {.name = "functions",
                                             .is_present = functions_present,
                                             .max_step = functions_max_step,
                                             .has_features = 1,
                                             .changed_within = functions_changed_within,
                                             .report_fixed = functions_report_fixed};
