// Every linear solver on every shipped model: the same accelerations at random consistent states,
// the same rank, the same motion with any number of threads.
#define _GNU_SOURCE
#include "machines/machine.h"

#include <ftw.h>

#include "analysis/simulation.h"

enum { MOST_MACHINES = 64, STATES = 6 };

static char machines[MOST_MACHINES][256]; // below models/
static int machine_count;

// Whole models: no examples of one element, no parts, nothing with a border or a body from outside,
// and no contacts, whose forces come from an iteration of their own.
static int is_whole(const char *path) {
  char line[512];
  int whole = 1;
  FILE *stream = fopen(path, "r");
  assert_non_null(stream);
  while (fgets(line, sizeof line, stream))
    if (!strncmp(line, "border:", 7) || !strncmp(line, "contacts:", 9) ||
        strstr(line, "external: true"))
      whole = 0;
  fclose(stream);
  return whole;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place) {
  (void)status;
  const char *below = path + strlen(HOLON_SOURCE_DIR "/models/"), *end = strrchr(path, '.');
  if (type != FTW_F || place->level > 3 || !end || strcmp(end, ".yaml") != 0) return 0;
  static const char *const apart[] = {"examples/", "parts/", "manoeuvres/", "rigs/"};
  for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++)
    if (!strncmp(below, apart[k], strlen(apart[k]))) return 0;
  if (!is_whole(path)) return 0;
  assert_true(machine_count < MOST_MACHINES);
  snprintf(machines[machine_count++], sizeof machines[0], "%s", below);
  return 0;
}

static int find_machines(void **state) {
  (void)state;
  nftw(HOLON_SOURCE_DIR "/models", visit, 8, FTW_PHYS);
  return machine_count > 10 ? 0 : -1;
}

static hn_model *load(const char *path) {
  char file[512];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, NULL, &model, &error)) machine_stop(path, &error);
  return model;
}

// Null when this solver cannot do this machine, and says so.
static hn_simulation *simulate(const hn_model *model, const char *solver, int threads) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  options.linear_solver = solver;
  options.threads = threads;
  hn_status status = hn_simulation_create(model, &options, &simulation, &error);
  if (status == HN_ERROR_UNSUPPORTED) {
    check_names(error.hint, "augmented");
    return NULL;
  }
  if (status != HN_OK) machine_stop(solver, &error);
  return simulation;
}

// Moves coordinates by about `size`, turns speeds up by random ones, and onto the constraints.
static int disturb(hn_simulation *s, hn_random *random, double size, double *q, double *qd) {
  hn_equations *e = s->equations;
  double *scratch = calloc((size_t)e->nq, sizeof(double));
  memcpy(q, s->method->q, (size_t)e->nq * sizeof(double));
  for (int i = 0; i < e->nq; i++) q[i] += hn_random_uniform(random, -size, size);
  hn_status status = e->type->project_positions(e, s->method->t, q, &s->branches, 1e-12, scratch);
  for (int i = 0; i < e->nq; i++) qd[i] = hn_random_uniform(random, -1, 1);
  if (status == HN_OK)
    status = e->type->project_velocities(e, s->method->t, q, qd, &s->branches, scratch);
  free(scratch);
  return status == HN_OK;
}

static double difference(const double *a, const double *b, int count) {
  double worst = 0, most = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    most = fmax(most, fabs(a[i]));
  }
  return most > 0 ? worst / most : worst;
}

// Accelerations of all bodies by one solver at a state, with all rows and without redundant ones.
static void solve(hn_simulation *s, const double *q, const double *qd, double *all, double *kept) {
  hn_equations *e = s->equations;
  size_t size = (size_t)e->nu * sizeof(double);
  hn_snapshot *now = s->method->now;
  check_ok(e->type->evaluate(e, s->method->t, q, qd, &s->branches, now, &s->error));
  memcpy(all, now->ud, size);
  check_ok(e->type->evaluate_stage(e, s->method->t, q, qd, &s->branches, now, &s->error));
  memcpy(kept, now->ud, size);
}

