// Branches of forces and drivers as a source of events (event_sources.h). Within a step every force
// keeps its branch. The attempted step is searched for the first moment at which one changes
// (simulation_events.c) and is repeated to end there. Branches of time change at known times, at
// which steps end. In real time nothing is located (realtime_branches.c).
#include <math.h>

#include "analysis/event_sources.h"
#include "base/error.h"

// 0: no force ever changes its branch.
static int has_branches(const hn_simulation *s) {
  return s->changing.by_state > 0 || s->changing.by_time > 0;
}

double hn_simulation_next_break(const hn_simulation *s) {
  if (!has_branches(s) && s->elements->driver_branches == 0) return HUGE_VAL;
  return hn_elements_next_time(s->elements, s->method->t);
}

static double branches_changed_within(hn_simulation *s) {
  struct hn_changing *c = &s->changing;
  c->force = -1;
  if (s->stepping.mode != HN_RUN_CONTROLLED || c->by_state == 0) return 2;
  const double theta = hn_locate_event(s, &c->force, &c->to);
  if (theta > 1) c->force = -1;
  return theta;
}

static int branches_changed_at_end(hn_simulation *s) {
  struct hn_changing *c = &s->changing;
  const hn_frame *frames = s->method->next->frames;
  c->force = -1;
  hn_see_hidden_branches(s, frames, s->method->step_end);
  for (int k = 0; k < c->count; k++) {
    const int f = c->list[k];
    if (hn_settled_branch(s, f, frames, s->method->step_end).state != s->branches.force[f].state)
      return 1;
  }
  return 0;
}

static void branches_forget(hn_simulation *s) { s->changing.force = -1; }

static hn_status branches_locate(hn_simulation *s, double theta, double *error_norm) {
  struct hn_changing *c = &s->changing;
  if (theta == 1) return HN_OK;
  // the longer step ended at its limit or at a published time: none of its repetitions goes beyond
  const double last = s->method->step_end;
  double end = s->method->t + theta * s->method->step;
  s->control.after_rejection = 0; // that was the longer step
  for (int has_aimed = 0;; has_aimed = 1) {
    int is_shorter = 0;
    hn_status status = hn_events_attempt(s, end, error_norm, &is_shorter);
    if (is_shorter) c->force = -1; // the event stays ahead, and the next step finds it again
    if (status != HN_OK || has_aimed || c->force < 0) return status;
    const double beyond = hn_locate_beyond(s, c->force);
    if (!(beyond > 1)) return status;
    end = fmin(s->method->t + beyond * s->method->step, last);
  }
}

static hn_status branches_take(hn_simulation *s) {
  const hn_branch *force = s->loose.holds ? s->loose.branches.force : s->branches.force;
  for (int f = 0; f < s->elements->force_branches; f++) s->taken.force[f] = force[f];
  for (int d = 0; d < s->elements->driver_branches; d++) s->taken.driver[d] = s->branches.driver[d];
  return HN_OK;
}

// ---- changes ------------------------------------------------------------------------------------

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

static hn_status next_force_branches(hn_simulation *s, int *changed) {
  hn_branches *b = &s->branches;
  struct hn_changing *c = &s->changing;
  const hn_frame *frames = s->method->now->frames;
  int has_kink = 0;
  for (int k = 0; k < c->count; k++) {
    const int f = c->list[k];
    hn_branch old = b->force[f];
    hn_branch now = hn_settled_branch(s, f, frames, s->method->t);
    // The repeated step may end a little before the change that its longer version showed: the next
    // one finds it again, much nearer, until the step is so short that it counts as there.
    if (f == c->force && now.state == old.state &&
        s->stepping.last < HN_EVENT_GRACE * (1 + fabs(s->method->t)))
      now.state = c->to.state;
    if (now.state != old.state) hn_record_event(s, s->method->t, f, old.state, now.state);
    has_kink |= now.time != old.time;
    *changed |= now.state != old.state || now.time != old.time;
    b->force[f] = now;
    hn_status status = check_chatter(s, f);
    if (status != HN_OK) return status;
  }
  c->force = -1;
  if (has_kink) hn_record_event(s, s->method->t, -1, 0, 0);
  return HN_OK;
}

// A driver whose law bends asks for another velocity at once: the jump is a projection, and the kinetic
// energy it brings is work of the driver.
static hn_status next_driver_branches(hn_simulation *s, int *changed) {
  hn_method *m = s->method;
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
  hn_status status = hn_simulation_restart(s, 1);
  if (status == HN_OK) m->work += m->now->kinetic - before;
  *changed = 1;
  return status;
}

static hn_status branches_apply(hn_simulation *s, int *changed) {
  hn_status status = HN_OK;
  if (s->stepping.mode == HN_RUN_REAL_TIME) return status;
  hn_see_hidden_branches(s, s->method->now->frames, s->method->t);
  if (has_branches(s)) status = next_force_branches(s, changed);
  return status == HN_OK ? next_driver_branches(s, changed) : status;
}

static int branches_present(const hn_simulation *s) {
  return s->elements->force_branches > 0 || s->elements->driver_branches > 0;
}

const hn_event_source hn_branches_source = {.name = "branches of forces",
                                            .is_present = branches_present,
                                            .next_time = hn_simulation_next_break,
                                            .changed_within = branches_changed_within,
                                            .changed_at_end = branches_changed_at_end,
                                            .locate = branches_locate,
                                            .forget = branches_forget,
                                            .take = branches_take,
                                            .apply = branches_apply};
