// Linear solvers against each other and against elimination with complete pivoting in extended
// precision, on models of every topology.
#include "linalg/joint_reference.h"
#include "linalg/solver.h"
#include "support/check.h"

// One machine with right sides and its reference solution.
typedef struct fixture {
  joint_machine m;
  double *b, *c, *x, *y, *expected;
  int dependent; // rows
} fixture;

static double *numbers(int count) {
  double *p = calloc((size_t)count + 1, sizeof(double));
  assert_non_null(p);
  return p;
}

static void finish(fixture *f) {
  f->b = numbers(6 * f->m.bodies);
  f->x = numbers(6 * f->m.bodies);
  f->expected = numbers(6 * f->m.bodies);
  f->c = numbers(f->m.rows);
  f->y = numbers(f->m.rows);
  jm_right_sides(&f->m, f->b, f->c);
  f->dependent = jr_solve(&f->m, f->b, f->c, f->expected);
}

static void end(fixture *f) {
  jm_end(&f->m);
  free(f->b);
  free(f->c);
  free(f->x);
  free(f->y);
  free(f->expected);
}

static hn_solver *make(hn_arena *arena, const hn_solver_type *type, const joint_machine *m) {
  hn_solver_problem problem = jm_problem(m);
  hn_solver *solver = NULL;
  hn_error error;
  check_ok(hn_solver_create(arena, type, &problem, &solver, &error));
  return solver;
}

// Largest |b - M x - J' y| of the rows of M, against the largest |b|.
static double balance(const fixture *f) {
  size_t n = 6 * (size_t)f->m.bodies + (size_t)f->m.rows;
  long double *k = malloc(n * n * sizeof *k + 1);
  double worst = 0, most = 0;
  assert_non_null(k);
  jr_matrix(&f->m, k);
  for (size_t i = 0; i < 6 * (size_t)f->m.bodies; i++) {
    long double sum = f->b[i];
    for (size_t j = 0; j < n; j++)
      sum -= k[i * n + j] *
             (j < 6 * (size_t)f->m.bodies ? f->x[j] : f->y[j - 6 * (size_t)f->m.bodies]);
    worst = fmax(worst, (double)fabsl(sum));
    most = fmax(most, fabs(f->b[i]));
  }
  free(k);
  return worst / most;
}

// Every solver gives the reference accelerations and reactions in balance with them.
static void compare_pivots(fixture *f, double tolerance, double small) {
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_solver *solver = make(&arena, *type, &f->m);
    check_ok(hn_solver_factor(solver, f->m.mass, f->m.block));
    check_ok(hn_solver_solve(solver, f->b, f->c, f->x, f->y, NULL));
    double difference = jr_difference(f->x, f->expected, 6 * f->m.bodies);
    if (!(difference <= tolerance)) print_error("%s: %g\n", (*type)->name, difference);
    check_at_most(difference, tolerance);
    check_at_most(balance(f), 1e-12);
    assert_int_equal(hn_solver_small_pivots(solver, small, NULL), f->dependent);
    hn_arena_release(&arena);
  }
}

static void compare_all(fixture *f, double tolerance) { compare_pivots(f, tolerance, 1e-6); }

static void chains_agree(void **state) {
  (void)state;
  for (int n = 1; n <= 12; n += 1 + n / 4) {
    fixture f;
    jm_begin(&f.m, (uint64_t)n);
    jm_chain(&f.m, n);
    finish(&f);
    assert_int_equal(f.dependent, 0);
    compare_all(&f, 1e-12);
    end(&f);
  }
}

static void random_trees_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    fixture f;
    jm_begin(&f.m, seed);
    jm_tree(&f.m, 14, seed % 3 == 0 ? 14 : 3, seed % 2 == 0);
    finish(&f);
    compare_all(&f, 1e-12);
    end(&f);
  }
}

