// The saddle system on models made of random blocks. The solution is chosen first: b and c are
// computed from it in extended precision, so the exact answer is known up to their rounding.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/saddle.h"
#include "support/check.h"

enum { BODIES = 24, N = 6 * BODIES, ROWS = 400, ENTRIES = 12 * ROWS };

typedef struct machine {
  int n, m;
  int m_start[N + 1], m_index[9 * BODIES], j_start[ROWS + 1], j_index[ENTRIES];
  double mass[9 * BODIES], j[ENTRIES];
  double x[N], y[ROWS], b[N], c[ROWS]; // the chosen solution and its right sides
} machine;

static void set_mass(machine *a, int body, double mass, const double inertia[6]) {
  double *m = &a->mass[9 * body];
  m[0] = m[1] = m[2] = mass;
  memcpy(m + 3, inertia, 6 * sizeof(double));
}

// Bodies with masses between 10^low and 10^high and full inertia tensors, not yet joined.
static void make_bodies(machine *a, hn_random *random, double low, double high) {
  int at = 0;
  memset(a, 0, sizeof *a);
  a->n = N;
  for (int j = 0; j < N; j++) {
    a->m_start[j] = at;
    for (int i = j % 6 < 3 ? j : j - j % 6 + 3; i <= j; i++) a->m_index[at++] = i;
  }
  a->m_start[N] = at;
  for (int k = 0; k < BODIES; k++) {
    double mass = pow(10, hn_random_uniform(random, low, high)), v[3], inertia[6];
    hn_random_fill(random, v, 3, -1, 1);
    // 1 (u.u) - u u' plus a little: the inertia of a rod and some width
    double dot = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 0.2;
    const int row[6] = {0, 0, 1, 0, 1, 2}, column[6] = {0, 1, 1, 2, 2, 2};
    for (int i = 0; i < 6; i++)
      inertia[i] = 0.1 * mass * ((row[i] == column[i] ? dot : 0) - v[row[i]] * v[column[i]]);
    set_mass(a, k, mass, inertia);
  }
}

// A row on bodies b1 and b2 (-1: ground) with these numbers.
static void add_row(machine *a, int b1, const double *g1, int b2, const double *g2) {
  int at = a->j_start[a->m];
  for (int end = 0; end < 2; end++) {
    int body = end ? b2 : b1;
    for (int i = 0; body >= 0 && i < 6; i++, at++) {
      a->j_index[at] = 6 * body + i;
      a->j[at] = end ? g2[i] : g1[i];
    }
  }
  a->j_start[++a->m] = at;
}

// A joint of this many rows that depend on the motion of b2 against b1, as rows of joints do.
static void add_joint(machine *a, hn_random *random, int b1, int b2, int rows) {
  double shift[3];
  hn_random_fill(random, shift, 3, -1, 1); // from b1 to b2
  for (int r = 0; r < rows; r++) {
    double g2[6], g1[6];
    hn_random_fill(random, g2, 6, -1, 1);
    for (int i = 0; i < 6; i++) g1[i] = -g2[i];
    // the moment about the center of b1: m + shift x n
    g1[3] -= shift[1] * g2[2] - shift[2] * g2[1];
    g1[4] -= shift[2] * g2[0] - shift[0] * g2[2];
    g1[5] -= shift[0] * g2[1] - shift[1] * g2[0];
    add_row(a, b1, g1, b2, g2);
  }
}

static void make_tree(machine *a, hn_random *random, int rows) {
  for (int k = 0; k < BODIES; k++) {
    int parent = hn_random_below(random, k + 1) - 1;
    add_joint(a, random, parent, k, rows);
  }
}

// Row `from` times factor, plus noise.
static void repeat_row(machine *a, hn_random *random, int from, double factor, double noise) {
  int at = a->j_start[a->m];
  for (int k = a->j_start[from]; k < a->j_start[from + 1]; k++, at++) {
    a->j_index[at] = a->j_index[k];
    a->j[at] = factor * a->j[k] + noise * hn_random_uniform(random, -1, 1);
  }
  a->j_start[++a->m] = at;
}

