// Timing of the steps of a run in real time: lines of the summary, a histogram in words, the same
// for the report, an object of the JSON. Counts are drawn on a logarithmic scale: the rare long
// step matters.
#include <math.h>
#include <stdio.h>

#include "math/elementary.h"
#include "study/report.h"

enum { JOINED = 4, LINES = HN_TIMING_BINS / JOINED }; // 8 a decade

static void add_time(hn_string *text, double seconds) {
  if (seconds < 0.9995e-3) {
    hn_string_add(text, "%.3g us", 1e6 * seconds);
  } else if (seconds < 0.9995) {
    hn_string_add(text, "%.3g ms", 1e3 * seconds);
  } else {
    hn_string_add(text, "%.3g s", seconds);
  }
}

// Bins joined to lines; the first and the last line that hold a step.
typedef struct histogram {
  long count[LINES];
  int first, last;
  long most;
} histogram;

static histogram join(const hn_timing *timing) {
  histogram h = {.first = LINES, .last = -1};
  for (int k = 0; k < HN_TIMING_BINS; k++) h.count[k / JOINED] += timing->bins[k];
  for (int r = 0; r < LINES; r++) {
    if (h.count[r] == 0) continue;
    if (r < h.first) h.first = r;
    h.last = r;
    if (h.count[r] > h.most) h.most = h.count[r];
  }
  return h;
}

// 0 for nothing, above 0 for one, 1 for the most there is.
static double length_of(const histogram *h, long count) {
  if (count <= 0) return 0;
  return (0.3 + hn_log10((double)count)) / (0.3 + hn_log10((double)h->most));
}

static void add_bars(hn_string *text, const hn_timing *timing) {
  static const char bar[] = "########################################";
  histogram h = join(timing);
  for (int r = h.first; r <= h.last; r++) {
    hn_string range = {0};
    int gap = 0;
    while (h.count[r + gap] == 0) gap++;
    if (gap > 2) { // long stretches without a step take one line
      hn_string_add(text, "         ...\n");
      r += gap - 1;
      continue;
    }
    add_time(&range, hn_timing_edge(JOINED * r));
    hn_string_add(text, "  %10s %-40.*s %ld\n", range.data,
                  (int)ceil(40 * length_of(&h, h.count[r])), bar, h.count[r]);
    hn_string_free(&range);
  }
}

static void add_times(hn_string *text, const hn_timing *t) {
  const struct {
    const char *name;
    double seconds;
  } parts[] = {{"mean ", t->mean},
               {", half ", t->half},
               {", 99 % ", t->p99},
               {", 99.99 % ", t->p9999},
               {", worst ", t->worst}};
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    hn_string_add(text, "%s", parts[k].name);
    add_time(text, parts[k].seconds);
  }
  hn_string_add(text, " (at t = %.6g s)", t->worst_at);
}

static void add_how(hn_string *text, const hn_report *r) {
  const hn_pacing *p = r->pacing;
  const hn_simulation_options *o = hn_simulation_options_used(r->simulation);
  hn_string_add(text, "%.6g Hz, ", 1 / hn_simulation_fixed_step(r->simulation));
  if (o->max_iterations > 0)
    hn_string_add(text, "at most %d iteration%s a stage, ", o->max_iterations,
                  o->max_iterations == 1 ? "" : "s");
  if (!p->is_paced) {
    hn_string_add(text, "as fast as possible");
    return;
  }
  hn_string_add(text, "paced by the clock, %s, memory %s",
                p->is_first ? "SCHED_FIFO" : "normal priority (SCHED_FIFO not permitted)",
                p->is_locked ? "locked" : "not locked (not permitted)");
}

static void add_overruns(hn_string *text, const hn_timing *t, const hn_pacing *p) {
  hn_string_add(text, "%ld of %ld steps took longer than ", t->overruns, t->steps);
  add_time(text, t->deadline);
  if (!p->is_paced) return;
  hn_string_add(text, "; %ld tick%s missed, latest wake-up ", p->missed, p->missed == 1 ? "" : "s");
  add_time(text, p->latest_wake);
}

