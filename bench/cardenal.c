// J. Cardenal, J. Cuadrado and E. Bayo (1997) once more, in natural coordinates:
//
//   cardenal pendulum      table 1: largest |energy| of the double pendulum over 10 s at fixed steps, by
//                          the augmented Lagrangians of index 1 and 3 (a few minutes), with the paper's
//                          mass-orthogonal projections and with ours
//   cardenal estimators    figures 2 and 3 and equation 10: how the change of energy in a step, and the
//                          energy 1/2 alpha |dPhi/dt|^2 stored in the penalties, go with the local error
//   cardenal steps         figures 5, 6 and 8 to 10: sizes and indices of steps of multi-index on both
//                          models, energy compared with that of as many equal steps
//   cardenal suspension    the front suspension of the Iltis over 6 s: index 1 at 0.5 ms against
//                          multi-index, with the paper's bounds of energy and with a tolerance
//
// CSV on stdout. CPU times of the paper: SGI Indigo2, 200 MHz.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "common/table.h"
#include "common/timing.h"
#include "integrate/augmented.h"

// The paper's own bounds, for its suspension.
static const double paper_upper = 2.65e-5, paper_lower = 1e-7, paper_switch = 1e-4;

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
static void run_pendulum(const hn_model *model, int index, const char *projection, double penalty,
                         const struct published *p) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = "natural";
  options.method = index == 1 ? "augmented-lagrangian-1" : "augmented-lagrangian-3";
  options.formula = "trapezoidal";
  options.step = p->step;
  options.tol = 1e-8;
  options.projection = projection;
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
  hn_bench_print(&row, "%s,%s,%.3e,%g", projection, penalty > 0 ? "1e7" : "own", p->error[k],
                 p->seconds[k]);
  hn_simulation_free(s);
}

static int pendulum(void) {
  hn_model *model = hn_bench_load("models/cardenal/double-pendulum.yaml");
  hn_bench_begin("cardenal-pendulum", "projection,penalty,paper_error_J,paper_cpu_s");
  for (size_t k = 0; k < STEPS; k++) {
    if (hn_bench_is_quick() && published[k].step < 5e-5) break;
    for (int index = 1; index <= 3; index += 2) {
      run_pendulum(model, index, "mass-orthogonal", 0, &published[k]);
      run_pendulum(model, index, "tangent", 0, &published[k]);
    }
    if (published[k].step > 5e-6) run_pendulum(model, 3, "tangent", 1e7, &published[k]);
  }
  // at the largest step the motion is chaotic: what a little less and more of it makes of the error
  for (int k = -4; k <= 4; k++) {
    struct published near = published[0];
    near.step *= 1 + 0.005 * k;
    for (int index = 1; index <= 3 && k != 0; index += 2)
      run_pendulum(model, index, "mass-orthogonal", 0, &near);
  }
  hn_model_free(model);
  return 0;
}

// ---- figures 2 and 3, equation 10 ---------------------------------------------------------------

enum { MOMENTS = 10000 };
static const double alpha = 1e7; // the paper's penalty

static hn_simulation *start_pendulum(const hn_model *model, const char *projection, double step) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = "natural";
  options.method = "augmented-lagrangian-3";
  options.formula = "trapezoidal";
  options.projection = projection;
  options.step = step;
  options.tol = 1e-8;
  options.skip_assembly = 1;
  hn_bench_must(hn_simulation_create(model, &options, &s, &error), &error);
  return s;
}

// `count` steps of s from the present state of `from`.
static void step_from(const hn_simulation *from, hn_simulation *s, int count, double end) {
  const hn_error *error = hn_simulation_error(s);
  double t = hn_simulation_time(from);
  hn_bench_must(
      hn_simulation_set_state(s, t, hn_simulation_positions(from), hn_simulation_velocities(from)),
      error);
  for (int k = 0; k < count; k++) hn_bench_must(hn_simulation_step(s, end), error);
}

// Largest difference of positions, by Richardson's factor of a second-order formula.
static double local_error(const hn_simulation *one, const hn_simulation *two) {
  const double *a = hn_simulation_positions(one), *b = hn_simulation_positions(two);
  double most = 0;
  for (int i = 0; i < hn_simulation_coordinate_count(one); i++)
    most = fmax(most, fabs(a[i] - b[i]) * 4 / 3);
  return most;
}

