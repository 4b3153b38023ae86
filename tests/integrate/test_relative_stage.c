// The stage matrix in joint speeds: against the one in q the same solutions, with Euler parameters seen
// with unit length, and against differences of the equations that a stage solves, with Euler parameters
// as they come; with redundant rows left out, and with three pairs of step numbers. Deep trees, which
// have no matrix in speeds, among them.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "holon/holon.h"
#include "integrate/stage_matrix.h"
#include "support/check.h"

enum { MOST = 1000, LINKS = 100 };

typedef struct side {
  hn_tangent *tangent;
  hn_stage_matrix *matrix;
} side;

typedef struct rig {
  hn_model *model;
  hn_simulation *simulation;
  hn_arena arena;
  side q, u; // in q, in speeds
} rig;

static void make_full(rig *r, side *s, int is_unit) {
  hn_method *m = r->simulation->method;
  double lambda[MOST] = {0};
  memcpy(lambda, m->now->lambda, (size_t)r->simulation->elements->row_count * sizeof(double));
  const hn_tangent_state at = {.t = m->t,
                               .q = m->q,
                               .qd = m->qd,
                               .qdd = m->now->qdd,
                               .lambda = lambda,
                               .branches = &r->simulation->branches,
                               .space = hn_stage_matrix_space(s->matrix)};
  check_ok(hn_tangent_evaluate(s->tangent, &at, HN_FULL, NULL));
  hn_stage_matrix_keep(s->matrix);
  if (is_unit) hn_stage_matrix_see_unit_parameters(s->matrix, m->q, m->qd);
}

static void load(rig *r, const char *name) {
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s", HOLON_SOURCE_DIR, name);
  check_ok(hn_model_load(path, NULL, &r->model, NULL));
}

static void set_up(rig *r, double time) {
  hn_simulation_options options = hn_default_simulation_options();
  options.tol = 1e-6;
  options.coordinates = "relative";
  options.method = "descriptor";
  options.formula = "sdirk4-16";
  check_ok(hn_simulation_create(r->model, &options, &r->simulation, NULL));
  check_ok(hn_simulation_advance(r->simulation, time));
  hn_method *m = r->simulation->method;
  hn_arena_init(&r->arena, NULL);
  // multipliers and accelerations that agree to rounding
  check_ok(m->equations->type->evaluate(m->equations, m->t, m->q, m->qd, &r->simulation->branches,
                                        m->now, NULL));
  hn_snapshot_complete(m->equations, &r->simulation->branches, m->now);
  check_ok(hn_tangent_create(&r->arena, m->equations, 0, &r->q.tangent));
  check_ok(hn_tangent_create(&r->arena, m->equations, 1, &r->u.tangent));
  check_ok(hn_stage_matrix_create_in_q(&r->arena, r->q.tangent, &r->q.matrix));
  check_ok(hn_stage_matrix_create(&r->arena, r->u.tangent, &r->u.matrix));
  assert_int_equal(hn_stage_matrix_space(r->u.matrix), HN_IN_JOINT_SPEEDS);
  assert_true(r->q.tangent->rows <= MOST && r->q.tangent->n <= MOST);
}

static void tear_down(rig *r) {
  hn_arena_release(&r->arena);
  hn_simulation_free(r->simulation);
  hn_model_free(r->model);
}

static double size_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
  return most;
}

static void check_alike(const double *got, const double *expected, int n, double share) {
  double limit = share * (size_of(expected, n) + 1e-12);
  for (int i = 0; i < n; i++) check_near(got[i], expected[i], limit);
}

// A right side in q that a model can have: forces do not push along p.
static void make_force(const rig *r, hn_random *random, double *b) {
  const hn_tangent *t = r->q.tangent;
  const double *q = r->simulation->method->q;
  hn_random_fill(random, b, t->n, -1, 1);
  for (int i = 0; i < t->n; i++) {
    if (t->columns[i] != HN_COLUMN_PARAMETER) continue;
    double along = 0;
    for (int k = 0; k < 4; k++) along += b[i + k] * q[i + k];
    for (int k = 0; k < 4; k++) b[i + k] -= along * q[i + k];
  }
}

