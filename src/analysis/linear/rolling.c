// Linearization of models that roll, or rest on sticking rigid contacts: small motions in which
// every contact keeps its mode. Conditions on velocities alone (rolling, knife edges) leave more
// positions than speeds free:
//
//   x = (eta, etad of the first of them, z),   eta' of the others follows from these
//
// Constraints of rolling have no derivatives here. The model is moved along paths that keep all
// conditions, one for each speed of bodies, for positions and for velocities, one for each state of a
// function and each input, and everything is differentiated along them by differences of sixth order:
//
//   X = dx/dh,  F = dx'/dh,  Y = dy/dh of all paths,   A X = F,  C X = Y
//
// with as many independent paths as there are states.
#include <math.h>
#include <string.h>

#include "analysis/linear/work.h"
#include "base/error.h"
#include "elements/sensor.h"
#include "equations/conditions.h"
#include "linalg/rank.h"
#include "math/law.h"

enum { POINTS = 6, PASSES = 3 };
static const double offsets[POINTS] = {-3, -2, -1, 1, 2, 3};
static const double weights[POINTS] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};

#define STEP 1e-3   // of all paths
#define NOISE 1e-10 // of a difference, against 1 + the values it was made of
#define CLOSED_GAP 1e-14

typedef struct paths {
  hn_linear_work *w;
  hn_simulation *s;
  hn_equations *e;
  hn_snapshot *snapshot;
  double *q, *qd, *moved, *correction; // (n)
  double *speeds;                      // of the state (nu)
  double *y;                           // outputs, then rates of states of laws
  double *z;                           // of all (method->states)
  int n, nu, outputs, count;           // coordinates, speeds; outputs with rates; paths of states
  int size;                            // of what is seen: q, qd, qdd, outputs with rates
  double *slope;                       // (size x (count + inputs))
  double *value;                       // largest of each (size)
} paths;

// ---- along a path -------------------------------------------------------------------------------

static hn_status keep_conditions(const paths *a) {
  const hn_linear_point *p = &a->w->point;
  hn_status status = HN_OK;
  const hn_branches look = hn_branches_to_look(p->branches);
  hn_projected_state state = {.t = p->t,
                              .q = a->q,
                              .qd = a->qd,
                              .u = a->moved,
                              .tolerance = CLOSED_GAP,
                              .change = {a->correction, a->correction}};
  for (int k = 0; k < PASSES && status == HN_OK; k++, state.u = NULL)
    status = hn_equations_project(a->e, &state, &look);
  if (status > 0)
    return hn_fail(a->w->error, HN_ERROR_CONVERGENCE, NULL, NULL, "choose another state with @at",
                   "positions near the state do not satisfy the contacts");
  return status;
}

// Evaluates the model at q and the speeds `moved`.
static hn_status look(const paths *a) {
  const hn_linear_point *p = &a->w->point;
  const hn_branches branches = hn_branches_to_look(p->branches);
  hn_status status = keep_conditions(a);
  if (status == HN_OK)
    status = a->e->type->evaluate(a->e, p->t, a->q, a->qd, &branches, a->snapshot, a->w->error);
  if (status != HN_OK) return status;
  hn_snapshot_complete(a->e, p->branches, a->snapshot);
  return hn_linear_see(a->w, a->snapshot, a->y);
}

static void add_seen(const paths *a, double factor, double *slope) {
  const double *from[] = {a->q, a->qd, a->snapshot->qdd, a->y};
  const int counts[] = {a->n, a->n, a->n, a->outputs};
  int at = 0;
  for (int part = 0; part < 4; part++)
    for (int i = 0; i < counts[part]; i++, at++) {
      slope[at] += factor * from[part][i];
      a->value[at] = fmax(a->value[at], fabs(from[part][i]));
    }
}

