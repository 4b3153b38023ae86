// Solids over several bumps and ridges of a height field: all of them count, and what falls comes to
// rest on those that statics needs.
#include <stdio.h>

#include "contact/contact_machine.h"

enum { MOST = 201 };
static double heights[MOST * MOST];

typedef struct field {
  int grid[2];
  double step;
} field;

// Flat ground with smooth bumps (x, y, height), each 0.1 wide, their tops on nodes.
static void set_bumps(const field *f, const double (*bump)[3], int count) {
  for (int k = 0; k < f->grid[0] * f->grid[1]; k++) {
    const double x = (k % f->grid[0] - 0.5 * (f->grid[0] - 1)) * f->step,
                 y = (k / f->grid[0] - 0.5 * (f->grid[1] - 1)) * f->step;
    heights[k] = 0;
    for (int i = 0; i < count; i++) {
      const double a = (x - bump[i][0]) / 0.05, b = (y - bump[i][1]) / 0.05;
      heights[k] += bump[i][2] * exp(-a * a - b * b);
    }
  }
}

// Ridges across x at `pitch`, with their tops at zero; the middle one lower by `low`.
static void set_washboard(const field *f, double pitch, double depth, double low) {
  for (int k = 0; k < f->grid[0] * f->grid[1]; k++) {
    const double x = (k % f->grid[0] - 0.5 * (f->grid[0] - 1)) * f->step;
    heights[k] = 0.5 * depth * (cos(2 * HN_PI * x / pitch) - 1);
    if (fabs(x) < 0.49 * pitch) heights[k] -= low;
  }
}

