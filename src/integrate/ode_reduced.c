// The model as an ODE in independent coordinates: see ode.h. y = V' q; the other coordinates follow
// from the constraints at every stage, so f is that of the state-space ODE exactly, and nothing is
// projected. V is chosen again between steps when E is stale, and after every new start.
#include <string.h>

#include "base/error.h"
#include "integrate/ode.h"
#include "integrate/reduced_contacts.h"
#include "integrate/step_control.h"

typedef struct reduced_ode {
  hn_ode base;
  hn_reduction *reduction;
  hn_reduced_jacobian *jacobian;
  hn_reduced_contacts *contacts; // null: the equations have no conditions
  double *f;                     // of the stage last evaluated, then a difference (most)
  double *full;                  // (nq)
  double *image;                 // of an error in full coordinates (nq)
  hn_branches branches;          // of the step attempted last
} reduced_ode;

static hn_method *method_of(const hn_ode *ode) { return ode->implicit->method; }

// The present velocities and accelerations must follow from their independent part: else a degree
// of degree of freedom is missing from the choice, and the model would silently not move in it.
static int is_complete(reduced_ode *self) {
  const hn_method *m = method_of(&self->base);
  const double *given[2] = {m->qd, m->now->qdd};
  for (int k = 0; k < 2; k++) {
    hn_reduction_restrict(self->reduction, given[k], self->f);
    if (k == 0)
      hn_reduction_velocities(self->reduction, self->f, self->full);
    else
      hn_reduction_accelerations(self->reduction, self->f, self->full);
    double gap = 0, size = 1;
    for (int i = 0; i < m->equations->nq; i++) {
      gap = fmax(gap, fabs(self->full[i] - given[k][i]));
      size = fmax(size, fabs(given[k][i]));
    }
    if (!(gap <= 1e-4 * size)) return 0;
  }
  return 1;
}

// E is made again at the start of each step: dense output of the last one may have used it.
static hn_status reduced_begin(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  reduced_ode *self = (reduced_ode *)ode;
  hn_implicit *implicit = ode->implicit;
  const hn_method *m = implicit->method;
  hn_status status = HN_ERROR_SINGULAR;
  if (!ode->is_fresh) {
    const hn_tangent_state at = {.t = m->t, .q = m->q, .branches = branches};
    hn_tangent_evaluate(implicit->tangent, &at, HN_ROWS, error);
    status = hn_reduction_factor(self->reduction);
  }
  if (status != HN_OK || hn_reduction_is_worn(self->reduction)) {
    implicit->has_matrix = implicit->matrix_is_here = 0;
    status = hn_reduction_select(self->reduction, m->t, m->q, m->qd, branches, error);
    if (status == HN_OK && !is_complete(self)) status = HN_ERROR_SINGULAR;
    if (status != HN_OK) return status;
    implicit->method->selections++;
  }
  ode->is_fresh = 0;
  ode->n = hn_reduction_size(self->reduction);
  hn_branches_copy(m->equations->elements, branches, &self->branches);
  hn_reduction_restrict(self->reduction, m->q, ode->y);
  hn_reduction_restrict(self->reduction, m->qd, ode->yd);
  hn_reduction_restrict(self->reduction, m->now->qdd, ode->ydd);
  memcpy(ode->q, m->q, (size_t)m->equations->nq * sizeof(double));
  return HN_OK;
}

static hn_status reduced_make(hn_ode *ode, hn_error *error) {
  reduced_ode *self = (reduced_ode *)ode;
  hn_implicit *implicit = ode->implicit;
  hn_status status = hn_implicit_make(implicit, error);
  if (status == HN_OK) status = hn_reduction_factor(self->reduction);
  if (status == HN_OK)
    status = hn_reduced_jacobian_renew(self->jacobian, implicit->place.qd,
                                       implicit->method->equations->threads);
  if (status == HN_OK && ode->contact_step > 0 && self->contacts)
    status = hn_reduced_contacts_add(self->contacts, self->jacobian, &implicit->place,
                                     ode->contact_step, error);
  return status == HN_ERROR_SINGULAR ? HN_RETRY : status;
}

static hn_status reduced_renew(hn_ode *ode, const hn_branches *branches, hn_error *error) {
  hn_status status = hn_implicit_multipliers(ode->implicit, branches, error);
  if (status != HN_OK) return status == HN_ERROR_SINGULAR ? HN_RETRY : status;
  hn_implicit_take_place(ode->implicit, branches);
  return reduced_make(ode, error);
}

// E is that of the start of each step.
static hn_status reduced_resume(hn_ode *ode) {
  reduced_ode *self = (reduced_ode *)ode;
  if (ode->is_fresh) return HN_OK;
  hn_status status = hn_reduction_select_again(self->reduction);
  ode->n = hn_reduction_size(self->reduction);
  return status;
}

