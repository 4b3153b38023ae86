// J. Cardenal, J. Cuadrado and E. Bayo (1997) once more, in natural coordinates:
//
//   cardenal pendulum      table 1: largest |energy| of the double pendulum over 10 s at fixed steps, by
//                          the augmented Lagrangians of index 1 and 3 (a few minutes)
//   cardenal suspension    the front suspension of the Iltis over 6 s: index 1 at 0.5 ms against
//                          multi-index, with the paper's bounds of energy and with a tolerance
//
// CSV on stdout. CPU times of the paper: SGI Indigo2, 200 MHz.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

// ---- table 1 ------------------------------------------------------------------------------------

static const struct published {
  double step, error[2], seconds[2]; // index 1, index 3
} published[] = {
    {1e-2, {3.848e-1, 2.241e-1}, {0.39, 0.26}},   {1e-3, {4.680e-3, 4.854e-3}, {2.95, 1.49}},
    {1e-4, {4.421e-5, 4.399e-5}, {24.94, 14.70}}, {1e-5, {5.061e-7, 3.962e-7}, {238.8, 149.2}},
    {1e-6, {1.258e-7, 1.086e-4}, {2370, 1470}},
};
#define STEPS (sizeof published / sizeof published[0])

// penalty 0: the method's own, with which it grows as the step shrinks.
static void run_pendulum(const hn_model *model, int index, double penalty,
                         const struct published *p) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = "natural";
  options.method = index == 1 ? "augmented-lagrangian-1" : "augmented-lagrangian-3";
  options.formula = "trapezoidal";
  options.step = p->step;
  options.tol = 1e-8;
  options.penalty = penalty;
  options.max_iterations = penalty > 0 ? 50 : 0;
  hn_status status = hn_simulation_create(model, &options, &s, &error);
  if (status == HN_OK) status = hn_simulation_advance(s, 10);
  int k = index == 3;
  char setting[32], note[64] = "";
  hn_bench_row row = {.machine = "double pendulum",
                      .program = "holon",
                      .coordinates = options.coordinates,
                      .method = options.method,
                      .formula = options.formula,
                      .setting = hn_bench_setting(setting, sizeof setting, "step", p->step),
                      .quantity = "energy over 10 s, J",
                      .note = note};
  if (s && status == HN_OK) {
    hn_certificate c = hn_simulation_certificate(s);
    row.error = c.energy_balance;
    row.cpu_s = c.cpu_seconds;
    row.steps = c.steps_accepted;
    row.ratio = c.energy_balance / p->error[k];
    row.to = "error in the paper";
  }
  if (status != HN_OK && s)
    snprintf(note, sizeof note, "stopped at %.3g s: no convergence", hn_simulation_time(s));
  else if (status != HN_OK)
    snprintf(note, sizeof note, "%.60s", error.message);
  hn_bench_print(&row, "%s,%.3e,%g", penalty > 0 ? "1e7" : "own", p->error[k], p->seconds[k]);
  hn_simulation_free(s);
}

static int pendulum(void) {
  hn_model *model = hn_bench_load("models/cardenal/double-pendulum.yaml");
  hn_bench_begin("cardenal-pendulum", "penalty,paper_error_J,paper_cpu_s");
  for (size_t k = 0; k < STEPS; k++) {
    if (hn_bench_is_quick() && published[k].step < 5e-5) break;
    run_pendulum(model, 1, 0, &published[k]);
    run_pendulum(model, 3, 0, &published[k]);
    if (published[k].step > 5e-6) run_pendulum(model, 3, 1e7, &published[k]);
  }
  hn_model_free(model);
  return 0;
}

// ---- suspension ---------------------------------------------------------------------------------

enum { SAMPLES = 601 }; // every 10 ms
typedef struct outcome {
  double cpu, balance, error; // s, J, m
  long steps, rejected;
  hn_status status;
} outcome;

