// Tables 6 to 10 of D. Negrut's thesis (1998): one solution of the augmented system of the HMMWV14
// in joint coordinates (27 speeds, 16 loop-closure constraints), operations counted and timed:
// Gauss (dgesv), symmetric indefinite (dsysv), by the topology of the tree (Alg-S), and by the same
// steps with dense matrices (Alg-D, algorithm 4: M = L L', T = L^-1 J', T'T = R R'). CSV on stdout.
//
// Operations: multiplications; a dense matrix of n has n^3/3 + n^2 - n/3 of them (27391 in the thesis,
// by its own count, for n = 43).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "common/table.h"
#include "common/timing.h"
#include "equations/relative/relative.h"
#include "linalg/saddle.h"

void dgesv_(const int *n, const int *columns, double *a, const int *lda, int *pivots, double *b,
            const int *ldb, int *info);
void dsysv_(const char *half, const int *n, const int *columns, double *a, const int *lda,
            int *pivots, double *b, const int *ldb, double *work, const int *size, int *info,
            size_t);

void dpotrf_(const char *half, const int *n, double *a, const int *lda, int *info, size_t);
void dtrsm_(const char *side, const char *half, const char *transposed, const char *unit,
            const int *rows, const int *columns, const double *factor, const double *a,
            const int *lda, double *b, const int *ldb, size_t, size_t, size_t, size_t);
void dsyrk_(const char *half, const char *transposed, const int *n, const int *k,
            const double *alpha, const double *a, const int *lda, const double *beta, double *c,
            const int *ldc, size_t, size_t);
void dgemv_(const char *transposed, const int *rows, const int *columns, const double *alpha,
            const double *a, const int *lda, const double *x, const int *step, const double *beta,
            double *y, const int *step_y, size_t);

enum { MOST = 64 };

typedef struct problem {
  hn_relative_set *set;
  int n, rows, size;
  double matrix[MOST * MOST], right[MOST];
  double a[MOST * MOST], x[MOST], y[MOST], work[MOST * MOST];
  int pivots[MOST];
} problem;

static void fill(problem *p) {
  const hn_relative_set *s = p->set;
  const int *start = s->tree->mass_start, *index = s->tree->mass_index;
  memset(p->matrix, 0, sizeof p->matrix);
  for (int j = 0; j < p->n; j++)
    for (int e = start[j]; e < start[j + 1]; e++)
      p->matrix[j * p->size + index[e]] = p->matrix[index[e] * p->size + j] = s->mass[e];
  for (int r = 0; r < p->rows; r++)
    for (int e = s->j_start[r]; e < s->j_start[r + 1]; e++)
      p->matrix[(p->n + r) * p->size + s->j_index[e]] =
          p->matrix[s->j_index[e] * p->size + p->n + r] = s->j_values[e];
  for (int i = 0; i < p->size; i++) p->right[i] = i < p->n ? s->b[i] : s->tau[i - p->n];
}

static void copy(problem *p) {
  memcpy(p->a, p->matrix, (size_t)p->size * (size_t)p->size * sizeof(double));
  memcpy(p->x, p->right, (size_t)p->size * sizeof(double));
}

static void by_gauss(void *context) {
  problem *p = context;
  int one = 1, info = 0;
  copy(p);
  dgesv_(&p->size, &one, p->a, &p->size, p->pivots, p->x, &p->size, &info);
}

static void by_symmetric(void *context) {
  problem *p = context;
  int one = 1, info = 0, size = MOST * MOST;
  copy(p);
  dsysv_("L", &p->size, &one, p->a, &p->size, p->pivots, p->x, &p->size, p->work, &size, &info, 1);
}

static void solve(const char *transposed, int n, int columns, const double *factor, int lda,
                  double *b, int ldb) {
  const double one = 1;
  dtrsm_("L", "L", transposed, "N", &n, &columns, &one, factor, &lda, b, &ldb, 1, 1, 1, 1);
}

// [M J'; J 0] [x; y] = [b; tau]: no pivoting, no topology. The block under M becomes J, whose transpose
// is to its right: T.
static void by_dense(void *context) {
  problem *p = context;
  const double one = 1, zero = 0, minus = -1;
  const int step = 1;
  int info = 0;
  copy(p);
  double *t = p->a + p->n * p->size, *y = p->x + p->n, *gram = p->work;
  dpotrf_("L", &p->n, p->a, &p->size, &info, 1);                                     // 1
  solve("N", p->n, 1, p->a, p->size, p->x, p->size);                                 // 2
  solve("N", p->n, p->rows, p->a, p->size, t, p->size);                              // 3.1
  dgemv_("T", &p->n, &p->rows, &one, t, &p->size, p->x, &step, &minus, y, &step, 1); // 3.2
  dsyrk_("L", "T", &p->rows, &p->n, &one, t, &p->size, &zero, gram, &p->rows, 1, 1); // 3.3
  dpotrf_("L", &p->rows, gram, &p->rows, &info, 1);                                  // 3.4
  solve("N", p->rows, 1, gram, p->rows, y, p->rows);
  solve("T", p->rows, 1, gram, p->rows, y, p->rows);
  dgemv_("N", &p->n, &p->rows, &minus, t, &p->size, y, &step, &one, p->x, &step, 1); // 3.5
  solve("T", p->n, 1, p->a, p->size, p->x, p->size);                                 // 4
}

