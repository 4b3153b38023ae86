// Everything that can be chosen runs for a few steps on small models, so that the sanitizers see it:
// coordinates, methods, formulas, linear solvers, joints, forces, roads, contact laws and shapes. Names
// come from the registries: what is added there has to run here. Only errors and findings of the
// sanitizers count; numbers are compared by other tests, in the optimized build.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>

#include "formats/keys.h"
#include "holon/verify.h"
#include "machine.h"

enum { NAMES = 64, STEPS = 10 };
#define STEP 1e-3

// Counts of the names that ran.
typedef struct tally {
  const char *name[NAMES];
  int count;
} tally;

static void mark(tally *t, const char *name) {
  for (int k = 0; k < t->count; k++)
    if (strcmp(t->name[k], name) == 0) return;
  assert_true(t->count < NAMES);
  t->name[t->count++] = name;
}

static void check_marked(const tally *t, const char *what, const char *(*list)(int index)) {
  const char *name;
  for (int k = 0; (name = list(k)); k++) {
    int found = 0;
    for (int i = 0; i < t->count; i++) found += strcmp(t->name[i], name) == 0;
    if (!found) fail_msg("%s '%s' runs on no machine of this test: add one", what, name);
  }
}

static hn_model *load(const char *path) {
  char file[1024];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, NULL, &model, &error)) machine_stop(path, &error);
  return model;
}

// Runs to `end`. Returns 0 if these options and this model do not go together.
static int run(const hn_model *model, const hn_simulation_options *options, double end,
               const char *what) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, options, &s, &error)) return 0;
  if (hn_simulation_advance(s, end)) machine_stop(what, hn_simulation_error(s));
  assert_true(hn_simulation_time(s) >= end * (1 - 1e-9));
  hn_simulation_free(s);
  return 1;
}

static void every_formulation_runs(void **state) {
  (void)state;
  tally coordinates = {0}, methods = {0}, formulas = {0}, independent = {0};
  const char *const paths[] = {"four-bar.yaml", "examples/pendulum.yaml"};
  for (int p = 0; p < 2; p++) {
    hn_model *model = load(paths[p]);
    hn_formulation f;
    for (int k = 0; hn_list_formulation(k, &f); k++) {
      hn_simulation_options options = hn_default_simulation_options();
      char name[160];
      hn_formulation_text(&f, name, sizeof name);
      options.coordinates = f.coordinates;
      options.method = f.method;
      options.formula = f.formula;
      options.independent = f.independent;
      options.step = STEP;
      if (!run(model, &options, STEPS * STEP, name)) {
        options.step = 0; // it chooses its steps
        if (!run(model, &options, STEPS * STEP, name))
          fail_msg("%s: %s is refused", paths[p], name);
      }
      mark(&coordinates, f.coordinates);
      mark(&methods, f.method);
      mark(&formulas, f.formula);
      mark(&independent, f.independent);
    }
    for (int set = 0; set < 2; set++) { // a formula of its own, in two sets
      hn_simulation_options options = hn_default_simulation_options();
      options.coordinates = set == 0 ? "cartesian" : "relative";
      options.method = "time-stepping";
      options.step = STEP;
      assert_true(run(model, &options, STEPS * STEP, options.coordinates));
      mark(&methods, options.method);
    }
    hn_model_free(model);
  }
  check_marked(&coordinates, "coordinates", hn_list_coordinates);
  check_marked(&methods, "method", hn_list_methods);
  check_marked(&formulas, "formula", hn_list_formulas);
  check_marked(&independent, "independent coordinates", hn_list_independent);
}

static void every_linear_solver_runs(void **state) {
  (void)state;
  hn_model *model = load("four-bar.yaml");
  const char *name;
  for (int k = 0; (name = hn_list_linear_solvers(k)); k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    options.method = "first-order";
    options.linear_solver = name;
    if (!run(model, &options, STEPS * STEP, name)) fail_msg("linear solver '%s' is refused", name);
  }
  hn_model_free(model);
}

// In each set of coordinates, by explicit and by implicit steps, which need derivatives. Returns how
// many ran.
static int run_in_all_coordinates(const hn_model *model, const char *what) {
  int count = 0;
  const char *name;
  for (int k = 0; (name = hn_list_coordinates(k)); k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = name;
    options.method = "first-order";
    options.formula = "dopri5";
    count += run(model, &options, STEPS * STEP, what);
    options.formula = "sdirk2";
    options.step = STEP;
    count += run(model, &options, STEPS * STEP, what);
  }
  return count;
}

