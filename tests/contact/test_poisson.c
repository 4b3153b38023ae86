// Restitution of impulses (Poisson) with friction: two phases, each with Coulomb's law.
#include "contact/contact_machine.h"

#define RADIUS 1e-6 // of the tip

static void start_on_floor(contact_machine *m, int shape, hn_contact_def contact) {
  contact.name = "floor";
  contact.shapes1 = &m->plane;
  contact.shapes2 = &shape;
  contact.count1 = contact.count2 = 1;
  check_model(m, hn_model_add_contact(m->model, &contact, NULL));
  start(m, 1e-11);
}

// A body of mass 1 whose tip, at (x, 0, z) from its center, is about to hit the floor.
static contact_machine tip_above_floor(double inertia, double x, double z, hn_vec3 velocity,
                                       hn_vec3 spin, hn_contact_def contact) {
  contact_machine m = machine_on_plane(vec3_zero());
  hn_body_def body = hn_default_body();
  hn_shape_def tip = hn_default_shape(HN_SHAPE_SPHERE);
  int id, shape;
  body.name = "body";
  body.mass = 1;
  for (int i = 0; i < 3; i++) body.inertia[i] = inertia;
  body.position = vec3(0, 0, -z + RADIUS + 1e-3);
  body.velocity = velocity;
  body.angular_velocity = spin;
  check_model(&m, hn_model_add_body(m.model, &body, &id));
  tip.radius = RADIUS;
  tip.frame.body = id;
  tip.frame.position = vec3(x, 0, z);
  check_model(&m, hn_model_add_shape(m.model, &tip, &shape));
  start_on_floor(&m, shape, contact);
  return m;
}

static hn_contact_def poisson(double restitution, double friction) {
  hn_contact_def contact = hn_default_contact();
  contact.restitution = restitution;
  contact.restitution_kind = HN_RESTITUTION_POISSON;
  contact.friction = friction;
  return contact;
}

// A ball feels no normal impulse along the floor: what stopped sliding stays stopped while the normal
// impulse returns. It does not slide back, as a superball would.
static void slip_that_has_ended_does_not_come_back(void **state) {
  (void)state;
  const double radius = 0.1, spin = -20, e = 0.9;
  contact_machine m = machine_on_plane(vec3_zero());
  const int ball =
      add_ball(&m, "ball", radius, 1, vec3(0, 0, radius + 1e-3), vec3(1, 0, -2), vec3(0, spin, 0));
  start_on_floor(&m, ball, poisson(e, 2));
  advance(&m, 0.01);
  const hn_body_motion after = motion_of(&m, 1);
  const double p = -(1 - radius * spin) / 3.5; // 1/m + r^2/(2/5 m r^2)
  check_near(after.velocity.z, 2 * e, 1e-10);
  check_near(after.velocity.x, 1 + p, 1e-10);
  check_near(after.angular_velocity.y, (1 + p) / radius, 1e-9);
  finish(&m);
}

// A tip off the center. It slides until it is stopped, then sticks: of the two phases
//   stopping  W p = -u,   returning  p_N = e p_N of the first, slip stays 0.
// Newton's law would give a normal speed e u_N whatever friction does.
static void stick_in_both_phases(void **state) {
  (void)state;
  const double j = 1.0 / 3, x = -0.5, z = -0.8, e = 0.8, mu = 1.5;
  const double u[2] = {-1, 0.2}; // normal, along x: the tip's, which are the body's without spin
  contact_machine m =
      tip_above_floor(j, x, z + RADIUS, vec3(u[1], 0, u[0]), vec3_zero(), poisson(e, mu));
  // a force f at r turns the body by (z f_x - x f_z)/j about y; the tip moves with w z along x, -w x
  const double wnn = 1 + x * x / j, wtt = 1 + z * z / j, wnt = -x * z / j;
  const double det = wnn * wtt - wnt * wnt;
  const double pn = -(wtt * u[0] - wnt * u[1]) / det, pt = -(wnn * u[1] - wnt * u[0]) / det;
  assert_true(fabs(pt) < mu * pn);
  const double rn = e * pn, rt = -wnt * rn / wtt;
  assert_true(fabs(rt) < mu * rn);
  advance(&m, 0.002);
  const hn_body_motion after = motion_of(&m, 1);
  check_near(after.velocity.z, u[0] + pn + rn, 1e-5);
  check_near(after.velocity.x, u[1] + pt + rt, 1e-5);
  check_near(after.angular_velocity.y, (z * (pt + rt) - x * (pn + rn)) / j, 1e-5);
  // it loses energy
  const double before = 0.5 * (u[0] * u[0] + u[1] * u[1]);
  const double left =
      0.5 * (after.velocity.x * after.velocity.x + after.velocity.z * after.velocity.z +
             j * after.angular_velocity.y * after.angular_velocity.y);
  assert_true(left < before);
  finish(&m);
}

// Without friction, and where a tip slides on in both phases, the laws of Newton and Poisson are one.
static void one_law_where_friction_keeps_its_direction(void **state) {
  (void)state;
  const double mus[] = {0, 0.2};
  for (int k = 0; k < 2; k++) {
    hn_contact_def newton = poisson(0.7, mus[k]);
    newton.restitution_kind = HN_RESTITUTION_NEWTON;
    contact_machine a = tip_above_floor(0.2, -0.3, -0.4, vec3(3, 0, -1), vec3(0, 1, 0), newton),
                    b = tip_above_floor(0.2, -0.3, -0.4, vec3(3, 0, -1), vec3(0, 1, 0),
                                        poisson(0.7, mus[k]));
    advance(&a, 0.01);
    advance(&b, 0.01);
    const hn_body_motion one = motion_of(&a, 1), other = motion_of(&b, 1);
    check_near(other.velocity.x, one.velocity.x, 1e-10);
    check_near(other.velocity.z, one.velocity.z, 1e-10);
    check_near(other.angular_velocity.y, one.angular_velocity.y, 1e-10);
    finish(&a);
    finish(&b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slip_that_has_ended_does_not_come_back),
      cmocka_unit_test(stick_in_both_phases),
      cmocka_unit_test(one_law_where_friction_keeps_its_direction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