// b = M x + J' y, c = J x for the x, y that are there.
static void make_right_sides(machine *a) {
  long double b[N] = {0};
  for (int j = 0; j < a->n; j++)
    for (int k = a->m_start[j]; k < a->m_start[j + 1]; k++) {
      int i = a->m_index[k];
      b[i] += (long double)a->mass[k] * a->x[j];
      if (i != j) b[j] += (long double)a->mass[k] * a->x[i];
    }
  for (int r = 0; r < a->m; r++) {
    long double c = 0;
    for (int k = a->j_start[r]; k < a->j_start[r + 1]; k++) {
      c += (long double)a->j[k] * a->x[a->j_index[k]];
      b[a->j_index[k]] += (long double)a->j[k] * a->y[r];
    }
    a->c[r] = (double)c;
  }
  for (int j = 0; j < a->n; j++) a->b[j] = (double)b[j];
}

static void choose_solution(machine *a, hn_random *random) {
  hn_random_fill(random, a->x, a->n, -10, 10);
  hn_random_fill(random, a->y, a->m, -10, 10);
  make_right_sides(a);
}

static hn_saddle *factored(hn_arena *arena, const machine *a) {
  hn_saddle_pattern pattern = {a->n, a->m, a->m_start, a->m_index, a->j_start, a->j_index, 0, NULL};
  hn_saddle *saddle;
  check_ok(hn_saddle_create(arena, &pattern, &saddle));
  check_ok(hn_saddle_factor(saddle, a->mass, a->j));
  return saddle;
}

// Solves and compares x with the chosen one; returns what is needed for more.
static hn_saddle_report solve_and_check(const machine *a, double tolerance, double *y) {
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_saddle *saddle = factored(&arena, a);
  hn_saddle_report report;
  double x[N];
  check_ok(hn_saddle_solve(saddle, a->b, a->c, x, y, &report));
  check_near_many(x, a->x, a->n, 10 * tolerance);
  hn_arena_release(&arena);
  return report;
}

static void trees_are_solved_with_one_refinement(void **state) {
  (void)state;
  hn_random random = hn_random_seed(41);
  static machine a;
  double y[ROWS];
  for (int k = 0; k < 20; k++) {
    make_bodies(&a, &random, 0, 0);
    make_tree(&a, &random, 1 + k % 5);
    choose_solution(&a, &random);
    hn_saddle_report report = solve_and_check(&a, 1e-12, y);
    check_near_many(y, a.y, a.m, 1e-10);
    assert_in_range(report.refinements, 1, 2);
    check_at_most(report.residual_x, 1e-15);
    check_at_most(report.residual_y, 1e-13);
  }
}

static void loops_are_solved(void **state) {
  (void)state;
  hn_random random = hn_random_seed(42);
  static machine a;
  double y[ROWS];
  for (int k = 0; k < 20; k++) {
    make_bodies(&a, &random, -1, 1);
    make_tree(&a, &random, 4);
    for (int l = 0; l < 8; l++) {
      int b1 = hn_random_below(&random, BODIES);
      add_joint(&a, &random, b1, (b1 + 1 + hn_random_below(&random, BODIES - 1)) % BODIES, 2);
    }
    choose_solution(&a, &random);
    solve_and_check(&a, 1e-11, y);
  }
}

// Masses from a milligram to ten tonnes in one machine.
static void mixed_masses_are_solved(void **state) {
  (void)state;
  hn_random random = hn_random_seed(43);
  static machine a;
  double y[ROWS];
  for (int k = 0; k < 20; k++) {
    make_bodies(&a, &random, -6, 4);
    make_tree(&a, &random, 5);
    hn_random_fill(&random, a.x, a.n, -10, 10);
    for (int r = 0; r < a.m; r++) a.y[r] = 0; // reactions of the size of the forces
    make_right_sides(&a);
    solve_and_check(&a, 1e-10, y);
  }
}

