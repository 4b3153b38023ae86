// Contact with force laws: bounces against energy and the restitution the laws were made for, depth at
// rest, friction that turns sliding into rolling, derivatives by an audit, and several formulations.
#include "contact/contact_machine.h"
#include "holon/verify.h"

static void add_law(contact_machine *m, const char *name, int shape1, int shape2,
                    hn_contact_law law, double restitution, double friction) {
  hn_contact_def c = hn_default_contact();
  c.name = name;
  c.shapes1 = &shape1;
  c.shapes2 = &shape2;
  c.count1 = c.count2 = 1;
  c.law = law;
  c.exponent = law == HN_CONTACT_LINEAR ? 1 : 1.5;
  c.stiffness = 1e6;
  c.restitution = restitution;
  c.friction = friction;
  c.speed = 2;
  check_model(m, hn_model_add_contact(m->model, &c, NULL));
}

static void start_with(contact_machine *m, double tol, const char *const way[3]) {
  check_model(m, hn_model_finish(m->model));
  hn_simulation_options o = hn_default_simulation_options();
  o.tol = tol;
  o.coordinates = way[0];
  o.method = way[1];
  o.formula = way[2];
  hn_error error = {0};
  if (hn_simulation_create(m->model, &o, &m->simulation, &error)) fail_msg("%s", error.message);
}

// Speed after a bounce at 2 m/s without gravity, over that before.
static double bounce(hn_contact_law law, double restitution) {
  contact_machine m = machine_on_plane(vec3(0, 0, 0));
  int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.11), vec3(0, 0, -2), vec3(0, 0, 0));
  add_law(&m, "floor", ball, m.plane, law, restitution, 0);
  start(&m, 1e-9);
  advance(&m, 0.05);
  double ratio = value_of(&m, "body.ball.velocity.z") / 2;
  assert_true(value_of(&m, "contact.floor.gap") > 0);
  check_near(value_of(&m, "contact.floor.force"), 0, 0);
  check_near(value_of(&m, "energy.balance"), 0, 5e-6);
  finish(&m);
  return ratio;
}

static void laws_bounce_as_their_restitution_says(void **state) {
  (void)state;
  check_near(bounce(HN_CONTACT_HERTZ, 0.5), 1, 2e-6);
  // made for speeds that change little: near 1 all agree with the restitution
  check_near(bounce(HN_CONTACT_HUNT_CROSSLEY, 0.95), 0.95, 0.006);
  check_near(bounce(HN_CONTACT_LANKARANI, 0.95), 0.95, 0.006);
  check_near(bounce(HN_CONTACT_FLORES, 0.95), 0.95, 0.006);
  check_near(bounce(HN_CONTACT_FLORES, 0.5), 0.5, 0.05); // holds for any
}

static void a_ball_at_rest_sinks_in_by_its_weight(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  double depth = pow(2 * GRAVITY / 1e6, 2.0 / 3);
  int ball = add_ball(&m, "ball", 0.1, 2, vec3(0, 0, 0.1 - depth), vec3(0, 0, 0), vec3(0, 0, 0));
  add_law(&m, "floor", ball, m.plane, HN_CONTACT_HUNT_CROSSLEY, 0.3, 0.2);
  start(&m, 1e-8);
  advance(&m, 0.1);
  check_near(value_of(&m, "contact.floor.gap"), -depth, 1e-10);
  check_near(value_of(&m, "contact.floor.force"), 2 * GRAVITY, 1e-5);
  check_near(value_of(&m, "contact.floor.normal.z"), 1, 1e-12);
  finish(&m);
}

// Rolls from 2 v0/(7 mu g) on with 5/7 v0; the smooth friction is late by its transition only.
static void sliding_becomes_rolling(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  double depth = pow(GRAVITY / 1e6, 2.0 / 3);
  int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.1 - depth), vec3(2, 0, 0), vec3(0, 0, 0));
  add_law(&m, "floor", ball, m.plane, HN_CONTACT_HERTZ, 1, 0.2);
  start(&m, 1e-8);
  advance(&m, 0.2);
  check_near(value_of(&m, "body.ball.velocity.x"), 2 - 0.2 * GRAVITY * 0.2, 1e-4);
  check_near(value_of(&m, "contact.floor.friction"), 0.2 * GRAVITY, 1e-3);
  advance(&m, 0.5);
  check_near(value_of(&m, "body.ball.velocity.x"), 2 * 5 / 7.0, 2e-3);
  check_near(value_of(&m, "contact.floor.slip"), 0, 1e-4);
  finish(&m);
}

