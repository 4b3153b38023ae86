// Contacts with friction, against answers by hand and by the laws themselves.
#include <math.h>
#include <string.h>

#include "contact/friction.h"
#include "support/check.h"

typedef struct bench {
  hn_arena arena;
  hn_friction_problem f;
  double p[96];
  hn_friction_report report;
} bench;

static void set_up(bench *b, int parts, hn_friction_law law, double mu) {
  memset(b, 0, sizeof *b);
  hn_arena_init(&b->arena, NULL);
  check_ok(hn_friction_create(&b->arena, 96, 32, &b->f));
  b->f.parts = parts;
  for (int k = 0; k < parts; k++) {
    b->f.part[k] = (hn_friction_part){.law = law, .row = b->f.rows, .mu = mu};
    b->f.rows += hn_friction_rows(law);
  }
}

static double *at(bench *b, int i, int j) { return &b->f.w[j * b->f.rows + i]; }

// A point of mass m.
static void point_mass(bench *b, double m) {
  for (int i = 0; i < 3; i++) *at(b, i, i) = 1 / m;
}

static void solve(bench *b, double tolerance) {
  hn_friction_solve(&b->f, tolerance, b->p, &b->report);
}

static void projection_onto_the_cone_is_the_nearest_point(void **state) {
  (void)state;
  const double mu = 0.5, x[3] = {1, 3, 4};
  double y[3];
  hn_cone_project(mu, x, y); // normal (1 + 0.5 * 5) / 1.25
  check_near(y[0], 2.8, 1e-15);
  check_near(y[1], 1.4 * 0.6, 1e-15);
  check_near(y[2], 1.4 * 0.8, 1e-15);
  hn_cone_project(mu, (const double[]){-10, 3, 4}, y);
  check_near(y[0], 0, 0);
  hn_cone_project(mu, (const double[]){10, 3, 4}, y);
  check_near(y[1], 3, 0);
  hn_cone_project(0, (const double[]){-2, 0, 0}, y); // the cone is a half-line
  check_near(y[0], 0, 0);
  hn_cone_project(0, (const double[]){2, 3, 4}, y);
  check_near_many(y, ((const double[]){2, 0, 0}), 3, 0);
}

static void point_on_a_plane_sticks_slides_or_parts(void **state) {
  (void)state;
  bench b;
  set_up(&b, 1, HN_FRICTION_CONE, 0.5);
  point_mass(&b, 2);
  memcpy(b.f.q, (const double[]){-3, 1, 0.5}, 3 * sizeof(double));
  solve(&b, 1e-14);
  check_near_many(b.p, ((const double[]){6, -2, -1}), 3, 1e-12); // within the cone: all stops
  assert_int_equal(hn_friction_grip(&b.f, b.p, b.f.u, 0), HN_GRIP_STICK);
  memcpy(b.f.q, (const double[]){-3, 3, 4}, 3 * sizeof(double));
  solve(&b, 1e-14);
  check_near_many(b.p, ((const double[]){6, -3 * 0.6, -3 * 0.8}), 3, 1e-12);
  assert_int_equal(hn_friction_grip(&b.f, b.p, b.f.u, 0), HN_GRIP_SLIDE);
  b.f.q[0] = 1;
  solve(&b, 1e-14);
  check_near(b.p[0], 0, 0);
  assert_int_equal(hn_friction_grip(&b.f, b.p, b.f.u, 0), HN_GRIP_OPEN);
  hn_arena_release(&b.arena);
}

// J M^-1 J' of random rows over bodies: fewer degrees of freedom than rows make them dependent.
static void random_response(bench *b, int freedoms, hn_random *random) {
  double j[96][24];
  for (int r = 0; r < b->f.rows; r++) hn_random_fill(random, j[r], freedoms, -1, 1);
  for (int r = 0; r < b->f.rows; r++)
    for (int s = 0; s < b->f.rows; s++) {
      double sum = 0;
      for (int k = 0; k < freedoms; k++) sum += j[r][k] * j[s][k];
      *at(b, r, s) = sum;
    }
  // velocities that the bodies can have
  double v[24];
  hn_random_fill(random, v, freedoms, -1, 1);
  for (int r = 0; r < b->f.rows; r++) {
    b->f.q[r] = 0;
    for (int k = 0; k < freedoms; k++) b->f.q[r] += j[r][k] * v[k];
  }
}

// Coulomb's law by its own words, and no energy from nowhere.
static void check_coulomb(const bench *b, double mu, double limit) {
  double energy = 0;
  for (int k = 0; k < b->f.parts; k++) {
    const double *p = &b->p[3 * k], *u = &b->f.u[3 * k];
    const double pull = hypot(p[1], p[2]), slip = hypot(u[1], u[2]);
    check_at_most(-p[0], limit);
    check_at_most(-u[0], limit);
    check_at_most(fabs(p[0] * u[0]), limit);
    check_at_most(pull - mu * p[0], limit);
    check_at_most(fabs(p[1] * u[1] + p[2] * u[2] + mu * p[0] * slip), limit);
    for (int i = 0; i < 3; i++) energy += 0.5 * p[i] * (u[i] + b->f.q[3 * k + i]);
  }
  check_at_most(energy, limit);
}

