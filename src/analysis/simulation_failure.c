// Why a run cannot continue. Two things stop a model: a position near which the constraints prevent
// the prescribed motion (a dead center, the end of a reach), found as a constraint that nearly
// depends on the others; and contradictory constraints (two drivers of one coordinate), found as a
// gap that stays open a little later. Allocates memory, but the run is over.
#include <math.h>
#include <string.h>

#include "analysis/collapse.h"
#include "analysis/lock_up.h"
#include "analysis/simulation.h"
#include "base/error.h"
#include "equations/levels.h"
#include "equations/conditions.h"
#include "integrate/reduction.h"

// A row nearer than this to the span of the others is in the way.
#define NEAR 0.02
// A gap so much larger than what counts as closed stays open.
#define OPEN 100
// Gaps that differ by less, relatively, differ by rounding: two drivers share one gap equally.
#define SAME 1e-6

#define END_OF_REACH                                                                               \
  "end the motion before this dead center or end of the workspace, or "                            \
  "change lengths or drivers"

typedef struct obstacle {
  int row;          // of the elements, -1: none found
  int is_gap;       // that stays open
  int contradicts;  // ... at a row that depends on others: they ask for different things
  double condition; // of the constraints in scaled rows; 0: not known
  double gap;
} obstacle;

// How far rows are from being closed at a later time, and which is worst: the first of equal ones.
static void find_gap(hn_simulation *s, hn_tangent *tangent, double later, obstacle *found) {
  hn_equations *e = s->equations;
  memcpy(s->looking.q, s->method->q, (size_t)e->nq * sizeof(double));
  const hn_branches look = hn_branches_to_look(&s->branches);
  e->type->project_positions(e, later, s->looking.q, &look, s->tolerance.projection,
                             s->looking.correction);
  const hn_tangent_state at = {.t = later, .q = s->looking.q, .branches = &s->branches};
  hn_tangent_evaluate(tangent, &at, HN_ROWS, NULL);
  for (int r = 0; r < e->elements->row_count; r++) {
    double gap = fabs(tangent->phi[r]);
    if (!(gap > OPEN * s->tolerance.projection)) continue;
    found->contradicts |= e->redundant_count <= e->elements->row_count && e->redundant[r];
    if (!(gap > found->gap * (1 + SAME))) continue;
    found->gap = gap;
    found->row = r;
    found->is_gap = 1;
  }
}

static obstacle find_obstacle(hn_simulation *s) {
  obstacle found = {.row = -1};
  hn_arena arena;
  hn_tangent *tangent = NULL;
  hn_reduction *reduction = NULL;
  hn_arena_init(&arena, s->options.allocator);
  hn_status status = hn_tangent_create(&arena, s->equations, 0, &tangent);
  if (status == HN_OK)
    status =
        hn_reduction_create(&arena, s->equations, tangent, HN_INDEPENDENT_PARTITION, &reduction);
  if (status == HN_OK) {
    int row = -1;
    double distance =
        hn_reduction_find_weakness(reduction, s->method->t, s->method->q, &s->branches, &row);
    found.condition = distance > 0 ? 1 / distance : HUGE_VAL;
    if (distance < NEAR) found.row = row;
    for (double ahead = 1e-4; ahead < 0.2 && found.row < 0; ahead *= 10)
      find_gap(s, tangent, s->method->t + ahead, &found);
  }
  hn_arena_release(&arena);
  return found;
}

const char *hn_name_row_owner(const hn_simulation *s, int row, char *buffer, size_t size,
                              const hn_source **source) {
  const hn_row *r = &s->elements->rows[row];
  if (r->is_driver) {
    *source = &s->model->drivers[r->owner].source;
    return hn_text(buffer, size, "driver '%s'", s->model->drivers[r->owner].name);
  }
  *source = &s->model->joints[r->owner].source;
  return hn_text(buffer, size, "joint '%s'", s->model->joints[r->owner].name);
}

static const char *fixed_step_hint(const hn_simulation *s, hn_status reason) {
  return reason == HN_RETRY_CONVERGENCE && s->method->iterations > 0
             ? "use a smaller @step, a larger @max_iterations, or @tol for automatic steps"
             : "use a smaller @step, or @tol for automatic steps";
}

// Steps whose stages are accepted unconverged fail for another reason than the bound.
static const char *realtime_hint(const hn_simulation *s, hn_status reason) {
  if (s->options.accepts_unconverged || reason != HN_RETRY_CONVERGENCE)
    return "use a smaller @step or a larger @max_iterations";
  return "use a larger @max_iterations or a smaller @step, or @at_bound accept to continue without "
         "convergence";
}

// A hint if a driver follows an input that may jump; `otherwise` if none does.
static const char *hint_at_inputs(const hn_simulation *s, const char *otherwise, char *buffer,
                                  size_t size) {
  for (int k = 0; k < s->model->input_count; k++) {
    int driver = hn_model_input_unfiltered_driver(s->model, k);
    if (driver >= 0)
      return hn_text(buffer, size,
                     "give the input a `filter:`, for instance 20 ms: driver '%.48s' cannot follow "
                     "a jump of input '%.48s'",
                     s->model->drivers[driver].name, s->model->inputs[k].name);
  }
  return otherwise;
}

