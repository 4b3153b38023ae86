// Constraints with conditions, dense: against answers by hand, the laws themselves, and a solver with
// another algorithm (contact/friction.h).
#include <math.h>
#include <string.h>

#include "contact/delassus.h"
#include "contact/friction.h"
#include "support/check.h"

enum { BLOCKS = 24, SPEEDS = 24 };

typedef struct bench {
  hn_arena arena;
  hn_delassus d;
  hn_delassus_report report;
  double j[3 * BLOCKS][SPEEDS]; // rows over the speeds of bodies
} bench;

static void set_up(bench *b) {
  memset(b, 0, sizeof *b);
  hn_arena_init(&b->arena, NULL);
  check_ok(hn_delassus_create(&b->arena, BLOCKS, &b->d));
  hn_arena_poison(&b->arena);
}

static void add(bench *b, hn_delassus_block block) { b->d.block[b->d.count++] = block; }

// W = J J' of random rows; velocities that bodies can have. Fewer speeds than rows make them
// dependent.
static void fill(bench *b, int speeds, hn_random *random) {
  hn_delassus *d = &b->d;
  double v[SPEEDS];
  hn_random_fill(random, v, speeds, -1, 1);
  for (int i = 0; i < d->count; i++)
    for (int r = 0; r < 3; r++) hn_random_fill(random, b->j[3 * i + r], speeds, -1, 1);
  for (int i = 0; i < d->count; i++) {
    const int rows = hn_delassus_size(d->block[i].law);
    memset(d->p[i], 0, sizeof d->p[i]);
    memset(d->q[i], 0, sizeof d->q[i]);
    for (int r = 0; r < rows; r++)
      for (int k = 0; k < speeds; k++) d->q[i][r] += b->j[3 * i + r][k] * v[k];
    for (int j = 0; j < d->count; j++) {
      double *w = hn_delassus_at(d, i, j);
      memset(w, 0, 12 * sizeof *w);
      for (int c = 0; c < hn_delassus_size(d->block[j].law); c++)
        for (int r = 0; r < rows; r++)
          for (int k = 0; k < speeds; k++) w[4 * c + r] += b->j[3 * i + r][k] * b->j[3 * j + c][k];
    }
  }
}

static void solve(bench *b, double tolerance) {
  hn_delassus_solve(&b->d, tolerance, tolerance, &b->report);
}

// Laws in their own words.
static void check_laws(const bench *b, double limit) {
  for (int i = 0; i < b->d.count; i++) {
    const hn_delassus_block *block = &b->d.block[i];
    const double *p = b->d.p[i], *u = b->d.u[i];
    if (block->law == HN_DELASSUS_BILATERAL) {
      check_at_most(fabs(u[0]), limit);
    } else if (block->law == HN_DELASSUS_BOX) {
      check_at_most(p[0] - block->upper, 0);
      check_at_most(block->lower - p[0], 0);
      check_at_most(fmin(block->upper - p[0], fmax(0, -u[0])), limit);
      check_at_most(fmin(p[0] - block->lower, fmax(0, u[0])), limit);
      if (p[0] > block->lower + limit && p[0] < block->upper - limit)
        check_at_most(fabs(u[0]), limit);
    } else {
      check_at_most(-p[0], 0);
      check_at_most(-u[0], limit);
      check_at_most(fmin(p[0], u[0]), limit);
    }
    if (block->law != HN_DELASSUS_CONE) continue;
    const double pull = hypot(p[1], p[2]), slip = hypot(u[1], u[2]);
    check_at_most(pull - block->mu * p[0], limit);
    check_at_most(fabs(p[1] * u[1] + p[2] * u[2] + block->mu * p[0] * slip), limit);
  }
}

static void a_point_on_a_plane_sticks_slides_or_separates(void **state) {
  (void)state;
  const double cases[3][4] = {{-3, 1, 0.5, 0}, {-3, 3, 4, 0}, {1, 3, 4, 0}};
  const double expected[3][3] = {{6, -2, -1}, {6, -1.8, -2.4}, {0, 0, 0}}; // mass 2, mu 0.5
  for (int k = 0; k < 3; k++) {
    bench b;
    set_up(&b);
    add(&b, (hn_delassus_block){.law = HN_DELASSUS_CONE, .mu = 0.5});
    double *w = hn_delassus_at(&b.d, 0, 0);
    memset(w, 0, 12 * sizeof *w);
    w[0] = w[5] = w[10] = 0.5;
    memcpy(b.d.q[0], cases[k], sizeof cases[k]);
    memset(b.d.p[0], 0, sizeof b.d.p[0]);
    solve(&b, 1e-12);
    assert_true(b.report.is_solved);
    check_near_many(b.d.p[0], expected[k], 3, 1e-10);
    hn_arena_release(&b.arena);
  }
}

// A mass of 2 kg at 3 m/s that dry friction of impulse 4 slows, then one of 8 stops.
static void dry_friction_acts_up_to_its_limit(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    bench b;
    set_up(&b);
    add(&b,
        (hn_delassus_block){.law = HN_DELASSUS_BOX, .lower = -4 * (k + 1), .upper = 4 * (k + 1)});
    double *w = hn_delassus_at(&b.d, 0, 0);
    memset(w, 0, 12 * sizeof *w);
    w[0] = 0.5;
    memcpy(b.d.q[0], (const double[]){3, 0, 0, 0}, sizeof b.d.q[0]);
    memset(b.d.p[0], 0, sizeof b.d.p[0]);
    solve(&b, 1e-12);
    assert_true(b.report.is_solved);
    check_near(b.d.p[0][0], k == 0 ? -4 : -6, 1e-10);
    check_near(b.d.u[0][0], k == 0 ? 1 : 0, 1e-10);
    hn_arena_release(&b.arena);
  }
}

