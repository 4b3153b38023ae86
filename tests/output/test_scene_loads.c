// Loads of a scene: a face at rest pushes at its center of pressure, a tyre where it meets the road.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "holon/load.h"
#include "holon/scene.h"
#include "math/vec.h"
#include "support/check.h"

typedef struct film {
  hn_model *model;
  hn_simulation *simulation;
  hn_scene *scene;
  const float *load; // of the last frame
} film;

static film make_film(const char *text, double step, double last, int loads) {
  film f = {0};
  hn_error error = {0};
  check_ok(hn_model_load_text(text, strlen(text), "test.yaml", NULL, &f.model, &error));
  hn_simulation_options options = hn_default_simulation_options();
  options.step = step;
  check_ok(hn_simulation_create(f.model, &options, &f.simulation, &error));
  check_ok(hn_scene_create(f.simulation, last, 100, &f.scene, &error));
  check_ok(hn_scene_record(f.scene, f.simulation));
  while (hn_simulation_time(f.simulation) < last) {
    check_ok(hn_simulation_step(f.simulation, last));
    while (hn_scene_next(f.scene) <= hn_simulation_time(f.simulation)) {
      check_ok(hn_simulation_look_at(f.simulation, hn_scene_next(f.scene)));
      check_ok(hn_scene_record(f.scene, f.simulation));
    }
  }
  assert_int_equal(f.scene->load_count, loads);
  f.load = f.scene->motion + f.scene->frames * f.scene->stride - 6 * loads;
  return f;
}

static void free_film(film *f) {
  hn_scene_free(f->scene);
  hn_simulation_free(f->simulation);
  hn_model_free(f->model);
}

static void check_load(const float *load, const double expected[6], double point, double force) {
  for (int k = 0; k < 6; k++) check_near((double)load[k], expected[k], k < 3 ? point : force);
}

// A block of 2 kg that sticks to a plane under oblique gravity: its center of pressure is where the
// line of its weight through the center of mass (0.3, 0.1, 0.15) meets the plane, and no corner.
#define BLOCK(bodies, law)                                                                         \
  "gravity: [2, -1, -9]\n"                                                                         \
  "bodies:\n"                                                                                      \
  "  ground: {shape: {plane: {}}}\n"                                                               \
  "  block: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0.3, 0.1, 0.15],\n"                  \
  "          shape: {box: [0.2, 0.2, 0.3]}}\n"                                                     \
  "contacts:\n  floor: {bodies: " bodies ", friction: 0.6" law "}\n"

static const double at_rest[6] = {0.3 + 0.15 * 2 / 9, 0.1 - 0.15 / 9, 0, -4, 2, 18};

static void a_resting_face_pushes_at_its_center_of_pressure(void **state) {
  (void)state;
  film f = make_film(BLOCK("[ground, block]", ""), 0, 0.1, 1);
  assert_string_equal(f.scene->loads[0].name, "floor");
  assert_string_equal(f.scene->loads[0].type, "contact");
  assert_int_equal(f.scene->loads[0].body, 1);
  check_load(f.load, at_rest, 1e-6, 1e-4);
  free_film(&f);
}

static void the_force_is_that_on_the_body_that_moves(void **state) {
  (void)state;
  film f = make_film(BLOCK("[block, ground]", ""), 0, 0.1, 1);
  assert_int_equal(f.scene->loads[0].body, 1);
  check_load(f.load, at_rest, 1e-6, 1e-4);
  free_film(&f);
}

static void so_it_does_in_fixed_steps(void **state) {
  (void)state;
  film f = make_film(BLOCK("[ground, block]", ""), 0.002, 0.1, 1);
  check_load(f.load, at_rest, 1e-4, 1e-2);
  free_film(&f);
}

// It sinks in by less than 0.1 mm and creeps by friction's transition speed.
static void so_it_does_with_a_force_law(void **state) {
  (void)state;
  static const char *const texts[] = {
      BLOCK("[ground, block]", ", law: linear, stiffness: 1e6, damping: 2e3"),
      BLOCK("[block, ground]", ", law: linear, stiffness: 1e6, damping: 2e3")};
  for (int k = 0; k < 2; k++) {
    film f = make_film(texts[k], 0, 1, 1);
    check_load(f.load, at_rest, 5e-4, 0.05);
    free_film(&f);
  }
}

// Two blocks side by side, and one that flies: a load a pair, numbered as signals are.
static void every_pair_has_its_own(void **state) {
  (void)state;
  film f = make_film("gravity: [0, 0, -10]\n"
                     "bodies:\n"
                     "  ground: {shape: {plane: {}, contact: true}}\n"
                     "  low: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0.1],\n"
                     "        shape: {box: [0.2, 0.2, 0.2], contact: true}}\n"
                     "  high: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 5],\n"
                     "         shape: {box: [0.2, 0.2, 0.2], contact: true}}\n"
                     "contacts:\n  all: {}\n",
                     0, 0.1, 3);
  assert_string_equal(f.scene->loads[0].name, "all.1");
  assert_string_equal(f.scene->loads[2].name, "all.3");
  check_load(f.load, (double[]){0, 0, 0, 0, 0, 10}, 1e-6, 1e-4);
  check_load(f.load + 6, (double[]){0, 0, 0, 0, 0, 0}, 0, 0);
  check_load(f.load + 12, (double[]){0, 0, 0, 0, 0, 0}, 0, 0);
  free_film(&f);
}

