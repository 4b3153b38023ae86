// A point without dense matrices, for models of many bodies.
//
// E' is factored column by column, and whether a row of E is taken is seen by its pivot: constraints
// first, then quantities in the order of preference. If no joint closes a loop and nothing is
// driven, the quantities of a joint come right after its constraints: each body is then complete
// before the next starts, and there is no fill-in.
#include <math.h>
#include <string.h>

#include "analysis/linear/point.h"
#include "base/error.h"
#include "linalg/rank.h"

#define ENOUGH 0.05 // of a quantity relative to others, by its pivot
#define LEAST 1e-6

typedef struct picker {
  hn_linear_point *p;
  double tolerance;
  int capacity; // quantities
  hn_status status;
} picker;

// ---- columns ------------------------------------------------------------------------------------

static void add_row(picker *k, int row, double least) {
  hn_linear_point *p = k->p;
  const hn_sparse *phi = &p->tangent->phi_q;
  int is_taken = 0;
  const int at = hn_sparse_lu_count(p->lu), from = phi->start[row];
  if (k->status != HN_OK) return;
  k->status = hn_sparse_lu_add(p->lu, &phi->index[from], &phi->value[from],
                               phi->start[row + 1] - from, least, &is_taken);
  if (!is_taken) return;
  p->column[at] = p->row_count;
  p->row[p->row_count++] = row;
}

static hn_status add_gradient(hn_linear_point *p, hn_quantity_of of, double least, int *is_taken) {
  hn_gradient g;
  int index[HN_LOCAL], count = 0;
  double value[HN_LOCAL];
  hn_linear_gradient(p, of, NULL, &g);
  for (int i = 0; i < HN_LOCAL; i++) {
    if (g.body[i / 7] == HN_GROUND || g.s[i] == 0 || !isfinite(g.s[i])) continue;
    index[count] = 7 * (g.body[i / 7] - 1) + i % 7;
    value[count++] = g.s[i];
  }
  return hn_sparse_lu_add(p->lu, index, value, count, least, is_taken);
}

// Quantities are numbered from n on while rows are still counted.
static void add_quantity(picker *k, hn_quantity_of of, double least) {
  hn_linear_point *p = k->p;
  int is_taken = 0;
  const int at = hn_sparse_lu_count(p->lu);
  if (k->status != HN_OK || at == p->n || p->freedoms == k->capacity) return;
  k->status = add_gradient(p, of, least, &is_taken);
  if (!is_taken) return;
  p->column[at] = p->n + p->freedoms;
  p->quantity[p->freedoms++] = of;
  p->rates = p->freedoms;
}

static void add_joint_quantities(picker *k, int joint, double least) {
  for (int c = 0; c < HN_COORDINATES; c++)
    if (k->p->elements->coordinate[joint * HN_COORDINATES + c] >= 0)
      add_quantity(k, (hn_quantity_of){HN_QUANTITY_JOINT, joint, c}, least);
}

// ---- order --------------------------------------------------------------------------------------

static int root_of(int *parent, int body) {
  while (parent[body] != body) body = parent[body] = parent[parent[body]];
  return body;
}

// 1: each joint leads to a body of its own, and nothing else is constrained.
static int is_tree(const hn_linear_point *p, int *parent) {
  const hn_model *model = p->elements->model;
  if (model->driver_count > 0) return 0;
  for (int b = 0; b < model->body_count; b++) parent[b] = b;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (!hn_joint_joins_bodies(joint->type)) return 0;
    const int a = root_of(parent, joint->frame1.body), b = root_of(parent, joint->frame2.body);
    if (a == b) return 0;
    parent[a] = b;
  }
  return 1;
}

static void pick_tree(picker *k, unsigned char *is_complete) {
  const hn_linear_point *p = k->p;
  const hn_model *model = p->elements->model;
  const int lengths = p->elements->row_count - 1; // of body b: lengths + b
  for (int j = 0; j < model->joint_count; j++) {
    const int bodies[] = {model->joints[j].frame1.body, model->joints[j].frame2.body};
    for (int i = 0; i < 2; i++) {
      if (bodies[i] == HN_GROUND || is_complete[bodies[i]]) continue;
      is_complete[bodies[i]] = 1;
      add_row(k, lengths + bodies[i], k->tolerance);
    }
    for (int r = p->elements->joint_row[j]; r < p->elements->joint_row[j + 1]; r++)
      add_row(k, r, k->tolerance);
    add_joint_quantities(k, j, ENOUGH);
  }
  for (int b = 1; b < model->body_count; b++)
    if (!is_complete[b]) add_row(k, lengths + b, k->tolerance);
}

static void pick_rows(picker *k) {
  const hn_linear_point *p = k->p;
  for (int r = p->elements->row_count; r < p->tangent->rows; r++) add_row(k, r, k->tolerance);
  for (int r = 0; r < p->elements->row_count; r++) add_row(k, r, k->tolerance);
}

static void pick_rest(picker *k, double least) {
  const hn_model *model = k->p->elements->model;
  for (int j = 0; j < model->joint_count; j++) add_joint_quantities(k, j, least);
  for (int b = 1; b < model->body_count; b++)
    for (int i = 0; i < 6; i++)
      add_quantity(k,
                   (hn_quantity_of){i < 3 ? HN_QUANTITY_ROTATION : HN_QUANTITY_POSITION, b, i % 3},
                   least);
}

