// A consistent state, its accelerations and multipliers: see point.h.
#include "analysis/linear/point.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "model/joint_types.h"

enum { ITERATIONS = 20 };
#define GAP 1e-9     // largest |Phi| of a position that counts as assembled
#define FURTHER 0.25 // an iteration that gains less has reached rounding

// ---- gradients ----------------------------------------------------------------------------------

static void position_gradient(const hn_linear_point *p, hn_quantity_of of, hn_gradient *out) {
  out->body[0] = of.element;
  out->s[of.part] = 1;
  out->value = p->q[7 * (of.element - 1) + of.part];
  out->rate = p->qd[7 * (of.element - 1) + of.part];
}

static void row_of_e(hn_quat p, int axis, double row[4]) {
  const double rows[3][4] = {
      {-p.x, p.w, -p.z, p.y}, {-p.y, p.z, p.w, -p.x}, {-p.z, -p.y, p.x, p.w}};
  for (int i = 0; i < 4; i++) row[i] = 2 * rows[axis][i];
}

static void rotation_gradient(const hn_linear_point *p, hn_quantity_of of, const double *qdd,
                              hn_gradient *out) {
  const int at = 7 * (of.element - 1) + 3;
  out->body[0] = of.element;
  row_of_e(quat_load(&p->q[at]), of.part, &out->s[3]);
  row_of_e(quat_load(&p->qd[at]), of.part, &out->sd[3]);
  if (qdd) row_of_e(quat_load(&qdd[at]), of.part, &out->sdd[3]);
  for (int i = 0; i < 4; i++) out->rate += out->s[3 + i] * p->qd[at + i];
}

// out += scale 2 E(p)' m of a gradient (n, m)
static void add_turned(double scale, hn_quat p, const double *g, double *out) {
  const hn_quat x = quat_scale(2 * scale, euler_e_transposed(p, vec3_load(g + 3)));
  quat_store(out + 3, quat_add(quat_load(out + 3), x));
}

static void set_in_q(hn_quat p, const double *g, double *out) {
  memcpy(out, g, 3 * sizeof *out);
  add_turned(1, p, g, out);
}

// Rates of Euler parameters make speeds by w = 2 E(p) pd, so that a gradient (n, m) in speeds is
// (n, 2 E' m) in q, with its rates.
static void joint_gradient(const hn_linear_point *p, hn_quantity_of of, const double *qdd,
                           hn_gradient *out) {
  const hn_measure *measure =
      &p->elements->measures[p->elements->coordinate[of.element * HN_COORDINATES + of.part]];
  hn_measure_speeds s;
  hn_measure_in_speeds(measure, p->frames, p->branches->turns, &s);
  out->value = s.value;
  out->rate = s.rate;
  out->quadratic = s.quadratic;
  hn_acceleration a[2] = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}};
  double g[3][HN_POSES];
  for (int k = 0; k < 2; k++) {
    const int body = measure->body[k];
    out->body[k] = body;
    if (!qdd || body == HN_GROUND) continue;
    const double *at = &qdd[7 * (body - 1)];
    a[k].linear = vec3_load(at);
    a[k].angular = vec3_scale(2, euler_e_apply(p->frames[body].p, quat_load(at + 3)));
  }
  hn_measure_along(measure, p->frames, a, g);
  for (int k = 0; k < 2; k++) {
    if (measure->body[k] == HN_GROUND) continue;
    const hn_frame *f = &p->frames[measure->body[k]];
    const hn_quat pdd =
        qdd ? quat_load(&qdd[7 * (measure->body[k] - 1) + 3]) : (hn_quat){0, 0, 0, 0};
    double *s0 = &out->s[7 * k], *s1 = &out->sd[7 * k], *s2 = &out->sdd[7 * k];
    set_in_q(f->p, &g[0][6 * k], s0);
    set_in_q(f->p, &g[1][6 * k], s1);
    add_turned(1, f->pd, &g[0][6 * k], s1);
    if (!qdd) continue;
    set_in_q(f->p, &g[2][6 * k], s2);
    add_turned(2, f->pd, &g[1][6 * k], s2);
    add_turned(1, pdd, &g[0][6 * k], s2);
  }
}

void hn_linear_gradient(const hn_linear_point *p, hn_quantity_of of, const double *qdd,
                        hn_gradient *out) {
  memset(out, 0, sizeof *out);
  switch (of.kind) {
  case HN_QUANTITY_JOINT: joint_gradient(p, of, qdd, out); break;
  case HN_QUANTITY_POSITION: position_gradient(p, of, out); break;
  case HN_QUANTITY_ROTATION: rotation_gradient(p, of, qdd, out); break;
  }
}