// share: what refinement leaves in q.
static void check_solutions(rig *r, hn_step_numbers g, double share) {
  const unsigned char *left_out = r->simulation->equations->redundant;
  const hn_tangent *t = r->q.tangent;
  hn_random random = hn_random_seed(3);
  double b[MOST], c[MOST], x[2][MOST], y[2][MOST], r1[2][MOST], r2[2][MOST];
  side *sides[2] = {&r->q, &r->u};
  make_force(r, &random, b);
  hn_random_fill(&random, c, t->rows, -1, 1);
  hn_random_fill(&random, r1[0], t->n, -1, 1);
  hn_random_fill(&random, r2[0], t->n, -1, 1);
  memcpy(r1[1], r1[0], sizeof r1[0]);
  memcpy(r2[1], r2[0], sizeof r2[0]);
  for (int k = 0; k < 2; k++) {
    make_full(r, sides[k], 1);
    check_ok(hn_stage_matrix_factor(sides[k]->matrix, g, left_out));
    hn_stage_matrix_solve(sides[k]->matrix, b, c, x[k], y[k], 3);
    hn_stage_matrix_filter(sides[k]->matrix, r1[k], r2[k]);
  }
  check_alike(x[1], x[0], t->n, share);
  int elements = r->simulation->elements->row_count;
  for (int k = 0; k < elements; k++) // zero for tree joints and of rows left out
    if (left_out[k] || t->phi_q.start[k + 1] == t->phi_q.start[k]) y[0][k] = 0;
  check_alike(y[1], y[0], elements, share);
  check_alike(r1[1], r1[0], t->n, share);
  check_alike(r2[1], r2[0], t->n, share);
  for (int k = 0; k < 2; k++) hn_stage_matrix_solve_accelerations(sides[k]->matrix, x[k], 3);
  check_alike(x[1], x[0], t->n, share);
}

// Residual of the equations of a stage at (x, y).
static void leave(rig *r, hn_step_numbers g, double far, const double *x, const double *y,
                  double *b, double *c) {
  const hn_tangent *t = r->u.tangent;
  const hn_method *m = r->simulation->method;
  double q[MOST], qd[MOST], qdd[MOST], lambda[MOST] = {0};
  for (int i = 0; i < t->n; i++) {
    q[i] = m->q[i] + far * g.q * x[i];
    qd[i] = m->qd[i] + far * g.v * x[i];
    qdd[i] = m->now->qdd[i] + far * x[i];
  }
  for (int k = 0; k < r->simulation->elements->row_count; k++)
    lambda[k] = m->now->lambda[k] + far * y[k];
  const hn_tangent_state at = {.t = m->t,
                               .q = q,
                               .qd = qd,
                               .qdd = qdd,
                               .lambda = lambda,
                               .branches = &r->simulation->branches,
                               .b = b,
                               .c = c};
  check_ok(hn_tangent_evaluate(r->u.tangent, &at, HN_BALANCE, NULL));
}

// Along the solution for a right side the equations change by just that.
static void check_differences(rig *r, hn_step_numbers g, double share) {
  const unsigned char *left_out = r->simulation->equations->redundant;
  const hn_tangent *t = r->u.tangent;
  hn_random random = hn_random_seed(5);
  double b[MOST], c[MOST], x[MOST], y[MOST], left_b[2][MOST], left_c[2][MOST];
  make_force(r, &random, b);
  hn_random_fill(&random, c, t->rows, -1, 1);
  make_full(r, &r->u, 0);
  check_ok(hn_stage_matrix_factor(r->u.matrix, g, left_out));
  hn_stage_matrix_solve(r->u.matrix, b, c, x, y, 3);
  const double far = 1e-5 / (g.v * size_of(x, t->n));
  for (int k = 0; k < 2; k++) leave(r, g, k ? -far : far, x, y, left_b[k], left_c[k]);
  for (int i = 0; i < t->n; i++) left_b[0][i] = (left_b[1][i] - left_b[0][i]) / (2 * far);
  for (int k = 0; k < t->rows; k++) {
    left_c[0][k] = (left_c[1][k] - left_c[0][k]) / (2 * far);
    const int is_row = k < r->simulation->elements->row_count;
    const int is_empty = is_row && t->phi_q.start[k + 1] == t->phi_q.start[k];
    if (is_row && (left_out[k] || is_empty)) left_c[0][k] = c[k]; // no such equation
  }
  check_alike(left_b[0], b, t->n, share);
  check_alike(left_c[0], c, t->rows, share);
}

static void check_numbers(rig *r, double time, double share) {
  set_up(r, time);
  const hn_step_numbers numbers[] = {{1e-6, 1e-3}, {4e-4, 2e-2}, {3e-5, 7e-3}};
  for (int k = 0; k < 3; k++) {
    check_solutions(r, numbers[k], share);
    check_differences(r, numbers[k], r->u.tangent->is_deep ? 3e-4 : 1e-5); // rounding
  }
  tear_down(r);
}

static void check_machine(const char *name, double time) {
  rig r;
  load(&r, name);
  check_numbers(&r, time, 1e-7);
}

// ---- deep trees ---------------------------------------------------------------------------------

typedef struct text {
  char all[80000];
  size_t length;
} text;

static void add(text *t, const char *format, ...) {
  va_list list;
  va_start(list, format);
  t->length += (size_t)vsnprintf(t->all + t->length, sizeof t->all - t->length, format, list);
  va_end(list);
  assert_true(t->length < sizeof t->all);
}

