// Method multi-index (Cardenal, Cuadrado and Bayo 1997; methods/multi-index.md): augmented Lagrangian of
// index 3 for large steps and of index 1 for small ones, the step chosen by the energy invariant
//
//   Pi = T + V - int (qd' Q_nc + lambda' Phi_t) dt,    d = |Pi_1 - Pi_0| over a step
//
//   d > U, or no convergence   again with eta h, eta = (0.8 U / d)^(1/3) in [0.1, 0.8], or h / 2
//   d < L                      the next step is twice as long
//
// The trapezoidal rule keeps the energy of a linear oscillator exactly, whatever the step: there d sees
// nothing. So the leading error of positions, h^3 a'/12 = h^2 (a_1 - a_0)/12, must be within the
// tolerance too.
//
// Index 1 takes every step below the switching step, and those after more than MOST reductions of one
// step in a row, until d < L lets a step above the switching step be longer.
//
// U, a bound in joule a step, is the relative tolerance times the largest energy turned over so
// far, T + |V - V_0| + |W|, and at least the kinetic energy of all masses at the speed of the
// absolute tolerance: a model that starts at rest has turned nothing over yet. L = U / 265, the
// paper's ratio. The switching step is where rounding disturbs
// accelerations of index 3, which are (q - q_hat)/g_q, in their eighth digit:
// 4 eps |q| / (h^2 |a|) = 1e-8. For lengths of 1 m under gravity this is the paper's 1e-4 s.
//
// The two methods are children that share the state of this one; only one of them is at work.
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "integrate/augmented.h"
#include "math/elementary.h"
#include "model/options.h"

#define SAFETY 0.8
#define LEAST_FACTOR 0.1
#define MOST_FACTOR 0.8
#define GROWTH 2.0
#define RATIO 265.0 // of U and L: 2.65e-5 and 1e-7 in the paper
#define NOISE 1e-8  // of accelerations at the switching step
// The first and the longest step, in switching steps: 1 ms and 10 ms in the paper.
#define FIRST 10
#define LONGEST 1000
// Coordinates below this fraction of their usual size say nothing about rounding.
#define SMALL 0.1
enum { MOST = 5 };

typedef enum child { INDEX_3, INDEX_1, CHILDREN } child;

// State that determines steps to come: part of a saved state.
typedef struct plan {
  double h;           // the next step
  double switch_step; // between index 1 and 3
  double energy;      // largest turned over so far
  double potential0;  // V at the start
  double t;           // of the last accepted end
  int is_started;
  child active;   // that made the present state
  int reductions; // in a row
  int is_forced;  // index 1, whatever the step
} plan;

typedef struct multi_index {
  hn_method base;
  hn_method *child[CHILDREN];
  plan plan;
  double fixed_switch; // > 0: the switching step by choice
  double upper, lower; // > 0: U and L by choice (J)
  double mass;         // of all bodies
  // the attempted step
  double h, d, u;    // its size, change of Pi and U; d is negative without convergence
  double guard;      // its error of positions; 1: just acceptable
  double end_energy; // largest energy with its end
} multi_index;

// ---- children -----------------------------------------------------------------------------------

// They have the state of this method, by pointers; numbers are handed over.
static hn_method *take_up(multi_index *self, child which) {
  hn_method *m = &self->base, *c = self->child[which];
  c->q = m->q;
  c->qd = m->qd;
  c->next_q = m->next_q;
  c->next_qd = m->next_qd;
  c->z = m->z;
  c->next_z = m->next_z;
  c->z_rate = m->z_rate;
  c->now = m->now;
  c->next = m->next;
  c->t = m->t;
  c->work = m->work;
  c->accepts_unconverged = m->accepts_unconverged;
  return c;
}

// Takes over the child's counters since `before`.
static void hand_back(multi_index *self, const hn_method *c, const hn_method *before) {
  hn_method *m = &self->base;
  m->now = c->now;
  m->next = c->next;
  m->t = c->t;
  m->work = c->work;
  m->step = c->step;
  m->step_begin = c->step_begin;
  m->step_end = c->step_end;
  m->is_substituted = c->is_substituted;
  m->has_coasted = c->has_coasted;
  m->projections += c->projections - before->projections;
  m->jacobians += c->jacobians - before->jacobians;
  m->iterations += c->iterations - before->iterations;
  m->newton_failures += c->newton_failures - before->newton_failures;
  m->factorizations += c->factorizations - before->factorizations;
  m->unconverged += c->unconverged - before->unconverged;
  m->unconverged_residual = fmax(m->unconverged_residual, c->unconverged_residual);
}

static hn_status begin_child(multi_index *self, child which, const hn_branches *branches,
                             hn_error *error) {
  hn_method *c = take_up(self, which), before = *c;
  // which rows are kept goes from one to the other: bits follow from what the active one has saved
  ((hn_augmented *)c)->rows.are_kept =
      ((const hn_augmented *)self->child[self->plan.active])->rows.are_kept;
  double step = self->base.step, step_begin = self->base.step_begin, step_end = self->base.step_end;
  hn_status status = c->type->begin(c, branches, error);
  hand_back(self, c, &before);
  self->base.step = step;
  self->base.step_begin = step_begin;
  self->base.step_end = step_end;
  self->plan.active = which;
  self->base.index = which == INDEX_1 ? 1 : 3;
  return status;
}

