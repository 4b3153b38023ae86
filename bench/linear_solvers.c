// Linear solvers side by side: microseconds for one factorization (assembly and scaling included) and
// one solution (refinement included), for chains, rows of four-bars, trees, stars, the seven-body
// mechanism and a vehicle. CSV on stdout.
//
// `klu-bare` is KLU alone on the same matrix, refactorization and one solution without scaling or
// refinement: the strictest yardstick. Times are the least of several rounds, CPU time of one thread;
// run with OPENBLAS_NUM_THREADS=1.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/linalg/joint_machines.h"
#include "linalg/solver_system.h"

#if HOLON_WITH_SUITESPARSE
#include <klu.h>
#endif

enum { ROUNDS = 9, MOST_DENSE_ROWS = 800 };

typedef struct problem {
  const char *name;
  int n;
  joint_machine m;
  double *b, *c, *x, *y, *first; // first: accelerations of the first solver
} problem;

static double *numbers(int count) {
  double *p = calloc((size_t)count + 1, sizeof(double));
  if (!p) exit(1);
  return p;
}

static void stop_on(hn_status status, const char *what) {
  if (status == HN_OK) return;
  fprintf(stderr, "linear_solvers: %s: %s\n", what, hn_status_text(status));
  exit(1);
}

// Least microseconds of `work` called once, over ROUNDS rounds of at least 10 ms.
static double least_time(void (*work)(void *), void *context) {
  double least = DBL_MAX;
  long calls = 1;
  for (int round = 0; round < ROUNDS;) {
    clock_t begin = clock();
    for (long k = 0; k < calls; k++) work(context);
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (seconds < 0.01) {
      calls *= 2;
      continue;
    }
    double one = 1e6 * seconds / (double)calls;
    if (one < least) least = one;
    round++;
  }
  return least;
}

// ---- solvers of the library ---------------------------------------------------------------------

typedef struct run {
  problem *p;
  hn_solver *solver;
} run;

static void factor(void *context) {
  run *r = context;
  stop_on(hn_solver_factor(r->solver, r->p->m.mass, r->p->m.block), r->solver->type->name);
}

static void solve(void *context) {
  run *r = context;
  problem *p = r->p;
  stop_on(hn_solver_solve(r->solver, p->b, p->c, p->x, p->y, NULL), r->solver->type->name);
}

static double difference(const problem *p) {
  double worst = 0, most = 0;
  for (int i = 0; i < 6 * p->m.bodies; i++) {
    worst = fmax(worst, fabs(p->x[i] - p->first[i]));
    most = fmax(most, fabs(p->first[i]));
  }
  return worst / most;
}

static void print_row(const problem *p, const char *solver, double factor_us, double solve_us,
                      int refinements, double operations, double off, double estimate,
                      int is_chosen) {
  double total = factor_us + solve_us;
  printf("%s,%d,%d,%d,%s,%.3f,%.3f,%.3f,%.4f,%d,%.0f,%.1e,", p->name, p->n, p->m.bodies, p->m.rows,
         solver, factor_us, solve_us, total, total / p->m.bodies, refinements, operations, off);
  if (estimate >= 0) printf("%.2f", estimate);
  printf(",%s\n", is_chosen ? "yes" : "");
  fflush(stdout);
}

static void measure(problem *p, const hn_solver_type *type, const hn_solver_type *chosen) {
  hn_solver_problem description = jm_problem(&p->m);
  hn_arena arena, scratch;
  hn_error error;
  hn_solver_report report;
  run r = {.p = p};
  hn_arena_init(&arena, NULL);
  hn_arena_init(&scratch, NULL);
  stop_on(hn_solver_create(&arena, type, &description, &r.solver, &error), type->name);
  factor(&r);
  stop_on(hn_solver_solve(r.solver, p->b, p->c, p->x, p->y, &report), type->name);
  if (!p->first) {
    p->first = numbers(6 * p->m.bodies);
    memcpy(p->first, p->x, 6 * (size_t)p->m.bodies * sizeof(double));
  }
  double off = difference(p);
  double estimate = type->estimate ? type->estimate(&scratch, &description, HUGE_VAL) : -1;
  double factor_us = least_time(factor, &r), solve_us = least_time(solve, &r);
  print_row(p, type->name, factor_us, solve_us, report.refinements, r.solver->operations, off,
            estimate, type == chosen);
  hn_arena_release(&arena);
  hn_arena_release(&scratch);
}

// ---- KLU by itself ------------------------------------------------------------------------------

#if HOLON_WITH_SUITESPARSE

typedef struct bare {
  int n, *start, *row;
  double *value, *x, *right;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
} bare;

// Entry (i, j) of P: counted in the first pass, written in the second.
static void put(bare *k, int pass, int i, int j, double value) {
  if (pass == 0) {
    k->start[j + 2]++;
    return;
  }
  k->row[k->start[j + 1]] = i;
  k->value[k->start[j + 1]++] = value;
}

