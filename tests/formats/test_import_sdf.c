// SDF: accelerations against a reference, frames, messages.
#include "formats/importing.h"

static void nothing_of_it_is_lost(void **state) {
  (void)state;
  hn_import *import;
  hn_error error;
  check_ok(hn_import_file(IMPORT_FOLDER "screw_gearbox_universal.sdf", NULL, &import, &error));
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 0);
  int sum = 0;
  for (int fate = 0; fate < HN_IMPORT_FATES; fate++)
    sum += hn_import_count(import, (hn_import_fate)fate);
  assert_int_equal(sum, hn_import_facts_of(import).tags);
  assert_non_null(strstr(hn_import_yaml(import), "tool__bob:"));
  hn_import_free(import);
}

#define BODY "<inertial><mass>1</mass></inertial>"
#define MODEL(text) "<sdf version='1.10'><model name='m'>\n" text "</model></sdf>"

static hn_status try_text(const char *text, hn_error *error) {
  hn_import *import = NULL;
  hn_status status = hn_import_text(text, strlen(text), "model.sdf", NULL, &import, error);
  hn_import_free(import);
  return status;
}

static void refuse(const char *text, int line, const char *part) {
  hn_error error = {0};
  char all[2600];
  if (!try_text(text, &error)) fail_msg("accepted: %s", text);
  hn_error_format(&error, all, sizeof all);
  check_names(all, part);
  assert_int_equal(error.line, line);
}

static void coordinates_may_follow_others(void **state) {
  (void)state;
  static const char text[] = MODEL(
      "<link name='a'/><link name='b'/><joint name='p' type='revolute'><parent>world</parent>"
      "<child>a</child><axis><xyz>0 1 0</xyz></axis></joint><joint name='q' type='prismatic'>"
      "<parent>world</parent><child>b</child><axis><xyz>0 1 0</xyz><mimic joint='p'><multiplier>2"
      "</multiplier><offset>0.5</offset><reference>0.25</reference></mimic></axis></joint>");
  hn_import *import = NULL;
  hn_error error = {0};
  check_ok(hn_import_text(text, sizeof text - 1, "model.sdf", NULL, &import, &error));
  assert_non_null(strstr(hn_import_yaml(import),
                         "terms: [{joint: q, coefficient: 1}, {joint: p, coefficient: -2}]"));
  assert_non_null(strstr(hn_import_yaml(import), "constant: 0"));
  assert_int_equal(hn_import_count(import, HN_IMPORT_LOST), 0);
  hn_import_free(import);
}

static void mistakes_are_told_with_their_line(void **state) {
  (void)state;
  refuse(MODEL("<frame name='a'><pose relative_to='b'/></frame>\n<frame name='b'><pose "
               "relative_to='a'/></frame>"),
         2, "'a'");
  refuse(MODEL("<link name='a'/>\n<link name='a'/>"), 3, "2");
  refuse(MODEL("<link name='l'><inertial>\n<mass>-2.5</mass></inertial></link>"), 3, "'l'");
  refuse(MODEL("<link name='lowr'/><joint name='j' type='fixed'>\n<parent>world</parent>"
               "<child>lower</child></joint>"),
         3, "'lowr'");
  refuse(MODEL("<link name='l'/>\n<joint name='j' type='knee'><parent>world</parent>"
               "<child>l</child></joint>"),
         3, "'knee'");
  refuse(MODEL("<link name='l'/>\n<joint name='j' type='revolute'><parent>world</parent>"
               "<child>l</child></joint>"),
         3, "<axis>");
  refuse(MODEL("<link name='l'><pose>1 2 3</pose></link>"), 2, "6");
  refuse("<sdf version='1.7'/>", 1, "");
}

