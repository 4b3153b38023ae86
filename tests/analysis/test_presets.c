// Presets are the papers' methods, whole: what each paper chose, by its own text, against what a run
// of its name does. Negrut 1998: ch. 3.1 (generalized coordinate partitioning), 3.2 with 4.1, 3.3 with
// 4.2 and 4.3, 3.4 with 4.4 and 4.5. Dopico 2004, ch. 2: natural, relative and independent relative
// coordinates; mass-damping-stiffness-orthogonal projections of the trapezoidal rule, eqs. 3-4 (mass
// alone) of SDIRK; ch. 6, the two-stage formula. Cardenal 1997: mass-orthogonal projections.
#include <stdio.h>
#include <string.h>

#include "machines/machine.h"

static const hn_preset papers[] = {
    {"SspTrap", "cartesian", "state-space", "trapezoidal", "partition", NULL, "Negrut 1998"},
    {"InflTrap", "cartesian", "descriptor-form", "trapezoidal", "partition", NULL, "Negrut 1998"},
    {"InflSDIRK", "cartesian", "descriptor-form", "sdirk4-16", "partition", NULL, "Negrut 1998"},
    {"ForSDIRK", "cartesian", "first-order", "sdirk4-15", "partition", NULL, "Negrut 1998"},
    {"ForRosen", "cartesian", "first-order", "rosenbrock", "partition", NULL, "Negrut 1998"},
    {"GLB+TR", "natural", "augmented-lagrangian-3", "trapezoidal", "none", "tangent",
     "Dopico 2004"},
    {"TPL+TR", "relative", "state-space", "trapezoidal", "partition", NULL, "Dopico 2004"},
    {"HYB+TR", "relative", "augmented-lagrangian-3", "trapezoidal", "none", "tangent",
     "Dopico 2004"},
    {"GLB+SDIRK", "natural", "augmented-lagrangian-1", "sdirk2", "none", "mass-orthogonal",
     "Dopico 2004"},
    {"TPL+SDIRK", "relative", "first-order", "sdirk2", "partition", NULL, "Dopico 2004"},
    {"HYB+SDIRK", "relative", "augmented-lagrangian-1", "sdirk2", "none", "mass-orthogonal",
     "Dopico 2004"},
    {"multi-index", "natural", "multi-index", "trapezoidal", "none", "mass-orthogonal",
     "Cardenal 1997"},
};
enum { PAPERS = sizeof papers / sizeof papers[0] };

static void presets_say_what_the_papers_say(void **state) {
  (void)state;
  int count = 0;
  while (hn_list_presets(count)) count++;
  assert_int_equal(count, PAPERS);
  for (int k = 0; k < PAPERS; k++) {
    const hn_preset *want = &papers[k];
    hn_preset found;
    print_message("%s\n", want->name);
    assert_true(hn_find_preset(want->name, &found));
    assert_string_equal(found.coordinates, want->coordinates);
    assert_string_equal(found.method, want->method);
    assert_string_equal(found.formula, want->formula);
    assert_string_equal(found.independent, want->independent);
    if (want->projection)
      assert_string_equal(found.projection, want->projection);
    else
      assert_null(found.projection);
    assert_string_equal(found.source, want->source);
  }
  hn_preset none;
  assert_false(hn_find_preset("SspTrapp", &none));
}

// Two loops in space, stiff tyre, one degree of freedom: everything a preset chooses is at work.
static const char suspension[] = "iltis/front-suspension.yaml";

static machine open_preset(const char *name) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_preset p;
  assert_true(hn_find_preset(name, &p));
  options.coordinates = "auto"; // what a preset says goes before what the model suggests
  options.preset = name;
  if (strncmp(p.method, "augmented", 9) == 0)
    options.step = 1e-3;
  else
    options.tol = 1e-4;
  return machine_open_by(suspension, NULL, &options);
}

static void certificates_name_the_preset_and_all_it_chooses(void **state) {
  (void)state;
  for (int k = 0; k < PAPERS; k++) {
    const hn_preset *want = &papers[k];
    machine made = open_preset(want->name);
    machine_advance(&made, 0.05);
    hn_certificate c = hn_simulation_certificate(made.simulation);
    assert_non_null(c.preset);
    assert_string_equal(c.preset, want->name);
    assert_string_equal(c.coordinates, want->coordinates);
    assert_string_equal(c.method, want->method);
    assert_string_equal(c.formula, want->formula);
    assert_string_equal(c.independent, want->independent);
    // the suspension's one degree of freedom is integrated
    if (strcmp(want->independent, "partition") == 0) assert_true(c.selections > 0);
    char text[16384], said[64];
    check_ok(hn_certificate_json(made.simulation, text, sizeof text, NULL));
    snprintf(said, sizeof said, "\"preset\": \"%s\"", want->name);
    assert_non_null(strstr(text, said));
    machine_close(&made);
  }
}

// A changed preset has the changed option, and no paper's name.
static void an_option_beside_a_preset_takes_its_name_away(void **state) {
  (void)state;
  static const struct {
    const char *preset, *method, *formula, *independent, *projection;
    const char *runs_by;
  } cases[] = {
      {"ForSDIRK", "auto", "auto", "none", "auto", "none"},
      {"InflTrap", "descriptor", "auto", "auto", "auto", "partition"},
      {"SspTrap", "auto", "newmark", "auto", "auto", "partition"},
      {"HYB+TR", "auto", "auto", "auto", "mass-orthogonal", "none"},
      {"GLB+TR", "first-order", "dopri5", "auto", "auto", "none"}, // no projection to choose there
      {"ForRosen", "auto", "dopri5", "auto", "auto", "none"},      // takes no partition
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "auto";
    options.preset = cases[k].preset;
    options.method = cases[k].method;
    options.formula = cases[k].formula;
    options.independent = cases[k].independent;
    options.projection = cases[k].projection;
    options.step = 1e-3;
    machine made = machine_open_by(suspension, NULL, &options);
    machine_advance(&made, 0.01);
    hn_certificate c = hn_simulation_certificate(made.simulation);
    print_message("%s with %s, %s, %s, %s\n", cases[k].preset, c.method, c.formula, c.independent,
                  cases[k].projection);
    assert_null(c.preset);
    assert_string_equal(c.independent, cases[k].runs_by);
    machine_close(&made);
  }
}

// U, L and the switching step are the paper's own; other methods reject them.
static void energy_bounds_belong_to_multi_index(void **state) {
  (void)state;
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  machine made = open_preset("multi-index");
  options.coordinates = "auto";
  options.preset = "HYB+TR";
  options.step = 1e-3;
  options.energy_upper = 1e-5;
  check_status(hn_simulation_create(made.model, &options, &s, &error), HN_ERROR_ARGUMENT);
  check_names(error.hint, "multi-index");
  options = hn_default_simulation_options();
  options.coordinates = "auto";
  options.preset = "multi-index";
  options.energy_upper = options.energy_lower = 1e-5;
  check_status(hn_simulation_create(made.model, &options, &s, &error), HN_ERROR_ARGUMENT);
  options.energy_lower = 1e-7;
  options.switch_step = 1e-4;
  check_ok(hn_simulation_create(made.model, &options, &s, &error));
  hn_simulation_free(s);
  machine_close(&made);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(presets_say_what_the_papers_say),
      cmocka_unit_test(certificates_name_the_preset_and_all_it_chooses),
      cmocka_unit_test(an_option_beside_a_preset_takes_its_name_away),
      cmocka_unit_test(energy_bounds_belong_to_multi_index),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
