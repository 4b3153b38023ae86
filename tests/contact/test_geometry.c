// Gaps, normals and places of every pair of shapes: their derivatives against differences, rate and
// acceleration of the gap along a motion without accelerations, and gaps that are known.
#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "support/check.h"

typedef struct scene {
  hn_model *model;
  hn_arena arena;
  hn_contacts *contacts;
  hn_frame frames[3];
} scene;

static hn_shape_def shape_of(hn_shape_type type, hn_touch_kind touch, int body) {
  hn_shape_def s = hn_default_shape(type);
  s.touch = touch;
  s.frame.body = body;
  s.frame.position = vec3(0.02, -0.03, 0.01);
  s.frame.orientation = quat_unit((hn_quat){1, 0.1 * body, -0.2, 0.3});
  s.size = vec3(0.3, 0.4, 0.5);
  s.radius = 0.12;
  s.length = 0.4;
  return s;
}

static scene scene_of(const hn_shape_def *first, const hn_shape_def *second) {
  scene s = {0};
  check_ok(hn_model_create(NULL, &s.model));
  for (int k = 1; k <= 2; k++) {
    hn_body_def body = hn_default_body();
    body.name = k == 1 ? "one" : "two";
    check_ok(hn_model_add_body(s.model, &body, NULL));
  }
  int ids[2];
  check_ok(hn_model_add_shape(s.model, first, &ids[0]));
  check_ok(hn_model_add_shape(s.model, second, &ids[1]));
  hn_contact_def rule = hn_default_contact();
  rule.name = "touch";
  rule.shapes1 = &ids[0];
  rule.shapes2 = &ids[1];
  rule.count1 = rule.count2 = 1;
  check_ok(hn_model_add_contact(s.model, &rule, NULL));
  if (hn_model_finish(s.model)) fail_msg("%s", hn_model_error(s.model)->message);
  hn_arena_init(&s.arena, NULL);
  hn_error error = {0};
  if (hn_contacts_create(&s.arena, s.model, &s.contacts, &error)) fail_msg("%s", error.message);
  assert_int_equal(s.contacts->pair_count, 1);
  hn_frame_of_ground(&s.frames[0]);
  return s;
}

static void scene_free(scene *s) {
  hn_arena_release(&s->arena);
  hn_model_free(s->model);
}

static hn_vec3 random_vector(hn_random *random, double size) {
  double x[3];
  hn_random_fill(random, x, 3, -size, size);
  return vec3_load(x);
}

static hn_quat turned(hn_quat p, hn_vec3 rotation) {
  double angle = vec3_norm(rotation);
  hn_vec3 u = angle > 0 ? vec3_scale(sin(angle / 2) / angle, rotation) : vec3_zero();
  return quat_multiply((hn_quat){cos(angle / 2), u.x, u.y, u.z}, p);
}

static hn_frame moved(const hn_frame *f, hn_vec3 way, hn_vec3 rotation) {
  hn_frame g = *f;
  g.r = vec3_add(f->r, way);
  g.p = turned(f->p, rotation);
  g.a = quat_matrix(g.p);
  return g;
}

static void place_at_random(scene *s, hn_random *random, double distance) {
  for (int b = 1; b <= 2; b++) {
    hn_frame *f = &s->frames[b];
    hn_frame_of_ground(f);
    *f = moved(f, random_vector(random, 0.1), random_vector(random, 1.5));
    f->v = random_vector(random, 1);
    f->w = random_vector(random, 2);
  }
  s->frames[2].r =
      vec3_add(s->frames[1].r, vec3_scale(distance, vec3_unit(random_vector(random, 1))));
}

static int points_at(const scene *s, int mode, const hn_frame *frames, int derivatives,
                     hn_contact_point *points) {
  return hn_contact_points(s->contacts, s->contacts->pairs, mode, frames, derivatives, points);
}

static const hn_contact_point *same_point(const hn_contact_point *points, int count, int feature) {
  for (int k = 0; k < count; k++)
    if (points[k].feature == feature) return &points[k];
  return NULL;
}

// Gap, normal and place against each of twelve small motions.
static int check_derivatives(const scene *s, int mode, const hn_contact_point *p,
                             double tolerance) {
  const double h = 1e-5;
  const int *body = s->contacts->pairs->body;
  for (int k = 0; k < 12; k++) {
    hn_contact_point at[2][HN_CONTACT_POINTS];
    const hn_contact_point *side[2];
    hn_vec3 e = vec3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    for (int i = 0; i < 2; i++) {
      hn_frame frames[3] = {s->frames[0], s->frames[1], s->frames[2]};
      hn_vec3 step = vec3_scale(i ? h : -h, e), none = vec3_zero();
      hn_frame *f = &frames[body[k / 6]];
      *f = k % 6 < 3 ? moved(f, step, none) : moved(f, none, step);
      int count = points_at(s, mode, frames, 0, at[i]);
      side[i] = same_point(at[i], count, p->feature);
      if (!side[i]) return 0; // it left the face
    }
    hn_vec3 arm = vec3_sub(p->point, s->frames[body[k / 6]].r);
    hn_vec3 motion = k % 6 < 3 ? e : vec3_cross(e, arm);
    double gap_d = (k < 6 ? -1 : 1) * vec3_dot(p->normal, motion);
    check_near((side[1]->gap - side[0]->gap) / (2 * h), gap_d, tolerance);
    for (int i = 0; i < 3; i++) {
      double dn = (vec3_get(side[1]->normal, i) - vec3_get(side[0]->normal, i)) / (2 * h);
      double dc = (vec3_get(side[1]->point, i) - vec3_get(side[0]->point, i)) / (2 * h);
      check_near(p->normal_d[i][k], dn, tolerance * (1 + fabs(dn)));
      check_near(p->point_d[i][k], dc, tolerance * (1 + fabs(dc)));
    }
  }
  return 1;
}