static void compare_at(const char *path, hn_simulation *const *s, int count, const double *q,
                       const double *qd) {
  int nu = s[0]->equations->nu;
  double *numbers = calloc(4 * (size_t)nu + 4, sizeof(double));
  double *all = numbers, *kept = all + nu, *other = kept + nu, *other_kept = other + nu;
  solve(s[0], q, qd, all, kept);
  for (int k = 1; k < count; k++) {
    solve(s[k], q, qd, other, other_kept);
    double off = fmax(difference(all, other, nu), difference(kept, other_kept, nu));
    off = fmax(off, difference(all, other_kept, nu));
    if (!(off <= 1e-11))
      fail_msg("%s: %s and %s differ by %.2g", path, s[0]->equations->solver->type->name,
               s[k]->equations->solver->type->name, off);
    assert_int_equal(s[0]->equations->redundant_count, s[k]->equations->redundant_count);
    assert_memory_equal(s[0]->equations->redundant, s[k]->equations->redundant,
                        (size_t)s[0]->elements->row_count);
  }
  free(numbers);
}

static void all_solvers_agree_on_every_machine(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  int compared = 0;
  for (int m = 0; m < machine_count; m++) {
    hn_model *model = load(machines[m]);
    hn_simulation *s[8];
    int count = 0, states = 0;
    for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
      s[count] = simulate(model, (*type)->name, 1);
      count += s[count] != NULL;
    }
    assert_true(count >= 2);
    size_t size = (size_t)s[0]->equations->nq + 1;
    double *q = calloc(size, sizeof(double)), *qd = calloc(size, sizeof(double));
    // 3 cm and 3/100 rad of each coordinate: further off the steam machine locks (singular
    // configurations, where digits are lost)
    for (double move = 0.03; states < STATES && move > 1e-6; move *= 0.8) {
      if (!disturb(s[0], &random, move, q, qd)) continue;
      compare_at(machines[m], s, count, q, qd);
      states++;
    }
    assert_int_equal(states, STATES);
    compared += count - 1;
    free(q);
    free(qd);
    for (int k = 0; k < count; k++) hn_simulation_free(s[k]);
    hn_model_free(model);
  }
  assert_true(compared > 20);
}

static void bits_do_not_depend_on_the_number_of_threads(void **state) {
  (void)state;
  static const char *const paths[] = {"negrut/seven-body.yaml", "iltis/iltis.yaml",
                                      "vlasenko/steam-machine.yaml"};
  for (size_t k = 0; k < sizeof paths / sizeof paths[0]; k++) {
    hn_model *model = load(paths[k]);
    unsigned long long hash[2];
    for (int threads = 1; threads <= 3; threads++) {
      hn_simulation *s = simulate(model, "auto", threads);
      for (int i = 0; i < 10; i++) check_ok(hn_simulation_step(s, 1e3));
      hash[threads > 1] = hn_simulation_state_hash(s);
      assert_true(hash[threads > 1] == hash[0]);
      hn_simulation_free(s);
    }
    hn_model_free(model);
  }
}

static void the_certificate_names_the_solver(void **state) {
  (void)state;
  hn_model *model = load("four-bar.yaml");
  const char *name;
  int count = 0;
  for (; (name = hn_list_linear_solvers(count)) != NULL; count++) {
    hn_simulation *s = simulate(model, name, 1);
    assert_string_equal(hn_simulation_certificate(s).linear_solver, name);
    hn_simulation_free(s);
  }
  assert_true(count > 1);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_solvers_agree_on_every_machine),
      cmocka_unit_test(bits_do_not_depend_on_the_number_of_threads),
      cmocka_unit_test(the_certificate_names_the_solver),
  };
  return cmocka_run_group_tests(tests, find_machines, NULL);
}
