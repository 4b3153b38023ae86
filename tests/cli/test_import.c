// holon import: the model it writes, its report as words, JSON and page, exit codes; other commands on
// the same file, with overlays.
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/command.h"

#define ROBOT HOLON_SOURCE_DIR "/tests/data/import/planar_floating.urdf"

static void check_code(const hn_command *command, int code) {
  if (command->code != code) print_error("stdout: %s\nstderr: %s\n", command->out, command->err);
  assert_int_equal(command->code, code);
}

static void it_writes_a_model_that_runs(void **state) {
  (void)state;
  static const char *const endings[] = {"yaml", "json"};
  const char *folder = hn_fresh_folder("cli-import");
  for (int k = 0; k < 2; k++) {
    hn_command made = hn_run_holon("import '%s' -o '%s/robot.%s' --page '%s/report.html'", ROBOT,
                                   folder, endings[k], folder);
    check_code(&made, 0);
    check_names(made.out, "11 212: 1 x gazebo");
    hn_command_free(&made);
    hn_command ran = hn_run_holon("check '%s/robot.%s' --json", folder, endings[k]);
    check_code(&ran, 0);
    check_near(hn_json_number_in(ran.out, "degrees_of_freedom"), 11, 0);
    hn_command_free(&ran);
  }
}

static void the_report_is_json_and_adds_up(void **state) {
  (void)state;
  hn_command command = hn_run_holon("import '%s' --json", ROBOT);
  check_code(&command, 0);
  assert_null(hn_json_fault(command.out));
  int sum = (int)hn_json_number_in(command.out, "used");
  sum += hn_json_count(command.out, "harmless") + hn_json_count(command.out, "approximated");
  sum += hn_json_count(command.out, "lost");
  assert_int_equal(sum, (int)hn_json_number_in(command.out, "tags"));
  check_near(hn_json_number_in(command.out, "mass"), 5.9, 1e-12);
  check_near(hn_json_number_in(command.out, "dof"), 11, 0);
  hn_command_free(&command);
}

static void strict_refuses_losses(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-import-strict");
  hn_command command = hn_run_holon("import '%s' --strict -o '%s/robot.yaml'", ROBOT, folder);
  check_code(&command, 2);
  hn_command_free(&command);
  hn_command missing = hn_run_holon("check '%s/robot.yaml'", folder);
  assert_int_not_equal(missing.code, 0);
  hn_command_free(&missing);
}

static void every_command_takes_the_file_and_overlays(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-import-with");
  char path[600];
  snprintf(path, sizeof path, "%s/over.yaml", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("remove: {joints: [wheel_joint_mimic]}\noutputs: {arm: joint.arm_joint.angle}\n", file);
  fclose(file);
  hn_command checked = hn_run_holon("check '%s' --with '%s' --json", ROBOT, path);
  check_code(&checked, 0);
  check_near(hn_json_number_in(checked.out, "degrees_of_freedom"), 12, 0);
  hn_command_free(&checked);
  hn_command ran = hn_run_holon("run '%s' --with '%s' --time 0.1 --json", ROBOT, path);
  check_code(&ran, 0);
  assert_non_null(strstr(ran.out, "\"arm\""));
  hn_command_free(&ran);
  hn_command none = hn_run_holon("check '%s' --with '%s.no'", ROBOT, path);
  check_code(&none, 2);
  hn_command_free(&none);
}

static void a_model_goes_out_and_comes_back(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-export");
  hn_command command =
      hn_run_holon("export '%s' --mjcf '%s/a.xml' --sdf '%s/a.sdf'", ROBOT, folder, folder);
  check_code(&command, 0);
  check_names(command.out, "'wheel_joint_mimic'");
  hn_command_free(&command);
  hn_command back = hn_run_holon("check '%s/a.xml' --json", folder);
  check_code(&back, 0);
  check_near(hn_json_number_in(back.out, "degrees_of_freedom"), 11, 0);
  hn_command_free(&back);
  hn_command json = hn_run_holon("export '%s' --urdf '%s/a.urdf' --json", ROBOT, folder);
  check_code(&json, 0);
  assert_null(hn_json_fault(json.out));
  assert_int_equal(hn_json_count(json.out, "lost"), 0);
  hn_command_free(&json);
  hn_command strict = hn_run_holon("export '%s' --sdf '%s/b.sdf' --strict", ROBOT, folder);
  check_code(&strict, 2);
  hn_command_free(&strict);
}

// Massless bodies, of rotors and between joints, have no size to be drawn in.
static void a_run_with_rotors_has_a_scene(void **state) {
  (void)state;
  const char *folder = hn_fresh_folder("cli-import-scene");
  hn_command ran = hn_run_holon("run '%s' --time 1e-3 --quiet -o '%s'",
                                HOLON_SOURCE_DIR "/tests/data/import/features.xml", folder);
  check_code(&ran, 0);
  hn_command_free(&ran);
  hn_command seen = hn_run_holon("export '%s' --gltf '%s/run.glb'", folder, folder);
  check_code(&seen, 0);
  hn_command_free(&seen);
}

static void a_wrong_export_is_refused(void **state) {
  (void)state;
  hn_command both = hn_run_holon("export '%s' --mjcf a.xml --gltf a.gltf", ROBOT);
  check_code(&both, 2);
  hn_command_free(&both);
  hn_command none = hn_run_holon("export '%s'", ROBOT);
  check_code(&none, 2);
  check_names(none.err, "--mjcf");
  hn_command_free(&none);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_writes_a_model_that_runs),
      cmocka_unit_test(the_report_is_json_and_adds_up),
      cmocka_unit_test(strict_refuses_losses),
      cmocka_unit_test(every_command_takes_the_file_and_overlays),
      cmocka_unit_test(a_model_goes_out_and_comes_back),
      cmocka_unit_test(a_run_with_rotors_has_a_scene),
      cmocka_unit_test(a_wrong_export_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
