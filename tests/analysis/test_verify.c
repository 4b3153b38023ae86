// verify: trials on a grid, formulations that agree and that do not, wrong derivatives, signals
// that need not agree, sensitive models.
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "holon/holon.h"
#include "support/machines.h"

// ---- a force with faults ------------------------------------------------------------------------

typedef enum fault { RIGHT, WRONG_DERIVATIVE, WRONG_DAMPING, WRONG_VALUE } fault;

typedef struct spring {
  double stiffness, damping;
  fault fault;
  int is_asked; // derivatives were asked for since the time was 0
} spring;

// A spring and damper along z on body 2, written by hand. WRONG_VALUE pushes otherwise once derivatives
// were asked for in a run: only formulations that ask for them see it.
static hn_status push(void *context, double time, const hn_body_motion body[2], hn_wrench wrench[2],
                      double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  spring *s = context;
  if (time == 0) s->is_asked = 0;
  if (d_pose) s->is_asked = 1;
  (void)d_time;
  double k = s->stiffness, c = s->damping;
  if (s->fault == WRONG_VALUE && s->is_asked) k *= 1.05;
  wrench[1].force.z = -k * body[1].position.z - c * body[1].velocity.z;
  if (!d_pose) return HN_OK;
  d_pose[8][8] = s->fault == WRONG_DERIVATIVE ? -1.2 * k : -k;
  d_velocity[8][8] = s->fault == WRONG_DAMPING ? 0 : -c;
  return HN_OK;
}