static void redundant_rows_do_not_disturb(void **state) {
  (void)state;
  hn_random random = hn_random_seed(44);
  static machine a;
  double y[ROWS];
  for (int k = 0; k < 20; k++) {
    make_bodies(&a, &random, 0, 0);
    make_tree(&a, &random, 5);
    for (int d = 0; d < 12; d++)
      repeat_row(&a, &random, 5 * d + d % 5, hn_random_uniform(&random, 0.2, 3), 0);
    choose_solution(&a, &random);
    solve_and_check(&a, 1e-12, y);
  }
}

// y of least norm in scaled rows is orthogonal to the null vectors of J': here (factor, -1) on a
// row and its repetition. Errors in c that contradict each other do not show in it.
static void multipliers_of_redundant_rows_are_those_of_least_norm(void **state) {
  (void)state;
  hn_random random = hn_random_seed(45);
  static machine a;
  double x[N], y[ROWS], again[ROWS];
  make_bodies(&a, &random, 0, 0);
  make_tree(&a, &random, 5);
  int own = a.m;
  for (int d = 0; d < 10; d++) repeat_row(&a, &random, 7 * d, 0.5 + 0.2 * d, 0);
  choose_solution(&a, &random);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_saddle *saddle = factored(&arena, &a);
  check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL));
  for (int d = 0; d < 10; d++) {
    int first = 7 * d, second = own + d;
    double factor = 0.5 + 0.2 * d, s1 = hn_saddle_row_scale(saddle, first);
    double s2 = hn_saddle_row_scale(saddle, second);
    check_near(factor * y[first] * s2 / s1 - y[second] * s1 / s2, 0, 1e-6);
    check_near(y[first] + factor * y[second], a.y[first] + factor * a.y[second], 1e-10);
    a.c[second] += 1e-9;
  }
  check_ok(hn_saddle_solve(saddle, a.b, a.c, x, again, NULL));
  check_near_many(again, y, a.m, 1e-5);
  check_near_many(x, a.x, a.n, 1e-7);
  hn_arena_release(&arena);
}

// Two rows of one joint that differ by little: singular values of about `near`. The right side is
// known to 1e-16, so x can be known to about 1e-16 / near.
static void nearly_singular_rows_are_solved(void **state) {
  (void)state;
  const double near[3] = {1e-3, 1e-4, 1e-6}, tolerance[3] = {1e-11, 1e-10, 1e-7};
  hn_random random = hn_random_seed(46);
  static machine a;
  double y[ROWS];
  for (int k = 0; k < 30; k++) {
    make_bodies(&a, &random, 0, 0);
    make_tree(&a, &random, 4);
    // a near repetition that is a row of the same joint again: only the part on the second body
    // is changed, the part on the first follows
    int body = hn_random_below(&random, BODIES), row = 4 * body;
    repeat_row(&a, &random, row, 1, near[k % 3]);
    choose_solution(&a, &random);
    a.y[a.m - 1] = a.y[row] = 0;
    make_right_sides(&a);
    solve_and_check(&a, tolerance[k % 3], y);
  }
}

static void rotations_without_inertia_follow_their_rows(void **state) {
  (void)state;
  hn_random random = hn_random_seed(47);
  static machine a;
  double y[ROWS], none[6] = {0}, thin[6] = {0.1, 0, 0.1, 0, 0, 0}; // rod along z
  for (int k = 0; k < 20; k++) {
    make_bodies(&a, &random, 0, 1);
    for (int body = 0; body < BODIES; body += 2)
      set_mass(&a, body, 1 + body, body % 4 ? thin : none);
    for (int body = 0; body < BODIES; body++)
      add_joint(&a, &random, hn_random_below(&random, body + 1) - 1, body, body % 2 ? 4 : 6);
    choose_solution(&a, &random);
    solve_and_check(&a, 1e-11, y);
  }
}