static void every_element_runs(void **state) {
  (void)state;
  static const char *const joints[] = {
#define NAME(code, name, ...) [code] = name,
      HN_JOINT_LIST(NAME)
#undef NAME
  };
  static const char *const forces[] = {
#define NAME(code, name, ...) [code] = name,
      HN_FORCE_LIST(NAME)
#undef NAME
  };
  int joint_runs[HN_JOINT_TYPES] = {0}, force_runs[HN_FORCE_TYPES] = {0};
  const hn_section *section;
  char path[300] = "examples/law-signals.yaml"; // a law that reads bodies on which it does not act
  for (int k = 0;; k++) {
    hn_model *model = load(path);
    if (!run_in_all_coordinates(model, path)) fail_msg("%s runs in no set of coordinates", path);
    for (int j = 0; j < hn_model_joint_count(model); j++)
      joint_runs[hn_model_joint_type(model, j)]++;
    for (int f = 0; f < hn_model_force_count(model); f++)
      force_runs[hn_model_force_type(model, f)]++;
    hn_model_free(model);
    while ((section = hn_section_at(k)) && !section->variant) k++;
    if (!section) break;
    snprintf(path, sizeof path, "examples/%s-%s.yaml", section->name, section->variant);
  }
  for (int k = 0; k < HN_JOINT_TYPES; k++)
    if (!joint_runs[k]) fail_msg("joint '%s' is in no example that runs", joints[k]);
  for (int k = 0; k < HN_FORCE_TYPES; k++)
    // those of C: elements/force; couplings are not counted: law-signals.yaml has one; contacts: below
    if (!force_runs[k] && k != HN_FORCE_USER && k != HN_FORCE_COUPLING && k != HN_FORCE_CONTACT)
      fail_msg("force '%s' is in no example that runs", forces[k]);
}

// ---- contacts -------------------------------------------------------------------------------------

// A ball slides on the floor, by the law with its settings.
static hn_model *make_ball(const char *law, const char *settings) {
  char yaml[1024];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(yaml, sizeof yaml,
           "gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  ground: {shape: {plane: {size: 1}}}\n"
           "  ball: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0, 0, %s], shape: "
           "{sphere: 0.1},\n"
           "         initial: {velocity: [%s, 0, 0]%s}}\n"
           "contacts: {floor: {bodies: [ground, ball], law: %s%s}}\n",
           strcmp(law, "rolling") == 0 ? "0.1" : "0.0999",
           strcmp(law, "rolling") == 0 ? "0.1" : "0.3",
           strcmp(law, "rolling") == 0 ? ", angular_velocity: [0, 1, 0]" : "", law, settings);
  if (hn_model_load_text(yaml, strlen(yaml), law, NULL, &model, &error)) machine_stop(law, &error);
  return model;
}

// Laws that only time stepping supports.
static int run_in_time_steps(const hn_model *model, const char *what) {
  hn_simulation_options options = hn_default_simulation_options();
  int count = 0;
  options.step = STEP;
  static const char *const sets[] = {"cartesian", "relative"};
  for (int k = 0; k < 2; k++) {
    options.coordinates = sets[k];
    count += run(model, &options, STEPS * STEP, what);
  }
  return count;
}

static void every_contact_law_runs(void **state) {
  (void)state;
  static const struct {
    const char *law, *settings;
  } rows[] = {
      {"rigid", ", restitution: 0.5, friction: 0.3"},
      {"rigid", ", impact: poisson, restitution: 0.5, friction: 0.3, static_friction: 0.4"},
      {"linear", ", stiffness: 1e5, damping: 20, friction: 0.3"},
      {"hertz", ", stiffness: 1e6, friction: 0.2, bristle_stiffness: 1e4"},
      {"hunt-crossley", ", stiffness: 1e6, restitution: 0.5, speed: 1"},
      {"lankarani-nikravesh", ", stiffness: 1e6, restitution: 0.5, speed: 1"},
      {"flores", ", stiffness: 1e6, restitution: 0.5, speed: 1"},
      {"table", ", table: {table: [[0, 0], [1e-3, 100], [1e-2, 2000]]}, damping: 0.5"},
      {"rolling", ""},
      {"soft", ", compliance: 1e-4, damping: 20, friction: 0.3"},
      {"soft", ", time_constant: 0.02, friction: 0.3, torsional_friction: 0.01"},
      {"none", ""},
  };
  static const char *const laws[] = {
#define NAME(code, name) name,
      HN_CONTACT_LAW_LIST(NAME)
#undef NAME
  };
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
    int found = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
      if (strcmp(rows[i].law, laws[k]) != 0) continue;
      hn_model *model = make_ball(laws[k], rows[i].settings);
      found += strcmp(laws[k], "soft") == 0 ? run_in_time_steps(model, laws[k])
                                            : run_in_all_coordinates(model, laws[k]);
      hn_model_free(model);
    }
    if (!found) fail_msg("contact law '%s' runs nowhere here: add a row", laws[k]);
  }
}

// Events and time stepping, few points and many: every solver of contacts, and pairs of shapes.
static void every_model_of_contacts_runs(void **state) {
  (void)state;
  DIR *folder = opendir(HOLON_SOURCE_DIR "/models/contact");
  assert_non_null(folder);
  int count = 0, stepped = 0;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    const char *end = strrchr(entry->d_name, '.');
    char path[300];
    if (!end || strcmp(end, ".yaml") != 0) continue;
    snprintf(path, sizeof path, "contact/%s", entry->d_name);
    hn_model *model = load(path);
    hn_simulation_options options = hn_default_simulation_options();
    if (!run(model, &options, STEPS * STEP, path)) fail_msg("%s is refused", path);
    options.step = STEP;
    stepped += run(model, &options, STEPS * STEP, path);
    hn_model_free(model);
    count++;
  }
  closedir(folder);
  assert_true(count > 30 && 2 * stepped > count);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_formulation_runs),       cmocka_unit_test(every_linear_solver_runs),
      cmocka_unit_test(every_element_runs),           cmocka_unit_test(every_contact_law_runs),
      cmocka_unit_test(every_model_of_contacts_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
