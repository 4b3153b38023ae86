// holon plot and the report: drawings are well-formed XML and show what they should.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define MODEL HOLON_SOURCE_DIR "/tests/cli/spring.yaml"

static const char *folder;

static int make_run(void **state) {
  (void)state;
  folder = hn_fresh_folder("cli-plot");
  hn_command command = hn_run_shell(folder, "\"$HOLON\" run '%s' --quiet -o out", MODEL);
  int code = command.code;
  hn_command_free(&command);
  return code;
}

static char *read_in_folder(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  char *text = hn_read_text(path);
  if (text == NULL) fail_msg("no file %s", path);
  return text;
}

static int count_of(const char *text, const char *piece) {
  int count = 0;
  for (const char *at = strstr(text, piece); at != NULL; at = strstr(at + 1, piece)) count++;
  return count;
}

static void check_ok_command(hn_command *command) {
  if (command->code != 0) fail_msg("%d: %s", command->code, command->err);
}

static void a_drawing_is_well_formed(void **state) {
  (void)state;
  hn_command command =
      hn_run_shell(folder, "\"$HOLON\" plot out x v 'energy.*' -o a.svg --title 'a <b> & \"c\"'");
  check_ok_command(&command);
  assert_string_equal(command.out, "a.svg\n");
  hn_command_free(&command);
  char *text = read_in_folder("a.svg");
  const char *fault = hn_xml_fault(text);
  if (fault != NULL) fail_msg("a.svg: %s", fault);
  assert_non_null(strstr(text, "a &lt;b&gt; &amp; &quot;c&quot;"));
  assert_int_equal(count_of(text, "<g transform"), 3); // m, m/s, J
  assert_non_null(strstr(text, "time (s)"));
  free(text);
}

// A run that ended at a dead center: 50 rows on a grid, and one of 1e15 where it ended. The same on
// the grid is a value like any other.
static void a_last_row_of_any_size_does_not_flatten_the_others(void **state) {
  (void)state;
  for (int on_grid = 0; on_grid < 2; on_grid++) {
    hn_command command = hn_run_shell(
        folder,
        "{ echo time,y; i=0; while [ $i -lt 50 ]; do echo \"0.$(printf %%02d $i),$((i%%7))\"; "
        "i=$((i+1)); done; echo 0.%s,1e15; } > ended.csv; \"$HOLON\" plot ended.csv y -o e.svg",
        on_grid ? "50" : "493");
    check_ok_command(&command);
    hn_command_free(&command);
    char *text = read_in_folder("e.svg");
    assert_null(hn_xml_fault(text));
    assert_int_equal(strstr(text, "¹⁵") != NULL, on_grid);
    free(text);
  }
}

static void the_default_name_is_that_of_the_signal(void **state) {
  (void)state;
  hn_command command = hn_run_shell(folder, "\"$HOLON\" plot out joint.guide.displacement");
  check_ok_command(&command);
  assert_string_equal(command.out, "out/joint.guide.displacement.svg\n");
  hn_command_free(&command);
  free(read_in_folder("out/joint.guide.displacement.svg"));
}

