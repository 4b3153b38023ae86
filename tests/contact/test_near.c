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
    int count = hn_contacts_near(sweep, frames, reach, &pairs);
    assert_int_equal(count, expected);
    for (int k = 1; k < count; k++) // each once
      assert_true(pairs[k].shape[0] != pairs[k - 1].shape[0] ||
                  pairs[k].shape[1] != pairs[k - 1].shape[1]);
    assert_true(expected > 3);
    assert_int_equal(hn_contacts_near(small, frames, reach, &pairs), -1); // capacity exceeded:
                                                                          // reported
  }
  hn_arena_release(&arena);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_grid_finds_what_comparing_all_finds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