static contact_machine machine_on_heights(const field *f) {
  static double vertices[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static int triangles[3] = {0, 1, 2};
  static hn_mesh mesh = {"ground", 4, 1, vertices, triangles};
  contact_machine m = {0};
  check_ok(hn_model_create(NULL, &m.model));
  check_model(&m, hn_model_set_gravity(m.model, vec3(0, 0, -GRAVITY)));
  hn_shape_def ground = hn_default_shape(HN_SHAPE_MESH);
  ground.touch = HN_TOUCH_HEIGHTS;
  ground.mesh = &mesh;
  ground.heights = heights;
  for (int i = 0; i < 2; i++) {
    ground.grid[i] = f->grid[i];
    ground.grid_step[i] = f->step;
  }
  check_model(&m, hn_model_add_shape(m.model, &ground, &m.plane));
  return m;
}

// step 0: event driven.
static void start_either(contact_machine *m, double step) {
  hn_error error = {0};
  check_model(m, hn_model_finish(m->model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  if (step > 0) options.step = step;
  hn_status status = hn_simulation_create(m->model, &options, &m->simulation, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
}

// How far the lower face of a box (thickness t) lies above a place of the ground.
static double above(const hn_body_motion *b, double t, hn_vec3 place) {
  const hn_vec3 n = mat3_apply(b->rotation, vec3(0, 0, 1));
  return -0.5 * t - vec3_dot(n, vec3_sub(place, b->position));
}

// A plate falls flat on bumps of unequal heights: it meets the highest first, tilts and rests on
// all. The summits of the bumps as the plate sees them lie off their tops, higher by less than the
// tilt times that.
static void a_plate_rests_on_three_bumps(void **state) {
  (void)state;
  const field f = {{81, 81}, 0.02};
  const double bump[3][3] = {{-0.3, -0.2, 0.1}, {0.3, -0.2, 0.099}, {0, 0.3, 0.103}};
  for (int k = 0; k < 2; k++) {
    set_bumps(&f, bump, 3);
    contact_machine m = machine_on_heights(&f);
    const int box =
        add_box(&m, "plate", vec3(1, 0.9, 0.1), 2, vec3(0, 0, 0.16), quat_identity(), vec3_zero());
    add_contact(&m, "rests", m.plane, box, 0, 0.5);
    start_either(&m, k ? 1e-3 : 0);
    for (int i = 1; i <= 40; i++) {
      advance(&m, 0.05 * i);
      const hn_body_motion b = motion_of(&m, 1);
      for (int j = 0; j < 3; j++)
        assert_true(above(&b, 0.1, vec3_load(bump[j])) > (k ? -1e-4 : -1e-8));
    }
    const hn_body_motion b = motion_of(&m, 1);
    check_near(vec3_norm(b.velocity), 0, 1e-6);
    for (int j = 0; j < 3; j++) check_near(above(&b, 0.1, vec3_load(bump[j])), 0, k ? 1e-4 : 1e-5);
    finish(&m);
  }
}

static int add_bar(contact_machine *m, hn_vec3 at) { // a capsule along x, radius 0.05
  hn_body_def body = hn_default_body();
  hn_shape_def bar = hn_default_shape(HN_SHAPE_CAPSULE);
  const double inertia[6] = {0.01, 0.2, 0.2, 0, 0, 0};
  int id, shape;
  body.name = "bar";
  body.mass = 2;
  memcpy(body.inertia, inertia, sizeof inertia);
  body.position = at;
  check_model(m, hn_model_add_body(m->model, &body, &id));
  bar.radius = 0.05;
  bar.length = 1.1;
  bar.frame = (hn_frame_on_body){id, {0, 0, 0}, {sqrt(0.5), 0, sqrt(0.5), 0}};
  check_model(m, hn_model_add_shape(m->model, &bar, &shape));
  return shape;
}

// Two ridges of three, the middle one lower: level on both.
static void what_lies_across_rests_on_two_ridges(void **state) {
  (void)state;
  const field f = {{121, 41}, 0.02};
  for (int k = 0; k < 4; k++) {
    set_washboard(&f, 0.4, 0.1, 0.02);
    contact_machine m = machine_on_heights(&f);
    const hn_vec3 at = {0.03, 0.01, 0.06};
    const int shape =
        k % 2 ? add_bar(&m, at)
              : add_box(&m, "plank", vec3(1.1, 0.3, 0.1), 2, at, quat_identity(), vec3_zero());
    add_contact(&m, "rests", m.plane, shape, 0, 0.5);
    start_either(&m, k / 2 ? 1e-3 : 0);
    advance(&m, 1);
    const hn_body_motion b = motion_of(&m, 1);
    check_near(vec3_norm(b.velocity), 0, 1e-6);
    check_near(vec3_norm(b.angular_velocity), 0, 1e-6);
    check_near(b.position.z, 0.05, k / 2 ? 1e-4 : 1e-7);
    check_near(mat3_apply(b.rotation, vec3(1, 0, 0)).z, 0, k / 2 ? 1e-4 : 1e-7);
    finish(&m);
  }
}

// More ridges than a pair has points: those count that lie outermost.
static void a_plank_lies_on_many_ridges(void **state) {
  (void)state;
  const field f = {{201, 21}, 0.01};
  set_washboard(&f, 0.1, 0.02, 0);
  contact_machine m = machine_on_heights(&f);
  // its middle outside of any eight neighbors
  const int box = add_box(&m, "plank", vec3(1.5, 0.1, 0.04), 2, vec3(0.01, 0, 0.02),
                          quat_identity(), vec3_zero());
  add_contact(&m, "rests", m.plane, box, 0, 0.5);
  start_either(&m, 0);
  advance(&m, 0.5);
  const hn_body_motion b = motion_of(&m, 1);
  check_near(b.position.z, 0.02, 1e-7);
  check_near(mat3_apply(b.rotation, vec3(1, 0, 0)).z, 0, 1e-7);
  finish(&m);
}

// One sharp bump at any node under a face over 160 x 160 heights.
static void no_summit_is_missed_under_a_large_face(void **state) {
  (void)state;
  const field f = {{201, 201}, 0.01};
  const int node[3][2] = {{93, 101}, {41, 130}, {150, 67}};
  for (int k = 0; k < 3; k++) {
    memset(heights, 0, sizeof heights);
    heights[node[k][1] * 201 + node[k][0]] = 0.01;
    const hn_vec3 top = {(node[k][0] - 100) * 0.01, (node[k][1] - 100) * 0.01, 0.01};
    contact_machine m = machine_on_heights(&f);
    const int box = add_box(&m, "plate", vec3(1.6, 1.6, 0.1), 2, vec3(0, 0, 0.08), quat_identity(),
                            vec3_zero());
    add_contact(&m, "rests", m.plane, box, 0, 0.5);
    start_either(&m, 1e-3);
    for (int i = 1; i <= 20; i++) {
      advance(&m, 0.01 * i);
      const hn_body_motion b = motion_of(&m, 1);
      assert_true(above(&b, 0.1, top) > -1e-4);
    }
    finish(&m);
  }
}

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

// Where a ball comes to lie that falls on the ground of a component.
static double lies_at(const char *shape, const char *mirror, double x, double y) {
  char text[512];
  double height = 0;
  hn_error error;
  hn_model *model;
  hn_simulation *s;
  snprintf(text, sizeof text, "bodies: {ground: {shape: {%s, contact: true}}}\n", shape);
  write_file(HOLON_TEST_OUTPUT_DIR "/ground.yaml", text);
  snprintf(text, sizeof text,
           "gravity: [0, 0, -9.81]\ncomponents: {c: {use: ground.yaml%s}}\n"
           "bodies: {a: {mass: 1, inertia: [1, 1, 1], position: [%g, %g, 0.6], shape: "
           "{sphere: 0.1, contact: true}}}\n"
           "contacts: {k: {law: hunt-crossley, stiffness: 1e5, restitution: 0}}\n",
           mirror, x, y);
  write_file(HOLON_TEST_OUTPUT_DIR "/falls.yaml", text);
  check_ok(hn_model_load(HOLON_TEST_OUTPUT_DIR "/falls.yaml", NULL, &model, &error));
  check_ok(hn_simulation_create(model, NULL, &s, &error));
  check_ok(hn_simulation_advance(s, 0.4));
  check_ok(hn_simulation_value(s, "body.a.position.z", &height));
  hn_simulation_free(s);
  hn_model_free(model);
  return height;
}

// Mirrored grounds keep their upper side; heights are those of the mirror image.
static void mirrored_grounds_are_mirror_images(void **state) {
  (void)state;
  static const char *const shapes[] = {
      "plane: {}", "heights: {step: [1, 1], columns: 2, values: [0, 0.2, 0.1, 0.4]}"};
  for (int k = 0; k < 2; k++) {
    const double height = lies_at(shapes[k], "", 0.2, -0.3);
    assert_true(height > 0.05);
    check_near(lies_at(shapes[k], ", mirror: x", -0.2, -0.3), height, 1e-5);
    check_near(lies_at(shapes[k], ", mirror: y", 0.2, 0.3), height, 1e-5);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_rests_on_three_bumps),
      cmocka_unit_test(what_lies_across_rests_on_two_ridges),
      cmocka_unit_test(a_plank_lies_on_many_ridges),
      cmocka_unit_test(no_summit_is_missed_under_a_large_face),
      cmocka_unit_test(mirrored_grounds_are_mirror_images),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
