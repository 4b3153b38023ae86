// A model as an object: copies, names, laws handed over, finishing, failing memory, size.
#include "model/build.h"

static void everything_given_is_copied(void **state) {
  (void)state;
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  char name[] = "rod", file[] = "m.yaml", expression[] = "body.rod.roll", method[] = "first-order";
  hn_body_def body = hn_default_body();
  body.name = name;
  body.source = (hn_source){file, 4, 5};
  body.orientation = (hn_quat){0, 0, 0, 2};
  int id = -1;
  check_ok(hn_model_add_body(model, &body, &id));
  hn_output_def output = {"x", {file, 9, 1}, expression, NULL};
  check_ok(hn_model_add_output(model, &output));
  hn_simulation_defaults defaults = {.time = 3, .method = method};
  check_ok(hn_model_set_defaults(model, &defaults));
  check_ok(hn_model_set_name(model, name));
  name[0] = file[0] = expression[0] = method[0] = '!';

  assert_int_equal(id, 1);
  assert_string_equal(hn_model_body_name(model, 1), "rod");
  assert_string_equal(hn_model_name(model), "rod");
  assert_string_equal(model->bodies[1].source.file, "m.yaml");
  assert_ptr_equal(model->bodies[1].source.file, model->outputs.item[0].source.file); // kept once
  assert_string_equal(model->outputs.item[0].expression, "body.rod.roll");
  assert_string_equal(hn_model_defaults(model)->method, "first-order");
  assert_null(hn_model_defaults(model)->formula);
  assert_true(model->bodies[1].orientation.z == 1);
  hn_model_free(model);
}

static void elements_are_found_by_name(void **state) {
  (void)state;
  hn_machine m = small_machine();
  assert_int_equal(hn_model_find_body(m.model, "slider"), m.slider);
  assert_int_equal(hn_model_find_body(m.model, "ground"), HN_GROUND);
  assert_int_equal(hn_model_find_body(m.model, "pin"), -1);
  assert_int_equal(hn_model_find_joint(m.model, "rail"), m.rail);
  assert_int_equal(hn_model_find_joint(m.model, NULL), -1);
  assert_int_equal(hn_model_find_force(m.model, "rail"), -1);
  assert_int_equal(hn_model_body_count(m.model), 2);
  assert_int_equal(hn_model_joint_count(m.model), 2);
  assert_string_equal(hn_model_joint_name(m.model, 1), "rail");
  assert_string_equal(hn_model_body_name(m.model, 0), "ground");
  assert_null(hn_model_body_name(m.model, 3));
  assert_null(hn_model_force_name(m.model, 0));
  assert_null(hn_model_driver_name(m.model, -1));
  assert_null(hn_model_output_name(m.model, 0));
  int bodies[2];
  hn_model_joint_bodies(m.model, m.rail, bodies);
  assert_int_equal(bodies[0], HN_GROUND);
  assert_int_equal(bodies[1], m.slider);
  assert_int_equal(hn_model_joint_type(m.model, m.pin), HN_JOINT_REVOLUTE);
  assert_int_equal(hn_model_joint_type(m.model, 5), HN_JOINT_TYPES);
  assert_int_equal(hn_model_force_type(m.model, 5), HN_FORCE_TYPES);
  hn_model_free(m.model);
}

static void a_name_is_used_once_in_its_kind(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_body_def twin = body_named("rod");
  check_status(hn_model_add_body(m.model, &twin, NULL), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "body 'rod'", "", 7);
  assert_int_equal(hn_model_body_count(m.model), 2);
  // a joint called like a body: every reference says which it means
  hn_joint_def joint =
      joint_between(&m, "rod", HN_JOINT_FIXED, m.rod, m.slider, vec3_zero(), vec3(0, 0, 1));
  check_ok(hn_model_add_joint(m.model, &joint, NULL));
  hn_output_def output = {"x", PLACE(60), "1", NULL};
  check_ok(hn_model_add_output(m.model, &output));
  check_status(hn_model_add_output(m.model, &output), HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "output 'x'", "", 60);
  accept(m);
}

static void names_that_signals_cannot_have_are_refused(void **state) {
  (void)state;
  const char *const names[] = {NULL, "",   "ground", "a/b", "a,b",      "a\nb",
                               "*",  ".a", "a.",     " a",  "say \"a\""};
  hn_machine m = small_machine();
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    hn_body_def body = body_named(names[k]);
    check_status(hn_model_add_body(m.model, &body, NULL), HN_ERROR_MODEL);
    assert_true(hn_model_error(m.model)->hint[0] != 0);
  }
  hn_output_def output = {"time", PLACE(60), "1", NULL};
  check_status(hn_model_add_output(m.model, &output), HN_ERROR_MODEL);
  hn_body_def body = body_named("front_left.\xc3\xbc-2");
  body.velocity = vec3(1, 0, 0); // meant to fly
  check_ok(hn_model_add_body(m.model, &body, NULL));
  accept(m);
}

