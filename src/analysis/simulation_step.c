// One accepted step: the code to read first.
//
//   limit the size -> attempt -> error test -> first change of a branch -> accept, take notes
#include "analysis/auto_stepping.h"
#include "analysis/bounds.h"
#include "analysis/collapse.h"
#include "analysis/event_sources.h"
#include "analysis/lock_up.h"
#include "analysis/overlap.h"
#include "analysis/simulation.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "analysis/simulation_guards.h"
#include "analysis/simulation_switches.h"
#include "analysis/step_looks.h"

#include <time.h>

#include "base/error.h"
#include "elements/sensor.h"
#include "equations/nested/nested.h"

#define SHORT_STEP 2e-4  // s
#define TURN 1.5         // rad in a step, where its size is chosen
#define ABRUPT 0.25      // of a step: a source that allows less has a feature there
#define HALF_TURN 3.1    // beyond it the count of turns is wrong
#define MOST_ATTEMPTS 20 // of a step, once the run was asked to stop

// No body may turn so far in one step that the number of turns becomes a guess. *body: the fastest.
static double turning_limit(const hn_simulation *s, int *body) {
  double fastest = 0;
  *body = 0;
  for (int b = 1; b < s->model->body_count; b++) {
    hn_vec3 w = s->method->now->frames[b].w;
    double square = vec3_dot(w, w);
    if (!(square > fastest)) continue;
    fastest = square;
    *body = b;
  }
  return fastest > 0 ? TURN / sqrt(fastest) : HUGE_VAL;
}

// Limits the step so that a wheel cannot pass a bump between two samples of the road. *force:
// whose; -1: inside a component.
static double force_limit(const hn_simulation *s, int *force) {
  double least = HUGE_VAL;
  *force = -1;
  for (int f = 0; s->changing.by_state > 0 && f < s->model->force_count; f++) {
    double limit = hn_force_step_limit(s->elements, f, s->method->t, s->method->now->frames);
    if (!(limit < least)) continue;
    least = limit;
    *force = f;
  }
  const hn_hidden_elements *hidden = s->elements->hidden;
  if (!hidden || s->stepping.mode == HN_RUN_REAL_TIME) return least;
  double inside = hidden->step_limit(hidden->context, s->method->t, s->method->now->frames);
  if (inside < least) *force = -1;
  return fmin(least, inside);
}

// 1: a warning is due, which has replaced one with a larger limit if there was one.
static int is_news(hn_simulation *s, struct hn_blind_step *told, double limit) {
  if (told->limit > 0 && limit > 0.9 * told->limit) return 0;
  if (told->limit == 0 && s->told.count == HN_RUN_WARNINGS) return 0; // no place for it
  if (told->limit == 0) told->warning = s->told.count;
  told->limit = limit;
  return 1;
}

// A fixed step is not changed: reports features that it cannot resolve.
static void warn_blind_step(hn_simulation *s, double h) {
  int force, body, count = s->told.count;
  double of_force = force_limit(s, &force), of_turns = HALF_TURN / TURN * turning_limit(s, &body);
  char name[96] = "a force inside a component";
  double look =
      force >= 0 ? hn_force_look_time(s->elements, force, s->method->now->frames) : of_force;
  if (h > of_force && is_news(s, &s->told.blind_force, look)) {
    if (force >= 0) hn_text(name, sizeof name, "force '%s'", s->model->forces[force].name);
    s->told.count = s->told.blind_force.warning;
    hn_simulation_warn(s, name,
                       "misses road features between fixed steps of %.3g s: the wheel rolls half "
                       "its radius in %.2g s. Use a smaller `step` or error control",
                       h, look);
    if (s->told.count < count) s->told.count = count;
    count = s->told.count;
  }
  if (h > of_turns && is_news(s, &s->told.blind_turn, of_turns)) {
    hn_text(name, sizeof name, "body '%s'", s->model->bodies[body].name);
    s->told.count = s->told.blind_turn.warning;
    hn_simulation_warn(s, name,
                       "rotates by more than half a turn in the fixed step of %.3g s; angles may "
                       "miss full turns. Use a `step` below %.2g s or error control",
                       h, of_turns);
    if (s->told.count < count) s->told.count = count;
  }
}

