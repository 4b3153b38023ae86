// Reactions of models with redundant constraints, component by component: which are determined, and
// their values against a calculation by hand in the plane.
#include <stdio.h>

#include "analysis/parts.h"
#include "holon/analysis.h"
#include "holon/verify.h"
#include "linalg/rank.h"
#include "math/euler.h"

enum { BARS = 3, PINS = 4, UNKNOWNS = 3 * BARS + 2 * PINS };

// A four-bar linkage in its plane: bars crank, coupler, rocker; pins A, B, C, D.
static const double masses[BARS] = {0.4, 1.2, 0.9}, inertias[BARS] = {4e-4, 0.016, 0.005};
static const double centers[BARS][2] = {{0.01, 0.05}, {0.165, 0.16}, {0.365, 0.11}};
static const double pins[PINS][2] = {{0, 0}, {0, 0.1}, {0.33, 0.22}, {0.4, 0}};
static const int joined[PINS][2] = {{-1, 0}, {0, 1}, {1, 2}, {-1, 2}};
static const double weight[2] = {1.3, -9.81};

static hn_vec3 in_space(hn_mat3 plane, const double p[2]) {
  return mat3_apply(plane, vec3(p[0], p[1], 0));
}

static hn_model *make_four_bar(hn_mat3 plane) {
  hn_model *model = begin_model(in_space(plane, weight));
  char name[8];
  for (int b = 0; b < BARS; b++) {
    snprintf(name, sizeof name, "bar%d", b);
    add_body_def(model, body_at(name, masses[b], inertias[b], in_space(plane, centers[b])));
  }
  for (int k = 0; k < PINS; k++) {
    snprintf(name, sizeof name, "%c", 'A' + k);
    add_joint(model, HN_JOINT_REVOLUTE, name, joined[k][0] + 1, joined[k][1] + 1,
              in_space(plane, pins[k]), mat3_apply(plane, vec3(0, 0, 1)));
  }
  finish_model(model);
  return model;
}

// Newton and Euler in the plane, from rest: accelerations of the bars and the forces of the pins on
// their second bar, which follow.
static void solve_by_hand(double x[UNKNOWNS]) {
  double a[UNKNOWNS * UNKNOWNS] = {0};
  int pivots[UNKNOWNS];
  for (int b = 0; b < BARS; b++) {
    for (int i = 0; i < 2; i++) {
      a[(3 * b + i) * UNKNOWNS + 3 * b + i] = masses[b];
      x[3 * b + i] = masses[b] * weight[i];
    }
    a[(3 * b + 2) * UNKNOWNS + 3 * b + 2] = inertias[b];
    x[3 * b + 2] = 0;
  }
  for (int k = 0; k < PINS; k++) {
    for (int side = 0; side < 2; side++) {
      int b = joined[k][side], row = 3 * BARS + 2 * k;
      double sign = side == 0 ? -1 : 1;
      if (b < 0) continue;
      double r[2] = {pins[k][0] - centers[b][0], pins[k][1] - centers[b][1]};
      double turned[2] = {-r[1], r[0]};
      for (int i = 0; i < 2; i++) {
        a[(row + i) * UNKNOWNS + 3 * b + i] -= sign; // column-major: force i on body b
        a[(row + i) * UNKNOWNS + 3 * b + 2] -= sign * turned[i];
        a[(3 * b + i) * UNKNOWNS + row + i] += sign;
        a[(3 * b + 2) * UNKNOWNS + row + i] += sign * turned[i];
      }
    }
    x[3 * BARS + 2 * k] = x[3 * BARS + 2 * k + 1] = 0;
  }
  assert_int_equal(hn_dense_lu(a, UNKNOWNS, pivots), 0);
  hn_dense_lu_solve(a, UNKNOWNS, pivots, x);
}

static hn_simulation *simulate(hn_model *model, const char *coordinates) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *s = NULL;
  hn_error error;
  options.coordinates = coordinates;
  check_ok(hn_simulation_create(model, &options, &s, &error));
  return s;
}

static hn_mobility mobility_of(hn_simulation *s) {
  hn_mobility m;
  check_ok(hn_simulation_mobility(s, &m));
  return m;
}

static double signal_value(hn_simulation *s, const char *joint, const char *component) {
  char name[64];
  double value = NAN;
  snprintf(name, sizeof name, "joint.%s.reaction.%s", joint, component);
  check_ok(hn_simulation_value(s, name, &value));
  return value;
}

