// Forces in the Cartesian tangent. Those on measures, with g = m_q, gd = md_q, H = m_qq and a
// tension f(m, md, t) (elements/force.c):
//
//   Q = -f g,   -Q_q = g (f_m g + f_md gd)' + f H,   -Q_qd = f_md g g',   Q_t = -f_t g
//
// The others bring their own blocks by hn_force_in_q. A force of the user's without derivatives is
// differentiated by differences, and only for the full tangent.
#include "base/error.h"
#include "elements/sensor.h"
#include "equations/cartesian/tangent.h"

// Adds 14 numbers of a pair to a vector of all coordinates.
static void add_local(const hn_pair *pair, double scale, const double *local, double *out) {
  for (int slot = 0; slot < 2; slot++) {
    if (pair->body[slot] == HN_GROUND) continue;
    double *to = &out[7 * (pair->body[slot] - 1)];
    for (int i = 0; i < 7; i++) to[i] += scale * local[7 * slot + i];
  }
}

// C += scale g g'
static void add_damping(hn_cartesian_tangent *self, const hn_pair *pair, double scale,
                        const double *g) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      hn_sparse_place place = pair->damping[i][j];
      if (place.at < 0) continue;
      for (int k = 0; k < 7; k++) {
        double *to = &self->base.damping.value[place.at + k * place.stride];
        double factor = scale * g[7 * i + k];
        for (int l = 0; l < 7; l++) to[l] += factor * g[7 * j + l];
      }
    }
}

static void add_measured(hn_cartesian_tangent *self, int f, double t, const hn_branches *branches) {
  const hn_force_plan *plan = &self->forces[f];
  const hn_force_def *def = &self->base.equations->model->forces[f];
  double held = hn_force_held(self->base.equations->elements, f, branches->turns);
  for (int k = 0; k < plan->part_count; k++) {
    const hn_form *form = &self->forms[self->form_of_force[plan->part + k]];
    const hn_pair *pair = &self->pairs[form->pair];
    hn_form_jet jet;
    hn_form_evaluate(self, form, branches->turns, &jet);
    hn_tension f_m = hn_force_tension(def, k, branches->force[f], jet.value - held, jet.rate, t);
    add_local(pair, -f_m.f, jet.gradient, self->base.q_force);
    if (!self->is_full) continue;
    double change[HN_LOCAL];
    for (int j = 0; j < HN_LOCAL; j++)
      change[j] = f_m.f_m * jet.gradient[j] + f_m.f_md * jet.rate_q[j];
    hn_curvature_add_outer(self, form->pair, jet.gradient, change);
    hn_curvature_add(self, form, &jet, f_m.f);
    if (f_m.f_md != 0) add_damping(self, pair, f_m.f_md, jet.gradient);
    if (f_m.f_t != 0) add_local(pair, -f_m.f_t, jet.gradient, self->base.q_t);
  }
}

// Q of a user's force without its derivatives: the wrenches, Q_r = force, Q_p = 2 E' torque.
static hn_status add_user_load(hn_cartesian_tangent *self, int f, double t) {
  const hn_force_def *def = &self->base.equations->model->forces[f];
  const hn_pair *pair = &self->pairs[self->forces[f].pair];
  hn_force_value ignored = {0};
  for (int slot = 0; slot < 2; slot++) self->wrench[pair->body[slot]] = (hn_wrench){0};
  hn_status status =
      hn_force_row_of(def->type)->in_speeds(self->base.equations->elements, def, self->frames, t,
                                            (hn_branch){0, 0}, self->wrench, &ignored);
  if (status != HN_OK) return status;
  double local[HN_LOCAL];
  for (int slot = 0; slot < 2; slot++) {
    const hn_wrench *w = &self->wrench[pair->body[slot]];
    hn_quat q_p = euler_e_transposed(self->frames[pair->body[slot]].p, w->torque);
    vec3_store(&local[7 * slot], w->force);
    quat_store(&local[7 * slot + 3], quat_scale(2, q_p));
  }
  add_local(pair, 1, local, self->base.q_force);
  return HN_OK;
}

static void add_tangent(hn_cartesian_tangent *self, const hn_pair *pair, hn_force_tangent *force) {
  add_local(pair, 1, force->q, self->base.q_force);
  if (!self->is_full) return;
  add_local(pair, 1, force->q_t, self->base.q_t);
  for (int i = 0; i < HN_LOCAL; i++)
    for (int j = 0; j < HN_LOCAL; j++) {
      force->q_q[i][j] = -force->q_q[i][j];
      force->q_qd[i][j] = -force->q_qd[i][j];
    }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      hn_sparse_add_block(&self->base.stiffness, pair->stiffness[i][j], 7, 7,
                          &force->q_q[7 * i][7 * j], HN_LOCAL);
      hn_sparse_add_block(&self->base.damping, pair->damping[i][j], 7, 7,
                          &force->q_qd[7 * i][7 * j], HN_LOCAL);
    }
}

static hn_status add_other(hn_cartesian_tangent *self, int f, double t,
                           const hn_branches *branches) {
  const hn_equations *equations = self->base.equations;
  const hn_force_def *def = &equations->model->forces[f];
  int is_user = def->user.evaluate != NULL;
  if (is_user && !self->is_full) return add_user_load(self, f, t);
  if (def->type == HN_FORCE_COUPLING && !self->is_full) return HN_OK; // it has derivatives alone
  hn_force_tangent force;
  hn_status status = is_user && !def->user.has_derivatives
                         ? hn_user_differences(def, self->frames, t, &force)
                         : hn_force_in_q(equations->elements, f, self->frames, branches->turns, t,
                                         branches->force[f], &force);
  if (status == HN_OK) add_tangent(self, &self->pairs[self->forces[f].pair], &force);
  return status;
}

hn_status hn_tangent_forces(hn_cartesian_tangent *self, double t, const hn_branches *branches,
                            hn_error *error) {
  const hn_model *model = self->base.equations->model;
  hn_elements_sense_in_q(self->base.equations->elements, self->frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    if (self->forces[f].is_measured) {
      add_measured(self, f, t, branches);
      continue;
    }
    hn_status status = add_other(self, f, t, branches);
    if (status != HN_OK) return hn_fail_force(model, f, status, t, error);
  }
  return HN_OK;
}
