// Every constraint row and every force against sixth-order central differences, at random states of
// bodies joined by random frames; in_speeds against in_poses; power against the change of potential.
// Errors are relative to the largest entry of the block and its value.
#include <stdio.h>

#include "elements/differences.h"
#include "elements/force.h"
#include "elements/road.h"

enum { STATES = 4 };
static const double limit = 1e-7;

// ---- the worst error of all ---------------------------------------------------------------------

static double worst;
static char worst_name[128];

static double largest(const double *a, int count) {
  double m = 0;
  for (int i = 0; i < count; i++) m = fmax(m, fabs(a[i]));
  return m;
}

// Compares blocks of numbers; scale: the size of the quantity that was differentiated.
static void compare(const char *element, const char *what, const double *exact,
                    const double *differences, int count, double scale) {
  double error = 0, size = fmax(fmax(largest(exact, count), scale), 1e-3);
  for (int i = 0; i < count; i++) error = fmax(error, fabs(exact[i] - differences[i]));
  error /= size;
  if (error > worst || isnan(error)) {
    worst = error;
    snprintf(worst_name, sizeof worst_name, "%s: %s", element, what);
  }
  if (error <= limit) return;
  print_error("%s: %s has the relative error %.2e (size %.3g)\n", element, what, error, size);
  fail();
}

// ---- rows ---------------------------------------------------------------------------------------

enum { ROW_NUMBERS = 3 + HN_ROW_LOCAL };

static void row_tangent(const subject *probe, const state *s, hn_row_tangent *out) {
  hn_frame frames[HAND_BODIES];
  frames_of(s, frames);
  hn_row_in_poses(probe->hand->elements, &probe->hand->elements->rows[probe->element], frames,
                  probe->hand->turns, s->t, probe->time_branch, out);
}

static void row_values(const subject *probe, const state *s, double *out) {
  hn_row_tangent row;
  row_tangent(probe, s, &row);
  out[0] = row.value;
  out[1] = row.rate;
  out[2] = row.tau;
  for (int i = 0; i < HN_ROW_LOCAL; i++) out[3 + i] = probe->lambda * row.gradient[i];
}

static void compare_row_speeds(const char *name, const subject *probe, const state *s,
                               const hn_row_tangent *row) {
  hn_frame frames[HAND_BODIES];
  frames_of(s, frames);
  const hn_elements *elements = probe->hand->elements;
  const hn_row *def = &elements->rows[probe->element];
  hn_row_speeds speeds;
  hn_row_in_speeds(elements, def, frames, probe->hand->turns, s->t, probe->time_branch, &speeds);
  double a[4] = {speeds.value, speeds.rate, speeds.tau, speeds.time_rate};
  double b[4] = {row->value, row->rate, row->tau, row->time_rate};
  compare(name, "value, rate, tau in speeds", a, b, 4, 0);
  for (int k = 0; k < def->body_count; k++) {
    double in_speeds[6];
    vec3_store(in_speeds, speeds.n[k]);
    vec3_store(in_speeds + 3, speeds.m[k]);
    compare(name, "gradient in speeds", in_speeds, &row->gradient[6 * k], 6, 0);
  }
}

static void check_row(const char *name, const subject *probe, const state *s) {
  const hn_row *def = &probe->hand->elements->rows[probe->element];
  hn_row_tangent row;
  row_tangent(probe, s, &row);
  compare_row_speeds(name, probe, s, &row);
  int n = 6 * def->body_count;
  double gradient[HN_ROW_LOCAL], rate[HN_ROW_LOCAL], tau[HN_ROW_LOCAL], tau_speed[HN_ROW_LOCAL];
  double d[ROW_NUMBERS];
  for (int j = 0; j < n; j++) {
    small_motion moved = {0}, faster = {0};
    moved.pose[def->body[j / 6]][j % 6] = faster.speed[def->body[j / 6]][j % 6] = 1;
    difference(row_values, probe, s, &moved, ROW_NUMBERS, d);
    gradient[j] = d[0];
    rate[j] = d[1];
    tau[j] = d[2];
    double column[HN_ROW_LOCAL];
    for (int i = 0; i < n; i++) column[i] = probe->lambda * row.gradient_pose[i][j];
    compare(name, "gradient by poses", column, d + 3, n, largest(row.gradient, n));
    difference(row_values, probe, s, &faster, ROW_NUMBERS, d);
    tau_speed[j] = d[2];
  }
  compare(name, "value by poses", row.gradient, gradient, n, fabs(row.value));
  compare(name, "rate by poses", row.rate_pose, rate, n, fabs(row.rate));
  compare(name, "tau by poses", row.tau_pose, tau, n, fabs(row.tau));
  compare(name, "tau by speeds", row.tau_speed, tau_speed, n, fabs(row.tau));
  small_motion later = {.t = 1};
  difference(row_values, probe, s, &later, ROW_NUMBERS, d);
  compare(name, "Phi_t", &row.time_rate, &d[0], 1, fabs(row.value));
  compare(name, "tau_t", &row.tau_t, &d[2], 1, fabs(row.tau));
}

