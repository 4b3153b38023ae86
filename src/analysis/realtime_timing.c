// How long steps took: a histogram of logarithmic bins, so that a run of any length has a known size
// and rare long steps are kept apart from each other.
#include <math.h>

#include "analysis/realtime.h"
#include "math/elementary.h"

#define SHORTEST 1e-7 // s
enum { BINS_A_DECADE = 32 };

double hn_timing_edge(int bin) { return SHORTEST * hn_pow(10, (double)bin / BINS_A_DECADE); }

static int bin_of(double seconds) {
  if (!(seconds > SHORTEST)) return 0;
  double bin = floor(BINS_A_DECADE * hn_log10(seconds / SHORTEST));
  return bin < HN_TIMING_BINS - 1 ? (int)bin : HN_TIMING_BINS - 1;
}

void hn_realtime_note_time(hn_realtime *r, double seconds, double t) {
  hn_timing *timing = &r->timing;
  timing->steps++;
  timing->bins[bin_of(seconds)]++;
  timing->overruns += seconds > timing->deadline;
  r->seconds += seconds;
  if (seconds > timing->worst) {
    timing->worst = seconds;
    timing->worst_at = t;
  }
}

double hn_timing_quantile(const hn_timing *timing, double share) {
  long below = 0, wanted = (long)ceil(share * (double)timing->steps);
  if (timing->steps == 0) return 0;
  for (int k = 0; k < HN_TIMING_BINS - 1; k++) {
    below += timing->bins[k];
    if (below >= wanted) return fmin(hn_timing_edge(k + 1), timing->worst);
  }
  return timing->worst;
}

hn_timing hn_realtime_timing(const hn_realtime *r) {
  hn_timing timing = r->timing;
  if (timing.steps > 0) timing.mean = r->seconds / (double)timing.steps;
  timing.half = hn_timing_quantile(&timing, 0.5);
  timing.p99 = hn_timing_quantile(&timing, 0.99);
  timing.p9999 = hn_timing_quantile(&timing, 0.9999);
  return timing;
}

void hn_realtime_reset_timing(hn_realtime *r) {
  r->timing = (hn_timing){.deadline = r->timing.deadline};
  r->seconds = 0;
}
