// A process that serves a component may hang or be stopped without being gone: pipe and mpirun do
// not report that. After a while without an answer it counts as lost.
#include "patience.h"

#include <stdio.h>
#include <string.h>

static double patience = 60; // s: long enough for a password at the other end of ssh
static char silent[256];     // the component that did not answer in time

void hn_cli_patience_set(double seconds) {
  if (seconds > 0) patience = seconds;
}

double hn_cli_patience(void) { return patience; }

void hn_cli_patience_lost(const char *name) { snprintf(silent, sizeof silent, "%s", name); }

void hn_cli_patience_explain(hn_error *error) {
  if (silent[0] == '\0' || error->status != HN_ERROR_INTERRUPTED) return;
  char place[64] = "";
  const char *time = strstr(error->message, "t = ");
  if (time != NULL) snprintf(place, sizeof place, ", %.*s", (int)strcspn(time, ")"), time);
  snprintf(error->message, sizeof error->message,
           "does not answer: its process was silent for %g s (%s%s)", patience, silent, place);
  snprintf(error->hint, sizeof error->hint,
           "check whether that process hangs or is stopped, or allow more time with --patience");
}
