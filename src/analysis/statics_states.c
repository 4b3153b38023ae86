// Equilibria of machines with states of laws and elements: all rates are zero. Each pass finds the
// equilibrium of the machine with z = hat + g r(z), g long against what goes on in the machine, and
// the next one begins at that z: a state whose loop settles with time constant T is nearer by 1 + g /
// T. What has a rest without the machine, such as a filter, is there at once; the integral of a
// controller moves the machine until its error is zero. Samples are held.
#include <math.h>
#include <string.h>

#include "analysis/simulation_delays.h"
#include "analysis/statics.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "model/contact.h"

#define LONG 1e3 // s
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

static hn_status fail(hn_simulation *s, int k, double rate) {
  char name[96] = "";
  const hn_source *source = k < s->elements->flow->laws ? &s->model->states[k].source : NULL;
  return hn_fail(&s->error, HN_ERROR_CONVERGENCE, source, state_name(s, k, name, sizeof name),
                 "take @at drawing or a time, or give the state a rate that vanishes where it "
                 "shall rest",
                 "does not come to rest: its rate is %.3g per second after %d equilibria of %g s "
                 "each",
                 rate, PASSES, LONG);
}

// The rest of a pass becomes what the next one begins with. Returns the state that moved most, or -1.
static int settle(hn_simulation *s, double *rate) {
  const hn_flow *f = s->elements->flow;
  hn_method *m = s->method;
  double most = 1;
  int worst = -1;
  for (int k = 0; k < m->states; k++) {
    const double moved = fabs(f->value[k] - m->z[k]) / (SETTLED * (1 + fabs(f->value[k])));
    if (!(moved <= most)) {
      most = moved;
      worst = k;
      *rate = (f->value[k] - m->z[k]) / LONG;
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
  }
  for (int k = 0; k < model->joint_count; k++)
    if (model->joints[k].type == HN_JOINT_KNIFE_EDGE) return 0;
  for (int k = 0; k < model->force_count; k++) count += hn_force_is_rigid(&model->forces[k]);
  return count > 0 && model->switch_count == 0;
}

hn_status hn_simulation_solve_statics(hn_simulation *s, const hn_statics_options *options,
                                      hn_statics_report *report) {
  hn_method *m = s->method;
  hn_status status = HN_OK;
  double rate = 0;
  if (is_held_by_contacts(s)) return hn_simulation_come_to_rest(s, report);
  hn_delays_approximate(s, 1);
  for (int pass = 0, worst = 0; status == HN_OK; pass++) {
    if (m->states > 0) hn_states_follow(s->elements, m->t, LONG, m->z);
    status = hn_statics_solve(s->equations, s->options.allocator, m->t, m->q, &s->branches, options,
                              report, &s->error);
    if (m->states == 0 || status != HN_OK) break;
    evaluate(s);
    worst = settle(s, &rate);
    if (worst < 0) break;
    if (pass + 1 == PASSES) status = fail(s, worst, rate);
  }
  hn_delays_approximate(s, 0);
  if (m->states > 0) hn_states_set(s->elements, m->z);
  return status;
}
