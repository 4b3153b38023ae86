// The clock by POSIX: see clock.h. Elsewhere the calendar's clock of ISO C, which is polled, and no
// real-time priority.
#define _DEFAULT_SOURCE
#include "platform/clock.h"

#include <errno.h>
#include <math.h>
#include <time.h>

#define STAMP "%Y-%m-%d %H:%M UTC"

#if defined(__unix__) || defined(__APPLE__)

#include <sched.h>
#include <sys/mman.h>

enum { PRIORITY = 10 };

double hn_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hn_clock_wait(double time) {
#ifdef __APPLE__
  const double left = fmax(time - hn_clock(), 0);
  struct timespec span = {.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - floor(left)))};
  return nanosleep(&span, NULL) == 0;
#else
  const double whole = floor(time);
  struct timespec at = {.tv_sec = (time_t)whole, .tv_nsec = (long)(1e9 * (time - whole))};
  return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != EINTR;
#endif
}

void hn_clock_stamp(char *text, size_t size) {
  const time_t now = time(NULL);
  struct tm day;
  if (!gmtime_r(&now, &day) || strftime(text, size, STAMP, &day) == 0) text[0] = '\0';
}

hn_precedence hn_precedence_ask(void) {
  hn_precedence got = {0};
#ifdef __linux__
  struct sched_param wanted = {.sched_priority = PRIORITY};
  got.is_first = sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
#endif
  got.is_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  return got;
}

void hn_precedence_give_back(const hn_precedence *precedence) {
#ifdef __linux__
  struct sched_param usual = {.sched_priority = 0};
  if (precedence->is_first) sched_setscheduler(0, SCHED_OTHER, &usual);
#endif
  if (precedence->is_locked) munlockall();
}

#else

double hn_clock(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hn_clock_wait(double time) {
  while (hn_clock() < time) continue;
  return 1;
}

void hn_clock_stamp(char *text, size_t size) {
  const time_t now = time(NULL);
  const struct tm *day = gmtime(&now);
  if (!day || strftime(text, size, STAMP, day) == 0) text[0] = '\0';
}

hn_precedence hn_precedence_ask(void) { return (hn_precedence){0}; }
void hn_precedence_give_back(const hn_precedence *precedence) { (void)precedence; }

#endif
