// Gaps, normals and places of every pair of shapes: their derivatives against differences, rate and
// acceleration of the gap along a motion without accelerations, and gaps that are known.
#include "pair_scene.h"

static void planes_meet_everything(void **state) {
  (void)state;
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 1);
  const hn_shape_type types[] = {HN_SHAPE_SPHERE, HN_SHAPE_CAPSULE, HN_SHAPE_BOX,
                                 HN_SHAPE_CYLINDER};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    hn_shape_def other = shape_of(types[k], HN_TOUCH_SOLID, 2);
    check_pair(&plane, &other, 0.3, 0.6, 20);
  }
}

static void round_shapes_meet_each_other(void **state) {
  (void)state;
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
  hn_shape_def bar = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 1), other = bar;
  hn_shape_def ball1 = ball, drum = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 1);
  ball1.frame.body = 1;
  other.frame.body = 2;
  other.frame.position = vec3(0.1, 0, 0);
  check_pair(&ball1, &ball, 0.1, 0.5, 50);
  check_pair(&bar, &ball, 0.2, 0.6, 50);
  check_pair(&bar, &other, 0.2, 0.6, 50);
  check_pair(&drum, &ball, 0.3, 0.6, 50);
}

static void polyhedra_meet_round_shapes_and_each_other(void **state) {
  (void)state;
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 1), other = box;
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
  hn_shape_def bar = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 2);
  other.frame.body = 2;
  check_pair(&box, &ball, 0.35, 0.6, 50);
  check_pair(&box, &bar, 0.4, 0.7, 60);
  check_pair(&box, &other, 0.4, 0.6, 20);
}

// A rectangle with a round side, an oval as a spline, a ring from inside.
static void curves_meet_balls_and_planes(void **state) {
  (void)state;
  const double slot[] = {-0.2, -0.1, 0, 0.2, -0.1, 0.7, 0.2, 0.15, 0, -0.2, 0.15, -0.3};
  const double ring[] = {-0.4, 0, 1, 0.4, 0, 1};
  double oval[3 * 12] = {0};
  for (int k = 0; k < 12; k++) {
    oval[3 * k] = 0.3 * cos(2 * HN_PI * k / 12);
    oval[3 * k + 1] = 0.2 * sin(2 * HN_PI * k / 12);
  }
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 2);
  hn_shape_def cam = curve_of(slot, 4, 0, 0, 1), smooth = curve_of(oval, 12, 1, 0, 1);
  hn_shape_def bush = curve_of(ring, 2, 0, 1, 1);
  check_pair(&cam, &ball, 0.2, 0.5, 50);
  check_pair(&smooth, &ball, 0.3, 0.5, 50);
  check_pair(&bush, &ball, 0.05, 0.2, 50);
  check_pair(&cam, &plane, 0.2, 0.5, 30);
  check_pair(&smooth, &plane, 0.2, 0.5, 30);
}

// A hill of 9 x 8 heights, and its triangles.
static void surfaces_meet_balls_capsules_and_boxes(void **state) {
  (void)state;
  double heights[72], vertices[3 * 72];
  int triangles[6 * 56], next = 0;
  for (int k = 0; k < 72; k++) {
    int column = k % 9, row = k / 9;
    double x = (column - 4) * 0.25, y = (row - 3.5) * 0.3;
    heights[k] = 0.05 * sin(2 * x) + 0.04 * cos(2.5 * y + x);
    vec3_store(&vertices[3 * k], vec3(x, y, heights[k]));
    if (column == 8 || row == 7) continue;
    const int corners[6] = {k, k + 1, k + 10, k, k + 10, k + 9};
    for (int i = 0; i < 6; i++) triangles[next++] = corners[i];
  }
  hn_mesh mesh = {"hill", 72, next / 3, vertices, triangles};
  hn_shape_def hill = shape_of(HN_SHAPE_MESH, HN_TOUCH_HEIGHTS, 1), plain = hill;
  hill.mesh = plain.mesh = &mesh;
  hill.heights = heights;
  hill.grid[0] = 9;
  hill.grid[1] = 8;
  hill.grid_step[0] = 0.25;
  hill.grid_step[1] = 0.3;
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
  hn_shape_def bar = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 2);
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 2);
  check_pair(&hill, &ball, 0.1, 0.3, 20);
  check_pair(&hill, &bar, 0.1, 0.3, 20);
  check_pair(&hill, &box, 0.1, 0.3, 20);
  plain.touch = HN_TOUCH_SOLID;
  plain.frame = (hn_frame_on_body){HN_GROUND, {0, 0, 0}, {1, 0, 0, 0}};
  check_pair(&plain, &ball, 0.05, 0.2, 20);
}

