// Imported models: stretched and mirrored meshes, pairs in contact, force ranges of joints, controls of
// keyframes, files within files.
#include "formats/importing.h"

static hn_import *import_with(const char *text, const char *keyframe) {
  hn_import_options options = hn_default_import_options();
  hn_import *import = NULL;
  hn_error error = {0};
  options.keyframe = keyframe;
  if (hn_import_text(text, strlen(text), IMPORT_FOLDER "text.xml", &options, &import, &error))
    fail_msg("%s", error.message);
  return import;
}

static void check_written(const char *text, const char *keyframe, const char *expected) {
  hn_import *import = import_with(text, keyframe);
  if (!strstr(hn_import_yaml(import), expected))
    fail_msg("no '%s' in\n%s", expected, hn_import_yaml(import));
  hn_import_free(import);
}

static double value_after(double time, const char *text, const char *name, const char *signal) {
  hn_model *model;
  hn_simulation *simulation;
  hn_error error = {0};
  double value = NAN;
  if (hn_model_load_text(text, strlen(text), name, NULL, &model, &error))
    fail_msg("%s", error.message);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  check_ok(hn_simulation_advance(simulation, time));
  check_ok(hn_simulation_value(simulation, signal, &value));
  hn_simulation_free(simulation);
  hn_model_free(model);
  return value;
}

// A cube of corners, stretched by 1, 2 and -3, rests at three times its half edge; a solid of these
// corners has six times its mass.
static void stretched_meshes_collide(void **state) {
  (void)state;
  const char *text =
      "<mujoco><asset><mesh name='cube' scale='1 2 -3' vertex='-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 "
      ".1 .1 -.1 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1'/></asset><worldbody><geom type='plane' "
      "size='1 1 1'/><body name='brick' pos='0 0 0.4'><freejoint/><geom type='mesh' mesh='cube'/>"
      "</body></worldbody></mujoco>";
  check_near(value_after(1, text, IMPORT_FOLDER "text.xml", "body.brick.position.z"), 0.3, 1e-3);
  hn_import *import = import_with(text, NULL);
  check_near(hn_import_facts_of(import).mass, 6 * 8, 1e-4);
  assert_non_null(hn_import_mesh_at(import, 0).path);
  assert_null(hn_import_mesh_at(import, 1).path);
  for (int k = 0; k < hn_import_count(import, HN_IMPORT_APPROXIMATED); k++)
    assert_null(strstr(hn_import_item_at(import, HN_IMPORT_APPROXIMATED, k).why, "scal"));
  hn_import_free(import);
}

// A file with a mirrored mesh, as links of the other side have: it is drawn and collides.
static void mirrored_meshes_of_urdf_are_copied(void **state) {
  (void)state;
#define ANGLE "<geometry><mesh filename='meshes/angle.obj' scale='1 -1 1'/></geometry>"
  const char *text =
      "<robot name='r'><link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
      "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><visual>" ANGLE "</visual><collision>" ANGLE
      "</collision></link></robot>";
  hn_import *import = NULL;
  hn_error error = {0};
  if (hn_import_text(text, strlen(text), IMPORT_FOLDER "text.urdf", NULL, &import, &error))
    fail_msg("%s", error.message);
  const char *copy = hn_import_mesh_at(import, 0).path;
  assert_non_null(copy);
  if (!strstr(copy, "text-meshes/angle.obj")) fail_msg("the copy is %s", copy);
  assert_non_null(strstr(hn_import_yaml(import), "text-meshes/angle.obj"));
  assert_null(hn_import_mesh_at(import, 1).path); // one for both
  hn_import_free(import);
}

// A terrain cannot collide: the summary says so.
static void height_fields_are_named(void **state) {
  (void)state;
  const char *text =
      "<mujoco><asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset><worldbody>"
      "<geom type='hfield' hfield='h'/><body><freejoint/><geom size='0.1'/></body></worldbody>"
      "</mujoco>";
  hn_model *model;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "text.xml", NULL, &model, &error))
    fail_msg("%s", error.message);
  int found = 0;
  for (int k = 0; k < hn_model_warning_count(model); k++)
    found |= strstr(hn_model_warning(model, k)->message, "hfield of 'world'") != NULL;
  assert_true(found);
  hn_model_free(model);
}

// A pair has friction and `condim` of its geoms where it does not say them: of the one with the higher
// priority, else the larger ones.
static void pairs_follow_their_geoms(void **state) {
  (void)state;
#define PAIR_OF(one, other, more)                                                                  \
  "<mujoco><worldbody><geom name='a' type='plane' size='1 1 1' contype='0' conaffinity='0' " one   \
  "/><body><freejoint/><geom name='b' size='0.1' contype='0' conaffinity='0' " other               \
  "/></body></worldbody><contact><pair geom1='a' geom2='b' " more "/></contact></mujoco>"
  check_written(PAIR_OF("friction='0.3'", "friction='0.7'", ""), NULL, "contact_friction: 0.7");
  check_written(PAIR_OF("condim='1'", "condim='1'", ""), NULL, "contact_friction: 0");
  check_written(PAIR_OF("condim='1'", "condim='1'", "condim='3'"), NULL, "contact_friction: 1");
  check_written(PAIR_OF("friction='0.3' priority='1'", "friction='0.7'", ""), NULL,
                "contact_friction: 0.3");
  check_written(PAIR_OF("", "", "friction='0.2 0.2 0 0 0'"), NULL, "contact_friction: 0.2");
}

