// The breakpoints of a formula of one variable: where one of its operations changes its branch.
//
// Every operation that is not smooth has a switching function s(x): the argument of abs, sign, step
// and not, the difference of what is compared or of which the smaller or larger is taken, the
// condition of a choice, and for floor, ceil and mod a function that switches at whole numbers. The
// axis is split further and further: between two breakpoints found so far, the operations that come
// earlier in the program have one branch, so that s is affine more often than it looks (the 1 - |t|
// of max(0, 1 - abs(t)) is, on either side of 0), and then its roots are exact. Other s are
// sampled, and changes of sign bisected:
//
//   - at 0 and +-2^(k/8) from 1e-6 to 1e6, and at 15 points between two breakpoints that are known;
//   - sixteen times per period of the fastest sin, cos or tan of an affine argument, 100 periods
//     below 0 and HN_LAW_KINKS / 2 above;
//   - where |s| has a minimum between samples, that is followed to the bottom.
//
// A root between samples can be missed, for instance of a narrow bell or of sin(t^2). There are at
// most HN_LAW_KINKS breakpoints; when there are more, those of periodic operations that are
// farthest from 0 are left out, below 0 eight times sooner (time starts at 0). Missed breakpoints
// affect the accuracy of the step, never of the value: inside a piece a formula decides by itself
// (hn_law_evaluate).
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "math/elementary.h"
#include "math/expression_code.h"
#include "math/law_private.h"
#include "math/lookup.h"

#define WORK 5000000 // instructions of all sampling: some hundredths of a second
#define SMALLEST_SAMPLE 1e-6
#define LARGEST_SAMPLE 1e6
#define PER_OCTAVE 8
#define PER_PERIOD 16
#define PER_PIECE 16
#define BELOW 8 // how much farther from 0 a negative place counts
#define TWO_PI 6.28318530717958647693

typedef struct kink {
  double x;
  bool is_periodic; // one of a row without end
} kink;

typedef struct search {
  const hn_instruction *code;
  int count;
  kink kinks[HN_LAW_KINKS];
  int found;
  double reach_low, reach_high; // where rows without end are complete
  double period;                // the shortest of sin, cos, tan; 0: none
  long work;
} search;

// ---- the list -----------------------------------------------------------------------------------

