// Linear solvers compared on models, and small dense factorizations: one run, so that the ratios
// mean something. One thread.
//
//   accelerations solvers   one factorization (assembly and scaling included) and one solution
//                           (refinement included) of [M J'; J 0]: the thesis' table 2 and more
// models
//   accelerations reduced   the reduced matrix B alone, factored and solved: the thesis' tables 3 and 4
//   accelerations kernels   L D L' of n x n by own factors against dpotrf of LAPACK
//
// Redundant rows are left out before, for all solvers alike: the seven-body mechanism drawn with spatial
// revolutes keeps 41 of 50. The program `klu` is KLU by itself: values copied, refactored, solved once,
// no refinement, on the matrix that was scaled before; `dgetrf` and `dsysv` are LAPACK on the whole
// dense matrix.
#include "accelerations.h"

#include <limits.h>
#include <string.h>

#include "linalg/block_reduce.h"
#include "linalg/factors.h"
#include "linalg/joint_order.h"

#include <klu.h>

void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *pivots, double *b, const int *ldb, int *info, size_t);
void dsysv_(const char *uplo, const int *n, const int *nrhs, double *a, const int *lda, int *pivots,
            double *b, const int *ldb, double *work, const int *lwork, int *info, size_t);
void dppsv_(const char *uplo, const int *n, const int *nrhs, double *ap, double *b, const int *ldb,
            int *info, size_t);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);

enum { MOST_DENSE = 1200 }; // unknowns

static const int one = 1;

// ---- solvers of the library ---------------------------------------------------------------------

typedef struct run {
  problem *p;
  hn_solver *solver;
  double *x, *y;
} run;

static void factor(void *context) {
  run *r = context;
  stop_on(hn_solver_factor(r->solver, r->p->mass, r->p->block), r->p->name, "factor");
}

static void solve(void *context) {
  run *r = context;
  stop_on(hn_solver_solve(r->solver, r->p->b, r->p->c, r->x, r->y, NULL), r->p->name, "solve");
}

typedef struct row {
  const char *solver;
  double factor, solve, difference; // s; relative
  int refinements, is_library;
  const char *chosen;
} row;

static double topology_s; // of this machine: all ratios are against it

static void print_row(const problem *p, const row *r) {
  double total = r->factor + r->solve;
  int is_ours = !strcmp(r->solver, "topology");
  if (is_ours) topology_s = total;
  hn_bench_row out = {.machine = p->name,
                      .program = r->is_library ? r->solver : "holon",
                      .coordinates = "cartesian",
                      .method = r->is_library ? "" : r->solver,
                      .quantity = r->difference > 0 ? "accelerations, to topology" : NULL,
                      .error = r->difference,
                      .cpu_s = total,
                      .ratio = topology_s / total,
                      .to = "topology",
                      .note = r->chosen};
  hn_bench_print(&out, "%d,%d,%d,%.3f,%.3f,%d", p->solver.bodies, p->solver.rows, p->left_out,
                 1e6 * r->factor, 1e6 * r->solve, r->refinements);
}

static double difference(const double *a, const double *b, int count) {
  double worst = 0, most = 0;
  for (int i = 0; i < count; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
    most = fmax(most, fabs(a[i]));
  }
  return worst / most;
}

// One solver of one machine, ready to be timed.
typedef struct entry {
  row out;
  hn_arena arena;
  run run;
} entry;

static void prepare(problem *p, const hn_solver_type *type, const hn_solver_type *chosen,
                    double *first, entry *e) {
  hn_error error;
  hn_solver_report report;
  size_t nu = 6 * (size_t)p->solver.bodies;
  run *r = &e->run;
  *r = (run){.p = p};
  hn_arena_init(&e->arena, NULL);
  r->x = HN_TAKE(&e->arena, double, nu);
  r->y = HN_TAKE(&e->arena, double, p->solver.rows);
  stop_on(hn_solver_create(&e->arena, type, &p->solver, &r->solver, &error), p->name, type->name);
  factor(r);
  stop_on(hn_solver_solve(r->solver, p->b, p->c, r->x, r->y, &report), p->name, type->name);
  if (type == &hn_solver_topology) memcpy(first, r->x, nu * sizeof(double));
  e->out = (row){.solver = type->name,
                 .difference = difference(first, r->x, (int)nu),
                 .refinements = report.refinements,
                 .chosen = type == chosen ? "chosen by auto" : ""};
}