// A box and a ball that hit ground and each other.
static contact_machine tumble(void) {
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  hn_quat turned = quat_unit((hn_quat){1, 0.1, 0.2, 0.05});
  int box = add_box(&m, "box", vec3(0.2, 0.2, 0.2), 2, vec3(0.3, 0, 0.13), turned, vec3(-1, 0, 0));
  int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.12), vec3(1, 0.2, 0), vec3(1, 2, 3));
  add_law(&m, "one", box, m.plane, HN_CONTACT_HUNT_CROSSLEY, 0.5, 0.4);
  add_law(&m, "two", ball, m.plane, HN_CONTACT_LINEAR, 0.5, 0.4);
  add_law(&m, "both", box, ball, HN_CONTACT_LANKARANI, 0.5, 0.4);
  return m;
}

static void formulations_agree(void **state) {
  (void)state;
  static const char *const ways[][3] = {{"cartesian", "first-order", "dopri5"},
                                        {"relative", "first-order", "dopri5"},
                                        {"natural", "first-order", "dopri5"},
                                        {"cartesian", "descriptor", "sdirk4-16"},
                                        {"relative", "first-order", "rosenbrock"}};
  double first[3] = {0, 0, 0};
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    contact_machine m = tumble();
    start_with(&m, 1e-8, ways[k]);
    advance(&m, 0.06);
    double now[3] = {value_of(&m, "body.box.position.x"), value_of(&m, "body.ball.position.x"),
                     value_of(&m, "body.box.angular_velocity.y")};
    assert_true(value_of(&m, "contact.both.force") >= 0);
    check_near(value_of(&m, "energy.balance"), 0, 1e-5);
    for (int i = 0; i < 3; i++)
      if (k == 0)
        first[i] = now[i];
      else
        check_near(now[i], first[i], i < 2 ? 1e-6 : 1e-3);
    finish(&m);
  }
}

static void derivatives_pass_the_audit(void **state) {
  (void)state;
  contact_machine m = tumble();
  start_with(&m, 1e-6, (const char *const[]){"cartesian", "first-order", "dopri5"});
  long checked = 0;
  for (int k = 0; k <= 12; k++) {
    hn_audit_finding findings[8];
    long here = 0;
    if (k > 0) advance(&m, 0.01 * k);
    int count = hn_simulation_audit(m.simulation, findings, 8, &here);
    checked += here;
    if (count > 0) fail_msg("%s: %s", findings[0].element, findings[0].what);
  }
  assert_true(checked > 100);
  finish(&m);
}

// Two balls above a plane, one rule: it shows the nearest; pairs have signals of their own, on request.
static void pairs_have_signals_on_request(void **state) {
  (void)state;
  contact_machine m = machine_on_plane(vec3(0, 0, 0));
  const double heights[] = {0.35, 0.13};
  int balls[2];
  for (int k = 0; k < 2; k++)
    balls[k] = add_ball(&m, k ? "low" : "high", 0.1, 1, vec3(k, 0, heights[k]), vec3(0, 0, 0),
                        vec3(0, 0, 0));
  hn_contact_def contact = hn_default_contact();
  contact.name = "floor";
  contact.shapes1 = balls;
  contact.count1 = 2;
  contact.shapes2 = &m.plane;
  contact.count2 = 1;
  check_model(&m, hn_model_add_contact(m.model, &contact, NULL));
  start(&m, 1e-6);
  check_near(value_of(&m, "contact.floor.gap"), 0.03, 1e-12);
  check_near(value_of(&m, "contact.floor.point.x"), 1, 1e-12);
  check_near(value_of(&m, "contact.floor.1.gap"), 0.25, 1e-12);
  check_near(value_of(&m, "contact.floor.2.gap"), 0.03, 1e-12);
  const int listed = hn_simulation_signal_count(m.simulation);
  assert_in_range(hn_simulation_find_signal(m.simulation, "contact.floor.force"), 0, listed - 1);
  for (int k = 1; k <= 2; k++) {
    const char *name = k == 1 ? "contact.floor.1.force" : "contact.floor.2.force";
    const int at = hn_simulation_find_signal(m.simulation, name);
    assert_true(at >= listed && at < hn_simulation_signal_count_all(m.simulation));
    assert_string_equal(hn_simulation_signal_name(m.simulation, at), name);
  }
  finish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs_have_signals_on_request),
      cmocka_unit_test(laws_bounce_as_their_restitution_says),
      cmocka_unit_test(a_ball_at_rest_sinks_in_by_its_weight),
      cmocka_unit_test(sliding_becomes_rolling),
      cmocka_unit_test(formulations_agree),
      cmocka_unit_test(derivatives_pass_the_audit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
