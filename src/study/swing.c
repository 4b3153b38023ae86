// Frequency response by simulation (holon/linear.h): with a harmonic input, the model runs until
// its signals repeat from one cycle to the next, and the first harmonic of each is taken.
//
// The remaining transient is extrapolated from the change per cycle, as a geometric series: below
// the tolerance of the run, 1e-4 at most, the outputs repeat.
#include <math.h>
#include <string.h>

#include "analysis/simulation.h"
#include "base/arena.h"
#include "holon/linear.h"
#include "holon/simulation.h"
#include "math/elementary.h"

#define PI 3.14159265358979323846
enum { PARTS = 128, MOST_CYCLES = 400, LEAST_CYCLES = 3 };
// Allowed remaining change of amplitude and phase, relative to the amplitude: the tolerance,
// between these.
#define LEAST_SAME 1e-7
#define MOST_SAME 1e-4

typedef struct work {
  hn_simulation *simulation;
  const hn_swing *swing;
  double start;                  // start of the harmonic input, s
  double same, last;             // how alike cycles shall be; the change before the present one
  double *values, *sum, *before; // (count, count, 2 count)
  hn_swing_result *result;
} work;

static void add_values(work *k, double t) {
  const hn_swing *s = k->swing;
  hn_swing_result *r = k->result;
  const double turn = 2 * PI * s->frequency * (t - k->start);
  hn_simulation_signals(k->simulation, s->signals, s->signal_count, k->values);
  for (int o = 0; o < s->signal_count; o++) {
    const double value = k->values[o] / PARTS;
    k->sum[o] += value;
    r->distortion[o] += value * k->values[o];
    r->y[2 * o] += 2 * value * hn_cos(turn);
    r->y[2 * o + 1] -= 2 * value * hn_sin(turn);
  }
}

// Harmonics become gains of sin, squares the remainder after mean and first harmonic.
static void conclude_cycle(work *k) {
  hn_swing_result *r = k->result;
  for (int o = 0; o < k->swing->signal_count; o++) {
    const double real = r->y[2 * o], imaginary = r->y[2 * o + 1], size = hn_hypot(real, imaginary);
    const double left = r->distortion[o] - k->sum[o] * k->sum[o] - size * size / 2;
    r->distortion[o] = size > 0 ? sqrt(fmax(left, 0) * 2) / size : 0;
    r->y[2 * o] = -imaginary / k->swing->amplitude; // divided by -i
    r->y[2 * o + 1] = real / k->swing->amplitude;
  }
}

static hn_status cycle(work *k, double begin) {
  const size_t count = (size_t)k->swing->signal_count;
  const double period = 1 / k->swing->frequency;
  memset(k->sum, 0, count * sizeof *k->sum);
  memset(k->result->distortion, 0, count * sizeof *k->sum);
  memset(k->result->y, 0, 2 * count * sizeof *k->sum);
  for (int part = 1; part <= PARTS; part++) {
    const double t = begin + period * part / PARTS;
    hn_status status = hn_simulation_advance(k->simulation, t);
    if (status != HN_OK) return status;
    add_values(k, t);
  }
  conclude_cycle(k);
  return HN_OK;
}

// The largest change since the cycle before, which is kept.
static double take_change(work *k) {
  double change = 0;
  for (int o = 0; o < k->swing->signal_count; o++) {
    double *now = &k->result->y[2 * o], *before = &k->before[2 * o];
    const double size = fmax(hn_hypot(now[0], now[1]), hn_hypot(before[0], before[1]));
    if (size > 0) change = fmax(change, hn_hypot(now[0] - before[0], now[1] - before[1]) / size);
    memcpy(before, now, 2 * sizeof *now);
  }
  return change;
}

// 1: no more than `same` is to come.
static int is_settled(work *k) {
  const double change = take_change(k), ratio = k->last > 0 ? change / k->last : 0;
  k->last = change;
  return change < k->same && (change == 0 || (ratio < 1 && change * ratio / (1 - ratio) < k->same));
}

hn_status hn_simulation_swing(hn_simulation *simulation, const hn_swing *swing,
                              hn_swing_result *result) {
  const size_t count = (size_t)swing->signal_count;
  if (!(swing->frequency > 0) || !(swing->amplitude > 0)) return HN_ERROR_ARGUMENT;
  double *room = hn_allocate(NULL, (4 * count + 1) * sizeof *room);
  if (room == NULL) return HN_ERROR_MEMORY;
  memset(room, 0, (4 * count + 1) * sizeof *room);
  work k = {.simulation = simulation,
            .swing = swing,
            .start = hn_simulation_time(simulation),
            .same = fmax(LEAST_SAME, fmin(MOST_SAME, hn_simulation_options_used(simulation)->rtol)),
            .values = room,
            .sum = room + count,
            .before = room + 2 * count,
            .result = result};
  const double mean = hn_simulation_input(simulation, swing->input);
  const hn_status began = hn_simulation_swing_input(simulation, swing->input, swing->amplitude,
                                                    2 * PI * swing->frequency);
  hn_status status = began;
  for (result->cycles = 1; status == HN_OK; result->cycles++) {
    status = cycle(&k, k.start + (result->cycles - 1) / swing->frequency);
    const int is_done = is_settled(&k);
    if ((result->cycles >= LEAST_CYCLES && is_done) || result->cycles >= MOST_CYCLES) break;
  }
  hn_release(NULL, room);
  const hn_status stopped =
      began == HN_OK ? hn_simulation_set_input(simulation, swing->input, mean) : began;
  return status == HN_OK ? stopped : status;
}
