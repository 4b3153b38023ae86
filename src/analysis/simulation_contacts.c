// Rigid contacts of a run (simulation_contacts.h): ending steps at changes, settling them, taking
// notes.
#include "analysis/simulation_contacts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/auto_stepping.h"
#include "analysis/event_sources.h"
#include "analysis/overlap.h"
#include "base/error.h"
#include "equations/conditions.h"
#include "math/elementary.h"
#include "model/contact.h"

#define OVERLAP 1e-9    // m: a larger depth at the start is reported
#define BEYOND 1e-6     // m or rad: a joint further outside of a rigid stop is rejected
#define TOUCHES 1e-6    // m: a rolling body further away is not in contact
#define STILL 1e-12     // of accelerations without contacts: less counts as 0
#define STILL_MOST 1e-6 // ... after many changes at one moment
#define SLOW_SLIP 2e-4  // m/s
#define SHORT_STEP 1e-5 // s
// Of a time-stepping step: the mean time between changes in a chatter sequence.
#define CROWDED 0.05
#define TIGHTER 0.1    // of the tolerance asked for
#define TIGHTEST 1e-13 // ... and no less: rounding
#define SOON 1e-3      // of the time so far: short for SQUEEZED changes
#define GROWN 2.0      // energy over that before
enum { AIMS = 4, SLOW_STEPS = 60, FEW_CHANGES = 4, CROWD = 400, SQUEEZED = 20000 };

// Events multiply errors: what is late hits at another speed and place. Steps are controlled closely.
static double tighter(double tolerance) {
  return fmin(tolerance, fmax(TIGHTER * tolerance, TIGHTEST));
}

hn_status hn_watch_contacts(hn_simulation *s) {
  const int points = s->equations->touch_points;
  if (points == 0 || s->method->type->steps_over) return HN_OK;
  struct hn_contact_watch *w = HN_KEEP(&s->arena, struct hn_contact_watch, 1);
  if (!w) return HN_ERROR_MEMORY;
  w->speed = HN_KEEP(&s->arena, double, points);
  // a slip too slow for the steps to resolve has ended
  hn_conditions_of(s->equations)->rest = fmax(1e-9, 20 * s->tolerance.absolute);
  if (s->stepping.mode == HN_RUN_REAL_TIME)
    hn_conditions_of(s->equations)->period = s->stepping.step;
  s->tolerance.absolute = tighter(s->tolerance.absolute);
  s->tolerance.relative = tighter(s->tolerance.relative);
  w->level = HN_KEEP(&s->arena, double, points);
  w->back = HN_KEEP(&s->arena, double, points);
  for (int k = 0; k < 3; k++) w->look[k] = HN_KEEP(&s->arena, hn_contact_look, points);
  for (int k = 0; k < 3; k++) w->excess[k] = HN_KEEP(&s->arena, double, points);
  w->before = HN_KEEP(&s->arena, int, points);
  const hn_contacts *contacts = hn_conditions_of(s->equations)->contacts;
  w->thin = HN_TAKE(&s->arena, double, contacts->pair_count);
  for (int p = 0; w->thin && p < contacts->pair_count; p++)
    w->thin[p] = 0.5 * hn_contact_thickness(contacts, &contacts->pairs[p]);
  s->contacts = w;
  hn_status status = hn_grips_create(&s->arena, s->equations, &s->branches.grips);
  if (status == HN_OK) status = hn_grips_create(&s->arena, s->equations, &s->taken.grips);
  if (status == HN_OK) {
    s->branches.grips->turns = s->branches.turns;
    hn_conditions_of(s->equations)->of_run = s->branches.grips;
    s->taken.grips->turns = s->taken.turns;
    hn_contacts_declare(s);
  }
  return s->arena.failed ? HN_ERROR_MEMORY : status;
}

double hn_contacts_thinnest(const hn_simulation *s) {
  if (!s->contacts && !s->method->type->steps_over) return 0;
  const hn_contacts *contacts = hn_conditions_of(s->equations)->contacts;
  double thinnest = HUGE_VAL;
  for (int p = 0; p < contacts->pair_count; p++)
    thinnest = fmin(thinnest, 0.5 * hn_contact_thickness(contacts, &contacts->pairs[p]));
  return isfinite(thinnest) ? thinnest : 0;
}

