// Planar models: the recursions in two dimensions against those in space, equations of cut joints
// too; spatial subtrees are excluded from the former.
#include <stdlib.h>

#include "equations/tree_machine.h"

enum { MOST = 40, LINKS = 9 };

// A frame on a body whose z (or x) axis is the body's normal, turned about it at random.
static hn_frame_on_body planar_frame(hn_random *random, int body, hn_vec3 n, int normal_is_x) {
  hn_vec3 a = vec3_unit(vec3_cross(n, random_vec3(random, 1))), b = vec3_cross(n, a);
  hn_mat3 r = normal_is_x ? mat3_from_columns(n, a, b) : mat3_from_columns(a, b, n);
  // points in the plane of the centers of mass
  hn_vec3 point = vec3_add(vec3_scale(hn_random_uniform(random, -0.5, 0.5), a),
                           vec3_scale(hn_random_uniform(random, -0.5, 0.5), b));
  return (hn_frame_on_body){body, point, quat_from_matrix(r)};
}

static void planar_joint(hn_model *model, hn_random *random, hn_joint_type type, int number,
                         const hn_vec3 *normal, int body1, int body2) {
  char name[16];
  snprintf(name, sizeof name, "j%d", number);
  hn_joint_def def = hn_default_joint(type);
  def.name = name;
  int along_x = type == HN_JOINT_TRANSLATIONAL;
  double sign = number % 3 == 1 ? -1 : 1; // some axes point the other way, at both ends
  def.frame1 = planar_frame(random, body1, vec3_scale(sign, normal[body1]), along_x);
  def.frame2 = planar_frame(random, body2, vec3_scale(sign, normal[body2]), along_x);
  check_ok(hn_model_add_joint(model, &def, NULL));
}

// Hinges, slides and a rigid joint in a tree, given from either side, in a plane that no axis of
// coordinates lies in. loops: revolute joints more.
static hn_model *planar_model(uint64_t seed, int loops, hn_vec3 *normal) {
  static const hn_joint_type types[LINKS] = {
      HN_JOINT_REVOLUTE, HN_JOINT_REVOLUTE, HN_JOINT_TRANSLATIONAL,
      HN_JOINT_REVOLUTE, HN_JOINT_FIXED,    HN_JOINT_REVOLUTE,
      HN_JOINT_PLANAR,   HN_JOINT_REVOLUTE, HN_JOINT_REVOLUTE};
  static const int parent[LINKS] = {0, 1, 2, 3, 4, 2, 0, 7, 8};
  hn_random random = hn_random_seed(seed);
  hn_model *model = NULL;
  check_ok(hn_model_create(NULL, &model));
  check_ok(hn_model_set_gravity(model, vec3(1, -2, -9.81)));
  normal[0] = vec3_unit(random_vec3(&random, 1));
  for (int b = 1; b <= LINKS; b++) {
    normal[b] = vec3_unit(random_vec3(&random, 1));
    assert_int_equal(tree_body(model, &random, b), b);
    int is_turned = b % 2, up = parent[b - 1];
    planar_joint(model, &random, types[b - 1], b, normal, is_turned ? b : up, is_turned ? up : b);
  }
  for (int k = 0; k < loops; k++)
    planar_joint(model, &random, HN_JOINT_REVOLUTE, LINKS + 1 + k, normal, k == 0 ? 0 : 6,
                 k == 0 ? 5 : 9);
  return model;
}

static void add_springs(hn_model *model) {
  for (int j = 0; j < model->joint_count; j++) {
    int turns = model->joints[j].type == HN_JOINT_REVOLUTE;
    if (!turns && model->joints[j].type != HN_JOINT_TRANSLATIONAL) continue;
    char name[16];
    snprintf(name, sizeof name, "f%d", j);
    hn_force_def def = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
    hn_error error;
    def.name = name;
    def.joint = j;
    def.coordinate = turns ? HN_COORDINATE_ANGLE : HN_COORDINATE_DISPLACEMENT;
    check_ok(hn_law_polynomial((double[]){0.2 * j, 3 + j}, 2, NULL, &def.of_x, &error));
    if (j % 2) check_ok(hn_law_polynomial((double[]){0.1, 0.5}, 2, NULL, &def.of_v, &error));
    check_ok(hn_model_add_force(model, &def, NULL));
  }
}

static void random_wrenches(hn_random *random, hn_tree_wrench *w, int count) {
  for (int k = 0; k < count; k++)
    w[k] = (hn_tree_wrench){random_vec3(random, 5), random_vec3(random, 5)};
}

