// How the cost of accelerations grows with a model: chains, trees and rows of N four-bars up to
// 100,000 bodies; and the chain of robots.hpp (bench/peers), which other engines are timed on.
//
//   acceleration_growth          solver: one factorization and one solution; evaluation: frames, rows,
//                                forces and solver; step: one step of dopri5 through the simulation.
//   acceleration_growth memory   bytes a link of a chain, by owner (table accelerations-memory)
//   acceleration_growth robots   one evaluation of accelerations of the chains other engines run too
#include "accelerations.h"

// ---- memory -------------------------------------------------------------------------------------

static void *measured_allocate(void *context, size_t size) {
  size_t *in_use = context, *block = hn_allocate(NULL, size + 64);
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
  double *q, *qd, *x, *y;
  long calls;
  int has_loops;
} run;

static void solve(void *context) {
  run *r = context;
  stop_on(hn_solver_factor(r->solver, r->p.mass, r->p.block), "factor", NULL);
  stop_on(hn_solver_solve(r->solver, r->p.b, r->p.c, r->x, r->y, NULL), "solve", NULL);
}

// A state off the drawn one with speeds everywhere: in a chain at rest disturbances die out from joint
// to joint, down to numbers so small that processors take their time over them.
// Loops take only what closes them: they keep the position, with the speeds after one step.
static void stir(run *r) {
  const double off = r->has_loops ? 0 : 1e-3;
  int nq = r->s->equations->nq;
  r->q = taken((size_t)nq, sizeof(double));
  r->qd = taken((size_t)nq, sizeof(double));
  for (int i = 0; i < nq; i++) {
    r->q[i] = r->s->method->q[i] + off * sin(i + 1);
    r->qd[i] = r->has_loops ? r->s->method->qd[i] : 0.1 * sin(1.7 * i);
  }
}

// Positions are moved a little each time, so that nothing is kept from the last one.
static void evaluate(void *context) {
  run *r = context;
  hn_method *m = r->s->method;
  hn_equations *e = r->s->equations;
  r->q[0] += r->calls++ % 2 ? 1e-12 : -1e-12;
  stop_on(e->type->evaluate_stage(e, m->t, r->q, r->qd, &r->s->branches, r->s->looking.snapshot,
                                  &r->s->error),
          "evaluate", r->s->error.message);
}

static void measure(const char *name, hn_model *model, int n) {
  run r = {.calls = 0};
  hn_error error = {0};
  size_t engine = 0, solver = 0;
  hn_allocator of_engine = {measured_allocate, measured_release, &engine};
  hn_allocator of_solver = {measured_allocate, measured_release, &solver};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_arena arena;
  options.allocator = &of_engine;
  options.step = 1e-5;
  double begin = hn_bench_cpu();
  stop_on(hn_simulation_create(model, &options, &r.s, &error), name, error.message);
  double create = hn_bench_cpu() - begin;
  r.p = problem_of(name, r.s);
  begin = hn_bench_cpu();
  stop_on(hn_simulation_step(r.s, 1), name, hn_simulation_error(r.s)->message);
  double step = hn_bench_cpu() - begin;
  r.has_loops = r.p.solver.rows > 5 * r.p.solver.bodies;
  stir(&r);
  hn_arena_init(&arena, &of_solver);
  stop_on(hn_solver_create(&arena, &hn_solver_topology, &r.p.solver, &r.solver, &error), name,
          NULL);
  size_t nu = 6 * (size_t)r.p.solver.bodies;
  r.x = taken(nu, sizeof(double));
  r.y = taken((size_t)r.p.solver.rows, sizeof(double));
  double bodies = r.p.solver.bodies;
  char setting[32];
  double solving = 1e6 * hn_bench_least_time(solve, &r) / bodies;
  double of_evaluation = hn_bench_least_time(evaluate, &r);
  hn_bench_row row = {.machine = name,
                      .program = "holon",
                      .coordinates = "cartesian",
                      .setting = hn_bench_setting(setting, sizeof setting, "N", n),
                      .cpu_s = of_evaluation,
                      .note = "one evaluation of accelerations"};
  hn_bench_print(&row, "%.0f,%d,%.4f,%.4f,%.4f,%.4f,%.0f,%.0f", bodies, r.p.solver.rows, create,
                 step, solving, 1e6 * of_evaluation / bodies, (double)solver / bodies,
                 (double)engine / bodies);
  free(r.x);
  free(r.y);
  free(r.q);
  free(r.qd);
  hn_arena_release(&r.p.arena);
  hn_arena_release(&arena);
  hn_simulation_free(r.s);
  hn_model_free(model);
}

// ---- bytes by owner -----------------------------------------------------------------------------

static void print_bytes(const char *owner, double bytes, int n) {
  char setting[32];
  hn_bench_row row = {.machine = "chain",
                      .program = "holon",
                      .setting = hn_bench_setting(setting, sizeof setting, "N", n),
                      .note = owner};
  hn_bench_print(&row, "%.0f", bytes / n);
}

