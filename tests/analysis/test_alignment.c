// Locked linkages: the misaligned joint is found, with the axis and point it had. Linkages that
// move are not reported although they have redundant constraints. Linkages come from their
// closed-form conditions.
#include "analysis/alignment.h"

#include <stdio.h>

#include "analysis/mobility.h"
#include "analysis/parts.h"
#include "model/model.h"

enum { MOST = 8 };
static const hn_vec3 X = {1, 0, 0}, Y = {0, 1, 0}, Z = {0, 0, 1}, O = {0, 0, 0};

typedef struct joint {
  hn_joint_type type;
  int a, b; // bodies, 0: ground
  hn_vec3 at, axis;
} joint;

typedef struct linkage {
  const char *name;
  int bodies, count;
  joint joints[MOST];
} linkage;

#define PIN HN_JOINT_REVOLUTE

// ---- linkages that move -------------------------------------------------------------------------

// A ring of revolute joints by the rules of Denavit and Hartenberg.
static linkage make_ring(const char *name, int count, const double *length, const double *twist,
                         const double *angle) {
  linkage l = {.name = name, .bodies = count - 1, .count = count};
  hn_mat3 a = mat3_identity();
  hn_vec3 at = O;
  for (int k = 0; k < count; k++) {
    l.joints[k] = (joint){PIN, k, (k + 1) % count, at, mat3_column(a, 2)};
    const double c = cos(angle[k]), s = sin(angle[k]), ct = cos(twist[k]), st = sin(twist[k]);
    at = vec3_add(at, mat3_apply(a, vec3(length[k] * c, length[k] * s, 0)));
    a = mat3_multiply(a, (hn_mat3){{{c, -s * ct, s * st}, {s, c * ct, -c * st}, {0, st, ct}}});
  }
  check_near(vec3_norm(at), 0, 1e-12); // it is closed
  check_near(vec3_norm(vec3_sub(mat3_column(a, 2), Z)), 0, 1e-12);
  return l;
}

// sin(alpha)/a = sin(beta)/b, tan(t1/2) tan(t2/2) = sin((beta + alpha)/2) / sin((beta - alpha)/2)
static linkage make_bennett(void) {
  const double alpha = 0.6, beta = 1.1, t1 = 0.9, b = sin(beta) / sin(alpha);
  const double t2 = 2 * atan(sin(0.5 * (beta + alpha)) / sin(0.5 * (beta - alpha)) / tan(0.5 * t1));
  return make_ring("Bennett", 4, (double[]){1, b, 1, b}, (double[]){alpha, beta, alpha, beta},
                   (double[]){t1, t2, -t1, -t2});
}

// Threefold symmetric: twists of 90 deg in turn, cos t1 + cos t2 + cos t1 cos t2 = 0.
static linkage make_bricard(void) {
  const double t1 = 2, t2 = acos(-cos(t1) / (1 + cos(t1))), up = HN_PI / 2;
  return make_ring("Bricard", 6, (double[]){1, 1, 1, 1, 1, 1},
                   (double[]){up, -up, up, -up, up, -up}, (double[]){t1, t2, t1, t2, t1, t2});
}

static linkage make_sarrus(void) {
  return (linkage){"Sarrus",
                   5,
                   6,
                   {{PIN, 0, 1, {0, 0, 0}, Y},
                    {PIN, 1, 2, {1, 0, 1}, Y},
                    {PIN, 2, 5, {0, 0, 2}, Y},
                    {PIN, 0, 3, {0, 0, 0}, X},
                    {PIN, 3, 4, {0, 1, 1}, X},
                    {PIN, 4, 5, {0, 0, 2}, X}}};
}

static linkage make_parallelogram(void) {
  return (linkage){"parallelogram",
                   4,
                   6,
                   {{PIN, 0, 1, {0, 0, 0}, Z},
                    {PIN, 1, 4, {0.3, 1, 0}, Z},
                    {PIN, 0, 2, {1, 0, 0}, Z},
                    {PIN, 2, 4, {1.3, 1, 0}, Z},
                    {PIN, 0, 3, {2, 0, 0}, Z},
                    {PIN, 3, 4, {2.3, 1, 0}, Z}}};
}

static linkage make_four_bar(void) {
  return (linkage){"four-bar",
                   3,
                   4,
                   {{PIN, 0, 1, {0, 0, 0}, Z},
                    {PIN, 1, 2, {0, 1, 0}, Z},
                    {PIN, 2, 3, {2.2, 1.3, 0}, Z},
                    {PIN, 0, 3, {2, 0, 0}, Z}}};
}

static linkage make_slider_crank(void) {
  return (linkage){"slider-crank",
                   3,
                   4,
                   {{PIN, 0, 1, {0, 0, 0}, Z},
                    {PIN, 1, 2, {0.3, 0.4, 0}, Z},
                    {PIN, 2, 3, {1.3, 0, 0}, Z},
                    {HN_JOINT_TRANSLATIONAL, 0, 3, {1.3, 0, 0}, X}}};
}

