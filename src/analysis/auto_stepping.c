// Change from event-driven to time-stepped contact (auto_stepping.h).
#include "analysis/auto_stepping.h"

#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_contacts.h"
#include "base/error.h"
#include "equations/conditions.h"
#include "integrate/time_stepping.h"
#include "model/contact.h"

#define SHORTEST_STEP 1e-5 // s

static int is_open(const char *option) { return !option || strcmp(option, "auto") == 0; }

// Rolling and switches cannot be time-stepped.
static int can_be_stepped_over(const hn_simulation *s) {
  const hn_conditions *rigid = hn_conditions_of(s->equations);
  if (!s->equations->type->stepping) return 0;
  for (int k = 0; k < s->model->contact_count; k++)
    if (s->model->contacts[k].law == HN_CONTACT_ROLLING) return 0;
  return rigid->contacts->pair_count > 0;
}

hn_status hn_stepping_check(hn_simulation *s) {
  const char *what = NULL;
  if (!s->equations->type->stepping)
    return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "use @coordinates cartesian",
                   "time stepping does not run in coordinates '%s'", s->equations->type->name);
  for (int k = 0; k < s->model->contact_count; k++)
    if (s->model->contacts[k].law == HN_CONTACT_ROLLING) what = "rolling";
  if (!what) return HN_OK;
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, NULL, NULL,
                 s->stepping.mode != HN_RUN_CONTROLLED ? "remove @step"
                                                       : "reduce the number of colliding shapes",
                 "time stepping does not support %s", what);
}

const char *hn_stepping_reason(const hn_model *model, const hn_source **source, char *name,
                               size_t size) {
  for (int k = 0; k < model->contact_count; k++) {
    const hn_contact_def *def = &model->contacts[k];
    if (!hn_contact_needs_stepping(def)) continue;
    *source = &def->source;
    hn_text(name, size, "contact '%s'", def->name);
    return def->law == HN_CONTACT_SOFT ? "is soft" : "has torsional or rolling friction";
  }
  for (int k = 0; k < model->force_count; k++) {
    if (!hn_force_is_soft_stop(&model->forces[k])) continue;
    *source = &model->forces[k].source;
    hn_text(name, size, "force '%s'", model->forces[k].name);
    return "is a soft stop";
  }
  return NULL;
}

hn_status hn_stepping_reject(hn_simulation *s, const char *reason, const hn_source *source,
                             const char *name) {
  return hn_fail(&s->error, HN_ERROR_UNSUPPORTED, source, name,
                 "use @method time-stepping, or a force law with `stiffness`",
                 "%s, which needs time stepping", reason);
}

hn_status hn_stepping_create(hn_simulation *s) {
  const hn_simulation_options *o = &s->options;
  if (!s->contacts || s->switches || s->stepping.mode != HN_RUN_CONTROLLED || !is_open(o->method) ||
      !is_open(o->formula) || !can_be_stepped_over(s))
    return HN_OK;
  const hn_method_choice choice = {.formula = NULL};
  return hn_simulation_make_method(s, &hn_time_stepping, &choice, &s->automatic.stepping_method);
}

static void open_all(hn_simulation *s) {
  struct hn_grips *g = s->branches.grips;
  for (int k = 0; k < hn_conditions_of(s->equations)->point_count; k++) g->grip[k] = HN_GRIP_OPEN;
  g->closed = 0;
}

double hn_stepping_step(const hn_simulation *s) {
  const hn_model *model = s->model;
  double thin = HUGE_VAL, fastest = 0, step = HN_RIGID_STEP;
  for (int p = 0; p < hn_conditions_of(s->equations)->contacts->pair_count; p++)
    thin = fmin(thin, s->contacts->thin[p]);
  for (int b = 1; b < model->body_count; b++)
    fastest = fmax(fastest, vec3_norm(s->method->now->frames[b].v));
  const double gravity = vec3_norm(model->gravity);
  if (fastest > 0) step = fmin(step, 0.2 * thin / fastest);
  if (gravity > 0) step = fmin(step, 0.2 * sqrt(thin / gravity));
  return fmax(step, SHORTEST_STEP);
}

static void set_mode(hn_simulation *s, hn_run_mode mode, double step) {
  s->stepping.mode = mode;
  s->stepping.step = step;
  hn_events_find(s);
}

void hn_stepping_take_up(hn_simulation *s) {
  hn_auto_choice *c = &s->automatic.choice;
  if (c->state != HN_AUTO_STEPPED) {
    if (s->method != s->automatic.stepping_method) return;
    s->method = s->automatic.explicit_method;
    set_mode(s, HN_RUN_CONTROLLED, 0);
    return;
  }
  s->method = s->automatic.stepping_method;
  const double longest = s->options.max_step;
  set_mode(s, HN_RUN_TIME_STEPPING,
           longest > 0 ? fmin(c->explicit_step, longest) : c->explicit_step);
}

void hn_stepping_reset(hn_simulation *s) {
  if (s->automatic.choice.state != HN_AUTO_STEPPED) return;
  hn_method *from = s->method, *to = s->automatic.explicit_method;
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(to->q, from->q, size);
  memcpy(to->qd, from->qd, size);
  to->t = to->step_end = from->t;
  s->method = to;
  set_mode(s, HN_RUN_CONTROLLED, 0);
}

int hn_stepping_takes_over(hn_simulation *s) {
  hn_method *from = s->method, *to = s->automatic.stepping_method;
  const hn_status status = s->error.status;
  const int is_contact = s->branches.grips && (s->branches.grips->closed > 0 || s->contacts->rapid);
  if (!to || from == to || !is_contact) return 0;
  if (status != HN_ERROR_STEP_SIZE && status != HN_ERROR_CONVERGENCE && status != HN_ERROR_LIMIT)
    return 0;
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(to->q, from->q, size);
  memcpy(to->qd, from->qd, size);
  to->t = from->t;
  to->step_end = -HUGE_VAL; // what a takeover before this one has left is of another state
  to->work = from->work;
  to->step = 0;
  to->projections = from->projections;
  open_all(s);
  s->automatic.choice.state = HN_AUTO_STEPPED;
  s->automatic.choice.explicit_step = hn_stepping_step(s);
  hn_stepping_take_up(s);
  hn_contacts_recall(s);
  hn_simulation_warn(s, s->error.element[0] ? s->error.element : "contacts",
                     "%s; continuing with time stepping (first order, step %g s). Set `step` to "
                     "use it from the start",
                     s->error.message, s->stepping.step);
  hn_text(s->certificate.choice, sizeof s->certificate.choice,
          "time stepping of contacts from t = %.4g s on", from->t);
  s->error.status = HN_OK;
  s->control = hn_step_control_begin(to->error_order);
  s->stepping.next = s->stepping.step;
  return to->type->begin(to, &s->branches, &s->error) == HN_OK;
}
