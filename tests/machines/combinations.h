// Every combination of coordinates, method, formula and independent coordinates that is built, on
// every model that is shipped, against the explicit method in Cartesian coordinates at 1e-10. Steps
// are fixed, without error control, and are halved: the error has to fall with the order of the
// formula, or be below what reference and iterations know. Methods that choose their steps have a
// tolerance instead. What cannot hold is named with its reason.
//
// Each model takes every third combination, the next model the next ones, and where the shorter
// steps are within what is known the longer ones are not run. All are with one of these in the
// environment: HOLON_SWEEP=4 runs four times as many steps of each (make test-long: 1),
// HOLON_SHOW=1 prints every error. HOLON_ONLY=four-bar selects paths with this word.
#ifndef HN_TESTS_MACHINES_COMBINATIONS_H
#define HN_TESTS_MACHINES_COMBINATIONS_H

#include <dirent.h>

#include "holon/verify.h"
#include "machine.h"

enum { BODIES = 400, NUMBERS = 12, MACHINES = 200, STEPS = 12, SAMPLE = 3 };

// Shares of how far bodies move: what neither reference nor iterations know; what a rough law
// leaves; what is no motion of this machine.
#define KNOWN 5e-7
#define ROUGH 2e-2
#define WRONG 0.1
// The order is only roughly known from two errors.
#define SHORTFALL 0.7
#define TOLERANCE 1e-8
// m: models that hardly move are compared by this.
#define STILL 1e-3

typedef struct poses {
  int count;
  double x[BODIES][NUMBERS];
} poses;

// ---- models -------------------------------------------------------------------------------------

// Files that others use: they do not run on their own.
static const char *const parts[] = {"parts/",
                                    "examples/parts/",
                                    "iltis/corner.yaml",
                                    "vlasenko/strut.yaml",
                                    "vlasenko/wheel-unit.yaml",
                                    "vlasenko/cylinder.yaml",
                                    "negrut/hmmwv-front.yaml",
                                    "negrut/hmmwv-rear.yaml",
                                    "components/cylinder.yaml",
                                    "components/dc-motor.yaml",
                                    "components/gear-train.yaml",
                                    "components/hydraulic-cylinder.yaml",
                                    "components/valve.yaml",
                                    "contact/", // impacts, for methods that locate them
                                    "examples/joint-knife-edge.yaml", // the same: test_held.c
                                    "manoeuvres/",
                                    "rigs/",
                                    "tyres/",
                                    "robots/", // on their floor by time stepping
                                    "vehicles/"};

typedef struct shipped {
  const char *path;
  double step;          // the longer one; 0: STEP
  int steps;            // of it; 0: STEPS
  const char *settings; // separated by blanks; null: none
  // null: the error falls with the order. Else why not; it only has to be small.
  const char *rough;
} shipped;

#define STEP 0.004
#define KINKS "laws bend on the way, and fixed steps do not stop there"
#define TYRE "a tyre at rest is stiff for these steps: sdirk2 damps what is left of it slowly"
#define STIFF "stiff: formulas lose order, explicit ones stability"

