// Natural coordinates against Cartesian ones: sizes by hand, and the same accelerations on whole
// machines on their way.
#include "analysis/simulation.h"
#include "equations/natural_nodes.h"
#include "machine.h"

// limit: bushings of 2e7 N/m and 2e6 N s/m turn the rounding of a position into that much force.
static const struct {
  const char *path, *setting;
  double limit;
} machines[] = {
    {"four-bar.yaml", NULL, 1e-9},
    {"slider-crank.yaml", NULL, 1e-9},
    {"double-wishbone.yaml", NULL, 1e-9},
    {"gyroscope.yaml", NULL, 1e-9},
    {"car-axis.yaml", NULL, 1e-9},
    {"iftomm/a01.yaml", NULL, 1e-9},
    {"iftomm/a02.yaml", "N=5", 1e-9},
    {"iftomm/a03.yaml", NULL, 1e-9},
    {"iftomm/a04.yaml", NULL, 1e-9},
    {"iftomm/a05.yaml", NULL, 1e-9},
    {"andrews-ivp.yaml", NULL, 1e-9},
    {"cardenal/double-pendulum.yaml", NULL, 1e-9},
    {"negrut/double-pendulum.yaml", NULL, 1e-9},
    {"negrut/seven-body.yaml", NULL, 1e-9},
    {"negrut/chain.yaml", NULL, 1e-9},
    {"negrut/hmmwv14.yaml", NULL, 1e-9},
    {"negrut/hmmwv14-stiff.yaml", NULL, 1e-6},
    {"iltis/iltis.yaml", NULL, 1e-9},
    {"vlasenko/steam-machine.yaml", NULL, 1e-9},
    {"vlasenko/car.yaml", NULL, 1e-9},
};
enum { MACHINES = sizeof machines / sizeof machines[0] };

// Accelerations in both sets at the state the simulation is in.
static double difference(hn_simulation *s, hn_equations *natural, hn_snapshot *snapshot, double *q,
                         double *qd) {
  const hn_snapshot *now = s->method->now;
  hn_error error;
  natural->type->from_frames(natural, now->frames, q, qd);
  check_ok(natural->type->evaluate(natural, s->method->t, q, qd, &s->branches, snapshot, &error));
  double most = 0, size = 1; // at rest: absolute
  for (int b = 1; b < natural->model->body_count; b++) {
    const hn_vec3 a[2] = {now->acceleration[b], now->angular_acceleration[b]};
    const hn_vec3 c[2] = {snapshot->acceleration[b], snapshot->angular_acceleration[b]};
    for (int k = 0; k < 2; k++) {
      most = fmax(most, vec3_norm(vec3_sub(a[k], c[k])));
      size = fmax(size, vec3_norm(a[k]));
    }
  }
  return most / size;
}

static void accelerations_are_those_of_cartesian_coordinates(void **state) {
  (void)state;
  for (int k = 0; k < MACHINES; k++) {
    machine m = machine_open(machines[k].path, machines[k].setting, 1e-6);
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_equations *natural = NULL;
    hn_snapshot *snapshot = NULL;
    hn_error error;
    check_ok(hn_natural.create(&arena, m.simulation->elements, &natural, &error));
    check_ok(hn_snapshot_create(&arena, natural, &snapshot));
    double *q = HN_TAKE(&arena, double, natural->nq), *qd = HN_TAKE(&arena, double, natural->nq);
    double worst = 0;
    for (int i = 0; i < 6; i++) {
      worst = fmax(worst, difference(m.simulation, natural, snapshot, q, qd));
      for (int j = 0; j < 3; j++) check_ok(hn_simulation_step(m.simulation, HUGE_VAL));
    }
    if (!(worst < machines[k].limit))
      fail_msg("%s: accelerations differ by %g (n = %d, rows of rigidity %d)", machines[k].path,
               worst, natural->nq, natural->normalizations);
    hn_arena_release(&arena);
    machine_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accelerations_are_those_of_cartesian_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
