// Key figures as numbers, from the rows of a run: see holon/figures.h.
#include "holon/figures.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

#define USUAL_LEVEL 0.9
#define STILL 1e-10   // an output that changes by less ...
#define STILL_OF 1e-9 // ... and by less than this fraction of its size does not change

typedef struct part {
  const double *t, *x, *y; // of the rows that count
  int count;
} part;

static int is_between(const hn_figure_def *def, double t) {
  return t >= def->from - 1e-9 && (def->to == 0 || t <= def->to + 1e-9);
}

static part part_of(const hn_results *results, const hn_figure_def *def) {
  const int of = hn_results_find(results, def->of),
            over = def->over ? hn_results_find(results, def->over) : -1;
  const int rows = hn_results_row_count(results);
  const double *t = hn_results_time(results);
  part p = {.count = 0};
  if (of < 0 || (def->over && over < 0)) return p;
  int first = 0;
  while (first < rows && !is_between(def, t[first])) first++;
  while (first + p.count < rows && is_between(def, t[first + p.count])) p.count++;
  p.t = t + first;
  p.y = hn_results_column(results, of) + first;
  p.x = over >= 0 ? hn_results_column(results, over) + first : p.t;
  return p;
}

static int peak(const part *p) {
  int at = 0;
  for (int k = 1; k < p->count; k++)
    if (p->y[k] > p->y[at]) at = k;
  return at;
}

static int valley(const part *p) {
  int at = 0;
  for (int k = 1; k < p->count; k++)
    if (p->y[k] < p->y[at]) at = k;
  return at;
}

// Of the side that the last value is on.
static int extreme(const part *p) { return p->y[p->count - 1] < 0 ? valley(p) : peak(p); }

static double rise_time(const part *p, double level, double from) {
  const double last = p->y[p->count - 1], wanted = level * last, sign = last < 0 ? -1 : 1;
  for (int k = 0; k < p->count; k++) {
    if (!(sign * p->y[k] >= sign * wanted)) continue;
    if (k == 0) return p->t[0] - from;
    const double share = (wanted - p->y[k - 1]) / (p->y[k] - p->y[k - 1]);
    return p->t[k - 1] + share * (p->t[k] - p->t[k - 1]) - from;
  }
  return NAN;
}

static double mean(const double *y, int count) {
  double sum = 0;
  for (int k = 0; k < count; k++) sum += y[k];
  return sum / count;
}

static int counts(const hn_figure_def *def, double x) {
  return !def->has_range || (x >= def->over_from && x <= def->over_to);
}

typedef struct range {
  double low, high;
} range;

static range range_of(const double *x, int count) {
  range r = {x[0], x[0]};
  for (int k = 1; k < count; k++) {
    r.low = fmin(r.low, x[k]);
    r.high = fmax(r.high, x[k]);
  }
  return r;
}

// 0 where the run does not reach the ends of the range that counts.
static int is_covered(const hn_figure_def *def, const part *p) {
  const range x = range_of(p->x, p->count);
  return !def->has_range || ((isinf(def->over_from) || x.low <= def->over_from) &&
                             (isinf(def->over_to) || x.high >= def->over_to));
}

// Least squares.
static double slope(const hn_figure_def *def, const part *p) {
  double n = 0, x0 = 0, y0 = 0, xx = 0, xy = 0;
  if (!is_covered(def, p)) return NAN;
  for (int k = 0; k < p->count; k++) {
    if (!counts(def, p->x[k])) continue;
    n++;
    x0 += p->x[k];
    y0 += p->y[k];
  }
  if (n < 2) return NAN;
  x0 /= n;
  y0 /= n;
  for (int k = 0; k < p->count; k++) {
    if (!counts(def, p->x[k])) continue;
    xx += (p->x[k] - x0) * (p->x[k] - x0);
    xy += (p->x[k] - x0) * (p->y[k] - y0);
  }
  return xx > 0 ? xy / xx : NAN;
}

// y where x goes through the level for the first time.
static double reached(const part *p, double level) {
  for (int k = 0; k < p->count; k++) {
    const double here = p->x[k] - level;
    if (here == 0) return p->y[k];
    if (k == 0) continue;
    const double before = p->x[k - 1] - level;
    if (before * here < 0) return p->y[k - 1] + before / (before - here) * (p->y[k] - p->y[k - 1]);
  }
  return NAN;
}