// The number of breakpoints at or below x.
static int count_up_to(const search *s, double x) {
  int low = 0, high = s->found;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (s->kinks[middle].x <= x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void erase(search *s, int k) {
  s->found--;
  memmove(s->kinks + k, s->kinks + k + 1, (size_t)(s->found - k) * sizeof(kink));
}

static double farness(double x) { return x < 0 ? -BELOW * x : x; }

// Drops the farthest breakpoint of a periodic sequence. False without any.
static bool make_room(search *s) {
  int first = 0, last = s->found - 1;
  while (first <= last && !s->kinks[first].is_periodic) first++;
  while (last >= first && !s->kinks[last].is_periodic) last--;
  if (first > last) return false;
  int farthest = farness(s->kinks[first].x) > farness(s->kinks[last].x) ? first : last;
  double x = s->kinks[farthest].x;
  if (x < 0)
    s->reach_low = fmax(s->reach_low, x);
  else
    s->reach_high = fmin(s->reach_high, x);
  erase(s, farthest);
  return true;
}

static bool is_same(double a, double b) { return fabs(a - b) <= 16 * DBL_EPSILON * fabs(a); }

// True when it is a new one.
static bool insert(search *s, double x, bool is_periodic) {
  x += 0.0; // no negative zero
  if (!isfinite(x) || (is_periodic && (x <= s->reach_low || x >= s->reach_high))) return false;
  int k = count_up_to(s, x);
  if ((k > 0 && is_same(s->kinks[k - 1].x, x)) || (k < s->found && is_same(s->kinks[k].x, x)))
    return false;
  if (s->found == HN_LAW_KINKS) {
    if (!make_room(s)) return false;
    if (is_periodic && (x <= s->reach_low || x >= s->reach_high)) return false;
    k = count_up_to(s, x);
  }
  memmove(s->kinks + k + 1, s->kinks + k, (size_t)(s->found - k) * sizeof(kink));
  s->kinks[k] = (kink){x, is_periodic};
  s->found++;
  return true;
}

// ---- switching functions ------------------------------------------------------------------------

// A value of the program between two breakpoints: slope x + offset where it is affine.
typedef struct place {
  double slope, offset;
  double value; // at a point inside
  bool is_affine, is_periodic;
} place;

typedef struct switching {
  int instruction; // whose operands it is made of
  int operand;     // counted from the top of the stack; -1: both, by difference or quotient
  bool is_levels;  // switches at whole numbers, not at 0
  place function;
} switching;

typedef struct interval {
  double low, high, inside;
} interval;

static double switching_value(search *s, const switching *w, double x) {
  double stack[HN_EXPRESSION_STACK + 1];
  const double *top = hn_program_run(s->code, w->instruction, &x, stack);
  s->work += w->instruction;
  if (w->operand >= 0) return *(top - w->operand);
  return w->is_levels ? top[-1] / top[0] : top[-1] - top[0];
}

// The quantity that is constant between roots: the sign, or the whole number below. Undefined is a
// branch too.
static double state_of(const switching *w, double value) {
  if (isnan(value)) return -INFINITY;
  return w->is_levels ? floor(value) : value >= 0 ? 1 : -1;
}

// ---- exact roots --------------------------------------------------------------------------------

static bool insert_levels(search *s, const switching *w, interval at) {
  double slope = w->function.slope, offset = w->function.offset, spacing = 1 / fabs(slope);
  double low =
      fmax(fmax(at.low, s->reach_low), fmin(at.high, 0) - HN_LAW_KINKS / (double)BELOW * spacing);
  double high = fmin(fmin(at.high, s->reach_high), fmax(at.low, 0) + HN_LAW_KINKS * spacing);
  if (!(low < high)) return false;
  double first = ceil(fmin(slope * low, slope * high) + offset);
  double last = floor(fmax(slope * low, slope * high) + offset);
  if (!isfinite(first) || !(last - first < 3 * HN_LAW_KINKS)) return false;
  bool any = false;
  for (int k = 0; k <= (int)(last - first); k++) {
    double x = (first + k - offset) / slope;
    if (x > at.low && x < at.high && insert(s, x, true)) any = true;
  }
  return any;
}

static bool insert_exact(search *s, const switching *w, interval at) {
  const place *f = &w->function;
  if (f->slope == 0) return false;
  if (w->is_levels) return insert_levels(s, w, at);
  double x = -f->offset / f->slope;
  return x > at.low && x < at.high && insert(s, x, f->is_periodic);
}

// ---- sampled roots ------------------------------------------------------------------------------

static double next_power(double x) { // above x, x >= 0
  if (x < SMALLEST_SAMPLE) return SMALLEST_SAMPLE;
  double next = hn_exp2((floor(hn_log2(x) * PER_OCTAVE) + 1) / PER_OCTAVE);
  return next > x * (1 + 1e-9) ? next : next * hn_exp2(1.0 / PER_OCTAVE);
}

// Sampling goes from 0 outwards, below 0 too: of a row without end the near breakpoints come first.
typedef struct walk {
  double sign;      // x = sign y, y >= 0
  double low, high; // of y
  double periodic;  // how far samples per period go
} walk;

static walk walk_of(const search *s, interval at) {
  const bool is_below = at.high <= 0;
  walk y = {is_below ? -1 : 1, is_below ? -at.high : at.low, is_below ? -at.low : at.high, 0};
  y.periodic = (is_below ? 100 : HN_LAW_KINKS / 2.0) * s->period;
  return y;
}

static double reach_of(const search *s, const walk *y) {
  return y->sign < 0 ? -s->reach_low : s->reach_high;
}

static double next_even(double start, double step, double y) {
  double even = start + (floor((y - start) / step) + 1) * step;
  return even > y ? even : even + step;
}

static double next_sample(const search *s, const walk *w, double y) {
  double next = y < LARGEST_SAMPLE ? next_power(y) : HUGE_VAL;
  if (s->period > 0 && y < fmin(w->periodic, reach_of(s, w)))
    next = fmin(next, next_even(0, s->period / PER_PERIOD, y));
  double part = (w->high - w->low) / PER_PIECE;
  if (isfinite(part) && part > 0) next = fmin(next, next_even(w->low, part, y));
  return next > y ? next : nextafter(y, HUGE_VAL);
}

// All changes of state from x0 to x1.
static bool bisect(search *s, const switching *w, double x0, double state0, double x1,
                   double state1) {
  bool any = false;
  for (int roots = 0; state0 != state1 && roots < HN_LAW_KINKS && s->work < WORK; roots++) {
    double low = x0, high = x1, state = state1;
    for (int k = 0; k < 120; k++) {
      double middle = low + 0.5 * (high - low);
      if (!(middle > low && middle < high)) break;
      double here = state_of(w, switching_value(s, w, middle));
      if (here == state0) {
        low = middle;
      } else {
        high = middle;
        state = here;
      }
    }
    if (insert(s, high, w->is_levels || w->function.is_periodic)) any = true;
    x0 = high;
    state0 = state;
  }
  return any;
}

// |s| has a minimum between x0 and x2, and s the same sign at both: does it reach beyond 0?
static bool follow_minimum(search *s, const switching *w, double x0, double x2, double state) {
  double low = x0, high = x2;
  for (int k = 0; k < 80 && s->work < WORK; k++) {
    double third = (high - low) / 3, left = low + third, right = high - third;
    double at_left = switching_value(s, w, left), at_right = switching_value(s, w, right);
    double reached = state_of(w, at_left) != state    ? left
                     : state_of(w, at_right) != state ? right
                                                      : HUGE_VAL;
    if (reached < HUGE_VAL) {
      bool any = bisect(s, w, x0, state, reached, -state);
      return bisect(s, w, reached, -state, x2, state) || any;
    }
    if (fabs(at_left) < fabs(at_right))
      high = right;
    else
      low = left;
  }
  return false;
}

// The same between two samples of a walk, y[0] < y[1].
static bool bisect_walk(search *s, const switching *w, double sign, const double y[2],
                        const double state[2]) {
  return sign > 0 ? bisect(s, w, y[0], state[0], y[1], state[1])
                  : bisect(s, w, -y[1], state[1], -y[0], state[0]);
}

static bool follow_walk(search *s, const switching *w, double sign, double y0, double y2,
                        double state) {
  return sign > 0 ? follow_minimum(s, w, y0, y2, state) : follow_minimum(s, w, -y2, -y0, state);
}

static bool insert_sampled(search *s, const switching *w, interval at) {
  bool any = false;
  const walk y = walk_of(s, at);
  const double inside = y.sign * at.inside;
  const double from = fmin(y.low + (inside - y.low) * 1e-6, inside);
  double to = fmax(LARGEST_SAMPLE, y.periodic);
  if (y.high < HUGE_VAL) to = fmax(y.high - (y.high - inside) * 1e-6, inside);
  const bool is_row = w->is_levels || w->function.is_periodic;
  double y0 = from, y1 = from, f0 = switching_value(s, w, y.sign * y0), f1 = f0;
  double state = state_of(w, f1);
  while (y1 < to && !(is_row && y1 > reach_of(s, &y)) && s->work < WORK) {
    double y2 = fmin(next_sample(s, &y, y1), to), f2 = switching_value(s, w, y.sign * y2);
    double state2 = state_of(w, f2);
    if (state2 != state) {
      if (bisect_walk(s, w, y.sign, (double[]){y1, y2}, (double[]){state, state2})) any = true;
    } else if (!w->is_levels && fabs(f1) <= fabs(f0) && fabs(f1) < fabs(f2) && y0 < y1) {
      if (follow_walk(s, w, y.sign, y0, y2, state)) any = true;
    }
    y0 = state2 == state ? y1 : y2; // a minimum lies between three of one sign
    f0 = f1;
    y1 = y2;
    f1 = f2;
    state = state2;
  }
  return any;
}

static bool insert_roots(search *s, switching w, interval at) {
  return w.function.is_affine ? insert_exact(s, &w, at) : insert_sampled(s, &w, at);
}

// ---- the program between two breakpoints --------------------------------------------------------

static place constant_place(double value, bool is_periodic) {
  return (place){0, value, value, isfinite(value), is_periodic};
}

static place combine(place u, double factor, place v) { // u + factor v
  return (place){u.slope + factor * v.slope, u.offset + factor * v.offset,
                 u.value + factor * v.value, u.is_affine && v.is_affine,
                 u.is_periodic || v.is_periodic};
}

static place scale(place u, double factor, double value, bool is_periodic) {
  return (place){factor * u.slope, factor * u.offset, value, u.is_affine, is_periodic};
}

static bool is_constant(const place *u) { return u->is_affine && u->slope == 0; }

static place unary_place(search *s, hn_unary operation, place u) {
  double value = hn_unary_value(operation, u.value);
  if (operation == HN_UNARY_NEGATE) return scale(u, -1, value, u.is_periodic);
  if (operation == HN_UNARY_ABS) return scale(u, u.value < 0 ? -1 : 1, value, u.is_periodic);
  if (operation == HN_UNARY_FLOOR || operation == HN_UNARY_CEIL) return constant_place(value, true);
  if (operation == HN_UNARY_SIN || operation == HN_UNARY_COS || operation == HN_UNARY_TAN) {
    if (u.is_affine && u.slope != 0) {
      double period = TWO_PI / fabs(u.slope);
      if (isfinite(period) && (s->period == 0 || period < s->period)) s->period = period;
    }
    if (!is_constant(&u)) u.is_periodic = true;
  }
  if (is_constant(&u) || hn_unary_switches(operation)) return constant_place(value, u.is_periodic);
  return (place){.value = value, .is_periodic = u.is_periodic};
}

static place lookup_place(const hn_lookup *table, place u, place v) {
  const double value = hn_lookup_value(table, u.value, v.value);
  const bool is_periodic = u.is_periodic || v.is_periodic;
  if (is_constant(&u) && is_constant(&v)) return constant_place(value, is_periodic);
  return (place){.value = value, .is_periodic = is_periodic};
}

static place binary_place(hn_binary operation, place u, place v) {
  double value = hn_binary_value(operation, u.value, v.value);
  bool is_periodic = u.is_periodic || v.is_periodic;
  place unknown = {.value = value, .is_periodic = is_periodic};
  if (is_constant(&u) && is_constant(&v) && operation != HN_BINARY_MOD)
    return constant_place(value, is_periodic);
  if (operation == HN_BINARY_ADD) return combine(u, 1, v);
  if (operation == HN_BINARY_SUBTRACT) return combine(u, -1, v);
  if (operation == HN_BINARY_MULTIPLY && is_constant(&u))
    return scale(v, u.offset, value, is_periodic);
  if (operation == HN_BINARY_MULTIPLY && is_constant(&v))
    return scale(u, v.offset, value, is_periodic);
  if (operation == HN_BINARY_DIVIDE && is_constant(&v) && u.is_affine)
    return (place){u.slope / v.offset, u.offset / v.offset, value, true, is_periodic};
  if (operation == HN_BINARY_POWER && is_constant(&v) && v.offset == 1)
    return scale(u, 1, value, is_periodic);
  if (!hn_binary_switches(operation)) return unknown;
  if (operation == HN_BINARY_MOD) {
    place rest = combine(u, -round((u.value - value) / v.value), v);
    rest.value = value;
    rest.is_periodic = true;
    return isnan(value) ? unknown : rest;
  }
  if (operation == HN_BINARY_MIN || operation == HN_BINARY_MAX) {
    bool is_first = operation == HN_BINARY_MIN ? u.value <= v.value : u.value >= v.value;
    return isnan(value) ? unknown : scale(is_first ? u : v, 1, value, is_periodic);
  }
  return constant_place(value, is_periodic);
}

static bool unary_roots(search *s, int i, const place *top, interval at) {
  const hn_unary operation = (hn_unary)s->code[i].operation;
  const bool is_levels = operation == HN_UNARY_FLOOR || operation == HN_UNARY_CEIL;
  return hn_unary_switches(operation) && insert_roots(s, (switching){i, 0, is_levels, top[0]}, at);
}

static bool binary_roots(search *s, int i, const place *top, interval at) {
  const hn_binary operation = (hn_binary)s->code[i].operation;
  place u = top[-1], v = top[0];
  if (!hn_binary_switches(operation)) return false;
  if (operation == HN_BINARY_AND || operation == HN_BINARY_OR)
    return insert_roots(s, (switching){i, 1, false, u}, at) ||
           insert_roots(s, (switching){i, 0, false, v}, at);
  if (operation == HN_BINARY_MOD)
    return insert_roots(s, (switching){i, -1, true, binary_place(HN_BINARY_DIVIDE, u, v)}, at);
  return insert_roots(s, (switching){i, -1, false, combine(u, -1, v)}, at);
}

static place chosen_place(place a, place condition, place b) {
  int choice = hn_choice(condition.value);
  place chosen = choice ? a : b;
  if (choice < 0) chosen = (place){.value = NAN};
  chosen.is_periodic = a.is_periodic || b.is_periodic || condition.is_periodic;
  return chosen;
}

// Goes through the program up to the first operation that switches inside. True when one does: then
// there are more breakpoints, and the part below the first of them is to be searched again.
static bool split(search *s, interval at) {
  place stack[HN_EXPRESSION_STACK + 1], *top = stack;
  s->work += s->count;
  for (int i = 0; i < s->count; i++) {
    const hn_instruction *instruction = &s->code[i];
    switch ((hn_code)instruction->code) {
    case HN_CODE_CONSTANT: *++top = constant_place(instruction->constant, false); break;
    case HN_CODE_VARIABLE: *++top = (place){1, 0, at.inside, true, false}; break;
    case HN_CODE_UNARY:
      if (unary_roots(s, i, top, at)) return true;
      *top = unary_place(s, (hn_unary)instruction->operation, *top);
      break;
    case HN_CODE_BINARY:
      if (binary_roots(s, i, top, at)) return true;
      top--;
      *top = binary_place((hn_binary)instruction->operation, top[0], top[1]);
      break;
    case HN_CODE_SELECT:
      if (insert_roots(s, (switching){i, 1, false, top[-1]}, at)) return true;
      top -= 2;
      *top = chosen_place(top[0], top[1], top[2]);
      break;
    case HN_CODE_LOOKUP:
      top--;
      *top = lookup_place(instruction->table, top[0], top[1]);
      break;
    }
  }
  return false;
}

// ---- all breakpoints ----------------------------------------------------------------------------

static bool is_smooth(const hn_instruction *code, int count) {
  for (int i = 0; i < count; i++) {
    if (code[i].code == HN_CODE_SELECT) return false;
    if (code[i].code == HN_CODE_UNARY && hn_unary_switches((hn_unary)code[i].operation))
      return false;
    if (code[i].code == HN_CODE_BINARY && hn_binary_switches((hn_binary)code[i].operation))
      return false;
  }
  return true;
}

double hn_law_inside(double low, double high, double x) {
  if (isnan(x) || (low == -HUGE_VAL && high == HUGE_VAL)) return x;
  // the ends of a long piece are as fine as what surrounds them, not as the piece
  double at_low = ldexp(fmin(high - low, 1 + fabs(low)), -20);
  double at_high = ldexp(fmin(high - low, 1 + fabs(high)), -20);
  double inside = low == -HUGE_VAL ? x : fmax(x, low + at_low);
  if (high < HUGE_VAL) inside = fmin(inside, high - at_high);
  return inside > low && inside < high ? inside : low + 0.5 * (high - low);
}

static bool is_near(double a, double b) { return fabs(a - b) <= 1e-12 * fabs(a); } // not for NaN

// Value and three derivatives are the same on both sides, and at the place itself; or it is one of
// the jumps that are not wanted.
static bool is_left_out(const search *s, bool no_jumps, double low, double x, double high) {
  double left[4], right[4], here = hn_program_value(s->code, s->count, &x);
  hn_program_freeze(s->code, s->count, x, hn_law_inside(low, x, x), left);
  hn_program_freeze(s->code, s->count, x, hn_law_inside(x, high, x), right);
  if (!is_near(here, left[0]) || !is_near(here, right[0])) return no_jumps;
  return is_near(left[1], right[1]) && is_near(left[2], right[2]) && is_near(left[3], right[3]);
}

static int list_kinks(const search *s, bool no_jumps, double kinks[HN_LAW_KINKS]) {
  int count = 0;
  for (int k = 0; k < s->found; k++) {
    double low = k > 0 ? s->kinks[k - 1].x : -HUGE_VAL;
    double high = k + 1 < s->found ? s->kinks[k + 1].x : HUGE_VAL;
    if (!is_left_out(s, no_jumps, low, s->kinks[k].x, high)) kinks[count++] = s->kinks[k].x;
  }
  return count;
}

static double point_inside(double low, double high) {
  if (low == -HUGE_VAL && high == HUGE_VAL) return 0.3; // few formulas do anything special there
  if (low == -HUGE_VAL) return high - 1 - fabs(high);
  return high == HUGE_VAL ? low + 1 + fabs(low) : low + 0.5 * (high - low);
}

static void split_all(search *s, double low, double end) {
  while (low < end && s->work < WORK) {
    int k = count_up_to(s, low);
    low = k > 0 ? s->kinks[k - 1].x : -HUGE_VAL;
    double high = k < s->found ? s->kinks[k].x : HUGE_VAL;
    if (!split(s, (interval){low, high, point_inside(low, high)})) low = high;
  }
}

int hn_law_find_kinks(const hn_program *program, int no_jumps, double kinks[HN_LAW_KINKS]) {
  if (is_smooth(program->code, program->count)) return 0;
  search s = {.code = program->code,
              .count = program->count,
              .reach_low = -HUGE_VAL,
              .reach_high = HUGE_VAL};
  // From 0 upwards first, so that the work spent on rows is spent there. If nothing happens at 0, it
  // is left out of the list.
  s.kinks[s.found++] = (kink){0, false};
  split_all(&s, 0, HUGE_VAL);
  split_all(&s, -HUGE_VAL, 0);
  return list_kinks(&s, no_jumps != 0, kinks);
}
