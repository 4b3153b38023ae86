// Error objects: what is written into them, how they read, and the nearest word.
#include "base/error.h"

#include <string.h>

#include "support/check.h"

static void fail_fills_everything_and_returns_status(void **state) {
  (void)state;
  hn_error error;
  memset(&error, 0x55, sizeof error);
  hn_source source = {"models/press.yaml", 31, 9};
  hn_status status = hn_fail(&error, HN_ERROR_ASSEMBLY, &source, "joint 'toggle'", "check the rod",
                             "stays open by %.3f m after %d iterations", 0.012, 25);
  assert_int_equal(status, HN_ERROR_ASSEMBLY);
  assert_int_equal(error.status, HN_ERROR_ASSEMBLY);
  assert_string_equal(error.element, "joint 'toggle'");
  assert_string_equal(error.file, "models/press.yaml");
  assert_int_equal(error.line, 31);
  assert_int_equal(error.column, 9);
  assert_string_equal(error.message, "stays open by 0.012 m after 25 iterations");
  assert_string_equal(error.hint, "check the rod");

  char text[4096];
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, "models/press.yaml:31:9: joint 'toggle' stays open by 0.012 m after 25 "
                            "iterations\n  Check the rod.");
}

static void nothing_but_a_message_is_fine(void **state) {
  (void)state;
  hn_error error;
  memset(&error, 0x55, sizeof error);
  assert_int_equal(hn_fail(&error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory"),
                   HN_ERROR_MEMORY);
  assert_string_equal(error.element, "");
  assert_string_equal(error.file, "");
  assert_string_equal(error.hint, "");
  assert_int_equal(error.line, 0);
  assert_int_equal(error.column, 0);
  char text[64];
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, "out of memory");
  assert_int_equal(hn_fail(NULL, HN_ERROR_FILE, NULL, NULL, NULL, "no object"), HN_ERROR_FILE);
}

static void place_is_written_as_far_as_known(void **state) {
  (void)state;
  char text[256];
  hn_error error;
  hn_source file_only = {"a.yaml", 0, 0}, with_line = {"a.yaml", 7, 0}, nowhere = {NULL, 0, 0};
  hn_fail(&error, HN_ERROR_FILE, &file_only, NULL, NULL, "cannot be read");
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, "a.yaml: cannot be read");
  hn_fail(&error, HN_ERROR_FILE, &with_line, NULL, NULL, "odd");
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, "a.yaml:7: odd");
  hn_fail(&error, HN_ERROR_FILE, &nowhere, "body 'rod'", NULL, "odd");
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, "body 'rod' odd");
}

static void empty_error_reads_as_its_status(void **state) {
  (void)state;
  hn_error error = {.status = HN_ERROR_SINGULAR};
  char text[64];
  hn_error_format(&error, text, sizeof text);
  assert_string_equal(text, hn_status_text(HN_ERROR_SINGULAR));
}

static void long_texts_are_cut_and_terminated(void **state) {
  (void)state;
  static char many[4000];
  memset(many, 'x', sizeof many - 1);
  hn_source source = {many, 1, 1};
  hn_error error;
  hn_fail(&error, HN_ERROR_MODEL, &source, many, many, "%s", many);
  assert_int_equal(strlen(error.element), sizeof error.element - 1);
  assert_int_equal(strlen(error.file), sizeof error.file - 1);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
  assert_int_equal(strlen(error.hint), sizeof error.hint - 1);
  for (size_t size = 0; size < 3000; size += 37) {
    char text[3000];
    memset(text, 0x7F, sizeof text);
    hn_error_format(&error, text, size);
    assert_int_equal(text[size], 0x7F); // nothing beyond
    if (size > 0) assert_true(memchr(text, 0, size) != NULL);
  }
}

static void cut_does_not_split_a_character(void **state) {
  (void)state;
  char name[200] = "x"; // then two-byte characters: one would straddle the end of element[128]
  while (strlen(name) < 150) strcat(name, "\xC3\xA4");
  hn_error error;
  hn_fail(&error, HN_ERROR_MODEL, NULL, name, NULL, "m");
  size_t length = strlen(error.element);
  assert_int_equal(length % 2, 1);
  assert_int_equal((unsigned char)error.element[length - 1], 0xA4);
}

