// Method components on a tree of three levels (models/components/tree.yaml): how the time of a step
// grows with the number of bodies, and what a second thread gains; last the exponent of growth (in the
// column of errors). Wall time, the best of several rounds. Run from the project's folder.
#include <math.h>
#include <stdio.h>

#include "common/table.h"
#include "common/timing.h"

// Seconds a step, the best of rounds of a few steps.
static double measure(int beams, int chains, int links, int threads, int *bodies) {
  char text[3][32];
  const char *settings[3] = {text[0], text[1], text[2]};
  snprintf(text[0], sizeof text[0], "beams=%d", beams);
  snprintf(text[1], sizeof text[1], "chains=%d", chains);
  snprintf(text[2], sizeof text[2], "links=%d", links);
  hn_load_options load = hn_default_load_options();
  load.settings = settings;
  load.setting_count = 3;
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.formula = "dopri5";
  options.step = 1e-4;
  options.threads = threads;
  hn_bench_must(hn_model_load("models/components/tree.yaml", &load, &model, &error), &error);
  hn_bench_must(hn_simulation_create(model, &options, &simulation, &error), &error);
  double best = HUGE_VAL;
  for (int round = 0; round < 6; round++) {
    double begin = hn_bench_wall();
    for (int k = 0; k < 3; k++)
      hn_bench_must(hn_simulation_step(simulation, 1), hn_simulation_error(simulation));
    best = fmin(best, (hn_bench_wall() - begin) / 3);
  }
  *bodies = hn_model_body_count(model);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return best;
}

static void print(const int *size, int bodies, int threads, double seconds, double one_thread) {
  char machine[64], setting[32];
  snprintf(machine, sizeof machine, "tree of %d beams, %d chains, %d links", size[0], size[1],
           size[2]);
  hn_bench_row row = {.machine = machine,
                      .program = "holon",
                      .method = "components",
                      .formula = "dopri5",
                      .setting = hn_bench_setting(setting, sizeof setting, "threads", threads),
                      .cpu_s = seconds,
                      .steps = 1,
                      .ratio = threads > 1 ? one_thread / seconds : 0,
                      .to = threads > 1 ? "one thread" : NULL,
                      .note = "wall time of a step"};
  hn_bench_print(&row, "%d,%.3f", bodies, 1e6 * seconds / bodies);
}

int main(void) {
  static const int sizes[][3] = {{10, 10, 10}, {14, 14, 15}, {21, 21, 22}};
  double seconds[3][2];
  int bodies[3] = {0};
  hn_bench_begin("components", "bodies,us_per_body");
  for (int k = 0; k < 3; k++)
    for (int t = 1; t <= 2; t++) {
      const int *s = sizes[k];
      seconds[k][t - 1] = measure(s[0], s[1], s[2], t, &bodies[k]);
      print(s, bodies[k], t, seconds[k][t - 1], seconds[k][0]);
    }
  hn_bench_row row = {.machine = "tree",
                      .program = "holon",
                      .method = "components",
                      .quantity = "exponent of growth, 1000 to 10,000 bodies",
                      .error =
                          log(seconds[2][0] / seconds[0][0]) / log((double)bodies[2] / bodies[0])};
  hn_bench_print(&row, ",");
  return 0;
}
