// The recursions of relative coordinates against each other and against what they mean: velocities as
// derivatives of poses, the composite inertia as the Cartesian one seen through joint speeds, forward
// and inverse dynamics, accelerations and reactions of the Cartesian set.
#include <stdlib.h>

#include "elements/joint_speeds.h"
#include "equations/tree_machine.h"

enum { MOST = 80 };

// q moved for a time h at constant speeds; Euler parameters by the exponential.
static void flow(const tree_machine *m, const double *q, const double *u, double h, double *out) {
  for (int k = 0; k < m->tree->count; k++) {
    const hn_tree_node *node = &m->tree->nodes[k];
    int at = node->q, from = node->u;
    int plain = node->kind == HN_LINK_FREE ? 3 : node->u_count == 1;
    for (int i = 0; i < plain; i++, at++, from++) out[at] = q[at] + h * u[from];
    if (node->q_count == node->u_count) continue;
    hn_vec3 turn = vec3_scale(h, vec3_load(&u[from]));
    hn_quat p = quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), quat_load(&q[at]));
    quat_store(&out[at], p);
  }
}

static hn_tree_motion *motion_of(const tree_machine *m) {
  return ((hn_relative_set *)m->equations)->motion;
}

static void frames_at(const tree_machine *m, const double *q, const double *u, hn_frame *frames) {
  hn_tree_move(m->tree, q, u, vec3_zero(), motion_of(m));
  hn_tree_frames(m->tree, q, motion_of(m), frames);
}

// Sixth-order central difference weights of f(h), f(2h), f(3h).
static const double weight[3] = {0.75, -0.15, 1.0 / 60};

static void velocities_are_derivatives_of_poses(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(11, 0);
  hn_random random = hn_random_seed(5);
  double q[MOST], u[MOST], moved[MOST], h = 3e-3;
  int bodies = m.model->body_count;
  hn_frame frames[32], plus[32], minus[32];
  hn_vec3 v[32] = {{0}}, axis[32][3] = {{{0}}};
  random_state(&m, &random, q, u);
  for (int k = 1; k <= 3; k++) {
    flow(&m, q, u, k * h, moved);
    frames_at(&m, moved, u, plus);
    flow(&m, q, u, -k * h, moved);
    frames_at(&m, moved, u, minus);
    for (int b = 1; b < bodies; b++) {
      double w = weight[k - 1] / h;
      v[b] = vec3_add_scaled(v[b], w, vec3_sub(plus[b].r, minus[b].r));
      for (int i = 0; i < 3; i++)
        axis[b][i] = vec3_add_scaled(
            axis[b][i], w, vec3_sub(mat3_column(plus[b].a, i), mat3_column(minus[b].a, i)));
    }
  }
  frames_at(&m, q, u, frames);
  for (int b = 1; b < bodies; b++) {
    check_near(vec3_norm(vec3_sub(v[b], frames[b].v)), 0, 1e-9);
    for (int i = 0; i < 3; i++) {
      hn_vec3 exact = vec3_cross(frames[b].w, mat3_column(frames[b].a, i));
      check_near(vec3_norm(vec3_sub(axis[b][i], exact)), 0, 1e-9);
    }
    hn_mat3 of_p = quat_matrix(frames[b].p);
    check_near_many(&of_p.m[0][0], &frames[b].a.m[0][0], 9, 1e-14);
  }
  tree_machine_close(&m);
}

static void bias_is_acceleration_at_constant_speeds(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(12, 0);
  hn_random random = hn_random_seed(6);
  double q[MOST], u[MOST], moved[MOST], h = 3e-3;
  hn_vec3 a[64] = {{0}}, wd[64] = {{0}};
  hn_tree_motion *motion = motion_of(&m);
  random_state(&m, &random, q, u);
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      flow(&m, q, u, sign * k * h, moved);
      hn_tree_move(m.tree, moved, u, vec3_zero(), motion);
      for (int n = 0; n < m.tree->count; n++) {
        double w = sign * weight[k - 1] / h;
        a[n] = vec3_add_scaled(a[n], w, motion[n].velocity);
        wd[n] = vec3_add_scaled(wd[n], w, motion[n].w);
      }
    }
  hn_tree_move(m.tree, q, u, vec3_zero(), motion);
  for (int n = 0; n < m.tree->count; n++) {
    check_near(vec3_norm(vec3_sub(a[n], motion[n].bias)), 0, 3e-8);
    check_near(vec3_norm(vec3_sub(wd[n], motion[n].bias_w)), 0, 3e-8);
  }
  tree_machine_close(&m);
}

