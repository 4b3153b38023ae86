// Assembly level by level: positions by post-stabilization, velocities by the least change in the metric
// of the masses onto Phi_q qd + Phi_t = 0 and the given rates of joint coordinates,
//
//   u = u0 + x + sum mu_k w_k
//   [ M J'; J 0 ] [ x; . ] = [ 0; -dPhi/dt ]     [ M J'; J 0 ] [ w_k; . ] = [ g_k'; 0 ]
//
// with g_k u = the given rate. Coordinates without a given rate stay at rest as far as possible
// (assembly_stay.c): coordinates of joints that can be seen, and if no joint connects the model
// with ground, of its heaviest body, get the rate 0; rates that depend on earlier ones are dropped.
// Every solve runs over the levels, sealed components among them.
#include "analysis/assembly_components.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/levels.h"
#include "linalg/rank.h"
#include "model/joint_types.h"

#define AT_REST 1e-10 // of the largest speed: what moves less rests already
// A model with a smaller move counts as assembled in the reference configuration, m or rad.
#define LARGEST_MOVE 1e-6
enum { MOST_RATES = 256 };

typedef struct given_rate {
  int measure; // -1: speed `axis` (0 to 5) of a body
  int body, axis;
  int may_drop; // not given: at rest if it can be
  double target;
} given_rate;

typedef struct velocity_work {
  hn_equations *equations;
  hn_arena arena;
  int count, has_stays;
  given_rate *given;  // (count)
  double *gradient;   // (count x nu)
  double *response;   // w (count x nu)
  double *u, *change; // (nu), (nq)
  double *x;          // of a solution (nu)
  hn_frame *frames;   // (bodies + ground)
  double *matrix, *mu;
  unsigned char *is_dropped; // (count)
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
      if (given)
        given[count] = (given_rate){.measure = measure, .target = model->joints[j].initial[c].rate};
      count++;
    }
  return count;
}

static int is_driven(const hn_model *model, int joint, int coordinate) {
  for (int d = 0; d < model->driver_count; d++) {
    const hn_driver_def *driver = &model->drivers[d];
    if (driver->kind == HN_DRIVER_JOINT && driver->joint == joint &&
        (int)driver->coordinate == coordinate)
      return 1;
  }
  return 0;
}

// The heaviest body of a model that no joint connects with ground; 0: one does. Bodies of the model
// itself go first, so that it is the same one whether components are open or sealed.
static int find_base(const hn_model *model) {
  int base = 0;
  for (int j = 0; j < model->joint_count; j++) {
    const hn_joint_def *joint = &model->joints[j];
    if (hn_joint_holds(joint->type) &&
        (joint->frame1.body == HN_GROUND || joint->frame2.body == HN_GROUND))
      return 0;
  }
  for (int b = 1; b < model->body_count; b++) {
    const hn_body_def *body = &model->bodies[b], *best = &model->bodies[base];
    int is_inside = body->component != 0, is_best_inside = best->component != 0;
    if (base == 0 || is_inside < is_best_inside ||
        (is_inside == is_best_inside && body->mass > best->mass))
      base = b;
  }
  return base;
}

// Appends the coordinates to keep at rest to the given rates; only if something moves.
static int count_stays(const hn_elements *elements, int count, given_rate *given) {
  const hn_model *model = elements->model;
  int base = find_base(model);
  if (count == 0 && model->driver_count == 0) return 0;
  for (int axis = 0; base > 0 && axis < 6; axis++, count++)
    if (given)
      given[count] = (given_rate){.measure = -1, .body = base, .axis = axis, .may_drop = 1};
  for (int inside = 0; inside < 2; inside++) // of components
    for (int j = 0; j < model->joint_count; j++) {
      const hn_joint_def *joint = &model->joints[j];
      if (hn_joint_has_row(joint->type, HN_JOINT_ROW_DISTANCE) || (joint->component != 0) != inside)
        continue;
      for (int c = 0; c < HN_COORDINATES; c++) {
        int measure = elements->coordinate[j * HN_COORDINATES + c];
        if (measure < 0 || joint->initial[c].has_rate || is_driven(model, j, c)) continue;
        if (given) given[count] = (given_rate){.measure = measure, .may_drop = 1};
        count++;
      }
    }
  return count;
}