// ---- the whole matrix, by columns, for libraries ------------------------------------------------

typedef struct whole {
  int n, entries, *start, *index, *fill;
  double *value, *x, *right, *dense, *work;
  int *pivots, lwork, info;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  const problem *p;
  double *mass, *block; // in units of D and R, with epsilon; null: as the problem has them
} whole;

static void put(whole *k, int pass, int i, int j, double value) {
  if (pass == 0) k->start[j + 1]++;
  if (pass == 1) k->index[k->fill[j]] = i;
  if (pass >= 1) k->value[k->fill[j]++] = value;
}

// pass 0 counts, 1 writes the pattern too, 2 writes numbers only: what KLU needs every time.
static void fill(whole *k, int pass) {
  static const int place[3][3] = {{3, 4, 6}, {4, 5, 7}, {6, 7, 8}};
  const hn_solver_problem *s = &k->p->solver;
  const double *mass = k->mass ? k->mass : k->p->mass;
  const double *block = k->block ? k->block : k->p->block;
  if (pass > 0) memcpy(k->fill, k->start, (size_t)k->n * sizeof(int));
  for (int b = 0; b < s->bodies; b++)
    for (int i = 0; i < 3; i++) {
      put(k, pass, 6 * b + i, 6 * b + i, mass[9 * b + i]);
      for (int j = 0; j < 3; j++)
        put(k, pass, 6 * b + 3 + i, 6 * b + 3 + j, mass[9 * b + place[i][j]]);
    }
  for (int r = 0; r < s->rows; r++)
    for (int e = s->row_start[r]; e < s->row_start[r + 1]; e++)
      for (int i = 0; i < 6; i++) {
        double number = block[6 * e + i];
        int column = 6 * (s->body[e] - 1) + i;
        if (pass < 2 && number == 0) number = DBL_MIN; // in the pattern, whatever the position
        put(k, pass, 6 * s->bodies + r, column, number);
        put(k, pass, column, 6 * s->bodies + r, number);
      }
  for (int r = 0; k->mass && r < s->rows; r++)
    put(k, pass, 6 * s->bodies + r, 6 * s->bodies + r, -HN_SYSTEM_EPSILON);
}

// In units of D and R, as the solvers of the library see it.
static void scale_whole(whole *k, const hn_system *s) {
  static const int row_of[9] = {0, 1, 2, 3, 3, 4, 3, 4, 5},
                   column_of[9] = {0, 1, 2, 3, 4, 4, 5, 5, 5};
  const problem *p = k->p;
  k->mass = taken(9 * (size_t)p->solver.bodies, sizeof(double));
  k->block = taken(6 * (size_t)p->solver.row_start[p->solver.rows], sizeof(double));
  for (int i = 0; i < 9 * p->solver.bodies; i++) {
    const double *d = &s->d[6 * (i / 9)];
    k->mass[i] = p->mass[i] * d[row_of[i % 9]] * d[column_of[i % 9]];
  }
  for (int r = 0; r < p->solver.rows; r++)
    for (int i = 6 * p->solver.row_start[r]; i < 6 * p->solver.row_start[r + 1]; i++)
      k->block[i] = p->block[i] * s->r[s->row_y[r]] * s->d[6 * (p->solver.body[i / 6] - 1) + i % 6];
}

static void begin_whole(whole *k, const problem *p, const hn_system *units) {
  *k = (whole){.n = 6 * p->solver.bodies + p->solver.rows, .p = p};
  size_t n = (size_t)k->n;
  if (units) scale_whole(k, units);
  k->start = taken(n + 1, sizeof(int));
  k->fill = taken(n, sizeof(int));
  fill(k, 0);
  for (int j = 0; j < k->n; j++) k->start[j + 1] += k->start[j];
  k->entries = k->start[k->n];
  k->index = taken((size_t)k->entries, sizeof(int));
  k->value = taken((size_t)k->entries, sizeof(double));
  k->x = taken(n, sizeof(double));
  k->right = taken(n, sizeof(double));
  fill(k, 1);
  memcpy(k->right, p->b, 6 * (size_t)p->solver.bodies * sizeof(double));
  memcpy(k->right + 6 * p->solver.bodies, p->c, (size_t)p->solver.rows * sizeof(double));
}

