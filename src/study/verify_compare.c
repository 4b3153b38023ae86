// Comparison of trials: pairs, the spread of all, outliers, growth of the spread.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "study/verify_work.h"

#define JUMP 100 // times what is allowed
#define NOISE 2  // times what a signal changes from run to run of one formulation
#define FAR_MORE 100

static double value_of(const hn_trial *trial, int row, int signal) {
  return trial->values[(size_t)row * (size_t)trial->signals + (size_t)signal];
}

static double bar_of(const hn_trial *trial, int row, int signal) {
  return trial->bar ? trial->bar[(size_t)row * (size_t)trial->signals + (size_t)signal] : 0;
}

// The middle one of the trials' largest values: one that runs away does not widen what is allowed.
void hn_verify_set_allowed(hn_verify_work *w) {
  hn_verify *r = w->report;
  for (int k = 0; k < r->signal_count; k++) {
    double sizes[HN_VERIFY_MOST];
    int count = 0;
    for (int i = 0; i < r->trial_count; i++) {
      double most = 0;
      for (int row = 0; row < r->trials[i].rows; row++)
        most = fmax(most, fabs(value_of(&r->trials[i], row, k)));
      int at = count++;
      for (; at > 0 && sizes[at - 1] > most; at--) sizes[at] = sizes[at - 1];
      sizes[at] = most;
    }
    r->signals[k].allowed = w->allowed[k] = r->tol * (1 + (count > 0 ? sizes[count / 2] : 0));
  }
}

// nan in one of them counts as an infinite difference.
static double difference_at(const hn_verify_work *w, const hn_trial *a, const hn_trial *b, int row,
                            int signal) {
  double difference = hn_signal_gap(w->report->signals[signal].same, value_of(a, row, signal),
                                    value_of(b, row, signal));
  return isnan(difference) ? HUGE_VAL : difference;
}

// ---- rounding -----------------------------------------------------------------------------------

// Change with a tighter tolerance in one formulation, the largest of some rows.
static double change_between(const hn_verify_work *w, const hn_trial *a, const hn_trial *b,
                             int signal, int from, int to) {
  double most = 0;
  for (int row = from; row < to; row++) most = fmax(most, difference_at(w, a, b, row, signal));
  return most;
}

// ... that is not made of errors that grow: of the first rows, and of the quarter of the time with the
// least.
static double own_change(const hn_verify_work *w, const hn_trial *a, const hn_trial *b,
                         int signal) {
  int rows = a->rows < b->rows ? a->rows : b->rows;
  double least = HUGE_VAL;
  for (int part = 0; part < 4; part++)
    least = fmin(least, change_between(w, a, b, signal, part * rows / 4, (part + 1) * rows / 4));
  return fmax(least, change_between(w, a, b, signal, 0, rows / 20));
}

static int is_of_motion(const hn_verify_signal *signal) {
  static const char *const units[] = {"m", "rad", "m/s", "rad/s", ""};
  for (size_t k = 0; k < sizeof units / sizeof units[0]; k++)
    if (strcmp(signal->unit, units[k]) == 0) return 1;
  return 0;
}

// Forces of very stiff springs are differences of positions times the stiffness: their last digits
// are rounding, which no tolerance removes. Each formulation has its own fraction of it, but none
// far more than the median.
void hn_verify_allow_rounding(hn_verify_work *w, const hn_trial *first_runs) {
  hn_verify *r = w->report;
  for (int k = 0; k < r->signal_count; k++) {
    double own[HN_VERIFY_MOST] = {0}, sorted[HN_VERIFY_MOST];
    int count = 0;
    if (is_of_motion(&r->signals[k])) continue;
    for (int i = 0; i < r->trial_count; i++) {
      if (r->trials[i].bar || r->trials[i].rows < r->rows) continue;
      own[i] = own_change(w, &first_runs[i], &r->trials[i], k);
      int at = count++;
      for (; at > 0 && sorted[at - 1] > own[i]; at--) sorted[at] = sorted[at - 1];
      sorted[at] = own[i];
    }
    if (count < 3) continue; // two do not show whose change it is
    double most = FAR_MORE * sorted[count / 2];
    if (!(most < HUGE_VAL)) continue;
    for (int i = 0; i < r->trial_count; i++)
      w->noise[i * r->signal_count + k] = NOISE * fmin(own[i], most);
    r->signals[k].allowed = w->allowed[k] + 2 * NOISE * sorted[count / 2];
  }
}

// A row at an event: one formulation is before it, the other after it.
static int is_at_event(const hn_trial *trial, double time, double near) {
  int low = 0, high = trial->event_count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (trial->events[middle] < time - near)
      low = middle + 1;
    else
      high = middle;
  }
  return low < trial->event_count && trial->events[low] <= time + near;
}

