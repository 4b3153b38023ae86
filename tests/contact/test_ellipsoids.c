// Ellipsoids with every other shape: derivatives against differences, distances against samples of
// both surfaces, balls as a special case, masses against the integral over slices.
#include <stdlib.h>
#include <string.h>

#include "holon/load.h"
#include "holon/simulation.h"
#include "pair_scene.h"

static hn_shape_def ellipsoid_of(hn_vec3 half_axes, int body) {
  static double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static int triangles[3] = {0, 1, 2};
  static const hn_mesh mesh = {"drawn", 4, 1, vertices, triangles};
  hn_shape_def s = shape_of(HN_SHAPE_MESH, HN_TOUCH_ELLIPSOID, body);
  s.mesh = &mesh;
  s.size = half_axes;
  return s;
}

static void points_move_as_their_derivatives_say(void **state) {
  (void)state;
  hn_shape_def egg = ellipsoid_of(vec3(0.15, 0.1, 0.22), 2), other = egg;
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 1);
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 1);
  hn_shape_def bar = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 1);
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 1);
  hn_shape_def drum = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 1);
  other.frame.body = 1;
  check_pair(&plane, &egg, 0.2, 0.5, 50);
  check_pair(&ball, &egg, 0.3, 0.5, 50); // inside, too
  check_pair(&bar, &egg, 0.3, 0.6, 50);
  check_pair(&box, &egg, 0.4, 0.7, 50);
  check_pair(&drum, &egg, 0.4, 0.7, 50);
  check_pair(&other, &egg, 0.3, 0.6, 50);
}

// ---- distances ----------------------------------------------------------------------------------

enum { AROUND = 160, SAMPLES = AROUND * AROUND / 2 };

// Points of the surface in the axes of the shape: of an ellipsoid, or of a box of these half edges.
static int sample(hn_vec3 half, int is_box, hn_vec3 *points) {
  int count = 0;
  for (int i = 0; i < AROUND / 2; i++)
    for (int k = 0; k < AROUND; k++) {
      const double u = HN_PI * (i + 0.5) / (0.5 * AROUND), v = 2 * HN_PI * k / AROUND;
      hn_vec3 x = vec3(sin(u) * cos(v), sin(u) * sin(v), cos(u));
      if (is_box) x = vec3_scale(1 / fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))), x);
      points[count++] = vec3(half.x * x.x, half.y * x.y, half.z * x.z);
    }
  return count;
}

static hn_vec3 global_of(const scene *s, const hn_shape_def *shape, hn_vec3 x) {
  const hn_frame *f = &s->frames[shape->frame.body];
  const hn_mat3 axes = quat_matrix(shape->frame.orientation);
  return vec3_add(f->r, mat3_apply(f->a, vec3_add(shape->frame.position, mat3_apply(axes, x))));
}

// The least distance of samples is larger than the gap, by less than the samples are apart; and the
// contact point is where they are nearest.
static void compare_with_samples(const hn_shape_def *first, hn_vec3 half, int is_box,
                                 const hn_shape_def *second) {
  static hn_vec3 one[SAMPLES], two[SAMPLES];
  const int n1 = sample(half, is_box, one), n2 = sample(second->size, 0, two);
  hn_random random = hn_random_seed(3);
  scene s = scene_of(first, second);
  for (int trial = 0; trial < 4; trial++) {
    place_at_random(&s, &random, 1);
    hn_contact_point points[HN_CONTACT_POINTS];
    const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    assert_int_equal(points_at(&s, mode, s.frames, HN_CONTACT_PLACES, points), 1);
    double least = HUGE_VAL;
    hn_vec3 *other = malloc(sizeof *other * (size_t)n2), middle = vec3_zero();
    for (int k = 0; k < n2; k++) other[k] = global_of(&s, second, two[k]);
    for (int i = 0; i < n1; i++) {
      const hn_vec3 x = global_of(&s, first, one[i]);
      for (int k = 0; k < n2; k++) {
        const hn_vec3 way = vec3_sub(other[k], x);
        const double far = vec3_dot(way, way);
        if (far >= least) continue;
        least = far;
        middle = vec3_scale(0.5, vec3_add(other[k], x));
      }
    }
    free(other);
    least = sqrt(least);
    assert_true(least >= points[0].gap - 1e-12);
    check_near(points[0].gap, least, 2e-3);
    assert_true(vec3_norm(vec3_sub(points[0].point, middle)) < 0.03);
  }
  scene_free(&s);
}

static void distances_are_those_of_samples(void **state) {
  (void)state;
  hn_shape_def egg = ellipsoid_of(vec3(0.3, 0.1, 0.2), 2);
  hn_shape_def other = ellipsoid_of(vec3(0.05, 0.25, 0.15), 1);
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 1);
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 1);
  compare_with_samples(&other, other.size, 0, &egg);
  compare_with_samples(&ball, vec3(0.12, 0.12, 0.12), 0, &egg);
  compare_with_samples(&box, vec3_scale(0.5, box.size), 1, &egg);
}