static void end_whole(whole *k) {
  void *blocks[] = {k->start, k->fill, k->index,  k->value, k->x,    k->right,
                    k->dense, k->work, k->pivots, k->mass,  k->block};
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) free(blocks[i]);
}

static void klu_refactor_all(void *context) {
  whole *k = context;
  fill(k, 2);
  klu_refactor(k->start, k->index, k->value, k->symbolic, k->numeric, &k->common);
}

static void klu_solve_all(void *context) {
  whole *k = context;
  memcpy(k->x, k->right, (size_t)k->n * sizeof(double));
  klu_solve(k->symbolic, k->numeric, k->n, 1, k->x, &k->common);
}

// KLU by itself; numeric is null where it fails.
static void prepare_klu(const problem *p, const hn_solver *solver, whole *k) {
  begin_whole(k, p, solver->system);
  klu_defaults(&k->common); // AMD, block triangular form
  k->common.scale = -1;
  k->symbolic = klu_analyze(k->n, k->start, k->index, &k->common);
  fill(k, 2);
  k->numeric = klu_factor(k->start, k->index, k->value, k->symbolic, &k->common);
}

static void end_klu(whole *k) {
  klu_free_numeric(&k->numeric, &k->common);
  klu_free_symbolic(&k->symbolic, &k->common);
  end_whole(k);
}

static void spread(whole *k) {
  memset(k->dense, 0, (size_t)k->n * (size_t)k->n * sizeof(double));
  for (int j = 0; j < k->n; j++)
    for (int e = k->start[j]; e < k->start[j + 1]; e++)
      k->dense[(size_t)j * (size_t)k->n + (size_t)k->index[e]] = k->value[e];
  memcpy(k->x, k->right, (size_t)k->n * sizeof(double));
}

static void lu_all(void *context) {
  whole *k = context;
  spread(k);
  dgetrf_(&k->n, &k->n, k->dense, &k->n, k->pivots, &k->info);
  dgetrs_("N", &k->n, &one, k->dense, &k->n, k->pivots, k->x, &k->n, &k->info, 1);
}

static void symmetric_all(void *context) {
  whole *k = context;
  spread(k);
  dsysv_("L", &k->n, &one, k->dense, &k->n, k->pivots, k->x, &k->n, k->work, &k->lwork, &k->info,
         1);
}

static void measure_lapack(const problem *p, const double *first) {
  whole k;
  begin_whole(&k, p, NULL);
  if (k.n <= MOST_DENSE) {
    k.dense = taken((size_t)k.n * (size_t)k.n, sizeof(double));
    k.lwork = 64 * k.n;
    k.work = taken((size_t)k.lwork, sizeof(double));
    k.pivots = taken((size_t)k.n, sizeof(int));
    fill(&k, 2);
    struct {
      const char *name;
      void (*work)(void *);
    } ways[] = {{"dgetrf", lu_all}, {"dsysv", symmetric_all}};
    for (int w = 0; w < 2; w++) {
      ways[w].work(&k);
      row out = {.solver = ways[w].name, .is_library = 1, .chosen = "whole dense matrix"};
      out.difference = difference(first, k.x, 6 * p->solver.bodies);
      out.factor = hn_bench_least_time(ways[w].work, &k); // solution included
      print_row(p, &out);
    }
  }
  end_whole(&k);
}

enum { MOST_SOLVERS = 8, ROUNDS = 30 };

static int prepare_all(problem *p, double *first, entry *list) {
  const hn_solver_type *chosen, *named;
  hn_arena scratch;
  hn_error error;
  int count = 0;
  hn_arena_init(&scratch, NULL);
  stop_on(hn_solver_choose(&scratch, &p->solver, "auto", &chosen, &error), p->name, "auto");
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    if (hn_solver_choose(&scratch, &p->solver, (*type)->name, &named, &error) != HN_OK) continue;
    prepare(p, *type, chosen, first, &list[count++]);
  }
  hn_arena_release(&scratch);
  return count;
}

