// Assembly: closed gaps and consistent velocities near what was drawn and given, and reports that
// name what is wrong.
#include "analysis/assembly.h"

#include "analysis/parts.h"
#include "support/machines.h"

static const hn_vec3 Z = {0, 0, 1};

static hn_status assemble(setting *s, hn_assembly_report *report) {
  return hn_assemble(s->equations, NULL, 0, s->q, s->qd, &s->branches, report, &s->error);
}

// A slider-crank in the x-y plane: crank 0.1 from the origin, rod, ram on the x axis. All bodies
// are drawn at the origin, not turned: nothing fits.
typedef struct crank_machine {
  hn_model *model;
  int crank, rod, ram, bearing, knee, toggle, rail;
} crank_machine;

static crank_machine make_crank(double rod_length, const hn_joint_initial *angle,
                                double ram_fixed_at) {
  crank_machine m = {.model = begin_model(vec3(0, -9.81, 0))};
  m.crank = add_body(m.model, "crank", vec3(0, 0, 0));
  m.rod = add_body(m.model, "rod", vec3(0, 0, 0));
  hn_body_def ram = body_at("ram", 2, 0.1, vec3(ram_fixed_at, 0, 0));
  ram.position_firmness = ram_fixed_at != 0 ? HN_FIXED : HN_PREFERRED;
  m.ram = add_body_def(m.model, ram);
  hn_joint_def bearing = joint_between(HN_JOINT_REVOLUTE, "bearing", HN_GROUND, vec3(0, 0, 0),
                                       m.crank, vec3(-0.05, 0, 0));
  if (angle) bearing.initial[HN_COORDINATE_ANGLE] = *angle;
  m.bearing = add_joint_def(m.model, bearing);
  m.knee =
      add_joint_def(m.model, joint_between(HN_JOINT_REVOLUTE, "knee", m.crank, vec3(0.05, 0, 0),
                                           m.rod, vec3(-rod_length / 2, 0, 0)));
  m.toggle =
      add_joint_def(m.model, joint_between(HN_JOINT_REVOLUTE, "toggle", m.rod,
                                           vec3(rod_length / 2, 0, 0), m.ram, vec3(0, 0, 0)));
  // z of the rail's frames along x
  hn_joint_def rail =
      joint_between(HN_JOINT_TRANSLATIONAL, "rail", HN_GROUND, vec3(0, 0, 0), m.ram, vec3(0, 0, 0));
  rail.frame1.orientation = rail.frame2.orientation =
      quat_from_axis_angle(vec3(0, 1, 0), HN_PI / 2);
  m.rail = add_joint_def(m.model, rail);
  return m;
}

// Drawn a quarter turn about y, x of the rod is parallel to the pin: its angle is 0 / 0.
static int add_singular_pin(hn_model *model, const hn_joint_initial *angle) {
  hn_body_def rod = body_at("rod", 1, 0.1, vec3(0, 0, 0));
  rod.orientation = quat_from_axis_angle(vec3(0, 1, 0), HN_PI / 2);
  int body = add_body_def(model, rod);
  hn_joint_def pin =
      joint_between(HN_JOINT_REVOLUTE, "pin", HN_GROUND, vec3(0, 0, 0), body, vec3(0.3, 0, 0));
  if (angle) pin.initial[HN_COORDINATE_ANGLE] = *angle;
  return add_joint_def(model, pin);
}

static void an_angle_without_a_value_as_drawn_is_reached(void **state) {
  (void)state;
  for (int driven = 0; driven < 2; driven++) {
    setting s;
    hn_assembly_report report;
    hn_model *model = begin_model(vec3(0, 0, 0));
    hn_joint_initial angle = {.has_value = 1, .value = 0.5, .firmness = HN_PREFERRED};
    int pin = add_singular_pin(model, driven ? NULL : &angle);
    if (driven) add_driver(model, "motor", pin, HN_COORDINATE_ANGLE, "0.5 + t");
    set_up(&s, model);
    check_ok(assemble(&s, &report));
    assert_string_equal(report.warning.message, "");
    check_near(coordinate_of(&s, pin, HN_COORDINATE_ANGLE).value, 0.5, 1e-12);
    check_near(largest_gap(&s, 0, NULL), 0, 1e-13);
    tear_down(&s);
  }
}

static void a_law_that_is_no_number_at_the_start_is_named(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int pin = add_singular_pin(model, NULL);
  add_driver(model, "motor", pin, HN_COORDINATE_ANGLE, "sqrt(t - 1)");
  set_up(&s, model);
  assert_int_equal(assemble(&s, NULL), HN_ERROR_NOT_FINITE);
  check_names(s.error.element, "'motor'");
  tear_down(&s);
}

