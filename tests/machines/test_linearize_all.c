// Every model: A against differences of sixth order of the model as it runs in each set of
// coordinates, and the same eigenvalues from all of them.
#include <complex.h>
#include <stddef.h>

#include "analysis/linear/shifted.h"
#include "analysis/linear/work.h"
#include "elements/sensor.h"
#include "machines/every.h"
#include "machines/machine.h"

enum { POINTS = 6 };
static const char *const sets[] = {"cartesian", "natural", "relative"};
static const double offsets[POINTS] = {-3, -2, -1, 1, 2, 3};
static const double weights[POINTS] = {-1.0 / 60, 3.0 / 20, -3.0 / 4, 3.0 / 4, -3.0 / 20, 1.0 / 60};

// The function that is differentiated, a quantity.
typedef struct motion {
  double second;                    // of a coordinate of a joint or a position
  hn_vec3 turn, rate, acceleration; // of a body
} motion;

typedef struct stand {
  hn_simulation *s;
  hn_linear_work *w;
  double *q, *qd, *cartesian_q, *cartesian_qd, *correction;
  double *z, *rates; // of laws: states and their rates
} stand;

static hn_vec3 turn_between(hn_mat3 a, hn_mat3 b) {
  const hn_mat3 r = mat3_multiply(a, mat3_transpose(b));
  return vec3((r.m[2][1] - r.m[1][2]) / 2, (r.m[0][2] - r.m[2][0]) / 2,
              (r.m[1][0] - r.m[0][1]) / 2);
}

static double joint_second(const stand *a, hn_quantity_of of) {
  hn_simulation *s = a->s;
  char name[256];
  snprintf(name, sizeof name, "joint.%s.%s_acceleration", s->model->joints[of.element].name,
           hn_coordinate_name((hn_coordinate)of.part));
  const hn_signal_source source = {
      .snapshot = s->looking.snapshot, .branches = &s->branches, .inputs = s->inputs};
  return hn_signals_evaluate(s->signals, &source, hn_signals_find(s->signals, name));
}

static void look(const stand *a, motion *out) {
  const hn_linear_point *p = &a->w->point;
  const hn_snapshot *now = a->s->looking.snapshot;
  for (int k = 0; k < p->freedoms; k++) {
    const hn_quantity_of of = p->quantity[k];
    out[k] = (motion){0};
    if (of.kind == HN_QUANTITY_JOINT) {
      out[k].second = joint_second(a, of);
    } else if (of.kind == HN_QUANTITY_POSITION) {
      const hn_vec3 v = now->acceleration[of.element];
      out[k].second = of.part == 0 ? v.x : of.part == 1 ? v.y : v.z;
    } else {
      out[k].turn = turn_between(now->frames[of.element].a, p->frames[of.element].a);
      out[k].rate = now->frames[of.element].w;
      out[k].acceleration = now->angular_acceleration[of.element];
    }
  }
}

// The model in its own coordinates at q + h dq, qd + h dqd, z + dz.
static void go(const stand *a, double h, const double *dq, const double *dqd, motion *out) {
  const hn_linear_point *p = &a->w->point;
  hn_simulation *s = a->s;
  hn_equations *e = s->equations;
  hn_error error = {0};
  for (int i = 0; i < p->n; i++) {
    a->cartesian_q[i] = p->q[i] + (dq ? h * dq[i] : 0);
    a->cartesian_qd[i] = p->qd[i] + (dqd ? h * dqd[i] : 0);
  }
  hn_cartesian_coordinates.frames(p->equations, a->cartesian_q, a->cartesian_qd, s->looking.frames);
  e->type->coordinates->from_frames(e, s->looking.frames, a->q, a->qd);
  const hn_branches branches = hn_branches_to_look(&s->branches);
  if (e->type->project_positions(e, p->t, a->q, &branches, 1e-13, a->correction) < 0)
    fail_msg("positions");
  if (e->type->project_velocities(e, p->t, a->q, a->qd, &branches, a->correction) < 0)
    fail_msg("velocities");
  if (s->method->states > 0) hn_states_set(e->elements, a->z);
  if (e->type->evaluate(e, p->t, a->q, a->qd, &branches, s->looking.snapshot, &error))
    fail_msg("accelerations: %s", error.message);
  if (s->method->states > 0) hn_states_rates(e->elements, p->t, a->rates);
  hn_snapshot_complete(e, &s->branches, s->looking.snapshot);
  look(a, out);
}

