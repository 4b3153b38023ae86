// Planar profiles in contact with planar profiles, boxes and capsules in their plane: the least gap
// against a search over dense samples of both, in either order; derivatives against differences;
// coincident faces.
#include "contact/curve.h"
#include "pair_scene.h"

enum { SAMPLES = 4000, EACH = 16 };
static const hn_quat upright = {1, 0, 0, 0};

// ---- planar profiles of both kinds -----------------------------------------------------------------

static const double slot_points[] = {-0.2, -0.1, 0, 0.2, -0.1, 0.7, 0.2, 0.15, 0, -0.2, 0.15, -0.3};
static const double star_points[] = {0.3,   0,    0, 0.08,  0.06, 0, 0.1,  0.28, 0, -0.05, 0.09, 0,
                                     -0.25, 0.17, 0, -0.09, 0,    0, -0.2, -0.2, 0, 0.04,  -0.1, 0};

static hn_shape_def outline(int which, int body) {
  static double oval[3 * 12], bean[3 * 10];
  for (int k = 0; k < 12; k++) {
    oval[3 * k] = 0.3 * cos(2 * HN_PI * k / 12);
    oval[3 * k + 1] = 0.2 * sin(2 * HN_PI * k / 12);
  }
  for (int k = 0; k < 10; k++) { // not convex
    double angle = 2 * HN_PI * k / 10, r = 0.2 + 0.06 * cos(2 * angle) + 0.04 * cos(angle);
    bean[3 * k] = r * cos(angle);
    bean[3 * k + 1] = r * sin(angle);
  }
  hn_shape_def s = which == 0   ? curve_of(slot_points, 4, 0, 0, body)
                   : which == 1 ? curve_of(star_points, 8, 0, 0, body)
                   : which == 2 ? curve_of(oval, 12, 1, 0, body)
                                : curve_of(bean, 10, 1, 0, body);
  s.frame = (hn_frame_on_body){body, {0.02, -0.03, 0.01 * body}, upright};
  return s;
}

// In the plane of both, at random; the second turned over where `flip`.
static void place_in_plane(scene *s, hn_random *random, double distance, int flip) {
  for (int b = 1; b <= 2; b++) {
    hn_frame *f = &s->frames[b];
    double angle = hn_random_uniform(random, -3, 3);
    hn_frame_of_ground(f);
    *f = moved(f, vec3(0, 0, 0), vec3(0, 0, angle));
    if (flip && b == 2) *f = moved(f, vec3_zero(), vec3(HN_PI, 0, 0));
    hn_vec3 v = random_vector(random, 1);
    f->v = vec3(v.x, v.y, 0);
    f->w = vec3(0, 0, v.z);
  }
  double way = hn_random_uniform(random, -3, 3);
  s->frames[2].r = vec3(distance * cos(way), distance * sin(way), 0.1);
}

// Samples of a curve in global x y.
static int sampled(const hn_shape_def *def, const hn_frame *f, double *xy) {
  hn_arena arena;
  hn_curve *curve;
  const char *why;
  hn_arena_init(&arena, NULL);
  check_ok(hn_curve_make(&arena, def, &curve, &why));
  int count = hn_curve_sample(curve, EACH, xy, SAMPLES);
  for (int k = 0; k < count; k++) {
    hn_vec3 x = vec3_add(def->frame.position, vec3(xy[2 * k], xy[2 * k + 1], 0));
    x = vec3_add(f->r, mat3_apply(f->a, x));
    xy[2 * k] = x.x;
    xy[2 * k + 1] = x.y;
  }
  hn_arena_release(&arena);
  return count;
}

static double to_segment(const double *x, const double *a, const double *b) {
  double ux = b[0] - a[0], uy = b[1] - a[1], wx = x[0] - a[0], wy = x[1] - a[1];
  double part = fmin(fmax((ux * wx + uy * wy) / (ux * ux + uy * uy), 0), 1);
  return hypot(wx - part * ux, wy - part * uy);
}

static double side(const double *a, const double *b, const double *x) {
  return (b[0] - a[0]) * (x[1] - a[1]) - (b[1] - a[1]) * (x[0] - a[0]);
}

