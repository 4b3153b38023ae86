// Cholesky factorization of the dense reduced matrix by LAPACK (dpotrf, dpotrs): a yardstick.
//
// OpenBLAS may use threads for large matrices; how many is a setting of the whole process, which a
// library must not touch. For the same bits every time set OPENBLAS_NUM_THREADS=1.
#include "linalg/solver_dense.h"

#if HOLON_WITH_LAPACK

void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda,
             double *b, const int *ldb, int *info, size_t);

enum { MOST_UNKNOWNS = 20000 };

typedef struct lapack {
  hn_solver base;
  hn_dense_system system;
} lapack;

static hn_status lapack_create(hn_arena *arena, const hn_solver_problem *problem,
                               hn_solver **solver) {
  lapack *self = HN_TAKE(arena, lapack, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_status status = hn_dense_system_create(arena, problem, &self->system);
  if (status != HN_OK) return status;
  double n = problem->rows;
  self->base = hn_system_solver(&self->system.system, &hn_solver_lapack,
                                self->system.operations + n * (n + 1) * (n + 2) / 6);
  *solver = &self->base;
  return HN_OK;
}

// The upper triangle by rows is the lower one by columns.
static hn_status lapack_factor(hn_solver *solver, const double *mass, const double *blocks) {
  lapack *self = (lapack *)solver;
  hn_dense_system *d = &self->system;
  int info = 0;
  hn_dense_system_assemble(d, mass, blocks);
  if (d->n > 0) dpotrf_("L", &d->n, d->b, &d->stride, &info, 1);
  return info == 0 ? HN_OK : HN_ERROR_SINGULAR;
}

static void apply_inverse(void *solver, const double *b, double *x, double *y) {
  hn_dense_system *d = &((lapack *)solver)->system;
  const int one = 1;
  int info;
  hn_dense_system_begin(d, b, y);
  if (d->n > 0) dpotrs_("L", &d->n, &one, d->b, &d->stride, d->y, &d->n, &info, 1);
  hn_dense_system_end(d, b, x, y);
}

static const hn_system_inverse steps = {.apply = apply_inverse};

static hn_status lapack_solve(hn_solver *solver, const double *b, const double *c, double *x,
                              double *y, hn_solver_report *report) {
  lapack *self = (lapack *)solver;
  return hn_system_solve(&self->system.system, &steps, self, b, c, x, y, report);
}

static double lapack_pivot(const hn_solver *solver, int row) {
  const hn_dense_system *d = &((const lapack *)solver)->system;
  int i = hn_dense_system_place(d, row);
  double root = d->b[(size_t)i * ((size_t)d->stride + 1)];
  double unit = hn_solver_row_scale(solver, row);
  return root * unit * (root * unit);
}

const hn_solver_type hn_solver_lapack = {
    .name = "lapack",
    .needs_inertia = 1,
    .most_unknowns = MOST_UNKNOWNS,
    .create = lapack_create,
    .factor = lapack_factor,
    .solve = lapack_solve,
    .pivot = lapack_pivot,
};

#else
typedef int hn_solver_lapack_is_not_built; // a file is never empty
#endif