static double part_of(hn_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

// detadd of quantity k from differences; a rotation is against the motion of the state.
static double second_of(const hn_linear_point *p, int k, const motion *base, const motion *change) {
  const hn_quantity_of of = p->quantity[k];
  if (of.kind != HN_QUANTITY_ROTATION) return change->second;
  const hn_vec3 rate = vec3_add(change->rate, vec3_cross(base->rate, change->turn));
  hn_vec3 second = vec3_add(change->acceleration, vec3_cross(base->acceleration, change->turn));
  second = vec3_add(second, vec3_cross(base->rate, rate));
  return part_of(second, of.part);
}

static void add_scaled(motion *sum, double factor, const motion *m) {
  sum->second += factor * m->second;
  sum->turn = vec3_add_scaled(sum->turn, factor, m->turn);
  sum->rate = vec3_add_scaled(sum->rate, factor, m->rate);
  sum->acceleration = vec3_add_scaled(sum->acceleration, factor, m->acceleration);
}

static double most_of(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// The largest difference from column `state` of A, against the largest entry of A.
static double column_error_by(const stand *a, int state, double scale, motion *room) {
  const hn_linear_point *p = &a->w->point;
  const int f = p->freedoms, n = a->w->result.state_count, laws = n - 2 * f;
  const int is_law = state >= 2 * f, own = is_law ? a->w->z[state - 2 * f] : -1;
  double slope[64] = {0};
  assert_true(laws <= 64);
  motion *sum = room, *at = room + f, *base = room + 2 * f;
  const size_t column = (size_t)(state % f) * (size_t)p->n;
  const double *dq = state < f ? &p->p[column] : NULL, *dqd = is_law      ? NULL
                                                              : state < f ? &a->w->x[column]
                                                                          : &p->p[column];
  const double size = fmax(dq ? most_of(dq, p->n) : 0, dqd ? 0.1 * most_of(dqd, p->n) : 0);
  const double now = is_law ? a->z[own] : 0;
  const double h =
      scale * (is_law ? 1e-4 * (1 + fabs(now)) : (dq ? 1e-4 : 2e-6) / (size > 0 ? size : 1));
  memset(sum, 0, (size_t)f * sizeof *sum);
  go(a, 0, NULL, dqd, base);
  for (int i = 0; i < POINTS; i++) {
    if (is_law) a->z[own] = now + offsets[i] * h;
    go(a, offsets[i] * h, dq, dqd, at);
    for (int k = 0; k < laws; k++) slope[k] += weights[i] / h * a->rates[a->w->z[k]];
    for (int k = 0; k < f; k++) add_scaled(&sum[k], weights[i] / h, &at[k]);
  }
  if (is_law) a->z[own] = now;
  const double *matrix = a->w->result.a, largest = fmax(1, most_of(matrix, n * n));
  double worst = 0;
  for (int k = 0; k < f; k++) {
    const double found = second_of(p, k, &base[k], &sum[k]);
    worst = fmax(worst, fabs(found - matrix[(size_t)(f + k) * (size_t)n + (size_t)state]));
  }
  for (int k = 0; k < laws; k++)
    worst = fmax(worst, fabs(slope[k] - matrix[(size_t)(2 * f + k) * (size_t)n + (size_t)state]));
  return worst / largest;
}

// Where a force bends within a millimeter the shorter step is more accurate.
static double column_error(const stand *a, int state, motion *room) {
  const double error = column_error_by(a, state, 1, room);
  return error < 1e-7 ? error : fmin(error, column_error_by(a, state, 1.0 / 32, room));
}

static hn_linear *linearize(const char *path, hn_simulation *s) {
  hn_linear_options options = hn_default_linear_options();
  static const char *const none[] = {NULL};
  options.outputs = options.inputs = none;
  hn_error error = {0};
  hn_linear *linear = NULL;
  if (hn_simulation_linearize(s, &options, &linear, &error)) machine_stop(path, &error);
  return linear;
}

static double machine_error(hn_simulation *s, hn_linear *linear) {
  hn_linear_work *w = (hn_linear_work *)(void *)((char *)linear - offsetof(hn_linear_work, result));
  const int nq = s->equations->nq, n = w->point.n;
  const size_t f = (size_t)w->point.freedoms;
  const int laws = s->method->states;
  double *room = calloc((size_t)(3 * nq + 2 * n + 2 * laws) + 1, sizeof *room), worst = 0;
  motion *motions = calloc(3 * f + 1, sizeof *motions);
  assert_non_null(room);
  assert_non_null(motions);
  const stand a = {.s = s,
                   .w = w,
                   .q = room,
                   .qd = room + nq,
                   .correction = room + 2 * nq,
                   .cartesian_q = room + 3 * nq,
                   .cartesian_qd = room + 3 * nq + n,
                   .z = room + 3 * nq + 2 * n,
                   .rates = room + 3 * nq + 2 * n + laws};
  for (int k = 0; k < laws; k++) a.z[k] = s->method->z[k];
  for (int k = 0; k < linear->state_count; k++) worst = fmax(worst, column_error(&a, k, motions));
  free(motions);
  free(room);
  return worst;
}

// The mean of the values of b near to one of a: repeated ones are known by their mean alone.
static double value_gap(const hn_linear *a, const hn_linear *b, double near) {
  double worst = 0;
  for (int i = 0; i < a->eigenvalue_count; i++) {
    const double complex x = a->eigenvalues[i].real + I * a->eigenvalues[i].imaginary;
    double complex own = 0, other = 0;
    int count = 0, others = 0;
    for (int k = 0; k < a->eigenvalue_count; k++) {
      const double complex y = a->eigenvalues[k].real + I * a->eigenvalues[k].imaginary,
                           z = b->eigenvalues[k].real + I * b->eigenvalues[k].imaginary;
      if (cabs(y - x) < near) own += y, count++;
      if (cabs(z - x) < near) other += z, others++;
    }
    if (count != others) return HUGE_VAL;
    worst = fmax(worst, cabs(own / count - other / others));
  }
  return worst;
}

// (A - sigma)^-1 without A, by sparse factors, times A - sigma; 0 where other states were chosen.
static double shifted_error(hn_simulation *s, const hn_linear *linear) {
  const int n = linear->state_count, f = n / 2;
  const double sigma = 0.83;
  hn_arena arena;
  hn_arena_init(&arena, NULL);
  hn_linear_point p;
  hn_shifted *shifted = NULL;
  hn_error error = {0};
  double worst = 0, *r = HN_TAKE(&arena, double, n + 1), *x = HN_TAKE(&arena, double, n + 1);
  int *place = HN_TAKE(&arena, int, n + 1), is_same = 1;
  if (hn_linear_point_create_sparse(&arena, s, 0, &p, &error)) machine_stop("sparse", &error);
  for (int k = 0; k < n; k++) {
    char name[256];
    hn_linear_name(&p, k % f, k / f, name, sizeof name);
    place[k] = -1;
    for (int i = 0; i < n; i++)
      if (strcmp(name, linear->states[i]) == 0) place[k] = i;
    is_same &= place[k] >= 0;
  }
  // a massless direction has no inverse
  if (is_same && hn_shifted_create(&p, sigma, &shifted) == HN_OK)
    for (int k = 0; k < n; k++) {
      for (int i = 0; i < n; i++)
        r[i] = linear->a[(size_t)place[i] * (size_t)n + (size_t)place[k]] - (i == k ? sigma : 0);
      const double size = fmax(1, most_of(linear->a, n * n));
      hn_shifted_apply(shifted, r, x);
      for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - (i == k ? 1 : 0)) / size);
    }
  hn_shifted_free(shifted);
  hn_linear_point_free(&p);
  hn_arena_release(&arena);
  return worst;
}