static hn_status reduced_factor(hn_ode *ode, double g, int is_again) {
  (void)is_again;
  const hn_step_numbers numbers = hn_first_order_numbers(g);
  hn_status status = hn_reduced_jacobian_factor(((reduced_ode *)ode)->jacobian, numbers);
  ode->implicit->g = status == HN_OK ? numbers : (hn_step_numbers){0, 0};
  return status == HN_ERROR_SINGULAR ? HN_RETRY : status;
}

static void reduced_filter(hn_ode *ode, double *r1, double *r2) {
  hn_reduced_jacobian_filter(((reduced_ode *)ode)->jacobian, r1, r2);
}

static void reduced_solve(hn_ode *ode, double *r) {
  reduced_ode *self = (reduced_ode *)ode;
  hn_reduced_jacobian_multiply(self->jacobian, HN_REDUCED_MASS, r, self->full);
  memcpy(r, self->full, (size_t)ode->n * sizeof(double));
  hn_reduced_jacobian_solve(self->jacobian, r);
}

static void reduced_time_part(hn_ode *ode, double *x) {
  reduced_ode *self = (reduced_ode *)ode;
  memcpy(x, hn_reduced_jacobian_f_t(self->jacobian), (size_t)ode->n * sizeof(double));
  hn_reduced_jacobian_solve(self->jacobian, x);
}

// Full q and qd of (y, yd), starting from the present q; E is then that of the state.
static hn_status recover(reduced_ode *self, double t, const double *y, const double *yd,
                         const hn_branches *branches, double *q, double *qd) {
  hn_reduction *reduction = self->reduction;
  hn_status status = hn_reduction_positions(reduction, t, q, y, branches, self->base.projection);
  if (status == HN_OK) status = hn_reduction_factor(reduction);
  if (status == HN_OK) hn_reduction_velocities(reduction, yd, qd);
  return status == HN_ERROR_SINGULAR ? HN_RETRY : status;
}

static hn_status reduced_evaluate(hn_ode *ode, double t, const double *y, const double *yd,
                                  const hn_branches *branches, double *f, hn_error *error) {
  reduced_ode *self = (reduced_ode *)ode;
  hn_equations *e = method_of(ode)->equations;
  hn_status status = recover(self, t, y, yd, branches, ode->q, ode->qd);
  if (status == HN_RETRY_CONVERGENCE) { // once more from where the velocity points to
    const hn_method *m = method_of(ode);
    for (int i = 0; i < e->nq; i++) ode->q[i] = m->q[i] + (t - m->t) * m->qd[i];
    status = recover(self, t, y, yd, branches, ode->q, ode->qd);
  }
  if (status != HN_OK) return status;
  status = e->type->evaluate_stage(e, t, ode->q, ode->qd, branches, ode->stage, error);
  if (status != HN_OK) return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
  hn_reduction_restrict(self->reduction, ode->stage->qdd, f);
  memcpy(self->f, f, (size_t)ode->n * sizeof(double));
  return HN_OK;
}

// qdd + P (ydd - f): the part that comes from tau is in qdd.
static void reduced_complete(hn_ode *ode, const double *ydd, double *qdd) {
  reduced_ode *self = (reduced_ode *)ode;
  for (int i = 0; i < ode->n; i++) self->f[i] = ydd[i] - self->f[i];
  hn_reduction_image(self->reduction, self->f, qdd);
  for (int i = 0; i < method_of(ode)->equations->nq; i++) qdd[i] += ode->stage->qdd[i];
}

static hn_status reduced_finish(hn_ode *ode, double t_end, const double *y, const double *yd,
                                const hn_branches *branches, const hn_tolerance *tolerance,
                                hn_error *error) {
  reduced_ode *self = (reduced_ode *)ode;
  hn_status status = recover(self, t_end, y, yd, branches, ode->q, ode->qd);
  if (status != HN_OK) return status;
  return hn_implicit_finish_at(ode->implicit, t_end, ode->q, ode->qd, branches, tolerance, error);
}

// Norm of the error (P e) over all coordinates, divided by the degrees of freedom: independent of
// the choice of independent coordinates.
static double share_of(reduced_ode *self, const double *e, const double *before,
                       const double *after, const hn_tolerance *tolerance) {
  int nq = method_of(&self->base)->equations->nq;
  hn_reduction_image(self->reduction, e, self->image);
  double mean =
      hn_error_norm(self->image, before, after, nq, tolerance->absolute, tolerance->relative);
  return self->base.n > 0 ? mean * mean * nq / (2 * self->base.n) : 0;
}

