// Regularization of soft constraints near singular configurations: iterated Tikhonov
// regularization, computed here from its definition in extended precision. Four applications of
//
//   z += P^-1 (f - K z),   P = K + diag(rho, -epsilon),   K = [D M D  D J' R; R J D  0]
//
// with the scales of saddle.h, epsilon 1e-8 for soft rows and 1e-12 for others, rho 1e-8.
#include "linalg/joint_reference.h"
#include "linalg/solver.h"
#include "support/check.h"

static long double next_power(long double square) { return exp2l(roundl(-log2l(square) / 2)); }

// Scaled K and its scales.
static void scale(const joint_machine *m, long double *k, long double *s) {
  size_t x = 6 * (size_t)m->bodies, n = x + (size_t)m->rows;
  jr_matrix(m, k);
  for (size_t i = 0; i < x; i++) s[i] = next_power(k[i * n + i]);
  for (size_t r = x; r < n; r++) {
    long double sum = 0;
    for (size_t i = 0; i < x; i++) sum += k[r * n + i] * s[i] * k[r * n + i] * s[i];
    s[r] = next_power(sum);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) k[i * n + j] *= s[i] * s[j];
}

static void filter(const joint_machine *m, const double *b, const double *c, double *x) {
  size_t x_size = 6 * (size_t)m->bodies, n = x_size + (size_t)m->rows;
  long double *k = malloc(n * n * sizeof *k), *p = malloc(n * n * sizeof *p);
  long double *s = malloc(n * sizeof *s), *z = calloc(n, sizeof *z), *w = malloc(n * sizeof *w);
  assert_true(k && p && s && z && w);
  scale(m, k, s);
  for (int sweep = 0; sweep < HN_SOFT_SWEEPS; sweep++) {
    for (size_t i = 0; i < n; i++) {
      w[i] = (i < x_size ? b[i] : c[i - x_size]) * s[i];
      for (size_t j = 0; j < n; j++) w[i] -= k[i * n + j] * z[j];
    }
    memcpy(p, k, n * n * sizeof *p);
    for (size_t i = 0; i < n; i++)
      p[i * n + i] += i < x_size ? 1e-8L : m->soft[i - x_size] ? -1e-8L : -1e-12L;
    jr_eliminate(n, p, w, 0);
    for (size_t i = 0; i < n; i++) z[i] += w[i];
  }
  for (size_t i = 0; i < x_size; i++) x[i] = (double)(z[i] * s[i]);
  free(k);
  free(p);
  free(s);
  free(z);
  free(w);
}

// A direction of singular value s is known to the rounding of its pivot, 1e-16 / (s^2 + epsilon).
static void compare(joint_machine *m, double tolerance) {
  double b[120], c[120], x[120], y[120], expected[120];
  assert_true(6 * m->bodies <= 120 && m->rows <= 120);
  jm_right_sides(m, b, c);
  filter(m, b, c, expected);
  hn_solver_problem problem = jm_problem(m);
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    hn_arena arena;
    hn_solver *solver;
    hn_error error;
    hn_arena_init(&arena, NULL);
    check_ok(hn_solver_create(&arena, *type, &problem, &solver, &error));
    check_ok(hn_solver_factor(solver, m->mass, m->block));
    check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
    double difference = jr_difference(x, expected, 6 * m->bodies);
    if (!(difference <= tolerance)) print_error("%s\n", (*type)->name);
    check_at_most(difference, tolerance);
    hn_arena_release(&arena);
  }
}

static void soft_rows_are_let_go_alike_on_the_way_to_a_singular_position(void **state) {
  (void)state;
  const double angle[] = {1, 0.1, 0.03, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-8, 0};
  for (size_t k = 0; k < sizeof angle / sizeof angle[0]; k++)
    for (int n = 1; n <= 2; n++) {
      joint_machine m;
      jm_begin(&m, 21);
      jm_ladder(&m, n, angle[k], 0.1);
      compare(&m, angle[k] >= 1e-2 ? 1e-12 : 5e-8);
      jm_end(&m);
    }
}

