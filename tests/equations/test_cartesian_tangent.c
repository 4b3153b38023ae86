// The Cartesian tangent: every block against sixth-order differences of independently written dense
// expressions (dense_equations.h), at random states along directions that keep |p| = 1 and p.pd = 0; the
// equations in q against those in speeds; patterns and memory.
//
// The dense expressions are polynomials of raw p and have a part p mu along each p; the tangent sees
// bodies that stay rigid and has none. Compared is what is normal to p, of derivatives without mu dp.
#include <math.h>
#include <string.h>

#include "elements/force.h"
#include "equations/dense_equations.h"
#include "equations/speed_blocks.h"
#include "support/tangent.h"

enum { STATES = 4 };

static const double limit = 2e-9; // relative to the largest number of the block

// ---- comparing ----------------------------------------------------------------------------------

static double worst;

// count numbers, relative to the largest of them and of scale
static void compare(const char *what, const double *got, const double *expected, int count,
                    double scale) {
  double error = 0, size = fmax(scale, 1);
  for (int i = 0; i < count; i++) {
    error = fmax(error, fabs(got[i] - expected[i]));
    size = fmax(size, fabs(expected[i]));
  }
  if (!(error / size <= worst)) worst = error / size;
  if (error / size <= limit) return;
  print_error("%s: error %.2e of %.3g\n", what, error, size);
  fail();
}

static double largest(const double *a, int count) {
  double most = 0;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(a[i]));
  return most;
}

// x without its parts along p.
static void take_normal(const moment *at, double *x) {
  for (int b = 0; b < HAND_BODIES - 1; b++) {
    hn_quat p = quat_load(&at->q[7 * b + 3]), part = quat_load(&x[7 * b + 3]);
    quat_store(&x[7 * b + 3], quat_add(part, quat_scale(-quat_dot(p, part), p)));
  }
}

static void compare_normal(const char *what, const moment *at, double *got, double *expected,
                           double scale) {
  for (int b = 0; b < HAND_BODIES - 1; b++)
    check_near(quat_dot(quat_load(&at->q[7 * b + 3]), quat_load(&got[7 * b + 3])), 0,
               1e-12 * fmax(scale, 1));
  take_normal(at, expected);
  compare(what, got, expected, N, scale);
}

static void check_values(const machine *m, const moment *at) {
  const hn_tangent *tangent = m->tangent;
  numbers here;
  double residual[N], second[MOST_ROWS] = {0};
  express(m, at, &here);
  for (int i = 0; i < N; i++) residual[i] = -tangent->q_force[i];
  hn_sparse_add_product(&tangent->mass, 1, at->qdd, residual);
  for (int r = 0; r < m->element_rows; r++)
    for (int e = tangent->phi_q.start[r]; e < tangent->phi_q.start[r + 1]; e++)
      residual[tangent->phi_q.index[e]] += at->lambda[r] * tangent->phi_q.value[e];
  for (int r = 0; r < m->rows; r++) second[r] = -tangent->tau[r];
  hn_sparse_add_product(&tangent->phi_q, 1, at->qdd, second);
  double force = largest(here.residual, N);
  compare_normal("M qdd + Phi_q' lambda - Q", at, residual, here.residual, force);
  compare("Phi", tangent->phi, here.phi, m->rows, 0);
  compare("Phi_q qd + Phi_t", tangent->phi_rate, here.rate, m->rows, 0);
  compare("Phi_q qdd - tau", second, here.second, m->rows, 0);
}

typedef enum what { POSITION, VELOCITY, ACCELERATION } what;