// Where path k is at h: position of one speed, velocity of one, a state of laws, or an input.
static void go_to(const paths *a, int k, double h) {
  const hn_linear_point *p = &a->w->point;
  memcpy(a->q, p->q, (size_t)a->n * sizeof(double));
  memcpy(a->moved, a->speeds, (size_t)a->nu * sizeof(double));
  if (k < a->nu) {
    memset(a->moved, 0, (size_t)a->nu * sizeof(double));
    a->moved[k] = h;
    a->e->type->coordinates->rates(a->e, p->q, a->moved, a->qd);
    for (int i = 0; i < a->n; i++) a->q[i] += a->qd[i];
    for (int b = 0; b < a->n / 7; b++) {
      const hn_quat turned = quat_load(&a->q[7 * b + 3]);
      quat_store(&a->q[7 * b + 3], quat_scale(1 / sqrt(quat_dot(turned, turned)), turned));
    }
    memcpy(a->moved, a->speeds, (size_t)a->nu * sizeof(double));
  } else if (k < 2 * a->nu) {
    a->moved[k - a->nu] += h;
  } else if (k < a->count) {
    memcpy(a->z, a->s->method->z, (size_t)a->s->method->states * sizeof(double));
    a->z[a->w->z[k - 2 * a->nu]] += h;
    hn_states_set(p->elements, a->z);
  }
}

static hn_status follow(const paths *a, int k) {
  double *slope = &a->slope[(size_t)k * (size_t)a->size];
  hn_input_state *input = k >= a->count ? &a->s->inputs[a->w->input[k - a->count]] : NULL,
                 kept = {0};
  double d[4] = {0};
  if (input) {
    kept = *input;
    hn_input_at(input, a->w->point.t, d);
  }
  hn_status status = HN_OK;
  for (int i = 0; i < POINTS && status == HN_OK; i++) {
    const double h = offsets[i] * STEP, value = d[0] + h;
    if (input) *input = (hn_input_state){.time = a->w->point.t, .value = value, .target = value};
    go_to(a, k, h);
    status = look(a);
    if (status == HN_OK) add_seen(a, weights[i] / STEP, slope);
  }
  if (input) *input = kept;
  if (a->s->method->states > 0) hn_states_set(a->w->point.elements, a->s->method->z);
  for (int i = 0; i < a->size; i++)
    if (fabs(slope[i]) <= NOISE * (1 + a->value[i])) slope[i] = 0;
  return status;
}

// ---- quantities ---------------------------------------------------------------------------------

static double along(const double *s, const hn_gradient *g, const double *x) {
  double sum = 0;
  for (int i = 0; i < HN_LOCAL; i++)
    if (g->body[i / 7] != HN_GROUND) sum += s[i] * x[7 * (g->body[i / 7] - 1) + i % 7];
  return sum;
}

// Change of a quantity (order 0), of its rate, of its second derivative along a path.
static double change(const paths *a, const hn_gradient *g, int path, int order) {
  const double *dq = &a->slope[(size_t)path * (size_t)a->size], *dqd = dq + a->n,
               *dqdd = dqd + a->n;
  if (order == 0) return along(g->s, g, dq);
  if (order == 1) return along(g->s, g, dqd) + along(g->sd, g, dq);
  return along(g->s, g, dqdd) + 2 * along(g->sd, g, dqd) + along(g->sdd, g, dq);
}

// Independent columns of a matrix (rows x columns, overwritten), which is returned by its rank.
static int independent(hn_arena *arena, double *a, int rows, int columns, int *order) {
  double *work = HN_TAKE(arena, double, 3 * columns + rows + 1);
  return work ? hn_rank_qr(a, rows, columns, HN_RANK_DEPENDENT, NULL, order, work) : 0;
}