// Memory of one owner: its arena's blocks, of which the last may be half empty (below 3 % here).
static void memory(int n) {
  size_t total = 0, solver = 0, rows = 0, equations = 0, elements = 0, snapshot = 0;
  hn_allocator of[] = {{measured_allocate, measured_release, &solver},
                       {measured_allocate, measured_release, &rows},
                       {measured_allocate, measured_release, &equations},
                       {measured_allocate, measured_release, &elements},
                       {measured_allocate, measured_release, &snapshot},
                       {measured_allocate, measured_release, &total}};
  hn_arena arena[5];
  hn_error error = {0};
  hn_model *model = make_chain(n, 0);
  hn_elements *compiled;
  hn_cartesian_rows *made;
  hn_equations *set;
  hn_snapshot *s;
  hn_solver *topology;
  hn_solver_problem linear;
  hn_arena scratch;
  hn_simulation *simulation = NULL;
  for (int k = 0; k < 5; k++) hn_arena_init(&arena[k], &of[k]);
  hn_arena_init(&scratch, NULL);
  stop_on(hn_elements_create(&arena[3], model, &compiled, &error), "elements", error.message);
  stop_on(hn_cartesian_problem(&scratch, compiled, &linear), "problem", NULL);
  stop_on(hn_solver_create(&arena[0], &hn_solver_topology, &linear, &topology, &error), "solver",
          error.message);
  stop_on(hn_cartesian_rows_create(&arena[1], compiled, &made), "rows", NULL);
  stop_on(hn_cartesian.create(&arena[2], compiled, NULL, &set, &error), "equations", error.message);
  stop_on(hn_snapshot_create(&arena[4], set, &s), "snapshot", NULL);
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.allocator = &of[5];
  options.step = 1e-5; // an explicit formula: no tangents
  stop_on(hn_simulation_create(model, &options, &simulation, &error), "chain", error.message);
  print_bytes("solver (order and structure; factor; vectors)", (double)solver, n);
  print_bytes("rows (Jacobian, values; shapes of joints)", (double)rows, n);
  print_bytes("vectors of the equations", (double)equations - (double)solver - (double)rows, n);
  print_bytes("equations (the three above)", (double)equations, n);
  print_bytes("a snapshot", (double)snapshot, n);
  print_bytes("elements (rows and measures as compiled)", (double)elements, n);
  print_bytes("simulation (equations; elements; three snapshots; method)", (double)total, n);
  hn_simulation_free(simulation);
  for (int k = 0; k < 5; k++) hn_arena_release(&arena[k]);
  hn_arena_release(&scratch);
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

static void robots(int most) {
  static const int links[] = {10, 20, 50, 100, 200, 500, 1000, 10000, 50000, 100000};
  for (size_t k = 0; k < sizeof links / sizeof links[0] && links[k] <= most; k++) {
    hn_model *model = make_robot_chain(links[k]);
    run r = {.s = simulate(model, "chain")};
    stir(&r);
    hn_bench_timing t = {.work = evaluate,
                         .context = &r}; // rounds as the peers have them (p5_time)
    hn_bench_least_times(&t, 1, 7, 0.05);
    char name[32], setting[32];
    snprintf(name, sizeof name, "chain%d", links[k]);
    hn_bench_row row = {.machine = name,
                        .program = "holon",
                        .coordinates = "cartesian",
                        .setting = hn_bench_setting(setting, sizeof setting, "speeds", links[k]),
                        .cpu_s = t.least,
                        .note = "one evaluation of accelerations"};
    hn_bench_print(&row, NULL);
    free(r.q);
    free(r.qd);
    hn_simulation_free(r.s);
    hn_model_free(model);
  }
}

int main(int argc, char **argv) {
  if (argc > 1 && !strcmp(argv[1], "robots")) {
    hn_bench_begin("accelerations-chains", NULL);
    robots(argc > 2 ? atoi(argv[2]) : 1000);
    return 0;
  }
  if (argc > 1 && !strcmp(argv[1], "memory")) {
    hn_bench_begin("accelerations-memory", "bytes_per_body");
    memory(hn_bench_is_quick() ? 10000 : 100000);
    return 0;
  }
  hn_bench_begin("accelerations-growth",
                 "bodies,rows,create_s,step_s,solver_us_per_body,evaluation_us_per_body,"
                 "solver_bytes_per_body,simulation_bytes_per_body");
  int most = hn_bench_is_quick() ? 1000 : 100000;
  for (int n = 10; n <= most; n *= 10) measure("chain", make_chain(n, 0), n);
  for (int n = 10; n <= most; n *= 10) measure("tree", make_tree(n), n);
  for (int n = 10; n <= most / 10; n *= 10) measure("four-bars", make_ladder(n), n);
  return 0;
}