static const shipped machines[] = {
    {"andrews-ivp.yaml", 5e-5, 0, NULL, NULL},
    {"car-axis.yaml", 1e-3, 0, NULL, NULL},
    {"components/engine.yaml", 1e-4, 0, NULL, NULL},
    {"components/powertrain.yaml", 1e-4, 3, NULL, NULL},
    {"components/tree-beam.yaml", 1e-3, 0, "chains=2 links=4", NULL},
    {"components/tree-chain.yaml", 1e-3, 0, "links=6", NULL},
    {"components/tree.yaml", 1e-3, 6, "beams=2 chains=2 links=3", NULL},
    {"control/attitude.yaml", 1e-3, 0, NULL, NULL},
    {"control/cart-pole.yaml", 1e-3, 0, NULL, NULL},
    {"control/follower.yaml", 1e-3, 0, NULL, NULL},
    {"control/geared-drive.yaml", 1e-4, 0, NULL, NULL},
    {"control/hydraulic-lift.yaml", 1e-4, 0, NULL, NULL},
    {"control/load-cell.yaml", 1e-3, 0, NULL, NULL},
    {"control/sampled-motor.yaml", 5e-4, 0, NULL, NULL},
    {"control/servo-excavator.yaml", 5e-4, 0, NULL, NULL},
    {"examples/floating-trees.yaml", 0, 3, NULL, NULL},
    {"examples/force-bushing.yaml", 5e-4, 0, NULL, NULL},
    {"examples/force-joint-friction.yaml", 1e-4, 0, NULL, STIFF},
    {"examples/force-rotational-spring-damper.yaml", 1e-3, 0, NULL, NULL},
    {"examples/force-spring-damper.yaml", 5e-4, 0, NULL, NULL},
    {"examples/force-tendon.yaml", 1e-3, 0, NULL, NULL}, // lifts off at 29 ms
    {"examples/force-tyre.yaml", 0, 0, NULL, KINKS},
    {"examples/laws.yaml", 0, 0, NULL, KINKS},
    {"examples/road-cosine-bump.yaml", 0, 0, NULL, TYRE},
    {"examples/road-crg.yaml", 0, 0, NULL, KINKS},
    {"examples/road-flat.yaml", 0, 0, NULL, TYRE},
    {"examples/road-half-cylinder.yaml", 0, 0, NULL, TYRE},
    {"examples/road-height-field.yaml", 0, 0, NULL, TYRE},
    {"examples/road-plane.yaml", 0, 0, NULL, TYRE},
    {"examples/road-polyline.yaml", 0, 0, NULL, TYRE},
    {"examples/road-random.yaml", 0, 0, NULL, TYRE},
    {"gyroscope.yaml", 1e-4, 0, NULL, NULL},
    {"iftomm/a03.yaml", 5e-5, 0, NULL, NULL},
    {"iftomm/a05.yaml", 0, 0, NULL, STIFF},
    {"iltis/front-suspension.yaml", 0, 0, NULL, KINKS},
    {"iltis/iltis.yaml", 0, 6, NULL, NULL},
    {"iltis/rest.yaml", 0, 3, NULL, KINKS},
    {"negrut/chain.yaml", 0, 0, "N=6", NULL},
    {"negrut/double-pendulum.yaml", 1e-3, 0, NULL, STIFF},
    {"negrut/hmmwv14-stiff.yaml", 1e-4, 2, NULL, STIFF},
    {"negrut/hmmwv14.yaml", 0, 2, NULL, NULL},
    {"negrut/seven-body.yaml", 5e-5, 0, NULL, NULL},
    {"slider-crank.yaml", 2e-4, 0, NULL, NULL},
    {"vlasenko/car.yaml", 0, 2, NULL, NULL},
    {"vlasenko/steam-machine.yaml", 0, 3, NULL, NULL},
};

// Combinations that cannot run, with the reason.
static const struct {
  const char *path, *formulation, *reason;
} exceptions[] = {
    {"car-axis.yaml", "cartesian/components",
     "points without inertia have no 6 x 6 mass of a part"},
    {"iftomm/a01.yaml", "cartesian/components", "a point without inertia, as above"},
    {"iftomm/a05.yaml", "dopri5", "stiff: the step is far beyond what an explicit formula takes"},
    {"iltis/curb.yaml", "components/sdirk",
     "events of components are located with explicit formulas only"},
    {"negrut/double-pendulum.yaml", "dopri5", "stiff, as above"},
    {"negrut/hmmwv14-stiff.yaml", "dopri5", "stiff, as above"},
};

static int is_exception(const char *path, const char *formulation) {
  for (size_t k = 0; k < sizeof exceptions / sizeof exceptions[0]; k++)
    if (strcmp(exceptions[k].path, path) == 0 && strstr(formulation, exceptions[k].formulation))
      return 1;
  return 0;
}

static const shipped *settings_of(const char *path) {
  for (size_t k = 0; k < sizeof machines / sizeof machines[0]; k++)
    if (strcmp(machines[k].path, path) == 0) return &machines[k];
  return NULL;
}