// 1: the signal jumps at this row (a user's atan2 or floor), a little earlier in one of them: by
// far more than what is allowed, and in the neighboring rows they agree.
static int is_at_jump(const hn_verify_work *w, const hn_trial *a, const hn_trial *b, int row,
                      int signal, double difference) {
  int rows = a->rows < b->rows ? a->rows : b->rows, before = row > 0, after = row + 1 < rows;
  if (rows < 3 || difference < JUMP * w->allowed[signal]) return 0;
  if (before && !(difference_at(w, a, b, row - 1, signal) <= w->allowed[signal])) return 0;
  if (after && !(difference_at(w, a, b, row + 1, signal) <= w->allowed[signal])) return 0;
  int from = before ? row - 1 : row, to = after ? row + 1 : row;
  double across = fmax(fabs(value_of(a, to, signal) - value_of(a, from, signal)),
                       fabs(value_of(b, to, signal) - value_of(b, from, signal)));
  return across >= 0.5 * difference;
}

hn_verify_pair hn_verify_compare_pair(const hn_verify_work *w, const hn_trial *trials, int first,
                                      int second, double end) {
  const hn_verify *r = w->report;
  const hn_trial *a = &trials[first], *b = &trials[second];
  hn_verify_pair pair = {.first = first, .second = second, .since = HUGE_VAL, .open = HUGE_VAL};
  int rows = a->rows < b->rows ? a->rows : b->rows;
  double near = 1e-7 * r->time;
  for (int row = 0; row < rows && r->grid[row] <= end; row++) {
    pair.until = r->grid[row];
    if (is_at_event(a, r->grid[row], near) || is_at_event(b, r->grid[row], near)) continue;
    for (int k = 0; k < r->signal_count; k++) {
      double difference = difference_at(w, a, b, row, k);
      double noise = w->noise[first * r->signal_count + k] + w->noise[second * r->signal_count + k];
      double ratio = difference / (w->allowed[k] + noise + bar_of(a, row, k) + bar_of(b, row, k));
      if (ratio > 1 && is_at_jump(w, a, b, row, k, difference)) continue;
      if (ratio > pair.ratio) {
        pair.ratio = ratio;
        pair.signal = k;
        pair.difference = difference;
        pair.at = r->grid[row];
      }
      if (ratio > 1 && pair.since == HUGE_VAL) {
        pair.since = r->grid[row];
        pair.signal_since = k;
      }
    }
  }
  return pair;
}

void hn_verify_fill_pairs(hn_verify_work *w) {
  hn_verify *r = w->report;
  r->pair_count = 0;
  for (int i = 0; i < r->trial_count; i++)
    for (int j = i + 1; j < r->trial_count; j++) {
      hn_verify_pair pair = hn_verify_compare_pair(w, r->trials, i, j, r->time);
      int at = r->pair_count++;
      for (; at > 0 && r->pairs[at - 1].ratio < pair.ratio; at--) r->pairs[at] = r->pairs[at - 1];
      r->pairs[at] = pair;
    }
}

// Estimated errors of fixed steps do not widen the spread of those with error control.
void hn_verify_fill_spread(hn_verify_work *w) {
  hn_verify *r = w->report;
  int controlled = 0;
  for (int i = 0; i < r->trial_count; i++) controlled += !r->trials[i].bar;
  double near = 1e-7 * r->time;
  for (int k = 0; k < r->signal_count; k++) {
    hn_verify_signal *signal = &r->signals[k];
    signal->spread = signal->at = 0;
    signal->first = signal->second = -1;
    for (int row = 0; row < r->rows; row++) {
      double widest = NAN;
      for (int i = 0; i < r->trial_count; i++)
        for (int j = i + 1; j < r->trial_count; j++) {
          const hn_trial *a = &r->trials[i], *b = &r->trials[j];
          if (row >= a->rows || row >= b->rows) continue;
          if (controlled >= 2 && (a->bar || b->bar)) continue;
          if (is_at_event(a, r->grid[row], near) || is_at_event(b, r->grid[row], near)) continue;
          double difference = difference_at(w, a, b, row, k);
          if (difference > w->allowed[k] && is_at_jump(w, a, b, row, k, difference)) continue;
          if (!(widest >= difference)) widest = difference;
          if (difference > signal->spread || signal->first < 0) {
            signal->spread = difference;
            signal->at = r->grid[row];
            signal->first = i;
            signal->second = j;
          }
        }
      r->spread[(size_t)row * (size_t)r->signal_count + (size_t)k] = widest;
    }
  }
}

// ---- who stands alone ---------------------------------------------------------------------------