static void a_spin_that_nothing_sees_stays_zero(void **state) {
  (void)state;
  hn_random random = hn_random_seed(48);
  static machine a;
  double x[N], y[ROWS], none[6] = {0};
  make_bodies(&a, &random, 0, 1);
  for (int k = 0; k < BODIES; k++) set_mass(&a, k, 2, none);
  for (int k = 0; k < BODIES; k++) { // point masses on strings
    double g1[6] = {1, 0.5, k % 3, 0, 0, 0}, g2[6] = {-1, -0.5, -(k % 3), 0, 0, 0};
    add_row(&a, k - 1, g1, k, g2);
  }
  choose_solution(&a, &random);
  for (int k = 0; k < BODIES; k++) a.x[6 * k + 3] = a.x[6 * k + 4] = a.x[6 * k + 5] = 0;
  make_right_sides(&a);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_saddle *saddle = factored(&arena, &a);
  check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL));
  check_near_many(x, a.x, a.n, 1e-11);
  hn_arena_release(&arena);
}

static void contradicting_rows_are_found(void **state) {
  (void)state;
  hn_random random = hn_random_seed(49);
  static machine a;
  double x[N], y[ROWS];
  make_bodies(&a, &random, 0, 0);
  make_tree(&a, &random, 5);
  repeat_row(&a, &random, 33, 1, 0);
  choose_solution(&a, &random);
  a.c[a.m - 1] += 2;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_saddle *saddle = factored(&arena, &a);
  hn_saddle_report report;
  check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, &report));
  assert_true(report.worst_row == 33 || report.worst_row == a.m - 1);
  // the two share the contradiction
  check_relative(report.residual_y, 1 * hn_saddle_row_scale(saddle, 33), 1e-4);
  hn_arena_release(&arena);
}

static void released_rows_have_no_say(void **state) {
  (void)state;
  hn_random random = hn_random_seed(50);
  static machine a;
  static unsigned char released[ROWS];
  double x[N], y[ROWS];
  make_bodies(&a, &random, 0, 0);
  make_tree(&a, &random, 5);
  repeat_row(&a, &random, 33, 1, 0);
  hn_random_fill(&random, a.x, a.n, -1, 1);
  hn_random_fill(&random, a.y, a.m, -1, 1);
  a.y[a.m - 1] = 0;
  make_right_sides(&a);
  a.c[a.m - 1] += 2; // would contradict
  released[a.m - 1] = 1;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_saddle *saddle = factored(&arena, &a);
  hn_saddle_release(saddle, released);
  check_ok(hn_saddle_factor(saddle, a.mass, a.j));
  check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL));
  check_near_many(x, a.x, a.n, 1e-12);
  check_near_many(y, a.y, a.m, 1e-11);
  check_near(y[a.m - 1], 0, 0);

  // the same with factors of their own, in turn with those of all rows and of other rows
  check_ok(hn_saddle_make_releasable(&arena, saddle));
  for (int turn = 0; turn < 3; turn++) {
    static unsigned char other[ROWS];
    other[turn] = 1;
    hn_saddle_release(saddle, turn == 1 ? NULL : other);
    check_ok(hn_saddle_factor(saddle, a.mass, a.j));
    hn_saddle_release(saddle, released);
    check_ok(hn_saddle_factor(saddle, a.mass, a.j));
    memset(x, 0, sizeof x);
    check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL));
    check_near_many(x, a.x, a.n, 1e-12);
    check_near_many(y, a.y, a.m, 1e-11);
    check_near(y[a.m - 1], 0, 0);
  }
  hn_arena_release(&arena);
}