// Multiplications of by_dense with n unknowns and m constraints, step by step.
static double dense_operations(double n, double m) {
  const double factor = n * (n * n - 1) / 6, substitute = n * (n - 1) / 2;
  const double small = m * (m * m - 1) / 6, small_substitute = m * (m - 1) / 2;
  return factor + substitute + m * substitute + m * n + n * m * (m + 1) / 2 + small +
         2 * small_substitute + m * n + substitute;
}

// The largest difference from Gauss, of 1 + the largest unknown.
static double difference(problem *p) {
  double gauss[MOST], largest = 0, most = 0;
  by_gauss(p);
  memcpy(gauss, p->x, sizeof gauss);
  by_dense(p);
  for (int i = 0; i < p->size; i++) {
    largest = fmax(largest, fabs(gauss[i]));
    most = fmax(most, fabs(p->x[i] - gauss[i]));
  }
  return most / (1 + largest);
}

static void by_factor(void *context) {
  problem *p = context;
  hn_saddle_factor(p->set->base.saddle, p->set->mass, p->set->j_values);
}

static void by_tree(void *context) {
  problem *p = context;
  hn_saddle_factor(p->set->base.saddle, p->set->mass, p->set->j_values);
  hn_saddle_solve_once(p->set->base.saddle, p->right, p->right + p->n, p->x, p->y);
}

static void print(const char *program, const char *method, double seconds, double base,
                  double operations, double of_thesis) {
  hn_bench_row row = {.machine = "HMMWV14",
                      .program = program,
                      .coordinates = "relative",
                      .method = method,
                      .setting = "n=43",
                      .cpu_s = seconds,
                      .ratio = base > 0 ? base / seconds : 0,
                      .to = base > 0 ? "dgesv" : NULL,
                      .paper_ratio = of_thesis > 0 ? 2336 / of_thesis : 0};
  hn_bench_print(&row, "%.0f", operations);
}

int main(void) {
  static problem p;
  hn_model *model = hn_bench_load("models/negrut/hmmwv14.yaml");
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  options.coordinates = "relative";
  options.method = "first-order";
  options.formula = "dopri5";
  hn_bench_must(hn_simulation_create(model, &options, &simulation, &error), &error);
  hn_bench_must(hn_simulation_advance(simulation, 0.6), hn_simulation_error(simulation));
  p.set = (hn_relative_set *)simulation->equations;
  p.n = p.set->base.nu;
  p.rows = p.set->cut_count;
  p.size = p.n + p.rows;
  if (p.size > MOST) return 1;
  fill(&p);
  const hn_saddle *saddle = p.set->base.saddle;
  double fill_in = (double)hn_saddle_fill(saddle), size = p.size;
  double own = hn_saddle_operations(saddle) + 3 * fill_in + size;
  double dense = size * size * size / 3 + size * size - size / 3;
  if (!(difference(&p) < 1e-8)) {
    fprintf(stderr, "Alg-D differs from Gauss by %.1e\n", difference(&p));
    return 1;
  }
  hn_bench_timing times[5] = {{.work = by_tree, .context = &p}, {.work = by_factor, .context = &p}};
  int count = 2;
  times[count++] = (hn_bench_timing){.work = by_gauss, .context = &p};
  times[count++] = (hn_bench_timing){.work = by_symmetric, .context = &p};
  times[count++] = (hn_bench_timing){.work = by_dense, .context = &p};
  hn_bench_least_times(times, count, 20, 0.005);
  hn_bench_begin("negrut-joints", "multiplications");
  double gauss = times[2].least;
  print("dgesv", "Gauss", gauss, 0, dense, 0);
  print("dsysv", "Symmetric", times[3].least, gauss, dense / 2, 2022);
  print("holon", "tree", times[0].least, gauss, own, 1201);
  print("dpotrf", "Alg-D", times[4].least, gauss, dense_operations(p.n, p.rows), 1179);
  print("holon", "tree, factors alone", times[1].least, gauss, hn_saddle_operations(saddle), 0);
  hn_simulation_free(simulation);
  hn_model_free(model);
  return 0;
}
