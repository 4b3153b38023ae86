// A clock that never goes back, and waiting for it.
#ifndef HN_PLATFORM_CLOCK_H
#define HN_PLATFORM_CLOCK_H

#include <stddef.h>

double hn_clock(void); // s
// Until the clock shows `time`. 0: a signal came before; the caller decides whether to wait on.
int hn_clock_wait(double time);

// "2026-11-17 06:10 UTC", of the calendar; empty without a calendar.
void hn_clock_stamp(char *text, size_t size);

// Privileges of a loop in real time: priority over other processes (SCHED_FIFO) and locked memory
// (mlockall). Each is 1 if it was granted.
typedef struct hn_precedence {
  int is_first, is_locked;
} hn_precedence;
hn_precedence hn_precedence_ask(void);
void hn_precedence_give_back(const hn_precedence *precedence);

#endif