// A mass of 1 kg guided along z.
static hn_model *make_oscillator(spring *law) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def mass = hn_default_body();
  int id = 0;
  mass.name = "mass";
  mass.position = (hn_vec3){0, 0, 0.1};
  check_ok(hn_model_add_body(model, &mass, &id));
  hn_joint_def guide = hn_default_joint(HN_JOINT_TRANSLATIONAL);
  guide.name = "guide";
  guide.frame1 = hn_model_frame(model, HN_GROUND, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  guide.frame2 = hn_model_frame(model, id, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  check_ok(hn_model_add_joint(model, &guide, NULL));
  hn_force_def force = hn_default_force(HN_FORCE_USER);
  force.name = "handmade";
  force.frame1.body = HN_GROUND;
  force.frame2.body = id;
  force.user = (hn_user_force){push, law, 1, 0};
  check_ok(hn_model_add_force(model, &force, NULL));
  check_ok(hn_model_finish(model));
  return model;
}

static int is_unaudited; // the next ones

static hn_verify *verify(const hn_model *model, double time, const char *signal) {
  hn_verify_options options = hn_default_verify_options();
  hn_error error = {0};
  hn_verify *report = NULL;
  options.without_audit = is_unaudited;
  options.fixed = 0; // has tests of its own
  options.time = time;
  options.budget = 60; // of CPU time: enough for slow builds
  options.rows = 51;
  options.signals = &signal;
  options.signal_count = signal ? 1 : 0;
  if (hn_verify_model(model, &options, &report, &error) != HN_OK) fail_msg("%s", error.message);
  return report;
}

// ---- formulations -------------------------------------------------------------------------------

static void every_formulation_is_built_and_listed_once(void **state) {
  (void)state;
  hn_formulation f, g;
  int count = 0;
  for (; hn_list_formulation(count, &f); count++) {
    assert_true(hn_combination_is_built(f.coordinates, f.method, f.formula, f.independent, NULL));
    assert_int_equal(hn_formulation_distance(&f, &f), 0);
    for (int k = 0; k < count; k++) {
      assert_true(hn_list_formulation(k, &g));
      assert_true(hn_formulation_distance(&f, &g) > 0);
    }
  }
  assert_true(count > 20);
}

// ---- trials -------------------------------------------------------------------------------------

// x = 0.1 cos(t) of a spring of 1 N/m.
static void a_trial_records_the_motion_on_its_grid(void **state) {
  (void)state;
  spring law = {1, 0, RIGHT, 0};
  hn_model *model = make_oscillator(&law);
  const char *signals[] = {"body.mass.position.z", "body.mass.velocity.z"};
  hn_trial_plan plan = {.time = 2, .rows = 11, .signals = signals, .signal_count = 2};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.tol = 1e-9;
  hn_trial trial;
  check_ok(hn_trial_run(model, &options, &plan, &trial));
  assert_int_equal(trial.rows, 11);
  for (int row = 0; row < 11; row++) {
    double t = hn_trial_grid_time(&plan, row);
    check_near(t, 0.2 * row, 1e-15);
    check_near(trial.values[2 * row], 0.1 * cos(t), 1e-8);
    check_near(trial.values[2 * row + 1], -0.1 * sin(t), 1e-8);
  }
  assert_string_equal(trial.formulation.coordinates, "cartesian");
  hn_trial_free(&trial, NULL);
  hn_model_free(model);
}

static int stop_after_a_second(void *context, double time) {
  (*(int *)context)++;
  return time < 1;
}

static void a_trial_keeps_what_it_had_when_it_was_stopped(void **state) {
  (void)state;
  spring law = {1, 0, RIGHT, 0};
  hn_model *model = make_oscillator(&law);
  const char *signals[] = {"body.mass.position.z"};
  int asked = 0;
  hn_trial_plan plan = {.time = 2,
                        .rows = 201,
                        .signals = signals,
                        .signal_count = 1,
                        .go_on = stop_after_a_second,
                        .context = &asked};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  options.step = 0.01;
  hn_trial trial;
  check_status(hn_trial_run(model, &options, &plan, &trial), HN_ERROR_INTERRUPTED);
  assert_int_equal(trial.rows, asked + 1);
  assert_true(trial.rows > 99 && trial.rows < 104);
  check_near(trial.values[50], 0.1 * cos(0.5), 1e-8);
  hn_trial_free(&trial, NULL);
  hn_model_free(model);
}

static void a_trial_refuses_more_memory_than_it_may_take(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_trial_plan plan = {.time = 1, .rows = 2, .memory = 1000};
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_trial trial;
  check_status(hn_trial_run(model, &options, &plan, &trial), HN_ERROR_MEMORY);
  hn_trial_free(&trial, NULL);
  hn_model_free(model);
}

// ---- agreement ----------------------------------------------------------------------------------

static void independent_formulations_agree_on_a_slider_crank(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_verify *v = verify(model, 0.5, NULL);
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  assert_true(v->trial_count >= 4);
  assert_true(v->signal_count > 5);
  assert_true(v->derivatives > 1000);
  assert_int_equal(v->finding_count, 0);
  check_near(v->until, 0.5, 0);
  int sets = 0; // of coordinates, all there are
  const char *coordinates;
  for (int c = 0; (coordinates = hn_list_coordinates(c)) != NULL; c++) {
    int is_there = 0;
    for (int k = 0; k < v->trial_count; k++)
      is_there |= strcmp(v->trials[k].formulation.coordinates, coordinates) == 0;
    sets += is_there;
  }
  assert_true(sets >= 2);
  for (int k = 0; k < v->signal_count; k++)
    check_at_most(v->signals[k].spread, v->signals[k].allowed);
  hn_verify_free(v);
  hn_model_free(model);
}

// Its joints are spatial: reactions out of the plane are a choice of the formulation.
static void reactions_that_are_a_choice_are_not_compared(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_verify_options options = hn_default_verify_options();
  const char *signals[] = {"joint.*.reaction.*", "body.*.position.x", "step.size"};
  hn_verify *v = NULL;
  hn_error error;
  options.time = 0.1;
  options.budget = 5;
  options.signals = signals;
  options.signal_count = 3;
  check_ok(hn_verify_model(model, &options, &v, &error));
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  int reactions = 0, steps = 0;
  for (int k = 0; k < v->free_count; k++) {
    reactions += v->free_signals[k].is_shared;
    steps += strcmp(v->free_signals[k].subject, "step.size") == 0;
  }
  assert_true(reactions > 0);
  assert_int_equal(steps, 1);
  hn_verify_free(v);
  hn_model_free(model);
}

// ---- disagreement -------------------------------------------------------------------------------

static void a_right_force_of_the_user_passes(void **state) {
  (void)state;
  spring law = {400, 3, RIGHT, 0};
  hn_model *model = make_oscillator(&law);
  hn_verify *v = verify(model, 1, NULL);
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  hn_verify_free(v);
  hn_model_free(model);
}

static void check_finding(fault kind, const char *what, double exact, double difference) {
  spring law = {400, 3, kind, 0};
  hn_model *model = make_oscillator(&law);
  hn_verify *v = verify(model, 1, NULL);
  assert_int_equal(v->verdict, HN_VERIFY_DISAGREE);
  assert_int_equal(v->finding_count, 1);
  assert_string_equal(v->findings[0].element, "force 'handmade'");
  assert_string_equal(v->findings[0].what, what);
  check_near(v->findings[0].exact, exact, 1e-9);
  check_near(v->findings[0].difference, difference, 1e-5);
  check_names(v->reason, "'handmade'");
  // a formula that needs exact derivatives loses its order, and the pair that shows it is named
  assert_string_equal(v->witness.formula, "rosenbrock");
  assert_true(v->witness_order < 3);
  check_names(v->reason, "rosenbrock");
  hn_verify_free(v);
  hn_model_free(model);
}

static void a_wrong_derivative_is_found_and_its_element_named(void **state) {
  (void)state;
  check_finding(WRONG_DERIVATIVE, "force by position", -480, -400);
  check_finding(WRONG_DAMPING, "force by velocity", 0, -3);
}

static int uses_derivatives(const hn_formulation *f) {
  return strcmp(f->formula, "dopri5") != 0 && strcmp(f->formula, "adams") != 0;
}

// Formulations that take the force from where its derivatives are see a stiffer spring: explicit ones
// and these disagree, whatever the tolerance, and no other pair does.
static void a_force_that_differs_between_formulations_names_the_guilty_pair(void **state) {
  (void)state;
  spring law = {400, 0, WRONG_VALUE, 0};
  hn_model *model = make_oscillator(&law);
  is_unaudited = 1;
  hn_verify *v = verify(model, 1, "body.mass.position.z");
  is_unaudited = 0;
  assert_int_equal(v->verdict, HN_VERIFY_DISAGREE);
  int real = 0, apart = 0;
  for (int k = 0; k < v->pair_count; k++) {
    const hn_verify_pair *p = &v->pairs[k];
    if (!p->is_real) continue;
    real++;
    const hn_formulation *a = &v->trials[p->first].formulation,
                         *b = &v->trials[p->second].formulation;
    apart += uses_derivatives(a) != uses_derivatives(b);
    assert_true(p->since < 0.5);
    assert_true(p->difference > v->signals[p->signal].allowed);
  }
  assert_true(real > 0);
  assert_int_equal(apart, real);
  check_names(v->reason, "body.mass.position.z");
  hn_verify_free(v);
  hn_model_free(model);
}

// ---- sensitive models ---------------------------------------------------------------------------

static int add_link(hn_model *model, const char *name, int before, double x, double y) {
  hn_body_def body = hn_default_body();
  hn_joint_def pin = hn_default_joint(HN_JOINT_REVOLUTE);
  char joint[32];
  int id = 0;
  body.name = name;
  body.position = (hn_vec3){x + 0.5, y, 0};
  check_ok(hn_model_add_body(model, &body, &id));
  snprintf(joint, sizeof joint, "pin_%s", name);
  pin.name = joint;
  pin.frame1 = hn_model_frame(model, before, (hn_vec3){x, y, 0}, (hn_vec3){0, 0, 1});
  pin.frame2 = hn_model_frame(model, id, (hn_vec3){x, y, 0}, (hn_vec3){0, 0, 1});
  check_ok(hn_model_add_joint(model, &pin, NULL));
  return id;
}

static hn_model *make_double_pendulum(void) {
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, (hn_vec3){0, -9.81, 0}));
  int upper = add_link(model, "upper", HN_GROUND, 0, 0);
  add_link(model, "lower", upper, 1, 0);
  check_ok(hn_model_finish(model));
  return model;
}

