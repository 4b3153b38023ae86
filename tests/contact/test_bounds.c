// Approximate shapes report when a run leaves their bounds: planar profiles whose planes tilt
// against each other, cylinders modeled by prisms.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/contact_machine.h"
#include "pair_scene.h"

static const double circle[] = {0, -0.1, 1, 0, 0.1, 1};
static const double line[] = {1, 0, 0, -1, 0, 0}; // solid below
static const hn_quat upright = {1, 0, 0, 0};

static hn_shape_def outline_of(const double *points, int is_closed, int body) {
  hn_shape_def s = curve_of(points, 2, 0, 0, body);
  s.curve_is_closed = is_closed;
  s.frame = (hn_frame_on_body){body, {0, 0, 0}, upright};
  s.length = 0.01;
  return s;
}

static double gap_of(const scene *s) {
  hn_contact_point points[HN_CONTACT_POINTS];
  int mode = hn_contact_mode(s->contacts, s->contacts->pairs, s->frames, 10);
  int count = points_at(s, mode, s->frames, HN_CONTACT_PLACES, points);
  double least = HUGE_VAL;
  for (int k = 0; k < count; k++) least = fmin(least, points[k].gap);
  return least;
}

// ---- how far they are off ----------------------------------------------------------------------------

// From a cylinder along z to a circle that stands anywhere, by samples of it.
static double truth_of_circles(const hn_frame *f, double radius) {
  enum { COUNT = 40000 };
  double least = HUGE_VAL;
  for (int k = 0; k < COUNT; k++) {
    double angle = 2 * HN_PI * k / COUNT;
    hn_vec3 x = mat3_apply(f->a, vec3(radius * cos(angle), radius * sin(angle), 0));
    least = fmin(least, hypot(f->r.x + x.x, f->r.y + x.y));
  }
  return least - radius;
}

static void gaps_of_tilted_circles_are_within_the_error_told(void **state) {
  (void)state;
  hn_shape_def first = outline_of(circle, 1, 1), second = outline_of(circle, 1, 2);
  scene s = scene_of(&first, &second);
  for (int k = 0; k < 60; k++) {
    const double tilt = 0.01 + 0.004 * k, about = 0.7 * k, way = 0.3 * k;
    double error;
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] = moved(&s.frames[2], vec3_zero(), vec3(tilt * cos(about), tilt * sin(about), 0));
    s.frames[2].r = vec3(0.25 * cos(way), 0.25 * sin(way), 0.02);
    const double sine = hn_contact_tilt(s.contacts, s.contacts->pairs, s.frames, &error);
    check_near(sine, sin(tilt), 1e-12);
    const double off = fabs(gap_of(&s) - truth_of_circles(&s.frames[2], 0.1));
    check_at_most(off, error + 1e-8);
    check_at_most(off, 0.1 * pow(tilt, 4) + 1e-8); // gaps are better than places
    check_at_most(error, 0.25 * tilt * tilt);      // of second order
  }
  scene_free(&s);
}

// A roller on a line: with its end it is nearer than with its middle.
static void gaps_of_a_tilted_roller_are_within_the_error_told(void **state) {
  (void)state;
  hn_shape_def ground = outline_of(line, 0, 1), drum = hn_default_shape(HN_SHAPE_CYLINDER);
  drum.frame = (hn_frame_on_body){2, {0, 0, 0}, upright};
  drum.radius = 0.1;
  drum.length = 0.06;
  scene s = scene_of(&ground, &drum);
  for (int k = 0; k < 20; k++) {
    const double tilt = 1e-4 * (1 << k / 2);
    double error;
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] = moved(&s.frames[2], vec3_zero(), vec3(k % 2 ? tilt : -tilt, 0, 0));
    s.frames[2].r = vec3(0, 0.12, 0);
    const double truth = 0.12 - 0.1 * cos(tilt) - 0.03 * sin(tilt);
    check_near(hn_contact_tilt(s.contacts, s.contacts->pairs, s.frames, &error), sin(tilt), 1e-12);
    check_at_most(fabs(gap_of(&s) - truth), error);
    check_at_most(0.9 * error, fabs(gap_of(&s) - truth) + 0.15 * tilt * tilt); // and not far above
  }
  scene_free(&s);
}

static void what_may_tilt_has_no_error(void **state) {
  (void)state;
  hn_shape_def ground = outline_of(line, 0, 1),
               other[3] = {shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 2),
                           shape_of(HN_SHAPE_SPHERE, HN_TOUCH_SOLID, 2),
                           shape_of(HN_SHAPE_BOX, HN_TOUCH_PLANE, 2)};
  for (int k = 0; k < 3; k++) {
    scene s = scene_of(&ground, &other[k]);
    double error = 1;
    hn_frame_of_ground(&s.frames[1]);
    hn_frame_of_ground(&s.frames[2]);
    s.frames[2] = moved(&s.frames[2], vec3(0, 1, 0), vec3(0.3, 0.2, 0.1));
    check_near(hn_contact_tilt(s.contacts, s.contacts->pairs, s.frames, &error), 0, 0);
    check_near(error, 0, 0);
    assert_int_equal(s.contacts->in_plane, 0);
    scene_free(&s);
  }
}

