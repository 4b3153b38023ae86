// An audit of derivatives: what audit.c (equations) and audit_elements.c (forces, rows) share.
#ifndef HN_STUDY_AUDIT_H
#define HN_STUDY_AUDIT_H

#include "holon/verify.h"

#include "analysis/simulation.h"

// An error beyond this fraction of the derivative's size is a mistake: rounding and truncation stay
// orders below at the best of the steps.
#define HN_AUDIT_LIMIT 1e-5

#define HN_AUDIT_STEPS 11                      // of differences
#define HN_AUDIT_ROOM (1 + 3 * HN_AUDIT_STEPS) // numbers for each value that is compared

typedef struct hn_audit {
  hn_simulation *simulation;
  hn_arena arena;
  const hn_branches *branches;
  hn_frame *frames; // of the present state, to be moved and put back (bodies + ground)
  double time;
  hn_audit_finding *findings;
  int capacity, count;
  long checked;
} hn_audit;

// Values (count) of what is differentiated, h along the direction that the context knows. Not HN_OK:
// nothing can be said here.
typedef hn_status (*hn_audit_function)(void *context, double h, double *values);

typedef struct hn_audit_test {
  hn_audit_function values;
  void *context;
  int count;
  const double *exact;        // the derivative along the direction (count)
  double size;                // below this fraction of the value a derivative does not matter
  double *room;               // HN_AUDIT_ROOM count
  const char *element, *what; // element: null for the equations as a whole
  int (*is_linear)(void *context, const double *exact); // null; 0: no derivative exists here
} hn_audit_test;

// Sixth-order differences at steps from 1e-2 to 1e-12, around the state and on either side of it. A
// wrong derivative is wrong at every step and on both sides, by more than these differences can be:
// their own error is read off higher differences of the values, and off each other. Notes a finding
// then.
void hn_audit_compare(hn_audit *audit, const hn_audit_test *test);
double hn_audit_largest(const double *values, int count);

void hn_audit_elements(hn_audit *audit);

#endif