static void an_assembled_machine_is_left_as_it_is(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  set_up(&s, hn_make_slider_crank());
  double before[64];
  memcpy(before, s.q, sizeof(double) * (size_t)s.equations->nq);
  check_ok(assemble(&s, &report));
  assert_int_equal(report.iterations, 0);
  check_near(report.position_change, 0, 0);
  check_near_many(s.q, before, s.equations->nq, 1e-15);
  assert_string_equal(report.warning.message, "");
  tear_down(&s);
}

static void bodies_drawn_at_the_origin_find_their_places(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  crank_machine m = make_crank(0.35, NULL, 0);
  set_up(&s, m.model);
  check_ok(assemble(&s, &report));
  check_near(largest_gap(&s, 0, NULL), 0, 1e-14);
  double angle = coordinate_of(&s, m.bearing, HN_COORDINATE_ANGLE).value, x = s.frames[m.ram].r.x;
  check_near(pow(x - 0.1 * cos(angle), 2) + pow(0.1 * sin(angle), 2), 0.35 * 0.35, 1e-14);
  assert_true(report.position_change > 0.01);
  tear_down(&s);
}

static void fixed_angles_are_reached_and_turns_counted(void **state) {
  (void)state;
  const double angles[4] = {2.5, -2.5, 2 * HN_PI + 0.3, 15.8};
  for (int k = 0; k < 4; k++) {
    setting s;
    hn_joint_initial angle = {.has_value = 1, .value = angles[k], .firmness = HN_FIXED};
    crank_machine m = make_crank(0.35, &angle, 0);
    set_up(&s, m.model);
    check_ok(assemble(&s, NULL));
    check_near(largest_gap(&s, 0, NULL), 0, 1e-14);
    check_near(coordinate_of(&s, m.bearing, HN_COORDINATE_ANGLE).value, angles[k], 1e-13);
    double x = s.frames[m.ram].r.x;
    check_near(pow(x - 0.1 * cos(angles[k]), 2) + pow(0.1 * sin(angles[k]), 2), 0.35 * 0.35, 1e-14);
    tear_down(&s);
  }
}

// x = 0.3 needs cos(angle) = (0.1^2 + 0.3^2 - 0.35^2) / (2 0.1 0.3)
static void fixed_bodies_do_not_move_and_preferred_angles_give_way(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  hn_joint_initial angle = {.has_value = 1, .value = 0.5, .firmness = HN_PREFERRED};
  crank_machine m = make_crank(0.35, &angle, 0.3);
  set_up(&s, m.model);
  check_ok(assemble(&s, &report));
  check_near(largest_gap(&s, 0, NULL), 0, 1e-14);
  check_near(s.frames[m.ram].r.x, 0.3, 0);
  double got = coordinate_of(&s, m.bearing, HN_COORDINATE_ANGLE).value;
  check_near(cos(got), (0.01 + 0.09 - 0.1225) / 0.06, 1e-12);
  assert_string_equal(report.warning.element, "joint 'bearing'");
  check_names(report.warning.message, "0.5");
  tear_down(&s);
}

static void a_preferred_angle_that_fits_is_kept(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  hn_joint_initial angle = {.has_value = 1, .value = 1.1, .firmness = HN_PREFERRED};
  crank_machine m = make_crank(0.35, &angle, 0);
  set_up(&s, m.model);
  check_ok(assemble(&s, &report));
  check_near(coordinate_of(&s, m.bearing, HN_COORDINATE_ANGLE).value, 1.1, 1e-12);
  assert_string_equal(report.warning.message, "");
  tear_down(&s);
}

// Antiparallel axes satisfy the dot products of a revolute joint, but are not the intended model.
static void a_body_drawn_upside_down_is_turned_over(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    setting s;
    hn_model *model = begin_model(vec3(0, 0, 0));
    hn_body_def def = body_at("bar", 1, 0.1, vec3(0.5, 0, 0));
    def.orientation = quat_from_axis_angle(vec3(1, 0.2 * k, 0), HN_PI - 0.05 * k);
    int bar = add_body_def(model, def);
    add_joint_def(model, joint_between(k == 2 ? HN_JOINT_FIXED : HN_JOINT_REVOLUTE, "pin",
                                       HN_GROUND, vec3(0, 0, 0), bar, vec3(-0.5, 0, 0)));
    set_up(&s, model);
    check_ok(assemble(&s, NULL));
    check_near(largest_gap(&s, 0, NULL), 0, 1e-14);
    check_near(mat3_column(s.frames[bar].a, 2).z, 1, 1e-13);
    if (k == 2) check_near(mat3_column(s.frames[bar].a, 0).x, 1, 1e-13);
    tear_down(&s);
  }
}

