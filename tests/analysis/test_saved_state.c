// Saved states from files: a state that no run can have written is rejected, even with a right
// checksum, and a simulation that has rejected one continues as before.
#include <float.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/auto_stepping.h"
#include "analysis/saved_state.h"
#include "analysis/simulation_contacts.h"
#include "analysis/simulation_delays.h"
#include "holon/load.h"
#include "support/check.h"

typedef struct rig {
  hn_model *model;
  hn_simulation_options options;
  unsigned char *saved;
  size_t size;
} rig;

static hn_simulation *create(const rig *r) {
  hn_simulation *s = NULL;
  hn_error error = {0};
  if (hn_simulation_create(r->model, &r->options, &s, &error)) fail_msg("%s", error.message);
  return s;
}

static rig set_up_rig(const char *path, const char *method, double step, double time) {
  rig r = {.options = hn_default_simulation_options()};
  r.options.coordinates = "cartesian";
  hn_error error = {0};
  if (hn_model_load(path, NULL, &r.model, &error)) fail_msg("%s", error.message);
  if (method) r.options.method = method;
  r.options.step = step;
  hn_simulation *s = create(&r);
  check_ok(hn_simulation_advance(s, time));
  r.size = hn_simulation_save_size(s);
  r.saved = malloc(r.size);
  check_ok(hn_simulation_save(s, r.saved, r.size));
  hn_simulation_free(s);
  return r;
}

static void tear_down_rig(rig *r) {
  free(r->saved);
  hn_model_free(r->model);
}

static void seal(unsigned char *state, size_t size) {
  hn_saved_header h;
  memcpy(&h, state, sizeof h);
  h.checksum = hn_saved_checksum(state + sizeof h, size - sizeof h);
  memcpy(state, &h, sizeof h);
}

// The state with `size` bytes at `at` changed and its checksum made right.
static void check_refused(const rig *r, size_t at, const void *bytes, size_t size) {
  unsigned char *forged = malloc(r->size);
  memcpy(forged, r->saved, r->size);
  memcpy(forged + at, bytes, size);
  seal(forged, r->size);
  hn_simulation *s = create(r);
  unsigned long long before = hn_simulation_state_hash(s);
  check_status(hn_simulation_restore(s, forged, r->size), HN_ERROR_ARGUMENT);
  assert_true(hn_simulation_state_hash(s) == before);
  check_ok(hn_simulation_step(s, 1));
  check_ok(hn_simulation_restore(s, r->saved, r->size)); // the true one
  check_ok(hn_simulation_step(s, 1));
  hn_simulation_free(s);
  free(forged);
}

// Fields that neither move nor are counted.
static size_t fields_of(const hn_simulation *s, int part, const void *address, size_t *at) {
  const unsigned char *wanted = address;
  for (int k = 0; k < s->arena.state.count; k++) {
    const hn_state_field *f = &s->arena.state.fields[k];
    const unsigned char *begin = f->at;
    if (f->part != part) continue;
    if (wanted >= begin && wanted < begin + f->count * f->item)
      return *at + (size_t)(wanted - begin);
    *at += f->count * f->item;
  }
  return 0;
}

// Where the bytes of a simulation's field are in a state it saves.
static size_t place_of(const hn_simulation *s, const void *address) {
  size_t at = sizeof(hn_saved_header), place = fields_of(s, 0, address, &at);
  at = sizeof(hn_saved_header) + hn_state_size(&s->arena.state, HN_STATE_WHOLE, 0) +
       hn_state_size(&s->arena.state, HN_STATE_WHOLE, hn_delays_part(s));
  if (place == 0) place = fields_of(s, s->method->part, address, &at);
  assert_true(place > 0);
  return place;
}

#define REFUSED(r, member, type, value)                                                            \
  do {                                                                                             \
    hn_simulation *shown = create(r);                                                              \
    const size_t at = place_of(shown, &shown->member);                                             \
    hn_simulation_free(shown);                                                                     \
    check_refused(r, at, &(type){value}, sizeof(type));                                            \
  } while (0)

static void forged_counts_and_choices_are_refused(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/force-joint-stop.yaml", NULL, 0, 0.4);
  REFUSED(&r, certificate.events, long, -4095);
  REFUSED(&r, certificate.events, long, LONG_MAX);
  REFUSED(&r, certificate.steps_accepted, long, -1);
  REFUSED(&r, equations->evaluations, long, LONG_MIN);
  REFUSED(&r, automatic.choice.state, int, 7);
  REFUSED(&r, automatic.choice.next, int, -1);
  REFUSED(&r, automatic.choice.next_wait, long, LONG_MAX);
  REFUSED(&r, automatic.choice.calm, int, INT_MAX);
  REFUSED(&r, equations->redundant_count, int, -3);
  REFUSED(&r, given.is_new, int, 2);
  hn_simulation *s = create(&r);
  const size_t choice = place_of(s, s->certificate.choice);
  hn_simulation_free(s);
  check_refused(&r, choice, "\033[2J", 5);
  char endless[sizeof r.options + 256];
  memset(endless, 'A', sizeof endless);
  check_refused(&r, choice, endless, sizeof((hn_certificate *)0)->choice);
  tear_down_rig(&r);
}

