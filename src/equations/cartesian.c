// Cartesian coordinates: q = (r, p) of every body, 7 numbers each, Euler parameters p of unit length.
// Solved in speeds (v, w) of every body, global axes, centre of mass:
//
//   [ M  J' ] [ a      ]   [ F - (0, w x I w) ]
//   [ J  0  ] [ lambda ] = [ tau              ]      M = diag(m 1, A I' A'),  J rows (n, m)
//
// tau here is tau_omega of methods.md M19: it comes from accelerations at zero angular acceleration
// and needs no Euler parameters. Image in q: pd = E' w / 2, pdd = E' wd / 2 - (pd.pd) p.
#include <string.h>

#include "base/error.h"
#include "elements/loops.h"
#include "equations/equations.h"

// Singular values below about 1e-4 in loops count as a singular position.
#define LOOP_EPSILON 1e-8
// Pivots of loop rows, in the geometric metric (1 for translations, a squared length for rotations):
// below the first a row depends on others, below the second a singular position is near. In the metric
// of M a light body between heavy ones would look dependent.
#define REDUNDANT_PIVOT 1e-7
#define NEAR_PIVOT 1e-3

// Which rows a factorization holds: all, or those that are not redundant.
typedef enum row_set { ALL_ROWS, KEPT_ROWS } row_set;

typedef struct cartesian {
  hn_equations base;
  double *m_values;   // upper triangles of M, 9 a body: 3 masses, 6 of the inertia
  double *b, *c;      // right sides (nu, row_count)
  double *x, *y;      // solution
  hn_frame *frames;   // of projections (bodies + ground)
  hn_wrench *wrench;  // where forces add up when only their power is asked for (bodies + ground)
  double *factored_q; // where the factorization was made (nq)
  row_set factored_rows;
  int is_factored;
  hn_saddle *geometry;     // the same pattern in the geometric metric; null without loops
  double *geometry_values; // of that metric, 9 a body
  unsigned char *small;    // rows with small pivots at its last factorization (row_count)
} cartesian;

// ---- set-up -------------------------------------------------------------------------------------

// M by columns, upper triangle: the linear part is diagonal, the angular part a full 3 x 3.
static void mass_pattern(int bodies, int *start, int *index) {
  int at = 0;
  for (int b = 0; b < bodies; b++)
    for (int j = 0; j < 6; j++) {
      start[6 * b + j] = at;
      for (int i = j < 3 ? j : 3; i <= j; i++) index[at++] = 6 * b + i;
    }
  start[6 * bodies] = at;
}

static void row_pattern(const hn_cartesian_rows *rows, int count, int *start, int *index) {
  for (int r = 0; r <= count; r++) start[r] = 6 * rows->row_start[r];
  for (int k = 0; k < rows->row_start[count]; k++)
    for (int i = 0; i < 6; i++) index[6 * k + i] = 6 * (rows->body[k] - 1) + i;
}

// 1 for translations, for rotations the mean squared distance of the joints from the centres of mass.
static void geometric_metric(const hn_model *model, double *values) {
  double sum = 0;
  int count = 0;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_vec3 arms[2] = {model->joints[j].frame1.position, model->joints[j].frame2.position};
    for (int k = 0; k < 2; k++) {
      double square = vec3_dot(arms[k], arms[k]);
      sum += square;
      count += square > 0;
    }
  }
  double rotation = sum > 0 ? sum / count : 1;
  for (int b = 0; b < model->body_count - 1; b++) {
    double *m = &values[9 * b];
    m[0] = m[1] = m[2] = 1;
    m[3] = m[5] = m[8] = rotation;
    m[4] = m[6] = m[7] = 0;
  }
}