static void a_small_gap_moves_bodies_by_little(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int a = add_body(model, "a", vec3(0, 0.5, 0)), b = add_body(model, "b", vec3(0.5, 1, 0));
  int c = add_body(model, "c", vec3(1, 0.5, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "A", HN_GROUND, a, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "B", a, b, vec3(0, 1, 0), Z);
  hn_joint_def open = joint_at(model, HN_JOINT_REVOLUTE, "C", b, c, vec3(1, 1, 0), Z);
  open.frame2 = hn_model_frame(model, c, vec3(1.002, 1, 0.0), Z); // 2 mm apart
  add_joint_def(model, open);
  add_joint(model, HN_JOINT_REVOLUTE, "D", HN_GROUND, c, vec3(1, 0, 0), Z);
  set_up(&s, model);
  check_ok(assemble(&s, &report));
  check_near(largest_gap(&s, 0, NULL), 0, 1e-14);
  assert_true(report.position_change > 2e-4 && report.position_change < 4e-3);
  assert_true(report.iterations <= 6);
  tear_down(&s);
}

// The ram is fixed at 0.5, the crank is 0.1: a rod of 0.4 just closes.
static void a_rod_too_short_is_named_with_the_length_that_closes(void **state) {
  (void)state;
  setting s;
  crank_machine m = make_crank(0.35, NULL, 0.5);
  set_up(&s, m.model);
  double before[64];
  memcpy(before, s.q, sizeof(double) * (size_t)s.equations->nq);
  check_status(assemble(&s, NULL), HN_ERROR_ASSEMBLY);
  check_near_many(s.q, before, s.equations->nq, 0);
  assert_true(strcmp(s.error.element, "joint 'knee'") == 0 ||
              strcmp(s.error.element, "joint 'toggle'") == 0);
  check_names(s.error.hint, "`initial:`");
  check_names(s.error.hint, "'rod' 0.350 0.400");
  tear_down(&s);
}

// Two bars of 1 m on pins 2 m apart, joined by a link: at most 4 m.
static void a_link_too_long_is_named_with_the_length_that_closes(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int a = add_body(model, "a", vec3(0.4, 0.3, 0)), b = add_body(model, "b", vec3(1.6, 0.3, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "A", HN_GROUND, a, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "B", HN_GROUND, b, vec3(2, 0, 0), Z);
  hn_joint_def link = hn_default_joint(HN_JOINT_DISTANCE);
  link.name = "link";
  link.frame1 = hn_model_frame(model, a, vec3(0.8, 0.6, 0), Z);
  link.frame2 = hn_model_frame(model, b, vec3(1.2, 0.6, 0), Z);
  link.length = 4.3;
  add_joint_def(model, link);
  set_up(&s, model);
  check_status(assemble(&s, NULL), HN_ERROR_ASSEMBLY);
  check_names(s.error.hint, "'link' 4.300 4.000");
  tear_down(&s);
}

static void bodies_that_may_not_move_cannot_close_a_gap(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  hn_body_def def = body_at("block", 1, 0.1, vec3(1, 0, 0));
  def.position_firmness = HN_FIXED;
  int block = add_body_def(model, def);
  add_joint_def(model, joint_between(HN_JOINT_SPHERICAL, "ball", HN_GROUND, vec3(0, 0, 0), block,
                                     vec3(0, 0, 0)));
  set_up(&s, model);
  check_status(assemble(&s, NULL), HN_ERROR_ASSEMBLY);
  assert_string_equal(s.error.element, "joint 'ball'");
  check_names(s.error.message, "1");
  tear_down(&s);
}

// ---- velocities ---------------------------------------------------------------------------------

static void rates_of_joints_set_the_velocities_of_bodies(void **state) {
  (void)state;
  setting s;
  hn_joint_initial angle = {
      .has_value = 1, .value = 0.7, .has_rate = 1, .rate = 3, .firmness = HN_PREFERRED};
  crank_machine m = make_crank(0.35, &angle, 0);
  set_up(&s, m.model);
  check_ok(assemble(&s, NULL));
  double rate, gap = largest_gap(&s, 0, &rate);
  check_near(gap, 0, 1e-14);
  check_near(rate, 0, 1e-13);
  check_near(s.frames[m.crank].w.z, 3, 1e-12);
  // x = a cos + sqrt(l^2 - a^2 sin^2)
  double y = 0.1 * sin(0.7), speed = -3 * y * (1 + 0.1 * cos(0.7) / sqrt(0.35 * 0.35 - y * y));
  double side = s.frames[m.ram].r.x > 0 ? 1 : -1;
  if (side < 0) speed = -3 * y * (1 - 0.1 * cos(0.7) / sqrt(0.35 * 0.35 - y * y));
  check_near(s.frames[m.ram].v.x, speed, 1e-12);
  tear_down(&s);
}

static void drivers_move_what_was_at_rest(void **state) {
  (void)state;
  setting s;
  hn_joint_initial angle = {.has_value = 1, .value = 0.7, .firmness = HN_PREFERRED};
  crank_machine m = make_crank(0.35, &angle, 0);
  add_driver(m.model, "motor", m.bearing, HN_COORDINATE_ANGLE, "0.7 + 5*t");
  set_up(&s, m.model);
  hn_assembly_report report;
  check_ok(assemble(&s, &report));
  double rate;
  largest_gap(&s, 0, &rate);
  check_near(rate, 0, 1e-13);
  check_near(s.frames[m.crank].w.z, 5, 1e-12);
  assert_string_equal(report.velocity_warning.message, "");
  tear_down(&s);
}

// A chassis with a given velocity keeps it; arms without one follow.
static void bodies_without_a_velocity_follow_those_with_one(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  hn_body_def chassis = body_at("chassis", 100, 10, vec3(0, 0, 0));
  chassis.velocity = vec3(5, 1, 0);
  int base = add_body_def(model, chassis), arm = add_body(model, "arm", vec3(1, 0, 0));
  add_joint(model, HN_JOINT_FIXED, "mount", base, arm, vec3(0.5, 0, 0), Z);
  set_up(&s, model);
  hn_assembly_report report;
  check_ok(assemble(&s, &report));
  update_frames(&s);
  check_near(s.frames[arm].v.x, 5, 1e-5);
  check_near(vec3_norm(vec3_sub(s.frames[base].v, chassis.velocity)), 0, 1e-5);
  double rate;
  largest_gap(&s, 0, &rate);
  check_near(rate, 0, 1e-12);
  tear_down(&s);
}

static void a_given_velocity_that_had_to_change_is_told(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  hn_body_def def = body_at("bob", 1, 0, vec3(1, 0, 0));
  def.velocity = vec3(1, 2, 0); // along the string, and across it
  int bob = add_body_def(model, def);
  hn_joint_def string = hn_default_joint(HN_JOINT_DISTANCE);
  string.name = "string";
  string.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, 0), Z);
  string.frame2 = hn_model_frame(model, bob, vec3(1, 0, 0), Z);
  add_joint_def(model, string);
  set_up(&s, model);
  hn_assembly_report report;
  check_ok(assemble(&s, &report));
  update_frames(&s);
  check_near(s.frames[bob].v.x, 0, 1e-14);
  check_near(s.frames[bob].v.y, 2, 1e-14);
  check_near(report.velocity_change, 1, 1e-13);
  assert_string_equal(report.velocity_warning.element, "body 'bob'");
  check_names(report.velocity_warning.message, "1 2 0 m/s");
  tear_down(&s);
}

