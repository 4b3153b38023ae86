// Holon: one machine by many formulations, their errors against their time, and which to take.
//
//   hn_compare_options options = {0};
//   hn_comparison *comparison = NULL;
//   hn_compare_model(model, &options, &comparison, &error);
//   const hn_recommendation *first = &comparison->recommendations[0];
//   hn_comparison_free(comparison);
//
// Errors are against a reference made on the spot: the pair of formulations that agree best among those
// that share little code (hn_verify_model). Runs go from loose to tight levels, at each level the
// fastest of the level before first; those far slower than the best are stopped.
#ifndef HOLON_COMPARE_H
#define HOLON_COMPARE_H

#include "holon/verify.h"

#ifdef __cplusplus
extern "C" {
#endif

// Everything may be 0.
typedef struct hn_compare_options {
  size_t size;                 // of this struct; 0: the first version
  const hn_formulation *among; // none: every one that is built; "auto" is always run, too
  int among_count;
  const double *tols, *steps; // levels; none: chosen. What tols says is what is recommended for
  int tol_count, step_count;
  double time;                // 0: the model's own
  double budget;              // s of the clock; 0: 300, quick 100
  int is_quick;               // fewer formulations and levels
  const char *const *signals; // globs; none: outputs, else positions and joint coordinates
  int signal_count;
  // Progress: the present task, and the fraction done. Null words: only asks whether to continue.
  // Return 0 to end with what was computed so far. Null: never called.
  int (*progress)(void *context, const char *what, double share);
  void *context;
  const hn_allocator *allocator;
} hn_compare_options;

// One run: a formulation at a tolerance or a step.
typedef struct hn_compare_point {
  int formulation;
  double tol, step; // one of them is 0
  hn_status
      status; // HN_OK; _LIMIT: stopped; _INTERRUPTED: not run; _UNSUPPORTED: not available; ...
  char reason[240]; // why there is no error
  double error; // largest difference from the reference over 1 + the largest value of a signal, not
                // below the reference's uncertainty
  int signal;   // whose
  double seconds; // CPU of the steps
  double longest; // ... of the longest one
  long steps;
  char used[112]; // what `auto` chose; empty for others
  int is_front;   // on the Pareto front of error and time
} hn_compare_point;

typedef struct hn_recommendation {
  double accuracy;
  int point;    // the fastest within it, -1: none
  int realtime; // the largest fixed step within it that keeps up with the clock, -1: none
} hn_recommendation;

typedef struct hn_comparison {
  const hn_formulation *formulations;
  int formulation_count;
  const double *tols, *steps; // the largest first
  int tol_count, step_count;
  double budget;
  int is_quick, is_limited; // limited: `among` was given, nothing else is recommended

  hn_verify *reference; // its signals, its grid, its trials
  int trial, partner;   // the reference and who confirms it
  double uncertainty;   // their difference, as an error
  double time;

  const hn_compare_point *points;
  int point_count;
  const hn_recommendation *recommendations; // one an accuracy, the loosest first
  int recommendation_count;
  int realtime;        // the most accurate fixed step that keeps up with the clock, -1: none
  double began, ended; // s of the clock
  int is_over;         // the budget was used up, or progress ended it
} hn_comparison;

// HN_ERROR_LIMIT when no two formulations agree well enough to be a reference.
HN_API hn_status hn_compare_model(const hn_model *model, const hn_compare_options *options,
                                  hn_comparison **comparison, hn_error *error);
HN_API void hn_comparison_free(hn_comparison *comparison); // null is fine
// Error against CPU time, both logarithmic, as SVG: the Pareto front and the lines that matter.
HN_API hn_status hn_comparison_plot(const hn_comparison *comparison, const char *title,
                                    const char *path, hn_error *error);

// Whether a formulation fits an item: words between slashes, each the name of coordinates, method,
// formula or independent coordinates (with * and ?), or a preset.
HN_API int hn_formulation_matches(const hn_formulation *formulation, const char *item);

#ifdef __cplusplus
}
#endif

#endif