// Which quantities describe positions, and which of them velocities: those come first.
static hn_status choose(paths *a, hn_arena *arena) {
  hn_linear_point *p = &a->w->point;
  const size_t n = (size_t)a->n, nu = (size_t)a->nu;
  double *moves = HN_TAKE(arena, double, 2 * n * nu + 1), *basis = moves ? moves + n * nu : NULL;
  int *order = HN_TAKE(arena, int, nu + n + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (size_t k = 0; k < nu; k++)
    memcpy(&moves[k * n], &a->slope[k * (size_t)a->size], n * sizeof(double));
  const int positions = independent(arena, moves, a->n, a->nu, order);
  for (int k = 0; k < positions; k++)
    memcpy(&basis[(size_t)k * n], &a->slope[(size_t)order[k] * (size_t)a->size],
           n * sizeof(double));
  hn_status status = hn_linear_choose(p, basis, positions, a->w->error);
  if (status != HN_OK) return status;
  for (int k = 0; k < positions; k++) {
    hn_gradient g;
    hn_linear_gradient(p, p->quantity[k], NULL, &g);
    for (int i = 0; i < a->nu; i++) moves[(size_t)k * nu + (size_t)i] = change(a, &g, a->nu + i, 1);
  }
  p->rates = independent(arena, moves, a->nu, positions, order);
  hn_quantity_of *sorted = HN_TAKE(arena, hn_quantity_of, positions + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  int at = 0;
  for (int part = 0; part < 2; part++)
    for (int k = 0; k < positions; k++) {
      int has_rate = 0;
      for (int i = 0; i < p->rates; i++) has_rate |= order[i] == k;
      if (has_rate == !part) sorted[at++] = p->quantity[k];
    }
  memcpy(p->quantity, sorted, (size_t)positions * sizeof *sorted);
  return HN_OK;
}

// ---- matrices -----------------------------------------------------------------------------------

typedef struct system {
  hn_gradient *gradients; // (degrees of freedom)
  double *x;          // X (states x paths), then its independent columns, transposed and factored
  int *path, *pivots; // (paths), (states)
  int states;
} system;

static double state_change(const paths *a, const system *m, int state, int path, int derivative) {
  const hn_linear_point *p = &a->w->point;
  if (state < p->freedoms) return change(a, &m->gradients[state], path, derivative);
  if (state < p->freedoms + p->rates)
    return change(a, &m->gradients[state - p->freedoms], path, 1 + derivative);
  const int k = state - p->freedoms - p->rates;
  if (derivative)
    return a->slope[(size_t)path * (size_t)a->size +
                    (size_t)(3 * a->n + a->w->result.output_count + k)];
  return path == 2 * a->nu + k;
}

static hn_status make_system(paths *a, system *m, hn_arena *arena) {
  hn_linear_point *p = &a->w->point;
  m->states = p->freedoms + p->rates + a->w->z_count;
  const size_t n = (size_t)m->states, count = (size_t)a->count;
  m->gradients = HN_TAKE(arena, hn_gradient, p->freedoms + 1);
  m->x = HN_TAKE(arena, double, n *count + 1);
  m->path = HN_TAKE(arena, int, count + 1);
  m->pivots = HN_TAKE(arena, int, n + 1);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < p->freedoms; k++)
    hn_linear_gradient(p, p->quantity[k], p->qdd, &m->gradients[k]);
  for (int j = 0; j < a->count; j++)
    for (int i = 0; i < m->states; i++)
      m->x[(size_t)j * n + (size_t)i] = state_change(a, m, i, j, 0);
  const int rank = independent(arena, m->x, m->states, a->count, m->path);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int j = 0; j < m->states && rank == m->states; j++)
    for (int i = 0; i < m->states; i++)
      m->x[(size_t)i * n + (size_t)j] = state_change(a, m, i, m->path[j], 0);
  if (rank < m->states || (m->states > 0 && hn_dense_lu(m->x, m->states, m->pivots) != 0))
    return hn_fail(a->w->error, HN_ERROR_SINGULAR, NULL, NULL, "choose another state with @at",
                   "%d of %d states are not independent here", m->states - rank, m->states);
  return HN_OK;
}

// One row of A, C or P from its changes along the independent paths. Differences that are rounding
// of larger ones are 0.
static void solve_row(const system *m, double *row) {
  double most = 0;
  hn_dense_lu_solve(m->x, m->states, m->pivots, row);
  for (int k = 0; k < m->states; k++) most = fmax(most, fabs(row[k]));
  for (int k = 0; k < m->states; k++)
    if (fabs(row[k]) <= 10 * NOISE * (1 + most)) row[k] = 0;
}