static double first_step(const hn_simulation *s) {
  if (s->options.first_step > 0) return s->options.first_step;
  // a hundredth of the time in which the state would change by itself, or by the tolerance's root
  const hn_method *m = s->method;
  int nq = s->equations->nq;
  double size = 0, speed = 0;
  for (int i = 0; i < nq; i++) {
    double scale_q = s->tolerance.absolute + s->tolerance.relative * fabs(m->q[i]);
    double scale_v = s->tolerance.absolute + s->tolerance.relative * fabs(m->qd[i]);
    double a = m->q[i] / scale_q, b = m->qd[i] / scale_v;
    double c = m->qd[i] / scale_q, d = m->now->qdd[i] / scale_v;
    size += a * a + b * b;
    speed += c * c + d * d;
  }
  // a state of rounding errors says nothing: then as far as changes it by a hundredth of the tolerance
  double h = speed > 0 && size > 0 ? 0.01 * sqrt(fmax(size, 1) / speed) : 1e-4;
  return h < 1e-2 ? h : 1e-2;
}

// The step that the method or the controller suggests.
static double next_step(const hn_simulation *s) {
  const hn_method_type *type = s->method->type;
  int is_first = !(s->stepping.next > 0);
  if (type->propose && !(is_first && s->options.first_step > 0))
    return type->propose(s->method, &s->tolerance);
  return is_first ? first_step(s) : s->stepping.next;
}

// The size after a rejected attempt of size h.
static double smaller_step(hn_simulation *s, double h, double error_norm) {
  if (!s->method->type->propose) return h * hn_step_control_rejected(&s->control, error_norm);
  double proposed = s->method->type->propose(s->method, &s->tolerance);
  return proposed < 0.9 * h ? proposed : 0.9 * h;
}

// 0: no force ever changes its branch.
static int has_branches(const hn_simulation *s) {
  return s->changing.by_state > 0 || s->changing.by_time > 0;
}

double hn_simulation_next_break(const hn_simulation *s) {
  if (!has_branches(s) && s->elements->driver_branches == 0) return HUGE_VAL;
  return hn_elements_next_time(s->elements, s->method->t);
}

// The end of the next step: at the limit, at a published time, or where the controller suggests.
static double choose_end(const hn_simulation *s, double h, double t_limit) {
  if (s->stepping.mode == HN_RUN_REAL_TIME) return t_limit;
  double t = s->method->t, end = fmin(t_limit, hn_simulation_next_break(s));
  if (hn_simulation_sampled(s) > 0) end = fmin(end, hn_simulation_next_sample(s));
  if (s->model->input_count > 0) end = fmin(end, hn_simulation_next_followed(s));
  if (s->delays) end = fmin(end, hn_delays_limit(s));
  // a step that would leave a sliver takes it too; one that would leave a short rest takes half
  if (end - t <= 1.001 * h) return end;
  if (s->stepping.mode == HN_RUN_CONTROLLED && end - t < 2 * h) return t + 0.5 * (end - t);
  return t + h;
}

// Conditions are sampled a few times per step. One that is true briefly would be missed if nothing
// else limits the step: a run has at least a minimum number of samples. If the model gives no
// duration, it is a second, or the limit of its steps.
static double condition_limit(const hn_simulation *s, double t_limit) {
  enum { STEPS_A_RUN = 500 };
  const int conditions =
      s->model->rules.count + hn_guards_hidden_rules(s->model) + s->model->switch_count;
  if (conditions == 0) return HUGE_VAL;
  return (s->model->defaults.time > 0 ? s->model->defaults.time : fmax(1, t_limit)) / STEPS_A_RUN;
}

static double limited_step(hn_simulation *s, double t_limit) {
  if (s->stepping.mode != HN_RUN_CONTROLLED) return s->stepping.step;
  double h = next_step(s);
  int unused;
  double turning = turning_limit(s, &unused), force = force_limit(s, &unused);
  if (h > turning) h = turning;
  if (h > force) h = force;
  if (s->stepping.longest > 0) h = fmin(h, s->stepping.longest);
  if (s->options.max_step > 0)
    h = fmin(h, s->options.max_step);
  else
    h = fmin(h, condition_limit(s, t_limit));
  h = hn_auto_limit(s, h);
  const double followed = hn_event_max_step(s, h);
  // a formula that remembers steps extrapolates what was before the feature
  if (followed < ABRUPT * h && s->method->type->propose && s->stepping.mode == HN_RUN_CONTROLLED &&
      s->method->type->begin(s->method, &s->branches, &s->error) == HN_OK)
    return fmin(followed, s->method->type->propose(s->method, &s->tolerance));
  return followed;
}

