// Cartesian coordinates over the hierarchy of components (Vlasenko and Kasper 2007): frames, rates and
// rows are those of cartesian.c; accelerations go up and down the levels of linalg/hierarchy.h, and
// positions and velocities are brought back by post-stabilization over the same levels.
//
//   accelerations   [ M J'; J 0 ] [ a; lambda ] = [ F - (0, w x I w); tau ]
//   positions       J dx = -Phi, r += dr, p <- (p + E' dpi / 2) / |.|, sweep by sweep
//   velocities      J du = -dPhi/dt, a second time for the rounding of the first
//
// Forces are summed first and weights added last, so that a component that keeps its masses to itself
// gets the same bits.
#include "equations/nested.h"

#include <string.h>

#include "base/error.h"
#include "equations/cartesian_problem.h"

enum { SWEEPS = 10, CHUNK = 64 };

// Rank of stabilization: singular values that gaps of this size could have made are let go.
#define DRIFT_FACTOR 100
#define LEAST_TOLERANCE 1e-7
#define LARGEST_TOLERANCE 1e-2

typedef struct nested {
  hn_hierarchy *hierarchy;
  hn_threads *threads;
  int *row_start, *row_body;
  hn_cartesian_rows rows;
  double *mass;     // 9 a body
  double *b, *x;    // (nu)
  double *y, *g;    // (row_count)
  hn_frame *frames; // of projections (bodies + ground)
  double *factored_q;
  hn_hierarchy_rows factored_rows;
  int is_factored;
  // of the task at hand
  const hn_equations *equations;
  const hn_branches *branches;
  const hn_frame *task_frames;
  double task_time;
} nested;

static nested *of(const hn_equations *e) { return (nested *)e->extension; }

// ---- set-up -------------------------------------------------------------------------------------

static hn_status make_hierarchy(hn_arena *arena, const hn_elements *elements, nested *self) {
  const hn_model *model = elements->model;
  int bodies = model->body_count - 1, rows = elements->row_count, nodes = model->component_count;
  int *parent = HN_TAKE(arena, int, nodes), *body_node = HN_TAKE(arena, int, bodies + 1);
  int *row_node = HN_TAKE(arena, int, rows), *row_order = HN_TAKE(arena, int, rows);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 1; k < nodes; k++) parent[k] = model->components[k].parent;
  for (int b = 1; b <= bodies; b++) body_node[b] = model->bodies[b].component;
  hn_status status = hn_nested_row_nodes(arena, elements, row_node, row_order);
  if (status != HN_OK) return status;
  hn_hierarchy_problem problem = {.bodies = bodies,
                                  .rows = rows,
                                  .row_start = self->row_start,
                                  .body = self->row_body,
                                  .nodes = nodes,
                                  .parent = parent,
                                  .body_node = body_node,
                                  .row_node = row_node,
                                  .row_order = row_order,
                                  .threads = self->threads};
  return hn_hierarchy_create(arena, &problem, &self->hierarchy);
}

static hn_status take_memory(hn_arena *arena, hn_equations *e, nested *self) {
  const hn_elements *elements = e->elements;
  int bodies = e->model->body_count - 1, rows = elements->row_count, blocks = 0;
  for (int r = 0; r < rows; r++) blocks += elements->rows[r].body_count;
  self->row_start = HN_TAKE(arena, int, rows + 1);
  self->row_body = HN_TAKE(arena, int, blocks);
  if (arena->failed) return HN_ERROR_MEMORY;
  blocks = 0;
  for (int r = 0; r < rows; r++) {
    self->row_start[r] = blocks;
    for (int k = 0; k < elements->rows[r].body_count; k++)
      self->row_body[blocks++] = elements->rows[r].body[k];
  }
  self->row_start[rows] = blocks;
  self->rows = (hn_cartesian_rows){.row_start = self->row_start,
                                   .body = self->row_body,
                                   .block = HN_TAKE(arena, double, 6 * blocks),
                                   .value = HN_TAKE(arena, double, rows),
                                   .rate = HN_TAKE(arena, double, rows),
                                   .tau = HN_TAKE(arena, double, rows),
                                   .time_rate = HN_TAKE(arena, double, rows)};
  self->mass = HN_TAKE(arena, double, 9 * bodies);
  self->b = HN_TAKE(arena, double, e->nu);
  self->x = HN_TAKE(arena, double, e->nu);
  self->y = HN_TAKE(arena, double, rows);
  self->g = HN_TAKE(arena, double, rows);
  self->frames = HN_TAKE(arena, hn_frame, bodies + 1);
  self->factored_q = HN_TAKE(arena, double, e->nq);
  return arena->failed ? HN_ERROR_MEMORY : make_hierarchy(arena, elements, self);
}

