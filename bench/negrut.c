// Chapter 5 of D. Negrut's thesis (1998): its five codes, which are presets, against its printed
// results, and each with Holon's own choices: all coordinates (`none`), tangent plane, relative
// coordinates.
// usage: negrut accuracy | timing | coordinates | history        CSV on stdout
//
//   accuracy   stiff double pendulum: largest and mean error of angle and rate of body 1 against the
//              tolerance (tables 20 to 23)
//   timing     HMMWV14 with bushings over the half cylinder: CPU time of every code (the least of three
//              runs) as a ratio to the explicit run of the same model (tables 24 to 29)
//   coordinates  the same vehicle for 2 s in Cartesian and in relative coordinates, in turn: CPU time of
//              each (the least of several rounds) and their ratio; errors against dopri5 at 1e-8
//   history    the same vehicle at 1e-3 over 30 s: size and iterations of steps (figures 17, 23 to 25)
//
// Without a word: accuracy. A combination that is not built is left out with a line on stderr.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

// One code: of the thesis, or Holon's own.
typedef struct code {
  const char *beside; // the thesis' code, or the one compared with
  const char *coordinates, *method, *formula, *independent;
} code;

static const char *const names[] = {"SspTrap", "InflTrap", "InflSDIRK", "ForSDIRK", "ForRosen"};
enum { PRESETS = sizeof names / sizeof names[0], TOLERANCES = 4, SECONDS = 4, VARIANTS = 4 };
static const double tolerances[TOLERANCES] = {1e-2, 1e-3, 1e-4, 1e-5};

static code preset_code(int p) {
  hn_preset preset;
  if (!hn_find_preset(names[p], &preset)) return (code){.beside = names[p]};
  return (code){names[p], preset.coordinates, preset.method, preset.formula, preset.independent};
}

// 0: the preset; then all coordinates, the tangent plane (Appendix B), relative coordinates. Ours of
// the descriptor form is method descriptor. 0 is returned where there is no such thing.
static int find_variant(int p, int variant, code *out) {
  *out = preset_code(p);
  int has_form = strcmp(out->method, "descriptor-form") == 0;
  int has_none = hn_combination_is_built("cartesian", has_form ? "descriptor" : out->method,
                                         out->formula, "none", NULL);
  if (has_form && variant > 0) out->method = "descriptor";
  if (variant == 1) out->independent = "none";
  if (variant == 2) out->independent = "tangent-plane";
  if (variant == 3) out->coordinates = "relative";
  if (variant == 3 && has_none) out->independent = "none";
  return variant != 1 || has_none;
}

static const char pendulum[] = "models/negrut/double-pendulum.yaml";
static const char vehicle[] = "models/negrut/hmmwv14-stiff.yaml";

// ---- runs ---------------------------------------------------------------------------------------

static hn_simulation *start(const hn_model *model, const code *p, double tol, int threads) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error;
  options.tol = tol;
  options.coordinates = p->coordinates;
  options.method = p->method;
  options.formula = p->formula;
  options.independent = p->independent;
  options.threads = threads;
  if (hn_simulation_create(model, &options, &simulation, &error) != HN_OK)
    hn_bench_complain(&error);
  return simulation;
}

static int advance(hn_simulation *simulation, double time) {
  if (hn_simulation_advance(simulation, time) == HN_OK) return 0;
  return hn_bench_complain(hn_simulation_error(simulation));
}

// note: the preset's name, or the code it is compared with.
static hn_bench_row row_of(const hn_certificate *c, const char *machine, const code *p) {
  static char note[64];
  int is_own =
      !c->preset || strcmp(c->preset, p->beside) != 0; // SspTrap in relative ones is TPL+TR
  snprintf(note, sizeof note, "%s%s", is_own ? "ours, beside " : "", p->beside);
  return (hn_bench_row){.machine = machine,
                        .program = "holon",
                        .coordinates = c->coordinates,
                        .method = c->method,
                        .formula = c->formula,
                        .cpu_s = c->cpu_seconds,
                        .steps = c->steps_accepted,
                        .note = note};
}

// ---- accuracy -----------------------------------------------------------------------------------

enum { SAMPLES = 201 }; // over 2 s
static const double sample_step = 0.01;

typedef struct track {
  double angle[SAMPLES], rate[SAMPLES];
} track;