// ---- plan ---------------------------------------------------------------------------------------

static double length(const hn_vec3 *x) { return vec3_norm(*x); }

// Typical size of coordinates if the model is not drawn at their origin: a radian, the extent of
// the bodies.
static double usual_size(const multi_index *self) {
  const hn_method *m = &self->base;
  const hn_tangent *t = ((const hn_augmented *)self->child[INDEX_3])->tangent;
  const hn_frame *frames = m->now->frames;
  double extent = 0, sum = 0;
  for (int b = 1; b < m->equations->model->body_count; b++)
    extent = fmax(extent, vec3_norm(vec3_sub(frames[b].r, frames[0].r)));
  if (!(extent > 0)) extent = 1;
  for (int i = 0; i < t->n; i++) sum += t->columns[i] == HN_COLUMN_LENGTH ? extent * extent : 1;
  return t->n > 0 ? sqrt(sum / t->n) : 1;
}

static double switching_step(const multi_index *self) {
  const hn_method *m = &self->base;
  if (self->fixed_switch > 0) return self->fixed_switch;
  int n = m->equations->nq;
  double q = fmax(hn_rms(n, m->q), SMALL * usual_size(self)), v = hn_rms(n, m->qd);
  double a = fmax(hn_rms(n, m->now->qdd), length(&m->equations->model->gravity));
  if (q > 0) a = fmax(a, v * v / q);
  return q > 0 && a > 0 ? sqrt(4 * DBL_EPSILON / NOISE * q / a) : 1e-4;
}

static void start(multi_index *self) {
  const hn_method *m = &self->base;
  double s = switching_step(self);
  self->plan = (plan){.h = FIRST * s,
                      .switch_step = s,
                      .energy = m->now->kinetic,
                      .potential0 = m->now->potential,
                      .t = m->t,
                      .is_started = 1,
                      .active = self->plan.active};
}

static double energy_at(const multi_index *self, const hn_snapshot *s, double work) {
  return s->kinetic + fabs(s->potential - self->plan.potential0) + fabs(work);
}

static hn_status begin(hn_method *m, const hn_branches *branches, hn_error *error) {
  multi_index *self = (multi_index *)m;
  int goes_on = self->plan.is_started && m->t == self->plan.t;
  hn_status status = begin_child(self, goes_on ? self->plan.active : INDEX_3, branches, error);
  if (status == HN_OK && !goes_on) start(self);
  return status;
}

static double position_error(const hn_method *m, double h, const hn_tolerance *tolerance) {
  int n = m->equations->nq;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double size =
        tolerance->absolute + tolerance->relative * fmax(fabs(m->q[i]), fabs(m->next_q[i]));
    double e = h * h / 12 * (m->next->qdd[i] - m->now->qdd[i]) / size;
    sum += e * e;
  }
  return n > 0 ? sqrt(sum / n) : 0;
}

static hn_status attempt(hn_method *m, double t_end, const hn_branches *branches,
                         const hn_tolerance *tolerance, double *error_norm, hn_error *error) {
  multi_index *self = (multi_index *)m;
  const plan *p = &self->plan;
  hn_status status = HN_OK;
  self->h = t_end - m->t;
  self->d = -1;
  int is_small = p->is_forced || self->h < (1 - 1e-9) * p->switch_step;
  child wanted = is_small ? INDEX_1 : INDEX_3;
  if (p->active != wanted) status = begin_child(self, wanted, branches, error);
  if (status != HN_OK) return status;
  hn_method *c = take_up(self, wanted), before = *c;
  double pi = m->now->kinetic + m->now->potential - m->work;
  status = c->type->attempt(c, t_end, branches, tolerance, error_norm, error);
  hand_back(self, c, &before);
  if (status != HN_OK) return status;
  double work = ((hn_augmented *)c)->end_work;
  self->end_energy = fmax(p->energy, energy_at(self, m->next, work));
  self->d = fabs(m->next->kinetic + m->next->potential - work - pi);
  self->u = self->upper > 0 ? self->upper : tolerance->relative * self->end_energy;
  // differences of energies are not known better
  double rounding = 64 * DBL_EPSILON * (fabs(m->next->potential) + self->end_energy);
  double rest = self->upper > 0 ? 0 : self->mass / 2 * tolerance->absolute * tolerance->absolute;
  self->u = fmax(self->u, fmax(rounding, rest));
  self->guard = position_error(m, self->h, tolerance);
  const double states = hn_stages_state_error(((hn_augmented *)c)->stages, tolerance);
  if (states > self->guard) self->guard = states;
  *error_norm = fmax(self->d / self->u, self->guard);
  if (!isfinite(self->d) || !isfinite(self->guard)) *error_norm = self->guard = HUGE_VAL;
  return HN_OK;
}

