// Outputs: signals, parameters and units.
#include "formats/loading.h"

#define MACHINE                                                                                    \
  "parameters: {half: 500 mm, N: 2}\n"                                                             \
  "bodies: {\"a{i}\": {repeat: {i: [1, 2]}, mass: 1, markers: {m: [1, 0, 0]}}}\n"                  \
  "joints: {c: {type: cylindrical, bodies: [a1, a2], at: [0, 0, 0], axis: z}}\n"                   \
  "drivers: {d: {joint: c, coordinate: angle, motion: t}}\n"                                       \
  "forces: {f: {type: joint-spring-damper, joint: c, coordinate: angle, stiffness: 1}}\n"          \
  "outputs:\n"

static void check_output(const char *line, const char *expression, const char *unit) {
  char text[800];
  snprintf(text, sizeof text, MACHINE "  o: %s\n", line);
  hn_model *m = load_text(text);
  assert_string_equal(m->outputs.item[0].expression, expression);
  if (unit)
    assert_string_equal(m->outputs.item[0].unit, unit);
  else
    assert_null(m->outputs.item[0].unit);
  hn_model_free(m);
}

static void signals_pass_with_their_names(void **state) {
  (void)state;
  check_output("body.a1.position.x", "body.a1.position.x", NULL);
  check_output("marker.a2.m.velocity.z", "marker.a2.m.velocity.z", NULL);
  check_output("joint.c.angle_rate", "joint.c.angle_rate", NULL);
  check_output("joint.c.displacement_acceleration", "joint.c.displacement_acceleration", NULL);
  check_output("joint.c.reaction.torque.x", "joint.c.reaction.torque.x", NULL);
  check_output("driver.d.force", "driver.d.force", NULL);
  check_output("force.f.potential", "force.f.potential", NULL);
  check_output("energy.balance", "energy.balance", NULL);
  check_output("constraint.position", "constraint.position", NULL);
  check_output("step.iterations", "step.iterations", NULL);
  check_output("\"body.a{N}.pitch\"", "body.a2.pitch", NULL);
}

static void parameters_become_numbers_and_sums_keep_their_unit(void **state) {
  (void)state;
  check_output("body.a1.position.x - half", "body.a1.position.x - (0.5)", "m");
  check_output("body.a1.position.x*2", "body.a1.position.x * (2)", "m");
  check_output("2*energy.total", "(2) * energy.total", "J");
  check_output("joint.c.reaction.torque.x/2", "joint.c.reaction.torque.x / (2)", "N m");
  check_output("force.f.value*joint.c.angle_rate", "force.f.value * joint.c.angle_rate", "W");
  check_output("half*joint.c.angle_rate", "(0.5) * joint.c.angle_rate", "m/s");
  check_output("(body.a1.position.x + body.a2.position.x)/2",
               "( body.a1.position.x + body.a2.position.x ) / (2)", "m");
  // factors that convert units, or may be gains, do not say which unit comes out
  check_output("joint.c.angle*180/pi", "joint.c.angle * (180) / pi", NULL);
  check_output("1000*body.a1.position.x", "(1000) * body.a1.position.x", NULL);
  check_output("3.6*body.a1.velocity.x", "(3.6000000000000001) * body.a1.velocity.x", NULL);
  check_output("N*body.a1.velocity.x", "(2) * body.a1.velocity.x", NULL);
  check_output("2*body.a1.velocity.x + 3*body.a1.position.x",
               "(2) * body.a1.velocity.x + (3) * body.a1.position.x", NULL);
  check_output("body.a1.velocity.x*time", "body.a1.velocity.x * time", "m");
  check_output("sqrt(body.a1.position.x^2)", "sqrt ( body.a1.position.x ^ (2) )", "m");
  check_output("5", "(5)", NULL);
}

static void units_convert(void **state) {
  (void)state;
  check_output("{value: body.a1.position.x, unit: mm}", "(body.a1.position.x)/0.001", "mm");
  check_output("{value: body.a1.position.x, unit: m}", "body.a1.position.x", "m");
  check_output("{value: joint.c.angle*180/pi, unit: deg}", "joint.c.angle * (180) / pi", "deg");
  check_output("{value: joint.c.angle, unit: rev}", "(joint.c.angle)/6.2831853071795862", "rev");
  check_output("{value: energy.total, unit: kJ}", "(energy.total)/1000", "kJ");
  check_output("{value: driver.d.force, unit: N m}", "driver.d.force", "N m");
}

static void outputs_may_use_outputs(void **state) {
  (void)state;
  hn_model *m = load_text(MACHINE "  first: time\n  second: first + 1\n");
  assert_string_equal(m->outputs.item[1].expression, "first + (1)");
  hn_model_free(m);
}

