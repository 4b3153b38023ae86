// Time-stepped contacts: bodies at rest stay, energy is accounted for, joints hold.
#include <stdio.h>

#include "contact/contact_machine.h"

static void start_with_step(contact_machine *m, double step) {
  hn_error error = {0};
  check_model(m, hn_model_finish(m->model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.step = step;
  hn_status status = hn_simulation_create(m->model, &options, &m->simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
}

static void stack_of_boxes_stays(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  const char *names[] = {"a", "b", "c", "d", "e"};
  int box[5];
  for (int k = 0; k < 5; k++) {
    const double x = k % 2 ? 0.02 : -0.02;
    box[k] = add_box(&m, names[k], vec3(0.2, 0.2, 0.2), 1, vec3(x, 0, 0.1 + 0.2 * k),
                     quat_identity(), vec3_zero());
    add_contact(&m, names[k], box[k], k > 0 ? box[k - 1] : m.plane, 0, 0.5);
  }
  start_with_step(&m, 1e-3);
  advance(&m, 1);
  for (int k = 0; k < 5; k++) {
    check_near(motion_of(&m, k + 1).position.x, k % 2 ? 0.02 : -0.02, 1e-9);
    check_near(motion_of(&m, k + 1).position.z, 0.1 + 0.2 * k, 1e-9);
  }
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  assert_int_equal(c.contacts_unresolved, 0);
  check_at_most(c.contact_residual, 1e-6);
  finish(&m);
}

static void spheres_fall_and_their_energy_is_known(void **state) {
  (void)state;
  enum { COUNT = 27 };
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  int ball[COUNT];
  static char names[COUNT][8];
  for (int k = 0; k < COUNT; k++) {
    snprintf(names[k], sizeof names[k], "b%d", k);
    const double x = 0.11 * (k % 3) + 0.003 * sin(12.9898 * k);
    const double y = 0.11 * (k / 3 % 3) + 0.003 * sin(78.233 * k);
    ball[k] = add_ball(&m, names[k], 0.05, 0.5, vec3(x, y, 0.1 + 0.12 * (k / 9)), vec3_zero(),
                       vec3_zero());
  }
  hn_contact_def contact = hn_default_contact();
  contact.name = "floor";
  contact.shapes1 = ball;
  contact.count1 = COUNT;
  contact.shapes2 = &m.plane;
  contact.count2 = 1;
  contact.friction = 0.3;
  contact.restitution = 0.2;
  check_model(&m, hn_model_add_contact(m.model, &contact, NULL));
  contact.name = "balls";
  contact.shapes2 = NULL;
  contact.count2 = 0;
  check_model(&m, hn_model_add_contact(m.model, &contact, NULL));
  start_with_step(&m, 1e-3);
  advance(&m, 0.5);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  check_at_most(c.energy_balance, 1e-10);
  assert_int_equal(c.contacts_unresolved, 0);
  check_at_most(c.penetration, 1e-4);
  assert_true(c.impact_loss > 0 && c.friction_loss > 0);
  finish(&m);
}

// A pendulum that hits a wall next to its lowest position and stays there: its joint holds.
static void joint_holds_through_impacts(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(GRAVITY, 0, -GRAVITY));
  const int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.6), vec3_zero(), vec3_zero());
  add_contact(&m, "floor", ball, m.plane, 0, 0.1);
  hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
  pin.name = "pin";
  pin.frame1 = hn_model_frame(m.model, HN_GROUND, vec3(-1, 0, 0.6), vec3(0, 1, 0));
  pin.frame2 = hn_model_frame(m.model, 1, vec3(-1, 0, 0.6), vec3(0, 1, 0));
  check_model(&m, hn_model_add_joint(m.model, &pin, NULL));
  start_with_step(&m, 1e-3);
  advance(&m, 2);
  const hn_body_motion at = motion_of(&m, 1);
  check_near(hypot(at.position.x + 1, at.position.z - 0.6), 1, 1e-10);
  check_near(at.position.z, 0.1, 1e-4);
  check_near(vec3_norm(at.velocity), 0, 1e-6);
  check_at_most(hn_simulation_certificate(m.simulation).constraint_position, 1e-9);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stack_of_boxes_stays),
      cmocka_unit_test(spheres_fall_and_their_energy_is_known),
      cmocka_unit_test(joint_holds_through_impacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