// A fixed step cannot be shortened: a slow iteration gets all allowed iterations. Across a change
// of branch it may not converge on the branches of its start, where a tyre that has left the road
// still pulls: then every function takes the branch of its argument.
static hn_status attempt_patiently(hn_simulation *s, double end, double *error_norm) {
  hn_branches *b = s->changing.by_state > 0 ? &s->loose.branches : &s->branches;
  s->loose.holds = s->changing.by_state > 0;
  for (int f = 0; s->loose.holds && f < s->elements->force_branches; f++)
    b->force[f] = (hn_branch){HN_BRANCH_FREE, HN_BRANCH_FREE};
  for (int d = 0; s->loose.holds && d < s->elements->driver_branches; d++)
    b->driver[d] = s->branches.driver[d];
  for (int k = 0; s->loose.holds && k < s->elements->turn_count; k++)
    b->turns[k] = s->branches.turns[k];
  hn_step_looks_renew(s);
  s->method->is_patient = s->options.max_iterations > 0 ? 1 : 2;
  hn_status status =
      s->method->type->attempt(s->method, end, b, &s->tolerance, error_norm, &s->error);
  s->method->is_patient = 0;
  return status;
}

// Stops once; a later call continues. Checking is cheap, clearing is not.
static hn_status stop_if_told(hn_simulation *s) {
  if (!atomic_load_explicit(&s->interrupted, memory_order_relaxed) ||
      !atomic_exchange_explicit(&s->interrupted, 0, memory_order_relaxed))
    return HN_OK;
  return hn_fail(&s->error, HN_ERROR_INTERRUPTED, NULL, NULL, NULL,
                 "stopped on request at t = %g s", s->method->t);
}

// Whether steps of one size are required that real time does not bound.
static int keeps_given_step(const hn_simulation *s) {
  return s->stepping.mode == HN_RUN_FIXED_STEP || s->stepping.mode == HN_RUN_TIME_STEPPING;
}

// Attempts until the error is within the tolerance, from size h on.
static hn_status attempt(hn_simulation *s, double h, double t_limit, double *error_norm) {
  double smallest = s->options.min_step > 0
                        ? s->options.min_step
                        : 1e-14 * (fabs(s->method->t) + fabs(s->method->step) + 1e-3);
  // a step that does not move time would be taken for ever
  const double t = s->method->t;
  if (!(t + h > t) && keeps_given_step(s))
    return hn_fail(&s->error, HN_ERROR_STEP_SIZE, NULL, NULL, "give a larger @step",
                   "a fixed step of %g s is lost in rounding at t = %g s", h, t);
  if (!(t + h > t)) h = smallest;
  // A started step is completed, so that a continued run makes the same steps; but with a limit.
  for (int attempts = 0;; attempts++) {
    if (attempts > MOST_ATTEMPTS && stop_if_told(s) != HN_OK) return HN_ERROR_INTERRUPTED;
    double end = choose_end(s, h, t_limit);
    hn_status status = s->method->type->attempt(s->method, end, &s->branches, &s->tolerance,
                                                error_norm, &s->error);
    s->loose.holds = 0;
    if (status > 0 && keeps_given_step(s)) status = attempt_patiently(s, end, error_norm);
    if (status < 0) return status;
    if (status == HN_OK && (s->stepping.mode != HN_RUN_CONTROLLED || *error_norm <= 1))
      return HN_OK;
    s->certificate.steps_rejected++;
    h = end - s->method->t;
    if (s->stepping.mode != HN_RUN_CONTROLLED || h <= smallest)
      return hn_cannot_go_on(s, h, status == HN_OK ? HN_RETRY_ERROR : status);
    h = smaller_step(s, h, status == HN_OK ? *error_norm : HUGE_VAL);
  }
}

