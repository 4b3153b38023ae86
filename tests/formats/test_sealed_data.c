// Data files of sealed components: tyres, surfaces of roads and tables are sealed with the model, and
// tyres keep their anchors. The same bits as the open component.
#include "formats/sealing.h"

#define TYRES                                                                                      \
  "name: axle\n"                                                                                   \
  "border: [beam]\n"                                                                               \
  "parameters: {other: 0}\n"                                                                       \
  "bodies:\n"                                                                                      \
  "  beam: {mass: 300, center: [0, 0, 0.31], inertia: [40, 60, 80], initial: {velocity: [0.8, "    \
  "0.05, 0]}}\n"                                                                                   \
  "  left: {mass: 30, center: [0, 0.7, 0.31], inertia: [1, 2, 1], initial: {velocity: [0.8, "      \
  "0.05, 0], angular_velocity: [0, 2.6, 0]}}\n"                                                    \
  "  right: {mass: 30, center: [0, -0.7, 0.31], inertia: [1, 2, 1], initial: {velocity: [0.8, "    \
  "0.05, 0], angular_velocity: [0, 2.6, 0]}}\n"                                                    \
  "joints:\n"                                                                                      \
  "  l: {type: revolute, bodies: [beam, left], at: [0, 0.7, 0.31], axis: y}\n"                     \
  "  r: {type: revolute, bodies: [beam, right], at: [0, -0.7, 0.31], axis: y}\n"                   \
  "roads:\n"                                                                                       \
  "  flat: {type: flat}\n"                                                                         \
  "  rough: {type: height-field, file: rough.csv, origin: [-5, -5], spacing: [1, 1]}\n"            \
  "forces:\n"                                                                                      \
  "  l: {type: tyre, body: left, model: car.tir, road: flat, at: [0, 0.7, 0.31]}\n"                \
  "  r: {if: 1 - other, type: tyre, body: right, model: car.tir, road: rough, at: [0, -0.7, "      \
  "0.31]}\n"                                                                                       \
  "  o: {if: other, type: tyre, body: right, model: other.tir, road: rough, at: [0, -0.7, "        \
  "0.31]}\n"                                                                                       \
  "  brake: {type: joint-spring-damper, joint: l, damper: {table: brake.csv, outside: hold}}\n"    \
  "outputs: {load: force.l.fz}\n"

#define USE(part, other)                                                                           \
  "name: axle-use\n"                                                                               \
  "gravity: [0, 0, -9.81]\n"                                                                       \
  "bodies: {load: {mass: 100, center: [0, 0, 0.5], inertia: [10, 10, 10], initial: {velocity: "    \
  "[0.8, 0.05, 0]}}}\n"                                                                            \
  "components: {axle: {use: " part ", parameters: {other: " other "}}}\n"                          \
  "joints: {hold: {type: fixed, bodies: [axle.beam, load], at: [0, 0, 0.4]}}\n"                    \
  "forces: {level: {type: torque, body: load, torque: [-500*body.load.angular_velocity.x, "        \
  "-5000*body.load.angular_velocity.y, 0]}}\n"                                                     \
  "simulation: {time: 1}\n"                                                                        \
  "outputs: {x: body.load.position.x}\n"

static void write_data(void) {
  char rough[2048] = "";
  for (int k = 0; k < 11; k++) strcat(rough, "0,0,0,0,0,0.01,0,0.01,0,0,0\n");
  write_text("rough.csv", rough);
  write_text("brake.csv", "v,m\n-10,-40\n0,0\n10,40\n");
}

static void data_files_run_with_the_bits_of_the_open_component(void **state) {
  (void)state;
  hn_error error;
  copy_model("tyres/car_205_60R15.tir", "car.tir", "", "");
  copy_model("tyres/car-tmeasy.tir", "other.tir", "", "");
  write_data();
  write_text("axle.yaml", TYRES);
  write_text("open.yaml", USE("axle.yaml", "0"));
  write_text("sealed.yaml", USE("axle.hnc", "0"));
  write_text("open-other.yaml", USE("axle.yaml", "1"));
  write_text("sealed-other.yaml", USE("axle.hnc", "1"));
  check_ok(seal("axle.yaml", "axle.hnc", &error));
  check_same_bits("open.yaml", "sealed.yaml", 0.5, "axle.load");
  // a file that only other parameters need is sealed too
  check_same_bits("open-other.yaml", "sealed-other.yaml", 0.3, "axle.load");
}

// Nothing is read from the disk of the user.
static void sealed_data_needs_no_disk(void **state) {
  (void)state;
  hn_error error;
  hn_model *model = NULL;
  copy_model("tyres/car_205_60R15.tir", "car.tir", "", "");
  write_data();
  write_text("axle.yaml", TYRES); // other.tir is missing
  remove(FOLDER "other.tir");
  write_text("sealed.yaml", USE("axle.hnc", "0"));
  write_text("sealed-other.yaml", USE("axle.hnc", "1"));
  check_ok(seal("axle.yaml", "axle.hnc", &error));
  remove(FOLDER "car.tir");
  remove(FOLDER "rough.csv");
  remove(FOLDER "brake.csv");
  check_ok(load("sealed.yaml", 1, &model, &error));
  hn_model_free(model);
  copy_model("tyres/car-tmeasy.tir", "other.tir", "", "");
  assert_int_not_equal(load("sealed-other.yaml", 1, &model, &error), HN_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(data_files_run_with_the_bits_of_the_open_component),
      cmocka_unit_test(sealed_data_needs_no_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
