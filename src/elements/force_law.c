// Laws of measured forces: the tension f(m, md, t) on a measure, on a frozen branch.
//
//   springs   f = of_x(x) + of_v(md) + of_t(t) + of_xvt(x, md, t), x = m, leaf: x = m - offset
//   bushing   f = k m + c md on each of six measures: three lengths, three sines of turns
//   friction  f = magnitude tanh(md / transition) + viscous md
//   stop      f = k (m - limit) + c md in contact with one of two limits, pushing back only
//
// The potential is the integral of of_x over x; an expression has no integral and counts as power.
// A branch freezes the pieces of of_x and of_v and the switches of of_xvt (state), the pieces of of_t
// (time), for a stop which limit
// acts and whether it was left behind. Off its own region a frozen branch is continued by its own
// formula. Laws that use inputs are functions of time too: of_x(x, u(t)).
#include "elements/force_types.h"
#include "math/law.h"
#include "model/contact.h"

// ---- springs ------------------------------------------------------------------------------------

static double law_variable(const hn_force_def *force, double m) {
  return hn_force_row_of(force->type)->make_measures == hn_leaf_measures ? m - force->offset : m;
}

static void add_elastic(const hn_law *law, int piece, double t, hn_tension *out) {
  if (!law) return;
  if (hn_law_input_count(law) > 0) {
    double gradient[2];
    out->f += hn_law_evaluate_at_time(law, out->x, t, gradient);
    out->f_m += gradient[0];
    out->f_t += gradient[1];
    return;
  }
  hn_law_value value = hn_law_evaluate(law, piece, out->x);
  out->f += value.value;
  out->f_m += value.d1;
  if (hn_law_get_kind(law) == HN_LAW_EXPRESSION) return;
  out->potential += value.integral;
  out->stored += value.value;
}

static void add_viscous(const hn_law *law, int piece, double md, double t, hn_tension *out) {
  if (!law) return;
  if (hn_law_input_count(law) > 0) {
    double gradient[2], value = hn_law_evaluate_at_time(law, md, t, gradient);
    out->f += value;
    out->f_md += gradient[0];
    out->f_t += gradient[1];
    out->damped += value;
    return;
  }
  hn_law_value value = hn_law_evaluate(law, piece, md);
  out->f += value.value;
  out->f_md += value.d1;
  out->damped += value.value;
}

// has_slopes: with the derivatives of an expression.
static hn_tension spring_at(const hn_force_def *force, hn_branch branch, double m, double md,
                            double t, int has_slopes) {
  hn_tension out = {.x = law_variable(force, m)};
  int piece[2] = {branch.state, branch.state}; // 0: the only ones, or free
  hn_law *const laws[] = {force->of_x, force->of_v};
  int decisions = branch.state;
  if (branch.state > 0) {
    int pieces = hn_pieces_count(2, laws);
    hn_pieces_decode(2, laws, branch.state % pieces, piece);
    decisions = branch.state / pieces;
  }
  add_elastic(force->of_x, piece[0], t, &out);
  add_viscous(force->of_v, piece[1], md, t, &out);
  if (force->of_t) {
    hn_law_value value = hn_law_evaluate(force->of_t, branch.time, t);
    out.f += value.value;
    out.f_t += value.d1;
  }
  if (force->of_xvt) {
    double gradient[3] = {0, 0, 0};
    out.f += hn_law_evaluate_decided(force->of_xvt, decisions, (double[]){out.x, md, t},
                                     has_slopes ? gradient : NULL);
    out.f_m += gradient[0];
    out.f_md += gradient[1];
    out.f_t += gradient[2];
  }
  return out;
}

hn_tension hn_spring_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                             double md, double t) {
  (void)k;
  return spring_at(force, branch, m, md, t, 1);
}

static int is_straight(const hn_law *law, double coefficients[2]) {
  coefficients[0] = coefficients[1] = 0;
  return !law || hn_law_is_straight(law, coefficients);
}

int hn_force_is_straight(const hn_force_def *force, double of_x[2], double of_v[2]) {
  const hn_force_row *row = hn_force_row_of(force->type);
  if (row->tension != hn_spring_tension || row->make_measures == hn_leaf_measures) return 0;
  return !force->of_t && !force->of_xvt && is_straight(force->of_x, of_x) &&
         is_straight(force->of_v, of_v);
}

// ---- bushing ------------------------------------------------------------------------------------

static hn_tension linear_tension(double stiffness, double damping, double m, double md) {
  return (hn_tension){.x = m,
                      .f = stiffness * m + damping * md,
                      .f_m = stiffness,
                      .f_md = damping,
                      .potential = 0.5 * stiffness * m * m,
                      .stored = stiffness * m,
                      .damped = damping * md};
}

static hn_tension bushing_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                                  double md, double t) {
  (void)branch;
  (void)t;
  return linear_tension(force->stiffness[k], force->damping[k], m, md);
}

// ---- stop ---------------------------------------------------------------------------------------

// Left: beyond the limit, but moving out faster than the spring follows, so that there is no force.
// A state of its own, since the dissipation has a breakpoint where it starts and where it ends.
enum { STOP_FREE, STOP_LOWER, STOP_UPPER, STOP_LEFT_LOWER, STOP_LEFT_UPPER };

static int stop_state(const hn_force_def *force, double m, double md) {
  if (hn_force_is_rigid(force)) return STOP_FREE;
  if (m > force->upper) {
    double push = force->stiffness[0] * (m - force->upper) + force->damping[0] * md;
    return push > 0 ? STOP_UPPER : STOP_LEFT_UPPER;
  }
  if (m < force->lower) {
    double push = force->stiffness[0] * (force->lower - m) - force->damping[0] * md;
    return push > 0 ? STOP_LOWER : STOP_LEFT_LOWER;
  }
  return STOP_FREE;
}

