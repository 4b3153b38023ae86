// URDF: accelerations against a reference, losses, messages, loops.
#include "formats/importing.h"

static int count_kind(const hn_import *import, hn_import_fate fate, const char *kind) {
  int count = 0;
  for (int k = 0; k < hn_import_count(import, fate); k++)
    count += strcmp(hn_import_item_at(import, fate, k).kind, kind) == 0;
  return count;
}

// A joint with an effort has a motor: 3 N m at a disk of 0.5 kg m^2 give 6 rad/s^2, and no more than
// the effort acts. A joint that mimics another, and one without effort, has none.
static void efforts_are_motors(void **state) {
  (void)state;
  const char *text =
      "<robot name='r'><link name='base'/><link name='a'><inertial><mass value='1'/><inertia "
      "ixx='1' iyy='1' izz='0.5' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='b'>"
      "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial></link><joint name='spin' type='continuous'><parent link='base'/><child "
      "link='a'/>"
      "<axis xyz='0 0 1'/><limit effort='4' velocity='9'/></joint><joint name='idle' "
      "type='continuous'><parent link='base'/><child link='b'/><axis xyz='0 0 1'/></joint></robot>";
  const double given[] = {3, 10}, felt[] = {3, 4};
  for (int k = 0; k < 2; k++) {
    hn_model *model;
    hn_simulation *simulation;
    hn_error error = {0};
    double rate;
    if (hn_model_load_text(text, strlen(text), "r.urdf", NULL, &model, &error))
      fail_msg("%s", error.message);
    assert_int_equal(hn_model_input_count(model), 1);
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_simulation_set_input(simulation, 0, given[k]));
    check_ok(hn_simulation_advance(simulation, 1));
    check_ok(hn_simulation_value(simulation, "joint.spin.angle_rate", &rate));
    check_near(rate, felt[k] / 0.5, 1e-9);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
}

// Two links in a row of three overlap: without a joint between them they would push each other apart.
static void links_that_overlap_do_not_collide(void **state) {
  (void)state;
#define BALL_LINK(name)                                                                            \
  "<link name='" name "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "     \
  "ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/></geometry></collision>" \
  "</link>"
#define TURNS(name, parent, child)                                                                 \
  "<joint name='" name "' type='continuous'><parent link='" parent "'/><child link='" child        \
  "'/><origin xyz='0.06 0 0'/><axis xyz='0 0 1'/></joint>"
  const char *text = "<robot name='r'>" BALL_LINK("a") BALL_LINK("b") BALL_LINK("c") BALL_LINK("d")
      TURNS("ab", "a", "b") TURNS("bc", "b", "c") "<joint name='ad' type='continuous'><parent "
                                                  "link='a'/><child link='d'/><origin xyz='0 1 "
                                                  "0'/><axis xyz='0 0 1'/></joint></robot>";
  hn_import *import = NULL;
  hn_error error;
  check_ok(hn_import_text(text, strlen(text), "r.urdf", NULL, &import, &error));
  const char *first = strstr(hn_import_yaml(import), "overlap: {bodies: [a, c], law: none");
  assert_non_null(first);
  assert_null(strstr(first + 1, "overlap_"));
  hn_import_free(import);
}

static void every_tag_has_one_fate(void **state) {
  (void)state;
  hn_import *import;
  hn_error error;
  check_ok(hn_import_file(IMPORT_FOLDER "planar_floating.urdf", NULL, &import, &error));
  int sum = 0;
  for (int fate = 0; fate < HN_IMPORT_FATES; fate++)
    sum += hn_import_count(import, (hn_import_fate)fate);
  assert_int_equal(sum, 212); // counted by another program
  assert_int_equal(hn_import_facts_of(import).tags, 212);
  static const char *const lost[] = {
      "gazebo/selfCollide", "joint[revolute]/safety_controller", "joint[revolute]/calibration",
      "joint[revolute]/limit@velocity", "joint[prismatic]/limit@velocity"};
  int known = 0;
  for (int k = 0; k < 5; k++) assert_int_equal(count_kind(import, HN_IMPORT_LOST, lost[k]), 1);
  for (int k = 0; k < hn_import_count(import, HN_IMPORT_LOST); k++)
    known += !hn_import_item_at(import, HN_IMPORT_LOST, k).is_inside;
  assert_int_equal(known, 5); // nothing else but what is inside of these
  assert_int_equal(count_kind(import, HN_IMPORT_APPROXIMATED, "joint[revolute]/limit@lower"), 1);
  assert_int_equal(count_kind(import, HN_IMPORT_APPROXIMATED, "joint[revolute]/dynamics@friction"),
                   1);
  hn_import_free(import);
}

