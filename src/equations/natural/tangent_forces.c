// Forces in the tangent of natural coordinates: tensions on measures, and loads that see frames
// (natural/tangent.h).
#include <string.h>

#include "base/error.h"
#include "elements/force.h"
#include "elements/sensor.h"
#include "equations/natural/tangent.h"

// ---- measured forces ----------------------------------------------------------------------------

static void add_to_nodes(const hn_natural_tangent *self, int form, double scale,
                         const hn_vec3 *gradient, double *out) {
  const hn_natural_forms *forms = self->set->forms;
  const int *node = &forms->node[forms->forms[form].start];
  for (int k = 0; k < forms->forms[form].count; k++) {
    double *to = &out[3 * node[k]];
    to[0] += scale * gradient[k].x;
    to[1] += scale * gradient[k].y;
    to[2] += scale * gradient[k].z;
  }
}

// C += scale g g'
static void add_damping(hn_natural_tangent *self, int form, double scale) {
  const hn_natural_forms *forms = self->set->forms;
  const int *node = &forms->node[forms->forms[form].start];
  const int *at = &self->places[self->plans[form].damping];
  const hn_sparse *c = &self->base.damping;
  const hn_vec3 *g = self->jet.gradient;
  int count = forms->forms[form].count;
  for (int i = 0; i < count; i++) {
    int stride = c->start[3 * node[i] + 1] - c->start[3 * node[i]];
    for (int j = 0; j < count; j++, at++)
      for (int k = 0; k < 3; k++) {
        double *to = &c->value[*at + k * stride], factor = scale * vec3_get(g[i], k);
        to[0] += factor * g[j].x;
        to[1] += factor * g[j].y;
        to[2] += factor * g[j].z;
      }
  }
}

// K += g (f_m g + f_md gd)' + f H, where H is partly a product with g too.
static void add_tension(hn_natural_tangent *self, int form, const hn_tension *f) {
  const hn_natural_plan *plan = &self->plans[form];
  const hn_natural_jet *jet = &self->jet;
  const hn_natural_form *of = &self->set->forms->forms[form];
  double along = f->f_m, spread = 0;
  switch (of->kind) {
  case HN_MEASURE_DOT: hn_natural_add_curve(self, plan->curve[0], f->f); break;
  case HN_MEASURE_LENGTH:
    hn_natural_add_curve(self, plan->curve[0], 0.5 * f->f * jet->inverse);
    along -= f->f * jet->inverse;
    break;
  case HN_MEASURE_ANGLE:
    hn_natural_add_curve(self, plan->curve[0], f->f * jet->f[0]);
    hn_natural_add_curve(self, plan->curve[1], f->f * jet->f[1]);
    spread = -f->f;
    hn_natural_add_outer(self, form, spread, jet->spread, jet->gradient);
    break;
  }
  for (int k = 0; k < of->count; k++) {
    hn_vec3 change = vec3_scale(along, jet->gradient[k]);
    if (f->f_md != 0) change = vec3_add_scaled(change, f->f_md, jet->rate_q[k]);
    if (spread != 0) change = vec3_add_scaled(change, spread, jet->spread[k]);
    self->change[k] = change;
  }
  hn_natural_add_outer(self, form, 1, jet->gradient, self->change);
  if (f->f_md != 0) add_damping(self, form, f->f_md);
}

static void add_measured(hn_natural_tangent *self, int force, int first, int count, double t,
                         const double *q, const double *qd, const double *qdd,
                         const hn_branches *branches) {
  const hn_force_def *def = &self->base.equations->model->forces[force];
  double held = hn_force_held(self->base.equations->elements, force, branches->turns);
  for (int k = 0; k < count; k++) {
    int form = first + k;
    hn_natural_evaluate(self->set->forms, form, q, qd, qdd, branches->turns, &self->jet);
    hn_tension f =
        hn_force_tension(def, k, branches->force[force], self->jet.value - held, self->jet.rate, t);
    add_to_nodes(self, form, -f.f, self->jet.gradient, self->base.q_force);
    if (f.f_t != 0) add_to_nodes(self, form, -f.f_t, self->jet.gradient, self->base.q_t);
    add_tension(self, form, &f);
    hn_natural_add_signals(self, force, form, t, branches->turns);
  }
}

// ---- loads --------------------------------------------------------------------------------------

hn_natural_share hn_natural_share_of(const hn_natural_motion *m, const hn_natural_term *term) {
  hn_natural_share s = {term->c[0], {0, 0, 0}, {0, 0, 0}};
  for (int i = 1; i < 4; i++) {
    s.h = vec3_add_scaled(s.h, 0.5 * term->c[i], m->x[i]);
    s.hd = vec3_add_scaled(s.hd, 0.5 * term->c[i], m->v[i]);
  }
  return s;
}

// c f + n x h of a wrench
static hn_vec3 at_node(const hn_natural_share *s, const double *w) {
  return vec3_add(vec3_scale(s->c, vec3_load(w)), vec3_cross(vec3_load(w + 3), s->h));
}