// A direction that keeps p.p = 1, p.pd = 0 and p.pdd + pd.pd = 0.
static moment random_direction(const moment *at, what kind, hn_random *random) {
  moment out = {0};
  double *x = kind == POSITION ? out.q : kind == VELOCITY ? out.qd : out.qdd;
  hn_random_fill(random, x, N, -1, 1);
  take_normal(at, x);
  for (int b = 0; b < HAND_BODIES - 1; b++) {
    int k = 7 * b + 3;
    hn_quat p = quat_load(&at->q[k]), pd = quat_load(&at->qd[k]), pdd = quat_load(&at->qdd[k]);
    hn_quat dp = quat_load(&out.q[k]), dpd = quat_load(&out.qd[k]);
    if (kind == POSITION) {
      quat_store(&out.qd[k], quat_scale(-quat_dot(dp, pd), p));
      quat_store(&out.qdd[k], quat_scale(-quat_dot(dp, pdd), p));
    }
    if (kind == VELOCITY) quat_store(&out.qdd[k], quat_scale(-2 * quat_dot(pd, dpd), p));
  }
  return out;
}

// Change of the dense expressions in the direction, less mu dp.
static void change_of(const machine *m, const moment *at, const moment *direction,
                      const numbers *here, numbers *d) {
  differentiate(m, at, direction, d);
  for (int b = 0; b < HAND_BODIES - 1; b++) {
    int k = 7 * b + 3;
    double mu = quat_dot(quat_load(&at->q[k]), quat_load(&here->residual[k]));
    for (int i = 0; i < 4; i++) d->residual[k + i] -= mu * direction->q[k + i];
  }
}

static void check_directions(const machine *m, const moment *at, hn_random *random) {
  const hn_tangent *t = m->tangent;
  const char *names[] = {"K", "C", "M"};
  const hn_sparse *square[] = {&t->stiffness, &t->damping, &t->mass};
  numbers here, d;
  express(m, at, &here);
  double force = fmax(largest(here.residual, N), largest(here.force, N));
  for (int j = 0; j < N; j++)
    for (int kind = POSITION; kind <= ACCELERATION; kind++) {
      moment x = random_direction(at, (what)kind, random);
      const double *along = kind == POSITION ? x.q : kind == VELOCITY ? x.qd : x.qdd;
      double got[N] = {0}, row[3][MOST_ROWS] = {{0}};
      change_of(m, at, &x, &here, &d);
      hn_sparse_add_product(square[kind], 1, along, got);
      take_normal(at, got);
      compare_normal(names[kind], at, got, d.residual, force);
      hn_sparse_add_product(&t->phi_q, 1, along, row[0]);
      hn_sparse_add_product(&t->phi_v, kind == VELOCITY ? 2 : 1, along, row[1]);
      hn_sparse_add_product(&t->phi_dd, 1, along, row[2]);
      double rate = largest(here.rate, m->rows), second = largest(here.second, m->rows);
      int elements = m->element_rows; // lengths: normalizations, which hold by the choice of x
      if (kind == POSITION) {
        compare("Phi_q", row[0], d.phi, m->rows, largest(here.phi, m->rows));
        compare("A", row[1], d.rate, elements, rate);
        compare("P", row[2], d.second, elements, second);
      } else if (kind == VELOCITY) {
        compare("Phi_q by velocity", row[0], d.rate, elements, rate);
        compare("tau_qd", row[1], d.second, elements, second);
      } else {
        compare("Phi_q by acceleration", row[0], d.second, elements, second);
      }
    }
}

static void check_time(const machine *m, const moment *at) {
  moment later = {.t = 1};
  numbers here, d;
  express(m, at, &here);
  differentiate(m, at, &later, &d);
  compare("Phi_t", m->tangent->phi_t, d.phi, m->rows, largest(here.phi, m->rows));
  compare("Phi_tt", m->tangent->phi_tt, d.rate, m->rows, largest(here.rate, m->rows));
  compare("tau_t", m->tangent->tau_t, d.tau, m->rows, largest(here.tau, m->rows));
  take_normal(at, d.force);
  compare("Q_t", m->tangent->q_t, d.force, N, largest(here.force, N));
}

static void check_states(machine *m, hn_random *random) {
  for (int k = 0; k < STATES; k++) {
    moment at = random_moment(m, random, 1);
    blocks_keep_lengths(m->tangent, at.q, at.qd, at.qdd);
    evaluate_full(m, &at);
    check_values(m, &at);
    check_directions(m, &at, random);
    check_time(m, &at);
  }
}