static void forged_numbers_are_refused(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/force-joint-stop.yaml", NULL, 0, 0.4);
  REFUSED(&r, method->t, double, NAN);
  REFUSED(&r, method->work, double, HUGE_VAL);
  REFUSED(&r, stepping.next, double, -1);
  REFUSED(&r, control.last_error, double, NAN);
  REFUSED(&r, certificate.energy_balance, double, -1);
  REFUSED(&r, progress.start, double, NAN);
  REFUSED(&r, progress.attempts, long, -1);
  REFUSED(&r, progress.creeping, int, -1);
  REFUSED(&r, progress.redundant, int, 1000000);
  REFUSED(&r, method->q[0], double, NAN);
  REFUSED(&r, method->qd[0], double, HUGE_VAL);
  REFUSED(&r, lock.base[0], double, NAN);
  REFUSED(&r, branches.force[0].state, int, 5); // a stop has 0 to 4
  REFUSED(&r, branches.force[0].state, int, INT_MIN);
  REFUSED(&r, branches.force[0].time, int, 1);
  tear_down_rig(&r);
}

static void forged_sums_are_refused(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/force-joint-stop.yaml", NULL, 1e-3, 0.1);
  REFUSED(&r, resolution.q[0], double, NAN);
  REFUSED(&r, resolution.square[0], double, -1);
  REFUSED(&r, resolution.has_last, int, 2);
  tear_down_rig(&r);
}

// The rules of a state that were true last, a bit each, follow the states: at most thirty bits.
static void forged_rules_are_refused(void **state) {
  (void)state;
  const char *path = "test_saved_state_rules.yaml";
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("bodies: {m: {mass: 1, inertia: [1, 1, 1]}}\n"
        "joints: {s: {type: translational, bodies: [ground, m], at: [0, 0, 0], axis: x}}\n"
        "states:\n"
        "  on: {when: [[t > 0.05, 1]]}\n"
        "  count: {value: state.count + 1, every: 10 ms}\n",
        file);
  fclose(file);
  rig r = set_up_rig(path, NULL, 0, 0.1);
  hn_simulation *s = create(&r);
  const size_t at = place_of(s, s->samples);
  hn_simulation_free(s);
  double held = 0, count = 0;
  memcpy(&held, r.saved + at, sizeof held);
  memcpy(&count, r.saved + at + sizeof held, sizeof count);
  assert_true(held == 1 && count > 8);
  const double forged[] = {1073741824.0, 1e12, 1e300, -1, NAN};
  for (size_t k = 0; k < sizeof forged / sizeof forged[0]; k++)
    check_refused(&r, at, &forged[k], sizeof(double));
  check_refused(&r, at + sizeof(double), &(double){1e300}, sizeof(double));
  tear_down_rig(&r);
  remove(path);
}

static void a_forged_road_is_refused(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/force-tyre.yaml", NULL, 0, 0.1);
  REFUSED(&r, branches.force[0].state, int, 1 << 30);
  tear_down_rig(&r);
}

// The smallest number above 0 as the next step: time would stand still.
static void a_step_that_does_not_move_time_is_not_taken(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/force-joint-stop.yaml", NULL, 0, 0.4);
  hn_simulation *s = create(&r);
  double denormal = 4.9406564584124654e-324;
  memcpy(r.saved + place_of(s, &s->stepping.next), &denormal, sizeof denormal);
  seal(r.saved, r.size);
  check_ok(hn_simulation_restore(s, r.saved, r.size));
  double t = hn_simulation_time(s);
  check_ok(hn_simulation_step(s, 1));
  assert_true(hn_simulation_time(s) > t);
  check_ok(hn_simulation_advance(s, 0.5));
  hn_simulation_free(s);
  tear_down_rig(&r);
}

static void steps_lost_in_rounding_are_refused(void **state) {
  (void)state;
  rig r = {.options = hn_default_simulation_options()};
  r.options.coordinates = "cartesian";
  hn_error error = {0};
  hn_simulation *s = NULL;
  check_ok(hn_model_load("models/examples/force-joint-stop.yaml", NULL, &r.model, &error));
  r.options.step = 1e-300;
  check_status(hn_simulation_create(r.model, &r.options, &s, &error), HN_ERROR_ARGUMENT);
  r.options.step = 0;
  r.options.max_step = DBL_MIN;
  check_status(hn_simulation_create(r.model, &r.options, &s, &error), HN_ERROR_ARGUMENT);
  r.options.max_step = 0;
  r.options.step = 1e-16; // enough at t = 0, lost at t = 10
  s = create(&r);
  check_ok(hn_simulation_step(s, 1));
  double q[64], qd[64];
  int nq = hn_simulation_coordinate_count(s);
  memcpy(q, hn_simulation_positions(s), (size_t)nq * sizeof *q);
  memcpy(qd, hn_simulation_velocities(s), (size_t)nq * sizeof *qd);
  check_ok(hn_simulation_set_state(s, 10, q, qd));
  check_status(hn_simulation_advance(s, 11), HN_ERROR_STEP_SIZE);
  hn_simulation_free(s);
  tear_down_rig(&r);
}

