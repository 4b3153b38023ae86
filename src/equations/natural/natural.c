// Natural coordinates: q = the nodes of natural/nodes.h, three numbers each; speeds are qd itself.
//
//   [ M  Phi' ] [ qdd    ]   [ Q   ]        M constant,  Phi: rows of the elements that sharing does
//   [ Phi  0  ] [ lambda ] = [ tau ]        not cover, then rigidity of the bodies
//
// There is no term of inertia that depends on q or qd. The frame of a body is read off linearly; it is
// made orthonormal before elements see it. M is definite only when the second moments of every body are:
// bodies too thin for that (or with data no solid has) get the squares of their rigidity conditions
// added, weighted with their inertia, on both sides of the equations: the solution stays, the matrix is
// definite. Multipliers here are inner stresses that depend on how the
// nodes are chosen: reactions come from the Cartesian equations at the same state (methods/natural.md).
#include <string.h>

#include "base/error.h"
#include "equations/natural/natural.h"
#include "equations/natural/tangent.h"

// ---- frames -------------------------------------------------------------------------------------

static void natural_frames(const hn_equations *equations, const double *q, const double *qd,
                           hn_frame *frames) {
  const hn_natural_set *self = (const hn_natural_set *)equations;
  hn_frame_of_ground(&frames[HN_GROUND]);
  for (int b = 1; b < equations->model->body_count; b++) {
    hn_natural_motion motion = hn_natural_move_body(self, b, q, qd);
    frames[b] = hn_natural_frame(&motion);
    if (quat_dot(frames[b].p, equations->orientation[b]) >= 0) continue;
    frames[b].p = quat_scale(-1, frames[b].p);
    frames[b].pd = quat_scale(-1, frames[b].pd);
  }
}

// p and -p are one orientation, and nodes do not determine the sign: it follows the last one.
static void remember_signs(const hn_equations *equations, const hn_frame *frames) {
  for (int b = 1; b < equations->model->body_count; b++) equations->orientation[b] = frames[b].p;
}

static void natural_update_turns(const hn_equations *equations, const double *q,
                                 const hn_frame *frames, double *turns) {
  (void)q;
  remember_signs(equations, frames);
  hn_elements_update_turns(equations->elements, frames, turns);
}

static void natural_from_frames(const hn_equations *equations, const hn_frame *frames, double *q,
                                double *qd) {
  const hn_natural_set *self = (const hn_natural_set *)equations;
  remember_signs(equations, frames);
  for (int n = 0; n < self->nodes->node_count; n++) {
    const hn_natural_node *node = &self->nodes->nodes[n];
    const hn_frame *f = &frames[node->body];
    hn_vec3 arm = mat3_apply(f->a, node->s), turn = vec3_cross(f->w, arm);
    vec3_store(&q[3 * n], node->is_point ? vec3_add(f->r, arm) : arm);
    vec3_store(&qd[3 * n], node->is_point ? vec3_add(f->v, turn) : turn);
  }
}

// From qd to speeds and back.
static void copy_rates(const hn_equations *equations, const double *q, const double *from,
                       double *to) {
  (void)q;
  memcpy(to, from, (size_t)equations->nq * sizeof(double));
}

// ---- set-up -------------------------------------------------------------------------------------

// Rows that sharing does not cover; of a joint that closes a loop of bodies fixed to each other nothing
// may be left.
static void list_rows(hn_natural_set *self) {
  const hn_elements *elements = self->base.elements;
  for (int r = 0; r < elements->row_count; r++) {
    const hn_row *row = &elements->rows[r];
    int is_zero = !row->law && row->constant == 0;
    for (int k = 0; k < row->count; k++)
      is_zero &= hn_natural_is_zero(self->forms, row->measure[k]);
    self->nodes->covered[r] |= is_zero != 0;
    if (!self->nodes->covered[r]) self->element_row[self->element_rows++] = r;
  }
  self->rows = self->element_rows + self->nodes->gram_count;
}