static hn_status nested_create_with(hn_arena *arena, const hn_elements *elements,
                                    const hn_equations_options *options, hn_equations **equations,
                                    hn_error *error) {
  hn_equations_options inner = {.linear_solver = "auto", .threads = options->threads};
  if (options->linear_solver && strcmp(options->linear_solver, "auto") != 0)
    return hn_fail(error, HN_ERROR_UNSUPPORTED, NULL, NULL, "leave out --linear-solver",
                   "method components solves level by level: there is no linear solver to choose");
  hn_status status = hn_cartesian.create_with(arena, elements, &inner, equations, error);
  if (status != HN_OK) return status;
  hn_equations *e = *equations;
  nested *self = HN_TAKE(arena, nested, 1);
  if (self) self->threads = options->threads;
  if (!self || take_memory(arena, e, self) != HN_OK)
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for %d components",
                   elements->model->component_count);
  e->type = &hn_nested;
  e->extension = self;
  memset(e->redundant, 1, (size_t)elements->row_count); // none chosen yet
  e->redundant_count = elements->row_count;
  self->equations = e;
  return HN_OK;
}

static hn_status nested_create(hn_arena *arena, const hn_elements *elements,
                               hn_equations **equations, hn_error *error) {
  const hn_equations_options options = {.linear_solver = "auto"};
  return nested_create_with(arena, elements, &options, equations, error);
}

const hn_hierarchy *hn_nested_hierarchy(const hn_equations *e) { return of(e)->hierarchy; }

// ---- numbers ------------------------------------------------------------------------------------

static void evaluate_row(nested *self, int r) {
  const hn_elements *elements = self->equations->elements;
  const hn_row *row = &elements->rows[r];
  int branch = row->driver >= 0 ? self->branches->driver[row->driver] : 0;
  hn_row_speeds s;
  hn_row_in_speeds(elements, row, self->task_frames, self->branches->turns, self->task_time, branch,
                   &s);
  self->rows.value[r] = s.value;
  self->rows.rate[r] = s.rate;
  self->rows.tau[r] = s.tau;
  self->rows.time_rate[r] = s.time_rate;
  double *block = &self->rows.block[6 * self->row_start[r]];
  for (int k = 0; k < row->body_count; k++, block += 6) {
    vec3_store(block, s.n[k]);
    vec3_store(block + 3, s.m[k]);
  }
}

static void evaluate_chunk(void *context, int index) {
  nested *self = context;
  int rows = self->equations->elements->row_count;
  for (int r = CHUNK * index; r < rows && r < CHUNK * (index + 1); r++) evaluate_row(self, r);
}

static void evaluate_rows(nested *self, double t, const hn_frame *frames,
                          const hn_branches *branches) {
  self->task_time = t;
  self->task_frames = frames;
  self->branches = branches;
  int rows = self->equations->elements->row_count;
  hn_threads_run(self->threads, evaluate_chunk, self, (rows + CHUNK - 1) / CHUNK);
}

