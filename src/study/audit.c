// Derivatives against sixth-order differences at the present state of a simulation. Here: the
// comparison, and the equations as a set of coordinates makes them,
//
//   K = (M qdd + Phi_q' lambda - Q)_q,  C = -Q_qd,  Phi_q,  A = (Phi_q v)_q,  P = (Phi_q qdd - tau)_q,
//
// along the directions of q that unit speeds make, which keep Euler parameters of unit length.
// Elements on their own are in audit_elements.c: they identify the wrong element.
#include "study/audit.h"

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

enum { STEPS = HN_AUDIT_STEPS, POINTS = 7 };
static const double steps[STEPS] = {1e-3, 1e-4, 1e-2,  1e-5,  1e-6, 1e-7,
                                    1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
#define SIZING 1e-6 // differences at smaller steps are too noisy to say how large a derivative is

// Seven points: around the state, behind it, before it. A law may have a knot at the very state (a table
// that starts at t = 0): there only the differences on the side of the derivative are right.
typedef struct stencil {
  int first; // offset of the first point, in steps
  double weight[POINTS];
} stencil;
static const stencil stencils[] = {
    {-3, {-1.0 / 60, 3.0 / 20, -3.0 / 4, 0, 3.0 / 4, -3.0 / 20, 1.0 / 60}},
    {0, {-49.0 / 20, 6, -15.0 / 2, 20.0 / 3, -15.0 / 4, 6.0 / 5, -1.0 / 6}},
    {-6, {1.0 / 6, -6.0 / 5, 15.0 / 4, -20.0 / 3, 15.0 / 2, -6, 49.0 / 20}},
};

// Differences at one step: the derivative, and the fifth differences of the values from the first
// and from the second point on. Of smooth functions these are tiny and alike: they show rounding,
// and a knot between the points.
typedef struct differences {
  double h;
  double *out, *fifth, *next; // (count)
} differences;

static hn_status differentiate(const hn_audit_test *test, const stencil *at, differences *d) {
  static const double binomial[POINTS] = {-1, 5, -10, 10, -5, 1, 0};
  double *values = test->room;
  size_t size = (size_t)test->count * sizeof(double);
  memset(d->out, 0, size);
  memset(d->fifth, 0, size);
  memset(d->next, 0, size);
  for (int k = 0; k < POINTS; k++) {
    hn_status status = test->values(test->context, (at->first + k) * d->h, values);
    if (status != HN_OK) return status;
    for (int i = 0; i < test->count; i++) {
      d->out[i] += at->weight[k] * values[i] / d->h;
      d->fifth[i] += binomial[k] * values[i];
      if (k > 0) d->next[i] += binomial[k - 1] * values[i];
    }
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

// The largest gap against the size; nan counts as endless.
static double worst_gap(const hn_audit_test *test, const double *out, double size) {
  double error = 0;
  for (int i = 0; i < test->count; i++) {
    double gap = fabs(test->exact[i] - out[i]) / size;
    error = isnan(gap) ? HUGE_VAL : fmax(error, gap);
  }
  return error;
}

// The error of differences at a step by themselves, with a margin: truncation is far below the fifth
// difference, which falls with the step until rounding is left. Rounding of size 1 makes about 16 of
// it, seldom nothing: other small steps show it too.
static double own_error(const differences *d, int count, int step, int i) {
  const double h = d[step].h, as_small = fmax(h, fmin(10 * h, 1e-5)) * (1 + 1e-9);
  double most = 0;
  for (int k = 0; k < count; k++)
    if (d[k].h <= as_small) most = fmax(most, fmax(fabs(d[k].fifth[i]), fabs(d[k].next[i])));
  return most / (2 * h);
}

// The nearest step, above (side 1) or below (-1); -1: none.
static int nearest(const differences *d, int count, int step, int side) {
  int best = -1;
  for (int k = 0; k < count; k++)
    if (side * (d[k].h - d[step].h) > 0 && (best < 0 || side * (d[best].h - d[k].h) > 0)) best = k;
  return best;
}

static double distance(const differences *d, int a, int b, int i) {
  return fabs(d[a].out[i] - d[b].out[i]);
}

// A function that bends within a small step, such as friction at a slow slip, is smooth at the points
// of larger ones. A derivative is a limit: smaller steps correct the larger, where the next below
// confirms them, and a result that still changes with the step is not the limit.
static double error_of(const differences *d, int count, int step, int i) {
  double error = own_error(d, count, step, i);
  const int above = nearest(d, count, step, 1);
  if (above >= 0) error = fmax(error, distance(d, step, above, i) - own_error(d, count, above, i));
  for (int k = nearest(d, count, step, -1); k >= 0; k = nearest(d, count, k, -1)) {
    const int below = nearest(d, count, k, -1);
    if (below < 0 || (d[k].out[i] == 0 && d[k].fifth[i] == 0)) continue; // nothing moves
    const double unsure = own_error(d, count, k, i) + distance(d, k, below, i);
    error = fmax(error, distance(d, step, k, i) - unsure);
  }
  return error;
}

// The part of the gaps beyond the error of the differences, each at the step where that is least.
static hn_audit_finding beyond_errors(const hn_audit_test *test, const differences *d, int count,
                                      double size) {
  hn_audit_finding found = {.error = 0};
  for (int i = 0; i < test->count; i++) {
    double least = HUGE_VAL;
    int best = 0;
    for (int k = 0; k < count; k++) {
      double error = error_of(d, count, k, i);
      if (!(error < least)) continue;
      least = error;
      best = k;
    }
    double difference = d[best].out[i], gap = fabs(test->exact[i] - difference) - least;
    gap /= fmax(size, fabs(difference));
    if (gap > found.error)
      found = (hn_audit_finding){.error = gap, .exact = test->exact[i], .difference = difference};
  }
  return found;
}

// Error 0: right, by these points. Else what is wrong.
static hn_audit_finding compare_at(const hn_audit_test *test, const stencil *at) {
  differences d[STEPS];
  double *room = test->room + test->count,
         size = fmax(hn_audit_largest(test->exact, test->count), fmax(1e-3 * test->size, 1e-6));
  int count = 0;
  for (int k = 0; k < STEPS; k++) {
    double *own = room + 3 * count * test->count;
    d[count] = (differences){steps[k], own, own + test->count, own + 2 * test->count};
    if (differentiate(test, at, &d[count]) != HN_OK) continue;
    if (steps[k] >= SIZING) size = fmax(size, hn_audit_largest(own, test->count));
    if (worst_gap(test, own, size) <= 0.01 * HN_AUDIT_LIMIT) return (hn_audit_finding){.error = 0};
    count++;
  }
  return beyond_errors(test, d, count, size);
}

void hn_audit_compare(hn_audit *a, const hn_audit_test *test) {
  hn_audit_finding least = {.error = HUGE_VAL};
  a->checked += test->count;
  for (size_t k = 0; k < sizeof stencils / sizeof stencils[0]; k++) {
    hn_audit_finding found = compare_at(test, &stencils[k]);
    if (found.error <= HN_AUDIT_LIMIT) return;
    if (found.error < least.error) least = found;
  }
  if (least.error == HUGE_VAL || (test->is_linear && !test->is_linear(test->context, test->exact)))
    return;
  note(a, test, least);
}

// ---- equations ----------------------------------------------------------------------------------

typedef enum motion_kind { MOVED_POSITION, MOVED_VELOCITY, MOVED_TIME } motion_kind;
typedef enum value_kind { ASKED_FORCE, ASKED_ROWS, ASKED_RATES, ASKED_SECOND } value_kind;

typedef struct equations_audit {
  hn_audit *audit;
  hn_tangent *tangent;
  const double *q, *qd, *qdd;
  double *lambda;            // (rows)
  double *direction, *other; // (n); other: any, to see whether slopes add
  double *both;              // (n), their sum
  double *slopes[3];         // (most values) along direction, other, both
  double *values;            // (most values)
  double *q_moved, *qd_moved;
  motion_kind moved;
  value_kind asked;
  int value_count;
  double *u; // (nu)
  unsigned long long seed;
} equations_audit;

static hn_status equation_values(void *context, double h, double *values) {
  equations_audit *e = context;
  hn_tangent *t = e->tangent;
  double time = e->audit->time + (e->moved == MOVED_TIME ? h : 0);
  for (int i = 0; i < t->n; i++) {
    e->q_moved[i] = e->q[i] + (e->moved == MOVED_POSITION ? h * e->direction[i] : 0);
    e->qd_moved[i] = e->qd[i] + (e->moved == MOVED_VELOCITY ? h * e->direction[i] : 0);
  }
  const hn_tangent_state at = {
      .t = time, .q = e->q_moved, .qd = e->qd_moved, .branches = e->audit->branches};
  hn_status status = hn_tangent_evaluate(t, &at, HN_BASIC, NULL);
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

#define PART 0.1 // of what is wrong: slopes that fail to add up by it explain that
#define TRIES 32

static hn_status slopes_along(equations_audit *e, double *direction, double *slopes) {
  const double h = 1e-5;
  double *own = e->direction;
  e->direction = direction;
  hn_status status = equation_values(e, -h, e->values);
  for (int i = 0; i < e->value_count; i++) slopes[i] = -e->values[i] / (2 * h);
  if (status == HN_OK) status = equation_values(e, h, e->values);
  for (int i = 0; i < e->value_count; i++) slopes[i] += e->values[i] / (2 * h);
  e->direction = own;
  return status;
}

// Any speeds, of sizes and signs without order.
static void choose_other(equations_audit *e) {
  hn_equations *equations = e->audit->simulation->equations;
  for (int k = 0; k < equations->nu; k++) {
    e->seed = e->seed * 6364136223846793005u + 1442695040888963407u;
    e->u[k] = 2 * (double)(e->seed >> 40) / (1 << 24) - 1;
  }
  equations->type->coordinates->rates(equations, e->q, e->u, e->other);
  for (int i = 0; i < e->tangent->n; i++) e->both[i] = e->direction[i] + e->other[i];
}

// 0: slopes along two directions do not add up to that along their sum, so that no derivative exists.
// A tyre without slip is stiffer along than across.
static int slopes_add(void *context, const double *exact) {
  equations_audit *e = context;
  if (slopes_along(e, e->direction, e->slopes[0]) != HN_OK) return 1;
  int worst = 0;
  for (int i = 0; i < e->value_count; i++)
    if (fabs(exact[i] - e->slopes[0][i]) > fabs(exact[worst] - e->slopes[0][worst])) worst = i;
  const double wrong = fabs(exact[worst] - e->slopes[0][worst]);
  for (int k = 0; k < TRIES; k++) {
    choose_other(e);
    if (slopes_along(e, e->other, e->slopes[1]) != HN_OK) continue;
    if (slopes_along(e, e->both, e->slopes[2]) != HN_OK) continue;
    if (fabs(e->slopes[2][worst] - e->slopes[1][worst] - e->slopes[0][worst]) > PART * wrong)
      return 0;
  }
  return 1;
}

// The exact derivatives were made at the present state: basic evaluations keep K, C, A and P.
static void compare_product(equations_audit *e, const hn_sparse *matrix, double scale,
                            motion_kind moved, value_kind asked, double size, const char *what,
                            double *room) {
  int count = matrix->rows;
  double *exact = room + HN_AUDIT_ROOM * count;
  memset(exact, 0, (size_t)count * sizeof(double));
  hn_sparse_add_product(matrix, scale, e->direction, exact);
  e->moved = moved;
  e->asked = asked;
  e->value_count = count;
  // the sum of a row has the rounding errors of its terms, where these cancel
  size += 1e-4 * hn_audit_largest(matrix->value, matrix->start[count]);
  hn_audit_test test = {equation_values, e, count, exact, size, room, NULL, what, slopes_add};
  hn_audit_compare(e->audit, &test);
}

static void audit_direction(equations_audit *e, double force, double *room) {
  hn_tangent *t = e->tangent;
  const hn_tangent_state at = {.t = e->audit->time,
                               .q = e->q,
                               .qd = e->qd,
                               .qdd = e->qdd,
                               .lambda = e->lambda,
                               .branches = e->audit->branches};
  if (hn_tangent_evaluate(t, &at, HN_FULL, NULL) != HN_OK) return;
  compare_product(e, &t->stiffness, 1, MOVED_POSITION, ASKED_FORCE, force, "forces by position",
                  room);
  compare_product(e, &t->damping, 1, MOVED_VELOCITY, ASKED_FORCE, force, "forces by velocity",
                  room);
  compare_product(e, &t->phi_v, 1, MOVED_POSITION, ASKED_RATES, 1,
                  "rates of constraints by position", room);
  compare_product(e, &t->phi_dd, 1, MOVED_POSITION, ASKED_SECOND, 1,
                  "accelerations of constraints by position", room);
  compare_product(e, &t->phi_v, 2, MOVED_VELOCITY, ASKED_SECOND, 1,
                  "accelerations of constraints by velocity", room);
  // Phi_q itself is made by basic evaluations too
  if (hn_tangent_evaluate(t, &at, HN_BASIC, NULL) != HN_OK) return;
  compare_product(e, &t->phi_q, 1, MOVED_POSITION, ASKED_ROWS, 1, "constraints by position", room);
}

// Of a large model several speeds are moved at once.
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
  if (!s->audited) {
    hn_status status = hn_tangent_create(&s->arena, equations, 0, &s->audited);
    if (status == HN_ERROR_MEMORY) arena->failed = 1;
    if (status != HN_OK) return;
  }
  hn_tangent *t = e.tangent = s->audited;
  int widest = t->n > t->rows ? t->n : t->rows, nu = equations->nu;
  double *room = HN_TAKE(arena, double, (HN_AUDIT_ROOM + 1) * widest + 1),
         *u = HN_TAKE(arena, double, nu + 1);
  e.lambda = HN_TAKE(arena, double, t->rows + 1);
  e.direction = HN_TAKE(arena, double, t->n);
  e.u = HN_TAKE(arena, double, nu + 1);
  e.other = HN_TAKE(arena, double, t->n);
  e.both = HN_TAKE(arena, double, t->n);
  for (int k = 0; k < 3; k++) e.slopes[k] = HN_TAKE(arena, double, widest);
  e.values = HN_TAKE(arena, double, widest);
  e.q_moved = HN_TAKE(arena, double, t->n);
  e.qd_moved = HN_TAKE(arena, double, t->n);
  if (arena->failed) return;
  hn_snapshot_complete(equations, a->branches, s->method->now);
  e.qdd = s->method->now->qdd;
  memcpy(e.lambda, s->method->now->lambda, (size_t)s->elements->row_count * sizeof(double));
  const hn_tangent_state at = {.t = a->time, .q = e.q, .qd = e.qd, .branches = a->branches};
  if (hn_tangent_evaluate(t, &at, HN_BASIC, NULL) != HN_OK) return;
  t->type->normalization_multipliers(t, e.lambda);
  double force = hn_audit_largest(t->q_force, t->n);
  int stride = 1 + (nu - 1) / direction_count(nu);
  for (int k = 0; k < nu; k += stride) {
    memset(u, 0, (size_t)nu * sizeof(double));
    for (int j = k; j < k + stride && j < nu; j++) u[j] = 1;
    equations->type->coordinates->rates(equations, e.q, u, e.direction);
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
  hn_branches branches = s->branches;
  branches.grips = NULL; // conditional constraints have no derivatives of their own
  hn_audit a = {.simulation = s,
                .branches = &branches,
                .time = s->method->t,
                .findings = findings,
                .capacity = capacity};
  hn_arena_init(&a.arena, s->options.allocator);
  a.frames = HN_TAKE(&a.arena, hn_frame, s->model->body_count);
  if (!a.arena.failed) {
    s->equations->type->coordinates->frames(s->equations, s->method->q, s->method->qd, a.frames);
    hn_audit_elements(&a);
    if (a.count == 0) audit_equations(&a); // a wrong element makes wrong equations
  }
  int is_whole = !a.arena.failed;
  hn_arena_release(&a.arena);
  sort_findings(findings, a.count);
  if (checked) *checked = a.checked;
  return is_whole ? a.count : -1;
}