// Bodies that keep their speeds: the gap is a function of time whose second derivative is gap_rest.
static void check_acceleration(const scene *s, int mode, const hn_contact_point *p) {
  const double h = 1e-4;
  const int *body = s->contacts->pairs->body;
  double gap[3] = {p->gap, p->gap, p->gap};
  for (int i = -1; i <= 1; i++) {
    hn_frame frames[3] = {s->frames[0], s->frames[1], s->frames[2]};
    for (int b = 1; b <= 2; b++)
      frames[b] = moved(&s->frames[b], vec3_scale(i * h, s->frames[b].v),
                        vec3_scale(i * h, s->frames[b].w));
    hn_contact_point points[HN_CONTACT_POINTS];
    const hn_contact_point *q =
        same_point(points, points_at(s, mode, frames, 0, points), p->feature);
    if (!q) return;
    gap[i + 1] = q->gap;
  }
  hn_contact_motion m = hn_contact_motion_of(p, &s->frames[body[0]], &s->frames[body[1]]);
  check_near(m.gap_rate, (gap[2] - gap[0]) / (2 * h), 2e-5 * (1 + fabs(m.gap_rest) * 10));
  check_near(m.gap_rest, (gap[2] - 2 * gap[1] + gap[0]) / (h * h), 2e-3 * (1 + fabs(m.gap_rest)));
}

static void check_pair(const hn_shape_def *first, const hn_shape_def *second, double near,
                       double far, int least) {
  scene s = scene_of(first, second);
  hn_random random = hn_random_seed(7);
  int checked = 0;
  for (int trial = 0; trial < 60; trial++) {
    place_at_random(&s, &random, hn_random_uniform(&random, near, far));
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    if (s.contacts->pairs->body[0] == HN_GROUND) { // the first body is ground
      s.frames[2].r = vec3_sub(s.frames[2].r, s.frames[1].r);
      mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 1);
    }
    if (mode == HN_CONTACT_APART) continue;
    assert_in_range(mode, 0, hn_contact_modes(s.contacts, s.contacts->pairs) - 1);
    hn_contact_point points[HN_CONTACT_POINTS];
    int count = points_at(&s, mode, s.frames, 1, points);
    for (int k = 0; k < count; k++) {
      if (!points[k].is_inside) continue;
      checked += check_derivatives(&s, mode, &points[k], 2e-4);
      check_acceleration(&s, mode, &points[k]);
    }
  }
  scene_free(&s);
  if (checked < least) fail_msg("only %d points were compared", checked);
}

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

static hn_shape_def curve_of(const double *points, int count, int is_spline, int is_hollow,
                             int body) {
  static const double profile[] = {0, 0, 1, 0, 0, 1};
  hn_shape_def s = shape_of(HN_SHAPE_EXTRUSION, HN_TOUCH_CURVE, body);
  s.profile = profile;
  s.profile_count = 3;
  s.curve = points;
  s.curve_count = count;
  s.curve_is_closed = 1;
  s.curve_is_spline = is_spline;
  s.curve_is_hollow = is_hollow;
  return s;
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

// A ball in a bush of radius 0.4 at 0.1 beside its middle; outside of the same circle.
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
    assert_int_equal(points_at(&s, mode, s.frames, 1, points), 1);
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
  int count = points_at(&s, mode, s.frames, 1, points);
  assert_int_equal(count, 8);
  for (int k = 0; k < count; k++) {
    check_near(points[k].gap, -0.001, 1e-12);
    check_near(points[k].normal.z, 1, 1e-12);
    check_near(fmax(fabs(points[k].point.x), fabs(points[k].point.y)), 0.5, 1e-12);
  }
  s.frames[2] = moved(&s.frames[1], vec3(0.1, 0, 0.2), vec3_zero()); // shifted: four corners
  mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 0.01);
  count = points_at(&s, mode, s.frames, 1, points);
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
    const int count = points_at(&s, mode, s.frames, 0, points);
    for (int i = 0; i < count; i++)
      if (points[i].is_inside) found = fmin(found, points[i].gap);
    check_near(found, least - capsule.radius, 2e-6);
    seen++;
  }
  assert_in_range(seen, 50, 400);
  scene_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_meet_everything),
      cmocka_unit_test(round_shapes_meet_each_other),
      cmocka_unit_test(polyhedra_meet_round_shapes_and_each_other),
      cmocka_unit_test(curves_meet_balls_and_planes),
      cmocka_unit_test(surfaces_meet_balls_capsules_and_boxes),
      cmocka_unit_test(a_ring_is_a_circle),
      cmocka_unit_test(crossed_boxes_have_eight_points),
      cmocka_unit_test(a_capsule_is_as_near_as_its_nearest_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
