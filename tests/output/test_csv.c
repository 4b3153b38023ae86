// CSV: exact round trip, foreign tables, broken tables, failing disks.
#include <locale.h>

#include "output/table.h"

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static hn_results *read_text(const char *text) {
  hn_results *r = NULL;
  hn_error error = {0};
  write_text(OUTPUT("foreign.csv"), text);
  if (hn_results_read(OUTPUT("foreign.csv"), &r, &error)) fail_msg("%s", error.message);
  return r;
}

static void every_bit_survives_a_round_trip(void **state) {
  (void)state;
  for (int with_units = 0; with_units < 2; with_units++) {
    hn_results *written = hard_table(100), *read = NULL;
    check_ok(hn_results_write(written, OUTPUT("trip.csv"), HN_RESULTS_CSV, with_units, NULL));
    check_ok(hn_results_read(OUTPUT("trip.csv"), &read, NULL));
    check_same(written, read, with_units);
    assert_int_equal(hn_results_find(read, "force.s.value"), 2);
    assert_int_equal(hn_results_find(read, "force.s.valu"), -1);
    hn_results_free(read);
    hn_results_free(written);
  }
}

static void the_file_looks_as_documented(void **state) {
  (void)state;
  hn_results *r = hn_results_new(2);
  r->names[0] = "a";
  r->names[1] = "say \"b\", c";
  r->units[0] = "m";
  r->units[1] = "";
  hn_results_sort_names(r);
  int row = hn_results_add_row(r);
  *hn_results_cell(r, 0, row) = 0.5;
  *hn_results_cell(r, 1, row) = 0.1;
  *hn_results_cell(r, 2, row) = -NAN;
  check_ok(hn_results_write(r, OUTPUT("look.csv"), HN_RESULTS_CSV, 1, NULL));
  char text[256] = "";
  FILE *file = fopen(OUTPUT("look.csv"), "rb");
  assert_non_null(file);
  assert_true(fread(text, 1, sizeof text - 1, file) > 0);
  fclose(file);
  assert_string_equal(text, "time,a,\"say \"\"b\"\", c\"\ns,m,\n0.5,0.10000000000000001,nan\n");
  hn_results *read = NULL;
  check_ok(hn_results_read(OUTPUT("look.csv"), &read, NULL));
  check_same(r, read, 1);
  hn_results_free(read);
  hn_results_free(r);
}

static void empty_results_are_files_too(void **state) {
  (void)state;
  hn_results *written = hard_table(0), *read = NULL;
  check_ok(hn_results_write(written, OUTPUT("empty.csv"), HN_RESULTS_CSV, 1, NULL));
  check_ok(hn_results_read(OUTPUT("empty.csv"), &read, NULL));
  check_same(written, read, 1);
  hn_results_free(read);
  hn_results_free(written);
}

static void foreign_tables_are_read(void **state) {
  (void)state;
  hn_results *r = read_text("\xef\xbb\xbf# made elsewhere\r\n t ; \"x; y\" ;z\r\n0;1e-3;2\r\n\r\n"
                            "# in between\r\n 0.5 ;+4.;\r\n");
  assert_int_equal(hn_results_signal_count(r), 2);
  assert_int_equal(hn_results_row_count(r), 2);
  assert_string_equal(hn_results_signal_name(r, 0), "x; y");
  assert_string_equal(hn_results_signal_name(r, 1), "z");
  assert_string_equal(hn_results_signal_unit(r, 1), "");
  assert_true(hn_results_time(r)[1] == 0.5 && hn_results_column(r, 0)[1] == 4);
  assert_true(hn_results_column(r, 0)[0] == 1e-3 && isnan(hn_results_column(r, 1)[1]));
  hn_results_free(r);

  r = read_text("time\tx\n[s]\t[m]\n1\t-2\n");
  assert_string_equal(hn_results_signal_unit(r, 0), "[m]");
  assert_true(hn_results_column(r, 0)[0] == -2);
  hn_results_free(r);

  r = read_text("time,x,x\n1,2,3"); // no end of line at the end; the first of equal names is found
  assert_int_equal(hn_results_find(r, "x"), 0);
  assert_true(hn_results_column(r, 1)[0] == 3);
  hn_results_free(r);

  // a quote inside a cell is a quote: 5" is an inch mark
  r = read_text("time,5\" pipe,x\n0,1,2\n");
  assert_int_equal(hn_results_signal_count(r), 2);
  assert_string_equal(hn_results_signal_name(r, 0), "5\" pipe");
  assert_true(hn_results_column(r, 1)[0] == 2);
  hn_results_free(r);

  r = read_text("time,a\"b,\"c,d,e\"\n0,1,2\n");
  assert_int_equal(hn_results_signal_count(r), 2);
  assert_string_equal(hn_results_signal_name(r, 1), "c,d,e");
  hn_results_free(r);

  r = read_text(
      "time;\"x, \"\"y\"\"\" ;z\n\"s\";m;\"1/s\"\n\"0\";;\"  4\"\n"); // ; and not the comma
  assert_string_equal(hn_results_signal_name(r, 0), "x, \"y\"");
  assert_string_equal(hn_results_signal_unit(r, 1), "1/s");
  assert_true(isnan(hn_results_column(r, 0)[0]));
  hn_results_free(r);

  r = read_text("time,x,\n,m,\n0,1,\n"); // the unit of time is empty, as is a name
  assert_string_equal(hn_results_signal_unit(r, 0), "m");
  assert_string_equal(hn_results_signal_name(r, 1), "");
  assert_true(hn_results_column(r, 0)[0] == 1 && isnan(hn_results_column(r, 1)[0]));
  hn_results_free(r);

  r = read_text("time\n1\n2\n");
  assert_int_equal(hn_results_signal_count(r), 0);
  assert_int_equal(hn_results_row_count(r), 2);
  hn_results_free(r);
}