// Samples lie inside steps (dense output), so that they do not cut the steps.
static int follow(hn_simulation *simulation, track *out) {
  int angle = hn_simulation_find_signal(simulation, "theta1");
  int rate = hn_simulation_find_signal(simulation, "omega1");
  for (int k = 0; k < SAMPLES;) {
    double end = (SAMPLES - 1) * sample_step;
    if (k > 0 && hn_simulation_step(simulation, end) != HN_OK)
      return hn_bench_complain(hn_simulation_error(simulation));
    for (; k < SAMPLES; k++) {
      double time = k == SAMPLES - 1 ? end : k * sample_step;
      if (time > hn_simulation_time(simulation)) break;
      if (hn_simulation_look_at(simulation, time) != HN_OK)
        return hn_bench_complain(hn_simulation_error(simulation));
      out->angle[k] = hn_simulation_signal(simulation, angle);
      out->rate[k] = hn_simulation_signal(simulation, rate);
    }
  }
  return 0;
}

static void errors(const double *values, const double *exact, double *most, double *mean) {
  *most = *mean = 0;
  for (int k = 0; k < SAMPLES; k++) {
    double e = fabs(values[k] - exact[k]);
    if (!(e <= *most)) *most = e;
    *mean += e / SAMPLES;
  }
}

// The thesis' largest errors of position and velocity, tables 20 and 22 (ForSDIRK), 21 and 23
// (ForRosen).
static const double thesis_sdirk[2][TOLERANCES] = {
    {0.032796853043, 0.003786644530, 0.000754569135, 0.000170608670},
    {0.228908866004, 0.031312203070, 0.006406931668, 0.001485443259}};
static const double thesis_rosen[2][TOLERANCES] = {
    {0.005223114419, 0.000419882301, 0.000049169233, 0.000019027152},
    {0.040612124932, 0.003792150415, 0.000865201346, 0.000234309801}};

// 0: not in the thesis.
static double thesis_error(const code *p, int rate, int tolerance) {
  if (strcmp(p->beside, "ForSDIRK") == 0) return thesis_sdirk[rate][tolerance];
  if (strcmp(p->beside, "ForRosen") == 0) return thesis_rosen[rate][tolerance];
  return 0;
}

static int accuracy_of(const hn_model *model, const code *p, int tolerance, const track *exact) {
  hn_simulation *simulation = start(model, p, tolerances[tolerance], 0);
  static track found;
  int failed = !simulation || follow(simulation, &found);
  if (!failed) {
    static const char *const quantities[2] = {"angle of body 1, rad", "rate of body 1, rad/s"};
    const double *values[2] = {found.angle, found.rate}, *right[2] = {exact->angle, exact->rate};
    hn_certificate c = hn_simulation_certificate(simulation);
    for (int k = 0; k < 2; k++) {
      double most, mean, theirs = thesis_error(p, k, tolerance);
      errors(values[k], right[k], &most, &mean);
      hn_bench_row row = row_of(&c, "stiff double pendulum", p);
      char setting[32];
      row.setting = hn_bench_setting(setting, sizeof setting, "tol", tolerances[tolerance]);
      row.quantity = quantities[k];
      row.error = most;
      row.ratio = theirs > 0 ? most / theirs : 0;
      row.to = theirs > 0 ? "error in the thesis" : NULL;
      hn_bench_print(&row, "%s,%.3g,%ld,%ld,%ld", p->independent, mean, c.steps_rejected,
                     c.newton_iterations, c.factorizations);
    }
  }
  hn_simulation_free(simulation);
  return failed;
}

static int accuracy(const hn_model *model) {
  static track exact;
  const code reference = {"reference", "cartesian", "first-order", "dopri5", "none"};
  hn_simulation *simulation = start(model, &reference, 1e-11, 0);
  int failed = !simulation || follow(simulation, &exact);
  hn_simulation_free(simulation);
  if (failed) return 1;
  hn_bench_begin("negrut-accuracy", "independent,mean_error,rejected,iterations,factorizations");
  code c;
  for (int p = 0; p < PRESETS; p++)
    for (int v = 0; v < VARIANTS; v++)
      for (int t = 0; t < TOLERANCES && find_variant(p, v, &c); t++)
        failed |= accuracy_of(model, &c, t, &exact);
  return failed;
}

// ---- timing -------------------------------------------------------------------------------------

// CPU seconds on an SGI Onyx, by tolerance 1e-2 ... 1e-5 and 1 ... 4 s.
static const double thesis_explicit[SECONDS][TOLERANCES] = {{3618, 3641, 3667, 3663},
                                                            {7276, 7348, 7287, 7276},
                                                            {10865, 11122, 10949, 10965},
                                                            {14480, 14771, 14630, 14592}};
static const double thesis_implicit[PRESETS][SECONDS][TOLERANCES] = {
    {{42, 54, 122, 312}, {79, 140, 330, 849}, {92, 168, 400, 1053}, {98, 179, 424, 1095}},
    {{42, 61, 158, 463}, {79, 155, 420, 1198}, {92, 189, 524, 1521}, {100, 206, 552, 1568}},
    {{33, 52, 90, 170}, {69, 124, 218, 433}, {81, 150, 248, 493}, {84, 155, 256, 500}},
    {{10.1, 21, 33, 57}, {25.3, 49, 78, 139}, {29.5, 58, 92, 166}, {30, 61, 94, 184}},
    {{5.6, 13.2, 40.7, 172}, {12.6, 32.6, 95, 405}, {13, 36.3, 105, 422}, {13.3, 37, 106, 428}}};

