// Rank of loops: of rings of any length, and special configurations in natural coordinates.
#include <stdio.h>
#include <string.h>

#include "analysis/simulation.h"
#include "holon/load.h"
#include "support/check.h"

static const char *const SETS[] = {"cartesian", "relative", "natural"};

static hn_simulation *start(const char *yaml, const char *coordinates, hn_model **model) {
  hn_simulation_options options = hn_default_simulation_options();
  hn_simulation *simulation = NULL;
  options.coordinates = coordinates;
  options.method = "first-order";
  options.formula = "dopri5";
  options.tol = 1e-6;
  check_ok(hn_model_load_text(yaml, strlen(yaml), "text.yaml", NULL, model, NULL));
  check_ok(hn_simulation_create(*model, &options, &simulation, NULL));
  return simulation;
}

// N links in a plane, which revolute joints close in space: 3 rows of one joint say what others say. In
// natural coordinates sharing covers all of them but one.
static void a_ring_has_the_same_redundant_rows_at_every_length(void **state) {
  (void)state;
  const int lengths[] = {40, 110, 240};
  for (int i = 0; i < 3; i++)
    for (int k = 1; k < 3; k++) {
      char text[2048];
      snprintf(
          text, sizeof text,
          "parameters: {N: %d}\n"
          "bodies:\n"
          "  \"link{i}\":\n"
          "    repeat: {i: [0, N - 1]}\n"
          "    mass: 0.01\n"
          "    position: [cos(pi/N)*cos(2*pi*(i + 0.5)/N), cos(pi/N)*sin(2*pi*(i + 0.5)/N), 0]\n"
          "    orientation: {axis: z, angle: 2*pi*(i + 0.5)/N + pi/2}\n"
          "    inertia: [1e-9, 0.01*(2*sin(pi/N))^2/12, 0.01*(2*sin(pi/N))^2/12]\n"
          "    initial: {angular_velocity: [0, 0, 3],\n"
          "              velocity: [-3*cos(pi/N)*sin(2*pi*(i + 0.5)/N),\n"
          "                         3*cos(pi/N)*cos(2*pi*(i + 0.5)/N), 0]}\n"
          "joints:\n"
          "  \"pin{i}\":\n"
          "    repeat: {i: [0, N - 1]}\n"
          "    type: revolute\n"
          "    bodies: [\"link{mod(i + N - 1, N)}\", \"link{i}\"]\n"
          "    at: [cos(2*pi*i/N), sin(2*pi*i/N), 0]\n"
          "    axis: z\n",
          lengths[i]);
      hn_model *model;
      hn_simulation *s = start(text, SETS[k], &model);
      assert_int_equal(s->equations->redundant_count, k == 2 ? 1 : 3);
      assert_int_equal(s->equations->near_singular, 0);
      hn_simulation_free(s);
      hn_model_free(model);
    }
}

// The constraint equations of a screw depend on others in natural coordinates where both bodies are
// drawn alike, and only there; the model is in no singular configuration.
static void a_screw_begins_in_no_singular_position(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    hn_model *model;
    hn_simulation *s =
        start("gravity: [0, 0, -9.81]\n"
              "bodies:\n"
              "  C: {mass: 1.5, center: [1, 0, 0], inertia: [0.01, 0.01, 0.012]}\n"
              "  N: {mass: 4, center: [1, 0, 0.2], inertia: [0.02, 0.02, 0.02]}\n"
              "joints:\n"
              "  c: {type: revolute, bodies: [ground, C], at: [1, 0, 0], axis: z}\n"
              "  g: {type: translational, bodies: [ground, N], at: [1, 0, 0.2], axis: z}\n"
              "  t: {type: screw, bodies: [C, N], at: [1, 0, 0.1], axis: z, pitch: 0.02}\n",
              SETS[k], &model);
    check_ok(hn_simulation_advance(s, 1));
    assert_int_equal(hn_simulation_warning_count(s), 0);
    // along the thread: a = m g / (m + J (2 pi / p)^2)
    double a =
        4 * 9.81 / (4 + 0.012 * (2 * 3.14159265358979 / 0.02) * (2 * 3.14159265358979 / 0.02));
    double z = 0;
    check_ok(hn_simulation_value(s, "joint.g.displacement", &z));
    check_near(z, -0.5 * a, 1e-3 * a);
    hn_simulation_free(s);
    hn_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ring_has_the_same_redundant_rows_at_every_length),
      cmocka_unit_test(a_screw_begins_in_no_singular_position),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
