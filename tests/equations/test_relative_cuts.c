// Loop-closure constraints in lanes against single ones, on blocks on bodies: loops closed by every
// joint that is made of displacements, axes and distances, between every kind of node, and from
// ground; and equations of coordinates of the tree, of drivers and gears.
#include "equations/tree_machine.h"

enum { MOST_CUTS = 400, MOST_ENTRIES = 8000 };

static const hn_joint_type types[] = {
    HN_JOINT_REVOLUTE,      HN_JOINT_SPHERICAL,      HN_JOINT_TRANSLATIONAL, HN_JOINT_UNIVERSAL,
    HN_JOINT_CYLINDRICAL,   HN_JOINT_FIXED,          HN_JOINT_PLANAR,        HN_JOINT_DISTANCE,
    HN_JOINT_POINT_ON_LINE, HN_JOINT_POINT_IN_PLANE, HN_JOINT_PARALLEL,      HN_JOINT_PERPENDICULAR,
    HN_JOINT_SPHERICAL,     HN_JOINT_DISTANCE};
enum { TYPES = sizeof types / sizeof types[0] };

// Loops between all sorts of bodies; each joint several times, so that lanes fill.
static tree_machine looped(uint64_t seed) {
  hn_random random = hn_random_seed(seed + 100);
  hn_model *model = tree_model_all(seed, 1);
  int bodies = model->body_count - 1, number = 100;
  for (int k = 0; k < 5 * TYPES; k++) {
    int a = (int)hn_random_uniform(&random, 0, bodies - 1e-9);
    int b = 1 + (int)hn_random_uniform(&random, 0, bodies - 1e-9);
    if (a == b) a = HN_GROUND;
    if (k % 2) tree_joint(model, &random, types[k % TYPES], number++, a, b);
    if (k % 2 == 0) tree_joint(model, &random, types[k % TYPES], number++, b, a);
  }
  return tree_machine_open(model);
}

static void drive(hn_model *model, int joint, hn_coordinate coordinate, double by) {
  char name[32];
  snprintf(name, sizeof name, "d%d%d", joint, (int)coordinate);
  hn_driver_def def = hn_default_driver(HN_DRIVER_JOINT);
  def.name = name;
  def.joint = joint;
  def.coordinate = coordinate;
  check_ok(hn_law_polynomial((double[]){by, -2 * by, 0.5}, 3, NULL, &def.law, NULL));
  check_ok(hn_model_add_driver(model, &def, NULL));
}

// Gear and rack of joints of the tree, and drivers of angles and displacements in it: revolute,
// translational, cylindrical, screw, as they stand and turned round.
static tree_machine driven(uint64_t seed) {
  static const struct {
    int joint;
    hn_coordinate coordinate;
  } of[] = {{0, HN_COORDINATE_ANGLE},         {1, HN_COORDINATE_DISPLACEMENT},
            {2, HN_COORDINATE_ANGLE},         {2, HN_COORDINATE_DISPLACEMENT},
            {7, HN_COORDINATE_ANGLE},         {7, HN_COORDINATE_DISPLACEMENT},
            {10, HN_COORDINATE_ANGLE},        {11, HN_COORDINATE_DISPLACEMENT},
            {12, HN_COORDINATE_ANGLE},        {12, HN_COORDINATE_DISPLACEMENT},
            {17, HN_COORDINATE_DISPLACEMENT}, {18, HN_COORDINATE_ANGLE}};
  hn_model *model = tree_model_all(seed, 1);
  for (size_t k = 0; k < sizeof of / sizeof of[0]; k++)
    drive(model, of[k].joint, of[k].coordinate, 0.1 * (double)k);
  for (int k = 0; k < 2; k++) {
    hn_joint_def def = hn_default_joint(k == 0 ? HN_JOINT_GEAR : HN_JOINT_RACK_PINION);
    def.name = k == 0 ? "gear" : "rack";
    def.coupled[0] = k == 0 ? 0 : 8;
    def.coupled[1] = k == 0 ? 18 : 11;
    def.coupled_count = 2;
    def.coefficient[0] = 1;
    def.coefficient[1] = -1.7;
    def.coupled_coordinate[0] = HN_COORDINATE_ANGLE;
    def.coupled_coordinate[1] = k == 0 ? HN_COORDINATE_ANGLE : HN_COORDINATE_DISPLACEMENT;
    check_ok(hn_model_add_joint(model, &def, NULL));
  }
  return tree_machine_open(model);
}

