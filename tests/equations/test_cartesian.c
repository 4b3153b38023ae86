// Cartesian equations: accelerations, reactions and energy against closed forms.
#include <math.h>

#include "analysis/simulation.h"
#include "support/check.h"
#include "support/machines.h"

static hn_simulation *start(const hn_model *model) {
  hn_simulation_options options = hn_default_simulation_options();
  options.coordinates = "cartesian";
  hn_simulation *simulation = NULL;
  hn_error error;
  options.tol = 1e-9;
  check_ok(hn_simulation_create(model, &options, &simulation, &error));
  return simulation;
}

static void a_level_pendulum_falls_with_gravity(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  hn_simulation *s = start(model);
  const hn_snapshot *now = s->method->now;
  check_near(now->acceleration[1].y, -9.81, 1e-12);
  check_near(now->acceleration[1].x, 0, 1e-12);
  check_near(now->angular_acceleration[1].z, 9.81, 1e-12);
  hn_wrench reaction = hn_joint_reaction(s->elements, 0, now, &s->branches);
  check_near(vec3_norm(reaction.force), 0, 1e-11);
  check_near(vec3_norm(reaction.torque), 0, 1e-11);
  hn_simulation_free(s);
  hn_model_free(model);
}

// Euler's equations: I wd + w x I w = 0 in body axes.
static void a_free_body_obeys_eulers_equations(void **state) {
  (void)state;
  hn_vec3 w = vec3(1, 2, 3);
  hn_model *model = hn_make_free_body(w);
  hn_simulation *s = start(model);
  const hn_frame *f = &s->method->now->frames[1];
  hn_vec3 b = mat3_apply_transposed(f->a, w);
  hn_vec3 expected = mat3_apply(
      f->a, vec3((2 - 2.5) * b.y * b.z / 1, (2.5 - 1) * b.z * b.x / 2, (1 - 2) * b.x * b.y / 2.5));
  hn_vec3 got = s->method->now->angular_acceleration[1];
  check_near(vec3_norm(vec3_sub(got, expected)), 0, 1e-13);
  hn_simulation_free(s);
  hn_model_free(model);
}

// phi'' = G sin(phi) at phi = 0: the cranks start without angular acceleration; the tip has only its
// centripetal acceleration, and the reactions carry the weight of everything.
static void redundant_four_bars_have_the_accelerations_of_one_freedom(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(3);
  hn_simulation *s = start(model);
  const hn_snapshot *now = s->method->now;
  double vertical = 0;
  for (int b = 1; b <= 4; b++) {
    check_near(now->angular_acceleration[b].z, 0, 1e-10);
    check_near(now->acceleration[b].y, -0.5, 1e-10);
  }
  for (int b = 5; b <= 7; b++) check_near(now->acceleration[b].y, -1, 1e-10);
  for (int j = 0; j < 4; j++)
    vertical += hn_joint_reaction(s->elements, j, now, &s->branches).force.y;
  // 7 kg of weight less the mass times its downward acceleration: 4 cranks at 0.5, 3 couplers at 1
  check_near(vertical, 7 * 9.81 - 4 * 0.5 - 3 * 1, 1e-9);
  hn_simulation_free(s);
  hn_model_free(model);
}

// d(T + V)/dt = power, here 0: the accelerations do no work against the constraints.
static void constraint_forces_do_no_work(void **state) {
  (void)state;
  hn_model *model = hn_make_slider_crank();
  hn_simulation *s = start(model);
  check_ok(hn_simulation_advance(s, 0.31));
  const hn_snapshot *now = s->method->now;
  double rate = 0;
  for (int b = 1; b < s->model->body_count; b++) {
    const hn_body_def *body = &s->model->bodies[b];
    const hn_frame *f = &now->frames[b];
    hn_vec3 momentum = mat3_apply_transposed(f->a, now->angular_acceleration[b]);
    momentum = mat3_apply(f->a, mat3_apply(mat3_symmetric(body->inertia), momentum));
    rate +=
        vec3_dot(f->v, vec3_scale(body->mass, vec3_sub(now->acceleration[b], s->model->gravity)));
    rate += vec3_dot(f->w, momentum); // w . (w x I w) = 0
  }
  check_near(rate, 0, 1e-8);
  check_at_most(hn_simulation_certificate(s).energy_relative, 1e-7);
  hn_simulation_free(s);
  hn_model_free(model);
}

// A light rod between heavy bodies is no reason to call its rows redundant.
static void a_light_body_in_a_loop_costs_no_steps(void **state) {
  (void)state;
  long steps[2];
  for (int k = 0; k < 2; k++) {
    hn_model *model = hn_make_slider_crank();
    double factor = k == 0 ? 1 : 1e-5;
    model->bodies[2].mass *= factor; // the rod
    for (int i = 0; i < 6; i++) model->bodies[2].inertia[i] *= factor;
    hn_simulation *s = start(model);
    check_ok(hn_simulation_advance(s, 0.5));
    steps[k] = hn_simulation_certificate(s).steps_accepted;
    assert_int_equal(hn_simulation_certificate(s).redundant, 3);
    hn_simulation_free(s);
    hn_model_free(model);
  }
  check_at_most((double)steps[1], 1.5 * (double)steps[0]);
}

static void a_torque_on_nothing_is_refused_by_name(void **state) {
  (void)state;
  hn_model *model = NULL;
  hn_simulation *s = NULL;
  hn_error error;
  hn_body_def body = hn_default_body();
  hn_force_def torque = hn_default_force(HN_FORCE_TORQUE);
  check_ok(hn_model_create(NULL, &model));
  body.name = "dot";
  for (int i = 0; i < 6; i++) body.inertia[i] = 0;
  check_ok(hn_model_add_body(model, &body, NULL));
  torque.name = "twist";
  torque.frame2 = hn_model_frame(model, 1, (hn_vec3){0, 0, 0}, (hn_vec3){0, 0, 1});
  check_ok(hn_law_constant(1e-3, NULL, &torque.component_law[2], NULL));
  check_ok(hn_model_add_force(model, &torque, NULL));
  check_ok(hn_model_finish(model));
  check_status(hn_simulation_create(model, NULL, &s, &error), HN_ERROR_SINGULAR);
  assert_string_equal(error.element, "body 'dot'");
  hn_model_free(model);
}

static void projections_change_a_consistent_state_by_nothing(void **state) {
  (void)state;
  hn_model *model = hn_make_four_bars(4);
  hn_simulation *s = start(model);
  check_ok(hn_simulation_advance(s, 0.2));
  hn_equations *e = s->equations;
  double *correction = s->looking.correction;
  check_ok(e->type->project_positions(e, 0.2, s->method->q, &s->branches, 1e-12, correction));
  for (int i = 0; i < e->nq; i++) check_near(correction[i], 0, 1e-11);
  check_ok(
      e->type->project_velocities(e, 0.2, s->method->q, s->method->qd, &s->branches, correction));
  for (int i = 0; i < e->nq; i++) check_near(correction[i], 0, 1e-11);
  hn_simulation_free(s);
  hn_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_level_pendulum_falls_with_gravity),
      cmocka_unit_test(a_free_body_obeys_eulers_equations),
      cmocka_unit_test(redundant_four_bars_have_the_accelerations_of_one_freedom),
      cmocka_unit_test(constraint_forces_do_no_work),
      cmocka_unit_test(a_light_body_in_a_loop_costs_no_steps),
      cmocka_unit_test(a_torque_on_nothing_is_refused_by_name),
      cmocka_unit_test(projections_change_a_consistent_state_by_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