static void fixed_velocities_that_contradict_the_joints_are_an_error(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  hn_body_def def = body_at("bob", 1, 0.1, vec3(1, 0, 0));
  def.velocity = vec3(1, 0, 0);
  def.velocity_firmness = HN_FIXED;
  int bob = add_body_def(model, def);
  add_joint(model, HN_JOINT_SPHERICAL, "ball", HN_GROUND, bob, vec3(0, 0, 0), Z);
  set_up(&s, model);
  check_status(assemble(&s, NULL), HN_ERROR_INCONSISTENT);
  assert_string_equal(s.error.element, "joint 'ball'");
  check_names(s.error.message, "1 m/s");
  tear_down(&s);
}

// ---- given starts of bodies ---------------------------------------------------------------------

// Two links of 1 m drawn along x, pinned to each other and the first to the ground at this distance
// from its center; the first starts turned about an axis.
typedef struct two_links {
  hn_model *model;
  int a, b, ground_pin;
} two_links;

static two_links make_links(hn_vec3 start, hn_vec3 axis, double angle, int given) {
  two_links m = {.model = begin_model(vec3(0, 0, 0))};
  hn_body_def a = body_at("a", 1, 0.1, start);
  a.orientation = quat_from_axis_angle(axis, angle);
  a.given = given;
  m.a = add_body_def(m.model, a);
  m.b = add_body(m.model, "b", vec3(1.5, 0, 0));
  m.ground_pin = add_joint_def(m.model, joint_between(HN_JOINT_REVOLUTE, "g", HN_GROUND,
                                                      vec3(0, 0, 0), m.a, vec3(-0.5, 0, 0)));
  add_joint_def(m.model,
                joint_between(HN_JOINT_REVOLUTE, "j", m.a, vec3(0.5, 0, 0), m.b, vec3(-0.5, 0, 0)));
  return m;
}

