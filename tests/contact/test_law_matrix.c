// Force laws of contact in every way there is. Derivatives: each law, with each friction, between each
// pair of shapes, audited against differences in every set of coordinates. Motions: every combination
// of coordinates, method, formula and independent coordinates that is built ends where first-order
// dopri5 in Cartesian coordinates does, with its energy accounted for.
#include <stdio.h>
#include <stdlib.h>

#include "contact/contact_machine.h"
#include "holon/load.h"
#include "holon/verify.h"

// Ground and what moves over it, overlapping by a tenth of a millimeter somewhere. The bodies of curves
// are kept in their plane.
static const struct {
  const char *name, *ground, *mover;
  double height;
  int is_planar;
} pairs[] = {
    {"sphere-plane", "plane: {size: 1}", "sphere: 0.1", 0.0999, 0},
    {"capsule-plane", "plane: {size: 1}", "capsule: {radius: 0.05, length: 0.3}", 0.199, 0},
    {"cylinder-plane", "plane: {size: 1}", "cylinder: {radius: 0.1, length: 0.1}", 0.053, 0},
    {"box-plane", "plane: {size: 1}", "box: [0.2, 0.2, 0.2]", 0.1065, 0},
    {"box-box", "box: [0.5, 0.5, 0.2]", "box: [0.2, 0.2, 0.2]", 0.2065, 0},
    {"sphere-box", "box: [0.5, 0.5, 0.2]", "sphere: 0.1", 0.1999, 0},
    {"sphere-sphere", "sphere: 0.2", "sphere: 0.1", 0.29, 0},
    {"cylinder-box", "box: [0.5, 0.5, 0.2]", "cylinder: {radius: 0.1, length: 0.1}", 0.153, 0},
    {"sphere-heights",
     "heights: {step: [0.2, 0.2], columns: 4, values: [0, 0.01, 0.02, 0, 0.01, 0.03, 0.01, 0, 0, "
     "0.01, "
     "0.02, 0, 0.02, 0, 0.01, 0]}",
     "sphere: 0.1", 0.118, 0},
    {"box-heights",
     "heights: {step: [0.2, 0.2], columns: 4, values: [0, 0.01, 0.02, 0, 0.01, 0.03, 0.01, 0, 0, "
     "0.01, "
     "0.02, 0, 0.02, 0, 0.01, 0]}",
     "box: [0.2, 0.2, 0.2]", 0.13, 0},
    {"sphere-curve", "curve: {points: [[0, -0.2, 1], [0, 0.2, 1]]}", "sphere: 0.1", 0.2999, 1},
    {"roller-curve", "curve: {points: [[0, -0.2, 1], [0, 0.2, 1]]}",
     "cylinder: {radius: 0.1, length: 0.1}", 0.2999, 1},
    {"curve-curve", "curve: {points: [[0, -0.2, 1], [0, 0.2, 1]]}",
     "curve: {points: [[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]]}", 0.2995, 1},
};
static const char *const laws[] = {
    "law: linear, stiffness: 1e5, damping: 20",
    "law: hertz, stiffness: 1e6",
    "law: hunt-crossley, stiffness: 1e6, restitution: 0.5, speed: 1",
    "law: lankarani-nikravesh, stiffness: 1e6, restitution: 0.5, speed: 1",
    "law: flores, stiffness: 1e6, restitution: 0.5, speed: 1",
    "law: table, table: {table: [[0, 0], [1e-3, 100], [1e-2, 2000], [1e-1, 4e4]]}, damping: 0.5"};
static const char *const frictions[] = {
    "", ", friction: 0.3, transition: 0.01",
    ", friction: 0.2, static_friction: 0.4, stribeck: 0.1, transition: 0.01",
    ", friction: 0.2, static_friction: 0.4, stribeck: 0.1, bristle_stiffness: 1e4"};
enum { PAIRS = sizeof pairs / sizeof *pairs, LAWS = sizeof laws / sizeof *laws, FRICTIONS = 4 };