static void run_once(const hn_model *model, const hn_simulation_options *options, double *height,
                     const double *reference, outcome *o) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  o->error = 0;
  o->status = hn_simulation_create(model, options, &s, &error);
  int signal = s ? hn_simulation_find_signal(s, "wheel.z") : -1;
  for (int k = 0; k < SAMPLES && o->status == HN_OK; k++) {
    while (o->status == HN_OK && hn_simulation_time(s) < 0.01 * k)
      o->status = hn_simulation_step(s, 6);
    if (o->status == HN_OK && k > 0) o->status = hn_simulation_look_at(s, 0.01 * k);
    if (o->status != HN_OK) break;
    double value = hn_simulation_signal(s, signal);
    if (height) height[k] = value;
    if (reference) o->error = fmax(o->error, fabs(value - reference[k]));
  }
  if (s) {
    hn_certificate c = hn_simulation_certificate(s);
    o->cpu = c.cpu_seconds;
    o->balance = c.energy_balance;
    o->steps = c.steps_accepted;
    o->rejected = c.steps_rejected;
  }
  hn_simulation_free(s);
}

// The least CPU time of five.
static outcome run(const hn_model *model, const hn_simulation_options *options,
                   const double *reference) {
  outcome best = {.cpu = HUGE_VAL}, o = {0};
  for (int k = 0; k < 5; k++) {
    run_once(model, options, NULL, reference, &o);
    if (o.cpu < best.cpu) best = o;
  }
  return best;
}

static void print(const char *method, const char *setting, const char *coordinates,
                  const outcome *o, const outcome *fixed, double paper) {
  hn_bench_row row = {.machine = "front suspension of the Iltis",
                      .program = "holon",
                      .coordinates = coordinates,
                      .method = method,
                      .formula = "trapezoidal",
                      .setting = setting,
                      .quantity = "height of the wheel, m, to dopri5 at 1e-10",
                      .error = o->error,
                      .cpu_s = o->cpu,
                      .steps = o->steps,
                      .ratio = fixed->cpu / o->cpu,
                      .to = "index 1 at 0.5 ms",
                      .paper_ratio = paper,
                      .note = o->status == HN_OK ? "" : "failed"};
  hn_bench_print(&row, "%ld,%.3e", o->rejected, o->balance);
}

static int suspension(void) {
  static const char *const coordinates[] = {"natural", "cartesian", "relative"};
  hn_model *model = hn_bench_load("models/iltis/front-suspension.yaml");
  double reference[SAMPLES];
  outcome o;
  hn_simulation_options options = hn_default_simulation_options();
  options.method = "first-order";
  options.formula = "dopri5";
  options.tol = 1e-10;
  run_once(model, &options, reference, NULL, &o);
  hn_bench_begin("cardenal-suspension", "rejected,largest_change_of_Pi_J");
  for (int c = 0; c < 3; c++) {
    hn_simulation_options fixed_options = hn_default_simulation_options();
    fixed_options.coordinates = coordinates[c];
    fixed_options.method = "augmented-lagrangian-1";
    fixed_options.formula = "trapezoidal";
    fixed_options.step = 5e-4;
    outcome fixed = run(model, &fixed_options, reference);
    print(fixed_options.method, "step=0.0005", coordinates[c], &fixed, &fixed, 1);
    hn_simulation_options multi = hn_default_simulation_options();
    multi.coordinates = coordinates[c];
    multi.method = "multi-index";
    multi.energy_upper = 2.65e-5;
    multi.energy_lower = 1e-7;
    multi.switch_step = 1e-4;
    multi.first_step = 1e-3;
    o = run(model, &multi, reference);
    print(multi.method, "bounds of the paper", coordinates[c], &o, &fixed, 3.59);
    for (int k = 5; k <= 8; k++) {
      char name[64];
      snprintf(name, sizeof name, "tol=1e-%02d", k);
      multi = hn_default_simulation_options();
      multi.coordinates = coordinates[c];
      multi.method = "multi-index";
      multi.tol = pow(10, -k);
      o = run(model, &multi, reference);
      print(multi.method, name, coordinates[c], &o, &fixed, 0);
    }
  }
  hn_model_free(model);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "pendulum") == 0) return pendulum();
  if (argc == 2 && strcmp(argv[1], "suspension") == 0) return suspension();
  fprintf(stderr, "usage: cardenal pendulum | suspension\n");
  return 2;
}
