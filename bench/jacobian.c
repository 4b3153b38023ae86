// Table 30 of D. Negrut's thesis (1998): ForSDIRK on the HMMWV14 with bushings, the integration Jacobian
// once exact and once by forward differences, column by column, at tolerance 1e-3. Differences replace
// what implicit methods ask of the tangent (K, C, A, P of equations/tangent.h); matrices, factorization
// and steps are the same. Exact and differenced runs in turn, the least CPU time of three.
// usage: jacobian
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/simulation.h"
#include "common/table.h"
#include "common/timing.h"
#include "equations/tangent.h"
#include "integrate/implicit.h"

enum { SECONDS = 4, ROUNDS = 3 };
static const double thesis_ratio[SECONDS] = {104.0 / 21, 229.0 / 49, 269.0 / 58, 278.0 / 61};

// ---- the tangent by differences -----------------------------------------------------------------

// Functions that are differenced: M qdd + Phi_q' lambda - Q, then Phi_q qd, then Phi_q qdd - tau.
typedef struct values {
  double *balance, *rate, *acceleration;
} values;

static const hn_tangent_type *exact; // of the coordinates in use
static hn_tangent_type differenced;
static values base, moved;
static double *q_moved, *qd_moved;
static long columns; // evaluations that differences took

static hn_status evaluate(hn_tangent *t, const hn_tangent_state *state, const values *out,
                          hn_error *error) {
  size_t rows = (size_t)t->rows * sizeof(double);
  hn_tangent_state here = *state;
  here.has = HN_NOTHING;
  here.b = out->balance;
  here.c = NULL;
  hn_status status = exact->evaluate(t, &here, HN_BALANCE, error);
  if (status != HN_OK) return status;
  for (int i = 0; i < t->n; i++) out->balance[i] = -out->balance[i];
  hn_sparse_add_transposed_product(&t->phi_q, 1, state->lambda, out->balance);
  memset(out->rate, 0, rows);
  hn_sparse_add_product(&t->phi_q, 1, state->qd, out->rate);
  for (int r = 0; r < t->rows; r++) out->acceleration[r] = -t->tau[r];
  hn_sparse_add_product(&t->phi_q, 1, state->qdd, out->acceleration);
  columns++;
  return HN_OK;
}

static void put_column(hn_sparse *matrix, int column, double step, const double *to,
                       const double *from) {
  for (int i = 0; i < matrix->rows; i++) {
    int at = hn_sparse_find(matrix, i, column);
    if (at >= 0) matrix->value[at] = (to[i] - from[i]) / step;
  }
}

// Nothing of this machine depends on time: the derivatives to it stay zero.
static hn_status by_differences(hn_tangent *t, const hn_tangent_state *state, hn_want want,
                                hn_error *error) {
  if (want != HN_FULL || state->space != HN_IN_Q) return exact->evaluate(t, state, want, error);
  size_t size = (size_t)t->n * sizeof(double);
  hn_tangent_state beside = *state, basic = *state;
  hn_status status = evaluate(t, state, &base, error);
  for (int j = 0; j < t->n && status == HN_OK; j++) {
    memcpy(q_moved, state->q, size);
    memcpy(qd_moved, state->qd, size);
    double step = 1e-7 * fmax(1, fabs(state->q[j]));
    q_moved[j] += step;
    beside.q = q_moved, beside.qd = state->qd;
    status = evaluate(t, &beside, &moved, error);
    if (status != HN_OK) break;
    put_column(&t->stiffness, j, step, moved.balance, base.balance);
    put_column(&t->phi_v, j, step, moved.rate, base.rate);
    put_column(&t->phi_dd, j, step, moved.acceleration, base.acceleration);
    step = 1e-7 * fmax(1, fabs(state->qd[j]));
    qd_moved[j] += step;
    beside.q = state->q, beside.qd = qd_moved;
    status = evaluate(t, &beside, &moved, error);
    put_column(&t->damping, j, step, moved.balance, base.balance);
  }
  if (status != HN_OK) return status;
  memset(t->tau_t, 0, (size_t)t->rows * sizeof(double));
  memset(t->q_t, 0, size);
  basic.has = HN_NOTHING;
  return exact->evaluate(t, &basic, HN_BASIC, error);
}

