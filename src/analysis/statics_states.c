// Equilibria of models with states of functions and elements: all rates are zero. Each pass finds
// the equilibrium of the model with z = hat + g r(z), g long compared with the time constants of
// the model, and the next one starts at that z: a state whose loop settles with time constant T is
// nearer by 1 + g / T. A state with an equilibrium of its own, such as a filter, is there at once;
// the integral of a controller moves the model until its error is zero. If the first pass finds no
// equilibrium, g grows from a small one. Sampled states are frozen. Rules of states (`when:`) that
// are true in the equilibrium set their states, as in a run that arrives there, and the model
// continues to the next equilibrium.
#include <math.h>
#include <string.h>

#include "analysis/simulation_delays.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "elements/states.h"
#include "model/contact.h"

#define LONG 1e3 // s
#define SHORT 1e-2
#define SETTLED 1e-11
enum { PASSES = 40 };

static const char *state_name(const hn_simulation *s, int k, char *text, size_t size) {
  const hn_flow *f = s->elements->flow;
  if (k < f->laws) return hn_text(text, size, "state '%s'", s->model->states[k].name);
  for (int i = 0; i < f->owners; i++)
    if (f->first[f->owner[i]] <= k)
      hn_text(text, size, "force '%s'", s->model->forces[f->owner[i]].name);
  return text;
}

static hn_status fail(hn_simulation *s, int k, const char *hint, const char *format, double value) {
  char name[96] = "", message[256];
  const hn_source *source = k < s->elements->flow->laws ? &s->model->states[k].source : NULL;
  hn_text(message, sizeof message, format, value);
  return hn_fail(&s->error, HN_ERROR_CONVERGENCE, source, state_name(s, k, name, sizeof name), hint,
                 "%s", message);
}

static hn_status fail_restless(hn_simulation *s, int k, double rate) {
  return fail(s, k, "use @at drawing or a time, or give the state a rate that vanishes at rest",
              "does not come to rest: its rate stays at %.3g per second", rate);
}

// The equilibrium of a pass becomes the start of the next one. Returns the state that moved most,
// or -1.
static int settle(hn_simulation *s, double g, double *rate) {
  const hn_flow *f = s->elements->flow;
  hn_method *m = s->method;
  double most = 1;
  int worst = -1;
  for (int k = 0; k < m->states; k++) {
    const double moved = fabs(f->value[k] - m->z[k]) / (SETTLED * (1 + fabs(f->value[k])));
    if (!(moved <= most)) {
      most = moved;
      worst = k;
      *rate = (f->value[k] - m->z[k]) / g;
    }
    m->z[k] = f->value[k];
  }
  return worst;
}

// States at the position that was found, as forces were evaluated there.
static void evaluate(hn_simulation *s) {
  hn_method *m = s->method;
  memset(m->qd, 0, (size_t)s->equations->nq * sizeof(double));
  s->equations->type->coordinates->frames(s->equations, m->q, m->qd, s->looking.frames);
  (void)hn_states_look(s->elements, m->t, s->looking.frames, s->branches.turns, s->branches.force);
}

// Rigid contacts, stops and friction that sticks; what rolls has no positions of its own to rest in.
static int is_held_by_contacts(const hn_simulation *s) {
  const hn_model *model = s->model;
  int count = 0;
  if (s->equations->touch_points == 0) return 0;
  for (int k = 0; k < model->contact_count; k++) {
    if (model->contacts[k].law == HN_CONTACT_ROLLING) return 0;
    count += model->contacts[k].law == HN_CONTACT_RIGID;
    count += model->contacts[k].law == HN_CONTACT_SOFT;
  }
  for (int k = 0; k < model->joint_count; k++)
    if (model->joints[k].type == HN_JOINT_KNIFE_EDGE) return 0;
  for (int k = 0; k < model->force_count; k++) count += hn_force_is_rigid(&model->forces[k]);
  return count > 0 && model->switch_count == 0;
}

