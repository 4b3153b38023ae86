// Rigid contacts, stops, dry friction, knife edges and conditional joints act on a sealed component
// from outside, as on the open part: the same bits, outputs and energy.
#include "formats/sealing.h"

#define PART                                                                                       \
  "name: swing\nborder: [base]\n"                                                                  \
  "bodies:\n"                                                                                      \
  "  base: {mass: 2, inertia: [0.1, 0.1, 0.1]}\n"                                                  \
  "  bob: {mass: 0.5, center: [0.3, 0, 0], inertia: [0.01, 0.01, 0.01]}\n"                         \
  "joints:\n  hinge: {type: revolute, bodies: [base, bob], at: [0, 0, 0], axis: y}\n"              \
  "forces:\n"                                                                                      \
  "  spring: {type: joint-spring-damper, joint: hinge, stiffness: 3, damping: 0.02}\n"             \
  "outputs: {a: body.bob.acceleration.z, pull: joint.hinge.reaction.force.z}\n"
#define USE(part) "gravity: [1, 0, -9.81]\ncomponents: {c: {use: " part "}}\n"
#define RAIL "  rail: {type: translational, bodies: [ground, c.base], at: [0, 0, 0], axis: z}\n"
#define OUTPUTS "outputs: {of_bob: c.a, reaction: c.pull}\n"

static const struct {
  const char *name, *text;
  int events; // at least
} cases[] = {
    {"stop",
     "joints:\n" RAIL
     "forces: {stop: {type: joint-stop, joint: rail, lower: -0.2, restitution: 0.5}}\n",
     5},
    {"dry",
     "joints: {rail: {type: translational, bodies: [ground, c.base], at: [0, 0, 0], axis: x}}\n"
     "forces: {rub: {type: joint-friction, joint: rail, force: 2.6}}\n",
     1},
    {"contact",
     "bodies:\n  ground: {shape: {plane: {}, at: [0, 0, -0.3]}}\n"
     "  foot: {mass: 0.5, inertia: [0.01, 0.01, 0.01], shape: {sphere: 0.1}}\n"
     "joints: {glue: {type: fixed, bodies: [foot, c.base], at: [0, 0, 0]}}\n"
     "contacts: {floor: {bodies: [foot, ground], friction: 0.3, restitution: 0.4}}\n",
     5},
    {"knife",
     "joints:\n  edge: {type: knife-edge, bodies: [ground, c.base], at: [0, 0, 0], axis: x}\n"
     "  flat: {type: planar, bodies: [ground, c.base], at: [0, 0, 0], axis: z}\n",
     0},
    {"gate",
     "joints:\n" RAIL
     "  hold: {type: fixed, bodies: [ground, c.base], at: [0, 0, 0], ends: t > 0.1}\n",
     1},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void write_case(int k, const char *part, const char *file) {
  char text[2048];
  snprintf(text, sizeof text, USE("%s") "%s" OUTPUTS, part, cases[k].text);
  write_text(file, text);
}

static void conditions_act_on_a_sealed_component_with_the_bits_of_the_open_one(void **state) {
  (void)state;
  hn_error error;
  write_text("swing.yaml", PART);
  check_ok(seal("swing.yaml", "swing.hnc", &error));
  for (int k = 0; k < CASES; k++) {
    write_case(k, "swing.yaml", "open.yaml");
    write_case(k, "swing.hnc", "sealed.yaml");
    check_same_bits("open.yaml", "sealed.yaml", 0.6, "of_bob");
    check_same_bits("open.yaml", "sealed.yaml", 0.6, "reaction");
  }
}

// The energies of impacts are those of all bodies, although the masses inside are not known.
static void energy_balances_over_impacts(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    hn_model *model;
    write_case(k, "swing.hnc", "sealed.yaml");
    hn_simulation *s = start("sealed.yaml", &model);
    check_ok(hn_simulation_advance(s, 0.6));
    const hn_certificate c = hn_simulation_certificate(s);
    check_at_most(c.energy_relative, 1e-6);
    if (c.events < cases[k].events) fail_msg("%s has %ld events", cases[k].name, (long)c.events);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

// Method components and the default settings solve the equations differently.
static void the_default_settings_agree(void **state) {
  (void)state;
  for (int k = 0; k < CASES; k++) {
    hn_model *models[2];
    hn_simulation *s[2];
    hn_error error;
    double value[2];
    hn_simulation_options options = hn_default_simulation_options();
    options.tol = 1e-9;
    write_case(k, "swing.yaml", "open.yaml");
    write_case(k, "swing.hnc", "sealed.yaml");
    for (int i = 0; i < 2; i++) {
      check_ok(load(i ? "sealed.yaml" : "open.yaml", 1, &models[i], &error));
      check_ok(hn_simulation_create(models[i], &options, &s[i], &error));
      check_ok(hn_simulation_advance(s[i], 0.3));
      check_ok(hn_simulation_value(s[i], "body.c.base.position.z", &value[i]));
    }
    check_near(value[0], value[1], 1e-8); // 10 tolerances
    for (int i = 0; i < 2; i++) {
      hn_simulation_free(s[i]);
      hn_model_free(models[i]);
    }
  }
}

static void implicit_formulas_are_rejected(void **state) {
  (void)state;
  hn_model *model;
  hn_simulation *s;
  hn_error error;
  hn_simulation_options options = hn_default_simulation_options();
  options.formula = "sdirk4-16";
  write_case(0, "swing.hnc", "sealed.yaml");
  check_ok(load("sealed.yaml", 1, &model, &error));
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_message(&error, "force 'stop'", "components");
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conditions_act_on_a_sealed_component_with_the_bits_of_the_open_one),
      cmocka_unit_test(energy_balances_over_impacts),
      cmocka_unit_test(the_default_settings_agree),
      cmocka_unit_test(implicit_formulas_are_rejected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
