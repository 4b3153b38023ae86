// Steps of a run, and the CPU time they take.
#include <time.h>

#include "analysis/simulation.h"

#define SHORT_STEP 2e-4 // s

double hn_simulation_time(const hn_simulation *s) { return s->method->t; }

static double cpu_since(clock_t begin) { return (double)(clock() - begin) / CLOCKS_PER_SEC; }

// To read the CPU time is a system call and may cost as much as a small step. After a short step the
// next one is timed by the calendar, which is read without one; where that shows far more, the
// thread was interrupted, and as much as for the step before is counted.
hn_status hn_simulation_step(hn_simulation *s, double t_limit) {
  if (!(t_limit > s->method->t)) return HN_OK;
  hn_status status;
  if (s->stepping.seconds > 0 && s->stepping.seconds < SHORT_STEP) {
    struct timespec begin, end;
    timespec_get(&begin, TIME_UTC);
    status = hn_simulation_take_step(s, t_limit);
    timespec_get(&end, TIME_UTC);
    double passed =
        difftime(end.tv_sec, begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    s->certificate.cpu_seconds +=
        passed >= 0 && passed < 10 * SHORT_STEP ? passed : s->stepping.seconds;
    if (passed > 0) s->stepping.seconds = passed; // a long one: the next is timed by the CPU
  } else {
    clock_t begin = clock();
    status = hn_simulation_take_step(s, t_limit);
    s->stepping.seconds = cpu_since(begin);
    s->certificate.cpu_seconds += s->stepping.seconds;
  }
  return status;
}

hn_status hn_simulation_advance(hn_simulation *s, double time) {
  clock_t begin = clock();
  hn_status status = HN_OK;
  while (status == HN_OK && s->method->t < time) status = hn_simulation_take_step(s, time);
  s->certificate.cpu_seconds += cpu_since(begin);
  return status;
}
