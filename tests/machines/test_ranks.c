// Method components on several processes, played by threads of this one that exchange their stretches:
// the same bits as alone, and an end with an error when one of them is lost.
#define _GNU_SOURCE // barriers
#include <pthread.h>
#include <string.h>

#include "machines/machine.h"

enum { MOST = 3 };

typedef struct exchange {
  pthread_barrier_t barrier;
  int size, is_lost;
  double *data[MOST];
  long gathers;
} exchange;

typedef struct process {
  exchange *shared;
  const char *path;
  double end;
  hn_ranks ranks;
  hn_status status;
  unsigned long long hash;
  hn_error error;
} process;

static hn_status gather(void *context, double *data, const int *start) {
  process *p = context;
  exchange *e = p->shared;
  if (e->is_lost) return HN_ERROR_INTERRUPTED;
  e->data[p->ranks.rank] = data;
  pthread_barrier_wait(&e->barrier);
  for (int k = 0; k < e->size; k++)
    if (k != p->ranks.rank)
      memcpy(data + start[k], e->data[k] + start[k],
             (size_t)(start[k + 1] - start[k]) * sizeof(double));
  if (p->ranks.rank == 0) e->gathers++;
  pthread_barrier_wait(&e->barrier);
  return HN_OK;
}

static void *run(void *argument) {
  process *p = argument;
  char file[1024];
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "components";
  options.tol = 1e-6;
  options.ranks = p->ranks.size > 0 ? &p->ranks : NULL;
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, p->path);
  p->status = hn_model_load(file, NULL, &model, &p->error);
  if (p->status == HN_OK) p->status = hn_simulation_create(model, &options, &simulation, &p->error);
  if (p->status == HN_OK) {
    p->status = hn_simulation_advance(simulation, p->end);
    p->hash = hn_simulation_state_hash(simulation);
    p->error = *hn_simulation_error(simulation);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
  return NULL;
}

static void processes_end_with_the_bits_of_one(void **state) {
  (void)state;
  static const struct {
    const char *path;
    double end;
  } cases[] = {{"vlasenko/car.yaml", 0.05},
               {"vlasenko/steam-machine.yaml", 0.3},
               {"components/powertrain.yaml", 0.004},
               // rigid contact, stops that bounce, sticking friction, an element with `when:`
               {"iltis/curb.yaml", 0.02},
               {"contact/bump-stop.yaml", 0.5},
               {"contact/clearance-four-bar.yaml", 0.2},
               {"contact/brake-shoe.yaml", 0.3},
               {"contact/latch.yaml", 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    process alone = {.path = cases[c].path, .end = cases[c].end};
    run(&alone);
    check_ok(alone.status);
    for (int size = 2; size <= MOST; size++) {
      exchange shared = {.size = size};
      process processes[MOST];
      pthread_t threads[MOST];
      assert_int_equal(pthread_barrier_init(&shared.barrier, NULL, (unsigned)size), 0);
      for (int k = 0; k < size; k++) {
        processes[k] = (process){.shared = &shared, .path = cases[c].path, .end = cases[c].end};
        processes[k].ranks = (hn_ranks){k, size, gather, &processes[k]};
        assert_int_equal(pthread_create(&threads[k], NULL, run, &processes[k]), 0);
      }
      for (int k = 0; k < size; k++) {
        pthread_join(threads[k], NULL);
        check_ok(processes[k].status);
        assert_true(processes[k].hash == alone.hash);
      }
      assert_true(shared.gathers > 100);
      pthread_barrier_destroy(&shared.barrier);
    }
  }
}

static void a_lost_process_ends_the_run_with_an_error(void **state) {
  (void)state;
  exchange shared = {.size = 2, .is_lost = 1};
  process p = {.shared = &shared, .path = "vlasenko/car.yaml", .end = 1};
  p.ranks = (hn_ranks){0, 2, gather, &p};
  run(&p);
  check_status(p.status, HN_ERROR_INTERRUPTED);
}

static void other_methods_refuse_several_processes(void **state) {
  (void)state;
  char file[1024];
  hn_model *model = NULL;
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  const hn_ranks ranks = {0, 2, gather, NULL};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.method = "first-order";
  options.ranks = &ranks;
  snprintf(file, sizeof file, "%s/models/vlasenko/car.yaml", HOLON_SOURCE_DIR);
  check_ok(hn_model_load(file, NULL, &model, &error));
  check_status(hn_simulation_create(model, &options, &simulation, &error), HN_ERROR_UNSUPPORTED);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(processes_end_with_the_bits_of_one),
      cmocka_unit_test(a_lost_process_ends_the_run_with_an_error),
      cmocka_unit_test(other_methods_refuse_several_processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
