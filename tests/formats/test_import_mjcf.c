// MJCF: accelerations against a reference, defaults, masses, actuators, tendons, messages.
#include "formats/importing.h"

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
  check_names(all, part);
  assert_int_equal(error.line, line);
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

// For a mesh that is a box of 0.25, 0.5 and 0.75 m, moved and written without faces: a box is
// fitted exactly; a sphere has the mean of its half sizes.
static void solids_are_fitted_to_meshes(void **state) {
  (void)state;
  static const char points[] =
      "1 1 1  1.25 1 1  1 1.5 1  1.25 1.5 1  1 1 1.75  1.25 1 1.75  1 1.5 1.75  1.25 1.5 1.75";
  static const struct {
    const char *type;
    double mass;
  } cases[] = {{"box", 93.75},
               {"sphere", 4.0 / 3 * HN_PI * 15.625},
               {"cylinder", HN_PI * 26.3671875},
               {"ellipsoid", 4.0 / 3 * HN_PI * 11.71875}};
  for (int k = 0; k < 4; k++) {
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' vertex='%s' "
             "inertia='convex'/></asset><worldbody><body><freejoint/>"
             "<geom type='%s' mesh='m'/></body></worldbody></mujoco>",
             points, cases[k].type);
    hn_import *import = import_text(text);
    check_near(hn_import_facts_of(import).mass, cases[k].mass, 1e-9);
    check_near(import->machine.links->center.x, 1.125, 1e-12);
    check_near(import->machine.links->center.z, 1.375, 1e-12);
    hn_import_free(import);
  }
}

// Tags without meaning are lost, and the rest of the file is read.
static void what_cannot_be_is_lost(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><asset><model name='x' file='x.xml'/></asset><worldbody><body><joint name='j'/>" BALL
      "</body></worldbody><actuator><position joint='j' kp='-1' "
      "dampratio='1'/></actuator></mujoco>";
  hn_import *import = import_text(text);
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST),
                   4); // model, its name and file; dampratio
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
  written(text, "law: -50*(u)");
  written(text, "servos: 0");
  written(text, "law: \"-1*servos*(20*max(-1, min(1, p)) + -20*x + -3*v)\"");
}

static void actuators_may_have_states(void **state) {
  (void)state;
  const char *text =
      "<mujoco><compiler angle='radian'/><worldbody><body><joint name='j'/>" BALL
      "</body></worldbody><actuator><intvelocity name='speed' joint='j' kp='20'/>"
      "<position name='slow' joint='j' kp='3' timeconst='0.2'/><general name='lag' joint='j' "
      "dyntype='filter' dynprm='0.5' ctrlrange='-1 1'/></actuator></mujoco>";
  written(text, "speed: {rate: speed}");
  written(text, "slow: {rate: (slow - state.slow)/0.20000000000000001}");
  written(text, "rate: \"(max(-1, min(1, lag)) - state.lag)/0.5\"");
  written(text, "law: -1*servos*(20*state.speed + -20*x)");
  written(text, "law: -1*(state.lag)");
}

// Its input changes nothing: neither is written.
static void an_actuator_without_gain_has_no_state(void **state) {
  (void)state;
  hn_import *import = import_text("<mujoco><worldbody><body><joint name='j'/>" BALL
                                  "</body></worldbody><actuator><intvelocity name='still' "
                                  "joint='j' kp='0'/></actuator></mujoco>");
  const char *yaml = hn_import_yaml(import);
  hn_model *model = NULL;
  hn_error error = {0};
  assert_null(strstr(yaml, "states:"));
  if (hn_model_load_text(yaml, strlen(yaml), "still.yaml", NULL, &model, &error))
    fail_msg("%s in\n%s", error.message, yaml);
  hn_model_free(model);
  hn_import_free(import);
}