// ---- derivatives --------------------------------------------------------------------------------

static void rows_of_every_joint_have_exact_blocks(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(41);
  hand_begin(&m.hand);
  add_every_joint(&m.hand, &random);
  add_every_driver(&m.hand, &random);
  finish(&m, &random);
  check_states(&m, &random);
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

static void forces_of_every_type_have_exact_blocks(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(43);
  hand_begin(&m.hand);
  add_every_force(&m.hand, &random);
  add_tyres(&m.hand, &random);
  finish(&m, &random);
  check_states(&m, &random);
  hand_end(&m.hand);
}

static void a_free_body_needs_no_elements(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(47);
  hand_begin(&m.hand);
  finish(&m, &random);
  assert_int_equal(m.rows, HAND_BODIES - 1);
  check_states(&m, &random);
  hand_end(&m.hand);
}

// ---- user forces --------------------------------------------------------------------------------

static void begin_user(machine *m, int has_derivatives) {
  hn_random random = hn_random_seed(53);
  hand_begin(&m->hand);
  for (int k = 0; k < 2; k++) {
    hn_force_def user = between(HN_FORCE_USER, &random, k ? 3 : HN_GROUND, 1 + k);
    user.user = (hn_user_force){user_law, NULL, has_derivatives, 0};
    hand_add_force(&m->hand, user);
  }
  finish(m, &random);
}

static void user_forces_have_exact_blocks(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(59);
  begin_user(&m, 1);
  check_states(&m, &random);
  hand_end(&m.hand);
}

static void user_forces_without_derivatives_are_differentiated(void **unused) {
  (void)unused;
  static machine exact, numerical;
  hn_random random = hn_random_seed(61);
  begin_user(&exact, 1);
  begin_user(&numerical, 0);
  for (int k = 0; k < STATES; k++) {
    moment at = random_moment(&exact, &random, 1);
    if (k == STATES - 1)
      for (int b = 0; b < 4; b++) at.q[7 * b] += 1e4; // far away: steps grow with rounding noise
    evaluate_full(&exact, &at);
    evaluate_full(&numerical, &at);
    const hn_tangent *a = exact.tangent, *b = numerical.tangent;
    double scale = largest(a->stiffness.value, a->stiffness.start[N]);
    double tolerance = (k == STATES - 1 ? 1e-6 : 1e-8) * scale;
    check_near_many(b->stiffness.value, a->stiffness.value, a->stiffness.start[N], tolerance);
    check_near_many(b->damping.value, a->damping.value, a->damping.start[N], tolerance);
    check_near_many(b->q_t, a->q_t, N, tolerance);
    check_near_many(b->q_force, a->q_force, N, 1e-13 * scale);
  }
  hand_end(&exact.hand);
  hand_end(&numerical.hand);
}

static hn_status refuse(void *context, double t, const hn_body_motion body[2], hn_wrench wrench[2],
                        double d_pose[12][12], double d_velocity[12][12], double d_time[12]) {
  (void)context, (void)t, (void)wrench, (void)d_pose, (void)d_velocity, (void)d_time;
  return body[1].velocity.x > 0 ? HN_RETRY : HN_OK;
}

static void a_user_force_that_refuses_is_named(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(67);
  hand_begin(&m.hand);
  hn_force_def user = hn_default_force(HN_FORCE_USER);
  user.name = "shy";
  user.frame2.body = 1;
  user.user = (hn_user_force){refuse, NULL, 0, 0};
  hand_add_force(&m.hand, user);
  finish(&m, &random);
  moment at = random_moment(&m, &random, 1);
  hn_error error;
  at.qd[0] = -1;
  check_ok(tangent_basic(m.tangent, at.t, at.q, at.qd, &m.branches, &error));
  at.qd[0] = 1e-7; // only the differences reach beyond 0 on both sides
  check_status(tangent_basic(m.tangent, at.t, at.q, at.qd, &m.branches, &error), HN_RETRY);
  assert_string_equal(error.element, "force 'shy'");
  at.qd[0] = -1e-7;
  check_ok(tangent_basic(m.tangent, at.t, at.q, at.qd, &m.branches, &error));
  check_status(tangent_full(m.tangent, at.t, at.q, at.qd, at.qdd, at.lambda, &m.branches, NULL),
               HN_RETRY);
  hand_end(&m.hand);
}

// ---- against the equations in speeds ------------------------------------------------------------

// A frame on a body at a global place.
static hn_frame_on_body frame_at(const hand_model *hand, int body, hn_vec3 at, hn_quat turned) {
  if (body == HN_GROUND) return (hn_frame_on_body){HN_GROUND, at, turned};
  const hn_body_def *def = &hand->bodies[body];
  hn_quat back = quat_conjugate(def->orientation);
  hn_vec3 arm = mat3_apply(quat_matrix(back), vec3_sub(at, def->position));
  return (hn_frame_on_body){body, arm, quat_multiply(back, turned)};
}

static int join(hand_model *hand, hn_random *random, hn_joint_type type, int body1, int body2) {
  hn_joint_def joint = hn_default_joint(type);
  hn_vec3 at = random_vector(random, 1);
  hn_quat turned = random_rotation(random);
  joint.frame1 = frame_at(hand, body1, at, turned);
  if (type == HN_JOINT_DISTANCE) at = vec3_add(at, vec3(0.4, -0.3, 0.5));
  if (type == HN_JOINT_UNIVERSAL) // the axes of its cross are perpendicular
    turned = quat_multiply(turned, quat_from_axis_angle(vec3(1, 0, 0), 0.5 * HN_PI));
  joint.frame2 = frame_at(hand, body2, at, turned);
  return hand_add_joint(hand, joint);
}

// An open chain and a rod that closes it, drawn in place; a driven hinge; forces of every type.
static void make_assembled(machine *m, hn_random *random) {
  static const char *const time[] = {"t"};
  hand_model *hand = &m->hand;
  hand_begin(hand);
  for (int b = 1; b < HAND_BODIES; b++) {
    hand->bodies[b].position = random_vector(random, 1);
    hand->bodies[b].orientation = random_rotation(random);
  }
  int hinge = join(hand, random, HN_JOINT_REVOLUTE, 0, 1);
  join(hand, random, HN_JOINT_UNIVERSAL, 1, 2);
  join(hand, random, HN_JOINT_CYLINDRICAL, 2, 3);
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
    force->joint = force->coordinate == HN_COORDINATE_ANGLE ? hinge : 2;
  }
  add_tyres(hand, random);
  finish(m, random);
}