static void random_contacts_obey_coulomb(void **state) {
  (void)state;
  hn_random random = hn_random_seed(5);
  for (int trial = 0; trial < 200; trial++) {
    bench b;
    const double mu = hn_random_uniform(&random, 0, 1);
    set_up(&b, 1 + trial % 5, HN_FRICTION_CONE, mu);
    random_response(&b, trial % 3 == 0 ? 6 : 24, &random);
    solve(&b, 1e-12);
    assert_true(b.report.is_solved);
    check_coulomb(&b, mu, 1e-9);
    hn_arena_release(&b.arena);
  }
}

// Four feet under a block of mass 1 at x, y = +-1: each carries a quarter, though three would do.
static void four_feet_share_their_load(void **state) {
  (void)state;
  bench b;
  set_up(&b, 4, HN_FRICTION_NORMAL, 0);
  const double x[4] = {-1, 1, 1, -1}, y[4] = {-1, -1, 1, 1};
  for (int i = 0; i < 4; i++) {
    b.f.q[i] = -9.81;
    for (int j = 0; j < 4; j++) *at(&b, i, j) = 1 + 3 * x[i] * x[j] + 3 * y[i] * y[j];
  }
  const hn_grip closed[4] = {HN_GRIP_STICK, HN_GRIP_STICK, HN_GRIP_STICK, HN_GRIP_STICK};
  double rest;
  hn_friction_solve_grips(&b.f, closed, b.p, &rest);
  for (int i = 0; i < 4; i++) check_near(b.p[i], 9.81 / 4, 1e-13);
  check_at_most(rest, 1e-12);
  memset(b.p, 0, sizeof b.p);
  solve(&b, 1e-13);
  assert_true(b.report.is_solved);
  hn_arena_release(&b.arena);
}