// The matrices depend on q only: a factorization made at this very q is still the right one.
static hn_status factor(hn_equations *e, const double *q, const hn_frame *frames,
                        hn_hierarchy_rows rows, hn_error *error) {
  nested *self = of(e);
  const hn_model *model = e->model;
  size_t size = (size_t)e->nq * sizeof(double);
  if (self->is_factored && self->factored_rows == rows && memcmp(q, self->factored_q, size) == 0)
    return HN_OK;
  self->is_factored = 0;
  hn_cartesian_mass(model, frames, self->mass);
  int light = 0;
  hn_status status = hn_hierarchy_factor(self->hierarchy, self->mass, self->rows.block, rows,
                                         e->redundant, &light);
  char name[96];
  if (status == HN_ERROR_SINGULAR && light > 0)
    return hn_fail(error, status, &model->bodies[light].source,
                   hn_text(name, sizeof name, "body '%s'", model->bodies[light].name),
                   "give it mass and inertia about every axis, or take another --method",
                   "has no mass or no inertia about an axis: method components needs both");
  if (status != HN_OK) return status;
  memcpy(self->factored_q, q, size);
  self->factored_rows = rows;
  self->is_factored = 1;
  e->redundant_count = 0;
  for (int r = 0; r < e->elements->row_count; r++) e->redundant_count += e->redundant[r];
  e->near_singular =
      rows != HN_HIERARCHY_KEPT && hn_hierarchy_dependent(self->hierarchy) > e->redundant_count;
  return HN_OK;
}

// ---- accelerations ------------------------------------------------------------------------------

static hn_status apply_forces(hn_equations *e, double t, const hn_branches *branches,
                              hn_snapshot *s, hn_error *error) {
  const hn_model *model = e->model;
  s->potential = s->power = 0;
  for (int b = 0; b < model->body_count; b++) s->wrench[b] = (hn_wrench){{0, 0, 0}, {0, 0, 0}};
  for (int f = 0; f < model->force_count; f++) {
    s->forces[f] = (hn_force_value){.value = 0};
    hn_status status = hn_force_in_speeds(e->elements, f, s->frames, branches->turns, t,
                                          branches->force[f], s->wrench, &s->forces[f]);
    char name[96];
    if (status != HN_OK)
      return hn_fail(error, status, &model->forces[f].source,
                     hn_text(name, sizeof name, "force '%s'", model->forces[f].name), NULL,
                     "failed at t = %g s", t);
    s->potential += s->forces[f].potential;
    s->power += s->forces[f].power;
  }
  return HN_OK;
}

static void right_side(hn_equations *e, hn_snapshot *s) {
  const hn_model *model = e->model;
  nested *self = of(e);
  s->kinetic = 0;
  for (int b = 1; b < model->body_count; b++) {
    const hn_frame *f = &s->frames[b];
    hn_vec3 weight = vec3_scale(model->bodies[b].mass, model->gravity);
    hn_vec3 turn = mat3_apply_transposed(f->a, f->w);
    hn_vec3 momentum = mat3_apply(f->a, mat3_apply(mat3_symmetric(model->bodies[b].inertia), turn));
    hn_vec3 torque = vec3_sub(s->wrench[b].torque, vec3_cross(f->w, momentum));
    s->wrench[b].force = vec3_add(s->wrench[b].force, weight);
    s->potential -= vec3_dot(weight, f->r);
    vec3_store(&self->b[6 * (b - 1)], s->wrench[b].force);
    vec3_store(&self->b[6 * (b - 1) + 3], torque);
    s->kinetic += 0.5 * (model->bodies[b].mass * vec3_dot(f->v, f->v) + vec3_dot(f->w, momentum));
  }
}

