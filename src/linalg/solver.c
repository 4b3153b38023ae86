// The table of linear solvers, and which one to take.
#include "linalg/solver.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "linalg/solver_system.h"

static const hn_solver_type *const types[] = {
    &hn_solver_topology,
    &hn_solver_augmented,
    NULL,
};
enum { TYPES = sizeof types / sizeof types[0] - 1 };

const hn_solver_type *const *hn_solver_types(void) { return types; }

// Moments of inertia whose ratio is below this count as zero: M^-1 would cost more digits than
// refinement can give back.
#define LIGHT 1e-7

// Smallest over largest pivot of the inertia, diagonal pivoting: within a factor of 4 of the ratio of
// its principal moments.
static double inertia_ratio(const double *m) {
  double a[3][3] = {{m[3], m[4], m[6]}, {m[4], m[5], m[7]}, {m[6], m[7], m[8]}};
  double first = 0, pivot = 0;
  int used[3] = {0, 0, 0};
  for (int step = 0; step < 3; step++) {
    int best = -1;
    for (int i = 0; i < 3; i++)
      if (!used[i] && (best < 0 || a[i][i] > a[best][best])) best = i;
    pivot = a[best][best];
    if (step == 0) first = pivot;
    if (!(pivot > 0)) return 0;
    used[best] = 1;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        if (!used[i] && !used[j]) a[i][j] -= a[i][best] * a[best][j] / pivot;
  }
  return pivot / first;
}

int hn_solver_light_body(const hn_solver_problem *problem) {
  if (!problem->mass) return 0;
  for (int b = 0; b < problem->bodies; b++) {
    const double *m = &problem->mass[9 * b];
    if (!(m[0] > 0) || !(inertia_ratio(m) > LIGHT)) return b + 1;
  }
  return 0;
}

// A diagonal of the inertia lies between its principal moments: at most the trace, and at least a
// quarter of the ratio of pivots times a third of it.
int hn_solver_is_even(const hn_solver_problem *problem) {
  double most = 0, least = HUGE_VAL;
  for (int b = 0; problem->mass && b < problem->bodies; b++) {
    const double *m = &problem->mass[9 * b], trace = m[3] + m[5] + m[8];
    most = fmax(most, fmax(m[0], trace));
    least = fmin(least, fmin(m[0], inertia_ratio(m) * trace / 12));
  }
  return least > 1e-12 * most && most > 0;
}

static hn_status choose_by_name(const char *name, const hn_solver_type **type, hn_error *error) {
  const char *names[TYPES + 1];
  char hint[160], element[64];
  for (int k = 0; k < TYPES; k++) {
    names[k] = types[k]->name;
    if (strcmp(name, types[k]->name) == 0) *type = types[k];
  }
  if (*type) return HN_OK;
  const char *nearest = hn_nearest_word(name, names, TYPES);
  char list[120] = "auto";
  for (int k = 0; k < TYPES; k++) {
    size_t length = strlen(list);
    hn_text(list + length, sizeof list - length, ", %s", types[k]->name);
  }
  return hn_fail(error, HN_ERROR_ARGUMENT, NULL,
                 hn_text(element, sizeof element, "linear solver '%.32s'", name),
                 nearest ? hn_text(hint, sizeof hint, "did you mean '%s'?", nearest) : NULL,
                 "is unknown; available: %s", list);
}

hn_status hn_solver_choose(hn_arena *scratch, const hn_solver_problem *problem, const char *name,
                           const hn_solver_type **type, hn_error *error) {
  double least = 0;
  *type = NULL;
  if (name && strcmp(name, "auto") != 0) return choose_by_name(name, type, error);
  for (int k = 0; k < TYPES; k++) {
    double estimate = types[k]->estimate(scratch, problem, *type ? least : HUGE_VAL);
    if (estimate < 0 || (*type && estimate >= least)) continue;
    *type = types[k];
    least = estimate;
  }
  if (!*type || scratch->failed) // another would be taken without a word
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for the accelerations of %d bodies with %d constraints",
                   problem->bodies, problem->rows);
  return HN_OK;
}

