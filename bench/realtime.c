// The Iltis over ramp and stairs at fixed steps: table 2 of D. Dopico et al. (2004), with more
// formulas. Three formulations (GLB natural coordinates, TPL independent and HYB dependent relative
// ones), the trapezoidal rule and the third-order SDIRK of the paper: its six methods are presets.
// Compared with the dissipative structural formulas it argues for, Holon's own (independent none,
// projections by Newton's factors), and projections switched off: the paper finds them essential
// for the trapezoidal rule alone. Steps are those of real time: bounded iterations, unmodified
// laws, no events.
//
// Each combination runs at 1 ms, 10 ms and at the largest step at which it and every smaller step of
// the grid stay stable. Stable: it reaches 8 s, is never farther than 0.5 m from the reference in
// height, and ends within 1 cm of where the vehicle stands.
//
//   realtime        CSV on stdout; a line `missing` for what is not built
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

#define MODEL "models/iltis/iltis.yaml"
static const double end = 8, standing = 0.5629061;
enum { ITERATIONS = 10, SAMPLES = 16001 }; // the reference every 0.5 ms

typedef struct combination {
  const char *name, *coordinates, *method, *formula, *independent, *projection;
} combination;

#define INDEX_3 "augmented-lagrangian-3"
#define INDEX_1 "augmented-lagrangian-1"
// Without words: the preset of this name.
static const combination combinations[] = {
    {.name = "HYB+TR"},
    {.name = "GLB+TR"},
    {"GLB+NEWMARK", "natural", INDEX_3, "newmark", "none", "tangent"},
    {"GLB+HHT", "natural", INDEX_3, "hht", "none", "tangent"},
    {"GLB+GALPHA", "natural", INDEX_3, "generalized-alpha", "none", "tangent"},
    {"GLB+TR without projections", "natural", INDEX_3, "trapezoidal", "none", "none"},
    {.name = "GLB+SDIRK"},
    {"GLB+SDIRK, tangent", "natural", INDEX_1, "sdirk2", "none", "tangent"},
    {"GLB+SDIRK without projections", "natural", INDEX_1, "sdirk2", "none", "none"},
    {.name = "TPL+TR"},
    {"TPL+NEWMARK", "relative", "state-space", "newmark", "partition", "auto"},
    {"TPL+HHT", "relative", "state-space", "hht", "partition", "auto"},
    {"TPL+GALPHA", "relative", "state-space", "generalized-alpha", "partition", "auto"},
    {.name = "TPL+SDIRK"},
    {"projected SDIRK", "relative", "first-order", "sdirk2", "none", "auto"},
    {"HYB+NEWMARK", "relative", INDEX_3, "newmark", "none", "tangent"},
    {"HYB+HHT", "relative", INDEX_3, "hht", "none", "tangent"},
    {"HYB+GALPHA", "relative", INDEX_3, "generalized-alpha", "none", "tangent"},
    {"HYB+TR without projections", "relative", INDEX_3, "trapezoidal", "none", "none"},
    {.name = "HYB+SDIRK"},
    {"HYB+SDIRK, tangent", "relative", INDEX_1, "sdirk2", "none", "tangent"},
    {"HYB+SDIRK without projections", "relative", INDEX_1, "sdirk2", "none", "none"},
};
#define COMBINATIONS ((int)(sizeof combinations / sizeof combinations[0]))

// Multiples of 0.5 ms, s.
static const double grid[] = {1e-3,    5e-3,  7.5e-3,  10e-3, 12.5e-3, 15e-3, 17.5e-3, 20e-3,
                              22.5e-3, 25e-3, 27.5e-3, 30e-3, 32.5e-3, 35e-3, 37.5e-3, 40e-3,
                              45e-3,   50e-3, 55e-3,   60e-3, 70e-3,   80e-3, 100e-3};
#define GRID ((int)(sizeof grid / sizeof grid[0]))