static void compare(problem *p) {
  entry list[MOST_SOLVERS];
  hn_bench_timing times[2 * MOST_SOLVERS + 2];
  whole bare;
  double *first = taken(6 * (size_t)p->solver.bodies, sizeof(double));
  int count = prepare_all(p, first, list);
  prepare_klu(p, list[0].run.solver, &bare); // topology comes first
  for (int k = 0; k < count; k++) {
    times[2 * k] = (hn_bench_timing){.work = factor, .context = &list[k].run};
    times[2 * k + 1] = (hn_bench_timing){.work = solve, .context = &list[k].run};
  }
  times[2 * count] = (hn_bench_timing){.work = klu_refactor_all, .context = &bare};
  times[2 * count + 1] = (hn_bench_timing){.work = klu_solve_all, .context = &bare};
  hn_bench_least_times(times, 2 * count + (bare.numeric ? 2 : 0), ROUNDS, 0.005);
  for (int k = 0; k < count; k++) {
    list[k].out.factor = times[2 * k].least;
    list[k].out.solve = times[2 * k + 1].least;
    print_row(p, &list[k].out);
    hn_arena_release(&list[k].arena);
  }
  row out = {.solver = "klu", .is_library = 1, .chosen = "refactored; solved once, no refinement"};
  out.factor = times[2 * count].least;
  out.solve = times[2 * count + 1].least;
  if (bare.numeric) print_row(p, &out);
  end_klu(&bare);
  measure_lapack(p, first);
  free(first);
}

static problem load(const char *name, const char *path, const char *setting) {
  hn_model *model = NULL;
  hn_error error = {0};
  hn_load_options options = hn_default_load_options();
  options.settings = &setting;
  options.setting_count = setting ? 1 : 0;
  hn_status status = hn_model_load(path, &options, &model, &error);
  stop_on(status, path, error.message);
  hn_simulation *s = simulate(model, name);
  problem p = problem_of(name, s);
  hn_simulation_free(s);
  hn_model_free(model);
  return p;
}

static problem chain(const char *name, int n, int is_bad) {
  hn_model *model = make_chain(n, is_bad);
  hn_simulation *s = simulate(model, name);
  problem p = problem_of(name, s);
  hn_simulation_free(s);
  hn_model_free(model);
  return p;
}

static void solvers(void) {
  hn_bench_begin("accelerations-solvers", "bodies,rows,left_out,factor_us,solve_us,refinements");
  problem list[] = {load("seven-body", "models/negrut/seven-body.yaml", NULL),
                    chain("chain-50", 50, 0),
                    chain("chain-50-bad-numbers", 50, 1),
                    load("hmmwv14", "models/negrut/hmmwv14.yaml", NULL),
                    load("iltis", "models/iltis/iltis.yaml", NULL),
                    load("four-bars-40", "models/iftomm/a02.yaml", "N=40"),
                    load("steam-machine", "models/vlasenko/steam-machine.yaml", NULL)};
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    compare(&list[k]);
    hn_arena_release(&list[k].arena);
  }
}

// ---- the reduced matrix alone -------------------------------------------------------------------

// x = M^-1 y of one body, by elimination without pivots: M is positive definite.
static void divide_by_mass(const double *mass, const double *y, double *x) {
  const double *a = mass + 3; // xx xy yy xz yz zz of the inertia
  for (int i = 0; i < 3; i++) x[i] = y[i] / mass[i];
  const double l10 = a[1] / a[0], l20 = a[3] / a[0], d1 = a[2] - l10 * a[1];
  const double l21 = (a[4] - l20 * a[1]) / d1, d2 = a[5] - l20 * a[3] - l21 * l21 * d1;
  const double u1 = y[4] - l10 * y[3], u2 = y[5] - l20 * y[3] - l21 * u1;
  x[5] = u2 / d2;
  x[4] = u1 / d1 - l21 * x[5];
  x[3] = y[3] / a[0] - l10 * x[4] - l20 * x[5];
}

// B = J M^-1 J' as one dense matrix (n x n), with a little more on its diagonal.
static void dense_assemble(const problem *p, int n, double *b) {
  const hn_solver_problem *s = &p->solver;
  memset(b, 0, (size_t)n * (size_t)n * sizeof(double));
  for (int i = 0; i < n; i++)
    for (int e = s->row_start[i]; e < s->row_start[i + 1]; e++) {
      double x[6];
      divide_by_mass(&p->mass[9 * (s->body[e] - 1)], &p->block[6 * (size_t)e], x);
      for (int j = 0; j < n; j++)
        for (int f = s->row_start[j]; f < s->row_start[j + 1]; f++)
          for (int c = 0; s->body[f] == s->body[e] && c < 6; c++)
            b[(size_t)i * (size_t)n + (size_t)j] += x[c] * p->block[6 * (size_t)f + (size_t)c];
    }
  for (int i = 0; i < n; i++) b[(size_t)i * (size_t)(n + 1)] *= 1 + 1e-10;
}

