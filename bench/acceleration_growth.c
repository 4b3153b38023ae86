// How the cost of accelerations grows with a machine: chains, trees and rows of N four-bars up to
// 100,000 bodies; and the chain of robots.hpp (bench/peers), which other engines are timed on.
//
//   acceleration_growth          solver: one factorization and one solution; evaluation: frames, rows,
//                                forces and solver; step: one step of dopri5 through the simulation.
//                                CSV on stdout, CPU time of one thread
//   acceleration_growth robots   one evaluation of accelerations, as a line of the table peers-p5
#include "accelerations.h"

// ---- memory -------------------------------------------------------------------------------------

static void *measured_allocate(void *context, size_t size) {
  size_t *in_use = context, *block = malloc(size + 64);
  if (!block) return NULL;
  *in_use += size;
  *block = size;
  return (char *)block + 64;
}

static void measured_release(void *context, void *block) {
  size_t *in_use = context, *begin = (size_t *)(void *)((char *)block - 64);
  *in_use -= *begin;
  free(begin);
}

// ---- growth -------------------------------------------------------------------------------------

typedef struct run {
  problem p;
  hn_solver *solver;
  hn_simulation *s;
  double *q, *x, *y;
  long calls;
} run;

static void solve(void *context) {
  run *r = context;
  stop_on(hn_solver_factor(r->solver, r->p.mass, r->p.block), "factor", NULL);
  stop_on(hn_solver_solve(r->solver, r->p.b, r->p.c, r->x, r->y, NULL), "solve", NULL);
}

// Positions are moved a little each time, so that nothing is kept from the last one.
static void evaluate(void *context) {
  run *r = context;
  hn_method *m = r->s->method;
  hn_equations *e = r->s->equations;
  r->q[0] = m->q[0] + 1e-12 * (double)(r->calls++ % 2);
  stop_on(e->type->evaluate_stage(e, m->t, r->q, m->qd, &r->s->branches, r->s->look, &r->s->error),
          "evaluate", r->s->error.message);
}

static double seconds(clock_t from) { return (double)(clock() - from) / CLOCKS_PER_SEC; }

static void measure(const char *name, hn_model *model, int n) {
  run r = {.calls = 0};
  hn_error error = {0};
  size_t engine = 0, solver = 0;
  hn_allocator of_engine = {measured_allocate, measured_release, &engine};
  hn_allocator of_solver = {measured_allocate, measured_release, &solver};
  hn_simulation_options options = hn_default_simulation_options();
  hn_arena arena;
  options.allocator = &of_engine;
  options.step = 1e-5;
  clock_t begin = clock();
  stop_on(hn_simulation_create(model, &options, &r.s, &error), name, error.message);
  double create = seconds(begin);
  begin = clock();
  stop_on(hn_simulation_step(r.s, 1), name, hn_simulation_error(r.s)->message);
  double step = seconds(begin);
  r.p = problem_of(name, r.s);
  hn_arena_init(&arena, &of_solver);
  stop_on(hn_solver_create(&arena, &hn_solver_topology, &r.p.solver, &r.solver, &error), name,
          NULL);
  size_t nu = 6 * (size_t)r.p.solver.bodies, nq = (size_t)r.s->equations->nq;
  r.x = taken(nu, sizeof(double));
  r.y = taken((size_t)r.p.solver.rows, sizeof(double));
  r.q = taken(nq, sizeof(double));
  memcpy(r.q, r.s->method->q, nq * sizeof(double));
  double bodies = r.p.solver.bodies;
  printf("%s,%d,%.0f,%d,%.4f,%.4f,%.4f,%.4f,%.0f,%.0f\n", name, n, bodies, r.p.solver.rows, create,
         step, least_time(solve, &r) / bodies, least_time(evaluate, &r) / bodies,
         (double)solver / bodies, (double)engine / bodies);
  fflush(stdout);
  free(r.x);
  free(r.y);
  free(r.q);
  hn_arena_release(&r.p.arena);
  hn_arena_release(&arena);
  hn_simulation_free(r.s);
  hn_model_free(model);
}

// ---- the chain of robots ------------------------------------------------------------------------

// Links of 1 kg, 0.25 m from joint to joint, axes z and y in turn, hanging from ground.
static hn_model *make_robot_chain(int n) {
  hn_model *model = begin_model();
  hn_model_set_gravity(model, (hn_vec3){0, 0, -9.81});
  const double length = 0.25, inertia = length * length / 12 + 1e-3;
  for (int i = 0; i < n; i++) {
    char name[32];
    hn_body_def def = hn_default_body();
    int id = 0;
    snprintf(name, sizeof name, "link%d", i);
    def.name = name;
    for (int k = 0; k < 6; k++) def.inertia[k] = 0;
    def.inertia[0] = inertia;
    def.inertia[1] = 1.05 * inertia;
    def.inertia[2] = 0.3 * inertia + 5e-4;
    def.position = (hn_vec3){0.01, 0.005, length * i + length / 2};
    stop_on(hn_model_add_body(model, &def, &id), name, hn_model_error(model)->message);
    hn_vec3 axis = {0, i % 2, (i + 1) % 2};
    add_pin(model, i, id - 1, id, (hn_vec3){0, 0, length * i}, axis);
  }
  stop_on(hn_model_finish(model), "chain", hn_model_error(model)->message);
  return model;
}

static void robots(void) {
  static const int links[] = {10, 20, 50, 100, 200, 500, 1000};
  for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
    hn_model *model = make_robot_chain(links[k]);
    run r = {.s = simulate(model, "chain")};
    size_t nq = (size_t)r.s->equations->nq;
    r.q = taken(nq, sizeof(double));
    memcpy(r.q, r.s->method->q, nq * sizeof(double));
    printf("holon,p5,%d,chain%d,accelerations(cartesian),,,,%.4g,,,,,,1,\n", links[k], links[k],
           least_time(evaluate, &r));
    fflush(stdout);
    free(r.q);
    hn_simulation_free(r.s);
    hn_model_free(model);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "robots")) {
    robots();
    return 0;
  }
  printf("machine,N,bodies,rows,create_s,step_s,solver_us_per_body,evaluation_us_per_body,"
         "solver_bytes_per_body,simulation_bytes_per_body\n");
  for (int n = 10; n <= 100000; n *= 10) measure("chain", make_chain(n, 0), n);
  for (int n = 10; n <= 100000; n *= 10) measure("tree", make_tree(n), n);
  for (int n = 10; n <= 10000; n *= 10) measure("four-bars", make_ladder(n), n);
  return 0;
}