// A rod that slides on its end and is pushed into the ground by friction (Painleve).
static void paradox_of_friction_is_told(void **state) {
  (void)state;
  bench b;
  set_up(&b, 1, HN_FRICTION_SLIDING, 2);
  const double c = cos(0.8), s = sin(0.8); // of a rod with inertia m l^2 / 3, m = l = 1
  const double w[3][3] = {{1 + 3 * c * c, 3 * c * s, 0}, {3 * c * s, 1 + 3 * s * s, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) *at(&b, i, j) = w[i][j];
  b.f.part[0].direction[0] = 1;
  b.f.q[0] = -1;
  solve(&b, 1e-12);
  assert_int_equal(b.report.paradoxes, 1);
  assert_false(b.report.is_solved); // no normal force does it
  b.f.part[0].direction[0] = -1;
  memset(b.p, 0, sizeof b.p);
  solve(&b, 1e-12);
  assert_int_equal(b.report.paradoxes, 0);
  assert_true(b.report.is_solved);
  check_relative(b.p[0], 1 / (1 + 3 * c * c + 2 * 3 * c * s), 1e-12);
  hn_arena_release(&b.arena);
}

static void dry_friction_holds_up_to_its_limit(void **state) {
  (void)state;
  bench b;
  set_up(&b, 1, HN_FRICTION_LIMITED, 0);
  *at(&b, 0, 0) = 2;
  b.f.part[0].limit = 1;
  b.f.q[0] = 1.5;
  solve(&b, 1e-14);
  check_near(b.p[0], -0.75, 1e-14);
  b.f.q[0] = -5;
  solve(&b, 1e-14);
  check_near(b.p[0], 1, 1e-14);
  check_near(b.f.u[0], -3, 1e-14);
  hn_arena_release(&b.arena);
}

// A block of mass 0.3 on the floor between two jaws that press with 10 N each on four corners and
// start to rise: the degrees of freedom are those of the block and of the jaws along x, which move
// against each other.
static void set_up_jaws(bench *b, double mu, double rise) {
  const double half[3] = {0.03, 0.015, 0.03}, mass = 0.3, jaws = 0.2;
  const double inertia[3] = {mass / 3 * (half[1] * half[1] + half[2] * half[2]),
                             mass / 3 * (half[0] * half[0] + half[2] * half[2]),
                             mass / 3 * (half[0] * half[0] + half[1] * half[1])};
  double j[36][7] = {{0}}, mobility[7];
  set_up(b, 12, HN_FRICTION_CONE, mu);
  for (int i = 0; i < 7; i++)
    mobility[i] = i < 3 ? 1 / mass : i < 6 ? 1 / inertia[i - 3] : 1 / jaws;
  for (int k = 0; k < 12; k++) {
    const int face = k / 4, normal = face == 2 ? 2 : 0; // jaws at -x and +x, floor at -z
    const double side = face == 1 ? 1 : -1;
    double place[3] = {half[0], half[1], half[2]};
    place[normal] *= side;
    place[1] *= k % 2 ? 1 : -1;
    place[2 - normal] *= k / 2 % 2 ? 1 : -1;
    for (int i = 0; i < 3; i++) { // normal into the block, then y, then the other
      const int axis = i == 0 ? normal : i == 1 ? 1 : 2 - normal;
      double *row = j[3 * k + i];
      row[axis] = i == 0 ? -side : 1;
      row[3 + (axis + 1) % 3] += row[axis] * place[(axis + 2) % 3];
      row[3 + (axis + 2) % 3] -= row[axis] * place[(axis + 1) % 3];
      if (i == 0 && face < 2) row[6] = -1; // closing
      b->f.q[3 * k + i] = -row[2] * 9.81 + row[6] * 20 / jaws;
      if (i == 2 && face < 2) b->f.q[3 * k + i] -= rise;
    }
    if (face == 2) b->f.part[k].mu = 0.3;
  }
  for (int r = 0; r < 36; r++)
    for (int s = 0; s < 36; s++)
      for (int i = 0; i < 7; i++) *at(b, r, s) += j[r][i] * mobility[i] * j[s][i];
}

// The block stays: jaws slide with mu F each, the floor carries the rest. Slips are far below what
// forces could accelerate, and normal forces are shared in many ways.
static void jaws_that_hardly_rise_slide(void **state) {
  (void)state;
  const double mus[] = {0.05, 0.1, 0.14}, rises[] = {1, 1e-2, 1e-4, 1e-5};
  for (int k = 0; k < 12; k++) {
    bench b;
    const double mu = mus[k % 3], rise = rises[k / 3];
    double drag = 0, floor = 0;
    set_up_jaws(&b, mu, rise);
    hn_friction_center(&b.f, 1e-12, b.p);
    solve(&b, 1e-12);
    assert_true(b.report.is_solved);
    for (int i = 0; i < 4; i++) {
      drag += b.p[3 * i + 2] + b.p[3 * (4 + i) + 2];
      floor += b.p[3 * (8 + i)];
    }
    check_near(drag, 2 * mu * 10, 1e-9); // the floor may take some of one jaw's pressure
    check_near(floor, 0.3 * 9.81 - 20 * mu, 1e-9);
    for (int i = 0; i < 12; i++) {
      check_near(b.f.u[3 * i], 0, 1e-9);
      check_near(b.f.u[3 * i + 1], 0, 1e-9);
      check_near(b.f.u[3 * i + 2], i < 8 ? -rise : 0, 1e-9);
    }
    hn_arena_release(&b.arena);
  }
}

// Every law at once, with rows that depend on each other: the path through the inside alone ends at
// forces that obey all of them.
static void laws_of_all_kinds_meet_in_the_middle(void **state) {
  (void)state;
  const hn_friction_law laws[] = {HN_FRICTION_CONE,    HN_FRICTION_CONE,    HN_FRICTION_NORMAL,
                                  HN_FRICTION_LIMITED, HN_FRICTION_DRAGGED, HN_FRICTION_HELD,
                                  HN_FRICTION_SLIDING, HN_FRICTION_CONE};
  hn_random random = hn_random_seed(11);
  for (int trial = 0; trial < 100; trial++) {
    bench b;
    set_up(&b, 8, HN_FRICTION_CONE, 0.3);
    b.f.rows = 0;
    for (int k = 0; k < 8; k++) {
      hn_friction_part *part = &b.f.part[k];
      *part = (hn_friction_part){.law = laws[k], .row = b.f.rows, .mu = k == 7 ? 0 : 0.3};
      part->limit = hn_random_uniform(&random, 0, 0.1);
      part->direction[0] = 1;
      b.f.rows += hn_friction_rows(laws[k]);
    }
    b.f.part[6].mu = 0.05;
    random_response(&b, 10, &random);
    double scale = 0;
    hn_friction_center(&b.f, 1e-12, b.p);
    hn_friction_velocities(&b.f, b.p, b.f.u);
    for (int i = 0; i < b.f.rows; i++) scale = fmax(scale, fabs(b.f.q[i]));
    check_at_most(hn_friction_residual(&b.f, b.p, b.f.u, NULL), 1e-11 * scale);
    hn_arena_release(&b.arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(projection_onto_the_cone_is_the_nearest_point),
      cmocka_unit_test(point_on_a_plane_sticks_slides_or_parts),
      cmocka_unit_test(random_contacts_obey_coulomb),
      cmocka_unit_test(four_feet_share_their_load),
      cmocka_unit_test(paradox_of_friction_is_told),
      cmocka_unit_test(dry_friction_holds_up_to_its_limit),
      cmocka_unit_test(jaws_that_hardly_rise_slide),
      cmocka_unit_test(laws_of_all_kinds_meet_in_the_middle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