// A double pendulum released level turns over: no two computations agree for long.
static void a_chaotic_machine_is_verified_for_a_shorter_time(void **state) {
  (void)state;
  hn_model *model = make_double_pendulum();
  hn_verify *v = verify(model, 60, "body.lower.position.*");
  if (v->verdict != HN_VERIFY_AGREE_UNTIL) fail_msg("%s", v->reason);
  assert_true(v->is_sensitive);
  assert_true(v->until > 2 && v->until < 55);
  for (int k = 0; k < v->pair_count; k++) assert_false(v->pairs[k].is_real);
  hn_verify_free(v);
  hn_model_free(model);
}

// Only the one that asks for derivatives sees the stiffer spring.
static void the_one_that_parts_from_all_others_is_named_odd(void **state) {
  (void)state;
  spring law = {400, 0, WRONG_VALUE, 0};
  hn_model *model = make_oscillator(&law);
  const hn_formulation among[] = {{"cartesian", "first-order", "dopri5", "none"},
                                  {"relative", "first-order", "adams", "none"},
                                  {"relative", "first-order", "rosenbrock", "none"}};
  hn_verify_options options = hn_default_verify_options();
  hn_verify *v = NULL;
  hn_error error;
  options.time = 1;
  options.without_audit = 1;
  options.among = among;
  options.among_count = 3;
  check_ok(hn_verify_model(model, &options, &v, &error));
  assert_int_equal(v->verdict, HN_VERIFY_DISAGREE);
  assert_false(v->is_sensitive);
  assert_int_equal(v->odd_count, 1);
  assert_string_equal(v->trials[v->odd[0]].formulation.formula, "rosenbrock");
  hn_verify_free(v);
  hn_model_free(model);
}