static void a_given_orientation_holds_and_the_other_body_follows(void **state) {
  (void)state;
  double angle = HN_PI / 6;
  // on its pin, and so far away that its position has to follow as well
  hn_vec3 starts[] = {vec3(0.5 * cos(angle), 0.5 * sin(angle), 0), vec3(0.5, 0, 0)};
  for (int k = 0; k < 2; k++) {
    setting s;
    hn_assembly_report report;
    two_links m = make_links(starts[k], Z, angle, HN_GIVEN_ORIENTATION);
    set_up(&s, m.model);
    check_ok(assemble(&s, &report));
    update_frames(&s);
    check_near(coordinate_of(&s, m.ground_pin, HN_COORDINATE_ANGLE).value, angle, 1e-14);
    check_near(vec3_norm(vec3_sub(s.frames[m.a].r, starts[0])), 0, 1e-12);
    check_near(largest_gap(&s, 0, NULL), 0, 1e-12);
    assert_string_equal(report.body_warning.message, "");
    assert_string_equal(report.gap_warning.message, "");
    tear_down(&s);
  }
}

// A body turned out of the plane of its pin is reported with the orientation it got; another one,
// whose start is possible, keeps it.
static void a_given_orientation_that_cannot_hold_is_told_and_others_hold(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  two_links m = make_links(vec3(0.5, 0, 0), vec3(1, 0, 0), 0.25, HN_GIVEN_ORIENTATION);
  hn_body_def arm = body_at("arm", 1, 0.1, vec3(3, 0.5, 0));
  arm.orientation = quat_from_axis_angle(Z, HN_PI / 2);
  arm.given = HN_GIVEN_POSITION | HN_GIVEN_ORIENTATION;
  int held = add_body_def(m.model, arm), tip = add_body(m.model, "tip", vec3(4, 0, 0));
  add_joint_def(m.model, joint_between(HN_JOINT_REVOLUTE, "foot", HN_GROUND, vec3(3, 0, 0), held,
                                       vec3(-0.5, 0, 0)));
  add_joint_def(m.model, joint_between(HN_JOINT_REVOLUTE, "wrist", held, vec3(0.5, 0, 0), tip,
                                       vec3(-0.5, 0, 0)));
  set_up(&s, m.model);
  check_ok(assemble(&s, &report));
  update_frames(&s);
  check_near(vec3_norm(vec3_sub(s.frames[held].r, arm.position)), 0, 1e-15);
  check_near(vec3_norm(vec3_sub(mat3_column(s.frames[held].a, 0), vec3(0, 1, 0))), 0, 1e-14);
  check_near(s.frames[m.a].a.m[2][2], 1, 1e-12);
  check_near(largest_gap(&s, 0, NULL), 0, 1e-12);
  assert_string_equal(report.body_warning.element, "body 'a'");
  check_names(report.body_warning.message, "14.3239 1 0");
  tear_down(&s);
}

// Whatever the lever, a floating body keeps the velocities it was given.
static void given_velocities_of_a_floating_pair_hold_exactly(void **state) {
  (void)state;
  for (double lever = 5; lever < 1000; lever *= 10) {
    setting s;
    hn_assembly_report report;
    hn_model *model = begin_model(vec3(0, 0, 0));
    hn_body_def def = body_at("a", 1, 1, vec3(0, 0, 0));
    def.velocity = vec3(1, 0, 0);
    def.angular_velocity = vec3(0, 0, 2);
    int a = add_body_def(model, def), b = add_body(model, "b", vec3(lever, 0, 0));
    add_joint(model, HN_JOINT_REVOLUTE, "j", a, b, vec3(lever, 0, 0), vec3(0, 1, 0));
    set_up(&s, model);
    check_ok(assemble(&s, &report));
    update_frames(&s);
    check_near(s.frames[a].w.z, 2, 1e-14);
    check_near(vec3_norm(vec3_sub(s.frames[a].v, def.velocity)), 0, 1e-14);
    check_near(vec3_norm(vec3_sub(s.frames[b].v, vec3(1, 2 * lever, 0))), 0, 1e-12 * lever);
    assert_string_equal(report.velocity_warning.message, "");
    tear_down(&s);
  }
}