// A ball of the file falls on its floor and stays there, unless contact is off.
static void bodies_touch_the_world(void **state) {
  (void)state;
  const char *text =
      WORLD("<geom type='plane' size='2 3 0.1'/><geom type='box' size='1 1 1' contype='0' "
            "conaffinity='0'/><body name='b' pos='0 0 0.5'><freejoint/><geom type='sphere' "
            "size='0.1' mass='2' friction='0.4 0 0'/><geom type='sphere' size='0.1' mass='1' "
            "contype='0' conaffinity='0'/></body>");
  written(text, "contact_friction: 1");
  written(text, "shapes: [{plane: {size: 6}, at: [0, 0, 0], group: scenery}, {box: [2, 2, 2], at: "
                "[0, 0, 0]}]");
  written(text, "group: machine}");
  written(text, "contacts:\n  world:\n    groups: [scenery, machine]\n    friction: "
                "contact_friction\n    law: soft\n    time_constant: 0.02*soft\n    joined: true\n"
                "    if: contact\n");
  hn_load_options options = hn_default_load_options();
  for (int contact = 0; contact < 2; contact++) {
    const char *setting = contact ? "contact=1" : "contact=0";
    hn_model *model;
    hn_simulation *simulation;
    hn_error error = {0};
    double z;
    options.settings = &setting;
    options.setting_count = 1;
    if (hn_model_load_text(text, strlen(text), IMPORT_FOLDER "text.xml", &options, &model, &error))
      fail_msg("%s", error.message);
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_simulation_advance(simulation, 1));
    check_ok(hn_simulation_value(simulation, "body.b.position.z", &z));
    check_near(z, contact ? 0.1 : 0.5 - 9.81 / 2, 1e-3);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// Where a ball comes to rest, or falls to, in a second.
static double height_of_ball(const char *text, const char *setting) {
  hn_load_options options = hn_default_load_options();
  hn_model *model;
  hn_simulation *simulation;
  hn_error error = {0};
  double z;
  options.settings = &setting;
  options.setting_count = setting != NULL;
  if (hn_model_load_text(text, strlen(text), IMPORT_FOLDER "text.xml", &options, &model, &error))
    fail_msg("%s", error.message);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, 1));
  check_ok(hn_simulation_value(simulation, "body.ball.position.z", &z));
  hn_simulation_free(simulation);
  hn_model_free(model);
  return z;
}

#define SLED                                                                                       \
  "<body name='sled'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>"
#define ON_SLED(more)                                                                              \
  "<mujoco><worldbody>" SLED "<geom name='top' type='box' size='1 1 0.2' mass='5' " more "/>"      \
  "</body><body name='ball' pos='0 0 0.5'><freejoint/><geom name='round' size='0.1' mass='2'/>"    \
  "</body></worldbody>"

// A ball falls on a sled of the same machine: by its bits, not where the bodies are excluded, and as a
// pair whatever the bits are.
static void bodies_touch_each_other(void **state) {
  (void)state;
  const double below = 0.5 - 9.81 / 2;
#define APART "<contact><exclude body1='sled' body2='ball'/></contact></mujoco>"
#define PAIR                                                                                       \
  "<contact><pair geom1='top' geom2='round' friction='0.3 0.3 0 0 0'/></contact></mujoco>"
  check_near(height_of_ball(ON_SLED("") "</mujoco>", NULL), 0.3, 1e-3);
  check_near(height_of_ball(ON_SLED("") APART, NULL), below, 1e-3);
  check_near(height_of_ball(ON_SLED("contype='2' conaffinity='2'") PAIR, NULL), 0.3, 1e-3);
  check_near(height_of_ball(ON_SLED("") "</mujoco>", "contact=0"), below, 1e-3);
  written(ON_SLED("friction='0.7'") APART,
          "apart: {bodies: [sled, ball], law: none, if: contact*self_contact}");
  written(ON_SLED("contype='2' conaffinity='2'") PAIR, "contact_friction: 0.3");
  written(ON_SLED("contype='2' conaffinity='2'") PAIR, "groups: [paired, paired_2]\n");
}

#define CART(limit)                                                                                \
  "<body><joint type='slide' axis='1 0 0'/><inertial mass='3' pos='0 0 0' diaginertia='1 1 1'/>"   \
  "<body><joint name='arm' axis='0 1 0' range='-10 10' " limit "/>"                                \
  "<inertial mass='2' pos='0 0 -1' diaginertia='0.1 0.1 0.1'/></body></body>"