// ---- forces -------------------------------------------------------------------------------------

static void force_load(const subject *probe, const state *s, hn_force_load *out) {
  hn_frame frames[HAND_BODIES];
  frames_of(s, frames);
  check_ok(hn_force_in_poses(probe->hand->elements, probe->element, frames, probe->hand->turns,
                             s->t, probe->branch, out));
}

static void force_values(const subject *probe, const state *s, double *out) {
  hn_force_load force;
  force_load(probe, s, &force);
  memcpy(out, force.wrench, sizeof force.wrench);
}

static void force_potential(const subject *probe, const state *s, double *out) {
  hn_frame frames[HAND_BODIES];
  hn_wrench wrench[HAND_BODIES] = {0};
  hn_force_value value;
  frames_of(s, frames);
  check_ok(hn_force_in_speeds(probe->hand->elements, probe->element, frames, probe->hand->turns,
                              s->t, probe->branch, wrench, &value));
  *out = value.potential;
}

// Inside a step: the same to the last bit; and what is said to have no power has none.
static void check_force_in_step(const subject *probe, const state *s, const hn_wrench *wrench,
                                const hn_force_value *value) {
  const hn_elements *elements = probe->hand->elements;
  hn_frame frames[HAND_BODIES];
  hn_wrench again[HAND_BODIES] = {0};
  double power = 0, size = 1 + fabs(value->value) * (1 + fabs(value->rate));
  frames_of(s, frames);
  check_ok(hn_force_in_step(elements, probe->element, frames, probe->hand->turns, s->t,
                            probe->branch, again, &power));
  assert_memory_equal(again, wrench, sizeof again);
  check_near(power, value->power, 0);
  if (!hn_force_has_power(elements->model, probe->element)) check_near(power, 0, 1e-12 * size);
}

// The wrench is the same, and its power what the bookkeeping says.
static void check_force_speeds(const char *name, const subject *probe, const state *s,
                               const hn_force_load *force) {
  hn_frame frames[HAND_BODIES];
  hn_wrench wrench[HAND_BODIES] = {0};
  hn_force_value value;
  frames_of(s, frames);
  check_ok(hn_force_in_speeds(probe->hand->elements, probe->element, frames, probe->hand->turns,
                              s->t, probe->branch, wrench, &value));
  double power = 0, size = 0;
  for (int k = 0; k < 2; k++) {
    int body = force->body[k];
    const hn_frame *f = &frames[body];
    double in_speeds[6];
    vec3_store(in_speeds, wrench[body].force);
    vec3_store(in_speeds + 3, wrench[body].torque);
    compare(name, "wrench", in_speeds, &force->wrench[6 * k], 6, 0);
    double share = vec3_dot(wrench[body].force, f->v) + vec3_dot(wrench[body].torque, f->w);
    power += share;
    size += fabs(share);
  }
  double stored;
  small_motion along = {.t = 1};
  memcpy(along.pose, s->speed, sizeof along.pose);
  difference(force_potential, probe, s, &along, 1, &stored);
  double balance = power + stored;
  compare(name, "power", &value.power, &balance, 1, fmax(size, fabs(value.potential)));
  check_force_in_step(probe, s, wrench, &value);
}

