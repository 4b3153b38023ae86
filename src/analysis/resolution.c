// The fastest motion that fixed steps took part in. A coordinate that vibrates has dqdd = -w^2 dq from
// one step's end to the next, however badly the step resolves it, because equilibrium holds there; so
// w^4 = sum (dqdd)^2 / sum (dq)^2. A stiff spring that nothing excites has no such ratio: it moves with
// what drives it.
#include "analysis/resolution.h"

#include <math.h>
#include <string.h>

#define LEAST_PART 1e-3 // of the most any coordinate moved in a step: less is not judged

hn_status hn_resolution_create(hn_arena *arena, int count, hn_resolution *r) {
  *r = (hn_resolution){.count = count};
  r->q = HN_KEEP(arena, double, count);
  r->qdd = HN_KEEP(arena, double, count);
  r->square = HN_KEEP(arena, double, count);
  r->apart = HN_KEEP(arena, double, count);
  double *const arrays[] = {r->q, r->qdd, r->square, r->apart};
  hn_state_owner(arena, "fastest motion", HN_STATE_RECORD);
  for (int k = 0; k < 4; k++) {
    HN_STATE(arena, arrays[k], count, k < 2 ? "the end of the last step" : "a sum over steps");
    hn_state_within(arena, k < 2 ? -HUGE_VAL : 0, HUGE_VAL);
  }
  HN_STATE(arena, &r->has_last, 1, "the flag of a last step");
  hn_state_within(arena, 0, 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_resolution_begin(hn_resolution *r) {
  if (r->count == 0) return;
  r->has_last = 0;
  memset(r->square, 0, (size_t)r->count * sizeof(double));
  memset(r->apart, 0, (size_t)r->count * sizeof(double));
}

void hn_resolution_note(hn_resolution *r, const double *q, const double *qdd) {
  for (int i = 0; i < r->count; i++) {
    double dq = q[i] - r->q[i], da = qdd[i] - r->qdd[i];
    if (r->has_last) {
      r->square[i] += dq * dq;
      r->apart[i] += da * da;
    }
    r->q[i] = q[i];
    r->qdd[i] = qdd[i];
  }
  r->has_last = 1;
}

double hn_resolution_frequency(const hn_resolution *r) {
  double most = 0, fastest = 0;
  for (int i = 0; i < r->count; i++) most = fmax(most, r->square[i]);
  for (int i = 0; i < r->count; i++)
    if (r->square[i] > LEAST_PART * LEAST_PART * most)
      fastest = fmax(fastest, r->apart[i] / r->square[i]);
  return sqrt(sqrt(fastest));
}