// Of a pendulum only the angular velocity is given: its center has to move with it.
static void an_angular_velocity_alone_holds_on_a_pin(void **state) {
  (void)state;
  setting s;
  hn_assembly_report report;
  hn_model *model = begin_model(vec3(0, 0, 0));
  hn_body_def def = body_at("bar", 1, 0.1, vec3(2, 0, 0));
  def.angular_velocity = vec3(0, 0, 3);
  int bar = add_body_def(model, def);
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bar, vec3(0, 0, 0), Z);
  set_up(&s, model);
  check_ok(assemble(&s, &report));
  update_frames(&s);
  check_near(s.frames[bar].w.z, 3, 1e-14);
  check_near(s.frames[bar].v.y, 6, 1e-13);
  assert_string_equal(report.velocity_warning.message, "");
  tear_down(&s);
}

// Cranks of 1 m on pins 3.5 m apart, 1 m between them: one crank of 1.5 m reaches.
static void a_crank_before_a_distance_is_named_with_the_length_that_closes(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int a = add_body(model, "a", vec3(1, 0, 0)), b = add_body(model, "b", vec3(2.5, 0, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "p", HN_GROUND, a, vec3(0, 0, 0), Z);
  hn_joint_def rod = joint_between(HN_JOINT_DISTANCE, "d", a, vec3(0, 0, 0), b, vec3(0, 0, 0));
  rod.length = 1;
  add_joint_def(model, rod);
  add_joint(model, HN_JOINT_REVOLUTE, "q", HN_GROUND, b, vec3(3.5, 0, 0), Z);
  set_up(&s, model);
  check_status(assemble(&s, NULL), HN_ERROR_ASSEMBLY);
  check_names(s.error.hint, "'a' 1.000 1.500");
  tear_down(&s);
}

// ---- memory -------------------------------------------------------------------------------------

static void failing_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  setting s;
  crank_machine m = make_crank(0.35, NULL, 0);
  set_up(&s, m.model);
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_status status =
        hn_assemble(s.equations, &allocator, 0, s.q, s.qd, &s.branches, NULL, &s.error);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_int_equal(s.error.status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_angle_without_a_value_as_drawn_is_reached),
      cmocka_unit_test(a_law_that_is_no_number_at_the_start_is_named),
      cmocka_unit_test(an_assembled_machine_is_left_as_it_is),
      cmocka_unit_test(bodies_drawn_at_the_origin_find_their_places),
      cmocka_unit_test(fixed_angles_are_reached_and_turns_counted),
      cmocka_unit_test(fixed_bodies_do_not_move_and_preferred_angles_give_way),
      cmocka_unit_test(a_preferred_angle_that_fits_is_kept),
      cmocka_unit_test(a_body_drawn_upside_down_is_turned_over),
      cmocka_unit_test(a_small_gap_moves_bodies_by_little),
      cmocka_unit_test(a_rod_too_short_is_named_with_the_length_that_closes),
      cmocka_unit_test(a_link_too_long_is_named_with_the_length_that_closes),
      cmocka_unit_test(bodies_that_may_not_move_cannot_close_a_gap),
      cmocka_unit_test(rates_of_joints_set_the_velocities_of_bodies),
      cmocka_unit_test(drivers_move_what_was_at_rest),
      cmocka_unit_test(bodies_without_a_velocity_follow_those_with_one),
      cmocka_unit_test(a_given_velocity_that_had_to_change_is_told),
      cmocka_unit_test(fixed_velocities_that_contradict_the_joints_are_an_error),
      cmocka_unit_test(a_given_orientation_holds_and_the_other_body_follows),
      cmocka_unit_test(a_given_orientation_that_cannot_hold_is_told_and_others_hold),
      cmocka_unit_test(given_velocities_of_a_floating_pair_hold_exactly),
      cmocka_unit_test(an_angular_velocity_alone_holds_on_a_pin),
      cmocka_unit_test(a_crank_before_a_distance_is_named_with_the_length_that_closes),
      cmocka_unit_test(failing_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
