// Parts of an implicit step in relative coordinates: microseconds of one residual (inverse dynamics
// with forces and loop-closure constraints), one tangent (M, C, K, Phi_q and their derivatives),
// one factorization and one solution of the stage matrix, and of the accelerations, powers and
// projections around them. Cartesian coordinates for comparison. States of a run 1.3 s after its
// start; the best mean of several batches, all calls in turn. CSV on stdout.
// usage: relative_tangent [MODEL [CALL]]        with CALL: only this one, many times, for a profiler
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "common/table.h"
#include "common/timing.h"
#include "equations/tangent.h"
#include "integrate/stage_matrix.h"

enum { BATCHES = 30, CALLS = 40 };

typedef struct bench {
  hn_arena arena;
  hn_simulation *simulation;
  hn_equations *equations;
  hn_tangent *tangent;
  hn_stage_matrix *matrix;
  hn_snapshot *snapshot;
  double t, *q, *qd, *qdd, *lambda, *b, *c, *x, *y, *work_q, *work_qd, *correction;
} bench;

// ---- calls --------------------------------------------------------------------------------------

static void call_want(bench *b, hn_want want) {
  const hn_tangent_state state = {.t = b->t,
                                  .q = b->q,
                                  .qd = b->qd,
                                  .qdd = b->qdd,
                                  .lambda = b->lambda,
                                  .branches = &b->simulation->branches,
                                  .b = b->b};
  hn_tangent_evaluate(b->tangent, &state, want, NULL);
}

static void call_residual(bench *b) { call_want(b, HN_BALANCE); }

static void call_tangent(bench *b) { call_want(b, HN_FULL); }

static void call_factor(bench *b) {
  static int turn;
  double g = 1e-3 * (1 + (turn++ % 8));
  hn_stage_matrix_factor(b->matrix, hn_first_order_numbers(g), b->equations->redundant);
}

static void call_solve(bench *b) { hn_stage_matrix_solve(b->matrix, b->b, b->c, b->x, b->y, 0); }

static void call_rows(bench *b) { call_want(b, HN_ROWS); }

// Positions that differ, so that no factorization is found made already.
static void shake(bench *b) {
  static int turn;
  memcpy(b->work_q, b->q, (size_t)b->equations->nq * sizeof(double));
  memcpy(b->work_qd, b->qd, (size_t)b->equations->nq * sizeof(double));
  double part = 1e-9 * (1 + (turn++ % 8));
  for (int i = 0; i < b->equations->nq; i++) b->work_q[i] += part * b->qd[i];
}

static void call_evaluate(bench *b) {
  shake(b);
  b->equations->type->evaluate(b->equations, b->t, b->work_q, b->qd, &b->simulation->branches,
                               b->snapshot, NULL);
}

static void call_stage(bench *b) {
  shake(b);
  b->equations->type->evaluate_stage(b->equations, b->t, b->work_q, b->qd, &b->simulation->branches,
                                     b->snapshot, NULL);
}

static void call_power(bench *b) {
  double power;
  b->equations->type->power(b->equations, b->t, b->q, b->qd, b->lambda, &b->simulation->branches,
                            &power);
}

static void call_positions(bench *b) {
  shake(b);
  b->equations->type->project_positions(b->equations, b->t, b->work_q, &b->simulation->branches,
                                        b->simulation->tolerance.projection, b->correction);
}

static void call_velocities(bench *b) {
  shake(b);
  b->equations->type->project_velocities(b->equations, b->t, b->work_q, b->work_qd,
                                         &b->simulation->branches, b->correction);
}

static const struct {
  const char *name;
  void (*call)(bench *b);
} calls[] = {{"residual", call_residual},   {"tangent", call_tangent},
             {"factor", call_factor},       {"solve", call_solve},
             {"rows", call_rows},           {"power", call_power},
             {"stage", call_stage},         {"evaluate", call_evaluate},
             {"positions", call_positions}, {"velocities", call_velocities}};
enum { KINDS = sizeof calls / sizeof calls[0] };

// ---- one machine --------------------------------------------------------------------------------