static void check_rows(tree_machine *m, double t, uint64_t seed) {
  static double value[MOST_CUTS], rate[MOST_CUTS], tau[MOST_CUTS], j[MOST_ENTRIES];
  hn_relative_set *set = (hn_relative_set *)m->equations;
  hn_random random = hn_random_seed(seed);
  double q[200], u[200], qd[200];
  hn_frame frames[60];
  int entries = set->j_start[set->cut_count];
  assert_true(set->cut_count <= MOST_CUTS && entries <= MOST_ENTRIES);
  random_state(m, &random, q, u);
  hn_relative_rates(m->equations, q, u, qd);
  m->equations->type->coordinates->frames(m->equations, q, qd, frames);
  memcpy(set->u, u, (size_t)m->tree->nu * sizeof(double));
  hn_relative_evaluate_cuts(set, t, frames, &m->branches);
  for (int c = 0; c < set->cut_count; c++) {
    value[c] = set->base.rows->value[set->cut_row[c]];
    rate[c] = set->base.rows->rate[set->cut_row[c]];
    tau[c] = set->tau[c];
    set->base.rows->value[set->cut_row[c]] = set->base.rows->rate[set->cut_row[c]] = NAN;
    set->tau[c] = NAN;
  }
  memcpy(j, set->j_values, (size_t)entries * sizeof(double));
  for (int k = 0; k < entries; k++) set->j_values[k] = NAN;
  hn_relative_move_cuts(set, t, q, frames, &m->branches);
  for (int c = 0; c < set->cut_count; c++) {
    check_near(set->base.rows->value[set->cut_row[c]], value[c], 1e-12);
    check_near(set->base.rows->rate[set->cut_row[c]], rate[c], 1e-11);
    check_near(set->tau[c], tau[c], 1e-9);
  }
  for (int k = 0; k < entries; k++) check_near(set->j_values[k], j[k], 1e-11);
}

static void rows_in_lanes_are_those_on_bodies(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed < 6; seed++) {
    tree_machine m = looped(seed);
    const hn_cut_lanes *lanes = &((hn_relative_set *)m.equations)->lanes;
    int cuts = ((hn_relative_set *)m.equations)->cut_count;
    assert_true(lanes->group_count > 0 && lanes->group_count < cuts / 2);
    for (uint64_t k = 0; k < 4; k++) check_rows(&m, 0, 10 * seed + k);
    tree_machine_close(&m);
  }
}

static void rows_of_coordinates_are_those_on_bodies(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed < 6; seed++) {
    tree_machine m = driven(seed);
    assert_int_equal(((hn_relative_set *)m.equations)->lanes.straight_count, 14);
    for (uint64_t k = 0; k < 4; k++) check_rows(&m, 0.3 * (double)k, 10 * seed + k);
    tree_machine_close(&m);
  }
}

// Four at once and singly: the same bits.
static void width_changes_no_bit(void **unused) {
  (void)unused;
  static double j[MOST_ENTRIES];
  tree_machine m = looped(3);
  hn_relative_set *set = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(9);
  double q[200], u[200], qd[200], tau[MOST_CUTS];
  hn_frame frames[60];
  size_t size = (size_t)set->j_start[set->cut_count] * sizeof(double);
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  m.equations->type->coordinates->frames(m.equations, q, qd, frames);
  hn_relative_move_cuts(set, 0, q, frames, &m.branches);
  memcpy(j, set->j_values, size);
  memcpy(tau, set->tau, (size_t)set->cut_count * sizeof(double));
  set->lanes.wide = 0;
  hn_relative_move_cuts(set, 0, q, frames, &m.branches);
  assert_memory_equal(j, set->j_values, size);
  assert_memory_equal(tau, set->tau, (size_t)set->cut_count * sizeof(double));
  tree_machine_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_in_lanes_are_those_on_bodies),
      cmocka_unit_test(rows_of_coordinates_are_those_on_bodies),
      cmocka_unit_test(width_changes_no_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