static int is_part(const char *path) {
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
    if (strncmp(path, parts[k], strlen(parts[k])) == 0) return 1;
  return 0;
}

typedef struct list {
  int count;
  char path[MACHINES][80];
} list;

static void find_models(const char *folder, list *found) {
  char full[1024];
  snprintf(full, sizeof full, "%s/models/%s", HOLON_SOURCE_DIR, folder);
  DIR *open = opendir(full);
  assert_non_null(open);
  for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
    const char *name = entry->d_name, *dot = strrchr(name, '.');
    char path[80];
    snprintf(path, sizeof path, "%.38s%s%.38s", folder, folder[0] ? "/" : "", name);
    if (!dot) find_models(path, found);
    if (!dot || strcmp(dot, ".yaml") != 0 || is_part(path)) continue;
    assert_true(found->count < MACHINES);
    strcpy(found->path[found->count++], path);
  }
  closedir(open);
}

// ---- runs ---------------------------------------------------------------------------------------

static int order_of(const char *formula) {
  static const struct {
    const char *name;
    int order;
  } rows[] = {{"trapezoidal", 2}, {"sdirk4-16", 4},         {"sdirk4-15", 4},
              {"dopri5", 5},      {"rosenbrock", 4},        {"newmark", 1},
              {"hht", 2},         {"generalized-alpha", 2}, {"sdirk2", 3}};
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
    if (strcmp(rows[k].name, formula) == 0) return rows[k].order;
  return 0; // chooses its steps
}

static void take_poses(hn_simulation *s, poses *p) {
  p->count = hn_model_body_count(hn_simulation_model(s)); // without the ground
  if (p->count > BODIES) p->count = BODIES;
  for (int b = 0; b < p->count; b++) {
    hn_body_motion m;
    check_ok(hn_simulation_body_motion(s, b + 1, &m));
    memcpy(p->x[b], &m.position, 3 * sizeof(double));
    memcpy(p->x[b] + 3, &m.rotation, 9 * sizeof(double));
  }
}

static double distance(const poses *a, const poses *b) {
  double most = 0;
  for (int i = 0; i < a->count; i++)
    for (int k = 0; k < NUMBERS; k++) {
      double x = fabs(a->x[i][k] - b->x[i][k]);
      if (!(x <= most)) most = x;
    }
  return most;
}

// 1, or 0 and why not.
static int run(const hn_model *model, const hn_formulation *f, double step, double tol, double end,
               poses *first, poses *last, char *why, size_t size) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.coordinates = f->coordinates;
  options.method = f->method;
  options.formula = f->formula;
  options.independent = f->independent;
  options.step = step;
  options.tol = tol;
  options.atol = options.rtol = tol;
  if (hn_simulation_create(model, &options, &s, &error)) {
    hn_error_format(&error, why, size);
    return 0;
  }
  if (first) take_poses(s, first);
  int ok = hn_simulation_advance(s, end) == HN_OK;
  if (!ok) hn_error_format(hn_simulation_error(s), why, size);
  take_poses(s, last);
  hn_simulation_free(s);
  return ok;
}

// ---- the claim ----------------------------------------------------------------------------------

typedef struct judgement {
  const shipped *machine;
  const hn_model *model;
  double end, step, moved;
  poses reference, at[2];
  int shows, is_whole;
} judgement;

// 1: as it should be.
static int judge(judgement *j, const hn_formulation *f, char *why, size_t size) {
  int order = order_of(f->formula);
  int is_own = order == 0 || strcmp(f->method, "multi-index") == 0;
  double e[2];
  for (int k = 1; k >= 0; k--) {
    double tol = !is_own ? TOLERANCE : strcmp(f->formula, "adams") == 0 ? 1e-8 : k ? 1e-7 : 1e-6;
    if (!run(j->model, f, is_own ? 0 : j->step / (k + 1), tol, j->end, NULL, &j->at[k], why, size))
      return 0;
    e[k] = distance(&j->at[k], &j->reference) / j->moved;
    if (e[1] <= KNOWN && !j->is_whole) return 1; // errors below the known ones give no order
  }
  double seen = e[1] > 0 ? log2(e[0] / e[1]) : 9;
  snprintf(why, size, "errors %.1e, %.1e of what moves, order %.2f", e[0], e[1], seen);
  if (!(e[0] <= WRONG && e[1] <= WRONG)) return 0;
  if (e[1] <= KNOWN) return 1;
  if (is_own) return e[1] <= 1e-3;
  if (j->machine && j->machine->rough && e[1] <= ROUGH) return 1;
  return seen >= order - SHORTFALL;
}

