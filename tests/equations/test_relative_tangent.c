// Exact derivatives of the relative set against sixth-order differences of what `basic` computes, for
// every kind of joint and force, along directions that keep Euler parameters of unit length.
#include "equations/speed_blocks.h"
#include "equations/tree_machine.h"

#include "equations/tangent.h"
#include "support/tangent.h"

enum { MOST = 100, MOST_ROWS = 140 };

static void add_forces(hn_model *model) {
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  double stiffness[] = {-20, 40, 3}, damping[] = {0, 5, 0.4};
  spring.name = "spring";
  spring.frame1 = (hn_frame_on_body){4, vec3(0.1, 0.2, -0.3), quat_identity()};
  spring.frame2 = (hn_frame_on_body){13, vec3(-0.2, 0.1, 0.4), quat_identity()};
  check_ok(hn_law_polynomial(stiffness, 3, NULL, &spring.of_x, NULL));
  check_ok(hn_law_polynomial(damping, 3, NULL, &spring.of_v, NULL));
  check_ok(hn_model_add_force(model, &spring, NULL));

  hn_force_def inside = spring; // along one branch
  inside.name = "inside";
  inside.frame1.body = 3;
  inside.frame2.body = 6;
  check_ok(hn_law_polynomial(stiffness, 3, NULL, &inside.of_x, NULL));
  check_ok(hn_law_polynomial(damping, 3, NULL, &inside.of_v, NULL));
  check_ok(hn_model_add_force(model, &inside, NULL));

  hn_force_def bushing = hn_default_force(HN_FORCE_BUSHING);
  bushing.name = "bushing";
  bushing.frame1 = (hn_frame_on_body){7, vec3(0.1, 0, 0.2), quat_unit((hn_quat){1, 0.2, 0.3, 0})};
  bushing.frame2 = (hn_frame_on_body){16, vec3(0, 0.3, 0), quat_unit((hn_quat){1, -0.2, 0, 0.5})};
  for (int k = 0; k < 6; k++) {
    bushing.stiffness[k] = 10 + k;
    bushing.damping[k] = 1 + 0.3 * k;
  }
  check_ok(hn_model_add_force(model, &bushing, NULL));

  hn_force_def push = hn_default_force(HN_FORCE_POINT_FORCE),
               twist = hn_default_force(HN_FORCE_TORQUE);
  double ramp[] = {1, 2, 3};
  push.name = "push";
  push.following = 1;
  push.frame2 = (hn_frame_on_body){9, vec3(0.2, -0.1, 0.3), quat_identity()};
  twist.name = "twist";
  twist.frame2 = (hn_frame_on_body){18, vec3(0, 0, 0), quat_identity()};
  for (int k = 0; k < 3; k++) {
    check_ok(hn_law_polynomial(ramp, 3, NULL, &push.component_law[k], NULL));
    check_ok(hn_law_polynomial(ramp, 2, NULL, &twist.component_law[k], NULL));
  }
  check_ok(hn_model_add_force(model, &push, NULL));
  check_ok(hn_model_add_force(model, &twist, NULL));

  hn_force_def joint = hn_default_force(HN_FORCE_JOINT_SPRING_DAMPER);
  joint.name = "joint";
  joint.joint = 4; // universal
  joint.coordinate = HN_COORDINATE_ANGLE2;
  check_ok(hn_law_polynomial(stiffness, 3, NULL, &joint.of_x, NULL));
  check_ok(hn_law_polynomial(damping, 3, NULL, &joint.of_v, NULL));
  check_ok(hn_model_add_force(model, &joint, NULL));
}

typedef struct state {
  double t, q[MOST], qd[MOST], qdd[MOST], lambda[MOST_ROWS];
} state;

typedef struct fixture {
  tree_machine m;
  hn_tangent *tangent;
} fixture;

static fixture open_fixture(uint64_t seed) {
  fixture f;
  hn_model *model = tree_model_all(seed, 1);
  add_forces(model);
  f.m = tree_machine_open(model);
  check_ok(hn_tangent_create(&f.m.arena, f.m.equations, 0, &f.tangent));
  assert_true(f.tangent->n <= MOST && f.tangent->rows <= MOST_ROWS);
  return f;
}

static state random_motion(fixture *f, hn_random *random) {
  state s = {.t = 0.3};
  double u[MOST];
  random_state(&f->m, random, s.q, u);
  hn_relative_rates(f->m.equations, s.q, u, s.qd);
  hn_random_fill(random, s.qdd, f->tangent->n, -2, 2);
  hn_random_fill(random, s.lambda, f->tangent->rows, -3, 3);
  for (int r = f->tangent->rows - f->tangent->equations->normalizations; r < f->tangent->rows; r++)
    s.lambda[r] = 0;
  hn_frame frames[40];
  f->m.equations->type->coordinates->frames(f->m.equations, s.q, s.qd, frames);
  hn_elements_update_turns(f->m.elements, frames, f->m.branches.turns);
  hn_branches_classify(f->m.elements, frames, s.t, &f->m.branches);
  return s;
}

