// Stiffness and damping of a step (relative/stepping.h): exact derivatives of forces on coordinates of
// the tree, a diagonal; and of forces between two bodies on one path, a block over its speeds s,
//
//   K_ij = -s_i' (d wrench / d pose) s_j,   D_ij = -s_i' (d wrench / d speed) s_j
//
// whose symmetric part is taken if it is positive semidefinite. All other forces are explicit.
// Speeds without inertia, of wheels of tendons, borrow a little of what their loops move.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elements/force.h"
#include "elements/force_types.h"
#include "equations/relative/stepping.h"
#include "linalg/row_basis.h"
#include "math/law.h"

#define RESOLVED 0.5 // h^2 K / M and h D / M up to which theta is 1/2
#define LENT 1e-8    // of the inertia that a row has without it
enum { PATH = HN_STEPPING_PATH };

// ---- set-up -------------------------------------------------------------------------------------

// Has exact derivatives by two bodies.
static int is_eligible(const hn_force_def *def) {
  return hn_force_acts_between(def->type) == HN_ENDS_FRAMES && !hn_force_needs_differences(def);
}

// Speeds between the bodies of a force, ascending, if one is above the other or ground; 0: none.
static int path_of(const hn_tree *tree, const hn_force_def *def, hn_stepping_couple *c) {
  const int a = tree->body_node[def->frame1.body], b = tree->body_node[def->frame2.body];
  const int lower = a > b ? a : b, upper = a > b ? b : a;
  int count = 0, node = lower;
  for (; node > upper; node = tree->nodes[node].parent)
    for (int i = tree->nodes[node].u_count - 1; i >= 0; i--) {
      if (count == PATH) return 0;
      c->speed[count++] = tree->nodes[node].u + i;
    }
  if (node != upper) return 0; // on two branches
  c->side = lower == b;
  c->lower = c->side ? def->frame2.body : def->frame1.body;
  for (int i = 0; i < count / 2; i++) {
    const int swap = c->speed[i];
    c->speed[i] = c->speed[count - 1 - i];
    c->speed[count - 1 - i] = swap;
  }
  return count;
}

hn_status hn_relative_make_slopes(hn_arena *arena, hn_relative_stepper *self) {
  const hn_relative_set *set = self->set;
  const hn_model *model = set->base.model;
  const int forces = hn_model_force_count(model);
  self->couples = HN_TAKE(arena, hn_stepping_couple, forces);
  if (arena->failed) return HN_ERROR_MEMORY;
  for (int f = 0; f < forces; f++) {
    hn_stepping_couple c = {.force = f};
    const hn_force_def *def = &model->forces[f];
    if (set->forces.node[f] >= 0 || set->forces.is_spring[f] || !is_eligible(def)) continue;
    c.count = path_of(set->tree, def, &c);
    if (c.count > 0) self->couples[self->couple_count++] = c;
  }
  return HN_OK;
}

// ---- forces on coordinates ----------------------------------------------------------------------

static double theta_of(double z) { return z > 2 * RESOLVED ? 1 - RESOLVED / z : 0.5; }

static void add_diagonal(hn_relative_stepper *self, double h) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < tree->nu; i++) {
    double *own = hn_step_diagonal(self, i);
    const double k = self->k[i] > 0 ? self->k[i] : 0; // others are explicit
    const double d = self->d[i] > 0 ? self->d[i] : 0;
    if (k == 0 && d == 0) {
      self->z[i] = h * self->force[i];
      self->added[i] = self->d[i] = 0;
      continue;
    }
    const double inverse = *own > 0 ? 1 / *own : 0;
    const double of_k = theta_of(h * h * k * inverse), of_d = theta_of(h * d * inverse);
    self->z[i] = h * self->force[i] - (of_k - 0.5) * h * h * k * self->u0[i];
    self->added[i] = h * of_d * d + 0.5 * h * h * of_k * k;
    self->d[i] = of_d * d;
  }
}

// ---- forces on paths ----------------------------------------------------------------------------

static int is_semidefinite(int n, double (*m)[PATH]) {
  double a[PATH][PATH];
  for (int i = 0; i < n; i++) memcpy(a[i], m[i], (size_t)n * sizeof(double));
  return hn_is_semidefinite(n, a[0], PATH);
}

// -s_i' B s_j, symmetric.
static void project(const hn_relative_stepper *self, const hn_stepping_couple *c, hn_vec3 r,
                    const double (*block)[HN_POSES], double (*out)[PATH]) {
  double s[PATH][6], b[PATH][6];
  for (int i = 0; i < c->count; i++) {
    const hn_speed_axis *axis = &self->axis[c->speed[i]];
    vec3_store(s[i], vec3_add(axis->v, vec3_cross(axis->w, vec3_sub(r, axis->origin))));
    vec3_store(s[i] + 3, axis->w);
    for (int k = 0; k < 6; k++) {
      b[i][k] = 0;
      for (int l = 0; l < 6; l++) b[i][k] -= block[k][6 * c->side + l] * s[i][l];
    }
  }
  for (int i = 0; i < c->count; i++)
    for (int j = 0; j < c->count; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 6; k++) out[i][j] += 0.5 * (s[i][k] * b[j][k] + s[j][k] * b[i][k]);
    }
}