static double gap_of(const hn_shape_def *first, const hn_shape_def *second, unsigned seed,
                     hn_contact_point *point) {
  scene s = scene_of(first, second);
  hn_random random = hn_random_seed(seed);
  place_at_random(&s, &random, 0.4);
  hn_contact_point points[HN_CONTACT_POINTS];
  const int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
  const int count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points);
  *point = points[0];
  for (int k = 1; k < count; k++)
    if (points[k].gap < point->gap) *point = points[k];
  scene_free(&s);
  return point->gap;
}

// With equal half axes it is the ball of that radius: gap, point and their derivatives.
static void round_ones_are_balls(void **state) {
  (void)state;
  hn_shape_def egg = ellipsoid_of(vec3(0.12, 0.12, 0.12), 2);
  hn_shape_def ball = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
  const hn_shape_type types[] = {HN_SHAPE_SPHERE, HN_SHAPE_CAPSULE, HN_SHAPE_BOX};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
    hn_shape_def other = shape_of(types[k], HN_TOUCH_SOLID, 1);
    for (unsigned seed = 1; seed < 20; seed++) {
      hn_contact_point a, b;
      check_near(gap_of(&other, &egg, seed, &a), gap_of(&other, &ball, seed, &b), 1e-12);
      const double turned = vec3_dot(a.normal, b.normal) < 0 ? -1 : 1; // bodies change places
      assert_true(vec3_norm(vec3_sub(a.point, b.point)) < 1e-10);
      if (turned < 0) continue;
      for (int i = 0; i < 36; i++)
        check_near(a.point_d[i / 12][i % 12], b.point_d[i / 12][i % 12], 1e-8);
    }
  }
}

// ---- models -------------------------------------------------------------------------------------

static hn_model *load(const char *text) {
  hn_model *model;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "egg.yaml", NULL, &model, &error))
    fail_msg("%s %s", error.element, error.message);
  return model;
}

// V = 4/3 pi a b c, and Jz by slices across z: integral of pi a b (1 - u^2)^2 (a^2 + b^2) / 4 c du.
static void masses_are_those_of_slices(void **state) {
  (void)state;
  hn_model *model = load("bodies: {egg: {density: 1000, shape: {ellipsoid: [0.1, 0.2, 0.3]}}}");
  const double a = 0.1, b = 0.2, c = 0.3;
  double volume = 0, inertia = 0;
  for (int k = 0; k < 20000; k++) {
    const double u = (k + 0.5) / 10000 - 1, area = HN_PI * a * b * (1 - u * u);
    volume += area * c / 10000;
    inertia += area * (1 - u * u) * (a * a + b * b) / 4 * c / 10000;
  }
  const hn_body_def *egg = &model->bodies[1];
  check_near(egg->mass, 1000 * volume, 1e-6 * egg->mass);
  check_near(egg->inertia[2], 1000 * inertia, 1e-6 * egg->inertia[2]);
  hn_model_free(model);
}

// It comes to rest on its flat side.
static void one_lies_on_its_flat_side(void **state) {
  (void)state;
  hn_model *model =
      load("gravity: [0, 0, -9.81]\n"
           "bodies:\n"
           "  ground: {shape: {plane: {}, contact: true}}\n"
           "  egg: {density: 1000, position: [0, 0, 0.25], orientation: {axis: y, angle: 60 deg},\n"
           "        shape: {ellipsoid: [0.2, 0.15, 0.1], contact: true}}\n"
           "contacts: {all: {friction: 0.5}}\n"
           "forces: {air: {type: bushing, bodies: [ground, egg], damping: [1, 1, 1, 2, 2, 2],\n"
           "               at: [0, 0, 0.25]}}\n"
           "simulation: {step: 2 ms}\n");
  hn_simulation *simulation;
  hn_error error = {0};
  double z;
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 8));
  check_ok(hn_simulation_value(simulation, "body.egg.position.z", &z));
  check_near(z, 0.1, 1e-4);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A moving mesh of 5000 corners on a sphere, more than its hull takes: within half a percent.
static void fine_meshes_keep_their_size(void **state) {
  (void)state;
  enum { MANY = 5000 };
  static double vertices[3 * MANY];
  static int triangles[3] = {0, 1, 2};
  for (int k = 0; k < MANY; k++) {
    const double z = (2 * k + 1.0) / MANY - 1, turn = k * HN_PI * (3 - sqrt(5)),
                 r = sqrt(1 - z * z);
    vec3_store(&vertices[3 * k], vec3(r * cos(turn), r * sin(turn), z));
  }
  const hn_mesh mesh = {"ball", MANY, 1, vertices, triangles};
  hn_shape_def ball = shape_of(HN_SHAPE_MESH, HN_TOUCH_SOLID, 2);
  hn_shape_def plane = shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 1);
  ball.mesh = &mesh;
  for (unsigned seed = 1; seed < 10; seed++) {
    hn_contact_point point, exact;
    hn_shape_def sphere = shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2);
    sphere.radius = 1;
    check_near(gap_of(&plane, &ball, seed, &point), gap_of(&plane, &sphere, seed, &exact), 6e-3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_move_as_their_derivatives_say),
      cmocka_unit_test(distances_are_those_of_samples),
      cmocka_unit_test(round_ones_are_balls),
      cmocka_unit_test(masses_are_those_of_slices),
      cmocka_unit_test(fine_meshes_keep_their_size),
      cmocka_unit_test(one_lies_on_its_flat_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