// Two arms on two hinges each, in line.
static linkage make_wishbones(void) {
  return (linkage){"double wishbone",
                   3,
                   6,
                   {{PIN, 0, 1, {0.1, 0.2, 0.2}, X},
                    {PIN, 0, 1, {-0.2, 0.2, 0.2}, X},
                    {PIN, 0, 2, {0.1, 0.35, 0.5}, X},
                    {PIN, 0, 2, {-0.1, 0.35, 0.5}, X},
                    {HN_JOINT_SPHERICAL, 1, 3, {0, 0.72, 0.18}, Z},
                    {HN_JOINT_SPHERICAL, 2, 3, {-0.02, 0.68, 0.52}, Z}}};
}

static linkage make_door(void) {
  return (linkage){
      "door",
      1,
      3,
      {{PIN, 0, 1, {0, 0, 0}, Z}, {PIN, 0, 1, {0, 0, 1}, Z}, {PIN, 0, 1, {0, 0, 2}, Z}}};
}

static linkage (*const LINKAGES[])(void) = {make_bennett,       make_bricard,  make_sarrus,
                                            make_parallelogram, make_four_bar, make_slider_crank,
                                            make_wishbones,     make_door};
enum { COUNT = sizeof LINKAGES / sizeof LINKAGES[0] };

// ---- judging them -------------------------------------------------------------------------------

static hn_vec3 turned(hn_vec3 axis, double degrees, hn_vec3 about) {
  return mat3_apply(quat_matrix(quat_from_axis_angle(about, degrees * HN_PI / 180)), axis);
}

static hn_model *make_model(const linkage *l) {
  hn_model *model = begin_model(O);
  char name[16];
  for (int b = 1; b <= l->bodies; b++) {
    hn_vec3 center = O;
    int count = 0;
    for (int k = 0; k < l->count; k++)
      if (l->joints[k].a == b || l->joints[k].b == b) {
        center = vec3_add(center, l->joints[k].at);
        count++;
      }
    snprintf(name, sizeof name, "b%d", b);
    add_body(model, name, vec3_scale(1.0 / count, center));
  }
  for (int k = 0; k < l->count; k++) {
    snprintf(name, sizeof name, "j%d", k);
    add_joint(model, l->joints[k].type, name, l->joints[k].a, l->joints[k].b, l->joints[k].at,
              l->joints[k].axis);
  }
  return model;
}

static void mobility_of(const linkage *l, hn_mobility *m) {
  setting s;
  set_up(&s, make_model(l));
  check_ok(hn_mobility_compute(s.equations, NULL, 0, s.q, &s.branches, m, &s.error));
  tear_down(&s);
}

static hn_joint_alignment alignment_of(const linkage *l, int part_of, int is_locked) {
  setting s;
  hn_arena arena;
  hn_joint_graph graph;
  hn_joint_alignment found;
  set_up(&s, make_model(l));
  hn_arena_init(&arena, NULL);
  hn_frame frames[MOST + 1];
  hn_drawn_frames(s.model, frames);
  check_ok(hn_joint_graph_create(&arena, s.equations->elements, &graph));
  const int part = graph.part_of_row[s.equations->elements->joint_row[part_of]];
  check_ok(hn_mobility_find_alignment(&arena, s.equations->elements, &graph, part, 0, frames,
                                      &s.branches, is_locked, &found));
  char text[400];
  if (found.joint >= 0)
    print_message("%s: joint %d: %s\n", l->name, found.joint,
                  hn_mobility_describe_alignment(s.equations->elements, &found, text, sizeof text));
  hn_arena_release(&arena);
  tear_down(&s);
  return found;
}

static void linkages_that_move_are_not_reported(void **state) {
  (void)state;
  for (int k = 0; k < COUNT; k++) {
    linkage l = LINKAGES[k]();
    hn_mobility m;
    mobility_of(&l, &m);
    assert_true(m.degrees_of_freedom > 0);
    assert_true(m.redundant_count > 0);
    assert_string_equal(m.note, "");
    hn_mobility_free(&m);
    assert_int_equal(alignment_of(&l, 0, 0).joint, -1);
    assert_int_equal(alignment_of(&l, 0, 1).joint, -1);
  }
}

// Every joint of every linkage, misaligned by 1 degree across its axis, is reported, and the change
// is no larger than the error. (Some linkages move all the same, or to first order.)
static void an_axis_off_by_one_degree_is_named(void **state) {
  (void)state;
  int locked = 0;
  for (int k = 0; k < COUNT; k++) {
    const linkage l = LINKAGES[k]();
    for (int j = 0; j < l.count; j++) {
      linkage off = l;
      hn_mobility m;
      const hn_vec3 axis = l.joints[j].axis;
      const hn_vec3 across = vec3_unit(vec3_cross(axis, vec3(0.2, 0.5, 1.3)));
      off.joints[j].axis = turned(axis, 1, across);
      mobility_of(&off, &m);
      const int is_locked = m.degrees_of_freedom == 0;
      char name[16];
      snprintf(name, sizeof name, "'j%d'", j);
      if (is_locked) check_names(m.note, name);
      hn_mobility_free(&m);
      if (!is_locked) continue;
      locked++;
      const hn_joint_alignment found = alignment_of(&off, j, 0);
      assert_int_equal(found.joint, j);
      assert_true(found.size <= 1.001 * HN_PI / 180);
      if (l.joints[j].type == PIN && k >= 3) // parallel axes: none but the old one will do
        check_near(fabs(vec3_dot(found.axis, axis)), 1, 1e-12);
    }
  }
  assert_true(locked >= 25);
}