// Two ways to a link: the second joint closes a loop.
static void loops_are_closed(void **state) {
  (void)state;
  static const char text[] =
      MODEL("<link name='a'>" BODY "</link><link name='b'><pose>1 0 0 0 0 0</pose>" BODY "</link>"
            "<joint name='j' type='revolute'><parent>world</parent><child>a</child><axis/></joint>"
            "<joint name='k' type='revolute'><parent>a</parent><child>b</child><axis/></joint>"
            "<joint name='l' type='prismatic'><parent>world</parent><child>b</child>"
            "<axis><xyz>1 0 0</xyz></axis></joint>");
  hn_model *model;
  hn_simulation *simulation;
  hn_mobility mobility;
  hn_error error = {0};
  if (hn_model_load_text(text, strlen(text), "crank.sdf", NULL, &model, &error))
    fail_msg("%s %s", error.element, error.message);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  check_ok(hn_simulation_mobility(simulation, &mobility));
  assert_int_equal(mobility.loops, 1);
  hn_mobility_free(&mobility);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// A file next to this one, twice, under own names and at own poses.
static void models_are_included(void **state) {
  (void)state;
  static const char part[] = "<sdf version='1.9'><model name='part'><pose>9 9 9 0 0 0</pose><link "
                             "name='bob'><pose>0 0 1 0 "
                             "0 0</pose><inertial><mass>2</mass></inertial></link></model></sdf>";
  static const char whole[] =
      "<sdf version='1.9'><world name='w'>"
      "<include><uri>part.sdf</uri><name>left</name><pose>1 0 0 0 0 0</pose></include>"
      "<include><uri>part.sdf</uri><name>right</name><pose>-1 0 0 0 0 0</pose></include>"
      "<include><uri>model://none</uri></include></world></sdf>";
  const char *const files[2][2] = {{"part.sdf", part}, {"whole.sdf", whole}};
  char path[300];
  hn_import *import = NULL;
  hn_error error = {0};
  for (int k = 0; k < 2; k++) {
    snprintf(path, sizeof path, "%s/%s", HOLON_TEST_OUTPUT_DIR, files[k][0]);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(files[k][1], file);
    fclose(file);
  }
  if (hn_import_file(path, NULL, &import, &error)) fail_msg("%s", error.message);
  hn_import_facts facts = hn_import_facts_of(import);
  assert_int_equal(facts.bodies, 2);
  check_near(facts.mass, 4, 1e-14);
  assert_non_null(strstr(hn_import_yaml(import), "left__bob: {mass: 2"));
  assert_non_null(strstr(hn_import_yaml(import), "position: [1, 0, 1]"));
  assert_non_null(strstr(hn_import_yaml(import), "position: [-1, 0, 1]"));
  check_names(hn_import_item_at(import, HN_IMPORT_LOST, 0).why, "none/model.sdf");
  int sum = 0;
  for (int k = 0; k < HN_IMPORT_FATES; k++) sum += hn_import_count(import, (hn_import_fate)k);
  assert_int_equal(sum, facts.tags);
  hn_import_free(import);
}

#define SHAPE(pose, shape)                                                                         \
  "<collision name='c" pose "'><pose>" pose " 0 0 0 0 0</pose><geometry>" shape                    \
  "</geometry></collision>"

// Two cubes of 8 kg each, two meters apart; and the same with a mass given for both.
static void mass_may_come_from_collisions(void **state) {
  (void)state;
  static const char *const texts[] = {
      MODEL("<link name='a'><inertial auto='true'><density>8</density></inertial>" SHAPE(
          "-1", "<box><size>1 1 1</size></box>")
                SHAPE("1", "<box><size>1 1 1</size></box>") "</link>"),
      MODEL("<link name='a'><inertial auto='true'><mass>16</mass></inertial>" SHAPE(
          "-1", "<box><size>1 1 1</size></box>")
                SHAPE("1", "<box><size>1 1 1</size></box>") "</link>")};
  for (int k = 0; k < 2; k++) {
    hn_import *import = NULL;
    hn_error error = {0};
    check_ok(hn_import_text(texts[k], strlen(texts[k]), "model.sdf", NULL, &import, &error));
    const hn_link *link = import->machine.links;
    check_near(link->mass, 16, 1e-13);
    check_near(link->inertia[0], 16.0 / 6, 1e-13);
    check_near(link->inertia[1], 16.0 / 6 + 16, 1e-13);
    hn_import_free(import);
  }
  refuse(MODEL("<link name='a'>\n<inertial auto='true'/></link>"), 3, "'a'");
}

// Before 1.7 a joint could be called as its link is.
static void old_names_may_be_the_same(void **state) {
  (void)state;
  static const char joint[] =
      "<link name='a'/><joint name='a' type='fixed'><parent>world</parent><child>a</child></joint>"
      "</model></sdf>";
  char text[400];
  hn_error error = {0};
  snprintf(text, sizeof text, "<sdf version='1.6'><model name='m'>%s", joint);
  check_ok(try_text(text, &error));
  snprintf(text, sizeof text, "<sdf version='1.7'><model name='m'>%s", joint);
  assert_int_not_equal(try_text(text, &error), HN_OK);
}

// The frame that places a model hangs on a link of a nested one, which is placed by a link of its own.
static void models_may_be_placed_by_links_of_others(void **state) {
  (void)state;
  static const char text[] =
      MODEL("<pose>10 0 0 0 0 0</pose><frame name='f' attached_to='n::b'/><link name='o'/>"
            "<model name='n' placement_frame='a'><pose relative_to='o'>0 5 0 0 0 0</pose>"
            "<model name='i' placement_frame='c'><pose relative_to='a'>0 0 2 0 0 0</pose>"
            "<link name='c'><pose>3 3 3 0 0 0</pose></link></model>"
            "<link name='b'><pose relative_to='i::c'>1 0 0 0 0 0</pose></link>"
            "<link name='a'><pose>7 7 7 0 0 0</pose></link></model>");
  char placed[900];
  const double want[][3] = {{9, -5, -2}, {10, 0, 0}, {9, 0, -2}, {9, 0, 0}}; // o, b, a, c
  static const char *const names[] = {"o", "n::b", "n::a", "n::i::c"};
  hn_import *import = NULL;
  hn_error error = {0};
  const char *at = strstr(text, "<model name='");
  snprintf(placed, sizeof placed, "%.*s<model placement_frame='f' %s", (int)(at - text), text,
           at + strlen("<model "));
  if (hn_import_text(placed, strlen(placed), "model.sdf", NULL, &import, &error))
    fail_msg("%s %s", error.element, error.message);
  for (int k = 0; k < 4; k++) {
    const hn_link *link = import->machine.links;
    while (link && strcmp(link->name, names[k]) != 0) link = link->next;
    assert_non_null(link);
    check_near(link->pose.p.x, want[k][0], 1e-12);
    check_near(link->pose.p.y, want[k][1], 1e-12);
    check_near(link->pose.p.z, want[k][2], 1e-12);
  }
  hn_import_free(import);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_of_it_is_lost),
      cmocka_unit_test(coordinates_may_follow_others),
      cmocka_unit_test(mistakes_are_told_with_their_line),
      cmocka_unit_test(loops_are_closed),
      cmocka_unit_test(models_are_included),
      cmocka_unit_test(mass_may_come_from_collisions),
      cmocka_unit_test(old_names_may_be_the_same),
      cmocka_unit_test(models_may_be_placed_by_links_of_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
