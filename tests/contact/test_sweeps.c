// Many contacts by sweeps: a column of balls, whose forces are known, and bodies that overlap.
#include <string.h>

#include "contact/leaps.h"
#include "support/check.h"

enum { BALLS = 40 };

typedef struct column {
  hn_arena arena;
  hn_leaps leaps;
  hn_sweep_body bodies[BALLS + 1];
  hn_sweep_point points[BALLS];
} column;

// Balls of radius 0.5 on top of each other that have fallen for one step: point k bears BALLS - k.
static void make_column(column *c, int room) {
  const double inverse[6] = {2, 3, 4, 0, 0, 0};
  memset(c, 0, sizeof *c);
  hn_arena_init(&c->arena, NULL);
  assert_int_equal(hn_leaps_create(&c->arena, room, &c->leaps), HN_OK);
  for (int k = 0; k < BALLS; k++) {
    c->bodies[k + 1] = (hn_sweep_body){
        .mass_inverse = 1, .inertia_inverse = mat3_symmetric(inverse), .v = {0, 0, -1}};
    c->points[k] = (hn_sweep_point){.body = {k, k + 1},
                                    .axis = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                    .arm = {{0, 0, 0.5}, {0, 0, -0.5}},
                                    .mu = 0.3};
    hn_sweep_prepare(c->bodies, &c->points[k]);
  }
}

static void column_bears_its_weight(void **state) {
  (void)state;
  column c;
  double residual;
  make_column(&c, BALLS);
  hn_sweep_solve(c.bodies, c.points, BALLS, &c.leaps, 1e-10, 10000, &residual);
  assert_true(residual <= 1e-10);
  for (int k = 0; k < BALLS; k++) {
    check_near(c.points[k].p[0], BALLS - k, 1e-6);
    check_near(c.points[k].p[1], 0, 1e-9);
    check_near(c.bodies[k + 1].v.z, 0, 1e-8);
  }
  hn_arena_release(&c.arena);
}

static void leaps_save_sweeps(void **state) {
  (void)state;
  column c;
  double residual;
  make_column(&c, 0);
  const int plain = hn_sweep_solve(c.bodies, c.points, BALLS, &c.leaps, 1e-8, 100000, &residual);
  hn_arena_release(&c.arena);
  make_column(&c, BALLS);
  const int leaping = hn_sweep_solve(c.bodies, c.points, BALLS, &c.leaps, 1e-8, 100000, &residual);
  assert_true(residual <= 1e-8);
  assert_true(3 * leaping < plain);
  hn_arena_release(&c.arena);
}

static void overlap_is_parted_by_its_share(void **state) {
  (void)state;
  column c;
  make_column(&c, BALLS);
  for (int k = 0; k <= BALLS; k++) c.bodies[k].v = (hn_vec3){0, 0, 0};
  c.points[0].gap = -0.01;
  c.points[1].gap = 1;
  hn_sweep_part(c.bodies, c.points, 2, 0.1);
  check_near(c.bodies[1].v.z, 0.001, 1e-15);
  check_near(c.bodies[2].v.z, 0, 1e-15);
  hn_arena_release(&c.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(column_bears_its_weight),
      cmocka_unit_test(leaps_save_sweeps),
      cmocka_unit_test(overlap_is_parted_by_its_share),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
