// Springs and leaves of identical subtrees against each by itself; Euler parameters that vanish.
#include "equations/tree_machine.h"

enum { LIMBS = 7, MOST = 120 };

// A free body with subtrees of a hinge and a ball, in full and partial lanes; balls hang on hinges,
// so that parents differ. Springs and leaves between base, subtrees and ground, with laws of
// `coefficients` coefficients: those of two are straight.
static hn_model *spider_with(uint64_t seed, int coefficients) {
  hn_random random = hn_random_seed(seed);
  hn_model *model = NULL;
  double stiffness[] = {-20, 40, 3}, damping[] = {0, 5, 0.4};
  int number = 1, joints = 0;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, vec3(1, -2, -9.81)));
  int base = tree_body(model, &random, number++);
  for (int k = 0; k < LIMBS; k++) {
    int arm = tree_body(model, &random, number++), foot = tree_body(model, &random, number++);
    int toe = tree_body(model, &random, number++);
    tree_joint(model, &random, HN_JOINT_REVOLUTE, joints++, base, arm);
    tree_joint(model, &random, HN_JOINT_SPHERICAL, joints++, arm, foot);
    tree_joint(model, &random, k % 2 ? HN_JOINT_REVOLUTE : HN_JOINT_CYLINDRICAL, joints++, foot,
               toe);
    for (int is_leaf = 0; is_leaf < 2; is_leaf++) {
      hn_force_def f = hn_default_force(is_leaf ? HN_FORCE_LEAF_SPRING : HN_FORCE_SPRING_DAMPER);
      char name[16];
      snprintf(name, sizeof name, "f%d%d", k, is_leaf);
      f.name = name;
      f.frame1 = (hn_frame_on_body){k == 3 ? HN_GROUND : base, random_vec3(&random, 0.5),
                                    random_turn(&random)};
      f.frame2 = (hn_frame_on_body){foot, random_vec3(&random, 0.5), random_turn(&random)};
      f.offset = is_leaf ? 0.1 : 0;
      check_ok(hn_law_polynomial(stiffness, coefficients, NULL, &f.of_x, NULL));
      if (!is_leaf) check_ok(hn_law_polynomial(damping, coefficients, NULL, &f.of_v, NULL));
      check_ok(hn_model_add_force(model, &f, NULL));
    }
  }
  return model;
}

static hn_model *spider(uint64_t seed) { return spider_with(seed, 3); }

typedef struct numbers {
  hn_tree_motion motion[MOST];
  hn_frame frames[MOST];
  hn_tree_wrench force[MOST];
  double tau[MOST];
} numbers;

static void evaluate(tree_machine *m, const double *q, const double *u, numbers *out) {
  hn_vec3 a[MOST], w[MOST];
  memset(out, 0, sizeof *out);
  hn_tree_move(m->tree, q, u, vec3(0.1, 0.2, 0.3), out->motion);
  hn_tree_frames(m->tree, q, out->motion, out->frames);
  hn_tree_accelerate(m->tree, out->motion, u, a, w);
  hn_tree_inverse(m->tree, out->motion, a, w, NULL, out->force, out->tau);
}

// Euler parameters that are all zero, which no iteration makes, are no turn.
static void vanished_parameters_are_no_turn(void **unused) {
  (void)unused;
  tree_machine m = tree_machine_open(spider(1));
  hn_random random = hn_random_seed(3);
  static numbers none, zero;
  double q[MOST], u[MOST];
  int ball = -1;
  random_state(&m, &random, q, u);
  for (int k = 0; k < m.tree->count; k++)
    if (m.tree->nodes[k].kind == HN_LINK_BALL) ball = m.tree->nodes[k].q;
  assert_true(ball >= 0 && m.tree->count < MOST);
  for (int i = 0; i < 4; i++) q[ball + i] = i == 0;
  evaluate(&m, q, u, &none);
  q[ball] = 0;
  evaluate(&m, q, u, &zero);
  for (int k = 0; k < m.tree->count; k++)
    assert_memory_equal(&none.motion[k].r, &zero.motion[k].r, sizeof none.motion[k].r);
  for (int i = 0; i < m.tree->nu; i++) check_near(none.tau[i], zero.tau[i], 0);
  tree_machine_close(&m);
}

