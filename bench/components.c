// Method components on a tree of three levels (models/components/tree.yaml): how the time of a step
// grows with the number of bodies, and what a second thread gains. CSV on stdout, then the exponent of
// growth from 1,000 to 10,000 bodies and the gain of two threads at the largest size; wall time, the best
// of several rounds. Run from the project's folder.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "holon/holon.h"

static double now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop_on(hn_status status, const hn_error *error) {
  if (status == HN_OK) return;
  fprintf(stderr, "components: %s %s\n", error->element, error->message);
  exit(1);
}

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
  options.method = "components";
  options.formula = "dopri5";
  options.step = 1e-4;
  options.threads = threads;
  stop_on(hn_model_load("models/components/tree.yaml", &load, &model, &error), &error);
  stop_on(hn_simulation_create(model, &options, &simulation, &error), &error);
  double best = HUGE_VAL;
  for (int round = 0; round < 6; round++) {
    double begin = now();
    for (int k = 0; k < 3; k++)
      stop_on(hn_simulation_step(simulation, 1), hn_simulation_error(simulation));
    best = fmin(best, (now() - begin) / 3);
  }
  *bodies = hn_model_body_count(model);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return best;
}

int main(void) {
  static const int sizes[][3] = {{10, 10, 10}, {14, 14, 15}, {21, 21, 22}};
  double seconds[3][2];
  int bodies[3] = {0};
  printf("beams,chains,links,bodies,threads,ms_per_step,us_per_body\n");
  for (int k = 0; k < 3; k++)
    for (int t = 1; t <= 2; t++) {
      const int *s = sizes[k];
      seconds[k][t - 1] = measure(s[0], s[1], s[2], t, &bodies[k]);
      printf("%d,%d,%d,%d,%d,%.3f,%.3f\n", s[0], s[1], s[2], bodies[k], t, 1e3 * seconds[k][t - 1],
             1e6 * seconds[k][t - 1] / bodies[k]);
      fflush(stdout);
    }
  printf("exponent,%.3f\n",
         log(seconds[2][0] / seconds[0][0]) / log((double)bodies[2] / bodies[0]));
  printf("gain_of_two_threads,%.2f\n", seconds[2][0] / seconds[2][1]);
  return 0;
}