// The largest m_ii / M_ii.
static double ratio_of(const hn_relative_stepper *self, const hn_stepping_couple *c,
                       const double (*m)[PATH]) {
  double most = 0;
  for (int i = 0; i < c->count; i++) {
    const double own = *hn_step_diagonal(self, c->speed[i]);
    if (own > 0) most = fmax(most, m[i][i] / own);
  }
  return most;
}

// K and D of a force, in A and in the right side.
static void add_couple(hn_relative_stepper *self, const hn_stepping_span *span,
                       const hn_stepping_couple *c) {
  const hn_equations *e = &self->set->base;
  const double h = span->h;
  double k[PATH][PATH], d[PATH][PATH];
  hn_force_load load;
  if (hn_force_in_poses(e->elements, c->force, span->next->frames, span->branches->turns,
                        span->t + 0.5 * h, span->branches->force[c->force], &load) != HN_OK ||
      load.body[c->side] != c->lower)
    return;
  const hn_vec3 r = span->next->frames[load.body[c->side]].r;
  project(self, c, r, (const double(*)[HN_POSES]) & load.d_pose[6 * c->side], k);
  project(self, c, r, (const double(*)[HN_POSES]) & load.d_speed[6 * c->side], d);
  if (!is_semidefinite(c->count, k)) memset(k, 0, sizeof k);
  if (!is_semidefinite(c->count, d)) memset(d, 0, sizeof d);
  const double of_k = theta_of(h * h * ratio_of(self, c, (const double(*)[PATH])k));
  const double of_d = theta_of(h * ratio_of(self, c, (const double(*)[PATH])d));
  for (int j = 0; j < c->count; j++) {
    double *own = hn_step_diagonal(self, c->speed[j]);
    for (int i = 0; i <= j; i++) own[i - j] += h * of_d * d[i][j] + 0.5 * h * h * of_k * k[i][j];
    for (int i = 0; i < c->count; i++)
      self->z[c->speed[j]] -= (of_k - 0.5) * h * h * k[j][i] * self->u0[c->speed[i]];
  }
}

void hn_relative_add_slopes(hn_relative_stepper *self, const hn_stepping_span *span) {
  const hn_tree *tree = self->set->tree;
  add_diagonal(self, span->h);
  for (int k = 0; k < self->couple_count; k++) add_couple(self, span, &self->couples[k]);
  for (int i = 0; i < tree->nu; i++) *hn_step_diagonal(self, i) += self->added[i];
}

// ---- speeds without inertia ---------------------------------------------------------------------

// The inertia of a row at one of its speeds, x_i^2 / sum_k (x_k^2 / M_kk) over the others; 0: none.
static double inertia_of(const hn_relative_stepper *self, int cut, int speed) {
  const hn_relative_set *set = self->set;
  double at = 0, sum = 0;
  for (int k = set->j_start[cut]; k < set->j_start[cut + 1]; k++) {
    const double x = set->j_values[k];
    const double own = *hn_step_diagonal(self, set->j_index[k]);
    if (set->j_index[k] == speed)
      at += x;
    else if (own > 0)
      sum += x * x / own;
  }
  return sum > 0 ? at * at / sum : 0;
}

void hn_relative_lend_inertia(hn_relative_stepper *self) {
  const hn_tree *tree = self->set->tree;
  for (int i = 0; i < tree->nu && self->loop_count > 0; i++) {
    double *own = hn_step_diagonal(self, i), least = HUGE_VAL;
    if (*own - self->added[i] > 0) continue;
    for (int c = 0; c < self->loop_count; c++) {
      const double inertia = inertia_of(self, self->loops[c], i);
      if (inertia > 0) least = fmin(least, inertia);
    }
    if (least < HUGE_VAL) *own += LENT * least;
  }
}

hn_status hn_relative_fail_pivot(const hn_relative_stepper *self, const hn_stepping_span *span,
                                 hn_error *error) {
  const hn_tree *tree = self->set->tree;
  const hn_model *model = self->set->base.model;
  char name[96];
  for (int k = tree->count - 1; k >= 0; k--)
    for (int i = tree->nodes[k].u_count - 1; i >= 0; i--) {
      const double inverse = *hn_step_diagonal(self, tree->nodes[k].u + i);
      if (inverse > 0 && isfinite(inverse)) continue;
      while (tree->nodes[k].body == 0) k++; // inside a joint: of the body it carries
      const hn_body_def *body = &model->bodies[tree->nodes[k].body];
      return hn_fail(error, HN_ERROR_SINGULAR, &body->source,
                     hn_text(name, sizeof name, "body '%s'", body->name),
                     "give it inertia about every free axis, or use `coordinates: cartesian`",
                     "has an inertia of %.3g about an axis of its joint at t = %g s", 1 / inverse,
                     span->t);
    }
  return hn_fail(error, HN_ERROR_NOT_FINITE, NULL, NULL, "check for tiny masses",
                 "the inertia is not finite at t = %g s", span->t);
}

double hn_relative_implicit_work(const hn_relative_stepper *self, double h) {
  double work = 0;
  for (int i = 0; i < self->set->base.nu; i++) {
    const double before = self->u0[i], after = self->u[i], tension = self->damped[i];
    work += tension * before - 0.5 * (tension + self->d[i] * (after - before)) * (before + after);
  }
  return h * work;
}
