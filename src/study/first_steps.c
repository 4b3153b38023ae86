// Samples, published times, points of a table and events cut steps of both runs at the same places.
// Both runs would take the same steps there, and their difference would be zero. So the refined run
// takes steps that are shorter by the factor by which its tolerance shortens the others.
#include "study/first_steps.h"

#include <math.h>

#define CUT 2.0 // times its size the controller suggests next: something else made a step short

// The size of the next step by the errors of the last one. The order of a method that proposes it is not
// that of the controller.
static double next_of(const hn_simulation *s) {
  hn_method *m = s->method;
  return m->type->propose ? m->type->propose(m, &s->tolerance) : s->stepping.next;
}

// If the ring is full, the last step and this one count as one, as long as the longer.
void hn_first_steps_note(hn_first_steps *s, const hn_simulation *first) {
  const double step = first->method->step;
  const double size = next_of(first) >= CUT * step ? step : HUGE_VAL;
  const int is_full = s->to - s->from == HN_FIRST_STEPS;
  const long at = (is_full ? s->to - 1 : s->to++) % HN_FIRST_STEPS;
  s->end[at] = first->method->t;
  s->size[at] = is_full ? fmax(s->size[at], size) : size;
}

// A step that would go beyond the end of a step of the first run may end there, or a little within the
// next.
double hn_first_steps_limit(hn_first_steps *s, double time, double factor) {
  while (s->to - s->from > 1 && s->end[s->from % HN_FIRST_STEPS] <= time) s->from++;
  if (s->to == s->from) return HUGE_VAL;
  const long at = s->from % HN_FIRST_STEPS;
  const double longest = factor * s->size[at], left = s->end[at] - time;
  if (s->to - s->from == 1 || !(left < longest)) return longest;
  return fmin(longest, fmax(left, factor * s->size[(s->from + 1) % HN_FIRST_STEPS]));
}