// The least distance between a height field (the bumps below) and a body, over samples of both: here
// how far a face, an edge and a capsule stand above the highest bump, which lies under none of their
// corners.
static void bumps_touch_faces_edges_and_capsules(void **state) {
  (void)state;
  enum { SIDE = 41 };
  static double heights[SIDE * SIDE];
  for (int k = 0; k < SIDE * SIDE; k++) {
    const double x = (k % SIDE - 20) * 0.02, y = (k / SIDE - 20) * 0.02;
    heights[k] = 0.1 * exp(-(x * x + y * y) / 0.01);
  }
  static double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static int triangles[3] = {0, 1, 2};
  hn_mesh mesh = {"bump", 4, 1, vertices, triangles};
  hn_shape_def bump = hn_default_shape(HN_SHAPE_MESH);
  bump.touch = HN_TOUCH_HEIGHTS;
  bump.mesh = &mesh;
  bump.heights = heights;
  bump.grid[0] = bump.grid[1] = SIDE;
  bump.grid_step[0] = bump.grid_step[1] = 0.02;
  bump.frame.body = 1;
  hn_shape_def other = hn_default_shape(HN_SHAPE_BOX), bar = hn_default_shape(HN_SHAPE_CAPSULE);
  other.size = vec3(0.5, 0.4, 0.2);
  bar.radius = 0.03;
  bar.length = 0.6;
  other.frame.body = bar.frame.body = 2;
  // face down; an edge down; a capsule across
  const hn_vec3 turn[3] = {{0.03, 0, 0}, {HN_PI / 4, 0, 0}, {HN_PI / 2, 0, 0}};
  for (int k = 0; k < 3; k++) {
    scene s = scene_of(&bump, k < 2 ? &other : &bar);
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] = moved(&s.frames[2], vec3(0.015, 0.01, 0.33), turn[k]);
    s.frames[2].v = vec3(0.1, 0.2, -0.3);
    s.frames[2].w = vec3(0.2, -0.1, 0.3);
    hn_contact_point points[HN_CONTACT_POINTS];
    int count = points_at(&s, 0, s.frames, HN_CONTACT_DERIVATIVES, points), best = 0;
    for (int i = 1; i < count; i++)
      if (points[i].gap < points[best].gap) best = i;
    double least = HUGE_VAL; // from samples of the field to the body
    for (int i = 0; i <= 2000; i++)
      for (int j = 0; j <= 40; j++) {
        const double r = 0.15 * i / 2000, angle = 2 * HN_PI * j / 40;
        hn_vec3 x = vec3(r * cos(angle), r * sin(angle), 0.1 * exp(-r * r / 0.01));
        x = mat3_apply_transposed(s.frames[2].a, vec3_sub(x, s.frames[2].r));
        const hn_vec3 half = k < 2 ? vec3_scale(0.5, other.size) : vec3(0, 0, 0.3);
        const double far = vec3_norm(vec3(fmax(0, fabs(x.x) - half.x), fmax(0, fabs(x.y) - half.y),
                                          fmax(0, fabs(x.z) - half.z)));
        least = fmin(least, far - (k < 2 ? 0 : bar.radius));
      }
    check_near(points[best].gap, least, 5e-4); // the field is cubic between heights of the formula
    assert_true(check_derivatives(&s, 0, &points[best], 2e-4));
    check_acceleration(&s, 0, &points[best]);
    scene_free(&s);
  }
}

// A ball in a bush of radius 0.4 at 0.1 next to its middle; outside of the same circle.
static void a_ring_is_a_circle(void **state) {
  (void)state;
  const double ring[] = {-0.4, 0, 1, 0.4, 0, 1};
  for (int is_hollow = 0; is_hollow < 2; is_hollow++) {
    hn_shape_def bush = curve_of(ring, 2, 0, is_hollow, 1);
    hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
    ball.frame.body = 2;
    ball.radius = 0.12;
    bush.frame = (hn_frame_on_body){1, {0, 0, 0}, {1, 0, 0, 0}};
    scene s = scene_of(&bush, &ball);
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    double far = is_hollow ? 0.1 : 0.6;
    s.frames[2].r = vec3(far * cos(2), far * sin(2), 0.3);
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    hn_contact_point points[HN_CONTACT_POINTS];
    assert_int_equal(points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points), 1);
    check_near(points[0].gap, is_hollow ? 0.4 - 0.1 - 0.12 : 0.6 - 0.4 - 0.12, 1e-14);
    check_near(points[0].normal.x, (is_hollow ? -1 : 1) * cos(2), 1e-14);
    scene_free(&s);
  }
}