// Rows (1, 0) and (1, s) over two unit masses: the small singular value is s / sqrt 2, and soft
// rows keep the share (epsilon / (s^2 / 2 + epsilon))^4 of the residual that belongs to it.
static void soft_rows_keep_the_share_their_header_says(void **state) {
  (void)state;
  int m_start[3] = {0, 1, 2}, m_index[2] = {0, 1}, j_start[3] = {0, 1, 3}, j_index[3] = {0, 0, 1};
  double s = 1e-3, epsilon = 1e-6, mass[2] = {1, 1}, j[3] = {1, 1, s}, b[2] = {0, 0};
  double c[2] = {0, s}, x[2], y[2]; // exact: x = (0, 1)
  unsigned char soft[2] = {1, 1};
  hn_saddle_pattern pattern = {2, 2, m_start, m_index, j_start, j_index, 0, NULL};
  hn_arena arena;
  hn_saddle *saddle;
  hn_arena_init(&arena, NULL);
  check_ok(hn_saddle_create(&arena, &pattern, &saddle));
  hn_saddle_soften(saddle, soft, epsilon);
  check_ok(hn_saddle_factor(saddle, mass, j));
  check_ok(hn_saddle_solve(saddle, b, c, x, y, NULL));
  double share = pow(epsilon / (s * s / 2 + epsilon), HN_SOFT_SWEEPS);
  check_near(1 - x[1], share, 0.01 * share);
  assert_int_equal(hn_saddle_small_pivots(saddle, 1e-5, NULL), 1);
  assert_int_equal(hn_saddle_small_pivots(saddle, 1e-9, NULL), 0);
  hn_saddle_soften(saddle, NULL, 0);
  check_ok(hn_saddle_factor(saddle, mass, j));
  check_ok(hn_saddle_solve(saddle, b, c, x, y, NULL));
  check_near(x[1], 1, 1e-9);
  hn_arena_release(&arena);
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  hn_random random = hn_random_seed(51);
  static machine a;
  double x[N], y[ROWS];
  for (int k = 0; k < 4; k++) {
    make_bodies(&a, &random, 0, 0);
    make_tree(&a, &random, 3);
    choose_solution(&a, &random);
    if (k == 0) a.b[17] = NAN;
    if (k == 1) a.c[17] = INFINITY;
    if (k == 2) a.j[40] = NAN;
    if (k == 3) a.mass[10] = NAN;
    hn_arena arena;
    hn_arena_init(&arena, NULL);
    hn_saddle *saddle = factored(&arena, &a);
    check_status(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL), HN_ERROR_NOT_FINITE);
    hn_arena_release(&arena);
  }
}

static void a_diagonal_that_is_not_last_is_refused(void **state) {
  (void)state;
  int m_start[3] = {0, 1, 3}, m_index[3] = {0, 1, 0}, j_start[1] = {0}, none[1] = {0};
  hn_saddle_pattern pattern = {2, 0, m_start, m_index, j_start, none, 0, NULL};
  hn_arena arena;
  hn_saddle *saddle;
  hn_arena_init(&arena, NULL);
  check_status(hn_saddle_create(&arena, &pattern, &saddle), HN_ERROR_ARGUMENT);
  hn_arena_release(&arena);
}

static void machines_without_bodies_or_rows_are_fine(void **state) {
  (void)state;
  int start[3] = {0, 1, 2}, index[2] = {0, 1}, j_start[1] = {0};
  double mass[2] = {2, 4}, b[2] = {2, 2}, x[2];
  hn_arena arena;
  hn_saddle *saddle;
  hn_arena_init(&arena, NULL);
  hn_saddle_pattern no_rows = {2, 0, start, index, j_start, index, 0, NULL}, empty = no_rows;
  check_ok(hn_saddle_create(&arena, &no_rows, &saddle));
  check_ok(hn_saddle_factor(saddle, mass, mass));
  hn_saddle_report report;
  check_ok(hn_saddle_solve(saddle, b, b, x, b, &report));
  check_near(x[0], 1, 1e-15);
  check_near(x[1], 0.5, 1e-15);
  assert_int_equal(report.worst_row, -1);
  empty.n = 0;
  check_ok(hn_saddle_create(&arena, &empty, &saddle));
  check_ok(hn_saddle_factor(saddle, mass, mass));
  check_ok(hn_saddle_solve(saddle, b, b, x, b, NULL));
  hn_arena_release(&arena);
}

