// Stiffness along free directions against second differences of the potential along the motion that
// the joints allow.
#include "analysis/stiffness.h"

#include "analysis/assembly_positions.h"
#include "analysis/parts.h"
#include "analysis/statics.h"
#include "linalg/rank.h"

static const hn_vec3 Z = {0, 0, 1};

// A two-bar linkage in space with springs and a bushing, two degrees of freedom and more.
static hn_model *make_machine(void) {
  hn_model *model = begin_model(vec3(0.7, -2, -9.81));
  int a = add_body(model, "a", vec3(0.5, 0.1, 0)), b = add_body(model, "b", vec3(1.3, 0.4, -0.2));
  hn_joint_def hip = joint_at(model, HN_JOINT_UNIVERSAL, "hip", HN_GROUND, a, vec3(0, 0, 0), Z);
  hip.frame2 = hn_model_frame(model, a, vec3(0, 0, 0), vec3(1, 0.3, 0));
  add_joint_def(model, hip);
  add_joint(model, HN_JOINT_SPHERICAL, "knee", a, b, vec3(1, 0.2, 0), Z);
  hn_joint_def link = hn_default_joint(HN_JOINT_DISTANCE);
  link.name = "link";
  link.frame1 = hn_model_frame(model, HN_GROUND, vec3(1.5, 1, 0.5), Z);
  link.frame2 = hn_model_frame(model, b, vec3(1.6, 0.6, -0.4), Z);
  add_joint_def(model, link);
  add_spring(model, "spring", HN_GROUND, vec3(0.2, 0.1, 1), b, vec3(1.5, 0.3, -0.3), 60, 0.8);
  add_spring(model, "inner", a, vec3(0.2, 0.4, 0.1), b, vec3(1.1, 0.9, 0), 40, 0.5);
  hn_force_def bushing = hn_default_force(HN_FORCE_BUSHING);
  bushing.name = "bushing";
  bushing.frame1 = hn_model_frame(model, HN_GROUND, vec3(0.6, 0, 0.1), vec3(0, 1, 1));
  bushing.frame2 = hn_model_frame(model, a, vec3(0.6, 0, 0.1), vec3(0, 1, 1));
  for (int i = 0; i < 6; i++) bushing.stiffness[i] = 20 + 5 * i;
  check_ok(hn_model_add_force(model, &bushing, NULL));
  return model;
}

// The potential after a step along `motion` from the setting's position, joints closed again.
static double potential_after(setting *s, const double *motion, double amount) {
  hn_arena arena;
  hn_assembly assembly;
  hn_assembly_rows rows;
  hn_arena_init(&arena, NULL);
  unsigned char *none = HN_TAKE(&arena, unsigned char, s->model->body_count);
  unsigned char *all = HN_TAKE(&arena, unsigned char, s->elements->row_count);
  hn_wrench *wrench = HN_TAKE(&arena, hn_wrench, s->model->body_count);
  double *forces = HN_TAKE(&arena, double, s->equations->nu), potential;
  memset(all, 1, (size_t)s->elements->row_count);
  check_ok(hn_assembly_begin(&arena, s->equations, 0, s->q, s->zero, &s->branches, &assembly));
  check_ok(hn_assembly_rows_create(&arena, s->elements, none, NULL, 0, &rows));
  for (int b = 1; b < s->model->body_count; b++) {
    hn_frame *f = &assembly.frames[b];
    hn_vec3 turn = vec3_scale(amount, vec3_load(&motion[6 * (b - 1) + 3]));
    f->r = vec3_add_scaled(f->r, amount, vec3_load(&motion[6 * (b - 1)]));
    f->p = quat_multiply(quat_from_axis_angle(turn, vec3_norm(turn)), f->p);
    f->a = quat_matrix(f->p);
  }
  assert_int_equal(hn_assembly_solve_positions(&assembly, &rows, all), 1);
  check_ok(hn_forces_at_rest(s->elements, 0, assembly.frames, &s->branches, wrench, forces,
                             &potential, NULL));
  hn_arena_release(&arena);
  return potential;
}