// The stop of a pendulum on a cart has the time constant and damping ratio of the file, for the
// inertia that the angle feels while the cart gives way: 2.1 - 2^2 / 5 = 1.3 kg m^2.
static void limits_are_stops(void **state) {
  (void)state;
  hn_import *import = import_text(WORLD(CART("solreflimit='0.05 0.5'")));
  const char *entry = strstr(hn_import_yaml(import), "arm_limits:");
  double number = 0;
  assert_non_null(entry);
  assert_int_equal(sscanf(strstr(entry, "stiffness:"), "stiffness: %lf", &number), 1);
  check_near(number, 1.3 / (0.05 * 0.05 * 0.25), 1e-9);
  assert_int_equal(sscanf(strstr(entry, "damping:"), "damping: %lf", &number), 1);
  check_near(number, 2 * 1.3 / 0.05, 1e-10);
  hn_import_free(import);
  written(WORLD(CART("")), "limits: 1");
  written("<mujoco><worldbody>" CART("solreflimit='-200 -20'") "</worldbody></mujoco>",
          "stiffness: 260");
}

// With contact, and so with time stepping, limits are rigid: 2 kg at 1 m rest on theirs, and dry
// friction of 25 N m holds the arm where it starts. An arm that starts beyond its limit has a spring.
static void stepped_limits_and_friction_are_exact(void **state) {
  (void)state;
#define STEPPED(joint)                                                                             \
  "<mujoco><option timestep='0.005'/><worldbody><geom type='plane' size='9 9 1' pos='0 0 -5'/>"    \
  "<body><joint name='arm' axis='0 1 0' " joint "/><geom size='0.1' pos='1 0 0' mass='2'/></body>" \
  "</worldbody></mujoco>"
  const char *const texts[] = {STEPPED("range='-10 10'"), STEPPED("frictionloss='25'")};
  for (int k = 0; k < 2; k++) {
    hn_model *model;
    hn_simulation *simulation;
    hn_error error = {0};
    double angle;
    if (hn_model_load_text(texts[k], strlen(texts[k]), "text.xml", NULL, &model, &error))
      fail_msg("%s", error.message);
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_simulation_advance(simulation, 2));
    check_ok(hn_simulation_value(simulation, "joint.arm.angle", &angle));
    check_near(angle, k == 0 ? HN_PI / 18 : 0, 1e-9);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
  written(STEPPED("range='20 40'"), "stiffness: ");
}

// An arm falls from the horizontal onto its limit at 10 degrees and rests there.
static void limits_hold(void **state) {
  (void)state;
  const char *text = WORLD("<body><joint name='arm' axis='0 1 0' range='-10 10'/>"
                           "<inertial mass='2' pos='1 0 0' diaginertia='0.1 0.1 0.1'/></body>");
  for (int limits = 0; limits < 2; limits++) {
    const char *setting = limits ? "limits=1" : "limits=0";
    hn_load_options options = hn_default_load_options();
    hn_model *model;
    hn_simulation *simulation;
    hn_error error = {0};
    double angle;
    options.settings = &setting;
    options.setting_count = 1;
    if (hn_model_load_text(text, strlen(text), "text.xml", &options, &model, &error))
      fail_msg("%s", error.message);
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_simulation_advance(simulation, 1));
    check_ok(hn_simulation_value(simulation, "joint.arm.angle", &angle));
    const double rest = HN_PI / 18, sag = 2 * 9.81 / (2.1 / 4e-4);
    if (limits)
      check_near(angle, rest + sag * cos(rest + sag), 1e-4);
    else
      assert_true(angle > 1);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// Models with contact take the step of the file; the others are under error control.
static void steps_are_those_of_the_file(void **state) {
  (void)state;
#define STEP "<mujoco><option timestep='0.004'/><worldbody><geom type='plane' size='1 1 1'/>"
  written(STEP "<body><freejoint/>" BALL "</body></worldbody></mujoco>", "timestep: 0.004");
  written(STEP "<body><freejoint/>" BALL "</body></worldbody></mujoco>", "step: timestep");
  hn_import *import =
      import_text("<mujoco><option timestep='0.004'/><worldbody><body><freejoint/>" BALL
                  "</body></worldbody></mujoco>");
  assert_null(strstr(hn_import_yaml(import), "step"));
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 1);
  hn_import_free(import);
}