// ---- names --------------------------------------------------------------------------------------

void hn_linear_name(const hn_linear_point *p, int state, int derivative, char *text, size_t size) {
  const hn_quantity_of of = p->quantity[state];
  const hn_model *model = p->elements->model;
  static const char axes[] = "xyz";
  switch (of.kind) {
  case HN_QUANTITY_JOINT:
    snprintf(text, size, "joint.%s.%s%s", model->joints[of.element].name,
             hn_coordinate_name((hn_coordinate)of.part), derivative ? "_rate" : "");
    break;
  case HN_QUANTITY_POSITION:
    snprintf(text, size, "body.%s.%s.%c", model->bodies[of.element].name,
             derivative ? "velocity" : "position", axes[of.part]);
    break;
  case HN_QUANTITY_ROTATION:
    snprintf(text, size, "body.%s.%s.%c", model->bodies[of.element].name,
             derivative ? "rotation_rate" : "rotation", axes[of.part]);
    break;
  }
}

const char *hn_linear_unit(const hn_linear_point *p, int state, int derivative) {
  const hn_quantity_of of = p->quantity[state];
  const int is_angle =
      of.kind == HN_QUANTITY_ROTATION ||
      (of.kind == HN_QUANTITY_JOINT && hn_coordinate_is_angle((hn_coordinate)of.part));
  if (is_angle) return derivative ? "rad/s" : "rad";
  return derivative ? "m/s" : "m";
}

// ---- the state ----------------------------------------------------------------------------------

void hn_linear_solve(const hn_linear_point *p, double *b) {
  if (!p->lu) {
    hn_dense_lu_solve(p->e, p->n, p->pivots, b);
    return;
  }
  double *c = p->spare;
  for (int k = 0; k < p->n; k++) c[k] = b[p->column[k]];
  hn_sparse_lu_solve_transposed(p->lu, c);
  memcpy(b, c, (size_t)p->n * sizeof(double));
}
void hn_linear_solve_transposed(const hn_linear_point *p, double *b) {
  if (!p->lu) {
    hn_dense_lu_solve_transposed(p->e, p->n, p->pivots, b);
    return;
  }
  double *c = p->spare;
  memcpy(c, b, (size_t)p->n * sizeof(double));
  hn_sparse_lu_solve(p->lu, c);
  for (int k = 0; k < p->n; k++) b[p->column[k]] = c[k];
}

static hn_tangent_state state_of(const hn_linear_point *p) {
  return (hn_tangent_state){.t = p->t,
                            .q = p->q,
                            .qd = p->qd,
                            .qdd = p->qdd,
                            .lambda = p->lambda,
                            .branches = p->branches,
                            .space = HN_IN_Q};
}

hn_status hn_linear_evaluate(hn_linear_point *p, hn_want want, hn_error *error) {
  const hn_tangent_state state = state_of(p);
  p->equations->type->coordinates->frames(p->equations, p->q, p->qd, p->frames);
  return hn_tangent_evaluate(p->tangent, &state, want, error);
}

static double largest_gap(const hn_linear_point *p) {
  double most = 0;
  for (int k = 0; k < p->row_count; k++) most = fmax(most, fabs(p->tangent->phi[p->row[k]]));
  return most;
}

// Newton's method: quantities and fixed directions stay, constraints become 0. Forces of drives are
// those of the unmodified state: with springs of 1e6 N/m a gap of 1e-12 m would be visible.
hn_status hn_linear_close_gaps(hn_linear_point *p, hn_error *error) {
  double before = HUGE_VAL;
  for (int k = 0; k < ITERATIONS; k++) {
    hn_status status = hn_linear_evaluate(p, HN_ROWS, error);
    if (status == HN_OK) status = hn_linear_factor(p);
    if (status != HN_OK) return status;
    const double gap = largest_gap(p);
    if (gap == 0 || (gap < 1e-12 && gap > FURTHER * before)) return HN_OK;
    if (p->is_undriven && gap < GAP) return HN_OK;
    before = gap;
    memset(p->room, 0, (size_t)p->n * sizeof(double));
    for (int r = 0; r < p->row_count; r++) p->room[r] = -p->tangent->phi[p->row[r]];
    hn_linear_solve(p, p->room);
    for (int i = 0; i < p->n; i++) p->q[i] += p->room[i];
  }
  if (before < GAP) return HN_OK;
  return hn_fail(error, HN_ERROR_CONVERGENCE, NULL, NULL,
                 "run `holon check` to see the constraints",
                 "the constraints cannot be satisfied at this state (violation %.3g)", before);
}

