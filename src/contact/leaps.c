// Anderson's acceleration of sweeps (leaps.h).
#include "contact/leaps.h"

#include <math.h>
#include <string.h>

#include "linalg/rank.h"

#define WORSE 1.1   // a leap whose change is larger than this of the one before is taken back
#define NOISE 1e-12 // of a diagonal element: smaller differences are noise
enum { SHORT_WAIT = 4, LONG_WAIT = 64, SUCCESSES = 10 };

hn_status hn_leaps_create(hn_arena *arena, int room, hn_leaps *leaps) {
  *leaps = (hn_leaps){.room = room};
  leaps->from = HN_KEEP(arena, double, 3 * (size_t)room);
  leaps->to = HN_KEEP(arena, double, 3 * (size_t)room);
  leaps->change = HN_KEEP(arena, double, 3 * (size_t)room);
  for (int k = 0; k < HN_LEAPS; k++) {
    leaps->dto[k] = HN_KEEP(arena, double, 3 * (size_t)room);
    leaps->dchange[k] = HN_KEEP(arena, double, 3 * (size_t)room);
  }
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static void forget(hn_leaps *leaps) {
  leaps->have = leaps->put = leaps->is_leap = 0;
  leaps->is_first = 1;
}

void hn_leaps_begin(hn_leaps *leaps) {
  forget(leaps);
  leaps->wait = leaps->successes = 0;
  leaps->patience = SHORT_WAIT;
}

void hn_leaps_mark(hn_leaps *leaps, const hn_sweep_point *points, int count) {
  for (int k = 0; k < count; k++) memcpy(&leaps->from[3 * k], points[k].p, 3 * sizeof(double));
}

// Impulses of a point in the unit in which changes are compared: roots of energy.
static double unit_of(const hn_sweep_point *c, int i) { return sqrt(c->w[i][i]); }

static double size_of_change(const hn_leaps *leaps, const hn_sweep_point *points, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const double change = points[k].p[i] - leaps->from[3 * k + i];
      sum += change * change * points[k].w[i][i];
    }
  return sqrt(sum);
}

static void go_back(hn_leaps *leaps, hn_sweep_body *bodies, hn_sweep_point *points, int count) {
  for (int k = 0; k < count; k++) {
    double back[3];
    for (int i = 0; i < 3; i++) back[i] = leaps->to[3 * k + i] - points[k].p[i];
    memcpy(points[k].p, &leaps->to[3 * k], 3 * sizeof(double));
    hn_sweep_push(bodies, &points[k], back);
  }
}

static void fail(hn_leaps *leaps) {
  forget(leaps);
  leaps->wait = leaps->patience;
  leaps->patience = 2 * leaps->patience < LONG_WAIT ? 2 * leaps->patience : LONG_WAIT;
  leaps->successes = 0;
}

static void remember(hn_leaps *leaps, const hn_sweep_point *points, int count) {
  double *dto = leaps->dto[leaps->put], *dchange = leaps->dchange[leaps->put];
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      const int r = 3 * k + i;
      const double to = points[k].p[i];
      const double change = (to - leaps->from[r]) * unit_of(&points[k], i);
      dto[r] = to - leaps->to[r];
      dchange[r] = change - leaps->change[r];
      leaps->to[r] = to;
      leaps->change[r] = change;
    }
}

// The new difference becomes part of the normal equations; their right side.
static void extend_gram(hn_leaps *leaps, int rows, double *right) {
  const int put = leaps->put;
  if (leaps->have < HN_LEAPS) leaps->have++;
  for (int j = 0; j < leaps->have; j++) {
    const double *x = leaps->dchange[j], *y = leaps->dchange[put];
    double of_new = 0, of_change = 0;
    for (int r = 0; r < rows; r++) {
      of_new += x[r] * y[r];
      of_change += x[r] * leaps->change[r];
    }
    leaps->gram[j][put] = leaps->gram[put][j] = of_new;
    right[j] = of_change;
  }
  leaps->put = (put + 1) % HN_LEAPS;
}

static int is_positive(void *context, int k, double pivot, double rest) {
  (void)context, (void)k, (void)rest;
  return pivot > 0 ? 1 : -1;
}

// 0 where differences depend on each other.
static int solve_gram(const hn_leaps *leaps, double *x) {
  const int n = leaps->have;
  double a[HN_LEAPS * HN_LEAPS];
  unsigned char is_dropped[HN_LEAPS];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[n * i + j] = leaps->gram[i][j] * (i == j ? 1 + NOISE : 1);
  return hn_solve_in_order(a, n, x, is_dropped, is_positive, NULL) == 0;
}

static void leap(const hn_leaps *leaps, const double *factors, hn_sweep_body *bodies,
                 hn_sweep_point *points, int count) {
  for (int k = 0; k < count; k++) {
    double by[3] = {0, 0, 0};
    for (int j = 0; j < leaps->have; j++)
      for (int i = 0; i < 3; i++) by[i] -= factors[j] * leaps->dto[j][3 * k + i];
    for (int i = 0; i < 3; i++) points[k].p[i] += by[i];
    hn_sweep_push(bodies, &points[k], by);
  }
}

static void take_combination(hn_leaps *leaps, double size, hn_sweep_body *bodies,
                             hn_sweep_point *points, int count) {
  double factors[HN_LEAPS];
  if (leaps->is_leap && !(size <= WORSE * leaps->size)) {
    go_back(leaps, bodies, points, count);
    fail(leaps);
    return;
  }
  if (leaps->is_leap && ++leaps->successes > SUCCESSES) leaps->patience = SHORT_WAIT;
  leaps->size = size;
  leaps->is_leap = 0;
  if (leaps->wait > 0) {
    leaps->wait--;
    return;
  }
  remember(leaps, points, count);
  if (leaps->is_first) {
    leaps->is_first = 0;
    return;
  }
  extend_gram(leaps, 3 * count, factors);
  if (!solve_gram(leaps, factors)) {
    forget(leaps);
    return;
  }
  leap(leaps, factors, bodies, points, count);
  leaps->is_leap = 1;
}

void hn_leaps_take(hn_leaps *leaps, hn_sweep_body *bodies, hn_sweep_point *points, int count) {
  take_combination(leaps, size_of_change(leaps, points, count), bodies, points, count);
}
