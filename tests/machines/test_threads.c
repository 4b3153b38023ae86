// Trees, fleets and their reduced Jacobians on threads: a run has the same bits on any number of
// them, on models that are large enough to be split into subtrees.
#include "machines/machine.h"

#include "analysis/simulation.h"
#include "equations/relative/relative.h"

// A path from this folder's root; machine_open looks below models/.
#define BENCH "../bench/models/"

typedef struct shared_case {
  const char *path, *setting, *coordinates, *method, *formula, *independent;
  double step;
  int steps;
  int has_limbs;
} shared_case;

static const shared_case cases[] = {
    // chains of hinges on a hub
    {BENCH "arms.yaml", "links=12", "relative", "first-order", "dopri5", "auto", 1e-3, 4, 1},
    // three levels, in lanes; the girder and its beams are the trunk
    {"components/tree.yaml", "beams=6", "relative", "first-order", "dopri5", "auto", 1e-4, 2, 1},
    // free bodies, ball joints, loops and forces between bodies
    {BENCH "hmmwv-fleet.yaml", "cars=12", "relative", "first-order", "dopri5", "auto", 1e-3, 4, 1},
    // reduced Jacobian and its factors: a matrix every step
    {BENCH "arms.yaml", "links=8", "relative", "first-order", "rosenbrock", "partition", 1e-3, 2,
     1},
    {BENCH "hmmwv-fleet.yaml", "cars=10", "relative", "state-space", "trapezoidal", "partition",
     1e-3, 3, 1},
    // too small to be cut
    {"negrut/hmmwv14.yaml", NULL, "relative", "state-space", "trapezoidal", "partition", 1e-3, 3,
     0},
};

static int count_limbs(const hn_simulation *simulation) {
  const hn_relative_set *set = (const hn_relative_set *)simulation->equations;
  return set->tree->limbs ? set->tree->limbs->count : 0;
}

static unsigned long long run(const shared_case *c, int threads, int *has_limbs) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = c->coordinates;
  options.method = c->method;
  options.formula = c->formula;
  options.independent = c->independent;
  options.step = c->step;
  options.threads = threads;
  machine m = machine_open_by(c->path, c->setting, &options);
  for (int k = 0; k < c->steps; k++)
    if (hn_simulation_step(m.simulation, 1))
      machine_stop(c->path, hn_simulation_error(m.simulation));
  unsigned long long hash = hn_simulation_state_hash(m.simulation);
  hn_certificate certificate = hn_simulation_certificate(m.simulation);
  assert_true(certificate.steps_accepted == c->steps);
  *has_limbs = count_limbs(m.simulation) > 0;
  machine_close(&m);
  return hash;
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    int has_limbs;
    unsigned long long alone = run(&cases[k], 1, &has_limbs);
    assert_false(has_limbs);
    for (int threads = 2; threads <= 5; threads += threads == 3 ? 2 : 1) {
      unsigned long long shared = run(&cases[k], threads, &has_limbs);
      if (shared != alone)
        fail_msg("%s, %s: other bits on %d threads", cases[k].path, cases[k].formula, threads);
      if (has_limbs != cases[k].has_limbs)
        fail_msg("%s on %d threads: limbs %d", cases[k].path, threads, has_limbs);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_threads_gives_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