// ---- runs --------------------------------------------------------------------------------------------

typedef enum way { EVENT_DRIVEN, STEPPED, SOFT, WAYS } way;

static hn_simulation *simulation_of(const hn_model *model, way how) {
  hn_simulation *simulation = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  if (how == STEPPED)
    options.step = 1e-3;
  else
    options.tol = 1e-8;
  if (hn_simulation_create(model, &options, &simulation, &error) != HN_OK)
    fail_msg("%s: %s", error.element, error.message);
  return simulation;
}

// A disk as an planar profile over a line of ground, free to fall out of its plane.
static contact_machine disk_over_line(double height, hn_vec3 spin, way how) {
  contact_machine m = machine_on_plane(vec3(0, -GRAVITY, 0));
  hn_body_def body = hn_default_body();
  int id, ids[2];
  body.name = "disk";
  body.mass = 1;
  const double inertia[6] = {0.0025, 0.0025, 0.005, 0, 0, 0};
  memcpy(body.inertia, inertia, sizeof inertia);
  body.position = vec3(0, 0.1 + height, 0);
  body.angular_velocity = spin;
  check_model(&m, hn_model_add_body(m.model, &body, &id));
  hn_shape_def ground = outline_of(line, 0, HN_GROUND), disk = outline_of(circle, 1, id);
  check_model(&m, hn_model_add_shape(m.model, &ground, &ids[0]));
  check_model(&m, hn_model_add_shape(m.model, &disk, &ids[1]));
  hn_contact_def contact = hn_default_contact();
  contact.name = "edge";
  contact.shapes1 = &ids[0];
  contact.shapes2 = &ids[1];
  contact.count1 = contact.count2 = 1;
  if (how == SOFT) {
    contact.law = HN_CONTACT_LINEAR;
    contact.stiffness = 1e5;
    contact.damping = 100;
  }
  check_model(&m, hn_model_add_contact(m.model, &contact, NULL));
  check_model(&m, hn_model_finish(m.model));
  m.simulation = simulation_of(m.model, how);
  return m;
}

static double tilt_of(contact_machine *m) {
  const hn_vec3 z = mat3_column(motion_of(m, 1).rotation, 2);
  return asin(hypot(z.x, z.y));
}

// The only warning names this angle.
static const char *check_told(const hn_simulation *simulation, double tilt, double tolerance) {
  assert_int_equal(hn_simulation_warning_count(simulation), 1);
  const hn_warning *w = hn_simulation_warning(simulation, 0);
  check_names(w->element, "'edge' 'ground' 'disk'");
  assert_false(w->is_note);
  check_has_number(w->message, tilt, tolerance);
  return w->message;
}

static void outlines_that_tilt_in_touch_are_told(void **state) {
  (void)state;
  for (way how = EVENT_DRIVEN; how < WAYS; how++) {
    contact_machine m = disk_over_line(0, vec3(0.5, 0, 0), how);
    advance(&m, 0.1);
    const char *told = check_told(m.simulation, tilt_of(&m), 1e-3 * tilt_of(&m));
    check_has_number(told, 0.1, 1e-6); // the time
    assert_true(hn_simulation_verdict(m.simulation, NULL).grade >= HN_DOUBTFUL);
    finish(&m);
  }
}

// Its center is r cos(a) above the line: (I + m r^2 sin(a)^2) a'^2/2 + m g r cos(a) is constant.
static void a_disk_that_falls_over_keeps_its_energy(void **state) {
  (void)state;
  contact_machine m = disk_over_line(0, vec3(0.5, 0, 0), EVENT_DRIVEN);
  advance(&m, 0.1);
  const double r = 0.1, sine = sin(tilt_of(&m)), rate = motion_of(&m, 1).angular_velocity.x;
  assert_true(sine > 0.08);
  check_near(motion_of(&m, 1).position.y, r * sqrt(1 - sine * sine), 1e-8);
  check_near(0.5 * (0.0025 + r * r * sine * sine) * rate * rate +
                 GRAVITY * r * sqrt(1 - sine * sine),
             0.5 * 0.0025 * 0.25 + GRAVITY * r, 1e-8);
  finish(&m);
}

// It tilts in flight, and that counts when it lands.
static void an_impact_of_tilted_outlines_is_told(void **state) {
  (void)state;
  for (way how = EVENT_DRIVEN; how < WAYS; how++) {
    contact_machine m = disk_over_line(0.05, vec3(0.5, 0, 0), how);
    advance(&m, 0.08);
    assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
    advance(&m, 0.12); // it has fallen by 0.05 m at 0.10 s
    const char *told = check_told(m.simulation, tilt_of(&m), 1e-2 * tilt_of(&m));
    // its lowest point is r(1 - cos a) higher then
    const double tilt = 0.5 * sqrt(2 * 0.05 / GRAVITY), fall = 0.05 + 0.1 * (1 - cos(tilt));
    check_has_number(told, sqrt(2 * fall / GRAVITY), 2e-3);
    finish(&m);
  }
}