// An ellipsoid of a file collides as one: it rests at the height of its half axis.
static void ellipsoids_collide(void **state) {
  (void)state;
  check_near(height_of_ball("<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' "
                            "pos='0 0 0.2'><freejoint/><geom type='ellipsoid' "
                            "size='0.3 0.2 0.1'/></body></worldbody></mujoco>",
                            NULL),
             0.1, 1e-3);
}

// Sensors of coordinates are outputs with their names; others are reported.
static void sensors_are_outputs(void **state) {
  (void)state;
  const char *text = "<mujoco><worldbody><body><joint name='arm' axis='0 1 0'/>" BALL
                     "</body></worldbody><sensor><jointpos name='arm pos' joint='arm'/>"
                     "<jointvel name='speed' joint='arm'/><clock/></sensor></mujoco>";
  written(text,
          "outputs:\n  arm_pos: joint.arm.angle\n  speed: joint.arm.angle_rate\n  clock: time\n");
  hn_import *import = import_text(text);
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 0);
  hn_import_free(import);
}

// A model says by name which of its shapes cannot collide.
static void shapes_without_contact_are_named(void **state) {
  (void)state;
  const char *text =
      "<mujoco><asset><mesh name='m' file='missing.stl'/></asset><worldbody>"
      "<geom type='plane' size='1 1 1'/><body name='hull'><freejoint/><geom type='mesh' mesh='m'/>"
      "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body></worldbody></mujoco>";
  hn_model *model;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), IMPORT_FOLDER "text.xml", NULL, &model, &error))
    fail_msg("%s", error.message);
  int found = 0;
  for (int k = 0; k < hn_model_warning_count(model); k++)
    found |= strstr(hn_model_warning(model, k)->message,
                    "1 shape does not collide: mesh of 'hull'") != NULL;
  assert_true(found);
  hn_model_free(model);
}

static void replicas_have_numbers(void **state) {
  (void)state;
  const char *text =
      WORLD("<replicate count='11' offset='1 0 0'><body name='b'><joint name='j'/>" BALL
            "</body></replicate>");
  written(text, "b00:");
  written(text, "j10: {type: revolute, bodies: [ground, b10], at: [10, 0, 0]");
  refuse(WORLD("<replicate count='0'/>"), 2, "0");
  refuse(WORLD("<replicate count='1e9'/>"), 2, "1e+09");
}

static void mistakes_are_told_with_their_line(void **state) {
  (void)state;
  refuse(WORLD("<body name='arm'><joint name='j'/></body>"), 2, "'arm' 'j'");
  refuse(WORLD("<body><joint/><geom size='1e300' density='1e300'/></body>"), 2, "");
  refuse("<mujoco>\n<compiler coordinate='global'/></mujoco>", 2, "");
  refuse("<mujoco>\n<include file='no.xml'/></mujoco>", 2, "'no.xml' 'tests/data/import/no.xml'");
  refuse("<mujoco>\n<include file='../x.xml'/></mujoco>", 2, "'../x.xml'");
  refuse("<mujoco>\n<include file='text.xml'/></mujoco>", 2, "'text.xml'");
  refuse(WORLD("<body><joint class='no'/>" BALL "</body>"), 2, "'no'");
  refuse(WORLD("<body><joint type='knee'/>" BALL "</body>"), 2, "'knee'");
  refuse(WORLD("<body><joint axis='0 0 0'/>" BALL "</body>"), 2, "");
  refuse(WORLD("<body pos='1 2'><joint/>" BALL "</body>"), 2, "3 2");
  refuse(WORLD("<body quat='0 0 0 0'><joint/>" BALL "</body>"), 2, "0");
  refuse(WORLD("<body>" BALL "<body><freejoint/>" BALL "</body></body>"), 2, "");
  refuse("<mujoco><worldbody/><equality>\n<joint joint1='a'/></equality></mujoco>", 2, "'a'");
  refuse("<mujoco><worldbody/><actuator>\n<motor joint='a'/></actuator></mujoco>", 2, "'a'");
  refuse(WORLD("<site name='s'/><site name='s'/>"), 2, "<site> 's'");
  refuse("<mujoco><worldbody/><tendon>\n<fixed name='t'/>\n<fixed name='t'/></tendon></mujoco>", 3,
         "<fixed> 't'");
}

