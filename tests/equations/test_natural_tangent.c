// Exact derivatives of natural coordinates against sixth-order differences of what `basic` computes, in
// every direction of q and qd: rows and measured forces at states off all constraints, loads where the
// bodies are rigid. The equations in q at accelerations of the set; patterns and memory.
#include <math.h>
#include <string.h>

#include "elements/every_element.h"
#include "elements/force.h"
#include "equations/natural/natural.h"
#include "equations/speed_blocks.h"
#include "equations/tangent.h"
#include "support/tangent.h"

enum { MOST = 60, MOST_ROWS = 160, STATES = 3 };

static const double limit = 2e-9; // relative to the largest number of a block

typedef struct machine {
  hand_model hand;
  hn_equations *equations;
  hn_tangent *tangent;
  hn_branches branches;
  int n, rows;
} machine;

typedef struct moment {
  double t, q[MOST], qd[MOST], qdd[MOST], lambda[MOST_ROWS];
} moment;

static void finish(machine *m, hn_random *random) {
  for (int b = 1; b < HAND_BODIES; b++) {
    hn_body_def *body = &m->hand.bodies[b];
    body->mass = hn_random_uniform(random, 0.5, 3);
    hn_random_fill(random, body->inertia, 3, 0.8, 1.2);
    hn_random_fill(random, &body->inertia[3], 3, -0.1, 0.1);
  }
  m->hand.model.gravity = vec3(0.3, -9.7, 1.1);
  hand_finish(&m->hand);
  check_ok(hn_natural.create(&m->hand.arena, m->hand.elements, NULL, &m->equations, NULL));
  check_ok(hn_tangent_create(&m->hand.arena, m->equations, 0, &m->tangent));
  check_ok(hn_branches_create(&m->hand.arena, m->hand.elements, &m->branches));
  m->n = m->tangent->n;
  m->rows = m->tangent->rows;
  assert_true(m->n <= MOST && m->rows <= MOST_ROWS);
}

static void classify(machine *m, const moment *at) {
  hn_frame frames[HAND_BODIES];
  m->equations->type->coordinates->frames(m->equations, at->q, at->qd, frames);
  hn_elements_update_turns(m->hand.elements, frames, m->branches.turns);
  hn_branches_classify(m->hand.elements, frames, at->t, &m->branches);
}

// Nodes off their places by up to `spread`.
static moment random_moment(machine *m, hn_random *random, double spread) {
  moment at = {.t = hn_random_uniform(random, 0.1, 0.9)};
  hn_frame room[HAND_BODIES];
  hn_equations_initial(m->equations, room, at.q, at.qd);
  hn_random_fill(random, at.qd, m->n, -1.5, 1.5);
  hn_random_fill(random, at.qdd, m->n, -2, 2);
  hn_random_fill(random, at.lambda, m->rows, -3, 3);
  for (int i = 0; i < m->n; i++) at.q[i] += hn_random_uniform(random, -spread, spread);
  classify(m, &at);
  return at;
}

// ---- differences --------------------------------------------------------------------------------

typedef struct values {
  double residual[MOST]; // M qdd + Phi_q' lambda - Q
  double force[MOST];
  double phi[MOST_ROWS], speed[MOST_ROWS];  // Phi; Phi_q v + Phi_t at fixed v
  double second[MOST_ROWS], tau[MOST_ROWS]; // Phi_q qdd - tau; tau
} values;
enum { NUMBERS = sizeof(values) / sizeof(double) };

static void values_at(machine *m, const moment *at, const double *v, values *out) {
  hn_tangent *t = m->tangent;
  check_ok(tangent_basic(t, at->t, at->q, at->qd, &m->branches, NULL));
  memset(out, 0, sizeof *out);
  for (int i = 0; i < m->n; i++) {
    out->residual[i] = -t->q_force[i];
    out->force[i] = t->q_force[i];
  }
  for (int r = 0; r < m->rows; r++) {
    out->phi[r] = t->phi[r];
    out->speed[r] = t->phi_t[r];
    out->second[r] = -t->tau[r];
    out->tau[r] = t->tau[r];
  }
  hn_sparse_add_product(&t->mass, 1, at->qdd, out->residual);
  hn_sparse_add_transposed_product(&t->phi_q, 1, at->lambda, out->residual);
  hn_sparse_add_product(&t->phi_q, 1, v, out->speed);
  hn_sparse_add_product(&t->phi_q, 1, at->qdd, out->second);
}