hn_status hn_solver_create(hn_arena *arena, const hn_solver_type *type,
                           const hn_solver_problem *problem, hn_solver **solver, hn_error *error) {
  char element[64];
  *solver = NULL;
  hn_status status = type->create(arena, problem, solver);
  if (status == HN_OK) return HN_OK;
  const char *reason = status == HN_ERROR_LIMIT    ? "exceeds its memory limit (fill-in)"
                       : status == HN_ERROR_MEMORY ? "is out of memory"
                                                   : "failed to initialize";
  return hn_fail(error, status, NULL,
                 hn_text(element, sizeof element, "linear solver '%s'", type->name),
                 status == HN_ERROR_LIMIT ? "use 'augmented' or 'auto'" : NULL,
                 "%s for %d bodies with %d constraints", reason, problem->bodies, problem->rows);
}

// Soft rows whose pivots are above HN_RANK_NEAR_SQUARE are regular, and iterated regularization would
// find the same.
static int has_small_pivot(const hn_solver *solver) {
  if (solver->type->has_small) return solver->type->has_small(solver, HN_RANK_NEAR_SQUARE);
  for (int r = 0; r < solver->rows; r++)
    if (!solver->released[r] && solver->soft[r] &&
        !(solver->type->pivot(solver, r) > HN_RANK_NEAR_SQUARE))
      return 1;
  return 0;
}

hn_status hn_solver_factor(hn_solver *solver, const double *mass, const double *blocks) {
  return hn_solver_factor_for(solver, mass, blocks, NULL, NULL);
}

hn_status hn_solver_factor_for(hn_solver *solver, const double *mass, const double *blocks,
                               const double *b, const double *c) {
  hn_system *s = solver->system;
  solver->factorizations++;
  if (s) {
    s->sweep.ahead_b = b;
    s->sweep.ahead_c = c;
    s->sweep.is_ahead = 0;
  }
  if (!s || !s->traits.has_soft) return solver->type->factor(solver, mass, blocks);
  const int try_hard = !s->traits.expects_small && !s->traits.is_light;
  if (s->traits.is_hard != try_hard) hn_system_regularize(s, try_hard);
  hn_status status = solver->type->factor(solver, mass, blocks);
  if (!try_hard || (status == HN_OK && !has_small_pivot(solver))) return status;
  hn_system_regularize(s, 0);
  return solver->type->factor(solver, mass, blocks);
}

void hn_solver_expect_small(hn_solver *solver, int is_expected) {
  if (solver->system) solver->system->traits.expects_small = is_expected;
}

hn_status hn_solver_solve(hn_solver *solver, const double *b, const double *c, double *x, double *y,
                          hn_solver_report *report) {
  return solver->type->solve(solver, b, c, x, y, report);
}

void hn_solver_release(hn_solver *solver, const unsigned char *released) {
  if (solver->system)
    hn_system_release(solver->system, released);
  else
    solver->type->release(solver, released);
}

int hn_solver_small_pivots(const hn_solver *solver, double limit, unsigned char *is_small) {
  int count = 0;
  for (int r = 0; r < solver->rows; r++) {
    int small = !solver->released[r] && solver->soft[r] && solver->type->pivot(solver, r) < limit;
    if (is_small) is_small[r] = small != 0;
    count += small;
  }
  return count;
}

double hn_solver_row_scale(const hn_solver *solver, int row) {
  const hn_system *s = solver->system;
  if (!s) return solver->type->row_scale(solver, row);
  return s->released[row] ? 0 : s->r[s->row_y[row]];
}

void *hn_solver_room(const hn_solver *solver, size_t size) {
  const hn_system *s = solver->system;
  return s && s->sweep.room_size * sizeof(double) >= size ? s->sweep.f : NULL;
}
