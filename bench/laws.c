// Cost of laws of signals: a chain of 20 links with 20 forces that are 0.3 a + 0.02 b (weak: all
// move alike), once of their own x and v and once of a pair of signals, by kind of signal, set of
// coordinates and method. CPU time of a step (fixed, 2 ms), all kinds in turn, the least of many
// turns; ratio: over that of x and v in the same model.
//
//   laws                       CSV on stdout
//   laws PLACE KIND SET METHOD FORMULA STEPS    steps of one, for profilers
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/table.h"
#include "common/timing.h"

// Where the forces act.
typedef struct place {
  const char *name, *force;
} place;

static const place places[] = {
    {"springs to ground",
     "type: spring-damper, repeat: {i: [1, 20]}, bodies: [ground, \"link{i}\"], "
     "points: [[i, 3, 0], [i, 0, 0]]"},
    {"springs between links",
     "type: spring-damper, repeat: {i: [3, 20]}, bodies: [\"link{i-2}\", \"link{i}\"], "
     "points: [[i - 2.5, 0.3, 0], [i - 0.5, 0.4, 0]]"},
    {"springs of joints", "type: joint-spring-damper, repeat: {i: [1, 20]}, joint: \"pin{i}\""},
};

// The signals that laws read, and the case compared with: that of the kind `as`, with forces of x
// and v.
typedef struct kind {
  const char *name, *value, *rate;
  int as;                       // compared with this kind
  const char *forces, *further; // forces: of a place
} kind;

#define OTHERS "  other{i}: {%s, stiffness: 0}\n"
#define STATES                                                                                     \
  "states:\n"                                                                                      \
  "  z{i}: {repeat: {i: [1, 20]}, filter: 0.1, of: \"joint.pin{i}.angle\"}\n"                      \
  "  w{i}: {repeat: {i: [1, 20]}, filter: 0.1, of: \"joint.pin{i}.angle_rate\"}\n"

static const kind kinds[] = {
    {"x and v", "x", "v", 0, "", ""},
    {"joints", "joint.pin{i}.angle", "joint.pin{i}.angle_rate", 0, "", ""},
    {"bodies", "body.link{i}.position.y", "body.link{i}.velocity.y", 0, "", ""},
    {"markers", "marker.link{i}.tip.position.y", "marker.link{i}.tip.velocity.y", 0, "", ""},
    {"turns", "body.link{i}.yaw", "body.link{i}.angular_velocity.z", 0, "", ""},
    {"outputs", "a{i}", "b{i}", 0, "",
     "outputs:\n"
     "  a{i}: {repeat: {i: [1, 20]}, value: \"body.link{i}.position.y\"}\n"
     "  b{i}: {repeat: {i: [1, 20]}, value: \"body.link{i}.velocity.y\"}\n"},
    {"x and v, beside springs", "x", "v", 0, OTHERS, ""},
    {"springs", "force.other{i}.deflection", "force.other{i}.rate", 6, OTHERS, ""},
    {"x and v, beside states", "x", "v", 0, "", STATES},
    {"states", "state.z{i}", "state.w{i}", 8, "", STATES},
};

typedef struct way {
  const char *coordinates, *method, *formula;
} way;

static const way ways[] = {
    {"relative", "first-order", "dopri5"},
    {"cartesian", "first-order", "dopri5"},
    {"natural", "first-order", "dopri5"},
    {"relative", "first-order", "rosenbrock"},
    {"relative", "descriptor", "trapezoidal"},
    {"cartesian", "descriptor", "trapezoidal"},
    {"natural", "descriptor", "trapezoidal"},
    {"cartesian", "state-space", "trapezoidal"},
    {"relative", "augmented-lagrangian-3", "trapezoidal"},
    {"cartesian", "augmented-lagrangian-3", "trapezoidal"},
    {"natural", "augmented-lagrangian-3", "trapezoidal"},
};

enum { COUNT = sizeof kinds / sizeof *kinds, TURNS = 30, FEW = 5, STEPS = 50 };

