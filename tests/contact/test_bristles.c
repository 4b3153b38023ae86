// Friction of bristles (LuGre): derivatives against differences, a stick-slip oscillator against an
// integration of its own equations, a block that stays on a slope, in several formulations.
#include <stdio.h>

#include "contact/contact_machine.h"
#include "elements/contact_rub.h"
#include "holon/verify.h"

static double random_in(unsigned long long *seed, double low, double high) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return low + (high - low) * (double)(*seed >> 11) / 9007199254740992.0;
}
static hn_vec3 random_vector(unsigned long long *seed, double size) {
  double x = random_in(seed, -size, size), y = random_in(seed, -size, size);
  return vec3(x, y, random_in(seed, -size, size));
}

static hn_contact_def material(void) {
  hn_contact_def c = hn_default_contact();
  c.name = "floor";
  c.law = HN_CONTACT_LINEAR;
  c.exponent = 1;
  c.stiffness = 1e6;
  c.damping = 1e3;
  c.friction = 0.4;
  c.static_friction = 0.6;
  c.bristle_stiffness = 1e4;
  c.bristle_damping = 30;
  c.viscous_friction = 0.1;
  return c;
}

// tau of given normal, velocity and hat.
static hn_vec3 tau(const hn_contact_def *c, hn_vec3 n, hn_vec3 slip, double g, hn_vec3 hat) {
  return hn_rub_of(c, slip, n, g, hat).value;
}

static void derivatives_are_those_of_differences(void **state) {
  (void)state;
  unsigned long long seed = 7;
  hn_contact_def c = material();
  for (int k = 0; k < 40; k++) {
    double g = k % 4 == 0 ? 0 : random_in(&seed, 1e-5, 1e-2), h = 1e-6;
    hn_vec3 n = vec3_unit(random_vector(&seed, 1)), slip = random_vector(&seed, 0.02);
    hn_vec3 hat = random_vector(&seed, 5e-5);
    hn_vec3 dn = random_vector(&seed, 1), ds = random_vector(&seed, 1),
            dh = random_vector(&seed, 1);
    dn = vec3_add_scaled(dn, -vec3_dot(dn, n), n); // it stays of length one
    ds = vec3_scale(1e-2, ds);
    dh = vec3_scale(1e-5, dh);
    hn_vec3 sides[2];
    for (int i = 0; i < 2; i++) {
      double s = i ? h : -h;
      sides[i] = tau(&c, vec3_unit(vec3_add_scaled(n, s, dn)), vec3_add_scaled(slip, s, ds), g,
                     vec3_add_scaled(hat, s, dh));
    }
    hn_vec3 difference = vec3_scale(0.5 / h, vec3_sub(sides[1], sides[0]));
    hn_rub rub = hn_rub_of(&c, slip, n, g, hat);
    hn_vec3 exact = hn_rub_change(&rub, n, dn, ds, dh);
    check_at_most(vec3_norm(vec3_sub(exact, difference)), 1e-7 * (1 + vec3_norm(exact)));
  }
}

// ---- stick and slip -------------------------------------------------------------------------------

// m x'' = -k x - N (s0 z + s1 z' + s2 v), v = x' - belt: of the model models/contact/lugre.yaml.
static void rates(const double y[3], double out[3]) {
  const double k = 100, m = 1.001, normal = 10, s0 = 1e4, s1 = 30, s2 = 0.1, belt = 0.02;
  double v = y[1] - belt, s = fabs(v), mu = 0.4 + 0.2 * exp(-(s / 0.01) * (s / 0.01));
  out[2] = v - s0 * s / mu * y[2];
  out[0] = y[1];
  out[1] = (-k * y[0] - normal * (s0 * y[2] + s1 * out[2] + s2 * v)) / m;
}