static hn_delassus_block random_block(int kind, hn_random *random) {
  switch (kind % 6) {
  case 3: return (hn_delassus_block){.law = HN_DELASSUS_UNILATERAL};
  case 4:
    return (hn_delassus_block){.law = HN_DELASSUS_BOX,
                               .lower = -hn_random_uniform(random, 0, 0.3),
                               .upper = hn_random_uniform(random, 0, 0.3)};
  case 5: return (hn_delassus_block){.law = HN_DELASSUS_BILATERAL};
  default:
    return (hn_delassus_block){.law = HN_DELASSUS_CONE, .mu = hn_random_uniform(random, 0, 1)};
  }
}

static void all_laws_hold_at_once(void **state) {
  (void)state;
  hn_random random = hn_random_seed(11);
  for (int trial = 0; trial < 300; trial++) {
    bench b;
    set_up(&b);
    for (int k = 0; k < 1 + trial % 12; k++) add(&b, random_block(trial + k, &random));
    fill(&b, SPEEDS, &random);
    solve(&b, 1e-11);
    assert_true(b.report.is_solved);
    check_laws(&b, 1e-8);
    hn_arena_release(&b.arena);
  }
}

// Feet with many points on bodies with few speeds.
static void redundant_contacts_are_solved_to_the_residual(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  int solved = 0, count = 0;
  for (int trial = 0; trial < 200; trial++, count++) {
    bench b;
    const double mu = hn_random_uniform(&random, 0.2, 1);
    set_up(&b);
    for (int k = 0; k < 4 + trial % 8; k++)
      add(&b, (hn_delassus_block){.law = HN_DELASSUS_CONE, .mu = mu});
    fill(&b, 6 + trial % 7, &random);
    solve(&b, 1e-9);
    solved += b.report.is_solved;
    if (b.report.is_solved) check_laws(&b, 1e-6);
    hn_arena_release(&b.arena);
  }
  check_at_most(count - solved, 2);
}

// Many times as many rows as speeds, under slight friction and much: a step costs so much at most.
static void work_is_bounded_however_constraints_depend(void **state) {
  (void)state;
  hn_random random = hn_random_seed(17);
  int unsolved = 0, most = 0, most_sweeps = 0;
  for (int trial = 0; trial < 400; trial++) {
    bench b;
    set_up(&b);
    for (int k = 0; k < 8 + trial % 13; k++)
      add(&b, (hn_delassus_block){.law = HN_DELASSUS_CONE,
                                  .mu = hn_random_uniform(&random, 0.05, 1.5)});
    fill(&b, 5 + trial % 9, &random);
    solve(&b, 1e-9);
    const int newtons = b.report.newtons + b.report.inside;
    unsolved += !b.report.is_solved;
    most = newtons > most ? newtons : most;
    most_sweeps = b.report.sweeps > most_sweeps ? b.report.sweeps : most_sweeps;
    if (b.report.is_solved) check_laws(&b, 1e-6);
    hn_arena_release(&b.arena);
  }
  check_at_most(unsolved, 2);
  check_at_most(most, 90);
  check_at_most(most_sweeps, 100);
}

// Velocities are unique without friction: those of another algorithm.
static void velocities_are_those_of_another_solver(void **state) {
  (void)state;
  hn_random random = hn_random_seed(7);
  int unsolved = 0;
  for (int trial = 0; trial < 50; trial++) {
    bench b;
    hn_friction_problem f;
    hn_friction_report report;
    double p[BLOCKS] = {0};
    set_up(&b);
    for (int k = 0; k < 10; k++) add(&b, (hn_delassus_block){.law = HN_DELASSUS_UNILATERAL});
    fill(&b, 7, &random);
    solve(&b, 1e-11);
    if (!b.report.is_solved) {
      unsolved++;
      hn_arena_release(&b.arena);
      continue;
    }
    check_ok(hn_friction_create(&b.arena, BLOCKS, BLOCKS, &f));
    f.rows = f.parts = b.d.count;
    for (int i = 0; i < f.rows; i++) {
      f.part[i] = (hn_friction_part){.law = HN_FRICTION_NORMAL, .row = i};
      f.q[i] = b.d.q[i][0];
      for (int j = 0; j < f.rows; j++) f.w[j * f.rows + i] = hn_delassus_at(&b.d, i, j)[0];
    }
    hn_friction_solve(&f, 1e-12, p, &report);
    for (int i = 0; i < f.rows; i++) check_near(b.d.u[i][0], f.u[i], 1e-8);
    hn_arena_release(&b.arena);
  }
  check_at_most(unsolved, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_point_on_a_plane_sticks_slides_or_separates),
      cmocka_unit_test(dry_friction_acts_up_to_its_limit),
      cmocka_unit_test(all_laws_hold_at_once),
      cmocka_unit_test(redundant_contacts_are_solved_to_the_residual),
      cmocka_unit_test(work_is_bounded_however_constraints_depend),
      cmocka_unit_test(velocities_are_those_of_another_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