void hn_contacts_certify(const hn_simulation *s, hn_certificate *c) {
  const hn_contact_record *r = &s->method->contact;
  if (!s->method->type->steps_over) return;
  c->penetration = r->penetration;
  c->contact_residual = r->residual;
  c->impact_loss = r->impact_loss;
  c->friction_loss = r->friction_loss;
  c->impacts = r->impacts;
  c->contacts_unresolved = r->unresolved;
  c->contacts_fallbacks = r->fallbacks;
}

void hn_contacts_recall(hn_simulation *s) {
  const hn_certificate *c = &s->certificate;
  if (!s->method->type->steps_over) return;
  s->method->contact = (hn_contact_record){.penetration = c->penetration,
                                           .residual = c->contact_residual,
                                           .impact_loss = c->impact_loss,
                                           .friction_loss = c->friction_loss,
                                           .impacts = c->impacts,
                                           .unresolved = c->contacts_unresolved,
                                           .fallbacks = c->contacts_fallbacks};
}

// A moment inside a time-stepping step: interpolated between its ends.
hn_status hn_contacts_look(hn_simulation *s, double time) {
  hn_method *m = s->method;
  hn_equations *e = s->equations;
  hn_snapshot *look = s->looking.snapshot;
  const hn_snapshot *now = m->now;
  hn_snapshot_complete(e, &s->branches, m->now); // what relative coordinates leave for later
  m->type->interpolate(m, (time - m->step_begin) / m->step, s->looking.q, s->looking.qd,
                       &s->view.work);
  e->type->coordinates->frames(e, s->looking.q, s->looking.qd, look->frames);
  look->t = time;
  hn_status status = hn_apply_forces(e, time, &s->taken, look, &s->error);
  look->kinetic = now->kinetic;
  memcpy(look->ud, now->ud, (size_t)e->nu * sizeof(double));
  memcpy(look->qdd, now->qdd, (size_t)e->nq * sizeof(double));
  for (int b = 0; b < s->model->body_count; b++) {
    look->acceleration[b] = now->acceleration[b];
    look->angular_acceleration[b] = now->angular_acceleration[b];
  }
  memcpy(look->lambda, now->lambda, (size_t)e->elements->row_count * sizeof(double));
  if (now->touch && look->touch)
    memcpy(look->touch, now->touch, (size_t)e->touch_points * sizeof *look->touch);
  return status;
}

static const char *name_point(const hn_simulation *s, int point, char *text, size_t size) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_extra *extra = hn_extra_of(self, point);
  if (extra && extra->kind == HN_EXTRA_EDGE)
    return hn_text(text, size, "joint '%s'", s->model->joints[extra->joint].name);
  if (extra) return hn_text(text, size, "force '%s'", s->model->forces[extra->force].name);
  const hn_contact_pair *pair = &self->contacts->pairs[point / HN_CONTACT_POINTS];
  return hn_text(text, size, "contact '%s' of bodies '%s' and '%s'",
                 s->model->contacts[pair->rule].name, s->model->bodies[pair->body[0]].name,
                 s->model->bodies[pair->body[1]].name);
}

