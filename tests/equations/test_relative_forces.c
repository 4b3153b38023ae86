// Forces on coordinates of tree joints, which read them off q: the same wrenches, values, energies and
// derivatives as through frames and measures; and what stages leave out is made when it is asked for.
#include <stdlib.h>

#include "equations/relative/tangent.h"
#include "equations/tree_machine.h"
#include "support/tangent.h"

enum { MOST = 80 };

static hn_law *line(double constant, double slope) {
  hn_law *law = NULL;
  hn_error error;
  double c[2] = {constant, slope};
  check_ok(hn_law_polynomial(c, 2, NULL, &law, &error));
  return law;
}

static void add_spring(hn_model *model, int joint, hn_coordinate coordinate, int *count) {
  char name[16];
  snprintf(name, sizeof name, "f%d", *count);
  hn_force_def def = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  def.name = name;
  def.joint = joint;
  def.coordinate = coordinate;
  def.of_x = line(0.3 * (*count), 2 + *count);
  def.of_v = line(0, 0.5);
  def.of_t = line(0, 0.7);
  check_ok(hn_model_add_force(model, &def, NULL));
  (*count)++;
}

// The model of every joint with a spring on each coordinate that is one of the tree.
static tree_machine springs_open(uint64_t seed, int with_rows, int *count) {
  hn_model *model = tree_model_all(seed, with_rows);
  *count = 0;
  for (int j = 0; j < model->joint_count; j++) {
    hn_joint_type type = model->joints[j].type;
    int turns = type == HN_JOINT_REVOLUTE || type == HN_JOINT_SCREW || type == HN_JOINT_CYLINDRICAL;
    int slides =
        type == HN_JOINT_TRANSLATIONAL || type == HN_JOINT_SCREW || type == HN_JOINT_CYLINDRICAL;
    if (turns) add_spring(model, j, HN_COORDINATE_ANGLE, count);
    if (slides) add_spring(model, j, HN_COORDINATE_DISPLACEMENT, count);
  }
  return tree_machine_open(model);
}

static void coordinate_forces_are_those_of_measures(void **state) {
  (void)state;
  int count;
  tree_machine m = springs_open(31, 1, &count);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(3);
  double q[MOST], u[MOST], qd[MOST], t = 0.4;
  hn_snapshot *s = m.snapshot, *other;
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  // an angle is on the branch nearest to its reference
  for (int k = 0; k < m.elements->turn_count; k++) m.branches.turns[k] = k % 2 ? 6 : 0;
  assert_int_equal(self->forces.measured, 0);
  assert_true(count >= 10);
  check_ok(hn_relative.evaluate(m.equations, t, q, qd, &m.branches, s, NULL));
  check_ok(hn_snapshot_create(&m.arena, m.equations, &other));
  memcpy(other->frames, s->frames, (size_t)m.model->body_count * sizeof *s->frames);
  check_ok(hn_apply_forces(m.equations, t, &m.branches, other, NULL));
  check_near_many((double *)s->wrench, (double *)other->wrench, 6 * m.model->body_count, 1e-9);
  for (int f = 0; f < count; f++) {
    check_near(s->forces[f].value, other->forces[f].value, 1e-10);
    check_near(s->forces[f].rate, other->forces[f].rate, 1e-11);
    check_near(s->forces[f].potential, other->forces[f].potential, 1e-9);
    check_near_many((double *)&s->forces[f].direction, (double *)&other->forces[f].direction, 3,
                    1e-9);
  }
  check_near(s->power, other->power, 1e-9);
  check_near(s->potential, other->potential, 1e-8);
  tree_machine_close(&m);
}