// A model that starts at a slope discontinuity, where differences mix both sides (tyres of TMeasy
// that do not slip yet): it is compared a little later.
static void check_later(const char *path, const hn_simulation_options *options) {
  machine made = machine_open_by(path, NULL, options);
  machine_advance(&made, 0.5);
  hn_linear *linear = linearize(path, made.simulation);
  const double error = machine_error(made.simulation, linear);
  if (!(error < 1e-6))
    fail_msg("%s, %s, later: A differs by %.3g of its size", path, options->coordinates, error);
  hn_linear_free(linear);
  machine_close(&made);
}

static void check_machine(const char *path) {
  machine made[3];
  hn_linear *linear[3];
  double largest = 0;
  for (int k = 0; k < 3; k++) {
    hn_simulation_options options = hn_default_simulation_options();
    options.coordinates = sets[k];
    made[k] = machine_open_by(path, NULL, &options);
    linear[k] = linearize(path, made[k].simulation);
    const double error = machine_error(made[k].simulation, linear[k]);
    if (!(error < 1e-6) && linear[k]->kink_count > 0)
      check_later(path, &options);
    else if (!(error < 1e-6))
      fail_msg("%s, %s: A differs by %.3g of its size", path, sets[k], error);
    if (k == 0 && linear[k]->state_count > 0 && made[k].simulation->method->states == 0) {
      const double gap = shifted_error(made[k].simulation, linear[k]);
      if (!(gap < 1e-10)) fail_msg("%s: sparse factors differ by %.3g", path, gap);
    }
    for (int i = 0; i < linear[k]->eigenvalue_count; i++)
      largest = fmax(largest, 2 * HN_PI * linear[k]->eigenvalues[i].frequency);
  }
  for (int k = 1; k < 3; k++) {
    assert_int_equal(linear[k]->eigenvalue_count, linear[0]->eigenvalue_count);
    const double gap = value_gap(linear[0], linear[k], 1e-5 * fmax(largest, 1e-3));
    if (!(gap <= 1e-9 * largest))
      fail_msg("%s: eigenvalues of %s differ by %.3g", path, sets[k], gap / largest);
  }
  for (int k = 0; k < 3; k++) {
    hn_linear_free(linear[k]);
    machine_close(&made[k]);
  }
}

static void a_is_what_differences_of_the_machine_say(void **state) {
  (void)state;
  for (int k = 0; k < PATHS; k++) check_machine(paths[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_is_what_differences_of_the_machine_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