#define DRIVEN(joint, actuators)                                                                   \
  "<mujoco><worldbody><body><joint name='j' " joint "/><geom size='0.1'/></body></worldbody>"      \
  "<actuator>" actuators "</actuator>"

// The range of a joint is that of its actuator, in units before the gear.
static void forces_of_joints_have_a_range(void **state) {
  (void)state;
  check_written(
      DRIVEN("actuatorfrcrange='-2 3'", "<motor name='pull' joint='j' gear='2'/>") "</mujoco>",
      NULL, "law: \"-2*(max(-1, min(1.5, pull)))\"");
  check_written(DRIVEN("actuatorfrcrange='-2 3'",
                       "<motor name='pull' joint='j' gear='-2' forcerange='-9 0.5'/>") "</mujoco>",
                NULL, "law: \"2*(max(-1.5, min(0.5, pull)))\"");
  hn_import *import = import_with(
      DRIVEN("actuatorfrcrange='-2 3'", "<motor joint='j'/><motor joint='j'/>") "</mujoco>", NULL);
  int found = 0;
  for (int k = 0; k < hn_import_count(import, HN_IMPORT_APPROXIMATED); k++)
    found |= strstr(hn_import_item_at(import, HN_IMPORT_APPROXIMATED, k).why, "several") != NULL;
  assert_true(found);
  hn_import_free(import);
}

// Inputs start at the controls of the keyframe, and servos are on.
static void controls_of_a_keyframe_are_inputs(void **state) {
  (void)state;
  const char *text = DRIVEN("", "<motor name='pull' joint='j'/><adhesion body='no'/>"
                                "<position name='p' joint='j'/>") "<keyframe><key name='k' "
                                                                  "ctrl='0.5 1 0.7'/></keyframe>"
                                                                  "</mujoco>";
  check_written(text, "k", "pull: 0.5");
  check_written(text, "k", "p: 0.7");
  check_written(text, "k", "servos: 1");
  check_written(text, NULL, "servos: 0");
}

// A file that an included one names is next to the model, else next to the file that names it.
static void included_files_include_their_neighbors(void **state) {
  (void)state;
  hn_import *import = NULL;
  hn_error error = {0};
  if (hn_import_file(IMPORT_FOLDER "nested/main.xml", NULL, &import, &error))
    fail_msg("%s", error.message);
  assert_int_equal(hn_import_facts_of(import).bodies, 3);
  assert_int_equal(hn_import_facts_of(import).joints, 3);
  hn_import_free(import);
}

#define BALL_OF(name, height, surface)                                                             \
  "<model name='" name "'><pose>0 0 " height                                                       \
  " 0 0 0</pose><link name='l'><inertial><mass>1</mass>"                                           \
  "</inertial><collision "                                                                         \
  "name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>" surface                    \
  "</collision></link></model>"
#define BOUNCE(e)                                                                                  \
  "<surface><bounce><restitution_coefficient>" e "</restitution_coefficient></bounce></surface>"

// A ball with restitution 0.8 falls 0.5 m onto a plane with 0.6: the smaller one counts, and half a
// second after the start, in its first bounce, the height is that of a parabola.
static void surfaces_of_sdf_bounce(void **state) {
  (void)state;
  const char *text =
      "<sdf version='1.9'><world name='w'><gravity>0 0 -9.8</gravity><model name='floor'>"
      "<static>true</static><link name='l'><collision "
      "name='c'><geometry><plane/></geometry>" BOUNCE("0.6") "</collision></link></model>" BALL_OF(
          "ball", "0.6", BOUNCE("0.8")) "</world></sdf>";
  const double speed = sqrt(2 * 9.8 * 0.5), rest = 0.5 - speed / 9.8; // s, since the impact
  const double height = 0.1 + 0.6 * speed * rest - 4.9 * rest * rest;
  check_near(value_after(0.5, text, "text.sdf", "body.ball__l.position.z"), height, 0.005);
}

// Gazebo's friction of a link counts for its collisions.
static void gazebo_friction_of_urdf_counts(void **state) {
  (void)state;
  const char *text =
      "<robot name='r'><link name='base'/><link name='a'><inertial><mass value='1'/><inertia "
      "ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere "
      "radius='0.1'/></geometry></collision></link><joint name='j' type='floating'><parent "
      "link='base'/><child link='a'/></joint><gazebo reference='a'><mu1>0.25</mu1><kp>8</kp>"
      "<kd>2</kd><fdir1>1 0 0</fdir1></gazebo></robot>";
  hn_import *import = NULL;
  hn_error error = {0};
  if (hn_import_text(text, strlen(text), IMPORT_FOLDER "text.urdf", NULL, &import, &error))
    fail_msg("%s", error.message);
  for (const hn_link *link = import->machine.links; link; link = link->next)
    for (const hn_solid *s = link->solids; s; s = s->next) {
      check_near(s->touch.friction, 0.25, 1e-15);
      check_near(s->touch.soft.compliance, 0.125, 1e-15);
      check_near(s->touch.soft.damping, 2, 1e-15);
    }
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 1); // <fdir1>
  hn_import_free(import);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretched_meshes_collide),
      cmocka_unit_test(mirrored_meshes_of_urdf_are_copied),
      cmocka_unit_test(height_fields_are_named),
      cmocka_unit_test(pairs_follow_their_geoms),
      cmocka_unit_test(forces_of_joints_have_a_range),
      cmocka_unit_test(controls_of_a_keyframe_are_inputs),
      cmocka_unit_test(surfaces_of_sdf_bounce),
      cmocka_unit_test(gazebo_friction_of_urdf_counts),
      cmocka_unit_test(included_files_include_their_neighbors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
