// Scenes: what is drawn where nothing is said, frames at their times, written and read back.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/picture.h"
#include "math/euler.h"
#include "output/scene.h"
#include "support/check.h"

// A crank of 1 m that turns with 2 rad/s about z without gravity, its center in the middle.
static hn_model *crank_model(void) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def crank = hn_default_body();
  crank.name = "crank";
  crank.mass = 3;
  crank.position = vec3(0.5, 0, 0);
  crank.angular_velocity = vec3(0, 0, 2);
  crank.velocity = vec3(0, 1, 0);
  check_ok(hn_model_add_body(model, &crank, NULL));
  hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
  pin.name = "pin";
  pin.frame1 = hn_model_frame(model, HN_GROUND, vec3_zero(), vec3(0, 0, 1));
  pin.frame2 = hn_model_frame(model, 1, vec3_zero(), vec3(0, 0, 1));
  check_ok(hn_model_add_joint(model, &pin, NULL));
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.name = "spring";
  spring.frame1 = hn_model_frame(model, HN_GROUND, vec3(0, 0, 0), vec3(0, 0, 1));
  spring.frame2 = hn_model_frame(model, 1, vec3(1, 0, 0), vec3(0, 0, 1));
  check_ok(hn_law_constant(7, NULL, &spring.of_x, NULL));
  check_ok(hn_model_add_force(model, &spring, NULL));
  check_ok(hn_model_set_name(model, "crank <1>"));
  return model;
}

typedef struct film {
  hn_model *model;
  hn_simulation *simulation;
  hn_scene *scene;
} film;

static film make_film(hn_model *model, double last, double rate) {
  film f = {.model = model};
  hn_error error = {0};
  check_ok(hn_model_finish(model));
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-10;
  check_ok(hn_simulation_create(model, &options, &f.simulation, &error));
  check_ok(hn_scene_create(f.simulation, last, rate, &f.scene, &error));
  check_ok(hn_scene_record(f.scene, f.simulation));
  while (hn_simulation_time(f.simulation) < last) {
    check_ok(hn_simulation_step(f.simulation, last));
    while (hn_scene_next(f.scene) <= hn_simulation_time(f.simulation)) {
      check_ok(hn_simulation_look_at(f.simulation, hn_scene_next(f.scene)));
      check_ok(hn_scene_record(f.scene, f.simulation));
    }
  }
  check_ok(hn_scene_finish(f.scene, "ok", ""));
  return f;
}

static void free_film(film *f) {
  hn_scene_free(f->scene);
  hn_simulation_free(f->simulation);
  hn_model_free(f->model);
}

static char *json_of(const hn_scene *scene, size_t *size) {
  hn_scene_json(scene, NULL, 0, size);
  char *text = malloc(*size);
  assert_non_null(text);
  check_status(hn_scene_json(scene, text, *size - 1, NULL), HN_ERROR_LIMIT);
  check_ok(hn_scene_json(scene, text, *size, NULL));
  *size -= 1;
  return text;
}

// ---- frames -------------------------------------------------------------------------------------

static void frames_follow_the_motion(void **state) {
  (void)state;
  film f = make_film(crank_model(), 4, 0);
  const hn_scene *s = f.scene;
  assert_int_equal(s->stride, 1 + 7 + 3 + 1);
  assert_int_equal(s->frames, 300); // at least that many
  for (int k = 0; k < s->frames; k++) {
    const float *frame = s->motion + k * s->stride;
    double t = (double)frame[0];
    check_near(t, 4.0 * k / 299, 1e-6);
    check_near((double)frame[1], 0.5 * cos(2 * t), 1e-6);
    check_near((double)frame[2], 0.5 * sin(2 * t), 1e-6);
    // half the angle; no jump of sign when it passes pi
    check_near((double)frame[4], cos(t), 1e-6);
    check_near((double)frame[7], sin(t), 1e-6);
    // the pin pulls inwards: m r w^2 = 6 N, and the spring 7 N outwards of the tip's pull inwards
    check_near((double)frame[8], -(6 - 7) * cos(2 * t), 1e-5);
    check_near((double)frame[11], 7, 1e-6);
  }
  check_near((double)s->motion[(s->frames - 1) * s->stride], 4, 0);
  assert_true(hn_scene_next(s) == HUGE_VAL);
  free_film(&f);
}

