// Many contacts by Newton's method: the smoothed law against its own differences, and what a box, a
// stack of boxes and a plank on three supports must bear, where points share their loads in many ways.
#include "contact/many.h"

#include <math.h>
#include <string.h>

#include "contact/leaps.h"
#include "support/check.h"

enum { BOXES = 6, MOST = 4 * BOXES };

static double random_between(unsigned *seed, double low, double high) {
  *seed = *seed * 1664525u + 1013904223u;
  return low + (high - low) * (*seed >> 8) / 16777216.0;
}

// A share tau of the step d p = push - S d u, for any small d u, leaves 1 - tau of F.
static void check_equation(double mu, double eps, double given, unsigned *seed) {
  const double rho = random_between(seed, 0.3, 3), small = 1e-6;
  double p[3], u[3], du[3], q[3], rest[3], push = 1, response = 1;
  hn_smooth_cone cone;
  for (int i = 0; i < 3; i++) {
    p[i] = mu > 0 || i == 0 ? random_between(seed, -1, 1) : 0;
    u[i] = random_between(seed, -1, 1);
  }
  hn_smooth_cone_of(mu, rho, eps, p, u, given, &cone);
  for (int i = 0; i < 3; i++) {
    push = fmax(push, fabs(cone.push[i]));
    for (int j = 0; j < 3; j++) response = fmax(response, fabs(cone.s[i][j]));
  }
  const double tau = small / push;
  for (int i = 0; i < 3; i++) du[i] = small / response * random_between(seed, -1, 1);
  for (int i = 0; i < 3; i++) {
    q[i] = p[i] + tau * cone.push[i];
    for (int j = 0; j < 3; j++) q[i] -= cone.s[i][j] * du[j];
    u[i] += du[i];
  }
  hn_smooth_rest(mu, rho, eps, q, u, given, rest);
  for (int i = 0; i < 3; i++) check_near(rest[i], (1 - tau) * cone.rest[i], 1e-4 * small);
}

static void newton_equation_is_exact(void **state) {
  (void)state;
  unsigned seed = 7;
  for (int n = 0; n < 300; n++) {
    const double mu = n % 10 == 0 ? 0 : random_between(&seed, 0.2, 1.5);
    check_equation(mu, random_between(&seed, 0.05, 0.5), 0.3, &seed);
    // by what a free slip is rounded must be small: it is not differentiated by p
    check_equation(mu, random_between(&seed, 0.02, 0.03), -1, &seed);
  }
}

typedef struct pile {
  hn_arena arena;
  hn_many many;
  hn_sweep_body bodies[BOXES + 1];
  hn_sweep_point points[MOST];
  int count;
} pile;

static void begin(pile *c) {
  memset(c, 0, sizeof *c);
  hn_arena_init(&c->arena, NULL);
  assert_int_equal(hn_many_create(&c->arena, BOXES + 1, MOST, &c->many), HN_OK);
}

static void add_point(pile *c, int below, int above, hn_vec3 below_arm, hn_vec3 above_arm,
                      double mu) {
  c->points[c->count] = (hn_sweep_point){.body = {below, above},
                                         .axis = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                                         .arm = {below_arm, above_arm},
                                         .mu = mu};
  hn_sweep_prepare(c->bodies, &c->points[c->count++]);
}

// Cubes of unit mass and edge on top of each other that have fallen for one step of 1 N s, each
// four points on the one below; those of the first move along x with `speed`.
static void make_stack(pile *c, double speed, double mu, double heaviest) {
  const double inverse[6] = {6, 6, 6, 0, 0, 0};
  begin(c);
  for (int b = 1; b <= BOXES; b++) {
    const double mass = b == BOXES ? heaviest : 1;
    c->bodies[b] = (hn_sweep_body){.mass_inverse = 1 / mass,
                                   .inertia_inverse = mat3_scale(1 / mass, mat3_symmetric(inverse)),
                                   .v = {speed, 0, -1}};
  }
  for (int b = 1; b <= BOXES; b++)
    for (int i = 0; i < 4; i++) {
      const double x = i % 2 ? 0.5 : -0.5, y = i / 2 ? 0.5 : -0.5;
      add_point(c, b - 1, b, vec3(x, y, 0.5), vec3(x, y, -0.5), mu);
    }
}

