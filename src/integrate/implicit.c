// Parts shared by implicit methods: see implicit.h.
#include "integrate/implicit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "integrate/method_states.h"

static hn_status create_tangent(hn_arena *arena, hn_equations *equations, hn_implicit *self) {
  hn_status status = HN_OK;
  if (!self->reads_blocks || equations->is_deep)
    status = hn_tangent_create(arena, equations, 1, &self->tangent);
  if (status == HN_OK && self->tangent && self->tangent->is_deep) self->reads_blocks = 0;
  if (status == HN_OK && self->reads_blocks)
    status = hn_tangent_create(arena, equations, 0, &self->tangent);
  return status;
}

static void declare_implicit(hn_arena *arena, hn_implicit *self) {
  int *const flags[] = {&self->has_matrix, &self->matrix_is_here, &self->is_near_singular};
  double *const numbers[] = {&self->g.q, &self->g.v, &self->states_g};
  hn_declare_flags(arena, flags, 3, "a flag of the matrix");
  hn_declare_numbers(arena, numbers, 3, "a number of the matrix");
  HN_STATE(arena, &self->carry, 1, "the kind of the matrix");
  hn_state_within(arena, HN_CARRY_TURNED, HN_CARRY_STRAIGHT);
  HN_STATE(arena, self->lambda, self->rows, "multiplier");
  HN_STATE(arena, self->left_out, self->rows, "the mark of constraint left out");
  hn_state_within(arena, 0, 1);
}

hn_status hn_implicit_create(hn_arena *arena, hn_method *m, hn_implicit *self, hn_error *error) {
  hn_equations *equations = m->equations;
  int n = equations->nq;
  self->method = m;
  int has_tangent = equations->type->tangent_create != NULL;
  hn_status status = has_tangent ? create_tangent(arena, equations, self) : HN_OK;
  self->rows = self->tangent ? self->tangent->rows : 0;
  if (status == HN_OK && has_tangent && !self->reads_blocks) // else it has one of its own
    status = hn_stage_matrix_create(arena, self->tangent, &self->matrix);
  if (status == HN_OK) status = hn_snapshot_create(arena, equations, &m->now);
  if (status == HN_OK) status = hn_snapshot_create(arena, equations, &m->next);
  if (status == HN_OK) {
    double **vectors[] = {&m->q, &m->qd, &m->next_q, &m->next_qd};
    for (int k = 0; k < 4; k++) *vectors[k] = HN_KEEP(arena, double, n);
    self->lambda = HN_KEEP(arena, double, self->rows);
    self->matrix_q = HN_KEEP(arena, double, n);
    self->error = HN_WORK(arena, double, 2 * n);
    self->change = HN_WORK(arena, double, 2 * n);
    self->left_out = HN_KEEP(arena, unsigned char, self->rows);
    status = hn_method_take_states(arena, m);
  }
  if (status == HN_OK)
    status = arena->failed ? HN_ERROR_MEMORY
                           : hn_place_create(arena, equations, self->rows, &self->place);
  if (status != HN_OK)
    return hn_fail(error, status, NULL, NULL, NULL, "out of memory for the integrator");
  declare_implicit(arena, self);
  return hn_passing_create(arena, equations, &self->passing, error);
}

hn_status hn_implicit_begin(hn_implicit *self, const hn_branches *branches, hn_error *error) {
  hn_method *m = self->method;
  hn_equations *e = m->equations;
  self->carry = HN_CARRY_TURNED;
  self->has_matrix = self->matrix_is_here = 0; // another branch is another matrix
  hn_method_hold_states(m);
  hn_status status = e->type->evaluate(e, m->t, m->q, m->qd, branches, m->now, error);
  self->is_near_singular = m->now->near_singular;
  return status;
}

hn_status hn_implicit_open_states(hn_implicit *self, double g, const hn_branches *branches) {
  if (self->method->states == 0) return HN_OK;
  hn_status status = hn_method_find_rates(self->method, branches);
  hn_method_follow_states(self->method, g);
  if (!(fabs(self->states_g - g) <= 1e-9 * g)) self->has_matrix = self->matrix_is_here = 0;
  self->states_g = g;
  return status;
}

hn_status hn_implicit_multipliers(hn_implicit *self, const hn_branches *branches, hn_error *error) {
  hn_method *m = self->method;
  hn_tangent *t = self->tangent;
  int elements = t->rows - m->equations->normalizations;
  hn_status status = HN_OK;
  if (!t->type->has_idle_normalizations)
    status = hn_tangent_evaluate(
        t, &(hn_tangent_state){.t = m->t, .q = m->q, .qd = m->qd, .branches = branches}, HN_BASIC,
        error);
  if (status != HN_OK) return status;
  memcpy(self->lambda, m->now->lambda, (size_t)elements * sizeof(double));
  t->type->normalization_multipliers(t, self->lambda);
  return HN_OK;
}

void hn_implicit_take_place(hn_implicit *self, const hn_branches *branches) {
  const hn_method *m = self->method;
  hn_place_keep(&self->place, m->equations, m->t, m->q, m->qd, m->now->qdd, self->lambda, branches);
}