static void stiffness_is_the_curvature_of_the_potential(void **state) {
  (void)state;
  enum { N = 12, ROWS = 8, FREE = N - ROWS };
  setting s;
  set_up(&s, make_machine());
  check_ok(hn_statics_solve(s.equations, NULL, 0, s.q, &s.branches, NULL, NULL, &s.error));
  update_frames(&s);
  hn_cartesian.coordinates->frames(s.equations, s.q, s.zero, s.frames);
  // multipliers at rest and a basis of the free directions
  const hn_cartesian_rows *rows = hn_cartesian_evaluate_rows(s.equations, 0, s.frames, &s.branches);
  assert_int_equal(s.elements->row_count, ROWS);
  double j[ROWS * N] = {0}, keep[ROWS * N], z[N * N], work[3 * N + ROWS], scratch[N * FREE];
  int order[N];
  for (int r = 0; r < ROWS; r++)
    for (int k = rows->row_start[r]; k < rows->row_start[r + 1]; k++)
      for (int i = 0; i < 6; i++)
        j[r + ROWS * (6 * (rows->body[k] - 1) + i)] = rows->block[6 * k + i];
  memcpy(keep, j, sizeof j);
  assert_int_equal(hn_rank_qr(j, ROWS, N, 1e-9, NULL, order, work), ROWS);
  hn_rank_null_space(j, ROWS, N, ROWS, order, z);
  // J' lambda = F by normal equations: J J' lambda = J F
  hn_wrench wrench[3];
  double forces[N], normal[ROWS * ROWS], lambda[ROWS], reduced[FREE * FREE];
  int pivots[ROWS];
  check_ok(hn_forces_at_rest(s.elements, 0, s.frames, &s.branches, wrench, forces, NULL, NULL));
  for (int a = 0; a < ROWS; a++) {
    lambda[a] = 0;
    for (int i = 0; i < N; i++) lambda[a] += keep[a + ROWS * i] * forces[i];
    for (int b = 0; b < ROWS; b++) {
      normal[a + ROWS * b] = 0;
      for (int i = 0; i < N; i++) normal[a + ROWS * b] += keep[a + ROWS * i] * keep[b + ROWS * i];
    }
  }
  assert_int_equal(hn_dense_lu(normal, ROWS, pivots), 0);
  hn_dense_lu_solve(normal, ROWS, pivots, lambda);
  hn_reduced_stiffness(s.elements, 0, s.frames, &s.branches, lambda, z, FREE, scratch, reduced);

  for (int a = 0; a < FREE; a++)
    for (int b = 0; b <= a; b++) {
      check_near(reduced[a + FREE * b], reduced[b + FREE * a], 1e-9); // conservative: symmetric
      double sum[N], difference[N], h = 1e-3, curvature = 0;
      for (int i = 0; i < N; i++) {
        sum[i] = z[N * a + i] + z[N * b + i];
        difference[i] = z[N * a + i] - z[N * b + i];
      }
      // the polar form of a quadratic, by fourth-order differences
      for (int k = 0; k < 2; k++) {
        const double *along = k ? difference : sum;
        if (k && a == b) continue;
        double second = (-potential_after(&s, along, 2 * h) + 16 * potential_after(&s, along, h) -
                         30 * potential_after(&s, along, 0) + 16 * potential_after(&s, along, -h) -
                         potential_after(&s, along, -2 * h)) /
                        (12 * h * h);
        curvature += (k ? -0.25 : 0.25) * second;
      }
      check_near(reduced[a + FREE * b], curvature, 2e-4);
    }
  tear_down(&s);
}

// A pendulum of length l: m g l along the unit turn.
static void a_hanging_bar_has_the_stiffness_of_its_weight(void **state) {
  (void)state;
  setting s;
  hn_model *model = begin_model(vec3(0, -9.81, 0));
  int bar = add_body(model, "bar", vec3(0, -0.5, 0));
  add_joint(model, HN_JOINT_REVOLUTE, "pin", HN_GROUND, bar, vec3(0, 0, 0), Z);
  set_up(&s, model);
  double z[6] = {0.5, 0, 0, 0, 0, 1}, lambda[5] = {0}, scratch[6], stiffness;
  // the pin carries the weight: F = J' lambda, found in the row whose gradient is along y
  const hn_cartesian_rows *rows = hn_cartesian_evaluate_rows(s.equations, 0, s.frames, &s.branches);
  for (int r = 0; r < 5; r++) lambda[r] = -9.81 * rows->block[6 * r + 1];
  hn_reduced_stiffness(s.elements, 0, s.frames, &s.branches, lambda, z, 1, scratch, &stiffness);
  check_near(stiffness, 9.81 * 0.5, 1e-13);
  tear_down(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stiffness_is_the_curvature_of_the_potential),
      cmocka_unit_test(a_hanging_bar_has_the_stiffness_of_its_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