static void qdd_of_the_speeds_form_satisfies_the_equations_in_q(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(71);
  make_assembled(&m, &random);
  hn_snapshot *s;
  hn_error error;
  check_ok(hn_snapshot_create(&m.hand.arena, m.equations, &s));
  moment at = {0};
  double correction[N];
  hn_frame room[HAND_BODIES];
  hn_equations_initial(m.equations, room, at.q, at.qd);
  for (int b = 0; b < HAND_BODIES - 1; b++)
    for (int i = 0; i < 3; i++) at.qd[7 * b + i] = hn_random_uniform(&random, -1, 1);
  classify(&m, &at);
  check_ok(hn_cartesian.project_velocities(m.equations, 0, at.q, at.qd, &m.branches, correction));
  classify(&m, &at);
  check_ok(hn_cartesian.evaluate(m.equations, 0, at.q, at.qd, &m.branches, s, &error));
  hn_tangent *tangent = m.tangent;
  check_ok(tangent_basic(tangent, 0, at.q, at.qd, &m.branches, &error));
  double residual[N], force = largest(tangent->q_force, N);
  for (int r = 0; r < m.rows; r++) {
    check_near(tangent->phi[r], 0, 1e-13);
    check_near(tangent->phi_rate[r], 0, 1e-12);
  }

  memcpy(at.lambda, s->lambda, (size_t)m.element_rows * sizeof(double));
  tangent->type->normalization_multipliers(tangent, at.lambda);
  for (int i = 0; i < N; i++) residual[i] = -tangent->q_force[i];
  hn_sparse_add_product(&tangent->mass, 1, s->qdd, residual);
  hn_sparse_add_transposed_product(&tangent->phi_q, 1, at.lambda, residual);
  check_at_most(largest(residual, N), 1e-10 * fmax(force, 1));

  double second[MOST_ROWS];
  for (int r = 0; r < m.rows; r++) second[r] = -tangent->tau[r];
  hn_sparse_add_product(&tangent->phi_q, 1, s->qdd, second);
  check_at_most(largest(second, m.rows), 1e-10 * largest(s->qdd, N));

  double momentum[N] = {0}, doubled = 0;
  hn_sparse_add_product(&tangent->mass, 1, at.qd, momentum);
  for (int i = 0; i < N; i++) doubled += at.qd[i] * momentum[i];
  check_relative(0.5 * doubled, s->kinetic, 1e-13);
  hand_end(&m.hand);
}

