// Tables of laws from files: CSV and NPY, columns, units, rejected input.
#include "formats/loading.h"

#include <math.h>

#define CRANK                                                                                      \
  "bodies:\n  crank: {mass: 1, inertia: [1, 1, 1]}\n"                                              \
  "joints:\n  pin: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: z}\n"            \
  "drivers:\n  motor: {joint: pin, motion: "

static double motion_at(const char *law, double t) {
  char text[1000];
  snprintf(text, sizeof text, CRANK "%s}\n", law);
  hn_model *model = load_text(text);
  double value = hn_law_evaluate(model->drivers[0].law, -1, t).value;
  hn_model_free(model);
  return value;
}

static void columns_are_found_by_name_and_by_number(void **state) {
  (void)state;
  const double pi = acos(-1.0);
  check_near(motion_at("{table: motion.csv, columns: [time, turn]}", 1), 90, 1e-12);
  check_near(motion_at("{table: motion.csv, columns: [ms, turn], units: [ms, deg]}", 1), pi / 2,
             1e-12);
  check_near(motion_at("{table: motion.csv, columns: [1, 3], interpolation: linear}", 0.25),
             45 / 2.0, 1e-12);
  check_near(motion_at("{table: motion.csv, outside: hold}", 99), 2000, 0); // the first two
  check_near(motion_at("{table: motion.npy, interpolation: monotone}", 2), 8, 1e-12);
  check_near(motion_at("{table: motion.npy, columns: [2, 1], interpolation: akima}", 1), 1, 1e-12);
}

static void refuse(const char *law, const char *part) {
  char text[1000];
  snprintf(text, sizeof text, CRANK "%s}\n", law);
  refuse_text(text, 6, part);
}

static void what_is_wrong_is_told(void **state) {
  (void)state;
  refuse("{table: motion.csv, columns: [time, trun]}", "'turn'");
  refuse("{table: motion.csv, columns: [1, 9]}", "'9'");
  refuse("{table: motion.csv, units: [s, kg]}", "'kg' 'units'");
  refuse("{table: motion.csv, columns: [time]}", "2 'columns'");
  refuse("{table: missing.csv}", "missing.csv");
  refuse("{table: /etc/motion.csv}", "'motor' '/etc/motion.csv'");
  refuse("{table: falling.csv}", "'motor'");
  refuse("{table: motion.npy, columns: [time, 2]}", "'time'");
  refuse("{table: motion.csv, columns: [time, turn], periodic: true}", "0");
  refuse("{table: [[0, 0], [1, 1]], outside: stop}", "'stop'");
}

static void write_npy(const char *path, const char *header, const void *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  unsigned length = (unsigned)strlen(header);
  fwrite("\x93NUMPY\x01\x00", 1, 8, file);
  fputc((int)(length & 255), file);
  fputc((int)(length >> 8), file);
  fwrite(header, 1, length, file);
  fwrite(data, 1, size, file);
  fclose(file);
}

// Headers and lengths of NPY files that lie.
static void npy_files_are_not_trusted(void **state) {
  (void)state;
  static const char *const path = "tests/formats/files/made.npy";
  static const char *const headers[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967295, 4294967295), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }",
      "{'descr': '<c16', 'fortran_order': False, 'shape': (1, 2), }",
      "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }",
      "{'descr': '",
      "",
      "{'fortran_order': False, 'shape': (1, 2), }"};
  const double data[] = {0, 1, 2, 3, 4, 5};
  for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
    write_npy(path, headers[k], data, sizeof data);
    char text[1000];
    snprintf(text, sizeof text, CRANK "{table: made.npy}}\n");
    hn_model *model = NULL;
    hn_error error = {0};
    assert_true(hn_model_load_text(text, strlen(text), LOADING_FILE, NULL, &model, &error) !=
                HN_OK);
    assert_true(error.message[0]);
  }
  const float halves[] = {0, 1, 0.5f, 1.5f}; // two columns, one after the other
  write_npy(path, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }", halves,
            sizeof halves);
  check_near(motion_at("{table: made.npy}", 1), 1.5, 1e-12);
  const signed char bytes[] = {-1, 3, 1, -5};
  write_npy(path, "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }", bytes,
            sizeof bytes);
  check_near(motion_at("{table: made.npy}", 1), -5, 1e-12);
  remove(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_found_by_name_and_by_number),
      cmocka_unit_test(what_is_wrong_is_told),
      cmocka_unit_test(npy_files_are_not_trusted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