// Of the end of a step without projection: equation 10.
static double penalty_energy(hn_simulation *s) {
  hn_augmented *self = (hn_augmented *)s->method;
  hn_tangent *t = self->tangent;
  double sum = 0, rate[64] = {0};
  if (t->rows > 64) return 0;
  const hn_tangent_state state = {
      .t = s->method->t, .q = s->method->q, .qd = s->method->qd, .branches = &self->branches};
  hn_bench_must(hn_tangent_evaluate(t, &state, HN_BASIC, NULL), hn_simulation_error(s));
  for (int r = 0; r < t->rows; r++) rate[r] = t->phi_t[r];
  hn_sparse_add_product(&t->phi_q, 1, s->method->qd, rate);
  for (int r = 0; r < t->rows; r++) sum += rate[r] * rate[r];
  return 0.5 * alpha * sum;
}

// Of logarithms; pairs with a zero are left out.
static double correlation(const double *x, const double *y, int count) {
  double n = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) {
      if (!(x[k] > 0 && y[k] > 0)) continue;
      double a = log(x[k]), b = log(y[k]);
      if (pass == 0) n++, mx += a, my += b;
      if (pass == 1)
        xx += (a - mx) * (a - mx), yy += (b - my) * (b - my), xy += (a - mx) * (b - my);
    }
    if (pass == 0 && n > 0) mx /= n, my /= n;
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

static int descending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static double level(const double *x, int count, double share) {
  static double sorted[MOMENTS];
  memcpy(sorted, x, (size_t)count * sizeof(double));
  qsort(sorted, (size_t)count, sizeof(double), descending);
  return sorted[(int)(share * count)];
}

// Of the largest tenth of local errors, the share at which the estimator is in its own largest fifth.
static double peaks_together(const double *estimator, const double *error, int count) {
  double high = level(error, count, 0.1), enough = level(estimator, count, 0.2);
  int peaks = 0, both = 0;
  for (int k = 0; k < count; k++) {
    if (error[k] <= high) continue;
    peaks++;
    both += estimator[k] > enough;
  }
  return peaks > 0 ? (double)both / peaks : 0;
}

static void print_estimator(const char *what, const double *estimator, const double *error,
                            int count) {
  hn_bench_row row = {.machine = "double pendulum",
                      .program = "holon",
                      .coordinates = "natural",
                      .method = "augmented-lagrangian-3",
                      .formula = "trapezoidal",
                      .setting = "step=0.001",
                      .quantity = what,
                      .error = level(estimator, count, 0),
                      .steps = count,
                      .note = "error: the largest; against the local error of positions"};
  hn_bench_print(&row, "%.3f,%.3f", correlation(estimator, error, count),
                 peaks_together(estimator, error, count));
}

static int estimators(void) {
  static double change[MOMENTS], stored[MOMENTS], error[MOMENTS];
  const double h = 1e-3;
  hn_model *model = hn_bench_load("models/cardenal/double-pendulum.yaml");
  hn_simulation *s = start_pendulum(model, "mass-orthogonal", h);
  hn_simulation *once = start_pendulum(model, "mass-orthogonal", h);
  hn_simulation *twice = start_pendulum(model, "mass-orthogonal", h / 2);
  hn_simulation *left = start_pendulum(model, "none", h);
  int kinetic = hn_simulation_find_signal(s, "energy.kinetic");
  int potential = hn_simulation_find_signal(s, "energy.potential");
  double before = hn_simulation_signal(s, kinetic) + hn_simulation_signal(s, potential);
  for (int k = 0; k < MOMENTS; k++) {
    double end = hn_simulation_time(s) + h;
    step_from(s, once, 1, end);
    step_from(s, twice, 2, end);
    step_from(s, left, 1, end);
    error[k] = local_error(once, twice);
    stored[k] = penalty_energy(left);
    hn_bench_must(hn_simulation_step(s, end), hn_simulation_error(s));
    double now = hn_simulation_signal(s, kinetic) + hn_simulation_signal(s, potential);
    change[k] = fabs(now - before);
    before = now;
  }
  hn_bench_begin("cardenal-estimators", "correlation_of_logarithms,peaks_together");
  print_estimator("local error of positions, m (figure 3)", error, error, MOMENTS);
  print_estimator("change of energy in a step, J (figure 2)", change, error, MOMENTS);
  print_estimator("energy in the penalties, J (equation 10)", stored, error, MOMENTS);
  hn_simulation *all[] = {s, once, twice, left};
  for (int k = 0; k < 4; k++) hn_simulation_free(all[k]);
  hn_model_free(model);
  return 0;
}

// ---- figures 5, 6, 8 to 10 ----------------------------------------------------------------------