// A stop that is left faster than it recovers returns nothing: the energy of its spring is dissipated.
static hn_tension left_behind(const hn_force_def *force, double m, double depth) {
  double held = force->stiffness[0] * depth;
  return (hn_tension){.x = m, .potential = 0.5 * held * depth, .stored = held, .damped = -held};
}

static int stop_states(const hn_model *model, const hn_force_def *force) {
  (void)model;
  (void)force;
  return STOP_LEFT_UPPER + 1;
}

static hn_branch stop_branch(const hn_force_def *force, double m, double md, double t) {
  (void)t;
  return (hn_branch){stop_state(force, m, md), 0};
}

static hn_tension stop_tension(const hn_force_def *force, int k, hn_branch branch, double m,
                               double md, double t) {
  int state = branch.state;
  (void)k;
  (void)t;
  if (state == HN_BRANCH_FREE) state = stop_state(force, m, md);
  if (state == STOP_FREE) return (hn_tension){.x = m};
  int is_upper = state == STOP_UPPER || state == STOP_LEFT_UPPER;
  double limit = is_upper ? force->upper : force->lower;
  if (state == STOP_LEFT_LOWER || state == STOP_LEFT_UPPER) return left_behind(force, m, m - limit);
  hn_tension out = linear_tension(force->stiffness[0], force->damping[0], m - limit, md);
  out.x = m;
  return out;
}

// ---- all measured forces ------------------------------------------------------------------------

hn_tension hn_force_tension(const hn_force_def *force, int k, hn_branch branch, double m, double md,
                            double t) {
  const hn_force_row *row = hn_force_row_of(force->type);
  return row->tension ? row->tension(force, k, branch, m, md, t) : (hn_tension){.x = m};
}

hn_tension hn_force_tension_only(const hn_force_def *force, int k, hn_branch branch, double m,
                                 double md, double t) {
  const hn_force_row *row = hn_force_row_of(force->type);
  if (row->tension == hn_spring_tension) return spring_at(force, branch, m, md, t, 0);
  return row->tension ? row->tension(force, k, branch, m, md, t) : (hn_tension){.x = m};
}

// A spring of laws of x and v that know no time.
static int is_timeless(const hn_force_def *force) {
  return !force->of_t && !force->of_xvt &&
         (!force->of_x || hn_law_get_kind(force->of_x) != HN_LAW_EXPRESSION) &&
         (!force->of_v || hn_law_get_kind(force->of_v) != HN_LAW_EXPRESSION);
}

double hn_force_pull_in_step(const hn_force_def *force, hn_branch branch, double m, double md,
                             double t, double *power) {
  const hn_force_row *row = hn_force_row_of(force->type);
  if (row->tension != hn_spring_tension || branch.state < 0 || !is_timeless(force)) {
    hn_force_value value = {.value = 0};
    double f = hn_force_pull(force, 0, branch, m, md, t, &value);
    *power += value.power;
    return f;
  }
  int piece[2] = {0, 0};
  if (branch.state > 0)
    hn_pieces_decode(2, (hn_law *const[]){force->of_x, force->of_v}, branch.state, piece);
  double stored = force->of_x ? hn_law_value_at(force->of_x, piece[0], law_variable(force, m)) : 0;
  double f = stored + (force->of_v ? hn_law_value_at(force->of_v, piece[1], md) : 0);
  *power -= (f - stored) * md;
  return f;
}

hn_branch hn_force_law_branch(const hn_force_def *force, double m, double md, double t) {
  const hn_force_row *row = hn_force_row_of(force->type);
  return row->law_branch ? row->law_branch(force, m, md, t) : (hn_branch){0, 0};
}

hn_branch hn_spring_branch(const hn_force_def *force, double m, double md, double t) {
  double at[3] = {law_variable(force, m), md, t};
  hn_law *const laws[] = {force->of_x, force->of_v};
  int decisions = force->of_xvt ? hn_law_decide(force->of_xvt, at) : 0;
  return (hn_branch){
      hn_pieces_encode(2, laws, at) + hn_pieces_count(2, laws) * decisions,
      hn_pieces_encode(1, (hn_law *const[]){force->of_t}, &t),
  };
}

static int spring_rates(const hn_force_def *force) { return force->of_v || force->of_xvt; }
static int spring_power(const hn_model *model, const hn_force_def *force) {
  (void)model;
  return force->of_v || !is_timeless(force);
}
static int any_damping(const hn_force_def *force) {
  for (int k = 0; k < 6; k++)
    if (force->damping[k] != 0) return 1;
  return 0;
}

#define SPRING                                                                                     \
  .tension = hn_spring_tension, .law_branch = hn_spring_branch, .has_rates = spring_rates,         \
  .has_power = spring_power
const hn_force_row hn_row_HN_FORCE_SPRING_DAMPER = {.measures = 1, SPRING};
const hn_force_row hn_row_HN_FORCE_JOINT_SPRING_DAMPER = {SPRING};
const hn_force_row hn_row_HN_FORCE_ROTATIONAL_SPRING_DAMPER = {
    .measures = 1, .make_measures = hn_rotational_measures, .turns = 1, SPRING};
const hn_force_row hn_row_HN_FORCE_LEAF_SPRING = {
    .measures = 1, .make_measures = hn_leaf_measures, SPRING};
const hn_force_row hn_row_HN_FORCE_BUSHING = {.measures = 6,
                                              .make_measures = hn_bushing_measures,
                                              .tension = bushing_tension,
                                              .has_rates = any_damping};
const hn_force_row hn_row_HN_FORCE_JOINT_STOP = {.tension = stop_tension,
                                                 .law_branch = stop_branch,
                                                 .states = stop_states,
                                                 .has_rates = any_damping};
