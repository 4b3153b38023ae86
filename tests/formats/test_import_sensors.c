// Sensors of MJCF as outputs: their values at a keyframe, with actuators on, against MuJoCo 2.2.2.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/analysis.h"
#include "holon/import.h"
#include "holon/simulation.h"
#include "support/check.h"

#define FILE_NAME "tests/data/import/sensors.xml"

typedef struct reading {
  const char *name;
  int count;
  double values[4];
} reading;

// Printed by a program of MuJoCo 2.2.2 for keyframe `k` and these inputs, with 8 digits.
static const struct {
  const char *name;
  double value;
} inputs[] = {{"servos", 1}, {"mh", 0.5}, {"msl", 0.3}, {"mt", 0}, {"ph", 0.4}};
static const reading readings[] = {
    {"p1", 3, {-0.02, 0.07, 1.15}},
    {"p2", 3, {-0.21157343, 0.095002414, 0.8249246}},
    {"p3", 3, {-0.12177719, 0.086218474, 0.95715349}},
    {"p4", 3, {-0.21157343, 0.095002414, 0.8249246}},
    {"p5", 3, {0.30489308, 0.20097311, -0.22048221}},
    {"p6", 3, {-0.24504699, 0.13791823, 0.62037529}},
    {"q1", 4, {0.64526219, -0.29532412, 0.55986516, 0.42775154}},
    {"q2", 4, {0.30336506, -0.4361167, 0.67351501, 0.51395466}},
    {"q3", 4, {0.83217545, 0.31702908, 0.43924559, 0.11849003}},
    {"q4", 4, {0.40066533, -0.42775154, 0.64526219, 0.49003329}},
    {"x1", 3, {-0.72392325, -0.21579101, -0.65526282}},
    {"z1", 3, {0.74554042, -0.57375528, 0.33907869}},
    {"v1", 3, {0.18351738, 0.22230635, 1.2617609}},
    {"v2", 3, {-0.71194097, -0.17724567, 0.38084289}},
    {"v3", 3, {0.19870532, 0.18963063, 1.133097}},
    {"w1", 3, {-1.183453, 0.73170092, -0.3255231}},
    {"w2", 3, {-0.048369936, 0.67110894, -0.19306253}},
    {"a1", 3, {0.45261568, 1.5405663, -0.27666181}},
    {"aa1", 3, {-14.877638, 3.6624992, -0.12456384}},
    {"g1", 3, {0.91213787, 1.0837395, -0.18821761}},
    {"acc", 3, {-0.47881318, 1.2036179, 0.9883264}},
    {"vm", 3, {-1.0076092, 0.28676132, -0.76002036}},
    {"mag", 3, {0.10789551, -0.45783727, -0.16953935}},
    {"fc", 3, {0.20319308, 0.23515053, -1.6898372}},
    {"tc", 3, {0.10118775, 0.083261723, 0.024196108}},
    {"fd", 3, {-0.0841914, 0.035997549, -0.005846372}},
    {"td", 3, {4.4468124e-05, -0.0001681023, -0.0016754159}},
    {"fb", 3, {0.11688791, 0.0043520781, 0.30923312}},
    {"tb", 3, {0.23815916, 0.39000891, -0.30800519}},
    {"jp", 1, {0.4}},
    {"jv", 1, {-0.8}},
    {"tp", 1, {0.18}},
    {"tv", 1, {2.09}},
    {"tp2", 1, {0.68112772}},
    {"tv2", 1, {0.81949358}},
    {"tp3", 1, {1.3850289}},
    {"tv3", 1, {-0.51563331}},
    {"ap", 1, {1.2}},
    {"av", 1, {1.6}},
    {"apt", 1, {0.27}},
    {"af", 1, {0.5}},
    {"aft", 1, {0}},
    {"afp", 1, {0}},
    {"bq", 4, {0.90582163, 0.1132277, 0.22645541, 0.33968311}},
    {"bw", 3, {0.2, -0.3, 0.9}},
    {"com", 3, {-0.12428297, 0.091763769, 1.0345879}},
    {"comb", 3, {-0.30668936, 0.056482684, 0.75326364}},
    {"clv", 3, {0.16842895, 0.15782552, 1.2486226}},
    {"jvc", 1, {-0.01}},
};

static double value_of(hn_simulation *s, const char *name, const char *ending) {
  char text[80];
  double value = NAN;
  snprintf(text, sizeof text, "%s%s", name, ending);
  if (hn_simulation_value(s, text, &value)) fail_msg("no output %s", text);
  return value;
}

static void compare(hn_simulation *s, const reading *r) {
  static const char *const endings[5][4] = {
      {""}, {""}, {""}, {"_x", "_y", "_z"}, {"_w", "_x", "_y", "_z"}};
  double values[4], sign = 1, product = 0;
  for (int k = 0; k < r->count; k++) {
    values[k] = value_of(s, r->name, endings[r->count][k]);
    product += values[k] * r->values[k];
  }
  if (r->count == 4 && product < 0) sign = -1; // the same orientation
  for (int k = 0; k < r->count; k++)
    if (!(fabs(sign * values[k] - r->values[k]) <= 3e-5 * (1 + fabs(r->values[k]))))
      fail_msg("%s%s is %.9g instead of %.9g", r->name, endings[r->count][k], sign * values[k],
               r->values[k]);
}

static void sensors_show_what_mujoco_shows(void **state) {
  (void)state;
  hn_load_options options = hn_default_load_options();
  hn_model *model;
  hn_simulation *simulation;
  hn_error error = {0};
  options.keyframe = "k";
  if (hn_model_load(FILE_NAME, &options, &model, &error)) fail_msg("%s", error.message);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++)
    check_ok(hn_simulation_set_input(simulation, hn_model_find_input(model, inputs[k].name),
                                     inputs[k].value));
  check_ok(hn_simulation_advance(simulation, 1e-7)); // inputs act from the next step on
  for (size_t k = 0; k < sizeof readings / sizeof *readings; k++)
    compare(simulation, &readings[k]);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

// Those that are no outputs are lost by name, each for a reason of its own.
static void others_are_lost_by_name(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><worldbody><site name='w'/><body name='b'><freejoint/><geom size='0.1'/>"
      "<site name='s'/></body></worldbody><sensor><touch name='t' site='s'/>"
      "<rangefinder name='r' site='s'/><force name='f' site='s'/><torque name='o' site='w'/>"
      "<framequat name='q' objtype='body' objname='b'/></sensor></mujoco>";
  hn_import *import;
  hn_error error = {0};
  if (hn_import_text(text, sizeof text - 1, "text.xml", NULL, &import, &error))
    fail_msg("%s", error.message);
  static const char *const reasons[] = {"contact.NAME.force", "rays", "free", "carries the world",
                                        "xbody"};
  for (size_t r = 0; r < sizeof reasons / sizeof *reasons; r++) {
    int found = 0;
    for (int k = 0; k < hn_import_count(import, HN_IMPORT_LOST); k++)
      found |= strstr(hn_import_item_at(import, HN_IMPORT_LOST, k).why, reasons[r]) != NULL;
    if (!found) fail_msg("no sensor is lost because of '%s'", reasons[r]);
  }
  assert_null(strstr(hn_import_yaml(import), "outputs"));
  hn_import_free(import);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sensors_show_what_mujoco_shows),
                                     cmocka_unit_test(others_are_lost_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