// ---- patterns and memory ------------------------------------------------------------------------

static void check_symmetric_pattern(const hn_sparse *a) {
  for (int i = 0; i < a->rows; i++)
    for (int k = a->start[i]; k < a->start[i + 1]; k++)
      assert_true(hn_sparse_find(a, a->index[k], i) >= 0);
}

static void mass_and_damping_stand_inside_the_symmetric_pattern_of_stiffness(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(73);
  make_assembled(&m, &random);
  const hn_tangent *t = m.tangent;
  check_symmetric_pattern(&t->stiffness);
  check_symmetric_pattern(&t->damping);
  for (int i = 0; i < N; i++) {
    for (int k = t->mass.start[i]; k < t->mass.start[i + 1]; k++)
      assert_int_equal(t->mass_in_stiffness[k], hn_sparse_find(&t->stiffness, i, t->mass.index[k]));
    for (int k = t->damping.start[i]; k < t->damping.start[i + 1]; k++)
      assert_int_equal(t->damping_in_stiffness[k],
                       hn_sparse_find(&t->stiffness, i, t->damping.index[k]));
  }
  assert_true(t->phi_v.index == t->phi_q.index && t->phi_dd.index == t->phi_q.index);
  hand_end(&m.hand);
}

static void blocks_in_speeds_are_those_in_q(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(83);
  for (int k = 0; k < 2; k++) {
    hand_begin(&m.hand);
    if (k == 0) add_every_joint(&m.hand, &random);
    if (k == 0) add_every_driver(&m.hand, &random);
    if (k == 1) add_every_force(&m.hand, &random);
    finish(&m, &random);
    for (int round = 0; round < STATES; round++) {
      moment at = random_moment(&m, &random, 1);
      check_speed_blocks(m.tangent, at.t, at.q, at.qd, at.qdd, at.lambda, &m.branches);
    }
    hand_end(&m.hand);
  }
}

static void residuals_at(machine *m, const moment *at, double *b, double *c) {
  const hn_tangent_state s = {.t = at->t,
                              .q = at->q,
                              .qd = at->qd,
                              .qdd = at->qdd,
                              .lambda = at->lambda,
                              .branches = &m->branches,
                              .b = b,
                              .c = c};
  check_ok(hn_tangent_evaluate(m->tangent, &s, HN_BALANCE, NULL));
}

