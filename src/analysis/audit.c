// Derivatives against sixth-order differences at the present state of a simulation. Here: the
// comparison, and the equations as a set of coordinates makes them,
//
//   K = (M qdd + Phi_q' lambda - Q)_q,  C = -Q_qd,  Phi_q,  A = (Phi_q v)_q,  P = (Phi_q qdd - tau)_q,
//
// along the directions of q that unit speeds make, which keep Euler parameters of unit length.
// Elements on their own are in audit_elements.c: they tell who is wrong.
#include "analysis/audit.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "equations/tangent.h"

double hn_audit_largest(const double *values, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
  return most;
}

// ---- comparison ---------------------------------------------------------------------------------

static hn_status differentiate(const hn_audit_test *test, double h, double *out) {
  static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  double *values = test->room + test->count;
  memset(out, 0, (size_t)test->count * sizeof(double));
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      hn_status status = test->values(test->context, sign * k * h, values);
      if (status != HN_OK) return status;
      for (int i = 0; i < test->count; i++) out[i] += sign * weight[k - 1] * values[i] / h;
    }
  return HN_OK;
}

static void note(hn_audit *a, const hn_audit_test *test, hn_audit_finding found) {
  hn_text(found.element, sizeof found.element, "%s", test->element ? test->element : "");
  found.what = test->what;
  found.time = a->time;
  found.coordinates = test->element ? "" : a->simulation->equations->type->name;
  for (int k = 0; k < a->count; k++) {
    hn_audit_finding *old = &a->findings[k];
    if (strcmp(old->element, found.element) != 0 || strcmp(old->what, found.what) != 0) continue;
    if (found.error > old->error) *old = found;
    return;
  }
  if (a->count < a->capacity) a->findings[a->count++] = found;
}

void hn_audit_compare(hn_audit *a, const hn_audit_test *test) {
  static const double steps[] = {1e-3, 1e-4, 1e-2, 1e-5, 1e-6};
  hn_audit_finding best = {.error = HUGE_VAL};
  a->checked += test->count;
  for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
    double *out = test->room, error = 0, size;
    if (differentiate(test, steps[k], out) != HN_OK) continue;
    size = fmax(hn_audit_largest(test->exact, test->count), hn_audit_largest(out, test->count));
    size = fmax(size, fmax(1e-3 * test->size, 1e-6));
    int worst = 0;
    for (int i = 0; i < test->count; i++) {
      double gap = fabs(test->exact[i] - out[i]) / size;
      if (gap > error || isnan(gap)) {
        error = isnan(gap) ? HUGE_VAL : gap;
        worst = i;
      }
    }
    if (error < best.error)
      best =
          (hn_audit_finding){.error = error, .exact = test->exact[worst], .difference = out[worst]};
    if (best.error <= 0.01 * HN_AUDIT_LIMIT) return;
  }
  if (best.error > HN_AUDIT_LIMIT && best.error < HUGE_VAL) note(a, test, best);
}

// ---- equations ----------------------------------------------------------------------------------

typedef enum motion_kind { MOVED_POSITION, MOVED_VELOCITY, MOVED_TIME } motion_kind;
typedef enum value_kind { ASKED_FORCE, ASKED_ROWS, ASKED_RATES, ASKED_SECOND } value_kind;

typedef struct equations_audit {
  hn_audit *audit;
  hn_tangent *tangent;
  const double *q, *qd, *qdd;
  double *lambda;    // (rows)
  double *direction; // (n)
  double *q_moved, *qd_moved;
  motion_kind moved;
  value_kind asked;
} equations_audit;

static hn_status equation_values(void *context, double h, double *values) {
  equations_audit *e = context;
  hn_tangent *t = e->tangent;
  double time = e->audit->time + (e->moved == MOVED_TIME ? h : 0);
  for (int i = 0; i < t->n; i++) {
    e->q_moved[i] = e->q[i] + (e->moved == MOVED_POSITION ? h * e->direction[i] : 0);
    e->qd_moved[i] = e->qd[i] + (e->moved == MOVED_VELOCITY ? h * e->direction[i] : 0);
  }
  hn_status status = hn_tangent_basic(t, time, e->q_moved, e->qd_moved, e->audit->branches, NULL);
  if (status != HN_OK) return status;
  switch (e->asked) {
  case ASKED_FORCE:
    for (int i = 0; i < t->n; i++) values[i] = -t->q_force[i];
    hn_sparse_add_product(&t->mass, 1, e->qdd, values);
    hn_sparse_add_transposed_product(&t->phi_q, 1, e->lambda, values);
    break;
  case ASKED_ROWS: memcpy(values, t->phi, (size_t)t->rows * sizeof(double)); break;
  case ASKED_RATES:
    memset(values, 0, (size_t)t->rows * sizeof(double));
    hn_sparse_add_product(&t->phi_q, 1, e->qd, values);
    break;
  case ASKED_SECOND:
    for (int i = 0; i < t->rows; i++) values[i] = -t->tau[i];
    hn_sparse_add_product(&t->phi_q, 1, e->qdd, values);
    break;
  }
  return HN_OK;
}