void hn_linear_keep_rates(hn_linear_point *p) {
  const double *phi_t = p->tangent->phi_t;
  double *b = p->room;
  memset(b, 0, (size_t)p->n * sizeof(double));
  for (int r = 0; r < p->row_count; r++) b[r] = -phi_t[p->row[r]];
  for (int k = 0; !p->is_steady && k < p->held_count; k++)
    for (int i = 0; i < p->n; i++)
      b[p->row_count + k] += p->held[(size_t)k * (size_t)p->n + (size_t)i] * p->qd[i];
  for (int k = 0; k < p->freedoms; k++) {
    hn_gradient g;
    hn_linear_gradient(p, p->quantity[k], NULL, &g);
    b[p->row_count + p->held_count + k] = p->is_steady ? 0 : g.rate;
  }
  hn_linear_solve(p, b);
  memcpy(p->qd, b, (size_t)p->n * sizeof(double));
}

// P: the last columns of E^-1.
static void make_p(hn_linear_point *p) {
  for (int k = 0; k < p->freedoms; k++) {
    double *column = &p->p[(size_t)k * (size_t)p->n];
    memset(column, 0, (size_t)p->n * sizeof(double));
    column[p->n - p->freedoms + k] = 1;
    hn_linear_solve(p, column);
  }
}

// y = M x
static void times_mass(const hn_linear_point *p, const double *x, double *y) {
  memset(y, 0, (size_t)p->n * sizeof(double));
  hn_sparse_add_product(&p->tangent->mass, 1, x, y);
}

static hn_status massless(const hn_linear_point *p, int state, hn_error *error) {
  char name[192];
  hn_linear_name(p, state, 0, name, sizeof name);
  return hn_fail(error, HN_ERROR_SINGULAR, NULL, name,
                 "give the bodies that it moves a mass or inertia, or fix it by a joint",
                 "moves nothing that has mass: its acceleration is not determined");
}

// Mhat = P' M P (f x f)
static void reduced_mass(const hn_linear_point *p, double *mass, double *y) {
  const size_t n = (size_t)p->n, f = (size_t)p->freedoms;
  for (size_t k = 0; k < f; k++) {
    times_mass(p, &p->p[k * n], y);
    for (size_t j = 0; j < f; j++)
      for (size_t i = 0; i < n; i++) mass[k * f + j] += p->p[j * n + i] * y[i];
  }
}

// w = E^-1 [tau; -quadratic]: accelerations while those of the quantities are zero.
static void held_accelerations(hn_linear_point *p, double *w) {
  const int first = p->n - p->freedoms;
  memset(w, 0, (size_t)p->n * sizeof(double));
  for (int r = 0; r < p->row_count; r++) w[r] = p->tangent->tau[p->row[r]];
  for (int k = 0; k < p->freedoms; k++) {
    hn_gradient g;
    hn_linear_gradient(p, p->quantity[k], NULL, &g);
    p->eta[k] = g.value;
    p->eta_rate[k] = g.rate;
    w[first + k] = -g.quadratic;
  }
  hn_linear_solve(p, w);
}

// Mhat etadd = P' (Q - M w); qdd = P etadd + w.
static hn_status solve_accelerations(hn_linear_point *p, double *mass, double *y, int *pivots,
                                     hn_error *error) {
  const int n = p->n, f = p->freedoms;
  double *w = p->room, *second = p->eta_second;
  held_accelerations(p, w);
  times_mass(p, w, y);
  for (int i = 0; i < n; i++) y[i] = p->tangent->q_force[i] - y[i];
  for (int k = 0; k < f; k++) {
    second[k] = 0;
    for (int i = 0; i < n; i++) second[k] += p->p[(size_t)k * (size_t)n + (size_t)i] * y[i];
  }
  reduced_mass(p, mass, y);
  const int singular = f > 0 ? hn_dense_lu(mass, f, pivots) : 0;
  if (singular) return massless(p, singular - 1, error);
  if (f > 0) hn_dense_lu_solve(mass, f, pivots, second);
  for (int i = 0; i < n; i++) p->qdd[i] = w[i];
  for (int k = 0; k < f; k++)
    for (int i = 0; i < n; i++) p->qdd[i] += second[k] * p->p[(size_t)k * (size_t)n + (size_t)i];
  return HN_OK;
}