static hn_status select_sparse(hn_linear_point *p, double tolerance, hn_error *error) {
  const int bodies = p->elements->model->body_count;
  picker k = {.p = p, .tolerance = tolerance, .capacity = p->n};
  int *parent = HN_TAKE(p->arena, int, bodies);
  unsigned char *is_complete = HN_TAKE(p->arena, unsigned char, bodies);
  if (!p->quantity) p->quantity = HN_TAKE(p->arena, hn_quantity_of, p->n + 1);
  if (p->arena->failed) return HN_ERROR_MEMORY;
  p->row_count = p->freedoms = p->held_count = 0;
  hn_sparse_lu_clear(p->lu);
  if (is_tree(p, parent))
    pick_tree(&k, is_complete);
  else
    pick_rows(&k);
  pick_rest(&k, ENOUGH);
  pick_rest(&k, LEAST);
  if (k.status != HN_OK) return k.status;
  if (hn_sparse_lu_count(p->lu) < p->n)
    return hn_fail(error, HN_ERROR_SINGULAR, NULL, NULL,
                   "run `holon check` to see the degrees of freedom; choose another state with @at",
                   "%d degrees of freedom cannot be assigned to a coordinate at this state",
                   p->n - hn_sparse_lu_count(p->lu));
  for (int i = 0; i < p->n; i++)
    if (p->column[i] >= p->n) p->column[i] += p->row_count - p->n;
  return HN_OK;
}

hn_status hn_linear_factor_sparse(hn_linear_point *p) {
  const hn_sparse *phi = &p->tangent->phi_q;
  hn_sparse_lu_clear(p->lu);
  for (int k = 0; k < p->n; k++) {
    const int e = p->column[k];
    int is_taken = 0;
    hn_status status;
    if (e < p->row_count) {
      const int row = p->row[e], from = phi->start[row];
      status = hn_sparse_lu_add(p->lu, &phi->index[from], &phi->value[from],
                                phi->start[row + 1] - from, 0, &is_taken);
    } else {
      status = add_gradient(p, p->quantity[e - p->row_count], 0, &is_taken);
    }
    if (status != HN_OK) return status;
    if (!is_taken) return HN_ERROR_SINGULAR;
  }
  return HN_OK;
}

// ---- the point ----------------------------------------------------------------------------------

// By the solver of the model; quantities follow.
static hn_status accelerations(hn_linear_point *p, hn_error *error) {
  hn_snapshot *snapshot = NULL;
  hn_status status = hn_snapshot_create(p->arena, p->equations, &snapshot);
  if (status != HN_OK) return status;
  status = hn_cartesian.evaluate(p->equations, p->t, p->q, p->qd, p->branches, snapshot, error);
  if (status != HN_OK) return status;
  memcpy(p->qdd, snapshot->qdd, (size_t)p->n * sizeof(double));
  memset(p->lambda, 0, (size_t)p->tangent->rows * sizeof(double));
  memcpy(p->lambda, snapshot->lambda, (size_t)p->elements->row_count * sizeof(double));
  status = hn_linear_evaluate(p, HN_BASIC, error);
  if (status != HN_OK) return status;
  p->tangent->type->normalization_multipliers(p->tangent, p->lambda);
  for (int k = 0; k < p->freedoms; k++) {
    hn_gradient g;
    hn_linear_gradient(p, p->quantity[k], NULL, &g);
    p->eta[k] = g.value;
    p->eta_rate[k] = g.rate;
    p->eta_second[k] = g.quadratic;
    for (int i = 0; i < HN_LOCAL; i++)
      if (g.body[i / 7] != HN_GROUND)
        p->eta_second[k] += g.s[i] * p->qdd[7 * (g.body[i / 7] - 1) + i % 7];
  }
  return hn_linear_evaluate(p, HN_FULL, error);
}

hn_status hn_linear_point_create_sparse(hn_arena *arena, hn_simulation *s, int is_steady,
                                        hn_linear_point *p, hn_error *error) {
  *p = (hn_linear_point){.is_steady = is_steady,
                         .arena = arena,
                         .simulation = s,
                         .elements = s->elements,
                         .branches = &s->branches,
                         .t = s->method->t};
  const int n = 7 * (s->model->body_count - 1);
  hn_status status = hn_sparse_lu_create(s->options.allocator, n, &p->lu);
  if (status == HN_OK) status = hn_linear_prepare(p, error);
  p->column = HN_TAKE(arena, int, n + 1);
  if (status == HN_OK && arena->failed) status = HN_ERROR_MEMORY;
  const double tolerances[] = {1e-6, HN_RANK_ROUNDING};
  for (int k = 0; status == HN_OK && k < 2; k++) {
    status = hn_linear_evaluate(p, HN_BASIC, error);
    if (status == HN_OK) status = select_sparse(p, tolerances[k], error);
    if (status == HN_OK) status = hn_linear_close_gaps(p, error);
  }
  if (status != HN_OK) return status;
  hn_linear_keep_rates(p);
  return accelerations(p, error);
}

void hn_linear_point_free(hn_linear_point *p) {
  hn_sparse_lu_free(p->lu);
  p->lu = NULL;
  if (p->equations) hn_equations_release(p->equations);
}