static hn_status make_saddle(hn_arena *arena, cartesian *self) {
  const hn_elements *elements = self->base.elements;
  int bodies = elements->model->body_count - 1;
  int blocks = self->base.rows->row_start[elements->row_count];
  int *m_start = HN_TAKE(arena, int, 6 * bodies + 1), *m_index = HN_TAKE(arena, int, 9 * bodies);
  int *j_start = HN_TAKE(arena, int, elements->row_count + 1);
  int *j_index = HN_TAKE(arena, int, 6 * blocks);
  if (arena->failed) return HN_ERROR_MEMORY;
  mass_pattern(bodies, m_start, m_index);
  row_pattern(self->base.rows, elements->row_count, j_start, j_index);
  hn_saddle_pattern pattern = {.n = self->base.nu,
                               .m = elements->row_count,
                               .m_column_start = m_start,
                               .m_row_index = m_index,
                               .j_row_start = j_start,
                               .j_column_index = j_index};
  hn_status status = hn_saddle_create(arena, &pattern, &self->base.saddle);
  if (status != HN_OK) return status;
  // Rows in loops are let go near singular positions; those of tree joints never are.
  unsigned char *in_loop = HN_TAKE(arena, unsigned char, elements->row_count);
  if (!in_loop) return HN_ERROR_MEMORY;
  status = hn_find_loop_rows(&arena->allocator, elements, in_loop);
  hn_saddle_soften(self->base.saddle, in_loop, LOOP_EPSILON);
  int loops = 0;
  for (int r = 0; r < elements->row_count; r++) loops += in_loop[r];
  self->base.redundant_count = loops > 0 ? elements->row_count + 1 : 0; // none chosen yet
  if (status != HN_OK || loops == 0) return status;
  status = hn_saddle_create(arena, &pattern, &self->geometry);
  if (status != HN_OK) return status;
  hn_saddle_soften(self->geometry, in_loop, 1e-2 * REDUNDANT_PIVOT);
  geometric_metric(elements->model, self->geometry_values);
  return HN_OK;
}

static hn_status cartesian_create(hn_arena *arena, const hn_elements *elements,
                                  hn_equations **equations, hn_error *error) {
  cartesian *self = HN_TAKE(arena, cartesian, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  int bodies = elements->model->body_count - 1, rows = elements->row_count;
  self->base = (hn_equations){.type = &hn_cartesian,
                              .model = elements->model,
                              .elements = elements,
                              .nq = 7 * bodies,
                              .nu = 6 * bodies,
                              .normalizations = bodies};
  self->m_values = HN_TAKE(arena, double, 9 * bodies);
  self->geometry_values = HN_TAKE(arena, double, 9 * bodies);
  self->b = HN_TAKE(arena, double, self->base.nu);
  self->x = HN_TAKE(arena, double, self->base.nu);
  self->c = HN_TAKE(arena, double, rows);
  self->y = HN_TAKE(arena, double, rows);
  self->frames = HN_TAKE(arena, hn_frame, bodies + 1);
  self->wrench = HN_TAKE(arena, hn_wrench, bodies + 1);
  self->factored_q = HN_TAKE(arena, double, self->base.nq);
  self->small = HN_TAKE(arena, unsigned char, rows);
  self->base.redundant = HN_TAKE(arena, unsigned char, rows);
  if (arena->failed || hn_cartesian_rows_create(arena, elements, &self->base.rows) != HN_OK ||
      make_saddle(arena, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL,
                   "out of memory for %d bodies with %d constraint rows", bodies, rows);
  *equations = &self->base;
  return HN_OK;
}

// ---- q and frames -------------------------------------------------------------------------------

static void cartesian_initial(const hn_equations *equations, double *q, double *qd) {
  const hn_model *model = equations->model;
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *def = &model->bodies[b];
    hn_quat pd = quat_scale(0.5, euler_e_transposed(def->orientation, def->angular_velocity));
    vec3_store(&q[7 * (b - 1)], def->position);
    quat_store(&q[7 * (b - 1) + 3], def->orientation);
    vec3_store(&qd[7 * (b - 1)], def->velocity);
    quat_store(&qd[7 * (b - 1) + 3], pd);
  }
}

// Within a step p may leave unit length; the pose is that of p/|p|, so bodies stay rigid.
static void cartesian_frames(const hn_equations *equations, const double *q, const double *qd,
                             hn_frame *frames) {
  frames[0] = (hn_frame){.a = mat3_identity(), .p = quat_identity()};
  for (int b = 1; b < equations->model->body_count; b++) {
    const double *qb = &q[7 * (b - 1)], *qdb = &qd[7 * (b - 1)];
    hn_frame *f = &frames[b];
    hn_quat raw = quat_load(qb + 3);
    double scale = 1 / sqrt(quat_dot(raw, raw));
    f->r = vec3_load(qb);
    f->v = vec3_load(qdb);
    f->p = quat_scale(scale, raw);
    f->a = quat_matrix(f->p);
    f->w = vec3_scale(2 * scale, euler_e_apply(f->p, quat_load(qdb + 3)));
    f->pd = quat_scale(0.5, euler_e_transposed(f->p, f->w));
  }
}

static void cartesian_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                                  double *qd) {
  for (int b = 1; b < equations->model->body_count; b++) {
    const hn_frame *f = &frames[b];
    vec3_store(&q[7 * (b - 1)], f->r);
    quat_store(&q[7 * (b - 1) + 3], f->p);
    vec3_store(&qd[7 * (b - 1)], f->v);
    quat_store(&qd[7 * (b - 1) + 3], quat_scale(0.5, euler_e_transposed(f->p, f->w)));
  }
}