typedef struct reduced {
  int n, info, *pivots;
  double *b, *a, *x, *packed;
} reduced;

static void lu_reduced(void *context) {
  reduced *r = context;
  memcpy(r->a, r->b, (size_t)r->n * (size_t)r->n * sizeof(double));
  for (int i = 0; i < r->n; i++) r->x[i] = 1;
  dgetrf_(&r->n, &r->n, r->a, &r->n, r->pivots, &r->info);
  dgetrs_("N", &r->n, &one, r->a, &r->n, r->pivots, r->x, &r->n, &r->info, 1);
}

static void packed_reduced(void *context) {
  reduced *r = context;
  double *to = r->packed;
  for (int i = 0; i < r->n; i++)
    for (int j = i; j < r->n; j++) *to++ = r->b[(size_t)i * (size_t)r->n + (size_t)j];
  for (int i = 0; i < r->n; i++) r->x[i] = 1;
  dppsv_("L", &r->n, &one, r->packed, r->x, &r->n, &r->info, 1);
}

// Multiply-adds of block elimination in the order of the joints as given, and as chosen.
static double work_as_given(const problem *p) {
  hn_arena scratch;
  hn_nodes *nodes;
  hn_structure structure;
  hn_arena_init(&scratch, NULL);
  stop_on(hn_nodes_create(&scratch, &p->solver, &nodes), p->name, NULL);
  size_t n = (size_t)nodes->count;
  int *start = HN_TAKE(&scratch, int, n + 1), *neighbor = HN_TAKE(&scratch, int, n *n);
  int *weight = HN_TAKE(&scratch, int, n + 1), *order = HN_TAKE(&scratch, int, n + 1);
  for (int i = 0, at = 0; i < nodes->count; i++) {
    weight[i] = hn_node_size(nodes, i);
    order[i] = i;
    for (int j = 0; j < nodes->count; j++) {
      int touch = 0;
      for (int a = nodes->body_start[i]; a < nodes->body_start[i + 1]; a++)
        for (int b = nodes->body_start[j]; b < nodes->body_start[j + 1]; b++)
          touch |= nodes->body[a] == nodes->body[b];
      if (touch && i != j) neighbor[at++] = j;
    }
    start[i + 1] = at;
  }
  hn_graph graph = {nodes->count, start, neighbor, weight};
  stop_on(hn_structure_create(&scratch, &graph, order, 10000000, &structure), p->name, NULL);
  double work = structure.work;
  hn_arena_release(&scratch);
  return work;
}

static void compare_reduced(problem *p) {
  reduced r = {.n = p->solver.rows};
  hn_arena arena;
  hn_solver *topology;
  hn_error error;
  hn_arena_init(&arena, NULL);
  r.b = HN_TAKE(&arena, double, (size_t)r.n *(size_t)r.n);
  dense_assemble(p, r.n, r.b);
  r.a = HN_TAKE(&arena, double, (size_t)r.n *(size_t)r.n);
  r.packed = HN_TAKE(&arena, double, (size_t)r.n *(size_t)r.n);
  r.x = HN_TAKE(&arena, double, r.n);
  r.pivots = HN_TAKE(&arena, int, r.n);
  stop_on(hn_solver_create(&arena, &hn_solver_topology, &p->solver, &topology, &error), p->name,
          NULL);
  run whole_run = {.p = p, .solver = topology, .x = HN_TAKE(&arena, double, 6 * p->solver.bodies)};
  whole_run.y = r.x;
  factor(&whole_run);
  hn_bench_timing times[3] = {{.work = factor, .context = &whole_run},
                              {.work = lu_reduced, .context = &r},
                              {.work = packed_reduced, .context = &r}};
  hn_bench_least_times(times, 3, 20, 0.005);
  static const char *const programs[3] = {"holon", "dgetrf", "dppsv"};
  for (int k = 0; k < 3; k++) {
    hn_bench_row line = {.machine = p->name,
                         .program = programs[k],
                         .method = k ? "" : "topology",
                         .cpu_s = times[k].least,
                         .ratio = times[0].least / times[k].least,
                         .to = "topology",
                         .note = k ? "B given" : "with the assembly of B"};
    hn_bench_print(&line, "%d,%.0f,%.0f", r.n, work_as_given(p), topology->operations);
  }
  hn_arena_release(&arena);
}