static void check_force(const char *name, const subject *probe, const state *s) {
  hn_force_load force;
  force_load(probe, s, &force);
  check_force_speeds(name, probe, s, &force);
  double d[HN_POSES], pose[HN_POSES], speed[HN_POSES], size = largest(force.wrench, HN_POSES);
  for (int j = 0; j < HN_POSES; j++) {
    if (force.body[j / 6] == HN_GROUND) continue;
    small_motion moved = {0}, faster = {0};
    moved.pose[force.body[j / 6]][j % 6] = faster.speed[force.body[j / 6]][j % 6] = 1;
    for (int i = 0; i < HN_POSES; i++) {
      pose[i] = force.d_pose[i][j];
      speed[i] = force.d_speed[i][j];
    }
    difference(force_values, probe, s, &moved, HN_POSES, d);
    compare(name, "wrench by poses", pose, d, HN_POSES, size);
    difference(force_values, probe, s, &faster, HN_POSES, d);
    compare(name, "wrench by speeds", speed, d, HN_POSES, size);
  }
  small_motion later = {.t = 1};
  difference(force_values, probe, s, &later, HN_POSES, d);
  compare(name, "wrench by time", force.rate, d, HN_POSES, size);
}

// ---- the tests ----------------------------------------------------------------------------------

static void rows_of_every_joint_have_exact_derivatives(void **unused) {
  (void)unused;
  static hand_model hand;
  hn_random random = hn_random_seed(17);
  hand_begin(&hand);
  add_every_joint(&hand, &random);
  add_every_driver(&hand, &random);
  hand_finish(&hand);
  for (int k = 0; k < STATES; k++) {
    state s = random_state(&random);
    hn_frame frames[HAND_BODIES];
    frames_of(&s, frames);
    hn_elements_update_turns(hand.elements, frames, hand.turns);
    for (int r = 0; r < hand.elements->row_count; r++) {
      const hn_row *row = &hand.elements->rows[r];
      char name[64];
      snprintf(name, sizeof name, "%s row %d",
               row->is_driver ? "driver" : hn_joint_type_name(hand.joints[row->owner].type),
               row->place);
      subject probe = {&hand, r, {0, 0}, 0, 1.7};
      if (row->is_driver) probe.time_branch = hn_driver_time_branch(hand.elements, row->owner, s.t);
      check_row(name, &probe, &s);
    }
  }
  hand_end(&hand);
}

static void forces_of_every_type_have_exact_derivatives(void **unused) {
  (void)unused;
  static hand_model hand;
  hn_random random = hn_random_seed(29);
  hand_begin(&hand);
  add_every_force(&hand, &random);
  hand_finish(&hand);
  for (int k = 0; k < STATES; k++) {
    state s = random_state(&random);
    hn_frame frames[HAND_BODIES];
    frames_of(&s, frames);
    hn_elements_update_turns(hand.elements, frames, hand.turns);
    for (int f = 0; f < hand.model.force_count; f++) {
      char name[64];
      snprintf(name, sizeof name, "force %d, %s", f, hn_force_type_name(hand.forces[f].type));
      subject probe = {&hand, f, {0, 0}, 0, 1};
      probe.branch = hn_force_branch(hand.elements, f, frames, hand.turns, s.t);
      check_force(name, &probe, &s);
    }
  }
  hand_end(&hand);
}

// A spline has discontinuities in its third derivative at every point: the measures are put between
// them.
static void spline_law_has_exact_derivatives(void **unused) {
  (void)unused;
  static hand_model hand;
  static const double x[] = {-1, 0.5, 1, 1.5, 2, 3}, y[] = {10, -20, 5, 50, 20, 0};
  hn_random random = hn_random_seed(31);
  hand_begin(&hand);
  hn_force_def spring = hn_default_force(HN_FORCE_SPRING_DAMPER);
  spring.frame2.body = 1;
  spring.of_x = hand_table(&hand, x, y, 6, HN_TABLE_SPLINE);
  hand_add_force(&hand, spring);
  hand_finish(&hand);
  for (int k = 0; k < 5; k++) {
    state s = random_state(&random);
    hn_vec3 line = vec3_unit(vec3_load(s.q[1]));
    vec3_store(s.q[1], vec3_scale(0.25 + 0.5 * k + 0.2 * (k == 0), line));
    subject probe = {&hand, 0, {0, 0}, 0, 1};
    check_force("spring by a spline", &probe, &s);
  }
  hand_end(&hand);
}