static hn_status write_matrices(paths *a, const system *m) {
  hn_linear_work *w = a->w;
  hn_linear_point *p = &w->point;
  const int outputs = w->result.output_count, inputs = w->result.input_count;
  const size_t n = (size_t)m->states, coordinates = (size_t)a->n;
  double *matrix = HN_TAKE(&w->arena, double, n *n + 1),
         *c = HN_TAKE(&w->arena, double, n *(size_t)outputs + 1),
         *b = HN_TAKE(&w->arena, double, n *(size_t)inputs + 1),
         *d = HN_TAKE(&w->arena, double, (size_t)outputs *(size_t)inputs + 1),
         *row = HN_TAKE(&w->arena, double, n + 1);
  p->p = HN_TAKE(&w->arena, double, coordinates *(size_t)p->freedoms + 1);
  w->size = HN_TAKE(&w->arena, double, p->freedoms + 1);
  if (w->arena.failed) return HN_ERROR_MEMORY;
  for (int k = 0; k < p->freedoms; k++) w->size[k] = 1;
  for (int i = 0; i < m->states; i++) {
    for (int j = 0; j < m->states; j++)
      matrix[(size_t)i * n + (size_t)j] = state_change(a, m, i, m->path[j], 1);
    solve_row(m, &matrix[(size_t)i * n]);
    for (int j = 0; j < inputs; j++)
      b[(size_t)i * (size_t)inputs + (size_t)j] = state_change(a, m, i, a->count + j, 1);
  }
  for (int o = 0; o < outputs; o++) {
    const size_t at = 3 * coordinates + (size_t)o;
    for (int j = 0; j < m->states; j++)
      c[(size_t)o * n + (size_t)j] = a->slope[(size_t)m->path[j] * (size_t)a->size + at];
    solve_row(m, &c[(size_t)o * n]);
    for (int j = 0; j < inputs; j++)
      d[(size_t)o * (size_t)inputs + (size_t)j] =
          a->slope[(size_t)(a->count + j) * (size_t)a->size + at];
  }
  for (size_t i = 0; i < coordinates; i++) {
    for (int j = 0; j < m->states; j++) row[j] = a->slope[(size_t)m->path[j] * (size_t)a->size + i];
    solve_row(m, row);
    for (int k = 0; k < p->freedoms; k++) p->p[(size_t)k * coordinates + i] = row[k];
  }
  w->result.a = matrix;
  w->result.b = b;
  w->result.c = c;
  w->result.d = d;
  return HN_OK;
}

static hn_status write_state(paths *a, const system *m) {
  hn_linear_work *w = a->w;
  hn_linear_point *p = &w->point;
  for (int k = 0; k < p->freedoms; k++) {
    const hn_gradient *g = &m->gradients[k];
    p->eta[k] = g->value;
    p->eta_rate[k] = g->rate;
    p->eta_second[k] = along(g->s, g, p->qdd) + g->quadratic;
  }
  return hn_linear_write_state(w);
}

// ---- all of it ----------------------------------------------------------------------------------

static hn_status take_memory(paths *a, hn_arena *arena) {
  hn_linear_point *p = &a->w->point;
  const size_t n = (size_t)a->n;
  double **of_point[] = {&p->q, &p->qd, &p->qdd, &p->eta, &p->eta_rate, &p->eta_second},
         **own[] = {&a->q, &a->qd, &a->moved, &a->correction, &a->speeds};
  for (size_t k = 0; k < sizeof of_point / sizeof *of_point; k++)
    *of_point[k] = HN_TAKE(&a->w->arena, double, n + 1);
  for (size_t k = 0; k < sizeof own / sizeof *own; k++) *own[k] = HN_TAKE(arena, double, n + 1);
  p->frames = HN_TAKE(&a->w->arena, hn_frame, a->s->model->body_count);
  a->y = HN_TAKE(arena, double, a->outputs + 1);
  a->z = HN_TAKE(arena, double, a->s->method->states + 1);
  a->value = HN_TAKE(arena, double, a->size + 1);
  a->slope =
      HN_TAKE(arena, double, (size_t)a->size *(size_t)(a->count + a->w->result.input_count) + 1);
  if (arena->failed || a->w->arena.failed) return HN_ERROR_MEMORY;
  return hn_snapshot_create(arena, a->e, &a->snapshot);
}