// Up is z, or y in the plane of curves.
static int write_model(int pair, int law, int friction, char *yaml, size_t room) {
  static const char space[] = "gravity: [0, 0, -9.81]\n"
                              "bodies:\n"
                              "  ground: {shape: {%s}}\n"
                              "  mover:\n    mass: 1\n    inertia: [0.004, 0.005, 0.006]\n"
                              "    position: [0.011, 0.017, %.17g]\n    shape: {%s}\n"
                              "    orientation: {axis: [1, 1, 0.3], angle: 0.05}\n"
                              "    initial: {velocity: [0.3, 0.1, -0.2], angular_velocity: [0.5, "
                              "0.7, -0.3]}\n"
                              "contacts: {touch: {bodies: [ground, mover], %s%s}}\n";
  static const char plane[] =
      "gravity: [0, -9.81, 0]\n"
      "bodies:\n"
      "  ground: {shape: {%s}}\n"
      "  mover:\n    mass: 1\n    inertia: [0.004, 0.005, 0.006]\n"
      "    position: [0.011, %.17g, 0]\n    shape: {%s}\n"
      "    orientation: {axis: [0, 0, 1], angle: 0.05}\n"
      "    initial: {velocity: [0.3, -0.2, 0], angular_velocity: [0, 0, 0.7]}\n"
      "joints: {keep: {type: planar, bodies: [ground, mover], at: [0, 0, "
      "0], axis: z}}\n"
      "contacts: {touch: {bodies: [ground, mover], joined: true, %s%s}}\n";
  return snprintf(yaml, room, pairs[pair].is_planar ? plane : space, pairs[pair].ground,
                  pairs[pair].height, pairs[pair].mover, laws[law], frictions[friction]);
}

static hn_model *make(int pair, int law, int friction) {
  char yaml[2048];
  const int size = write_model(pair, law, friction, yaml, sizeof yaml);
  hn_model *model = NULL;
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  assert_true(size < (int)sizeof yaml);
  if (hn_model_load_text(yaml, (size_t)size, pairs[pair].name, &load, &model, &error) != HN_OK)
    fail_msg("%s: %s: %s\n%s", pairs[pair].name, error.element, error.message, yaml);
  return model;
}

static hn_simulation *begin(const hn_model *model, const char *const names[4], double tol,
                            double step, hn_error *error) {
  hn_simulation_options o = hn_default_simulation_options();
  hn_simulation *s = NULL;
  o.coordinates = names[0];
  o.method = names[1];
  o.formula = names[2];
  o.independent = names[3];
  o.tol = tol;
  o.step = step;
  return hn_simulation_create(model, &o, &s, error) == HN_OK ? s : NULL;
}

// ---- derivatives ----------------------------------------------------------------------------------

// States of the motion at which the contact acts. Returns how many.
static int audit(int pair, int law, int friction, const char *coordinates) {
  hn_model *model = make(pair, law, friction);
  hn_error error = {0};
  const char *const names[4] = {coordinates, "first-order", "dopri5", NULL};
  hn_simulation *s = begin(model, names, 1e-5, 0, &error);
  int pressed = 0;
  if (!s) fail_msg("%s, %s: %s", pairs[pair].name, coordinates, error.message);
  for (int k = 0; k < 3; k++) {
    hn_audit_finding found[4];
    long checked = 0;
    double force = 0;
    check_ok(hn_simulation_advance(s, 1e-3 * (k + 1)));
    check_ok(hn_simulation_value(s, "contact.touch.force", &force));
    pressed += force > 0;
    if (hn_simulation_audit(s, found, 4, &checked) != 0)
      fail_msg("%s, %s, %s%s: %s: %s", pairs[pair].name, coordinates, laws[law],
               frictions[friction], found[0].element, found[0].what);
    assert_true(checked > 0);
  }
  hn_simulation_free(s);
  hn_model_free(model);
  return pressed;
}

static void derivatives_of_all_laws_frictions_and_shapes_are_exact(void **state) {
  (void)state;
  static const char *const coordinates[] = {"cartesian", "relative", "natural"};
  const int is_whole = getenv("HOLON_SWEEP") != NULL;
  for (int p = 0; p < PAIRS; p++)
    for (int l = 0; l < LAWS; l++)
      for (int f = 0; f < FRICTIONS; f++)
        for (int c = 0; c < 3; c++)
          // one set of coordinates each; all by HOLON_SWEEP (make test-long)
          if ((is_whole || c == (p + l + f) % 3) && audit(p, l, f, coordinates[c]) == 0)
            fail_msg("%s, %s%s: does not touch", pairs[p].name, laws[l], frictions[f]);
}

