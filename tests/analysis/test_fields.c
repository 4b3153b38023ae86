// Fields of the state by name: all can be read and set, impossible numbers are rejected, and what has
// all fields of another continues like it.
#include "analysis/simulation.h"
#include "holon/load.h"
#include "support/check.h"

#include <math.h>

static hn_simulation *create(const hn_model *model) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  hn_simulation_options options = hn_default_simulation_options();
  if (hn_simulation_create(model, &options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

static hn_model *load(const char *path) {
  hn_model *model = NULL;
  hn_error error = {0};
  if (hn_model_load(path, NULL, &model, &error)) fail_msg("%s: %s", path, error.message);
  return model;
}

static int find(const hn_simulation *s, const char *name) {
  for (int k = 0; k < hn_simulation_field_count(s); k++)
    if (strcmp(hn_simulation_field(s, k).name, name) == 0) return k;
  fail_msg("there is no field '%s'", name);
  return -1;
}

enum { MOST = 4096 };

static void pass_all(const hn_simulation *from, hn_simulation *to) {
  static double values[MOST];
  assert_int_equal(hn_simulation_field_count(to), hn_simulation_field_count(from));
  for (int round = 0; round < 2; round++) // some follow from others where a run starts
    for (int k = 0; k < hn_simulation_field_count(from); k++) {
      const hn_field_info field = hn_simulation_field(from, k);
      assert_in_range(field.count, 1, MOST);
      assert_string_equal(hn_simulation_field(to, k).name, field.name);
      check_ok(hn_simulation_read_field(from, k, values));
      check_ok(hn_simulation_set_field(to, k, values));
    }
}

// As a copy of the state, which starts a run there, too.
static void all_fields_make_the_same_state(void **state) {
  (void)state;
  const char *const paths[] = {"models/control/servo-excavator.yaml",
                               "models/control/sampled-motor.yaml", "tests/data/saving/relay.yaml",
                               "tests/data/saving/tyres.yaml"};
  for (size_t m = 0; m < sizeof paths / sizeof *paths; m++) {
    hn_model *model = load(paths[m]);
    hn_simulation *from = create(model), *by_fields = create(model), *copy = create(model);
    check_ok(hn_simulation_advance(from, 0.05));
    check_ok(hn_simulation_copy_state(copy, from, NULL));
    pass_all(from, by_fields);
    for (int k = 0; k < 20; k++) {
      check_ok(hn_simulation_step(copy, 10));
      check_ok(hn_simulation_step(by_fields, 10));
      if (hn_simulation_state_hash(copy) != hn_simulation_state_hash(by_fields))
        fail_msg("%s: other bits after step %d", paths[m], k + 1);
    }
    hn_simulation_free(from);
    hn_simulation_free(by_fields);
    hn_simulation_free(copy);
    hn_model_free(model);
  }
}

static void impossible_numbers_change_nothing(void **state) {
  (void)state;
  hn_model *model = load("models/contact/latch.yaml");
  hn_simulation *s = create(model);
  static double values[MOST];
  const struct {
    const char *name;
    double value;
  } wrong[] = {{"position", NAN},
               {"position", HUGE_VAL},
               {"contact mode of point", 17},
               {"contact mode of point", 0.5},
               {"feature of pair", 1e6},
               {"changes of contacts in a row", -1}};
  check_ok(hn_simulation_advance(s, 0.02));
  const unsigned long long before = hn_simulation_state_hash(s);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const int index = find(s, wrong[k].name);
    check_ok(hn_simulation_read_field(s, index, values));
    values[0] = wrong[k].value;
    check_status(hn_simulation_set_field(s, index, values), HN_ERROR_ARGUMENT);
    assert_true(hn_simulation_error(s)->message[0] != 0);
    assert_true(hn_simulation_state_hash(s) == before);
  }
  check_status(hn_simulation_set_field(s, -1, values), HN_ERROR_ARGUMENT);
  check_status(hn_simulation_read_field(s, 1000, values), HN_ERROR_ARGUMENT);
  assert_null(hn_simulation_field(s, 1000).name);
  check_ok(hn_simulation_step(s, 1));
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_fields_make_the_same_state),
      cmocka_unit_test(impossible_numbers_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
