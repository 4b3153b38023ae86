// Errors over time, and whether they grow exponentially.
//
// Local errors add up: after a first moment the difference of two runs grows like a power of t, the
// square for most machines. In a sensitive machine it is multiplied by the same factor in equal times.
// Both are fitted to log d, by c + p log(t - start) with p up to 4, and by c + t / T; the motion is
// sensitive when the exponential explains more, over a growth of at least a hundred.
#include "study/history.h"

#include <math.h>
#include <string.h>

#define SATURATED 0.1      // differences of this size grow no more
#define LEAST_GROWTH 100.0 // of what is called exponential
#define LEAST_ROWS 8

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

typedef struct line {
  double slope, rest; // rest: sum of squares that the line does not explain
} line;

typedef struct sums {
  double n, x, y, xx, xy, yy;
} sums;

static void add_point(sums *s, double x, double y) {
  s->n += 1;
  s->x += x;
  s->y += y;
  s->xx += x * x;
  s->xy += x * y;
  s->yy += y * y;
}

static double rest_of(const sums *s, double slope) {
  double yy = s->yy - s->y * s->y / s->n, xy = s->xy - s->x * s->y / s->n;
  double xx = s->xx - s->x * s->x / s->n;
  return yy - 2 * slope * xy + slope * slope * xx;
}

static line fit(const sums *s, double steepest) {
  double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n;
  double slope = xx > 0 ? xy / xx : 0;
  if (slope > steepest) slope = steepest;
  return (line){slope, rest_of(s, slope)};
}

hn_growth hn_history_growth(const hn_history *h, double start) {
  enum { STEEPEST = 4 };
  sums power = {0}, exponential = {0};
  double most = 0, first = 0, last = 0;
  for (int k = 0; k < h->count; k++) {
    double value = h->value[(size_t)k * (size_t)h->width], t = h->time[k] - start;
    most = fmax(most, value); // the largest so far: zeros of the difference say nothing
    if (!(most > 0) || !(t > 0)) continue;
    if (!(first > 0)) first = most;
    if (most > SATURATED) break;
    last = most;
    add_point(&power, log(t), log(most));
    add_point(&exponential, t, log(most));
  }
  if (power.n < LEAST_ROWS || !(last > LEAST_GROWTH * first)) return (hn_growth){0, 0};
  line p = fit(&power, STEEPEST), e = fit(&exponential, HUGE_VAL);
  int is_exponential = e.slope > 0 && e.rest < p.rest;
  return (hn_growth){is_exponential, e.slope > 0 ? 1 / e.slope : 0};
}