// Its steps follow the energy: over a time in which two others agree, its difference falls with the
// tolerance and stays too large. That is neither sensitivity of the model nor an error: run once
// more with a smaller tolerance, it agrees.
static void a_coarse_one_among_others_that_agree_is_run_once_more(void **state) {
  (void)state;
  hn_model *model = make_double_pendulum();
  const hn_formulation among[] = {{"relative", "first-order", "dopri5", "none"},
                                  {"natural", "first-order", "adams", "none"},
                                  {"relative", "multi-index", "trapezoidal", "none"}};
  hn_verify_options options = hn_default_verify_options();
  hn_verify *v = NULL;
  hn_error error;
  options.time = 10;
  options.tol = 1e-6;
  options.fixed = 0; // no error estimate
  options.without_audit = 1;
  options.among = among;
  options.among_count = 3;
  check_ok(hn_verify_model(model, &options, &v, &error));
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  assert_false(v->is_sensitive);
  assert_int_equal(v->trial_count, 3);
  for (int k = 0; k < 3; k++) {
    int is_coarse = strcmp(v->trials[k].formulation.method, "multi-index") == 0;
    if (is_coarse) check_at_most(v->trials[k].tol, 0.5 * v->run_tol);
  }
  hn_verify_free(v);
  // undecidable without the third
  options.among = among + 1;
  options.among_count = 2;
  check_ok(hn_verify_model(model, &options, &v, &error));
  assert_int_equal(v->verdict, HN_VERIFY_AGREE_UNTIL);
  assert_false(v->is_sensitive);
  assert_true(v->until < 10);
  hn_verify_free(v);
  hn_model_free(model);
}