static void solve(pile *c, double enough) {
  double residual = hn_sweep_residual(c->bodies, c->points, c->count);
  const int iterations =
      hn_many_solve(&c->many, c->bodies, BOXES + 1, c->points, c->count, enough, &residual);
  assert_true(iterations > 0);
  assert_true(residual <= enough);
}

static double carried(const pile *c, int first, int count, int i) {
  double sum = 0;
  for (int k = first; k < first + count; k++) sum += c->points[k].p[i];
  return sum;
}

static void stack_bears_its_weight(void **state) {
  (void)state;
  pile c;
  make_stack(&c, 0, 0.5, 1);
  solve(&c, 1e-9);
  for (int b = 1; b <= BOXES; b++) {
    check_near(carried(&c, 4 * (b - 1), 4, 0), BOXES - b + 1, 1e-6);
    check_near(c.bodies[b].v.z, 0, 1e-7);
    check_near(vec3_norm(c.bodies[b].w), 0, 1e-7);
  }
  hn_arena_release(&c.arena);
}

// A mass of a million on five of one: sweeps need some million.
static void heavy_box_rests_on_light_ones(void **state) {
  (void)state;
  pile c;
  make_stack(&c, 0, 0.5, 1e6);
  solve(&c, 1e-9);
  for (int b = 1; b <= BOXES; b++) {
    check_near(carried(&c, 4 * (b - 1), 4, 0), 1e6 + BOXES - b, 1e-2); // 1e6 times the next
    check_near(c.bodies[b].v.z, 0, 1e-8); // the residual times the response of a light box, 8
  }
  hn_arena_release(&c.arena);
}

// A stack that slides as a whole: friction is mu times the weight above each face, all boxes lose
// mu g h of their speed, and none turns as long as mu is small.
static void stack_slides(void **state) {
  (void)state;
  pile c;
  make_stack(&c, 3, 0.05, 1);
  solve(&c, 1e-9);
  for (int b = 1; b <= BOXES; b++) {
    check_near(c.bodies[b].v.x, 3 - 0.05, 1e-7);
    check_near(c.bodies[b].v.z, 0, 1e-7);
    check_near(vec3_norm(c.bodies[b].w), 0, 1e-7);
  }
  check_near(carried(&c, 0, 4, 1), -0.05 * BOXES, 1e-6);
  hn_arena_release(&c.arena);
}

// Friction of 5: what sticks does, and the velocities of a thrown box stop at once.
static void rough_box_stops(void **state) {
  (void)state;
  pile c;
  begin(&c);
  const double inverse[6] = {6, 6, 6, 0, 0, 0};
  c.bodies[1] = (hn_sweep_body){
      .mass_inverse = 1, .inertia_inverse = mat3_symmetric(inverse), .v = {0.1, 0.05, -1}};
  for (int i = 0; i < 4; i++)
    add_point(&c, 0, 1, vec3(i % 2, i / 2, 0), vec3(i % 2 - 0.5, i / 2 - 0.5, -0.1), 5);
  solve(&c, 1e-10);
  check_near(vec3_norm(c.bodies[1].v), 0, 1e-8);
  check_near(vec3_norm(c.bodies[1].w), 0, 1e-8);
  check_near(carried(&c, 0, 4, 0), 1, 1e-8);
  hn_arena_release(&c.arena);
}

// Too many points for what is reserved: nothing is changed.
static void no_room_changes_nothing(void **state) {
  (void)state;
  pile c;
  make_stack(&c, 0, 0.5, 1);
  c.many.pool_size = 1024;
  double residual = 1;
  assert_int_equal(hn_many_solve(&c.many, c.bodies, BOXES + 1, c.points, c.count, 1e-9, &residual),
                   0);
  check_near(residual, 1, 0);
  check_near(c.bodies[1].v.z, -1, 0);
  hn_arena_release(&c.arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newton_equation_is_exact),
      cmocka_unit_test(stack_bears_its_weight),
      cmocka_unit_test(heavy_box_rests_on_light_ones),
      cmocka_unit_test(stack_slides),
      cmocka_unit_test(rough_box_stops),
      cmocka_unit_test(no_room_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