static void rules_of_the_compiler_are_lost(void **state) {
  (void)state;
  hn_import *import =
      import_text(WORLD("<body><joint/>" BALL "</body>\n<composite type='cable' count='3'/>"));
  hn_import_item item = hn_import_item_at(import, HN_IMPORT_LOST, 0);
  assert_string_equal(item.kind, "worldbody/composite");
  assert_int_equal(item.line, 3);
  hn_import_free(import);
}

// A chain of all kinds: the joints before it place the body on the ball.
#define CHAIN                                                                                      \
  "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='h' axis='0 0 1' "      \
  "ref='0.5'/>" BALL "<body name='b' pos='1 0 0'><joint name='s' type='slide' axis='1 0 0'/>" BALL \
  "<body name='c' pos='1 0 0'><joint type='ball'/>" BALL "</body></body></body></worldbody>"       \
  "<keyframe><key name='other'/><key name='k' "

static void a_keyframe_is_a_start(void **state) {
  (void)state;
  hn_import_options options = hn_default_import_options();
  hn_import *import = NULL;
  hn_error error = {0};
  const char *text =
      CHAIN "qpos='2.0707963267948966 0.25 1 0 0 0' qvel='2 3 0 0 5'/></keyframe></mujoco>";
  options.keyframe = "k";
  if (hn_import_text(text, strlen(text), IMPORT_FOLDER "t.xml", &options, &import, &error))
    fail_msg("%s", error.message);
  const char *yaml = hn_import_yaml(import);
  assert_non_null(strstr(yaml, "initial: {angle: 2.07079632679489"));
  assert_non_null(strstr(yaml, "angle_rate: 2}"));
  assert_non_null(strstr(yaml, "displacement: 0.25, displacement_rate: 3}"));
  assert_non_null(strstr(yaml, "angular_velocity: [0, 0, 7]")); // of the hinge and of its own
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 2); // the other keyframe and its name
  hn_import_free(import);
  options.keyframe = "no";
  assert_int_not_equal(
      hn_import_text(text, strlen(text), IMPORT_FOLDER "t.xml", &options, &import, &error), HN_OK);
  check_names(error.message, "'no'");
  options.keyframe = "k";
  text = CHAIN "qpos='1 2'/></keyframe></mujoco>";
  assert_int_not_equal(
      hn_import_text(text, strlen(text), IMPORT_FOLDER "t.xml", &options, &import, &error), HN_OK);
  check_names(error.message, "6");
}

static void unused_keyframes_are_noted(void **state) {
  (void)state;
  const char *text = CHAIN "qpos='2 0.25 1 0 0 0'/></keyframe></mujoco>";
  for (int chosen = 0; chosen < 2; chosen++) {
    hn_load_options options = hn_default_load_options();
    hn_model *model;
    hn_error error = {0};
    int found = 0;
    options.keyframe = chosen ? "k" : NULL;
    if (hn_model_load_text(text, strlen(text), "t.xml", &options, &model, &error))
      fail_msg("%s", error.message);
    for (int k = 0; k < hn_model_warning_count(model); k++)
      found += strstr(hn_model_warning(model, k)->message, "option `keyframe`") != NULL;
    assert_int_equal(found, !chosen);
    hn_model_free(model);
  }
}

static void what_no_control_moves_acts_always(void **state) {
  (void)state;
  const char *text =
      "<mujoco><worldbody><site name='g'/><body name='a'><joint name='j'/>" BALL
      "<site name='p' pos='0 0 1'/></body></worldbody><tendon><spatial name='rope'><site site='g'/>"
      "<site site='p'/></spatial></tendon><actuator><general name='load' joint='j' gainprm='0' "
      "biastype='affine' biasprm='3 0 0'/><motor name='wind' site='p' refsite='g' "
      "gear='0 2 0 0 0 0'/><motor name='winch' tendon='rope'/></actuator></mujoco>";
  written(text, "load: {type: joint-spring-damper, joint: j, law: -1*(0 + 3)}");
  written(text,
          "type: point-force, body: a, at: [0, 0, 1], force: [0*(wind), 2*(wind), 0*(wind)]}");
  written(text, "winch: {type: spring-damper, bodies: [ground, a], points: [[0, 0, 0], [0, 0, 1]], "
                "law: -1*(winch)}");
}

