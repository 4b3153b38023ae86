// The integration Jacobian in independent coordinates: every column against differences of the
// state-space ODE vdd = f(t, v, vd), which is evaluated through recovery and the equations in speeds;
// the same bits on any number of threads; the filter.
#include "integrate/reduction_rig.h"
#include "support/tangent.h"

static const unsigned kinds[] = {HN_INDEPENDENT_PARTITION, HN_INDEPENDENT_TANGENT_PLANE};

// vdd = f(t, v, vd), starting recovery from the rig's state.
static void ode(rig *r, double t, const double *v, const double *vd, double *f) {
  static double q[RIG_MOST], qd[RIG_MOST];
  memcpy(q, r->q, sizeof q);
  memcpy(qd, r->qd, sizeof qd);
  rig_recover(r, t, v, vd, q, qd);
  check_ok(
      r->equations->type->evaluate(r->equations, t, q, qd, &r->s->branches, r->snapshot, NULL));
  hn_reduction_restrict(r->reduction, r->snapshot->qdd, f);
}

// Sixth-order difference of f in one argument: k < size: v_k, then vd_k, then t.
static void difference(rig *r, int k, double *out) {
  static const double weight[] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  static double v[RIG_MOST], vd[RIG_MOST], f[RIG_MOST];
  int size = hn_reduction_size(r->reduction);
  double h = k < 2 * size && k >= size ? 1e-2 : 3e-5;
  for (int i = 0; i < size; i++) out[i] = 0;
  for (int j = -3; j <= 3; j++) {
    if (j == 0) continue;
    double t = r->t;
    memcpy(v, r->v, sizeof v);
    memcpy(vd, r->vd, sizeof vd);
    if (k < size)
      v[k] += j * h;
    else if (k < 2 * size)
      vd[k - size] += j * h;
    else
      t += j * h;
    ode(r, t, v, vd, f);
    double w = weight[abs(j) - 1] * (j > 0 ? 1 : -1) / h;
    for (int i = 0; i < size; i++) out[i] += w * f[i];
  }
}

// The tangent and the blocks at the rig's state.
static void make_blocks(rig *r, hn_threads *threads) {
  hn_branches *b = &r->s->branches;
  rig_recover(r, r->t, r->v, r->vd, r->q, r->qd);
  check_ok(r->equations->type->evaluate(r->equations, r->t, r->q, r->qd, b, r->snapshot, NULL));
  check_ok(tangent_basic(r->tangent, r->t, r->q, r->qd, b, NULL));
  memcpy(r->lambda, r->snapshot->lambda,
         (size_t)r->equations->elements->row_count * sizeof(double));
  r->tangent->type->normalization_multipliers(r->tangent, r->lambda);
  check_ok(tangent_full(r->tangent, r->t, r->q, r->qd, r->snapshot->qdd, r->lambda, b, NULL));
  check_ok(hn_reduction_factor(r->reduction));
  check_ok(hn_reduced_jacobian_renew(r->jacobian, r->qd, threads));
}

// Mhat times the difference against what the blocks say.
static double check_argument(rig *r, int k, double *largest) {
  static double unit[RIG_MOST], exact[RIG_MOST], numeric[RIG_MOST], image[RIG_MOST];
  int size = hn_reduction_size(r->reduction);
  double error = 0;
  memset(unit, 0, sizeof unit);
  difference(r, k, numeric);
  hn_reduced_jacobian_multiply(r->jacobian, HN_REDUCED_MASS, numeric, image);
  if (k < 2 * size) unit[k % size] = -1;
  if (k < size)
    hn_reduced_jacobian_multiply(r->jacobian, HN_REDUCED_STIFFNESS, unit, exact);
  else if (k < 2 * size)
    hn_reduced_jacobian_multiply(r->jacobian, HN_REDUCED_DAMPING, unit, exact);
  else
    memcpy(exact, hn_reduced_jacobian_f_t(r->jacobian), (size_t)size * sizeof(double));
  for (int i = 0; i < size; i++) {
    error = fmax(error, fabs(image[i] - exact[i]));
    *largest = fmax(*largest, fabs(exact[i]));
  }
  return error;
}

// Scale of f_t when nothing depends on time: the forces, per second.
static double force_size(rig *r) {
  static double f[RIG_MOST], image[RIG_MOST];
  double most = 1e-3;
  ode(r, r->t, r->v, r->vd, f);
  hn_reduced_jacobian_multiply(r->jacobian, HN_REDUCED_MASS, f, image);
  for (int i = 0; i < hn_reduction_size(r->reduction); i++) most = fmax(most, fabs(image[i]));
  return most;
}

