// A refined run: its options, its start, the bounds on its steps and its work, its events.
#include "study/refined.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"

#define FREE_WORK 1e6  // of a run that is not given up for taking long
#define PATIENCE 5     // rows in a row of different numbers of events
#define AT_EVENT 1e-12 // s, of 1 + the time: rounding of the time of an event

// ---- creation -----------------------------------------------------------------------------------

static hn_simulation_options options_of(const hn_simulation *first, double factor) {
  hn_simulation_options o = hn_simulation_options_alike(first);
  if (o.step > 0) {
    o.step *= factor;
    return o;
  }
  o.tol = 0;
  o.atol *= factor;
  o.rtol *= factor;
  o.energy_upper *= factor;
  o.energy_lower *= factor;
  return o;
}

// A copy of the state of a fresh simulation would be another start of the same motion.
int hn_refined_is_fresh(const hn_simulation *first, const hn_simulation *second) {
  const hn_method *a = first->method, *b = second->method;
  if (first->equations->nq != second->equations->nq) return 0;
  if (a->t != b->t || first->certificate.steps_accepted > 0) return 0;
  for (int i = 0; i < first->equations->nq; i++)
    if (fabs(a->q[i] - b->q[i]) > 1e-9 || fabs(a->qd[i] - b->qd[i]) > 1e-9) return 0;
  for (int k = 0; k < a->states; k++)
    if (a->z[k] != b->z[k]) return 0;
  return 1;
}

static hn_status start_at(hn_simulation *s, const hn_simulation *start,
                          const hn_input_state *inputs) {
  if (start && start->equations->nq != s->equations->nq) return HN_ERROR_ARGUMENT;
  if (start && !hn_refined_is_fresh(start, s)) return hn_simulation_copy_state(s, start, NULL);
  for (int k = 0; k < s->model->input_count; k++) {
    s->inputs[k] = inputs[k];
    s->given.is_new = 1;
  }
  return HN_OK;
}

hn_status hn_refined_create(hn_refined *r, const hn_simulation *first, const hn_simulation *start,
                            const hn_input_state *inputs, hn_error *error) {
  const hn_simulation_options options = options_of(first, r->factor);
  hn_status status = hn_simulation_create(first->model, &options, &r->simulation, error);
  if (status == HN_OK) r->simulation->stepping.output_step = first->stepping.output_step;
  return status == HN_OK ? start_at(r->simulation, start, inputs) : status;
}

void hn_refined_free(hn_refined *r) {
  hn_simulation_free(r->simulation);
  r->simulation = NULL;
}

// ---- steps --------------------------------------------------------------------------------------

void hn_refined_end(hn_refined *r, const char *why) {
  r->has_ended = 1;
  hn_text(r->why, sizeof r->why, "%s", why);
}

// A little more than the errors ask for, so that the tolerance does decide. A method that chooses its
// order as well makes less of a difference.
double hn_refined_shorter(const hn_refined *r) {
  const hn_method *m = r->simulation->method;
  if (m->type->propose) return 0.9;
  return hn_pow(r->factor, 1.0 / (m->error_order + 2));
}

// A formula that remembers steps has larger errors where their size changes: it is shortened only where
// the first run was cut. Steps longer than those of the first run would be no refinement: they may
// pass the border of stability, and their errors would count as those of the first run.
static double limit_of(hn_refined *r, double longest) {
  const hn_method *m = r->simulation->method;
  const double factor = hn_refined_shorter(r);
  const double cut = hn_first_steps_limit(&r->steps, m->t, factor);
  return fmin(cut, m->type->propose ? longest : factor * longest);
}

static void check_work(hn_refined *r, const hn_simulation *first) {
  const double of_first = hn_simulation_work(first), work = hn_simulation_work(r->simulation);
  const double time = r->simulation->method->t;
  char why[160];
  if (work > r->most * of_first + FREE_WORK)
    hn_refined_end(r, hn_text(why, sizeof why,
                              "the refined run took more than %g times the work up to t = %.4g s",
                              r->most, time));
  if (of_first + work > r->budget)
    hn_refined_end(r, hn_text(why, sizeof why,
                              "the run is long (more than %.0e units of work by t = %.4g s); "
                              "option accuracy: on estimates it",
                              r->budget, time));
}

int hn_refined_advance(hn_refined *r, const hn_simulation *first, double time, double longest) {
  hn_simulation *s = r->simulation;
  hn_status status = HN_OK;
  while (status == HN_OK && !r->has_ended && s->method->t < time) {
    if (first->interrupted) return 0; // it ends with its next step
    if (r->reader.plan->table_count > 0) status = hn_tables_give(&r->reader, s);
    s->stepping.longest = limit_of(r, longest);
    if (status == HN_OK) status = hn_simulation_step(s, fmin(r->end, hn_tables_next(&r->reader)));
    if (status == HN_OK) check_work(r, first);
  }
  if (status == HN_OK && !r->has_ended) status = hn_simulation_look_at(s, time);
  if (status != HN_OK) {
    char why[400];
    const hn_error *e = hn_simulation_error(s);
    hn_refined_end(r, hn_text(why, sizeof why, "the refined run stopped at t = %.6g s: %s%s%.250s",
                              s->method->t, e->element, e->element[0] ? " " : "", e->message));
  }
  return !r->has_ended;
}

// ---- events -------------------------------------------------------------------------------------

// Up to a time inside the last step.
static long events_until(const hn_simulation *s, double time) {
  long count = s->certificate.events;
  for (int k = 0; k < HN_EVENT_HISTORY && count > 0; k++) {
    if (s->events[(count - 1) % HN_EVENT_HISTORY].time <= time) break;
    count--;
  }
  return count;
}

int hn_refined_is_at_event(const hn_simulation *s, double time) {
  double beside = AT_EVENT * (1 + fabs(time));
  long last = events_until(s, time + beside);
  return last > 0 && s->events[(last - 1) % HN_EVENT_HISTORY].time >= time - beside;
}

// Runs that have counted different events for long are compared again.
int hn_refined_is_split(hn_refined *r, const hn_simulation *first, double time) {
  if (first->certificate.events == 0 && r->simulation->certificate.events == 0) return 0;
  int differ = events_until(first, time) != events_until(r->simulation, time);
  r->apart = differ ? r->apart + 1 : 0;
  return differ && r->apart <= PATIENCE;
}