// Shortens the attempted step to the first change of a branch. *force stays -1 without one.
static hn_status stop_at_event(hn_simulation *s, double *error_norm, int *force, hn_branch *to) {
  *force = -1;
  if (s->stepping.mode != HN_RUN_CONTROLLED || s->changing.by_state == 0) return HN_OK;
  double theta = hn_locate_event(s, force, to);
  if (theta > 1) {
    *force = -1;
    return HN_OK;
  }
  if (theta == 1) return HN_OK;
  // the longer step ended at its limit or at a published time: none of its repetitions goes beyond
  double last = s->method->step_end, end = s->method->t + theta * s->method->step;
  s->control.after_rejection = 0; // that was the longer step
  for (int has_aimed = 0;;) {
    hn_status status = s->method->type->attempt(s->method, end, &s->branches, &s->tolerance,
                                                error_norm, &s->error);
    if (status < 0) return status;
    if (status == HN_OK && !(*error_norm > 1)) {
      // a step that was made shorter still ends before the event: there is nothing to reach
      double beyond = has_aimed || *force < 0 ? 0 : hn_locate_beyond(s, *force);
      if (!(beyond > 1)) return status;
      has_aimed = 1;
      end = fmin(s->method->t + beyond * s->method->step, last);
      continue;
    }
    // shorter still: the event stays ahead, and the next step finds it again
    *force = -1;
    s->certificate.steps_rejected++;
    double h = 0.25 * (end - s->method->t);
    if (h <= 1e-14 * (fabs(s->method->t) + 1e-3)) return hn_cannot_go_on(s, h, status);
    end = s->method->t + h;
  }
}

void hn_note_constraints(hn_simulation *s) {
  hn_certificate *c = &s->certificate;
  const hn_snapshot *now = s->method->now;
  int rows = now->rows_rest ? 0 : s->elements->row_count;
  for (int r = 0; r < rows; r++) {
    if (fabs(now->phi[r]) > c->constraint_position) c->constraint_position = fabs(now->phi[r]);
    if (fabs(now->phi_rate[r]) > c->constraint_velocity)
      c->constraint_velocity = fabs(now->phi_rate[r]);
    if (fabs(now->phi_acceleration[r]) > c->constraint_acceleration)
      c->constraint_acceleration = fabs(now->phi_acceleration[r]);
  }
  c->constraint_position = fmax(c->constraint_position, now->hidden_position);
  c->constraint_velocity = fmax(c->constraint_velocity, now->hidden_velocity);
  c->constraint_acceleration = fmax(c->constraint_acceleration, now->hidden_acceleration);
  hn_bounds_note_tilt(s);
  hn_bounds_note_depth(s);
}

static void note_energy(hn_simulation *s) {
  const hn_snapshot *now = s->method->now;
  double balance = now->kinetic + now->potential - s->method->work - s->energy.initial;
  double size = fabs(now->kinetic) + fabs(now->potential - s->energy.initial_potential) +
                fabs(s->method->work);
  if (fabs(balance) > s->certificate.energy_balance) s->certificate.energy_balance = fabs(balance);
  if (size > s->energy.largest) s->energy.largest = size;
  s->certificate.energy_relative =
      s->energy.largest > 0 ? s->certificate.energy_balance / s->energy.largest : 0;
  if (s->energy.parts.count > 0) hn_energy_parts_note(&s->energy.parts, s->model, now);
  if (s->model->touching.has_forces) hn_note_depths(s, now);
}

// A force that changes to and fro without end would let time stand still.
static hn_status check_chatter(hn_simulation *s, int f) {
  if (s->last_change[f].rapid < HN_EVENT_CHATTER) return HN_OK;
  char name[96];
  const hn_model *model = s->model;
  int is_own = f < model->force_count;
  return hn_fail(
      &s->error, HN_ERROR_STEP_SIZE, is_own ? &model->forces[f].source : NULL,
      hn_text(name, sizeof name, "%s '%s'", is_own ? "force" : "a force inside component",
              hn_model_force_name(model, f)),
      "make its function continuous; for dry friction use `joint-friction` with a transition",
      "switches its branch endlessly at t = %.9g s, where its function jumps", s->method->t);
}

hn_branch hn_settled_branch(const hn_simulation *s, int force, const hn_frame *frames, double t) {
  hn_branch branch = force < s->model->force_count
                         ? hn_force_branch(s->elements, force, frames, s->branches.turns, t)
                         : s->hidden_seen.force[force];
  const struct hn_last_change *last = &s->last_change[force];
  if (branch.state == last->from && t - last->time < HN_EVENT_GRACE * (1 + fabs(t)))
    branch.state = s->branches.force[force].state;
  return branch;
}