static void refuse(const char *text, int line, const char *part) {
  hn_import *import = NULL;
  hn_error error = {0};
  char all[2600];
  if (!hn_import_text(text, strlen(text), "robot.urdf", NULL, &import, &error))
    fail_msg("accepted: %s", text);
  assert_null(import);
  hn_error_format(&error, all, sizeof all);
  check_names(all, part);
  assert_int_equal(error.line, line);
  assert_true(error.column > 0);
}

#define LINK(name) "<link name=\"" name "\"/>\n"
#define MASS(name)                                                                                 \
  "<link name=\"" name "\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "   \
  "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n"
#define JOINT(name, type, parent, child)                                                           \
  "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child   \
  "\"/></joint>\n"

static void mistakes_are_told_with_their_line(void **state) {
  (void)state;
  refuse("<robot>\n<link name=\"a\"><inertial></inertia></link></robot>", 2, "2");
  refuse("<robot>\n" LINK("base") JOINT("j", "fixed", "bse", "base") "</robot>", 3, "'base'");
  refuse("<robot>\n" MASS("base") MASS("a") MASS("b") JOINT("j1", "continuous", "a", "b")
             JOINT("j2", "continuous", "b", "a") "</robot>",
         6, "j2 j1");
  refuse("<robot>\n" MASS("a") MASS("a") "</robot>", 3, "2");
  refuse("<robot>\n" MASS("a") MASS("b") "</robot>", 3, "'a'");
  refuse("<robot>\n" MASS("a") MASS("b") JOINT("j", "hinge", "a", "b") "</robot>", 4, "'hinge'");
  refuse("<robot>\n" MASS("a") MASS("b") JOINT("j", "fixed", "a", "a") "</robot>", 4, "'j' 'a'");
  refuse("<robot>\n<link name=\"a\"><inertial>\n<mass value=\"1e400\"/></inertial></link></robot>",
         3, "'1e400'");
  refuse("<robot>\n<link name=\"a\"><inertial>\n<mass value=\"-2\"/></inertial></link></robot>", 3,
         "'a'");
  refuse("<robot>\n" MASS("a")
             MASS("b") "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/>"
                       "<child link=\"b\"/>\n<axis xyz=\"0 0 0\"/></joint></robot>",
         5, "'j'");
  refuse("<robot>\n" MASS("a")
             MASS("b") "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/>"
                       "<child link=\"b\"/>\n<limit lower=\"2\" upper=\"1\"/></joint></robot>",
         5, "2");
  refuse("<!DOCTYPE robot [<!ENTITY a \"b\">]>\n<robot/>", 1, "");
  refuse("<robot>\n<xacro:include filename=\"x\"/></robot>", 2, "");
  refuse("<machine/>", 1, "<robot>");
  refuse("", 1, "");
  refuse("<robot/>", 1, "");
}

// Names of ASCII are encodings like others; what is not ASCII then is a mistake.
static void ascii_is_read(void **state) {
  (void)state;
  static const char *const names[] = {"ASCII", "us-ascii", "ANSI_X3.4-1968"};
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    char text[256];
    snprintf(text, sizeof text,
             "<?xml version='1.0' encoding='%s'?>\n<robot name='r'>" LINK("base") "</robot>",
             names[k]);
    hn_import *import = NULL;
    hn_error error = {0};
    if (hn_import_text(text, strlen(text), "robot.urdf", NULL, &import, &error))
      fail_msg("%s: %s", names[k], error.message);
    hn_import_free(import);
  }
  refuse("<?xml version='1.0' encoding='ASCII'?>\n<robot name='\xe4'>" LINK("base") "</robot>", 2,
         "robot.urdf:2");
  refuse("<?xml version='1.0' encoding='KOI-8'?>\n<robot name='r'>" LINK("base") "</robot>", 1,
         "robot.urdf:1");
}

