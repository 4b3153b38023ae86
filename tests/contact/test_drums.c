// Cylinders, round, against boxes: the least gap against a search over both, derivatives against
// differences, and a cylinder that rolls on a box as on a plane.
#include "contact/contact_machine.h"
#include "pair_scene.h"

// The distance of a point from a box of half sizes h about the origin.
static double box_distance(hn_vec3 x, hn_vec3 h) {
  return vec3_norm(
      vec3(fmax(0, fabs(x.x) - h.x), fmax(0, fabs(x.y) - h.y), fmax(0, fabs(x.z) - h.z)));
}

// From a box to a cylinder: projections onto one and the other in turn, which converge to the nearest
// points of convex bodies.
static double distance_between(const hn_frame *box, hn_vec3 half, const hn_frame *cylinder,
                               double radius, double length) {
  hn_vec3 x = box->r;
  double far = 0;
  for (int k = 0; k < 20000; k++) {
    hn_vec3 c = mat3_apply_transposed(cylinder->a, vec3_sub(x, cylinder->r));
    double r = hypot(c.x, c.y), part = r > radius ? radius / r : 1;
    c = vec3(part * c.x, part * c.y, fmin(fmax(c.z, -0.5 * length), 0.5 * length));
    hn_vec3 y = vec3_add(cylinder->r, mat3_apply(cylinder->a, c));
    hn_vec3 b = mat3_apply_transposed(box->a, vec3_sub(y, box->r));
    double now = box_distance(b, half);
    b = vec3(fmin(fmax(b.x, -half.x), half.x), fmin(fmax(b.y, -half.y), half.y),
             fmin(fmax(b.z, -half.z), half.z));
    x = vec3_add(box->r, mat3_apply(box->a, b));
    if (fabs(now - far) < 1e-16) break;
    far = now;
  }
  return far;
}

static void a_cylinder_is_as_near_as_its_nearest_point(void **state) {
  (void)state;
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX), drum = hn_default_shape(HN_SHAPE_CYLINDER);
  box.frame.body = 1;
  drum.frame.body = 2;
  box.size = vec3(0.3, 0.4, 0.5);
  drum.radius = 0.12;
  drum.length = 0.4;
  scene s = scene_of(&box, &drum);
  hn_random random = hn_random_seed(21);
  int seen = 0;
  for (int k = 0; k < 400; k++) {
    place_at_random(&s, &random, hn_random_uniform(&random, 0.35, 0.6));
    double truth = distance_between(&s.frames[1], vec3_scale(0.5, box.size), &s.frames[2],
                                    drum.radius, drum.length);
    if (truth < 1e-4) continue;
    hn_contact_point points[HN_CONTACT_POINTS];
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    int count = points_at(&s, mode, s.frames, 0, points);
    double least = HUGE_VAL;
    for (int i = 0; i < count; i++) least = fmin(least, points[i].gap);
    seen++;
    check_near(least, truth, 1e-7);
  }
  assert_in_range(seen, 100, 400);
  scene_free(&s);
}

static void derivatives_are_exact(void **state) {
  (void)state;
  hn_shape_def box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 1);
  hn_shape_def drum = shape_of(HN_SHAPE_CYLINDER, HN_TOUCH_SOLID, 2);
  check_pair(&box, &drum, 0.35, 0.6, 30);
  drum.frame.body = 1; // the other order
  box.frame.body = 2;
  check_pair(&drum, &box, 0.35, 0.6, 30);
}

// On a box as on a plane: g sin(a)/1.5 down the slope.
static void a_cylinder_rolls_on_a_box(void **state) {
  (void)state;
  const double angle = 0.17, down = GRAVITY * sin(angle) / 1.5;
  for (int wide = 0; wide < 2; wide++) { // longer than the box is wide, and shorter
    contact_machine m = machine_on_plane(vec3(0, -GRAVITY * sin(angle), -GRAVITY * cos(angle)));
    hn_shape_def plank = hn_default_shape(HN_SHAPE_BOX), drum = hn_default_shape(HN_SHAPE_CYLINDER);
    plank.size = vec3(wide ? 1 : 0.2, 4, 0.1);
    plank.frame.position = vec3(0, 0, 0.25);
    int ids[2], body_id;
    check_model(&m, hn_model_add_shape(m.model, &plank, &ids[0]));
    hn_body_def body = hn_default_body();
    body.name = "drum";
    const double inertia[6] = {0.005, 0.01, 0.01, 0, 0, 0};
    memcpy(body.inertia, inertia, sizeof inertia);
    body.position = vec3(0, 1.5, 0.4);
    check_model(&m, hn_model_add_body(m.model, &body, &body_id));
    drum.frame = (hn_frame_on_body){body_id, {0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}};
    drum.radius = 0.1;
    drum.length = 0.4;
    check_model(&m, hn_model_add_shape(m.model, &drum, &ids[1]));
    add_contact(&m, "roll", ids[0], ids[1], 0, 0.5);
    start(&m, 1e-9);
    advance(&m, 1);
    check_near(motion_of(&m, body_id).position.y, 1.5 - 0.5 * down, 1e-8);
    check_near(motion_of(&m, body_id).position.z, 0.4, 1e-9);
    assert_int_equal(hn_simulation_certificate(m.simulation).impacts, 0);
    finish(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cylinder_is_as_near_as_its_nearest_point),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_cylinder_rolls_on_a_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
