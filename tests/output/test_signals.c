// The table of signals: names, units, finding, outputs, size. Values are in
// test_signals_evaluate.c.
#include <stdio.h>
#include <string.h>

#include "output/machine.h"

static void every_name_leads_back_to_its_signal(void **state) {
  (void)state;
  machine m = make_machine(NULL);
  int count = hn_signals_count(m.signals);
  for (int k = 0; k < count; k++) {
    const char *name = hn_signals_name(m.signals, k);
    if (hn_signals_find(m.signals, name) != k) fail_msg("%s", name);
    assert_ptr_equal(hn_signals_name(m.signals, k), name); // stays where it is
    assert_non_null(hn_signals_unit(m.signals, k));
  }
  free_machine(&m);
}

// Word by word from docs/reference/signals.md.
static void documented_signals_are_there_with_their_units(void **state) {
  (void)state;
  static const struct {
    const char *name, *unit;
  } expected[] = {
      {"body.rod.position.x", "m"},
      {"body.rod.velocity.y", "m/s"},
      {"body.rod.acceleration.z", "m/s^2"},
      {"body.front.arm.angular_velocity.x", "rad/s"},
      {"body.rod.angular_acceleration.y", "rad/s^2"},
      {"body.rod.quaternion.w", "1"},
      {"body.rod.roll", "rad"},
      {"body.rod.pitch", "rad"},
      {"body.rod.yaw", "rad"},
      {"marker.rod.tip.position.x", "m"},
      {"marker.rod.tip.velocity.y", "m/s"},
      {"marker.rod.tip.acceleration.z", "m/s^2"},
      {"joint.pin.angle", "rad"},
      {"joint.pin.angle_rate", "rad/s"},
      {"joint.pin.angle_acceleration", "rad/s^2"},
      {"joint.sleeve.displacement", "m"},
      {"joint.sleeve.displacement_rate", "m/s"},
      {"joint.sleeve.displacement_acceleration", "m/s^2"},
      {"joint.pin.reaction.force.x", "N"},
      {"joint.pin.reaction.torque.z", "N m"},
      {"driver.motor.force", "N m"},
      {"driver.pull.force", "N"},
      {"force.spring.value", "N"},
      {"force.spring.deflection", "m"},
      {"force.spring.rate", "m/s"},
      {"force.spring.potential", "J"},
      {"force.coil.value", "N m"},
      {"force.coil.deflection", "rad"},
      {"force.coil.rate", "rad/s"},
      {"energy.kinetic", "J"},
      {"energy.potential", "J"},
      {"energy.work", "J"},
      {"energy.total", "J"},
      {"energy.balance", "J"},
      {"constraint.position", "m"},
      {"constraint.velocity", "m/s"},
      {"constraint.acceleration", "m/s^2"},
      {"step.size", "s"},
      {"step.iterations", "1"},
  };
  machine m = make_machine(NULL);
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    int index = hn_signals_find(m.signals, expected[k].name);
    if (index < 0) fail_msg("%s", expected[k].name);
    assert_string_equal(hn_signals_name(m.signals, index), expected[k].name);
    assert_string_equal(hn_signals_unit(m.signals, index), expected[k].unit);
  }
  free_machine(&m);
}

static void other_names_are_not_found(void **state) {
  (void)state;
  static const char *const names[] = {"",
                                      "body",
                                      "body.rod",
                                      "body.rod.",
                                      "body.ro.roll",
                                      "body.rod.rolls",
                                      "body.ground.roll",
                                      "joint.pin.displacement",
                                      "joint.pin",
                                      "joint.gear.angle",
                                      "joint.gear.reaction.force.x",
                                      "joint.loose.reaction.force.x",
                                      "joint..angle",
                                      "joint.angle",
                                      "energy",
                                      "energy.",
                                      "energy.totals",
                                      "force.spring",
                                      "driver.motor",
                                      "step.size.x",
                                      "Body.rod.roll",
                                      "time",
                                      "marker.rod.roll",
                                      "marker.rod.tip.roll"};
  machine m = make_machine(NULL);
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (hn_signals_find(m.signals, names[k]) != -1) fail_msg("'%s' was found", names[k]);
  assert_int_equal(hn_signals_find(m.signals, NULL), -1);
  assert_null(hn_signals_name(m.signals, -1));
  assert_null(hn_signals_name(m.signals, hn_signals_count_all(m.signals)));
  assert_null(hn_signals_unit(m.signals, -1));
  assert_string_equal(hn_signals_nearest(m.signals, "joint.pins.angel"), "joint.pin.angle");
  assert_null(hn_signals_nearest(m.signals, "wheel"));
  free_machine(&m);
}

// ---- outputs
// --------------------------------------------------------------------------------------

static void outputs_stand_first_with_their_units(void **state) {
  (void)state;
  const hn_output_def outputs[] = {
      {"x", {0}, " marker.rod.tip.position.x ", NULL},
      {"B0.y", {0}, "x", NULL},
      {"slope", {0}, "x/marker.rod.tip.position.y", NULL},
      {"share", {0}, "100*energy.kinetic/energy.total", "%"},
      {"", {0}, NULL, NULL},
  };
  machine m = make_machine(outputs);
  assert_string_equal(hn_signals_name(m.signals, 0), "x");
  assert_string_equal(hn_signals_unit(m.signals, 0), "m"); // of the signal it is
  assert_string_equal(hn_signals_name(m.signals, 1), "B0.y");
  assert_string_equal(hn_signals_unit(m.signals, 1), "m");
  assert_string_equal(hn_signals_unit(m.signals, 2), "");
  assert_string_equal(hn_signals_unit(m.signals, 3), "%");
  assert_int_equal(hn_signals_find(m.signals, "share"), 3);
  assert_int_equal(hn_signals_find(m.signals, "body.rod.position.x"), 4);
  free_machine(&m);
}