// ---- fixed steps --------------------------------------------------------------------------------

static hn_verify *verify_fixed(const hn_model *model, const hn_formulation *among, int count,
                               double time, double tol) {
  hn_verify_options options = hn_default_verify_options();
  hn_verify *v = NULL;
  hn_error error;
  options.time = time;
  options.tol = tol;
  options.without_audit = 1;
  options.among = among;
  options.among_count = count;
  check_ok(hn_verify_model(model, &options, &v, &error));
  return v;
}

// x = 0.1 cos(20 t): what a fixed step is off by lies within its bar, which is not much wider.
static void fixed_steps_vote_within_an_error_bar(void **state) {
  (void)state;
  spring law = {400, 0, RIGHT, 0};
  hn_model *model = make_oscillator(&law);
  const hn_formulation among[] = {{"relative", "first-order", "dopri5", "none"},
                                  {"natural", "augmented-lagrangian-3", "trapezoidal", "none"},
                                  {"relative", "augmented-lagrangian-1", "sdirk2", "none"},
                                  {"natural", "multi-index", "trapezoidal", "none"}};
  hn_verify *v = verify_fixed(model, among, 4, 2, 1e-4);
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  int with_bar = 0;
  for (int k = 0; k < v->trial_count; k++) {
    const hn_trial *t = &v->trials[k];
    if (!t->bar) continue;
    with_bar++;
    int z = -1;
    for (int i = 0; i < v->signal_count; i++)
      if (strcmp(v->signals[i].name, "body.mass.position.z") == 0) z = i;
    assert_true(z >= 0);
    double most = 0;
    for (int row = 0; row < t->rows; row++) {
      double error = fabs(t->values[row * t->signals + z] - 0.1 * cos(20 * v->grid[row]));
      check_at_most(error, t->bar[row * t->signals + z] + 1e-9);
      most = fmax(most, error);
    }
    if (t->step > 0) check_at_most(t->bar[(t->rows - 1) * t->signals + z], 20 * most);
  }
  assert_int_equal(with_bar, 3);
  hn_verify_free(v);
  // two of them alone
  v = verify_fixed(model, among + 1, 2, 2, 1e-4);
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  assert_int_equal(v->trial_count, 2);
  hn_verify_free(v);
  hn_model_free(model);
}

// Formulations that ask for derivatives see a spring that is 5 % stiffer: fixed steps too.
static void a_fixed_step_that_is_wrong_beyond_its_bar_is_odd(void **state) {
  (void)state;
  spring law = {400, 0, WRONG_VALUE, 0};
  hn_model *model = make_oscillator(&law);
  const hn_formulation among[] = {{"relative", "first-order", "dopri5", "none"},
                                  {"cartesian", "first-order", "adams", "none"},
                                  {"natural", "augmented-lagrangian-3", "trapezoidal", "none"}};
  hn_verify *v = verify_fixed(model, among, 3, 2, 1e-4);
  if (v->verdict != HN_VERIFY_DISAGREE) fail_msg("%s", v->reason);
  assert_int_equal(v->odd_count, 1);
  assert_string_equal(v->trials[v->odd[0]].formulation.method, "augmented-lagrangian-3");
  hn_verify_free(v);
  hn_model_free(model);
}

// 1600 oscillations, followed to a ten-thousandth: too many for the trapezoidal rule.
static void a_fixed_step_that_is_too_coarse_does_not_vote(void **state) {
  (void)state;
  spring law = {1e10, 0, RIGHT, 0};
  hn_model *model = make_oscillator(&law);
  const hn_formulation among[] = {{"relative", "first-order", "dopri5", "none"},
                                  {"cartesian", "first-order", "dopri5", "none"},
                                  {"natural", "augmented-lagrangian-3", "trapezoidal", "none"}};
  hn_verify *v = verify_fixed(model, among, 3, 0.1, 1e-4);
  if (v->verdict != HN_VERIFY_AGREE) fail_msg("%s", v->reason);
  assert_int_equal(v->trial_count, 2);
  assert_int_equal(v->refused_count, 1);
  hn_verify_free(v);
  hn_model_free(model);
}

