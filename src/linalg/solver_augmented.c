// The sparse L D L' of the whole scaled matrix (saddle.h) behind the face of linear solvers: any mass
// matrix, any topology, cost growing with the fill only.
#include <string.h>

#include "linalg/factors.h"
#include "linalg/saddle_order.h"
#include "linalg/solver.h"
#include "linalg/solver_pattern.h"

typedef struct augmented {
  hn_solver base;
  hn_saddle *saddle;
  unsigned char *released;
} augmented;

// Nanoseconds of one multiply-add of the factorization, and of one number of L and K in a solve with
// its refinement.
#define WORK_NS 1.2
#define ENTRY_NS 5.5

static double augmented_estimate(hn_arena *scratch, const hn_solver_problem *problem,
                                 double enough) {
  double entries = 9.0 * problem->bodies + 6.0 * problem->row_start[problem->rows] + problem->rows;
  double at_least = 1e-3 * (WORK_NS + ENTRY_NS) * entries; // without any fill
  if (at_least > enough) return at_least;
  int size = 6 * problem->bodies + problem->rows, *k_start, *k_index;
  hn_saddle_pattern pattern;
  int *order = HN_TAKE(scratch, int, size);
  if (hn_pattern_of_problem(scratch, problem, &pattern) != HN_OK ||
      hn_pattern_of_matrix(scratch, &pattern, &k_start, &k_index) != HN_OK || scratch->failed ||
      hn_saddle_order(scratch, &pattern, k_start, k_index, order) != HN_OK)
    return -1;
  double work = hn_factors_count(scratch, size, k_start, k_index, order);
  return work < 0 ? -1 : 1e-3 * (WORK_NS * work + ENTRY_NS * entries);
}

static hn_status augmented_create(hn_arena *arena, const hn_solver_problem *problem,
                                  hn_solver **solver) {
  augmented *self = HN_KEEP(arena, augmented, 1);
  if (!self) return HN_ERROR_MEMORY;
  unsigned char *soft = HN_TAKE(arena, unsigned char, problem->rows);
  self->released = HN_KEEP(arena, unsigned char, problem->rows);
  hn_saddle_pattern pattern;
  hn_status status = hn_pattern_of_problem(arena, problem, &pattern);
  if (status == HN_OK) status = arena->failed ? HN_ERROR_MEMORY : HN_OK;
  if (status == HN_OK) status = hn_saddle_create(arena, &pattern, &self->saddle);
  if (status != HN_OK) return status;
  if (problem->soft) memcpy(soft, problem->soft, (size_t)problem->rows);
  hn_saddle_soften(self->saddle, soft, problem->soft_epsilon);
  self->base = (hn_solver){.type = &hn_solver_augmented,
                           .rows = problem->rows,
                           .soft = soft,
                           .released = self->released,
                           .operations = hn_saddle_operations(self->saddle)};
  *solver = &self->base;
  return HN_OK;
}

static hn_status augmented_factor(hn_solver *solver, const double *mass, const double *blocks) {
  return hn_saddle_factor(((augmented *)solver)->saddle, mass, blocks);
}

static hn_status augmented_solve(hn_solver *solver, const double *b, const double *c, double *x,
                                 double *y, hn_solver_report *report) {
  return hn_saddle_solve(((augmented *)solver)->saddle, b, c, x, y, report);
}

static void augmented_release(hn_solver *solver, const unsigned char *released) {
  augmented *self = (augmented *)solver;
  for (int r = 0; r < solver->rows; r++) self->released[r] = released && released[r];
  hn_saddle_release(self->saddle, released);
}

static double augmented_pivot(const hn_solver *solver, int row) {
  return hn_saddle_row_pivot(((const augmented *)solver)->saddle, row);
}

static double augmented_row_scale(const hn_solver *solver, int row) {
  return hn_saddle_row_scale(((const augmented *)solver)->saddle, row);
}

const hn_solver_type hn_solver_augmented = {
    .name = "augmented",
    .is_whole = 1,
    .estimate = augmented_estimate,
    .create = augmented_create,
    .factor = augmented_factor,
    .solve = augmented_solve,
    .release = augmented_release,
    .pivot = augmented_pivot,
    .row_scale = augmented_row_scale,
};