static void error_may_be_passed_on_through_itself(void **state) {
  (void)state;
  hn_error error;
  hn_source source = {"inner.yaml", 3, 4};
  hn_fail(&error, HN_ERROR_SYNTAX, &source, "body 'a'", "hint", "first");
  hn_source same = {error.file, error.line, error.column};
  hn_fail(&error, HN_ERROR_MODEL, &same, error.element, error.hint, "outer: %s", error.message);
  assert_string_equal(error.file, "inner.yaml");
  assert_string_equal(error.element, "body 'a'");
  assert_string_equal(error.hint, "hint");
  assert_string_equal(error.message, "outer: first");
}

static void text_returns_its_buffer(void **state) {
  (void)state;
  char buffer[10];
  assert_ptr_equal(hn_text(buffer, sizeof buffer, "joint '%s'", "knee"), buffer);
  assert_string_equal(buffer, "joint 'kn");
}

static void nearest_word_is_what_was_meant(void **state) {
  (void)state;
  const char *joints[] = {"revolute", "translational", "cylindrical", "spherical", "universal",
                          "fixed",    "planar",        "distance",    "screw",     "gear"};
  int count = (int)(sizeof joints / sizeof joints[0]);
  const struct {
    const char *word, *meant;
  } cases[] = {
      {"revolute", "revolute"},
      {"revolut", "revolute"},
      {"rveolute", "revolute"},
      {"Revolute", "revolute"},
      {"REVOLUTE", "revolute"},
      {"sperical", "spherical"},
      {"translation", "translational"},
      {"fixd", "fixed"},
      {"plannar", "planar"},
      {"gaer", "gear"},
      {"distnace", "distance"},
      {"screws", "screw"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const char *found = hn_nearest_word(cases[k].word, joints, count);
    assert_non_null(found);
    assert_string_equal(found, cases[k].meant);
  }
}

static void far_words_have_no_neighbour(void **state) {
  (void)state;
  const char *words[] = {"revolute", "fixed", NULL, "gear"};
  assert_null(hn_nearest_word("banana", words, 4));
  assert_null(hn_nearest_word("x", words, 4));
  assert_null(hn_nearest_word("", words, 4));
  assert_null(hn_nearest_word("gear", words, 0));
  assert_null(hn_nearest_word(NULL, words, 4));
  assert_null(hn_nearest_word("gear", NULL, 3));
}

static void first_of_equally_near_words_wins(void **state) {
  (void)state;
  const char *words[] = {"mass1", "mass2", "mass3"};
  assert_string_equal(hn_nearest_word("mass", words, 3), "mass1");
}

static void a_word_that_was_begun_is_nearer_than_any_edit(void **state) {
  (void)state;
  const char *words[] = {"sdirk2", "rosenbrock", "sdirk4-16-long", "sdirk4-16", "sdirk4-15"};
  assert_string_equal(hn_nearest_word("sdirk4", words, 5), "sdirk4-16");
  assert_string_equal(hn_nearest_word("ros", words, 5), "rosenbrock");
  assert_string_equal(hn_nearest_word("Sdirk2", words, 5), "sdirk2");
  assert_null(hn_nearest_word("ro", words, 5)); // two letters too many at the start
}

static void right_case_beats_wrong_case(void **state) {
  (void)state;
  const char *words[] = {"k", "K"};
  assert_string_equal(hn_nearest_word("K", words, 2), "K");
  assert_string_equal(hn_nearest_word("k", words, 2), "k");
}

static void very_long_words_are_compared_by_their_beginning(void **state) {
  (void)state;
  static char first[300], second[300];
  memset(first, 'a', 299);
  memset(second, 'a', 200);
  const char *words[] = {"short", second};
  assert_ptr_equal(hn_nearest_word(first, words, 2), second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fail_fills_everything_and_returns_status),
      cmocka_unit_test(nothing_but_a_message_is_fine),
      cmocka_unit_test(place_is_written_as_far_as_known),
      cmocka_unit_test(empty_error_reads_as_its_status),
      cmocka_unit_test(long_texts_are_cut_and_terminated),
      cmocka_unit_test(cut_does_not_split_a_character),
      cmocka_unit_test(error_may_be_passed_on_through_itself),
      cmocka_unit_test(text_returns_its_buffer),
      cmocka_unit_test(nearest_word_is_what_was_meant),
      cmocka_unit_test(far_words_have_no_neighbour),
      cmocka_unit_test(first_of_equally_near_words_wins),
      cmocka_unit_test(a_word_that_was_begun_is_nearer_than_any_edit),
      cmocka_unit_test(right_case_beats_wrong_case),
      cmocka_unit_test(very_long_words_are_compared_by_their_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
