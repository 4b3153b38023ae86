// Timing of all benchmarks: CPU time of the process, the least of several rounds; compared programs
// run in turn in each round, so that a computer that slows down for a while slows all of them.
#ifndef HN_BENCH_TIMING_H
#define HN_BENCH_TIMING_H

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "holon/holon.h"

static inline double hn_bench_cpu(void) { return (double)clock() / CLOCKS_PER_SEC; }

// For what runs on several threads.
static inline double hn_bench_wall(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Work that is timed: least seconds of one call.
typedef struct hn_bench_timing {
  void (*work)(void *);
  void *context;
  double least;
  long calls; // in a round
} hn_bench_timing;

static inline double hn_bench_round(hn_bench_timing *t) {
  double begin = hn_bench_cpu();
  for (long k = 0; k < t->calls; k++) t->work(t->context);
  return hn_bench_cpu() - begin;
}

// Rounds of at least `seconds` each, of all works in turn.
static inline void hn_bench_least_times(hn_bench_timing *list, int count, int rounds,
                                        double seconds) {
  for (int k = 0; k < count; k++) {
    hn_bench_timing *t = &list[k];
    t->least = DBL_MAX;
    for (t->calls = 1; hn_bench_round(t) < seconds;) t->calls *= 2;
  }
  for (int round = 0; round < rounds; round++)
    for (int k = 0; k < count; k++) {
      double one = hn_bench_round(&list[k]) / (double)list[k].calls;
      if (one < list[k].least) list[k].least = one;
    }
}

static inline double hn_bench_least_time(void (*work)(void *), void *context) {
  hn_bench_timing t = {.work = work, .context = context};
  hn_bench_least_times(&t, 1, 20, 0.005);
  return t.least;
}

// ---- what goes wrong -----------------------------------------------------------------------------

static inline int hn_bench_complain(const hn_error *error) {
  char text[2048];
  hn_error_format(error, text, sizeof text);
  fprintf(stderr, "%s\n", text);
  return 1;
}

static inline void hn_bench_must(hn_status status, const hn_error *error) {
  if (status == HN_OK) return;
  hn_bench_complain(error);
  exit(1);
}

static inline hn_model *hn_bench_load(const char *path) {
  hn_model *model = NULL;
  hn_error error = {0};
  hn_bench_must(hn_model_load(path, NULL, &model, &error), &error);
  return model;
}

// QUICK=1 in the environment: fewer sizes, tolerances and rounds, for a first look.
static inline int hn_bench_is_quick(void) {
  const char *word = getenv("QUICK");
  return word && *word && *word != '0';
}

#endif