static double *numbers(int count) {
  double *p = calloc((size_t)count + 1, sizeof *p);
  if (!p) exit(1);
  return p;
}

// The tangent the method works with; the method's struct starts with these two members.
static hn_tangent *tangent_of(hn_simulation *s) {
  struct {
    hn_method base;
    hn_implicit implicit;
  } *method = (void *)s->method;
  if (method->implicit.method != s->method) {
    fprintf(stderr, "jacobian: this method keeps no tangent where it was looked for\n");
    exit(1);
  }
  return method->implicit.tangent;
}

static void use_differences(hn_simulation *s) {
  hn_tangent *t = tangent_of(s);
  exact = t->type;
  differenced = *exact;
  differenced.evaluate = by_differences;
  t->type = &differenced;
  if (base.balance) return;
  values *both[2] = {&base, &moved};
  for (int k = 0; k < 2; k++)
    *both[k] = (values){numbers(t->n), numbers(t->rows), numbers(t->rows)};
  q_moved = numbers(t->n);
  qd_moved = numbers(t->n);
}

// ---- runs ---------------------------------------------------------------------------------------

typedef struct track {
  double cpu[SECONDS], height[SECONDS];
  hn_certificate certificate[SECONDS];
  long columns;
} track;

static void run(const hn_model *model, int by_differences, track *out) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.tol = 1e-3;
  options.coordinates = "cartesian";
  options.method = "first-order";
  options.formula = "sdirk4-15";
  options.independent = "partition"; // as the preset ForSDIRK
  hn_bench_must(hn_simulation_create(model, &options, &s, &error), &error);
  if (by_differences) use_differences(s);
  columns = 0;
  for (int k = 0; k < SECONDS; k++) {
    hn_bench_must(hn_simulation_advance(s, k + 1), hn_simulation_error(s));
    hn_certificate c = out->certificate[k] = hn_simulation_certificate(s);
    if (out->cpu[k] == 0 || c.cpu_seconds < out->cpu[k]) out->cpu[k] = c.cpu_seconds;
    hn_simulation_value(s, "body.chassis.position.z", &out->height[k]);
  }
  out->columns = columns;
  hn_simulation_free(s);
}

int main(void) {
  hn_model *model = hn_bench_load("models/negrut/hmmwv14-stiff.yaml");
  static track tracks[2]; // exact, differences
  for (int round = 0; round < ROUNDS; round++)
    for (int k = 0; k < 2; k++) run(model, k, &tracks[k]);
  hn_bench_begin("negrut-jacobian", "jacobian,simulated_s,jacobian_columns,iterations");
  for (int s = 0; s < SECONDS; s++)
    for (int k = 0; k < 2; k++) {
      const track *t = &tracks[k];
      const hn_certificate *c = &t->certificate[s];
      hn_bench_row row = {.machine = "HMMWV14 with bushings",
                          .program = "holon",
                          .coordinates = c->coordinates,
                          .method = c->method,
                          .formula = c->formula,
                          .setting = "tol=0.001",
                          .quantity =
                              "height of the chassis at the end, m, to the exact Jacobian's",
                          .error = k ? fabs(t->height[s] - tracks[0].height[s]) : 0,
                          .cpu_s = t->cpu[s],
                          .steps = c->steps_accepted,
                          .ratio = k ? 0 : tracks[1].cpu[s] / t->cpu[s],
                          .to = k ? NULL : "Jacobian by differences",
                          .paper_ratio = k ? 0 : thesis_ratio[s],
                          .note = "ForSDIRK"};
      hn_bench_print(&row, "%s,%d,%ld,%ld", k ? "differences" : "exact", s + 1,
                     s == SECONDS - 1 ? t->columns : 0L, c->newton_iterations);
    }
  hn_model_free(model);
  return 0;
}