// Reports each kind of problem once, and counts them.
static void tell(hn_simulation *s, const hn_touch_report *r) {
  struct hn_contact_watch *w = s->contacts;
  hn_certificate *c = &s->certificate;
  char name[192];
  if (r->gaining >= 0 && !w->has_warned[0]++)
    hn_simulation_warn(s, name_point(s, r->gaining, name, sizeof name),
                       "gains energy in an impact at t = %.9g s (%.3g J), an artifact of Newton's "
                       "restitution with friction. Use `impact: poisson` or a smaller restitution",
                       s->method->t, r->gained);
  if (r->passing >= 0 && !w->has_warned[1]++)
    hn_simulation_warn(s, name_point(s, r->passing, name, sizeof name),
                       "passes on an impact at t = %.9g s through bodies in contact; the result is "
                       "not unique. Leave a small gap between them or use a compliant `law:`",
                       s->method->t);
  if (r->paradox >= 0 && !w->has_warned[2]++)
    hn_simulation_warn(s, name_point(s, r->paradox, name, sizeof name),
                       "slides at t = %.9g s without a unique continuation (Painleve paradox); one "
                       "was chosen. Reduce friction or use a compliant `law:`",
                       s->method->t);
  c->contacts_unresolved += r->unsolved >= 0 || r->locked >= 0;
  c->contact_residual = fmax(c->contact_residual, r->residual);
  if (r->penetration > OVERLAP) c->penetration = fmax(c->penetration, r->penetration);
  c->impacts += r->impacts;
  c->impact_loss += r->lost - r->gained;
}

static hn_status check_resolved(hn_simulation *s, const hn_touch_report *r) {
  char name[192];
  if (r->locked >= 0)
    return hn_fail(&s->error, HN_ERROR_INCONSISTENT, NULL,
                   name_point(s, r->locked, name, sizeof name),
                   "reduce friction, replace the driver by a force, or use a compliant `law:`",
                   "jams at t = %.9g s: friction is self-locking while a driver moves the bodies, "
                   "so no contact force exists",
                   s->method->t);
  if (r->unsolved < 0) return HN_OK;
  return hn_fail(
      &s->error, HN_ERROR_CONVERGENCE, NULL, name_point(s, r->unsolved, name, sizeof name),
      "reduce friction or use a compliant `law:`; sliding may have no solution here (Painleve "
      "paradox)",
      "has no contact force at t = %.9g s that satisfies the contact conditions", s->method->t);
}

// If changes follow each other endlessly, points that hardly accelerate change by rounding alone:
// more and more of them count as sticking.
static double still_after(int rapid) {
  return fmin(STILL * hn_pow(10, 0.5 * fmax(0, rapid - FEW_CHANGES)), STILL_MOST);
}

static hn_status settle(hn_simulation *s, hn_touch_hint hint) {
  hn_method *m = s->method;
  hint.still = still_after(s->contacts->rapid);
  hn_touch_report report;
  const long impacts = s->certificate.impacts;
  hn_status status =
      hn_rigid_settle(s->equations, m->t, m->q, m->qd, &s->branches, hint, &report, &s->error);
  if (status > 0) return hn_cannot_go_on(s, 0, status);
  if (status != HN_OK) return status;
  tell(s, &report);
  m->work += report.work;
  status = check_resolved(s, &report);
  if (status == HN_OK && s->certificate.impacts > impacts) s->control.after_rejection = 0;
  return status;
}

// Rolling bodies must be in contact at the start; rolling bodies and knife edges must not slip there.
static hn_status check_held(hn_simulation *s, const hn_frame *frames) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  char name[192];
  for (int p = 0; p < self->contacts->pair_count; p++) {
    if (!self->rule[p] || self->rule[p]->law != HN_CONTACT_ROLLING) continue;
    hn_contact_point points[HN_CONTACT_POINTS];
    const hn_contact_pair *pair = &self->contacts->pairs[p];
    const int mode = hn_contact_mode(self->contacts, pair, frames, DBL_MAX);
    const int count =
        hn_contact_points(self->contacts, pair, mode, frames, HN_CONTACT_PLACES, points);
    double gap = HUGE_VAL;
    for (int i = 0; i < count; i++) gap = fmin(gap, points[i].gap);
    if (gap <= TOUCHES) continue;
    return hn_fail(&s->error, HN_ERROR_MODEL, &self->rule[p]->source,
                   name_point(s, p * HN_CONTACT_POINTS, name, sizeof name),
                   "move the body onto the surface it rolls on",
                   "rolls, but the bodies are %.3g m apart at the start", gap);
  }
  return HN_OK;
}