typedef struct baseline {
  double cpu[SECONDS];    // of the explicit run, up to each second
  double height[SECONDS]; // of the chassis then
} baseline;

static const char height_signal[] = "body.chassis.position.z";

// The explicit step is limited by stability, not by accuracy: one run represents all tolerances.
static int measure_explicit(const hn_model *model, baseline *out) {
  const code p = {"explicit", "cartesian", "first-order", "dopri5", "none"};
  hn_simulation *simulation = start(model, &p, 1e-3, 0);
  int failed = !simulation;
  for (int s = 0; s < SECONDS && !failed; s++) {
    failed = advance(simulation, s + 1);
    out->cpu[s] = hn_simulation_certificate(simulation).cpu_seconds;
    hn_simulation_value(simulation, height_signal, &out->height[s]);
    hn_certificate c = hn_simulation_certificate(simulation);
    hn_bench_row row = row_of(&c, "HMMWV14 with bushings", &p);
    row.setting = "tol=0.001";
    row.note = "explicit";
    hn_bench_print(&row, "none,%d,1,%ld,,%ld,%ld", s + 1, c.steps_rejected, c.evaluations,
                   c.factorizations);
  }
  hn_simulation_free(simulation);
  return failed;
}

static int time_one(const hn_model *model, int p, const code *way, int threads, int seconds,
                    int tolerance, const baseline *base) {
  enum { RUNS = 3 };
  double least = HUGE_VAL, height = 0;
  hn_certificate c = {0};
  for (int k = 0; k < RUNS; k++) {
    hn_simulation *simulation = start(model, way, tolerances[tolerance], threads);
    int failed = !simulation || advance(simulation, seconds);
    if (!failed) c = hn_simulation_certificate(simulation);
    if (!failed) hn_simulation_value(simulation, height_signal, &height);
    hn_simulation_free(simulation);
    if (failed) return 1;
    least = fmin(least, c.cpu_seconds);
  }
  char setting[32];
  hn_bench_row row = row_of(&c, "HMMWV14 with bushings", way);
  row.cpu_s = least;
  row.setting = hn_bench_setting(setting, sizeof setting, "tol", tolerances[tolerance]);
  row.quantity = "height of the chassis at the end, m, to dopri5 at 1e-3";
  row.error = fabs(height - base->height[seconds - 1]);
  row.ratio = base->cpu[seconds - 1] / least;
  row.to = "dopri5";
  row.paper_ratio =
      thesis_explicit[seconds - 1][tolerance] / thesis_implicit[p][seconds - 1][tolerance];
  hn_bench_print(&row, "%s,%d,%d,%ld,%ld,%ld,%ld", way->independent, seconds, threads,
                 c.steps_rejected, c.newton_iterations, c.evaluations, c.factorizations);
  return 0;
}

static int timing(const hn_model *model) {
  static baseline base;
  hn_bench_begin("negrut-timing",
                 "independent,simulated_s,threads,rejected,iterations,evaluations,factorizations");
  int failed = measure_explicit(model, &base);
  code c;
  for (int p = 0; p < PRESETS && !failed; p++)
    for (int v = 0; v < VARIANTS; v++) {
      if (!find_variant(p, v, &c)) continue;
      int is_short = v > 0 || hn_bench_is_quick();
      for (int s = is_short ? SECONDS : 1; s <= SECONDS; s++)
        for (int t = 0; t < TOLERANCES; t++) failed |= time_one(model, p, &c, 1, s, t, &base);
      if (v == 0) failed |= time_one(model, p, &c, 2, SECONDS, 1, &base);
    }
  return failed;
}

// ---- coordinates --------------------------------------------------------------------------------

enum { SETS = 2, ROUNDS = 5, MARKS = 40 };
static const char *const sets[SETS] = {"cartesian", "relative"};
static const double mark_step = 0.05;

