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
    int count = points_at(&s, mode, s.frames, HN_CONTACT_PLACES, points);
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

// On a table whose edge is at x = 0, turned about its axis, with its axis so far inside the edge.
static contact_machine drum_at_edge(double inside, double radius, double turn, int *body_id) {
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  hn_shape_def table = hn_default_shape(HN_SHAPE_BOX), drum = hn_default_shape(HN_SHAPE_CYLINDER);
  table.size = vec3(2, 2, 0.1);
  table.frame.position = vec3(-1, 0, 0.95);
  int ids[2];
  check_model(&m, hn_model_add_shape(m.model, &table, &ids[0]));
  hn_body_def body = hn_default_body();
  body.name = "drum";
  const double across = (3 * radius * radius + 0.04) / 12;
  const double inertia[6] = {across, across, 0.5 * radius * radius, 0, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  body.position = vec3(-inside, 0.3, 1.1);
  body.orientation = (hn_quat){cos(turn / 2), 0, 0, sin(turn / 2)};
  check_model(&m, hn_model_add_body(m.model, &body, body_id));
  drum.frame.body = *body_id;
  drum.radius = radius;
  drum.length = 0.2;
  check_model(&m, hn_model_add_shape(m.model, &drum, &ids[1]));
  add_contact(&m, "stand", ids[0], ids[1], 0, 0.5);
  start(&m, 1e-8);
  return m;
}

// A cylinder over an edge stands as long as its center does.
static void a_cylinder_over_a_border_stands_or_tips(void **state) {
  (void)state;
  const double radius = 0.1, inside[] = {0.05, 0.2, 0.4, 0.7, 0.9, 1.2, -0.05},
               turns[] = {0, 0.2, HN_PI / 8};
  for (int i = 0; i < 7; i++)
    for (int k = 0; k < 3; k++) {
      int body;
      contact_machine m = drum_at_edge(inside[i] * radius, radius, turns[k], &body);
      advance(&m, 0.3);
      hn_body_motion now = motion_of(&m, body);
      hn_vec3 up = mat3_column(now.rotation, 2);
      if (inside[i] > 0) {
        check_near(up.z, 1, 1e-12);
        check_near(now.position.x, -inside[i] * radius, 1e-7);
        check_near(now.position.z, 1.1, 1e-7);
      } else { // about the edge: a pendulum, of which energy gives the rate
        const double r2 = 0.01 + pow(inside[i] * radius, 2), drop = 1.1 - now.position.z;
        const double about = (3 * radius * radius + 0.04) / 12 + r2;
        if (!(up.x > 0.02)) fail_msg("it has not tipped: %g", up.x);
        check_near(up.y, 0, 1e-6);
        check_near(now.angular_velocity.y, sqrt(2 * GRAVITY * drop / about), 1e-5);
        check_near(hypot(now.position.x, now.position.z - 1), sqrt(r2), 1e-6);
      }
      finish(&m);
    }
}

// The support reaches as far as the common part of face and end does: over a border, over a corner.
static void an_end_is_supported_up_to_the_border(void **state) {
  (void)state;
  hn_shape_def box = hn_default_shape(HN_SHAPE_BOX), drum = hn_default_shape(HN_SHAPE_CYLINDER);
  box.frame.body = 1;
  drum.frame.body = 2;
  box.size = vec3(1, 1, 0.1);
  drum.radius = 0.1;
  drum.length = 0.2;
  scene s = scene_of(&box, &drum);
  for (int k = 0; k < 200; k++) {
    hn_random random = hn_random_seed((unsigned)k);
    const double x = 0.5 - hn_random_uniform(&random, -0.95, 0.95) * drum.radius,
                 y = k % 2 ? 0.5 - hn_random_uniform(&random, 0, 0.6) * drum.radius : 0;
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] =
        moved(&s.frames[2], vec3(x, y, 0.15), vec3(0, 0, hn_random_uniform(&random, -3, 3)));
    hn_contact_point points[HN_CONTACT_POINTS];
    int mode = hn_contact_mode(s.contacts, s.contacts->pairs, s.frames, 10);
    int count = points_at(&s, mode, s.frames, HN_CONTACT_DERIVATIVES, points), high = 0, low = 0;
    const double half = sqrt(0.01 - (0.5 - x) * (0.5 - x));
    for (int i = 0; i < count; i++) {
      hn_vec3 p = points[i].point;
      check_near(points[i].gap, 0, 1e-12);
      check_near(points[i].normal.z, 1, 1e-9);
      if (p.x > 0.5 + 1e-8 || p.y > 0.5 + 1e-8 || hypot(p.x - x, p.y - y) > 0.1 + 1e-8)
        fail_msg("%g %g lies outside", p.x, p.y);
      if (fabs(p.x - 0.5) < 1e-8 && fabs(p.y - fmin(y + half, 0.5)) < 1e-6) high++;
      if (fabs(p.x - 0.5) < 1e-8 && fabs(p.y - (y - half)) < 1e-6) low++;
      check_derivatives(&s, mode, &points[i], 2e-4);
    }
    const int reaches = y - half < 0.5; // a corner may lie next to it
    if (reaches && half > 0.03 && (high != 1 || low != 1))
      fail_msg("at %g %g: %d and %d ends of the border", x, y, high, low);
  }
  scene_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cylinder_is_as_near_as_its_nearest_point),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(a_cylinder_rolls_on_a_box),
      cmocka_unit_test(a_cylinder_over_a_border_stands_or_tips),
      cmocka_unit_test(an_end_is_supported_up_to_the_border),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