static void a_tendon_may_keep_its_length(void **state) {
  (void)state;
  written(
      "<mujoco><worldbody><site name='g'/><body name='a' pos='1 0 0'><freejoint/>" BALL
      "<site name='p'/></body></worldbody><tendon><spatial name='rod'><site site='g'/>"
      "<site site='p'/></spatial></tendon><equality><tendon tendon1='rod'/></equality></mujoco>",
      "rod: {type: distance, bodies: [ground, a], points: [[0, 0, 0], [1, 0, 0]], length: 1}");
}

// A place is taken off the points of a mesh before they are scaled: of a cube of 1 m a place at a
// quarter of its height, then twice the size: its center is half a meter above that.
static void meshes_are_moved_before_they_are_scaled(void **state) {
  (void)state;
  const char *text =
      "<mujoco><compiler inertiafromgeom='true'/><asset><mesh name='cube' vertex='0 0 0 1 0 0 "
      "0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1' refpos='0.5 0.5 0.25' scale='2 2 2' "
      "inertia='convex'/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' "
      "mesh='cube' density='100'/></body></worldbody></mujoco>";
  written(text, "mass: 800\n    center: [0, 0, 0.5]\n    inertia: [533.3333333333333, "
                "533.3333333333333, 533.3333333333333]");
}

// An actuator that pushes while its input is 0 waits for `servos`: a bias, a range without 0.
static void actuators_do_not_push_at_zero(void **state) {
  (void)state;
  const char *text =
      "<mujoco><worldbody><body name='a'><joint name='j'/>" BALL "<site name='p' pos='0 0 1'/>"
      "</body></worldbody><actuator><motor name='low' joint='j' ctrlrange='1 2'/><general "
      "name='blow' site='p' gear='0 2 0 0 0 0' biastype='affine' biasprm='3 0 0'/></actuator>"
      "</mujoco>";
  written(text, "law: \"-1*servos*(max(1, min(2, low)))\"");
  written(text, "force: [0*servos*(blow + 3), 2*servos*(blow + 3), 0*servos*(blow + 3)]");
}

// A length of 1 m and a force of 10 N: the laws are compared with a reference in wraps.xml.
static void muscles_have_an_activation(void **state) {
  (void)state;
  const char *text = "<mujoco><worldbody><body name='a'><joint name='j'/>" BALL
                     "</body></worldbody><actuator><muscle name='pull' joint='j' force='10' "
                     "lengthrange='0 1'/><muscle name='lost' joint='j'/></actuator></mujoco>";
  written(text, "rate: \"(max(0, min(1, pull)) - state.pull)/(0.01*(0.5 + 1.5*");
  hn_import *import = import_text(text);
  assert_null(strstr(hn_import_yaml(import), "lost"));
  hn_import_free(import);
}

// One item of this import status names the thing and has the reason.
static void told(const char *text, hn_import_fate fate, const char *what, const char *why) {
  hn_import *import = import_text(text);
  int count = 0;
  for (int k = 0; k < hn_import_count(import, fate); k++) {
    hn_import_item item = hn_import_item_at(import, fate, k);
    count += hn_has_names(item.what, what) && hn_has_names(item.why, why);
  }
  if (count == 0) fail_msg("'%s' of %s is not told: %s", why, what, text);
  hn_import_free(import);
}

static void not_written(const char *text, const char *part) {
  hn_import *import = import_text(text);
  if (strstr(hn_import_yaml(import), part)) fail_msg("'%s' in\n%s", part, hn_import_yaml(import));
  hn_import_free(import);
}

#define PULLED(joint, actuator)                                                                    \
  "<mujoco><compiler angle='radian'/><worldbody><body name='a'>" joint BALL                        \
  "</body></worldbody><actuator>" actuator "</actuator></mujoco>"
#define PULL(numbers)                                                                              \
  PULLED("<joint name='j'/>", "<muscle name='pull' joint='j' force='10' " numbers "/>")
#define GENERAL(numbers)                                                                           \
  PULLED("<joint name='j'/>",                                                                      \
         "<general name='pull' joint='j' gaintype='muscle' "                                       \
         "biastype='muscle' dyntype='muscle' lengthrange='0 1' " numbers "/>")

