// The lane change of the passenger car at 100 km/h in real time, HYB+TR at 1 kHz: steps of tyres
// that steer, drive and brake, of the same with relaxation, and of tyres that carry load only, in
// turn. Times are of single steps, the least over the rounds of each step of the way, so that what
// disturbs one round does not count; `worst` is over all rounds. `round_999` is the time below
// which 99.9 % of the steps of one round stay, of the round in the middle; the last row is a loop
// of additions that takes as long as a step with handling tyres, timed the same way: its outliers
// are those of the computer.
//
//   vehicles             CSV on stdout
//   vehicles grip|relaxation|load    one run of that car, for profilers
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

#define CAR "models/vehicles/passenger.yaml"
#define MANOEUVRE "models/manoeuvres/lane-change.yaml"
enum { STEPS = 7000, VARIANTS = 3, MOST_ROUNDS = 10 };
static const double step = 1e-3;

typedef struct variant {
  const char *name, *overlay;
} variant;

static const variant variants[VARIANTS] = {
    {"load", "bench/models/vertical-tyres.yaml"},
    {"grip", NULL},
    {"relaxation", "bench/models/relaxing-tyres.yaml"},
};

static hn_realtime *open_car(const variant *v, hn_model **model) {
  const char *overlays[2] = {MANOEUVRE, v->overlay};
  hn_load_options load = hn_default_load_options();
  load.overlays = overlays;
  load.overlay_count = v->overlay ? 2 : 1;
  hn_error error;
  hn_bench_must(hn_model_load(CAR, &load, model, &error), &error);
  hn_preset preset;
  if (!hn_find_preset("HYB+TR", &preset)) exit(1);
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.coordinates = preset.coordinates;
  options.simulation.method = preset.method;
  options.simulation.formula = preset.formula;
  options.simulation.independent = preset.independent;
  options.simulation.projection = preset.projection ? preset.projection : "auto";
  options.simulation.step = step;
  options.simulation.max_iterations = 6;
  hn_realtime *loop = NULL;
  hn_bench_must(hn_realtime_create(*model, &options, &loop, &error), &error);
  return loop;
}

// Durations of the steps: the least of each, and the worst of all.
typedef struct taken {
  double least[STEPS], worst, round_999[MOST_ROUNDS];
  long iterations;
  int rounds;
} taken;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void note_round(taken *t, double *seconds) {
  for (int k = 0; k < STEPS; k++) {
    t->least[k] = fmin(t->least[k], seconds[k]);
    t->worst = fmax(t->worst, seconds[k]);
  }
  qsort(seconds, STEPS, sizeof(double), compare);
  t->round_999[t->rounds++] = seconds[STEPS - 1 - STEPS / 1000];
}

static void run(const variant *v, taken *t) {
  hn_model *model = NULL;
  hn_realtime *loop = open_car(v, &model);
  static double seconds[STEPS];
  for (int k = 0; k < STEPS; k++) {
    double begin = hn_bench_wall();
    hn_status status = hn_realtime_step(loop, NULL);
    seconds[k] = hn_bench_wall() - begin;
    if (status != HN_OK) exit(1);
  }
  note_round(t, seconds);
  t->iterations = hn_simulation_certificate(hn_realtime_simulation(loop)).newton_iterations;
  hn_realtime_free(loop);
  hn_model_free(model);
}

// Additions that wait for each other, as many as take `seconds`.
static double add(long count) {
  double x = 0;
  for (long k = 0; k < count; k++) x = x * 0.999 + 1;
  return x;
}

static void run_additions(double wanted, taken *t) {
  static double seconds[STEPS];
  static volatile double sum = 0;
  double begin, least = HUGE_VAL;
  for (int k = 0; k < 200; k++) {
    begin = hn_bench_wall();
    sum = sum + add(1000);
    least = fmin(least, hn_bench_wall() - begin);
  }
  long count = (long)(wanted / least * 1000);
  for (int k = 0; k < STEPS; k++) {
    begin = hn_bench_wall();
    sum = sum + add(count);
    seconds[k] = hn_bench_wall() - begin;
  }
  note_round(t, seconds);
}

static double mean_of(const taken *t) {
  double sum = 0;
  for (int k = 0; k < STEPS; k++) sum += t->least[k];
  return sum / STEPS;
}

static void print(const variant *v, taken *t, double of_load) {
  double mean = mean_of(t);
  qsort(t->least, STEPS, sizeof(double), compare);
  hn_bench_row row = {.machine = "passenger",
                      .program = "holon",
                      .coordinates = "relative",
                      .method = "augmented-lagrangian-3",
                      .formula = "trapezoidal",
                      .setting = "step=0.001",
                      .cpu_s = mean * STEPS,
                      .steps = STEPS,
                      .ratio = mean / of_load,
                      .to = "a step of tyres that carry load only",
                      .note = v->name};
  qsort(t->round_999, (size_t)t->rounds, sizeof(double), compare);
  hn_bench_print(&row, "%.1f,%.2f,%.2f,%.2f,%.2f,%.1f,%ld", step / mean, 1e6 * mean,
                 1e6 * t->least[STEPS / 2], 1e6 * t->least[STEPS - 1 - STEPS / 1000],
                 1e6 * t->round_999[t->rounds / 2], 1e6 * t->worst, t->iterations);
}

int main(int count, char **words) {
  static taken all[VARIANTS + 1];
  static const variant additions = {"additions", NULL};
  for (int v = 0; v <= VARIANTS; v++)
    for (int k = 0; k < STEPS; k++) all[v].least[k] = HUGE_VAL;
  for (int v = 0; v < VARIANTS && count > 1; v++)
    if (strcmp(words[1], variants[v].name) == 0) {
      run(&variants[v], &all[v]);
      return 0;
    }
  int rounds = hn_bench_is_quick() ? 3 : MOST_ROUNDS;
  for (int round = 0; round < rounds; round++) {
    for (int v = 0; v < VARIANTS; v++) run(&variants[v], &all[v]);
    run_additions(mean_of(&all[1]), &all[VARIANTS]);
  }
  hn_bench_begin("vehicles", "realtime_factor,mean_us,median_us,share_999_us,round_999_us,worst_us,"
                             "iterations");
  double of_load = mean_of(&all[0]);
  for (int v = 0; v < VARIANTS; v++) print(&variants[v], &all[v], of_load);
  print(&additions, &all[VARIANTS], of_load);
  return 0;
}