// Formulations need not agree on the signal.
static int is_open(hn_simulation *s, const char *name) {
  int index = hn_simulation_find_signal(s, name);
  hn_verify_note note;
  assert_true(index >= 0);
  check_ok(hn_simulation_free_signals(s, &index, 1, &note));
  assert_int_equal(note.is_shared, note.reason[0] != '\0');
  return note.is_shared;
}

static void check_marks(const unsigned char marked[6], const char *expected) {
  char text[7] = "";
  for (int i = 0; i < 6; i++) text[i] = marked[i] ? '1' : '0';
  assert_string_equal(text, expected);
}

// ---- in the plane -------------------------------------------------------------------------------

static void in_plane_reactions_of_a_four_bar_are_those_of_the_hand_calculation(void **state) {
  (void)state;
  const char *const sets[] = {"cartesian", "relative", "natural"};
  double x[UNKNOWNS];
  solve_by_hand(x);
  for (int c = 0; c < 3; c++) {
    hn_model *model = make_four_bar(mat3_identity());
    hn_simulation *s = simulate(model, sets[c]);
    for (int k = 0; k < PINS; k++) {
      char name[2] = {(char)('A' + k), 0};
      check_near(signal_value(s, name, "force.x"), x[3 * BARS + 2 * k], 1e-9);
      check_near(signal_value(s, name, "force.y"), x[3 * BARS + 2 * k + 1], 1e-9);
      check_near(signal_value(s, name, "torque.z"), 0, 1e-9);
    }
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

static void only_what_is_across_the_plane_is_shared(void **state) {
  (void)state;
  hn_model *model = make_four_bar(mat3_identity());
  hn_simulation *s = simulate(model, "cartesian");
  hn_mobility m = mobility_of(s);
  assert_int_equal(m.not_unique_count, PINS);
  for (int k = 0; k < PINS; k++) {
    check_marks(m.not_unique[k].here, "001110");
    check_marks(m.not_unique[k].global, "001110");
    check_marks(m.not_unique[k].local, "001110");
  }
  assert_false(is_open(s, "joint.B.reaction.force.x"));
  assert_false(is_open(s, "joint.B.reaction.torque.z"));
  assert_true(is_open(s, "joint.B.reaction.force.z"));
  assert_true(is_open(s, "joint.B.reaction.torque.y"));
  hn_mobility_free(&m);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Along the axes of the joint it stays clear what is determined; along global axes nothing is.
static void in_an_oblique_plane_the_axes_of_the_joint_tell(void **state) {
  (void)state;
  hn_mat3 plane = quat_matrix(quat_from_axis_angle(vec3_unit(vec3(1, 2, -0.5)), 0.7));
  hn_model *model = make_four_bar(plane);
  hn_simulation *s = simulate(model, "cartesian");
  hn_mobility m = mobility_of(s);
  double x[UNKNOWNS];
  solve_by_hand(x);
  assert_int_equal(m.not_unique_count, PINS);
  for (int k = 0; k < PINS; k++) {
    check_marks(m.not_unique[k].global, "111111");
    check_marks(m.not_unique[k].local, "001110");
    char name[2] = {(char)('A' + k), 0};
    double fx = signal_value(s, name, "local_force.x"), fy = signal_value(s, name, "local_force.y");
    check_near(hypot(fx, fy), hypot(x[3 * BARS + 2 * k], x[3 * BARS + 2 * k + 1]), 1e-9);
  }
  assert_false(is_open(s, "joint.B.reaction.local_force.x"));
  assert_true(is_open(s, "joint.B.reaction.local_force.z"));
  assert_true(is_open(s, "joint.B.reaction.force.x"));
  hn_mobility_free(&m);
  hn_simulation_free(s);
  hn_model_free(model);
}

// ---- on bodies that move ------------------------------------------------------------------------

// A bar on ground that carries a four-bar as the stick of an excavator does its bucket: lever, link and
// bucket, the last pin a ball. turned: the bar turns about this axis.
static hn_model *make_carried_loop(hn_vec3 turned) {
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  const hn_vec3 across = {0, 1, 0};
  int stick = add_body(model, "stick", vec3(1, 0, 0)),
      lever = add_body(model, "lever", vec3(1.7, 0, 0.2));
  int link = add_body(model, "link", vec3(2.1, 0, 0.35)),
      bucket = add_body(model, "bucket", vec3(2.2, 0, -0.3));
  add_joint(model, HN_JOINT_REVOLUTE, "foot", HN_GROUND, stick, vec3(0, 0, 0), turned);
  add_joint(model, HN_JOINT_REVOLUTE, "C", stick, bucket, vec3(2, 0, 0), across);
  add_joint(model, HN_JOINT_REVOLUTE, "J", stick, lever, vec3(1.65, 0, 0), across);
  add_joint(model, HN_JOINT_REVOLUTE, "I", lever, link, vec3(1.75, 0, 0.4), across);
  add_joint(model, HN_JOINT_SPHERICAL, "K", link, bucket, vec3(2.3, 0, 0.1), across);
  finish_model(model);
  return model;
}

static void a_loop_of_an_excavator_shares_across_its_plane_only(void **state) {
  (void)state;
  hn_model *model = make_carried_loop(vec3(0, 1, 0));
  hn_simulation *s = simulate(model, "cartesian");
  hn_mobility m = mobility_of(s);
  assert_int_equal(m.rows - m.rank, 1);
  assert_int_equal(m.not_unique_count, 4); // closest point excluded
  for (int k = 0; k < 4; k++) check_marks(m.not_unique[k].here, k < 3 ? "010101" : "010000");
  assert_false(is_open(s, "joint.K.reaction.force.x"));
  assert_true(is_open(s, "joint.K.reaction.force.y"));
  assert_false(is_open(s, "joint.C.reaction.force.z"));
  assert_false(is_open(s, "joint.foot.reaction.force.y"));
  hn_mobility_free(&m);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The same on a slewing gear: the plane turns with it, so that global axes apply only at first.
static void on_a_turning_platform_global_components_are_not_vouched_for(void **state) {
  (void)state;
  hn_model *model = make_carried_loop(vec3(0, 0, 1));
  hn_simulation *s = simulate(model, "cartesian");
  hn_mobility m = mobility_of(s);
  check_marks(m.not_unique[0].here, "010101");
  check_marks(m.not_unique[0].global, "111111");
  check_marks(m.not_unique[0].local, "001110");
  hn_mobility_free(&m);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Two hinges of a door may press against each other in any direction.
static void hinges_in_line_share_everything(void **state) {
  (void)state;
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int door = add_body(model, "door", vec3(0.5, 0, 1));
  add_joint(model, HN_JOINT_REVOLUTE, "lower", HN_GROUND, door, vec3(0, 0, 0), vec3(0, 0, 1));
  add_joint(model, HN_JOINT_REVOLUTE, "upper", HN_GROUND, door, vec3(0, 0, 2), vec3(0, 0, 1));
  finish_model(model);
  hn_simulation *s = simulate(model, "cartesian");
  hn_mobility m = mobility_of(s);
  check_marks(m.not_unique[0].here, "111110");
  assert_true(is_open(s, "joint.lower.reaction.force.x"));
  assert_true(is_open(s, "joint.upper.reaction.force.z"));
  hn_mobility_free(&m);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void components_are_told_in_words(void **state) {
  (void)state;
  char text[64];
  const unsigned char some[6] = {0, 0, 1, 1, 1, 0}, all[6] = {1, 1, 1, 1, 1, 1}, none[6] = {0};
  assert_string_equal(hn_reaction_components_text(some, text, 64), "force z; torque x, y");
  assert_string_equal(hn_reaction_components_text(all, text, 64), "force; torque");
  assert_string_equal(hn_reaction_components_text(none, text, 64), "");
  assert_string_equal(hn_reaction_component(5), "torque.z");
  assert_null(hn_reaction_component(6));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_plane_reactions_of_a_four_bar_are_those_of_the_hand_calculation),
      cmocka_unit_test(only_what_is_across_the_plane_is_shared),
      cmocka_unit_test(in_an_oblique_plane_the_axes_of_the_joint_tell),
      cmocka_unit_test(a_loop_of_an_excavator_shares_across_its_plane_only),
      cmocka_unit_test(on_a_turning_platform_global_components_are_not_vouched_for),
      cmocka_unit_test(hinges_in_line_share_everything),
      cmocka_unit_test(components_are_told_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