static hn_status next_force_branches(hn_simulation *s, int force, hn_branch to, int *changed) {
  hn_branches *b = &s->branches;
  const hn_frame *frames = s->method->now->frames;
  int has_kink = 0;
  for (int f = 0; f < s->elements->force_branches; f++) {
    hn_branch old = b->force[f];
    hn_branch now = hn_settled_branch(s, f, frames, s->method->t);
    // The repeated step may end a little before the change that its longer version showed: the next
    // one finds it again, much nearer, until the step is so short that it counts as there.
    if (f == force && now.state == old.state &&
        s->stepping.last < HN_EVENT_GRACE * (1 + fabs(s->method->t)))
      now.state = to.state;
    if (now.state != old.state) hn_record_event(s, s->method->t, f, old.state, now.state);
    has_kink |= now.time != old.time;
    *changed |= now.state != old.state || now.time != old.time;
    b->force[f] = now;
    hn_status status = check_chatter(s, f);
    if (status != HN_OK) return status;
  }
  if (has_kink) hn_record_event(s, s->method->t, -1, 0, 0);
  return HN_OK;
}

// A driver whose law bends asks for another velocity at once: the jump is a projection, and the kinetic
// energy it brings is work of the driver.
static hn_status next_driver_branches(hn_simulation *s, int *changed) {
  hn_method *m = s->method;
  hn_equations *e = s->equations;
  int has_kink = 0;
  for (int d = 0; d < s->elements->driver_branches; d++) {
    int now = d < s->model->driver_count ? hn_driver_time_branch(s->elements, d, m->t)
                                         : s->hidden_seen.driver[d];
    has_kink |= now != s->branches.driver[d];
    s->branches.driver[d] = now;
  }
  if (!has_kink) return HN_OK;
  double before = m->now->kinetic;
  hn_record_event(s, m->t, -1, 0, 0);
  hn_status status =
      e->type->project_velocities(e, m->t, m->q, m->qd, &s->branches, s->looking.correction);
  if (status == HN_OK) status = m->type->begin(m, &s->branches, &s->error);
  if (status > 0) return hn_cannot_go_on(s, 0, status);
  m->work += m->now->kinetic - before;
  *changed = 1;
  return status;
}

static int follows_contacts(const hn_simulation *s) {
  return s->contacts && !s->method->type->steps_over;
}

// Fixes the branches of the next step. A change of branch recomputes the accelerations.
static hn_status next_branches(hn_simulation *s, int force, hn_branch to) {
  int changed = 0;
  if (s->equations->type->coordinates->update_turns)
    s->equations->type->coordinates->update_turns(s->equations, s->method->q,
                                                  s->method->now->frames, s->branches.turns);
  else
    hn_elements_update_turns(s->elements, s->method->now->frames, s->branches.turns);
  if (s->elements->anchor_count > 0)
    hn_elements_move_anchors(s->elements, s->method->now->frames, s->method->t, 1,
                             s->branches.turns);
  if (s->stepping.mode == HN_RUN_REAL_TIME) return hn_realtime_next_branches(s);
  hn_status status = HN_OK;
  hn_see_hidden_branches(s, s->method->now->frames, s->method->t);
  if (has_branches(s)) status = next_force_branches(s, force, to, &changed);
  if (status == HN_OK) status = next_driver_branches(s, &changed);
  if (status == HN_OK && follows_contacts(s)) status = hn_contacts_next(s, &changed);
  if (status == HN_OK && s->switches) status = hn_switches_next(s, &changed);
  if (status != HN_OK || !changed) return status;
  return s->method->type->begin(s->method, &s->branches, &s->error);
}

static void remember_taken_branches(hn_simulation *s) {
  const hn_branch *force = s->loose.holds ? s->loose.branches.force : s->branches.force;
  for (int f = 0; f < s->elements->force_branches; f++) s->taken.force[f] = force[f];
  for (int d = 0; d < s->elements->driver_branches; d++) s->taken.driver[d] = s->branches.driver[d];
  for (int k = 0; k < s->elements->turn_count; k++) s->taken.turns[k] = s->branches.turns[k];
  if (s->contacts) hn_grips_copy(s->equations, s->branches.grips, s->taken.grips);
  if (s->switches) hn_switches_take(s);
}

// Warns if constraints that were dependent at the start are not any more. If the model is at rest
// in such a configuration, rounding decides which of the possible motions it takes.
static void warn_singular_start(hn_simulation *s) {
  if (s->at_start.redundant < 0) return;
  const int rows = s->at_start.redundant - hn_simulation_redundant(s);
  if (rows <= 0) return;
  s->at_start.redundant = -1;
  hn_simulation_warn(s, "initial",
                     "is at rest in a singular configuration (%d dependent constraint%s); the "
                     "motion is not unique. Offset the start or give an initial velocity",
                     rows, rows == 1 ? "" : "s");
}

