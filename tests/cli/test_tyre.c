// holon tyre: tables filled, curves drawn, unreadable files rejected.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/command.h"

#define CAR "models/tyres/car_205_60R15.tir"

static void table_is_answered_with_its_own_columns(void **state) {
  (void)state;
  hn_command c = hn_run_holon("tyre " CAR " --table tests/data/tyres/car.mf52.csv");
  assert_int_equal(c.code, 0);
  assert_int_equal(strncmp(c.out, "kappa,alpha,gamma,fz,fx,fy,mz,mx,my\n", 36), 0);
  assert_non_null(strstr(c.out, "\n-0.5,-0.2,-0.05,2000.0,-1790.18683"));
  hn_command_free(&c);
}

static void json_has_rows_and_differences(void **state) {
  (void)state;
  hn_command c = hn_run_holon("tyre " CAR " --table tests/data/tyres/car.relax.csv --json");
  assert_int_equal(c.code, 0);
  assert_null(hn_json_fault(c.out));
  check_at_most(hn_json_number_in(c.out, "differences/r_effective"), 1e-10);
  check_near(hn_json_number_in(c.out, "rows/0/4"), 0.01, 1e-12);
  hn_command_free(&c);
}

// Answers are asked for by their names: fields of theirs may be empty, those of inputs may not.
static void answers_need_no_values(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("tyre-open");
  hn_command c = hn_run_shell(
      folder, "printf 'alpha,fy,sigma_alpha\\n0.01\\n0.02,,\\n' >slips.csv; printf "
              "'alpha,fy,kappa\\n0.01\\n' "
              ">bad.csv\n"
              "\"$HOLON\" tyre \"$OLDPWD\"/" CAR " --table bad.csv 2>message && exit 7\n"
              "grep -q \"row 1 has no value of 'kappa'\" message || exit 8\n"
              "\"$HOLON\" tyre \"$OLDPWD\"/" CAR " --table slips.csv");
  if (c.code != 0) fail_msg("%d %s", c.code, c.err);
  double fy = 0, sigma = 0;
  const char *row = strstr(c.out, "\n0.01,");
  assert_non_null(row);
  assert_int_equal(sscanf(row, "\n0.01,%lf,%lf", &fy, &sigma), 2);
  assert_true(fy < -100 && sigma > 0.1);
  hn_command_free(&c);
}

static void curves_are_drawn(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("tyre");
  hn_command c = hn_run_holon("tyre " CAR " --plot %s/curves.svg --axes sae", folder);
  assert_int_equal(c.code, 0);
  char path[600];
  snprintf(path, sizeof path, "%s/curves.svg", folder);
  char *svg = hn_read_text(path);
  assert_non_null(svg);
  assert_null(hn_xml_fault(svg));
  free(svg);
  hn_command_free(&c);
}

static void version_that_is_not_built_is_named(void **state) {
  (void)state;
  hn_command c =
      hn_run_shell(hn_fresh_folder("mf61"),
                   "printf \"[MODEL]\\nPROPERTY_FILE_FORMAT = 'MF-TYRE'\\nFITTYP = 61\\n\" "
                   "> a.tir; \"$HOLON\" tyre a.tir");
  assert_int_equal(c.code, 2);
  check_names(c.err, "6.1");
  check_names(c.err, "FITTYP 52");
  hn_command_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_is_answered_with_its_own_columns),
      cmocka_unit_test(answers_need_no_values),
      cmocka_unit_test(json_has_rows_and_differences),
      cmocka_unit_test(curves_are_drawn),
      cmocka_unit_test(version_that_is_not_built_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL); // HOLON_COMMAND
}