hn_status hn_implicit_make(hn_implicit *self, hn_error *error) {
  const hn_place *p = &self->place;
  hn_tangent_state at = hn_place_state(p);
  if (self->matrix) at.space = hn_stage_matrix_space(self->matrix);
  hn_status status = hn_tangent_evaluate(self->tangent, &at, HN_FULL, error);
  if (status != HN_OK) return status;
  if (self->matrix) hn_stage_matrix_keep(self->matrix);
  memcpy(self->matrix_q, p->q, (size_t)self->tangent->n * sizeof(double));
  self->g = (hn_step_numbers){0, 0};
  self->matrix_is_here = self->has_matrix = 1;
  self->method->jacobians++;
  return HN_OK;
}

hn_status hn_implicit_factor(hn_implicit *self, hn_step_numbers g, const unsigned char *left_out) {
  self->g = g;
  memmove(self->left_out, left_out, (size_t)self->tangent->rows);
  return hn_stage_matrix_factor(self->matrix, g, self->left_out);
}

static void carry(const hn_implicit *self, const double *from, const double *to, double *x) {
  self->tangent->type->carry(self->tangent, from, to, self->carry, x);
}

void hn_implicit_solve_accelerations(hn_implicit *self, const double *q, double *r) {
  carry(self, q, self->matrix_q, r);
  hn_stage_matrix_solve_accelerations(self->matrix, r, 0);
  carry(self, self->matrix_q, q, r);
}

void hn_implicit_filter(hn_implicit *self, const double *q, double *r1, double *r2) {
  carry(self, q, self->matrix_q, r1);
  carry(self, q, self->matrix_q, r2);
  hn_stage_matrix_filter(self->matrix, r1, r2);
  carry(self, self->matrix_q, q, r1);
  carry(self, self->matrix_q, q, r2);
}

// After the snapshot of the end.
static hn_status end_step(hn_implicit *self, double t_end, hn_status status) {
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  hn_method_set_step(self->method, t_end);
  return HN_OK;
}

hn_status hn_implicit_finish(hn_implicit *self, double t_end, const double *q, const double *v,
                             const hn_branches *branches, const hn_tolerance *tolerance,
                             hn_error *error) {
  hn_method *m = self->method;
  hn_equations *e = m->equations;
  memcpy(m->next_q, q, (size_t)e->nq * sizeof(double));
  memcpy(m->next_qd, v, (size_t)e->nq * sizeof(double));
  m->projections++;
  hn_projected_state end = {.t = t_end,
                            .begin = m->q,
                            .q = m->next_q,
                            .qd = m->next_qd,
                            .tolerance = tolerance->projection,
                            .change = {self->change, self->change + e->nq}};
  return end_step(self, t_end, hn_equations_settle(e, &end, branches, m->next, error));
}

hn_status hn_implicit_finish_at(hn_implicit *self, double t_end, const double *q, const double *v,
                                const hn_branches *branches, const hn_tolerance *tolerance,
                                hn_error *error) {
  hn_method *m = self->method;
  hn_equations *e = m->equations;
  size_t size = (size_t)e->nq * sizeof(double);
  if (hn_holds_conditions(e, branches))
    return hn_implicit_finish(self, t_end, q, v, branches, tolerance, error);
  memcpy(m->next_q, q, size);
  memcpy(m->next_qd, v, size);
  return end_step(self, t_end, e->type->evaluate(e, t_end, q, v, branches, m->next, error));
}

double hn_implicit_error(hn_implicit *self, const hn_tolerance *tolerance) {
  hn_stage_matrix_filter(self->matrix, self->error, self->error + self->method->equations->nq);
  return hn_implicit_error_norm(self, tolerance);
}

double hn_implicit_error_norm(const hn_implicit *self, const hn_tolerance *tolerance) {
  const hn_method *m = self->method;
  hn_equations *e = m->equations;
  int n = e->nq;
  double sum = 0;
  if (e->measures_errors)
    return e->type->coordinates->error_norm(e, m->now, m->next, m->next_q, self->error,
                                            m->next->near_singular ? NULL : self->change,
                                            tolerance->absolute, tolerance->relative);
  for (int i = 0; i < 2 * n; i++) {
    double before = i < n ? m->q[i] : m->qd[i - n];
    double after = i < n ? m->next_q[i] : m->next_qd[i - n];
    double size = fabs(before) > fabs(after) ? fabs(before) : fabs(after);
    double x = fabs(self->error[i]);
    if (!m->next->near_singular) x += fabs(self->change[i]);
    x /= tolerance->absolute + tolerance->relative * size;
    sum += x * x;
  }
  double norm = n > 0 ? sqrt(sum / (2 * n)) : 0;
  return isfinite(norm) ? norm : HUGE_VAL;
}

hn_status hn_implicit_pass(hn_implicit *self, double t_end, const hn_branches *branches,
                           const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  hn_method *m = self->method, *p = self->passing;
  hn_passing_start(p, m);
  hn_status status = p->type->begin(p, branches, error);
  if (status == HN_OK) status = p->type->attempt(p, t_end, branches, tolerance, error_norm, error);
  if (status == HN_OK) self->end_work = hn_passing_end(p, m, t_end);
  return status;
}

void hn_implicit_accept(hn_implicit *self) {
  hn_method *m = self->method;
  hn_method_move_on(m, m->next_q, self->end_work);
  self->matrix_is_here = 0;
  self->is_near_singular = m->now->near_singular;
}