static void coordinates_are_read_back_from_frames(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(13, 0);
  hn_random random = hn_random_seed(7);
  double q[MOST], u[MOST], back[MOST], u_back[MOST];
  hn_frame frames[32], again[32];
  for (int trial = 0; trial < 20; trial++) {
    random_state(&m, &random, q, u);
    frames_at(&m, q, u, frames);
    for (int b = 1; b < m.model->body_count; b++) // frames of another caller
      if (hn_random_below(&random, 2)) frames[b].p = quat_scale(-1, frames[b].p);
    hn_tree_read_frames(m.tree, frames, back, u_back);
    hn_tree_remember_signs(m.tree, frames, back);
    check_near_many(u_back, u, m.tree->nu, 1e-12);
    frames_at(&m, back, u_back, again);
    for (int b = 1; b < m.model->body_count; b++) {
      check_near(vec3_norm(vec3_sub(again[b].r, frames[b].r)), 0, 1e-13);
      check_near(quat_dot(again[b].p, frames[b].p), 1, 1e-13); // with the sign
      check_near(vec3_norm(vec3_sub(again[b].v, frames[b].v)), 0, 1e-12);
    }
  }
  tree_machine_close(&m);
}

// M_ij = sum m v_i . v_j + w_i . I w_j over bodies, v_i their velocities at the unit speed i.
static void composite_inertia_is_cartesian_mass_in_joint_speeds(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(14, 1);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(8);
  double q[MOST], u[MOST], unit[MOST] = {0};
  static hn_frame frames[MOST][32];
  int nu = m.tree->nu;
  random_state(&m, &random, q, u);
  for (int i = 0; i < nu; i++) {
    unit[i] = 1;
    frames_at(&m, q, unit, frames[i]);
    unit[i] = 0;
  }
  hn_tree_mass(m.tree, self->motion, self->composite, self->mass);
  for (int j = 0; j < nu; j++)
    for (int i = 0, k = m.tree->mass_start[j]; i <= j; i++) {
      double sum = 0;
      for (int b = 1; b < m.model->body_count; b++) {
        const hn_body_def *body = &m.model->bodies[b];
        hn_vec3 wi = mat3_apply_transposed(frames[i][b].a, frames[i][b].w);
        hn_vec3 wj = mat3_apply_transposed(frames[j][b].a, frames[j][b].w);
        sum += body->mass * vec3_dot(frames[i][b].v, frames[j][b].v) +
               vec3_dot(wi, mat3_apply(mat3_symmetric(body->inertia), wj));
      }
      int is_there = k < m.tree->mass_start[j + 1] && m.tree->mass_index[k] == i;
      check_near(is_there ? self->mass[k++] : 0, sum, 1e-12 * (1 + fabs(sum)));
    }
  assert_int_equal(hn_tree_factor(m.tree, self->mass), 1); // positive definite
  tree_machine_close(&m);
}

static void inverse_of_forward_is_identity(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(15, 0);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  assert_int_equal(self->cut_count, 0);
  hn_random random = hn_random_seed(9);
  int nodes = m.tree->count, nu = m.tree->nu;
  hn_arena *arena = &m.arena;
  if (!m.tree->mass_start) check_ok(hn_tree_make_mass_pattern(arena, m.tree));
  double *mass = HN_TAKE(arena, double, m.tree->mass_start[nu]);
  hn_tree_composite *composite = HN_TAKE(arena, hn_tree_composite, nodes);
  hn_tree_articulated *room = HN_TAKE(arena, hn_tree_articulated, 3 * nodes);
  hn_vec3 *a = HN_TAKE(arena, hn_vec3, nodes), *w = HN_TAKE(arena, hn_vec3, nodes);
  hn_tree_wrench *force = HN_TAKE(arena, hn_tree_wrench, nodes);
  for (int trial = 0; trial < 20; trial++) {
    double q[MOST], u[MOST], tau[MOST], back[MOST], ud[MOST], ud_mass[MOST];
    random_state(&m, &random, q, u);
    hn_random_fill(&random, tau, nu, -3, 3);
    hn_vec3 base = vec3(0.3, -0.2, 9.81);
    hn_tree_move(m.tree, q, u, base, self->motion);
    assert_int_equal(hn_tree_forward(m.tree, self->motion, NULL, tau, room, a, w, ud), 1);
    hn_tree_accelerate(m.tree, self->motion, ud, a, w);
    hn_tree_inverse(m.tree, self->motion, a, w, NULL, force, back);
    check_near_many(back, tau, nu, 1e-11);
    // and by the factors of the composite inertia
    double zero[MOST] = {0};
    hn_tree_accelerate(m.tree, self->motion, zero, a, w);
    hn_tree_inverse(m.tree, self->motion, a, w, NULL, force, ud_mass);
    for (int i = 0; i < nu; i++) ud_mass[i] = tau[i] - ud_mass[i];
    hn_tree_mass(m.tree, self->motion, composite, mass);
    assert_int_equal(hn_tree_factor(m.tree, mass), 1);
    hn_tree_solve(m.tree, mass, ud_mass);
    double most = 1;
    for (int i = 0; i < nu; i++) most = fmax(most, fabs(ud[i]));
    check_near_many(ud_mass, ud, nu, 1e-11 * most);
  }
  tree_machine_close(&m);
}