static void integrate(double end, long steps, double y[3]) {
  double h = end / (double)steps;
  y[0] = y[1] = y[2] = 0;
  for (long i = 0; i < steps; i++) {
    static const double part[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double k[3] = {0, 0, 0}, sum[3] = {0, 0, 0}, at[3];
    for (int stage = 0; stage < 4; stage++) {
      for (int j = 0; j < 3; j++) at[j] = y[j] + part[stage] * h * k[j];
      rates(at, k);
      for (int j = 0; j < 3; j++) sum[j] += weight[stage] * k[j];
    }
    for (int j = 0; j < 3; j++) y[j] += h / 6 * sum[j];
  }
}

static void a_mass_on_a_belt_sticks_and_slips(void **state) {
  (void)state;
  double exact[3];
  integrate(4, 800000, exact); // one slip lies behind
  static const char *const ways[][3] = {{"auto", "auto", "auto"},
                                        {"cartesian", "first-order", "dopri5"},
                                        {"natural", "first-order", "dopri5"},
                                        {"cartesian", "descriptor", "sdirk4-16"},
                                        {"relative", "first-order", "rosenbrock"},
                                        {"relative", "first-order", "adams"},
                                        {"relative", "state-space", "sdirk4-16"}};
  for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
    contact_machine m = {0};
    hn_error error = {0};
    check_ok(hn_model_load(HOLON_SOURCE_DIR "/models/contact/lugre.yaml", NULL, &m.model, &error));
    hn_simulation_options o = hn_default_simulation_options();
    o.tol = 1e-8;
    o.coordinates = ways[w][0];
    o.method = ways[w][1];
    o.formula = ways[w][2];
    if (hn_simulation_create(m.model, &o, &m.simulation, &error)) fail_msg("%s", error.message);
    advance(&m, 4);
    double x = NAN, balance = NAN;
    check_ok(hn_simulation_value(m.simulation, "x", &x));
    check_ok(hn_simulation_value(m.simulation, "energy.balance", &balance));
    check_near(x, exact[0], 1e-7);
    check_near(balance, 0, 1e-6);
    hn_audit_finding findings[4];
    long checked = 0;
    if (hn_simulation_audit(m.simulation, findings, 4, &checked) > 0)
      fail_msg("%s: %s", findings[0].element, findings[0].what);
    finish(&m);
  }
}

// ---- stick ----------------------------------------------------------------------------------------

static void a_block_on_a_slope_stays(void **state) {
  (void)state;
  const double tilt = 0.35; // below atan(0.4)
  contact_machine m = machine_on_plane(vec3(9.81 * sin(tilt), 0, -9.81 * cos(tilt)));
  int box = add_box(&m, "box", vec3(0.2, 0.2, 0.1), 2, vec3(0, 0, 0.05), (hn_quat){1, 0, 0, 0},
                    vec3(0, 0, 0));
  hn_contact_def c = material();
  c.shapes1 = &box;
  c.shapes2 = &m.plane;
  c.count1 = c.count2 = 1;
  c.stiffness = 1e7;
  c.damping = 1e4;
  c.bristle_damping = -1;
  check_model(&m, hn_model_add_contact(m.model, &c, NULL));
  start(&m, 1e-9);
  advance(&m, 2);
  hn_vec3 first = motion_of(&m, 1).position;
  // The bristles give way by tan(tilt)/s0, and slip by as much again on the way there.
  assert_true(first.x > tan(tilt) / 1e4);
  check_at_most(first.x, 2 * tan(tilt) / 1e4);
  advance(&m, 20);
  hn_vec3 then = motion_of(&m, 1).position;
  check_near(then.x, first.x, 1e-10);
  finish(&m);
}

static hn_status add_with(hn_contact_law law, double stiffness, double friction) {
  contact_machine m = machine_on_plane(vec3(0, 0, -9.81));
  int ball = add_ball(&m, "ball", 0.1, 1, vec3(0, 0, 0.1), vec3(0, 0, 0), vec3(0, 0, 0));
  hn_contact_def c = material();
  c.law = law;
  c.bristle_stiffness = stiffness;
  c.friction = friction;
  c.shapes1 = &ball;
  c.shapes2 = &m.plane;
  c.count1 = c.count2 = 1;
  hn_status status = hn_model_add_contact(m.model, &c, NULL);
  if (!status) status = hn_model_finish(m.model);
  finish(&m);
  return status;
}

static void bristles_need_a_law_and_friction(void **state) {
  (void)state;
  assert_int_equal(add_with(HN_CONTACT_HERTZ, 1e4, 0.4), HN_OK);
  assert_int_equal(add_with(HN_CONTACT_RIGID, 1e4, 0.4), HN_ERROR_MODEL);
  assert_int_equal(add_with(HN_CONTACT_HERTZ, 1e4, 0), HN_ERROR_MODEL);
  assert_int_equal(add_with(HN_CONTACT_HERTZ, -1, 0.4), HN_ERROR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(a_mass_on_a_belt_sticks_and_slips),
      cmocka_unit_test(a_block_on_a_slope_stays),
      cmocka_unit_test(bristles_need_a_law_and_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