// A direction of q (or qd) without parts along p.
static void random_direction(fixture *f, hn_random *random, const double *q, double *d) {
  hn_random_fill(random, d, f->tangent->n, -1, 1);
  for (int i = 0; i < f->tangent->n; i++) {
    if (f->tangent->columns[i] != HN_COLUMN_PARAMETER) continue;
    hn_quat p = quat_load(&q[i]), x = quat_load(&d[i]);
    quat_store(&d[i], quat_add(x, quat_scale(-quat_dot(p, x), p)));
  }
}

typedef struct values {
  double residual[MOST]; // M qdd + Phi_q' lambda - Q
  double phi[MOST_ROWS], rate[MOST_ROWS],
      second[MOST_ROWS]; // Phi, Phi_q v at fixed v, Phi_q qdd - tau
} values;

static void values_at(fixture *f, const state *s, const double *v, values *out) {
  hn_tangent *t = f->tangent;
  check_ok(tangent_basic(t, s->t, s->q, s->qd, &f->m.branches, NULL));
  memset(out, 0, sizeof *out);
  for (int i = 0; i < t->n; i++) out->residual[i] = -t->q_force[i];
  for (int r = 0; r < t->rows; r++) {
    out->phi[r] = t->phi[r];
    out->second[r] = -t->tau[r];
  }
  hn_sparse_add_product(&t->mass, 1, s->qdd, out->residual);
  hn_sparse_add_transposed_product(&t->phi_q, 1, s->lambda, out->residual);
  hn_sparse_add_product(&t->phi_q, 1, v, out->rate);
  hn_sparse_add_product(&t->phi_q, 1, s->qdd, out->second);
}

// Derivative of all values along (dq, dqd, dt).
static void difference(fixture *f, const state *s, const double *dq, const double *dqd, double dt,
                       values *out) {
  static const double weight[3] = {0.75, -0.15, 1.0 / 60};
  double h = 4e-3;
  memset(out, 0, sizeof *out);
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      state moved = *s;
      values v;
      for (int i = 0; i < f->tangent->n; i++) {
        moved.q[i] += sign * k * h * (dq ? dq[i] : 0);
        moved.qd[i] += sign * k * h * (dqd ? dqd[i] : 0);
      }
      moved.t += sign * k * h * dt;
      values_at(f, &moved, s->qd, &v);
      double w = sign * weight[k - 1] / h;
      for (int i = 0; i < MOST; i++) out->residual[i] += w * v.residual[i];
      for (int r = 0; r < MOST_ROWS; r++) {
        out->phi[r] += w * v.phi[r];
        out->rate[r] += w * v.rate[r];
        out->second[r] += w * v.second[r];
      }
    }
}

static double largest(const double *x, int n) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void check_product(const hn_sparse *a, double scale, const double *x,
                          const double *expected) {
  double y[MOST_ROWS] = {0};
  hn_sparse_add_product(a, scale, x, y);
  check_near_many(y, expected, a->rows, 1e-7 * largest(expected, a->rows));
}

static void check_blocks(fixture f, uint64_t seed) {
  hn_random random = hn_random_seed(seed);
  state s = random_motion(&f, &random);
  double dq[MOST], dqd[MOST];
  values v;
  for (int trial = 0; trial < 4; trial++) {
    random_direction(&f, &random, s.q, dq);
    random_direction(&f, &random, s.q, dqd);
    difference(&f, &s, dq, NULL, 0, &v);
    check_ok(tangent_full(f.tangent, s.t, s.q, s.qd, s.qdd, s.lambda, &f.m.branches, NULL));
    check_product(&f.tangent->stiffness, 1, dq, v.residual);
    check_product(&f.tangent->phi_q, 1, dq, v.phi);
    check_product(&f.tangent->phi_v, 1, dq, v.rate);
    check_product(&f.tangent->phi_dd, 1, dq, v.second);
    difference(&f, &s, NULL, dqd, 0, &v);
    check_ok(tangent_full(f.tangent, s.t, s.q, s.qd, s.qdd, s.lambda, &f.m.branches, NULL));
    check_product(&f.tangent->damping, 1, dqd, v.residual);
    check_product(&f.tangent->phi_v, 2, dqd, v.second);
  }
  difference(&f, &s, NULL, NULL, 1, &v);
  check_ok(tangent_full(f.tangent, s.t, s.q, s.qd, s.qdd, s.lambda, &f.m.branches, NULL));
  double size = largest(v.residual, f.tangent->n);
  for (int i = 0; i < f.tangent->n; i++) check_near(f.tangent->q_t[i], -v.residual[i], 1e-8 * size);
  tree_machine_close(&f.m);
}

static void blocks_are_derivatives(void **unused) {
  (void)unused;
  for (uint64_t seed = 21; seed < 26; seed++) check_blocks(open_fixture(seed), seed);
}