static void reduced_tables(void) {
  hn_bench_begin("accelerations-reduced", "rows,work_as_numbered,work_with_assembly");
  problem list[] = {load("seven-body", "models/negrut/seven-body.yaml", NULL),
                    chain("chain-50", 50, 0), chain("chain-50-bad-numbers", 50, 1)};
  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    compare_reduced(&list[k]);
    hn_arena_release(&list[k].arena);
  }
}

// ---- small dense factorizations -----------------------------------------------------------------

typedef struct kernel {
  int n, stride, info;
  double *matrix, *copy;
  hn_factors *factors;
} kernel;

static void own_copy(void *context) {
  kernel *k = context;
  const int *place = hn_factors_places(k->factors);
  double *room = hn_factors_begin(k->factors);
  for (int j = 0; j < k->n; j++)
    for (int i = 0; i <= j; i++) room[*place++] = k->matrix[i * k->stride + j];
}

static void own_factor(void *context) {
  const hn_pivot_rule rule = {.is_definite = 1};
  own_copy(context);
  hn_factors_factor(((kernel *)context)->factors, &rule);
}

static hn_factors *make_full(hn_arena *arena, int n) {
  hn_factors *factors = NULL;
  int *start = HN_TAKE(arena, int, n + 1), *index = HN_TAKE(arena, int, n *(n + 1) / 2), at = 0;
  int *order = HN_TAKE(arena, int, n);
  for (int j = 0; j < n; j++) {
    order[j] = j;
    for (int i = 0; i <= j; i++) index[at++] = i;
    start[j + 1] = at;
  }
  stop_on(hn_factors_create(arena, n, start, index, order, 1, &factors), "factors", NULL);
  return factors;
}

static void library_factor(void *context) {
  kernel *k = context;
  memcpy(k->copy, k->matrix, (size_t)k->n * (size_t)k->stride * sizeof(double));
  dpotrf_("L", &k->n, k->copy, &k->stride, &k->info, 1);
}

static void copy_only(void *context) {
  kernel *k = context;
  memcpy(k->copy, k->matrix, (size_t)k->n * (size_t)k->stride * sizeof(double));
}

static void kernels(void) {
  hn_bench_begin("accelerations-kernels", NULL);
  for (int n = 4; n <= 40; n += 2) {
    hn_arena arena;
    kernel k = {.n = n, .stride = (n + 3) / 4 * 4};
    hn_arena_init(&arena, NULL);
    size_t size = (size_t)n * (size_t)k.stride + 8;
    k.matrix = HN_TAKE(&arena, double, size);
    k.copy = HN_TAKE(&arena, double, size);
    k.factors = make_full(&arena, n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) k.matrix[i * k.stride + j] = i == j ? n : sin(i * j + 1 + i + j);
    // both overwrite: the time of copying is taken off again
    hn_bench_timing times[4] = {{.work = own_factor, .context = &k},
                                {.work = library_factor, .context = &k},
                                {.work = own_copy, .context = &k},
                                {.work = copy_only, .context = &k}};
    hn_bench_least_times(times, 4, 20, 0.003);
    double seconds[2] = {times[0].least - times[2].least, times[1].least - times[3].least};
    for (int who = 0; who < 2; who++) {
      char setting[32];
      hn_bench_row line = {.machine = "dense matrix",
                           .program = who ? "dpotrf" : "holon",
                           .method = who ? "" : "factors",
                           .setting = hn_bench_setting(setting, sizeof setting, "n", n),
                           .cpu_s = seconds[who],
                           .ratio = who ? 0 : seconds[1] / seconds[0],
                           .to = who ? NULL : "dpotrf"};
      hn_bench_print(&line, NULL);
    }
    hn_arena_release(&arena);
  }
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "solvers";
  if (!strcmp(what, "solvers"))
    solvers();
  else if (!strcmp(what, "reduced"))
    reduced_tables();
  else if (!strcmp(what, "kernels"))
    kernels();
  else
    return 2;
  return 0;
}
