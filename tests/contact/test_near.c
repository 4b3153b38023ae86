// Pairs that are near, by the grid, against all pairs compared with each other.
#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "support/check.h"

#define BALLS 120

static hn_model *balls_in_a_box(hn_random *random, double sizes[BALLS]) {
  hn_model *model;
  static int balls[BALLS], walls[3];
  check_ok(hn_model_create(NULL, &model));
  for (int k = 0; k < BALLS; k++) {
    hn_body_def body = hn_default_body();
    char name[16];
    snprintf(name, sizeof name, "b%d", k);
    body.name = name;
    int id;
    check_ok(hn_model_add_body(model, &body, &id));
    hn_shape_def ball = hn_default_shape(HN_SHAPE_SPHERE);
    sizes[k] = ball.radius = k == 7 ? 0.4 : hn_random_uniform(random, 0.03, 0.06); // one is large
    ball.frame.body = id;
    check_ok(hn_model_add_shape(model, &ball, &balls[k]));
  }
  for (int k = 0; k < 3; k++) {
    hn_shape_def wall = hn_default_shape(HN_SHAPE_BOX);
    wall.touch = HN_TOUCH_PLANE;
    wall.size = vec3(1, 1, 0);
    wall.size.z = 0.002;
    wall.frame.position = vec3(0, 0, -0.001 * (k + 1));
    check_ok(hn_model_add_shape(model, &wall, &walls[k]));
  }
  hn_contact_def rule = hn_default_contact();
  rule.name = "walls";
  rule.shapes1 = balls;
  rule.count1 = BALLS;
  rule.shapes2 = walls;
  rule.count2 = 3;
  check_ok(hn_model_add_contact(model, &rule, NULL));
  rule.name = "balls";
  rule.count2 = 0;
  check_ok(hn_model_add_contact(model, &rule, NULL));
  check_ok(hn_model_finish(model));
  return model;
}

static void the_grid_finds_what_comparing_all_finds(void **state) {
  (void)state;
  hn_random random = hn_random_seed(3);
  double sizes[BALLS];
  hn_model *model = balls_in_a_box(&random, sizes);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_contacts *contacts;
  hn_contact_sweep *sweep, *small;
  hn_error error = {0};
  check_ok(hn_contacts_create(&arena, model, &contacts, &error));
  check_ok(hn_contact_sweep_create(&arena, contacts, 20000, &sweep));
  check_ok(hn_contact_sweep_create(&arena, contacts, 3, &small));
  static hn_frame frames[BALLS + 1];
  for (int trial = 0; trial < 5; trial++) {
    double reach = 0.01 * trial;
    for (int b = 0; b <= BALLS; b++) {
      double x[3];
      hn_frame_of_ground(&frames[b]);
      hn_random_fill(&random, x, 3, 0, 0.8);
      if (b > 0) frames[b].r = vec3_load(x);
    }
    int expected = 0;
    for (int i = 1; i <= BALLS; i++) {
      for (int j = i + 1; j <= BALLS; j++)
        expected +=
            vec3_norm(vec3_sub(frames[i].r, frames[j].r)) <= sizes[i - 1] + sizes[j - 1] + reach;
      for (int k = 0; k < 3; k++) expected += frames[i].r.z + 0.001 * k <= sizes[i - 1] + reach;
    }
    const hn_contact_pair *pairs;
    int count = hn_contacts_near(sweep, frames, reach, NULL, &pairs);
    assert_int_equal(count, expected);
    for (int k = 1; k < count; k++) // each once
      assert_true(pairs[k].shape[0] != pairs[k - 1].shape[0] ||
                  pairs[k].shape[1] != pairs[k - 1].shape[1]);
    assert_true(expected > 3);
    assert_int_equal(hn_contacts_near(small, frames, reach, NULL, &pairs), -1); // capacity exceeded:
                                                                          // reported
  }
  hn_arena_release(&arena);
  hn_model_free(model);
}