// Points of linkages whose lengths must agree. A bar that is too long may be mended at either end.
static void a_point_that_is_off_is_named(void **state) {
  (void)state;
  const hn_vec3 shift = {0.003, 0.0005, 0};
  linkage parallelogram = make_parallelogram(), door = make_door(), bennett = make_bennett();
  for (int j = 0; j < parallelogram.count; j++) {
    linkage off = parallelogram;
    off.joints[j].at = vec3_add(off.joints[j].at, shift);
    const hn_joint_alignment found = alignment_of(&off, 0, 0);
    const int other = j ^ 1; // of the same bar
    assert_true((found.joint == j && found.equal == other) ||
                (found.joint == other && found.equal == j));
    check_near(found.shift, vec3_norm(shift), 1e-9);
    check_near(found.angle, 0, 1e-9);
  }
  for (int j = 0; j < door.count; j++) {
    linkage off = door;
    off.joints[j].at = vec3_add(off.joints[j].at, shift);
    const hn_joint_alignment found = alignment_of(&off, 0, 0);
    assert_int_equal(found.joint, j);
    check_near(vec3_norm(vec3_sub(found.point, door.joints[j].at)), 0, 1e-9);
  }
  for (int j = 0; j < bennett.count; j++) {
    linkage off = bennett;
    off.joints[j].at = vec3_add(off.joints[j].at, shift);
    const hn_joint_alignment found = alignment_of(&off, 0, 0);
    assert_int_equal(found.joint, j);
    assert_true(found.shift <= (1 + 1e-9) * vec3_norm(shift));
    assert_true(found.angle <= 1e-3); // little of the change is a rotation
  }
}

// From rounding errors to an axis along the wrong direction.
static void the_size_of_a_tilt_does_not_matter(void **state) {
  (void)state;
  const linkage l = make_four_bar();
  for (int j = 0; j < l.count; j++)
    for (double degrees = 1e-5; degrees < 95; degrees *= degrees < 1 ? 10 : 3) {
      linkage off = l;
      off.joints[j].axis = turned(Z, degrees, vec3_unit(vec3(0.4, 1, 0)));
      const hn_joint_alignment found = alignment_of(&off, 0, 0);
      assert_int_equal(found.joint, j);
      assert_int_equal(found.agreeing, 3);
      check_near(found.angle * 180 / HN_PI, degrees, 1e-6 * degrees);
      check_near(found.shift, 0, 1e-6 * degrees);
    }
}

// The slide of a slider-crank may lie anywhere in the plane.
static void a_slide_out_of_the_plane_is_named(void **state) {
  (void)state;
  linkage off = make_slider_crank();
  off.joints[3].axis = turned(X, 2, Y);
  const hn_joint_alignment found = alignment_of(&off, 0, 0);
  assert_int_equal(found.joint, 3);
  check_near(found.axis.z, 0, 1e-9);
  check_near(found.angle * 180 / HN_PI, 2, 1e-6);
}

// Bars that have no motion near: a triangle. No joint is to be aligned.
static void a_frame_is_locked_without_a_joint_out_of_line(void **state) {
  (void)state;
  const linkage truss = {
      "triangle",
      2,
      3,
      {{PIN, 0, 1, {0, 0, 0}, Z}, {PIN, 1, 2, {1, 1, 0}, Z}, {PIN, 0, 2, {2, 0, 0}, Z}}};
  hn_mobility m;
  mobility_of(&truss, &m);
  assert_int_equal(m.degrees_of_freedom, 0);
  assert_true(m.note[0] != 0);
  hn_mobility_free(&m);
  assert_int_equal(alignment_of(&truss, 0, 0).joint, -1);
}

static void failing_memory_is_reported(void **state) {
  (void)state;
  linkage off = make_four_bar();
  off.joints[2].axis = turned(Z, 1, X);
  setting s;
  set_up(&s, make_model(&off));
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_mobility m;
    const hn_status status =
        hn_mobility_compute(s.equations, &allocator, 0, s.q, &s.branches, &m, &s.error);
    hn_mobility_free(&m);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linkages_that_move_are_not_reported),
      cmocka_unit_test(an_axis_off_by_one_degree_is_named),
      cmocka_unit_test(a_point_that_is_off_is_named),
      cmocka_unit_test(the_size_of_a_tilt_does_not_matter),
      cmocka_unit_test(a_slide_out_of_the_plane_is_named),
      cmocka_unit_test(a_frame_is_locked_without_a_joint_out_of_line),
      cmocka_unit_test(failing_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
