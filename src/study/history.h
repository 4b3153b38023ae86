// Errors over time in bounded memory: when it is full, neighbors are merged and every second row
// counts.
#ifndef HN_STUDY_HISTORY_H
#define HN_STUDY_HISTORY_H

#include "base/arena.h"

#define HN_HISTORY_ROOM 512

typedef struct hn_history {
  int width;            // numbers a row
  int count;            // rows kept
  int each;             // rows given for one kept
  int open;             // given for the last one that is kept
  double *time, *value; // (HN_HISTORY_ROOM), (HN_HISTORY_ROOM x width)
} hn_history;

hn_status hn_history_create(hn_arena *arena, int width, hn_history *history);
// One more row: of rows that are merged the last time and the largest of each number stay.
void hn_history_add(hn_history *history, double time, const double *values);

// How a difference of two runs grows with time: column 0 of a history.
typedef struct hn_growth {
  int is_exponential; // and by a factor that no sum of local errors explains
  double seconds;     // a factor of e in so many
} hn_growth;
hn_growth hn_history_growth(const hn_history *history, double start);

#endif
