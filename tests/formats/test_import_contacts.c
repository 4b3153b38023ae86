// Contact parameters of imported files: how two solids combine, and what a run takes.
#include "formats/importing.h"
#include "holon/contact.h"
#include "holon/load.h"

static void written(const char *text, const char *expected) {
  hn_import *import = NULL;
  hn_error error = {0};
  if (hn_import_text(text, strlen(text), "text.xml", NULL, &import, &error))
    fail_msg("%s", error.message);
  if (!strstr(hn_import_yaml(import), expected))
    fail_msg("no '%s' in\n%s", expected, hn_import_yaml(import));
  hn_import_free(import);
}

#define TWO(one, other)                                                                            \
  "<mujoco><worldbody><body name='b'><freejoint/><geom size='0.1' mass='2' " one                   \
  "/></body><body name='c' pos='0 0 2'><freejoint/><geom size='0.1' mass='2' " other               \
  "/></body></worldbody></mujoco>"

// Of two geoms the larger friction, or that of the higher priority; none where both are smooth.
static void friction_is_of_both(void **state) {
  (void)state;
  written(TWO("friction='0.4'", "friction='0.8'"), "contact_friction: 0.8");
  written(TWO("friction='0.4' priority='1'", "friction='0.8'"), "contact_friction: 0.4");
  written(TWO("condim='1'", "condim='1'"), "contact_friction: 0");
}

// The mean weighted by `solmix`, or that of the higher priority; rigid unless `soft` is 1.
static void softness_is_of_both(void **state) {
  (void)state;
  written(TWO("solref='0.05 0.7'", ""), "time_constant: 0.035*soft\n    damping_ratio: 0.85\n");
  written(TWO("solref='0.05 0.7' solmix='3'", ""), "time_constant: 0.0425*soft");
  written(TWO("solref='0.05 0.7' priority='1'", ""), "time_constant: 0.05*soft");
  written(TWO("solref='-400 -20'", "solref='-100 -10'"),
          "time_constant: 0.1*soft\n    damping_ratio: 0.5\n");
  written(TWO("solimp='0.8 0.9 0.002 0.4 3'", "solimp='0.8 0.9 0.002 0.4 3'"),
          "impedance: [0.8, 0.9, 0.002, 0.4, 3]");
  const char *text = TWO("solref='0.05 0.7'", "");
  hn_load_options options = hn_default_load_options();
  for (int soft = 0; soft < 2; soft++) {
    const char *setting = soft ? "soft=1" : "soft=0";
    hn_model *model;
    hn_error error = {0};
    options.settings = &setting;
    options.setting_count = 1;
    if (hn_model_load_text(text, strlen(text), "text.xml", &options, &model, &error))
      fail_msg("%s", error.message);
    assert_int_equal(hn_model_contact(model, 0)->law, soft ? HN_CONTACT_SOFT : HN_CONTACT_RIGID);
    if (soft) check_near(hn_model_contact(model, 0)->time_constant, 0.035, 1e-12);
    hn_model_free(model);
  }
}

// condim 4: torsion, 6: rolling, too; of both geoms the larger.
static void torsion_and_rolling_are_kept(void **state) {
  (void)state;
  written(TWO("condim='4' friction='1 0.02 0.001'", ""), "torsional_friction: 0.02\n    law:");
  written(TWO("condim='6' friction='1 0.02 0.001'", "friction='1 0.03 0.0005'"),
          "torsional_friction: 0.03\n    rolling_friction: 0.001\n");
  written("<mujoco><worldbody><geom name='a' type='plane' size='1 1 1'/><body><freejoint/><geom "
          "name='b' size='0.1'/></body></worldbody><contact><pair geom1='a' geom2='b' condim='6' "
          "friction='1 1 0.01 0.002 0.002'/></contact></mujoco>",
          "torsional_friction: 0.01\n    rolling_friction: 0.002\n");
}

static void softness_of_limits_is_kept(void **state) {
  (void)state;
  written("<mujoco><compiler autolimits='true'/><worldbody><geom type='plane' size='1 1 1'/><body "
          "pos='0 0 1'><joint name='j' type='slide' range='-1 1' solreflimit='0.05 0.7'/><geom "
          "size='0.1'/></body></worldbody></mujoco>",
          "time_constant: 0.05*soft\n    damping_ratio: 0.7\n    if: limits\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_is_of_both),
      cmocka_unit_test(softness_of_limits_is_kept),
      cmocka_unit_test(torsion_and_rolling_are_kept),
      cmocka_unit_test(softness_is_of_both),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
