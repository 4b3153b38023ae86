// Assembly level by level: positions by post-stabilization, velocities by the least change in the metric
// of the masses onto Phi_q qd + Phi_t = 0 and the given rates of joint coordinates,
//
//   u = u0 + x + sum mu_k w_k
//   [ M J'; J 0 ] [ x; . ] = [ 0; -dPhi/dt ]     [ M J'; J 0 ] [ w_k; . ] = [ g_k'; 0 ]
//
// with g_k u = the given rate. Every solve runs over the levels, sealed components among them.
#include "analysis/assembly_components.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/nested_private.h"
#include "linalg/rank.h"

#define LARGEST_MOVE 1e-6 // of a machine that counts as drawn assembled, m or rad
enum { MOST_RATES = 256 };

typedef struct given_rate {
  int joint, measure;
  double target;
} given_rate;

typedef struct velocity_work {
  hn_nested_data *data;
  hn_arena arena;
  const double *q;
  int count;
  given_rate *given;  // (count)
  double *gradient;   // (count x nu)
  double *response;   // w (count x nu)
  double *u, *change; // (nu)
  double *matrix, *mu;
  int *pivots;
} velocity_work;

static int is_plain(const hn_model *model) {
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *def = &model->bodies[b];
    if (vec3_norm(def->velocity) > 0 || vec3_norm(def->angular_velocity) > 0) return 0;
    if (def->given) return 0;
    if (def->position_firmness == HN_FIXED || def->velocity_firmness == HN_FIXED) return 0;
  }
  for (int j = 0; j < model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++)
      if (model->joints[j].initial[c].has_value) return 0;
  return 1;
}

static int count_rates(const hn_elements *elements, given_rate *given) {
  const hn_model *model = elements->model;
  int count = 0;
  for (int j = 0; j < model->joint_count; j++)
    for (int c = 0; c < HN_COORDINATES; c++) {
      int measure = elements->coordinate[j * HN_COORDINATES + c];
      if (measure < 0 || !model->joints[j].initial[c].has_rate) continue;
      if (given) given[count] = (given_rate){j, measure, model->joints[j].initial[c].rate};
      count++;
    }
  return count;
}

static hn_status begin(velocity_work *w, hn_equations *e, const hn_allocator *allocator) {
  hn_arena_init(&w->arena, allocator);
  w->data = hn_nested_of(e);
  w->count = count_rates(e->elements, NULL);
  int n = w->count;
  w->given = HN_TAKE(&w->arena, given_rate, n);
  w->gradient = HN_TAKE(&w->arena, double, n * e->nu);
  w->response = HN_TAKE(&w->arena, double, n * e->nu);
  w->u = HN_TAKE(&w->arena, double, e->nu);
  w->change = HN_TAKE(&w->arena, double, e->nq);
  w->matrix = HN_TAKE(&w->arena, double, n *n);
  w->mu = HN_TAKE(&w->arena, double, n);
  w->pivots = HN_TAKE(&w->arena, int, n);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  count_rates(e->elements, w->given);
  return HN_OK;
}

// Solves for impulses b on bodies that are open or in a border, and this share of the rates.
static hn_status solve(velocity_work *w, double share, double *x) {
  hn_nested_data *d = w->data;
  for (int r = 0; r < d->row_count; r++) d->g[r] = -share * d->rows.rate[r];
  for (int k = 0; k < d->part_count; k++) {
    hn_nested_part *p = &d->parts[k];
    const hn_component_facts *facts = p->part->facts;
    for (int b = 0; b < facts->border_count; b++)
      memcpy(&p->border_force[6 * b], &d->b[6 * (p->part->first_body - 1 + facts->border[b])],
             6 * sizeof(double));
    hn_nested_part_note(p, p->part->api->impulses(p->run, p->border_force, share));
  }
  hn_status status = HN_OK;
  if (share > 0) {
    hn_error reason = {0};
    d->is_factored = 0;
    status = hn_nested_factor(d->equations, w->q, d->frames, HN_HIERARCHY_ALL, &reason);
  }
  if (status == HN_OK) status = hn_hierarchy_solve(d->hierarchy, d->b, d->g, x, d->y, 2);
  if (status == HN_OK) hn_nested_parts_increments(d, 0, x);
  return status;
}

