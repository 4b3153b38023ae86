// Method multi-index: steps limited by the energy invariant, the index by the step, in all
// coordinates, with dampers, tyres and drivers; restarted, rejected if not applicable.
#include "analysis/saved_state.h"
#include "machines/machine.h"
#include "support/machines.h"

static hn_simulation_options make_options(const char *coordinates, double tol) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = coordinates;
  options.method = "multi-index";
  options.tol = tol;
  return options;
}

static hn_model *load(const char *path) {
  char file[1024];
  hn_model *model = NULL;
  hn_error error = {0};
  snprintf(file, sizeof file, "%s/models/%s", HOLON_SOURCE_DIR, path);
  if (hn_model_load(file, NULL, &model, &error)) machine_stop(path, &error);
  return model;
}

static hn_simulation *start(const hn_model *model, const hn_simulation_options *options) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(model, options, &s, &error)) machine_stop("start", &error);
  return s;
}

static double invariant(const hn_simulation *s) {
  const hn_method *m = s->method;
  return m->now->kinetic + m->now->potential - m->work;
}

static const char *const coordinate_sets[] = {"natural", "cartesian", "relative"};

// No step changes Pi by more than the tolerance times the largest energy, and most of them by far more
// than a thousandth of that.
static void each_step_keeps_the_invariant_within_its_bound(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  for (int c = 0; c < 3; c++) {
    hn_simulation_options options = make_options(coordinate_sets[c], 1e-6);
    hn_simulation *s = start(model, &options);
    double largest = 0, last = invariant(s), v0 = s->method->now->potential;
    int steps = 0, used = 0;
    while (hn_simulation_time(s) < 3) {
      check_ok(hn_simulation_step(s, 3));
      double now = invariant(s), change = fabs(now - last);
      largest = fmax(largest, s->method->now->kinetic + fabs(s->method->now->potential - v0));
      check_at_most(change, 1e-6 * largest * (1 + 1e-9) + 1e-13);
      used += change > 1e-9 * largest;
      steps++;
      last = now;
    }
    assert_true(used > steps / 2);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void a_smaller_tolerance_keeps_more_of_the_energy(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  for (int c = 0; c < 3; c++) {
    double balance[3];
    for (int k = 0; k < 3; k++) {
      hn_simulation_options options = make_options(coordinate_sets[c], pow(10, -4 - 2 * k));
      hn_simulation *s = start(model, &options);
      check_ok(hn_simulation_advance(s, 2));
      balance[k] = hn_simulation_certificate(s).energy_balance;
      hn_simulation_free(s);
    }
    assert_true(balance[1] < balance[0] / 5 && balance[2] < balance[1] / 5);
  }
  hn_model_free(model);
}

// The trapezoidal rule keeps the energy of a linear oscillator at any step: only the guard of positions
// sees that the step is too long. x = 0.1 cos 10 t.
static void a_linear_oscillator_keeps_its_phase(void **state) {
  (void)state;
  hn_model *model = hn_make_oscillator(100, 0, 0.1);
  for (int c = 0; c < 3; c++) {
    hn_simulation_options options = make_options(coordinate_sets[c], 1e-7);
    hn_simulation *s = start(model, &options);
    check_ok(hn_simulation_advance(s, 1));
    check_near(s->method->now->frames[1].r.z, 0.1 * cos(10), 3e-4);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

// The paper's pendulum has lengths of 1 m under gravity: its 1e-4 s, within a factor of two.
static void short_steps_are_of_index_1_and_long_ones_of_index_3(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  hn_simulation_options options = make_options("natural", 1e-6);
  hn_simulation *s = start(model, &options);
  check_ok(hn_simulation_step(s, 10));
  assert_int_equal(s->method->index, 3);
  check_ok(hn_simulation_step(s, hn_simulation_time(s) + 4e-5));
  assert_int_equal(s->method->index, 1);
  check_ok(hn_simulation_step(s, hn_simulation_time(s) + 2e-4));
  assert_int_equal(s->method->index, 3);
  assert_int_equal(hn_simulation_certificate(s).steps_of_index_1, 1);
  hn_simulation_free(s);
  options.switch_step = 1; // by choice: always index 1
  s = start(model, &options);
  for (int k = 0; k < 100; k++) {
    check_ok(hn_simulation_step(s, 10));
    assert_int_equal(s->method->index, 1);
  }
  hn_simulation_free(s);
  hn_model_free(model);
}

// Changing the index to and fro, in a saved run as in the one that continues from it.
static void a_restored_run_goes_on_bit_for_bit(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  for (int k = 0; k < 2; k++) {
    hn_simulation_options options = make_options("natural", 1e-7);
    options.switch_step = k ? 1e-3 : 0;
    hn_simulation *a = start(model, &options), *b = start(model, &options);
    check_ok(hn_simulation_advance(a, 1));
    size_t size = hn_simulation_save_size(a);
    unsigned char *saved = malloc(size);
    check_ok(hn_simulation_save(a, saved, size));
    check_ok(hn_simulation_restore(b, saved, size));
    check_ok(hn_simulation_advance(a, 2));
    check_ok(hn_simulation_advance(b, 2));
    assert_true(hn_simulation_state_hash(a) == hn_simulation_state_hash(b));
    assert_int_equal(hn_simulation_certificate(a).steps_accepted,
                     hn_simulation_certificate(b).steps_accepted);
    free(saved);
    hn_simulation_free(a);
    hn_simulation_free(b);
  }
  hn_model_free(model);
}

// Where the index at work is in a saved state.
static size_t place_of_index(const hn_simulation *s) {
  const hn_state *state = &s->arena.state;
  size_t at = sizeof(hn_saved_header) + hn_state_size(state, HN_STATE_WHOLE, 0);
  for (int k = 0; k < state->count; k++) {
    const hn_state_field *f = &state->fields[k];
    if (f->part != s->method->part) continue;
    if (strcmp(f->name, "the index at work") == 0) return at;
    at += f->count * f->item;
  }
  return 0;
}

static void saved_state_with_an_unknown_index_is_refused(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  hn_simulation_options options = make_options("natural", 1e-6);
  hn_simulation *s = start(model, &options);
  check_ok(hn_simulation_step(s, 10));
  const size_t size = hn_simulation_save_size(s), at = place_of_index(s);
  unsigned char *saved = malloc(size);
  hn_saved_header header;
  assert_true(at > 0);
  check_ok(hn_simulation_save(s, saved, size));
  static const int index[] = {2, -1, 1000000, 1};
  for (int k = 0; k < 4; k++) {
    memcpy(saved + at, &index[k], sizeof(int));
    memcpy(&header, saved, sizeof header);
    header.checksum = hn_saved_checksum(saved + sizeof header, size - sizeof header);
    memcpy(saved, &header, sizeof header);
    check_status(hn_simulation_restore(s, saved, size), index[k] == 1 ? HN_OK : HN_ERROR_ARGUMENT);
    assert_int_equal(s->method->index, index[k] == 1 ? 1 : 3);
  }
  free(saved);
  hn_simulation_free(s);
  hn_model_free(model);
}

// The suspension of the paper with its bounds: damper, leaf spring and a tyre over a bump. As near to
// the motion as index 1 at 0.5 ms, which changes Pi by 0.012 J, in a quarter of its steps.
static void the_suspension_needs_a_quarter_of_the_steps_of_index_1(void **state) {
  (void)state;
  hn_model *model = load("iltis/front-suspension.yaml");
  hn_simulation_options exact = hn_default_simulation_options();
  exact.coordinates = "cartesian";
  exact.tol = 1e-9;
  hn_simulation *reference = start(model, &exact);
  hn_simulation_options options = make_options("natural", 0);
  options.energy_upper = 2.65e-5;
  options.energy_lower = 1e-7;
  options.switch_step = 1e-4;
  options.first_step = 1e-3;
  hn_simulation *s = start(model, &options);
  for (int k = 1; k <= 60; k++) {
    double z, expected;
    while (hn_simulation_time(s) < 0.1 * k) check_ok(hn_simulation_step(s, 6));
    check_ok(hn_simulation_look_at(s, 0.1 * k));
    check_ok(hn_simulation_value(s, "wheel.z", &z));
    check_ok(hn_simulation_advance(reference, 0.1 * k));
    check_ok(hn_simulation_value(reference, "wheel.z", &expected));
    check_near(z, expected, 1e-5);
  }
  hn_certificate c = hn_simulation_certificate(s);
  check_at_most(c.energy_balance, 0.012);
  assert_true(c.steps_accepted + c.steps_rejected < 3000);
  hn_simulation_free(s);
  hn_simulation_free(reference);
  hn_model_free(model);
}

// A step is long where nothing happens: at rest it grows to its limit.
static void steps_grow_where_nothing_moves(void **state) {
  (void)state;
  hn_model *model = load("iltis/front-suspension.yaml");
  hn_simulation_options options = make_options("natural", 1e-5);
  hn_simulation *s = start(model, &options);
  check_ok(hn_simulation_advance(s, 2.5)); // the bump comes at 3 s
  long before = hn_simulation_certificate(s).steps_accepted;
  check_ok(hn_simulation_advance(s, 2.9));
  assert_true(hn_simulation_certificate(s).steps_accepted - before < 60);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void a_fixed_step_is_refused(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation_options options = make_options("natural", 0);
  hn_simulation *s = NULL;
  hn_error error = {0};
  options.step = 1e-3;
  check_status(hn_simulation_create(model, &options, &s, &error), HN_ERROR_UNSUPPORTED);
  check_names(error.message, "multi-index");
  check_names(error.hint, "augmented-lagrangian-3");
  hn_model_free(model);
}

static void a_step_asks_for_no_memory(void **state) {
  (void)state;
  hn_model *model = load("cardenal/double-pendulum.yaml");
  hn_counting_memory memory = {0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_simulation_options options = make_options("natural", 1e-7);
  options.switch_step = 1e-3;
  options.allocator = &allocator;
  hn_simulation *s = start(model, &options);
  long before = memory.calls;
  for (int k = 0; k < 1000; k++) check_ok(hn_simulation_step(s, 1e9));
  assert_int_equal(memory.calls, before);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_step_keeps_the_invariant_within_its_bound),
      cmocka_unit_test(a_smaller_tolerance_keeps_more_of_the_energy),
      cmocka_unit_test(a_linear_oscillator_keeps_its_phase),
      cmocka_unit_test(short_steps_are_of_index_1_and_long_ones_of_index_3),
      cmocka_unit_test(a_restored_run_goes_on_bit_for_bit),
      cmocka_unit_test(saved_state_with_an_unknown_index_is_refused),
      cmocka_unit_test(the_suspension_needs_a_quarter_of_the_steps_of_index_1),
      cmocka_unit_test(steps_grow_where_nothing_moves),
      cmocka_unit_test(a_fixed_step_is_refused),
      cmocka_unit_test(a_step_asks_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