static void check_bad_output(const char *name, const char *expression, const char *message,
                             const char *hint) {
  const hn_output_def outputs[] = {
      {"before", {"m.yaml", 8, 3}, "energy.total", NULL},
      {name, {"m.yaml", 9, 3}, expression, NULL},
      {"after", {"m.yaml", 10, 3}, "energy.total", NULL},
      {"", {0}, NULL, NULL},
  };
  hn_model *model = make_model(outputs);
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_elements *elements = NULL;
  hn_signals *signals = NULL;
  hn_error error = {0};
  check_ok(hn_elements_create(&arena, model, &elements, NULL));
  check_status(hn_signals_create(&arena, elements, &signals, &error), HN_ERROR_MODEL);
  assert_null(signals);
  char element[64];
  snprintf(element, sizeof element, "output '%s'", name);
  assert_string_equal(error.element, element);
  assert_string_equal(error.file, "m.yaml");
  assert_int_equal(error.line, 9);
  check_names(error.message, message);
  check_names(error.hint, hint);
  hn_arena_release(&arena);
  hn_model_free(model);
}

static void bad_outputs_name_their_place_and_the_nearest_signal(void **state) {
  (void)state;
  check_bad_output("bad", "2*joint.pim.angle + 1", "'joint.pim.angle'", "'joint.pin.angle'");
  check_bad_output("bad", "body.rod.positon.x", "'body.rod.positon.x'", "'body.rod.position.x'");
  check_bad_output("bad", "wheel", "'wheel'", "");
  check_bad_output("bad", "befor", "'befor'", "'before'");
  check_bad_output("bad", "after", "'after'", "");
  check_bad_output("bad", "2*bad", "'bad'", "");
  check_bad_output("bad", "energy.total +", "'('", "");
  check_bad_output("bad", "sin(energy.total", "'('", "");
  check_bad_output("energy.total", "1", "", "");
}

static void failing_memory_is_reported(void **state) {
  (void)state;
  const hn_output_def outputs[] = {{"a", {0}, "energy.total*2", NULL}, {"", {0}, NULL, NULL}};
  hn_model *model = make_model(outputs);
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena other, arena;
  hn_arena_init(&other, NULL);
  hn_elements *elements = NULL;
  check_ok(hn_elements_create(&other, model, &elements, NULL));
  for (long k = 1; k <= 4; k++) {
    memory = (hn_counting_memory){.fail_at = k};
    hn_arena_init(&arena, &allocator);
    hn_signals *signals = NULL;
    hn_status status = hn_signals_create(&arena, elements, &signals, NULL);
    assert_true(status == HN_OK || (status == HN_ERROR_MEMORY && !signals));
    if (k == 1) assert_int_equal(status, HN_ERROR_MEMORY);
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
  }
  hn_arena_release(&other);
  hn_model_free(model);
}

// ---- size
// -----------------------------------------------------------------------------------------

static void ten_thousand_bodies_cost_a_few_words_a_joint(void **state) {
  (void)state;
  enum { LINKS = 10000 };
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  for (int k = 1; k <= LINKS; k++) {
    char name[32];
    hn_body_def body = hn_default_body();
    snprintf(name, sizeof name, "link_%d", k);
    body.name = name;
    check_ok(hn_model_add_body(model, &body, NULL));
    hn_joint_def joint = hn_default_joint(HN_JOINT_REVOLUTE);
    joint.name = name;
    joint.frame1.body = k - 1;
    joint.frame2.body = k;
    check_ok(hn_model_add_joint(model, &joint, NULL));
  }
  check_ok(hn_model_finish(model));
  hn_arena other, arena;
  hn_arena_init(&other, NULL);
  hn_elements *elements = NULL;
  check_ok(hn_elements_create(&other, model, &elements, NULL));
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_arena_init(&arena, &allocator);
  hn_signals *signals = NULL;
  check_ok(hn_signals_create(&arena, elements, &signals, NULL));
  assert_int_equal(hn_signals_count(signals), (22 + 9) * LINKS + 10);
  assert_int_equal(hn_signals_find(signals, "joint.link_10000.reaction.torque.z"),
                   (22 + 9) * LINKS - 1);
  assert_int_equal(hn_signals_find(signals, "body.link_9999.yaw"), 22 * 9999 - 1);
  assert_true(memory.bytes < 40 * LINKS);
  for (int k = 0; k < hn_signals_count(signals); k++)
    if (hn_signals_find(signals, hn_signals_name(signals, k)) != k) fail();
  hn_arena_release(&arena);
  hn_arena_release(&other);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_leads_back_to_its_signal),
      cmocka_unit_test(documented_signals_are_there_with_their_units),
      cmocka_unit_test(other_names_are_not_found),
      cmocka_unit_test(outputs_stand_first_with_their_units),
      cmocka_unit_test(bad_outputs_name_their_place_and_the_nearest_signal),
      cmocka_unit_test(failing_memory_is_reported),
      cmocka_unit_test(ten_thousand_bodies_cost_a_few_words_a_joint),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
