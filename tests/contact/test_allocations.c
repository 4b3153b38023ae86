// A step allocates nothing, whatever is in contact: memory is reserved before.
#include <stdio.h>

#include "contact/contact_machine.h"

enum { FEW = 3, MANY = 12 };

// Boxes and balls fall onto each other, a pair of boxes joined where asked for.
static contact_machine make_heap(const hn_allocator *allocator, int count, int is_joined) {
  contact_machine m = {0};
  int shape[MANY];
  check_ok(hn_model_create(allocator, &m.model));
  check_model(&m, hn_model_set_gravity(m.model, vec3(0, 0, -GRAVITY)));
  hn_shape_def plane = hn_default_shape(HN_SHAPE_BOX);
  plane.touch = HN_TOUCH_PLANE;
  plane.size = vec3(10, 10, 0.1);
  plane.frame.position = vec3(0, 0, -0.05);
  check_model(&m, hn_model_add_shape(m.model, &plane, &m.plane));
  char name[12];
  for (int k = 0; k < count; k++) {
    const hn_vec3 at = vec3(0.01 * (k % 3), 0.013 * (k % 2), 0.06 + 0.1 * k);
    snprintf(name, sizeof name, "b%d", k);
    shape[k] = k % 2 == 0 ? add_box(&m, name, vec3(0.1, 0.08, 0.06), 1, at,
                                    quat_from_axis_angle(vec3(0.3, 1, 0.2), 0.1 * k), vec3_zero())
                          : add_ball(&m, name, 0.04, 1, at, vec3_zero(), vec3_zero());
  }
  for (int k = 0; k < count; k++) {
    snprintf(name, sizeof name, "f%d", k);
    add_contact(&m, name, m.plane, shape[k], 0.2, 0.4);
    for (int j = 0; j < k; j++) {
      snprintf(name, sizeof name, "c%d_%d", j, k);
      if (!is_joined || j != 0 || k != 1) add_contact(&m, name, shape[j], shape[k], 0.2, 0.4);
    }
  }
  if (!is_joined) return m;
  hn_joint_def joint = hn_default_joint(HN_JOINT_SPHERICAL);
  joint.name = "link";
  joint.frame1 = hn_model_frame(m.model, 1, vec3(0, 0, 0.11), vec3(0, 0, 1));
  joint.frame2 = hn_model_frame(m.model, 2, vec3(0, 0, 0.11), vec3(0, 0, 1));
  check_model(&m, hn_model_add_joint(m.model, &joint, NULL));
  return m;
}

static void check_run(int count, int is_joined, double step, const char *method) {
  hn_counting_memory memory = {0};
  const hn_allocator allocator = hn_counting_allocator(&memory);
  contact_machine m = make_heap(&allocator, count, is_joined);
  hn_error error = {0};
  check_model(&m, hn_model_finish(m.model));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = step;
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  const long before = memory.calls;
  assert_true(before > 0);
  advance(&m, 0.3);
  assert_int_equal(memory.calls, before);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  assert_true(c.impacts > 3);
  assert_string_equal(c.method, method);
  finish(&m);
}

static void followed_contacts_take_no_memory(void **state) {
  (void)state;
  check_run(FEW, 0, 0, "first-order");
}
static void contacts_stepped_over_take_no_memory(void **state) {
  (void)state;
  check_run(MANY, 0, 1e-3, "time-stepping");
}
static void contacts_beside_joints_take_no_memory(void **state) {
  (void)state;
  check_run(MANY, 1, 1e-3, "time-stepping");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(followed_contacts_take_no_memory),
      cmocka_unit_test(contacts_stepped_over_take_no_memory),
      cmocka_unit_test(contacts_beside_joints_take_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
