// The linear system of Cartesian coordinates (cartesian.h): its factors, the rank of rows in loops, and
// what solves it where a reduced matrix has lost too many digits.
#include <float.h>
#include <string.h>

#include "equations/cartesian/cartesian.h"
#include "equations/cartesian/problem.h"
#include "equations/loop_rank.h"

// Rank in loops at the rows as factored (loop_rank.h).
void hn_cartesian_judge_rank(hn_cartesian_set *self, hn_row_set rows, int may_choose) {
  hn_equations *e = &self->base;
  int holds_all = rows == HN_ROWS_ALL;
  if (!self->is_judged) e->near_singular = 0;
  if (!self->geometry) return;
  const int may_rise =
      may_choose &&
      hn_rank_may_rise(e, holds_all,
                       hn_solver_small_pivots(e->solver, hn_risen_pivot(e->model), NULL));
  if (!may_rise && !hn_rank_is_unusual(e, holds_all, self->small_pivots)) return;
  if (!self->is_judged) {
    hn_solver_release(self->geometry, holds_all ? NULL : e->redundant);
    hn_solver_factor(self->geometry, self->geometry_values, self->rows->block);
    self->is_judged = 1;
  }
  if (may_choose && hn_rank_choose(e, hn_solver_small_pivots(
                                          self->geometry, HN_RANK_DEPENDENT_SQUARE, self->small)))
    memcpy(e->redundant, self->small, (size_t)e->elements->row_count);
  hn_rank_note(e, holds_all, hn_solver_small_pivots(self->geometry, HN_RANK_NEAR_SQUARE, NULL));
}

void hn_cartesian_forget(hn_equations *equations) {
  hn_cartesian_set *self = (hn_cartesian_set *)equations;
  self->is_factored = self->is_judged = self->is_stable = 0;
  if (self->geometry) hn_rank_begin(equations, equations->elements->row_count, 1);
}

// M and J depend on q only: a factorization made at this very q is still the right one.
hn_status hn_cartesian_factor(hn_cartesian_set *self, const double *q, hn_row_set rows) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_rows == rows && memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->is_factored = self->is_judged = self->is_stable = 0;
  hn_solver_release(e->solver,
                    rows == HN_ROWS_KEPT && e->redundant_count > 0 ? e->redundant : NULL);
  hn_solver_expect_small(e->solver, rows == HN_ROWS_ALL && e->redundant_count > 0);
  hn_status status =
      hn_solver_factor_for(e->solver, self->m_values, self->rows->block, self->b, self->rows->tau);
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->is_factored = 1;
  if (self->geometry)
    self->small_pivots = hn_solver_small_pivots(e->solver, HN_RANK_NEAR_SQUARE, NULL);
  hn_cartesian_judge_rank(self, rows, 0);
  return HN_OK;
}

hn_status hn_cartesian_make_stable(hn_cartesian_set *self, const hn_solver_problem *problem,
                                   hn_error *error) {
  return hn_solver_create(self->arena, &hn_solver_augmented, problem, &self->stable, error);
}

// In the middle of a run, for a model of many bodies.
static hn_status make_stable_late(hn_cartesian_set *self) {
  hn_solver_problem problem;
  hn_arena scratch;
  hn_arena_init(&scratch, &self->arena->allocator);
  hn_status status = hn_cartesian_problem(&scratch, self->base.elements, &problem);
  problem.threads = self->base.threads;
  if (status == HN_OK) status = hn_cartesian_make_stable(self, &problem, NULL);
  hn_arena_release(&scratch);
  return status;
}

static int is_finite(const double *x, int count) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += fabs(x[i]);
  return sum <= DBL_MAX;
}

// B squares the condition of J. In a straight chain of 20,000 links that exceeds double precision,
// although the whole matrix is well conditioned: then that is factored instead. The same if bodies
// without inertia are close to a lock-up: there refinement continues (saddle_solve.c).
hn_status hn_cartesian_solve(hn_cartesian_set *self, hn_solver_report *report) {
  const hn_equations *e = &self->base;
  const double *tau = self->rows->tau;
  if (!self->is_stable) {
    hn_status status = hn_solver_solve(e->solver, self->b, tau, self->x, self->y, report);
    const int is_good = status == HN_OK && !report->is_stalled;
    if (is_good || e->solver->type->is_whole || !is_finite(self->b, e->nu) ||
        !is_finite(tau, e->elements->row_count) ||
        !is_finite(self->rows->block, 6 * self->rows->row_start[e->elements->row_count]))
      return status;
    if (!self->stable && make_stable_late(self) != HN_OK) return HN_ERROR_MEMORY;
    const int is_part = self->factored_rows == HN_ROWS_KEPT && e->redundant_count > 0;
    hn_solver_release(self->stable, is_part ? e->redundant : NULL);
    status = hn_solver_factor(self->stable, self->m_values, self->rows->block);
    if (status != HN_OK) return status;
    self->is_stable = 1;
  }
  return hn_solver_solve(self->stable, self->b, tau, self->x, self->y, report);
}
