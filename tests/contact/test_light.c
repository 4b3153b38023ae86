// Massless bodies, or bodies thin as a line, with time-stepped contacts: joints carry the forces on
// them. The same model without contacts, by the method for such models, is the reference.
#include <stdio.h>

#include "contact/contact_machine.h"

// A ball hangs on a rod without inertia about its axis; the rod turns on a massless body, this one
// on ground, both with springs. A ball far away has a contact.
static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, at: [0, 0, -5]}}\n"
    "  cross: {mass: 0}\n"
    "  rod: {mass: 1, center: [0, 0, -0.5], inertia: [1/12, 1/12, 0]}\n"
    "  ball: {mass: 2, position: [0, 0, -1.1], inertia: [0.01, 0.01, 0.01], shape: {sphere: 0.1}}\n"
    "joints:\n"
    "  x: {type: revolute, bodies: [ground, cross], at: [0, 0, 0], axis: x, initial: {angle: 40 "
    "deg}}\n"
    "  y: {type: revolute, bodies: [cross, rod], at: [0, 0, 0], axis: y, initial: {angle: -70 "
    "deg}}\n"
    "  end: {type: fixed, bodies: [rod, ball]}\n"
    "forces:\n"
    "  x: {type: joint-spring-damper, joint: x, stiffness: 30, damping: 0.5}\n"
    "  y: {type: joint-spring-damper, joint: y, stiffness: 20}\n"
    "%s";

static hn_vec3 place_after(const char *contacts, double step, double time) {
  char model[2048];
  snprintf(model, sizeof model, text, contacts);
  contact_machine m = machine_of_text(model, step, 1e-9);
  advance(&m, time);
  const hn_vec3 place = motion_of(&m, 3).position;
  finish(&m);
  return place;
}

static void joints_carry_what_acts_on_light_bodies(void **state) {
  (void)state;
  const hn_vec3 exact = place_after("", 0, 1.5);
  double off[2];
  for (int k = 0; k < 2; k++) {
    const hn_vec3 place =
        place_after("contacts: {floor: {bodies: [ground, ball]}}\n", k == 0 ? 2e-3 : 5e-4, 1.5);
    off[k] = vec3_norm(vec3_sub(place, exact));
  }
  check_at_most(off[0], 0.02);
  check_at_most(off[1], 0.35 * off[0]); // of first order at least
}

// A table on massless feet comes to rest on them.
static void feet_without_mass_carry(void **state) {
  (void)state;
  static const char table[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, contact: true}}\n"
      "  top: {mass: 5, center: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1],\n"
      "        initial: {velocity: [1, 0, 0], angular_velocity: [1, 2, 0.5]}}\n"
      "  foot{i}: {repeat: {i: [1, 3]}, mass: 0,\n"
      "            center: [0.3*cos(i*120 deg), 0.3*sin(i*120 deg), 0.2],\n"
      "            shape: {box: [0.1, 0.1, 0.1], contact: true}}\n"
      "joints:\n"
      "  leg{i}: {repeat: {i: [1, 3]}, type: fixed, bodies: [top, \"foot{i}\"]}\n"
      "contacts: {all: {friction: 0.3, restitution: 0.3}}\n";
  contact_machine m = machine_of_text(table, 1e-3, 0);
  advance(&m, 3);
  const hn_body_motion top = motion_of(&m, 1);
  check_at_most(vec3_norm(top.velocity), 1e-3);
  check_near(top.position.z, 0.35, 5e-3); // 0.3 m over the middle of the feet
  assert_int_equal(hn_simulation_certificate(m.simulation).contacts_unresolved, 0);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(joints_carry_what_acts_on_light_bodies),
      cmocka_unit_test(feet_without_mass_carry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