static int prepare(bench *b, const hn_model *model, const char *coordinates) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_error error;
  options.tol = 1e-4;
  options.coordinates = coordinates;
  options.method = "descriptor";
  options.formula = "sdirk4-16";
  memset(b, 0, sizeof *b);
  hn_arena_init(&b->arena, NULL);
  hn_status status = hn_simulation_create(model, &options, &b->simulation, &error);
  if (status == HN_OK) status = hn_simulation_advance(b->simulation, 1.3);
  if (status != HN_OK) return 1;
  hn_equations *e = b->equations = b->simulation->equations;
  const hn_method *m = b->simulation->method;
  status = hn_tangent_create(&b->arena, e, 0, &b->tangent);
  if (status == HN_OK) status = hn_stage_matrix_create_in_q(&b->arena, b->tangent, &b->matrix);
  if (status == HN_OK) status = hn_snapshot_create(&b->arena, e, &b->snapshot);
  double **vectors[] = {&b->q, &b->qd,     &b->qdd,     &b->b,
                        &b->x, &b->work_q, &b->work_qd, &b->correction};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(&b->arena, double, e->nq);
  if (status != HN_OK || b->arena.failed) return 1;
  b->lambda = HN_TAKE(&b->arena, double, b->tangent->rows);
  b->c = HN_TAKE(&b->arena, double, b->tangent->rows);
  b->y = HN_TAKE(&b->arena, double, b->tangent->rows);
  if (b->arena.failed) return 1;
  b->t = m->t;
  memcpy(b->q, m->q, (size_t)e->nq * sizeof(double));
  memcpy(b->qd, m->qd, (size_t)e->nq * sizeof(double));
  memcpy(b->qdd, m->now->qdd, (size_t)e->nq * sizeof(double));
  memcpy(b->lambda, m->now->lambda, (size_t)e->elements->row_count * sizeof(double));
  call_tangent(b);
  hn_stage_matrix_keep(b->matrix);
  return 0;
}

static int measure(const char *path, const char *only) {
  static const char *const sets[2] = {"cartesian", "relative"};
  static bench b[2];
  double least[2][KINDS];
  hn_model *model = NULL;
  hn_error error;
  if (hn_model_load(path, NULL, &model, &error) != HN_OK) return 1;
  for (int s = 0; s < 2; s++)
    if (prepare(&b[s], model, sets[s])) return 1;
  for (int batch = 0; batch < BATCHES; batch++)
    for (int k = 0; k < KINDS; k++)
      for (int s = 0; s < 2; s++) {
        if (only && (s == 0 || strcmp(only, calls[k].name) != 0)) continue;
        double start = hn_bench_wall();
        for (int i = 0; i < (only ? 100 * CALLS : CALLS); i++) calls[k].call(&b[s]);
        double one = (hn_bench_wall() - start) / CALLS;
        if (batch == 0 || one < least[s][k]) least[s][k] = one;
      }
  for (int k = 0; k < KINDS && !only; k++)
    for (int s = 0; s < 2; s++) {
      hn_bench_row row = {.machine = path,
                          .program = "holon",
                          .coordinates = sets[s],
                          .method = calls[k].name,
                          .cpu_s = least[s][k],
                          .ratio = s ? least[0][k] / least[1][k] : 0,
                          .to = s ? "cartesian" : NULL,
                          .note = "one call"};
      hn_bench_print(&row, NULL);
    }
  for (int s = 0; s < 2; s++) {
    hn_simulation_free(b[s].simulation);
    hn_arena_release(&b[s].arena);
  }
  hn_model_free(model);
  return 0;
}

int main(int count, char **arguments) {
  static const char *const usual[] = {"models/iltis/iltis.yaml", "models/negrut/hmmwv14-stiff.yaml",
                                      "models/negrut/double-pendulum.yaml"};
  int failed = 0;
  hn_bench_begin("calls", NULL);
  for (int k = 0; count < 2 && k < 3; k++) failed |= measure(usual[k], NULL);
  if (count > 1) failed |= measure(arguments[1], count > 2 ? arguments[2] : NULL);
  return failed;
}