// Two chains, a floating tree and a body that nothing holds.
static void several_parts_agree(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 7);
  jm_chain(&f.m, 4);
  int first = f.m.bodies + 1;
  for (int i = 0; i < 4; i++) {
    int id = jm_body(&f.m, 2, vec3(i, 3, 0), jm_half(&f.m), 1);
    if (id > first) jm_joint(&f.m, JM_SPHERICAL, first, id, vec3(i, 2, 0.5), vec3(0, 0, 1));
  }
  jm_body(&f.m, 3, vec3(0, 0, 9), jm_half(&f.m), 1);
  int pendulum = jm_body(&f.m, 1, vec3(5, 5, 5), jm_half(&f.m), 1);
  jm_joint(&f.m, JM_UNIVERSAL, 0, pendulum, vec3(5, 5, 6), vec3(1, 1, 0));
  finish(&f);
  compare_all(&f, 1e-12);
  end(&f);
}

static void loops_with_redundant_rows_agree(void **state) {
  (void)state;
  for (int n = 1; n <= 4; n++) {
    fixture f;
    jm_begin(&f.m, 3);
    jm_ladder(&f.m, n, 1.1, 0.1);
    finish(&f);
    assert_int_equal(f.dependent, 3 * n);
    compare_all(&f, 1e-12);
    end(&f);
  }
}

static void the_seven_body_mechanism_agrees(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 3);
  jm_seven_body(&f.m);
  finish(&f);
  assert_int_equal(f.dependent, 9);
  compare_pivots(&f, 1e-12, 1e-4);
  end(&f);
}

static void a_vehicle_without_ground_agrees(void **state) {
  (void)state;
  for (int corners = 1; corners <= 5; corners++) {
    fixture f;
    jm_begin(&f.m, 4);
    jm_vehicle(&f.m, corners);
    finish(&f);
    compare_all(&f, 1e-12);
    end(&f);
  }
}

static void stars_agree(void **state) {
  (void)state;
  for (int arms = 1; arms <= 9; arms += 2) {
    fixture f;
    jm_begin(&f.m, 4);
    jm_star(&f.m, arms, 2);
    finish(&f);
    compare_all(&f, 1e-12);
    end(&f);
  }
}

// A gear pair on a carrier that turns itself: rows on three bodies; and a differential between two
// carriers: four. Joint, then driver-like row on the same bodies.
static void gears_over_four_bodies_agree(void **state) {
  (void)state;
  fixture f;
  hn_vec3 z = vec3(0, 0, 1);
  jm_begin(&f.m, 8);
  int carrier[2], wheel[4];
  for (int k = 0; k < 2; k++) {
    carrier[k] = jm_body(&f.m, 2, vec3(3 * k, 0, 0), vec3(0.5, 0.1, 0.1), 0);
    jm_joint(&f.m, JM_REVOLUTE, 0, carrier[k], vec3(3 * k, 0, 0), z);
    for (int l = 0; l < 2; l++) {
      hn_vec3 at = vec3(3 * k + l - 0.5, 0.2 * l, 0.1);
      wheel[2 * k + l] = jm_body(&f.m, 1, at, vec3(0.2, 0.2, 0.05), 0);
      jm_joint(&f.m, JM_REVOLUTE, carrier[k], wheel[2 * k + l], at, z);
    }
    jm_gear(&f.m, carrier[k], wheel[2 * k], carrier[k], wheel[2 * k + 1], z, 1, 1.7);
  }
  jm_gear(&f.m, carrier[0], wheel[1], carrier[1], wheel[2], z, 1, -0.4);
  jm_gear(&f.m, 0, carrier[0], carrier[0], wheel[0], z, 2, 0.3);
  jm_gear(&f.m, 0, carrier[1], 0, carrier[1], z, 1, 0); // as a driver of one joint
  jm_soften_all(&f.m);
  finish(&f);
  assert_int_equal(f.dependent, 0);
  compare_all(&f, 1e-12);
  end(&f);
}