// A box of 0.3 x 0.4 x 0.5 on another, turned by 45 degrees: eight crossings at the same height.
static void crossed_boxes_have_eight_points(void **state) {
  (void)state;
  hn_shape_def low = hn_default_shape(HN_SHAPE_BOX), high = low;
  low.frame.body = 1;
  high.frame.body = 2;
  low.size = vec3(1, 1, 0.2);
  high.size = vec3(1, 1, 0.2);
  scene s = scene_of(&low, &high);
  hn_frame_of_ground(&s.frames[1]);
  hn_frame_of_ground(&s.frames[2]);
  s.frames[2] = moved(&s.frames[2], vec3(0, 0, 0.199), vec3(0, 0, HN_PI / 4));
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 0.01);
  int count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
  assert_int_equal(count, 8);
  for (int k = 0; k < count; k++) {
    check_near(points[k].gap, -0.001, 1e-12);
    check_near(points[k].normal.z, 1, 1e-12);
    check_near(fmax(fabs(points[k].point.x), fabs(points[k].point.y)), 0.5, 1e-12);
  }
  s.frames[2] = moved(&s.frames[1], vec3(0.1, 0, 0.2), vec3_zero()); // shifted: four corners
  mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 0.01);
  count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
  for (int k = 0; k < count; k++) check_near(points[k].gap, 0, 1e-12);
  assert_in_range(count, 4, 8);
  scene_free(&s);
}

// From a point to a box of half sizes h about the origin; 0 inside.
static double box_distance(hn_vec3 x, hn_vec3 h) {
  return vec3_norm(
      vec3(fmax(0, fabs(x.x) - h.x), fmax(0, fabs(x.y) - h.y), fmax(0, fabs(x.z) - h.z)));
}

// The least gap is the distance of the segment from the box, found by going along it.
static void a_capsule_is_as_near_as_its_nearest_point(void **state) {
  (void)state;
  enum { PARTS = 2000 };
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX), capsule = hn_default_shape(HN_SHAPE_CAPSULE);
  box.frame.body = 1;
  capsule.frame.body = 2;
  box.size = vec3(0.3, 0.4, 0.5);
  capsule.radius = 0.05;
  capsule.length = 0.6;
  scene s = scene_of(&box, &capsule);
  hn_random random = {7};
  int seen = 0;
  for (int k = 0; k < 400; k++) {
    place_at_random(&s, &random, 0.35);
    double least = HUGE_VAL, found = HUGE_VAL;
    for (int i = 0; i <= PARTS; i++) {
      const hn_vec3 along = mat3_apply(s.frames[2].a, vec3(0, 0, 0.6 * i / PARTS - 0.3));
      const hn_vec3 at = vec3_sub(vec3_add(s.frames[2].r, along), s.frames[1].r);
      least = fmin(
          least, box_distance(mat3_apply_transposed(s.frames[1].a, at), vec3_scale(0.5, box.size)));
    }
    if (least < 0.02) continue; // the axis goes through it
    hn_contact_point points[HN_CONTACT_POINTS];
    const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    const int count = points_at(&s, mode, s.frames, HN_CONTACT_PLACES, points);
    for (int i = 0; i < count; i++)
      if (points[i].is_inside) found = fmin(found, points[i].gap);
    check_near(found, least - capsule.radius, 2e-6);
    seen++;
  }
  assert_in_range(seen, 50, 400);
  scene_free(&s);
}

// Side by side, in the same or the opposite direction: the points are at both ends of their overlap.
static void parallel_capsules_touch_at_the_ends_of_their_overlap(void **state) {
  (void)state;
  hn_shape_def first = hn_default_shape(HN_SHAPE_CAPSULE), second = first;
  first.frame.body = 1;
  second.frame.body = 2;
  first.radius = second.radius = 0.05;
  first.length = 0.6;
  second.length = 0.4;
  scene s = scene_of(&first, &second);
  for (int turn = 0; turn < 2; turn++)
    for (int k = -4; k <= 4; k++) {
      const double z = 0.11 * k;
      const double low = fmax(-0.3, z - 0.2), high = fmin(0.3, z + 0.2);
      hn_frame_of_ground(&s.frames[1]);
      hn_frame_of_ground(&s.frames[2]);
      s.frames[2] = moved(&s.frames[2], vec3(0.08, 0, z), vec3(turn * HN_PI, 0, 0));
      hn_contact_point points[HN_CONTACT_POINTS];
      const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
      assert_int_equal(points_at(&s, mode, s.frames, HN_CONTACT_PLACES, points), 2);
      check_near(fmin(points[0].point.z, points[1].point.z), low, 1e-12);
      check_near(fmax(points[0].point.z, points[1].point.z), high, 1e-12);
      for (int i = 0; i < 2; i++) {
        check_near(points[i].gap, 0.08 - 2 * 0.05, 1e-14);
        check_near(points[i].normal.x, 1, 1e-14);
      }
    }
  scene_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_meet_everything),
      cmocka_unit_test(round_shapes_meet_each_other),
      cmocka_unit_test(polyhedra_meet_round_shapes_and_each_other),
      cmocka_unit_test(curves_meet_balls_and_planes),
      cmocka_unit_test(surfaces_meet_balls_capsules_and_boxes),
      cmocka_unit_test(bumps_touch_faces_edges_and_capsules),
      cmocka_unit_test(a_ring_is_a_circle),
      cmocka_unit_test(crossed_boxes_have_eight_points),
      cmocka_unit_test(parallel_capsules_touch_at_the_ends_of_their_overlap),
      cmocka_unit_test(a_capsule_is_as_near_as_its_nearest_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