// A rigid stop that comes into force finds its joint between its ends.
static hn_status check_stops(hn_simulation *s, const hn_frame *frames) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  char name[192];
  for (int i = self->first_extra; i < self->point_count; i++) {
    const struct hn_extra *extra = hn_extra_of(self, i);
    double gap, rate;
    if (extra->kind != HN_EXTRA_STOP || hn_extra_is_off(s->elements, extra)) continue;
    hn_extra_motion(s->elements, extra, frames, s->branches.turns, &gap, &rate);
    if (!(gap < -BEYOND)) continue;
    return hn_fail(
        &s->error, HN_ERROR_MODEL, &s->model->forces[extra->force].source,
        name_point(s, i, name, sizeof name),
        "make it conditional so that it acts only between its ends, or give it a `stiffness`",
        "is a rigid stop, and at t = %.9g s joint '%s' is at %.6g (m or rad), beyond its "
        "%s end %.6g",
        s->method->t, s->model->joints[extra->joint].name, extra->end + extra->sign * gap,
        extra->sign > 0 ? "lower" : "upper", extra->end);
  }
  return HN_OK;
}

// Warns that slipping velocities at the start were changed.
static void tell_slip(hn_simulation *s, double change) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  if (!(fabs(change) > 1e-12)) return;
  for (int i = 0; i < self->point_count; i++) {
    if (s->branches.grips->grip[i] == HN_GRIP_OPEN || !hn_touch_is_held(self, i)) continue;
    char name[192];
    hn_simulation_warn(s, name_point(s, i, name, sizeof name),
                       "slips with the velocities given at the start; they were changed, by %.3g J "
                       "of kinetic energy. Give velocities without slip",
                       fabs(change));
    return;
  }
}

// A contact whose shapes all belong to bodies that joints join, or to contacts before it, does nothing.
void hn_tell_idle_contacts(hn_simulation *s) {
  const hn_contacts *c = s->elements->contacts;
  if (!c || !c->rule_first) return;
  for (int r = 0; r < s->model->contact_count; r++) {
    const hn_contact_def *rule = &s->model->contacts[r];
    if (c->rule_first[r + 1] > c->rule_first[r] || rule->count1 == 0 || rule->count2 == 0 ||
        rule->law == HN_CONTACT_NONE)
      continue;
    const int body1 = s->model->shapes[rule->shapes1[0]].frame.body,
              body2 = s->model->shapes[rule->shapes2[0]].frame.body;
    char name[160];
    hn_text(name, sizeof name, "contact '%s'", rule->name);
    if (body1 != body2 && hn_model_bodies_joined(s->model, body1, body2))
      hn_simulation_warn(
          s, name,
          "is never active: a joint connects '%s' and '%s'. Set `joined: true` to allow contact",
          s->model->bodies[body1].name, s->model->bodies[body2].name);
    else
      hn_simulation_warn(s, name,
                         "is never active: its shapes belong to one body, or an earlier contact "
                         "applies to them. Remove it or change the order");
  }
}

static void forget_changes(struct hn_contact_watch *w) {
  w->rapid = w->slow = w->crowd = 0;
  w->changes = 0;
  w->last = w->crowd_begin = -HUGE_VAL;
}

hn_status hn_contacts_start(hn_simulation *s) {
  if (!s->contacts) return HN_OK;
  const hn_conditions *self = hn_conditions_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd,
                                          s->looking.frames);
  for (int p = 0; p < self->contacts->pair_count; p++)
    if (self->rule[p])
      g->mode[p] =
          hn_contact_mode(self->contacts, &self->contacts->pairs[p], s->looking.frames, DBL_MAX);
  for (int i = 0; i < self->point_count; i++) g->grip[i] = HN_GRIP_OPEN;
  g->closed = 0;
  forget_changes(s->contacts);
  memset(g->straight, s->stepping.mode == HN_RUN_REAL_TIME, (size_t)self->point_count);
  hn_overlap_tell(s, s->looking.frames, self->contacts->pairs, self->contacts->pair_count, OVERLAP,
                  "the start moves them apart");
  hn_status held = check_held(s, s->looking.frames);
  if (held == HN_OK) held = check_stops(s, s->looking.frames);
  if (held != HN_OK) return held;
  const double work = s->method->work;
  hn_status status = settle(s, (hn_touch_hint){.point = -1});
  if (status == HN_OK && s->certificate.impacts == 0) tell_slip(s, s->method->work - work);
  s->method->work = work; // the energy of a run counts from here
  return status;
}

