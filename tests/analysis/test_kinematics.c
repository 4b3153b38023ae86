// Driven models against closed forms of their geometry.
#include "analysis/kinematics.h"

#include "analysis/assembly.h"
#include "analysis/parts.h"

static const hn_vec3 Z = {0, 0, 1}, X = {1, 0, 0};

enum { CRANK = 1, ROD, RAM };

// Crank 0.1 at angle law(t), rod 0.3, ram along x; drawn straight.
static hn_model *make_slider(const char *law) {
  hn_model *model = begin_model(vec3(0, 0, 0));
  add_body(model, "crank", vec3(0.05, 0, 0));
  add_body(model, "rod", vec3(0.25, 0, 0));
  add_body(model, "ram", vec3(0.4, 0, 0));
  int bearing = add_joint(model, HN_JOINT_REVOLUTE, "bearing", HN_GROUND, CRANK, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "knee", CRANK, ROD, vec3(0.1, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "toggle", ROD, RAM, vec3(0.4, 0, 0), Z);
  add_joint(model, HN_JOINT_TRANSLATIONAL, "rail", HN_GROUND, RAM, vec3(0.4, 0, 0), X);
  if (law) add_driver(model, "motor", bearing, HN_COORDINATE_ANGLE, law);
  return model;
}

static hn_status go(setting *s, double from, double to) {
  hn_kinematics *kinematics = NULL;
  hn_status status = hn_kinematics_solve(&kinematics, s->equations, NULL, from, to, s->q, s->qd,
                                         &s->branches, &s->error);
  hn_kinematics_free(kinematics);
  return status;
}

static void check_slider(setting *s, double angle, double rate) {
  double y = 0.1 * sin(angle), root = sqrt(0.09 - y * y);
  update_frames(s);
  check_near(s->frames[RAM].r.x, 0.1 * cos(angle) + root, 1e-13);
  check_near(s->frames[RAM].v.x, -rate * y * (1 + 0.1 * cos(angle) / root), 1e-12);
  check_near(s->frames[CRANK].w.z, rate, 1e-12);
}

static void a_slider_crank_follows_its_formula(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_slider("7*t + t^2"));
  double before = 0;
  for (int k = 1; k <= 12; k++) {
    double t = 0.3 * k;
    check_ok(go(&s, before, t));
    check_slider(&s, 7 * t + t * t, 7 + 2 * t);
    check_near(coordinate_of(&s, 0, HN_COORDINATE_ANGLE).value, 7 * t + t * t, 1e-12);
    before = t;
  }
  check_ok(go(&s, before, 0.1)); // and back
  check_slider(&s, 0.71, 7.2);
  tear_down(&s);
}

static void many_turns_are_counted_in_one_call(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_slider("20*t"));
  check_ok(go(&s, 0, 5.02));
  check_slider(&s, 100.4, 20);
  check_near(coordinate_of(&s, 0, HN_COORDINATE_ANGLE).value, 100.4, 1e-11);
  tear_down(&s);
}

static void a_freedom_that_is_left_is_named(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_slider(NULL));
  // drawn straight the ram alone is singular too: go to a proper position first
  check_status(go(&s, 0, 1), HN_ERROR_MODEL);
  check_names(s.error.element, "'crank'");
  tear_down(&s);
}

// The ram is driven outwards: at 0.4 the mechanism is stretched and the motion ends.
static void a_position_that_cannot_be_reached_leaves_everything_as_it_was(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, 0, 0));
  int crank = add_body(model, "crank", vec3(0, 0.05, 0)),
      rod = add_body(model, "rod", vec3(0.1, 0.1, 0));
  int ram = add_body(model, "ram", vec3(0.2, 0.1, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "bearing", HN_GROUND, crank, vec3(0, 0, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "knee", crank, rod, vec3(0, 0.1, 0), Z);
  add_joint(model, HN_JOINT_REVOLUTE, "toggle", rod, ram, vec3(0.2, 0.1, 0), Z);
  int rail = add_joint(model, HN_JOINT_TRANSLATIONAL, "rail", HN_GROUND, ram, vec3(0.2, 0.1, 0), X);
  add_driver(model, "push", rail, HN_COORDINATE_DISPLACEMENT, "0.1*t");
  set_up(&s, model);
  double before[21], turns[3];
  memcpy(before, s.q, sizeof before);
  memcpy(turns, s.branches.turns, sizeof turns);
  check_ok(go(&s, 0, 0.5));
  double q_half[21];
  memcpy(q_half, s.q, sizeof q_half);
  check_status(go(&s, 0.5, 3), HN_ERROR_CONVERGENCE);
  check_near_many(s.q, q_half, 21, 0);
  tear_down(&s);
}

// Matrices are made once; a state that was changed in between is taken over.
static void times_in_a_row_take_no_memory(void **state) {
  (void)state;
  setting s;
  hn_counting_memory memory = {.fail_at = 0};
  hn_allocator allocator = hn_counting_allocator(&memory);
  hn_kinematics *kinematics = NULL;
  set_up(&s, make_slider("7*t"));
  check_ok(hn_kinematics_solve(&kinematics, s.equations, &allocator, 0, 0.1, s.q, s.qd, &s.branches,
                               &s.error));
  const long calls = memory.calls;
  for (int k = 2; k <= 12; k++) {
    if (k == 7) memset(s.qd, 0, (size_t)s.equations->nq * sizeof(double));
    check_ok(hn_kinematics_solve(&kinematics, s.equations, &allocator, 0.1 * (k - 1), 0.1 * k, s.q,
                                 s.qd, &s.branches, &s.error));
    check_slider(&s, 0.7 * k, 7);
  }
  assert_int_equal(memory.calls, calls);
  hn_kinematics_free(kinematics);
  assert_int_equal(memory.living, 0);
  tear_down(&s);
}

static void failing_memory_is_reported_and_nothing_leaks(void **state) {
  (void)state;
  setting s;
  set_up(&s, make_slider("1 + t"));
  check_ok(hn_assemble(s.equations, NULL, 0, s.q, s.qd, &s.branches, NULL, &s.error));
  for (long fail_at = 1;; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_kinematics *kinematics = NULL;
    hn_status status = hn_kinematics_solve(&kinematics, s.equations, &allocator, 0, 0.1, s.q, s.qd,
                                           &s.branches, &s.error);
    hn_kinematics_free(kinematics);
    assert_int_equal(memory.living, 0);
    if (status == HN_OK) break;
    assert_int_equal(status, HN_ERROR_MEMORY);
  }
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slider_crank_follows_its_formula),
      cmocka_unit_test(many_turns_are_counted_in_one_call),
      cmocka_unit_test(a_freedom_that_is_left_is_named),
      cmocka_unit_test(a_position_that_cannot_be_reached_leaves_everything_as_it_was),
      cmocka_unit_test(times_in_a_row_take_no_memory),
      cmocka_unit_test(failing_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
