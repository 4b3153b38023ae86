// A comparison while it is made (compare.c, compare_runs.c).
#ifndef HN_STUDY_COMPARE_H
#define HN_STUDY_COMPARE_H

#include "base/arena.h"
#include "holon/compare.h"

enum { HN_COMPARE_ACCURACIES = 8 };

typedef struct hn_comparing {
  hn_comparison report; // first: it is what the caller has
  hn_arena arena;
  const hn_allocator *allocator;
  const hn_model *model;
  const hn_compare_options *options; // null when it is made
  double accuracies[HN_COMPARE_ACCURACIES];
  int accuracy_count;
  double *scale; // 1 + largest value (signals)
  hn_compare_point *points;
} hn_comparing;

double hn_compare_clock(void); // s, of the calendar
// Whether there is time left and no request to end.
int hn_compare_goes_on(const hn_comparing *c);
// The largest error of a trial against the reference, and whose it is.
double hn_compare_error(const hn_comparing *c, const hn_trial *trial, int *signal);
// 1 for one that differs from the one before in the list only in independent coordinates.
int hn_compare_is_variant(const hn_formulation *list, int k);
// All runs.
hn_status hn_compare_run(hn_comparing *c);

#endif