// Costs are counted: a busy computer changes nothing.
static void the_same_call_takes_the_same_formulations(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_verify *first = verify(model, 0.2, NULL);
  for (int again = 0; again < 2; again++) {
    hn_verify *v = verify(model, 0.2, NULL);
    assert_int_equal(v->verdict, first->verdict);
    assert_int_equal(v->trial_count, first->trial_count);
    for (int k = 0; k < v->trial_count; k++) {
      char a[128], b[128];
      hn_formulation_text(&v->trials[k].formulation, a, sizeof a);
      hn_formulation_text(&first->trials[k].formulation, b, sizeof b);
      assert_string_equal(a, b);
      assert_string_not_equal(v->trials[k].formulation.method, "multi-index");
    }
    hn_verify_free(v);
  }
  hn_verify_free(first);
  hn_model_free(model);
}

// ---- bad calls and few formulations -------------------------------------------------------------

static void one_formulation_alone_decides_nothing(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_formulation only = {"cartesian", "first-order", "dopri5", "none"};
  hn_verify_options options = hn_default_verify_options();
  hn_verify *v = NULL;
  hn_error error;
  options.time = 0.2;
  options.among = &only;
  options.among_count = 1;
  check_ok(hn_verify_model(model, &options, &v, &error));
  assert_int_equal(v->verdict, HN_VERIFY_UNDECIDED);
  assert_string_equal(hn_verify_verdict_name(v->verdict), "undecided");
  hn_verify_free(v);
  options.time = 0;
  check_status(hn_verify_model(model, &options, &v, &error), HN_ERROR_ARGUMENT);
  assert_null(v);
  const char *nothing = "no.such.*";
  options.time = 0.2;
  options.signals = &nothing;
  options.signal_count = 1;
  check_status(hn_verify_model(model, &options, &v, &error), HN_ERROR_ARGUMENT);
  check_names(error.message, "no.such");
  hn_model_free(model);
}

static void differences_know_turns_and_signs(void **state) {
  (void)state;
  const double pi = 3.14159265358979323846;
  check_near(hn_signal_difference("body.a.yaw", pi - 0.1, 0.1 - pi), 0.2, 1e-14);
  check_near(hn_signal_difference("joint.a.angle", pi - 0.1, 0.1 - pi), 2 * pi - 0.2, 1e-14);
  check_near(hn_signal_difference("body.a.quaternion.x", 0.5, -0.5), 0, 0);
  check_near(hn_signal_difference("body.a.position.x", 0.5, -0.5), 1, 0);
  assert_true(isnan(hn_signal_difference("body.a.quaternion.x", NAN, 0.5)));
  assert_true(isnan(hn_signal_difference("body.a.yaw", 0, NAN)));
  check_near(hn_signal_difference("body.a.yaw", NAN, NAN), 0, 0);
  check_near(hn_signal_difference("body.a.quaternion.x", NAN, NAN), 0, 0);
  check_near(hn_signal_difference("root", NAN, NAN), 0, 0);
}

static void check_compared(hn_simulation *s, const int *indices, int count, const char *name,
                           int is_there) {
  int found = 0;
  for (int k = 0; k < count; k++)
    found += strcmp(hn_simulation_signal_name(s, indices[k]), name) == 0;
  if (found != is_there) fail_msg("%s: %d times", name, found);
}