// The least distance of the corners of one closed polygon from another; 0 where they cross.
static double brute(const double *p, int n, const double *q, int m) {
  double least = HUGE_VAL;
  for (int i = 0; i < n; i++) {
    const double *x = &p[2 * i], *y = &p[2 * ((i + 1) % n)];
    for (int j = 0; j < m; j++) {
      const double *a = &q[2 * j], *b = &q[2 * ((j + 1) % m)];
      least = fmin(least, to_segment(x, a, b));
      if (side(a, b, x) * side(a, b, y) < 0 && side(x, y, a) * side(x, y, b) < 0) return 0;
    }
  }
  return least;
}

static double least_gap(const scene *s, int *count) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(s->contacts, s->contacts->pairs, s->frames, 10);
  double least = HUGE_VAL;
  *count = points_at(s, mode, s->frames, HN_CONTACT_PLACES, points);
  for (int k = 0; k < *count; k++)
    if (points[k].is_inside) least = fmin(least, points[k].gap);
  return least;
}

static void compare_in_plane(const hn_shape_def *first, const hn_shape_def *second, int flip) {
  static double a[2 * SAMPLES], b[2 * SAMPLES];
  scene s = scene_of(first, second);
  hn_random random = hn_random_seed(11);
  int seen = 0, touching = 0;
  for (int trial = 0; trial < 40; trial++) {
    place_in_plane(&s, &random, hn_random_uniform(&random, 0.25, 0.9), flip);
    int n = sampled(first, &s.frames[1], a), m = sampled(second, &s.frames[2], b), count;
    double truth = fmin(brute(a, n, b, m), brute(b, m, a, n)), gap = least_gap(&s, &count);
    if (truth > 1e-3) {
      check_near(gap, truth, 2e-4);
      seen++;
    } else if (truth <= 0) {
      if (!(gap < 2e-4)) fail_msg("they overlap, and the gap is %g", gap);
      touching++;
    }
  }
  assert_in_range(seen, 10, 60);
  assert_in_range(touching, 1, 60);
  scene_free(&s);
}

static void the_least_gap_is_that_of_dense_samples(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      hn_shape_def first = outline(i, 1), second = outline(j, 2);
      compare_in_plane(&first, &second, (i + j) % 2);
    }
}

static void compare_derivatives(const hn_shape_def *first, const hn_shape_def *second, int least) {
  scene s = scene_of(first, second);
  hn_random random = hn_random_seed(5);
  int checked = 0;
  for (int trial = 0; trial < 60; trial++) {
    place_in_plane(&s, &random, hn_random_uniform(&random, 0.35, 0.7), trial % 2);
    hn_contact_point points[HN_CONTACT_POINTS];
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    int count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
    for (int k = 0; k < count; k++) {
      checked += check_derivatives(&s, mode, &points[k], 5e-4);
      check_acceleration(&s, mode, &points[k]);
    }
  }
  if (checked < least) fail_msg("only %d points were compared", checked);
  scene_free(&s);
}

static void derivatives_are_exact_in_the_plane(void **state) {
  (void)state;
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 2);
  box.frame = (hn_frame_on_body){2, {0.02, 0.01, 0}, upright};
  for (int i = 0; i < 4; i++) {
    hn_shape_def first = outline(i, 1);
    for (int j = 0; j < 4; j++) {
      hn_shape_def second = outline(j, 2);
      compare_derivatives(&first, &second, 30);
    }
    compare_derivatives(&first, &box, 30);
  }
}

// ---- boxes and capsules ----------------------------------------------------------------------------

// A box is the curve of its four corners.
static void a_box_is_its_outline(void **state) {
  (void)state;
  const double corners[] = {-0.15, -0.2, 0, 0.15, -0.2, 0, 0.15, 0.2, 0, -0.15, 0.2, 0};
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 2),
               same = curve_of(corners, 4, 0, 0, 2);
  box.frame = same.frame = (hn_frame_on_body){2, {0, 0, 0}, upright};
  for (int i = 0; i < 4; i++) {
    hn_shape_def first = outline(i, 1);
    scene one = scene_of(&first, &box), other = scene_of(&same, &first); // in the other order
    hn_random random = hn_random_seed(3);
    for (int trial = 0; trial < 40; trial++) {
      int count[2];
      place_in_plane(&one, &random, hn_random_uniform(&random, 0.3, 0.8), trial % 2);
      for (int b = 0; b < 3; b++) other.frames[b] = one.frames[b];
      double gap = least_gap(&one, &count[0]);
      check_near(least_gap(&other, &count[1]), gap, 1e-12);
    }
    scene_free(&one);
    scene_free(&other);
  }
}