// Wrenches as node j of a body moves, or as it moves faster: columns of x, y, z.
static void along_node(const hn_force_load *l, int a, int b, const hn_natural_share *s,
                       double by_place[3][6], double by_rate[3][6]) {
  for (int c = 0; c < 3; c++) {
    hn_vec3 unit = vec3(c == 0, c == 1, c == 2);
    hn_vec3 turn = vec3_cross(s->h, unit), spin = vec3_cross(unit, s->hd);
    for (int i = 0; i < 6; i++) {
      const double *p = &l->d_pose[6 * a + i][6 * b], *v = &l->d_speed[6 * a + i][6 * b];
      by_place[c][i] = s->c * p[c] + p[3] * turn.x + p[4] * turn.y + p[5] * turn.z + v[3] * spin.x +
                       v[4] * spin.y + v[5] * spin.z;
      by_rate[c][i] = s->c * v[c] + v[3] * turn.x + v[4] * turn.y + v[5] * turn.z;
    }
  }
}

// matrix(at) -= column c of a block, given by its three numbers
static void subtract_column(hn_sparse *matrix, int node, int at, int c, hn_vec3 x) {
  int stride = matrix->start[3 * node + 1] - matrix->start[3 * node];
  double *to = &matrix->value[at + c];
  to[0] -= x.x;
  to[stride] -= x.y;
  to[2 * stride] -= x.z;
}

// Blocks of the nodes of slot a against those of slot b.
static void add_load(hn_natural_tangent *self, const hn_natural_load_plan *plan,
                     const hn_force_load *l, int a, int b) {
  hn_natural_set *set = self->set;
  const hn_natural_body *rows = &set->nodes->bodies[plan->body[a]];
  const hn_natural_body *columns = &set->nodes->bodies[plan->body[b]];
  hn_vec3 torque = vec3_load(&l->wrench[6 * a + 3]);
  for (int j = 0; j < columns->count; j++) {
    const hn_natural_term *moved = &set->nodes->terms[columns->start + j];
    double by_place[3][6], by_rate[3][6];
    hn_natural_share mover = hn_natural_share_of(&set->motion[plan->body[b]], moved);
    along_node(l, a, b, &mover, by_place, by_rate);
    for (int i = 0; i < rows->count; i++) {
      const hn_natural_term *term = &set->nodes->terms[rows->start + i];
      hn_natural_share s = hn_natural_share_of(&set->motion[plan->body[a]], term);
      int table = i * columns->count + j;
      double both = 0; // n x (axes as they move)
      for (int k = 1; a == b && k < 4; k++) both += 0.5 * term->c[k] * moved->c[k];
      for (int c = 0; c < 3; c++) {
        hn_vec3 d = at_node(&s, by_place[c]);
        d = vec3_add_scaled(d, both, vec3_cross(torque, vec3(c == 0, c == 1, c == 2)));
        subtract_column(&self->base.stiffness, term->node,
                        self->places[plan->stiffness[a][b] + table], c, d);
        if (plan->damping[a][b] >= 0)
          subtract_column(&self->base.damping, term->node,
                          self->places[plan->damping[a][b] + table], c, at_node(&s, by_rate[c]));
      }
    }
  }
}

static void add_wrench(const hn_natural_tangent *self, int body, const double *w, double *out) {
  const hn_natural_set *set = self->set;
  for (int k = 0; k < set->nodes->bodies[body].count; k++) {
    const hn_natural_term *term = &set->nodes->terms[set->nodes->bodies[body].start + k];
    hn_natural_share s = hn_natural_share_of(&set->motion[body], term);
    double *to = &out[3 * term->node];
    vec3_store(to, vec3_add(vec3_load(to), at_node(&s, w)));
  }
}

static hn_status add_other(hn_natural_tangent *self, int f, double t, const hn_branches *branches) {
  const hn_natural_load_plan *plan = &self->loads[f];
  hn_force_load l;
  hn_status status = hn_force_in_poses(self->base.equations->elements, f, self->set->frames,
                                       branches->turns, t, branches->force[f], &l);
  if (status != HN_OK) return status;
  for (int a = 0; a < 2; a++) {
    if (plan->body[a] == HN_GROUND) continue;
    add_wrench(self, plan->body[a], &l.wrench[6 * a], self->base.q_force);
    add_wrench(self, plan->body[a], &l.rate[6 * a], self->base.q_t);
    for (int b = 0; b < 2; b++)
      if (plan->body[b] != HN_GROUND) add_load(self, plan, &l, a, b);
  }
  return HN_OK;
}

// ---- all of them --------------------------------------------------------------------------------

hn_status hn_natural_tangent_forces(hn_natural_tangent *self, double t, const double *q,
                                    const double *qd, const double *qdd,
                                    const hn_branches *branches, hn_error *error) {
  const hn_model *model = self->base.equations->model;
  const hn_elements *elements = self->base.equations->elements;
  size_t size = (size_t)self->base.n * sizeof(double);
  memcpy(self->base.q_force, self->set->weight, size);
  memset(self->base.q_t, 0, size);
  hn_natural_move_loaded(self->set, q, qd);
  hn_elements_sense(elements, self->set->frames, branches->turns);
  for (int f = 0; f < model->force_count; f++) {
    int first, count = hn_natural_force_forms(elements, f, &first);
    if (count > 0) {
      add_measured(self, f, first, count, t, q, qd, qdd, branches);
      continue;
    }
    const hn_force_def *def = &model->forces[f];
    if (def->type == HN_FORCE_COUPLING && hn_force_is_relative(&model->forces[def->coupled]))
      continue; // with its spring
    hn_status status = add_other(self, f, t, branches);
    if (status != HN_OK) return hn_fail_force(model, f, status, t, error);
  }
  return HN_OK;
}