// The state itself.
static hn_status begin(paths *a) {
  hn_linear_point *p = &a->w->point;
  const size_t bytes = (size_t)a->n * sizeof(double);
  const hn_equations *own = a->s->equations;
  own->type->coordinates->frames(own, a->s->method->q, a->s->method->qd, p->frames);
  a->e->type->coordinates->from_frames(a->e, p->frames, a->q, a->qd);
  a->e->type->coordinates->speeds(a->e, a->q, a->qd, a->moved);
  hn_status status = look(a);
  if (status != HN_OK) return status;
  memcpy(p->q, a->q, bytes);
  memcpy(p->qd, a->qd, bytes);
  memcpy(p->qdd, a->snapshot->qdd, bytes);
  a->e->type->coordinates->speeds(a->e, a->q, a->qd, a->speeds);
  a->e->type->coordinates->frames(a->e, p->q, p->qd, p->frames);
  return hn_linear_write_values(a->w, a->y);
}

static hn_status refuse(const hn_linear_work *w, const hn_simulation *s) {
  const struct hn_grips *grips = s->branches.grips;
  const char *hint =
      "give the contact a compliant `law:` (hertz, linear, ...), or choose another state with @at";
  if (s->method->type->steps_over || hn_conditions_of(s->equations)->is_many)
    return hn_fail(w->error, HN_ERROR_UNSUPPORTED, NULL, NULL, hint,
                   "time-stepped rigid contacts have no derivatives");
  for (int i = 0; i < hn_conditions_of(s->equations)->point_count; i++)
    if (grips->grip[i] == HN_GRIP_SLIDE)
      return hn_fail(w->error, HN_ERROR_UNSUPPORTED, NULL, NULL, hint,
                     "a rigid contact or a joint with dry friction slides here; its friction has "
                     "no derivative where the slip reverses");
  for (int k = 0; k < w->result.input_count; k++)
    for (int d = 0; d < s->model->driver_count; d++)
      if (s->model->drivers[d].law && hn_law_uses_input(s->model->drivers[d].law, w->input[k]))
        return hn_fail(
            w->error, HN_ERROR_UNSUPPORTED, NULL, NULL, "exclude it with @inputs",
            "input '%s' moves a driver; this cannot be linearized while rigid contacts are closed",
            w->result.inputs[k]);
  return HN_OK;
}

static hn_status make(paths *a, hn_arena *arena) {
  system m = {0};
  hn_status status = take_memory(a, arena);
  if (status == HN_OK) status = begin(a);
  for (int k = 0; k < a->count + a->w->result.input_count && status == HN_OK; k++)
    status = follow(a, k);
  if (status == HN_OK) status = choose(a, arena);
  if (status == HN_OK) status = make_system(a, &m, arena);
  if (status == HN_OK) status = hn_linear_name_states(a->w);
  if (status == HN_OK) status = write_state(a, &m);
  if (status == HN_OK) status = write_matrices(a, &m);
  if (status == HN_OK && a->w->z_count > 0)
    status = hn_linear_name_laws(a->w, a->w->result.state_count);
  return status;
}

hn_status hn_linear_make_rolling(hn_linear_work *w, hn_simulation *s) {
  hn_status status = refuse(w, s);
  hn_equations *e = s->equations;
  const hn_equations_options options = {.linear_solver = NULL};
  if (status == HN_OK && !e->type->traits.holds_gaps) // paths are in Cartesian coordinates
    status = hn_rigid_create(&w->arena, &hn_cartesian, s->elements, &options, &e, w->error);
  if (status != HN_OK) return status;
  const int states = 2 * e->nu + w->z_count;
  paths a = {.w = w,
             .s = s,
             .e = e,
             .n = e->nq,
             .nu = e->nu,
             .outputs = hn_linear_outputs(w),
             .count = states};
  a.size = 3 * a.n + a.outputs;
  w->point = (hn_linear_point){.arena = &w->arena,
                               .simulation = s,
                               .elements = s->elements,
                               .equations = e,
                               .branches = &s->branches,
                               .n = a.n,
                               .t = s->method->t};
  hn_arena scratch;
  hn_arena_init(&scratch, s->options.allocator);
  status = make(&a, &scratch);
  hn_arena_release(&scratch);
  return status;
}