// MuJoCo rejects the same numbers.
static void numbers_of_muscles_are_checked(void **state) {
  (void)state;
  static const char *const wrong[][2] = {
      {PULL("lengthrange='0 1' lmin='1'"), "lmin"},
      {PULL("lengthrange='0 1' lmax='1'"), "lmax"},
      {PULL("lengthrange='0 1' range='1 1'"), ""},
      {PULL("lengthrange='0 1' vmax='0'"), "vmax"},
      {PULL("lengthrange='0 1' fvmax='0'"), "fvmax"},
      {PULL("lengthrange='0 1' tausmooth='-0.4'"), "tausmooth"},
      {PULL("lengthrange='0 1' timeconst='0 0.04'"), ""},
      {GENERAL("gainprm='0.75 1.05 10 200 0.5 1.6 -1.5 1.3 1.2'"), "vmax"},
      {GENERAL("dynprm='-1 0.04'"), ""}};
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    told(wrong[k][0], HN_IMPORT_LOST, "'pull'", wrong[k][1]);
    not_written(wrong[k][0], "inputs:");
  }
  // below 0: the default: (1.05 - 0.75)/1 of the length, over vmax = 1.5, is 0.2
  written(PULL("lengthrange='0 1' vmax='-1' range='-1 -1'"), "(0.2000000000000000");
  const char *quick = PULL("lengthrange='0 1' timeconst='0 0'");
  not_written(quick, "states:");
  written(quick, "-10*max(0, min(1, pull))*");
}

// Any number of parameters; differences from MuJoCo are reported.
static void general_muscles_may_have_few_numbers(void **state) {
  (void)state;
  const char *few = GENERAL("gainprm='0.5 1 10' dynprm='0.02 0.06 0 0'");
  written(few, "-10*state.pull*(0 if (0.5 + 0.5*x) < 0.5 or");
  told(few, HN_IMPORT_APPROXIMATED, "gainprm", "3 9");
  told(GENERAL("gainprm='0.75 1.05 10 200 0.5 1.6 1.5 1.3 1.2' dynprm='0.01 0.04' "
               "biasprm='0.75 1.05 10 200 0.5 1.6 1.5 1.4 1.2'"),
       HN_IMPORT_LOST, "biasprm", "gainprm");
}

// The reference pose, 0, is outside of the limits: the length goes from 1 to 2, and 0.5 to 1 of the
// best length, which is 2.
static void muscles_move_within_the_limits(void **state) {
  (void)state;
  written(PULLED("<joint name='j' type='slide' range='1 2'/>",
                 "<muscle name='pull' joint='j' force='10' range='0.5 1'/>"),
          "(0 + 0.5*x)");
}

static void muscles_that_are_given_up_leave_nothing(void **state) {
  (void)state;
  const char *text =
      "<mujoco><worldbody><body name='a'><joint name='j'/>" BALL "</body></worldbody><tendon>"
      "<fixed name='t'><joint joint='j' coef='1'/></fixed></tendon><actuator><muscle name='pull' "
      "tendon='t'/></actuator></mujoco>";
  told(text, HN_IMPORT_LOST, "'pull'", "lengthrange");
  not_written(text, "coupler");
}

// Two slides along one line: no acceleration follows from a force.
static void forces_that_cannot_be_found_are_told(void **state) {
  (void)state;
  const char *empty =
      "<mujoco><worldbody><body name='a'><joint name='j'/>" BALL
      "</body><body name='e'><joint name='k' type='slide' axis='1 0 0' springdamper='1 1'/><joint "
      "name='l' type='slide' axis='1 0 0'/>" BALL
      "</body></worldbody><actuator><muscle name='pull' "
      "joint='j' lengthrange='0 1'/><motor name='last' joint='j'/></actuator></mujoco>";
  told(empty, HN_IMPORT_LOST, "'pull'", "");
  told(empty, HN_IMPORT_LOST, "springdamper", "");
  not_written(empty, "pull");
  written(empty, "last: 0");
  told("<mujoco><worldbody><site name='p'/><site name='q' pos='1 0 0'/><body name='a'>" BALL
       "</body></worldbody><tendon><spatial name='t'><site site='p'/><site site='q'/></spatial>"
       "</tendon><actuator><position tendon='t' dampratio='1'/><muscle name='pull' tendon='t' "
       "lengthrange='0 1'/></actuator></mujoco>",
       HN_IMPORT_LOST, "'pull'", "");
}

