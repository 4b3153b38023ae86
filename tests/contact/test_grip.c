// Two fingers press on a part that rests on the floor, and rise: they slip over it out of rest
// while the floor holds it. Each finger drags with mu F, and the floor carries the rest of the
// weight.
#include <stdio.h>

#include "contact/contact_machine.h"

#define PRESS 10.0
#define MASS 0.3
enum { PART = 4 }; // number of the body

static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "parameters: {F: 10 N, mu: 0.1}\n"
    "bodies:\n"
    "  palm: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.2]}\n"
    "  L: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], center: [-0.04, 0, 0.1], shape: {%s}}\n"
    "  R: {mass: 0.1, inertia: [1e-4, 1e-4, 1e-4], center: [0.04, 0, 0.1], shape: {%s}}\n"
    "  part: {mass: 0.3, solid: {box: [0.06, 0.03, 0.06]}, center: [0, 0, 0.1],\n"
    "         shape: {box: [0.06, 0.03, 0.06]}}\n"
    "  ground: {shape: {plane: {size: 1}, at: [0, 0, 0.07]}}\n"
    "joints:\n"
    "  z: {type: translational, bodies: [ground, palm], at: [0, 0, 0.2], axis: z}\n"
    "  l: {type: translational, bodies: [palm, L], at: [-0.04, 0, 0.1], axis: x}\n"
    "  r: {type: translational, bodies: [palm, R], at: [0.04, 0, 0.1], axis: -x}\n"
    "  sync: {type: coupler, terms: [{joint: l, coefficient: 1}, {joint: r, coefficient: -1}]}\n"
    "drivers: {lift: {joint: z, motion: \"step5(t, 0.1, 0, 1.1, 0.2)\"}}\n"
    "forces:\n"
    "  l: {type: joint-spring-damper, joint: l, preload: -F}\n"
    "  r: {type: joint-spring-damper, joint: r, preload: -F}\n"
    "contacts:\n"
    "  l: {bodies: [L, part], friction: mu}\n"
    "  r: {bodies: [R, part], friction: mu}\n"
    "  floor: {bodies: [ground, part], friction: 0.3}\n"
    "outputs: {fl: contact.l.friction, fr: contact.r.friction, nl: contact.l.force,\n"
    "          floor: contact.floor.force}\n";

#define BOX "box: [0.01, 0.03, 0.06]"
#define LEFT "plane: {size: 0.03}, at: [-0.03, 0, 0.1], orientation: {z: x, x: y}"
#define RIGHT "plane: {size: 0.03}, at: [0.03, 0, 0.1], orientation: {z: -x, x: y}"

static contact_machine grip(const char *left, const char *right, double mu) {
  static char model[4096], setting[32];
  contact_machine m = {0};
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  const char *const settings[] = {setting};
  load.settings = settings;
  load.setting_count = 1;
  snprintf(setting, sizeof setting, "mu=%g", mu);
  const int size = snprintf(model, sizeof model, text, left, right);
  if (hn_model_load_text(model, (size_t)size, "grip.yaml", &load, &m.model, &error) != HN_OK)
    print_error("%s\n", error.message);
  assert_non_null(m.model);
  hn_simulation_options options = hn_default_simulation_options();
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  return m;
}

static void check_slipping(const char *left, const char *right, double mu) {
  contact_machine m = grip(left, right, mu);
  for (int k = 0; k < 2; k++) {
    advance(&m, k == 0 ? 0.11 : 0.4); // hardly begun, and on the way
    check_near(value_of(&m, "fl"), mu * PRESS, 1e-8);
    check_near(value_of(&m, "fr"), mu * PRESS, 1e-8);
    check_near(value_of(&m, "floor"), MASS * GRAVITY - 2 * mu * PRESS, 1e-8);
    const hn_body_motion now = motion_of(&m, PART);
    check_near(now.position.z, 0.1, 1e-10);
    check_at_most(vec3_norm(now.velocity), 1e-10);
    check_at_most(vec3_norm(now.angular_velocity), 1e-9);
  }
  assert_int_equal(hn_simulation_certificate(m.simulation).contacts_unresolved, 0);
  finish(&m);
}

static void fingers_slip_over_a_part_on_the_floor(void **state) {
  (void)state;
  const double mu[] = {0.05, 0.08, 0.1, 0.12, 0.14};
  for (size_t k = 0; k < sizeof mu / sizeof *mu; k++) {
    check_slipping(BOX, BOX, mu[k]);
    check_slipping(LEFT, RIGHT, mu[k]);
  }
}

// 2 mu F > m g, with enough to spare for what the lift accelerates.
static void fingers_that_hold_lift_the_part(void **state) {
  (void)state;
  contact_machine m = grip(BOX, BOX, 0.2);
  advance(&m, 1.2);
  check_near(motion_of(&m, PART).position.z, 0.3, 1e-8);
  check_near(value_of(&m, "fl"), 0.5 * MASS * GRAVITY, 1e-8);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fingers_slip_over_a_part_on_the_floor),
      cmocka_unit_test(fingers_that_hold_lift_the_part),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