static const char *joint_of(int i) {
  static const char *const kinds[] = {"type: revolute, axis: z",
                                      "type: spherical",
                                      "type: revolute, axis: [1, 1, 0]",
                                      "type: universal, axes: [y, z]",
                                      "type: cylindrical, axis: [0, 1, 2]",
                                      "type: translational, axis: y"};
  return kinds[i % 6];
}

// A chain of joints of many kinds with a branch, hung on ground or floating, and elements of all kinds
// that deep trees may have: on coordinates, along a joint, with ground both ways round, of time.
static void make_tree(rig *r, int is_floating) {
  static text t;
  t.length = 0;
  add(&t, "gravity: [0, -9.81, 1]\nbodies:\n");
  for (int i = 0; i < LINKS; i++)
    add(&t,
        "  b%d: {mass: %g, inertia: [0.02, 0.03, 0.04, 0.001, 0.002, 0.003], position: [%g, 0, "
        "0]}\n",
        i, 1 + 0.01 * i, 0.1 * i + 0.05);
  add(&t, "joints:\n");
  for (int i = is_floating; i < LINKS; i++) {
    int up = i == LINKS - 5 ? LINKS - 20 : i - 1;
    add(&t, "  j%d: {%s, bodies: [%s%.0d, b%d], at: [%g, 0, 0]}\n", i, joint_of(i),
        i == 0    ? "ground"
        : up == 0 ? "b0"
                  : "b",
        i == 0 ? 0 : up, i, 0.1 * i);
  }
  add(&t, "forces:\n");
  add(&t, "  coil: {type: joint-spring-damper, joint: j30, stiffness: 5, damping: 0.2}\n");
  add(&t, "  near: {type: spring-damper, bodies: [b6, b7], points: [[0.6, 0.1, 0], [0.75, 0, 0.1]],"
          " stiffness: 300, free_length: 0.1, damping: 2, actuator: 3*sin(9*t)}\n");
  add(&t,
      "  back: {type: spring-damper, bodies: [b16, b15], points: [[1.6, 0.1, 0], [1.5, 0, 0.1]],"
      " stiffness: 300, free_length: 0.1, damping: 2}\n");
  add(&t, "  eye: {type: bushing, bodies: [b24, b25], at: [2.5, 0, 0], axis: y, reference: x,"
          " stiffness: [200, 300, 400, 4, 5, 6], damping: [2, 3, 4, 0.1, 0.2, 0.3]}\n");
  add(&t, "  from: {type: spring-damper, bodies: [ground, b50], points: [[5, 1, 0], [5.05, 0, 0]],"
          " stiffness: 200, free_length: 0.5, damping: 3, actuator: 10*t}\n");
  add(&t, "  to: {type: spring-damper, bodies: [b70, ground], points: [[7, 0, 0], [7, 1, 1]],"
          " stiffness: 200, free_length: 0.5, damping: 3}\n");
  add(&t, "  wind: {type: point-force, body: b80, at: [8, 0, 0.1], following: true, force: [0, "
          "5*t, 1]}\n");
  add(&t, "  turn: {type: torque, body: b40, torque: [0.3, 0, 0.1], following: true}\n");
  hn_error error;
  hn_status status = hn_model_load_text(t.all, t.length, "deep.yaml", NULL, &r->model, &error);
  if (status != HN_OK) print_message("%s\n", error.message);
  check_ok(status);
}

static void vehicles_have_the_same_solutions_in_speeds(void **state) {
  (void)state;
  check_machine("negrut/hmmwv14-stiff.yaml", 0.56);
  check_machine("iltis/iltis.yaml", 0.3);
}
static void loops_have_the_same_solutions_in_speeds(void **state) {
  (void)state;
  check_machine("four-bar.yaml", 0.2);
  check_machine("double-wishbone.yaml", 0.1);
}
static void a_body_that_turns_in_space_has_the_same_solutions_in_speeds(void **state) {
  (void)state;
  check_machine("gyroscope.yaml", 0.3);
  check_machine("examples/joint-spherical.yaml", 0.3);
}

static void deep_trees_have_the_same_solutions_without_a_matrix(void **state) {
  (void)state;
  for (int is_floating = 0; is_floating < 2; is_floating++) {
    rig r;
    make_tree(&r, is_floating);
    set_up(&r, 0.02);
    assert_true(r.u.tangent->is_deep);
    tear_down(&r);
    make_tree(&r, is_floating);
    check_numbers(&r, 0.02, 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vehicles_have_the_same_solutions_in_speeds),
      cmocka_unit_test(loops_have_the_same_solutions_in_speeds),
      cmocka_unit_test(a_body_that_turns_in_space_has_the_same_solutions_in_speeds),
      cmocka_unit_test(deep_trees_have_the_same_solutions_without_a_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