// From a segment with a radius, wherever it points, to the prism of the planar profile: over
// samples of both.
static void a_capsule_is_as_near_as_its_nearest_point(void **state) {
  (void)state;
  static double a[2 * SAMPLES];
  for (int i = 0; i < 4; i++) {
    hn_shape_def first = outline(i, 1), bar = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 2);
    bar.frame = (hn_frame_on_body){2, {0, 0, 0}, upright};
    scene s = scene_of(&first, &bar);
    hn_random random = hn_random_seed(9);
    int seen = 0, checked = 0, count;
    for (int trial = 0; trial < 60; trial++) {
      place_in_plane(&s, &random, hn_random_uniform(&random, 0.35, 0.8), 0);
      s.frames[2] = moved(&s.frames[2], vec3_zero(), random_vector(&random, 1.5));
      if (trial % 10 == 0) s.frames[2] = moved(&s.frames[1], s.frames[2].r, vec3_zero()); // along z
      s.frames[2].w = random_vector(&random, 1);
      hn_vec3 half = mat3_apply(s.frames[2].a, vec3(0, 0, 0.2)), r = s.frames[2].r;
      double ends[4] = {r.x - half.x, r.y - half.y, r.x + half.x + 1e-9, r.y + half.y};
      double axis[2 * 400];
      for (int k = 0; k < 400; k++)
        for (int x = 0; x < 2; x++) axis[2 * k + x] = ends[x] + k / 399.0 * (ends[2 + x] - ends[x]);
      int n = sampled(&first, &s.frames[1], a);
      double truth = fmin(brute(axis, 400, a, n), brute(a, n, axis, 400));
      if (truth < 0.01) continue;
      check_near(least_gap(&s, &count), truth - bar.radius, 2e-4);
      seen++;
      hn_contact_point points[HN_CONTACT_POINTS];
      int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
      count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
      for (int k = 0; trial % 10 && k < count; k++) {
        checked += check_derivatives(&s, mode, &points[k], 5e-4);
        check_acceleration(&s, mode, &points[k]);
      }
    }
    assert_in_range(seen, 20, 60);
    assert_in_range(checked, 20, 1000);
    scene_free(&s);
  }
}

// A square on a square, side on side, corner on corner, and half through: known gaps.
static void faces_that_lie_on_each_other_touch_at_both_ends(void **state) {
  (void)state;
  const double square[] = {-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0};
  hn_shape_def low = curve_of(square, 4, 0, 0, 1), high = curve_of(square, 4, 0, 0, 2);
  low.frame = (hn_frame_on_body){1, {0, 0, 0}, upright};
  high.frame = (hn_frame_on_body){2, {0, 0, 0}, upright};
  scene s = scene_of(&low, &high);
  const double tilt[] = {0, 1e-12, -1e-12, 1e-9, -1e-7};
  for (int k = 0; k < 5; k++)
    for (int shift = 0; shift < 2; shift++) { // with the same corners, and next to each other
      hn_frame_of_ground(&s.frames[1]);
      hn_frame_of_ground(&s.frames[2]);
      s.frames[2] = moved(&s.frames[2], vec3(0.25 * shift, 1, 0), vec3(0, 0, tilt[k]));
      hn_contact_point points[HN_CONTACT_POINTS];
      int count = points_at(&s, 0, s.frames, HN_CONTACT_DERIVATIVES, points), near = 0;
      double low_x = HUGE_VAL, high_x = -HUGE_VAL;
      for (int i = 0; i < count; i++) {
        if (fabs(points[i].gap) > 1e-6) continue;
        near++;
        check_near(fabs(points[i].normal.y), 1, 1e-6);
        low_x = fmin(low_x, points[i].point.x);
        high_x = fmax(high_x, points[i].point.x);
      }
      assert_in_range(near, 2, 4);
      check_near(high_x - low_x, shift ? 0.75 : 1, 1e-6);
    }
  int count;
  s.frames[2] = moved(&s.frames[1], vec3(0.1, 0.9, 0), vec3_zero()); // 0.1 deep
  check_near(least_gap(&s, &count), -0.1, 1e-12);
  s.frames[2] = moved(&s.frames[1], vec3(1.3, 1.4, 0), vec3_zero()); // corner and corner
  check_near(least_gap(&s, &count), 0.5, 1e-12);
  scene_free(&s);
}