// A run that failed did so in a stage that is not counted among those it took.
static void add_bound(hn_string *text, const hn_certificate *c, const hn_run_outcome *outcome) {
  int has_failed = outcome->status == HN_ERROR_CONVERGENCE;
  long taken = c->newton_unconverged_accepted;
  if (taken == 0)
    hn_string_add(text, has_failed
                            ? "every stage converged but those of the last step, which failed"
                            : "every stage converged");
  else
    hn_string_add(text, "%ld stage%s accepted unconverged, last correction up to %.2g tolerances%s",
                  taken, taken == 1 ? "" : "s", c->newton_unconverged_residual,
                  has_failed ? "; the last step failed" : "");
}

// Steps are never cut: the end is the whole number of them that is nearest.
static void add_end(hn_string *text, const hn_report *r) {
  const hn_run_outcome *outcome = r->outcome;
  double step = hn_simulation_fixed_step(r->simulation);
  if (outcome->status != HN_OK || fabs(outcome->time - outcome->end) <= 1e-6 * step) return;
  hn_string_add(text, "\n  end          t = %.6g s: whole steps of %g s do not end at %g s",
                outcome->time, step, outcome->end);
}

void hn_report_pace_lines(hn_string *text, const hn_report *r) {
  if (!r->pacing) return;
  hn_timing timing = hn_realtime_timing(hn_simulation_realtime(r->simulation));
  hn_certificate c = hn_simulation_certificate(r->simulation);
  hn_string_add(text, "  real time    ");
  add_how(text, r);
  add_end(text, r);
  hn_string_add(text, "\n  step time    ");
  add_times(text, &timing);
  hn_string_add(text, "\n  overruns     ");
  add_overruns(text, &timing, r->pacing);
  hn_string_add(text, "\n  bound        ");
  add_bound(text, &c, r->outcome);
  hn_string_add(text,
                "\n  steps that took at least this long, up to the next line (logarithmic bars)\n");
  add_bars(text, &timing);
}

// ---- report -------------------------------------------------------------------------------------

static void add_words(hn_json_writer *json, const char *key, hn_string *words) {
  hn_json_string(json, key, words->data != NULL ? words->data : "");
  hn_string_free(words);
}

// "histogram": from, to (s) and how many steps took so long.
static void add_histogram(hn_json_writer *json, const hn_timing *timing) {
  histogram h = join(timing);
  hn_json_open(json, "histogram", '[');
  for (int r = h.first; r <= h.last; r++) {
    if (h.count[r] == 0) continue;
    const double bar[3] = {hn_timing_edge(JOINED * r), hn_timing_edge(JOINED * (r + 1)),
                           (double)h.count[r]};
    hn_json_vector(json, NULL, bar, 3);
  }
  hn_json_close(json, ']');
}

void hn_report_pace(hn_json_writer *json, const hn_report *r) {
  if (!r->pacing) return;
  hn_timing timing = hn_realtime_timing(hn_simulation_realtime(r->simulation));
  hn_certificate c = hn_simulation_certificate(r->simulation);
  hn_string words = {0};
  hn_json_open(json, "realtime", '{');
  add_how(&words, r);
  add_words(json, "loop", &words);
  add_times(&words, &timing);
  add_words(json, "step_time", &words);
  add_overruns(&words, &timing, r->pacing);
  add_words(json, "overruns", &words);
  add_bound(&words, &c, r->outcome);
  add_words(json, "iterations", &words);
  hn_json_number(json, "p9999", timing.p9999);
  hn_json_number(json, "deadline", timing.deadline);
  add_histogram(json, &timing);
  hn_json_close(json, '}');
}

void hn_report_pace_json(hn_json_writer *json, const hn_report *r) {
  const hn_run_outcome *outcome = r->outcome;
  const hn_pacing *p = r->pacing;
  if (!p) return;
  hn_json_open(json, "pacing", '{');
  hn_json_string(json, "pace", p->is_paced ? "clock" : "none");
  hn_json_string(json, "scheduler", p->is_first ? "fifo" : "other");
  hn_json_boolean(json, "memory_locked", p->is_locked);
  hn_json_integer(json, "missed", p->missed);
  hn_json_number(json, "latest_wake", p->latest_wake);
  hn_json_number(json, "latest_done", p->latest_done);
  hn_json_number(json, "wall_seconds", outcome->wall_seconds);
  hn_json_number(json, "end", outcome->time);
  hn_json_number(json, "end_asked", outcome->end);
  hn_json_close(json, '}');
}