// Bodies by position and orientation, whatever joints they have.
static void positions_and_velocities_of_a_machine_are_compared(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_error error;
  check_ok(hn_model_create(NULL, &model));
  hn_body_def body = hn_default_body();
  body.name = "top";
  check_ok(hn_model_add_body(model, &body, NULL));
  add_link(model, "arm", HN_GROUND, 0, 0);
  hn_output_def out = {.name = "course", .expression = "body.top.yaw"};
  check_ok(hn_model_add_output(model, &out));
  out = (hn_output_def){.name = "half", .expression = "body.top.quaternion.w / 2"};
  check_ok(hn_model_add_output(model, &out));
  check_ok(hn_model_finish(model));
  check_ok(hn_simulation_create(model, &options, &s, &error));
  int indices[200], count = hn_simulation_compared_signals(s, HN_COMPARE_POSITIONS, indices);
  assert_true(hn_simulation_signal_count(s) < 200);
  assert_int_equal(count, 2 * (3 + 4) + 1);
  check_compared(s, indices, count, "body.top.quaternion.w", 1);
  check_compared(s, indices, count, "body.arm.quaternion.w", 1);
  check_compared(s, indices, count, "joint.pin_arm.angle", 1);
  count = hn_simulation_compared_signals(s, HN_COMPARE_POSITIONS | HN_COMPARE_VELOCITIES, indices);
  assert_int_equal(count, 2 * (3 + 4 + 3 + 3) + 2);
  check_compared(s, indices, count, "body.top.angular_velocity.z", 1);
  check_compared(s, indices, count, "joint.pin_arm.angle_rate", 1);
  count = hn_simulation_compared_signals(s, HN_COMPARE_OUTPUTS, indices);
  assert_int_equal(count, 2);
  assert_int_equal(hn_simulation_signal_same(s, indices[0]), HN_SAME_UP_TO_TURNS);
  assert_int_equal(hn_simulation_signal_same(s, indices[1]), HN_SAME_VALUE);
  hn_simulation_free(s);
  hn_model_free(model);
}

static void memory_is_given_back_whatever_fails(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  for (long fail_at = 0; fail_at < 40; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_verify_options options = hn_default_verify_options();
    hn_formulation two[] = {{"cartesian", "first-order", "dopri5", "none"},
                            {"relative", "first-order", "adams", "none"}};
    hn_verify *v = NULL;
    options.time = 0.05;
    options.rows = 5;
    options.among = two;
    options.among_count = 2;
    options.allocator = &allocator;
    hn_verify_model(model, &options, &v, NULL);
    hn_verify_free(v);
    assert_int_equal(memory.living, 0);
  }
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_formulation_is_built_and_listed_once),
      cmocka_unit_test(a_trial_records_the_motion_on_its_grid),
      cmocka_unit_test(a_trial_keeps_what_it_had_when_it_was_stopped),
      cmocka_unit_test(a_trial_refuses_more_memory_than_it_may_take),
      cmocka_unit_test(independent_formulations_agree_on_a_slider_crank),
      cmocka_unit_test(reactions_that_are_a_choice_are_not_compared),
      cmocka_unit_test(a_right_force_of_the_user_passes),
      cmocka_unit_test(a_wrong_derivative_is_found_and_its_element_named),
      cmocka_unit_test(a_force_that_differs_between_formulations_names_the_guilty_pair),
      cmocka_unit_test(a_chaotic_machine_is_verified_for_a_shorter_time),
      cmocka_unit_test(the_one_that_parts_from_all_others_is_named_odd),
      cmocka_unit_test(a_coarse_one_among_others_that_agree_is_run_once_more),
      cmocka_unit_test(fixed_steps_vote_within_an_error_bar),
      cmocka_unit_test(a_fixed_step_that_is_wrong_beyond_its_bar_is_odd),
      cmocka_unit_test(a_fixed_step_that_is_too_coarse_does_not_vote),
      cmocka_unit_test(the_same_call_takes_the_same_formulations),
      cmocka_unit_test(one_formulation_alone_decides_nothing),
      cmocka_unit_test(differences_know_turns_and_signs),
      cmocka_unit_test(positions_and_velocities_of_a_machine_are_compared),
      cmocka_unit_test(memory_is_given_back_whatever_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