// The wheel center of body 1 above the road at xi, so that it presses, and moving at random.
static state state_over(const hand_model *hand, int f, double xi, hn_random *random) {
  const hn_force_def *tyre = &hand->forces[f];
  hn_road road = hn_road_of(&hand->model, tyre->road);
  state s = random_state(random);
  hn_frame frames[HAND_BODIES];
  frames_of(&s, frames);
  int below = hn_road_feature_below(&road, xi);
  double z = hn_road_profile(&road, below, xi).z + 0.6 * tyre->radius;
  hn_vec3 centre = vec3(xi + road.def->speed * s.t, hn_random_uniform(random, -1, 1), z);
  hn_vec3 arm = mat3_apply(frames[1].a, tyre->frame2.position);
  vec3_store(s.q[1], vec3_sub(centre, arm));
  return s;
}

// A table has a discontinuous third derivative at each point: stay away from it.
static int is_near_a_point(const hn_road_def *road, double foot) {
  for (int k = 0; k < road->count; k++)
    if (fabs(foot - road->x[k]) < 0.08) return 1;
  return 0;
}

static void check_tyre_at(hand_model *hand, int f, double xi, hn_random *random, int seen[64]) {
  const hn_force_def *tyre = &hand->forces[f];
  state s = state_over(hand, f, xi, random);
  hn_frame frames[HAND_BODIES];
  frames_of(&s, frames);
  subject probe = {hand, f, hn_force_branch(hand->elements, f, frames, hand->turns, s.t), 0, 1};
  int feature = probe.branch.state / 3;
  seen[feature]++;
  if (hand->roads[tyre->road].kind == HN_ROAD_TABLE) {
    hn_road road = hn_road_of(&hand->model, tyre->road);
    double z = vec3_load(s.q[1]).z + mat3_apply(frames[1].a, tyre->frame2.position).z;
    hn_road_gap gap = hn_road_distance(&road, feature, xi, z);
    double foot = tyre->contact == HN_CONTACT_RADIAL ? xi - gap.distance * gap.nx : xi;
    if (is_near_a_point(road.def, foot)) return;
  }
  char name[64];
  snprintf(name, sizeof name, "tyre, contact %d, road %d, state %d", (int)tyre->contact, tyre->road,
           probe.branch.state);
  check_force(name, &probe, &s);
}

static void tyres_on_every_road_have_exact_derivatives(void **unused) {
  (void)unused;
  static hand_model hand;
  hn_random random = hn_random_seed(37);
  hand_begin(&hand);
  add_every_road(&hand);
  for (int contact = 0; contact < 2; contact++)
    for (int road = 0; road < hand.model.roads.count; road++) {
      hn_force_def tyre = between(HN_FORCE_TYRE, &random, HN_GROUND, 1);
      tyre.radius = 0.45;
      tyre.stiffness[0] = 300;
      tyre.damping[0] = 10;
      tyre.road = road;
      tyre.contact = contact ? HN_CONTACT_RADIAL : HN_CONTACT_VERTICAL;
      hand_add_force(&hand, tyre);
    }
  hand_finish(&hand);
  for (int f = 0; f < hand.model.force_count; f++) {
    int seen[64] = {0}, features = 0;
    for (int k = 0; k < 50; k++) check_tyre_at(&hand, f, -0.57 + 0.083 * k, &random, seen);
    for (int k = 0; k < 64; k++) features += seen[k] > 0;
    int is_flat = hand.roads[hand.forces[f].road].kind == HN_ROAD_FLAT;
    assert_true(is_flat || features > 1);
  }
  hand_end(&hand);
}

static void worst_error_is_reported(void **unused) {
  (void)unused;
  print_message("worst relative error over all elements: %.1e (%s)\n", worst, worst_name);
  check_at_most(worst, limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_of_every_joint_have_exact_derivatives),
      cmocka_unit_test(forces_of_every_type_have_exact_derivatives),
      cmocka_unit_test(spline_law_has_exact_derivatives),
      cmocka_unit_test(tyres_on_every_road_have_exact_derivatives),
      cmocka_unit_test(worst_error_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