// ---- motions --------------------------------------------------------------------------------------

typedef struct ending {
  double x, z, turn, loss;
} ending;

static ending end_of(hn_simulation *s) {
  ending e;
  check_ok(hn_simulation_value(s, "body.mover.position.x", &e.x));
  check_ok(hn_simulation_value(s, "body.mover.position.z", &e.z));
  check_ok(hn_simulation_value(s, "body.mover.angular_velocity.y", &e.turn));
  check_ok(hn_simulation_value(s, "energy.balance", &e.loss));
  return e;
}

#define STEP 5e-5

// s; of make test, and of HOLON_SWEEP (make test-long)
static double end_time(void) { return getenv("HOLON_SWEEP") ? 0.02 : 0.01; }

// The largest error of a run: of positions, and a thousandth of a speed, over 1 m.
static double error_of(const hn_model *model, const char *const names[4], double step,
                       const ending *exact) {
  hn_error error = {0};
  hn_simulation *s = begin(model, names, 1e-8, step, &error);
  if (!s) fail_msg("%s %s %s %s: %s", names[0], names[1], names[2], names[3], error.message);
  if (hn_simulation_advance(s, end_time()) != HN_OK)
    fail_msg("%s %s %s %s: %s", names[0], names[1], names[2], names[3],
             hn_simulation_error(s)->message);
  const ending e = end_of(s);
  hn_simulation_free(s);
  if (fabs(e.loss) > (step > 0 ? 1e-3 : 1e-4))
    fail_msg("%s %s %s %s: balance %g J", names[0], names[1], names[2], names[3], e.loss);
  return fmax(fmax(fabs(e.x - exact->x), fabs(e.z - exact->z)), 1e-3 * fabs(e.turn - exact->turn));
}

// Runs one combination. Methods of a fixed step come nearer with a quarter of it.
static void compare(const hn_model *model, const char *const names[4], const ending *exact) {
  const int is_fixed = strncmp(names[1], "augmented", 9) == 0;
  const double error = error_of(model, names, is_fixed ? STEP : 0, exact);
  if (!is_fixed && error > 1e-6)
    fail_msg("%s %s %s %s: off by %g", names[0], names[1], names[2], names[3], error);
  if (!is_fixed) return;
  const double fine = error_of(model, names, 0.25 * STEP, exact);
  if (fine > 1e-5 || fine > 0.5 * error + 1e-7)
    fail_msg("%s %s %s %s: off by %g, with a quarter of the step by %g", names[0], names[1],
             names[2], names[3], error, fine);
}

// Those with an odd or an even number, or all (step 1).
static int compare_all(const hn_model *model, int first_one, int step) {
  const char *const first[4] = {"cartesian", "first-order", "dopri5", NULL};
  hn_error error = {0};
  int found = 0, number = 0;
  hn_simulation *s = begin(model, first, 1e-12, 0, &error);
  if (!s) fail_msg("%s", error.message);
  check_ok(hn_simulation_advance(s, end_time()));
  const ending exact = end_of(s);
  hn_simulation_free(s);
  for (int c = 0; hn_list_coordinates(c); c++)
    for (int m = 0; hn_list_methods(m); m++)
      for (int f = 0; hn_list_formulas(f); f++)
        for (int i = 0; hn_list_independent(i); i++) {
          const char *const names[4] = {hn_list_coordinates(c), hn_list_methods(m),
                                        hn_list_formulas(f), hn_list_independent(i)};
          if (hn_combination_is_built(names[0], names[1], names[2], names[3], NULL) &&
              number++ % step == first_one) {
            compare(model, names, &exact);
            found++;
          }
        }
  return found;
}

static void every_combination_ends_alike(void **state) {
  (void)state;
  // one machine each, both by HOLON_SWEEP (make test-long)
  static const int machines[][3] = {{0, 2, 2}, {3, 3, 3}};
  const int step = getenv("HOLON_SWEEP") ? 1 : 2;
  for (int k = 0; k < 2; k++) {
    hn_model *model = make(machines[k][0], machines[k][1], machines[k][2]);
    assert_true(compare_all(model, k % step, step) >= 60 / step);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivatives_of_all_laws_frictions_and_shapes_are_exact),
      cmocka_unit_test(every_combination_ends_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