static hn_status accelerations(hn_linear_point *p, hn_error *error) {
  const size_t f = (size_t)p->freedoms;
  hn_arena scratch;
  hn_arena_init(&scratch, p->simulation->options.allocator);
  double *mass = HN_TAKE(&scratch, double, f *f + 1), *y = HN_TAKE(&scratch, double, p->n + 1);
  int *pivots = HN_TAKE(&scratch, int, f + 1);
  hn_status status = scratch.failed
                         ? hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory")
                         : solve_accelerations(p, mass, y, pivots, error);
  hn_arena_release(&scratch);
  return status;
}

// E' [lambda; 0] = Q - M qdd; rows left out have none.
static void multipliers(hn_linear_point *p) {
  times_mass(p, p->qdd, p->room);
  for (int i = 0; i < p->n; i++) p->room[i] = p->tangent->q_force[i] - p->room[i];
  hn_linear_solve_transposed(p, p->room);
  memset(p->lambda, 0, (size_t)p->tangent->rows * sizeof(double));
  for (int r = 0; r < p->row_count; r++) p->lambda[p->row[r]] = p->room[r];
}

static hn_status take_memory(hn_linear_point *p) {
  hn_arena *arena = p->arena;
  const int n = p->equations->nq;
  p->n = n;
  p->frames = HN_TAKE(arena, hn_frame, p->elements->model->body_count);
  double **vectors[] = {&p->q,        &p->qd,         &p->qdd,  &p->eta,
                        &p->eta_rate, &p->eta_second, &p->room, &p->spare};
  for (size_t k = 0; k < sizeof vectors / sizeof vectors[0]; k++)
    *vectors[k] = HN_TAKE(arena, double, n + 1);
  p->lambda = HN_TAKE(arena, double, p->tangent->rows + 1);
  p->row = HN_TAKE(arena, int, n + 1);
  p->pivots = HN_TAKE(arena, int, n + 1);
  if (!p->lu) p->e = HN_TAKE(arena, double, (size_t)n *(size_t)n + 1);
  return arena->failed ? HN_ERROR_MEMORY : HN_OK;
}

hn_status hn_linear_prepare(hn_linear_point *p, hn_error *error) {
  hn_simulation *s = p->simulation;
  hn_status status = hn_cartesian.create(p->arena, p->elements, NULL, &p->equations, error);
  if (status == HN_OK) status = hn_tangent_create(p->arena, p->equations, 0, &p->tangent);
  if (status == HN_OK) status = take_memory(p);
  if (status != HN_OK) return hn_fail(error, status, NULL, NULL, NULL, "out of memory");
  s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd, p->frames);
  hn_cartesian_coordinates.from_frames(p->equations, p->frames, p->q, p->qd);
  return HN_OK;
}

// The state brought onto the constraints, P, and M, Q and Phi_q there.
static hn_status settle(hn_arena *arena, hn_simulation *s, int is_undriven, int is_steady,
                        hn_linear_point *p, hn_error *error) {
  *p = (hn_linear_point){.is_steady = is_steady,
                         .arena = arena,
                         .simulation = s,
                         .elements = s->elements,
                         .branches = &s->branches,
                         .is_undriven = is_undriven,
                         .t = s->method->t};
  hn_status status = hn_linear_prepare(p, error);
  const double tolerances[] = {HN_RANK_DEPENDENT, HN_RANK_ROUNDING};
  for (int k = 0; status == HN_OK && k < 2; k++) {
    status = hn_linear_evaluate(p, HN_BASIC, error);
    if (status == HN_OK) status = hn_linear_select(p, tolerances[k], error);
    if (status == HN_OK) status = hn_linear_close_gaps(p, error);
  }
  if (status != HN_OK) return status;
  if (!is_undriven) hn_linear_keep_rates(p);
  make_p(p);
  return hn_linear_evaluate(p, HN_BASIC, error);
}

hn_status hn_linear_point_create_undriven(hn_arena *arena, hn_simulation *s, hn_linear_point *p,
                                          hn_error *error) {
  return settle(arena, s, 1, 0, p, error);
}

hn_status hn_linear_point_create(hn_arena *arena, hn_simulation *s, int is_steady,
                                 hn_linear_point *p, hn_error *error) {
  hn_status status = settle(arena, s, 0, is_steady, p, error);
  if (status == HN_OK) status = hn_linear_take_sides(p);
  if (status == HN_OK) status = accelerations(p, error);
  if (status != HN_OK) return status;
  multipliers(p);
  return hn_linear_evaluate(p, HN_FULL, error);
}