// Many rows between the same two bodies are parted, few are put together.
static void many_rows_between_two_bodies_agree(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 9);
  int a = jm_body(&f.m, 3, vec3_zero(), vec3(1, 1, 0.1), 0);
  int b = jm_body(&f.m, 1, vec3(0, 0, 1), vec3(0.5, 0.5, 0.1), 0);
  jm_joint(&f.m, JM_SPHERICAL, 0, a, vec3(0.1, 0, 0), vec3(0, 0, 1));
  for (int k = 0; k < 8; k++) { // 8 rods: 2 rows depend on the others
    double angle = 2 * HN_PI * k / 8;
    jm_rod(&f.m, a, b, vec3(cos(angle), sin(angle), 0.1),
           vec3(0.5 * cos(angle + 0.7 * (k % 2 ? 1 : -1)), 0.5 * sin(angle + 0.3 * k), 0.9));
  }
  jm_soften_all(&f.m);
  finish(&f);
  assert_int_equal(f.dependent, 2);
  compare_all(&f, 1e-12);
  end(&f);
}

// Two rows that almost depend on each other, in one pair of pivots and in two.
static void almost_parallel_rods_agree(void **state) {
  (void)state;
  for (int before = 0; before < 3; before++)
    for (int digits = 1; digits <= 4; digits++) {
      fixture f;
      jm_begin(&f.m, 10);
      int a = jm_body(&f.m, 3, vec3_zero(), vec3(1, 1, 0.1), 0);
      int b = jm_body(&f.m, 1, vec3(0, 0, 1), vec3(0.5, 0.5, 0.1), 0);
      jm_joint(&f.m, JM_REVOLUTE, 0, a, vec3(0.1, 0, 0), vec3(0, 0, 1));
      for (int k = 0; k < before; k++)
        jm_rod(&f.m, a, b, vec3(1, 0.3 * k, 0), vec3(0.2 * k, 0.5 - k, 1));
      jm_rod(&f.m, a, b, vec3(0.4, 0.5, 0), vec3(0.3, -0.2, 0.9));
      jm_rod(&f.m, a, b, vec3(0.4, 0.5, 0), vec3(0.3, -0.2 + pow(10, -digits), 0.9));
      finish(&f);
      assert_int_equal(f.dependent, 0);
      compare_all(&f, 1e-13 * pow(10, digits));
      end(&f);
    }
}

// Thin rods have no inertia about their axis, point masses none at all, massless links nothing.
static void bodies_without_inertia_agree(void **state) {
  (void)state;
  for (int kind = 0; kind < 3; kind++) {
    fixture f;
    jm_begin(&f.m, 5 + (uint64_t)kind);
    if (kind == 0)
      jm_ladder(&f.m, 3, 0.9, 0);
    else
      jm_chain(&f.m, 8);
    for (int b = 0; kind > 0 && b < 7; b += 2)
      for (int k = kind == 1 ? 3 : 0; k < 9; k++) f.m.mass[9 * b + k] = 0;
    finish(&f);
    // forces that the masses and joints can bear: b = M u + J' mu
    for (int i = 0; kind > 0 && i < 6 * f.m.bodies; i++)
      if (f.m.mass[9 * (i / 6) + 8] <= 0 && (kind == 2 || i % 6 >= 3)) f.b[i] = 0;
    jr_solve(&f.m, f.b, f.c, f.expected);
    compare_all(&f, 1e-10);
    end(&f);
  }
}

static void masses_may_differ_by_four_decades(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 11);
  jm_tree(&f.m, 10, 3, 0);
  for (int b = 0; b < 10; b++)
    for (int k = 0; k < 9; k++) f.m.mass[9 * b + k] *= pow(10, b % 2 ? 2 : -2);
  finish(&f);
  compare_all(&f, 1e-10);
  end(&f);
}

static void released_rows_have_no_multiplier(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 12);
  jm_ladder(&f.m, 2, 1, 0.1);
  finish(&f);
  unsigned char *released = calloc((size_t)f.m.rows, 1);
  double *all = numbers(6 * f.m.bodies);
  assert_non_null(released);
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_solver *solver = make(&arena, *type, &f.m);
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    check_ok(hn_solver_solve(solver, f.b, f.c, all, f.y, NULL));
    assert_int_equal(hn_solver_small_pivots(solver, 1e-6, released), f.dependent);
    hn_solver_release(solver, released); // the dependent ones: nothing changes
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    check_ok(hn_solver_solve(solver, f.b, f.c, f.x, f.y, NULL));
    check_at_most(jr_difference(f.x, all, 6 * f.m.bodies), 1e-12);
    assert_int_equal(hn_solver_small_pivots(solver, 1e-6, NULL), 0);
    for (int r = 0; r < f.m.rows; r++)
      if (released[r]) check_near(f.y[r], 0, 0);
    hn_solver_release(solver, NULL);
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    assert_int_equal(hn_solver_small_pivots(solver, 1e-6, NULL), f.dependent);
    hn_arena_release(&arena);
  }
  free(released);
  free(all);
  end(&f);
}