static void the_rate_is_bounded(void **state) {
  (void)state;
  static const struct {
    double last, rate, expected;
  } cases[] = {{10, 0, 60}, {1, 0, 299}, {1000, 0, 19999.0 / 1000}, {2, 25, 25}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_model *model = crank_model();
    hn_error error = {0};
    hn_simulation *simulation = NULL;
    hn_scene *scene = NULL;
    check_ok(hn_model_finish(model));
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_scene_create(simulation, cases[k].last, cases[k].rate, &scene, &error));
    check_relative(scene->rate, cases[k].expected, 1e-12);
    check_status(hn_scene_create(simulation, 0, 0, &(hn_scene *){NULL}, &error), HN_ERROR_ARGUMENT);
    hn_scene_free(scene);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// ---- what is drawn ------------------------------------------------------------------------------

static void a_body_without_shapes_is_drawn_from_its_joints(void **state) {
  (void)state;
  film f = make_film(crank_model(), 0.1, 10);
  const hn_scene_body *crank = &f.scene->bodies[1];
  assert_int_equal(f.scene->bodies[0].shape_count, 0);
  assert_true(crank->drawn);
  assert_int_equal(crank->shape_count, 1); // from the pin to the end of the spring
  const hn_shape_def *link = &crank->shapes[0];
  assert_int_equal(link->type, HN_SHAPE_LINK);
  check_near(link->length, 1, 1e-12);
  check_near_many(&link->frame.position.x, ((double[]){0, 0, 0}), 3, 1e-12);
  check_near(fabs(mat3_column(quat_matrix(link->frame.orientation), 2).x), 1, 1e-12);
  free_film(&f);
}

// A plate of 0.8 m by 2 m, 5 cm thick, on three hinges at one of its edges.
static void a_door_on_three_hinges_is_drawn_as_a_plate(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def door = hn_default_body();
  door.name = "door";
  door.mass = 12;
  door.position = vec3(0.4, 0, 1);
  door.inertia[0] = 0.05 * 0.05 + 2 * 2;
  door.inertia[1] = 0.8 * 0.8 + 2 * 2;
  door.inertia[2] = 0.8 * 0.8 + 0.05 * 0.05;
  check_ok(hn_model_add_body(model, &door, NULL));
  for (int k = 0; k < 3; k++) {
    hn_joint_def hinge = hn_default_joint(HN_JOINT_REVOLUTE);
    hinge.name = (const char *[]){"low", "middle", "top"}[k];
    hn_vec3 at = vec3(0, 0, 0.2 + 0.8 * k);
    hinge.frame1 = hn_model_frame(model, HN_GROUND, at, vec3(0, 0, 1));
    hinge.frame2 = hn_model_frame(model, 1, at, vec3(0, 0, 1));
    check_ok(hn_model_add_joint(model, &hinge, NULL));
  }
  film f = make_film(model, 0.1, 10);
  const hn_scene_body *body = &f.scene->bodies[1];
  const hn_shape_def *plate = &body->shapes[body->shape_count - 1];
  assert_int_equal(plate->type, HN_SHAPE_BOX);
  check_near_many(&plate->size.x, ((double[]){0.8, 0.05, 2}), 3, 1e-12);
  free_film(&f);
}

// The crank turns about z. Drifting along z or twisting it would not be plane.
static void a_plane_mechanism_is_known_by_its_motion(void **state) {
  (void)state;
  film f = make_film(crank_model(), 2, 20);
  hn_vec3 normal;
  assert_int_equal(hn_scene_is_plane(f.scene, &normal), 1);
  check_near_many(&normal.x, ((double[]){0, 0, 1}), 3, 0);
  assert_int_equal(hn_picture_usual_view(f.scene), HN_VIEW_FRONT);
  float *motion = f.scene->storage->motion;
  for (int k = 0; k < f.scene->frames; k++) motion[k * f.scene->stride + 3] += (float)(0.02 * k);
  assert_int_equal(hn_scene_is_plane(f.scene, &normal), 0);
  assert_int_equal(hn_picture_usual_view(f.scene), HN_VIEW_ISO);
  for (int k = 0; k < f.scene->frames; k++) {
    float *pose = motion + k * f.scene->stride + 1;
    pose[2] = 0;
    pose[4] = (float)(0.05 * k) * pose[3];
  }
  assert_int_equal(hn_scene_is_plane(f.scene, &normal), 0);
  free_film(&f);
}

static void a_tyre_draws_a_wheel_that_lies_across(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def wheel = hn_default_body();
  wheel.name = "wheel";
  wheel.position = vec3(0, 0.7, 0.3);
  wheel.orientation = quat_from_axis_angle(vec3(0, 0, 1), HN_PI / 2); // its -x points along y
  check_ok(hn_model_add_body(model, &wheel, NULL));
  hn_road_def road = hn_default_road(HN_ROAD_COSINE_BUMP);
  road.name = "bump";
  road.start = 2;
  road.length = 1;
  road.height = 0.2;
  int id;
  check_ok(hn_model_add_road(model, &road, &id));
  hn_force_def tyre = hn_default_force(HN_FORCE_TYRE);
  tyre.name = "tyre";
  tyre.frame2 = hn_model_frame(model, 1, wheel.position, vec3(0, 0, 1));
  tyre.radius = 0.3;
  tyre.stiffness[0] = 1e4;
  tyre.road = id;
  check_ok(hn_model_add_force(model, &tyre, NULL));
  film f = make_film(model, 0.1, 10);
  const hn_shape_def *shape = &f.scene->bodies[1].shapes[0];
  assert_int_equal(shape->type, HN_SHAPE_WHEEL);
  check_near(shape->radius, 0.3, 0);
  hn_vec3 axis = mat3_column(quat_matrix(shape->frame.orientation), 2);
  check_near(fabs(axis.x), 1, 1e-12);
  const hn_scene_road *drawn = &f.scene->roads[0];
  check_near(drawn->y, 0.7, 1e-12);
  double highest = 0;
  for (int k = 0; k < drawn->count; k++) {
    highest = fmax(highest, drawn->profile[2 * k + 1]);
    if (k > 0) assert_true(drawn->profile[2 * k] > drawn->profile[2 * k - 2]);
  }
  check_near(highest, 0.2, 1e-9);
  free_film(&f);
}

// ---- to a file and back -------------------------------------------------------------------------

static hn_model *model_with_every_shape(void) {
  static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const double profile[6] = {0, 0, 1, 0, 0, 1};
  static const hn_mesh mesh = {"t.obj", 4, 4, corners, faces};
  hn_model *model = crank_model();
  for (int k = 0; k < HN_SHAPE_TYPES; k++) {
    hn_shape_def shape = hn_default_shape((hn_shape_type)k);
    shape.frame.body = k % 2;
    shape.frame.position = vec3(k, 0.1, -2);
    shape.color = 0x10203 * k;
    shape.profile = profile;
    shape.profile_count = 3;
    shape.mesh = &mesh;
    check_ok(hn_model_add_shape(model, &shape, NULL));
  }
  return model;
}

static unsigned char *bytes_of(const hn_scene *scene, size_t *size) {
  *size = 4 * (size_t)scene->frames * (size_t)scene->stride;
  unsigned char *bytes = malloc(*size);
  assert_non_null(bytes);
  for (size_t k = 0; k < *size / 4; k++) {
    uint32_t bits;
    memcpy(&bits, &scene->motion[k], 4);
    for (int b = 0; b < 4; b++) bytes[4 * k + (size_t)b] = (unsigned char)(bits >> (8 * b));
  }
  return bytes;
}

static hn_joint_def joint_at(hn_model *model, hn_joint_type type, int a, int b, hn_vec3 at,
                             hn_vec3 axis) {
  hn_joint_def joint = hn_default_joint(type);
  joint.frame1 = hn_model_frame(model, a, at, axis);
  joint.frame2 = hn_model_frame(model, b, at, axis);
  return joint;
}

// A barrel of 5 kg fixed at the origin, a rod of 2 kg fixed at (3, 0, 0), a slide along x between
// them.
static void a_slide_between_two_eyes_is_a_hydraulic_cylinder(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  static const char *const names[] = {"barrel", "rod"};
  for (int k = 0; k < 2; k++) {
    hn_body_def body = hn_default_body();
    body.name = names[k];
    body.mass = k ? 2 : 5;
    body.position = vec3(k ? 2 : 1, 0, 0);
    check_ok(hn_model_add_body(model, &body, NULL));
  }
  hn_joint_def joints[3] = {
      joint_at(model, HN_JOINT_REVOLUTE, HN_GROUND, 1, vec3_zero(), vec3(0, 1, 0)),
      joint_at(model, HN_JOINT_SPHERICAL, HN_GROUND, 2, vec3(3, 0, 0), vec3(0, 1, 0)),
      joint_at(model, HN_JOINT_TRANSLATIONAL, 1, 2, vec3_zero(), vec3(1, 0, 0))};
  static const char *const words[] = {"foot", "eye", "slide"};
  for (int k = 0; k < 3; k++) {
    joints[k].name = words[k];
    check_ok(hn_model_add_joint(model, &joints[k], NULL));
  }
  film f = make_film(model, 0.1, 20);
  const hn_shape_def *barrel = f.scene->bodies[1].shapes, *rod = f.scene->bodies[2].shapes;
  assert_int_equal(barrel->type, HN_SHAPE_CYLINDER);
  assert_int_equal(rod->type, HN_SHAPE_CYLINDER);
  assert_true(barrel->radius > 1.5 * rod->radius);
  // each reaches from its eye along the slide, and they overlap
  check_near(1 + barrel->frame.position.x - barrel->length / 2, 0, 1e-12);
  check_near(2 + rod->frame.position.x + rod->length / 2, 3, 1e-12);
  assert_true(barrel->length + rod->length > 3);
  free_film(&f);
}

static void a_scene_comes_back_as_it_was(void **state) {
  (void)state;
  hn_model *model = model_with_every_shape();
  hn_shape_def glass = hn_default_shape(HN_SHAPE_SPHERE);
  glass.transparency = 0.75;
  check_ok(hn_model_add_shape(model, &glass, NULL));
  film f = make_film(model, 1, 20);
  size_t size, motion_size, again_size;
  char *text = json_of(f.scene, &size);
  unsigned char *motion = bytes_of(f.scene, &motion_size);
  hn_scene *back = NULL;
  hn_error error = {0};
  check_ok(hn_scene_read(text, size, motion, motion_size, "scene.json", &back, &error));
  assert_string_equal(back->model, "crank <1>");
  assert_null(strchr(text, '<')); // safe inside a page
  const hn_scene_body *ground = &back->bodies[0];
  check_near(ground->shapes[ground->shape_count - 1].transparency, 0.75, 1e-9);
  assert_string_equal(back->forces[0].look, "spring");
  assert_int_equal(back->frames, f.scene->frames);
  assert_memory_equal(back->motion, f.scene->motion, motion_size);
  char *again = json_of(back, &again_size);
  assert_int_equal(size, again_size);
  assert_memory_equal(text, again, size);
  hn_scene_free(back);
  // cut off: what is there is read
  check_ok(hn_scene_read(text, size, motion, motion_size - 5, "scene.json", &back, &error));
  assert_int_equal(back->frames, f.scene->frames - 1);
  hn_scene_free(back);
  free(again);
  free(text);
  free(motion);
  free_film(&f);
}

static void refuse(const char *text, size_t size, hn_status status, const char *part) {
  hn_scene *scene = (hn_scene *)1;
  hn_error error = {0};
  check_status(hn_scene_read(text, size, NULL, 0, "scene.json", &scene, &error), status);
  assert_null(scene);
  check_names(error.message, part);
  assert_string_equal(error.file, "scene.json");
  assert_true(error.hint[0] != 0);
}

static void other_files_are_refused(void **state) {
  (void)state;
  refuse("", 0, HN_ERROR_SYNTAX, "");
  refuse("{}", 2, HN_ERROR_SYNTAX, "'format'");
  const char newer[] = "{\"format\": 9, \"holon\": \"7.1\"}";
  refuse(newer, strlen(newer), HN_ERROR_UNSUPPORTED, "9 7.1");
  film f = make_film(model_with_every_shape(), 1, 20);
  size_t size;
  char *text = json_of(f.scene, &size);
  hn_random random = hn_random_seed(2);
  for (int round = 0; round < 400; round++) { // cut off or damaged anywhere: never astray
    size_t length = round % 2 ? (size_t)hn_random_below(&random, (int)size) : size;
    char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, text, size);
    for (int n = 0; n < 3 && round % 2 == 0; n++)
      copy[hn_random_below(&random, (int)size)] = (char)hn_random_below(&random, 128);
    hn_scene *scene = NULL;
    hn_error error = {0};
    hn_status status = hn_scene_read(copy, length, NULL, 0, "scene.json", &scene, &error);
    assert_true((status == HN_OK) == (scene != NULL));
    hn_scene_free(scene);
    free(copy);
  }
  free(text);
  free_film(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frames_follow_the_motion),
      cmocka_unit_test(the_rate_is_bounded),
      cmocka_unit_test(a_body_without_shapes_is_drawn_from_its_joints),
      cmocka_unit_test(a_door_on_three_hinges_is_drawn_as_a_plate),
      cmocka_unit_test(a_plane_mechanism_is_known_by_its_motion),
      cmocka_unit_test(a_tyre_draws_a_wheel_that_lies_across),
      cmocka_unit_test(a_slide_between_two_eyes_is_a_hydraulic_cylinder),
      cmocka_unit_test(a_scene_comes_back_as_it_was),
      cmocka_unit_test(other_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
