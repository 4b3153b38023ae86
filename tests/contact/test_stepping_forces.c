// Forces of time-stepped contacts: of contacts and joints, the work of drivers, and the contacts in
// a saved state.
#include <stdlib.h>

#include "contact_machine.h"
#include "holon/load.h"
#include "holon/run.h"

// A bar of 2 kg, pinned at one end, lies with the other on the floor: each carries half of it.
static const char *const bar =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}}}\n"
    "  bar: {mass: 2, center: [0.5, 0, 0.05], inertia: [0.001, 0.17, 0.17],\n"
    "        shape: {sphere: 0.05, at: [1, 0, 0.05]}}\n"
    "joints:\n"
    "  pin: {type: revolute, bodies: [ground, bar], at: [0, 0, 0.05], axis: y}\n"
    "contacts:\n"
    "  floor: {bodies: [bar, ground]}\n";

// A platform lifts a block: 1.5 kg by 0.2 m.
static const char *const lift =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  plate: {mass: 1, center: [0, 0, 0], inertia: [0.01, 0.01, 0.01],\n"
    "          shape: {plane: {}, at: [0, 0, 0.01]}}\n"
    "  block: {mass: 0.5, center: [0, 0, 0.06], inertia: [0.001, 0.001, 0.001],\n"
    "          shape: {box: [0.1, 0.1, 0.1]}}\n"
    "joints:\n"
    "  column: {type: translational, bodies: [ground, plate], at: [0, 0, 0], axis: z}\n"
    "drivers:\n"
    "  up: {joint: column, motion: 0.1*(1 - cos(pi*t))}\n"
    "contacts:\n"
    "  seat: {bodies: [plate, block], friction: 0.4}\n";

static const char *const balls =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}, contact: true}}\n"
    "  a: {mass: 1, position: [0, 0, 0.1], inertia: [0.004, 0.004, 0.004],\n"
    "      initial: {velocity: [1, 0, -1]}, shape: {sphere: 0.1, contact: true}}\n"
    "  b: {mass: 1, position: [0.25, 0, 0.3], inertia: [0.004, 0.004, 0.004],\n"
    "      shape: {sphere: 0.1, contact: true}}\n"
    "contacts: {all: {friction: 0.3, restitution: 0.5}}\n";

static contact_machine load(const char *text, double step) {
  return machine_of_text(text, step, 0);
}

static void contact_and_joint_carry_half_each(void **state) {
  (void)state;
  contact_machine m = load(bar, 1e-3);
  advance(&m, 0.1);
  check_near(value_of(&m, "contact.floor.force"), GRAVITY, 1e-6);
  check_near(value_of(&m, "contact.floor.friction"), 0, 1e-6);
  check_near(fabs(value_of(&m, "joint.pin.reaction.force.z")), GRAVITY, 1e-6);
  finish(&m);
}

// Forces are means over a step, and of first order in it.
static void driver_carries_what_lies_on_it(void **state) {
  (void)state;
  contact_machine m = load(lift, 1e-3);
  advance(&m, 0.25);
  const double a = 0.1 * M_PI * M_PI * cos(M_PI * 0.25);
  check_near(value_of(&m, "contact.seat.force"), 0.5 * (GRAVITY + a), 2e-3);
  check_near(fabs(value_of(&m, "driver.up.force")), 1.5 * (GRAVITY + a), 6e-3);
  advance(&m, 1);
  check_near(value_of(&m, "body.block.position.z"), 0.26, 1e-6);
  // of 2.9 J
  check_at_most(hn_simulation_certificate(m.simulation).energy_balance, 1e-4);
  finish(&m);
}

static void saved_state_knows_contacts_before(void **state) {
  (void)state;
  contact_machine m = load(balls, 1e-3), again = load(balls, 1e-3);
  advance(&m, 0.4);
  const size_t size = hn_simulation_save_size(m.simulation);
  void *saved = malloc(size);
  check_ok(hn_simulation_save(m.simulation, saved, size));
  check_ok(hn_simulation_restore(again.simulation, saved, size));
  free(saved);
  for (int k = 0; k < 2; k++) {
    const hn_certificate a = hn_simulation_certificate(m.simulation);
    const hn_certificate b = hn_simulation_certificate(again.simulation);
    assert_true(a.impacts > 0 && a.impact_loss > 0 && a.friction_loss > 0);
    assert_int_equal(a.impacts, b.impacts);
    check_near(b.impact_loss, a.impact_loss, 0);
    check_near(b.friction_loss, a.friction_loss, 0);
    check_near(b.contact_residual, a.contact_residual, 0);
    check_near(b.penetration, a.penetration, 0);
    advance(&m, 0.6);
    advance(&again, 0.6);
  }
  check_near(value_of(&again, "body.a.position.x"), value_of(&m, "body.a.position.x"), 0);
  finish(&m);
  finish(&again);
}

static const char *const drop =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  ground: {shape: {plane: {}}}\n"
    "  ball: {mass: 1, position: [0, 0, 0.6], inertia: [0.004, 0.004, 0.004],\n"
    "         shape: {sphere: 0.1}}\n"
    "contacts: {floor: {bodies: [ball, ground]}}\n"
    "outputs: {z: body.ball.position.z}\n";

// The moment of an impact is known to a step: velocities of two runs differ by all of it in between, and
// that condemns no run. The bar of the position covers its error.
static void an_impact_between_rows_condemns_no_run(void **state) {
  (void)state;
  contact_machine m = load(drop, 1e-3);
  hn_run_plan plan = {.time = 0.5, .output_step = 5e-4, .accuracy = HN_ACCURACY_ON};
  hn_recording recording;
  hn_error why;
  hn_run_outcome outcome;
  check_ok(hn_recording_create(m.simulation, &plan, 0, &recording, &why));
  hn_run_sink sink = hn_recording_sink(&recording);
  check_ok(hn_run(m.simulation, &plan, &sink, &outcome));
  const hn_accuracy *a = hn_simulation_accuracy(m.simulation);
  assert_true(a->is_estimated);
  assert_null(strstr(a->motion_signal, "velocity"));
  assert_int_equal(hn_simulation_verdict(m.simulation, NULL).grade, HN_SOUND);
  const double *t = hn_results_time(recording.all);
  const double *z =
      hn_results_column(recording.all, hn_results_find(recording.all, "body.ball.position.z"));
  for (int k = 0; k < hn_results_row_count(recording.all); k++)
    check_near(z[k], fmax(0.1, 0.6 - 0.5 * GRAVITY * t[k] * t[k]), a->signals[0].absolute);
  hn_recording_free(&recording);
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contact_and_joint_carry_half_each),
      cmocka_unit_test(driver_carries_what_lies_on_it),
      cmocka_unit_test(saved_state_knows_contacts_before),
      cmocka_unit_test(an_impact_between_rows_condemns_no_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