// 30 kg on a flat road, which bear a radius of 0.31 m down to 0.3 m: the point is on the road.
static void a_tyre_pushes_where_it_meets_the_road(void **state) {
  (void)state;
  film f = make_film(
      "gravity: [0, 0, -10]\n"
      "bodies:\n"
      "  wheel: {mass: 30, center: [0, 0, 0.3], inertia: [1, 1, 1],\n"
      "          initial: {velocity: [0, 0, 0]}}\n"
      "joints:\n"
      "  guide: {type: translational, bodies: [ground, wheel], at: [0, 0, 0.3], axis: z}\n"
      "roads:\n  street: {type: flat, height: 0}\n"
      "forces:\n"
      "  tyre: {type: tyre, body: wheel, at: [0, 0, 0.3], radius: 0.31, stiffness: 30 kN/m,\n"
      "         damping: 900, road: street, contact: radial}\n",
      0, 0.1, 1);
  assert_string_equal(f.scene->loads[0].type, "tyre");
  assert_int_equal(f.scene->loads[0].body, 1);
  check_load(f.load, (double[]){0, 0, 0, 0, 0, 300}, 1e-6, 1e-3);
  free_film(&f);
}

// The force of a tyre with a model has three parts, and its point is that of its signals.
static void a_rolling_tyre_pushes_as_its_signals_say(void **state) {
  (void)state;
  film f = {0};
  hn_error error = {0};
  check_ok(hn_model_load("models/examples/force-tyre-model.yaml", NULL, &f.model, &error));
  check_ok(hn_simulation_create(f.model, NULL, &f.simulation, &error));
  check_ok(hn_scene_create(f.simulation, 1, 50, &f.scene, &error));
  while (hn_simulation_time(f.simulation) < 0.4) check_ok(hn_simulation_step(f.simulation, 0.4));
  check_ok(hn_scene_record(f.scene, f.simulation));
  assert_int_equal(f.scene->load_count, 1);
  const float *load = f.scene->motion + f.scene->stride - 6;
  static const char *const axes[3] = {"x", "y", "z"};
  double along[3];
  for (int k = 0; k < 3; k++) {
    char name[80];
    double value;
    snprintf(name, sizeof name, "force.tyre.contact.%s", axes[k]);
    check_ok(hn_simulation_value(f.simulation, name, &value));
    check_near((double)load[k], value, 1e-5);
    snprintf(name, sizeof name, "force.tyre.f%s", axes[k]);
    check_ok(hn_simulation_value(f.simulation, name, &along[k]));
  }
  // whatever the axes, and it is not the normal load alone
  const double size = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
  const hn_vec3 force = vec3((double)load[3], (double)load[4], (double)load[5]);
  check_relative(vec3_norm(force), size, 1e-5);
  assert_true(size > 1.001 * along[2]);
  free_film(&f);
}

static void loads_come_back_from_their_files(void **state) {
  (void)state;
  film f = make_film(BLOCK("[ground, block]", ""), 0, 0.1, 1);
  check_ok(hn_scene_finish(f.scene, "ok", ""));
  size_t size, motion_size = 4 * (size_t)f.scene->frames * (size_t)f.scene->stride;
  hn_scene_json(f.scene, NULL, 0, &size);
  char *text = malloc(size);
  unsigned char *motion = malloc(motion_size);
  assert_non_null(text);
  assert_non_null(motion);
  check_ok(hn_scene_json(f.scene, text, size, NULL));
  hn_scene_motion_bytes(f.scene, motion);
  hn_scene *back = NULL;
  hn_error error = {0};
  check_ok(hn_scene_read(text, size - 1, motion, motion_size, "scene.json", &back, &error));
  assert_int_equal(back->load_count, 1);
  assert_string_equal(back->loads[0].name, "floor");
  assert_string_equal(back->loads[0].type, "contact");
  assert_int_equal(back->loads[0].body, 1);
  assert_memory_equal(back->motion, f.scene->motion, motion_size);
  hn_scene_free(back);
  free(text);
  free(motion);
  free_film(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_resting_face_pushes_at_its_center_of_pressure),
      cmocka_unit_test(the_force_is_that_on_the_body_that_moves),
      cmocka_unit_test(so_it_does_in_fixed_steps),
      cmocka_unit_test(so_it_does_with_a_force_law),
      cmocka_unit_test(every_pair_has_its_own),
      cmocka_unit_test(a_tyre_pushes_where_it_meets_the_road),
      cmocka_unit_test(a_rolling_tyre_pushes_as_its_signals_say),
      cmocka_unit_test(loads_come_back_from_their_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