// Bodies stay rigid whatever p is: the same turn by s p, s(t) = 1.07 with rates 0.3 and -0.7, changes
// nothing but the scale of what acts on p, and the normalizations.
static void residuals_do_not_see_lengths(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(89);
  const double s = 1.07, sd = 0.3, sdd = -0.7;
  hand_begin(&m.hand);
  add_every_joint(&m.hand, &random);
  add_every_force(&m.hand, &random);
  finish(&m, &random);
  moment at = random_moment(&m, &random, 1);
  static double b[2][N], c[2][MOST_ROWS];
  residuals_at(&m, &at, b[0], c[0]);
  for (int k = 3; k < N; k += 7) {
    hn_quat p = quat_load(&at.q[k]), pd = quat_load(&at.qd[k]), pdd = quat_load(&at.qdd[k]);
    hn_quat rate = quat_add(quat_scale(s, pd), quat_scale(sd, p));
    pdd = quat_add(quat_scale(s, pdd), quat_add(quat_scale(2 * sd, pd), quat_scale(sdd, p)));
    quat_store(&at.q[k], quat_scale(s, p));
    quat_store(&at.qd[k], rate);
    quat_store(&at.qdd[k], pdd);
    for (int i = 0; i < 4; i++) b[0][k + i] *= s;
  }
  residuals_at(&m, &at, b[1], c[1]);
  check_near_many(b[1], b[0], N, 1e-11 * largest(b[0], N));
  check_near_many(c[1], c[0], m.element_rows, 1e-11 * largest(c[0], m.element_rows));
  hand_end(&m.hand);
}

static void basic_and_full_give_the_same_bits(void **unused) {
  (void)unused;
  static machine m;
  hn_random random = hn_random_seed(79);
  make_assembled(&m, &random);
  hn_tangent *full = m.tangent, *basic;
  check_ok(hn_tangent_create(&m.hand.arena, m.equations, 0, &basic));
  moment at = random_moment(&m, &random, 1);
  long before = m.hand.arena.allocator_calls;
  evaluate_full(&m, &at);
  hn_error error;
  check_ok(tangent_basic(basic, at.t, at.q, at.qd, &m.branches, &error));
  size_t rows = (size_t)m.rows * sizeof(double), entries = (size_t)full->phi_q.start[m.rows];
  assert_memory_equal(basic->phi, full->phi, rows);
  assert_memory_equal(basic->phi_rate, full->phi_rate, rows);
  assert_memory_equal(basic->phi_t, full->phi_t, rows);
  assert_memory_equal(basic->phi_tt, full->phi_tt, rows);
  assert_memory_equal(basic->tau, full->tau, rows);
  assert_memory_equal(basic->phi_q.value, full->phi_q.value, entries * sizeof(double));
  check_near_many(basic->mass.value, full->mass.value, full->mass.start[N], 1e-14);
  // a user's Q is summed in another order when its derivatives are asked for
  check_near_many(basic->q_force, full->q_force, N, 1e-12 * largest(full->q_force, N));
  evaluate_full(&m, &at);
  evaluate_full(&m, &at);
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

static void other_coordinates_are_refused(void **unused) {
  (void)unused;
  hn_equations_type type = {.name = "other"};
  hn_equations equations = {.type = &type};
  hn_arena arena;
  hn_tangent *tangent;
  hn_arena_init(&arena, NULL);
  check_status(hn_tangent_create(&arena, &equations, 0, &tangent), HN_ERROR_UNSUPPORTED);
  hn_arena_release(&arena);
}

static void worst_error_is_reported(void **unused) {
  (void)unused;
  print_message("worst relative error of all blocks: %.1e\n", worst);
  check_at_most(worst, limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_joint_have_exact_blocks),
      cmocka_unit_test(forces_of_every_type_have_exact_blocks),
      cmocka_unit_test(a_free_body_needs_no_elements),
      cmocka_unit_test(user_forces_have_exact_blocks),
      cmocka_unit_test(user_forces_without_derivatives_are_differentiated),
      cmocka_unit_test(a_user_force_that_refuses_is_named),
      cmocka_unit_test(qdd_of_the_speeds_form_satisfies_the_equations_in_q),
      cmocka_unit_test(mass_and_damping_stand_inside_the_symmetric_pattern_of_stiffness),
      cmocka_unit_test(blocks_in_speeds_are_those_in_q),
      cmocka_unit_test(residuals_do_not_see_lengths),
      cmocka_unit_test(basic_and_full_give_the_same_bits),
      cmocka_unit_test(creation_survives_every_failing_allocation),
      cmocka_unit_test(other_coordinates_are_refused),
      cmocka_unit_test(worst_error_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
