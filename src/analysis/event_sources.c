#include "analysis/event_sources.h"

#include "analysis/simulation_delays.h"
#include "analysis/simulation_functions.h"
#include "analysis/simulation_opaque.h"

static const hn_event_source *const sources[] = {&hn_functions_source, &hn_delays_source,
                                                 &hn_contact_dips_source, &hn_opaque_source};

enum { COUNT = sizeof sources / sizeof *sources };

double hn_event_max_step(hn_simulation *s, double h) {
  for (int k = 0; k < COUNT; k++)
    if (sources[k]->max_step && sources[k]->is_present(s)) h = sources[k]->max_step(s, h);
  return h;
}

double hn_event_unchanged_until(hn_simulation *s) {
  double theta = 2;
  for (int k = 0; k < COUNT; k++)
    if (sources[k]->unchanged_until && sources[k]->is_present(s))
      theta = fmin(theta, sources[k]->unchanged_until(s));
  return theta;
}

void hn_event_report_fixed(hn_simulation *s, double h) {
  for (int k = 0; k < COUNT; k++)
    if (sources[k]->report_fixed && sources[k]->is_present(s)) sources[k]->report_fixed(s, h);
}
