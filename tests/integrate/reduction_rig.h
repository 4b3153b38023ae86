// A model of models/ at a consistent state, with tangent and independent coordinates: common part
// of their tests.
#ifndef HN_TESTS_INTEGRATE_REDUCTION_RIG_H
#define HN_TESTS_INTEGRATE_REDUCTION_RIG_H

#include "analysis/simulation.h"
#include "integrate/reduced_jacobian.h"
#include "machines/machine.h"
#include "support/tangent.h"

enum { RIG_MOST = 800 };

typedef struct rig_machine {
  const char *model, *setting;
  int freedoms;
} rig_machine;

// Whole models and their degrees of freedom (as in tests/machines/test_counts.c).
static const rig_machine rig_machines[] = {
    {"iftomm/a01.yaml", NULL, 1},
    {"iftomm/a02.yaml", NULL, 1},
    {"iftomm/a03.yaml", NULL, 1},
    {"iftomm/a04.yaml", NULL, 1},
    {"iftomm/a05.yaml", NULL, 4},
    {"andrews-ivp.yaml", NULL, 1},
    {"car-axis.yaml", NULL, 2},
    {"iltis/iltis.yaml", NULL, 10},
    {"iltis/front-suspension.yaml", NULL, 1},
    {"negrut/double-pendulum.yaml", NULL, 2},
    {"negrut/seven-body.yaml", NULL, 1},
    {"negrut/chain.yaml", "N=12", 12},
    {"negrut/hmmwv14.yaml", NULL, 11},
    {"negrut/hmmwv14-stiff.yaml", NULL, 18},
    {"cardenal/double-pendulum.yaml", NULL, 2},
    {"vlasenko/steam-machine.yaml", NULL, 1},
    {"vlasenko/steam-machine.yaml", "driven=1", 0},
    {"vlasenko/car.yaml", NULL, 14},
    {"slider-crank.yaml", NULL, 1},
    {"four-bar.yaml", NULL, 0},
    {"double-wishbone.yaml", NULL, 0},
    {"gyroscope.yaml", NULL, 3},
    // parts of many bodies
    {"iftomm/a02.yaml", "N=30", 1},
    {"../tests/data/four-bars-on-a-sled.yaml", NULL, 2},
    {"iltis/rest.yaml", NULL, 10},
    {"components/powertrain.yaml", NULL, 7},
    // natural coordinates of a body are those of a neighbor that comes after it
    {"../tests/data/afloat.yaml", NULL, 28},
};
enum { RIG_MACHINES = sizeof rig_machines / sizeof rig_machines[0] };

typedef struct rig {
  machine made;
  hn_simulation *s;
  hn_equations *equations;
  hn_arena arena;
  hn_tangent *tangent;
  hn_reduction *reduction;
  hn_reduced_jacobian *jacobian;
  hn_snapshot *snapshot;
  double t;
  double q[RIG_MOST], qd[RIG_MOST], qdd[RIG_MOST], lambda[RIG_MOST];
  double v[RIG_MOST], vd[RIG_MOST];
} rig;

// At a random consistent state near the one the model reaches after `time`.
static inline void rig_open(rig *r, const rig_machine *from, const char *coordinates, unsigned kind,
                            double time, double spread, unsigned seed) {
  hn_simulation_options options = hn_default_simulation_options();
  memset(r, 0, sizeof *r);
  r->made = machine_open(from->model, from->setting, 1e-7);
  hn_simulation_free(r->made.simulation);
  options.coordinates = coordinates;
  options.method = "first-order";
  options.formula = "dopri5";
  options.tol = 1e-7;
  check_ok(hn_simulation_create(r->made.model, &options, &r->made.simulation, NULL));
  machine_advance(&r->made, time);
  r->s = r->made.simulation;
  r->equations = r->s->equations;
  r->t = r->s->method->t;
  hn_arena_init(&r->arena, NULL);
  check_ok(hn_tangent_create(&r->arena, r->equations, 0, &r->tangent));
  assert_true(r->tangent->n <= RIG_MOST && r->tangent->rows <= RIG_MOST);
  check_ok(hn_reduction_create(&r->arena, r->equations, r->tangent, kind, &r->reduction));
  check_ok(hn_reduced_jacobian_create(&r->arena, r->reduction, r->tangent, &r->jacobian));
  check_ok(hn_snapshot_create(&r->arena, r->equations, &r->snapshot));
  size_t size = (size_t)r->tangent->n * sizeof(double);
  memcpy(r->q, r->s->method->q, size);
  memcpy(r->qd, r->s->method->qd, size);
  hn_branches *b = &r->s->branches;
  check_ok(hn_reduction_select(r->reduction, r->t, r->q, r->qd, b, NULL));
  hn_random random = hn_random_seed(seed);
  int freedoms = hn_reduction_size(r->reduction);
  hn_reduction_restrict(r->reduction, r->q, r->v);
  hn_reduction_restrict(r->reduction, r->qd, r->vd);
  for (int i = 0; i < freedoms; i++) {
    r->v[i] += hn_random_uniform(&random, -spread, spread);
    r->vd[i] += hn_random_uniform(&random, -10 * spread, 10 * spread);
  }
}

static inline void rig_close(rig *r) {
  hn_arena_release(&r->arena);
  machine_close(&r->made);
}

// q, qd from t, v, vd.
static inline void rig_recover(rig *r, double t, const double *v, const double *vd, double *q,
                               double *qd) {
  hn_branches *b = &r->s->branches;
  check_ok(hn_reduction_positions(r->reduction, t, q, v, b, 1e-13));
  check_ok(tangent_basic(r->tangent, t, q, qd, b, NULL));
  check_ok(hn_reduction_factor(r->reduction));
  hn_reduction_velocities(r->reduction, vd, qd);
}

#endif