static void a_thousand_solutions_take_no_memory_and_agree_bit_for_bit(void **state) {
  (void)state;
  hn_random random = hn_random_seed(52);
  static machine a;
  double x[N], y[ROWS], first[N];
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  make_bodies(&a, &random, -2, 2);
  make_tree(&a, &random, 5);
  repeat_row(&a, &random, 3, 1, 0);
  choose_solution(&a, &random);
  hn_arena arena;
  hn_arena_init(&arena, &allocator);
  hn_saddle *saddle = factored(&arena, &a);
  check_ok(hn_saddle_solve(saddle, a.b, a.c, first, y, NULL));
  long calls = memory.calls;
  for (int k = 0; k < 1000; k++) {
    check_ok(hn_saddle_factor(saddle, a.mass, a.j));
    check_ok(hn_saddle_solve(saddle, a.b, a.c, x, y, NULL));
    assert_memory_equal(x, first, sizeof x);
  }
  assert_int_equal(memory.calls, calls);
  assert_int_equal(hn_saddle_factorizations(saddle), 1001);
  hn_arena_release(&arena);
  assert_int_equal(memory.living, 0);
}

static void failing_memory_is_reported_at_every_place(void **state) {
  (void)state;
  hn_random random = hn_random_seed(53);
  static machine a;
  make_bodies(&a, &random, 0, 0);
  make_tree(&a, &random, 3);
  repeat_row(&a, &random, 3, 1, 0);
  hn_saddle_pattern pattern = {a.n, a.m, a.m_start, a.m_index, a.j_start, a.j_index, 0, NULL};
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_saddle *saddle;
    hn_arena_init(&arena, &allocator);
    hn_status status = hn_saddle_create(&arena, &pattern, &saddle);
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_null(saddle);
  }
}

// A pendulum of 2000 bodies costs 2000 times a constant.
static void chains_cost_linear_work(void **state) {
  (void)state;
  double work[2];
  for (int k = 0; k < 2; k++) {
    int bodies = k ? 2000 : 200, n = 6 * bodies, m = 5 * bodies, at = 0;
    int *m_start = malloc(sizeof(int) * (size_t)(n + 1)),
        *m_index = malloc(sizeof(int) * (size_t)n);
    int *j_start = malloc(sizeof(int) * (size_t)(m + 1));
    int *j_index = malloc(sizeof(int) * (size_t)(12 * m));
    for (int i = 0; i <= n; i++) m_start[i] = i;
    for (int i = 0; i < n; i++) m_index[i] = i;
    for (int r = 0; r < m; r++) {
      j_start[r] = at;
      for (int body = r / 5 - 1; body <= r / 5; body++)
        for (int i = 0; body >= 0 && i < 6; i++) j_index[at++] = 6 * body + i;
    }
    j_start[m] = at;
    hn_saddle_pattern pattern = {n, m, m_start, m_index, j_start, j_index, 0, NULL};
    hn_arena arena;
    hn_saddle *saddle;
    hn_arena_init(&arena, NULL);
    check_ok(hn_saddle_create(&arena, &pattern, &saddle));
    work[k] = hn_saddle_operations(saddle) / bodies;
    hn_arena_release(&arena);
    free(m_start);
    free(m_index);
    free(j_start);
    free(j_index);
  }
  check_relative(work[1], work[0], 0.02);
  check_at_most(work[1], 700);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees_are_solved_with_one_refinement),
      cmocka_unit_test(loops_are_solved),
      cmocka_unit_test(mixed_masses_are_solved),
      cmocka_unit_test(redundant_rows_do_not_disturb),
      cmocka_unit_test(multipliers_of_redundant_rows_are_those_of_least_norm),
      cmocka_unit_test(nearly_singular_rows_are_solved),
      cmocka_unit_test(rotations_without_inertia_follow_their_rows),
      cmocka_unit_test(a_spin_that_nothing_sees_stays_zero),
      cmocka_unit_test(contradicting_rows_are_found),
      cmocka_unit_test(released_rows_have_no_say),
      cmocka_unit_test(soft_rows_keep_the_share_their_header_says),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(a_diagonal_that_is_not_last_is_refused),
      cmocka_unit_test(machines_without_bodies_or_rows_are_fine),
      cmocka_unit_test(a_thousand_solutions_take_no_memory_and_agree_bit_for_bit),
      cmocka_unit_test(failing_memory_is_reported_at_every_place),
      cmocka_unit_test(chains_cost_linear_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