// Table 2 of the paper, AMD Athlon XP 1600+: step, CPU seconds, iterations; 0: it did not get through.
static const struct published {
  const char *name;
  double step, seconds;
  long iterations;
} published[] = {
    {"GLB+SDIRK", 1e-4, 6705.13, 427199},
    {"GLB+SDIRK", 1e-3, 0, 0},
    {"GLB+SDIRK", 1e-2, 0, 0},
    {"GLB+TR", 1e-3, 133.48, 57832},
    {"GLB+TR", 1e-2, 5.39, 1909},
    {"GLB+TR", 1.75e-2, 3.82, 1462},
    {"TPL+SDIRK", 1e-3, 15.54, 15492},
    {"TPL+SDIRK", 1e-2, 4.39, 4748},
    {"TPL+TR", 1e-3, 4.11, 8796},
    {"TPL+TR", 1e-2, 0.92, 1876},
    {"TPL+TR", 2.5e-2, 0.72, 1468},
    {"HYB+SDIRK", 1e-3, 16.35, 11538},
    {"HYB+SDIRK", 7.5e-3, 4.33, 3835},
    {"HYB+SDIRK", 1e-2, 0, 0},
    {"HYB+TR", 1e-3, 5.75, 9238},
    {"HYB+TR", 1e-2, 1.02, 1839},
    {"HYB+TR", 3.5e-2, 0.57, 1003},
};
#define PUBLISHED ((int)(sizeof published / sizeof published[0]))

// Result of one run.
typedef struct outcome {
  int is_stable;
  double cpu; // s, the least of several runs
  hn_certificate certificate;
  double error; // of the chassis' height, m
} outcome;

// ---- reference ----------------------------------------------------------------------------------

static hn_model *model;
static double height[SAMPLES];

static void make_reference(void) {
  hn_error error;
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "relative";
  options.method = "first-order";
  options.formula = "dopri5";
  options.tol = 1e-8;
  hn_bench_must(hn_simulation_create(model, &options, &simulation, &error), &error);
  int z = hn_simulation_find_signal(simulation, "chassis.z");
  for (int k = 0; k < SAMPLES; k++) {
    double time = 0.5e-3 * k;
    while (hn_simulation_time(simulation) < time)
      hn_bench_must(hn_simulation_step(simulation, end), hn_simulation_error(simulation));
    hn_bench_must(hn_simulation_look_at(simulation, time), hn_simulation_error(simulation));
    height[k] = hn_simulation_signal(simulation, z);
  }
  hn_certificate c = hn_simulation_certificate(simulation);
  fprintf(stderr, "reference: %s, %s, %s at 1e-8: %ld steps, %ld events, energy within %.1e\n",
          c.coordinates, c.method, c.formula, c.steps_accepted, c.events, c.energy_relative);
  hn_simulation_free(simulation);
}

// ---- runs ---------------------------------------------------------------------------------------

// A preset with its words.
static combination filled(const combination *c) {
  hn_preset p;
  if (c->method || !hn_find_preset(c->name, &p)) return *c;
  return (combination){c->name,   p.coordinates, p.method,
                       p.formula, p.independent, p.projection ? p.projection : "auto"};
}

static hn_status open_loop(const combination *c, double step, hn_realtime **loop, hn_error *error) {
  hn_realtime_options options = hn_default_realtime_options();
  options.simulation.coordinates = c->coordinates;
  options.simulation.method = c->method;
  options.simulation.formula = c->formula;
  options.simulation.independent = c->independent;
  options.simulation.projection = c->projection;
  options.simulation.step = step;
  options.simulation.max_iterations = ITERATIONS;
  return hn_realtime_create(model, &options, loop, error);
}

static outcome run_once(const combination *c, double step) {
  outcome out = {.is_stable = 1, .error = 0};
  hn_realtime *loop = NULL;
  hn_error error;
  hn_bench_must(open_loop(c, step, &loop, &error), &error);
  int z = hn_realtime_find_output(loop, "chassis.z"), each = (int)lround(step / 0.5e-3);
  double spent = 0;
  for (int k = each; k < SAMPLES && out.is_stable; k += each) {
    double begin = hn_bench_cpu();
    hn_status status = hn_realtime_step(loop, NULL);
    spent += hn_bench_cpu() - begin;
    double gap = status == HN_OK ? fabs(hn_realtime_output(loop, z) - height[k]) : HUGE_VAL;
    if (!(gap <= 0.5)) out.is_stable = 0;
    out.error = fmax(out.error, gap);
  }
  if (!(fabs(hn_realtime_output(loop, z) - standing) < 0.01)) out.is_stable = 0;
  out.cpu = spent;
  out.certificate = hn_simulation_certificate(hn_realtime_simulation(loop));
  hn_realtime_free(loop);
  return out;
}

// Time of the steps alone, the least of three runs: the clock is read once a run.
static double measure(const combination *c, double step) {
  double least = HUGE_VAL;
  for (int round = 0; round < 3; round++) {
    hn_realtime *loop = NULL;
    hn_error error;
    hn_bench_must(open_loop(c, step, &loop, &error), &error);
    double begin = hn_bench_cpu();
    while (hn_realtime_time(loop) < end - step / 2)
      if (hn_realtime_step(loop, NULL)) break;
    least = fmin(least, hn_bench_cpu() - begin);
    hn_realtime_free(loop);
  }
  return least;
}