// Linear and angular velocities; p of any length, as in cartesian_frames.
static void cartesian_speeds(const hn_equations *equations, const double *q, const double *qd,
                             double *u) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_vec3 w = vec3_scale(2 / quat_dot(p, p), euler_e_apply(p, quat_load(&qd[7 * b + 3])));
    memcpy(&u[6 * b], &qd[7 * b], 3 * sizeof(double));
    vec3_store(&u[6 * b + 3], w);
  }
}

static void cartesian_rates(const hn_equations *equations, const double *q, const double *u,
                            double *qd) {
  for (int b = 0; b < equations->model->body_count - 1; b++) {
    hn_quat p = quat_load(&q[7 * b + 3]);
    hn_quat pd = quat_scale(0.5, euler_e_transposed(p, vec3_load(&u[6 * b + 3])));
    memcpy(&qd[7 * b], &u[6 * b], 3 * sizeof(double));
    quat_store(&qd[7 * b + 3], pd);
  }
}

static void cartesian_translate(const hn_equations *equations, const double *q, hn_vec3 velocity,
                                double *qd) {
  (void)q;
  for (int b = 1; b < equations->model->body_count; b++) {
    vec3_store(&qd[7 * (b - 1)], velocity);
    quat_store(&qd[7 * (b - 1) + 3], (hn_quat){0, 0, 0, 0});
  }
}

// ---- numbers ------------------------------------------------------------------------------------

static hn_mat3 global_inertia(const hn_body_def *body, hn_mat3 a) {
  return mat3_multiply(mat3_multiply(a, mat3_symmetric(body->inertia)), mat3_transpose(a));
}

static void evaluate_mass(cartesian *self, const hn_frame *frames) {
  const hn_model *model = self->base.model;
  for (int b = 1; b < model->body_count; b++) {
    double *m = &self->m_values[9 * (b - 1)];
    hn_mat3 inertia = global_inertia(&model->bodies[b], frames[b].a);
    m[0] = m[1] = m[2] = model->bodies[b].mass;
    m[3] = inertia.m[0][0];
    m[4] = inertia.m[0][1];
    m[5] = inertia.m[1][1];
    m[6] = inertia.m[0][2];
    m[7] = inertia.m[1][2];
    m[8] = inertia.m[2][2];
  }
}

