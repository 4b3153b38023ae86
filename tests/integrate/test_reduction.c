// Independent coordinates: E = [Phi_q; V'] and its inverse [Z P] on every model, recovery, the
// choice in loops with redundant rows, wear.
#include "integrate/reduction_private.h"
#include "integrate/reduction_rig.h"
#include "support/machines.h"
#include "support/tangent.h"

static const unsigned kinds[] = {HN_INDEPENDENT_PARTITION, HN_INDEPENDENT_TANGENT_PLANE};

static double product(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double size_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// ---- the inverse --------------------------------------------------------------------------------

// Phi_q P = 0, V' P = 1, Phi_q Z = 1 on rows kept, V' Z = 0, and the transposes agree.
static void check_inverse(rig *r) {
  hn_random random = hn_random_seed(5);
  static double v[RIG_MOST], c[RIG_MOST], x[RIG_MOST], z[RIG_MOST], w[RIG_MOST], f[RIG_MOST];
  const unsigned char *left_out = hn_reduction_left_out(r->reduction);
  int n = r->tangent->n, rows = r->tangent->rows, size = hn_reduction_size(r->reduction);
  hn_random_fill(&random, v, size, -1, 1);
  hn_random_fill(&random, c, rows, -1, 1);
  hn_random_fill(&random, f, n, -1, 1);

  hn_reduction_image(r->reduction, v, x);
  double limit = 1e-9 * (1 + size_of(x, n));
  hn_reduction_restrict(r->reduction, x, w);
  check_near_many(w, v, size, limit);
  memset(w, 0, sizeof w);
  hn_sparse_add_product(&r->tangent->phi_q, 1, x, w);
  for (int k = 0; k < rows; k++) check_near(w[k], 0, limit);
  double with_v = product(f, x, n);

  hn_reduction_solve(r->reduction, c, NULL, z, r->reduction->work); // Z c
  limit = 1e-9 * (1 + size_of(z, n));
  hn_reduction_restrict(r->reduction, z, w);
  for (int k = 0; k < size; k++) check_near(w[k], 0, limit);
  memset(w, 0, sizeof w);
  hn_sparse_add_product(&r->tangent->phi_q, 1, z, w);
  for (int k = 0; k < rows; k++)
    if (!left_out[k]) check_near(w[k], c[k], limit);

  hn_reduction_project(r->reduction, f, w);
  check_near(product(w, v, size), with_v, 1e-9 * (1 + fabs(with_v) + size_of(x, n)));
  hn_reduction_multipliers(r->reduction, f, w);
  double with_c = product(f, z, n);
  check_near(product(w, c, rows), with_c, 1e-9 * (1 + fabs(with_c) + size_of(z, n)));
}

static void each_machine_has_an_inverse(void **state) {
  (void)state;
  static rig r;
  static const char *const coordinates[] = {"cartesian", "natural"};
  for (int m = 0; m < RIG_MACHINES; m++)
    for (int way = 0; way < 4; way++) {
      rig_open(&r, &rig_machines[m], coordinates[way / 2], kinds[way % 2], 0.013, 1e-3, 3);
      assert_int_equal(hn_reduction_size(r.reduction), rig_machines[m].freedoms);
      assert_true(hn_reduction_size(r.reduction) <= hn_reduction_most(r.reduction));
      assert_false(hn_reduction_is_worn(r.reduction));
      check_inverse(&r);
      rig_close(&r);
    }
}

static void recovered_states_satisfy_the_constraints(void **state) {
  (void)state;
  static rig r;
  static double v[RIG_MOST];
  for (int m = 0; m < RIG_MACHINES; m++)
    for (int kind = 0; kind < 2; kind++) {
      rig_open(&r, &rig_machines[m], "cartesian", kinds[kind], 0.013, 1e-3, 4);
      rig_recover(&r, r.t, r.v, r.vd, r.q, r.qd);
      hn_reduction_restrict(r.reduction, r.q, v);
      check_near_many(v, r.v, hn_reduction_size(r.reduction), 1e-12);
      check_ok(tangent_basic(r.tangent, r.t, r.q, r.qd, &r.s->branches, NULL));
      for (int k = 0; k < r.tangent->rows; k++) {
        check_near(r.tangent->phi[k], 0, 1e-11); // redundant rows too
        check_near(r.tangent->phi_rate[k], 0, 1e-9 * (1 + size_of(r.qd, r.tangent->n)));
      }
      rig_close(&r);
    }
}

// ---- wear ---------------------------------------------------------------------------------------

// A pendulum that turns: what was the best coordinate at one angle is the worst a half turn later.
static void a_choice_wears_out_on_the_way(void **state) {
  (void)state;
  hn_model *model = hn_make_pendulum();
  for (int kind = 0; kind < 2; kind++) {
    hn_simulation *s = NULL;
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = "cartesian";
    hn_arena arena;
    hn_tangent *tangent = NULL;
    hn_reduction *reduction = NULL;
    options.tol = 1e-8;
    check_ok(hn_simulation_create(model, &options, &s, NULL));
    hn_arena_init(&arena, NULL);
    check_ok(hn_tangent_create(&arena, s->equations, 0, &tangent));
    check_ok(hn_reduction_create(&arena, s->equations, tangent, kinds[kind], &reduction));
    hn_method *m = s->method;
    check_ok(hn_reduction_select(reduction, m->t, m->q, m->qd, &s->branches, NULL));
    double fresh = reduction->parts[0].condition;
    int worn = 0;
    for (int k = 1; k <= 10 && !worn; k++) { // half a turn takes 1.184 s
      check_ok(hn_simulation_advance(s, 0.118 * k));
      check_ok(tangent_basic(tangent, m->t, m->q, m->qd, &s->branches, NULL));
      check_ok(hn_reduction_factor(reduction));
      worn = hn_reduction_is_worn(reduction);
      assert_int_equal(worn, reduction->parts[0].condition > 1.25 * fresh);
    }
    assert_true(worn);
    check_ok(hn_reduction_select(reduction, m->t, m->q, m->qd, &s->branches, NULL));
    assert_false(hn_reduction_is_worn(reduction));
    hn_arena_release(&arena);
    hn_simulation_free(s);
  }
  hn_model_free(model);
}

static void an_unknown_kind_is_refused(void **state) {
  (void)state;
  static rig r;
  hn_reduction *reduction = NULL;
  rig_open(&r, &rig_machines[0], "cartesian", HN_INDEPENDENT_PARTITION, 0, 0, 1);
  check_status(
      hn_reduction_create(&r.arena, r.equations, r.tangent, HN_INDEPENDENT_NONE, &reduction),
      HN_ERROR_UNSUPPORTED);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_machine_has_an_inverse),
      cmocka_unit_test(recovered_states_satisfy_the_constraints),
      cmocka_unit_test(a_choice_wears_out_on_the_way),
      cmocka_unit_test(an_unknown_kind_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