static hn_status accept(hn_simulation *s, double suggested, double error_norm, int force,
                        hn_branch to) {
  hn_certificate *c = &s->certificate;
  remember_taken_branches(s);
  hn_status noted = s->delays ? hn_delays_note(s) : HN_OK;
  if (noted != HN_OK) return noted;
  s->method->type->accept(s->method);
  double h = s->method->step, factor = hn_step_control_accepted(&s->control, error_norm);
  // a step cut short by a limit or an event says little: it may not shrink the suggestion
  s->stepping.next =
      h * factor < suggested && h < 0.99 * suggested && factor > 1 ? suggested : h * factor;
  s->stepping.last = h;
  c->steps_accepted++;
  c->steps_of_index_1 += s->method->index == 1;
  c->steps_past.substituted += s->method->is_substituted;
  c->steps_past.coasted += s->method->has_coasted;
  if (c->steps_between.smallest == 0 || h < c->steps_between.smallest)
    c->steps_between.smallest = h;
  if (h > c->steps_between.largest) c->steps_between.largest = h;
  hn_note_constraints(s);
  note_energy(s);
  hn_resolution_note(&s->resolution, s->method->q, s->method->now->qdd);
  if (s->automatic.is_choosing) hn_auto_note(s);
  warn_singular_start(s);
  hn_simulation_tell_unsolved(s);
  hn_status status = next_branches(s, force, to);
  if (status == HN_OK && s->guards) status = hn_guards_next(s);
  return status == HN_OK && s->stepping.mode == HN_RUN_CONTROLLED ? hn_watch_progress(s) : status;
}

// Shortens the attempted step to the first change of a branch, condition, contact or switch.
static hn_status stop_at_change(hn_simulation *s, double *error_norm, int *force, hn_branch *to) {
  int has_change = 0;
  hn_status status = stop_at_event(s, error_norm, force, to);
  if (status == HN_OK && s->guards) status = hn_guards_stop(s, error_norm, &has_change);
  if (has_change) *force = -1;
  if (status == HN_OK && follows_contacts(s)) status = hn_contacts_stop(s, error_norm, &has_change);
  if (status == HN_OK && s->switches) status = hn_switches_stop(s, error_norm, &has_change);
  if (has_change) *force = -1;
  return status;
}

// Repeats the attempted step, shorter, until its interior is as it assumes.
static hn_status shorten_to_see(hn_simulation *s, double t_limit, double *suggested,
                                double *error_norm, int *force, hn_branch *to) {
  const double least = 1e-12 * (fabs(s->method->t) + 1e-3);
  hn_status status = HN_OK;
  double theta;
  while (status == HN_OK && (theta = hn_event_unchanged_until(s)) < 1 &&
         s->stepping.mode == HN_RUN_CONTROLLED && theta * s->method->step > least) {
    *suggested = theta * s->method->step;
    s->certificate.steps_rejected++;
    status = attempt(s, *suggested, t_limit, error_norm);
    if (status == HN_OK) status = stop_at_change(s, error_norm, force, to);
  }
  return status;
}