// The row that is closed worst, where projections are what fails; -1: none stands out.
static int find_worst_row(const hn_simulation *s, hn_status reason) {
  const hn_snapshot *now = s->method->now;
  int worst = -1;
  if (reason == HN_RETRY_ERROR || now->rows_rest) return -1;
  for (int r = 0; r < s->elements->row_count; r++)
    if (fabs(now->phi[r]) > (worst < 0 ? 0.1 * s->tolerance.projection : fabs(now->phi[worst])))
      worst = r;
  return worst;
}

// A hint if no cause is certain, contacts are event-driven and change faster than steps resolve.
static const char *hint_at_contacts(const hn_simulation *s, const char *otherwise) {
  const int is_followed = s->contacts && s->branches.grips && s->branches.grips->closed > 0;
  return is_followed ? "use time stepping with @step 1e-3, or a compliant `law:`" : otherwise;
}

static hn_status fail_unexplained(hn_simulation *s, const char *size, hn_status reason,
                                  const char *condition) {
  char name[96], hint[240];
  const hn_source *source = NULL;
  const char *element = NULL;
  const int worst = find_worst_row(s, reason), is_fixed = s->stepping.mode != HN_RUN_CONTROLLED;
  if (worst >= 0) element = hn_name_row_owner(s, worst, name, sizeof name, &source);
  return hn_fail(
      &s->error, is_fixed ? HN_ERROR_CONVERGENCE : HN_ERROR_STEP_SIZE, source, element,
      hint_at_inputs(
          s,
          is_fixed ? fixed_step_hint(s, reason)
                   : hint_at_contacts(s, "check for a jump of a force or motion, a dead center or "
                                         "an end of the workspace; or use a larger @tol"),
          hint, sizeof hint),
      "%sat t = %.9g s %s failed: %s%s", element ? "has the largest violation: " : "", s->method->t,
      size, hn_status_text(reason), condition);
}

// A driver whose motion jumps, or ends, at the present time: no model can follow it. -1: none.
static int find_jump(const hn_simulation *s, double *size) {
  const double t = s->method->t, near = 1e-7 * fmax(1, fabs(t));
  for (int d = 0; d < s->model->driver_count; d++) {
    const hn_law *law = s->model->drivers[d].law;
    if (!law) continue;
    const hn_law_value before = hn_law_evaluate(law, -1, t - near);
    const hn_law_value after = hn_law_evaluate(law, -1, t + near);
    *size = fabs(after.value - before.value);
    const double smooth = 10 * near * (fabs(before.d1) + fabs(after.d1)) + 1e-9;
    if (!isfinite(*size) || *size > smooth) return d;
  }
  return -1;
}

static hn_status fail_jump(hn_simulation *s, int driver, double size) {
  char name[96];
  const hn_driver_def *def = &s->model->drivers[driver];
  hn_text(name, sizeof name, "driver '%s'", def->name);
  return hn_fail(&s->error, HN_ERROR_MODEL, &def->source, name,
                 "Use a smooth transition: step5(t, T0, X0, T1, X1), or a table.",
                 "prescribes a jump of %.4g at t = %.6g s; no mechanism can follow it", size,
                 s->method->t);
}

hn_status hn_cannot_go_on(hn_simulation *s, double h, hn_status reason) {
  if (s->error.status < 0 || hn_nested_lost(s->equations, s->method->t, &s->error) != HN_OK)
    return s->error.status;
  if (s->stepping.mode == HN_RUN_REAL_TIME) // without a search: its memory and time are not bounded
    return hn_fail(&s->error, HN_ERROR_CONVERGENCE, NULL, NULL, realtime_hint(s, reason),
                   "at t = %.9g s the step of %g s failed: %s", s->method->t, h,
                   hn_status_text(reason));
  char name[96], size[96], hint[240];
  const hn_source *source = NULL;
  double jump = 0;
  const int driver = find_jump(s, &jump);
  if (driver >= 0) return fail_jump(s, driver, jump);
  const int locked = s->stepping.mode != HN_RUN_CONTROLLED ? -1 : hn_find_lock_up(s);
  if (locked >= 0) return hn_fail_lock_up(s, locked);
  if (hn_fail_collapse(s, h) != HN_OK) return s->error.status;
  obstacle found = find_obstacle(s);
  double t = s->method->t;
  int is_fixed = s->stepping.mode != HN_RUN_CONTROLLED;
  hn_status status = is_fixed ? HN_ERROR_CONVERGENCE : HN_ERROR_STEP_SIZE;
  hn_text(size, sizeof size, is_fixed ? "the fixed step of %g s" : "a step of %.3g s", h);
  char condition[96] = "";
  if (found.condition > 0)
    hn_text(condition, sizeof condition, " (condition number of the constraints %.3g)",
            found.condition);
  if (found.row < 0) return fail_unexplained(s, size, reason, condition);
  const char *element = hn_name_row_owner(s, found.row, name, sizeof name, &source);
  if (found.is_gap)
    return hn_fail(
        &s->error, status, source, element,
        hint_at_inputs(s,
                       found.contradicts
                           ? "remove one of two drivers or joints that prescribe different motions"
                           : END_OF_REACH,
                       hint, sizeof hint),
        "cannot be satisfied after t = %.9g s: violation %.3g; %s failed (condition number of the "
        "constraints %.3g)",
        t, found.gap, size, found.condition);
  return hn_fail(
      &s->error, status, source, element, END_OF_REACH,
      "becomes singular at t = %.9g s: condition number of the constraints %.3g; %s failed", t,
      found.condition, size);
}