// Steps of multi-index with the paper's bounds; then index 3 (index 1 on the suspension, as the paper)
// with as many equal ones.
static void run_steps(const char *name, const char *path, double end, double busy_from,
                      double busy_to) {
  hn_model *model = hn_bench_load(path);
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = "natural";
  options.preset = "multi-index";
  options.energy_upper = paper_upper;
  options.energy_lower = paper_lower;
  options.switch_step = paper_switch;
  options.first_step = 1e-3;
  hn_bench_must(hn_simulation_create(model, &options, &s, &error), &error);
  double busy = 0, calm = 0, shortest = HUGE_VAL, longest = 0;
  long busy_steps = 0, calm_steps = 0, changes = 0, of_1 = 0;
  int last = 3;
  while (hn_simulation_time(s) < end) {
    hn_bench_must(hn_simulation_step(s, end), hn_simulation_error(s));
    double h = hn_simulation_last_step(s), t = hn_simulation_time(s);
    int index = s->method->index, is_busy = t > busy_from && t <= busy_to;
    changes += index != last;
    of_1 += index == 1;
    last = index;
    *(is_busy ? &busy : &calm) += h;
    *(is_busy ? &busy_steps : &calm_steps) += 1;
    if (t < end) shortest = fmin(shortest, h), longest = fmax(longest, h);
  }
  hn_certificate c = hn_simulation_certificate(s);
  hn_simulation_free(s);
  hn_simulation_options equal = hn_default_simulation_options();
  equal.coordinates = "natural";
  equal.method = "augmented-lagrangian-3";
  equal.formula = "trapezoidal";
  equal.projection = "mass-orthogonal";
  equal.step = end / (double)c.steps_accepted;
  hn_bench_must(hn_simulation_create(model, &equal, &s, &error), &error);
  hn_status status = hn_simulation_advance(s, end);
  hn_certificate fixed = hn_simulation_certificate(s);
  hn_bench_row row = {.machine = name,
                      .program = "holon",
                      .coordinates = "natural",
                      .method = "multi-index",
                      .formula = "trapezoidal",
                      .setting = "bounds of the paper",
                      .quantity = "energy, J",
                      .error = c.energy_balance,
                      .cpu_s = c.cpu_seconds,
                      .steps = c.steps_accepted,
                      .ratio = status == HN_OK ? fixed.energy_balance / c.energy_balance : 0,
                      .to = "energy error of as many equal steps",
                      .note = "multi-index"};
  hn_bench_print(&row, "%ld,%ld,%ld,%.3g,%.3g,%.3g,%.3g,%.3g", c.steps_rejected, of_1, changes,
                 shortest, longest, busy / fmax(1, (double)busy_steps),
                 calm / fmax(1, (double)calm_steps), fixed.energy_balance);
  hn_simulation_free(s);
  hn_model_free(model);
}

static int steps(void) {
  hn_bench_begin("cardenal-steps", "rejected,of_index_1,changes_of_index,shortest_s,longest_s,"
                                   "mean_on_the_bump_s,mean_elsewhere_s,equal_steps_J");
  run_steps("double pendulum", "models/cardenal/double-pendulum.yaml", 10, 20, 20);
  run_steps("front suspension of the Iltis", "models/iltis/front-suspension.yaml", 6, 3, 3.5);
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
  options.coordinates = "cartesian";
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
    fixed_options.projection = "mass-orthogonal";
    outcome fixed = run(model, &fixed_options, reference);
    print(fixed_options.method, "step=0.0005", coordinates[c], &fixed, &fixed, 1);
    hn_simulation_options multi = hn_default_simulation_options();
    multi.coordinates = coordinates[c];
    multi.method = "multi-index";
    multi.projection = "mass-orthogonal"; // in natural coordinates: the preset
    multi.energy_upper = paper_upper;
    multi.energy_lower = paper_lower;
    multi.switch_step = paper_switch;
    multi.first_step = 1e-3;
    o = run(model, &multi, reference);
    print(multi.method, "bounds and projection of the paper", coordinates[c], &o, &fixed, 3.59);
    multi.projection = "tangent";
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
  if (argc == 2 && strcmp(argv[1], "estimators") == 0) return estimators();
  if (argc == 2 && strcmp(argv[1], "steps") == 0) return steps();
  if (argc == 2 && strcmp(argv[1], "suspension") == 0) return suspension();
  fprintf(stderr, "usage: cardenal pendulum | estimators | steps | suspension\n");
  return 2;
}