// ---- modes -----------------------------------------------------------------------------------------

static double least_of(const scene *s, int mode) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int count = points_at(s, mode, s->frames, HN_CONTACT_DERIVATIVES, points);
  double least = HUGE_VAL;
  for (int k = 0; k < count; k++) {
    check_near(vec3_norm(points[k].normal), 1, 1e-9);
    least = fmin(least, points[k].gap);
  }
  return least;
}

static hn_shape_def ring(double *points, int count, double radius, int body) {
  for (int k = 0; k < count; k++) {
    double angle = 2 * HN_PI * k / count;
    vec3_store(&points[3 * k], vec3(radius * cos(angle), radius * sin(angle), 0));
  }
  hn_shape_def s = curve_of(points, count, 1, 0, body);
  s.frame = (hn_frame_on_body){body, {0, 0, 0}, upright};
  return s;
}

// Two rings of so many pieces that places share a mode: the gap of two circles.
static void many_pieces_touch_where_they_are_nearest(void **state) {
  (void)state;
  static double points[2][3 * 300];
  hn_shape_def first = ring(points[0], 300, 0.3, 1), second = ring(points[1], 300, 0.2, 2);
  scene s = scene_of(&first, &second);
  hn_random random = hn_random_seed(17);
  for (int trial = 0; trial < 100; trial++) {
    double way = 2 * HN_PI * trial / 100, gap = trial % 3 ? 0.01 * (trial % 3) : -0.002;
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] = moved(&s.frames[2], vec3((0.5 + gap) * cos(way), (0.5 + gap) * sin(way), 0),
                        vec3(0, 0, hn_random_uniform(&random, -3, 3)));
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    assert_in_range(mode, 1, hn_contact_modes(s.contacts, s.contacts->pairs) - 1);
    check_near(least_of(&s, mode), gap, 1e-7);
  }
  scene_free(&s);
}

// A hexagonal prism shows its hexagon, then a rectangle: modes of the one have places the other lacks.
static void modes_of_another_face_name_nothing(void **state) {
  (void)state;
  double corners[12];
  for (int k = 0; k < 6; k++) {
    corners[2 * k] = 0.2 * cos(HN_PI * k / 3);
    corners[2 * k + 1] = 0.2 * sin(HN_PI * k / 3);
  }
  hn_shape_def nut = hn_default_shape(HN_SHAPE_EXTRUSION), first = outline(0, 1);
  nut.profile = corners;
  nut.profile_count = 6;
  nut.length = 0.3;
  nut.frame.body = 2;
  first.frame = (hn_frame_on_body){1, {0, 0, 0}, upright};
  scene s = scene_of(&first, &nut);
  const int modes = hn_contact_modes(s.contacts, s.contacts->pairs);
  hn_frame_of_ground(&s.frames[1]);
  hn_frame_of_ground(&s.frames[2]);
  s.frames[2] = moved(&s.frames[2], vec3(0.1, 0.6, 0), vec3(0.5 * HN_PI, 0, 0));
  for (int mode = 0; mode < modes; mode++) least_of(&s, mode);
  // the slot, then the prism's flat end 0.15 below its middle
  int found = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
  s.frames[2].r.y = 0.5;
  double high = least_of(&s, found);
  s.frames[2].r.y = 0.45;
  check_near(least_of(&s, found), high - 0.05, 1e-12);
  scene_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_least_gap_is_that_of_dense_samples),
      cmocka_unit_test(derivatives_are_exact_in_the_plane),
      cmocka_unit_test(a_box_is_its_outline),
      cmocka_unit_test(a_capsule_is_as_near_as_its_nearest_point),
      cmocka_unit_test(faces_that_lie_on_each_other_touch_at_both_ends),
      cmocka_unit_test(many_pieces_touch_where_they_are_nearest),
      cmocka_unit_test(modes_of_another_face_name_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