static double loss_of(const hn_simulation *s, const hn_snapshot *snapshot) {
  double sum = 0;
  for (int i = 0; s->branches.grips->closed > 0 && i < s->equations->touch_points; i++)
    sum += snapshot->touch[i].loss;
  return sum;
}

// 1: contacts have modes, which change by events.
static int follows(const hn_simulation *s) { return !s->method->type->steps_over; }

static double contacts_changed_within(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  if (!follows(s)) return 2;
  w->loss = loss_of(s, s->method->now);
  if (s->stepping.mode == HN_RUN_REAL_TIME) { // changes at ends of steps only
    w->change = hn_find_late_change(s, &w->point);
    return 2;
  }
  const double theta = hn_find_contact_change(s, &w->change, &w->point);
  if (theta > 1) w->change = HN_CHANGE_NONE;
  return theta;
}

// 1: a pair in contact has other faces or points at these frames.
static int has_other_points(const hn_simulation *s, const hn_frame *frames) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  for (int p = 0; g->closed > 0 && p < self->contacts->pair_count; p++) {
    const hn_contact_pair *pair = &self->contacts->pairs[p];
    int closed = 0, found = 0;
    for (int i = 0; i < HN_CONTACT_POINTS; i++)
      closed += g->grip[p * HN_CONTACT_POINTS + i] != HN_GRIP_OPEN;
    if (closed == 0) continue;
    if (hn_contact_mode(self->contacts, pair, frames, DBL_MAX) != g->mode[p]) return 1;
    if (!hn_contact_varies(self->contacts, pair)) continue;
    hn_contact_point points[HN_CONTACT_POINTS];
    int number[HN_CONTACT_POINTS];
    const int count =
        hn_contact_points(self->contacts, pair, g->mode[p], frames, HN_CONTACT_PLACES, points);
    hn_rigid_number(self, g, p, points, count, number);
    for (int i = 0; i < count; i++) found += number[i] >= 0 && g->grip[number[i]] != HN_GRIP_OPEN;
    if (found != closed) return 1;
  }
  return 0;
}

static int contacts_changed_at_end(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  if (!follows(s)) return 0;
  w->loss = loss_of(s, s->method->now);
  w->change = hn_find_late_change(s, &w->point);
  return w->change != HN_CHANGE_NONE || has_other_points(s, s->method->next->frames);
}

static void contacts_forget(hn_simulation *s) { s->contacts->change = HN_CHANGE_NONE; }

static hn_status contacts_locate(hn_simulation *s, double theta, double *error_norm) {
  const struct hn_contact_watch *w = s->contacts;
  hn_method *m = s->method;
  const double t = m->t, last = m->step_end, least = 4e-16 * (fabs(t) + 1e-3);
  double end = fmax(t + theta * m->step, t + least);
  if (w->change == HN_CHANGE_STOPS) hn_contacts_straighten(s, theta);
  for (int k = 0; k < AIMS && end < last; k++) {
    hn_status status = m->type->attempt(m, end, &s->branches, &s->tolerance, error_norm, &s->error);
    if (status > 0 && hn_contacts_keep_direction(s, theta))
      status = m->type->attempt(m, end, &s->branches, &s->tolerance, error_norm, &s->error);
    if (status < 0) return status;
    if (status > 0) return hn_cannot_go_on(s, end - t, status);
    const double miss = hn_contact_miss(s, w->change, w->point);
    if (!(fabs(miss) > 2 * least) || fabs(miss) > 0.1 * m->step) break;
    end = fmin(fmax(end + miss, t + least), last);
  }
  return HN_OK;
}

