// The model as an ODE: see projected_ode.h.
#include "integrate/projected_ode.h"

#include <math.h>
#include <string.h>

#include "elements/sensor.h"

hn_status hn_projected_ode_create(hn_arena *arena, hn_method *method, hn_projected_ode *ode) {
  hn_equations *e = method->equations;
  const int states = hn_states_count(e->elements);
  *ode = (hn_projected_ode){.method = method, .n = e->nq + e->nu + states + 1, .nz = states};
  method->states = states;
  method->z = HN_KEEP(arena, double, states);
  ode->rates = HN_WORK(arena, double, e->nq);
  ode->change = HN_WORK(arena, double, e->nq + e->nu);
  ode->spare = HN_WORK(arena, double, e->nu);
  ode->correction = HN_WORK(arena, double, e->nq);
  method->q = HN_KEEP(arena, double, e->nq);
  method->qd = HN_KEEP(arena, double, e->nq);
  method->next_qd = HN_KEEP(arena, double, e->nq);
  if (arena->failed) return HN_ERROR_MEMORY;
  hn_status status = hn_snapshot_create(arena, e, &method->now);
  if (status == HN_OK) status = hn_snapshot_create(arena, e, &method->next);
  return status;
}

void hn_projected_ode_load(const hn_projected_ode *ode, double *y) {
  const hn_method *m = ode->method;
  const hn_equations *e = m->equations;
  memcpy(y, m->q, (size_t)e->nq * sizeof(double));
  e->type->coordinates->speeds(e, m->q, m->qd, y + e->nq);
  for (int k = 0; k < ode->nz; k++) y[e->nq + e->nu + k] = m->z[k];
  y[ode->n - 1] = m->work;
}

void hn_projected_ode_unload(const hn_projected_ode *ode, const double *y, double *q, double *qd,
                             double *work) {
  const hn_equations *e = ode->method->equations;
  memcpy(q, y, (size_t)e->nq * sizeof(double));
  e->type->coordinates->rates(e, q, y + e->nq, qd);
  if (ode->nz > 0) hn_states_set(e->elements, y + e->nq + e->nu); // for readers of the states
  if (work) *work = y[ode->n - 1];
}

// y' from an evaluated snapshot and the qd it was evaluated with.
static void slope(const hn_projected_ode *ode, const double *qd, const hn_snapshot *s, double *k) {
  const hn_equations *e = ode->method->equations;
  memcpy(k, qd, (size_t)e->nq * sizeof(double));
  memcpy(k + e->nq, s->ud, (size_t)e->nu * sizeof(double));
  if (ode->nz > 0) hn_states_rates(e->elements, s->t, k + e->nq + e->nu);
  k[ode->n - 1] = s->power;
}

// Brings y onto the constraints, with everything there; the changes of q and u go to `change`.
static hn_status settle(hn_projected_ode *ode, double t, double *y, double *qd,
                        const hn_branches *branches, double tolerance, hn_snapshot *snapshot,
                        hn_error *error) {
  hn_equations *e = ode->method->equations;
  double *u = y + e->nq;
  hn_projected_state state = {.t = t,
                              .q = y,
                              .qd = qd,
                              .u = u,
                              .tolerance = tolerance,
                              .change = {ode->change, ode->correction}};
  ode->method->projections++;
  if (ode->nz > 0) hn_states_set(e->elements, u + e->nu);
  hn_status status = hn_equations_settle(e, &state, branches, snapshot, error);
  if (status != HN_OK) return status;
  memcpy(ode->spare, u, (size_t)e->nu * sizeof(double));
  e->type->coordinates->speeds(e, y, qd, u);
  for (int i = 0; i < e->nu; i++) ode->change[e->nq + i] = u[i] - ode->spare[i];
  return HN_OK;
}

hn_status hn_projected_ode_begin(hn_projected_ode *ode, const hn_branches *branches, double *k,
                                 hn_error *error) {
  hn_method *m = ode->method;
  hn_equations *e = m->equations;
  if (ode->nz > 0) hn_states_set(e->elements, m->z);
  hn_status status = e->type->evaluate(e, m->t, m->q, m->qd, branches, m->now, error);
  if (status == HN_OK) slope(ode, m->qd, m->now, k);
  return status;
}

static hn_status as_retry(hn_status status) {
  return status == HN_ERROR_NOT_FINITE ? HN_RETRY : status;
}

hn_status hn_projected_ode_inside(hn_projected_ode *ode, double t, double *y,
                                  const hn_branches *branches, const hn_tolerance *tolerance,
                                  double *k, hn_error *error) {
  hn_equations *e = ode->method->equations;
  double *qd = ode->rates;
  hn_snapshot *stage = ode->method->next; // what is there counts only when a step has ended
  e->type->coordinates->rates(e, y, y + e->nq, qd);
  if (ode->nz > 0) hn_states_set(e->elements, y + e->nq + e->nu);
  hn_status status = e->type->evaluate_stage(e, t, y, qd, branches, stage, error);
  if (status == HN_OK && stage->near_singular)
    status = settle(ode, t, y, qd, branches, tolerance->projection, stage, error);
  if (status == HN_OK) slope(ode, qd, stage, k);
  return as_retry(status);
}

hn_status hn_projected_ode_end(hn_projected_ode *ode, double t, double *y,
                               const hn_branches *branches, const hn_tolerance *tolerance,
                               double *k, hn_error *error) {
  hn_method *m = ode->method;
  const hn_equations *e = m->equations;
  hn_status status = settle(ode, t, y, m->next_qd, branches, tolerance->projection, m->next, error);
  if (status != HN_OK) return as_retry(status);
  slope(ode, m->next_qd, m->next, k);
  m->next_z = y + e->nq + e->nu;
  hn_method_set_step(m, t);
  return HN_OK;
}

void hn_projected_ode_add_change(const hn_projected_ode *ode, double *error) {
  if (ode->method->next->near_singular) return;
  int count = ode->n - 1 - ode->nz; // states have no constraints
  for (int i = 0; i < count; i++) error[i] += fabs(ode->change[i]);
}

void hn_projected_ode_accept(hn_projected_ode *ode, double *y) {
  const hn_equations *e = ode->method->equations;
  ode->method->next_z = y + e->nq + e->nu;
  hn_method_move_on(ode->method, y, y[ode->n - 1]);
}