// Long shapes, whose balls say little: those nearer than reach and margins are found, few others.
static void long_shapes_that_are_near_are_found(void **state) {
  (void)state;
  enum { SHAPES = 24 };
  static const hn_shape_type types[] = {HN_SHAPE_CAPSULE, HN_SHAPE_BOX, HN_SHAPE_SPHERE};
  hn_random random = hn_random_seed(9);
  hn_model *model;
  int shapes[SHAPES + 1], near = 0, others = 0;
  check_ok(hn_model_create(NULL, &model));
  for (int k = 0; k <= SHAPES; k++) {
    hn_shape_def shape = hn_default_shape(k == SHAPES ? HN_SHAPE_BOX : types[k % 3]);
    shape.size = vec3(0.6, 0.08, 0.1);
    shape.radius = 0.05;
    shape.length = 0.6;
    if (k == SHAPES) shape.touch = HN_TOUCH_PLANE;
    if (k < SHAPES) {
      char name[16];
      hn_body_def body = hn_default_body();
      snprintf(name, sizeof name, "b%d", k);
      body.name = name;
      body.mass = 1;
      body.inertia[0] = body.inertia[1] = body.inertia[2] = 0.01;
      check_ok(hn_model_add_body(model, &body, &shape.frame.body));
    }
    check_ok(hn_model_add_shape(model, &shape, &shapes[k]));
  }
  hn_contact_def rule = hn_default_contact();
  rule.name = "all";
  rule.shapes1 = shapes;
  rule.count1 = SHAPES + 1;
  check_ok(hn_model_add_contact(model, &rule, NULL));
  check_ok(hn_model_finish(model));
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_contacts *contacts;
  hn_contact_sweep *sweep;
  hn_error error = {0};
  check_ok(hn_contacts_create(&arena, model, &contacts, &error));
  check_ok(hn_contact_sweep_create(&arena, contacts, 1000, &sweep));
  for (int trial = 0; trial < 20; trial++) {
    hn_frame frames[SHAPES + 1];
    double margin[SHAPES + 1] = {0};
    const double reach = 0.005 * trial;
    hn_frame_of_ground(&frames[0]);
    for (int b = 1; b <= SHAPES; b++) {
      double x[3], p[4];
      hn_frame_of_ground(&frames[b]);
      hn_random_fill(&random, x, 3, 0, 1.2);
      hn_random_fill(&random, p, 4, -1, 1);
      frames[b].r = vec3_load(x);
      frames[b].a = quat_matrix(quat_unit(quat_load(p)));
      margin[b] = hn_random_uniform(&random, 0, 0.03);
    }
    const hn_contact_pair *found;
    const int count = hn_contacts_near(sweep, frames, reach, margin, &found);
    for (int k = 0, at = 0; k < contacts->pair_count; k++) {
      const hn_contact_pair *pair = &contacts->pairs[k];
      hn_contact_point points[HN_CONTACT_POINTS];
      const double far = fmax(reach, margin[pair->body[0]] + margin[pair->body[1]]);
      const int mode = hn_contact_mode(contacts, pair, frames, 10);
      int is_near = 0, is_found = 0;
      const int many =
          hn_contact_points(contacts, pair, mode, frames, HN_CONTACT_PLACES, points);
      for (int i = 0; i < many; i++) is_near |= points[i].is_inside && points[i].gap < far - 1e-12;
      for (at = 0; at < count && !is_found; at++)
        is_found = found[at].shape[0] == pair->shape[0] && found[at].shape[1] == pair->shape[1];
      near += is_near;
      others += is_found && !is_near;
      assert_true(is_found || !is_near);
    }
  }
  assert_true(near > 300 && others < near);
  hn_arena_release(&arena);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_grid_finds_what_comparing_all_finds),
                                     cmocka_unit_test(long_shapes_that_are_near_are_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