static void let_joints_slide(hn_simulation *s) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  for (int i = self->first_extra; i < self->point_count; i++) {
    const struct hn_extra *extra = hn_extra_of(self, i);
    const double p = s->method->now->touch[i].normal;
    if (extra->kind != HN_EXTRA_FRICTION || g->grip[i] != HN_GRIP_STICK ||
        fabs(p) < (1 - 1e-6) * extra->stick)
      continue;
    g->grip[i] = HN_GRIP_SLIDE;
    g->direction[i] = vec3(p < 0 ? 1 : -1, 0, 0);
  }
}

// The points that are about to slide, with the directions in which they will.
static void let_slide(hn_simulation *s) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  struct hn_grips *g = s->branches.grips;
  const hn_touch *touch = s->method->now->touch;
  let_joints_slide(s);
  for (int i = 0; i < self->first_extra; i++) {
    if (g->grip[i] != HN_GRIP_STICK || !(touch[i].normal > 0)) continue;
    const hn_contact_def *rule = self->rule[i / HN_CONTACT_POINTS];
    const double mu = rule->static_friction >= 0 ? rule->static_friction : rule->friction;
    const double f = vec3_dot(touch[i].force, touch[i].force);
    const double pull = sqrt(fmax(0, f - touch[i].normal * touch[i].normal));
    if (rule->law == HN_CONTACT_ROLLING || !(mu > 0) || pull < (1 - 1e-6) * mu * touch[i].normal)
      continue;
    hn_contact_point points[HN_CONTACT_POINTS];
    const int p = i / HN_CONTACT_POINTS;
    const int count = hn_contact_points(self->contacts, &self->contacts->pairs[p], g->mode[p],
                                        s->method->now->frames, HN_CONTACT_PLACES, points);
    int number[HN_CONTACT_POINTS], place = 0;
    hn_rigid_number(self, g, p, points, count, number);
    while (place < count - 1 && number[place] != i) place++;
    const hn_vec3 normal = points[place].normal;
    const hn_vec3 along = vec3_add_scaled(touch[i].force, -touch[i].normal, normal);
    g->grip[i] = HN_GRIP_SLIDE;
    g->direction[i] = vec3_scale(-1 / vec3_norm(along), along);
  }
}

// A ball between walls that come together without loss hits them ever more often, and never gets there.
static hn_status check_squeeze(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  const double t = s->method->t, begin = w->since, before = w->kinetic;
  if (w->changes++ % SQUEEZED > 0) return HN_OK;
  w->since = t;
  w->kinetic = s->method->now->kinetic;
  if (w->changes == 1 || t - begin > SOON * t || !(w->kinetic > GROWN * before)) return HN_OK;
  char name[192];
  return hn_fail(&s->error, HN_ERROR_INCONSISTENT, NULL, name_point(s, w->point, name, sizeof name),
                 "set `restitution` below 1, use a compliant `law:`, or end the run earlier",
                 "and others changed %d times between t = %.9g s and t = %.9g s; squeezed bodies "
                 "raised the kinetic energy from %.3g to %.3g J",
                 SQUEEZED, begin, t, before, w->kinetic);
}

static hn_status check_rapid(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  const double t = s->method->t;
  w->rapid = t - w->last < 1e-12 * (1 + fabs(t)) ? w->rapid + 1 : 0;
  w->last = t;
  if (w->rapid < HN_EVENT_CHATTER) return check_squeeze(s);
  char name[192];
  return hn_fail(
      &s->error, HN_ERROR_STEP_SIZE, NULL, name_point(s, w->point, name, sizeof name),
      "set @step to use time stepping, or give a compliant `law:`",
      "switches between stick, slip and separation endlessly at t = %.9g s (Zeno behavior)", t);
}

// If event-driven contact takes far more steps than time stepping, and that is possible: the run
// would end late or never.
static hn_status check_crowd(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  const double t = s->method->t;
  // impacts cost little however many there are, and come to an end by themselves
  if (!s->automatic.stepping_method || w->change == HN_CHANGE_CLOSES || ++w->crowd < CROWD)
    return HN_OK;
  const double duration = t - w->crowd_begin;
  w->crowd = 0;
  w->crowd_begin = t;
  if (duration > CROWD * CROWDED * hn_stepping_step(s)) return HN_OK;
  w->rapid = 1; // it is contacts that fail
  char name[192];
  return hn_fail(&s->error, HN_ERROR_STEP_SIZE, NULL, name_point(s, w->point, name, sizeof name),
                 "set @step to use time stepping, or give a compliant `law:`",
                 "and others switch %d times within %.3g s at t = %.9g s", CROWD, duration, t);
}

