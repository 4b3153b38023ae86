// Loops over the sources of events (event_sources.h).
#include "analysis/event_sources.h"

#include <math.h>

#include "base/error.h"

#define SHORTEST 1e-14 // of the time: no step is shorter
enum { MAX_ROUNDS = 100 };

#define POINTER_TO(source) &source,
static const hn_event_source *const all[] = {HN_EVENT_SOURCES(POINTER_TO)};
#undef POINTER_TO

enum { COUNT = sizeof all / sizeof *all };
_Static_assert(COUNT <= 32, "a bit each of hn_simulation.sources");

void hn_events_find(hn_simulation *s) {
  s->sources = 0;
  for (unsigned k = 0; k < COUNT; k++)
    if (all[k]->is_present(s)) s->sources |= 1u << k;
}

// The number of the first source from k on that is present; COUNT: none.
static int first_from(const hn_simulation *s, int k) {
  while (k < COUNT && !(s->sources >> k & 1)) k++;
  return k;
}

#define FOR_SOURCES(k) for (int k = first_from(s, 0); k < COUNT; k = first_from(s, k + 1))

hn_status hn_events_start(hn_simulation *s) {
  hn_status status = HN_OK;
  FOR_SOURCES(k)
  if (status == HN_OK && all[k]->start) status = all[k]->start(s);
  return status;
}

double hn_events_next_time(const hn_simulation *s) {
  double next = HUGE_VAL;
  FOR_SOURCES(k)
  if (all[k]->next_time) next = fmin(next, all[k]->next_time(s));
  return next;
}

double hn_events_max_step(hn_simulation *s, int has_features, double h, double t_limit) {
  FOR_SOURCES(k) {
    const hn_event_source *source = all[k];
    if (source->max_step && source->has_features == has_features)
      h = source->max_step(s, h, t_limit);
  }
  return h;
}

void hn_events_report_fixed(hn_simulation *s, double h) {
  FOR_SOURCES(k)
  if (all[k]->report_fixed) all[k]->report_fixed(s, h);
}

// ---- changes within the attempted step ----------------------------------------------------------

hn_status hn_events_attempt(hn_simulation *s, double end, double *error_norm, int *is_shorter) {
  const double t = s->method->t;
  for (;;) {
    hn_status status =
        hn_method_attempt(s->method, end, &s->branches, &s->tolerance, error_norm, &s->error);
    if (status < 0 || (status == HN_OK && !(*error_norm > 1))) return status;
    if (is_shorter) *is_shorter = 1;
    s->certificate.steps_rejected++;
    const double h = 0.25 * (end - t);
    if (h <= SHORTEST * (fabs(t) + 1e-3)) return hn_cannot_go_on(s, h, status);
    end = t + h;
  }
}

hn_status hn_events_locate(hn_simulation *s, double *error_norm) {
  FOR_SOURCES(k) {
    const hn_event_source *source = all[k];
    if (!source->locate) continue;
    const double theta = source->changed_within(s);
    if (theta > 1) continue;
    for (int j = first_from(s, 0); j < k && theta < 1; j = first_from(s, j + 1))
      if (all[j]->forget) all[j]->forget(s);
    hn_status status = source->locate(s, theta, error_norm);
    if (status != HN_OK) return status;
  }
  return HN_OK;
}

double hn_events_hold_until(hn_simulation *s) {
  double theta = 2;
  FOR_SOURCES(k) {
    const hn_event_source *source = all[k];
    if (source->changed_within && !source->locate) theta = fmin(theta, source->changed_within(s));
  }
  return theta;
}

int hn_events_count_seen(const hn_simulation *s) {
  int count = 0;
  FOR_SOURCES(k) count += all[k]->changed_at_end != NULL;
  return count;
}

int hn_events_see(hn_simulation *s, double *indicators) {
  int changed = 0, at = 0;
  FOR_SOURCES(k) {
    if (!all[k]->changed_at_end) continue;
    const int has_changed = all[k]->changed_at_end(s);
    if (indicators) indicators[at++] = has_changed ? -1 : 1;
    changed += has_changed;
  }
  return changed;
}

// ---- after it -----------------------------------------------------------------------------------

hn_status hn_events_take(hn_simulation *s) {
  hn_status status = HN_OK;
  FOR_SOURCES(k)
  if (status == HN_OK && all[k]->take) status = all[k]->take(s);
  return status;
}

void hn_events_note(hn_simulation *s) {
  FOR_SOURCES(k)
  if (all[k]->note) all[k]->note(s);
}

// One round, without source `except`. Returns how many have changed; *last: the last of them.
static int apply_all(hn_simulation *s, int except, int *last, hn_status *status) {
  int count = 0;
  FOR_SOURCES(k) {
    int changed = 0;
    if (k == except || !all[k]->apply) continue;
    *status = all[k]->apply(s, &changed);
    if (*status != HN_OK) return 0;
    if (changed) *last = k;
    count += changed;
  }
  return count;
}

// A source that alone has changed knows: it is asked again after the next change of another.
hn_status hn_events_apply(hn_simulation *s) {
  hn_status status = HN_OK;
  int last = -1;
  for (int round = 0, sole = -1; round < MAX_ROUNDS; round++) {
    const int count = apply_all(s, sole, &last, &status);
    if (count == 0) return status;
    status = hn_simulation_restart(s, 0);
    if (status != HN_OK) return status;
    sole = count == 1 ? last : -1;
  }
  return hn_fail(&s->error, HN_ERROR_STEP_SIZE, NULL, all[last]->name,
                 "give conditions a hysteresis and functions no jumps",
                 "change endlessly with other events at t = %.9g s", s->method->t);
}
