// Constraints with conditions in one set of coordinates against another, which shares neither its
// equations nor its linear algebra: motion of all bodies and reactions of all joints, of models with
// contact, rolling, knife edges, stops, dry friction and conditional joints.
#include <stdio.h>
#include <stdlib.h>

#include "contact/contact_machine.h"
#include "holon/load.h"
#include "holon/verify.h"

enum { MOMENTS = 7 };

static hn_simulation *simulate(const hn_model *model, const char *coordinates) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = "first-order";
  options.tol = 1e-10;
  if (hn_simulation_create(model, &options, &s, &error) != HN_OK)
    fail_msg("%s: %s %s", coordinates, error.element, error.message);
  return s;
}

static int is_compared(const char *name, const unsigned char *moves, int index, int has_reactions) {
  return moves[index] || (has_reactions && strstr(name, ".reaction."));
}

// The largest difference of signals, relative to 1 + the largest of their kind; *worst: its signal.
static double difference(hn_simulation *a, hn_simulation *b, const unsigned char *moves,
                         int has_reactions, int *worst) {
  const int count = hn_simulation_signal_count(a);
  double most = 0, force = 1;
  for (int k = 0; k < count; k++)
    if (!moves[k] && is_compared(hn_simulation_signal_name(a, k), moves, k, has_reactions))
      force = fmax(force, fabs(hn_simulation_signal(a, k)));
  for (int k = 0; k < count; k++) {
    const char *name = hn_simulation_signal_name(a, k);
    if (!is_compared(name, moves, k, has_reactions)) continue;
    const double x = hn_simulation_signal(a, k), y = hn_simulation_signal(b, k);
    const double gap = hn_signal_gap(hn_simulation_signal_same(a, k), x, y);
    const double size = moves[k] ? 1 + fabs(x) : force;
    if (gap / size <= most) continue;
    most = gap / size;
    *worst = k;
  }
  return most;
}

static void compare(const char *name, double end, double tolerance, int has_reactions,
                    const char *coordinates) {
  char path[512];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(path, sizeof path, "%s/models/contact/%s.yaml", HOLON_SOURCE_DIR, name);
  if (hn_model_load(path, NULL, &model, &error)) fail_msg("%s: %s", path, error.message);
  hn_simulation *a = simulate(model, "cartesian"), *b = simulate(model, coordinates);
  const int count = hn_simulation_signal_count(a);
  assert_int_equal(hn_simulation_signal_count(b), count);
  int *indices = calloc((size_t)count, sizeof *indices), worst = 0;
  unsigned char *moves = calloc((size_t)count, 1);
  const int moving =
      hn_simulation_compared_signals(a, HN_COMPARE_POSITIONS | HN_COMPARE_VELOCITIES, indices);
  for (int k = 0; k < moving; k++) moves[indices[k]] = 1;
  for (int k = 1; k <= MOMENTS; k++) {
    const double t = end * k / MOMENTS;
    if (hn_simulation_advance(a, t) || hn_simulation_advance(b, t))
      fail_msg("%s: %s %s", name, hn_simulation_error(a)->message, hn_simulation_error(b)->message);
    const double gap = difference(a, b, moves, has_reactions, &worst);
    if (!(gap <= tolerance))
      fail_msg("%s in %s at %g s: %s differs by %.3g: %.17g, %.17g", name, coordinates, t,
               hn_simulation_signal_name(a, worst), gap, hn_simulation_signal(a, worst),
               hn_simulation_signal(b, worst));
  }
  free(indices);
  free(moves);
  hn_simulation_free(a);
  hn_simulation_free(b);
  hn_model_free(model);
}

// Times are ahead of what is sensitive to rounding. Where a loop has redundant constraints, or joints
// on the way to the ground are many, reactions have no unique value.
static const struct {
  const char *name;
  double end, tolerance;
  int has_reactions;
} rows[] = {
    {"ball", 2, 1e-9, 1},          {"billiard", 0.6, 1e-9, 1},
    {"bowl", 1, 1e-7, 1},          {"brake-shoe", 1, 1e-9, 1},
    {"bump-stop", 0.9, 1e-6, 0},   {"cam", 0.15, 1e-7, 1},
    {"cam-roller", 0.15, 1e-7, 1}, {"clearance-four-bar", 0.2, 1e-6, 1},
    {"disk", 1, 1e-8, 1},          {"geneva", 1.5, 1e-6, 1},
    {"gripper", 2, 1e-8, 1},       {"incline", 1, 1e-8, 1},
    {"klein", 1, 1e-8, 1},         {"knife", 3, 1e-7, 1},
    {"ladder", 2, 1e-9, 1},        {"latch", 0.6, 1e-6, 1},
    {"press", 1, 1e-7, 1},         {"ratchet", 1, 1e-7, 1},
    {"rocking", 1, 1e-7, 1},       {"roll", 1, 1e-8, 1},
    {"sleigh", 3, 1e-7, 1},        {"slope", 3, 1e-9, 1},
    {"stick-slip", 3, 1e-7, 1},    {"walls", 3, 1e-8, 1},
    {"woodpecker", 0.5, 1e-6, 1},
};

static void compare_all(const char *coordinates) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    compare(rows[k].name, rows[k].end, rows[k].tolerance, rows[k].has_reactions, coordinates);
}

static void relative_coordinates_move_as_cartesian_ones(void **state) {
  (void)state;
  compare_all("relative");
}

static void natural_coordinates_move_as_cartesian_ones(void **state) {
  (void)state;
  compare_all("natural");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(relative_coordinates_move_as_cartesian_ones),
                                     cmocka_unit_test(natural_coordinates_move_as_cartesian_ones)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