static void components_come_after_their_parents(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_component_def outer = {"front", PLACE(3), 0}, inner = {"front.left", PLACE(4), 1};
  int id;
  check_ok(hn_model_add_component(m.model, &outer, &id));
  assert_int_equal(id, 1);
  check_ok(hn_model_add_component(m.model, &inner, &id));
  assert_int_equal(id, 2);
  hn_component_def orphan = {"rear", PLACE(5), 9};
  check_ok(hn_model_add_component(m.model, &orphan, NULL));
  refuse(m, "component 'rear'", "9", 5);
}

static void markers_and_outputs_are_checked(void **state) {
  (void)state;
  hn_machine m = small_machine();
  hn_marker_def marker = {"rod.tip", PLACE(8), {9, {0, 0, 0}, {1, 0, 0, 0}}};
  check_ok(hn_model_add_marker(m.model, &marker, NULL));
  refuse(m, "marker 'rod.tip'", "9", 8);
  m = small_machine();
  hn_output_def output = {"x", PLACE(60), "  ", NULL};
  check_ok(hn_model_add_output(m.model, &output));
  refuse(m, "output 'x'", "", 60);
}

static void a_finished_model_takes_nothing_more(void **state) {
  (void)state;
  hn_machine m = small_machine();
  check_ok(hn_model_finish(m.model));
  check_ok(hn_model_finish(m.model)); // again: nothing happens
  hn_body_def body = body_named("late");
  check_status(hn_model_add_body(m.model, &body, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_set_gravity(m.model, vec3_zero()), HN_ERROR_ARGUMENT);
  check_status(hn_model_add_warning(m.model, "a", "b"), HN_ERROR_ARGUMENT);
  check_status(hn_model_set_name(m.model, "b"), HN_ERROR_ARGUMENT);
  assert_int_equal(hn_model_body_count(m.model), 2);
  hn_model_free(m.model);
}

static void warnings_of_a_reader_count_too(void **state) {
  (void)state;
  hn_machine m = small_machine();
  check_ok(hn_model_add_warning(m.model, "body 'rod'", "is green"));
  check_status(hn_model_finish_strict(m.model), HN_ERROR_MODEL);
  assert_string_equal(hn_model_error(m.model)->message, "is green");
  check_ok(hn_model_finish(m.model));
  assert_int_equal(hn_model_warning_count(m.model), 1);
  assert_null(hn_model_warning(m.model, 1));
  hn_model_free(m.model);
}

static void null_and_not_finite_arguments_are_refused(void **state) {
  (void)state;
  hn_model_free(NULL);
  check_status(hn_model_create(NULL, NULL), HN_ERROR_ARGUMENT);
  hn_machine m = small_machine();
  check_status(hn_model_add_body(m.model, NULL, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_add_joint(m.model, NULL, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_add_force(m.model, NULL, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_add_road(m.model, NULL, NULL), HN_ERROR_ARGUMENT);
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.law = constant_law(1); // freed although there is no model
  check_status(hn_model_add_driver(NULL, &driver, NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_finish(NULL), HN_ERROR_ARGUMENT);
  check_status(hn_model_set_gravity(m.model, vec3(0, 0, NAN)), HN_ERROR_MODEL);
  accept(m);
}

// ---- memory -------------------------------------------------------------------------------------

// One of everything. The status of the first failing call; *model is left to be freed.
static hn_status build(const hn_allocator *allocator, hn_model **model) {
  hn_status status = hn_model_create(allocator, model);
  if (status) return status;
  hn_law *laws[4] = {NULL};
  for (int k = 0; k < 4; k++) {
    status = hn_law_constant(k, allocator, &laws[k], NULL);
    if (status) {
      while (k > 0) hn_law_free(laws[--k]);
      return status;
    }
  }
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.name = "motor";
  driver.joint = 0;
  driver.law = laws[0];
  hn_force_def force = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  force.name = "spring";
  force.joint = 0;
  force.of_x = laws[1];
  force.of_v = laws[2];
  force.of_t = laws[3];
  // laws are handed over first, so that they are freed whatever fails later
  status = hn_model_add_driver(*model, &driver, NULL);
  hn_status force_status = hn_model_add_force(*model, &force, NULL);
  if (status) return status;
  if (force_status) return force_status;

  for (int k = 0; k < 40; k++) { // enough to make every array and table grow
    char name[16];
    hn_body_def body = hn_default_body();
    body.name = hn_text(name, sizeof name, "b%d", k);
    body.source = (hn_source){"m.yaml", k, 1};
    if ((status = hn_model_add_body(*model, &body, NULL))) return status;
    hn_marker_def marker = {name, {0}, {k, {0, 0, 0}, {1, 0, 0, 0}}};
    if ((status = hn_model_add_marker(*model, &marker, NULL))) return status;
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    joint.name = name;
    joint.frame2.body = k + 1;
    if ((status = hn_model_add_joint(*model, &joint, NULL))) return status;
    hn_output_def output = {name, {0}, "energy.total", "J"};
    if ((status = hn_model_add_output(*model, &output))) return status;
    if ((status = hn_model_add_warning(*model, name, "w"))) return status;
    hn_component_def component = {name, {0}, 0};
    if ((status = hn_model_add_component(*model, &component, NULL))) return status;
  }
  const double x[] = {0, 1, 2}, z[] = {0, 1, 0};
  hn_road_def road = hn_default_road(HN_ROAD_TABLE);
  road.name = "road";
  road.x = x;
  road.z = z;
  road.count = 3;
  if ((status = hn_model_add_road(*model, &road, NULL))) return status;
  hn_simulation_defaults defaults = {.method = "first-order"};
  if ((status = hn_model_set_defaults(*model, &defaults))) return status;
  if ((status = hn_model_set_name(*model, "m"))) return status;
  return hn_model_finish(*model);
}

static void every_failing_allocation_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_model *model = NULL;
  check_ok(build(&allocator, &model));
  hn_model_free(model);
  assert_int_equal(memory.living, 0);
  long calls = memory.calls;
  assert_true(calls > 20);
  for (long k = 1; k <= calls; k++) {
    memory = (hn_counting_memory){.fail_at = k};
    model = NULL;
    check_status(build(&allocator, &model), HN_ERROR_MEMORY);
    hn_model_free(model);
    assert_int_equal(memory.living, 0);
  }
}

static void a_law_given_twice_is_freed_once(void **state) {
  (void)state;
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_machine m = small_machine();
  hn_law *law = NULL;
  check_ok(hn_law_constant(3, &allocator, &law, NULL));
  hn_force_def force = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  force.joint = m.pin;
  force.of_x = force.of_t = law;
  check_status(hn_model_add_force(m.model, &force, NULL), HN_ERROR_MODEL); // no name; law is taken
  force.name = "spring";
  check_ok(hn_model_add_force(m.model, &force, NULL));
  hn_model_free(m.model);
  assert_int_equal(memory.living, 0);
}

// Which of them hold is kept as bits of a number.
static void a_state_has_thirty_rules_at_most(void **state) {
  (void)state;
  hn_machine m = small_machine();
  int ids[2];
  for (int k = 0; k < 2; k++) {
    const hn_state_def def = {.name = k ? "other" : "gear", .source = PLACE(31)};
    check_ok(hn_model_add_state(m.model, &def, &ids[k]));
  }
  for (int k = 0; k < 30; k++)
    check_ok(hn_model_add_state_rule(m.model, ids[0], constant_law(0), constant_law(k)));
  check_status(hn_model_add_state_rule(m.model, ids[0], constant_law(1), constant_law(2)),
               HN_ERROR_MODEL);
  check_error(hn_model_error(m.model), "state 'gear'", "30", 31);
  check_ok(hn_model_add_state_rule(m.model, ids[1], constant_law(0), constant_law(1)));
  hn_model_free(m.model);
}

// Linear: the memory and the number of allocations of a chain ten times as long grow tenfold.
static size_t chain(int count, long *calls) {
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_model *model = NULL;
  check_ok(hn_model_create(&allocator, &model));
  for (int k = 1; k <= count; k++) {
    char name[32];
    hn_body_def body = hn_default_body();
    body.name = hn_text(name, sizeof name, "link_%d", k);
    body.position = vec3(k, 0, 0);
    body.source = (hn_source){"chain.yaml", k, 1};
    int id;
    check_ok(hn_model_add_body(model, &body, &id));
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    joint.name = name;
    joint.frame1 = hn_model_frame(model, id - 1, vec3(k - 0.5, 0, 0), vec3(0, 1, 0));
    joint.frame2 = hn_model_frame(model, id, vec3(k - 0.5, 0, 0), vec3(0, 1, 0));
    check_ok(hn_model_add_joint(model, &joint, NULL));
  }
  check_ok(hn_model_finish_strict(model));
  for (int k = 1; k <= count; k++) {
    char name[32];
    assert_int_equal(hn_model_find_body(model, hn_text(name, sizeof name, "link_%d", k)), k);
  }
  hn_model_free(model);
  assert_int_equal(memory.living, 0);
  *calls = memory.calls;
  return memory.bytes;
}

static void ten_thousand_bodies_cost_linear_memory(void **state) {
  (void)state;
  long small_calls, large_calls;
  size_t small = chain(1000, &small_calls), large = chain(10000, &large_calls);
  assert_true(large < 25 * small); // doubling arrays: up to twice the tenfold
  assert_true(large_calls < 10 * small_calls);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_given_is_copied),
      cmocka_unit_test(elements_are_found_by_name),
      cmocka_unit_test(a_name_is_used_once_in_its_kind),
      cmocka_unit_test(names_that_signals_cannot_have_are_refused),
      cmocka_unit_test(components_come_after_their_parents),
      cmocka_unit_test(markers_and_outputs_are_checked),
      cmocka_unit_test(a_finished_model_takes_nothing_more),
      cmocka_unit_test(warnings_of_a_reader_count_too),
      cmocka_unit_test(null_and_not_finite_arguments_are_refused),
      cmocka_unit_test(every_failing_allocation_is_reported_and_nothing_leaks),
      cmocka_unit_test(a_law_given_twice_is_freed_once),
      cmocka_unit_test(a_state_has_thirty_rules_at_most),
      cmocka_unit_test(ten_thousand_bodies_cost_linear_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