// All forces of a snapshot.
static void springs_pull_as_they_do_alone(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed < 4; seed++) {
    tree_machine m = tree_machine_open(spider(seed));
    hn_relative_set *set = (hn_relative_set *)m.equations;
    hn_random random = hn_random_seed(seed + 70);
    double q[MOST], u[MOST], qd[MOST];
    hn_frame frames[MOST];
    hn_wrench wrench[MOST];
    random_state(&m, &random, q, u);
    hn_relative_rates(m.equations, q, u, qd);
    m.equations->type->coordinates->frames(m.equations, q, qd, frames);
    hn_branches_classify(m.elements, frames, 0, &m.branches);
    memcpy(m.snapshot->frames, frames, (size_t)m.model->body_count * sizeof(hn_frame));
    check_ok(hn_relative_apply_forces(set, 0, q, &m.branches, m.snapshot, NULL));
    double potential = 0, power = 0;
    for (int b = 0; b < m.model->body_count; b++) {
      hn_vec3 weight = vec3_scale(m.model->bodies[b].mass, m.model->gravity);
      wrench[b] = (hn_wrench){b ? weight : vec3_zero(), {0, 0, 0}};
      if (b) potential -= vec3_dot(weight, frames[b].r);
    }
    for (int f = 0; f < m.model->force_count; f++) {
      hn_force_value value, *made = &m.snapshot->forces[f];
      check_ok(hn_force_in_speeds(m.elements, f, frames, m.branches.turns, 0, m.branches.force[f],
                                  wrench, &value));
      check_near(made->value, value.value, 1e-12);
      check_near(made->deflection, value.deflection, 1e-14);
      check_near(made->rate, value.rate, 1e-13);
      check_near(vec3_norm(vec3_sub(made->direction, value.direction)), 0, 1e-11);
      potential += value.potential;
      power += value.power;
    }
    check_near(m.snapshot->potential, potential, 1e-10);
    check_near(m.snapshot->power, power, 1e-10);
    for (int b = 1; b < m.model->body_count; b++) {
      const hn_wrench *w = &m.snapshot->wrench[b];
      check_near(vec3_norm(vec3_sub(w->force, wrench[b].force)), 0, 1e-10);
      check_near(vec3_norm(vec3_sub(w->torque, wrench[b].torque)), 0, 1e-10);
    }
    tree_machine_close(&m);
  }
}

// Inside a step: wrenches and power alone, straight laws without asking for them.
static void springs_at_stages_pull_as_they_do_alone(void **unused) {
  (void)unused;
  for (int coefficients = 2; coefficients < 4; coefficients++) {
    tree_machine m = tree_machine_open(spider_with(9, coefficients));
    hn_relative_set *set = (hn_relative_set *)m.equations;
    hn_random random = hn_random_seed(90);
    double q[MOST], u[MOST], qd[MOST], lambda[MOST] = {0}, power = 0, alone = 0;
    hn_wrench wrench[MOST];
    random_state(&m, &random, q, u);
    hn_relative_rates(m.equations, q, u, qd);
    hn_frame *frames = m.snapshot->frames;
    m.equations->type->coordinates->frames(m.equations, q, qd, frames);
    hn_branches_classify(m.elements, frames, 0, &m.branches);
    check_ok(hn_relative_stage_forces(set, 0, q, 1, &m.branches, m.snapshot, NULL));
    for (int b = 0; b < m.model->body_count; b++)
      wrench[b] = (hn_wrench){vec3_scale(m.model->bodies[b].mass, m.model->gravity), {0, 0, 0}};
    for (int f = 0; f < m.model->force_count; f++) {
      hn_force_value value;
      check_ok(hn_force_in_speeds(m.elements, f, frames, m.branches.turns, 0, m.branches.force[f],
                                  wrench, &value));
      alone += value.power;
    }
    assert_true(fabs(alone) > 1);
    check_near(m.snapshot->power, alone, 1e-10);
    for (int b = 1; b < m.model->body_count; b++) {
      const hn_wrench *w = &m.snapshot->wrench[b];
      check_near(vec3_norm(vec3_sub(w->force, wrench[b].force)), 0, 1e-10);
      check_near(vec3_norm(vec3_sub(w->torque, wrench[b].torque)), 0, 1e-10);
    }
    check_ok(m.equations->type->power(m.equations, 0, q, qd, lambda, &m.branches, &power));
    check_near(power, alone, 1e-10);
    tree_machine_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vanished_parameters_are_no_turn),
      cmocka_unit_test(springs_pull_as_they_do_alone),
      cmocka_unit_test(springs_at_stages_pull_as_they_do_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