// A tyre below the body, always deep in contact with a road that moves.
static void add_tyre(hn_model *model, int body, hn_contact contact) {
  hn_road_def road = hn_default_road(HN_ROAD_COSINE_BUMP);
  char name[16];
  int id = -1;
  snprintf(name, sizeof name, "road%d", body);
  road.name = name;
  road.start = -40;
  road.length = 300;
  road.height = 60;
  road.speed = 0.7;
  check_ok(hn_model_add_road(model, &road, &id));
  hn_force_def tyre = hn_default_force(HN_FORCE_TYRE);
  snprintf(name, sizeof name, "tyre%d", body);
  tyre.name = name;
  tyre.frame2 = (hn_frame_on_body){body, vec3(0.2, -0.3, 0.1), quat_identity()};
  tyre.road = id;
  tyre.contact = contact;
  tyre.radius = 100;
  tyre.stiffness[0] = 0.2;
  tyre.damping[0] = 0.05;
  check_ok(hn_model_add_force(model, &tyre, NULL));
}

// Trees apart: each has its point O in its own root, where a free base is treated by itself.
static void blocks_are_derivatives_on_a_free_base(void **unused) {
  (void)unused;
  for (uint64_t seed = 41; seed < 44; seed++) {
    fixture f;
    hn_model *model = tree_model_all(seed, 0);
    add_tyre(model, 6, HN_CONTACT_VERTICAL);
    add_tyre(model, 11, HN_CONTACT_VERTICAL);
    add_tyre(model, 17, HN_CONTACT_RADIAL);
    hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
    double stiffness[] = {-20, 40, 3}, damping[] = {0, 5, 0.4};
    spring.name = "spring";
    spring.frame1 = (hn_frame_on_body){19, vec3(0.1, 0.2, -0.3), quat_identity()};
    spring.frame2 = (hn_frame_on_body){HN_GROUND, vec3(-0.2, 0.1, 0.4), quat_identity()};
    check_ok(hn_law_polynomial(stiffness, 3, NULL, &spring.of_x, NULL));
    check_ok(hn_law_polynomial(damping, 3, NULL, &spring.of_v, NULL));
    check_ok(hn_model_add_force(model, &spring, NULL));
    f.m = tree_machine_open(model);
    check_ok(hn_tangent_create(&f.m.arena, f.m.equations, 0, &f.tangent));
    check_blocks(f, seed);
  }
}

static void check_speeds(fixture f, uint64_t seed) {
  hn_random random = hn_random_seed(seed);
  for (int round = 0; round < 3; round++) {
    state s = random_motion(&f, &random);
    check_speed_blocks(f.tangent, s.t, s.q, s.qd, s.qdd, s.lambda, &f.m.branches);
  }
  tree_machine_close(&f.m);
}

// A correction without speeds changes normalizations alone, by what is asked for.
static void corrections_keep_normalizations(void **unused) {
  (void)unused;
  fixture f = open_fixture(31);
  hn_random random = hn_random_seed(7);
  hn_tangent *t = f.tangent;
  state s = random_motion(&f, &random);
  double u[MOST], c[MOST_ROWS], x[MOST], row[MOST_ROWS] = {0};
  check_ok(tangent_basic(t, s.t, s.q, s.qd, &f.m.branches, NULL));
  hn_random_fill(&random, c, t->rows, -1, 1);
  memset(u, 0, sizeof u);
  t->type->correction_of_speeds(t, u, c, x);
  hn_sparse_add_product(&t->phi_q, 1, x, row);
  for (int r = 0; r < t->rows; r++)
    check_near(row[r], r < t->rows - t->equations->normalizations ? 0 : c[r], 1e-13);
  tree_machine_close(&f.m);
}

static void blocks_in_speeds_are_those_in_q(void **unused) {
  (void)unused;
  check_speeds(open_fixture(21), 3);
}

static void equations_in_q_hold_at_accelerations(void **unused) {
  (void)unused;
  fixture f = open_fixture(31);
  hn_random random = hn_random_seed(32);
  state s = random_motion(&f, &random);
  values v;
  hn_error error;
  check_ok(
      hn_relative.evaluate(f.m.equations, s.t, s.q, s.qd, &f.m.branches, f.m.snapshot, &error));
  memcpy(s.qdd, f.m.snapshot->qdd, sizeof(double) * (size_t)f.tangent->n);
  memcpy(s.lambda, f.m.snapshot->lambda, sizeof(double) * (size_t)f.m.elements->row_count);
  f.tangent->type->normalization_multipliers(f.tangent, s.lambda);
  values_at(&f, &s, s.qd, &v);
  double size = largest(f.tangent->q_force, f.tangent->n);
  for (int i = 0; i < f.tangent->n; i++) check_near(v.residual[i], 0, 1e-10 * size);
  for (int r = 0; r < f.tangent->rows; r++) check_near(v.second[r], 0, 1e-9);
  tree_machine_close(&f.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_derivatives),
      cmocka_unit_test(blocks_are_derivatives_on_a_free_base),
      cmocka_unit_test(blocks_in_speeds_are_those_in_q),
      cmocka_unit_test(corrections_keep_normalizations),
      cmocka_unit_test(equations_in_q_hold_at_accelerations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