static void load(const char *path, const char *settings, hn_model **model) {
  char file[1024], words[200] = "";
  const char *values[8];
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  snprintf(words, sizeof words, "%s", settings ? settings : "");
  for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
    values[options.setting_count++] = word;
  options.settings = values;
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, &options, model, &error)) machine_stop(path, &error);
}

// `which`: the number of the model.
static void combinations_agree_on(const char *path, int which, int *count, int *wrong) {
  static judgement j;
  const shipped *own = settings_of(path);
  const char *settings = own ? own->settings : NULL, *many = getenv("HOLON_SWEEP");
  hn_model *model = NULL;
  load(path, settings, &model);
  j.model = model;
  j.machine = own;
  j.step = own && own->step > 0 ? own->step : STEP;
  j.end = (own && own->steps > 0 ? own->steps : STEPS) * j.step * (many ? atof(many) : 1);
  j.shows = getenv("HOLON_SHOW") != NULL;
  j.is_whole = j.shows || many || getenv("HOLON_ONLY") != NULL;
  const hn_formulation explicit_one = {"cartesian", "first-order", "dopri5", "none"};
  char why[600], name[160];
  if (!run(j.model, &explicit_one, 0, 1e-10, j.end, &j.at[0], &j.reference, why, sizeof why))
    fail_msg("%s, reference: %s", path, why);
  j.moved = fmax(distance(&j.at[0], &j.reference), STILL);
  hn_formulation f;
  for (int k = 0; hn_list_formulation(k, &f); k++) {
    hn_formulation_text(&f, name, sizeof name);
    if (is_exception(path, name) || (!j.is_whole && k % SAMPLE != which % SAMPLE)) continue;
    int ok = judge(&j, &f, why, sizeof why);
    ++*count;
    *wrong += !ok;
    if (!ok || j.shows) print_message("%s %s, %s: %s\n", ok ? "     " : "WRONG", path, name, why);
  }
  hn_model_free(model);
}

// ---- groups of models: one test program each ----------------------------------------------------

typedef enum group { EXAMPLES, MECHANISMS, VEHICLES } group;

static group group_of(const char *path) {
  static const struct {
    const char *folder;
    group group;
  } folders[] = {{"examples/", EXAMPLES}, {"iftomm/", MECHANISMS},     {"cardenal/", MECHANISMS},
                 {"iltis/", VEHICLES},    {"components/", MECHANISMS}, {"control/", MECHANISMS},
                 {"negrut/", VEHICLES},   {"vlasenko/", VEHICLES},     {"fmu/", VEHICLES}};
  for (size_t k = 0; k < sizeof folders / sizeof folders[0]; k++)
    if (strncmp(path, folders[k].folder, strlen(folders[k].folder)) == 0) return folders[k].group;
  assert_null(strchr(path, '/')); // a new folder belongs to a group
  return MECHANISMS;
}

static int compare_paths(const void *a, const void *b) { return strcmp(a, b); }

static inline void combinations_agree_in(group which) {
  static list found;
  const char *only = getenv("HOLON_ONLY");
  int count = 0, wrong = 0, moved = 0;
  find_models("", &found);
  qsort(found.path, (size_t)found.count, sizeof found.path[0], compare_paths);
  for (int k = 0; k < found.count; k++) {
    if (group_of(found.path[k]) != which || (only && !strstr(found.path[k], only))) continue;
    combinations_agree_on(found.path[k], moved, &count, &wrong);
    moved++;
  }
  print_message("%d machines, %d combinations\n", moved, count);
  assert_true(moved > 0 || only);
  assert_int_equal(wrong, 0);
}

#endif
