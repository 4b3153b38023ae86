// A source of events: the moment at which a body named "thrown" stops rising, located on the dense
// output of the attempted step and recorded. The step ends there.
#include <math.h>
#include <string.h>

#include "analysis/event_sources.h"

enum { BODY = 1, SAMPLES = 4, BISECTIONS = 50 };

static int is_present(const hn_simulation *s) {
  return s->model->body_count > BODY && strcmp(s->model->bodies[BODY].name, "thrown") == 0;
}

static double rise_at(hn_simulation *s, double theta) {
  return hn_simulation_frames_at(s, theta)[BODY].v.z;
}

static double changed_within(hn_simulation *s) {
  double low = 0, high = 2;
  if (s->stepping.mode != HN_RUN_CONTROLLED || !(s->method->now->frames[BODY].v.z > 0)) return high;
  for (int k = 1; k <= SAMPLES && high > 1; k++)
    *(rise_at(s, (double)k / SAMPLES) > 0 ? &low : &high) = (double)k / SAMPLES;
  for (int k = 0; high <= 1 && k < BISECTIONS; k++) {
    const double middle = 0.5 * (low + high);
    *(rise_at(s, middle) > 0 ? &low : &high) = middle;
  }
  return high;
}

static hn_status locate(hn_simulation *s, double theta, double *error_norm) {
  return hn_events_attempt(s, s->method->t + theta * s->method->step, error_norm, NULL);
}

static void note(hn_simulation *s) {
  if (fabs(s->method->now->frames[BODY].v.z) < 1e-9) hn_record_event(s, s->method->t, -1, 1, 0);
}

const hn_event_source hn_apex_source = {.name = "apex",
                                        .is_present = is_present,
                                        .changed_within = changed_within,
                                        .locate = locate,
                                        .note = note};