static void forward_and_inverse_are_those_in_space(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 5; seed++) {
    hn_vec3 normal[LINKS + 1];
    tree_machine m = tree_machine_open(planar_model(seed, 0, normal));
    hn_relative_set *self = (hn_relative_set *)m.equations;
    hn_random random = hn_random_seed(seed + 70);
    int nodes = m.tree->count, nu = m.tree->nu;
    assert_non_null(self->plane);
    hn_tree_articulated *room = HN_TAKE(&m.arena, hn_tree_articulated, nodes);
    for (int trial = 0; trial < 10; trial++) {
      double q[MOST], u[MOST], tau[MOST], ud[MOST], in_plane[MOST], most = 1;
      hn_tree_wrench applied[MOST], force[MOST];
      hn_vec3 a[MOST], w[MOST], base = random_vec3(&random, 5);
      random_state(&m, &random, q, u);
      hn_random_fill(&random, tau, nu, -3, 3);
      random_wrenches(&random, applied, nodes);
      for (int k = 0; k < nodes; k++) // nodes inside joints carry nothing
        if (m.tree->nodes[k].body == 0) applied[k] = (hn_tree_wrench){vec3_zero(), vec3_zero()};
      hn_tree_move(m.tree, q, u, base, self->motion);
      hn_plane_move(self->plane, q, u, base);
      assert_int_equal(hn_tree_forward(m.tree, self->motion, applied, tau, room, a, w, ud), 1);
      assert_int_equal(hn_plane_forward(self->plane, applied, tau, in_plane), 1);
      for (int i = 0; i < nu; i++) most = fmax(most, fabs(ud[i]));
      check_near_many(in_plane, ud, nu, 1e-11 * most);
      hn_random_fill(&random, ud, nu, -3, 3);
      hn_tree_accelerate(m.tree, self->motion, ud, a, w);
      hn_tree_inverse(m.tree, self->motion, a, w, applied, force, tau);
      hn_plane_inverse(self->plane, ud, applied, in_plane);
      check_near_many(in_plane, tau, nu, 1e-11);
      hn_tree_inverse(m.tree, self->motion, NULL, NULL, applied, force, tau);
      hn_plane_inverse(self->plane, NULL, applied, in_plane);
      check_near_many(in_plane, tau, nu, 1e-11);
    }
    tree_machine_close(&m);
  }
}

static void composite_inertia_is_that_in_space(void **state) {
  (void)state;
  hn_vec3 normal[LINKS + 1];
  tree_machine m = tree_machine_open(planar_model(8, 2, normal));
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(9);
  double q[MOST], u[MOST], mass[MOST * MOST];
  random_state(&m, &random, q, u);
  assert_non_null(self->plane);
  hn_tree_move(m.tree, q, NULL, vec3_zero(), self->motion);
  hn_plane_move(self->plane, q, NULL, vec3_zero());
  hn_tree_mass(m.tree, self->motion, self->composite, self->mass);
  hn_plane_mass(self->plane, m.tree, mass);
  check_near_many(mass, self->mass, m.tree->mass_start[m.tree->nu], 1e-12);
  tree_machine_close(&m);
}

// Off the constraints, where every term counts.
static void rows_of_loops_are_those_in_space(void **state) {
  (void)state;
  hn_vec3 normal[LINKS + 1];
  tree_machine m = tree_machine_open(planar_model(10, 2, normal));
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(11);
  int cuts = self->cut_count, active = 0;
  assert_in_range(cuts, 6, 10); // revolute joints, or the planar one, all of whose rows are across
  assert_non_null(self->flat.cuts);
  for (int trial = 0; trial < 10; trial++) {
    double q[MOST], u[MOST], j[10 * MOST], tau[10], rate[10], size[10];
    random_state(&m, &random, q, u);
    hn_tree_move(m.tree, q, u, vec3_zero(), self->motion);
    hn_tree_frames(m.tree, NULL, self->motion, self->frames);
    memset(self->base.redundant, 0, (size_t)m.elements->row_count);
    hn_relative_evaluate_cuts(self, 0, self->frames, &m.branches);
    memcpy(j, self->j_values, (size_t)self->j_start[cuts] * sizeof(double));
    memcpy(tau, self->tau, (size_t)cuts * sizeof(double));
    // rows across the plane are left out: they are zero
    for (int c = 0; c < cuts; c++) {
      int r = self->cut_row[c], place = m.elements->rows[r].place;
      hn_joint_type type = m.model->joints[m.elements->rows[r].owner].type;
      self->base.redundant[r] = type != HN_JOINT_REVOLUTE || place >= 2;
      if (!self->base.redundant[r]) continue;
      check_near(self->base.rows->value[r], 0, 1e-13);
      for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++) check_near(j[k], 0, 1e-13);
    }
    assert_true(hn_plane_holds_rows(self));
    hn_plane_move(self->plane, q, u, vec3_zero());
    hn_plane_gaps(self, 1);
    memcpy(rate, self->gap, (size_t)cuts * sizeof(double));
    hn_plane_gaps(self, 0);
    hn_plane_carry_cuts(self);
    self->rotation = 1;
    hn_motion_in_plane.find_sizes(self, HN_CUT_KEPT);
    memcpy(size, self->judged.by_length, (size_t)cuts * sizeof(double));
    for (int c = 0; c < cuts; c++) {
      int r = self->cut_row[c];
      if (self->base.redundant[r]) continue;
      active++;
      check_near(-self->gap[c], self->base.rows->value[r], 1e-13);
      check_near(-rate[c], self->base.rows->rate[r], 1e-12);
      check_near(self->tau[c], tau[c], 1e-11);
      for (int k = self->j_start[c]; k < self->j_start[c + 1]; k++)
        check_near(self->j_values[k], j[k], 1e-13);
      assert_true(size[c] >= 1 && size[c] < 4);
    }
  }
  assert_in_range(active, 20, 40);
  tree_machine_close(&m);
}