// One run of MARKS marks; heights of the chassis there. Returns the certificate's CPU seconds, or -1.
static double run_marks(const hn_model *model, const code *p, const char *set, double tol,
                        double height[MARKS], hn_certificate *certificate) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error;
  options.tol = tol;
  options.coordinates = set;
  options.method = p->method;
  options.formula = p->formula;
  options.independent = p->independent;
  if (hn_simulation_create(model, &options, &simulation, &error) != HN_OK) {
    hn_bench_complain(&error);
    return -1;
  }
  int signal = hn_simulation_find_signal(simulation, height_signal), failed = 0;
  for (int k = 0; k < MARKS && !failed;) {
    failed = hn_simulation_step(simulation, MARKS * mark_step) != HN_OK;
    for (; k < MARKS && !failed; k++) {
      double time = k == MARKS - 1 ? MARKS * mark_step : (k + 1) * mark_step;
      if (time > hn_simulation_time(simulation)) break;
      failed = hn_simulation_look_at(simulation, time) != HN_OK;
      height[k] = hn_simulation_signal(simulation, signal);
    }
  }
  if (failed) hn_bench_complain(hn_simulation_error(simulation));
  *certificate = hn_simulation_certificate(simulation);
  hn_simulation_free(simulation);
  return failed ? -1 : certificate->cpu_seconds;
}

static int compare_sets(const hn_model *model, const code *p, double tol, const double *exact) {
  double least[SETS] = {0}, most[SETS] = {0}, height[MARKS];
  hn_certificate c[SETS];
  for (int round = 0; round < ROUNDS; round++)
    for (int s = 0; s < SETS; s++) {
      double seconds = run_marks(model, p, sets[s], tol, height, &c[s]);
      if (seconds < 0) return 1;
      if (round == 0 || seconds < least[s]) least[s] = seconds;
      most[s] = 0;
      for (int k = 0; k < MARKS; k++) most[s] = fmax(most[s], fabs(height[k] - exact[k]));
    }
  for (int s = 0; s < SETS; s++) {
    char setting[32];
    hn_bench_row row = row_of(&c[s], "HMMWV14 with bushings", p);
    row.setting = hn_bench_setting(setting, sizeof setting, "tol", tol);
    row.quantity = "height of the chassis, m, to dopri5 at 1e-8";
    row.error = most[s];
    row.cpu_s = least[s];
    row.ratio = s ? least[0] / least[s] : 0;
    row.to = s ? "cartesian" : NULL;
    hn_bench_print(&row, "%ld,%ld,%ld,%ld", c[s].steps_rejected, c[s].newton_iterations,
                   c[s].evaluations, c[s].factorizations);
  }
  return 0;
}

static int coordinates(const hn_model *model) {
  const code reference = {"reference", "cartesian", "first-order", "dopri5", "none"};
  code way;
  double exact[MARKS];
  hn_certificate c;
  if (run_marks(model, &reference, "relative", 1e-8, exact, &c) < 0) return 1;
  hn_bench_begin("negrut-coordinates", "rejected,iterations,evaluations,factorizations");
  int failed = 0;
  for (int p = 0; p < PRESETS; p++) {
    if (!find_variant(p, 1, &way)) find_variant(p, 0, &way);
    for (int t = 0; t < TOLERANCES; t++) failed |= compare_sets(model, &way, tolerances[t], exact);
  }
  return failed;
}

// ---- histories ----------------------------------------------------------------------------------

static int history(const hn_model *model) {
  const double end = 30;
  int failed = 0;
  hn_bench_begin("negrut-history", "independent,time_s,step_s,iterations,height_m");
  for (int p = 0; p < PRESETS; p++) {
    code way = preset_code(p);
    hn_simulation *simulation = start(model, &way, 1e-3, 0);
    long before = 0;
    failed |= !simulation;
    while (simulation && hn_simulation_time(simulation) < end) {
      if (hn_simulation_step(simulation, end) != HN_OK) {
        failed |= hn_bench_complain(hn_simulation_error(simulation));
        break;
      }
      hn_certificate taken = hn_simulation_certificate(simulation);
      hn_bench_row row = row_of(&taken, "HMMWV14 with bushings", &way);
      double height = 0;
      hn_simulation_value(simulation, height_signal, &height);
      row.setting = "tol=0.001";
      hn_bench_print(&row, "%s,%.6f,%.6g,%ld,%.6f", way.independent, hn_simulation_time(simulation),
                     hn_simulation_last_step(simulation), taken.newton_iterations - before, height);
      before = taken.newton_iterations;
    }
    hn_simulation_free(simulation);
  }
  return failed;
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "accuracy";
  int (*run)(const hn_model *) = NULL;
  if (strcmp(what, "accuracy") == 0) run = accuracy;
  if (strcmp(what, "timing") == 0) run = timing;
  if (strcmp(what, "coordinates") == 0) run = coordinates;
  if (strcmp(what, "history") == 0) run = history;
  if (!run) {
    fprintf(stderr, "usage: negrut accuracy|timing|coordinates|history\n");
    return 2;
  }
  hn_model *model = NULL;
  hn_error error;
  if (hn_model_load(run == accuracy ? pendulum : vehicle, NULL, &model, &error) != HN_OK)
    return hn_bench_complain(&error);
  int failed = run(model);
  hn_model_free(model);
  return failed;
}