// The reference is off by 0.02 at t = 0.5, elsewhere exact; its times are not those of the run.
static void a_reference_tells_the_difference(void **state) {
  (void)state;
  char path[1024];
  snprintf(path, sizeof path, "%s/reference.csv", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("# from the formula\nt,pos\n", file);
  for (int i = 0; i <= 8; i++) {
    double t = i / 8.0, x = 0.1 * cos(10 * t);
    fprintf(file, "%.17g,%.17g\n", t, i == 4 ? x + 0.02 : x);
  }
  fclose(file);
  static const char *const columns[] = {"x=pos", "x=2"};
  for (int k = 0; k < 2; k++) {
    hn_command command =
        hn_run_shell(folder, "\"$HOLON\" plot out %s --against reference.csv -o b.svg", columns[k]);
    check_ok_command(&command);
    double difference = 0, where = 0;
    int count = 0;
    int read = sscanf(command.out, "x: largest difference %lf m at t = %lf s (%d times)",
                      &difference, &where, &count);
    if (read != 3) fail_msg("not understood: %s", command.out);
    check_near(difference, 0.02, 1e-5);
    check_near(where, 0.5, 1e-12);
    assert_int_equal(count, 9);
    hn_command_free(&command);
    char *text = read_in_folder("b.svg");
    assert_null(hn_xml_fault(text));
    assert_non_null(strstr(text, "pos (reference)"));
    free(text);
  }
}

static void signals_that_are_not_there_are_refused(void **state) {
  (void)state;
  hn_command command = hn_run_shell(folder, "\"$HOLON\" plot out energy.totl");
  assert_int_equal(command.code, 2);
  check_names(command.err, "'energy.total'");
  check_names(command.err, "`holon plot out --list`");
  hn_command_free(&command);
  command = hn_run_shell(folder, "printf 'time,q\\n0,1\\n' >other.csv; "
                                 "\"$HOLON\" plot out x --against other.csv");
  assert_int_equal(command.code, 2);
  check_names(command.err, "SIGNAL=COLUMN");
  hn_command_free(&command);
}

static void signals_are_listed_with_their_units(void **state) {
  (void)state;
  hn_command command = hn_run_shell(folder, "\"$HOLON\" plot out --list");
  check_ok_command(&command);
  char name[64], unit[16];
  assert_int_equal(sscanf(command.out, "%63s %15s", name, unit), 2);
  assert_string_equal(name, "x"); // outputs first
  assert_string_equal(unit, "m");
  assert_non_null(strstr(command.out, "\njoint.guide.displacement_rate "));
  hn_command_free(&command);
}

static void npz_is_refused_with_the_way_out(void **state) {
  (void)state;
  hn_command command = hn_run_shell(
      folder, "\"$HOLON\" run '%s' --quiet --format npz -o npz && \"$HOLON\" plot npz x", MODEL);
  assert_int_equal(command.code, 2);
  check_names(command.err, "--format hdf5");
  hn_command_free(&command);
}

static void flat_and_tiny_signals_can_be_drawn(void **state) {
  (void)state;
  hn_command command = hn_run_shell(
      folder,
      "printf 'time,zero,same,noise,gap,huge\\n' >odd.csv;"
      "printf '0,0,5,1,1e-300,1e300\\n1,0,5,1.0000000000000002,,-1e300\\n2,0,5,1,2e-300,0\\n' "
      ">>odd.csv; \"$HOLON\" plot odd.csv zero same noise gap huge -o odd.svg");
  check_ok_command(&command);
  hn_command_free(&command);
  char *text = read_in_folder("odd.svg");
  assert_null(hn_xml_fault(text));
  assert_null(strstr(text, "nan"));
  assert_null(strstr(text, "inf"));
  free(text);
}

static void many_points_keep_their_peaks_and_stay_small(void **state) {
  (void)state;
  char path[1024];
  snprintf(path, sizeof path, "%s/many.csv", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("time,y\n", file);
  for (int i = 0; i < 100000; i++) fprintf(file, "%d,%d\n", i, i == 54321 ? 1000 : i % 7);
  fclose(file);
  hn_command command = hn_run_shell(folder, "\"$HOLON\" plot many.csv y -o many.svg");
  check_ok_command(&command);
  hn_command_free(&command);
  char *text = read_in_folder("many.svg");
  assert_null(hn_xml_fault(text));
  assert_true(strlen(text) < 100000);
  assert_non_null(strstr(text, ">1000</text>")); // the axis reaches the one peak
  free(text);
}

// ---- the report ---------------------------------------------------------------------------------

// The text of a data element of a page, cut out of it: the remainder is the template.
static char *cut_out(char *text, const char *id) {
  char mark[64];
  snprintf(mark, sizeof mark, "id=\"%s\">", id);
  char *begin = strstr(text, mark), *end = begin ? strstr(begin, "</script>") : NULL;
  assert_non_null(end);
  begin += strlen(mark);
  char *data = strndup(begin, (size_t)(end - begin));
  memmove(begin, end, strlen(end) + 1);
  return data;
}

// The data of the report, and the remainder of its page.
static char *report_data(char **page) {
  char *text = read_in_folder("out/report.html");
  char *data = cut_out(text, "holon-page");
  const char *fault = hn_json_fault(data);
  if (fault != NULL) fail_msg("%s", fault);
  if (page != NULL)
    *page = text;
  else
    free(text);
  return data;
}

static void check_text(const char *json, const char *path, const char *expected) {
  char value[512];
  assert_true(hn_json_value(json, path, value, sizeof value));
  assert_string_equal(value, expected);
}

// The embedded viewer has its own tests (viewer/tests): its code contains names of other pages.
static void the_report_needs_nothing_else(void **state) {
  (void)state;
  char *text = NULL, *data = report_data(&text);
  free(cut_out(text, "holon-frame"));
  for (const char *at = strstr(text, "<script"); at != NULL; at = strstr(at + 1, "<script")) {
    const char *end = strchr(at, '>'), *source = strstr(at, " src=");
    assert_true(source == NULL || source > end);
  }
  assert_null(strstr(text, "<link rel=\"stylesheet"));
  assert_null(strstr(text, "@import"));
  for (const char *at = strstr(text, "http"); at != NULL; at = strstr(at + 1, "http")) {
    assert_int_equal(strncmp(at, "http://www.w3.org/2000/svg", 26), 0); // a name, not an address
  }
  free(data);
  free(text);
}

static void the_report_tells_how_to_repeat_the_run(void **state) {
  (void)state;
  char *data = report_data(NULL), call[512];
  check_text(data, "kind", "report");
  check_text(data, "verdict/grade", "sound");
  assert_true(hn_json_value(data, "call", call, sizeof call));
  assert_non_null(strstr(call, "/tests/cli/spring.yaml --quiet -o out"));
  assert_true(hn_json_count(data, "verdict/checks") > 5);
  check_near(hn_json_number_in(data, "run/time"), hn_json_number_in(data, "run/end"), 1e-12);
  free(data);
}

static void the_report_shows_the_title_and_the_machine(void **state) {
  (void)state;
  char *data = report_data(NULL);
  check_text(data, "title", "A mass & its spring");
  check_text(data, "machine/topology/joints/0/name", "guide");
  check_text(data, "machine/topology/joints/0/type", "translational");
  check_text(data, "machine/topology/forces/0/type", "joint-spring-damper");
  check_near(hn_json_number_in(data, "machine/degrees_of_freedom"), 1, 0);
  free(data);
}

static void the_report_has_a_picture_and_the_machine_in_3d(void **state) {
  (void)state;
  char *text = NULL, *data = report_data(&text), picture[64];
  char *frame = cut_out(text, "holon-frame");
  assert_null(hn_json_fault(frame)); // one string: the whole page
  assert_non_null(strstr(frame, "data-mode=\\\"embed\\\""));
  assert_non_null(strstr(frame, "id=\\\"holon-motion\\\""));
  assert_true(hn_json_value(data, "picture/type", picture, sizeof picture));
  check_near(hn_json_number_in(data, "picture/time"), 0, 0);
  free(frame);
  free(data);
  free(text);
}

static void the_report_has_the_numbers_of_its_plots(void **state) {
  (void)state;
  char *data = report_data(NULL);
  check_text(data, "signals/0/name", "x");
  check_text(data, "signals/0/unit", "m");
  assert_int_equal(hn_json_count(data, "signals/0/time"), 501);
  assert_int_equal(hn_json_count(data, "signals/0/values"), 501);
  check_near(hn_json_number_in(data, "signals/0/values/0"), 0.1, 1e-9); // x at the start
  assert_true(hn_json_count(data, "signals") > 6); // energy, constraints, steps
  free(data);
}

// 20001 rows are joined to few, and the least and the largest stay.
static void a_long_report_keeps_its_peaks(void **state) {
  (void)state;
  hn_command command =
      hn_run_shell(folder, "\"$HOLON\" run '" HOLON_SOURCE_DIR
                           "/tests/cli/spring.yaml' --quiet --time 2 --output-step 1e-4 -o long");
  assert_int_equal(command.code, 0);
  hn_command_free(&command);
  char *text = read_in_folder("long/report.html");
  char *data = cut_out(text, "holon-page");
  char *at = strstr(data, "\"values\": ["); // of x, the first signal
  assert_non_null(at);
  at += strlen("\"values\": ");
  double least = 1, largest = -1;
  int count = 0;
  for (; *at == '[' || *at == ','; count++) {
    double value = strtod(at + 1, &at);
    least = value < least ? value : least;
    largest = value > largest ? value : largest;
  }
  assert_true(*at == ']' && count > 1000 && count < 2500);
  check_near(least, -0.1, 1e-6);
  check_near(largest, 0.1, 1e-6);
  free(data);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drawing_is_well_formed),
      cmocka_unit_test(a_last_row_of_any_size_does_not_flatten_the_others),
      cmocka_unit_test(the_default_name_is_that_of_the_signal),
      cmocka_unit_test(a_reference_tells_the_difference),
      cmocka_unit_test(signals_that_are_not_there_are_refused),
      cmocka_unit_test(signals_are_listed_with_their_units),
      cmocka_unit_test(npz_is_refused_with_the_way_out),
      cmocka_unit_test(flat_and_tiny_signals_can_be_drawn),
      cmocka_unit_test(many_points_keep_their_peaks_and_stay_small),
      cmocka_unit_test(the_report_needs_nothing_else),
      cmocka_unit_test(the_report_tells_how_to_repeat_the_run),
      cmocka_unit_test(the_report_shows_the_title_and_the_machine),
      cmocka_unit_test(the_report_has_a_picture_and_the_machine_in_3d),
      cmocka_unit_test(the_report_has_the_numbers_of_its_plots),
      cmocka_unit_test(a_long_report_keeps_its_peaks),
  };
  return cmocka_run_group_tests(tests, make_run, NULL);
}