// evaluate: in space, with forces by their general laws; evaluate_stage: in the plane, straight laws.
static void stages_have_the_accelerations_of_the_whole(void **state) {
  int loops = *(int *)*state;
  hn_vec3 normal[LINKS + 1];
  hn_model *model = planar_model(12, loops, normal);
  add_springs(model);
  tree_machine m = tree_machine_open(model);
  hn_relative_set *self = (hn_relative_set *)m.equations;
  hn_random random = hn_random_seed(13);
  hn_snapshot *s = m.snapshot;
  double q[MOST], u[MOST], ud[MOST], power, most = 1;
  random_state(&m, &random, q, u);
  assert_true(self->forces.spring_count >= 5);
  check_ok(hn_relative.evaluate(m.equations, 0, q, u, &m.branches, s, NULL));
  memcpy(ud, s->ud, (size_t)m.tree->nu * sizeof(double));
  power = s->power;
  assert_false(self->present->is_flat);
  check_ok(hn_relative.evaluate_stage(m.equations, 0, q, u, &m.branches, s, NULL));
  assert_int_equal(self->present->is_flat, self->forces.measured == 0 || loops == 0);
  for (int i = 0; i < m.tree->nu; i++) most = fmax(most, fabs(ud[i]));
  check_near_many(s->ud, ud, m.tree->nu, 1e-9 * most);
  check_near(s->power, power, 1e-9 * (1 + fabs(power)));
  tree_machine_close(&m);
}

static void a_hinge_out_of_the_plane_is_seen(void **state) {
  (void)state;
  hn_vec3 normal[LINKS + 1];
  hn_model *model = planar_model(14, 0, normal);
  hn_random random = hn_random_seed(15);
  int last = tree_body(model, &random, LINKS + 1);
  hn_joint_def def = hn_default_joint(HN_JOINT_REVOLUTE);
  def.name = "tilted";
  def.frame1 = planar_frame(&random, 3, normal[3], 0);
  def.frame1.orientation =
      quat_multiply(def.frame1.orientation, quat_from_axis_angle(vec3(1, 0, 0), 1e-9));
  def.frame2 = (hn_frame_on_body){last, vec3_zero(), quat_identity()};
  check_ok(hn_model_add_joint(model, &def, NULL));
  tree_machine m = tree_machine_open(model);
  assert_null(((hn_relative_set *)m.equations)->plane);
  tree_machine_close(&m);
}

static void a_loop_closed_beside_the_plane_is_seen(void **state) {
  (void)state;
  hn_vec3 normal[LINKS + 1];
  hn_model *model = planar_model(16, 1, normal);
  hn_random random = hn_random_seed(17);
  hn_joint_def def = hn_default_joint(HN_JOINT_REVOLUTE);
  def.name = "aside";
  def.frame1 = planar_frame(&random, 6, normal[6], 0);
  def.frame2 = planar_frame(&random, 9, normal[9], 0);
  def.frame2.position = vec3_add_scaled(def.frame2.position, 1e-9, normal[9]);
  check_ok(hn_model_add_joint(model, &def, NULL));
  tree_machine m = tree_machine_open(model);
  assert_null(((hn_relative_set *)m.equations)->plane);
  tree_machine_close(&m);
}

int main(void) {
  static int none = 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forward_and_inverse_are_those_in_space),
      cmocka_unit_test(composite_inertia_is_that_in_space),
      cmocka_unit_test(rows_of_loops_are_those_in_space),
      cmocka_unit_test_prestate(stages_have_the_accelerations_of_the_whole, &none),
      cmocka_unit_test(a_hinge_out_of_the_plane_is_seen),
      cmocka_unit_test(a_loop_closed_beside_the_plane_is_seen),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
