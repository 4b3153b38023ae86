// Rigid contact in shipped models: how far things that should rest move in 100 s (a stack of ten
// boxes, a block gripped by two fingers), time and residual of a step of 100 spheres that fell into
// a box. CSV on stdout; `make bench` keeps it under bench/results. More spheres, their growth and
// other engines: bench/driver/contacts.py.
//
// The residual is that of the true problem: the largest |p - proj_K(p - rho u~)| over the contacts, u~
// with the term of De Saxce, over the weight of a body in a step.
#include <stdlib.h>

#include "common/table.h"
#include "common/timing.h"
#include "holon/load.h"

static hn_simulation *begin(const char *path, const char *const *settings, int setting_count,
                            double step, hn_model **model) {
  hn_load_options load = hn_default_load_options();
  hn_error error = {0};
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  load.settings = settings;
  load.setting_count = setting_count;
  hn_status status = hn_model_load(path, &load, model, &error);
  options.step = step;
  if (status == HN_OK) status = hn_simulation_create(*model, &options, &simulation, &error);
  if (status == HN_OK) return simulation;
  fprintf(stderr, "contact: %s: %s\n", path, error.message);
  exit(1);
}

// Largest distance of a body from where it was, after 100 s.
static void rest(const char *machine, const char *path, const char *moving, double from) {
  hn_model *model = NULL;
  hn_simulation *s = begin(path, NULL, 0, 0, &model);
  double before = 0, after = 0;
  hn_status status = hn_simulation_advance(s, from);
  if (status == HN_OK) status = hn_simulation_value(s, moving, &before);
  if (status == HN_OK) status = hn_simulation_advance(s, 100);
  if (status == HN_OK) status = hn_simulation_value(s, moving, &after);
  const hn_certificate c = hn_simulation_certificate(s);
  if (status == HN_OK)
    hn_bench_print(&(hn_bench_row){.machine = machine,
                                   .program = "holon",
                                   .method = c.method,
                                   .quantity = "drift in 100 s, m",
                                   .error = fabs(after - before) + 1e-300,
                                   .cpu_s = c.cpu_seconds,
                                   .steps = c.steps_accepted},
                   NULL);
  else
    fprintf(stderr, "contact: %s: %s\n", machine, hn_simulation_error(s)->message);
  hn_simulation_free(s);
  hn_model_free(model);
}

// CPU seconds of a step: while they fall and come to rest, then at rest, warm-started.
static void spheres(int count, double falling, int steps) {
  char setting[32], note[96];
  hn_model *model = NULL;
  snprintf(setting, sizeof setting, "count=%d", count);
  const double h = 2e-3;
  const char *const settings[] = {setting, "restitution=0"}; // as other engines have it
  hn_simulation *s = begin("models/contact/spheres.yaml", settings, 2, h, &model);
  hn_status status = hn_simulation_advance(s, falling);
  const hn_certificate fallen = hn_simulation_certificate(s);
  if (status == HN_OK) status = hn_simulation_advance(s, falling + steps * h);
  const hn_certificate c = hn_simulation_certificate(s);
  if (status != HN_OK) {
    fprintf(stderr, "contact: %d spheres: %s\n", count, hn_simulation_error(s)->message);
    exit(1);
  }
  const double at_rest = (c.cpu_seconds - fallen.cpu_seconds) / steps;
  snprintf(note, sizeof note, "falling: %.3g s a step, penetration %.2g m, unresolved %ld",
           fallen.cpu_seconds / (double)fallen.steps_accepted, c.penetration,
           c.contacts_unresolved);
  hn_bench_print(&(hn_bench_row){.machine = "spheres in a box",
                                 .program = "holon",
                                 .method = c.method,
                                 .setting = setting,
                                 .quantity = "residual",
                                 .error = c.contact_residual,
                                 .cpu_s = at_rest,
                                 .steps = c.steps_accepted,
                                 .note = note},
                 NULL);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  hn_bench_begin("contact", NULL);
  rest("stack of ten boxes", "models/contact/stack.yaml", "top.x", 0.01);
  rest("gripper", "models/contact/gripper.yaml", "slip", 1.5);
  spheres(100, 2, 20);
  return 0;
}