// The exact derivatives were made at the present state: basic evaluations keep K, C, A and P.
static void compare_product(equations_audit *e, const hn_sparse *matrix, double scale,
                            motion_kind moved, value_kind asked, double size, const char *what,
                            double *room) {
  int count = matrix->rows;
  double *exact = room + 2 * count;
  memset(exact, 0, (size_t)count * sizeof(double));
  hn_sparse_add_product(matrix, scale, e->direction, exact);
  e->moved = moved;
  e->asked = asked;
  hn_audit_test test = {equation_values, e, count, exact, size, room, NULL, what};
  hn_audit_compare(e->audit, &test);
}

static void audit_direction(equations_audit *e, double force, double *room) {
  hn_tangent *t = e->tangent;
  const hn_branches *b = e->audit->branches;
  double time = e->audit->time;
  if (hn_tangent_full(t, time, e->q, e->qd, e->qdd, e->lambda, b, NULL) != HN_OK) return;
  compare_product(e, &t->stiffness, 1, MOVED_POSITION, ASKED_FORCE, force, "forces by position",
                  room);
  compare_product(e, &t->damping, 1, MOVED_VELOCITY, ASKED_FORCE, force, "forces by velocity",
                  room);
  compare_product(e, &t->phi_v, 1, MOVED_POSITION, ASKED_RATES, 1, "rates of rows by position",
                  room);
  compare_product(e, &t->phi_dd, 1, MOVED_POSITION, ASKED_SECOND, 1,
                  "accelerations of rows by position", room);
  compare_product(e, &t->phi_v, 2, MOVED_VELOCITY, ASKED_SECOND, 1,
                  "accelerations of rows by velocity", room);
  // Phi_q itself is made by basic evaluations too
  if (hn_tangent_basic(t, time, e->q, e->qd, b, NULL) != HN_OK) return;
  compare_product(e, &t->phi_q, 1, MOVED_POSITION, ASKED_ROWS, 1, "rows by position", room);
}

// Of a large machine several speeds are moved at once.
enum { MOST_DIRECTIONS = 60, FEWEST_DIRECTIONS = 6, SPEEDS_TIMES_DIRECTIONS = 6000 };

static int direction_count(int nu) {
  int count = SPEEDS_TIMES_DIRECTIONS / (nu > 0 ? nu : 1);
  if (count < FEWEST_DIRECTIONS) count = FEWEST_DIRECTIONS;
  return count < MOST_DIRECTIONS ? count : MOST_DIRECTIONS;
}

static void audit_equations(hn_audit *a) {
  hn_simulation *s = a->simulation;
  hn_equations *equations = s->equations;
  hn_arena *arena = &a->arena;
  equations_audit e = {.audit = a, .q = s->method->q, .qd = s->method->qd};
  if (!equations->type->tangent_create || s->model->part_count > 0) return;
  // patterns that the equations keep are made with it: it lives as long as they do
  if (!s->audited && hn_tangent_create(&s->arena, equations, &s->audited) != HN_OK) return;
  hn_tangent *t = e.tangent = s->audited;
  int widest = t->n > t->rows ? t->n : t->rows, nu = equations->nu;
  double *room = HN_TAKE(arena, double, 3 * widest + 1), *u = HN_TAKE(arena, double, nu + 1);
  e.lambda = HN_TAKE(arena, double, t->rows + 1);
  e.direction = HN_TAKE(arena, double, t->n);
  e.q_moved = HN_TAKE(arena, double, t->n);
  e.qd_moved = HN_TAKE(arena, double, t->n);
  if (arena->failed) return;
  hn_snapshot_complete(equations, a->branches, s->method->now);
  e.qdd = s->method->now->qdd;
  memcpy(e.lambda, s->method->now->lambda, (size_t)s->elements->row_count * sizeof(double));
  if (hn_tangent_basic(t, a->time, e.q, e.qd, a->branches, NULL) != HN_OK) return;
  hn_tangent_normalization_multipliers(t, e.lambda);
  double force = hn_audit_largest(t->q_force, t->n);
  int stride = 1 + (nu - 1) / direction_count(nu);
  for (int k = 0; k < nu; k += stride) {
    memset(u, 0, (size_t)nu * sizeof(double));
    for (int j = k; j < k + stride && j < nu; j++) u[j] = 1;
    equations->type->rates(equations, e.q, u, e.direction);
    audit_direction(&e, force, room);
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static void sort_findings(hn_audit_finding *list, int count) {
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && list[j].error > list[j - 1].error; j--) {
      hn_audit_finding held = list[j];
      list[j] = list[j - 1];
      list[j - 1] = held;
    }
}

int hn_simulation_audit(hn_simulation *s, hn_audit_finding *findings, int capacity, long *checked) {
  hn_audit a = {.simulation = s,
                .branches = &s->branches,
                .time = s->method->t,
                .findings = findings,
                .capacity = capacity};
  hn_arena_init(&a.arena, s->options.allocator);
  a.frames = HN_TAKE(&a.arena, hn_frame, s->model->body_count);
  if (!a.arena.failed) {
    s->equations->type->frames(s->equations, s->method->q, s->method->qd, a.frames);
    hn_audit_elements(&a);
    if (a.count == 0) audit_equations(&a); // a wrong element makes wrong equations
  }
  hn_arena_release(&a.arena);
  sort_findings(findings, a.count);
  if (checked) *checked = a.checked;
  return a.count;
}