static hn_status take_step(hn_simulation *s, double t_limit) {
  double error_norm = 0;
  int force = -1;
  hn_branch to = {0, 0};
  long iterations = s->method->iterations;
  s->error.status = HN_OK;
  s->stepping.has_dense = 0;
  hn_step_looks_renew(s);
  hn_status status = HN_OK;
  const int is_uneven = s->at_start.mass_ratio.light > 0;
  if (is_uneven && !s->equations->type->traits.of_joints)
    status = hn_fail_mass_ratio(s->model, &s->at_start.mass_ratio, &s->error);
  if (status == HN_OK) status = stop_if_told(s); // before anything is changed or counted
  if (status == HN_OK && s->elements->is_held) status = hn_simulation_release_drivers(s);
  const int inputs = s->model->input_count;
  if (status == HN_OK && inputs > 0) status = hn_simulation_take_inputs(s);
  if (status == HN_OK && inputs + hn_simulation_sampled(s) > 0)
    status = hn_simulation_take_samples(s);
  if (status == HN_OK && s->automatic.choice.is_changing) status = hn_auto_change(s);
  if (status == HN_OK && s->guards) hn_guards_begin(s);
  double suggested = status == HN_OK ? limited_step(s, t_limit) : 0;
  if (status == HN_OK && s->stepping.mode != HN_RUN_CONTROLLED) {
    const double h = fmin(s->stepping.step, t_limit - s->method->t);
    warn_blind_step(s, h);
    hn_event_report_fixed(s, h);
  }
  const int is_ready = status == HN_OK;
  if (is_ready) status = attempt(s, suggested, t_limit, &error_norm);
  if (is_ready && s->automatic.is_choosing && hn_auto_refuses(s, status)) {
    status = hn_auto_change(s);
    if (status == HN_OK) status = attempt(s, limited_step(s, t_limit), t_limit, &error_norm);
  }
  if (is_ready && status == HN_ERROR_STEP_SIZE && hn_auto_retreats(s)) {
    suggested = limited_step(s, t_limit);
    status = attempt(s, suggested, t_limit, &error_norm);
  }
  // after refusals it is the size that was taken at last
  if (status == HN_OK && s->method->step < suggested && s->control.after_rejection)
    suggested = s->method->step;
  if (status == HN_OK) status = stop_at_change(s, &error_norm, &force, &to);
  if (status == HN_OK) status = shorten_to_see(s, t_limit, &suggested, &error_norm, &force, &to);
  // relative coordinates go far with such masses, but not always
  if (is_uneven && status == HN_ERROR_STEP_SIZE)
    status = hn_fail_mass_ratio(s->model, &s->at_start.mass_ratio, &s->error);
  if (status == HN_OK) {
    status = accept(s, suggested, error_norm, force, to);
    s->stepping.has_dense = 1;
    s->stepping.iterations = s->method->iterations - iterations;
    if (status == HN_OK && s->stepping.mode != HN_RUN_REAL_TIME) status = hn_watch_work(s, t_limit);
  }
  // projections cannot identify a component that does not answer
  if (status < 0 && s->error.status == HN_OK &&
      hn_nested_lost(s->equations, s->method->t, &s->error) != HN_OK)
    status = s->error.status;
  s->view.snapshot = s->method->now;
  s->view.branches = &s->branches;
  s->view.work = s->method->work;
  if (s->method->states > 0) hn_states_set(s->elements, s->method->z);
  return status;
}

hn_status hn_simulation_take_step(hn_simulation *s, double t_limit) {
  const double begin = s->method->t;
  hn_status status = take_step(s, t_limit);
  if (status >= 0 || !s->contacts || !hn_stepping_takes_over(s)) return status;
  s->view.snapshot = s->method->now;
  return s->method->t > begin ? HN_OK : take_step(s, t_limit);
}

double hn_simulation_time(const hn_simulation *s) { return s->method->t; }

static double cpu_since(clock_t begin) { return (double)(clock() - begin) / CLOCKS_PER_SEC; }

// To read the CPU time is a system call and may cost as much as a small step. After a short step the
// next one is timed by the calendar, which is read without one; where that shows far more, the
// thread was interrupted, and as much as for the step before is counted.
hn_status hn_simulation_step(hn_simulation *s, double t_limit) {
  if (!(t_limit > s->method->t)) return HN_OK;
  hn_status status;
  if (s->stepping.seconds > 0 && s->stepping.seconds < SHORT_STEP) {
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    status = hn_simulation_take_step(s, t_limit);
    timespec_get(&end, TIME_UTC);
    double passed =
        difftime(end.tv_sec, begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    s->certificate.cpu_seconds +=
        passed >= 0 && passed < 10 * SHORT_STEP ? passed : s->stepping.seconds;
    if (passed > 0) s->stepping.seconds = passed; // a long one: the next is timed by the CPU
  } else {
    clock_t begin = clock();
    status = hn_simulation_take_step(s, t_limit);
    s->stepping.seconds = cpu_since(begin);
    s->certificate.cpu_seconds += s->stepping.seconds;
  }
  return status;
}

hn_status hn_simulation_advance(hn_simulation *s, double time) {
  clock_t begin = clock();
  hn_status status = HN_OK;
  while (status == HN_OK && s->method->t < time) status = hn_simulation_take_step(s, time);
  s->certificate.cpu_seconds += cpu_since(begin);
  return status;
}
