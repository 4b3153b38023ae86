// Results on the disk while they grow: readable at every moment, with all bits, also when the end of the
// file is missing.
#include "output/table.h"

#include <stdlib.h>

static hn_results *read_back(const char *path) {
  hn_results *results = NULL;
  hn_error error = {0};
  if (hn_results_read(path, &results, &error) != HN_OK) fail_msg("%s", error.message);
  return results;
}

static char *load(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  char *data = malloc(1 << 20);
  assert_non_null(data);
  *size = fread(data, 1, 1 << 20, file);
  fclose(file);
  return data;
}

static void store(const char *path, const char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, size, file), size);
  fclose(file);
}

static void what_was_written_is_there_while_the_file_is_open(void **state) {
  (void)state;
  const char *path = OUTPUT("journal.npy");
  hn_results_journal *journal = NULL;
  hn_error error = {0};
  for (int rows = 0; rows <= 40; rows += 13) {
    hn_results *all = hard_table(rows), *start = hard_table(0);
    check_ok(hn_results_journal_open(start, path, &journal, &error));
    check_ok(hn_results_journal_write(journal, start, &error));
    for (int upto = 0; upto <= rows; upto += 5) {
      hn_results *part = hard_table(upto);
      check_ok(hn_results_journal_write(journal, part, &error));
      hn_results *back = read_back(path);
      check_same(part, back, 1);
      hn_results_free(back);
      hn_results_free(part);
    }
    check_ok(hn_results_journal_write(journal, all, &error));
    hn_results_journal_close(journal, 1);
    hn_results *back = read_back(path);
    check_same(all, back, 1);
    hn_results_free(back);
    hn_results_free(all);
    hn_results_free(start);
  }
}

// The layout that numpy.load expects, taken apart by hand.
static void the_file_is_an_array_of_records(void **state) {
  (void)state;
  const char *path = OUTPUT("records.npy");
  hn_results *table = hard_table(7);
  hn_results_journal *journal = NULL;
  hn_error error = {0};
  table->names[0] = "it's a \\ name";
  check_ok(hn_results_journal_open(table, path, &journal, &error));
  check_ok(hn_results_journal_write(journal, table, &error));
  hn_results_journal_close(journal, 1);
  size_t size;
  char *data = load(path, &size);
  assert_memory_equal(data, "\x93NUMPY\x03\x00", 8);
  size_t header = (unsigned char)data[8] | (size_t)(unsigned char)data[9] << 8;
  assert_int_equal((12 + header) % 64, 0);
  assert_int_equal(data[11 + header], '\n');
  assert_int_equal(size, 12 + header + 7 * 4 * sizeof(double));
  static const char dictionary[] =
      "{'shape': (           7,), 'fortran_order': False, 'descr': [('time', '<f8'), "
      "('it\\'s a \\\\ name', '<f8'), ('body.rod.position.z', '<f8'), ('force.s.value', '<f8')]} #";
  assert_memory_equal(data + 12, dictionary, sizeof dictionary - 1);
  double value;
  memcpy(&value, data + 12 + header + 4 * sizeof(double), sizeof value);
  check_near(value, 0.01, 0); // time of the second row
  free(data);
  hn_results *back = read_back(path);
  assert_string_equal(hn_results_signal_name(back, 0), "it's a \\ name");
  assert_string_equal(hn_results_signal_unit(back, 2), "N m");
  hn_results_free(back);
  hn_results_free(table);
}

static void a_cut_or_broken_file_gives_whole_rows_or_an_error(void **state) {
  (void)state;
  const char *path = OUTPUT("whole.npy"), *cut = OUTPUT("cut.npy");
  hn_results *table = hard_table(9), *back = NULL;
  hn_results_journal *journal = NULL;
  hn_error error = {0};
  check_ok(hn_results_journal_open(table, path, &journal, &error));
  check_ok(hn_results_journal_write(journal, table, &error));
  hn_results_journal_close(journal, 1);
  size_t size, row = 4 * sizeof(double);
  char *data = load(path, &size);
  for (size_t lost = 0; lost <= 9 * row; lost += 7) {
    store(cut, data, size - lost);
    back = read_back(cut);
    assert_int_equal(hn_results_row_count(back), 9 - (int)((lost + row - 1) / row));
    hn_results_free(back);
  }
  hn_random random = hn_random_seed(5);
  for (int k = 0; k < 500; k++) {
    char *noisy = malloc(size);
    assert_non_null(noisy);
    memcpy(noisy, data, size);
    for (int i = 0; i < 3; i++)
      noisy[hn_random_below(&random, (int)size - (int)(9 * row))] = (char)hn_random_bits(&random);
    store(cut, noisy, (size_t)hn_random_below(&random, (int)size + 1));
    if (hn_results_read(cut, &back, &error) == HN_OK) hn_results_free(back);
    free(noisy);
  }
  free(data);
  hn_results_free(table);
}

static void a_journal_that_is_not_kept_is_gone(void **state) {
  (void)state;
  const char *path = OUTPUT("gone.npy");
  hn_results *table = hard_table(3);
  hn_results_journal *journal = NULL;
  hn_error error = {0};
  check_ok(hn_results_journal_open(table, path, &journal, &error));
  assert_true(file_exists(path));
  hn_results_journal_close(journal, 0);
  assert_false(file_exists(path));
  hn_results_journal_close(NULL, 0);
  check_status(hn_results_journal_open(table, OUTPUT("no/such/folder.npy"), &journal, &error),
               HN_ERROR_FILE);
  assert_null(journal);
  hn_results_free(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_there_while_the_file_is_open),
      cmocka_unit_test(the_file_is_an_array_of_records),
      cmocka_unit_test(a_cut_or_broken_file_gives_whole_rows_or_an_error),
      cmocka_unit_test(a_journal_that_is_not_kept_is_gone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
