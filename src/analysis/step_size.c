// The size of a step (step_size.h).
#include "analysis/step_size.h"

#include <math.h>

#include "analysis/auto_method.h"
#include "analysis/event_sources.h"

#define ABRUPT 0.25 // of a step: a source that allows less has a feature there

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

double hn_step_size(hn_simulation *s, double t_limit) {
  if (s->stepping.mode != HN_RUN_CONTROLLED) return s->stepping.step;
  double h = next_step(s);
  if (s->stepping.longest > 0) h = fmin(h, s->stepping.longest);
  if (s->options.max_step > 0) h = fmin(h, s->options.max_step);
  h = hn_auto_limit(s, hn_events_max_step(s, 0, h, t_limit));
  const double followed = hn_events_max_step(s, 1, h, t_limit);
  // a formula that remembers steps extrapolates what was before the feature
  if (followed < ABRUPT * h && s->method->type->propose &&
      s->method->type->begin(s->method, &s->branches, &s->error) == HN_OK)
    return fmin(followed, s->method->type->propose(s->method, &s->tolerance));
  return followed;
}

double hn_step_size_after(hn_simulation *s, double h, double error_norm) {
  if (!s->method->type->propose) return h * hn_step_control_rejected(&s->control, error_norm);
  double proposed = s->method->type->propose(s->method, &s->tolerance);
  return proposed < 0.9 * h ? proposed : 0.9 * h;
}

double hn_step_end(const hn_simulation *s, double h, double t_limit) {
  if (s->stepping.mode == HN_RUN_REAL_TIME) return t_limit;
  const double t = s->method->t, end = fmin(t_limit, hn_events_next_time(s));
  // a step that would leave a sliver takes it too; one that would leave a short rest takes half
  if (end - t <= 1.001 * h) return end;
  if (s->stepping.mode == HN_RUN_CONTROLLED && end - t < 2 * h) return t + 0.5 * (end - t);
  return t + h;
}

void hn_step_size_taken(hn_simulation *s, double suggested, double error_norm) {
  const double h = s->method->step, factor = hn_step_control_accepted(&s->control, error_norm);
  // a step cut short by a limit or an event says little: it may not shrink the suggestion
  s->stepping.next =
      h * factor < suggested && h < 0.99 * suggested && factor > 1 ? suggested : h * factor;
  s->stepping.last = h;
}
