// Many models from files that are read once.
#include "holon/load.h"

#include <stdlib.h>

#include "formats/loading.h"

#define OUTPUT(name) HOLON_TEST_OUTPUT_DIR "/" name

static void write_file(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  assert_int_equal(fclose(file), 0);
}

static hn_model_files *read_files(const char *path) {
  hn_model_files *files = NULL;
  hn_error error = {0};
  if (hn_model_files_read(path, NULL, 0, NULL, &files, &error)) fail_msg("%s", error.message);
  return files;
}

static hn_model *build(hn_model_files *files, const hn_parameter_setting *settings, int count) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_files_build(files, settings, count, &model, &error)) fail_msg("%s", error.message);
  return model;
}

#define PLATE "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 %d\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"

// The first build reads component, table and mesh; when all are gone the second one is the same.
static void files_are_read_once(void **state) {
  (void)state;
  char plate[200];
  snprintf(plate, sizeof plate, PLATE, 1);
  write_file(OUTPUT("once.yaml"),
             "parameters: {k: 8 N/m}\n"
             "components: {arm: {use: once-arm.yaml, parameters: {m: k/(4 N/m)*(1 kg)}}}\n");
  write_file(OUTPUT("once-arm.yaml"),
             "parameters: {m: 1}\n"
             "bodies: {b: {mass: m, inertia: [1, 1, 1], shape: {mesh: once.obj}}}\n"
             "joints: {pin: {type: revolute, bodies: [ground, b], at: [0, 0, 0], axis: z}}\n"
             "drivers: {turn: {joint: pin, motion: {table: once.csv, columns: [time, turn], units: "
             "[s, rad]}}}\n");
  write_file(OUTPUT("once.obj"), plate);
  write_file(OUTPUT("once.csv"), "time,turn\n0,0\n1,0.5\n2,2\n");
  hn_model_files *files = read_files(OUTPUT("once.yaml"));
  const hn_parameter_setting setting = {"k", 8, "N/m"};
  hn_model *first = build(files, &setting, 1);
  remove(OUTPUT("once.yaml"));
  remove(OUTPUT("once-arm.yaml"));
  remove(OUTPUT("once.csv"));
  snprintf(plate, sizeof plate, PLATE, 3);
  write_file(OUTPUT("once.obj"), plate);
  hn_model *second = build(files, NULL, 0);
  assert_true(hn_model_hash(first) == hn_model_hash(second));
  check_near(second->bodies[1].mass, 2, 0);
  hn_model_free(first);
  hn_model_free(second);
  hn_model_files_free(files);
}

// A number is not printed and read again: any bits, in any unit.
static void numbers_arrive_exactly(void **state) {
  (void)state;
  static const char text[] = "parameters: {k: 8 N/m, twice: 2*k}\n"
                             "bodies: {b: {mass: twice/(1 N/m)*1 kg}}\n";
  hn_model_files *files = NULL;
  hn_error error = {0};
  check_ok(hn_model_files_read("k.yaml", text, strlen(text), NULL, &files, &error));
  const double value = 0x1.fffffffffffffp-3;
  const hn_parameter_setting plain = {"k", value, ""}, in_unit = {"k", value, "kN/m"};
  hn_model *model = build(files, &plain, 1);
  check_near(model->bodies[1].mass, 2 * value, 0);
  hn_model_free(model);
  model = build(files, &in_unit, 1);
  check_near(model->bodies[1].mass, 2 * (value * 1000), 0);
  hn_model_free(model);
  hn_model_files_free(files);
}

static void wrong_settings_are_refused(void **state) {
  (void)state;
  static const char text[] = "parameters: {k: 8 N/m}\nbodies: {b: {mass: 1}}\n";
  static const struct {
    hn_parameter_setting setting;
    hn_status status;
    const char *names;
  } wrong[] = {{{"k", 1, "kg"}, HN_ERROR_MODEL, "'k' N/m"},
               {{"k", 1, "furlongs"}, HN_ERROR_ARGUMENT, "'k' 'furlongs'"},
               {{"q", 1, NULL}, HN_ERROR_ARGUMENT, "'q'"}};
  hn_model_files *files = NULL;
  hn_error error = {0};
  check_ok(hn_model_files_read("k.yaml", text, strlen(text), NULL, &files, &error));
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    hn_model *model = (hn_model *)1;
    char all[2600];
    check_status(hn_model_files_build(files, &wrong[k].setting, 1, &model, &error),
                 wrong[k].status);
    hn_error_format(&error, all, sizeof all);
    check_names(all, wrong[k].names);
    assert_null(model);
  }
  hn_model_files_free(files);
}

// After a build that failed the next one is as if it had not been.
static void a_failure_leaves_nothing(void **state) {
  (void)state;
  write_file(OUTPUT("later.yaml"), "components: {arm: {use: later-arm.yaml}}\n");
  remove(OUTPUT("later-arm.yaml"));
  hn_model_files *files = read_files(OUTPUT("later.yaml"));
  hn_model *model = NULL;
  hn_error error = {0};
  check_status(hn_model_files_build(files, NULL, 0, &model, &error), HN_ERROR_FILE);
  write_file(OUTPUT("later-arm.yaml"), "bodies: {b: {mass: 3}}\n");
  model = build(files, NULL, 0);
  check_near(model->bodies[1].mass, 3, 0);
  hn_model_free(model);
  hn_model_files_free(files);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_are_read_once),
      cmocka_unit_test(numbers_arrive_exactly),
      cmocka_unit_test(wrong_settings_are_refused),
      cmocka_unit_test(a_failure_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