static hn_status take_memory(hn_arena *arena, hn_natural_set *self) {
  int bodies = self->base.model->body_count, n = self->base.nq, rows = self->rows;
  double **by_row[] = {&self->value, &self->rate, &self->tau, &self->c, &self->y};
  for (int k = 0; k < 5; k++) *by_row[k] = HN_KEEP(arena, double, rows);
  double **by_node[] = {&self->b, &self->x, &self->factored.q};
  for (int k = 0; k < 3; k++) *by_node[k] = HN_KEEP(arena, double, n);
  self->frames = HN_KEEP(arena, hn_frame, bodies);
  self->base.orientation = HN_KEEP(arena, hn_quat, bodies);
  self->wrench = HN_KEEP(arena, hn_wrench, bodies);
  self->dependent = HN_KEEP(arena, unsigned char, rows);
  self->small = HN_KEEP(arena, unsigned char, rows);
  int own = self->base.elements->row_count + self->base.normalizations;
  self->base.redundant_size = own + self->cartesian->redundant_size;
  self->base.redundant = HN_TAKE(arena, unsigned char, self->base.redundant_size);
  self->cartesian_q = HN_KEEP(arena, double, self->cartesian->nq);
  self->cartesian_qd = HN_KEEP(arena, double, self->cartesian->nq);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

static hn_status set_up(hn_arena *arena, hn_natural_set *self) {
  const hn_elements *elements = self->base.elements;
  hn_status status = hn_natural_nodes_create(arena, elements, &self->nodes);
  if (status != HN_OK) return status;
  self->base.nq = self->base.nu = 3 * self->nodes->node_count;
  self->base.normalizations = self->nodes->gram_count;
  self->element_row = HN_TAKE(arena, int, elements->row_count);
  self->thin.body = HN_TAKE(arena, int, elements->model->body_count);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_natural_list_thin(self);
  status = hn_natural_forms_create(arena, elements, self->nodes, self->thin.body, self->thin.count,
                                   &self->forms);
  if (status != HN_OK) return status;
  list_rows(self);
  status = hn_natural_jet_create(arena, self->forms, &self->jet);
  if (status == HN_OK) status = hn_snapshot_create(arena, self->cartesian, &self->snapshot);
  if (status == HN_OK) status = take_memory(arena, self);
  if (status == HN_OK) status = hn_natural_row_pattern(arena, self);
  if (status == HN_OK) status = hn_natural_forces_create(arena, self);
  if (status != HN_OK) return status;
  hn_arena scratch;
  hn_arena_init(&scratch, &arena->allocator);
  status = hn_natural_make_saddle(arena, &scratch, self);
  hn_arena_release(&scratch);
  return status;
}

static hn_status natural_create(hn_arena *arena, const hn_elements *elements,
                                const hn_equations_options *options, hn_equations **equations,
                                hn_error *error) {
  hn_natural_set *self = HN_KEEP(arena, hn_natural_set, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  self->base = (hn_equations){.type = &hn_natural,
                              .model = elements->model,
                              .elements = elements,
                              .threads = options ? options->threads : NULL};
  hn_status status = hn_cartesian.create(arena, elements, NULL, &self->cartesian, error);
  if (status != HN_OK) return status;
  status = set_up(arena, self);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for natural coordinates");
  self->base.rows = self->cartesian->rows;
  self->base.solved_rows = self->rows;
  // those of the Cartesian equations follow: one saved state keeps both
  self->cartesian->redundant =
      self->base.redundant + elements->row_count + self->base.normalizations;
  self->base.on_bodies = self->cartesian;
  *equations = &self->base;
  return HN_OK;
}

// ---- accelerations ------------------------------------------------------------------------------

// Multipliers of rows that sharing covers are 0 here; drivers' are true ones: lambda' Phi_t is power.
static void store_stage(const hn_natural_set *self, double t, const hn_branches *branches,
                        hn_snapshot *s) {
  const hn_elements *elements = self->base.elements;
  memset(s->lambda, 0, (size_t)elements->row_count * sizeof(double));
  for (int r = 0; r < self->element_rows; r++) {
    const hn_row *row = &elements->rows[self->element_row[r]];
    s->lambda[self->element_row[r]] = self->y[r];
    if (row->law)
      s->power -= self->y[r] * hn_row_law(elements, row, t, branches->driver[row->driver]).d1;
  }
}

// After a restored state the rows on bodies are chosen, but not counted.
static void count_redundant(hn_natural_set *self) {
  hn_equations *c = self->cartesian;
  int rows = self->base.elements->row_count, count = 0;
  if (c->redundant_count <= rows) return;
  for (int r = 0; r < rows; r++) count += c->redundant[r];
  if (count > 0) c->redundant_count = count;
}

// Everything but the accelerations, from the Cartesian equations at the same state.
static hn_status fill_snapshot(hn_natural_set *self, double t, const double *q, const double *qd,
                               const hn_branches *branches, hn_snapshot *s, hn_error *error) {
  hn_equations *c = self->cartesian;
  const hn_model *model = self->base.model;
  int bodies = model->body_count, row_count = self->base.elements->row_count;
  natural_frames(&self->base, q, qd, self->frames);
  c->type->coordinates->from_frames(c, self->frames, self->cartesian_q, self->cartesian_qd);
  count_redundant(self);
  hn_status status = c->type->evaluate(c, t, self->cartesian_q, self->cartesian_qd, branches,
                                       self->snapshot, error);
  if (status != HN_OK) return status;
  if (self->base.unsolved_body == 0) self->base.unsolved_body = c->unsolved_body;
  const hn_snapshot *from = self->snapshot;
  memcpy(s->frames, from->frames, (size_t)bodies * sizeof *s->frames);
  memcpy(s->wrench, from->wrench, (size_t)bodies * sizeof *s->wrench);
  memcpy(s->forces, from->forces, (size_t)model->force_count * sizeof *s->forces);
  double *const to[] = {s->lambda, s->phi, s->phi_rate, s->phi_acceleration, s->phi_time_rate};
  const double *const rows_from[] = {from->lambda, from->phi, from->phi_rate,
                                     from->phi_acceleration, from->phi_time_rate};
  for (int k = 0; k < 5; k++) memcpy(to[k], rows_from[k], (size_t)row_count * sizeof(double));
  s->kinetic = from->kinetic;
  s->potential = from->potential;
  s->power = from->power;
  return HN_OK;
}

// Accelerations x and multipliers y, into ud and qdd of the snapshot too.
static hn_status accelerate(hn_natural_set *self, double t, const double *q, const double *qd,
                            const hn_branches *branches, hn_natural_rows rows, hn_snapshot *s,
                            hn_error *error) {
  size_t size = (size_t)self->base.nq * sizeof(double);
  self->base.evaluations++;
  s->t = t;
  hn_status status = hn_natural_forces(self, t, q, qd, branches, self->b, &s->power, error);
  if (status != HN_OK) return status;
  hn_natural_evaluate_rows(self, t, q, qd, branches);
  hn_natural_thin_bodies(self, q, qd, branches, HN_AIM_ACCELERATIONS, self->b);
  status = hn_natural_factor(self, q, branches, rows);
  if (status == HN_OK && rows == HN_NATURAL_ALL && !branches->keeps_rows)
    hn_natural_judge_rank(self, rows, 1);
  hn_saddle_set_slack(self->base.saddle, rows == HN_NATURAL_KEPT ? HN_NATURAL_SLACK : 1);
  if (status == HN_OK)
    status = hn_saddle_solve(self->base.saddle, self->b, self->tau, self->x, self->y, NULL);
  hn_saddle_set_slack(self->base.saddle, 1);
  if (status == HN_ERROR_NOT_FINITE)
    return hn_fail_not_finite(&self->base, t, q, qd, branches, s, error);
  if (status != HN_OK) return hn_fail_unsolved(status, t, error);
  memcpy(s->ud, self->x, size);
  memcpy(s->qdd, self->x, size);
  s->near_singular = self->base.near_singular;
  return HN_OK;
}

// Accelerations of the nodes from those of the bodies: r'' + wd x s + w x (w x s).
static void store_nodes(const hn_natural_set *self, hn_snapshot *s) {
  for (int n = 0; n < self->nodes->node_count; n++) {
    const hn_natural_node *node = &self->nodes->nodes[n];
    const hn_frame *f = &s->frames[node->body];
    hn_vec3 arm = mat3_apply(f->a, node->s);
    hn_vec3 a = vec3_add(vec3_cross(s->angular_acceleration[node->body], arm),
                         vec3_cross(f->w, vec3_cross(f->w, arm)));
    if (node->is_point) a = vec3_add(a, s->acceleration[node->body]);
    vec3_store(&s->qdd[3 * n], a);
  }
  memcpy(s->ud, s->qdd, (size_t)self->base.nq * sizeof(double));
}

static void take_cartesian(hn_natural_set *self, hn_snapshot *s) {
  size_t bodies = (size_t)self->base.model->body_count;
  memcpy(s->acceleration, self->snapshot->acceleration, bodies * sizeof(hn_vec3));
  memcpy(s->angular_acceleration, self->snapshot->angular_acceleration, bodies * sizeof(hn_vec3));
  store_nodes(self, s);
}

// On the constraints, accelerations are those of the Cartesian equations, whose solver is the
// faster one, and the more accurate if massless bodies lie between joints. The constraints of
// natural coordinates are examined as long as some of them may be dependent.
static hn_status natural_evaluate(hn_equations *equations, double t, const double *q,
                                  const double *qd, const hn_branches *branches,
                                  hn_snapshot *snapshot, hn_error *error) {
  hn_natural_set *self = (hn_natural_set *)equations;
  const int looks = equations->redundant_count > 0;
  hn_status status = HN_OK;
  if (looks)
    status = accelerate(self, t, q, qd, branches, HN_NATURAL_ALL, snapshot, error);
  else
    equations->evaluations++;
  snapshot->t = t;
  if (status == HN_OK) status = fill_snapshot(self, t, q, qd, branches, snapshot, error);
  if (status != HN_OK) return status;
  if (!looks) equations->near_singular = self->cartesian->near_singular;
  snapshot->near_singular = equations->near_singular;
  take_cartesian(self, snapshot);
  hn_natural_touch_whole(self, q, qd);
  return HN_OK;
}

static hn_status natural_evaluate_stage(hn_equations *equations, double t, const double *q,
                                        const double *qd, const hn_branches *branches,
                                        hn_snapshot *snapshot, hn_error *error) {
  hn_natural_set *self = (hn_natural_set *)equations;
  hn_status status = accelerate(self, t, q, qd, branches, HN_NATURAL_KEPT, snapshot, error);
  if (status == HN_OK) store_stage(self, t, branches, snapshot);
  return status;
}

static hn_status natural_power(hn_equations *equations, double t, const double *q, const double *qd,
                               const double *lambda, const hn_branches *branches, double *power) {
  hn_natural_set *self = (hn_natural_set *)equations;
  hn_status status = hn_natural_forces(self, t, q, qd, branches, self->b, power, NULL);
  if (status == HN_OK) hn_take_driver_power(equations->elements, t, lambda, branches, power);
  return status;
}

// ---- projections --------------------------------------------------------------------------------

enum { POSITION_ITERATIONS = 10 };
#define ROUGH 1e30

// As in cartesian/project.c: Newton's method down to rounding level, without waiting for
// regularized constraints. The matrix of the first iteration is reused as long as convergence is
// fast, and solutions are not refined: the next iteration does that.
static hn_status natural_project_positions(hn_equations *equations, double t, double *q,
                                           const hn_branches *branches, double tolerance,
                                           double *correction) {
  hn_natural_set *self = (hn_natural_set *)equations;
  int n = equations->nq, is_slow = 1;
  memcpy(correction, q, (size_t)n * sizeof(double));
  double gap = HUGE_VAL, before = HUGE_VAL;
  hn_saddle_set_slack(equations->saddle, ROUGH);
  for (int k = 0; k < POSITION_ITERATIONS; k++) {
    hn_natural_evaluate_rows(self, t, q, q, branches); // velocities are not used
    gap = hn_largest(self->value, self->rows);
    if (gap <= HN_GAP_CLOSED * tolerance || !(gap <= HN_GAP_STAYS * before)) break;
    if (k > 0) is_slow = !(gap <= HN_GAP_SLOW * before);
    before = gap;
    for (int r = 0; r < self->rows; r++) self->c[r] = -self->value[r];
    memset(self->b, 0, (size_t)n * sizeof(double));
    hn_natural_thin_bodies(self, q, q, branches, HN_AIM_VALUES, self->b);
    if (is_slow && hn_natural_factor(self, q, branches, HN_NATURAL_ALL) != HN_OK) break;
    if (hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL) != HN_OK)
      break;
    for (int i = 0; i < n; i++) q[i] += self->x[i];
  }
  hn_saddle_set_slack(equations->saddle, 1);
  for (int i = 0; i < n; i++) correction[i] = q[i] - correction[i];
  return gap <= tolerance ? HN_OK : HN_RETRY_CONVERGENCE;
}

static hn_status natural_project_velocities(hn_equations *equations, double t, const double *q,
                                            double *qd, const hn_branches *branches,
                                            double *correction) {
  hn_natural_set *self = (hn_natural_set *)equations;
  int n = equations->nq;
  memset(self->b, 0, (size_t)n * sizeof(double));
  hn_natural_evaluate_rows(self, t, q, qd, branches);
  hn_natural_thin_bodies(self, q, qd, branches, HN_AIM_RATES, self->b);
  for (int r = 0; r < self->rows; r++) self->c[r] = -self->rate[r];
  hn_status status = hn_natural_factor(self, q, branches, HN_NATURAL_ALL);
  hn_saddle_set_slack(equations->saddle, HN_NATURAL_SLACK);
  if (status == HN_OK)
    status = hn_saddle_solve(equations->saddle, self->b, self->c, self->x, self->y, NULL);
  hn_saddle_set_slack(equations->saddle, 1);
  if (status != HN_OK) return HN_RETRY_CONVERGENCE;
  for (int i = 0; i < n; i++) {
    correction[i] = self->x[i];
    qd[i] += self->x[i];
  }
  return HN_OK;
}

static const hn_coordinates natural_coordinates = {
    .frames = natural_frames,
    .from_frames = natural_from_frames,
    .speeds = copy_rates,
    .rates = copy_rates,
    .update_turns = natural_update_turns,
};

const hn_equations_type hn_natural = {
    .name = "natural",
    .traits = {.shares_points = 1},
    .coordinates = &natural_coordinates,
    .create = natural_create,
    .evaluate = natural_evaluate,
    .evaluate_stage = natural_evaluate_stage,
    .power = natural_power,
    .project_positions = natural_project_positions,
    .project_velocities = natural_project_velocities,
    .tangent_create = hn_natural_tangent_create,
    .responses = &hn_natural_responses,
};
