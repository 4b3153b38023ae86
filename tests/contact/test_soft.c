// A slip so slow that its direction is stiff has friction by its law of cones. A foot that a drive
// pushes into the floor has no forces that satisfy it: that is counted and reported.
#include <stdio.h>

#include "analysis/event_sources.h"
#include "analysis/simulation_contacts.h"
#include "contact/contact_machine.h"
#include "holon/load.h"

static const char text[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  slide: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.3],\n"
    "          initial: {velocity: [1e-4, 0, 0]}}\n"
    "  foot: {mass: 1, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.100001],\n"
    "         shape: {sphere: 0.1}}\n"
    "  ground: {shape: {plane: {size: 1}}}\n"
    "joints:\n"
    "  x: {type: translational, bodies: [ground, slide], at: [0, 0, 0.3], axis: x}\n"
    "  z: {type: translational, bodies: [slide, foot], at: [0, 0, 0.1], axis: z}\n"
    "contacts: {floor: {bodies: [ground, foot], friction: 0.3}}\n"
    "%s";

// A step ends with a closed, slowly sliding contact; returns the number of unresolved steps.
static long end_step(const char *drivers, int *warnings) {
  char yaml[1024];
  const int size = snprintf(yaml, sizeof yaml, text, drivers);
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_load_options load = hn_default_load_options();
  hn_simulation_options options = hn_default_simulation_options();
  hn_status status = hn_model_load_text(yaml, (size_t)size, "foot.yaml", &load, &model, &error);
  if (status == HN_OK) status = hn_simulation_create(model, &options, &s, &error);
  if (status != HN_OK) print_error("%s: %s\n", error.element, error.message);
  assert_int_equal(status, HN_OK);
  struct hn_grips *g = s->branches.grips;
  hn_method *m = s->method;
  g->closed = 1;
  g->grip[0] = HN_GRIP_SLIDE;
  g->direction[0] = vec3(1, 0, 0);
  g->soft[0] = 1;
  check_ok(
      s->equations->type->evaluate(s->equations, 0, m->q, m->qd, &s->branches, m->now, &error));
  hn_contacts_source.note(s);
  const hn_certificate c = hn_simulation_certificate(s);
  assert_true((c.contacts_unresolved > 0) == (c.contact_residual > 1e-8));
  *warnings = hn_simulation_warning_count(s);
  hn_simulation_free(s);
  hn_model_free(model);
  return c.contacts_unresolved;
}

static void slow_slips_without_solution_are_counted(void **state) {
  (void)state;
  int before, after;
  assert_int_equal(end_step("", &before), 0); // its weight alone
  assert_int_equal(end_step("drivers: {push: {joint: z, motion: -t^2}}\n", &after), 1);
  assert_int_equal(after, before + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slow_slips_without_solution_are_counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