static void check_blocks(const rig_machine *from, const char *coordinates, unsigned kind,
                         double limit) {
  static rig r;
  double error[3] = {0}, largest[3] = {1e-3, 1e-3, 1e-3};
  rig_open(&r, from, coordinates, kind, 0.017, 1e-3, 7);
  make_blocks(&r, NULL);
  int size = hn_reduction_size(r.reduction);
  assert_int_equal(size, from->freedoms);
  largest[2] = force_size(&r);
  for (int k = 0; size > 0 && k <= 2 * size; k++) {
    int which = k / size < 2 ? k / size : 2;
    error[which] = fmax(error[which], check_argument(&r, k, &largest[which]));
  }
  for (int i = 0; i < 3; i++)
    if (!(error[i] <= limit * largest[i]))
      print_message("%s %s %s %s: block %d off by %.2e of %.2e\n", from->model,
                    from->setting ? from->setting : "", coordinates, hn_independent_name(kind), i,
                    error[i], largest[i]);
  for (int i = 0; i < 3; i++) check_at_most(error[i], limit * largest[i]);
  rig_close(&r);
}

static void blocks_equal_differences_on_each_machine(void **state) {
  (void)state;
  for (int m = 0; m < RIG_MACHINES; m++)
    for (int kind = 0; kind < 2; kind++)
      check_blocks(&rig_machines[m], "cartesian", kinds[kind], 1e-6);
}

static void blocks_equal_differences_in_joint_coordinates(void **state) {
  (void)state;
  for (int m = 0; m < RIG_MACHINES; m++)
    for (int kind = 0; kind < 2; kind++)
      check_blocks(&rig_machines[m], "relative", kinds[kind], 1e-6);
}

static void blocks_equal_differences_in_natural_coordinates(void **state) {
  (void)state;
  for (int m = 0; m < RIG_MACHINES; m++)
    check_blocks(&rig_machines[m], "natural", kinds[m % 2], 1e-6);
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  static rig r;
  static double x[RIG_MOST], y[4][3][RIG_MOST];
  hn_random random = hn_random_seed(2);
  rig_open(&r, &rig_machines[13], "cartesian", HN_INDEPENDENT_PARTITION, 0.02, 1e-3, 9);
  hn_random_fill(&random, x, RIG_MOST, -1, 1);
  for (int count = 1; count <= 4; count++) {
    hn_threads *threads = NULL;
    if (hn_threads_create(NULL, count, &threads) != HN_OK) continue;
    make_blocks(&r, threads);
    hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_MASS, x, y[count - 1][0]);
    hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_DAMPING, x, y[count - 1][1]);
    hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_STIFFNESS, x, y[count - 1][2]);
    assert_memory_equal(y[0], y[count - 1], sizeof y[0]);
    hn_threads_free(threads);
  }
  rig_close(&r);
}

// (I - g G) (x1, x2) = (r1, r2) with G = [0 1; f_v f_vd].
static void the_filter_solves_the_first_order_form(void **state) {
  (void)state;
  static rig r;
  static double r1[RIG_MOST], r2[RIG_MOST], x1[RIG_MOST], x2[RIG_MOST];
  static double left[RIG_MOST], right[RIG_MOST], part[RIG_MOST];
  double g = 2e-3;
  rig_open(&r, &rig_machines[13], "cartesian", HN_INDEPENDENT_TANGENT_PLANE, 0.02, 1e-3, 9);
  make_blocks(&r, NULL);
  int size = hn_reduction_size(r.reduction);
  hn_random random = hn_random_seed(3);
  hn_random_fill(&random, r1, size, -1, 1);
  hn_random_fill(&random, r2, size, -1, 1);
  memcpy(x1, r1, sizeof x1);
  memcpy(x2, r2, sizeof x2);
  check_ok(hn_reduced_jacobian_factor(r.jacobian, hn_first_order_numbers(g)));
  hn_reduced_jacobian_filter(r.jacobian, x1, x2);
  for (int i = 0; i < size; i++) check_near(x1[i] - g * x2[i], r1[i], 1e-10);
  // Mhat x2 + g (M2 x1 + M1 x2) = Mhat r2
  hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_MASS, x2, left);
  hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_STIFFNESS, x1, part);
  for (int i = 0; i < size; i++) left[i] += g * part[i];
  hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_DAMPING, x2, part);
  for (int i = 0; i < size; i++) left[i] += g * part[i];
  hn_reduced_jacobian_multiply(r.jacobian, HN_REDUCED_MASS, r2, right);
  for (int i = 0; i < size; i++) check_near(left[i], right[i], 1e-7 * (1 + fabs(right[i])));
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_equal_differences_on_each_machine),
      cmocka_unit_test(blocks_equal_differences_in_joint_coordinates),
      cmocka_unit_test(blocks_equal_differences_in_natural_coordinates),
      cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(the_filter_solves_the_first_order_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
