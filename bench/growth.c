// How cost grows with the size of a model: chains of N bars (a tree) and rows of N parallelogram
// four-bars (loops, redundant). One line each: seconds to create (assembly included), microseconds
// a body for one evaluation of accelerations, averaged over fixed steps of dopri5 (six evaluations
// and a projection a step); then the same for an implicit method in relative coordinates. CSV on
// stdout; `make bench` keeps it under bench/results.
#include <stdio.h>
#include <stdlib.h>

#include "common/table.h"
#include "common/timing.h"

static void stop_on(hn_status status, const char *message) {
  if (status == HN_OK) return;
  fprintf(stderr, "growth: %s (%s)\n", message, hn_status_text(status));
  exit(1);
}

static int add_bar(hn_model *model, const char *kind, int i, hn_vec3 center, int along_x) {
  char name[32];
  hn_body_def def = hn_default_body();
  int id = 0;
  snprintf(name, sizeof name, "%s%d", kind, i);
  def.name = name;
  for (int k = 0; k < 6; k++) def.inertia[k] = 0;
  def.inertia[0] = along_x ? 1e-3 : 1.0 / 12;
  def.inertia[1] = along_x ? 1.0 / 12 : 1e-3;
  def.inertia[2] = 1.0 / 12;
  def.position = center;
  stop_on(hn_model_add_body(model, &def, &id), hn_model_error(model)->message);
  return id;
}

static void add_pin(hn_model *model, int index, int body1, int body2, hn_vec3 at) {
  char name[32];
  hn_joint_def def = hn_default_joint(HN_JOINT_REVOLUTE);
  hn_vec3 z = {0, 0, 1};
  snprintf(name, sizeof name, "pin%d", index);
  def.name = name;
  def.frame1 = hn_model_frame(model, body1, at, z);
  def.frame2 = hn_model_frame(model, body2, at, z);
  stop_on(hn_model_add_joint(model, &def, NULL), hn_model_error(model)->message);
}

static void make_chain(hn_model *model, int n) {
  for (int i = 0; i < n; i++) {
    int id = add_bar(model, "bar", i, (hn_vec3){i + 0.5, 0, 0}, 1);
    add_pin(model, i, id - 1, id, (hn_vec3){i, 0, 0});
  }
}

static void make_four_bars(hn_model *model, int n) {
  for (int i = 0; i <= n; i++) {
    add_bar(model, "crank", i, (hn_vec3){i, 0.5, 0}, 0);
    add_pin(model, i, HN_GROUND, i + 1, (hn_vec3){i, 0, 0});
  }
  for (int i = 0; i < n; i++) {
    int id = add_bar(model, "coupler", i, (hn_vec3){i + 0.5, 1, 0}, 1);
    add_pin(model, n + 1 + 2 * i, i + 1, id, (hn_vec3){i, 1, 0});
    add_pin(model, n + 2 + 2 * i, id, i + 2, (hn_vec3){i + 1, 1, 0});
  }
}

static void measure(const char *name, void (*make)(hn_model *, int), int n, int is_implicit) {
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  double begin = hn_bench_cpu();
  stop_on(hn_model_create(NULL, &model), "out of memory");
  hn_model_set_gravity(model, (hn_vec3){0, -9.81, 0});
  make(model, n);
  stop_on(hn_model_finish(model), hn_model_error(model)->message);
  options.step = 1e-5;
  if (is_implicit) {
    options.coordinates = "relative";
    options.method = "descriptor";
    options.formula = "trapezoidal";
  }
  stop_on(hn_simulation_create(model, &options, &simulation, &error), error.message);
  double create = (hn_bench_cpu() - begin);
  long before = hn_simulation_certificate(simulation).evaluations;
  begin = hn_bench_cpu();
  do {
    for (int k = 0; k < 5; k++)
      stop_on(hn_simulation_step(simulation, 1), hn_simulation_error(simulation)->message);
  } while ((hn_bench_cpu() - begin) < 0.5);
  long evaluations = hn_simulation_certificate(simulation).evaluations - before;
  int bodies = hn_model_body_count(model);
  double each = (hn_bench_cpu() - begin) / (double)evaluations;
  char setting[32];
  hn_certificate c = hn_simulation_certificate(simulation);
  hn_bench_row row = {.machine = name,
                      .program = "holon",
                      .coordinates = c.coordinates,
                      .method = c.method,
                      .formula = c.formula,
                      .setting = hn_bench_setting(setting, sizeof setting, "N", n),
                      .cpu_s = each,
                      .note = "one evaluation, with its share of projection and step"};
  hn_bench_print(&row, "%d,%d,%.4f,%.4f", bodies, hn_simulation_multiplier_count(simulation),
                 create, 1e6 * each / bodies);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  hn_bench_begin("growth", "bodies,rows,create_s,us_per_body");
  int most = hn_bench_is_quick() ? 1000 : 100000;
  for (int n = 10; n <= most; n *= 10) measure("chain", make_chain, n, 0);
  for (int n = 4; n <= 256; n *= 4) measure("four-bars", make_four_bars, n, 0);
  for (int n = 10; n <= most / 10; n *= 10) measure("chain", make_chain, n, 1);
  for (int n = 4; n <= 256; n *= 4) measure("four-bars", make_four_bars, n, 1);
  return 0;
}
