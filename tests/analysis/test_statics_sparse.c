// Equilibria of models of many bodies: exact shapes, instability, neutral directions, memory.
#include "analysis/statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/parts.h"
#include "support/machines.h"

#define LINK 0.1    // m
#define WEIGHT 9.81 // N a link

static hn_status find_equilibrium(setting *s, hn_statics_report *report) {
  hn_status status =
      hn_statics_solve(s->equations, NULL, 0, s->q, &s->branches, NULL, report, &s->error);
  update_frames(s);
  return status;
}

// Where joint i of a chain of n links between (0, 0, 0) and (span, 0, 0) is drawn: a V.
static hn_vec3 drawn(int i, int n, double span) {
  double half = 0.5 * n * LINK, s = fmin(i, n - i) * LINK / half;
  double depth = sqrt(half * half - 0.25 * span * span);
  return vec3(2 * i < n ? 0.5 * span * s : span - 0.5 * span * s, 0, -depth * s);
}

static hn_model *make_chain(int n, double span) {
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  char name[32];
  int last = HN_GROUND;
  for (int i = 0; i <= n; i++) {
    hn_vec3 a = drawn(i, n, span), b = drawn(i + 1, n, span);
    int next = HN_GROUND;
    snprintf(name, sizeof name, "link%d", i);
    if (i < n) next = add_body_def(model, body_at(name, 1, 1e-3, vec3_scale(0.5, vec3_add(a, b))));
    snprintf(name, sizeof name, "pin%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, last, next, a, vec3(0, 1, 0));
    last = next;
  }
  return model;
}

// Moments about the center of link i: tan(slope) = (i + 1/2 - n/2) w / H, H the horizontal tension
// with which the links reach from end to end. Returns how wide they reach.
static double reach(int n, double tension, int links, double *down) {
  double wide = 0, z = 0;
  for (int i = 0; i < links; i++) {
    double slope = (i + 0.5 - 0.5 * n) * WEIGHT / tension, length = sqrt(1 + slope * slope);
    double part = i == links - 1 ? 0.5 : 1; // the center of the last one
    wide += LINK / length;
    z += part * LINK * slope / length;
  }
  if (down) *down = z;
  return wide;
}

static void a_long_chain_hangs_in_its_exact_shape(void **state) {
  (void)state;
  static const int sizes[] = {60, 150, 400}; // the first is small enough for dense matrices
  for (int k = 0; k < 3; k++) {
    int n = sizes[k];
    double span = 0.6 * n * LINK, low = 1e-3, high = 1e9, z[2];
    for (int i = 0; i < 200; i++) {
      double middle = sqrt(low * high);
      *(reach(n, middle, n, NULL) < span ? &low : &high) = middle;
    }
    setting s;
    hn_statics_report report;
    set_up(&s, make_chain(n, span));
    check_ok(find_equilibrium(&s, &report));
    const int links[] = {n / 4, n / 2};
    for (int j = 0; j < 2; j++) {
      reach(n, low, links[j], &z[j]);
      check_near(s.frames[links[j]].r.z, z[j], 1e-9 * n * LINK);
    }
    assert_int_equal(report.stable, 1);
    assert_int_equal(report.neutral_count, 0);
    assert_in_range(report.iterations, 1, 30);
    tear_down(&s);
  }
}

// A tower of links, exactly upright: balanced, and not stable.
static void an_upright_tower_is_balanced_but_not_stable(void **state) {
  (void)state;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  int last = HN_GROUND;
  for (int i = 0; i < 120; i++) {
    char name[32];
    snprintf(name, sizeof name, "link%d", i);
    int next = add_body_def(model, body_at(name, 1, 1e-3, vec3(0, 0, (i + 0.5) * LINK)));
    snprintf(name, sizeof name, "pin%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, last, next, vec3(0, 0, i * LINK), vec3(0, 1, 0));
    last = next;
  }
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  check_near(s.frames[last].r.z, 119.5 * LINK, 1e-12);
  assert_int_equal(report.stable, 0);
  tear_down(&s);
}

// A plate on a vertical spring carries masses on springs of their own. Nothing holds the plate along x:
// the one direction without stiffness.
static hn_model *make_table(int count) {
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  int slide = add_body_def(model, body_at("slide", 1, 0.1, vec3(0, 0, 0)));
  int plate = add_body_def(model, body_at("plate", 10, 1, vec3(0, 0, 1)));
  add_joint(model, HN_JOINT_TRANSLATIONAL, "rail", HN_GROUND, slide, vec3(0, 0, 0), vec3(1, 0, 0));
  add_joint(model, HN_JOINT_TRANSLATIONAL, "lift", slide, plate, vec3(0, 0, 0), vec3(0, 0, 1));
  add_spring(model, "spring", slide, vec3(0, 0, 0), plate, vec3(0, 0, 1), 1e5, 1);
  for (int i = 0; i < count; i++) {
    char name[32];
    double x = 0.1 * i;
    snprintf(name, sizeof name, "mass%d", i);
    int mass = add_body_def(model, body_at(name, 1, 0.01, vec3(x, 0, 2)));
    snprintf(name, sizeof name, "guide%d", i);
    add_joint(model, HN_JOINT_TRANSLATIONAL, name, plate, mass, vec3(x, 0, 1), vec3(0, 0, 1));
    snprintf(name, sizeof name, "spring%d", i);
    add_spring(model, name, plate, vec3(x, 0, 1), mass, vec3(x, 0, 2), 1000.0 + i, 1);
  }
  return model;
}

static void the_one_neutral_direction_of_many_bodies_is_named(void **state) {
  (void)state;
  enum { COUNT = 130 };
  setting s;
  hn_statics_report report;
  set_up(&s, make_table(COUNT));
  check_ok(find_equilibrium(&s, &report));
  double plate = 1 - (10 + COUNT) * WEIGHT / 1e5;
  check_near(s.frames[2].r.z, plate, 1e-12);
  check_near(s.frames[3].r.z, plate + 1 - WEIGHT / 1000, 1e-12);
  check_near(s.frames[2 + COUNT].r.z, plate + 1 - WEIGHT / (999.0 + COUNT), 1e-12);
  check_near(s.frames[2].r.x, 0, 1e-12);
  assert_int_equal(report.stable, 1);
  assert_int_equal(report.neutral_count, 1);
  assert_string_equal(report.neutral, "plate x");
  tear_down(&s);
}

// ---- long slender models ------------------------------------------------------------------------

typedef hn_vec3 place_of(int i, int n);

static hn_vec3 along_x(int i, int n) {
  (void)n;
  return vec3(i * LINK, 0, 0);
}

static hn_vec3 above_level(int i, int n) { // 3 : 4
  (void)n;
  return vec3(0.6 * i * LINK, 0, 0.8 * i * LINK);
}

// Up and down in flights of 25 links, along x half as far as the links are long.
static hn_vec3 in_flights(int i, int n) {
  (void)n;
  double up = i % 50 < 25 ? i % 50 : 50 - i % 50;
  return vec3(0.5 * i * LINK, 0, sqrt(0.75) * up * LINK);
}

static double any_number(unsigned *seed) { // 0 .. 1, always the same ones
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

// Each link in any direction.
static hn_vec3 crumpled(int i, int n) {
  hn_vec3 place = {0, 0, 0};
  unsigned seed = 1;
  (void)n;
  for (int k = 0; k < i; k++) {
    double angle = 2 * acos(-1) * any_number(&seed), up = 2 * any_number(&seed) - 1;
    double level = sqrt(1 - up * up);
    place = vec3_add_scaled(place, LINK, vec3(level * cos(angle), level * sin(angle), up));
  }
  return place;
}

static void add_torsion(hn_model *model, const char *name, int joint, double stiffness) {
  hn_force_def spring = hn_default_force(HN_FORCE_ROTATIONAL_SPRING_DAMPER);
  spring.name = name;
  spring.joint = joint;
  spring.coordinate = HN_COORDINATE_ANGLE;
  spring.of_x = linear_law(stiffness, 0);
  check_ok(hn_model_add_force(model, &spring, NULL));
}

// n links from (0, 0, 0) on; with stiffness > 0 a torsion spring at each joint.
static hn_model *make_links(int n, place_of *place, hn_joint_type type, int is_held_at_end,
                            double stiffness) {
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  char name[32];
  int last = HN_GROUND;
  for (int i = 0; i < n + is_held_at_end; i++) {
    hn_vec3 a = place(i, n), b = place(i + 1, n);
    int next = HN_GROUND;
    snprintf(name, sizeof name, "link%d", i);
    if (i < n) next = add_body_def(model, body_at(name, 1, 1e-3, vec3_scale(0.5, vec3_add(a, b))));
    snprintf(name, sizeof name, "pin%d", i);
    int joint = add_joint(model, type, name, last, next, a, vec3(0, 1, 0));
    snprintf(name, sizeof name, "spring%d", i);
    if (stiffness > 0) add_torsion(model, name, joint, stiffness);
    last = next;
  }
  return model;
}

// Drawn level or above it: hangs straight down, every link in its place.
static void free_links_find_their_way_down(void **state) {
  (void)state;
  static place_of *const drawn_as[] = {along_x, above_level};
  static const int sizes[] = {1000, 300};
  for (int k = 0; k < 2; k++) {
    setting s;
    hn_statics_report report;
    set_up(&s, make_links(sizes[k], drawn_as[k], HN_JOINT_REVOLUTE, 0, 0));
    check_ok(find_equilibrium(&s, &report));
    for (int i = 0; i < sizes[k]; i += 37) {
      check_near(s.frames[1 + i].r.x, 0, 1e-9);
      check_near(s.frames[1 + i].r.z, -(i + 0.5) * LINK, 1e-9);
    }
    assert_int_equal(report.stable, 1);
    assert_int_equal(report.neutral_count, 0);
    assert_in_range(report.iterations, 1, 20);
    tear_down(&s);
  }
}

// The first is small enough for dense matrices, whose modes find no way. Each link may spin.
static void a_crumpled_chain_unfolds(void **state) {
  (void)state;
  static const int sizes[] = {40, 150};
  for (int k = 0; k < 2; k++) {
    setting s;
    hn_statics_report report;
    set_up(&s, make_links(sizes[k], crumpled, HN_JOINT_SPHERICAL, 0, 0));
    hn_statics_options options = hn_default_statics_options();
    options.max_iterations = 60 + 140 * k; // soon over for the modes
    check_ok(hn_statics_solve(s.equations, NULL, 0, s.q, &s.branches, &options, &report, &s.error));
    update_frames(&s);
    for (int i = 0; i < sizes[k]; i++) {
      check_near(hypot(s.frames[1 + i].r.x, s.frames[1 + i].r.y), 0, 1e-8);
      check_near(s.frames[1 + i].r.z, -(i + 0.5) * LINK, 1e-8);
    }
    assert_int_equal(report.stable, 1);
    assert_int_equal(report.neutral_count, sizes[k] == 40 ? 40 : 12); // of the twelve softest
    assert_int_equal(report.stable_unknown, sizes[k] != 40);
    tear_down(&s);
  }
}

static void links_drawn_in_flights_hang_in_their_exact_shape(void **state) {
  (void)state;
  enum { N = 500 };
  double low = 1e-3, high = 1e9, z;
  for (int i = 0; i < 200; i++) {
    double middle = sqrt(low * high);
    *(reach(N, middle, N, NULL) < 0.5 * N * LINK ? &low : &high) = middle;
  }
  setting s;
  hn_statics_report report;
  set_up(&s, make_links(N, in_flights, HN_JOINT_REVOLUTE, 1, 0));
  check_ok(find_equilibrium(&s, &report));
  for (int links = 50; links <= N; links += 50) {
    reach(N, low, links, &z);
    check_near(s.frames[links].r.z, z, 1e-9 * N * LINK);
  }
  assert_int_equal(report.stable, 1);
  assert_int_equal(report.neutral_count, 0);
  assert_in_range(report.iterations, 1, 40);
  tear_down(&s);
}

// Level links on torsion springs k: with turn[i] the slope of link i, k times the bend of joint i
// carries the weights beyond it,
//
//   k (turn[i] - turn[i-1]) = w sum over j >= i of (distance of center j from joint i along x)
//
// solved by repeating it from the straight beam; bends are small, so this contracts.
static double bend(int n, double stiffness, double *turn, double *down) {
  for (int pass = 0; pass < 200; pass++) {
    double before = 0, x = 0;
    static double centre[1000], joint[1000], bends[1000];
    for (int i = 0; i < n; i++) {
      joint[i] = x;
      centre[i] = x + 0.5 * LINK * cos(turn[i]);
      x += LINK * cos(turn[i]);
    }
    double weight = 0, moment = 0; // of the centers beyond, about x = 0
    for (int i = n - 1; i >= 0; i--) {
      weight += WEIGHT;
      moment += WEIGHT * centre[i];
      bends[i] = (moment - weight * joint[i]) / stiffness;
    }
    for (int i = 0; i < n; i++) turn[i] = before = before + bends[i];
  }
  double z = 0;
  for (int i = 0; i < n; i++) z -= (i == n - 1 ? 0.5 : 1) * LINK * sin(turn[i]);
  *down = z;
  return turn[n - 1];
}

static void a_slender_beam_bends_as_its_springs_tell_and_nothing_is_neutral(void **state) {
  (void)state;
  static const int sizes[] = {200, 1000};
  for (int k = 0; k < 2; k++) {
    int n = sizes[k];
    // bends the tip by about a sixth of a rad: 0.17 = w n^3 LINK / 6 k
    double stiffness = WEIGHT * LINK * pow(n, 3), down;
    double turn[1000] = {0};
    double tip = bend(n, stiffness, turn, &down);
    setting s;
    hn_statics_report report;
    set_up(&s, make_links(n, along_x, HN_JOINT_REVOLUTE, 0, stiffness));
    check_ok(find_equilibrium(&s, &report));
    check_near(s.frames[n].r.z, down, 1e-8 * n * LINK);
    check_near(atan2(-s.frames[n].a.m[2][0], s.frames[n].a.m[0][0]), tip, 1e-8);
    assert_int_equal(report.stable, 1);
    assert_int_equal(report.neutral_count, 0);
    assert_in_range(report.iterations, 1, 12);
    tear_down(&s);
  }
}

// A needle of 10 g, its center 1 mm off its pivot, on a hair spring: far softer than all else in a
// model of 13 m on stiff springs, and yet in equilibrium.
static void a_hair_spring_in_a_large_machine_holds_its_needle(void **state) {
  (void)state;
  enum { COUNT = 130 };
  const double k = 1e-3, torque = 0.01 * WEIGHT * 1e-3;
  setting s;
  hn_statics_report report;
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  char name[32];
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "mass%d", i);
    int mass = add_body_def(model, body_at(name, 1000, 10, vec3(0.1 * i, 0, 1)));
    snprintf(name, sizeof name, "guide%d", i);
    add_joint(model, HN_JOINT_TRANSLATIONAL, name, HN_GROUND, mass, vec3(0.1 * i, 0, 0),
              vec3(0, 0, 1));
    snprintf(name, sizeof name, "spring%d", i);
    add_spring(model, name, HN_GROUND, vec3(0.1 * i, 0, 0), mass, vec3(0.1 * i, 0, 1), 1e8, 1);
  }
  int needle = add_body_def(model, body_at("needle", 0.01, 1e-7, vec3(1e-3, 1, 0)));
  int pivot =
      add_joint(model, HN_JOINT_REVOLUTE, "pivot", HN_GROUND, needle, vec3(0, 1, 0), vec3(0, 1, 0));
  add_torsion(model, "hair", pivot, k);
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  double turn = atan2(-s.frames[needle].a.m[2][0], s.frames[needle].a.m[0][0]);
  check_near(k * turn, torque * cos(turn), 1e-12);
  check_near(s.frames[1].r.z, 1 - 1000 * WEIGHT / 1e8, 1e-12);
  assert_int_equal(report.neutral_count, 0);
  assert_int_equal(report.stable, 1);
  tear_down(&s);
}

// 130 heavy masses on springs of 1e8 N/m, a pendulum of 1 kg and 1 m, others that hang, and carts on
// level rails.
static hn_model *make_stiff_machine(double height, int carts, int hanging) {
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  char name[32];
  for (int i = 0; i < 130; i++) {
    snprintf(name, sizeof name, "mass%d", i);
    int mass = add_body_def(model, body_at(name, 1000, 10, vec3(i, 0, 1)));
    snprintf(name, sizeof name, "guide%d", i);
    add_joint(model, HN_JOINT_TRANSLATIONAL, name, HN_GROUND, mass, vec3(i, 0, 0), vec3(0, 0, 1));
    snprintf(name, sizeof name, "spring%d", i);
    add_spring(model, name, HN_GROUND, vec3(i, 0, 0), mass, vec3(i, 0, 1), 1e8, 1);
  }
  for (int i = 0; i < carts; i++) {
    snprintf(name, sizeof name, "cart%d", i);
    int cart = add_body_def(model, body_at(name, 1, 1, vec3(i, 3, 0)));
    snprintf(name, sizeof name, "rail%d", i);
    add_joint(model, HN_JOINT_TRANSLATIONAL, name, HN_GROUND, cart, vec3(i, 3, 0), vec3(1, 0, 0));
  }
  for (int i = 0; i < hanging; i++) {
    snprintf(name, sizeof name, "weight%d", i);
    int weight = add_body_def(model, body_at(name, 1, 0.01, vec3(i, 4, -1)));
    snprintf(name, sizeof name, "hook%d", i);
    add_joint(model, HN_JOINT_REVOLUTE, name, HN_GROUND, weight, vec3(i, 4, 0), vec3(0, 1, 0));
  }
  int pendulum = add_body_def(model, body_at("pendulum", 1, 0.01, vec3(0, 5, height)));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, pendulum, vec3(0, 5, 0), vec3(0, 1, 0));
  return model;
}