static void write_forces(char *text, size_t size, const place *p, const kind *k) {
  char other[512] = "";
  if (*k->forces) snprintf(other, sizeof other, OTHERS, p->force);
  snprintf(text, size, "forces:\n%s  law{i}: {%s, law: \"0.3*%s + 0.02*%s\"}\n%s", other, p->force,
           k->value, k->rate, k->further);
}

static hn_model *make(const place *p, const kind *k) {
  static const char chain[] =
      "name: laws\n"
      "gravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  link{i}: {repeat: {i: [1, 20]}, mass: 1, center: [i - 1/2, 0, 0],\n"
      "            inertia: [0.001, 0.1, 0.1], markers: {tip: [i, 0, 0]}}\n"
      "joints:\n"
      "  pin1: {type: revolute, bodies: [ground, link1], at: [0, 0, 0], axis: z}\n"
      "  pin{i}: {type: revolute, repeat: {i: [2, 20]}, bodies: [\"link{i-1}\", \"link{i}\"],\n"
      "           at: [i - 1, 0, 0], axis: z}\n";
  char forces[2048], text[4096];
  hn_model *model = NULL;
  hn_error error = {0};
  write_forces(forces, sizeof forces, p, k);
  int length = snprintf(text, sizeof text, "%s%s", chain, forces);
  hn_bench_must(hn_model_load_text(text, (size_t)length, "laws", NULL, &model, &error), &error);
  return model;
}

static hn_simulation *begin(const hn_model *model, const way *w) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = w->coordinates;
  options.method = w->method;
  options.formula = w->formula;
  options.step = 2e-3;
  hn_bench_must(hn_simulation_create(model, &options, &simulation, &error), &error);
  return simulation;
}

static double take_steps(hn_simulation *simulation, int steps) {
  double from = hn_bench_cpu();
  for (int k = 0; k < steps; k++)
    hn_bench_must(hn_simulation_step(simulation, HUGE_VAL), hn_simulation_error(simulation));
  return hn_bench_cpu() - from;
}

// CPU seconds of a step, after the first few.
static double time_step(const hn_model *model, const way *w) {
  hn_simulation *simulation = begin(model, w);
  take_steps(simulation, FEW);
  double seconds = take_steps(simulation, STEPS);
  hn_simulation_free(simulation);
  return seconds / STEPS;
}

static void compare(const place *p, const way *w, int turns) {
  hn_model *model[COUNT];
  double least[COUNT];
  for (int k = 0; k < COUNT; k++) {
    model[k] = make(p, &kinds[k]);
    least[k] = HUGE_VAL;
  }
  for (int turn = 0; turn < turns; turn++)
    for (int k = 0; k < COUNT; k++) least[k] = fmin(least[k], time_step(model[k], w));
  for (int k = 0; k < COUNT; k++) {
    hn_bench_row row = {.machine = p->name,
                        .program = "holon",
                        .coordinates = w->coordinates,
                        .method = w->method,
                        .formula = w->formula,
                        .setting = kinds[k].name,
                        .cpu_s = least[k],
                        .steps = STEPS,
                        .ratio = k ? least[k] / least[kinds[k].as] : 0,
                        .to = k ? kinds[kinds[k].as].name : NULL,
                        .note = k ? "ratio: CPU time over it" : NULL};
    hn_bench_print(&row, NULL);
    hn_model_free(model[k]);
  }
}

int main(int count, char **words) {
  if (count == 7) {
    const way w = {words[3], words[4], words[5]};
    hn_model *model = make(&places[atoi(words[1])], &kinds[atoi(words[2])]);
    hn_simulation *simulation = begin(model, &w);
    take_steps(simulation, atoi(words[6]));
    hn_simulation_free(simulation);
    hn_model_free(model);
    return 0;
  }
  hn_bench_begin("laws", NULL);
  for (size_t p = 0; p < sizeof places / sizeof *places; p++)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
      compare(&places[p], &ways[w], hn_bench_is_quick() ? 5 : TURNS);
  return 0;
}
