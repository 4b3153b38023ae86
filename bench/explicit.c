// Cost and accuracy of the explicit formulas: evaluations of accelerations, and the error at the
// end of the run against references that do not come from this engine: exact solutions (A01, A02),
// the energy integral (Andrews' mechanism), null-space integration (A04), the reduced equations of
// the double pendulum by extrapolation.
// usage: explicit [FOLDER-OF-MODELS]        CSV on stdout
#include <math.h>
#include <stdio.h>

#include "common/table.h"
#include "common/timing.h"

typedef struct machine {
  const char *name, *model, *setting;
  double time;
  struct {
    const char *output;
    double value;
  } expected[3];
} machine;

static const machine machines[] = {
    {"andrews",
     "andrews-ivp.yaml",
     NULL,
     0.03,
     {{"beta", 15.8107711951537},
      {"gamma", 0.040822240119645804858},
      {"epsilon", 1.0480807410419378731}}},
    {"a03",
     "iftomm/a03.yaml",
     NULL,
     0.05,
     {{"beta", 33.815340721360173777},
      {"F.x", -0.00515898525018867},
      {"F.y", 0.00473126528407949}}},
    {"double-pendulum",
     "cardenal/double-pendulum.yaml",
     NULL,
     5,
     {{"tip.x", 1.8552219377580891}, {"tip.y", -0.73956793254679585}}},
    {"a01", "iftomm/a01.yaml", NULL, 10, {{"x", -0.275087462576117}, {"y", -0.961419205099125}}},
    {"four-bar (a02, N = 2)",
     "iftomm/a02.yaml",
     NULL,
     10,
     {{"B0.x", 0.328458111540815}, {"B0.y", 0.944518538178601}}},
    {"a04",
     "iftomm/a04.yaml",
     NULL,
     10,
     {{"P.x", 0.999730987304}, {"P.y", -0.999999963826}, {"P.z", -0.000268976512}}},
};

static double error_at_end(const machine *m, hn_simulation *simulation) {
  double worst = 0;
  for (int k = 0; k < 3 && m->expected[k].output; k++) {
    double value = NAN;
    if (hn_simulation_value(simulation, m->expected[k].output, &value) != HN_OK) return NAN;
    double error = fabs(value - m->expected[k].value);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

static int measure(const machine *m, const char *folder, const char *formula, double tol) {
  char path[1024];
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_load_options load = hn_default_load_options();
  options.tol = tol;
  options.method = "first-order";
  options.formula = formula;
  load.settings = &m->setting;
  load.setting_count = m->setting != NULL;
  snprintf(path, sizeof path, "%s/%s", folder, m->model);
  hn_status status = hn_model_load(path, &load, &model, &error);
  if (status == HN_OK) status = hn_simulation_create(model, &options, &simulation, &error);
  if (status == HN_OK && (status = hn_simulation_advance(simulation, m->time)) != HN_OK)
    error = *hn_simulation_error(simulation);
  if (status == HN_OK) {
    hn_certificate c = hn_simulation_certificate(simulation);
    char setting[32];
    hn_bench_row row = {.machine = m->name,
                        .program = "holon",
                        .coordinates = c.coordinates,
                        .method = "first-order",
                        .formula = formula,
                        .setting = hn_bench_setting(setting, sizeof setting, "tol", tol),
                        .quantity = "outputs at the end, reference from elsewhere",
                        .error = error_at_end(m, simulation),
                        .cpu_s = c.cpu_seconds,
                        .steps = c.steps_accepted};
    hn_bench_print(&row, "%ld,%ld,%.2e", c.steps_rejected, c.evaluations, c.energy_relative);
  } else {
    hn_bench_complain(&error);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
  return status != HN_OK;
}

int main(int count, char **arguments) {
  static const double tolerances[] = {1e-4, 1e-6, 1e-8, 1e-10};
  static const char *const formulas[] = {"dopri5", "adams"};
  const char *folder = count > 1 ? arguments[1] : "models";
  int failed = 0;
  hn_bench_begin("explicit", "rejected,evaluations,energy_relative");
  for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
    for (int t = 0; t < 4; t++)
      for (int f = 0; f < 2; f++)
        failed |= measure(&machines[m], folder, formulas[f], tolerances[t]);
  return failed;
}