// Without rows every body falls by itself.
static void bodies_without_joints_fall(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 13);
  for (int i = 0; i < 5; i++) jm_body(&f.m, 1 + i, vec3(i, 0, 0), jm_half(&f.m), 1);
  finish(&f);
  compare_all(&f, 1e-13);
  end(&f);
}

static void the_report_tells_residuals_and_contradictions(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 14);
  jm_ladder(&f.m, 1, 1, 0.1);
  finish(&f);
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    hn_arena arena;
    hn_solver_report report;
    hn_arena_init(&arena, NULL);
    hn_solver *solver = make(&arena, *type, &f.m);
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    check_ok(hn_solver_solve(solver, f.b, f.c, f.x, f.y, &report));
    check_at_most(report.residual_x, 1e-14);
    check_at_most(report.residual_y, 1e-12);
    assert_in_range(report.refinements, 0, HN_SOFT_SWEEPS - 1);
    f.c[2] += 1; // a row that depends on others
    check_ok(hn_solver_solve(solver, f.b, f.c, f.x, f.y, &report));
    assert_true(report.residual_y > 0.01);
    f.c[2] -= 1;
    check_near(hn_solver_row_scale(solver, 0),
               hn_solver_row_scale(make(&arena, &hn_solver_augmented, &f.m), 0), 1);
    hn_arena_release(&arena);
  }
  end(&f);
}

static void numbers_that_are_not_finite_are_reported(void **state) {
  (void)state;
  fixture f;
  jm_begin(&f.m, 15);
  jm_chain(&f.m, 5);
  finish(&f);
  for (const hn_solver_type *const *type = hn_solver_types(); *type; type++) {
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_solver *solver = make(&arena, *type, &f.m);
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    f.b[7] = NAN;
    check_status(hn_solver_solve(solver, f.b, f.c, f.x, f.y, NULL), HN_ERROR_NOT_FINITE);
    f.b[7] = INFINITY;
    check_status(hn_solver_solve(solver, f.b, f.c, f.x, f.y, NULL), HN_ERROR_NOT_FINITE);
    f.b[7] = 0;
    double keep = f.m.block[20];
    f.m.block[20] = NAN;
    hn_status status = hn_solver_factor(solver, f.m.mass, f.m.block);
    if (status == HN_OK) status = hn_solver_solve(solver, f.b, f.c, f.x, f.y, NULL);
    assert_int_not_equal(status, HN_OK);
    f.m.block[20] = keep; // and afterwards all is well again
    check_ok(hn_solver_factor(solver, f.m.mass, f.m.block));
    check_ok(hn_solver_solve(solver, f.b, f.c, f.x, f.y, NULL));
    hn_arena_release(&arena);
  }
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_agree),
      cmocka_unit_test(random_trees_agree),
      cmocka_unit_test(several_parts_agree),
      cmocka_unit_test(loops_with_redundant_rows_agree),
      cmocka_unit_test(the_seven_body_mechanism_agrees),
      cmocka_unit_test(a_vehicle_without_ground_agrees),
      cmocka_unit_test(stars_agree),
      cmocka_unit_test(gears_over_four_bodies_agree),
      cmocka_unit_test(many_rows_between_two_bodies_agree),
      cmocka_unit_test(almost_parallel_rods_agree),
      cmocka_unit_test(bodies_without_inertia_agree),
      cmocka_unit_test(masses_may_differ_by_four_decades),
      cmocka_unit_test(released_rows_have_no_multiplier),
      cmocka_unit_test(bodies_without_joints_fall),
      cmocka_unit_test(the_report_tells_residuals_and_contradictions),
      cmocka_unit_test(numbers_that_are_not_finite_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