// Changes a method's data byte by byte and word by word: rejected, or a run that ends with a
// result.
static void whatever_a_method_keeps_does_no_harm(void **state) {
  (void)state;
  static const struct {
    const char *path, *method;
    double step;
  } cases[] = {
      {"models/examples/force-joint-stop.yaml", "augmented-lagrangian-3", 1e-3},
      {"models/examples/force-joint-stop.yaml", "multi-index", 0},
      {"models/examples/force-joint-stop.yaml", "descriptor", 0},
      {"models/iftomm/a01.yaml", NULL, 0},
  };
  static const double numbers[] = {NAN, 1e300, -1, 0, 5e-324};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    rig r = set_up_rig(cases[c].path, cases[c].method, cases[c].step, 0.05);
    hn_simulation *s = create(&r);
    unsigned char *forged = malloc(r.size);
    size_t from = r.size > 4000 ? r.size - 4000 : sizeof(hn_saved_header);
    for (size_t at = from; at + 8 <= r.size; at += 24) {
      for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
        memcpy(forged, r.saved, r.size);
        memcpy(forged + at, &numbers[n], 8);
        seal(forged, r.size);
        const unsigned long long before = hn_simulation_state_hash(s);
        if (hn_simulation_restore(s, forged, r.size) != HN_OK) {
          assert_true(hn_simulation_error(s)->message[0] != 0);
          assert_true(hn_simulation_state_hash(s) == before); // one that is rejected changes
                                                              // nothing
        } else {
          hn_simulation_step(s, 1);
        }
      }
    }
    free(forged);
    hn_simulation_free(s);
    tear_down_rig(&r);
  }
}

static void bytes_after_the_end_are_refused(void **state) {
  (void)state;
  rig r = set_up_rig("models/examples/pendulum.yaml", NULL, 0, 0.1);
  hn_simulation *s = create(&r);
  unsigned char *longer = calloc(r.size + 3, 1);
  memcpy(longer, r.saved, r.size);
  check_status(hn_simulation_restore(s, longer, r.size + 3), HN_ERROR_ARGUMENT);
  check_names(hn_simulation_error(s)->message, "3");
  check_ok(hn_simulation_restore(s, longer, r.size));
  free(longer);
  hn_simulation_free(s);
  tear_down_rig(&r);
}

// A state that was event-driven continues so, even after the run has changed to time stepping.
static void a_restored_run_is_event_driven_again(void **state) {
  (void)state;
  rig r = set_up_rig("models/contact/ball.yaml", NULL, 0, 0.1);
  hn_simulation *s = create(&r), *fresh = create(&r);
  while (s->branches.grips->closed == 0) check_ok(hn_simulation_step(s, 10));
  s->error.status = HN_ERROR_STEP_SIZE;
  assert_true(hn_stepping_takes_over(s));
  check_ok(hn_simulation_step(s, 10));
  assert_int_equal(s->stepping.mode, HN_RUN_TIME_STEPPING);
  check_ok(hn_simulation_restore(s, r.saved, r.size));
  check_ok(hn_simulation_restore(fresh, r.saved, r.size));
  assert_int_equal(s->stepping.mode, HN_RUN_CONTROLLED);
  for (int k = 0; k < 20; k++) {
    check_ok(hn_simulation_step(s, 10));
    check_ok(hn_simulation_step(fresh, 10));
    assert_true(hn_simulation_state_hash(s) == hn_simulation_state_hash(fresh));
  }
  hn_simulation_free(s);
  hn_simulation_free(fresh);
  tear_down_rig(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bytes_after_the_end_are_refused),
      cmocka_unit_test(a_restored_run_is_event_driven_again),
      cmocka_unit_test(forged_counts_and_choices_are_refused),
      cmocka_unit_test(forged_numbers_are_refused),
      cmocka_unit_test(forged_sums_are_refused),
      cmocka_unit_test(forged_rules_are_refused),
      cmocka_unit_test(a_forged_road_is_refused),
      cmocka_unit_test(a_step_that_does_not_move_time_is_not_taken),
      cmocka_unit_test(steps_lost_in_rounding_are_refused),
      cmocka_unit_test(whatever_a_method_keeps_does_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