static void store_accelerations(hn_equations *e, hn_snapshot *s) {
  for (int b = 1; b < e->model->body_count; b++) {
    const double *x = &of(e)->x[6 * (b - 1)];
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

static void store_rows(hn_equations *e, hn_snapshot *s) {
  nested *self = of(e);
  const hn_cartesian_rows *rows = &self->rows;
  for (int r = 0; r < e->elements->row_count; r++) {
    double residual = -rows->tau[r];
    for (int k = self->row_start[r]; k < self->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        residual += rows->block[6 * k + i] * self->x[6 * (self->row_body[k] - 1) + i];
    s->phi[r] = rows->value[r];
    s->phi_rate[r] = rows->rate[r];
    s->phi_time_rate[r] = rows->time_rate[r];
    s->phi_acceleration[r] = residual;
    s->lambda[r] = self->y[r];
    s->power += self->y[r] * rows->time_rate[r]; // drivers: lambda' Phi_t
  }
}

static hn_status evaluate_with(hn_equations *e, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_hierarchy_rows rows, int refinements,
                               hn_snapshot *s, hn_error *error) {
  nested *self = of(e);
  e->evaluations++;
  s->t = t;
  e->type->frames(e, q, qd, s->frames);
  evaluate_rows(self, t, s->frames, branches);
  hn_status status = apply_forces(e, t, branches, s, error);
  if (status != HN_OK) return status;
  right_side(e, s);
  status = factor(e, q, s->frames, rows, error);
  if (status == HN_ERROR_SINGULAR) return status;
  if (status == HN_OK)
    status =
        hn_hierarchy_solve(self->hierarchy, self->b, self->rows.tau, self->x, self->y, refinements);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, "look at forces and positions just before this time",
                   "accelerations are not finite at t = %g s", t);
  store_accelerations(e, s);
  store_rows(e, s);
  return HN_OK;
}

static hn_status nested_evaluate(hn_equations *e, double t, const double *q, const double *qd,
                                 const hn_branches *branches, hn_snapshot *snapshot,
                                 hn_error *error) {
  hn_hierarchy_rows rows = e->keep_redundant ? HN_HIERARCHY_ALL : HN_HIERARCHY_CHOOSE;
  return evaluate_with(e, t, q, qd, branches, rows, 2, snapshot, error);
}

static hn_status nested_evaluate_stage(hn_equations *e, double t, const double *q, const double *qd,
                                       const hn_branches *branches, hn_snapshot *snapshot,
                                       hn_error *error) {
  return evaluate_with(e, t, q, qd, branches, HN_HIERARCHY_KEPT, 1, snapshot, error);
}

// ---- projections --------------------------------------------------------------------------------

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

// r += dr, p <- (p + E' dpi / 2) / |.|
static void move(const hn_equations *e, const double *x, double *q) {
  for (int b = 1; b < e->model->body_count; b++) {
    double *qb = &q[7 * (b - 1)];
    const double *xb = &x[6 * (b - 1)];
    hn_quat p = quat_load(qb + 3);
    hn_quat dp = quat_scale(0.5, euler_e_transposed(p, vec3_load(xb + 3)));
    for (int i = 0; i < 3; i++) qb[i] += xb[i];
    quat_store(qb + 3, quat_unit(quat_add(p, dp)));
  }
}

static double tolerance_of(double gap) {
  double tolerance = DRIFT_FACTOR * gap;
  return fmin(fmax(tolerance, LEAST_TOLERANCE), LARGEST_TOLERANCE);
}

static hn_status nested_project_positions(hn_equations *e, double t, double *q,
                                          const hn_branches *branches, double tolerance,
                                          double *correction) {
  nested *self = of(e);
  int rows = e->elements->row_count;
  memcpy(correction, q, (size_t)e->nq * sizeof(double));
  for (int b = 1; b < e->model->body_count; b++)
    quat_store(&q[7 * (b - 1) + 3], quat_unit(quat_load(&q[7 * (b - 1) + 3])));
  double gap = HUGE_VAL, before = HUGE_VAL;
  for (int k = 0; k < SWEEPS; k++) {
    e->type->frames(e, q, q, self->frames); // velocities are not looked at
    evaluate_rows(self, t, self->frames, branches);
    gap = largest(self->rows.value, rows);
    if (gap <= 0.01 * tolerance || !(gap <= 0.5 * before)) break;
    before = gap;
    if (hn_hierarchy_stabilize_factor(self->hierarchy, self->rows.block, tolerance_of(gap)) ||
        hn_hierarchy_stabilize(self->hierarchy, self->rows.value, self->x))
      break;
    move(e, self->x, q);
  }
  for (int i = 0; i < e->nq; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

// Rates that are left after the increments x.
static void left_rates(nested *self, const double *x, double *g) {
  const hn_cartesian_rows *rows = &self->rows;
  for (int r = 0; r < self->equations->elements->row_count; r++)
    for (int k = self->row_start[r]; k < self->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        g[r] += rows->block[6 * k + i] * x[6 * (self->row_body[k] - 1) + i];
}

static hn_status nested_project_velocities(hn_equations *e, double t, const double *q, double *qd,
                                           const hn_branches *branches, double *correction) {
  nested *self = of(e);
  int rows = e->elements->row_count;
  e->type->frames(e, q, qd, self->frames);
  evaluate_rows(self, t, self->frames, branches);
  memcpy(self->g, self->rows.rate, (size_t)rows * sizeof(double));
  memset(self->b, 0, (size_t)e->nu * sizeof(double));
  hn_status status =
      hn_hierarchy_stabilize_factor(self->hierarchy, self->rows.block, LEAST_TOLERANCE);
  for (int sweep = 0; sweep < 2 && status == HN_OK; sweep++) {
    status = hn_hierarchy_stabilize(self->hierarchy, self->g, self->x);
    if (status != HN_OK) break;
    for (int i = 0; i < e->nu; i++) self->b[i] += self->x[i];
    if (sweep == 0) left_rates(self, self->x, self->g);
  }
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int b = 1; b < e->model->body_count; b++) {
    double *qdb = &qd[7 * (b - 1)], *cb = &correction[7 * (b - 1)];
    const double *x = &self->b[6 * (b - 1)];
    const hn_frame *f = &self->frames[b];
    for (int i = 0; i < 7; i++) cb[i] = qdb[i];
    for (int i = 0; i < 3; i++) qdb[i] += x[i];
    hn_vec3 w = vec3_add(f->w, vec3_load(x + 3));
    quat_store(qdb + 3, quat_scale(0.5, euler_e_transposed(f->p, w)));
    for (int i = 0; i < 7; i++) cb[i] = qdb[i] - cb[i];
  }
  return HN_OK;
}

// ---- what is cartesian.c's ----------------------------------------------------------------------

static void nested_initial(const hn_equations *e, double *q, double *qd) {
  hn_cartesian.initial(e, q, qd);
}
static void nested_frames(const hn_equations *e, const double *q, const double *qd,
                          hn_frame *frames) {
  hn_cartesian.frames(e, q, qd, frames);
}
static void nested_speeds(const hn_equations *e, const double *q, const double *qd, double *u) {
  hn_cartesian.speeds(e, q, qd, u);
}
static void nested_rates(const hn_equations *e, const double *q, const double *u, double *qd) {
  hn_cartesian.rates(e, q, u, qd);
}
static void nested_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                               double *qd) {
  hn_cartesian.from_frames(equations, frames, q, qd);
}

static void nested_translate(const hn_equations *e, const double *q, hn_vec3 velocity, double *qd) {
  hn_cartesian.translate(e, q, velocity, qd);
}
static hn_status nested_power(hn_equations *e, double t, const double *q, const double *qd,
                              const double *lambda, const hn_branches *branches, double *power) {
  return hn_cartesian.power(e, t, q, qd, lambda, branches, power);
}

const hn_equations_type hn_nested = {
    .name = "cartesian",
    .create = nested_create,
    .create_with = nested_create_with,
    .initial = nested_initial,
    .frames = nested_frames,
    .from_frames = nested_from_frames,
    .speeds = nested_speeds,
    .rates = nested_rates,
    .translate = nested_translate,
    .evaluate = nested_evaluate,
    .evaluate_stage = nested_evaluate_stage,
    .power = nested_power,
    .project_positions = nested_project_positions,
    .project_velocities = nested_project_velocities,
};