// With rows: through the saddle; without: through the tree alone, gravity as acceleration of ground.
static void stages_have_the_accelerations_of_the_whole(void **state) {
  int count;
  tree_machine m = springs_open(32, *(int *)*state, &count);
  hn_random random = hn_random_seed(4);
  double q[MOST], u[MOST], qd[MOST], ud[MOST], power;
  hn_snapshot *s = m.snapshot;
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  check_ok(hn_relative.evaluate(m.equations, 0.2, q, qd, &m.branches, s, NULL));
  memcpy(ud, s->ud, (size_t)m.tree->nu * sizeof(double));
  power = s->power;
  check_ok(hn_relative.evaluate_stage(m.equations, 0.2, q, qd, &m.branches, s, NULL));
  for (int i = 0; i < m.tree->nu; i++) check_near(s->ud[i], ud[i], 1e-9 * (1 + fabs(ud[i])));
  check_near(s->power, power, 1e-9 * (1 + fabs(power)));
  tree_machine_close(&m);
}

static void reactions_left_out_are_made_when_asked_for(void **state) {
  int count;
  tree_machine m = springs_open(33, *(int *)*state, &count);
  hn_random random = hn_random_seed(5);
  double q[MOST], u[MOST], qd[MOST];
  hn_snapshot *s = m.snapshot, *later;
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  check_ok(hn_snapshot_create(&m.arena, m.equations, &later));
  check_ok(hn_relative.evaluate(m.equations, 0, q, qd, &m.branches, s, NULL));
  m.equations->defers_reactions = 1;
  check_ok(hn_relative.evaluate(m.equations, 0, q, qd, &m.branches, later, NULL));
  assert_true(later->is_partial && !s->is_partial);
  double most = 0;
  for (int r = 0; r < m.elements->row_count; r++)
    most = fmax(most, fabs(s->lambda[r] - later->lambda[r]));
  assert_true(most > 1);
  hn_snapshot_complete(m.equations, &m.branches, later);
  assert_false(later->is_partial);
  for (int r = 0; r < m.elements->row_count; r++) {
    check_near(later->lambda[r], s->lambda[r], 1e-9 * (1 + fabs(s->lambda[r])));
    check_near(later->phi_acceleration[r], 0, 1e-9);
  }
  tree_machine_close(&m);
}

// Derivatives of the short way and of the way through frames; Q - M qdd by inverse dynamics.
static void tangent_is_that_of_measures(void **state) {
  (void)state;
  int count;
  tree_machine m = springs_open(34, 1, &count);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(6);
  double q[MOST], u[MOST], qd[MOST], qdd[MOST], out[MOST], expected[MOST], lambda[3 * MOST] = {0};
  hn_tangent *a, *b;
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  hn_random_fill(&random, qdd, m.tree->nq, -1, 1);
  check_ok(hn_tangent_create(&m.arena, m.equations, 0, &a));
  check_ok(hn_tangent_create(&m.arena, m.equations, 0, &b));
  check_ok(tangent_full(a, 0.1, q, qd, qdd, lambda, &m.branches, NULL));
  memcpy(expected, a->q_force, (size_t)a->n * sizeof(double));
  hn_sparse_add_product(&a->mass, -1, qdd, expected);
  check_ok(tangent_balance(b, 0.1, q, qd, qdd, &m.branches, out, NULL));
  check_near_many(out, expected, a->n, 1e-9);
  for (int f = 0; f < count; f++) self->forces.node[f] = -1;
  check_ok(tangent_full(b, 0.1, q, qd, qdd, lambda, &m.branches, NULL));
  check_near_many(a->stiffness.value, b->stiffness.value, a->stiffness.start[a->n], 1e-8);
  check_near_many(a->damping.value, b->damping.value, a->damping.start[a->n], 1e-8);
  check_near_many(a->q_t, b->q_t, a->n, 1e-10);
  tree_machine_close(&m);
}

int main(void) {
  static int no = 0, yes = 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinate_forces_are_those_of_measures),
      cmocka_unit_test_prestate(stages_have_the_accelerations_of_the_whole, &no),
      cmocka_unit_test_prestate(stages_have_the_accelerations_of_the_whole, &yes),
      cmocka_unit_test_prestate(reactions_left_out_are_made_when_asked_for, &no),
      cmocka_unit_test_prestate(reactions_left_out_are_made_when_asked_for, &yes),
      cmocka_unit_test(tangent_is_that_of_measures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