// A way of more parts than a tendon can have is lost, with its inertia.
static void long_ways_are_lost(void **state) {
  (void)state;
  static const char head[] =
      "<mujoco><worldbody><site name='g'/><body name='a' pos='1 0 0'><joint name='j' "
      "springdamper='1 1'/>" BALL "<site name='p'/></body></worldbody><tendon><spatial name='t' "
      "armature='1'>";
  static const char pair[] = "<site site='g'/><site site='p'/>";
  static const char tail[] = "</spatial></tendon><actuator><muscle name='pull' joint='j' "
                             "lengthrange='0 1'/></actuator></mujoco>";
  char text[sizeof head + 50 * sizeof pair + sizeof tail];
  size_t at = sizeof head - 1;
  memcpy(text, head, at);
  for (int k = 0; k < 50; k++, at += sizeof pair - 1) memcpy(text + at, pair, sizeof pair - 1);
  memcpy(text + at, tail, sizeof tail);
  told(text, HN_IMPORT_LOST, "'t'", "");
  // of the ball alone: I = 2 (0.4*0.01), k = I, d = 2 I
  written(text, "stiffness: 0.008");
}

static void motors_turn_balls_and_push_free_bodies(void **state) {
  (void)state;
  const char *text = "<mujoco><worldbody><body name='a'><joint name='b' type='ball'/>" BALL
                     "</body><body name='c'><freejoint name='f'/>" BALL "</body></worldbody>"
                     "<actuator><motor name='turn' joint='b' gear='1 2 3'/><motor name='push' "
                     "joint='f' gear='1 2 3 4 5 6'/></actuator></mujoco>";
  written(text, "type: torque, body: a, torque: [1*(turn), 2*(turn), 3*(turn)], following: true}");
  written(text,
          "type: point-force, body: c, at: [0, 0, 0], force: [1*(push), 2*(push), 3*(push)]}");
  written(text, "type: torque, body: c, torque: [4*(push), 5*(push), 6*(push)], following: true}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(meshes_are_moved_before_they_are_scaled),
      cmocka_unit_test(actuators_do_not_push_at_zero),
      cmocka_unit_test(muscles_have_an_activation),
      cmocka_unit_test(numbers_of_muscles_are_checked),
      cmocka_unit_test(general_muscles_may_have_few_numbers),
      cmocka_unit_test(muscles_move_within_the_limits),
      cmocka_unit_test(muscles_that_are_given_up_leave_nothing),
      cmocka_unit_test(forces_that_cannot_be_found_are_told),
      cmocka_unit_test(long_ways_are_lost),
      cmocka_unit_test(motors_turn_balls_and_push_free_bodies),
      cmocka_unit_test(masses_come_from_geoms),
      cmocka_unit_test(solids_are_fitted_to_meshes),
      cmocka_unit_test(what_cannot_be_is_lost),
      cmocka_unit_test(defaults_go_from_class_to_class),
      cmocka_unit_test(several_joints_of_a_body_follow_each_other),
      cmocka_unit_test(actuators_are_inputs),
      cmocka_unit_test(actuators_may_have_states),
      cmocka_unit_test(an_actuator_without_gain_has_no_state),
      cmocka_unit_test(bodies_touch_each_other),
      cmocka_unit_test(limits_are_stops),
      cmocka_unit_test(sensors_are_outputs),
      cmocka_unit_test(ellipsoids_collide),
      cmocka_unit_test(shapes_without_contact_are_named),
      cmocka_unit_test(limits_hold),
      cmocka_unit_test(stepped_limits_and_friction_are_exact),
      cmocka_unit_test(steps_are_those_of_the_file),
      cmocka_unit_test(replicas_have_numbers),
      cmocka_unit_test(bodies_touch_the_world),
      cmocka_unit_test(mistakes_are_told_with_their_line),
      cmocka_unit_test(rules_of_the_compiler_are_lost),
      cmocka_unit_test(a_keyframe_is_a_start),
      cmocka_unit_test(unused_keyframes_are_noted),
      cmocka_unit_test(what_no_control_moves_acts_always),
      cmocka_unit_test(a_tendon_may_keep_its_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
