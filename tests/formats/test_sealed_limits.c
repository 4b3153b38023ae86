// A sealed component computes like the open one, or is rejected when it is built, with the element and
// an alternative; where its start differs, the run warns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/sealing.h"
#include "holon/holon.h"
#include "support/check.h"

#define BODIES                                                                                     \
  "  a: {mass: 1, inertia: [1, 1, 1]}\n"                                                           \
  "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.1]}\n"
#define SLIDE "{type: translational, bodies: [a, b], at: [0, 0, 0], axis: z}"
#define PART "border: [a, b]\nbodies:\n" BODIES "joints:\n  j: " SLIDE "\n"
#define USE(file)                                                                                  \
  "gravity: [0, 0, -9.81]\ncomponents: {c: {use: " file "}}\n"                                     \
  "joints: {fix: {type: fixed, bodies: [ground, c.a], at: [0, 0, 0]}}\n"                           \
  "outputs: {z: body.c.b.position.z}\n"

static void what_cannot_be_computed_is_rejected_with_an_alternative(void **state) {
  (void)state;
  static const struct {
    const char *text, *element, *names, *hint;
  } cases[] = {
      {"bodies:\n" BODIES
       "joints: {j: {type: revolute, bodies: [a, b], at: [0.3, 0, 0.1], axis: y,\n"
       "             armature: {angle: 0.5}}}\n",
       "body 'j.rotor'", "", "armature"},
      {"bodies: {a: {mass: 1, inertia: [1, 1, 0]}}\n", "body 'a'", "", ""},
      {"bodies: {a: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1, contact: true}}}\n"
       "contacts: {k: {restitution: 0.3}}\noutputs: {n: contact.k.force}\n",
       "output 'n'", "", "contact.NAME"},
      {"inputs: {u: 1}\n"
       "bodies: {a: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 0.1, contact: true}}}\n"
       "contacts: {k: {table: (1 + input.u.value)*x}}\n",
       "contact 'k'", "`table:`", ""},
      {PART "drivers: {d: {joint: j, motion: 0.2 + 0.1*t}}\n", "driver 'd'", "", ""},
      {"bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
       "  b: {mass: 1, inertia: [1, 1, 1], initial: {velocity: [1, 0, 2]}}\n"
       "joints:\n  j: " SLIDE "\n",
       "joint 'j'", "`initial:`", ""},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    hn_error error;
    write_text("limit.yaml", cases[k].text);
    check_status(seal("limit.yaml", "limit.hnc", &error), HN_ERROR_UNSUPPORTED);
    check_message(&error, cases[k].element, cases[k].names);
    check_names(error.hint, cases[k].hint);
    assert_true(error.line > 0 && strlen(error.message) <= 200);
  }
}

// Shapes of sealed bodies do not collide: the message says what does.
static void a_contact_of_a_sealed_body_is_rejected_with_an_alternative(void **state) {
  (void)state;
  hn_error error;
  hn_model *model = NULL;
  write_text("ball.yaml", "border: [b]\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n");
  check_ok(seal("ball.yaml", "ball.hnc", &error));
  write_text("floor.yaml", "bodies: {ground: {shape: {plane: {}}}}\n"
                           "components: {c: {use: ball.hnc}}\n"
                           "contacts: {k: {bodies: [ground, c.b]}}\n");
  check_status(load("floor.yaml", 1, &model, &error), HN_ERROR_MODEL);
  check_message(&error, "contact 'k'", "'c.b'");
  check_names(error.hint, "sealed");
  write_text("fixed.yaml", "bodies:\n  ground: {shape: {plane: {}}}\n"
                           "  skin: {mass: 0.1, inertia: [1, 1, 1], shape: {sphere: 0.1}}\n"
                           "components: {c: {use: ball.hnc, position: [0, 0, 1]}}\n"
                           "joints: {glue: {type: fixed, bodies: [skin, c.b], at: [0, 0, 1]}}\n"
                           "contacts: {k: {bodies: [ground, skin]}}\n");
  check_ok(load("fixed.yaml", 1, &model, &error));
  hn_model_free(model);
}

