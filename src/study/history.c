// Errors over time, and whether they grow exponentially.
//
// Local errors add up: the difference of two runs grows like a power of the time since it began,
// the square for most models. In a sensitive model it is multiplied by the same factor in equal
// times. The last factor of a hundred decides: a power p of time takes from t to t 100^(1/p);
// faster than any power up to 5 is called exponential. Differences that rise and fall again within
// a few rows, where one run is ahead of the other in a fast change (a jump, a stop, a contact), are
// no growth: medians are used. Growth that ended long before the run did, with differences that are
// still small, was a passage (a stop, a turning point): errors are proportional to the tolerance
// there.
#include "study/history.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"

#define SATURATED 0.1 // differences of this size grow no more
#define PLATEAU 0.3   // of the largest: from here on the growth has ended
#define FACTOR 100.0  // of the growth that is examined
#define EARLY 1e-6    // of the top: the growth began
#define STEEPEST 5.0  // power of time by which errors may add up
#define LASTS 2.0     // of its own length: growth that ended so long before the run was a passage
#define WINDOW 40     // a median is taken over one row of so many to each side

hn_status hn_history_create(hn_arena *arena, int width, hn_history *h) {
  *h = (hn_history){.width = width, .each = 1};
  h->time = HN_TAKE(arena, double, HN_HISTORY_ROOM);
  h->value = HN_TAKE(arena, double, (size_t)HN_HISTORY_ROOM *(size_t)width);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void merge(hn_history *h, int to, double time, const double *values) {
  double *row = h->value + (size_t)to * (size_t)h->width;
  h->time[to] = time;
  for (int k = 0; k < h->width; k++)
    if (!(values[k] <= row[k])) row[k] = values[k];
}

static void halve(hn_history *h) {
  size_t width = (size_t)h->width;
  for (int k = 0; k < h->count / 2; k++) {
    memmove(h->value + (size_t)k * width, h->value + (size_t)(2 * k) * width,
            width * sizeof(double));
    merge(h, k, h->time[2 * k + 1], h->value + (size_t)(2 * k + 1) * width);
  }
  h->count /= 2;
  h->each *= 2;
}

void hn_history_add(hn_history *h, double time, const double *values) {
  if (h->open > 0 && h->open < h->each) {
    merge(h, h->count - 1, time, values);
    h->open++;
    return;
  }
  if (h->count == HN_HISTORY_ROOM) halve(h);
  h->time[h->count] = time;
  memcpy(h->value + (size_t)h->count * (size_t)h->width, values, (size_t)h->width * sizeof(double));
  h->count++;
  h->open = 1;
}

// ---- growth -------------------------------------------------------------------------------------

// The median of column 0 over the rows near k.
static double level_at(const hn_history *h, int k) {
  double sorted[2 * (HN_HISTORY_ROOM / WINDOW) + 1];
  int reach = h->count / WINDOW, count = 0;
  for (int i = k - reach; i <= k + reach; i++) {
    if (i < 0 || i >= h->count) continue;
    double value = h->value[(size_t)i * (size_t)h->width];
    int to = count++;
    for (; to > 0 && sorted[to - 1] > value; to--) sorted[to] = sorted[to - 1];
    sorted[to] = value;
  }
  return sorted[count / 2];
}

// The first time at which the difference is beyond a level.
static double time_beyond(const hn_history *h, const double *levels, double level) {
  for (int k = 0; k < h->count; k++)
    if (levels[k] > level) return h->time[k];
  return h->time[h->count - 1];
}

hn_growth hn_history_growth(const hn_history *h, double start) {
  double levels[HN_HISTORY_ROOM], most = 0, first = 0;
  for (int k = 0; k < h->count; k++) {
    levels[k] = level_at(h, k);
    most = fmax(most, levels[k]);
    if (!(first > 0)) first = levels[k];
  }
  double top = fmin(SATURATED, PLATEAU * most);
  if (!(top > FACTOR * first)) return (hn_growth){0, 0};
  double origin = fmax(start, time_beyond(h, levels, EARLY * top));
  if (first > EARLY * top) origin = start;
  double begin = time_beyond(h, levels, top / FACTOR), end = time_beyond(h, levels, top);
  if (!(end > begin) || !(begin > origin)) return (hn_growth){0, 0};
  double exponent = hn_log(FACTOR) / hn_log((end - origin) / (begin - origin));
  int lasts = most > SATURATED || h->time[h->count - 1] - end <= LASTS * (end - begin);
  return (hn_growth){exponent > STEEPEST && lasts, (end - begin) / hn_log(FACTOR)};
}