// Its stiffness of -9.81 N m/rad is 1e-11 of the springs at the span of the model.
static void
an_inverted_pendulum_in_a_stiff_machine_is_not_stable_and_a_hanging_one_is(void **state) {
  (void)state;
  for (int carts = 0; carts < 3; carts++)
    for (int is_upright = 0; is_upright < 2; is_upright++) {
      setting s;
      hn_statics_report report;
      set_up(&s, make_stiff_machine(is_upright ? 1 : -1, carts, 0));
      check_ok(find_equilibrium(&s, &report));
      assert_int_equal(report.stable, !is_upright);
      assert_int_equal(report.neutral_count, carts);
      assert_int_equal(report.stable_unknown, 0);
      assert_string_equal(report.neutral, carts == 0   ? ""
                                          : carts == 1 ? "cart0 x"
                                                       : "cart0 x, cart1 x");
      tear_down(&s);
    }
}

// More neutral directions, or more as soft as itself, than are kept in one sweep. All others hang.
static void one_upright_pendulum_among_many_soft_directions_is_found(void **state) {
  (void)state;
  static const int carts[] = {40, 0, 20}, hanging[] = {0, 120, 60};
  for (int k = 0; k < 3; k++)
    for (int is_upright = 0; is_upright < 2; is_upright++) {
      setting s;
      hn_statics_report report;
      set_up(&s, make_stiff_machine(is_upright ? 1 : -1, carts[k], hanging[k]));
      check_ok(find_equilibrium(&s, &report));
      assert_int_equal(report.stable, !is_upright);
      assert_int_equal(report.stable_unknown, carts[k] > 0 && !is_upright);
      assert_true(report.neutral[0] != '\0' || !carts[k]);
      tear_down(&s);
    }
}

