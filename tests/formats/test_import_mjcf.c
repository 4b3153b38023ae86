// MJCF: accelerations against a reference, defaults, masses, actuators, tendons, messages.
#include "formats/importing.h"

// Without its equalities, one of which is curved; of what acts on the ball the rotor is approximated.
static void features_move_as_the_reference(void **state) {
  (void)state;
  compare_with_reference("features.xml",
                         (comparison){.is_tree = 1,
                                      .with_passive = 1,
                                      .only = " crank rod cam cart ",
                                      .remove = "remove: {joints: [pin, cam_law]}\n"});
}

static hn_import *import_text(const char *text) {
  hn_import *import = NULL;
  hn_error error = {0};
  if (hn_import_text(text, strlen(text), IMPORT_FOLDER "text.xml", NULL, &import, &error))
    fail_msg("%s %s", error.element, error.message);
  return import;
}

static void written(const char *text, const char *part) {
  hn_import *import = import_text(text);
  if (!strstr(hn_import_yaml(import), part))
    fail_msg("no '%s' in\n%s", part, hn_import_yaml(import));
  hn_import_free(import);
}

static void refuse(const char *text, int line, const char *part) {
  hn_import *import = NULL;
  hn_error error = {0};
  char all[2600];
  if (!hn_import_text(text, strlen(text), IMPORT_FOLDER "text.xml", NULL, &import, &error))
    fail_msg("accepted: %s", text);
  hn_error_format(&error, all, sizeof all);
  if (!strstr(all, part) || error.line != line)
    fail_msg("%s (wanted line %d, '%s')", all, line, part);
}

#define WORLD(text) "<mujoco><worldbody>\n" text "</worldbody></mujoco>"
#define BALL "<geom type='sphere' size='0.1' mass='2'/>"

static void masses_come_from_geoms(void **state) {
  (void)state;
  hn_import *import = import_text(
      "<mujoco><compiler settotalmass='7'/><worldbody><body><freejoint/>" BALL
      "</body><body><freejoint/><geom type='box' size='0.1 0.2 0.3' density='100'/></body>"
      "</worldbody></mujoco>");
  check_near(hn_import_facts_of(import).mass, 7, 1e-14);
  hn_import_free(import);
  import = import_text(WORLD("<body><freejoint/><geom type='capsule' size='0.1' "
                             "fromto='0 0 0 0 0 1'/></body>"));
  double want = 1000 * HN_PI * (0.01 + 4.0 / 3 * 0.001);
  check_near(hn_import_facts_of(import).mass, want, 1e-12);
  hn_import_free(import);
}

static void defaults_go_from_class_to_class(void **state) {
  (void)state;
  written("<mujoco><compiler angle='radian'/><default><joint damping='3'/><default class='a'>"
          "<joint axis='0 1 0'/><default class='b'><joint stiffness='5'/></default></default>"
          "</default><worldbody><body childclass='b'><joint name='j'/>" BALL
          "</body></worldbody></mujoco>",
          "j: {type: joint-spring-damper, joint: j, stiffness: 5, damping: 3, if: passive}");
}

static void several_joints_of_a_body_follow_each_other(void **state) {
  (void)state;
  const char *text = WORLD("<body name='b'><joint name='x' type='slide' axis='1 0 0'/><joint "
                           "name='y' axis='0 1 0'/>" BALL "</body>");
  written(text, "b_x: {mass: 0}");
  written(text, "x: {type: translational, bodies: [ground, b_x]");
  written(text, "y: {type: revolute, bodies: [b_x, b]");
}

static void actuators_are_inputs(void **state) {
  (void)state;
  const char *text =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j'/>" BALL
      "</body></worldbody><actuator><motor name='u' joint='j' gear='50'/>"
      "<position name='p' joint='j' kp='20' kv='3' ctrlrange='-1 1'/></actuator></mujoco>";
  written(text, "u: 0");
  written(text, "law: -(50)*(u)");
  written(text, "servos: 0");
  written(text, "law: \"-(1)*servos*(20*max(-1, min(1, p)) + -20*x + -3*v)\"");
}

static void mistakes_are_told_with_their_line(void **state) {
  (void)state;
  refuse(WORLD("<body name='arm'><joint name='j'/></body>"), 2, "has no mass");
  refuse("<mujoco>\n<compiler coordinate='global'/></mujoco>", 2, "global");
  refuse("<mujoco>\n<include file='no.xml'/></mujoco>", 2, "cannot be opened");
  refuse("<mujoco>\n<include file='../x.xml'/></mujoco>", 2, "within the folder");
  refuse("<mujoco>\n<include file='text.xml'/></mujoco>", 2, "included before");
  refuse(WORLD("<body><joint class='no'/>" BALL "</body>"), 2, "class 'no'");
  refuse(WORLD("<body><joint type='knee'/>" BALL "</body>"), 2, "type 'knee'");
  refuse(WORLD("<body><joint axis='0 0 0'/>" BALL "</body>"), 2, "no direction");
  refuse(WORLD("<body pos='1 2'><joint/>" BALL "</body>"), 2, "expects 3 numbers in pos, got 2");
  refuse(WORLD("<body quat='0 0 0 0'><joint/>" BALL "</body>"), 2, "length 0");
  refuse(WORLD("<body>" BALL "<body><freejoint/>" BALL "</body></body>"), 2, "not in the world");
  refuse(WORLD("<replicate count='3'/>"), 2, "rule of MuJoCo");
  refuse("<mujoco><worldbody/><equality>\n<joint joint1='a'/></equality></mujoco>", 2, "'a'");
  refuse("<mujoco><worldbody/><actuator>\n<motor joint='a'/></actuator></mujoco>", 2, "'a'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(features_move_as_the_reference),
      cmocka_unit_test(masses_come_from_geoms),
      cmocka_unit_test(defaults_go_from_class_to_class),
      cmocka_unit_test(several_joints_of_a_body_follow_each_other),
      cmocka_unit_test(actuators_are_inputs),
      cmocka_unit_test(mistakes_are_told_with_their_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