// The neighbors of what is rejected have the bits of the open part.
static void what_is_accepted_equals_the_open_part(void **state) {
  (void)state;
  static const char *const parts[] = {
      PART "forces: {f: {type: joint-friction, joint: j, force: 5, transition: 0.01}}\n",
      PART "forces: {f: {type: joint-friction, joint: j, force: 20, stiffness: 1e5}}\n",
      PART "forces: {f: {type: joint-stop, joint: j, lower: -0.1, stiffness: 1e4, damping: 10}}\n",
      // no force inside has a branch: only the driver has breakpoints
      PART "drivers: {d: {joint: j, motion: {table: [[0, 0], [0.2, 0.1], [0.5, -0.1], [1, 0]],\n"
           "              interpolation: linear}}}\n",
      "bodies:\n  a: {mass: 1, inertia: [1, 1, 1]}\n"
      "  b: {mass: 1, inertia: [1, 1, 1], initial: {velocity: [0, 0, 2]}}\n"
      "joints:\n  j: " SLIDE "\n",
  };
  for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
    hn_error error;
    write_text("near.yaml", parts[k]);
    write_text("use-near.yaml", USE("near.yaml"));
    write_text("use-near-sealed.yaml", USE("near.hnc"));
    check_ok(seal("near.yaml", "near.hnc", &error));
    check_same_bits("use-near.yaml", "use-near-sealed.yaml", 0.6, "z");
  }
}

static void kinks_of_a_driver_alone_are_events(void **state) {
  (void)state;
  hn_error error;
  write_text("bends.yaml", PART "drivers: {d: {joint: j, motion: {table: [[0, 0], [0.2, 0.1], "
                                "[0.5, -0.1], [1, 0]], interpolation: linear}}}\n");
  write_text("use-bends.yaml", USE("bends.hnc"));
  check_ok(seal("bends.yaml", "bends.hnc", &error));
  hn_model *model;
  hn_simulation *s = start("use-bends.yaml", &model);
  double z = 0;
  check_ok(hn_simulation_advance(s, 0.6));
  check_ok(hn_simulation_value(s, "z", &z));
  check_near(z, 0.1 - 0.1 + 0.1 * 0.2, 1e-9); // the table at 0.6 s, above 0.1 m
  assert_int_equal(hn_simulation_certificate(s).events, 2);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void check_warning(const char *model_file, const char *names) {
  hn_model *model;
  hn_simulation *s = start(model_file, &model);
  int found = 0;
  for (int k = 0; k < hn_simulation_warning_count(s); k++) {
    const hn_warning *w = hn_simulation_warning(s, k);
    if (w->is_note) continue; // that the inside is not examined
    found |= strstr(w->element, "component 'c'") && names && hn_has_names(w->message, names);
    if (!names && strstr(w->element, "component")) fail_msg("%s %s", w->element, w->message);
  }
  if (names && !found) fail_msg("%s does not warn of '%s'", model_file, names);
  hn_simulation_free(s);
  hn_model_free(model);
}

#define SWING                                                                                      \
  "border: [a, b]\nbodies:\n" BODIES                                                               \
  "joints:\n  j: {type: revolute, bodies: [a, b], at: [0.3, 0, 0.1], axis: y}\n"
#define TURNED(joint)                                                                              \
  "gravity: [0, 0, -9.81]\ncomponents: {c: {use: swing.hnc}}\n"                                    \
  "joints:\n  pin: {bodies: [ground, c.a], " joint "}\n"

// Where the inside can move on its own, its start is another one than that of the open part.
static void a_start_that_differs_is_a_warning(void **state) {
  (void)state;
  hn_error error;
  write_text("swing.yaml", SWING);
  check_ok(seal("swing.yaml", "swing.hnc", &error));
  write_text("turns.yaml",
             TURNED("type: revolute, at: [0.1, 0, 0], axis: y, initial: {angle_rate: 2}"));
  check_warning("turns.yaml", "1");
  write_text("apart.yaml", TURNED("type: fixed, points: [[0, 0, 0.1], [0.02, 0, 0]]"));
  check_warning("apart.yaml", "");
  write_text("rests.yaml", TURNED("type: revolute, at: [0.1, 0, 0], axis: y"));
  check_warning("rests.yaml", NULL);
  // joints with a stop are seen from outside, and start at rest: the part is carried along as one
  write_text("swing.yaml", SWING "forces: {end: {type: joint-stop, joint: j, lower: -1}}\n");
  check_ok(seal("swing.yaml", "swing.hnc", &error));
  write_text("carried.yaml", TURNED("type: translational, at: [0, 0, 0], axis: x,\n"
                                    "        initial: {displacement_rate: 2}"));
  check_warning("carried.yaml", NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_be_computed_is_rejected_with_an_alternative),
      cmocka_unit_test(a_contact_of_a_sealed_body_is_rejected_with_an_alternative),
      cmocka_unit_test(what_is_accepted_equals_the_open_part),
      cmocka_unit_test(kinks_of_a_driver_alone_are_events),
      cmocka_unit_test(a_start_that_differs_is_a_warning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