// Accelerations and multipliers satisfy the Cartesian equations of every body.
static void every_body_is_in_balance(void **state) {
  int with_rows = *(int *)*state;
  tree_machine m = tree_machine_all(16, with_rows);
  hn_random random = hn_random_seed(10);
  double q[MOST], u[MOST], qd[MOST];
  hn_snapshot *s = m.snapshot;
  hn_error error;
  random_state(&m, &random, q, u);
  hn_relative_rates(m.equations, q, u, qd);
  check_ok(hn_relative.evaluate(m.equations, 0, q, qd, &m.branches, s, &error));
  const hn_cartesian_rows *rows = m.equations->rows;
  for (int b = 1; b < m.model->body_count; b++) {
    const hn_body_def *body = &m.model->bodies[b];
    const hn_frame *f = &s->frames[b];
    hn_mat3 i =
        mat3_multiply(mat3_multiply(f->a, mat3_symmetric(body->inertia)), mat3_transpose(f->a));
    hn_vec3 force = vec3_scale(body->mass, vec3_sub(s->acceleration[b], m.model->gravity));
    hn_vec3 torque =
        vec3_add(mat3_apply(i, s->angular_acceleration[b]), vec3_cross(f->w, mat3_apply(i, f->w)));
    for (int r = 0; r < m.elements->row_count; r++)
      for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++) {
        if (rows->body[k] != b) continue;
        force = vec3_add_scaled(force, s->lambda[r], vec3_load(&rows->block[6 * k]));
        torque = vec3_add_scaled(torque, s->lambda[r], vec3_load(&rows->block[6 * k + 3]));
      }
    check_near(vec3_norm(force), 0, 1e-9);
    check_near(vec3_norm(torque), 0, 1e-9);
  }
  for (int r = 0; r < m.elements->row_count; r++) check_near(s->phi_acceleration[r], 0, 1e-9);
  // qdd is what belongs to ud
  for (int k = 0; k < m.tree->count; k++) {
    const hn_tree_node *node = &m.tree->nodes[k];
    if (node->kind != HN_LINK_BALL) continue;
    hn_vec3 wd = vec3_scale(2, euler_e_apply(quat_load(&q[node->q]), quat_load(&s->qdd[node->q])));
    check_near_many((double *)&wd, &s->ud[node->u], 3, 1e-11);
  }
  tree_machine_close(&m);
}

static void projection_reaches_cut_rows(void **state) {
  (void)state;
  tree_machine m = tree_machine_all(17, 1);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(11);
  double q[MOST], u[MOST], qd[MOST], correction[MOST];
  random_state(&m, &random, q, u);
  // constraints at a nearby state define the target: constants of the joints
  frames_at(&m, q, u, self->frames);
  const hn_cartesian_rows *rows =
      hn_cartesian_evaluate_rows(m.equations, 0, self->frames, &m.branches);
  for (int c = 0; c < self->cut_count; c++) {
    int r = self->cut_row[c];
    m.elements->rows[r].constant += rows->value[r] + 1e-3;
    m.equations->rows->shapes[m.elements->rows[r].owner].rows = 0; // which knows of no constants
  }
  assert_int_equal(self->cut_count, 3);
  check_ok(hn_relative.project_positions(m.equations, 0, q, &m.branches, 1e-12, correction));
  hn_relative_rates(m.equations, q, u, qd);
  check_ok(hn_relative.project_velocities(m.equations, 0, q, qd, &m.branches, correction));
  hn_relative_speeds(m.equations, q, qd, u);
  frames_at(&m, q, u, self->frames);
  hn_cartesian_evaluate_rows(m.equations, 0, self->frames, &m.branches);
  for (int r = 0; r < m.elements->row_count; r++) {
    check_near(rows->value[r], 0, 1e-12); // those of tree joints always
    check_near(rows->rate[r], 0, 1e-11);
  }
  tree_machine_close(&m);
}

int main(void) {
  static int no = 0, yes = 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(velocities_are_derivatives_of_poses),
      cmocka_unit_test(bias_is_acceleration_at_constant_speeds),
      cmocka_unit_test(coordinates_are_read_back_from_frames),
      cmocka_unit_test(composite_inertia_is_cartesian_mass_in_joint_speeds),
      cmocka_unit_test(inverse_of_forward_is_identity),
      cmocka_unit_test_prestate(every_body_is_in_balance, &no),
      cmocka_unit_test_prestate(every_body_is_in_balance, &yes),
      cmocka_unit_test(projection_reaches_cut_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