double hn_results_figure(const hn_results *results, const hn_model *model, int id) {
  const hn_figure_def *def = hn_model_figure(model, id);
  if (!def || def->take == HN_FIGURE_CURVE) return NAN;
  const part p = part_of(results, def);
  if (p.count == 0) return NAN;
  const double last = p.y[p.count - 1];
  switch (def->take) {
  case HN_FIGURE_LAST: return last;
  case HN_FIGURE_LARGEST: return p.y[peak(&p)];
  case HN_FIGURE_LEAST: return p.y[valley(&p)];
  case HN_FIGURE_MEAN: return mean(p.y, p.count);
  case HN_FIGURE_PEAK_TIME: return p.t[extreme(&p)] - def->from;
  case HN_FIGURE_RISE_TIME:
    return rise_time(&p, def->level > 0 ? def->level : USUAL_LEVEL, def->from);
  case HN_FIGURE_OVERSHOOT: return last != 0 ? p.y[extreme(&p)] / last - 1 : NAN;
  case HN_FIGURE_SLOPE: return slope(def, &p);
  case HN_FIGURE_REACHED: return reached(&p, def->level);
  case HN_FIGURE_CURVE:
  case HN_FIGURE_KINDS: break;
  }
  return NAN;
}

int hn_results_figure_rows(const hn_results *results, const hn_model *model, int id, int *first) {
  const hn_figure_def *def = hn_model_figure(model, id);
  if (!def) return 0;
  const part p = part_of(results, def);
  *first = p.count > 0 ? (int)(p.t - hn_results_time(results)) : 0;
  return p.count;
}

const char *hn_results_figure_remark(const hn_results *results, const hn_model *model, int id,
                                     char *text, size_t size) {
  const hn_figure_def *def = hn_model_figure(model, id);
  if (size > 0) text[0] = '\0';
  if (!def || size == 0 || def->take == HN_FIGURE_CURVE) return text;
  const part p = part_of(results, def);
  if (p.count == 0)
    return hn_text(text, size, "not available: no sample from t = %g s on", def->from);
  const range x = range_of(p.x, p.count), y = range_of(p.y, p.count);
  if (def->take == HN_FIGURE_SLOPE && !is_covered(def, &p))
    return hn_text(text, size, "not available: %s covers only %.4g to %.4g", def->over, x.low,
                   x.high);
  if (def->take == HN_FIGURE_SLOPE && !(x.high > x.low))
    return hn_text(text, size, "not available: %s is constant", def->over);
  if (def->take == HN_FIGURE_SLOPE &&
      y.high - y.low <= STILL + STILL_OF * fmax(fabs(y.low), fabs(y.high)))
    return hn_text(text, size, "%s is constant", def->of);
  if (def->take == HN_FIGURE_REACHED && isnan(reached(&p, def->level)))
    return hn_text(text, size, "not reached: %s never reaches %g", def->over, def->level);
  if (isnan(hn_results_figure(results, model, id))) return hn_text(text, size, "not reached");
  return text;
}

// "" of an output without unit.
static const char *unit_of(const hn_results *results, const char *output) {
  const int k = output ? hn_results_find(results, output) : -1;
  const char *unit = k >= 0 ? hn_results_signal_unit(results, k) : NULL;
  return unit && strcmp(unit, "1") != 0 ? unit : "";
}

const char *hn_results_figure_unit(const hn_results *results, const hn_model *model, int id,
                                   char *text, size_t size) {
  const hn_figure_def *def = hn_model_figure(model, id);
  if (size > 0) text[0] = '\0';
  if (!def || size == 0) return text;
  const char *of = unit_of(results, def->of), *over = def->over ? unit_of(results, def->over) : "s";
  const int is_time = def->take == HN_FIGURE_PEAK_TIME || def->take == HN_FIGURE_RISE_TIME;
  if (is_time) return hn_text(text, size, "s");
  if (def->take == HN_FIGURE_OVERSHOOT) return text;
  if (def->take != HN_FIGURE_SLOPE || over[0] == '\0') return hn_text(text, size, "%s", of);
  const int is_product = strpbrk(over, "/* ") != NULL;
  return hn_text(text, size, is_product ? "%s/(%s)" : "%s/%s", of[0] != '\0' ? of : "1", over);
}