static void differentiate(machine *m, const moment *at, const moment *direction, values *out) {
  static const double weight[3] = {3.0 / 4, -3.0 / 20, 1.0 / 60};
  const double h = 3e-4;
  memset(out, 0, sizeof *out);
  for (int k = 1; k <= 3; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      moment moved = *at;
      values v;
      moved.t += sign * k * h * direction->t;
      for (int i = 0; i < m->n; i++) {
        moved.q[i] += sign * k * h * direction->q[i];
        moved.qd[i] += sign * k * h * direction->qd[i];
      }
      values_at(m, &moved, at->qd, &v);
      for (int i = 0; i < NUMBERS; i++)
        ((double *)out)[i] += sign * weight[k - 1] / h * ((const double *)&v)[i];
    }
}

// ---- comparing ----------------------------------------------------------------------------------

static double worst;

static double largest(const double *x, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void compare(const char *what, const double *got, const double *expected, int count,
                    double scale) {
  double error = 0, size = fmax(fmax(scale, 1), largest(expected, count));
  for (int i = 0; i < count; i++) error = fmax(error, fabs(got[i] - expected[i]));
  if (!(error / size <= worst)) worst = error / size;
  if (error / size <= limit) return;
  print_error("%s: error %.2e of %.3g\n", what, error, size);
  fail();
}

static void column(const hn_sparse *a, int j, double *out) {
  for (int i = 0; i < a->rows; i++) {
    int at = hn_sparse_find(a, i, j);
    out[i] = at < 0 ? 0 : a->value[at];
  }
}

static void evaluate_full(machine *m, const moment *at) {
  check_ok(tangent_full(m->tangent, at->t, at->q, at->qd, at->qdd, at->lambda, &m->branches, NULL));
}

static void check_columns(machine *m, const moment *at) {
  const hn_tangent *t = m->tangent;
  double got[MOST_ROWS];
  values here, d;
  values_at(m, at, at->qd, &here);
  double force = fmax(largest(here.residual, m->n), largest(here.force, m->n));
  double second = largest(here.second, m->rows);
  for (int j = 0; j < m->n; j++) {
    moment direction = {0};
    direction.q[j] = 1;
    differentiate(m, at, &direction, &d);
    evaluate_full(m, at);
    column(&t->stiffness, j, got);
    compare("K", got, d.residual, m->n, force);
    column(&t->phi_q, j, got);
    compare("Phi_q", got, d.phi, m->rows, largest(here.phi, m->rows));
    column(&t->phi_v, j, got);
    compare("A", got, d.speed, m->rows, largest(here.speed, m->rows));
    column(&t->phi_dd, j, got);
    compare("P", got, d.second, m->rows, second);
    direction = (moment){0};
    direction.qd[j] = 1;
    differentiate(m, at, &direction, &d);
    evaluate_full(m, at);
    column(&t->damping, j, got);
    compare("C", got, d.residual, m->n, force);
    column(&t->phi_v, j, got);
    for (int r = 0; r < m->rows; r++) got[r] *= -2;
    compare("tau_qd", got, d.tau, m->rows, second);
  }
}

static void check_time(machine *m, const moment *at) {
  moment later = {.t = 1};
  values d;
  differentiate(m, at, &later, &d);
  evaluate_full(m, at);
  const hn_tangent *t = m->tangent;
  compare("Phi_t", t->phi_t, d.phi, m->rows, largest(t->phi, m->rows));
  compare("Phi_tt", t->phi_tt, d.speed, m->rows, largest(t->phi_t, m->rows));
  compare("tau_t", t->tau_t, d.tau, m->rows, largest(t->tau, m->rows));
  compare("Q_t", t->q_t, d.force, m->n, largest(t->q_force, m->n));
}

static void check_states(machine *m, hn_random *random, double spread) {
  for (int k = 0; k < STATES; k++) {
    moment at = random_moment(m, random, spread);
    check_columns(m, &at);
    check_time(m, &at);
    check_speed_blocks(m->tangent, at.t, at.q, at.qd, at.qdd, at.lambda, &m->branches);
  }
}

// ---- derivatives --------------------------------------------------------------------------------

static void draw_anywhere(hand_model *hand, hn_random *random) {
  for (int b = 1; b < HAND_BODIES; b++) {
    hand->bodies[b].position = random_vector(random, 1);
    hand->bodies[b].orientation = random_rotation(random);
  }
}

static int uncovered(const machine *m) {
  return ((const hn_natural_set *)m->equations)->element_rows;
}

static void rows_of_every_joint_have_exact_blocks(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(41);
  hand_begin(&m.hand);
  draw_anywhere(&m.hand, &random);
  add_every_joint(&m.hand, &random);
  add_every_driver(&m.hand, &random);
  finish(&m, &random);
  assert_true(uncovered(&m) > 30 && uncovered(&m) < m.hand.elements->row_count);
  check_states(&m, &random, 0.2);
  hand_end(&m.hand);
}

// Each type alone, between bodies drawn in place: shared columns, and the rows that are left.
static void rows_of_each_joint_in_place_have_exact_blocks(void **unused) {
  (void)unused;
  for (int type = 0; type < HN_JOINT_TYPES; type++) {
    static machine m;
    hn_random random = hn_random_seed(100 + (uint64_t)type);
    if (type == HN_JOINT_GEAR || type == HN_JOINT_RACK_PINION || type == HN_JOINT_COUPLER) continue;
    hand_begin(&m.hand);
    for (int k = 0; k < 3; k++) {
      hn_joint_def joint = hn_default_joint((hn_joint_type)type);
      joint.frame1 = random_frame(&random, k);
      joint.frame2 = joint.frame1; // bodies are drawn at the origin
      joint.frame2.body = k + 1;
      joint.pitch = 0.3;
      joint.length = 0.5;
      hand_add_joint(&m.hand, joint);
    }
    finish(&m, &random);
    check_states(&m, &random, 0.1);
    hand_end(&m.hand);
  }
}

static int is_measured(const hn_elements *elements, int force) {
  int first;
  return hn_natural_force_forms(elements, force, &first) > 0;
}

// Moves the forces of one family to the front and drops the others.
static void keep_forces(hand_model *hand, int measured) {
  int count = 0;
  for (int f = 0; f < hand->model.force_count; f++) {
    hn_force_type type = hand->forces[f].type;
    int is_load = type == HN_FORCE_POINT_FORCE || type == HN_FORCE_TORQUE ||
                  type == HN_FORCE_TYRE || type == HN_FORCE_USER;
    if (is_load != measured) hand->forces[count++] = hand->forces[f];
  }
  hand->model.force_count = count;
}

static void measured_forces_have_exact_blocks(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(43);
  hand_begin(&m.hand);
  draw_anywhere(&m.hand, &random);
  add_every_force(&m.hand, &random);
  keep_forces(&m.hand, 1);
  finish(&m, &random);
  for (int f = 0; f < m.hand.model.force_count; f++) assert_true(is_measured(m.hand.elements, f));
  check_states(&m, &random, 0.2);
  hand_end(&m.hand);
}

static void add_tyres(hand_model *hand, hn_random *random) {
  add_every_road(hand);
  for (int contact = 0; contact < 2; contact++)
    for (int road = 0; road < hand->model.roads.count; road++) {
      hn_force_def tyre = between(HN_FORCE_TYRE, random, HN_GROUND, 1 + road % 4);
      tyre.radius = 2.3;
      tyre.stiffness[0] = 100;
      tyre.damping[0] = 3;
      tyre.road = road;
      tyre.contact = contact ? HN_CONTACT_RADIAL : HN_CONTACT_VERTICAL;
      hand_add_force(hand, tyre);
    }
}

static void add_loads_and_users(hand_model *hand, hn_random *random) {
  add_loads(hand, random);
  add_tyres(hand, random);
  hn_force_def user = between(HN_FORCE_USER, random, 2, 4);
  user.user = (hn_user_force){user_law, NULL, 1, 0};
  hand_add_force(hand, user);
  user.frame1.body = HN_GROUND;
  hand_add_force(hand, user);
}

// In every direction, also where bodies do not stay rigid.
static void loads_have_exact_blocks_at_rigid_bodies(void **unused) {
  (void)unused;
  for (int joined = 0; joined < 2; joined++) {
    static machine m;
    hn_random random = hn_random_seed(47);
    hand_begin(&m.hand);
    if (!joined) draw_anywhere(&m.hand, &random);
    add_loads_and_users(&m.hand, &random);
    for (int k = 1; joined && k < 4; k++) { // nodes that bodies share
      hn_joint_def joint = hn_default_joint(k == 1 ? HN_JOINT_REVOLUTE : HN_JOINT_SPHERICAL);
      joint.frame1 = random_frame(&random, k);
      joint.frame2 = joint.frame1;
      joint.frame2.body = k + 1;
      hand_add_joint(&m.hand, joint);
    }
    finish(&m, &random);
    assert_int_equal(m.n, joined ? 48 - 6 - 3 - 3 : 48);
    check_states(&m, &random, 0);
    hand_end(&m.hand);
  }
}

static void user_forces_without_derivatives_are_differentiated(void **unused) {
  (void)unused;
  static machine m[2];
  hn_random random = hn_random_seed(61);
  for (int k = 0; k < 2; k++) {
    hn_random same = hn_random_seed(62);
    hand_begin(&m[k].hand);
    draw_anywhere(&m[k].hand, &same);
    hn_force_def user = between(HN_FORCE_USER, &same, 3, 1);
    user.user = (hn_user_force){user_law, NULL, k == 0, 0};
    hand_add_force(&m[k].hand, user);
    finish(&m[k], &same);
  }
  moment at = random_moment(&m[0], &random, 0);
  evaluate_full(&m[0], &at);
  evaluate_full(&m[1], &at);
  const hn_tangent *a = m[0].tangent, *b = m[1].tangent;
  double size = largest(a->stiffness.value, a->stiffness.start[a->n]);
  check_near_many(b->stiffness.value, a->stiffness.value, a->stiffness.start[a->n], 1e-8 * size);
  check_near_many(b->damping.value, a->damping.value, a->damping.start[a->n], 1e-8 * size);
  check_near_many(b->q_t, a->q_t, a->n, 1e-8 * size);
  for (int k = 0; k < 2; k++) hand_end(&m[k].hand);
}

// ---- the equations ------------------------------------------------------------------------------

static int join(hand_model *hand, hn_random *random, hn_joint_type type, int body1, int body2) {
  hn_joint_def joint = hn_default_joint(type);
  joint.frame1 = random_frame(random, body1);
  joint.frame2 = joint.frame1; // bodies are drawn at the origin
  joint.frame2.body = body2;
  if (type == HN_JOINT_DISTANCE) {
    joint.frame2.position = vec3_add(joint.frame2.position, vec3(0.4, -0.3, 0.5));
    joint.length = vec3_norm(vec3(0.4, -0.3, 0.5));
  }
  return hand_add_joint(hand, joint);
}

// A chain whose last body a rod holds, a hinge twice over, a driven hinge; forces of every type.
static void make_assembled(machine *m, hn_random *random) {
  static const char *const time[] = {"t"};
  hand_model *hand = &m->hand;
  hand_begin(hand);
  int hinge = join(hand, random, HN_JOINT_REVOLUTE, 0, 1);
  join(hand, random, HN_JOINT_CYLINDRICAL, 1, 2);
  int door = join(hand, random, HN_JOINT_REVOLUTE, 2, 3);
  hn_joint_def again = hand->joints[door]; // a second hinge on the same axis
  hn_vec3 along = mat3_column(quat_matrix(again.frame1.orientation), 2);
  again.frame1.position = again.frame2.position =
      vec3_add_scaled(again.frame1.position, 0.4, along);
  hand_add_joint(hand, again);
  join(hand, random, HN_JOINT_SPHERICAL, 3, 4);
  join(hand, random, HN_JOINT_DISTANCE, 0, 4);
  hn_driver_def driver = hn_default_driver(HN_DRIVER_JOINT);
  driver.joint = hinge;
  driver.coordinate = HN_COORDINATE_ANGLE;
  driver.law = hand_expression(hand, "sin(2*t) + t^2", time, 1);
  hand_add_driver(hand, driver);
  int joints = hand->model.joint_count;
  add_every_force(hand, random);
  for (int k = joints; k < hand->model.joint_count; k++) // read by forces, not meant to hold
    hand->joints[k].type = HN_JOINT_FREE;
  for (int f = 0; f < hand->model.force_count; f++) {
    hn_force_def *force = &hand->forces[f];
    if (!hn_force_reads_joint(force)) continue;
    force->joint = force->coordinate == HN_COORDINATE_ANGLE ? hinge : 1;
  }
  add_tyres(hand, random);
  finish(m, random);
}

// Velocities that satisfy the constraints.
static void move_assembled(machine *m, hn_random *random, moment *at) {
  double correction[MOST];
  *at = (moment){.t = 0};
  hn_frame room[HAND_BODIES];
  hn_equations_initial(m->equations, room, at->q, at->qd);
  hn_random_fill(random, at->qd, m->n, -1, 1);
  classify(m, at);
  check_ok(m->equations->type->project_velocities(m->equations, 0, at->q, at->qd, &m->branches,
                                                  correction));
  classify(m, at);
}

static void accelerations_satisfy_the_equations_in_q(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(71);
  make_assembled(&m, &random);
  hn_snapshot *s;
  hn_error error;
  moment at;
  check_ok(hn_snapshot_create(&m.hand.arena, m.equations, &s));
  move_assembled(&m, &random, &at);
  check_ok(m.equations->type->evaluate(m.equations, 0, at.q, at.qd, &m.branches, s, &error));
  hn_tangent *t = m.tangent;
  check_ok(tangent_basic(t, 0, at.q, at.qd, &m.branches, &error));
  memcpy(at.qdd, s->qdd, (size_t)m.n * sizeof(double));
  t->type->normalization_multipliers(t, at.lambda);
  values v;
  values_at(&m, &at, at.qd, &v);
  for (int r = 0; r < m.rows; r++) {
    check_near(t->phi[r], 0, 1e-13);
    check_near(t->phi_rate[r], 0, 1e-12);
  }
  check_at_most(largest(v.residual, m.n), 1e-10 * largest(v.force, m.n));
  check_at_most(largest(v.second, m.rows), 1e-9 * largest(s->qdd, m.n));
  double balance[MOST];
  check_ok(tangent_balance(t, 0, at.q, at.qd, at.qdd, &m.branches, balance, &error));
  hn_sparse_add_transposed_product(&t->phi_q, -1, at.lambda, balance);
  check_at_most(largest(balance, m.n), 1e-10 * largest(v.force, m.n));
  // multipliers of drivers are those of the Cartesian equations: they are forces
  int row = m.hand.elements->driver_row[0];
  check_near(at.lambda[row], s->lambda[row], 1e-9 * fmax(1, fabs(s->lambda[row])));

  double momentum[MOST] = {0}, doubled = 0;
  hn_sparse_add_product(&t->mass, 1, at.qd, momentum);
  for (int i = 0; i < m.n; i++) doubled += at.qd[i] * momentum[i];
  check_relative(0.5 * doubled, s->kinetic, 1e-12);
  hand_end(&m.hand);
}

// ---- patterns and memory ------------------------------------------------------------------------

static void mass_and_damping_stand_inside_the_symmetric_pattern_of_stiffness(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(73);
  make_assembled(&m, &random);
  const hn_tangent *t = m.tangent;
  const hn_sparse *parts[2] = {&t->mass, &t->damping};
  const int *maps[2] = {t->mass_in_stiffness, t->damping_in_stiffness};
  for (int i = 0; i < m.n; i++) {
    assert_true(hn_sparse_find(&t->stiffness, i, i) >= 0);
    for (int k = t->stiffness.start[i]; k < t->stiffness.start[i + 1]; k++)
      assert_true(hn_sparse_find(&t->stiffness, t->stiffness.index[k], i) >= 0);
    for (int p = 0; p < 2; p++)
      for (int k = parts[p]->start[i]; k < parts[p]->start[i + 1]; k++)
        assert_int_equal(maps[p][k], hn_sparse_find(&t->stiffness, i, parts[p]->index[k]));
  }
  assert_true(t->phi_v.index == t->phi_q.index && t->phi_dd.index == t->phi_q.index);
  hand_end(&m.hand);
}

static void basic_and_full_agree_and_take_no_memory(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(79);
  make_assembled(&m, &random);
  hn_tangent *full = m.tangent, *basic;
  check_ok(hn_tangent_create(&m.hand.arena, m.equations, 0, &basic));
  moment at = random_moment(&m, &random, 0);
  long before = m.hand.arena.allocator_calls;
  evaluate_full(&m, &at);
  check_ok(tangent_basic(basic, at.t, at.q, at.qd, &m.branches, NULL));
  size_t rows = (size_t)m.rows * sizeof(double), entries = (size_t)full->phi_q.start[m.rows];
  assert_memory_equal(basic->phi, full->phi, rows);
  assert_memory_equal(basic->phi_rate, full->phi_rate, rows);
  assert_memory_equal(basic->phi_t, full->phi_t, rows);
  assert_memory_equal(basic->phi_tt, full->phi_tt, rows);
  assert_memory_equal(basic->tau, full->tau, rows);
  assert_memory_equal(basic->phi_q.value, full->phi_q.value, entries * sizeof(double));
  check_near_many(basic->q_force, full->q_force, m.n, 1e-12 * largest(full->q_force, m.n));
  check_ok(tangent_rows(basic, at.t, at.q, &m.branches));
  assert_memory_equal(basic->phi, full->phi, rows);
  assert_memory_equal(basic->phi_q.value, full->phi_q.value, entries * sizeof(double));
  assert_int_equal(m.hand.arena.allocator_calls, before);
  hand_end(&m.hand);
}

static void creation_survives_every_failing_allocation(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(83);
  make_assembled(&m, &random);
  hn_status status = HN_ERROR_MEMORY;
  for (long fail_at = 1; status != HN_OK && fail_at < 1000; fail_at++) {
    hn_counting_memory memory = {.fail_at = fail_at};
    hn_allocator allocator = hn_counting_allocator(&memory);
    hn_arena arena;
    hn_tangent *tangent = NULL;
    hn_arena_init(&arena, &allocator);
    status = hn_tangent_create(&arena, m.equations, 0, &tangent);
    assert_true(status == HN_OK || (status == HN_ERROR_MEMORY && !tangent));
    hn_arena_release(&arena);
    assert_int_equal(memory.living, 0);
  }
  check_ok(status);
  hand_end(&m.hand);
}

static void worst_error_is_reported(void **unused) {
  (void)unused;
  print_message("worst relative error of all blocks: %.1e\n", worst);
  check_at_most(worst, limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_joint_have_exact_blocks),
      cmocka_unit_test(rows_of_each_joint_in_place_have_exact_blocks),
      cmocka_unit_test(measured_forces_have_exact_blocks),
      cmocka_unit_test(loads_have_exact_blocks_at_rigid_bodies),
      cmocka_unit_test(user_forces_without_derivatives_are_differentiated),
      cmocka_unit_test(accelerations_satisfy_the_equations_in_q),
      cmocka_unit_test(mass_and_damping_stand_inside_the_symmetric_pattern_of_stiffness),
      cmocka_unit_test(basic_and_full_agree_and_take_no_memory),
      cmocka_unit_test(creation_survives_every_failing_allocation),
      cmocka_unit_test(worst_error_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