// Rank in loops at the rows as evaluated: how many of the rows held are small, and, when all are held,
// which of them are left out of stages: the dependent ones, when there are fewer of them than before
// (at a singular position there are more for a moment).
static void judge_rank(cartesian *self, row_set rows) {
  hn_equations *e = &self->base;
  hn_saddle_release(self->geometry, rows == KEPT_ROWS ? e->redundant : NULL);
  hn_saddle_factor(self->geometry, self->geometry_values, self->base.rows->block);
  if (rows == ALL_ROWS && !e->keep_redundant) {
    int dependent = hn_saddle_small_pivots(self->geometry, REDUNDANT_PIVOT, self->small);
    if (dependent < e->redundant_count) {
      memcpy(e->redundant, self->small, (size_t)e->elements->row_count);
      e->redundant_count = dependent;
    }
  }
  int near = hn_saddle_small_pivots(self->geometry, NEAR_PIVOT, NULL);
  e->near_singular = near > (rows == ALL_ROWS ? e->redundant_count : 0);
}

// M and J depend on q only: a factorization made at this very q is still the right one.
static hn_status factor(cartesian *self, const double *q, const hn_frame *frames, row_set rows) {
  hn_equations *e = &self->base;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_rows == rows && memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->is_factored = 0;
  evaluate_mass(self, frames);
  hn_saddle_release(e->saddle, rows == KEPT_ROWS ? e->redundant : NULL);
  hn_status status = hn_saddle_factor(e->saddle, self->m_values, self->base.rows->block);
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->is_factored = 1;
  // a small pivot in the metric of M asks for a closer look
  int usual = rows == ALL_ROWS ? e->redundant_count : 0;
  e->near_singular = 0;
  if (self->geometry && (usual > e->elements->row_count ||
                         hn_saddle_small_pivots(e->saddle, NEAR_PIVOT, NULL) > usual))
    judge_rank(self, rows);
  return HN_OK;
}

// ---- accelerations ------------------------------------------------------------------------------

static void right_side(cartesian *self, hn_snapshot *s) {
  const hn_model *model = self->base.model;
  s->kinetic = 0;
  for (int b = 1; b < model->body_count; b++) {
    const hn_frame *f = &s->frames[b];
    hn_vec3 momentum = mat3_apply(global_inertia(&model->bodies[b], f->a), f->w);
    hn_vec3 torque = vec3_sub(s->wrench[b].torque, vec3_cross(f->w, momentum));
    vec3_store(&self->b[6 * (b - 1)], s->wrench[b].force);
    vec3_store(&self->b[6 * (b - 1) + 3], torque);
    s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(f->w, momentum));
  }
}

static void store_accelerations(cartesian *self, hn_snapshot *s) {
  for (int b = 1; b < self->base.model->body_count; b++) {
    const double *x = &self->x[6 * (b - 1)];
    const hn_frame *f = &s->frames[b];
    memcpy(&s->ud[6 * (b - 1)], x, 6 * sizeof(double));
    s->acceleration[b] = vec3_load(x);
    s->angular_acceleration[b] = vec3_load(x + 3);
    hn_quat pdd = quat_scale(0.5, euler_e_transposed(f->p, s->angular_acceleration[b]));
    pdd = quat_add(pdd, quat_scale(-0.25 * vec3_dot(f->w, f->w), f->p));
    vec3_store(&s->qdd[7 * (b - 1)], s->acceleration[b]);
    quat_store(&s->qdd[7 * (b - 1) + 3], pdd);
  }
}