// A cable of 10 m and 5 kg between points 6 m apart: the pull in it is some thousand times the weight
// of a link, and its rounding more than the tolerance of that weight.
static void a_cable_of_many_short_links_hangs_in_its_exact_shape(void **state) {
  (void)state;
  enum { N = 2000 };
  double low = 1e-3, high = 1e9, ratio = 10.0 / (N * LINK), z;
  for (int i = 0; i < 200; i++) {
    double middle = sqrt(low * high);
    *(reach(N, middle, N, NULL) < 0.6 * N * LINK ? &low : &high) = middle;
  }
  hn_model *model = begin_model(vec3(0, 0, -WEIGHT));
  int last = HN_GROUND;
  for (int i = 0; i <= N; i++) {
    char name[32];
    hn_vec3 a = vec3_scale(ratio, drawn(i, N, 0.6 * N * LINK));
    hn_vec3 b = vec3_scale(ratio, drawn(i + 1, N, 0.6 * N * LINK));
    int next = HN_GROUND;
    snprintf(name, sizeof name, "link%d", i);
    if (i < N)
      next = add_body_def(model, body_at(name, 5.0 / N, 1e-5, vec3_scale(0.5, vec3_add(a, b))));
    snprintf(name, sizeof name, "ball%d", i);
    add_joint(model, HN_JOINT_SPHERICAL, name, last, next, a, vec3(0, 1, 0));
    last = next;
  }
  setting s;
  hn_statics_report report;
  set_up(&s, model);
  check_ok(find_equilibrium(&s, &report));
  for (int links = 200; links <= N; links += 200) {
    reach(N, low, links, &z);
    check_near(s.frames[links].r.z, ratio * z, 1e-8);
  }
  assert_int_equal(report.stable, 1);
  assert_int_equal(report.stable_unknown, 1); // each link may spin
  tear_down(&s);
}

static void failing_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_table(110));
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_status status =
        hn_statics_solve(s.equations, &allocator, 0, s.q, &s.branches, NULL, NULL, &s.error);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_int_equal(s.error.status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_chain_hangs_in_its_exact_shape),
      cmocka_unit_test(an_upright_tower_is_balanced_but_not_stable),
      cmocka_unit_test(the_one_neutral_direction_of_many_bodies_is_named),
      cmocka_unit_test(free_links_find_their_way_down),
      cmocka_unit_test(a_crumpled_chain_unfolds),
      cmocka_unit_test(links_drawn_in_flights_hang_in_their_exact_shape),
      cmocka_unit_test(a_slender_beam_bends_as_its_springs_tell_and_nothing_is_neutral),
      cmocka_unit_test(a_hair_spring_in_a_large_machine_holds_its_needle),
      cmocka_unit_test(an_inverted_pendulum_in_a_stiff_machine_is_not_stable_and_a_hanging_one_is),
      cmocka_unit_test(one_upright_pendulum_among_many_soft_directions_is_found),
      cmocka_unit_test(a_cable_of_many_short_links_hangs_in_its_exact_shape),
      cmocka_unit_test(failing_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
