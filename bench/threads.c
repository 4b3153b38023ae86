// Gain by a second thread: wall time of steps on one thread and on two, where there is work for it
// (large trees, fleets, components; Negrut 1998, section 3.4.3.4 and appendix A), and on models
// that are shipped, where it must not cost. The two take turns, some milliseconds each, and the
// least of many turns counts. The states they end in must be the same to the last bit.
//
//   threads              models of more than 500 bodies
//   threads MODEL...     these, as `holon run` would, with the time their file suggests
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

typedef struct work {
  const char *machine, *path;
  const char *settings[3]; // of parameters, to null
  const char *coordinates, *method, *formula, *independent;
  double step; // s; 0: by the tolerance
} work;

static const work large[] = {
    {"tree of 601 bodies",
     "bench/models/arms.yaml",
     {"links=30"},
     "relative",
     "first-order",
     "rosenbrock",
     "partition",
     1e-3},
    {"40 HMMWVs",
     "bench/models/hmmwv-fleet.yaml",
     {"cars=40"},
     "relative",
     "first-order",
     "rosenbrock",
     "partition",
     1e-3},
    {"tree of 4001 bodies",
     "bench/models/arms.yaml",
     {"arms=80"},
     "relative",
     "first-order",
     "dopri5",
     "auto",
     1e-4},
    {"tree of 1001 bodies",
     "bench/models/arms.yaml",
     {NULL},
     "relative",
     "first-order",
     "dopri5",
     "auto",
     1e-4},
    {"60 cars",
     "bench/models/car-fleet.yaml",
     {"cars=60"},
     "auto",
     "components",
     "dopri5",
     "auto",
     1e-4},
    {"tree of 1011 bodies in three levels",
     "models/components/tree.yaml",
     {"beams=10", "chains=10", "links=10"},
     "auto",
     "components",
     "dopri5",
     "auto",
     1e-4},
    {"tree of 1001 bodies",
     "bench/models/arms.yaml",
     {NULL},
     "cartesian",
     "first-order",
     "dopri5",
     "auto",
     1e-4},
    {"40 HMMWVs",
     "bench/models/hmmwv-fleet.yaml",
     {"cars=40"},
     "relative",
     "first-order",
     "dopri5",
     "auto",
     1e-4},
    {"40 HMMWVs",
     "bench/models/hmmwv-fleet.yaml",
     {"cars=40"},
     "cartesian",
     "first-order",
     "dopri5",
     "auto",
     1e-4},
};

enum { TURNS = 24, FEW = 5, MOST_STEPS = 100000 };
static const double turn_time = 0.02, run_time = 0.2; // s, of one thread

static hn_model *load(const work *w) {
  hn_load_options load = hn_default_load_options();
  hn_model *model = NULL;
  hn_error error = {0};
  load.settings = w->settings;
  while (load.setting_count < 3 && w->settings[load.setting_count]) load.setting_count++;
  hn_bench_must(hn_model_load(w->path, &load, &model, &error), &error);
  return model;
}

static hn_simulation *open_simulation(const work *w, const hn_model *model, int threads) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = w->coordinates;
  options.method = w->method;
  options.formula = w->formula;
  options.independent = w->independent;
  options.step = w->step;
  options.threads = threads;
  hn_bench_must(hn_simulation_create(model, &options, &simulation, &error), &error);
  return simulation;
}

// Wall seconds of so many steps, up to this time.
static double take_steps(hn_simulation *simulation, int steps, double end) {
  double begin = hn_bench_wall();
  for (int k = 0; k < steps && hn_simulation_time(simulation) < end; k++)
    hn_bench_must(hn_simulation_step(simulation, end), hn_simulation_error(simulation));
  return hn_bench_wall() - begin;
}

static void print(const work *w, const hn_model *model, const hn_certificate *c,
                  const double least[2], long steps, int alike, const char *what) {
  char note[96];
  snprintf(note, sizeof note, "wall time of %s; %s", what, alike ? "same bits" : "OTHER BITS");
  for (int t = 0; t < 2; t++) {
    char setting[32];
    hn_bench_row row = {.machine = w->machine,
                        .program = "holon",
                        .coordinates = c->coordinates,
                        .method = c->method,
                        .formula = c->formula,
                        .setting = hn_bench_setting(setting, sizeof setting, "threads", t + 1),
                        .cpu_s = least[t],
                        .steps = steps,
                        .ratio = t ? least[0] / least[1] : 0,
                        .to = t ? "one thread" : NULL,
                        .note = note};
    hn_bench_print(&row, "%d,%d", hn_model_body_count(model), alike);
  }
}

// Alternates between both, with steps from their start states.
static void compare_steps(const work *w, int turns) {
  hn_model *model = load(w);
  hn_simulation *run[2];
  double least[2] = {HUGE_VAL, HUGE_VAL};
  for (int t = 0; t < 2; t++) run[t] = open_simulation(w, model, t + 1);
  double few = take_steps(run[0], FEW, HUGE_VAL);
  take_steps(run[1], FEW, HUGE_VAL);
  int steps = few > 0 ? (int)(FEW * turn_time / few) : FEW;
  steps = steps < FEW ? FEW : steps > MOST_STEPS ? MOST_STEPS : steps;
  for (int turn = 0; turn < turns; turn++)
    for (int t = 0; t < 2; t++)
      least[t] = fmin(least[t], take_steps(run[t], steps, HUGE_VAL) / steps);
  hn_certificate c = hn_simulation_certificate(run[1]);
  int alike = hn_simulation_state_hash(run[0]) == hn_simulation_state_hash(run[1]);
  print(w, model, &c, least, FEW + (long)turns * steps, alike, "a step");
  for (int t = 0; t < 2; t++) hn_simulation_free(run[t]);
  hn_model_free(model);
}

// Whole runs, again and again, each for a moment at most.
static void compare_runs(const work *w, int turns) {
  hn_model *model = load(w);
  double end = hn_model_defaults(model)->time > 0 ? hn_model_defaults(model)->time : 1;
  double least[2] = {HUGE_VAL, HUGE_VAL};
  unsigned long long hash[2] = {0, 0};
  long steps = MOST_STEPS;
  hn_certificate c = {0};
  for (int turn = 0; turn < turns; turn++)
    for (int t = 0; t < 2; t++) {
      hn_simulation *run = open_simulation(w, model, t + 1);
      double seconds = take_steps(run, (int)steps, end);
      c = hn_simulation_certificate(run);
      if (turn == 0 && t == 0 && seconds > run_time) // the first is cut short too late
        steps = (long)(run_time / seconds * (double)c.steps_accepted) + 1;
      else
        least[t] = fmin(least[t], seconds);
      hash[t] = hn_simulation_state_hash(run);
      hn_simulation_free(run);
    }
  print(w, model, &c, least, c.steps_accepted, hash[0] == hash[1], "the run");
  hn_model_free(model);
}

int main(int count, char **words) {
  int turns = hn_bench_is_quick() ? 6 : TURNS;
  hn_bench_begin("threads", "bodies,same_bits");
  for (int k = 1; k < count; k++) {
    const char *name = strrchr(words[k], '/');
    const work w = {.machine = name ? name + 1 : words[k],
                    .path = words[k],
                    .coordinates = "auto",
                    .method = "auto",
                    .formula = "auto",
                    .independent = "auto"};
    compare_runs(&w, turns);
  }
  for (size_t k = 0; count == 1 && k < sizeof large / sizeof large[0]; k++)
    compare_steps(&large[k], turns);
  return 0;
}