static void outlines_in_their_plane_and_far_ones_are_not_told(void **state) {
  (void)state;
  for (way how = EVENT_DRIVEN; how < WAYS; how++) {
    contact_machine m = disk_over_line(0, vec3(0, 0, 2), how);
    advance(&m, 0.1);
    assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
    finish(&m);
    m = disk_over_line(1, vec3(3, 0, 0), how);
    advance(&m, 0.2);
    assert_true(tilt_of(&m) > 0.5);
    assert_int_equal(hn_simulation_warning_count(m.simulation), 0);
    finish(&m);
  }
}

static void a_saved_run_goes_on_with_its_warning(void **state) {
  (void)state;
  contact_machine m = disk_over_line(0, vec3(0.5, 0, 0), EVENT_DRIVEN);
  static unsigned char saved[1 << 20];
  advance(&m, 0.05);
  const size_t size = hn_simulation_save_size(m.simulation);
  assert_in_range(size, 1, sizeof saved);
  check_ok(hn_simulation_save(m.simulation, saved, size));
  advance(&m, 0.1);
  hn_simulation *other = simulation_of(m.model, EVENT_DRIVEN);
  check_ok(hn_simulation_restore(other, saved, size));
  check_ok(hn_simulation_advance(other, 0.1));
  check_told(other, tilt_of(&m), 1e-3 * tilt_of(&m));
  assert_string_equal(hn_simulation_warning(other, 0)->message,
                      hn_simulation_warning(m.simulation, 0)->message);
  hn_simulation_free(other);
  finish(&m);
}

// ---- prisms ------------------------------------------------------------------------------------------

// A cylinder of radius 0.2 m over another shape.
static contact_machine cylinder_over(hn_shape_def under) {
  contact_machine m = machine_on_plane(vec3(0, 0, -GRAVITY));
  int ids[2];
  under.frame = (hn_frame_on_body){HN_GROUND, {0, 0, 0}, upright};
  check_model(&m, hn_model_add_shape(m.model, &under, &ids[0]));
  ids[1] = add_ball(&m, "drum", 0.01, 1, vec3(0, 0, 2), vec3_zero(), vec3_zero());
  hn_shape_def drum = hn_default_shape(HN_SHAPE_CYLINDER);
  drum.frame = (hn_frame_on_body){1, {0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}};
  drum.radius = 0.2;
  drum.length = 0.4;
  check_model(&m, hn_model_add_shape(m.model, &drum, &ids[1]));
  add_contact(&m, "roll", ids[0], ids[1], 0, 0.5);
  start(&m, 1e-6);
  return m;
}

static void cylinders_that_stand_as_prisms_are_told(void **state) {
  (void)state;
  hn_shape_def capsule = shape_of(HN_SHAPE_CAPSULE, HN_TOUCH_SOLID, 0), same = capsule,
               box = shape_of(HN_SHAPE_BOX, HN_TOUCH_SOLID, 0), plane = box;
  same.type = HN_SHAPE_CYLINDER; // of radius 0.12 m
  plane.touch = HN_TOUCH_PLANE;
  const double part = 1 - cos(HN_PI / 32);
  const struct {
    hn_shape_def under;
    double error;
  } rows[] = {{capsule, part * 0.2}, {same, part * 0.32}, {box, 0}, {plane, 0}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    contact_machine m = cylinder_over(rows[k].under);
    assert_int_equal(hn_simulation_warning_count(m.simulation), rows[k].error > 0);
    if (rows[k].error > 0) {
      const hn_warning *w = hn_simulation_warning(m.simulation, 0);
      double nearest = 0;
      for (const char *at = w->message; *at; at++) { // of the numbers in it
        const double number = isdigit((unsigned char)*at) ? strtod(at, NULL) : 0;
        if (fabs(number - rows[k].error) < fabs(nearest - rows[k].error)) nearest = number;
      }
      check_near(nearest, rows[k].error, 1e-2 * rows[k].error);
      check_names(w->element, "'roll'");
      check_names(w->element, "'drum'");
    }
    finish(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gaps_of_tilted_circles_are_within_the_error_told),
      cmocka_unit_test(gaps_of_a_tilted_roller_are_within_the_error_told),
      cmocka_unit_test(what_may_tilt_has_no_error),
      cmocka_unit_test(outlines_that_tilt_in_touch_are_told),
      cmocka_unit_test(a_disk_that_falls_over_keeps_its_energy),
      cmocka_unit_test(an_impact_of_tilted_outlines_is_told),
      cmocka_unit_test(outlines_in_their_plane_and_far_ones_are_not_told),
      cmocka_unit_test(a_saved_run_goes_on_with_its_warning),
      cmocka_unit_test(cylinders_that_stand_as_prisms_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