// With its states frozen the model may have an equilibrium: then the states have none, and the one
// with the largest rate there is named. Else the error stays.
static hn_status blame_state(hn_simulation *s, const hn_statics_options *options,
                             hn_status status) {
  const hn_error found = s->error;
  const hn_flow *f = s->elements->flow;
  hn_method *m = s->method;
  hn_statics_report report;
  hn_states_set(s->elements, m->z);
  memcpy(m->q, s->looking.q, (size_t)s->equations->nq * sizeof(double));
  const hn_status held = hn_statics_solve(s->equations, s->options.allocator, m->t, m->q,
                                          &s->branches, options, &report, &s->error);
  s->error = found;
  if (held != HN_OK) return status;
  evaluate(s);
  double *rate = f->hat; // workspace: it is set again before it is read
  double most = SETTLED;
  int worst = -1;
  hn_states_rates(s->elements, m->t, rate);
  for (int k = 0; k < m->states; k++) {
    if (!(fabs(rate[k]) > most * (1 + fabs(m->z[k])))) continue;
    most = fabs(rate[k]) / (1 + fabs(m->z[k]));
    worst = k;
  }
  return worst < 0 ? status : fail_restless(s, worst, rate[worst]);
}

// Rules at the rest that was found. Returns the state that one of them changed, or -1.
static int obey_rules(hn_simulation *s, int *failed) {
  hn_method *m = s->method;
  *failed = -1;
  if (s->model->rules.count == 0) return -1;
  hn_states_set(s->elements, m->z);
  hn_elements_sense(s->elements, s->looking.frames, s->branches.turns);
  if (!hn_states_take_rules(s->elements, m->t, s->samples, m->z, failed)) return -1;
  for (int k = 0; k < s->model->state_count; k++)
    if (m->z[k] != s->elements->flow->value[k]) return k;
  return -1;
}

typedef struct passes {
  const hn_statics_options *options;
  hn_statics_report *report;
  double g, rate;
  int pass, worst; // the state that moved most; -1: none
  int ruled;       // the state that rules changed last
} passes;

static hn_status take_pass(hn_simulation *s, passes *p) {
  hn_method *m = s->method;
  const size_t size = (size_t)s->equations->nq * sizeof(double);
  memcpy(s->looking.q, m->q, size);
  if (m->states > 0) hn_states_follow(s->elements, m->t, p->g, m->z);
  hn_status status = hn_statics_solve(s->equations, s->options.allocator, m->t, m->q, &s->branches,
                                      p->options, p->report, &s->error);
  p->worst = -1;
  if (m->states == 0) return status;
  if (status == HN_ERROR_CONVERGENCE && p->pass == 0) { // perhaps by shorter ways
    memcpy(m->q, s->looking.q, size);
    p->g = SHORT;
    p->worst = 0;
    return HN_OK;
  }
  if (status == HN_ERROR_CONVERGENCE) return blame_state(s, p->options, status);
  if (status != HN_OK) return status;
  evaluate(s);
  p->worst = settle(s, p->g, &p->rate);
  if (p->worst < 0 && p->g < LONG) p->worst = 0;
  p->g = fmin(LONG, 10 * p->g);
  if (p->worst >= 0) return HN_OK;
  int failed;
  p->ruled = p->worst = obey_rules(s, &failed);
  return failed < 0
             ? HN_OK
             : fail(s, failed, "check the formula for a division by zero or a value out of range",
                    "is set to %g, which is not finite", m->z[failed]);
}

hn_status hn_simulation_solve_statics(hn_simulation *s, const hn_statics_options *options,
                                      hn_statics_report *report) {
  hn_method *m = s->method;
  hn_status status = HN_OK;
  passes p = {.options = options, .report = report, .g = LONG, .ruled = -1};
  if (is_held_by_contacts(s)) return hn_simulation_come_to_rest(s, report);
  hn_delays_approximate(s, 1);
  do {
    status = take_pass(s, &p);
  } while (status == HN_OK && p.worst >= 0 && ++p.pass < PASSES);
  if (status == HN_OK && p.worst >= 0 && p.ruled >= 0)
    status =
        fail(s, p.ruled, "use @at drawing or a time, or give its conditions a hysteresis",
             "does not come to rest: its conditions switch it in each of %g equilibria", PASSES);
  else if (status == HN_OK && p.worst >= 0)
    status = fail_restless(s, p.worst, p.rate);
  hn_delays_approximate(s, 0);
  if (m->states > 0) hn_states_set(s->elements, m->z);
  return status;
}
