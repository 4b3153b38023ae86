// History of a signal: see past.h.
#include "math/past.h"

#include <math.h>
#include <string.h>

enum { NODES = HN_PAST_NODES };
#define SAME 1e-12 // s: times this near, or this part of their size, are one
#define FINE 1e-2  // of the tolerance
#define TINY 1e-7  // of the delay: pieces together
#define LONGEST 64 // pieces become one up to this part of the delay

// (1 - cos(pi k/7))/2
static const double nodes[NODES] = {0,
                                    0.04951556604879043,
                                    0.1882550990706332,
                                    0.3887395330218428,
                                    0.6112604669781572,
                                    0.8117449009293667,
                                    0.9504844339512095,
                                    1};

const double *hn_past_nodes(void) { return nodes; }

hn_status hn_past_create(hn_arena *arena, double delay, int room, double tolerance, hn_past *h) {
  *h = (hn_past){.delay = delay,
                 .room = room,
                 .coarse = fmax(FINE * tolerance, 1e-12),
                 .tolerance = tolerance};
  h->ring = HN_KEEP(arena, hn_past_piece, room);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

void hn_past_begin(hn_past *h, double t, double before) {
  h->before = before;
  h->from = t;
  h->upto = HUGE_VAL;
  h->first = h->count = h->seen = h->looked = h->is_kept = 0;
}

static double same(double t) { return SAME * (1 + fabs(t)); }

static hn_past_piece *piece_at(const hn_past *h, int k) {
  return &h->ring[(h->first + k) % h->room];
}

// ---- polynomials --------------------------------------------------------------------------------

static void interpolate(const double values[NODES], double c[NODES]) {
  for (int k = 0; k < NODES; k++) c[k] = values[k];
  for (int order = 1; order < NODES; order++)
    for (int k = NODES - 1; k >= order; k--)
      c[k] = (c[k] - c[k - 1]) / (nodes[k] - nodes[k - order]);
}

// With derivatives by time.
static void evaluate(const hn_past_piece *p, double t, double d[4]) {
  const double h = p->end - p->begin, x = (t - p->begin) / h;
  d[0] = p->coefficient[NODES - 1];
  d[1] = d[2] = d[3] = 0;
  for (int k = NODES - 2; k >= 0; k--) {
    const double by = x - nodes[k];
    d[3] = d[3] * by + d[2];
    d[2] = d[2] * by + d[1];
    d[1] = d[1] * by + d[0];
    d[0] = d[0] * by + p->coefficient[k];
  }
  d[1] /= h;
  d[2] *= 2 / (h * h);
  d[3] *= 6 / (h * h * h);
}

// ---- reading ------------------------------------------------------------------------------------

// The last piece that starts at or before t; -1 if none does.
static int last_begun(const hn_past *h, double t) {
  int low = -1, high = h->count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (piece_at(h, middle)->begin <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

void hn_past_at(const hn_past *h, double t, double d[4]) {
  if (h->is_kept) {
    memcpy(d, h->kept, sizeof h->kept);
    return;
  }
  const double near = 4 * same(t), s = t - h->delay, from = h->from - h->delay;
  const double here = fmin(s, h->upto - h->delay);
  // where the step starts the piece that starts there, elsewhere the one that ends there
  const int k = s <= from + near ? last_begun(h, from + near) : last_begun(h, here - near);
  if (k < 0) {
    d[0] = h->before;
    d[1] = d[2] = d[3] = 0;
    return;
  }
  evaluate(piece_at(h, k), s, d);
}

double hn_past_pieces_end(const hn_past *h, double t, int count) {
  int k = last_begun(h, t - h->delay + same(t)) + count;
  // pieces of located events are no longer than rounding
  while (k < h->count && piece_at(h, k)->begin + h->delay - t < TINY * h->delay) k++;
  return k < h->count ? piece_at(h, k)->begin + h->delay : HUGE_VAL;
}

// ---- bends --------------------------------------------------------------------------------------

double hn_past_next_bend(hn_past *h) {
  if (h->looked < h->seen) h->looked = h->seen;
  while (h->looked < h->count && piece_at(h, h->looked)->bend > HN_PAST_SMOOTH) h->looked++;
  return h->looked < h->count ? piece_at(h, h->looked)->begin + h->delay : HUGE_VAL;
}

double hn_past_pass(hn_past *h, double t) {
  double lowest = HUGE_VAL;
  h->from = t;
  for (; h->seen < h->count && piece_at(h, h->seen)->begin + h->delay <= t + same(t); h->seen++)
    if (piece_at(h, h->seen)->bend <= HN_PAST_SMOOTH)
      lowest = fmin(lowest, piece_at(h, h->seen)->bend);
  h->upto = hn_past_next_bend(h);
  return lowest;
}

// ---- writing ------------------------------------------------------------------------------------

// Drops pieces that are not needed any more: a step before the present one may still be read.
static void forget(hn_past *h, double begin) {
  while (h->count > 1 && h->seen > 1 && piece_at(h, 0)->end < begin - h->delay - same(begin)) {
    h->first = (h->first + 1) % h->room;
    h->count--;
    h->seen--;
    if (h->looked > 0) h->looked--;
  }
}

// a and b, which follow each other, as one: 0 where that is not the same.
static int join(double coarse, const hn_past_piece *a, const hn_past_piece *b, hn_past_piece *one) {
  double values[NODES], d[4], size = 0;
  *one = (hn_past_piece){.begin = a->begin, .end = b->end, .bend = a->bend};
  const double length = one->end - one->begin;
  for (int k = 0; k < NODES; k++) {
    const double t = one->begin + nodes[k] * length;
    evaluate(t < b->begin ? a : b, t, d);
    values[k] = d[0];
    size = fmax(size, fabs(d[0]));
  }
  interpolate(values, one->coefficient);
  for (int k = 1; k < NODES; k++) {
    const double t = one->begin + 0.5 * (nodes[k - 1] + nodes[k]) * length;
    double e[4];
    evaluate(t < b->begin ? a : b, t, d);
    evaluate(one, t, e);
    if (!(fabs(d[0] - e[0]) <= coarse * size)) return 0;
  }
  return 1;
}

static void thin(hn_past *h, double coarse) {
  int kept = 0, seen = 0;
  for (int k = 0; k < h->count; kept++) {
    hn_past_piece one = *piece_at(h, k), both;
    const int is_seen = k < h->seen;
    const hn_past_piece *next = k + 1 < h->count ? piece_at(h, k + 1) : NULL;
    const int fits = next && next->bend > HN_PAST_SMOOTH && (k + 1 < h->seen) == is_seen &&
                     next->end - one.begin <= h->delay / LONGEST && join(coarse, &one, next, &both);
    k += fits ? 2 : 1;
    seen += is_seen;
    *piece_at(h, kept) = fits ? both : one;
  }
  h->count = kept;
  h->seen = h->looked = seen;
}

int hn_past_add(hn_past *h, double begin, double end, double bend, const double values[NODES]) {
  forget(h, begin);
  for (int k = 0; k < 2 && h->count == h->room; k++) thin(h, k == 0 ? h->coarse : h->tolerance);
  if (h->count == h->room) return 0;
  hn_past_piece *p = piece_at(h, h->count++);
  *p = (hn_past_piece){.begin = begin, .end = end, .bend = bend};
  interpolate(values, p->coefficient);
  return 1;
}

// ---- the state ----------------------------------------------------------------------------------

void hn_past_declare(hn_arena *arena, hn_past *h) {
  HN_STATE(arena, &h->before, 1, "the value before a history");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, &h->from, 1, "the start of a history");
  hn_state_within(arena, -HUGE_VAL, HUGE_VAL);
  HN_STATE(arena, &h->upto, 1, "the next bend of a history");
  HN_STATE(arena, &h->seen, 1, "the number of pieces seen");
  hn_state_within(arena, 0, h->room);
  HN_STATE(arena, &h->looked, 1, "the number of smooth pieces");
  hn_state_within(arena, 0, h->room);
  HN_STATE(arena, h->ring, h->room, "piece");
  hn_state_counted(arena, &h->first, &h->count);
}

int hn_past_is_possible(const hn_past *h) {
  double after = -HUGE_VAL;
  if (h->seen > h->count || h->looked > h->count) return 0;
  for (int k = 0; k < h->count; k++) {
    const hn_past_piece *p = piece_at(h, k);
    double sum = p->begin + p->end;
    for (int i = 0; i < NODES; i++) sum += p->coefficient[i];
    if (!isfinite(sum) || !(p->begin >= after && p->end > p->begin && p->bend >= 0)) return 0;
    after = p->end;
  }
  return 1;
}
