// A chain that falls on the floor and comes to lie there: its links change between sticking,
// sliding and parting hundreds of times within milliseconds. With `auto` this is time-stepped, and
// reported.
#include "contact/contact_machine.h"

enum { LINKS = 10 };

static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, contact: true}}\n"
    "  link{i}: {repeat: {i: [1, 10]}, mass: 0.05, center: [0.002*i, 0, 0.3 + 0.05*i],\n"
    "            inertia: [2e-5, 2e-5, 1e-6],\n"
    "            shape: {capsule: {radius: 0.008, length: 0.03}, contact: true}}\n"
    "joints:\n"
    "  j{i}: {repeat: {i: [2, 10]}, type: spherical, bodies: [\"link{i-1}\", \"link{i}\"],\n"
    "         at: [0.002*(i - 0.5), 0, 0.3 + 0.05*(i - 0.5)]}\n"
    "contacts: {all: {friction: 0.3, restitution: 0}}\n";

static void a_chain_comes_to_lie(void **state) {
  (void)state;
  contact_machine m = machine_of_text(text, 0, 0);
  advance(&m, 2.5);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  check_at_most((double)c.steps_accepted, 20000);
  assert_int_equal(c.contacts_unresolved, 0);
  assert_int_equal(hn_simulation_warning_count(m.simulation), 1);
  for (int k = 1; k <= LINKS; k++) {
    const hn_body_motion link = motion_of(&m, k);
    check_at_most(vec3_norm(link.velocity), 0.05);
    check_at_most(link.position.z, 0.06); // two links one over the other, inclined
    check_at_most(0.007, link.position.z);
  }
  finish(&m);
}

// Impacts that come to an end by themselves are followed, however many there are at a time.
static void balls_that_bounce_are_followed(void **state) {
  (void)state;
  static const char balls[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n"
      "  ground: {shape: {plane: {}, group: floor}}\n"
      "  ball{i}: {repeat: {i: [1, 9]}, mass: 1, center: [i, 0, 0.1001 + 1e-6*i],\n"
      "            inertia: [4e-3, 4e-3, 4e-3], shape: {sphere: 0.1, group: balls}}\n"
      "contacts: {all: {groups: [floor, balls], friction: 0.3, restitution: 0.95}}\n";
  contact_machine m = machine_of_text(balls, 0, 0);
  advance(&m, 0.3);
  assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
  for (int k = 1; k <= 9; k++) check_near(motion_of(&m, k).position.z, 0.1, 1e-12);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_comes_to_lie),
      cmocka_unit_test(balls_that_bounce_are_followed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