static hn_status begin(velocity_work *w, hn_equations *e, const hn_allocator *allocator) {
  hn_arena_init(&w->arena, allocator);
  w->equations = e;
  int rates = count_rates(e->elements, NULL);
  w->count = count_stays(e->elements, rates, NULL);
  w->has_stays = w->count <= MOST_RATES;
  if (!w->has_stays) w->count = rates;
  int n = w->count;
  w->given = HN_TAKE(&w->arena, given_rate, n);
  w->gradient = HN_TAKE(&w->arena, double, n * e->nu);
  w->response = HN_TAKE(&w->arena, double, n * e->nu);
  w->u = HN_TAKE(&w->arena, double, e->nu);
  w->change = HN_TAKE(&w->arena, double, e->nq);
  w->x = HN_TAKE(&w->arena, double, e->nu);
  w->frames = HN_TAKE(&w->arena, hn_frame, e->model->body_count);
  w->matrix = HN_TAKE(&w->arena, double, n *n);
  w->mu = HN_TAKE(&w->arena, double, n);
  w->is_dropped = HN_TAKE(&w->arena, unsigned char, n);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  count_rates(e->elements, w->given);
  if (w->has_stays) count_stays(e->elements, rates, w->given);
  return HN_OK;
}

static double product(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static hn_status find_responses(velocity_work *w, const hn_branches *branches) {
  hn_equations *e = w->equations;
  const hn_elements *elements = e->elements;
  int nu = e->nu;
  hn_status status = HN_OK;
  for (int k = 0; k < w->count && status == HN_OK; k++) {
    double *g = &w->gradient[k * nu];
    const hn_measure *measure = NULL;
    hn_measure_speeds s;
    if (w->given[k].measure >= 0) {
      measure = &elements->measures[w->given[k].measure];
      hn_measure_in_speeds(measure, w->frames, branches->turns, &s);
    } else {
      g[6 * (w->given[k].body - 1) + w->given[k].axis] = 1;
    }
    for (int b = 0; measure && b < 2; b++) {
      int body = measure->body[b];
      if (body == HN_GROUND) continue;
      const double n[6] = {s.n[b].x, s.n[b].y, s.n[b].z, s.m[b].x, s.m[b].y, s.m[b].z};
      for (int i = 0; i < 6; i++) g[6 * (body - 1) + i] += n[i];
    }
    status = hn_nested_impulses(e, NULL, g, 0, &w->response[k * nu]);
  }
  return status;
}

// Scales of a rate: the largest pivot of those given, and the largest speed.
typedef struct rate_sizes {
  const velocity_work *work;
  double pivot, speed;
} rate_sizes;

static int takes_rate(void *context, int k, double pivot, double rest) {
  const rate_sizes *size = context;
  const velocity_work *w = size->work;
  int nu = w->equations->nu;
  if (!w->given[k].may_drop) return fabs(pivot) > 1e-10 * size->pivot ? 1 : -1;
  double whole = product(&w->gradient[k * nu], &w->response[k * nu], nu);
  return pivot > HN_RANK_DEPENDENT_SQUARE * whole && fabs(rest) > AT_REST * size->speed;
}

// mu, so that all given rates hold, and those of what may stay at rest that do not depend on others
// before them, nor rest already. HN_RETRY when the given ones cannot be chosen.
static hn_status fit_rates(velocity_work *w) {
  int n = w->count, nu = w->equations->nu;
  rate_sizes size = {.work = w, .speed = hn_largest(w->u, nu)};
  for (int i = 0; i < n; i++) {
    size.speed = fmax(size.speed, fabs(w->given[i].target));
    w->mu[i] = w->given[i].target - product(&w->gradient[i * nu], w->u, nu);
    for (int k = 0; k < n; k++)
      w->matrix[k * n + i] = product(&w->gradient[i * nu], &w->response[k * nu], nu);
    if (!w->given[i].may_drop) size.pivot = fmax(size.pivot, fabs(w->matrix[i * n + i]));
  }
  return hn_solve_in_order(w->matrix, n, w->mu, w->is_dropped, takes_rate, &size) ? HN_RETRY
                                                                                  : HN_OK;
}

static hn_status velocities(velocity_work *w, hn_equations *e, double t, const double *q,
                            double *qd, const hn_branches *branches) {
  e->type->coordinates->speeds(e, q, qd, w->u);
  hn_nested_take_rates(e, t, q, qd, branches, w->frames);
  memset(w->change, 0, (size_t)e->nu * sizeof(double)); // no impulse
  hn_status status = hn_nested_impulses(e, q, w->change, 1, w->x);
  if (status != HN_OK) return status;
  for (int i = 0; i < e->nu; i++) w->u[i] += w->x[i];
  status = find_responses(w, branches);
  if (status == HN_OK && w->count > 0) status = fit_rates(w);
  if (status != HN_OK) return status;
  for (int k = 0; k < w->count; k++)
    for (int i = 0; i < e->nu; i++) w->u[i] += w->mu[k] * w->response[k * e->nu + i];
  e->type->coordinates->rates(e, q, w->u, qd);
  return e->type->project_velocities(e, t, q, qd, branches, w->change);
}

// One of the two that the general assembly cannot look into.
static hn_status explain(const hn_equations *e, double t, hn_status status, const char *what,
                         hn_error *error) {
  const hn_sealed_part *part = &e->model->parts[0];
  char name[96];
  if (hn_nested_lost(e, t, error) != HN_OK) return error->status;
  return hn_fail(error, status > 0 ? HN_ERROR_ASSEMBLY : status, &part->source,
                 hn_text(name, sizeof name, "component '%s'", part->name),
                 "give positions that close the loops around its sealed components, and no more "
                 "rates than degrees of freedom",
                 "is sealed, and the %s at the start contradict each other", what);
}

static void note_start(hn_equations *e, double *drawn, const double *q, const double *qd,
                       velocity_work *w) {
  const hn_coordinates *coordinates = e->type->coordinates;
  coordinates->speeds(e, q, qd, w->u);
  coordinates->speeds(e, drawn, drawn + e->nq, w->x);
  for (int i = 0; i < e->nu; i++) w->u[i] -= w->x[i];
  for (int i = 0; i < e->nq; i++) drawn[i] = q[i] - drawn[i];
  hn_nested_note_start(e, q, drawn, w->u);
}

hn_status hn_assemble_components(hn_equations *e, const hn_allocator *allocator, double t,
                                 double *q, double *qd, hn_branches *branches, hn_error *error) {
  int is_open = e->model->part_count == 0;
  velocity_work w = {0};
  if (is_open && !is_plain(e->model)) return HN_RETRY;
  int rates = count_rates(e->elements, NULL);
  if ((is_open ? count_stays(e->elements, rates, NULL) : rates) > MOST_RATES) return HN_RETRY;
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
    note_start(e, drawn, q, qd, &w);
    e->type->coordinates->frames(e, q, qd, w.frames);
    hn_elements_update_turns(e->elements, w.frames, branches->turns);
    hn_branches_classify(e->elements, w.frames, t, branches);
  } else {
    memcpy(q, drawn, size);
    memcpy(qd, drawn + e->nq, size);
    status = is_open ? HN_RETRY : explain(e, t, status, what, error);
  }
  hn_arena_release(&w.arena);
  return status;
}