hn_status hn_contacts_settle(hn_simulation *s) {
  if (!s->contacts) return HN_OK;
  hn_status status = check_stops(s, s->method->now->frames);
  if (status == HN_OK) status = settle(s, (hn_touch_hint){.point = -1, .grip = HN_GRIP_STICK});
  return status == HN_OK ? s->method->type->begin(s->method, &s->branches, &s->error) : status;
}

static void record_at(hn_simulation *s, int point, int from, int to) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_extra *extra = hn_extra_of(self, point);
  if (!extra)
    hn_record_contact(s, self->contacts->pairs[point / HN_CONTACT_POINTS].rule, from, to);
  else
    hn_record_event(s, s->method->t, extra->force, from, to);
}

static void record(hn_simulation *s, int impacts) {
  const int *before = s->contacts->before;
  const hn_conditions *self = hn_conditions_of(s->equations);
  const struct hn_grips *g = s->branches.grips;
  for (int i = 0; i < self->point_count; i++) {
    if ((int)g->grip[i] == before[i]) continue;
    s->certificate.grip_changes += g->grip[i] != HN_GRIP_OPEN && before[i] != HN_GRIP_OPEN;
    record_at(s, i, before[i], (int)g->grip[i]);
  }
  if (impacts > 0) record_at(s, s->contacts->point, 0, HN_EVENT_IMPACT);
}

// Slow slips that hold the steps back for long get a direction that is not stiff.
static void soften_slow(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  struct hn_grips *g = s->branches.grips;
  int slow = 0;
  for (int i = 0; i < hn_conditions_of(s->equations)->first_extra; i++) {
    const int is_slow = g->grip[i] == HN_GRIP_SLIDE && w->look[0][i].speed < SLOW_SLIP;
    if (!is_slow && g->soft[i]) {
      g->soft[i] = 0;
      w->is_softened = 1;
    }
    if (g->grip[i] == HN_GRIP_SLIDE && w->look[0][i].is_watched &&
        w->look[0][i].speed > 10 * HN_RIGID_SLIP)
      g->direction[i] = vec3_scale(1 / w->look[0][i].speed, w->look[0][i].along);
    slow += is_slow && !g->soft[i];
    if (!is_slow || g->soft[i] || w->slow < SLOW_STEPS) continue;
    g->soft[i] = 1;
    w->is_softened = 1;
  }
  w->slow = slow > 0 && s->method->step < SHORT_STEP ? w->slow + 1 : 0;
}

// Slow slips whose laws had no solution at the end of the step: the step is counted.
static void count_unsolved(hn_simulation *s) {
  const hn_conditions *self = hn_conditions_of(s->equations);
  double worst = 0;
  int point = -1;
  for (int i = 0; s->branches.grips->closed > 0 && i < self->point_count; i++) {
    const double unsolved = s->method->now->touch[i].unsolved;
    if (unsolved <= worst) continue;
    worst = unsolved;
    point = i;
  }
  if (point < 0) return;
  s->certificate.contacts_unresolved++;
  s->certificate.contact_residual = fmax(s->certificate.contact_residual, worst);
  char name[192];
  if (!s->contacts->has_warned[3]++)
    hn_simulation_warn(
        s, name_point(s, point, name, sizeof name),
        "slips slowly at t = %.9g s with friction off by up to %.2g of the contact forces (no "
        "better solution exists). Reduce friction or use a compliant `law:`",
        s->method->t, worst);
}

static hn_status contacts_take(hn_simulation *s) {
  hn_grips_copy(s->equations, s->branches.grips, s->taken.grips);
  return HN_OK;
}

// Real time: friction keeps the direction of slip at the start of each step, so that iterations see none
// that turns round.
static void keep_directions(hn_simulation *s) {
  memset(s->branches.grips->straight, 1, (size_t)hn_conditions_of(s->equations)->point_count);
  hn_contacts_follow(s);
}

