// Warnings of assembly: drawings that do not close, rotations without inertia.
#include "analysis/assembly.h"
#include "analysis/simulation.h"
#include "holon/simulation.h"

#include "analysis/parts.h"

static const hn_vec3 Z = {0, 0, 1};

static hn_assembly_report assemble(setting *s) {
  hn_assembly_report report;
  check_ok(hn_assemble(s->equations, NULL, 0, s->q, s->qd, &s->branches, &report, &s->error));
  return report;
}

// A square of three bars of 1 m; at C the two points are `gap` apart, or the axes tilted.
static hn_model *make_square(double gap, double tilt, const hn_joint_initial *initial) {
  hn_model *model = begin_model(vec3(0, 0, 0));
  int left = add_body(model, "left", vec3(0, 0.5, 0));
  int top = add_body(model, "top", vec3(0.5, 1, 0));
  int right = add_body(model, "right", vec3(1, 0.5, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "A", HN_GROUND, left, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "B", left, top, vec3(0, 1, 0), Z);
  hn_joint_def c = hn_default_joint(tilt > 0 ? HN_JOINT_PARALLEL : HN_JOINT_REVOLUTE);
  c.name = "C";
  c.frame1 = hn_model_frame(model, top, vec3(1, 1, 0), Z);
  c.frame2 = hn_model_frame(model, right, vec3(1 + gap, 1, 0), vec3(0, -sin(tilt), cos(tilt)));
  if (initial) c.initial[HN_COORDINATE_ANGLE] = *initial;
  add_joint_def(model, c);
  add_joint(model, tilt > 0 ? HN_JOINT_SPHERICAL : HN_JOINT_REVOLUTE, "D", right, HN_GROUND,
            vec3(1, 0, 0), Z);
  return model;
}

static void a_loop_drawn_open_names_joint_and_gap(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_square(0.002, 0, NULL));
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.gap_warning.element, "joint 'C'");
  check_names(report.gap_warning.message, "0.002");
  check_names(report.gap_warning.message, "'top' 'right'");
  tear_down(&s);
}

static void axes_drawn_apart_are_told_in_degrees(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_square(0, 2 * HN_PI / 180, NULL));
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.gap_warning.element, "joint 'C'");
  check_names(report.gap_warning.message, "2");
  tear_down(&s);
}

static void a_machine_drawn_closed_gives_no_warning(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_square(0, 0, NULL));
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.gap_warning.message, "");
  assert_string_equal(report.inertia_warning.message, "");
  tear_down(&s);
}

static void a_gap_at_a_joint_with_an_initial_value_was_asked_for(void **state) {
  (void)state;
  setting s;
  hn_joint_initial initial = {.has_value = 1, .value = 0};
  set_up(&s, make_square(0.002, 0, &initial));
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.gap_warning.message, "");
  tear_down(&s);
}

static void bodies_all_drawn_at_the_origin_are_meant_to_be_moved(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int upper = add_body(model, "upper", vec3(0, 0, 0)),
      lower = add_body(model, "lower", vec3(0, 0, 0));
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "shoulder", HN_GROUND, vec3(0, 0, 0), upper,
                                     vec3(-0.5, 0, 0)));
  add_joint_def(model, joint_between(HN_JOINT_REVOLUTE, "elbow", upper, vec3(0.5, 0, 0), lower,
                                     vec3(-0.5, 0, 0)));
  set_up(&s, model);
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.gap_warning.message, "");
  tear_down(&s);
}

// A point mass on the axis of its own hinge, and a wheel without inertia that is welded.
static hn_model *make_weightless(void) {
  hn_model *model = begin_model(vec3(0, 0, -9.81));
  int arm = add_body(model, "arm", vec3(0.5, 0, 0));
  int bob = add_body_def(model, body_at("bob", 1, 0, vec3(1, 0, 0)));
  int block = add_body_def(model, body_at("block", 1, 0, vec3(0.7, 0, 0)));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, arm, vec3(0, 0, 0), vec3(0, 1, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "hinge", arm, bob, vec3(1, 0, 0), vec3(0, 1, 0));
  add_joint(model, HN_JOINT_FIXED, "weld", arm, block, vec3(0.7, 0, 0), vec3(0, 1, 0));
  return model;
}

static void a_rotation_without_inertia_is_told_with_its_axis(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_weightless());
  hn_assembly_report report = assemble(&s);
  assert_string_equal(report.inertia_warning.element, "body 'bob'");
  check_names(report.inertia_warning.message, "0 1");
  tear_down(&s);
}

static hn_simulation *start_square(hn_model *model) {
  hn_simulation *simulation = NULL;
  hn_error error;
  finish_model(model);
  check_ok(hn_simulation_create(model, NULL, &simulation, &error));
  return simulation;
}

static void warnings_of_assembly_reach_the_run(void **state) {
  (void)state;
  hn_model *model = make_square(0.002, 0, NULL);
  hn_simulation *simulation = start_square(model);
  assert_int_equal(hn_simulation_warning_count(simulation), 1);
  assert_string_equal(hn_simulation_warning(simulation, 0)->element, "joint 'C'");
  hn_simulation_free(simulation);
  hn_model_free(model);
}

static void more_warnings_than_are_kept_are_told(void **state) {
  (void)state;
  hn_model *model = make_square(0.002, 0, NULL);
  hn_simulation *simulation = start_square(model);
  for (int k = 0; k < 2 * HN_RUN_WARNINGS; k++) hn_simulation_note(simulation, "a", "number %d", k);
  const int count = hn_simulation_warning_count(simulation);
  assert_int_equal(count, HN_RUN_WARNINGS);
  check_names(hn_simulation_warning(simulation, count - 2)->message, "29");
  check_names(hn_simulation_warning(simulation, count - 1)->message, "31");
  assert_false(hn_simulation_warning(simulation, count - 1)->is_note);
  hn_simulation_free(simulation);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_loop_drawn_open_names_joint_and_gap),
      cmocka_unit_test(axes_drawn_apart_are_told_in_degrees),
      cmocka_unit_test(a_machine_drawn_closed_gives_no_warning),
      cmocka_unit_test(a_gap_at_a_joint_with_an_initial_value_was_asked_for),
      cmocka_unit_test(bodies_all_drawn_at_the_origin_are_meant_to_be_moved),
      cmocka_unit_test(a_rotation_without_inertia_is_told_with_its_axis),
      cmocka_unit_test(warnings_of_assembly_reach_the_run),
      cmocka_unit_test(more_warnings_than_are_kept_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