static void fill(bare *k, const hn_system *s, int pass) {
  static const int place[3][3] = {{3, 4, 6}, {4, 5, 7}, {6, 7, 8}};
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 3; i++) {
      put(k, pass, 6 * b + i, 6 * b + i, s->m[9 * b + i] + s->rho);
      for (int j = 0; j < 3; j++)
        put(k, pass, 6 * b + 3 + i, 6 * b + 3 + j,
            s->m[9 * b + place[i][j]] + (i == j ? s->rho : 0));
    }
  for (int r = 0; r < s->rows; r++) {
    for (int e = s->block_start[r]; e < s->block_start[r + 1]; e++)
      for (int i = 0; i < 6; i++) {
        int column = 6 * s->block_body[e] + i;
        put(k, pass, s->x_size + r, column, s->j[s->block_at[e] + i]);
        put(k, pass, column, s->x_size + r, s->j[s->block_at[e] + i]);
      }
    put(k, pass, s->x_size + r, s->x_size + r, -s->epsilon[s->row_y[r]]);
  }
}

static void refactor(void *context) {
  bare *k = context;
  klu_refactor(k->start, k->row, k->value, k->symbolic, k->numeric, &k->common);
}

static void solve_bare(void *context) {
  bare *k = context;
  memcpy(k->x, k->right, (size_t)k->n * sizeof(double));
  klu_solve(k->symbolic, k->numeric, k->n, 1, k->x, &k->common);
}

static void measure_bare(problem *p) {
  hn_solver_problem description = jm_problem(&p->m);
  hn_arena arena;
  hn_error error;
  hn_solver *scaled;
  bare k;
  hn_arena_init(&arena, NULL);
  stop_on(hn_solver_create(&arena, &hn_solver_topology, &description, &scaled, &error), "klu-bare");
  hn_system_load(scaled->system, p->m.mass, p->m.block);
  k.n = 6 * p->m.bodies + p->m.rows;
  k.start = HN_TAKE(&arena, int, k.n + 2);
  k.x = HN_TAKE(&arena, double, k.n);
  k.right = HN_TAKE(&arena, double, k.n);
  fill(&k, scaled->system, 0);
  for (int j = 0; j < k.n; j++) k.start[j + 2] += k.start[j + 1];
  k.row = HN_TAKE(&arena, int, k.start[k.n + 1]);
  k.value = HN_TAKE(&arena, double, k.start[k.n + 1]);
  if (arena.failed) exit(1);
  fill(&k, scaled->system, 1);
  for (int i = 0; i < k.n; i++) k.right[i] = sin(1 + i);
  klu_defaults(&k.common);
  k.common.scale = -1;
  k.symbolic = klu_analyze(k.n, k.start, k.row, &k.common); // AMD, block triangular form
  k.numeric = k.symbolic ? klu_factor(k.start, k.row, k.value, k.symbolic, &k.common) : NULL;
  if (!k.numeric) exit(1);
  klu_flops(k.symbolic, k.numeric, &k.common);
  print_row(p, "klu-bare", least_time(refactor, &k), least_time(solve_bare, &k), 0,
            k.common.flops / 2, 0, -1, 0);
  klu_free_numeric(&k.numeric, &k.common);
  klu_free_symbolic(&k.symbolic, &k.common);
  hn_arena_release(&arena);
}

#else
static void measure_bare(problem *p) { (void)p; }
#endif

// ---- machines -----------------------------------------------------------------------------------

static void compare(problem *p) {
  hn_solver_problem description = jm_problem(&p->m);
  const hn_solver_type *chosen;
  hn_arena scratch;
  hn_error error;
  p->b = numbers(6 * p->m.bodies);
  p->x = numbers(6 * p->m.bodies);
  p->c = numbers(p->m.rows);
  p->y = numbers(p->m.rows);
  p->first = NULL;
  jm_right_sides(&p->m, p->b, p->c);
  hn_arena_init(&scratch, NULL);
  stop_on(hn_solver_choose(&scratch, &description, "auto", &chosen, &error), "auto");
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    if ((*type)->most_unknowns > 0 && p->m.rows > MOST_DENSE_ROWS) continue;
    measure(p, *type, chosen);
  }
  measure_bare(p);
  hn_arena_release(&scratch);
  free(p->b);
  free(p->c);
  free(p->x);
  free(p->y);
  free(p->first);
  jm_end(&p->m);
}

static problem begin(const char *name, int n) {
  problem p = {.name = name, .n = n};
  jm_begin(&p.m, 1);
  return p;
}

int main(void) {
  const int links[] = {10, 50, 100, 1000, 10000}, loops[] = {10, 40, 160};
  printf("machine,N,bodies,rows,solver,factor_us,solve_us,total_us,us_per_body,refinements,"
         "operations,difference,estimate_us,chosen\n");
  for (size_t k = 0; k < sizeof links / sizeof links[0]; k++) {
    problem p = begin("chain", links[k]);
    jm_chain(&p.m, links[k]);
    compare(&p);
  }
  for (size_t k = 0; k < sizeof loops / sizeof loops[0]; k++) {
    problem p = begin("four-bars", loops[k]);
    jm_ladder(&p.m, loops[k], 1, 0.1);
    compare(&p);
  }
  problem p = begin("tree", 1000);
  jm_tree(&p.m, 1000, 1000, 0);
  compare(&p);
  p = begin("star", 100);
  jm_star(&p.m, 100, 3);
  compare(&p);
  p = begin("seven-body", 7);
  jm_seven_body(&p.m);
  compare(&p);
  p = begin("vehicle", 4);
  jm_vehicle(&p.m, 4);
  compare(&p);
  return 0;
}