static void a_published_table_is_read(void **state) {
  (void)state;
  hn_results *r = NULL;
  check_ok(hn_results_read(HOLON_SOURCE_DIR "/tests/data/a01_pendulum_10s_exact.csv", &r, NULL));
  assert_int_equal(hn_results_row_count(r), 1001);
  int x = hn_results_find(r, "x");
  assert_int_equal(x, 0);
  assert_true(hn_results_column(r, x)[1] == -0.99999987970487934128);
  check_near(hn_results_time(r)[1000], 10, 1e-15);
  hn_results_free(r);
}

static void broken_tables_name_line_and_column(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int line, column;
    const char *message;
  } cases[] = {
      {"", 0, 0, ""},
      {"# nothing\n\n", 2, 0, ""},
      {"time,x\n0,1\n0.1,1,2\n", 3, 1, "3 1 2"},
      {"time,x\n0,1\n0.1\n", 3, 1, "1 2"},
      {"time,x\ns,m\n0, 1.5m\n", 3, 4, "1.5m"},
      {"time,x\n0,1\n0,0x10\n", 3, 3, "0x10"},
      {"time,x\n0x10,1\n1,2\n", 2, 1, "0x10"}, // no line of units
      {"0,1\n1,2\n", 1, 1, ""},
      {"time,x\n0,1,,,,\n", 2, 1, "6"},
      {"time,x\n0,-\n", 2, 3, ""},
      {"time,\"x\n0,1\n", 1, 6, ""},
      {"time,x\n0, \"1\n", 2, 4, ""},
      {"time,\"x\"y\n0,1\n", 1, 6, ""},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_results *r = NULL;
    hn_error error = {0};
    write_text(OUTPUT("broken.csv"), cases[k].text);
    check_status(hn_results_read(OUTPUT("broken.csv"), &r, &error), HN_ERROR_SYNTAX);
    assert_null(r);
    assert_string_equal(error.file, OUTPUT("broken.csv"));
    assert_int_equal(error.line, cases[k].line);
    assert_int_equal(error.column, cases[k].column);
    check_names(error.message, cases[k].message);
  }
  hn_results *r = NULL;
  hn_error error = {0};
  check_status(hn_results_read(OUTPUT("not-there.csv"), &r, &error), HN_ERROR_FILE);
  FILE *file = fopen(OUTPUT("binary.csv"), "wb");
  fwrite("time\0x\n", 1, 7, file);
  fclose(file);
  check_status(hn_results_read(OUTPUT("binary.csv"), &r, &error), HN_ERROR_SYNTAX);
  check_status(hn_results_read(OUTPUT("a.npz"), &r, &error), HN_ERROR_UNSUPPORTED);
}

// Pieces of tables in random order: an answer or an error, never a crash.
static void random_tables_never_crash(void **state) {
  (void)state;
  static const char *const pieces[] = {"time", ",",   "\n",   "\"",    "1",   "-",
                                       ".5e",  "x",   ";",    "\r\n",  "#",   " ",
                                       "\t",   "nan", "\"\"", "1e999", "inf", "\xff"};
  hn_random random = hn_random_seed(11);
  for (int k = 0; k < 3000; k++) {
    char text[256] = "";
    int count = hn_random_below(&random, 24);
    for (int i = 0; i < count; i++) strcat(text, pieces[hn_random_below(&random, 18)]);
    write_text(OUTPUT("random.csv"), text);
    hn_results *r = NULL;
    hn_error error = {0};
    if (hn_results_read(OUTPUT("random.csv"), &r, &error)) {
      assert_null(r);
      assert_true(error.message[0] != 0);
    }
    hn_results_free(r);
  }
}

static void a_decimal_comma_of_the_locale_changes_nothing(void **state) {
  (void)state;
  static const char *const locales[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"};
  for (int k = 0; k < 3; k++)
    if (setlocale(LC_NUMERIC, locales[k])) break;
  hn_results *written = hard_table(20), *read = NULL;
  check_ok(hn_results_write(written, OUTPUT("locale.csv"), HN_RESULTS_CSV, 1, NULL));
  check_ok(hn_results_read(OUTPUT("locale.csv"), &read, NULL));
  check_same(written, read, 1);
  setlocale(LC_NUMERIC, "C");
  hn_results_free(read);
  hn_results_free(written);
}

static void failing_disks_leave_nothing_behind(void **state) {
  (void)state;
  check_failing_writes(HN_RESULTS_CSV, OUTPUT("full.csv"), OUTPUT("full.csv.part"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_bit_survives_a_round_trip),
      cmocka_unit_test(the_file_looks_as_documented),
      cmocka_unit_test(empty_results_are_files_too),
      cmocka_unit_test(foreign_tables_are_read),
      cmocka_unit_test(a_published_table_is_read),
      cmocka_unit_test(broken_tables_name_line_and_column),
      cmocka_unit_test(random_tables_never_crash),
      cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
      cmocka_unit_test(failing_disks_leave_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