static double product(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static hn_status find_responses(velocity_work *w, const hn_branches *branches) {
  hn_nested_data *d = w->data;
  const hn_elements *elements = d->equations->elements;
  int nu = d->equations->nu;
  hn_status status = HN_OK;
  for (int k = 0; k < w->count && status == HN_OK; k++) {
    const hn_measure *measure = &elements->measures[w->given[k].measure];
    double *g = &w->gradient[k * nu];
    hn_measure_speeds s;
    hn_measure_in_speeds(measure, d->frames, branches->turns, &s);
    for (int b = 0; b < 2; b++) {
      int body = measure->body[b];
      if (body == HN_GROUND) continue;
      const double n[6] = {s.n[b].x, s.n[b].y, s.n[b].z, s.m[b].x, s.m[b].y, s.m[b].z};
      for (int i = 0; i < 6; i++) g[6 * (body - 1) + i] += n[i];
    }
    memcpy(d->b, g, (size_t)nu * sizeof(double));
    status = solve(w, 0, &w->response[k * nu]);
  }
  return status;
}

// mu, so that all given rates hold; HN_RETRY when they cannot be chosen.
static hn_status fit_rates(velocity_work *w) {
  int n = w->count, nu = w->data->equations->nu;
  double most = 0;
  for (int i = 0; i < n; i++) {
    w->mu[i] = w->given[i].target - product(&w->gradient[i * nu], w->u, nu);
    for (int k = 0; k < n; k++)
      w->matrix[k * n + i] = product(&w->gradient[i * nu], &w->response[k * nu], nu);
    most = fmax(most, fabs(w->matrix[i * n + i]));
  }
  if (hn_dense_lu(w->matrix, n, w->pivots) != 0) return HN_RETRY;
  for (int i = 0; i < n; i++)
    if (!(fabs(w->matrix[i * n + i]) > 1e-10 * most)) return HN_RETRY;
  hn_dense_lu_solve(w->matrix, n, w->pivots, w->mu);
  return HN_OK;
}

static hn_status velocities(velocity_work *w, hn_equations *e, double t, const double *q,
                            double *qd, const hn_branches *branches) {
  hn_nested_data *d = w->data;
  w->q = q;
  e->type->frames(e, q, qd, d->frames);
  e->type->speeds(e, q, qd, w->u);
  hn_nested_evaluate_rows(d, t, d->frames, branches);
  hn_nested_parts_gaps(d, t, q, qd, branches, 1);
  memset(d->b, 0, (size_t)e->nu * sizeof(double));
  hn_status status = solve(w, 1, d->x);
  if (status != HN_OK) return status;
  for (int i = 0; i < e->nu; i++) w->u[i] += d->x[i];
  status = find_responses(w, branches);
  if (status == HN_OK && w->count > 0) status = fit_rates(w);
  if (status != HN_OK) return status;
  for (int k = 0; k < w->count; k++)
    for (int i = 0; i < e->nu; i++) w->u[i] += w->mu[k] * w->response[k * e->nu + i];
  e->type->rates(e, q, w->u, qd);
  return e->type->project_velocities(e, t, q, qd, branches, w->change);
}

// One of the two that the general assembly cannot look into.
static hn_status explain(const hn_equations *e, double t, hn_status status, const char *what,
                         hn_error *error) {
  const hn_sealed_part *part = &e->model->parts[0];
  const hn_nested_data *d = hn_nested_of(e);
  char name[96];
  int is_lost = status == HN_ERROR_INTERRUPTED;
  for (int k = 0; k < d->part_count; k++) is_lost |= d->parts[k].lost != HN_OK;
  if (is_lost && hn_nested_part_failed(d, status, t, error) != HN_OK) return error->status;
  return hn_fail(error, status > 0 ? HN_ERROR_ASSEMBLY : status, &part->source,
                 hn_text(name, sizeof name, "component '%s'", part->name),
                 "draw the machine assembled around its sealed components, and give no more rates "
                 "than it has freedoms",
                 "is sealed, and the %s at the start do not fit together", what);
}

hn_status hn_assemble_components(hn_equations *e, const hn_allocator *allocator, double t,
                                 double *q, double *qd, hn_branches *branches, hn_error *error) {
  int is_open = e->model->part_count == 0;
  velocity_work w = {0};
  if (is_open && !is_plain(e->model)) return HN_RETRY;
  if (count_rates(e->elements, NULL) > MOST_RATES) return HN_RETRY;
  hn_status status = begin(&w, e, allocator);
  double *drawn = HN_TAKE(&w.arena, double, 2 * e->nq),
         *correction = HN_TAKE(&w.arena, double, e->nq);
  size_t size = (size_t)e->nq * sizeof(double);
  if (w.arena.failed) {
    hn_arena_release(&w.arena);
    return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory for assembly");
  }
  memcpy(drawn, q, size);
  memcpy(drawn + e->nq, qd, size);
  const char *what = "positions";
  status = e->type->project_positions(e, t, q, branches, 1e-12, correction);
  if (is_open && hn_largest(correction, e->nq) > LARGEST_MOVE) status = HN_RETRY;
  if (status == HN_OK) {
    what = "velocities";
    status = velocities(&w, e, t, q, qd, branches);
  }
  if (status == HN_OK) {
    e->type->frames(e, q, qd, hn_nested_of(e)->frames);
    hn_elements_update_turns(e->elements, hn_nested_of(e)->frames, branches->turns);
    hn_branches_classify(e->elements, hn_nested_of(e)->frames, t, branches);
  } else {
    memcpy(q, drawn, size);
    memcpy(qd, drawn + e->nq, size);
    status = is_open ? HN_RETRY : explain(e, t, status, what, error);
  }
  hn_arena_release(&w.arena);
  return status;
}