void hn_contacts_follow(hn_simulation *s) {
  struct hn_grips *g = s->branches.grips;
  const hn_contact_look *end = s->contacts->look[1];
  for (int i = 0; i < hn_conditions_of(s->equations)->first_extra; i++)
    if (g->grip[i] == HN_GRIP_SLIDE && end[i].is_watched && end[i].slip > 10 * HN_RIGID_SLIP)
      g->direction[i] = vec3_scale(1 / end[i].speed, end[i].along);
}

static void contacts_note(hn_simulation *s) {
  struct hn_contact_watch *w = s->contacts;
  if (!follows(s)) return;
  count_unsolved(s);
  memset(s->branches.grips->straight, 0, (size_t)hn_conditions_of(s->equations)->point_count);
  s->certificate.friction_loss += 0.5 * s->method->step * (w->loss + loss_of(s, s->method->now));
  if (s->stepping.mode == HN_RUN_REAL_TIME)
    keep_directions(s);
  else if (w->change == HN_CHANGE_NONE)
    soften_slow(s);
}

// In real time a slip has turned somewhere in the step: it has come to rest, and slides on if friction
// does not hold it.
static hn_status bring_to_rest(hn_simulation *s) {
  hn_method *m = s->method;
  struct hn_grips *g = s->branches.grips;
  const hn_contact_look *end = s->contacts->look[1];
  int turned = 0;
  for (int i = 0; i < s->equations->touch_points; i++) {
    if (g->grip[i] != HN_GRIP_SLIDE || !end[i].is_watched || !(end[i].slip < 0)) continue;
    g->grip[i] = HN_GRIP_STICK;
    turned++;
  }
  if (turned == 0) return HN_OK;
  hn_status status =
      hn_equations_jump(s->equations, m->t, m->q, m->qd, &s->branches, s->looking.correction);
  return status > 0 ? hn_cannot_go_on(s, 0, status) : status;
}

static hn_status contacts_apply(hn_simulation *s, int *changed) {
  struct hn_contact_watch *w = s->contacts;
  if (!follows(s)) return HN_OK;
  *changed = w->is_softened;
  w->is_softened = 0;
  if (w->change == HN_CHANGE_NONE && !has_other_points(s, s->method->now->frames)) return HN_OK;
  for (int i = 0; i < s->equations->touch_points; i++)
    w->before[i] = (int)s->branches.grips->grip[i];
  hn_touch_hint hint = {.point = -1, .grip = HN_GRIP_STICK};
  if (w->change == HN_CHANGE_PULLS) hint = (hn_touch_hint){.point = w->point, .grip = HN_GRIP_OPEN};
  if (w->change == HN_CHANGE_SLIPS) {
    let_slide(s);
    hint = (hn_touch_hint){.point = w->point, .grip = HN_GRIP_SLIDE};
  }
  const long impacts = s->certificate.impacts;
  hn_status status = s->stepping.mode == HN_RUN_REAL_TIME ? bring_to_rest(s) : HN_OK;
  if (status == HN_OK) status = settle(s, hint);
  if (status == HN_OK && s->stepping.mode != HN_RUN_REAL_TIME) status = check_rapid(s);
  if (status == HN_OK && s->stepping.mode != HN_RUN_REAL_TIME) status = check_crowd(s);
  if (status != HN_OK) return status;
  record(s, (int)(s->certificate.impacts - impacts));
  w->change = HN_CHANGE_NONE;
  *changed = 1;
  return HN_OK;
}

static int contacts_present(const hn_simulation *s) { return s->contacts != NULL; }

const hn_event_source hn_contacts_source = {.name = "contacts",
                                            .is_present = contacts_present,
                                            .changed_within = contacts_changed_within,
                                            .changed_at_end = contacts_changed_at_end,
                                            .locate = contacts_locate,
                                            .forget = contacts_forget,
                                            .take = contacts_take,
                                            .note = contacts_note,
                                            .apply = contacts_apply};