// Up the grid until it is no longer stable; what the steps gave stays in seen (GRID).
static double find_largest(const combination *c, outcome *seen) {
  double largest = 0;
  for (int k = 0; k < GRID; k++) {
    seen[k] = run_once(c, grid[k]);
    if (!seen[k].is_stable) break;
    largest = grid[k];
  }
  return largest;
}

static outcome find_outcome(const outcome *seen, double step) {
  for (int k = 0; k < GRID; k++)
    if (grid[k] == step) return seen[k]; // not reached: not stable
  return (outcome){.is_stable = 0};
}

// ---- table --------------------------------------------------------------------------------------

static const struct published *find_published(const char *name, double step) {
  for (int k = 0; k < PUBLISHED; k++)
    if (strcmp(published[k].name, name) == 0 && fabs(published[k].step - step) < 1e-9)
      return &published[k];
  return NULL;
}

// Times are compared with those of HYB+TR at the same step: of this run, and of the paper.
typedef struct base {
  double step[2], cpu[2];
} base;

static double base_at(const base *b, double step) {
  for (int k = 0; k < 2; k++)
    if (fabs(b->step[k] - step) < 1e-9) return b->cpu[k];
  return 0;
}

static void print_row(const combination *c, double step, double largest, outcome out,
                      const base *b) {
  if (out.is_stable) out.cpu = measure(c, step);
  const struct published *p = find_published(c->name, step), *of = find_published("HYB+TR", step);
  double of_base = base_at(b, step), theirs = p ? p->seconds : 0;
  char setting[32], note[64];
  snprintf(note, sizeof note, "%s%s", c->name, out.is_stable ? "" : ", not stable");
  hn_bench_row row = {.machine = "iltis",
                      .program = "holon",
                      .coordinates = c->coordinates,
                      .method = c->method,
                      .formula = c->formula,
                      .setting = hn_bench_setting(setting, sizeof setting, "step", step),
                      .note = note};
  if (out.is_stable) {
    row.quantity = "height of the chassis, m, to dopri5 at 1e-8";
    row.error = out.error;
    row.cpu_s = out.cpu;
    row.steps = (long)lround(end / step);
    row.ratio = of_base > 0 ? of_base / out.cpu : 0;
    row.to = of_base > 0 ? "HYB+TR at the same step" : NULL;
  }
  row.paper_ratio = of && of->seconds > 0 && theirs > 0 ? of->seconds / theirs : 0;
  char further[160] = ",,,";
  if (out.is_stable)
    snprintf(further, sizeof further, "%.1f,%g,%ld,%ld", end / out.cpu, largest,
             out.certificate.newton_iterations, out.certificate.newton_unconverged_accepted);
  if (theirs > 0)
    hn_bench_print(&row, "%s,%g,%ld,%.3f", further, theirs, p->iterations, end / theirs);
  else
    hn_bench_print(&row, "%s,,,", further);
}

static void print_combination(const combination *c, const base *b) {
  const char *reason;
  if (!hn_combination_is_built(c->coordinates, c->method, c->formula, c->independent, &reason)) {
    hn_bench_row row = {.machine = "iltis",
                        .program = "holon",
                        .coordinates = c->coordinates,
                        .method = c->method,
                        .formula = c->formula,
                        .note = reason};
    hn_bench_print(&row, ",,,,,,");
    return;
  }
  outcome seen[GRID] = {{0}};
  double largest = find_largest(c, seen);
  double steps[3] = {1e-3, 1e-2, largest};
  for (int k = 0; k < 3; k++)
    if (k < 2 || (largest != 1e-3 && largest != 1e-2 && largest > 0))
      print_row(c, steps[k], largest, find_outcome(seen, steps[k]), b);
}

static base measure_base(void) {
  base b = {.step = {1e-3, 1e-2}};
  combination c = filled(&combinations[0]); // HYB+TR
  for (int k = 0; k < 2; k++) b.cpu[k] = measure(&c, b.step[k]);
  return b;
}

int main(void) {
  model = hn_bench_load(MODEL);
  make_reference();
  hn_bench_begin("dopico", "realtime_factor,largest_stable_s,iterations,unconverged,paper_cpu_s,"
                           "paper_iterations,paper_realtime_factor");
  base b = measure_base();
  for (int k = 0; k < COMBINATIONS; k++) {
    combination c = filled(&combinations[k]);
    print_combination(&c, &b);
  }
  hn_model_free(model);
  return 0;
}
