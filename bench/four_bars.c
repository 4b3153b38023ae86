// IFToMM A02 with N = 40: forty parallelogram four-bars in a row, which are singular twice a turn, over
// 20 s by augmented Lagrangians at fixed steps, against the exact motion in tests/data.
//
//   four_bars [steps in s ...]      20, 10, 5 and 2 ms without any
//
// CSV on stdout; run from the source folder.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/holon.h"

enum { MOST = 4096 };

typedef struct exact {
  int count;
  double t[MOST], x[MOST], y[MOST];
} exact;

static int read_exact(const char *path, exact *e) {
  char line[512];
  FILE *file = fopen(path, "r");
  if (!file || !fgets(line, sizeof line, file)) return 0;
  while (e->count < MOST && fgets(line, sizeof line, file)) {
    char *at = line;
    int k = e->count++;
    e->t[k] = strtod(at, &at);
    e->x[k] = strtod(at + 1, &at);
    e->y[k] = strtod(at + 1, &at);
  }
  fclose(file);
  return e->count > 0;
}

// Largest distance of the first tip to where it should be; HUGE_VAL: the run ended early.
static double run(const hn_model *model, const exact *e, const char *coordinates,
                  const char *method, const char *formula, double step, double *cpu) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error;
  double most = 0, end = e->t[e->count - 1];
  options.coordinates = coordinates;
  options.method = method;
  options.formula = formula;
  options.step = step;
  if (hn_simulation_create(model, &options, &s, &error) != HN_OK) return HUGE_VAL;
  hn_status status = HN_OK;
  for (int k = 0; k < e->count && status == HN_OK; k++) {
    double x = 0, y = 0;
    while (status == HN_OK && hn_simulation_time(s) < e->t[k]) status = hn_simulation_step(s, end);
    if (status == HN_OK) status = hn_simulation_look_at(s, e->t[k]);
    if (status != HN_OK) break;
    hn_simulation_value(s, "B0.x", &x);
    hn_simulation_value(s, "B0.y", &y);
    most = fmax(most, hypot(x - e->x[k], y - e->y[k]));
  }
  *cpu = hn_simulation_certificate(s).cpu_seconds;
  hn_simulation_free(s);
  return status == HN_OK ? most : HUGE_VAL;
}

int main(int argc, char **argv) {
  static const double usual[] = {20e-3, 10e-3, 5e-3, 2e-3};
  static const char *const sets[] = {"relative", "natural", "cartesian"};
  static const struct {
    const char *method, *formula;
  } ways[] = {{"augmented-lagrangian-3", "trapezoidal"}, {"augmented-lagrangian-1", "sdirk2"}};
  static exact e;
  const char *setting = "N=40";
  hn_model *model = NULL;
  hn_error error;
  hn_load_options load = hn_default_load_options();
  load.settings = &setting;
  load.setting_count = 1;
  if (!read_exact("tests/data/a02_nfourbar_N40_20s_exact.csv", &e) ||
      hn_model_load("models/iftomm/a02.yaml", &load, &model, &error) != HN_OK) {
    fprintf(stderr, "four_bars: run it from the source folder\n");
    return 1;
  }
  printf("coordinates,method,formula,step_s,error_m,cpu_s\n");
  int steps = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof usual[0]);
  for (int k = 0; k < steps; k++)
    for (int c = 0; c < 3; c++)
      for (int w = 0; w < 2; w++) {
        double step = argc > 1 ? strtod(argv[k + 1], NULL) : usual[k], cpu = 0;
        double most = run(model, &e, sets[c], ways[w].method, ways[w].formula, step, &cpu);
        printf("%s,%s,%s,%g,%.2e,%.3f\n", sets[c], ways[w].method, ways[w].formula, step, most,
               cpu);
        fflush(stdout);
      }
  hn_model_free(model);
  return 0;
}