// The largest group of trials without a real disagreement inside; by trying all groups.
static unsigned largest_group(const hn_verify *r) {
  unsigned foes[HN_VERIFY_MOST] = {0}, best = 0;
  int best_size = 0;
  for (int k = 0; k < r->pair_count; k++) {
    if (!r->pairs[k].is_real) continue;
    foes[r->pairs[k].first] |= 1u << r->pairs[k].second;
    foes[r->pairs[k].second] |= 1u << r->pairs[k].first;
  }
  for (unsigned group = 1; group < 1u << r->trial_count; group++) {
    int size = 0, is_peaceful = 1;
    for (int i = 0; i < r->trial_count; i++) {
      if (!(group & 1u << i)) continue;
      size++;
      if (group & foes[i]) is_peaceful = 0;
    }
    if (is_peaceful && size > best_size) {
      best = group;
      best_size = size;
    }
  }
  return best;
}

// The word all odd ones have and none of the others.
static void find_common(hn_verify *r, unsigned group) {
  static const char *const kinds[] = {"coordinates", "method", "formula", "independent"};
  r->common[0] = '\0';
  for (int kind = 0; kind < 4 && !r->common[0]; kind++) {
    const char *word = NULL;
    int is_common = r->odd_count > 0;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < r->trial_count && is_common; i++) {
        const hn_formulation *f = &r->trials[i].formulation;
        const char *own[] = {f->coordinates, f->method, f->formula, f->independent};
        int is_odd = !(group & 1u << i);
        if (pass == 0 && is_odd && !word) word = own[kind];
        if (pass == 0 && is_odd && strcmp(word, own[kind]) != 0) is_common = 0;
        if (pass == 1 && !is_odd && strcmp(word, own[kind]) == 0) is_common = 0;
      }
    if (is_common && word) hn_text(r->common, sizeof r->common, "%s %s", kinds[kind], word);
  }
}

void hn_verify_find_odd(hn_verify_work *w) {
  hn_verify *r = w->report;
  unsigned group = largest_group(r);
  int inside = 0;
  r->odd_count = 0;
  for (int i = 0; i < r->trial_count; i++) inside += (group & 1u << i) != 0;
  if (inside < 2 || 2 * inside <= r->trial_count) return; // no majority: undecided
  for (int i = 0; i < r->trial_count; i++)
    if (!(group & 1u << i)) r->odd[r->odd_count++] = i;
  find_common(r, group);
}

// The trial that every pair beyond what is allowed has, while two or more others agree, and ten
// times better; of two such the one further from the rest. Others that spread almost as much
// indicate a sensitive model. -1: no such trial. *reaches: until when the others were there.
int hn_verify_find_suspect(const hn_verify_work *w, double *reaches) {
  const hn_verify *r = w->report;
  int suspect = -1;
  double furthest = -1;
  *reaches = 0;
  for (int i = 0; i < r->trial_count && r->trial_count > 2; i++) {
    int beyond = 0, others = 0;
    double until = 0, apart = 0;
    for (int k = 0; k < r->pair_count; k++) {
      const hn_verify_pair *p = &r->pairs[k];
      int is_own = p->first == i || p->second == i;
      if (is_own) apart += fmin(p->ratio, 1e6);
      if (!is_own) until = fmax(until, p->until);
      if (is_own) beyond += p->since < HUGE_VAL;
      if (!is_own) others += p->since < HUGE_VAL || p->ratio > 0.1 * r->pairs[0].ratio;
    }
    if (beyond == 0 || others > 0 || !(apart > furthest)) continue;
    furthest = apart;
    *reaches = until;
    suspect = i;
  }
  return suspect;
}

// A straight line through the logarithm of the spread while it is between a ten-thousandth of what is
// allowed and that itself.
double hn_verify_growth(const hn_verify_work *w) {
  const hn_verify *r = w->report;
  double n = 0, st = 0, sy = 0, stt = 0, sty = 0;
  for (int row = 0; row < r->rows; row++) {
    double most = 0;
    for (int k = 0; k < r->signal_count; k++) {
      double value = r->spread[(size_t)row * (size_t)r->signal_count + (size_t)k];
      if (value > 0) most = fmax(most, value / w->allowed[k]);
    }
    if (most > 1) break;
    if (most < 1e-4) continue;
    double t = r->grid[row], y = hn_log(most);
    n += 1;
    st += t;
    sy += y;
    stt += t * t;
    sty += t * y;
  }
  double spread = n * stt - st * st;
  if (n < 5 || !(spread > 0)) return 0;
  double slope = (n * sty - st * sy) / spread;
  return slope > 0 ? 1 / slope : 0;
}