static void interpolate(const hn_method *m, double theta, double *q, double *qd, double *work) {
  const multi_index *self = (const multi_index *)m;
  const hn_method *c = self->child[self->plan.active];
  c->type->interpolate(c, theta, q, qd, work);
}

static void accept(hn_method *m) {
  multi_index *self = (multi_index *)m;
  plan *p = &self->plan;
  hn_method *c = take_up(self, p->active), before = *c;
  c->type->accept(c);
  hand_back(self, c, &before);
  p->t = m->t;
  p->energy = self->end_energy;
  p->reductions = 0;
  double lower = self->lower > 0 ? self->lower : self->u / RATIO;
  if (!(self->d < lower && GROWTH * GROWTH * GROWTH * self->guard < SAFETY)) return;
  if (GROWTH * self->h > p->h) p->h = GROWTH * self->h; // a step cut short says nothing against it
  p->h = fmin(p->h, LONGEST * p->switch_step);
  if (p->h > p->switch_step) p->is_forced = 0;
}

// After a rejected attempt the step is shortened, once.
static double propose(hn_method *m, const hn_tolerance *tolerance) {
  multi_index *self = (multi_index *)m;
  plan *p = &self->plan;
  (void)tolerance;
  double excess = fmax(self->d / self->u, self->guard);
  int is_refused = self->h > 0 && m->t == p->t && (self->d < 0 || !(excess <= 1));
  if (!is_refused) return p->h;
  double eta = self->d < 0 ? 0.5 : hn_cbrt(SAFETY / excess);
  if (!(eta > LEAST_FACTOR)) eta = LEAST_FACTOR;
  p->h = fmin(eta, MOST_FACTOR) * self->h;
  self->h = 0;
  if (++p->reductions > MOST && p->active == INDEX_3) {
    p->is_forced = 1;
    p->reductions = 0;
  }
  return p->h;
}

// ---- memory -------------------------------------------------------------------------------------

// The children's fields are among those of this method; the one at work makes its matrix again. No
// run is at another time than the plan.
static hn_status multi_index_resume(hn_method *m) {
  multi_index *self = (multi_index *)m;
  const plan *p = &self->plan;
  if (!p->is_started || p->t != m->t) return HN_ERROR_ARGUMENT;
  hn_method *c = take_up(self, p->active);
  m->index = p->active == INDEX_1 ? 1 : 3;
  self->h = 0;
  return c->type->resume(c);
}

static void declare_multi_index(hn_arena *arena, multi_index *self) {
  plan *p = &self->plan;
  double *const numbers[] = {&p->h, &p->switch_step, &p->energy, &p->potential0, &p->t};
  hn_declare_numbers(arena, numbers, sizeof numbers / sizeof *numbers, "a number of the plan");
  hn_declare_integer(arena, &p->is_started, 0, 1, "the flag of the plan");
  hn_declare_integer(arena, &p->is_forced, 0, 1, "the flag of index 1");
  hn_declare_integer(arena, &p->reductions, 0, MOST + 1, "the number of shorter steps");
  HN_STATE(arena, &p->active, 1, "the index at work");
  hn_state_within(arena, INDEX_3, INDEX_1);
  for (int k = 0; k < CHILDREN; k++) {
    hn_method *c = self->child[k];
    double *const last[] = {&c->step, &c->step_begin, &c->step_end};
    hn_declare_numbers(arena, last, 3, "the last step of an index");
  }
}

// ---- set-up -------------------------------------------------------------------------------------

static hn_status create(hn_arena *arena, hn_equations *equations, const hn_method_choice *choice,
                        hn_method **method, hn_error *error) {
  const hn_method_type *types[CHILDREN] = {&hn_augmented_lagrangian_3, &hn_augmented_lagrangian_1};
  multi_index *self = HN_KEEP(arena, multi_index, 1);
  if (!self) return hn_fail(error, HN_ERROR_MEMORY, NULL, NULL, NULL, "out of memory");
  hn_method_choice plain = *choice;
  plain.is_bounded = 1; // a step that is too long is to be shortened
  for (int k = 0; k < CHILDREN; k++) {
    hn_status status = types[k]->create(arena, equations, &plain, &self->child[k], error);
    if (status != HN_OK) return status;
  }
  self->base = *self->child[INDEX_3];
  self->base.type = &hn_multi_index;
  self->base.index = 3;
  self->fixed_switch = choice->switch_step;
  self->upper = choice->energy_upper;
  self->lower = choice->energy_lower;
  const hn_model *model = equations->elements->model;
  for (int b = 1; b < model->body_count; b++) self->mass += model->bodies[b].mass;
  declare_multi_index(arena, self);
  *method = &self->base;
  return HN_OK;
}

const hn_method_type hn_multi_index = {
    .name = "multi-index",
    .takes = HN_FORMULA_TRAPEZOIDAL,
    .options = HN_OF_AUGMENTED | HN_OF_MULTI_INDEX,
    .independent = HN_INDEPENDENT_NONE,
    .steps_by_energy = 1,
    .takes_states = 1,
    .follows_conditions = 1,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .interpolate = interpolate,
    .accept = accept,
    .propose = propose,
    .resume = multi_index_resume,
};