// Rows of bridges stay hard next to soft loops.
static void bridges_are_kept_beside_loops_that_are_let_go(void **state) {
  (void)state;
  for (double angle = 1; angle > 1e-7; angle *= 0.03) {
    joint_machine m;
    jm_begin(&m, 22);
    jm_ladder(&m, 1, angle, 0.1);
    int id = jm_body(&m, 1, vec3(0.5, 2, 0), jm_half(&m), 1);
    jm_joint(&m, JM_UNIVERSAL, 3, id, vec3(0.6, 1.5, 0), vec3(1, 0, 1));
    int last = jm_body(&m, 1, vec3(0.5, 3, 0), jm_half(&m), 1);
    jm_joint(&m, JM_REVOLUTE, id, last, vec3(0.4, 2.5, 0), vec3(1, 0, 0));
    compare(&m, angle >= 1e-2 ? 1e-12 : 5e-8);
    jm_end(&m);
  }
}

// Five rods at each wheel, of which two become one.
static void a_kept_body_changes_nothing(void **state) {
  (void)state;
  for (double offset = 0.1; offset > 1e-7; offset *= 0.1) {
    joint_machine m;
    jm_begin(&m, 23);
    int chassis = jm_body(&m, 50, vec3_zero(), vec3(1, 1, 0.3), 0);
    for (int k = 0; k < 4; k++) {
      double a = HN_PI / 2 * k + 0.3;
      hn_vec3 out = vec3(cos(a), sin(a), 0), side = vec3(-sin(a), cos(a), 0);
      hn_vec3 hub = vec3_add_scaled(vec3_zero(), 2, out);
      int wheel = jm_body(&m, 5, hub, jm_half(&m), 1);
      for (int r = 0; r < 5; r++) { // the fifth rod nearly repeats the fourth
        hn_vec3 shift = vec3_add(vec3_scale(0.3 * cos(1.3 * (r > 3 ? 3 : r)), side),
                                 vec3(0, 0, 0.3 * sin(1.7 * (r > 3 ? 3 : r))));
        if (r > 3) shift = vec3_add_scaled(shift, offset, side);
        jm_rod(&m, chassis, wheel, vec3_add(vec3_add_scaled(vec3_zero(), 1, out), shift),
               vec3_add_scaled(hub, 0.8, shift));
      }
    }
    jm_soften_all(&m);
    compare(&m, 1e-12);
    jm_end(&m);
  }
}

static void hang_chain(joint_machine *m, int parent, int links) {
  for (int k = 0; k < links; k++) {
    const hn_vec3 at = vec3_add_scaled(m->position[parent], 0.4, jm_direction(m));
    const hn_vec3 centre = vec3_add_scaled(at, 0.4, jm_direction(m));
    const int id = jm_body(m, 1, centre, jm_half(m), 1);
    jm_joint(m, JM_REVOLUTE, parent, id, at, jm_direction(m));
    parent = id;
  }
}

// Long chains on two of its links are eliminated first, as subtrees: then the diagonal of a
// redundant row of the four-bar is noise, and so would be its unit. Multipliers of a row that is
// taken for a hard one are as large as what c lacks over that noise.
static void a_redundant_loop_beside_long_chains_is_seen(void **state) {
  (void)state;
  for (int k = 0; k < 30; k++) {
    joint_machine m;
    jm_begin(&m, 30 + (unsigned)k);
    jm_ladder(&m, 1, 0.3 + 0.04 * k, 0.1);
    hang_chain(&m, 1, 120);
    hang_chain(&m, 3, 120);
    jm_soften_all(&m);
    double b[6 * 260], c[5 * 260], x[6 * 260], y[5 * 260] = {0}, most = 0;
    assert_in_range(m.rows, 1200, 5 * 260);
    jm_right_sides(&m, b, c);
    for (int r = 0; r < 20; r++) c[r] += 1e-9 * jm_random(&m);
    const hn_solver_problem problem = jm_problem(&m);
    hn_arena arena;
    hn_solver *solver;
    hn_error error;
    hn_arena_init(&arena, NULL);
    check_ok(hn_solver_create(&arena, &hn_solver_topology, &problem, &solver, &error));
    check_ok(hn_solver_factor(solver, m.mass, m.block));
    check_ok(hn_solver_solve(solver, b, c, x, y, NULL));
    for (int r = 0; r < m.rows; r++) most = fmax(most, fabs(y[r]));
    check_at_most(most, 1e4);
    hn_arena_release(&arena);
    jm_end(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(soft_rows_are_let_go_alike_on_the_way_to_a_singular_position),
      cmocka_unit_test(bridges_are_kept_beside_loops_that_are_let_go),
      cmocka_unit_test(a_kept_body_changes_nothing),
      cmocka_unit_test(a_redundant_loop_beside_long_chains_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