static void store_rows(cartesian *self, hn_snapshot *s) {
  const hn_cartesian_rows *rows = self->base.rows;
  for (int r = 0; r < self->base.elements->row_count; r++) {
    double residual = -rows->tau[r];
    for (int k = self->base.rows->row_start[r]; k < self->base.rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        residual += rows->block[6 * k + i] * self->x[6 * (self->base.rows->body[k] - 1) + i];
    s->phi[r] = rows->value[r];
    s->phi_rate[r] = rows->rate[r];
    s->phi_time_rate[r] = rows->time_rate[r];
    s->phi_acceleration[r] = residual;
    s->lambda[r] = self->y[r];
    s->power += self->y[r] * rows->time_rate[r]; // drivers: lambda' Phi_t
  }
}

// A torque about an axis without inertia that no joint holds: names the body whose equations are left
// unsatisfied most.
static hn_status not_determined(cartesian *self, double t, hn_error *error) {
  const hn_model *model = self->base.model;
  double *rest = self->b, most = 0;
  int worst = 1;
  for (int r = 0; r < self->base.elements->row_count; r++)
    for (int k = self->base.rows->row_start[r]; k < self->base.rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        rest[6 * (self->base.rows->body[k] - 1) + i] -=
            self->base.rows->block[6 * k + i] * self->y[r];
  for (int b = 1; b < model->body_count; b++) {
    const double *m = &self->m_values[9 * (b - 1)], *x = &self->x[6 * (b - 1)] + 3;
    double *w = &rest[6 * (b - 1) + 3];
    w[0] -= m[3] * x[0] + m[4] * x[1] + m[6] * x[2];
    w[1] -= m[4] * x[0] + m[5] * x[1] + m[7] * x[2];
    w[2] -= m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
    double size = fabs(w[0]) + fabs(w[1]) + fabs(w[2]);
    if (size > most) {
      most = size;
      worst = b;
    }
  }
  char name[96];
  return hn_fail(error, HN_ERROR_SINGULAR, &model->bodies[worst].source,
                 hn_text(name, sizeof name, "body '%s'", model->bodies[worst].name),
                 "give it inertia about every axis that can turn, or a joint that holds it",
                 "is turned by %.3g N m about an axis without inertia at t = %g s", most, t);
}

static hn_status evaluate_with(cartesian *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, row_set rows, hn_snapshot *snapshot,
                               hn_error *error) {
  hn_equations *equations = &self->base;
  equations->evaluations++;
  snapshot->t = t;
  cartesian_frames(equations, q, qd, snapshot->frames);
  hn_cartesian_evaluate_rows(&self->base, t, snapshot->frames, branches);
  hn_status status = hn_apply_forces(equations, t, branches, snapshot, error);
  if (status != HN_OK) return status;
  right_side(self, snapshot);
  status = factor(self, q, snapshot->frames, rows);
  hn_saddle_report report = {.refinements = 0};
  if (status == HN_OK)
    status = hn_saddle_solve(equations->saddle, self->b, self->base.rows->tau, self->x, self->y,
                             &report);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "look at forces and positions just before this time",
                   "accelerations are not finite at t = %g s", t);
  if (report.residual_x > 1e-4) return not_determined(self, t, error);
  store_accelerations(self, snapshot);
  store_rows(self, snapshot);
  return HN_OK;
}

static hn_status cartesian_evaluate(hn_equations *equations, double t, const double *q,
                                    const double *qd, const hn_branches *branches,
                                    hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((cartesian *)equations, t, q, qd, branches, ALL_ROWS, snapshot, error);
}

static hn_status cartesian_evaluate_stage(hn_equations *equations, double t, const double *q,
                                          const double *qd, const hn_branches *branches,
                                          hn_snapshot *snapshot, hn_error *error) {
  return evaluate_with((cartesian *)equations, t, q, qd, branches, KEPT_ROWS, snapshot, error);
}

static hn_status cartesian_power(hn_equations *equations, double t, const double *q,
                                 const double *qd, const double *lambda,
                                 const hn_branches *branches, double *power) {
  cartesian *self = (cartesian *)equations;
  cartesian_frames(equations, q, qd, self->frames);
  return hn_power_at(equations, t, self->frames, lambda, branches, self->wrench, power);
}

// ---- projections --------------------------------------------------------------------------------

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

static void normalize_all(const hn_equations *equations, double *q) {
  for (int b = 1; b < equations->model->body_count; b++)
    quat_store(&q[7 * (b - 1) + 3], quat_unit(quat_load(&q[7 * (b - 1) + 3])));
}

// r += dr, p <- (p + E' dpi / 2) / |.|
static void move(const hn_equations *equations, const double *x, double *q) {
  for (int b = 1; b < equations->model->body_count; b++) {
    double *qb = &q[7 * (b - 1)];
    const double *xb = &x[6 * (b - 1)];
    hn_quat p = quat_load(qb + 3);
    hn_quat dp = quat_scale(0.5, euler_e_transposed(p, vec3_load(xb + 3)));
    for (int i = 0; i < 3; i++) qb[i] += xb[i];
    quat_store(qb + 3, quat_unit(quat_add(p, dp)));
  }
}

enum { POSITION_ITERATIONS = 10 };

// Newton's method down to rounding level: near a singular position what is left of Phi is divided by
// a small number, so a little less is much better. Rows that are let go there are not waited for.
static hn_status cartesian_project_positions(hn_equations *equations, double t, double *q,
                                             const hn_branches *branches, double tolerance,
                                             double *correction) {
  cartesian *self = (cartesian *)equations;
  int rows = equations->elements->row_count;
  memcpy(correction, q, (size_t)equations->nq * sizeof(double));
  memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  normalize_all(equations, q);
  double gap = HUGE_VAL, before = HUGE_VAL;
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    cartesian_frames(equations, q, q, self->frames); // velocities are not looked at
    hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
    gap = largest(self->base.rows->value, rows);
    if (gap <= 0.01 * tolerance || !(gap <= 0.5 * before)) break;
    before = gap;
    for (int r = 0; r < rows; r++) self->c[r] = -self->base.rows->value[r];
    if (factor(self, q, self->frames, ALL_ROWS) != HN_OK) break;
    if (hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL) != HN_OK)
      break;
    move(equations, self->x, q);
  }
  for (int i = 0; i < equations->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

static hn_status cartesian_project_velocities(hn_equations *equations, double t, const double *q,
                                              double *qd, const hn_branches *branches,
                                              double *correction) {
  cartesian *self = (cartesian *)equations;
  int rows = equations->elements->row_count;
  memset(self->b, 0, (size_t)equations->nu * sizeof(double));
  cartesian_frames(equations, q, qd, self->frames);
  hn_cartesian_evaluate_rows(&self->base, t, self->frames, branches);
  for (int r = 0; r < rows; r++) self->c[r] = -self->base.rows->rate[r];
  hn_status status = factor(self, q, self->frames, ALL_ROWS);
  if (status == HN_OK)
    status = hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL);
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int b = 1; b < equations->model->body_count; b++) {
    double *qdb = &qd[7 * (b - 1)], *cb = &correction[7 * (b - 1)];
    const double *x = &self->x[6 * (b - 1)];
    const hn_frame *f = &self->frames[b];
    for (int i = 0; i < 7; i++) cb[i] = qdb[i];
    for (int i = 0; i < 3; i++) qdb[i] += x[i];
    hn_vec3 w = vec3_add(f->w, vec3_load(x + 3));
    quat_store(qdb + 3, quat_scale(0.5, euler_e_transposed(f->p, w)));
    for (int i = 0; i < 7; i++) cb[i] = qdb[i] - cb[i];
  }
  return HN_OK;
}

const hn_equations_type hn_cartesian = {
    .name = "cartesian",
    .create = cartesian_create,
    .initial = cartesian_initial,
    .frames = cartesian_frames,
    .from_frames = cartesian_from_frames,
    .speeds = cartesian_speeds,
    .rates = cartesian_rates,
    .translate = cartesian_translate,
    .evaluate = cartesian_evaluate,
    .evaluate_stage = cartesian_evaluate_stage,
    .power = cartesian_power,
    .project_positions = cartesian_project_positions,
    .project_velocities = cartesian_project_velocities,
};