static void check_order(const char *outputs, const char *wanted) {
  char text[2048], got[256] = "";
  snprintf(text, sizeof text, MACHINE "%s", outputs);
  hn_model *m = load_text(text);
  for (int k = 0; k < m->outputs.count; k++) {
    size_t used = strlen(got);
    snprintf(got + used, sizeof got - used, "%s ", m->outputs.item[k].name);
  }
  assert_string_equal(got, wanted);
  hn_model_free(m);
}

static void outputs_stand_behind_those_they_use(void **state) {
  (void)state;
  check_order("  c: time\n  b: 2*time\n  a: c + b\n", "c b a ");
  check_order("  u: 2*(w + error)\n  v: time\n  error: 1 - w\n  w: {value: time + v}\n",
              "v w error u ");
  check_order("  a: joint.c.angle\n  angle: time\n", "a angle "); // another name
  check_order("  a: 2 s + time\n  b: max(time, 1)\n  s: time\n  max: time\n", "a b s max ");
  check_order("  a: b + 1\n  c: time\n  b: a + 1\n", "b a c "); // found when the signals are made
  // a controller is an output, before those of the file
  hn_model *m = load_text(MACHINE "  error: 0.5 - time/(1 s)\n"
                                  "states: {u: {pid: {kp: 6, ki: 8}, of: error}}\n");
  assert_string_equal(m->outputs.item[0].name, "error");
  assert_string_equal(m->outputs.item[1].name, "u");
  hn_model_free(m);
}

// A joint is offered what it has, not what other joints have.
static void only_signals_of_the_joint_are_suggested(void **state) {
  (void)state;
#define JOINED(type, signal)                                                                       \
  "bodies: {a: {mass: 1}}\n"                                                                       \
  "joints: {j: {type: " type ", bodies: [ground, a], at: [0, 0, 0]}}\n"                            \
  "outputs: {o: joint.j." signal "}\n"
  refuse_text(JOINED("fixed", "displacement"), 3, "reaction.force.x .y .z");
  refuse_text(JOINED("fixed", "angle"), 3, "reaction.force.x .y .z");
  refuse_text(JOINED("revolute, axis: z", "displcement"), 3,
              "angle_rate angle_acceleration reaction.force.x .y");
  refuse_text(JOINED("revolute, axis: z", "angel_rate"), 3, "'angle_rate'");
#undef JOINED
}

static void bad_outputs_are_named(void **state) {
  (void)state;
  refuse_text(MACHINE "  o: body.a3.position.x\n", 7, "body.a1");
  refuse_text(MACHINE "  o: body.a1.positon.x\n", 7, "'position.x'");
  refuse_text(MACHINE "  o: bdy.a1.position.x\n", 7, "'body.a1.position.x'");
  refuse_text(MACHINE "  o: joint.c.angle2\n", 7, "'angle2'");
  refuse_text(MACHINE "  o: joint.c.displcement_rate\n", 7, "'displacement_rate'");
  refuse_text(MACHINE "  o: energy.totl\n", 7, "'total'");
  refuse_text(MACHINE "  o: body.ground.position.x\n", 7, "'o' 'body.ground.position.x'");
  refuse_text(MACHINE "  o: body.a1.position.x + joint.c.angle\n", 7, "'o'");
  refuse_text(MACHINE "  o: {value: body.a1.position.x, unit: kg}\n", 7, "'o' 'kg'");
  refuse_text(MACHINE "  o: {value: body.a1.position.x, unit: furlong}\n", 7, "'o' 'furlong'");
  refuse_text(MACHINE "  o: {unit: m}\n", 7, "'value'");
  refuse_text(MACHINE "  o: {value: force.f.value, unit: kN}\n", 7, "'o' 'kN'");
  refuse_text(MACHINE "  o: {value: constraint.position, unit: mm}\n", 7, "'o' 'mm'");
  refuse_text(MACHINE "  o: force.f.value + body.a1.position.x\n", 7, "'o'");
  refuse_text(MACHINE "  o: [1, 2]\n", 7, "'o'");
  refuse_text(MACHINE "  \"o o\": time\n", 7, "'o o'");
  refuse_text(MACHINE "  o: angle\n", 7, "'o' 'angle'");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(signals_pass_with_their_names),
      cmocka_unit_test(parameters_become_numbers_and_sums_keep_their_unit),
      cmocka_unit_test(units_convert),
      cmocka_unit_test(outputs_may_use_outputs),
      cmocka_unit_test(outputs_stand_behind_those_they_use),
      cmocka_unit_test(only_signals_of_the_joint_are_suggested),
      cmocka_unit_test(bad_outputs_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
