// Dominoes: boxes that knock each other over and come to lie on each other. Their contacts change
// without end when they are resolved individually; the run continues, reports so, and can be saved.
#include <stdio.h>
#include <stdlib.h>

#include "contact_machine.h"

enum { DOMINOES = 4, ROW = 12 };

#define THICK 0.01
#define TALL 0.06

// The first has been pushed: it turns about its foot.
static contact_machine make_dominoes(int count) {
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  int shape[ROW];
  char name[12];
  for (int k = 0; k < count; k++) {
    const double tilt = k == 0 ? 0.2 : 0; // beyond its corner by 1.7 degrees
    const double height = 0.5 * (TALL * cos(tilt) + THICK * sin(tilt));
    snprintf(name, sizeof name, "%c", 'a' + k);
    shape[k] = add_box(&m, name, vec3(THICK, 0.03, TALL), 0.1, vec3(0.03 * k, 0, height),
                       quat_from_axis_angle(vec3(0, 1, 0), tilt), vec3_zero());
    snprintf(name, sizeof name, "floor_%c", 'a' + k);
    add_contact(&m, name, m.plane, shape[k], 0, 0.4);
  }
  for (int k = 0; k + 1 < count; k++) {
    snprintf(name, sizeof name, "%c%c", 'a' + k, 'b' + k);
    add_contact(&m, name, shape[k], shape[k + 1], 0, 0.4);
  }
  return m;
}

// The last lies flat, the others lean on the next, and nothing moves.
static void check_fallen(const contact_machine *m) {
  check_near(value_of(m, "body.d.position.z"), 0.5 * THICK, 1e-6);
  check_near(value_of(m, "body.d.velocity.x"), 0, 1e-4);
  check_near(value_of(m, "body.a.velocity.z"), 0, 1e-3);
  assert_true(value_of(m, "body.a.position.z") < 0.5 * TALL * sin(0.8));
  for (int k = 0; k + 1 < DOMINOES; k++) {
    char low[40], high[40];
    snprintf(low, sizeof low, "body.%c.position.x", 'a' + k);
    snprintf(high, sizeof high, "body.%c.position.x", 'b' + k);
    assert_true(value_of(m, low) < value_of(m, high));
  }
}

static void end(contact_machine *m) {
  hn_simulation_free(m->simulation);
  hn_model_free(m->model);
}

// They are time-stepped from some moment on, and the run says so.
static void followed_dominoes_fall(double tol) {
  contact_machine m = make_dominoes(DOMINOES), again = make_dominoes(DOMINOES);
  start(&m, tol);
  start(&again, tol);
  const hn_simulation_options asked = *hn_simulation_options_used(m.simulation);
  check_near(hn_simulation_fixed_step(m.simulation), 0, 0);
  advance(&m, 1);
  check_fallen(&m);
  // steps have one size now, but the options are the user's
  assert_true(hn_simulation_fixed_step(m.simulation) > 0);
  assert_memory_equal(&asked, hn_simulation_options_used(m.simulation), sizeof asked);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  assert_string_equal(c.method, "time-stepping");
  assert_true(hn_simulation_warning_count(m.simulation) > 0);
  assert_true(c.energy_balance < 1e-4);
  // the same from a saved state on
  const size_t size = hn_simulation_save_size(m.simulation);
  void *saved = malloc(size);
  check_ok(hn_simulation_save(m.simulation, saved, size));
  check_ok(hn_simulation_restore(again.simulation, saved, size));
  free(saved);
  advance(&m, 1.02);
  advance(&again, 1.02);
  check_near(value_of(&again, "body.b.position.x"), value_of(&m, "body.b.position.x"), 0);
  check_near(value_of(&again, "body.c.angular_velocity.y"),
             value_of(&m, "body.c.angular_velocity.y"), 0);
  end(&m);
  end(&again);
}

static void dominoes_fall_when_followed(void **state) {
  (void)state;
  followed_dominoes_fall(1e-3);
  if (getenv("HOLON_SWEEP")) followed_dominoes_fall(1e-4); // 30 times the work: make test-long
}

// So many of them after a second of steps of 1 ms, all of which are solved.
static contact_machine step_over(int count) {
  contact_machine m = make_dominoes(count);
  hn_error error = {0};
  check_model(&m, hn_model_finish(m.model));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = 1e-3;
  check_ok(hn_simulation_create(m.model, &options, &m.simulation, &error));
  advance(&m, 1);
  const hn_certificate c = hn_simulation_certificate(m.simulation);
  assert_true(c.contact_residual <= 1e-6);
  assert_int_equal(c.contacts_unresolved, 0);
  return m;
}

static void dominoes_fall_when_stepped_over(void **state) {
  (void)state;
  contact_machine m = step_over(DOMINOES);
  check_fallen(&m);
  end(&m);
}

// A row, each leaning on the next: many edges that stick and slide, and points that share their loads.
static void laws_of_a_long_row_are_solved_in_every_step(void **state) {
  (void)state;
  contact_machine m = step_over(ROW);
  check_near(value_of(&m, "body.l.position.z"), 0.5 * THICK, 1e-6);
  end(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dominoes_fall_when_followed),
      cmocka_unit_test(dominoes_fall_when_stepped_over),
      cmocka_unit_test(laws_of_a_long_row_are_solved_in_every_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
