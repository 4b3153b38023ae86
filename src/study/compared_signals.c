// Signals by which two runs of one model are compared, and the difference of two values of a
// signal. Out of scope: signals on which formulations need not agree (free_signals.c).
#include "holon/verify.h"

#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "math/elementary.h"
#include "signals/signals_table.h"
#include "study/compared.h"

// ---- differences --------------------------------------------------------------------------------

static int ends_with(const char *name, const char *ending) {
  size_t length = strlen(name), size = strlen(ending);
  return length >= size && strcmp(name + length - size, ending) == 0;
}

static hn_signal_same same_by_name(const char *name) {
  if (strncmp(name, "body.", 5) != 0) return HN_SAME_VALUE;
  if (strstr(name, ".quaternion.")) return HN_SAME_UP_TO_SIGN;
  if (ends_with(name, ".roll") || ends_with(name, ".pitch") || ends_with(name, ".yaw"))
    return HN_SAME_UP_TO_TURNS;
  return HN_SAME_VALUE;
}

hn_signal_same hn_simulation_signal_same(const hn_simulation *s, int signal) {
  hn_signal_place place = hn_signal_locate(s->signals, signal);
  if (place.kind == HN_SIGNAL_OUTPUT) {
    int alias = s->signals->outputs[place.element].alias;
    return alias >= 0 ? hn_simulation_signal_same(s, alias) : HN_SAME_VALUE;
  }
  if (place.kind != HN_SIGNAL_BODY) return HN_SAME_VALUE;
  if (place.quantity >= HN_BODY_ROLL) return HN_SAME_UP_TO_TURNS;
  return place.quantity >= HN_BODY_QUATERNION ? HN_SAME_UP_TO_SIGN : HN_SAME_VALUE;
}

// nan in both is no difference; nan in one alone is an undefined difference.
double hn_signal_gap(hn_signal_same same, double a, double b) {
  if (isnan(a) && isnan(b)) return 0;
  double gap = fabs(a - b);
  switch (same) {
  case HN_SAME_UP_TO_TURNS: return fabs(remainder(a - b, 2 * HN_PI));
  case HN_SAME_UP_TO_SIGN: return isnan(gap) ? gap : fmin(gap, fabs(a + b));
  case HN_SAME_VALUE: break;
  }
  return gap;
}

double hn_signal_difference(const char *name, double a, double b) {
  return hn_signal_gap(same_by_name(name), a, b);
}

void hn_quaternion_gaps(const double a[4], const double b[4], double gaps[4], double *angle) {
  const double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0 ? -1 : 1;
  double square = 0;
  for (int i = 0; i < 4; i++) {
    gaps[i] = fabs(a[i] - sign * b[i]);
    square += gaps[i] * gaps[i];
  }
  // |p_a - p_b| = 2 sin(angle / 4), exact for small angles too
  *angle = isnan(square) ? NAN : 4 * hn_asin(fmin(0.5 * sqrt(square), sqrt(0.5)));
}

// ---- choice -------------------------------------------------------------------------------------

static int is_rotation(hn_signal_place place) {
  return (place.quantity >= HN_BODY_ANGULAR_VELOCITY &&
          place.quantity < HN_BODY_ANGULAR_VELOCITY + 3) ||
         (place.quantity >= HN_BODY_QUATERNION && place.quantity < HN_BODY_ROLL);
}

// 1: a position, 2: a velocity, 0: neither.
static int order_of(hn_signal_place place) {
  if (place.kind == HN_SIGNAL_JOINT) return place.quantity % 3 < 2 ? 1 + place.quantity % 3 : 0;
  if (place.kind != HN_SIGNAL_BODY) return 0;
  if (is_rotation(place)) return place.quantity < HN_BODY_QUATERNION ? 2 : 1;
  return place.quantity < 6 ? 1 + place.quantity / 3 : 0;
}

int hn_simulation_compared_signals(const hn_simulation *s, int what, int *indices) {
  int count = 0, all = hn_simulation_signal_count(s);
  for (int i = 0; i < all; i++) {
    hn_signal_place place = hn_signal_locate(s->signals, i);
    int order = order_of(place);
    int is_wanted = place.kind == HN_SIGNAL_OUTPUT ? what & HN_COMPARE_OUTPUTS
                    : order == 1                   ? what & HN_COMPARE_POSITIONS
                    : order == 2                   ? what & HN_COMPARE_VELOCITIES
                                                   : 0;
    if (!is_wanted) continue;
    indices[count++] = i;
  }
  return count;
}