static void depth_is_limited(void **state) {
  (void)state;
  enum { DEPTH = 20000 };
  char *text = calloc(1, 8 * DEPTH + 100), *at = text;
  at += sprintf(at, "<robot>\n");
  for (int k = 0; k < DEPTH; k++) at += sprintf(at, "<link>");
  refuse(text, 2, "256");
  free(text);
}

// A four-bar whose last pin is a <loop_joint>: one degree of freedom, and it turns as Holon's own
// four-bar.
static void loops_are_closed(void **state) {
  (void)state;
  static const char text[] = "<robot name=\"bars\">" LINK("base") MASS("crank") MASS("rod") MASS(
      "rocker") "<joint name=\"a\" type=\"continuous\"><parent link=\"base\"/><child "
                "link=\"crank\"/>"
                "<axis xyz=\"0 1 0\"/></joint>"
                "<joint name=\"b\" type=\"continuous\"><parent link=\"crank\"/><child "
                "link=\"rod\"/>"
                "<origin xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/></joint>"
                "<joint name=\"d\" type=\"continuous\"><parent link=\"base\"/><child "
                "link=\"rocker\"/>"
                "<origin xyz=\"2 0 0\"/><axis xyz=\"0 1 0\"/></joint>"
                "<loop_joint name=\"c\" type=\"continuous\"><link1 link=\"rod\" xyz=\"2 0 0\"/>"
                "<link2 link=\"rocker\" xyz=\"0 0 1\"/><axis xyz=\"0 1 0\"/></loop_joint></robot>";
  static const char own[] =
      "gravity: [0, 0, -9.81]\n"
      "bodies:\n  crank: {mass: 1, inertia: [1, 1, 1]}\n"
      "  rod: {mass: 1, center: [0, 0, 1], inertia: [1, 1, 1]}\n"
      "  rocker: {mass: 1, center: [2, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  a: {type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: y}\n"
      "  b: {type: revolute, bodies: [crank, rod], at: [0, 0, 1], axis: y}\n"
      "  c: {type: revolute, bodies: [rod, rocker], at: [2, 0, 1], axis: y}\n"
      "  d: {type: revolute, bodies: [ground, rocker], at: [2, 0, 0], axis: y}\n";
  const char *const texts[] = {text, own};
  const char *const names[] = {"bars.urdf", "bars.yaml"};
  double got[2];
  for (int k = 0; k < 2; k++) {
    hn_model *model;
    hn_simulation *simulation;
    hn_error error;
    if (hn_model_load_text(texts[k], strlen(texts[k]), names[k], NULL, &model, &error))
      fail_msg("%s %s", error.element, error.message);
    hn_simulation_options how = hn_default_simulation_options();
    how.coordinates = "cartesian";
    how.tol = 1e-9;
    check_ok(hn_simulation_create(model, &how, &simulation, &error));
    check_ok(hn_simulation_advance(simulation, 0.5));
    check_ok(hn_simulation_value(simulation, "joint.a.angle", &got[k]));
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
  check_near(got[0], got[1], 1e-7);
}

// A written model file is read back the same, as YAML and as JSON.
static void what_is_written_is_read_again(void **state) {
  (void)state;
  hn_import *import;
  hn_error error;
  hn_model *model;
  unsigned long long hash[3];
  check_ok(hn_import_file(IMPORT_FOLDER "planar_floating.urdf", NULL, &import, &error));
  for (int k = 0; k < 3; k++) {
    const char *text = k == 1 ? hn_import_json(import) : hn_import_yaml(import);
    hn_status status =
        k == 2 ? hn_model_load(IMPORT_FOLDER "planar_floating.urdf", NULL, &model, &error)
               : hn_model_load_text(text, strlen(text), "again.yaml", NULL, &model, &error);
    if (status) fail_msg("%d: %s %s", error.line, error.element, error.message);
    hn_simulation *simulation;
    check_ok(hn_simulation_create(model, NULL, &simulation, &error));
    check_ok(hn_simulation_advance(simulation, 0.1));
    hash[k] = hn_simulation_state_hash(simulation);
    hn_simulation_free(simulation);
    hn_model_free(model);
  }
  assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
  assert_non_null(strstr(hn_import_yaml(import), "# line 12"));
  hn_import_free(import);
}

static void every_failing_allocation_is_told(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_import_options options = hn_default_import_options();
  options.allocator = &allocator;
  for (long k = 1;; k++) {
    hn_import *import = NULL;
    hn_error error = {0};
    memory = (hn_counting_memory){.fail_at = k};
    hn_status status =
        hn_import_file(IMPORT_FOLDER "planar_floating.urdf", &options, &import, &error);
    if (status == HN_OK) {
      hn_import_free(import);
      assert_int_equal(memory.living, 0);
      break;
    }
    assert_int_equal(status, HN_ERROR_MEMORY);
    assert_null(import);
    assert_int_equal(memory.living, 0);
  }
}

// A link of nearly no mass: single bodies would lose it next to the others.
static void very_different_masses_choose_coordinates(void **state) {
  (void)state;
  static const char form[] =
      "<robot name='r'><link name='w'/><link name='a'><inertial><mass value='%s'/><inertia "
      "ixx='1e-9' iyy='1e-9' izz='1e-9' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='b'>"
      "<inertial><mass value='5'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial></link><joint name='j' type='continuous'><parent link='w'/><child link='a'/>"
      "</joint><joint name='k' type='continuous'><parent link='a'/><child link='b'/></joint>"
      "</robot>";
  for (int k = 0; k < 2; k++) {
    char text[1000];
    hn_import *import = NULL;
    hn_error error = {0};
    snprintf(text, sizeof text, form, k == 0 ? "1e-12" : "1e-3");
    if (hn_import_text(text, strlen(text), "x.urdf", NULL, &import, &error))
      fail_msg("%s", error.message);
    int is_set = strstr(hn_import_yaml(import), "coordinates: relative") != NULL;
    assert_int_equal(is_set, k == 0);
    hn_import_free(import);
  }
}

// c = 2 b + 0.1, b = -a + 0.3: the leading joint keeps its reference position, the others follow.
static void what_mimics_goes_to_what_it_mimics(void **state) {
  (void)state;
  static const char text[] =
      "<robot name='r'><link name='w'/>"
      "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' "
      "iyz='0'/></inertial></link><link name='b'><inertial><mass value='2'/><inertia ixx='1' "
      "iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link><link name='c'><inertial><mass "
      "value='3'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
      "<joint name='c' type='continuous'><parent link='b'/><child link='c'/><mimic joint='b' "
      "multiplier='2' offset='0.1'/></joint><joint name='b' type='continuous'><parent link='a'/>"
      "<child link='b'/><mimic joint='a' multiplier='-1' offset='0.3'/></joint><joint name='a' "
      "type='continuous'><parent link='w'/><child link='a'/></joint></robot>";
  static const double angles[3] = {0, 0.3, 0.7};
  char path[400];
  snprintf(path, sizeof path, "%s/mimic.urdf", HOLON_TEST_OUTPUT_DIR);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(path, NULL, &model, &error)) fail_msg("%s %s", error.element, error.message);
  hn_simulation *simulation = start(model, NULL);
  for (int k = 0; k < 3; k++) {
    char name[40];
    double got;
    snprintf(name, sizeof name, "joint.%c.angle", "abc"[k]);
    check_ok(hn_simulation_value(simulation, name, &got));
    check_near(got, angles[k], 1e-12);
  }
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(efforts_are_motors),
      cmocka_unit_test(links_that_overlap_do_not_collide),
      cmocka_unit_test(every_tag_has_one_fate),
      cmocka_unit_test(mistakes_are_told_with_their_line),
      cmocka_unit_test(ascii_is_read),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(loops_are_closed),
      cmocka_unit_test(what_is_written_is_read_again),
      cmocka_unit_test(every_failing_allocation_is_told),
      cmocka_unit_test(very_different_masses_choose_coordinates),
      cmocka_unit_test(what_mimics_goes_to_what_it_mimics),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