static double norm_of(reduced_ode *self, const double *error1, const double *error2,
                      const hn_tolerance *tolerance) {
  const hn_method *m = method_of(&self->base);
  double norm = sqrt(share_of(self, error1, m->q, m->next_q, tolerance) +
                     share_of(self, error2, m->qd, m->next_qd, tolerance));
  return isfinite(norm) ? norm : HUGE_VAL;
}

// Drivers leave nothing to integrate: then the steps resolve the motion itself, for the work of drivers.
// The measure is what the quintic's missing term leaves of q1 - q0 - h/2 (v0 + v1) + h^2/12 (a1 - a0).
static double driven_error(reduced_ode *self, const hn_tolerance *tolerance) {
  const hn_method *m = method_of(&self->base);
  int nq = m->equations->nq;
  double h = m->step, *e = self->image;
  for (int i = 0; i < nq; i++)
    e[i] = m->next_q[i] - m->q[i] - h / 2 * (m->qd[i] + m->next_qd[i]) +
           h * h / 12 * (m->next->qdd[i] - m->now->qdd[i]);
  double q = hn_error_norm(e, m->q, m->next_q, nq, tolerance->absolute, tolerance->relative);
  for (int i = 0; i < nq; i++) e[i] *= 5 / h;
  double v = hn_error_norm(e, m->qd, m->next_qd, nq, tolerance->absolute, tolerance->relative);
  return sqrt((q * q + v * v) / 2);
}

static double reduced_error_norm(hn_ode *ode, double *error1, double *error2,
                                 const hn_tolerance *tolerance) {
  reduced_ode *self = (reduced_ode *)ode;
  if (ode->n == 0) return driven_error(self, tolerance);
  double raw = ode->counts_raw ? ode->raw_share * norm_of(self, error1, error2, tolerance) : 0;
  reduced_filter(ode, error1, error2);
  double norm = norm_of(self, error1, error2, tolerance);
  return raw > norm ? raw : norm;
}

static void reduced_restrict(const hn_ode *ode, const double *q, double *y) {
  hn_reduction_restrict(((const reduced_ode *)ode)->reduction, q, y);
}

static void reduced_expand(hn_ode *ode, double t, const double *y, const double *yd, double *q,
                           double *qd) {
  reduced_ode *self = (reduced_ode *)ode;
  if (recover(self, t, y, yd, &self->branches, q, qd) != HN_OK)
    hn_reduction_velocities(self->reduction, yd, qd);
}

static const hn_ode_matrix reduced_matrix = {.renew = reduced_renew,
                                             .make = reduced_make,
                                             .factor = reduced_factor,
                                             .filter = reduced_filter,
                                             .solve = reduced_solve,
                                             .time_part = reduced_time_part};

static const hn_ode_type reduced_type = {.matrix = &reduced_matrix,
                                         .begin = reduced_begin,
                                         .resume = reduced_resume,
                                         .evaluate = reduced_evaluate,
                                         .complete = reduced_complete,
                                         .finish = reduced_finish,
                                         .error_norm = reduced_error_norm,
                                         .restrict_to = reduced_restrict,
                                         .expand = reduced_expand};

hn_status hn_ode_create_reduced(hn_arena *arena, hn_implicit *implicit, unsigned independent,
                                hn_ode **ode) {
  reduced_ode *self = HN_KEEP(arena, reduced_ode, 1);
  if (!self) return HN_ERROR_MEMORY;
  hn_equations *equations = implicit->method->equations;
  hn_status status =
      hn_reduction_create(arena, equations, implicit->tangent, independent, &self->reduction);
  if (status == HN_OK)
    status = hn_reduced_jacobian_create(arena, self->reduction, implicit->tangent, &self->jacobian);
  if (status == HN_OK && equations->type->holds_conditions)
    status = hn_reduced_contacts_create(arena, equations, self->reduction, implicit->tangent,
                                        &self->contacts);
  if (status == HN_OK) status = hn_ode_take_memory(arena, &self->base, implicit);
  if (status != HN_OK) return status;
  self->base.type = &reduced_type;
  self->base.name = hn_independent_name(independent);
  self->base.raw_share = 1; // stiff directions bend in these coordinates
  self->base.is_fresh = 1;
  self->base.kappa = 1e-4; // a residual in independent coordinates may be larger in others
  self->f = HN_WORK(arena, double, equations->nq);
  self->full = HN_WORK(arena, double, equations->nq);
  self->image = HN_WORK(arena, double, equations->nq);
  *ode = &self->base;
  return arena->failed ? HN_ERROR_MEMORY
                       : hn_branches_create(arena, equations->elements, &self->branches);
}
